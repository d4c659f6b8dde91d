package conformance

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
	"github.com/pumice-gpu/pumice/golden"
	"github.com/pumice-gpu/pumice/vk"
)

// The golden pictures are the same on every machine, so a change of them is a change of
// what Pumice draws, to be looked at and explained in its commit:
// go test ./conformance -run Golden -update rewrites them.
var _ = golden.UpdateFlag()

// goldenFile is where the golden picture of a name is.
func goldenFile(name string) string { return filepath.Join("testdata", "golden", name+".png") }

func TestGolden_Teapot(t *testing.T) {
	r, err := studio.New(ctx, open(t, config{debug: silence(t)}))
	if err != nil {
		t.Fatal(err)
	}
	file, err := studio.Teapot()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := gltf.Read(ctx, bytes.NewReader(file), nil, "teapot", nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Load(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	view := studio.View{Width: 128, Height: 128, Samples: 4, Background: studio.TeapotBackground()}
	view.Camera.Document = &doc.Cameras[0]
	img, err := r.Render(ctx, m, view)
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, img, goldenFile("teapot"), golden.Explain(func(ctx context.Context, x, y int) ([]*explain.Explanation, error) {
		_, es, err := r.Explain(ctx, m, view, studio.Point{X: x, Y: y, Sample: studio.AllSamples})
		return es, err
	}))
}

// soup is a vertex of soup.vert.
type soup struct {
	X, Y, Z, W float32
	Color      [4]uint8
	U, V, _    float32
}

// board is a scene that draws soups with soup.vert.
type board struct {
	t        testing.TB
	dev      *pumice.Device
	instance *pumice.Buffer
	desc     pumice.GraphicsPipelineDesc // of the next draws
	bare     bool                        // the fragment shader has no textures
}

func newBoard(t testing.TB, format vk.Format, samples int) *board {
	return boardOn(t, open(t, config{}), format, samples)
}

func boardOn(t testing.TB, dev *pumice.Device, format vk.Format, samples int) *board {
	b := &board{t: t, dev: dev}
	b.instance = must(b.dev.NewBufferFrom([]float32{0, 0, 1, 1}))(t)
	b.desc = pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: spv(t, "soup.vert")}, Fragment: pumice.Shader{Code: spv(t, "color.frag")}, ColorFormats: []vk.Format{format}, Samples: samples,
		VertexBindings: []vk.VertexInputBindingDescription{
			{Binding: 0, Stride: soupStride}, {Binding: 1, Stride: 16, InputRate: vk.VertexInputRateInstance},
		},
		VertexAttributes: []vk.VertexInputAttributeDescription{
			{Location: 0, Format: vk.FormatR32G32B32A32Sfloat},
			{Location: 1, Format: vk.FormatR8G8B8A8Unorm, Offset: 16},
			{Location: 2, Format: vk.FormatR32G32Sfloat, Offset: 20},
			{Location: 3, Binding: 1, Format: vk.FormatR32G32B32A32Sfloat},
		},
	}
	return b
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// draw records vertices with the pipeline of b.desc, in a mode of color.frag
// with texture as its first (may be nil) and black as its second.
func (b *board) draw(p *pumice.Pass, mode int, pointSize float32, texture *pumice.Texture, vertices ...soup) {
	b.t.Helper()
	desc := b.desc
	desc.Fragment.Constants = pumice.Constants{0: mode}
	pipeline := must(b.dev.NewGraphicsPipeline(desc))(b.t)
	p.BindPipeline(pipeline)
	if !b.bare {
		b.bind(p, pipeline, texture)
	}
	p.BindVertexBuffer(0, must(b.dev.NewBufferFrom(vertices))(b.t), 0)
	p.BindVertexBuffer(1, b.instance, 0)
	p.PushConstants(0, [12]float32{0: 1, 3: 1, 7: 1, 8: pointSize, 10: 0.25})
	p.Draw(uint32(len(vertices)), 1)
}

