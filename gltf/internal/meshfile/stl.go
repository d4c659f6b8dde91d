package meshfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

const (
	stlHeader = 84 // bytes before the first facet of a binary file, the last four of them the number of facets
	stlFacet  = 50
)

// stlReader makes an unindexed list of triangles.
type stlReader struct {
	*Reader
	positions, normals list[[3]float32]
	colors             list[[4]float32] // of a binary file; empty: none yet
	facets             int
}

// ReadSTL reads an STL file, as text or binary. A facet's normal is the file's where it agrees with the order of its corners, and else computed.
func ReadSTL(r *Reader, data []byte) (*Model, error) {
	if stlText(data) {
		return readSTLText(r, data)
	}
	return readSTLBinary(r, data)
}

// stlText reports whether a file is text: binary ones may begin with "solid" as well, but their length follows from their number of facets, and
// they have no keyword behind it.
func stlText(data []byte) bool {
	begin := bytes.TrimLeft(data[:min(len(data), 1024)], " \t\r\n\xef\xbb\xbf")
	if len(begin) < 5 || !bytes.EqualFold(begin[:5], []byte("solid")) || stlExact(data) {
		return false
	}
	head := bytes.ToLower(data[:min(len(data), 4096)])
	return bytes.Contains(head, []byte("facet")) || bytes.Contains(head, []byte("endsolid"))
}

// stlExact reports whether a file has just the length that a binary file of its number of facets has.
func stlExact(data []byte) bool {
	return len(data) >= stlHeader+stlFacet && int64(len(data)) == stlHeader+stlFacet*int64(binary.LittleEndian.Uint32(data[80:]))
}

// facet adds a triangle; where says which, for notes.
func (s *stlReader) facet(given [3]float32, p [3][3]float32, where func() string) error {
	s.facets++
	for _, v := range p {
		if !finite(v) {
			s.note(true, "infinite", where(), "facets", "has a corner that is no finite number: it is left out")
			return nil
		}
	}
	area := triangleNormal(p[0], p[1], p[2])
	normal, ok := direction(area)
	if unit, has := direction(wide(given)); has {
		switch side := area.Dot(wide(unit)); {
		case !ok || side > 0:
			normal = unit
		case side < 0:
			s.note(false, "side", where(), "facets", "its normal points to the side from which its corners go round clockwise: the corners' order counts")
		}
	}
	for _, v := range p {
		if err := s.positions.add(s.Reader, v); err != nil {
			return err
		}
		if err := s.normals.add(s.Reader, normal); err != nil {
			return err
		}
	}
	return nil
}

// piece returns what was read since the last one.
func (s *stlReader) piece() Piece {
	p := Piece{Mode: Triangles, Material: None, Positions: s.positions.done(s.Reader), Normals: s.normals.done(s.Reader), Colors: s.colors.done(s.Reader)}
	s.positions, s.normals, s.colors = list[[3]float32]{}, list[[3]float32]{}, list[[4]float32]{}
	return p
}

func readSTLBinary(r *Reader, data []byte) (*Model, error) {
	if len(data) < stlHeader {
		return nil, failf("header", "the file is truncated: %d bytes of the %d of a binary STL header", len(data), stlHeader)
	}
	header, count := data[:80], int64(binary.LittleEndian.Uint32(data[80:]))
	body := data[stlHeader:]
	there := int64(len(body)) / stlFacet
	switch {
	case count > there:
		r.note(true, "truncated", "header", "", "the file is truncated: %d facets of %d are there", there, count)
	case int64(len(body)) > count*stlFacet:
		r.note(false, "behind", "header", "", "%d bytes after the last facet were passed over", int64(len(body))-count*stlFacet)
	}
	n := int(min(count, there))
	s := &stlReader{Reader: r}
	for _, l := range []*list[[3]float32]{&s.positions, &s.normals} {
		if err := l.grow(r, 3*n); err != nil {
			return nil, err
		}
	}
	paint := newSTLPaint(header, body, n)
	if paint != nil {
		if err := s.colors.grow(r, 3*n); err != nil {
			return nil, err
		}
		r.note(false, "color", "header", "", "facets have colours, as %s writes them", paint.program)
	}
	for i := range n {
		if i&0xffff == 0 {
			if err := r.stopped(); err != nil {
				return nil, err
			}
		}
		f := body[i*stlFacet:][:stlFacet]
		var v [4][3]float32
		for k := range 12 {
			v[k/3][k%3] = math.Float32frombits(binary.LittleEndian.Uint32(f[4*k:]))
		}
		before := len(s.positions.v)
		if err := s.facet(v[0], [3][3]float32{r.near(wide(v[1])), r.near(wide(v[2])), r.near(wide(v[3]))}, func() string { return fmt.Sprintf("facet %d", i+1) }); err != nil {
			return nil, err
		}
		if paint != nil && len(s.positions.v) > before {
			c := paint.color(binary.LittleEndian.Uint16(f[48:]))
			for range 3 {
				if err := s.colors.add(r, c); err != nil {
					return nil, err
				}
			}
		}
	}
	title := name(bytes.TrimRight(bytes.SplitN(header, []byte{0}, 2)[0], " "))
	return s.model(&Model{Form: "binary", Generator: printable(title)}, []Part{{Pieces: []Piece{s.piece()}}})
}

// printable returns a name that is text.
func printable(s string) string {
	for _, c := range s {
		if c < 0x20 || c == 0x7f || c == 0xfffd {
			return ""
		}
	}
	return s
}

