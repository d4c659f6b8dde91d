package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeTree makes a folder that looks like this module's checkout.
func fakeTree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module " + modulePath + "\n\ngo 1.26\n", "driver/main.go": "package main\n\nimport _ \"" + modulePath + "/part\"\n\nfunc main() {}\n",
		"driver/exports.map": "{};\n", "part/part.go": "package part\n", "other/other.go": "package other\n",
	} {
		if err := replaceInFolder(filepath.Join(root, name), strings.NewReader(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// fakeGo puts a go command first in PATH whose builds write a file, or fail, and which logs what it
// was asked. It lists with the real one.
func fakeGo(t *testing.T, build string) (log string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the driver is for Linux")
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command(real, "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	script := fmt.Sprintf(`#!/bin/sh
echo "$1 in $(pwd)" >> %q
case $1 in
list) exec %q "$@";;
mod) %s;;
build)
	while [ "$1" != -o ]; do shift; done
	%s;;
esac
`, log, real, `echo "{\"Dir\": \"$PUMICE_TEST_MODULE\", \"Error\": \"$PUMICE_TEST_ERROR\"}"; test -z "$PUMICE_TEST_ERROR"`, build)
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache))) // it moves with XDG_CACHE_HOME
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return log
}

const builds = `echo runtime; echo ` + modulePath + `/part; echo library > "$2"`

func calls(t *testing.T, log string) []string {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	_ = os.Remove(log)
	return strings.FieldsFunc(strings.ReplaceAll(string(text), " in ", ":"), func(r rune) bool { return r == '\n' })
}

// A command that was installed from a checkout builds the driver once, finds it without the go
// command then, builds again when it was installed anew, and never from files that have changed since.
func TestBuildCheckout_OnceForEachInstall(t *testing.T) {
	log, root, ctx := fakeGo(t, builds), fakeTree(t), context.Background()
	dir, exe := t.TempDir(), filepath.Join(t.TempDir(), "pumice")
	install := func() {
		if err := os.WriteFile(exe, []byte("command"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	age := func(path string, by time.Duration) {
		at := time.Now().Add(by)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	install()
	for i, want := range [][]string{{"list:" + root, "build:" + root}, {}} {
		var out strings.Builder
		library, err := buildCheckout(ctx, &out, root, exe, dir)
		if text, _ := os.ReadFile(library); err != nil || string(text) != "library\n" {
			t.Fatalf("%d: %q, %v", i, text, err)
		}
		if got := calls(t, log); !slices.Equal(got, want) {
			t.Errorf("%d: go was asked %q, want %q", i, got, want)
		}
		if said := buildingDriver + "\n"; (i == 0) != (out.String() == said) {
			t.Errorf("%d: said %q", i, out.String())
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "fresh*")); len(left) > 0 {
		t.Errorf("building leaves %q", left)
	}
	age(filepath.Join(root, "part", "part.go"), time.Hour)
	if _, err := buildCheckout(ctx, &strings.Builder{}, root, exe, dir); err != nil {
		t.Errorf("the driver that was built before is refused: %v", err)
	}
	age(exe, time.Minute) // another install, before the change
	_, err := buildCheckout(ctx, &strings.Builder{}, root, exe, dir)
	if err == nil || !strings.Contains(err.Error(), filepath.Join("part", "part.go")+" has changed") || !strings.Contains(err.Error(), "go install ./cmd/pumice in "+root) {
		t.Errorf("%v", err)
	}
	if got := calls(t, log); slices.Contains(got, "build:"+root) {
		t.Error("a changed tree is built")
	}
	age(exe, 2*time.Hour) // and one after it
	if _, err := buildCheckout(ctx, &strings.Builder{}, root, exe, dir); err != nil {
		t.Error(err)
	}
	age(filepath.Join(root, "other", "other.go"), 3*time.Hour) // which the driver does not hold
	age(exe, 2*time.Hour+time.Minute)
	if _, err := buildCheckout(ctx, &strings.Builder{}, root, exe, dir); err != nil {
		t.Error(err)
	}
}

// A released version is built in Go's module cache, once.
func TestBuildVersion_FromTheModuleCache(t *testing.T) {
	log, root := fakeGo(t, builds), fakeTree(t)
	t.Setenv("PUMICE_TEST_MODULE", root)
	cache := t.TempDir()
	for i, want := range [][]string{{"mod:" + cache, "build:" + root}, {}} {
		library, err := buildVersion(context.Background(), &strings.Builder{}, "v1.2.3", filepath.Join(cache, "driver-v1.2.3"))
		if text, _ := os.ReadFile(library); err != nil || string(text) != "library\n" {
			t.Fatalf("%d: %q, %v", i, text, err)
		}
		if got := calls(t, log); !slices.Equal(got, want) {
			t.Errorf("%d: go was asked %q, want %q", i, got, want)
		}
	}
	t.Setenv("PUMICE_TEST_ERROR", "unknown revision v1.2.4")
	_, err := buildVersion(context.Background(), &strings.Builder{}, "v1.2.4", filepath.Join(cache, "driver-v1.2.4"))
	if tool := (*toolchainError)(nil); !errors.As(err, &tool) || !slices.Contains(tool.lastWords(), "unknown revision v1.2.4") {
		t.Errorf("%v", err)
	}
}

// Of a build that fails, the compiler's words are left, without the packages before them; and no
// library.
func TestBuild_FailureLeavesWordsAlone(t *testing.T) {
	fakeGo(t, `echo runtime; echo "# runtime/cgo"; echo "cc: not today"; echo half > "$2"; exit 1`)
	dir := t.TempDir()
	_, err := build(context.Background(), &strings.Builder{}, fakeTree(t), dir, true)
	tool := (*toolchainError)(nil)
	if !errors.As(err, &tool) || !slices.Equal(tool.lastWords(), []string{"# runtime/cgo", "cc: not today"}) {
		t.Errorf("%v", err)
	}
	if exists(filepath.Join(dir, libraryName)) {
		t.Error("there is a library")
	}
}

// ^C ends the go command, and is what the error says.
func TestBuild_EndsWithItsContext(t *testing.T) {
	fakeGo(t, "while :; do :; done")
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, err := build(ctx, &strings.Builder{}, fakeTree(t), t.TempDir(), true); !errors.Is(err, context.DeadlineExceeded) { // or it never ends
		t.Error(err)
	}
}

func TestInstalledPlaces_BesideAndInLib(t *testing.T) {
	got := installedPlaces("/usr/local/bin/pumice", "arm64")
	want := []string{"/usr/local/bin/" + libraryName, "/usr/local/lib/aarch64-linux-gnu/" + libraryName, "/usr/local/lib/pumice/" + libraryName, "/usr/local/lib/pumice/libvulkan_pumice_front.so"}
	for i := range want {
		want[i] = filepath.FromSlash(want[i])
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := installedPlaces("", "amd64"); len(got) != 0 {
		t.Errorf("of no command: %q", got)
	}
}

// The manifest that a package brought is used where it names the library, by an absolute path or by one from where
// it is; any other is not.
func TestInstalledManifest_NamesTheLibrary(t *testing.T) {
	root := t.TempDir()
	exe, library := filepath.Join(root, "bin", "pumice"), filepath.Join(root, "lib", "pumice", libraryName)
	manifest := filepath.Join(root, "share", "vulkan", "icd.d", "pumice_icd.x86_64.json")
	if got := installedManifest(exe, "amd64", library); got != "" {
		t.Errorf("found %s", got)
	}
	for names, want := range map[string]string{library: manifest, "../../../lib/pumice/" + libraryName: manifest, "/elsewhere/" + libraryName: ""} {
		if err := writeManifest(manifest, names); err != nil {
			t.Fatal(err)
		}
		if got := installedManifest(exe, "amd64", library); got != want {
			t.Errorf("%s: %q", names, got)
		}
	}
	if err := os.WriteFile(manifest, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := installedManifest(exe, "amd64", library); got != "" {
		t.Errorf("of a broken file: %s", got)
	}
}

// Where the source is, by what the go command writes into commands.
func TestOrigin_OfEachWayToBuild(t *testing.T) {
	root := fakeTree(t)
	here := filepath.Join(root, "cmd", "pumice", "finddriver.go")
	const inCache = "/home/u/go/pkg/mod/" + modulePath + "@v1.2.3/cmd/pumice/finddriver.go"
	for name, c := range map[string]struct {
		version, stamped, file string
		want                   origin
	}{
		"go install of a checkout without git":   {"(devel)", "", here, origin{checkout: root}},
		"go install of a checkout":               {"v1.2.4-0.20260102030405-0123456789ab", "", here, origin{checkout: root, version: "v1.2.4-0.20260102030405-0123456789ab"}},
		"go install of a changed checkout":       {"v1.2.3+dirty", "", here, origin{checkout: root}},
		"the checkout has gone":                  {"v1.2.3", "", "/nowhere/cmd/pumice/finddriver.go", origin{version: "v1.2.3"}},
		"go install of a version":                {"v1.2.3", "", inCache, origin{version: "v1.2.3"}},
		"go install -trimpath of a version":      {"v1.2.3", "", modulePath + "@v1.2.3/cmd/pumice/finddriver.go", origin{version: "v1.2.3"}},
		"go install -trimpath of a checkout":     {"(devel)", "", modulePath + "/cmd/pumice/finddriver.go", origin{}},
		"a release":                              {"(devel)", "v1.2.3", modulePath + "/cmd/pumice/finddriver.go", origin{version: "v1.2.3"}},
		"a release of a changed tree (not made)": {"(devel)", "v1.2.3+dirty", modulePath + "/cmd/pumice/finddriver.go", origin{}},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: c.version}}
		if got := originOf(info, c.stamped, c.file); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if got := originOf(nil, "", here); got != (origin{}) {
		t.Errorf("without build info: %+v", got)
	}
}

// A module in the cache is found by the name that the go command gives its folder, which holds for a tree
// that really lies there.
func TestOrigin_ModuleCacheIsNoCheckout(t *testing.T) {
	folder := filepath.Join(t.TempDir(), filepath.FromSlash(modulePath)+"@v1.2.3")
	if err := os.CopyFS(folder, os.DirFS(fakeTree(t))); err != nil {
		t.Fatal(err)
	}
	info := &debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v1.2.3"}}
	if got := originOf(info, "", filepath.Join(folder, "cmd", "pumice", "finddriver.go")); got != (origin{version: "v1.2.3"}) {
		t.Errorf("%+v", got)
	}
}
