package conformance

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Fragments by tables: where each invocation is, what it is given, and what becomes of what it leaves, sample by sample.

// NaN of one vertex is NaN in all of a primitive; what all vertices have is what fragments have, beyond the sides too, and a positive zero is
// no negative one. Points have their vertex's.
func TestTables_RAS249_NaNAndZeros(t *testing.T) {
	rules.Covers(t, "RAS-190", "RAS-249", "RAS-253", "RAS-281")
	devices := tableDevices(t)
	zero := float32(math.Copysign(0, -1))
	for _, w := range tableWays {
		for n, topology := range distanceTopologies {
			for mode := range vk.PolygonModePoint + 1 {
				if n > 0 && mode > 0 {
					continue
				}
				for k := range 3 - n {
					// The centre of pixel 1,1 lies beyond vertex k: both weights of the others are below zero.
					corners := [3][2]float32{{1.5625, 1.5625}, {7.5, 1.5625}, {1.5625, 7.5}}
					d := triangles("plain.frag", 4, 8, 8)
					d.topology = topology
					for i := range 3 - n {
						at := at(corners[(i+3-k)%3][0], corners[(i+3-k)%3][1], 1, 0, 2, -5)
						if i == k {
							at.value[0] = float32(math.NaN())
						}
						if n == 2 {
							at.value[1] = zero
						}
						d.vertices = append(d.vertices, at)
					}
					d.pipeline = func(p *pumice.GraphicsPipelineDesc) { sized(2)(p); p.Rasterization.PolygonMode = mode }
					got, drawn := w.run(t, d, devices), 0
					for i := range 64 * d.samples {
						x, y, s := i/d.samples%8, i/d.samples/8, i%d.samples
						if got.at(0, x, y, s)[3] == 0 {
							continue
						}
						drawn++
						for color := range 2 {
							v := got.at(color, x, y, s)
							what := fmt.Sprintf("%s, %v, mode %d, vertex %d, pixel %d,%d, sample %d, output %d", w.name, topology, mode, k, x, y, s, color)
							bits := got.word(color, x, y, s, 1)
							switch {
							case n == 2:
								if v[0] == v[0] || bits != 1<<31 {
									t.Fatalf("%s: a point has %v and %#x, want NaN and -0", what, v[0], bits)
								}
							case mode == vk.PolygonModeFill && v[0] == v[0]:
								t.Fatalf("%s: %v, want NaN", what, v[0])
							case bits != 0 || v[2] != 2 || v[3] != -5:
								t.Fatalf("%s: %#x, %v, %v, want 0, 2, -5", what, bits, v[2], v[3])
							}
						}
					}
					if drawn == 0 {
						t.Errorf("%s, %v, mode %d: nothing is drawn", w.name, topology, mode)
					}
				}
			}
		}
	}
}

// shading is how a primitive's samples come to be shaded.
type shading struct {
	size        [2]int
	samples     int
	density     bool // of a density map: each fragment has the samples of one pixel (RAS-131)
	invocations int  // of a pixel, or of such a fragment, 1 where samples are not shaded apart
}

// fragmentAt is the fragment that has a pixel.
func (h *shading) fragmentAt(x, y int) fragment {
	return fragment{int64(x / h.size[0] * h.size[0]), int64(y / h.size[1] * h.size[1]), h.size, h.samples}
}

// sampleAt is where a sample of a fragment is.
func (h *shading) sampleAt(f fragment, s int) spot {
	at := standardPlaces[h.samples][s]
	return spot{256*f.x + int64(16*at[0]*h.size[0]), 256*f.y + int64(16*at[1]*h.size[1])}
}

// places are where the invocation that has a sample is shaded, and where its centroid inputs are.
//
// RAS-131, RAS-176, RAS-177, RAS-283, RAS-284, RAS-285
func (h *shading) places(p *shape, f fragment, s int) (at, centroid spot) {
	if h.invocations == 1 {
		at = f.centre()
		if p.covers(at) {
			return at, at
		}
	}
	first := none
	for k := range h.samples {
		if k*h.invocations/h.samples != s*h.invocations/h.samples {
			continue
		}
		if first == none {
			if first = k; h.invocations > 1 {
				at = h.sampleAt(f, k)
			}
		}
		if c := h.sampleAt(f, k); p.covers(c) {
			return at, c
		}
	}
	return at, at
}

// none is no sample.
const none = -1

