package pumice_test

import (
	"context"
	"errors"
	"image"
	"image/color"
	"math"
	"os"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/triangle.vert.spv testdata/triangle.vert
//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/triangle.frag.spv testdata/triangle.frag
//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/color.frag.spv testdata/color.frag
//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/quad.vert.spv testdata/quad.vert
//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/quad.frag.spv testdata/quad.frag
//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/saxpy.comp.spv testdata/saxpy.comp
//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/nothing.comp.spv testdata/nothing.comp
//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/lookup.frag.spv testdata/lookup.frag
//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/cube.vert.spv testdata/cube.vert
//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/cube.frag.spv testdata/cube.frag
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/follow.comp.spv testdata/follow.comp
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/flower.mesh.spv testdata/flower.mesh
//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/wide.vert.spv testdata/wide.vert

var ctx = context.Background()

func spv(t testing.TB, name string) []byte {
	t.Helper()
	code, err := os.ReadFile("testdata/" + name + ".spv")
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// must fails the test on an error.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func open(t testing.TB, cfg *pumice.Config) *pumice.Device {
	t.Helper()
	dev := must(pumice.Open(cfg))(t)
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

func wantPixel(t testing.TB, img *image.NRGBA, x, y int, want color.NRGBA) {
	t.Helper()
	if got := img.NRGBAAt(x, y); got != want {
		t.Errorf("pixel %d,%d is %v, want %v", x, y, got, want)
	}
}

const unorm = vk.FormatR8G8B8A8Unorm

func target(t testing.TB, dev *pumice.Device, w, h int) *pumice.Image {
	t.Helper()
	return must(dev.NewImage(pumice.ImageDesc{Format: unorm, Width: w, Height: h}))(t)
}

func colorPipeline(t testing.TB, dev *pumice.Device, change func(*pumice.GraphicsPipelineDesc)) *pumice.GraphicsPipeline {
	t.Helper()
	desc := pumice.GraphicsPipelineDesc{Vertex: pumice.Shader{Code: spv(t, "triangle.vert")}, Fragment: pumice.Shader{Code: spv(t, "color.frag")}, ColorFormats: []vk.Format{unorm}}
	if change != nil {
		change(&desc)
	}
	return must(dev.NewGraphicsPipeline(desc))(t)
}

// quad draws img's texels 1:1 to a target of w×h by two indexed triangles.
type quad struct {
	pipeline *pumice.GraphicsPipeline
	set      *pumice.DescriptorSet
	vertices *pumice.Buffer
	indices  *pumice.Buffer
}

func newQuad(t testing.TB, dev *pumice.Device, texture *pumice.Image, constants pumice.Constants) *quad {
	t.Helper()
	q := &quad{}
	q.pipeline = must(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: spv(t, "quad.vert")}, Fragment: pumice.Shader{Code: spv(t, "quad.frag"), Constants: constants}, ColorFormats: []vk.Format{unorm},
		VertexBindings: []vk.VertexInputBindingDescription{{Binding: 0, Stride: 16}},
		VertexAttributes: []vk.VertexInputAttributeDescription{
			{Location: 0, Format: vk.FormatR32G32Sfloat}, {Location: 1, Format: vk.FormatR32G32Sfloat, Offset: 8},
		},
	}))(t)
	q.vertices = must(dev.NewBufferFrom([]float32{-1, -1, 0, 0, 1, -1, 1, 0, -1, 1, 0, 1, 1, 1, 1, 1}))(t)
	q.indices = must(dev.NewBufferFrom([]uint16{0, 1, 2, 2, 1, 3}))(t)
	transform := must(dev.NewBufferFrom([]float32{1, 1, 0, 0}))(t)
	sampler := must(dev.NewSampler(pumice.SamplerDesc{}))(t)
	q.set = must(q.pipeline.NewDescriptorSet(0))(t)
	if err := q.set.Bind(0, transform); err != nil {
		t.Fatal(err)
	}
	if err := q.set.Bind(1, pumice.Texture{View: texture, Sampler: sampler}); err != nil {
		t.Fatal(err)
	}
	return q
}

func (q *quad) bind(pass *pumice.Pass) {
	pass.BindPipeline(q.pipeline)
	pass.BindDescriptorSet(0, q.set)
	pass.BindVertexBuffer(0, q.vertices, 0)
	pass.BindIndexBuffer(q.indices, 0, vk.IndexTypeUint16)
}

