package arm64

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/outside"
)

// listing is code, and the text of each of its instructions as a disassembler has it.
type listing struct {
	Asm
	text []string
}

// add gives the next instruction its text.
func (l *listing) add(format string, args ...any) {
	l.text = append(l.text, fmt.Sprintf(format, args...))
}

// finish returns the code, and the lines of its instructions by their bytes in hexadecimal.
func (l *listing) finish(t *testing.T) (code []byte, lines []outside.Line) {
	t.Helper()
	n := 0
	for i := range l.List {
		if l.List[i].Label() < 0 {
			n += 4
		}
	}
	code, err := l.Finish()
	if err != nil || n != 4*len(l.text) {
		t.Fatalf("%d instructions are in %d bytes (%v)", len(l.text), n, err)
	}
	for i, text := range l.text {
		lines = append(lines, outside.Line{Key: hex.EncodeToString(code[4*i:][:4]), Value: text})
	}
	return code, lines
}

// inOrder ranges over a table in the order of its texts, so that each run has the same
// instructions.
func inOrder[K cmp.Ordered](table map[K]string) iter.Seq2[K, string] {
	keys := slices.SortedFunc(maps.Keys(table), func(a, b K) int { return cmp.Or(cmp.Compare(table[a], table[b]), cmp.Compare(a, b)) })
	return func(yield func(K, string) bool) {
		for _, k := range keys {
			if !yield(k, table[k]) {
				return
			}
		}
	}
}

// fixedInstructions are constants, displacements that no instruction has room for, and constants
// behind the code.
func fixedInstructions() (l listing) {
	all := func(texts ...string) { l.text = append(l.text, texts...) }
	l.Imm(3, 0)
	all("mov x3, #0")
	l.Imm(5, 0x1234000000005678)
	all("mov x5, #22136", "movk x5, #4660, lsl #48")
	l.Imm(7, 1<<64-2)
	all("mov x7, #-2")
	l.Imm(8, 1<<63|9)
	all("mov x8, #-65527", "movk x8, #0, lsl #16", "movk x8, #0, lsl #32", "movk x8, #32768, lsl #48")
	l.Vec(LDRQ, 9, 1, 65536)
	all("mov x16, #0", "movk x16, #1, lsl #16", "add x16, x16, x1", "ldr q9, [x16]")
	l.Gen(STRX, 9, 1, 12)
	all("mov x16, #12", "add x16, x16, x1", "str x9, [x16]")
	l.Gen(LDRW, 9, 1, -4)
	all("mov x16, #-4", "add x16, x16, x1", "ldr w9, [x16]")
	// Three loads of two constants end the code, which begin at the next multiple of 16 bytes.
	l.Const(4, 5, 6)
	l.Const(6, 7, 8)
	l.Const(31, 5, 6)
	at := 4 * len(l.text)
	pool := (at + 3*4 + 15) &^ 15
	all(fmt.Sprintf("ldr q4, #%d", pool-at), fmt.Sprintf("ldr q6, #%d", pool+16-at-4), fmt.Sprintf("ldr q31, #%d", pool-at-8))
	return l
}

func TestAsm_ConstantsStandBehindTheCode(t *testing.T) {
	l := fixedInstructions()
	code, lines := l.finish(t)
	pool := code[(4*len(lines)+15)&^15:]
	for i, want := range []uint64{5, 6, 7, 8} {
		if got := binary.LittleEndian.Uint64(pool[8*i:]); got != want {
			t.Errorf("half %d of the constants is %d, want %d", i, got, want)
		}
	}
}

// recorded has what llvm-mc said of instructions.
const recorded = "testdata/llvm-mc.txt.gz"

// plain is llvm-mc's text without comments, which later versions add to numbers: "mov x3, #0 //
// =0x0".
func plain(text string) string {
	text, _, _ = strings.Cut(text, "//")
	return strings.TrimSpace(text)
}

// The bytes of every form are those that llvm-mc reads as it.
func TestAsm_BytesAreAsRecorded(t *testing.T) {
	r := outside.ReadRecord(t, recorded)
	for name, l := range map[string]listing{"fixed": fixedInstructions(), "random": randomInstructions()} {
		t.Run(name, func(t *testing.T) {
			_, lines := l.finish(t)
			r.Compare(t, lines, plain)
		})
	}
}

// A list prints its instructions as llvm-mc does, but for the names of labels.
func TestInst_Text(t *testing.T) {
	for name, l := range map[string]listing{"fixed": fixedInstructions(), "random": randomInstructions()} {
		t.Run(name, func(t *testing.T) {
			at := 0
			for i := range l.List {
				in := &l.List[i]
				if in.Label() >= 0 {
					continue
				}
				got := in.Text(func(z V, _ bool) string { return fmt.Sprint("v", z) })
				want := l.text[at]
				if in.form&labeled != 0 {
					want = want[:strings.LastIndexByte(want, '#')] + fmt.Sprint("L", in.imm)
				}
				if got != want {
					t.Errorf("%q, want %q", got, want)
				}
				at++
			}
		})
	}
}

