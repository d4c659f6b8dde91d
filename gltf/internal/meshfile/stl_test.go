package meshfile

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"testing"
)

// facet is one of a binary file: normal, three corners and two bytes.
type facet struct {
	n, a, b, c [3]float32
	bits       uint16
}

func stlOf(header string, count uint32, facets ...facet) string {
	b := bytes.NewBuffer(append([]byte(header), make([]byte, 80-len(header))...))
	_ = binary.Write(b, binary.LittleEndian, count)
	_ = binary.Write(b, binary.LittleEndian, facets)
	return b.String()
}

var (
	nan   = float32(math.NaN())
	unit3 = facet{a: [3]float32{0, 0, 0}, b: [3]float32{1, 0, 0}, c: [3]float32{0, 1, 0}}
)

// A triangle in the plane z = 0 that turns to the left seen from +z.
func TestSTL_NormalsComeFromTheFileOrTheCorners(t *testing.T) {
	const h = 0.70710677
	for name, c := range map[string]struct {
		given, want [3]float32
		told        []string
	}{
		"zero":      {[3]float32{}, [3]float32{0, 0, 1}, nil},
		"NaN":       {[3]float32{nan, 0, 1}, [3]float32{0, 0, 1}, nil},
		"infinite":  {[3]float32{float32(math.Inf(1)), 0, 1}, [3]float32{0, 0, 1}, nil},
		"right":     {[3]float32{0, 0, 1}, [3]float32{0, 0, 1}, nil},
		"slanted":   {[3]float32{0, 1, 1}, [3]float32{0, h, h}, nil}, // brought to length 1
		"backwards": {[3]float32{0, 0, -1}, [3]float32{0, 0, 1}, []string{"warning: facet 1: its normal points to the side"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := unit3
			f.n = c.given
			for form, data := range map[string]string{"binary": stlOf("x", 1, f), "text": textOf(f)} {
				r := newReading(nil)
				m, err := ReadSTL(&r.Reader, []byte(data))
				if err != nil {
					t.Fatal(err)
				}
				p := m.Parts[0].Pieces[0]
				same(t, form+" positions", p.drawn(), [][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}})
				same(t, form+" normals", p.Normals, [][3]float32{c.want, c.want, c.want})
				if form == "text" && c.told != nil {
					r.says(t, "warning: line 2: its normal points to the side")
				} else {
					r.says(t, c.told...)
				}
			}
		})
	}
}

func textOf(facets ...facet) string {
	var b strings.Builder
	b.WriteString("solid part one\n")
	for _, f := range facets {
		b.WriteString("facet normal " + triple(f.n) + "\nouter loop\n")
		for _, v := range [][3]float32{f.a, f.b, f.c} {
			b.WriteString("vertex " + triple(v) + "\n")
		}
		b.WriteString("endloop\nendfacet\n")
	}
	return b.String() + "endsolid part one\n"
}

func triple(v [3]float32) string {
	text := func(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }
	return text(v[0]) + " " + text(v[1]) + " " + text(v[2])
}

