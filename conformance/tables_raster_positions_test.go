package conformance

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Positions by tables: where the divide and the viewport put vertices, to 1/256 pixel, against rationals.

// framed is a coordinate in the framebuffer: (p/2)·c/w + o, of a viewport that is rounded to 1/256 pixel.
//
// RAS-091, RAS-092, RAS-093, RAS-095
func framed(c, w, from, size float32) *big.Rat {
	rounded := func(v float32) *big.Rat {
		r := rational(v)
		return big.NewRat(nearest(r.Mul(r, big.NewRat(256, 1))), 256)
	}
	half := rounded(size)
	half.Mul(half, big.NewRat(1, 2))
	r := new(big.Rat).Quo(rational(c), rational(w))
	r.Mul(r, half)
	return r.Add(r, half.Add(half, rounded(from)))
}

// A point's four sides are at its snapped position plus and minus its size: a sample on the left or the upper one is covered, one on the others is
// not. Sizes are chosen for samples to lie on the sides, or 1/256 beside them.
func TestTables_RAS002_SnappedPositions(t *testing.T) {
	rules.Covers(t, "RAS-001", "RAS-002", "RAS-091", "RAS-092", "RAS-093", "RAS-094", "RAS-095", "RAS-189")
	devices := tableDevices(t)
	r := rand.New(rand.NewPCG(31, 7))
	rounds := 300
	if testing.Short() {
		rounds = 100
	}
	n := 0
	for round := range rounds {
		v := vk.Viewport{X: float32(r.IntN(2000)-1000) / 512, Y: float32(r.IntN(2000)-1000) / 300, Width: 16 + float32(r.IntN(4000))/1000, Height: 16 + float32(r.IntN(4000))/256, MaxDepth: 1}
		if round%3 == 1 {
			v.Y, v.Height = v.Y+v.Height, -v.Height
		}
		w := []float32{1, 2, .5, 3, 1. / 3, 1e-3, 1e10, .7}[r.IntN(8)]
		x, y := 1+r.Float32()*14, 1+r.Float32()*14
		// What ruleDraw makes of them.
		xc, yc := (2*x/16-1)*w, (2*y/16-1)*w
		snap := func(f *big.Rat) int64 { return nearest(f.Mul(f, big.NewRat(256, 1))) }
		at := spot{snap(framed(xc, w, v.X, v.Width)), snap(framed(yc, w, v.Y, v.Height))}
		for axis := range 2 {
			middle := []int64{at.x, at.y}[axis]
			for _, upper := range []bool{false, true} {
				// A sample in the middle of a pixel on this side, 2 pixels or more away.
				sample := (middle/256-3)*256 + 128
				distance := middle - sample
				if upper {
					sample = (middle/256+3)*256 + 128
					distance = sample - middle
				}
				if sample < 0 || sample >= 16*256 {
					continue
				}
				for _, more := range []int64{-1, 0, 1} {
					d := builtins(vk.PrimitiveTopologyPointList, 16, 16, ruleVertex{x: x, y: y, w: w})
					d.viewports = []vk.Viewport{v}
					d.pipeline = sized(float32(distance+more) / 128)
					got := d.run(t, devices[round%2])
					px, py := int(sample/256), int(at.y/256)
					if axis == 1 {
						px, py = int(at.x/256), int(sample/256)
					}
					if px < 0 || py < 0 || px > 15 || py > 15 {
						continue
					}
					n++
					want := more > 0 || more == 0 && !upper
					if drawn := got.at(rulePoint, px, py, 0)[3] == 1; drawn != want {
						t.Errorf("viewport %+v, (%v, %v)/%v at %v in 1/256: axis %d, upper %v, %d more: drawn %v, want %v", v, xc, yc, w, at, axis, upper, more, drawn, want)
					}
				}
			}
		}
	}
	if n < 4*rounds {
		t.Errorf("%d sides were looked at", n)
	}
}
