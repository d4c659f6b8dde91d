package spirv

import (
	"math"
	"strings"
	"testing"
)

// Values by hand from the formats: E4M3 has a bias of 7 and no infinity, E5M2 a bias of 15, bfloat16 is the upper half
// of a binary32.
func TestEncodings_Values(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		e    FPEncoding
		code uint32
		want float64
	}{
		{Float8E4M3, 0x01, 0x1p-9}, {Float8E4M3, 0x07, 7 * 0x1p-9}, {Float8E4M3, 0x08, 0x1p-6}, {Float8E4M3, 0xB8, -1}, {Float8E4M3, 0x7E, 448}, {Float8E4M3, 0x7F, nan}, {Float8E4M3, 0xFF, nan},
		{Float8E4M3, 0x80, math.Copysign(0, -1)},
		{Float8E5M2, 0x01, 0x1p-16}, {Float8E5M2, 0x04, 0x1p-14}, {Float8E5M2, 0xBC, -1}, {Float8E5M2, 0x7B, 57344}, {Float8E5M2, 0x7C, inf}, {Float8E5M2, 0xFC, -inf}, {Float8E5M2, 0x7D, nan}, {Float8E5M2, 0x7E, nan}, {Float8E5M2, 0x7F, nan},
		{BFloat16, 0x3F80, 1}, {BFloat16, 0xC049, -3.140625}, {BFloat16, 0x0001, 0x1p-133}, {BFloat16, 0x7F80, inf}, {BFloat16, 0x7FC0, nan},
	} {
		got := float64(math.Float32frombits(decodeFloat(c.code, c.e)))
		if got != c.want && (got == got || c.want == c.want) || math.Signbit(got) != math.Signbit(c.want) && got == got {
			t.Errorf("%v %#x: %g, want %g", c.e, c.code, got, c.want)
		}
		if back := encodeFloat(math.Float32bits(float32(c.want)), c.e); c.want == c.want && back != c.code {
			t.Errorf("%v: %g becomes %#x, want %#x", c.e, c.want, back, c.code)
		}
	}
}

// Ties go to even codes, and what is beyond half a step above the largest number is beyond.
func TestEncodings_Rounding(t *testing.T) {
	for _, c := range []struct {
		e    FPEncoding
		x    float32
		want uint32
	}{
		{Float8E4M3, 1 + 1.0/16, 0x38}, {Float8E4M3, 1 + 3.0/16, 0x3A}, {Float8E4M3, 1.0626, 0x39}, {Float8E4M3, 0x1p-10, 0}, {Float8E4M3, 0x1.8p-9, 2}, {Float8E4M3, 0x1.01p-10, 1}, {Float8E4M3, 7.5 * 0x1p-9, 8},
		{Float8E4M3, 464, 0x7E}, {Float8E4M3, 464.01, 0x7F}, {Float8E4M3, 1e30, 0x7F}, {Float8E4M3, -1e30, 0xFF}, {Float8E4M3, float32(math.Inf(-1)), 0xFF}, {Float8E4M3, float32(math.NaN()), 0x7F},
		{Float8E5M2, 1 + 1.0/8, 0x3C}, {Float8E5M2, 1 + 3.0/8, 0x3E}, {Float8E5M2, 0x1p-17, 0}, {Float8E5M2, 61439, 0x7B}, {Float8E5M2, 61440, 0x7C}, {Float8E5M2, float32(math.Inf(-1)), 0xFC}, {Float8E5M2, float32(math.NaN()), 0x7E},
		{BFloat16, 1 + 0x1p-8, 0x3F80}, {BFloat16, 1 + 0x3p-8, 0x3F82}, {BFloat16, math.MaxFloat32, 0x7F80}, {BFloat16, float32(math.NaN()), 0x7FC0},
	} {
		if got := encodeFloat(math.Float32bits(c.x), c.e); got != c.want {
			t.Errorf("%v: %g becomes %#x, want %#x", c.e, c.x, got, c.want)
		}
	}
	// One rounding of a binary64: a tie by the nearest binary32 is none.
	from, to := &Type{Kind: KindFloat, Width: 64}, &Type{Kind: KindFloat, Width: 16, Coded: BFloat16}
	if got, ok := floatConvert(math.Float64bits(1+0x1p-8+0x1p-50), from, to, floatModes{}); got != 0x3F81 || !ok {
		t.Errorf("a little more than a tie becomes %#x, want 0x3F81", got)
	}
}

func TestEncodings_WhatIsRefused(t *testing.T) {
	for _, c := range []struct {
		capability Capability
		width      uint32
		encoding   uint32
		op         Op
		want       string // empty: accepted
	}{
		{CapabilityBFloat16TypeKHR, 16, 0, OpFConvert, ""},
		{CapabilityFloat8EXT, 8, 4214, OpFConvert, ""},
		{CapabilityFloat8EXT, 8, 4215, OpFConvert, ""},
		{CapabilityFloat8EXT, 16, 4215, OpFConvert, "of 16 bits"},
		{CapabilityBFloat16TypeKHR, 32, 0, OpFConvert, "of 32 bits"},
		{CapabilityFloat8EXT, 16, 0, OpFConvert, "needs the capability"},
		{CapabilityBFloat16TypeKHR, 8, 4214, OpFConvert, "needs the capability"},
		{CapabilityFloat8EXT, 8, 4230, OpFConvert, "unsupported float encoding"},
		{CapabilityBFloat16TypeKHR, 16, 0, OpFNegate, "no arithmetic"},
		{CapabilityFloat8EXT, 8, 4214, OpIsNan, "no arithmetic"},
	} {
		source, result := uint32(9), uint32(7)
		switch c.op {
		case OpFNegate:
			source = 8
		case OpIsNan:
			source, result = 8, 3
		}
		words := asm(shader, []uint32{uint32(OpCapability), uint32(c.capability)}, model, void, fnType, boolType,
			[]uint32{uint32(OpTypeFloat), 6, 32}, []uint32{uint32(OpTypeFloat), 7, c.width, c.encoding},
			[]uint32{uint32(OpConstantNull), 7, 8}, []uint32{uint32(OpConstantNull), 6, 9},
			fnBegin, label10, []uint32{uint32(c.op), result, 20, source}, ret, fnEnd)
		if _, err := Parse(words); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, %d bits, encoding %d, %v: %v; want %q", c.capability, c.width, c.encoding, c.op, err, c.want)
		}
	}
}
