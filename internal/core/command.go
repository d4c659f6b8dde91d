package core

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// opcode names a command of the stream. A command is one word, opcode<<24 |
// number of argument words, and its arguments. Objects are indices into the
// command buffer's table; 64-bit values are two words, low first.
type opcode uint32

const (
	opBeginRendering   opcode = iota // table: *RenderingInfo
	opEndRendering                   //
	opCustomResolve                  // table: *RenderingInfo
	opBindPipeline                   // table: *Pipeline
	opBindSet                        // bind point, set number, table: *setState, dynamic offsets…
	opBindBuffers                    // address² of each descriptor buffer
	opSetOffset                      // bind point, set number, table: *DescriptorSetLayout, descriptor buffer, offset²
	opBindHeap                       // HeapKind, address², size²
	opPush                           // offset in bytes, words…
	opVertexBuffer                   // binding, table: *Buffer (or noObject), offset², size², stride, 1 if the stride counts
	opIndexBuffer                    // table: *Buffer, offset², size², vk.IndexType
	opDraw                           // vertices, instances, first vertex, first instance
	opDrawIndexed                    // indices, instances, first index, vertex offset, first instance
	opDrawIndirect                   // 1 if indexed, table: *Buffer, offset², count, stride, table: count *Buffer (or noObject), offset²
	opDispatch                       // base³, groups³
	opDispatchIndirect               // table: *Buffer, offset²
	opDynamic                        // dynState, words as its apply reads them
	opClearAttachments               // table: *clearInfo
	opBeginQuery                     // table: *QueryPool, query, index
	opEndQuery                       // likewise
	opTimestamp                      // likewise
	opTransfer                       // table: transferCommand
	opBarrier                        // inside a pass
	opExecute                        // table: *execution
	opVertexInput                    // table: *vertexInput
	opGenerated                      // table: transferCommand; it may draw
	opMarker                         // table: transferCommand; inside a pass it ends what was drawn before
	opDrawMesh                       // groups³
	opRateImage                      // table: *ImageView (or noObject)
	opRestartIndex                   // primitive restart index
	opLabel                          // table: label (or noObject: the end of one)
)

// noObject is the table index of no object.
const noObject = ^uint32(0)

// CommandBuffer records commands. One goroutine at a time. The first error
// sticks.
type CommandBuffer struct {
	dev   *Device
	words []uint32
	table []any
	index map[any]uint32 // objects (not payloads) in table

	recent [4]recentObject // objects found last
	next   int             // where the next goes
	err    error

	called    Op // see Called
	secondary bool
	tolerant  bool // see Tolerate
	late      bool // the table has sets that are resolved when it is submitted

	recording
}

// recording is the state that validation needs.
type recording struct {
	pass        *RenderingInfo
	subpasses   *subpassState // of a render pass with subpasses
	pipelines   [2]*Pipeline  // by vk.PipelineBindPoint
	objects     boundObjects  // instead of a graphics pipeline
	sets        [2][MaxDescriptorSets]boundLayout
	checked     [2]bool // pipeline and sets fit together
	vertex      uint32  // vertex bindings bound
	indexed     bool
	dynamic     dynSet       // states set
	stride      uint32       // bindings whose stride was set
	input       *vertexInput // the last
	samples     int          // of the last SetRasterizationSamples
	discards    bool         // the last SetRasterizerDiscardEnable
	open        openQueries
	conditional bool
	capturing   bool // transform feedback is active
	viewports   int  // of the last SetViewport
	scissors    int
	rates       bool // a shading rate image is bound
}

// NewCommandBuffer makes an empty command buffer. A nil or closed device shows
// up as the buffer's error.
func (d *Device) NewCommandBuffer() *CommandBuffer {
	c := &CommandBuffer{dev: d}
	c.err = d.usable("vkAllocateCommandBuffers")
	return c
}

// Err returns the first recording error.
func (c *CommandBuffer) Err() error {
	if c == nil {
		return nilObject("recording", "command buffer")
	}
	return c.err
}

// Fail records an error found by the caller.
func (c *CommandBuffer) Fail(err error) {
	if c != nil && c.err == nil {
		c.err = err
	}
}

// Refuse is Fail for an error that Config.Debug has not been told of.
func (c *CommandBuffer) Refuse(err error) {
	if c != nil && c.err == nil {
		c.err = c.dev.report(err)
	}
}

// Device returns the device that made the command buffer.
func (c *CommandBuffer) Device() *Device { return c.dev }

