package gltf

import (
	"math"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

// bare returns a primitive without vertices that stands for one.
func (l *loader) bare(p *Primitive) *Primitive {
	return &Primitive{Mode: p.Mode, Material: p.Material, Mappings: p.Mappings, maxJoint: None, budget: p.budget, place: p.place, file: p.file}
}

// finite takes care of NaN and infinities in the vertices, where there are some. What has a vertex
// that is nowhere is not drawn, as on a GPU; for other numbers 0 stands. Positions is nil afterwards
// where nothing is left.
func (l *loader) finite(_ *rawPrimitive, p *Primitive, place string) error {
	if !l.nonfinite {
		return nil
	}
	l.lose(place, "numbers of vertices are not finite: what has such a position is not drawn, for others 0 stands")
	// New slices of everything, and indices of what is left: at most two for an element, or three.
	if err := l.take(int64(p.Vertices()), p.vertexBytes()); err != nil {
		return l.fail(place, err, "replacing numbers that are not finite")
	}
	if err := l.take(3*int64(p.elements()), 4); err != nil {
		return l.fail(place, err, "replacing numbers that are not finite")
	}
	p.Normals, p.Tangents, p.Colors = finite(p.Normals), finite(p.Tangents), finite(p.Colors)
	p.TexCoords = finiteSets(p.TexCoords)
	targets := make([]MorphTarget, len(p.Targets))
	for i, t := range p.Targets {
		targets[i] = MorphTarget{
			Positions: finite(t.Positions), Normals: finite(t.Normals), Tangents: finite(t.Tangents),
			TexCoords: finiteSets(t.TexCoords), Colors: finite(t.Colors),
		}
	}
	p.Targets = targets
	nowhere := func(v uint32) bool { return !mat.Vec3(p.Positions[v]).Finite() }
	anywhere := None
	for v := range p.Positions {
		if !nowhere(uint32(v)) {
			anywhere = v
			break
		}
	}
	most := 3 * p.Triangles()
	if !p.IsTriangles() {
		most = 2 * p.elements()
	}
	left := make([]uint32, 0, most)
	p.Each(func(v []uint32) bool {
		for _, at := range v {
			if nowhere(at) {
				return true
			}
		}
		left = append(left, v...)
		return true
	})
	if len(left) == 0 {
		p.Positions = nil
		return nil
	}
	switch p.Mode {
	case Points:
	case Lines, LineLoop, LineStrip:
		p.Mode = Lines
	case Triangles, TriangleStrip, TriangleFan:
		p.Mode = Triangles
	}
	p.Indices = left
	// No index leads to these any more; cameras look at all vertices.
	positions := make([][3]float32, len(p.Positions))
	for v := range positions {
		if positions[v] = p.Positions[v]; nowhere(uint32(v)) {
			positions[v] = p.Positions[anywhere]
		}
	}
	p.Positions = positions
	return nil
}

// finite returns the vectors with 0 in the place of what is not finite: a new slice, or nil.
func finite[T [2]float32 | [3]float32 | [4]float32](list []T) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(list))
	for i, v := range list {
		for c := range len(v) {
			if v[c]-v[c] != 0 {
				v[c] = 0
			}
		}
		out[i] = v
	}
	return out
}

func finiteSets[T [2]float32 | [3]float32 | [4]float32](sets [][]T) [][]T {
	var out [][]T
	for _, s := range sets {
		out = append(out, finite(s))
	}
	return out
}

// measure compares positions with what their accessor says of them, which nothing here relies on.
func (l *loader) measure(index int, place string, positions [][3]float32) {
	a := &l.accessors[index]
	if l.measured[a.index] || a.blank() { // an extension may have its data
		return
	}
	l.measured[a.index] = true
	if a.declared == nil {
		l.lose(place, "accessors[%d] has no min and max", a.index)
		return
	}
	if a.normalized { // min and max are of the integers
		return
	}
	box := mat.EmptyBox()
	for _, p := range positions {
		box.Extend(mat.Vec3(p).Double())
	}
	for c := range 3 {
		low, high := float64(float32(a.declared.min[c])), float64(float32(a.declared.max[c]))
		if !box.Empty() && (low != box.Min[c] || high != box.Max[c]) {
			l.lose(place, "accessors[%d] says %v to %v of component %d, and has %v to %v", a.index, low, high, c, box.Min[c], box.Max[c])
			return
		}
	}
}

// nearVector copies a list of numbers to out as far as both go.
func (l *loader) nearVector(place string, v []float32, out []float32) {
	if v != nil && len(v) != len(out) {
		l.lose(place, "has %d numbers, must have %d", len(v), len(out))
	}
	copy(out, v)
}

// lostIndex resolves an optional reference that is not needed: None where it leads nowhere.
func (l *loader) lostIndex(place string, p *integer, n int, what string) int {
	i, err := l.index(place, p, n, what)
	if err != nil {
		l.lose(place, "index %d out of range (%d %s), and was ignored", *p, n, what)
	}
	return i
}

// within returns a number brought into a range; NaN is none that JSON has.
func within(v, least, most float32) float32 { return min(max(v, least), most) }

var unbounded = float32(math.Inf(1))