// Inputs of sample shading, of every number of samples and invocations, and of the fragments of density maps, of every size, shaded by samples
// and not: of triangles, lines and points that cover parts of quads.
func TestTables_RAS285_EveryInvocation(t *testing.T) {
	rules.Covers(t, "IMG-134", "RAS-107", "RAS-131", "RAS-132", "RAS-150", "RAS-151", "RAS-171", "RAS-173", "RAS-176", "RAS-177", "RAS-178", "RAS-281", "RAS-283", "RAS-284", "RAS-285", "RAS-286", "RAS-287", "RAS-288", "RAS-295", "RAS-299")
	devices := tableDevices(t)
	var ways []shading
	for _, samples := range sampleCounts {
		for n := 2; n <= samples; n *= 2 {
			ways = append(ways, shading{[2]int{1, 1}, samples, false, n})
		}
		for _, size := range fragmentSizes {
			ways = append(ways, shading{size, samples, true, 1})
			if samples > 1 {
				ways = append(ways, shading{size, samples, true, samples})
			}
		}
	}
	shapes := []shape{
		{topology: vk.PrimitiveTopologyTriangleList, at: []spot{{300, 200}, {2700, 1100}, {700, 2900}}, w: []float32{1, 2, 4}, value: [][4]float32{{1, 50, -3, .25}, {9, 10, 5, 8}, {-7, 90, 12, 4}}},
		{topology: vk.PrimitiveTopologyLineList, at: []spot{{400, 500}, {2600, 1900}}, w: []float32{2, 1}, value: [][4]float32{{1, 50, -3, .25}, {9, 10, 5, 8}}, width: 384},
		{topology: vk.PrimitiveTopologyPointList, at: []spot{{1400, 1300}}, w: []float32{2}, value: [][4]float32{{1, 50, -3, .25}}, width: 700},
	}
	for i, h := range ways {
		for n := range shapes {
			if testing.Short() && (i+n)%3 != 0 && (n > 0 || i > 4) {
				continue
			}
			p := &shapes[n]
			dev := devices[(i+n)%2]
			number := i % h.samples
			d := triangles("interpolate.frag", 8, 12, 12)
			for k, v := range p.at { // a viewport of 64 pixels, so that nothing is clipped
				x, y := (float32(v.x)/256+24)*12/64, (float32(v.y)/256+24)*12/64
				d.vertices = append(d.vertices, ruleVertex{x: x, y: y, w: p.w[k], value: p.value[k]})
			}
			d.topology, d.samples, d.viewports = p.topology, h.samples, []vk.Viewport{{X: -24, Y: -24, Width: 64, Height: 64, MaxDepth: 1}}
			d.pipeline = func(desc *pumice.GraphicsPipelineDesc) {
				desc.Vertex.Constants, desc.Fragment.Constants = pumice.Constants{0: float32(p.width) / 128}, pumice.Constants{1: int32(number)}
				desc.Rasterization.LineWidth = float32(p.width) / 128
				desc.Line = &vk.PipelineRasterizationLineStateCreateInfo{LineRasterizationMode: vk.LineRasterizationModeRectangular}
				if h.invocations > 1 {
					desc.Multisample = &vk.PipelineMultisampleStateCreateInfo{SampleShadingEnable: true, MinSampleShading: float32(h.invocations) / float32(h.samples)}
				}
			}
			if h.density {
				d.rendering = func(r *pumice.Rendering) { r.Density = densityOf(t, dev, h.size) }
			}
			got := d.run(t, dev)
			type key struct {
				at          spot
				c           int
				perspective bool
			}
			known := map[key][2]float64{}
			// value is what an input is at a place, and how large what is added up for it may be.
			value := func(at spot, c int, perspective bool) (v, scale float64) {
				k := key{at, c, perspective}
				if e, ok := known[k]; ok {
					return e[0], e[1]
				}
				scale, most := 1.0, 1.0
				for i := range p.value {
					for j := range p.value {
						scale = max(scale, math.Abs(float64(p.value[i][c])), 2*math.Abs(float64(p.value[i][c]-p.value[j][c])))
					}
				}
				for _, a := range p.weights(at) {
					f, _ := a.Float64()
					most = max(most, math.Abs(f))
				}
				known[k] = [2]float64{p.valueAt(at, c, perspective), scale * most * most * 8}
				return known[k][0], known[k][1]
			}
			what := fmt.Sprintf("%v, fragments of %v, %d samples, density %v, %d invocations", p.topology, h.size, h.samples, h.density, h.invocations)
			for k := range 144 * h.samples {
				x, y, s := k/h.samples%12, k/h.samples/12, k%h.samples
				f := h.fragmentAt(x, y)
				drawn := got.at(6, x, y, s)[3] != 0
				if want := p.covers(h.sampleAt(f, s)); drawn != want {
					t.Fatalf("%s: sample %d of pixel %d,%d is drawn: %v", what, s, x, y, drawn)
				}
				if !drawn {
					continue
				}
				place, centroid := h.places(p, f, s)
				check := func(output, c int, at spot, perspective bool) {
					want, scale := value(at, c, perspective)
					if v := float64(got.at(output, x, y, s)[c]); !(math.Abs(v-want) <= 6*0x1p-24*(scale+4*math.Abs(want))) {
						t.Fatalf("%s: sample %d of pixel %d,%d: component %d of output %d is %v, want %v at %v", what, s, x, y, c, output, v, want, at)
					}
				}
				centre := f.centre()
				for c := range 4 {
					check(0, c, place, true)
					check(1, c, place, false)
					check(2, c, centroid, true)
					check(3, c, centroid, false)
					check(4, c, spot{centre.x + 64, centre.y - 32}, true)
					check(5, c, h.sampleAt(f, number), false)
					next := spot{place.x + 256*int64(h.size[0]), place.y}
					if c%2 == 1 {
						next = spot{place.x, place.y + 256*int64(h.size[1])}
					}
					a, reach := value(place, c, false)
					b, more := value(next, c, false)
					back, less := value(spot{2*place.x - next.x, 2*place.y - next.y}, c, false)
					if v := float64(got.at(7, x, y, s)[c]); math.Abs(v-(b-a)) > 6*0x1p-24*2*(reach+more+less+math.Abs(a)+math.Abs(b)+math.Abs(back)) {
						t.Fatalf("%s: sample %d of pixel %d,%d: component %d changes by %v, want %v", what, s, x, y, c, v, b-a)
					}
				}
				if v := got.at(6, x, y, s); float64(v[0])*256 != float64(place.x) || float64(v[1])*256 != float64(place.y) {
					t.Fatalf("%s: sample %d of pixel %d,%d is shaded at %v, want %v", what, s, x, y, v[:2], place)
				}
			}
		}
	}
}

