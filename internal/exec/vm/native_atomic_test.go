package vm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Atomics of many lanes on few words find what those of loops find, one after the other, in
// conditions and loops, too: all lanes do one before any lane does the next.
func TestNative_Atomics_InOrder(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, atomicsInOrder)
}

func atomicsInOrder(t *testing.T) {
	const base = 0x4_0000_0000
	for seed := range share(400, 4) {
		r := rand.New(rand.NewPCG(seed, 12))
		types := []ir.Type{ir.I32, ir.I32, ir.I32}
		p := program(t, ir.StageCompute, types, types[1:],
			func(b *ir.Builder, in []ir.Value) { someAtomics(b, in, r, base) })
		if seed%2 == 0 {
			ir.Optimize(p)
		}
		n := 1 + r.IntN(100)
		in := [][]uint32{make([]uint32, n), lanesFor(r, n), lanesFor(r, n)}
		for l := range n {
			in[0][l] = r.Uint32N(5) * 8
			if seed%3 == 0 {
				in[0][l] = 16 // one for all
			}
			if seed%7 == 0 && r.IntN(4) == 0 {
				in[0][l] += r.Uint32N(8) // not aligned
			}
		}
		live := slices.Repeat([]uint32{^uint32(0)}, n)
		for l := range live {
			if r.IntN(4) == 0 {
				live[l] = 0
			}
		}
		first := make([]byte, 36) // whose last pair is not whole
		for i := range first {
			first[i] = byte(r.Uint32())
		}
		results := inMemory(t, p, base, first, in, live)
		if results[0] != results[1] {
			t.Fatalf("seed %d: %s\nwant %s\n%v", seed, results[1], results[0], p)
		}
	}
}

// inMemory is what loops and machine code make of a program with two outputs: these, and its storage buffer,
// shared memory and memory at an address, each of which holds start at first.
func inMemory(t *testing.T, p *ir.Program, base uint64, start []byte, in [][]uint32, live []uint32) (results [2]string) {
	t.Helper()
	n := len(in[0])
	for k := range results {
		memory := [3][]byte{}
		for i := range memory {
			memory[i] = slices.Clone(start)
		}
		compiled, err := New(loopsOr(k == 1)).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		out := [][]uint32{make([]uint32, n), make([]uint32, n)}
		table := exec.NewAddressTable([]exec.AddressRange{{Base: base, Data: memory[2]}})
		ctx := &exec.Context{Resources: [][]exec.Descriptor{{{Data: memory[0]}}}, Addresses: table}
		batch := &exec.Batch{N: n, In: in, Out: out, Shared: memory[1], Live: slices.Clone(live)}
		if err := compiled.NewThread(n).Run(ctx, batch); err != nil {
			t.Fatal(err)
		}
		results[k] = fmt.Sprintf("%08x %x", out, bytes.Join(memory[:], nil))
	}
	return results
}

// someAtomics makes atomics of all kinds.
func someAtomics(b *ir.Builder, in []ir.Value, r *rand.Rand, base uint64) {
	b.P.SharedBytes, b.P.WritesMemory, b.P.UsesAddresses = 36, true, true
	b.P.Resources = []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}}
	sum := b.NewVar(ir.I32, "")
	b.Set(sum, in[1])
	one := func() {
		m := ir.Mem{Log: 2, Atomic: ir.AtomicOp(r.IntN(int(ir.AtomicFMax) + 1))}
		float := m.Atomic == ir.AtomicFAdd || m.Atomic > ir.AtomicStore
		switch m.Atomic {
		case ir.AtomicExchange, ir.AtomicLoad, ir.AtomicStore:
			m.Log = uint8(1 + r.IntN(3))
		default:
			if m.Log = uint8(2 + r.IntN(2)); float {
				m.Log = uint8(1 + r.IntN(3))
			}
		}
		if float && r.IntN(2) == 0 {
			m.Atomic |= ir.AtomicFlush
		}
		if float && m.Log == 2 && r.IntN(3) == 0 {
			m.Atomic |= ir.AtomicHalf
		}
		var more []ir.Value
		switch r.IntN(3) {
		case 0:
			m.Space, more = ir.MemBuffer, []ir.Value{b.I32(0), in[0]}
		case 1:
			m.Space, more = ir.MemShared, []ir.Value{in[0]}
		default:
			m.Space, more = ir.MemAddress, []ir.Value{in[0], b.I32(uint32(base >> 32))}
		}
		for range m.Atomic.Values() << (max(m.Log, 2) - 2) {
			v := b.Get(sum)
			if !float || r.IntN(2) == 0 {
				v = b.Op(ir.OpAnd, ir.I32, v, b.I32(0xFF))
			}
			more = append(more, v)
		}
		typ := ir.I32
		if m.Atomic == ir.AtomicStore {
			typ = ir.Void
		}
		v := ir.NoValue
		switch {
		case m.Log == 2 && m.Space == ir.MemBuffer:
			v = b.OpMore(ir.OpAtomicBuffer, typ, ir.ResourceAndAtomic(0, m.Atomic), more)
		case m.Log == 2 && m.Space == ir.MemShared:
			v = b.OpMore(ir.OpAtomicShared, typ, ir.ResourceAndAtomic(0, m.Atomic), more)
		default:
			v = b.OpMore(ir.OpAtomicMem, typ, m.Imm(), more)
		}
		if typ != ir.Void && r.IntN(2) == 0 {
			b.Set(sum, b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, b.Get(sum), b.I32(31)), v))
		}
	}
	for range 1 + r.IntN(5) {
		switch r.IntN(4) {
		case 0:
			some := b.Op(ir.OpAnd, ir.I32, in[2], b.I32(3))
			b.If(b.Op(ir.OpULt, ir.Bool, some, b.I32(2)), func() {
				for range 1 + r.IntN(2) {
					one()
				}
			}, nil)
		case 1:
			turn := b.NewVar(ir.I32, "")
			b.Set(turn, b.Op(ir.OpAnd, ir.I32, in[1], b.I32(3)))
			b.Loop(false, func(l *ir.Loop) {
				b.If(b.Op(ir.OpULt, ir.Bool, b.I32(4), b.Get(turn)), func() { b.Break(l) }, nil)
				b.Set(turn, b.Op(ir.OpIAdd, ir.I32, b.Get(turn), b.I32(1)))
				one()
			}, func(*ir.Loop) {})
		default:
			one()
		}
	}
	output(b, 0, b.Get(sum))
	b.Op(ir.OpBarrier, ir.Void)
	output(b, 1, b.Op(ir.OpLoadShared, ir.I32, b.I32(4)))
}