// Reset empties the command buffer, which is a primary one then. Submitted work
// keeps its commands, and so do command buffers that execute it.
func (c *CommandBuffer) Reset() {
	if c == nil {
		return
	}
	*c = CommandBuffer{dev: c.dev}
	c.err = c.dev.usable("vkResetCommandBuffer")
}

// Called says which command is recorded next, for messages, where several of the caller's do the
// same.
func (c *CommandBuffer) Called(command string) { c.called = Op(command) }

// op is the command that is recorded: known, or what the caller says.
func (c *CommandBuffer) op(known Op) Op {
	if c == nil || c.called == "" {
		return known
	}
	return c.called
}

// misuse records a broken rule.
func (c *CommandBuffer) misuse(op Op, rule, hint, detail string, args ...any) {
	if c != nil && c.err == nil {
		c.err = c.dev.misuse(op, rule, hint, detail, args...)
	}
}

// ok says whether recording goes on, and that op stands where it may: in a
// render pass (1), outside (-1) or anywhere (0).
func (c *CommandBuffer) ok(op Op, where int) bool {
	switch {
	case c == nil || c.err != nil:
		return false
	case where > 0 && c.pass == nil:
		c.misuse(op, "renderpass", "record it between vkCmdBeginRendering and vkCmdEndRendering", "no render pass has begun")
	case where < 0 && c.pass != nil:
		c.misuse(op, "renderpass", "end the pass before", "inside a render pass")
	}
	return c.err == nil
}

// try records an error; true if there is none.
func (c *CommandBuffer) try(err error) bool {
	if err != nil && c.err == nil {
		c.err = err
	}
	return c.err == nil
}

// Reserve makes room for commands of about so many words, which is less work than to grow.
func (c *CommandBuffer) Reserve(words int) {
	if c != nil {
		c.words = slices.Grow(c.words, words)
	}
}

// emit appends a command.
func (c *CommandBuffer) emit(op opcode, args ...uint32) {
	c.words = append(append(c.words, uint32(op)<<24|uint32(len(args))), args...)
}

// object returns the table index of an object, adding it once.
func (c *CommandBuffer) object(o any) uint32 {
	for i := range c.recent {
		if r := &c.recent[i]; r.o == o {
			return r.at
		}
	}
	at := c.find(o)
	c.recent[c.next%len(c.recent)] = recentObject{o, at}
	c.next++
	return at
}

// recentObject is an object that was used lately and its place in the table.
type recentObject struct {
	o  any
	at uint32
}

func (c *CommandBuffer) find(o any) uint32 {
	if at, ok := c.index[o]; ok {
		return at
	}
	if c.index == nil {
		c.index = map[any]uint32{}
	}
	at := c.payload(o)
	c.index[o] = at
	return at
}

// payload adds a value to the table.
func (c *CommandBuffer) payload(v any) uint32 {
	c.table = append(c.table, v)
	return uint32(len(c.table) - 1)
}

func lo(v uint64) uint32 { return uint32(v) }
func hi(v uint64) uint32 { return uint32(v >> 32) }

// BindPipeline selects the pipeline of draws or dispatches.
func (c *CommandBuffer) BindPipeline(op Op, point vk.PipelineBindPoint, p *Pipeline) {
	if !c.ok(op, 0) {
		return
	}
	if p == nil {
		c.misuse(op, "vkCmdBindPipeline-pipeline-parameter", "", "the pipeline is nil")
		return
	}
	if !c.try(p.use(c.dev, op)) {
		return
	}
	if p.point != point {
		c.misuse(op, "vkCmdBindPipeline-pipelineBindPoint-00779", "", "%s at bind point %v", p.label(), point)
		return
	}
	if point == vk.PipelineBindPointGraphics {
		c.objects = boundObjects{}
	}
	c.pipelines[point], c.checked[point] = p, false
	c.emit(opBindPipeline, c.object(p))
}

// boundLayout is what validation knows of a bound set.
type boundLayout struct {
	layout *DescriptorSetLayout // nil: nothing is bound
	state  *setState            // nil: not known before submission
	pushed bool
}

// BindDescriptorSet binds a set as it is now. dynamicOffsets has one element for
// each dynamic descriptor of the set. Sets stay bound whatever pipeline is bound
// next.
func (c *CommandBuffer) BindDescriptorSet(op Op, point vk.PipelineBindPoint, number int, s *DescriptorSet, dynamicOffsets []uint32) {
	if !c.checkSet(op, point, number, s, dynamicOffsets) {
		return
	}
	state := s.snapshot()
	if !c.checkDynamic(op, state, dynamicOffsets) {
		return
	}
	c.bindSet(point, number, boundLayout{layout: s.layout, state: state}, state, dynamicOffsets)
}