// densityOf is a density map that makes all fragments of one size.
func densityOf(t *testing.T, dev *pumice.Device, size [2]int) *pumice.Image {
	t.Helper()
	im, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8Unorm, Width: 1, Height: 1, Usage: vk.ImageUsageFragmentDensityMapBitEXT | vk.ImageUsageTransferDstBit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { im.Close() })
	if err := im.Write(ctx, pumice.Subresource{}, []byte{byte(255 / size[0]), byte(255 / size[1])}); err != nil {
		t.Fatal(err)
	}
	return im
}

// Weights of vertices, of every class of topologies, shaded in every way: those of RAS-205 and RAS-245, with perspective and without, at the place
// that is shaded and away from it. Where a primitive has fewer vertices the others have none.
func TestTables_RAS185_EveryWeight(t *testing.T) {
	rules.Covers(t, "RAS-184", "RAS-185", "RAS-190", "RAS-205", "RAS-245", "RAS-286")
	devices := tableDevices(t)
	for n, list := range [][]spot{{{300, 200}, {2700, 1100}, {700, 2900}}, {{400, 500}, {2600, 1900}}, {{1400, 1300}}} {
		p := shape{topology: distanceTopologies[n], at: list, w: []float32{1, 2, 4}[:3-n], width: 512}
		for k := range list { // of one component each
			var v [4]float32
			v[k] = 1
			p.value = append(p.value, v)
		}
		for i, w := range tableWays {
			d := triangles("weights.frag", 4, 12, 12)
			for k, v := range list {
				d.vertices = append(d.vertices, ruleVertex{x: (float32(v.x)/256 + 24) * 12 / 64, y: (float32(v.y)/256 + 24) * 12 / 64, w: p.w[k]})
			}
			d.topology, d.viewports = p.topology, []vk.Viewport{{X: -24, Y: -24, Width: 64, Height: 64, MaxDepth: 1}}
			d.pipeline = func(desc *pumice.GraphicsPipelineDesc) {
				desc.Vertex.Constants = pumice.Constants{0: float32(p.width) / 128}
				desc.Rasterization.LineWidth = float32(p.width) / 128
				desc.Line = &vk.PipelineRasterizationLineStateCreateInfo{LineRasterizationMode: vk.LineRasterizationModeRectangular}
			}
			got := w.run(t, d, devices)
			h := shading{size: [2]int{1, 1}, samples: d.samples, invocations: 1}
			switch w.name {
			case "sample by sample":
				h.invocations = d.samples
			case "fragments of 2×2", "fragments of 2×2, 4 samples":
				h.size = [2]int{2, 2}
			}
			drawn := 0
			for k := range 144 * d.samples {
				x, y, s := k/d.samples%12, k/d.samples/12, k%d.samples
				if got.at(0, x, y, s)[3] == 0 {
					continue
				}
				drawn++
				f := h.fragmentAt(x, y)
				place, away := f.centre(), f.centre()
				if h.invocations > 1 {
					place = h.sampleAt(f, s)
				}
				away.x, away.y = away.x+64, away.y-32
				for output, at := range []spot{place, place, away, away} {
					for c := range 3 {
						want := p.valueAt(at, c, output%2 == 0)
						if v := float64(got.at(output, x, y, s)[c]); math.Abs(v-want) > 1e-5 {
							t.Fatalf("%s, %v, pixel %d,%d, sample %d, output %d: weight %d is %v, want %v", w.name, p.topology, x, y, s, output, c, v, want)
						}
					}
				}
			}
			if drawn == 0 {
				t.Errorf("way %d, %v: nothing is drawn", i, p.topology)
			}
		}
	}
}

