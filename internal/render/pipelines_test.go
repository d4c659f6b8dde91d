package render

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// pipelineVertex passes on what scalar.word names.
func pipelineVertex(s *scene) *ir.Program {
	p := &ir.Program{Stage: ir.StageVertex, Name: "words"}
	b := ir.NewBuilder(p)
	pass := func(word uint32, io ir.IO) {
		p.Inputs = append(p.Inputs, inout(ir.BuiltinNone, word/4, word%4, io.Type))
		p.Outputs = append(p.Outputs, io)
		slot := uint64(len(p.Inputs) - 1)
		b.OpImm(ir.OpOutput, ir.Void, slot, b.OpImm(ir.OpInput, io.Type, slot))
	}
	for c := range uint32(4) {
		pass(c, inout(ir.BuiltinPosition, 0, c, ir.F32))
	}
	for c := range uint32(4) {
		pass(4+c, inout(ir.BuiltinNone, 0, c, ir.F32))
	}
	pass(8, inout(ir.BuiltinPointSize, 0, 0, ir.F32))
	pass(9, inout(ir.BuiltinClipDistance, 0, 0, ir.F32))
	pass(10, inout(ir.BuiltinClipDistance, 0, 1, ir.F32))
	pass(11, inout(ir.BuiltinCullDistance, 0, 0, ir.F32))
	if s.layered {
		layer, viewport := inout(ir.BuiltinLayer, 0, 0, ir.I32), inout(ir.BuiltinViewportIndex, 0, 0, ir.I32)
		if layer.Relative = s.relative; s.masked {
			viewport.Builtin = ir.BuiltinViewportMask
		}
		pass(12, layer)
		pass(13, viewport)
	}
	if s.rates {
		pass(14, inout(ir.BuiltinPrimitiveShadingRate, 0, 0, ir.I32))
	}
	// The buffer has words up to 15.
	p.Inputs = append(p.Inputs, inout(ir.BuiltinNone, 3, 3, ir.I32))
	b.OpImm(ir.OpInput, ir.I32, uint64(len(p.Inputs)-1))
	b.Finish()
	return p
}

// chooser makes random state. Where it is plain, what is rare in programs is rare in it, so that
// states meet which fragments of most programs have; where it is rich, what is rare meets.
type chooser struct {
	*rand.Rand
	plain, rich bool
}

func (r chooser) chance(n int) bool {
	if n > 3 && r.plain {
		n *= 12
	}
	return r.often(n)
}

// often is chance, plain or not.
func (r chooser) often(n int) bool {
	if r.rich {
		n = max(n/3, 2)
	}
	return r.IntN(n) == 0
}

func choose[T any](r chooser, from ...T) T { return from[r.IntN(len(from))] }

func (r chooser) between(lo, hi float32) float32 { return lo + (hi-lo)*r.Float32() }

var pipelineFormats = []vk.Format{
	vk.FormatR8G8B8A8Unorm, vk.FormatB8G8R8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatB8G8R8A8Srgb, vk.FormatR8G8B8A8Snorm,
	vk.FormatR16G16B16A16Sfloat, vk.FormatR32G32B32A32Sfloat, vk.FormatR8Unorm, vk.FormatA2B10G10R10UnormPack32,
	vk.FormatR5G6B5UnormPack16, vk.FormatB10G11R11UfloatPack32, vk.FormatR16G16Unorm, vk.FormatR8G8B8A8Uint, vk.FormatR32Sint,
	vk.FormatR8G8B8Unorm, vk.FormatR16G16B16Sfloat, vk.FormatR32G32B32Sfloat,
}

