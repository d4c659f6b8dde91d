package native

import "github.com/pumice-gpu/pumice/internal/ir"

// Numbers of 64 bits are two lane registers, of low and of high words. Where nothing but
// operations on 64 bits looks at both, the two hold the numbers of the first and of the
// second half of the lanes instead: as instructions want them.

// wideValues is what is known of the registers of a block that hold halves of pairs.
type wideValues struct {
	// partner is the other half of a pair that only operations on 64 bits use, plus 1.
	partner []int32
	// loose pairs may hold NaNs of any kind: only arithmetic looks at them.
	loose []bool
	// pooled registers are constants that only pairs of constants use; value is theirs.
	pooled []bool
	value  []uint32
	// exact: the bits of a NaN in a register matter.
	exact []bool
	// settles says of the operands of the present minimum or maximum which are constants that make it one instruction.
	settles [3]bool
}

// direct says that instructions do the operation; Go does the others.
func direct(op ir.WideOp) bool {
	switch op {
	case ir.WideFlush, ir.WideFlush16, ir.WideFlush64, ir.WideIAdd, ir.WideISub, ir.WideIMul, ir.WideShl, ir.WideShrU, ir.WideShrS, ir.WideSLt, ir.WideSLe, ir.WideULt, ir.WideULe,
		ir.WideF2D, ir.WideS2D, ir.WideU2D, ir.WideL2D, ir.WideUL2D:
		return true
	}
	return arithmeticWide(op)
}

// arithmeticWide says that an operation takes any NaN for a NaN.
func arithmeticWide(op ir.WideOp) bool {
	switch op {
	case ir.WideFAdd, ir.WideFSub, ir.WideFMul, ir.WideFDiv, ir.WideSqrt, ir.WideFma, ir.WideFMin, ir.WideFMax, ir.WideRoundEven, ir.WideFloor, ir.WideCeil, ir.WideTrunc,
		ir.WideD2F, ir.WideD2S, ir.WideD2U, ir.WideD2N, ir.WideFEq, ir.WideFNe, ir.WideFLt, ir.WideFLe, ir.WideIsNan:
		return true
	}
	return false
}

// nearest are what operations toward zero are in the processor's other mode: of words, or of pairs.
var nearest = map[ir.WideOp]struct {
	op   ir.Op // of words; 0: wide
	wide ir.WideOp
}{
	ir.WideAddZ: {op: ir.OpFAdd}, ir.WideSubZ: {op: ir.OpFSub}, ir.WideMulZ: {op: ir.OpFMul},
	ir.WideDivZ: {op: ir.OpFDiv}, ir.WideFmaZ: {op: ir.OpFma}, ir.WideSqrtZ: {op: ir.OpFSqrt},
	ir.WideS2FZ: {op: ir.OpS2F}, ir.WideU2FZ: {op: ir.OpU2F},
	ir.WideAddZ64: {wide: ir.WideFAdd}, ir.WideSubZ64: {wide: ir.WideFSub},
	ir.WideMulZ64: {wide: ir.WideFMul}, ir.WideDivZ64: {wide: ir.WideFDiv},
	ir.WideFmaZ64: {wide: ir.WideFma}, ir.WideSqrtZ64: {wide: ir.WideSqrt},
	ir.WideD2FZ: {wide: ir.WideD2F}, ir.WideL2FZ: {wide: ir.WideL2F},
	ir.WideUL2FZ: {wide: ir.WideUL2F}, ir.WideL2DZ: {wide: ir.WideL2D},
	ir.WideUL2DZ: {wide: ir.WideUL2D},
}

// dividesWide says that an operation goes through the lanes.
func dividesWide(op ir.WideOp) bool { return ir.WideUDiv <= op && op <= ir.WideSMod }

// inSteps says that there are steps for an operation that is none of direct's.
func inSteps(op ir.WideOp) bool {
	switch op {
	case ir.WideInvSqrt, ir.WideSign, ir.WideIsInf, ir.WideD2H, ir.WideD2L, ir.WideD2UL, ir.WideF2L,
		ir.WideF2UL, ir.WideL2F, ir.WideUL2F:
		return true
	}
	return false
}

// scalesWide says that an operation takes exponents of binary64 apart: machines with that do it.
func scalesWide(op ir.WideOp) bool {
	switch op {
	case ir.WideFrexpMant, ir.WideFrexpExp, ir.WideLdexp, ir.WideFRem:
		return true
	}
	return false
}

// leavesToHost says that blocks leave an instruction to their host in all lanes.
func (in *Inst) leavesToHost(m *Machine) bool {
	switch in.Kind {
	case KindWide:
		op := ir.WideOp(in.Imm)
		_, zero := nearest[op]
		return !direct(op) && !zero && op != ir.WideQuantizeZ && !dividesWide(op) && !inSteps(op) &&
			!(m.scales && scalesWide(op))
	case KindAtomicMem:
		return !directAtomic(ir.MemOf(uint64(in.Imm)))
	}
	return false
}

// leastNormal is the least word, without its sign, that an operation which flushes words leaves as it is; 0 for the others.
func leastNormal(op ir.WideOp) uint32 {
	switch op {
	case ir.WideFlush:
		return 0x00800000
	case ir.WideFlush16:
		return 0x38800000
	}
	return 0
}

