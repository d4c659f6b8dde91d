package native

import "github.com/pumice-gpu/pumice/internal/ir"

// pairWindow is how far apart two loads of a pair may stand.
const pairWindow = 64

// pairLoads joins loads of words that lie side by side, as those of vectors do and, where a
// program says that its loads are scattered, likely texels of a row: a gather of 64 bits
// costs what one of 32 does. The first load of two becomes KindLoadPair, the second
// nothing. The code begins at position from of the program.
func (c *divider) pairLoads(code []Inst, from int) {
	loads := 0
	for i := range code {
		if k := code[i].Kind; k == KindLoadBuffer || k == KindLoadShared {
			loads++
		}
	}
	if loads < 2 {
		return
	}
	def, section := c.definitions(code), sections(code, from)
	// place is an offset as a register and a number to add.
	place := func(v int32) (int32, uint32) {
		add := uint32(0)
		for def[v] > 0 {
			in := &code[def[v]-1]
			if in.Kind != KindVU || in.Op != ir.OpIAdd || int(in.B) >= len(c.r.consts) {
				break
			}
			v, add = in.A, add+c.r.consts[in.B]
		}
		return v, add
	}
	for i := range code {
		in := &code[i]
		if in.Kind != KindLoadBuffer && in.Kind != KindLoadShared || in.C > 0 {
			continue
		}
		root, add := place(in.A)
		for j := i + 1; j < min(len(code), i+pairWindow) && section[j] == section[i]; j++ {
			other := &code[j]
			if other.stores() {
				break
			}
			if d := int32(-1); in.Kind == KindLoadBuffer {
				if scalarsOf(other, &d); d == in.B { // another element from here on
					break
				}
			}
			if other.Kind != in.Kind || other.C > 0 || other.Imm != in.Imm || other.B != in.B {
				continue
			}
			if other.A == in.A { // the same words; offsets in one register are told from two by that
				continue
			}
			x := Operands{Args: []int32{in.A}, Results: []int32{in.D, other.D}}
			if r, a := place(other.A); r != root || a != add+4 || def[r] < 0 || def[r] > int32(i) {
				if !c.p.Scattered {
					continue
				}
				if def[other.A] < 0 || def[other.A] > int32(i) {
					break
				}
				x.Args = append(x.Args, other.A)
			}
			*in = Inst{Kind: KindLoadPair, Op: ir.Op(in.Kind), M: in.M, B: in.B, C: int32(len(c.r.aux)), Imm: in.Imm}
			*other = Inst{Kind: KindNone, M: other.M}
			c.r.aux = append(c.r.aux, x)
			break
		}
	}
}
