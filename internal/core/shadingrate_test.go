package core

import (
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// ratesKit draws 16 × 8 pixels of 4 samples and counts invocations.
type ratesKit struct {
	d    *Device
	view *ImageView
}

func newRatesKit(t *testing.T, enums bool) *ratesKit {
	d := must(Open(Config{HeapMemory: true, Threads: 1, RateEnums: enums}))(t)
	t.Cleanup(func() { _ = d.Close() })
	_, v := target(t, d, numbers, 4, 1)
	return &ratesKit{d, v}
}

// count is the number of fragment shader invocations of a draw with p.
func (k *ratesKit) count(t *testing.T, set func(*CommandBuffer), change func(*GraphicsPipelineInfo)) uint64 {
	t.Helper()
	p := fullscreen(t, k.d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
		i.Multisample.RasterizationSamples = vk.SampleCount4Bit
		change(i)
	})
	q := must(k.d.NewQueries(vk.QueryPoolCreateInfo{QueryType: vk.QueryTypePipelineStatistics, QueryCount: 1, PipelineStatistics: vk.QueryPipelineStatisticFragmentShaderInvocationsBit}))(t)
	c := k.d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: k.view, Load: vk.AttachmentLoadOpClear}}})
	set(c)
	c.BeginQuery(q, 0)
	draw(c, p)
	c.EndQuery(q, 0)
	c.EndRendering("end")
	submit(t, k.d, c)
	return get(t, q, 0)[0]
}

// Pipelines have a rate as a size or as an enum, and commands set it as either.
func TestShadingRate_RAS154_EnumsOfPipelinesAndCommands(t *testing.T) {
	rules.Covers(t, "RAS-139", "RAS-154", "RAS-143", "RAS-153")
	k := newRatesKit(t, true)
	enum := func(v vk.FragmentShadingRateNV) *ShadingRate { return &ShadingRate{Enum: &v} }
	dynamic := []vk.DynamicState{vk.DynamicStateFragmentShadingRateKHR}
	for name, c := range map[string]struct {
		static, set *ShadingRate
		want        uint64
	}{
		"neither":           {nil, nil, 128},
		"size":              {&ShadingRate{Size: vk.Extent2D{Width: 2, Height: 2}}, nil, 32},
		"enum 4x4":          {enum(vk.FragmentShadingRate1InvocationPer4X4PixelsNV), nil, 8},
		"enum 2 each":       {enum(vk.FragmentShadingRate2InvocationsPerPixelNV), nil, 256},
		"enum none":         {enum(vk.FragmentShadingRateNoInvocationsNV), nil, 0},
		"dynamic size":      {enum(vk.FragmentShadingRateNoInvocationsNV), &ShadingRate{Size: vk.Extent2D{Width: 4, Height: 2}}, 16},
		"dynamic 16 each":   {nil, enum(vk.FragmentShadingRate16InvocationsPerPixelNV), 512},
		"dynamic none":      {nil, enum(vk.FragmentShadingRateNoInvocationsNV), 0},
		"dynamic by itself": {nil, enum(vk.FragmentShadingRate1InvocationPer1X2PixelsNV), 64},
	} {
		got := k.count(t, func(b *CommandBuffer) {
			if c.set != nil {
				b.SetFragmentShadingRate(*c.set)
			}
		}, func(i *GraphicsPipelineInfo) {
			if i.Rate = c.static; c.set != nil {
				i.DynamicStates = dynamic
			}
		})
		if got != c.want {
			t.Errorf("%s: %d invocations, want %d", name, got, c.want)
		}
	}
	c := k.d.NewCommandBuffer()
	combiners := [2]vk.FragmentShadingRateCombinerOpKHR{vk.FragmentShadingRateCombinerOpMaxKHR, vk.FragmentShadingRateCombinerOpReplaceKHR}
	c.SetFragmentShadingRate(ShadingRate{Size: vk.Extent2D{Width: 2, Height: 4}, Combiners: combiners})
	r := &runner{dev: &Device{}, bindings: newBindings(nil)}
	if err := r.run(ctx, c.words); err != nil || c.Err() != nil {
		t.Fatal(err, c.Err())
	}
	if s := &r.dynamic; s.ShadingRate != (rates.Shading{W: 1, H: 2}) || s.RateCombiners != combiners {
		t.Errorf("a command sets %+v with %v", s.ShadingRate, s.RateCombiners)
	}
}

