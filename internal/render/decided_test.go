package render

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/watch"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
	"github.com/pumice-gpu/pumice/vk"
)

// trial is a draw of which one sample is watched. The plain one is the triangle (0, 0), (8, 0), (0, 8) on 8 × 8 pixels of one
// sample, drawn over nothing, and the sample is that of the pixel (2, 2).
type trial struct {
	t       *testing.T
	s       *scene
	d       *DynamicState
	corners [][4]float32 // x and y in pixels, depth, w
	more    [][4]float32 // a second varying, for what vertices have besides
	color   [4]float32
	watch   watch.Watch
	// coverage is the most coverage samples of a fragment; 0: as many as there are
	coverage int
}

func newTrial(t *testing.T, samples int, depth vk.Format) *trial {
	s := newScene(t, 8, 8, samples, depth)
	x := &trial{t: t, s: s, d: &s.state, corners: [][4]float32{{0, 0, 0.5, 1}, {8, 0, 0.5, 1}, {0, 8, 0.5, 1}}, color: [4]float32{0.5, 0.25, 1, 0.5}, watch: watch.Watch{X: 2, Y: 2}}
	s.vs = vertexProgram(2)
	return x
}

// run returns the steps that are told of the sample.
func (x *trial) run() (steps []explain.Step) {
	var list []float32
	w, h := float32(x.s.width), float32(x.s.height)
	for i, c := range x.corners {
		list = append(list, (2*c[0]/w-1)*c[3], (2*c[1]/h-1)*c[3], c[2]*c[3], c[3])
		list = append(list, x.color[:]...)
		more := [4]float32{}
		if i < len(x.more) {
			more = x.more[i]
		}
		list = append(list, more[:]...)
	}
	x.s.add(x.s.pipeline(x.t, 64), *x.d, list, 12)
	v := x.watch
	x.s.pass.Watches = []*watch.Watch{&v}
	if _, err := newExecutor(Config{Threads: 1, Lanes: 64, CoverageSamples: x.coverage}).Run(context.Background(), &x.s.pass); err != nil {
		x.t.Fatal(err)
	}
	for _, e := range v.Events {
		steps = append(steps, e.Steps...)
		if e.Draw != nil {
			for i := range e.Draw.Fragments {
				steps = append(steps, e.Draw.Fragments[i].Steps...)
			}
		}
	}
	return steps
}

func (x *trial) at(px, py int32) { x.watch.X, x.watch.Y = px, py }

// gives makes the vertex shader write built-ins from the second varying, a float each.
func (x *trial) gives(builtins ...ir.Builtin) {
	counts := map[ir.Builtin]uint32{}
	for i, b := range builtins {
		typ := ir.F32
		if b == ir.BuiltinPrimitiveShadingRate || b == ir.BuiltinViewportIndex || b == ir.BuiltinLayer {
			typ = ir.I32
		}
		x.s.vs.Outputs = append(x.s.vs.Outputs, inout(b, 0, counts[b], typ))
		counts[b]++
		slot := uint64(len(x.s.vs.Outputs) - 1)
		extend(x.s.vs, func(b *ir.Builder) {
			v := b.OpImm(ir.OpInput, ir.F32, uint64(8+i))
			if typ == ir.I32 {
				v = b.Op(ir.OpF2S, ir.I32, v)
			}
			b.OpImm(ir.OpOutput, ir.Void, slot, v)
		})
	}
}

func (x *trial) vertices(topology vk.PrimitiveTopology, list ...[4]float32) {
	x.d.Topology, x.corners = topology, list
}

// line goes along row 2, from the middle of column 0 to that of column 5.
func (x *trial) line() {
	x.vertices(vk.PrimitiveTopologyLineList, [4]float32{0.5, 2.5, 0.5, 1}, [4]float32{5.5, 2.5, 0.5, 1})
}

func (x *trial) bresenham() {
	x.line()
	x.d.LineMode = vk.LineRasterizationModeBresenham
}

// upright is a Bresenham line along column 2.
func (x *trial) upright() {
	x.vertices(vk.PrimitiveTopologyLineList, [4]float32{2.5, 0.5, 0.5, 1}, [4]float32{2.5, 5.5, 0.5, 1})
	x.d.LineMode = vk.LineRasterizationModeBresenham
}

func (x *trial) point() {
	x.vertices(vk.PrimitiveTopologyPointList, [4]float32{2.5, 2.5, 0.5, 1})
}

func (x *trial) conservative(m vk.ConservativeRasterizationModeEXT) {
	x.d.ConservativeMode = m
}

func (x *trial) over()  { x.conservative(vk.ConservativeRasterizationModeOverestimateEXT) }
func (x *trial) under() { x.conservative(vk.ConservativeRasterizationModeUnderestimateEXT) }

func (x *trial) biased(unit vk.DepthBiasRepresentationEXT, exact bool) {
	x.d.DepthBiasEnable, x.d.DepthBiasConstant, x.d.DepthBiasUnit, x.d.DepthBiasExact = true, 1, unit, exact
}

func (x *trial) depth(op vk.CompareOp) {
	x.d.DepthTestEnable, x.d.DepthCompareOp = true, op
}

