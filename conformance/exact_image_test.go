package conformance

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// The numbers that the catalogue's formulas give for codes, and codes for numbers, in rationals, and the table of formats
// that they are for. Nothing here comes from the engine.

// ratio is a/b.
func ratio(a, b int64) *big.Rat { return big.NewRat(a, b) }

// exactly is a finite number as a rational.
func exactly(f float32) *big.Rat { return new(big.Rat).SetFloat64(float64(f)) }

// nearest32 is the binary32 number nearest to x, ties to even.
func nearest32(x *big.Rat) float32 {
	f, _ := x.Float32()
	return f
}

// toPower is x^n.
func toPower(x *big.Rat, n int) *big.Rat {
	y := ratio(1, 1)
	for range n {
		y.Mul(y, x)
	}
	return y
}

// twoTo is 2^n.
func twoTo(n int) *big.Rat {
	if n < 0 {
		return new(big.Rat).Inv(twoTo(-n))
	}
	return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(n)))
}

// floorOf is the largest integer that is not above x.
func floorOf(x *big.Rat) *big.Int {
	q, _ := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int)) // Euclidean, of a positive denominator
	return q
}

// roundEven is the integer nearest to x, ties to even.
func roundEven(x *big.Rat) int64 {
	f := floorOf(x)
	rest := new(big.Rat).Sub(x, new(big.Rat).SetInt(f))
	n := f.Int64()
	if c := rest.Cmp(ratio(1, 2)); c > 0 || c == 0 && n&1 != 0 {
		n++
	}
	return n
}

// exponentOf is floor(log2 x) of a positive number.
func exponentOf(x *big.Rat) int {
	n := x.Num().BitLen() - x.Denom().BitLen()
	for x.Cmp(twoTo(n)) < 0 {
		n--
	}
	for x.Cmp(twoTo(n+1)) >= 0 {
		n++
	}
	return n
}

// smallFloatCode is the code of a number that is not negative, as a float of five bits of exponent and m of mantissa: IMG-378, IMG-379.
func smallFloatCode(x *big.Rat, m int) uint64 {
	if x.Sign() == 0 {
		return 0
	}
	e := max(exponentOf(x), -14)
	n := roundEven(new(big.Rat).Mul(x, twoTo(m-e)))
	code := uint64(n) + uint64(e+14)<<m // a denormal has no hidden one, and exponent 0
	return min(code, 31<<m)
}

// linearOf is IMG-248 of a number in [0, 1]: the nearest binary32 number. Of y = x^2.4 that is asked as y^5 and x^12.
func linearOf(c *big.Rat) float32 {
	if c.Cmp(ratio(4045, 100000)) <= 0 {
		return nearest32(new(big.Rat).Quo(c, ratio(1292, 100)))
	}
	x := new(big.Rat).Add(c, ratio(55, 1000))
	x.Quo(x, ratio(1055, 1000))
	x12 := toPower(x, 12)
	f, _ := x.Float64()
	guess := float32(math.Pow(f, 2.4))
	above := func(f float32) bool { // x^2.4 is above the middle of f and its successor
		mid := exactly(f)
		mid.Add(mid, exactly(math.Nextafter32(f, 2)))
		return x12.Cmp(toPower(mid.Quo(mid, ratio(2, 1)), 5)) > 0
	}
	for above(guess) {
		guess = math.Nextafter32(guess, 2)
	}
	for !above(math.Nextafter32(guess, 0)) {
		guess = math.Nextafter32(guess, 0)
	}
	return guess
}

// srgbDecoded is what sRGB codes stand for: IMG-248.
var srgbDecoded = sync.OnceValue(func() (table [256]float32) {
	for code := range table {
		table[code] = linearOf(ratio(int64(code), 255))
	}
	return table
})

// srgbReaches says whether the code of a linear value in [0, 1] is k or more: IMG-249, IMG-376. Ties do not occur.
func srgbReaches(l *big.Rat, k int) bool {
	c := ratio(2*int64(k)-1, 510)
	if l.Cmp(ratio(31308, 10000000)) <= 0 {
		return new(big.Rat).Mul(l, ratio(1292, 100)).Cmp(c) >= 0
	}
	c.Add(c, ratio(55, 1000))
	c.Quo(c, ratio(1055, 1000))
	return toPower(l, 5).Cmp(toPower(c, 12)) >= 0
}

