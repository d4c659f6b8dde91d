package core

import (
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// No blend operation runs on slow code, and nobody is told that it does.
func TestReference_BlendsAreProgramsToo(t *testing.T) {
	var told []string
	d := must(Open(Config{Threads: 1, HeapMemory: true, Debug: func(m Message) { told = append(told, m.Op+": "+m.Text) }}))(t)
	defer d.Close()
	const f = vk.FormatR16G16B16A16Sfloat
	for _, op := range []vk.BlendOp{vk.BlendOpSubtract, vk.BlendOpMultiplyEXT, vk.BlendOpScreenEXT} {
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
		if n := d.Stats().Render.Reference; n > 0 || len(told) > 0 {
			t.Errorf("%v: %d batches, messages %q", op, n, told)
		}
	}
}
