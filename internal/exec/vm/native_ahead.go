package vm

import "github.com/pumice-gpu/pumice/internal/ir"

// fetchAhead orders a program without jumps so that all offsets of loads come before the
// first load, and asks for the words in between: the strips of a batch compute offsets,
// then load, when the words are on their way. Only what offsets need comes before; the rest
// would have to wait in memory. It returns where the second part begins, or -1.
func (c *compiler) fetchAhead() int {
	waits := make([]bool, c.virtual) // for a load
	late := make([]bool, len(c.code))
	changes := false // what others look at
	var loads []int  // those whose offsets are known before all loads
	for i := range c.code {
		in := &c.code[i]
		switch in.kind {
		case kindOutput, kindOutputU:
			late[i] = true
		case kindLoadBuffer:
			late[i] = !c.small(in)
		case kindDemote, kindCover, kindStoreTexel:
			late[i], changes = true, true
		case kindImage:
			if !c.p.ImageOps[c.r.aux[in.c].image].Rest {
				return -1
			}
			late[i] = true
		case kindSet, kindSetU, kindStoreBuffer, kindStoreBufferE, kindLoadShared, kindStoreShared, kindStorePrivate, kindStorePrivateAt, kindStoreMem, kindWriteU,
			kindAtomicBuffer, kindAtomicShared, kindAtomicMem, kindBarrier, kindPrint, kindTrace, kindEmit:
			return -1 // whose order counts
		}
		if in.jumps() || in.kind == kindFuel {
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
		if in.kind == kindLoadBuffer && known && !c.small(in) {
			loads = append(loads, i)
		}
	}
	if len(loads) == 0 {
		return -1
	}
	needed := make([]bool, c.virtual)
	for _, i := range loads {
		needed[c.code[i].a] = true
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
		switch in.kind {
		case kindIsHelper, kindCovered, kindLoadTexel:
			if changes {
				return -1
			}
		}
		c.r.lanesIn(in, func(r *int32, _ bool) { needed[*r] = true })
	}
	var before, after []instr
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
func (c *compiler) askFor(before []instr, loads []int) []instr {
	// Words of a texel are beside its first one: those behind the offset of another load, plus 1.
	behind := make([]int32, c.virtual)
	for i := range before {
		if in := &before[i]; in.kind == kindVU && in.op == ir.OpIAdd && int(in.b) < len(c.consts) {
			behind[in.d] = in.a + 1
		}
	}
	asked := make([]bool, c.virtual+1)
	first := loads[:0]
	for _, i := range loads {
		if in := &c.code[i]; !asked[behind[in.a]] {
			first = append(first, i)
			asked[in.a+1] = true
		}
	}
	for n, i := range first {
		in := &c.code[i]
		// The second of two texels of an image mostly is beside the first.
		if n%2 == 1 && len(first) >= 4 {
			if last := &c.code[first[n-1]]; last.imm == in.imm && last.b == in.b {
				continue
			}
		}
		before = append(before, instr{kind: kindAhead, m: in.m, a: in.a, b: in.b, imm: in.imm})
	}
	return before
}

// ownConstants gives the second part constants of its own in place of those of the first.
func (c *compiler) ownConstants(before, after []instr) []instr {
	from := map[int32]instr{}
	for _, in := range before {
		if in.kind == kindBroadcast && int(in.a) < len(c.consts) {
			from[in.d] = in
		}
	}
	var constants []instr
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
				own[*r], b.d = d, d
				constants = append(constants, b)
			}
			*r = d
		})
	}
	return append(constants, after...)
}
