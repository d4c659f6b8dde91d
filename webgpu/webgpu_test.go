package webgpu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/gogpu/gputypes"
	"github.com/gogpu/wgpu"
	"github.com/gogpu/wgpu/hal"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/shader"
	"github.com/pumice-gpu/pumice/webgpu"
)

// open opens a device of wgpu on a backend of its own.
func open(t testing.TB, cfg *webgpu.Config) *wgpu.Device {
	t.Helper()
	webgpu.Register(cfg)
	instance, err := wgpu.CreateInstance(&wgpu.InstanceDescriptor{Backends: wgpu.BackendsVulkan})
	check(t, err)
	adapter, err := instance.RequestAdapter(nil)
	check(t, err)
	device, err := adapter.RequestDevice(nil)
	check(t, err)
	t.Cleanup(func() {
		device.Release()
		instance.Release()
	})
	return device
}

// target is a texture of 64×64 texels to draw to, and to read or sample.
func target(
	t testing.TB,
	device *wgpu.Device,
	f gputypes.TextureFormat,
	samples uint32,
) *wgpu.Texture {
	t.Helper()
	usage := gputypes.TextureUsageRenderAttachment
	if samples == 1 {
		usage |= gputypes.TextureUsageCopySrc | gputypes.TextureUsageTextureBinding
	}
	x, err := device.CreateTexture(
		&wgpu.TextureDescriptor{
			Label:         "target",
			Size:          wgpu.Extent3D{Width: 64, Height: 64, DepthOrArrayLayers: 1},
			MipLevelCount: 1,
			SampleCount:   samples,
			Dimension:     gputypes.TextureDimension2D,
			Format:        f,
			Usage:         usage,
		},
	)
	check(t, err)
	t.Cleanup(x.Release)
	return x
}

func viewOf(t testing.TB, device *wgpu.Device, x *wgpu.Texture) *wgpu.TextureView {
	t.Helper()
	v, err := device.CreateTextureView(x, nil)
	check(t, err)
	t.Cleanup(v.Release)
	return v
}

func bufferWith(t testing.TB, device *wgpu.Device, usage wgpu.BufferUsage, data any) *wgpu.Buffer {
	t.Helper()
	var b bytes.Buffer
	check(t, binary.Write(&b, binary.LittleEndian, data))
	x, err := device.CreateBuffer(
		&wgpu.BufferDescriptor{Size: uint64(b.Len()), Usage: usage | wgpu.BufferUsageCopyDst},
	)
	check(t, err)
	t.Cleanup(x.Release)
	check(t, device.Queue().WriteBuffer(x, 0, b.Bytes()))
	return x
}

func submit(t testing.TB, device *wgpu.Device, encoder *wgpu.CommandEncoder) {
	t.Helper()
	cmd, err := encoder.Finish()
	check(t, err)
	_, err = device.Queue().Submit(cmd)
	check(t, err)
}

// words copies a buffer of words out.
func words(t testing.TB, device *wgpu.Device, b *wgpu.Buffer, n int) []uint32 {
	t.Helper()
	size := uint64(4 * n)
	out, err := device.CreateBuffer(
		&wgpu.BufferDescriptor{Size: size, Usage: wgpu.BufferUsageMapRead | wgpu.BufferUsageCopyDst},
	)
	check(t, err)
	defer out.Release()
	encoder, err := device.CreateCommandEncoder(nil)
	check(t, err)
	encoder.CopyBufferToBuffer(b, 0, out, 0, size)
	submit(t, device, encoder)
	check(t, out.Map(context.Background(), wgpu.MapModeRead, 0, size))
	r, err := out.MappedRange(0, size)
	check(t, err)
	list := make([]uint32, n)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(r.Bytes()[4*i:])
	}
	check(t, out.Unmap())
	return list
}

const sceneWGSL = `
struct Place { offset: vec2f, depth: f32, tint: f32 }
@group(0) @binding(0) var<uniform> place: Place;
@group(0) @binding(1) var image: texture_2d<f32>;
@group(0) @binding(2) var nearest: sampler;

struct Corner { @builtin(position) at: vec4f, @location(0) uv: vec2f }

@vertex fn corner(@location(0) at: vec2f, @location(1) uv: vec2f) -> Corner {
	return Corner(vec4f(at + place.offset, place.depth, 1), uv);
}

@fragment fn color(c: Corner) -> @location(0) vec4f {
	return vec4f(textureSample(image, nearest, c.uv).rgb, place.tint);
}
`

