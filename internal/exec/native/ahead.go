//go:build amd64 || arm64

package native

import "github.com/pumice-gpu/pumice/internal/ir"

// fetchAhead orders a program without jumps so that all offsets of loads come before the
// first load, and asks for the words in between: the strips of a batch compute offsets,
// then load, when the words are on their way. Only what offsets need comes before; the rest
// would have to wait in memory. It returns where the second part begins, or -1.
func (c *divider) fetchAhead() int {
	waits := make([]bool, c.virtual) // for a load
	late := make([]bool, len(c.code))
	changes := false // what others look at
	var loads []int  // those whose offsets are known before all loads
	for i := range c.code {
		in := &c.code[i]
		switch in.Kind {
		case KindOutput, KindOutputU:
			late[i] = true
		case KindLoadBuffer:
			late[i] = !c.small(in)
		case KindDemote, KindCover, KindStoreTexel:
			late[i], changes = true, true
		case KindImage:
			late[i] = true
		case KindOrdered, KindSet, KindSetU, KindStoreBuffer, KindStoreBufferE, KindLoadShared,
			KindStoreShared, KindStorePrivateAt, KindStoreMem, KindAtomicMem, KindStorePrivate:
			return -1 // whose order counts
		}
		if in.jumps() || in.Kind == KindFuel {
			return -1
		}
		known := true
		c.r.lanesIn(in, func(r *int32, result bool) {
			if !result && waits[*r] {
				late[i], known = true, false
			}
			if result && late[i] {
				waits[*r] = true
			}
		})
		if in.Kind == KindLoadBuffer && known && !c.small(in) && c.chosenBefore(in) {
			loads = append(loads, i)
		}
	}
	if len(loads) == 0 {
		return -1
	}
	needed := make([]bool, c.virtual)
	for _, i := range loads {
		needed[c.code[i].A] = true
	}
	for i := len(c.code) - 1; i >= 0; i-- {
		if late[i] {
			continue
		}
		in, wanted, lanes := &c.code[i], false, false
		c.r.lanesIn(in, func(r *int32, result bool) { wanted, lanes = wanted || result && needed[*r], lanes || result })
		if late[i] = !wanted && lanes; late[i] {
			continue
		}
		switch in.Kind {
		case KindIsHelper, KindCovered, KindLoadTexel:
			if changes {
				return -1
			}
		}
		c.r.lanesIn(in, func(r *int32, _ bool) { needed[*r] = true })
	}
	var before, after []Inst
	for i := range c.code {
		if in := c.code[i]; late[i] {
			after = append(after, in)
		} else {
			before = append(before, in)
		}
	}
	before = c.askFor(before, loads)
	c.code = append(append(c.code[:0], before...), c.ownConstants(before, after)...)
	return len(before)
}

// askFor appends what asks for the words of loads.
func (c *divider) askFor(before []Inst, loads []int) []Inst {
	// Words of a texel are beside its first one: those behind the offset of another load, plus 1.
	behind := make([]int32, c.virtual)
	for i := range before {
		if in := &before[i]; in.Kind == KindVU && in.Op == ir.OpIAdd && int(in.B) < len(c.r.consts) {
			behind[in.D] = in.A + 1
		}
	}
	asked := make([]bool, c.virtual+1)
	first := loads[:0]
	for _, i := range loads {
		if in := &c.code[i]; !asked[behind[in.A]] {
			first = append(first, i)
			asked[in.A+1] = true
		}
	}
	for n, i := range first {
		in := &c.code[i]
		// The second of two texels of an image mostly is beside the first.
		if n%2 == 1 && len(first) >= 4 {
			if last := &c.code[first[n-1]]; last.Imm == in.Imm && last.B == in.B {
				continue
			}
		}
		before = append(before, Inst{Kind: KindAhead, M: in.M, A: in.A, B: in.B, Imm: in.Imm})
	}
	return before
}

// ownConstants gives the second part constants of its own in place of those of the first.
func (c *divider) ownConstants(before, after []Inst) []Inst {
	from := map[int32]Inst{}
	for _, in := range before {
		if in.Kind == KindBroadcast && int(in.A) < len(c.r.consts) {
			from[in.D] = in
		}
	}
	var constants []Inst
	own := map[int32]int32{}
	for i := range after {
		in := &after[i]
		c.r.lanesIn(in, func(r *int32, result bool) {
			b, ok := from[*r]
			if !ok || result {
				return
			}
			d, ok := own[*r]
			if !ok {
				d = c.lane()
				own[*r], b.D = d, d
				constants = append(constants, b)
			}
			*r = d
		})
	}
	return append(constants, after...)
}
