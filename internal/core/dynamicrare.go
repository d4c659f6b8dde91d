package core

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// Dynamic states of extensions that few programs use.

// applyRare sets one of these states from the words of its command; false for
// other states.
func (m dynState) applyRare(s *render.DynamicState, w []uint32) bool {
	switch m {
	case dynConservative: // RAS-037
		s.ConservativeMode = vk.ConservativeRasterizationModeEXT(w[0])
	case dynExtraSize: // RAS-037
		s.ExtraOverestimation = math.Float32frombits(w[0])
	case dynSampleLocations: // RAS-026
		list := make([][2]float32, (len(w)-3)/2)
		for i := range list {
			list[i] = [2]float32{math.Float32frombits(w[3+2*i]), math.Float32frombits(w[4+2*i])}
		}
		s.SampleLocations = raster.CustomSamples(int(w[0]), int(w[1]), int(w[2]), list)
	case dynSampleLocationsEnable: // RAS-026
		s.SampleLocationsEnable = w[0] != 0
	case dynShadingRate, dynRateImageEnable, dynPalettes, dynSampleOrder:
		m.applyRate(s, w)
	case dynPatchControlPoints: // RAS-039
		s.PatchControlPoints = w[0]
	case dynDomainOrigin:
		s.DomainOrigin = vk.TessellationDomainOrigin(w[0])
	case dynDepthClampRange: // RAS-036
		s.DepthClampUser, s.DepthClampRange = w[0] != 0, [2]float32{math.Float32frombits(w[1]), math.Float32frombits(w[2])}
	case dynStream: // RAS-022
		s.RasterizationStream = w[0]
	case dynDiscardRectangles, dynDiscardEnable, dynDiscardMode, dynExclusiveScissor, dynExclusiveEnable, dynSwizzle, dynWScaling, dynWScalingEnable:
		m.applyWindow(s, w)
	case dynBlendAdvanced: // RAS-043
		for i := range len(w) / 5 {
			at, v := int(w[0])+i, w[1+5*i:]
			s.Blend[at].ColorBlendOp, s.Blend[at].AlphaBlendOp = vk.BlendOp(v[0]), vk.BlendOp(v[0])
			s.Advanced[at] = fragops.AdvancedBlend{SrcStraight: v[1] == 0, DstStraight: v[2] == 0, Overlap: vk.BlendOverlapEXT(v[3]), ClampResults: v[4] != 0}
		}
	case dynCoverageReduction, dynCoverageModulation, dynCoverageTableEnable, dynCoverageTable, dynCoverageToColor, dynCoverageToColorLocation, dynRepresentative:
		m.applyCoverage(s, w)
	default:
		return false
	}
	return true
}

// mergeRare copies one of these states; false for other states.
func (m dynState) mergeRare(dst, src *render.DynamicState) bool {
	switch m {
	case dynConservative: // RAS-037
		dst.ConservativeMode = src.ConservativeMode
	case dynExtraSize: // RAS-037
		dst.ExtraOverestimation = src.ExtraOverestimation
	case dynSampleLocations: // RAS-026
		dst.SampleLocations = src.SampleLocations
	case dynSampleLocationsEnable: // RAS-026
		dst.SampleLocationsEnable = src.SampleLocationsEnable
	case dynDiscardRectangles, dynDiscardEnable, dynDiscardMode, dynExclusiveScissor, dynExclusiveEnable, dynSwizzle, dynWScaling, dynWScalingEnable:
		m.mergeWindow(dst, src)
	case dynBlendAdvanced: // RAS-043
		dst.Advanced = src.Advanced
		for i := range dst.Blend {
			dst.Blend[i].ColorBlendOp, dst.Blend[i].AlphaBlendOp = src.Blend[i].ColorBlendOp, src.Blend[i].AlphaBlendOp
		}
	case dynShadingRate, dynRateImageEnable, dynPalettes, dynSampleOrder:
		m.mergeRate(dst, src)
	case dynPatchControlPoints: // RAS-039
		dst.PatchControlPoints = src.PatchControlPoints
	case dynDomainOrigin:
		dst.DomainOrigin = src.DomainOrigin
	case dynDepthClampRange: // RAS-036
		dst.DepthClampUser, dst.DepthClampRange = src.DepthClampUser, src.DepthClampRange
	case dynStream: // RAS-022
		dst.RasterizationStream = src.RasterizationStream
	case dynCoverageReduction, dynCoverageModulation, dynCoverageTableEnable, dynCoverageTable, dynCoverageToColor, dynCoverageToColorLocation, dynRepresentative:
		m.mergeCoverage(dst, src)
	default:
		return false
	}
	return true
}

// SetConservativeRasterizationMode sets the mode of conservative rasterization.
func (c *CommandBuffer) SetConservativeRasterizationMode(v vk.ConservativeRasterizationModeEXT) {
	c.enum("Pass.SetConservativeRasterizationMode", "vkCmdSetConservativeRasterizationModeEXT-conservativeRasterizationMode-parameter", dynConservative, int64(v), 0, int64(vk.ConservativeRasterizationModeUnderestimateEXT))
}

// SetExtraPrimitiveOverestimationSize sets by how many pixels overestimation grows
// primitives.
func (c *CommandBuffer) SetExtraPrimitiveOverestimationSize(pixels float32) {
	const op = "Pass.SetExtraPrimitiveOverestimationSize"
	if !(pixels >= 0 && pixels <= raster.MaxExtraOverestimation) {
		c.misuse(op, "vkCmdSetExtraPrimitiveOverestimationSizeEXT-extraPrimitiveOverestimationSize-07428", "", "%v pixels", pixels)
		return
	}
	c.set(op, dynExtraSize, math.Float32bits(pixels))
}

