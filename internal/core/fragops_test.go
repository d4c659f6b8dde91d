package core

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/depthsometimes.frag.spv testdata/depthsometimes.frag

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Shaders that promise how their depth compares with the interpolated one (½): the
// depth they write is what is tested.
func TestDepthModes_RAS304_SameAsLateTests(t *testing.T) {
	rules.Covers(t, "RAS-304", "RAS-310")
	const f = vk.FormatD32Sfloat
	d := open(t)
	for _, c := range []struct {
		shader  string
		compare vk.CompareOp
		stored  float32
		want    float32
	}{
		{"depthless.frag", vk.CompareOpLess, .375, .25}, {"depthless.frag", vk.CompareOpGreater, .375, .375}, {"depthless.frag", vk.CompareOpLess, .125, .125},
		{"depthgreater.frag", vk.CompareOpGreater, .625, .75}, {"depthgreater.frag", vk.CompareOpLess, .625, .625}, {"depthgreater.frag", vk.CompareOpGreater, .875, .875},
		{"depthsometimes.frag", vk.CompareOpLess, .375, 0}, // the right half writes ¼, the pixel looked at nothing: its variable has no initializer
		{"depthunchanged.frag", vk.CompareOpLess, .625, .5}, {"depthunchanged.frag", vk.CompareOpLess, .375, .375},
	} {
		p := fullscreen(t, d, c.shader, vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{numbers}, DepthAttachmentFormat: f}, func(i *GraphicsPipelineInfo) {
			i.DepthStencil = vk.PipelineDepthStencilStateCreateInfo{DepthTestEnable: true, DepthWriteEnable: true, DepthCompareOp: c.compare}
		})
		a, av := target(t, d, numbers, 1, 1)
		z, zv := target(t, d, f, 1, 1)
		b := d.NewCommandBuffer()
		b.BeginRendering(RenderingInfo{
			Color: []RenderingAttachment{{View: av, Load: vk.AttachmentLoadOpClear, Clear: uintClear(999)}},
			Depth: &RenderingAttachment{View: zv, Load: vk.AttachmentLoadOpClear, Clear: vk.ClearValue{DepthStencil: vk.ClearDepthStencilValue{Depth: c.stored}}},
		})
		draw(b, p)
		b.EndRendering("end")
		submit(t, d, b)
		color := uint32(17)
		if c.want == c.stored {
			color = 999
		}
		got := math.Float32frombits(texels(t, z, 0, vk.ImageAspectDepthBit)[17])
		if n := texels(t, a, 0, 0)[17]; got != c.want || n != color {
			t.Errorf("%s, %v, %v stored: depth %v, colour %d; want %v, %d", c.shader, c.compare, c.stored, got, n, c.want, color)
		}
	}
}

// Sections of an ordered interlock run one after the other at each pixel, in
// rasterization order: x becomes 3x + instance.
func TestInterlock_RAS313_Ordered(t *testing.T) {
	rules.Covers(t, "RAS-313")
	const instances = 19
	for _, threads := range []int{1, 2} {
		d := must(Open(Config{Threads: threads, HeapMemory: true}))(t)
		p := fullscreen(t, d, "interlock.frag", numberFormats, func(i *GraphicsPipelineInfo) { i.Vertex.Code = shaderCode(t, "instance.vert") })
		im, view := target(t, d, numbers, 1, 1)
		a, av := target(t, d, numbers, 1, 1)
		fillWords(im, 1)
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
		c.BindDescriptorSet("bind", vk.PipelineBindPointGraphics, 0, inputSet(t, p, view), nil)
		c.Draw("Pass.Draw", 3, instances, 0, 0)
		c.EndRendering("end")
		submit(t, d, c)
		want := uint32(1)
		for i := range uint32(instances) {
			want = 3*want + i
		}
		for what, im := range map[string]*Image{"image": im, "attachment": a} {
			for i, v := range texels(t, im, 0, 0) {
				if v != want {
					t.Fatalf("%d threads, %s: texel %d is %d, want %d", threads, what, i, v, want)
				}
			}
		}
		d.Close()
	}
}

