package webgpu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"testing"
	"unsafe"

	"github.com/gogpu/gputypes"
	"github.com/gogpu/wgpu/hal"

	"github.com/pumice-gpu/pumice/shader"
)

// Calls of the HAL itself, of which wgpu makes some for no program, or only in its own ways.

// read returns a buffer's bytes.
func read(t *testing.T, d hal.Device, b hal.Buffer, size uint64) []byte {
	t.Helper()
	m, err := d.MapBuffer(b, 0, size)
	check(t, err)
	return bytes.Clone(unsafe.Slice((*byte)(m.Ptr), size))
}

// run records by f, and runs that.
func run(t *testing.T, d hal.OpenDevice, f func(hal.CommandEncoder)) {
	t.Helper()
	e, err := d.Device.CreateCommandEncoder(&hal.CommandEncoderDescriptor{})
	check(t, err)
	check(t, e.BeginEncoding("test"))
	f(e)
	c, err := e.EndEncoding()
	check(t, err)
	before := d.Queue.PollCompleted()
	index, err := d.Queue.Submit([]hal.CommandBuffer{c})
	check(t, err)
	if index != before+1 || d.Queue.PollCompleted() != index {
		t.Errorf("submission %d, %d is done", index, d.Queue.PollCompleted())
	}
}

const cornersWGSL = `
@vertex fn corner(@builtin(vertex_index) i: u32,
	@builtin(instance_index) n: u32) -> @builtin(position) vec4f {
	var at = array(vec2f(-1, 1), vec2f(-1, -1), vec2f(1, -1));
	return vec4f(at[i % 3u] * f32(n), 0, 1);
}
@fragment fn color() -> @location(0) vec4f { return vec4f(1, 0.5, 0.25, 1); }
`

// Half of a picture, drawn in five ways from WGSL and from SPIR-V, with the constant as factor and
// by the stencil reference.
func TestHAL_WaysToDraw(t *testing.T) {
	d := halDevice(t)
	const size = 16
	spirv, err := shader.Compile(context.Background(), cornersWGSL,
		shader.Options{Name: "corners.wgsl", VulkanClip: true})
	check(t, err)
	code := make([]uint32, len(spirv)/4)
	check(t, binary.Read(bytes.NewReader(spirv), binary.LittleEndian, code))
	indirect, err := d.Device.CreateBuffer(
		&hal.BufferDescriptor{Size: 64, Usage: gputypes.BufferUsageIndirect},
	)
	check(t, err)
	var words bytes.Buffer // of a draw, an indexed one with vertex offset 3, and indices 0, 0, 1, 2
	check(t,
		binary.Write(&words, binary.LittleEndian, []uint32{3, 1, 3, 1, 3, 1, 1, 3, 1, 0, 0x00020001}))
	check(t,
		d.Queue.WriteBuffer(indirect, 0, words.Bytes()))

	var want []byte
	for _, source := range []hal.ShaderSource{{WGSL: cornersWGSL}, {SPIRV: code}} {
		m, err := d.Device.CreateShaderModule(&hal.ShaderModuleDescriptor{Source: source})
		check(t, err)
		constant := gputypes.BlendComponent{
			SrcFactor: gputypes.BlendFactorConstant,
			DstFactor: gputypes.BlendFactorZero,
			Operation: gputypes.BlendOperationAdd,
		}
		face := hal.StencilFaceState{Compare: gputypes.CompareFunctionEqual}
		p, err := d.Device.CreateRenderPipeline(&hal.RenderPipelineDescriptor{
			Vertex: hal.VertexState{Module: m, EntryPoint: "corner"},
			DepthStencil: &hal.DepthStencilState{
				Format:           gputypes.TextureFormatStencil8,
				StencilFront:     face,
				StencilBack:      face,
				StencilReadMask:  255,
				StencilWriteMask: 255,
			},
			Fragment: &hal.FragmentState{
				Module:     m,
				EntryPoint: "color",
				Targets: []gputypes.ColorTargetState{{Format: gputypes.TextureFormatBGRA8Unorm,
					Blend: &gputypes.BlendState{
						Color: constant,
						Alpha: constant,
					}, WriteMask: gputypes.ColorWriteMaskAll}},
			}})
		check(t, err)
		bundles, err := d.Device.CreateRenderBundleEncoder(&hal.RenderBundleEncoderDescriptor{})
		check(t, err)
		bundles.SetPipeline(p)
		bundles.Draw(3, 1, 0, 1)
		bundle := bundles.Finish()
		for name, draw := range map[string]func(hal.RenderPassEncoder){
			"Draw":                func(r hal.RenderPassEncoder) { r.Draw(3, 1, 3, 1) },
			"DrawIndirect":        func(r hal.RenderPassEncoder) { r.DrawIndirect(indirect, 0) },
			"DrawIndexed":         func(r hal.RenderPassEncoder) { r.DrawIndexed(3, 1, 1, 0, 1) },
			"DrawIndexedIndirect": func(r hal.RenderPassEncoder) { r.DrawIndexedIndirect(indirect, 16) },
			"ExecuteBundle":       func(r hal.RenderPassEncoder) { r.ExecuteBundle(bundle) },
		} {
			make2 := func(f gputypes.TextureFormat) (hal.Texture, hal.TextureView) {
				x, err := d.Device.CreateTexture(
					&hal.TextureDescriptor{Format: f, Size: hal.Extent3D{Width: size, Height: size}},
				)
				check(t, err)
				v, err := d.Device.CreateTextureView(x, nil)
				check(t, err)
				return x, v
			}
			x, view := make2(gputypes.TextureFormatBGRA8Unorm)
			_, stencil := make2(gputypes.TextureFormatStencil8)
			out, err := d.Device.CreateBuffer(&hal.BufferDescriptor{Size: 4 * size * size})
			check(t, err)
			run(t, d, func(e hal.CommandEncoder) {
				r := e.BeginRenderPass(&hal.RenderPassDescriptor{
					ColorAttachments: []hal.RenderPassColorAttachment{
						{View: view, LoadOp: gputypes.LoadOpClear, StoreOp: gputypes.StoreOpStore},
					},
					DepthStencilAttachment: &hal.RenderPassDepthStencilAttachment{
						View:              stencil,
						StencilLoadOp:     gputypes.LoadOpClear,
						StencilClearValue: 7,
						StencilStoreOp:    gputypes.StoreOpStore,
					}})
				r.SetPipeline(p)
				r.SetBlendConstant(&gputypes.Color{R: 1, G: 1, B: 0, A: 1})
				r.SetStencilReference(7)
				r.SetIndexBuffer(indirect, gputypes.IndexFormatUint16, 36)
				r.SetScissorRect(0, 0, size, size/2)
				draw(r)
				r.End()
				e.CopyTextureToBuffer(
					x,
					out,
					[]hal.BufferTextureCopy{
						{BufferLayout: hal.ImageDataLayout{BytesPerRow: 4 * size, RowsPerImage: size},
							TextureBase: hal.ImageCopyTexture{
								Texture: x,
							}, Size: hal.Extent3D{Width: size, Height: size, DepthOrArrayLayers: 1}},
					},
				)
			})
			got := read(t, d.Device, out, 4*size*size)
			if want == nil {
				want = make([]byte, len(got))
				for y := range size / 2 {
					for x := range size {
						if x < y { // the diagonal is a right edge
							copy(want[4*(y*size+x):], []byte{0, 128, 255, 255})
						}
					}
				}
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: %v", name, got[:4*size])
			}
		}
	}
}

