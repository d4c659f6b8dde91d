package icd

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/core"
)

type explanation = explain.Explanation

// explaining watches samples of the picture of one frame, or of other images, from the
// time when the frame before since has been presented until its own is.
type explaining struct {
	frame  int
	since  int // the frame itself, or an earlier one: from 1
	to     string
	points []explainPoint
	try    *tried // nil: commands are carried out as they are
	watch  func(*core.Device, []core.WatchPoint) (watcher, error)

	read core.Readbacks // of all devices

	mu       sync.Mutex
	open     bool // the frame before since has been presented
	done     bool
	devices  map[*Device]*watched
	err      error             // the first
	names    map[string]string // labels of images to the names that the program gave them
	ordinals int
}

// tried is a change that one draw is carried out with.
type tried struct {
	ordinal int // as explanations count
	explain.Change
}

// explainPoint is a sample to explain. image is the ordinal of an image, from 1 in the
// order in which the process makes them; 0 is the one that the frame presents.
type explainPoint struct {
	image, level, layer, x, y, sample int
	shader                            bool
	word                              *core.Storage // a word of a storage buffer instead, from byte offset on
	offset                            uint64
}

// newExplaining takes over what PUMICE_EXPLAIN and PUMICE_EXPLAIN_OUT say.
func newExplaining(text, to string) (*explaining, error) {
	e, err := parseExplain(text)
	if err != nil {
		return nil, err
	}
	if to == "" {
		return nil, errors.New("no PUMICE_EXPLAIN_OUT names a file for the explanations")
	}
	e.to, e.watch, e.open = to, watch, e.since == 1
	e.names, e.devices = map[string]string{}, map[*Device]*watched{}
	return e, nil
}

// parseExplain reads "frame=N,pixel=X,Y[,sample=S][,shader][,image=I][,level=L][,layer=A]"
// with further pixels, each with all that belongs to it, behind semicolons. since=M is a
// frame from which on they are watched, word=NAME/BYTE or word=SET/BINDING/BYTE[,dispatch=N] in the
// place of a pixel a word of a storage buffer, try=ORDINAL/STATE/VALUE a change of a hint, with a +
// for each comma and space of its value.
func parseExplain(text string) (*explaining, error) {
	e := &explaining{}
	for group := range strings.SplitSeq(text, ";") {
		p, pixels, dispatch := explainPoint{}, 0, -1
		words := strings.Split(group, ",")
		for i := 0; i < len(words); i++ {
			key, value, _ := strings.Cut(words[i], "=")
			into := map[string]*int{"frame": &e.frame, "since": &e.since, "pixel": &p.x, "sample": &p.sample,
				"image": &p.image, "level": &p.level, "layer": &p.layer, "dispatch": &dispatch}[key]
			switch {
			case words[i] == "shader":
				p.shader = true
				continue
			case key == "word":
				if p.word, p.offset = parseWord(value); p.word == nil {
					return nil, fmt.Errorf("%q: want word=NAME/BYTE or word=SET/BINDING/BYTE", text)
				}
				pixels++
				continue
			case key == "try":
				if e.try = parseTry(value); e.try == nil {
					return nil, fmt.Errorf("%q: want try=ORDINAL/STATE/VALUE", text)
				}
				continue
			case into == nil:
				return nil, fmt.Errorf("%q: %q is none of frame=, since=, try=, pixel=, word=, dispatch=, sample=, shader, image=, level=, layer=", text, words[i])
			}
			ok := number(value, into)
			if key == "pixel" {
				i++
				pixels++
				ok = ok && i < len(words) && number(words[i], &p.y)
			}
			if !ok {
				return nil, fmt.Errorf("%q: want frame=N,pixel=X,Y with whole numbers", text)
			}
		}
		if pixels != 1 {
			return nil, fmt.Errorf("%q: want one pixel=X,Y between semicolons", text)
		}
		if p.word != nil {
			p.word.Dispatch = dispatch
		}
		e.points = append(e.points, p)
	}
	if e.frame < 1 {
		return nil, fmt.Errorf("%q: want frame=N, from 1 on", text)
	}
	if e.since < 1 || e.since > e.frame {
		e.since = e.frame
	}
	return e, nil
}

// parseWord reads "NAME/BYTE" or "SET/BINDING/BYTE"; nil: it is something else.
func parseWord(text string) (*core.Storage, uint64) {
	words := strings.Split(text, "/")
	var offset, set, binding int
	if !number(words[len(words)-1], &offset) {
		return nil, 0
	}
	switch {
	case len(words) == 2 && words[0] != "":
		return &core.Storage{Name: words[0]}, uint64(offset)
	case len(words) == 3 && number(words[0], &set) && number(words[1], &binding):
		return &core.Storage{Set: uint32(set), Binding: uint32(binding)}, uint64(offset)
	}
	return nil, 0
}

