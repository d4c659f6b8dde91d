package render

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/render/tile"
	"github.com/pumice-gpu/pumice/vk"
)

// The scalar pass: what becomes of colours.

// write stores the colours of a pixel, sample by sample; whole is the coverage of
// all invocations of the pixel.
// RAS-332 – RAS-334, RAS-336 – RAS-349
func (d *drawing) write(x, y int32, mask, whole uint64, out *shaded) {
	for i := range d.scalar.s.pass.Color {
		a := &d.scalar.s.pass.Color[i]
		if a.View == nil || i >= len(out.color) || d.spec.outputs[i] == outNone || d.st.ColorWrite>>i&1 == 0 {
			continue
		}
		group := 1 // coverage samples of a colour sample
		if d.st.CoverageReduction == vk.CoverageReductionModeMergeNV {
			group = d.samples / a.View.Image.Samples
		}
		for k := range a.View.Image.Samples {
			part := whole >> (k * group) & (1<<group - 1)
			if part == 0 || mask>>(k*group+bits.TrailingZeros64(part))&1 == 0 {
				continue
			}
			scaled := *out
			if d.st.CoverageToColor && d.st.CoverageToColorLocation == uint32(i) { // RAS-331
				scaled.integer[i][0] = uint32(whole)
			}
			if m := d.st.CoverageModulation; d.st.CoverageReduction == vk.CoverageReductionModeMergeNV {
				r := float32(bits.OnesCount64(part)) / float32(group)
				for c := range 4 {
					if c < 3 && m&vk.CoverageModulationModeRgbNV != 0 || c == 3 && m&vk.CoverageModulationModeAlphaNV != 0 {
						scaled.color[i][c] = float32(scaled.color[i][c] * r)
						scaled.second[c] = float32(scaled.second[c] * r) // an output like the first
					}
				}
			}
			mem := plane(a.View, vk.ImageAspectColorBit, d.layer, x, y, k)[:a.View.Info.BlockBytes]
			copy(mem, d.texel(i, a.View.Info, mem, &scaled))
		}
	}
}

// texel is what a sample becomes.
func (d *drawing) texel(i int, info *format.Info, old []byte, out *shaded) []byte {
	st := &d.st.Blend[i]
	integer := info.Class != format.ClassFloat
	var src format.Texel
	for c := range src {
		src[c] = math.Float32bits(out.color[i][c])
		if integer {
			src[c] = out.integer[i][c]
		}
	}
	unlogical := info.Numeric == format.NumericSrgb
	switch info.Numeric {
	case format.NumericSfloat, format.NumericUfloat, format.NumericUscaled, format.NumericSscaled:
		unlogical = true
	}
	if st.BlendEnable && !d.st.LogicOpEnable && !integer {
		src = d.blended(i, info, src, info.Decode(old), out)
	}
	fresh := make([]byte, len(old))
	info.Encode(fresh, src)
	if d.st.LogicOpEnable && !unlogical {
		for n := range fresh { // RAS-346: bit 3-2s-d of the operation, but in its own order
			v := byte(0)
			for bit := range 8 {
				s, o := fresh[n]>>bit&1, old[n]>>bit&1
				if logicBit(d.st.LogicOp, s, o) {
					v |= 1 << bit
				}
			}
			fresh[n] = v
		}
	}
	// RAS-347: the bits of the components that are written.
	var keep [tile.MaxTexel]byte
	for n := range old {
		keep[n] = 0xff
	}
	for c, comp := range info.Components {
		if comp.Kind == format.KindNone || st.ColorWriteMask>>c&1 == 0 {
			continue
		}
		for bit := comp.Shift; bit < comp.Shift+comp.Bits; bit++ {
			keep[bit/8] &^= 1 << (bit % 8)
		}
	}
	for n := range fresh {
		fresh[n] = old[n]&keep[n] | fresh[n]&^keep[n]
	}
	return fresh
}

// logicBit is RAS-346: the operations' names spell their truth tables.
func logicBit(op vk.LogicOp, s, d byte) bool {
	a, b := s == 1, d == 1
	return [16]bool{
		false, a && b, a && !b, a, !a && b, b, a != b, a || b,
		!(a || b), a == b, !b, a || !b, !a, !a || b, !(a && b), true,
	}[op]
}

