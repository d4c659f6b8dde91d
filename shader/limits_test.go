package shader_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/shader"
)

// bomb is a source whose macros become 2^n words. In a directive they take time, not memory.
func bomb(n int) string {
	var b strings.Builder
	b.WriteString("#version 450\n#define A00 1 +\n")
	for i := 1; i <= n; i++ {
		b.WriteString(strings.NewReplacer("X", name(i), "Y", name(i-1)).Replace("#define X Y Y\n"))
	}
	b.WriteString("#if " + name(n) + " 0\n#endif\nvoid main() {}\n")
	return b.String()
}

func name(i int) string { return "A" + string(rune('0'+i/10)) + string(rune('0'+i%10)) }

// Hostile sources end in an error, of the context where they take long, and the next source is
// compiled as if nothing had been.
func TestCompile_HostileSourcesEnd(t *testing.T) {
	deep := func(open, end string, n int) string { return strings.Repeat(open, n) + "1" + strings.Repeat(end, n) }
	for _, c := range []struct{ name, source string }{
		{"macros.comp", bomb(40)},
		{"parentheses.comp", "#version 450\nvoid main() { int x = " + deep("(", ")", 200000) + "; }"},
		{"blocks.comp", "#version 450\nvoid main() " + strings.Repeat("{", 200000) + strings.Repeat("}", 200000)},
		{"memory.comp", "#version 450\nconst int a[100000000] = int[100000000](1);\nvoid main() {}"},
		{"parentheses.wgsl", "fn main() { let x = " + deep("(", ")", 200000) + "; }"},
		{"minus.wgsl", "fn main() { let x = " + strings.Repeat("-", 500000) + "1; }"},
		{"arrays.wgsl", "var<private> x: " + strings.Repeat("array<", 100000) + "f32" + strings.Repeat(", 2>", 100000) + ";"},
		{"size.wgsl", "var<private> x: array<array<array<u32, 65535>, 65535>, 65535>;\n@compute @workgroup_size(1) fn main() { x[1][2][3] = 1; let y = x; }"},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		code, err := compiler(t).Compile(ctx, c.source, shader.Options{Name: c.name})
		cancel()
		var e *shader.Error
		switch {
		case err != nil && !errors.As(err, &e):
			t.Errorf("%s: %v, no *shader.Error", c.name, err)
		case c.name == "macros.comp" && !errors.Is(err, context.DeadlineExceeded):
			t.Errorf("%s: %v, want the context's error", c.name, err)
		case err == nil && len(code) == 0:
			t.Errorf("%s: neither code nor error", c.name)
		}
		if err != nil && len(err.Error()) > 2000 {
			t.Errorf("%s: an error of %d bytes", c.name, len(err.Error()))
		}
		mustCompile(t, fresh(sources["one.vert"]), shader.Options{Name: "one.vert"})
		mustCompile(t, fresh(sources["all.wgsl"]), shader.Options{Name: "all.wgsl"})
	}
}

// MaxTime ends what the context would let run, and says so.
func TestCompile_MaxTime(t *testing.T) {
	c := shader.NewCompiler(shader.Config{CacheDir: common.folder, MaxTime: 300 * time.Millisecond})
	defer c.Close()
	_, err := c.Compile(context.Background(), bomb(40), shader.Options{Name: "macros.comp"})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "Config.MaxTime, 300ms") {
		t.Error(err)
	}
}

// What wants more memory than a sandbox may have is told so.
func TestCompile_MaxMemory(t *testing.T) {
	c := shader.NewCompiler(shader.Config{CacheDir: common.folder, MaxMemory: 40 << 20})
	defer c.Close()
	var b strings.Builder
	b.WriteString("#version 450\nlayout(location = 0) out vec4 c;\nvoid main() {\n")
	for range 40000 {
		b.WriteString("c += c * c - c;\n")
	}
	b.WriteString("}\n")
	_, err := c.Compile(context.Background(), b.String(), shader.Options{Name: "long.frag"})
	if err == nil || !strings.Contains(err.Error(), "long.frag: glslang wants more than the 40 MiB that it may have") {
		t.Error(err)
	}
	if _, err := c.Compile(context.Background(), fresh(sources["one.frag"]), shader.Options{Name: "one.frag"}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A context that has ended already is told, and nothing is started for it.
func TestCompile_CanceledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := shader.NewCompiler(shader.Config{NoCache: true}).Compile(ctx, sources["one.vert"], shader.Options{Name: "one.vert"})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What instances have compiled before changes nothing, nor who compiles beside them.
func TestCompile_SameBytesWhateverWasBefore(t *testing.T) {
	first := map[string][]byte{}
	for name, source := range sources {
		first[name] = mustCompile(t, source, shader.Options{Name: name})
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for name, source := range sources {
				_, _ = compiler(t).Compile(context.Background(), fresh(source+"\nwrong("), shader.Options{Name: name})
				got, err := compiler(t).Compile(context.Background(), fresh(source), shader.Options{Name: name})
				if err != nil || !bytes.Equal(got, first[name]) {
					t.Errorf("%s: other bytes, or %v", name, err)
				}
			}
		})
	}
	wg.Wait()
}

