package core

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Pipelines of four samples draw ½ to an attachment of one, with and without
// VK_NV_framebuffer_mixed_samples; what is static and what is dynamic mean the same.
func TestCoverage_RAS334_MixedSamples(t *testing.T) {
	rules.Covers(t, "RAS-334", "RAS-336")
	const f = vk.FormatR32Sfloat
	truncate, merge := vk.CoverageReductionModeTruncateNV, vk.CoverageReductionModeMergeNV
	for name, c := range map[string]struct {
		merge  bool
		mask   uint32
		static Coverage
		states []vk.DynamicState
		set    func(c *CommandBuffer)
		want   float32
	}{
		"merge by default":    {merge: true, mask: 0b1000, want: .5},
		"truncate by default": {mask: 0b1000, want: 2},
		"merge to modulate":   {mask: 0b1000, static: Coverage{ModulationGiven: true}, want: .5},
		"truncate":            {merge: true, mask: 0b1000, static: Coverage{Reduction: &truncate}, want: 2},
		"first":               {merge: true, mask: 0b0001, static: Coverage{Reduction: &truncate}, want: .5},
		"modulate":            {merge: true, mask: 0b1010, static: Coverage{Modulation: vk.CoverageModulationModeRgbNV}, want: .25},
		"table":               {merge: true, mask: 0b1010, static: Coverage{Modulation: vk.CoverageModulationModeRgbNV, TableEnable: true, Table: []float32{1, 0, 1, 1}}, want: 0},
		"table off":           {merge: true, mask: 0b1010, static: Coverage{Modulation: vk.CoverageModulationModeRgbNV, Table: []float32{1, 0, 1, 1}}, want: .25},
		"dynamic": {merge: true, mask: 0b1000, static: Coverage{Reduction: &merge}, states: []vk.DynamicState{vk.DynamicStateCoverageReductionModeNV},
			set: func(c *CommandBuffer) { c.SetState(vk.DynamicStateCoverageReductionModeNV, uint32(truncate)) }, want: 2},
		"not dynamic": {merge: true, mask: 0b1000, static: Coverage{Reduction: &merge}, set: func(c *CommandBuffer) { c.SetState(vk.DynamicStateCoverageReductionModeNV, uint32(truncate)) }, want: .5},
		"dynamic table": {merge: true, mask: 0b1010, states: []vk.DynamicState{vk.DynamicStateCoverageModulationModeNV, vk.DynamicStateCoverageModulationTableEnableNV, vk.DynamicStateCoverageModulationTableNV},
			set: func(c *CommandBuffer) {
				c.SetState(vk.DynamicStateCoverageModulationModeNV, uint32(vk.CoverageModulationModeRgbaNV))
				c.SetState(vk.DynamicStateCoverageModulationTableEnableNV, 1)
				c.SetState(vk.DynamicStateCoverageModulationTableNV, 0x3f800000, 0x3f400000, 0x3f800000, 0x3f800000)
			}, want: .375},
	} {
		d := must(Open(Config{Threads: 1, HeapMemory: true, MixedSamples: true, MergeCoverage: c.merge}))(t)
		p := fullscreen(t, d, "half.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{f}}, func(i *GraphicsPipelineInfo) {
			i.Multisample.RasterizationSamples, i.Multisample.SampleMask = vk.SampleCount4Bit, []uint32{c.mask}
			i.Coverage, i.DynamicStates = c.static, c.states
		})
		one := fullscreen(t, d, "half.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{f}}, func(i *GraphicsPipelineInfo) {
			i.Multisample.RasterizationSamples, i.Multisample.SampleMask = vk.SampleCount1Bit, []uint32{0}
		})
		a, av := target(t, d, f, 1, 1)
		b := d.NewCommandBuffer()
		b.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av, Load: vk.AttachmentLoadOpClear, Clear: vk.ClearValue{Color: vk.ClearColorValue{Float32: [4]float32{2}}}}}})
		if c.set != nil {
			c.set(b)
		}
		draw(b, one) // another number of samples in the same pass
		draw(b, p)
		draw(b, one)
		b.EndRendering("end")
		submit(t, d, b)
		if got := math.Float32frombits(texels(t, a, 0, 0)[20]); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		d.Close()
	}
}

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/notfinite.frag.spv testdata/notfinite.frag

// What modulation makes of an infinity and 0, and of any NaN, is the NaN 0x7FC00000, where a
// processor's multiplication gives others; also where the pixel is watched.
func TestCoverage_RAS336_NaN(t *testing.T) {
	rules.Covers(t, "RAS-336")
	const f, nan, inf = vk.FormatR32G32B32A32Sfloat, 0x7FC00000, 0x7F800000
	d := must(Open(Config{Threads: 1, HeapMemory: true, MixedSamples: true, MergeCoverage: true}))(t)
	defer d.Close()
	for name, c := range map[string]struct {
		mode  vk.CoverageModulationModeNV
		table []float32
		want  [4]uint32
	}{
		"times 0, alpha alone": {vk.CoverageModulationModeRgbNV, []float32{0, 0, 0, 0}, [4]uint32{nan, nan, nan, inf}},
		"times 0":              {vk.CoverageModulationModeRgbaNV, []float32{0, 0, 0, 0}, [4]uint32{nan, nan, nan, nan}},
		"times a quarter":      {vk.CoverageModulationModeRgbaNV, nil, [4]uint32{inf, 0xFF800000, nan, inf}},
	} {
		for _, watched := range []bool{false, true} {
			a, av := target(t, d, f, 1, 1)
			p := fullscreen(t, d, "notfinite.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{f}}, func(i *GraphicsPipelineInfo) {
				i.Multisample.RasterizationSamples, i.Multisample.SampleMask = vk.SampleCount4Bit, []uint32{0b0010}
				i.Coverage = Coverage{Modulation: c.mode, TableEnable: c.table != nil, Table: c.table}
			})
			var w *Watcher
			if watched {
				w = must(d.Watch("watch", []WatchPoint{{Image: a, X: 4, Y: 1}}))(t)
			}
			b := d.NewCommandBuffer()
			b.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av, Load: vk.AttachmentLoadOpClear}}})
			draw(b, p)
			b.EndRendering("end")
			submit(t, d, b)
			if watched {
				w.End()
			}
			for i, want := range c.want {
				if got := texels(t, a, 0, 0)[20*4+i]; got != want {
					t.Errorf("%s, watched %v: component %d is %#x, want %#x", name, watched, i, got, want)
				}
			}
		}
	}
}

