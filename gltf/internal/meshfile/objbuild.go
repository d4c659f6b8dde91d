package meshfile

// A corner of a face, line or point: numbers of position, texture coordinate and normal, from 0, or None. Normals that are
// computed count down from computed.
type corner struct{ v, t, n int32 }

// computed is the first of the numbers of computed normals.
const computed = -2

// face is a run of corners.
type face struct {
	first, count int32
	smooth       uint32 // smoothing group, 0: none
	line         int32
}

// builder makes vertices of faces.
type builder struct {
	*Reader
	positions [][3]float32
	colors    [][4]float32 // of positions, or nil
	painted   [][4]float32 // of faces, by their line; or nil
	texcoords [][2]float32
	normals   [][3]float32 // unit; NaN where the file's is none
	corners   []corner

	flatNormals list[[3]float32] // of faces and of smoothing groups
	groups      map[spot]int32   // by position and group: in sums
	sums        list[vec]        // of normals
	head        []int32          // by position: the first vertex of the piece that lies there, or -1
	cut         cutter
	polygon     []vec
}

// free gives up what belongs to the builder alone.
func (b *builder) free() {
	b.flatNormals.free(b.Reader)
	b.sums.free(b.Reader)
	b.Drop(4*int64(len(b.head)) + 24*int64(cap(b.polygon)) + groupBytes*int64(len(b.groups)))
	b.cut.free()
	*b = builder{}
}

// groupBytes is what an entry of groups takes as the map grows.
const groupBytes = 40

// spot is a position in a smoothing group.
type spot struct {
	v     int32
	group uint32
}

// vertex is one that a piece has already.
type vertex struct {
	corner
	paint int32 // face whose colour it has, or None
	next  int32
}

// useNormals brings the file's normals to length 1.
func (b *builder) useNormals() {
	for i, n := range b.normals {
		if unit, ok := direction(wide(n)); ok {
			b.normals[i] = unit
		} else {
			b.normals[i][0] = number(nil) // NaN
		}
	}
}

// given says whether a corner has a normal of the file.
func (b *builder) given(c corner) bool { return c.n >= 0 && b.normals[c.n][0] == b.normals[c.n][0] }

// outline returns a face's positions, in a slice that the next call overwrites.
func (b *builder) outline(f face) ([]vec, error) {
	if int(f.count) > cap(b.polygon) {
		n := 2 * int64(f.count)
		if err := b.take(n, 24, "a polygon"); err != nil {
			return nil, err
		}
		b.Drop(24 * int64(cap(b.polygon)))
		b.polygon = make([]vec, 0, n)
	}
	b.polygon = b.polygon[:0]
	for _, c := range b.corners[f.first:][:f.count] {
		b.polygon = append(b.polygon, wide(b.positions[c.v]))
	}
	return b.polygon, nil
}

// smoothing sums the normals of faces around each position of a smoothing group, each by its area.
func (b *builder) smoothing(faces []face) error {
	for i, f := range faces {
		if i&0xfff == 0 {
			if err := b.stopped(); err != nil {
				return err
			}
		}
		if f.smooth == 0 {
			continue
		}
		var n vec
		known := false
		for _, c := range b.corners[f.first:][:f.count] {
			if b.given(c) {
				continue
			}
			if !known {
				p, err := b.outline(f)
				if err != nil {
					return err
				}
				n, known = newell(p), true
			}
			key := spot{c.v, f.smooth}
			k, ok := b.groups[key]
			if !ok {
				if b.groups == nil {
					b.groups = map[spot]int32{}
				}
				if err := b.take(1, groupBytes, "smoothing groups"); err != nil {
					return err
				}
				k = int32(len(b.sums.v))
				b.groups[key] = k
				if err := b.sums.add(b.Reader, vec{}); err != nil {
					return err
				}
			}
			b.sums.v[k] = b.sums.v[k].Add(n)
		}
	}
	return nil
}

