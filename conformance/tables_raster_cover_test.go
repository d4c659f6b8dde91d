package conformance

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Coverage by tables: triangles, rectangles, lines and points, of every number of samples, against the catalogue's formulas in integers
// of any size.

// spot is a place in 1/256 pixel.
type spot struct{ x, y int64 }

// area is twice the signed area of three places.
func area(a, b, c spot) int64 { return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x) }

// owns is the rule for what lies on a side whose normal inwards is (nx, ny): RAS-239.
func owns(nx, ny int64) bool { return nx > 0 || nx == 0 && ny > 0 }

// inTriangle is RAS-238 and RAS-239.
func inTriangle(p [3]spot, s spot) bool {
	all := area(p[0], p[1], p[2])
	for i := range p {
		a, b := p[i], p[(i+1)%3]
		e, nx, ny := area(a, b, s), a.y-b.y, b.x-a.x
		if all < 0 {
			e, nx, ny = -e, -nx, -ny
		}
		if e < 0 || e == 0 && !owns(nx, ny) {
			return false
		}
	}
	return all != 0
}

// inRectangle is RAS-254.
func inRectangle(p [3]spot, s spot) bool {
	return area(p[0], p[1], p[2]) != 0 && min(p[0].x, p[1].x, p[2].x) <= s.x && s.x < max(p[0].x, p[1].x, p[2].x) &&
		min(p[0].y, p[1].y, p[2].y) <= s.y && s.y < max(p[0].y, p[1].y, p[2].y)
}

// onLine is RAS-199 and RAS-200, of a width in 1/256 pixel.
func onLine(a, b spot, width int64, s spot) bool {
	dx, dy, vx, vy := b.x-a.x, b.y-a.y, s.x-a.x, s.y-a.y
	along, across, length := vx*dx+vy*dy, dx*vy-dy*vx, dx*dx+dy*dy
	if length == 0 || along < 0 || along > length || along == 0 && !owns(dx, dy) || along == length && !owns(-dx, -dy) {
		return false
	}
	square := func(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }
	switch square(2*across, 2*across).Cmp(new(big.Int).Mul(square(width, width), big.NewInt(length))) {
	case 1:
		return false
	case 0:
		if across < 0 {
			return owns(-dy, dx)
		}
		return owns(dy, -dx)
	}
	return true
}

// inPoint is RAS-189, of a size in 1/128 pixel.
func inPoint(a spot, size int64, s spot) bool {
	in := func(a, s int64) bool { return 2*a-2*size <= 2*s && 2*s < 2*a+2*size }
	return in(a.x, s.x) && in(a.y, s.y)
}

// inDiamond says that a place, moved by −(ε, ε²), lies in the diamond of a pixel: RAS-212.
func inDiamond(p spot, x, y int64) bool {
	dx, dy := p.x-256*x-128, p.y-256*y-128
	m := max(dx, -dx) + max(dy, -dy)
	return m < 128 || m == 128 && dx > 0
}

