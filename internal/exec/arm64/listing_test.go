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
	n := len(l.B)
	code, err := l.Finish()
	if err != nil || n != 4*len(l.text) {
		t.Fatalf("%d instructions are in %d bytes (%v)", len(l.text), n, err)
	}
	for i, text := range l.text {
		lines = append(lines, outside.Line{Key: hex.EncodeToString(code[4*i:][:4]), Value: text})
	}
	return code, lines
}

// inOrder ranges over a table in the order of its texts, so that each run has the same instructions.
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

// fixedInstructions are constants, displacements that no instruction has room for, and constants behind the code.
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

// plain is llvm-mc's text without comments, which later versions add to numbers: "mov x3, #0 // =0x0".
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
