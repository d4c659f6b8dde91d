package core

import (
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

var numberFormats = vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{numbers}}

// Secondary command buffers draw into the pass of the primary one and leave its
// state alone; one of them may be executed many times.
func TestSecondary_InsidePass(t *testing.T) {
	d := open(t)
	a, av := target(t, d, numbers, 1, 1)
	p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
		i.DynamicStates = []vk.DynamicState{vk.DynamicStateScissor}
	})
	column := func(c *CommandBuffer, x int32, base byte) {
		c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
		c.SetScissor([]vk.Rect2D{{Offset: vk.Offset2D{X: x}, Extent: vk.Extent2D{Width: 1, Height: 8}}})
		c.PushConstants("push", 0, []byte{base, 0, 0, 0})
		c.Draw("Pass.Draw", 3, 1, 0, 0)
	}
	in := Inheritance{InPass: true, Formats: numberFormats}
	one, two := d.NewSecondaryCommandBuffer(in), d.NewSecondaryCommandBuffer(in)
	column(one, 1, 100)
	column(two, 2, 200)
	nested := d.NewSecondaryCommandBuffer(in)
	nested.ExecuteCommands([]*CommandBuffer{two})
	c := d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
	column(c, 0, 10)
	c.ExecuteCommands([]*CommandBuffer{one, nested})
	c.SetScissor([]vk.Rect2D{{Offset: vk.Offset2D{X: 3}, Extent: vk.Extent2D{Width: 1, Height: 8}}})
	c.Draw("Pass.Draw", 3, 1, 0, 0) // with the push constants of before
	c.EndRendering("end")
	one.Reset()
	submit(t, d, c, c)
	if got := texels(t, a, 0, 0)[16:21]; !slices.Equal(got, []uint32{26, 117, 218, 29, 0}) {
		t.Errorf("row 1 is %v", got)
	}
}

// Outside of passes, and with sets that count when the primary is submitted.
func TestSecondary_Dispatch(t *testing.T) {
	k := newSetsKit(t)
	a, b := k.sets(t)
	s := k.d.NewSecondaryCommandBuffer(Inheritance{})
	late(a, b)(s)
	s.BindPipeline("bind", vk.PipelineBindPointCompute, k.pipeline)
	s.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	c := k.d.NewCommandBuffer()
	c.ExecuteCommands([]*CommandBuffer{s})
	for _, v := range []byte{1, 2} {
		if err := a.Update(DescriptorWrite{Binding: 1, First: 4, Inline: []byte{v, 0, 0, 0}}); err != nil {
			t.Fatal(err)
		}
		submit(t, k.d, c)
		if got := words(k.out, 1)[0]; got != uint32(v) {
			t.Errorf("the shader saw %d, want %d", got, v)
		}
	}
}

func TestSecondary_BadUse(t *testing.T) {
	d := open(t)
	_, av := target(t, d, numbers, 1, 1)
	in := Inheritance{InPass: true, Formats: numberFormats}
	other := Inheritance{InPass: true, Formats: vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{vk.FormatR8Uint}}}
	run := func(inside bool, s *CommandBuffer) error {
		c := d.NewCommandBuffer()
		if inside {
			c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		}
		c.ExecuteCommands([]*CommandBuffer{s})
		return c.Err()
	}
	ends := d.NewSecondaryCommandBuffer(in)
	ends.EndRendering("end")
	_, primary := d.queue.Submit(ctx, "test", []*CommandBuffer{d.NewSecondaryCommandBuffer(Inheritance{})})
	for want, err := range map[string]error{
		"VUID-vkCmdExecuteCommands-pCommandBuffers-00088":     run(true, d.NewCommandBuffer()),
		"VUID-vkCmdExecuteCommands-pCommandBuffers-00096":     run(false, d.NewSecondaryCommandBuffer(in)),
		"VUID-vkCmdExecuteCommands-pBeginInfo-06020":          run(true, d.NewSecondaryCommandBuffer(other)),
		"VUID-vkCmdExecuteCommands-pCommandBuffers-parameter": run(true, nil),
		"VUID-vkCmdEndRendering-None-06161":                   run(true, ends),
		"VUID-VkSubmitInfo-pCommandBuffers-00075":             primary,
	} {
		if rule(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
