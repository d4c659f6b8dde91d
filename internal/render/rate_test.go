package render

import (
	"encoding/binary"
	"math"
	"math/bits"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// sized is the rate of fragments of w×h pixels.
func sized(w, h int) rates.Shading {
	return rates.Shading{W: uint8(bits.Len(uint(w)) - 1), H: uint8(bits.Len(uint(h)) - 1)}
}

// RAS-143, RAS-144, RAS-145, RAS-146, RAS-147; corner case 52.
func TestRate_RAS144_CombineAndClamp(t *testing.T) {
	rules.Covers(t, "RAS-143", "RAS-144", "RAS-145", "RAS-146", "RAS-147", "RC-52")
	r, none := sized, rates.Shading{Invocations: rates.NoInvocations}
	for _, c := range []struct {
		op         vk.FragmentShadingRateCombinerOpKHR
		a, b, want rates.Shading
	}{
		{vk.FragmentShadingRateCombinerOpKeepKHR, r(2, 1), r(4, 4), r(2, 1)},
		{vk.FragmentShadingRateCombinerOpReplaceKHR, r(2, 1), r(1, 4), r(1, 4)},
		{vk.FragmentShadingRateCombinerOpMinKHR, r(4, 1), r(2, 2), r(2, 1)},
		{vk.FragmentShadingRateCombinerOpMaxKHR, r(4, 1), r(2, 2), r(4, 2)},
		{vk.FragmentShadingRateCombinerOpMulKHR, r(2, 1), r(2, 2), r(4, 2)},
		{vk.FragmentShadingRateCombinerOpMulKHR, r(4, 4), r(2, 2), r(4, 4)},
		{vk.FragmentShadingRateCombinerOpMulKHR, r(1, 1), r(1, 1), r(1, 1)},
		// No fragments stay none, whoever has them, unless the other rate replaces them.
		{vk.FragmentShadingRateCombinerOpMinKHR, none, r(2, 2), none}, {vk.FragmentShadingRateCombinerOpMinKHR, r(2, 2), none, none},
		{vk.FragmentShadingRateCombinerOpMaxKHR, none, r(2, 2), none}, {vk.FragmentShadingRateCombinerOpMaxKHR, r(2, 2), none, none},
		{vk.FragmentShadingRateCombinerOpMulKHR, none, r(2, 2), none}, {vk.FragmentShadingRateCombinerOpMulKHR, r(2, 2), none, none},
		{vk.FragmentShadingRateCombinerOpKeepKHR, r(2, 1), none, r(2, 1)}, {vk.FragmentShadingRateCombinerOpReplaceKHR, none, r(1, 2), r(1, 2)},
		// Invocations of a pixel divide sizes: two in 2×1 pixels are one a pixel.
		{vk.FragmentShadingRateCombinerOpMulKHR, rates.Shading{Invocations: 1}, r(2, 1), r(1, 1)},
		{vk.FragmentShadingRateCombinerOpMulKHR, rates.Shading{Invocations: 2}, r(2, 1), rates.Shading{Invocations: 1}},
		{vk.FragmentShadingRateCombinerOpMulKHR, rates.Shading{Invocations: 1}, rates.Shading{Invocations: 1}, rates.Shading{Invocations: 2}},
	} {
		p := rates.State{Set: rates.Of(1, rates.MaxCoverageSamples)}
		if got := p.Clamp(rates.Combine(c.op, c.a, c.b)); got != c.want {
			t.Errorf("%d of %v and %v: %v, want %v", c.op, c.a, c.b, got, c.want)
		}
	}
	// Codes with a width or height of 8 stand for 4.
	for code, want := range []rates.Shading{r(1, 1), r(1, 2), r(1, 4), r(1, 4), r(2, 1), r(2, 2), r(2, 4), r(2, 4), r(4, 1), r(4, 2), r(4, 4), r(4, 4), r(4, 1), r(4, 2), r(4, 4), r(4, 4)} {
		code := uint32(code)
		if got := rates.ShadingOf(code, false); got != want {
			t.Errorf("code %d: %v, want %v", code, got, want)
		}
		if code&3 != 3 && code < 12 && want.Rate().Code() != code {
			t.Errorf("%v has code %d, want %d", want, want.Rate().Code(), code)
		}
	}
}

// RAS-146: for every set of sizes, of those that are not larger the ones with the most
// pixels, then the most nearly square one, then the wide one.
func TestRate_RAS146_EverySet(t *testing.T) {
	rules.Covers(t, "RAS-146", "RAS-147")
	for s := rates.Set(1); s < 1<<9; s += 2 { // fragments of a pixel are always there
		for w := range uint8(5) {
			for h := range uint8(5) {
				r := rates.Rate{W: min(w, 2), H: min(h, 2)}
				var want rates.Rate
				for _, c := range []rates.Rate{{W: 2, H: 2}, {W: 2, H: 1}, {W: 1, H: 2}, {W: 1, H: 1}, {W: 2, H: 0}, {W: 0, H: 2}, {W: 1, H: 0}, {W: 0, H: 1}, {W: 0, H: 0}} {
					if c.W <= r.W && c.H <= r.H && s>>(3*c.W+c.H)&1 != 0 {
						if want == (rates.Rate{}) || c.W+c.H == want.W+want.H && c == (rates.Rate{W: 1, H: 1}) {
							want = c
						}
					}
				}
				if s>>(3*r.W+r.H)&1 != 0 {
					want = r
				}
				if got := s.Clamp(rates.Rate{W: w, H: h}); got != want {
					t.Fatalf("set %09b: %v becomes %v, want %v", s, rates.Rate{W: w, H: h}, got, want)
				}
			}
		}
	}
}

// RAS-141, RAS-142: texels of the attachment; outside of it and without it there is
// none, and a layer that it lacks is its first.
func TestRate_RAS142_Texels(t *testing.T) {
	rules.Covers(t, "RAS-141", "RAS-142")
	v := newView(t, vk.FormatR8Uint, 3, 2, 1, 2)
	for layer := range 2 {
		l := v.Level(0, layer)
		for y := range 2 {
			for x := range 3 {
				l.Data[l.Offset(x, y, 0, 0)] = byte(100*layer + 10*y + x + 1)
			}
		}
	}
	for at, want := range map[[3]int]uint32{{0, 0, 0}: 1, {0, 2, 1}: 13, {1, 0, 0}: 101, {1, 2, 1}: 113, {2, 1, 1}: 12, {0, 3, 0}: 0, {0, 0, 2}: 0, {0, -1, 0}: 0} {
		if got := rates.TexelAt(v, at[0], at[1], at[2]); got != want {
			t.Errorf("texel (%d, %d) of layer %d: %d, want %d", at[1], at[2], at[0], got, want)
		}
	}
	p := rates.State{Set: rates.Of(1, rates.MaxCoverageSamples), Samples: 1}
	p.Combiners[1] = vk.FragmentShadingRateCombinerOpReplaceKHR
	for x, code := range []byte{0, 5, 4} {
		v.Level(0, 0).Data[x] = code
	}
	a := &rates.Attachment{View: v, Texel: vk.Extent2D{Width: 8, Height: 16}}
	for x, want := range map[int32]rates.Rate{0: {W: 0, H: 0}, 7: {W: 0, H: 0}, 8: {W: 1, H: 1}, 15: {W: 1, H: 1}, 16: {W: 1, H: 0}, 23: {W: 1, H: 0}, 24: {W: 0, H: 0}} {
		if got := p.At(sized(4, 4), a, 0, x, 15); got.Rate != want || got.N != 1 {
			t.Errorf("pixel %d: %+v, want %v", x, got, want)
		}
	}
	if got := p.At(sized(4, 4), nil, 0, 9, 9); got.Rate != (rates.Rate{}) {
		t.Errorf("without an attachment: %+v", got)
	}
	if got := p.At(sized(4, 4), &rates.Attachment{}, 0, 9, 9); got.Rate != (rates.Rate{}) {
		t.Errorf("without a view: %+v", got)
	}
	for x, want := range map[int32]rates.Rate{0: {W: 0, H: 0}, 1: {W: 1, H: 1}, 2: {W: 1, H: 0}} { // texels of a pixel
		if got := p.At(sized(4, 4), &rates.Attachment{View: v, Texel: vk.Extent2D{Width: 1, Height: 1}}, 0, x, 0); got.Rate != want {
			t.Errorf("pixel %d: %+v, want %v", x, got, want)
		}
	}
	l := v.Level(0, 0)
	l.Data[l.Offset(0, 1, 0, 0)] = 1
	if got := p.At(sized(4, 4), &rates.Attachment{View: v}, 0, 0, 1); got.Rate != (rates.Rate{W: 0, H: 1}) {
		t.Errorf("texels of no size: %+v", got)
	}
	if got := p.At(rates.Shading{Invocations: rates.NoInvocations}, nil, 0, 9, 9); got.N != 1 { // replaced
		t.Errorf("no invocations, replaced: %+v", got)
	}
	p.Combiners[1] = vk.FragmentShadingRateCombinerOpKeepKHR
	if a, b := p.At(sized(2, 1), a, 0, 9, 9), p.At(rates.Shading{Invocations: rates.NoInvocations}, a, 0, 9, 9); a.Rate != (rates.Rate{W: 1, H: 0}) || b.N != 0 {
		t.Errorf("kept: %+v and %+v", a, b)
	}
}

// RAS-110, RAS-111, RAS-112.
func TestRate_RAS110_CoverageIndices(t *testing.T) {
	rules.Covers(t, "RAS-110", "RAS-111", "RAS-112")
	two := rates.Rate{W: 1, H: 1}
	for i, want := range [4]int{12, 8, 4, 0} {
		lane, pixel := two.Place(int32(2+i&1), int32(i>>1))
		if got := (*rates.Order)(nil).Bit(two, pixel, 0, 4); lane != 1 || got != want {
			t.Errorf("pixel %d: lane %d, index %d, want %d", i, lane, got, want)
		}
	}
	for w := range uint8(3) {
		for h := range uint8(3) {
			for _, samples := range []int{1, 2, 4, 8, 16} {
				r, seen := rates.Rate{W: w, H: h}, map[int]bool{}
				for pixel := range r.Pixels() {
					for s := range samples {
						seen[(*rates.Order)(nil).Bit(r, pixel, s, samples)] = true
					}
				}
				if len(seen) != samples*r.Pixels() {
					t.Errorf("%v with %d samples: %d indices", r, samples, len(seen))
				}
			}
		}
	}
}

// positionsOf makes the scene's shader write FragCoord.xy / 16, and SampleMask / 256
// where the scene has samples.
func positionsOf(s *scene) {
	p := &ir.Program{Stage: ir.StageFragment, Name: "positions"}
	b := ir.NewBuilder(p)
	for c := range uint32(4) {
		v := b.F32(1)
		if c < 2 {
			p.Inputs = append(p.Inputs, inout(ir.BuiltinFragCoord, 0, c, ir.F32))
			v = b.Op(ir.OpFMul, ir.F32, b.OpImm(ir.OpInput, ir.F32, uint64(c)), b.F32(1.0/16))
		}
		p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, c, ir.F32))
		b.OpImm(ir.OpOutput, ir.Void, uint64(c), v)
	}
	b.Finish()
	s.fs = p
}

