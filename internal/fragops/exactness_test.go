package fragops

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The table docs/exactness.md on fragment operations: against rationals, where no
// power is needed, and else binary64 on a scale that hides its errors.

func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

func offRat(got float64, want *big.Rat) float64 {
	f, _ := new(big.Rat).Sub(rat(got), want).Float64()
	return math.Abs(f)
}

// rationalFactor is RAS-340 in rationals.
func rationalFactor(f vk.BlendFactor, c int, s0, s1, d, k *[4]*big.Rat) *big.Rat {
	one := big.NewRat(1, 1)
	minus := func(x *big.Rat) *big.Rat { return new(big.Rat).Sub(one, x) }
	if f == vk.BlendFactorSrcAlphaSaturate {
		if v := minus(d[3]); c != 3 {
			if v.Cmp(s0[3]) < 0 {
				return v
			}
			return s0[3]
		}
		return one
	}
	// The others come in pairs of x and 1 − x.
	sources := [...]*big.Rat{new(big.Rat), s0[c], d[c], s0[3], d[3], k[c], k[3]}
	at, inverted := int(f)/2, f&1 == 1
	if f >= vk.BlendFactorSrc1Color {
		v := s1[c]
		if f >= vk.BlendFactorSrc1Alpha {
			v = s1[3]
		}
		if f == vk.BlendFactorOneMinusSrc1Color || f == vk.BlendFactorOneMinusSrc1Alpha {
			return minus(v)
		}
		return v
	}
	if inverted {
		return minus(sources[at])
	}
	return sources[at]
}

// exactColor is a colour in rationals.
func exactColor(v Vec4) (r [4]*big.Rat) {
	for c, x := range v {
		r[c] = rat(float64(x))
	}
	return r
}

func randomBlend(r *rand.Rand) BlendState {
	f := func() vk.BlendFactor { return vk.BlendFactor(r.IntN(19)) }
	op := func() vk.BlendOp { return vk.BlendOp(r.IntN(5)) }
	return BlendState{SrcColor: f(), DstColor: f(), ColorOp: op(), SrcAlpha: f(), DstAlpha: f(), AlphaOp: op()}
}

