package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// borderSeen says that a border texel can occur (§5.1).
//
// IMG-196
func (c *validation) borderSeen() bool {
	if !c.sampled() {
		return false
	}
	if c.f.StrictBorderCheck {
		return true
	}
	if c.cubeView() && !c.s.NonSeamless {
		return false
	}
	for _, m := range c.modes() {
		if m == vk.SamplerAddressModeClampToBorder {
			return true
		}
	}
	return false
}

func (c *validation) customBorder() bool {
	return c.borderSeen() && (c.s.BorderColor == vk.BorderColorFloatCustomEXT || c.s.BorderColor == vk.BorderColorIntCustomEXT)
}

func (c *validation) intBorder() bool {
	switch c.s.BorderColor {
	case vk.BorderColorIntTransparentBlack, vk.BorderColorIntOpaqueBlack, vk.BorderColorIntOpaqueWhite, vk.BorderColorIntCustomEXT:
		return true
	default:
		return false
	}
}

// borderRules are §5.1: border colours against views.
var borderRules = []validationRule{
	{"IMG-100", func(c *validation) string {
		return is(c.borderSeen() && c.intBorder() && c.v.Info.Class == format.ClassFloat, "%v on %v", c.s0(), c.v.Format)
	}},
	{"IMG-101", func(c *validation) string {
		return is(c.borderSeen() && !c.intBorder() && c.v.Info.Class != format.ClassFloat, "%v on %v", c.s0(), c.v.Format)
	}},
	{"IMG-102", func(c *validation) string {
		black := c.borderSeen() && (c.s.BorderColor == vk.BorderColorFloatOpaqueBlack || c.s.BorderColor == vk.BorderColorIntOpaqueBlack)
		return is(black && resource.Swizzled(c.v.Components) && c.f.NoBorderColorSwizzle && c.s.BorderMapping == nil, "%v through a swizzle", c.s0())
	}},
	{"IMG-103", func(c *validation) string {
		if !c.borderSeen() || c.s.BorderMapping == nil {
			return ""
		}
		a, b := c.s.BorderMapping.Components, c.v.Components
		return is(resource.SwizzleOf(a) != resource.SwizzleOf(b), "%v in the sampler and %v in the view", a, b)
	}},
	{"IMG-104", func(c *validation) string {
		return is(c.borderSeen() && c.s.BorderMapping != nil && c.s.BorderMapping.Srgb != (c.v.Info.Numeric == format.NumericSrgb),
			"the sampler's mapping and %v disagree about sRGB", c.v.Format)
	}},
	{"IMG-105", func(c *validation) string {
		if !c.customBorder() || c.intBorder() == (c.v.Info.Class == format.ClassFloat) { // IMG-100, IMG-101
			return ""
		}
		for i, comp := range c.v.Info.Components {
			if comp.Kind != format.KindNone && !representable(&comp, c.s.CustomBorderColor[i]) {
				return is(true, "component %d of the custom border colour is outside %v", i, c.v.Format)
			}
		}
		return ""
	}},
	{"IMG-106", func(c *validation) string {
		return is(c.customBorder() && resource.Swizzled(c.v.Components) && c.f.NoBorderColorSwizzle && c.s.BorderMapping == nil, "a custom border colour through a swizzle")
	}},
	{"IMG-107", func(c *validation) string {
		return is(c.customBorder() && c.s.CustomBorderFormat != vk.FormatUndefined && c.s.CustomBorderFormat != c.v.Format,
			"a custom border colour for %v on %v", c.s0format(), c.v.Format)
	}},
	{"IMG-108", func(c *validation) string {
		if !c.customBorder() || c.s.CustomBorderFormat != vk.FormatUndefined {
			return ""
		}
		switch c.v.Format {
		case vk.FormatB4G4R4A4UnormPack16, vk.FormatB5G6R5UnormPack16, vk.FormatB5G5R5A1UnormPack16, vk.FormatA1B5G5R5UnormPack16:
			return is(true, "a custom border colour without a format on %v", c.v.Format)
		default:
			return ""
		}
	}},
	{"IMG-109", func(c *validation) string {
		if !c.customBorder() {
			return ""
		}
		f := c.s.CustomBorderFormat
		kind := false
		if info, ok := format.Lookup(f); ok {
			kind = (info.Class != format.ClassFloat) != c.intBorder()
		}
		return is(!c.s.HasCustomBorder || c.f.NoCustomBorderColors || kind || f == vk.FormatUndefined && c.f.NoCustomBorderWithoutFormat,
			"%v without a colour of its kind", c.s0())
	}},
}

func (c *validation) s0() vk.BorderColor {
	if c.s == nil {
		return 0
	}
	return c.s.BorderColor
}

func (c *validation) s0format() vk.Format {
	if c.s == nil {
		return 0
	}
	return c.s.CustomBorderFormat
}

// representable says that a component of a border colour lies within the values that a format has for it: the bounds are
// the finite ones, and infinities and NaN are values of floats that have codes for them.
//
// IMG-105
func representable(c *format.Component, bits uint32) bool {
	f := float64(math.Float32frombits(bits))
	within := func(low, high float64) bool { return f >= low && f <= high }
	most := func(bits int) float64 { return float64(uint64(1)<<bits - 1) }
	switch c.Numeric {
	case format.NumericUnorm, format.NumericSrgb:
		return within(0, 1)
	case format.NumericSnorm:
		return within(-1, 1)
	case format.NumericUscaled:
		return within(0, most(c.Bits))
	case format.NumericSscaled:
		return within(-most(c.Bits-1)-1, most(c.Bits-1))
	case format.NumericUint, format.NumericBool:
		return c.Bits >= 32 || bits < 1<<c.Bits
	case format.NumericSint:
		n := int32(bits)
		return c.Bits >= 32 || n >= -1<<(c.Bits-1) && n < 1<<(c.Bits-1)
	case format.NumericUfloat:
		switch c.Bits {
		case 11:
			return within(0, float64(fp.Float11ToFloat(0x7BF))) || math.IsInf(f, 1) || f != f
		case 10:
			return within(0, float64(fp.Float10ToFloat(0x3DF))) || math.IsInf(f, 1) || f != f
		case 9: // shared exponent
			return within(0, 65408)
		default: // BC6H
			return within(0, maxHalf)
		}
	case format.NumericSfloat:
		switch c.Bits {
		case 0: // BC6H, ASTC
			return within(-maxHalf, maxHalf)
		case 16:
			return within(-maxHalf, maxHalf) || math.IsInf(f, 0) || f != f
		default:
			return true
		}
	case format.NumericSfixed: // 5 of 16 bits are a fraction
		return within(-1024, 1024-1.0/32)
	default:
		return true
	}
}

// maxHalf is the largest number of 16 bits, to which compressed formats of floats decode, too.
const maxHalf = 65504
