package fragops

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/vk"
)

// Vec4 is a colour: R, G, B, A.
type Vec4 [4]float32

// BlendState is the equation of one attachment.
type BlendState struct {
	SrcColor, DstColor vk.BlendFactor
	ColorOp            vk.BlendOp
	SrcAlpha, DstAlpha vk.BlendFactor
	AlphaOp            vk.BlendOp
	Constants          Vec4
	Advanced           AdvancedBlend // of advanced operations
	// Half is half a code of each component, as far as HARDMIX rounds its sum to codes
	// (HalfCodes).
	Half Vec4
	// Lo and Hi clamp the inputs (RAS-339): [0, 1], [-1, 1], or no clamp
	// where Lo > Hi.
	Lo, Hi float32
}

// check refuses factors and operations that blend does not know.
func (b *BlendState) check() error {
	if advancedOp(b.ColorOp) {
		if b.AlphaOp != b.ColorOp {
			return &StateError{What: "blend operations " + b.ColorOp.String() + " and " + b.AlphaOp.String(), Rule: "VUID-VkPipelineColorBlendAttachmentState-colorBlendOp-01406", Fix: "use the same advanced operation for colour and alpha"}
		}
		return nil // factors are ignored
	}
	for _, f := range [4]vk.BlendFactor{b.SrcColor, b.DstColor, b.SrcAlpha, b.DstAlpha} {
		if f < vk.BlendFactorZero || f > vk.BlendFactorOneMinusSrc1Alpha {
			return &StateError{What: "blend factor " + f.String(), Rule: "RAS-340", Fix: "use one of VkBlendFactor's values"}
		}
	}
	for _, op := range [2]vk.BlendOp{b.ColorOp, b.AlphaOp} {
		if op < vk.BlendOpAdd || op > vk.BlendOpMax {
			return &StateError{What: "blend operation " + op.String(), Rule: "RAS-341", Fix: "use one of VkBlendOp's values"}
		}
	}
	return nil
}

// DualSource says whether the second source is used.
func (b *BlendState) DualSource() bool {
	if advancedOp(b.ColorOp) {
		return false
	}
	for _, f := range [4]vk.BlendFactor{b.SrcColor, b.DstColor, b.SrcAlpha, b.DstAlpha} {
		if f >= vk.BlendFactorSrc1Color {
			return true
		}
	}
	return false
}

// clampTo limits v to [lo, hi]; NaN becomes lo's side of zero: 0.
func clampTo(v, lo, hi float32) float32 {
	switch {
	case v != v:
		return 0
	case v < lo:
		return lo
	case v > hi:
		return hi
	}
	return v
}

// Clamped applies RAS-339 to a colour.
func (b *BlendState) Clamped(v Vec4) Vec4 {
	if b.Lo > b.Hi {
		return v
	}
	for c := range v {
		v[c] = clampTo(v[c], b.Lo, b.Hi)
	}
	return v
}

// factor returns component c (3 = alpha) of a blend factor.
//
// RAS-340 framebuffer-blendfactors
func factor(f vk.BlendFactor, c int, s0, s1, d, k *Vec4) float32 {
	switch f {
	case vk.BlendFactorZero:
		return 0
	case vk.BlendFactorOne:
		return 1
	case vk.BlendFactorSrcColor:
		return s0[c]
	case vk.BlendFactorOneMinusSrcColor:
		return 1 - s0[c]
	case vk.BlendFactorDstColor:
		return d[c]
	case vk.BlendFactorOneMinusDstColor:
		return 1 - d[c]
	case vk.BlendFactorSrcAlpha:
		return s0[3]
	case vk.BlendFactorOneMinusSrcAlpha:
		return 1 - s0[3]
	case vk.BlendFactorDstAlpha:
		return d[3]
	case vk.BlendFactorOneMinusDstAlpha:
		return 1 - d[3]
	case vk.BlendFactorConstantColor:
		return k[c]
	case vk.BlendFactorOneMinusConstantColor:
		return 1 - k[c]
	case vk.BlendFactorConstantAlpha:
		return k[3]
	case vk.BlendFactorOneMinusConstantAlpha:
		return 1 - k[3]
	case vk.BlendFactorSrcAlphaSaturate:
		if c == 3 {
			return 1
		}
		if v := 1 - d[3]; v < s0[3] {
			return v
		}
		return s0[3]
	case vk.BlendFactorSrc1Color:
		return s1[c]
	case vk.BlendFactorOneMinusSrc1Color:
		return 1 - s1[c]
	case vk.BlendFactorSrc1Alpha:
		return s1[3]
	case vk.BlendFactorOneMinusSrc1Alpha:
		return 1 - s1[3]
	default:
		return 0 // check has refused it
	}
}