// bresenham is RAS-211: pixels whose diamond the segment, its ends moved by −(ε, ε²), meets, but that of its end. The moved segment meets an open
// diamond where a corner of it lies on each side, or where an end lies within.
func bresenham(a, b spot, x, y int64) bool {
	if a == b || inDiamond(b, x, y) {
		return false
	}
	if inDiamond(a, x, y) {
		return true
	}
	// Clip the segment to the four half-planes ±dx ± dy < 128: an interval of its parameter, open, in rationals and ε.
	dx, dy := b.x-a.x, b.y-a.y
	type number [3]int64                                  // c + c1·ε + c2·ε²: the first that is not 0 decides
	low, high := [2]number{{0}, {1}}, [2]number{{1}, {1}} // numerators over denominators that are positive
	less := func(p, q [2]number) bool {                   // p0/p1 < q0/q1, denominators without ε
		for k := range 3 {
			l, r := new(big.Int).Mul(big.NewInt(p[0][k]), big.NewInt(q[1][0])), new(big.Int).Mul(big.NewInt(q[0][k]), big.NewInt(p[1][0]))
			if c := l.Cmp(r); c != 0 {
				return c < 0
			}
		}
		return false
	}
	for _, n := range [4][2]int64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
		// f(t) = n·(a − centre − (ε, ε²)) + t·n·d − 128 < 0
		f := number{n[0]*(a.x-256*x-128) + n[1]*(a.y-256*y-128) - 128, -n[0], -n[1]}
		slope := n[0]*dx + n[1]*dy
		switch {
		case slope == 0:
			for k := range 3 {
				if f[k] > 0 {
					return false
				}
				if f[k] < 0 {
					break
				}
			}
			if f == (number{}) {
				return false
			}
		case slope > 0: // t < −f/slope
			if end := [2]number{{-f[0], -f[1], -f[2]}, {slope}}; less(end, high) {
				high = end
			}
		default: // t > f/−slope
			if start := [2]number{f, {-slope}}; less(low, start) {
				low = start
			}
		}
	}
	return less(low, high)
}

// coverCase is a shape and what it covers.
type coverCase struct {
	name     string
	topology vk.PrimitiveTopology
	vertices []spot
	change   func(*pumice.GraphicsPipelineDesc)
	covers   func(s spot, x, y int64) bool // a sample, of a pixel
}

// coverCases are shapes on an area of 12×10 pixels; on a grid of sixteenths samples lie on sides.
func coverCases(r *rand.Rand) (list []coverCase) {
	place := func(grid int64) spot {
		return spot{r.Int64N(14*256/grid)*grid - 256, r.Int64N(12*256/grid)*grid - 256}
	}
	grid := []int64{16, 1, 128, 3}[r.IntN(4)]
	p := [3]spot{place(grid), place(grid), place(grid)}
	orders := [6][3]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}
	o := orders[r.IntN(6)]
	turned := []spot{p[o[0]], p[o[1]], p[o[2]]}
	mode := func(m vk.PolygonMode) func(*pumice.GraphicsPipelineDesc) {
		return func(d *pumice.GraphicsPipelineDesc) { d.Rasterization.PolygonMode = m }
	}
	line := func(m vk.LineRasterizationMode, width float32) func(*pumice.GraphicsPipelineDesc) {
		return func(d *pumice.GraphicsPipelineDesc) {
			d.Rasterization.LineWidth = width
			d.Line = &vk.PipelineRasterizationLineStateCreateInfo{LineRasterizationMode: m}
		}
	}
	width := []int64{128, 64, 1, 256, 320, 1000, 129}[r.IntN(7)] // 1/128 pixel
	size := []int64{128, 1, 64, 192, 256, 513, 1280}[r.IntN(7)]
	list = append(list,
		coverCase{"fill", vk.PrimitiveTopologyTriangleList, turned, mode(vk.PolygonModeFill), func(s spot, x, y int64) bool { return inTriangle(p, s) }},
		coverCase{"rectangle", vk.PrimitiveTopologyTriangleList, turned, mode(vk.PolygonModeFillRectangleNV), func(s spot, x, y int64) bool { return inRectangle(p, s) }},
		coverCase{"corners", vk.PrimitiveTopologyTriangleList, turned, func(d *pumice.GraphicsPipelineDesc) {
			mode(vk.PolygonModePoint)(d)
			sized(float32(size) / 128)(d)
		}, func(s spot, x, y int64) bool {
			return inPoint(p[0], size, s) || inPoint(p[1], size, s) || inPoint(p[2], size, s)
		}},
		coverCase{"points", vk.PrimitiveTopologyPointList, p[:], sized(float32(size) / 128), func(s spot, x, y int64) bool {
			return inPoint(p[0], size, s) || inPoint(p[1], size, s) || inPoint(p[2], size, s)
		}},
		coverCase{"outline", vk.PrimitiveTopologyTriangleList, turned, func(d *pumice.GraphicsPipelineDesc) {
			line(vk.LineRasterizationModeDefault, float32(width)/128)(d)
			mode(vk.PolygonModeLine)(d)
		}, func(s spot, x, y int64) bool {
			return onLine(turned[0], turned[1], 2*width, s) || onLine(turned[1], turned[2], 2*width, s) || onLine(turned[2], turned[0], 2*width, s)
		}},
		coverCase{"Bresenham", vk.PrimitiveTopologyLineList, p[:2], line(vk.LineRasterizationModeBresenham, 1), func(s spot, x, y int64) bool { return bresenham(p[0], p[1], x, y) }},
		coverCase{"Bresenham strip", vk.PrimitiveTopologyLineStrip, p[:], line(vk.LineRasterizationModeBresenham, 1), func(s spot, x, y int64) bool {
			return bresenham(p[0], p[1], x, y) || bresenham(p[1], p[2], x, y)
		}})
	for _, m := range []vk.LineRasterizationMode{vk.LineRasterizationModeDefault, vk.LineRasterizationModeRectangular} {
		list = append(list, coverCase{fmt.Sprint("line ", m), vk.PrimitiveTopologyLineList, p[:2], line(m, float32(width)/128), func(s spot, x, y int64) bool { return onLine(p[0], p[1], 2*width, s) }})
	}
	return list
}

