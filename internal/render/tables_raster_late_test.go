package render

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Depth and the reference where a shader writes them, and where it does not: then depth is that of FragCoord at the place that is shaded, and the reference
// the state's. A depth of -0 is stored as it is where depth is not bounded.
func TestTables_RAS310_WhereNothingIsWritten(t *testing.T) {
	rules.Covers(t, "RAS-151", "RAS-281", "RAS-283", "RAS-284", "RAS-285", "RAS-310", "RAS-311", "RAS-326", "RAS-349")
	negative := float32(math.Copysign(0, -1))
	for _, samples := range []int{1, 2, 4, 8, 16, 32, 64} {
		for size := range 10 {
			w, h, each := 1<<(size/3), 1<<(size%3), size == 9 // sample by sample
			if each {
				w, h = 1, 1
			}
			asked := sized(w, h)
			if samples > rates.MaxSamples {
				w, h = 1, 1
			}
			for k, from := range []float32{-1, 6.1875, 99} {
				s := newScene(t, 16, 16, samples, vk.FormatD32SfloatS8Uint)
				s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
					p.Outputs = append(p.Outputs, inout(ir.BuiltinFragDepth, 0, 0, ir.F32), inout(ir.BuiltinFragStencilRef, 0, 0, ir.I32))
					b.If(b.Op(ir.OpFLt, ir.Bool, color[1], color[0]), func() {
						b.OpImm(ir.OpOutput, ir.Void, 4, b.F32(negative))
						b.OpImm(ir.OpOutput, ir.Void, 5, b.I32(9))
					}, nil)
				})
				s.state.DepthUnrestricted, s.state.Viewports[0].MinDepth = true, -1
				s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpAlways
				s.state.StencilTestEnable = true
				s.state.Front = vk.StencilOpState{PassOp: vk.StencilOpReplace, CompareOp: vk.CompareOpAlways, CompareMask: 255, WriteMask: 255, Reference: 5}
				s.state.Back = s.state.Front
				s.state.ShadingRate, s.state.SampleShadingEnable = asked, each
				var list []float32 // z is x/16 - 1 in the framebuffer
				for _, v := range [3][3]float32{{0, 0, 0}, {32, 0, 1}, {0, 32, 0}} {
					list = s.vert(list, v[0], v[1], v[2], v[0], from, 0, 1)
				}
				s.add(s.pipeline(t, 64), s.state, list, 8)
				s.pass.Occlusion = make([]uint64, 1)
				if k != 1 {
					s.pass.Draws[0].Occlusion = 1
				}
				s.run(t, Config{Threads: 1 + k, TileSize: 8 << (k % 2)})
				if n := s.pass.Occlusion[0]; k != 1 && n != uint64(256*samples) || k == 1 && n != 0 {
					t.Errorf("%d samples, fragments of %dx%d: %d samples are counted", samples, w, h, n)
				}
				for i := range 256 * samples {
					x, y, sample := i/samples%16, i/samples/16, i%samples
					px := float32(x/w*w) + float32(w)/2
					if each {
						px = float32(x) + float32(raster.Samples(samples).X[sample])/256
					}
					z, ref := px/16-1, byte(5)
					if px > from {
						z, ref = negative, 9
					}
					if v, st := s.depthStencilOf(x, y, sample); math.Float32bits(v) != math.Float32bits(z) || st != ref {
						t.Fatalf("%d samples, fragments of %dx%d, each %v, written from %v on, pixel %d,%d, sample %d: depth %v, stencil %d, want %v, %d", samples, w, h, each, from, x, y, sample, v, st, z, ref)
					}
				}
			}
		}
	}
}

