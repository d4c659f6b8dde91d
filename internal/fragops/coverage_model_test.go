package fragops

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

func infoOf(f vk.Format) *format.Info {
	i, _ := format.Lookup(f)
	return i
}

// RAS-332 to RAS-334: the colour samples of an invocation, group by group.
func TestCoverage_RAS333_Reduction(t *testing.T) {
	rules.Covers(t, "RAS-332", "RAS-333", "RAS-334")
	r := rand.New(rand.NewPCG(33, 3))
	for _, samples := range []int{1, 2, 4, 8, 16, 32, 64} {
		for color := 1; color <= samples; color *= 2 {
			merge, truncate := NewCoverage(samples, color, vk.CoverageReductionModeMergeNV), NewCoverage(samples, color, vk.CoverageReductionModeTruncateNV)
			if merge.Trivial(samples) != (color == samples) || merge.Modulates() {
				t.Errorf("%d of %d samples: trivial %v", color, samples, merge.Trivial(samples))
			}
			for range 200 {
				whole := r.Uint64() & (1<<samples - 1)
				mask := whole & r.Uint64()
				var merged, truncated uint64
				for i := range color {
					n, first := 0, -1
					for s := i * samples / color; s < (i+1)*samples/color; s++ {
						if whole>>s&1 != 0 {
							if n++; first < 0 {
								first = s
							}
						}
					}
					if first >= 0 && mask>>first&1 != 0 {
						merged |= 1 << i
					}
					truncated |= mask & (1 << i)
					if got := merge.Covered(whole, i); got != n {
						t.Fatalf("%d of %d samples, mask %#x: group %d covers %d, want %d", color, samples, whole, i, got, n)
					}
				}
				if got := merge.Reduce(mask, whole); got != merged {
					t.Fatalf("%d of %d samples, %#x of %#x: merged %#x, want %#x", color, samples, mask, whole, got, merged)
				}
				if got := truncate.Reduce(mask, whole); got != truncated {
					t.Fatalf("%d of %d samples, %#x of %#x: truncated %#x, want %#x", color, samples, mask, whole, got, truncated)
				}
			}
		}
	}
}

// RAS-336: which components are multiplied, by what, and which attachments are left
// as they are.
func TestCoverage_RAS336_Modulation(t *testing.T) {
	rules.Covers(t, "RAS-336")
	unorm := infoOf(vk.FormatR8G8B8A8Unorm)
	table := []float32{0.25, -1, 0.5, 7}
	for _, mode := range []vk.CoverageModulationModeNV{vk.CoverageModulationModeNoneNV, vk.CoverageModulationModeRgbNV, vk.CoverageModulationModeAlphaNV, vk.CoverageModulationModeRgbaNV} {
		rgb := mode == vk.CoverageModulationModeRgbNV || mode == vk.CoverageModulationModeRgbaNV
		alpha := mode == vk.CoverageModulationModeAlphaNV || mode == vk.CoverageModulationModeRgbaNV
		for name, factors := range map[string][]float32{"": nil, "table": table} {
			c := NewCoverage(8, 2, vk.CoverageReductionModeMergeNV)
			if err := c.Modulate(unorm, mode, factors); err != nil {
				t.Fatal(err)
			}
			if c.RGB != rgb || c.Alpha != alpha || c.Modulates() != (rgb || alpha) || c.Trivial(8) {
				t.Errorf("%v: colours %v, alpha %v", mode, c.RGB, c.Alpha)
			}
			src, dst := [4][]uint32{}, [4][]uint32{}
			for i := range src {
				src[i], dst[i] = []uint32{0, math.Float32bits(float32(i + 1))}, make([]uint32, 3)
			}
			for covered := 1; covered <= 4; covered++ {
				factor := float32(covered) / 4
				if name != "" {
					factor = []float32{0.25, 0, 0.5, 1}[covered-1]
				}
				c.Scale(&dst, 2, &src, 1, covered)
				for i := range dst {
					want := float32(i + 1)
					if i < 3 && rgb || i == 3 && alpha {
						want *= factor
					}
					if got := math.Float32frombits(dst[i][2]); got != want || dst[i][1] != 0 {
						t.Errorf("%v %s, %d covered: component %d is %v, want %v", mode, name, covered, i, got, want)
					}
				}
			}
		}
	}
	// Infinity times 0 and a NaN with a sign become the one NaN; what is not multiplied keeps its bits.
	nan := NewCoverage(4, 1, vk.CoverageReductionModeMergeNV)
	if err := nan.Modulate(infoOf(vk.FormatR32G32B32A32Sfloat), vk.CoverageModulationModeRgbNV, []float32{0, 1, 1, 1}); err != nil {
		t.Fatal(err)
	}
	src := [4][]uint32{{0x7F800000}, {0xFF800000}, {0xFFC12345}, {0xFFC12345}}
	dst := [4][]uint32{{0}, {0}, {0}, {0}}
	nan.Scale(&dst, 0, &src, 0, 1)
	for i, want := range [4]uint32{0x7FC00000, 0x7FC00000, 0x7FC00000, 0xFFC12345} {
		if dst[i][0] != want {
			t.Errorf("component %d, %#x times 0, is %#x, want %#x", i, src[i][0], dst[i][0], want)
		}
	}
	for name, c := range map[string]Coverage{"truncated": NewCoverage(8, 2, vk.CoverageReductionModeTruncateNV), "integers": NewCoverage(8, 2, vk.CoverageReductionModeMergeNV)} {
		info := unorm
		if name == "integers" {
			info = infoOf(vk.FormatR8G8B8A8Uint)
		}
		if err := c.Modulate(info, vk.CoverageModulationModeRgbaNV, nil); err != nil || c.Modulates() {
			t.Errorf("%s: modulated, %v", name, err)
		}
	}
	c := NewCoverage(8, 2, vk.CoverageReductionModeMergeNV)
	var e *StateError
	if err := c.Modulate(unorm, vk.CoverageModulationModeRgbNV, table[:3]); !errors.As(err, &e) {
		t.Errorf("a table of three: %v", err)
	}
	full := NewCoverage(4, 4, vk.CoverageReductionModeMergeNV)
	if full.RGB = true; full.Trivial(4) {
		t.Error("what multiplies colours is not trivial")
	}
}

