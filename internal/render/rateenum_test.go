package render

import (
	"bytes"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// noShading is the rate without invocations, many that of n invocations a pixel.
var noShading = rates.Shading{Invocations: rates.NoInvocations}

func many(n uint8) rates.Shading { return rates.Shading{Invocations: sized(int(n), 1).W} }

// Codes from 11 on are invocations where enums are on, and sizes where they are not.
func TestRate_RAS153_Enums(t *testing.T) {
	rules.Covers(t, "RAS-153", "RAS-155")
	for code, want := range map[uint32]rates.Shading{
		0: sized(1, 1), 1: sized(1, 2), 4: sized(2, 1), 5: sized(2, 2), 6: sized(2, 4), 9: sized(4, 2), 10: sized(4, 4),
		11: many(2), 12: many(4), 13: many(8), 14: many(16), 15: noShading,
	} {
		if got := rates.ShadingOf(code, true); got != want {
			t.Errorf("code %d: %+v, want %+v", code, got, want)
		}
		if got := rates.ShadingOf(code, false); got.Invocations != 0 {
			t.Errorf("code %d without enums: %+v", code, got)
		}
	}
}

func TestRate_RAS156_CombinersOfEnums(t *testing.T) {
	rules.Covers(t, "RAS-156", "RAS-157", "RAS-158", "RC-54")
	const keep, replace, least, most, mul = vk.FragmentShadingRateCombinerOpKeepKHR, vk.FragmentShadingRateCombinerOpReplaceKHR,
		vk.FragmentShadingRateCombinerOpMinKHR, vk.FragmentShadingRateCombinerOpMaxKHR, vk.FragmentShadingRateCombinerOpMulKHR
	for _, c := range []struct {
		op         vk.FragmentShadingRateCombinerOpKHR
		a, b, want rates.Shading
	}{
		{keep, sized(2, 2), noShading, sized(2, 2)},
		{keep, noShading, sized(2, 2), noShading},
		{replace, sized(2, 2), noShading, noShading},
		{replace, noShading, sized(1, 1), sized(1, 1)},
		{least, noShading, sized(2, 2), noShading},
		{least, sized(2, 2), noShading, noShading},
		{most, noShading, sized(2, 2), noShading},
		{most, many(2), noShading, noShading},
		{mul, noShading, many(4), noShading},
		{least, many(4), many(2), many(4)},
		{least, many(4), sized(2, 2), many(4)},
		{most, many(4), many(2), many(2)},
		{most, many(4), sized(2, 4), sized(2, 4)},
		{mul, many(4), many(2), many(8)},
		{mul, many(4), sized(2, 2), sized(1, 1)},
		{mul, many(4), sized(4, 4), sized(2, 2)},
		{mul, many(2), sized(4, 2), sized(2, 2)},
		{mul, many(2), sized(2, 2), sized(2, 1)},
		{mul, many(16), sized(2, 1), many(8)},
	} {
		if got := rates.Combine(c.op, c.a, c.b); got != c.want {
			t.Errorf("%d of %+v and %+v: %+v, want %+v", c.op, c.a, c.b, got, c.want)
		}
	}
}

// Corner case 53, and the examples of the rule; limits on coverage samples.
func TestRate_RAS146_ClampToASet(t *testing.T) {
	rules.Covers(t, "RAS-146", "RC-53", "RAS-138", "RAS-147")
	set := func(list ...rates.Shading) (s rates.Set) {
		for _, r := range list {
			s |= 1 << (3*r.W + r.H)
		}
		return s
	}
	three, tall := set(sized(2, 2), sized(2, 1), sized(1, 1)), set(sized(4, 1), sized(1, 4), sized(1, 1))
	for _, c := range []struct {
		set     rates.Set
		r, want rates.Shading
	}{
		{three, sized(4, 4), sized(2, 2)}, {three, sized(4, 1), sized(2, 1)}, {three, sized(1, 4), sized(1, 1)},
		{three, sized(4, 2), sized(2, 2)}, {three, sized(8, 8), sized(2, 2)}, {three, sized(2, 1), sized(2, 1)},
		{tall, sized(4, 4), sized(4, 1)}, {tall, sized(2, 4), sized(1, 4)}, {tall, sized(2, 2), sized(1, 1)},
		{rates.Of(16, 64), sized(4, 4), sized(2, 2)}, {rates.Of(16, 64), sized(4, 2), sized(2, 2)}, {rates.Of(16, 64), sized(4, 1), sized(4, 1)},
		{rates.Of(8, 256), sized(4, 4), sized(4, 4)}, {rates.Of(16, 16), sized(4, 4), sized(1, 1)},
	} {
		if got := c.set.Clamp(c.r.Rate()); got != c.want.Rate() {
			t.Errorf("%v in set %#b: %v, want %v", c.r.Rate(), c.set, got, c.want.Rate())
		}
	}
}

// big is a triangle over all of a framebuffer of up to 64 × 64 pixels.
func (s *scene) big(z float32) (list []float32) {
	for _, v := range [][2]float32{{0, 0}, {128, 0}, {0, 128}} {
		list = s.vert(list, v[0], v[1], z, 1, 1, 1, 1)
	}
	return list
}

// The results of both combiners are clamped, and so are what they combine.
func TestRate_RAS147_ClampsInputsAndResults(t *testing.T) {
	rules.Covers(t, "RAS-147")
	const keep, mul = vk.FragmentShadingRateCombinerOpKeepKHR, vk.FragmentShadingRateCombinerOpMulKHR
	code := func(s rates.Shading) uint8 { return uint8(s.Rate().Code()) }
	attachment := func(s rates.Shading) *rates.Attachment {
		v := newView(t, vk.FormatR8Uint, 1, 1, 1, 1)
		l := v.Level(0, 0)
		l.Data[l.Offset(0, 0, 0, 0)] = code(s)
		return &rates.Attachment{View: v, Texel: vk.Extent2D{Width: 8, Height: 8}}
	}
	square := rates.Of(16, 64) // up to 4 pixels
	for _, c := range []struct {
		set                             rates.Set
		ops                             [2]vk.FragmentShadingRateCombinerOpKHR
		pipeline, primitive, attachment rates.Shading
		want                            rates.Shading
	}{
		{rates.Of(1, 256), [2]vk.FragmentShadingRateCombinerOpKHR{mul, mul}, sized(4, 4), sized(2, 2), sized(4, 4), sized(4, 4)},
		{rates.Of(1, 256), [2]vk.FragmentShadingRateCombinerOpKHR{keep, mul}, sized(2, 1), sized(1, 1), sized(4, 2), sized(4, 2)},
		{square, [2]vk.FragmentShadingRateCombinerOpKHR{keep, mul}, sized(2, 1), sized(1, 1), sized(2, 2), sized(2, 2)},
		{square, [2]vk.FragmentShadingRateCombinerOpKHR{mul, keep}, sized(2, 1), sized(1, 4), sized(1, 1), sized(2, 2)},
		// 4×4 is 2×2 before it is multiplied by 2×1, and what comes of it again.
		{square, [2]vk.FragmentShadingRateCombinerOpKHR{keep, vk.FragmentShadingRateCombinerOpMinKHR}, sized(4, 1), sized(1, 1), sized(4, 4), sized(2, 1)},
	} {
		p := rates.State{Pipeline: c.pipeline, Combiners: c.ops, Set: c.set, Samples: 1}
		p.Pipeline = p.Clamp(p.Pipeline)
		if got := p.At(p.Primitive(code(c.primitive)), attachment(c.attachment), 0, 3, 3); got != (rates.Pixel{Rate: c.want.Rate(), N: 1}) {
			t.Errorf("%v of %v, %v and %v: %+v, want %v", c.ops, c.pipeline.Rate(), c.primitive.Rate(), c.attachment.Rate(), got, c.want.Rate())
		}
	}
}

// halves draws a triangle over the framebuffer, of 16 × 8 pixels, with a rate
// attachment whose left half has one code and whose right half another.
func halves(t *testing.T, samples int, left, right byte, change func(*scene, *DynamicState)) (Stats, *scene) {
	s := newScene(t, 16, 8, samples, vk.FormatD32Sfloat)
	maskShader(t, s)
	rateMap := newView(t, vk.FormatR8Uint, 2, 1, 1, 1)
	l := rateMap.Level(0, 0)
	l.Data[l.Offset(0, 0, 0, 0)], l.Data[l.Offset(1, 0, 0, 0)] = left, right
	s.pass.Rate = &rates.Attachment{View: rateMap, Texel: vk.Extent2D{Width: 8, Height: 8}}
	s.pass.Occlusion = make([]uint64, 1)
	s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
	s.state.RateCombiners[1], s.state.RateEnums = vk.FragmentShadingRateCombinerOpReplaceKHR, true
	change(s, &s.state)
	d := s.add(s.pipeline(t, 64), s.state, s.big(.25), 8)
	d.Occlusion = 1
	return s.run(t, Config{Threads: 1}), s
}

// Where there are no invocations, nothing is drawn, tested or counted: with tests
// before and after shading, and without a shader.
func TestRun_RAS159_NoInvocations(t *testing.T) {
	rules.Covers(t, "RAS-156", "RAS-159", "RAS-178")
	for name, change := range map[string]func(*scene, *DynamicState){
		"early": func(*scene, *DynamicState) {},
		"late":  func(s *scene, _ *DynamicState) { s.fs.Demotes = true },
		"depth": func(s *scene, _ *DynamicState) { s.fs = nil },
		"all": func(s *scene, d *DynamicState) {
			s.pass.Rate = nil
			d.ShadingRate = noShading
			d.RateCombiners = [2]vk.FragmentShadingRateCombinerOpKHR{vk.FragmentShadingRateCombinerOpMaxKHR}
		},
		"off": func(_ *scene, d *DynamicState) { d.RateEnums = false },
		// Sample shading leaves no other rate than 1×1.
		"sampled": func(_ *scene, d *DynamicState) { d.SampleShadingOn = true },
	} {
		_, s := halves(t, 4, byte(vk.FragmentShadingRateNoInvocationsNV), 5, change)
		left, right := true, true
		switch name {
		case "early", "late", "depth":
			left = false
		case "all":
			left, right = false, false
		}
		count := uint64(0)
		for x, drawn := range map[int]bool{3: left, 12: right} {
			want := float32(1) // as it was cleared
			if drawn {
				want, count = .25, count+8*8*4
			}
			if got := float(s.depth, x, 5, 2); got != want {
				t.Errorf("%s: depth at %d is %v, want %v", name, x, got, want)
			}
			if name != "depth" && (float(s.color, x, 5, 2) != 0) != drawn {
				t.Errorf("%s: colour at %d is %v, drawn %v", name, x, float(s.color, x, 5, 2), drawn)
			}
		}
		if got := s.pass.Occlusion[0]; got != count {
			t.Errorf("%s: %d samples counted, want %d", name, got, count)
		}
	}
}

// Several invocations share out the samples of a pixel in index order; there are no
// more than samples.
func TestRun_RAS159_InvocationsOfAPixel(t *testing.T) {
	rules.Covers(t, "RAS-159", "RAS-171", "RAS-172")
	for _, c := range []struct {
		samples int
		code    byte
		each    int // samples an invocation
	}{{4, 11, 2}, {4, 12, 1}, {4, 14, 1}, {8, 12, 2}, {16, 11, 8}, {16, 13, 2}, {2, 13, 1}, {1, 14, 1}} {
		st, s := halves(t, c.samples, c.code, 0, func(*scene, *DynamicState) {})
		if want := 64*c.samples/c.each + 64; int(st.Fragments) != want {
			t.Errorf("%d samples, code %d: %d invocations, want %d", c.samples, c.code, st.Fragments, want)
		}
		for i := range c.samples {
			want := (1<<c.each - 1) << (i / c.each * c.each)
			if got := float(s.color, 3, 3, i); int(got) != want {
				t.Errorf("%d samples, code %d: sample %d saw mask %#x, want %#x", c.samples, c.code, i, int(got), want)
			}
			if got := float(s.color, 12, 3, i); int(got) != 1<<c.samples-1 {
				t.Errorf("%d samples: one invocation saw mask %#x", c.samples, int(got))
			}
		}
	}
	// Invocations of which no sample is covered do not run.
	st, s := halves(t, 4, 11, 11, func(_ *scene, d *DynamicState) { d.SampleMask = 0b1100 })
	if st.Fragments != 128 || float(s.color, 3, 3, 3) != 0b1100 || float(s.color, 3, 3, 0) != 0 {
		t.Errorf("samples 2 and 3: %d invocations with masks %v and %v", st.Fragments, float(s.color, 3, 3, 3), float(s.color, 3, 3, 0))
	}
}

// Centroid inputs of an invocation that has some of the samples lie inside of the
// primitive; the number of invocations is what FragInvocationCount says.
func TestRun_RAS159_CentroidOfSomeSamples(t *testing.T) {
	rules.Covers(t, "RAS-159", "RAS-178")
	s := newScene(t, 16, 8, 4, vk.FormatUndefined)
	s.fs = &ir.Program{Stage: ir.StageFragment, Name: "centroid"}
	b := ir.NewBuilder(s.fs)
	in := inout(ir.BuiltinNone, 0, 0, ir.F32)
	in.Aux = ir.AtCentroid
	s.fs.Inputs = append(s.fs.Inputs, in, inout(ir.BuiltinFragInvocationCount, 0, 0, ir.I32))
	x := b.OpImm(ir.OpInput, ir.F32, 0)
	n := b.Op(ir.OpU2F, ir.F32, b.OpImm(ir.OpInput, ir.I32, 1))
	for c, v := range [4]ir.Value{x, n, n, n} {
		s.fs.Outputs = append(s.fs.Outputs, inout(ir.BuiltinNone, 0, uint32(c), ir.F32))
		b.OpImm(ir.OpOutput, ir.Void, uint64(c), v)
	}
	b.Finish()
	s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 16, 8, 4, 1)
	s.pass.Color[0].View = s.color
	s.state.RateEnums, s.state.ShadingRate = true, many(2)
	if got := (&rates.State{Samples: 4}).At(many(16), nil, 0, 0, 0); got.N != 4 { // FragInvocationCount, then
		t.Errorf("16 invocations of 4 samples: %d", got.N)
	}
	// The varying is x in pixels; the right edge is between the samples of pixel 3.
	const edge = 3.4375
	var list []float32
	for _, v := range [][2]float32{{0, 0}, {edge, 0}, {0, 8}, {0, 8}, {edge, 0}, {edge, 8}} {
		list = s.vert(list, v[0], v[1], 0, v[0], 0, 0, 1)
	}
	s.add(s.pipeline(t, 64), s.state, list, 8)
	s.run(t, Config{Threads: 1})
	// Sample 0 is at 3.375 and covered, sample 1 not; 2 is at 3.125 and covered.
	for sample, want := range map[int]float32{0: 3.375, 2: 3.125} {
		if got := float(s.color, 3, 3, sample); got < want-1e-4 || got > want+1e-4 {
			t.Errorf("sample %d is shaded at %v, want %v", sample, got, want)
		}
	}
	if got := float(s.color, 2, 3, 0); got < 2.3749 || got > 2.3751 {
		t.Errorf("pixel 2 is shaded at %v, want sample 0", got)
	}
	if got := componentOf(s.color, 2, 3, 0, 1); got != 2 {
		t.Errorf("FragInvocationCount is %v, want 2", got)
	}
}

