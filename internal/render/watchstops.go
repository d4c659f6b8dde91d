package render

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/fragops"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/watch"
	"github.com/pumice-gpu/pumice/vk"
)

// What keeps a primitive from being written that covers a watched sample, or would: not just where
// it ends, but all that stands in its way, in order. A primitive that no tile draws at the sample
// has a ghost there, a set-up that is tested at its turn against what the sample holds, and never
// drawn.

// noted is a place among the notes of a round. rec is the record that it was last asked to come to.
type noted struct{ chunk, note, rec int }

// off is a change that switches something off.
func off(state string) *explain.Change { return &explain.Change{State: state, Value: "VK_FALSE"} }

// ghost makes the ghost of a primitive that no tile draws at the sample; nil: a tile does, or
// nothing that is known would let it cover the sample.
func (m *watcher) ghost(c *chunk, p *prim, viewport int, n *watch.Note) *watch.Ghost {
	st, g := c.draw.state, &watch.Ghost{}
	group := st.groupOf(n.Watch)
	post, state := st.post[viewport], st.Raster[viewport]
	state.Stipple = raster.Stipple{}
	switch d := &n.Would; {
	case d.Whole&group != 0:
	case d.Depth&group != 0:
		post.DepthClip, g.Change = false, off("depthClipEnable")
	case d.User&group != 0:
		post.ClipDistances, g.Cannot = 0, "clip distances come from shaders"
	case d.Filled&group != 0:
		post.Outline, post.Rectangle, state.PolygonMode = false, false, vk.PolygonModeFill
		g.Change = &explain.Change{State: "polygonMode", Value: vk.PolygonModeFill.String()}
	default:
		return nil
	}
	as := g.Change == nil && g.Cannot == ""
	culls := state.CullMode
	state.CullMode = 0
	vertices := m.cornersOf(p)
	post.Project(vertices)
	m.covered(p, &post, &state, vertices)
	for i := range m.setups {
		s := &m.setups[i]
		mask := m.coverOf(s) & group
		if mask == 0 {
			continue
		}
		culled := p.N == 3 && culls&faceOf(s) != 0
		if as && !culled && m.inScissor(st, viewport, n.Watch) {
			return nil
		}
		if as && culled {
			g.Change = cullingOff()
		}
		g.Setups = append(g.Setups, *s)
		g.Samples = append(g.Samples, bits.TrailingZeros64(mask))
	}
	if len(g.Setups) == 0 {
		return nil
	}
	return g
}

// faceOf is the face of a triangle as cull modes name it.
func faceOf(s *raster.Setup) vk.CullModeFlags {
	if s.FrontFacing {
		return vk.CullModeFlags(vk.CullModeFrontBit)
	}
	return vk.CullModeFlags(vk.CullModeBackBit)
}

func (m *watcher) inScissor(st *drawState, viewport int, v *watch.Watch) bool {
	scissor := rectOf(st.dynamic.Scissors[viewport])
	return watch.Contains(m.w.plan.Area.Intersect(scissor), v.X, v.Y)
}

// settle looks at the ghosts in this tile that come before a record of the chunk at work, and at
// its own; none: before the chunk's first.
func (m *watcher) settle(rec int) {
	w, at := m.w, &m.at
	if at.chunk == m.chunk && at.rec == rec && rec != none {
		return // another part of it
	}
	for ; at.chunk <= m.chunk && at.chunk < w.x.ready; at.chunk, at.note = at.chunk+1, 0 {
		c, here := w.x.pool[at.chunk], at.chunk == m.chunk
		for ; at.note < len(c.book.Notes); at.note++ {
			n := c.book.Notes[at.note]
			if here && n.Rec >= rec && (n.Rec != rec || rec == none) {
				break
			}
			v := n.Watch
			in := v.Layer == w.tile.Layer && watch.Contains(w.tile.Rect, v.X, v.Y)
			if n.Ghost != nil && !n.Gone && in {
				m.haunt(n)
			}
			next := at.note + 1
			if here && n.Rec == rec && (next == len(c.book.Notes) || c.book.Notes[next].Rec != rec) {
				at.note = next
				break
			}
		}
		if here {
			at.rec = rec
			return
		}
	}
}

// haunt tells what stands in the way of a ghost, now that it is its turn.
func (m *watcher) haunt(n *watch.Note) {
	st, v := m.w.plan.draws[n.Draw].state, n.Watch
	o := &sight{Note: n, sample: none, group: st.groupOf(v)}
	m.aim(st, n.F.Primitive.Viewport, v)
	o.ss = m.ss
	m.take(o)
	for i := range n.Ghost.Setups { // of outlines the one that comes farthest
		o.k = n.Ghost.Samples[i]
		list := m.stops(st, &n.Ghost.Setups[i], o, n.Ghost)
		if i == 0 || len(list) < len(n.F.Stopped) {
			n.F.Stopped = list
		}
	}
}

// take takes down what the sample holds.
func (m *watcher) take(o *sight) {
	one := *o.Watch
	o.before = one.TexelOf(&m.w.plan.Plan)
	for one.Sample = range m.w.plan.Samples {
		o.depths = append(o.depths, one.DepthOf(&m.w.plan.Plan))
		o.stencils = append(o.stencils, one.StencilOf(&m.w.plan.Plan))
	}
}