// srgbCode is the code of a linear value.
func srgbCode(l *big.Rat) (code uint64) {
	lo, hi := 0, 255
	for lo < hi {
		if mid := (lo + hi + 1) / 2; srgbReaches(l, mid) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return uint64(lo)
}

// field is a component of a format in the bits of a texel, from the lowest bit of the first byte on.
type field struct {
	numeric  string // UNORM …; "" of padding
	of       int    // 0…3: R, G, B, A
	at, bits int
}

// tableFormat is a format of which one texel is one block.
type tableFormat struct {
	vk.Format
	name   string
	bytes  int
	fields []field
	kind   string // what shaders read: "f", "i" or "u"
}

// tableLayouts are the formats of IMG-750 to IMG-757 and IMG-762: names, fields from the lowest bit on ("X6" is padding), and numeric formats.
var tableLayouts = [][3]string{
	{"R8_", "R8", eightBits}, {"R8G8_", "R8 G8", eightBits}, {"R8G8B8_", "R8 G8 B8", eightBits}, {"B8G8R8_", "B8 G8 R8", eightBits},
	{"R8G8B8A8_", "R8 G8 B8 A8", eightBits}, {"B8G8R8A8_", "B8 G8 R8 A8", eightBits}, {"A8B8G8R8__PACK32", "R8 G8 B8 A8", eightBits},
	{"A2R10G10B10__PACK32", "B10 G10 R10 A2", tenBits}, {"A2B10G10R10__PACK32", "R10 G10 B10 A2", tenBits},
	{"R16_", "R16", sixteenBits}, {"R16G16_", "R16 G16", sixteenBits}, {"R16G16B16_", "R16 G16 B16", sixteenBits}, {"R16G16B16A16_", "R16 G16 B16 A16", sixteenBits},
	{"R32_", "R32", "UINT SINT SFLOAT"}, {"R32G32_", "R32 G32", "UINT SINT SFLOAT"}, {"R32G32B32_", "R32 G32 B32", "UINT SINT SFLOAT"}, {"R32G32B32A32_", "R32 G32 B32 A32", "UINT SINT SFLOAT"},
	{"R4G4__PACK8", "G4 R4", "UNORM"}, {"R4G4B4A4__PACK16", "A4 B4 G4 R4", "UNORM"}, {"B4G4R4A4__PACK16", "A4 R4 G4 B4", "UNORM"}, {"A4R4G4B4__PACK16", "B4 G4 R4 A4", "UNORM"},
	{"A4B4G4R4__PACK16", "R4 G4 B4 A4", "UNORM"}, {"R5G6B5__PACK16", "B5 G6 R5", "UNORM"}, {"B5G6R5__PACK16", "R5 G6 B5", "UNORM"}, {"R5G5B5A1__PACK16", "A1 B5 G5 R5", "UNORM"},
	{"B5G5R5A1__PACK16", "A1 R5 G5 B5", "UNORM"}, {"A1R5G5B5__PACK16", "B5 G5 R5 A1", "UNORM"}, {"A1B5G5R5__PACK16", "R5 G5 B5 A1", "UNORM"}, {"A8_", "A8", "UNORM"},
	{"B10G11R11__PACK32", "R11 G11 B10", "UFLOAT"}, {"E5B9G9R9__PACK32", "R9 G9 B9 E5", "UFLOAT"},
	{"R10X6__PACK16", "X6 R10", "UNORM"}, {"R10X6G10X6__2PACK16", "X6 R10 X6 G10", "UNORM"}, {"R10X6G10X6B10X6A10X6__4PACK16", "X6 R10 X6 G10 X6 B10 X6 A10", "UNORM"},
	{"R12X4__PACK16", "X4 R12", "UNORM"}, {"R12X4G12X4__2PACK16", "X4 R12 X4 G12", "UNORM"},
}

const (
	eightBits   = "UNORM SNORM USCALED SSCALED UINT SINT SRGB"
	tenBits     = "UNORM SNORM USCALED SSCALED UINT SINT"
	sixteenBits = "UNORM SNORM USCALED SSCALED UINT SINT SFLOAT"
)

// formatsByName are the values of VkFormat.
var formatsByName = sync.OnceValue(func() map[string]vk.Format {
	m := map[string]vk.Format{}
	for _, r := range [][2]vk.Format{{1, 184}, {1_000_054_000, 1_000_054_007}, {1_000_066_000, 1_000_066_013}, {1_000_156_000, 1_000_156_033}, {1_000_288_000, 1_000_288_029},
		{1_000_330_000, 1_000_330_003}, {1_000_340_000, 1_000_340_001}, {1_000_470_000, 1_000_470_001}} {
		for f := r[0]; f <= r[1]; f++ {
			m[strings.TrimPrefix(f.String(), "VK_FORMAT_")] = f
		}
	}
	return m
})

// tableFormats are all formats whose texels are not blocks.
func tableFormats(t *testing.T) (list []*tableFormat) {
	t.Helper()
	for _, l := range tableLayouts {
		for _, numeric := range strings.Fields(l[2]) {
			stem, suffix, _ := strings.Cut(l[0], "_")
			f := &tableFormat{name: stem + "_" + numeric + suffix, kind: "f"}
			var ok bool
			if f.Format, ok = formatsByName()[f.name]; !ok {
				t.Fatalf("no VK_FORMAT_%s", f.name)
			}
			switch numeric {
			case "UINT":
				f.kind = "u"
			case "SINT":
				f.kind = "i"
			}
			at := 0
			for _, x := range strings.Fields(l[1]) {
				bits, _ := strconv.Atoi(x[1:])
				c := field{numeric: numeric, of: strings.IndexByte("RGBAE", x[0]), at: at, bits: bits}
				if at += bits; x[0] == 'X' {
					continue
				}
				switch {
				case x[0] == 'A' && numeric == "SRGB":
					c.numeric = "UNORM"
				case stem == "E5B9G9R9":
					c.numeric = "SHARED" // not by itself
				}
				f.fields = append(f.fields, c)
			}
			f.bytes = at / 8
			list = append(list, f)
		}
	}
	return list
}

// put writes the low bits of a code.
func (c *field) put(texel []byte, code uint64) {
	for i := range c.bits {
		at := c.at + i
		texel[at/8] = texel[at/8]&^(1<<(at%8)) | byte(code>>i&1)<<(at%8)
	}
}

// number is what a code stands for, as a word: IMG-241 to IMG-248.
func (c *field) number(code uint64) uint32 {
	signed := int64(code<<(64-c.bits)) >> (64 - c.bits)
	f := func(x *big.Rat) uint32 { return math.Float32bits(nearest32(x)) }
	switch c.numeric {
	case "UNORM":
		return f(ratio(int64(code), 1<<c.bits-1))
	case "SNORM":
		most := int64(1)<<(c.bits-1) - 1
		return f(ratio(max(signed, -most), most))
	case "USCALED":
		return f(ratio(int64(code), 1))
	case "SSCALED":
		return f(ratio(signed, 1))
	case "SRGB":
		return math.Float32bits(srgbDecoded()[code])
	case "UINT":
		return uint32(code)
	case "SINT":
		return uint32(signed)
	case "UFLOAT":
		return smallFloatBits(code, c.bits-5)
	case "SHARED":
		return 0
	default: // SFLOAT
		if c.bits == 32 {
			return uint32(code)
		}
		return smallFloatBits(code&0x7FFF, 10) | uint32(code>>15)<<31
	}
}

// smallFloatBits is a float of five bits of exponent and m of mantissa as binary32: IMG-245, IMG-246. NaNs are the canonical one.
func smallFloatBits(code uint64, m int) uint32 {
	e, fraction := int(code>>m), int64(code&(1<<m-1))
	switch {
	case e == 31 && fraction != 0:
		return 0x7FC00000
	case e == 31:
		return 0x7F800000
	case e == 0:
		return math.Float32bits(nearest32(new(big.Rat).Mul(ratio(fraction, 1), twoTo(-14-m))))
	}
	return math.Float32bits(nearest32(new(big.Rat).Mul(ratio(fraction+1<<m, 1), twoTo(e-15-m))))
}

// shared are the three numbers of a word with a shared exponent: IMG-064.
func shared(word uint32) (t [4]uint32) {
	for c := range 3 {
		t[c] = math.Float32bits(nearest32(new(big.Rat).Mul(ratio(int64(word>>(9*c)&511), 1), twoTo(int(word>>27)-24))))
	}
	t[3] = math.Float32bits(1)
	return t
}

// texel is what the bytes of a texel read as: IMG-320 fills what the format lacks.
func (f *tableFormat) texel(data []byte) (t [4]uint32) {
	t[3] = 1
	if f.kind == "f" {
		t[3] = math.Float32bits(1)
	}
	var word uint64
	for _, c := range f.fields {
		code := uint64(0)
		for i := range c.bits {
			at := c.at + i
			code |= uint64(data[at/8]>>(at%8)&1) << i
		}
		if c.numeric == "SHARED" {
			word |= code << c.at
			continue
		}
		t[c.of] = c.number(code)
	}
	if f.fields[0].numeric == "SHARED" {
		return shared(uint32(word))
	}
	return t
}
