package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
)

// point is a sample of a picture to explain; shader asks for the shader step by step.
type point struct {
	x, y, sample int
	shader       bool
	// word is a word of a storage buffer instead, as PUMICE_EXPLAIN has it; dispatch may be which has
	// it.
	word, dispatch string
}

// maxHops is how many copies, blits and resolves are followed from a picture to where its
// sample was drawn.
const maxHops = 4

// explainCapture replays a capture and explains samples of the picture of a frame; 0 is
// the last. Where what is seen was copied, the explanation of the sample that it came
// from follows: those of a point stand side by side, the presented one first. It returns
// the picture, too.
//
// gfxrecon-replay draws into images of its own in the place of the swapchain's, and
// presents copies of them, made by a blit: that one, which the program knows nothing of,
// is left out.
func explainCapture(w *work, file string, frame int, points []point) (image.Image, []*explain.Explanation, error) {
	p, err := newReplay(w, file)
	if err != nil {
		return nil, nil, err
	}
	defer p.close()
	if frame, err = p.number(frame); err != nil {
		return nil, nil, err
	}
	chains := make([][]*explain.Explanation, len(points))
	at := make([]sought, len(points))
	for i, q := range points {
		at[i] = sought{chain: i, x: q.x, y: q.y, sample: q.sample, shader: q.shader, word: q.word, dispatch: q.dispatch}
	}
	var picture image.Image
	for hop := 0; len(at) > 0; hop++ {
		w.doing = fmt.Sprintf("explaining frame %d of %s, replay %d", frame, file, hop+1)
		list, img, err := p.explain(w, frame, at)
		if err != nil {
			return nil, nil, err
		}
		if picture == nil {
			picture = img
		}
		var next []sought
		for i, x := range list[:len(at)] {
			from, chain := source(x), &chains[at[i].chain]
			if hop > 0 || from == nil || !presentsCopy(x, from) {
				*chain = append(*chain, x)
			}
			if from == nil {
				continue
			}
			resolved := false
			for _, y := range list[len(at):] { // the samples that a pass has resolved to it are here already
				if sameTexel(from, &y.Target) {
					resolved = true
					*chain = append(*chain, y)
				}
			}
			if resolved || len(*chain) > maxHops {
				continue
			}
			s := at[i]
			s.level, s.layer, s.x, s.y, s.sample = from.Level, from.Layer, from.X, from.Y, from.Sample
			if s.image = ordinal(from.Image); s.image != 0 {
				next = append(next, s)
			}
		}
		at = next
	}
	var all []*explain.Explanation
	for _, c := range chains {
		all = append(all, c...)
	}
	return picture, all, nil
}

// sought is a sample to explain in one replay: of the presented image, or of the image
// with an ordinal, which is the same in all replays of a capture.
type sought struct {
	chain                             int // whose point it is
	image, level, layer, x, y, sample int
	shader                            bool
	at                                *explain.Target // that it was made of; nil: of a point
	early                             bool            // from the first frame on
	try                               *explain.Hint   // whose change a draw has; nil: none
	word, dispatch                    string          // as of a point
}

// String is how PUMICE_EXPLAIN says it.
func (s sought) String() string {
	text := fmt.Sprintf("pixel=%d,%d,sample=%d", s.x, s.y, s.sample)
	if s.word != "" {
		if text = "word=" + s.word; s.dispatch != "" {
			text += ",dispatch=" + s.dispatch
		}
	}
	if s.image != 0 {
		text += fmt.Sprintf(",image=%d,level=%d,layer=%d", s.image, s.level, s.layer)
	}
	if s.shader {
		text += ",shader"
	}
	return text
}

// explain replays up to a frame and returns an explanation for each sample, behind them those
// of samples that were resolved to them, and the picture.
func (p *replay) explain(w *work, frame int, at []sought) ([]*explain.Explanation, image.Image, error) {
	request, asked := []string(nil), ""
	for _, s := range at {
		request = append(request, s.String())
		if s.early {
			asked = "since=1,"
		}
		if h := s.try; h != nil {
			value := strings.ReplaceAll(h.Change.Value, ", ", "+")
			asked += fmt.Sprintf("try=%d/%s/%s,", h.Ordinal, h.Change.State, value)
		}
	}
	file := p.file("explained")
	picture := file + ".png"
	err := p.run(w.ctx, frame, []string{file, picture}, "PUMICE_EXPLAIN_OUT="+file,
		fmt.Sprintf("PUMICE_EXPLAIN=frame=%d,%s%s", p.counted(frame), asked, strings.Join(request, ";")))
	if err != nil {
		return nil, nil, err
	}
	list, err := readExplanations(file)
	if err != nil {
		return nil, nil, err
	}
	if len(list) < len(at) {
		return nil, nil, fmt.Errorf("%s: %d explanations of %d samples", p.path, len(list), len(at))
	}
	img, err := readPicture(picture)
	return list, img, err
}

func readPicture(path string) (image.Image, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return png.Decode(bytes.NewReader(data))
}

// source is where the value of an explained sample was copied from; nil: it was not.
func source(x *explain.Explanation) *explain.Target {
	if e, _ := x.Writer(nil); e != nil {
		return e.From
	}
	return nil
}

// sameTexel says that two samples are of one texel.
func sameTexel(a, b *explain.Target) bool {
	return a.Image == b.Image && a.X == b.X && a.Y == b.Y && a.Level == b.Level && a.Layer == b.Layer
}

// presentsCopy says that an image shows a copy of another one as it is, and nothing else.
func presentsCopy(x *explain.Explanation, from *explain.Target) bool {
	for _, e := range x.Events {
		if e.Outcome == explain.Wrote && e.Kind != explain.Copy && e.Kind != explain.Blit {
			return false
		}
	}
	return from.Width == x.Target.Width && from.Height == x.Target.Height && from.X == x.Target.X && from.Y == x.Target.Y && from.Format == x.Target.Format
}

var ordinalPattern = regexp.MustCompile(`#(\d{1,9})( \(|$)`)

// ordinal reads the ordinal of an image from its name, "#7 (albedo)"; 0: none.
func ordinal(label string) int {
	m := ordinalPattern.FindStringSubmatch(label)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}
