package sampling

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

type use = func(c *checked)

// all does one thing after the other.
func all(list ...use) use {
	return func(c *checked) {
		for _, u := range list {
			u(c)
		}
	}
}

// kind is an instruction without implicit derivatives.
func kind(k ir.ImageKind) use {
	return func(c *checked) { c.in.Kind, c.in.Implicit = k, false }
}

func formatOf(f vk.Format) use { return func(c *checked) { c.format(f) } }

// shaped is a view and a variable of one shape, in an image that has it.
func shaped(t vk.ImageViewType) use {
	return func(c *checked) {
		c.v.Type = t
		switch t {
		case vk.ImageViewType1D, vk.ImageViewType1DArray:
			c.in.Dim, c.im.Type = ir.Dim1D, vk.ImageType1D
			c.im.Extent.Height = 1
		case vk.ImageViewType3D:
			c.in.Dim, c.im.Type = ir.Dim3D, vk.ImageType3D
			c.im.Extent.Depth = 8
		case vk.ImageViewTypeCube, vk.ImageViewTypeCubeArray:
			c.in.Dim, c.im.ArrayLayers, c.v.Layers = ir.DimCube, 6, 6
		case vk.ImageViewType2D, vk.ImageViewType2DArray:
			c.in.Dim, c.im.Type = ir.Dim2D, vk.ImageType2D
		}
		c.in.Arrayed = t == vk.ImageViewType1DArray || t == vk.ImageViewType2DArray || t == vk.ImageViewTypeCubeArray
		c.relayout()
	}
}

func sized(levels, layers int) use {
	return func(c *checked) {
		c.im.MipLevels, c.v.Levels, c.im.ArrayLayers, c.v.Layers = levels, levels, layers, layers
		c.relayout()
	}
}

// parts are, for a rule, a base and what is done to it, with whether the rule is
// then broken: each condition of the rule decides once by itself.
type parts struct {
	rule string
	base use
	ok   []use
	bad  []use
}

func check(t *testing.T, list []parts) {
	t.Helper()
	for _, p := range list {
		for want, uses := range [][]use{p.ok, p.bad} {
			for i, u := range uses {
				c := newChecked()
				if p.base != nil {
					p.base(c)
				}
				u(c)
				broken := slices.ContainsFunc(c.all(), func(e *RuleError) bool { return e.Rule == p.rule })
				if broken != (want == 1) {
					t.Errorf("%s, %s %d: broken %v", p.rule, [2]string{"allowed", "forbidden"}[want], i, broken)
				}
			}
		}
	}
}

func nothing(*checked) {}

const (
	transparent = vk.BorderColorFloatTransparentBlack
	opaque      = vk.BorderColorFloatOpaqueBlack
	white       = vk.BorderColorFloatOpaqueWhite
	custom      = vk.BorderColorFloatCustomEXT
	customInt   = vk.BorderColorIntCustomEXT
)

var swapped = vk.ComponentMapping{R: vk.ComponentSwizzleG}

func borderIs(b vk.BorderColor) use { return func(c *checked) { c.border(b) } }

// §5.1, border colours.
func TestValidate_EachPartOfBorders(t *testing.T) {
	rules.Covers(t, "IMG-100", "IMG-101", "IMG-102", "IMG-103", "IMG-104", "IMG-105", "IMG-106", "IMG-107", "IMG-108", "IMG-109", "IMG-196", "IMG-504")
	at := func(u, v, w vk.SamplerAddressMode) use {
		return func(c *checked) { c.s.AddressModeU, c.s.AddressModeV, c.s.AddressModeW = u, v, w }
	}
	intBlack := func(c *checked) { c.s.BorderColor = vk.BorderColorIntOpaqueBlack }
	mapping := func(m vk.ComponentMapping, srgb bool) use {
		return func(c *checked) { c.s.BorderMapping = &resource.BorderMapping{Components: m, Srgb: srgb} }
	}
	view := func(m vk.ComponentMapping) use { return func(c *checked) { c.v.Components = m } }
	noSwizzle := func(c *checked) { c.f.NoBorderColorSwizzle = true }
	has := func(c *checked) { c.s.HasCustomBorder = true }
	own := vk.ComponentMapping{R: vk.ComponentSwizzleR, G: vk.ComponentSwizzleG, B: vk.ComponentSwizzleB, A: vk.ComponentSwizzleA}
	customFormat := func(f vk.Format) use { return func(c *checked) { c.s.CustomBorderFormat = f } }
	colour := func(v ...float32) use { return func(c *checked) { c.s.CustomBorderColor = rgba(v...) } }
	check(t, []parts{
		{rule: "IMG-100",
			ok:  []use{borderIs(transparent), borderIs(opaque), borderIs(white), borderIs(custom), all(borderIs(vk.BorderColorIntOpaqueWhite), formatOf(vk.FormatR8Uint))},
			bad: []use{borderIs(vk.BorderColorIntTransparentBlack), borderIs(vk.BorderColorIntOpaqueBlack), borderIs(vk.BorderColorIntOpaqueWhite), borderIs(customInt)}},
		{rule: "IMG-100", base: intBlack, // where a border can be seen
			ok: []use{at(edge, edge, border), all(shaped(vk.ImageViewType1D), at(edge, border, edge)), all(shaped(vk.ImageViewTypeCube), at(border, border, edge)),
				all(shaped(vk.ImageViewTypeCubeArray), at(border, border, edge)), all(kind(ir.ImageFetch), at(border, border, border)),
				all(kind(ir.ImageFetch), func(c *checked) { c.f.StrictBorderCheck = true })},
			bad: []use{at(border, edge, edge), at(edge, border, edge), all(shaped(vk.ImageViewType3D), at(edge, edge, border)), all(shaped(vk.ImageViewType1D), at(border, edge, edge)),
				all(shaped(vk.ImageViewTypeCube), at(edge, border, edge), func(c *checked) { c.s.NonSeamless = true }), func(c *checked) { c.f.StrictBorderCheck = true },
				all(shaped(vk.ImageViewTypeCube), func(c *checked) { c.f.StrictBorderCheck = true })}},
		{rule: "IMG-101", base: formatOf(vk.FormatR8Uint),
			ok:  []use{borderIs(vk.BorderColorIntOpaqueBlack), all(borderIs(opaque), formatOf(vk.FormatR8Unorm)), func(c *checked) { c.s.BorderColor = opaque }},
			bad: []use{borderIs(transparent), borderIs(opaque), borderIs(white), borderIs(custom)}},
		{rule: "IMG-102", base: all(borderIs(opaque), view(swapped), noSwizzle),
			ok: []use{view(vk.ComponentMapping{}), view(own), borderIs(white), mapping(swapped, false), func(c *checked) { c.f.NoBorderColorSwizzle = false },
				at(edge, edge, edge)},
			bad: []use{nothing, all(formatOf(vk.FormatR8Uint), borderIs(vk.BorderColorIntOpaqueBlack)), view(vk.ComponentMapping{A: vk.ComponentSwizzleOne})}},
		{rule: "IMG-103", base: borderIs(transparent),
			ok: []use{nothing, mapping(vk.ComponentMapping{}, false), mapping(own, false), all(mapping(swapped, false), view(swapped)), all(mapping(swapped, false), at(edge, edge, edge))},
			bad: []use{all(mapping(vk.ComponentMapping{}, false), view(swapped)), mapping(vk.ComponentMapping{A: vk.ComponentSwizzleR}, false),
				all(mapping(swapped, false), view(vk.ComponentMapping{R: vk.ComponentSwizzleB}))}},
		{rule: "IMG-104", base: borderIs(transparent),
			ok:  []use{nothing, mapping(own, false), all(formatOf(vk.FormatR8G8B8A8Srgb), mapping(own, true)), formatOf(vk.FormatR8G8B8A8Srgb)},
			bad: []use{mapping(own, true), all(formatOf(vk.FormatR8G8B8A8Srgb), mapping(own, false))}},
		{rule: "IMG-105", base: all(borderIs(custom), has),
			ok: []use{colour(0, 1, 0.5, 1), all(formatOf(vk.FormatR8Unorm), colour(1, 2, 2, 2)), all(borderIs(opaque), colour(2)),
				all(formatOf(vk.FormatR8Uint), borderIs(customInt), func(c *checked) { c.s.CustomBorderColor = [4]uint32{255, 256} }),
				// of another kind than the view's: IMG-100 or IMG-101 alone
				all(formatOf(vk.FormatR8Uint), colour(2)), all(formatOf(vk.FormatR8Sint), colour(2)), all(borderIs(customInt), colour(2))},
			bad: []use{colour(-0.5), colour(0, 0, 0, 1.5), all(formatOf(vk.FormatR8Uint), borderIs(customInt), func(c *checked) { c.s.CustomBorderColor = [4]uint32{256} })}},
		{rule: "IMG-106", base: all(borderIs(custom), has, view(swapped), noSwizzle),
			ok:  []use{view(own), mapping(swapped, false), func(c *checked) { c.f.NoBorderColorSwizzle = false }, borderIs(white)},
			bad: []use{nothing}},
		{rule: "IMG-107", base: all(borderIs(custom), has),
			ok:  []use{nothing, customFormat(vk.FormatR8G8B8A8Unorm), all(customFormat(vk.FormatR8Unorm), borderIs(white))},
			bad: []use{customFormat(vk.FormatR8Unorm)}},
		{rule: "IMG-108", base: all(borderIs(custom), has),
			ok: []use{nothing, all(formatOf(vk.FormatB5G6R5UnormPack16), customFormat(vk.FormatB5G6R5UnormPack16)), all(formatOf(vk.FormatB5G6R5UnormPack16), borderIs(white)),
				formatOf(vk.FormatR5G6B5UnormPack16)},
			bad: []use{formatOf(vk.FormatB4G4R4A4UnormPack16), formatOf(vk.FormatB5G6R5UnormPack16), formatOf(vk.FormatB5G5R5A1UnormPack16), formatOf(vk.FormatA1B5G5R5UnormPack16)}},
		{rule: "IMG-109", base: all(borderIs(custom), has),
			ok: []use{nothing, customFormat(vk.FormatR8G8B8A8Unorm), all(formatOf(vk.FormatR8Uint), borderIs(customInt), customFormat(vk.FormatR8Uint)),
				all(customFormat(vk.FormatR8G8B8A8Unorm), func(c *checked) { c.f.NoCustomBorderWithoutFormat = true }), all(borderIs(white), func(c *checked) { c.s.HasCustomBorder = false })},
			bad: []use{func(c *checked) { c.s.HasCustomBorder = false }, func(c *checked) { c.f.NoCustomBorderColors = true }, func(c *checked) { c.f.NoCustomBorderWithoutFormat = true },
				customFormat(vk.FormatR8Uint), all(formatOf(vk.FormatR8Uint), borderIs(customInt), customFormat(vk.FormatR8Unorm))}},
	})
}

