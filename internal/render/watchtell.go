package render

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/watch"
	"github.com/pumice-gpu/pumice/vk"
)

// What a pass tells of watched samples, in words and numbers. Where a rule decides, its reference is asked
// (package fragops, package raster), with what the sample held before the primitive; what the pass
// really left there is looked at, too, and the two are compared.

// primitive says which primitive it is, of vertices that have been projected to m.own: with all
// that its vertex shader
// was given and gave.
func (m *watcher) primitive(
	c *chunk, b *geometry.Stretch, p *prim, to target, layer int,
) explain.Primitive {
	st := c.draw.state
	pr := explain.Primitive{ID: int(to.id), View: int(c.params.View), Layer: layer,
		Viewport:  int(to.viewport),
		Provoking: int(p.Provoking), Front: true}
	last, names := st.link.last, c.draw.draw.names()
	for k := range p.N {
		row := p.V[k]
		v := explain.Vertex{}
		var instance int
		if v.Index, instance = m.vertexOf(row); instance >= 0 {
			pr.Instance = instance + int(c.params.FirstInstance)
			key := geometry.VertexKey{Vertex: uint32(v.Index), Instance: uint32(instance)}
			v.Inputs = m.vertexInputs(c, key)
		}
		own := &m.own[k]
		for j := range v.Position {
			v.Position[j] = watch.WordsValue(format.ClassFloat, m.w.binner.corners.position[j][row])
		}
		if own.Out&(raster.OutW|raster.OutGuard|raster.OutInvalid) == 0 {
			v.Window = &[3]float64{float64(own.X) / raster.Subpixels, float64(own.Y) / raster.Subpixels, own.Z}
		}
		v.Outputs = watch.Variables(last, names.Vertex, func(slot int) (uint32, bool) {
			if last[slot].Builtin == ir.BuiltinPosition || slot >= len(b.Out) || int(row) >= len(b.Out[slot]) {
				return 0, false
			}
			return b.Out[slot][row], true
		})
		pr.Vertices = append(pr.Vertices, v)
	}
	return pr
}

// tellPrimitive tells which primitive it is.
func (m *watcher) tellPrimitive(c *chunk, b *geometry.Stretch, p *prim, to target, n *watch.Note) {
	w := m.w
	st, f := c.draw.state, &n.F
	pr := &f.Primitive
	*pr = m.primitive(c, b, p, to, n.Watch.Layer)
	if f.Outcome == explain.Missed { // near has found no place for it
		bad := 0
		for k := range p.N {
			for _, x := range m.own[k].Pos {
				if x-x != 0 {
					bad = int(k)
				}
			}
		}
		watch.Miss(f, "RAS-366", "the position of vertex %d is not finite: (%s); the primitive is not drawn", bad, watch.PositionText(m.own[bad].Pos))
		return
	}
	kind := [...]string{"", "point", "line", "triangle"}[p.N]
	watch.Step(f, topologyRule(st, to.id), "%s %d of %s", kind, to.id, topologyText(st))
	m.tellPositions(st, p, int(to.viewport), f)
	if p.N == 3 && m.poly.N > 0 {
		a := watch.Area2(&m.poly)
		pr.Area = a / (raster.Subpixels * raster.Subpixels)
		pr.Front = (a > 0) == (st.dynamic.FrontFace == vk.FrontFaceCounterClockwise)
		face := "back"
		if pr.Front {
			face = "front"
		}
		watch.Step(f, "RAS-234", "twice the area is %g pixels: %s-facing, as frontFace is %s", pr.Area, face, watch.Short(st.dynamic.FrontFace))
	}
	if to.viewport > 0 || st.dynamic.ViewportCount > 1 {
		watch.Step(f, "RAS-070", "viewport %d", to.viewport)
	}
	switch {
	case w.plan.pass.ViewMask != 0:
		watch.Step(f, "RAS-072", "view %d", pr.View)
	case pr.Layer > 0:
		watch.Step(f, "RAS-071", "layer %d", pr.Layer)
	}
}

