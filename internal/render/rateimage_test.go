package render

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The table of palette entries.
func TestPalette_RAS163_Entries(t *testing.T) {
	rules.Covers(t, "RAS-162", "RAS-163")
	p := rates.Palette{N: 12}
	for i := range p.Entries {
		p.Entries[i] = uint8(i)
	}
	for i, want := range [...]rates.Shading{noShading, many(16), many(8), many(4), many(2), sized(1, 1), sized(2, 1), sized(1, 2), sized(2, 2), sized(4, 2), sized(2, 4), sized(4, 4)} {
		if got := p.At(uint32(i)); got != want {
			t.Errorf("entry %d: %+v, want %+v", i, got, want)
		}
	}
	p.N = 5
	if got := p.At(8); got != sized(1, 1) {
		t.Errorf("beyond the palette: %+v", got)
	}
}

// Sample shading takes pixels away or adds invocations.
func TestRateImage_RAS165_Adjusted(t *testing.T) {
	rules.Covers(t, "RAS-164", "RAS-165", "RAS-167")
	for _, c := range []struct {
		base       rates.Shading
		n, samples int
		want       rates.Pixel
	}{
		{sized(2, 1), 4, 4, rates.Pixel{Rate: rates.Rate{}, N: 2}}, // the rule's example
		{sized(4, 4), 4, 4, rates.Pixel{Rate: rates.Rate{W: 1, H: 1}, N: 1}},
		{sized(4, 4), 2, 4, rates.Pixel{Rate: rates.Rate{W: 2, H: 1}, N: 1}},
		{sized(2, 4), 2, 4, rates.Pixel{Rate: rates.Rate{W: 1, H: 1}, N: 1}},
		{sized(4, 4), 3, 4, rates.Pixel{Rate: rates.Rate{W: 1, H: 1}, N: 1}},
		{sized(2, 2), 4, 4, rates.Pixel{Rate: rates.Rate{}, N: 1}},
		{sized(2, 2), 8, 8, rates.Pixel{Rate: rates.Rate{}, N: 2}},
		{sized(1, 1), 3, 8, rates.Pixel{Rate: rates.Rate{}, N: 3}},
		{sized(4, 4), 1, 4, rates.Pixel{Rate: rates.Rate{W: 2, H: 2}, N: 1}},
		{many(4), 2, 8, rates.Pixel{Rate: rates.Rate{}, N: 8}},
		{many(8), 1, 4, rates.Pixel{Rate: rates.Rate{}, N: 4}},
		{many(16), 1, 16, rates.Pixel{Rate: rates.Rate{}, N: 16}},
		{many(2), 4, 1, rates.Pixel{Rate: rates.Rate{}, N: 1}},
		{sized(4, 4), 1, 32, rates.Pixel{Rate: rates.Rate{W: 2, H: 1}, N: 1}}, // more samples than any device has here
		{noShading, 4, 4, rates.Pixel{}},
	} {
		if got := rates.Adjusted(c.base, c.n, c.samples); got != c.want {
			t.Errorf("%+v for %d of %d samples: %+v, want %+v", c.base, c.n, c.samples, got, c.want)
		}
	}
}

// imaged draws over 40 × 32 pixels with a shading rate image of 2 × 2 texels and
// a layer more, and returns how many invocations there were.
func imaged(t *testing.T, samples int, change func(*scene, *resource.ImageView, *DynamicState)) (int, *scene) {
	s := newScene(t, 40, 32, samples, vk.FormatUndefined)
	maskShader(t, s)
	view := newView(t, vk.FormatR8Uint, 2, 2, 1, 2)
	for layer := range 2 {
		l := view.Level(0, layer)
		for i := range 4 {
			l.Data[l.Offset(i%2, i/2, 0, 0)] = byte(i)
		}
	}
	s.state.RateImageEnable, s.state.RateImage = true, view
	s.state.Palettes[0] = rates.Palette{N: 4, Entries: [rates.PaletteSize]uint8{
		uint8(vk.ShadingRatePaletteEntry1InvocationPer4X4PixelsNV), uint8(vk.ShadingRatePaletteEntryNoInvocationsNV),
		uint8(vk.ShadingRatePaletteEntry2InvocationsPerPixelNV), uint8(vk.ShadingRatePaletteEntry1InvocationPerPixelNV),
	}}
	change(s, view, &s.state)
	s.add(s.pipeline(t, 64), s.state, s.big(0), 8)
	return int(s.run(t, Config{Threads: 1}).Fragments), s
}