// IMG-105: the ends of what each kind of component holds.
func TestValidate_IMG105_Ranges(t *testing.T) {
	rules.Covers(t, "IMG-105")
	f := func(v float32) uint32 { return rgba(v)[0] }
	for _, c := range []struct {
		numeric format.Numeric
		bits    int
		ok, bad []uint32
	}{
		{format.NumericUnorm, 8, []uint32{f(0), f(0.5), f(1)}, []uint32{f(-0x1p-20), f(1 + 0x1p-20), f(nan)}},
		{format.NumericUnorm, 0, []uint32{f(0), f(1)}, []uint32{f(-1), f(2)}},
		{format.NumericSrgb, 8, []uint32{f(0), f(1)}, []uint32{f(-1), f(2)}},
		{format.NumericSnorm, 8, []uint32{f(-1), f(1)}, []uint32{f(-1 - 0x1p-20), f(1 + 0x1p-20)}},
		{format.NumericUint, 8, []uint32{0, 255}, []uint32{256, 1 << 31}},
		{format.NumericUint, 32, []uint32{0, 1<<32 - 1}, nil},
		{format.NumericSint, 8, []uint32{127, 1<<32 - 128}, []uint32{128, 1<<32 - 129}},
		{format.NumericSint, 32, []uint32{1<<31 - 1, 1 << 31}, nil},
		{format.NumericUfloat, 11, []uint32{f(0), f(65024)}, []uint32{f(-1), f(65025)}},
		{format.NumericUfloat, 10, []uint32{f(0), f(64512)}, []uint32{f(-1), f(64513)}},
		{format.NumericUfloat, 9, []uint32{f(0), f(65408)}, []uint32{f(-1), f(65409)}},
		{format.NumericSfloat, 16, []uint32{f(-65504), f(65504)}, []uint32{f(-65505), f(65505)}},
		{format.NumericSfloat, 32, []uint32{f(-3e38), f(inf)}, nil},
	} {
		comp := format.Component{Numeric: c.numeric, Bits: c.bits}
		for _, v := range c.ok {
			if !representable(&comp, v) {
				t.Errorf("%v of %d bits does not hold %#x", c.numeric, c.bits, v)
			}
		}
		for _, v := range c.bad {
			if representable(&comp, v) {
				t.Errorf("%v of %d bits holds %#x", c.numeric, c.bits, v)
			}
		}
	}
}

// IMG-105: each component of each format holds what its name says, and no more: bounds of integers are 2^n-1, 2^(n-1)-1 and
// -2^(n-1), of halves (and what compressed formats of floats decode to) 65504, of 11 and 10 bits 65024 and 64512, of a shared
// exponent 65408.
func TestValidate_IMG105_AllFormats(t *testing.T) {
	rules.Covers(t, "IMG-105")
	name := regexp.MustCompile(`^VK_FORMAT_(.*?)_(UNORM|SNORM|USCALED|SSCALED|UINT|SINT|UFLOAT|SFLOAT|SRGB)(_PACK\d+|_BLOCK|_\dPACK\d+)*(_EXT|_KHR)?$`)
	part := regexp.MustCompile(`([RGBA])(\d+)`)
	checked := 0
	for _, f := range format.All() {
		i := mustInfo(f)
		m := name.FindStringSubmatch(i.Name)
		if m == nil || i.Supported() != nil || i.Aspects != vk.ImageAspectColorBit || i.Chroma != "" {
			continue
		}
		bits := map[string]int{}
		if i.Compressed {
			bits = map[string]int{"R": 0, "G": 0, "B": 0, "A": 0}
		} else {
			for _, p := range part.FindAllStringSubmatch(m[1], -1) {
				bits[p[1]], _ = strconv.Atoi(p[2])
			}
		}
		for k, letter := range []string{"R", "G", "B", "A"} {
			n, has := bits[letter]
			if !has || i.Components[k].Kind == format.KindNone {
				continue
			}
			checked++
			low, high := math.Inf(-1), math.Inf(1)
			step := 0x1p-10
			switch m[2] {
			case "UNORM", "SRGB":
				low, high = 0, 1
			case "SNORM":
				low, high = -1, 1
			case "USCALED", "UINT":
				low, high, step = 0, math.Exp2(float64(n))-1, 1
			case "SSCALED", "SINT":
				low, high, step = -math.Exp2(float64(n-1)), math.Exp2(float64(n-1))-1, 1
			case "UFLOAT":
				low, high, step = 0, map[int]float64{0: 65504, 9: 65408, 10: 64512, 11: 65024}[n], 1
			case "SFLOAT":
				if n <= 16 {
					low, high, step = -65504, 65504, 1
				}
			}
			integer := strings.HasSuffix(m[2], "INT")
			try := func(x float64, want bool) {
				c := newChecked()
				c.format(i.Format)
				c.border(vk.BorderColorFloatCustomEXT)
				c.s.HasCustomBorder = true
				c.s.CustomBorderColor[k] = math.Float32bits(float32(x))
				if integer {
					c.s.BorderColor = vk.BorderColorIntCustomEXT
					c.s.CustomBorderColor[k] = uint32(int64(x))
				}
				told := slices.ContainsFunc(c.all(), func(e *RuleError) bool { return e.Rule == "IMG-105" })
				if told == want {
					t.Errorf("%s: component %s of %v: told %v", i.Name, letter, x, told)
				}
			}
			if integer && n >= 32 { // a border colour has no more bits
				try(0, true)
				try(math.MaxInt32, true)
				try(-1, true)
				continue
			}
			if !math.IsInf(high, 1) {
				try(low, true)
				try(high, true)
				try(high+step, false)
				if m[2] != "UINT" {
					try(low-step, false)
				}
				continue
			}
			try(-3e38, true)
			try(3e38, true)
		}
	}
	// Formats that cannot be sampled have components, too: of truth, and fixed point with 5 bits below it.
	for _, c := range []struct {
		format vk.Format
		bits   uint32
		told   bool
	}{{vk.FormatR8BoolARM, 0, false}, {vk.FormatR8BoolARM, 255, false}, {vk.FormatR8BoolARM, 256, true}, {vk.FormatR8BoolARM, 1 << 31, true},
		{vk.FormatR16G16Sfixed5NV, one(-1024)[0], false}, {vk.FormatR16G16Sfixed5NV, one(1024 - 1./32)[0], false}, {vk.FormatR16G16Sfixed5NV, one(2)[0], false},
		{vk.FormatR16G16Sfixed5NV, one(math.Nextafter32(-1024, -2000))[0], true}, {vk.FormatR16G16Sfixed5NV, one(math.Nextafter32(1024-1./32, 2000))[0], true}} {
		if told := !representable(&mustInfo(c.format).Components[0], c.bits); told != c.told {
			t.Errorf("%v, %#x: told %v", c.format, c.bits, told)
		}
	}
	if checked < 400 {
		t.Errorf("only %d components were looked at", checked)
	}
}