// randomPipelines is a pass of a few draws with random state of all kinds. The
// same seed gives the same pass.
func randomPipelines(t testing.TB, seed uint64, lanes int) (*scene, map[*Pipeline]*shaderSpec) {
	r := chooser{rand.New(rand.NewPCG(seed, 77)), seed%2 == 1, seed%4 == 2}
	width, height := 8+r.IntN(33), 8+r.IntN(25)
	samples := choose(r, 1, 1, 2, 4, 4, 8, 16)
	if r.plain {
		samples = choose(r, 1, 1, 4)
	}
	if seed%8 == 4 {
		samples = choose(r, 32, 64)
	}
	s := newScene(t, width, height, samples, vk.FormatUndefined)
	layers := 1
	switch n := r.IntN(6); {
	case r.plain:
	case n == 0:
		s.layered, layers = true, 2
		s.masked, s.relative = r.often(2), r.often(2)
		s.pass.Layers = 2
	case n == 1:
		s.pass.ViewMask = choose(r, uint32(3), 5)
		layers = 3
	}
	s.rates = r.chance(4)
	s.vs = pipelineVertex(s)
	s.pass.Samples = samples
	if r.chance(3) {
		x, y := r.IntN(width/2), r.IntN(height/2)
		s.pass.Area = vk.Rect2D{Offset: vk.Offset2D{X: int32(x), Y: int32(y)}, Extent: vk.Extent2D{Width: uint32(1 + r.IntN(width-x)), Height: uint32(1 + r.IntN(height-y))}}
	}
	s.pass.Color = nil
	integer := [3]bool{}
	for i := range 1 + r.IntN(3) {
		f := pipelineFormats[r.IntN(len(pipelineFormats))]
		if i == 0 && r.chance(2) {
			f = pipelineFormats[r.IntN(4)]
		}
		n := samples
		if r.chance(8) {
			n = 1 << r.IntN(bitsOf(samples))
		}
		v := newView(t, f, width, height, n, layers)
		a := Attachment{View: v, Load: vk.AttachmentLoadOpClear, ClearColor: texel(r.Float32(), r.Float32(), r.Float32(), r.Float32())}
		integer[i] = f == vk.FormatR8G8B8A8Uint || f == vk.FormatR32Sint
		if integer[i] {
			for c := range a.ClearColor {
				a.ClearColor[c] = uint32(r.IntN(100))
			}
		}
		if f == vk.FormatR8G8B8A8Unorm && r.chance(2) {
			a.Load = vk.AttachmentLoadOpLoad
			for k := range v.Image.Data {
				v.Image.Data[k] = byte(r.Uint32())
			}
		}
		if n > 1 && r.chance(2) {
			a.Resolve = newView(t, f, width, height, 1, layers)
			a.ResolveMode = choose(r, vk.ResolveModeFlags(vk.ResolveModeAverageBit), vk.ResolveModeAverageBit, vk.ResolveModeSampleZeroBit, vk.ResolveModeMinBit, vk.ResolveModeMaxBit)
			if integer[i] {
				a.ResolveMode = vk.ResolveModeSampleZeroBit
			}
		}
		s.pass.Color = append(s.pass.Color, a)
	}
	if f := choose(r, vk.FormatUndefined, vk.FormatD16Unorm, vk.FormatX8D24UnormPack32, vk.FormatD24UnormS8Uint, vk.FormatD32Sfloat, vk.FormatD32SfloatS8Uint); f != vk.FormatUndefined {
		s.depth = newView(t, f, width, height, samples, layers)
		a := &Attachment{View: s.depth, Load: vk.AttachmentLoadOpClear, ClearDepth: choose(r, float32(1), .5, 0), ClearStencil: uint32(r.IntN(4))}
		s.pass.Depth = a
		if s.depth.Image.PlaneOf(vk.ImageAspectStencilBit) >= 0 {
			s.pass.Stencil = a
		} else if samples > 1 && r.chance(3) {
			a.Resolve = newView(t, f, width, height, 1, layers)
			a.ResolveMode = choose(r, vk.ResolveModeFlags(vk.ResolveModeAverageBit), vk.ResolveModeSampleZeroBit, vk.ResolveModeMinBit, vk.ResolveModeMaxBit)
		}
	}
	if r.chance(5) {
		v := newView(t, vk.FormatR8Uint, 6, 5, 1, 1)
		for i := range v.Image.Data {
			v.Image.Data[i] = byte(choose(r, r.IntN(3)<<2|r.IntN(3), r.IntN(16)))
		}
		s.pass.Rate = &rates.Attachment{View: v, Texel: vk.Extent2D{Width: 8, Height: 8}}
	}
	if !r.chance(4) {
		s.palette = newView(t, vk.FormatR8Uint, 2, 3, 1, layers)
		for i := range s.palette.Image.Data {
			s.palette.Image.Data[i] = byte(r.IntN(8))
		}
	}
	s.pass.Occlusion = make([]uint64, 2)
	shaders := map[*Pipeline]*shaderSpec{}
	for range 1 + r.IntN(4) {
		if r.chance(8) {
			s.pass.Draws = append(s.pass.Draws, Draw{Clear: r.clear(s, layers)})
			continue
		}
		spec := r.shader(s, integer)
		s.fs = nil
		if spec != nil {
			s.fs = spec.program()
		}
		state := r.state(s, spec)
		pipe := s.pipeline(t, lanes)
		shaders[pipe] = spec
		n := 3 + r.IntN(22)
		d := s.add(pipe, state, r.vertices(s, n), 16)
		d.Occlusion = r.IntN(3)
		if spec != nil && spec.tile {
			d.Fragment = &exec.Context{Resources: make([][]exec.Descriptor, 1)}
		}
		d.Barrier = r.chance(8)
		if r.chance(6) {
			d.Instances = 2
		}
		if r.chance(3) {
			r.indices(d, n)
		}
	}
	return s, shaders
}

func bitsOf(samples int) int {
	n := 1
	for ; samples > 1; samples >>= 1 {
		n++
	}
	return n
}

func (r chooser) rect(s *scene) vk.Rect2D {
	return vk.Rect2D{Offset: vk.Offset2D{X: int32(r.IntN(s.width)), Y: int32(r.IntN(s.height))}, Extent: vk.Extent2D{Width: uint32(r.IntN(s.width + 4)), Height: uint32(r.IntN(s.height + 4))}}
}