func testTexture() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	for i := range 16 {
		img.SetNRGBA(i%4, i/4, color.NRGBA{R: uint8(16 * i), G: uint8(255 - 16*i), B: 7, A: 255})
	}
	return img
}

func TestDraw_TexturedQuad_CopiesTexels(t *testing.T) {
	for _, mode := range []pumice.MemoryMode{pumice.MemoryOffHeap, pumice.MemoryHeap, pumice.MemoryGuard} {
		dev := open(t, &pumice.Config{MemoryMode: mode})
		texture := must(dev.NewImageFrom(testTexture(), &pumice.ImageDesc{Format: unorm}))(t)
		out := target(t, dev, 4, 4)
		q := newQuad(t, dev, texture, nil)
		cmd := dev.NewCommandBuffer()
		pass := cmd.BeginRendering(pumice.ClearTo(out, color.White))
		q.bind(pass)
		pass.DrawIndexed(6, 1, 0, 0, 0)
		pass.End()
		if err := dev.Submit(ctx, cmd); err != nil {
			t.Fatal(err)
		}
		got := must(out.ReadNRGBA(ctx))(t)
		for i := range 16 {
			wantPixel(t, got, i%4, i/4, testTexture().NRGBAAt(i%4, i/4))
		}
	}
}

func TestDraw_SpecializationConstant_Inverts(t *testing.T) {
	dev := open(t, nil)
	texture := must(dev.NewImageFrom(testTexture(), &pumice.ImageDesc{Format: unorm}))(t)
	out := target(t, dev, 4, 4)
	q := newQuad(t, dev, texture, pumice.Constants{0: true})
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(out, color.White))
	q.bind(pass)
	pass.DrawIndexed(6, 1, 0, 0, 0)
	pass.End()
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	c := testTexture().NRGBAAt(1, 2)
	wantPixel(t, must(out.ReadNRGBA(ctx))(t), 1, 2, color.NRGBA{255 - c.R, 255 - c.G, 255 - c.B, 255})
}

// A set may be changed between draws: each draw sees it as it was when bound.
func TestDescriptorSet_ChangedAfterBind_DrawKeepsItsContents(t *testing.T) {
	dev := open(t, nil)
	solid := func(c color.NRGBA) *pumice.Image {
		img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
		img.SetNRGBA(0, 0, c)
		return must(dev.NewImageFrom(img, &pumice.ImageDesc{Format: unorm}))(t)
	}
	red, blue := color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}
	out := target(t, dev, 2, 1)
	q := newQuad(t, dev, solid(red), nil)
	sampler := must(dev.NewSampler(pumice.SamplerDesc{}))(t)
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(out, color.White))
	q.bind(pass)
	pass.SetScissor(vk.Rect2D{Extent: vk.Extent2D{Width: 1, Height: 1}})
	pass.DrawIndexed(6, 1, 0, 0, 0)
	if err := q.set.Bind(1, pumice.Texture{View: solid(blue), Sampler: sampler}); err != nil {
		t.Fatal(err)
	}
	pass.BindDescriptorSet(0, q.set)
	pass.SetScissor(vk.Rect2D{Offset: vk.Offset2D{X: 1}, Extent: vk.Extent2D{Width: 1, Height: 1}})
	pass.DrawIndexed(6, 1, 0, 0, 0)
	pass.End()
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	got := must(out.ReadNRGBA(ctx))(t)
	wantPixel(t, got, 0, 0, red)
	wantPixel(t, got, 1, 0, blue)
}

func TestDraw_IndirectAndCount_DrawTheSame(t *testing.T) {
	dev := open(t, nil)
	p := colorPipeline(t, dev, nil)
	commands := must(dev.NewBufferFrom([]uint32{0, 0, 0, 0, 3, 1, 0, 0}))(t)
	counts := must(dev.NewBufferFrom([]uint32{0, 2}))(t)
	out := target(t, dev, 3, 1)
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(out, color.Black))
	pass.BindPipeline(p)
	column := func(x int32, scale [4]float32) {
		pass.SetScissor(vk.Rect2D{Offset: vk.Offset2D{X: x}, Extent: vk.Extent2D{Width: 1, Height: 1}})
		pass.PushConstants(0, scale)
	}
	column(0, [4]float32{1, 1, 1, 1})
	pass.DrawIndirect(commands, 0, 2, 16)
	column(1, [4]float32{0, 1, 1, 1})
	pass.DrawIndirectCount(commands, 0, counts, 4, 2, 16)
	column(2, [4]float32{1, 1, 1, 1})
	pass.DrawIndirectCount(commands, 0, counts, 0, 2, 16)
	pass.End()
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	got := must(out.ReadNRGBA(ctx))(t)
	wantPixel(t, got, 0, 0, color.NRGBA{255, 128, 0, 255})
	wantPixel(t, got, 1, 0, color.NRGBA{0, 128, 0, 255})
	wantPixel(t, got, 2, 0, color.NRGBA{0, 0, 0, 255})
}

