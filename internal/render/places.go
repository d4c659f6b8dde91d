package render

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// Fragments are shaded in places of 8×2 pixels where programs can do all of it: one for the
// inputs of the shader (package lower/inputs), the shader, one for the coverage that it changes, one for
// tests after it, and one for each colour attachment, which loads and stores texels itself (package
// lower/fragops). Batches of quads (type batch) do the rest: shading by samples and in larger
// fragments, shaders that write memory, smooth lines, attachments that programs don't reach.

// maxPlaces is the number of places of a batch.
const maxPlaces = 64

// placedPlan is how fragments of a draw state are shaded in places.
type placedPlan struct {
	inputs   *loweredInputs
	programs [2]int   // of the inputs, in passPlan.routines: that for affine primitives is the second
	fused    [2]int   // the shader with each of them, or none
	varied   []varied // what records hold of values that are interpolated
	fill     []value  // and besides these and planes
	tails    [MaxColorAttachments]*colorTail
	fusion   *fusion
	// tail is what fused programs do after the shader, nothing where it has no targets: surfaces are the
	// attachments of these.
	tail     lowered.Tail
	surfaces []int
	// constants go into records, too, the bytes of which are size.
	constants []constants
	size      int
	// coverage is the program for what the shader does to coverage, none where it does nothing.
	coverage int
	takes    lowered.CoverageKey
	// packs says that quads of a block share places wherever they lie.
	packs bool
}

// packsFrom is the number of instructions of a shader, for each sample of a pixel, from which on it is worth by
// default to gather and scatter texels, so that there are fewer places; imageWorth is of how many one for images stands.
const packsFrom, imageWorth = 80, 64

// value says what words of a record are filled with.
type value struct {
	*fragmentInput
	at int // offset in the record
}

// varied says where records have a value and its differences, and of which attribute of vertices they are.
type varied struct{ at, attr int32 }

// constants are bytes at an offset in records.
type constants struct {
	at   int
	data []byte
}

// loweredInputs is the program of a list of inputs.
type loweredInputs struct {
	*inputs.Inputs
	routines [2]exec.Routine
}

// placedKey is that of an attachment's program.
type placedKey struct {
	lowered.ColorKey
	samples int
}

// runsPlaces says that there is an engine, and no fragment has to take the reference's road.
func (x *Executor) runsPlaces() bool { return x.cfg.Engine != nil }

// reached says that programs on places reach a surface whose pixels have so many bytes.
func reached(s *fragops.Surface, bytes int) bool {
	return s.ColumnSkip == 0 && s.TexelPitch == bytes
}

// packsQuads says that the engine takes places whose quads do not lie side by side.
func (x *Executor) packsQuads() bool {
	e, ok := x.cfg.Engine.(exec.Placer)
	return ok && e.PacksQuads()
}

// permutesTables says that the engine has words of small tables without loading them one by one.
func (x *Executor) permutesTables() bool {
	e, ok := x.cfg.Engine.(exec.Placer)
	return ok && e.PermutesTables()
}