// factors returns what component c of source and destination is multiplied with.
func (b *BlendState) factors(c int, s0, s1, d, k *Vec4) (source, destination float32) {
	src, dst := b.SrcColor, b.DstColor
	if c == 3 {
		src, dst = b.SrcAlpha, b.DstAlpha
	}
	return factor(src, c, s0, s1, d, k), factor(dst, c, s0, s1, d, k)
}

// blendOp combines one component: two products, each rounded to binary32, and
// one rounded sum.
//
// RAS-341 framebuffer-blendoperations
func blendOp(op vk.BlendOp, s, sf, d, df float32) float32 {
	switch op {
	case vk.BlendOpAdd:
		return float32(s*sf) + float32(d*df)
	case vk.BlendOpSubtract:
		return float32(s*sf) - float32(d*df)
	case vk.BlendOpReverseSubtract:
		return float32(d*df) - float32(s*sf)
	case vk.BlendOpMin:
		if s < d {
			return s
		}
		return d
	case vk.BlendOpMax:
		if s > d {
			return s
		}
		return d
	default:
		return s // check has refused it
	}
}

// Blend evaluates the equation for a source, a second source and a destination
// in linear space. NaNs come out canonical, since CPUs choose their sign and
// payload differently.
//
// RAS-337..342 framebuffer-blending
func (b *BlendState) Blend(s0, s1, d Vec4) Vec4 {
	s0, s1, d = b.Clamped(s0), b.Clamped(s1), b.Clamped(d)
	if advancedOp(b.ColorOp) {
		return b.advanced(s0, d)
	}
	k := b.Clamped(b.Constants)
	var out Vec4
	for c := range out {
		op := b.ColorOp
		if c == 3 {
			op = b.AlphaOp
		}
		sf, df := b.factors(c, &s0, &s1, &d, &k)
		v := blendOp(op, s0[c], sf, d[c], df)
		if v != v {
			v = math.Float32frombits(fp.CanonicalNaN)
		}
		out[c] = v
	}
	return out
}

// logicOp combines the codes of source and destination bit by bit.
//
// RAS-346 framebuffer-logicop
func logicOp(op vk.LogicOp, s, d byte) byte {
	switch op {
	case vk.LogicOpClear:
		return 0
	case vk.LogicOpAnd:
		return s & d
	case vk.LogicOpAndReverse:
		return s &^ d
	case vk.LogicOpCopy:
		return s
	case vk.LogicOpAndInverted:
		return d &^ s
	case vk.LogicOpNoOp:
		return d
	case vk.LogicOpXor:
		return s ^ d
	case vk.LogicOpOr:
		return s | d
	case vk.LogicOpNor:
		return ^(s | d)
	case vk.LogicOpEquivalent:
		return ^(s ^ d)
	case vk.LogicOpInvert:
		return ^d
	case vk.LogicOpOrReverse:
		return s | ^d
	case vk.LogicOpCopyInverted:
		return ^s
	case vk.LogicOpOrInverted:
		return ^s | d
	case vk.LogicOpNand:
		return ^(s & d)
	case vk.LogicOpSet:
		return 0xFF
	default:
		return s // NewColor has refused it
	}
}