// RAS-331: masks as integers of each width and sign.
func TestCoverage_RAS331_ToColor(t *testing.T) {
	rules.Covers(t, "RAS-331")
	for f, want := range map[vk.Format][2]uint32{ // of 0x8081 and 0x7F
		vk.FormatR8Uint: {0x81, 0x7F}, vk.FormatR8Sint: {0xFFFFFF81, 0x7F}, vk.FormatR16Uint: {0x8081, 0x7F}, vk.FormatR16Sint: {0xFFFF8081, 0x7F},
		vk.FormatR32Uint: {0x8081, 0x7F}, vk.FormatR32Sint: {0x8081, 0x7F},
	} {
		c := NewCoverage(16, 16, vk.CoverageReductionModeMergeNV)
		if err := c.SetToColor(infoOf(f)); err != nil || c.Trivial(16) {
			t.Errorf("%v: %v, trivial %v", f, err, c.Trivial(16))
		}
		if got := [2]uint32{c.Value(0x8081), c.Value(0x7F)}; got != want {
			t.Errorf("%v: %#x, want %#x", f, got, want)
		}
	}
	c := NewCoverage(4, 4, vk.CoverageReductionModeMergeNV)
	var e *StateError
	for _, f := range []vk.Format{vk.FormatR8Unorm, vk.FormatR8G8Uint, vk.FormatR32Sfloat} {
		if err := c.SetToColor(infoOf(f)); !errors.As(err, &e) || c.ToColor {
			t.Errorf("%v takes masks: %v", f, err)
		}
	}
}

