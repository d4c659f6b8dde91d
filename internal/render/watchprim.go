package render

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

// What decides about a primitive before it is rasterized, and about the size and number of its fragments.

// topologyRule is the rule by which vertices became the primitive with a number.
func topologyRule(st *drawState, id uint32) string {
	d := st.dynamic
	switch {
	case st.stages.Wide && st.pipe.desc.Geometry == nil && st.pipe.desc.Evaluation != nil:
		return "RAS-051"
	case st.stages.Wide || st.pipe.desc.Mesh != nil:
		return "RAS-052"
	}
	switch d.Topology {
	case vk.PrimitiveTopologyTriangleStrip:
		if id&1 != 0 && !d.PrimitiveRestart { // a restart begins with an even one
			return "RAS-047"
		}
	case vk.PrimitiveTopologyTriangleFan:
		return "RAS-048"
	case vk.PrimitiveTopologyTriangleStripWithAdjacency:
		return "RAS-049"
	case vk.PrimitiveTopologyLineListWithAdjacency, vk.PrimitiveTopologyLineStripWithAdjacency, vk.PrimitiveTopologyTriangleListWithAdjacency:
		return "RAS-050"
	default:
	}
	return "RAS-046"
}

// topologyText names what the primitive is one of.
func topologyText(st *drawState) string {
	switch {
	case st.pipe.desc.Mesh != nil:
		return "the mesh shader's output"
	case st.stages.Wide && st.pipe.desc.Geometry != nil:
		return "the geometry shader's output"
	case st.stages.Wide:
		return "the tessellator's output"
	}
	return short(st.dynamic.Topology)
}

// tellPositions tells how positions became places on the screen.
func (m *watcher) tellPositions(st *drawState, p *prim, viewport int, f *explain.Fragment) {
	own, post := m.own[:p.N], &st.post[viewport]
	if post.Swizzled {
		step(f, "RAS-374", "positions are swizzled for viewport %d", viewport)
	}
	cut := false
	for i := range own {
		cut = cut || own[i].Out&(raster.OutW|raster.OutGuard) != 0
	}
	if cut {
		step(f, "RAS-081", "a vertex is behind the eye or beyond the guard band: the primitive is cut there")
	}
	if post.WScale {
		step(f, "RAS-376", "divided by w′ = %g·x + %g·y + w", post.ScaleX, post.ScaleY)
	} else if text := dividers(own); text != "" {
		step(f, "RAS-091", "divided by w: %s", text)
	}
	var at []string
	moved := 0.0
	for i := range own {
		v := &own[i]
		if v.Out&(raster.OutW|raster.OutGuard) != 0 {
			at = append(at, "cut away")
			continue
		}
		x := float64(post.Viewport.ScaleX*float64(v.Pos[0])*v.InvW) + post.Viewport.OffsetX
		y := float64(post.Viewport.ScaleY*float64(v.Pos[1])*v.InvW) + post.Viewport.OffsetY
		moved = max(moved, math.Abs(x-float64(float64(v.X)/raster.Subpixels)), math.Abs(y-float64(float64(v.Y)/raster.Subpixels)))
		at = append(at, fmt.Sprintf("(%g, %g)", float64(v.X)/raster.Subpixels, float64(v.Y)/raster.Subpixels))
	}
	step(f, "RAS-092", "in pixels: %s", strings.Join(at, ", "))
	if post.Viewport.ScaleY < 0 {
		step(f, "RAS-094", "the viewport's height is negative: y grows upwards")
	}
	if moved > 0 && !cut {
		step(f, "RAS-002", "positions are rounded to 1/256 of a pixel, by up to %.2g", moved)
	}
	if p.N == 1 {
		if size := raster.PointSize(own[0].Size); size != float64(own[0].Size) {
			step(f, "RAS-187", "a size of %g becomes %g", own[0].Size, size)
		}
	}
}

// dividers are the w of vertices; empty where all are 1.
func dividers(own []raster.Vertex) string {
	var list []string
	some := false
	for i := range own {
		some = some || own[i].Pos[3] != 1
		list = append(list, explain.Float(own[i].Pos[3]))
	}
	if !some {
		return ""
	}
	return strings.Join(list, ", ")
}

