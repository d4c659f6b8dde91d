package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// registerLimit is the size in scalars up to which a variable that is indexed
// dynamically stays in registers, read and written through selects; larger
// ones live in lane memory.
const registerLimit = 8

// load reads what p points to.
func (c *compiler) load(p *pointer) *value {
	if p.arrayed && p.space == spaceVertex {
		return c.loadVertices(p)
	}
	if p.arrayed {
		c.fail("a load of a whole descriptor array")
	}
	if p.space == spaceHeap {
		p = c.heapDescriptor(p)
	}
	if p.space == spaceHandle {
		return &value{t: p.t, h: c.handleOf(p)}
	}
	p = c.settle(p)
	refs := c.refs(p)
	c.copies(len(refs))
	c.outside(p, refs, false)
	v := &value{t: p.t, s: c.values(len(refs))}
	for i, r := range refs {
		v.s[i] = c.loadScalar(p, r)
	}
	return v
}

// copies counts the scalars of a load or store of a large composite: one instruction
// of a module may stand for 65,536 here.
func (c *compiler) copies(n int) {
	const large = 64
	if n <= large {
		return
	}
	if c.copied += n; c.copied > MaxCopied {
		c.fail("loads and stores of whole arrays and structs move more than %d scalars; access their elements instead", MaxCopied)
	}
}

func (c *compiler) loadScalar(p *pointer, r scalarRef) ir.Value {
	if r.bytes != 0 {
		return c.loadNarrow(p, r)
	}
	if p.skewed(r) {
		m, address := c.memOf(p, r.off)
		m.Log = 2
		return c.fromMemory(r.t, func(t ir.Type) ir.Value { return c.b.OpMore(ir.OpLoadMem, t, m.Imm(), address) })
	}
	switch p.space {
	case spaceVar, spaceInput, spaceVertex:
		return c.loadRegister(p, r)
	case spacePrivate:
		return c.fromMemory(r.t, func(t ir.Type) ir.Value { return c.b.Op(ir.OpLoadPrivate, t, c.address(p, r.off)) })
	case spaceTable:
		return c.loadTable(p, r)
	case spaceShared:
		return c.fromMemory(r.t, func(t ir.Type) ir.Value { return c.b.Op(ir.OpLoadShared, t, c.address(p, r.off)) })
	case spaceBuffer:
		return c.b.OpImm(ir.OpLoadBuffer, r.t, uint64(p.res), p.elem, c.address(p, r.off))
	case spacePush:
		return c.b.Op(ir.OpLoadPush, r.t, c.address(p, r.off))
	case spaceAddress:
		m, address := c.memOf(p, r.off)
		m.Log = 2
		return c.fromMemory(r.t, func(t ir.Type) ir.Value { return c.b.OpMore(ir.OpLoadMem, t, m.Imm(), address) })
	default:
		c.fail("a load through a pointer to %v", p.t)
		return ir.NoValue
	}
}

// memOf is the general form of the address of off beyond p.
func (c *compiler) memOf(p *pointer, off uint32) (ir.Mem, []ir.Value) {
	if p.space == spaceAddress {
		c.p.UsesAddresses = c.p.UsesAddresses || p.physical || p.mixed
		q := c.settle(p)
		m := ir.Mem{Space: ir.MemPointer, Resource: q.off + off}
		if p.physical {
			m.Space = ir.MemAddress
		}
		return m, []ir.Value{q.lo, q.hi}
	}
	at := c.address(p, off)
	switch p.space {
	case spaceBuffer:
		return ir.Mem{Space: ir.MemBuffer, Resource: uint32(p.res)}, []ir.Value{p.elem, at}
	case spacePush:
		return ir.Mem{Space: ir.MemPush}, []ir.Value{at}
	case spaceShared:
		return ir.Mem{Space: ir.MemShared}, []ir.Value{at}
	default:
		c.fail("an access through a pointer to %v", p.t)
		return ir.Mem{}, nil
	}
}

// narrowLog is the logarithm of a width of 1 or 2 bytes.
func narrowLog(bytes uint8) uint8 { return bytes - 1 }

func (c *compiler) loadNarrow(p *pointer, r scalarRef) ir.Value {
	var v ir.Value
	if at, step := p.off+r.off, uint32(r.bytes); p.space == spacePush && at%step == 0 && (p.dyn == ir.NoValue || p.step%step == 0) {
		v = c.loadNarrowPush(c.address(p, r.off), r.bytes)
	} else {
		m, address := c.memOf(p, r.off)
		m.Log = narrowLog(r.bytes)
		v = c.b.OpMore(ir.OpLoadMem, ir.I32, m.Imm(), address)
	}
	if r.half {
		v = c.b.Op(ir.OpH2F, ir.F32, v)
	}
	return v
}