// scene draws two squares of four texels each with depth, blending, indices and dynamic offsets,
// with samples: one in the upper left quarter of the target, and one behind it in the middle,
// blended half.
func scene(t testing.TB, device *wgpu.Device, samples uint32) *image.NRGBA {
	t.Helper()
	const format = gputypes.TextureFormatRGBA8Unorm
	const depthFormat = gputypes.TextureFormatDepth24PlusStencil8
	module, err := device.CreateShaderModule(&wgpu.ShaderModuleDescriptor{WGSL: sceneWGSL})
	check(t, err)
	t.Cleanup(module.Release)
	groups, err := device.CreateBindGroupLayout(
		&wgpu.BindGroupLayoutDescriptor{Entries: []wgpu.BindGroupLayoutEntry{
			{Binding: 0, Visibility: wgpu.ShaderStageVertex | wgpu.ShaderStageFragment,
				Buffer: &gputypes.BufferBindingLayout{
					Type:             gputypes.BufferBindingTypeUniform,
					HasDynamicOffset: true,
					MinBindingSize:   16,
				}},
			{Binding: 1, Visibility: wgpu.ShaderStageFragment,
				Texture: &gputypes.TextureBindingLayout{
					SampleType:    gputypes.TextureSampleTypeFloat,
					ViewDimension: gputypes.TextureViewDimension2D,
				}},
			{
				Binding:    2,
				Visibility: wgpu.ShaderStageFragment,
				Sampler:    &gputypes.SamplerBindingLayout{Type: gputypes.SamplerBindingTypeFiltering},
			}}},
	)
	check(t, err)
	t.Cleanup(groups.Release)
	layout, err := device.CreatePipelineLayout(
		&wgpu.PipelineLayoutDescriptor{BindGroupLayouts: []*wgpu.BindGroupLayout{groups}},
	)
	check(t, err)
	t.Cleanup(layout.Release)
	blend := gputypes.BlendStateAlpha()
	face := wgpu.StencilFaceState{
		Compare:     gputypes.CompareFunctionAlways,
		FailOp:      wgpu.StencilOperationKeep,
		DepthFailOp: wgpu.StencilOperationKeep,
		PassOp:      wgpu.StencilOperationKeep,
	}
	pipeline, err := device.CreateRenderPipeline(
		&wgpu.RenderPipelineDescriptor{Label: "squares", Layout: layout,
			Vertex: wgpu.VertexState{
				Module:     module,
				EntryPoint: "corner",
				Buffers: []wgpu.VertexBufferLayout{{ArrayStride: 16,
					StepMode: gputypes.VertexStepModeVertex, Attributes: []gputypes.VertexAttribute{
						{
							Format:         gputypes.VertexFormatFloat32x2,
							ShaderLocation: 0,
						}, {Format: gputypes.VertexFormatFloat32x2, Offset: 8, ShaderLocation: 1}}}},
			},
			Primitive: gputypes.PrimitiveState{
				FrontFace: gputypes.FrontFaceCCW,
				CullMode:  gputypes.CullModeBack,
			},
			DepthStencil: &wgpu.DepthStencilState{
				Format:            depthFormat,
				DepthWriteEnabled: true,
				DepthCompare:      gputypes.CompareFunctionLess,
				StencilFront:      face,
				StencilBack:       face,
			},
			Multisample: gputypes.MultisampleState{Count: samples, Mask: 0xFFFFFFFF},
			Fragment: &wgpu.FragmentState{Module: module, EntryPoint: "color",
				Targets: []gputypes.ColorTargetState{
					{Format: format, Blend: &blend, WriteMask: gputypes.ColorWriteMaskAll},
				}}},
	)
	check(t, err)
	t.Cleanup(pipeline.Release)

	texels, err := device.CreateTexture(
		&wgpu.TextureDescriptor{
			Size:          wgpu.Extent3D{Width: 2, Height: 2, DepthOrArrayLayers: 1},
			MipLevelCount: 1,
			SampleCount:   1,
			Dimension:     gputypes.TextureDimension2D,
			Format:        format,
			Usage:         gputypes.TextureUsageTextureBinding | gputypes.TextureUsageCopyDst,
		},
	)
	check(t, err)
	t.Cleanup(texels.Release)
	check(
		t,
		device.Queue().WriteTexture(
			&wgpu.ImageCopyTexture{Texture: texels},
			[]byte{255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255},
			&wgpu.ImageDataLayout{
				BytesPerRow:  8,
				RowsPerImage: 2,
			},
			&wgpu.Extent3D{Width: 2, Height: 2, DepthOrArrayLayers: 1},
		),
	)
	smp, err := device.CreateSampler(
		&wgpu.SamplerDescriptor{
			AddressModeU: gputypes.AddressModeClampToEdge,
			AddressModeV: gputypes.AddressModeClampToEdge,
			MagFilter:    gputypes.FilterModeNearest,
			MinFilter:    gputypes.FilterModeNearest,
		},
	)
	check(t, err)
	t.Cleanup(smp.Release)
	places := make([]float32, 2*64) // 256 bytes apart
	copy(places, []float32{-0.5, 0.5, 0.25, 1})
	copy(places[64:], []float32{0, 0, 0.5, 0.5})
	uniform := bufferWith(t, device, wgpu.BufferUsageUniform, places)
	group, err := device.CreateBindGroup(
		&wgpu.BindGroupDescriptor{Layout: groups, Entries: []wgpu.BindGroupEntry{
			{
				Binding: 0,
				Buffer:  uniform,
				Size:    16,
			}, {Binding: 1, TextureView: viewOf(t, device, texels)}, {Binding: 2, Sampler: smp}}},
	)
	check(t, err)
	t.Cleanup(group.Release)
	vertices := bufferWith(t, device, wgpu.BufferUsageVertex,
		[]float32{-.5, .5, 0, 0, -.5, -.5, 0, 1, .5, -.5, 1, 1, .5, .5, 1, 0})
	indices := bufferWith(t, device, wgpu.BufferUsageIndex, []uint16{0, 1, 2, 0, 2, 3})

	out := target(t, device, format, 1)
	attachment := wgpu.RenderPassColorAttachment{
		View:       viewOf(t, device, out),
		LoadOp:     gputypes.LoadOpClear,
		StoreOp:    gputypes.StoreOpStore,
		ClearValue: gputypes.Color{A: 1},
	}
	if samples > 1 {
		attachment.ResolveTarget = attachment.View
		attachment.View = viewOf(t, device, target(t, device, format, samples))
	}
	encoder, err := device.CreateCommandEncoder(nil)
	check(t, err)
	pass, err := encoder.BeginRenderPass(
		&wgpu.RenderPassDescriptor{ColorAttachments: []wgpu.RenderPassColorAttachment{attachment},
			DepthStencilAttachment: &wgpu.RenderPassDepthStencilAttachment{
				View:            viewOf(t, device, target(t, device, depthFormat, samples)),
				DepthLoadOp:     gputypes.LoadOpClear,
				DepthStoreOp:    gputypes.StoreOpDiscard,
				DepthClearValue: 1,
				StencilLoadOp:   gputypes.LoadOpClear,
				StencilStoreOp:  gputypes.StoreOpDiscard,
			}},
	)
	check(t, err)
	pass.SetPipeline(pipeline)
	pass.SetVertexBuffer(0, vertices, 0)
	pass.SetIndexBuffer(indices, gputypes.IndexFormatUint16, 0)
	for i := range uint32(2) {
		pass.SetBindGroup(0, group, []uint32{256 * i})
		pass.DrawIndexed(6, 1, 0, 0, 0)
	}
	check(t, pass.End())
	submit(t, device, encoder)
	img, err := webgpu.ReadNRGBA(context.Background(), device, out, 64, 64)
	check(t, err)
	return img
}

