package ir

import (
	"encoding/binary"
	"math"
)

// interval bounds a float: it is at least lo and at most hi, or, where nan says so, a
// NaN. The zero value says nothing.
type interval struct {
	lo, hi float64
	known  bool // the bounds hold
	number bool // never a NaN
}

// finite says that the bounds hold and are numbers: no infinity is among the values.
func (x interval) finite() bool { return x.known && x.lo-x.lo == 0 && x.hi-x.hi == 0 }

// beyond is what bounds grow to when they are computed: more than all roundings.
const beyond = 1 + 1.0/(1<<20)

// within is the interval of a result between two bounds that were computed exactly, or
// nearly so, from finite ones. It may overflow, but not to a NaN.
func within(lo, hi float64, number bool) interval {
	grow := func(x float64, up bool) float64 {
		if up == (x > 0) {
			x *= beyond
		} else {
			x /= beyond
		}
		if math.Abs(x) < 0x1p-120 { // what is that small may be rounded to a denormal
			x = 0x1p-120
			if !up {
				x = -x
			}
		}
		return x
	}
	x := interval{grow(lo, false), grow(hi, true), true, number}
	if !(x.lo > -math.MaxFloat32 && x.hi < math.MaxFloat32) { // may overflow
		return interval{number: number}
	}
	return x
}

// intervals bounds the floats of a program as far as one look at each instruction
// tells: what comes through Vars, memory and inputs is unknown.
func intervals(p *Program) []interval {
	x := make([]interval, len(p.Insts))
	at := func(i int, a Value) (r interval) {
		if a >= 0 && int(a) < i {
			r = x[a]
		}
		return r
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Type != F32 {
			continue
		}
		a, b, c := at(i, in.Args[0]), at(i, in.Args[1]), at(i, in.Args[2])
		both := a.finite() && b.finite()
		switch in.Op {
		case OpConst:
			if v := float64(math.Float32frombits(uint32(in.Imm))); v-v == 0 {
				x[i] = interval{v, v, true, true}
			}
		case OpS2F:
			x[i] = within(-1<<31, 1<<31, true)
		case OpU2F:
			x[i] = within(0, 1<<32, true)
		case OpLoadTable:
			x[i] = tableInterval(p.Table)
		case OpFAdd:
			if both {
				x[i] = within(a.lo+b.lo, a.hi+b.hi, a.number && b.number)
			}
		case OpFSub:
			switch t := &p.Insts[in.Args[1]]; {
			case both:
				x[i] = within(a.lo-b.hi, a.hi-b.lo, a.number && b.number)
			case t.Op == OpFTrunc && t.Args[0] == in.Args[0]:
				x[i] = within(-1, 1, false)
			}
		case OpFMul:
			if both {
				x[i] = product(a, b)
			}
		case OpFma:
			if ab := product(a, b); both && c.finite() && ab.finite() {
				x[i] = within(ab.lo+c.lo, ab.hi+c.hi, ab.number && c.number)
			}
		case OpFNeg:
			if a.known {
				x[i] = interval{-a.hi, -a.lo, true, a.number}
			}
		case OpFFloor, OpFCeil, OpFTrunc, OpFRoundEven:
			if a.finite() {
				x[i] = within(a.lo-1, a.hi+1, a.number)
			}
		case OpFMin, OpFMax:
			x[i] = extreme(a, b, in.Op == OpFMax)
		case OpSelect:
			if b.known && c.known {
				x[i] = interval{min(b.lo, c.lo), max(b.hi, c.hi), true, b.number && c.number}
			}
		}
	}
	return x
}

func product(a, b interval) interval {
	p := [4]float64{a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi}
	return within(min(p[0], p[1], p[2], p[3]), max(p[0], p[1], p[2], p[3]), a.number && b.number)
}

// extreme is the minimum or maximum, which is the other operand where one is a NaN. One
// side of it is bounded where one operand's is.
func extreme(a, b interval, largest bool) interval {
	if !a.number || !a.known {
		a, b = b, a
	}
	if !a.number || !a.known {
		return interval{}
	}
	inf := math.Inf(1)
	if !b.known {
		b.lo, b.hi = -inf, inf
	}
	lo, hi := min(a.lo, b.lo), min(a.hi, b.hi)
	if largest {
		lo, hi = max(a.lo, b.lo), max(a.hi, b.hi)
	}
	if !b.number { // or a itself
		lo, hi = min(lo, a.lo), max(hi, a.hi)
	}
	return interval{lo, hi, true, true}
}

func tableInterval(table []byte) interval {
	x := interval{known: true, number: true} // 0 beyond its end
	for ; len(table) >= 4; table = table[4:] {
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(table)))
		if v-v != 0 {
			return interval{}
		}
		x.lo, x.hi = min(x.lo, v), max(x.hi, v)
	}
	return x
}
