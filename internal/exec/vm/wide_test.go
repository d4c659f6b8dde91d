package vm

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Every 64-bit operation on values at the edges gives what its function gives,
// plain and after the passes, and at any number of lanes.
func TestVM_EveryWideOperation(t *testing.T) {
	rules.Covers(t, "RAS-001")
	f := math.Float64bits
	edge := []uint64{0, 1, 2, 63, 64, 1 << 31, 1 << 32, 1 << 63, math.MaxInt64, math.MaxUint64, f(1), f(-1.5), f(0.1), f(math.Inf(1)), f(math.NaN()), f(1e300), f(-3e9), 0x3F800000, 0xC0490FDB, 0x7F800000}
	n := len(edge) * len(edge)
	words := make([][]uint32, 6)
	for i := range words {
		words[i] = make([]uint32, n)
		for l := range words[i] {
			at := []int{l % len(edge), l / len(edge), (l*7 + l/len(edge)*5) % len(edge)}[i/2]
			words[i][l] = uint32(edge[at] >> (32 * (i & 1)))
		}
	}
	for op := range ir.WideOp(ir.WideOps) {
		p, args := wideProgram(t, op)
		for _, optimize := range []bool{false, true} {
			if optimize {
				if err := ir.OptimizeChecked(p); err != nil {
					t.Fatal(err)
				}
			}
			got := runLanes(t, p, &exec.Context{}, &exec.Batch{N: n, In: words})
			for l := range n {
				var x [3]uint64
				for i := range args {
					x[i] = uint64(words[2*i][l])
					if args[i] == 'w' {
						x[i] |= uint64(words[2*i+1][l]) << 32
					}
				}
				want := ir.EvalWide(op, x[0], x[1], x[2])
				if uint64(got[0][l])|uint64(got[1][l])<<32 != want {
					t.Fatalf("%v %x: %08x%08x, want %016x", op, x, got[1][l], got[0][l], want)
				}
			}
		}
	}
}

// Memory of every width and space: in range, at the end, and beyond it.
func TestVM_Mem_WidthsAndBounds(t *testing.T) {
	rules.Covers(t, "RAS-001")
	data := make([]byte, 7) // the last word is not whole
	for i := range data {
		data[i] = byte(0xA0 + i)
	}
	offsets := []uint32{0, 1, 3, 4, 5, 6, 7, math.MaxUint32}
	const base = 0x1234_0000_0000
	for _, space := range []ir.MemSpace{ir.MemBuffer, ir.MemPush, ir.MemAddress, ir.MemPointer} {
		for log := range uint8(3) {
			p := program(t, ir.StageCompute, []ir.Type{ir.I32}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
				m := ir.Mem{Space: space, Log: log}
				address := []ir.Value{in[0]}
				switch space {
				case ir.MemBuffer:
					address = []ir.Value{b.I32(0), in[0]}
				case ir.MemAddress:
					address = []ir.Value{in[0], b.I32(base >> 32)}
				case ir.MemPointer:
					address = []ir.Value{in[0], b.I32(ir.PointerTag)}
				}
				output(b, 0, b.OpMore(ir.OpLoadMem, ir.I32, m.Imm(), address))
			})
			ctx := &exec.Context{Resources: [][]exec.Descriptor{{{Data: data}}}, Push: data, Addresses: exec.NewAddressTable([]exec.AddressRange{{Base: base, Data: data}})}
			got := runLanes(t, p, ctx, &exec.Batch{N: len(offsets), In: [][]uint32{offsets}})
			for i, o := range offsets {
				want := uint32(0)
				if n := uint64(1) << log; uint64(o)+n <= uint64(len(data)) {
					var b [4]byte
					copy(b[:], data[o:uint64(o)+n])
					want = binary.LittleEndian.Uint32(b[:])
				}
				if got[0][i] != want {
					t.Errorf("space %d, %d bytes at %d: %#x, want %#x", space, 1<<log, o, got[0][i], want)
				}
			}
		}
	}
}

