package core

import (
	"math"

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
func (c *Coverage) apply(d *Device, op string, s *render.DynamicState) error {
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

// applyCoverage sets one of these states from the words of its command.
func (m dynState) applyCoverage(s *render.DynamicState, w []uint32) {
	switch m {
	case dynCoverageReduction: // RAS-044
		s.CoverageReduction = vk.CoverageReductionModeNV(w[0])
	case dynCoverageModulation: // RAS-044
		s.CoverageModulation = vk.CoverageModulationModeNV(w[0])
	case dynCoverageTableEnable: // RAS-044
		s.CoverageTableEnable = w[0] != 0
	case dynCoverageTable: // RAS-044
		s.CoverageTable, s.CoverageTableCount = [fragops.MaxSamples]float32{}, uint8(len(w))
		for i, v := range w {
			s.CoverageTable[i] = math.Float32frombits(v)
		}
	case dynCoverageToColor: // RAS-044
		s.CoverageToColor = w[0] != 0
	case dynCoverageToColorLocation: // RAS-044
		s.CoverageToColorLocation = w[0]
	case dynRepresentative: // RAS-044
		s.RepresentativeFragmentTest = w[0] != 0
	}
}

// mergeCoverage copies one of these states.
func (m dynState) mergeCoverage(dst, src *render.DynamicState) {
	switch m {
	case dynCoverageReduction: // RAS-044
		dst.CoverageReduction = src.CoverageReduction
	case dynCoverageModulation: // RAS-044
		dst.CoverageModulation = src.CoverageModulation
	case dynCoverageTableEnable: // RAS-044
		dst.CoverageTableEnable = src.CoverageTableEnable
	case dynCoverageTable: // RAS-044
		dst.CoverageTable, dst.CoverageTableCount = src.CoverageTable, src.CoverageTableCount
	case dynCoverageToColor: // RAS-044
		dst.CoverageToColor = src.CoverageToColor
	case dynCoverageToColorLocation: // RAS-044
		dst.CoverageToColorLocation = src.CoverageToColorLocation
	case dynRepresentative: // RAS-044
		dst.RepresentativeFragmentTest = src.RepresentativeFragmentTest
	}
}

// SetCoverageReductionMode sets how coverage becomes that of colour samples.
func (c *CommandBuffer) SetCoverageReductionMode(v vk.CoverageReductionModeNV) {
	c.enum("Pass.SetCoverageReductionMode", "vkCmdSetCoverageReductionModeNV-coverageReductionMode-parameter", dynCoverageReduction, int64(v), 0, int64(vk.CoverageReductionModeTruncateNV))
}

// SetCoverageModulationMode sets which components are multiplied by coverage.
func (c *CommandBuffer) SetCoverageModulationMode(v vk.CoverageModulationModeNV) {
	c.enum("Pass.SetCoverageModulationMode", "vkCmdSetCoverageModulationModeNV-coverageModulationMode-parameter", dynCoverageModulation, int64(v), 0, int64(vk.CoverageModulationModeRgbaNV))
}

// SetCoverageModulationTableEnable switches the table of factors.
func (c *CommandBuffer) SetCoverageModulationTableEnable(on bool) {
	c.toggle("Pass.SetCoverageModulationTableEnable", dynCoverageTableEnable, on)
}

// SetCoverageModulationTable sets the factors by number of covered samples, from 1
// on.
func (c *CommandBuffer) SetCoverageModulationTable(table []float32) {
	const op = "Pass.SetCoverageModulationTable"
	if len(table) == 0 || len(table) > fragops.MaxSamples {
		c.misuse(op, "vkCmdSetCoverageModulationTableNV-coverageModulationTableCount-arraylength", "", "a table of %d factors; 1 to %d are supported", len(table), fragops.MaxSamples)
		return
	}
	c.setFloats(op, dynCoverageTable, table...)
}

// SetCoverageToColorEnable switches coverage in place of a colour.
func (c *CommandBuffer) SetCoverageToColorEnable(on bool) {
	c.toggle("Pass.SetCoverageToColorEnable", dynCoverageToColor, on)
}

// SetCoverageToColorLocation sets the output location that coverage takes the place
// of.
func (c *CommandBuffer) SetCoverageToColorLocation(location uint32) {
	c.set("Pass.SetCoverageToColorLocation", dynCoverageToColorLocation, location)
}

// SetRepresentativeFragmentTestEnable switches the representative fragment test.
func (c *CommandBuffer) SetRepresentativeFragmentTestEnable(on bool) {
	c.toggle("Pass.SetRepresentativeFragmentTestEnable", dynRepresentative, on)
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
