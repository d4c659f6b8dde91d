package icd

import (
	"slices"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// States of extensions that change how primitives are rasterized.

// CmdSetSampleLocationsEXT is vkCmdSetSampleLocationsEXT.
func (r *Recorder) CmdSetSampleLocationsEXT(c *abi.CmdSetSampleLocationsEXT) {
	if c.PSampleLocationsInfo != nil {
		r.core.SetSampleLocations(sampleLocations(c.PSampleLocationsInfo))
	}
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
	if a.Samples&core.LocationSamples != 0 {
		a.PMultisampleProperties.MaxSampleLocationGridSize = vk.Extent2D{Width: locationGrid, Height: locationGrid}
	}
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
			for n := uint32(1); n <= core.MaxRateSamples; n *= 2 {
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
