package etc2

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/assets"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/rules"
)

func block(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func codes(t Texel) (c [4]uint8) {
	for i := range c {
		c[i] = fp.FloatToUnorm8(math.Float32frombits(t[i]))
	}
	return c
}

// IMG-853: texels of a block of each mode.
func TestETC2_Vectors_IMG853(t *testing.T) {
	rules.Covers(t, "IMG-254", "IMG-840", "IMG-841", "IMG-842", "IMG-843", "IMG-844", "IMG-845", "IMG-846", "IMG-847", "IMG-853")
	type want map[int][4]uint8
	for _, v := range []struct {
		name, block string
		decode      func(*[16]Texel, []byte, bool)
		want        want
	}{
		{"individual", "9c98d2309addb25d", DecodeRGB8, want{0: {136, 136, 204, 255}, 6: {144, 76, 0, 255}, 15: {144, 76, 0, 255}}},
		{"differential", "58749b1a176f841a", DecodeRGB8, want{0: {88, 113, 154, 255}, 6: {57, 49, 148, 255}, 15: {196, 188, 255, 255}}},
		{"T", "14a11236d06badbf", DecodeRGB8, want{0: {6, 23, 40, 255}, 6: {136, 170, 17, 255}, 15: {6, 23, 40, 255}}},
		{"H", "8cfb84d3d120b93f", DecodeRGB8, want{0: {1, 137, 239, 255}, 6: {33, 169, 255, 255}, 15: {0, 137, 154, 255}}},
		{"planar", "274b14775354ad2a", DecodeRGB8, want{0: {77, 203, 195, 255}, 6: {176, 118, 176, 255}, 15: {253, 38, 158, 255}}},
		{"planar row", "1901fb660b2d1c2d", DecodeRGB8, want{0: {48, 129, 251, 255}, 1: {87, 99, 226, 255}, 2: {126, 70, 201, 255}, 3: {164, 40, 175, 255}, 15: {250, 112, 124, 255}}},
		{"A1, opaque or not", "4a440bec89b4dd09", DecodeRGB8A1, want{0: {255, 249, 191, 255}, 6: {90, 33, 33, 255}, 15: {48, 0, 0, 255}}},
		{"A1, transparent", "c9e46a44b0f1ad0a", DecodeRGB8A1, want{0: {}, 6: {214, 198, 123, 255}, 15: {197, 181, 106, 255}}},
	} {
		var dst [16]Texel
		v.decode(&dst, block(t, v.block), false)
		for k, want := range v.want {
			if got := codes(dst[k]); got != want {
				t.Errorf("%s, texel %d: %v, want %v", v.name, k, got, want)
			}
		}
	}
}

// Without the opaque flag, the third colour of the T and H modes is transparent, and the others are as they were (IMG-847).
func TestRGB8A1_TransparentPaints_TAndH_IMG847(t *testing.T) {
	rules.Covers(t, "IMG-847")
	for _, s := range []string{"14a11236d06badbf", "8cfb84d3d120b93f"} {
		b := block(t, s)
		var opaque, a1 [16]Texel
		DecodeRGB8(&opaque, b, false)
		b[3] &^= 2
		DecodeRGB8A1(&a1, b, false)
		v, seen := binary.BigEndian.Uint64(b), false
		for k := range a1 {
			want := opaque[k]
			if index(v, k&3, k>>2) == 2 {
				want, seen = Texel{}, true
			}
			if a1[k] != want {
				t.Errorf("%s, texel %d: %x, want %x", s, k, a1[k], want)
			}
		}
		if !seen {
			t.Errorf("%s has no third colour", s)
		}
	}
}

// Equal base colours count as ordered: the distance is 6, not 3 (IMG-845).
func TestRGB8_H_EqualColours_IMG845(t *testing.T) {
	rules.Covers(t, "IMG-845")
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], 7<<53|1<<51|3<<48|14<<35|1<<33) // both (0, 0, 14)
	var dst [16]Texel
	DecodeRGB8(&dst, b[:], false)
	if got := codes(dst[0]); got != [4]uint8{6, 6, 14*17 + 6, 255} {
		t.Error(got)
	}
}