// addPlaces finds out whether the state's fragments are shaded in places.
func (s *drawState) addPlaces(pl *passPlan) error {
	if !pl.x.runsPlaces() || !s.shade || pl.samples > ir.PlaceSamples {
		return nil
	}
	p, o := s.pipe.desc.Fragment.Program(), &s.link.outs
	if s.quadwise || s.exclusive || s.sampleRate || s.place != none || s.smooth || s.whole || s.override || s.late && !s.testsPlaced(pl) ||
		p.SubgroupSize > 0 || p.WritesMemory || len(p.Prints) > 0 || o.stencil != none || o.depth != none || reads(p) {
		return nil
	}
	plan := &placedPlan{coverage: none}
	for i, c := range s.color {
		if c == nil {
			continue
		}
		a := pl.color[i]
		if a.samples != pl.samples || !s.coverage[i].Trivial(pl.samples) || !reached(&a.surfaces[0], pl.samples*a.info.BlockBytes) {
			return nil
		}
		key, ok := lowered.KeyOf(&c.ColorState)
		if !ok {
			return nil
		}
		key.Permutes = pl.x.permutesTables()
		l, err := pl.x.lowerPlaced(key, pl.samples)
		if l == nil || err != nil {
			return err
		}
		plan.tails[i] = &colorTail{loweredColor: l, key: key, program: pl.routine(l.routine), ctx: exec.Context{Push: lowered.Push(&c.ColorState)}}
	}
	var list []inputs.Input
	for i := range s.link.inputs {
		in := &s.link.inputs[i]
		kind := inputs.Word
		switch in.kind {
		case inputVarying:
			switch {
			case in.interp == ir.Flat:
			case in.aux == ir.AtCentroid && pl.samples > 1:
				return nil
			case in.interp == ir.Linear:
				kind = inputs.Linear
			default:
				kind = inputs.Perspective
			}
		case inputFragCoord:
			kind = inputs.CoordX + inputs.Input(in.comp&3)
		case inputFrontFacing, inputPrimitiveID, inputLayer, inputViewport, inputView, inputPerVertex, inputShadingRate, inputFragSize, inputFragInvocationCount, inputPrimitive, inputZero:
		default:
			return nil
		}
		list = append(list, kind)
	}
	l, err := pl.x.lowerInputs(list)
	if err != nil {
		return err
	}
	for i, at := range l.Values {
		in := &s.link.inputs[i]
		switch {
		case at == 0:
		case in.kind == inputVarying && in.interp != ir.Flat:
			plan.varied = append(plan.varied, varied{int32(at), int32(in.attr)})
		default:
			plan.fill = append(plan.fill, value{in, at})
		}
	}
	plan.inputs, plan.size, plan.programs = l, l.Size, [2]int{pl.routine(l.routines[0]), pl.routine(l.routines[1])}
	if s.masks {
		plan.takes = lowered.CoverageKey{Live: s.link.demotes, Mask: o.mask != none, Alpha: s.toCoverage, Samples: pl.samples}
		r, err := pl.x.lowerCoverage(plan.takes)
		if err != nil {
			return err
		}
		plan.coverage = pl.routine(*r)
	}
	plan.packs = s.packs(pl, p, s.late)
	s.placed = plan
	if err := plan.fuse(pl, s, list, s.late); err != nil {
		return err
	}
	return s.addDirect(pl, list)
}

// packs says that the quads of the state's fragments share places wherever they lie: their shader is worth it, and
// no texel is too small, where they are tested those of tests either.
func (s *drawState) packs(pl *passPlan, shader *ir.Program, tested bool) bool {
	if lengthOf(shader) < pl.x.packsFrom*pl.samples || !pl.x.packsQuads() || tested && (pl.stencil != nil || pl.depth != nil && pl.samples*pl.depth.surfaces[0].SampleBytes < 4) {
		return false
	}
	for i, c := range s.color {
		if c != nil && pl.samples*pl.color[i].info.BlockBytes < 4 {
			return false
		}
	}
	return true
}

// lengthOf is how much a shader has to do, in instructions.
func lengthOf(shader *ir.Program) int { return len(shader.Insts) + imageWorth*len(shader.ImageOps) }

// testsPlaced says that programs on places do all tests of the state.
func (s *drawState) testsPlaced(pl *passPlan) bool {
	for i := range s.tests {
		t := &s.tests[i]
		for _, n := range t.Tails {
			if t.Active() && (n == 0 || pl.testTails[n-1].placed == none) {
				return false
			}
		}
	}
	return true
}

// reads says that a fragment program looks at more than its own inputs at its own place.
func reads(p *ir.Program) bool {
	return blockHas(p, &p.Body, ir.OpInterpolateAt) || blockHas(p, &p.Body, ir.OpIsHelper)
}

// lowerPlaced is lower for programs on places.
func (x *Executor) lowerPlaced(key lowered.ColorKey, samples int) (*loweredColor, error) {
	l, err := kept(x.placedTails, placedKey{key, samples}, func() (*loweredColor, error) {
		c, err := lowered.LowerPlaced(key, samples)
		if c == nil || err != nil {
			return &loweredColor{}, err
		}
		r, err := x.cfg.Engine.Compile(c.Program)
		return &loweredColor{c, r}, err
	})
	if err != nil || l.Color == nil {
		return nil, err
	}
	return l, nil
}

// lowerCoverage is the program of what shaders do to coverage.
func (x *Executor) lowerCoverage(k lowered.CoverageKey) (*exec.Routine, error) {
	return kept(x.coverages, k, func() (*exec.Routine, error) {
		p, err := lowered.LowerCoverage(k)
		if err != nil {
			return nil, err
		}
		r, err := x.cfg.Engine.Compile(p)
		return &r, err
	})
}

