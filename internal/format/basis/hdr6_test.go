package basis

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format/astc"
)

// writer writes bits from the lowest of each byte upward.
type writer struct {
	data []byte
	n    uint
}

func (w *writer) put(v uint32, n uint) *writer {
	for range n {
		if w.n%8 == 0 {
			w.data = append(w.data, 0)
		}
		w.data[w.n/8] |= byte(v&1) << (w.n % 8)
		v >>= 1
		w.n++
	}
	return w
}

// hdr6Slice begins a slice of 12 × 12 texels: 4 blocks.
func hdr6Slice() *writer {
	return new(writer).put(hdr6Second, 16).put(12, 16).put(12, 16)
}

func TestDecodeHDR6_ByHand(t *testing.T) {
	// A block of one colour, thrice more of it by a run of 2 and a reuse that cannot be.
	dst := make([]byte, 4*HDR6BlockBytes)
	slice := hdr6Slice().put(4, 3).put(0x3C00, 15).put(0x3800, 15).put(0x4000, 15).put(0, 3).put(2, 6).put(hdr6End, 16).data
	if err := DecodeHDR6(t.Context(), dst, 12, 12, slice); err != nil {
		t.Fatal(err)
	}
	var want [16]byte
	astc.PackVoid(want[:], [4]uint16{0x3C00, 0x3800, 0x4000, 0x3C00}, true)
	if !bytes.Equal(dst, bytes.Repeat(want[:], 4)) {
		t.Errorf("%x", dst)
	}
	// Mode 10 has 3×3 weights of 16 levels and six colour numbers of 256: all bits stand as they are.
	block := func(w *writer) *writer {
		w.put(1, 1).put(10, 6).put(0, 2) // 10 and 0 in truncated binary of 75 and 5: below 53 and 3
		for i := range uint32(6) {
			w.put(16+i, 8)
		}
		for i := range uint32(9) {
			w.put(i, 4)
		}
		return w
	}
	if err := DecodeHDR6(t.Context(), dst, 6, 6, block(new(writer).put(hdr6Second, 16).put(6, 16).put(6, 16)).put(hdr6End, 16).data); err != nil {
		t.Fatal(err)
	}
	p := astc.Parts{Width: 3, Height: 3, WeightRange: 8, ColorRange: 20, Partitions: 1, Mode: 11}
	copy(p.Colors[:], []byte{16, 17, 18, 19, 20, 21})
	copy(p.Weights[:], []byte{0, 1, 2, 3, 4, 5, 6, 7, 8})
	if !p.Pack(want[:]) || !bytes.Equal(dst[:16], want[:]) {
		t.Errorf("%x, want %x", dst[:16], want)
	}
}

func TestDecodeHDR6_Hostile(t *testing.T) {
	solid := func(w *writer) *writer { return w.put(4, 3).put(0, 45) }
	for name, c := range map[string]struct {
		slice *writer
		want  string
	}{
		"nothing":                    {new(writer), "signature 0x0000"},
		"another signature":          {new(writer).put(0xABCF, 16), "signature 0xabcf"},
		"another extent":             {new(writer).put(hdr6First, 16).put(12, 16).put(11, 16), "a slice of 12 × 11 texels"},
		"no blocks":                  {hdr6Slice(), "block (0, 0): a run before"},
		"a run first":                {hdr6Slice().put(0, 3).put(0, 6), "a run before the first block"},
		"a run of 4 after one":       {solid(hdr6Slice()).put(0, 3).put(3, 6), "a run of 4 blocks, 3 are left"},
		"a run of 2³⁰":               {solid(hdr6Slice()).put(0, 3).put(32, 6).put(32, 6).put(32, 6).put(32, 6).put(32, 6).put(32, 6).put(1, 6), "a run of 1073741825 blocks"},
		"a run without end":          {solid(hdr6Slice()).put(0, 3).put(0xffffffff, 32).put(0xffffffff, 32), "no end"},
		"like one outside":           {solid(hdr6Slice()).put(2, 2).put(1, 5), "like a block outside"},
		"like one above":             {solid(hdr6Slice()).put(2, 2).put(7, 5), "like a block outside"},
		"like one of one colour":     {solid(hdr6Slice()).put(2, 2).put(0, 5), "like a block of one colour"},
		"colours of one outside":     {hdr6Slice().put(1, 1).put(0, 6).put(1, 2), "colours of a block outside"},
		"colours of one colour":      {solid(hdr6Slice()).put(1, 1).put(0, 6).put(1, 2), "colours of a block of another kind"},
		"the end is missing":         {solid(hdr6Slice()).put(0, 3).put(2, 6), "do not end"},
		"another end":                {solid(hdr6Slice()).put(0, 3).put(2, 6).put(0xA743, 16), "do not end"},
		"cut in a block of a colour": {hdr6Slice().put(4, 3).put(0, 20), "end too early"},
	} {
		dst := make([]byte, 4*HDR6BlockBytes)
		if err := DecodeHDR6(t.Context(), dst, 12, 12, c.slice.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := DecodeHDR6(ctx, make([]byte, 4*HDR6BlockBytes), 12, 12, hdr6Slice().data); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Six levels are 0, 51, 102, 153, 204 and 255: 191 is nearest to 204, and to 153 among those with the same two upper bits.
func TestHDR6_UpperBits(t *testing.T) {
	scale := astc.ColorScale(4)
	for name, c := range map[string]struct {
		cem       uint8
		src, want []uint8
	}{
		"direct":         {cemDirect, []uint8{191, 191, 191, 191, 0x80, 0xC0}, []uint8{204, 204, 204, 204, 153, 204}},
		"major, offsets": {cemDirect, []uint8{191, 191, 191, 191, 0, 0xC0}, []uint8{204, 153, 153, 153, 0, 204}},
		"scale":          {cemScale, []uint8{191, 224, 110, 110}, []uint8{153, 255, 102, 102}},
	} {
		got := make([]uint8, len(c.src))
		hdr6Requantize(got, 4, c.src, 20, c.cem)
		for i, n := range got {
			if scale.Values[n] != c.want[i] {
				t.Errorf("%s: number %d becomes %d, want %d", name, i, scale.Values[n], c.want[i])
			}
		}
	}
}

// slicesOf returns the slices of level 0 of a file of package texture's tests, and their extent.
func slicesOf(t testing.TB, name string) (list [][]byte, width, height int) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "texture", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	word := func(at int) int { return int(binary.LittleEndian.Uint32(data[at:])) }
	sgd, level := word(64), word(80)
	for i := range max(1, word(32)) * word(36) {
		list = append(list, data[level+word(sgd+12*i):][:word(sgd+12*i+4)])
	}
	return list, word(20), word(24)
}

// Whatever a slice says, decoding ends with blocks or an error of one line, and takes no more than it announces.
func FuzzHDR6(f *testing.F) {
	for _, name := range []string{"hdr6-first.ktx2", "hdr6-mips.ktx2", "hdr6-cube.ktx2", "hdr6-array.ktx2", "hdr6-modes.ktx2", "hdr6-modes-first.ktx2"} {
		list, width, height := slicesOf(f, name)
		for _, slice := range list {
			f.Add(uint8(width-1), uint8(height-1), slice)
		}
	}
	f.Fuzz(func(t *testing.T, width, height uint8, slice []byte) {
		w, h := int(width)+1, int(height)+1
		dst := make([]byte, HDR6BlockBytes*((w+5)/6)*((h+5)/6))
		if err := DecodeHDR6(t.Context(), dst, w, h, slice); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q", err)
		}
	})
}