// The shading rate image of pipelines and commands; a pipeline takes a bound one only
// if it enables it.
func TestShadingRateImage_RAS160_PipelinesAndCommands(t *testing.T) {
	rules.Covers(t, "RAS-160", "RAS-161", "RAS-162", "RAS-169")
	k := newRatesKit(t, false)
	im := must(k.d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Uint, Extent: vk.Extent3D{Width: 1, Height: 1, Depth: 1}, Usage: vk.ImageUsageShadingRateImageBitNV}, nil, 0, "rates"))(t)
	view := must(im.Surface())(t)
	im.mem.data[0] = 1
	two := [][]vk.ShadingRatePaletteEntryNV{{vk.ShadingRatePaletteEntry1InvocationPer2X2PixelsNV, vk.ShadingRatePaletteEntry2InvocationsPerPixelNV}}
	none := [][]vk.ShadingRatePaletteEntryNV{{vk.ShadingRatePaletteEntryNoInvocationsNV, vk.ShadingRatePaletteEntryNoInvocationsNV}}
	bound := func(c *CommandBuffer) { c.BindShadingRateImage(view) }
	for name, c := range map[string]struct {
		image  *RateImage
		states []vk.DynamicState
		set    func(*CommandBuffer)
		want   uint64
	}{
		"no struct":  {nil, nil, bound, 128},
		"off":        {&RateImage{Palettes: none}, nil, bound, 128},
		"unbound":    {&RateImage{Enable: true, Palettes: two}, nil, func(*CommandBuffer) {}, 32},
		"bound":      {&RateImage{Enable: true, Palettes: two}, nil, bound, 256},
		"bound null": {&RateImage{Enable: true, Palettes: two}, nil, func(c *CommandBuffer) { bound(c); c.BindShadingRateImage(nil) }, 32},
		"none":       {&RateImage{Enable: true, Palettes: none}, nil, bound, 0},
		"dynamic palettes": {&RateImage{Enable: true}, []vk.DynamicState{vk.DynamicStateViewportShadingRatePaletteNV}, func(c *CommandBuffer) {
			bound(c)
			c.SetViewportShadingRatePalette(1, none)
			c.SetViewportShadingRatePalette(0, two)
		}, 256},
		"enabled by a command": {&RateImage{Palettes: two}, []vk.DynamicState{vk.DynamicStateShadingRateImageEnableNV, vk.DynamicStateViewportShadingRatePaletteNV}, func(c *CommandBuffer) {
			bound(c)
			c.SetViewportShadingRatePalette(0, none)
			c.SetState(vk.DynamicStateShadingRateImageEnableNV, 1)
		}, 0},
		"enabled by a command, palettes not": {&RateImage{Palettes: two}, []vk.DynamicState{vk.DynamicStateShadingRateImageEnableNV}, func(c *CommandBuffer) {
			bound(c)
			c.SetState(vk.DynamicStateShadingRateImageEnableNV, 1)
		}, 256},
		"off by a command": {&RateImage{Enable: true, Palettes: none}, []vk.DynamicState{vk.DynamicStateShadingRateImageEnableNV}, func(c *CommandBuffer) {
			bound(c)
			c.SetState(vk.DynamicStateShadingRateImageEnableNV, 0)
		}, 128},
	} {
		if got := k.count(t, c.set, func(i *GraphicsPipelineInfo) { i.RateImage, i.DynamicStates = c.image, c.states }); got != c.want {
			t.Errorf("%s: %d invocations, want %d", name, got, c.want)
		}
	}
}

