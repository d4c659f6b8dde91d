package core

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/transfer"
	"github.com/pumice-gpu/pumice/vk"
)

// runner decodes the stream of one command buffer on the queue's goroutine and
// carries it out. State is resolved here, once for all draws that share it.
type runner struct {
	dev *Device
	op  Op // of the submission, for errors
	// What errors name: the command buffer in its submission, passes and dispatches
	// begun, transfers, and the draws of the present pass that have been carried out.
	number, passes, dispatches, transfers, drawsBefore int
	misreads                                           map[int][]string // by draw of the pass, for those who watch
	labels                                             []string
	marks                                              []labelMark // of the present pass, or part of one

	clock  *stopwatch
	spares *spares // of the queue
	brief  bool    // see Device.brief
	bindings
	tolerant bool // see CommandBuffer.Tolerate

	pass     *render.Pass
	info     *RenderingInfo
	active   [slots]*activeQuery // open queries, by slot
	counted  []*activeQuery      // by index in pass.Occlusion
	query    int                 // 1 + index of the open one
	stamps   []activeQuery       // timestamps to write when the pass ends
	barrier  bool                // the next draw waits for those before
	ordered  bool                // a barrier inside the pass has ordered its draws
	skip     bool                // conditional rendering leaves commands out
	pinned   bool                // see Device.pin
	unbacked memory.SparseSet    // sparse resources that lack memory somewhere

	capturing *render.Feedback // active transform feedback

	changes   uint64                         // counts dispatches and passes, after which sets in memory are read again
	wrote     bool                           // draws of the pass before a barrier may have written what sets in memory are read from
	large     map[largeArray]*heapPart       // see readLarge
	snapshots map[heapElements]*heapSnapshot // see snapshot
}

// bindings is the state that belongs to one command buffer.
type bindings struct {
	table []any

	points  [2]bindPoint // by vk.PipelineBindPoint
	buffers []uint64     // addresses of the descriptor buffers that are bound
	heaps   [heapKinds]heapRange
	push    [MaxPushBytes]byte
	// pushEnd is where what has been pushed ends; stale: it has changed since the
	// last copy. Bit i of pushSet is word i.
	pushEnd int
	pushSet uint64
	stale   bool
	pushed  []byte
	// emptied is spares.room's when contexts and pushed came from it.
	emptied uint32

	vertex     []render.VertexBuffer // by binding; replaced, never changed, once drawn with
	vertexUsed bool
	index      *render.IndexBuffer

	feedback [render.MaxFeedbackBuffers][]byte // bound

	input   *vertexInput // dynamic
	samples int          // dynamic
	dynamic render.DynamicState
	state   *render.DynamicState // of the next draw; nil: to be made
	// scissors have been set since state was made; nil: those of state hold.
	scissors *[render.MaxViewports]vk.Rect2D
	// resolved are the last states made since dynamic was changed.
	resolved [4]resolvedState
}

// resolvedState is the complete state of draws with a pipeline.
type resolvedState struct {
	of    *Pipeline
	state *render.DynamicState
}

// newBindings is the state that a command buffer begins with. Dynamic states that
// it leaves alone are neutral.
func newBindings(table []any) bindings {
	return bindings{table: table, dynamic: render.DefaultState()}
}

// bindings is newBindings with what the device's extensions make of it.
func (d *Device) bindings(table []any) bindings {
	b := newBindings(table)
	b.dynamic.CoverageReduction = d.coverageReduction()
	return b
}

// bindPoint is the state of graphics or compute.
type bindPoint struct {
	pipeline *Pipeline
	sets     [MaxDescriptorSets]boundSet
	contexts stageContexts               // of pipeline.programs
	misreads [maxStages][]string         // what their descriptors get wrong of layouts
	inMemory bool                        // some of sets may lie in memory
	mapped   [maxStages][]mappedResource // of a pipeline that uses heaps
}

// stageContexts are the engine contexts of a pipeline's programs; nil: to be made.
type stageContexts [maxStages]*exec.Context

// maxStages is the largest number of stages of a pipeline.
const maxStages = 5