// Resolve commands give the bytes that the end of a pass gives, region by region and
// layer by layer.
func TestResolveImage_RAS355_SameAsAPass(t *testing.T) {
	rules.Covers(t, "RAS-355")
	d := open(t)
	r := rand.New(rand.NewPCG(35, 5))
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR8G8B8A8Snorm, vk.FormatR16G16B16A16Sfloat, vk.FormatR32Sfloat,
		vk.FormatB10G11R11UfloatPack32, vk.FormatA2B10G10R10UnormPack32, vk.FormatR16G16Unorm, vk.FormatR32Uint, vk.FormatR8G8B8A8Sint} {
		const samples, layers = 4, 2
		src, srcView := target(t, d, f, samples, layers)
		a, av := target(t, d, f, 1, layers)
		b, _ := target(t, d, f, 1, layers)
		data := src.res.Data
		size := src.res.Info.BlockBytes
		for i := range data {
			data[i] = byte(r.Uint32())
			if pixel := i / (size * samples) * size * samples; pixel/(size*samples)%3 == 0 {
				data[i] = data[pixel+i%size] // equal samples
			}
		}
		for i := range b.res.Data {
			a.res.Data[i], b.res.Data[i] = 0x55, 0x55
		}
		c := d.NewCommandBuffer()
		area := vk.Rect2D{Offset: vk.Offset2D{X: 3, Y: 1}, Extent: vk.Extent2D{Width: 11, Height: 6}}
		c.BeginRendering(RenderingInfo{Area: area, LayerCount: layers, Color: []RenderingAttachment{{View: srcView, Load: vk.AttachmentLoadOpLoad, Resolve: av}}})
		c.EndRendering("end")
		part := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: layers}
		at := vk.Offset3D{X: 3, Y: 1}
		c.ResolveImage(src, b, []vk.ImageResolve{
			{SrcSubresource: part, DstSubresource: part, SrcOffset: at, DstOffset: at, Extent: vk.Extent3D{Width: 11, Height: 2, Depth: 1}},
			{SrcSubresource: part, DstSubresource: part, SrcOffset: vk.Offset3D{X: 3, Y: 3}, DstOffset: vk.Offset3D{X: 3, Y: 3}, Extent: vk.Extent3D{Width: 11, Height: 4, Depth: 1}},
		})
		submit(t, d, c)
		if !bytes.Equal(a.res.Data, b.res.Data) {
			for i := range a.res.Data {
				if a.res.Data[i] != b.res.Data[i] {
					t.Errorf("%v: byte %d is %#x at the end of a pass, %#x by a command", f, i, a.res.Data[i], b.res.Data[i])
					break
				}
			}
		}
		if a.res.Data[0] != 0x55 {
			t.Errorf("%v: the pass resolved outside of its area", f)
		}
	}
}

// Statistics of triangles: one of three pixels, one outside, one that lies across the
// left edge with two pixels, and two vertices that make none.
func TestStatistics_RAS359_Triangles(t *testing.T) {
	rules.Covers(t, "RAS-359")
	d := open(t)
	p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
		i.Vertex.Code = shaderCode(t, "attribute.vert")
		i.VertexInput = vk.PipelineVertexInputStateCreateInfo{
			VertexBindingDescriptions:   []vk.VertexInputBindingDescription{{Stride: 8}},
			VertexAttributeDescriptions: []vk.VertexInputAttributeDescription{{Format: vk.FormatR32G32Sfloat}},
		}
	})
	var vertices []uint32
	for _, v := range [][2]float32{{1, 1}, {4, 1}, {1, 4}, {20, 1}, {25, 1}, {20, 6}, {-5, 1}, {3, 1}, {-5, 5}, {1, 1}, {2, 2}} { // pixels
		vertices = append(vertices, math.Float32bits(v[0]/8-1), math.Float32bits(v[1]/4-1))
	}
	buffer := bufferOf(t, d, vertices...)
	_, av := target(t, d, numbers, 1, 1)
	kinds := vk.QueryPipelineStatisticFlags(vk.QueryPipelineStatisticInputAssemblyVerticesBit | vk.QueryPipelineStatisticInputAssemblyPrimitivesBit | vk.QueryPipelineStatisticVertexShaderInvocationsBit |
		vk.QueryPipelineStatisticClippingInvocationsBit | vk.QueryPipelineStatisticClippingPrimitivesBit | vk.QueryPipelineStatisticFragmentShaderInvocationsBit)
	q := must(d.NewQueries(vk.QueryPoolCreateInfo{QueryType: vk.QueryTypePipelineStatistics, QueryCount: 1, PipelineStatistics: kinds}))(t)
	c := d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
	c.BeginQuery(q, 0)
	c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
	c.BindVertexBuffer(0, buffer, 0, vk.WholeSize, nil)
	c.Draw("Pass.Draw", uint32(len(vertices)/2), 1, 0, 0)
	c.EndQuery(q, 0)
	c.EndRendering("end")
	submit(t, d, c)
	// Vertices, primitives, vertex shaders, primitives into and out of clipping, fragments.
	if got := get(t, q, 0); !slices.Equal(got, []uint64{11, 3, 9, 3, 2, 5, 1}) {
		t.Errorf("statistics %v", got)
	}
}
