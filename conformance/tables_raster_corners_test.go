package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Corners of lines and of where primitives go: lengths of nothing and of next to nothing, layers next to the last.

// lineModes are all modes of lines.
var lineModes = []vk.LineRasterizationMode{vk.LineRasterizationModeDefault, vk.LineRasterizationModeRectangular, vk.LineRasterizationModeBresenham, vk.LineRasterizationModeRectangularSmooth}

// Lines whose ends differ by 0, 1/256 and a few, along either axis: none without length, wherever it lies; of the others what the formulas say.
func TestTables_RAS197_ShortLines(t *testing.T) {
	rules.Covers(t, "RAS-197", "RAS-273", "RAS-199", "RAS-200", "RAS-209", "RAS-210", "RAS-211", "RAS-212", "RAS-213", "RAS-214")
	devices := tableDevices(t)
	steps := []int64{0, 1, 2, 127, 128, 129, 255, 256, 700, -1, -2, -127, -128, -129, -256, -700}
	for i, start := range []spot{{0, 0}, {0, 900}, {900, 0}, {896, 896}, {1024, 1024}, {901, 1023}} {
		for j, dx := range steps {
			for k, dy := range steps {
				if testing.Short() && (i+j+k)%3 != 0 && dx != 0 && dx != 1 && dy != 1 {
					continue
				}
				end := spot{start.x + dx, start.y + dy}
				for n, mode := range lineModes {
					smooth := mode == vk.LineRasterizationModeRectangularSmooth
					if smooth && (dx != 0 || dy != 0) {
						continue
					}
					place := func(v spot) ruleVertex { // a viewport of 64 pixels
						return at((float32(v.x)/256+24)/8, (float32(v.y)/256+24)/8, 1)
					}
					d := lineOf(mode, 1, 8, 8, place(start), place(end))
					d.pixels, d.colors, d.viewports = "white.frag", 1, []vk.Viewport{{X: -24, Y: -24, Width: 64, Height: 64, MaxDepth: 1}}
					line := d.pipeline
					for _, over := range []bool{false, true} {
						if over && (dx != 0 || dy != 0) {
							continue
						}
						d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
							line(p)
							if over {
								p.Conservative.ConservativeRasterizationMode = vk.ConservativeRasterizationModeOverestimateEXT
							}
						}
						got := d.run(t, devices[(i+j+n)%2])
						for p := range 64 {
							x, y := p%8, p/8
							want := onLine(start, end, 256, spot{int64(256*x + 128), int64(256*y + 128)})
							switch {
							case over: // a square as wide as the line
								want = int64(256*x) <= start.x+128 && int64(256*x+256) >= start.x-128 && int64(256*y) <= start.y+128 && int64(256*y+256) >= start.y-128
							case mode == vk.LineRasterizationModeBresenham:
								want = bresenham(start, end, int64(x), int64(y))
							}
							if drawn := got.at(0, x, y, 0)[0] == 1; drawn != want {
								t.Errorf("%v from %v by (%d, %d), overestimated %v: pixel %d,%d is drawn: %v", mode, start, dx, dy, over, x, y, drawn)
								break
							}
						}
					}
				}
			}
		}
	}
}