// names are those of the draw's interface variables.
func (d *Draw) names() *Names {
	if d.Names == nil {
		return &Names{}
	}
	return d.Names
}

// vertexInputs are what the vertex shader is given for a vertex.
func (m *watcher) vertexInputs(c *chunk, k geometry.VertexKey) []explain.Named {
	p := m.w.threads.By[c.draw.state.stages.Vertex].IR
	in := make([][]uint32, len(p.Inputs))
	for i := range in {
		in[i] = make([]uint32, 1)
	}
	c.draw.stages.FetchVertex(c.params, k, in)
	return watch.Variables(p.Inputs, c.draw.draw.names().Fetched, func(slot int) (uint32, bool) { return in[slot][0], true })
}

// tellLost tells why a primitive that would come near the pixel is no more before the tiles.
func (m *watcher) tellLost(c *chunk, p *prim, viewport int, n *watch.Note) {
	w := m.w
	st, f := c.draw.state, &n.F
	if st.fate == discarded {
		watch.Miss(f, "RAS-066", "rasterizerDiscardEnable is on")
		return
	}
	vertices := m.cornersOf(p)
	post, state := st.post[viewport], st.Raster[viewport]
	post.Project(vertices)
	all := ^raster.Outcode(0)
	for k := range vertices {
		all &= vertices[k].Out
	}
	for i, name := range watch.PlaneNames {
		if all>>i&1 != 0 {
			rule, text := "RAS-075", "all vertices are beyond the %s plane of the view volume"
			if i == 4 || i == 5 {
				rule = "RAS-076"
			}
			if p.N == 1 {
				rule, text = "RAS-085", "the vertex is beyond the %s plane of the view volume"
			}
			watch.Miss(f, rule, text, name)
			return
		}
	}
	if all >= raster.OutUser {
		k := bits.TrailingZeros32(uint32(all / raster.OutUser))
		if k >= post.ClipDistances {
			watch.Miss(f, "RAS-074", "CullDistance[%d] of all vertices is negative", k-post.ClipDistances)
		} else {
			watch.Miss(f, "RAS-077", "ClipDistance[%d] of all vertices is negative", k)
		}
		return
	}
	if !m.clip(p, &post, vertices) {
		watch.TellClipped(f, p.N, &post, vertices)
		return
	}
	if p.N == 3 {
		face, bit := "back-facing", vk.CullModeFlags(vk.CullModeBackBit)
		if f.Primitive.Front {
			face, bit = "front-facing", vk.CullModeFrontBit
		}
		if f.Primitive.Area == 0 && state.CullMode&bit == 0 && state.PolygonMode != vk.PolygonModeLine && state.PolygonMode != vk.PolygonModePoint {
			watch.Miss(f, "RAS-241", "the triangle has no area")
			return
		}
		if state.CullMode&bit != 0 {
			// What would not cover the sample is not lost by culling.
			state.CullMode = 0
			if mask := m.covered(p, &post, &state, vertices); mask&st.groupOf(n.Watch) == 0 {
				watch.TellUncovered(f, &state, &n.Would, mask, n.Watch, bits.TrailingZeros64(st.groupOf(n.Watch)), w.plan.Samples)
				return
			}
			state.CullMode = st.Raster[viewport].CullMode
			watch.Miss(f, "RAS-235", "%s, and culled: cullMode is %s, frontFace %s", face, watch.CullName(state.CullMode), watch.Short(state.FrontFace))
			return
		}
	}
	if n.Would.Whole&st.groupOf(n.Watch) != 0 && watch.TellScissor(w.plan.Area, rectOf(st.dynamic.Scissors[viewport]), n.Watch, f) {
		return
	}
	watch.TellUncovered(f, &state, &n.Would, n.Would.Whole, n.Watch, bits.TrailingZeros64(st.groupOf(n.Watch)), w.plan.Samples)
}

