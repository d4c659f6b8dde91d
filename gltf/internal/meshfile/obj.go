package meshfile

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/pumice-gpu/pumice/budget"
)

// objReader reads the statements of an OBJ file, as Wavefront's "Object Files" describes them.
type objReader struct {
	*lines
	b         builder
	positions list[[3]float32]
	colors    list[[4]float32] // as written; empty until a vertex has one
	texcoords list[[2]float32]
	normals   list[[3]float32]
	corners   list[corner]
	brightest float32 // the largest number in colors

	object, group string
	material      string
	named         bool // a material is set
	smooth        uint32
	part          int // of the names above, or None until it is known
	piece         [3]int
	parts         []objPart
	byName        map[string]int
	pieces        map[pieceKey]int
	all           []objPiece
	libraries     []library
}

type objPart struct {
	name   string
	pieces []int
}

type pieceKey struct {
	part     int
	material string
	named    bool
	mode     Mode
}

// objPiece is the faces of one part and material.
type objPiece struct {
	pieceKey
	line  int // where the material was chosen, or first used
	faces list[face]
}

// library is a mtllib statement.
type library struct {
	names string
	line  int
}

func linePlace(n int32) string { return "line " + strconv.Itoa(int(n)) }

// ReadOBJ reads a Wavefront OBJ file: vertices with colours, polygons of any form, lines, points, objects and groups, smoothing
// groups, and the materials of its libraries. Free-form curves and surfaces are told as lost.
func ReadOBJ(r *Reader, data []byte) (*Model, error) {
	if form := otherEncoding(data); form != "" {
		return nil, failf("", "the text is %s; save it as UTF-8", form)
	}
	o := &objReader{lines: newLines(r, data), byName: map[string]int{}, pieces: map[pieceKey]int{}}
	o.forget()
	for {
		line, ok, err := o.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if err := o.statement(line); err != nil {
			return nil, err
		}
	}
	m, err := o.finish()
	r.tell()
	return m, err
}

// otherEncoding names UTF-16 and UTF-32 text by its byte order mark.
func otherEncoding(data []byte) string {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return "UTF-16"
	}
	return ""
}

// forget lets the next face look up part and piece again.
func (o *objReader) forget() { o.part, o.piece = None, [3]int{None, None, None} }

func (o *objReader) statement(line []byte) error {
	word, rest := field(line)
	switch string(word) {
	case "v":
		return o.vertex(rest)
	case "vt":
		var n [2]float32
		if numbers(rest, n[:]) == 0 {
			n[0] = number(nil)
		}
		return o.texcoords.add(o.r, n)
	case "vn":
		var n [3]float32
		if numbers(rest, n[:]) < 3 {
			n = [3]float32{}
		}
		return o.normals.add(o.r, n)
	case "f", "fo":
		return o.face(Triangles, rest)
	case "l":
		return o.face(Lines, rest)
	case "p":
		return o.face(Points, rest)
	case "o":
		o.object, o.group = name(rest), ""
		o.forget()
	case "g":
		o.group = name(rest)
		o.forget()
	case "usemtl":
		o.material = name(rest)
		o.named = o.material != "" && o.material != "(null)" // as programs write it that have none
		o.forget()
	case "mtllib":
		if len(o.libraries) < 1000 {
			o.libraries = append(o.libraries, library{name(rest), o.number})
		}
	case "s":
		o.smooth = smoothingGroup(rest)
	case "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "end", "con", "cstype", "deg", "bmat", "step", "bzp", "bsp", "cdc", "cdp", "res":
		o.r.note(true, "free", o.place(), "", "free-form curves and surfaces are not drawn; the program that made the file can write polygons")
	case "call", "csh":
		o.r.note(true, "call", o.place(), "", "%s is not carried out: other files and commands are not run", word)
	case "", "vp", "mg", "bevel", "c_interp", "d_interp", "lod", "maplib", "usemap", "shadow_obj", "trace_obj", "ctech", "stech":
		// They change nothing of polygons' looks here, and are no faults.
	default:
		if word[0] != '#' {
			word = word[:min(len(word), 80)]
			o.r.note(false, "word "+name(word), o.place(), "lines", "the statement %s is unknown and was passed over", quoted(name(word)))
		}
	}
	return nil
}

