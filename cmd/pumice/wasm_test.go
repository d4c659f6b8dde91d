package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// webAssembly builds this command for a system of WebAssembly.
func webAssembly(t *testing.T, system string) string {
	t.Helper()
	if testing.Short() || raceDetector {
		t.Skip("builds the command and runs it as WebAssembly: not with -short or the race detector")
	}
	path := filepath.Join(t.TempDir(), "pumice.wasm")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", path, ".")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build for %s: %v\n%s", system, err, out)
	}
	return path
}

// A foreign runs a command line of the command as WebAssembly in a folder.
type foreign func(t *testing.T, dir string, args ...string) (code int, stdout, stderr string)

// inWazero runs the command in an interpreter in Go, which shares no code with
// browsers. The folder is /, the only one there.
func inWazero(t *testing.T, program string) foreign {
	t.Helper()
	ctx := t.Context()
	machine := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { _ = machine.Close(context.Background()) })
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, machine); err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	module, err := machine.CompileModule(ctx, code)
	if err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, dir string, args ...string) (int, string, string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		_, err := machine.InstantiateModule(ctx, module, wazero.NewModuleConfig().WithName("").WithArgs(append([]string{"pumice"}, args...)...).
			WithStdout(&stdout).WithStderr(&stderr).WithSysWalltime().WithSysNanotime().WithFSConfig(wazero.NewFSConfig().WithDirMount(dir, "/")))
		if exit, ok := err.(*sys.ExitError); ok {
			return int(exit.ExitCode()), stdout.String(), stderr.String()
		} else if err != nil {
			t.Fatal(err)
		}
		return 0, stdout.String(), stderr.String()
	}
}

// sameAsHere checks that a command line does as WebAssembly what it does here, down to
// the bytes of the file out.png where it writes one.
func sameAsHere(t *testing.T, there foreign, dir string, args ...string) {
	t.Helper()
	picture := filepath.Join(dir, "out.png")
	take := func(code int, stdout, stderr string) [4]string {
		data, _ := os.ReadFile(picture)
		_ = os.Remove(picture)
		return [4]string{string(rune('0' + code)), stdout, strings.ToLower(stderr), string(data)} // systems write "No such file" as they like
	}
	t.Chdir(dir)
	want := take(command(t, args...))
	got := take(there(t, dir, args...))
	for i, what := range []string{"exit code", "standard output", "standard error", "out.png"} {
		if got[i] != want[i] {
			t.Errorf("pumice %s: %s is\n%.300q, here\n%.300q", strings.Join(args, " "), what, got[i], want[i])
		}
	}
	if writes := strings.Contains(strings.Join(args, " "), "out.png"); writes && want[0] == "0" && want[3] == "" {
		t.Errorf("pumice %s wrote no picture", strings.Join(args, " "))
	}
}

// smallCommands are quick even in an interpreter: pictures, an explanation, and errors.
func smallCommands(t *testing.T) (dir string, lines [][]string) {
	t.Helper()
	dir = t.TempDir()
	for name, from := range map[string]string{"rates.json": "../../conformance/scenes/10-rates.json", "texture.png": "../../docs/images/scenes/17-facing.png"} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, [][]string{
		{"raster", "rates.json", "-o", "out.png", "--zoom", "8", "--explain"},
		{"sample", "texture.png", "--uv", "0.3,0.7", "--uv", "1.2,-3", "--filter", "linear", "--wrap", "mirrored", "--explain"},
		{"render", "rates.json", "-o", "out.png"},
		{"render", "missing.glb", "-o", "out.png"},
	}
}

func TestWebAssembly_WasiGivesTheSameBytes(t *testing.T) {
	program := webAssembly(t, "wasip1")
	dir, lines := smallCommands(t)
	there := inWazero(t, program)
	for _, args := range lines {
		sameAsHere(t, there, dir, args...)
	}
}