func (x *trial) stencil(op vk.StencilOp) {
	x.d.StencilTestEnable = true
	x.d.Front = vk.StencilOpState{CompareOp: vk.CompareOpAlways, PassOp: op, CompareMask: 0xff, WriteMask: 0xff, Reference: 7}
	x.d.Back = x.d.Front
}

func (x *trial) blend(src, dst vk.BlendFactor, op vk.BlendOp) {
	b := &x.d.Blend[0]
	b.BlendEnable, b.SrcColorBlendFactor, b.DstColorBlendFactor, b.ColorBlendOp, b.SrcAlphaBlendFactor, b.DstAlphaBlendFactor, b.AlphaBlendOp = true, src, dst, op, src, dst, op
}

func (x *trial) over1() { x.blend(vk.BlendFactorOne, vk.BlendFactorOne, vk.BlendOpAdd) }

// target draws to another format.
func (x *trial) target(f vk.Format, samples int) {
	x.s.color = newView(x.t, f, 8, 8, samples, 1)
	x.s.pass.Color[0].View = x.s.color
}

func (x *trial) clipped(list ...[4]float32) {
	x.gives(ir.BuiltinClipDistance, ir.BuiltinClipDistance)
	x.more = list
}

func (x *trial) rate(w, h int) { x.d.ShadingRate = sized(w, h) }

func (x *trial) attachRate(code byte) {
	v := newView(x.t, vk.FormatR8Uint, 1, 1, 1, 1)
	v.Image.Data[0] = code
	x.s.pass.Rate = &rates.Attachment{View: v, Texel: vk.Extent2D{Width: 8, Height: 8}}
	x.d.RateCombiners[1] = vk.FragmentShadingRateCombinerOpReplaceKHR
}

func (x *trial) rateImage(e vk.ShadingRatePaletteEntryNV) {
	x.d.RateImageEnable = true
	x.d.Palettes[0].N = 1
	x.d.Palettes[0].Entries[0] = uint8(e)
}

func (x *trial) sampleShading() {
	x.d.SampleShadingOn, x.d.SampleShadingEnable = true, true
}

// resolves watches what the samples of the attachment become.
func (x *trial) resolves(f vk.Format, mode vk.ResolveModeFlags) {
	x.target(f, x.s.samples)
	x.s.pass.Color[0].Resolve, x.s.pass.Color[0].ResolveMode = newView(x.t, f, 8, 8, 1, 1), mode
	x.watch.Resolved = true
}

func (x *trial) dense() {
	x.s.pass.Density = &DensityMap{View: densityView(x.t, 1, 1, 1, func(int, int, int) [2]byte { return [2]byte{127, 127} })}
}

const ds = vk.FormatD32SfloatS8Uint

