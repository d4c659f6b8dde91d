package conformance

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Interpolation by tables: every component, every way to say where, fragments of every size, every number of samples.

// shape is a primitive in 1/256 pixel, with w and values of its vertices.
type shape struct {
	topology vk.PrimitiveTopology
	at       []spot
	w        []float32
	value    [][4]float32
	width    int64 // of a line or a point, in 1/128 pixel
}

func (p *shape) covers(s spot) bool {
	switch len(p.at) {
	case 1:
		return inPoint(p.at[0], p.width, s)
	case 2:
		return onLine(p.at[0], p.at[1], 2*p.width, s)
	}
	return inTriangle([3]spot(p.at), s)
}

// weights are those of the vertices at a place: of areas, of the way along a line, of a point all.
//
// RAS-190, RAS-205, RAS-245
func (p *shape) weights(s spot) (list []*big.Rat) {
	switch a := p.at; len(a) {
	case 1:
		return []*big.Rat{big.NewRat(1, 1)}
	case 2:
		dx, dy := a[1].x-a[0].x, a[1].y-a[0].y
		t := big.NewRat((s.x-a[0].x)*dx+(s.y-a[0].y)*dy, dx*dx+dy*dy)
		return []*big.Rat{new(big.Rat).Sub(big.NewRat(1, 1), t), t}
	default:
		all := area(a[0], a[1], a[2])
		return []*big.Rat{big.NewRat(area(s, a[1], a[2]), all), big.NewRat(area(a[0], s, a[2]), all), big.NewRat(area(a[0], a[1], s), all)}
	}
}

// value is component c at a place, with perspective or without.
//
// RAS-206, RAS-207, RAS-246, RAS-247, RAS-255
func (p *shape) valueAt(s spot, c int, perspective bool) float64 {
	above, below := new(big.Rat), new(big.Rat)
	for i, a := range p.weights(s) {
		if perspective {
			a = a.Quo(a, rational(p.w[i]))
		}
		below.Add(below, a)
		above.Add(above, new(big.Rat).Mul(a, rational(p.value[i][c])))
	}
	if below.Sign() <= 0 { // RAS-255: the provoking vertex's
		return float64(p.value[0][c])
	}
	v, _ := above.Quo(above, below).Float64()
	return v
}

// fragment is a fragment's corner and size in pixels, and where its samples are.
type fragment struct {
	x, y    int64
	size    [2]int
	samples int
}

func (f fragment) centre() spot {
	return spot{256*f.x + 128*int64(f.size[0]), 256*f.y + 128*int64(f.size[1])}
}

// centroid is where inputs of that kind are: in the centre if that is covered, else at the covered sample with the lowest coverage index,
// whose pixels come last first. No coverage is the centre.
//
// RAS-110, RAS-284
func (f fragment) centroid(p *shape) spot {
	if c := f.centre(); p.covers(c) {
		return c
	}
	for pixel := f.size[0]*f.size[1] - 1; pixel >= 0; pixel-- {
		for _, at := range standardPlaces[f.samples] {
			x, y := f.x+int64(pixel%f.size[0]), f.y+int64(pixel/f.size[0])
			if s := (spot{256*x + int64(16*at[0]), 256*y + int64(16*at[1])}); x < 12 && y < 12 && p.covers(s) {
				return s
			}
		}
	}
	return f.centre()
}