// Texels select rates by 16 × 16 pixels; outside of the image and without one the
// index is 0; layers that the view lacks are its first.
func TestRun_RAS161_ShadingRateImage(t *testing.T) {
	rules.Covers(t, "RAS-160", "RAS-161", "RAS-162", "RAS-163", "RAS-168", "RAS-171")
	nothing := func(*scene, *resource.ImageView, *DynamicState) {}
	// 16 of 4×4, none, 512 with 2 a pixel, 256; and 8 × 32 pixels of 4×4 outside.
	const want = 16 + 0 + 512 + 256 + 16
	n, s := imaged(t, 4, nothing)
	if n != want {
		t.Errorf("%d invocations, want %d", n, want)
	}
	for _, c := range []struct{ x, y, want int }{{3, 3, 0xffff}, {20, 3, 0}, {3, 20, 3}, {20, 20, 15}, {36, 20, 0xffff}} {
		// 64 coverage samples: the first word is all ones, as float.
		got := float(s.color, c.x, c.y, 0)
		if c.want == 0xffff && got != 1<<32 || c.want != 0xffff && int(got) != c.want {
			t.Errorf("%d,%d: mask %#x, want %#x", c.x, c.y, int(got), c.want)
		}
	}
	for name, c := range map[string]struct {
		want   int
		change func(*scene, *resource.ImageView, *DynamicState)
	}{
		"off":           {40 * 32, func(_ *scene, _ *resource.ImageView, d *DynamicState) { d.RateImageEnable = false }},
		"no view":       {40 * 32 / 16, func(_ *scene, _ *resource.ImageView, d *DynamicState) { d.RateImage = nil }},
		"short palette": {16 + 0 + 256 + 256 + 16, func(_ *scene, _ *resource.ImageView, d *DynamicState) { d.Palettes[0].N = 2 }},
		"large index": {256 + 0 + 512 + 256 + 16, func(_ *scene, v *resource.ImageView, _ *DynamicState) {
			l := v.Level(0, 0)
			l.Data[l.Offset(0, 0, 0, 0)] = 200
		}},
		"index past the palette": {256 + 0 + 512 + 256 + 16, func(_ *scene, v *resource.ImageView, _ *DynamicState) {
			l := v.Level(0, 0)
			l.Data[l.Offset(0, 0, 0, 0)] = rates.PaletteSize
		}},
		"viewport 1": {want, func(s *scene, _ *resource.ImageView, d *DynamicState) {
			d.Palettes[1], d.Palettes[0] = d.Palettes[0], rates.Palette{}
			d.ViewportCount, d.Viewports[1], d.Scissors[1] = 2, d.Viewports[0], d.Scissors[0]
			s.vs.Outputs = append(s.vs.Outputs, inout(ir.BuiltinViewportIndex, 0, 0, ir.I32))
			extend(s.vs, func(b *ir.Builder) {
				b.OpImm(ir.OpOutput, ir.Void, uint64(len(s.vs.Outputs)-1), b.I32(1))
			})
		}},
		"other viewport": {40 * 32, func(s *scene, _ *resource.ImageView, d *DynamicState) {
			d.Palettes[1], d.Palettes[0] = d.Palettes[0], rates.Palette{}
		}},
		// SampleId and the like leave no other rate than one a sample.
		"by sample": {40 * 32 * 4, func(s *scene, _ *resource.ImageView, _ *DynamicState) { s.fs.SampleRate = true }},
		// Four samples each: 4 × 4 becomes 2 × 2, 2 invocations become 4.
		"sample shading": {64 + 0 + 1024 + 1024 + 64, func(_ *scene, _ *resource.ImageView, d *DynamicState) {
			d.SampleShadingOn, d.SampleShadingEnable, d.SampleInvocations = true, true, 4
		}},
		"sample shading of one": {want, func(_ *scene, _ *resource.ImageView, d *DynamicState) {
			d.SampleShadingOn, d.SampleInvocations = true, 1
		}},
	} {
		if got, _ := imaged(t, 4, c.change); got != c.want {
			t.Errorf("%s: %d invocations, want %d", name, got, c.want)
		}
	}
	rules.Covers(t, "RAS-165", "RAS-166")
	// The layer that is rendered to.
	layer := func(n int) int {
		got, _ := imaged(t, 1, func(s *scene, v *resource.ImageView, d *DynamicState) {
			s.pass.Layers = 3
			s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 40, 32, 1, 3)
			s.pass.Color[0].View = s.color
			l := v.Level(0, 1)
			for i := range 4 {
				l.Data[l.Offset(i%2, i/2, 0, 0)] = 3
			}
			s.vs.Outputs = append(s.vs.Outputs, inout(ir.BuiltinLayer, 0, 0, ir.I32))
			extend(s.vs, func(b *ir.Builder) {
				b.OpImm(ir.OpOutput, ir.Void, uint64(len(s.vs.Outputs)-1), b.I32(uint32(n)))
			})
		})
		return got
	}
	// One sample: two invocations are one.
	if a, b, c := layer(0), layer(1), layer(2); a != 16+256+256+16 || b != 4*256+16 || c != a {
		t.Errorf("layers 0, 1 and 2: %d, %d and %d invocations", a, b, c)
	}
}