func (r chooser) clear(s *scene, layers int) *Clear {
	c := &Clear{Aspect: vk.ImageAspectColorBit, ColorAttachment: r.IntN(len(s.pass.Color)), Depth: r.Float32(), Stencil: uint32(r.IntN(256)), Rects: []vk.ClearRect{{Rect: r.rect(s), LayerCount: uint32(layers)}}}
	for k := range c.Color {
		c.Color[k] = math.Float32bits(r.Float32())
		if f := s.pass.Color[c.ColorAttachment].View.Format; f == vk.FormatR8G8B8A8Uint || f == vk.FormatR32Sint {
			c.Color[k] = uint32(r.IntN(100))
		}
	}
	if s.depth != nil && r.chance(2) {
		c.Aspect = vk.ImageAspectDepthBit
		if s.pass.Stencil != nil {
			c.Aspect |= vk.ImageAspectStencilBit
		}
	}
	return c
}

// shader makes a fragment shader, or none.
func (r chooser) shader(s *scene, integer [3]bool) *shaderSpec {
	if r.chance(16) {
		return nil
	}
	sp := &shaderSpec{derivative: r.chance(4), demote: r.often(5), mask: r.often(8), maskBits: r.Uint32(), early: r.chance(6)}
	for k := range sp.interp {
		sp.interp[k] = choose(r, ir.Perspective, ir.Perspective, ir.Linear, ir.Flat)
		if sp.aux[k] = choose(r, ir.AtCenter, ir.AtCenter, ir.AtCentroid); r.plain || k == 0 && sp.derivative {
			sp.aux[k] = ir.AtCenter
		}
	}
	sp.postDepth = sp.early && r.chance(3)
	sp.override = sp.mask && r.chance(3)
	sp.sampleRate = r.chance(8)
	if s.depth != nil {
		sp.depth, sp.stencil = r.chance(8), r.chance(10)
	}
	for i := range s.pass.Color {
		sp.outputs[i] = outFloat
		if integer[i] {
			sp.outputs[i] = outInteger
		} else if i > 0 && r.chance(6) {
			sp.outputs[i] = outNone
		}
	}
	sp.dual = len(s.pass.Color) == 1 && !integer[0] && r.chance(4)
	in := func(b ir.Builtin, comp uint32, typ ir.Type, scale float32) shaderInput {
		return shaderInput{io: inout(b, 0, comp, typ), to: r.IntN(4), scale: scale}
	}
	all := []shaderInput{
		in(ir.BuiltinFragCoord, 0, ir.F32, 1./64), in(ir.BuiltinFragCoord, 1, ir.F32, 1./64), in(ir.BuiltinFragCoord, 2, ir.F32, .25), in(ir.BuiltinFragCoord, 3, ir.F32, .125),
		in(ir.BuiltinFrontFacing, 0, ir.Bool, .25), in(ir.BuiltinPointCoord, 0, ir.F32, .25), in(ir.BuiltinPointCoord, 1, ir.F32, .25),
		in(ir.BuiltinSampleMask, uint32(s.samples/64), ir.I32, 1./256), in(ir.BuiltinPrimitiveID, 0, ir.I32, 1./32), in(ir.BuiltinLayer, 0, ir.I32, .25), in(ir.BuiltinViewportIndex, 0, ir.I32, .25),
		in(ir.BuiltinViewIndex, 0, ir.I32, .125), in(ir.BuiltinFullyCovered, 0, ir.Bool, .25), in(ir.BuiltinShadingRate, 0, ir.I32, 1./32),
		in(ir.BuiltinBaryCoord, uint32(r.IntN(3)), ir.F32, .5), in(ir.BuiltinBaryCoord, uint32(r.IntN(3)), ir.F32, .5), in(ir.BuiltinNone, uint32(r.IntN(4)), ir.F32, .25),
	}
	all[14].io.Interp, all[15].io.Interp = ir.Perspective, ir.Linear
	all[14].io.Aux, all[15].io.Aux = choose(r, ir.AtCenter, ir.AtCentroid), choose(r, ir.AtCenter, ir.AtCentroid)
	all[16].io.Vertex = uint8(1 + r.IntN(3))
	if sp.sampleRate {
		all = append(all, in(ir.BuiltinSampleID, 0, ir.I32, 1./32), in(ir.BuiltinSamplePosition, 0, ir.F32, .25), in(ir.BuiltinSamplePosition, 1, ir.F32, .25))
	}
	if r.chance(6) {
		sp.at = append(sp.at, interpolation{r.IntN(4), uint64(1 + r.IntN(3)), uint32(r.IntN(20)), r.between(-.5, .5), r.between(-.5, .5)})
	}
	sp.tile = r.chance(12) && s.pass.Layers <= 1 && s.pass.ViewMask == 0 && !integer[0] && !sp.sampleRate
	for range r.IntN(4) {
		sp.inputs = append(sp.inputs, all[r.IntN(len(all))])
	}
	return sp
}

