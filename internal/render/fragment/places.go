package fragment

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// Fragments are shaded in places of 8×2 pixels, and programs do all of it: one for the inputs of
// the shader (package lower/inputs), the shader, one for the coverage that it changes, one for
// tests after it, and one for each colour attachment, which loads and stores texels itself (package
// lower/fragops). Invocations for shares of a pixel's samples are places of their own
// (Share).

// maxPlaces is the number of places of a batch, Lanes that of their lanes.
const (
	maxPlaces = 64
	Lanes     = maxPlaces * ir.PlaceLanes
)

// blockPlaces is how many a block has.
const blockPlaces = raster.BlockPixels / 2

// Waiting is what waits for shading in places.
type Waiting struct {
	placeList
	apart   []placeList // by share, where there are several: of as many as shares
	shares  int
	spare   []uint32                    // of spreadRow
	kept    [lowered.MaskWords][]uint32 // samples of pixels that shaders of larger fragments leave
	outputs [][]uint32                  // by share, where colours come after all
	owners  []*raster.Setup             // of records
	records []byte
	used    int // bytes of records
	size    int // of one
	// Records in a range have the constants of a plan and its tests already.
	constant struct {
		from, to int
		plan     *Plan
		tests    *tile.Tests
	}
	// Setup of prims has the last record.
	Setup  *raster.Setup
	prims  *Primitives
	last   uint32
	Planes inputs.Planes // of all set-ups
	late   *tile.Tests   // tests after shading, nil where there are none
	// Plan is how what waits is shaded. Within: it has come directly, and the plan's program does the
	// tests before shading, too. kind is the number of its rate, of states whose rates differ, or 0.
	Plan   *Plan
	Within bool
	kind   int
	live   []uint32 // invocations

	in   [8][]uint32
	rows [][]uint32 // of inputs, by number
	// told are the rows of lanes in the order of Layout.Findings, by share, share the one that is
	// being shaded.
	told     [fragops.MaxSamples][inputs.Findings][]uint32
	share    int
	Lanes    exec.Batch
	surfaces [ir.MaxSurfaces]exec.Surface
}

// ShadeBlock hands a block of the set-up to the batch: words are as in raster.Coverage.
func (f *Worker) ShadeBlock(c *Primitives, s *raster.Setup, x, y int32, words []uint64) error {
	any := words[0]
	for _, m := range words[1:f.Pass.Samples] {
		any |= m
	}
	if any == 0 {
		return nil
	}
	if c.Of.State.Rated != nil {
		if err := f.enterRate(c, &c.Recs[s.Prim], x, y); err != nil {
			return err
		}
	}
	if err := f.MakeRoom(); err != nil {
		return err
	}
	return f.AddBlock(c, s, x, y, words, any)
}

// AddBlock is ShadeBlock where there is room, and rates do not differ: any are the pixels of which
// some sample is there, of which there are some.
func (f *Worker) AddBlock(
	c *Primitives, s *raster.Setup, x, y int32, words []uint64, any uint64,
) error {
	p := f.Waiting
	found := words[len(words)-f.Pass.Samples:]
	words = words[:f.Pass.Samples]
	plan, late := p.Plan, p.late
	if p.Setup != s || p.prims != c {
		late = f.Pass.TestsOf(&plan.after[c.Recs[s.Prim].Viewport], !s.FrontFacing)
		if late != p.late && p.waits() {
			if err := f.Flush(); err != nil { // before reserve, whose claims are the batch's
				return err
			}
		}
	}
	if plan.single {
		r := raster.Rect{X0: x, Y0: y, X1: x + raster.BlockPixels, Y1: y + raster.BlockPixels}
		if err := f.reserve(r, plan.reserves(any)); err != nil {
			return err
		}
	}
	if p.Setup != s || p.prims != c {
		p.late = late
		f.newRecord(c, s)
	}
	n := len(p.Places)
	switch {
	case len(plan.Shares) > 1:
		f.Stats.Fragments += p.appendShares(plan, x, y, words, found)
		return nil
	case plan.Rate != rates.Rate{}:
		f.Stats.Fragments += p.appendLarger(plan.Rate, x, y, words, any, p.last)
		p.tellLarger(plan, 0, &p.placeList, x, y, words, found)
		return nil
	case plan.packs:
		p.Places = appendPacked(p.Places, x, y, words, p.last)
	default:
		p.Places = tile.AppendPlaces(p.Places, x, y, words, p.last)
	}
	if len(plan.inputs.Findings) > 0 {
		p.tell(plan, 0, p.Places, n, x, y, found)
	}
	f.Stats.Fragments += uint64(bits.OnesCount64(any))
	return nil
}