// filled is a folder with a cache of what one.vert and all.wgsl take.
func filled(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "code"), os.DirFS(filepath.Join(common.folder, "code"))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	c := shader.NewCompiler(shader.Config{CacheDir: dir})
	defer c.Close()
	for _, name := range []string{"one.vert", "all.wgsl"} {
		if _, err := c.Compile(context.Background(), sources[name], shader.Options{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Each kind of file in the cache may be damaged in any way: it is noticed, and written anew.
func TestCache_DamageIsNoticed(t *testing.T) {
	dir := filled(t)
	want := mustCompile(t, sources["one.vert"], shader.Options{Name: "one.vert"})
	kept := func() (list map[string][]byte) {
		list = map[string][]byte{}
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				list[path], err = os.ReadFile(path)
			}
			return err
		})
		return list
	}
	before := kept()
	kinds := map[string]int{}
	for path := range before {
		rel, _ := filepath.Rel(dir, path)
		kinds[strings.Split(filepath.ToSlash(rel), "/")[0]]++
	}
	code := 4
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" { // the sandbox interprets
		code = 0
	}
	if kinds["code"] != code || kinds["state"] != 1 || kinds["spirv"] != 2 {
		t.Fatalf("the cache holds %v", kinds)
	}
	notAsked := 3                     // naga's code is removed, with its sum, and its result stays as it is
	if testing.Short() || code == 0 { // wazero's translation is slow under the race detector
		for path := range before {
			if strings.Contains(path, string(filepath.Separator)+"code"+string(filepath.Separator)) {
				delete(before, path)
			}
		}
		notAsked = 1
	}
	damages := map[string]func([]byte) []byte{
		"a flipped bit": func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"half of it":    func(b []byte) []byte { return b[:len(b)/2] },
	}
	if testing.Short() {
		delete(damages, "half of it")
	}
	for what, damage := range damages {
		for path, data := range before {
			if err := os.WriteFile(path, damage(bytes.Clone(data)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := shader.NewCompiler(shader.Config{CacheDir: dir})
		got, err := c.Compile(context.Background(), sources["one.vert"], shader.Options{Name: "one.vert"})
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", what, len(got), err)
		}
		_ = c.Close()
		whole := 0
		for path, data := range kept() {
			if bytes.Equal(data, before[path]) {
				whole++
			}
		}
		if want := len(before) - notAsked; whole != want {
			t.Errorf("%s: %d of %d files are whole again, want %d", what, whole, len(before), want)
		}
	}
}

// A result that is kept is used: no sandbox is started for it.
func TestCache_ResultsAreUsed(t *testing.T) {
	dir := filled(t)
	if err := os.RemoveAll(filepath.Join(dir, "code")); err != nil {
		t.Fatal(err)
	}
	c := shader.NewCompiler(shader.Config{CacheDir: dir})
	defer c.Close()
	got, err := c.Compile(context.Background(), sources["one.vert"], shader.Options{Name: "one.vert"})
	if err != nil || !bytes.Equal(got, mustCompile(t, sources["one.vert"], shader.Options{Name: "one.vert"})) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "code")); err == nil {
		t.Error("a compiler was started for a source whose result is there")
	}
	for _, o := range []shader.Options{{Name: "one.vert", Debug: true}, {Name: "one.vert", Target: shader.Vulkan11}, {Name: "one.vert", Entry: "x"}, {Name: "one.vert", Defines: map[string]string{"A": ""}}} {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := c.Compile(ctx, sources["one.vert"], o); err == nil {
			t.Errorf("%+v: the result of other options", o)
		}
	}
}

// A folder that cannot be written keeps nothing from being compiled.
func TestCache_WithoutFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("it translates a compiler")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := shader.NewCompiler(shader.Config{CacheDir: filepath.Join(file, "below")})
	defer c.Close()
	if _, err := c.Compile(context.Background(), sources["all.wgsl"], shader.Options{Name: "all.wgsl"}); err != nil {
		t.Error(err)
	}
}