// What an instruction does to registers, by hand.
func TestInst_Uses(t *testing.T) {
	read := func(z V) string { return fmt.Sprint("r", z) }
	kept := func(z V) string { return fmt.Sprint("k", z) }
	write := func(z V) string { return fmt.Sprint("w", z) }
	for _, c := range []struct {
		add  func(a *Asm)
		want []string
	}{
		{func(a *Asm) { a.V3(FADD4S, 40, 41, 42) }, []string{write(40), read(41), read(42)}},
		{func(a *Asm) { a.V3(FMLA2D, 40, 41, 42) }, []string{read(40), write(40), read(41), read(42)}},
		{func(a *Asm) { a.V3(BSL, 40, 41, 42) }, []string{read(40), write(40), read(41), read(42)}},
		{func(a *Asm) { a.V3(BIT, 40, 41, 42) }, []string{kept(40), write(40), read(41), read(42)}},
		{func(a *Asm) { a.V2(FSQRT4S, 40, 41) }, []string{write(40), read(41)}},
		{func(a *Asm) { a.V2(FCVTN24S, 40, 41) }, []string{kept(40), write(40), read(41)}},
		{func(a *Asm) { a.V2(FCVTXN24S, 40, 41) }, []string{kept(40), write(40), read(41)}},
		{func(a *Asm) { a.EXT(40, 41, 42, 8) }, []string{write(40), read(41), read(42)}},
		{func(a *Asm) { a.TBL(40, 41, 42) }, []string{write(40), read(41), read(42)}},
		{func(a *Asm) { a.Single(SCVTFS, 40, 7) }, []string{write(40)}},
		{func(a *Asm) { a.Ordered(STLXR.Sized(2), 1, 2, 3) }, nil},
		{func(a *Asm) { a.Shift(SHL4S, 40, 41, 3) }, []string{write(40), read(41)}},
		{func(a *Asm) { a.MOVI(40, 1, 0) }, []string{write(40)}},
		{func(a *Asm) { a.DUP4S(40, 41, 1) }, []string{write(40), read(41)}},
		{func(a *Asm) { a.DUPG4S(40, 7) }, []string{write(40)}},
		{func(a *Asm) { a.INSG2D(40, 1, 7) }, []string{kept(40), write(40)}},
		{func(a *Asm) { a.UMOV4S(7, 41, 1) }, []string{read(41)}},
		{func(a *Asm) { a.Vec(LDRQ, 40, 1, 16) }, []string{write(40)}},
		{func(a *Asm) { a.Vec(STRS, 40, 1, 16) }, []string{read(40)}},
		{func(a *Asm) { a.Gen(LDRX, 7, 1, 16) }, nil},
		{func(a *Asm) { a.Indexed(LDRQ, 40, 1, 2) }, []string{write(40)}},
		{func(a *Asm) { a.Indexed(STRQ, 40, 1, 2) }, []string{read(40)}},
		{func(a *Asm) { a.LD1R4S(40, 1, 0) }, []string{write(40)}},
		{func(a *Asm) { a.LD14S(40, 2, 1) }, []string{kept(40), write(40)}},
		{func(a *Asm) { a.ST12D(40, 1, 1) }, []string{read(40)}},
		{func(a *Asm) { a.Const(40, 1, 2) }, []string{write(40)}},
		{func(a *Asm) { a.G4(MADDX, 1, 2, 3, 4) }, nil},
		{func(a *Asm) { a.CBZ(9, a.NewLabel()) }, nil},
	} {
		var a Asm
		c.add(&a)
		in := &a.List[len(a.List)-1]
		var got []string
		var uses mir.Uses
		in.Uses(&uses)
		for _, x := range uses.Of[:uses.N] {
			if x.Merges {
				got = append(got, kept(x.Number))
			} else if x.Read {
				got = append(got, read(x.Number))
			}
			if x.Write {
				got = append(got, write(x.Number))
			}
		}
		text := in.Text(func(z V, _ bool) string { return fmt.Sprint("v", z) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", text, got, c.want)
		}
		to := make([]uint8, 64)
		to[40], to[41], to[42] = 1, 2, 3
		in.Resolve(to)
		in.Uses(&uses)
		for _, x := range uses.Of[:uses.N] {
			if x.Number > 3 {
				t.Errorf("%s keeps %d", text, x.Number)
			}
		}
	}
}

// Of a vector in memory the list knows where it is, however far that is from the base, and a move of
// a register to itself is left out.
func TestInst_MovesAndCopies(t *testing.T) {
	for _, disp := range []int{0, 16, 65520, 65536, 12, -16} {
		var a Asm
		a.Vec(LDRQ, 40, 1, disp)
		a.Vec(STRQ, 41, 2, disp)
		var got []mir.Memory
		for i := range a.List {
			in := &a.List[i]
			r, m, loads, stores := in.Moves()
			if loads && r != 40 || stores && r != 41 {
				t.Errorf("at %d: %d is moved", disp, r)
			}
			if loads || stores {
				got = append(got, m)
			}
		}
		want := []mir.Memory{{Base: 1, Disp: int32(disp)}, {Base: 2, Disp: int32(disp)}}
		if !slices.Equal(got, want) {
			t.Errorf("at %d: %v", disp, got)
		}
	}
	var a Asm
	a.V3(ORR, 40, 41, 41)
	if d, x, ok := a.List[0].Copies(); !ok || d != 40 || x != 41 {
		t.Errorf("%d, %d, %v", d, x, ok)
	}
	a.V3(ORR, 40, 41, 42)
	if _, _, ok := a.List[1].Copies(); ok {
		t.Error("a union copies")
	}
	to := make([]uint8, 64)
	to[40], to[41], to[42] = 7, 7, 7
	a.List.Resolve(0, 2, to)
	a.V2(NOT, 7, 7)
	code, err := a.Finish()
	if err != nil || len(code) != 16 || binary.LittleEndian.Uint32(code) == 0 {
		t.Errorf("% x, %v", code, err)
	}
	if got := binary.LittleEndian.Uint32(code); got != uint32(NOT)|7<<5|7 {
		t.Errorf("%#x is first: a copy to itself is written", got)
	}
}