// loadNarrowPush loads a narrow scalar of the push constants, which lies in one of their words, as bits of that word: all lanes share
// words at constant places, and what follows from them.
func (c *compiler) loadNarrowPush(at ir.Value, bytes uint8) ir.Value {
	word := c.b.Op(ir.OpAnd, ir.I32, at, c.b.I32(^uint32(3)))
	bit := c.b.Op(ir.OpShl, ir.I32, c.b.Op(ir.OpAnd, ir.I32, at, c.b.I32(3)), c.b.I32(3))
	return c.b.Op(ir.OpBitFieldU, ir.I32, c.b.Op(ir.OpLoadPush, ir.I32, word), bit, c.b.I32(8*uint32(bytes)))
}

func (c *compiler) storeNarrow(p *pointer, r scalarRef, v ir.Value) {
	c.checkStore(p)
	m, address := c.memOf(p, r.off)
	m.Log = narrowLog(r.bytes)
	if r.half {
		v = c.halfBits(v)
	}
	c.b.OpMore(ir.OpStoreMem, ir.Void, m.Imm(), append(address, v))
}

// checkStore demands memory that a shader may write.
func (c *compiler) checkStore(p *pointer) {
	if p.space == spaceBuffer && c.p.Resources[p.res].Kind != ir.StorageBuffer {
		c.fail("a store to a uniform buffer")
	}
	if p.space != spaceShared && !p.shared {
		c.p.WritesMemory = true
	}
}

// fromMemory loads booleans, which are words in memory.
func (c *compiler) fromMemory(t ir.Type, load func(ir.Type) ir.Value) ir.Value {
	if t != ir.Bool {
		return load(t)
	}
	return c.b.Op(ir.OpINe, ir.Bool, load(ir.I32), c.b.I32(0))
}

func (c *compiler) toMemory(v ir.Value) ir.Value {
	if c.p.Insts[v].Type != ir.Bool {
		return v
	}
	return c.b.Op(ir.OpSelect, ir.I32, v, c.b.I32(1), c.b.I32(0))
}

// candidates lists the scalars of an object that a dynamic index may mean, and
// the index value.
func (c *compiler) candidates(p *pointer, r scalarRef) (list []int, index ir.Value) {
	index = c.address(p, r.off)
	n := len(p.obj.flat)
	step := int(max(p.step, 1))
	for k := int(p.off+r.off) % step; k < n; k += step {
		if p.obj.flat[k] == r.t {
			list = append(list, k)
		}
	}
	return list, index
}

func (c *compiler) loadRegister(p *pointer, r scalarRef) ir.Value {
	if p.dyn == ir.NoValue {
		return c.readSlot(p, int(p.off+r.off))
	}
	list, index := c.candidates(p, r)
	v := ir.NoValue
	for _, k := range list {
		x := c.readSlot(p, k)
		if v == ir.NoValue {
			v = x
			continue
		}
		hit := c.b.Op(ir.OpIEq, ir.Bool, index, c.b.I32(uint32(k)))
		v = c.b.Op(ir.OpSelect, r.t, hit, x, v)
	}
	if v == ir.NoValue {
		c.fail("a dynamic index without a candidate in %q", p.obj.name)
	}
	return v
}

func (c *compiler) readSlot(p *pointer, k int) ir.Value {
	o := p.obj
	if k >= len(o.flat) {
		c.fail("scalar %d is outside variable %q", k, o.name)
	}
	if p.space == spaceVertex {
		return c.loadVertex(p, k)
	}
	if o.inputs != nil {
		return c.readInput(o, k)
	}
	return c.b.Get(o.vars[k])
}

// store writes v to what p points to.
func (c *compiler) store(p *pointer, v *value) {
	if v.p != nil && isAddress(v.t) {
		v = &value{t: v.t, s: c.pointerWords(v)}
	}
	p = c.settle(p)
	if p.arrayed || p.space == spaceHandle || p.space == spaceInput || p.space == spaceVertex || p.space == spacePush || v.h != nil || v.p != nil {
		c.fail("a store through a pointer to %v", p.t)
	}
	refs := c.refs(p)
	c.copies(len(refs))
	if len(refs) != len(v.s) {
		c.fail("a store of %d scalars to %v", len(v.s), p.t)
	}
	c.outside(p, refs, true)
	c.traceStore(p, ir.AtomicStore, v, nil)
	for i, r := range refs {
		if c.p.Insts[v.s[i]].Type != r.t {
			c.fail("the stored value does not have type %v", p.t)
		}
		c.storeScalar(p, r, v.s[i])
	}
}

func (c *compiler) storeScalar(p *pointer, r scalarRef, v ir.Value) {
	if r.bytes != 0 {
		c.storeNarrow(p, r, v)
		return
	}
	if p.skewed(r) {
		c.checkStore(p)
		m, address := c.memOf(p, r.off)
		m.Log = 2
		c.b.OpMore(ir.OpStoreMem, ir.Void, m.Imm(), append(address, c.toMemory(v)))
		return
	}
	switch p.space {
	case spaceVar:
		c.storeRegister(p, r, v)
	case spacePrivate:
		c.b.Op(ir.OpStorePrivate, ir.Void, c.address(p, r.off), c.toMemory(v))
	case spaceShared:
		c.b.Op(ir.OpStoreShared, ir.Void, c.address(p, r.off), c.toMemory(v))
	case spaceBuffer:
		if c.p.Resources[p.res].Kind != ir.StorageBuffer {
			c.fail("a store to a uniform buffer")
		}
		c.p.WritesMemory = true
		c.b.OpImm(ir.OpStoreBuffer, ir.Void, uint64(p.res), p.elem, c.address(p, r.off), v)
	case spaceAddress:
		c.checkStore(p)
		m, address := c.memOf(p, r.off)
		m.Log = 2
		c.b.OpMore(ir.OpStoreMem, ir.Void, m.Imm(), append(address, c.toMemory(v)))
	default:
		c.fail("a store through a pointer to %v", p.t)
	}
}