func (b *board) bind(p *pumice.Pass, pipeline *pumice.GraphicsPipeline, texture *pumice.Texture) {
	b.t.Helper()
	set := must(pipeline.NewDescriptorSet(0))(b.t)
	black := pumice.Texture{
		View:    must(b.dev.NewImage(pumice.ImageDesc{Width: 1, Height: 1}))(b.t),
		Sampler: must(b.dev.NewSampler(pumice.SamplerDesc{}))(b.t),
	}
	if texture == nil {
		texture = &black
	}
	if err := errors.Join(set.Bind(0, *texture), set.Bind(1, black)); err != nil {
		b.t.Fatal(err)
	}
	p.BindDescriptorSet(0, set)
}

// golden submits and compares what is drawn with a file; a pixel that differs is drawn once more, and explained.
func (b *board) golden(file string, cmd *pumice.CommandBuffer, im *pumice.Image) {
	b.t.Helper()
	golden.Compare(b.t, b.picture(cmd, im), file, golden.Explain(func(ctx context.Context, x, y int) ([]*explain.Explanation, error) {
		return b.dev.Explain(ctx, []pumice.WatchPoint{{Image: im, X: x, Y: y}}, cmd)
	}))
}

// picture submits and reads back.
func (b *board) picture(cmd *pumice.CommandBuffer, im *pumice.Image) *image.NRGBA {
	b.t.Helper()
	if err := b.dev.Submit(ctx, cmd); err != nil {
		b.t.Fatal(err)
	}
	return must(im.ReadNRGBA(ctx))(b.t)
}

// TestGolden_Primitives draws the same eight vertices in each topology, one
// sample, the colours blended over each other.
func TestGolden_Primitives(t *testing.T) {
	b := newBoard(t, vk.FormatR8G8B8A8Unorm, 1)
	target := must(b.dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: 125, Height: 50}))(t)
	b.desc.Blend = &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{pumice.AlphaBlend()}}
	vertices := []soup{
		{X: -0.9, Y: -0.7, W: 1, Color: [4]uint8{255, 40, 0, 200}}, {X: -0.7, Y: 0.8, W: 1, Color: [4]uint8{0, 255, 0, 128}},
		{X: -0.2, Y: -0.9, W: 1, Color: [4]uint8{0, 80, 255, 255}}, {X: 0, Y: 0.6, W: 1, Color: [4]uint8{255, 255, 0, 160}},
		{X: 0.3, Y: -0.8, W: 1, Color: [4]uint8{255, 0, 255, 255}}, {X: 0.5, Y: 0.9, W: 1, Color: [4]uint8{0, 255, 255, 90}},
		{X: 0.9, Y: -0.5, W: 1, Color: [4]uint8{255, 255, 255, 220}}, {X: 0.7, Y: 0.4, W: 1, Color: [4]uint8{20, 20, 20, 255}},
	}
	cmd := b.dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(target, color.NRGBA{70, 80, 90, 255}))
	for i, topology := range topologies {
		pass.SetViewport(vk.Viewport{X: float32(25 * (i % 5)), Y: float32(25 * (i / 5)), Width: 25, Height: 25, MaxDepth: 1})
		b.desc.InputAssembly = &vk.PipelineInputAssemblyStateCreateInfo{Topology: topology}
		b.draw(pass, 0, 6, nil, vertices...)
	}
	pass.End()
	b.golden(goldenFile("primitives"), cmd, target)
}

