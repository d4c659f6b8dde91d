package render

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The floor is part of the formula: 1087/64 is 16.98, and that is a region of 16.
func TestDensity_RAS126_TexelSize(t *testing.T) {
	rules.Covers(t, "RAS-126")
	for _, c := range [][3]uint32{{1920, 64, 32}, {1080, 33, 32}, {100, 100, 2}, {1087, 64, 16}, {1088, 64, 32}, {576, 64, 16}, {60, 16, 4}, {4096, 16, 32}, {5, 9, 2}, {0, 0, 2}, {33, 16, 2}} {
		if got := uint32(1) << densityTexel(c[0], c[1]); got != c[2] {
			t.Errorf("%d over %d texels: regions of %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

func TestDensity_RAS129_Area(t *testing.T) {
	rules.Covers(t, "RAS-128", "RAS-129")
	for _, c := range []struct{ density, want float64 }{ // in regions of 4 pixels and more
		{127. / 255, 2}, {128. / 255, 1}, {63. / 255, 4}, {64. / 255, 2}, {1, 1}, {.5, 2}, {.25, 4}, {1. / 255, 4}, {1e-40, 4},
		{0, 1}, {-1, 1}, {2, 1}, {math.NaN(), 1}, {math.Inf(1), 1},
	} {
		for region, most := range []float64{1, 2, 4, 4, 4, 4} {
			if got, want := float64(int(1)<<densityArea(float32(c.density), uint8(region))), min(c.want, most); got != want {
				t.Errorf("density %v in a region of %d: area %v, want %v", c.density, 1<<region, got, want)
			}
		}
	}
}

// densityView makes a map of 8-bit densities: one for each axis of each texel.
func densityView(t testing.TB, width, height, layers int, at func(layer, x, y int) [2]byte) *resource.ImageView {
	v := newView(t, vk.FormatR8G8Unorm, width, height, 1, layers)
	for layer := range layers {
		l := v.Level(0, layer)
		for y := range height {
			for x := range width {
				d := at(layer, x, y)
				copy(l.Data[l.Offset(x, y, 0, 0):], d[:])
			}
		}
	}
	return v
}

// Which texel a region reads: by its centre less the offset, clamped; which layer;
// and through the components of the view.
func TestDensity_RAS127_Texel(t *testing.T) {
	rules.Covers(t, "RAS-127", "RAS-128", "RAS-136")
	codes := [3]byte{255, 127, 63} // areas 1, 2, 4
	view := densityView(t, 3, 2, 2, func(layer, x, y int) [2]byte { return [2]byte{codes[(x+layer)%3], codes[y]} })
	plan := func(m DensityMap, mask uint32) (*passPlan, *Pass) {
		m.View, m.Framebuffer = view, vk.Extent2D{Width: 48, Height: 32}
		p := &Pass{Area: vk.Rect2D{Extent: m.Framebuffer}, Layers: 2, ViewMask: mask, Samples: 1, Density: &m}
		pl, err := newExecutor(Config{}).newPlan(p)
		if err != nil {
			t.Fatal(err)
		}
		return pl, p
	}
	pl, p := plan(DensityMap{}, 0)
	if pl.density.w != 4 || pl.density.h != 4 {
		t.Fatalf("regions of %d×%d, want 16×16", 1<<pl.density.w, 1<<pl.density.h)
	}
	for layer, want := range []int{0, 0} {
		if got := pl.density.layer(p, layer); got != want {
			t.Errorf("layer %d without multiview reads layer %d", layer, got)
		}
	}
	views, p2 := plan(DensityMap{}, 3)
	perLayer, p3 := plan(DensityMap{PerLayer: true}, 0)
	if views.density.layer(p2, 1) != 1 || perLayer.density.layer(p3, 1) != 1 || perLayer.density.layer(p3, 7) != 0 {
		t.Error("view 1 and layer 1 have a layer of their own, a layer beyond the map has not")
	}
	moved, _ := plan(DensityMap{Offsets: []vk.Offset2D{{X: 16, Y: -16}, {X: 24}}}, 3)
	for _, c := range []struct {
		d     *densityPlan
		layer int
		x, y  int32
		want  rates.Rate
	}{
		{pl.density, 0, 8, 8, rates.Rate{W: 0, H: 0}}, {pl.density, 0, 24, 24, rates.Rate{W: 1, H: 1}}, {pl.density, 0, 40, 8, rates.Rate{W: 2, H: 0}},
		{pl.density, 0, 400, 800, rates.Rate{W: 2, H: 1}}, // beyond the map: its last texels
		{pl.density, 0, 47, 31, rates.Rate{W: 2, H: 1}}, {pl.density, 0, -9, -20, rates.Rate{W: 0, H: 0}}, {pl.density, 0, -9, 31, rates.Rate{W: 0, H: 1}}, {pl.density, 0, 32, -1, rates.Rate{W: 2, H: 0}},
		{views.density, 1, 8, 8, rates.Rate{W: 1, H: 0}},
		// The map is moved to the right and up.
		{moved.density, 0, 24, 8, rates.Rate{W: 0, H: 1}}, {moved.density, 0, 40, 8, rates.Rate{W: 1, H: 1}}, {moved.density, 0, 8, 8, rates.Rate{W: 0, H: 1}},
		// By one and a half regions: the centre of the second is in texel 0.
		{moved.density, 1, 40, 8, rates.Rate{W: 2, H: 0}}, {moved.density, 1, 24, 8, rates.Rate{W: 1, H: 0}},
	} {
		if got := c.d.at(c.layer, c.x, c.y); got != c.want {
			t.Errorf("layer %d, centre %d,%d: %v, want %v", c.layer, c.x, c.y, got, c.want)
		}
	}
	view.Components = vk.ComponentMapping{R: vk.ComponentSwizzleG, G: vk.ComponentSwizzleOne}
	if got := pl.density.at(0, 8, 24); got != (rates.Rate{W: 1, H: 0}) {
		t.Errorf("swizzled: %v, want 2×1", got)
	}
	view.Components = vk.ComponentMapping{R: vk.ComponentSwizzleZero, G: vk.ComponentSwizzleR}
	if got := pl.density.at(0, 40, 24); got != (rates.Rate{W: 0, H: 2}) {
		t.Errorf("swizzled: %v, want 1×4", got)
	}
}

// Regions lie on a grid of the framebuffer, whatever the offset: each reads the texel
// at its moved centre. Every pixel of the tiles is in one part.
func TestDensity_RAS127_Parts(t *testing.T) {
	rules.Covers(t, "RAS-127", "RAS-130", "RAS-136")
	codes := [3]byte{255, 127, 63}
	view := densityView(t, 4, 4, 1, func(_, x, y int) [2]byte { return [2]byte{codes[x*x%3], codes[y/2]} })
	for _, offset := range []vk.Offset2D{{}, {X: 8, Y: -8}, {X: -24, Y: 16}} {
		p := &Pass{Area: vk.Rect2D{Offset: vk.Offset2D{X: 5, Y: 3}, Extent: vk.Extent2D{Width: 70, Height: 60}}, Samples: 1,
			Density: &DensityMap{View: view, Framebuffer: vk.Extent2D{Width: 75, Height: 63}, Offsets: []vk.Offset2D{offset}}}
		pl, err := newExecutor(Config{TileSize: 64}).newPlan(p)
		if err != nil {
			t.Fatal(err)
		}
		d := pl.density // regions of 32×16
		if d.w != 5 || d.h != 4 {
			t.Fatalf("regions of %d×%d", 1<<d.w, 1<<d.h)
		}
		seen := map[[2]int32]int{}
		for tile := range pl.Grid.Tiles {
			_, r := pl.Grid.Tile(tile)
			parts := d.parts(nil, 0, r.Intersect(pl.Area))
			for y := r.Y0 - 1; y <= r.Y1; y++ { // rows of parts that a rectangle touches
				for h := range r.Y1 - r.Y0 {
					var want []densityPart
					for _, part := range parts {
						if part.rect.Y0 < y+h+1 && part.rect.Y1 > y {
							want = append(want, part)
						}
					}
					if got := rowsOf(parts, raster.Rect{X0: r.X0, X1: r.X1, Y0: y, Y1: y + h + 1}); !slices.Equal(got, want) {
						t.Fatalf("offset %v: rows %d to %d have %v, want %v", offset, y, y+h, got, want)
					}
				}
			}
			for _, part := range parts {
				for y := part.rect.Y0; y < part.rect.Y1; y++ {
					for x := part.rect.X0; x < part.rect.X1; x++ {
						seen[[2]int32{x, y}]++
						cx, cy := x/32*32+16-offset.X, y/16*16+8-offset.Y
						tx, ty := min(max(cx>>5, 0), 3), min(max(cy>>4, 0), 3)
						if want := (rates.Rate{W: uint8(tx * tx % 3), H: uint8(ty / 2)}); part.rate != want {
							t.Fatalf("offset %v: %d,%d has rate %v, want %v", offset, x, y, part.rate, want)
						}
					}
				}
			}
		}
		if len(seen) != 70*60 {
			t.Errorf("offset %v: %d pixels in parts, want %d", offset, len(seen), 70*60)
		}
		for at, n := range seen {
			if n != 1 {
				t.Fatalf("offset %v: %v is in %d parts", offset, at, n)
			}
		}
	}
}

// sizes makes the scene's shader write FragCoord, FragSizeEXT and
// FragInvocationCountEXT to four floats.
func sizes(t *testing.T, s *scene) {
	p := &ir.Program{Stage: ir.StageFragment, Name: "sizes"}
	b := ir.NewBuilder(p)
	in := func(builtin ir.Builtin, c uint32, typ ir.Type) ir.Value {
		p.Inputs = append(p.Inputs, inout(builtin, 0, c, typ))
		return b.OpImm(ir.OpInput, typ, uint64(len(p.Inputs)-1))
	}
	u := func(v ir.Value) ir.Value { return b.Op(ir.OpU2F, ir.F32, v) }
	size := b.Op(ir.OpFAdd, ir.F32, u(in(ir.BuiltinFragSize, 0, ir.I32)), b.Op(ir.OpFMul, ir.F32, b.F32(10), u(in(ir.BuiltinFragSize, 1, ir.I32))))
	for c, v := range []ir.Value{in(ir.BuiltinFragCoord, 0, ir.F32), in(ir.BuiltinFragCoord, 1, ir.F32), size, u(in(ir.BuiltinFragInvocationCount, 0, ir.I32))} {
		p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, uint32(c), ir.F32))
		b.OpImm(ir.OpOutput, ir.Void, uint64(c), v)
	}
	b.Finish()
	s.fs = p
	s.floats(t)
}

// What fills a viewport covers all of its pixels and no others, wherever its edges are: fragments of 4×4 and 2×4 that an
// edge would cut are smaller, and others as the map says. What lies beyond the viewport is clipped, though samples of
// fragments that begin there lie in it.
func TestRun_RAS129_ViewportEdges(t *testing.T) {
	rules.Covers(t, "RAS-129", "RAS-131", "RAS-080")
	for _, v := range []vk.Rect2D{
		{Offset: vk.Offset2D{X: 3, Y: 6}, Extent: vk.Extent2D{Width: 26, Height: 17}}, // edges at 3, 29, 6, 23
		{Offset: vk.Offset2D{X: 8, Y: 4}, Extent: vk.Extent2D{Width: 16, Height: 20}}, // between fragments
		{Offset: vk.Offset2D{X: 18, Y: 9}, Extent: vk.Extent2D{Width: 1, Height: 2}},  // both edges in one fragment
	} {
		for _, samples := range []int{1, 2, 16} {
			s := newScene(t, 39, 30, samples, 0)
			sizes(t, s)
			s.pass.Density = &DensityMap{Framebuffer: vk.Extent2D{Width: 39, Height: 30},
				View: densityView(t, 2, 1, 1, func(_, x, _ int) [2]byte { return [2]byte{[2]byte{63, 127}[x], 63} })} // regions of 32×32
			s.state.Viewports[0] = vk.Viewport{X: float32(v.Offset.X), Y: float32(v.Offset.Y), Width: float32(v.Extent.Width), Height: float32(v.Extent.Height), MaxDepth: 1}
			// Three quads one above the other, in clip coordinates: the middle one is the view volume.
			var list []float32
			for _, y := range []float32{-3, -1, 1} {
				for _, c := range [6][2]float32{{-1, 0}, {1, 0}, {-1, 2}, {-1, 2}, {1, 0}, {1, 2}} {
					list = append(list, c[0], y+c[1], 0, 1, 1, 1, 1, 1)
				}
			}
			s.add(s.pipeline(t, 64), s.state, list, 8)
			s.run(t, Config{Threads: 2, TileSize: 16, Lanes: 64})
			x0, y0 := int(v.Offset.X), int(v.Offset.Y)
			x1, y1 := x0+int(v.Extent.Width), y0+int(v.Extent.Height)
			// whole is the extent of fragments at p: n, or where an edge cuts that of n, one that all edges in it are multiples of.
			whole := func(p, n int, edges ...int) int {
				most := n
				for _, e := range edges {
					for p/n*n < e && e < p/n*n+n && e%most != 0 {
						most /= 2
					}
				}
				return most
			}
			for y := range s.height {
				for x := range s.width {
					for i := range samples {
						got, want := four(s.color, x, y, i), [4]float32{}
						if x >= x0 && x < x1 && y >= y0 && y < y1 {
							w, h := 4, whole(y, 4, y0, y1)
							if x >= 32 {
								w = 2
							}
							w = whole(x, w, x0, x1)
							want = [4]float32{float32(x/w*w) + float32(w)/2, float32(y/h*h) + float32(h)/2, float32(w + 10*h), 1}
						}
						if got != want {
							t.Fatalf("%v, %d samples: sample %d of %d,%d is %v, want %v", v, samples, i, x, y, got, want)
						}
					}
				}
			}
		}
	}
}

// floats gives the scene a colour attachment of four floats.
func (s *scene) floats(t *testing.T) {
	s.color = newView(t, vk.FormatR32G32B32A32Sfloat, s.width, s.height, s.samples, 1)
	s.pass.Color[0].View = s.color
}

// four is the components of a sample.
func four(v *resource.ImageView, x, y, sample int) (out [4]float32) {
	l := v.Level(0, 0)
	for c := range out {
		b := l.Data[l.Offset(x, y, 0, sample)+4*c:]
		out[c] = math.Float32frombits(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
	}
	return out
}

// checkered is a map whose regions of 8×8 have all nine sizes side by side.
func checkered(t *testing.T, s *scene) func(x, y int) (w, h int) {
	codes := [3]byte{255, 127, 63}
	s.pass.Density = &DensityMap{
		View:        densityView(t, 5, 4, 1, func(_, x, y int) [2]byte { return [2]byte{codes[(x+y/3)%3], codes[y%3]} }),
		Framebuffer: vk.Extent2D{Width: uint32(s.width), Height: uint32(s.height)},
	}
	return func(x, y int) (w, h int) {
		tx, ty := min(x/8, 4), min(y/8, 3)
		return 1 << ((tx + ty/3) % 3), 1 << (ty % 3)
	}
}

// A fragment has the samples of one pixel, stretched: a pixel's sample is drawn iff
// that of its fragment is in the triangle, even where the pixel lies outside. Depth is
// that of the fragment's sample. All tiles and threads say the same.
func TestRun_RAS131_SamplesOfAFragment(t *testing.T) {
	rules.Covers(t, "RAS-130", "RAS-131", "RAS-132", "RAS-109")
	// Edges pass no sample: all coordinates below are odd multiples of 1/32.
	corners := [3][2]float64{{1 + 1./32, 2 + 3./32}, {38 + 5./32, 9 + 7./32}, {7 + 9./32, 29 + 11./32}}
	inside := func(x, y float64) bool {
		for i := range corners {
			a, b := corners[i], corners[(i+1)%3]
			if (b[0]-a[0])*(y-a[1])-(b[1]-a[1])*(x-a[0]) < 0 {
				return false
			}
		}
		return true
	}
	for _, samples := range []int{1, 4, 16, 64} {
		var before []byte
		for k, c := range []Config{{Threads: 1}, {Threads: 3, TileSize: 16, Lanes: 64}, {Threads: 1}} {
			s := newScene(t, 39, 30, samples, vk.FormatD32Sfloat)
			sizes(t, s)
			s.fs.WritesMemory = k == 2 // so that tests come late
			area := checkered(t, s)
			s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
			var list []float32
			for _, c := range corners {
				list = s.vert(list, float32(c[0]), float32(c[1]), float32(c[0])/64, 1, 1, 1, 1)
			}
			s.add(s.pipeline(t, 64), s.state, list, 8)
			st := s.run(t, c)
			ss := raster.Samples(samples)
			fragments := map[[2]int]bool{}
			for y := range s.height {
				for x := range s.width {
					w, h := area(x, y)
					x0, y0 := x-x%w, y-y%h
					for i := range samples {
						px := float64(x0) + float64(ss.X[i])/256*float64(w)
						py := float64(y0) + float64(ss.Y[i])/256*float64(h)
						want, depth := [4]float32{}, float32(1)
						if inside(px, py) {
							want = [4]float32{float32(x0) + float32(w)/2, float32(y0) + float32(h)/2, float32(w + 10*h), 1}
							depth = float32(px / 64)
							fragments[[2]int{x0, y0}] = true
						}
						if got := four(s.color, x, y, i); got != want {
							t.Fatalf("%d samples, %+v: sample %d of %d,%d in a fragment of %d×%d is %v, want %v", samples, c, i, x, y, w, h, got, want)
						}
						if got := float(s.depth, x, y, i); math.Abs(float64(got-depth)) > 1e-4 {
							t.Fatalf("%d samples: depth of sample %d of %d,%d in a fragment of %d×%d is %v, want %v", samples, i, x, y, w, h, got, depth)
						}
					}
				}
			}
			if int(st.Fragments) != len(fragments) {
				t.Errorf("%d samples, %+v: %d invocations for %d fragments", samples, c, st.Fragments, len(fragments))
			}
			data := s.color.Image.Data
			if before != nil && !bytes.Equal(before, data) {
				t.Errorf("%d samples: tiles and threads change the picture", samples)
			}
			before = data
		}
	}
}

// Sample shading runs once a sample of the fragment, not of its pixels, and each run
// is at that sample's place.
func TestRun_RAS135_SampleShading(t *testing.T) {
	rules.Covers(t, "RAS-135", "RAS-179", "RAS-150", "RAS-176", "RAS-177", "RAS-178")
	s := newScene(t, 32, 8, 4, vk.FormatUndefined)
	sizes(t, s)
	s.pass.Density = &DensityMap{View: densityView(t, 1, 1, 1, func(int, int, int) [2]byte { return [2]byte{63, 127} }), Framebuffer: s.pass.Area.Extent}
	s.state.SampleShadingEnable = true
	s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 32, 8, 0, 1, 1, 1, 1), 8)
	if st := s.run(t, Config{}); st.Fragments != 8*4*4 {
		t.Errorf("%d invocations of 32 fragments with 4 samples", st.Fragments)
	}
	ss := raster.Samples(4)
	for i := range 4 {
		want := [4]float32{4 + float32(ss.X[i])/64, 2 + float32(ss.Y[i])/128, 24, 4}
		if got := four(s.color, 6, 3, i); got != want {
			t.Errorf("sample %d of 6,3: %v, want %v", i, got, want)
		}
	}
}

// What an attachment takes of the coverage of a pixel is that of all invocations, of fragments of
// several pixels, too: here of three samples, the number of which scales another attachment.
func TestRun_RAS331_SampleShadingOfLargerFragments(t *testing.T) {
	rules.Covers(t, "RAS-331", "RAS-336")
	s := covered(t, vk.FormatR32Uint, 4, 4, 0b1011)
	s.fs = constantOutput(ir.I32, 9)
	s.state.CoverageToColor = true
	modulated := covered(t, vk.FormatR32G32B32A32Sfloat, 4, 1, 0b1011)
	modulated.state.CoverageModulation = vk.CoverageModulationModeRgbaNV
	for _, s := range []*scene{s, modulated} {
		s.pass.Density = &DensityMap{
			View:        densityView(t, 1, 1, 1, func(int, int, int) [2]byte { return [2]byte{127, 127} }),
			Framebuffer: s.pass.Area.Extent,
		}
		s.state.SampleShadingEnable = true
		s.cover(t)
	}
	for sample, want := range []uint32{0b1011, 0b1011, 0, 0b1011} {
		for pixel := range 4 {
			l := s.color.Level(0, 0)
			got := binary.LittleEndian.Uint32(l.Data[l.Offset(pixel&1, pixel>>1, 0, sample):])
			if got != want {
				t.Errorf("pixel %d: sample %d has %#b, want %#b", pixel, sample, got, want)
			}
		}
	}
	for i, want := range []float32{6, 3, 1.5, .75} { // three quarters
		if got := component(modulated.color, 0, i); got != want {
			t.Errorf("component %d is %v, want %v", i, got, want)
		}
	}
}

// Places inside a fragment are those of its samples: centroid inputs that the centre
// does not serve, interpolateAtSample and interpolateAtCentroid, and SamplePosition,
// which is in [0, 1] of the fragment and that of the standard locations.
func TestRun_RAS131_PlacesInFragments(t *testing.T) {
	rules.Covers(t, "RAS-131", "RAS-120")
	s := newScene(t, 8, 8, 4, vk.FormatUndefined)
	p := &ir.Program{Stage: ir.StageFragment, Name: "places"}
	b := ir.NewBuilder(p)
	base, centroid := inout(ir.BuiltinNone, 0, 0, ir.F32), inout(ir.BuiltinNone, 0, 0, ir.F32)
	base.Interp, centroid.Interp, centroid.Aux = ir.Perspective, ir.Perspective, ir.AtCentroid
	p.Inputs = []ir.IO{base, centroid}
	for c, v := range []ir.Value{
		b.OpImm(ir.OpInput, ir.F32, 1), b.OpImm(ir.OpInterpolateAt, ir.F32, 0|1<<32), b.OpImm(ir.OpInterpolateAt, ir.F32, 0|2<<32, b.I32(1)), b.F32(1),
	} {
		p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, uint32(c), ir.F32))
		b.OpImm(ir.OpOutput, ir.Void, uint64(c), v)
	}
	b.Finish()
	s.fs = p
	s.floats(t)
	s.pass.Density = &DensityMap{View: densityView(t, 1, 1, 1, func(int, int, int) [2]byte { return [2]byte{63, 63} }), Framebuffer: s.pass.Area.Extent}
	// The first varying is x; samples 1 and 3 of the fragment are at 3.5 and 2.5, and
	// the quad from 2.75 on has the first of them only, and not the centre.
	var list []float32
	for _, c := range [6][2]float32{{2.75, 0}, {8, 0}, {2.75, 8}, {8, 0}, {8, 8}, {2.75, 8}} {
		list = s.vert(list, c[0], c[1], 0, c[0], 0, 0, 1)
	}
	s.add(s.pipeline(t, 64), s.state, list, 8)
	s.run(t, Config{})
	if got, want := four(s.color, 0, 0, 1), [4]float32{3.5, 3.5, 3.5, 1}; got != want {
		t.Errorf("left: %v, want %v", got, want)
	}
	if got, want := four(s.color, 4, 0, 0), [4]float32{6, 6, 7.5, 1}; got != want {
		t.Errorf("right: %v, want %v", got, want)
	}

	p = &ir.Program{Stage: ir.StageFragment, Name: "position", SampleRate: true}
	b = ir.NewBuilder(p)
	for c := range uint32(4) {
		p.Inputs = append(p.Inputs, inout(ir.BuiltinSamplePosition, 0, c&1, ir.F32))
		p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, c, ir.F32))
		b.OpImm(ir.OpOutput, ir.Void, uint64(c), b.OpImm(ir.OpInput, ir.F32, uint64(c)))
	}
	b.Finish()
	s.fs = p
	s.pass.Draws = nil
	state := s.state
	state.SampleLocationsEnable, state.SampleLocations = true, raster.CustomSamples(4, 1, 1, [][2]float32{{.9, .9}, {.9, .9}, {.9, .9}, {.9, .9}})
	s.add(s.pipeline(t, 64), state, s.quad(nil, 0, 0, 8, 8, 0, 1, 1, 1, 1), 8)
	s.run(t, Config{})
	ss := raster.Samples(4)
	for i := range 4 {
		x, y := float32(ss.X[i])/256, float32(ss.Y[i])/256
		if got, want := four(s.color, 5, 6, i), [4]float32{x, y, x, y}; got != want {
			t.Errorf("position of sample %d: %v, want %v", i, got, want)
		}
	}
}

