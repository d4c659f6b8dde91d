// Package pack lowers the conversion of numbers to the codes of formats, which attachments and storage
// images have in common, and comparisons, which tests and samplers have.
package pack

import (
	"bytes"
	"encoding/binary"
	"math"
	"sync"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// Number is a value with what is known about it: Lo ≤ V ≤ Hi unless it is a NaN, which
// it is not where NaN is false. The sign of a zero is not known. A constant has Lo = Hi.
type Number struct {
	V      ir.Value
	Lo, Hi float32
	NaN    bool
}

// Is says that n is a constant.
func (n Number) Is(c float32) bool { return !n.NaN && n.Lo == c && n.Hi == c }

// Any is a number of which nothing is known.
func Any(v ir.Value) Number {
	return Number{V: v, Lo: float32(math.Inf(-1)), Hi: float32(math.Inf(1)), NaN: true}
}

// Clamp limits n to an interval that holds 0, which takes the place of a NaN.
func Clamp(b *ir.Builder, n Number, lo, hi float32) Number {
	if n.NaN && lo != 0 {
		n.V, n.NaN = b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFEq, ir.Bool, n.V, n.V), n.V, b.F32(0)), false
	}
	if n.NaN || n.Lo < lo { // FMax takes the other operand for a NaN
		n.V, n.Lo, n.NaN = b.Op(ir.OpFMax, ir.F32, n.V, b.F32(lo)), lo, false
	}
	if n.Hi > hi {
		n.V, n.Hi = b.Op(ir.OpFMin, ir.F32, n.V, b.F32(hi)), hi
	}
	return n
}

// Encode is the code of a component in the low bits of a word. The bits above are
// those of bias, or go beyond the word where the code stands in it.
func Encode(b *ir.Builder, c *format.Component, n Number) (code ir.Value, bias uint32) {
	bits, top := uint32(c.Bits), c.Shift%32+c.Bits == 32
	limit := uint32(uint64(1)<<bits - 1)
	low := func(v ir.Value) ir.Value {
		if top {
			return v
		}
		return b.Op(ir.OpAnd, ir.I32, v, b.I32(limit))
	}
	switch c.Numeric {
	case format.NumericUnorm:
		return round(b, Clamp(b, n, 0, 1), float32(limit), UnormBias), UnormBias
	case format.NumericSnorm:
		return low(round(b, Clamp(b, n, -1, 1), float32(limit>>1), snormBias)), 0
	case format.NumericUscaled: // IMG-380
		return round(b, Clamp(b, n, 0, float32(limit)), 1, UnormBias), UnormBias
	case format.NumericSscaled: // IMG-380
		half := float32(limit >> 1)
		return low(round(b, Clamp(b, n, -half-1, half), 1, snormBias)), 0
	case format.NumericSrgb:
		return toSrgb(b, n), 0
	case format.NumericUint: // IMG-381: saturate
		if bits == 32 {
			return n.V, 0
		}
		return b.Op(ir.OpUMin, ir.I32, n.V, b.I32(limit)), 0
	case format.NumericSint: // IMG-381
		if bits == 32 {
			return n.V, 0
		}
		v := b.Op(ir.OpSMin, ir.I32, n.V, b.I32(limit>>1))
		return low(b.Op(ir.OpSMax, ir.I32, v, b.I32(^(limit >> 1)))), 0
	case format.NumericUfloat:
		return toUfloat(b, n, bits-5), 0
	default: // NumericSfloat
		if bits == 16 {
			return b.Op(ir.OpF2H, ir.I32, n.V), 0 // IMG-378
		}
		return b.Op(ir.OpBitcast, ir.I32, n.V), 0
	}
}

// UnormBias and snormBias are floats of which one unit is one in the last place: a fused sum with them rounds
// the exact product to an integer, ties to even, which then stands in the low bits.
// That holds for products below 2^23 that are positive, or below 2^22 of any sign.
const (
	UnormBias = 0x4B000000 // 2^23
	snormBias = 0x4B400000 // 1.5·2^23
)

// round is n·limit rounded to an integer, ties to even, plus the bias.
//
// IMG-376, IMG-377, IMG-380, RAS-004 fundamentals-fpfixedconv
func round(b *ir.Builder, n Number, limit float32, bias uint32) ir.Value {
	if limit == 1 {
		return b.Op(ir.OpBitcast, ir.I32, b.Op(ir.OpFAdd, ir.F32, n.V, b.Const(ir.F32, bias)))
	}
	return b.Op(ir.OpBitcast, ir.I32, b.Op(ir.OpFma, ir.F32, n.V, b.F32(limit), b.Const(ir.F32, bias)))
}

