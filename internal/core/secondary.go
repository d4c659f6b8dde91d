package core

import (
	"context"

	"github.com/pumice-gpu/pumice/vk"
)

// Inheritance tells a secondary command buffer what it will be executed in
// (VkCommandBufferInheritanceInfo).
type Inheritance struct {
	// InPass: it is executed inside a render pass and draws to its attachments,
	// which are those of a subpass of Pass, or have Formats and Samples.
	InPass  bool
	Pass    *RenderPass
	Subpass int
	Formats vk.PipelineRenderingCreateInfo
	Samples vk.SampleCountFlags
	// Locations are those of CommandBuffer.SetAttachmentLocations, nil for none.
	Locations []uint32
	// Heaps are bound from the beginning: they are those of the primary one.
	Heaps []InheritedHeap
}

// InheritedHeap is a heap, as CommandBuffer.BindHeap binds it.
type InheritedHeap struct {
	Kind                            HeapKind
	Address, Size, Offset, Reserved uint64
}

// NewSecondaryCommandBuffer makes an empty secondary command buffer. Open queries
// and conditional rendering of the primary one hold inside it; all other state
// begins anew.
func (d *Device) NewSecondaryCommandBuffer(in Inheritance) *CommandBuffer {
	c := d.NewCommandBuffer()
	c.secondary = true
	for _, h := range in.Heaps {
		c.BindHeap("vkBeginCommandBuffer", h.Kind, h.Address, h.Size, h.Offset, h.Reserved)
	}
	if !in.InPass || c.err != nil {
		return c
	}
	f := passFormats{samples: Samples(in.Samples), inherited: true}
	r := in.Formats
	if in.Pass != nil {
		if !c.try(in.Pass.use(d, "vkBeginCommandBuffer")) {
			return c
		}
		r, f.samples = in.Pass.Rendering(in.Subpass), in.Pass.Samples(in.Subpass)
	}
	f.colors, f.depth, f.stencil = r.ColorAttachmentFormats, r.DepthAttachmentFormat, r.StencilAttachmentFormat
	if f.empty() {
		f.samples = 0 // the pipelines say
	}
	c.pass = &RenderingInfo{ViewMask: r.ViewMask, passFormats: f}
	if in.Locations != nil {
		c.SetAttachmentLocations(in.Locations)
	}
	return c
}

// empty says that there are no attachments.
func (f *passFormats) empty() bool {
	for _, c := range f.colors {
		if c != vk.FormatUndefined {
			return false
		}
	}
	return f.depth == vk.FormatUndefined && f.stencil == vk.FormatUndefined
}

// execution is a secondary command buffer as it was when it was executed.
type execution struct {
	words []uint32
	table []any
	late  bool
}

// ExecuteCommands executes secondary command buffers as they are now. They may be
// executed by several command buffers, and reset afterwards.
func (c *CommandBuffer) ExecuteCommands(secondaries []*CommandBuffer) {
	op := c.op("vkCmdExecuteCommands")
	for i, s := range secondaries {
		switch {
		case !c.ok(op, 0):
			return
		case s == nil || s == c:
			c.misuse(op, "vkCmdExecuteCommands-pCommandBuffers-parameter", "", "command buffer %d is nil or the executing one", i)
		case s.dev != c.dev:
			c.misuse(op, "commonparent", "use objects of one device together", "command buffer %d belongs to another device", i)
		case !c.try(s.err):
		case !s.secondary:
			c.misuse(op, "vkCmdExecuteCommands-pCommandBuffers-00088", "", "command buffer %d is primary", i)
		case s.pass != nil && !s.pass.inherited, s.openAny():
			c.misuse(op, "vkCmdExecuteCommands-pCommandBuffers-00089", "", "command buffer %d has not ended its pass or query", i)
		case (s.pass != nil) != (c.pass != nil):
			c.misuse(op, "vkCmdExecuteCommands-pCommandBuffers-00096", "", "command buffer %d continues a render pass: %v; inside one: %v", i, s.pass != nil, c.pass != nil)
		case c.fits(op, s):
			c.late = c.late || s.late
			c.emit(opExecute, c.payload(&execution{s.words[:len(s.words):len(s.words)], s.table[:len(s.table):len(s.table)], s.late}))
		}
	}
}

// fits checks that a secondary command buffer was recorded for the current pass.
func (c *CommandBuffer) fits(op Op, s *CommandBuffer) bool {
	if c.pass == nil {
		return true
	}
	have, want := c.pass, s.pass
	same := have.ViewMask == want.ViewMask && (have.samples == want.samples || have.samples == 0 || want.samples == 0 || c.dev.mixes(have))
	format := func(list []vk.Format, i int) vk.Format {
		if i < len(list) {
			return list[i]
		}
		return vk.FormatUndefined
	}
	for i := range max(len(have.colors), len(want.colors)) {
		h := format(have.colors, i)
		w := format(want.colors, i)
		same = same && (h == w || h == vk.FormatUndefined || c.unused(w))
	}
	same = same && (have.depth == want.depth || have.depth == vk.FormatUndefined || c.unused(want.depth)) &&
		(have.stencil == want.stencil || have.stencil == vk.FormatUndefined || c.unused(want.stencil))
	if !same {
		c.misuse(op, "vkCmdExecuteCommands-pBeginInfo-06020", "give it the formats, samples and views of the pass", "the secondary command buffer was recorded for another pass")
	}
	return same
}

// execute runs a secondary command buffer with state of its own.
func (r *runner) execute(ctx context.Context, e *execution) error {
	own := r.bindings
	r.bindings = r.dev.bindings(e.table)
	err := r.run(ctx, e.words)
	r.bindings = own
	return err
}