func (r chooser) stencil() vk.StencilOpState {
	op := func() vk.StencilOp { return vk.StencilOp(r.IntN(8)) }
	return vk.StencilOpState{FailOp: op(), PassOp: op(), DepthFailOp: op(), CompareOp: vk.CompareOp(r.IntN(8)), CompareMask: choose(r, uint32(255), 3, r.Uint32()), WriteMask: choose(r, uint32(255), r.Uint32()), Reference: uint32(r.IntN(5))}
}

// state makes the state of a draw.
func (r chooser) state(s *scene, spec *shaderSpec) DynamicState {
	st := s.state
	st.Topology = vk.PrimitiveTopology(r.IntN(10))
	if r.chance(2) {
		st.Topology = vk.PrimitiveTopologyTriangleList
	}
	st.ProvokingVertexMode = vk.ProvokingVertexModeEXT(r.IntN(2))
	st.ViewportCount = 1
	if s.layered {
		st.ViewportCount = 2
	}
	for i := range st.ViewportCount {
		st.Viewports[i] = vk.Viewport{Width: float32(s.width), Height: float32(s.height), MaxDepth: 1}
		st.Scissors[i] = vk.Rect2D{Extent: vk.Extent2D{Width: uint32(s.width), Height: uint32(s.height)}}
		if r.chance(3) {
			st.Viewports[i] = vk.Viewport{X: r.between(-4, 8), Y: r.between(-4, 8), Width: r.between(4, 40), Height: choose(r, float32(1), -1) * r.between(4, 30), MinDepth: r.Float32(), MaxDepth: r.Float32()}
			if st.Viewports[i].Height < 0 {
				st.Viewports[i].Y += 24
			}
		}
		if r.chance(3) {
			st.Scissors[i] = r.rect(s)
		}
		st.ExclusiveScissors[i] = r.rect(s)
	}
	if r.chance(10) {
		st.ViewportSwizzle[0].X, st.ViewportSwizzle[0].Y = vk.ViewportCoordinateSwizzlePositiveYNV, vk.ViewportCoordinateSwizzleNegativeXNV
	}
	if r.chance(12) {
		st.WScalingEnable, st.WScaling[0] = true, vk.ViewportWScalingNV{Xcoeff: r.between(-.3, .3), Ycoeff: r.between(-.3, .3)}
	}
	if r.chance(8) {
		st.DiscardEnable, st.DiscardMode, st.DiscardCount = true, vk.DiscardRectangleModeEXT(r.IntN(2)), 1+r.IntN(3)
		for i := range st.DiscardCount {
			st.DiscardRectangles[i] = r.rect(s)
		}
	}
	if r.chance(10) {
		st.ExclusiveEnable = 1 + uint32(r.IntN(2))
	}
	st.DepthNegativeOneToOne = r.chance(6)
	st.RasterizerDiscard = r.chance(40)
	st.PolygonMode = choose(r, vk.PolygonModeFill, vk.PolygonModeFill, vk.PolygonModeFill, vk.PolygonModeFill, vk.PolygonModeLine, vk.PolygonModePoint, vk.PolygonModeFillRectangleNV)
	st.CullMode = vk.CullModeFlags(max(r.IntN(7)-3, 0))
	st.FrontFace = vk.FrontFace(r.IntN(2))
	st.DepthClampEnable = r.chance(4)
	st.DepthClipEnable = st.DepthClampEnable == r.chance(8)
	if st.DepthClampEnable && r.chance(3) {
		st.DepthClampUser, st.DepthClampRange = true, [2]float32{r.between(0, .5), r.between(.5, 1)}
	}
	st.DepthUnrestricted = r.chance(8)
	if r.chance(4) {
		st.DepthBiasEnable, st.DepthBiasConstant, st.DepthBiasSlope, st.DepthBiasClamp = true, r.between(-50, 50), r.between(-2, 2), choose(r, float32(0), .01, -.01)
		st.DepthBiasUnit, st.DepthBiasExact = vk.DepthBiasRepresentationEXT(r.IntN(3)), r.chance(2)
	}
	st.LineWidth = choose(r, float32(1), 1, r.between(.5, 5), 3)
	st.LineMode = choose(r, vk.LineRasterizationModeDefault, vk.LineRasterizationModeRectangular, vk.LineRasterizationModeBresenham, vk.LineRasterizationModeRectangularSmooth)
	if r.chance(3) {
		st.LineStippleEnable, st.LineStippleFactor, st.LineStipplePattern = true, uint32(1+r.IntN(3)), uint16(r.Uint32())
	}
	if r.chance(8) {
		st.ConservativeMode = choose(r, vk.ConservativeRasterizationModeOverestimateEXT, vk.ConservativeRasterizationModeUnderestimateEXT)
		st.ExtraOverestimation = choose(r, float32(0), .25, 1.5)
	}
	st.SampleMask = choose(r, ^uint64(0), ^uint64(0), r.Uint64())
	st.RepresentativeFragmentTest = r.chance(6)
	if st.SampleShadingEnable = r.chance(10); st.SampleShadingEnable && r.chance(2) {
		st.SampleInvocations = 2 + r.IntN(s.samples)
	}
	if r.chance(8) && (spec == nil || !spec.tile) && st.LineMode != vk.LineRasterizationModeRectangularSmooth {
		st.RateImageEnable, st.SampleShadingEnable = true, false
		st.RateImage = s.palette
		for i := range st.ViewportCount {
			p := &st.Palettes[i]
			p.N = uint8(1 + r.IntN(rates.PaletteSize))
			for k := range p.Entries {
				p.Entries[k] = uint8(r.IntN(len(paletteEntries)))
			}
		}
	}
	if spec != nil && spec.tile { // a shader sees what its own sample's invocation wrote only
		st.SampleShadingEnable = false
	}
	for i := range s.pass.Color {
		if s.pass.Color[i].View.Format == vk.FormatR32Sint && r.chance(2) {
			st.CoverageToColor, st.CoverageToColorLocation = true, uint32(i)
		}
	}
	st.SampleShadingOn = st.SampleShadingEnable || r.chance(12)
	st.CoverageReduction = vk.CoverageReductionModeNV(r.IntN(2))
	if r.chance(6) {
		st.CoverageModulation = vk.CoverageModulationModeNV(r.IntN(4))
	}
	st.AlphaToCoverageEnable, st.AlphaToOneEnable = r.often(6), r.often(8)
	if r.chance(6) && s.samples <= 16 {
		n := choose(r, 1, 2, 4)
		locations := make([][2]float32, n*n*s.samples)
		for i := range locations {
			locations[i] = [2]float32{r.Float32(), r.Float32()}
		}
		st.SampleLocations, st.SampleLocationsEnable = raster.CustomSamples(s.samples, n, n, locations), true
	}
	if r.chance(4) {
		st.ShadingRate = rates.Shading{W: uint8(r.IntN(3)), H: uint8(r.IntN(3))}
	}
	if st.RateEnums = r.chance(5); st.RateEnums && r.chance(3) {
		st.ShadingRate = choose(r, rates.Shading{Invocations: uint8(1 + r.IntN(4))}, rates.Shading{Invocations: rates.NoInvocations}, st.ShadingRate)
	}
	if s.rates || s.pass.Rate != nil {
		for i := range st.RateCombiners {
			st.RateCombiners[i] = vk.FragmentShadingRateCombinerOpKHR(r.IntN(5))
		}
	}
	if st.LineMode == vk.LineRasterizationModeRectangularSmooth { // a line's coverage of several pixels has no one alpha
		st.SampleShadingOn = true
	}
	st.DepthTestEnable, st.DepthWriteEnable, st.DepthCompareOp = r.IntN(3) > 0, r.IntN(3) > 0, vk.CompareOp(r.IntN(8))
	if r.chance(2) {
		st.DepthCompareOp = choose(r, vk.CompareOpLess, vk.CompareOpLessOrEqual, vk.CompareOpGreater)
	}
	if r.chance(8) {
		st.DepthBoundsTestEnable, st.MinDepthBounds, st.MaxDepthBounds = true, r.between(0, .6), r.between(.4, 1)
	}
	st.StencilTestEnable = r.chance(3)
	st.Front, st.Back = r.stencil(), r.stencil()
	if r.chance(10) {
		st.LogicOpEnable, st.LogicOp = true, vk.LogicOp(r.IntN(16))
	}
	factor := func() vk.BlendFactor {
		if spec != nil && spec.dual {
			return vk.BlendFactor(r.IntN(19))
		}
		return vk.BlendFactor(r.IntN(15))
	}
	for i := range s.pass.Color {
		b := &st.Blend[i]
		b.BlendEnable = r.chance(2)
		b.SrcColorBlendFactor, b.DstColorBlendFactor, b.ColorBlendOp = factor(), factor(), vk.BlendOp(r.IntN(5))
		b.SrcAlphaBlendFactor, b.DstAlphaBlendFactor, b.AlphaBlendOp = factor(), factor(), vk.BlendOp(r.IntN(5))
		switch r.IntN(4) {
		case 0: // the common one, for which there is a loop
			b.SrcColorBlendFactor, b.DstColorBlendFactor, b.ColorBlendOp = vk.BlendFactorSrcAlpha, vk.BlendFactorOneMinusSrcAlpha, vk.BlendOpAdd
			b.SrcAlphaBlendFactor, b.DstAlphaBlendFactor, b.AlphaBlendOp = vk.BlendFactorOne, vk.BlendFactorOneMinusSrcAlpha, vk.BlendOpAdd
		case 1:
			if r.chance(3) {
				b.ColorBlendOp = vk.BlendOpZeroEXT + vk.BlendOp(r.IntN(int(vk.BlendOpBlueEXT-vk.BlendOpZeroEXT)+1))
				b.AlphaBlendOp = b.ColorBlendOp
				st.Advanced[i] = fragops.AdvancedBlend{SrcStraight: r.chance(2), DstStraight: r.chance(2), Overlap: vk.BlendOverlapEXT(r.IntN(3)), ClampResults: r.chance(2)}
			}
		}
		if r.often(4) {
			b.ColorWriteMask = vk.ColorComponentFlags(r.IntN(16))
		}
	}
	st.BlendConstants = [4]float32{r.Float32(), r.between(-.5, 1.5), r.Float32(), r.Float32()}
	st.ColorWrite = choose(r, ^uint32(0), ^uint32(0), ^uint32(0), r.Uint32())
	return st
}

