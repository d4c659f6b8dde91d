package core

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// What a pipeline does that names none of the structures that extend rasterization
// state, whatever the words of its flags.
func TestPipeline_RAS015_Defaults(t *testing.T) {
	rules.Covers(t, "RAS-008", "RAS-015", "RAS-009")
	d := open(t)
	for _, clamp := range []bool{false, true} {
		p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
			i.Rasterization.DepthClampEnable, i.Rasterization.DepthBiasEnable = clamp, true
			i.Rasterization.Flags, i.Multisample.Flags = 1<<31, 7
		})
		s := (&runner{bindings: newBindings(nil)}).resolve(p)
		if s.DepthClipEnable == clamp || s.RasterizationStream != 0 || s.ProvokingVertexMode != vk.ProvokingVertexModeFirstVertexEXT ||
			s.LineMode != vk.LineRasterizationModeDefault || s.LineStippleEnable || s.RelaxedLines ||
			s.ConservativeMode != vk.ConservativeRasterizationModeDisabledEXT || s.ExtraOverestimation != 0 ||
			s.DepthBiasUnit != vk.DepthBiasRepresentationLeastRepresentableValueFormatEXT || s.DepthBiasExact ||
			s.SampleMask != math.MaxUint64 || s.SampleLocationsEnable || s.ShadingRate != (rates.Shading{}) {
			t.Errorf("depth clamp %v: %+v", clamp, s)
		}
		// What is said counts.
		p = fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
			i.Rasterization.DepthClampEnable, i.DepthClipEnable, i.Stream = clamp, &clamp, 3
		})
		if s := (&runner{bindings: newBindings(nil)}).resolve(p); s.DepthClipEnable != clamp || s.RasterizationStream != 3 {
			t.Errorf("depth clip %v: %v, stream %d", clamp, s.DepthClipEnable, s.RasterizationStream)
		}
	}
}

// The number of samples is the pipeline's, or that of the last command before the
// draw where the pipeline made it dynamic; a pass without attachments shows it.
func TestDynamicState_RAS023_Samples(t *testing.T) {
	rules.Covers(t, "RAS-016", "RAS-020", "RAS-023")
	d := open(t)
	for _, dynamic := range []bool{false, true} {
		p := fullscreen(t, d, "number.frag", vk.PipelineRenderingCreateInfo{}, func(i *GraphicsPipelineInfo) {
			i.Multisample.RasterizationSamples = 2
			if dynamic {
				i.DynamicStates = []vk.DynamicState{vk.DynamicStateRasterizationSamplesEXT}
			}
		})
		q := must(d.NewQueryPool(vk.QueryTypeOcclusion, 7))(t)
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Area: vk.Rect2D{Extent: vk.Extent2D{Width: 16, Height: 8}}})
		for i, n := range []vk.SampleCountFlags{1, 2, 4, 8, 16, 32, 64} {
			c.SetState(vk.DynamicStateRasterizationSamplesEXT, uint32(64/n))
			c.SetState(vk.DynamicStateRasterizationSamplesEXT, uint32(n))
			c.BeginQuery(q, i)
			draw(c, p)
			c.EndQuery(q, i)
		}
		c.EndRendering("end")
		submit(t, d, c)
		for i, got := range get(t, q, 0) {
			want := uint64(2 * 128)
			if dynamic {
				want = 128 << (i / 2)
			}
			if i%2 == 0 && got != want { // the odd ones tell that results are there
				t.Errorf("dynamic %v, draw %d: %d samples, want %d", dynamic, i/2, got, want)
			}
		}
	}
	for _, n := range []vk.SampleCountFlags{0, 3, 48, 128} {
		c := d.NewCommandBuffer()
		if c.SetState(vk.DynamicStateRasterizationSamplesEXT, uint32(n)); c.Err() == nil {
			t.Errorf("a command sets %d samples", n)
		}
	}
	for _, n := range []vk.SampleCountFlags{48, 128, 3} {
		_, err := d.NewGraphicsPipeline(&GraphicsPipelineInfo{
			Vertex: Stage{Code: shaderCode(t, "input.vert")}, InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
			Rasterization: vk.PipelineRasterizationStateCreateInfo{LineWidth: 1}, Multisample: vk.PipelineMultisampleStateCreateInfo{RasterizationSamples: n},
			DynamicStates: []vk.DynamicState{vk.DynamicStateViewport, vk.DynamicStateScissor},
		})
		if rule(err) != "VUID-VkPipelineMultisampleStateCreateInfo-rasterizationSamples-parameter" {
			t.Errorf("%d samples: %v", n, err)
		}
	}
}