const y420 = vk.FormatG8B8R8_3Plane420Unorm

func withConversion(c *checked) { c.converted(y420) }

// IMG-769: of each Image Format there is one format, and no other goes with it.
func TestValidate_IMG769_ImageFormats(t *testing.T) {
	rules.Covers(t, "IMG-769", "IMG-111")
	pairs := map[string]vk.Format{
		"Rgba32f": vk.FormatR32G32B32A32Sfloat, "Rgba16f": vk.FormatR16G16B16A16Sfloat, "Rg32f": vk.FormatR32G32Sfloat, "Rg16f": vk.FormatR16G16Sfloat, "R32f": vk.FormatR32Sfloat, "R16f": vk.FormatR16Sfloat,
		"Rgba16": vk.FormatR16G16B16A16Unorm, "Rg16": vk.FormatR16G16Unorm, "R16": vk.FormatR16Unorm, "Rgba8": vk.FormatR8G8B8A8Unorm, "Rg8": vk.FormatR8G8Unorm, "R8": vk.FormatR8Unorm,
		"Rgba8Snorm": vk.FormatR8G8B8A8Snorm, "R16Snorm": vk.FormatR16Snorm, "Rgba8i": vk.FormatR8G8B8A8Sint, "R32i": vk.FormatR32Sint, "Rgba8ui": vk.FormatR8G8B8A8Uint, "R32ui": vk.FormatR32Uint,
		"R11fG11fB10f": vk.FormatB10G11R11UfloatPack32, "Rgb10A2": vk.FormatA2B10G10R10UnormPack32, "Rgb10a2ui": vk.FormatA2B10G10R10UintPack32,
	}
	none := []vk.Format{vk.FormatB8G8R8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatA2R10G10B10UnormPack32, vk.FormatA8B8G8R8UnormPack32, vk.FormatR5G6B5UnormPack16}
	broken := func(f vk.Format, name string) bool {
		c := newChecked()
		c.format(f)
		c.in.Format = name
		return slices.ContainsFunc(c.all(), func(e *RuleError) bool { return e.Rule == "IMG-111" })
	}
	for name, f := range pairs {
		for other, g := range pairs {
			if got := broken(g, name); got != (f != g) {
				t.Errorf("Image Format %s on %v, which is %s: broken %v", name, g, other, got)
			}
		}
		for _, g := range none {
			if !broken(g, name) {
				t.Errorf("Image Format %s on %v", name, g)
			}
		}
		if broken(f, "") {
			t.Errorf("Image Format Unknown on %v", f)
		}
	}
}

// §5.2, layouts, formats, aspects.
func TestValidate_EachPartOfLayouts(t *testing.T) {
	rules.Covers(t, "IMG-110", "IMG-111", "IMG-112", "IMG-113", "IMG-114", "IMG-115", "IMG-116", "IMG-117", "IMG-768")
	const want = vk.ImageLayoutShaderReadOnlyOptimal
	mips := func(c *checked) { c.s.MipmapMode = vk.SamplerMipmapModeLinear }
	odd := func(p, l, y int) use { // one subresource in another layout
		return func(c *checked) {
			c.on.Layout = want
			c.on.Current = func(plane, level, layer int) vk.ImageLayout {
				if plane == p && level == l && layer == y {
					return vk.ImageLayoutGeneral
				}
				return want
			}
		}
	}
	part := func(c *checked) { // levels 1 and 2, layers 1 and 2 of 4
		sized(4, 4)(c)
		c.v.BaseLevel, c.v.Levels, c.v.BaseLayer, c.v.Layers = 1, 2, 1, 2
	}
	filters := func(low, high vk.Filter) use { return func(c *checked) { c.s.MinFilter, c.s.MagFilter = low, high } }
	signed := func(s, sign, zero bool) use {
		return func(c *checked) { c.in.Signed, c.in.Operands.SignExtend, c.in.Operands.ZeroExtend = s, sign, zero }
	}
	aspect := func(a vk.ImageAspectFlags) use { return func(c *checked) { c.v.Aspect = a } }
	reduce := func(c *checked) { c.s.Reduction = smallest }
	disjoint := func(c *checked) { c.im.Flags |= vk.ImageCreateDisjointBit }
	planes := func(c *checked) { c.on.Current = func(p, _, _ int) vk.ImageLayout { return vk.ImageLayout(p / 2) } }
	check(t, []parts{
		{rule: "IMG-110", base: part,
			ok:  []use{nothing, odd(0, 0, 1), odd(0, 3, 1), odd(0, 1, 0), odd(0, 1, 3), odd(1, 1, 1)},
			bad: []use{odd(0, 1, 1), odd(0, 2, 1), odd(0, 1, 2), odd(0, 2, 2)}},
		{rule: "IMG-110", base: withConversion, ok: []use{odd(3, 0, 0)}, bad: []use{odd(0, 0, 0), odd(1, 0, 0), odd(2, 0, 0)}},
		{rule: "IMG-110", base: func(c *checked) {
			c.format(y420)
			c.v.Plane, c.v.Info, c.v.Aspect = 1, mustInfo(vk.FormatR8Unorm), vk.ImageAspectPlane1Bit
		}, ok: []use{odd(0, 0, 0)}, bad: []use{odd(1, 0, 0)}},
		{rule: "IMG-111", ok: []use{nothing, func(c *checked) { c.in.Format = "Rgba8" }, all(func(c *checked) { c.in.Format = "Rgba16" }, kind(ir.ImageQuerySize))}, bad: []use{func(c *checked) { c.in.Format = "Rgba16" }}},
		{rule: "IMG-112",
			ok: []use{nothing, formatOf(vk.FormatR32Uint), all(formatOf(vk.FormatR64Uint), func(c *checked) { c.in.Wide = true }), all(kind(ir.ImageQuerySize), func(c *checked) { c.in.Float = false }),
				formatOf(vk.FormatR64Sfloat)},
			bad: []use{formatOf(vk.FormatR64Sint), func(c *checked) { c.in.Wide = true }, all(formatOf(vk.FormatR32Uint), func(c *checked) { c.in.Float = true }),
				all(kind(ir.ImageAtomic), func(c *checked) { c.in.Float = false })}},
		{rule: "IMG-113", base: formatOf(vk.FormatR32Uint),
			ok:  []use{nothing, signed(true, false, true), all(signed(true, false, false), kind(ir.ImageQuerySize)), all(signed(true, false, false), kind(ir.ImageAtomic)), all(formatOf(vk.FormatR8Unorm), signed(true, false, false))},
			bad: []use{signed(true, false, false), signed(false, true, false)}},
		{rule: "IMG-113", base: formatOf(vk.FormatR32Sint),
			ok: []use{nothing, signed(false, true, false)}, bad: []use{signed(false, false, false), signed(true, true, true)}},
		{rule: "IMG-114", base: all(disjoint, withConversion, planes),
			ok:  []use{func(c *checked) { c.im.Flags = 0 }, func(c *checked) { c.s.Ycbcr, c.on.ViewConversion = nil, nil }, odd(0, 1, 0), func(c *checked) { c.on.Current = nil }},
			bad: []use{nothing, func(c *checked) { c.s.Ycbcr = nil }, func(c *checked) { c.on.ViewConversion = nil }}},
		{rule: "IMG-115", base: withConversion,
			ok:  []use{nothing, all(formatOf(y420), aspect(vk.ImageAspectPlane0Bit), func(c *checked) { c.s.Ycbcr, c.on.ViewConversion = nil, nil }), all(kind(ir.ImageFetch), func(c *checked) { c.s.Ycbcr = nil })},
			bad: []use{func(c *checked) { c.s.Ycbcr = nil }, func(c *checked) { c.on.ViewConversion = nil }}},
		{rule: "IMG-115", base: func(c *checked) { c.f.NoRgba10x6 = true },
			ok: []use{nothing}, bad: []use{formatOf(vk.FormatR10X6G10X6B10X6A10X6Unorm4Pack16)}},
		{rule: "IMG-116", base: formatOf(vk.FormatD24UnormS8Uint),
			ok:  []use{aspect(vk.ImageAspectDepthBit), aspect(vk.ImageAspectStencilBit), all(formatOf(vk.FormatR8Unorm), aspect(vk.ImageAspectColorBit))},
			bad: []use{aspect(0), aspect(vk.ImageAspectDepthBit | vk.ImageAspectStencilBit), aspect(vk.ImageAspectColorBit)}},
		{rule: "IMG-117", base: formatOf(vk.FormatR8Uint),
			ok: []use{filters(nearest, nearest), all(filters(linear, linear), reduce), all(filters(linear, linear), formatOf(vk.FormatR8Unorm)), all(filters(linear, linear), kind(ir.ImageGather)),
				all(func(c *checked) { c.processing(ir.ImageBoxFilter) }, filters(linear, linear), reduce, aspect(vk.ImageAspectStencilBit))},
			bad: []use{filters(linear, nearest), filters(nearest, linear), all(filters(linear, vk.FilterCubicEXT), reduce), all(filters(vk.FilterCubicEXT, linear), reduce)}},
		{rule: "IMG-117", base: all(formatOf(vk.FormatR8Uint), mips), // VUID-vkCmdDraw-mipmapMode-04770
			ok:  []use{reduce, formatOf(vk.FormatR8Unorm), kind(ir.ImageGather), func(c *checked) { c.s.CompareEnable = true }},
			bad: []use{nothing, formatOf(vk.FormatR32G32B32A32Sint), formatOf(vk.FormatR64Uint)}},
		{rule: "IMG-117", base: all(shaped(vk.ImageViewType3D), func(c *checked) { c.f.CubicOnly2D = true }),
			ok: []use{filters(linear, linear), all(filters(vk.FilterCubicEXT, vk.FilterCubicEXT), shaped(vk.ImageViewType2D)), all(filters(vk.FilterCubicEXT, linear), shaped(vk.ImageViewType2DArray)),
				all(filters(vk.FilterCubicEXT, vk.FilterCubicEXT), func(c *checked) { c.f.CubicOnly2D = false })},
			bad: []use{filters(vk.FilterCubicEXT, linear), filters(linear, vk.FilterCubicEXT), all(filters(vk.FilterCubicEXT, linear), shaped(vk.ImageViewTypeCube))}},
		{rule: "IMG-117", base: reduce,
			ok:  []use{nothing, all(withConversion, func(c *checked) { c.s.Reduction = vk.SamplerReductionModeWeightedAverage })},
			bad: []use{withConversion, all(withConversion, func(c *checked) { c.s.Reduction = largest }), all(formatOf(vk.FormatS8Uint), aspect(vk.ImageAspectStencilBit))}},
	})
}