// The first square covers pixels 0 to 31 each way from the upper left corner, the second one 16 to
// 47, so that it shows where the first is not. Row 0 of the texture is the upper one: y goes up in
// clip space, and down in pictures.
func TestScene_EveryPixel(t *testing.T) {
	full := [2][2]color.NRGBA{
		{{255, 0, 0, 255}, {0, 255, 0, 255}},
		{{0, 0, 255, 255}, {255, 255, 255, 255}},
	}
	for _, samples := range []uint32{1, 4} {
		img := scene(t, open(t, nil), samples)
		for y := range 64 {
			for x := range 64 {
				want := color.NRGBA{A: 255}
				if x < 32 && y < 32 {
					want = full[y/16][x/16]
				} else if x >= 16 && x < 48 && y >= 16 && y < 48 {
					c := full[(y-16)/16][(x-16)/16]
					want = color.NRGBA{c.R/2 + c.R%2, c.G/2 + c.G%2, c.B/2 + c.B%2, 255} // 127.5, to even
				}
				if got := img.NRGBAAt(x, y); got != want {
					t.Fatalf("%d samples: pixel (%d, %d) is %v, want %v", samples, x, y, got, want)
				}
			}
		}
	}
}

// Threads, tiles and engines change no byte.
func TestScene_SameBytes(t *testing.T) {
	want := scene(t, open(t, nil), 4)
	for _, cfg := range []pumice.Config{{Threads: 1}, {Threads: 7, TileSize: 16},
		{Engine: "vm", Lanes: 64}} {
		if got := scene(t, open(t, &webgpu.Config{Device: cfg}), 4); !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("%+v: another picture", cfg)
		}
	}
}

