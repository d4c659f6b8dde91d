package conformance

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Samples by tables: where they are, which are covered, and what makes each an invocation, of every number of them.

// standardPlaces are the standard locations, in sixteenths of a pixel.
//
// RAS-106
var standardPlaces = map[int][][2]int{
	1:  {{8, 8}},
	2:  {{12, 12}, {4, 4}},
	4:  {{6, 2}, {14, 6}, {2, 10}, {10, 14}},
	8:  {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}},
	16: {{9, 9}, {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3}, {6, 14}, {8, 1}, {4, 2}, {2, 12}, {0, 8}, {15, 4}, {14, 15}, {1, 0}},
}

// placesOf are the locations of samples in 256ths of a pixel: the standard ones, and those of 32 and
// of 64 samples.
//
// RAS-106, RAS-379
func placesOf(samples int) (list [][2]int) {
	for _, p := range standardPlaces[samples] {
		list = append(list, [2]int{16 * p[0], 16 * p[1]})
	}
	if len(list) > 0 {
		return list
	}
	step := 256 / samples
	for i := range samples {
		x, y := 0, 0
		for bit, part := range []int{32, 48, 40, 60, 34, 51} { // of 64
			if i>>bit&1 != 0 {
				x, y = x+32>>bit, y^part
			}
		}
		x, y = x^x>>1^x>>2^x>>3^60, y^30
		list = append(list, [2]int{x*4/step*step + step/2, y*4/step*step + step/2})
	}
	return list
}

// ownPlaces are locations of one's own, in 256ths of a pixel: all different, in another order than the standard ones.
func ownPlaces(samples int) (list [][2]int) {
	for s := range samples {
		list = append(list, [2]int{(5*s + 3) % 16 * 16, (11*s + 1) % 16 * 16})
	}
	return list
}

// located makes the samples those of a list, nil the standard ones.
func located(places [][2]int) func(*pumice.GraphicsPipelineDesc) {
	return func(p *pumice.GraphicsPipelineDesc) {
		for _, at := range places {
			p.SampleLocations = append(p.SampleLocations, vk.SampleLocationEXT{X: float32(at[0]) / 256, Y: float32(at[1]) / 256})
		}
	}
}

// Places of samples as shaders see them, and as coverage has them: a side through each of them, from all four directions. A sample on
// a side belongs to what lies right of it, or below.
func TestTables_RAS106_PlacesOfEverySample(t *testing.T) {
	rules.Covers(t, "RAS-104", "RAS-105", "RAS-106", "RAS-107", "RAS-110", "RAS-113", "RAS-114", "RAS-115", "RAS-117", "RAS-118", "RAS-119", "RAS-179", "RAS-239", "RAS-290", "RAS-291", "RAS-379")
	devices := tableDevices(t)
	for _, samples := range allSampleCounts {
		for _, own := range []bool{false, true} {
			places := placesOf(samples)
			change := located(nil)
			if own && samples > 16 {
				continue
			}
			if own {
				places = ownPlaces(samples)
				change = located(places)
			}
			for engine, dev := range devices {
				d := triangles("samples.frag", 2, 3, 2, everywhere(3)...)
				d.samples, d.pipeline = samples, change
				got := d.run(t, dev)
				for k := range 6 * samples {
					x, y, s := k/samples%3, k/samples/3, k%samples
					px, py := float32(places[s][0])/256, float32(places[s][1])/256
					if v, want := got.at(0, x, y, s), [4]float32{float32(s), px, py, float32(int32(1) << s)}; v != want {
						t.Errorf("%d samples, own places %v, engine %d, sample %d: number, place and mask %v, want %v", samples, own, engine, s, v, want)
					}
					if v := got.at(1, x, y, s); v[0] != float32(x)+px || v[1] != float32(y)+py {
						t.Errorf("%d samples, own places %v, engine %d, sample %d of pixel %d,%d: shaded at %v", samples, own, engine, s, x, y, v[:2])
					}
				}
				for side := range 17 {
					for direction := range 4 {
						if testing.Short() && (side+direction)%2 == engine {
							continue
						}
						x, axis := 2+float32(side)/16, direction/2
						far := []float32{-99, 99}[direction%2]
						list := []ruleVertex{at(x, -99, 1), at(x, 99, 1), at(x+far, 0, 1)}
						if axis == 1 {
							list = []ruleVertex{at(-99, x, 1), at(99, x, 1), at(0, x+far, 1)}
						}
						d := triangles("white.frag", 1, 5, 5, list...)
						d.samples, d.pipeline = samples, change
						got := d.run(t, dev)
						for s, p := range places {
							want := p[axis] < 16*side == (direction%2 == 0)
							if drawn := got.at(0, 2, 2, s)[0] == 1; drawn != want {
								t.Errorf("%d samples, own places %v, engine %d, a side at %d/16, direction %d: sample %d at %v is drawn: %v", samples, own, engine, side, direction, s, p, drawn)
							}
						}
					}
				}
			}
		}
	}
}