// Corner case 49: fragments at the border keep their inside pixels; one invocation
// a fragment, with FragCoord in its centre; early and late tests alike.
func TestRun_RAS150_FragmentsOfSeveralPixels(t *testing.T) {
	rules.Covers(t, "RAS-150", "RC-49")
	for _, samples := range []int{1, 4} {
		for _, discard := range []bool{false, true} {
			s := newScene(t, 5, 5, samples, vk.FormatD32Sfloat)
			positionsOf(s)
			if discard { // late tests
				mask := uint64(len(s.fs.Outputs))
				s.fs.Outputs = append(s.fs.Outputs, inout(ir.BuiltinSampleMask, 0, 0, ir.I32))
				extend(s.fs, func(b *ir.Builder) {
					b.OpImm(ir.OpOutput, ir.Void, mask, b.I32(^uint32(0)))
				})
			}
			s.state.ShadingRate = sized(2, 2)
			s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
			var list []float32
			for _, c := range [3][2]float32{{0, 0}, {10, 0}, {0, 10}} {
				list = s.vert(list, c[0], c[1], .5, 1, 1, 1, 1)
			}
			p := s.pipeline(t, 64)
			s.add(p, s.state, list, 8)
			st := s.run(t, Config{Threads: 1})
			if st.Fragments != 9 {
				t.Errorf("%d samples: %d fragments, want 9", samples, st.Fragments)
			}
			for y := range 5 {
				for x := range 5 {
					got := pixel(s.color, x, y, 0)
					want := func(v int) byte { return byte(float64(v&^1+1)/16*255 + .5) }
					if got[0] != want(x) || got[1] != want(y) {
						t.Errorf("%d samples: %d,%d is %v, want %d, %d", samples, x, y, got, want(x), want(y))
					}
				}
			}
		}
	}
}

