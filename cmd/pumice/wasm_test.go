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
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, ".")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build for %s: %v\n%s", system, err, out)
	}
	return path
}

// A foreign runs a command line of the command as WebAssembly in a folder.
type foreign func(t *testing.T, dir string, args ...string) (code int, stdout, stderr string)

// inNode runs the command in Node.js, which is given the script before its arguments.
func inNode(t *testing.T, before ...string) foreign {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node (Debian's nodejs): its WebAssembly is not looked at")
	}
	return func(t *testing.T, dir string, args ...string) (int, string, string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(t.Context(), node, append(append([]string{"--no-warnings", "--stack-size=8192"}, before...), args...)...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	}
}

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
	t.Run("wazero", func(t *testing.T) {
		there := inWazero(t, program)
		for _, args := range lines {
			sameAsHere(t, there, dir, args...)
		}
	})
	t.Run("node", func(t *testing.T) {
		const script = `const {WASI} = require('node:wasi'), [program, ...args] = process.argv.slice(1);
			const wasi = new WASI({version: 'preview1', args: ['pumice', ...args], preopens: {'/': process.cwd()}});
			WebAssembly.instantiate(require('node:fs').readFileSync(program), wasi.getImportObject()).then(made => { process.exitCode = wasi.start(made.instance); });`
		sameAsHere(t, inNode(t, "-e", script, program), dir, "render", "-o", "out.png", "--width", "128", "--height", "128")
	})
}

func TestWebAssembly_JSGivesTheSameBytes(t *testing.T) {
	program := webAssembly(t, "js")
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	there := inNode(t, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js"), program)
	dir, lines := smallCommands(t)
	for _, args := range append(lines[:1], []string{"render", "-o", "out.png", "--width", "128", "--height", "128"}) {
		sameAsHere(t, there, dir, args...)
	}
	if code, _, stderr := there(t, dir, "run", "vkcube"); code != exitFailure || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "for Linux, not js") {
		t.Errorf("pumice run: exit code %d, %q", code, stderr)
	}
}
