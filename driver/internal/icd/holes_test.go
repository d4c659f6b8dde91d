package icd

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Two known holes of pixel histories for Vulkan: subpasses, and secondary command buffers. Others
// are in cmd/pumice.

// historyOf runs commands, and explains a texel of an image: where its draws are, and what came of
// them.
func (f *fixture) historyOf(h abi.Image, cbs ...abi.CommandBuffer) (list []string) {
	f.t.Helper()
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	w, err := d.core.Watch("test", []core.WatchPoint{{Image: d.images.Get(uint64(h)).core, X: 2,
		Y: 3}})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, cb := range cbs {
		f.run(cb)
	}
	for _, e := range w.End()[0].Events {
		if e.Kind == explain.Draw {
			list = append(list, fmt.Sprintf("pass %d, draw %d %s", e.Pass, e.Index, e.Outcome))
		}
	}
	return list
}

// white is a pipeline that draws a white triangle over all; change may be nil.
func (f *fixture) white(change func(*abi.GraphicsPipelineCreateInfo)) abi.Pipeline {
	f.t.Helper()
	p, r := f.graphics(change, f.stage(vk.ShaderStageVertexBit, maskShader),
		f.stage(vk.ShaderStageFragmentBit, whiteShader))
	want(f.t, "vkCreateGraphicsPipelines", r, vk.Success)
	return p
}

// draws records the draw of white, with its viewport mask.
func (f *fixture) draws(cb abi.CommandBuffer, p abi.Pipeline) {
	record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{Pipeline: p})
	record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3, InstanceCount: 1, FirstInstance: 1})
}

func (f *fixture) tells(name string, got []string, want ...string) {
	f.t.Helper()
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		f.t.Errorf("%s: %q, want %q", name, got, want)
	}
}

// Draws of secondary command buffers are told of where they are executed, each time.
func TestExplain_Holes_SecondaryCommandBuffers(t *testing.T) {
	f := newTest(t)
	p := f.white(nil)
	im, v := f.image()
	format := vk.FormatR8G8B8A8Unorm
	rendering := &abi.CommandBufferInheritanceRenderingInfo{
		ColorAttachmentCount: 1, PColorAttachmentFormats: &format, RasterizationSamples: vk.SampleCount1Bit,
	}
	rendering.SType = rendering.StructureType()
	second := f.allocate(vk.CommandBufferLevelSecondary)
	begin := abi.BeginCommandBufferArgs{CommandBuffer: second, PBeginInfo: &abi.CommandBufferBeginInfo{
		Flags:            vk.CommandBufferUsageRenderPassContinueBit,
		PInheritanceInfo: &abi.CommandBufferInheritanceInfo{PNext: unsafe.Pointer(rendering)},
	}}
	call(f, abi.OpBeginCommandBuffer, &begin)
	want(t, "vkBeginCommandBuffer", begin.Ret, vk.Success)
	f.draws(second, p)
	want(t, "vkEndCommandBuffer", f.end(second), vk.Success)
	cb := f.begin()
	a := abi.RenderingAttachmentInfo{ImageView: v, LoadOp: vk.AttachmentLoadOpClear}
	record(f, cb, abi.OpCmdBeginRendering, &abi.CmdBeginRendering{PRenderingInfo: &abi.RenderingInfo{
		Flags: vk.RenderingContentsSecondaryCommandBuffersBit,
		RenderArea: vk.Rect2D{Extent: vk.Extent2D{Width: 8,
			Height: 8}}, LayerCount: 1, ColorAttachmentCount: 1, PColorAttachments: &a,
	}})
	for range 2 {
		record(f, cb, abi.OpCmdExecuteCommands, &abi.CmdExecuteCommands{CommandBufferCount: 1,
			PCommandBuffers: &second})
	}
	record(f, cb, abi.OpCmdEndRendering, &abi.CmdEndRendering{})
	f.tells("secondary", f.historyOf(im, cb), "pass 0, draw 0 wrote", "pass 0, draw 1 wrote")
}

// Each subpass tells of its own draws.
func TestExplain_Holes_Subpasses(t *testing.T) {
	f := newTest(t)
	im, v := f.image()
	other, w := f.image()
	attachment := abi.AttachmentDescription{
		Format: vk.FormatR8G8B8A8Unorm, Samples: vk.SampleCount1Bit, LoadOp: vk.AttachmentLoadOpClear,
		InitialLayout: vk.ImageLayoutUndefined, FinalLayout: vk.ImageLayoutGeneral,
	}
	attachments := []abi.AttachmentDescription{attachment, attachment}
	refs := []abi.AttachmentReference{
		{Attachment: 0, Layout: vk.ImageLayoutColorAttachmentOptimal}, {Attachment: 1,
			Layout: vk.ImageLayoutColorAttachmentOptimal},
	}
	var subpasses [3]abi.SubpassDescription // to the first image, the second, and the first again
	for i := range subpasses {
		subpasses[i] = abi.SubpassDescription{ColorAttachmentCount: 1, PColorAttachments: &refs[i&1]}
	}
	var pass abi.RenderPass
	create := abi.CreateRenderPassArgs{Device: f.device, PRenderPass: &pass,
		PCreateInfo: &abi.RenderPassCreateInfo{
			AttachmentCount: 2, PAttachments: &attachments[0], SubpassCount: 3, PSubpasses: &subpasses[0],
		}}
	call(f, abi.OpCreateRenderPass, &create)
	want(t, "vkCreateRenderPass", create.Ret, vk.Success)
	views := [2]abi.ImageView{v, w}
	var framebuffer abi.Framebuffer
	fb := abi.CreateFramebufferArgs{Device: f.device, PFramebuffer: &framebuffer,
		PCreateInfo: &abi.FramebufferCreateInfo{
			RenderPass: pass, AttachmentCount: 2, PAttachments: &views[0], Width: 8, Height: 8, Layers: 1,
		}}
	call(f, abi.OpCreateFramebuffer, &fb)
	want(t, "vkCreateFramebuffer", fb.Ret, vk.Success)
	clears := [2]abi.ClearValue{}
	recorded := func() abi.CommandBuffer {
		cb := f.begin()
		record(f, cb, abi.OpCmdBeginRenderPass,
			&abi.CmdBeginRenderPass{PRenderPassBegin: &abi.RenderPassBeginInfo{
				RenderPass: pass, Framebuffer: framebuffer, RenderArea: vk.Rect2D{Extent: vk.Extent2D{Width: 8,
					Height: 8}},
				ClearValueCount: 2, PClearValues: &clears[0],
			}})
		for i := range uint32(3) {
			if i > 0 {
				record(f, cb, abi.OpCmdNextSubpass, &abi.CmdNextSubpass{})
			}
			p := f.white(func(info *abi.GraphicsPipelineCreateInfo) {
				info.PNext, info.RenderPass,
					info.Subpass = nil, pass, i
			})
			for range i + 1 {
				f.draws(cb, p)
			}
		}
		record(f, cb, abi.OpCmdEndRenderPass, &abi.CmdEndRenderPass{})
		return cb
	}
	f.tells("the first image", f.historyOf(im, recorded()), "pass 0, draw 0 wrote",
		"pass 2, draw 0 wrote", "pass 2, draw 1 wrote", "pass 2, draw 2 wrote")
	f.tells("the second image", f.historyOf(other, recorded()), "pass 1, draw 0 wrote",
		"pass 1, draw 1 wrote")
}
