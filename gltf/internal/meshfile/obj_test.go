package meshfile

import (
	"math"
	"strings"
	"testing"
)

// A square of two by two at z = 0, of which vt 1 is the picture's lower left corner.
const square = `v 0 0 0
v 2 0 0
v 2 2 0
v 0 2 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
`

func TestOBJ_Square_FanNormalAndTextureCoordinates(t *testing.T) {
	p := only(t, must(t, OBJ, square+"f 1/1 2/2 3/3 4/4\n", nil))
	same(t, "positions", p.Positions, [][3]float32{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}})
	same(t, "indices", p.Indices, []uint32{0, 1, 2, 0, 2, 3})
	same(t, "normals", p.Normals, [][3]float32{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}})
	same(t, "texture coordinates", p.TexCoords, [][2]float32{{0, 1}, {1, 1}, {1, 0}, {0, 0}}) // v points down in glTF
	if p.Mode != Triangles || p.Material != None || p.Colors != nil {
		t.Errorf("%v", p)
	}
}

// Every way to write the same face.
func TestOBJ_WaysToWriteAFace(t *testing.T) {
	want := only(t, must(t, OBJ, square+"f 1/1 2/2 3/3 4/4\n", nil))
	for name, text := range map[string]string{
		"negative":     square + "f -4/-4 -3/-3 -2/-2 -1/-1\n",
		"CRLF":         strings.ReplaceAll(square+"f 1/1 2/2 3/3 4/4\n", "\n", "\r\n"),
		"CR":           strings.ReplaceAll(square+"f 1/1 2/2 3/3 4/4\n", "\n", "\r"),
		"continuation": square + "f 1/1 2/2 \\\n  3/3 \\\r\n 4/4\n",
		"tabs":         square + "f\t1/1\t2/2\t3/3\t4/4  # a comment\n",
		"no last end":  square + "f 1/1 2/2 3/3 4/4",
		"mark":         "\xef\xbb\xbf" + square + "f 1/1 2/2 3/3 4/4\n",
		"later":        "f 1/1 2/2 3/3 4/4\n" + square,
		"fo":           square + "fo 1/1 2/2 3/3 4/4\n",
		"plus":         square + "f +1/+1 2/2 3/3 4/4\n",
		"weight":       strings.ReplaceAll(square, "v 2 2 0\n", "v 2 2 0 1.0\n") + "f 1/1 2/2 3/3 4/4\n",
		"exponents":    strings.ReplaceAll(square, "v 2 2 0\n", "v 2e0 0.2E+1 -0\n") + "f 1/1 2/2 3/3 4/4\n",
		"normal":       square + "vn 0 0 0.5\nf 1/1/1 2/2/1 3/3/1 4/4/1\n",
		"bad normal":   square + "vn 0 0 0\nvn nan 0 0\nf 1/1/1 2/2/2 3/3/1 4/4/2\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := only(t, must(t, OBJ, text, nil))
			same(t, "drawn", p.drawn(), want.drawn())
			same(t, "normals", p.Normals, want.Normals)
			same(t, "texture coordinates", p.TexCoords, want.TexCoords)
		})
	}
}