func TestDraw_MultisampleResolveAndDepth(t *testing.T) {
	dev := open(t, nil)
	p := colorPipeline(t, dev, func(d *pumice.GraphicsPipelineDesc) { d.Samples, d.DepthFormat = 4, vk.FormatD32Sfloat })
	msaa := must(dev.NewImage(pumice.ImageDesc{Format: unorm, Width: 8, Height: 8, Samples: 4}))(t)
	depth := must(dev.NewImage(pumice.ImageDesc{Format: vk.FormatD32Sfloat, Width: 8, Height: 8, Samples: 4}))(t)
	out := target(t, dev, 8, 8)
	for _, c := range []struct {
		clear float32
		want  color.NRGBA
	}{{1, color.NRGBA{255, 128, 0, 255}}, {0.25, color.NRGBA{0, 0, 0, 255}}} {
		cmd := dev.NewCommandBuffer()
		pass := cmd.BeginRendering(pumice.ClearTo(msaa, color.Black).WithDepth(depth, c.clear).WithResolve(out))
		pass.BindPipeline(p)
		pass.PushConstants(0, [4]float32{1, 1, 1, 1})
		pass.Draw(3, 1)
		pass.End()
		if err := dev.Submit(ctx, cmd); err != nil {
			t.Fatal(err)
		}
		wantPixel(t, must(out.ReadNRGBA(ctx))(t), 4, 4, c.want)
	}
}

func TestQuery_Occlusion_CountsSamples(t *testing.T) {
	dev := open(t, nil)
	p := colorPipeline(t, dev, nil)
	pool := must(dev.NewQueryPool(vk.QueryTypeOcclusion, 2))(t)
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(target(t, dev, 8, 4), color.Black))
	pass.BindPipeline(p)
	pass.Draw(3, 1)
	pass.BeginQuery(pool, 1)
	pass.Draw(3, 1)
	pass.EndQuery(pool, 1)
	pass.End()
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	if got := must(pool.Results(ctx))(t); got[0] != 0 || got[1] != 32 {
		t.Errorf("counted %v, want [0 32]", got)
	}
}

func TestDispatch_Saxpy(t *testing.T) {
	dev := open(t, nil)
	p := must(dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: spv(t, "saxpy.comp")}}))(t)
	const n = 1000
	x, y := make([]float32, n), make([]float32, n)
	for i := range n {
		x[i], y[i] = float32(i), 1
	}
	bx, by := must(dev.NewBufferFrom(x))(t), must(dev.NewBufferFrom(y))(t)
	groups := must(dev.NewBufferFrom([]uint32{16, 1, 1}))(t)
	set := must(p.NewDescriptorSet(0))(t)
	for i, b := range []*pumice.Buffer{bx, by} {
		if err := set.Bind(uint32(i), b); err != nil {
			t.Fatal(err)
		}
	}
	cmd := dev.NewCommandBuffer()
	cmd.BindPipeline(p)
	cmd.BindDescriptorSet(0, set)
	cmd.PushConstants(0, struct {
		A float32
		N uint32
	}{2, n})
	cmd.Dispatch(16, 1, 1)
	cmd.DispatchIndirect(groups, 0)
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	want := make([]float32, n)
	for i := range want {
		want[i] = float32(4*i + 1)
	}
	wantBuffer := must(dev.NewBufferFrom(want))(t)
	got := make([]byte, 4*n)
	if err := by.Read(ctx, 0, got); err != nil {
		t.Fatal(err)
	}
	if string(got) != string(wantBuffer.Bytes()) {
		t.Error("y is not 2·x + (2·x + 1)")
	}
}

