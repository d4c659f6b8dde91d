package vm

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Memory behind addresses is that of the batch: what another batch has found does not count, and
// neither do bytes behind its end. All of it is machine code.
func TestNative_Addresses_OfTheBatch(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, addressesOfTheBatch)
}

func addressesOfTheBatch(t *testing.T) {
	const n, base, words = 40, 0x3_0000_1000, 64
	for log := range uint8(3) {
		types := []ir.Type{ir.I32, ir.I32}
		p := program(t, ir.StageCompute, types, types[:1], func(b *ir.Builder, in []ir.Value) {
			b.P.WritesMemory, b.P.UsesAddresses = true, true
			m := ir.Mem{Space: ir.MemAddress, Log: log}
			v := b.OpMore(ir.OpLoadMem, ir.I32, m.Imm(), []ir.Value{in[0], in[1]})
			output(b, 0, v)
			v = b.Op(ir.OpIAdd, ir.I32, v, b.I32(1))
			b.OpMore(ir.OpStoreMem, ir.Void, m.Imm(), []ir.Value{in[0], in[1], v})
		})
		compiled, err := New(under(Options{})).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		if machine >= 256 {
			for _, in := range compiled.(*routine).machine().code {
				if in.kind != native.KindBlock {
					t.Errorf("%d bytes: kind %d is not machine code", 1<<log, in.kind)
				}
			}
		}
		thread := compiled.NewThread(n)
		in := [][]uint32{make([]uint32, n), make([]uint32, n)}
		for _, size := range []int{4 * words, 4*words - 1, 4*words - 3, 130, 0, 4 * words} {
			data := make([]byte, 4*words, 5*words)[:size]
			for i := range data {
				data[i] = byte(3*i + 1)
			}
			// The first strip finds the memory, the second has the end, others are behind it.
			at := func(l int) int {
				switch {
				case l < 16:
					return 4 * l
				case l < 32:
					return size - 3 - 4*(l-16)
				}
				return size + 4*l
			}
			for l := range n {
				in[0][l], in[1][l] = base&(1<<32-1)+uint32(at(l)), base>>32
			}
			want, memory := make([]uint32, n), append([]byte(nil), data...)
			for l := range n { // each has bytes of its own
				if o := at(l); o >= 0 && o+1<<log <= size {
					var b [4]byte
					copy(b[:], data[o:o+1<<log])
					want[l] = binary.LittleEndian.Uint32(b[:])
					binary.LittleEndian.PutUint32(b[:], want[l]+1)
					copy(memory[o:o+1<<log], b[:])
				}
			}
			out := [][]uint32{make([]uint32, n)}
			table := []exec.AddressRange{{Base: base, Data: data}}
			ctx := &exec.Context{Addresses: exec.NewAddressTable(table)}
			if err := thread.Run(ctx, &exec.Batch{N: n, In: in, Out: out}); err != nil {
				t.Fatal(err)
			}
			got, wanted := fmt.Sprintf("%x %x", out[0], data), fmt.Sprintf("%x %x", want, memory)
			if got != wanted {
				t.Fatalf("%d bytes of %d: %s\nwant %s", 1<<log, size, got, wanted)
			}
		}
	}
}

// Lanes that have memory of their own each, some of them none, load and store there.
func TestNative_Addresses_OfLanes(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, addressesOfLanes)
}

func addressesOfLanes(t *testing.T) {
	const n, ranges, bytes = 64, 5, 40
	types := []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32}
	p := program(t, ir.StageCompute, types[:2], types, func(b *ir.Builder, in []ir.Value) {
		b.P.WritesMemory, b.P.UsesAddresses = true, true
		for k := range 4 {
			m := ir.Mem{Space: ir.MemAddress, Log: 2, Resource: uint32(4 * k)}
			output(b, k, b.OpMore(ir.OpLoadMem, ir.I32, m.Imm(), []ir.Value{in[0], in[1]}))
		}
	})
	r := rand.New(rand.NewPCG(3, 9))
	var table []exec.AddressRange
	for i := range ranges {
		data := make([]byte, bytes)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		table = append(table, exec.AddressRange{Base: uint64(i+1) << 33, Data: data})
	}
	in := [][]uint32{make([]uint32, n), make([]uint32, n)}
	for l := range n {
		in[0][l], in[1][l] = r.Uint32N(bytes), 2*r.Uint32N(ranges+2)
	}
	ctx := &exec.Context{Addresses: exec.NewAddressTable(table)}
	out := runLanes(t, p, ctx, &exec.Batch{N: n, In: in})
	for l := range n {
		for k := range 4 {
			want, o := uint32(0), int(in[0][l])+4*k
			if i := int(in[1][l]/2) - 1; i >= 0 && i < ranges && o+4 <= bytes {
				want = binary.LittleEndian.Uint32(table[i].Data[o:])
			}
			if out[k][l] != want {
				t.Errorf("lane %d, word %d at %#x: %#x, want %#x", l, k, in[0][l], out[k][l], want)
			}
		}
	}
}