// RAS-141, RAS-149: regions of an attachment; tiles and threads change nothing.
func TestRun_RAS141_Attachment(t *testing.T) {
	rules.Covers(t, "RAS-141", "RAS-149", "RAS-139", "RAS-148")
	s := newScene(t, 40, 24, 1, vk.FormatUndefined)
	positionsOf(s)
	rateMap := newView(t, vk.FormatR8Uint, 5, 3, 1, 1)
	codes := []byte{0, 5, 10, 9, 6}
	l := rateMap.Level(0, 0)
	for y := range 3 {
		for x := range 5 {
			l.Data[l.Offset(x, y, 0, 0)] = codes[(x+y)%5]
		}
	}
	s.pass.Rate = &rates.Attachment{View: rateMap, Texel: vk.Extent2D{Width: 8, Height: 8}}
	s.state.RateCombiners[1] = vk.FragmentShadingRateCombinerOpReplaceKHR
	var list []float32
	for _, c := range [3][2]float32{{0, 0}, {80, 0}, {0, 80}} {
		list = s.vert(list, c[0], c[1], 0, 1, 1, 1, 1)
	}
	s.add(s.pipeline(t, 64), s.state, list, 8)
	for _, c := range []Config{{Threads: 1}, {Threads: 3, TileSize: 16, Lanes: 64}} {
		s.run(t, c)
		for y := range 24 {
			for x := range 40 {
				r := rates.ShadingOf(uint32(codes[(x/8+y/8)%5]), false).Rate()
				center := func(v int, log uint8) byte {
					size := 1 << log
					return byte(min((float64(v&^(size-1))+float64(size)/2)/16, 1)*255 + .5)
				}
				if got := pixel(s.color, x, y, 0); got[0] != center(x, r.W) || got[1] != center(y, r.H) {
					t.Fatalf("%+v: %d,%d of rate %v is %v, want %d, %d", c, x, y, r, got, center(x, r.W), center(y, r.H))
				}
			}
		}
	}
}

