package icd

import (
	"slices"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// States of extensions that change how primitives are rasterized.

// CmdSetConservativeRasterizationModeEXT is vkCmdSetConservativeRasterizationModeEXT.
func (r *Recorder) CmdSetConservativeRasterizationModeEXT(c *abi.CmdSetConservativeRasterizationModeEXT) {
	r.core.SetConservativeRasterizationMode(c.ConservativeRasterizationMode)
}

// CmdSetExtraPrimitiveOverestimationSizeEXT is vkCmdSetExtraPrimitiveOverestimationSizeEXT.
func (r *Recorder) CmdSetExtraPrimitiveOverestimationSizeEXT(c *abi.CmdSetExtraPrimitiveOverestimationSizeEXT) {
	r.core.SetExtraPrimitiveOverestimationSize(c.ExtraPrimitiveOverestimationSize)
}

// CmdSetSampleLocationsEXT is vkCmdSetSampleLocationsEXT.
func (r *Recorder) CmdSetSampleLocationsEXT(c *abi.CmdSetSampleLocationsEXT) {
	if c.PSampleLocationsInfo != nil {
		r.core.SetSampleLocations(sampleLocations(c.PSampleLocationsInfo))
	}
}

// CmdSetSampleLocationsEnableEXT is vkCmdSetSampleLocationsEnableEXT.
func (r *Recorder) CmdSetSampleLocationsEnableEXT(c *abi.CmdSetSampleLocationsEnableEXT) {
	r.core.SetSampleLocationsEnable(c.SampleLocationsEnable.True())
}

// sampleLocations translates VkSampleLocationsInfoEXT. Mesa's zink gives the locations
// of one pixel with the size of the largest grid, which is not valid; they are those of
// all its pixels.
func sampleLocations(l *abi.SampleLocationsInfoEXT) core.SampleLocations {
	const most = 16 * locationGrid * locationGrid
	grid := l.SampleLocationGridSize
	if l.SampleLocationsCount == uint32(l.SampleLocationsPerPixel) {
		grid = vk.Extent2D{Width: 1, Height: 1}
	}
	return core.SampleLocations{
		Samples: l.SampleLocationsPerPixel, Grid: grid,
		Locations: slices.Clone(abi.Slice(l.PSampleLocations, min(l.SampleLocationsCount, most))),
	}
}

// GetPhysicalDeviceMultisamplePropertiesEXT is
// vkGetPhysicalDeviceMultisamplePropertiesEXT.
//
// RAS-122
func (p *PhysicalDevice) GetPhysicalDeviceMultisamplePropertiesEXT(a *abi.GetPhysicalDeviceMultisamplePropertiesEXTArgs) {
	a.PMultisampleProperties.MaxSampleLocationGridSize = vk.Extent2D{}
	if a.Samples&locationSamples != 0 {
		a.PMultisampleProperties.MaxSampleLocationGridSize = vk.Extent2D{Width: locationGrid, Height: locationGrid}
	}
}

// CmdSetDepthBias2EXT is vkCmdSetDepthBias2EXT.
func (r *Recorder) CmdSetDepthBias2EXT(c *abi.CmdSetDepthBias2EXT) {
	i := c.PDepthBiasInfo
	if i == nil {
		return
	}
	// RAS-266
	unit, exact := vk.DepthBiasRepresentationLeastRepresentableValueFormatEXT, false
	if b := abi.Find[abi.DepthBiasRepresentationInfoEXT](i.PNext); b != nil {
		unit, exact = b.DepthBiasRepresentation, b.DepthBiasExact.True()
	}
	r.core.SetDepthBiasAs(i.DepthBiasConstantFactor, i.DepthBiasClamp, i.DepthBiasSlopeFactor, unit, exact)
}

// CmdSetFragmentShadingRateKHR is vkCmdSetFragmentShadingRateKHR.
func (r *Recorder) CmdSetFragmentShadingRateKHR(c *abi.CmdSetFragmentShadingRateKHR) {
	if c.PFragmentSize != nil {
		r.core.SetFragmentShadingRate(core.ShadingRate{Size: *c.PFragmentSize, Combiners: c.CombinerOps})
	}
}

// GetPhysicalDeviceFragmentShadingRatesKHR is
// vkGetPhysicalDeviceFragmentShadingRatesKHR.
//
// RAS-137, RAS-138
func (p *PhysicalDevice) GetPhysicalDeviceFragmentShadingRatesKHR(a *abi.GetPhysicalDeviceFragmentShadingRatesKHRArgs) vk.Result {
	var list []abi.PhysicalDeviceFragmentShadingRateKHR
	for w := uint32(core.MaxFragmentSize); w > 0; w /= 2 {
		for h := uint32(core.MaxFragmentSize); h > 0; h /= 2 {
			r := abi.PhysicalDeviceFragmentShadingRateKHR{FragmentSize: vk.Extent2D{Width: w, Height: h}}
			for n := uint32(1); n <= 16; n *= 2 {
				if w*h*n <= p.instance.driver.cfg.CoverageSamples {
					r.SampleCounts |= vk.SampleCountFlags(n)
				}
			}
			if w == 1 && h == 1 {
				r.SampleCounts = ^vk.SampleCountFlags(0)
			}
			if r.SampleCounts != 0 {
				list = append(list, r)
			}
		}
	}
	if a.PFragmentShadingRates == nil {
		*a.PFragmentShadingRateCount = uint32(len(list))
		return vk.Success
	}
	out := abi.Slice(a.PFragmentShadingRates, *a.PFragmentShadingRateCount)
	n := min(len(list), len(out))
	for i := range n {
		out[i].SampleCounts, out[i].FragmentSize = list[i].SampleCounts, list[i].FragmentSize
	}
	*a.PFragmentShadingRateCount = uint32(n)
	if n < len(list) {
		return vk.Incomplete
	}
	return vk.Success
}

// CmdSetRasterizationStreamEXT is vkCmdSetRasterizationStreamEXT.
func (r *Recorder) CmdSetRasterizationStreamEXT(c *abi.CmdSetRasterizationStreamEXT) {
	r.core.SetRasterizationStream(c.RasterizationStream)
}

// CmdSetColorBlendAdvancedEXT is vkCmdSetColorBlendAdvancedEXT.
func (r *Recorder) CmdSetColorBlendAdvancedEXT(c *abi.CmdSetColorBlendAdvancedEXT) {
	r.core.SetColorBlendAdvanced(c.FirstAttachment, each(c.PColorBlendAdvanced, c.AttachmentCount, func(a *abi.ColorBlendAdvancedEXT) vk.ColorBlendAdvancedEXT {
		return vk.ColorBlendAdvancedEXT{
			AdvancedBlendOp: a.AdvancedBlendOp, SrcPremultiplied: a.SrcPremultiplied.True(), DstPremultiplied: a.DstPremultiplied.True(),
			BlendOverlap: a.BlendOverlap, ClampResults: a.ClampResults.True(),
		}
	}))
}