// Two faces at right angles share an edge: without a smoothing group each has its own normals, with one the edge has their mean, and s off ends it.
func TestOBJ_SmoothingGroups(t *testing.T) {
	const faces = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n%f 1 2 3\n%f 1 4 2\n"
	up, front := [3]float32{0, 0, 1}, [3]float32{0, 1, 0}
	const h = 0.70710677
	for name, c := range map[string]struct {
		text string
		want [][3]float32 // by drawn corner
	}{
		"none":          {"f 1 2 3\nf 1 4 2\n", [][3]float32{up, up, up, front, front, front}},
		"one":           {"s 1\nf 1 2 3\nf 1 4 2\n", [][3]float32{{0, h, h}, {0, h, h}, up, {0, h, h}, front, {0, h, h}}},
		"on":            {"s on\nf 1 2 3\nf 1 4 2\n", [][3]float32{{0, h, h}, {0, h, h}, up, {0, h, h}, front, {0, h, h}}},
		"two":           {"s 1\nf 1 2 3\ns 2\nf 1 4 2\n", [][3]float32{up, up, up, front, front, front}},
		"off":           {"s 1\ns off\nf 1 2 3\nf 1 4 2\n", [][3]float32{up, up, up, front, front, front}},
		"0":             {"s 1\ns 0\nf 1 2 3\nf 1 4 2\n", [][3]float32{up, up, up, front, front, front}},
		"other objects": {"s 1\nf 1 2 3\nf 1 4 2\n", [][3]float32{{0, h, h}, {0, h, h}, up, {0, h, h}, front, {0, h, h}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := only(t, must(t, OBJ, faces[:32]+c.text, nil))
			var got [][3]float32
			for _, i := range p.Indices {
				got = append(got, p.Normals[i])
			}
			same(t, "normals", got, c.want)
		})
	}
	// The larger face counts for more: areas 1 and 2, normals (0, 0, 1) and (0, 1, 0).
	p := only(t, must(t, OBJ, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\ns 1\nf 1 2 3\nf 1 4 2\n", nil))
	same(t, "by area", p.Normals[:1], [][3]float32{{0, 0.8944272, 0.4472136}})
}

func TestOBJ_VertexColours_AreSRGB(t *testing.T) {
	p := only(t, must(t, OBJ, "v 0 0 0 1 0 0.5\nv 1 0 0\nv 0 1 0 0 0.02 1\nf 1 2 3\n", nil))
	// 0.5 → ((0.5+0.055)/1.055)^2.4 = 0.21404114; 0.02/12.92 = 0.0015479876.
	same(t, "colours", p.Colors, [][4]float32{{1, 0, 0.21404114, 1}, {1, 1, 1, 1}, {0, 0.0015479876, 1, 1}})
	r := newReading(nil)
	m, err := ReadOBJ(&r.Reader, []byte("v 0 0 0 255 0 127.5\nv 1 0 0 0 0 0\nv 0 1 0 0 0 0\nf 1 2 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	r.says(t, "warning: : colours of vertices reach 255")
	same(t, "bytes", m.Parts[0].Pieces[0].Colors[:1], [][4]float32{{1, 0, 0.21404114, 1}})
}

func TestOBJ_PointsAndLines(t *testing.T) {
	m := must(t, OBJ, square+"p 1 -1\nl 1/1 2/2 3/3\nl 3 4\nf 1 2 3\n", nil)
	if len(m.Parts) != 1 || len(m.Parts[0].Pieces) != 3 {
		t.Fatalf("%v", m.Parts)
	}
	points, lines := m.Parts[0].Pieces[0], m.Parts[0].Pieces[1]
	if points.Mode != Points || lines.Mode != Lines || lines.Normals != nil {
		t.Errorf("modes %v and %v", points.Mode, lines.Mode)
	}
	same(t, "points", points.drawn(), [][3]float32{{0, 0, 0}, {0, 2, 0}})
	same(t, "lines", lines.drawn(), [][3]float32{{0, 0, 0}, {2, 0, 0}, {2, 0, 0}, {2, 2, 0}, {2, 2, 0}, {0, 2, 0}})
	cloud := only(t, must(t, OBJ, "v 1 2 3\nv 4 5 6\n", nil))
	if cloud.Mode != Points {
		t.Errorf("mode %v", cloud.Mode)
	}
	same(t, "a cloud", cloud.drawn(), [][3]float32{{1, 2, 3}, {4, 5, 6}})
}

func TestOBJ_ObjectsGroupsAndMaterials(t *testing.T) {
	files := map[string]string{"a b.mtl": "newmtl red  paint\nKd 1 0 0\n", "c.mtl": "newmtl gr\xfcn\nKd 0 1 0\nnewmtl unused\n"}
	m := must(t, OBJ, "mtllib a b.mtl c.mtl\n"+square+"o Box\nusemtl red  paint\nf 1 2 3\ng lid\nf 2 3 4\nusemtl gr\xfcn\nf 1 3 4\no Other\nf 1 2 4\no Box\nusemtl red  paint\nf 1 2 3\n", files)
	var got []string
	for _, p := range m.Parts {
		for _, s := range p.Pieces {
			got = append(got, p.Name+" "+m.Materials[s.Material].Name)
		}
	}
	same(t, "pieces", got, []string{"Box red  paint", "Box/lid red  paint", "Box/lid grün", "Other grün"})
	if n := len(m.Parts[0].Pieces[0].Indices); n != 6 {
		t.Errorf("%d indices of a part that is gone on with, want 6", n)
	}
	if len(m.Materials) != 2 || m.Materials[0].Color != [3]float32{1, 0, 0} {
		t.Errorf("materials %v", m.Materials)
	}
}

func TestOBJ_NoMaterialByName(t *testing.T) {
	for _, none := range []string{"usemtl\n", "usemtl (null)\n", "usemtl a\nusemtl\n"} {
		if p := only(t, must(t, OBJ, square+none+"f 1 2 3\n", nil)); p.Material != None {
			t.Errorf("%q: material %d", none, p.Material)
		}
	}
}

func TestOBJ_FaultsAreToldAndTheRestIsDrawn(t *testing.T) {
	for name, c := range map[string]struct {
		text      string
		triangles int
		told      []string
	}{
		"vertex beyond":     {square + "f 1 2 5\nf 1 2 9\nf 1 2 3\n", 1, []string{"loss: line 9: vertex 5 is not there (4 are): what it belongs to is left out (2 such corners in all)"}},
		"vertex 0":          {square + "f 0 1 2\nf 1 2 3\n", 1, []string{`loss: line 9: "0" is no corner`}},
		"far back":          {square + "f -5 1 2\nf 1 2 3\n", 1, []string{`loss: line 9: "-5" is no corner`}},
		"not a number":      {square + "f 1 2 x\nf 1 2 3\n", 1, []string{`loss: line 9: "x" is no corner`}},
		"huge":              {square + "f 1 2 99999999999\nf 1 2 3\n", 1, []string{`loss: line 9: "99999999999" is no corner`}},
		"two corners":       {square + "f 1 2\nf 1 2 3\n", 1, []string{"loss: line 9: 2 corners are too few"}},
		"texture beyond":    {square + "f 1/1 2/9 3/3\n", 1, []string{"loss: line 9: texture coordinate 9 is not there (4 are)"}},
		"normal beyond":     {square + "f 1//1 2//1 3//1\n", 1, []string{"loss: line 9: normal 1 is not there (0 are): it is computed (3 such corners in all)"}},
		"infinite":          {square + "v inf 0 0\nv 1e39 0 0\nv x 0 0\nv 1\nf 1 2 5\nf 1 2 6\nf 1 2 7\nf 1 2 8\nf 1 2 3\n", 1, []string{"loss: line 13: vertex 5 has a coordinate that is no finite number: what it belongs to is left out (4 such corners in all)"}},
		"free forms":        {square + "cstype bezier\ndeg 3\nsurf 0 1 0 1 1 2 3 4\nend\nf 1 2 3\n", 1, []string{"loss: line 9: free-form curves and surfaces are not drawn"}},
		"call":              {square + "call other.obj\nf 1 2 3\n", 1, []string{"loss: line 9: call is not carried out"}},
		"unknown":           {square + "foo 1\nfoo 2\nf 1 2 3\n", 1, []string{`warning: line 9: the statement "foo" is unknown and was passed over (2 lines in all)`}},
		"no library":        {"mtllib gone.mtl\n" + square + "usemtl a\nf 1 2 3\n", 1, []string{`loss: line 1: the material library "gone.mtl" cannot be read`, `loss: line 11: material "a" is in no library`}},
		"crossing outlines": {"v 0 0 0\nv 4 3 0\nv 4 0 0\nv 0 2 0\nv -1 1 0\nf 1 2 3 4 5\n", 3, []string{"warning: line 6: the outline crosses itself"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReading(nil)
			m, err := ReadOBJ(&r.Reader, []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			sound(t, m)
			if n := len(m.Parts[0].Pieces[0].Indices) / 3; n != c.triangles {
				t.Errorf("%d triangles, want %d", n, c.triangles)
			}
			r.says(t, c.told...)
		})
	}
}

func TestOBJ_Errors(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "holds nothing that can be drawn",
		"# only words\n":                "holds nothing that can be drawn",
		"v 0 0 0\nf 1 1 2\n":            "holds nothing that can be drawn",
		"v nan nan nan\n":               "holds nothing that can be drawn",
		"\xff\xfev\x00 \x000\x00\n\x00": "the text is UTF-16",
	} {
		r := newReading(nil)
		if _, err := ReadOBJ(&r.Reader, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// The colour under a picture is what Kd says; without Kd the picture stands alone.
func TestMTL_ColorUnderAMap(t *testing.T) {
	grey := [3]float32{defaultColor, defaultColor, defaultColor}
	for statements, want := range map[string][3]float32{
		"map_Kd k.png":                   {1, 1, 1},
		"Ns 10\nmap_Kd k.png":            {1, 1, 1},
		"map_Kd k.png\nKd 1 0 0":         {1, 0, 0},
		"Kd 0.8 0.8 0.8\nmap_Kd k.png":   grey,
		"Kd 0 0 0\nmap_Kd k.png":         {1, 1, 1},
		"map_Bump k.png":                 grey,
		"Kd 0 0 0\nmap_Bump k.png":       {},
		"newmtl b\nKd 1 0 0\nnewmtl a\n": grey,
	} {
		m := must(t, OBJ, "mtllib m.mtl\n"+square+"usemtl a\nf 1 2 3\n", map[string]string{"m.mtl": "newmtl a\n" + statements + "\n"})
		for k, c := range m.Materials[0].Color {
			if math.Abs(float64(c-want[k])) > 1e-6 {
				t.Errorf("%q: %v, want %v", statements, m.Materials[0].Color, want)
				break
			}
		}
	}
}

// A material that uses everything, with values from the specification by hand.
func TestMTL_Statements(t *testing.T) {
	files := map[string]string{"m.mtl": `newmtl a
Kd 0.5 1 0
Ks 0.2 0.2 0.2
Ns 30
Ke 2 0 1
d 0.25
Tr 0.1
illum 2
map_Kd -s 2 3 1 -o 0.5 0.25 -clamp on C:\tex\my wood.png
map_d -imfchan r a.png
map_Bump -bm 0.5 b.png
map_Ke e.png
NEWMTL b
Ks 1 1 1
Ns 30
illum 1
Tr 0.25
norm n.png
newmtl c
Pr 0.3
Pm 0.7
Pc 0.5
Pcr 0.2
map_Pr r.png
map_Pm m.png
map_Ks s.png
map_Kd k.png
Kd 0 0 0
newmtl d
Ka 0 0 0
`}
	m := must(t, OBJ, "mtllib m.mtl\n"+square+"usemtl a\nf 1 2 3\nusemtl b\nf 1 2 3\nusemtl c\nf 1 2 3\nusemtl d\nf 1 2 3\n", files)
	a, b, c, d := m.Materials[0], m.Materials[1], m.Materials[2], m.Materials[3]
	if a.Color != [3]float32{0.21404114, 1, 0} || a.Alpha != 0.25 {
		t.Errorf("a: %v, alpha %v", a.Color, a.Alpha)
	}
	// (2/(30+2))^(1/4) = (1/16)^(1/4) = 1/2.
	if a.Roughness != 0.5 || b.Roughness != 1 || d.Roughness != 1 {
		t.Errorf("roughness %v, %v and %v, want 0.5, and 1 for illum 1 and without Ks", a.Roughness, b.Roughness, d.Roughness)
	}
	if a.Emissive != [3]float32{1, 0, 0.21404114} || a.EmissiveStrength != 2 {
		t.Errorf("light %v times %v", a.Emissive, a.EmissiveStrength)
	}
	k := a.Maps[MapColor]
	// v' = 3v + 0.25 of v that points up is 1 - (3(1-w) + 0.25) = 3w - 2.25 of w that points down.
	if k.File != `C:\tex\my wood.png` || k.Scale != [2]float32{2, 3} || k.Offset != [2]float32{0.5, -2.25} || !k.Clamp || k.Place != "m.mtl: line 9" {
		t.Errorf("map_Kd %+v", k)
	}
	if a.Maps[MapAlpha].Channel != 'r' || a.Maps[MapBump].Bump != 0.5 || a.Maps[MapEmissive].File != "e.png" {
		t.Errorf("maps %+v", a.Maps)
	}
	if b.Alpha != 0.75 || b.Maps[MapNormal].File != "n.png" {
		t.Errorf("b: %+v", b)
	}
	if c.Roughness != 0.3 || c.Metallic != 0.7 || c.Coat != 0.5 || c.CoatRoughness != 0.2 || c.Color != [3]float32{1, 1, 1} {
		t.Errorf("c: %+v", c)
	}
	if c.Maps[MapRoughness].File != "r.png" || c.Maps[MapMetallic].File != "m.png" || c.Maps[MapSpecular].File != "s.png" {
		t.Errorf("c's maps %+v", c.Maps)
	}
	if d.Color != [3]float32{defaultColor, defaultColor, defaultColor} || d.Alpha != 1 || d.Metallic != 0 {
		t.Errorf("d: %+v", d)
	}
}

func TestMTL_FaultsAreTold(t *testing.T) {
	for statement, want := range map[string]string{
		"Ka 1 1 1":                  "warning: m.mtl: line 2: Ka is not used",
		"Kd x":                      `loss: m.mtl: line 2: "x" is no colour`,
		"Kd spectral f.rfl":         "loss: m.mtl: line 2: colours as spectral",
		"Ns nan":                    `loss: m.mtl: line 2: Ns "nan" is no number`,
		"d":                         `loss: m.mtl: line 2: d "" is no number`,
		"d -halo 0.5":               "loss: m.mtl: line 2: d -halo is not supported",
		"refl -type sphere r.png":   "loss: m.mtl: line 2: refl is not supported",
		"disp d.png":                "loss: m.mtl: line 2: disp is not supported",
		"map_Ns n.png":              "loss: m.mtl: line 2: map_ns is not supported",
		"map_Ka n.png":              "warning: m.mtl: line 2: map_ka is not supported",
		"aniso 0.5":                 "loss: m.mtl: line 2: aniso is not supported",
		"map_Kd":                    "loss: m.mtl: line 2: names no file",
		"map_Kd -s 1 1":             "", // a file of the name 1
		"map_Kd -mm 0.1 2 a.png":    "loss: m.mtl: line 2: -mm is not supported",
		"map_Kd -t 1 1 1 a.png":     "loss: m.mtl: line 2: -t is not supported",
		"map_Kd -foo a.png":         `warning: m.mtl: line 2: the option "-foo" is unknown`,
		"d 0":                       `warning: m.mtl: line 1: "a" cannot be seen: its alpha is 0`,
		"Tr 1":                      `warning: m.mtl: line 1: "a" cannot be seen`,
		"frobnicate":                `warning: m.mtl: line 2: the statement "frobnicate" is unknown`,
		"Ni 1.45":                   "",
		"Tf 1 1 1":                  "",
		"map_Kd -texres 256 a.png":  "",
		"map_Kd -blendu off 2.png":  "",
		"map_Kd -s 1 1 1 3.png":     "",
		"map_Kd -o 0.5 0.5 0 3.png": "",
	} {
		r := newReading(map[string]string{"m.mtl": "newmtl a\n" + statement + "\n"})
		m, err := ReadOBJ(&r.Reader, []byte("mtllib m.mtl\n"+square+"usemtl a\nf 1 2 3\n"))
		if err != nil {
			t.Errorf("%s: %v", statement, err)
			continue
		}
		sound(t, m)
		switch {
		case want == "" && len(r.told) > 0, want != "" && len(r.told) != 1, want != "" && !strings.HasPrefix(r.told[0], want):
			t.Errorf("%s: told %q, want %q", statement, r.told, want)
		}
		if mp := m.Materials[0].Maps[MapColor]; mp != nil && !strings.HasSuffix(mp.File, ".png") && mp.File != "1" {
			t.Errorf("%s: file %q", statement, mp.File)
		}
	}
}