// MakeRoom makes room for the places of a block.
func (f *Worker) MakeRoom() error {
	if p := f.Waiting; p.fits() && (p.shares == 0 || p.room()) {
		return nil
	}
	return f.Flush()
}

// newRecord writes the record of a set-up: places have that of one.
//
// RAS-299
func (f *Worker) newRecord(c *Primitives, s *raster.Setup) {
	p, plan := f.Waiting, f.Waiting.Plan
	size := plan.size
	record := p.records[p.used : p.used+size]
	p.Setup, p.prims, p.last = s, c, uint32(p.used)
	p.owners = append(p.owners, s)
	p.used += size
	p.size = size
	plan.inputs.Write(record, s)
	p.Planes = max(p.Planes, inputs.PlanesOf(s))
	p.writeConstants(record, plan)
	rec, stride := &c.Recs[s.Prim], len(c.Of.State.Link.Attrs)
	of := func(v int) []uint32 { return c.Attrs[int(rec.V[v])*stride:][:stride] }
	le := binary.LittleEndian
	if s.Kind == raster.KindPoint { // what is added is -0, which leaves every number as it is
		a := of(s.Vertex())
		for _, in := range plan.varied {
			to := (*[12]byte)(record[in.at:])
			le.PutUint32(to[0:], a[in.attr])
			le.PutUint32(to[4:], 1<<31)
			le.PutUint32(to[8:], 1<<31)
		}
	} else {
		writeVaried(record, plan.varied, of(0), of(1), of(2))
	}
	for i := range plan.fill {
		in := &plan.fill[i]
		v := uint32(0)
		switch in.Kind {
		case InputVarying:
			v = c.Attrs[int(rec.V[rec.Provoking])*stride+in.Attr] // RAS-067, RAS-282
		case InputPerVertex: // RAS-180, RAS-181, RAS-182
			v = c.Attrs[int(rec.Vertex(in.Vertex))*stride+in.Attr]
		case InputBaryCoord:
			v = rec.weight(in.Component)
		default:
			v = f.uniformInput(in.Input, s, rec, c, plan)
		}
		le.PutUint32(record[in.at:], v)
	}
}

// writeVaried writes attributes of the first vertex, and how much those of the others differ.
//
// RAS-190, RAS-249, RAS-253, RAS-281
func writeVaried(record []byte, list []varied, a0, a1, a2 []uint32) {
	le := binary.LittleEndian
	a1, a2 = a1[:len(a0)], a2[:len(a0)]
	for _, in := range list {
		to := (*[12]byte)(record[in.at:])
		v0 := math.Float32frombits(a0[in.attr])
		le.PutUint32(to[0:], math.Float32bits(v0))
		le.PutUint32(to[4:], math.Float32bits(math.Float32frombits(a1[in.attr])-v0))
		le.PutUint32(to[8:], math.Float32bits(math.Float32frombits(a2[in.attr])-v0))
	}
}

// writeConstants writes what the records of all set-ups have in common, where the last one does not
// have it from a batch before.
func (p *Waiting) writeConstants(record []byte, plan *Plan) {
	k := &p.constant
	from := p.used - len(record)
	same := k.plan == plan && k.tests == p.late
	if same && k.from <= from && p.used <= k.to {
		return
	}
	if !same || from != k.to {
		k.from, k.plan, k.tests = from, plan, p.late
	}
	k.to = p.used
	for _, c := range plan.constants {
		copy(record[c.at:], c.data)
	}
	if plan.tail.Tested {
		copy(record[plan.tail.TestsAt:], p.late.Placed.Ctx.Push)
	}
}

// Owner is the set-up that a record is of.
func (p *Waiting) Owner(record uint32) *raster.Setup { return p.owners[int(record)/p.size] }