// findPairs finds pairs that live as numbers of 64 bits, and constants that only they use.
func (e *layout) findPairs() {
	n := e.b.lanes
	w := &e.wide
	w.partner, w.loose, w.pooled, w.value = make([]int32, n), make([]bool, n), make([]bool, n), make([]uint32, n)
	defs, high := make([]int, n), make([]bool, n) // halves of pairs that are the high ones
	any := false
	for i := range e.b.code {
		in := &e.b.code[i]
		e.r.lanesIn(in, func(v *int32, result bool) {
			if result {
				defs[*v]++
			}
		})
		switch in.Kind {
		case KindWide:
			any = true
			if x := &e.r.aux[in.C]; len(x.Results) == 2 && direct(ir.WideOp(in.Imm)) {
				w.partner[x.Results[0]], w.partner[x.Results[1]] = x.Results[1]+1, x.Results[0]+1
				w.loose[x.Results[0]], w.loose[x.Results[1]], high[x.Results[1]] = true, true, true
			}
		case KindLoadMem:
			x := &e.r.aux[in.C]
			for k := 1; k < len(x.Results); k += 2 {
				lo, hi := x.Results[k-1], x.Results[k]
				w.partner[lo], w.partner[hi], high[hi] = hi+1, lo+1, true
			}
		case KindBroadcast:
			if c, ok := e.constantOf(in.A); ok {
				w.pooled[in.D], w.value[in.D] = true, c
			}
		}
	}
	if !any {
		clear(w.pooled)
		clear(w.partner)
		return
	}
	drop := func(v int32) {
		if p := w.partner[v]; p > 0 {
			w.partner[p-1] = 0
		}
		w.partner[v] = 0
		w.pooled[v] = false
	}
	for _, v := range e.b.in {
		drop(v)
	}
	for _, v := range e.b.out {
		drop(v)
	}
	for v, n := range defs {
		if n > 1 {
			drop(int32(v))
		}
	}
	for i := range e.b.code {
		in := &e.b.code[i]
		if in.Kind != KindWide {
			e.r.lanesIn(in, func(v *int32, result bool) {
				if !result {
					drop(*v)
				}
			})
			continue
		}
		op := ir.WideOp(in.Imm)
		e.eachWide(in, func(k byte, lo, hi int32) {
			switch {
			case k != 'w':
				drop(lo)
			case w.pooled[lo] && w.pooled[hi]:
			case w.partner[lo] != hi+1 || high[lo]: // or the halves have changed places
				drop(lo)
				drop(hi)
			case !direct(op):
				w.partner[lo], w.partner[hi] = 0, 0
			case !arithmeticWide(op):
				w.loose[lo] = false
			}
		})
	}
	// Half a pair of constants alone is no use.
	for again := true; again; {
		again = false
		for i := range e.b.code {
			if in := &e.b.code[i]; in.Kind == KindWide {
				e.eachWide(in, func(k byte, lo, hi int32) {
					if k == 'w' && w.pooled[lo] != w.pooled[hi] || k == 'w' && w.pooled[lo] && !direct(ir.WideOp(in.Imm)) {
						w.pooled[lo], w.pooled[hi], again = false, false, true
					}
				})
			}
		}
	}
}

// eachWide calls f for the operands of an operation: their letter and registers.
func (e *layout) eachWide(in *Inst, f func(k byte, lo, hi int32)) {
	x := &e.r.aux[in.C]
	args, _ := ir.WideOp(in.Imm).Signature()
	at := 0
	for _, k := range []byte(args) {
		if k == 'w' {
			f(k, x.Args[at], x.Args[at+1])
			at += 2
		} else {
			f(k, x.Args[at], -1)
			at++
		}
	}
}

// findExact finds the lane registers whose readers tell one NaN from another: neither arithmetic nor conversions to binary64 do, and
// what hands a number on does as its result's readers do.
func (e *layout) findExact() {
	exact := make([]bool, e.b.lanes)
	for _, v := range e.b.out {
		exact[v] = true
	}
	for again := true; again; {
		again = false
		read := func(v int32) { again, exact[v] = again || !exact[v], true }
		if len(e.b.loops) == 0 { // readers are behind
			read = func(v int32) { exact[v] = true }
		}
		for i := len(e.b.code) - 1; i >= 0; i-- {
			in := &e.b.code[i]
			switch {
			case takesAnyNaN(in) || in.Kind == KindWide && (ir.WideOp(in.Imm) == ir.WideF2D || leastNormal(ir.WideOp(in.Imm)) != 0):
			case handsOn(in) && !exact[in.D]:
				if in.Op == ir.OpSelect { // of masks
					read(in.A)
				}
			default:
				e.r.lanesIn(in, func(v *int32, result bool) {
					if !result {
						read(*v)
					}
				})
			}
		}
	}
	e.wide.exact = exact
}

// handsOn says that an instruction's result is an operand of its own, but for the sign.
func handsOn(in *Inst) bool {
	return in.Kind == KindCopy || in.Kind == KindCanon || lanewiseKind(in.Kind) && (in.Op == ir.OpSelect || in.Op == ir.OpFNeg || in.Op == ir.OpFAbs)
}

// takesAnyNaN says that an instruction is arithmetic, or makes its operand's NaNs canonical where
// its own readers tell them apart.
func takesAnyNaN(in *Inst) bool {
	switch in.Kind {
	case KindFusedVVV, KindFusedVVU, KindFusedVUV, KindFusedVUU:
		return true
	case KindUnary, KindVV, KindVU, KindUV, KindVVV, KindVVU, KindVUV, KindVUU:
		switch in.Op {
		case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFma, ir.OpFMin, ir.OpFMax, ir.OpFSqrt,
			ir.OpFEq, ir.OpFNe, ir.OpFLt, ir.OpFLe, ir.OpFInvSqrt, ir.OpFFloor, ir.OpFCeil, ir.OpFTrunc,
			ir.OpFRoundEven, ir.OpF2S, ir.OpF2U, ir.OpQuantize16, ir.OpF2H:
			return true
		}
		return in.Op != ir.OpFLdexp && single(in.Op) != nil
	}
	return false
}
