package conformance

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Alpha of smooth lines is multiplied, whatever it is: zeros keep their sign, and NaN stays.
func TestTables_RAS316_AlphaOfSmoothLines(t *testing.T) {
	rules.Covers(t, "RAS-229", "RAS-230", "RAS-316")
	for n, dev := range tableDevices(t) {
		for _, samples := range sampleCounts {
			for _, alpha := range []float32{1, -2, 0, float32(math.Copysign(0, -1)), float32(math.NaN())} {
				v := [4]float32{5, 6, 7, alpha}
				a, b := at(2, 4), at(10, 4)
				a.value, b.value = v, v
				d := lineOf(vk.LineRasterizationModeRectangularSmooth, 4, 12, 8, a, b)
				d.pixels, d.colors, d.samples = "dual.frag", 1, samples
				got, drawn := d.run(t, dev), 0
				for k := range 96 * samples {
					x, y, s := k/samples%12, k/samples/12, k%samples
					c := got.at(0, x, y, s)
					if c[0] == 0 {
						continue
					}
					// Of the pixels in the line all is covered: the factor is 1.
					inside := x >= 3 && x < 9 && y >= 3 && y < 5
					if math.Signbit(float64(c[3])) != math.Signbit(float64(alpha)) && alpha == alpha || (c[3] != c[3]) != (alpha != alpha) ||
						inside && alpha == alpha && c[3] != alpha || math.Abs(float64(c[3])) > math.Abs(float64(alpha)) {
						t.Fatalf("engine %d, %d samples, pixel %d,%d: alpha %v of %v", n, samples, x, y, c[3], alpha)
					}
					if inside {
						drawn++
					}
				}
				if drawn != 12*samples {
					t.Errorf("engine %d, %d samples, alpha %v: %d samples are drawn within", n, samples, alpha, drawn)
				}
			}
		}
	}
}