// What is told of inputs is what their decorations say, of every class of topologies, of equal w and of others.
func TestTables_RAS206_ToldOfInputs(t *testing.T) {
	rules.Covers(t, "RAS-190", "RAS-206", "RAS-207", "RAS-246", "RAS-247", "RAS-282", "RAS-284", "RAS-285")
	dev, err := pumice.Open(&pumice.Config{Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	const noPerspective, flat, centroid, sample = 13, 14, 16, 17
	for decoration, also := range map[uint32]string{0: "", noPerspective: "", flat: "RAS-282", centroid: "RAS-284", sample: "RAS-285"} {
		for n, topology := range distanceTopologies {
			for _, w := range []float32{1, 2} {
				d := triangles("linear.frag", 1, 8, 8, everywhere(8)[:3-n]...)
				d.vertices[0] = at(4.5, 4.5)
				if n == 0 {
					d.vertices[0], d.vertices[2].w = at(0, 0), w
				} else {
					d.vertices[2-n].w = w
				}
				d.topology, d.watch = topology, &pumice.WatchPoint{X: 4, Y: 4}
				if n == 1 {
					d.vertices[1] = ruleVertex{x: 7.5, y: 4.5, w: w}
				}
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
					sized(1)(p)
					if decoration == sample { // which needs a capability
						p.Fragment.Code = redecorated(t, "sample.frag", 0, 0)
						return
					}
					p.Fragment.Code = redecorated(t, "linear.frag", noPerspective, decoration)
				}
				d.run(t, dev)
				want := map[string]bool{}
				if n == 2 {
					want["RAS-190"] = true
				} else {
					linearly := w == 1 || decoration == noPerspective
					if decoration != flat {
						want[[2][2]string{{"RAS-246", "RAS-247"}, {"RAS-206", "RAS-207"}}[n][map[bool]int{true: 1}[linearly]]] = true
					}
					want[also] = true
				}
				delete(want, "")
				seen := map[string]bool{}
				for _, e := range d.told.Events {
					if e.Draw == nil {
						continue
					}
					for _, f := range e.Draw.Fragments {
						for _, s := range f.Steps {
							switch s.Rule {
							case "RAS-190", "RAS-206", "RAS-207", "RAS-246", "RAS-247", "RAS-282", "RAS-284", "RAS-285":
								seen[s.Rule] = true
							}
						}
					}
				}
				if !maps.Equal(seen, want) {
					t.Errorf("decoration %d, %v, w %v: told of %v, want %v", decoration, topology, w, seen, want)
				}
			}
		}
	}
}

// Outputs of every kind, wherever they stand among the others: components of two colours and of two sources, depth, the reference of the stencil
// test, and all words of the mask.
func TestTables_RAS349_EveryOutput(t *testing.T) {
	rules.Covers(t, "RAS-007", "RAS-300", "RAS-310", "RAS-311", "RAS-315", "RAS-349")
	devices := tableDevices(t)
	v0 := [4]float32{1, 2, 3, 4}
	always := func(p *pumice.GraphicsPipelineDesc) {
		face := vk.StencilOpState{PassOp: vk.StencilOpReplace, CompareOp: vk.CompareOpAlways, CompareMask: 255, WriteMask: 255, Reference: 5}
		p.DepthStencil = &vk.PipelineDepthStencilStateCreateInfo{DepthTestEnable: true, DepthWriteEnable: true, DepthCompareOp: vk.CompareOpAlways, StencilTestEnable: true, Front: face, Back: face}
	}
	for _, w := range tableWays {
		v := [4]float32{.5, .25, 7, 9}
		d := triangles("outputs.frag", 1, 6, 4, everywhere(8, v, v, v)...)
		d.depth, d.pipeline = vk.FormatD32SfloatS8Uint, always
		got := w.run(t, d, devices)
		for k := range 24 * d.samples {
			x, y, s := k/d.samples%6, k/d.samples/6, k%d.samples
			if c, z, ref := got.at(0, x, y, s), got.depth(x, y, s), got.s[k]; c != [4]float32{.5, 0, 0, 1} || z != .25 || ref != 7 {
				t.Fatalf("%s, pixel %d,%d, sample %d: colour %v, depth %v, stencil %d", w.name, x, y, s, c, z, ref)
			}
		}
		for mask := range min(16, 1<<w.samples) {
			v[2] = float32(mask)
			d := triangles("masked.frag", 1, 6, 4, everywhere(8, v, v, v)...)
			got := w.run(t, d, devices)
			for k := range 24 * d.samples {
				x, y, s := k/d.samples%6, k/d.samples/6, k%d.samples
				bit := s
				if strings.HasPrefix(w.name, "fragments") { // the last pixel is the first (RAS-110)
					bit += d.samples * (3 - x%2 - y%2*2)
				}
				want := [4]float32{}
				if mask>>bit&1 != 0 {
					want = [4]float32{.5, .25, 0, 1}
				}
				if c := got.at(0, x, y, s); c != want {
					t.Fatalf("%s, mask %#x, pixel %d,%d, sample %d: %v, want %v", w.name, mask, x, y, s, c, want)
				}
			}
		}
		v = [4]float32{2, 3, 5, 7}
		d = triangles("dual.frag", 1, 6, 4, everywhere(8, v, v, v)...)
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			p.Blend = &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{{
				BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorSrc1Color, SrcAlphaBlendFactor: vk.BlendFactorSrc1Alpha, ColorWriteMask: 15}}}
		}
		got = w.run(t, d, devices)
		for k := range 24 * d.samples {
			if c := got.at(0, k/d.samples%6, k/d.samples/6, k%d.samples); c != [4]float32{6, 15, 35, 14} {
				t.Fatalf("%s: %v of two sources", w.name, c)
			}
		}
	}
	for i, w := range tableWays {
		d := triangles("pair.frag", 2, 6, 4, everywhere(8, [4]float32{.5, 7}, [4]float32{.5, 7}, [4]float32{.5, 7})...)
		d.formats = []vk.Format{ruleFormat, vk.FormatR32G32B32A32Sint}
		got := w.run(t, d, devices)
		for k := range 24 * d.samples {
			x, y, s := k/d.samples%6, k/d.samples/6, k%d.samples
			if c := got.at(0, x, y, s); c != [4]float32{.5, 0, 0, 1} {
				t.Fatalf("%s: colour %v", w.name, c)
			}
			for c, want := range []uint32{7, 0, 0, 1} {
				if v := got.word(1, x, y, s, c); v != want {
					t.Fatalf("%s: component %d of the integer is %d, want %d", w.name, c, v, want)
				}
			}
		}
		// All attachments, and the last alone.
		d = triangles("many.frag", 16, 6, 4, everywhere(8, v0, v0, v0)...)
		if i%2 == 1 {
			d.rendering = func(r *pumice.Rendering) {
				for k := range 15 {
					r.Color[k] = pumice.Attachment{}
				}
			}
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
				p.ColorFormats = append(make([]vk.Format, 15), ruleFormat)
			}
		}
		got = w.run(t, d, devices)
		for color := range 16 {
			for k := range 24 * d.samples {
				f := float32(color)
				want := [4]float32{1 + f, 2 + f, 3 + f, 4 + f}
				if i%2 == 1 && color < 15 {
					want = [4]float32{}
				}
				if c := got.at(color, k/d.samples%6, k/d.samples/6, k%d.samples); c != want {
					t.Fatalf("%s: attachment %d has %v, want %v", w.name, color, c, want)
				}
			}
		}
	}
	// All words of the mask: of 16 samples of eight pixels.
	const left = 0x01234567
	for _, samples := range sampleCounts {
		for _, size := range fragmentSizes {
			d := triangles("masks.spvasm", 2, 8, 4, everywhere(8)...)
			d.formats, d.samples = []vk.Format{vk.FormatR32G32B32A32Uint, vk.FormatR32G32B32A32Uint}, samples
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
				p.FragmentSize, p.Fragment.Constants = fragmentOf(size), pumice.Constants{0: int32(left)}
			}
			d.run(t, devices[0])
			want := uint64(0)
			for index := range size[0] * size[1] * samples {
				if word := []uint32{left, ^uint32(left)}[index/32%2]; word>>(index%32)&1 != 0 {
					want++
				}
			}
			if want *= uint64(32 / size[0] / size[1]); d.queried != want {
				t.Errorf("%d samples, fragments of %v: %d samples are left, want %d", samples, size, d.queried, want)
			}
		}
	}
	// Location 16 is none, and the second source has location 0 only.
	for _, c := range []struct {
		module   string
		location uint32
		second   bool
	}{{"masked.frag", 16, false}, {"dual.frag", 1, true}} {
		code := relocated(t, c.module, c.location, c.second)
		desc := pumice.GraphicsPipelineDesc{Vertex: pumice.Shader{Code: redecorated(t, "values.vert", 0, 0)}, Fragment: pumice.Shader{Code: code}, ColorFormats: []vk.Format{ruleFormat},
			VertexBindings:   []vk.VertexInputBindingDescription{{Stride: 32}},
			VertexAttributes: []vk.VertexInputAttributeDescription{{Format: ruleFormat}, {Location: 1, Format: ruleFormat, Offset: 16}}}
		if p, err := devices[0].NewGraphicsPipeline(desc); err == nil {
			p.Close()
			t.Errorf("%s, location %d: a pipeline is made", c.module, c.location)
		} else {
			t.Log(err)
		}
	}
}

