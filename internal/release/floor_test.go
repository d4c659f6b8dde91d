package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestGlibcOf(t *testing.T) {
	for name, want := range map[string]glibc{"GLIBC_2.28": 28, "GLIBC_2.3.4": 3, "GLIBC_2.2.5": 2} {
		if v, ok := glibcOf(name); !ok || v != want {
			t.Errorf("%s: %v, %v", name, v, ok)
		}
	}
	for _, name := range []string{"", "GLIBC_PRIVATE", "GLIBC_ABI_DT_RELR", "GCC_3.0", "GLIBC_2.x"} {
		if v, ok := glibcOf(name); ok {
			t.Errorf("%s: %v", name, v)
		}
	}
}

// symbol is a symbol of a library that is made for a test.
type symbol struct {
	name, version string
	hidden, needs bool // an older version beside the default one; of another library
}

// library makes an ELF library of 64 bits with symbols of a C library, or that needs some of it.
func library(needed []string, symbols ...symbol) []byte {
	const header, section = 64, 64
	le := binary.LittleEndian
	texts := []byte{0}
	text := func(s string) uint32 {
		at := len(texts)
		texts = append(append(texts, s...), 0)
		return uint32(at)
	}
	var dynsym, versions, verdef, verneed, dynamic []byte
	dynsym, versions = make([]byte, 24), make([]byte, 2)
	for _, n := range needed {
		dynamic = le.AppendUint64(le.AppendUint64(dynamic, 1 /* DT_NEEDED */), uint64(text(n)))
	}
	dynamic = append(dynamic, make([]byte, 16)...)
	var defs, needs []string
	for _, s := range symbols {
		if list := &defs; !slices.Contains(*list, s.version) && !s.needs {
			*list = append(*list, s.version)
		}
		if list := &needs; !slices.Contains(*list, s.version) && s.needs {
			*list = append(*list, s.version)
		}
	}
	for _, s := range symbols {
		index, place := uint16(2+slices.Index(defs, s.version)), uint16(1)
		if s.needs {
			index, place = uint16(2+len(defs)+slices.Index(needs, s.version)), 0
		}
		if s.hidden {
			index |= 0x8000
		}
		dynsym = le.AppendUint32(dynsym, text(s.name))
		dynsym = le.AppendUint16(append(dynsym, 0x12 /* global function */, 0), place)
		dynsym = append(dynsym, make([]byte, 16)...)
		versions = le.AppendUint16(versions, index)
	}
	for i, v := range defs {
		next := uint32(28)
		if i == len(defs)-1 {
			next = 0
		}
		for _, n := range []uint16{1, 0, uint16(2 + i), 1} {
			verdef = le.AppendUint16(verdef, n)
		}
		for _, n := range []uint32{0, 20, next, text(v), 0} {
			verdef = le.AppendUint32(verdef, n)
		}
	}
	if len(needs) > 0 {
		verneed = le.AppendUint16(le.AppendUint16(verneed, 1), uint16(len(needs)))
		for _, n := range []uint32{text("libc.so.6"), 16, 0} {
			verneed = le.AppendUint32(verneed, n)
		}
		for i, v := range needs {
			next := uint32(16)
			if i == len(needs)-1 {
				next = 0
			}
			verneed = le.AppendUint16(le.AppendUint16(le.AppendUint32(verneed, 0), 0),
				uint16(2+len(defs)+i))
			verneed = le.AppendUint32(le.AppendUint32(verneed, text(v)), next)
		}
	}
	type part struct {
		name       string
		kind, link uint32
		info       uint32
		size       uint64
		data       []byte
	}
	parts := []part{
		{
			".dynstr",
			3,
			0,
			0,
			0,
			nil,
		}, {".dynsym", 11, 1, 1, 24, dynsym}, {".gnu.version", 0x6fffffff, 2, 0, 2, versions},
		{
			".gnu.version_d",
			0x6ffffffd,
			1,
			uint32(len(defs)),
			0,
			verdef,
		}, {".gnu.version_r", 0x6ffffffe, 1, uint32(min(1, len(needs))), 0, verneed},
		{".dynamic", 6, 1, 0, 16, dynamic}, {".shstrtab", 3, 0, 0, 0, nil},
	}
	var names []uint32
	for _, p := range parts {
		names = append(names, text(p.name))
	}
	parts[0].data, parts[6].data = texts, texts
	out := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 9)...)
	table := make([]byte, section)
	var body []byte
	for i, p := range parts {
		table = le.AppendUint32(le.AppendUint32(table, names[i]), p.kind)
		for _, n := range []uint64{0, 0, uint64(header + len(body)), uint64(len(p.data))} {
			table = le.AppendUint64(table, n)
		}
		table = le.AppendUint32(le.AppendUint32(table, p.link), p.info)
		table = le.AppendUint64(le.AppendUint64(table, 1), p.size)
		body = append(body, p.data...)
	}
	out = le.AppendUint32(le.AppendUint16(le.AppendUint16(out, 3), 62), 1)
	for _, n := range []uint64{0, 0, uint64(header + len(body))} {
		out = le.AppendUint64(out, n)
	}
	out = le.AppendUint32(out, 0)
	for _, n := range []uint16{header, 0, 0, section, uint16(1 + len(parts)), uint16(len(parts))} {
		out = le.AppendUint16(out, n)
	}
	return append(append(out, body...), table...)
}