// build makes a piece of faces, all of one mode.
func (b *builder) build(p *Piece, faces []face) error {
	if b.head == nil {
		if err := b.take(int64(len(b.positions)), 4, "positions"); err != nil {
			return err
		}
		b.head = make([]int32, len(b.positions))
		for i := range b.head {
			b.head[i] = None
		}
	}
	var vertices list[vertex]
	var indices list[uint32]
	paint := int32(None)
	add := func(c corner) error {
		// Where very many lie at one position, some are made twice: looking through all would take for ever.
		for i, tries := b.head[c.v], 64; i >= 0 && tries > 0; i, tries = vertices.v[i].next, tries-1 {
			if have := vertices.v[i]; have.corner == c && have.paint == paint {
				return indices.add(b.Reader, uint32(i))
			}
		}
		i := int32(len(vertices.v))
		if err := vertices.add(b.Reader, vertex{c, paint, b.head[c.v]}); err != nil {
			return err
		}
		b.head[c.v] = i
		return indices.add(b.Reader, uint32(i))
	}
	for i, f := range faces {
		if i&0xfff == 0 {
			if err := b.stopped(); err != nil {
				return err
			}
		}
		if b.painted != nil && p.Mode == Triangles {
			paint = f.line
		}
		if err := b.face(p.Mode, f, add); err != nil {
			return err
		}
	}
	if err := b.fill(p, vertices.v); err != nil {
		return err
	}
	for _, v := range vertices.v {
		b.head[v.v] = None
	}
	vertices.free(b.Reader)
	p.Indices = indices.done(b.Reader)
	return nil
}

// face hands the corners of a face's triangles, of a line's pieces or of points to add.
func (b *builder) face(mode Mode, f face, add func(corner) error) error {
	corners := b.corners[f.first:][:f.count]
	switch mode {
	case Points:
		for _, c := range corners {
			if err := add(c); err != nil {
				return err
			}
		}
		return nil
	case Lines:
		for i := 1; i < len(corners); i++ {
			if err := add(corners[i-1]); err != nil {
				return err
			}
			if err := add(corners[i]); err != nil {
				return err
			}
		}
		return nil
	case Triangles:
	}
	outline, err := b.outline(f)
	if err != nil {
		return err
	}
	normal := newell(outline)
	flat := int32(None)
	whole := corner{}
	of := func(i int) (corner, error) {
		whole = corners[i]
		if b.given(whole) {
			return whole, nil
		}
		if f.smooth != 0 {
			whole.n = computed - b.groups[spot{whole.v, f.smooth}]
			return whole, nil
		}
		if flat == None {
			n, _ := direction(normal)
			flat = int32(len(b.flatNormals.v))
			if err := b.flatNormals.add(b.Reader, n); err != nil {
				return whole, err
			}
		}
		whole.n = computed - int32(len(b.sums.v)) - flat
		return whole, nil
	}
	simple, err := b.cut.triangles(outline, normal, func(i, j, k int) error {
		for _, n := range [3]int{i, j, k} {
			c, err := of(n)
			if err != nil {
				return err
			}
			if err := add(c); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && !simple {
		b.note(false, "crossing", linePlace(f.line), "polygons", "the outline crosses itself: it is filled as a fan")
	}
	return err
}

// normal returns the normal of a number that face gave.
func (b *builder) normal(n int32) [3]float32 {
	if n >= 0 {
		return b.normals[n]
	}
	if n = computed - n; int(n) < len(b.sums.v) {
		unit, _ := direction(b.sums.v[n])
		return unit
	}
	return b.flatNormals.v[int(n)-len(b.sums.v)]
}

// white is the colour of what has none beside others that have.
var white = [4]float32{1, 1, 1, 1}

// fill makes a piece's vertices.
func (b *builder) fill(p *Piece, vertices []vertex) error {
	textured := false
	normals := p.Mode == Triangles
	for _, v := range vertices {
		textured = textured || v.t >= 0
	}
	size := int64(12)
	if normals {
		size += 12
	}
	if textured {
		size += 8
	}
	colored := b.colors != nil || b.painted != nil
	if colored {
		size += 16
	}
	if err := b.take(int64(len(vertices)), size, "vertices"); err != nil {
		return err
	}
	p.Positions = make([][3]float32, len(vertices))
	if normals {
		p.Normals = make([][3]float32, len(vertices))
	}
	if textured {
		p.TexCoords = make([][2]float32, len(vertices))
	}
	if colored {
		p.Colors = make([][4]float32, len(vertices))
	}
	for i, v := range vertices {
		p.Positions[i] = b.positions[v.v]
		if normals {
			p.Normals[i] = b.normal(v.n)
		}
		if v.t >= 0 {
			p.TexCoords[i] = [2]float32{b.texcoords[v.t][0], 1 - b.texcoords[v.t][1]}
		}
		switch {
		case v.paint >= 0 && int(v.paint) < len(b.painted):
			p.Colors[i] = b.painted[v.paint]
		case b.colors != nil:
			p.Colors[i] = b.colors[v.v]
		case colored:
			p.Colors[i] = white
		}
	}
	return nil
}