// Slices of a volume become layers, the layers a buffer, which is cleared in its middle.
func TestHAL_Copies(t *testing.T) {
	d := halDevice(t)
	const w, h, n = 3, 2, 4
	size := hal.Extent3D{Width: w, Height: h, DepthOrArrayLayers: n}
	volume, err := d.Device.CreateTexture(
		&hal.TextureDescriptor{
			Format:    gputypes.TextureFormatRG8Uint,
			Dimension: gputypes.TextureDimension3D,
			Size:      size,
		},
	)
	check(t, err)
	layers, err := d.Device.CreateTexture(
		&hal.TextureDescriptor{
			Format:    gputypes.TextureFormatRG8Uint,
			Dimension: gputypes.TextureDimension2D,
			Size:      size,
		},
	)
	check(t, err)
	texels := make([]byte, 2*w*h*n)
	for i := range texels {
		texels[i] = byte(i + 1)
	}
	layout := hal.ImageDataLayout{BytesPerRow: 2 * w, RowsPerImage: h}
	check(t, d.Queue.WriteTexture(&hal.ImageCopyTexture{Texture: volume}, texels, &layout, &size))
	out, err := d.Device.CreateBuffer(&hal.BufferDescriptor{Size: uint64(len(texels))})
	check(t, err)
	copied, err := d.Device.CreateBuffer(&hal.BufferDescriptor{Size: uint64(len(texels))})
	check(t, err)
	run(t, d, func(e hal.CommandEncoder) {
		e.CopyTextureToTexture(volume, layers, []hal.TextureCopy{{Size: size}})
		e.CopyTextureToBuffer(layers, out, []hal.BufferTextureCopy{{BufferLayout: layout, Size: size}})
		e.ClearBuffer(out, 8, 4)
		e.CopyBufferToBuffer(out, copied, []hal.BufferCopy{{SrcOffset: 4, DstOffset: 0, Size: 8}})
	})
	want := slices.Clone(texels)
	copy(want[8:], make([]byte, 4))
	if got := read(t, d.Device, out, uint64(len(texels))); !bytes.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := read(t, d.Device, copied, 12); !bytes.Equal(
		got,
		append(slices.Clone(want[4:12]), 0, 0, 0, 0),
	) {
		t.Errorf("copied: %v", got)
	}
}