// lowerInputs is the program of inputs.
func (x *Executor) lowerInputs(list []inputs.Input) (*loweredInputs, error) {
	key := make([]byte, len(list))
	for i, in := range list {
		key[i] = byte(in)
	}
	return kept(x.inputs, string(key), func() (*loweredInputs, error) {
		p, err := inputs.Lower(list)
		if err != nil {
			return nil, err
		}
		l := &loweredInputs{Inputs: p}
		for i, program := range [2]*ir.Program{p.Program, p.Affine} {
			if l.routines[i], err = x.cfg.Engine.Compile(program); err != nil {
				return nil, err
			}
		}
		return l, nil
	})
}

// placedBatch is what waits for shading in places.
type placedBatch struct {
	places  []exec.Place
	records []byte
	used    int // bytes of records
	// Records in a range have the constants of a plan and its tests already.
	constant struct {
		from, to int
		plan     *placedPlan
		tests    *testTail
	}
	// setup of chunk has the last record.
	setup *raster.Setup
	chunk *chunk
	last  uint32
	some  bool      // some set-up is not affine
	late  *testTail // tests after shading, nil where there are none
	// direct is the plan of what has come directly and is tested by its program, nil where the plan is that of the state.
	direct *placedPlan
	live   []uint32 // invocations

	in       [8][]uint32
	rows     [][]uint32 // of inputs, by number
	lanes    exec.Batch
	surfaces [ir.MaxSurfaces]exec.Surface
}

// placeable says that a set-up's planes are all there is to it.
func placeable(s *raster.Setup) bool { return !s.Thin && s.Kind != raster.KindBresenham }

// shadeBlock hands a block of the set-up to the batch: words are as in raster.Coverage.
func (w *worker) shadeBlock(c *chunk, s *raster.Setup, x, y int32, words []uint64) error {
	p := &w.placed
	words = words[:w.plan.samples]
	any := words[0]
	for _, m := range words[1:] {
		any |= m
	}
	if any == 0 {
		return nil
	}
	if err := w.roomForBlock(); err != nil {
		return err
	}
	if p.setup != s || p.chunk != c {
		if p.direct != nil {
			p.late = w.lateTail(c, s)
		} else if c.draw.state.late {
			if t := w.lateTail(c, s); t != p.late {
				if err := w.flush(); err != nil {
					return err
				}
				p.late = t
			}
		}
		w.newRecord(c, s)
	}
	if p.planOf(c.draw.state).packs {
		p.places = appendPacked(p.places, x, y, words, p.last)
	} else {
		p.places = appendPlaces(p.places, x, y, words, p.last)
	}
	w.stats.Fragments += uint64(bits.OnesCount64(any))
	return nil
}

// roomForBlock makes room for the places of a block, which no quads wait before.
func (w *worker) roomForBlock() error {
	if w.batch.n > 0 || len(w.placed.places)+raster.BlockPixels/2 > maxPlaces {
		return w.flush()
	}
	return nil
}

// planOf is how what waits of a state is shaded.
func (p *placedBatch) planOf(s *drawState) *placedPlan {
	if p.direct != nil {
		return p.direct
	}
	return s.placed
}

// lateTail is what tests a set-up's fragments after shading, or nil.
func (w *worker) lateTail(c *chunk, s *raster.Setup) *testTail {
	tests := &c.draw.state.tests[c.recs[s.Prim].viewport]
	if !tests.Active() {
		return nil
	}
	return w.tailOf(tests, !s.FrontFacing) // RAS-236
}