// smoothingGroup reads what stands behind s: a number, on, or off.
func smoothingGroup(rest []byte) uint32 {
	word, _ := field(rest)
	switch {
	case len(word) == 0, equalFold(word, "off"), equalFold(word, "null"):
		return 0
	}
	if n, err := strconv.ParseUint(string(word), 10, 32); err == nil {
		return uint32(n)
	}
	return 1
}

// vertex reads a position: three numbers, and the weight of free forms or a colour.
func (o *objReader) vertex(rest []byte) error {
	var n [7]float64
	have := numbers(rest, n[:])
	at := vec{n[0], n[1], n[2]}
	if have < 3 {
		at[0] = math.NaN()
	}
	if have >= 6 {
		for len(o.colors.v) < len(o.positions.v) { // those before had none
			if err := o.colors.add(o.r, white); err != nil {
				return err
			}
		}
		c := [4]float32{float32(n[3]), float32(n[4]), float32(n[5]), 1}
		for _, v := range c[:3] {
			if v > o.brightest { // no NaN
				o.brightest = v
			}
		}
		if err := o.colors.add(o.r, c); err != nil {
			return err
		}
	} else if len(o.colors.v) > 0 {
		if err := o.colors.add(o.r, white); err != nil {
			return err
		}
	}
	return o.positions.add(o.r, o.r.near(at))
}

// face reads the corners of a face, a line or points: v, v/vt, v//vn or v/vt/vn, each from 1, or from -1 backwards.
func (o *objReader) face(mode Mode, rest []byte) error {
	f := face{first: int32(len(o.corners.v)), smooth: o.smooth, line: int32(min(o.number, math.MaxInt32))}
	bad := ""
	for {
		var word []byte
		if word, rest = field(rest); len(word) == 0 || word[0] == '#' {
			break
		}
		c, ok := o.corner(word)
		if !ok && bad == "" {
			bad = name(word)
		}
		if mode != Triangles {
			c.n = None
		}
		if err := o.corners.add(o.r, c); err != nil {
			return err
		}
	}
	f.count = int32(len(o.corners.v)) - f.first
	least := map[Mode]int32{Points: 1, Lines: 2, Triangles: 3}[mode]
	if bad != "" || f.count < least {
		o.corners.v = o.corners.v[:f.first]
		if bad != "" {
			o.r.note(true, "corner", o.place(), "such lines", "%s is no corner that is there: what it belongs to is left out", quoted(bad))
		} else {
			o.r.note(true, "few", o.place(), "such lines", "%d corners are too few: they are left out", f.count)
		}
		return nil
	}
	p, err := o.pieceOf(mode)
	if err != nil {
		return err
	}
	return p.faces.add(o.r, f)
}

// corner reads a corner. Positive numbers may be of what comes later, and are checked at the end.
func (o *objReader) corner(word []byte) (corner, bool) {
	c := corner{None, None, None}
	for k, out := range [3]*int32{&c.v, &c.t, &c.n} {
		part := word
		if i := bytes.IndexByte(word, '/'); i >= 0 {
			part, word = word[:i], word[i+1:]
		} else {
			word = nil
		}
		if len(part) > 0 {
			have := [3]int{len(o.positions.v), len(o.texcoords.v), len(o.normals.v)}[k]
			n, ok := integer(part)
			switch {
			case !ok || n == 0 || n < -have || n > math.MaxInt32:
				return c, false
			case n < 0:
				n += have
			default:
				n--
			}
			*out = int32(n)
		}
		if len(word) == 0 {
			break
		}
	}
	return c, c.v >= 0
}

// integer reads a whole number of up to ten digits.
func integer(s []byte) (n int, ok bool) {
	negative := s[0] == '-'
	if negative || s[0] == '+' {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 10 {
		return 0, false
	}
	var sum int64
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		sum = 10*sum + int64(c-'0')
	}
	if negative {
		sum = -sum
	}
	if sum != int64(int32(sum)) {
		return 0, false
	}
	return int(sum), true
}

