package render

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// covered is a scene of one pixel with an attachment of a format: a draw of colour
// (8, 4, 2, 1) covers the samples of mask.
func covered(t *testing.T, f vk.Format, samples, colors int, mask uint64) *scene {
	s := newScene(t, 2, 2, samples, vk.FormatUndefined)
	s.color = newView(t, f, 2, 2, colors, 1)
	s.pass.Color[0].View, s.pass.Samples = s.color, samples
	s.state.SampleMask = mask
	return s
}

func (s *scene) cover(t *testing.T) {
	t.Helper()
	s.add(s.pipeline(t, 64), s.state, s.whole(0, 8, 4, 2, 1), 8)
	s.run(t, Config{})
}

// whole is one triangle over everything: no pixel belongs to two.
func (s *scene) whole(z float32, color ...float32) []float32 {
	size := 3 * float32(s.width)
	return s.vert(s.vert(s.vert(nil, 0, 0, z, color...), size, 0, z, color...), 0, size, z, color...)
}

// component is a float component of a sample of pixel (0, 0).
func component(v *resource.ImageView, sample, comp int) float32 {
	l := v.Level(0, 0)
	return math.Float32frombits(binary.LittleEndian.Uint32(l.Data[l.Offset(0, 0, 0, sample)+4*comp:]))
}

// Merged coverage: a colour sample is covered where any of its contiguous group is.
func TestRun_RAS334_MergedCoverage(t *testing.T) {
	rules.Covers(t, "RAS-332", "RAS-334")
	for _, c := range []struct {
		samples, colors int
		mask, want      uint64
	}{
		{4, 2, 0b0001, 0b01}, {4, 2, 0b0010, 0b01}, {4, 2, 0b0100, 0b10}, {4, 2, 0b1000, 0b10}, {4, 2, 0b0110, 0b11},
		{4, 1, 0b1000, 1}, {16, 1, 1 << 15, 1}, {16, 4, 0x0810, 0b0110}, {8, 8, 0xA5, 0xA5}, {64, 1, 1 << 63, 1}, {64, 4, 1<<47 | 1<<16, 0b0110}, {64, 64, 0xA5A5_0000_5A5A_1111, 0xA5A5_0000_5A5A_1111},
	} {
		s := covered(t, vk.FormatR32G32B32A32Sfloat, c.samples, c.colors, c.mask)
		s.cover(t)
		got := uint64(0)
		for i := range c.colors {
			if component(s.color, i, 0) == 8 {
				got |= 1 << i
			}
		}
		if got != c.want {
			t.Errorf("%d to %d samples, mask %#x: colour samples %#b, want %#b", c.samples, c.colors, c.mask, got, c.want)
		}
	}
}