const stepsWGSL = `
override factor: u32 = 3u;
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;

@compute @workgroup_size(64) fn steps(@builtin(global_invocation_id) id: vec3u) {
	var n = numbers[id.x];
	var count = 0u;
	while n != 1u {
		if n % 2u == 0u { n /= 2u; } else { n = factor * n + 1u; }
		count++;
	}
	numbers[id.x] = count;
}
`

func collatz(n uint32) (steps uint32) {
	for ; n != 1; steps++ {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
	}
	return steps
}

// computed runs the steps on numbers 1 to 256, the first 128 of them where few is set, by the
// dispatch that f records.
func computed(t *testing.T, f func(device *wgpu.Device, pass *wgpu.ComputePassEncoder),
	want func(n uint32) uint32) {
	t.Helper()
	device := open(t, nil)
	module, err := device.CreateShaderModule(
		&wgpu.ShaderModuleDescriptor{Label: "steps", WGSL: stepsWGSL},
	)
	check(t, err)
	t.Cleanup(module.Release)
	numbers := make([]uint32, 256)
	for i := range numbers {
		numbers[i] = uint32(i + 1)
	}
	b := bufferWith(t, device, wgpu.BufferUsageStorage|wgpu.BufferUsageCopySrc, numbers)
	groups, err := device.CreateBindGroupLayout(
		&wgpu.BindGroupLayoutDescriptor{Entries: []wgpu.BindGroupLayoutEntry{
			{
				Visibility: wgpu.ShaderStageCompute,
				Buffer:     &gputypes.BufferBindingLayout{Type: gputypes.BufferBindingTypeStorage},
			}}},
	)
	check(t, err)
	t.Cleanup(groups.Release)
	layout, err := device.CreatePipelineLayout(
		&wgpu.PipelineLayoutDescriptor{BindGroupLayouts: []*wgpu.BindGroupLayout{groups}},
	)
	check(t, err)
	t.Cleanup(layout.Release)
	group, err := device.CreateBindGroup(
		&wgpu.BindGroupDescriptor{
			Layout:  groups,
			Entries: []wgpu.BindGroupEntry{{Buffer: b, Size: 1024}},
		},
	)
	check(t, err)
	t.Cleanup(group.Release)
	pipeline, err := device.CreateComputePipeline(
		&wgpu.ComputePipelineDescriptor{Layout: layout, Module: module, EntryPoint: "steps"},
	)
	check(t, err)
	t.Cleanup(pipeline.Release)
	encoder, err := device.CreateCommandEncoder(nil)
	check(t, err)
	pass, err := encoder.BeginComputePass(nil)
	check(t, err)
	pass.SetPipeline(pipeline)
	pass.SetBindGroup(0, group, nil)
	f(device, pass)
	check(t, pass.End())
	submit(t, device, encoder)
	for i, got := range words(t, device, b, len(numbers)) {
		if want := want(numbers[i]); got != want {
			t.Fatalf("number %d becomes %d, want %d", numbers[i], got, want)
		}
	}
}