// §5.3 to §5.5, unnormalized coordinates, subsampled images, comparisons.
func TestValidate_EachPartOfSamplers(t *testing.T) {
	rules.Covers(t, "IMG-120", "IMG-121", "IMG-122", "IMG-123", "IMG-124", "IMG-125", "IMG-126", "IMG-127", "IMG-130", "IMG-131", "IMG-132", "IMG-133",
		"IMG-135", "IMG-136", "IMG-137", "IMG-138", "IMG-139")
	raw := func(c *checked) { c.s.UnnormalizedCoordinates = true }
	norm := func(c *checked) { c.s.UnnormalizedCoordinates = false }
	proj := func(c *checked) { c.in.Proj = true }
	offset := func(c *checked) { c.in.Operands.Offset = true }
	constOffset := func(c *checked) { c.in.Operands.ConstOffset = true }
	constOffsets := func(c *checked) { c.in.Operands.ConstOffsets = true }
	minFilter := func(c *checked) { c.s.MinFilter = linear }
	mipLinear := func(c *checked) { c.s.MipmapMode = vk.SamplerMipmapModeLinear }
	minLod := func(c *checked) { c.s.MinLod = 1 }
	maxLod := func(c *checked) { c.s.MaxLod = 1 }
	modeU := func(m vk.SamplerAddressMode) use { return func(c *checked) { c.s.AddressModeU = m } }
	modeV := func(m vk.SamplerAddressMode) use { return func(c *checked) { c.s.AddressModeV = m } }
	modeW := func(c *checked) { c.s.AddressModeW = repeat }
	aniso := func(c *checked) { c.s.AnisotropyEnable, c.s.MaxAnisotropy = true, 2 }
	compare := func(c *checked) { c.s.CompareEnable = true }
	dref := func(c *checked) { c.in.Dref = true }
	subImage := func(c *checked) { c.im.Flags |= vk.ImageCreateSubsampledBitEXT }
	sub := func(c *checked) { c.s.Subsampled = true }
	aspect := func(a vk.ImageAspectFlags) use { return func(c *checked) { c.v.Aspect = a } }
	reduce := func(c *checked) { c.s.Reduction = smallest }
	check(t, []parts{
		{rule: "IMG-120", base: raw,
			ok:  []use{nothing, shaped(vk.ImageViewType1D), all(shaped(vk.ImageViewType3D), norm), all(shaped(vk.ImageViewType3D), kind(ir.ImageFetch))},
			bad: []use{shaped(vk.ImageViewType3D), shaped(vk.ImageViewType2DArray), shaped(vk.ImageViewType1DArray), shaped(vk.ImageViewTypeCube)}},
		{rule: "IMG-121", base: raw, ok: []use{nothing, all(sized(2, 2), norm)}, bad: []use{sized(2, 1), sized(1, 2)}},
		{rule: "IMG-122", base: raw, ok: []use{nothing, all(proj, norm), all(offset, norm)}, bad: []use{proj, offset, constOffset, constOffsets}},
		{rule: "IMG-123", base: raw, ok: []use{nothing, all(minFilter, norm), all(minFilter, func(c *checked) { c.s.MagFilter = linear })}, bad: []use{minFilter}},
		{rule: "IMG-124", base: raw, ok: []use{nothing, all(mipLinear, norm)}, bad: []use{mipLinear}},
		{rule: "IMG-125", base: raw, ok: []use{nothing, all(minLod, maxLod, norm)}, bad: []use{minLod, maxLod}},
		{rule: "IMG-126", base: raw, ok: []use{nothing, modeU(border), modeV(border), modeW, all(modeU(repeat), norm)}, bad: []use{modeU(repeat), modeV(repeat), modeU(mirrored), modeV(mirrorK)}},
		{rule: "IMG-127", base: raw, ok: []use{nothing, all(aniso, compare, norm)}, bad: []use{aniso, compare}},
		{rule: "IMG-130", ok: []use{nothing, subImage, all(sub, subImage), all(sub, kind(ir.ImageFetch))}, bad: []use{sub}},
		{rule: "IMG-131", ok: []use{nothing, all(sub, subImage), all(subImage, kind(ir.ImageFetch))}, bad: []use{subImage}},
		{rule: "IMG-132", base: all(sub, subImage),
			ok:  []use{nothing, kind(ir.ImageSample), all(proj, func(c *checked) { c.s.Subsampled = false })},
			bad: []use{kind(ir.ImageGather), kind(ir.ImageQueryLod), func(c *checked) { c.in.Footprint = true }, dref, proj, offset, constOffset, constOffsets}},
		{rule: "IMG-133", base: all(sub, subImage),
			ok:  []use{nothing, modeU(border), modeV(border), modeW, all(minLod, func(c *checked) { c.s.Subsampled = false })},
			bad: []use{minFilter, mipLinear, minLod, maxLod, modeU(repeat), modeV(repeat), aniso, compare, raw}},
		{rule: "IMG-135", base: formatOf(vk.FormatD32Sfloat), ok: []use{nothing, compare, all(dref, compare), all(dref, func(c *checked) { c.s = nil })}, bad: []use{dref}},
		{rule: "IMG-136", base: formatOf(vk.FormatD32Sfloat),
			ok: []use{nothing, all(dref, compare), all(compare, kind(ir.ImageQueryLod)), all(compare, kind(ir.ImageFetch))}, bad: []use{compare, all(compare, kind(ir.ImageGather))}},
		{rule: "IMG-137", base: all(formatOf(vk.FormatD24UnormS8Uint), dref),
			ok:  []use{aspect(vk.ImageAspectDepthBit), formatOf(vk.FormatR32Sfloat), all(aspect(vk.ImageAspectStencilBit), func(c *checked) { c.in.Dref = false })},
			bad: []use{aspect(vk.ImageAspectStencilBit)}},
		{rule: "IMG-138", base: dref, ok: []use{formatOf(vk.FormatR32Sfloat), formatOf(vk.FormatD32Sfloat), func(c *checked) { c.in.Dref = false }}, bad: []use{nothing}},
		{rule: "IMG-139", base: all(formatOf(vk.FormatD32Sfloat), compare),
			ok:  []use{dref, all(reduce, func(c *checked) { c.s.CompareEnable = false }), func(c *checked) { c.in.Dim = ir.Dim3D }, all(reduce, kind(ir.ImageFetch))},
			bad: []use{reduce, all(dref, func(c *checked) { c.in.Dim = ir.Dim3D })}},
	})
}