// SampleMask has one bit a sample, set where any pixel has it; what limits pixels
// (here the scissor) limits them, not the fragment. Custom locations are ignored.
func TestRun_RAS132_SampleMask(t *testing.T) {
	rules.Covers(t, "RAS-132", "RAS-120", "RAS-109")
	s := newScene(t, 8, 8, 4, vk.FormatUndefined)
	maskShader(t, s)
	s.pass.Density = &DensityMap{View: densityView(t, 1, 1, 1, func(int, int, int) [2]byte { return [2]byte{63, 63} }), Framebuffer: s.pass.Area.Extent}
	state := s.state
	state.Scissors[0] = vk.Rect2D{Offset: vk.Offset2D{X: 1, Y: 2}, Extent: vk.Extent2D{Width: 1, Height: 1}}
	state.SampleLocationsEnable, state.SampleLocations = true, raster.CustomSamples(4, 1, 1, [][2]float32{{.9, .9}, {.9, .9}, {.9, .9}, {.9, .9}})
	// Of the samples of a fragment of 4×4, the left half has (6,2)/4 and (2,10)/4.
	s.add(s.pipeline(t, 64), state, s.quad(nil, 0, 0, 2, 4, 0, 1, 1, 1, 1), 8)
	s.run(t, Config{})
	for y := range 8 {
		for x := range 8 {
			for i := range 4 {
				want := float32(0)
				if x == 1 && y == 2 && (i == 0 || i == 2) {
					want = 0b0101
				}
				if got := float(s.color, x, y, i); got != want {
					t.Errorf("sample %d of %d,%d: %v, want %v", i, x, y, got, want)
				}
			}
		}
	}
}

