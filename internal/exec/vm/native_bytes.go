package vm

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// byteLoads joins loads of a table's words that bytes of one word choose, as sRGB codes in a
// texel do: where the processor permutes bytes, three of them cost what one and a half gathers do. The
// first of them becomes kindLoadBytes, the others nothing, as do offsets that nothing else needs. The code
// begins at position from of the program; uses is how often lane registers are read there.
func (c *compiler) byteLoads(code []instr, from int, uses []int32) {
	def, section := c.definitions(code), sections(code, from)
	type source struct {
		word    int32
		base    uint32
		section int32
	}
	loads := map[source][]int{}
	var order []source
	for i := range code {
		if code[i].kind != kindLoadTable {
			continue
		}
		if word, _, base, ok := c.byteOffset(code, def, code[i].a); ok && def[word] >= 0 {
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
		x, bytes := auxiliary{args: []int32{s.word}}, int32(0)
		uses[s.word]++
		var offsets []int32
		for n, i := range list {
			in := &code[i]
			_, which, _, _ := c.byteOffset(code, def, in.a)
			x.results = append(x.results, in.d)
			bytes |= which << (2 * n)
			offsets = append(offsets, in.a)
			*in = instr{kind: kindNone, m: in.m}
		}
		for _, v := range offsets {
			c.drop(code, def, uses, v)
		}
		code[list[0]] = instr{kind: kindLoadBytes, m: code[list[0]].m, a: bytes, c: int32(len(c.r.aux)), imm: int64(s.base)}
		c.r.aux = append(c.r.aux, x)
	}
}

// fewLoads makes loads of a table's words that five bits choose permutations of two vectors.
func (c *compiler) fewLoads(code []instr, uses []int32) {
	def := c.definitions(code)
	for i := range code {
		in := &code[i]
		if in.kind != kindLoadTable {
			continue
		}
		v, base := in.a, uint32(0)
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
		offset := in.a
		*in = instr{kind: kindLoadFew, m: in.m, d: in.d, a: index, imm: int64(base)}
		c.drop(code, def, uses, offset)
	}
}

// made is the instruction that makes a register of another one and a constant.
func (c *compiler) made(code []instr, def []int32, v int32, op ir.Op) (from int32, by uint32, ok bool) {
	if def[v] <= 0 {
		return 0, 0, false
	}
	in := &code[def[v]-1]
	if in.kind != kindVU || in.op != op || int(in.b) >= len(c.consts) {
		return 0, 0, false
	}
	return in.a, c.r.consts[in.b], true
}

// byteOffset says which byte of which register chooses a word of 256 in the table, and where they begin.
func (c *compiler) byteOffset(code []instr, def []int32, v int32) (word, which int32, base uint32, ok bool) {
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
func (c *compiler) drop(code []instr, def, uses []int32, v int32) {
	if uses[v]--; uses[v] > 0 || def[v] <= 0 {
		return
	}
	in := &code[def[v]-1]
	if in.kind != kindVU {
		return
	}
	a := in.a
	*in = instr{kind: kindNone, m: in.m}
	c.drop(code, def, uses, a)
}

// uses is how often each lane register is read.
func (c *compiler) uses() []int32 {
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
func (c *compiler) definitions(code []instr) []int32 {
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
func sections(code []instr, from int) []int32 {
	n := make([]int32, len(code)+1)
	for i := range code {
		if in := &code[i]; in.jumps() {
			n[i+1]++
			if to := int(in.to) - from; to >= 0 && to <= len(code) {
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
func (c *compiler) small(in *instr) bool { return c.p.Resources[in.imm].Kind == ir.UniformBuffer }

// listLoads marks loads of a uniform buffer's words that a constant and a number choose, as where levels of an image begin: c is
// the constant, plus 1.
func (c *compiler) listLoads(code []instr) {
	var def []int32
	for i := range code {
		in := &code[i]
		if in.kind != kindLoadBuffer || !c.small(in) {
			continue
		}
		if def == nil {
			def = c.definitions(code)
		}
		if d := def[in.a]; d > 0 {
			if at := &code[d-1]; at.kind == kindVU && at.op == ir.OpIAdd && int(at.b) < len(c.consts) && c.r.consts[at.b] < 1<<16 {
				in.c = int32(c.r.consts[at.b]) + 1
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