// The equation itself, and what is stored.
func TestExact_RAS341_Blend(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-338", "RAS-339", "RAS-340", "RAS-341", "RAS-004")
	equation := rules.Measure(rules.Row{Part: "Fragment operations", Rules: "RAS-338 – RAS-341", What: "blend equation of float attachments, all factors and operations", Unit: "2⁻²⁴ of max(1, |s|, |d|)²", Bound: 10,
		Why: "With colours of magnitude up to m ≥ 1: factors are at most 1+m ≤ 2m and rounded once, two products of at most 2m² rounded once and one sum of at most 4m²: (2+2)·m + (2+2)·m + 4 units of m²; the largest magnitudes exclude each other, so that 10 is never reached."})
	row := func(what string, bits int, bound float64, why string) *rules.Exactness {
		return rules.Measure(rules.Row{Part: "Fragment operations", Rules: "RAS-004, RAS-338 – RAS-341", What: what, Unit: "codes", Bound: bound,
			Why: fmt.Sprintf("Operands in [0, 1]: the destination is a binary32 number off by 2⁻²⁵, factors and products by as much, the sum by 2⁻²⁴: 6·2⁻²⁴ of %d codes, and ½ for the code. %s", 1<<bits-1, why)})
	}
	codes := map[vk.Format]*rules.Exactness{
		vk.FormatR8G8B8A8Unorm:     row("blended colour in UNORM8", 8, 0.5+6*0x1p-24*255, ""),
		vk.FormatR16G16B16A16Unorm: row("blended colour in UNORM16", 16, 0.5+6*0x1p-24*65535, ""),
	}
	formats := []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR16G16B16A16Unorm}
	r := rand.New(rand.NewPCG(101, 102))
	for range rules.Cases(3000, 200_000) {
		b := randomBlend(r)
		var s0, s1, d Vec4
		for c := range s0 {
			s0[c], s1[c], d[c], b.Constants[c] = float32(r.NormFloat64()*3), float32(r.NormFloat64()*3), float32(r.NormFloat64()*3), float32(r.NormFloat64())
		}
		b.Lo, b.Hi = 1, 0
		got := b.Blend(s0, s1, d)
		rs, rs1, rd, rk := exactColor(s0), exactColor(s1), exactColor(d), exactColor(b.Constants)
		m := 1.0
		for c := range s0 {
			m = max(m, math.Abs(float64(s0[c])), math.Abs(float64(s1[c])), math.Abs(float64(d[c])), math.Abs(float64(b.Constants[c])))
		}
		for c := range got {
			equation.Add(offRat(float64(got[c]), exactEquation(&b, c, &rs, &rs1, &rd, &rk))/(0x1p-24*m*m), func() string { return fmt.Sprintf("%+v %v %v %v", b, s0, s1, d) })
		}
		f := formats[r.IntN(2)]
		info := lookup(t, f)
		bits := info.Components[0].Bits
		limit := int64(1)<<bits - 1
		var mem [8]byte
		binary.LittleEndian.PutUint64(mem[:], r.Uint64())
		var dst [4]int64
		for c := range dst {
			dst[c] = int64(mem[c])
			if bits == 16 {
				dst[c] = int64(binary.LittleEndian.Uint16(mem[2*c:]))
			}
		}
		desc := ColorDesc{Info: info, WriteEnable: true, Constants: b.Constants, State: vk.PipelineColorBlendAttachmentState{
			BlendEnable: true, SrcColorBlendFactor: b.SrcColor, DstColorBlendFactor: b.DstColor, ColorBlendOp: b.ColorOp,
			SrcAlphaBlendFactor: b.SrcAlpha, DstAlphaBlendFactor: b.DstAlpha, AlphaBlendOp: b.AlphaOp, ColorWriteMask: allComponents,
		}}
		color, err := NewColor(desc)
		if err != nil {
			t.Fatal(err)
		}
		for c := range s0 {
			s0[c], s1[c] = r.Float32(), r.Float32()
		}
		b.Lo, b.Hi = 0, 1
		var lanes, second [4][]uint32
		for c := range lanes {
			lanes[c], second[c] = []uint32{math.Float32bits(s0[c])}, []uint32{math.Float32bits(s1[c])}
		}
		surface := Surface{Data: mem[:], RowPitch: 8, TexelPitch: 8, SampleBytes: 8}
		color.Write(&surface, []Fragment{{Mask: 1}}, &lanes, &second)
		// The destination is what its code stands for, exactly.
		for c, x := range b.Constants {
			b.Constants[c] = min(max(x, 0), 1)
		}
		rs, rs1, rk = exactColor(s0), exactColor(s1), exactColor(b.Constants)
		for c := range rd {
			rd[c] = big.NewRat(dst[c], limit)
		}
		for c := range rd {
			want := exactEquation(&b, c, &rs, &rs1, &rd, &rk)
			if want.Sign() < 0 {
				want.SetInt64(0)
			}
			if want.Cmp(big.NewRat(1, 1)) > 0 {
				want.SetInt64(1)
			}
			want.Mul(want, big.NewRat(limit, 1))
			stored := float64(mem[c])
			if bits == 16 {
				stored = float64(binary.LittleEndian.Uint16(mem[2*c:]))
			}
			codes[f].Add(offRat(stored, want), func() string { return fmt.Sprintf("%v %+v %v %v %v", f, b, s0, s1, dst) })
		}
	}
	equation.Done(t, 1000)
	for _, f := range formats {
		codes[f].Done(t, 200)
	}
}

// exactEquation is component c of RAS-341.
func exactEquation(b *BlendState, c int, rs, rs1, rd, rk *[4]*big.Rat) *big.Rat {
	sf, df, op := b.SrcColor, b.DstColor, b.ColorOp
	if c == 3 {
		sf, df, op = b.SrcAlpha, b.DstAlpha, b.AlphaOp
	}
	p := new(big.Rat).Mul(rs[c], rationalFactor(sf, c, rs, rs1, rd, rk))
	q := new(big.Rat).Mul(rd[c], rationalFactor(df, c, rs, rs1, rd, rk))
	switch op {
	case vk.BlendOpAdd:
		return p.Add(p, q)
	case vk.BlendOpSubtract:
		return p.Sub(p, q)
	case vk.BlendOpReverseSubtract:
		return q.Sub(q, p)
	}
	if rd[c].Cmp(rs[c]) < 0 == (op == vk.BlendOpMin) {
		return new(big.Rat).Set(rd[c])
	}
	return new(big.Rat).Set(rs[c])
}