// vertices makes n vertices of 16 words.
func (r chooser) vertices(s *scene, n int) (list []float32) {
	size := choose(r, float32(4), 12, 40)
	grid := r.chance(3)
	var cx, cy float32
	for i := range n {
		if i%3 == 0 {
			cx, cy = r.Float32()*float32(s.width), r.Float32()*float32(s.height)
		}
		x, y := cx+(r.Float32()-.5)*size, cy+(r.Float32()-.5)*size
		if grid {
			x, y = float32(math.Round(float64(x)*2)/2), float32(math.Round(float64(y)*2)/2)
		}
		w := choose(r, float32(1), r.between(.5, 2))
		z := r.between(-.1, 1.1)
		switch r.IntN(60) {
		case 0:
			w = -.2
		case 1:
			x *= 1e7
		case 2:
			w = 0
		case 3:
			y = -1e4
		}
		list = append(list, (2*x/float32(s.width)-1)*w, (2*y/float32(s.height)-1)*w, z*w, w)
		list = append(list, r.Float32(), r.Float32(), r.between(-.25, 1.25), r.Float32())
		distance := func() float32 {
			if r.chance(8) {
				return r.between(-1, 1)
			}
			return r.Float32()
		}
		list = append(list, choose(r, float32(1), r.between(.5, 9)), distance(), distance(), distance())
		bits := func(n int) float32 { return math.Float32frombits(uint32(r.IntN(n))) }
		list = append(list, bits(2), bits(2), math.Float32frombits(uint32(choose(r, r.IntN(3)<<2|r.IntN(3), r.IntN(16)))), 0)
	}
	return list
}