// contextOf is where a draw has the context of a stage.
func contextOf(d *render.Draw, stage ir.Stage) **exec.Context {
	switch stage {
	case ir.StageVertex:
		return &d.Vertex
	case ir.StageControl:
		return &d.Control
	case ir.StageEvaluation:
		return &d.Evaluation
	case ir.StageGeometry:
		return &d.Geometry
	case ir.StageTask:
		return &d.Task
	case ir.StageMesh:
		return &d.Mesh
	default: // a draw has no others
		return &d.Fragment
	}
}

type boundSet struct {
	state   *setState
	offsets []uint32
	memory  *memorySet // where the set lies in memory, of which state is what was read
}

func wide(lo, hi uint32) uint64 { return uint64(lo) | uint64(hi)<<32 }

// submit carries out the stream of a primary command buffer.
func (r *runner) submit(ctx context.Context, words []uint32) error {
	defer func() {
		if r.pinned {
			r.dev.unpin()
		}
	}()
	r.unbacked = r.dev.unbacked()
	ctx = transfer.WithWorkers(ctx, r.dev.executor.Share)
	if e, ok := r.dev.engine.(exec.Texeler); ok {
		ctx = transfer.WithEngine(ctx, e.Texels())
	}
	return r.run(ctx, words)
}

// run carries out a stream.
func (r *runner) run(ctx context.Context, words []uint32) error {
	for len(words) > 0 {
		if err := r.share(ctx); err != nil {
			return err
		}
		op, n := opcode(words[0]>>24), words[0]&0xFFFFFF
		args := words[1 : 1+n]
		words = words[1+n:]
		if err := r.command(ctx, op, args); err != nil && !(r.tolerant && droppable(err)) {
			return err
		}
	}
	return nil
}

