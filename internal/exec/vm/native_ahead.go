package vm

import "github.com/pumice-gpu/pumice/internal/ir"

// fetchAhead orders a program without jumps so that all offsets of loads come before the
// first load, and asks for the words in between: the strips of a batch compute offsets,
// then load, when the words are on their way. It returns where the second part begins,
// or -1.
func (c *compiler) fetchAhead() int {
	waits := make([]bool, c.virtual) // for a load
	// Words of a texel are beside its first one: those behind the offset of another load, plus 1.
	behind := make([]int32, c.virtual)
	asked := make([]bool, c.virtual+1)
	var before, after []instr
	var loads []instr
	for i := range c.code {
		in := c.code[i]
		late := false
		switch in.kind {
		case kindOutput, kindOutputU:
			late = true
		case kindLoadBuffer:
			late = true
		case kindSet, kindSetU, kindStoreBuffer, kindLoadShared, kindStoreShared, kindImage, kindBarrier:
			return -1 // whose order counts
		}
		if in.jumps() || in.kind == kindFuel {
			return -1
		}
		offset := true // of a load is known before all loads
		c.r.lanesIn(&in, func(r *int32, result bool) {
			if !result && waits[*r] {
				late, offset = true, false
			}
		})
		if in.kind == kindVU && in.op == ir.OpIAdd && int(in.b) < len(c.consts) {
			behind[in.d] = in.a + 1
		}
		if in.kind == kindLoadBuffer && offset && !asked[behind[in.a]] {
			loads = append(loads, in)
			asked[in.a+1] = true
		}
		if !late {
			before = append(before, in)
			continue
		}
		c.r.lanesIn(&in, func(r *int32, result bool) {
			if result {
				waits[*r] = true
			}
		})
		after = append(after, in)
	}
	if len(loads) == 0 {
		return -1
	}
	// The second of two texels in a row mostly is beside the first.
	step := 1
	if len(loads) >= 4 {
		step = 2
	}
	for i := 0; i < len(loads); i += step {
		in := loads[i]
		before = append(before, instr{kind: kindAhead, m: in.m, a: in.a, b: in.b, imm: in.imm})
	}
	c.code = append(append(c.code[:0], before...), after...)
	return len(before)
}