// Blending in sRGB, where the scale of codes is not linear.
func TestExact_RAS343_SrgbBlend(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-343", "RAS-338", "RAS-339", "RAS-340", "RAS-341")
	e := rules.Measure(rules.Row{Part: "Fragment operations", Rules: "RAS-338 – RAS-341, RAS-343", What: "blended colour in sRGB, SRC_ALPHA over", Unit: "codes", Bound: 0.5 + 5*0x1p-24*255*12.92,
		Why: "5·2⁻²⁴ in linear light as for UNORM8, where the curve is steepest 12.92·255 codes, and ½ for the code."})
	info := lookup(t, vk.FormatR8G8B8A8Srgb)
	color, err := NewColor(ColorDesc{Info: info, WriteEnable: true, State: vk.PipelineColorBlendAttachmentState{
		BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorSrcAlpha, DstColorBlendFactor: vk.BlendFactorOneMinusSrcAlpha,
		SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOneMinusSrcAlpha, ColorWriteMask: allComponents,
	}})
	if err != nil {
		t.Fatal(err)
	}
	decode := func(c float64) float64 {
		if c /= 255; c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	encode := func(l float64) float64 {
		if l <= 0.0031308 {
			return 12.92 * l * 255
		}
		return (1.055*math.Pow(l, 1/2.4) - 0.055) * 255
	}
	r := rand.New(rand.NewPCG(103, 104))
	for range rules.Cases(5000, 1_000_000) {
		mem := [4]byte{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32())}
		old := mem
		var lanes [4][]uint32
		var s [4]float64
		for c := range lanes {
			f := r.Float32() * r.Float32()
			lanes[c], s[c] = []uint32{math.Float32bits(f)}, float64(f)
		}
		color.Write(&Surface{Data: mem[:], RowPitch: 4, TexelPitch: 4, SampleBytes: 4}, []Fragment{{Mask: 1}}, &lanes, &lanes)
		for c := range 3 {
			want := encode(s[c]*s[3] + decode(float64(old[c]))*(1-s[3]))
			e.Add(math.Abs(float64(mem[c])-want), func() string { return fmt.Sprintf("%v over %v", s, old) })
		}
	}
	e.Done(t, 1000)
}

// Averages of samples.
func TestExact_RAS352_Resolve(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-352", "RAS-354", "RAS-353")
	unorm := rules.Measure(rules.Row{Part: "Fragment operations", Rules: "RAS-352, RAS-353", What: "average of 2 to 16 samples, UNORM8", Unit: "codes", Bound: 0.5 + 255*(0x1p-25+0x1p-24),
		Why: "Samples are binary32 numbers off by 2⁻²⁵ at most; their sum is exact to 2⁻⁴⁸, rounded once to binary32, and ½ for the code."})
	float := rules.Measure(rules.Row{Part: "Fragment operations", Rules: "RAS-352", What: "average of 2 to 16 samples, binary32", Unit: "½ ulp + 2⁻⁴⁹ of the largest", Bound: 1,
		Why: "Fifteen sums in binary64 of at most 16 times the largest, 2⁻⁵³ each, divided by the count; one rounding."})
	depth := rules.Measure(rules.Row{Part: "Fragment operations", Rules: "RAS-354", What: "average of depth samples, D24", Unit: "codes", Bound: 0.5 + 0.5 + 0x1p-20,
		Why: "The mean is rounded to binary32, whose step near 1 is one code, then to the code."})
	r := rand.New(rand.NewPCG(105, 106))
	u, f := lookup(t, vk.FormatR8G8B8A8Unorm), lookup(t, vk.FormatR32Sfloat)
	for range rules.Cases(3000, 300_000) {
		n := 2 << r.IntN(4)
		src, dst := make([]byte, 4*n), make([]byte, 4)
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		ResolveColor(u, vk.ResolveModeAverageBit, dst, src, 1, n)
		for c := range 4 {
			sum := int64(0)
			for k := range n {
				sum += int64(src[4*k+c])
			}
			unorm.Add(offRat(float64(dst[c]), big.NewRat(sum, int64(n))), func() string { return fmt.Sprint(src) })
		}
		sum, largest := new(big.Rat), 0.0
		for k := range n {
			v := float32(r.NormFloat64() * math.Exp2(10*r.Float64()))
			binary.LittleEndian.PutUint32(src[4*k:], math.Float32bits(v))
			sum.Add(sum, rat(float64(v)))
			largest = max(largest, math.Abs(float64(v)))
		}
		sum.Quo(sum, big.NewRat(int64(n), 1))
		ResolveColor(f, vk.ResolveModeAverageBit, dst, src, 1, n)
		got := math.Float32frombits(binary.LittleEndian.Uint32(dst))
		about, _ := sum.Float64()
		g := float32(math.Abs(about))
		ulp := float64(math.Nextafter32(g, float32(math.Inf(1))) - g)
		float.Add(offRat(float64(got), sum)/(ulp/2+0x1p-49*largest), func() string { return fmt.Sprint(src) })
		total := int64(0)
		for k := range n {
			code := r.Uint32() >> 8
			StoreDepth(DepthD24, src[4*k:], code)
			total += int64(code)
		}
		ResolveDepth(DepthD24, vk.ResolveModeAverageBit, dst, src, 1, n)
		depth.Add(offRat(float64(LoadDepth(DepthD24, dst)), big.NewRat(total, int64(n))), func() string { return fmt.Sprint(src) })
	}
	unorm.Done(t, 1000)
	float.Done(t, 200)
	depth.Done(t, 200)
}

