package render

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
	"github.com/pumice-gpu/pumice/vk"
)

// The other side of the test of random pipelines: a pass drawn sample by sample, in
// the order of the specification, with no tiles, batches, early-outs or loops for
// common state. Set-up of a primitive and the value of a plane at one position are
// package raster's, which the exact oracles hold; all else is written here again
// from the catalogue.

// scalar draws the passes of a scene.
type scalar struct {
	s       *scene
	shaders map[*Pipeline]*shaderSpec
	samples int
	view    int // of the multiview pass
	// The draw, and what follows from it.
	d    *Draw
	st   *DynamicState
	spec *shaderSpec // nil: no fragment shader
	set  *raster.SampleSet
	post []vertexpost.Config
	geo  []raster.State
}

// run draws the pass on the scene's images.
func (r *scalar) run() {
	p := &r.s.pass
	r.samples = r.s.samples
	layers := max(p.Layers, 1)
	if p.ViewMask != 0 {
		layers = bits.Len32(p.ViewMask)
	}
	for layer := range layers {
		if p.ViewMask == 0 || p.ViewMask>>layer&1 != 0 {
			r.load(layer)
		}
	}
	for i := range p.Draws {
		r.d = &p.Draws[i]
		if r.d.Clear != nil {
			r.clear(r.d.Clear, layers)
			continue
		}
		if p.ViewMask == 0 {
			r.draw()
			continue
		}
		for r.view = range layers { // RAS-072
			if p.ViewMask>>r.view&1 != 0 {
				r.draw()
			}
		}
		r.view = 0
	}
	for layer := range layers {
		if p.ViewMask == 0 || p.ViewMask>>layer&1 != 0 {
			r.resolve(layer)
		}
	}
}

// draw draws one view of a draw.
func (r *scalar) draw() {
	r.st, r.spec = r.d.State, r.shaders[r.d.Pipeline]
	if r.st.RasterizerDiscard {
		return
	}
	r.set = raster.Samples(r.samples)
	if r.st.SampleLocationsEnable && r.st.SampleLocations != nil {
		r.set = r.st.SampleLocations
	}
	r.geometry()
	prims := r.primitives()
	for range r.d.Instances {
		phase := int32(0)
		for i := range prims {
			r.primitive(&prims[i], &phase)
		}
	}
}

// geometry makes the state of each viewport.
func (r *scalar) geometry() {
	d := r.st
	r.post, r.geo = nil, nil
	for i := range d.ViewportCount {
		vp := vertexpost.MakeViewport(d.Viewports[i], d.DepthNegativeOneToOne)
		if d.WScalingEnable {
			const far = raster.GuardBand * raster.Subpixels
			vp.Rect = raster.Rect{X0: -far, Y0: -far, X1: far, Y1: far}
		}
		c := vertexpost.Config{
			Viewport: vp, DepthClip: d.DepthClipEnable, NegativeOneToOne: d.DepthNegativeOneToOne, ClipDistances: 2, CullDistances: 1,
			Outline:   d.PolygonMode == vk.PolygonModeLine || d.PolygonMode == vk.PolygonModePoint,
			Rectangle: d.PolygonMode == vk.PolygonModeFillRectangleNV,
			Swizzled:  true, Swizzle: d.ViewportSwizzle[i],
			WScale: d.WScalingEnable, ScaleX: float64(d.WScaling[i].Xcoeff), ScaleY: float64(d.WScaling[i].Ycoeff),
		}
		g := raster.State{
			Samples: r.samples, Locations: r.set, CullMode: d.CullMode, FrontFace: d.FrontFace, PolygonMode: d.PolygonMode, LineWidth: d.LineWidth, LineMode: d.LineMode,
			Conservative: d.ConservativeMode, ExtraSize: d.ExtraOverestimation, ProvokingLast: r.last(), ViewRect: vp.Rect,
			DepthBias: raster.DepthBias{Enable: d.DepthBiasEnable, Constant: d.DepthBiasConstant, Slope: d.DepthBiasSlope, Clamp: d.DepthBiasClamp, Unit: r.biasUnit()},
		}
		if d.LineStippleEnable {
			g.Stipple = raster.Stipple{Factor: int32(d.LineStippleFactor), Pattern: d.LineStipplePattern}
		}
		r.post, r.geo = append(r.post, c), append(r.geo, g)
	}
}

