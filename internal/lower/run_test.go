package lower_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
)

const lanes = 64

// forms are the suffixes of a compute shader's modules: plain, and optimized by
// spirv-opt, which turns variables into phis.
var forms = []string{"", ".opt"}

// runCompute runs one workgroup of a compute shader of 64x1x1 invocations that
// reads binding 0 and writes binding 1, and returns the latter.
func runCompute(t *testing.T, name string, opt lower.Options, in []uint32, words int, more ...[]byte) []uint32 {
	t.Helper()
	return runComputeAt(t, name, opt, nil, in, words, more...)
}

// runComputeAt is runCompute with memory at device addresses, which must be
// among more to start each run alike.
func runComputeAt(t *testing.T, name string, opt lower.Options, addresses exec.Addresses, in []uint32, words int, more ...[]byte) []uint32 {
	t.Helper()
	restore := keep(more)
	p := compile(t, name, opt)
	plain := runProgram(t, p, addresses, in, words, more)
	ir.Optimize(p)
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	restore()
	optimized := runProgram(t, p, addresses, in, words, more)
	for i := range plain {
		if plain[i] != optimized[i] {
			t.Fatalf("word %d: %#x, after ir.Optimize %#x", i, plain[i], optimized[i])
		}
	}
	return plain
}

// keep returns what makes memory be again what it is now.
func keep(memory [][]byte) (restore func()) {
	var saved [][]byte
	for _, b := range memory {
		saved = append(saved, bytes.Clone(b))
	}
	return func() {
		for i, b := range memory {
			copy(b, saved[i])
		}
	}
}

// runProgram runs it on the portable machine and as machine code, which must agree.
func runProgram(t *testing.T, p *ir.Program, addresses exec.Addresses, in []uint32, words int, more [][]byte) []uint32 {
	t.Helper()
	restore := keep(more)
	got := runOn(t, vm.Options{Lanes: 64}, p, addresses, in, words, more)
	restore()
	for i, w := range runOn(t, vm.Options{Native: true}, p, addresses, in, words, more) {
		if w != got[i] {
			t.Fatalf("word %d: %#x, as machine code %#x", i, got[i], w)
		}
	}
	return got
}

func runOn(t *testing.T, opt vm.Options, p *ir.Program, addresses exec.Addresses, in []uint32, words int, more [][]byte) []uint32 {
	t.Helper()
	r, err := vm.New(opt).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	src, out := make([]byte, 4*len(in)), make([]byte, 4*words)
	for i, w := range in {
		binary.LittleEndian.PutUint32(src[4*i:], w)
	}
	buffers := append([][]byte{src, out}, more...)
	ctx := &exec.Context{Addresses: addresses}
	for _, res := range p.Resources {
		d := make([]exec.Descriptor, res.Count)
		for i := range d {
			if at := int(res.Binding) + i; at < len(buffers) {
				d[i].Data = buffers[at]
			}
		}
		ctx.Resources = append(ctx.Resources, d)
	}
	ctx.Push = make([]byte, p.PushBytes)
	for i := range ctx.Push {
		ctx.Push[i] = byte(i)
	}
	n := max(lanes, int(p.LocalSize[0]*p.LocalSize[1]*p.LocalSize[2]))
	b := &exec.Batch{N: n, Shared: make([]byte, p.SharedBytes)}
	for _, io := range p.Inputs {
		lane := make([]uint32, n)
		for i := range lane {
			switch io.Builtin {
			case ir.BuiltinGlobalInvocationID, ir.BuiltinLocalInvocationID:
				if io.Component == 0 {
					lane[i] = uint32(i)
				}
			case ir.BuiltinLocalInvocationIndex:
				lane[i] = uint32(i)
			case ir.BuiltinNumWorkgroups:
				lane[i] = 1
			}
		}
		b.In = append(b.In, lane)
	}
	if err := r.NewThread(n).Run(ctx, b); err != nil {
		t.Fatal(err)
	}
	got := make([]uint32, words)
	for i := range got {
		got[i] = binary.LittleEndian.Uint32(out[4*i:])
	}
	return got
}

// check compares per-lane results with values computed in Go.
func check(t *testing.T, got []uint32, per int, names []string, want func(lane uint32) []uint32) {
	t.Helper()
	for lane := range uint32(len(got) / per) {
		w := want(lane)
		for k := range per {
			if g := got[int(lane)*per+k]; g != w[k] {
				label := ""
				if k < len(names) {
					label = names[k]
				}
				t.Errorf("lane %d result %d (%s): got %#x (%g), want %#x (%g)", lane, k, label, g, math.Float32frombits(g), w[k], math.Float32frombits(w[k]))
				return
			}
		}
	}
}

func bits(f ...float32) []uint32 {
	out := make([]uint32, len(f))
	for i, x := range f {
		out[i] = math.Float32bits(x)
	}
	return out
}