func TestEAC_Vectors_IMG853(t *testing.T) {
	rules.Covers(t, "IMG-848", "IMG-849", "IMG-850", "IMG-851", "IMG-852", "IMG-853")
	b := block(t, "93227ebc6f03f291")
	var alpha, u, s [16]Texel
	DecodeRGBA8(&alpha, append(b, make([]byte, 8)...), true)
	DecodeR11(&u, b, false)
	DecodeR11(&s, b, true)
	for i, k := range []int{0, 6, 15} {
		if got := codes(alpha[k])[3]; got != []uint8{121, 143, 137}[i] {
			t.Errorf("alpha of texel %d: %d", k, got)
		}
		if want := []float32{972, 1148, 1100}[i] / 2047; u[k] != (Texel{math.Float32bits(want), 0, 0, one}) {
			t.Errorf("texel %d: %x, want %g", k, u[k], want)
		}
		if want := []float32{-1023, -904, -952}[i] / 1023; s[k] != (Texel{math.Float32bits(want), 0, 0, one}) {
			t.Errorf("texel %d, signed: %x, want %g", k, s[k], want)
		}
	}
}

func TestR11_MultiplierZero_SignedMinimum_IMG851_IMG852(t *testing.T) {
	rules.Covers(t, "IMG-851", "IMG-852")
	// Base −128, multiplier 0, table 13, all indices 0: modifier −1.
	var dst [16]Texel
	DecodeRG11(&dst, []byte{0x80, 0x0d, 0, 0, 0, 0, 0, 0, 0x10, 0x0d, 0, 0, 0, 0, 0, 0}, true)
	if want := (Texel{math.Float32bits(float32(-8*127-1) / 1023), math.Float32bits(float32(8*16-1) / 1023), 0, one}); dst[7] != want {
		t.Errorf("%x, want %x", dst[7], want)
	}
	DecodeR11(&dst, []byte{0x80, 0x0d, 0, 0, 0, 0, 0, 0}, false)
	if want := math.Float32bits(float32(8*128+4-1) / 2047); dst[7][0] != want {
		t.Errorf("%x, want %x", dst[7][0], want)
	}
}

func TestRGB8_Srgb_ColourOnly_IMG248(t *testing.T) {
	rules.Covers(t, "IMG-248", "IMG-254")
	var dst [16]Texel
	DecodeRGB8A1(&dst, block(t, "4a440bec89b4dd09"), true)
	if want := (Texel{srgb8(90), srgb8(33), srgb8(33), one}); dst[6] != want {
		t.Errorf("%x, want %x", dst[6], want)
	}
	// Each channel is its own: 1, 3 and 5 of four bits, which are 0x11, 0x33 and 0x55, and 2 more by the first table.
	for _, srgb := range []bool{false, true} {
		DecodeRGB8(&dst, []byte{0x11, 0x33, 0x55, 0, 0, 0, 0, 0}, srgb)
		want := Texel{unorm8(0x13), unorm8(0x35), unorm8(0x57), math.Float32bits(1)}
		if srgb {
			want = Texel{srgb8(0x13), srgb8(0x35), srgb8(0x57), math.Float32bits(1)}
		}
		if dst[0] != want {
			t.Errorf("sRGB %v: %x, want %x", srgb, dst[0], want)
		}
	}
}

// levels returns the levels of a KTX1 file, with their extents.
func levels(t *testing.T, name string) (data [][]byte, extents [][2]int) {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	w, h, n, at := u32(36), u32(40), u32(56), 64+u32(60)
	for range n {
		size := u32(at)
		data = append(data, b[at+4:at+4+size])
		extents = append(extents, [2]int{w, h})
		w, h, at = max(w/2, 1), max(h/2, 1), at+4+(size+3)&^3
	}
	return data, extents
}

// The twins have 8 bits a channel: exact for RGB8 and RGBA8; R11, whose grey twin was rounded to 8 bits, within a code.
func TestDecode_FilesByOthers(t *testing.T) {
	root := assets.Folder(t, "etc2")
	for _, c := range []struct {
		name   string
		bytes  int
		decode func(*[16]Texel, []byte, bool)
		within float64
	}{
		{"rgb8", 8, DecodeRGB8, 0},
		{"rgba8", 16, DecodeRGBA8, 0},
		{"r11", 8, DecodeR11, 1},
	} {
		packed, extents := levels(t, filepath.Join(root, "waffles-compressed-etc2-"+c.name+"-64x32-miptree.ktx"))
		twin, _ := levels(t, filepath.Join(root, "waffles-decompressed-etc2-"+c.name+"-64x32-miptree.ktx"))
		if len(packed) != 7 || len(twin) != 7 {
			t.Fatal(len(packed), len(twin))
		}
		worst := 0.0
		for l, src := range packed {
			w, h := extents[l][0], extents[l][1]
			for y := 0; y < h; y += 4 {
				for x := 0; x < w; x += 4 {
					var dst [16]Texel
					c.decode(&dst, src, false)
					src = src[c.bytes:]
					for k := range dst {
						i, j := x+k%4, y+k/4
						if i >= w || j >= h {
							continue
						}
						want := twin[l][4*(j*w+i):]
						for ch := range 4 {
							v := dst[k][ch]
							if c.name == "r11" && ch < 3 {
								v = dst[k][0]
							}
							d := math.Abs(255*float64(math.Float32frombits(v)) - float64(want[ch]))
							worst = max(worst, d)
						}
					}
				}
			}
		}
		t.Logf("%s: %.3f codes apart at most", c.name, worst)
		if worst > c.within+1e-4 { // 255·float32(c/255) is c but for the rounding of the float
			t.Errorf("%s: %.3f codes apart", c.name, worst)
		}
	}
}

