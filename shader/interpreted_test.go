package shader

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
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

// What machine code leaves to Go in the shaders of the tree is what testdata/interpreted.txt
// lists: for each shader which instructions, how many, from which line on, why, and on which
// processors. PUMICE_RECORD=1 writes it anew.
func TestInterpreted_ShadersOfTheTree(t *testing.T) {
	const file = "testdata/interpreted.txt"
	machines := native.Machines()
	programs, lines := 0, map[string][]string{}
	eachProgram(t, func(path string, p *ir.Program) {
		programs++
		for machine, m := range machines {
			list, err := vm.InterpretedOn(p, m)
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			for _, x := range list {
				at := x.Source.String()
				if at != "" {
					at = ", from " + at
				}
				name := filepath.ToSlash(path[len("../"):])
				line := fmt.Sprintf("%s: %d × %s%s: %s", name, x.Count, x.Name, at, x.Why)
				lines[line] = append(lines[line], machine)
			}
		}
	})
	if programs < 400 {
		t.Errorf("%d programs", programs)
	}
	var got strings.Builder
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		on := slices.Compact(slices.Sorted(slices.Values(lines[line])))
		fmt.Fprintf(&got, "%s (%s)\n", line, strings.Join(on, ", "))
	}
	if os.Getenv("PUMICE_RECORD") != "" {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	is, was := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for _, line := range is {
		if !slices.Contains(was, line) {
			t.Errorf("new: %s", line)
		}
	}
	for _, line := range was {
		if !slices.Contains(is, line) {
			t.Errorf("no more: %s", line)
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
