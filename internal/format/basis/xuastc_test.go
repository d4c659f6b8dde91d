package basis

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format/astc"
)

func none([]byte, int64, int64) ([]byte, error) { return nil, errors.New("nothing is inflated") }

// A stream whose first number is known: bits are the upper ones of a number of 32 bits, all but.
func TestArith_Bits(t *testing.T) {
	d := newArith([]byte{0xA5, 0x40, 0, 0, 0})
	for i, want := range []uint32{1, 0, 1, 0, 0, 1, 0, 1} {
		if got := d.bits(1); got != want {
			t.Errorf("bit %d is %d", i, got)
		}
	}
	// Below 5, 2 bits of 0 to 2 are all, and 3 has another one: 01, then 110.
	d = newArith([]byte{0x70, 0, 0, 0, 0})
	if a, b := d.truncated(5), d.truncated(5); a != 1 || b != 3 {
		t.Errorf("%d and %d, want 1 and 3", a, b)
	}
	if d = newArith([]byte{1, 2, 3, 4, 5}); d.bits(16) != 0x102 || d.over != 1 {
		t.Errorf("%d bytes behind the end were read, want 1", d.over)
	}
}

// What models say after they counted: 4 equal symbols, then one of 5 more often.
func TestArith_Models(t *testing.T) {
	m := newSymbolModel(4, false)
	if want := []uint32{0, 8192, 16384, 24576, 32768}; !slices.Equal(m.below, want) || m.left != 5 {
		t.Errorf("%v, %d", m.below, m.left)
	}
	// 0xC0 in the upper byte is the last quarter, which stays so until five symbols were read.
	d := newArith([]byte{0xFF, 0xFF, 0xFF, 0xFE, 0})
	for range 5 {
		if s := d.symbol(m); s != 3 {
			t.Fatalf("symbol %d", s)
		}
	}
	// Counts are 1, 1, 1 and 6 of 9: ⌊2³¹/9⌋ · n / 2¹⁶.
	if want := []uint32{0, 3640, 7281, 10922, 32768}; !slices.Equal(m.below, want) || m.left != 6 {
		t.Errorf("%v, %d; want %v, 6", m.below, m.left, want)
	}
	if q := newSymbolModel(64, true); q.left != 8 {
		t.Errorf("a quick model is renewed after %d", q.left)
	}
	b := newBitModel()
	d = newArith([]byte{0, 0, 0, 0, 0})
	for range 4 {
		if d.bit(&b) {
			t.Fatal("1")
		}
	}
	if b.zero != 5*(1<<31/6)>>18 || b.left != 5 {
		t.Errorf("%d of 8192, renewed after %d", b.zero, b.left)
	}
	// 4, 5, 6, 7, 8, 10, 12, 15 and so on, but 128 at most.
	for range 30 {
		b.renew()
	}
	if b.left != 128 {
		t.Errorf("renewed after %d", b.left)
	}
	// Halves of 8192 and 8191 are the same, rounded up; a 1 stays possible.
	b.all, b.zeros = 8192, 8191
	if b.renew(); b.all != 4097 || b.zeros != 4096 || b.zero != 4096*(1<<31/4097)>>18 {
		t.Errorf("%+v", b)
	}
	if n := newArith([]byte{0, 0, 0, 0, 0}).gamma(newGammaModel()); n != 1 {
		t.Errorf("%d in gamma code", n)
	}
	if n := newArith([]byte{255, 255, 255, 255, 255, 255, 255, 255}).gamma(newGammaModel()); n != 0 {
		t.Errorf("%d without end", n)
	}
}

// 12×12 has all 10,311 configurations, in the order of the numbers that Basis Universal packs them into; all are blocks.
func TestXUASTC_Modes(t *testing.T) {
	last := -1
	list := modesOf(13).list
	if len(list) != 10311 {
		t.Errorf("%d modes", len(list))
	}
	cems := map[uint8]int{0: 0, 4: 1, 6: 2, 8: 3, 10: 4, 12: 5}
	for i, m := range list {
		n := (int(m.width)-2)*11 + int(m.height) - 2
		n = n<<3 | cems[m.cem]
		n = n<<2 | (int(m.subsets) - 1)
		n = n<<3 | (int(m.second) + 1)
		n = n<<4 | int(m.weights)
		n = n<<5 | (int(m.colors) - 4)
		if n <= last {
			t.Fatalf("mode %d, %+v, is out of order", i, m)
		}
		last = n
		p := m.parts()
		var block [16]byte
		if !p.Pack(block[:]) {
			t.Fatalf("mode %d, %+v, is no block", i, m)
		}
	}
	if m := list[0]; m != (xuastcMode{2, 2, 8, 1, 3, 5, 20}) && m.cem != 4 {
		t.Errorf("%+v is the first mode", m)
	}
	for i, s := range xuastcSizes {
		n := 0
		for _, group := range modesOf(i).kinds {
			n += len(group)
		}
		if n != len(modesOf(i).list) || int(s[0])*int(s[1]) < 16 {
			t.Errorf("%d × %d: %d modes in groups of %d", s[0], s[1], n, len(modesOf(i).list))
		}
	}
}

