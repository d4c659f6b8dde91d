package amd64

import (
	"bytes"
	"testing"
)

// Instructions on words, as the manual of the processor encodes them.
func TestWords(t *testing.T) {
	for name, c := range map[string]struct {
		write func(a *Asm)
		want  []byte
	}{
		"add r10d, 0x11223344": {
			func(a *Asm) { a.WI(ADDLImm, GArg(R10), 0x11223344) },
			[]byte{0x41, 0x81, 0xC2, 0x44, 0x33, 0x22, 0x11},
		},
		"cmp eax, 1":   {func(a *Asm) { a.WI(CMPLImm, GArg(RAX), 1) }, []byte{0x81, 0xF8, 1, 0, 0, 0}},
		"shl r15d, 5":  {func(a *Asm) { a.WI(SHLL, GArg(R15), 5) }, []byte{0x41, 0xC1, 0xE7, 5}},
		"shr edx, cl":  {func(a *Asm) { a.W(SHRLCL, 0, GArg(RDX)) }, []byte{0xD3, 0xEA}},
		"sar edx, cl":  {func(a *Asm) { a.W(SARLCL, 0, GArg(RDX)) }, []byte{0xD3, 0xFA}},
		"neg ecx":      {func(a *Asm) { a.W(NEGL, 0, GArg(RCX)) }, []byte{0xF7, 0xD9}},
		"bsr ecx, eax": {func(a *Asm) { a.W(BSR, RCX, GArg(RAX)) }, []byte{0x0F, 0xBD, 0xC8}},
		"bsf ecx, eax": {func(a *Asm) { a.W(BSF, RCX, GArg(RAX)) }, []byte{0x0F, 0xBC, 0xC8}},
		"imul r13d, r13d, 7": {
			func(a *Asm) { a.WI(IMULLImm, GArg(R13), 7) },
			[]byte{0x45, 0x69, 0xED, 7, 0, 0, 0},
		},
		"cmovnz eax, r10d": {
			func(a *Asm) { a.W(CMOVL(IfNotZero), RAX, GArg(R10)) },
			[]byte{0x41, 0x0F, 0x45, 0xC2},
		},
		"popcnt edx, r10d": {
			func(a *Asm) { a.W(POPCNT, RDX, GArg(R10)) },
			[]byte{0xF3, 0x41, 0x0F, 0xB8, 0xD2},
		},
	} {
		var a Asm
		c.write(&a)
		if got := a.Finish(); !bytes.HasPrefix(got, c.want) {
			t.Errorf("%s: % x, want % x", name, got, c.want)
		}
	}
}
