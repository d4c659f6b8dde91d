package sampling

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// runGather is §24 textures-gather: component GatherComp, or the comparison, of
// the four texels of the LINEAR footprint at the view's base level, or at the one
// that a bias or LOD selects (gatherLevel).
func runGather(a *Args, v *resource.ImageView, s *resource.Sampler, n int) {
	u := makeSampled(a, v, s)
	if v.MinLod >= float32(v.BaseLevel+1) && !gathersLevel(a.Op) { // IMG-520
		if t := a.Trace; t != nil {
			t.belowMinLod(v.MinLod, v.BaseLevel)
		}
		zeroLanes(a, n)
		return
	}
	for lane := range n {
		if a.active(lane) {
			at, g := u.locate(lane, n)
			u.gather(lane, &at, u.gatherLevel(lane, n, &g))
		}
	}
}

// gather is IMG-516: (i0,j1), (i1,j1), (i1,j0), (i0,j0).
//
// IMG-515, IMG-521, IMG-523
func (u *sampled) gather(lane int, at *spot, level int) {
	l := u.v.Level(level, at.layer+at.face)
	if t := u.a.Trace; t != nil {
		t.from(u.v, level, at.layer+at.face)
	}
	from := [2]float64{u.texels(at, 0, l.Width), u.texels(at, 1, l.Height)}
	x, y := reduceCoord(from[0], u.modes[0], l.Width), reduceCoord(from[1], u.modes[1], l.Height)
	i0, _ := linearTexels(x)
	j0, _ := linearTexels(y)
	if u.a.Op.NearestOrigin { // IMG-522
		i0, j0 = nearestTexel(x), nearestTexel(y)
	}
	if t := u.a.Trace; t != nil {
		t.gather(u, level, [3]int{l.Width, l.Height, 1}, from, [2]float64{x, y}, [2]int{i0, j0})
	}
	comp := u.a.Op.GatherComp & 3
	if u.compare {
		comp = 0 // IMG-518
	}
	for c, d := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		t := u.gatherTap(&l, at, level, i0+d[0], j0+d[1])
		if trace := u.a.Trace; trace != nil {
			trace.gathered(u, c, comp, t, u.swizzle.apply(t))
		}
		if u.a.Out[c] != nil {
			u.a.Out[c][lane] = u.swizzle.apply(t)[comp] // IMG-329
		}
	}
	if t := u.a.Trace; t != nil {
		t.missing(u.info, u.compare)
	}
}

// gatherTap is one texel of the footprint, wrapped on its own (IMG-519); only
// the mean at a cube corner is computed.
func (u *sampled) gatherTap(l *resource.Level, at *spot, level, i, j int) format.Texel {
	if !u.seams {
		asked := [3]int{i, j}
		i, j = wrap(u.modes[0], i, l.Width), wrap(u.modes[1], j, l.Height)
		if i == borderTexel || j == borderTexel {
			return u.outside(at, asked)
		}
		return u.load(l, i, j, 0, at.ref)
	}
	return u.gatherOverEdges(l, at, level, i, j)
}