// bindSet records a bound set: a *setState or, to be resolved when it is
// submitted, a *DescriptorSet.
func (c *CommandBuffer) bindSet(point vk.PipelineBindPoint, number int, b boundLayout, set any, dynamicOffsets []uint32) {
	c.sets[point][number], c.checked[point] = b, false
	c.late = c.late || b.state == nil
	at := c.object(set)
	c.words = append(c.words, uint32(opBindSet)<<24|uint32(3+len(dynamicOffsets)), uint32(point), uint32(number), at)
	c.words = append(c.words, dynamicOffsets...)
}

// checkSet checks the arguments of a bind command.
func (c *CommandBuffer) checkSet(op Op, point vk.PipelineBindPoint, number int, s *DescriptorSet, dynamicOffsets []uint32) bool {
	switch {
	case !c.ok(op, 0):
	case point != vk.PipelineBindPointGraphics && point != vk.PipelineBindPointCompute:
		c.misuse(op, "vkCmdBindDescriptorSets-pipelineBindPoint-parameter", "", "bind point %v", point)
	case number < 0 || number >= MaxDescriptorSets:
		c.misuse(op, "vkCmdBindDescriptorSets-firstSet-00360", "", "set number %d; %d sets is the limit", number, MaxDescriptorSets)
	case s == nil:
		c.misuse(op, "vkCmdBindDescriptorSets-pDescriptorSets-parameter", "", "the set is nil")
	case !c.try(s.use(c.dev, op)):
	case len(dynamicOffsets) != s.layout.dynamic:
		c.misuse(op, "vkCmdBindDescriptorSets-dynamicOffsetCount-00359", "", "%d dynamic offsets for %d dynamic descriptors", len(dynamicOffsets), s.layout.dynamic)
	default:
		return true
	}
	return false
}

// checkDynamic checks dynamic offsets against the descriptors that they move.
func (c *CommandBuffer) checkDynamic(op Op, s *setState, offsets []uint32) bool {
	for i, b := range s.layout.bindings {
		if !isDynamic(b.Type) {
			continue
		}
		for k := range s.slots[i].descriptors {
			offset := offsets[0]
			offsets = offsets[1:]
			if offset%4 != 0 {
				c.misuse(op, "vkCmdBindDescriptorSets-pDynamicOffsets-01971", "", "dynamic offset %d is no multiple of 4", offset)
				return false
			}
			if _, ok := s.slots[i].at(k, offset); !ok {
				if !c.try(c.dev.harmless(op, "vkCmdBindDescriptorSets-pDescriptorSets-01979", "", "binding %d: dynamic offset %d takes the range beyond the buffer", b.Binding, offset)) {
					return false
				}
			}
		}
	}
	return true
}

// PushConstants writes bytes of the push-constant block.
func (c *CommandBuffer) PushConstants(op Op, offset uint32, data []byte) {
	if !c.ok(op, 0) {
		return
	}
	switch {
	case offset%4 != 0:
		c.misuse(op, "vkCmdPushConstants-offset-00368", "", "offset %d is no multiple of 4", offset)
	case len(data)%4 != 0 || len(data) == 0:
		c.misuse(op, "vkCmdPushConstants-size-00369", "", "%d bytes; a multiple of 4 above 0 is needed", len(data))
	case uint64(offset)+uint64(len(data)) > MaxPushBytes:
		c.misuse(op, "vkCmdPushConstants-size-00371", "use a uniform buffer", "%d bytes at offset %d; %d is the limit", len(data), offset, MaxPushBytes)
	default:
		c.pushWords(offset, data)
	}
}

// pushWords records whole words that are pushed.
func (c *CommandBuffer) pushWords(offset uint32, data []byte) {
	c.words = append(c.words, uint32(opPush)<<24|uint32(1+len(data)/4), offset)
	for ; len(data) > 0; data = data[4:] {
		c.words = append(c.words, binary.LittleEndian.Uint32(data))
	}
}

// Dispatch runs groups from base on.
func (c *CommandBuffer) Dispatch(op Op, base, groups [3]uint32) {
	if !c.ok(op, -1) || !c.checkBindings(op, vk.PipelineBindPointCompute) {
		return
	}
	for i := range 3 {
		if uint64(base[i])+uint64(groups[i]) > uint64(render.MaxGroups(i)) {
			c.misuse(op, fmt.Sprintf("vkCmdDispatch-groupCount%c-%05d", 'X'+i, 386+i), "loop inside the shader or dispatch several times", "%d workgroups from %d; %d is the limit", groups[i], base[i], render.MaxGroups(i))
			return
		}
	}
	c.emit(opDispatch, base[0], base[1], base[2], groups[0], groups[1], groups[2])
}

