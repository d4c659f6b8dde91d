package fragops

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

func TestAlphaToCoverage_RAS317_Table(t *testing.T) {
	rules.Covers(t, "RC-65", "RAS-317")
	nan := float32(math.NaN())
	for _, c := range []struct {
		alpha float32
		want  uint32
	}{{0, 0}, {.124, 0}, {.125, 1}, {.5, 3}, {1, 15}, {nan, 0}, {-1, 0}, {7, 15}} {
		if got := AlphaToCoverage(c.alpha, 4); got != c.want {
			t.Errorf("AlphaToCoverage(%v, 4) = %#x, want %#x", c.alpha, got, c.want)
		}
	}
}

func TestStencil_RAS322_Operations(t *testing.T) {
	rules.Covers(t, "RC-66", "RAS-323", "RAS-322")
	for _, c := range []struct {
		op         vk.StencilOp
		sa, sr, sw uint8
		want       uint8
	}{
		{vk.StencilOpIncrementAndClamp, 255, 0, 255, 255},
		{vk.StencilOpIncrementAndWrap, 255, 0, 255, 0},
		{vk.StencilOpDecrementAndWrap, 0, 0, 255, 255},
		{vk.StencilOpDecrementAndClamp, 0, 0, 255, 0},
		{vk.StencilOpInvert, 0x0F, 0, 0x0F, 0x00},
		{vk.StencilOpReplace, 3, 9, 0xFF, 9},
		{vk.StencilOpKeep, 3, 9, 0xFF, 3},
		{vk.StencilOpZero, 3, 9, 0x01, 2},
	} {
		f := Face{WriteMask: c.sw}
		if got := f.update(c.op, c.sa, c.sr); got != c.want {
			t.Errorf("%v of %d under mask %#x = %d, want %d", c.op, c.sa, c.sw, got, c.want)
		}
	}
}

func TestStencil_RAS321_ReferenceOnTheLeft(t *testing.T) {
	rules.Covers(t, "RC-67", "RAS-325", "RAS-321")
	f := Face{Compare: vk.CompareOpLess, CompareMask: 0xFF}
	if !f.test(2, 1) || f.test(1, 2) {
		t.Error("LESS must pass for reference 1, value 2, and fail for the opposite")
	}
}

func TestDepth_RAS327_AllComparisons(t *testing.T) {
	rules.Covers(t, "RAS-327")
	nan := float32(math.NaN())
	for op := vk.CompareOpNever; op <= vk.CompareOpAlways; op++ {
		want := [3]bool{op&1 != 0, op&2 != 0, op&4 != 0} // less, equal, greater
		for i, z := range []float32{.25, .5, .75} {
			if got := Compare(op, z, .5); got != want[i] {
				t.Errorf("%v(%v, .5) = %v", op, z, got)
			}
		}
		if got, want := Compare(op, nan, .5), op == vk.CompareOpNotEqual || op == vk.CompareOpAlways; got != want {
			t.Errorf("%v(NaN, .5) = %v", op, got)
		}
	}
}

func TestDepthBounds_RAS320_StoredDepth(t *testing.T) {
	rules.Covers(t, "RC-68", "RAS-320")
	d := DepthStencil{Format: DepthD32, BoundsTest: true, MinBounds: .4, MaxBounds: .6, DepthTest: true, Compare: vk.CompareOpAlways, ZMax: 1}
	if err := d.Prepare(); err != nil {
		t.Fatal(err)
	}
	mem := make([]byte, 4)
	StoreDepth(DepthD32, mem, math.Float32bits(.5))
	s := Surface{Data: mem, RowPitch: 4, TexelPitch: 4, SampleBytes: 4}
	if d.Quad(&s, &Surface{}, 0, 0, 1, 1, []float32{.9}, false, nil) != 1 {
		t.Error("stored .5 lies inside [.4, .6]; the fragment's .9 does not matter")
	}
	StoreDepth(DepthD32, mem, math.Float32bits(.7))
	if d.Quad(&s, &Surface{}, 0, 0, 1, 1, []float32{.5}, false, nil) != 0 {
		t.Error("stored .7 lies outside [.4, .6]")
	}
}