// uniformInput is an input that all fragments of a primitive and a plan have, but for varyings.
//
// RAS-291 interfaces-builtin-variables
func (f *Worker) uniformInput(
	in *Input, s *raster.Setup, rec *Primitive, c *Primitives, plan *Plan,
) uint32 {
	switch in.Kind {
	case InputFrontFacing: // RAS-289
		return maskOf(s.FrontFacing)
	case InputFragSize:
		if c.Of.State.Rates.Image == nil && f.Pass.Dense == nil {
			return 1
		}
		return [2]uint32{1 << plan.Rate.W, 1 << plan.Rate.H}[in.Component&1]
	case InputFragInvocationCount: // RAS-179
		return uint32(len(plan.Shares))
	case InputPrimitiveID:
		return rec.ID
	case InputLayer:
		return uint32(rec.Layer)
	case InputViewport:
		return uint32(rec.Viewport)
	case InputShadingRate: // RAS-291
		return plan.Rate.Code()
	case InputView:
		return c.View
	case InputPrimitive:
		return c.Flat[int(s.Prim)*len(c.Of.State.Link.Flat)+in.Attr]
	}
	return 0 // InputZero
}

// flushPlaces shades the places of a batch and stores their colours.
func (f *Worker) flushPlaces() error {
	p := f.Waiting
	plan := p.Plan
	if p.shares == 0 {
		err := f.shadePlaces(plan, &plan.Shares[0])
		p.reset()
		return err
	}
	own := p.placeList
	var err error
	for i := 0; i < len(plan.Shares) && err == nil; i++ {
		share := &plan.Shares[i]
		if p.placeList = p.apart[i]; len(p.Places) == 0 {
			continue
		}
		p.share = i
		for at := 0; at < p.used; at += plan.size {
			share.write(p.records[at:])
		}
		err = f.shadePlaces(plan, share)
		if p.apart[i] = p.placeList; plan.united { // perhaps places of pixels now
			p.keepOutputs(i, f.Batch.Program.Out, ir.PlaceLanes*len(p.Places))
		}
	}
	if err == nil && plan.united {
		err = plan.colorUnited(f)
	}
	p.placeList, p.share = own, 0
	p.reset()
	return err
}

// shadePlaces is flushPlaces for the places of a share.
func (f *Worker) shadePlaces(plan *Plan, share *Share) error {
	b, p := &f.Batch, f.Waiting
	st := b.Draw.State
	n := ir.PlaceLanes * len(p.Places)
	f.Stats.Batches++
	f.Stats.Lanes += uint64(n)
	p.rows = p.rows[:0]
	for i := range st.Link.Inputs {
		p.rows = append(p.rows, b.Program.In[st.Link.Inputs[i].Slot])
	}
	if plan.deep { // RAS-310
		p.rows = append(p.rows, b.Program.Out[st.Link.Outs.Depth])
	}
	told := p.told[p.share][:]
	p.Lanes = exec.Batch{N: n, In: told, Out: p.rows, Places: p.Places, Records: p.records}
	first, fused, err := f.programsOf(plan, p.Planes)
	if err != nil {
		return f.fail(b.Draw, err)
	}
	if fused == nil || plan.deep && plan.tail.Count == 0 || f.watching.Looks() {
		if err := first.Run(&threads.NoDescriptors, &p.Lanes); err != nil {
			return f.fail(b.Draw, err)
		}
	}
	shader, in := b.Program, b.Program.In
	if fused != nil {
		shader = fused
		if len(plan.inputs.Findings) > 0 {
			p.rows = append(append(p.rows[:0], in...), told...)
			in = p.rows
		}
		if plan.tail.Count > 0 {
			return f.runWhole(plan, share, shader, in)
		}
	} else {
		plan.Fusion.Lanes.Add(int64(n))
	}
	f.defaults(st.Link, n)
	if t := share.late[p.late]; t != nil && t.referenced { // RAS-311
		geometry.Fill(b.Program.Out[st.Link.Outs.Stencil][:n], t.reference)
	}
	p.Lanes = exec.Batch{N: n, In: in, Out: b.Program.Out, Places: p.Places, Records: p.records}
	if p.Lanes.Live = p.live[:n]; plan.live {
		liveOf(p.Lanes.Live, p.Places, share.Count)
	} else if st.Link.Demotes {
		geometry.Fill(p.live[:n], ^uint32(0))
	} else {
		p.Lanes.Live = nil
	}
	if f.watching.Looks() {
		err = f.watching.Shade(plan, share, shader)
	} else {
		err = shader.Run(b.Draw.Context, &p.Lanes)
	}
	if err = f.fail(b.Draw, cmp.Or(err, f.stopped())); err != nil {
		return err
	}
	if plan.Rate != (rates.Rate{}) {
		f.spread(plan, st)
	}
	return f.endPlaces(plan, share)
}

