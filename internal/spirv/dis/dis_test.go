package dis_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice/internal/spirv/dis"
)

func words(data []byte) []uint32 {
	w := make([]uint32, len(data)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return w
}

func instructions(list ...[]uint32) []uint32 {
	w := []uint32{0x07230203, 0x10000, 0, 100, 0}
	for _, in := range list {
		w = append(w, uint32(len(in))<<16|in[0])
		w = append(w, in[1:]...)
	}
	return w
}

// literals are numbers of all widths, at the ends of their ranges, and a name.
func literals() []uint32 {
	const float, constant = 22, 43
	return instructions(
		[]uint32{float, 1, 16}, []uint32{float, 2, 32}, []uint32{float, 3, 64}, []uint32{21, 4, 16, 1}, []uint32{21, 5, 64, 0},
		[]uint32{constant, 1, 6, 0x3E00}, []uint32{constant, 1, 7, 0xFC00}, []uint32{constant, 1, 8, 1},
		[]uint32{constant, 2, 9, 0x3DCCCCCD}, []uint32{constant, 2, 10, 0x7FC00001}, []uint32{constant, 2, 11, 0x80000001}, []uint32{constant, 2, 12, 0x7F7FFFFF},
		[]uint32{constant, 3, 13, 0x9999999A, 0x3FB99999}, []uint32{constant, 3, 14, 0, 0x7FF00000},
		[]uint32{constant, 4, 15, 0xFFFFFFFB}, []uint32{constant, 5, 16, 0xFFFFFFFF, 0xFFFFFFFF},
		[]uint32{5, 16, 0x225C61}, // a name with a quote and a backslash
	)
}

// TestText_Numbers: every literal has the bits of the module.
func TestText_Numbers(t *testing.T) {
	want := strings.Join([]string{
		"%1 = OpTypeFloat 16", "%2 = OpTypeFloat 32", "%3 = OpTypeFloat 64", "%4 = OpTypeInt 16 1", "%5 = OpTypeInt 64 0",
		"%6 = OpConstant %1 0x1.8p+0", "%7 = OpConstant %1 -0x1p+16", "%8 = OpConstant %1 0x1p-24",
		"%9 = OpConstant %2 0.100000001", "%10 = OpConstant %2 0x1.800002p+128", "%11 = OpConstant %2 -0x1p-149", "%12 = OpConstant %2 3.40282347e+38",
		"%13 = OpConstant %3 0.10000000000000001", "%14 = OpConstant %3 0x1p+1024",
		"%15 = OpConstant %4 -5", "%16 = OpConstant %5 18446744073709551615", `OpName %16 "a\\\""`, "",
	}, "\n")
	got := dis.Text(literals())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestText_Unreadable: what can't be read stands as words, and the text goes on.
func TestText_Unreadable(t *testing.T) {
	got := dis.Text(append(instructions([]uint32{0xFFF0, 7}, []uint32{5, 16, 0x41414141}, []uint32{253}), 9<<16))
	want := "; not readable: [0x2fff0 0x7]\n; not readable: [0x30005 0x10 0x41414141]\nOpReturn\n; word 11: an instruction of 9 words in a module of 12\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestText_NoConstant: OpSpecConstantOp of an operation without a result is not readable, at any end.
func TestText_NoConstant(t *testing.T) {
	const opSwitch, opReturn, opName = 251, 253, 5
	for _, operation := range []uint32{opSwitch, opReturn, opName} {
		for n := range 4 {
			words := append([]uint32{52, 1, 2, operation}, make([]uint32, n)...)
			got := dis.Text(instructions(words))
			want := fmt.Sprintf("; not readable: %#x\n", append([]uint32{uint32(len(words)<<16 | 52)}, words[1:]...))
			if got != want {
				t.Errorf("operation %d with %d words: %q, want %q", operation, n, got, want)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4})
	f.Add(make([]byte, 64))
	var data []byte
	for _, w := range instructions([]uint32{52, 1, 2, 251, 3, 4, 5, 6}) {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if s := dis.Text(words(data)); len(s) > 400*len(data)+1000 {
			t.Errorf("%d bytes of text for %d bytes", len(s), len(data))
		}
		for at, s := range dis.Instructions(words(data)) {
			if len(s) > 1<<9*len(data)+1000 {
				t.Errorf("word %d: %d bytes of text for %d bytes", at, len(s), len(data))
			}
		}
	})
}