// A shader that discards a fragment of several pixels takes all of it away, and one
// that doesn't writes all covered samples of it; FragmentSize is its extent.
func TestRun_RAS173_FragmentAsAWhole(t *testing.T) {
	rules.Covers(t, "RAS-150", "RAS-168", "RAS-173", "RAS-151")
	_, s := imaged(t, 2, func(s *scene, _ *resource.ImageView, d *DynamicState) {
		d.Palettes[0] = rates.Palette{N: 1, Entries: [rates.PaletteSize]uint8{uint8(vk.ShadingRatePaletteEntry1InvocationPer4X2PixelsNV)}}
		d.RateImage = nil
		s.fs = &ir.Program{Stage: ir.StageFragment, Name: "some", Demotes: true}
		b := ir.NewBuilder(s.fs)
		s.fs.Inputs = append(s.fs.Inputs, inout(ir.BuiltinFragSize, 0, 0, ir.I32), inout(ir.BuiltinFragSize, 0, 1, ir.I32), inout(ir.BuiltinFragCoord, 0, 0, ir.F32),
			inout(ir.BuiltinFragInvocationCount, 0, 0, ir.I32))
		for c := range uint32(4) {
			s.fs.Outputs = append(s.fs.Outputs, inout(ir.BuiltinNone, 0, c, ir.F32))
			v := b.F32(1)
			if c < 2 {
				v = b.Op(ir.OpU2F, ir.F32, b.OpImm(ir.OpInput, ir.I32, uint64(c)))
			} else if c == 2 {
				v = b.Op(ir.OpU2F, ir.F32, b.OpImm(ir.OpInput, ir.I32, 3))
			}
			b.OpImm(ir.OpOutput, ir.Void, uint64(c), v)
		}
		b.If(b.Op(ir.OpFLt, ir.Bool, b.OpImm(ir.OpInput, ir.F32, 2), b.F32(8)), func() { b.Op(ir.OpDemote, ir.Void) }, nil)
		b.Finish()
	})
	for y := range 32 {
		for x := range 40 {
			want := [4]float32{4, 2, 1, 1} // FragmentSize, InvocationsPerPixel
			if x < 8 {                     // the centres are at 2 and 6
				want = [4]float32{}
			}
			for i := range 2 {
				for c := range 4 {
					if got := componentOf(s.color, x, y, i, c); got != want[c] {
						t.Fatalf("%d,%d sample %d component %d: %v, want %v", x, y, i, c, got, want[c])
					}
				}
			}
		}
	}
}

