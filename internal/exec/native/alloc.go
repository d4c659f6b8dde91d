//go:build amd64 || arm64

package native

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Where the registers of a block live: in vectors and masks of the processor, or in memory.

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
				if l := lanesOf[in.Kind]; l&laneB != 0 && in.B == v || l&laneC != 0 && in.C == v {
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

// span32 is where a virtual register is needed, and how much.
type span32 struct {
	v        int32
	from, to int32
	weight   float32
}

// allocate gives virtual registers their places: a scan over where they live that keeps
// in registers what is used most for its length.
func (e *layout) allocate() {
	b := e.b
	n := int32(len(b.code))
	depth := make([]float32, n+1)
	for i := range depth {
		depth[i] = 1
	}
	for _, l := range b.loops {
		for i := l[0]; i < l[1]; i++ {
			depth[i] = min(depth[i]*8, 1<<20)
		}
	}
	index := make([]int32, b.lanes) // of a register's span, plus 1
	spans := make([]span32, 0, b.lanes)
	touch := func(v, at int32, weight float32) { // an operand in memory costs less than a result there

		if index[v] == 0 {
			spans = append(spans, span32{v: v, from: at})
			index[v] = int32(len(spans))
		}
		s := &spans[index[v]-1]
		s.to = max(s.to, at)
		s.weight += weight
	}
	for _, v := range b.in {
		touch(v, -1, 0)
	}
	for i := range b.code {
		e.r.lanesIn(&b.code[i], func(r *int32, result bool) {
			if e.places[*r].kind == placeRecord {
				return
			}
			weight := depth[i]
			if result && e.vectors.narrow {
				weight *= 3
			}
			touch(*r, int32(i), weight)
		})
	}
	for _, v := range b.out {
		touch(v, n, 0)
	}
	for i := range spans {
		for _, l := range b.loops { // inner before outer: what one uses from outside lives until its end
			if s := &spans[i]; s.from < l[0] && s.to >= l[0] && s.to < l[1] {
				s.to = l[1]
			}
		}
	}
	for i := range spans {
		spans[i].weight /= float32(spans[i].to - spans[i].from + 1)
	}
	slices.SortStableFunc(spans, func(a, b span32) int { return int(a.from) - int(b.from) })
	e.placeMasks(depth)
	e.scan(spans, false, e.vectors.values, func(i int) location { return location{placeVector, int32(i)} })
	e.scan(spans, true, e.freeMasks, func(i int) location { return location{placeMask, int32(e.vectors.firstMask + i)} })
	inputs := int32(len(e.r.program.Inputs))
	rows := index // of a shared register, plus 1
	clear(rows)
	for i, v := range append(slices.Clone(b.in), b.out...) {
		rows[v] = b.rows[i] + 1
	}
	for _, s := range spans {
		if e.places[s.v].kind != placeNone {
			continue
		}
		switch row, shared := rows[s.v]-1, rows[s.v] > 0; {
		case e.asMask[s.v]:
			e.places[s.v] = location{placeMaskFrame, e.slots}
			e.slots += int32(e.vectors.maskBytes())
		case shared && row >= inputs:
			e.places[s.v] = location{placeRow, (row - inputs) * int32(e.stride)}
		default:
			e.places[s.v] = location{placeFrame, e.slots}
			e.slots += int32(e.vectors.laneBytes())
		}
	}
	e.spans = spans
}

// scan gives registers of one class to the spans of one class.
func (e *layout) scan(spans []span32, masks bool, count int, at func(int) location) {
	if count == 0 {
		return
	}
	var active []span32
	free := make([]int, 0, count)
	for i := range count {
		free = append(free, count-1-i)
	}
	holds := make([]int, e.b.lanes)
	for _, s := range spans {
		if e.asMask[s.v] != masks {
			continue
		}
		kept, freed := active[:0], len(free)
		for _, a := range active {
			if a.to <= s.from {
				free = append(free, holds[a.v])
				continue
			}
			kept = append(kept, a)
		}
		active = kept
		slices.Reverse(free[freed:]) // the first one of a pair for the first one of a pair
		if len(free) == 0 {
			worst := 0
			for i := range active {
				if active[i].weight < active[worst].weight {
					worst = i
				}
			}
			if active[worst].weight >= s.weight {
				continue
			}
			out := active[worst].v
			free = append(free, holds[out])
			e.places[out] = location{}
			active = slices.Delete(active, worst, worst+1)
		}
		r := free[len(free)-1]
		free = free[:len(free)-1]
		holds[s.v] = r
		e.places[s.v] = at(r)
		active = append(active, s)
	}
}

// placeMasks gives the masks that loops use most registers of their own.
func (e *layout) placeMasks(depth []float32) {
	weight := make([]float32, e.r.masks)
	for i := range e.b.code {
		in := &e.b.code[i]
		if depth[i] <= 1 {
			continue
		}
		switch in.Kind {
		case KindSet, KindSetU, KindStoreBuffer, KindLoadBufferE, KindStoreBufferE, KindStoreShared,
			KindStoreMem, KindAtomicMem, KindStorePrivate, KindStorePrivateAt, KindJumpEmpty,
			KindJumpNotEmpty, KindIf, KindLeave, KindLeaveIf, KindMaskCopy:
			weight[in.M] += depth[i]
		}
		for _, m := range e.r.changes(in) {
			weight[m] += depth[i]
		}
	}
	weight[0] = 0
	e.freeMasks = e.vectors.masks
	for range e.vectors.busy {
		best := 0
		for m := range weight {
			if weight[m] > weight[best] {
				best = m
			}
		}
		if weight[best] == 0 {
			return
		}
		e.freeMasks--
		e.maskRegs[best], weight[best] = mir.Number(e.vectors.firstMask+e.freeMasks), 0
	}
}
