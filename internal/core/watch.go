package core

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/internal/render/watch"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// WatchPoint is a sample of an image to watch: X and Y are texels of the level, Layer is the
// array layer, or the slice of a 3D image. Shader asks for the fragment shader, instruction by
// instruction, Quad for the same in the invocation's quad, and Stages for the stages before and for
// shaders that store there. With a Buffer instead of an image it is the word of 32 bits from byte
// Offset on, with Bound that of the storage buffer that a dispatch or a draw has.
type WatchPoint struct {
	Image                      *Image
	Level, Layer, X, Y, Sample int
	Buffer                     *Buffer
	Bound                      *Storage
	Offset                     uint64
	Shader, Quad, Stages       bool
}

// Storage is a storage buffer of a shader: by its name, or where that is empty by set and binding.
// Dispatch is which of those that are watched, from 0; below 0: the first dispatch or draw that has
// the resource.
type Storage struct {
	Name         string
	Set, Binding uint32
	Dispatch     int
}

// Watcher collects what commands do to samples.
type Watcher struct {
	dev    *Device
	op     Op
	points []*watched
	steps  atomic.Int64 // instructions of fragment shaders that may still be told
	// stageSteps are those of the stages before.
	stageSteps atomic.Int64
	traces     bool // they are told of all samples: verdicts say what a shader made its output of
	draws      int  // of the passes so far that draw to a sample
	dispatches int  // so far
	// changes are what draws have otherwise, by their ordinals; set before the first command.
	changes map[int][]change
}

// watched is a sample and its history.
type watched struct {
	WatchPoint
	e       explain.Explanation
	last    explain.Value
	derived bool // a sample that was resolved to a watched one
	kept    int  // fragments of its events
	found   word // of Bound
}

// MaxWatches is how many samples can be watched together, those that resolves bring in among them.
const MaxWatches = 1024

// MaxTold is how many instructions of fragment shaders are told, of all samples together, and a
// quarter as many of the stages before.
const MaxTold = 1 << 18

// maxTraced is how many samples verdicts speak of shaders for, where nobody asked for instructions.
const maxTraced = 16

// share is how much of what all samples keep together one of them does.
func (w *Watcher) share(all int) int { return max(all/max(len(w.points), 1), 64) }

