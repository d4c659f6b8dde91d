package astc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/assets"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// footprints are all 14 of 2D and all 10 of 3D.
var footprints = []Footprint{
	{4, 4, 1}, {5, 4, 1}, {5, 5, 1}, {6, 5, 1}, {6, 6, 1}, {8, 5, 1}, {8, 6, 1}, {8, 8, 1}, {10, 5, 1}, {10, 6, 1}, {10, 8, 1}, {10, 10, 1},
	{12, 10, 1}, {12, 12, 1},
	{3, 3, 3}, {4, 3, 3}, {4, 4, 3}, {4, 4, 4}, {5, 4, 4}, {5, 5, 4}, {5, 5, 5}, {6, 5, 5}, {6, 6, 5}, {6, 6, 6},
}

func float(f float64) uint32 { return math.Float32bits(float32(f)) }

func TestVoidExtent_Colour_IMG876_IMG878(t *testing.T) {
	rules.Covers(t, "IMG-876", "IMG-878")
	b := bytesOf(t, "fcfdffffffffffff34120080ffff00ff") // 1234 8000 FFFF FF00
	var dst [16]Texel
	for _, c := range []struct {
		p    Profile
		m    Mode
		want Texel
	}{
		// 1234 = 1.0010001101₂·2¹² keeps 11 bits: 1234. FF00 too.
		{ProfileUnorm, ModeFloat16, Texel{float(0x1234 / 65536.), float(0.5), one, float(0xff00 / 65536.)}},
		{ProfileFloat, ModeFloat16, Texel{float(0x1234 / 65536.), float(0.5), one, float(0xff00 / 65536.)}},
		{ProfileUnorm, ModeUnorm8, Texel{float(0x12 / 255.), float(128 / 255.), one, one}},
		{ProfileSrgb, ModeFloat16, Texel{math.Float32bits(fp.SrgbToLinear(0x12)), math.Float32bits(fp.SrgbToLinear(0x80)), one, one}},
		// One is 65536·2⁻¹⁶: nine bits of 2⁻⁸ each from there.
		{ProfileUnorm, ModeSharedExponent, Texel{float(0x12 / 256.), float(0.5), one, one}},
	} {
		Decode(dst[:], b, Footprint{4, 4, 1}, c.p, c.m)
		if dst[0] != c.want || dst[15] != c.want {
			t.Errorf("profile %d, mode %d: %x, want %x", c.p, c.m, dst[0], c.want)
		}
	}
}

func TestVoidExtent_HDR_OnlyInFloat_IMG876(t *testing.T) {
	rules.Covers(t, "IMG-876")
	b := bytesOf(t, "fcffffffffffffff003c00c00000007c") // 1, −2, 0, Inf
	var dst [16]Texel
	Decode(dst[:], b, Footprint{4, 4, 1}, ProfileFloat, ModeFloat16)
	if want := (Texel{one, float(-2), 0, 0x7f800000}); dst[7] != want {
		t.Errorf("%x, want %x", dst[7], want)
	}
	for _, p := range []Profile{ProfileUnorm, ProfileSrgb} {
		if Decode(dst[:], b, Footprint{4, 4, 1}, p, ModeFloat16); dst[7] != magenta {
			t.Errorf("profile %d: %x", p, dst[7])
		}
	}
}

func TestVoidExtent_Extents_IMG876_IMG880(t *testing.T) {
	rules.Covers(t, "IMG-876", "IMG-880")
	for _, c := range []struct {
		block string
		depth int
		legal bool
	}{
		{"fcf5ffffffffffff34120080ffff00ff", 1, false}, // a reserved bit is 0
		{"fc0d000000000000" + "0000000000000000", 1, false},
		{"fc01000000000000" + "0000000000000000", 4, false},
		{"fcfdffffffffffff" + "0000000000000000", 4, true},
		{fmt.Sprintf("%016x", swap(0x1fc|3<<10|1<<25|1<<51)) + "0000000000000000", 1, true},
		{fmt.Sprintf("%016x", swap(0x1fc|3<<10|1<<25|1<<38|1<<51)) + "0000000000000000", 1, false}, // t: 1 to 1
		{fmt.Sprintf("%016x", swap(0x1fc|1<<19|1<<37|2<<55)) + "0000000000000000", 4, true},
		{fmt.Sprintf("%016x", swap(0x1fc|1<<19|1<<37)) + "0000000000000000", 4, false}, // r is empty
	} {
		var b block
		if got := b.parse(newStream(bytesOf(t, c.block)), Footprint{4, 4, c.depth}, ProfileUnorm); got != c.legal {
			t.Errorf("%s: legal %v", c.block, got)
		}
	}
}

