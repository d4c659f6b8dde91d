package sampling

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// IMG-185 to IMG-187: boxes and blocks of one texel to 64, and what gives zeros: one
// extent that is none, or too large, alone.
func TestProcess_IMG185_Sizes(t *testing.T) {
	rules.Covers(t, "IMG-185", "IMG-187", "IMG-653")
	texels := make([]float32, 100*100)
	for i := range texels {
		texels[i] = 1
	}
	v := floats2D(t, 100, 100, texels...)
	two := floats2D(t, 100, 100)
	boxes := processSampler(t, edge, true, average)
	for _, c := range []struct {
		w, h float32
		want float32
	}{{1, 1, 1}, {64, 64, 1}, {64.5, 2, 0}, {2, 64.5, 0}, {0, 2, 0}, {2, 0, 0}, {-1, 2, 0}, {nan, 2, 0}, {2, nan, 0}, {0.5, 3, 1}} {
		x := lane1{op: ir.ImageOp{Kind: ir.ImageBoxFilter, Dim: ir.Dim2D}, coord: []float32{50, 50}}
		if got := x.process(nil, v, boxes, nil, []uint32{one(c.w)[0], one(c.h)[0]}); got[0] != c.want && !(c.w == 0.5 && got[0] > 0) {
			t.Errorf("a box of %vx%v: %v", c.w, c.h, got)
		}
	}
	for _, c := range []struct {
		w, h uint32
		want float32
	}{{1, 1, 1}, {64, 64, 4096}, {65, 1, 0}, {1, 65, 0}, {0, 3, 0}, {3, 0, 0}, {3, 2, 6}, {1 << 31, 1, 0}} {
		x := lane1{op: ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D, SAD: true}, icoord: []int32{10, 10}}
		if got := x.process(two, v, boxes, []uint32{3, 3}, []uint32{c.w, c.h}); got[0] != c.want {
			t.Errorf("a block of %dx%d: %v, want %v", c.w, c.h, got, c.want)
		}
	}
	// No second image, or one without memory: zeros, from either instruction.
	unbound := *v.Image
	unbound.Data = nil
	for name, change := range map[string]func(w *resource.ImageView){"no image": func(w *resource.ImageView) { w.Image = nil }, "no memory": func(w *resource.ImageView) { w.Image = &unbound }} {
		second := *v
		change(&second)
		for _, k := range []ir.ImageKind{ir.ImageWeighted, ir.ImageBlockMatch} {
			x := lane1{op: ir.ImageOp{Kind: k, Dim: ir.Dim2D}, icoord: []int32{1, 1}}
			if got := x.process(&second, v, boxes, []uint32{0, 0}, []uint32{2, 2}); got != [4]float32{} {
				t.Errorf("%s, kind %d: %v", name, k, got)
			}
		}
	}
	// Windows: as wide and high as asked, 64 at most; the first of equals wins.
	step := make([]float32, 100*100)
	for i := range step {
		step[i] = float32(i % 100)
	}
	ramp := floats2D(t, 100, 100, step...)
	for _, c := range []struct {
		w, h int
		max  bool
		x, y float32
	}{{1, 1, true, 0, 0}, {5, 3, true, 4, 0}, {64, 2, true, 63, 0}, {70, 2, true, 63, 0}, {5, 3, false, 0, 0}, {3, 70, true, 2, 0}} {
		s := *processSampler(t, edge, true, average)
		s.Window = resource.BlockMatchWindow{Width: c.w, Height: c.h, Max: c.max}
		x := lane1{op: ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D, SAD: true, Match: ir.MatchWindow}, icoord: []int32{1, 1}}
		if got := x.process(two, ramp, &s, []uint32{0, 0}, []uint32{1, 1}); got[1] != c.x || got[2] != c.y {
			t.Errorf("window %+v: best at (%v, %v), want (%v, %v)", s.Window, got[1], got[2], c.x, c.y)
		}
	}
}

// IMG-653, IMG-656: the weights of a phase lie in its layer; a layer or texel that the
// image has not weighs nothing.
func TestWeighted_IMG653_PhaseLayers(t *testing.T) {
	rules.Covers(t, "IMG-652", "IMG-653", "IMG-656", "IMG-650", "IMG-651", "IMG-655")
	texels := make([]float32, 64)
	for i := range texels {
		texels[i] = 1
	}
	v := floats2D(t, 8, 8, texels...)
	for _, layers := range []int{4, 3, 2, 1} {
		info := resource.WeightImage{Width: 2, Height: 1, Phases: 4}
		w := weightView(t, vk.ImageViewType2DArray, 2, 1, 4, info, func(x, _, l int) float32 { return float32(10*l + 1 + x) })
		w.Layers = layers
		for phase := range 4 {
			// Phases halve a texel, from its centre on: horizontal ones first.
			at := []float32{4.5 + float32(phase%2)/2, 3.5 + float32(phase/2)/2}
			want := float32(20*phase + 3)
			if phase >= layers {
				want = 0
			}
			x := lane1{op: ir.ImageOp{Kind: ir.ImageWeighted, Dim: ir.Dim2D}, coord: at}
			if got := x.process(w, v, processSampler(t, edge, true, average), nil, nil); got[0] != want {
				t.Errorf("%d layers, phase %d: %v, want %v", layers, phase, got[0], want)
			}
		}
		w.Weights.Width = 5 // three more than the image has
		w.Layers = 4
		x := lane1{op: ir.ImageOp{Kind: ir.ImageWeighted, Dim: ir.Dim2D}, coord: []float32{4.5, 3.5}}
		if got := x.process(w, v, processSampler(t, edge, true, average), nil, nil); got[0] != 3 {
			t.Errorf("a weight outside of its image: %v", got[0])
		}
	}
}

// IMG-633: magnification and minification each collect the taps of their own filter.
func TestFootprint_IMG633_FilterByLevel(t *testing.T) {
	rules.Covers(t, "IMG-633", "IMG-630", "IMG-632", "IMG-634", "IMG-636")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(16, 16, 1), MipLevels: 5})
	v := newView(t, im, resource.ViewDesc{})
	for _, c := range []struct {
		mag, min vk.Filter
		lod      float32
		taps     int
	}{{linear, nearest, 0, 4}, {nearest, linear, 0, 1}, {linear, nearest, 0.25, 1}, {nearest, linear, 0.25, 4}} {
		s := resource.Sampler{MagFilter: c.mag, MinFilter: c.min, AddressModeU: edge, AddressModeV: edge, MaxLod: 9}
		at := lane1{op: ir.ImageOp{Dim: ir.Dim2D, Lod: ir.LodExplicit, Granularity: 1}, coord: []float32{0.5, 0.5}, lod: c.lod}
		got := footprintParts(v, newSampler(t, s), at)
		n := 0
		for _, m := range got.Mask {
			for ; m != 0; m &= m - 1 {
				n++
			}
		}
		if n != c.taps {
			t.Errorf("%+v: %d groups of texels, %+v", c, n, got)
		}
	}
	// A border's texels are not in a footprint.
	s := resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: border, AddressModeV: edge}
	at := lane1{op: ir.ImageOp{Dim: ir.Dim2D, Lod: ir.LodExplicit, Granularity: 1}, coord: []float32{0, 0.5}}
	inside := footprintParts(v, newSampler(t, s), at)
	at.coord[0] = -0.25
	outside := footprintParts(v, newSampler(t, s), at)
	if inside.Mask == [2]uint32{} || outside.Mask != [2]uint32{} {
		t.Errorf("at the border %+v, beyond %+v", inside, outside)
	}
}