// SampleId and SamplePosition shade by samples though nothing loads them, and keep fragments to a pixel, of one sample too. An input decorated
// Sample has to be read; other built-ins do nothing.
func TestTables_RAS174_DeclaredAndNotRead(t *testing.T) {
	rules.Covers(t, "RAS-148", "RAS-174")
	devices := tableDevices(t)
	for name, single := range map[string]bool{"unread.id.spvasm": true, "unread.place.spvasm": true, "unread.sample.spvasm": false, "unread.face.spvasm": false} {
		for _, samples := range sampleCounts {
			for _, size := range fragmentSizes {
				for _, dev := range devices {
					d := triangles(name, 1, 8, 4, everywhere(8)...)
					d.samples = samples
					d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.FragmentSize = fragmentOf(size) }
					got := d.run(t, dev)
					if !single {
						wantPlaces(t, fmt.Sprintf("%s, %d samples, fragments of %v", name, samples, size), got, 0, size)
						continue
					}
					for k := range 32 * samples {
						x, y, s := k/samples%8, k/samples/8, k%samples
						p := standardPlaces[samples][s]
						if v := got.at(0, x, y, s); v[0] != float32(x)+float32(p[0])/16 || v[1] != float32(y)+float32(p[1])/16 {
							t.Fatalf("%s, %d samples, fragments of %v: sample %d of pixel %d,%d is shaded at %v", name, samples, size, s, x, y, v[:2])
						}
					}
				}
			}
		}
	}
}

// How many invocations minSampleShading makes of a pixel, which samples each has, and where it is shaded: for the numbers next to each
// step. Without sampleShadingEnable it is one.
func TestTables_RAS176_EveryShare(t *testing.T) {
	rules.Covers(t, "RAS-017", "RAS-175", "RAS-176", "RAS-177", "RAS-178")
	devices := tableDevices(t)
	for _, samples := range allSampleCounts {
		least := []float32{0, 1, 0x1p-126}
		for k := 1; k < samples; k++ {
			if samples > 16 && bits.OnesCount(uint(k)) > 1 && k < samples-1 { // each takes long
				continue
			}
			step := float32(k) / float32(samples) // exact
			least = append(least, math.Nextafter32(step, 0), step, math.Nextafter32(step, 1))
		}
		for i, m := range least {
			for _, on := range []bool{true, false} {
				n := 1
				if product := rational(m); on && product.Sign() > 0 {
					n = int(math.Ceil(float64(m) * float64(samples))) // exact: a power of two
				}
				n = 1 << bits.Len(uint(n-1))
				d := triangles("once.frag", 2, 2, 1, everywhere(2)...)
				d.samples = samples
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
					p.Multisample = &vk.PipelineMultisampleStateCreateInfo{SampleShadingEnable: on, MinSampleShading: m}
				}
				got := d.run(t, devices[i%2])
				if d.counter[0] != uint32(2*n) {
					t.Errorf("%d samples, minSampleShading %v, enabled %v: %d invocations of two pixels, want %d", samples, m, on, d.counter[0], 2*n)
				}
				for k := range 2 * samples {
					x, s := k/samples, k%samples
					share := s * n / samples
					mask, first := 0, samples
					for j := range samples {
						if j*n/samples == share {
							mask |= 1 << j
							first = min(first, j)
						}
					}
					wx, wy := float32(x)+.5, float32(.5)
					if on {
						p := placesOf(samples)[first]
						wx, wy = float32(x)+float32(p[0])/256, float32(p[1])/256
						if n == 1 {
							wx, wy = float32(x)+.5, .5
						}
					}
					if v, w := got.at(0, x, 0, s), got.at(1, x, 0, s); v[1] != float32(int32(mask)) || w[0] != wx || w[1] != wy {
						t.Errorf("%d samples, minSampleShading %v, enabled %v, sample %d: mask %#x at %v, want %#x at %v, %v", samples, m, on, s, int(v[1]), w[:2], mask, wx, wy)
					}
				}
			}
		}
	}
}