// Stores of every width through descriptors that vary between lanes: in range, at the
// end and beyond it, to elements that there are not, and from lanes that store nothing.
func TestVM_Mem_Stores(t *testing.T) {
	rules.Covers(t, "RAS-001")
	elements := []uint32{0, 0, 1, 0, 2, 7, 1, 1, 0, 0, 0, 1}
	offsets := []uint32{0, 6, 3, math.MaxUint32, 0, 0, 8, 7, 7, 5, 3, 0}
	on := []uint32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}
	values := make([]uint32, len(offsets))
	for i := range values {
		values[i] = 0x81920304 + uint32(i)*0x01010101
	}
	for log := range uint8(3) {
		p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32}, nil, func(b *ir.Builder, in []ir.Value) {
			b.P.Resources = append(b.P.Resources, ir.Resource{Kind: ir.StorageBuffer, Count: 2})
			b.If(b.Op(ir.OpINe, ir.Bool, in[3], b.I32(0)), func() {
				b.OpMore(ir.OpStoreMem, ir.Void, ir.Mem{Space: ir.MemBuffer, Log: log}.Imm(), in[:3])
			}, nil)
		})
		got, want := [][]byte{make([]byte, 7), make([]byte, 9)}, [][]byte{make([]byte, 7), make([]byte, 9)}
		runLanes(t, p, &exec.Context{Resources: [][]exec.Descriptor{{{Data: got[0]}, {Data: got[1]}}}}, &exec.Batch{N: len(offsets), In: [][]uint32{elements, offsets, values, on}})
		for i, e := range elements {
			n := uint64(1) << log
			if o := uint64(offsets[i]); on[i] != 0 && e < 2 && o+n <= uint64(len(want[e])) {
				word := binary.LittleEndian.AppendUint32(nil, values[i])
				copy(want[e][o:], word[:n])
			}
		}
		for e := range want {
			if !bytes.Equal(got[e], want[e]) {
				t.Errorf("%d bytes, element %d: % x, want % x", 1<<log, e, got[e], want[e])
			}
		}
	}
}

// onlyMachineCode fails where there is machine code, but not for all of a program.
func onlyMachineCode(t *testing.T, p *ir.Program) {
	t.Helper()
	r, err := New(under(Options{})).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	if machine == 0 {
		return
	}
	for _, in := range r.(*routine).machine().code {
		if in.kind != native.KindBlock {
			t.Errorf("an instruction of kind %d is no machine code", in.kind)
		}
	}
}

// Accesses of all lanes at one place run once: in range, at the end, beyond it, of an element that there is not, and
// where no lane stores. Four lanes are a strip of all machines, so all load before one stores.
func TestVM_Mem_Uniform(t *testing.T) {
	rules.Covers(t, "RAS-001")
	all, none, some := []uint32{1, 1, 1, 1}, []uint32{0, 0, 0, 0}, []uint32{0, 0, 1, 1}
	live := func(on []uint32) (w []uint32) {
		for _, x := range on {
			w = append(w, -x)
		}
		return w
	}
	for _, c := range []struct {
		element, offset uint32
		on, live        []uint32
		stores          bool
	}{
		{1, 0, all, nil, true}, {1, 6, all, nil, true}, {1, 7, all, nil, true}, {1, 4, all, nil, true}, {1, math.MaxUint32, all, nil, true}, {2, 0, all, nil, true},
		{1, 1, none, nil, false}, {1, 1, some, nil, true}, {1, 1, all, live(none), false}, {1, 1, all, live(some), true}, {1, 1, some, live([]uint32{1, 1, 0, 0}), false},
		{1, 3, some, live([]uint32{0, 0, 0, 1}), true},
	} {
		for log := range uint8(3) {
			p := program(t, ir.StageFragment, []ir.Type{ir.I32}, []ir.Type{ir.I32, ir.I32, ir.I32}, func(b *ir.Builder, in []ir.Value) {
				b.P.WritesMemory, b.P.PushBytes = true, 12
				push := func(at uint32) ir.Value { return b.Op(ir.OpLoadPush, ir.I32, b.I32(at)) }
				imm, at := ir.Mem{Space: ir.MemBuffer, Log: log}.Imm(), []ir.Value{push(0), push(4)}
				output(b, 0, b.OpMore(ir.OpLoadMem, ir.I32, imm, at))
				b.If(b.Op(ir.OpINe, ir.Bool, in[0], b.I32(0)), func() {
					b.OpMore(ir.OpStoreMem, ir.Void, imm, append(slices.Clone(at), push(8)))
				}, nil)
				output(b, 1, b.OpMore(ir.OpLoadMem, ir.I32, imm, at))
				output(b, 2, b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, in[0], in[0]), in[0])) // worth a block
			})
			ir.Diverge(p)
			onlyMachineCode(t, p)
			const value = 0x81920304
			push := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, c.element), c.offset), value)
			data := []byte{0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6}
			want, n := bytes.Clone(data), uint64(1)<<log
			inside := c.element == 1 && uint64(c.offset)+n <= uint64(len(data))
			word := func() (w uint32) {
				for i := range n {
					if inside {
						w |= uint32(want[uint64(c.offset)+i]) << (8 * i)
					}
				}
				return w
			}
			before := word()
			if inside && c.stores {
				copy(want[c.offset:], binary.LittleEndian.AppendUint32(nil, value)[:n])
			}
			after := word()
			got := runLanes(t, p, &exec.Context{Push: push, Resources: [][]exec.Descriptor{{{}, {Data: data}}}}, &exec.Batch{N: 4, In: [][]uint32{c.on}, Live: c.live})
			if !bytes.Equal(data, want) {
				t.Errorf("%d bytes at %d of element %d, lanes %x, live %x: memory % x, want % x", n, c.offset, c.element, c.on, c.live, data, want)
			}
			for i := range c.on {
				if got[0][i] != before || got[1][i] != after {
					t.Errorf("%d bytes at %d of element %d, lane %d: %#x, then %#x, want %#x, %#x", n, c.offset, c.element, i, got[0][i], got[1][i], before, after)
				}
			}
		}
	}
}