// command carries out one command.
func (r *runner) command(ctx context.Context, op opcode, a []uint32) error {
	switch op {
	case opBeginRendering:
		return r.beginRendering(r.table[a[0]].(*RenderingInfo))
	case opEndRendering:
		return r.endRendering(ctx)
	case opCustomResolve:
		return r.beginCustomResolve(ctx, r.table[a[0]].(*RenderingInfo))
	case opBindPipeline:
		r.bindPipeline(r.table[a[0]].(*Pipeline))
	case opBindSet:
		b := &r.points[a[0]]
		b.sets[a[1]] = boundSet{state: r.table[a[2]].(*setState), offsets: a[3:]}
		b.forget(a[1])
	case opBindBuffers:
		r.bindDescriptorBuffers(a)
	case opSetOffset:
		r.setOffset(a)
	case opBindHeap:
		r.heaps[a[0]] = heapRange{wide(a[1], a[2]), wide(a[3], a[4])}
	case opPush:
		for i, w := range a[1:] {
			binary.LittleEndian.PutUint32(r.push[int(a[0])+4*i:], w)
		}
		r.wrotePush(a[0], uint32(len(a)-1))
	case opVertexBuffer:
		r.bindVertexBuffer(a)
	case opIndexBuffer:
		r.index = &render.IndexBuffer{Type: vk.IndexType(a[5])}
		if a[0] != noObject {
			at, size := wide(a[1], a[2]), wide(a[3], a[4])
			r.index.Data = r.table[a[0]].(*Buffer).data[at : at+size]
		}
	case opRestartIndex:
		if r.index != nil { // earlier draws keep theirs
			x := *r.index
			x.RestartIndex, x.CustomRestart = a[0], true
			r.index = &x
		}
	case opDraw:
		return r.draw(ctx, func(d *render.Draw) {
			d.Count, d.Instances, d.First, d.FirstInstance = a[0], a[1], a[2], a[3]
			d.DrawIndex = drawIndex(a, 4)
		})
	case opDrawIndexed:
		return r.draw(ctx, func(d *render.Draw) {
			d.Index, d.Count, d.Instances, d.First = r.index, a[0], a[1], a[2]
			d.VertexOffset, d.FirstInstance, d.DrawIndex = int32(a[3]), a[4], drawIndex(a, 5)
		})
	case opDrawIndirect:
		return r.draw(ctx, func(d *render.Draw) {
			d.Indirect = &render.Indirect{
				Buffer: r.table[a[1]].(*Buffer).data, Offset: wide(a[2], a[3]), DrawCount: a[4], Stride: a[5],
			}
			if a[6] != noObject {
				d.Indirect.Count, d.Indirect.CountOffset = r.table[a[6]].(*Buffer).data, wide(a[7], a[8])
			}
			if a[0] != 0 {
				d.Index = r.index
			}
		})
	case opDrawMesh:
		return r.draw(ctx, func(d *render.Draw) { d.Groups = [3]uint32(a[:3]) })
	case opDispatch:
		return r.dispatch(ctx, [3]uint32(a[:3]), [3]uint32(a[3:6]))
	case opDispatchIndirect:
		return r.dispatchIndirect(ctx, r.table[a[0]].(*Buffer).data[wide(a[1], a[2]):])
	case opDynamic:
		m := dynState(a[0])
		r.resolved = [4]resolvedState{}
		if m == dynSamples {
			r.samples = int(a[1])
		} else if !dynElsewhere.has(m) {
			m.apply(&r.dynamic, a[1:])
		}
		if m != dynScissor || r.state == nil || r.dev.watcher != nil {
			r.state = nil
		} else if r.points[vk.PipelineBindPointGraphics].pipeline.dynamic.has(dynScissor) {
			own := r.dynamic.Scissors // draws differ in these alone, and many do
			r.scissors = &own
		}
	case opRateImage:
		r.dynamic.RateImage = nil
		if a[0] != noObject {
			r.dynamic.RateImage = r.table[a[0]].(*ImageView).view
		}
		r.state, r.resolved = nil, [4]resolvedState{}
	case opLabel:
		r.label(a[0])
	case opVertexInput:
		r.setVertexInput(r.table[a[0]].(*vertexInput))
	case opClearAttachments:
		r.clearAttachments(r.table[a[0]].(*clearInfo))
	case opBeginQuery:
		return r.beginQuery(ctx, r.table[a[0]].(*QueryPool), int(a[1]), a[2])
	case opEndQuery:
		return r.endQuery(ctx, r.table[a[0]].(*QueryPool), a[2])
	case opTimestamp:
		r.timestamp(r.table[a[0]].(*QueryPool), int(a[1]))
	case opBarrier:
		r.barrier, r.ordered = true, true
		r.wrote = r.pass != nil
		if r.pass != nil && r.loops() {
			return r.split(ctx)
		}
	case opGenerated:
		return r.table[a[0]].(transferCommand)(ctx, r)
	case opMarker:
		if r.pass != nil {
			if err := r.split(ctx); err != nil {
				return err
			}
		}
		return r.table[a[0]].(transferCommand)(ctx, r)
	case opExecute:
		return r.execute(ctx, r.table[a[0]].(*execution))
	case opTransfer:
		start := time.Now()
		err := ctx.Err()
		run, about := r.table[a[0]].(transferCommand), r.table[a[1]].(*about)
		where := func() string {
			return fmt.Sprintf("command buffer %d, transfer %d (%s)", r.number, r.transfers, about.op)
		}
		switch w := r.dev.watcher; {
		case err != nil:
		case w == nil:
			err = run(ctx, r)
		default:
			err = w.told(r, about, where(), func() error { return run(ctx, r) })
		}
		if b := r.dev.cfg.Readbacks; err == nil && b != nil && about.reads != nil {
			b.note(about.reads, where())
		}
		r.dev.addStats(func(s *Stats) { s.Transfer += time.Since(start) })
		r.discard()
		if r.transfers++; err != nil {
			return r.stoppedAt(r.transferPlace(err), err)
		}
	default:
		return r.dev.lose(r.op, fmt.Sprintf("unknown opcode %d in a command buffer", op), nil)
	}
	return nil
}

// bindPipeline makes p what its bind point draws or dispatches with.
func (r *runner) bindPipeline(p *Pipeline) {
	if r.points[p.point].pipeline == p {
		return
	}
	r.points[p.point].pipeline = p
	r.points[p.point].contexts = stageContexts{}
	r.points[p.point].mapped = [maxStages][]mappedResource{}
	if p.point == vk.PipelineBindPointGraphics {
		r.state = nil
	}
}

// wrotePush takes note of n words of push constants written from offset on.
func (r *runner) wrotePush(offset, n uint32) {
	r.pushEnd, r.stale = max(r.pushEnd, int(offset+4*n)), true
	r.pushSet |= pushWords(offset, n)
}