// The representation of depth bias is that of the last command; the short one has
// the default again.
func TestDynamicState_RAS266_Representation(t *testing.T) {
	rules.Covers(t, "RAS-020", "RAS-035", "RAS-265", "RAS-266")
	d := open(t)
	const z = vk.FormatD32Sfloat
	p := fullscreen(t, d, "half.frag", vk.PipelineRenderingCreateInfo{DepthAttachmentFormat: z}, func(i *GraphicsPipelineInfo) {
		i.Fragment = Stage{}
		i.Rasterization.DepthBiasEnable = true
		i.DepthStencil = vk.PipelineDepthStencilStateCreateInfo{DepthTestEnable: true, DepthWriteEnable: true, DepthCompareOp: vk.CompareOpAlways}
		i.DynamicStates = []vk.DynamicState{vk.DynamicStateDepthBias}
	})
	bias := func(c *CommandBuffer, constant float32, as ...uint32) {
		c.SetState(vk.DynamicStateDepthBias, append([]uint32{math.Float32bits(constant), 0, 0}, as...)...)
	}
	for name, c := range map[string]struct {
		set  func(*CommandBuffer)
		want float32
	}{
		"default": {func(c *CommandBuffer) { bias(c, 1<<20) }, .5 + 0x1p-4},
		"format": {func(c *CommandBuffer) {
			bias(c, 1<<20, uint32(vk.DepthBiasRepresentationLeastRepresentableValueFormatEXT), 1)
		}, .5 + 0x1p-4},
		"float": {func(c *CommandBuffer) { bias(c, .25, uint32(vk.DepthBiasRepresentationFloatEXT), 0) }, .75},
		"unorm, exact": {func(c *CommandBuffer) {
			bias(c, 1<<22, uint32(vk.DepthBiasRepresentationLeastRepresentableValueForceUnormEXT), 1)
		}, .75},
		"unorm": {func(c *CommandBuffer) {
			bias(c, 1<<24-1, uint32(vk.DepthBiasRepresentationLeastRepresentableValueForceUnormEXT), 0)
		}, 1},
		"float, then default": {func(c *CommandBuffer) {
			bias(c, .25, uint32(vk.DepthBiasRepresentationFloatEXT), 0)
			bias(c, 1<<20)
		}, .5 + 0x1p-4},
	} {
		a, av := target(t, d, z, 1, 1)
		b := d.NewCommandBuffer()
		b.BeginRendering(RenderingInfo{Depth: &RenderingAttachment{View: av}})
		c.set(b)
		draw(b, p)
		b.EndRendering("end")
		submit(t, d, b)
		// The largest depth of the polygon, which is larger than the target, is 1/2.
		if got := math.Float32frombits(texels(t, a, 0, 0)[5]); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	b := d.NewCommandBuffer()
	if bias(b, 0, uint32(3), 0); b.Err() == nil {
		t.Error("representation 3 is accepted")
	}
}

// The extra size of overestimation counts in that mode only, and has a largest
// value.
func TestPipeline_RAS267_Conservative(t *testing.T) {
	rules.Covers(t, "RAS-267")
	d := open(t)
	count := func(k vk.PipelineRasterizationConservativeStateCreateInfoEXT, topology vk.PrimitiveTopology) (n int) {
		p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
			i.Conservative, i.InputAssembly.Topology = k, topology
			i.Viewport.Viewports[0] = vk.Viewport{X: 4, Y: 2, Width: 2, Height: 2, MaxDepth: 1}
			if topology == vk.PrimitiveTopologyTriangleList { // the corner at 4, 2 of a triangle to 8, 6
				i.Viewport.Viewports[0] = vk.Viewport{X: 4, Y: 2, Width: 16, Height: 16, MaxDepth: 1}
			}
		})
		a, av := target(t, d, numbers, 1, 1)
		fillWords(a, 9999)
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		draw(c, p)
		c.EndRendering("end")
		submit(t, d, c)
		for _, v := range texels(t, a, 0, 0) {
			if v != 9999 {
				n++
			}
		}
		return n
	}
	k := func(mode vk.ConservativeRasterizationModeEXT, extra float32) vk.PipelineRasterizationConservativeStateCreateInfoEXT {
		return vk.PipelineRasterizationConservativeStateCreateInfoEXT{ConservativeRasterizationMode: mode, ExtraPrimitiveOverestimationSize: extra}
	}
	const off, over, under = vk.ConservativeRasterizationModeDisabledEXT, vk.ConservativeRasterizationModeOverestimateEXT, vk.ConservativeRasterizationModeUnderestimateEXT
	const points, lines = vk.PrimitiveTopologyPointList, vk.PrimitiveTopologyLineStrip
	for _, topology := range []vk.PrimitiveTopology{points, lines} {
		plain := count(k(off, 0), topology)
		if n := count(k(off, 2), topology); n != plain {
			t.Errorf("%v, disabled with an extra size: %d pixels, without %d", topology, n, plain)
		}
		a, b := count(k(over, 0), topology), count(k(over, 1), topology)
		if a <= plain || b <= a {
			t.Errorf("%v: %d pixels, overestimated %d, with an extra pixel %d", topology, plain, a, b)
		}
		if u, v := count(k(under, 0), topology), count(k(under, 2), topology); u != v || u >= plain {
			t.Errorf("%v underestimated: %d and %d pixels of %d", topology, u, v, plain)
		}
	}
	for name, bad := range map[string]vk.PipelineRasterizationConservativeStateCreateInfoEXT{
		"extra size": k(over, raster.MaxExtraOverestimation+1), "less than none": k(over, -1),
	} {
		if _, err := d.NewGraphicsPipeline(&GraphicsPipelineInfo{
			Vertex: Stage{Code: shaderCode(t, "input.vert")}, InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
			Rasterization: vk.PipelineRasterizationStateCreateInfo{LineWidth: 1}, Conservative: bad,
			DynamicStates: []vk.DynamicState{vk.DynamicStateViewport, vk.DynamicStateScissor},
		}); err == nil {
			t.Errorf("%s: %+v is accepted", name, bad)
		}
	}
}