func TestPredict(t *testing.T) {
	for _, c := range []struct {
		name      string
		from, cem uint8
		contract  bool
		src, want []uint8
	}{
		{"the same", cemRGB, cemRGB, false, []uint8{1, 2, 3, 4, 5, 6}, []uint8{1, 2, 3, 4, 5, 6}},
		{"alpha goes", cemRGBA, cemRGB, false, []uint8{1, 2, 3, 4, 5, 6, 7, 8}, []uint8{1, 2, 3, 4, 5, 6}},
		{"alpha comes", cemRGB, cemRGBA, false, []uint8{1, 2, 3, 4, 5, 6}, []uint8{1, 2, 3, 4, 5, 6, 255, 255}},
		{"alpha comes with an offset", cemRGBOffset, cemRGBAOffset, false, []uint8{1, 2, 3, 4, 5, 6}, []uint8{1, 2, 3, 4, 5, 6, 255, 128}},
		{"grey", cemRGB, cemLuminance, false, []uint8{30, 90, 60, 120, 91, 150}, []uint8{60, 120}}, // (181 + 1)/3, (360 + 1)/3
		{"grey and alpha", cemRGBA, cemLuminanceAlpha, false, []uint8{30, 90, 60, 120, 90, 150, 9, 8}, []uint8{60, 120, 9, 8}},
		// 90·30 + 120·60 + 150·90 = 23400 of 45000: 532 of 1024, 133 of 256.
		{"a scale", cemRGB, cemBaseScale, false, []uint8{30, 90, 60, 120, 90, 150}, []uint8{90, 120, 150, 133}},
		{"a scale and alphas", cemRGBA, cemBaseScaleAlpha, false, []uint8{30, 90, 60, 120, 90, 150, 9, 8}, []uint8{90, 120, 150, 133, 8, 9}},
		{"black has the largest scale", cemLuminance, cemBaseScale, false, []uint8{0, 0}, []uint8{0, 0, 0, 255}},
		// Greys stay as they are when their blue is contracted; the higher one comes first.
		{"contracted", cemLuminance, cemRGB, true, []uint8{50, 200}, []uint8{200, 50, 200, 50, 200, 50}},
		{"not contracted", cemLuminance, cemRGB, false, []uint8{200, 50}, []uint8{50, 200, 50, 200, 50, 200}},
		{"contracted and equal", cemLuminance, cemRGB, true, []uint8{50, 50}, []uint8{50, 49, 50, 50, 50, 50}},
		{"contracted and black", cemLuminance, cemRGB, true, []uint8{0, 0}, []uint8{1, 0, 0, 0, 0, 0}},
		// 2 · 100 − 60 = 140, and 2 · 10 − 60 is cut to 0.
		{"contracted colours", cemLuminanceAlpha, cemRGBA, true, []uint8{60, 60, 1, 2}, []uint8{60, 59, 60, 60, 60, 60, 2, 1}},
		// Offsets of 31, 31, 31: bases are doubled, bit 7 of 200 goes to its offset.
		{"offsets", cemLuminance, cemRGBOffset, false, []uint8{200, 255}, []uint8{144, 190, 144, 190, 144, 190}},
		{"offsets of 3", cemLuminance, cemRGBOffset, false, []uint8{20, 23}, []uint8{40, 6, 40, 6, 40, 6}},
		{"offsets contracted", cemLuminance, cemRGBOffset, true, []uint8{20, 23}, []uint8{46, 0x7a, 46, 0x7a, 46, 0x7a}}, // −3
		{"offsets contracted and equal", cemLuminance, cemRGBOffset, true, []uint8{20, 20}, []uint8{40, 0, 40, 0, 40, 0x7e}},
		// 40 and −40 are cut to 31 and −32, whose sum is below 0 in either order, so that both are cut alike.
		{"offsets cut alike", cemRGB, cemRGBOffset, false, []uint8{100, 140, 140, 100, 50, 50}, []uint8{200, 62, 24, 194, 100, 0}},
	} {
		got := make([]uint8, len(c.want))
		if predict(got, c.cem, 20, c.src, c.from, 20, c.contract); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	// Six levels: 0, 51, 102, 153, 204, 255. Contraction stays: 100 > 99, both are nearest to 102.
	scale := astc.ColorScale(4)
	got := make([]uint8, 6)
	if predict(got, cemRGB, 4, []uint8{100, 99, 100, 100, 100, 100}, cemRGB, 20, false); scale.Values[got[0]] != 102 || scale.Values[got[1]] != 51 || scale.Values[got[3]] != 102 {
		t.Errorf("%v in six levels", got)
	}
	// Offsets −1, −1 and 5 become −13, −13 and 0 in six levels, and their sum negative: the third one goes up to 25, then the first one
	// to 0.
	predict(got, cemRGBOffset, 4, []uint8{100, 0x7E, 100, 0x7E, 100, 10}, cemRGBOffset, 20, false)
	for i, want := range []uint8{102, 0, 102, 102, 102, 51} {
		if scale.Values[got[i]] != want {
			t.Errorf("offsets: number %d is %d, want %d", i, scale.Values[got[i]], want)
		}
	}
}

func TestDCT_ByHand(t *testing.T) {
	if got, want := zigzag(3, 2), []uint8{0, 1, 3, 4, 2, 5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for n := 2; n <= 12; n++ {
		for k := range n {
			for x := range n {
				want := math.Cos(math.Pi*float64((2*x+1)*k)/float64(2*n)) * math.Sqrt(2/float64(n))
				if k == 0 {
					want = math.Sqrt(1 / float64(n))
				}
				if got := float64(cosines()[n][k*n+x]); math.Abs(got-want) > 2e-6 {
					t.Errorf("%d of %d at %d: %v, want %v", k, n, x, got, want)
				}
			}
		}
	}
	if c := cosines()[3][1*3+1]; c != 0 {
		t.Errorf("the middle of three is %v", c)
	}
	// Quality 10 is five times as coarse, 14 is the least distance.
	if s := newDCTStep(10, 8, 8, 3, 11); s.scale < 5*64/14.*1.073 || s.scale > 5*64/14.*1.074 {
		t.Errorf("a scale of %v", s.scale)
	}
	// Quality 50 has JPEG's table as it is, here made finer by 64/64 and coarser by 1.07348967; (1, 0) of blocks of 8 is 11.
	s := newDCTStep(50, 8, 8, 64, 11)
	if got := s.at(1, 0); got != 12 {
		t.Errorf("a step of %v", got)
	}
	if a, b, c := s.value(-2, 1, 0), s.value(-2, 2, 0), s.value(0, 2, 0); a != -24 || b != -2*11-5.5 || c != 0 { // 10 · 1.07 is 11
		t.Errorf("%v, %v, %v", a, b, c)
	}
	if s = newDCTStep(100, 4, 4, 1, 0); s.at(3, 3) != 1 {
		t.Errorf("a step of %v in the best quality", s.at(3, 3))
	}
	// A mean of 32 and one coefficient of 2 × 2: ±1/2 of it.
	var coefficients [64]float32
	coefficients[1] = 40
	var dst [4]uint8
	dctWeights(dst[:], 1, 2, 2, 32, &coefficients, astc.WeightScale(11))
	scale := astc.WeightScale(11)
	if dst != [4]uint8{scale.Nearest[52], scale.Nearest[12], scale.Nearest[52], scale.Nearest[12]} {
		t.Errorf("%v", dst)
	}
}

// xuHeader begins a slice of 8 × 8 texels in blocks of 4 × 4 in Zstandard's syntax, of which nothing is inflated: 4 blocks.
func xuHeader(modes, solids []byte, raw *writer) []byte {
	raw.put(xuastcMarker, 5).put(0, 4).put(0, 1).put(8, 16).put(8, 16).put(0, 1).put(0, 1)
	raw.put(xuastcEnd, 8)
	data := append([]byte{xuastcZstd}, make([]byte, 4*21)...)
	parts := [][]byte{raw.data, modes, solids}
	for i, p := range parts {
		data[1+4*i] = byte(len(p))
		data = append(data, p...)
	}
	return data
}

func TestXUASTC_ByHand(t *testing.T) {
	copyOf := func(src []byte, _, most int64) ([]byte, error) { return src, nil }
	// A block of one colour, a run of one, the difference to it, and a run in the second row.
	s := XUASTC{8, 8, 4, 4, xuHeader([]byte{3, 1, 3, 1}, []byte{10, 20, 30, 1, 255, 0}, new(writer)), copyOf}
	dst := make([]byte, 4*16)
	if err := s.Decode(t.Context(), dst); err != nil {
		t.Fatal(err)
	}
	for i, c := range [][4]uint16{{10, 20, 30, 255}, {10, 20, 30, 255}, {11, 19, 30, 255}, {11, 19, 30, 255}} {
		var want [16]byte
		for k := range c {
			c[k] *= 257
		}
		if astc.PackVoid(want[:], c, false); [16]byte(dst[16*i:]) != want {
			t.Errorf("block %d: %x, want %x", i, dst[16*i:][:16], want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Decode(ctx, dst); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":                {nil, "end too early"},
		"a syntax":               {[]byte{9}, "syntax 9"},
		"a short stream":         {[]byte{0, 1, 2, 3, 4}, "end too early"},
		"another marker":         {[]byte{0, 0, 0, 0, 0, 0}, "it begins with 0"},
		"short lengths":          {[]byte{2, 1, 0, 0, 0}, "end too early"},
		"short lengths, hybrid":  {append([]byte{1}, make([]byte, 43)...), "end too early"},
		"a run first":            {xuHeader([]byte{1, 3, 3, 3}, make([]byte, 9), new(writer)), "a run before the first"},
		"a run over the edge":    {xuHeader([]byte{3, 5, 3, 3}, make([]byte, 9), new(writer)), "a run of 2 blocks, 1 are left"},
		"like one outside":       {xuHeader([]byte{7, 3, 3, 3}, make([]byte, 9), new(writer)), "like a block outside"},
		"like one of one colour": {xuHeader([]byte{3, 7, 3, 3}, make([]byte, 9), new(writer)), "like a block outside, or"},
		"configured like one":    {xuHeader([]byte{3, 0, 3, 3}, make([]byte, 9), new(writer)), "like a block outside"},
		"a mode never told":      {xuHeader([]byte{6 | zstdKnownMode, 3, 3, 3}, make([]byte, 9), new(writer)), "no such mode"},
		"too few colours":        {xuHeader([]byte{3, 3, 3, 3}, make([]byte, 9), new(writer)), "end too early"},
		"another block":          {xuHeader([]byte{3, 3, 3, 3, 3}, make([]byte, 12), new(writer)), "do not end"},
	} {
		s.Data = c.data
		if c.want == "like a block outside, or" {
			c.want = "outside the picture, or of one colour"
		}
		if err := s.Decode(t.Context(), dst); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	s.Data, s.Inflate = xuHeader([]byte{3}, nil, new(writer)), none
	if err := s.Decode(t.Context(), dst); err == nil || !strings.Contains(err.Error(), "part 1: nothing is inflated") {
		t.Error(err)
	}
	s.BlockHeight = 7
	if err := s.Decode(t.Context(), dst); err == nil || !strings.Contains(err.Error(), "blocks of 4 × 7") {
		t.Error(err)
	}
}

// Whatever a slice says, decoding ends with blocks or an error of one line. What would be inflated is the part itself.
func FuzzXUASTC(f *testing.F) {
	for i, name := range []string{"4x4-arith", "5x4-hybrid", "5x5-zstd", "6x5-arith", "6x6-hybrid", "8x5-zstd"} {
		list, width, height := slicesOf(f, "xuastc-"+name+".ktx2")
		f.Add(uint8(i), uint8(width-1), uint8(height-1), list[0])
	}
	f.Add(uint8(0), uint8(7), uint8(7), xuHeader([]byte{3, 1, 3, 1}, []byte{10, 20, 30, 1, 255, 0}, new(writer)))
	f.Fuzz(func(t *testing.T, size, width, height uint8, slice []byte) {
		block := xuastcSizes[int(size)%len(xuastcSizes)]
		s := XUASTC{int(width) + 1, int(height) + 1, int(block[0]), int(block[1]), slice, func(src []byte, _, most int64) ([]byte, error) {
			return src[:min(int64(len(src)), most)], nil
		}}
		dst := make([]byte, 16*((s.Width+s.BlockWidth-1)/s.BlockWidth)*((s.Height+s.BlockHeight-1)/s.BlockHeight))
		if err := s.Decode(t.Context(), dst); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q", err)
		}
	})
}
