package core

import (
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// States that run on slow code are told once, and counted.
func TestReference_ToldOnce(t *testing.T) {
	var told []string
	d := must(Open(Config{Threads: 1, HeapMemory: true, Debug: func(m Message) { told = append(told, m.Op+": "+m.Text) }}))(t)
	defer d.Close()
	const f = vk.FormatR16G16B16A16Sfloat
	for i, op := range []vk.BlendOp{vk.BlendOpSubtract, vk.BlendOpMultiplyEXT, vk.BlendOpScreenEXT} {
		p := fullscreen(t, d, "half.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{f}}, func(i *GraphicsPipelineInfo) {
			a := &i.ColorBlend.Attachments[0]
			a.BlendEnable, a.ColorBlendOp, a.AlphaBlendOp = true, op, op
		})
		_, view := target(t, d, f, 1, 1)
		b := d.NewCommandBuffer()
		b.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: view, Load: vk.AttachmentLoadOpClear}}})
		draw(b, p)
		b.EndRendering("end")
		submit(t, d, b)
		if n := d.Stats().Render.Reference; (n > 0) != (i > 0) || len(told) != min(i, 1) {
			t.Errorf("%v: %d batches, messages %q", op, n, told)
		}
	}
}