// Flat inputs are the provoking vertex's, and the others are not, of every topology, both modes, and on each way.
func TestTables_RAS067_FlatAndLinear(t *testing.T) {
	rules.Covers(t, "RAS-067", "RAS-068", "RAS-253", "RAS-281", "RAS-282", "RAS-287")
	devices := tableDevices(t)
	for topology := range plainTopologies {
		for mode := range vk.ProvokingVertexModeEXT(2) {
			for _, w := range append(waysOf(200+int(2*topology+vk.PrimitiveTopology(mode))), tableWays[10], tableWays[8]) {
				// A value is where its vertex is, and a number.
				list, place := primitivesOf(topology, 13)
				d, _ := topologyDraw(topology, func(i int) [4]float32 {
					x, y := place(i)
					return [4]float32{x, y, float32(i), 1}
				})
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) { sized(3)(p); p.ProvokingVertex = mode }
				got := w.run(t, d, devices)
				what := fmt.Sprintf("%v, mode %d, %s", topology, mode, w.name)
				between := 0
				for k := range 48 * 18 * d.samples {
					x, y, s := k/d.samples%48, k/d.samples/48, k%d.samples
					flat := got.at(2, x, y, s)
					if flat[3] == 0 {
						continue
					}
					vertex := int(flat[2])
					if px, py := place(vertex); flat[0] != px || flat[1] != py {
						t.Fatalf("%s: flat %v", what, flat)
					}
					provokes := slices.ContainsFunc(list, func(p primitive) bool {
						return vertex == map[bool]int{false: p.first, true: p.last}[mode == vk.ProvokingVertexModeLastVertexEXT]
					})
					if !provokes {
						t.Fatalf("%s: vertex %d provokes nothing", what, vertex)
					}
					if len(list[0].vertices) < 3 {
						continue // beside a line they have those of its middle
					}
					for color := range 2 {
						v := got.at(color, x, y, s)
						if dx, dy := float64(v[0])-float64(x)-.5, float64(v[1])-float64(y)-.5; math.Abs(dx) > 1.01 || math.Abs(dy) > 1.01 {
							t.Fatalf("%s, pixel %d,%d: output %d has the value of %v", what, x, y, color, v[:2])
						}
						if v[2] != flat[2] {
							between++
						}
					}
				}
				if len(list[0].vertices) == 3 && between == 0 {
					t.Errorf("%s: nothing lies between vertices", what)
				}
			}
		}
	}
}