func swap(x uint64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	return binary.BigEndian.Uint64(b[:])
}

func TestPartition_Vectors_IMG872_IMG873_IMG881(t *testing.T) {
	rules.Covers(t, "IMG-872", "IMG-873")
	for p, want := range map[uint32]uint32{0: 0, 1: 0x0C46F563, 1024: 0xBD3D4343, 3071: 0x824DF797} {
		if got := hash52(p); got != want {
			t.Errorf("hash52(%d) = %08x, want %08x", p, got, want)
		}
	}
	for _, c := range []struct {
		seed  uint32
		count int
		f     Footprint
		want  []string
	}{
		{7, 2, Footprint{4, 4, 1}, []string{"1100", "0001", "1001", "1001"}},
		{100, 3, Footprint{8, 8, 1}, []string{"22122222", "21222222"}},
	} {
		p := newPartitioner(c.seed, c.count, c.f)
		for y, row := range c.want {
			for x := range row {
				if got := p.of(x, y, 0); got != int(row[x]-'0') {
					t.Errorf("seed %d at (%d, %d): %d", c.seed, x, y, got)
				}
			}
		}
	}
}

// Illegal blocks are opaque magenta in every profile (IMG-863).
func TestDecode_Illegal_Magenta_IMG863(t *testing.T) {
	rules.Covers(t, "IMG-863")
	for _, c := range []struct {
		name string
		low  uint64
		f    Footprint
	}{
		{"reserved, all zero", 0, Footprint{4, 4, 1}},
		{"range selector 1", 1 << 4, Footprint{4, 4, 1}},
		{"reserved grid", 0x184 | 2<<5, Footprint{12, 12, 1}},
		{"grid wider than the block", 0x13 | 3<<7, Footprint{4, 4, 1}},                   // 7×2
		{"grid deeper than the block", 0x13 | 3<<2, Footprint{4, 4, 4}},                  // 2×2×5
		{"two planes with four partitions", 0x53 | 1<<10 | 3<<11, Footprint{4, 4, 1}},    // 4×4
		{"81 weights", 0x104 | 3<<5 | 3<<9, Footprint{12, 12, 1}},                        // 9×9
		{"11 bits of weights", 0x01 | 1<<4 | 0<<5, Footprint{4, 4, 1}},                   // 4×2 trits: 13 bits
		{"too many colour numbers", 0x53 | 3<<11 | 0<<23 | 12<<25, Footprint{12, 12, 1}}, // 4 · 8
	} {
		var src [16]byte
		binary.LittleEndian.PutUint64(src[:], c.low)
		var dst [maxTexels]Texel
		for _, p := range []Profile{ProfileUnorm, ProfileSrgb, ProfileFloat} {
			Decode(dst[:], src[:], c.f, p, ModeFloat16)
			for k := range c.f.Width * c.f.Height * c.f.Depth {
				if dst[k] != magenta {
					t.Errorf("%s, profile %d: texel %d is %x", c.name, p, k, dst[k])
					break
				}
			}
		}
	}
}