// blended is RAS-339 to RAS-341.
func (d *drawing) blended(i int, info *format.Info, src, dst format.Texel, out *shaded) (t format.Texel) {
	st := &d.st.Blend[i]
	lo, hi := float32(math.Inf(-1)), float32(math.Inf(1))
	switch info.Numeric {
	case format.NumericUnorm, format.NumericSrgb:
		lo, hi = 0, 1
	case format.NumericSnorm:
		lo, hi = -1, 1
	}
	load := func(v [4]float32) fragops.Vec4 {
		for c := range v {
			v[c] = min(max(v[c], lo), hi)
		}
		return v
	}
	floats := func(x format.Texel) (v [4]float32) {
		for c := range v {
			v[c] = math.Float32frombits(x[c])
		}
		return v
	}
	s, o, k, s1 := load(floats(src)), load(floats(dst)), load(d.st.BlendConstants), load(out.second)
	if !d.spec.dual {
		s1 = fragops.Vec4{}
	}
	if st.ColorBlendOp >= vk.BlendOpZeroEXT { // the oracle of package fragops holds these
		b := fragops.BlendState{ColorOp: st.ColorBlendOp, AlphaOp: st.AlphaBlendOp, Advanced: d.st.Advanced[i], Half: fragops.HalfCodes(info), Lo: 1}
		for c, v := range b.Blend(s, s1, o) {
			t[c] = math.Float32bits(v)
		}
		return t
	}
	for c := range t {
		sf, df, op := st.SrcColorBlendFactor, st.DstColorBlendFactor, st.ColorBlendOp
		if c == 3 {
			sf, df, op = st.SrcAlphaBlendFactor, st.DstAlphaBlendFactor, st.AlphaBlendOp
		}
		p, q := float32(s[c]*scalarFactor(sf, c, s, s1, o, k)), float32(o[c]*scalarFactor(df, c, s, s1, o, k))
		var v float32
		switch op {
		case vk.BlendOpAdd:
			v = p + q
		case vk.BlendOpSubtract:
			v = p - q
		case vk.BlendOpReverseSubtract:
			v = q - p
		case vk.BlendOpMin:
			v = min(s[c], o[c])
		default:
			v = max(s[c], o[c])
		}
		t[c] = math.Float32bits(v)
		if v != v {
			t[c] = fp.CanonicalNaN
		}
	}
	return t
}

// scalarFactor is RAS-340.
func scalarFactor(f vk.BlendFactor, c int, s, s1, d, k fragops.Vec4) float32 {
	plain := func(v float32, inverse vk.BlendFactor) float32 {
		if f == inverse {
			return 1 - v
		}
		return v
	}
	switch f {
	case vk.BlendFactorOne:
		return 1
	case vk.BlendFactorSrcColor, vk.BlendFactorOneMinusSrcColor:
		return plain(s[c], vk.BlendFactorOneMinusSrcColor)
	case vk.BlendFactorDstColor, vk.BlendFactorOneMinusDstColor:
		return plain(d[c], vk.BlendFactorOneMinusDstColor)
	case vk.BlendFactorSrcAlpha, vk.BlendFactorOneMinusSrcAlpha:
		return plain(s[3], vk.BlendFactorOneMinusSrcAlpha)
	case vk.BlendFactorDstAlpha, vk.BlendFactorOneMinusDstAlpha:
		return plain(d[3], vk.BlendFactorOneMinusDstAlpha)
	case vk.BlendFactorConstantColor, vk.BlendFactorOneMinusConstantColor:
		return plain(k[c], vk.BlendFactorOneMinusConstantColor)
	case vk.BlendFactorConstantAlpha, vk.BlendFactorOneMinusConstantAlpha:
		return plain(k[3], vk.BlendFactorOneMinusConstantAlpha)
	case vk.BlendFactorSrc1Color, vk.BlendFactorOneMinusSrc1Color:
		return plain(s1[c], vk.BlendFactorOneMinusSrc1Color)
	case vk.BlendFactorSrc1Alpha, vk.BlendFactorOneMinusSrc1Alpha:
		return plain(s1[3], vk.BlendFactorOneMinusSrc1Alpha)
	case vk.BlendFactorSrcAlphaSaturate:
		if c == 3 {
			return 1
		}
		return min(s[3], 1-d[3])
	}
	return 0
}