// Corner case 55, and all orders both ways.
func TestSampleOrder_RAS169_PixelAndSampleMajor(t *testing.T) {
	rules.Covers(t, "RAS-169", "RC-55")
	major := rates.NewOrder(vk.CoarseSampleOrderTypeSampleMajorNV, nil)
	for cs, want := range [][3]int{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}} {
		pixel, sample := major.At(rates.Rate{W: 1, H: 1}, cs, 2)
		if got := [3]int{pixel % 2, pixel / 2, sample}; got != want {
			t.Errorf("sample major, index %d: %v, want %v", cs, got, want)
		}
	}
	for _, kind := range []vk.CoarseSampleOrderTypeNV{vk.CoarseSampleOrderTypeDefaultNV, vk.CoarseSampleOrderTypePixelMajorNV, vk.CoarseSampleOrderTypeSampleMajorNV, vk.CoarseSampleOrderTypeCustomNV} {
		o := rates.NewOrder(kind, nil)
		for w := range uint8(rates.Max + 1) {
			for h := range uint8(rates.Max + 1) {
				for _, samples := range []int{1, 2, 4, 8, 16, 32, 64} {
					r := rates.Rate{W: w, H: h}
					for cs := range samples * r.Pixels() {
						pixel, sample := o.At(r, cs, samples)
						px, py := cs/samples%(1<<w), cs/(samples<<w)
						want := [2]int{py<<w + px, cs % samples}
						if kind == vk.CoarseSampleOrderTypeSampleMajorNV {
							px, py = cs%(1<<w), cs>>w%(1<<h)
							want = [2]int{py<<w + px, cs / r.Pixels()}
						}
						if got := [2]int{pixel, sample}; got != want {
							t.Fatalf("order %d of %v with %d samples, index %d: %v, want %v", kind, r, samples, cs, got, want)
						}
						if got := o.Bit(r, pixel, sample, samples); got != cs {
							t.Fatalf("order %d of %v with %d samples: index %d comes back as %d", kind, r, samples, cs, got)
						}
					}
				}
			}
		}
	}
}

// Shaders see SampleMask in the order that is set, and write it in the same.
func TestRun_RAS170_CustomOrder(t *testing.T) {
	rules.Covers(t, "RAS-169", "RAS-170", "RAS-110", "RAS-112", "RAS-160")
	// 2×1 with 2 samples: right sample 1, left sample 0, right sample 0, left sample 1.
	custom := rates.NewOrder(vk.CoarseSampleOrderTypeCustomNV, []rates.CustomOrder{
		{Entry: vk.ShadingRatePaletteEntry1InvocationPer1X2PixelsNV, Samples: 2, Locations: []vk.CoarseSampleLocationNV{{Sample: 1}, {Sample: 0}, {PixelY: 1}, {PixelY: 1, Sample: 1}}},
		{Entry: vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV, Samples: 1, Locations: []vk.CoarseSampleLocationNV{{PixelX: 1}, {}}},
		{Entry: vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV, Samples: 2, Locations: []vk.CoarseSampleLocationNV{{PixelX: 1, Sample: 1}, {}, {PixelX: 1}, {Sample: 1}}},
	})
	for name, c := range map[string]struct {
		order *rates.Order
		entry vk.ShadingRatePaletteEntryNV
		left  [2]int // coverage indices of the left pixel's samples
	}{
		"default":      {nil, vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV, [2]int{0, 1}},
		"pixel major":  {rates.NewOrder(vk.CoarseSampleOrderTypePixelMajorNV, nil), vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV, [2]int{0, 1}},
		"sample major": {rates.NewOrder(vk.CoarseSampleOrderTypeSampleMajorNV, nil), vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV, [2]int{0, 2}},
		"custom":       {custom, vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV, [2]int{1, 3}},
		"not listed":   {custom, vk.ShadingRatePaletteEntry1InvocationPer2X2PixelsNV, [2]int{0, 1}},
	} {
		for i, bit := range c.left {
			_, s := imaged(t, 2, func(s *scene, _ *resource.ImageView, d *DynamicState) {
				d.RateImage, d.SampleOrder = nil, c.order
				d.Palettes[0] = rates.Palette{N: 1, Entries: [rates.PaletteSize]uint8{uint8(c.entry)}}
				d.Scissors[0].Extent = vk.Extent2D{Width: 1, Height: 1} // the left pixel alone
				d.SampleMask = 1 << i
			})
			if got := int(float(s.color, 0, 0, i)); got != 1<<bit {
				t.Errorf("%s: sample %d of the left pixel is %#b, want bit %d", name, i, got, bit)
			}
			// The same bit of the shader's SampleMask keeps that sample alone.
			_, s = imaged(t, 2, func(s *scene, _ *resource.ImageView, d *DynamicState) {
				d.RateImage, d.SampleOrder = nil, c.order
				d.Palettes[0] = rates.Palette{N: 1, Entries: [rates.PaletteSize]uint8{uint8(c.entry)}}
				s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, _ [4]ir.Value) {
					p.Outputs = append(p.Outputs, inout(ir.BuiltinSampleMask, 0, 0, ir.I32))
					b.OpImm(ir.OpOutput, ir.Void, 4, b.I32(1<<bit))
				})
			})
			for k := range 2 {
				if got := float(s.color, 0, 0, k) != 0; got != (k == i) {
					t.Errorf("%s: with bit %d kept, sample %d of the left pixel is drawn: %v", name, bit, k, got)
				}
			}
		}
	}
}

