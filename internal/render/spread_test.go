package render

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// What is drawn with four samples over a loaded attachment of one: covered samples
// are averaged with what was there.
func TestRun_SpreadLoadsEverySample(t *testing.T) {
	s := newScene(t, 4, 4, 4, vk.FormatUndefined)
	single := newView(t, vk.FormatR8G8B8A8Unorm, 4, 4, 1, 1)
	l := single.Level(0, 0)
	for i := range l.Data {
		l.Data[i] = 100
	}
	s.pass.Color[0] = Attachment{View: s.color, Load: vk.AttachmentLoadOpLoad, Spread: true, Resolve: single, ResolveMode: vk.ResolveModeAverageBit}
	// The left half of column 1 is covered: two samples of four.
	s.add(s.pipeline(t, 64), s.state, s.quad(nil, 1, 0, 1.5, 4, 0, 0, 0, 0, 0), 8)
	s.run(t, Config{})
	for y := range 4 {
		for x, want := range []byte{100, 50, 100, 100} {
			if got := pixel(single, x, y, 0); got != [4]byte{want, want, want, want} {
				t.Errorf("%d,%d: %v, want %d", x, y, got, want)
			}
		}
	}
}

// Fewer colour than depth samples: coverage is truncated for colour, tests see all.
func TestRun_RAS334_MixedSamples(t *testing.T) {
	rules.Covers(t, "RAS-330", "RAS-332", "RAS-333", "RAS-334")
	s := newScene(t, 4, 4, 4, vk.FormatD32Sfloat)
	s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 4, 4, 2, 1)
	s.pass.Color[0].View = s.color
	s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
	s.state.CoverageReduction = vk.CoverageReductionModeTruncateNV
	s.pass.Occlusion = []uint64{0}
	// The upper half of pixels of row 0: samples 0 and 1 of four.
	s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 4, .5, .5, 1, 1, 1, 1), 8).Occlusion = 1
	// The lower half: samples 2 and 3, which no colour sample stands for.
	s.add(s.pass.Draws[0].Pipeline, s.state, s.quad(nil, 0, 1.5, 4, 2, .5, 1, 1, 1, 1), 8).Occlusion = 1
	s.run(t, Config{})
	if s.pass.Occlusion[0] != 16 {
		t.Errorf("%d samples counted, want 16", s.pass.Occlusion[0])
	}
	for i := range 4 {
		if got := float(s.depth, 1, 0, i) == .5; got != (i < 2) {
			t.Errorf("row 0, depth sample %d is written: %v", i, got)
		}
		if got := float(s.depth, 1, 1, i) == .5; got != (i >= 2) {
			t.Errorf("row 1, depth sample %d is written: %v", i, got)
		}
	}
	for i := range 2 {
		if float(s.color, 1, 0, i) != 1 || float(s.color, 1, 1, i) != 0 {
			t.Errorf("colour sample %d: %v and %v", i, float(s.color, 1, 0, i), float(s.color, 1, 1, i))
		}
	}
}
