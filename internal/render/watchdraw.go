package render

import (
	"math/bits"
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/render/watch"
)

// A watched primitive is drawn as others are, but alone, and by programs that leave what they make
// in rows, so that it can be read. What becomes of its samples before the shader is asked of the
// references, ahead of drawing.

// sight is what is written down of a primitive at a watched pixel while it is drawn.
type sight struct {
	*watch.Note
	ss               *raster.SampleSet // where samples are
	before           []byte            // of the sample
	depths, stencils [][]byte          // of all samples of the pixel

	// group are the samples that belong to the watched one, which is another where there are fewer
	// colour samples; k is the one of them that is told of.
	group uint64
	k     int

	// Samples of the pixel: those covered, and what is left by each of the operations. shaped is
	// what the shader makes of it, before later tests.
	covered, windowed, shown, masked, tested, shaped, left uint64
	width, height                                          int // pixels of the fragment

	shaded   bool
	sample   int      // that is shaded, or none
	gone     bool     // discarded
	in, out  []uint32 // of the shader, by slot
	src, two [4]uint32
	written  bool // src and two are set

	trace *trace.Collector
}

// addWatched makes the state that watched primitives are drawn in.
func (s *drawState) addWatched(pl *passPlan) error {
	s.whole, s.fate = nil, rasterized
	o := *s
	o.wait()
	if o.Rated != nil {
		o.Rated = new(fragment.RatedPlans)
	}
	if o.Shader != nil {
		o.End = fragment.Shaded
	}
	o.alone, s.alone, o.Told = &o, &o, true
	return o.AddPlans(&pl.Pass)
}

// draw draws a primitive that notes are of.
func (m *watcher) draw(c *chunk, s *raster.Setup) error {
	w := m.w
	if err := w.finishTile(); err != nil {
		return err
	}
	w.tile.Forget()
	m.settle(int(s.Prim))
	alone, d := *c, *c.draw
	d.state, d.State = c.draw.state.alone, &c.draw.state.alone.State
	alone.draw, alone.Of = &d, &d.Draw
	for _, n := range c.book.ByRec[int(s.Prim)] {
		if !n.Gone && n.Watch.Layer == w.tile.Layer && watch.Contains(w.tile.Rect, n.Watch.X, n.Watch.Y) {
			m.seen = append(m.seen, m.look(&alone, s, n))
		}
	}
	w.frags.Batch.Draw, w.frags.Batch.Group = nil, none // whatever comes next, this one is alone
	err := w.frags.Start(alone.Of)
	if err == nil {
		err = m.startTrace(&d)
	}
	if err == nil {
		err = w.drawSetup(&alone, s)
	}
	if err == nil {
		err = w.finishTile()
	}
	w.tile.Forget()
	for _, o := range m.seen {
		if err == nil {
			m.tellSight(&alone, s, o)
		}
	}
	m.seen, m.traced = m.seen[:0], nil
	w.frags.Batch.Draw, w.frags.Batch.Group = nil, none
	if err != nil {
		return err
	}
	return w.startChunk(c.draw)
}

// look takes down what a watched sample holds, and what coverage and the operations before shading
// leave of its pixel.
func (m *watcher) look(c *chunk, s *raster.Setup, n *watch.Note) *sight {
	w, st, rec, v := m.w, c.draw.state, &c.Recs[s.Prim], n.Watch
	m.aim(st, int(rec.Viewport), v)
	o := &sight{Note: n, width: 1, height: 1, sample: none, ss: m.ss, group: st.groupOf(v)}
	m.take(o)
	// Others are told of as outside of the scissor.
	r := raster.Rect{X0: v.X, Y0: v.Y, X1: v.X + 1, Y1: v.Y + 1}.Intersect(w.plan.scissors[rec.Scissor])
	switch {
	case r.Empty():
		return o
	case w.plan.density != nil:
		w.coverPart(c, s, r, m.size)
	default:
		s.Find(&w.found, c.Extra, r, st.Locations)
	}
	o.covered = m.foundAt(v)
	if st.windows != nil {
		st.windows.cut(&w.found, rec.Viewport)
	}
	o.windowed = m.foundAt(v)
	if p := &st.Rates; p.Samples == 0 || st.RateAt(&w.plan.Pass, w.tile.Layer, rec, p.Primitive(rec.Rate), v.X, v.Y).N != 0 {
		o.shown = o.windowed
	}
	o.masked = o.shown & st.SampleMask
	o.tested = o.masked
	if tests := &st.Before[rec.Viewport]; tests.Active() { // RAS-301
		for left := o.masked; left != 0; left &= left - 1 {
			k := bits.TrailingZeros64(left)
			if t, _, _ := o.test(st, s, tests, k); !t.Pass {
				o.tested &^= 1 << k
			}
		}
	}
	return o
}