// Coverage to colour takes the location that is set, statically or by a command.
func TestCoverage_RAS331_ToColor(t *testing.T) {
	rules.Covers(t, "RAS-331")
	d := open(t)
	for name, c := range map[string]struct {
		static Coverage
		states []vk.DynamicState
		want   uint32
	}{
		"static":   {static: Coverage{ToColor: true}, want: 1},
		"location": {static: Coverage{ToColor: true, ToColorLocation: 1}, want: 17},
		"dynamic":  {states: []vk.DynamicState{vk.DynamicStateCoverageToColorEnableNV, vk.DynamicStateCoverageToColorLocationNV}, want: 1},
		"off":      {static: Coverage{ToColorLocation: 0}, want: 17},
	} {
		p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) { i.Coverage, i.DynamicStates = c.static, c.states })
		a, av := target(t, d, numbers, 1, 1)
		b := d.NewCommandBuffer()
		b.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		b.SetState(vk.DynamicStateCoverageToColorEnableNV, 1)
		b.SetState(vk.DynamicStateCoverageToColorLocationNV, 0)
		b.SetState(vk.DynamicStateRepresentativeFragmentTestEnableNV, 1)
		draw(b, p)
		b.EndRendering("end")
		submit(t, d, b)
		if got := texels(t, a, 0, 0)[17]; got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// Fewer samples than colour are an error, and more without the extension; so are
// values that mean nothing.
func TestCoverage_Misuse(t *testing.T) {
	rules.Covers(t, "RAS-334", "RAS-336")
	const f = vk.FormatR32Sfloat
	for _, c := range []struct {
		mixed          bool
		samples, color vk.SampleCountFlags
		bad            bool
	}{
		{false, vk.SampleCount4Bit, vk.SampleCount1Bit, true}, {true, vk.SampleCount4Bit, vk.SampleCount1Bit, false},
		{true, vk.SampleCount2Bit, vk.SampleCount4Bit, true}, {true, vk.SampleCount16Bit, vk.SampleCount8Bit, false},
	} {
		d := must(Open(Config{Threads: 1, HeapMemory: true, MixedSamples: c.mixed}))(t)
		p := fullscreen(t, d, "half.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{f}}, func(i *GraphicsPipelineInfo) {
			i.Multisample.RasterizationSamples = c.samples
		})
		_, av := target(t, d, f, c.color, 1)
		b := d.NewCommandBuffer()
		b.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		draw(b, p)
		if (b.Err() != nil) != c.bad {
			t.Errorf("mixed %v, %v over %v: %v", c.mixed, c.samples, c.color, b.Err())
		}
		d.Close()
	}
	d := open(t)
	for name, f := range map[string]func(c *CommandBuffer){
		"reduction":  func(c *CommandBuffer) { c.SetState(vk.DynamicStateCoverageReductionModeNV, 2) },
		"modulation": func(c *CommandBuffer) { c.SetState(vk.DynamicStateCoverageModulationModeNV, 4) },
		"no table":   func(c *CommandBuffer) { c.SetState(vk.DynamicStateCoverageModulationTableNV) },
		"long table": func(c *CommandBuffer) {
			c.SetState(vk.DynamicStateCoverageModulationTableNV, make([]uint32, MaxSamples+1)...)
		},
	} {
		c := d.NewCommandBuffer()
		if f(c); c.Err() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	bad := vk.CoverageReductionModeNV(2)
	for name, c := range map[string]Coverage{"reduction": {Reduction: &bad}, "modulation": {Modulation: -1}, "table": {Table: make([]float32, MaxSamples+1)}} {
		if _, err := d.NewGraphicsPipeline(&GraphicsPipelineInfo{Coverage: c, Vertex: Stage{Code: shaderCode(t, "input.vert")},
			InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
			DynamicStates: []vk.DynamicState{vk.DynamicStateViewport, vk.DynamicStateScissor, vk.DynamicStateLineWidth}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The combinations: depth and stencil with all samples or absent, colour with as
// many or fewer, both modes.
func TestCoverage_RAS335_Combinations(t *testing.T) {
	rules.Covers(t, "RAS-335")
	seen := map[MixedSamples]bool{}
	for _, c := range MixedSamplesCombinations() {
		if seen[c] || c.DepthStencil != 0 && c.DepthStencil != c.Rasterization || c.Color > c.Rasterization {
			t.Errorf("%+v", c)
		}
		seen[c] = true
	}
	if want := 2 * 2 * (2 + 3 + 4 + 5 + 6 + 7 + 8); len(seen) != want {
		t.Errorf("%d combinations, want %d", len(seen), want)
	}
}
