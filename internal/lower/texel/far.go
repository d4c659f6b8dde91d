package texel

import "github.com/pumice-gpu/pumice/internal/ir"

// # Texel coordinates in binary64
//
// Coordinates that are computed, as those of probes, are binary64 numbers, and go through the steps
// of the reference as they are. Texels are any integers within farTexels then.
const farTexels = 1 << 21

// nearOffsets leaves lanes to the reference whose offsets are none that Vulkan allows.
func (e *coordinates) nearOffsets() {
	for d := range int(e.k.Dims) {
		o := e.rows[OffsetX+Operand(d)]
		e.leave(e.is(ir.OpULt, e.int(2*maxOffset), e.sum(o, e.int(maxOffset))))
	}
}

// farTexel is IMG-475 for dimension d: the coordinate in texels, times 1<<up, which no rounding
// sees.
//
// IMG-004, IMG-029
func (e *coordinates) farTexel(d int, up uint32) wide {
	scaled := func(v ir.Value) wide {
		if up > 0 {
			v = e.i(ir.OpShl, v, e.int(up))
		}
		return e.widen(v)
	}
	one := float64(uint32(1) << up)
	u := e.spot[d]
	switch size := e.lv.size[d]; {
	case e.k.Unnormalized: // IMG-477
		u = e.times(u, e.double(one))
	case e.k.Corner: // IMG-476
		u = e.times(u, scaled(e.i(ir.OpISub, size, e.int(1))))
	default:
		u = e.times(u, scaled(size))
	}
	if e.k.Offset {
		u = e.add(u, scaled(e.rows[OffsetX+Operand(d)]))
	}
	if e.k.Corner { // IMG-028
		u = e.add(u, e.double(one/2))
	}
	return u
}

// farSplit is split of such a coordinate, without a bias.
//
// IMG-486, IMG-704
func (e *coordinates) farSplit(d int) (i0, f ir.Value) {
	x := e.i(ir.OpISub, e.whole(e.farTexel(d, 8)), e.int(128)) // which is even
	if e.k.split() {
		one := e.floor(d)
		if e.k.Seams { // NEAREST stays on the face
			one = e.i(ir.OpSMin, one, e.i(ir.OpISub, e.lv.size[d], e.int(1)))
		}
		one = e.i(ir.OpShl, one, e.int(8))
		if e.k.NearestMin {
			x, one = one, x
		}
		x = e.b.Op(ir.OpSelect, ir.I32, e.magnified, one, x)
	}
	return e.i(ir.OpShrS, x, e.int(8)), e.i(ir.OpAnd, x, e.int(255))
}

// remainders brings i and i+1 into [0, n). Both fit 23 bits, so the quotient of i that is rounded
// to binary32 lies between the same integers as the exact one: a multiple of 1/n that is no integer
// is 1/n away from the next, and rounding moves it by less than that.
//
// IMG-501, IMG-506
func (e *coordinates) remainders(i, n ir.Value, powerOfTwo bool) []ir.Value {
	if powerOfTwo {
		mask := e.i(ir.OpISub, n, e.int(1))
		return []ir.Value{e.i(ir.OpAnd, i, mask), e.i(ir.OpAnd, e.sum(i, e.int(1)), mask)}
	}
	q := e.f(ir.OpFFloor, e.f(ir.OpFDiv, e.f(ir.OpS2F, i), e.f(ir.OpS2F, n)))
	first := e.i(ir.OpISub, i, e.mul(e.i(ir.OpF2S, q), n))
	second := e.sum(first, e.int(1))
	return []ir.Value{first, e.i(ir.OpUMin, second, e.i(ir.OpISub, second, n))}
}