func TestCompute_Dispatch(t *testing.T) {
	computed(t, func(_ *wgpu.Device, pass *wgpu.ComputePassEncoder) { pass.Dispatch(4, 1, 1) },
		collatz)
}

// wgpu checks the counts with a shader of its own, whose bind group it destroys before the work is
// submitted.
func TestCompute_DispatchIndirect(t *testing.T) {
	computed(t, func(device *wgpu.Device, pass *wgpu.ComputePassEncoder) {
		counts := bufferWith(t, device, wgpu.BufferUsageIndirect|wgpu.BufferUsageStorage,
			[]uint32{0, 2, 1, 1})
		pass.DispatchIndirect(counts, 4)
	}, func(n uint32) uint32 {
		if n > 128 {
			return n
		}
		return collatz(n)
	})
}

// halDevice is a device of the HAL itself, for what wgpu does not pass on.
func halDevice(t *testing.T) hal.OpenDevice {
	t.Helper()
	instance, err := webgpu.New(nil).CreateInstance(nil)
	check(t, err)
	d, err := instance.EnumerateAdapters(nil)[0].Adapter.Open(0, gputypes.DefaultLimits())
	check(t, err)
	t.Cleanup(d.Device.Destroy)
	return d
}

func TestErrors_SayWhatIsMissing(t *testing.T) {
	d := halDevice(t)
	instance, err := webgpu.New(nil).CreateInstance(nil)
	check(t, err)
	other := halDevice(t)
	theirs, err := other.Device.CreateBuffer(&hal.BufferDescriptor{Size: 16})
	check(t, err)
	encoder, err := d.Device.CreateCommandEncoder(&hal.CommandEncoderDescriptor{})
	check(t, err)
	for _, c := range []struct {
		what, op, text string
		is             error
		do             func() error
	}{
		{"a window", "Instance.CreateSurface", "no windows", pumice.ErrUnsupported, func() error {
			_, err := instance.CreateSurface(0, 0)
			return err
		}},
		{"a feature", "Adapter.Open", "ShaderF16", pumice.ErrUnsupported, func() error {
			f := gputypes.Features(gputypes.FeatureShaderF16)
			_, err := instance.EnumerateAdapters(nil)[0].Adapter.Open(f, gputypes.DefaultLimits())
			return err
		}},
		{"timestamps", "Device.CreateQuerySet", "timestamp queries",
			hal.ErrTimestampsNotSupported, func() error {
				_, err := d.Device.CreateQuerySet(&hal.QuerySetDescriptor{Type: hal.QueryTypeTimestamp})
				return err
			}},
		{"occlusion", "Device.CreateQuerySet", "occlusion queries", pumice.ErrUnsupported, func() error {
			_, err := d.Device.CreateQuerySet(&hal.QuerySetDescriptor{})
			return err
		}},
		{"push constants", "Device.CreatePipelineLayout", "uniform buffer",
			pumice.ErrUnsupported, func() error {
				_, err := d.Device.CreatePipelineLayout(&hal.PipelineLayoutDescriptor{
					PushConstantRanges: []hal.PushConstantRange{{}}})
				return err
			}},
		{"a format", "Device.CreateTexture", "format 999", pumice.ErrUnsupported, func() error {
			_, err := d.Device.CreateTexture(
				&hal.TextureDescriptor{Format: 999, Size: hal.Extent3D{Width: 1}})
			return err
		}},
		{"memory", "Device.CreateBuffer", "", hal.ErrDeviceOutOfMemory, func() error {
			_, err := d.Device.CreateBuffer(&hal.BufferDescriptor{Size: math.MaxUint64})
			return err
		}},
		{"a map beyond the end", "Device.MapBuffer", "", hal.ErrInvalidMapRange, func() error {
			b, err := d.Device.CreateBuffer(&hal.BufferDescriptor{Size: 6})
			check(t, err)
			_, err = d.Device.MapBuffer(b, 4, math.MaxUint64-1)
			return err
		}},
		{"a buffer of another device", "Device.MapBuffer", "none that this device made",
			nil, func() error {
				_, err := d.Device.MapBuffer(theirs, 0, 4)
				return err
			}},
		{"a number of another device", "Device.CreateBindGroup", "none that this device made",
			nil, func() error {
				l, err := d.Device.CreateBindGroupLayout(&hal.BindGroupLayoutDescriptor{
					Entries: []gputypes.BindGroupLayoutEntry{{Buffer: &gputypes.BufferBindingLayout{}}}})
				check(t, err)
				_, err = d.Device.CreateBindGroup(&hal.BindGroupDescriptor{Layout: l,
					Entries: []gputypes.BindGroupEntry{
						{Resource: gputypes.BufferBinding{Buffer: theirs.NativeHandle()}}}})
				return err
			}},
		{"a command of another device's buffer", "CommandEncoder.ClearBuffer",
			"none that this device made", nil, func() error {
				check(t, encoder.BeginEncoding("clear"))
				encoder.ClearBuffer(theirs, 0, 16)
				_, err := encoder.EndEncoding()
				return err
			}},
		{"an end without a beginning", "CommandEncoder.EndEncoding", "not begun", nil, func() error {
			_, err := encoder.EndEncoding()
			return err
		}},
	} {
		err := c.do()
		var e *webgpu.Error
		if !errors.As(err, &e) || e.Op != c.op || !strings.Contains(err.Error(), c.text) ||
			c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v", c.what, err)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %v", c.what, err)
		}
	}
}