// decisions are the rules that can decide what a sample holds, each with how the plain trial has to change for the rule
// to decide; twin, where it is given, is what the other way looks like, else it is the plain trial. Both have samples
// samples (0: 1), and depth and stencil of the format depth.
var decisions = []struct {
	rule      string
	samples   int
	depth     vk.Format
	set, twin func(x *trial)
}{
	{"RAS-002", 0, 0, func(x *trial) { x.corners[1][0] = 7.9999 }, nil},
	{"RAS-046", 0, 0, func(*trial) {}, func(x *trial) { x.strip() }},
	{"RAS-047", 0, 0, func(x *trial) { x.strip() }, nil},
	{"RAS-048", 0, 0, func(x *trial) { x.d.Topology = vk.PrimitiveTopologyTriangleFan }, nil},
	{"RAS-049", 0, 0, func(x *trial) { x.adjacent(vk.PrimitiveTopologyTriangleStripWithAdjacency) }, nil},
	{"RAS-050", 0, 0, func(x *trial) { x.adjacent(vk.PrimitiveTopologyTriangleListWithAdjacency) }, nil},
	{"RAS-066", 0, 0, func(x *trial) { x.d.RasterizerDiscard = true }, nil},
	{"RAS-070", 0, 0, func(x *trial) { x.d.ViewportCount, x.d.Viewports[1] = 2, x.d.Viewports[0] }, nil},
	{"RAS-071", 0, 0, func(x *trial) {
		x.layers()
		x.gives(ir.BuiltinLayer)
		x.more = [][4]float32{{1}, {1}, {1}}
		x.watch.Layer = 1
	},
		func(x *trial) { x.layers() }},
	{"RAS-072", 0, 0, func(x *trial) { x.layers(); x.s.pass.ViewMask = 2; x.watch.Layer = 1 }, func(x *trial) { x.layers() }},
	{"RAS-074", 0, 0, func(x *trial) { x.gives(ir.BuiltinCullDistance); x.more = [][4]float32{{-1}, {-1}, {-1}} },
		func(x *trial) { x.gives(ir.BuiltinCullDistance); x.more = [][4]float32{{-1}, {-1}, {1}} }},
	{"RAS-075", 0, 0, func(x *trial) {
		x.right()
		x.corners = [][4]float32{{-4, 0, 0.5, 1}, {-0.5, 0, 0.5, 1}, {-4, 3.5, 0.5, 1}}
		x.at(1, 1)
	},
		func(x *trial) { x.right() }},
	{"RAS-076", 0, 0, func(x *trial) { x.depths(2, 2, 2) }, func(x *trial) { x.depths(2, 2, 2); x.d.DepthClipEnable = false }},
	{"RAS-077", 0, 0, func(x *trial) { x.clipped([4]float32{-1, 1}, [4]float32{1, 1}, [4]float32{1, 1}); x.at(1, 1) },
		func(x *trial) { x.clipped([4]float32{-1, 1}, [4]float32{1, 1}, [4]float32{1, 1}); x.at(5, 1) }},
	{"RAS-079", 0, 0, func(x *trial) { x.depths(3, 0, 0); x.at(0, 0) }, func(x *trial) { x.depths(3, 0, 0); x.at(5, 1) }},
	{"RAS-080", 0, 0, func(x *trial) { x.right(); x.at(2, 4) }, func(x *trial) { x.right(); x.at(4, 2) }},
	{"RAS-081", 0, 0, func(x *trial) { x.corners[2] = [4]float32{0, -8, 0.5, -1}; x.at(2, 4) }, nil},
	{"RAS-085", 0, 0, func(x *trial) { x.point(); x.depths(2) }, (*trial).point},
	{"RAS-086", 0, 0, func(x *trial) { x.line(); x.depths(0, 3); x.at(4, 2) }, func(x *trial) { x.line(); x.depths(0, 3); x.at(1, 2) }},
	{"RAS-087", 0, 0, func(x *trial) {
		x.d.PolygonMode = vk.PolygonModeLine
		x.clipped([4]float32{-1, 1}, [4]float32{-1, 1}, [4]float32{1, -3})
		x.at(2, 0)
	}, func(x *trial) { x.d.PolygonMode = vk.PolygonModeLine; x.at(2, 0) }},
	{"RAS-088", 0, 0, func(x *trial) { x.d.PolygonMode = vk.PolygonModeFillRectangleNV; x.depths(3, 0, 0) },
		func(x *trial) { x.d.PolygonMode = vk.PolygonModeFillRectangleNV }},
	{"RAS-091", 0, 0, func(x *trial) { x.corners[1][3] = 2 }, nil},
	{"RAS-092", 0, 0, func(*trial) {}, func(x *trial) { x.corners[1][0] = float32(math.NaN()) }},
	{"RAS-094", 0, 0, func(x *trial) { x.d.Viewports[0].Y, x.d.Viewports[0].Height = 8, -8; x.at(2, 5) }, nil},
	{"RAS-098", 0, 0, func(x *trial) { x.s.pass.Area.Extent.Width = 2 }, func(x *trial) { x.s.pass.Area.Extent.Width = 2; x.at(4, 4) }},
	{"RAS-099", 0, ds, func(x *trial) { x.s.fs = nil; x.watch.Attachment = watch.DepthStencil }, func(x *trial) { x.watch.Attachment = watch.DepthStencil }},
	{"RAS-118", 0, 0, func(x *trial) { x.located() }, nil},
	{"RAS-128", 0, 0, (*trial).dense, nil},
	{"RAS-131", 0, 0, (*trial).dense, nil},
	{"RAS-139", 0, 0, func(x *trial) { x.rate(2, 2) }, nil},
	{"RAS-140", 0, 0, func(x *trial) { x.primitiveRate() }, func(x *trial) { x.rate(2, 2) }},
	{"RAS-141", 0, 0, func(x *trial) { x.attachRate(5) }, func(x *trial) { x.rate(2, 2) }},
	{"RAS-144", 0, 0, func(x *trial) { x.attachRate(5) }, func(x *trial) { x.rate(2, 2) }},
	{"RAS-146", 4, 0, func(x *trial) { x.rate(4, 4); x.coverage = 16 }, func(x *trial) { x.rate(4, 4) }},
	{"RAS-148", 4, 0, func(x *trial) { x.rate(2, 2); x.sampleShading() }, func(x *trial) { x.rate(2, 2) }},
	{"RAS-150", 0, 0, func(x *trial) { x.rate(2, 2) }, nil},
	{"RAS-159", 0, 0, func(x *trial) { x.d.RateEnums, x.d.ShadingRate = true, rates.Shading{Invocations: rates.NoInvocations} }, nil},
	{"RAS-163", 0, 0, func(x *trial) { x.rateImage(vk.ShadingRatePaletteEntry1InvocationPer2X2PixelsNV) },
		func(x *trial) { x.rateImage(vk.ShadingRatePaletteEntry1InvocationPerPixelNV) }},
	{"RAS-171", 4, 0, func(x *trial) { x.rateImage(vk.ShadingRatePaletteEntry4InvocationsPerPixelNV) }, nil},
	{"RAS-174", 4, 0, func(x *trial) { x.s.fs.SampleRate = true }, (*trial).sampleShading},
	{"RAS-175", 4, 0, (*trial).sampleShading, func(x *trial) { x.s.fs.SampleRate = true }},
	{"RAS-177", 4, 0, (*trial).sampleShading, nil},
	{"RAS-187", 0, 0, func(x *trial) { x.point(); x.gives(ir.BuiltinPointSize); x.more = [][4]float32{{1.001}} },
		func(x *trial) { x.point(); x.gives(ir.BuiltinPointSize); x.more = [][4]float32{{2}} }},
	{"RAS-189", 0, 0, (*trial).point, nil},
	{"RAS-190", 0, 0, (*trial).point, (*trial).line},
	{"RAS-193", 0, 0, func(x *trial) { x.line(); x.d.LineWidth = 2.001 }, (*trial).line},
	{"RAS-197", 0, 0, func(x *trial) { x.line(); x.corners[0][0], x.corners[1][0] = 2.5, 2.5; x.d.LineWidth = 2 }, (*trial).line},
	{"RAS-200", 0, 0, (*trial).line, (*trial).bresenham},
	{"RAS-203", 0, 0, func(x *trial) { x.line(); x.d.RelaxedLines, x.d.LineWidth = true, 2 }, (*trial).line},
	{"RAS-206", 0, 0, func(x *trial) { x.line(); x.corners[1][3] = 2 }, (*trial).line},
	{"RAS-207", 0, 0, (*trial).line, func(x *trial) { x.line(); x.corners[1][3] = 2 }},
	{"RAS-211", 0, 0, func(x *trial) { x.bresenham(); x.at(5, 2) }, func(x *trial) { x.bresenham(); x.at(3, 2) }},
	{"RAS-213", 0, 0, (*trial).bresenham, (*trial).upright},
	{"RAS-214", 0, 0, (*trial).upright, (*trial).bresenham},
	{"RAS-217", 0, 0, func(x *trial) { x.bresenham(); x.d.LineWidth = 3 }, (*trial).bresenham},
	{"RAS-219", 4, 0, (*trial).bresenham, (*trial).line},
	{"RAS-221", 0, 0, func(x *trial) { x.line(); x.stipple(0xfffb) }, (*trial).line},
	{"RAS-222", 0, 0, func(x *trial) { x.bresenham(); x.stipple(0xffff) }, func(x *trial) { x.line(); x.stipple(0xffff) }},
	{"RAS-223", 0, 0, func(x *trial) { x.line(); x.stipple(0xffff) }, func(x *trial) { x.bresenham(); x.stipple(0xffff) }},
	{"RAS-228", 0, 0, func(x *trial) { x.line(); x.d.LineMode = vk.LineRasterizationModeRectangularSmooth }, (*trial).line},
	{"RAS-229", 0, 0, func(x *trial) { x.line(); x.d.LineMode = vk.LineRasterizationModeRectangularSmooth }, (*trial).line},
	{"RAS-234", 0, 0, func(*trial) {}, (*trial).line},
	{"RAS-235", 0, 0, func(x *trial) { x.d.CullMode = vk.CullModeBackBit }, func(x *trial) { x.d.CullMode = vk.CullModeFrontBit }},
	{"RAS-238", 0, 0, func(*trial) {}, (*trial).line},
	{"RAS-239", 0, 0, func(x *trial) { x.corners[0][0], x.corners[2][0] = 2.5, 2.5 }, nil},
	{"RAS-241", 0, 0, func(x *trial) { x.corners[2] = [4]float32{4, 0, 0.5, 1}; x.at(2, 0) }, nil},
	{"RAS-246", 0, 0, func(x *trial) { x.corners[1][3] = 2 }, nil},
	{"RAS-247", 0, 0, func(*trial) {}, func(x *trial) { x.corners[1][3] = 2 }},
	{"RAS-251", 0, 0, func(x *trial) { x.d.PolygonMode = vk.PolygonModeLine }, nil},
	{"RAS-252", 0, 0, func(x *trial) { x.d.PolygonMode = vk.PolygonModePoint; x.corners[0] = [4]float32{2.5, 2.5, 0.5, 1} }, nil},
	{"RAS-254", 0, 0, func(x *trial) { x.d.PolygonMode = vk.PolygonModeFillRectangleNV; x.at(6, 6) }, nil},
	{"RAS-256", 0, ds, func(x *trial) { x.biased(0, false) }, nil},
	{"RAS-257", 0, ds, func(x *trial) { x.biased(0, false); x.d.DepthBiasConstant, x.d.DepthBiasClamp = 1e6, 0.001 },
		func(x *trial) { x.biased(0, false); x.d.DepthBiasConstant, x.d.DepthBiasClamp = 1, 0.5 }},
	{"RAS-258", 0, ds, func(x *trial) { x.d.DepthBiasEnable, x.d.DepthBiasSlope = true, 1; x.depths(0, 1, 0) }, func(x *trial) { x.biased(0, false) }},
	{"RAS-259", 0, ds, func(x *trial) { x.biased(vk.DepthBiasRepresentationFloatEXT, false) }, func(x *trial) { x.biased(0, false) }},
	{"RAS-260", 0, vk.FormatD16Unorm, func(x *trial) { x.biased(0, true) }, func(x *trial) { x.biased(0, false) }},
	{"RAS-261", 0, vk.FormatD16Unorm, func(x *trial) { x.biased(0, false) }, func(x *trial) { x.biased(0, true) }},
	{"RAS-262", 0, ds, func(x *trial) { x.biased(0, false) }, func(x *trial) { x.biased(vk.DepthBiasRepresentationFloatEXT, false) }},
	{"RAS-263", 0, 0, func(x *trial) { x.biased(0, false) }, nil},
	{"RAS-265", 0, ds, func(x *trial) { x.line(); x.biased(0, false) }, func(x *trial) { x.biased(0, false) }},
	{"RAS-269", 0, 0, func(x *trial) { x.over(); x.d.ExtraOverestimation = 1; x.at(6, 4) }, func(x *trial) { x.over(); x.d.ExtraOverestimation = 1 }},
	{"RAS-270", 0, 0, (*trial).over, nil},
	{"RAS-271", 0, 0, func(x *trial) { x.over(); x.corners[2] = [4]float32{4, 0, 0.5, 1}; x.at(2, 0) }, (*trial).over},
	{"RAS-272", 0, 0, func(x *trial) { x.line(); x.over() }, (*trial).line},
	{"RAS-273", 0, 0, func(x *trial) { x.line(); x.corners[0][0], x.corners[1][0] = 2.5, 2.5; x.over() }, func(x *trial) { x.line(); x.over() }},
	{"RAS-274", 0, 0, func(x *trial) { x.point(); x.over() }, (*trial).point},
	{"RAS-275", 0, 0, func(x *trial) { x.under(); x.at(4, 3) }, func(x *trial) { x.at(4, 3) }},
	{"RAS-282", 0, 0, func(x *trial) { x.inputs(ir.Flat, ir.AtCenter) }, nil},
	{"RAS-283", 0, 0, func(*trial) {}, func(x *trial) { x.located() }},
	{"RAS-284", 4, 0, func(x *trial) { x.inputs(ir.Perspective, ir.AtCentroid) }, nil},
	{"RAS-285", 4, 0, func(x *trial) { x.inputs(ir.Perspective, ir.AtSample); x.s.fs.SampleRate = true }, nil},
	{"RAS-298", 0, 0, func(x *trial) {
		x.s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, _ [4]ir.Value) { b.Op(ir.OpDemote, ir.Void) })
		x.s.fs.Demotes = true
	}, nil},
	{"RAS-301", 0, ds, func(x *trial) {
		x.s.fs = fragmentProgram(output(ir.BuiltinSampleMask, ir.I32, 1))
		x.s.fs.EarlyFragmentTests = true
	}, func(x *trial) { x.s.fs = fragmentProgram(output(ir.BuiltinSampleMask, ir.I32, 1)) }},
	{"RAS-302", 4, ds, func(x *trial) { x.s.fs.EarlyFragmentTests, x.s.fs.PostDepthCoverage = true, true }, func(x *trial) { x.s.fs.EarlyFragmentTests = true }},
	{"RAS-305", 0, ds, func(x *trial) { x.watch.Attachment = watch.DepthStencil; x.d.ColorWrite = 0 }, func(x *trial) { x.watch.Attachment = watch.DepthStencil }},
	{"RAS-306", 0, 0, func(x *trial) { x.discards(1) }, func(x *trial) { x.discards(0) }},
	// The pixel (4, 4), which the triangle touches with a corner alone, is not lost by scissor or area.
	{"RAS-307", 0, 0, func(x *trial) { x.d.Scissors[0].Extent.Width = 2 }, func(x *trial) { x.d.Scissors[0].Extent.Width = 2; x.at(4, 4) }},
	{"RAS-308", 0, 0, func(x *trial) { x.d.ExclusiveEnable, x.d.ExclusiveScissors[0] = 1, x.d.Scissors[0] }, func(x *trial) { x.discards(1) }},
	{"RAS-309", 4, 0, func(x *trial) { x.d.SampleMask = 2 }, nil},
	{"RAS-310", 0, ds, func(x *trial) {
		x.s.fs = fragmentProgram(output(ir.BuiltinFragDepth, ir.F32, math.Float32bits(0.25)))
		x.depth(vk.CompareOpLess)
	}, func(x *trial) { x.depth(vk.CompareOpLess) }},
	{"RAS-311", 0, ds, func(x *trial) {
		x.s.fs = fragmentProgram(output(ir.BuiltinFragStencilRef, ir.I32, 3))
		x.stencil(vk.StencilOpReplace)
	}, func(x *trial) { x.stencil(vk.StencilOpReplace) }},
	{"RAS-315", 4, 0, func(x *trial) { x.s.fs = fragmentProgram(output(ir.BuiltinSampleMask, ir.I32, 2)) }, nil},
	{"RAS-316", 0, 0, func(x *trial) { x.line(); x.d.LineMode = vk.LineRasterizationModeRectangularSmooth }, (*trial).line},
	{"RAS-317", 4, 0, func(x *trial) { x.d.AlphaToCoverageEnable = true; x.watch.Sample = 3 }, nil},
	{"RAS-318", 0, 0, func(x *trial) { x.d.AlphaToOneEnable = true }, nil},
	{"RAS-320", 0, ds, func(x *trial) { x.d.DepthBoundsTestEnable, x.d.MaxDepthBounds = true, 0.5 }, func(x *trial) { x.depth(vk.CompareOpLess) }},
	{"RAS-321", 0, ds, func(x *trial) { x.stencil(vk.StencilOpKeep); x.d.Front.CompareOp, x.d.Back.CompareOp = 0, 0 }, func(x *trial) { x.depth(vk.CompareOpLess) }},
	{"RAS-322", 0, ds, func(x *trial) { x.stencil(vk.StencilOpReplace) }, func(x *trial) { x.stencil(vk.StencilOpKeep) }},
	{"RAS-323", 0, ds, func(x *trial) { x.stencil(vk.StencilOpReplace); x.d.Front.WriteMask, x.d.Back.WriteMask = 1, 1 },
		func(x *trial) { x.stencil(vk.StencilOpReplace) }},
	{"RAS-324", 0, ds, func(x *trial) { x.stencil(vk.StencilOpReplace); x.d.Front.Reference = 9 }, func(x *trial) { x.stencil(vk.StencilOpReplace) }},
	{"RAS-326", 0, ds, func(x *trial) {
		x.depth(vk.CompareOpLess)
		x.d.DepthClampEnable, x.d.DepthClipEnable = true, false
		x.depths(-1, -1, -1)
	},
		func(x *trial) { x.depth(vk.CompareOpLess) }},
	{"RAS-327", 0, ds, func(x *trial) { x.depth(vk.CompareOpGreater) }, nil},
	{"RAS-328", 0, ds, func(x *trial) { x.depth(vk.CompareOpLess); x.d.DepthWriteEnable = true }, func(x *trial) { x.depth(vk.CompareOpLess) }},
	{"RAS-331", 4, 0, func(x *trial) { x.target(vk.FormatR32Uint, 4); x.d.CoverageToColor = true; x.integers() }, func(x *trial) { x.target(vk.FormatR32Uint, 4); x.integers() }},
	{"RAS-334", 4, ds, func(x *trial) { x.mixed(); x.target(vk.FormatR8G8B8A8Unorm, 2) }, nil},
	{"RAS-336", 4, ds, func(x *trial) {
		x.mixed()
		x.target(vk.FormatR8G8B8A8Unorm, 2)
		x.d.CoverageModulation = vk.CoverageModulationModeRgbNV
	}, func(x *trial) { x.mixed(); x.target(vk.FormatR8G8B8A8Unorm, 2) }},
	{"RAS-337", 0, 0, func(x *trial) { x.target(vk.FormatR32Uint, 1); x.integers(); x.over1() }, (*trial).over1},
	{"RAS-339", 0, 0, func(x *trial) { x.over1(); x.color[0] = 2 }, (*trial).over1},
	{"RAS-340", 0, 0, (*trial).over1, func(x *trial) { x.blend(vk.BlendFactorOne, vk.BlendFactorOne, vk.BlendOpMax) }},
	{"RAS-341", 0, 0, (*trial).over1, nil},
	{"RAS-342", 0, 0, func(x *trial) { x.blend(vk.BlendFactorOne, vk.BlendFactorSrc1Color, vk.BlendOpAdd) }, (*trial).over1},
	{"RAS-343", 0, 0, func(x *trial) { x.target(vk.FormatR8G8B8A8Srgb, 1) }, nil},
	{"RAS-344", 0, 0, func(x *trial) { x.blend(0, 0, vk.BlendOpMultiplyEXT) }, (*trial).over1},
	{"RAS-345", 0, 0, func(x *trial) {
		x.d.LogicOpEnable, x.d.LogicOp = true, vk.LogicOpXor
		x.target(vk.FormatR16G16B16A16Sfloat, 1)
	},
		func(x *trial) { x.d.LogicOpEnable, x.d.LogicOp = true, vk.LogicOpXor }},
	{"RAS-346", 0, 0, func(x *trial) { x.d.LogicOpEnable, x.d.LogicOp = true, vk.LogicOpXor }, nil},
	{"RAS-347", 0, 0, func(x *trial) { x.d.Blend[0].ColorWriteMask = 1 }, nil},
	{"RAS-348", 0, 0, func(*trial) {}, func(x *trial) { x.target(vk.FormatR8G8B8A8Srgb, 1) }},
	{"RAS-349", 0, 0, func(x *trial) { x.d.Location[0] = NoLocation }, nil},
	{"RAS-352", 4, 0, func(x *trial) { x.resolves(vk.FormatR8G8B8A8Unorm, vk.ResolveModeAverageBit) }, func(x *trial) { x.resolves(vk.FormatR8G8B8A8Srgb, vk.ResolveModeAverageBit) }},
	{"RAS-353", 4, 0, func(x *trial) { x.resolves(vk.FormatR8G8B8A8Srgb, vk.ResolveModeAverageBit) }, func(x *trial) { x.resolves(vk.FormatR8G8B8A8Unorm, vk.ResolveModeAverageBit) }},
	{"RAS-354", 4, vk.FormatD32Sfloat, func(x *trial) {
		x.s.pass.Depth.Resolve, x.s.pass.Depth.ResolveMode = newView(x.t, vk.FormatD32Sfloat, 8, 8, 1, 1), vk.ResolveModeMinBit
		x.watch.Attachment, x.watch.Resolved = watch.DepthStencil, true
	}, func(x *trial) { x.resolves(vk.FormatR8G8B8A8Unorm, vk.ResolveModeAverageBit) }},
	{"RAS-356", 4, 0, func(x *trial) {
		x.resolves(vk.FormatR32G32B32A32Sfloat, vk.ResolveModeAverageBit)
		x.color[0] = float32(math.NaN())
	}, func(x *trial) { x.resolves(vk.FormatR32G32B32A32Sfloat, vk.ResolveModeAverageBit) }},
	{"RAS-366", 0, 0, func(x *trial) { x.corners[1][0] = float32(math.NaN()) }, nil},
	{"RAS-370", 0, 0, func(x *trial) { x.line(); x.d.RelaxedLines = true }, (*trial).line},
	{"RAS-371", 0, 0, func(x *trial) { x.line(); x.d.RelaxedLines, x.d.LineWidth = true, 2 }, (*trial).line},
	{"RAS-374", 0, 0, func(x *trial) {
		x.d.ViewportSwizzle[0] = vertexpost.Identity
		x.d.ViewportSwizzle[0].Y = vk.ViewportCoordinateSwizzleNegativeYNV
		x.at(2, 5)
	}, nil},
	{"RAS-376", 0, 0, func(x *trial) { x.d.WScalingEnable, x.d.WScaling[0].Xcoeff = true, 0.25; x.at(2, 3) }, nil},
}

