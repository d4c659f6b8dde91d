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

// The texels of whole files are compared with Basis Universal's own transcoder in package texture.

// The first texels of subsets 1 and 2, or of 0 where texel 0 belongs to another one, as UASTC's specification lists them.
func TestUASTC_FirstTexelsOfPatterns(t *testing.T) {
	for _, c := range []struct {
		mode, subsets int
		first         [][]int
	}{
		{2, 2, [][]int{
			{2}, {3}, {1}, {3}, {7}, {2}, {3}, {7}, {11}, {2}, {7}, {11}, {3}, {8}, {4}, {12}, {1}, {8}, {1}, {2}, {4}, {8}, {1}, {2}, {4},
			{1}, {4}, {1}, {4}, {1},
		}},
		{7, 2, [][]int{{4}, {2}, {2}, {7}, {8}, {1}, {3}, {1}, {2}, {1}, {8}, {2}, {1}, {7}, {12}, {2}, {9}, {2}, {4}}},
		{3, 3, [][]int{{8, 10}, {8, 12}, {4, 12}, {4, 8}, {2, 3}, {1, 3}, {1, 2}, {1, 9}, {1, 2}, {4, 8}, {2, 6}}},
	} {
		for i, want := range c.first {
			s, ok := seed(c.mode, uint32(i))
			of := astc.Partitions(s, c.subsets)
			var got []int
			seen := map[uint8]bool{of[0]: true}
			for k := 1; k < 16; k++ {
				if !seen[of[k]] {
					seen[of[k]] = true
					got = append(got, k)
				}
			}
			if !ok || len(got) != len(want) || got[0] != want[0] || got[len(got)-1] != want[len(want)-1] {
				t.Errorf("mode %d, pattern %d: %v, want %v", c.mode, i, got, want)
			}
		}
		if _, ok := seed(c.mode, uint32(len(c.first))); ok {
			t.Errorf("mode %d has a pattern %d", c.mode, len(c.first))
		}
	}
}

// Each code is of one mode, and 127 of 128 beginnings are codes.
func TestUASTC_Codes(t *testing.T) {
	none := 0
	for v := range 128 {
		n := 0
		for _, m := range uastcModes {
			if v&(1<<m.length-1) == int(m.code) {
				n++
			}
		}
		if n > 1 {
			t.Errorf("%#x begins %d modes", v, n)
		}
		if n == 0 {
			none++
		}
	}
	if none != 1 {
		t.Errorf("%d beginnings are no codes", none)
	}
}

func TestDecodeUASTC_ByHand(t *testing.T) {
	block := func(lo, hi uint64) []byte {
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, lo), hi)
	}
	for name, c := range map[string]struct {
		block []byte
		at    int
		want  [4]byte
	}{
		"solid":             {block(0x17|1<<5|2<<13|3<<21|4<<29, ^uint64(0)), 9, [4]byte{1, 2, 3, 4}},
		"no mode":           {block(0x45, 0), 0, magenta},
		"no pattern":        {block(0x1D|30<<20, 0), 5, magenta},
		"no pattern of 3":   {block(0x03|11<<20, 0), 5, magenta},
		"no pattern of 7":   {block(0x07|19<<20, 0), 5, magenta},
		"mode 18, low end":  {block(0x09|31<<24|31<<34|31<<44, 0), 3, [4]byte{0, 0, 0, 255}},
		"mode 18, high end": {block(0x09|31<<24|31<<34|31<<44|31<<53, 0), 1, [4]byte{255, 255, 255, 255}},
		// Four bits 1000 become six, 100010, and one is added behind the middle: 35 of 64. Bits 000001 with trit 0 stand for 255.
		"mode 0, red": {block(0x01|1<<35, 8<<4), 1, [4]byte{byte((255*257*35 + 32) >> 14), 0, 0, 255}},
	} {
		var got [64]byte
		DecodeUASTC(&got, c.block)
		if texel := [4]byte(got[4*c.at:]); texel != c.want {
			t.Errorf("%s: %v, want %v", name, texel, c.want)
		}
	}
}

func TestHuffman_Codes(t *testing.T) {
	// RFC 1951, 3.2.2: lengths (3, 3, 3, 3, 3, 2, 4, 4) make 010, 011, 100, 101, 110, 00, 1110, 1111.
	h, err := newHuffman([]uint8{3, 3, 3, 3, 3, 2, 4, 4})
	if err != nil {
		t.Fatal(err)
	}
	text := "010" + "1111" + "00" + "110" + "1110" + "011"
	var data [4]byte
	for i, c := range text {
		data[i/8] |= byte(c-'0') << (i % 8)
	}
	r := &reader{data: data[:]}
	for _, want := range []uint32{0, 7, 5, 4, 6, 1} {
		if got, err := r.symbol(h); err != nil || got != want {
			t.Errorf("%d, %v; want %d", got, err, want)
		}
	}
	// A long code: lengths 1 to 15, and 16 twice.
	var long []uint8
	for l := range 16 {
		long = append(long, uint8(l+1))
	}
	if h, err = newHuffman(append(long, 16)); err != nil {
		t.Fatal(err)
	}
	r = &reader{data: []byte{0xff, 0x7f, 0xff, 0x0f}}
	for _, want := range []uint32{15, 12} {
		if got, err := r.symbol(h); err != nil || got != want {
			t.Errorf("%d, %v; want %d", got, err, want)
		}
	}
	for name, lengths := range map[string][]uint8{"too many": {1, 1, 1}, "too few": {1, 2}} {
		if _, err := newHuffman(lengths); err == nil {
			t.Errorf("%s codes are one", name)
		}
	}
	if h, err = newHuffman([]uint8{0, 1}); err != nil {
		t.Fatal(err)
	}
	r = &reader{data: []byte{2}}
	if got, err := r.symbol(h); got != 1 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	if _, err := r.symbol(h); !errors.Is(err, errCode) {
		t.Errorf("%v", err)
	}
}

