//go:build outside

package webgpu_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

var emulator = outside.Tool{
	Name:   "qemu-aarch64-static",
	Debian: "qemu-user-static",
	Why:    "programs for 64-bit ARM",
}

// A processor is one on which programs run here, and what runs them there.
type processor struct {
	name string
	run  []string
}

// processors has this machine's first, which compiles shaders fast, and keeps them for the others.
func processors(t *testing.T) []processor {
	list := []processor{{name: runtime.GOARCH}}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		t.Run("386", func(t *testing.T) {
			if !runs386(t) {
				t.Skip("this system runs no programs of 32 bits")
			}
			list = append(list, processor{name: "386"})
		})
		t.Run(
			"arm64",
			func(t *testing.T) { list = append(list, processor{"arm64", []string{emulator.Path(t)}}) },
		)
	}
	return list
}

// runs386 tries one.
func runs386(t *testing.T) bool {
	t.Helper()
	folder := t.TempDir()
	source, program := filepath.Join(folder, "main.go"), filepath.Join(folder, "program")
	check(t, os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600))
	build := exec.Command("go", "build", "-o", program, source)
	build.Env = append(os.Environ(), "GOARCH=386", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	err := exec.Command(program).Run()
	if err != nil && !errors.Is(err, syscall.ENOEXEC) {
		t.Fatal(err)
	}
	return err == nil
}

// TestOutside_Examples runs examples of wgpu as they are published, but for the import that names
// their backend, on each processor without cgo, and compares what they draw and tell.
func TestOutside_Examples(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gogpu/wgpu").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder := strings.TrimSpace(string(out))
	here, err := os.Getwd()
	check(t, err)
	work := t.TempDir()
	mod, err := os.ReadFile("go.mod")
	check(t, err)
	mod = regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(mod, []byte("module examples"))
	mod = bytes.ReplaceAll(mod, []byte("=> ../"), []byte("=> "+filepath.Dir(here)+
		"\nreplace github.com/pumice-gpu/pumice/webgpu => "+here+
		"\nrequire github.com/pumice-gpu/pumice/webgpu v0.0.0-00010101000000-000000000000"))
	check(t, os.WriteFile(filepath.Join(work, "go.mod"), mod, 0o600))
	sum, err := os.ReadFile("go.sum")
	check(t, err)
	check(t, os.WriteFile(filepath.Join(work, "go.sum"), sum, 0o600))

	const theirs = `_ "github.com/gogpu/wgpu/hal/allbackends"`
	const ours = `_ "github.com/pumice-gpu/pumice/webgpu/register"`
	names := []string{"triangle-headless", "compute-sum", "compute-copy"}
	for _, name := range names {
		source, err := os.ReadFile(filepath.Join(folder, "examples", name, "main.go"))
		check(t, err)
		if n := strings.Count(string(source), theirs); n != 1 {
			t.Fatalf("%s imports all backends %d times", name, n)
		}
		check(t, os.Mkdir(filepath.Join(work, name), 0o700))
		check(
			t,
			os.WriteFile(filepath.Join(work, name, "main.go"),
				bytes.ReplaceAll(source, []byte(theirs), []byte(ours)), 0o600),
		)
	}
	want := map[string]string{}
	for _, p := range processors(t) {
		bin := t.TempDir()
		build := exec.Command("go", "build", "-buildvcs=false", "-mod=mod", "-o", bin+"/", "./...")
		build.Dir, build.Env = work, append(os.Environ(), "GOARCH="+p.name, "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", p.name, err, out)
		}
		for _, name := range names {
			picture := filepath.Join(bin, "picture.png")
			args := append(p.run[:len(p.run):len(p.run)], filepath.Join(bin, name))
			if name == "triangle-headless" {
				args = append(args, picture)
			}
			out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
			if err != nil || !bytes.Contains(out, []byte("Pumice (")) {
				t.Errorf("%s on %s: %v\n%s", name, p.name, err, out)
				continue
			}
			result := string(bytes.ReplaceAll(out, []byte(picture), []byte("picture.png")))
			result = regexp.MustCompile(`Pumice \([a-z]+\)`).ReplaceAllString(result, "Pumice") // the engine
			if name == "triangle-headless" {
				png, err := os.ReadFile(picture)
				check(t, err)
				h := sha256.Sum256(png)
				result += hex.EncodeToString(h[:])
				t.Logf("%s: %x", p.name, h)
			}
			if first, ok := want[name]; !ok {
				want[name] = result
			} else if result != first {
				t.Errorf("%s on %s:\n%s\nbut elsewhere:\n%s", name, p.name, result, first)
			}
		}
	}
}

// TestOutside_OtherProcessors runs this package's tests there: pictures and numbers are the same.
func TestOutside_OtherProcessors(t *testing.T) {
	for _, p := range processors(t)[1:] {
		args := []string{"test", "-count=1", "-run", "TestGolden|TestScene_EveryPixel|TestCompute_"}
		if len(p.run) > 0 {
			args = append(args, "-exec", p.run[0])
		}
		test := exec.Command("go", append(args, ".")...)
		test.Env = append(os.Environ(), "GOARCH="+p.name, "CGO_ENABLED=0")
		if out, err := test.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", p.name, err, out)
		}
	}
}
