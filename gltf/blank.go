package gltf

// An accessor may have no data; all its elements are zero then, however many there
// are, in a file of a few hundred bytes. What is made of such accessors alone is the
// same vertex over and over, of which a few are enough.

// blank reports whether all elements are zero because there is no data.
func (a *accessor) blank() bool { return a.data == nil && a.sparse == nil && a.err == nil }

// cutKey names the first n elements of an accessor.
type cutKey struct{ accessor, n int }

// cut returns the number of an accessor that is the first n elements of another.
func (l *loader) cut(index, n int) int {
	if l.accessors[index].count <= n {
		return index
	}
	key := cutKey{index, n}
	if have, ok := l.cuts[key]; ok {
		return have
	}
	a := l.accessors[index]
	a.count = n
	l.accessors = append(l.accessors, a)
	l.cuts[key] = len(l.accessors) - 1
	return l.cuts[key]
}

// enough returns how many of n equal vertices draw what all of them do.
func (m Mode) enough(n int) int {
	most := 3
	switch m {
	case Points:
		most = 1
	case Lines, LineLoop, LineStrip:
		most = 2
	case Triangles, TriangleStrip, TriangleFan:
	}
	return min(n, most)
}

// fold cuts the vertices, or the indices, of a primitive short where all of them are
// one and the same: it fills l.folded. Triangles and lines between them have no
// extent, and a point stays as it is when it is drawn again, unless it is blended.
func (l *loader) fold(raw *rawPrimitive, p *Primitive, place string) {
	l.folded = nil
	if !p.IsTriangles() && p.Material.AlphaMode == AlphaBlend {
		return
	}
	whole := func(i integer) *accessor { // nil: not blank
		if i < 0 || i >= integer(l.files) || !l.accessors[i].blank() {
			return nil
		}
		return &l.accessors[i]
	}
	folded := map[int]int{}
	if raw.Indices != nil {
		a := whole(*raw.Indices)
		if a == nil {
			return
		}
		if n := p.Mode.enough(a.count); n < a.count {
			l.warn(place+".indices", "accessors[%d] has no data: of %d equal indices %d are kept", a.index, a.count, n)
			folded[a.index] = l.cut(a.index, n)
		}
	}
	l.folded = folded
	position := whole(raw.Attributes["POSITION"])
	if position == nil {
		return
	}
	all, n := position.count, p.Mode.enough(position.count)
	if n == all {
		return
	}
	var vertices []int
	for _, list := range append([]map[string]integer{raw.Attributes}, raw.Targets...) {
		for _, i := range list {
			a := whole(i)
			if a == nil || a.count != all {
				return
			}
			vertices = append(vertices, a.index)
		}
	}
	for _, i := range vertices {
		folded[i] = l.cut(i, n)
	}
	l.warn(place+".attributes", "the accessors have no data: of %d equal vertices %d are kept", all, n)
}

// standIn returns the accessor to read for one that a primitive names.
func (l *loader) standIn(index int) int {
	if part, ok := l.folded[index]; ok {
		return part
	}
	return index
}