// inputs makes the colour an input of another kind.
func (x *trial) inputs(how ir.Interpolation, aux ir.Auxiliary) {
	for i := range x.s.fs.Inputs {
		x.s.fs.Inputs[i].Interp, x.s.fs.Inputs[i].Aux = how, aux
	}
}

// strip has the triangle of the pixel as its second.
func (x *trial) strip() {
	x.vertices(vk.PrimitiveTopologyTriangleStrip, [4]float32{8, 8, 0.5, 1}, [4]float32{0, 8, 0.5, 1}, [4]float32{8, 0, 0.5, 1}, [4]float32{0, 0, 0.5, 1})
}

func (x *trial) adjacent(topology vk.PrimitiveTopology) {
	c := x.corners
	x.vertices(topology, c[0], c[0], c[1], c[0], c[2], c[0])
}

func (x *trial) layers() {
	x.s.color = newView(x.t, vk.FormatR8G8B8A8Unorm, 8, 8, 1, 2)
	x.s.pass.Color[0].View, x.s.pass.Layers = x.s.color, 2
}

// right has a viewport of the right half, where coordinates mean what they mean without it.
func (x *trial) right() {
	x.d.Viewports[0].X, x.d.Viewports[0].Width = 4, 4
	x.s.width = 4
	for i := range x.corners {
		x.corners[i][0] -= 4
	}
}