func TestSTL_KindOfTheFile(t *testing.T) {
	solid := stlOf("solid facet of a binary file", 2, unit3, unit3)
	for name, c := range map[string]struct {
		data, form string
		triangles  int
	}{
		"binary":                     {stlOf("x", 1, unit3), "binary", 1},
		"binary that says solid":     {solid, "binary", 2},
		"text":                       {textOf(unit3, unit3), "text", 2},
		"text in capital letters":    {strings.ToUpper(textOf(unit3)), "text", 1},
		"text with CRLF":             {strings.ReplaceAll(textOf(unit3), "\n", "\r\n"), "text", 1},
		"text on one line":           {"solid\n" + strings.ReplaceAll(strings.TrimPrefix(textOf(unit3), "solid part one\n"), "\n", " "), "text", 1},
		"text without a name":        {strings.ReplaceAll(textOf(unit3), " part one", ""), "text", 1},
		"text with space before it":  {"  \n" + textOf(unit3), "text", 1},
		"two solids":                 {textOf(unit3) + textOf(unit3), "text", 2},
		"four corners, which is two": {strings.Replace(textOf(unit3), "endloop", "vertex 1 1 0\nendloop", 1), "text", 2},
	} {
		if k := KindOf([]byte(c.data), ""); k != STL {
			t.Errorf("%s: kind %v", name, k)
		}
		r := newReading(nil)
		m, err := ReadSTL(&r.Reader, []byte(c.data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sound(t, m)
		n := 0
		for _, p := range m.Parts {
			n += len(p.Pieces[0].Positions) / 3
		}
		if m.Form != c.form || n != c.triangles {
			t.Errorf("%s: %s with %d triangles, want %s with %d", name, m.Form, n, c.form, c.triangles)
		}
	}
	m := must(t, STL, textOf(unit3)+strings.ReplaceAll(textOf(unit3), "part one", "two"), nil)
	same(t, "names", []string{m.Parts[0].Name, m.Parts[1].Name}, []string{"part one", "two"})
}

// Colours as two programs write them, five bits a channel: 31 is 1, 0 is 0.
func TestSTL_Colours(t *testing.T) {
	red, blue := [4]float32{1, 0, 0, 1}, [4]float32{0, 0, 1, 1}
	paint := func(bits uint16) facet { f := unit3; f.bits = bits; return f }
	for name, c := range map[string]struct {
		data string
		want [][4]float32 // one a facet
	}{
		"none":                      {stlOf("x", 2, paint(0), paint(31)), nil},
		"VisCAM":                    {stlOf("x", 2, paint(0x8000|31<<10), paint(0x8000|31)), [][4]float32{red, blue}},
		"VisCAM, one without":       {stlOf("x", 2, paint(0x8000|31), paint(5)), [][4]float32{blue, {plainColor, plainColor, plainColor, 1}}},
		"Magics":                    {stlOf("COLOR=\x00\x00\xff\xff", 2, paint(31), paint(31<<10)), [][4]float32{red, blue}},
		"Magics, one with the rest": {stlOf("COLOR=\x00\x00\xff\xff", 2, paint(0x8000), paint(31)), [][4]float32{blue, red}},
	} {
		r := newReading(nil)
		m, err := ReadSTL(&r.Reader, []byte(c.data))
		if err != nil {
			t.Fatal(err)
		}
		var want [][4]float32
		for _, w := range c.want {
			want = append(want, w, w, w)
		}
		same(t, name, m.Parts[0].Pieces[0].Colors, want)
		if (len(r.told) == 1) != (want != nil) {
			t.Errorf("%s: told %q", name, r.told)
		}
	}
}

func TestSTL_FaultsAreToldAndTheRestIsDrawn(t *testing.T) {
	infinite := unit3
	infinite.b[0] = nan
	for name, c := range map[string]struct{ data, told string }{
		"truncated":           {stlOf("x", 1000000, unit3), "loss: header: the file is truncated: 1 facets of 1000000 are there"},
		"one facet less":      {stlOf("x", 2, unit3), "loss: header: the file is truncated: 1 facets of 2 are there"},
		"count of 2^32-1":     {stlOf("x", 1<<32-1, unit3), "loss: header: the file is truncated: 1 facets of 4294967295 are there"},
		"more behind":         {stlOf("x", 1, unit3) + "behind", "warning: header: 6 bytes after the last facet"},
		"infinite":            {stlOf("x", 2, infinite, unit3), "loss: facet 1: has a corner that is no finite number"},
		"text without an end": {strings.Replace(textOf(unit3), "endsolid part one\n", "", 1), "loss: line 9: the file ends before endsolid: 1 facets are there"},
		"two corners":         {strings.Replace(textOf(unit3, unit3), "vertex 0 0 0\n", "", 1), "loss: line 2: has 2 corners"},
		"no number":           {strings.Replace(textOf(unit3, unit3), "vertex 0 0 0\n", "vertex a 0 0\n", 1), "loss: line 2: has a corner that is no finite number"},
	} {
		r := newReading(nil)
		m, err := ReadSTL(&r.Reader, []byte(c.data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sound(t, m)
		if n := len(m.Parts[0].Pieces[0].Positions); n != 3 || r.peaked > 64<<10 {
			t.Errorf("%s: %d vertices, %d bytes", name, n, r.peaked)
		}
		t.Run(name, func(t *testing.T) { r.says(t, c.told) })
	}
}

func TestSTL_Errors(t *testing.T) {
	for data, want := range map[string]string{
		"":                                 "the file is truncated: 0 bytes of the 84",
		stlOf("x", 0):                      "holds nothing that can be drawn (0 facets)",
		"solid x\nendsolid x\n":            "holds nothing that can be drawn (0 facets)",
		"solid x\nfacet abnormal 0 0 1":    `line 2: "abnormal" stands where "normal" should`,
		"solid x\nfacet normal 0 0 1\nfoo": `line 3: "foo" is no word of an STL file`,
	} {
		r := newReading(nil)
		if _, err := ReadSTL(&r.Reader, []byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", data, err, want)
		}
	}
}
