package vm

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Lanes whose places lie in one memory, and lanes of which some have places in another, at a memory's end, beyond it, in none, or
// where no lane is active, find what each would by itself: loads, stores, atomics that are no more than that, and exchanges.
func TestVM_Mem_Windows(t *testing.T) {
	rules.Covers(t, "RAS-001")
	type access struct {
		region int // of two; others do not exist
		offset uint32
	}
	const size = 30
	bases := []uint64{0x1_FFFF_FFE0, 0x2_0000_0000} // beside each other, where a word of addresses ends
	for name, lanes := range map[string][]access{
		"one memory":      {{0, 0}, {0, 4}, {0, 24}, {0, 8}, {0, 4}, {0, 13}, {0, 20}},
		"from the middle": {{0, 16}, {0, 20}, {0, 24}, {0, 18}, {0, 17}, {0, 16}, {0, 22}},
		"at its end":      {{0, 0}, {0, 22}, {0, 26}, {0, 28}, {0, 29}, {0, 8}, {0, 23}},
		"beyond it":       {{0, 0}, {0, 30}, {0, 32}, {0, 8}, {0, math.MaxUint32}, {0, 4}, {0, 16}},
		"into the other":  {{0, 0}, {0, 32}, {0, 8}, {0, 4}, {0, 16}, {0, 12}, {0, 20}},
		"the other":       {{0, 8}, {1, 8}, {1, 16}, {0, 8}, {0, 0}, {1, 0}, {1, 28}},
		"only that":       {{1, 8}, {1, 16}, {1, 0}, {1, 4}, {1, 22}, {1, 12}, {1, 27}},
		"none at all":     {{3, 8}, {3, 16}, {3, 0}, {3, 4}, {3, 22}, {3, 12}, {3, 27}},
		"none at last":    {{0, 8}, {0, 16}, {0, 0}, {0, 4}, {0, 22}, {0, 12}, {3, 0}},
		"none first":      {{3, 8}, {0, 16}, {0, 0}, {0, 4}, {0, 22}, {0, 12}, {1, 0}},
	} {
		for _, on := range [][]uint32{{1, 1, 1, 1, 1, 1, 1}, {0, 1, 0, 1, 1, 1, 0}, {0, 0, 0, 0, 0, 0, 0}} {
			for _, space := range []ir.MemSpace{ir.MemBuffer, ir.MemShared, ir.MemAddress} {
				for _, op := range []struct {
					op     ir.Op
					m      ir.Mem
					words  int
					stores bool
				}{
					{ir.OpLoadMem, ir.Mem{Log: 2}, 1, false}, {ir.OpStoreMem, ir.Mem{Log: 2}, 1, true},
					{ir.OpLoadMem, ir.Mem{Log: 1}, 1, false}, {ir.OpStoreMem, ir.Mem{Log: 0}, 1, true},
					{ir.OpAtomicMem, ir.Mem{Log: 2, Atomic: ir.AtomicLoad}, 1, false}, {ir.OpAtomicMem, ir.Mem{Log: 2, Atomic: ir.AtomicStore}, 1, true},
					{ir.OpAtomicMem, ir.Mem{Log: 3, Atomic: ir.AtomicLoad}, 2, false}, {ir.OpAtomicMem, ir.Mem{Log: 3, Atomic: ir.AtomicStore}, 2, true},
					{ir.OpAtomicMem, ir.Mem{Log: 2, Atomic: ir.AtomicExchange}, 1, true}, {ir.OpAtomicMem, ir.Mem{Log: 3, Atomic: ir.AtomicExchange}, 2, true},
					{ir.OpAtomicBuffer, ir.Mem{Log: 2, Atomic: ir.AtomicExchange}, 1, true},
					{ir.OpAtomicBuffer, ir.Mem{Log: 2, Atomic: ir.AtomicLoad}, 1, false}, {ir.OpAtomicBuffer, ir.Mem{Log: 2, Atomic: ir.AtomicStore}, 1, true},
				} {
					atomicWord := op.op == ir.OpAtomicBuffer
					if atomicWord && space == ir.MemAddress {
						continue
					}
					memory := func() (m [2][]byte) {
						for r := range m {
							m[r] = make([]byte, size, 32)
							for i := range m[r] {
								m[r][i] = byte(0x80 + 64*r + i)
							}
						}
						return m
					}
					got, want := memory(), memory()
					in := make([][]uint32, 5) // place, two values, active
					wantLo, wantHi := make([]uint32, len(lanes)), make([]uint32, len(lanes))
					for i, l := range lanes {
						region, first, second, offset := l.region, uint32(l.region), l.offset, uint64(l.offset)
						switch space {
						case ir.MemShared:
							region, first, second = 0, l.offset, 0
						case ir.MemAddress:
							address := uint64(5) << 32 // of no memory
							if region < 2 {
								address = bases[region]
							}
							address += uint64(l.offset)
							if region == 0 && l.offset == 32 {
								region, offset = 1, 0
							}
							address -= 16 // which the instruction adds
							first, second = uint32(address), uint32(address>>32)
						}
						value := uint64(i+1) * 0x1122_3344_5566_7788
						for k, x := range []uint32{first, second, uint32(value), uint32(value >> 32), on[i]} {
							in[k] = append(in[k], x)
						}
						n := uint64(1) << op.m.Log
						if atomicWord {
							offset &^= 3
						}
						if on[i] == 0 || region > 1 || offset+n > size {
							continue
						}
						place := want[region][offset : offset+n]
						exchanges := op.m.Atomic == ir.AtomicExchange
						if !op.stores || exchanges {
							var w [8]byte
							copy(w[:], place)
							wantLo[i], wantHi[i] = binary.LittleEndian.Uint32(w[:]), binary.LittleEndian.Uint32(w[4:])
						}
						if op.stores {
							copy(place, binary.LittleEndian.AppendUint64(nil, value))
						}
					}
					p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32, ir.I32}, []ir.Type{ir.I32, ir.I32}, func(b *ir.Builder, v []ir.Value) {
						b.P.SharedBytes, b.P.WritesMemory = size+2, true
						more, m, code := append([]ir.Value{}, v[:space.Operands()]...), op.m, op.op
						if m.Space = space; space == ir.MemAddress {
							m.Resource = 16
						}
						if op.stores {
							more = append(more, v[2:2+op.words]...)
						}
						imm, typ := m.Imm(), ir.I32
						if atomicWord {
							if imm = ir.ResourceAndAtomic(0, m.Atomic); space == ir.MemShared {
								code = ir.OpAtomicShared
							}
						}
						if op.stores && m.Atomic != ir.AtomicExchange {
							typ = ir.Void
						}
						b.If(b.Op(ir.OpINe, ir.Bool, v[4], b.I32(0)), func() {
							r := b.OpMore(code, typ, imm, more)
							if typ == ir.Void {
								return
							}
							output(b, 0, r)
							if op.words == 2 {
								output(b, 1, b.OpImm(ir.OpResult, ir.I32, 1, r))
							}
						}, nil)
					})
					ctx := &exec.Context{Resources: [][]exec.Descriptor{{{Data: got[0]}, {Data: got[1]}}}, Addresses: exec.NewAddressTable([]exec.AddressRange{{Base: bases[0], Data: got[0]}, {Base: bases[1], Data: got[1]}})}
					out := runLanes(t, p, ctx, &exec.Batch{N: len(lanes), In: in, Shared: got[0]})
					for i := range lanes {
						if out[0][i] != wantLo[i] || out[1][i] != wantHi[i] {
							t.Errorf("%s, space %d, %v %+v, lanes %v: lane %d has %#x %#x, want %#x %#x", name, space, op.op, op.m, on, i, out[0][i], out[1][i], wantLo[i], wantHi[i])
						}
					}
					if !bytes.Equal(got[0], want[0]) || !bytes.Equal(got[1], want[1]) {
						t.Errorf("%s, space %d, %v %+v, lanes %v: memory % x, want % x", name, space, op.op, op.m, on, got, want)
					}
				}
			}
		}
	}
}
