package icd

import (
	"slices"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Fragment shading rates: of VK_KHR_fragment_shading_rate, as enums of
// VK_NV_fragment_shading_rate_enums, and from images of VK_NV_shading_rate_image.

// rateFeatures are those of VK_KHR_fragment_shading_rate.
var rateFeatures = []string{"pipelineFragmentShadingRate", "primitiveFragmentShadingRate", "attachmentFragmentShadingRate"}

// exclusiveRates says that one device is asked for both kinds of shading rates, which
// exclude each other (VUID-VkDeviceCreateInfo-shadingRateImage-04478 to 04480).
//
// RAS-152
func exclusiveRates(enabled map[string]bool) bool {
	return enabled["shadingRateImage"] && slices.ContainsFunc(rateFeatures, func(f string) bool { return enabled[f] })
}

// shadingRate translates the rate of a pipeline: enums where their struct says so.
//
// RAS-154
func (g *graphics) shadingRate() {
	if !g.has(preRasterization | fragmentShader) {
		return
	}
	if r := abi.Find[abi.PipelineFragmentShadingRateEnumStateCreateInfoNV](g.in.PNext); r != nil && r.ShadingRateType == vk.FragmentShadingRateTypeEnumsNV {
		rate := r.ShadingRate
		g.out.Rate = &core.ShadingRate{Enum: &rate, Combiners: r.CombinerOps}
		return
	}
	if r := abi.Find[abi.PipelineFragmentShadingRateStateCreateInfoKHR](g.in.PNext); r != nil {
		g.out.Rate = &core.ShadingRate{Size: r.FragmentSize, Combiners: r.CombinerOps}
	}
}

// rateImage translates the structs of VK_NV_shading_rate_image, two of the viewport
// state's.
func (g *graphics) rateImage(v *abi.PipelineViewportStateCreateInfo) {
	var out core.RateImage
	any := false
	for s := range abi.Chain(v.PNext) {
		switch s.SType {
		case vk.StructureTypePipelineViewportShadingRateImageStateCreateInfoNV:
			r := (*abi.PipelineViewportShadingRateImageStateCreateInfoNV)(unsafe.Pointer(s))
			out.Enable, any = r.ShadingRateImageEnable.True(), true
			if used := out.Enable || g.dynamic(vk.DynamicStateShadingRateImageEnableNV); used && r.PShadingRatePalettes != nil && !g.dynamic(vk.DynamicStateViewportShadingRatePaletteNV) {
				out.Palettes = palettes(r.PShadingRatePalettes, r.ViewportCount)
			}
		case vk.StructureTypePipelineViewportCoarseSampleOrderStateCreateInfoNV:
			r := (*abi.PipelineViewportCoarseSampleOrderStateCreateInfoNV)(unsafe.Pointer(s))
			if any = true; !g.dynamic(vk.DynamicStateViewportCoarseSampleOrderNV) {
				out.Order, out.Custom = r.SampleOrderType, sampleOrders(r.PCustomSampleOrders, r.CustomSampleOrderCount)
			}
		}
	}
	if any {
		g.out.RateImage = &out
	}
}

// palettes translates shading rate palettes; more than there can be are as wrong as
// one too many.
func palettes(p *abi.ShadingRatePaletteNV, n uint32) (list [][]vk.ShadingRatePaletteEntryNV) {
	for _, e := range abi.Slice(p, min(n, engine.Limits().MaxViewports+1)) {
		list = append(list, slices.Clone(abi.Slice(e.PShadingRatePaletteEntries, min(e.ShadingRatePaletteEntryCount, core.PaletteSize+1))))
	}
	return list
}

// sampleOrders translates custom sample orders.
func sampleOrders(p *abi.CoarseSampleOrderCustomNV, n uint32) (list []core.CustomOrder) {
	const most = 6*5 + 1 // sizes of several pixels, numbers of samples
	for _, o := range abi.Slice(p, min(n, most)) {
		list = append(list, core.CustomOrder{
			Entry: o.ShadingRate, Samples: int(min(o.SampleCount, 2*core.MaxSamples)),
			Locations: slices.Clone(abi.Slice(o.PSampleLocations, min(o.SampleLocationCount, core.MaxCoverageSamples+1))),
		})
	}
	return list
}

// CmdSetFragmentShadingRateEnumNV is vkCmdSetFragmentShadingRateEnumNV.
func (r *Recorder) CmdSetFragmentShadingRateEnumNV(c *abi.CmdSetFragmentShadingRateEnumNV) {
	r.core.SetFragmentShadingRate(core.ShadingRate{Enum: &c.ShadingRate, Combiners: c.CombinerOps})
}

// CmdBindShadingRateImageNV is vkCmdBindShadingRateImageNV.
func (r *Recorder) CmdBindShadingRateImageNV(c *abi.CmdBindShadingRateImageNV) {
	r.core.BindShadingRateImage(r.view(c.ImageView))
}

// CmdSetViewportShadingRatePaletteNV is vkCmdSetViewportShadingRatePaletteNV.
func (r *Recorder) CmdSetViewportShadingRatePaletteNV(c *abi.CmdSetViewportShadingRatePaletteNV) {
	r.core.SetViewportShadingRatePalette(c.FirstViewport, palettes(c.PShadingRatePalettes, c.ViewportCount))
}

// CmdSetCoarseSampleOrderNV is vkCmdSetCoarseSampleOrderNV.
func (r *Recorder) CmdSetCoarseSampleOrderNV(c *abi.CmdSetCoarseSampleOrderNV) {
	r.core.SetCoarseSampleOrder(c.SampleOrderType, sampleOrders(c.PCustomSampleOrders, c.CustomSampleOrderCount))
}