// tellSight tells what became of the primitive at the pixel, once it is drawn.
func (m *watcher) tellSight(c *chunk, s *raster.Setup, o *sight) {
	w := m.w
	st, f := c.draw.state, &o.F
	pl, v := w.plan, o.Watch
	rec := &c.Recs[s.Prim]
	o.choose()
	before, after := v.ValueOf(&pl.Plan, o.before, o.depths[o.k], o.stencils[o.k]), v.Value(&pl.Plan)
	if f.Outcome != "" { // it has been seen: this is another part of it
		if (o.covered|o.shaped|o.left)&o.group == 0 {
			return
		}
		if f.Outcome != explain.Missed {
			o.Note.More = append(o.Note.More, &watch.Note{Watch: v, Draw: o.Draw, Rec: o.Rec, Base: o.Base})
			f = &o.Note.More[len(o.Note.More)-1].F
			f.Primitive = o.F.Primitive
			f.Steps = append(f.Steps, o.F.Steps[:o.Base]...)
			o.Note = o.Note.More[len(o.Note.More)-1]
		}
		f.Steps, f.Reason, f.Outcome = f.Steps[:o.Base], "", ""
	}
	f.Before, f.After = before, after
	f.Primitive.Front = s.FrontFacing
	stopped := false // after it covered the sample
	defer func() {
		if v.Attachment < 0 && after != before { // a test that fails may still write stencil
			f.Outcome, f.Reason = explain.Wrote, ""
		}
		if f.Outcome == explain.Wrote {
			f.Stopped = nil
		} else if stopped {
			f.Stopped = m.stops(st, s, o, nil)
		}
	}()
	// What does not cover the sample is not lost by the scissor.
	covers := (o.Would.Whole|o.covered)&o.group != 0
	if covers && watch.TellScissor(w.plan.Area, rectOf(st.dynamic.Scissors[int(rec.Viewport)]), v, f) {
		return
	}
	if !covers && o.covered == 0 {
		o.covered = o.Would.Whole // of which the scissor may leave nothing
	}
	m.tellCoverage(s, o.ss.Of(v.X, v.Y), o)
	bit := uint64(1) << o.k
	state := &st.Raster[rec.Viewport]
	instead := st.Takes.Override && (o.left|o.shaped)&bit != 0 && (o.masked&bit == 0 || !fragment.Tested(st.After) && o.tested&bit == 0)
	if o.covered&bit == 0 && !instead {
		watch.TellUncovered(f, state, &o.Would, o.covered, v, o.k, pl.Samples)
		return
	}
	stopped = true
	watch.TellCovered(f, s, state, o.Watch, o.covered, pl.Samples, instead, &o.Would)
	if o.windowed&bit == 0 && !instead {
		st.windows.tell(f, v, rec.Viewport)
		return
	}
	if o.shown&bit == 0 && !instead {
		rule := "RAS-159"
		if st.Rates.Image != nil {
			rule = "RAS-163"
		}
		watch.Miss(f, rule, "the shading rate is NO_INVOCATIONS")
		return
	}
	if !instead && o.masked != o.shown {
		if o.masked&bit == 0 {
			watch.MissMask(f, st.SampleMask, o.k)
			return
		}
		watch.Step(f, "RAS-309", "the sample mask %s keeps sample %d", watch.SampleMask(st.SampleMask), o.k)
	}
	f.Width, f.Height = o.width, o.height
	m.tellRate(st, rec, o)
	watch.TellBias(f, state, &o.Would)
	if !fragment.Tested(st.After) && !instead && !m.tellTests(st, &st.Tests[rec.Viewport], s, o) {
		return
	}
	if st.Shader != nil && st.pipe.desc.Fragment.Program().EarlyFragmentTests && (st.Takes != lowered.CoverageKey{} || st.Link.Outs.Depth != none || st.refers()) {
		watch.Step(f, "RAS-301", "the shader asks for early tests: what it gives comes after them")
	}
	if st.pipe.desc.Fragment == nil {
		watch.Step(f, "RAS-099", "the pipeline has no fragment shader")
	} else if st.Shader == nil {
		watch.Step(f, "RAS-305", "nothing that the fragment shader would write is kept: it does not run")
	} else if !m.tellShader(c, s, o, bit) {
		return
	}
	if fragment.Tested(st.After) && !m.tellTests(st, &st.Tests[rec.Viewport], s, o) {
		return
	}
	if v.Attachment < 0 {
		f.Outcome = explain.Unchanged
		if d := f.Depth; d != nil && d.Written || f.Stencil != nil && f.Stencil.Stored != f.Stencil.After {
			f.Outcome = explain.Wrote
		} else {
			f.Reason = "the tests write nothing"
		}
		return
	}
	m.tellColor(st, o)
}