// parseTry reads "ORDINAL/STATE/VALUE"; nil: it is something else.
func parseTry(text string) *tried {
	words := strings.Split(text, "/")
	t := &tried{}
	if len(words) != 3 || !number(words[0], &t.ordinal) {
		return nil
	}
	t.Change = explain.Change{State: words[1], Value: strings.ReplaceAll(words[2], "+", ", ")}
	return t
}

// number reads a whole number that is not negative.
func number(text string, into *int) bool {
	n, err := strconv.ParseUint(text, 10, 31)
	*into = int(n)
	return err == nil
}

// name gives an image its ordinal, by which explanations name it; the label stays as it
// is where nothing is explained.
func (e *explaining) name(label string) (name string, ordinal int) {
	if e == nil {
		return label, 0
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ordinals++
	return strings.TrimSpace(label + " #" + strconv.Itoa(e.ordinals)), e.ordinals
}

// call notes the name that a program gives an image.
func (e *explaining) call(im *Image, name string) {
	if e != nil && im != nil && name != "" {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.names["#"+strconv.Itoa(im.ordinal)] = name
	}
}

// readbacks are those of the process; nil where nothing is explained.
func (e *explaining) readbacks() *core.Readbacks {
	if e == nil {
		return nil
	}
	return &e.read
}

// begin lets watching begin.
func (e *explaining) begin() {
	e.mu.Lock()
	e.open = true
	e.mu.Unlock()
}

// look watches those images that are to be watched and are not yet, before a device
// carries commands out. Nobody knows which image of a swapchain the frame will present:
// all are watched.
func (e *explaining) look(d *Device) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open && !e.done && e.err == nil {
		e.extend(d)
	}
}

// extend watches what is there by now. The caller holds mu.
func (e *explaining) extend(d *Device) {
	w := e.devices[d]
	if w == nil {
		w = &watched{}
		e.devices[d] = w
	}
	var presented []*Image
	for _, s := range d.swapchains.All() {
		for n := range s.images {
			presented = append(presented, d.images.Get(uint64(s.images[n].handle)))
		}
	}
	at, points := slices.Clone(w.at), slices.Clone(w.points)
	for _, im := range d.images.All() {
		if !im.core.Bound() || slices.ContainsFunc(w.at, func(p core.WatchPoint) bool { return p.Image == im.core }) {
			continue
		}
		for n, p := range e.points {
			if p.word != nil || p.image != im.ordinal && (p.image != 0 || !slices.Contains(presented, im)) {
				continue
			}
			if err := p.within(im); err != nil {
				if p.image != 0 { // a picture may have another size when the frame comes
					e.err = err
				}
				continue
			}
			points = append(points, n)
			at = append(at, core.WatchPoint{Image: im.core, Level: p.level, Layer: p.layer, X: p.x, Y: p.y,
				Sample: p.sample, Shader: true, Quad: p.shader, Stages: p.shader})
		}
	}
	for n, p := range e.points {
		if p.word != nil && !slices.ContainsFunc(w.at, func(o core.WatchPoint) bool { return o.Bound == p.word }) {
			points = append(points, n)
			at = append(at, core.WatchPoint{Bound: p.word, Offset: p.offset, Shader: p.shader, Stages: p.shader})
		}
	}
	if len(at) == len(w.at) || e.err != nil {
		return
	}
	w.end() // a device has one watcher at a time
	again := w.at != nil
	w.at, w.points = at, points
	if w.watcher, e.err = e.watch(d.core, at); e.err == nil && e.try != nil {
		if again { // ordinals begin anew
			e.err = errors.New("images are made while the frame is drawn: no change of a draw is tried")
			return
		}
		e.err = w.watcher.Change("explanation", e.try.ordinal, e.try.Change)
	}
}

// watched is what is watched of a device: samples, and the point that each of them is.
type watched struct {
	watcher watcher // nil: none
	at      []core.WatchPoint
	points  []int
	told    []*explanation // of at
	beside  []*explanation // of samples that were resolved to those
}