// Watch makes what queues carry out from now on tell of samples, until End. One Watcher at a time.
func (d *Device) Watch(op Op, at []WatchPoint) (*Watcher, error) {
	if len(at) > MaxWatches {
		return nil, &Error{
			Op:     d.named(op),
			Rule:   "WatchPoint",
			Detail: fmt.Sprintf("%d samples to watch; %d is the limit", len(at), MaxWatches),
			Err:    ErrUnsupported,
		}
	}
	w := &Watcher{dev: d, op: op}
	for i := range at {
		if (at[i].Shader || at[i].Stages) && !d.cfg.Explain {
			return nil, &Error{
				Op:     d.named(op),
				Rule:   "explanation",
				Detail: "the device keeps nothing of shaders",
				Hint:   "open it for explanations",
			}
		}
		if err := d.checkWatch(op, &at[i]); err != nil {
			return nil, err
		}
		w.points = append(w.points, &watched{WatchPoint: at[i]})
	}
	w.steps.Store(MaxTold)
	w.stageSteps.Store(MaxTold / 4)
	err := d.run(context.Background(), op, nil, func(context.Context) error {
		if d.watcher != nil {
			return &Error{
				Op:     d.named(op),
				Rule:   "Watch",
				Detail: "samples are being watched already",
				Hint:   "end the other watch first",
			}
		}
		for _, p := range w.points {
			p.begin()
		}
		w.traces = d.cfg.Explain && len(at) <= maxTraced
		d.watcher = w
		return nil
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// checkWatch says what is there instead of a sample that is not.
func (d *Device) checkWatch(op Op, p *WatchPoint) error {
	bad := func(hint, text string, args ...any) error {
		return &Error{
			Op:     d.named(op),
			Rule:   "WatchPoint",
			Detail: fmt.Sprintf(text, args...),
			Hint:   hint,
		}
	}
	if p.Image == nil && p.Bound != nil {
		return nil
	}
	if p.Image == nil && p.Buffer != nil {
		return d.checkWord(op, p)
	}
	if p.Image == nil {
		return nilObject(op, "image")
	}
	if err := p.Image.use(d, op); err != nil {
		return err
	}
	im := p.Image.res
	if p.Level < 0 || p.Level >= im.MipLevels {
		return bad("", "level %d of %s, which has %d", p.Level, p.Image.label(), im.MipLevels)
	}
	l := &im.Layout.Planes[0].Levels[p.Level]
	if p.X < 0 || p.Y < 0 || p.X >= l.Width || p.Y >= l.Height {
		return bad("", "(%d, %d) lies outside of %s: its level %d has %d×%d texels", p.X, p.Y,
			p.Image.label(), p.Level, l.Width, l.Height)
	}
	layers := im.ArrayLayers
	if im.Type == vk.ImageType3D {
		layers = l.Depth
	}
	switch {
	case p.Layer < 0 || p.Layer >= layers:
		return bad("", "layer %d of %s, which has %d", p.Layer, p.Image.label(), layers)
	case p.Sample < 0 || p.Sample >= im.Samples:
		return bad("", "sample %d of %s, which has %d", p.Sample, p.Image.label(), im.Samples)
	case !im.Bound():
		return bad("bind memory to it", "%s has no memory", p.Image.label())
	}
	return nil
}

// End ends watching, once the work submitted so far is done, and returns an explanation for each
// point, in their order, and behind them those of samples that were resolved to them.
func (w *Watcher) End() []*explain.Explanation {
	_ = w.dev.run(context.Background(), w.op, nil, func(context.Context) error {
		w.look("after the last command")
		w.dev.watcher = nil
		return nil
	})
	out := make([]*explain.Explanation, len(w.points))
	for i, p := range w.points {
		p.e.After = p.last
		if p.Image != nil && p.Image.res.Bound() && p.packed() {
			p.e.Stored, _ = p.stored()
		}
		explain.Judge(&p.e)
		if p.Bound != nil && p.found.data == nil {
			p.e.Verdict = []string{p.Bound.nowhere()}
		}
		if out[i] = &p.e; w.traces && !p.Shader {
			p.e.WithoutShaders()
		}
	}
	return out
}

func (p *watched) begin() {
	p.e.Target = p.target()
	p.e.Before = p.value()
	p.last = p.e.Before
}

// target describes the sample.
func (p *watched) target() explain.Target {
	if p.Image == nil {
		return p.word()
	}
	return p.WatchPoint.target()
}

// target describes a sample of an image.
func (p *WatchPoint) target() explain.Target {
	im := p.Image.res
	l := &im.Layout.Planes[0].Levels[p.Level]
	return explain.Target{
		Image: cmp.Or(p.Image.name, p.Image.kind), Format: im.Format.String(), Width: l.Width, Height: l.Height,
		X: p.X, Y: p.Y, Level: p.Level, Layer: p.Layer, Sample: p.Sample, Samples: im.Samples,
	}
}

// value is what the sample holds now.
func (p *watched) value() explain.Value {
	if p.Image == nil {
		return wordValue(p.memory())
	}
	return p.WatchPoint.value()
}

func (p *WatchPoint) value() explain.Value {
	im := p.Image.res
	if !im.Bound() {
		return explain.Value{}
	}
	bytes := func(aspect vk.ImageAspectFlags) []byte {
		plane := im.PlaneOf(aspect)
		if plane < 0 {
			return nil
		}
		layer, slice := p.Layer, 0
		if im.Type == vk.ImageType3D {
			layer, slice = 0, p.Layer
		}
		l := im.Level(plane, p.Level, layer)
		return l.Data[l.Offset(p.X, p.Y, slice, p.Sample):][:l.Bytes]
	}
	if p.packed() {
		return p.packedValue()
	}
	if im.Info.Aspects&vk.ImageAspectColorBit != 0 {
		return watch.ColorValue(im.Info, bytes(vk.ImageAspectColorBit))
	}
	f, err := fragops.DepthFormatOf(im.Format)
	if err != nil {
		return explain.Value{}
	}
	return watch.DepthValue(f, bytes(vk.ImageAspectDepthBit), bytes(vk.ImageAspectStencilBit))
}

// add appends an event of a sample. Of many the older half goes, and of fragments those of the older events.
func (w *Watcher) add(p *watched, e explain.Event) {
	p.last = e.After
	w.keepShader(p, e.Shader)
	if e.Draw != nil {
		p.kept += len(e.Draw.Fragments)
	}
	p.e.Events = append(p.e.Events, e)
	if most := w.share(watch.WatchedEvents); len(p.e.Events) > most {
		p.e.Dropped += len(p.e.Events) - most/2
		p.strip(p.e.Events[:len(p.e.Events)-most/2], 0)
		p.e.Events = slices.Clone(p.e.Events[len(p.e.Events)-most/2:])
	}
	if most := w.share(watch.WatchedFragments); p.kept > most {
		p.strip(p.e.Events, most/2)
	}
}

// strip takes fragments out of events, from the first on, until the sample has at most n.
func (p *watched) strip(events []explain.Event, n int) {
	left := watch.Strip(events, p.kept, n)
	p.e.Dropped += p.kept - left
	p.kept = left
}

// look finds samples that something else than commands has written since the last.
func (w *Watcher) look(where string) {
	w.found(
		where,
		"the memory was written from outside of this queue's commands: by the host, or through another resource",
	)
}

// found tells of samples that have another value than at the last look.
func (w *Watcher) found(where, how string) {
	for _, p := range w.points {
		if now := p.value(); now.Bits != p.last.Bits {
			w.add(
				p,
				explain.Event{
					Kind:    explain.Host,
					Where:   where,
					Outcome: explain.Wrote,
					Before:  p.last,
					After:   now,
					Steps:   []explain.Step{{Text: how}},
				},
			)
		}
	}
}

// about says what a transfer does, for those who watch.
type about struct {
	op   string
	kind explain.Kind
	// into finds the region that holds a sample, and where it takes the value from (nil: from
	// no image).
	into func(p *WatchPoint) (from *explain.Target, ok bool)
	// reads and fills are what copies between images and buffers move; nil: it is none.
	reads, fills *bufferCopy
	// bytes is how many it writes at most; 0 where nobody has counted.
	bytes uint64
	// writers are who wrote samples in a dispatch, where somebody asks.
	writers map[*watched]*render.Written
	missing string // why there are none
}

// told carries out a transfer or dispatch, and tells what it did.
func (w *Watcher) told(r *runner, a *about, where string, run func() error) error {
	w.look("before " + where)
	err := run()
	for _, p := range w.points {
		e := explain.Event{
			Kind:    a.kind,
			Where:   where,
			Pass:    r.passes,
			Index:   r.transfers,
			Labels:  slices.Clone(r.labels),
			Outcome: explain.Wrote,
			Before:  p.last,
			After:   p.value(),
		}
		hit := false
		if a.into != nil {
			e.From, hit = a.into(&p.WatchPoint)
		}
		if b := r.dev.cfg.Readbacks; hit && err == nil && a.fills != nil && b != nil {
			e.From, e.Through = b.find(a.fills, &p.WatchPoint)
		}
		if o := a.writers[p]; o != nil && o.Shader != nil {
			e.Shader, hit = o.Shader, true
		}
		if !hit && e.After.Bits == e.Before.Bits {
			continue
		}
		if e.Kind == "" {
			e.Kind = explain.Copy
		}
		if a.missing != "" && p.Stages {
			e.Shader = &explain.Shader{Stage: "compute", Missing: a.missing}
		}
		text := a.op
		if f := e.From; f != nil {
			text = fmt.Sprintf("%s from %s, (%d, %d), level %d, layer %d", a.op, f.Image, f.X, f.Y,
				f.Level, f.Layer)
		}
		if e.Through != "" {
			text = a.op + ": " + e.Through
		}
		rule := ""
		if e.Kind == explain.Resolve {
			rule = "RAS-355"
		}
		e.Steps = []explain.Step{explain.NewStep(rule, text)}
		w.add(p, e)
	}
	return err
}

// pass gives a pass its watches; done takes what they tell.
func (w *Watcher) pass(r *runner, p *render.Pass) (done func()) {
	w.look(fmt.Sprintf("before command buffer %d, render pass %d", r.number, r.passes-1))
	var owner []*watched
	add := func(of *watched, v watch.Watch) {
		v.X, v.Y, v.Shader, v.Quad = int32(of.X), int32(of.Y), of.Shader || w.traces, of.Quad
		v.Stages, v.Steps, v.StageSteps = of.Stages, &w.steps, &w.stageSteps
		p.Watches, owner = append(p.Watches, &v), append(owner, of)
	}
	for i := 0; i < len(w.points); i++ { // those that derive brings in among them
		of := w.points[i]
		for k := range p.Color {
			if w.attach(r, of, &p.Color[k], k, add) {
				break
			}
		}
		for _, a := range []*render.Attachment{p.Depth, p.Stencil} {
			if a != nil && w.attach(r, of, a, watch.DepthStencil, add) {
				break
			}
		}
	}
	first := w.draws
	if len(p.Watches) > 0 {
		w.draws += len(p.Draws)
		w.change(p, first)
	}
	memory := w.memory(r, p)
	return func() {
		for i, v := range p.Watches {
			owner[i].e.Dropped += v.Dropped
			now := owner[i].value()
			for _, e := range v.Events {
				e.Pass = r.passes - 1
				if e.Kind == explain.Resolve {
					e.From = w.sourceOf(p, v)
				}
				at := e.Index
				e.Labels = r.labelsOf(p, at)
				if at >= 0 {
					e.Ordinal = first + at
				}
				if e.Kind == explain.Draw {
					e.Index = r.drawNumber(p, at)
				}
				e.Where = r.whereOf(p, at, &e)
				e.Before, e.After = whole(e.Before, now), whole(e.After, now)
				for _, text := range r.misreads[at] {
					s := explain.NewStep("IMG-110", text+": a barrier is missing")
					s.Failed = true
					e.Steps = append(e.Steps, s)
				}
				w.add(owner[i], e)
			}
		}
		p.Watches = nil
		clear(r.misreads)
		w.tellStores(r, p, memory)
		w.found("in the render pass",
			"a shader of the pass stored to it, or another attachment is the same memory")
	}
}

// whole completes a value by the aspect, depth or stencil, that the pass does not attach: it stays what it is now.
func whole(v, now explain.Value) explain.Value {
	depth, stencil, both := strings.Cut(now.Bits, " ")
	if !both || v.Bits == "" || strings.Contains(v.Bits, " ") {
		return v
	}
	depthText, stencilText, _ := strings.Cut(now.Text, " · ")
	if len(v.Bits) == len(stencil) {
		v.Bits, v.Text = depth+" "+v.Bits, depthText+" · "+v.Text
	} else {
		v.Bits, v.Text = v.Bits+" "+stencil, v.Text+" · "+stencilText
	}
	return v
}

// attach gives a sample its watch where it is one of an attachment, or of what that is resolved to.
func (w *Watcher) attach(
	r *runner,
	of *watched,
	a *render.Attachment,
	number int,
	add func(*watched, watch.Watch),
) bool {
	if layer, ok := of.in(a.View); ok {
		add(of, watch.Watch{Attachment: number, Layer: layer, Sample: of.Sample})
		return true
	}
	layer, ok := of.in(a.Resolve)
	if ok = ok && a.ResolveMode != vk.ResolveModeNone; ok {
		add(of, watch.Watch{Attachment: number, Layer: layer, Resolved: true})
		w.derive(r, of, a.View, layer)
	}
	return ok
}

// transition tells of an image layout transition that need not keep what a sample holds, or that begins at another layout
// (wrong) than the image has.
func (w *Watcher) transition(
	r *runner,
	op Op,
	im *Image,
	g vk.ImageSubresourceRange,
	from, to, wrong vk.ImageLayout,
	found bool,
) {
	name := fmt.Sprint(to)
	if to == someLayout {
		name = "the layout that the pass draws in"
	}
	text := fmt.Sprintf(
		"a transition from UNDEFINED to %s need not keep the contents; here they stay as they were",
		name,
	)
	switch {
	case found:
		text = fmt.Sprintf(
			"a transition from %v to %s; it is in %v: another barrier is missing, or this one is wrong",
			from,
			name,
			wrong,
		)
	case from != vk.ImageLayoutUndefined:
		return
	}
	among := func(at int, base, n uint32) bool { // all that remain is the largest number
		return at >= int(base) && uint64(at) < uint64(base)+uint64(n)
	}
	for _, p := range w.points {
		if p.Image != im || !among(p.Level, g.BaseMipLevel, g.LevelCount) ||
			!among(p.Layer, g.BaseArrayLayer, g.LayerCount) && im.res.Type != vk.ImageType3D {
			continue
		}
		w.add(p, explain.Event{
			Kind: explain.Barrier, Where: fmt.Sprintf("command buffer %d, transfer %d (%s)", r.number, r.transfers, op), Pass: r.passes, Index: r.transfers,
			Labels: slices.Clone(r.labels), Outcome: explain.Unchanged, Reason: text, Before: p.last, After: p.last, Steps: []explain.Step{{Text: text, Failed: found}},
		})
	}
}

// in says whether a view that a pass draws to has the sample, and in which of its layers.
func (p *WatchPoint) in(v *resource.ImageView) (layer int, ok bool) {
	if v == nil || p.Image == nil || v.Image != p.Image.res || v.BaseLevel != p.Level ||
		p.Layer < v.BaseLayer ||
		p.Layer >= v.BaseLayer+v.Layers {
		return 0, false
	}
	return p.Layer - v.BaseLayer, true
}

// derive watches the samples that a pass resolves to a watched one.
func (w *Watcher) derive(r *runner, of *watched, v *resource.ImageView, layer int) {
	if v == nil {
		return
	}
	from := r.imageOf(v)
	if from == nil {
		return
	}
	for k := range v.Image.Samples {
		at := WatchPoint{
			Image:  from,
			Level:  v.BaseLevel,
			Layer:  v.BaseLayer + layer,
			X:      of.X,
			Y:      of.Y,
			Sample: k,
			Shader: of.Shader,
			Quad:   of.Quad,
			Stages: of.Stages,
		}
		if len(w.points) >= MaxWatches ||
			slices.ContainsFunc(w.points, func(p *watched) bool { return p.WatchPoint == at }) {
			continue
		}
		if w.dev.checkWatch(w.op, &at) != nil {
			return // what is resolved is smaller than its target: the sample comes from nowhere
		}
		p := &watched{WatchPoint: at, derived: true}
		p.begin()
		w.points = append(w.points, p)
	}
}

// imageOf is the image of an attachment of the pass that runs.
func (r *runner) imageOf(v *resource.ImageView) (im *Image) {
	_ = r.info.eachView(func(a *ImageView) error {
		if a.view == v {
			im = a.image
		}
		return nil
	})
	return im
}

// sourceOf is where a resolve takes its samples from.
func (w *Watcher) sourceOf(p *render.Pass, v *watch.Watch) *explain.Target {
	a := p.Depth
	if v.Attachment >= 0 {
		a = &p.Color[v.Attachment]
	}
	if a == nil {
		return nil
	}
	for _, o := range w.points {
		if o.derived && a.View != nil && o.Image.res == a.View.Image && o.X == int(v.X) &&
			o.Y == int(v.Y) &&
			o.Sample == 0 {
			t := o.target()
			return &t
		}
	}
	return nil
}

// whereOf names an event of a pass, shortly: with its innermost region or the name of its pipeline.
func (r *runner) whereOf(p *render.Pass, at int, e *explain.Event) string {
	place := fmt.Sprintf("pass %d", r.passes-1)
	if r.number > 0 {
		place = fmt.Sprintf("command buffer %d, %s", r.number, place)
	}
	name := ""
	switch {
	case at < 0:
		return place + ", " + string(e.Kind)
	case p.Draws[at].Clear != nil:
		place += ", clear of attachments"
	default:
		place += fmt.Sprintf(", draw %d", e.Index)
		if p := pipelineOf(r.table, p.Draws[at].Pipeline); p != nil {
			name = p.name
		}
	}
	if len(e.Labels) > 0 {
		name = e.Labels[len(e.Labels)-1]
	}
	if name != "" {
		place += " (" + name + ")"
	}
	return place
}

// labelsOf are the regions that a draw of a pass is in.
func (r *runner) labelsOf(p *render.Pass, draw int) []string {
	path := ""
	if draw >= 0 {
		path = strings.TrimPrefix(r.regionsOf(p, draw), ", in ")
	}
	if path == "" {
		return nil
	}
	return strings.Split(path, " / ")
}

// region is a part of an image that a transfer writes.
type region struct {
	layers vk.ImageSubresourceLayers
	at     vk.Offset3D
	extent vk.Extent3D
}

// holds says whether the region has the sample, and where in it.
func (g *region) holds(im *Image, p *WatchPoint) (x, y, layer int, ok bool) {
	if p.Image != im || int(g.layers.MipLevel) != p.Level {
		return 0, 0, 0, false
	}
	first, count := int(g.layers.BaseArrayLayer), int(min(g.layers.LayerCount, 1<<16))
	if g.layers.LayerCount == vk.RemainingArrayLayers {
		count = im.res.ArrayLayers - first
	}
	if im.res.Type == vk.ImageType3D {
		first, count = int(g.at.Z), int(g.extent.Depth)
	}
	x, y, ok = g.inPlane(im, p)
	x, y, layer = x-int(g.at.X), y-int(g.at.Y), p.Layer-first
	return x, y, layer, ok && x >= 0 && y >= 0 && layer >= 0 && x < int(g.extent.Width) &&
		y < int(g.extent.Height) &&
		layer < count
}

// texel is a texel of an image as the source of a copy.
func (im *Image) texel(
	s *vk.ImageSubresourceLayers,
	at vk.Offset3D,
	x, y, layer int,
) *explain.Target {
	p := WatchPoint{
		Image: im,
		Level: int(s.MipLevel),
		Layer: int(s.BaseArrayLayer) + layer,
		X:     int(at.X) + x,
		Y:     int(at.Y) + y,
	}
	if im.res.Type == vk.ImageType3D {
		p.Layer = int(at.Z) + layer
	}
	if p.Level >= im.res.MipLevels {
		return nil
	}
	t := p.target()
	return &t
}

// blitted says whether a blit writes a sample, and of which texel of the source it is about the centre.
func blitted(src, dst *Image, g *vk.ImageBlit, p *WatchPoint) (*explain.Target, bool) {
	from, to := &g.SrcOffsets, &g.DstOffsets
	lo := vk.Offset3D{X: min(to[0].X, to[1].X), Y: min(to[0].Y, to[1].Y), Z: min(to[0].Z, to[1].Z)}
	size := vk.Extent3D{
		Width:  uint32(max(to[0].X, to[1].X) - lo.X),
		Height: uint32(max(to[0].Y, to[1].Y) - lo.Y),
		Depth:  uint32(max(to[0].Z, to[1].Z) - lo.Z),
	}
	_, _, layer, ok := (&region{g.DstSubresource, lo, size}).holds(dst, p)
	if !ok {
		return nil, false
	}
	along := func(at int, from0, from1, to0, to1 int32) int {
		u := (float64(at) + 0.5 - float64(to0)) * float64(from1-from0) / float64(to1-to0)
		return int(math.Floor(u + float64(from0)))
	}
	x := along(p.X, from[0].X, from[1].X, to[0].X, to[1].X)
	y := along(p.Y, from[0].Y, from[1].Y, to[0].Y, to[1].Y)
	return src.texel(&g.SrcSubresource, vk.Offset3D{}, x, y, layer), true
}

// cleared finds samples in ranges that are cleared.
func (im *Image) cleared(
	ranges []vk.ImageSubresourceRange,
) func(p *WatchPoint) (*explain.Target, bool) {
	return func(p *WatchPoint) (*explain.Target, bool) {
		for _, g := range ranges {
			in := func(at, first, count int, all bool) bool { return at >= first && (all || at < first+count) }
			layer := im.res.Type == vk.ImageType3D ||
				in(p.Layer, int(g.BaseArrayLayer), int(g.LayerCount),
					g.LayerCount == vk.RemainingArrayLayers)
			if p.Image == im && layer &&
				in(
					p.Level,
					int(g.BaseMipLevel),
					int(g.LevelCount),
					g.LevelCount == vk.RemainingMipLevels,
				) {
				return nil, true
			}
		}
		return nil, false
	}
}
