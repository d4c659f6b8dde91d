package bc

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// fields packs numbers of given widths from the lowest bit on.
func fields(pairs ...int) []byte {
	out, at := make([]byte, 16), 0
	for i := 0; i < len(pairs); i += 2 {
		for b := range pairs[i+1] {
			out[at/8] |= byte(pairs[i]>>b&1) << (at % 8)
			at++
		}
	}
	return out
}

// indices are numbers of n bits for all texels, counting up from 0; the first has a bit less.
func indices(n int) (pairs []int) {
	pairs = []int{0, n - 1}
	for k := 1; k < 16; k++ {
		pairs = append(pairs, k&(1<<n-1), n)
	}
	return pairs
}

// Every weight, between 0 and 255 in red and between 255 and 0 in green: ((64 − w)·E0 + w·E1 + 32) >> 6. Blue stays 0.
func TestBC7_EveryWeight_IMG814(t *testing.T) {
	rules.Covers(t, "IMG-811", "IMG-812", "IMG-813", "IMG-814")
	two, three := []int{0, 21, 43, 64}, []int{0, 9, 18, 27, 37, 46, 55, 64}
	four := []int{0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}
	at := func(w int) uint8 { return uint8((w*255 + 32) >> 6) }
	for _, rotation := range []int{0, 1, 2, 3} {
		for _, c := range []struct {
			name          string
			block         []byte
			colour, alpha []int // their weights
		}{
			{"mode 5", fields(append(append([]int{1 << 5, 6, rotation, 2, 0, 7, 127, 7, 127, 7, 0, 7, 0, 14, 0, 8, 255, 8}, indices(2)...), indices(2)...)...), two, two},
			{"mode 4", fields(append(append([]int{1 << 4, 5, rotation, 2, 0, 1, 0, 5, 31, 5, 31, 5, 0, 5, 0, 10, 0, 6, 63, 6}, indices(2)...), indices(3)...)...), two, three},
			{"mode 4, the other index", fields(append(append([]int{1 << 4, 5, rotation, 2, 1, 1, 0, 5, 31, 5, 31, 5, 0, 5, 0, 10, 0, 6, 63, 6}, indices(2)...), indices(3)...)...), three, two},
		} {
			var dst [16]Texel
			DecodeBC7(&dst, c.block, false)
			for k := range dst {
				w, a := c.colour[k%len(c.colour)], c.alpha[k%len(c.alpha)]
				want := [4]uint8{at(w), at(64 - w), 0, at(a)}
				if rotation > 0 {
					want[rotation-1], want[3] = want[3], want[rotation-1]
				}
				if got := codes(dst[k]); got != want {
					t.Errorf("%s, rotation %d, texel %d: %v, want %v", c.name, rotation, k, got, want)
				}
			}
		}
	}
	// Mode 6: endpoints of seven bits and one of their own, 0 or 1 for all components; alpha with colour.
	block := fields(append([]int{1 << 6, 7, 0, 7, 127, 7, 0, 7, 127, 7, 0, 7, 127, 7, 0, 7, 127, 7, 0, 1, 1, 1}, indices(4)...)...)
	var dst [16]Texel
	DecodeBC7(&dst, block, false)
	for k, w := range four {
		if got, want := codes(dst[k]), [4]uint8{at(w), at(w), at(w), at(w)}; got != want {
			t.Errorf("mode 6, texel %d: %v, want %v", k, got, want)
		}
	}
}