// Depth of every sample of every fragment where the shader does not write it, tested after the shader: at the sample's own place, which in fragments
// of density maps is that of the fragment's. Some pixels count, and all are tested.
func TestTables_RAS151_DepthOfEverySample(t *testing.T) {
	rules.Covers(t, "RAS-131", "RAS-132", "RAS-151", "RAS-300", "RAS-301", "RAS-310", "RAS-311", "RAS-320", "RAS-330")
	devices := tableDevices(t)
	const size = 32
	// Depth x/64, of three corners that leave a part.
	corners := [3]spot{{-256 * 4, -256 * 2}, {256 * 60, 256}, {0, 256 * 60}}
	i := 0
	for _, samples := range sampleCounts {
		var ways []shading
		if samples > 1 {
			ways = append(ways, shading{[2]int{1, 1}, samples, false, samples})
		}
		for _, f := range fragmentSizes {
			ways = append(ways, shading{f, samples, false, 1}, shading{f, samples, true, 1})
		}
		for _, h := range ways {
			i++
			dev := devices[i%2]
			d := triangles("masked.frag", 1, size, size)
			for _, c := range corners { // a viewport of 128 pixels
				v := at((float32(c.x)/256+16)*size/128, (float32(c.y)/256+16)*size/128, 1, 1, 65535)
				v.z = float32(c.x)/256/64 + .25
				d.vertices = append(d.vertices, v)
			}
			d.viewports = []vk.Viewport{{X: -16, Y: -16, Width: 128, Height: 128, MaxDepth: 1}}
			d.depth, d.samples = vk.FormatD32SfloatS8Uint, samples
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
				face := vk.StencilOpState{PassOp: vk.StencilOpReplace, CompareOp: vk.CompareOpAlways, CompareMask: 255, WriteMask: 255, Reference: 5}
				p.DepthStencil = &vk.PipelineDepthStencilStateCreateInfo{DepthTestEnable: true, DepthWriteEnable: true, DepthCompareOp: vk.CompareOpLess, StencilTestEnable: true, Front: face, Back: face}
				if !h.density {
					p.FragmentSize = fragmentOf(h.size)
				}
				if h.invocations > 1 {
					p.Multisample = &vk.PipelineMultisampleStateCreateInfo{SampleShadingEnable: true, MinSampleShading: 1}
				}
			}
			if h.density {
				d.rendering = func(r *pumice.Rendering) { r.Density = densityOf(t, dev, h.size) }
			}
			got := d.run(t, dev)
			count := uint64(0)
			for k := range size * size * samples {
				x, y, s := k/samples%size, k/samples/size, k%samples
				f := fragment{int64(x), int64(y), [2]int{1, 1}, samples}
				if h.density {
					f = h.fragmentAt(x, y)
				}
				own := shading{f.size, samples, h.density, 1}
				place := own.sampleAt(f, s)
				covered := inTriangle(corners, place)
				// The mask has one word, 16 bits of it: of the fragment's coverage indices (RAS-110) it leaves those below 16, and those of other words.
				index := s
				if !h.density {
					pixel := y%h.size[1]*h.size[0] + x%h.size[0]
					index += samples * (h.size[0]*h.size[1] - 1 - pixel)
				}
				z, ref, color := float32(1), byte(0), float32(0)
				if covered && (index < 16 || index >= 32) {
					z, ref, color = float32(place.x)/256/64+.25, 5, 1
					count++
				}
				if v, c := got.depth(x, y, s), got.at(0, x, y, s)[0]; v != z || got.s[k] != ref || c != color {
					t.Fatalf("%+v, pixel %d,%d, sample %d: depth %v, stencil %d, colour %v, want %v, %d, %v", h, x, y, s, v, got.s[k], c, z, ref, color)
				}
			}
			if d.queried != count {
				t.Errorf("%+v: %d samples pass, want %d", h, d.queried, count)
			}
		}
	}
}