// model ends reading.
func (s *stlReader) model(m *Model, parts []Part) (*Model, error) {
	for _, p := range parts {
		if len(p.Pieces[0].Positions) > 0 {
			m.Parts = append(m.Parts, p)
		}
	}
	s.tell()
	if len(m.Parts) == 0 {
		return nil, failf("", "holds nothing that can be drawn (%d facets)", s.facets)
	}
	return m, nil
}

// stlPaint decodes the two bytes behind a facet in which two programs put colours.
type stlPaint struct {
	program string
	magics  bool
	whole   [4]float32 // linear
}

// newSTLPaint returns nil where the file has no colours. Materialise Magics has "COLOR=" in the header, and a colour of its own on facets whose
// highest bit is 0; VisCAM and SolidView have one on facets whose highest bit is 1.
func newSTLPaint(header, body []byte, n int) *stlPaint {
	if i := bytes.Index(header, []byte("COLOR=")); i >= 0 && i+10 <= len(header) {
		p := &stlPaint{program: "Materialise Magics", magics: true}
		for k, c := range header[i+6 : i+9] {
			p.whole[k] = linear(float32(c) / 255)
		}
		p.whole[3] = 1
		return p
	}
	for i := range n {
		if body[i*stlFacet+49]&0x80 != 0 {
			return &stlPaint{program: "VisCAM", whole: [4]float32{plainColor, plainColor, plainColor, 1}}
		}
	}
	return nil
}

func (p *stlPaint) color(bits uint16) [4]float32 {
	if (bits&0x8000 == 0) != p.magics {
		return p.whole
	}
	five := func(shift int) float32 { return linear(float32(bits>>shift&31) / 31) }
	if p.magics {
		return [4]float32{five(0), five(5), five(10), 1}
	}
	return [4]float32{five(10), five(5), five(0), 1}
}

// stlWords reads the words of a text.
type stlWords struct {
	r    *Reader
	data []byte
	line int
	n    int
}

func (w *stlWords) next() ([]byte, error) {
	if w.n++; w.n&0xffff == 0 {
		if err := w.r.stopped(); err != nil {
			return nil, err
		}
	}
	i := 0
	for i < len(w.data) && isSpace(w.data[i]) {
		if w.data[i] == '\n' {
			w.line++
		}
		i++
	}
	j := i
	for j < len(w.data) && !isSpace(w.data[j]) {
		j++
	}
	word := w.data[i:j]
	w.data = w.data[j:]
	return word, nil
}

// rest returns what is left of the line.
func (w *stlWords) rest() []byte {
	i := bytes.IndexAny(w.data, "\r\n")
	if i < 0 {
		i = len(w.data)
	}
	line := w.data[:i]
	w.data = w.data[i:]
	return line
}

func (w *stlWords) place() string { return "line " + strconv.Itoa(w.line) }

// vector reads three numbers.
func (w *stlWords) vector() (v vec, err error) {
	for k := range v {
		word, err := w.next()
		if err != nil {
			return v, err
		}
		v[k] = parse(word, 64)
	}
	return v, nil
}

// readSTLText reads the words solid, facet normal, vertex, endfacet and endsolid; the others, such as outer loop, say nothing more.
func readSTLText(r *Reader, data []byte) (*Model, error) {
	w := &stlWords{r: r, data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), line: 1}
	s := &stlReader{Reader: r}
	var parts []Part
	var title string
	var normal [3]float32
	var p [3][3]float32
	corners, ended, at := 0, false, 0
	finish := func() error {
		if len(s.positions.v) == 0 {
			return nil
		}
		if err := r.take(int64(len(title))+200, 1, "a solid"); err != nil {
			return err
		}
		parts = append(parts, Part{Name: title, Pieces: []Piece{s.piece()}})
		return nil
	}
	where := func() string { return "line " + strconv.Itoa(at) }
	for {
		word, err := w.next()
		if err != nil {
			return nil, err
		}
		if len(word) == 0 {
			break
		}
		switch {
		case equalFold(word, "solid"):
			if err := finish(); err != nil {
				return nil, err
			}
			title, ended = printable(name(w.rest())), false
		case equalFold(word, "facet"):
			at, corners = w.line, 0
			if word, err = w.next(); err == nil {
				var v vec
				v, err = w.vector()
				normal = [3]float32{float32(v[0]), float32(v[1]), float32(v[2])}
				if err == nil && !equalFold(word, "normal") {
					err = failf(where(), "%s stands where \"normal\" should", quoted(name(word)))
				}
			}
			if err != nil {
				return nil, err
			}
		case equalFold(word, "vertex"):
			far, err := w.vector()
			if err != nil {
				return nil, err
			}
			v := r.near(far)
			if corners < 3 {
				p[corners] = v
			} else { // a polygon, which the format does not have
				r.note(false, "corners", where(), "facets", "has more than three corners: a fan is made of them")
				if err := s.facet(normal, p, where); err != nil {
					return nil, err
				}
				p[1], p[2] = p[2], v
			}
			corners++
		case equalFold(word, "endfacet"):
			if corners < 3 {
				r.note(true, "few", where(), "facets", "has %d corners: it is left out", corners)
				break
			}
			if err := s.facet(normal, p, where); err != nil {
				return nil, err
			}
			corners = 0
		case equalFold(word, "endsolid"):
			w.rest()
			ended = true
		case equalFold(word, "outer"), equalFold(word, "loop"), equalFold(word, "endloop"):
		default:
			return nil, failf(w.place(), "%s is no word of an STL file", quoted(name(word)))
		}
	}
	if !ended {
		r.note(true, "truncated", w.place(), "", "the file ends before endsolid: %d facets are there", s.facets)
	}
	if err := finish(); err != nil {
		return nil, err
	}
	return s.model(&Model{Form: "text"}, parts)
}
