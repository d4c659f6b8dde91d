package trace_test

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

func compile(t *testing.T, file string) *ir.Program {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	m, err := spirv.Parse(words)
	if err != nil {
		t.Fatal(err)
	}
	p, err := lower.Compile(m, "main", lower.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	ir.Optimize(p)
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSmoke(t *testing.T) {
	p := compile(t, "../../lower/testdata/lines.comp.debug.spv")
	r, err := vm.New(vm.Options{}).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	c := trace.New(p, 2, true)
	ctx := &exec.Context{Fuel: 1 << 12, Trace: c.Tell, Push: make([]byte, 256)}
	for range p.Resources {
		ctx.Resources = append(ctx.Resources, []exec.Descriptor{{Data: make([]byte, 1024)}})
	}
	b := &exec.Batch{N: 8, Shared: make([]byte, p.SharedBytes)}
	for range p.Inputs {
		b.In = append(b.In, []uint32{0, 1, 2, 3, 4, 5, 6, 7})
	}
	if err := r.NewThread(64).Run(ctx, b); err != nil {
		t.Log(err)
	}
	s := c.Shader()
	for _, f := range s.Sources {
		t.Log(f)
	}
	for _, in := range s.Steps[:min(len(s.Steps), 60)] {
		t.Logf("%d %s:%d:%d %s [%s] = %s (%s)", in.Depth, in.File, in.Line, in.Column, in.Text, in.Name, in.Value.Text, in.Value.Bits)
	}
}