var all = []func(*[16]Texel, []byte, bool){DecodeRGB8, DecodeRGB8A1, DecodeRGBA8, DecodeR11, DecodeRG11}

// FuzzDecode: any block is valid, every texel is written, and nothing but the block decides.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"9c98d2309addb25d", "58749b1a176f841a", "14a11236d06badbf", "8cfb84d3d120b93f", "274b14775354ad2a", "c9e46a44b0f1ad0a", "93227ebc6f03f291"} {
		b := block(f, s)
		f.Add(append(b, b...))
	}
	f.Add(make([]byte, 16))
	f.Add(bytes.Repeat([]byte{255}, 16))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 16 {
			return
		}
		for n, decode := range all {
			for _, variant := range []bool{false, true} {
				var x, y [16]Texel
				for k := range x {
					x[k] = Texel{0x7fc12345, 0x7fc12345, 0x7fc12345, 0x7fc12345}
				}
				decode(&x, b, variant)
				decode(&y, b, variant)
				if x != y {
					t.Fatalf("decoder %d: %x depends on what was in dst", n, b)
				}
				for _, texel := range x {
					for _, v := range texel {
						if f := math.Float32frombits(v); !(f >= -1 && f <= 1) {
							t.Fatalf("decoder %d: %x gives %g", n, b, f)
						}
					}
				}
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	src := make([]byte, 16*256)
	for i := range src {
		src[i] = byte(r.Uint32())
	}
	for n, name := range []string{"RGB8", "RGB8A1", "RGBA8", "R11", "RG11"} {
		b.Run(name, func(b *testing.B) {
			var dst [16]Texel
			start := rules.CPU()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				all[n](&dst, src[i%256*16:], false)
			}
			b.ReportMetric(float64(16*b.N)/1e6/(rules.CPU()-start).Seconds(), "Mtexels/s")
		})
	}
}

// All numbers of all tables, with a base of 128 and a multiplier of 1: (8·128 + 4 + 8·m) / 2047. Index k is at texel k of the first two columns.
func TestEAC_Tables_IMG848(t *testing.T) {
	rules.Covers(t, "IMG-848")
	for table, row := range [16][8]int{
		{-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12}, {-2, -5, -8, -13, 1, 4, 7, 12}, {-2, -4, -6, -13, 1, 3, 5, 12},
		{-3, -6, -8, -12, 2, 5, 7, 11}, {-3, -7, -9, -11, 2, 6, 8, 10}, {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},
		{-2, -6, -8, -10, 1, 5, 7, 9}, {-2, -5, -8, -10, 1, 4, 7, 9}, {-2, -4, -8, -10, 1, 3, 7, 9}, {-2, -5, -7, -10, 1, 4, 6, 9},
		{-3, -4, -7, -10, 2, 3, 6, 9}, {-1, -2, -3, -10, 0, 1, 2, 9}, {-4, -6, -8, -9, 3, 5, 7, 8}, {-3, -5, -7, -9, 2, 4, 6, 8},
	} {
		v := 128<<56 | 1<<52 | uint64(table)<<48
		for k := range uint64(8) {
			v |= k << (45 - 3*k)
		}
		var dst [16]Texel
		DecodeR11(&dst, binary.BigEndian.AppendUint64(nil, v), false)
		for k, m := range row {
			if want := float32(8*128+4+8*m) / 2047; dst[k&3*4+k>>2][0] != math.Float32bits(want) {
				t.Errorf("table %d, index %d: %g, want %g", table, k, math.Float32frombits(dst[k&3*4+k>>2][0]), want)
			}
		}
	}
}