func TestTables_RAS239_CoverageOfEveryShape(t *testing.T) {
	rules.Covers(t, "RAS-002", "RAS-096", "RAS-097", "RAS-114", "RAS-187", "RAS-189", "RAS-193", "RAS-194", "RAS-199", "RAS-200", "RAS-201", "RAS-208", "RAS-209", "RAS-210", "RAS-211", "RAS-212",
		"RAS-213", "RAS-214", "RAS-219", "RAS-238", "RAS-239", "RAS-240", "RAS-241", "RAS-243", "RAS-244", "RAS-250", "RAS-251", "RAS-252", "RAS-254", "RAS-330")
	devices := tableDevices(t)
	r := rand.New(rand.NewPCG(7, 11))
	rounds := 40
	if testing.Short() {
		rounds = 15
	}
	for round := range rounds {
		for i, c := range coverCases(r) {
			for k, samples := range sampleCounts {
				if (round+k+i)%3 == 1 && samples != 16 {
					continue
				}
				var vertices []ruleVertex
				for _, v := range c.vertices { // all inside of the viewport, so that nothing is clipped; positions are exact
					vertices = append(vertices, at((float32(v.x)/256+24)/4, (float32(v.y)/256+24)/4, 1))
				}
				d := triangles("white.frag", 1, 16, 16, vertices...)
				d.samples, d.topology, d.viewports = samples, c.topology, []vk.Viewport{{X: -24, Y: -24, Width: 64, Height: 64, MaxDepth: 1}}
				d.pipeline = c.change
				got := d.run(t, devices[(round+k)%2])
				counted := uint64(0)
				for n := range 256 * samples {
					x, y, s := n/samples%16, n/samples/16, n%samples
					place := standardPlaces[samples][s]
					want := c.covers(spot{int64(256*x + 16*place[0]), int64(256*y + 16*place[1])}, int64(x), int64(y))
					if want {
						counted++
					}
					if drawn := got.at(0, x, y, s)[0] == 1; drawn != want {
						t.Errorf("%s of %v (round %d), %d samples, pixel %d,%d, sample %d: drawn %v, want %v", c.name, c.vertices, round, samples, x, y, s, drawn, want)
						break
					}
				}
				if c.name == "fill" && d.queried != counted {
					t.Errorf("%s of %v, %d samples: %d are counted, want %d", c.name, c.vertices, samples, d.queried, counted)
				}
			}
		}
	}
}
