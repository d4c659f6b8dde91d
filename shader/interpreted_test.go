package shader

import (
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/processor"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// stays are the instructions that have no machine code on amd64, by stage, and what a message says
// of them.
var stays = map[ir.Stage]map[string]string{
	ir.StageCompute: {
		"load.mem":   "its memory is found for each invocation", // variable pointers
		"store.mem":  "its memory is found for each invocation",
		"atomic.mem": "invocations take turns",
		"frexp.mant": "there is no machine code for it on this processor", // of binary64
		"frexp.exp":  "there is no machine code for it on this processor",
		"ldexp":      "there is no machine code for it on this processor",
	},
	ir.StageFragment:   {"interpolate": "the input is evaluated away from its usual place"},
	ir.StageControl:    {"load.vertex": "it reads vertices of primitives"},
	ir.StageEvaluation: {"load.vertex": "it reads vertices of primitives"},
	ir.StageGeometry: {
		"load.vertex": "it reads vertices of primitives",
		"emit":        "it writes vertices of primitives",
	},
}

// All shaders of the tree become machine code on amd64, but for what stays has; and each of that
// does stay, and says why.
func TestInterpreted_ShadersOfTheTree(t *testing.T) {
	if runtime.GOARCH != "amd64" || processor.Vectors() < 256 {
		t.Skip("no machine code of amd64 here")
	}
	for _, bits := range []int{256, 512} {
		if bits > processor.Vectors() {
			continue
		}
		e := vm.New(vm.Options{Native: true, Vectors: bits})
		programs, left := 0, map[ir.Stage]map[string]bool{}
		eachProgram(t, func(path string, p *ir.Program) {
			r, err := e.Compile(p)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				return
			}
			programs++
			for _, x := range r.(exec.Interpreter).Interpreted() {
				if why, ok := stays[p.Stage][x.Name]; !ok || why != x.Why {
					t.Errorf("%d bits, %s: %d of %q have no machine code: %s", bits, path, x.Count, x.Name, x.Why)
				}
				if left[p.Stage] == nil {
					left[p.Stage] = map[string]bool{}
				}
				left[p.Stage][x.Name] = true
			}
		})
		if programs < 400 {
			t.Errorf("%d programs", programs)
		}
		for stage, names := range stays {
			for name := range names {
				if !left[stage][name] {
					t.Errorf("%d bits: %q of stage %d has machine code: take it off the list", bits, name, stage)
				}
			}
		}
	}
}

// eachProgram calls f for the programs of the modules that are in the tree.
func eachProgram(t *testing.T, f func(path string, p *ir.Program)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".spv") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		words := make([]uint32, len(data)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		m, err := spirv.Parse(words)
		if err != nil {
			return nil // some are there to be refused
		}
		for _, x := range m.EntryPoints {
			if p, err := lower.Compile(m, x.Name, lower.Options{}); err == nil {
				f(path, p)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
