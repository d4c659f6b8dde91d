package lower_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/internal/spirv/imagemodule"
)

// FuzzCompile demands a typed error or a program that verifies.
func FuzzCompile(f *testing.F) {
	files, err := filepath.Glob("testdata/*.spv")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	n := 0
	for c := range imagemodule.All() { // image instructions of all kinds, most of which are not valid
		if n++; n%97 == 0 {
			f.Add(c.Shader())
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := spirv.ParseBytes(data)
		if err != nil {
			return
		}
		m.ImageFaults(spirv.ImageRules{})
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
				t.Fatal(err)
			}
		}
	})
}
