package render

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Density maps and palettes of shading rates by tables: every region, layer, viewport and entry.

// Densities next to each bound: a fragment has 1/density pixels along an axis, a power of two, and at most four.
func TestTables_RAS128_EndsOfDensities(t *testing.T) {
	rules.Covers(t, "RAS-128", "RAS-129")
	next := math.Nextafter32
	for _, c := range []struct {
		density float32
		want    uint8 // log2
	}{
		{math.SmallestNonzeroFloat32, 2}, {0x1p-126, 2}, {next(.25, 0), 2}, {.25, 2}, {next(.25, 1), 1}, {next(.5, 0), 1}, {.5, 1}, {next(.5, 1), 0}, {next(1, 0), 0}, {1, 0},
		{0, 0}, {float32(math.Copysign(0, -1)), 0}, {-math.SmallestNonzeroFloat32, 0}, {-1, 0}, {math.MaxFloat32, 0}, {float32(math.NaN()), 0},
	} {
		for region := uint8(0); region <= 5; region++ {
			if got := densityArea(c.density, region); got != min(c.want, region) {
				t.Errorf("density %v in a region of %d: %d, want %d", c.density, 1<<region, got, min(c.want, region))
			}
		}
	}
}

// The layer of the map is the view with multiview, the layer where the map is by layer, else the first; so it is where the map
// has no such layer. Each layer is moved by its own offset.
func TestTables_RAS127_EveryLayer(t *testing.T) {
	rules.Covers(t, "RAS-127", "RAS-128", "RAS-136")
	codes := [3]byte{255, 127, 63} // areas of 1, 2 and 4 pixels
	for layers := 1; layers <= 5; layers++ {
		view := densityView(t, 4, 3, layers, func(layer, x, y int) [2]byte { return [2]byte{codes[(x+layer)%3], codes[(y+2*layer)%3]} })
		for _, mask := range []uint32{0, 1, 1<<layers - 1} {
			for _, perLayer := range []bool{false, true} {
				for given := range layers + 1 {
					m := &DensityMap{View: view, Framebuffer: vk.Extent2D{Width: 64, Height: 48}, PerLayer: perLayer} // regions of 16×16
					for i := range given {
						m.Offsets = append(m.Offsets, vk.Offset2D{X: int32(16 * (i%3 - 1)), Y: int32(16 * (1 - i%2))})
					}
					p := &Pass{Area: rect(0, 0, 64, 48), Layers: layers, ViewMask: mask, Samples: 1, Density: m}
					pl, err := newExecutor(Config{}).newPlan(p)
					if err != nil {
						t.Fatal(err)
					}
					for at := range layers + 2 {
						want := 0
						if (mask != 0 || perLayer) && at < layers {
							want = at
						}
						if got := pl.density.layer(p, at); got != want {
							t.Errorf("view mask %#x, by layer %v: layer %d of a map of %d is %d, want %d", mask, perLayer, at, layers, got, want)
						}
					}
					for layer := range layers {
						for i := range 12 {
							x, y := 16*(i%4)+8, 16*(i/4)+8
							mx, my := x, y
							if layer < given {
								mx, my = x-int(m.Offsets[layer].X), y-int(m.Offsets[layer].Y)
							}
							tx, ty := min(max(mx/16, 0), 3), min(max(my/16, 0), 2)
							if mx < 0 {
								tx = 0
							}
							want := rates.Rate{W: uint8((tx + layer) % 3), H: uint8((ty + 2*layer) % 3)}
							if got := pl.density.at(layer, int32(x), int32(y)); got != want {
								t.Errorf("%d offsets, layer %d, centre %d,%d: %v, want %v", given, layer, x, y, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// Every extent of regions: each pixel of the render area is in one part, which has the rate of its region.
func TestTables_RAS130_EveryRegion(t *testing.T) {
	rules.Covers(t, "RAS-126", "RAS-127", "RAS-130")
	codes := [3]byte{255, 127, 63}
	const nx, ny = 7, 6
	of := func(x, y int) rates.Rate { return rates.Rate{W: uint8(x * (x + y/2) % 3), H: uint8(y / 2 % 2)} } // rows two by two alike
	view := densityView(t, nx, ny, 1, func(_, x, y int) [2]byte { r := of(x, y); return [2]byte{codes[r.W], codes[r.H]} })
	for w := 1; w <= 5; w++ {
		for h := 1; h <= 5; h++ {
			for _, tile := range []int{16, 64} {
				full := vk.Extent2D{Width: nx << w, Height: ny << h}
				p := &Pass{Area: rect(1, 1, full.Width-2, full.Height-1), Samples: 1, Density: &DensityMap{View: view, Framebuffer: full}}
				pl, err := newExecutor(Config{TileSize: tile}).newPlan(p)
				if err != nil {
					t.Fatal(err)
				}
				if d := pl.density; int(d.w) != w || int(d.h) != h {
					t.Fatalf("regions of %d×%d, want %d×%d", 1<<d.w, 1<<d.h, 1<<w, 1<<h)
				}
				seen := make([]int, int(full.Width*full.Height))
				for at := range pl.Grid.Tiles {
					_, r := pl.Grid.Tile(at)
					for _, part := range pl.density.parts(nil, 0, r.Intersect(pl.Area)) {
						for y := int(part.rect.Y0); y < int(part.rect.Y1); y++ {
							for x := int(part.rect.X0); x < int(part.rect.X1); x++ {
								seen[y*int(full.Width)+x]++
								want := of(x>>w, y>>h)
								want.W, want.H = min(want.W, uint8(w)), min(want.H, uint8(h)) // no larger than the region
								if part.rate != want {
									t.Fatalf("regions of %d×%d: %d,%d has rate %v, want %v", 1<<w, 1<<h, x, y, part.rate, want)
								}
							}
						}
					}
				}
				for i, n := range seen {
					x, y := i%int(full.Width), i/int(full.Width)
					if inside := x >= 1 && x < int(full.Width)-1 && y >= 1; inside != (n == 1) || n > 1 {
						t.Fatalf("regions of %d×%d: %d,%d is in %d parts", 1<<w, 1<<h, x, y, n)
					}
				}
			}
		}
	}
}

// At every viewport a sample of a fragment of 4×4 pixels drives all of them, wherever in the fragment the primitive is.
func TestTables_RAS131_EveryViewport(t *testing.T) {
	rules.Covers(t, "RAS-120", "RAS-131")
	for at := range MaxViewports {
		s := newScene(t, 16, 8, 1, vk.FormatUndefined)
		sizes(t, s)
		s.viewports(at)
		s.pass.Density = &DensityMap{View: densityView(t, 1, 1, 1, func(int, int, int) [2]byte { return [2]byte{63, 63} }), Framebuffer: s.pass.Area.Extent}
		// The middle of the fragment at 4,0 is at 6,2.
		s.add(s.pipeline(t, 64), s.state, s.quad(nil, 5.75, 1.75, 6.25, 2.25, 0, 1, 1, 1, 1), 8)
		s.run(t, Config{Threads: 1})
		for i := range 128 {
			x, y := i%16, i/16
			want := [4]float32{}
			if x >= 4 && x < 8 && y < 4 {
				want = [4]float32{6, 2, 44, 1}
			}
			if got := four(s.color, x, y, 0); got != want {
				t.Fatalf("viewport %d: %d,%d is %v, want %v", at, x, y, got, want)
			}
		}
	}
}

// halfOf is RAS-165: the larger dimension is halved, the height where they are equal.
func halfOf(w, h int) (int, int) {
	switch {
	case w == 1 && h == 1:
	case w > h:
		w /= 2
	default:
		h /= 2
	}
	return w, h
}

// The rates of palette entries where sample shading asks for invocations: all sizes, all numbers, by the formula.
func TestTables_RAS165_EverySize(t *testing.T) {
	rules.Covers(t, "RAS-158", "RAS-163", "RAS-164", "RAS-165", "RAS-167")
	log := func(n int) uint8 { return sized(n, 1).W }
	for w := range uint8(3) {
		for h := range uint8(3) {
			wantW, wantH := halfOf(1<<w, 1<<h)
			if got, want := (rates.Rate{W: w, H: h}).Halved(), (rates.Rate{W: log(wantW), H: log(wantH)}); got != want {
				t.Errorf("half of %v is %v, want %v", rates.Rate{W: w, H: h}, got, want)
			}
		}
	}
	for e, c := range paletteEntries {
		for samples := 1; samples <= 32; samples *= 2 {
			for n := 1; n <= samples; n++ {
				w, h, invocations := max(c.w, 1), max(c.h, 1), c.n
				for w*h*samples > 256 {
					w, h = halfOf(w, h)
				}
				if size := w * h; n > 1 {
					for w*h > 1 && w*h*n > size {
						w, h = halfOf(w, h)
					}
					if n > size {
						invocations = invocations * n / size
					}
				}
				want := rates.Pixel{Rate: rates.Rate{W: log(w), H: log(h)}, N: min(invocations, samples)}
				if c.none {
					want = rates.Pixel{}
				}
				if got := rates.Adjusted(rates.PaletteEntry(vk.ShadingRatePaletteEntryNV(e)), n, samples); got != want {
					t.Errorf("entry %d, %d of %d samples: %+v, want %+v", e, n, samples, got, want)
				}
			}
		}
	}
}

// Each index of each viewport's palette selects its entry, which alone differs from the others; indices from the palette's length on
// are one invocation a pixel. Where there is none, no test sees the fragments.
func TestTables_RAS166_EveryEntryOfEveryViewport(t *testing.T) {
	rules.Covers(t, "RAS-156", "RAS-160", "RAS-161", "RAS-162", "RAS-163", "RAS-166", "RAS-168")
	const pixels = 16 * 16
	check := func(at, index, own, others, length, samples int) {
		t.Helper()
		s := newScene(t, 16, 16, samples, vk.FormatD32Sfloat)
		s.viewports(at)
		view := newView(t, vk.FormatR8Uint, 1, 1, 1, 1)
		view.Image.Data[0] = byte(index)
		s.state.RateImageEnable, s.state.RateImage = true, view
		for v := range s.state.Palettes {
			p := &s.state.Palettes[v]
			for i := range p.Entries {
				p.Entries[i] = uint8(others)
			}
			p.N = rates.PaletteSize
		}
		s.state.Palettes[at].Entries[index], s.state.Palettes[at].N = uint8(own), uint8(length)
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		s.pass.Occlusion = make([]uint64, 1)
		s.add(s.pipeline(t, 64), s.state, s.whole(.5, 1, 1, 1, 1), 8).Occlusion = 1
		st := s.run(t, Config{Threads: 1, Lanes: 64})
		e := shadingRate{w: 1, h: 1, n: 1}
		if index < length {
			e = paletteEntries[own]
		}
		want, passed, depth := uint64(0), uint64(0), float32(1)
		if !e.none {
			want, passed, depth = uint64(pixels/e.w/e.h*min(e.n, samples)), uint64(samples*pixels), .5
		}
		if st.Fragments != want || s.pass.Occlusion[0] != passed || float(s.depth, 7, 9, samples-1) != depth {
			t.Errorf("viewport %d, index %d of %d, entry %d: %d invocations, %d samples, depth %v; want %d, %d, %v", at, index, length, own, st.Fragments, s.pass.Occlusion[0], float(s.depth, 7, 9, samples-1), want, passed, depth)
		}
	}
	const one, largest = int(vk.ShadingRatePaletteEntry1InvocationPerPixelNV), int(vk.ShadingRatePaletteEntry1InvocationPer4X4PixelsNV)
	for at := range MaxViewports {
		for index := range rates.PaletteSize {
			check(at, index, (at+5*index)%12, one, rates.PaletteSize, 2)
			check(at, index, 0, one, rates.PaletteSize, 1)
			check(at, index, one, largest, rates.PaletteSize, 1)
		}
		check(at, at, largest, 0, at, 1) // the first one that is missing
		check(at, at, largest, 0, at+1, 1)
	}
	for e := range paletteEntries {
		check(0, 3, e, one, rates.PaletteSize, 16)
	}
}

// Texels of the layers of a rate attachment and beyond its edges.
func TestTables_RAS142_EveryLayer(t *testing.T) {
	rules.Covers(t, "RAS-141", "RAS-142", "RAS-161")
	for layers := 1; layers <= 5; layers++ {
		v := newView(t, vk.FormatR8Uint, 3, 2, 1, layers)
		for layer := range layers {
			l := v.Level(0, layer)
			for i := range 6 {
				l.Data[l.Offset(i%3, i/3, 0, 0)] = byte(1 + 10*layer + i)
			}
		}
		for layer := range layers + 2 {
			for y := -1; y <= 2; y++ {
				for x := -1; x <= 3; x++ {
					want := uint32(0)
					if x >= 0 && x < 3 && y >= 0 && y < 2 {
						if want = uint32(1 + 3*y + x); layer < layers {
							want += uint32(10 * layer)
						}
					}
					if got := rates.TexelAt(v, layer, x, y); got != want {
						t.Errorf("texel %d,%d of layer %d of %d: %d, want %d", x, y, layer, layers, got, want)
					}
					// Each combiner takes the rate of that texel, of 8×16 pixels.
					for op := vk.FragmentShadingRateCombinerOpKeepKHR; op <= vk.FragmentShadingRateCombinerOpMulKHR && x >= 0 && y >= 0; op++ {
						p := rates.State{Set: rates.Of(4, 64), Samples: 4, Combiners: [2]vk.FragmentShadingRateCombinerOpKHR{0, op}}
						r := p.At(sized(2, 1), &rates.Attachment{View: v, Texel: vk.Extent2D{Width: 8, Height: 16}}, layer, int32(8*x+7), int32(16*y))
						code := limited(codedRate(int(want&15), false), 4, 64)
						if want := limited(joined(op, sizeRate{2, 1, 1}, code), 4, 64); (sizeRate{1 << r.W, 1 << r.H, r.N}) != want {
							t.Errorf("combiner %d, texel %d,%d of layer %d of %d: %+v, want %+v", op, x, y, layer, layers, r, want)
						}
					}
				}
			}
		}
	}
}

// Conservative modes take fragments as a whole: one is drawn where a pixel of it is touched, or where all are covered, for each size and
// each pixel, with scissors that cut fragments.
func TestTables_RAS134_EveryPixel(t *testing.T) {
	rules.Covers(t, "RAS-134", "RAS-278")
	codes := [3]byte{255, 127, 63}
	scissors := []vk.Rect2D{rect(0, 0, 16, 16), rect(3, 1, 9, 11), rect(1, 2, 14, 13), rect(6, 5, 1, 3)}
	for size := range 9 {
		w, h := 1<<(size%3), 1<<(size/3)
		draw := func(mode vk.ConservativeRasterizationModeEXT, scissor vk.Rect2D, corners [][2]float32, drawn func(x, y int) bool) {
			t.Helper()
			s := newScene(t, 16, 16, 1, vk.FormatUndefined)
			s.pass.Density = &DensityMap{View: densityView(t, 1, 1, 1, func(int, int, int) [2]byte { return [2]byte{codes[size%3], codes[size/3]} }), Framebuffer: s.pass.Area.Extent}
			s.state.ConservativeMode, s.state.Scissors[0] = mode, scissor
			s.state.Viewports[0] = vk.Viewport{X: -504, Y: -504, Width: 1024, Height: 1024, MaxDepth: 1} // so that nothing is clipped
			var list []float32
			for _, c := range corners {
				list = append(list, (c[0]-8)/512, (c[1]-8)/512, 0, 1, 1, 1, 1, 1)
			}
			s.add(s.pipeline(t, 64), s.state, list, 8)
			s.run(t, Config{Threads: 1, Lanes: 64})
			in := rectOf(scissor)
			for i := range 256 {
				x, y := i%16, i/16
				want := drawn(x, y) && x >= int(in.X0) && x < int(in.X1) && y >= int(in.Y0) && y < int(in.Y1)
				if got := pixel(s.color, x, y, 0)[0] != 0; got != want {
					t.Fatalf("mode %v, fragments of %d×%d, %v, in %+v: %d,%d is drawn: %v", mode, w, h, corners, scissor, x, y, got)
				}
			}
		}
		for at := range 64 {
			px, py := at%8+at/8%2*8, at/8+at%2*8
			x, y := float32(px), float32(py)
			square := [][2]float32{{x + .25, y + .25}, {x + .75, y + .25}, {x + .25, y + .75}, {x + .75, y + .25}, {x + .75, y + .75}, {x + .25, y + .75}}
			draw(vk.ConservativeRasterizationModeOverestimateEXT, scissors[at%4], square, func(x, y int) bool { return x/w == px/w && y/h == py/h })
			// From the middle of that pixel on to the right and down, or to the left and up.
			x, y = x+.5, y+.5
			draw(vk.ConservativeRasterizationModeUnderestimateEXT, scissors[at/4%4], [][2]float32{{x, y}, {x + 200, y}, {x, y + 200}}, func(x, y int) bool { return x/w*w > px && y/h*h > py })
			draw(vk.ConservativeRasterizationModeUnderestimateEXT, scissors[at/2%4], [][2]float32{{x, y}, {x - 200, y}, {x, y - 200}}, func(x, y int) bool { return x/w*w+w <= px && y/h*h+h <= py })
		}
	}
}