// Where a viewport ends a polygon, the centroid of its fragments is in the viewport: at the centre where that is, though it may lie on the left or the
// upper side and not on the others; lines reach beyond.
func TestTables_RAS080_CentroidsAtTheViewport(t *testing.T) {
	rules.Covers(t, "RAS-080", "RAS-085", "RAS-284")
	devices := tableDevices(t)
	ends := [][2]int64{{3*256 + 128, 10 * 256}, {4 * 256, 9 * 256}, {5 * 256, 9*256 + 128}, {6 * 256, 10*256 - 1}, {6*256 + 1, 11 * 256}, {4*256 + 128, 8*256 + 128}, {5*256 + 64, 6 * 256}}
	for i, samples := range sampleCounts {
		for k, size := range fragmentSizes {
			for n, ex := range ends {
				ey := ends[(n+i+k)%len(ends)]
				d := triangles("interpolate.frag", 8, 12, 12)
				x0, y0, w, h := float32(ex[0])/256, float32(ey[0])/256, float32(ex[1]-ex[0])/256, float32(ey[1]-ey[0])/256
				for _, c := range [][2]float32{{-24, -24}, {84, -24}, {-24, 84}} { // in twelfths of the viewport
					v := at(c[0], c[1], x0+c[0]/12*w, y0+c[1]/12*h, 0, 1)
					d.vertices = append(d.vertices, v)
				}
				d.viewports, d.samples = []vk.Viewport{{X: x0, Y: y0, Width: w, Height: h, MaxDepth: 1}}, samples
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.FragmentSize = fragmentOf(size) }
				got := d.run(t, devices[n%2])
				inside := func(s spot) bool { return s.x >= ex[0] && s.x < ex[1] && s.y >= ey[0] && s.y < ey[1] }
				for j := range 144 * samples {
					x, y, s := j/samples%12, j/samples/12, j%samples
					own := fragment{int64(x), int64(y), [2]int{1, 1}, samples}
					one := shading{[2]int{1, 1}, samples, false, 1}
					drawn := got.at(2, x, y, s)[3] != 0
					if want := inside(one.sampleAt(own, s)); drawn != want {
						t.Fatalf("%d samples, fragments of %v, viewport %v, %v: sample %d of pixel %d,%d is drawn: %v", samples, size, ex, ey, s, x, y, drawn)
					}
					if !drawn {
						continue
					}
					f := fragment{int64(x / size[0] * size[0]), int64(y / size[1] * size[1]), size, samples}
					at := f.centre()
					for pixel := size[0]*size[1] - 1; pixel >= 0 && !inside(f.centre()); pixel-- {
						first := none
						for k := range samples {
							p := one.sampleAt(fragment{f.x + int64(pixel%size[0]), f.y + int64(pixel/size[0]), [2]int{1, 1}, samples}, k)
							if first == none && p.x < 12*256 && p.y < 12*256 && inside(p) {
								first, at = k, p
							}
						}
						if first != none {
							break
						}
					}
					for color := 2; color < 4; color++ {
						v := got.at(color, x, y, s)
						if math.Abs(float64(v[0])*256-float64(at.x)) > .02 || math.Abs(float64(v[1])*256-float64(at.y)) > .02 {
							t.Fatalf("%d samples, fragments of %v, viewport %v, %v: output %d of pixel %d,%d is at %v, %v, want %v", samples, size, ex, ey, color, x, y, v[0]*256, v[1]*256, at)
						}
					}
				}
			}
			// A line that is wider than what is left of the viewport beside it, through centres of fragments beyond.
			d := triangles("interpolate.frag", 8, 12, 12, at(0, 1.5, 0, 5.5, 0, 1), at(12, 1.5, 12, 5.5, 0, 1))
			d.topology, d.samples = vk.PrimitiveTopologyLineList, samples
			d.viewports = []vk.Viewport{{Y: 5.25, Width: 12, Height: 2, MaxDepth: 1}}
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
				p.FragmentSize, p.Rasterization.LineWidth = fragmentOf(size), 3
				p.Line = &vk.PipelineRasterizationLineStateCreateInfo{LineRasterizationMode: vk.LineRasterizationModeRectangular}
			}
			got := d.run(t, devices[(i+k)%2])
			seen := false
			for j := range 144 * samples {
				x, y, s := j/samples%12, j/samples/12, j%samples
				f := fragment{int64(x / size[0] * size[0]), int64(y / size[1] * size[1]), size, samples}
				c := f.centre()
				if v := got.at(2, x, y, s); v[3] != 0 && c.y > 4*256 && c.y < 7*256 && c.x > 0 && c.x < 12*256 {
					seen = seen || c.y < 5*256+64
					if math.Abs(float64(v[0])*256-float64(c.x)) > .02 {
						t.Fatalf("%d samples, fragments of %v, a line: pixel %d,%d is at %v, want %v", samples, size, x, y, v[0]*256, c.x)
					}
				}
			}
			if !seen && size[1] < 4 {
				t.Errorf("%d samples, fragments of %v: no line beyond the viewport", samples, size)
			}
		}
	}
}