// What a driver needs is the newest version of its symbols; above the floor, it is an error that
// names them.
func TestNeedsOf(t *testing.T) {
	ours := []string{"libc.so.6", threads, loading, "ld-linux-x86-64.so.2"}
	for _, c := range []struct {
		needed  []string
		symbols []symbol
		want    glibc
		says    string
	}{
		{ours, []symbol{{"memcpy", "GLIBC_2.14", false, true}, {"memfd_create", "GLIBC_2.27", false, true}}, 27, ""},
		{ours, []symbol{{"memcpy", "GLIBC_2.14", false, true}, {"statx", "GLIBC_2.28", false, true}}, 28, ""},
		{ours, []symbol{{"dlopen", "GLIBC_2.34", false, true}, {"dlsym", "GLIBC_2.2.5", false, true}}, 34, "glibc 2.34, and must load with 2.28: dlopen@GLIBC_2.34"},
		{append(ours, "libm.so.6"), []symbol{{"memcpy", "GLIBC_2.14", false, true}}, 0, "libm.so.6"},
		{ours, nil, 0, "does not say"},
	} {
		v, err := needsOf(library(c.needed, c.symbols...))
		if v != c.want || (err == nil) != (c.says == "") ||
			err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %s, %v", c.symbols, v, err)
		}
	}
}

// Only symbols that moved and have a version up to the floor get it back: the newest one.
func TestOldSymbols(t *testing.T) {
	libc := library(
		nil,
		symbol{
			name:    "dlopen",
			version: "GLIBC_2.34",
		},
		symbol{name: "dlopen", version: "GLIBC_2.2.5", hidden: true},
		symbol{
			name:    "pthread_attr_setstack",
			version: "GLIBC_2.34",
		},
		symbol{name: "pthread_attr_setstack", version: "GLIBC_2.3.3", hidden: true},
		symbol{
			name:    "pthread_kill",
			version: "GLIBC_2.34",
		},
		symbol{name: "pthread_kill", version: "GLIBC_2.2.5", hidden: true},
		symbol{name: "pthread_kill", version: "GLIBC_2.32", hidden: true},
		symbol{
			name:    "pthread_self",
			version: "GLIBC_2.2.5",
		}, // was in libc before
		symbol{
			name:    "pthread_new",
			version: "GLIBC_2.34",
		}, // has no older one
		symbol{
			name:    "fcntl64",
			version: "GLIBC_2.34",
		},
		symbol{name: "fcntl64", version: "GLIBC_2.28", hidden: true}, // did not move
	)
	f, err := elf.NewFile(bytes.NewReader(libc))
	if err != nil {
		t.Fatal(err)
	}
	got, err := oldSymbols(f)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string][]string{
		loading: {
			"GLIBC_2.2.5": {"dlopen"},
		}, threads: {"GLIBC_2.3.3": {"pthread_attr_setstack"}, "GLIBC_2.2.5": {"pthread_kill"}},
	}
	if !maps.EqualFunc(
		got,
		want,
		func(a, b map[string][]string) bool { return maps.EqualFunc(a, b, slices.Equal) },
	) {
		t.Errorf("got %v", got)
	}
	source, script := stub(map[string][]string{"GLIBC_2.3.3": {"b"}, "GLIBC_2.2.5": {"c", "a"}})
	if string(script) != "GLIBC_2.2.5 { global: a; c; };\nGLIBC_2.3.3 { global: b; };\n" ||
		string(source) != "void a(void) {}\nvoid c(void) {}\nvoid b(void) {}\n" {
		t.Errorf("%s\n%s", script, source)
	}
}