func (x *trial) depths(z ...float32) {
	for i := range z {
		x.corners[i][2] = z[i]
	}
}

func (x *trial) located() {
	x.d.SampleLocations, x.d.SampleLocationsEnable = raster.CustomSamples(1, 1, 1, [][2]float32{{0.25, 0.25}}), true
}

func (x *trial) primitiveRate() {
	x.gives(ir.BuiltinPrimitiveShadingRate)
	x.more = [][4]float32{{5}, {5}, {5}}
	x.d.RateCombiners[0] = vk.FragmentShadingRateCombinerOpReplaceKHR
}

func (x *trial) stipple(pattern uint16) {
	x.d.LineStippleEnable, x.d.LineStippleFactor, x.d.LineStipplePattern = true, 1, pattern
}

func (x *trial) discards(mode vk.DiscardRectangleModeEXT) {
	x.d.DiscardEnable, x.d.DiscardMode, x.d.DiscardCount, x.d.DiscardRectangles[0] = true, mode, 1, x.d.Scissors[0]
}

func (x *trial) mixed() { x.d.CoverageReduction, x.s.pass.Samples = vk.CoverageReductionModeMergeNV, 4 }

func (x *trial) integers() {
	for i := range x.s.fs.Outputs {
		x.s.fs.Outputs[i].Type = ir.I32
	}
}

