package lower_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// computed is what a run leaves: buffers, one after the other. ended is false
// where the fuel was spent.
type computed struct {
	memory []byte
	ended  bool
}

// runAnywhere runs one workgroup of any compute program without images on buffers
// and inputs made up from the seed. ok is false for programs that it can't run.
func runAnywhere(t *testing.T, what string, p *ir.Program, fuel int64) (out computed, ok bool) {
	const bufferBytes = 2048
	r := rand.New(rand.NewPCG(3, 9))
	ctx := &exec.Context{Fuel: fuel, Push: make([]byte, 256)}
	var memory [][]byte
	for _, res := range p.Resources {
		if res.Kind != ir.UniformBuffer && res.Kind != ir.StorageBuffer {
			return out, false
		}
		list := make([]exec.Descriptor, min(max(res.Count, 1), 16))
		for i := range list {
			b := make([]byte, bufferBytes)
			for k := 0; k < len(b); k += 4 { // small integers and floats
				v := uint32(r.IntN(9))
				if r.IntN(3) == 0 {
					v = 0x3F000000 + r.Uint32N(1<<24)
				}
				binary.LittleEndian.PutUint32(b[k:], v)
			}
			list[i].Data = b
			memory = append(memory, b)
		}
		ctx.Resources = append(ctx.Resources, list)
	}
	n := int(p.LocalSize[0] * p.LocalSize[1] * p.LocalSize[2])
	if len(p.ImageOps) > 0 || p.UsesAddresses || p.Stage != ir.StageCompute || n > 256 || p.SharedBytes > 1<<16 {
		return out, false
	}
	b := &exec.Batch{N: n, Shared: make([]byte, p.SharedBytes)}
	for range p.Inputs {
		in := make([]uint32, n)
		for i := range in {
			in[i] = uint32(i)
		}
		b.In = append(b.In, in)
	}
	routine, err := vm.New(vm.Options{Lanes: 256}).Compile(p)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	var spent *exec.FuelError
	if err := routine.NewThread(256).Run(ctx, b); err != nil && !errors.As(err, &spent) {
		t.Fatal(err)
	}
	return computed{slices.Concat(memory...), spent == nil}, true
}

// comparePasses runs the entry points of a module as lowered, after all passes,
// after all but each, and traced, and compares the memory that they leave. It returns how
// many it ran.
func comparePasses(t *testing.T, name string, words []uint32) (ran int) {
	m, err := spirv.Parse(words)
	if err != nil {
		return 0
	}
	for _, e := range m.EntryPoints {
		program := func() *ir.Program {
			p, err := lower.Compile(m, e.Name, lower.Options{})
			if err != nil {
				return nil
			}
			return p
		}
		p := program()
		if p == nil {
			continue
		}
		const fuel = 1 << 14
		want, ok := runAnywhere(t, name, p, fuel)
		if !ok || !want.ended {
			continue
		}
		ran++
		for _, pass := range append(ir.Passes(), "") {
			p := program()
			if pass == "" {
				ir.Optimize(p)
			} else {
				ir.OptimizeWithout(p, pass)
			}
			if err := ir.Verify(p); err != nil {
				t.Errorf("%s without %q: %v", name, pass, err)
				continue
			}
			// Passes make loops shorter, so that they end where they did.
			if got, _ := runAnywhere(t, name+" without "+pass, p, 2*fuel); got.ended && !bytes.Equal(got.memory, want.memory) {
				t.Errorf("%s: all passes without %q leave other memory than none", name, pass)
			}
		}
		compareTraced(t, name, m, e.Name, p, want)
	}
	return ran
}

// compareTraced compares what the traced program of an entry point leaves with what the plain one has left.
func compareTraced(t *testing.T, name string, m *spirv.Module, entry string, plain *ir.Program, want computed) {
	t.Helper()
	p, err := lower.Compile(m, entry, lower.Options{Trace: true})
	if err != nil {
		t.Errorf("%s traced: %v", name, err)
		return
	}
	for range 2 {
		if err := ir.Verify(p); err != nil {
			t.Errorf("%s traced: %v", name, err)
			return
		}
		if err := ir.Align(p, plain); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, _ := runAnywhere(t, name+" traced", p, 1<<20); !got.ended || !bytes.Equal(got.memory, want.memory) {
			t.Errorf("%s: the traced program leaves other memory", name)
		}
		ir.Optimize(p)
	}
}

// modules reads the modules of the tests and of the corpus.
func modules(t testing.TB) map[string][]uint32 {
	files, _ := filepath.Glob("testdata/*.spv")
	more, _ := filepath.Glob("../../conformance/testdata/shaders/*/*.spv")
	out := map[string][]uint32{}
	for _, f := range append(files, more...) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		words := make([]uint32, len(data)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		out[f] = words
	}
	return out
}

// TestPasses_WithAgainstWithout compares programs of real modules, and of mutants
// of them, after all passes, without each, and without any.
func TestPasses_WithAgainstWithout(t *testing.T) {
	mutants := 6
	if testing.Short() {
		mutants = 1
	}
	r := rand.New(rand.NewPCG(11, 13))
	all := modules(t)
	var names []string
	for name := range all {
		if strings.Contains(name, ".comp") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	ran := 0
	for _, name := range names {
		ran += comparePasses(t, name, all[name])
		for range mutants {
			ran += comparePasses(t, "a mutant of "+name, mutant(r, all[name]))
		}
	}
	if ran < len(names)/2 {
		t.Errorf("%d programs of %d modules ran: the test reaches nothing", ran, len(names))
	}
}

// FuzzPasses is the same on the mutants that a seed makes of a module.
func FuzzPasses(f *testing.F) {
	all := modules(f)
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	f.Add(uint32(0), uint64(1))
	f.Add(uint32(20), uint64(2))
	f.Fuzz(func(t *testing.T, module uint32, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		name := names[int(module)%len(names)]
		words := mutant(r, all[name])
		for range r.IntN(3) {
			if len(words) > 5 && words[3] > 1 {
				words = mutant(r, words)
			}
		}
		comparePasses(t, name, words)
	})
}