func (r *runner) bindVertexBuffer(a []uint32) {
	v := render.VertexBuffer{Stride: a[6], DynamicStride: a[7] != 0}
	if b := int(a[0]); !v.DynamicStride && b < len(r.vertex) {
		v.Stride, v.DynamicStride = r.vertex[b].Stride, r.vertex[b].DynamicStride // as it was set
	}
	if a[1] != noObject {
		at, size := wide(a[2], a[3]), wide(a[4], a[5])
		v.Data = r.table[a[1]].(*Buffer).data[at : at+size]
	}
	r.setVertexBuffer(a[0], v)
}

// setVertexBuffer binds a buffer; draws before keep those that they have.
func (r *runner) setVertexBuffer(binding uint32, v render.VertexBuffer) {
	if int(binding) < len(r.vertex) {
		b := &r.vertex[binding]
		if b.Stride == v.Stride && b.DynamicStride == v.DynamicStride &&
			sameBytes(b.Data, v.Data) && (b.Data == nil) == (v.Data == nil) {
			return // programs bind what is bound
		}
	}
	if r.vertexUsed || int(binding) >= len(r.vertex) {
		grown := make([]render.VertexBuffer, max(len(r.vertex), int(binding)+1))
		copy(grown, r.vertex)
		r.vertex, r.vertexUsed = grown, false
	}
	r.vertex[binding] = v
}

// contexts returns the engine contexts of a bind point's programs. Draws share those
// that nothing has changed for.
func (r *runner) contexts(point vk.PipelineBindPoint) *stageContexts {
	b, room := &r.points[point], &r.spares.room
	if r.pass == nil && room.many() {
		room.empty()
	}
	if r.emptied != room.emptied {
		r.emptied, r.pushed = room.emptied, nil
		for i := range r.points {
			r.points[i].contexts = stageContexts{}
		}
	}
	if r.stale || r.pushed == nil {
		r.pushed = room.bytes(r.push[:r.pushEnd])
		r.stale = false
		for i := range r.points {
			for k, c := range r.points[i].contexts {
				if c != nil && r.points[i].pipeline.programs[k].PushBytes > 0 {
					next := r.context(c.Resources, c.Addresses)
					next.Outside, next.Images = c.Outside, c.Images
					r.points[i].contexts[k] = next
				}
			}
		}
	}
	switch {
	case b.pipeline.mapped != nil:
		r.readHeaps(b)
	case b.inMemory:
		r.readSets(b)
	}
	for i, p := range b.pipeline.programs {
		if b.contexts[i] == nil {
			if r.dev.cfg.TrackLayouts {
				b.misreads[i] = r.checkLayouts(b, i)
			}
			bound := b.resources(i)
			b.contexts[i] = r.context(r.dev.windows(p, bound), r.addresses(p))
			if r.dev.cfg.CheckImages {
				b.contexts[i].Images = r.checkImages(b, i, bound)
			}
			if r.dev.cfg.CheckRanges {
				r.checkWritten(b, i)
				r.checkRanges(b, i, bound)
				b.contexts[i].Outside = r.outside(b, i, bound)
			}
		}
	}
	return &b.contexts
}

// context makes an engine context with the present push constants.
func (r *runner) context(resources [][]exec.Descriptor, addresses exec.Addresses) *exec.Context {
	c := r.spares.room.context()
	// Field by field: a struct would be made elsewhere and copied.
	c.Resources, c.Push, c.Addresses, c.Sparse = resources, r.pushed, addresses, r.unbacked
	c.Fuel, c.Stop, c.Print = r.dev.cfg.LoopBudget, r.dev.stop, r.dev.prints
	return c
}

// forget drops the contexts of the programs that use a set.
func (b *bindPoint) forget(set uint32) {
	if b.pipeline == nil || b.pipeline.mapped != nil {
		return
	}
	for i, p := range b.pipeline.programs {
		for k := range p.Resources {
			if p.Resources[k].Set == set {
				b.contexts[i] = nil
				break
			}
		}
	}
}