// tellCoverage tells where the samples are, and of triangles the edges.
func (m *watcher) tellCoverage(s *raster.Setup, ss *raster.SampleSet, o *sight) {
	v := o.Watch
	cov := &explain.Coverage{}
	for k := range ss.N {
		cov.Samples = append(cov.Samples, explain.Sample{
			X: float64(ss.X[k]) / raster.Subpixels, Y: float64(ss.Y[k]) / raster.Subpixels,
			Covered: o.covered>>k&1 != 0, Left: o.left>>k&1 != 0,
		})
	}
	o.F.Coverage = cov
	if s.Kind != raster.KindTriangle || o.k >= ss.N {
		return
	}
	px, py := int64(v.X)<<raster.SubpixelBits+int64(ss.X[o.k]), int64(v.Y)<<raster.SubpixelBits+int64(ss.Y[o.k])
	var at [3][2]int64
	for k := range at {
		win := o.F.Primitive.Vertices[min(k, len(o.F.Primitive.Vertices)-1)].Window
		if win == nil {
			return // clipping made the corners
		}
		at[k] = [2]int64{int64(win[0] * raster.Subpixels), int64(win[1] * raster.Subpixels)}
	}
	if o.F.Primitive.Area > 0 { // as the winding goes that is positive inside
		at[1], at[2] = at[2], at[1]
	}
	for k := range at {
		a, b := at[k], at[(k+1)%3]
		e := (b[0]-a[0])*(py-a[1]) - (b[1]-a[1])*(px-a[0])
		nx, ny := -(b[1] - a[1]), b[0]-a[0] // towards the inside
		edge := explain.Edge{
			X0: float64(a[0]) / raster.Subpixels, Y0: float64(a[1]) / raster.Subpixels, X1: float64(b[0]) / raster.Subpixels, Y1: float64(b[1]) / raster.Subpixels,
			Value: float64(e), Tie: nx > 0 || nx == 0 && ny > 0,
		}
		edge.Inside = e > 0 || e == 0 && edge.Tie
		cov.Edges = append(cov.Edges, edge)
		if e == 0 && edge.Tie {
			watch.Step(&o.F, "RAS-239", "sample %d is on a left or top edge, which counts as inside", o.k)
		}
	}
}