// toUfloat rounds to a float without sign, with 5 exponent bits and m mantissa bits:
// fp's floatToUnsigned without branches.
//
// IMG-379
func toUfloat(b *ir.Builder, n Number, m uint32) ir.Value {
	shift, magic := 23-m, (127+9-m)<<23
	// From 65536 on infinity, which that is the code of; what is negative 0.
	v := b.Op(ir.OpFMin, ir.F32, b.Op(ir.OpFMax, ir.F32, n.V, b.F32(0)), b.F32(65536))
	w := b.Op(ir.OpBitcast, ir.I32, v)
	odd := b.Op(ir.OpAnd, ir.I32, shr(b, w, shift), b.I32(1))
	up := b.Op(ir.OpIAdd, ir.I32, w, b.I32(1<<(shift-1)-1-(127-15)<<23))
	normal := shr(b, b.Op(ir.OpIAdd, ir.I32, up, odd), shift)
	// A denormal's unit is that of floats around magic.
	denormal := b.Op(ir.OpISub, ir.I32, b.Op(ir.OpBitcast, ir.I32, b.Op(ir.OpFAdd, ir.F32, v, b.Const(ir.F32, magic))), b.I32(magic))
	code := b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpFLt, ir.Bool, v, b.F32(0x1p-14)), denormal, normal)
	return b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpFEq, ir.Bool, n.V, n.V), code, b.I32(0x3F<<(m-1)))
}

// Groups of floats that share exponent and seven upper mantissa bits, from the float
// below which all codes are 0 to 1. Each has one code or two.
const (
	srgbFirst = 0x3900 // 2^-13
	srgbLast  = 0x3F7F
)

// toSrgb is the code of a linear value. A look-up by group finds its first code and
// how many of its floats have that, in a word to which the float's bits are added:
// its upper half is the code, with the carry out of the lower.
//
// IMG-249, IMG-376, IMG-375 KDF:TRANSFER_SRGB_INVEOTF
func toSrgb(b *ir.Builder, n Number) ir.Value {
	table := SrgbTable(b)
	n = Number{V: b.Op(ir.OpFMax, ir.F32, n.V, b.Const(ir.F32, srgbFirst<<16))} // NaN, too
	v := b.Op(ir.OpBitcast, ir.I32, b.Op(ir.OpFMin, ir.F32, n.V, b.Const(ir.F32, 0x3F7FFFFF)))
	at := b.Op(ir.OpISub, ir.I32, shl(b, shr(b, v, 16), 2), b.I32(4*srgbFirst-srgbCodes-table))
	return shr(b, b.Op(ir.OpIAdd, ir.I32, v, b.Op(ir.OpLoadTable, ir.I32, at)), 16)
}

// Srgb is the codes of linear values, each at its bit of a word, for engines that permute tables: a line for each
// quarter of an octave gives a code or the one before it, and where the next one begins decides. The bits of bias are
// in the word as well.
//
// IMG-249, IMG-376 KDF:TRANSFER_SRGB_INVEOTF
func Srgb(b *ir.Builder, list []Number, shifts []uint32) (word ir.Value, bias uint32) {
	table := addTable(b, srgbLines())
	word = ir.NoValue
	values := make([]ir.Value, len(list))
	for i, n := range list {
		values[i] = Clamp(b, n, 0, math.Nextafter32(1, 0)).V
		line := b.Op(ir.OpShrU, ir.I32, b.Op(ir.OpBitcast, ir.I32, b.Op(ir.OpFMax, ir.F32, values[i], b.F32(srgbLowest))), b.I32(21))
		at := b.Op(ir.OpAnd, ir.I32, shl(b, line, 2), b.I32(4*(srgbLineCount-1)))
		of := func(table uint32) ir.Value {
			return b.Op(ir.OpLoadTable, ir.F32, b.Op(ir.OpIAdd, ir.I32, at, b.I32(table)))
		}
		code := b.Op(ir.OpBitcast, ir.I32, b.Op(ir.OpFma, ir.F32, values[i], of(table+srgbSlopes), of(table+srgbFrom)))
		if code = shl(b, code, shifts[i]); word != ir.NoValue {
			code = b.Op(ir.OpIAdd, ir.I32, word, code)
		}
		word = code
		bias += UnormBias << shifts[i]
	}
	codes := word
	for i, x := range values {
		at := b.Op(ir.OpAnd, ir.I32, shl(b, codes, 2), b.I32(255<<2))
		if shifts[i] > 0 {
			at = b.Op(ir.OpAnd, ir.I32, shr(b, codes, shifts[i]-2), b.I32(255<<2))
		}
		next := b.Op(ir.OpLoadTable, ir.F32, b.Op(ir.OpIAdd, ir.I32, at, b.I32(table)))
		word = b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpFLe, ir.Bool, next, x), b.Op(ir.OpIAdd, ir.I32, word, b.I32(1<<shifts[i])), word)
	}
	return word, bias
}

// Lines go from 2^-8 to 1, four in an octave; the first one goes down to 0. In their table are where
// the code after each begins, slopes, and what there is at 0, with UnormBias.
const (
	srgbLowest    = 0x1p-8
	srgbLineCount = 32
	srgbSlopes    = 4 * 256
	srgbFrom      = srgbSlopes + 4*srgbLineCount
)