// newRecord writes the record of a set-up.
func (w *worker) newRecord(c *chunk, s *raster.Setup) {
	p, plan := &w.placed, w.placed.planOf(c.draw.state)
	size := plan.size
	record := p.records[p.used : p.used+size]
	p.setup, p.chunk, p.last = s, c, uint32(p.used)
	p.used += size
	plan.inputs.Write(record, s)
	p.some = p.some || !s.Affine
	p.writeConstants(record, plan)
	rec, stride := &c.recs[s.Prim], len(c.draw.state.link.attrs)
	a0, a1, a2 := c.attrs[int(rec.v[0])*stride:][:stride], c.attrs[int(rec.v[1])*stride:][:stride], c.attrs[int(rec.v[2])*stride:][:stride]
	le := binary.LittleEndian
	one, vertex := s.Kind == raster.KindPoint, 0
	if one {
		vertex = s.Vertex()
	}
	// RAS-190, RAS-249, RAS-253, RAS-281
	for _, in := range plan.varied {
		to := (*[12]byte)(record[in.at:])
		if one { // what is added is -0, which leaves every number as it is
			le.PutUint32(to[0:], c.attrs[int(rec.v[vertex])*stride+int(in.attr)])
			le.PutUint32(to[4:], 1<<31)
			le.PutUint32(to[8:], 1<<31)
			continue
		}
		v0 := math.Float32frombits(a0[in.attr])
		le.PutUint32(to[0:], math.Float32bits(v0))
		le.PutUint32(to[4:], math.Float32bits(math.Float32frombits(a1[in.attr])-v0))
		le.PutUint32(to[8:], math.Float32bits(math.Float32frombits(a2[in.attr])-v0))
	}

	for i := range plan.fill {
		in := &plan.fill[i]
		v := uint32(0)
		switch in.kind {
		case inputVarying:
			v = c.attrs[int(rec.provoking)*stride+in.attr] // RAS-067, RAS-282
		case inputPerVertex: // RAS-180, RAS-181, RAS-182
			v = c.attrs[int(rec.vertex(in.vertex))*stride+in.attr]
		default:
			v = w.uniformInput(in.fragmentInput, s, rec, c)
		}
		le.PutUint32(record[in.at:], v)
	}
}

// writeConstants writes what the records of all set-ups have in common, where the last one does not have it from a batch before.
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
		copy(record[plan.tail.TestsAt:], p.late.placedCtx.Push)
	}
}

// uniformInput is an input that all fragments of a primitive have, but for varyings.
//
// RAS-291 interfaces-builtin-variables
func (w *worker) uniformInput(in *fragmentInput, s *raster.Setup, rec *primRec, c *chunk) uint32 {
	switch in.kind {
	case inputFrontFacing: // RAS-289
		return maskOf(s.FrontFacing)
	case inputFragSize:
		return 1
	case inputFragInvocationCount: // RAS-179
		return uint32(w.batch.shares)
	case inputPrimitiveID:
		return rec.id
	case inputLayer:
		return uint32(rec.layer)
	case inputViewport:
		return uint32(rec.viewport)
	case inputView:
		return c.params.view
	case inputPrimitive:
		return c.flat[int(s.Prim)*len(c.draw.state.link.flat)+in.attr]
	}
	return 0 // RAS-148: the shading rate that is not one of larger fragments, and inputZero
}

// flushPlaces shades the places and stores their colours.
func (w *worker) flushPlaces() error {
	b, p := &w.batch, &w.placed
	st := b.draw.state
	n := ir.PlaceLanes * len(p.places)
	w.stats.Batches++
	w.stats.Lanes += uint64(n)
	p.rows = p.rows[:0]
	for i := range st.link.inputs {
		p.rows = append(p.rows, b.prog.in[st.link.inputs[i].slot])
	}
	p.lanes = exec.Batch{N: n, Out: p.rows, Places: p.places, Records: p.records}
	kind, plan := 1, p.planOf(st)
	if p.some {
		kind = 0
	}
	shader := b.prog
	if plan.fused[kind] != none {
		shader = w.byIndex[plan.fused[kind]]
		if plan.tail.Count > 0 {
			return w.runWhole(plan, shader)
		}
	} else {
		plan.fusion.lanes.Add(int64(n))
		if err := w.byIndex[plan.programs[kind]].run(&noDescriptors, &p.lanes); err != nil {
			return w.x.during(b.draw, err)
		}
	}
	w.defaults(st.link, n)
	p.lanes = exec.Batch{N: n, In: b.prog.in, Out: b.prog.out, Places: p.places, Records: p.records}
	if st.link.demotes {
		fill(p.live[:n], ^uint32(0))
		p.lanes.Live = p.live[:n]
	}
	if err := shader.run(b.draw.fragment.ctx, &p.lanes); err != nil {
		return w.x.during(b.draw, err)
	}
	if w.x.Stopped() {
		return w.x.during(b.draw, w.x.stopped())
	}
	if err := w.coverPlaces(st, n); err != nil {
		return w.x.during(b.draw, err)
	}
	if slot := st.link.outs.color[0].slot[3]; st.toOne && slot != none {
		fill(b.prog.out[slot][:n], fragops.AlphaOne) // RAS-318, RAS-319
	}
	for i, tail := range st.placed.tails {
		if tail == nil {
			continue
		}
		in := append(p.in[:0], b.prog.colors[st.location[i]][:]...)
		if tail.Second {
			in = append(in, b.prog.second[:]...)
		}
		dst := &w.tile.color[i]
		p.surfaces[0] = exec.Surface{Data: dst.Data, RowPitch: dst.RowPitch}
		p.lanes = exec.Batch{N: n, In: in, Places: p.places, Surfaces: p.surfaces[:1]}
		if err := w.byIndex[tail.program].run(&tail.ctx, &p.lanes); err != nil {
			return w.x.during(b.draw, err)
		}
	}
	p.reset()
	return nil
}

