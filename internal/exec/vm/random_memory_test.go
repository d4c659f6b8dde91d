package vm

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Memory of random programs that has addresses: ownBytes of each lane, across a border of 4 GiB,
// and some that all lanes read, whose last word is not whole.
const (
	ownBytes  = 32
	ownBase   = 0x5_FFFF_FFC0
	readBase  = 0x7_0000_0010
	readBytes = 23
)

// addresses is the memory of a world behind addresses.
func (w *world) addresses() exec.AddressTable {
	return exec.NewAddressTable([]exec.AddressRange{
		{Base: ownBase, Data: w.buffers[2][0]}, {Base: readBase, Data: w.buffers[3][0]},
		{Base: atomicBase, Data: w.buffers[6][0]},
	})
}

// pair64 makes an operation on pairs.
func (g *gen) pair64(b *ir.Block, op ir.WideOp, words ...ir.Value) [2]ir.Value {
	lo := g.add(b, ir.Inst{Op: ir.OpWide, Type: ir.I32, Imm: uint64(op), More: words})
	hi := g.add(b, ir.Inst{Op: ir.OpResult, Type: ir.I32, Imm: 1, Args: [3]ir.Value{lo}})
	return [2]ir.Value{lo, hi}
}

// below is an integer below a power of two.
func (g *gen) below(b *ir.Block, n uint64) ir.Value {
	args := [3]ir.Value{g.pick(ir.I32), g.constant(b, n-1)}
	return g.add(b, ir.Inst{Op: ir.OpAnd, Type: ir.I32, Args: args})
}

// memory makes an access of any width: to what is the lane's own, or where nobody writes, or
// where there is no memory.
func (g *gen) memory(b *ir.Block) {
	op := func(o ir.Op, t ir.Type, args ...ir.Value) ir.Value {
		in := ir.Inst{Op: o, Type: t}
		copy(in.Args[:], args)
		return g.add(b, in)
	}
	store := g.r.IntN(2) == 0
	m := ir.Mem{Log: uint8(g.r.IntN(3))}
	words := 1
	var address []ir.Value
	switch k := g.r.IntN(6); {
	case k == 0 && !store:
		m.Space, address = ir.MemPush, []ir.Value{g.below(b, 64)}
	case k == 1 && !store:
		m.Space, m.Resource = ir.MemBuffer, 3
		address = []ir.Value{g.constant(b, uint64(g.r.IntN(2))), g.below(b, 32)}
		if g.r.IntN(3) == 0 {
			address[1] = g.constant(b, uint64(g.r.IntN(readBytes+2)))
		}
	case k == 2:
		m.Space, m.Resource = ir.MemBuffer, 2
		at := op(ir.OpIMul, ir.I32, 0, g.constant(b, ownBytes))
		at = op(ir.OpIAdd, ir.I32, at, g.below(b, 16))
		if g.r.IntN(4) == 0 {
			at = op(ir.OpSelect, ir.I32, g.pick(ir.Bool), at, g.constant(b, 1<<31))
		}
		address = []ir.Value{g.constant(b, 0), at}
	default:
		m.Space = ir.MemAddress
		if m.Log == 2 {
			words = 1 + g.r.IntN(4)
		}
		zero := g.constant(b, 0)
		low, high := g.constant(b, ownBase&(1<<32-1)), g.constant(b, ownBase>>32)
		by := op(ir.OpIMul, ir.I32, 0, g.constant(b, ownBytes))
		own := g.pair64(b, ir.WideIAdd, low, high, by, zero)
		if g.r.IntN(2) == 0 {
			own = g.pair64(b, ir.WideIAdd, own[0], own[1], g.below(b, 16), zero)
		}
		other := [2]ir.Value{g.below(b, 32), g.constant(b, readBase>>32)}
		if store {
			other = [2]ir.Value{g.pick(ir.I32), g.constant(b, 9)}
		}
		address = own[:]
		if cond := g.pick(ir.Bool); g.r.IntN(3) == 0 {
			for i := range address {
				address[i] = op(ir.OpSelect, ir.I32, cond, own[i], other[i])
			}
		}
	}
	if m.Space != ir.MemPush && m.Resource != 3 && g.r.IntN(3) == 0 {
		g.atomic(b, m, address)
		return
	}
	var loaded []ir.Value
	for range words {
		if store {
			more := append(slices.Clone(address), g.pick(ir.I32))
			g.add(b, ir.Inst{Op: ir.OpStoreMem, Imm: m.Imm(), More: more})
		} else {
			more := slices.Clone(address)
			in := ir.Inst{Op: ir.OpLoadMem, Type: ir.I32, Imm: m.Imm(), More: more}
			loaded = append(loaded, g.add(b, in))
		}
		m.Resource += 4
	}
	for len(loaded) > 1 { // numbers of 64 bits
		op := []ir.WideOp{ir.WideIAdd, ir.WideISub, ir.WideIMul}[g.r.IntN(3)]
		x := g.pair64(b, op, loaded[0], loaded[1], g.pick(ir.I32), g.constant(b, 0))
		if loaded = loaded[2:]; g.r.IntN(2) == 0 {
			g.pair64(b, op, x[0], x[1], g.pick(ir.I32), g.pick(ir.I32))
			g.scope = slices.DeleteFunc(g.scope, func(v ir.Value) bool { return v == x[0] || v == x[1] })
		}
	}
}

// atomic makes an atomic on memory that is the lane's own, or is not there.
func (g *gen) atomic(b *ir.Block, m ir.Mem, address []ir.Value) {
	which := len(address) - 1
	if m.Space == ir.MemAddress {
		which = 0
	}
	in := ir.Inst{Op: ir.OpAnd, Type: ir.I32, Args: [3]ir.Value{address[which], g.constant(b, 1<<32-8)}}
	address = slices.Clone(address)
	address[which] = g.add(b, in)
	g.atomicAt(b, m, address)
}

// atomicAt makes an atomic of halves, words or pairs at an address for numbers of 64 bits.
func (g *gen) atomicAt(b *ir.Block, m ir.Mem, address []ir.Value) {
	m.Log, m.Atomic = uint8(2+g.r.IntN(2)), ir.AtomicOp(g.r.IntN(int(ir.AtomicFMax)+1))
	if m.Atomic == ir.AtomicFAdd || m.Atomic > ir.AtomicStore {
		m.Log = uint8(1 + g.r.IntN(3))
		m.Atomic |= ir.AtomicFlush * ir.AtomicOp(g.r.IntN(2))
	}
	more := slices.Clone(address)
	for range m.Atomic.Values() << (max(m.Log, 2) - 2) {
		more = append(more, g.pick(ir.I32))
	}
	in := ir.Inst{Op: ir.OpAtomicMem, Type: ir.I32, Imm: m.Imm(), More: more}
	if m.Atomic == ir.AtomicStore {
		in.Type = ir.Void
	}
	v := g.add(b, in)
	if g.p.Results(&g.p.Insts[v]) > 1 && in.Type != ir.Void {
		g.add(b, ir.Inst{Op: ir.OpResult, Type: ir.I32, Imm: 1, Args: [3]ir.Value{v}})
	}
	if g.r.IntN(2) == 0 && in.Type != ir.Void { // nobody reads it
		g.scope = slices.DeleteFunc(g.scope, func(x ir.Value) bool { return x >= v })
	}
}
