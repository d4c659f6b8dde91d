//go:build linux

package main_test

import (
	"debug/elf"
	"slices"
	"testing"
)

// The library is built as a distribution would build it: its C front with stack
// protectors, all addresses of the loader read-only after loading, no memory that is
// both writable and executable, no stack that is executable.
func TestLibrary_IsHardened(t *testing.T) {
	f, err := elf.Open(driverLibrary(t).library)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	relro, stack := false, false
	for _, p := range f.Progs {
		switch {
		case p.Type == elf.PT_LOAD && p.Flags&(elf.PF_W|elf.PF_X) == elf.PF_W|elf.PF_X:
			t.Errorf("the segment at %#x is writable and executable", p.Vaddr)
		case p.Type == elf.PT_GNU_RELRO:
			relro = true
		case p.Type == elf.PT_GNU_STACK:
			stack = p.Flags&elf.PF_X == 0
		}
	}
	if !relro || !stack {
		t.Errorf("read-only relocations %v, a stack that is not executable %v", relro, stack)
	}
	flags, err := f.DynValue(elf.DT_FLAGS_1)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(flags, func(x uint64) bool { return elf.DynFlag1(x)&elf.DF_1_NOW != 0 }) {
		t.Errorf("flags %#x: functions are bound when they are called first, not when the library is loaded", flags)
	}
	if text, err := f.DynValue(elf.DT_TEXTREL); err != nil || len(text) > 0 {
		t.Errorf("relocations of code: %v, %v", text, err)
	}
	imported, err := f.ImportedSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"__stack_chk_fail"} {
		if !slices.ContainsFunc(imported, func(s elf.ImportedSymbol) bool { return s.Name == want }) {
			t.Errorf("%s is not imported", want)
		}
	}
}