// maskShader writes SampleMask/65535 to red.
func maskShader(t *testing.T, s *scene) {
	p := &ir.Program{Stage: ir.StageFragment, Name: "mask"}
	b := ir.NewBuilder(p)
	p.Inputs = append(p.Inputs, inout(ir.BuiltinSampleMask, 0, 0, ir.I32))
	v := b.Op(ir.OpFMul, ir.F32, b.Op(ir.OpU2F, ir.F32, b.OpImm(ir.OpInput, ir.I32, 0)), b.F32(1))
	for c := range uint32(4) {
		p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, c, ir.F32))
		b.OpImm(ir.OpOutput, ir.Void, uint64(c), v)
	}
	b.Finish()
	s.fs = p
	s.color = newView(t, vk.FormatR32G32B32A32Sfloat, s.width, s.height, s.samples, 1)
	s.pass.Color[0].View = s.color
}

// float is the red of a sample.
func float(v *resource.ImageView, x, y, sample int) float32 { return componentOf(v, x, y, sample, 0) }

// componentOf is a component of a sample.
func componentOf(v *resource.ImageView, x, y, sample, c int) float32 {
	l := v.Level(0, 0)
	return math.Float32frombits(binary.LittleEndian.Uint32(l.Data[l.Offset(x, y, 0, sample)+4*c:]))
}

// Corner cases 50 and 51: the lowest bits of the mask are the lower right pixel.
func TestRun_RAS112_SampleMaskOfSeveralPixels(t *testing.T) {
	rules.Covers(t, "RAS-018", "RAS-109", "RAS-112", "RAS-113", "RAS-290", "RAS-309", "RC-50", "RC-51")
	s := newScene(t, 4, 4, 4, vk.FormatUndefined)
	maskShader(t, s)
	s.state.ShadingRate = sized(2, 2)
	var one []float32
	for _, c := range [3][2]float32{{0, 0}, {8, 0}, {0, 8}} {
		one = s.vert(one, c[0], c[1], 0, 1, 1, 1, 1)
	}
	state := s.state
	state.Scissors[0].Extent = vk.Extent2D{Width: 1, Height: 1}
	s.add(s.pipeline(t, 64), state, one, 8)
	s.run(t, Config{})
	if got := float(s.color, 0, 0, 0); got != 0xf000 {
		t.Errorf("pixel 0,0 alone: mask %#x, want 0xf000", int(got))
	}
	if got := float(s.color, 1, 0, 0); got != 0 {
		t.Errorf("pixel 1,0 is drawn: %v", got)
	}
	s.state.SampleMask = 1
	s.pass.Draws = nil
	s.add(s.pipeline(t, 64), s.state, one, 8)
	s.run(t, Config{})
	for i, want := range []float32{0x1111, 0, 0, 0} {
		if got := float(s.color, 3, 3, i); got != want {
			t.Errorf("sample mask 1: sample %d has %#x, want %#x", i, int(got), int(want))
		}
	}
}

