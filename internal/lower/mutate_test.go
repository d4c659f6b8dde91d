package lower_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// TestCompile_MutatedModules changes words of real modules into other words of
// the same module, small numbers and <id>s: most results pass the parser and
// reach lowering, which must give a typed error or a program that verifies.
func TestCompile_MutatedModules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.spv")
	if err != nil || len(files) == 0 {
		t.Fatal("no modules", err)
	}
	rounds := 100
	if testing.Short() {
		rounds = 20
	}
	r := rand.New(rand.NewPCG(1, 2))
	compiled := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		words := make([]uint32, len(data)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		for range rounds {
			w := append([]uint32(nil), words...)
			for range 1 + r.IntN(3) {
				i := 5 + r.IntN(len(w)-5)
				switch r.IntN(4) {
				case 0:
					w[i] = uint32(r.IntN(8))
				case 1:
					w[i] = uint32(r.IntN(int(w[3])))
				case 2:
					w[i] = w[5+r.IntN(len(w)-5)]
				default: // another opcode with the same word count
					w[i] = w[i]&^0xFFFF | uint32(r.IntN(400))
				}
			}
			start := rules.CPU()
			if compileMutant(t, w) {
				compiled++
			}
			if d := rules.CPU() - start; d > 20*time.Second {
				t.Errorf("%s: a mutant took %v", name, d)
			}
		}
	}
	if compiled < 10 {
		t.Errorf("only %d mutants compiled: the test reaches nothing", compiled)
	}
}

func compileMutant(t *testing.T, words []uint32) bool {
	m, err := spirv.Parse(words)
	if err != nil {
		var s *spirv.Error
		if !errors.As(err, &s) {
			t.Fatalf("error of type %T: %v", err, err)
		}
		return false
	}
	ok := false
	for _, e := range m.EntryPoints {
		p, err := lower.Compile(m, e.Name, lower.Options{})
		if err != nil {
			var u *lower.UnsupportedError
			var s *spirv.Error
			if !errors.As(err, &u) && !errors.As(err, &s) {
				t.Fatalf("error of type %T: %v", err, err)
			}
			continue
		}
		if err := ir.Verify(p); err != nil {
			t.Errorf("a mutant gives a program that does not verify: %v", err)
			continue
		}
		ok = true
	}
	return ok
}