// Atomics that are not 8-aligned work too, if not atomically; a pointer with a
// forged tag reaches nothing that a shader may not write.
func TestVM_Mem_AtomicsAndForgedPointers(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.I32}, []ir.Type{ir.I32, ir.I32}, func(b *ir.Builder, in []ir.Value) {
		b.P.Resources = append(b.P.Resources, ir.Resource{Kind: ir.UniformBuffer, Count: 1})
		m := ir.Mem{Space: ir.MemPointer, Log: 3, Atomic: ir.AtomicAdd}
		old := b.OpMore(ir.OpAtomicMem, ir.I32, m.Imm(), []ir.Value{in[0], in[1], b.I32(0xFFFFFFFF), b.I32(0)})
		output(b, 0, old)
		output(b, 1, b.OpImm(ir.OpResult, ir.I32, 1, old))
	})
	storage, uniform := make([]byte, 32), make([]byte, 32)
	binary.LittleEndian.PutUint64(storage[4:], 5)
	got := runLanes(t, p, &exec.Context{Resources: [][]exec.Descriptor{{{Data: storage}}, {{Data: uniform}}}},
		&exec.Batch{N: 4, In: [][]uint32{{4, 0, 28, 0}, {ir.PointerTag, ir.PointerTag | 1<<ir.PointerResourceShift, ir.PointerTag, ir.PointerTag | 7<<ir.PointerResourceShift}}})
	if v := binary.LittleEndian.Uint64(storage[4:]); v != 5+0xFFFFFFFF || got[0][0] != 5 || got[1][0] != 0 {
		t.Errorf("the counter is %#x, its old value %#x %#x", v, got[0][0], got[1][0])
	}
	for i, b := range uniform {
		if b != 0 {
			t.Fatalf("byte %d of the uniform buffer is written", i)
		}
	}
}

// wideProgram is the operation on three pairs of inputs, or the low words of them, with what each argument is.
func wideProgram(t *testing.T, op ir.WideOp) (p *ir.Program, args string) {
	t.Helper()
	args, result := op.Signature()
	types := []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32}
	for i := range args {
		if args[i] == 'f' {
			types[2*i] = ir.F32
		}
	}
	out := map[byte]ir.Type{'w': ir.I32, 'i': ir.I32, 'f': ir.F32, 'b': ir.Bool}[result]
	p = program(t, ir.StageCompute, types, []ir.Type{out, ir.I32}, func(b *ir.Builder, v []ir.Value) {
		var more []ir.Value
		for i := range args {
			more = append(more, v[2*i])
			if args[i] == 'w' {
				more = append(more, v[2*i+1])
			}
		}
		r := b.OpMore(ir.OpWide, out, uint64(op), more)
		output(b, 0, r)
		if result == 'w' {
			output(b, 1, b.OpImm(ir.OpResult, ir.I32, 1, r))
		}
	})
	return p, args
}