// Centroid inputs of a larger fragment whose middle is not covered lie at the covered
// sample with the lowest coverage index, in either order.
func TestRun_RAS284_CentroidOfLargerFragments(t *testing.T) {
	rules.Covers(t, "RAS-284", "RAS-285")
	for name, c := range map[string]struct {
		image bool
		order vk.CoarseSampleOrderTypeNV
		want  float32
	}{"rate": {false, 0, 1.5}, "pixel major": {true, vk.CoarseSampleOrderTypePixelMajorNV, .5}, "sample major": {true, vk.CoarseSampleOrderTypeSampleMajorNV, .5}} {
		s := newScene(t, 8, 8, 1, vk.FormatUndefined)
		s.fs = &ir.Program{Stage: ir.StageFragment, Name: "centroid"}
		b := ir.NewBuilder(s.fs)
		in := inout(ir.BuiltinNone, 0, 0, ir.F32)
		in.Aux = ir.AtCentroid
		s.fs.Inputs = append(s.fs.Inputs, in)
		for c := range uint32(4) {
			s.fs.Outputs = append(s.fs.Outputs, inout(ir.BuiltinNone, 0, c, ir.F32))
			b.OpImm(ir.OpOutput, ir.Void, uint64(c), b.OpImm(ir.OpInput, ir.F32, 0))
		}
		b.Finish()
		s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 8, 8, 1, 1)
		s.pass.Color[0].View = s.color
		s.state.ShadingRate = sized(2, 2)
		if c.image {
			s.state.RateImageEnable, s.state.SampleOrder = true, rates.NewOrder(c.order, nil)
			s.state.Palettes[0] = rates.Palette{N: 1, Entries: [rates.PaletteSize]uint8{uint8(vk.ShadingRatePaletteEntry1InvocationPer2X2PixelsNV)}}
		}
		var list []float32 // the varying is x; the upper row of pixels, but not the middle of the fragments
		for _, v := range [][2]float32{{0, 0}, {8, 0}, {0, .75}, {0, .75}, {8, 0}, {8, .75}} {
			list = s.vert(list, v[0], v[1], 0, v[0], 0, 0, 1)
		}
		s.add(s.pipeline(t, 64), s.state, list[:6*8], 8)
		s.run(t, Config{Threads: 1})
		if got := float(s.color, 1, 0, 0); got < c.want-1e-4 || got > c.want+1e-4 {
			t.Errorf("%s: evaluated at %v, want %v", name, got, c.want)
		}
	}
}
