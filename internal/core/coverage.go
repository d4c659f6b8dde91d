package core

import (
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// MaxSamples is the largest number of samples of a pixel.
const MaxSamples = fragops.MaxSamples

// Coverage is what becomes of coverage after the tests: the structs of
// VK_NV_coverage_reduction_mode, VK_NV_framebuffer_mixed_samples and
// VK_NV_fragment_coverage_to_color.
type Coverage struct {
	Reduction       *vk.CoverageReductionModeNV // nil: what the device's extensions ask for
	Modulation      vk.CoverageModulationModeNV
	ModulationGiven bool // the struct is there, if only for none
	TableEnable     bool
	Table           []float32
	ToColor         bool
	ToColorLocation uint32
}

// coverageReduction is the mode where nobody says one. With both extensions it may be
// either; programs that ask for AMD's expect what it says, unless they modulate.
//
// RAS-334 VkPipelineCoverageReductionStateCreateInfoNV
func (d *Device) coverageReduction() vk.CoverageReductionModeNV {
	if d.cfg.MergeCoverage {
		return vk.CoverageReductionModeMergeNV
	}
	return vk.CoverageReductionModeTruncateNV
}

// mixes says that pipelines may have other numbers of samples than the attachments
// of a pass: no fewer than colour, and those of depth and stencil if they are
// tested, which package render checks.
//
// VUID-VkGraphicsPipelineCreateInfo-subpass-01411, VUID-VkGraphicsPipelineCreateInfo-subpass-01412
func (d *Device) mixes(info *RenderingInfo) bool { return d.cfg.MixedSamples && info.Samples == 0 }

// apply checks the state and puts it into static state.
func (c *Coverage) apply(d *Device, op Op, s *render.DynamicState) error {
	if r := c.Reduction; r != nil {
		if *r < vk.CoverageReductionModeMergeNV || *r > vk.CoverageReductionModeTruncateNV {
			return d.misuse(op, "VkPipelineCoverageReductionStateCreateInfoNV-coverageReductionMode-parameter", "", "coverage reduction mode %d", *r)
		}
		s.CoverageReduction = *r
	} else if c.ModulationGiven && d.cfg.MixedSamples {
		s.CoverageReduction = vk.CoverageReductionModeMergeNV // else it would mean nothing
	}
	if c.Modulation < vk.CoverageModulationModeNoneNV || c.Modulation > vk.CoverageModulationModeRgbaNV {
		return d.misuse(op, "VkPipelineCoverageModulationStateCreateInfoNV-coverageModulationMode-parameter", "", "coverage modulation mode %d", c.Modulation)
	}
	if len(c.Table) > len(s.CoverageTable) {
		return d.misuse(op, "VkPipelineCoverageModulationStateCreateInfoNV-coverageModulationTableEnable-01405", "", "a table of %d factors; %d are supported", len(c.Table), len(s.CoverageTable))
	}
	s.CoverageModulation, s.CoverageTableEnable, s.CoverageTableCount = c.Modulation, c.TableEnable, uint8(copy(s.CoverageTable[:], c.Table))
	s.CoverageToColor, s.CoverageToColorLocation = c.ToColor, c.ToColorLocation
	return nil
}

// MixedSamples is a combination of sample counts that can be drawn with
// (VkFramebufferMixedSamplesCombinationNV); 0 means no such attachment.
type MixedSamples struct {
	Mode                               vk.CoverageReductionModeNV
	Rasterization, DepthStencil, Color vk.SampleCountFlags
}

// MixedSamplesCombinations are all that there are: as many depth and stencil samples
// as are rasterized, and no more colour samples.
//
// RAS-335 fragops-coverage-reduction
func MixedSamplesCombinations() (list []MixedSamples) {
	for _, mode := range []vk.CoverageReductionModeNV{vk.CoverageReductionModeMergeNV, vk.CoverageReductionModeTruncateNV} {
		for r := vk.SampleCountFlags(1); r <= fragops.MaxSamples; r *= 2 {
			for _, z := range []vk.SampleCountFlags{0, r} {
				list = append(list, MixedSamples{mode, r, z, 0})
				for c := vk.SampleCountFlags(1); c <= r; c *= 2 {
					list = append(list, MixedSamples{mode, r, z, c})
				}
			}
		}
	}
	return list
}