// legal is IMG-860 … IMG-866 for a block of one plane of texels: whether its lowest 29 bits make a block.
func legal(low uint64, w, h int) bool {
	field := func(hi, lo uint) int { return int(low >> lo & (1<<(hi-lo+1) - 1)) }
	a, b := field(8, 7), field(6, 5)
	gw, gh, rho, precise, dual := 0, 0, field(1, 0)<<1|field(4, 4), field(9, 9), field(10, 10)
	switch {
	case field(1, 0) != 0:
		switch field(3, 2) {
		case 0:
			gw, gh = a+4, b+2
		case 1:
			gw, gh = a+8, b+2
		case 2:
			gw, gh = b+2, a+8
		default:
			if gw, gh = b+2, a+6; a >= 2 {
				gw, gh = a-2+2, b+2
			}
		}
	case field(3, 2) == 0:
		return false
	default:
		rho = field(3, 2)<<1 | field(4, 4)
		switch {
		case a == 0:
			gw, gh = 12, b+2
		case a == 1:
			gw, gh = b+2, 12
		case a == 2:
			gw, gh, precise, dual = b+6, field(10, 9)+6, 0, 0
		case b == 0:
			gw, gh = 6, 10
		case b == 1:
			gw, gh = 10, 6
		default:
			return false
		}
	}
	if rho < 2 {
		return false
	}
	// Trits, quints and bits of a weight.
	q := [2][6][3]int{{{0, 0, 1}, {1, 0, 0}, {0, 0, 2}, {0, 1, 0}, {1, 0, 1}, {0, 0, 3}}, {{0, 1, 1}, {1, 0, 2}, {0, 0, 4}, {0, 1, 2}, {1, 0, 3}, {0, 0, 5}}}[precise][rho-2]
	n := gw * gh * (1 + dual)
	weights := (8*n+4)/5*q[0] + (7*n+2)/3*q[1] + n*q[2]
	parts := field(12, 11) + 1
	if n > 64 || weights < 24 || weights > 96 || gw > w || gh > h || dual == 1 && parts == 4 {
		return false
	}
	room, numbers := 128-weights-2*dual, 0
	if parts == 1 {
		room, numbers = room-17, 2*(field(16, 13)/4+1)
	} else if room -= 29; field(24, 23) == 0 {
		numbers = parts * 2 * (field(28, 25)/4 + 1)
	} else {
		room -= 3*parts - 4
		for i := range parts { // the upper bits of F are 0 here
			numbers += 2 * (field(24, 23) - 1 + field(28, 25)>>i&1 + 1)
		}
	}
	return numbers <= 18 && room >= (13*numbers+4)/5
}

// Every block mode, with endpoints of few and of many numbers, in one partition to four: errors are what the rules say.
func TestDecode_EveryMode_LegalOrMagenta_IMG863(t *testing.T) {
	rules.Covers(t, "IMG-860", "IMG-861", "IMG-862", "IMG-863", "IMG-864", "IMG-866")
	count := [2]int{}
	for _, f := range []Footprint{{4, 4, 1}, {8, 5, 1}, {10, 10, 1}, {12, 12, 1}} {
		for mode := range uint64(1 << 11) {
			if mode&0x1ff == 0x1fc {
				continue // a void extent
			}
			for more := range uint64(64 + 4) {
				low := mode | (more&63)<<13 // one partition
				if more >= 16 {             // two to four, and what selects their endpoint modes
					low = mode | (1+more%3)<<11 | (more/3&3)<<23 | (more*5&15)<<25
				}
				var src [16]byte
				binary.LittleEndian.PutUint64(src[:], low)
				var b block
				got, want := b.parse(newStream(src[:]), f, ProfileFloat), legal(low, f.Width, f.Height)
				if got != want {
					t.Fatalf("%v, %#x: legal %v, want %v", f, low, got, want)
				}
				if want {
					count[1]++
				} else {
					count[0]++
				}
			}
		}
	}
	if count[0] < 10000 || count[1] < 10000 {
		t.Errorf("%d errors, %d blocks", count[0], count[1])
	}
}

// HDR endpoints in LDR formats are errors of their partition's texels alone (IMG-879).
func TestDecode_HDREndpoints_LDRProfile_PartitionOnly_IMG879(t *testing.T) {
	rules.Covers(t, "IMG-879")
	src := bytesOf(t, "02cabcd07900b0ca298df7374e8bc8fa") // two partitions, the second one HDR
	var ldr, hdr, rgb9, unorm [16]Texel
	f := Footprint{4, 4, 1}
	Decode(ldr[:], src, f, ProfileUnorm, ModeFloat16)
	Decode(hdr[:], src, f, ProfileFloat, ModeFloat16)
	Decode(rgb9[:], src, f, ProfileFloat, ModeSharedExponent)
	Decode(unorm[:], src, f, ProfileFloat, ModeUnorm8)
	errors := 0
	for k := range ldr {
		if ldr[k] == magenta {
			errors++
			if unorm[k] != magenta {
				t.Errorf("texel %d: HDR in 8 bits", k)
			}
		} else if ldr[k] != hdr[k] {
			t.Errorf("texel %d: %x and %x", k, ldr[k], hdr[k])
		}
		for c := range 3 {
			v, w := math.Float32frombits(hdr[k][c]), math.Float32frombits(rgb9[k][c])
			if w > v || v-w > v/256+0x1p-16 {
				t.Errorf("texel %d, component %d: %g with a shared exponent, %g", k, c, w, v)
			}
		}
	}
	if errors == 0 || errors == 16 || ldr[0] == magenta || ldr[15] != magenta {
		t.Errorf("%d error texels", errors)
	}
}

