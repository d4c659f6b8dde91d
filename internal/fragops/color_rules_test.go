package fragops

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// write1 writes one source to one texel.
func write1(t *testing.T, d ColorDesc, mem []byte, src [4]uint32) {
	t.Helper()
	d.WriteEnable = true
	d.State.ColorWriteMask = allComponents
	w, err := NewColor(d)
	if err != nil {
		t.Fatal(err)
	}
	var lanes [4][]uint32
	for c := range lanes {
		lanes[c] = []uint32{src[c]}
	}
	w.Write(&Surface{Data: mem, TexelPitch: len(mem)}, []Fragment{{Mask: 1}}, &lanes, nil)
}

func lookup(t *testing.T, f vk.Format) *format.Info {
	t.Helper()
	info, ok := format.Lookup(f)
	if !ok {
		t.Fatalf("no format %v", f)
	}
	return info
}

func float4(r, g, b, a float32) [4]uint32 {
	return [4]uint32{math.Float32bits(r), math.Float32bits(g), math.Float32bits(b), math.Float32bits(a)}
}

// blendState weighs source and destination by one half.
func blendState(op vk.BlendOp) vk.PipelineColorBlendAttachmentState {
	return vk.PipelineColorBlendAttachmentState{
		BlendEnable: true, ColorBlendOp: op, AlphaBlendOp: op,
		SrcColorBlendFactor: vk.BlendFactorConstantColor, DstColorBlendFactor: vk.BlendFactorConstantColor,
		SrcAlphaBlendFactor: vk.BlendFactorConstantAlpha, DstAlphaBlendFactor: vk.BlendFactorConstantAlpha,
	}
}

// TestBlend_RAS341_Operations: binary32 attachments show the results as they are.
func TestBlend_RAS341_Operations(t *testing.T) {
	rules.Covers(t, "RAS-337", "RAS-341")
	for op, want := range map[vk.BlendOp][4]float32{
		vk.BlendOpAdd: {1.5, 0.5, -0.25, 2}, vk.BlendOpSubtract: {0.5, -1.5, 1.25, -1}, vk.BlendOpReverseSubtract: {-0.5, 1.5, -1.25, 1},
		vk.BlendOpMin: {1, -1, -1.5, 1}, vk.BlendOpMax: {2, 2, 1, 3}, // factors do not count
	} {
		mem := make([]byte, 16)
		for c, v := range [4]float32{1, 2, -1.5, 3} {
			binary.LittleEndian.PutUint32(mem[4*c:], math.Float32bits(v))
		}
		write1(t, ColorDesc{Info: lookup(t, vk.FormatR32G32B32A32Sfloat), State: blendState(op), Constants: Vec4{.5, .5, .5, .5}}, mem, float4(2, -1, 1, 1))
		for c, w := range want {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(mem[4*c:])); got != w {
				t.Errorf("%v, component %d: %v, want %v", op, c, got, w)
			}
		}
	}
}

// TestBlend_RAS339_Clamps: normalized formats clamp source and constants before
// the operation, floats do not.
func TestBlend_RAS339_Clamps(t *testing.T) {
	rules.Covers(t, "RAS-339")
	state := blendState(vk.BlendOpSubtract)
	state.DstColorBlendFactor = vk.BlendFactorOne // s·k − d, where k and s are 3
	unorm := []byte{51, 51, 51, 51}
	write1(t, ColorDesc{Info: lookup(t, vk.FormatR8G8B8A8Unorm), State: state, Constants: Vec4{3, 3, 3, 3}}, unorm, float4(3, -3, 0.5, 1))
	if unorm[0] != 204 || unorm[1] != 0 || unorm[2] != 77 { // 1·1−0.2, 0−0.2, 0.5−0.2
		t.Errorf("UNORM: %v, want 204, 0, 77", unorm)
	}
	snorm := []byte{0, 0, 0, 0}
	write1(t, ColorDesc{Info: lookup(t, vk.FormatR8G8B8A8Snorm), State: state, Constants: Vec4{-3, 3, 3, 3}}, snorm, float4(3, -3, 0.5, 1))
	if int8(snorm[0]) != -127 || int8(snorm[1]) != -127 || int8(snorm[2]) != 64 { // 1·−1, −1·1, 0.5·1
		t.Errorf("SNORM: %v, want −127, −127, 64", snorm)
	}
	half := make([]byte, 8)
	write1(t, ColorDesc{Info: lookup(t, vk.FormatR16G16B16A16Sfloat), State: state, Constants: Vec4{3, 3, 3, 3}}, half, float4(3, -3, 0.5, 1))
	if binary.LittleEndian.Uint16(half) != 0x4880 { // 9
		t.Errorf("float: %#x, want 9 (0x4880)", half[:2])
	}
}