// Points are not rounded to the extent of fragments: one of 1×1 between the samples
// of large fragments draws nothing, and one at a sample draws a whole fragment.
func TestRun_RAS133_Points(t *testing.T) {
	rules.Covers(t, "RAS-133", "RAS-120")
	s := newScene(t, 8, 8, 1, vk.FormatUndefined)
	sizes(t, s)
	s.pass.Density = &DensityMap{View: densityView(t, 1, 1, 1, func(int, int, int) [2]byte { return [2]byte{63, 63} }), Framebuffer: s.pass.Area.Extent}
	s.state.Topology = vk.PrimitiveTopologyPointList
	s.add(s.pipeline(t, 64), s.state, s.vert(s.vert(nil, .5, .5, 0, 1, 1, 1, 1), 6.25, 6, 0, 1, 1, 1, 1), 8)
	if st := s.run(t, Config{}); st.Fragments != 1 {
		t.Errorf("%d fragments, want 1", st.Fragments)
	}
	for y := range 8 {
		for x := range 8 {
			if got, want := four(s.color, x, y, 0)[0] != 0, x >= 4 && y >= 4; got != want {
				t.Errorf("%d,%d drawn: %v", x, y, got)
			}
		}
	}
}

// Overestimation draws the whole fragment of a pixel that is touched, underestimation
// only fragments whose pixels are all inside; both also where a scissor cuts them.
func TestRun_RAS134_Conservative(t *testing.T) {
	rules.Covers(t, "RAS-134", "RAS-278")
	for _, c := range []struct {
		mode           vk.ConservativeRasterizationModeEXT
		x0, y0, x1, y1 int // drawn
	}{
		{vk.ConservativeRasterizationModeOverestimateEXT, 0, 2, 16, 16},
		{vk.ConservativeRasterizationModeUnderestimateEXT, 4, 4, 12, 14},
	} {
		for i, right := range []uint32{16, 15, 13, 0, 16} { // the fourth: a column of pixels that are not touched
			s := newScene(t, 16, 16, 4, vk.FormatUndefined)
			sizes(t, s)
			s.pass.Density = &DensityMap{View: densityView(t, 1, 1, 1, func(int, int, int) [2]byte { return [2]byte{63, 127} }), Framebuffer: s.pass.Area.Extent}
			s.state.ConservativeMode = c.mode
			state := s.state
			if state.Scissors[0].Extent.Width = right; right == 0 {
				state.Scissors[0] = vk.Rect2D{Offset: vk.Offset2D{X: 15}, Extent: vk.Extent2D{Width: 1, Height: 16}}
			}
			if i == 4 {
				state.Scissors[0].Offset.Y, state.Scissors[0].Extent.Height = 5, 4
			}
			drawn := rectOf(state.Scissors[0])
			s.add(s.pipeline(t, 64), state, s.quad(nil, 2.5, 2.5, 13.5, 14.5, 0, 1, 1, 1, 1), 8)
			s.run(t, Config{Threads: 1})
			for y := range 16 {
				for x := range 16 {
					// The diagonal of the quad belongs to neither triangle's inside.
					if c.mode == vk.ConservativeRasterizationModeUnderestimateEXT && diagonal(x, y) {
						continue
					}
					want := x >= c.x0 && x < c.x1 && y >= c.y0 && y < c.y1 && x >= int(drawn.X0) && x < int(drawn.X1) && y >= int(drawn.Y0) && y < int(drawn.Y1)
					for i := range 4 {
						if got := four(s.color, x, y, i)[0] != 0; got != want {
							t.Errorf("mode %v, %+v: sample %d of %d,%d drawn: %v", c.mode, drawn, i, x, y, got)
						}
					}
				}
			}
		}
	}
}