// Size, invocations and masks of fragments of every kind, where a scissor leaves one pixel, a few or all, and what helpers beside them have: no samples.
func TestTables_RAS290_MasksUnderScissors(t *testing.T) {
	rules.Covers(t, "RAS-109", "RAS-113", "RAS-132", "RAS-179", "RAS-290", "RAS-291", "RAS-293", "RAS-294", "RAS-295", "RAS-297", "RAS-302")
	devices := tableDevices(t)
	var ways []shading
	for _, samples := range sampleCounts {
		if samples > 1 {
			ways = append(ways, shading{[2]int{1, 1}, samples, false, samples})
		}
		ways = append(ways, shading{[2]int{1, 1}, samples, false, 1})
		for _, size := range fragmentSizes {
			ways = append(ways, shading{size, samples, true, 1})
			if size[0]*size[1]*samples <= 16 { // masks that floats hold
				ways = append(ways, shading{size, samples, false, 1})
			}
		}
	}
	for i, h := range ways {
		dev := devices[i%2]
		var scissors []vk.Rect2D
		for k := range int32(16) {
			scissors = append(scissors, vk.Rect2D{Offset: vk.Offset2D{X: 4 + k%4, Y: k / 4}, Extent: vk.Extent2D{Width: 1, Height: 1}})
		}
		scissors = append(scissors, vk.Rect2D{Offset: vk.Offset2D{X: 1, Y: 1}, Extent: vk.Extent2D{Width: 5, Height: 6}}, vk.Rect2D{Extent: vk.Extent2D{Width: 16, Height: 8}})
		for k, r := range scissors {
			if testing.Short() && k < 16 && (i+k)%4 != 0 && k != 3 && k != 15 {
				continue
			}
			d := triangles("density.frag", 2, 16, 8, everywhere(16)...)
			d.samples, d.viewports = h.samples, []vk.Viewport{{Width: 16, Height: 8, MaxDepth: 1}}
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
				p.Viewport.Scissors = []vk.Rect2D{r}
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
			within := func(x, y int) bool {
				return x >= int(r.Offset.X) && y >= int(r.Offset.Y) && x < int(r.Offset.X)+int(r.Extent.Width) && y < int(r.Offset.Y)+int(r.Extent.Height)
			}
			// mask is that of the fragment whose corner is at (x0, y0), of the invocation of sample s.
			mask := func(x0, y0, s int) (m float32) {
				for p := range h.size[0] * h.size[1] {
					if !within(x0+p%h.size[0], y0+p/h.size[0]) {
						continue
					}
					all := 1<<h.samples - 1
					switch {
					case h.invocations > 1:
						return float32(int(1) << s)
					case h.density:
						return float32(all)
					default:
						m += float32(all << (h.samples * (h.size[0]*h.size[1] - 1 - p)))
					}
				}
				return m
			}
			for k := range 128 * h.samples {
				x, y, s := k/h.samples%16, k/h.samples/16, k%h.samples
				v, beside := got.at(0, x, y, s), got.at(1, x, y, s)
				if (beside[3] == 1) != within(x, y) {
					t.Fatalf("%+v, scissor %v: pixel %d,%d, sample %d is drawn: %v", h, r, x, y, s, beside[3] == 1)
				}
				if !within(x, y) {
					continue
				}
				x0, y0 := x/h.size[0]*h.size[0], y/h.size[1]*h.size[1]
				want := [4]float32{1, 1, float32(h.invocations), mask(x0, y0, s)}
				if h.density {
					want[0], want[1] = float32(h.size[0]), float32(h.size[1])
				}
				// The quad's other fragments: twice the size is where it begins.
				nx, ny := x0^h.size[0], y0^h.size[1]
				dx, dy := mask(nx, y0, s)-want[3], mask(x0, ny, s)-want[3]
				if nx < x0 {
					dx = -dx
				}
				if ny < y0 {
					dy = -dy
				}
				if v != want || beside != [4]float32{dx, dy, 0, 1} {
					t.Fatalf("%+v, scissor %v, pixel %d,%d, sample %d: size, invocations and mask %v, beside it %v; want %v, %v", h, r, x, y, s, v, beside, want, [2]float32{dx, dy})
				}
			}
		}
	}
}

// Primitives of one draw with layers and viewports in range and next to it: those out of it are dropped, and the others are not.
func TestTables_RAS071_OutOfRange(t *testing.T) {
	rules.Covers(t, "RAS-070", "RAS-071", "RAS-291", "RAS-374")
	devices := tableDevices(t)
	for n, topology := range distanceTopologies {
		for layers := 1; layers < 5; layers++ {
			for viewports := 1; viewports < 17; viewports++ {
				d := builtins(topology, 16, 1)
				d.vertex, d.layers = "choose.vert", layers
				for k := range viewports { // a pixel each
					d.viewports = append(d.viewports, vk.Viewport{X: float32(k), Width: 1, Height: 1, MaxDepth: 1})
				}
				want := map[[2]int]bool{}
				for k, v := range [][2]int{{0, viewports}, {layers, 0}, {0, 0}, {layers - 1, viewports - 1}, {layers, viewports - 1}, {layers - 1, viewports}, {65536, 0}, {0, 65536}, {layers / 2, viewports / 2}, {-1, 0}, {0, -1}, {0, 3}, {3, 0}, {1, 1}} {
					if k < 2 && viewports%2 == 0 {
						continue
					}
					want[v] = v[0] >= 0 && v[1] >= 0 && v[0] < layers && v[1] < viewports
					for _, c := range [][][2]float32{{{0, 0}, {32, 0}, {0, 2}}, {{0, .5}, {16, .5}}, {{8, .5}}}[n] {
						vertex := ruleVertex{x: c[0], y: c[1], w: 1}
						vertex.value = [4]float32{float32(v[0]), float32(v[1])}
						d.vertices = append(d.vertices, vertex)
					}
				}
				got := d.run(t, devices[(layers+viewports)%2])
				count := uint64(0)
				for layer := range layers {
					for x := range 16 {
						v := got.layer(ruleFace, layer, x, 0, 0)
						if drawn := got.layer(rulePoint, layer, x, 0, 0)[3] == 1; drawn != want[[2]int{layer, x}] || drawn && (v[2] != float32(layer) || v[3] != float32(x)) {
							t.Errorf("%v, %d layers, %d viewports: pixel %d of layer %d is drawn: %v, as %v", topology, layers, viewports, x, layer, drawn, v)
						}
					}
				}
				for i := 0; i < len(d.vertices); i += 3 - n {
					if v := d.vertices[i].value; want[[2]int{int(v[0]), int(v[1])}] {
						count++
					}
				}
				if d.queried != count {
					t.Errorf("%v, %d layers, %d viewports: %d samples pass, want %d", topology, layers, viewports, d.queried, count)
				}
			}
		}
	}
}

