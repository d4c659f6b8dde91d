// Package playground makes the folder of a static page on which models, scenes of the
// rasterizer and samplers are drawn in the visitor's browser; see docs/playground.md.
package playground

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/docs/playground/viewer"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

//go:embed page
var page embed.FS

const module = "github.com/pumice-gpu/pumice"

// inlined are the packages whose code runs for every pixel, or nearly. Functions of all
// others are not inlined into each other, which takes an eighth off the program: those of the
// references, which explanations ask, and those that make programs.
var inlined = []string{
	"internal/exec", "internal/exec/vm", "internal/render", "internal/render/geometry", "internal/raster", "internal/fp",
	"internal/ir/lane", "internal/format/...",
}

// inlinedStandard are those of the standard library.
var inlinedStandard = []string{
	"math", "math/bits", "runtime/...", "internal/runtime/atomic", "internal/runtime/sys",
	"internal/runtime/math", "internal/runtime/gc/...", "internal/bytealg", "internal/byteorder",
	"encoding/binary", "bytes", "sync/...",
}

// Build writes the page into a folder, which it makes. It takes the go command and this
// module's source around the current folder; the same source gives the same bytes. Files
// ending in .bin are compressed by gzip: named so, no server takes them for what they are
// and unpacks them on the way.
func Build(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files, err := fs.Sub(page, "page")
	if err != nil {
		return err
	}
	if err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), data, 0o644)
	}); err != nil {
		return err
	}
	for name, make := range map[string]func(context.Context) ([]byte, error){
		"engine.bin": engine, "light.bin": light, "teapot.bin": teapot, "scenes.json": scenes, "wasm_exec.js": support,
	} {
		data, err := make(ctx)
		if err == nil && strings.HasSuffix(name, ".bin") {
			data, err = pack(data)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// pack compresses as well as gzip can.
func pack(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// engine is the program.
func engine(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "pumice-playground-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "engine.wasm")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-gcflags=all=-l"}
	for _, p := range inlined {
		args = append(args, "-gcflags="+module+"/"+p+"=")
	}
	for _, p := range inlinedStandard {
		args = append(args, "-gcflags="+p+"=")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "-o", path, module+"/docs/playground/wasm")...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return os.ReadFile(path)
}

// light is the studio's light, so that browsers need not compute it.
func light(ctx context.Context) ([]byte, error) {
	dev, err := pumice.Open(nil)
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	r, err := studio.New(ctx, dev)
	if err != nil {
		return nil, err
	}
	data, err := r.Light(ctx)
	return viewer.PackLight(data), err
}

// teapot is the model that the page begins with.
func teapot(context.Context) ([]byte, error) { return studio.Teapot() }

// scenes are those of conformance/scenes by their names.
func scenes(ctx context.Context) ([]byte, error) {
	root, err := tool(ctx, "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(root, "conformance", "scenes", "*.json"))
	if err != nil {
		return nil, err
	}
	all := map[string]json.RawMessage{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		all[strings.TrimSuffix(filepath.Base(path), ".json")] = data
	}
	return json.Marshal(all)
}

// support is Go's part of every such page.
func support(ctx context.Context) ([]byte, error) {
	root, err := tool(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
}

func tool(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", args...).Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