// DispatchIndirect reads the groups from a VkDispatchIndirectCommand.
func (c *CommandBuffer) DispatchIndirect(op Op, b *Buffer, offset uint64) {
	if !c.ok(op, -1) || !c.checkBindings(op, vk.PipelineBindPointCompute) {
		return
	}
	if offset%4 != 0 {
		c.misuse(op, "vkCmdDispatchIndirect-offset-02710", "", "offset %d is no multiple of 4", offset)
		return
	}
	if c.try(b.need(c.dev, op, "vkCmdDispatchIndirect-buffer-02709", vk.BufferUsageIndirectBufferBit)) &&
		c.try(b.inRange(op, "vkCmdDispatchIndirect-offset-00407", offset, 12)) {
		c.emit(opDispatchIndirect, c.object(b), lo(offset), hi(offset))
	}
}

// PipelineBarrier checks barriers. Outside of render passes they are not needed:
// commands run in order. Inside, what was drawn before is finished before what
// comes next begins.
func (c *CommandBuffer) PipelineBarrier(op Op, barriers []vk.MemoryBarrier2) {
	if !c.ok(op, 0) {
		return
	}
	if c.pass != nil {
		c.emit(opBarrier)
	}
	for _, b := range barriers {
		if b.SrcAccessMask != 0 && b.SrcStageMask == 0 || b.DstAccessMask != 0 && b.DstStageMask == 0 {
			c.misuse(op, "VkMemoryBarrier2-srcAccessMask-03900", "name the stages of the accesses", "accesses without stages")
			return
		}
	}
}

// checkBindings checks that a pipeline is bound and that the sets have what it
// uses.
func (c *CommandBuffer) checkBindings(op Op, point vk.PipelineBindPoint) bool {
	p := c.pipelines[point]
	if p == nil {
		c.misuse(op, op.command()+"-None-08606", "call vkCmdBindPipeline before", "no pipeline is bound")
		return false
	}
	if c.checked[point] {
		return true
	}
	for _, prog := range p.programs {
		for i := range prog.Resources {
			if p.mapped == nil && prog.Resources[i].Kind != ir.TileImage && !c.checkResource(op, p, &prog.Resources[i], c.sets[point][:]) {
				return false
			}
		}
	}
	c.checked[point] = true
	return true
}

func (c *CommandBuffer) checkResource(op Op, p *Pipeline, r *ir.Resource, sets []boundLayout) bool {
	s := &sets[r.Set]
	if s.layout == nil {
		c.misuse(op, op.command()+"-None-08600", "call vkCmdBindDescriptorSets before", "%s uses set %d (%s), which is not bound", p.label(), r.Set, r.Name)
		return false
	}
	i := s.layout.find(r.Binding)
	if i < 0 {
		c.misuse(op, op.command()+"-None-08600", "use a set made for this pipeline", "set %d has no binding %d, which %s uses (%s)", r.Set, r.Binding, p.label(), r.Name)
		return false
	}
	b := s.layout.bindings[i]
	fits := false
	for _, k := range b.kinds() {
		fits = fits || k == r.Kind
	}
	if !fits || b.Count < r.Count {
		c.misuse(op, op.command()+"-None-08600", "use a set made for this pipeline", "set %d, binding %d is %d × %v, which does not fit %s", r.Set, r.Binding, b.Count, b.Type, r.Name)
		return false
	}
	// Elements of arrays may be left out: they are null descriptors.
	if s.state == nil || s.pushed || b.Flags&vk.DescriptorBindingPartiallyBoundBit != 0 {
		return true
	}
	if o := s.state.slots[i].owners; len(o) == 1 && !o[0].written {
		c.misuse(op, op.command()+"-None-08114", "bind it, or nil for the null descriptor", "nothing is bound to set %d, binding %d (%s), which %s uses", r.Set, r.Binding, r.Name, p.label())
		return false
	}
	return true
}

// transferCommand runs a copy, blit, clear or the like.
type transferCommand func(ctx context.Context, r *runner) error

// transfer records a transfer that uses objects.
func (c *CommandBuffer) transfer(f transferCommand, objects ...any) {
	c.tellingTransfer(f, &about{op: "transfer"}, objects...)
}

// tellingTransfer is transfer for one that says what it does.
func (c *CommandBuffer) tellingTransfer(f transferCommand, a *about, objects ...any) {
	for _, o := range objects {
		c.object(o)
	}
	c.emit(opTransfer, c.payload(f), c.payload(a))
}