// IMG-140 to IMG-146: each type of view with each variable.
func TestValidate_IMG140_EveryShape(t *testing.T) {
	rules.Covers(t, "IMG-140", "IMG-141", "IMG-142", "IMG-143", "IMG-144", "IMG-145", "IMG-146")
	for _, x := range []struct {
		rule    string
		t       vk.ImageViewType
		dim     ir.ImageDim
		arrayed bool
		ms      bool
	}{
		{"IMG-140", vk.ImageViewType1D, ir.Dim1D, false, false}, {"IMG-141", vk.ImageViewType2D, ir.Dim2D, false, true},
		{"IMG-142", vk.ImageViewType3D, ir.Dim3D, false, false}, {"IMG-143", vk.ImageViewTypeCube, ir.DimCube, false, false},
		{"IMG-144", vk.ImageViewType1DArray, ir.Dim1D, true, false}, {"IMG-145", vk.ImageViewType2DArray, ir.Dim2D, true, true},
		{"IMG-146", vk.ImageViewTypeCubeArray, ir.DimCube, true, false},
	} {
		for _, dim := range []ir.ImageDim{ir.Dim1D, ir.Dim2D, ir.Dim3D, ir.DimCube} {
			for bits := range 16 {
				c := newChecked()
				shaped(x.t)(c)
				c.in.Dim, c.in.Arrayed, c.in.MS, c.on.SingleLayer, c.on.Input = dim, bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0
				right := dim == x.dim && (c.in.Arrayed == x.arrayed || c.on.SingleLayer && x.dim != ir.Dim3D) && (!c.in.MS || x.ms) || c.on.Input
				for _, r := range []string{"IMG-140", "IMG-141", "IMG-142", "IMG-143", "IMG-144", "IMG-145", "IMG-146"} {
					broken := slices.ContainsFunc(c.all(), func(e *RuleError) bool { return e.Rule == r })
					if broken != (r == x.rule && !right) {
						t.Errorf("%v as %s: %s broken %v", x.t, fmt.Sprintf("Dim %d Arrayed %v MS %v, single layer %v, input %v", dim, c.in.Arrayed, c.in.MS, c.on.SingleLayer, c.on.Input), r, broken)
					}
				}
			}
		}
	}
}

// §5.6, shapes.
func TestValidate_EachPartOfShapes(t *testing.T) {
	rules.Covers(t, "IMG-147", "IMG-148", "IMG-149", "IMG-150", "IMG-151", "IMG-152", "IMG-153", "IMG-154", "IMG-155", "IMG-156", "IMG-157", "IMG-158")
	single := func(c *checked) { c.on.SingleLayer = true }
	layers := func(n int) use { return func(c *checked) { c.im.ArrayLayers, c.v.Layers = n, n } }
	flat := func(c *checked) { c.in.Arrayed = false }
	multi := func(ms bool, samples int) use { return func(c *checked) { c.in.MS, c.im.Samples = ms, samples } }
	view := func(base, levels, layer, count int) use {
		return func(c *checked) { c.v.BaseLevel, c.v.Levels, c.v.BaseLayer, c.v.Layers = base, levels, layer, count }
	}
	noSampler := func(c *checked) { c.s = nil }
	corner := func(c *checked) { c.im.Flags |= vk.ImageCreateCornerSampledBitNV }
	mode := func(i int) use {
		return func(c *checked) {
			*[]*vk.SamplerAddressMode{&c.s.AddressModeU, &c.s.AddressModeV, &c.s.AddressModeW}[i] = repeat
		}
	}
	wide := func(w, h, d uint32) use { return func(c *checked) { c.im.Extent = extent(w, h, d); c.relayout() } }
	swizzle := func(c *checked) { c.v.Components = swapped }
	foot := func(c *checked) { c.in.Footprint, c.in.Granularity = true, 1 }
	lod := func(f float32) use { return func(c *checked) { c.v.MinLod = f } }
	volume := shaped(vk.ImageViewType3D)
	check(t, []parts{
		{rule: "IMG-147", base: all(shaped(vk.ImageViewType2DArray), single, flat, layers(2)),
			ok:  []use{layers(1), func(c *checked) { c.in.Arrayed = true }, func(c *checked) { c.on.SingleLayer = false }, func(c *checked) { c.v.Type = vk.ImageViewTypeCubeArray }},
			bad: []use{nothing, all(shaped(vk.ImageViewType1DArray), flat)}},
		{rule: "IMG-148", ok: []use{nothing, multi(true, 4), multi(false, 4)}, bad: []use{multi(true, 1)}},
		{rule: "IMG-149", ok: []use{nothing, multi(true, 4), multi(true, 1)}, bad: []use{multi(false, 4), multi(false, 2)}},
		{rule: "IMG-150", base: shaped(vk.ImageViewTypeCube), ok: []use{nothing, all(shaped(vk.ImageViewType2DArray), wide(8, 4, 1))}, bad: []use{layers(12), layers(5), wide(8, 4, 1), wide(4, 8, 1)}},
		{rule: "IMG-150", base: shaped(vk.ImageViewTypeCubeArray), ok: []use{nothing, layers(12)}, bad: []use{layers(7), wide(8, 4, 1)}},
		{rule: "IMG-151", base: swizzle,
			ok: []use{nothing, func(c *checked) { c.v.Components, c.on.Storage = vk.ComponentMapping{}, true }}, bad: []use{func(c *checked) { c.on.Storage = true }, func(c *checked) { c.on.Input = true }, withConversion}},
		{rule: "IMG-152", base: noSampler,
			ok:  []use{kind(ir.ImageFetch), kind(ir.ImageRead), kind(ir.ImageQuerySize)},
			bad: []use{nothing, kind(ir.ImageGather), kind(ir.ImageQueryLod), kind(ir.ImageWeighted), kind(ir.ImageBoxFilter), kind(ir.ImageBlockMatch)}},
		{rule: "IMG-152", base: sized(3, 4),
			ok:  []use{nothing, view(1, 2, 1, 3), view(2, 1, 3, 1)},
			bad: []use{view(-1, 1, 0, 1), view(0, 1, -1, 1), view(1, 3, 0, 1), view(3, 1, 0, 1), view(0, 1, 4, 1), view(0, 1, 1, 4)}},
		{rule: "IMG-152", base: all(volume, func(c *checked) {
			c.im.MipLevels, c.v.Type, c.in.Dim = 3, vk.ImageViewType2DArray, ir.Dim2D
			c.relayout()
		}),
			ok: []use{view(0, 1, 0, 8), view(1, 1, 0, 4), view(2, 1, 1, 1)}, bad: []use{view(0, 1, 0, 9), view(1, 1, 0, 5), view(2, 1, 2, 1)}},
		{rule: "IMG-153", base: corner, ok: []use{nothing, mode(2), all(mode(0), func(c *checked) { c.im.Flags = 0 })}, bad: []use{mode(0), mode(1), all(volume, mode(2))}},
		{rule: "IMG-154", base: corner,
			ok: []use{nothing, wide(2, 2, 1), volume, all(wide(1, 1, 1), func(c *checked) { c.im.Flags = 0 })},
			bad: []use{wide(1, 8, 1), wide(8, 1, 1), all(volume, wide(8, 8, 1)), func(c *checked) { c.im.Type = vk.ImageType1D }, func(c *checked) { c.im.Flags |= vk.ImageCreateCubeCompatibleBit },
				all(formatOf(vk.FormatD32Sfloat), corner)}},
		{rule: "IMG-155", base: foot, ok: []use{nothing, mode(2), all(volume, mode(0)), all(mode(0), func(c *checked) { c.in.Footprint = false }), all(mode(0), noSampler)}, bad: []use{mode(0), mode(1)}},
		{rule: "IMG-156", base: all(volume, foot),
			ok: []use{nothing, all(mode(0), func(c *checked) { c.in.Footprint = false }), all(mode(0), noSampler), all(shaped(vk.ImageViewType2D), mode(2))}, bad: []use{mode(0), mode(1), mode(2)}},
		{rule: "IMG-157", base: foot,
			ok:  []use{nothing, volume, all(shaped(vk.ImageViewTypeCube), func(c *checked) { c.in.Footprint = false })},
			bad: []use{shaped(vk.ImageViewType1D), shaped(vk.ImageViewTypeCube), func(c *checked) { c.in.Arrayed = true }, func(c *checked) { c.in.MS = true }, func(c *checked) { c.in.Granularity = 99 }}},
		{rule: "IMG-158", base: all(sized(4, 1), view(1, 2, 0, 1)),
			ok:  []use{lod(0), lod(1.5), lod(2), func(c *checked) { c.f.NoMinLod = true }},
			bad: []use{lod(2.125), all(lod(0.5), func(c *checked) { c.f.NoMinLod = true })}},
	})
}

