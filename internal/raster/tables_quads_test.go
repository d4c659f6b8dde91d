package raster

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

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