// Modulation: the components of the mode times the covered part of a colour sample,
// or times an element of the table, clamped.
func TestRun_RAS336_Modulation(t *testing.T) {
	rules.Covers(t, "RAS-336")
	none, rgb, alpha, rgba := vk.CoverageModulationModeNoneNV, vk.CoverageModulationModeRgbNV, vk.CoverageModulationModeAlphaNV, vk.CoverageModulationModeRgbaNV
	nan := float32(math.NaN())
	for _, c := range []struct {
		mode            vk.CoverageModulationModeNV
		reduce          vk.CoverageReductionModeNV
		samples, colors int
		mask            uint64
		table           []float32
		want            [4]float32 // of colour sample 0
	}{
		{rgba, 0, 4, 1, 0b0001, nil, [4]float32{2, 1, .5, .25}},
		{rgba, 0, 4, 1, 0b1011, nil, [4]float32{6, 3, 1.5, .75}},
		{rgba, 0, 16, 1, 0x8421, nil, [4]float32{2, 1, .5, .25}},
		{rgba, 0, 64, 1, 0x8001_8001_8001_8001, nil, [4]float32{1, .5, .25, .125}},
		{rgba, 0, 8, 2, 0xF1, nil, [4]float32{2, 1, .5, .25}},
		{rgb, 0, 4, 1, 0b0011, nil, [4]float32{4, 2, 1, 1}},
		{alpha, 0, 4, 1, 0b0011, nil, [4]float32{8, 4, 2, .5}},
		{none, 0, 4, 1, 0b0011, nil, [4]float32{8, 4, 2, 1}},
		{rgba, vk.CoverageReductionModeTruncateNV, 4, 1, 0b0011, nil, [4]float32{8, 4, 2, 1}},
		{rgba, vk.CoverageReductionModeTruncateNV, 4, 1, 0b0011, []float32{0, 0, 0, 0}, [4]float32{8, 4, 2, 1}},
		{rgba, 0, 4, 1, 0b0100, []float32{.125, 0, 0, 0}, [4]float32{1, .5, .25, .125}},
		{rgba, 0, 4, 1, 0b1110, []float32{0, 0, .5, 0}, [4]float32{4, 2, 1, .5}},
		{rgba, 0, 4, 1, 0b1110, []float32{0, 0, 7, 0}, [4]float32{8, 4, 2, 1}},
		{rgba, 0, 4, 1, 0b1110, []float32{0, 0, -7, 0}, [4]float32{0, 0, 0, 0}},
		{rgba, 0, 4, 1, 0b1110, []float32{0, 0, nan, 0}, [4]float32{0, 0, 0, 0}},
		{rgba, 0, 4, 4, 0b0001, []float32{.5}, [4]float32{4, 2, 1, .5}},
	} {
		s := covered(t, vk.FormatR32G32B32A32Sfloat, c.samples, c.colors, c.mask)
		s.state.CoverageModulation, s.state.CoverageReduction, s.state.CoverageTableEnable = c.mode, c.reduce, c.table != nil
		s.state.CoverageTableCount = uint8(copy(s.state.CoverageTable[:], c.table))
		s.cover(t)
		for i, want := range c.want {
			if got := component(s.color, 0, i); got != want {
				t.Errorf("%v, %d to %d samples, mask %#x, table %v: component %d is %v, want %v", c.mode, c.samples, c.colors, c.mask, c.table, i, got, want)
			}
		}
	}
}

// Colour samples of one fragment have factors of their own; and blending takes what
// was multiplied.
func TestRun_RAS336_EachSampleItsFactor(t *testing.T) {
	rules.Covers(t, "RAS-332", "RAS-334", "RAS-336")
	s := covered(t, vk.FormatR32G32B32A32Sfloat, 8, 2, 0b1111_0001)
	s.state.CoverageModulation = vk.CoverageModulationModeRgbaNV
	s.pass.Color[0].ClearColor = texel(1, 1, 1, 1)
	s.state.Blend[0] = vk.PipelineColorBlendAttachmentState{BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorOne, DstColorBlendFactor: vk.BlendFactorOneMinusSrcAlpha,
		SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOne, ColorWriteMask: 15}
	s.cover(t)
	if a, b := component(s.color, 0, 0), component(s.color, 1, 0); a != 2+.75 || b != 8 {
		t.Errorf("red of samples: %v and %v, want 2.75 and 8", a, b)
	}
}

// Integers are not modulated, and a table must have an element for each number of
// covered samples.
func TestRun_RAS336_IntegersAndTables(t *testing.T) {
	rules.Covers(t, "RAS-336")
	s := covered(t, vk.FormatR32Uint, 4, 1, 1)
	s.fs = constantOutput(ir.I32, 9)
	s.state.CoverageModulation = vk.CoverageModulationModeRgbaNV
	s.cover(t)
	if got := binary.LittleEndian.Uint32(s.color.Level(0, 0).Data); got != 9 {
		t.Errorf("an integer becomes %d, want 9", got)
	}
	s = covered(t, vk.FormatR32G32B32A32Sfloat, 4, 1, 1)
	s.state.CoverageModulation, s.state.CoverageTableEnable, s.state.CoverageTableCount = vk.CoverageModulationModeRgbNV, true, 3
	s.add(s.pipeline(t, 64), s.state, nil, 8)
	var state *fragops.StateError
	if _, err := newExecutor(Config{}).Run(context.Background(), &s.pass); !errors.As(err, &state) {
		t.Errorf("a table of three for four samples: %v", err)
	}
}