// §5.7, conversions.
func TestValidate_EachPartOfConversions(t *testing.T) {
	rules.Covers(t, "IMG-160", "IMG-161", "IMG-162", "IMG-163", "IMG-164", "IMG-165", "IMG-166", "IMG-167")
	plain := func(c *checked) { c.s.Ycbcr, c.on.ViewConversion = nil, nil }
	filters := func(low, high vk.Filter) use { return func(c *checked) { c.s.MinFilter, c.s.MagFilter = low, high } }
	check(t, []parts{
		{rule: "IMG-160", base: withConversion,
			ok:  []use{nothing, kind(ir.ImageQueryLod), kind(ir.ImageQuerySize), kind(ir.ImageQueryLevels), kind(ir.ImageFetch), kind(ir.ImageGather), all(kind(ir.ImageRead), plain)},
			bad: []use{kind(ir.ImageRead), kind(ir.ImageWrite), kind(ir.ImageAtomic), kind(ir.ImageQuerySamples), kind(ir.ImageBoxFilter), func(c *checked) { c.in.Footprint = true }, func(c *checked) { c.in.Dref = true }}},
		{rule: "IMG-161", base: withConversion, ok: []use{nothing, all(kind(ir.ImageFetch), plain)}, bad: []use{kind(ir.ImageFetch)}},
		{rule: "IMG-162", base: withConversion, ok: []use{nothing, all(kind(ir.ImageGather), plain)}, bad: []use{kind(ir.ImageGather)}},
		{rule: "IMG-163", base: withConversion,
			ok:  []use{nothing, all(plain, func(c *checked) { c.in.Operands.Offset = true })},
			bad: []use{func(c *checked) { c.in.Operands.Offset = true }, func(c *checked) { c.in.Operands.ConstOffset = true }}},
		{rule: "IMG-164", base: withConversion,
			ok: []use{nothing, plain, func(c *checked) { y := *c.s.Ycbcr; c.s.Ycbcr = &y }, func(c *checked) { c.s = nil }, all(kind(ir.ImageFetch), func(c *checked) { c.s.Ycbcr = nil })},
			bad: []use{func(c *checked) { c.s.Ycbcr = nil }, func(c *checked) { c.on.ViewConversion = nil },
				func(c *checked) { y := *c.s.Ycbcr; y.ChromaFilter = linear; c.s.Ycbcr = &y }}},
		{rule: "IMG-165", base: withConversion,
			ok: []use{nothing, all(plain, func(c *checked) { c.s.AddressModeU = repeat })},
			bad: []use{func(c *checked) { c.s.AddressModeU = repeat }, func(c *checked) { c.s.AddressModeV = border }, func(c *checked) { c.s.AddressModeW = repeat },
				func(c *checked) { c.s.AnisotropyEnable = true }, func(c *checked) { c.s.UnnormalizedCoordinates = true }, func(c *checked) { c.s.Reduction = largest }}},
		{rule: "IMG-166", base: all(withConversion, func(c *checked) { c.f.NoSeparateReconstruction = true }),
			ok:  []use{nothing, all(filters(linear, linear), func(c *checked) { c.s.Ycbcr.ChromaFilter = linear }), all(filters(linear, linear), func(c *checked) { c.f.NoSeparateReconstruction = false }), all(filters(linear, linear), plain)},
			bad: []use{filters(linear, nearest), filters(nearest, linear)}},
		{rule: "IMG-167", base: withConversion, ok: []use{nothing}, bad: []use{func(c *checked) { c.s.Ycbcr.Components.G = vk.ComponentSwizzleR }}},
	})
}

