package bc

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// streams6 is IMG-821: components r, g and b of endpoints 0 to 3, bits a to b each, and the partition.
var streams6 = map[int]string{
	0:  "g2.4 b2.4 b3.4 r0.9-0 g0.9-0 b0.9-0 r1.4-0 g3.4 g2.3-0 g1.4-0 b3.0 g3.3-0 b1.4-0 b3.1 b2.3-0 r2.4-0 b3.2 r3.4-0 b3.3 P4-0",
	1:  "g2.5 g3.4 g3.5 r0.6-0 b3.0 b3.1 b2.4 g0.6-0 b2.5 b3.2 g2.4 b0.6-0 b3.3 b3.5 b3.4 r1.5-0 g2.3-0 g1.5-0 g3.3-0 b1.5-0 b2.3-0 r2.5-0 r3.5-0 P4-0",
	2:  "r0.9-0 g0.9-0 b0.9-0 r1.4-0 r0.10 g2.3-0 g1.3-0 g0.10 b3.0 g3.3-0 b1.3-0 b0.10 b3.1 b2.3-0 r2.4-0 b3.2 r3.4-0 b3.3 P4-0",
	6:  "r0.9-0 g0.9-0 b0.9-0 r1.3-0 r0.10 g3.4 g2.3-0 g1.4-0 g0.10 g3.3-0 b1.3-0 b0.10 b3.1 b2.3-0 r2.3-0 b3.0 b3.2 r3.3-0 g2.4 b3.3 P4-0",
	10: "r0.9-0 g0.9-0 b0.9-0 r1.3-0 r0.10 b2.4 g2.3-0 g1.3-0 g0.10 b3.0 g3.3-0 b1.4-0 b0.10 b2.3-0 r2.3-0 b3.1 b3.2 r3.3-0 b3.4 b3.3 P4-0",
	14: "r0.8-0 b2.4 g0.8-0 g2.4 b0.8-0 b3.4 r1.4-0 g3.4 g2.3-0 g1.4-0 b3.0 g3.3-0 b1.4-0 b3.1 b2.3-0 r2.4-0 b3.2 r3.4-0 b3.3 P4-0",
	18: "r0.7-0 g3.4 b2.4 g0.7-0 b3.2 g2.4 b0.7-0 b3.3 b3.4 r1.5-0 g2.3-0 g1.4-0 b3.0 g3.3-0 b1.4-0 b3.1 b2.3-0 r2.5-0 r3.5-0 P4-0",
	22: "r0.7-0 b3.0 b2.4 g0.7-0 g2.5 g2.4 b0.7-0 g3.5 b3.4 r1.4-0 g3.4 g2.3-0 g1.5-0 g3.3-0 b1.4-0 b3.1 b2.3-0 r2.4-0 b3.2 r3.4-0 b3.3 P4-0",
	26: "r0.7-0 b3.1 b2.4 g0.7-0 b2.5 g2.4 b0.7-0 b3.5 b3.4 r1.4-0 g3.4 g2.3-0 g1.4-0 b3.0 g3.3-0 b1.5-0 b2.3-0 r2.4-0 b3.2 r3.4-0 b3.3 P4-0",
	30: "r0.5-0 g3.4 b3.0 b3.1 b2.4 g0.5-0 g2.5 b2.5 b3.2 g2.4 b0.5-0 g3.5 b3.3 b3.5 b3.4 r1.5-0 g2.3-0 g1.5-0 g3.3-0 b1.5-0 b2.3-0 r2.5-0 r3.5-0 P4-0",
	3:  "r0.9-0 g0.9-0 b0.9-0 r1.9-0 g1.9-0 b1.9-0",
	7:  "r0.9-0 g0.9-0 b0.9-0 r1.8-0 r0.10 g1.8-0 g0.10 b1.8-0 b0.10",
	11: "r0.9-0 g0.9-0 b0.9-0 r1.7-0 r0.10-11 g1.7-0 g0.10-11 b1.7-0 b0.10-11",
	15: "r0.9-0 g0.9-0 b0.9-0 r1.3-0 r0.10-15 g1.3-0 g0.10-15 b1.3-0 b0.10-15",
}

// modes6Of is IMG-820: bits of endpoints, and of deltas of red, green and blue, none where endpoints stand alone.
var modes6Of = map[int][4]int{
	0: {10, 5, 5, 5}, 1: {7, 6, 6, 6}, 2: {11, 5, 4, 4}, 6: {11, 4, 5, 4}, 10: {11, 4, 4, 5}, 14: {9, 5, 5, 5}, 18: {8, 6, 5, 5}, 22: {8, 5, 6, 5}, 26: {8, 5, 5, 6},
	30: {6}, 3: {10}, 7: {11, 9, 9, 9}, 11: {12, 8, 8, 8}, 15: {16, 4, 4, 4},
}

// Two subsets by IMG-815, and the texels of the second whose index has a bit less, by IMG-816.
var (
	subsets6 = [32]uint16{0xCCCC, 0x8888, 0xEEEE, 0xECC8, 0xC880, 0xFEEC, 0xFEC8, 0xEC80, 0xC800, 0xFFEC, 0xFE80, 0xE800, 0xFFE8, 0xFF00, 0xFFF0, 0xF000,
		0xF710, 0x008E, 0x7100, 0x08CE, 0x008C, 0x7310, 0x3100, 0x8CCE, 0x088C, 0x3110, 0x6666, 0x366C, 0x17E8, 0x0FF0, 0x718E, 0x399C}
	anchors6 = [32]int{15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2}
)

