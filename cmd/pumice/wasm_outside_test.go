//go:build outside

package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	tools "github.com/pumice-gpu/pumice/internal/outside"
)

// inNode runs the command in Node.js, which is given the script before its arguments.
func inNode(t *testing.T, before ...string) foreign {
	t.Helper()
	node := tools.Tool{Name: "node", Debian: "nodejs", Why: "WebAssembly in V8"}.Path(t)
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

func TestOutside_WasiInNode(t *testing.T) {
	program := webAssembly(t, "wasip1")
	dir, _ := smallCommands(t)
	const script = `const {WASI} = require('node:wasi'), [program, ...args] = process.argv.slice(1);
		const wasi = new WASI({version: 'preview1', args: ['pumice', ...args], preopens: {'/': process.cwd()}});
		WebAssembly.instantiate(require('node:fs').readFileSync(program), {wasi_snapshot_preview1: wasi.wasiImport}).then(made => { process.exitCode = wasi.start(made.instance); });`
	// Fast calls of Node 20's WASI end in a segmentation fault at times, where memory grows.
	there := inNode(t, "--no-turbo-fast-api-calls", "-e", script, program)
	sameAsHere(t, there, dir, "render", "-o", "out.png", "--width", "128", "--height", "128")
}

func TestOutside_JSInNode(t *testing.T) {
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
	if code, _, stderr := there(t, dir, "run", "vkcube"); code != exitFailure || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "for Linux and Windows, not js") {
		t.Errorf("pumice run: exit code %d, %q", code, stderr)
	}
}
