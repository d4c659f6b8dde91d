// Native does the task on wgpu-native, by cogentcore/webgpu.
package main

import (
	"bytes"

	"github.com/cogentcore/webgpu/wgpu"

	"github.com/pumice-gpu/pumice/driver/testdata/wgpu/task"
)

func main() {
	adapter := task.Have(wgpu.CreateInstance(nil).RequestAdapter(nil))
	device := task.Have(adapter.RequestDevice(nil))
	shader := task.Have(device.CreateShaderModule(&wgpu.ShaderModuleDescriptor{WGSLDescriptor: &wgpu.ShaderModuleWGSLDescriptor{Code: task.Shader}}))
	encoder := task.Have(device.CreateCommandEncoder(nil))
	numbers := compute(device, encoder, shader)
	picture := draw(device, encoder, shader)
	device.GetQueue().Submit(task.Have(encoder.Finish(nil)))
	task.Done(adapter.GetInfo().DriverDescription, read(device, numbers), read(device, picture))
}

// compute records the dispatch, and returns the buffer that its result is copied to.
func compute(device *wgpu.Device, encoder *wgpu.CommandEncoder, shader *wgpu.ShaderModule) *wgpu.Buffer {
	numbers := task.Have(device.CreateBufferInit(&wgpu.BufferInitDescriptor{Contents: task.Input(), Usage: wgpu.BufferUsageStorage | wgpu.BufferUsageCopySrc}))
	pipeline := task.Have(device.CreateComputePipeline(&wgpu.ComputePipelineDescriptor{
		Compute: wgpu.ProgrammableStageDescriptor{Module: shader, EntryPoint: "steps"}}))
	group := task.Have(device.CreateBindGroup(&wgpu.BindGroupDescriptor{
		Layout: pipeline.GetBindGroupLayout(0), Entries: []wgpu.BindGroupEntry{{Buffer: numbers, Size: wgpu.WholeSize}}}))
	pass := encoder.BeginComputePass(nil)
	pass.SetPipeline(pipeline)
	pass.SetBindGroup(0, group, nil)
	pass.DispatchWorkgroups(task.Numbers/64, 1, 1)
	task.Must(pass.End())
	pass.Release() // else wgpu-native takes the encoder for busy
	out := readable(device, task.Numbers*4)
	task.Must(encoder.CopyBufferToBuffer(numbers, 0, out, 0, out.GetSize()))
	return out
}

// draw records the pass, and returns the buffer that the picture is copied to.
func draw(device *wgpu.Device, encoder *wgpu.CommandEncoder, shader *wgpu.ShaderModule) *wgpu.Buffer {
	const format = wgpu.TextureFormatRGBA8Unorm
	pipeline := task.Have(device.CreateRenderPipeline(&wgpu.RenderPipelineDescriptor{
		Vertex:      wgpu.VertexState{Module: shader, EntryPoint: "corner"},
		Primitive:   wgpu.PrimitiveState{Topology: wgpu.PrimitiveTopologyTriangleList},
		Multisample: wgpu.MultisampleState{Count: 1, Mask: 0xffffffff},
		Fragment: &wgpu.FragmentState{Module: shader, EntryPoint: "color",
			Targets: []wgpu.ColorTargetState{{Format: format, WriteMask: wgpu.ColorWriteMaskAll}}}}))
	size := wgpu.Extent3D{Width: task.Size, Height: task.Size, DepthOrArrayLayers: 1}
	texture := task.Have(device.CreateTexture(&wgpu.TextureDescriptor{Size: size, MipLevelCount: 1, SampleCount: 1,
		Dimension: wgpu.TextureDimension2D, Format: format, Usage: wgpu.TextureUsageRenderAttachment | wgpu.TextureUsageCopySrc}))
	pass := encoder.BeginRenderPass(&wgpu.RenderPassDescriptor{ColorAttachments: []wgpu.RenderPassColorAttachment{{
		View: task.Have(texture.CreateView(nil)), LoadOp: wgpu.LoadOpClear, StoreOp: wgpu.StoreOpStore,
		ClearValue: wgpu.Color{R: task.Ground[0], G: task.Ground[1], B: task.Ground[2], A: task.Ground[3]}}}})
	pass.SetPipeline(pipeline)
	pass.Draw(3, 1, 0, 0)
	task.Must(pass.End())
	pass.Release()
	out := readable(device, task.Size*task.Size*4)
	task.Must(encoder.CopyTextureToBuffer(texture.AsImageCopy(), &wgpu.ImageCopyBuffer{Buffer: out,
		Layout: wgpu.TextureDataLayout{BytesPerRow: task.Size * 4, RowsPerImage: task.Size}}, &size))
	return out
}

func readable(device *wgpu.Device, bytes uint64) *wgpu.Buffer {
	return task.Have(device.CreateBuffer(&wgpu.BufferDescriptor{Size: bytes, Usage: wgpu.BufferUsageMapRead | wgpu.BufferUsageCopyDst}))
}

func read(device *wgpu.Device, b *wgpu.Buffer) []byte {
	task.Must(b.MapAsync(wgpu.MapModeRead, 0, b.GetSize(), func(wgpu.BufferMapAsyncStatus) {}))
	device.Poll(true, nil)
	return bytes.Clone(b.GetMappedRange(0, uint(b.GetSize())))
}
