package sampling

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// processRules are §5.9: image processing.
var processRules = []validationRule{
	{"IMG-180", func(c *validation) string {
		if !c.sampled() || !c.s.ImageProcessing {
			return ""
		}
		s := c.s
		border := s.AddressModeU == vk.SamplerAddressModeClampToBorder || s.AddressModeV == vk.SamplerAddressModeClampToBorder
		return is(s.MinFilter != vk.FilterNearest || s.MagFilter != vk.FilterNearest || s.MipmapMode != vk.SamplerMipmapModeNearest || s.MinLod != 0 || s.MaxLod != 0 ||
			!plainMode(s.AddressModeU) || !plainMode(s.AddressModeV) || border && s.BorderColor != vk.BorderColorFloatTransparentBlack || s.AnisotropyEnable || s.CompareEnable,
			"the state of a sampler with IMAGE_PROCESSING")
	}},
	{"IMG-181", func(c *validation) string {
		return is(c.sampled() && !c.in.GatherQCOM && c.in.Kind != ir.ImageQueryLod && c.s.ImageProcessing != c.processing(), "IMAGE_PROCESSING %v with this instruction", c.s0processing())
	}},
	{"IMG-182", func(c *validation) string {
		w := c.on.Second
		if c.in.Kind != ir.ImageWeighted || w == nil {
			return ""
		}
		i := &w.Weights
		root := i.Root()
		layers := w.Type == vk.ImageViewType1DArray && w.Layers == 2 || w.Type == vk.ImageViewType2DArray && w.Layers >= i.Phases
		return is(!layers || w.Levels != 1 || w.Image.Samples != 1 || resource.Swizzled(w.Components) || w.Image.Usage&vk.ImageUsageSampleWeightBitQCOM == 0 ||
			i.Width < 1 || i.Height < 1 || i.Width > c.f.MaxWeightDimension || i.Height > c.f.MaxWeightDimension ||
			i.CenterX < 0 || i.CenterX >= i.Width || i.CenterY < 0 || i.CenterY >= i.Height || i.Phases < 1 || i.Phases > c.f.MaxPhase || root*root != i.Phases,
			"the image of weights: %v of %d layers, %+v", w.Type, w.Layers, *i)
	}},
	{"IMG-183", func(c *validation) string {
		w := c.on.Second
		if c.in.Kind != ir.ImageWeighted || w == nil {
			return ""
		}
		width, height, _ := w.Extent(0)
		i := &w.Weights
		line := w.Type == vk.ImageViewType1DArray
		return is(line && width < i.Phases*max((i.Width+3)&^3, i.Height) || !line && (width < i.Width || height < i.Height), "weights of %dx%d texels for %+v", width, height, *i)
	}},
	{"IMG-184", func(c *validation) string {
		w := c.on.Second
		if c.in.Kind != ir.ImageWeighted || w == nil || c.s == nil || c.s.Reduction != vk.SamplerReductionModeMin && c.s.Reduction != vk.SamplerReductionModeMax {
			return ""
		}
		return is(!binaryWeights(w), "%v with a weight other than 0 and 1", c.s.Reduction)
	}},
	{"IMG-185", func(c *validation) string {
		most := float32(c.f.MaxBox)
		return is(c.in.Kind == ir.ImageBoxFilter && !(c.in.BoxW >= 1 && c.in.BoxH >= 1 && c.in.BoxW <= most && c.in.BoxH <= most), "a box of %vx%v", c.in.BoxW, c.in.BoxH)
	}},
	{"IMG-186", func(c *validation) string {
		if c.in.Kind != ir.ImageBlockMatch || c.s == nil {
			return ""
		}
		s, r := c.s, c.on.SecondSampler
		same := r == nil || sameSampler(s, r)
		state := s.UnnormalizedCoordinates && s.MinFilter == vk.FilterNearest && s.MagFilter == vk.FilterNearest && s.MipmapMode == vk.SamplerMipmapModeNearest &&
			s.MinLod == 0 && s.MaxLod == 0 && !s.AnisotropyEnable && !s.CompareEnable && plainMode(s.AddressModeU) && plainMode(s.AddressModeV)
		return is(!same || !state || !matchable(c.v) || c.on.Second != nil && !matchable(c.on.Second) || c.in.BlockW > c.f.MaxBlock || c.in.BlockH > c.f.MaxBlock,
			"a block match: samplers, images or a block of %dx%d", c.in.BlockW, c.in.BlockH)
	}},
	{"IMG-187", func(c *validation) string {
		return is(c.in.Kind == ir.ImageBlockMatch && (c.in.BlockW <= 0 || c.in.BlockH <= 0), "a block of %dx%d", c.in.BlockW, c.in.BlockH)
	}},
	{"IMG-188", func(c *validation) string {
		r := c.on.Second
		if c.in.Kind != ir.ImageBlockMatch || r == nil || c.s == nil || !c.f.NoBlockMatchExtendedClamp && c.edges(2) {
			return ""
		}
		w, h, _ := r.Extent(0)
		return is(c.in.RefX < 0 || c.in.RefY < 0 || c.in.RefX+c.in.BlockW > w || c.in.RefY+c.in.BlockH > h, "a reference block at (%d, %d) of %dx%d in %dx%d",
			c.in.RefX, c.in.RefY, c.in.BlockW, c.in.BlockH, w, h)
	}},
	{"IMG-189", func(c *validation) string {
		if c.in.Kind != ir.ImageBlockMatch || c.in.Match == ir.MatchPlain || c.s == nil {
			return ""
		}
		s := c.s
		border := s.AddressModeU == vk.SamplerAddressModeClampToBorder && s.AddressModeV == vk.SamplerAddressModeClampToBorder && s.BorderColor == vk.BorderColorFloatTransparentBlack
		window := c.in.Match != ir.MatchWindow || s.Window.Width > 0 && s.Window.Height > 0 && s.Window.Width <= c.f.MaxWindow && s.Window.Height <= c.f.MaxWindow
		return is(c.v.Info.ComponentCount > 1 || !border && !(!c.f.NoBlockMatchExtendedClamp && c.edges(2)) || !window, "a window or gather form: %d components, window %+v",
			c.v.Info.ComponentCount, s.Window)
	}},
	{"IMG-190", func(c *validation) string {
		return is(c.in.Processing && !c.processing(), "an image of weights or block matches in an ordinary instruction")
	}},
}

func (c *validation) s0processing() bool { return c.s != nil && c.s.ImageProcessing }

// sameSampler compares the state of two samplers.
func sameSampler(a, b *resource.Sampler) bool { return a == b || *a == *b }

// matchable says that a view can be the target or reference of a block match.
func matchable(v *resource.ImageView) bool {
	return v.Type == vk.ImageViewType2D && v.Levels == 1 && v.Layers == 1 && v.Image.Samples == 1 && v.Image.Usage&vk.ImageUsageSampleBlockMatchBitQCOM != 0
}

// binaryWeights says that all weights are 0 or 1.
func binaryWeights(v *resource.ImageView) bool {
	if v.Image.Data == nil || v.Info.Compressed || v.Info.NeedsConversion() {
		return true
	}
	w, h, _ := v.Extent(0)
	for layer := range v.Layers {
		l := v.Level(0, layer)
		for y := range h {
			for x := range w {
				if t := v.Info.Decode(l.Data[l.Offset(x, y, 0, 0):])[0]; t != 0 && t != oneFloat {
					return false
				}
			}
		}
	}
	return true
}
