package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module writes a module of one package and its test.
func module(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files["go.mod"] = "module example.com/m\n\ngo 1.26\n"
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What the compiler for a pair refuses is told, and nothing on pairs where it does not.
func TestTypesOf_FindsWhatDiffers(t *testing.T) {
	dir := module(t, map[string]string{
		"names.go":          "package m\n\nimport \"syscall\"\n\nvar Full = syscall.ENFILE\n",
		"numbers_test.go":   "package m\n\nimport \"testing\"\n\nfunc TestM(t *testing.T) { t.Log(1 << 40) }\n",
		"bodies.go":         "package m\n\nfunc here()\n\nfunc Here() { here() }\n",
		"bodies_amd64.s":    "TEXT ·here(SB), $0\n\tRET\n",
		"other_windows.go":  "package m\n\nvar Other = missing\n",
		"outer_test.go":     "package m_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m\"\n)\n\nfunc TestOuter(t *testing.T) { m.Here() }\n",
		"ignored_darwin.go": "//go:build ignore\n\npackage m\n\nvar x = y\n",
	})
	for i, r := range typesOf(dir, []pair{{"linux", "amd64"}, {"darwin", "amd64"}, {"linux", "386"}, {"plan9", "amd64"}, {"windows", "amd64"}}) {
		want := [][]string{nil, nil, {"overflows", "here has no body"}, {"undefined: syscall.ENFILE"}, {"undefined: missing"}}[i]
		if (r.err == nil) != (want == nil) {
			t.Errorf("%s: %v", r.pair, r.err)
			continue
		}
		for _, part := range want {
			if !strings.Contains(r.err.Error(), part) {
				t.Errorf("%s: %v does not say %q", r.pair, r.err, part)
			}
		}
	}
}

// Only what Go says of linkers is no failure.
func TestWantsLinker(t *testing.T) {
	const line = "android/386 requires external (cgo) linking, but cgo is not enabled\n"
	for text, want := range map[string]bool{line: true, line + line: true, "": false, line + "x.go:1:2: undefined: y\n": false} {
		if reason, only := wantsLinker(text); only != want || only && reason+"\n" != line {
			t.Errorf("%q: %q, %v", text, reason, only)
		}
	}
}

// Where programs need a C toolchain, packages are built all the same, and what they lack is told.
func TestBuild_WithoutPrograms(t *testing.T) {
	files := map[string]string{"m.go": "package m\n", "cmd/main.go": "package main\n\nfunc main() {}\n"}
	if what, err := (pair{"ios", "arm64"}).build(module(t, files)); err != nil || !strings.HasPrefix(what, "packages build; programs do not: ") {
		t.Errorf("%q, %v", what, err)
	}
	files["m_ios.go"] = "package m\n\nvar x = missing\n"
	if what, err := (pair{"ios", "arm64"}).build(module(t, files)); err == nil || !strings.Contains(err.Error(), "undefined: missing") {
		t.Errorf("%q, %v", what, err)
	}
}

func TestPairs_NamesThatGoKnows(t *testing.T) {
	if all, err := pairs(""); err != nil || len(all) < 40 {
		t.Errorf("%v, %v", all, err)
	}
	if some, err := pairs("plan9/arm,linux/386"); err != nil || len(some) != 2 || some[0].String() != "plan9/arm" {
		t.Errorf("%v, %v", some, err)
	}
	if _, err := pairs("linux/vax"); err == nil {
		t.Error("linux/vax is known")
	}
}

func TestDocument_HasARowForEachPair(t *testing.T) {
	page := string(document([]row{{pair: pair{"a", "b"}, what: "builds"}, {pair: pair{"c", "d"}, what: "does not", err: errors.New("x")}}, "go1", hosts(nil)))
	if !strings.Contains(page, "\n| a/b | builds |\n| c/d | does not |\n") || !strings.Contains(page, "All that go1 knows") {
		t.Error(page)
	}
}

// What another command has written into the page stays.
func TestDocument_KeepsTheHosts(t *testing.T) {
	const part = "<!-- hosts: by a -->\n| a row |\n<!-- end of hosts -->\n"
	page := document(nil, "go1", hosts([]byte("before\n"+part+"beyond\n")))
	if !strings.Contains(string(page), "\n"+part) || strings.Contains(string(page), "beyond") {
		t.Errorf("%s", page)
	}
	if again := document(nil, "go1", hosts(page)); string(again) != string(page) {
		t.Errorf("the second time:\n%s", again)
	}
	for _, text := range []string{"", "<!-- hosts: x", "<!-- end of hosts -->\n<!-- hosts: x"} {
		if page := document(nil, "go1", hosts([]byte(text))); strings.Count(string(page), "<!-- hosts: ") != 1 {
			t.Errorf("%q:\n%s", text, page)
		}
	}
}

// Shares are disjoint, and together all; without one it is all of the types, and no build.
func TestShareOf(t *testing.T) {
	for i := range 50 {
		n := 0
		for k := range 3 {
			of, err := shareOf(fmt.Sprintf("%d/3", k), false)
			if err != nil {
				t.Fatal(err)
			}
			if of(i) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("pair %d is in %d of three shares", i, n)
		}
	}
	for _, all := range []bool{false, true} {
		if of, err := shareOf("", all); err != nil || of(7) != all {
			t.Errorf("no share, all %v: %v", all, err)
		}
	}
	for _, bad := range []string{"3/3", "-1/3", "x", "1"} {
		if _, err := shareOf(bad, false); err == nil {
			t.Errorf("%q is a share", bad)
		}
	}
}