// runWhole runs a program that is all that happens to the places.
func (w *worker) runWhole(plan *placedPlan, program *program) error {
	b, p := &w.batch, &w.placed
	for k, i := range plan.surfaces {
		dst := &w.tile.color[i]
		p.surfaces[k] = exec.Surface{Data: dst.Data, RowPitch: dst.RowPitch}
	}
	if plan.tail.Tested {
		copy(p.surfaces[len(plan.surfaces):], w.placedTests.surfaces[:])
	}
	p.lanes = exec.Batch{N: ir.PlaceLanes * len(p.places), In: b.prog.in, Places: p.places, Records: p.records, Surfaces: p.surfaces[:]}
	err := program.run(b.draw.fragment.ctx, &p.lanes)
	if err == nil && w.x.Stopped() {
		err = w.x.stopped()
	}
	if err != nil {
		return w.x.during(b.draw, err)
	}
	w.countPlaces()
	if p.direct != nil {
		w.tightenFailed()
	}
	p.reset()
	return nil
}

// countPlaces counts the samples that tests after shading have left.
//
// RAS-330 fragops-samplecount
func (w *worker) countPlaces() {
	d := w.batch.draw
	if !d.state.late && w.placed.direct == nil || d.draw.Occlusion == 0 {
		return
	}
	for i := range w.placed.places {
		for _, m := range w.placed.places[i].Covered[:w.plan.samples] {
			w.occ[d.draw.Occlusion-1] += uint64(bits.OnesCount16(m))
		}
	}
}

// coverPlaces takes from the coverage what the shader and the tests after it take, and counts what is
// left of those.
func (w *worker) coverPlaces(st *drawState, n int) error {
	b, p, plan := &w.batch, &w.placed, st.placed
	if plan.coverage != none {
		in, o := p.in[:0], &st.link.outs
		if plan.takes.Live { // RAS-298
			in = append(in, p.live)
		}
		if plan.takes.Mask { // RAS-315
			in = append(in, b.prog.out[o.mask])
		}
		if plan.takes.Alpha { // RAS-317
			in = append(in, b.prog.out[o.color[0].slot[3]])
		}
		p.lanes = exec.Batch{N: n, In: in, Places: p.places}
		if err := w.byIndex[plan.coverage].run(&noDescriptors, &p.lanes); err != nil {
			return err
		}
	}
	if !st.late { // RAS-301
		return nil
	}
	if p.late != nil {
		if err := w.runPlaces(p.late.placed, &p.late.placedCtx, p.places, p.records); err != nil {
			return err
		}
	}
	w.countPlaces()
	return nil
}

// reset empties the batch.
func (p *placedBatch) reset() {
	p.places, p.used, p.setup, p.chunk, p.some = p.places[:0], 0, nil, nil, false
}

// prepare sizes it for the states of a plan.
func (p *placedBatch) prepare(pl *passPlan) {
	size := 0
	for i := range pl.draws {
		if st := pl.draws[i].state; st != nil && st.placed != nil {
			size = max(size, st.placed.size)
			if st.direct != nil {
				size = max(size, st.direct.size)
			}
		}
	}
	p.places, p.live = grow(p.places, maxPlaces), grow(p.live, maxPlaces*ir.PlaceLanes)
	p.records = grow(p.records, maxPlaces*size)
	p.direct, p.constant.plan, p.constant.tests = nil, nil, nil
	p.reset()
}