// Relaxed lines are a feature of devices.
func TestDevice_RAS195_RelaxedLines(t *testing.T) {
	rules.Covers(t, "RAS-195")
	var maps [2]string
	for i, relaxed := range []bool{false, true} {
		d := must(Open(Config{RelaxedLines: relaxed}))(t)
		t.Cleanup(func() { d.Close() })
		p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
			i.InputAssembly.Topology = vk.PrimitiveTopologyLineStrip
			// A row that starts in the right half of a pixel: Bresenham's has that pixel.
			i.Viewport.Viewports[0] = vk.Viewport{X: 4.75, Y: 2.5, Width: 16, Height: 16, MaxDepth: 1}
		})
		a, av := target(t, d, numbers, 1, 1)
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		draw(c, p)
		c.EndRendering("end")
		submit(t, d, c)
		maps[i] = fmt.Sprint(texels(t, a, 0, 0))
	}
	if maps[0] == maps[1] {
		t.Error("lines are the same")
	}
}

// Corner case 76: what goes to each vertex stream, and which of them is drawn.
func TestStreams_RAS062_OneIsRasterized(t *testing.T) {
	rules.Covers(t, "RAS-059", "RAS-060", "RAS-061", "RAS-062", "RAS-063", "RAS-066", "RAS-359", "RC-76", "RAS-010")
	d := open(t)
	float := func(list ...float32) (out []uint32) {
		for _, f := range list {
			out = append(out, math.Float32bits(f))
		}
		return out
	}
	for _, c := range []struct {
		shader        string
		stream        uint32
		first, second []uint32
		drawn         []int // texels
	}{
		{"streams.geom", 1, float(11, 13), float(20, 22, 24), []int{0, 2, 4}},
		{"strips.geom", 1, float(10, 11, 11, 12), float(20, 21, 23, 24, 24, 25), []int{0, 1, 2, 3, 32, 33, 34, 35}},
		{"streams.geom", 2, float(11, 13), float(20, 22, 24), nil},
		{"streamzero.geom", 0, float(11, 12, 13, 15), float(20, 24), []int{1, 2, 3, 5}},
	} {
		for _, discard := range []bool{false, true} {
			p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
				i.InputAssembly.Topology = vk.PrimitiveTopologyPointList
				i.Geometry, i.Stream = Stage{Code: shaderCode(t, c.shader)}, c.stream
				i.Rasterization.RasterizerDiscardEnable = discard
			})
			a, av := target(t, d, numbers, 1, 1)
			fillWords(a, 9999)
			var buffers [2]*Buffer
			var list []FeedbackBuffer
			for k := range buffers {
				buffers[k] = bufferOf(t, d, slices.Repeat([]uint32{7}, 8)...)
				list = append(list, FeedbackBuffer{Buffer: buffers[k], Size: 32})
			}
			b := d.NewCommandBuffer()
			b.BindTransformFeedbackBuffers(0, list)
			b.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
			b.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
			b.BeginTransformFeedback(0, nil)
			b.Draw("draw", 1, 1, 0, 0)
			b.EndTransformFeedback(0, nil)
			b.EndRendering("end")
			before := d.Stats().Render.Primitives
			submit(t, d, b)
			reach := uint64(0) // clipping
			if !discard && c.drawn != nil {
				if reach = 3; c.stream == 0 {
					reach = 4
				}
			}
			if got := d.Stats().Render.Primitives - before; got != reach {
				t.Errorf("%s, stream %d, discard %v: %d primitives reach clipping, want %d", c.shader, c.stream, discard, got, reach)
			}
			for k, want := range [2][]uint32{c.first, c.second} {
				if got := words(buffers[k], len(want)+1); !slices.Equal(got, append(slices.Clone(want), 7)) {
					t.Errorf("%s: stream %d is %x, want %x", c.shader, k, got, want)
				}
			}
			var drawn []int
			for i, v := range texels(t, a, 0, 0) {
				if v != 9999 {
					drawn = append(drawn, i)
				}
			}
			if want := c.drawn; discard && drawn != nil || !discard && !slices.Equal(drawn, want) {
				t.Errorf("%s, stream %d, discard %v: texels %v are drawn, want %v", c.shader, c.stream, discard, drawn, want)
			}
		}
	}
	for stream, bad := range map[uint32]bool{ir.MaxStreams - 1: false, ir.MaxStreams: true} {
		_, err := d.NewGraphicsPipeline(&GraphicsPipelineInfo{
			Vertex: Stage{Code: shaderCode(t, "input.vert")}, InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
			Rasterization: vk.PipelineRasterizationStateCreateInfo{LineWidth: 1}, Stream: stream,
			DynamicStates: []vk.DynamicState{vk.DynamicStateViewport, vk.DynamicStateScissor},
		})
		if (err != nil) != bad {
			t.Errorf("stream %d: %v", stream, err)
		}
	}
}

