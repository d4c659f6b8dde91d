package lower_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/lower"
)

func TestVariablePointers_SelectPhiCallWorkgroup(t *testing.T) {
	in, other := make([]uint32, lanes), make([]byte, 4*lanes)
	for i := range in {
		in[i] = uint32(i*i*3+i*7) % 1000
		binary.LittleEndian.PutUint32(other[4*i:], uint32(5000+i))
	}
	got := runCompute(t, "variable.spvasm", lower.Options{}, in, lanes*6, other)
	at := func(list func(uint32) uint32, i uint32) uint32 { // outside the descriptor: 0
		if i >= lanes {
			return 0
		}
		return list(i)
	}
	a, b := func(i uint32) uint32 { return in[i] }, func(i uint32) uint32 { return 5000 + i }
	check(t, got, 6, []string{"select", "step", "call", "phi", "workgroup", "difference, atomic"}, func(lane uint32) []uint32 {
		if in[lane]&1 != 0 {
			return []uint32{a(lane), at(a, lane+1), 0, at(a, lane-1), a(lane), 4 + at(a, lane-1)}
		}
		return []uint32{b(lane), at(b, lane+1), b(lane), b(lane), a(lane ^ 1), 6 + b(lane)}
	})
}

func TestBufferReference_ListsBytesAtomicsOutOfRange(t *testing.T) {
	in := make([]uint32, lanes)
	sum := uint32(0)
	for i := range in {
		in[i] = uint32(i*37 + 5)
		sum += in[i]
	}
	const nodes, data = 0x7123_4560_0000_0000, 0x1000
	for _, form := range forms {
		list, words := make([]byte, 4*32), make([]byte, 4*65)
		for i := range 4 {
			n := list[32*i:]
			binary.LittleEndian.PutUint32(n, uint32(100+i))
			binary.LittleEndian.PutUint64(n[8:], nodes+uint64(32*((i+1)%4)))
			for k := range 4 {
				binary.LittleEndian.PutUint32(n[16+4*k:], math.Float32bits(float32(10*i+k)))
			}
		}
		heads := binary.LittleEndian.AppendUint64(nil, nodes)
		heads = binary.LittleEndian.AppendUint64(heads, data)
		heads = binary.LittleEndian.AppendUint64(heads, data)
		addresses := exec.NewAddressTable([]exec.AddressRange{{Base: nodes, Data: list}, {Base: data, Data: words}})
		p := compile(t, "reference.comp"+form, lower.Options{})
		if !p.UsesAddresses || !p.WritesMemory {
			t.Errorf("facts: addresses %v, writes %v", p.UsesAddresses, p.WritesMemory)
		}
		got := runComputeAt(t, "reference.comp"+form, lower.Options{}, addresses, in, lanes*8, heads, list, words)
		old := uint32(0)
		check(t, got, 8, []string{"list", "vector", "atomic", "after", "store", "bytes", "outside", "select"}, func(lane uint32) []uint32 {
			x := in[lane]
			k := x & 3
			before := old
			old += x
			m := uint32(101)
			if x&1 != 0 {
				m = 1100
			}
			return []uint32{100 + k, 10*k + 1 + 10*k + x%4, before, sum, in[63-lane], uint32(uint8(x)), 0, m}
		})
	}
}