// addresses is what a program's device addresses lead to; nil if it has none.
func (r *runner) addresses(p *ir.Program) exec.Addresses {
	if !p.UsesAddresses {
		return nil
	}
	r.pin()
	return &r.dev.addresses
}

// pin keeps the memory behind addresses until the command buffer is carried out.
func (r *runner) pin() {
	if !r.pinned {
		r.pinned = true
		r.dev.pin()
	}
}

// slotOf is what a resource of a program is bound to.
func (b *bindPoint) slotOf(program, resource int) *slot {
	if b.pipeline.mapped != nil {
		return &b.mapped[program][resource].have
	}
	res := &b.pipeline.programs[program].Resources[resource]
	set := &b.sets[res.Set]
	return &set.state.slots[set.state.layout.find(res.Binding)]
}

// resources lists the descriptors of a program's resources.
func (b *bindPoint) resources(program int) [][]exec.Descriptor {
	p := b.pipeline.programs[program]
	out := make([][]exec.Descriptor, len(p.Resources))
	for i := range p.Resources {
		res := &p.Resources[i]
		if res.Kind == ir.TileImage {
			continue // package render knows the attachments
		}
		slot := b.slotOf(program, i)
		out[i] = slot.descriptors
		if b.pipeline.mapped != nil {
			continue
		}
		set := &b.sets[res.Set]
		at := set.state.layout.find(res.Binding)
		if !isDynamic(set.state.layout.bindings[at].Type) {
			continue
		}
		first := 0 // of the binding's dynamic offsets
		for _, before := range set.state.layout.bindings[:at] {
			if isDynamic(before.Type) {
				first += int(before.Count)
			}
		}
		moved := make([]exec.Descriptor, len(slot.descriptors))
		for k := range moved {
			moved[k], _ = slot.at(k, set.offsets[first+k]) // cut where it leaves the buffer
		}
		out[i] = moved
	}
	return out
}

// draw appends a draw to the pass, with the state that is bound; numbers gives it the command's.
func (r *runner) draw(ctx context.Context, numbers func(*render.Draw)) error {
	if r.skip {
		return nil
	}
	b := &r.points[vk.PipelineBindPointGraphics]
	p := b.pipeline
	if (b.inMemory || p.mapped != nil) && r.wrote {
		if err := r.split(ctx); err != nil {
			return err
		}
		r.wrote = false
	}
	form, err := p.drawn(r.op, r.input, r.dynamic.RasterizationStream)
	if err != nil {
		return err
	}
	if r.state == nil {
		r.state, r.scissors = r.stateOf(p), nil
	}
	if n := r.sampleCount(p); r.pass.Samples != n && (r.info.samples == 0 || r.dev.mixes(r.info)) {
		if err := r.split(ctx); err != nil { // variableMultisampleRate
			return err
		}
		r.pass.Samples = n
	}
	c := r.contexts(vk.PipelineBindPointGraphics)
	at := len(r.pass.Draws)
	r.pass.Draws = slices.Grow(r.pass.Draws, 1)[:at+1]
	d := &r.pass.Draws[at] // in its place, field by field: there may be very many
	*d = render.Draw{}
	numbers(d)
	d.Pipeline, d.State, d.Scissors, d.VertexBuffers = form, r.state, r.scissors, r.vertex
	if !p.dynamic.hasAny(dynStride, dynVertexInput) {
		d.VertexBuffers = withoutStrides(r.vertex)
	}
	for i, prog := range p.programs {
		*contextOf(d, prog.Stage) = c[i]
	}
	d.Occlusion, d.Barrier = r.query, r.barrier
	d.Feedback = r.capturing
	r.barrier = false
	r.vertexUsed = true
	if r.dev.watcher != nil && r.dev.cfg.TrackLayouts {
		if r.misreads == nil {
			r.misreads = map[int][]string{}
		}
		r.misreads[at] = slices.Concat(b.misreads[:len(p.programs)]...)
	}
	if r.dev.watcher != nil && p.traces != nil {
		d.Traced = p.traced
		d.Names = p.interfaceNames()
	}
	if r.dev.cfg.CheckDraws {
		r.checkedDraw(p)
	}
	return nil
}

