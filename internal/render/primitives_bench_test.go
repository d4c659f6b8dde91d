package render

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// measured runs a pass on one worker and reports how many primitives, and how many
// of the fragments that they cover each, go through in a second of processor time.
// Fragments that later ones hide are not shaded.
func measured(b *testing.B, s *scene, primitives int, covered float64) {
	x := newExecutor(Config{Threads: 1})
	run := func() {
		if _, err := x.Run(context.Background(), &s.pass); err != nil {
			b.Fatal(err)
		}
	}
	run()
	n := 0
	start := rules.CPU()
	for b.Loop() {
		run()
		n++
	}
	rate := float64(n) * float64(primitives) / 1e6 / (rules.CPU() - start).Seconds()
	b.ReportMetric(rate, "Mprimitives/s")
	b.ReportMetric(rate*covered, "Mcovered/s")
}

// BenchmarkTriangles draws separate triangles of about as many fragments each, in
// random places.
func BenchmarkTriangles(b *testing.B) {
	for _, c := range []struct {
		name    string
		area    float64
		n       int
		samples int
	}{
		{"1", 1, 40_000, 1}, {"10", 10, 20_000, 1}, {"100", 100, 10_000, 1}, {"10000", 10_000, 200, 1}, {"100/4x", 100, 10_000, 4}, {"10000/4x", 10_000, 200, 4},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			s := newScene(b, 512, 512, c.samples, vk.FormatD32Sfloat)
			s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLessOrEqual
			side := float32(math.Sqrt(2 * c.area))
			var v []float32
			for i := range c.n {
				x, y := r.Float32()*(512-side), r.Float32()*(512-side)
				z := 1 - float32(i)/float32(c.n)
				for _, p := range [3][2]float32{{0, 0}, {side, 0}, {0, side}} {
					v = s.vert(v, x+p[0], y+p[1], z, red...)
				}
			}
			s.add(s.pipeline(b, 256), s.state, v, 8)
			measured(b, s, c.n, c.area)
		})
	}
}

// BenchmarkDensity draws separate triangles under a density map whose regions of 2×2 all
// differ from their neighbours.
func BenchmarkDensity(b *testing.B) {
	for _, c := range []struct {
		name string
		area float64
		n    int
	}{{"1", 1, 10_000}, {"100", 100, 5_000}, {"10000", 10_000, 50}} {
		b.Run(c.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			s := newScene(b, 512, 512, 1, vk.FormatUndefined)
			s.pass.Density = &DensityMap{
				View:        densityView(b, 256, 256, 1, func(_, x, y int) [2]byte { return [2]byte{127 + 128*byte((x+y)&1), 255} }),
				Framebuffer: vk.Extent2D{Width: 512, Height: 512},
			}
			side := float32(math.Sqrt(2 * c.area))
			var v []float32
			for range c.n {
				x, y := r.Float32()*(512-side), r.Float32()*(512-side)
				for _, p := range [3][2]float32{{0, 0}, {side, 0}, {0, side}} {
					v = s.vert(v, x+p[0], y+p[1], .5, red...)
				}
			}
			s.add(s.pipeline(b, 256), s.state, v, 8)
			measured(b, s, c.n, c.area)
		})
	}
}

