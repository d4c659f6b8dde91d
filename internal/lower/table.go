package lower

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Front ends copy a constant array to a variable of its own for each use that has a
// dynamic index. Lane memory would hold each of them, written in all lanes whenever
// the use is reached. Where nothing else is ever written to the variable, loads come
// from one table of the program instead, and the copies are gone.

// tableVariable is what is known of a variable that may be one.
type tableVariable struct {
	constant spirv.ID     // what it holds; 0 before it is stored
	at       *spirv.Block // where
	no       bool         // it is none
}

// maxTableBytes bounds the constants of a program that have a table; further ones
// live in lane memory.
const maxTableBytes = 1 << 20

// tables finds the variables of a function that only ever hold one constant: stored
// whole, at most once, and where each load comes after it, in the same block or in
// one below the function's first. rootOf leads from a pointer to its variable.
type tables struct {
	c      *compiler
	f      *spirv.Function
	rootOf func(spirv.ID) spirv.ID
	any    bool
}

func (t *tables) of(id spirv.ID) *tableVariable {
	if !t.any {
		return nil
	}
	return t.c.tables[t.rootOf(id)]
}

// look takes note of an instruction, in the order of the function's blocks.
func (t *tables) look(b *spirv.Block, in *spirv.Inst) {
	switch in.Op {
	case spirv.OpVariable:
		pt := t.c.m.Type(in.Type)
		if pt == nil || pt.Kind != spirv.KindPointer || pt.Elem.Kind != spirv.KindArray {
			return
		}
		if n, err := t.c.k.Scalars(pt.Elem); err != nil || n <= registerLimit {
			return
		}
		v := &tableVariable{}
		t.c.tables[in.Result], t.any = v, true
		if len(in.Operands) > 1 {
			t.stored(v, b, in.ID(1))
		}
	case spirv.OpStore:
		if v := t.of(in.ID(0)); v != nil {
			if v.no = v.no || in.ID(0) != t.rootOf(in.ID(0)) || len(in.Operands) > 2; !v.no {
				t.stored(v, b, in.ID(1))
			}
		}
		if v := t.of(in.ID(1)); v != nil {
			v.no = true
		}
	case spirv.OpLoad:
		if v := t.of(in.ID(0)); v != nil && (v.constant == 0 || v.at != b && v.at != t.f.Blocks[0]) {
			v.no = true
		}
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpCopyObject:
	default:
		t.others(in)
	}
}

func (t *tables) stored(v *tableVariable, b *spirv.Block, value spirv.ID) {
	_, constant := t.c.k.Words(value)
	if v.no = v.no || !constant || v.constant != 0; !v.no {
		v.constant, v.at = value, b
	}
}

// others gives up on all variables that an instruction may name: a literal that
// looks like one costs no more than the table.
func (t *tables) others(in *spirv.Inst) {
	if !t.any || in == nil {
		return
	}
	for k := range in.Operands {
		if v := t.of(in.ID(k)); v != nil {
			v.no = true
		}
	}
}

// table returns the pointer to the table of a variable's constant, nil where it has
// none.
func (c *compiler) table(variable spirv.ID, pt *spirv.Type) *pointer {
	v := c.tables[variable]
	if v == nil || v.no || v.constant == 0 {
		return nil
	}
	at, ok := c.tableAt[v.constant]
	if !ok {
		words, _ := c.constantWords(v.constant)
		if len(c.p.Table)+4*len(words) > maxTableBytes || len(words) != len(c.flat(pt.Elem)) {
			return nil
		}
		at = uint32(len(c.p.Table))
		for _, w := range words {
			c.p.Table = binary.LittleEndian.AppendUint32(c.p.Table, w)
		}
		c.tableAt[v.constant] = at
	}
	return &pointer{space: spaceTable, ptrType: pt, t: pt.Elem, off: at, dyn: ir.NoValue, elem: ir.NoValue}
}

// loadTable reads a scalar of a constant.
func (c *compiler) loadTable(p *pointer, r scalarRef) ir.Value {
	if p.dyn != ir.NoValue {
		return c.fromMemory(r.t, func(t ir.Type) ir.Value { return c.b.Op(ir.OpLoadTable, t, c.address(p, r.off)) })
	}
	w := uint32(0)
	if at := uint64(p.off) + uint64(r.off); at+4 <= uint64(len(c.p.Table)) {
		w = binary.LittleEndian.Uint32(c.p.Table[at:])
	}
	return c.word(r.t, w)
}

// constantWords are the scalars of a constant as registers have them.
func (c *compiler) constantWords(id spirv.ID) (words []uint32, ok bool) {
	if words, ok = c.k.Words(id); !ok {
		return words, false // the zeros of OpUndef
	}
	halves := c.halves(c.typ(c.m.Def(id).Type))
	if halves == nil {
		return words, true
	}
	out := make([]uint32, len(words))
	for i, w := range words {
		if out[i] = w; halves[i] {
			out[i] = halfWord(w)
		}
	}
	return out, true
}