// stateOf is the complete state of draws with p, kept since programs go to and fro.
func (r *runner) stateOf(p *Pipeline) *render.DynamicState {
	list := r.resolved[:]
	at := slices.IndexFunc(list, func(s resolvedState) bool { return s.of == p })
	if at < 0 {
		copy(list[1:], list)
		at, list[0] = 0, resolvedState{p, r.resolve(p)}
	}
	return list[at].state
}

// resolve makes the complete state of draws with p.
func (r *runner) resolve(p *Pipeline) *render.DynamicState {
	s := p.static
	p.dynamic.merge(&s, &r.dynamic) // RAS-020
	s.RateImage = r.dynamic.RateImage
	if p.viewports != 0 {
		s.ViewportCount = p.viewports
	}
	if p.clipFollows { // RAS-009, RAS-015
		s.DepthClipEnable = !s.DepthClampEnable
	}
	if p.dynamic.has(dynSamples) {
		p.sampleShading(&s, r.sampleCount(p))
	}
	p.leaveUnused(&s)
	return &s
}

// sampleCount is the number of samples that draws with p have.
func (r *runner) sampleCount(p *Pipeline) int {
	if p.dynamic.has(dynSamples) {
		return max(r.samples, 1)
	}
	return p.samples
}

// withoutStrides returns vertex buffers for a pipeline that has its own strides.
func withoutStrides(list []render.VertexBuffer) []render.VertexBuffer {
	for i := range list {
		if list[i].DynamicStride {
			list = slices.Clone(list)
			for k := range list {
				list[k].DynamicStride = false
			}
			return list
		}
	}
	return list
}

func (r *runner) dispatch(ctx context.Context, base, groups [3]uint32) error {
	if r.skip {
		return nil
	}
	start := time.Now()
	p := r.points[vk.PipelineBindPointCompute].pipeline
	if q := r.active[slotStatistics]; q != nil {
		n := uint64(1)
		for i, size := range p.programs[0].LocalSize {
			n *= uint64(groups[i]) * uint64(size)
		}
		q.compute += n
	}
	if r.dev.cfg.CheckDraws {
		r.checkedDispatch(p, groups)
	}
	run := func() error {
		return r.dev.executor.Dispatch(ctx, r, p.compute, r.contexts(vk.PipelineBindPointCompute)[0], base, groups)
	}
	var err error
	if w := r.dev.watcher; w != nil {
		err = w.dispatch(ctx, r, p, base, groups, run)
	} else {
		err = run()
	}
	r.dev.addStats(func(s *Stats) { s.Dispatches++; s.Compute += time.Since(start) })
	if err != nil {
		err = r.failure(r.dispatchPlace(p, groups), err)
	}
	r.dispatches++
	r.changes++
	return err
}

func (r *runner) dispatchIndirect(ctx context.Context, b []byte) error {
	if r.skip {
		return nil
	}
	var groups [3]uint32
	for i := range groups {
		groups[i] = binary.LittleEndian.Uint32(b[4*i:])
		if groups[i] > render.MaxGroups(i) {
			return r.dev.misuse("vkCmdDispatchIndirect", fmt.Sprintf("VkDispatchIndirectCommand-%c-%05d", 'x'+i, 417+i), "", "%d workgroups; %d is the limit", groups[i], render.MaxGroups(i))
		}
	}
	return r.dispatch(ctx, [3]uint32{}, groups)
}

// failure gives errors of package render their place. It begins with what.
func (r *runner) failure(what string, err error) error {
	var (
		pass  *render.PassError
		fuel  *exec.FuelError
		state *fragops.StateError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &pass):
		return r.dev.report(&Error{Op: string(r.op), Rule: vuid(pass.Rule), Detail: fmt.Sprintf("%s: draw %d: %s", what, pass.Draw, pass.What), Hint: pass.Fix, Err: pass.Err})
	case errors.As(err, &state):
		return r.dev.report(&Error{Op: string(r.op), Rule: state.Rule, Detail: what + ": " + state.What, Hint: state.Fix})
	case errors.As(err, &fuel):
		return r.dev.report(&Error{Op: string(r.op), Rule: "loop budget", Detail: what, Hint: "end the loop, or raise PUMICE_LOOP_BUDGET", Err: err})
	}
	return r.stoppedAt(what, err) // the queue knows workers' panics and contexts
}