// TestDepth_FastPathsEqualReference runs every loop against the rule.
func TestDepth_FastPathsEqualReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []float32{0, 1, .5, .25, -1, 2, float32(math.NaN()), 1e-9, .99999994}
	for trial := range 20000 {
		samples := 1 << r.IntN(5)
		d := DepthStencil{
			Format: DepthFormat(r.IntN(4)), DepthTest: r.IntN(4) != 0, DepthWrite: r.IntN(2) == 0,
			Compare: vk.CompareOp(r.IntN(8)), ZMin: 0, ZMax: []float32{1, .75}[r.IntN(2)],
		}
		if r.IntN(2) == 0 {
			d.Compare = vk.CompareOpLess + vk.CompareOp(2*r.IntN(2))
		}
		if err := d.Prepare(); err != nil {
			t.Fatal(err)
		}
		bpp := 4
		if d.Format == DepthD16 {
			bpp = 2
		}
		mem := make([]byte, 4*samples*bpp)
		for i := 0; i < len(mem); i += bpp {
			StoreDepth(d.Format, mem[i:], EncodeDepth(d.Format, values[r.IntN(6)]))
			if d.Format == DepthD24 {
				mem[i+3] = 0xA5 // X8 stays as it is
			}
		}
		ref := bytes.Clone(mem)
		z := make([]float32, 4*samples)
		for i := range z {
			z[i] = values[r.IntN(len(values))]
		}
		cover := SampleMask(uint32(1)<<samples-1) & r.Uint64()
		surface := func(b []byte) *Surface {
			return &Surface{Data: b, RowPitch: 2 * samples * bpp, TexelPitch: samples * bpp, SampleBytes: bpp}
		}
		got := d.Quad(surface(mem), &Surface{}, 0, 0, samples, cover, z, false, nil)
		want := d.quadReference(surface(ref), &Surface{}, 0, 0, samples, cover, z, false, nil)
		if got != want || !bytes.Equal(mem, ref) {
			t.Fatalf("trial %d, %+v: mask %#x, reference %#x, memory %v, reference %v", trial, d, got, want, mem, ref)
		}
	}
}

var colorFormats = []vk.Format{
	vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatB8G8R8A8Unorm, vk.FormatB8G8R8A8Srgb, vk.FormatR8G8B8A8Snorm,
	vk.FormatR16G16B16A16Sfloat, vk.FormatR32G32B32A32Sfloat, vk.FormatR8Unorm, vk.FormatA2B10G10R10UnormPack32,
	vk.FormatR5G6B5UnormPack16, vk.FormatB10G11R11UfloatPack32, vk.FormatR16G16Unorm, vk.FormatR8G8B8A8Uint, vk.FormatR32Sint, vk.FormatR32G32B32A32Uint, vk.FormatR32G32Sfloat,
}

// TestColor_FastPathsEqualReference draws random keys and colours through Write
// and through the rule.
func TestColor_FastPathsEqualReference(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 20000 {
		info, ok := format.Lookup(colorFormats[r.IntN(len(colorFormats))])
		if !ok {
			t.Fatal("format table lacks a colour format")
		}
		desc := randomColor(r, info)
		integers := info.Class != format.ClassFloat
		if r.IntN(20) == 0 {
			integers = !integers
		}
		c, err := NewColor(desc)
		if err != nil {
			t.Fatal(err)
		}
		const lanes = 6
		var src, src1 [4][]uint32
		for k := range 4 {
			for range lanes {
				src[k] = append(src[k], randomBits(r, integers))
				src1[k] = append(src1[k], randomBits(r, integers))
			}
		}
		mem := make([]byte, 2*lanes*info.BlockBytes)
		for i := range mem {
			mem[i] = byte(r.Uint32())
		}
		ref := bytes.Clone(mem)
		var list []Fragment
		for i := range lanes {
			list = append(list, Fragment{Lane: uint16(r.IntN(i + 1)), X: uint16(r.IntN(lanes)), Mask: uint16(1 + r.IntN(3))})
		}
		surface := func(b []byte) *Surface {
			return &Surface{Data: b, RowPitch: len(b), TexelPitch: 2 * info.BlockBytes, SampleBytes: info.BlockBytes}
		}
		c.Write(surface(mem), list, &src, &src1)
		if c.mode != colorNothing {
			c.writeReference(surface(ref), list, &src, &src1)
		}
		if !bytes.Equal(mem, ref) {
			t.Fatalf("trial %d, %s mode %d, %+v:\n got %x\nwant %x", trial, info.Name, c.mode, desc, mem, ref)
		}
	}
}