// The layer of an attachment: that of the view or of the framebuffer, where it has
// layers.
func TestRun_RAS142_LayersOfTheAttachment(t *testing.T) {
	rules.Covers(t, "RAS-142")
	draw := func(layers int, change func(*scene)) int {
		s := newScene(t, 16, 8, 1, vk.FormatUndefined)
		s.color = newView(t, vk.FormatR8G8B8A8Unorm, 16, 8, 1, 2)
		s.pass.Color[0].View = s.color
		rateMap := newView(t, vk.FormatR8Uint, 2, 1, 1, layers)
		for i := range layers {
			l := rateMap.Level(0, i)
			for x := range 2 {
				l.Data[l.Offset(x, 0, 0, 0)] = []byte{0, 5}[i]
			}
		}
		s.pass.Rate = &rates.Attachment{View: rateMap, Texel: vk.Extent2D{Width: 8, Height: 8}}
		s.state.RateCombiners[1] = vk.FragmentShadingRateCombinerOpReplaceKHR
		change(s)
		s.add(s.pipeline(t, 64), s.state, s.big(0), 8)
		return int(s.run(t, Config{Threads: 1}).Fragments)
	}
	views := func(s *scene) { s.pass.ViewMask = 3 }
	layer := func(n uint32) func(s *scene) {
		return func(s *scene) {
			s.pass.Layers = 2
			s.vs.Outputs = append(s.vs.Outputs, inout(ir.BuiltinLayer, 0, 0, ir.I32))
			extend(s.vs, func(b *ir.Builder) {
				b.OpImm(ir.OpOutput, ir.Void, uint64(len(s.vs.Outputs)-1), b.I32(n))
			})
		}
	}
	for _, c := range []struct {
		name   string
		layers int
		change func(*scene)
		want   int
	}{
		{"views of a layered attachment", 2, views, 128 + 32}, {"views of another", 1, views, 256},
		{"layer 0", 2, layer(0), 128}, {"layer 1", 2, layer(1), 32}, {"layer 1 of an attachment without", 1, layer(1), 128},
		{"a framebuffer without", 2, func(*scene) {}, 128},
	} {
		if got := draw(c.layers, c.change); got != c.want {
			t.Errorf("%s: %d fragments, want %d", c.name, got, c.want)
		}
	}
}