// RAS-340, RAS-341: factors and operations outside of their lists are refused, unless
// the operation is advanced and uses no factor.
func TestBlend_RAS340_Refused(t *testing.T) {
	rules.Covers(t, "RAS-340", "RAS-341")
	good := BlendState{ColorOp: vk.BlendOpMax, AlphaOp: vk.BlendOpAdd, SrcColor: vk.BlendFactorOneMinusSrc1Alpha}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for i, change := range []func(b *BlendState){
		func(b *BlendState) { b.SrcColor = -1 }, func(b *BlendState) { b.DstColor = vk.BlendFactorOneMinusSrc1Alpha + 1 }, func(b *BlendState) { b.SrcAlpha = -1 },
		func(b *BlendState) { b.DstAlpha = 99 }, func(b *BlendState) { b.ColorOp = -1 }, func(b *BlendState) { b.AlphaOp = vk.BlendOpMax + 1 }, func(b *BlendState) { b.AlphaOp = vk.BlendOpPlusEXT },
	} {
		b := good
		change(&b)
		var e *StateError
		if err := b.check(); !errors.As(err, &e) {
			t.Errorf("change %d: %v", i, err)
		}
	}
	advanced := BlendState{ColorOp: vk.BlendOpPlusEXT, AlphaOp: vk.BlendOpPlusEXT, SrcColor: vk.BlendFactorSrc1Color}
	if err := advanced.check(); err != nil || advanced.DualSource() {
		t.Errorf("advanced: %v, dual source %v", err, advanced.DualSource())
	}
	for i := range 4 {
		var b BlendState
		if b.DualSource() {
			t.Error("no factor takes the second source")
		}
		*[]*vk.BlendFactor{&b.SrcColor, &b.DstColor, &b.SrcAlpha, &b.DstAlpha}[i] = vk.BlendFactorSrc1Color
		if !b.DualSource() {
			t.Errorf("factor %d takes the second source", i)
		}
	}
}

// RAS-351, RAS-354, RAS-356: resolves against sums and extremes of what is stored,
// for several pixels and numbers of samples; a NaN loses to numbers, and stays in an
// average.
func TestResolve_RAS351_EveryPixel(t *testing.T) {
	rules.Covers(t, "RAS-351", "RAS-354", "RAS-356")
	r := rand.New(rand.NewPCG(35, 1))
	nan := float32(math.NaN())
	const width = 5
	for trial := range 800 {
		samples := 1 << r.IntN(5)
		mode := []vk.ResolveModeFlags{vk.ResolveModeNone, vk.ResolveModeSampleZeroBit, vk.ResolveModeAverageBit, vk.ResolveModeMinBit, vk.ResolveModeMaxBit}[r.IntN(5)]
		value := func() float32 {
			if r.IntN(6) == 0 {
				return []float32{nan, -1, 0, 0.5}[r.IntN(4)]
			}
			return r.Float32()*4 - 2
		}
		want := func(v []float32) float32 {
			out, sum := v[0], 0.0
			for _, x := range v {
				sum += float64(x)
				if out != out || mode == vk.ResolveModeMinBit && x < out || mode == vk.ResolveModeMaxBit && x > out {
					out = x
				}
			}
			switch mode {
			case vk.ResolveModeSampleZeroBit:
				return v[0]
			case vk.ResolveModeAverageBit:
				return float32(sum / float64(len(v)))
			}
			return out
		}
		info := infoOf(vk.FormatR32Sfloat)
		src, dst := make([]byte, 4*width*samples), make([]byte, 4*width)
		colors := make([]float32, width*samples)
		for i := range colors {
			colors[i] = value()
			info.Encode(src[4*i:], format.Texel{math.Float32bits(colors[i])})
		}
		ResolveColor(info, mode, dst, src, width, samples)
		for x := range width {
			got, w := math.Float32frombits(info.Decode(dst[4*x:])[0]), want(colors[x*samples:(x+1)*samples])
			if mode == vk.ResolveModeNone {
				w = 0
			}
			if got != w && (got == got || w == w) {
				t.Fatalf("trial %d, %v of %v: %v, want %v", trial, mode, colors[x*samples:(x+1)*samples], got, w)
			}
			if got != got && mode == vk.ResolveModeAverageBit && math.Float32bits(got) != 0x7FC00000 {
				t.Fatalf("NaN %#x", math.Float32bits(got))
			}
		}
		// Stencil: bytes; depth of 24 bits beside a stencil that stays.
		stencil := make([]byte, width)
		bytes := make([]byte, width*samples)
		for i := range bytes {
			bytes[i] = byte(r.Uint32())
		}
		ResolveStencil(mode, stencil, bytes, width, samples)
		depths, flat := make([]byte, 4*width*samples), make([]byte, 4*width)
		codes := make([]uint32, width*samples)
		for i := range codes {
			codes[i] = r.Uint32() & 0xFFFFFF
			StoreDepth(DepthD24, depths[4*i:], codes[i])
		}
		for x := range width {
			flat[4*x+3] = 0xA5
		}
		ResolveDepth(DepthD24, mode, flat, depths, width, samples)
		for x := range width {
			s, d := bytes[x*samples], codes[x*samples]
			sum := 0.0
			for k := range samples {
				b, c := bytes[x*samples+k], codes[x*samples+k]
				sum += float64(c) / 16777215
				if mode == vk.ResolveModeMinBit {
					s, d = min(s, b), min(d, c)
				} else if mode == vk.ResolveModeMaxBit {
					s, d = max(s, b), max(d, c)
				}
			}
			if mode == vk.ResolveModeAverageBit {
				d = EncodeDepth(DepthD24, float32(sum/float64(samples)))
			}
			if mode == vk.ResolveModeNone {
				s, d = 0, 0
			}
			if mode != vk.ResolveModeAverageBit && stencil[x] != s {
				t.Fatalf("stencil, %v of %v: %d, want %d", mode, bytes[x*samples:(x+1)*samples], stencil[x], s)
			}
			if got := LoadDepth(DepthD24, flat[4*x:]); got != d || flat[4*x+3] != 0xA5 {
				t.Fatalf("depth, %v of %v: %d, want %d", mode, codes[x*samples:(x+1)*samples], got, d)
			}
		}
	}
}