// biasUnit is r of depth bias.
// RAS-259 – RAS-263
func (r *scalar) biasUnit() raster.BiasUnit {
	n := r.depthBits()
	switch {
	case n == 0:
		return raster.BiasNone
	case r.st.DepthBiasUnit == vk.DepthBiasRepresentationFloatEXT:
		return raster.BiasOne
	case n == 32 && r.st.DepthBiasUnit == vk.DepthBiasRepresentationLeastRepresentableValueFormatEXT:
		return raster.BiasFloat32
	case n == 16 && r.st.DepthBiasExact:
		return raster.BiasExact16
	case n == 16:
		return raster.BiasUnorm16
	case r.st.DepthBiasExact:
		return raster.BiasExact24
	}
	return raster.BiasUnorm24
}

// primitive clips a primitive, sets it up and draws the pieces. phase is that of
// the stipple pattern.
func (r *scalar) primitive(p *scalarPrim, phase *int32) {
	from := p.v[p.provoking]
	if p.start { // RAS-225: a strip begins with its first line, wherever that goes
		*phase = 0
	}
	if !r.s.masked {
		r.copy(p, phase, int(r.word(from, 13)))
		return
	}
	start := *phase
	end, drawn := start, false
	for viewport := range 32 { // RAS-070: a copy each
		if r.word(from, 13)>>viewport&1 == 0 {
			continue
		}
		*phase = start
		if r.copy(p, phase, viewport); !drawn {
			end, drawn = *phase, true
		}
	}
	*phase = end
}

// copy draws a primitive in one viewport.
func (r *scalar) copy(p *scalarPrim, phase *int32, viewport int) {
	layer := int(r.word(p.v[p.provoking], 12))
	if r.s.relative {
		layer += viewport
	}
	if !r.s.layered {
		layer, viewport = 0, 0
	}
	if r.s.pass.ViewMask != 0 {
		layer = r.view
	}
	if layer >= max(r.s.pass.Layers, 1) && r.s.pass.ViewMask == 0 || viewport >= len(r.post) { // RAS-070, RAS-071
		return
	}
	post, geo := &r.post[viewport], &r.geo[viewport]
	var v [3]raster.Vertex
	for k, at := range p.v {
		v[k] = raster.Vertex{Size: r.float(at, 8)}
		for c := range 4 {
			v[k].Pos[c] = r.float(at, c)
		}
		for c := range 3 {
			v[k].Dist[c] = r.float(at, 9+c)
		}
	}
	post.Project(v[:len(p.v)])
	var setups []raster.Setup
	var extra []raster.HalfPlane
	poly := &raster.Polygon{}
	switch len(p.v) {
	case 3:
		poly.Provoking = uint8(p.provoking)
		if post.Triangle(poly, &v[0], &v[1], &v[2]) {
			setups, extra = raster.AppendPolygon(nil, nil, poly, geo, 0)
		}
	case 2:
		segment := &raster.Segment{}
		if geo.Stipple.Factor != 0 {
			segment.Phase = *phase
			if (v[0].Out|v[1].Out)&(raster.OutW|raster.OutGuard|raster.OutInvalid) == 0 {
				*phase = (*phase + geo.Advance(v[0].X, v[0].Y, v[1].X, v[1].Y)) % geo.Stipple.Period()
			}
		}
		if post.Line(segment, &v[0], &v[1]) {
			setups, extra = raster.AppendSegment(nil, nil, segment, geo, 0)
		}
	default:
		point := &raster.Point{}
		if post.Point(point, &v[0]) {
			setups, extra = raster.AppendPoint(nil, nil, point, geo, 0)
		}
	}
	for i := range setups {
		d := drawing{scalar: r, p: p, s: &setups[i], extra: extra, layer: layer, viewport: viewport, geo: geo}
		// What comes of a triangle without clipping is tested by its corners.
		if len(p.v) == 3 && poly.N == 3 && poly.Cuts == 0 && geo.PolygonMode == vk.PolygonModeFill {
			d.corners = poly.C[:3]
		}
		d.filled = len(p.v) == 3 && (geo.PolygonMode == vk.PolygonModeFill || geo.PolygonMode == vk.PolygonModeFillRectangleNV)
		d.rate = r.word(p.v[p.provoking], 14)
		d.draw()
	}
}

// drawing is one shape of a primitive on its way to the attachments.
type drawing struct {
	*scalar
	p               *scalarPrim
	s               *raster.Setup
	extra           []raster.HalfPlane
	corners         []raster.Corner // of a whole triangle
	filled          bool
	layer, viewport int
	geo             *raster.State
	rate            uint32 // of the primitive
	several         bool   // an invocation has several samples of a pixel, but not all
	bresenham       map[[2]int64]bool
}

// scene is the scene (s is the set-up here).
func (d *drawing) scene() *scene { return d.scalar.s }
