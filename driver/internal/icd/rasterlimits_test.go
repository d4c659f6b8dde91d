package icd

import (
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// property fills a struct of properties.
func property[T any, P interface {
	*T
	StructureType() vk.StructureType
}]() (v T) {
	(*abi.Structure)(unsafe.Pointer(&v)).SType = P(&v).StructureType()
	fillProperties((*abi.Structure)(unsafe.Pointer(&v)))
	return v
}

// What devices say about rasterization: the table of RAS-007, in its order.
func TestLimits_RAS007_Rasterization(t *testing.T) {
	rules.Covers(t, "RAS-007", "RAS-121", "RAS-196", "RAS-227")
	newTest(t)
	const located = vk.SampleCount1Bit | vk.SampleCount2Bit | vk.SampleCount4Bit | vk.SampleCount8Bit | vk.SampleCount16Bit
	const samples = located | vk.SampleCount32Bit | vk.SampleCount64Bit
	square := func(n uint32) vk.Extent2D { return vk.Extent2D{Width: n, Height: n} }
	l := coreProperties().Limits
	v14 := property[abi.PhysicalDeviceVulkan14Properties]()
	locations, rates := property[abi.PhysicalDeviceSampleLocationsPropertiesEXT](), property[abi.PhysicalDeviceFragmentShadingRatePropertiesKHR]()
	cons, feedback := property[abi.PhysicalDeviceConservativeRasterizationPropertiesEXT](), property[abi.PhysicalDeviceTransformFeedbackPropertiesEXT]()
	provoking, clipping := property[abi.PhysicalDeviceProvokingVertexPropertiesEXT](), property[abi.PhysicalDevicePointClippingProperties]()
	resolve, bary := property[abi.PhysicalDeviceDepthStencilResolveProperties](), property[abi.PhysicalDeviceFragmentShaderBarycentricPropertiesKHR]()
	m5, density := property[abi.PhysicalDeviceMaintenance5Properties](), property[abi.PhysicalDeviceFragmentDensityMapPropertiesEXT]()
	type all = [16]any
	for name, c := range map[string][2]all{
		"precision": {{l.SubPixelPrecisionBits, v14.LineSubPixelPrecisionBits, l.ViewportSubPixelBits}, {uint32(8), uint32(8), uint32(8)}},
		"viewports": {{l.MaxViewports, l.MaxViewportDimensions, l.MaxFramebufferWidth, l.MaxFramebufferHeight, l.ViewportBoundsRange},
			{uint32(16), [2]uint32{32768, 32768}, uint32(32768), uint32(32768), [2]float32{-65536, 65535}}},
		"lines and points": {{l.StrictLines.True(), l.StandardSampleLocations.True(), l.PointSizeRange, l.PointSizeGranularity, l.LineWidthRange, l.LineWidthGranularity},
			{true, true, [2]float32{1. / 128, 8192}, float32(1. / 128), [2]float32{1. / 128, 64}, float32(1. / 128)}},
		"samples": {{l.FramebufferColorSampleCounts, l.FramebufferDepthSampleCounts, l.FramebufferStencilSampleCounts, l.FramebufferNoAttachmentsSampleCounts, l.MaxSampleMaskWords},
			{samples, samples, samples, samples, uint32(8)}},
		"interpolation": {{l.MinInterpolationOffset, l.MaxInterpolationOffset, l.SubPixelInterpolationOffsetBits}, {float32(-.5), float32(.49609375), uint32(8)}},
		"distances":     {{l.MaxClipDistances, l.MaxCullDistances, l.MaxCombinedClipAndCullDistances}, {uint32(8), uint32(8), uint32(8)}},
		// Locations keep 8 bits (RAS-117); why 4 are reported, see rasterMasters.
		"sample locations": {{locations.SampleLocationSampleCounts, locations.MaxSampleLocationGridSize, locations.SampleLocationCoordinateRange, locations.SampleLocationSubPixelBits, locations.VariableSampleLocations.True()},
			{vk.SampleCountFlags(located), square(4), [2]float32{0, .99609375}, uint32(4), true}},
		"rates": {{rates.MaxFragmentSize, rates.MaxFragmentSizeAspectRatio, rates.MaxFragmentShadingRateCoverageSamples, rates.MaxFragmentShadingRateRasterizationSamples,
			rates.MinFragmentShadingRateAttachmentTexelSize, rates.MaxFragmentShadingRateAttachmentTexelSize, rates.MaxFragmentShadingRateAttachmentTexelSizeAspectRatio,
			v14.FragmentShadingRateClampCombinerInputs.True()},
			{square(4), uint32(4), uint32(256), vk.SampleCountFlags(vk.SampleCount16Bit), square(8), square(8), uint32(1), true}},
		"what rates work with": {{rates.FragmentShadingRateWithSampleMask.True(), rates.FragmentShadingRateWithShaderSampleMask.True(), rates.FragmentShadingRateWithShaderDepthStencilWrites.True(),
			rates.FragmentShadingRateWithConservativeRasterization.True(), rates.FragmentShadingRateWithFragmentShaderInterlock.True(), rates.FragmentShadingRateWithCustomSampleLocations.True(),
			rates.FragmentShadingRateNonTrivialCombinerOps.True(), rates.FragmentShadingRateStrictMultiplyCombiner.True(),
			rates.PrimitiveFragmentShadingRateWithMultipleViewports.True(), rates.LayeredShadingRateAttachments.True()},
			{true, true, true, true, true, true, true, true, true, true}},
		"conservative rasterization": {{cons.PrimitiveOverestimationSize, cons.MaxExtraPrimitiveOverestimationSize, cons.ExtraPrimitiveOverestimationSizeGranularity},
			{float32(0), float32(4), float32(.00390625)}},
		"conservatively": {{cons.PrimitiveUnderestimation.True(), cons.ConservativePointAndLineRasterization.True(), cons.DegenerateTrianglesRasterized.True(), cons.DegenerateLinesRasterized.True(),
			cons.FullyCoveredFragmentShaderInputVariable.True(), cons.ConservativeRasterizationPostDepthCoverage.True()}, {true, true, true, true, true, true}},
		"transform feedback": {{feedback.MaxTransformFeedbackStreams, feedback.MaxTransformFeedbackBuffers, feedback.MaxTransformFeedbackStreamDataSize, feedback.MaxTransformFeedbackBufferDataSize, feedback.MaxTransformFeedbackBufferDataStride,
			feedback.TransformFeedbackQueries.True(), feedback.TransformFeedbackStreamsLinesTriangles.True(), feedback.TransformFeedbackRasterizationStreamSelect.True(), feedback.TransformFeedbackDraw.True()},
			{uint32(16), uint32(8), uint32(8192), uint32(8192), uint32(8192), true, true, true, true}},
		"provoking vertex": {{provoking.ProvokingVertexModePerPipeline.True(), provoking.TransformFeedbackPreservesTriangleFanProvokingVertex.True(), bary.TriStripVertexOrderIndependentOfProvokingVertex.True()}, {true, true, false}},
		"behaviour": {{clipping.PointClippingBehavior, m5.PolygonModePointSize.True(), m5.NonStrictSinglePixelWideLinesUseParallelogram.True(), m5.NonStrictWideLinesUseParallelogram.True(),
			m5.EarlyFragmentMultisampleCoverageAfterSampleCounting.True(), m5.EarlyFragmentSampleMaskTestBeforeSampleCounting.True()},
			{vk.PointClippingBehaviorAllClipPlanes, true, true, true, true, true}},
		"resolve": {{resolve.SupportedDepthResolveModes, resolve.SupportedStencilResolveModes, resolve.IndependentResolve.True(), resolve.IndependentResolveNone.True()},
			{vk.ResolveModeFlags(vk.ResolveModeSampleZeroBit | vk.ResolveModeAverageBit | vk.ResolveModeMinBit | vk.ResolveModeMaxBit | vk.ResolveModeCustomBitEXT), vk.ResolveModeFlags(vk.ResolveModeSampleZeroBit | vk.ResolveModeMinBit | vk.ResolveModeMaxBit | vk.ResolveModeCustomBitEXT), true, true}},
		"dynamic state": {{property[abi.PhysicalDeviceExtendedDynamicState3PropertiesEXT]().DynamicPrimitiveTopologyUnrestricted.True()}, {true}},
		"density maps":  {{density.MinFragmentDensityTexelSize, density.MaxFragmentDensityTexelSize, density.FragmentDensityInvocations.True()}, {square(2), square(32), false}},
		"attachments":   {{property[abi.PhysicalDeviceDiscardRectanglePropertiesEXT]().MaxDiscardRectangles, l.MaxFragmentDualSrcAttachments, l.MaxColorAttachments}, {uint32(16), uint32(1), uint32(16)}},
	} {
		for i := range c[0] {
			if c[0][i] != c[1][i] {
				t.Errorf("%s, number %d: %v (%[3]T), want %v (%[4]T)", name, i, c[0][i], c[1][i])
			}
		}
	}
	// What is true is 1.
	for _, p := range []any{v14, locations, rates, cons, feedback, provoking, resolve, bary, m5, density, property[abi.PhysicalDeviceShaderTileImagePropertiesEXT]()} {
		for v, i := reflect.ValueOf(p), 0; i < v.NumField(); i++ {
			if b, ok := v.Field(i).Interface().(abi.Bool32); ok && b > 1 {
				t.Errorf("%T.%s is %d", p, v.Type().Field(i).Name, b)
			}
		}
	}
	// Stippled lines of the default mode are valid, because it is strict.
	for _, f := range []string{"stippledRectangularLines", "stippledBresenhamLines", "stippledSmoothLines", "rectangularLines", "bresenhamLines", "smoothLines"} {
		if !supported(f) {
			t.Errorf("%s is off", f)
		}
	}
}

// Flags are ignored, structures that nobody knows are skipped, wherever they stand.
func TestPipeline_RAS008_UnknownStructures(t *testing.T) {
	rules.Covers(t, "RAS-008", "RAS-015", "RAS-016", "RAS-018")
	newTest(t)
	translate := func(chain unsafe.Pointer, flags uint32, words uint32, samples vk.SampleCountFlags) *graphics {
		mask := slices.Repeat([]uint32{5}, int(words))
		in := &abi.GraphicsPipelineCreateInfo{
			PRasterizationState: &abi.PipelineRasterizationStateCreateInfo{PNext: chain, Flags: vk.PipelineRasterizationStateCreateFlags(flags), LineWidth: 1},
			PMultisampleState:   &abi.PipelineMultisampleStateCreateInfo{PNext: chain, Flags: vk.PipelineMultisampleStateCreateFlags(flags), RasterizationSamples: samples, PSampleMask: &mask[0]},
		}
		g := &graphics{in: in}
		if err := g.rasterization(); err != nil {
			t.Error(err)
		}
		if err := g.multisample(); err != nil {
			t.Error(err)
		}
		return g
	}
	plain := translate(nil, 0, 1, 4)
	if plain.out.Line != nil || plain.out.DepthClipEnable != nil || plain.out.Stream != 0 || plain.out.ProvokingVertex != 0 || plain.out.Conservative.ConservativeRasterizationMode != 0 ||
		plain.out.DepthBiasUnit != vk.DepthBiasRepresentationLeastRepresentableValueFormatEXT || plain.out.DepthBiasExact || plain.out.SampleLocationsEnable {
		t.Errorf("no structure is chained: %+v", plain.out)
	}
	provoking := abi.PipelineRasterizationProvokingVertexStateCreateInfoEXT{ProvokingVertexMode: vk.ProvokingVertexModeLastVertexEXT}
	provoking.SType = provoking.StructureType()
	unknown := [2]abi.Structure{{SType: 0x7ffffff0, PNext: nil}, {SType: 1_999_999_999}}
	unknown[0].PNext = unsafe.Pointer(&unknown[1])
	unknown[1].PNext = unsafe.Pointer(&provoking)
	g := translate(unsafe.Pointer(&unknown[0]), 1<<31|3, 1, 4)
	if g.out.ProvokingVertex != vk.ProvokingVertexModeLastVertexEXT {
		t.Error("a structure behind unknown ones is not seen")
	}
	g.out.ProvokingVertex = 0
	// Each structure says what it says, and nothing else changes.
	line := abi.PipelineRasterizationLineStateCreateInfo{LineRasterizationMode: vk.LineRasterizationModeBresenham, StippledLineEnable: 1, LineStippleFactor: 3, LineStipplePattern: 0x1234}
	line.SType = line.StructureType()
	clip := abi.PipelineRasterizationDepthClipStateCreateInfoEXT{DepthClipEnable: 1}
	clip.SType = clip.StructureType()
	unit := abi.DepthBiasRepresentationInfoEXT{DepthBiasRepresentation: vk.DepthBiasRepresentationFloatEXT, DepthBiasExact: 1}
	unit.SType = unit.StructureType()
	stream := abi.PipelineRasterizationStateStreamCreateInfoEXT{RasterizationStream: 2}
	stream.SType = stream.StructureType()
	over := abi.PipelineRasterizationConservativeStateCreateInfoEXT{ConservativeRasterizationMode: vk.ConservativeRasterizationModeOverestimateEXT, ExtraPrimitiveOverestimationSize: 1.5}
	over.SType = over.StructureType()
	under := over
	under.ConservativeRasterizationMode = vk.ConservativeRasterizationModeUnderestimateEXT
	on := true
	for name, c := range map[string]struct {
		chain unsafe.Pointer
		want  func(*core.GraphicsPipelineInfo)
	}{
		"line": {unsafe.Pointer(&line), func(i *core.GraphicsPipelineInfo) {
			i.Line = &vk.PipelineRasterizationLineStateCreateInfo{LineRasterizationMode: vk.LineRasterizationModeBresenham, StippledLineEnable: true, LineStippleFactor: 3, LineStipplePattern: 0x1234}
		}},
		"depth clip": {unsafe.Pointer(&clip), func(i *core.GraphicsPipelineInfo) { i.DepthClipEnable = &on }},
		"depth bias": {unsafe.Pointer(&unit), func(i *core.GraphicsPipelineInfo) {
			i.DepthBiasUnit, i.DepthBiasExact = vk.DepthBiasRepresentationFloatEXT, true
		}},
		"stream": {unsafe.Pointer(&stream), func(i *core.GraphicsPipelineInfo) { i.Stream = 2 }},
		"overestimation": {unsafe.Pointer(&over), func(i *core.GraphicsPipelineInfo) {
			i.Conservative.ConservativeRasterizationMode, i.Conservative.ExtraPrimitiveOverestimationSize = vk.ConservativeRasterizationModeOverestimateEXT, 1.5
		}},
		"underestimation": {unsafe.Pointer(&under), func(i *core.GraphicsPipelineInfo) {
			i.Conservative.ConservativeRasterizationMode = vk.ConservativeRasterizationModeUnderestimateEXT
		}},
	} {
		want := translate(nil, 0, 1, 4).out
		c.want(&want)
		if got := translate(c.chain, 0, 1, 4).out; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if !slices.Equal(g.out.Multisample.SampleMask, plain.out.Multisample.SampleMask) || g.out.Rasterization != plain.out.Rasterization || g.out.Line != nil {
		t.Errorf("unknown structures and flags give %+v", g.out)
	}
	// The mask has a word for every 32 samples.
	for samples, n := range map[vk.SampleCountFlags]int{1: 1, 16: 1, 32: 1, 64: 2} {
		if got := len(translate(nil, 0, 2, samples).out.Multisample.SampleMask); got != n {
			t.Errorf("%d samples: a mask of %d words, want %d", samples, got, n)
		}
	}
}

// The order of primitives is always strict: a pipeline that does not mind any other is
// the same.
func TestPipeline_RAS369_RelaxedOrder(t *testing.T) {
	rules.Covers(t, "RAS-369")
	newTest(t)
	translate := func(chain unsafe.Pointer) core.GraphicsPipelineInfo {
		g := &graphics{in: &abi.GraphicsPipelineCreateInfo{PRasterizationState: &abi.PipelineRasterizationStateCreateInfo{PNext: chain, LineWidth: 1}}}
		if err := g.rasterization(); err != nil {
			t.Error(err)
		}
		return g.out
	}
	relaxed := abi.PipelineRasterizationStateRasterizationOrderAMD{RasterizationOrder: vk.RasterizationOrderRelaxedAMD}
	relaxed.SType = relaxed.StructureType()
	if plain, got := translate(nil), translate(unsafe.Pointer(&relaxed)); !reflect.DeepEqual(got, plain) {
		t.Errorf("%+v, want %+v", got, plain)
	}
	if e := findExtension(deviceExtensions[:], "VK_AMD_rasterization_order"); e == nil || e.spec != 1 {
		t.Errorf("VK_AMD_rasterization_order is not offered, or in another version than its 1: %+v", e)
	}
}

// Render passes are not transformed: nothing offers it.
func TestExtensions_RAS090_NoTransform(t *testing.T) {
	rules.Covers(t, "RAS-090")
	f := newTest(t)
	for _, e := range deviceExtensions {
		if e.name == "VK_QCOM_render_pass_transform" || e.name == "VK_QCOM_rotated_copy_commands" {
			t.Errorf("%s is offered", e.name)
		}
	}
	name := append([]byte("VK_QCOM_render_pass_transform"), 0)
	p := &name[0]
	var h abi.Device
	create := abi.CreateDeviceArgs{PhysicalDevice: f.physical, PDevice: &h, PCreateInfo: &abi.DeviceCreateInfo{EnabledExtensionCount: 1, PpEnabledExtensionNames: &p}}
	call(f, abi.OpCreateDevice, &create)
	want(t, "a device that transforms render passes", create.Ret, vk.ErrorExtensionNotPresent)
	name = append([]byte("VK_AMD_rasterization_order"), 0)
	p = &name[0]
	call(f, abi.OpCreateDevice, &create)
	want(t, "a device with an extension that is there", create.Ret, vk.Success)
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: h})
}

// TestSampleLocations_OfOnePixel: Mesa's zink gives those of a pixel with the size of
// the largest grid.
func TestSampleLocations_OfOnePixel(t *testing.T) {
	list := make([]vk.SampleLocationEXT, 64)
	for i := range list {
		list[i].X = float32(i) / 64
	}
	for count, grid := range map[uint32]vk.Extent2D{4: {Width: 1, Height: 1}, 16: {Width: 2, Height: 2}, 12: {Width: 2, Height: 2}} {
		l := sampleLocations(&abi.SampleLocationsInfoEXT{SampleLocationsPerPixel: vk.SampleCount4Bit,
			SampleLocationGridSize: vk.Extent2D{Width: 2, Height: 2}, SampleLocationsCount: count, PSampleLocations: &list[0]})
		if l.Grid != grid || !slices.Equal(l.Locations, list[:count]) {
			t.Errorf("%d locations: %d of a grid %v", count, len(l.Locations), l.Grid)
		}
	}
}