// undecided are the rules that are never named, and why.
var undecided = []rules.Reason{
	{"RAS-001 RAS-003:RAS-007 RAS-338 RAS-368", "how exact numbers are, and limits: it holds for every step"},
	{"RAS-008:RAS-045 RAS-154 RAS-160 RAS-194 RAS-195 RAS-196 RAS-227 RAS-266 RAS-267", "which state counts: it is told as it counts, with the draw"},
	{"RAS-053:RAS-056 RAS-058 RAS-068", "which vertices make a primitive: the primitive has its vertices and its number"},
	{"RAS-059:RAS-065 RAS-123:RAS-125", "transform feedback, and what shaders read: no sample depends on it"},
	{"RAS-057 RAS-100:RAS-102 RAS-300 RAS-303 RAS-304 RAS-313 RAS-314 RAS-319 RAS-350 RAS-369 RAS-372", "orders, and freedoms that are not used"},
	{"RAS-067 RAS-069 RAS-180:RAS-186 RAS-191 RAS-192 RAS-281 RAS-286:RAS-297 RAS-299 RAS-312", "values that shaders are given: they are told as inputs"},
	{"RAS-073 RAS-373 RAS-375 RAS-089 RAS-377 RAS-378 RAS-090 RAS-093 RAS-095", "parts of RAS-374, RAS-376 and RAS-092"},
	{"RAS-078 RAS-082:RAS-084 RAS-220", "corners that clipping makes, and that planes leave no gaps: RAS-077, RAS-081 and RAS-086 tell that something is cut"},
	{"RAS-096 RAS-097 RAS-103:RAS-117 RAS-119:RAS-122 RAS-379", "what samples are and where: the account has the place of each"},
	{"RAS-126 RAS-127 RAS-129 RAS-130 RAS-132:RAS-138 RAS-142 RAS-143 RAS-145 RAS-147 RAS-149 RAS-151:RAS-153 RAS-155:RAS-158 RAS-161 RAS-162 RAS-164:RAS-170 RAS-172 RAS-173 RAS-176 RAS-178 RAS-179",
		"steps on the way to a rate: RAS-128, RAS-139 to RAS-144, RAS-146, RAS-148, RAS-159, RAS-163 and RAS-175 tell which it is and whose"},
	{"RAS-188 RAS-198 RAS-199 RAS-201 RAS-202 RAS-204 RAS-205 RAS-208 RAS-209 RAS-210 RAS-212 RAS-215 RAS-216 RAS-218 RAS-224:RAS-226 RAS-230 RAS-231", "parts of the rules of points and lines that are named"},
	{"RAS-232 RAS-233 RAS-236 RAS-237 RAS-240 RAS-242:RAS-245 RAS-248:RAS-250 RAS-253 RAS-255", "parts of RAS-234, RAS-238, RAS-239 and RAS-247"},
	{"RAS-264 RAS-268 RAS-276:RAS-280", "parts of RAS-256, RAS-270 and RAS-275"},
	{"RAS-325 RAS-329 RAS-330 RAS-332 RAS-333 RAS-335 RAS-351", "what comparisons, samples and modes are: the steps of tests, blending and resolves have them"},
	{"RAS-357:RAS-365 RAS-367", "queries and invariance"},
}