// programsOf are the program of a plan's inputs, and the shader with it in one, or nil: for warped
// planes they come later, and the second where nothing but it will do.
func (f *Worker) programsOf(
	p *Plan, planes inputs.Planes,
) (first, fused *threads.Runner, err error) {
	if planes < inputs.Warped {
		if n := p.Fused[planes]; n != none {
			fused = f.threads.By[n]
		}
		return f.threads.By[p.programs[planes]], fused, nil
	}
	if p.Where.At != 0 {
		fused, err = f.threads.Later(p, func() (exec.Routine, error) {
			return p.Fusion.Routine(f.Pass, p, planes)
		})
		if err != nil {
			return nil, nil, err
		}
	}
	first, err = f.threads.Later(p.inputs, func() (exec.Routine, error) {
		l := p.inputs
		if made := *l; l.routines[planes] == nil {
			err = made.lower(f.Pass.Made.Engine, planes)
			l.routines[planes] = made.routines[planes]
		}
		return l.routines[planes], err
	})
	return first, fused, err
}

// endPlaces does what follows the shader to the samples of a share.
func (f *Worker) endPlaces(plan *Plan, share *Share) error {
	b, p := &f.Batch, f.Waiting
	st, n := b.Draw.State, ir.PlaceLanes*len(p.Places)
	for _, slot := range plan.Smoothed {
		p.smooth(b.Program.Out[slot], share.Count)
	}
	if err := f.coverPlaces(plan, share, n); err != nil {
		return f.fail(b.Draw, err)
	}
	if f.watching.Looks() {
		f.watching.Finished(st, share)
	}
	if plan.united {
		return nil
	}
	return plan.color(f, share, n)
}

// color writes colours to what is left of the samples of a share.
func (p *Plan) color(f *Worker, share *Share, n int) error {
	b, batch := &f.Batch, f.Waiting
	st := b.Draw.State
	for _, slot := range p.Ones {
		geometry.Fill(b.Program.Out[slot][:n], fragops.AlphaOne) // RAS-318, RAS-319
	}
	for i, tail := range p.tails {
		if tail == nil || share.colors[i] == none {
			continue
		}
		in := f.RowsOf(batch.in[:0], &st.Link.Outs, st.Location[i], tail.key.Dual())
		dst := &f.tile.Color[i]
		batch.surfaces[0] = exec.Surface{Data: dst.Data, RowPitch: dst.RowPitch}
		batch.Lanes = exec.Batch{N: n, In: in, Places: batch.Places, Surfaces: batch.surfaces[:1]}
		if err := f.threads.By[share.colors[i]].Run(&tail.ctx, &batch.Lanes); err != nil {
			return f.fail(b.Draw, err)
		}
	}
	return nil
}

// smooth multiplies the alpha of the first output by the coverage of smooth lines.
//
// RAS-230, RAS-316 fragops-covg
func (p *Waiting) smooth(alpha []uint32, samples int) {
	for i := range p.Places {
		q := &p.Places[i]
		s := p.Owner(q.Record)
		for any := q.Any(samples); any != 0; any &= any - 1 {
			lane := bits.TrailingZeros16(any)
			x, y := q.Pixel(lane)
			to := &alpha[ir.PlaceLanes*i+lane]
			v := math.Float32frombits(*to) * s.LineCoverage(int32(x), int32(y))
			*to = math.Float32bits(v)
		}
	}
}