func TestTables_RAS281_EveryInterpolation(t *testing.T) {
	rules.Covers(t, "RAS-149", "RAS-150", "RAS-190", "RAS-204", "RAS-205", "RAS-206", "RAS-207", "RAS-245", "RAS-246", "RAS-247", "RAS-255", "RAS-281", "RAS-283", "RAS-284", "RAS-286", "RAS-287", "RAS-288", "RAS-293",
		"RAS-294", "RAS-295")
	devices := tableDevices(t)
	r := rand.New(rand.NewPCG(23, 5))
	rounds := 3
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		for n, topology := range []vk.PrimitiveTopology{vk.PrimitiveTopologyTriangleList, vk.PrimitiveTopologyLineList, vk.PrimitiveTopologyPointList} {
			p := shape{topology: topology, width: 384}
			for range 3 - n {
				p.at = append(p.at, spot{r.Int64N(11 * 256), r.Int64N(11 * 256)})
				p.w = append(p.w, []float32{1, 1, 2, 4, .5}[r.IntN(5)])
				p.value = append(p.value, [4]float32{float32(r.IntN(100)), float32(r.IntN(100)) - 50, float32(r.IntN(1000)) / 8, float32(r.IntN(16))})
			}
			if n == 0 {
				p.at[1] = spot{p.at[0].x + 5*256, p.at[0].y + int64(r.IntN(600))}
				p.at[2] = spot{p.at[0].x + int64(r.IntN(600)), p.at[0].y + 5*256 + 77}
			}
			for i, samples := range sampleCounts {
				for k, size := range fragmentSizes {
					if testing.Short() && (i+k+n)%2 == 1 {
						continue
					}
					number := r.IntN(samples)
					d := triangles("interpolate.frag", 8, 12, 12)
					for i, v := range p.at { // a viewport of 64 pixels, so that nothing is clipped
						x, y := (float32(v.x)/256+24)*12/64, (float32(v.y)/256+24)*12/64
						d.vertices = append(d.vertices, ruleVertex{x: x, y: y, w: p.w[i], value: p.value[i]})
					}
					d.topology, d.samples, d.viewports = topology, samples, []vk.Viewport{{X: -24, Y: -24, Width: 64, Height: 64, MaxDepth: 1}}
					d.pipeline = func(desc *pumice.GraphicsPipelineDesc) {
						desc.Vertex.Constants = pumice.Constants{0: float32(p.width) / 128}
						desc.Fragment.Constants = pumice.Constants{1: int32(number)}
						desc.FragmentSize, desc.Rasterization.LineWidth = fragmentOf(size), float32(p.width)/128
						if k%2 == 0 {
							desc.Line = &vk.PipelineRasterizationLineStateCreateInfo{LineRasterizationMode: vk.LineRasterizationModeRectangular}
						}
					}
					got := d.run(t, devices[(i+k)%2])
					// A fragment of fw × fh with r samples has up to 256 of them (RAS-138).
					for size[0]*size[1]*samples > 256 {
						t.Fatal("more coverage samples than there are")
					}
					failed := false
					check := func(what string, got, want, scale float64) {
						// Two weights, near the eye as large as the value is, and three sums, each rounded to binary32, of values up to scale.
						if !(math.Abs(got-want) <= 6*0x1p-24*(scale+4*math.Abs(want))) && !failed {
							failed = true
							t.Errorf("round %d, %v, fragments of %v, %d samples, %s: %v, want %v", round, topology, size, samples, what, got, want)
						}
					}
					for n := range 144 * samples {
						x, y, s := n/samples%12, n/samples/12, n%samples
						place := standardPlaces[samples][s]
						drawn := got.at(6, x, y, s)[3] != 0
						if want := p.covers(spot{int64(256*x + 16*place[0]), int64(256*y + 16*place[1])}); drawn != want {
							t.Fatalf("%v: pixel %d,%d, sample %d is drawn: %v", topology, x, y, s, drawn)
						}
						if !drawn {
							continue
						}
						f := fragment{int64(x / size[0] * size[0]), int64(y / size[1] * size[1]), size, samples}
						centre, centroid := f.centre(), f.centroid(&p)
						away := spot{centre.x + 64, centre.y - 32}
						what := func(i, c int) string { return fmt.Sprintf("pixel %d,%d, output %d, component %d", x, y, i, c) }
						for c := range 4 {
							scale := 1.0
							for i := range p.value {
								for j := range p.value {
									scale = max(scale, math.Abs(float64(p.value[i][c])), 2*math.Abs(float64(p.value[i][c]-p.value[j][c])))
								}
							}
							// Beyond the ends weights are larger than one.
							reach := func(s spot) float64 {
								most := 1.0
								for _, a := range p.weights(s) {
									v, _ := a.Float64()
									most = max(most, math.Abs(v))
								}
								return scale * most * most * 8
							}
							check(what(0, c), float64(got.at(0, x, y, s)[c]), p.valueAt(centre, c, true), reach(centre))
							check(what(1, c), float64(got.at(1, x, y, s)[c]), p.valueAt(centre, c, false), reach(centre))
							check(what(2, c), float64(got.at(2, x, y, s)[c]), p.valueAt(centroid, c, true), reach(centroid))
							check(what(3, c), float64(got.at(3, x, y, s)[c]), p.valueAt(centroid, c, false), reach(centroid))
							check(what(4, c), float64(got.at(4, x, y, s)[c]), p.valueAt(away, c, true), reach(away))
							if size == [2]int{1, 1} {
								at := standardPlaces[samples][number]
								own := spot{int64(256*x + 16*at[0]), int64(256*y + 16*at[1])}
								check(what(5, c), float64(got.at(5, x, y, s)[c]), p.valueAt(own, c, false), reach(own))
							}
							next := spot{256 * int64(size[0]), 0}
							if c%2 == 1 {
								next = spot{0, 256 * int64(size[1])}
							}
							slope := p.valueAt(spot{centre.x + next.x, centre.y + next.y}, c, false) - p.valueAt(centre, c, false)
							check(what(7, c), float64(got.at(7, x, y, s)[c]), slope, 2*reach(spot{centre.x + next.x, centre.y + next.y})+2*reach(spot{centre.x - next.x, centre.y - next.y}))
						}
						coord := got.at(6, x, y, s)
						inverse := new(big.Rat)
						for i, a := range p.weights(centre) {
							inverse.Add(inverse, a.Quo(a, rational(p.w[i])))
						}
						w, _ := inverse.Float64()
						check(what(6, 3), float64(coord[3]), w, 8)
						if float64(coord[0])*256 != float64(centre.x) || float64(coord[1])*256 != float64(centre.y) {
							t.Fatalf("%v, fragments of %v, pixel %d,%d: FragCoord %v", topology, size, x, y, coord)
						}
					}
				}
			}
		}
	}
}