// indices makes the draw an indexed one.
func (r chooser) indices(d *Draw, vertices int) {
	x := &IndexBuffer{Type: choose(r, vk.IndexTypeUint8, vk.IndexTypeUint16, vk.IndexTypeUint32)}
	d.State.PrimitiveRestart = r.chance(2)
	if d.VertexOffset = int32(r.IntN(2)); d.State.PrimitiveRestart && r.chance(3) {
		x.CustomRestart, x.RestartIndex = true, uint32(r.IntN(vertices-int(d.VertexOffset)))
	}
	for range 4 + r.IntN(30) {
		v := uint32(r.IntN(vertices - int(d.VertexOffset)))
		if d.State.PrimitiveRestart && r.chance(9) {
			if v = ^uint32(0); x.CustomRestart {
				v = x.RestartIndex
			}
		}
		switch x.Type {
		case vk.IndexTypeUint8:
			x.Data = append(x.Data, byte(v))
		case vk.IndexTypeUint16:
			x.Data = binary.LittleEndian.AppendUint16(x.Data, uint16(v))
		default:
			x.Data = binary.LittleEndian.AppendUint32(x.Data, v)
		}
		d.Count++
	}
	size := map[vk.IndexType]uint32{vk.IndexTypeUint8: 1, vk.IndexTypeUint16: 2, vk.IndexTypeUint32: 4}[x.Type]
	d.Count = uint32(len(x.Data)) / size
	d.First = uint32(r.IntN(3))
	d.Count -= d.First
	d.Index = x
}

// images are what a pass may have changed.
func (s *scene) images() (list []*resource.ImageView) {
	for i := range s.pass.Color {
		list = append(list, s.pass.Color[i].View)
		if v := s.pass.Color[i].Resolve; v != nil {
			list = append(list, v)
		}
	}
	if s.depth != nil {
		list = append(list, s.depth)
		if v := s.pass.Depth.Resolve; v != nil {
			list = append(list, v)
		}
	}
	return list
}