// foundAt is the samples of a watched pixel that are found.
func (m *watcher) foundAt(v *watch.Watch) (mask uint64) {
	b := &m.w.found
	for k := range b.Blocks {
		if x, y := v.X-b.Blocks[k].X, v.Y-b.Blocks[k].Y; (x|y)&^(raster.BlockPixels-1) == 0 {
			for sample, word := range b.Mask(k) {
				mask |= word >> (y>>1*16 + x>>1*4 + y&1*2 + x&1) & 1 << sample
			}
		}
	}
	return mask
}

// Looks says that the batch is of a watched primitive, or of a draw that tells what it stores.
func (m *watcher) Looks() bool { return len(m.seen) > 0 || m.storing != nil }

// startTrace makes the batch of a watched primitive run the shader that tells, if somebody wants to
// know.
func (m *watcher) startTrace(d *drawPlan) error {
	asks := func(o *sight) bool { return o.Watch.Traces() }
	if d.draw.Traced == nil || d.state.Program == none || !slices.ContainsFunc(m.seen, asks) {
		return nil
	}
	r, err := d.draw.Traced(ir.StageFragment)
	if err != nil {
		return m.w.x.during(&d.Draw, err)
	}
	p := m.w.threads.Of(r, fragment.Lanes)
	m.traced, m.w.frags.Batch.Program = p, p
	return nil
}

// shade runs the shader on the places of a share, of a watched primitive.
func (m *watcher) Shade(plan *fragment.Plan, share *fragment.Share, shader *threads.Runner) error {
	w := m.w
	b, p := &w.frags.Batch, w.frags.Waiting
	run := func(ctx *exec.Context) error { return shader.Run(ctx, &p.Lanes) }
	if m.storing != nil {
		run = func(ctx *exec.Context) error { return m.shade(ctx, shader, plan, share) }
	}
	if len(m.seen) == 0 {
		return run(b.Draw.Context)
	}
	if m.traced != nil && plan.Where.At != 0 {
		var err error
		if shader, err = m.tracedIn(plan); err != nil {
			return err
		}
	}
	return m.run(shader, run, func(o *sight) int {
		lane := o.shadedBy(b.Draw.State, p, plan, share)
		if lane != none {
			o.width, o.height, o.sample = 1<<plan.Rate.W, 1<<plan.Rate.H, none
			if len(plan.Shares) > 1 {
				o.sample = share.First
			}
		}
		return lane
	})
}

// run has a shader run, and takes down what it was given for watched pixels and what it made of it:
// laneOf is the lane that shades a watched sample, or none.
func (m *watcher) run(
	shader *threads.Runner, run func(*exec.Context) error, laneOf func(o *sight) int,
) error {
	b, ctx := &m.w.frags.Batch, *m.w.frags.Batch.Draw.Context
	lanes := &m.w.frags.Waiting.Lanes
	at := make([]int, len(m.seen))
	var collectors []*trace.Collector
	for i, o := range m.seen {
		if at[i] = laneOf(o); at[i] != none && m.traced != nil && o.Watch.Traces() {
			o.trace = trace.New(shader.IR, at[i], o.Watch.Quad)
			collectors = append(collectors, o.trace)
		}
	}
	if len(collectors) > 0 {
		ctx.Trace = func(t *exec.Told) {
			for _, c := range collectors {
				c.Tell(t)
			}
		}
	}
	if err := run(&ctx); err != nil {
		return err
	}
	for i, o := range m.seen {
		lane := at[i]
		if lane == none {
			continue
		}
		o.shaded, o.gone = true, lanes.Live != nil && lanes.Live[lane] == 0
		o.in, o.out = o.in[:0], o.out[:0]
		for _, row := range b.Program.In {
			o.in = append(o.in, row[lane])
		}
		for _, row := range b.Program.Out {
			o.out = append(o.out, row[lane])
		}
	}
	return nil
}

