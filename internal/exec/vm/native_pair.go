package vm

import "github.com/pumice-gpu/pumice/internal/ir"

// pairWindow is how far apart two loads of a pair may stand.
const pairWindow = 64

// pairLoads joins loads of words that lie side by side, as those of vectors do and, where a
// program says that its loads are scattered, likely texels of a row: a gather of 64 bits
// costs what one of 32 does. The first load of two becomes kindLoadPair, the second
// nothing. The code begins at position from of the program.
func (c *compiler) pairLoads(code []instr, from int) {
	loads := 0
	for i := range code {
		if k := code[i].kind; k == kindLoadBuffer || k == kindLoadShared {
			loads++
		}
	}
	if loads < 2 {
		return
	}
	def, section := c.definitions(code), sections(code, from)
	barrier := func(in *instr) bool { return in.kind == kindStoreBuffer || in.kind == kindStoreShared }
	// place is an offset as a register and a number to add.
	place := func(v int32) (int32, uint32) {
		add := uint32(0)
		for def[v] > 0 {
			in := &code[def[v]-1]
			if in.kind != kindVU || in.op != ir.OpIAdd || int(in.b) >= len(c.consts) {
				break
			}
			v, add = in.a, add+c.r.consts[in.b]
		}
		return v, add
	}
	for i := range code {
		in := &code[i]
		if in.kind != kindLoadBuffer && in.kind != kindLoadShared || in.kind == kindLoadBuffer && in.c > 0 {
			continue
		}
		root, add := place(in.a)
		for j := i + 1; j < min(len(code), i+pairWindow) && section[j] == section[i] && !barrier(&code[j]); j++ {
			other := &code[j]
			if other.kind != in.kind || other.kind == kindLoadBuffer && other.c > 0 || other.imm != in.imm || other.kind == kindLoadBuffer && other.b != in.b {
				continue
			}
			x := auxiliary{args: []int32{in.a}, results: []int32{in.d, other.d}}
			if r, a := place(other.a); r != root || a != add+4 || def[r] < 0 || def[r] > int32(i) {
				if !c.p.Scattered {
					continue
				}
				if def[other.a] < 0 || def[other.a] > int32(i) {
					break
				}
				x.args = append(x.args, other.a)
			}
			*in = instr{kind: kindLoadPair, op: ir.Op(in.kind), m: in.m, b: in.b, c: int32(len(c.r.aux)), imm: in.imm}
			*other = instr{kind: kindNone, m: other.m}
			c.r.aux = append(c.r.aux, x)
			break
		}
	}
}