// §5.8, operands and samplers.
func TestValidate_EachPartOfOperands(t *testing.T) {
	rules.Covers(t, "IMG-170", "IMG-171", "IMG-172", "IMG-173", "IMG-174", "IMG-175", "IMG-176", "IMG-177", "IMG-178", "IMG-179")
	op := func(f func(o *Operands)) use { return func(c *checked) { f(&c.in.Operands) } }
	offsets := func(x ...int) use { return op(func(o *Operands) { o.ConstOffset, o.Offsets = true, x }) }
	constant, dynamic, four := op(func(o *Operands) { o.ConstOffset = true }), op(func(o *Operands) { o.Offset = true }), op(func(o *Operands) { o.ConstOffsets = true })
	bias, lod, grad, minLod := op(func(o *Operands) { o.Bias = true }), op(func(o *Operands) { o.Lod = true }), op(func(o *Operands) { o.Grad = true }), op(func(o *Operands) { o.MinLod = true })
	sample := op(func(o *Operands) { o.Sample = true })
	cube := shaped(vk.ImageViewTypeCube)
	explicit, fetch, gather := kind(ir.ImageSample), kind(ir.ImageFetch), kind(ir.ImageGather)
	ms := func(c *checked) { c.in.MS, c.im.Samples = true, 4 }
	component := func(n int) use { return func(c *checked) { c.in.Component = n } }
	reserved := func(c *checked) { c.in.Reserved = true }
	smp := func(f func(s *resource.Sampler)) use { return func(c *checked) { f(c.s) } }
	biasOf := func(b float32) use { return smp(func(s *resource.Sampler) { s.MipLodBias = b }) }
	lods := func(low, high float32) use {
		return smp(func(s *resource.Sampler) { s.MinLod, s.MaxLod = low, high })
	}
	aniso := func(x float32) use {
		return smp(func(s *resource.Sampler) { s.AnisotropyEnable, s.MaxAnisotropy = true, x })
	}
	cubic := func(low, high vk.Filter) use {
		return smp(func(s *resource.Sampler) { s.MinFilter, s.MagFilter = low, high })
	}
	mirror := func(i int) use {
		return func(c *checked) {
			*[]*vk.SamplerAddressMode{&c.s.AddressModeU, &c.s.AddressModeV, &c.s.AddressModeW}[i] = mirrorK
		}
	}
	seams := smp(func(s *resource.Sampler) { s.NonSeamless = true })
	feature := func(f func(f *Features)) use { return func(c *checked) { f(&c.f) } }
	noMirror, noSeams := feature(func(f *Features) { f.NoMirrorClampToEdge = true }), feature(func(f *Features) { f.NoNonSeamless = true })
	noMinmax, noMapping := feature(func(f *Features) { f.NoSamplerFilterMinmax = true }), feature(func(f *Features) { f.NoMinmaxMapping = true })
	reduce := func(m vk.SamplerReductionMode) use { return smp(func(s *resource.Sampler) { s.Reduction = m }) }
	const clamped = vk.SamplerReductionModeWeightedAverageRangeclampQCOM
	swizzle := func(c *checked) { c.v.Components = swapped }
	noStorage := func(c *checked) { c.im.Usage = vk.ImageUsageSampledBit }
	texel := func(f string, n int) use { return func(c *checked) { c.in.Format, c.in.Texel = f, n } }
	storage := func(c *checked) { c.in.Sampled = 2 }
	check(t, []parts{
		{rule: "IMG-170",
			ok: []use{nothing, offsets(-8, 7), constant, dynamic, all(gather, offsets(-32, 31)), all(gather, four), all(cube, nothing)},
			bad: []use{offsets(-9), offsets(0, 8), all(gather, offsets(-33)), all(gather, offsets(0, 32)), all(constant, dynamic), all(gather, constant, four), all(gather, dynamic, four),
				all(cube, constant), all(cube, dynamic), all(cube, gather, four), four}},
		{rule: "IMG-170", base: feature(func(f *Features) { f.MinOffset, f.MaxOffset, f.MinGather, f.MaxGather = -2, 2, -3, 3 }),
			ok: []use{offsets(-2, 2), all(gather, offsets(-3, 3))}, bad: []use{offsets(-3), offsets(3), all(gather, offsets(-4)), all(gather, offsets(4))}},
		{rule: "IMG-171", ok: []use{func(c *checked) { c.in.Proj = true }, cube, shaped(vk.ImageViewType2DArray)},
			bad: []use{all(cube, func(c *checked) { c.in.Proj = true }), all(shaped(vk.ImageViewType2DArray), func(c *checked) { c.in.Proj = true })}},
		{rule: "IMG-172",
			ok: []use{nothing, bias, minLod, all(bias, minLod), all(explicit, lod), all(explicit, grad), all(explicit, grad, minLod), all(fetch, lod), fetch, gather, all(ms, fetch)},
			bad: []use{lod, grad, explicit, all(explicit, lod, grad), all(explicit, lod, bias), all(explicit, grad, bias), all(explicit, lod, minLod), all(fetch, bias), all(fetch, minLod), all(gather, bias),
				all(ms, fetch, lod), all(ms, fetch, grad), all(ms, bias), all(ms, minLod), all(gather, minLod, grad)}},
		{rule: "IMG-173",
			ok:  []use{nothing, sample, ms, fetch, all(ms, fetch, sample), all(ms, kind(ir.ImageRead), sample), all(ms, kind(ir.ImageWrite), sample), all(ms, kind(ir.ImageAtomic))},
			bad: []use{all(ms, fetch), all(ms, kind(ir.ImageRead)), all(ms, kind(ir.ImageWrite)), all(fetch, sample), all(kind(ir.ImageRead), sample), all(kind(ir.ImageWrite), sample)}},
		{rule: "IMG-174",
			ok:  []use{nothing, gather, all(gather, component(3)), all(gather, cube), component(7), cube, fetch, all(fetch, shaped(vk.ImageViewType3D)), all(fetch, ms), all(reserved, func(c *checked) { c.in.AllowSpecial = true })},
			bad: []use{all(gather, component(-1)), all(gather, component(4)), all(gather, shaped(vk.ImageViewType3D)), all(gather, shaped(vk.ImageViewType1D)), all(fetch, cube), ms, all(gather, ms), reserved}},
		{rule: "IMG-175",
			ok: []use{nothing, biasOf(16), biasOf(-16), lods(1, 1), lods(-1, 5), aniso(1), aniso(16), cubic(vk.FilterCubicEXT, vk.FilterCubicEXT), mirror(0), all(noMirror, mirror(2)), noMirror, seams, noSeams,
				all(fetch, biasOf(99), noSeams, seams)},
			bad: []use{biasOf(16.5), biasOf(-16.5), biasOf(nan), lods(1, 0.5), lods(nan, 1), lods(0, nan), aniso(0.5), aniso(16.5), aniso(nan), all(aniso(2), cubic(vk.FilterCubicEXT, linear)), all(aniso(2), cubic(linear, vk.FilterCubicEXT)),
				all(noMirror, mirror(0)), all(noMirror, mirror(1)), all(shaped(vk.ImageViewType3D), noMirror, mirror(2)), all(noSeams, seams)}},
		{rule: "IMG-175", base: feature(func(f *Features) { f.MaxBias, f.MaxAniso = 2, 4 }), ok: []use{biasOf(2), aniso(4)}, bad: []use{biasOf(2.5), biasOf(-2.5), aniso(4.5)}},
		{rule: "IMG-176",
			ok: []use{nothing, noMinmax, all(noMapping, swizzle), all(noMapping, reduce(smallest)), all(reduce(largest), swizzle), all(noMapping, swizzle, reduce(clamped)), all(fetch, noMinmax, reduce(largest)),
				all(noMapping, reduce(smallest), func(c *checked) { c.v.Components.G = vk.ComponentSwizzleR })},
			bad: []use{all(noMinmax, reduce(smallest)), all(noMinmax, reduce(largest)), all(noMinmax, reduce(clamped)), all(noMapping, swizzle, reduce(smallest)), all(noMapping, swizzle, reduce(largest))}},
		{rule: "IMG-177", base: func(c *checked) { c.in.Stage = false }, ok: []use{all(explicit, lod), gather, fetch, func(c *checked) { c.in.Stage = true }, all(gather, func(c *checked) { c.in.Implicit = true })},
			bad: []use{nothing, kind(ir.ImageQueryLod)}},
		{rule: "IMG-178", base: noStorage,
			ok:  []use{nothing, fetch, kind(ir.ImageQuerySize), all(kind(ir.ImageRead), func(c *checked) { c.on.Input = true }), all(kind(ir.ImageRead), func(c *checked) { c.im.Usage |= vk.ImageUsageStorageBit })},
			bad: []use{kind(ir.ImageRead), kind(ir.ImageWrite), all(formatOf(vk.FormatR32Uint), kind(ir.ImageAtomic))}},
		{rule: "IMG-178", base: kind(ir.ImageAtomic),
			ok:  []use{formatOf(vk.FormatR32Uint), formatOf(vk.FormatR32Sint), formatOf(vk.FormatR32Sfloat), formatOf(vk.FormatR64Uint), formatOf(vk.FormatR64Sint)},
			bad: []use{formatOf(vk.FormatR8G8B8A8Uint), formatOf(vk.FormatR32G32Uint), formatOf(vk.FormatR16Uint), formatOf(vk.FormatR16Sfloat), formatOf(vk.FormatR16Unorm), formatOf(vk.FormatR64Sfloat)}},
		{rule: "IMG-178", base: kind(ir.ImageWrite),
			ok: []use{nothing, texel("Rgba8", 4), texel("", 4), all(formatOf(vk.FormatR8Unorm), texel("R8", 1)), all(formatOf(vk.FormatR8Unorm), texel("", 1)), all(formatOf(vk.FormatA8Unorm), texel("", 4)),
				all(texel("Rgba8", 3), kind(ir.ImageRead))},
			bad: []use{texel("Rgba8", 3), texel("", 3), all(formatOf(vk.FormatA8Unorm), texel("", 3)), formatOf(vk.FormatBc7UnormBlock), formatOf(y420)}},
		{rule: "IMG-179", base: kind(ir.ImageQuerySize),
			ok:  []use{lod, storage, all(ms, nothing), all(storage, ms), all(kind(ir.ImageQueryLod)), all(kind(ir.ImageQueryLevels)), all(kind(ir.ImageQuerySamples), ms), all(kind(ir.ImageFetch)), all(kind(ir.ImageFetch), ms, lod)},
			bad: []use{nothing, all(storage, lod), all(ms, lod), all(storage, kind(ir.ImageQueryLod)), all(storage, kind(ir.ImageQueryLevels)), kind(ir.ImageQuerySamples)}},
	})
}