// constantOutput is a shader that writes one component.
func constantOutput(typ ir.Type, v uint32) *ir.Program {
	p := &ir.Program{Stage: ir.StageFragment, Name: "constant"}
	b := ir.NewBuilder(p)
	p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, 0, typ))
	b.OpImm(ir.OpOutput, ir.Void, 0, b.Const(typ, v))
	b.Finish()
	return p
}

// Coverage to colour: the mask after all tests, its low bits, zero-filled.
func TestRun_RAS331_CoverageToColor(t *testing.T) {
	rules.Covers(t, "RAS-331")
	for _, c := range []struct {
		f               vk.Format
		samples, colors int
		mask, want      uint64
	}{
		{vk.FormatR8Uint, 4, 4, 0b1010, 0b1010}, {vk.FormatR8Uint, 16, 16, 0xABCD, 0xCD}, {vk.FormatR8Sint, 8, 8, 0xF1, 0xF1},
		{vk.FormatR8Sint, 16, 16, 0xFF7F, 0x7F}, {vk.FormatR16Uint, 16, 16, 0xABCD, 0xABCD}, {vk.FormatR16Sint, 16, 16, 0x8001, 0x8001},
		{vk.FormatR32Uint, 16, 16, 0xABCD, 0xABCD}, {vk.FormatR32Sint, 16, 16, 0x8001, 0x8001}, {vk.FormatR32Uint, 4, 1, 0b1100, 0b1100},
		{vk.FormatR32Uint, 64, 1, 0xABCD_0123_4567_89EF, 0x4567_89EF}, {vk.FormatR8Sint, 32, 2, 0x8000_00F1, 0xF1},
	} {
		for _, rate := range []rates.Shading{{}, sized(2, 2), many(2)} {
			s := covered(t, c.f, c.samples, c.colors, c.mask)
			s.state.CoverageToColor = true
			s.state.ShadingRate = rate
			s.cover(t)
			l := s.color.Level(0, 0)
			for y := range 2 {
				for x := range 2 {
					for i := range c.colors {
						word := [4]byte{}
						copy(word[:], l.Data[l.Offset(x, y, 0, i):][:l.Bytes])
						want := c.want
						if c.colors == c.samples && c.mask>>i&1 == 0 {
							want = 0 // not covered
						}
						if got := uint64(binary.LittleEndian.Uint32(word[:])); got != want {
							t.Errorf("%v, mask %#x, rate %v: pixel %d,%d sample %d has %#x, want %#x", c.f, c.mask, rate, x, y, i, got, want)
						}
					}
				}
			}
		}
	}
}