// The dynamic states of shading rate images: enabled, palettes and sample orders are
// those of the last command, in pipelines that made them dynamic.
func TestDynamicStates_RAS028_ShadingRateImages(t *testing.T) {
	rules.Covers(t, "RAS-020", "RAS-028", "RAS-160", "RAS-169", "RAS-170")
	d := open(t)
	c := d.NewCommandBuffer()
	c.SetState(vk.DynamicStateShadingRateImageEnableNV, 0)
	c.SetState(vk.DynamicStateShadingRateImageEnableNV, 1)
	c.SetViewportShadingRatePalette(1, [][]vk.ShadingRatePaletteEntryNV{{1}, {2, 3}})
	c.SetViewportShadingRatePalette(2, [][]vk.ShadingRatePaletteEntryNV{{4}})
	c.SetCoarseSampleOrder(vk.CoarseSampleOrderTypePixelMajorNV, nil)
	custom := []rates.CustomOrder{{Entry: vk.ShadingRatePaletteEntry1InvocationPer2X2PixelsNV, Samples: 2}}
	for _, at := range []int{5, 2, 7, 0, 3, 6, 1, 4} { // bits of column, row and sample
		custom[0].Locations = append(custom[0].Locations, vk.CoarseSampleLocationNV{PixelX: uint32(at & 1), PixelY: uint32(at >> 1 & 1), Sample: uint32(at >> 2)})
	}
	c.SetCoarseSampleOrder(vk.CoarseSampleOrderTypeCustomNV, custom)
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	r := &runner{dev: &Device{}, bindings: newBindings(nil)}
	if err := r.run(ctx, c.words); err != nil {
		t.Fatal(err)
	}
	all := []vk.DynamicState{vk.DynamicStateShadingRateImageEnableNV, vk.DynamicStateViewportShadingRatePaletteNV, vk.DynamicStateViewportCoarseSampleOrderNV}
	for i := range 1 << len(all) {
		var of []vk.DynamicState
		for k, s := range all {
			if i>>k&1 != 0 {
				of = append(of, s)
			}
		}
		p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
			i.DynamicStates, i.RateImage = of, &RateImage{Palettes: [][]vk.ShadingRatePaletteEntryNV{{5}}, Order: vk.CoarseSampleOrderTypeSampleMajorNV}
		})
		s := r.resolve(p)
		if s.RateImageEnable != (i&1 != 0) {
			t.Errorf("%v: enabled %v", of, s.RateImageEnable)
		}
		if dynamic := i&2 != 0; (s.Palettes[1].N == 1 && s.Palettes[1].Entries[0] == 1 && s.Palettes[2].N == 1 && s.Palettes[2].Entries[0] == 4) != dynamic {
			t.Errorf("%v: palettes %+v", of, s.Palettes[:3])
		}
		order := rates.NewOrder(vk.CoarseSampleOrderTypeSampleMajorNV, nil)
		if i&4 != 0 {
			order = rates.NewOrder(vk.CoarseSampleOrderTypeCustomNV, custom)
		}
		if !reflect.DeepEqual(s.SampleOrder, order) {
			t.Errorf("%v: order %+v, want %+v", of, s.SampleOrder, order)
		}
	}
}