// Reference against device: the same pass, sample by sample in the order of the
// specification and in tiles and batches, must give the same bytes. The rules are those
// that the reference carries out by itself: scalar*_test.go.
func TestRun_Pipelines_EqualTheReference(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-006", "RAS-045", "RAS-046", "RAS-047", "RAS-048", "RAS-049", "RAS-050", "RAS-053", "RAS-054", "RAS-055", "RAS-056", "RAS-057", "RAS-070",
		"RAS-071", "RAS-072", "RAS-080", "RAS-096", "RAS-098", "RAS-099", "RAS-100", "RAS-101", "RAS-102", "RAS-108", "RAS-110", "RAS-111", "RAS-113", "RAS-114", "RAS-118",
		"RAS-119", "RAS-139", "RAS-143", "RAS-144", "RAS-145", "RAS-146", "RAS-147", "RAS-148", "RAS-149", "RAS-150", "RAS-151", "RAS-153", "RAS-156", "RAS-157",
		"RAS-158", "RAS-159", "RAS-160", "RAS-161", "RAS-162", "RAS-163", "RAS-166", "RAS-167", "RAS-169", "RAS-170", "RAS-171", "RAS-172", "RAS-173", "RAS-174",
		"RAS-176", "RAS-177", "RAS-178", "RAS-180", "RAS-181", "RAS-184", "RAS-191", "RAS-212", "RAS-213", "RAS-215", "RAS-217", "RAS-219", "RAS-220", "RAS-221",
		"RAS-222", "RAS-230", "RAS-232", "RAS-236", "RAS-239", "RAS-246", "RAS-247", "RAS-249", "RAS-259", "RAS-260", "RAS-261", "RAS-262", "RAS-263", "RAS-277", "RAS-281",
		"RAS-282", "RAS-283", "RAS-284", "RAS-286", "RAS-287", "RAS-288", "RAS-289", "RAS-290", "RAS-291", "RAS-292", "RAS-293", "RAS-294", "RAS-298", "RAS-299",
		"RAS-300", "RAS-301", "RAS-302", "RAS-303", "RAS-306", "RAS-307", "RAS-308", "RAS-309", "RAS-310", "RAS-311", "RAS-312", "RAS-314", "RAS-315", "RAS-316", "RAS-317",
		"RAS-318", "RAS-319", "RAS-320", "RAS-321", "RAS-322", "RAS-323", "RAS-324", "RAS-325", "RAS-326", "RAS-327", "RAS-328", "RAS-329", "RAS-330", "RAS-331",
		"RAS-332", "RAS-333", "RAS-334", "RAS-336", "RAS-337", "RAS-338", "RAS-339", "RAS-340", "RAS-341", "RAS-342", "RAS-343", "RAS-344", "RAS-345", "RAS-346",
		"RAS-347", "RAS-348", "RAS-349", "RAS-350", "RAS-351", "RAS-352", "RAS-353", "RAS-354", "RAS-360", "RAS-361", "RAS-362", "RAS-363", "RAS-366", "RAS-369", "RAS-372")
	e := rules.Measure(rules.Row{Part: "Whole pipelines", Rules: "RAS-045 – RAS-360", What: "coverage, depth, stencil, colour, resolves and sample counts of random passes of random pipelines: scalar reference against the device, two configurations of engine, threads, tiles and batches each",
		Unit: "passes that differ", Why: "One arithmetic: what a sample becomes depends on its primitive, its place and what was there, never on how work is cut up."})
	comparePasses(t, e, max(rules.Cases(400, 10_000), 100), func(i uint64) uint64 { return *firstPass + i }) // what is rare needs many
}

// firstPass is for more passes than one run has: those of all numbers below have been compared before.
var firstPass = flag.Uint64("first-pass", 0, "`number` of the first random pass that is compared with the reference")

// The same of passes in which states meet that are rare.
func TestRun_RichPipelines_EqualTheReference(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-096", "RAS-098", "RAS-099", "RAS-100", "RAS-101", "RAS-102", "RAS-108", "RAS-110", "RAS-111", "RAS-113", "RAS-114", "RAS-118", "RAS-119",
		"RAS-139", "RAS-143", "RAS-144", "RAS-145", "RAS-146", "RAS-147", "RAS-148", "RAS-149", "RAS-150", "RAS-151", "RAS-153", "RAS-156", "RAS-157", "RAS-158",
		"RAS-159", "RAS-160", "RAS-161", "RAS-162", "RAS-163", "RAS-166", "RAS-167", "RAS-169", "RAS-170", "RAS-171", "RAS-172", "RAS-173", "RAS-174", "RAS-176",
		"RAS-177", "RAS-178", "RAS-180", "RAS-181", "RAS-184", "RAS-191", "RAS-230", "RAS-236", "RAS-277", "RAS-281", "RAS-282", "RAS-283", "RAS-284", "RAS-286",
		"RAS-287", "RAS-288", "RAS-289", "RAS-290", "RAS-291", "RAS-292", "RAS-293", "RAS-294", "RAS-298", "RAS-299", "RAS-300", "RAS-301", "RAS-302", "RAS-303",
		"RAS-306", "RAS-307", "RAS-308", "RAS-309", "RAS-310", "RAS-311", "RAS-312", "RAS-314", "RAS-315", "RAS-316", "RAS-317", "RAS-318", "RAS-319", "RAS-320",
		"RAS-321", "RAS-322", "RAS-323", "RAS-324", "RAS-325", "RAS-326", "RAS-327", "RAS-328", "RAS-329", "RAS-330", "RAS-331", "RAS-332", "RAS-333", "RAS-334",
		"RAS-336", "RAS-337", "RAS-338", "RAS-339", "RAS-340", "RAS-341", "RAS-342", "RAS-343", "RAS-344", "RAS-345", "RAS-346", "RAS-347", "RAS-348", "RAS-349",
		"RAS-350", "RAS-351", "RAS-352", "RAS-353", "RAS-354", "RAS-360", "RAS-361", "RAS-362", "RAS-363", "RAS-366", "RAS-369", "RAS-372")
	comparePasses(t, nil, max(rules.Cases(1200, 10_000), 400), func(i uint64) uint64 { return 1<<20 + 4*(*firstPass+i) + 2 })
}

