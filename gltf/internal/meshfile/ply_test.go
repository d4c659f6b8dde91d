package meshfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// plyOf writes a body of Go's numbers in each of the three forms.
func plyOf(header string, body ...any) map[string]string {
	out := map[string]string{}
	for form, order := range map[string]binary.ByteOrder{"binary_little_endian": binary.LittleEndian, "binary_big_endian": binary.BigEndian, "ascii": nil} {
		b := bytes.NewBufferString("ply\nformat " + form + " 1.0\n" + header + "end_header\n")
		for _, v := range body {
			if order != nil {
				_ = binary.Write(b, order, v)
			} else {
				fmt.Fprintf(b, "%v ", v)
			}
		}
		out[form] = b.String()
	}
	return out
}

// Properties in an odd order and of odd types, colours, texture coordinates and a quadrangle.
func TestPLY_EveryForm(t *testing.T) {
	header := `comment made by hand
element vertex 4
property double z
property uchar red
property float x
property uchar green
property short s
property float y
property uchar blue
property float t
property list uchar int extra
element material 1
property int a
property list ushort float b
element face 1
property uchar flags
property list uchar ushort vertex_index
property float quality
`
	vertex := func(x, y float32, s int16, r uint8) []any {
		return []any{float64(0), r, x, uint8(0), s, y, uint8(128), float32(0.25), uint8(2), int32(7), int32(8)}
	}
	var body []any
	for i, xy := range [4][2]float32{{0, 0}, {2, 0}, {2, 2}, {0, 2}} {
		body = append(body, vertex(xy[0], xy[1], int16(i), uint8(255*(i%2)))...)
	}
	body = append(body, int32(1), uint16(2), float32(1), float32(2), uint8(1), uint8(4), uint16(0), uint16(1), uint16(2), uint16(3), float32(0.5))
	for form, data := range plyOf(header, body...) {
		t.Run(form, func(t *testing.T) {
			r := newReading(nil)
			m, err := ReadPLY(&r.Reader, []byte(data))
			if err != nil {
				t.Fatal(err)
			}
			sound(t, m)
			r.says(t, `warning: header: the element "material" is unknown`)
			p := only(t, m)
			same(t, "positions", p.drawn(), [][3]float32{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 0, 0}, {2, 2, 0}, {0, 2, 0}})
			same(t, "normals", p.Normals, [][3]float32{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}})
			same(t, "texture coordinates", p.TexCoords, [][2]float32{{0, 0.75}, {1, 0.75}, {2, 0.75}, {3, 0.75}})
			// 128/255 as sRGB is 0.21586050 as linear light.
			same(t, "colours", p.Colors, [][4]float32{{0, 0, 0.2158605, 1}, {1, 0, 0.2158605, 1}, {0, 0, 0.2158605, 1}, {1, 0, 0.2158605, 1}})
			want := map[string]string{"ascii": "text", "binary_little_endian": "binary, little-endian", "binary_big_endian": "binary, big-endian"}[form]
			if m.Form != want || m.Generator != "made by hand" {
				t.Errorf("form %q of %q", m.Form, m.Generator)
			}
		})
	}
}

const threeVertices = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"

var threeAt = []any{float32(0), float32(0), float32(0), float32(1), float32(0), float32(0), float32(0), float32(1), float32(0)}