// elsewhere are rules that decide in tests of their own.
var elsewhere = []string{"RAS-051", "RAS-052", "RAS-355"}

// Of a sample, and of each rule that can decide what becomes of it, and of a twin where the rule does not: steps name the rule
// in the one and not in the other.
func TestWatch_NamesTheRuleThatDecided(t *testing.T) {
	for _, c := range decisions {
		run := func(set func(*trial)) []explain.Step {
			x := newTrial(t, max(c.samples, 1), c.depth)
			if set != nil {
				set(x)
			}
			return x.run()
		}
		if steps := run(c.set); !namesRule(steps, c.rule) {
			t.Errorf("%s decides and is not named:\n%s", catalogue.Name(c.rule), stepsText(steps))
		}
		if steps := run(c.twin); len(steps) == 0 || namesRule(steps, c.rule) {
			t.Errorf("%s does not decide and is named:\n%s", catalogue.Name(c.rule), stepsText(steps))
		}
	}
}

func namesRule(steps []explain.Step, rule string) bool {
	return slices.ContainsFunc(steps, func(s explain.Step) bool { return s.Rule == rule })
}

func stepsText(steps []explain.Step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "\t%s %s\n", s.Rule, s.Text)
	}
	return b.String()
}

// With a logical operation on, what the state says of blending has no say, even where the operation is COPY.
func TestWatch_RAS345_BlendingIsOff(t *testing.T) {
	for enabled, want := range map[bool]bool{false: false, true: true} {
		x := newTrial(t, 1, 0)
		x.over1()
		x.d.LogicOpEnable, x.d.LogicOp = enabled, vk.LogicOpCopy
		steps := x.run()
		if namesRule(steps, "RAS-345") != want || namesRule(steps, "RAS-341") == want {
			t.Errorf("logicOpEnable %v:\n%s", enabled, stepsText(steps))
		}
	}
}