// tellShader tells of the fragment shader and of coverage after it; false: nothing of the sample is left.
func (m *watcher) tellShader(c *chunk, s *raster.Setup, o *sight, bit uint64) bool {
	w := m.w
	st, f := c.draw.state, &o.F
	if !o.shaded {
		watch.Lose(f, "RAS-305", "the fragment shader did not run for the pixel: nothing was left of it")
		return false
	}
	p, names := w.threads.By[c.draw.state.Program].IR, c.draw.draw.names()
	f.Inputs = watch.Variables(p.Inputs, names.Inputs, func(slot int) (uint32, bool) { return o.in[slot], true })
	f.Outputs = watch.Variables(p.Outputs, names.Outputs, func(slot int) (uint32, bool) { return o.out[slot], true })
	if o.trace != nil {
		f.Shader, f.Images = o.trace.Shader(), o.trace.Images()
		if n := o.Watch.Steps; n != nil {
			n.Add(-int64(len(f.Shader.Steps)))
		}
	}
	name := p.Name
	if name == "" {
		name = "main"
	}
	text := "the fragment shader (" + name + ") runs"
	rule := "RAS-283"
	switch {
	case o.sample != none && w.plan.Samples > 1:
		m.tellSampleRate(st, f)
		text, rule = fmt.Sprintf("%s for sample %d, at its place", text, o.sample), "RAS-177"
	case st.Place != none:
		text, rule = text+" at the sample's own place", "RAS-118"
	case f.Width*f.Height > 1:
		text += " once for all pixels of the fragment"
	case w.plan.Samples > 1:
		text += " once for the pixel, at its centre"
	}
	watch.TellInputs(f, p, s)
	if p.PostDepthCoverage {
		watch.Step(f, "RAS-302", "the SampleMask that it is given is what the tests have left")
	}
	watch.Step(f, rule, "%s", text).Values = f.Outputs
	if o.left&bit != 0 {
		if mask, ok := o.maskOf(st); ok {
			watch.Step(f, "RAS-315", "the shader's SampleMask %s keeps sample %d", mask, o.k)
		}
		if len(st.Plan.Smoothed) > 0 && s.Square.Smooth() {
			watch.Step(f, "RAS-316", "alpha is multiplied by the coverage value")
		}
		if st.Takes.Alpha {
			watch.Step(f, "RAS-317", "alpha to coverage: %s leaves %s", o.alpha(st), watch.SamplesText(fragops.AlphaToCoverage(o.alphaOf(st), w.plan.Samples), w.plan.Samples))
		}
		if len(st.Plan.Ones) > 0 {
			watch.Step(f, "RAS-318", "alpha to one: alpha counts as 1")
		}
		return true
	}
	if fragment.Tested(st.After) && m.failsTests(st, s, o) {
		return true // tellTests says so
	}
	switch mask, ok := o.maskOf(st); {
	case ok && uint64(mask)&bit == 0:
		watch.Lose(f, "RAS-315", "the shader's SampleMask %s leaves sample %d out", mask, o.k)
	case st.Takes.Alpha && fragops.AlphaToCoverage(o.alphaOf(st), w.plan.Samples)&bit == 0:
		watch.Lose(f, "RAS-317", "alpha to coverage: %s leaves %s", o.alpha(st), watch.SamplesText(fragops.AlphaToCoverage(o.alphaOf(st), w.plan.Samples), w.plan.Samples))
	case st.Takes != lowered.CoverageKey{}:
		watch.Lose(f, "RAS-298", "the shader discards the fragment")
	default:
		return true
	}
	return false
}

// keptByShader says that neither discard nor a mask of the shader's takes the sample away.
func (o *sight) keptByShader(st *drawState, samples int) bool {
	if o.gone {
		return false
	}
	if mask, ok := o.maskOf(st); ok && mask>>o.k&1 == 0 {
		return false
	}
	return !st.Takes.Alpha || fragops.AlphaToCoverage(o.alphaOf(st), samples)>>o.k&1 != 0
}

// maskOf is the SampleMask that the shader has written, of which words that it does not have are
// all ones; false: it has none.
func (o *sight) maskOf(st *drawState) (mask watch.SampleMask, ok bool) {
	mask = math.MaxUint64
	for w, slot := range st.Link.Outs.Masks[:lowered.MaskWords] {
		if slot != none {
			mask, ok = mask&^(watch.SampleMask(^o.out[slot])<<(32*w)), true
		}
	}
	return mask, ok
}

func (o *sight) alphaOf(st *drawState) float32 {
	if slot := st.Link.Outs.Color[0].Slot[3]; slot >= 0 && slot < len(o.out) {
		return math.Float32frombits(o.out[slot])
	}
	return 1
}

func (o *sight) alpha(st *drawState) string { return "an alpha of " + explain.Float(o.alphaOf(st)) }