func randomColor(r *rand.Rand, info *format.Info) ColorDesc {
	d := ColorDesc{Info: info, WriteEnable: r.IntN(10) != 0}
	d.State.ColorWriteMask = allComponents
	if r.IntN(3) == 0 {
		d.State.ColorWriteMask = vk.ColorComponentFlags(r.IntN(16))
	}
	d.LogicOpEnable, d.LogicOp = r.IntN(5) == 0, vk.LogicOp(r.IntN(16))
	d.Constants = Vec4{r.Float32(), -r.Float32(), 2, r.Float32()}
	factor := func() vk.BlendFactor { return vk.BlendFactor(r.IntN(19)) }
	d.State.BlendEnable = r.IntN(2) == 0
	d.State.SrcColorBlendFactor, d.State.DstColorBlendFactor, d.State.ColorBlendOp = factor(), factor(), vk.BlendOp(r.IntN(5))
	d.State.SrcAlphaBlendFactor, d.State.DstAlphaBlendFactor, d.State.AlphaBlendOp = factor(), factor(), vk.BlendOp(r.IntN(5))
	if r.IntN(2) == 0 {
		d.State.SrcColorBlendFactor, d.State.DstColorBlendFactor, d.State.ColorBlendOp = vk.BlendFactorSrcAlpha, vk.BlendFactorOneMinusSrcAlpha, vk.BlendOpAdd
		d.State.SrcAlphaBlendFactor, d.State.DstAlphaBlendFactor, d.State.AlphaBlendOp = vk.BlendFactorOne, vk.BlendFactorOneMinusSrcAlpha, vk.BlendOpAdd
		if r.IntN(2) == 0 {
			d.State.SrcAlphaBlendFactor = vk.BlendFactorSrcAlpha
		}
	}
	return d
}

func randomBits(r *rand.Rand, integer bool) uint32 {
	if integer {
		return r.Uint32() >> r.IntN(32)
	}
	special := []float32{0, 1, -1, .5, float32(math.NaN()), float32(math.Inf(1)), float32(math.Copysign(0, -1)), 2}
	if r.IntN(3) == 0 {
		return math.Float32bits(special[r.IntN(len(special))])
	}
	return math.Float32bits(r.Float32())
}

func TestColor_RAS347_MaskedComponentsKeepMemory(t *testing.T) {
	rules.Covers(t, "RAS-347")
	info, _ := format.Lookup(vk.FormatA2B10G10R10UnormPack32)
	c, err := NewColor(ColorDesc{Info: info, WriteEnable: true, State: vk.PipelineColorBlendAttachmentState{ColorWriteMask: vk.ColorComponentGBit}})
	if err != nil {
		t.Fatal(err)
	}
	mem := []byte{0xFF, 0xFF, 0xFF, 0xFF}
	zero := make([]uint32, 1)
	c.Write(&Surface{Data: mem, TexelPitch: 4}, []Fragment{{Mask: 1}}, &[4][]uint32{zero, zero, zero, zero}, nil)
	if want := []byte{0xFF, 0x03, 0xF0, 0xFF}; !bytes.Equal(mem, want) {
		t.Errorf("after writing green = 0: %x, want %x", mem, want)
	}
}

func TestColor_RAS345_LogicOp(t *testing.T) {
	rules.Covers(t, "RC-74", "RAS-345")
	one := []uint32{math.Float32bits(1)}
	src := [4][]uint32{one, one, one, one}
	for _, c := range []struct {
		format vk.Format
		want   byte
	}{{vk.FormatR8G8B8A8Unorm, 0x5A}, {vk.FormatR8G8B8A8Srgb, 0xFF}, {vk.FormatR8G8B8A8Uscaled, 1}} {
		info, _ := format.Lookup(c.format)
		w, err := NewColor(ColorDesc{Info: info, WriteEnable: true, LogicOpEnable: true, LogicOp: vk.LogicOpXor, State: vk.PipelineColorBlendAttachmentState{ColorWriteMask: allComponents, BlendEnable: true}})
		if err != nil {
			t.Fatal(err)
		}
		mem := []byte{0x5A, 0x5A, 0x5A, 0x5A}
		list := []Fragment{{Mask: 1}, {Mask: 1}}
		w.Write(&Surface{Data: mem, TexelPitch: 4}, list, &src, nil)
		if mem[0] != c.want {
			t.Errorf("%s after XOR twice: %#x, want %#x", info.Name, mem[0], c.want)
		}
	}
}

