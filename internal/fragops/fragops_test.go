package fragops

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

func TestAlphaToCoverage_RAS317_Table(t *testing.T) {
	rules.Covers(t, "RC-65", "RAS-317")
	nan := float32(math.NaN())
	for _, c := range []struct {
		alpha float32
		want  uint64
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
			if got := fp.Compare(op, z, .5); got != want[i] {
				t.Errorf("%v(%v, .5) = %v", op, z, got)
			}
		}
		if got, want := fp.Compare(op, nan, .5), op == vk.CompareOpNotEqual || op == vk.CompareOpAlways; got != want {
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