// Custom orders of every size and number of samples, all in one list: element j has index j, and index j is element j's; sizes that are not listed
// are pixel major.
func TestTables_RAS170_EveryCustomOrder(t *testing.T) {
	rules.Covers(t, "RAS-110", "RAS-112", "RAS-169", "RAS-170")
	entries := map[vk.ShadingRatePaletteEntryNV]rates.Rate{
		vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV: {W: 1, H: 0}, vk.ShadingRatePaletteEntry1InvocationPer1X2PixelsNV: {W: 0, H: 1}, vk.ShadingRatePaletteEntry1InvocationPer2X2PixelsNV: {W: 1, H: 1},
		vk.ShadingRatePaletteEntry1InvocationPer4X2PixelsNV: {W: 2, H: 1}, vk.ShadingRatePaletteEntry1InvocationPer2X4PixelsNV: {W: 1, H: 2}, vk.ShadingRatePaletteEntry1InvocationPer4X4PixelsNV: {W: 2, H: 2},
	}
	for step := range 4 {
		var list []rates.CustomOrder
		for entry, r := range entries {
			for samples := 1; samples <= 16 && samples<<(r.W+r.H) <= 256; samples *= 2 {
				c := rates.CustomOrder{Entry: entry, Samples: samples}
				n := samples << (r.W + r.H)
				for j := range n {
					at := (j*(2*step+1) + 8*n - 1 - step) % n // the first is the last, or near it
					pixel := at / samples
					c.Locations = append(c.Locations, vk.CoarseSampleLocationNV{PixelX: uint32(pixel & (1<<r.W - 1)), PixelY: uint32(pixel >> r.W), Sample: uint32(at % samples)})
				}
				list = append(list, c)
			}
		}
		o := rates.NewOrder(vk.CoarseSampleOrderTypeCustomNV, list)
		major := rates.NewOrder(vk.CoarseSampleOrderTypeSampleMajorNV, list)
		for _, c := range list {
			r := entries[c.Entry]
			for j, l := range c.Locations {
				what := fmt.Sprintf("step %d, fragments of %dx%d, %d samples, element %d", step, 1<<r.W, 1<<r.H, c.Samples, j)
				pixel, sample := int(l.PixelY<<r.W|l.PixelX), int(l.Sample)
				pixels := 1 << (r.W + r.H)
				for name, k := range map[string]struct {
					order *rates.Order
					index int
				}{"custom": {o, j}, "sample major": {major, sample*pixels + pixel}, "none": {nil, sample + c.Samples*(pixels-1-pixel)}} {
					if bit := k.order.Bit(r, pixel, sample, c.Samples); bit != k.index {
						t.Fatalf("%s, %s: index %d, want %d", name, what, bit, k.index)
					}
					if p, s := k.order.At(r, k.index, c.Samples); p != pixel || s != sample {
						t.Fatalf("%s, %s: index %d is sample %d of pixel %d, want %d of %d", name, what, k.index, s, p, sample, pixel)
					}
				}
				if bit := o.Bit(rates.Rate{W: 2, H: 0}, pixel%4, sample, c.Samples); bit != pixel%4*c.Samples+sample {
					t.Fatalf("%s: of a size that is not listed %d", what, bit)
				}
			}
		}
	}
}

// Both sources of a blend are multiplied by how much of a colour sample is covered, of every mask of eight samples to one, two and four.
func TestTables_RAS336_BothSources(t *testing.T) {
	rules.Covers(t, "RAS-332", "RAS-336", "RAS-349")
	for _, colors := range []int{1, 2, 4} {
		for mask := uint32(1); mask < 256; mask += 17 {
			s := covered(t, vk.FormatR32G32B32A32Sfloat, 8, colors, uint64(mask))
			s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
				for c := range uint32(4) {
					out := inout(ir.BuiltinNone, 0, c, ir.F32)
					out.Index = 1
					p.Outputs = append(p.Outputs, out)
					b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)-1), color[3-c])
				}
			})
			s.state.CoverageModulation = vk.CoverageModulationModeRgbaNV
			s.state.Blend[0] = vk.PipelineColorBlendAttachmentState{BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorSrc1Color, SrcAlphaBlendFactor: vk.BlendFactorSrc1Alpha,
				DstColorBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOne, ColorWriteMask: 15}
			s.cover(t)
			for i := range colors {
				n := 8 / colors // samples of a colour sample
				part := float32(bits.OnesCount32(mask>>(i*n)&(1<<n-1))) / float32(n)
				for c, want := range []float32{8, 8, 8, 8} { // (8, 4, 2, 1) times (1, 2, 4, 8)
					if got := component(s.color, i, c); got != want*part*part {
						t.Errorf("mask %#x to %d samples: component %d of sample %d is %v, want %v", mask, colors, c, i, got, want*part*part)
					}
				}
			}
		}
	}
}
