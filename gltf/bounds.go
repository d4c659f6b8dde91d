package gltf

import (
	"math"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

// exactWork bounds the vertices (times joint sets and targets) that Bounds
// visits one by one, so that a small file that draws a large mesh very often
// cannot keep it busy; about a second.
const exactWork = 1 << 25

// Bounds returns the box around all vertices that the pose draws, in world
// space (relative to Origin), morphing and skinning applied. It is exact (each vertex is visited)
// up to a generous amount of work; beyond that, the remaining items contribute
// a box that contains them. It is empty where nothing is drawn.
func (p *Pose) Bounds() mat.Box {
	box := mat.EmptyBox()
	if p == nil {
		return box
	}
	work := int64(exactWork)
	ranges := map[*mat.DMat4]*matrixRange{}
	for i := range p.Items {
		it := &p.Items[i]
		prim := it.Primitive
		cost := int64(len(prim.Indices)) + int64(prim.Vertices())*int64(1+8*len(prim.Joints)+len(prim.Targets))
		if cost <= work {
			work -= cost
			it.exactBounds(&box)
		} else {
			it.containingBounds(&box, ranges)
		}
	}
	return box
}

// exactBounds extends the box by each vertex that is referenced.
func (it *Item) exactBounds(box *mat.Box) {
	p := it.Primitive
	var targets []int // those that move something
	for k, t := range p.Targets {
		if k < len(it.MorphWeights) && it.MorphWeights[k] != 0 && t.Positions != nil {
			targets = append(targets, k)
		}
	}
	skinned := p.skinned(it)
	var origin mat.Vec3
	if targets != nil {
		origin = p.Origin()
	}
	from := origin.Double()
	visit := func(v int) {
		if !skinned && targets == nil {
			box.Extend(it.World.Point(mat.Vec3(p.Positions[v]).Double()))
			return
		}
		near := mat.Vec3(p.Positions[v]).Sub(origin)
		for _, k := range targets { // as morph does, without its copies
			for c, d := range p.Targets[k].Positions[v] {
				near[c] += float32(d * it.MorphWeights[k])
			}
		}
		at := near.Double().Add(from)
		if skinned {
			m := p.blend(it.JointMatrices, v)
			at = m.Point(at).Single().Double() // as drawn
		}
		box.Extend(it.World.Point(at))
	}
	if p.Indices == nil {
		for v := range p.Positions {
			visit(v)
		}
		return
	}
	seen := make([]uint64, (len(p.Positions)+63)/64)
	for _, v := range p.Indices {
		if bit := uint64(1) << (v % 64); seen[v/64]&bit == 0 {
			seen[v/64] |= bit
			visit(int(v))
		}
	}
}

// containingBounds extends the box by one that holds all vertices: the
// positions' own box grown by each target's, then carried by the transform, or
// by all joints at once. Skin weights are a convex combination, so the vertices
// lie between what the joints make of them.
func (it *Item) containingBounds(box *mat.Box, ranges map[*mat.DMat4]*matrixRange) {
	p := it.Primitive
	local := p.localBounds()
	for k := range p.Targets {
		if k >= len(it.MorphWeights) || it.MorphWeights[k] == 0 || p.Targets[k].Positions == nil {
			continue
		}
		t := p.targetBounds(k)
		w := float64(it.MorphWeights[k])
		for c := range 3 {
			a, b := float64(t.Min[c]*w), float64(t.Max[c]*w)
			local.Min[c] += min(a, b, 0)
			local.Max[c] += max(a, b, 0)
		}
	}
	if p.skinned(it) {
		key := &it.JointMatrices[0]
		if ranges[key] == nil {
			ranges[key] = rangeOf(it.JointMatrices)
		}
		box.Union(ranges[key].carry(local).Moved(it.World.Translation()))
		return
	}
	for _, corner := range local.Corners() {
		box.Extend(it.World.Point(corner))
	}
}

// matrixRange holds the least and the largest value of each element of several
// matrices: one interval matrix for a skin, however many items it has.
type matrixRange struct{ min, max mat.DMat4 }

func rangeOf(ms []mat.DMat4) *matrixRange {
	r := &matrixRange{ms[0], ms[0]}
	for i := range ms {
		for e, v := range ms[i] {
			r.min[e], r.max[e] = min(r.min[e], v), max(r.max[e], v)
		}
	}
	return r
}

// carry returns a box around what the matrices make of a box, by interval
// arithmetic.
func (r *matrixRange) carry(b mat.Box) mat.Box {
	if b.Empty() {
		return b
	}
	var out mat.Box
	for row := range 3 {
		lo, hi := r.min[12+row], r.max[12+row]
		for c := range 3 {
			m0, m1 := r.min[4*c+row], r.max[4*c+row]
			x0, x1 := b.Min[c], b.Max[c]
			p, q, s, t := float64(m0*x0), float64(m0*x1), float64(m1*x0), float64(m1*x1)
			lo += min(p, q, s, t)
			hi += max(p, q, s, t)
		}
		out.Min[row], out.Max[row] = lo, hi
	}
	return out
}

// Origin returns a point that the primitive's positions are near, where they lie far from the
// origin of their own space, as those that an exporter has placed in the world already: along
// each axis the middle of their box where that is at least three of its halves away, which makes
// the difference of a position and it exact in binary32; else 0.
func (p *Primitive) Origin() (origin mat.Vec3) {
	box := p.localBounds()
	half := box.Half()
	for i, c := range box.Center() {
		if math.Abs(c) >= float64(3*half[i]) {
			origin[i] = float32(c)
		}
	}
	return origin
}

// Origin returns the point of the space that World leads from which the item's vertices are
// near: the primitive's, or 0 of those that a skin moves, which are near 0 already.
func (it *Item) Origin() mat.Vec3 {
	if it.Primitive.skinned(it) {
		return mat.Vec3{}
	}
	return it.Primitive.Origin()
}

// Reach returns the middle of the item's vertices at rest, in world space relative to the pose's
// Origin, and a distance from it that they stay within; both are rough, and take no look at
// vertices.
func (it *Item) Reach() (center mat.DVec3, radius float64) {
	to := it.World
	if it.Primitive.skinned(it) {
		to = to.Mul(it.JointMatrices[0])
	}
	box := it.Primitive.localBounds()
	for i, h := range box.Half() {
		var axis mat.DVec3
		axis[i] = h
		radius += to.Direction(axis).Length()
	}
	return to.Point(box.Center()), radius
}

// localBounds returns the box of the base positions, computed once.
func (p *Primitive) localBounds() mat.Box {
	return p.boxes.get(-1, p.Positions)
}

func (p *Primitive) targetBounds(k int) mat.Box {
	return p.boxes.get(k, p.Targets[k].Positions)
}