// What applications may not say, and the rule that each breaks.
func TestShadingRate_RAS153_Misuse(t *testing.T) {
	rules.Covers(t, "RAS-153", "RAS-154", "RAS-160", "RAS-161", "RAS-162", "RAS-170", "RAS-139", "RAS-169")
	d := open(t)
	enum := func(v vk.FragmentShadingRateNV) ShadingRate { return ShadingRate{Enum: &v} }
	const wide = vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV
	order := func(o ...rates.CustomOrder) func(*CommandBuffer) {
		return func(c *CommandBuffer) { c.SetCoarseSampleOrder(vk.CoarseSampleOrderTypeCustomNV, o) }
	}
	of := func(e vk.ShadingRatePaletteEntryNV, n int, l ...vk.CoarseSampleLocationNV) rates.CustomOrder {
		return rates.CustomOrder{Entry: e, Samples: n, Locations: l}
	}
	size := func(w, h uint32) func(*CommandBuffer) {
		return func(c *CommandBuffer) { c.SetFragmentShadingRate(ShadingRate{Size: vk.Extent2D{Width: w, Height: h}}) }
	}
	left, right := vk.CoarseSampleLocationNV{}, vk.CoarseSampleLocationNV{PixelX: 1}
	palettes := func(first uint32, list ...[]vk.ShadingRatePaletteEntryNV) func(*CommandBuffer) {
		return func(c *CommandBuffer) { c.SetViewportShadingRatePalette(first, list) }
	}
	picture := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Uint, Extent: vk.Extent3D{Width: 1, Height: 1, Depth: 1}, Usage: vk.ImageUsageSampledBit}, nil, 0, ""))(t)
	other := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: vk.Extent3D{Width: 1, Height: 1, Depth: 1}, Usage: vk.ImageUsageSampledBit}, nil, 0, ""))(t)
	elsewhere := must(must(open(t).NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Uint, Extent: vk.Extent3D{Width: 1, Height: 1, Depth: 1}, Usage: vk.ImageUsageShadingRateImageBitNV}, nil, 0, "elsewhere"))(t).Surface())(t)
	for _, c := range []struct {
		rule string
		do   func(*CommandBuffer)
	}{
		{"VUID-VkPipelineFragmentShadingRateEnumStateCreateInfoNV-shadingRate-parameter", func(c *CommandBuffer) { c.SetFragmentShadingRate(enum(2)) }},
		{"VUID-vkCmdSetFragmentShadingRateEnumNV-supersampleFragmentShadingRates-04577", func(c *CommandBuffer) { c.SetFragmentShadingRate(enum(11)) }},
		{"VUID-vkCmdSetFragmentShadingRateEnumNV-noInvocationFragmentShadingRates-04578", func(c *CommandBuffer) { c.SetFragmentShadingRate(enum(15)) }},
		{"VUID-vkCmdSetFragmentShadingRateKHR-pFragmentSize-04513", size(0, 1)},
		{"VUID-vkCmdSetFragmentShadingRateKHR-pFragmentSize-04514", size(1, 0)},
		{"VUID-vkCmdSetFragmentShadingRateKHR-pFragmentSize-04515", size(3, 1)},
		{"VUID-vkCmdSetFragmentShadingRateKHR-pFragmentSize-04515", size(5, 0)},
		{"VUID-vkCmdSetFragmentShadingRateKHR-pFragmentSize-04516", size(4, 3)},
		{"VUID-vkCmdSetFragmentShadingRateKHR-pFragmentSize-04517", size(8, 1)},
		{"VUID-vkCmdSetFragmentShadingRateKHR-pFragmentSize-04518", size(1, 8)},
		{"", func(c *CommandBuffer) { c.SetFragmentShadingRate(ShadingRate{Size: vk.Extent2D{Width: 1, Height: 4}}) }},
		{"", func(c *CommandBuffer) { c.SetFragmentShadingRate(ShadingRate{Size: vk.Extent2D{Width: 4, Height: 1}}) }},
		{"", func(c *CommandBuffer) { c.SetFragmentShadingRate(enum(4)) }},
		{"", func(c *CommandBuffer) { c.SetFragmentShadingRate(enum(10)) }},
		{"commonparent", func(c *CommandBuffer) { c.BindShadingRateImage(elsewhere) }},
		{"VUID-vkCmdSetFragmentShadingRateKHR-combinerOps-parameter", func(c *CommandBuffer) {
			c.SetFragmentShadingRate(ShadingRate{Size: vk.Extent2D{Width: 1, Height: 1}, Combiners: [2]vk.FragmentShadingRateCombinerOpKHR{5}})
		}},
		{"VUID-vkCmdBindShadingRateImageNV-imageView-02061", func(c *CommandBuffer) { c.BindShadingRateImage(must(picture.Surface())(t)) }},
		{"VUID-vkCmdBindShadingRateImageNV-imageView-02060", func(c *CommandBuffer) { c.BindShadingRateImage(must(other.Surface())(t)) }},
		{"VUID-vkCmdSetViewportShadingRatePaletteNV-firstViewport-02067", palettes(0)},
		{"VUID-vkCmdSetViewportShadingRatePaletteNV-firstViewport-02067", palettes(16, []vk.ShadingRatePaletteEntryNV{1})},
		{"VUID-VkShadingRatePaletteNV-shadingRatePaletteEntryCount-02071", palettes(0, nil)},
		{"VUID-VkShadingRatePaletteNV-shadingRatePaletteEntryCount-02071", palettes(0, make([]vk.ShadingRatePaletteEntryNV, 17))},
		{"VUID-VkShadingRatePaletteNV-pShadingRatePaletteEntries-parameter", palettes(0, []vk.ShadingRatePaletteEntryNV{12})},
		{"VUID-vkCmdSetCoarseSampleOrderNV-sampleOrderType-parameter", func(c *CommandBuffer) { c.SetCoarseSampleOrder(4, nil) }},
		{"VUID-vkCmdSetCoarseSampleOrderNV-sampleOrderType-02081", func(c *CommandBuffer) {
			c.SetCoarseSampleOrder(vk.CoarseSampleOrderTypePixelMajorNV, []rates.CustomOrder{of(wide, 1, left, right)})
		}},
		{"VUID-VkCoarseSampleOrderCustomNV-shadingRate-02073", order(of(vk.ShadingRatePaletteEntry1InvocationPerPixelNV, 1, left))},
		{"VUID-VkCoarseSampleOrderCustomNV-shadingRate-02073", order(of(-1, 1, left))},
		{"VUID-VkCoarseSampleOrderCustomNV-sampleCount-02074", order(of(wide, 3, left, right))},
		{"VUID-VkCoarseSampleOrderCustomNV-sampleLocationCount-02075", order(of(wide, 2, left, right))},
		{"VUID-vkCmdSetCoarseSampleOrderNV-pCustomSampleOrders-02235", order(of(wide, 1, left, right), of(wide, 1, right, left))},
		{"VUID-VkCoarseSampleOrderCustomNV-sampleLocationCount-02075", order(of(wide, 1))},
		{"VUID-VkCoarseSampleLocationNV-pixelX-02078", order(of(wide, 1, left, vk.CoarseSampleLocationNV{PixelX: 2, PixelY: 1}))},
		{"VUID-VkCoarseSampleLocationNV-pixelY-02079", order(of(wide, 1, left, vk.CoarseSampleLocationNV{PixelY: 1, Sample: 1}))},
		{"VUID-VkCoarseSampleLocationNV-sample-02080", order(of(wide, 1, left, vk.CoarseSampleLocationNV{PixelX: 1, Sample: 1}))},
		{"VUID-VkCoarseSampleOrderCustomNV-pSampleLocations-02077", order(of(wide, 1, left, left))},
		{"", order(of(wide, 1, right, left))},
	} {
		b := d.NewCommandBuffer()
		if c.do(b); rule(b.Err()) != c.rule {
			t.Errorf("%v, want %s", b.Err(), c.rule)
		}
	}
	custom := func(o ...rates.CustomOrder) *RateImage {
		return &RateImage{Order: vk.CoarseSampleOrderTypeCustomNV, Custom: o}
	}
	pixel := []vk.ShadingRatePaletteEntryNV{vk.ShadingRatePaletteEntry1InvocationPerPixelNV}
	for _, c := range []struct {
		rule  string
		image *RateImage
		rate  *ShadingRate
		from  uint32 // the stream that is rasterized
	}{
		{rule: "VUID-VkPipelineViewportShadingRateImageStateCreateInfoNV-shadingRateImageEnable-02056", image: &RateImage{Enable: true}},
		{rule: "VUID-VkPipelineViewportShadingRateImageStateCreateInfoNV-viewportCount-02055", image: &RateImage{Enable: true, Palettes: slices.Repeat([][]vk.ShadingRatePaletteEntryNV{pixel}, 17)}},
		{rule: "", image: &RateImage{Enable: true, Palettes: slices.Repeat([][]vk.ShadingRatePaletteEntryNV{pixel}, 16)}},
		{rule: "VUID-VkPipelineViewportCoarseSampleOrderStateCreateInfoNV-sampleOrderType-02072", image: &RateImage{Custom: []rates.CustomOrder{of(wide, 1, left, right)}}},
		{rule: "VUID-VkPipelineViewportCoarseSampleOrderStateCreateInfoNV-pCustomSampleOrders-02234", image: custom(of(wide, 1, left, right), of(wide, 1, right, left))},
		{rule: "VUID-VkCoarseSampleLocationNV-sample-02080", image: custom(of(wide, 1, left, vk.CoarseSampleLocationNV{PixelX: 1, Sample: 1}))},
		{rule: "", image: custom(of(wide, 1, left, right), of(wide, 2, left, right, vk.CoarseSampleLocationNV{Sample: 1}, vk.CoarseSampleLocationNV{PixelX: 1, Sample: 1}))},
		{rule: "VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04494", rate: &ShadingRate{Size: vk.Extent2D{Width: 0, Height: 1}}},
		{rule: "VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04495", rate: &ShadingRate{Size: vk.Extent2D{Width: 1, Height: 0}}},
		{rule: "VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04496", rate: &ShadingRate{Size: vk.Extent2D{Width: 3, Height: 1}}},
		{rule: "VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04497", rate: &ShadingRate{Size: vk.Extent2D{Width: 1, Height: 3}}},
		{rule: "VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04498", rate: &ShadingRate{Size: vk.Extent2D{Width: 8, Height: 1}}},
		{rule: "VUID-VkGraphicsPipelineCreateInfo-pDynamicState-04499", rate: &ShadingRate{Size: vk.Extent2D{Width: 1, Height: 8}}},
		{rule: "VUID-VkPipelineRasterizationStateStreamCreateInfoEXT-rasterizationStream-02325", from: ir.MaxStreams},
		{rule: "", from: ir.MaxStreams - 1},
	} {
		p, err := d.NewGraphicsPipeline(&GraphicsPipelineInfo{
			Vertex: Stage{Code: shaderCode(t, "input.vert")}, InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
			Viewport:      vk.PipelineViewportStateCreateInfo{Viewports: []vk.Viewport{{Width: 16, Height: 8, MaxDepth: 1}}, Scissors: []vk.Rect2D{{Extent: vk.Extent2D{Width: 16, Height: 8}}}},
			Rasterization: vk.PipelineRasterizationStateCreateInfo{LineWidth: 1}, RateImage: c.image, Rate: c.rate, Stream: c.from,
		})
		if rule(err) != c.rule {
			t.Errorf("a pipeline: %v, want %s", err, c.rule)
		}
		if err == nil {
			_ = p.Close()
		}
	}
}

// Every format whose texels begin with an unsigned integer can hold shading rates.
func TestShadingRate_RAS141_Formats(t *testing.T) {
	rules.Covers(t, "RAS-141")
	d := open(t)
	const feature = vk.FormatFeatureFragmentShadingRateAttachmentBitKHR
	for f, want := range map[vk.Format]bool{
		vk.FormatR8Uint: true, vk.FormatR8G8B8Uint: true, vk.FormatR16G16B16A16Uint: true, vk.FormatR32Uint: true, vk.FormatR64G64Uint: true,
		vk.FormatR8Unorm: false, vk.FormatR8Sint: false, vk.FormatB8G8R8A8Uint: false, vk.FormatA2B10G10R10UintPack32: false, vk.FormatS8Uint: false, vk.FormatR8Uscaled: false,
	} {
		p := d.FormatProperties(f)
		if (p.OptimalTilingFeatures&feature != 0) != want || (p.LinearTilingFeatures&feature != 0) != (f == vk.FormatR8Uint) {
			t.Errorf("%v: optimal %v, linear %v, want %v", f, p.OptimalTilingFeatures&feature != 0, p.LinearTilingFeatures&feature != 0, want)
		}
	}
}