func TestTransfer_CopiesBlitsAndMipmaps(t *testing.T) {
	dev := open(t, nil)
	src := must(dev.NewImageFrom(testTexture(), &pumice.ImageDesc{Format: unorm, MipLevels: pumice.AllMips}))(t)
	if n := src.Desc().MipLevels; n != 3 {
		t.Fatalf("%d levels, want 3", n)
	}
	level2 := must(src.Read(ctx, pumice.Subresource{Level: 2}))(t)
	if level2[2] != 7 || level2[3] != 255 || level2[0] < 118 || level2[0] > 122 {
		t.Errorf("level 2 is %v, want the mean {120 135 7 255}", level2)
	}
	buf := must(dev.NewBuffer(pumice.BufferDesc{Size: 64}))(t)
	copied, scaled := target(t, dev, 4, 4), target(t, dev, 8, 8)
	cleared := target(t, dev, 1, 1)
	cmd := dev.NewCommandBuffer()
	cmd.CopyImageToBuffer(src, buf)
	cmd.CopyBufferToImage(buf, copied)
	cmd.BlitImage(copied, scaled, vk.FilterNearest)
	cmd.FillBuffer(buf, 0, 4, 0xFFFFFFFF)
	cmd.UpdateBuffer(buf, 4, []uint32{5})
	cmd.ClearColorImage(cleared, vk.ClearColorValue{Float32: [4]float32{1, 0, 0, 1}})
	cmd.PipelineBarrier(vk.MemoryBarrier2{})
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	got := must(scaled.ReadNRGBA(ctx))(t)
	for i := range 64 {
		wantPixel(t, got, i%8, i/8, testTexture().NRGBAAt(i%8/2, i/8/2))
	}
	wantPixel(t, must(cleared.ReadNRGBA(ctx))(t), 0, 0, color.NRGBA{255, 0, 0, 255})
	if b := buf.Bytes(); b[3] != 255 || b[4] != 5 {
		t.Errorf("fill and update left %v", b[:8])
	}
}

func TestSubmit_Concurrent_AllRun(t *testing.T) {
	dev := open(t, &pumice.Config{MemoryMode: pumice.MemoryHeap})
	p := colorPipeline(t, dev, nil)
	const n = 8
	results := make(chan error, n)
	for i := range n {
		go func() {
			results <- func() error {
				out, err := dev.NewImage(pumice.ImageDesc{Format: unorm, Width: 16, Height: 16})
				if err != nil {
					return err
				}
				defer out.Close()
				cmd := dev.NewCommandBuffer()
				pass := cmd.BeginRendering(pumice.ClearTo(out, color.Black))
				pass.BindPipeline(p)
				pass.PushConstants(0, [4]float32{float32(i) / 255, 0, 0, 1})
				pass.Draw(3, 1)
				pass.End()
				fence, err := dev.Queue().Submit(cmd)
				if err != nil {
					return err
				}
				if err := fence.Wait(ctx); err != nil {
					return err
				}
				img, err := out.ReadNRGBA(ctx)
				if err == nil && img.NRGBAAt(3, 3).R != uint8(i) {
					err = errors.New("a draw got another's push constants")
				}
				return err
			}()
		}()
	}
	for range n {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if err := dev.Wait(ctx); err != nil {
		t.Error(err)
	}
}

// A dynamic stride of 0 repeats the first vertex, so that nothing is covered.
func TestDraw_DynamicStride(t *testing.T) {
	dev := open(t, nil)
	texture := must(dev.NewImageFrom(testTexture(), &pumice.ImageDesc{Format: unorm}))(t)
	q := newQuad(t, dev, texture, nil)
	p := must(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: spv(t, "quad.vert")}, Fragment: pumice.Shader{Code: spv(t, "quad.frag")}, ColorFormats: []vk.Format{unorm},
		VertexBindings: []vk.VertexInputBindingDescription{{Binding: 0, Stride: 16}},
		VertexAttributes: []vk.VertexInputAttributeDescription{
			{Location: 0, Format: vk.FormatR32G32Sfloat}, {Location: 1, Format: vk.FormatR32G32Sfloat, Offset: 8},
		},
		DynamicStates: []vk.DynamicState{vk.DynamicStateVertexInputBindingStride},
	}))(t)
	for stride, want := range map[uint32]color.NRGBA{16: testTexture().NRGBAAt(1, 1), 0: {0, 0, 0, 255}} {
		out := target(t, dev, 4, 4)
		cmd := dev.NewCommandBuffer()
		pass := cmd.BeginRendering(pumice.ClearTo(out, color.Black))
		q.bind(pass)
		pass.BindPipeline(p)
		pass.BindVertexBufferStride(0, q.vertices, 0, stride)
		pass.DrawIndexed(6, 1, 0, 0, 0)
		pass.End()
		if err := dev.Submit(ctx, cmd); err != nil {
			t.Fatal(err)
		}
		wantPixel(t, must(out.ReadNRGBA(ctx))(t), 1, 1, want)
	}
}