// SampleMask shows the coverage of the samples that an invocation has, also of those
// that an early depth test takes away.
func TestRun_RAS159_SampleMaskBeforeTheDepthTest(t *testing.T) {
	rules.Covers(t, "RAS-159")
	_, s := halves(t, 4, 11, 11, func(s *scene, d *DynamicState) {
		near := *d
		near.SampleMask = 1
		s.add(s.pipeline(t, 64), near, s.big(.125), 8)
	})
	for sample, want := range map[int]float32{0: 1, 1: 3, 2: 12, 3: 12} {
		if got := float(s.color, 3, 3, sample); got != want {
			t.Errorf("sample %d holds mask %v, want %v", sample, got, want)
		}
	}
}

// One sample that is not in the centre: fragments of a pixel are shaded there, larger
// ones in their middle.
func TestRun_RAS118_OneSampleOfItsOwnPlace(t *testing.T) {
	rules.Covers(t, "RAS-118", "RAS-150")
	_, s := halves(t, 1, 0, 5, func(s *scene, d *DynamicState) {
		positionsOf(s)
		d.SampleLocations, d.SampleLocationsEnable = raster.CustomSamples(1, 1, 1, [][2]float32{{.25, .75}}), true
	})
	for x, want := range map[int]float32{3: 3.25 / 16, 6: 6.25 / 16, 10: 11. / 16, 13: 13. / 16} {
		if got := float(s.color, x, 3, 0); got != want {
			t.Errorf("pixel %d is shaded at %v, want %v", x, 16*got, 16*want)
		}
	}
}

