package ir

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// Lanes are the invocations in the order of their indices, but where quads are squares: then four in a row are those of 2×2
// in x and y, row after row of squares, layer after layer.
func TestLocalIndex_IMG405(t *testing.T) {
	rules.Covers(t, "IMG-405")
	for _, size := range [][3]uint32{{2, 2, 1}, {4, 2, 1}, {6, 4, 3}, {2, 8, 2}} {
		w, h, d := size[0], size[1], size[2]
		lane := uint32(0)
		p := &Program{LocalSize: size}
		for z := range d {
			for y := uint32(0); y < h; y += 2 {
				for x := uint32(0); x < w; x += 2 {
					for k := range uint32(4) {
						p.Quads = SquareQuads
						if got, want := p.LocalIndex(lane), x+k&1+w*(y+k>>1+h*z); got != want {
							t.Errorf("%v, lane %d: invocation %d, want %d", size, lane, got, want)
						}
						for _, p.Quads = range []ComputeQuads{NoQuads, LinearQuads} {
							if got := p.LocalIndex(lane); got != lane {
								t.Errorf("%v, quads %d, lane %d: invocation %d", size, p.Quads, lane, got)
							}
						}
						lane++
					}
				}
			}
		}
	}
}
