// Gogpu does the task on gogpu/wgpu, which calls Vulkan from Go, without C.
package main

import (
	"bytes"
	"context"

	"github.com/gogpu/gputypes"
	"github.com/gogpu/wgpu"
	_ "github.com/gogpu/wgpu/hal/vulkan"

	"github.com/pumice-gpu/pumice/driver/testdata/wgpu/task"
)

func main() {
	instance := task.Have(wgpu.CreateInstance(&wgpu.InstanceDescriptor{Backends: wgpu.BackendsVulkan}))
	adapter := task.Have(instance.RequestAdapter(nil))
	device := task.Have(adapter.RequestDevice(nil))
	shader := task.Have(device.CreateShaderModule(&wgpu.ShaderModuleDescriptor{WGSL: task.Shader}))
	encoder := task.Have(device.CreateCommandEncoder(nil))
	numbers := compute(device, encoder, shader)
	picture := draw(device, encoder, shader)
	task.Have(device.Queue().Submit(task.Have(encoder.Finish())))
	task.Done(adapter.Info().Name, read(numbers, task.Numbers*4), read(picture, task.Size*task.Size*4))
}

// compute records the dispatch, and returns the buffer that its result is copied to.
func compute(device *wgpu.Device, encoder *wgpu.CommandEncoder, shader *wgpu.ShaderModule) *wgpu.Buffer {
	const size = task.Numbers * 4
	numbers := task.Have(device.CreateBuffer(&wgpu.BufferDescriptor{
		Size: size, Usage: wgpu.BufferUsageStorage | wgpu.BufferUsageCopySrc | wgpu.BufferUsageCopyDst}))
	task.Must(device.Queue().WriteBuffer(numbers, 0, task.Input()))
	layout := task.Have(device.CreateBindGroupLayout(&wgpu.BindGroupLayoutDescriptor{Entries: []wgpu.BindGroupLayoutEntry{{
		Visibility: wgpu.ShaderStageCompute, Buffer: &gputypes.BufferBindingLayout{Type: gputypes.BufferBindingTypeStorage}}}}))
	group := task.Have(device.CreateBindGroup(&wgpu.BindGroupDescriptor{
		Layout: layout, Entries: []wgpu.BindGroupEntry{{Buffer: numbers, Size: size}}}))
	pipeline := task.Have(device.CreateComputePipeline(&wgpu.ComputePipelineDescriptor{
		Layout: task.Have(device.CreatePipelineLayout(&wgpu.PipelineLayoutDescriptor{BindGroupLayouts: []*wgpu.BindGroupLayout{layout}})),
		Module: shader, EntryPoint: "steps"}))
	pass := task.Have(encoder.BeginComputePass(nil))
	pass.SetPipeline(pipeline)
	pass.SetBindGroup(0, group, nil)
	pass.Dispatch(task.Numbers/64, 1, 1)
	task.Must(pass.End())
	out := readable(device, size)
	encoder.CopyBufferToBuffer(numbers, 0, out, 0, size)
	return out
}

// draw records the pass, and returns the buffer that the picture is copied to.
func draw(device *wgpu.Device, encoder *wgpu.CommandEncoder, shader *wgpu.ShaderModule) *wgpu.Buffer {
	const format = gputypes.TextureFormatRGBA8Unorm
	pipeline := task.Have(device.CreateRenderPipeline(&wgpu.RenderPipelineDescriptor{
		Layout: task.Have(device.CreatePipelineLayout(&wgpu.PipelineLayoutDescriptor{})),
		Vertex: wgpu.VertexState{Module: shader, EntryPoint: "corner"},
		Fragment: &wgpu.FragmentState{Module: shader, EntryPoint: "color",
			Targets: []gputypes.ColorTargetState{{Format: format, WriteMask: gputypes.ColorWriteMaskAll}}}}))
	size := wgpu.Extent3D{Width: task.Size, Height: task.Size, DepthOrArrayLayers: 1}
	texture := task.Have(device.CreateTexture(&wgpu.TextureDescriptor{Size: size, MipLevelCount: 1, SampleCount: 1,
		Dimension: gputypes.TextureDimension2D, Format: format, Usage: gputypes.TextureUsageRenderAttachment | gputypes.TextureUsageCopySrc}))
	pass := task.Have(encoder.BeginRenderPass(&wgpu.RenderPassDescriptor{ColorAttachments: []wgpu.RenderPassColorAttachment{{
		View: task.Have(device.CreateTextureView(texture, nil)), LoadOp: gputypes.LoadOpClear, StoreOp: gputypes.StoreOpStore,
		ClearValue: gputypes.Color{R: task.Ground[0], G: task.Ground[1], B: task.Ground[2], A: task.Ground[3]}}}}))
	pass.SetPipeline(pipeline)
	pass.Draw(3, 1, 0, 0)
	task.Must(pass.End())
	out := readable(device, task.Size*task.Size*4)
	encoder.CopyTextureToBuffer(texture, out, []wgpu.BufferTextureCopy{{
		BufferLayout: wgpu.ImageDataLayout{BytesPerRow: task.Size * 4, RowsPerImage: task.Size},
		TextureBase:  wgpu.ImageCopyTexture{Texture: texture}, Size: size}})
	return out
}

func readable(device *wgpu.Device, bytes uint64) *wgpu.Buffer {
	return task.Have(device.CreateBuffer(&wgpu.BufferDescriptor{Size: bytes, Usage: wgpu.BufferUsageMapRead | wgpu.BufferUsageCopyDst}))
}

func read(b *wgpu.Buffer, size uint64) []byte {
	task.Must(b.Map(context.Background(), wgpu.MapModeRead, 0, size))
	return bytes.Clone(task.Have(b.MappedRange(0, size)).Bytes())
}