// Coverage as a colour is that of a pixel, whatever the fragments' size and however
// many invocations they have.
func TestRun_RAS331_CoverageOfLargerFragments(t *testing.T) {
	rules.Covers(t, "RAS-331")
	draw := func(r rates.Shading) []byte {
		s := newScene(t, 16, 16, 4, vk.FormatUndefined)
		s.color = newView(t, vk.FormatR8Uint, 16, 16, 4, 1)
		s.pass.Color[0].View = s.color
		s.fs = constantOutput(ir.I32, 9)
		s.state.CoverageToColor, s.state.ShadingRate, s.state.RateEnums = true, r, true
		var list []float32
		for _, v := range [][2]float32{{1.3, .7}, {14.2, 3.9}, {4.1, 15.2}} {
			list = s.vert(list, v[0], v[1], 0, 1, 1, 1, 1)
		}
		s.add(s.pipeline(t, 64), s.state, list, 8)
		s.run(t, Config{Threads: 1})
		return s.color.Image.Data
	}
	want := draw(rates.Shading{})
	for _, r := range []rates.Shading{sized(2, 2), sized(4, 1), sized(4, 4), many(2), many(4)} {
		if got := draw(r); !bytes.Equal(got, want) {
			t.Errorf("%+v: byte %d differs", r, firstDifference(got, want))
		}
	}
}