// SetDepthClampRange sets what depth is clamped to at all viewports; nil: the
// viewports' ranges.
func (c *CommandBuffer) SetDepthClampRange(r *[2]float32) {
	const op = "Pass.SetDepthClampRange"
	if r == nil {
		c.set(op, dynDepthClampRange, 0, 0, 0)
		return
	}
	if !c.dev.depth(r[0]) || !c.dev.depth(r[1]) || r[0] > r[1] {
		c.misuse(op, "VkDepthClampRangeEXT-pDepthClampRange-00999", "", "depth clamp range %v…%v", r[0], r[1])
		return
	}
	c.set(op, dynDepthClampRange, 1, math.Float32bits(r[0]), math.Float32bits(r[1]))
}

// SampleLocations are custom sample locations (VkSampleLocationsInfoEXT).
type SampleLocations struct {
	Samples   vk.SampleCountFlags
	Grid      vk.Extent2D
	Locations []vk.SampleLocationEXT
}

// check returns the number of samples, 0 after an error.
func (l *SampleLocations) check(d *Device, op string) (int, error) {
	n := Samples(l.Samples)
	power := func(v uint32) bool { return v >= 1 && v <= raster.GridSize && v&(v-1) == 0 }
	if l.Samples&sampleCounts == 0 || bits.OnesCount32(uint32(l.Samples)) != 1 {
		return 0, d.misuse(op, "VkSampleLocationsInfoEXT-sampleLocationsPerPixel-01526", "", "%v samples", l.Samples)
	}
	if !power(l.Grid.Width) || !power(l.Grid.Height) || len(l.Locations) != n*int(l.Grid.Width*l.Grid.Height) {
		return 0, d.misuse(op, "VkSampleLocationsInfoEXT-sampleLocationsCount-01527", "", "%d locations for %d samples and a grid of %d×%d", len(l.Locations), n, l.Grid.Width, l.Grid.Height)
	}
	return n, nil
}

// set makes the locations as package raster has them.
func (l *SampleLocations) set(n int) *raster.SampleSet {
	list := make([][2]float32, len(l.Locations))
	for i, p := range l.Locations {
		list[i] = [2]float32{p.X, p.Y}
	}
	return raster.CustomSamples(n, int(l.Grid.Width), int(l.Grid.Height), list)
}

// SetSampleLocations sets custom sample locations.
func (c *CommandBuffer) SetSampleLocations(l SampleLocations) {
	const op = "Pass.SetSampleLocations"
	if !c.ok(op, 0) {
		return
	}
	n, err := l.check(c.dev, op)
	if !c.try(err) {
		return
	}
	words := []uint32{uint32(n), l.Grid.Width, l.Grid.Height}
	for _, p := range l.Locations {
		words = append(words, math.Float32bits(p.X), math.Float32bits(p.Y))
	}
	c.set(op, dynSampleLocations, words...)
}

// SetSampleLocationsEnable switches custom sample locations.
func (c *CommandBuffer) SetSampleLocationsEnable(on bool) {
	c.toggle("Pass.SetSampleLocationsEnable", dynSampleLocationsEnable, on)
}

// SetPatchControlPoints sets the number of vertices of patches.
func (c *CommandBuffer) SetPatchControlPoints(n uint32) {
	c.enum("Pass.SetPatchControlPoints", "vkCmdSetPatchControlPointsEXT-patchControlPoints-04874", dynPatchControlPoints, int64(n), 1, lower.MaxPatchVertices)
}

// SetTessellationDomainOrigin sets where the origin of the domain lies.
func (c *CommandBuffer) SetTessellationDomainOrigin(v vk.TessellationDomainOrigin) {
	c.enum("Pass.SetTessellationDomainOrigin", "vkCmdSetTessellationDomainOriginEXT-domainOrigin-parameter", dynDomainOrigin, int64(v), 0, int64(vk.TessellationDomainOriginLowerLeft))
}

// SetRasterizationStream sets which vertex stream is rasterized.
func (c *CommandBuffer) SetRasterizationStream(n uint32) {
	c.enum("Pass.SetRasterizationStream", "vkCmdSetRasterizationStreamEXT-rasterizationStream-07412", dynStream, int64(n), 0, ir.MaxStreams-1)
}

// SetColorBlendAdvanced sets advanced blend operations of attachments from first
// on.
func (c *CommandBuffer) SetColorBlendAdvanced(first uint32, list []vk.ColorBlendAdvancedEXT) {
	const op, rule = "Pass.SetColorBlendAdvanced", "vkCmdSetColorBlendAdvancedEXT-firstAttachment"
	if uint64(first)+uint64(len(list)) > render.MaxColorAttachments || len(list) == 0 {
		c.misuse(op, rule, "", "attachments %d+%d; %d are supported", first, len(list), render.MaxColorAttachments)
		return
	}
	flag := func(on bool) uint32 {
		if on {
			return 1
		}
		return 0
	}
	words := []uint32{first}
	for _, a := range list {
		if a.AdvancedBlendOp < vk.BlendOpZeroEXT || a.AdvancedBlendOp > vk.BlendOpBlueEXT || a.BlendOverlap < 0 || a.BlendOverlap > vk.BlendOverlapConjointEXT {
			c.misuse(op, "VkColorBlendAdvancedEXT-advancedBlendOp-parameter", "", "operation %v, overlap %v", a.AdvancedBlendOp, a.BlendOverlap)
			return
		}
		words = append(words, uint32(a.AdvancedBlendOp), flag(a.SrcPremultiplied), flag(a.DstPremultiplied), uint32(a.BlendOverlap), flag(a.ClampResults))
	}
	c.set(op, dynBlendAdvanced, words...)
}
