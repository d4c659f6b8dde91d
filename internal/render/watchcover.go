package render

import (
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/watch"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
	"github.com/pumice-gpu/pumice/vk"
)

// Which rule covers a sample, or keeps it from being covered. The rule that decides is found by leaving it out: a
// primitive is set up once more without it, and what then covers the sample was kept away by it.

// wouldCover finds them; no primitive has other than finite positions here.
func (m *watcher) wouldCover(c *chunk, p *prim, viewport int, v *watch.Watch) (d watch.Would) {
	st := c.draw.state
	post, state := st.post[viewport], st.Raster[viewport]
	state.CullMode, state.Stipple = 0, raster.Stipple{}
	covered := func(set func(post *vertexpost.Config, state *raster.State)) uint64 {
		q, s := post, state
		set(&q, &s)
		vertices := m.cornersOf(p)
		q.Project(vertices)
		return m.covered(p, &q, &s, vertices)
	}
	d.Whole = covered(func(*vertexpost.Config, *raster.State) {})
	d.Depth = covered(func(q *vertexpost.Config, _ *raster.State) { q.DepthClip = false })
	d.User = covered(func(q *vertexpost.Config, _ *raster.State) { q.ClipDistances = 0 })
	free, vertices := state, m.cornersOf(p)
	free.ViewRect = watch.Everywhere
	if post.Project(vertices); m.unclipped(p, &free, vertices) {
		d.Side = m.cover()
	}
	if p.N == 3 && state.PolygonMode != vk.PolygonModeFill {
		d.Filled = covered(func(q *vertexpost.Config, s *raster.State) {
			q.Outline, q.Rectangle, s.PolygonMode = false, false, vk.PolygonModeFill
		})
	}
	if state.Conservative != vk.ConservativeRasterizationModeDisabledEXT {
		d.Exact = covered(func(_ *vertexpost.Config, s *raster.State) {
			s.Conservative = vk.ConservativeRasterizationModeDisabledEXT
		})
		d.Slim = covered(func(_ *vertexpost.Config, s *raster.State) { s.ExtraSize = 0 })
	}
	if p.N == 3 && state.DepthBias.Enable {
		vertices := m.cornersOf(p)
		if post.Project(vertices); m.clip(p, &post, vertices) {
			d.Bias, d.Slope, d.Unit = state.DepthBias.Of(&m.poly)
		}
	}
	return d
}