func TestPLY_KindsOfElements(t *testing.T) {
	for name, c := range map[string]struct {
		header string
		body   []any
		mode   Mode
		want   [][3]float32
	}{
		"a cloud": {"", nil, Points, [][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
		"no face": {"element face 0\nproperty list uchar int vertex_indices\n", nil, Points, [][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
		"edges":   {"element edge 1\nproperty int vertex1\nproperty int vertex2\n", []any{int32(2), int32(0)}, Lines, [][3]float32{{0, 1, 0}, {0, 0, 0}}},
		// The second triangle of a strip is turned round, and -1 begins anew.
		"strips": {"element tristrips 1\nproperty list int int vertex_indices\n", []any{int32(8), int32(0), int32(1), int32(2), int32(0), int32(-1), int32(2), int32(0), int32(1)}, Triangles,
			[][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}}},
	} {
		for form, data := range plyOf(threeVertices+c.header, append(append([]any{}, threeAt...), c.body...)...) {
			p := only(t, must(t, PLY, data, nil))
			if p.Mode != c.mode {
				t.Errorf("%s, %s: mode %v", name, form, p.Mode)
			}
			same(t, name+", "+form, p.drawn(), c.want)
		}
	}
}

func TestPLY_NormalsColoursAndAlpha(t *testing.T) {
	// Normals of the file, one of them none; float colours; alpha of 16 bits.
	header := "element vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\nproperty float nz\n" +
		"property float red\nproperty float green\nproperty float blue\nproperty ushort alpha\nelement face 1\nproperty list uchar int vertex_indices\n"
	body := []any{}
	for i, n := range [3][3]float32{{0, 2, 0}, {0, 0, 0}, {1, 0, 0}} {
		body = append(body, threeAt[3*i], threeAt[3*i+1], threeAt[3*i+2], n[0], n[1], n[2], float32(0.5), float32(0), float32(2), uint16(13107))
	}
	body = append(body, uint8(3), int32(0), int32(1), int32(2))
	for form, data := range plyOf(header, body...) {
		p := only(t, must(t, PLY, data, nil))
		same(t, form, p.Normals, [][3]float32{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}})
		same(t, form, p.Colors[:1], [][4]float32{{0.21404114, 0, 1, 0.2}}) // 13107/65535
	}
}

// Colours of faces: two triangles share two vertices, which become four.
func TestPLY_ColoursOfFaces(t *testing.T) {
	header := "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 2\nproperty list uchar int vertex_indices\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
	body := append(append([]any{}, threeAt...), float32(1), float32(1), float32(0),
		uint8(3), int32(0), int32(1), int32(2), uint8(255), uint8(0), uint8(0),
		uint8(3), int32(1), int32(3), int32(2), uint8(0), uint8(0), uint8(255))
	for form, data := range plyOf(header, body...) {
		p := only(t, must(t, PLY, data, nil))
		red, blue := [4]float32{1, 0, 0, 1}, [4]float32{0, 0, 1, 1}
		same(t, form, p.Colors, [][4]float32{red, red, red, blue, blue, blue})
	}
}

// Texture coordinates of corners, and two textures, as MeshLab writes them.
func TestPLY_WedgesAndTextures(t *testing.T) {
	header := "comment TextureFile a b.png\ncomment TextureFile c.png\n" + threeVertices + "element face 2\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\nproperty int texnumber\n"
	body := append([]any{}, threeAt...)
	for i := range 2 {
		body = append(body, uint8(3), int32(0), int32(1), int32(2), uint8(6))
		for k := range 6 {
			body = append(body, float32(k+10*i))
		}
		body = append(body, int32(1-i))
	}
	for form, data := range plyOf(header, body...) {
		m := must(t, PLY, data, nil)
		if len(m.Parts) != 1 || len(m.Parts[0].Pieces) != 2 || len(m.Materials) != 2 {
			t.Fatalf("%s: %v", form, m)
		}
		for i, p := range m.Parts[0].Pieces {
			want := [][2]float32{{10, -10}, {12, -12}, {14, -14}} // 1-11, …
			if i == 1 {
				want = [][2]float32{{0, 0}, {2, -2}, {4, -4}}
			}
			same(t, form, p.TexCoords, want)
			if file := m.Materials[p.Material].Maps[MapColor].File; file != [2]string{"a b.png", "c.png"}[i] {
				t.Errorf("%s: piece %d has %s", form, i, file)
			}
		}
	}
}

// A colour of a splat is ½ + f_dc/(2√π); opacity is what the logistic function is taken of: below 0 it is less than half.
func TestPLY_Splats(t *testing.T) {
	header := "element vertex 3\n"
	for _, n := range []string{"x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0"} {
		header += "property float " + n + "\n"
	}
	var body []any
	for i, opacity := range []float32{2, -0.5, 0} {
		body = append(body, threeAt[3*i], threeAt[3*i+1], threeAt[3*i+2], float32(0), float32(0), float32(0), float32(0), float32(2), float32(-2), opacity, float32(-3))
	}
	for form, data := range plyOf(header, body...) {
		r := newReading(nil)
		m, err := ReadPLY(&r.Reader, []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		r.says(t, "loss: header: Gaussian splats are drawn as points")
		p := only(t, m)
		same(t, form, p.drawn(), [][3]float32{{0, 0, 0}, {0, 1, 0}})
		same(t, form, p.Colors[:1], [][4]float32{{0.21404114, 1, 0, 1}}) // 0.5; 1.064 and -0.064 are cut off
	}
}

func TestPLY_FaultsAreToldAndTheRestIsDrawn(t *testing.T) {
	faces := threeVertices + "element face %s\nproperty list uchar int vertex_indices\n"
	one := []any{uint8(3), int32(0), int32(1), int32(2)}
	for name, c := range map[string]struct {
		count string
		body  []any
		told  string
	}{
		"truncated":     {"4000000000", one, "loss: : the file is truncated: 1 of 4000000000 elements face are there"},
		"a corner less": {"2", append(one[:4:4], uint8(2), int32(0), int32(1)), "loss: face 1: has 2 corners and is left out"},
		"beyond":        {"2", append(one[:4:4], uint8(3), int32(0), int32(1), int32(3)), "loss: face 1: a corner is no vertex of the 3"},
		"below 0":       {"2", append(one[:4:4], uint8(3), int32(0), int32(1), int32(-1)), "loss: face 1: a corner is no vertex of the 3"},
		"long list":     {"2", append(one[:4:4], uint8(255), int32(0), int32(1)), "loss: : the file is truncated: 1 of 2 elements face are there"},
	} {
		for form, data := range plyOf(strings.Replace(faces, "%s", c.count, 1), append(append([]any{}, threeAt...), c.body...)...) {
			r := newReading(nil)
			m, err := ReadPLY(&r.Reader, []byte(data))
			if err != nil {
				t.Errorf("%s, %s: %v", name, form, err)
				continue
			}
			sound(t, m)
			if p := only(t, m); len(p.drawn()) != 3 || p.Mode != Triangles || r.peaked > 64<<10 {
				t.Errorf("%s, %s: %v, %d bytes", name, form, p, r.peaked)
			}
			t.Run(name+", "+form, func(t *testing.T) { r.says(t, c.told) })
		}
	}
}

func TestPLY_Errors(t *testing.T) {
	head := "ply\nformat ascii 1.0\n"
	for data, want := range map[string]string{
		"ply\n":                                                        "header: the file is truncated: there is no end_header",
		"ply\nend_header\n":                                            "header: format is missing",
		"ply\nformat binary 1.0\n":                                     `line 2: format "binary" is unknown`,
		head + "element vertex -1\n":                                   `line 3: "-1" is no count`,
		head + "element vertex x\n":                                    `line 3: "x" is no count`,
		head + "element vertex\n":                                      "line 3: an element has a name and a count",
		head + "property float x\n":                                    "line 3: a property stands before the first element",
		head + "element vertex 1\nproperty real x\n":                   `line 4: "real" is no type`,
		head + "element vertex 1\nproperty list float int x\n":         "line 4: the length of a list is a whole number",
		head + "element vertex 1\nproperty x\n":                        "line 4: a property has a type and a name",
		head + "foo\n":                                                 `line 3: "foo" is no word of a PLY header`,
		head + "end_header\n":                                          "there is no element vertex with x, y and z",
		head + threeVertices + "end_header\n0 0 0 1 0 0 0 1\n":         "the file is truncated: 2 vertices of 3 are there",
		head + threeVertices + "end_header\nnan 0 0 nan 0 0 nan 1 1\n": "holds nothing that can be drawn (3 vertices)",
		"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n0123": "the file is truncated: 4000000000 vertices cannot be in the 4 bytes",
		head + "element chunk 1\nproperty float min_x\nelement vertex 1\nproperty uint packed_position\nend_header\n0 0\n":                        "splat-transform",
		head + "element vertex 9223372036854775807\nelement face 9223372036854775807\nend_header\n":                                               "there is no element vertex with x, y and z",
		head + "element nothing 9223372036854775807\nelement vertex 0\nend_header\n":                                                              "there is no element vertex with x, y and z",
	} {
		r := newReading(nil)
		if _, err := ReadPLY(&r.Reader, []byte(data)); err == nil || !strings.Contains(err.Error(), want) || r.peaked > 64<<10 {
			t.Errorf("%q: %v, want %q (%d bytes)", data, err, want, r.peaked)
		}
	}
}

// A header with CRLF, before a body that begins with the byte of \n.
func TestPLY_WhereTheBodyBegins(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		head := strings.ReplaceAll("ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty uchar x\nproperty uchar y\nproperty uchar z\nend_header\n", "\n", end)
		p := only(t, must(t, PLY, head+"\n\r\n", nil))
		same(t, fmt.Sprintf("%q", end), p.Positions, [][3]float32{{10, 13, 10}})
	}
}

func TestRoughness_OfExponents(t *testing.T) {
	for exponent, want := range map[float32]float32{0: 1, -5: 1, 30: 0.5, 510: 0.25, float32(math.Inf(1)): 0} {
		if got := roughnessOf(exponent); got != want {
			t.Errorf("%v: %v, want %v", exponent, got, want)
		}
	}
}
