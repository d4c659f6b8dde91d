package etc2

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// Blocks of the T and H modes by IMG-844 and IMG-845: every distance, colours by chance, indices that count.
func TestETC2_EveryDistance_IMG844_IMG845(t *testing.T) {
	rules.Covers(t, "IMG-840", "IMG-841", "IMG-842", "IMG-844", "IMG-845")
	r := rand.New(rand.NewPCG(844, 845))
	distance := [8]int{3, 6, 11, 16, 23, 32, 41, 64}
	shade := func(c [3]int, d int) (out [4]uint8) {
		for i := range c {
			out[i] = uint8(min(max(17*c[i]+d, 0), 255))
		}
		out[3] = 255
		return out
	}
	check := func(name string, v uint64, paints [4][4]uint8) {
		t.Helper()
		var index [16]int
		for x := range 4 {
			for y := range 4 {
				i := r.IntN(4)
				index[4*y+x] = i
				v |= uint64(i>>1)<<(16+4*x+y) | uint64(i&1)<<(4*x+y)
			}
		}
		var src [8]byte
		binary.BigEndian.PutUint64(src[:], v)
		var dst [16]Texel
		DecodeRGB8(&dst, src[:], false)
		for k := range dst {
			if got := codes(dst[k]); got != paints[index[k]] {
				t.Fatalf("%s %016x, texel %d: %v, want %v", name, v, k, got, paints[index[k]])
			}
		}
	}
	for n := range 400 {
		var c1, c2 [3]int
		for i := range c1 {
			c1[i], c2[i] = r.IntN(16), r.IntN(16)
		}
		at := func(x, lo int) uint64 { return uint64(x) << lo }
		d := n % 8
		// T: the rest of bits 63 to 56 makes R + dR less than 0, or more than 31.
		v := at(1, 33) | at(c1[0]>>2, 59) | at(c1[0]&3, 56) | at(c1[1], 52) | at(c1[2], 48) | at(c2[0], 44) | at(c2[1], 40) | at(c2[2], 36) | at(d>>1, 34) | at(d&1, 32)
		if c1[0]>>2+c1[0]&3 < 4 {
			v |= 1 << 58
		} else {
			v |= 7 << 61
		}
		check("T", v, [4][4]uint8{shade(c1, 0), shade(c2, distance[d]), shade(c2, 0), shade(c2, -distance[d])})

		// H: R + dR stays, G + dG does not.
		red, green := c1[0], c1[1]
		v = at(1, 33) | at(red, 59) | at(green>>1, 56) | at(green&1, 52) | at(c1[2]>>3, 51) | at(c1[2]&7, 47) | at(c2[0], 43) | at(c2[1], 39) | at(c2[2], 35) | at(d>>2, 34) | at(d>>1&1, 32)
		if green>>1 >= 4 && red < 8-green>>1 { // dR is negative: bit 63 keeps the sum above 0
			v |= 1 << 63
		}
		if g := green&1<<1 | c1[2]>>3; g+c1[2]>>1&3 < 4 { // dG = bits 50 to 48: bit 50 is its sign
			v |= 1 << 50
		} else {
			v |= 7 << 53
		}
		one, two := c1[0]<<8|c1[1]<<4|c1[2], c2[0]<<8|c2[1]<<4|c2[2]
		far := d &^ 1
		if one >= two {
			far |= 1
		}
		check("H", v, [4][4]uint8{shade(c1, distance[far]), shade(c1, -distance[far]), shade(c2, distance[far]), shade(c2, -distance[far])})
	}
}