func TestErrors_ShaderSource(t *testing.T) {
	_, err := halDevice(t).Device.CreateShaderModule(&hal.ShaderModuleDescriptor{Label: "broken",
		Source: hal.ShaderSource{WGSL: "@compute @workgroup_size(1) fn main() {\n\tlet x = nothing;\n}"}})
	var e *shader.Error
	if !errors.As(err, &e) || e.Diagnostics[0].Line != 2 || e.Diagnostics[0].File != "broken.wgsl" {
		t.Errorf("%v", err)
	}
}

// Constants of a pipeline are values of overrides.
func TestComputePipeline_Constants(t *testing.T) {
	d := halDevice(t)
	m, err := d.Device.CreateShaderModule(
		&hal.ShaderModuleDescriptor{Source: hal.ShaderSource{WGSL: stepsWGSL}},
	)
	check(t, err)
	for name, ok := range map[string]bool{"factor": true, "divisor": false} {
		_, err := d.Device.CreateComputePipeline(
			&hal.ComputePipelineDescriptor{
				Compute: hal.ComputeState{
					Module:     m,
					EntryPoint: "steps",
					Constants:  map[string]float64{name: 5},
				},
			},
		)
		if (err == nil) != ok {
			t.Errorf("constant %q: %v", name, err)
		}
	}
}

// Every format of WebGPU's is one of Pumice's with the capabilities that it tells, and can be made.
func TestFormats_All(t *testing.T) {
	instance, err := webgpu.New(nil).CreateInstance(nil)
	check(t, err)
	a, d := instance.EnumerateAdapters(nil)[0].Adapter, halDevice(t).Device
	for f := gputypes.TextureFormatR8Unorm; f <= gputypes.TextureFormatASTC12x12UnormSrgb; f++ {
		if flags := a.TextureFormatCapabilities(f).Flags; flags&hal.TextureFormatCapabilitySampled == 0 {
			t.Errorf("%s has capabilities %#x", f, flags)
		}
		x, err := d.CreateTexture(
			&hal.TextureDescriptor{Label: f.String(), Format: f, Size: hal.Extent3D{Width: 60, Height: 60}},
		)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := d.CreateTextureView(x, nil); err != nil {
			t.Error(err)
		}
	}
	if f := a.TextureFormatCapabilities(gputypes.TextureFormatASTC12x12UnormSrgb + 1).Flags; f != 0 {
		t.Errorf("a format that is none has capabilities %#x", f)
	}
}