// formula6 decodes a block by IMG-820 … IMG-824 to bits of half floats.
func formula6(src []byte, signed bool) (out [16][3]uint16) {
	at := 0
	take := func(n int) (x int) {
		for i := range n {
			x |= int(src[at/8]>>(at%8)&1) << i
			at++
		}
		return x
	}
	extend := func(x, n int) int { return int(int64(x) << (64 - n) >> (64 - n)) }
	mode := take(2)
	if mode > 1 {
		mode |= take(3) << 2
	}
	var e [4][3]int
	partition := 0
	for _, token := range strings.Fields(streams6[mode]) {
		if token == "P4-0" {
			partition = take(5)
			continue
		}
		c, n := strings.IndexByte("rgb", token[0]), int(token[1]-'0')
		number := func(s string) (x int) {
			for _, d := range s {
				x = 10*x + int(d-'0')
			}
			return x
		}
		from, to, several := strings.Cut(token[3:], "-")
		a, b := number(from), number(to)
		if !several {
			b = a
		}
		for i := b; ; {
			e[n][c] |= take(1) << i
			if i == a {
				break
			}
			if i < a {
				i++
			} else {
				i--
			}
		}
	}
	m := modes6Of[mode]
	ends, width := 2, 4
	if strings.Contains(streams6[mode], "P") {
		ends, width = 4, 3
	} else {
		partition = -1
	}
	for c := range 3 {
		if signed {
			e[0][c] = extend(e[0][c], m[0])
		}
		for n := 1; n < ends; n++ {
			switch x := &e[n][c]; {
			case m[1+c] != 0:
				if *x = (e[0][c] + extend(*x, m[1+c])) & (1<<m[0] - 1); signed {
					*x = extend(*x, m[0])
				}
			case signed:
				*x = extend(*x, m[0])
			}
		}
		for n := range ends {
			e[n][c] = unquantized6(e[n][c], m[0], signed)
		}
	}
	weights := map[int][]int{3: {0, 9, 18, 27, 37, 46, 55, 64}, 4: {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}}[width]
	for k := range out {
		bits, subset := width, 0
		if k == 0 || partition >= 0 && k == anchors6[partition] {
			bits--
		}
		if partition >= 0 {
			subset = int(subsets6[partition] >> k & 1)
		}
		w := weights[take(bits)]
		for c := range 3 {
			i := ((64-w)*e[2*subset][c] + w*e[2*subset+1][c] + 32) >> 6
			switch {
			case !signed:
				out[k][c] = uint16(i * 31 >> 6)
			case i < 0:
				out[k][c] = uint16(-i*31>>5) | 0x8000
			default:
				out[k][c] = uint16(i * 31 >> 5)
			}
		}
	}
	return out
}

// unquantized6 is IMG-823.
func unquantized6(x, n int, signed bool) int {
	if !signed {
		switch {
		case n >= 15 || x == 0:
			return x
		case x == 1<<n-1:
			return 0xFFFF
		}
		return (x<<15 + 0x4000) >> (n - 1)
	}
	if n >= 16 {
		return x
	}
	sign := 1
	if x < 0 {
		x, sign = -x, -1
	}
	switch {
	case x == 0:
	case x >= 1<<(n-1)-1:
		x = 0x7FFF
	default:
		x = (x<<15 + 0x4000) >> (n - 1)
	}
	return sign * x
}

// Blocks by chance of every mode, and of its ends.
func TestBC6H_ByFormula_IMG820(t *testing.T) {
	rules.Covers(t, "IMG-254", "IMG-814", "IMG-815", "IMG-816", "IMG-820", "IMG-821", "IMG-822", "IMG-823", "IMG-824")
	r := rand.New(rand.NewPCG(820, 824))
	for _, reserved := range []byte{0x13, 0x17, 0x1B, 0x1F} { // of the 32 numbers of 5 bits
		dst := [16]Texel{}
		for k := range dst {
			dst[k] = Texel{1, 2, 3, 4}
		}
		DecodeBC6H(&dst, append([]byte{reserved}, bytes.Repeat([]byte{0xA5}, 15)...), false)
		for k, got := range dst {
			if got != (Texel{3: one}) {
				t.Errorf("mode %#x, texel %d: %x", reserved, k, got)
			}
		}
	}
	for mode := range streams6 {
		for n := range 200 {
			src := make([]byte, 16)
			for i := range src {
				if src[i] = byte(r.Uint32()); n%8 == 7 { // all ones or zeros in places
					src[i] = byte(0 - src[i]&1)
				}
			}
			if src[0] = src[0]&^3 | byte(mode); mode > 1 {
				src[0] = src[0]&^31 | byte(mode)
			}
			for _, signed := range []bool{false, true} {
				var dst [16]Texel
				DecodeBC6H(&dst, src, signed)
				for k, want := range formula6(src, signed) {
					for c, h := range want {
						if got := fp.FloatToHalf(math.Float32frombits(dst[k][c])); got != h && !(got&0x7FFF == 0 && h&0x7FFF == 0) || dst[k][3] != one {
							t.Fatalf("mode %d, signed %v, % x, texel %d, component %d: %04x, want %04x", mode, signed, src, k, c, got, h)
						}
					}
				}
			}
		}
	}
}
