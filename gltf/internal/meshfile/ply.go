package meshfile

import (
	"fmt"
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// plyReader makes a model of a file's tables.
type plyReader struct {
	*Reader
	h *plyHeader
	s plyNumbers
	b builder

	positions, normals list[[3]float32]
	texcoords          list[[2]float32]
	colors             list[[4]float32]
	vertices           bool
	hasNormals, hasUVs bool
	hasColors          bool
	hidden             int // splats that are left out

	faces, points, edges list[face]
	corners              list[corner]
	wedges               list[[2]float32] // texture coordinates of corners
	paint                list[[4]float32] // of faces; empty: none
	texture              list[int32]      // of faces; empty: all 0
	cut                  string           // where the file is truncated
}

// ReadPLY reads a PLY file, as text or binary of either byte order: vertices, faces, strips of triangles and edges. Vertices without any of
// these are points; those of Gaussian splats, too.
func ReadPLY(r *Reader, data []byte) (*Model, error) {
	h, err := readPLYHeader(r, data)
	if err != nil {
		return nil, err
	}
	p := &plyReader{Reader: r, h: h, s: plyNumbers{r: r, h: h, body: h.body}}
	p.s.words = stlWords{r: r, data: h.body, line: h.lines + 1}
	for i := range h.elements {
		if err := p.element(&h.elements[i]); err != nil {
			return nil, err
		}
		if p.cut != "" {
			break
		}
	}
	if !p.vertices {
		return nil, failf("header", "there is no element vertex with x, y and z")
	}
	m, err := p.model()
	r.tell()
	return m, err
}

// element reads one table.
func (p *plyReader) element(e *plyElement) error {
	if e.count == 0 {
		return nil
	}
	if !p.h.text && len(e.properties) > 0 && e.name == "vertex" && e.count > int64(len(p.s.body))/e.least() {
		return failf("header", "the file is truncated: %d vertices cannot be in the %d bytes that follow", e.count, len(p.s.body))
	}
	var err error
	switch e.name {
	case "vertex":
		err = p.vertexTable(e)
	case "face", "tristrips", "edge":
		if len(e.properties) > 0 {
			err = p.faceTable(e)
		}
	default:
		if e.name == "chunk" && e.find("min_x") != None {
			return failf("header", "splats that are packed by PlayCanvas are not supported; splat-transform turns them into plain ones: splat-transform in.compressed.ply out.ply")
		}
		p.note(false, "element "+e.name[:min(len(e.name), 80)], "header", "", "the element %s is unknown and was passed over", quoted(e.name))
		if err = p.s.skip(e); err == errPLYEnd && p.vertices {
			p.cut, err = e.name, nil
			p.note(true, "truncated", "", "", "the file is truncated in the element %s", quoted(e.name))
		}
	}
	return err
}

// shC0 is the constant spherical harmonic, by which splats' colours are weighted.
const shC0 = 0.28209479177387814

// vertexTable reads the vertices.
func (p *plyReader) vertexTable(e *plyElement) error {
	at := func(names ...string) int { return e.find(names...) }
	place := [3]int{at("x", "px", "posx"), at("y", "py", "posy"), at("z", "pz", "posz")}
	if slices.Contains(place[:], None) || p.vertices {
		return p.s.skip(e)
	}
	p.vertices = true
	normal := [3]int{at("nx", "normal_x", "normalx"), at("ny", "normal_y", "normaly"), at("nz", "normal_z", "normalz")}
	uv := [2]int{at("s", "u", "texture_u", "tx"), at("t", "v", "texture_v", "ty")}
	color := [4]int{at("red", "diffuse_red", "r"), at("green", "diffuse_green", "g"), at("blue", "diffuse_blue", "b"), at("alpha", "diffuse_alpha", "a")}
	splat := [3]int{at("f_dc_0"), at("f_dc_1"), at("f_dc_2")}
	opacity := at("opacity")
	isSplat := !slices.Contains(splat[:], None)
	p.hasNormals = !slices.Contains(normal[:], None) && !isSplat
	p.hasUVs = !slices.Contains(uv[:], None)
	p.hasColors = !slices.Contains(color[:3], None) || isSplat
	if isSplat {
		p.note(true, "splat", "header", "", "Gaussian splats are drawn as points, without those that are less than half opaque")
	}
	row := make([]float64, len(e.properties))
	for i := range e.count {
		for k, q := range e.properties {
			n := 1
			var err error
			if q.list {
				if n, err = p.s.length(q); err != nil {
					return p.vertexError(e, i, err)
				}
			}
			for range n {
				if row[k], err = p.s.next(q.typ); err != nil {
					return p.vertexError(e, i, err)
				}
			}
		}
		get := func(k int) float32 { return float32(row[k]) }
		v := p.near(vec{row[place[0]], row[place[1]], row[place[2]]})
		if isSplat && opacity != None && !(row[opacity] >= 0) {
			v[0] = number(nil) // left out
			p.hidden++
		}
		if err := p.positions.add(p.Reader, v); err != nil {
			return err
		}
		if p.hasNormals {
			unit, ok := direction(wide([3]float32{get(normal[0]), get(normal[1]), get(normal[2])}))
			if !ok {
				unit[0] = number(nil)
			}
			if err := p.normals.add(p.Reader, unit); err != nil {
				return err
			}
		}
		if p.hasUVs {
			if err := p.texcoords.add(p.Reader, finiteUV(get(uv[0]), get(uv[1]))); err != nil {
				return err
			}
		}
		if p.hasColors {
			c := [4]float32{3: 1}
			for k := range 3 {
				if isSplat {
					c[k] = linear(float32(0.5 + float64(shC0*row[splat[k]])))
				} else {
					c[k] = colorOf(row[color[k]], e.properties[color[k]].typ)
				}
			}
			if color[3] != None && !isSplat {
				c[3] = unit(float32(row[color[3]] / e.properties[color[3]].typ.scale()))
			}
			if err := p.colors.add(p.Reader, c); err != nil {
				return err
			}
		}
	}
	return nil
}

func finiteUV(u, v float32) [2]float32 {
	if u-u != 0 || v-v != 0 {
		return [2]float32{}
	}
	return [2]float32{u, v}
}

// colorOf is the linear value of a colour's number.
func colorOf(v float64, t plyType) float32 {
	if t == plyUint8 && v >= 0 && v <= 255 {
		return fp.SrgbToLinear(uint8(v))
	}
	return linear(float32(v / t.scale()))
}

// vertexError says which vertex is missing: without all of them faces mean others.
func (p *plyReader) vertexError(e *plyElement, i int64, err error) error {
	if err == errPLYEnd {
		return failf("", "the file is truncated: %d vertices of %d are there", i, e.count)
	}
	return placed(e.place(i), err)
}

// placed adds a place to an error without one.
func placed(place string, err error) error {
	if e, ok := err.(*Error); ok && e.Place == "" && e.Err == nil {
		return &Error{Place: place, Message: e.Message}
	}
	return err
}

// faceTable reads faces, strips of triangles or edges. What is there of a truncated table is used.
func (p *plyReader) faceTable(e *plyElement) error {
	indices := slices.IndexFunc(e.properties, func(q plyProperty) bool {
		return q.list && (q.name == "vertex_indices" || q.name == "vertex_index")
	})
	edge := [2]int{e.find("vertex1"), e.find("vertex2")}
	if e.name == "edge" && slices.Contains(edge[:], None) || e.name != "edge" && indices < 0 {
		p.note(true, "no indices "+e.name, "header", "", "the element %s has no indices of vertices and was passed over", e.name)
		return p.s.skip(e)
	}
	wedge := slices.IndexFunc(e.properties, func(q plyProperty) bool { return q.list && q.name == "texcoord" })
	number := e.find("texnumber")
	color := [4]int{e.find("red", "diffuse_red"), e.find("green", "diffuse_green"), e.find("blue", "diffuse_blue"), e.find("alpha", "diffuse_alpha")}
	painted := e.name == "face" && !slices.Contains(color[:3], None)
	row := make([]float64, len(e.properties))
	var uvs []float64
	for i := range e.count {
		first := len(p.corners.v)
		uvs = uvs[:0]
		for k, q := range e.properties {
			n := 1
			var err error
			if q.list {
				n, err = p.s.length(q)
			}
			for j := 0; j < n && err == nil; j++ {
				if row[k], err = p.s.next(q.typ); err != nil {
					break
				}
				switch k {
				case indices:
					err = p.corners.add(p.Reader, p.index(row[k]))
				case wedge:
					if len(uvs) < 2*maxCorners {
						uvs = append(uvs, row[k])
					}
				}
			}
			if err == errPLYEnd {
				p.corners.v = p.corners.v[:first]
				p.cut = e.place(i)
				p.note(true, "truncated", "", "", "the file is truncated: %d of %d elements %s are there", i, e.count, e.name)
				return nil
			}
			if err != nil {
				return placed(e.place(i), err)
			}
		}
		var err error
		switch e.name {
		case "edge":
			f := face{first: int32(first), count: 2}
			for _, k := range edge {
				if err = p.corners.add(p.Reader, p.index(row[k])); err != nil {
					return err
				}
			}
			err = p.edges.add(p.Reader, f)
		case "tristrips":
			err = p.strip(first)
		default:
			f := face{first: int32(first), count: int32(len(p.corners.v) - first), smooth: 1}
			err = p.face(f, uvs, number, row, painted, color, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxCorners bounds what is kept of one face's texture coordinates; longer polygons have none.
const maxCorners = 1 << 16

// index is a corner of a vertex's number; one that cannot be is told when faces are used.
func (p *plyReader) index(v float64) corner {
	if !(v >= 0 && v < math.MaxInt32) || v != math.Trunc(v) {
		return corner{math.MaxInt32, None, None}
	}
	return corner{int32(v), None, None}
}

// face keeps a face, and what it has of its own.
func (p *plyReader) face(f face, uvs []float64, number int, row []float64, painted bool, color [4]int, e *plyElement) error {
	if f.count < 3 {
		p.note(true, "few", e.place(int64(len(p.faces.v))), "faces", "has %d corners and is left out", f.count)
		p.corners.v = p.corners.v[:f.first]
		return nil
	}
	if len(uvs) == 2*int(f.count) {
		for i := range int(f.count) {
			p.corners.v[int(f.first)+i].t = int32(len(p.wedges.v))
			if err := p.wedges.add(p.Reader, finiteUV(float32(uvs[2*i]), float32(uvs[2*i+1]))); err != nil {
				return err
			}
		}
	}
	if painted {
		c := [4]float32{3: 1}
		for k := range 3 {
			c[k] = colorOf(row[color[k]], e.properties[color[k]].typ)
		}
		if color[3] != None {
			c[3] = unit(float32(row[color[3]] / e.properties[color[3]].typ.scale()))
		}
		for len(p.paint.v) < len(p.faces.v) { // of strips
			if err := p.paint.add(p.Reader, white); err != nil {
				return err
			}
		}
		if err := p.paint.add(p.Reader, c); err != nil {
			return err
		}
	}
	if number != None {
		n := int32(0)
		if v := row[number]; v >= 0 && v < float64(len(p.h.textures)) {
			n = int32(v)
		}
		for len(p.texture.v) < len(p.faces.v) {
			if err := p.texture.add(p.Reader, 0); err != nil {
				return err
			}
		}
		if err := p.texture.add(p.Reader, n); err != nil {
			return err
		}
	}
	f.line = int32(len(p.faces.v))
	return p.faces.add(p.Reader, f)
}

// strip makes faces of a list of strips of triangles, which -1 ends, of the corners from first on.
func (p *plyReader) strip(first int) error {
	strip := slices.Clone(p.corners.v[first:])
	if err := p.take(int64(len(strip)), 12, "strips"); err != nil {
		return err
	}
	defer p.Drop(12 * int64(len(strip)))
	p.corners.v = p.corners.v[:first]
	begin := 0
	for i := range strip {
		if strip[i].v == math.MaxInt32 { // -1
			begin = i + 1
			continue
		}
		if i-begin < 2 {
			continue
		}
		a, b, c := strip[i-2], strip[i-1], strip[i]
		if (i-begin)%2 == 1 {
			a, b = b, a
		}
		if a.v == b.v || b.v == c.v || a.v == c.v {
			continue // joins strips
		}
		f := face{first: int32(len(p.corners.v)), count: 3, smooth: 1, line: int32(len(p.faces.v))}
		for _, c := range [3]corner{a, b, c} {
			if err := p.corners.add(p.Reader, c); err != nil {
				return err
			}
		}
		if err := p.faces.add(p.Reader, f); err != nil {
			return err
		}
	}
	return nil
}

// usable leaves out faces of vertices that are not there.
func (p *plyReader) usable(faces []face, what string) []face {
	kept := faces[:0]
	for _, f := range faces {
		ok := true
		for i := f.first; i < f.first+f.count && ok; i++ {
			switch c := p.corners.v[i]; {
			case int(c.v) >= len(p.positions.v):
				p.note(true, "index "+what, fmt.Sprintf("%s %d", what, f.line), what+"s", "a corner is no vertex of the %d: it is left out", len(p.positions.v))
				ok = false
			case !finite(p.positions.v[c.v]):
				p.note(true, "infinite "+what, fmt.Sprintf("%s %d", what, f.line), what+"s", "vertex %d has a coordinate that is no finite number: it is left out", c.v)
				ok = false
			}
		}
		if ok {
			kept = append(kept, f)
		}
	}
	return kept
}

// model makes vertices and triangles.
func (p *plyReader) model() (*Model, error) {
	m := &Model{Form: "text", Generator: p.h.maker}
	if !p.h.text {
		m.Form = "binary, little-endian"
		if p.h.order.String() == "BigEndian" {
			m.Form = "binary, big-endian"
		}
	}
	part := Part{}
	p.faces.v = p.usable(p.faces.v, "face")
	p.edges.v = p.usable(p.edges.v, "edge")
	if len(p.faces.v) == 0 && len(p.edges.v) == 0 {
		if err := p.cloud(); err != nil {
			return nil, err
		}
	}
	p.b = builder{Reader: p.Reader, positions: p.positions.v, normals: p.normals.v, texcoords: p.texcoords.v, corners: p.corners.v, cut: cutter{r: p.Reader, steps: earSteps}}
	if len(p.wedges.v) > 0 {
		p.b.texcoords = p.wedges.v
	}
	p.b.colors, p.b.painted = p.colors.v, p.paint.v
	for i := range p.corners.v {
		c := &p.corners.v[i]
		if p.hasNormals {
			c.n = c.v
		}
		if p.hasUVs && len(p.wedges.v) == 0 {
			c.t = c.v
		}
	}
	if err := p.b.smoothing(p.faces.v); err != nil {
		return nil, err
	}
	for i, file := range p.h.textures {
		m.Materials = append(m.Materials, Material{
			Name: file, Color: [3]float32{1, 1, 1}, Alpha: 1, Roughness: 1, EmissiveStrength: 1,
			Maps: [MapUses]*Map{MapColor: {Place: "header", File: file, Scale: [2]float32{1, 1}, Bump: 1}},
		})
		if len(p.texture.v) == 0 && i == 0 {
			break
		}
	}
	for _, set := range p.sets() {
		if len(set.faces) == 0 {
			continue
		}
		piece := Piece{Mode: set.mode, Material: set.material}
		if err := p.b.build(&piece, set.faces); err != nil {
			return nil, err
		}
		part.Pieces = append(part.Pieces, piece)
	}
	if len(part.Pieces) == 0 {
		return nil, failf("", "holds nothing that can be drawn (%d vertices)", len(p.positions.v))
	}
	p.free()
	m.Parts = []Part{part}
	return m, nil
}

// plySet is faces of one material.
type plySet struct {
	mode     Mode
	material int
	faces    []face
}

// sets sorts the faces by their texture.
func (p *plyReader) sets() []plySet {
	material := None
	if len(p.h.textures) > 0 {
		material = 0
	}
	list := []plySet{{Points, None, p.points.v}, {Lines, None, p.edges.v}}
	if len(p.texture.v) == 0 || len(p.h.textures) < 2 {
		return append(list, plySet{Triangles, material, p.faces.v})
	}
	// In place, as their order counts within a texture only.
	of := func(f face) int32 {
		if int(f.line) < len(p.texture.v) {
			return p.texture.v[f.line]
		}
		return 0 // of a strip
	}
	slices.SortStableFunc(p.faces.v, func(a, b face) int { return int(of(a)) - int(of(b)) })
	for begin := 0; begin < len(p.faces.v); {
		n := of(p.faces.v[begin])
		end := begin
		for end < len(p.faces.v) && of(p.faces.v[end]) == n {
			end++
		}
		list = append(list, plySet{Triangles, int(n), p.faces.v[begin:end]})
		begin = end
	}
	return list
}

// cloud makes points of vertices without faces.
func (p *plyReader) cloud() error {
	for i, v := range p.positions.v {
		if !finite(v) {
			if p.hidden == 0 {
				p.note(true, "infinite point", fmt.Sprintf("vertex %d", i), "points", "has a coordinate that is no finite number: it is left out")
			}
			continue
		}
		f := face{first: int32(len(p.corners.v)), count: 1}
		if err := p.corners.add(p.Reader, corner{int32(i), None, None}); err != nil {
			return err
		}
		if err := p.points.add(p.Reader, f); err != nil {
			return err
		}
	}
	return nil
}

// free gives up what the pieces were made of.
func (p *plyReader) free() {
	p.normals.free(p.Reader)
	p.texcoords.free(p.Reader)
	p.colors.free(p.Reader)
	p.faces.free(p.Reader)
	p.points.free(p.Reader)
	p.edges.free(p.Reader)
	p.corners.free(p.Reader)
	p.wedges.free(p.Reader)
	p.paint.free(p.Reader)
	p.texture.free(p.Reader)
	p.positions.free(p.Reader)
	p.b.free()
}