// Depth codes, and how many samples alpha keeps.
func TestExact_RAS317_AlphaAndDepth(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-006", "RAS-317", "RAS-325", "RAS-327")
	code := rules.Measure(rules.Row{Part: "Fragment operations", Rules: "RAS-006, RAS-327", What: "depth to codes of D16 and D24", Unit: "codes", Bound: 0.5, Why: "As binary32 to UNORM: an exact product, one rounding."})
	alpha := rules.Measure(rules.Row{Part: "Fragment operations", Rules: "RAS-317", What: "number of samples that alpha to coverage keeps", Unit: "samples that differ", Why: "24 bits times 5 and ½ are exact in binary64."})
	compare := rules.Measure(rules.Row{Part: "Fragment operations", Rules: "RAS-325, RAS-327", What: "depth and depth bounds tests between stored codes and fragments", Unit: "decisions that differ", Why: "Fragments are compared as codes; bounds against c/(2ⁿ−1) in binary64, which no binary32 bound lies between and its exact value."})
	r := rand.New(rand.NewPCG(107, 108))
	for range rules.Cases(20_000, 1_000_000) {
		z := r.Float32()
		if r.IntN(2) == 0 {
			z = float32((float64(r.IntN(65535)) + 0.5) / 65535)
		}
		for f, limit := range map[DepthFormat]int64{DepthD16: 1<<16 - 1, DepthD24: 1<<24 - 1} {
			want := new(big.Rat).Mul(rat(float64(z)), big.NewRat(limit, 1))
			code.Add(offRat(float64(EncodeDepth(f, z)), want), func() string { return fmt.Sprint(f, z) })
			// Bounds next to the stored value.
			c := r.Int64N(limit + 1)
			bound := fp.UnormToFloat(uint32(c), 24)
			if f == DepthD16 {
				bound = fp.UnormToFloat(uint32(c), 16)
			}
			inside := big.NewRat(c, limit).Cmp(rat(float64(bound))) >= 0
			if got := float64(bound) <= DecodeDepth(f, uint32(c)); got != inside {
				compare.Add(1, func() string { return fmt.Sprintf("code %d of %v against %v", c, f, bound) })
			} else {
				compare.Add(0, nil)
			}
		}
		samples := 1 << r.IntN(5)
		a := r.Float32()
		if r.IntN(2) == 0 {
			a = float32(r.IntN(2*samples+1)) / float32(2*samples)
		}
		want := new(big.Rat).Mul(rat(float64(a)), big.NewRat(int64(samples), 1))
		want.Add(want, big.NewRat(1, 2))
		k := new(big.Int).Div(want.Num(), want.Denom()).Int64()
		kept := 0
		for m := AlphaToCoverage(a, samples); m != 0; m &= m - 1 {
			kept++
		}
		alpha.Add(math.Abs(float64(kept)-float64(k)), func() string { return fmt.Sprint(a, samples) })
	}
	code.Done(t, 1000)
	alpha.Done(t, 1000)
	compare.Done(t, 1000)
}
