package render

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// Fragments are shaded in places of 8×2 pixels, and programs do all of it: one for the inputs of
// the shader (package lower/inputs), the shader, one for the coverage that it changes, one for
// tests after it, and one for each colour attachment, which loads and stores texels itself (package
// lower/fragops). Invocations for shares of a pixel's samples are places of their own
// (placedShare).

// maxPlaces is the number of places of a batch.
const maxPlaces = 64

// blockPlaces is how many a block has.
const blockPlaces = raster.BlockPixels / 2

// placedPlan is how fragments of a draw state are shaded in places.
type placedPlan struct {
	where    inputs.Where
	inputs   *loweredInputs
	programs [inputs.Warped]int // of the inputs, in passPlan.List, by planes; others come later
	fused    [inputs.Warped]int // the shader with each of them, or none
	varied   []varied           // what records hold of values that are interpolated
	fill     []value            // and besides these and planes
	list     []inputs.Input
	shader   exec.Routine // and the slots that the list goes to
	slots    []int
	tails    [MaxColorAttachments]*colorTail
	fusion   *fusion
	shares   []placedShare     // in the order of their samples
	rate     rates.Rate        // of fragments with several pixels
	each     bool              // SampleMask of these has bits for the samples of each pixel
	ss       *raster.SampleSet // where samples are
	// tail is what fused programs do after the shader, nothing where it has no targets: surfaces are
	// the attachments of these.
	tail     lowered.Tail
	surfaces []int
	// constants go into records, too, the bytes of which are size.
	constants []constants
	size      int
	// takes is what the shader does to coverage.
	takes lowered.CoverageKey
	// ones are rows of the shader's that count as 1 (alpha to one), smoothed those that the coverage
	// of smooth lines goes into.
	ones, smoothed []int
	// shows is what SampleMask shows of fragments of several pixels: see coarseQuad.sets.
	shows int
	// live: the shader sees, or others see of it, which invocations are helpers.
	live bool
	// deep: the program of inputs gives depth, which the shader may overwrite.
	deep bool
	// after are the tests that follow the shader, by viewport; inactive ones where none do.
	after []fragops.DepthStencil
	// single: no pixel is twice in a batch.
	single bool
	// united: colours are written when all shares of a pixel have run, since what some attachment gets
	// depends on the coverage of all.
	united bool
	// packs says that quads of a block share places wherever they lie.
	packs bool
}

// packsFrom is the number of instructions of a shader, for each sample of a pixel, from which on it
// is worth by default to gather and scatter texels, so that there are fewer places; imageWorth is
// of how many one for images stands.
const packsFrom, imageWorth = 80, 64

// value says what words of a record are filled with.
type value struct {
	*fragmentInput
	at int // offset in the record
}

// varied says where records have a value and its differences, and of which attribute of vertices
// they are.
type varied struct{ at, attr int32 }

// constants are bytes at an offset in records.
type constants struct {
	at   int
	data []byte
}

// inputsKey is a list of inputs, a byte or more each, and where they are taken.
type inputsKey struct {
	where inputs.Where
	list  string
}

// loweredInputs are the programs of a list of inputs.
type loweredInputs struct {
	*inputs.Inputs
	routines [inputs.Warped + 1]exec.Routine // the last perhaps nil
	list     []inputs.Input
	where    inputs.Where
}

// placedKey is that of an attachment's program.
type placedKey struct {
	lowered.ColorKey
	samples lowered.Window
}

// packsQuads says that the engine takes places whose quads do not lie side by side.
func (x *Executor) packsQuads() bool {
	e, ok := x.cfg.Engine.(exec.Placer)
	return ok && e.PacksQuads()
}

// placedBatch is what waits for shading in places.
type placedBatch struct {
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
		plan     *placedPlan
		tests    *tile.Tests
	}
	// setup of chunk has the last record.
	setup  *raster.Setup
	chunk  *chunk
	last   uint32
	planes inputs.Planes // of all set-ups
	late   *tile.Tests   // tests after shading, nil where there are none
	// direct is the plan of what has come directly and is tested by its program, nil where the plan is
	// that of the state.
	direct *placedPlan
	// rated is the plan of what waits of states whose rates differ, and kind the number of its rate, 0
	// of what else waits.
	rated *placedPlan
	kind  int
	live  []uint32 // invocations

	in   [8][]uint32
	rows [][]uint32 // of inputs, by number
	// told are the rows of lanes in the order of Layout.Findings, by share, share the one that is
	// being shaded.
	told     [fragops.MaxSamples][inputs.Findings][]uint32
	share    int
	lanes    exec.Batch
	surfaces [ir.MaxSurfaces]exec.Surface
}