// tracedIn is the shader that tells, in one with the plan's inputs.
func (m *watcher) tracedIn(plan *fragment.Plan) (*threads.Runner, error) {
	planes := m.w.frags.Waiting.Planes
	return m.w.threads.Later([2]any{plan, planes}, func() (exec.Routine, error) {
		pl := m.w.plan
		told := *plan
		told.Shader = m.traced.Routine()
		return pl.Common.FusionOf(&told).Routine(&pl.Pass, &told, planes)
	})
}

// shadedBy is the lane of the places of a share that shades the watched sample, or none.
func (o *sight) shadedBy(
	st *fragment.State, p *fragment.Waiting, plan *fragment.Plan, share *fragment.Share,
) int {
	list := p.Places
	if plan.Rate != (rates.Rate{}) {
		list = p.Pixels
	}
	k, lane, mask := watchedIn(o.Watch, list, share)
	own := (uint64(1)<<share.Count - 1) << share.First
	others := own&o.group == 0 || mask&o.group == 0 && !st.Takes.Override // one is there for all
	if mask == 0 || len(plan.Shares) > 1 && others {
		return none
	}
	if plan.Rate != (rates.Rate{}) {
		return int(p.From[k]) + int(fragment.SpreadingOf(plan.Rate, &list[k]).Lanes[lane])
	}
	return ir.PlaceLanes*k + lane
}

// watchedIn is the lane of a watched pixel in places of a share, and its samples; 0: it is in none.
func watchedIn(
	v *watch.Watch, places []exec.Place, share *fragment.Share,
) (k, lane int, mask uint64) {
	for k := range places {
		q := &places[k]
		for any := q.Any(share.Count); any != 0; any &= any - 1 {
			lane := bits.TrailingZeros16(any)
			if x, y := q.Pixel(lane); int32(x) != v.X || int32(y) != v.Y {
				continue
			}
			for i, covered := range q.Covered[:share.Count] {
				mask |= uint64(covered>>lane&1) << (share.First + i)
			}
			return k, lane, mask
		}
	}
	return 0, 0, 0
}

// shaped takes down what shaders have made of the coverage of a share's places.
func (m *watcher) Shaped(share *fragment.Share) {
	for _, o := range m.seen {
		_, _, mask := watchedIn(o.Watch, m.w.frags.Waiting.Places, share)
		o.shaped |= mask
	}
}

// finished takes down what is left of the coverage of a share's places, and the colours.
func (m *watcher) Finished(st *fragment.State, share *fragment.Share) {
	for _, o := range m.seen {
		if k, lane, mask := watchedIn(o.Watch, m.w.frags.Waiting.Places, share); mask != 0 {
			o.finish(st, &m.w.frags, ir.PlaceLanes*k+lane, mask)
		}
	}
}

// finish takes down what is left of the pixel's samples, and the colours as they go to the attachment.
func (o *sight) finish(st *fragment.State, f *fragment.Worker, lane int, left uint64) {
	o.left |= left
	a := o.Watch.Attachment
	if a < 0 || st.Color[a] == nil || o.written && left&o.group == 0 {
		return
	}
	at := st.Location[a]
	rows := f.RowsOf(nil, &st.Link.Outs, at, true)
	for k := range o.src {
		o.src[k], o.two[k] = rows[k][lane], rows[4+k][lane]
	}
	if len(st.Plan.Ones) > 0 && at == 0 {
		o.src[3] = fragops.AlphaOne
	}
	o.written = true
}

// choose picks the sample that is told of: one that comes as far as any, and of those one that was
// there before, which with a shader's mask in the place of the coverage it need not have been.
func (o *sight) choose() {
	m := o.group
	for _, better := range []uint64{o.left, o.shaped, o.tested, o.masked, o.covered} {
		if m&better != 0 {
			m &= better
		}
	}
	o.k = min(bits.TrailingZeros64(m), len(o.depths)-1)
}