// end ends watching, and takes what has been told since it began, or began anew.
func (w *watched) end() {
	if w.watcher == nil {
		return
	}
	for i, x := range w.watcher.End() {
		list, n := &w.told, i
		if i >= len(w.at) {
			list = &w.beside
			n = slices.IndexFunc(w.beside, func(b *explanation) bool { return b.Target == x.Target })
		}
		if n < 0 || n >= len(*list) {
			*list = append(*list, x)
			continue
		}
		old := (*list)[n]
		old.After, old.Events, old.Dropped = x.After, append(old.Events, x.Events...), old.Dropped+x.Dropped
		explain.Judge(old)
	}
	w.watcher = nil
}

// within says that the image has the sample.
func (p explainPoint) within(im *Image) error {
	i := im.core.Info()
	width, height := max(1, int(i.Extent.Width)>>p.level), max(1, int(i.Extent.Height)>>p.level)
	layers := max(i.ArrayLayers, int(i.Extent.Depth)>>p.level)
	switch {
	case p.level >= i.MipLevels || p.layer >= layers:
		return fmt.Errorf("level %d, layer %d of an image of %d levels, %d layers", p.level, p.layer, i.MipLevels, layers)
	case p.x >= width || p.y >= height:
		return fmt.Errorf("pixel %d,%d is outside the picture of %d×%d", p.x, p.y, width, height)
	case p.sample >= i.Samples:
		return fmt.Errorf("sample %d of %d", p.sample, i.Samples)
	}
	return nil
}

// finish writes the explanations when the frame is presented, and its picture.
func (e *explaining) finish(s *Swapchain, im *swapchainImage, img *image.NRGBA) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done {
		return nil
	}
	e.done = true
	// No command may have been carried out for the frame, and on other devices, which are not in step
	// with what this one presents, none for a while.
	for _, d := range s.device.driver.devices.All() {
		if e.err == nil {
			e.extend(d)
		}
	}
	shown := s.device.images.Get(uint64(im.handle))
	found, beside := make([]*explanation, len(e.points)), []*explanation(nil)
	for _, w := range e.devices {
		w.end()
		for i, x := range w.told {
			n := w.points[i]
			if e.points[n].word != nil && found[n] != nil && len(x.Events) == 0 {
				continue // another device has no such buffer
			}
			if e.points[n].word != nil || e.points[n].image != 0 || shown != nil && w.at[i].Image == shown.core {
				found[n] = x
			}
		}
		beside = append(beside, w.beside...)
	}
	if e.err != nil {
		return e.err
	}
	for n, x := range found {
		switch p := e.points[n]; {
		case x != nil:
		case p.image != 0:
			return fmt.Errorf("there is no image #%d in frame %d", p.image, e.frame)
		case shown != nil && p.within(shown) != nil:
			return p.within(shown)
		default:
			return fmt.Errorf("the image of frame %d is gone", e.frame)
		}
	}
	for _, x := range beside {
		if slices.ContainsFunc(found[:len(e.points)], func(to *explanation) bool { return resolvedFrom(to, x) }) {
			found = append(found, x)
		}
	}
	asked := slices.ContainsFunc(e.points, func(p explainPoint) bool { return p.shader })
	for n, x := range found {
		e.nameImages(x)
		if x.Verdict == nil {
			explain.Judge(x)
		}
		// Verdicts speak of all shaders.
		if n < len(e.points) && !e.points[n].shader || !asked {
			x.WithoutShaders()
		}
	}
	if err := writePicture(e.to+".png", img); err != nil {
		return err
	}
	return writeWhole(e.to, func(w io.Writer) error { return json.NewEncoder(w).Encode(found) })
}

// resolvedFrom says that a sample is one of those that another was resolved from.
func resolvedFrom(to, x *explanation) bool {
	return slices.ContainsFunc(to.Events, func(e explain.Event) bool {
		if e.Kind != explain.Resolve || e.From == nil {
			return false
		}
		at := *e.From
		at.Sample = x.Target.Sample
		return at == x.Target
	})
}

// nameImages adds the names that the program gave its images: "#7 (albedo)".
func (e *explaining) nameImages(x *explanation) {
	name := func(t *explain.Target) {
		if i := strings.LastIndexByte(t.Image, '#'); i >= 0 && e.names[t.Image[i:]] != "" {
			t.Image += " (" + e.names[t.Image[i:]] + ")"
		}
	}
	name(&x.Target)
	for i := range x.Events {
		v := &x.Events[i]
		if v.From != nil {
			name(v.From)
		}
		if v.Draw == nil {
			continue
		}
		for k := range v.Draw.Fragments {
			for m := range v.Draw.Fragments[k].Images {
				if of := v.Draw.Fragments[k].Images[m].Of; of != nil {
					name(of)
				}
			}
		}
	}
}