// IMG-875, mode 3: a step of luminance that leaves 12 bits ends at the largest number, in each range.
func TestReadHDR_IMG875_Clamps(t *testing.T) {
	rules.Covers(t, "IMG-875")
	for _, c := range []struct {
		v         [8]int32
		low, high uint32
	}{
		{[8]int32{0x7f, 0xff}, 0xffe, 0xfff}, {[8]int32{0x7f, 0xf0}, 0xffe, 0xffe}, {[8]int32{0x01, 0x03}, 2, 8},
		{[8]int32{0xff, 0xff}, 0xffc, 0xfff}, {[8]int32{0xff, 0xe0}, 0xffc, 0xffc}, {[8]int32{0x81, 0x21}, 0x204, 0x208},
	} {
		low, high, hdr := readHDR(&c.v, 3)
		want := [2]color{grey(int32(c.low), oneHDR), grey(int32(c.high), oneHDR)}
		if low != want[0] || high != want[1] || hdr != hdrRGB|hdrAlpha {
			t.Errorf("%x: %x to %x, want %x to %x", c.v[:2], low, high, c.low, c.high)
		}
	}
}

// IMG-878: truncation to half floats, never upward.
func TestFraction_EveryCode_TruncatedHalf_IMG878(t *testing.T) {
	rules.Covers(t, "IMG-878")
	for c := range uint32(65536) {
		got := math.Float32frombits(fraction(c))
		want := float32(c) / 65536
		h := fp.FloatToHalf(want)
		if fp.HalfToFloat(h) > want {
			h--
		}
		if c == 65535 {
			h = 0x3c00
		}
		if got != fp.HalfToFloat(h) {
			t.Fatalf("%d: %g, want %g", c, got, fp.HalfToFloat(h))
		}
	}
}

// Shared exponents (IMG-883) agree with what truncation to nine bits gives.
func TestShared_LDR_Truncates_IMG883(t *testing.T) {
	rules.Covers(t, "IMG-883")
	for _, c := range [][4]uint32{{65535, 0, 1}, {256, 128, 1}, {40000, 20000, 100}, {1, 1, 1}, {0, 0, 0}, {3, 2, 1}} {
		top := max(c[0], c[1], c[2], 1)
		if top == 65535 {
			top = 65536
		}
		// Nine bits, the highest of which is the largest component's.
		unit := math.Exp2(math.Floor(math.Log2(float64(top))) - 8)
		got := shared(c, 0)
		for i := range 3 {
			v := float64(c[i])
			if v == 65535 {
				v++
			}
			if want := float(math.Floor(v/unit) * unit / 65536); got[i] != want {
				t.Errorf("%v: component %d is %g, want %g", c, i, math.Float32frombits(got[i]), math.Float32frombits(want))
			}
		}
	}
}