// pieceOf returns where faces of a mode go now.
func (o *objReader) pieceOf(mode Mode) (*objPiece, error) {
	if i := o.piece[mode]; i != None {
		return &o.all[i], nil
	}
	if o.part == None {
		whole := o.object
		if o.group != "" && o.group != o.object {
			if whole != "" {
				whole += "/"
			}
			whole += o.group
		}
		i, ok := o.byName[whole]
		if !ok {
			if err := o.r.take(int64(len(whole))+200, 1, "a group"); err != nil {
				return nil, err
			}
			i = len(o.parts)
			o.byName[whole] = i
			o.parts = append(o.parts, objPart{name: whole})
		}
		o.part = i
	}
	key := pieceKey{o.part, o.material, o.named, mode}
	i, ok := o.pieces[key]
	if !ok {
		if err := o.r.take(int64(len(o.material))+400, 1, "a group"); err != nil {
			return nil, err
		}
		i = len(o.all)
		o.pieces[key] = i
		o.all = append(o.all, objPiece{pieceKey: key, line: o.number})
		o.parts[o.part].pieces = append(o.parts[o.part].pieces, i)
	}
	o.piece[mode] = i
	return &o.all[i], nil
}

// finish resolves what was read.
func (o *objReader) finish() (*Model, error) {
	o.b = builder{
		Reader: o.r, positions: o.positions.v, texcoords: o.texcoords.v, normals: o.normals.v, corners: o.corners.v,
		cut: cutter{r: o.r, steps: earSteps},
	}
	o.b.useNormals()
	o.useColors()
	if err := o.points(); err != nil {
		return nil, err
	}
	for i := range o.all {
		p := &o.all[i]
		p.faces.v = o.usable(p.faces.v)
		if p.mode == Triangles {
			if err := o.b.smoothing(p.faces.v); err != nil {
				return nil, err
			}
		}
	}
	m := &Model{Form: "text"}
	materials, err := o.materials(m)
	if err != nil {
		return nil, err
	}
	for _, part := range o.parts {
		out := Part{Name: part.name}
		for _, i := range part.pieces {
			p := &o.all[i]
			if len(p.faces.v) == 0 {
				continue
			}
			piece := Piece{Mode: p.mode, Material: materials[i]}
			if err := o.b.build(&piece, p.faces.v); err != nil {
				return nil, err
			}
			p.faces.free(o.r)
			out.Pieces = append(out.Pieces, piece)
		}
		if len(out.Pieces) > 0 {
			m.Parts = append(m.Parts, out)
		}
	}
	o.free()
	if len(m.Parts) == 0 {
		return nil, failf("", "holds nothing that can be drawn")
	}
	return m, nil
}

// free gives up what vertices were made of.
func (o *objReader) free() {
	o.positions.free(o.r)
	o.colors.free(o.r)
	o.texcoords.free(o.r)
	o.normals.free(o.r)
	o.corners.free(o.r)
	o.r.Drop(int64(cap(o.joined)))
	o.b.free()
}

// useColors makes the vertices' colours linear.
func (o *objReader) useColors() {
	if len(o.colors.v) == 0 {
		return
	}
	scale := float32(1)
	if o.brightest > 1 {
		scale = 255
		o.r.note(false, "bytes", "", "", "colours of vertices reach %g; they are taken to be of 0 to 255", o.brightest)
	}
	for i, c := range o.colors.v {
		if scale != 1 && c == white {
			continue // of a vertex without
		}
		for k := range c[:3] {
			c[k] = linear(c[k] / scale)
		}
		o.colors.v[i] = c
	}
	o.b.colors = o.colors.v
}

// points makes a cloud of a file that has vertices alone.
func (o *objReader) points() error {
	if len(o.all) > 0 || len(o.positions.v) == 0 {
		return nil
	}
	p, err := o.pieceOf(Points)
	if err != nil {
		return err
	}
	for i := range o.positions.v {
		if err := o.corners.add(o.r, corner{int32(i), None, None}); err != nil {
			return err
		}
		if err := p.faces.add(o.r, face{first: int32(i), count: 1}); err != nil {
			return err
		}
	}
	o.b.corners = o.corners.v
	return nil
}