// Depth tests of blocks of 8x8 pixels whose samples pass, fail, or some of each, in every order: each sample is tested.
func TestTables_RAS372_EveryOrderOfBlocks(t *testing.T) {
	rules.Covers(t, "RAS-018", "RAS-300", "RAS-309", "RAS-314", "RAS-320", "RAS-327", "RAS-330", "RAS-372")
	devices := tableDevices(t)
	const blocks = 5
	for pattern := range 243 {
		if testing.Short() && pattern%4 != 1 {
			continue
		}
		for n, dev := range devices {
			samples := sampleCounts[(pattern+n)%3]
			writes := pattern/2%2 == n
			// The depth of pixel x is x/64: stored ones are next to it, or far away.
			stored := func(x, y, s int) float32 {
				kind := pattern
				for range x / 8 {
					kind /= 3
				}
				z := (float32(x)+.5)/64 + float32(standardPlaces[samples][s][0]-8)/1024
				pass := kind%3 == 0 || kind%3 == 1 && (x*3+y*5+s)%4 == 0
				switch near := (x+y)%3 != 0; {
				case pass && near:
					return z + 0x1p-12
				case pass:
					return z + .25
				case near:
					return z - 0x1p-12
				}
				return z - .0625
			}
			d := triangles("white.frag", 1, 8*blocks, 8, at(0, 0).deep(0, 1), at(64, 0).deep(1, 1), at(0, 64).deep(0, 1))
			d.depth, d.samples = vk.FormatD32Sfloat, samples
			mask := uint32(0xFFFF)
			if pattern%5 == 1 {
				mask = 0xAAAA | 1<<(pattern%samples)
			}
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
				withDepth(p)
				p.DepthStencil.DepthWriteEnable = writes
				p.Multisample = &vk.PipelineMultisampleStateCreateInfo{SampleMask: []uint32{mask}}
			}
			d.fillTests = func() (depth, stencil []byte) {
				for k := range 64 * blocks * samples {
					depth = binary.LittleEndian.AppendUint32(depth, math.Float32bits(stored(k/samples%(8*blocks), k/samples/(8*blocks), k%samples)))
				}
				return depth, nil
			}
			got, count := d.run(t, dev), uint64(0)
			for k := range 64 * blocks * samples {
				x, y, s := k/samples%(8*blocks), k/samples/(8*blocks), k%samples
				z := (float32(x) + float32(standardPlaces[samples][s][0])/16) / 64
				before := stored(x, y, s)
				passes := mask>>s&1 != 0 && z < before
				want := before
				if passes {
					if count++; writes {
						want = z
					}
				}
				if v, drawn := got.depth(x, y, s), got.at(0, x, y, s)[0] == 1; v != want || drawn != passes {
					t.Fatalf("pattern %d, engine %d, %d samples, writes %v, mask %#x, pixel %d,%d, sample %d: depth %v, drawn %v; want %v, %v", pattern, n, samples, writes, mask, x, y, s, v, drawn, want, passes)
				}
			}
			if d.queried != count {
				t.Errorf("pattern %d, engine %d: %d samples pass, want %d", pattern, n, d.queried, count)
			}
		}
	}
}