func TestColor_RAS344_DifferentAdvancedOperationsAreRefused(t *testing.T) {
	rules.Covers(t, "RAS-344")
	info, _ := format.Lookup(vk.FormatR8G8B8A8Unorm)
	_, err := NewColor(ColorDesc{Info: info, WriteEnable: true, State: vk.PipelineColorBlendAttachmentState{BlendEnable: true, ColorBlendOp: vk.BlendOpDstOverEXT}})
	if e := (*StateError)(nil); !errors.As(err, &e) {
		t.Errorf("error %v, want a *StateError", err)
	}
}

func TestBlend_RAS340_Factors(t *testing.T) {
	rules.Covers(t, "RAS-340")
	s0, s1, d := Vec4{.5, .25, .75, .5}, Vec4{.125, .25, .5, .75}, Vec4{.25, .5, 1, .25}
	k := Vec4{.5, .125, .25, .75}
	want := [][2]float32{ // red, alpha
		{0, 0}, {1, 1}, {.5, .5}, {.5, .5}, {.25, .25}, {.75, .75}, {.5, .5}, {.5, .5}, {.25, .25}, {.75, .75},
		{.5, .75}, {.5, .25}, {.75, .75}, {.25, .25}, {.5, 1}, {.125, .75}, {.875, .25}, {.75, .75}, {.25, .25},
	}
	for f, w := range want {
		for i, c := range [2]int{0, 3} {
			if got := factor(vk.BlendFactor(f), c, &s0, &s1, &d, &k); got != w[i] {
				t.Errorf("%v of component %d = %v, want %v", vk.BlendFactor(f), c, got, w[i])
			}
		}
	}
}

func TestResolve_RAS353_SrgbIsAveragedInLinearSpace(t *testing.T) {
	rules.Covers(t, "RC-69", "RAS-353")
	info, _ := format.Lookup(vk.FormatR8G8B8A8Srgb)
	src := []byte{0, 0, 255, 0, 255, 255, 255, 255}
	dst := make([]byte, 4)
	ResolveColor(info, vk.ResolveModeAverageBit, dst, src, 1, 2)
	if want := []byte{188, 188, 255, 128}; !bytes.Equal(dst, want) {
		t.Errorf("average %v, want %v", dst, want)
	}
}

func TestResolve_RAS351_Modes(t *testing.T) {
	rules.Covers(t, "RC-70", "RAS-352", "RAS-354", "RAS-351", "RAS-355")
	u, _ := format.Lookup(vk.FormatR8Uint)
	f, _ := format.Lookup(vk.FormatR8Unorm)
	for _, c := range []struct {
		info *format.Info
		mode vk.ResolveModeFlags
		want byte
	}{
		{u, vk.ResolveModeAverageBit, 9}, {f, vk.ResolveModeSampleZeroBit, 9}, {f, vk.ResolveModeMinBit, 3},
		{f, vk.ResolveModeMaxBit, 27}, {f, vk.ResolveModeAverageBit, 14}, {f, vk.ResolveModeNone, 77},
	} {
		dst := []byte{77}
		ResolveColor(c.info, c.mode, dst, []byte{9, 3, 27, 17}, 1, 4)
		if dst[0] != c.want {
			t.Errorf("%s %v: %d, want %d", c.info.Name, c.mode, dst[0], c.want)
		}
	}
	dst := []byte{0}
	ResolveStencil(vk.ResolveModeMaxBit, dst, []byte{9, 3, 27, 17}, 1, 4)
	if dst[0] != 27 || CheckResolve(vk.ResolveModeAverageBit, vk.ImageAspectStencilBit) == nil {
		t.Error("stencil: MAX is 27, AVERAGE is refused")
	}
	depth := make([]byte, 8)
	for i, v := range []float32{.5, .25, 1, .25} {
		StoreDepth(DepthD16, depth[2*i:], EncodeDepth(DepthD16, v))
	}
	out := make([]byte, 2)
	for mode, want := range map[vk.ResolveModeFlags]float32{
		vk.ResolveModeSampleZeroBit: .5, vk.ResolveModeMinBit: .25, vk.ResolveModeMaxBit: 1, vk.ResolveModeAverageBit: .5,
	} {
		ResolveDepth(DepthD16, mode, out, depth, 1, 4)
		if got := LoadDepth(DepthD16, out); got != EncodeDepth(DepthD16, want) {
			t.Errorf("depth %v: code %d, want that of %v", mode, got, want)
		}
	}
}
