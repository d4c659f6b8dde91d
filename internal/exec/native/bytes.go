package native

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// byteLoads joins loads of a table's words that bytes of one word choose, as sRGB codes in a
// texel do: where the processor permutes bytes, three of them cost what one and a half gathers do. The
// first of them becomes KindLoadBytes, the others nothing, as do offsets that nothing else needs. The code
// begins at position from of the program; uses is how often lane registers are read there.
func (c *divider) byteLoads(code []Inst, from int, uses []int32) {
	def, section := c.definitions(code), sections(code, from)
	type source struct {
		word    int32
		base    uint32
		section int32
	}
	loads := map[source][]int{}
	var order []source
	for i := range code {
		if code[i].Kind != KindLoadTable {
			continue
		}
		if word, _, base, ok := c.byteOffset(code, def, code[i].A); ok && def[word] >= 0 {
			s := source{word, base, section[i]}
			if loads[s] = append(loads[s], i); len(loads[s]) == 1 {
				order = append(order, s)
			}
		}
	}
	for _, s := range order {
		list := loads[s]
		if len(list) < 2 {
			continue
		}
		x, bytes := Operands{Args: []int32{s.word}}, int32(0)
		uses[s.word]++
		var offsets []int32
		for n, i := range list {
			in := &code[i]
			_, which, _, _ := c.byteOffset(code, def, in.A)
			x.Results = append(x.Results, in.D)
			bytes |= which << (2 * n)
			offsets = append(offsets, in.A)
			*in = Inst{Kind: KindNone, M: in.M}
		}
		for _, v := range offsets {
			c.drop(code, def, uses, v)
		}
		code[list[0]] = Inst{Kind: KindLoadBytes, M: code[list[0]].M, A: bytes, C: int32(len(c.r.aux)), Imm: int64(s.base)}
		c.r.aux = append(c.r.aux, x)
	}
}

// fewLoads makes loads of a table's words that five bits choose permutations of two vectors.
func (c *divider) fewLoads(code []Inst, uses []int32) {
	def := c.definitions(code)
	for i := range code {
		in := &code[i]
		if in.Kind != KindLoadTable {
			continue
		}
		v, base := in.A, uint32(0)
		if from, by, ok := c.made(code, def, v, ir.OpIAdd); ok {
			v, base = from, by
		}
		shifted, mask, ok := c.made(code, def, v, ir.OpAnd)
		if !ok || mask != 4*(smallTable-1) || base&3 != 0 || uint64(base)+4*smallTable > uint64(len(c.p.Table)) {
			continue
		}
		index, by, ok := c.made(code, def, shifted, ir.OpShl)
		if !ok || by != 2 || def[index] < 0 {
			continue
		}
		uses[index]++
		offset := in.A
		*in = Inst{Kind: KindLoadFew, M: in.M, D: in.D, A: index, Imm: int64(base)}
		c.drop(code, def, uses, offset)
	}
}

// made is the instruction that makes a register of another one and a constant.
func (c *divider) made(code []Inst, def []int32, v int32, op ir.Op) (from int32, by uint32, ok bool) {
	if def[v] <= 0 {
		return 0, 0, false
	}
	in := &code[def[v]-1]
	if in.Kind != KindVU || in.Op != op || int(in.B) >= len(c.r.consts) {
		return 0, 0, false
	}
	return in.A, c.r.consts[in.B], true
}

// byteOffset says which byte of which register chooses a word of 256 in the table, and where they begin.
func (c *divider) byteOffset(code []Inst, def []int32, v int32) (word, which int32, base uint32, ok bool) {
	if from, by, ok := c.made(code, def, v, ir.OpIAdd); ok {
		v, base = from, by
	}
	v, mask, ok := c.made(code, def, v, ir.OpAnd)
	if !ok || mask != 255<<2 || base&3 != 0 || uint64(base)+1024 > uint64(len(c.p.Table)) {
		return 0, 0, 0, false
	}
	if word, by, ok := c.made(code, def, v, ir.OpShl); ok {
		return word, 0, base, by == 2
	}
	word, by, ok := c.made(code, def, v, ir.OpShrU)
	return word, int32(by+2) / 8, base, ok && (by == 6 || by == 14 || by == 22)
}

// drop forgets a use of register v, and what makes it if that was the last.
func (c *divider) drop(code []Inst, def, uses []int32, v int32) {
	if uses[v]--; uses[v] > 0 || def[v] <= 0 {
		return
	}
	in := &code[def[v]-1]
	if in.Kind != KindVU {
		return
	}
	a := in.A
	*in = Inst{Kind: KindNone, M: in.M}
	c.drop(code, def, uses, a)
}

// uses is how often each lane register is read.
func (c *divider) uses() []int32 {
	uses := make([]int32, c.virtual)
	for pos := range c.code {
		c.lanes(int32(pos), func(r *int32, result bool) {
			if !result {
				uses[*r]++
			}
		})
	}
	return uses
}

// definitions are the instructions that set registers, plus 1; -1: several.
func (c *divider) definitions(code []Inst) []int32 {
	def := make([]int32, c.virtual)
	for i := range code {
		c.r.lanesIn(&code[i], func(r *int32, result bool) {
			if result && def[*r] == 0 {
				def[*r] = int32(i + 1)
			} else if result {
				def[*r] = -1
			}
		})
	}
	return def
}

// sections numbers the stretches of code between jumps and their targets.
func sections(code []Inst, from int) []int32 {
	n := make([]int32, len(code)+1)
	for i := range code {
		if in := &code[i]; in.jumps() {
			n[i+1]++
			if to := int(in.To) - from; to >= 0 && to <= len(code) {
				n[to]++
			}
		}
	}
	for i := range code {
		n[i+1] += n[i]
	}
	return n
}

// small says that a load is of a uniform buffer, whose words mostly are near.
func (c *divider) small(in *Inst) bool { return c.p.Resources[in.Imm].Kind == ir.UniformBuffer }

// listLoads marks loads of a uniform buffer's words that a constant and a number choose, as where levels of an image begin: c is
// the constant, plus 1.
func (c *divider) listLoads(code []Inst) {
	var def []int32
	for i := range code {
		in := &code[i]
		if in.Kind != KindLoadBuffer || !c.small(in) {
			continue
		}
		if def == nil {
			def = c.definitions(code)
		}
		if d := def[in.A]; d > 0 {
			if at := &code[d-1]; at.Kind == KindVU && at.Op == ir.OpIAdd && int(at.B) < len(c.r.consts) && c.r.consts[at.B] < 1<<16 {
				in.C = int32(c.r.consts[at.B]) + 1
			}
		}
	}
}

// smallTable is how many words of a table two vectors hold.
const smallTable = 32

// bytePlanes is a table's 256 words as four tables of their bytes.
func bytePlanes(words []byte) []byte {
	planes := make([]byte, 1024)
	for i := range 256 {
		w := binary.LittleEndian.Uint32(words[4*i:])
		for k := range 4 {
			planes[256*k+i] = byte(w >> (8 * k))
		}
	}
	return planes
}