// Sides of a polygon have values as lines have, with perspective and without, in every mode of lines.
func TestTables_RAS253_SidesInEveryMode(t *testing.T) {
	rules.Covers(t, "RAS-205", "RAS-206", "RAS-207", "RAS-218", "RAS-231", "RAS-251", "RAS-253")
	devices := tableDevices(t)
	corners, w := []spot{{384, 384}, {2944, 384}, {384, 2944}}, []float32{1, 4, 2}
	value := [][4]float32{{1, 50, -3, .25}, {9, 10, 5, 8}, {-7, 90, 12, 4}}
	for _, mode := range lineModes {
		for _, samples := range sampleCounts {
			for i, dev := range devices {
				d := lineOf(mode, 1, 12, 12)
				d.pixels, d.colors, d.topology, d.samples = "plain.frag", 4, vk.PrimitiveTopologyTriangleList, samples
				for k, v := range corners {
					d.vertices = append(d.vertices, ruleVertex{x: float32(v.x) / 256, y: float32(v.y) / 256, w: w[k], value: value[k]})
				}
				pipeline := d.pipeline
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) { pipeline(p); p.Rasterization.PolygonMode = vk.PolygonModeLine }
				got := d.run(t, dev)
				// Away from the corners a pixel belongs to one side.
				for side, pixels := range [][][2]int{{{4, 1}, {7, 1}, {9, 1}}, {{4, 8}, {7, 5}, {9, 3}}, {{1, 9}, {1, 6}, {1, 4}}} {
					a, b := side, (side+1)%3
					line := shape{at: []spot{corners[a], corners[b]}, w: []float32{w[a], w[b]}, value: [][4]float32{value[a], value[b]}}
					for _, at := range pixels {
						for s := range samples {
							if got.at(0, at[0], at[1], s) == [4]float32{} {
								continue
							}
							for c := range 4 {
								centre := spot{int64(256*at[0] + 128), int64(256*at[1] + 128)}
								what := fmt.Sprintf("%v, %d samples, engine %d, side %d, pixel %v, component %d", mode, samples, i, side, at, c)
								smooth, plain := line.valueAt(centre, c, true), line.valueAt(centre, c, false)
								if mode == vk.LineRasterizationModeRectangularSmooth && c == 3 {
									smooth = math.NaN() // alpha has the line's coverage
								}
								if v := float64(got.at(0, at[0], at[1], s)[c]); math.Abs(v-smooth) > 1e-4 {
									t.Errorf("%s: %v, want %v", what, v, smooth)
								}
								if v := float64(got.at(1, at[0], at[1], s)[c]); math.Abs(v-plain) > 1e-4 {
									t.Errorf("%s, without perspective: %v, want %v", what, v, plain)
								}
								if v, want := got.at(2, at[0], at[1], s)[c], value[0][c]; v != want {
									t.Errorf("%s, flat: %v, want %v", what, v, want)
								}
							}
						}
					}
				}
			}
		}
	}
}

// Layers and viewports up to the last are drawn to, and none beyond, of every class of topologies.
func TestTables_RAS071_EveryLayerAndViewport(t *testing.T) {
	rules.Covers(t, "RAS-070", "RAS-071", "RAS-291", "RAS-374")
	devices := tableDevices(t)
	for n, topology := range distanceTopologies {
		for layers := 1; layers < 5; layers++ {
			for viewports := 1; viewports < 17; viewports += 5 {
				for _, at := range [][2]int{{0, 0}, {layers - 1, viewports - 1}, {layers, 0}, {layers + 1, 0}, {0, viewports}, {0, viewports + 1}, {layers - 1, 0}, {0, viewports - 1}, {255, 0}, {0, 255}} {
					d := builtins(topology, 16, 1)
					d.vertex, d.layers = "choose.vert", layers
					for k := range viewports { // a pixel each
						d.viewports = append(d.viewports, vk.Viewport{X: float32(k), Width: 1, Height: 1, MaxDepth: 1})
					}
					for _, v := range [][][2]float32{{{0, 0}, {32, 0}, {0, 2}}, {{0, .5}, {16, .5}}, {{8, .5}}}[n] {
						vertex := ruleVertex{x: v[0], y: v[1], w: 1}
						vertex.value = [4]float32{float32(at[0]), float32(at[1])}
						d.vertices = append(d.vertices, vertex)
					}
					got := d.run(t, devices[(layers+viewports)%2])
					for layer := range layers {
						for x := range 16 {
							want := layer == at[0] && x == at[1] && at[1] < viewports
							v := got.layer(ruleFace, layer, x, 0, 0)
							if drawn := got.layer(rulePoint, layer, x, 0, 0)[3] == 1; drawn != want || drawn && (v[2] != float32(layer) || v[3] != float32(x)) {
								t.Errorf("%v, layer %d of %d, viewport %d of %d: pixel %d of layer %d is drawn: %v, as %v", topology, at[0], layers, at[1], viewports, x, layer, drawn, v)
							}
						}
					}
				}
			}
		}
	}
}
