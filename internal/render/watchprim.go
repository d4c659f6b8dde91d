package render

import (
	"fmt"
	"math"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/watch"
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
	return watch.Short(st.dynamic.Topology)
}

// tellPositions tells how positions became places on the screen.
func (m *watcher) tellPositions(st *drawState, p *prim, viewport int, f *explain.Fragment) {
	own, post := m.own[:p.N], &st.post[viewport]
	if post.Swizzled {
		watch.Step(f, "RAS-374", "positions are swizzled for viewport %d", viewport)
	}
	cut := false
	for i := range own {
		cut = cut || own[i].Out&(raster.OutW|raster.OutGuard) != 0
	}
	if cut {
		watch.Step(f, "RAS-081", "a vertex is behind the eye or beyond the guard band: the primitive is cut there")
	}
	if post.WScale {
		watch.Step(f, "RAS-376", "divided by w′ = %g·x + %g·y + w", post.ScaleX, post.ScaleY)
	} else if text := watch.Dividers(own); text != "" {
		watch.Step(f, "RAS-091", "divided by w: %s", text)
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
	watch.Step(f, "RAS-092", "in pixels: %s", strings.Join(at, ", "))
	if post.Viewport.ScaleY < 0 {
		watch.Step(f, "RAS-094", "the viewport's height is negative: y grows upwards")
	}
	if moved > 0 && !cut {
		watch.Step(f, "RAS-002", "positions are rounded to 1/256 of a pixel, by up to %.2g", moved)
	}
	if p.N == 1 {
		if size := raster.PointSize(own[0].Size); size != float64(own[0].Size) {
			watch.Step(f, "RAS-187", "a size of %g becomes %g", own[0].Size, size)
		}
	}
}

// tellRate tells of the size of the fragment, and of what decided it.
func (m *watcher) tellRate(st *drawState, rec *fragment.Primitive, o *sight) {
	w := m.w
	f, d, p := &o.F, st.dynamic, &st.Rates
	size := func(s rates.Shading) string {
		switch {
		case s.Invocations == rates.NoInvocations:
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
			watch.Step(f, "RAS-128", "the fragment density map asks for %d×%d pixels", o.width, o.height)
			watch.Step(f, "RAS-131", "its samples are spread over all of them")
		}
	case p.Image != nil:
		if r := p.Image.At(int(rec.Viewport), o.Watch.Layer, o.Watch.X, o.Watch.Y); r != (rates.Pixel{N: 1}) {
			watch.Step(f, "RAS-163", "the palette of the shading rate image asks for %s", r)
		}
	case p.Samples == 0: // no rates
		if d.ShadingRate != (rates.Shading{}) {
			watch.Step(f, "RAS-148", "sample shading, tile images, SampleMask or an interlock mode: the rate %s of the pipeline is 1×1", size(d.ShadingRate))
		}
	default:
		first := p.Primitive(rec.Rate)
		r := p.At(first, w.plan.pass.Rate, o.Watch.Layer, o.Watch.X, o.Watch.Y)
		primitive, attached := p.Combiners[0] != vk.FragmentShadingRateCombinerOpKeepKHR, p.Combiners[1] != vk.FragmentShadingRateCombinerOpKeepKHR
		if r == (rates.Pixel{N: 1}) && !primitive && !attached {
			break
		}
		if primitive || d.ShadingRate != (rates.Shading{}) {
			watch.Step(f, "RAS-139", "the pipeline's rate is %s", size(d.ShadingRate))
		}
		if primitive {
			watch.Step(f, "RAS-140", "the primitive's is %s", size(rates.ShadingOf(uint32(rec.Rate), p.Enums)))
		}
		if attached {
			code := uint32(0)
			if a := w.plan.pass.Rate; a != nil && a.View != nil {
				code = rates.TexelAt(a.View, o.Watch.Layer, int(o.Watch.X)/int(max(a.Texel.Width, 1)), int(o.Watch.Y)/int(max(a.Texel.Height, 1)))
			}
			watch.Step(f, "RAS-141", "the attachment's is %s", size(rates.ShadingOf(code, p.Enums)))
		}
		if primitive || attached {
			watch.Step(f, "RAS-144", "combined by %s and %s: %d×%d", watch.CombinerName(p.Combiners[0]), watch.CombinerName(p.Combiners[1]), 1<<r.W, 1<<r.H)
		}
		if asked := d.ShadingRate.Rate(); !primitive && !attached && asked != r.Rate {
			watch.Step(f, "RAS-146", "%d×%d is the largest that %d samples allow", 1<<r.W, 1<<r.H, w.plan.Samples)
		}
	}
	if large {
		watch.Step(f, "RAS-150", "a fragment of %d×%d pixels", o.width, o.height)
	}
}

// tellSampleRate tells why the shader runs for shares of the samples.
func (m *watcher) tellSampleRate(st *drawState, f *explain.Fragment) {
	switch p := st.pipe.desc.Fragment.Program(); {
	case p.SampleRate:
		watch.Step(f, "RAS-174", "the shader asks for its sample: it runs for each")
	case st.Rates.Image != nil:
		watch.Step(f, "RAS-171", "the shading rate image asks for several invocations")
	case st.Shares > 1:
		watch.Step(f, "RAS-175", "sample shading asks for %d invocations a pixel", st.Shares)
	default:
		watch.Step(f, "RAS-159", "the shading rate asks for several invocations")
	}
}
