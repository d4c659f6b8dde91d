package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// glibc is a version of the GNU C library: 28 is 2.28.
type glibc int

func (v glibc) String() string { return fmt.Sprintf("2.%d", int(v)) }

// floor is the oldest C library that a driver must load with.
const floor glibc = 28

// glibcOf reads the name of a symbol version such as GLIBC_2.28 or GLIBC_2.3.4.
func glibcOf(name string) (glibc, bool) {
	text, ok := strings.CutPrefix(name, "GLIBC_2.")
	text, _, _ = strings.Cut(text, ".")
	n, err := strconv.Atoi(text)
	return glibc(n), ok && err == nil
}

// needsOf returns the oldest C library that has all symbols of a driver. It is an error if the
// driver needs another library, which no package brings, or a newer one than the floor.
func needsOf(driver []byte) (glibc, error) {
	f, err := elf.NewFile(bytes.NewReader(driver))
	if err != nil {
		return 0, err
	}
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return 0, err
	}
	for _, l := range libraries {
		if !slices.Contains([]string{"libc.so.6", threads, loading}, l) &&
			!strings.HasPrefix(l, "ld-linux-") {
			return 0, fmt.Errorf("the driver needs %s, which is no part of the C library", l)
		}
	}
	needs, err := f.DynamicVersionNeeds()
	if err != nil {
		return 0, err
	}
	var newest glibc
	for _, n := range needs {
		for _, v := range n.Needs {
			if minor, ok := glibcOf(v.Dep); ok {
				newest = max(newest, minor)
			}
		}
	}
	switch {
	case newest == 0:
		return 0, fmt.Errorf("the driver does not say which C library it needs")
	case newest > floor:
		return newest, fmt.Errorf("the driver needs glibc %s, and must load with %s: %s", newest,
			floor, strings.Join(above(f), ", "))
	}
	return newest, nil
}

// above lists the symbols that are newer than the floor.
func above(f *elf.File) (names []string) {
	symbols, _ := f.ImportedSymbols()
	for _, s := range symbols {
		if v, ok := glibcOf(s.Version); ok && v > floor {
			names = append(names, s.Name+"@"+s.Version)
		}
	}
	return names
}

// The libraries whose functions moved to libc.so.6 in glibc 2.34, with new versions of their
// symbols. Newer systems have both files still, without code, so that older programs load.
const threads, loading = "libpthread.so.0", "libdl.so.2"

// movedTo is the library in which glibc up to 2.33 had a symbol of the C library, or "" where it
// was there before.
func movedTo(name string) string {
	switch {
	case strings.HasPrefix(name, "pthread_"),
		strings.HasPrefix(name, "sem_"),
		name == "__libc_start_main":
		return threads
	case strings.HasPrefix(name, "dl"):
		return loading
	}
	return ""
}

// oldSymbols reads a C library. It returns, by library and version, symbols whose default version
// is above the floor and that have an older one: the newest up to the floor.
func oldSymbols(libc *elf.File) (map[string]map[string][]string, error) {
	symbols, err := libc.DynamicSymbols()
	if err != nil {
		return nil, err
	}
	type have struct {
		now, old glibc
		version  string // of old
	}
	all := map[string]have{}
	for _, s := range symbols {
		v, ok := glibcOf(s.Version)
		if !ok || s.Section == elf.SHN_UNDEF || movedTo(s.Name) == "" {
			continue
		}
		h := all[s.Name]
		if !s.VersionIndex.IsHidden() {
			h.now = v
		}
		if v <= floor && v >= h.old {
			h.old, h.version = v, s.Version
		}
		all[s.Name] = h
	}
	out := map[string]map[string][]string{threads: {}, loading: {}}
	for name, h := range all {
		if h.now > floor && h.version != "" {
			of := out[movedTo(name)]
			of[h.version] = append(of[h.version], name)
		}
	}
	return out, nil
}

// oldLibraries makes a folder with libpthread.so and libdl.so as the linker shall see them: with
// the symbols that moved, in their old versions and without code. What is linked with them before
// libc loads with old systems, and with new ones, whose libc has the old versions, too.
func (b *builder) oldLibraries(t target, cc string) (string, error) {
	out, err := exec.CommandContext(b.ctx, cc, "-print-file-name=libc.so.6").Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", cc, err)
	}
	libc, err := elf.Open(strings.TrimSpace(string(out)))
	if err != nil {
		return "", err
	}
	defer libc.Close()
	symbols, err := oldSymbols(libc)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(b.tmp, "old-"+t.arch)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for soname, versions := range symbols {
		source, script := stub(versions)
		name, _, _ := strings.Cut(soname, ".")
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path+".c", source, 0o644); err != nil {
			return "", err
		}
		if err := os.WriteFile(path+".map", script, 0o644); err != nil {
			return "", err
		}
		cmd := exec.CommandContext(b.ctx, cc, "-shared", "-nostdlib", "-fno-builtin", "-w",
			"-Wl,-soname="+soname, "-Wl,--version-script="+path+".map", "-o", path+".so", path+".c")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", soname, err, out)
		}
	}
	return dir, nil
}

// stub is a library without code, as C source and version script.
func stub(versions map[string][]string) (source, script []byte) {
	for _, version := range slices.Sorted(maps.Keys(versions)) {
		names := versions[version]
		slices.Sort(names)
		script = fmt.Appendf(script, "%s { global: %s; };\n", version, strings.Join(names, "; "))
		for _, name := range names {
			source = fmt.Appendf(source, "void %s(void) {}\n", name)
		}
	}
	return source, script
}