// stops are what stands between a primitive that covers the sample and its being written, in the
// order of the operations. Of a ghost the first is what keeps the tiles from drawing it; its words
// are those of the step that ends the fragment, which come later.
func (m *watcher) stops(
	st *drawState, s *raster.Setup, o *sight, g *watch.Ghost,
) (list []explain.Stop) {
	v, pl, p := o.Watch, m.w.plan, &o.F.Primitive
	told := *o // by the words of what would end it, one behind the other
	told.Note = &watch.Note{Watch: v, F: explain.Fragment{Primitive: *p}}
	f := &told.F
	if g != nil {
		culled := len(p.Vertices) == 3 && st.Raster[p.Viewport].CullMode&faceOf(s) != 0
		if g.Change != nil || g.Cannot != "" {
			list = append(list, explain.Stop{Change: g.Change, Cannot: g.Cannot})
			culled = culled && (g.Change == nil || g.Change.State != "cullMode")
		}
		if culled {
			watch.Miss(f, "RAS-235", "it is culled")
		}
	}
	watch.TellScissor(pl.Area, rectOf(st.dynamic.Scissors[p.Viewport]), v, f)
	if st.windows != nil && !st.windows.keeps(v.X, v.Y, p.Viewport) {
		st.windows.tell(f, v, uint16(p.Viewport))
	}
	bit := uint64(1) << o.k
	if g == nil && o.windowed&bit != 0 && o.shown&bit == 0 {
		watch.Miss(f, "RAS-159", "the shading rate is NO_INVOCATIONS")
	}
	if st.SampleMask&bit == 0 && !st.Takes.Override {
		watch.MissMask(f, st.SampleMask, o.k)
	}
	outs, tests := &st.Link.Outs, st.Tests[p.Viewport]
	perhaps := !o.shaded && st.Takes != (lowered.CoverageKey{}) || g != nil && st.Rates.Image != nil
	given := outs.Depth != none && tests.DepthTest || outs.Stencil != none && tests.StencilTest
	if given && !o.shaded && fragment.Tested(st.After) {
		perhaps = true
	} else {
		m.failAll(st, tests, s, &told)
	}
	if o.shaded && !o.keptByShader(st, pl.Samples) {
		watch.Miss(f, "RAS-298", "the shader leaves nothing of it")
	}
	if v.Attachment >= 0 && st.Color[v.Attachment] == nil {
		m.tellColor(st, &told)
	}
	for _, step := range f.Steps {
		if !step.Failed || step.Rule == "" {
			continue
		}
		stop := explain.Stop{Step: step, Change: changeFor(step.Rule, st.dynamic, v, p.Viewport)}
		if stop.Failed = false; stop.Change == nil {
			stop.Cannot = "no state of the draw changes that"
		}
		if step.Rule == "RAS-327" {
			stop.Depth = f.Depth
		}
		list = append(list, stop)
	}
	if len(list) > 0 {
		list[0].Depth = f.Depth
	}
	if perhaps {
		step := explain.NewStep("RAS-298", "the shader, which did not run, may leave nothing of it")
		list = append(list, explain.Stop{Step: step, Perhaps: true})
	}
	return list
}

// failAll tells of each test that a fragment fails, as though those before it were off.
func (m *watcher) failAll(st *drawState, tests fragops.DepthStencil, s *raster.Setup, o *sight) {
	for tests.Active() && !m.tellTests(st, &tests, s, o) {
		at := len(o.F.Steps) - 1
		for at >= 0 && (!o.F.Steps[at].Failed || o.F.Steps[at].Rule == "") {
			at--
		}
		switch {
		case at >= 0 && o.F.Steps[at].Rule == "RAS-320":
			tests.BoundsTest = false
		case at >= 0 && o.F.Steps[at].Rule == "RAS-321":
			tests.StencilTest = false
		default:
			tests.DepthTest = false
		}
	}
}

func cullingOff() *explain.Change {
	return &explain.Change{State: "cullMode", Value: "VK_CULL_MODE_NONE"}
}

// changeFor is the change of a draw's state that takes away what a rule stops; nil: there is none.
func changeFor(rule string, d *DynamicState, v *watch.Watch, viewport int) *explain.Change {
	switch rule {
	case "RAS-235":
		return cullingOff()
	case "RAS-306":
		return off("discardRectangleEnable")
	case "RAS-307":
		return watch.Scissor(d.Scissors[viewport], v)
	case "RAS-308":
		return off("exclusiveScissorEnable")
	case "RAS-309":
		return &explain.Change{State: "sampleMask", Value: "0xffffffffffffffff"}
	case "RAS-320":
		return off("depthBoundsTestEnable")
	case "RAS-321":
		return off("stencilTestEnable")
	case "RAS-327":
		return off("depthTestEnable")
	case "RAS-346":
		return off("logicOpEnable")
	case "RAS-347":
		if d.ColorWrite>>v.Attachment&1 != 0 {
			return &explain.Change{State: "colorWriteMask", Value: "RGBA"}
		}
	}
	return nil
}