// tellRate tells of the size of the fragment, and of what decided it.
func (m *watcher) tellRate(st *drawState, rec *primRec, o *sight) {
	w := m.w
	f, d, p := &o.f, st.dynamic, &st.rates
	size := func(s Shading) string {
		switch {
		case s.Invocations == NoInvocations:
			return "no invocations"
		case s.Invocations > 0:
			return fmt.Sprintf("%d invocations a pixel", 1<<s.Invocations)
		}
		return fmt.Sprintf("%d×%d", 1<<s.W, 1<<s.H)
	}
	large := o.width*o.height > 1
	switch {
	case w.plan.density != nil:
		if large {
			step(f, "RAS-128", "the fragment density map asks for %d×%d pixels", o.width, o.height)
			step(f, "RAS-131", "its samples are spread over all of them")
		}
	case p.image != nil:
		if r := p.image.at(int(rec.viewport), o.watch.Layer, o.watch.X, o.watch.Y); r != (pixelRate{n: 1}) {
			step(f, "RAS-163", "the palette of the shading rate image asks for %s", r)
		}
	case p.samples == 0: // no rates
		if d.ShadingRate != (Shading{}) {
			step(f, "RAS-148", "sample shading or tile images: the rate %s of the pipeline is 1×1", size(d.ShadingRate))
		}
	default:
		first := p.primitive(rec.rate)
		r := p.at(first, w.plan.pass.Rate, o.watch.Layer, o.watch.X, o.watch.Y)
		primitive, attached := p.combiners[0] != vk.FragmentShadingRateCombinerOpKeepKHR, p.combiners[1] != vk.FragmentShadingRateCombinerOpKeepKHR
		if r == (pixelRate{n: 1}) && !primitive && !attached {
			break
		}
		if primitive || d.ShadingRate != (Shading{}) {
			step(f, "RAS-139", "the pipeline's rate is %s", size(d.ShadingRate))
		}
		if primitive {
			step(f, "RAS-140", "the primitive's is %s", size(ShadingOf(uint32(rec.rate), p.enums)))
		}
		if attached {
			code := uint32(0)
			if a := w.plan.pass.Rate; a != nil && a.View != nil {
				code = texelAt(a.View, o.watch.Layer, int(o.watch.X)/int(max(a.Texel.Width, 1)), int(o.watch.Y)/int(max(a.Texel.Height, 1)))
			}
			step(f, "RAS-141", "the attachment's is %s", size(ShadingOf(code, p.enums)))
		}
		if primitive || attached {
			step(f, "RAS-144", "combined by %s and %s: %d×%d", combinerName(p.combiners[0]), combinerName(p.combiners[1]), 1<<r.w, 1<<r.h)
		}
		if asked := d.ShadingRate.rate(); !primitive && !attached && asked != r.rate {
			step(f, "RAS-146", "%d×%d is the largest that %d samples allow", 1<<r.w, 1<<r.h, w.plan.Samples)
		}
	}
	if large {
		step(f, "RAS-150", "a fragment of %d×%d pixels", o.width, o.height)
	}
}

// String is a final rate for people.
func (r pixelRate) String() string {
	switch {
	case r.n == 0:
		return "no invocations"
	case r.n > 1:
		return fmt.Sprintf("%d invocations a pixel", r.n)
	}
	return fmt.Sprintf("fragments of %d×%d pixels", 1<<r.w, 1<<r.h)
}

func combinerName(op vk.FragmentShadingRateCombinerOpKHR) string {
	return strings.TrimSuffix(strings.TrimPrefix(op.String(), "VK_FRAGMENT_SHADING_RATE_COMBINER_OP_"), "_KHR")
}

// tellSampleRate tells why the shader runs for shares of the samples.
func (m *watcher) tellSampleRate(st *drawState, f *explain.Fragment) {
	switch p := st.pipe.desc.Fragment.Program(); {
	case p.SampleRate:
		step(f, "RAS-174", "the shader asks for its sample: it runs for each")
	case st.rates.image != nil:
		step(f, "RAS-171", "the shading rate image asks for several invocations")
	case st.shares > 1:
		step(f, "RAS-175", "sample shading asks for %d invocations a pixel", st.shares)
	default:
		step(f, "RAS-159", "the shading rate asks for several invocations")
	}
}

// tellInputs tells how the inputs of the shader come from the vertices.
func tellInputs(f *explain.Fragment, p *ir.Program, s *raster.Setup) {
	some := func(is func(in *ir.IO) bool) bool {
		return slices.ContainsFunc(p.Inputs, func(in ir.IO) bool { return in.Builtin == ir.BuiltinNone && is(&in) })
	}
	flat := some(func(in *ir.IO) bool { return in.Interp == ir.Flat })
	linear := some(func(in *ir.IO) bool { return in.Interp == ir.Linear })
	smooth := some(func(in *ir.IO) bool { return in.Interp == ir.Perspective })
	centroid := some(func(in *ir.IO) bool { return in.Aux == ir.AtCentroid })
	sample := some(func(in *ir.IO) bool { return in.Aux == ir.AtSample })
	n := len(f.Primitive.Vertices)
	rules := [2]string{"RAS-207", "RAS-206"}
	if n == 3 {
		rules = [2]string{"RAS-247", "RAS-246"}
	}
	if s.Affine { // of equal w, so that both are the same
		linear, smooth = linear || smooth, false
	}
	switch {
	case n == 1 && (flat || linear || smooth):
		step(f, "RAS-190", "inputs are the vertex's")
		return
	case flat:
		step(f, "RAS-282", "flat inputs are those of vertex %c, the provoking one", 'A'+rune(f.Primitive.Provoking))
	}
	if linear {
		step(f, rules[0], "inputs are interpolated linearly")
	}
	if smooth {
		step(f, rules[1], "inputs are interpolated with perspective")
	}
	if centroid {
		step(f, "RAS-284", "those that are centroid, where the primitive covers the pixel")
	}
	if sample {
		step(f, "RAS-285", "those of samples, at the sample")
	}
}
