package programs

import (
	"math"
	"math/big"
	"slices"
	"sync"
)

// Exact arithmetic: what a float stands for, and the float nearest to a number, ties to even.

// A form is how floats are written: bits of the significand with the one before the point, and the smallest exponent of
// numbers that are no denormals.
type form struct{ significand, least int }

func (k kind) form() form {
	return map[kind]form{f16: {11, -14}, f32: {24, -126}, f64: {53, -1022}}[k]
}

// canonical is the NaN that arithmetic gives.
func (k kind) canonical() uint64 {
	return map[kind]uint64{f16: 0x7E00, f32: 0x7FC00000, f64: 0x7FF8 << 48}[k]
}

// mask is all bits of a kind.
func (k kind) mask() uint64 { return ^uint64(0) >> (64 - k.bits()) }

// number is what the bits of a float stand for. Each number of 16 and of 32 bits is one of 64.
func (k kind) number(bits uint64) float64 {
	switch k {
	case f32:
		return float64(math.Float32frombits(uint32(bits)))
	case f64:
		return math.Float64frombits(bits)
	}
	sign := 1.0
	if bits>>15 != 0 {
		sign = -1
	}
	switch exponent, fraction := bits>>10&31, float64(bits&1023); exponent {
	case 0:
		return sign * fraction * 0x1p-24
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	default:
		return sign * math.Ldexp(1024+fraction, int(exponent)-25)
	}
}

// code is the bits of a float that stands for v, which is one of the kind.
func (k kind) code(v float64) uint64 {
	switch {
	case v != v:
		return k.canonical()
	case k == f64:
		return math.Float64bits(v)
	case k == f32:
		return uint64(math.Float32bits(float32(v)))
	}
	var sign uint64
	if math.Signbit(v) {
		sign, v = 1<<15, -v
	}
	switch {
	case math.IsInf(v, 0):
		return sign | 31<<10
	case v < 0x1p-14:
		return sign | uint64(v*0x1p24)
	}
	m, e := math.Frexp(v) // m in [½, 1)
	return sign | (uint64(e+14)<<10 + uint64(m*2048) - 1024)
}

// steps is x as a multiple of the distance between floats around it, which is 2^unit.
func (k kind) steps(x *big.Float) (scaled *big.Float, unit int) {
	f := k.form()
	unit = max(x.MantExp(nil)-f.significand, f.least-f.significand+1)
	return new(big.Float).SetMantExp(x, -unit), unit
}

// nearest is the float nearest to x, ties to even; what is beyond the largest by half a step or more is infinite. Of 0, zero
// has the sign.
func (k kind) nearest(x *big.Float, zero float64) uint64 {
	if x.Sign() == 0 {
		return k.code(math.Copysign(0, zero))
	}
	scaled, unit := k.steps(new(big.Float).Abs(x))
	n, _ := scaled.Int(nil)
	rest := new(big.Float).SetPrec(scaled.Prec()).Sub(scaled, new(big.Float).SetInt(n))
	if c := rest.Cmp(big.NewFloat(.5)); c > 0 || c == 0 && n.Bit(0) == 1 {
		n.Add(n, big.NewInt(1))
	}
	return k.signed(n, unit, x.Sign() < 0)
}

// cut is the float next to x toward zero.
func (k kind) cut(x *big.Float, zero float64) uint64 {
	if x.Sign() == 0 {
		return k.code(math.Copysign(0, zero))
	}
	scaled, unit := k.steps(new(big.Float).Abs(x))
	n, _ := scaled.Int(nil)
	code := k.signed(n, unit, x.Sign() < 0)
	if math.IsInf(k.number(code), 0) {
		code-- // the largest number
	}
	return code
}

// signed is n·2^unit with a sign, infinite where that is no float.
func (k kind) signed(n *big.Int, unit int, negative bool) uint64 {
	v, _ := new(big.Float).SetInt(n).Float64()
	v = math.Ldexp(v, unit)
	if largest := map[kind]float64{f16: 65504, f32: math.MaxFloat32, f64: math.MaxFloat64}[k]; v > largest {
		v = math.Inf(1)
	}
	if negative {
		v = -v
	}
	return k.code(v)
}

// real is a number of the bits that exact results need.
func real(v float64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(v) }

// few is enough of what no finite number of bits is exact for: halves of steps are farther off.
func few(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }

func finite(list ...float64) bool {
	return !slices.ContainsFunc(list, func(v float64) bool { return v-v != 0 })
}

// integers are those at ends and in the middle.
func integers(k kind) (list []uint64) {
	w := uint64(k.bits())
	for _, v := range []uint64{0, 1, 2, 3, 5, 7, 8, w/2 - 1, w / 2, w - 1, w, w + 1, 2*w - 1, 2 * w, 100, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x123456789ABCDEF0, 0xFEDCBA9876543210,
		1 << (w / 2), 1<<(w/2) - 1, 1 << (w - 1), 1<<(w-1) - 1, 1<<(w-1) + 1, ^uint64(0), ^uint64(1), ^uint64(6), ^uint64(99)} {
		if v &= k.mask(); !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// small are operands that say how far and how many bits.
func small(k kind) (list []uint64) {
	for v := range uint64(k.bits()) {
		if v < 3 || v%8 == 5 || v&7 == 0 || int(v) >= k.bits()-2 {
			list = append(list, v)
		}
	}
	return append(list, uint64(k.bits()))
}

// floats are those at ends, ties, and where conversions to integers end.
func floats(k kind) (list []uint64) {
	f := k.form()
	ulp := math.Ldexp(1, 1-f.significand)
	tiny, least := math.Ldexp(1, f.least-f.significand+1), math.Ldexp(1, f.least)
	largest := map[kind]float64{f16: 65504, f32: math.MaxFloat32, f64: math.MaxFloat64}[k]
	add := func(v float64) {
		if c := k.nearest(real(v), v); !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	add(0)
	add(math.Copysign(0, -1))
	sign := uint64(1) << (k.bits() - 1)
	infinity := k.code(math.Inf(1))
	list = append(list, infinity, infinity|sign, k.canonical(), k.canonical()|sign|5, infinity|1) // the last one signals
	for _, v := range []float64{0, 1, 2, .5, 1.5, 2.5, 3.5, .25, .75, 3, 10, 1 + ulp, 1 - ulp/2, math.Pi, .1, 1 + 0x1p-11, 1 + 3*0x1p-11, 100.5, 1 / ulp, .5 / ulp, .5/ulp + .5, 1/ulp - 1, 2 / ulp,
		tiny, 3 * tiny, least, least - tiny, least * 2, largest, largest / 2, 0x1p-24, 0x1p-25, 0x1.8p-24, 65504, 65520, 0x1p-14,
		0x1p31, 0x1p31 - 128, 0x1p31 - 1, 0x1p31 - .5, 0x1p31 + .5, 0x1p32, 0x1p32 - 256, 0x1p32 - .5, 0x1p53, 0x1p62, 0x1p63, 0x1p63 - 1024, 0x1p63 + 2048, 0x1p64, 0x1p64 - 2048, 0x1p64 - 0x1p41} {
		if v <= largest {
			add(v)
			add(-v)
		}
	}
	return list
}

// edges are the operands that operations of a kind get.
func edges(k kind) []uint64 { return known[k]() }

var known = func() (of [f64 + 1]func() []uint64) {
	for k := range of {
		of[k] = sync.OnceValue(func() []uint64 { return ends(kind(k)) })
	}
	return of
}()

func ends(k kind) []uint64 {
	switch {
	case k == boolean:
		return []uint64{0, 1}
	case k.float():
		return floats(k)
	}
	return integers(k)
}