// diagonal says that the diagonal of the quad from (13.5, 2.5) to (2.5, 14.5) crosses
// the fragment of 4×2 of a pixel.
func diagonal(x, y int) bool {
	x, y = x&^3, y&^1
	side := func(x, y int) float64 { return 12*(float64(x)-13.5) + 11*(float64(y)-2.5) }
	return side(x, y) <= 0 && side(x+4, y+2) >= 0
}

// Without a shader and with late tests, depth is that of the fragments, too; queries
// count samples of pixels.
func TestRun_RAS132_DepthAndLateTests(t *testing.T) {
	rules.Covers(t, "RAS-132")
	for _, shader := range []string{"none", "early", "late", "writes"} {
		s := newScene(t, 8, 8, 4, vk.FormatD32Sfloat)
		switch shader {
		case "none":
			s.fs = nil
		case "late":
			s.fs = holes() // of which there are none: red is 1
		case "writes":
			s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, _ [4]ir.Value) {
				p.Outputs = append(p.Outputs, inout(ir.BuiltinFragDepth, 0, 0, ir.F32))
				b.OpImm(ir.OpOutput, ir.Void, 4, b.F32(.25))
			})
		}
		s.pass.Density = &DensityMap{View: densityView(t, 1, 1, 1, func(int, int, int) [2]byte { return [2]byte{127, 127} }), Framebuffer: s.pass.Area.Extent}
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		s.pass.Occlusion = make([]uint64, 1)
		var list []float32
		for _, c := range [3][2]float32{{0, 0}, {16, 0}, {0, 16}} {
			list = s.vert(list, c[0], c[1], c[0]/32, 1, 1, 1, 1)
		}
		s.add(s.pipeline(t, 64), s.state, list, 8).Occlusion = 1
		s.run(t, Config{Threads: 1})
		if got := s.pass.Occlusion[0]; got != 8*8*4 {
			t.Errorf("%s: %d samples counted, want 256", shader, got)
		}
		for i, x := range raster.Samples(4).X[:4] {
			want := (4 + float32(x)/128) / 32
			if shader == "writes" {
				want = .25
			}
			if got := float(s.depth, 5, 5, i); math.Abs(float64(got-want)) > 1e-6 {
				t.Errorf("%s: depth of sample %d of 5,5 is %v, want %v", shader, i, got, want)
			}
		}
	}
}