// comparePasses compares n passes, whose seeds of gives; e, where there is one, takes note.
func comparePasses(t *testing.T, e *rules.Exactness, n int, of func(uint64) uint64) {
	var drawn atomic.Int64
	var wait sync.WaitGroup
	const workers = 4
	for first := range uint64(workers) {
		wait.Go(func() {
			for i := first; i < uint64(n); i += workers {
				wrong, changed := comparePass(t, of(i))
				if wrong != "" {
					t.Error(wrong)
				}
				if e != nil {
					e.Add(float64(min(len(wrong), 1)), func() string { return wrong })
				}
				if changed {
					drawn.Add(1)
				}
			}
		})
	}
	wait.Wait()
	if e != nil {
		e.Done(t, n)
	}
	if got := drawn.Load(); got < int64(n/2) {
		t.Errorf("only %d of %d passes draw anything", got, n)
	}
}

// comparePass draws a random pass on both sides, on the device in two configurations,
// and describes a difference. changed: something was drawn.
func comparePass(t *testing.T, seed uint64) (wrong string, changed bool) {
	configs := configurations()
	want, shaders := randomPipelines(t, seed, 64)
	before := bytes.Clone(want.pass.Color[0].View.Image.Data)
	(&scalar{s: want, shaders: shaders}).run()
	changed = !bytes.Equal(before, want.pass.Color[0].View.Image.Data)
	for _, c := range []Config{configs[seed%uint64(len(configs))], configs[(seed*7+3)%uint64(len(configs))]} {
		got, _ := randomPipelines(t, seed, c.Lanes)
		x := newExecutor(c)
		x.shadeHidden = seed%3 == 0
		if seed%4 > 0 {
			x.FuseAfter = 0
		}
		if _, err := x.Run(context.Background(), &got.pass); err != nil {
			return fmt.Sprintf("pass %d, %+v: %v", seed, c, err), changed
		}
		if difference := differs(got, want); difference != "" {
			return fmt.Sprintf("pass %d, %+v, hidden %v: %s%s", seed, c, x.shadeHidden, difference, summary(want, shaders)), changed
		}
	}
	return "", changed
}

// differs describes the first difference, or returns "".
func differs(got, want *scene) string {
	a, b := got.images(), want.images()
	for i := range a {
		for p := range a[i].Image.Layout.Planes {
			for layer := range a[i].Layers {
				l, m := a[i].Image.Level(p, 0, layer), b[i].Image.Level(p, 0, layer)
				for y := range l.Height {
					for x := range l.Width {
						for k := range a[i].Image.Samples {
							at := l.Offset(x, y, 0, k)
							if !bytes.Equal(l.Data[at:at+l.Bytes], m.Data[at:at+l.Bytes]) {
								return fmt.Sprintf("image %d (%v, %d samples), plane %d, layer %d, pixel %d,%d, sample %d is %x, want %x", i, a[i].Format, a[i].Image.Samples, p, layer, x, y, k, l.Data[at:at+l.Bytes], m.Data[at:at+l.Bytes])
							}
						}
					}
				}
			}
		}
	}
	if a, b := fmt.Sprint(got.pass.Occlusion), fmt.Sprint(want.pass.Occlusion); a != b {
		return "occlusion " + a + ", want " + b
	}
	return ""
}

// summary says of each draw what makes it special.
func summary(s *scene, shaders map[*Pipeline]*shaderSpec) (out string) {
	for i := range s.pass.Draws {
		d := &s.pass.Draws[i]
		if d.Clear != nil {
			out += fmt.Sprintf("\n\t%d: clear", i)
			continue
		}
		st := d.State
		out += fmt.Sprintf("\n\t%d: %v, %v, lines %v, samples %d custom %v shading %v, conservative %v, rate %v %v, depth %v bounds %v stencil %v bias %v, shader %+v", i, st.Topology, st.PolygonMode, st.LineMode,
			s.samples, st.SampleLocationsEnable, st.SampleShadingEnable, st.ConservativeMode, st.ShadingRate, st.RateCombiners, st.DepthTestEnable, st.DepthBoundsTestEnable, st.StencilTestEnable, st.DepthBiasEnable, shaders[d.Pipeline])
	}
	return out
}