// The primitive's rate is that of its provoking vertex; sample shading takes no
// larger fragments; a depth that the shader writes goes to all samples.
func TestRun_RAS140_PrimitiveRate(t *testing.T) {
	rules.Covers(t, "RAS-139", "RAS-140", "RAS-148", "RAS-151")
	draw := func(change func(s *scene, p *DynamicState)) (int, *scene) {
		s := newScene(t, 8, 8, 4, vk.FormatD32Sfloat)
		// Red of the first varying is the rate.
		s.vs.Outputs = append(s.vs.Outputs, inout(ir.BuiltinPrimitiveShadingRate, 0, 0, ir.I32))
		extend(s.vs, func(b *ir.Builder) {
			b.OpImm(ir.OpOutput, ir.Void, uint64(len(s.vs.Outputs)-1), b.Op(ir.OpF2S, ir.I32, b.OpImm(ir.OpInput, ir.F32, 4)))
		})
		s.state.RateCombiners[0] = vk.FragmentShadingRateCombinerOpReplaceKHR
		state := s.state
		change(s, &state)
		var list []float32
		for i, c := range [3][2]float32{{0, 0}, {16, 0}, {0, 16}} {
			list = s.vert(list, c[0], c[1], .5, []float32{5, 10, 0}[i], 0, 0, 1)
		}
		s.add(s.pipeline(t, 64), state, list, 8)
		return int(s.run(t, Config{Threads: 1}).Fragments), s
	}
	if n, _ := draw(func(*scene, *DynamicState) {}); n != 16 {
		t.Errorf("first vertex, 2x2: %d fragments, want 16", n)
	}
	if n, _ := draw(func(_ *scene, d *DynamicState) { d.ProvokingVertexMode = vk.ProvokingVertexModeLastVertexEXT }); n != 64 {
		t.Errorf("last vertex, 1x1: %d fragments, want 64", n)
	}
	if n, _ := draw(func(_ *scene, d *DynamicState) { d.RateCombiners[0], d.ShadingRate = 0, sized(4, 2) }); n != 8 {
		t.Errorf("the pipeline's 4x2: %d fragments, want 8", n)
	}
	if n, _ := draw(func(_ *scene, d *DynamicState) { d.SampleShadingEnable = true }); n != 256 {
		t.Errorf("sample shading: %d fragments, want 256", n)
	}
	n, s := draw(func(s *scene, d *DynamicState) {
		d.DepthTestEnable, d.DepthWriteEnable, d.DepthCompareOp = true, true, vk.CompareOpLess
		s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, _ [4]ir.Value) {
			p.Outputs = append(p.Outputs, inout(ir.BuiltinFragDepth, 0, 0, ir.F32))
			b.OpImm(ir.OpOutput, ir.Void, 4, b.F32(.25))
		})
	})
	if n != 16 {
		t.Errorf("with FragDepth: %d fragments, want 16", n)
	}
	for i := range 4 {
		if got := float(s.depth, 7, 7, i); got != .25 {
			t.Errorf("depth of sample %d is %v", i, got)
		}
	}
}

// A shader with SampleMask, used or not, or with an interlock mode keeps to a pixel where masks are of
// pixels, others do not.
func TestRun_RAS148_MaskedShaders(t *testing.T) {
	rules.Covers(t, "RAS-148")
	for _, c := range []struct {
		masked, interlocked, pixels bool
		want                        int
	}{
		{want: 6}, {pixels: true, want: 6}, {masked: true, want: 6}, {interlocked: true, want: 6},
		{masked: true, pixels: true, want: 72}, {interlocked: true, pixels: true, want: 72},
	} { // 72: with those of the diagonal twice
		s := newScene(t, 8, 8, 2, vk.FormatUndefined)
		s.fs.SampleMask, s.fs.Interlocked = c.masked, c.interlocked
		s.state.ShadingRate = sized(4, 4)
		s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 8, 8, .5, red...), 8)
		cfg := Config{Threads: 1, PixelMasks: c.pixels}
		if got := int(s.run(t, cfg).Fragments); got != c.want {
			t.Errorf("%+v: %d fragments", c, got)
		}
	}
}

