package icd

import (
	"slices"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// coverage takes over what the multisample state says of coverage.
func (g *graphics) coverage(m *abi.PipelineMultisampleStateCreateInfo) {
	c := core.Coverage{}
	for s := range abi.Chain(m.PNext) {
		switch s.SType {
		case vk.StructureTypePipelineCoverageReductionStateCreateInfoNV:
			mode := (*abi.PipelineCoverageReductionStateCreateInfoNV)(unsafe.Pointer(s)).CoverageReductionMode
			c.Reduction = &mode
		case vk.StructureTypePipelineCoverageModulationStateCreateInfoNV:
			x := (*abi.PipelineCoverageModulationStateCreateInfoNV)(unsafe.Pointer(s))
			c.ModulationGiven = true
			c.Modulation, c.TableEnable = x.CoverageModulationMode, x.CoverageModulationTableEnable.True()
			if (c.TableEnable || g.dynamic(vk.DynamicStateCoverageModulationTableEnableNV)) && !g.dynamic(vk.DynamicStateCoverageModulationTableNV) {
				c.Table = slices.Clone(abi.Slice(x.PCoverageModulationTable, min(x.CoverageModulationTableCount, core.MaxSamples+1)))
			}
		case vk.StructureTypePipelineCoverageToColorStateCreateInfoNV:
			x := (*abi.PipelineCoverageToColorStateCreateInfoNV)(unsafe.Pointer(s))
			c.ToColor, c.ToColorLocation = x.CoverageToColorEnable.True(), x.CoverageToColorLocation
		default: // multisample has the rest
		}
	}
	g.out.Coverage = c
}

// GetPhysicalDeviceSupportedFramebufferMixedSamplesCombinationsNV is
// vkGetPhysicalDeviceSupportedFramebufferMixedSamplesCombinationsNV.
//
// RAS-335
func (p *PhysicalDevice) GetPhysicalDeviceSupportedFramebufferMixedSamplesCombinationsNV(a *abi.GetPhysicalDeviceSupportedFramebufferMixedSamplesCombinationsNVArgs) vk.Result {
	list := core.MixedSamplesCombinations()
	if a.PCombinations == nil {
		*a.PCombinationCount = uint32(len(list))
		return vk.Success
	}
	out := abi.Slice(a.PCombinations, *a.PCombinationCount)
	n := min(len(list), len(out))
	for i, c := range list[:n] {
		out[i].CoverageReductionMode, out[i].RasterizationSamples = c.Mode, c.Rasterization
		out[i].DepthStencilSamples, out[i].ColorSamples = c.DepthStencil, c.Color
	}
	*a.PCombinationCount = uint32(n)
	if n < len(list) {
		return vk.Incomplete
	}
	return vk.Success
}

// CmdSetCoverageModulationTableNV is vkCmdSetCoverageModulationTableNV.
func (r *Recorder) CmdSetCoverageModulationTableNV(c *abi.CmdSetCoverageModulationTableNV) {
	table := (*uint32)(unsafe.Pointer(c.PCoverageModulationTable))
	words := abi.Slice(table, min(c.CoverageModulationTableCount, core.MaxSamples+1))
	r.core.SetState(vk.DynamicStateCoverageModulationTableNV, words...)
}