// Slivers through rows of blocks, of which sample masks leave some blocks and not others.
func TestTables_RAS309_SliversUnderMasks(t *testing.T) {
	rules.Covers(t, "RAS-018", "RAS-238", "RAS-239", "RAS-300", "RAS-309", "RAS-330")
	devices := tableDevices(t)
	for _, samples := range sampleCounts {
		for k := range 24 {
			if testing.Short() && (k+samples)%2 == 1 {
				continue
			}
			left, right := int64(4*256+k*11%256), int64(4*256+k*37%256)
			corners := [3]spot{{-100, left}, {48*256 + 50, right}, {-100, left + 40}}
			for n, mask := range []uint32{1, 2, 1 << (samples / 2), 1 << (samples - 1), 0x5555, 0xF0F0} {
				d := triangles("white.frag", 1, 48, 8)
				for _, c := range corners { // a viewport of 64x64 pixels
					d.vertices = append(d.vertices, at((float32(c.x)/256+8)*48/64, (float32(c.y)/256+8)*8/64))
				}
				d.viewports, d.samples = []vk.Viewport{{X: -8, Y: -8, Width: 64, Height: 64, MaxDepth: 1}}, samples
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
					p.Multisample = &vk.PipelineMultisampleStateCreateInfo{SampleMask: []uint32{mask}}
				}
				got, count := d.run(t, devices[n%2]), uint64(0)
				for i := range 48 * 8 * samples {
					x, y, s := i/samples%48, i/samples/48, i%samples
					place := standardPlaces[samples][s]
					want := mask>>s&1 != 0 && inTriangle(corners, spot{int64(256*x + 16*place[0]), int64(256*y + 16*place[1])})
					if want {
						count++
					}
					if drawn := got.at(0, x, y, s)[0] == 1; drawn != want {
						t.Fatalf("%d samples, %v, mask %#x: sample %d of pixel %d,%d is drawn: %v", samples, corners, mask, s, x, y, drawn)
					}
				}
				if d.queried != count {
					t.Errorf("%d samples, %v, mask %#x: %d samples pass, want %d", samples, corners, mask, d.queried, count)
				}
			}
		}
	}
}

// What meshes say of each of their primitives is what its fragments are given, built-in or not, on each way.
func TestTables_RAS291_PrimitivesOfMeshes(t *testing.T) {
	rules.Covers(t, "RAS-070", "RAS-071", "RAS-187", "RAS-281", "RAS-291")
	devices := tableDevices(t)
	for _, w := range tableWays {
		d := &ruleDraw{size: [2]int{16, 1}, layers: 2, mesh: "marks.mesh", pixels: "marks.frag", colors: 2}
		for range 3 {
			d.viewports = append(d.viewports, vk.Viewport{Width: 16, Height: 1, MaxDepth: 1})
		}
		got := w.run(t, d, devices)
		for i := range 16 {
			drawn := 0
			for layer := range 2 {
				for s := range d.samples {
					v, more := got.layer(0, layer, i, 0, s), got.layer(1, layer, i, 0, s)
					if more[3] == 0 {
						continue
					}
					drawn++
					f := float32(i)
					if want := [4]float32{10 + f, 20 - f, 3 * f, 100 + f}; v != want {
						t.Errorf("%s: primitive %d has %v, want %v", w.name, i, v, want)
					}
					if want := [4]float32{float32(i / 2 % 2), float32(i % 3), f, 1}; more != want || layer != i/2%2 {
						t.Errorf("%s: primitive %d, in layer %d, has %v, want %v", w.name, i, layer, more, want)
					}
				}
			}
			if drawn == 0 {
				t.Errorf("%s: primitive %d is not drawn", w.name, i)
			}
		}
	}
}