// Without a depth plane every code and value is 0; what is clamped is inside, and a NaN
// becomes a number.
func TestDepth_NoneAndClamps(t *testing.T) {
	rules.Covers(t, "RAS-006", "RAS-363", "RAS-366")
	if got := EncodeDepth(DepthD32, float32(math.NaN())); got != 0 {
		t.Errorf("NaN becomes %#x", got)
	}
	// What a shader reads as FragCoord.z and writes as FragDepth is the same depth.
	for _, z := range []float32{0, 1, 0.1, 0x1p-30, -2} {
		if got := EncodeDepth(DepthD32, z); got != math.Float32bits(z) {
			t.Errorf("%v becomes %#x", z, got)
		}
	}
	if EncodeDepth(DepthNone, 1) != 0 || DecodeDepth(DepthNone, 5) != 0 || LoadDepth(DepthNone, []byte{1, 2, 3, 4}) != 0 {
		t.Error("codes without a depth plane")
	}
	for _, c := range [][4]float32{{0.5, 0, 1, 0.5}, {-1, 0, 1, 0}, {2, 0, 1, 1}, {-2, -1, 1, -1}, {0, -1, 1, 0}, {float32(math.NaN()), 0, 1, 0}, {float32(math.NaN()), -1, 1, 0}} {
		if got := clampTo(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%v in [%v, %v]: %v, want %v", c[0], c[1], c[2], got, c[3])
		}
	}
}

// RAS-339, RAS-366: the interval that blending clamps to follows from the format; what
// is not a number comes out as one and the same NaN.
func TestBlend_RAS339_IntervalsAndNaN(t *testing.T) {
	rules.Covers(t, "RAS-338", "RAS-339", "RAS-366")
	for f, want := range map[vk.Format][2]float32{
		vk.FormatR8G8B8A8Unorm: {0, 1}, vk.FormatR8G8B8A8Srgb: {0, 1}, vk.FormatR8G8B8A8Snorm: {-1, 1}, vk.FormatR16G16B16A16Sfloat: {1, 0}, vk.FormatB10G11R11UfloatPack32: {1, 0},
		vk.FormatR8Uscaled: {1, 0}, vk.FormatR16G16Sscaled: {1, 0},
	} {
		lo, hi := numericOf(infoOf(f)).clampRange()
		if lo != want[0] || hi != want[1] {
			t.Errorf("%v: [%v, %v], want %v", f, lo, hi, want)
		}
	}
	for _, f := range []vk.Format{vk.FormatD32Sfloat, vk.FormatS8Uint, vk.FormatBc1RgbUnormBlock} {
		if numericOf(infoOf(f)) != numOther {
			t.Errorf("%v is a format to blend", f)
		}
	}
	b := BlendState{SrcColor: vk.BlendFactorOne, SrcAlpha: vk.BlendFactorOne, Lo: 1}
	for _, bits := range []uint32{0x7FC00001, 0xFFE12345, 0x7F800001} {
		v := math.Float32frombits(bits)
		for c, x := range b.Blend(Vec4{v, v, v, v}, Vec4{}, Vec4{}) {
			if math.Float32bits(x) != 0x7FC00000 {
				t.Errorf("NaN %#x: component %d is %#x", bits, c, math.Float32bits(x))
			}
		}
	}
}