// Half floats lose bits below the ninth of the largest (IMG-883).
func TestShared_HDR_Truncates_IMG883(t *testing.T) {
	rules.Covers(t, "IMG-883")
	r := rand.New(rand.NewPCG(11, 12))
	for n := range 2000 {
		c := [4]uint32{r.Uint32N(0x7c00), r.Uint32N(0x7c00), r.Uint32N(0x7c00)}
		if n%4 == 0 { // denormals
			c = [4]uint32{r.Uint32N(0x400), r.Uint32N(0x400), r.Uint32N(0x400)}
		}
		unit := 0x1p-24
		if top := max(c[0], c[1], c[2]); top >= 0x400 {
			unit = math.Ldexp(1, int(top>>10)-23)
		} else if top >= 0x200 {
			unit = 0x1p-23
		}
		got := shared(c, hdrRGB|hdrAlpha)
		for i := range 3 {
			if want := float(math.Floor(float64(fp.HalfToFloat(uint16(c[i])))/unit) * unit); got[i] != want || got[3] != one {
				t.Fatalf("%04x: component %d is %g, want %g", c, i, math.Float32frombits(got[i]), math.Float32frombits(want))
			}
		}
	}
	// Infinity is the largest number, NaN and negative numbers are 0.
	if got := shared([4]uint32{0x7c00, 0x7e00, 0xbc00, 0}, hdrRGB); got != (Texel{float(511. / 512 * 65536), 0, 0, one}) {
		t.Errorf("%x", got)
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

// The twins are RGB: bytes in LDR, half floats in HDR, rows padded to 4 bytes. Both are exact.
func TestDecode_FilesByOthers(t *testing.T) {
	root := assets.Folder(t, "astc")
	for _, c := range []struct {
		name string
		f    Footprint
		hdr  bool
	}{
		{"ldrl/waffles-4x4", Footprint{4, 4, 1}, false}, {"ldrl/waffles-8x6", Footprint{8, 6, 1}, false},
		{"hdr/waffles-6x6", Footprint{6, 6, 1}, true},
	} {
		packed, extents := levels(t, filepath.Join(root, "compressed", c.name+".ktx"))
		twin, _ := levels(t, filepath.Join(root, "decompressed", c.name+".ktx"))
		bad, texels := 0, 0
		for l, src := range packed {
			w, h := extents[l][0], extents[l][1]
			for y := 0; y < h; y += c.f.Height {
				for x := 0; x < w; x += c.f.Width {
					var dst [maxTexels]Texel
					p := ProfileUnorm
					if c.hdr {
						p = ProfileFloat
					}
					Decode(dst[:], src, c.f, p, ModeFloat16)
					src = src[16:]
					for k := range c.f.Width * c.f.Height {
						i, j := x+k%c.f.Width, y+k/c.f.Width
						if i >= w || j >= h {
							continue
						}
						texels++
						for ch := range 3 {
							var got, want uint32
							if c.hdr {
								got = uint32(fp.FloatToHalf(math.Float32frombits(dst[k][ch])))
								want = uint32(binary.LittleEndian.Uint16(twin[l][j*((6*w+3)&^3)+6*i+2*ch:]))
							} else {
								got = uint32(fp.FloatToUnorm8(math.Float32frombits(dst[k][ch])))
								want = uint32(twin[l][j*((3*w+3)&^3)+3*i+ch])
							}
							if got != want {
								if bad++; bad < 4 {
									t.Errorf("%s, level %d at (%d, %d), component %d: %04x, want %04x", c.name, l, i, j, ch, got, want)
								}
							}
						}
					}
				}
			}
		}
		t.Logf("%s: %d texels, %d components differ", c.name, texels, bad)
	}
}

// FuzzDecode: any block is valid in any footprint, every texel is written, nothing but the block decides, and LDR stays in [0, 1].
func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		b := make([]byte, 16)
		binary.LittleEndian.PutUint64(b, r.Uint64())
		binary.LittleEndian.PutUint64(b[8:], r.Uint64())
		f.Add(b)
	}
	f.Add(make([]byte, 16))
	f.Add(bytes.Repeat([]byte{255}, 16))
	f.Add(bytesOf(f, "fcfdffffffffffff34120080ffff00ff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 16 {
			return
		}
		for _, fp := range footprints {
			n := fp.Width * fp.Height * fp.Depth
			for _, p := range []Profile{ProfileUnorm, ProfileSrgb, ProfileFloat} {
				for _, m := range []Mode{ModeFloat16, ModeUnorm8, ModeSharedExponent} {
					var x, y [maxTexels]Texel
					for k := range x {
						x[k] = Texel{0xffc12345, 0xffc12345, 0xffc12345, 0xffc12345}
					}
					Decode(x[:n], b, fp, p, m)
					Decode(y[:n], b, fp, p, m)
					for k := range n {
						if x[k] != y[k] {
							t.Fatalf("%v: %x depends on what was in dst", fp, b)
						}
						for _, v := range x[k] {
							if f := math.Float32frombits(v); p != ProfileFloat && !(f >= 0 && f <= 1) {
								t.Fatalf("%v: %x gives %g", fp, b, f)
							}
						}
					}
				}
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, f := range []Footprint{{4, 4, 1}, {6, 6, 1}, {8, 8, 1}, {12, 12, 1}, {4, 4, 4}} {
		// Random blocks that are legal.
		var src []byte
		for len(src) < 16*256 {
			var v [16]byte
			binary.LittleEndian.PutUint64(v[:], r.Uint64())
			binary.LittleEndian.PutUint64(v[8:], r.Uint64())
			var x block
			if x.parse(newStream(v[:]), f, ProfileFloat) {
				src = append(src, v[:]...)
			}
		}
		for p, name := range []string{"UNORM", "SRGB", "SFLOAT"} {
			b.Run(fmt.Sprintf("%dx%dx%d_%s", f.Width, f.Height, f.Depth, name), func(b *testing.B) {
				var dst [maxTexels]Texel
				start := rules.CPU()
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					Decode(dst[:], src[i%256*16:], f, Profile(p), ModeFloat16)
				}
				b.ReportMetric(float64(f.Width*f.Height*f.Depth*b.N)/1e6/(rules.CPU()-start).Seconds(), "Mtexels/s")
			})
		}
	}
}