// §5.9, image processing.
func TestValidate_EachPartOfProcessing(t *testing.T) {
	rules.Covers(t, "IMG-180", "IMG-181", "IMG-182", "IMG-183", "IMG-184", "IMG-185", "IMG-186", "IMG-187", "IMG-188", "IMG-189", "IMG-190")
	box := func(c *checked) { c.processing(ir.ImageBoxFilter) }
	match := func(c *checked) { c.processing(ir.ImageBlockMatch) }
	smp := func(f func(s *resource.Sampler)) use { return func(c *checked) { f(c.s) } }
	ordinary := smp(func(s *resource.Sampler) { s.ImageProcessing = false })
	state := []use{ // that no sampler of image processing has
		smp(func(s *resource.Sampler) { s.MinFilter = linear }), smp(func(s *resource.Sampler) { s.MagFilter = linear }), smp(func(s *resource.Sampler) { s.MipmapMode = vk.SamplerMipmapModeLinear }),
		smp(func(s *resource.Sampler) { s.MinLod = 1 }), smp(func(s *resource.Sampler) { s.MaxLod = 1 }), smp(func(s *resource.Sampler) { s.AddressModeU = repeat }), smp(func(s *resource.Sampler) { s.AddressModeV = repeat }),
		smp(func(s *resource.Sampler) { s.AnisotropyEnable = true }), smp(func(s *resource.Sampler) { s.CompareEnable = true }),
	}
	borderU, borderV := smp(func(s *resource.Sampler) { s.AddressModeU = border }), smp(func(s *resource.Sampler) { s.AddressModeV = border })
	black := smp(func(s *resource.Sampler) { s.BorderColor = opaque })
	weights := func(w resource.WeightImage) use { return func(c *checked) { c.weights(w) } }
	second := func(f func(v *resource.ImageView)) use { return func(c *checked) { f(c.on.Second) } }
	line := second(func(v *resource.ImageView) { v.Type, v.Layers = vk.ImageViewType1DArray, 2 })
	layers := func(n int) use { return second(func(v *resource.ImageView) { v.Layers = n }) }
	otherImage := func(f func(im *resource.Image)) use {
		return second(func(v *resource.ImageView) { im := *v.Image; f(&im); v.Image = &im })
	}
	w := func(cx, cy, width, height, phases int) resource.WeightImage {
		return resource.WeightImage{CenterX: cx, CenterY: cy, Width: width, Height: height, Phases: phases}
	}
	small := func(c *checked) { c.f.MaxWeightDimension, c.f.MaxPhase = 4, 4 }
	copySecond := func(c *checked) { v := *c.v; c.on.Second = &v }
	reference := func(f func(v *resource.ImageView)) use { return all(match, copySecond, second(f)) }
	block := func(width, height int) use { return func(c *checked) { c.in.BlockW, c.in.BlockH = width, height } }
	ref := func(x, y int) use { return func(c *checked) { c.in.RefX, c.in.RefY = x, y } }
	boxOf := func(width, height float32) use { return func(c *checked) { c.in.BoxW, c.in.BoxH = width, height } }
	extended := func(c *checked) { c.f.NoBlockMatchExtendedClamp = false }
	searching := func(m ir.MatchForm) use {
		return all(formatOf(vk.FormatR8Unorm), match, borderU, borderV, func(c *checked) { c.in.Match = m })
	}
	window := func(width, height int) use {
		return smp(func(s *resource.Sampler) { s.Window = resource.BlockMatchWindow{Width: width, Height: height} })
	}
	edges := smp(func(s *resource.Sampler) { s.AddressModeU, s.AddressModeV = edge, edge })
	putWeight := func(layer, x, y int, b byte) use {
		return func(c *checked) {
			l := c.on.Second.Level(0, layer)
			l.Data[l.Offset(x, y, 0, 0)] = b
		}
	}
	reduce := func(m vk.SamplerReductionMode) use { return smp(func(s *resource.Sampler) { s.Reduction = m }) }
	asQuery := func(c *checked) { c.in.Kind = ir.ImageQueryLod }
	check(t, []parts{
		{rule: "IMG-180", base: box, ok: []use{nothing, borderU, borderV, black, all(state[0], ordinary)}, bad: append([]use{all(borderU, black), all(borderV, black)}, state...)},
		{rule: "IMG-181", ok: []use{nothing, box, all(box, asQuery), asQuery, func(c *checked) { c.in.GatherQCOM, c.in.Kind = true, ir.ImageGather },
			func(c *checked) { c.in.GatherQCOM, c.in.Kind, c.s.ImageProcessing = true, ir.ImageGather, true }, all(kind(ir.ImageFetch), func(c *checked) { c.s.ImageProcessing = true })},
			bad: []use{func(c *checked) { c.s.ImageProcessing = true }, all(box, ordinary)}},
		{rule: "IMG-182", base: small,
			ok: []use{weights(w(0, 0, 1, 1, 1)), weights(w(3, 3, 4, 4, 1)), all(weights(w(0, 0, 1, 1, 4)), layers(4)), all(weights(w(0, 0, 1, 1, 4)), layers(5)), all(weights(w(0, 0, 1, 1, 4)), line),
				all(weights(w(0, 0, 0, 0, 0)), func(c *checked) { c.on.Second = nil }), all(weights(w(0, 0, 0, 0, 0)), kind(ir.ImageBoxFilter))},
			bad: []use{weights(w(0, 0, 0, 1, 1)), weights(w(0, 0, 1, 0, 1)), weights(w(0, 0, 5, 1, 1)), weights(w(0, 0, 1, 5, 1)), weights(w(-1, 0, 1, 1, 1)), weights(w(0, -1, 1, 1, 1)), weights(w(1, 0, 1, 1, 1)),
				weights(w(0, 1, 1, 1, 1)), weights(w(0, 0, 1, 1, 0)), weights(w(0, 0, 1, 1, 2)), all(weights(w(0, 0, 1, 1, 16)), layers(16)), all(weights(w(0, 0, 1, 1, 4)), layers(3)),
				all(weights(w(0, 0, 1, 1, 1)), line, layers(1)), all(weights(w(0, 0, 1, 1, 1)), line, layers(3)), all(weights(w(0, 0, 1, 1, 1)), second(func(v *resource.ImageView) { v.Levels = 2 })),
				all(weights(w(0, 0, 1, 1, 1)), second(func(v *resource.ImageView) { v.Components = swapped })), all(weights(w(0, 0, 1, 1, 1)), second(func(v *resource.ImageView) { v.Type = vk.ImageViewType2D })),
				all(weights(w(0, 0, 1, 1, 1)), otherImage(func(im *resource.Image) { im.Samples = 4 })), all(weights(w(0, 0, 1, 1, 1)), otherImage(func(im *resource.Image) { im.Usage &^= vk.ImageUsageSampleWeightBitQCOM }))}},
		{rule: "IMG-182", ok: []use{weights(w(0, 0, 64, 64, 1))}, bad: []use{weights(w(0, 0, 65, 1, 1))}}, // the limits without any given
		{rule: "IMG-183",
			ok:  []use{weights(w(0, 0, 8, 8, 1)), all(weights(w(0, 0, 5, 8, 1)), line), all(weights(w(0, 0, 1, 1, 2)), line), all(weights(w(0, 0, 9, 9, 1)), kind(ir.ImageBoxFilter)), weights(w(0, 0, 8, 8, 4))},
			bad: []use{weights(w(0, 0, 9, 8, 1)), weights(w(0, 0, 8, 9, 1)), all(weights(w(0, 0, 5, 9, 1)), line), all(weights(w(0, 0, 9, 1, 1)), line), all(weights(w(0, 0, 5, 1, 2)), line), all(weights(w(0, 0, 1, 1, 4)), line)}},
		{rule: "IMG-184", base: all(sized(1, 2), weights(w(0, 0, 1, 1, 1)), reduce(smallest)),
			ok:  []use{nothing, putWeight(0, 7, 7, 255), all(putWeight(0, 0, 0, 9), reduce(vk.SamplerReductionModeWeightedAverage)), all(putWeight(0, 0, 0, 9), kind(ir.ImageBoxFilter)), all(putWeight(1, 0, 0, 9), layers(1))},
			bad: []use{putWeight(0, 0, 0, 9), putWeight(0, 7, 7, 254), putWeight(1, 7, 7, 9), all(putWeight(0, 0, 0, 9), reduce(largest))}},
		{rule: "IMG-185", base: box, ok: []use{boxOf(1, 1), boxOf(64, 64), all(match, boxOf(0, 0))}, bad: []use{boxOf(0.5, 1), boxOf(1, 0.5), boxOf(64.5, 1), boxOf(1, 64.5), boxOf(nan, 1), boxOf(1, nan)}},
		{rule: "IMG-185", base: all(box, func(c *checked) { c.f.MaxBox = 2 }), ok: []use{boxOf(2, 2)}, bad: []use{boxOf(2.5, 2)}},
		{rule: "IMG-186", base: match,
			ok: []use{nothing, func(c *checked) { c.on.SecondSampler = nil }, func(c *checked) { s := *c.s; c.on.SecondSampler = &s }, func(c *checked) { c.on.Second = nil }, block(64, 64), all(borderU, borderV),
				all(box, func(c *checked) { c.s.UnnormalizedCoordinates = false })},
			bad: append([]use{smp(func(s *resource.Sampler) { s.UnnormalizedCoordinates = false }), func(c *checked) { s := *c.s; s.MaxLod = 1; c.on.SecondSampler = &s }, block(65, 1), block(1, 65),
				func(c *checked) { c.v.Type = vk.ImageViewType2DArray }, func(c *checked) { c.v.Levels = 2 }, func(c *checked) { c.v.Layers = 2 }, func(c *checked) { c.im.Samples = 4 },
				func(c *checked) { c.im.Usage &^= vk.ImageUsageSampleBlockMatchBitQCOM },
				reference(func(v *resource.ImageView) { v.Type = vk.ImageViewType2DArray }), reference(func(v *resource.ImageView) { v.Levels = 2 }), reference(func(v *resource.ImageView) { v.Layers = 2 })}, state...)},
		{rule: "IMG-187", base: match, ok: []use{nothing, block(1, 1), all(box, block(0, 0))}, bad: []use{block(0, 1), block(1, 0), block(-1, 1)}},
		{rule: "IMG-188", base: match,
			ok:  []use{ref(0, 0), ref(6, 6), all(extended, ref(7, 7)), all(ref(9, 9), func(c *checked) { c.on.Second = nil }), all(box, ref(9, 9))},
			bad: []use{ref(-1, 0), ref(0, -1), ref(7, 0), ref(0, 7), all(extended, borderU, ref(7, 0)), all(extended, borderV, ref(7, 0))}},
		{rule: "IMG-189", base: searching(ir.MatchGather),
			ok:  []use{nothing, all(extended, edges), func(c *checked) { c.in.Match = ir.MatchPlain; c.s.AddressModeU = edge }, window(0, 0), window(99, 99)},
			bad: []use{edges, smp(func(s *resource.Sampler) { s.AddressModeU = edge }), smp(func(s *resource.Sampler) { s.AddressModeV = edge }), black, all(extended, smp(func(s *resource.Sampler) { s.AddressModeU = edge })), formatOf(vk.FormatR8G8Unorm)}},
		{rule: "IMG-189", base: searching(ir.MatchWindow), ok: []use{window(1, 1), window(64, 64)}, bad: []use{nothing, window(0, 1), window(1, 0), window(65, 1), window(1, 65), window(-1, 1)}},
		{rule: "IMG-190", ok: []use{nothing, box, all(box, func(c *checked) { c.in.Processing = true })}, bad: []use{func(c *checked) { c.in.Processing = true }}},
	})
}