// BenchmarkLinesAndPoints draws lines of 20 pixels and points.
func BenchmarkLinesAndPoints(b *testing.B) {
	const n = 10_000
	for _, c := range []struct {
		name    string
		mode    vk.LineRasterizationMode
		width   float32
		stipple bool
	}{
		{"rectangular", vk.LineRasterizationModeRectangular, 1, false}, {"bresenham", vk.LineRasterizationModeBresenham, 1, false},
		{"smooth", vk.LineRasterizationModeRectangularSmooth, 1, false}, {"rectangular/4 wide", vk.LineRasterizationModeRectangular, 4, false},
		{"bresenham/stippled", vk.LineRasterizationModeBresenham, 1, true},
	} {
		b.Run("lines/"+c.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(3, 4))
			s := newScene(b, 512, 512, 1, vk.FormatUndefined)
			s.state.Topology, s.state.LineMode, s.state.LineWidth = vk.PrimitiveTopologyLineList, c.mode, c.width
			if c.stipple {
				s.state.LineStippleEnable, s.state.LineStippleFactor, s.state.LineStipplePattern = true, 1, 0xf0f0
			}
			var v []float32
			for range n {
				x, y, angle := 20+r.Float32()*470, 20+r.Float32()*470, r.Float64()*2*math.Pi
				v = s.vert(v, x, y, .5, red...)
				v = s.vert(v, x+float32(20*math.Cos(angle)), y+float32(20*math.Sin(angle)), .5, red...)
			}
			s.add(s.pipeline(b, 256), s.state, v, 8)
			measured(b, s, n, 20*float64(c.width))
		})
	}
	b.Run("points/1", func(b *testing.B) {
		r := rand.New(rand.NewPCG(5, 6))
		s := newScene(b, 512, 512, 1, vk.FormatUndefined)
		s.state.Topology = vk.PrimitiveTopologyPointList
		var v []float32
		for range 4 * n {
			v = s.vert(v, r.Float32()*512, r.Float32()*512, .5, red...)
		}
		s.add(s.pipeline(b, 256), s.state, v, 8)
		measured(b, s, 4*n, 1)
	})
}

// BenchmarkPerFragment draws quads over the whole framebuffer, whose fragments do
// more and more.
func BenchmarkPerFragment(b *testing.B) {
	shaded := func(s *scene) { s.state.SampleShadingOn, s.state.SampleShadingEnable = true, true }
	for _, c := range []struct {
		name   string
		change func(s *scene)
	}{
		{"sample shading/4", shaded},
		{"sample shading/16", shaded},
		{"written depth", func(s *scene) { s.fs = deep() }},
		{"larger", func(s *scene) { s.state.ShadingRate = rates.Shading{W: 1, H: 1} }},
		{"colour", func(*scene) {}},
		{"depth only", func(s *scene) { s.fs, s.pass.Color = nil, nil }},
		{"depth and colour", func(*scene) {}},
		{"blended", func(s *scene) {
			a := &s.state.Blend[0]
			a.BlendEnable = true
			a.SrcColorBlendFactor, a.DstColorBlendFactor = vk.BlendFactorSrcAlpha, vk.BlendFactorOneMinusSrcAlpha
			a.SrcAlphaBlendFactor, a.DstAlphaBlendFactor = vk.BlendFactorOne, vk.BlendFactorOneMinusSrcAlpha
		}},
		{"three attachments", func(s *scene) {
			s.fs = (&shaderSpec{outputs: [3]outKind{outFloat, outFloat, outFloat}}).program()
			for range 2 {
				s.pass.Color = append(s.pass.Color, Attachment{View: newView(b, vk.FormatR8G8B8A8Unorm, 512, 512, 1, 1), Load: vk.AttachmentLoadOpClear})
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			depth := vk.FormatUndefined
			if c.name != "colour" && c.name != "three attachments" {
				depth = vk.FormatD32Sfloat
			}
			samples := 1
			_, _ = fmt.Sscanf(c.name, "sample shading/%d", &samples)
			s := newScene(b, 512, 512, samples, depth)
			if depth != vk.FormatUndefined {
				s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLessOrEqual
			}
			c.change(s)
			s.pass.CountAll = true // the fragments that later ones hide are shaded
			var v []float32
			const layers = 4
			for range layers {
				v = s.quad(v, 0, 0, 512, 512, .5, red...)
			}
			s.add(s.pipeline(b, 256), s.state, v, 8)
			x := newExecutor(Config{Threads: 1})
			n := 0
			start := rules.CPU()
			for b.Loop() {
				if _, err := x.Run(context.Background(), &s.pass); err != nil {
					b.Fatal(err)
				}
				n++
			}
			b.ReportMetric((rules.CPU()-start).Seconds()*1e9/float64(n)/(layers*512*512), "ns/fragment")
		})
	}
}