// usable leaves out what has corners that are not there, or not finite. Texture coordinates and normals can be done without.
func (o *objReader) usable(faces []face) []face {
	kept := faces[:0]
	for _, f := range faces {
		ok := true
		for i := f.first; i < f.first+f.count; i++ {
			c := &o.b.corners[i]
			if int(c.v) >= len(o.b.positions) {
				o.r.note(true, "vertex", linePlace(f.line), "such corners", "vertex %d is not there (%d are): what it belongs to is left out", c.v+1, len(o.b.positions))
				ok = false
				break
			}
			if !finite(o.b.positions[c.v]) {
				o.r.note(true, "infinite", linePlace(f.line), "such corners", "vertex %d has a coordinate that is no finite number: what it belongs to is left out", c.v+1)
				ok = false
				break
			}
			if int(c.t) >= len(o.b.texcoords) {
				o.r.note(true, "texcoord", linePlace(f.line), "such corners", "texture coordinate %d is not there (%d are)", c.t+1, len(o.b.texcoords))
				c.t = None
			}
			if c.t >= 0 {
				if t := o.b.texcoords[c.t]; t[0]-t[0] != 0 || t[1]-t[1] != 0 {
					o.r.note(true, "texcoord", linePlace(f.line), "such corners", "texture coordinate %d is no finite number", c.t+1)
					c.t = None
				}
			}
			if int(c.n) >= len(o.b.normals) {
				o.r.note(true, "normal", linePlace(f.line), "such corners", "normal %d is not there (%d are): it is computed", c.n+1, len(o.b.normals))
				c.n = None
			}
		}
		if ok {
			kept = append(kept, f)
		}
	}
	return kept
}

// materials reads the libraries and returns the material of each piece.
func (o *objReader) materials(m *Model) ([]int, error) {
	have := map[string]*Material{}
	for _, l := range o.libraries {
		if err := o.library(l, have); err != nil {
			return nil, err
		}
	}
	of := make([]int, len(o.all))
	number := map[string]int{}
	for i := range o.all {
		p := &o.all[i]
		if of[i] = None; !p.named || len(p.faces.v) == 0 {
			continue
		}
		n, ok := number[p.material]
		if !ok {
			mt := have[p.material]
			if mt == nil {
				o.r.note(true, "material", linePlace(int32(min(p.line, math.MaxInt32))), "materials", "material %s is in no library that was read: it is drawn grey", quoted(p.material))
				n = None
			} else {
				n = len(m.Materials)
				m.Materials = append(m.Materials, *mt)
			}
			number[p.material] = n
		}
		of[i] = n
	}
	return of, nil
}

// library reads the files of a mtllib statement: one whose name may have spaces, or several.
func (o *objReader) library(l library, have map[string]*Material) error {
	place := linePlace(int32(min(l.line, math.MaxInt32)))
	names := []string{l.names}
	data, err := o.r.File(l.names)
	if err != nil && strings.ContainsAny(l.names, " \t") {
		names = libraryNames(l.names)
	}
	for i, file := range names {
		if i > 0 || file != l.names {
			data, err = o.r.File(file)
		}
		if stop := o.r.stopped(); stop != nil {
			return stop
		}
		var short *budget.Error
		if errors.As(err, &short) {
			return &Error{Place: place, Message: quoted(file), Err: err}
		}
		if err != nil {
			o.r.note(true, "library "+file, place, "", "the material library %s cannot be read: %v", quoted(file), err)
			continue
		}
		if err := readMTL(o.r, data, file, have); err != nil {
			return err
		}
	}
	return nil
}

// libraryNames cuts a list of names, of which each ends in .mtl; where none does, at its spaces.
func libraryNames(list string) []string {
	words := strings.Fields(list)
	var names []string
	begin := 0
	for i, w := range words {
		if strings.HasSuffix(strings.ToLower(w), ".mtl") {
			names = append(names, strings.Join(words[begin:i+1], " "))
			begin = i + 1
		}
	}
	if len(names) == 0 {
		return words[:min(len(words), 100)]
	}
	return names[:min(len(names), 100)]
}