// A fragment of 4×4 pixels of 16 samples has 256 coverage indices: eight words, to
// read and to write.
func TestRun_RAS113_EightWords(t *testing.T) {
	rules.Covers(t, "RAS-113", "RAS-290", "RAS-315")
	const samples = 16
	s := newScene(t, 4, 4, samples, vk.FormatUndefined)
	words := func(write [8]uint32, covered vk.Rect2D) [8]uint32 {
		t.Helper()
		p := &ir.Program{Stage: ir.StageFragment, Name: "words"}
		b := ir.NewBuilder(p)
		for k := range uint32(8) {
			p.Inputs = append(p.Inputs, inout(ir.BuiltinSampleMask, 0, k, ir.I32))
			p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, k/4, k%4, ir.I32))
			b.OpImm(ir.OpOutput, ir.Void, uint64(k), b.OpImm(ir.OpInput, ir.I32, uint64(k)))
		}
		for k, w := range write {
			p.Outputs = append(p.Outputs, inout(ir.BuiltinSampleMask, 0, uint32(k), ir.I32))
			b.OpImm(ir.OpOutput, ir.Void, uint64(8+k), b.I32(w))
		}
		b.Finish()
		s.fs = p
		s.pass.Draws, s.pass.Color = nil, nil
		var views [2]*resource.ImageView
		for i := range views {
			views[i] = newView(t, vk.FormatR32G32B32A32Uint, 4, 4, samples, 1)
			s.pass.Color = append(s.pass.Color, Attachment{View: views[i], Load: vk.AttachmentLoadOpClear})
		}
		state := s.state
		state.ShadingRate, state.Scissors[0] = rates.Shading{W: 2, H: 2}, covered
		var list []float32
		for _, c := range [3][2]float32{{0, 0}, {8, 0}, {0, 8}} {
			list = s.vert(list, c[0], c[1], 0, 1, 1, 1, 1)
		}
		s.add(s.pipeline(t, 64), state, list, 8)
		s.run(t, Config{})
		// Which samples were written, by coverage index, and what they were shaded with.
		var got [8]uint32
		for y := range 4 {
			for x := range 4 {
				for i := range samples {
					var mask [8]uint32
					for v, view := range views {
						l := view.Level(0, 0)
						for c := range 4 {
							mask[4*v+c] = binary.LittleEndian.Uint32(l.Data[l.Offset(x, y, 0, i)+4*c:])
						}
					}
					if mask == ([8]uint32{}) {
						continue
					}
					bit := i + samples*(15-4*y-x)
					got[bit/32] |= 1 << (bit % 32)
					if want := covers(covered, samples); mask != want {
						t.Fatalf("pixel %d,%d, sample %d: the shader sees %x, want %x", x, y, i, mask, want)
					}
				}
			}
		}
		return got
	}
	all := vk.Rect2D{Extent: vk.Extent2D{Width: 4, Height: 4}}
	ones := [8]uint32{^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0)}
	some := [8]uint32{1, 0x80000000, 0, 0xffff, 0x10000, 7, 0xf0f0f0f0, 0x12345678}
	if got := words(ones, all); got != ones {
		t.Errorf("all samples: %x", got)
	}
	if got := words(some, all); got != some {
		t.Errorf("written mask: %x, want %x", got, some)
	}
	part := vk.Rect2D{Offset: vk.Offset2D{X: 1, Y: 2}, Extent: vk.Extent2D{Width: 2, Height: 1}}
	if got, want := words(ones, part), covers(part, samples); got != want {
		t.Errorf("two pixels: %x, want %x", got, want)
	}
}

// covers are the words of a fragment of 4×4 pixels of which those of a rectangle are
// covered, by the formula of RAS-110.
func covers(r vk.Rect2D, samples int) (words [8]uint32) {
	for y := int(r.Offset.Y); y < int(r.Offset.Y)+int(r.Extent.Height); y++ {
		for x := int(r.Offset.X); x < int(r.Offset.X)+int(r.Extent.Width); x++ {
			for i := range samples {
				j := i + samples*(16-1-(x+4*y))
				words[j/32] |= 1 << (j % 32)
			}
		}
	}
	return words
}