// TestBlend_RAS343_SrgbBlendsInLinearLight: half of white and half of black is
// code 188, alpha's is 128.
func TestBlend_RAS343_SrgbBlendsInLinearLight(t *testing.T) {
	rules.Covers(t, "RAS-343")
	mem := []byte{0, 255, 0, 0}
	write1(t, ColorDesc{Info: lookup(t, vk.FormatR8G8B8A8Srgb), State: blendState(vk.BlendOpAdd), Constants: Vec4{.5, .5, .5, .5}}, mem, float4(1, 0, 0, 1))
	if mem[0] != 188 || mem[1] != 188 || mem[2] != 0 || mem[3] != 128 {
		t.Errorf("%v, want 188, 188, 0, 128", mem)
	}
}

// TestLogicOp_RAS346_Table runs all operations on the four pairs of bits.
func TestLogicOp_RAS346_Table(t *testing.T) {
	rules.Covers(t, "RAS-346")
	const s, d = 0b1100, 0b1010
	for op, want := range map[vk.LogicOp]uint32{
		vk.LogicOpClear: 0, vk.LogicOpAnd: s & d, vk.LogicOpAndReverse: s &^ d, vk.LogicOpCopy: s, vk.LogicOpAndInverted: d &^ s, vk.LogicOpNoOp: d,
		vk.LogicOpXor: s ^ d, vk.LogicOpOr: s | d, vk.LogicOpNor: 15 &^ (s | d), vk.LogicOpEquivalent: 15 &^ (s ^ d), vk.LogicOpInvert: 15 &^ d,
		vk.LogicOpOrReverse: s | 15&^d, vk.LogicOpCopyInverted: 15 &^ s, vk.LogicOpOrInverted: 15&^s | d, vk.LogicOpNand: 15 &^ (s & d), vk.LogicOpSet: 15,
	} {
		mem := []byte{d, 0x50 | d, 0, 0}
		write1(t, ColorDesc{Info: lookup(t, vk.FormatR8G8B8A8Uint), LogicOpEnable: true, LogicOp: op}, mem, [4]uint32{s, 0x30 | s, 0, 0})
		if uint32(mem[0]&15) != want || uint32(mem[1]&15) != want {
			t.Errorf("%v of %04b and %04b: %04b, want %04b", op, s, d, mem[0]&15, want)
		}
	}
}

