package raster

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// Quads of a block are those of 2×2 pixels, at even places, with the samples of each pixel: of any number of samples, of blocks
// that are covered whole or in part, with room for all of them behind others, or for none.
func TestTables_RAS293_EveryBlock(t *testing.T) {
	rules.Covers(t, "RAS-293")
	rng := rand.New(rand.NewPCG(293, 0))
	for _, samples := range []int{1, 2, 4, 8, 16} {
		for trial := range 40 {
			mask := make([]uint64, samples)
			for k := range mask {
				switch trial % 4 {
				case 0:
					mask[k] = 1<<64 - 1
				case 1:
					mask[k] = 15 << (4 * rng.IntN(16))
				case 2:
					mask[k] = 1 << rng.IntN(64)
				default:
					mask[k] = rng.Uint64()
				}
			}
			if trial == 4 {
				mask[samples-1] &^= 1 << 63 // all but one
			}
			var want []Quad
			for y := int32(0); y < 8; y += 2 {
				for x := int32(0); x < 8; x += 2 {
					q := Quad{X: 40 + x, Y: 24 + y}
					for lane := range int32(4) {
						for k, m := range mask {
							if m>>(4*(y/2*4+x/2)+lane)&1 != 0 {
								q.Mask |= 1 << (16*lane + int32(k))
							}
						}
					}
					if q.Mask != 0 {
						want = append(want, q)
					}
					if got := QuadMask(40+x, 24+y, mask); got != q.Mask {
						t.Errorf("%d samples: the quad at %d,%d is %x, want %x", samples, x, y, got, q.Mask)
					}
				}
			}
			other := Quad{X: 2, Y: 2, Mask: 1}
			for _, room := range []int{0, 1, 15, 16, 17} {
				dst := append(make([]Quad, 0, 1+room), other)
				got := AppendQuads(dst, 40, 24, mask)
				if got[0] != other || !slices.Equal(got[1:], want) {
					t.Fatalf("%d samples, room for %d: %v, want %v", samples, room, got[1:], want)
				}
			}
		}
	}
}

// Points whose squares lie side by side cover each sample once, whatever their size, and no other.
func TestTables_RAS189_SideBySide(t *testing.T) {
	rules.Covers(t, "RAS-097", "RAS-187", "RAS-189", "RAS-237", "RAS-244")
	r := Rect{0, 0, 12, 12}
	for _, size := range []int32{1, 2, 3, 5} { // pixels
		for _, samples := range []int32{1, 4, 16} {
			for _, off := range []int32{0, 1, 100, 128, 255} {
				st := fillState(int(samples))
				var setups []Setup
				count := map[sampleAt]int{}
				for i := range int32(3) {
					for k := range int32(3) {
						c := Corner{X: 4*256 + off + i*size*256, Y: 4*256 - off + k*size*256, InvW: 1}
						setups, _ = AppendPoint(setups, nil, &Point{Corner: c, Size: float32(size)}, st, 0)
					}
				}
				lo := [2]int32{4*256 + off - size*128, 4*256 - off - size*128}
				for y := range r.Y1 {
					for x := range r.X1 {
						for s := range samples {
							sx, sy := x*256+Samples(int(samples)).X[s]-lo[0], y*256+Samples(int(samples)).Y[s]-lo[1]
							if sx >= 0 && sx < 3*size*256 && sy >= 0 && sy < 3*size*256 {
								count[sampleAt{x, y, s}]++
							}
						}
					}
				}
				for _, at := range coverage(t, setups, nil, r, samples, 8) {
					count[at]--
				}
				for at, n := range count {
					if n != 0 {
						t.Fatalf("points of %d, %d samples, moved by %d: %v is covered %d times more than it should be", size, samples, off, at, -n)
					}
				}
			}
		}
	}
}