// A shader with SampleId, or one that reads tile images, knows no shading rates,
// "none at all" neither, whether its colours go anywhere or not.
func TestRate_RAS174_WithoutColours(t *testing.T) {
	rules.Covers(t, "RAS-148", "RAS-174")
	for _, tile := range []bool{false, true} {
		s := newScene(t, 4, 4, 4, vk.FormatD32Sfloat)
		s.fs = sampleProgram()
		if tile {
			s.fs = countingScene(t).fs
		}
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		s.state.ColorWrite = 0
		s.state.ShadingRate = rates.Shading{Invocations: rates.NoInvocations}
		if !tile {
			s.state.RateImageEnable, s.state.Palettes[0] = true, rates.Palette{N: 1} // its entry is no invocations
		}
		s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 4, 4, .5, red...), 8).Fragment = &exec.Context{Resources: make([][]exec.Descriptor, 1)}
		s.run(t, Config{Threads: 1})
		if got := float(s.depth, 1, 1, 2); got != .5 {
			t.Errorf("tile image %v: depth %v, want 0.5", tile, got)
		}
	}
}

// A custom order has the samples of all pixels of a fragment, in any order; of other sizes and
// numbers of samples, fragments have the order of pixels.
func TestSampleOrder_RAS170_EachPlace(t *testing.T) {
	rules.Covers(t, "RAS-110", "RAS-112", "RAS-170")
	o := rates.NewOrder(vk.CoarseSampleOrderTypeCustomNV, []rates.CustomOrder{{Entry: vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV, Samples: 2, Locations: []vk.CoarseSampleLocationNV{
		{PixelX: 1, Sample: 1}, {PixelX: 0, Sample: 0}, {PixelX: 1, Sample: 0}, {PixelX: 0, Sample: 1},
	}}})
	for pixel, want := range [2][2]int{{1, 3}, {2, 0}} {
		for sample := range 2 {
			if got := o.Bit(rates.Rate{W: 1, H: 0}, pixel, sample, 2); got != want[sample] {
				t.Errorf("pixel %d, sample %d: bit %d, want %d", pixel, sample, got, want[sample])
			}
			if got := o.Bit(rates.Rate{W: 0, H: 1}, pixel, sample, 2); got != 2*pixel+sample {
				t.Errorf("of another size, pixel %d, sample %d: bit %d", pixel, sample, got)
			}
			if got := o.Bit(rates.Rate{W: 1, H: 0}, pixel, sample, 4); got != 4*pixel+sample {
				t.Errorf("of more samples, pixel %d, sample %d: bit %d", pixel, sample, got)
			}
		}
	}
}

// What is tested after shading is tested with the state of its face, whatever tests it.
func TestRun_RAS236_LateTests(t *testing.T) {
	rules.Covers(t, "RAS-236", "RAS-298", "RAS-301", "RAS-321", "RAS-322", "RAS-324")
	for i := range 4 {
		back := i&1 != 0
		s := newScene(t, 16, 16, 1, vk.FormatD24UnormS8Uint)
		s.pass.Stencil.ClearStencil = 1
		s.fs.Demotes = true // late
		s.state.StencilTestEnable = true
		keep := vk.StencilOpState{CompareOp: vk.CompareOpEqual, CompareMask: 255, WriteMask: 255, Reference: 1, PassOp: vk.StencilOpReplace}
		s.state.Front, s.state.Back = keep, keep
		s.state.Front.Reference, s.state.Front.CompareOp = 5, vk.CompareOpNotEqual
		s.state.Back.Reference, s.state.Back.CompareOp = 9, vk.CompareOpNotEqual
		if s.state.FrontFace = vk.FrontFaceClockwise; back { // as whole goes around
			s.state.FrontFace = vk.FrontFaceCounterClockwise
		}
		lanes := 64 << (i & 2) // the interpreter, and machine code
		s.add(s.pipeline(t, lanes), s.state, s.whole(.5, 1, 0, 0, 1), 8)
		s.run(t, Config{Lanes: lanes})
		plane := s.depth.Image.PlaneOf(vk.ImageAspectStencilBit)
		want := byte(5)
		if back {
			want = 9
		}
		for k, got := range s.depth.Image.Level(plane, 0, 0).Data[:16] {
			if got != want {
				t.Fatalf("%d lanes, back %v: stencil of pixel %d is %d, want %d", lanes, back, k, got, want)
			}
		}
	}
}