// TestColor_RAS348_Conversions: floats are rounded and clamped, integers of
// another range are clamped, and of a type that does not match the bits count:
// Mesa's zink copies between formats with shaders that write integers as floats.
func TestColor_RAS348_Conversions(t *testing.T) {
	rules.Covers(t, "RAS-348", "RAS-004")
	for _, c := range []struct {
		name   string
		format vk.Format
		src    [4]uint32
		want   []byte
	}{
		{"UNORM", vk.FormatR8G8B8A8Unorm, float4(0.5, 2, -1, 1.0/255), []byte{128, 255, 0, 1}},
		{"SNORM", vk.FormatR8G8B8A8Snorm, float4(-2, -1, 0.5, 1), []byte{0x81, 0x81, 64, 127}},
		{"NaN", vk.FormatR8G8B8A8Unorm, [4]uint32{0x7FC00000, 0, 0, 0}, []byte{0, 0, 0, 0}},
		{"USCALED", vk.FormatR8G8B8A8Uscaled, float4(2.5, 254.5, 1e9, -1), []byte{2, 254, 255, 0}},
		{"SSCALED", vk.FormatR8G8B8A8Sscaled, float4(-1.5, -128.5, 127.5, 0.5), []byte{0xFE, 0x80, 127, 0}},
		{"NaN, infinities", vk.FormatR8G8B8A8Sscaled, [4]uint32{0x7FC00000, 0x7F800000, 0xFF800000, 0x80000000}, []byte{0, 127, 0x80, 0}},
		{"UINT", vk.FormatR8G8B8A8Uint, [4]uint32{7, 255, 256, 0xFFFFFFFF}, []byte{7, 255, 255, 255}},
		{"SINT", vk.FormatR8G8B8A8Sint, [4]uint32{0xFFFFFFFF, 127, 128, 0x80000000}, []byte{0xFF, 127, 127, 0x80}},
		{"floats into integers", vk.FormatR32Uint, float4(7, 7, 7, 7), []byte{0, 0, 0xE0, 0x40}},
		{"integers into floats", vk.FormatR8G8B8A8Unorm, [4]uint32{7, 0x3F800000, 0xFFFFFFFF, 0x3F000000}, []byte{0, 255, 0, 128}},
	} {
		mem := []byte{9, 9, 9, 9}
		write1(t, ColorDesc{Info: lookup(t, c.format)}, mem, c.src)
		if string(mem) != string(c.want) {
			t.Errorf("%s: %v, want %v", c.name, mem, c.want)
		}
	}
}

// A mask leaves out only what the format has, and nothing is read of what a state overwrites or leaves alone.
func TestColor_RAS347_MaskOfMissingComponents(t *testing.T) {
	rules.Covers(t, "RAS-347")
	const r, g, b, a = vk.ColorComponentRBit, vk.ColorComponentGBit, vk.ColorComponentBBit, vk.ColorComponentABit
	for _, c := range []struct {
		name          string
		format        vk.Format
		mask          vk.ColorComponentFlags
		logic         vk.LogicOp
		logical       bool
		active, reads bool
	}{
		{"all that there is", vk.FormatR16G16Snorm, r | g | a, 0, false, true, false},
		{"all but one", vk.FormatR16G16Snorm, r | b | a, 0, false, true, true},
		{"none that there is", vk.FormatR32Sint, g | b | a, 0, false, false, false},
		{"only alpha", vk.FormatA8Unorm, a, 0, false, true, false},
		{"no alpha to write", vk.FormatE5B9G9R9UfloatPack32, a, 0, false, false, false},
		{"a shared exponent", vk.FormatE5B9G9R9UfloatPack32, r | g | b, 0, false, true, false},
		{"no-op", vk.FormatR8G8B8A8Uint, r | g | b | a, vk.LogicOpNoOp, true, false, false},
		{"copy", vk.FormatR8G8B8A8Uint, r | g | b | a, vk.LogicOpCopy, true, true, false},
		{"clear", vk.FormatR8G8B8A8Uint, r | g | b | a, vk.LogicOpClear, true, true, false},
		{"set", vk.FormatR8G8B8A8Uint, r | g | b | a, vk.LogicOpSet, true, true, false},
		{"inverted copy", vk.FormatR8G8B8A8Uint, r | g | b | a, vk.LogicOpCopyInverted, true, true, false},
		{"inverted copy of some", vk.FormatR8G8B8A8Uint, r | g, vk.LogicOpCopyInverted, true, true, true},
		{"no-op of floats, which is none", vk.FormatR16Sfloat, r, vk.LogicOpNoOp, true, true, false},
		{"invert", vk.FormatR8G8B8A8Uint, r | g | b | a, vk.LogicOpInvert, true, true, true},
	} {
		w, err := NewColor(ColorDesc{Info: lookup(t, c.format), State: vk.PipelineColorBlendAttachmentState{ColorWriteMask: c.mask}, LogicOpEnable: c.logical, LogicOp: c.logic, WriteEnable: true})
		if err != nil {
			t.Fatal(err)
		}
		if w.Active() != c.active || (w.ReadsDestination() && w.Active()) != c.reads {
			t.Errorf("%s: active %v, reads %v, want %v, %v", c.name, w.Active(), w.ReadsDestination(), c.active, c.reads)
		}
	}
}