func (c *compiler) storeRegister(p *pointer, r scalarRef, v ir.Value) {
	o := p.obj
	if p.dyn == ir.NoValue {
		k := int(p.off + r.off)
		if k >= len(o.vars) {
			c.fail("scalar %d is outside variable %q", k, o.name)
		}
		o.written(k)
		c.b.Set(o.vars[k], v)
		return
	}
	list, index := c.candidates(p, r)
	for _, k := range list {
		o.written(k)
		hit := c.b.Op(ir.OpIEq, ir.Bool, index, c.b.I32(uint32(k)))
		c.b.Set(o.vars[k], c.b.Op(ir.OpSelect, r.t, hit, v, c.b.Get(o.vars[k])))
	}
}

func (o *object) written(k int) {
	if o.out != nil {
		o.out.stored[k] = true
	}
}

// variable makes storage for a Function or Private variable.
func (c *compiler) variable(in *spirv.Inst) *pointer {
	pt := c.typ(in.Type)
	if pt.Kind != spirv.KindPointer {
		c.fail("the variable's type is not a pointer")
	}
	if c.dynamic[in.Result] {
		if p := c.table(in.Result, pt); p != nil {
			return p
		}
	}
	p := &pointer{ptrType: pt, t: pt.Elem, dyn: ir.NoValue, elem: ir.NoValue}
	flat := c.flat(pt.Elem)
	if c.dynamic[in.Result] && len(flat) > registerLimit {
		p.space, p.off = spacePrivate, c.allocPrivate(len(flat))
	} else {
		p.obj = &object{name: c.m.Name(in.Result), flat: flat}
		for _, t := range flat {
			p.obj.vars = append(p.obj.vars, c.b.NewVar(t, p.obj.name))
		}
	}
	return p
}

func (c *compiler) allocPrivate(scalars int) uint32 {
	at := c.private
	if uint64(at)+4*uint64(scalars) > MaxPrivateBytes {
		c.fail("variables need more than %d bytes of lane memory", MaxPrivateBytes)
	}
	c.private += 4 * uint32(scalars)
	c.p.PrivateBytes = max(c.p.PrivateBytes, c.private)
	return at
}

// localVariable lowers OpVariable in a function.
func (c *compiler) localVariable(in *spirv.Inst) {
	p := c.variable(in)
	c.set(&value{p: p})
	if init := c.initializer(in); init != 0 && p.space != spaceTable {
		c.store(p, c.get(init))
	}
}

// arrayLength lowers OpArrayLength: how many whole elements the descriptor's
// range holds behind the array's offset.
func (c *compiler) arrayLength(in *spirv.Inst) {
	var p pointer
	if in.Op == spirv.OpUntypedArrayLengthKHR {
		p = *c.accessed(in.ID(1), c.typ(in.ID(0)))
	} else {
		p = *c.pointerTo(in.ID(0))
	}
	if p.space != spaceBuffer || p.arrayed || p.t == nil || p.t.Kind != spirv.KindStruct {
		c.fail("%v of what is not a buffer block", in.Op)
	}
	c.member(&p, in.Operands[len(in.Operands)-1])
	if p.t.Kind != spirv.KindRuntimeArray {
		c.fail("%v of %v", in.Op, p.t)
	}
	b := c.b
	size, off, stride := c.bufferSize(&p), c.address(&p, 0), b.I32(c.arrayStride(p.t))
	if c.opt.Indices64 {
		none := b.I32(0)
		small := c.wideOp(ir.WideULt, size[0], size[1], off, none)[0]
		size = c.wideOp(ir.WideISub, size[0], size[1], off, none)
		length := c.wideOp(ir.WideUDiv, size[0], size[1], stride, none)
		for i := range length {
			length[i] = b.Op(ir.OpSelect, ir.I32, small, none, length[i])
		}
		if !isWide(c.typ(in.Type)) {
			length = length[:1]
		}
		c.setScalars(length)
		return
	}
	n := b.Op(ir.OpUDiv, ir.I32, b.Op(ir.OpISub, ir.I32, size[0], off), stride)
	small := b.Op(ir.OpULt, ir.Bool, size[0], off)
	length := []ir.Value{b.Op(ir.OpSelect, ir.I32, small, b.I32(0), n)}
	if isWide(c.typ(in.Type)) {
		length = append(length, b.I32(0))
	}
	c.setScalars(length)
}