// Fragments of several pixels, so many that they fill batch after batch, in primitives of one, two and more quads of them.
func TestTables_RAS173_FullBatches(t *testing.T) {
	rules.Covers(t, "RAS-096", "RAS-150", "RAS-151", "RAS-173", "RAS-281", "RAS-282", "RAS-283", "RAS-284", "RAS-285", "RAS-288", "RAS-299")
	devices := tableDevices(t)
	const cells = 16 // of 4x4 pixels, a quad of fragments of 2x2 each
	for n, dev := range devices {
		for shift := range 3 {
			d := triangles("plain.frag", 4, 4*cells, 4*cells)
			var want [cells * cells]float32
			for round := range 3 {
				for from, k := 0, shift; from < cells*cells; k++ {
					to := min(from+1+k*k%5, (from/cells+1)*cells)
					number := float32(len(d.vertices)/6 + 1)
					x0, x1, y := float32(from%cells*4), float32((to-1)%cells*4+4), float32(from/cells*4)
					if round < 2 || k%3 == 0 {
						for _, c := range [][2]float32{{x0, y}, {x1, y}, {x0, y + 4}, {x1, y}, {x1, y + 4}, {x0, y + 4}} {
							d.vertices = append(d.vertices, at(c[0], c[1], number, c[0], c[1], 1))
						}
						for cell := from; cell < to; cell++ {
							want[cell] = number
						}
					}
					from = to
				}
			}
			d.pipeline = rate(2)
			if n == 1 {
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.FragmentSize = fragmentOf([2]int{2, 2}) }
			}
			got := d.run(t, dev)
			for i := range 16 * cells * cells {
				x, y := i%(4*cells), i/(4*cells)
				number := want[y/4*cells+x/4]
				fx, fy := float32(x/2*2+1), float32(y/2*2+1)
				for color := range 2 {
					if v := got.at(color, x, y, 0); v[0] != number || math.Abs(float64(v[1]-fx)) > 1e-4 || math.Abs(float64(v[2]-fy)) > 1e-4 {
						t.Fatalf("engine %d, pixel %d,%d, output %d: %v, want %v, %v, %v", n, x, y, color, v, number, fx, fy)
					}
				}
				if v := got.at(2, x, y, 0); v[0] != number {
					t.Fatalf("engine %d, pixel %d,%d: flat %v, want %v", n, x, y, v, number)
				}
			}
		}
	}
}