// beginRendering prepares a pass.
func (r *runner) beginRendering(info *RenderingInfo) error {
	r.info, r.barrier, r.ordered = info, false, false
	r.passes, r.drawsBefore = r.passes+1, 0
	r.pass = &render.Pass{Draws: r.spares.takeDraws(), Area: info.Area, Layers: max(info.LayerCount, 1), ViewMask: info.ViewMask, Samples: info.samples}
	if info.Rate != nil {
		r.pass.Rate = &rates.Attachment{View: info.Rate.view, Texel: info.RateTexel}
	}
	r.pass.Density = info.density()
	for i := range info.Color {
		r.pass.Color = append(r.pass.Color, attachment(&info.Color[i]))
	}
	if info.Depth != nil && info.Depth.View != nil {
		a := attachment(info.Depth)
		r.pass.Depth = &a
	}
	if info.Stencil != nil && info.Stencil.View != nil {
		a := attachment(info.Stencil)
		r.pass.Stencil = &a
	}
	if err := r.multisample(info); err != nil {
		return err
	}
	if r.marks = r.marks[:0]; len(r.labels) > 0 {
		r.mark()
	}
	r.pass.CountAll, r.pass.CountStreams = r.active[slotStatistics] != nil, r.countsStreams()
	r.count()
	return nil
}

func attachment(a *RenderingAttachment) render.Attachment {
	if a.View == nil {
		return render.Attachment{}
	}
	out := render.Attachment{
		View: a.View.view, ResolveMode: a.ResolveMode, SkipTransfer: a.SkipTransfer, Load: a.Load, Store: a.Store, LoadMask: a.loadMask,
		ClearDepth: a.Clear.DepthStencil.Depth, ClearStencil: a.Clear.DepthStencil.Stencil,
	}
	if a.View.view.Info != nil {
		out.ClearColor = transfer.ColorTexel(a.View.view.Info, a.Clear.Color)
	}
	if a.Resolve != nil {
		out.Resolve = a.Resolve.view
	}
	return out
}

// endRendering runs the pass.
func (r *runner) endRendering(ctx context.Context) error {
	p := r.pass
	r.pass, r.capturing = nil, nil
	err := r.runPass(ctx, p)
	if err == nil || r.tolerant && droppable(err) { // the queries of a pass that is left out end, too
		r.finishQueries(p)
	}
	r.spares.keepDraws(p.Draws)
	r.spares.room.empty()
	return err
}

// runPass runs a pass, or a part of one.
func (r *runner) runPass(ctx context.Context, p *render.Pass) error {
	if w := r.dev.watcher; w != nil {
		defer w.pass(r, p)()
	}
	stats, err := r.dev.executor.Run(ctx, p)
	r.discard()
	r.changes, r.wrote = r.changes+1, false
	for _, q := range r.active[slotStatistics:] {
		if q != nil {
			q.stats.Add(stats)
		}
	}
	r.dev.addStats(func(s *Stats) {
		s.Render.Add(stats)
		s.Passes++
		s.Draws += uint64(len(p.Draws))
	})
	var during *render.DrawError
	if errors.As(err, &during) {
		return r.failure(r.drawPlace(p, during.Draw), during.Err)
	}
	return r.failure("render pass", err)
}

// clearAttachments appends clears to the pass.
func (r *runner) clearAttachments(info *clearInfo) {
	if r.skip {
		return
	}
	for _, a := range info.attachments {
		c := &render.Clear{Aspect: a.AspectMask, ColorAttachment: int(a.ColorAttachment),
			Depth: a.ClearValue.DepthStencil.Depth, Stencil: a.ClearValue.DepthStencil.Stencil, Rects: info.rects}
		if a.AspectMask == vk.ImageAspectColorBit {
			if uint64(a.ColorAttachment) >= uint64(len(r.info.Color)) || r.info.Color[a.ColorAttachment].View == nil {
				continue // clearing an unused attachment does nothing
			}
			view := r.info.Color[a.ColorAttachment].View
			c.Color = transfer.ColorTexel(view.view.Info, a.ClearValue.Color)
		}
		r.pass.Draws = append(r.pass.Draws, render.Draw{Clear: c})
	}
}
