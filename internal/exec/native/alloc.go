package native

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// Which lane registers of a block live in mask registers.

// findMaskValues finds the virtual registers whose values can live in mask registers:
// those that comparisons and logic on such values make, and that nothing but
// selections, conditions and such logic use.
func (e *layout) findMaskValues() {
	defs := make([]int, e.b.lanes)
	shared := make([]bool, e.b.lanes)
	some := false
	for _, v := range append(slices.Clone(e.b.in), e.b.out...) {
		shared[v] = true
	}
	each := func(f func(in *Inst, v int32, result bool)) {
		for i := range e.b.code {
			in := &e.b.code[i]
			e.r.lanesIn(in, func(r *int32, result bool) { f(in, *r, result) })
		}
	}
	each(func(in *Inst, v int32, result bool) {
		if result {
			if defs[v]++; !shared[v] && (compares(in.Op) && lanewiseKind(in.Kind) || logic(in) || in.Kind == KindCovered) {
				e.asMask[v], some = true, true
			}
		}
	})
	for v, n := range defs {
		if n > 1 {
			e.asMask[v] = false
		}
	}
	for again := some; again; {
		again = false
		drop := func(v int32) {
			if e.asMask[v] {
				e.asMask[v], again = false, true
			}
		}
		each(func(in *Inst, v int32, result bool) {
			switch {
			case result:
				if logic(in) && e.asMask[v] && !(e.asMask[in.A] && (in.Kind == KindUnary || e.asMask[in.B])) {
					drop(v)
				}
			case !e.asMask[v]:
			case in.Kind == KindIf, in.Kind == KindCover, in.Kind == KindCopy:
			case in.Kind == KindImage: // the condition is the last one
				if x := &e.r.aux[in.C]; slices.Contains(x.Args[:len(x.Args)-1], v) {
					drop(v)
				}
			case in.Kind == KindStoreTexel:
				for i, w := range e.r.aux[in.C].Args {
					if i%2 == 1 && w == v {
						drop(v)
					}
				}
			case in.Op == ir.OpSelect && lanewiseKind(in.Kind):
				if l := fieldsOf[in.Kind]; l&laneB != 0 && in.B == v || l&laneC != 0 && in.C == v {
					drop(v)
				}
			case logic(in) && e.asMask[in.D]:
			default:
				drop(v)
			}
		})
	}
}

// turnConditions makes conditions that are the opposite of a mask value ask for that.
func (e *layout) turnConditions() {
	turns := func(in Inst) bool { return in.Kind == KindUnary && in.Op == ir.OpNot && e.asMask[in.D] }
	if !slices.ContainsFunc(e.b.code, turns) {
		return
	}
	defs, uses := map[int32]*Inst{}, map[int32]int{}
	for i := range e.b.code {
		in := &e.b.code[i]
		e.r.lanesIn(in, func(v *int32, result bool) {
			if !result {
				uses[*v]++
			} else if turns(*in) { // once, as all mask values
				defs[*v] = in
			}
		})
	}
	for i := range e.b.code {
		in := &e.b.code[i]
		if in.Kind != KindIf {
			continue
		}
		if not := defs[in.A]; not != nil && uses[in.A] == 1 {
			in.A, in.Imm = not.A, 1-in.Imm
			*not = Inst{Kind: KindNone, M: not.M}
		}
	}
}