// TestGolden_Textures looks along a floor with a picture of bands, four ways:
// nearest, bilinear, trilinear and anisotropic.
func TestGolden_Textures(t *testing.T) {
	b := newBoard(t, vk.FormatR8G8B8A8Srgb, 1)
	target := must(b.dev.NewImage(pumice.ImageDesc{Width: 128, Height: 64}))(t)
	img := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for y := range 32 {
		for x := range 32 {
			c := color.NRGBA{240, 230, 200, 255}
			if (x/4+y/4)%2 == 1 {
				c = color.NRGBA{uint8(x * 8), 60, uint8(y * 8), 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	floor := must(b.dev.NewImageFrom(img, &pumice.ImageDesc{MipLevels: pumice.AllMips}))(t)
	samplers := []pumice.SamplerDesc{
		{NoMips: true},
		{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, NoMips: true, AddressModeU: vk.SamplerAddressModeMirroredRepeat},
		pumice.LinearSampler(vk.SamplerAddressModeRepeat),
		pumice.LinearSampler(vk.SamplerAddressModeRepeat),
	}
	samplers[3].MaxAnisotropy = 8
	cmd := b.dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(target, color.NRGBA{120, 160, 220, 255}))
	b.desc.InputAssembly = &vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleStrip}
	const grey = 255
	for i, s := range samplers {
		pass.SetViewport(vk.Viewport{X: float32(32 * i), Width: 32, Height: 64, MaxDepth: 1})
		b.draw(pass, 1, 1, &pumice.Texture{View: floor, Sampler: must(b.dev.NewSampler(s))(t)},
			soup{X: -1, Y: 1, W: 1, U: 0, V: 0, Color: [4]uint8{grey, grey, grey, 255}},
			soup{X: 1, Y: 1, W: 1, U: 1, V: 0, Color: [4]uint8{grey, grey, grey, 255}},
			soup{X: -16, Y: -12, W: 16, U: -8, V: 12, Color: [4]uint8{grey, grey, grey, 255}},
			soup{X: 16, Y: -12, W: 16, U: 9, V: 12, Color: [4]uint8{grey, grey, grey, 255}})
	}
	pass.End()
	b.golden(goldenFile("textures"), cmd, target)
}

// TestGolden_Depth lets three triangles pass through each other, four samples,
// where a fourth has set the stencil.
func TestGolden_Depth(t *testing.T) {
	b := newBoard(t, vk.FormatR8G8B8A8Srgb, 4)
	b.desc.DepthFormat, b.desc.StencilFormat = vk.FormatD24UnormS8Uint, vk.FormatD24UnormS8Uint
	image := func(format vk.Format, samples int) *pumice.Image {
		return must(b.dev.NewImage(pumice.ImageDesc{Format: format, Width: 96, Height: 96, Samples: samples}))(t)
	}
	many, one, depth := image(vk.FormatR8G8B8A8Srgb, 4), image(vk.FormatR8G8B8A8Srgb, 1), image(vk.FormatD24UnormS8Uint, 4)
	cmd := b.dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(many, color.Transparent).WithDepth(depth, 1).WithResolve(one))
	stencil := vk.StencilOpState{PassOp: vk.StencilOpIncrementAndClamp, CompareOp: vk.CompareOpAlways, CompareMask: 255, WriteMask: 255}
	b.desc.DepthStencil = &vk.PipelineDepthStencilStateCreateInfo{StencilTestEnable: true, Front: stencil, Back: stencil}
	gray := [4]uint8{40, 40, 48, 255}
	b.draw(pass, 0, 1, nil, soup{X: -0.95, Y: 0.9, W: 1, Color: gray}, soup{X: 0.9, Y: 0.95, W: 1, Color: gray}, soup{X: 0.1, Y: -0.95, W: 1, Color: gray})
	stencil = vk.StencilOpState{CompareOp: vk.CompareOpEqual, CompareMask: 255, Reference: 1}
	b.desc.DepthStencil = &vk.PipelineDepthStencilStateCreateInfo{
		DepthTestEnable: true, DepthWriteEnable: true, DepthCompareOp: vk.CompareOpLess, StencilTestEnable: true, Front: stencil, Back: stencil,
	}
	for _, v := range [][3]soup{
		{{X: -0.9, Y: -0.2, Z: 0.9, W: 1}, {X: 0.9, Y: -0.4, Z: 0.1, W: 1}, {X: 0.2, Y: 0.8, Z: 0.5, W: 1}},
		{{X: 0.8, Y: -0.8, Z: 0.7, W: 1}, {X: 0.6, Y: 0.9, Z: 0.6, W: 1}, {X: -2, Y: 0, Z: 0.2, W: 2}},
		{{X: -0.6, Y: 0.9, Z: 0.3, W: 1}, {X: 0.2, Y: -0.9, Z: 0.4, W: 1}, {X: 3.2, Y: 2, Z: 3.6, W: 4}},
	} {
		for i := range v {
			v[i].Color[i], v[i].Color[3], v[i].Color[(i+1)%3] = 255, 255, uint8(90*i)
		}
		b.draw(pass, 0, 1, nil, v[:]...)
	}
	pass.End()
	b.golden(goldenFile("depth"), cmd, one)
}
