package amd64

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// listing is code, and the text of each of its instructions as a disassembler has it.
type listing struct {
	Asm
	lines []outside.Line // by the bytes in hexadecimal
	from  int            // of the instruction at hand
}

// add ends an instruction, with its text in AT&T syntax.
func (l *listing) add(format string, args ...any) {
	l.encode()
	l.lines = append(l.lines, outside.Line{Key: hex.EncodeToString(l.B[l.from:]), Value: fmt.Sprintf(format, args...)})
	l.from = len(l.B)
}

// seeded gives the random numbers of a row: another row changes none of them, so that what is recorded of it stays.
func seeded(what, name string, f form) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, what, name, f)
	return rand.New(rand.NewPCG(1, h.Sum64()))
}

// recorded has what objdump said of instructions.
const recorded = "testdata/objdump.txt.gz"

// plain is objdump's text without what says the same otherwise:
//   - "rex" and "{evex}" stand before an instruction that a shorter prefix would do for;
//   - 0x0 is a displacement that the instruction has room for.
func plain(text string) string {
	text = strings.TrimPrefix(strings.TrimPrefix(text, "rex "), "{evex} ")
	for _, before := range []string{" ", ","} {
		text = strings.ReplaceAll(text, before+"0x0(", before+"(")
	}
	return text
}

// The bytes of every operation are those that objdump reads as it.
func TestAsm_BytesAreAsRecorded(t *testing.T) {
	r := outside.ReadRecord(t, recorded)
	for name, l := range map[string]listing{"EVEX": evexInstructions(), "VEX": vexInstructions()} {
		t.Run(name, func(t *testing.T) {
			if l.Wrong() {
				t.Error("an operation is refused")
			}
			r.Compare(t, l.lines, plain)
		})
	}
}

// Code for 256 bits has no instruction that needs more than AVX2 has: the encoder refuses what is on masks, on wider
// vectors and on registers that there are not. What both have it writes as AVX2 does.
func TestAsm_NarrowRefusesWhatIsWide(t *testing.T) {
	for i, f := range []func(a *Asm){
		func(a *Asm) { a.VK(VADDPS, 1, 2, R(3), 1) }, func(a *Asm) { a.VZ(VADDPS, 1, 2, R(3), 1) },
		func(a *Asm) { a.VI(VCMPPS, 1, 2, R(3), 1) }, func(a *Asm) { a.ToMask(VCMPPS, 1, 2, R(3), 1, 0) },
		func(a *Asm) { a.V(VPTERNLOGQ, 1, 2, R(3)) }, func(a *Asm) { a.V(VADDPS, 1, 2, All(RAX, 0)) },
		func(a *Asm) { a.VI(VPSLLD, 1, 0, M(RAX, 0), 2) }, func(a *Asm) { a.V(VADDPS, 17, 2, R(3)) },
		func(a *Asm) { a.V(VPBROADCASTG, 1, 0, GArg(RAX)) }, func(a *Asm) { a.V(VPMOVDW, 1, 0, R(2)) },
		func(a *Asm) { a.K(KAND, 1, 2, 3) }, func(a *Asm) { a.K(KMOV, 1, 0, 2) }, func(a *Asm) { a.KMem(KLOAD, 1, M(RAX, 0)) },
		func(a *Asm) { a.KMem(KSTORE, 1, M(RAX, 0)) }, func(a *Asm) { a.KShift(KSHR, 1, 2, 3) },
		func(a *Asm) { a.KFROM(1, RAX) }, func(a *Asm) { a.KTO(RAX, 1) },
	} {
		for _, narrow := range []bool{false, true} {
			a := Asm{Narrow: narrow}
			if f(&a); a.Wrong() != narrow {
				t.Errorf("case %d, narrow %v: refused %v", i, narrow, a.Wrong())
			}
		}
	}
	var y Asm
	y.Y(VADDPS, 1, 2, R(3))
	y.Y(VPADDD, 1, 2, M(RAX, 64))
	y.YI(VPSLLD, 1, 0, R(3), 2)
	y.X(VMOVDQU, 1, 0, M(RAX, 0))
	y.X(VMOVDTo, 1, 0, GArg(RAX))
	a := Asm{Narrow: true}
	a.V(VADDPS, 1, 2, R(3))
	a.V(VPADDD, 1, 2, M(RAX, 64))
	a.VI(VPSLLD, 1, 0, R(3), 2)
	a.V256(VMOVDQU, 1, M(RAX, 0))
	a.V128(VMOVDTo, 1, GArg(RAX))
	if a.Wrong() || y.Wrong() {
		t.Fatal("AVX2 is refused")
	}
	if got, want := a.B, y.B; !bytes.Equal(got, want) {
		t.Errorf("% x, want % x", got, want)
	}
}
