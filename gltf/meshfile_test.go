package gltf

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

const objQuad = "mtllib a.mtl\nv 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3 4/4\n"

// pngOf is a picture of one row.
func pngOf(texels ...color.NRGBA) []byte {
	im := image.NewNRGBA(image.Rect(0, 0, len(texels), 1))
	for x, c := range texels {
		im.SetNRGBA(x, 0, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, im); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// readModel reads a model file of a name beside others.
func readModel(name, data string, files map[string][]byte) (*Document, error) {
	fsys := fstest.MapFS{}
	for n, b := range files {
		fsys[n] = &fstest.MapFile{Data: b}
	}
	return Read(context.Background(), strings.NewReader(data), fsys, name, nil)
}

func TestRead_OBJ_MaterialAndTexture(t *testing.T) {
	d, err := readModel("q.obj", objQuad, map[string][]byte{
		"a.mtl":        []byte("newmtl a\nKd 1 0 1\nKs 1 1 1\nNs 30\nmap_Kd -s 2 2 -clamp on tex/Wood.png\n"),
		"tex/Wood.png": pngOf(color.NRGBA{1, 2, 3, 255}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if d.Kind != "OBJ" || d.Form != "text" || d.Up != UpY || len(d.Warnings) != 0 {
		t.Errorf("%s, %s, %v, %q", d.Kind, d.Form, d.Up, d.Warnings)
	}
	p := d.Meshes[0].Primitives[0]
	m := p.Material
	if m.Index != 0 || m.BaseColorFactor != [4]float32{1, 0, 1, 1} || m.RoughnessFactor != 0.5 || m.MetallicFactor != 0 || !m.DoubleSided || m.AlphaMode != AlphaOpaque {
		t.Errorf("%+v", m)
	}
	ref := m.BaseColorTexture
	if ref == nil || ref.Texture.Image.URI != "tex/Wood.png" || ref.Texture.Sampler.WrapS != ClampToEdge {
		t.Fatalf("%+v", ref)
	}
	// The lower left corner, 0, 0 in the file, is 0, 1 in glTF, and twice it is read at 0, 2 - 1.
	if m := ref.Transform(); p.TexCoords[0][0] != [2]float32{0, 1} || m != [6]float32{2, 0, 0, 0, 2, -1} {
		t.Errorf("%v under %v", p.TexCoords[0][0], m)
	}
	if err := p.EnsureTangents(); err != nil {
		t.Error(err)
	}
}

// What has no material is grey, 0.6 in sRGB, and white where vertices have colours: ((0.6+0.055)/1.055)^2.4 = 0.3185468.
func TestRead_WithoutMaterial(t *testing.T) {
	for data, want := range map[string][4]float32{
		"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n":       {0.3185468, 0.3185468, 0.3185468, 1},
		"v 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n": {1, 1, 1, 1},
	} {
		d, err := readModel("a.obj", data, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := d.Meshes[0].Primitives[0].Material
		if m.Index != None || m.BaseColorFactor != want || m.MetallicFactor != 0 || m.RoughnessFactor != 0.5 || !m.DoubleSided {
			t.Errorf("%q: %+v", data, m)
		}
	}
}

func TestRead_UpAxis(t *testing.T) {
	stl := "solid\nfacet normal 0 0 1\nvertex 0 0 1\nvertex 1 0 1\nvertex 0 1 1\nendfacet\nendsolid\n"
	for _, c := range []struct {
		name, data string
		up, took   UpAxis
		box        mat.Box
	}{
		// Z up: x, y, z becomes x, z, -y.
		{"a.stl", stl, UpUsual, UpZ, mat.Box{Min: mat.DVec3{0, 1, -1}, Max: mat.DVec3{1, 1, 0}}},
		{"a.stl", stl, UpY, UpY, mat.Box{Min: mat.DVec3{0, 0, 1}, Max: mat.DVec3{1, 1, 1}}},
		{"a.obj", "v 1 2 3\nv 4 5 6\n", UpUsual, UpY, mat.Box{Min: mat.DVec3{1, 2, 3}, Max: mat.DVec3{4, 5, 6}}},
		{"a.obj", "v 1 2 3\nv 4 5 6\n", UpZ, UpZ, mat.Box{Min: mat.DVec3{1, 3, -5}, Max: mat.DVec3{4, 6, -2}}},
		{"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\nproperty int z\nend_header\n1 2 3\n", UpUsual, UpY, mat.Box{Min: mat.DVec3{1, 2, 3}, Max: mat.DVec3{1, 2, 3}}},
	} {
		d, err := Read(t.Context(), strings.NewReader(c.data), nil, c.name, &Options{Up: c.up})
		if err != nil {
			t.Fatal(err)
		}
		pose, err := d.Pose(d.FindScene(), NoAnimation, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := pose.Bounds(); got != c.box || d.Up != c.took {
			t.Errorf("%s, %v: %v, up %v, want %v", c.name, c.up, got, d.Up, c.box)
		}
		if w := pose.Items[0].World.Determinant3(); w != 1 {
			t.Errorf("%s: determinant %v", c.name, w)
		}
	}
	d := mustRead(t, rich().json())
	if d.Kind != "glTF" || d.Up != UpY || d.Form != "" {
		t.Errorf("glTF: %s, %v, %q", d.Kind, d.Up, d.Form)
	}
}

// texelsOf decodes a texture and returns its only row.
func texelsOf(t *testing.T, r *TextureRef) (row []color.NRGBA) {
	t.Helper()
	if r == nil {
		t.Fatal("there is no texture")
	}
	im, err := r.Texture.Image.DecodeNRGBA(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for x := range im.Rect.Dx() {
		row = append(row, im.NRGBAAt(x, 0))
	}
	return row
}

// Pictures that MTL keeps apart and glTF does not.
func TestRead_OBJ_PicturesMadeOfOthers(t *testing.T) {
	grey := func(v uint8) color.NRGBA { return color.NRGBA{v, v, v, 255} }
	files := map[string][]byte{
		"k.png":  pngOf(color.NRGBA{10, 20, 30, 255}, color.NRGBA{40, 50, 60, 255}),
		"d.png":  pngOf(grey(0), grey(200)),
		"c.png":  pngOf(color.NRGBA{7, 100, 9, 255}),
		"a.png":  pngOf(color.NRGBA{1, 2, 3, 50}, color.NRGBA{4, 5, 6, 255}),
		"r.png":  pngOf(grey(11), grey(22)),
		"m.png":  pngOf(grey(33)),
		"h.png":  pngOf(grey(0), grey(0), grey(255), grey(255)),
		"n.png":  pngOf(color.NRGBA{128, 128, 255, 255}, color.NRGBA{200, 128, 220, 255}),
		"up.png": pngOf(grey(9)),
	}
	material := func(text string) *Material {
		t.Helper()
		files["a.mtl"] = []byte("newmtl a\n" + text)
		d, err := readModel("q.obj", objQuad, files)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Warnings) > 0 {
			t.Errorf("%q: %q", text, d.Warnings)
		}
		for i, im := range d.Images {
			if im.Index != i {
				t.Errorf("image %d has index %d", i, im.Index)
			}
		}
		return d.Meshes[0].Primitives[0].Material
	}
	check := func(what string, got, want []color.NRGBA) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
	}
	m := material("map_Kd k.png\nmap_d d.png\n")
	check("alpha by luminance", texelsOf(t, m.BaseColorTexture), []color.NRGBA{{10, 20, 30, 0}, {40, 50, 60, 200}})
	if m.AlphaMode != AlphaBlend {
		t.Error("not blended")
	}
	m = material("map_Kd k.png\nmap_d a.png\n")
	check("alpha by alpha", texelsOf(t, m.BaseColorTexture), []color.NRGBA{{10, 20, 30, 50}, {40, 50, 60, 255}})
	m = material("map_Kd k.png\nmap_d -imfchan g c.png\n")
	check("alpha by green, of another size", texelsOf(t, m.BaseColorTexture), []color.NRGBA{{10, 20, 30, 100}, {40, 50, 60, 100}})
	m = material("map_d d.png\n")
	check("alpha alone", texelsOf(t, m.BaseColorTexture), []color.NRGBA{{255, 255, 255, 0}, {255, 255, 255, 200}})
	m = material("Pr 0.2\nPm 0.3\nmap_Pr r.png\nmap_Pm m.png\n")
	check("roughness and metalness", texelsOf(t, m.MetallicRoughnessTexture), []color.NRGBA{{255, 11, 33, 255}, {255, 22, 33, 255}})
	if m.RoughnessFactor != 1 || m.MetallicFactor != 1 {
		t.Errorf("factors %v and %v", m.RoughnessFactor, m.MetallicFactor)
	}
	m = material("Pm 0.3\nmap_Pr r.png\n")
	check("roughness alone", texelsOf(t, m.MetallicRoughnessTexture), []color.NRGBA{{255, 11, 255, 255}, {255, 22, 255, 255}})
	if m.MetallicFactor != 0.3 {
		t.Errorf("metalness %v", m.MetallicFactor)
	}
	m = material("map_Pr c.png\nmap_Pm c.png\n")
	check("one picture of both", texelsOf(t, m.MetallicRoughnessTexture), []color.NRGBA{{7, 100, 9, 255}})
	// Heights 0 0 1 1 repeat: at the second texel the slope to the right is 1, so that the normal is (-1, 0, 1)/√2: 127.5·(1 - 0.7071) = 37.3, 127.5, 217.7.
	m = material("map_Bump h.png\n")
	check("normals of heights", texelsOf(t, m.NormalTexture), []color.NRGBA{{218, 128, 218, 255}, {37, 128, 218, 255}, {37, 128, 218, 255}, {218, 128, 218, 255}})
	// The same from bottom to top: what rises upwards leans down, to green below the middle.
	upright := image.NewNRGBA(image.Rect(0, 0, 1, 4))
	for y := range 2 {
		upright.SetNRGBA(0, y, grey(255))
		upright.SetNRGBA(0, 2+y, grey(0))
	}
	var b bytes.Buffer
	if err := png.Encode(&b, upright); err != nil {
		t.Fatal(err)
	}
	files["v.png"] = b.Bytes()
	m = material("map_Bump v.png\n")
	if im, err := m.NormalTexture.Texture.Image.DecodeNRGBA(t.Context()); err != nil || im.NRGBAAt(0, 1) != (color.NRGBA{128, 37, 218, 255}) || im.NRGBAAt(0, 3) != (color.NRGBA{128, 218, 218, 255}) {
		t.Errorf("%v, %v", im, err)
	}
	m = material("map_Bump -bm 0 h.png\n")
	check("no bumps", texelsOf(t, m.NormalTexture)[:1], []color.NRGBA{{128, 128, 255, 255}})
	m = material("bump n.png\n")
	check("normals as bumps", texelsOf(t, m.NormalTexture), []color.NRGBA{{128, 128, 255, 255}, {200, 128, 220, 255}})
	m = material("norm h.png\n")
	check("normals as they are", texelsOf(t, m.NormalTexture)[:1], []color.NRGBA{{0, 0, 0, 255}})
	m = material("map_Ke k.png\nmap_Ks r.png\nPc 0.5\n")
	if m.EmissiveFactor != [3]float32{1, 1, 1} || m.EmissiveTexture == nil || m.Specular == nil || m.Specular.ColorTexture == nil || m.Clearcoat == nil || m.Clearcoat.Factor != 0.5 {
		t.Errorf("%+v", m)
	}
}

func TestRead_OBJ_NamesOfOtherMachines(t *testing.T) {
	files := map[string][]byte{"Wood.PNG": pngOf(color.NRGBA{1, 2, 3, 255}), "tex/b.png": pngOf(color.NRGBA{1, 2, 3, 255})}
	for name, want := range map[string]string{
		"Wood.PNG":                "",
		`.\Wood.PNG`:              "",
		"./tex//b.png":            "",
		`tex\b.png`:               "",
		`C:\a b\Wood.PNG`:         `"C:\\a b\\Wood.PNG" is not there; the one in the model's folder is used`,
		"/home/me/Wood.PNG":       "is not there; the one in the model's folder is used",
		"../../Wood.PNG":          "is not there; the one in the model's folder is used",
		"wood.png":                `"wood.png" is not there; "Wood.PNG" in the model's folder is used`,
		"textures/WOOD.png":       `"Wood.PNG" in the model's folder is used`,
		"gone.png":                `the texture is lost: "gone.png": there is no such file in the model's folder`,
		"../../../etc/passwd":     `the texture is lost: "../../../etc/passwd": there is no such file`,
		"tex":                     `the texture is lost: "tex": "tex" is not a regular file`,
		"a.mtl":                   "the texture is lost: images[0] (\"a.mtl\"): is neither",
		"..":                      "the texture is lost",
		"file:///etc/passwd":      "the texture is lost",
		"tex/%2e%2e/Wood.PNG":     "is used", // no URI: % is a letter
		"\x00Wood.PNG":            "the texture is lost",
		strings.Repeat("x", 9999): "the texture is lost",
	} {
		files["a.mtl"] = []byte("newmtl a\nmap_Kd " + name + "\n")
		d, err := readModel("q.obj", objQuad, files)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		lost := strings.HasPrefix(want, "the texture is lost")
		switch {
		case want == "" && len(d.Warnings) != 0, want != "" && (len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], want)):
			t.Errorf("%q: told %q, want %q", name, d.Warnings, want)
		case lost != (d.Materials[0].BaseColorTexture == nil) || lost != (len(d.Losses) == 1):
			t.Errorf("%q: lost %v, told %q", name, d.Materials[0].BaseColorTexture == nil, d.Losses)
		}
	}
	d, err := Read(t.Context(), strings.NewReader(objQuad), nil, "q.obj", nil)
	if err != nil || len(d.Losses) != 2 || !strings.Contains(d.Losses[0], "other files cannot be read here") {
		t.Errorf("%v, %v", d, err)
	}
}

func TestRead_WhatIsNoModelIsNamed(t *testing.T) {
	for name, c := range map[string]struct{ file, data, want string }{
		"empty":        {"a.glb", "", "a.glb: the file is empty"},
		"spaces":       {"a.gltf", " \n", "a.gltf: the file is empty"},
		"FBX":          {"a.fbx", "Kaydara FBX Binary", "a.fbx: FBX is not read (glTF as .gltf and .glb, OBJ, STL and PLY are): FBX2glTF"},
		"PNG":          {"a.glb", string(pngOf(color.NRGBA{})), "a.glb: is a PNG picture, no model"},
		"KTX 2":        {"d.ktx2", "\xabKTX 20\xbb\r\n\x1a\n", "d.ktx2: is a KTX 2 picture, no model"},
		"text":         {"a.glb", "hello", "a.glb: is no model of a kind that is read (glTF as .gltf and .glb, OBJ, STL and PLY)"},
		"text as glTF": {"a.gltf", "hello", `a.gltf: is no model of a kind that is read (glTF as .gltf and .glb, OBJ, STL and PLY): it is text that begins with "hello"`},
		"a list":       {"a.gltf", "[]", "a.gltf: is no model of a kind that is read (glTF as .gltf and .glb, OBJ, STL and PLY): it is JSON, but no object"},
		"OBJ":          {"a.obj", "v\nv\n", "a.obj: holds nothing that can be drawn"},
		"PLY":          {"x", "ply\nformat ascii 1.0\nfoo\n", `x: line 3: "foo" is no word of a PLY header`},
	} {
		_, err := readModel(c.file, c.data, nil)
		var e *Error
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !errors.As(err, &e) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Memory that was charged is given back when reading fails, and a picture that has none is an error, not lost.
func TestRead_OBJ_Budget(t *testing.T) {
	files := fstest.MapFS{"a.mtl": {Data: []byte("newmtl a\nmap_Kd big.png\n")}, "big.png": {Data: append(pngOf(color.NRGBA{1, 2, 3, 4}), make([]byte, 1<<20)...)}}
	b := budget.New(512<<10, "the test's limit")
	_, err := Read(t.Context(), strings.NewReader(objQuad), files, "q.obj", &Options{Budget: b})
	var short *budget.Error
	if !errors.As(err, &short) || b.Used() != 0 {
		t.Errorf("%v; %d bytes are charged", err, b.Used())
	}
	for most := int64(70 << 10); most < 80<<10; most += 256 {
		b := budget.New(most, "the test's limit")
		d, err := Read(t.Context(), strings.NewReader(objQuad), files, "q.obj", &Options{Budget: b})
		if err == nil || b.Used() != 0 {
			t.Errorf("%v; %d bytes are charged", d, b.Used())
		}
	}
}

// What is read can be posed, measured and completed, whatever was in the file.
func FuzzModelFile(f *testing.F) {
	f.Add(objQuad)
	f.Add("ply\nformat ascii 1.0\nelement vertex 3\nproperty int x\nproperty int y\nproperty int z\nelement face 1\nproperty list int int vertex_index\nend_header\n0 0 0 1 0 0 0 1 0 3 0 1 2\n")
	f.Add("solid\nfacet normal 0 0 1\nvertex 0 0 1\nvertex 1 0 1\nvertex 0 1 1\nendfacet\nendsolid\n")
	f.Add("Kaydara FBX Binary")
	f.Fuzz(func(t *testing.T, data string) {
		fsys := fstest.MapFS{"a.mtl": {Data: []byte(data)}, "b.png": {Data: pngOf(color.NRGBA{1, 2, 3, 4})}}
		d, err := Read(t.Context(), strings.NewReader(data), fsys, "model.gltf", &Options{Budget: budget.New(4<<20, "the test's limit")})
		if err != nil {
			wellFormed(t, err)
			return
		}
		for _, im := range d.Images {
			if _, err := im.DecodeNRGBA(t.Context()); err != nil {
				wellFormed(t, err)
			}
		}
		for _, m := range d.Meshes {
			for _, p := range m.Primitives {
				if err := p.EnsureTangents(); err != nil {
					wellFormed(t, err)
				}
			}
		}
		if p, err := d.Pose(d.FindScene(), NoAnimation, 0); err == nil {
			if b := p.Bounds(); math.IsNaN(float64(b.Min[0])) {
				t.Fatal(b)
			}
		}
	})
}