// Attributes of 64 bits keep all bits, in one location or two; one that ends beyond its buffer is zero as a whole.
//
// fxvertex-input-extraction
func TestDraw_WideAttributes(t *testing.T) {
	dev := open(t, nil)
	p := must(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: spv(t, "wide.vert")}, Fragment: pumice.Shader{Code: spv(t, "color.frag")}, ColorFormats: []vk.Format{unorm},
		VertexBindings: []vk.VertexInputBindingDescription{{Binding: 0, Stride: 96}},
		VertexAttributes: []vk.VertexInputAttributeDescription{
			{Location: 0, Format: vk.FormatR64Sfloat}, {Location: 1, Format: vk.FormatR64G64Sfloat, Offset: 8}, {Location: 2, Format: vk.FormatR64G64B64A64Sfloat, Offset: 24},
			{Location: 4, Format: vk.FormatR64G64B64Sfloat, Offset: 56}, {Location: 6, Format: vk.FormatR64G64Sint, Offset: 80},
		},
	}))(t)
	var data []uint64
	for v := range 3 {
		for k := range 10 {
			data = append(data, math.Float64bits(float64(k)+(float64(v)+1.0/3)))
		}
		data = append(data, uint64(-1<<40-int64(v)), 3)
	}
	for short, want := range map[int]color.NRGBA{0: {255, 255, 255, 255}, 1: {255, 255, 191, 255}} { // the third vertex counts a quarter
		out := target(t, dev, 1, 1)
		vertices := must(dev.NewBufferFrom(data[:len(data)-short]))(t)
		cmd := dev.NewCommandBuffer()
		pass := cmd.BeginRendering(pumice.ClearTo(out, color.Black))
		pass.BindPipeline(p)
		pass.BindVertexBuffer(0, vertices, 0)
		pass.PushConstants(0, []float32{1, 1, 1, 1})
		pass.Draw(3, 1)
		pass.End()
		if err := dev.Submit(ctx, cmd); err != nil {
			t.Fatal(err)
		}
		wantPixel(t, must(out.ReadNRGBA(ctx))(t), 0, 0, want)
	}
}

func TestBuffer_DeviceAddress(t *testing.T) {
	dev := open(t, nil)
	p := must(dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: spv(t, "follow.comp")}}))(t)
	a, b := must(dev.NewBufferFrom([]uint32{30}))(t), must(dev.NewBufferFrom([]uint32{12}))(t)
	cmd := dev.NewCommandBuffer()
	cmd.BindPipeline(p)
	cmd.PushConstants(0, []uint64{must(a.DeviceAddress())(t), must(b.DeviceAddress())(t)})
	cmd.Dispatch(1, 1, 1)
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	if got := b.Bytes()[0]; got != 42 {
		t.Errorf("the shader left %d, want 42", got)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.DeviceAddress(); err == nil {
		t.Error("an address of a closed buffer")
	}
}

// A shading rate image is that of one pass: the next has none.
func TestRendering_ShadingRates_OfOnePass(t *testing.T) {
	dev := open(t, nil)
	p := colorPipeline(t, dev, func(d *pumice.GraphicsPipelineDesc) {
		d.ShadingRatePalette = []vk.ShadingRatePaletteEntryNV{vk.ShadingRatePaletteEntry1InvocationPerPixelNV, vk.ShadingRatePaletteEntry1InvocationPer4X4PixelsNV}
	})
	rates := must(dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8Uint, Width: 1, Height: 1, Usage: vk.ImageUsageShadingRateImageBitNV | vk.ImageUsageTransferDstBit}))(t)
	if err := rates.Write(ctx, pumice.Subresource{}, []byte{1}); err != nil {
		t.Fatal(err)
	}
	r := pumice.ClearTo(target(t, dev, 16, 16), color.Black)
	with := r
	with.ShadingRates = rates
	cmd := dev.NewCommandBuffer()
	for _, r := range []pumice.Rendering{r, with, r} {
		pass := cmd.BeginRendering(r)
		pass.BindPipeline(p)
		pass.PushConstants(0, [4]float32{1, 1, 1, 1})
		pass.Draw(3, 1)
		pass.End()
	}
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	if n := dev.Stats().Fragments; n != 256+16+256 {
		t.Errorf("%d fragments, want 256, 16 and 256", n)
	}
}