// Coverage to colour sees alpha to coverage and the depth test; other outputs go
// where they go; without an output at the location the attachment is written
// nevertheless; other formats are an error.
func TestRun_RAS331_Place(t *testing.T) {
	rules.Covers(t, "RAS-331")
	s := covered(t, vk.FormatR32G32B32A32Sfloat, 4, 4, 0b1111)
	mask := newView(t, vk.FormatR32Uint, 2, 2, 4, 1)
	s.pass.Color = append(s.pass.Color, Attachment{View: mask, Load: vk.AttachmentLoadOpClear})
	s.depth = newView(t, vk.FormatD32Sfloat, 2, 2, 4, 1)
	s.pass.Depth = &Attachment{View: s.depth, Load: vk.AttachmentLoadOpClear, ClearDepth: 1}
	s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
	// Sample 1 is taken by something nearer.
	near := s.state
	near.SampleMask, near.ColorWrite = 0b0010, 0
	s.add(s.pipeline(t, 64), near, s.whole(.25, 0, 0, 0, 1), 8)
	s.state.CoverageToColor, s.state.CoverageToColorLocation = true, 1
	s.state.AlphaToCoverageEnable = true
	s.add(s.pass.Draws[0].Pipeline, s.state, s.whole(.5, 8, 4, 2, .75), 8) // three of four
	s.run(t, Config{})
	l := mask.Level(0, 0)
	for i, want := range []uint32{0b0101, 0, 0b0101, 0} {
		if got := binary.LittleEndian.Uint32(l.Data[l.Offset(0, 0, 0, i):]); got != want {
			t.Errorf("sample %d has %#b, want %#b", i, got, want)
		}
		if got := component(s.color, i, 0); got != 8*float32(want&1) {
			t.Errorf("red of sample %d is %v", i, got)
		}
	}
	s = covered(t, vk.FormatR8G8B8A8Uint, 4, 4, 1)
	s.state.CoverageToColor = true
	s.add(s.pipeline(t, 64), s.state, nil, 8)
	var state *fragops.StateError
	if _, err := newExecutor(Config{}).Run(context.Background(), &s.pass); !errors.As(err, &state) {
		t.Errorf("coverage to a format of four components: %v", err)
	}
}

// What later fragments overwrite does not change the mask of those before.
func TestRun_RAS331_Overwritten(t *testing.T) {
	rules.Covers(t, "RAS-331")
	s := covered(t, vk.FormatR32Uint, 4, 4, 0b1111)
	s.fs = constantOutput(ir.I32, 9)
	s.state.CoverageToColor = true
	p := s.pipeline(t, 64)
	over := s.state
	over.SampleMask = 0b0110
	s.add(p, s.state, s.whole(0, 0, 0, 0, 0), 8)
	s.add(p, over, s.whole(0, 0, 0, 0, 0), 8)
	s.run(t, Config{})
	l := s.color.Level(0, 0)
	for i, want := range []uint32{0b1111, 0b0110, 0b0110, 0b1111} {
		if got := binary.LittleEndian.Uint32(l.Data[l.Offset(1, 1, 0, i):]); got != want {
			t.Errorf("sample %d has %#b, want %#b", i, got, want)
		}
	}
}

// With sample shading the fragment's coverage is that of all its invocations, and
// of several that share a colour sample the first has it.
func TestRun_RAS331_SampleShading(t *testing.T) {
	rules.Covers(t, "RAS-331", "RAS-332", "RAS-333", "RAS-334", "RAS-336")
	for lanes := 64; lanes <= 256; lanes *= 2 {
		s := newScene(t, 34, 34, 8, vk.FormatUndefined)
		s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 34, 34, 2, 1)
		mask := newView(t, vk.FormatR32Uint, 34, 34, 8, 1)
		s.pass.Color = []Attachment{{View: s.color, Load: vk.AttachmentLoadOpClear}, {View: mask, Load: vk.AttachmentLoadOpClear}}
		s.state.SampleShadingEnable, s.state.SampleMask = true, 0b1111_0101
		s.state.CoverageToColor, s.state.CoverageToColorLocation = true, 1
		s.state.CoverageModulation = vk.CoverageModulationModeRgbaNV
		// Additive blending shows if a colour sample is written more than once.
		s.state.Blend[0] = vk.PipelineColorBlendAttachmentState{BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorOne, DstColorBlendFactor: vk.BlendFactorOne,
			SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOne, ColorWriteMask: 15}
		s.add(s.pipeline(t, lanes), s.state, s.whole(0, 8, 4, 2, 1), 8)
		s.run(t, Config{Lanes: lanes})
		l, c := mask.Level(0, 0), s.color.Level(0, 0)
		for y := range 34 {
			for x := range 34 {
				got := binary.LittleEndian.Uint32(l.Data[l.Offset(x, y, 0, 2):])
				red := math.Float32frombits(binary.LittleEndian.Uint32(c.Data[c.Offset(x, y, 0, 0):]))
				on := math.Float32frombits(binary.LittleEndian.Uint32(c.Data[c.Offset(x, y, 0, 1):]))
				if got != 0b1111_0101 || red != 4 || on != 8 {
					t.Fatalf("%d lanes, pixel %d,%d: mask %#b, red %v and %v", lanes, x, y, got, red, on)
				}
			}
		}
	}
}