var srgbLines = sync.OnceValue(func() (t []byte) {
	put := func(v float32) { t = binary.LittleEndian.AppendUint32(t, math.Float32bits(v)) }
	start := func(code int) float32 { return math.Float32frombits(fp.SrgbStart(uint8(code))) }
	for code := 1; code < 256; code++ {
		put(start(code))
	}
	put(float32(math.Inf(1)))
	// code is the code of x and how far it is to the next one, more or less.
	code := func(x float64) float64 {
		k := min(max(int(fp.LinearToSrgb(float32(x))), 1), 254)
		from, to := float64(start(k)), float64(start(k+1))
		return float64(k) + (x-from)/(to-from)
	}
	var slopes, from [srgbLineCount]float32
	for line := range uint32(srgbLineCount) {
		low, high := float64(math.Float32frombits(math.Float32bits(srgbLowest)+line<<21)), float64(math.Float32frombits(math.Float32bits(srgbLowest)+(line+1)<<21))
		// A chord lies below the curve, less than half a code. So that what it has at 0 is an integer, it turns
		// about the middle; a fused sum rounds to the nearest, which is half a code more. Below the first one the
		// curve is straight, and half a code at 0.
		slope, at := (code(high)-0.5)/high, 0.
		if line > 0 {
			slope = (code(high) - code(low)) / (high - low)
			zero := code(low) - float64(slope*low)
			at = math.Floor(zero - 0.5)
			slope += (zero - 0.65 - at) / ((low + high) / 2)
		}
		i := (math.Float32bits(float32(srgbLowest)) + line<<21) >> 21 % srgbLineCount
		slopes[i], from[i] = float32(slope), float32(at+1<<23)
	}
	for _, v := range slopes {
		put(v)
	}
	for _, v := range from {
		put(v)
	}
	return t
})

// srgbCodes is where in the table the words of toSrgb begin; those of fromSrgb stand
// before them.
const srgbCodes = 4 * 256

// SrgbTable is where in the program's table that begins which converts to sRGB and from it, the
// linear values of the codes first. It is added where it is missing.
func SrgbTable(b *ir.Builder) uint32 { return addTable(b, srgbTable()) }

// addTable is where words are in the program's table, to which they are added where they are missing.
func addTable(b *ir.Builder, words []byte) uint32 {
	if at := bytes.LastIndex(b.P.Table, words); at >= 0 && at%4 == 0 {
		return uint32(at)
	}
	at := (len(b.P.Table) + 3) &^ 3
	b.P.Table = append(append(make([]byte, 0, at+len(words)), b.P.Table...), make([]byte, at-len(b.P.Table))...)
	b.P.Table = append(b.P.Table, words...)
	return uint32(at)
}

var srgbTable = sync.OnceValue(func() (t []byte) {
	for c := range 256 {
		t = binary.LittleEndian.AppendUint32(t, math.Float32bits(fp.SrgbToLinear(uint8(c))))
	}
	for group := uint32(srgbFirst); group <= srgbLast; group++ {
		code := uint32(fp.LinearToSrgb(math.Float32frombits(group << 16)))
		next := uint32(1 << 16)
		if code < 255 {
			next = min(next, fp.SrgbStart(uint8(code+1))-group<<16)
		}
		t = binary.LittleEndian.AppendUint32(t, code<<16+1<<16-next-group<<16)
	}
	return t
})

func shl(b *ir.Builder, v ir.Value, n uint32) ir.Value {
	if n == 0 {
		return v
	}
	return b.Op(ir.OpShl, ir.I32, v, b.I32(n))
}

func shr(b *ir.Builder, v ir.Value, n uint32) ir.Value {
	if n == 0 {
		return v
	}
	return b.Op(ir.OpShrU, ir.I32, v, b.I32(n))
}

// Compare is reference op test, for floats or codes.
//
// RAS-325 VkCompareOp
func Compare(b *ir.Builder, op vk.CompareOp, reference, test ir.Value) ir.Value {
	less, lessEqual, equal, notEqual := ir.OpSLt, ir.OpSLe, ir.OpIEq, ir.OpINe // codes have 24 bits
	if b.P.Insts[test].Type == ir.F32 {
		less, lessEqual, equal, notEqual = ir.OpFLt, ir.OpFLe, ir.OpFEq, ir.OpFNe
	}
	switch op {
	case vk.CompareOpLess:
		return b.Op(less, ir.Bool, reference, test)
	case vk.CompareOpEqual:
		return b.Op(equal, ir.Bool, reference, test)
	case vk.CompareOpLessOrEqual:
		return b.Op(lessEqual, ir.Bool, reference, test)
	case vk.CompareOpGreater:
		return b.Op(less, ir.Bool, test, reference)
	case vk.CompareOpNotEqual:
		return b.Op(notEqual, ir.Bool, reference, test)
	case vk.CompareOpGreaterOrEqual:
		return b.Op(lessEqual, ir.Bool, test, reference)
	case vk.CompareOpAlways:
		return b.Bool(true)
	default: // Never; the reference has refused what is none
		return b.Bool(false)
	}
}