// Inputs that samples have of their own: where they are in points, in their pixel and in the mask.
func TestRun_RAS291_InputsOfSamples(t *testing.T) {
	rules.Covers(t, "RAS-119", "RAS-191", "RAS-283", "RAS-285", "RAS-290", "RAS-291", "RAS-302")
	places := [][2]float32{{.375, .125}, {.875, .375}, {.125, .625}, {.625, .875}} // standard ones
	var locations [][2]float32
	for i := range 2 * 2 * 4 { // four of each of 2×2 pixels
		locations = append(locations, [2]float32{float32(i) / 16, float32(15-i) / 16})
	}
	for i := range 4 {
		custom := i&1 != 0
		s := newScene(t, 8, 8, 4, vk.FormatUndefined)
		s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 8, 8, 4, 1)
		other := newView(t, vk.FormatR32Uint, 8, 8, 4, 1)
		s.pass.Color = []Attachment{{View: s.color, Load: vk.AttachmentLoadOpClear}, {View: other, Load: vk.AttachmentLoadOpClear}}
		p := &ir.Program{Stage: ir.StageFragment, Name: "samples", SampleRate: true}
		b := ir.NewBuilder(p)
		pass := func(in ir.Builtin, comp uint32, location, to uint32, typ ir.Type) {
			p.Inputs = append(p.Inputs, inout(in, 0, comp, typ))
			p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, location, to, typ))
			slot := uint64(len(p.Inputs) - 1)
			b.OpImm(ir.OpOutput, ir.Void, slot, b.OpImm(ir.OpInput, typ, slot))
		}
		pass(ir.BuiltinPointCoord, 0, 0, 0, ir.F32)
		pass(ir.BuiltinPointCoord, 1, 0, 1, ir.F32)
		pass(ir.BuiltinSamplePosition, 0, 0, 2, ir.F32)
		pass(ir.BuiltinSamplePosition, 1, 0, 3, ir.F32)
		pass(ir.BuiltinSampleMask, uint32(i>>1), 1, 0, ir.I32) // the second word has no bits
		b.Finish()
		s.fs = p
		s.state.Topology = vk.PrimitiveTopologyPointList
		if custom {
			s.state.SampleLocations, s.state.SampleLocationsEnable = raster.CustomSamples(4, 2, 2, locations), true
		}
		size := &ir.Program{Stage: ir.StageVertex, Name: "point"}
		vb := ir.NewBuilder(size)
		for c := range uint32(4) {
			size.Inputs, size.Outputs = append(size.Inputs, inout(ir.BuiltinNone, 0, c, ir.F32)), append(size.Outputs, inout(ir.BuiltinPosition, 0, c, ir.F32))
			vb.OpImm(ir.OpOutput, ir.Void, uint64(c), vb.OpImm(ir.OpInput, ir.F32, uint64(c)))
		}
		size.Outputs = append(size.Outputs, inout(ir.BuiltinPointSize, 0, 0, ir.F32))
		vb.OpImm(ir.OpOutput, ir.Void, 4, vb.F32(8))
		vb.Finish()
		s.vs = size
		s.add(s.pipeline(t, 64), s.state, s.vert(nil, 4, 4, 0, 0, 0, 0, 0), 8)
		s.run(t, Config{Threads: 1})
		l, o := s.color.Level(0, 0), other.Level(0, 0)
		for y := range 8 {
			for x := range 8 {
				for k := range 4 {
					at := places[k]
					if custom {
						at = locations[(y%2*2+x%2)*4+k]
					}
					data := l.Data[l.Offset(x, y, 0, k):]
					for c, want := range [4]float32{(float32(x) + at[0]) / 8, (float32(y) + at[1]) / 8, at[0], at[1]} {
						if got := math.Float32frombits(binary.LittleEndian.Uint32(data[4*c:])); got != want {
							t.Fatalf("custom %v, sample %d of %d,%d: number %d is %v, want %v", custom, k, x, y, c, got, want)
						}
					}
					mask := uint32(1) << k
					if i>>1 == 1 {
						mask = 0
					}
					if got := binary.LittleEndian.Uint32(o.Data[o.Offset(x, y, 0, k):]); got != mask {
						t.Fatalf("sample %d of %d,%d: word %d of its mask is %b, want %b", k, x, y, i>>1, got, mask)
					}
				}
			}
		}
	}
}