// A colour sample of which two primitives cover different samples, each an invocation of its own, has
// the colour of the later one. The standard locations of two samples are (.75, .75) and (.25, .25).
func TestRun_RAS334_PrimitivesInOrder(t *testing.T) {
	rules.Covers(t, "RAS-334", "RAS-114")
	for _, lanes := range []int{64, 128, 256} {
		s := newScene(t, 2, 2, 2, vk.FormatUndefined)
		s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 2, 2, 1, 1)
		s.pass.Color[0].View, s.pass.Samples = s.color, 2
		s.state.SampleShadingOn, s.state.SampleShadingEnable = true, true
		s.state.CoverageReduction = vk.CoverageReductionModeMergeNV
		list := s.quad(nil, 0, 0, .5, .5, 0, 1, 0, 0, 1) // sample 1
		list = s.quad(list, .5, .5, 1, 1, 0, 2, 0, 0, 1) // sample 0
		s.add(s.pipeline(t, lanes), s.state, list, 8)
		s.run(t, Config{Lanes: lanes})
		if got := component(s.color, 0, 0); got != 2 {
			t.Errorf("%d lanes: the colour of primitive %v, want that of the second", lanes, got)
		}
	}
}

// The representative fragment test leaves nothing out, whether it might or not.
func TestRun_RAS314_RepresentativeFragments(t *testing.T) {
	rules.Covers(t, "RAS-314", "RAS-372")
	for _, early := range []bool{true, false} {
		s := newScene(t, 16, 16, 1, vk.FormatUndefined)
		s.fs.EarlyFragmentTests = early
		s.state.RepresentativeFragmentTest = true
		s.pass.CountAll, s.pass.Occlusion = true, []uint64{0}
		s.add(s.pipeline(t, 64), s.state, s.whole(0, 1, 1, 1, 1), 8).Occlusion = 1
		if st := s.run(t, Config{}); st.Fragments != 256 || s.pass.Occlusion[0] != 256 {
			t.Errorf("early tests %v: %d fragments and %d samples of 256", early, st.Fragments, s.pass.Occlusion[0])
		}
		for i, v := range s.color.Level(0, 0).Data {
			if v != 255 {
				t.Fatalf("early tests %v: byte %d is %d", early, i, v)
			}
		}
	}
	// Of those that a depth test takes, too, all that pass are there: what lies right of x = 6.
	for i := range 4 {
		on, c := i&1 != 0, Config{Lanes: 64 << (i & 2)} // the interpreter, and machine code
		s := newScene(t, 16, 16, 1, vk.FormatD32Sfloat)
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 6, 16, .125, red...), 8)
		s.fs.EarlyFragmentTests, s.state.RepresentativeFragmentTest = true, on
		s.pass.CountAll, s.pass.Occlusion = true, []uint64{0}
		s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 16, 16, .25, white...), 8).Occlusion = 1
		if st := s.run(t, c); st.Fragments != 96+160 || s.pass.Occlusion[0] != 160 {
			t.Errorf("enabled %v: %d fragments of 256, %d samples of 160", on, st.Fragments, s.pass.Occlusion[0])
		}
		for i := range 256 {
			if got, want := pixel(s.color, i%16, i/16, 0), map[bool][4]byte{true: {255, 255, 255, 255}, false: {255, 0, 0, 255}}[i%16 >= 6]; got != want {
				t.Fatalf("enabled %v, pixel %d,%d: %v, want %v", on, i%16, i/16, got, want)
			}
		}
	}
}
