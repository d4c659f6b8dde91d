package spirv

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// FPEncoding is an encoding of floats other than that of IEEE 754, one more than SPIR-V's number, 0 where there is none.
type FPEncoding uint32

// The encodings that modules may have (SPV_KHR_bfloat16, SPV_EXT_float8).
const (
	BFloat16   FPEncoding = 1 + 0
	Float8E4M3 FPEncoding = 1 + 4214
	Float8E5M2 FPEncoding = 1 + 4215
)

// String describes the type for messages.
func (e FPEncoding) String() string {
	switch e {
	case BFloat16:
		return "bfloat16"
	case Float8E4M3:
		return "float8 (E4M3)"
	case Float8E5M2:
		return "float8 (E5M2)"
	}
	return "float of an unknown encoding"
}

// defineCoded is OpTypeFloat with an encoding.
func (m *Module) defineCoded(in *Inst, t *Type) error {
	need, width := CapabilityFloat8EXT, uint32(8)
	switch t.Coded = FPEncoding(in.Operands[1] + 1); t.Coded {
	case BFloat16:
		need, width = CapabilityBFloat16TypeKHR, 16
	case Float8E4M3, Float8E5M2:
	default:
		return in.errorf("_data_rules", "unsupported float encoding %d", in.Operands[1])
	}
	if t.Width != width || !m.declared[need] {
		return in.errorf("_capability", "%v of %d bits; it has %d and needs the capability %v", t.Coded, t.Width, width, need)
	}
	m.setType(in.Result, t)
	return nil
}

// Float8 describes an encoding of eight bits: the bits of the mantissa, the bias, and the codes of the largest number and of a NaN.
// What is beyond the largest is the next code: an infinity of E5M2, a NaN of E4M3, which has no infinity.
type Float8 struct{ Mantissa, Bias, Largest, NaN uint32 }

// Float8 describes the encoding, which is one of those of eight bits.
func (e FPEncoding) Float8() Float8 {
	if e == Float8E4M3 {
		return Float8{3, 7, 0x7E, 0x7F}
	}
	return Float8{2, 15, 0x7B, 0x7E}
}

// decodeFloat gives the value of bits as the bits of a binary32.
func decodeFloat(x uint32, e FPEncoding) uint32 {
	if e == BFloat16 {
		return x << 16
	}
	s, code := e.Float8(), x&0x7F
	mantissa, exponent := code&(1<<s.Mantissa-1), int(code>>s.Mantissa)
	unit := -int(s.Bias + s.Mantissa)
	value := math.Ldexp(float64(mantissa), 1+unit)
	switch {
	case code > s.Largest+1 || code == s.NaN:
		return fp.CanonicalNaN
	case code == s.Largest+1:
		value = math.Inf(1)
	case exponent != 0:
		value = math.Ldexp(float64(mantissa+1<<s.Mantissa), exponent+unit)
	}
	return math.Float32bits(float32(value)) | x&0x80<<24
}

// encodeFloat rounds the bits of a binary32 to the nearest of an encoding, ties to even.
func encodeFloat(x uint32, e FPEncoding) uint32 {
	f := float64(math.Float32frombits(x &^ (1 << 31)))
	if e == BFloat16 {
		if f != f {
			return fp.CanonicalNaN >> 16
		}
		return (x + 0x7FFF + x>>16&1) >> 16
	}
	s := e.Float8()
	if f != f {
		return s.NaN
	}
	sign := x >> 24 & 0x80
	if f == 0 {
		return sign
	}
	_, exponent := math.Frexp(f) // f is from 2^(exponent-1) up to 2^exponent
	exponent = max(exponent-1, 1-int(s.Bias))
	units := math.RoundToEven(math.Ldexp(f, int(s.Mantissa)-exponent)) // of 2^(exponent-mantissa)
	if math.IsInf(units, 0) {
		return sign | (s.Largest + 1)
	}
	code := int(units) + (exponent+int(s.Bias)-1)<<s.Mantissa
	return sign | uint32(min(code, int(s.Largest)+1))
}
