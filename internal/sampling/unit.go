package sampling

import (
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

const oneFloat = 0x3F800000

// canonicalNaN is the NaN that arithmetic gives where it becomes visible.
const canonicalNaN = 0x7FC00000

// swizzle is a component mapping with IDENTITY resolved (IMG-325).
type swizzle struct {
	from     [4]int8
	identity bool
	one      uint32
	// wide: the texel is two words of a number, which the components in held are; those in ones are one.
	wide       bool
	held, ones uint32
}

func makeSwizzle(op *ir.ImageOp, v *resource.ImageView) swizzle {
	w := swizzle{one: oneFloat}
	if v.Info.Class != format.ClassFloat {
		w.one = 1 // IMG-321
	}
	w.from = resource.SwizzleOf(v.Components)
	w.identity = w.from == [4]int8{0, 1, 2, 3}
	if op != nil && op.Wide {
		w.ofWords(op)
	}
	return w
}

// ofWords makes w the swizzle of a number of 64 bits, the red of a format without other components.
//
// IMG-259, IMG-320, IMG-321
func (w *swizzle) ofWords(op *ir.ImageOp) {
	const red, alpha = 0, 3
	for c, f := range w.from {
		switch f {
		case red:
			w.held |= 1 << c
		case alpha, resource.FromOne:
			w.ones |= 1 << c
		}
	}
	if w.wide = op.Kind != ir.ImageGather; w.wide {
		return
	}
	c := op.GatherComp & 3
	w.identity = false
	switch low := !op.High; {
	case w.held>>c&1 != 0 && low:
		w.from[c] = 0
	case w.held>>c&1 != 0:
		w.from[c] = 1
	case w.ones>>c&1 != 0 && low:
		w.from[c] = resource.FromOne
	default:
		w.from[c] = resource.FromZero
	}
}

// apply is IMG-325 textures-component-swizzle.
func (w *swizzle) apply(t format.Texel) format.Texel {
	if w.wide {
		return format.Texel{t[0], t[1], w.held, w.ones}
	}
	if w.identity {
		return t
	}
	var out format.Texel
	for c, f := range w.from {
		switch f {
		case resource.FromZero:
		case resource.FromOne:
			out[c] = w.one
		default:
			out[c] = t[f&3]
		}
	}
	return out
}

// sampled is what one sampled instruction takes from its operands' static part,
// view and sampler: made once a Run, never changed.
type sampled struct {
	a       *Args
	v       *resource.ImageView
	info    *format.Info
	lod     lodParams
	swizzle swizzle
	modes   [3]addressMode
	dims    int  // dimensions that filter: cubes have 2
	coords  int  // spatial components of the coordinate: cubes have 3
	layer   int  // index of the layer component, or −1
	layers  int  // layers, or cubes, that it selects from
	cube    bool // faces are selected
	seams   bool // and their edges joined
	mag     filter
	min     filter
	cubic   *cubicSet
	unnorm  bool
	corner  bool // VK_NV_corner_sampled_image
	compare bool
	refUnit bool // the reference is clamped to [0,1] (IMG-312)
	op      vk.CompareOp
	reduce  vk.SamplerReductionMode
	aniso   float64 // maxAnisotropy where anisotropic filtering is active, else 1
	border  format.Texel
	codeMax float64 // largest code of an integer-coded format, else 0
	lerps   bool    // texels are interpolated in binary32
	shares  bool    // with a product for each, as they may be infinite, no number, or −0
	base    [3]float64
	sampler *resource.Sampler // for traces
}

func makeSampled(a *Args, v *resource.ImageView, s *resource.Sampler) sampled {
	op := a.Op
	u := sampled{
		a: a, v: v, info: v.Info, lod: makeLodParams(v, s), swizzle: makeSwizzle(a.Op, v),
		modes:  [3]addressMode{addressMode(s.AddressModeU), addressMode(s.AddressModeV), addressMode(s.AddressModeW)},
		mag:    filterOf(s.MagFilter),
		min:    filterOf(s.MinFilter),
		cubic:  &cubicSets[s.CubicWeights],
		unnorm: s.UnnormalizedCoordinates, compare: op.Dref, op: s.CompareOp, reduce: s.Reduction,
		layer: -1, layers: v.Layers, aniso: 1, sampler: s,
	}
	switch op.Dim {
	case ir.Dim1D:
		u.dims, u.coords = 1, 1
	case ir.Dim3D:
		u.dims, u.coords = 3, 3
	case ir.DimCube:
		u.dims, u.coords = 2, 3
		u.cube, u.seams = true, !s.NonSeamless
		u.layers = v.Layers / 6
	default: // Dim2D; shapeFits lets no other through
		u.dims, u.coords = 2, 2
	}
	if op.Arrayed {
		u.layer = u.coords
	}
	if u.integers() && (!u.reduces() || u.mag == filterCubic || u.min == filterCubic) {
		u.mag, u.min = filterNearest, filterNearest // IMG-117: integers do not filter, but have a minimum and a maximum
	}
	// IMG-885
	if u.reduce == vk.SamplerReductionModeWeightedAverageRangeclampQCOM && u.mag != filterCubic && u.min != filterCubic {
		u.reduce = vk.SamplerReductionModeWeightedAverage // which is in range
	}

	u.refUnit = u.info.Numeric == format.NumericUnorm
	// IMG-560: the scheme is ours to choose. A minification filter of NEAREST
	// makes probes too (programs expect that whoever asks for anisotropy and
	// LINEAR magnification gets it), each of the nearest texel.
	if s.AnisotropyEnable && u.mag == filterLinear && u.dims > 1 {
		u.aniso = min(float64(s.MaxAnisotropy), resource.MaxSamplerAnisotropy)
	}
	w, h, d := v.Extent(0)
	u.base = [3]float64{float64(w), float64(h), float64(d)}
	if v.Image.Flags&vk.ImageCreateCornerSampledBitNV != 0 {
		u.corner = true
		for d := range u.base { // IMG-426
			u.base[d] = max(u.base[d]-1, 1)
		}
	}
	u.border = borderColor(u.info, s)
	if op.Wide && s.BorderColor < vk.BorderColorFloatCustomEXT { // a custom colour has both words of a number
		u.border[1] = 0
	}
	u.codeMax = u.codes(s)
	u.lerps = u.codeMax == 0 && u.weighs(s) && !u.integers()
	if slices.ContainsFunc(u.info.Components[:], isFloat) {
		u.shares = u.lerps && u.mag == filterLinear && u.min == filterLinear &&
			!slices.ContainsFunc(u.info.Components[:], isLong)
		u.lerps = u.shares
	}
	if t := a.Trace; t != nil {
		t.state(&u, s)
	}
	return u
}

// codes returns the largest code where filtering runs on integer codes, else 0:
// all components UNORM or SNORM of the same 8 or 16 bits, and a border, if one
// can be seen, that is a code too.
func (u *sampled) codes(s *resource.Sampler) float64 {
	if !u.weighs(s) {
		return 0
	}
	return float64(codeMax(u.info))
}

// weighs says that LINEAR filters weigh texels of the format, and at most a border of 0 and 1.
func (u *sampled) weighs(s *resource.Sampler) bool {
	if u.compare || u.reduce != vk.SamplerReductionModeWeightedAverage {
		return false
	}
	custom := s.BorderColor >= vk.BorderColorFloatCustomEXT
	return u.mag != filterCubic && u.min != filterCubic &&
		!(custom && slices.Contains(u.modes[:u.dims], modeClampToBorder))
}

// isFloat says that a component may be infinite, no number, or −0.
func isFloat(c format.Component) bool {
	return c.Numeric == format.NumericSfloat || c.Numeric == format.NumericUfloat
}

// isLong says that products of a component with weights of 8 bits are not exact in binary32.
func isLong(c format.Component) bool { return c.Bits > 16 }

// codeMax is the largest code of an integer-coded format, 0 for all others.
func codeMax(info *format.Info) int {
	bits := 0
	if info.Compressed || info.NeedsConversion() {
		return 0
	}
	for _, c := range info.Components {
		if c.Kind == format.KindNone {
			continue
		}
		if bits != 0 && c.Bits != bits || c.Bits != 8 && c.Bits != 16 || c.Numeric != info.Numeric {
			return 0
		}
		bits = c.Bits
	}
	switch info.Numeric {
	case format.NumericUnorm:
		return 1<<bits - 1
	case format.NumericSnorm:
		return 1<<(bits-1) - 1
	default:
		return 0
	}
}

// borderColor is IMG-290…293: the border texel, with missing components filled
// as in a texel of the format.
func borderColor(info *format.Info, s *resource.Sampler) format.Texel {
	b := s.CustomBorderColor
	if s.BorderColor != vk.BorderColorFloatCustomEXT && s.BorderColor != vk.BorderColorIntCustomEXT {
		b = standardBorder(info, s.BorderColor)
	}
	t := format.Texel{3: oneOf(info)}
	for c := range t {
		if info.Components[c].Kind != format.KindNone {
			t[c] = b[c]
		}
	}
	return t
}

// standardBorder is a border colour of IMG-290 that is no custom one: transparent black is what is no other.
func standardBorder(info *format.Info, color vk.BorderColor) (b format.Texel) {
	one := oneOf(info)
	switch color {
	case vk.BorderColorFloatOpaqueBlack, vk.BorderColorIntOpaqueBlack:
		b[3] = one
	case vk.BorderColorFloatOpaqueWhite, vk.BorderColorIntOpaqueWhite:
		b = format.Texel{one, one, one, one}
	}
	return b
}

// oneOf is 1 in the class of a format (IMG-321).
func oneOf(info *format.Info) uint32 {
	if info.Class != format.ClassFloat {
		return 1
	}
	return oneFloat
}

// reference is the depth reference of a lane.
func (u *sampled) reference(lane int) float32 {
	if !u.compare || u.a.Dref == nil {
		return 0
	}
	// IMG-312, IMG-314
	r := math.Float32frombits(u.dref(lane))
	if u.refUnit {
		r = min(max(r, 0), 1)
	}
	return r
}

// dref is the operand, 0 where there is none.
func (u *sampled) dref(lane int) uint32 {
	if u.a.Dref == nil {
		return 0
	}
	return u.a.Dref[lane]
}

// compareTexel replaces a texel by the result of its comparison (IMG-310).
func (u *sampled) compareTexel(t format.Texel, ref float32) format.Texel {
	if !u.compare {
		return t
	}
	c := format.Texel{3: oneFloat}
	if fp.Compare(u.op, ref, math.Float32frombits(t[0])) { // IMG-311
		c[0] = oneFloat
	}
	return c
}
