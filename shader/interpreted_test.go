package shader

import (
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// lacks are the instructions, of any stage, that have machine code on other processors: on arm64,
// those of binary64, and of subgroups of more than four invocations.
var lacks = map[string][]string{"arm64": {"frexp.mant", "frexp.exp", "ldexp", "group"}}

// stays are the instructions that have no machine code on any processor, by stage, and what a message
// says of them.
var stays = map[ir.Stage]map[string]string{
	ir.StageCompute: {
		"load.mem":   "its memory is found for each invocation", // variable pointers
		"store.mem":  "its memory is found for each invocation",
		"atomic.mem": "invocations take turns",
	},
	ir.StageFragment:   {"interpolate": "the input is evaluated away from its usual place"},
	ir.StageControl:    {"load.vertex": "it reads vertices of primitives"},
	ir.StageEvaluation: {"load.vertex": "it reads vertices of primitives"},
	ir.StageGeometry: {
		"load.vertex": "it reads vertices of primitives",
		"emit":        "it writes vertices of primitives",
	},
}

// All shaders of the tree become machine code of every processor, but for what stays has; and each of
// that does stay, and says why.
func TestInterpreted_ShadersOfTheTree(t *testing.T) {
	machines := native.Machines()
	programs := 0
	left := map[string]map[ir.Stage]map[string]bool{}
	lacked := map[string]bool{}
	for machine := range machines {
		left[machine] = map[ir.Stage]map[string]bool{}
	}
	eachProgram(t, func(path string, p *ir.Program) {
		programs++
		for machine, m := range machines {
			list, err := vm.InterpretedOn(p, m)
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			for _, x := range list {
				if slices.Contains(lacks[machine], x.Name) {
					lacked[machine+x.Name] = true
				} else if why, ok := stays[p.Stage][x.Name]; !ok || why != x.Why {
					t.Errorf("%s, %s: %d of %q have no machine code: %s", machine, path, x.Count, x.Name, x.Why)
				}
				if left[machine][p.Stage] == nil {
					left[machine][p.Stage] = map[string]bool{}
				}
				left[machine][p.Stage][x.Name] = true
			}
		}
	})
	if programs < 400 {
		t.Errorf("%d programs", programs)
	}
	for machine := range machines {
		for _, name := range lacks[machine] {
			if !lacked[machine+name] {
				t.Errorf("%s: %q has machine code: take it off the list", machine, name)
			}
		}
		for stage, names := range stays {
			for name := range names {
				if !left[machine][stage][name] {
					t.Errorf("%s: %q of stage %d has machine code: take it off the list", machine, name, stage)
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