// The mask of 32 and of 64 samples has a word for each 32, static and dynamic: a draw counts those
// that are in it, and a word that is not given has all of its samples.
func TestSampleMask_RAS018_Words(t *testing.T) {
	rules.Covers(t, "RAS-018", "RAS-024", "RAS-309")
	d := open(t)
	for _, c := range []struct {
		samples vk.SampleCountFlags
		mask    []uint32
		want    uint64
	}{
		{vk.SampleCount64Bit, nil, 64}, {vk.SampleCount64Bit, []uint32{0, 0}, 0},
		{vk.SampleCount64Bit, []uint32{1, 0}, 1}, {vk.SampleCount64Bit, []uint32{0, 1 << 31}, 1},
		{vk.SampleCount64Bit, []uint32{0x8000_0001, 0xF0}, 6}, {vk.SampleCount64Bit, []uint32{3}, 34},
		{vk.SampleCount32Bit, []uint32{1 << 31}, 1}, {vk.SampleCount32Bit, []uint32{0, 1}, 0},
	} {
		for _, dynamic := range []bool{false, true} {
			p := fullscreen(t, d, "number.frag", vk.PipelineRenderingCreateInfo{}, func(i *GraphicsPipelineInfo) {
				i.Multisample.RasterizationSamples, i.Multisample.SampleMask = c.samples, c.mask
				if dynamic {
					i.Multisample.SampleMask = nil
					i.DynamicStates = append(i.DynamicStates, vk.DynamicStateSampleMaskEXT)
				}
			})
			q := must(d.NewQueryPool(vk.QueryTypeOcclusion, 1))(t)
			b := d.NewCommandBuffer()
			b.BeginRendering(RenderingInfo{Area: vk.Rect2D{Extent: vk.Extent2D{Width: 16, Height: 8}}})
			if dynamic {
				b.SetState(vk.DynamicStateSampleMaskEXT, append([]uint32{}, c.mask...)...)
				if c.mask == nil {
					b.SetState(vk.DynamicStateSampleMaskEXT, math.MaxUint32, math.MaxUint32)
				}
			}
			b.BeginQuery(q, 0)
			draw(b, p)
			b.EndQuery(q, 0)
			b.EndRendering("end")
			submit(t, d, b)
			if got := get(t, q, 0)[0]; got != 128*c.want {
				t.Errorf("%v, mask %#x, dynamic %v: %d samples, want %d", c.samples, c.mask, dynamic, got, 128*c.want)
			}
		}
	}
}