// shadeBlock hands a block of the set-up to the batch: words are as in raster.Coverage.
func (f *fragments) shadeBlock(c *chunk, s *raster.Setup, x, y int32, words []uint64) error {
	found := words[len(words)-f.plan.Samples:]
	words = words[:f.plan.Samples]
	any := words[0]
	for _, m := range words[1:] {
		any |= m
	}
	if any == 0 {
		return nil
	}
	if c.draw.state.rated != nil {
		if err := f.enterRate(c, &c.recs[s.Prim], x, y); err != nil {
			return err
		}
	}
	p := f.placed
	if err := f.roomForBlock(); err != nil {
		return err
	}
	plan, late := p.planOf(c.draw.state), p.late
	if p.setup != s || p.chunk != c {
		late = f.plan.TestsOf(&plan.after[c.recs[s.Prim].viewport], !s.FrontFacing)
		if late != p.late && p.waits() {
			if err := f.flush(); err != nil { // before reserve, whose claims are the batch's
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
	if p.setup != s || p.chunk != c {
		p.late = late
		f.newRecord(c, s)
	}
	n := len(p.places)
	switch {
	case len(plan.shares) > 1:
		f.stats.Fragments += p.appendShares(plan, x, y, words, found)
		return nil
	case plan.rate != rates.Rate{}:
		f.stats.Fragments += p.appendLarger(plan.rate, x, y, words, any, p.last)
		p.tellLarger(plan, 0, &p.placeList, x, y, words, found)
		return nil
	case plan.packs:
		p.places = appendPacked(p.places, x, y, words, p.last)
	default:
		p.places = tile.AppendPlaces(p.places, x, y, words, p.last)
	}
	if len(plan.inputs.Findings) > 0 {
		p.tell(plan, 0, p.places, n, x, y, found)
	}
	f.stats.Fragments += uint64(bits.OnesCount64(any))
	return nil
}

// roomForBlock makes room for the places of a block.
func (f *fragments) roomForBlock() error {
	if p := f.placed; !p.fits() || p.shares > 0 && !p.room() {
		return f.flush()
	}
	return nil
}

// planOf is how what waits of a state is shaded.
func (p *placedBatch) planOf(s *drawState) *placedPlan {
	switch {
	case p.direct != nil:
		return p.direct
	case s.rated != nil:
		return p.rated
	}
	return s.placed
}

// newRecord writes the record of a set-up: places have that of one.
//
// RAS-299
func (f *fragments) newRecord(c *chunk, s *raster.Setup) {
	p, plan := f.placed, f.placed.planOf(c.draw.state)
	size := plan.size
	record := p.records[p.used : p.used+size]
	p.setup, p.chunk, p.last = s, c, uint32(p.used)
	p.owners = append(p.owners, s)
	p.used += size
	p.size = size
	plan.inputs.Write(record, s)
	p.planes = max(p.planes, inputs.PlanesOf(s))
	p.writeConstants(record, plan)
	rec, stride := &c.recs[s.Prim], len(c.draw.state.link.attrs)
	of := func(v int) []uint32 { return c.attrs[int(rec.v[v])*stride:][:stride] }
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
		switch in.kind {
		case inputVarying:
			v = c.attrs[int(rec.v[rec.provoking])*stride+in.attr] // RAS-067, RAS-282
		case inputPerVertex: // RAS-180, RAS-181, RAS-182
			v = c.attrs[int(rec.vertex(in.vertex))*stride+in.attr]
		case inputBaryCoord:
			v = rec.weight(in.comp)
		default:
			v = f.uniformInput(in.fragmentInput, s, rec, c, plan)
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
func (p *placedBatch) writeConstants(record []byte, plan *placedPlan) {
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

// uniformInput is an input that all fragments of a primitive and a plan have, but for varyings.
//
// RAS-291 interfaces-builtin-variables
func (f *fragments) uniformInput(
	in *fragmentInput, s *raster.Setup, rec *primRec, c *chunk, plan *placedPlan,
) uint32 {
	switch in.kind {
	case inputFrontFacing: // RAS-289
		return maskOf(s.FrontFacing)
	case inputFragSize:
		if c.draw.state.rates.Image == nil && f.plan.density == nil {
			return 1
		}
		return [2]uint32{1 << plan.rate.W, 1 << plan.rate.H}[in.comp&1]
	case inputFragInvocationCount: // RAS-179
		return uint32(len(plan.shares))
	case inputPrimitiveID:
		return rec.id
	case inputLayer:
		return uint32(rec.layer)
	case inputViewport:
		return uint32(rec.viewport)
	case inputShadingRate: // RAS-148, RAS-291
		return plan.rate.Code()
	case inputView:
		return c.params.View
	case inputPrimitive:
		return c.flat[int(s.Prim)*len(c.draw.state.link.flat)+in.attr]
	}
	return 0 // inputZero
}

// flushPlaces shades the places of a batch and stores their colours.
func (f *fragments) flushPlaces() error {
	p := f.placed
	plan := p.planOf(f.batch.draw.state)
	if p.shares == 0 {
		err := f.shadePlaces(plan, &plan.shares[0])
		p.reset()
		return err
	}
	own := p.placeList
	var err error
	for i := 0; i < len(plan.shares) && err == nil; i++ {
		share := &plan.shares[i]
		if p.placeList = p.apart[i]; len(p.places) == 0 {
			continue
		}
		p.share = i
		for at := 0; at < p.used; at += plan.size {
			share.write(p.records[at:])
		}
		err = f.shadePlaces(plan, share)
		if p.apart[i] = p.placeList; plan.united { // perhaps places of pixels now
			p.keepOutputs(i, f.batch.prog.Out, ir.PlaceLanes*len(p.places))
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
func (f *fragments) shadePlaces(plan *placedPlan, share *placedShare) error {
	b, p := &f.batch, f.placed
	st := b.draw.state
	n := ir.PlaceLanes * len(p.places)
	f.stats.Batches++
	f.stats.Lanes += uint64(n)
	p.rows = p.rows[:0]
	for i := range st.link.inputs {
		p.rows = append(p.rows, b.prog.In[st.link.inputs[i].slot])
	}
	if plan.deep { // RAS-310
		p.rows = append(p.rows, b.prog.Out[st.link.outs.depth])
	}
	told := p.told[p.share][:]
	p.lanes = exec.Batch{N: n, In: told, Out: p.rows, Places: p.places, Records: p.records}
	first, fused, err := f.programsOf(plan, p.planes)
	if err != nil {
		return f.x.during(b.draw, err)
	}
	if fused == nil || plan.deep && plan.tail.Count == 0 || len(f.watching.seen) > 0 {
		if err := first.Run(&noDescriptors, &p.lanes); err != nil {
			return f.x.during(b.draw, err)
		}
	}
	shader, in := b.prog, b.prog.In
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
		plan.fusion.lanes.Add(int64(n))
	}
	f.defaults(st.link, n)
	if t := share.late[p.late]; t != nil && t.referenced { // RAS-311
		fill(b.prog.Out[st.link.outs.stencil][:n], t.reference)
	}
	p.lanes = exec.Batch{N: n, In: in, Out: b.prog.Out, Places: p.places, Records: p.records}
	if p.lanes.Live = p.live[:n]; plan.live {
		liveOf(p.lanes.Live, p.places)
	} else if st.link.demotes {
		fill(p.live[:n], ^uint32(0))
	} else {
		p.lanes.Live = nil
	}
	if len(f.watching.seen) > 0 {
		err = f.watching.shade(plan, share, shader)
	} else {
		err = shader.Run(b.draw.fragment, &p.lanes)
	}
	if err = f.x.during(b.draw, cmp.Or(err, f.x.stopped())); err != nil {
		return err
	}
	if plan.rate != (rates.Rate{}) {
		f.spread(plan, st)
	}
	return f.endPlaces(plan, share)
}

// programsOf are the program of a plan's inputs, and the shader with it in one, or nil: for warped
// planes they come later, and the second where nothing but it will do.
func (f *fragments) programsOf(
	p *placedPlan, planes inputs.Planes,
) (first, fused *threads.Runner, err error) {
	if planes < inputs.Warped {
		if n := p.fused[planes]; n != none {
			fused = f.threads.By[n]
		}
		return f.threads.By[p.programs[planes]], fused, nil
	}
	if p.where.At != 0 {
		fused, err = f.threads.Later(p, func() (exec.Routine, error) {
			return p.fusion.routine(f.plan, p, planes)
		})
		if err != nil {
			return nil, nil, err
		}
	}
	first, err = f.threads.Later(p.inputs, func() (exec.Routine, error) {
		if l := p.inputs; l.routines[planes] == nil {
			made := *l
			err := made.lower(f.x, planes)
			l.routines[planes] = made.routines[planes]
			return l.routines[planes], err
		}
		return p.inputs.routines[planes], nil
	})
	return first, fused, err
}

// endPlaces does what follows the shader to the samples of a share.
func (f *fragments) endPlaces(plan *placedPlan, share *placedShare) error {
	b, p := &f.batch, f.placed
	st, n := b.draw.state, ir.PlaceLanes*len(p.places)
	for _, slot := range plan.smoothed {
		p.smooth(b.prog.Out[slot])
	}
	if err := f.coverPlaces(plan, share, n); err != nil {
		return f.x.during(b.draw, err)
	}
	if len(f.watching.seen) > 0 {
		f.watching.finished(st, share)
	}
	if plan.united {
		return nil
	}
	return plan.color(f, share, n)
}

// color writes colours to what is left of the samples of a share.
func (p *placedPlan) color(f *fragments, share *placedShare, n int) error {
	b, batch := &f.batch, f.placed
	st := b.draw.state
	for _, slot := range p.ones {
		fill(b.prog.Out[slot][:n], fragops.AlphaOne) // RAS-318, RAS-319
	}
	for i, tail := range p.tails {
		if tail == nil || share.colors[i] == none {
			continue
		}
		in := f.rowsOf(batch.in[:0], &st.link.outs, st.location[i], tail.key.Dual())
		dst := &f.tile.Color[i]
		batch.surfaces[0] = exec.Surface{Data: dst.Data, RowPitch: dst.RowPitch}
		batch.lanes = exec.Batch{N: n, In: in, Places: batch.places, Surfaces: batch.surfaces[:1]}
		if err := f.threads.By[share.colors[i]].Run(&tail.ctx, &batch.lanes); err != nil {
			return f.x.during(b.draw, err)
		}
	}
	return nil
}

// smooth multiplies the alpha of the first output by the coverage of smooth lines.
//
// RAS-230, RAS-316 fragops-covg
func (p *placedBatch) smooth(alpha []uint32) {
	for i := range p.places {
		q := &p.places[i]
		s := p.owners[int(q.Record)/p.size]
		for any := q.Any(); any != 0; any &= any - 1 {
			lane := bits.TrailingZeros16(any)
			x, y := q.Pixel(lane)
			to := &alpha[ir.PlaceLanes*i+lane]
			v := math.Float32frombits(*to) * s.LineCoverage(int32(x), int32(y))
			*to = math.Float32bits(v)
		}
	}
}

// runWhole runs a program that is all that happens to the places.
func (f *fragments) runWhole(
	plan *placedPlan, share *placedShare, program *threads.Runner, in [][]uint32,
) error {
	b, p := &f.batch, f.placed
	for k, i := range plan.surfaces {
		dst := &f.tile.Color[i]
		p.surfaces[k] = exec.Surface{Data: dst.Data, RowPitch: dst.RowPitch}
	}
	if plan.tail.Tested {
		copy(p.surfaces[len(plan.surfaces):], f.tile.Surfaces[:])
	}
	p.lanes = exec.Batch{
		N: ir.PlaceLanes * len(p.places), In: in, Places: p.places, Records: p.records,
		Surfaces: p.surfaces[:],
	}
	err := program.Run(b.draw.fragment, &p.lanes)
	if err = f.x.during(b.draw, cmp.Or(err, f.x.stopped())); err != nil {
		return err
	}
	f.countPlaces(share)
	if p.direct != nil && p.late != nil && p.late.Key.Test {
		f.tile.TightenFailed(p.places)
	}
	return nil
}

// countPlaces counts the samples that tests after shading have left.
//
// RAS-330 fragops-samplecount
func (f *fragments) countPlaces(share *placedShare) {
	d := f.batch.draw
	n := d.counts[1]
	if f.placed.direct != nil {
		n = d.draw.Occlusion
	}
	if n == 0 {
		return
	}
	for i := range f.placed.places {
		for _, m := range f.placed.places[i].Covered[:share.Count] {
			f.occ[n-1] += uint64(bits.OnesCount16(m))
		}
	}
}

// coverPlaces takes from the coverage what the shader and the tests after it take, and counts what
// is left of those.
func (f *fragments) coverPlaces(plan *placedPlan, share *placedShare, n int) error {
	b, p, st := &f.batch, f.placed, f.batch.draw.state
	if share.coverage != none {
		in, o := p.in[:0], &st.link.outs
		if plan.takes.Live { // RAS-298
			in = append(in, p.live)
		}
		for w, kept := range p.kept { // RAS-315
			switch {
			case plan.takes.Mask>>w&1 == 0:
			case plan.each:
				in = append(in, kept)
			default:
				in = append(in, b.prog.Out[o.masks[w]])
			}
		}
		if plan.takes.Alpha { // RAS-317
			in = append(in, b.prog.Out[o.color[0].slot[3]])
		}
		p.lanes = exec.Batch{N: n, In: in, Places: p.places}
		if err := f.threads.By[share.coverage].Run(&noDescriptors, &p.lanes); err != nil {
			return err
		}
	}
	if len(f.watching.seen) > 0 {
		f.watching.shaped(share)
	}
	if p.late != nil { // RAS-301
		late, in := share.late[p.late], p.in[:0]
		if late.written {
			in = append(in, b.prog.Out[st.link.outs.depth])
		}
		if late.referenced {
			in = append(in, b.prog.Out[st.link.outs.stencil])
		}
		err := f.tile.RunTests(&late.PlacedTest, p.planes, p.places, p.records, in...)
		if err != nil {
			return err
		}
	}
	f.countPlaces(share)
	return nil
}

// reset empties the batch.
func (p *placedBatch) reset() {
	p.used, p.setup, p.chunk, p.planes = 0, nil, nil, inputs.Affine
	p.late, p.owners = nil, p.owners[:0]
	p.empty()
	for i := range p.shares {
		p.apart[i].empty()
	}
	p.shares = 0
}

// prepare readies it for a pass: the batch for the states of a plan.
func (f *fragments) prepare(pl *passPlan) {
	f.plan, f.stats, f.batch = pl, Stats{}, group{group: none}
	f.occ = grow(f.occ, len(pl.pass.Occlusion))
	clear(f.occ)
	f.placed, f.batches = f.batches[0], f.batches[:1]
	size, shares := 0, 1
	for _, st := range pl.states {
		if st.placed == nil {
			continue
		}
		size, shares = max(size, st.placed.size), max(shares, len(st.placed.shares))
		if st.direct != nil {
			size = max(size, st.direct.size)
		}
		if st.alone != nil {
			size = max(size, st.alone.placed.size)
		}
	}
	f.placed.prepare(size, shares)
}

// prepare sizes it for records of some bytes, and that many shares.
func (p *placedBatch) prepare(size, shares int) {
	p.live = grow(p.live, maxPlaces*ir.PlaceLanes)
	p.spare = grow(p.spare, maxPlaces*ir.PlaceLanes)
	for w := range p.kept {
		p.kept[w] = grow(p.kept[w], maxPlaces*ir.PlaceLanes)
	}
	p.placeList.empty()
	p.owners = grow(p.owners, maxPlaces)[:0]
	p.records = grow(p.records, maxPlaces*size)
	p.direct, p.constant.plan, p.constant.tests = nil, nil, nil
	for shares > 1 && len(p.apart) < shares {
		p.apart = append(p.apart, placeList{})
		p.apart[len(p.apart)-1].empty()
	}
	p.reset()
}