// Coverage masks of fragments of every size and number of samples, in all their words: what shaders see of a triangle under a sample mask,
// and what their own mask leaves of it.
func TestTables_RAS110_EveryCoverageIndex(t *testing.T) {
	rules.Covers(t, "RAS-016", "RAS-018", "RAS-096", "RAS-098", "RAS-109", "RAS-110", "RAS-111", "RAS-112", "RAS-113", "RAS-290", "RAS-300", "RAS-309", "RAS-315", "RAS-330", "RC-50", "RC-51")
	devices := tableDevices(t)
	corners := [3]spot{{100, 300}, {2700, 90}, {900, 2650}}
	for i, samples := range allSampleCounts {
		places := placesOf(samples)
		for k, size := range fragmentSizes {
			if samples > 16 && size != [2]int{1, 1} { // RAS-138
				continue
			}
			for n, state := range []uint32{0xFFFFFFFF, 0x5A5A, 1, 0xFFFF8000 | 1<<(samples-1)} {
				left := []int32{-1, 0x5A5A5A5A, 0x01234567, -0x10000}[(n+k)%4]
				d := triangles("masks.spvasm", 2, 11, 11)
				for _, v := range corners { // a viewport of 64 pixels
					d.vertices = append(d.vertices, at((float32(v.x)/256+24)*11/64, (float32(v.y)/256+24)*11/64))
				}
				d.viewports = []vk.Viewport{{X: -24, Y: -24, Width: 64, Height: 64, MaxDepth: 1}}
				d.formats, d.samples = []vk.Format{vk.FormatR32G32B32A32Uint, vk.FormatR32G32B32A32Uint}, samples
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
					p.FragmentSize, p.Fragment.Constants = fragmentOf(size), pumice.Constants{0: left}
					p.Multisample = &vk.PipelineMultisampleStateCreateInfo{SampleMask: []uint32{state, ^state}}
				}
				got := d.run(t, devices[(i+k+n)%2])
				// In place of positions that are no binary32 there are those next to them, which are snapped to the same 1/256.
				covered := func(x, y, s int) bool {
					p, allowed := places[s], []uint32{state, ^state}[s/32]
					return x < 11 && y < 11 && allowed>>(s%32)&1 != 0 && inTriangle(corners, spot{int64(256*x + p[0]), int64(256*y + p[1])})
				}
				counted := uint64(0)
				for j := range 121 * samples {
					x, y, s := j/samples%11, j/samples/11, j%samples
					x0, y0 := x/size[0]*size[0], y/size[1]*size[1]
					var mask [8]uint32
					index := 0
					for pixel := range size[0] * size[1] {
						for sample := range samples {
							at := sample + samples*(size[0]*size[1]-1-pixel)
							if x0+pixel%size[0] == x && y0+pixel/size[0] == y && sample == s {
								index = at
							}
							if covered(x0+pixel%size[0], y0+pixel/size[0], sample) {
								mask[at/32] |= 1 << (at % 32)
							}
						}
					}
					words := uint32(left)
					if index/32%2 == 1 {
						words = ^words
					}
					drawn := covered(x, y, s) && words>>(index%32)&1 != 0
					if drawn {
						counted++
					} else {
						mask = [8]uint32{}
					}
					for w, want := range mask {
						if v := got.word(w/4, x, y, s, w%4); v != want {
							t.Fatalf("%d samples, fragments of %v, sample mask %#x, mask %#x of the shader: word %d of pixel %d,%d, sample %d is %#x, want %#x", samples, size, state, uint32(left), w, x, y, s, v, want)
						}
					}
				}
				if d.queried != counted {
					t.Errorf("%d samples, fragments of %v, sample mask %#x: %d are counted, want %d", samples, size, state, d.queried, counted)
				}
			}
		}
	}
}