// parts cuts a file of one level and one image of package texture's tests.
func parts(t testing.TB, name string) (g Global, dst Picture, colors, alpha []byte) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "texture", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	word := func(at int) int { return int(binary.LittleEndian.Uint32(data[at:])) }
	width, height, sgd, level := word(20), word(24), word(64), word(80)
	g = Global{EndpointCount: word(sgd) & 0xffff, SelectorCount: word(sgd) >> 16}
	at := sgd + 40
	for i, p := range []*[]byte{&g.Endpoints, &g.Selectors, &g.Tables} {
		n := word(sgd + 4 + 4*i)
		*p = data[at : at+n]
		at += n
	}
	dst = Picture{width, height, make([]byte, 4*width*height)}
	colors = data[level+word(sgd+24):][:word(sgd+28)]
	if n := word(sgd + 36); n > 0 {
		alpha = data[level+word(sgd+32):][:n]
	}
	return g, dst, colors, alpha
}

func TestCodebook_Errors(t *testing.T) {
	g, dst, colors, alpha := parts(t, "etc1s-flat.ktx2")
	book, err := NewCodebook(g)
	if err != nil {
		t.Fatal(err)
	}
	if err := book.Decode(t.Context(), dst, colors, alpha); err != nil {
		t.Fatal(err)
	}
	if err := book.Decode(t.Context(), dst, colors, alpha[:len(alpha)/2]); err == nil || !strings.HasPrefix(err.Error(), "alpha: block (") {
		t.Errorf("half of alpha: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := book.Decode(ctx, dst, colors, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for cut := range len(g.Tables) {
		h := g
		if h.Tables = g.Tables[:cut]; cut < len(g.Tables)-3 {
			if _, err := NewCodebook(h); err == nil {
				t.Errorf("%d of %d bytes of tables are enough", cut, len(g.Tables))
			}
		}
	}
}

// Whatever codebooks and slices say, decoding ends with texels or an error of one line.
func FuzzBasis(f *testing.F) {
	for _, name := range []string{"etc1s.ktx2", "etc1s-flat.ktx2", "etc1s-grey.ktx2", "etc1s-one.ktx2", "etc1s-large.ktx2"} {
		g, dst, colors, alpha := parts(f, name)
		f.Add(uint16(g.EndpointCount), uint16(g.SelectorCount), g.Endpoints, g.Selectors, g.Tables, uint8(dst.Width), uint8(dst.Height), colors, alpha)
	}
	f.Fuzz(func(t *testing.T, endpointCount, selectorCount uint16, endpoints, selectors, tables []byte, width, height uint8, colors, alpha []byte) {
		book, err := NewCodebook(Global{int(endpointCount), int(selectorCount), endpoints, selectors, tables})
		if err == nil {
			dst := Picture{int(width) + 1, int(height) + 1, bytes.Repeat([]byte{7}, 4*(int(width)+1)*(int(height)+1))}
			err = book.Decode(t.Context(), dst, colors, alpha)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q", err)
		}
	})
}

// Any 16 bytes are a block; blocks of modes without alpha are opaque.
func FuzzUASTC(f *testing.F) {
	f.Add(make([]byte, UASTCBlockBytes))
	f.Add(bytes.Repeat([]byte{0xff}, UASTCBlockBytes))
	f.Fuzz(func(t *testing.T, block []byte) {
		if len(block) < UASTCBlockBytes {
			return
		}
		var dst [64]byte
		DecodeUASTC(&dst, block)
		for i, m := range uastcModes {
			if int(block[0])&(1<<m.length-1) == int(m.code) && m.components == 3 {
				for k := range 16 {
					if dst[4*k+3] != 255 {
						t.Fatalf("mode %d: texel %d has alpha %d", i, k, dst[4*k+3])
					}
				}
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	g, dst, colors, _ := parts(b, "etc1s-large.ktx2")
	book, err := NewCodebook(g)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("ETC1S", func(b *testing.B) {
		b.SetBytes(int64(dst.Width * dst.Height))
		for range b.N {
			if err := book.Decode(b.Context(), dst, colors, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("UASTC", func(b *testing.B) {
		data, err := os.ReadFile(filepath.Join("..", "..", "texture", "testdata", "uastc-modes.ktx2"))
		if err != nil {
			b.Fatal(err)
		}
		dst := Picture{120, 76, make([]byte, 4*120*76)}
		b.SetBytes(120 * 76)
		for range b.N {
			if err := DecodeUASTCPicture(b.Context(), dst, data[160:]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