// runWhole runs a program that is all that happens to the places.
func (f *Worker) runWhole(
	plan *Plan, share *Share, program *threads.Runner, in [][]uint32,
) error {
	b, p := &f.Batch, f.Waiting
	for k, i := range plan.surfaces {
		dst := &f.tile.Color[i]
		p.surfaces[k] = exec.Surface{Data: dst.Data, RowPitch: dst.RowPitch}
	}
	if plan.tail.Tested {
		copy(p.surfaces[len(plan.surfaces):], f.tile.Surfaces[:])
	}
	p.Lanes = exec.Batch{
		N: ir.PlaceLanes * len(p.Places), In: in, Places: p.Places, Records: p.records,
		Surfaces: p.surfaces[:],
	}
	err := program.Run(b.Draw.Context, &p.Lanes)
	if err = f.fail(b.Draw, cmp.Or(err, f.stopped())); err != nil {
		return err
	}
	f.countPlaces(share)
	if p.Within && p.late != nil && p.late.Key.Test {
		f.tile.TightenFailed(p.Places)
	}
	return nil
}

// countPlaces counts the samples that tests after shading have left.
//
// RAS-330 fragops-samplecount
func (f *Worker) countPlaces(share *Share) {
	d := f.Batch.Draw
	n := d.Counts[1]
	if f.Waiting.Within {
		n = max(n, d.Counts[0])
	}
	if n == 0 {
		return
	}
	for i := range f.Waiting.Places {
		for _, m := range f.Waiting.Places[i].Covered[:share.Count] {
			f.Counted[n-1] += uint64(bits.OnesCount16(m))
		}
	}
}

// coverPlaces takes from the coverage what the shader and the tests after it take, and counts what
// is left of those.
func (f *Worker) coverPlaces(plan *Plan, share *Share, n int) error {
	b, p, st := &f.Batch, f.Waiting, f.Batch.Draw.State
	if share.coverage != none {
		in, o := p.in[:0], &st.Link.Outs
		if plan.takes.Live { // RAS-298
			in = append(in, p.live)
		}
		for w, kept := range p.kept { // RAS-315
			switch {
			case plan.takes.Mask>>w&1 == 0:
			case plan.each:
				in = append(in, kept)
			default:
				in = append(in, b.Program.Out[o.Masks[w]])
			}
		}
		if plan.takes.Alpha { // RAS-317
			in = append(in, b.Program.Out[o.Color[0].Slot[3]])
		}
		p.Lanes = exec.Batch{N: n, In: in, Places: p.Places}
		if err := f.threads.By[share.coverage].Run(&threads.NoDescriptors, &p.Lanes); err != nil {
			return err
		}
	}
	if f.watching.Looks() {
		f.watching.Shaped(share)
	}
	if p.late != nil { // RAS-301
		late, in := share.late[p.late], p.in[:0]
		if late.written {
			in = append(in, b.Program.Out[st.Link.Outs.Depth])
		}
		if late.referenced {
			in = append(in, b.Program.Out[st.Link.Outs.Stencil])
		}
		err := f.tile.RunTests(&late.PlacedTest, p.Planes, p.Places, p.records, in...)
		if err != nil {
			return err
		}
	}
	f.countPlaces(share)
	return nil
}

// reset empties the batch.
func (p *Waiting) reset() {
	p.used, p.Setup, p.prims, p.Planes = 0, nil, nil, inputs.Affine
	p.late, p.owners = nil, p.owners[:0]
	p.empty()
	for i := range p.shares {
		p.apart[i].empty()
	}
	p.shares = 0
}

// Prepare readies it for a pass: the batch for the states of a plan.
func (f *Worker) Prepare(pl *Pass) {
	f.Pass, f.Stats, f.Batch = pl, Stats{}, group{Group: none}
	f.Counted = geometry.Grow(f.Counted, pl.Counters)
	clear(f.Counted)
	f.Waiting, f.batches = f.batches[0], f.batches[:1]
	f.Waiting.prepare(pl.recordBytes, pl.shares)
}

// prepare sizes it for records of some bytes, and that many shares.
func (p *Waiting) prepare(size, shares int) {
	p.live = geometry.Grow(p.live, Lanes)
	p.spare = geometry.Grow(p.spare, Lanes)
	for w := range p.kept {
		p.kept[w] = geometry.Grow(p.kept[w], Lanes)
	}
	p.placeList.empty()
	p.owners = geometry.Grow(p.owners, maxPlaces)[:0]
	p.records = geometry.Grow(p.records, maxPlaces*size)
	p.Within, p.constant.plan, p.constant.tests = false, nil, nil
	for shares > 1 && len(p.apart) < shares {
		p.apart = append(p.apart, placeList{})
		p.apart[len(p.apart)-1].empty()
	}
	p.reset()
}