// A rule is named of primitives that come out of other stages.
func TestWatch_TopologyOfStages(t *testing.T) {
	r := compile(t, vertexProgram(1), 64) // any program: that there is one counts
	for _, c := range []struct {
		name string
		desc PipelineDesc
		all  bool
		want string
	}{
		{"tessellation", PipelineDesc{Control: r, Evaluation: r}, true, "RAS-051"},
		{"geometry", PipelineDesc{Geometry: r}, true, "RAS-052"},
		{"both", PipelineDesc{Control: r, Evaluation: r, Geometry: r}, true, "RAS-052"},
		{"mesh", PipelineDesc{Mesh: r}, false, "RAS-052"},
		{"vertices", PipelineDesc{Vertex: r}, false, "RAS-046"},
	} {
		d := DefaultState()
		if got := topologyRule(&drawState{pipe: &Pipeline{desc: c.desc}, dynamic: &d, stages: geometry.State{Key: geometry.Key{Wide: c.all}}}, 0); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Every rule of rasterization decides in a trial, or has a reason why it never does; and no step names any other.
func TestWatch_EveryRuleDecidesOrHasAReason(t *testing.T) {
	decides := map[string]bool{}
	for _, c := range decisions {
		decides[c.rule] = true
	}
	for _, id := range elsewhere {
		decides[id] = true
	}
	rules.Decided(t, catalogue.All("RAS"), decides, undecided)
	files, err := filepath.Glob("watch*.go")
	if err != nil {
		t.Fatal(err)
	}
	said, err := filepath.Glob("watch/*.go")
	if err != nil {
		t.Fatal(err)
	}
	quoted, n := regexp.MustCompile(`"(RAS-\d{3})"`), 0
	for _, name := range append(append(files, said...), "windows.go") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(string(data), -1) {
			if n++; !decides[m[1]] {
				t.Errorf("%s: %s is in no trial", name, catalogue.Name(m[1]))
			}
		}
	}
	if n < 100 || len(decides) < 60 {
		t.Errorf("%d names of rules in the code, %d rules decide", n, len(decides))
	}
}
