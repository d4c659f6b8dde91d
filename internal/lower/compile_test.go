package lower_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

func module(t testing.TB, name string) *spirv.Module {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".spv"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.ParseBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func compile(t testing.TB, name string, opt lower.Options) *ir.Program {
	t.Helper()
	p, err := lower.Compile(module(t, name), "main", opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCompile_BasicPair_Interface(t *testing.T) {
	v := compile(t, "basic.vert", lower.Options{})
	f := compile(t, "basic.frag", lower.Options{})
	if len(v.Inputs) != 10 || v.Inputs[9].Builtin != ir.BuiltinVertexIndex {
		t.Errorf("vertex inputs: %+v", v.Inputs)
	}
	if len(v.Outputs) != 11 || v.Outputs[7].Builtin != ir.BuiltinPosition {
		t.Errorf("vertex outputs: %+v", v.Outputs)
	}
	if v.PushBytes != 80 {
		t.Errorf("push bytes %d, want 80", v.PushBytes)
	}
	if len(f.Inputs) != 7 || f.Inputs[6].Interp != ir.Flat || f.Inputs[6].Type != ir.I32 {
		t.Errorf("fragment inputs: %+v", f.Inputs)
	}
	if len(f.Resources) != 2 || f.Resources[0].Kind != ir.CombinedImageSampler || f.Resources[1].Kind != ir.UniformBuffer {
		t.Errorf("resources: %+v", f.Resources)
	}
	if !f.Demotes || !f.UsesDerivatives || f.WritesMemory {
		t.Errorf("facts: demotes %v, derivatives %v, writes %v", f.Demotes, f.UsesDerivatives, f.WritesMemory)
	}
}
