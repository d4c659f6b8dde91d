package gltf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

// lostImages are images that cannot be had, with what is said of them.
func lostImages() map[string]struct {
	image obj
	want  string
} {
	whole := tinyPNG()
	type c = struct {
		image obj
		want  string
	}
	data := func(b []byte) obj { return obj{"uri": "data:image/png;base64," + base64Of(b)} }
	return map[string]c{
		"missing":                 {obj{"uri": "gone.png"}, `images[0].uri: "gone.png" cannot be read: file does not exist`},
		"missing in a folder":     {obj{"uri": "tex/gone.png"}, `"tex/gone.png" cannot be read`},
		"a folder":                {obj{"uri": "tex"}, `"tex" is not a regular file`},
		"outside":                 {obj{"uri": "../a.png"}, "leaves the model's folder: --assets DIR (Options.Assets)"},
		"URL":                     {obj{"uri": "https://example.com/a.png"}, "nothing is fetched"},
		"empty file":              {obj{"uri": "empty.png"}, "is neither PNG, JPEG, WebP, KTX 2 nor DDS"},
		"a web page":              {obj{"uri": "page.png"}, "is neither PNG, JPEG, WebP, KTX 2 nor DDS"},
		"header cut":              {obj{"uri": "cut.png"}, "bad header"},
		"KTX 2 cut":               {obj{"uri": "cut.ktx2"}, "bad header"},
		"WebP cut":                {obj{"uri": "cut.webp"}, "bad header"},
		"JPEG cut":                {obj{"uri": "cut.jpg"}, "bad header"},
		"GIF cut":                 {obj{"uri": "a.gif"}, "bad header"},
		"data cut":                {data(whole[:20]), "images[0]: bad header"},
		"data of something":       {data([]byte("hello")), "images[0]: is neither PNG"},
		"data is no base64":       {obj{"uri": "data:image/png;base64,*"}, "images[0].uri: data URI: illegal base64"},
		"data without a comma":    {obj{"uri": "data:image/png"}, "data URI without a comma"},
		"no such view":            {obj{"bufferView": 9, "mimeType": "image/png"}, "images[0].bufferView: index 9 out of range"},
		"neither uri nor view":    {obj{}, "images[0].bufferView: is missing"},
		"in a view, cut":          {obj{"bufferView": 2}, "images[0]: bad header"},
		"in a view that is wrong": {obj{"bufferView": 3}, "bufferViews[3].byteLength: 999999 bytes from offset 0 do not fit"},
		"in an empty view":        {obj{"bufferView": 4}, "images[0]: is neither PNG"},
	}
}

func base64Of(b []byte) string {
	text, _ := json.Marshal(b)
	return string(bytes.Trim(text, `"`))
}

// picturedBy is a triangle whose material has an image as its base colour and as its normals.
func picturedBy(image obj) *maker {
	m := newMaker()
	position := m.unitTriangle()
	uv := m.add("VEC2", compFloat, 3, []float32{0, 0, 1, 0, 0, 1})
	m.addView(tinyPNG()[:20], 0)
	m.view = append(m.view, obj{"buffer": 0, "byteLength": 999999}, obj{"buffer": 0, "byteLength": 0})
	m.doc["images"], m.doc["textures"] = arr{image}, arr{obj{"source": 0}}
	m.doc["materials"] = arr{
		obj{"pbrMetallicRoughness": obj{"baseColorTexture": obj{"index": 0}}, "normalTexture": obj{"index": 0}},
		obj{},
	}
	m.primitive(obj{"attributes": obj{"POSITION": position, "TEXCOORD_0": uv}, "material": 0})
	return m
}

// A texture without its image is left out of what is drawn with it, and nothing else is lost.
func TestImages_ThatCannotBeHad(t *testing.T) {
	fsys := fstest.MapFS{
		"tex": {Mode: fs.ModeDir}, "empty.png": {}, "page.png": {Data: []byte("<!DOCTYPE html>")}, "cut.png": {Data: tinyPNG()[:20]},
		"cut.ktx2": {Data: testFile(t, "texture/testdata/uastc.ktx2")[:50]}, "cut.webp": {Data: testFile(t, "input/testdata/lossless.webp")[:20]},
		"cut.jpg": {Data: []byte("\xff\xd8\xff\xe0\x00\x10JFIF")}, "a.gif": {Data: []byte("GIF89a")},
	}
	// Of the views that the maker has for them.
	others := []string{"bufferViews[3]", "bufferViews[4]"}
	for name, c := range lostImages() {
		t.Run(name, func(t *testing.T) {
			m := picturedBy(c.image)
			d, err := read(m.json(), fsys, nil)
			if err != nil {
				t.Fatal(err)
			}
			losses := slices.DeleteFunc(slices.Clone(d.Losses), func(s string) bool {
				return !strings.Contains(s, "texture") && slices.ContainsFunc(others, func(o string) bool { return strings.Contains(s, o) })
			})
			if len(losses) != 1 || !strings.Contains(losses[0], "textures[0]: the texture is lost: ") || !strings.Contains(losses[0], c.want) {
				t.Errorf("losses %q, want one that says %q", losses, c.want)
			}
			g := d.Materials[0]
			if g.BaseColorTexture != nil || g.NormalTexture != nil || d.Textures[0].Image != nil {
				t.Error("the texture is there")
			}
			if got := drawn(t, d, NoAnimation, 0); !slices.Equal(got, [][3]float64{{1, 2, 3}}) {
				t.Errorf("drawn at %v", got)
			}
			if err := d.CheckImages(t.Context()); err != nil {
				t.Error(err)
			}

			// Where nothing is drawn with it, nothing is lost.
			at(m.doc, "meshes", 0, "primitives", 0).(obj)["material"] = 1
			for _, change := range []func(){func() {}, func() { m.doc["materials"] = arr{obj{}, obj{}} }, func() { m.doc["textures"] = arr{} }} {
				change()
				d, err := read(m.json(), fsys, nil)
				if err != nil {
					t.Fatal(err)
				}
				if i := slices.IndexFunc(d.Losses, func(s string) bool { return strings.Contains(s, "texture") || strings.Contains(s, "image") }); i >= 0 {
					t.Errorf("unused: %q", d.Losses[i])
				}
			}
		})
	}
}

// What headers do not tell is found where an image is decoded.
func TestImages_ThatCannotBeDecoded(t *testing.T) {
	whole := tinyPNG()
	lossless := testFile(t, "input/testdata/lossless.webp")
	ktx := testFile(t, "texture/testdata/etc1s-alpha-mips.ktx2")
	fsys := fstest.MapFS{
		"cut.png": {Data: whole[:len(whole)-20]}, "cut.webp": {Data: lossless[:len(lossless)-2000]}, "cut.ktx2": {Data: ktx[:len(ktx)-5]},
	}
	for _, image := range []obj{{"uri": "cut.png"}, {"uri": "cut.webp"}, {"uri": "cut.ktx2"}, {"uri": "data:;base64," + base64Of(whole[:len(whole)-20])}} {
		m := picturedBy(image)
		m.view = m.view[:2]
		d := mustReadFS(t, m.json(), fsys)
		if len(d.Losses) != 0 {
			t.Fatalf("%q", d.Losses)
		}
		if err := d.CheckImages(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(d.Losses) != 1 || !strings.Contains(d.Losses[0], "textures[0]: the texture is lost: images[0]") || !strings.Contains(d.Losses[0], ": decoding: ") {
			t.Errorf("losses %q", d.Losses)
		}
		if d.Textures[0].Image != nil || d.Images[0] == nil {
			t.Error("the texture keeps its image")
		}
		d, err := read(m.json(), fsys, &Options{Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		checkError(t, d.CheckImages(t.Context()), ": decoding: ")
	}
	// No memory is no fault of the image's.
	o := small(1 << 20)
	m := picturedBy(obj{"uri": "data:;base64," + base64Of(pictureOf(300))})
	m.view = m.view[:2]
	d, err := read(m.json(), nil, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Budget.Take(o.Budget.Limit() - o.Budget.Used()); err != nil {
		t.Fatal(err)
	}
	if err := d.CheckImages(t.Context()); err == nil || d.Textures[0].Image == nil {
		t.Errorf("%v", err)
	}
}

func mustReadFS(t *testing.T, text []byte, fsys fs.FS) *Document {
	t.Helper()
	d, err := read(text, fsys, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Files beside the model's folder are read where Options.Assets says so, and no others.
func TestLoad_Assets(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"models/a", "shared/tex", "secret"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"models/a/own", "models/mid", "shared/tex/c", "secret/s"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("1234"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	links := os.Symlink("../../secret/s", filepath.Join(dir, "shared/tex/link")) == nil
	const leaves = "leaves the model's folder"
	links = links && os.Symlink("../../shared/tex/c", filepath.Join(dir, "models/a/out-link")) == nil
	for _, c := range []struct{ assets, uri, want string }{
		{"", "out-link", "cannot be read"},
		{"shared", "out-link", "cannot be read"}, // the link itself is in neither
		{".", "out-link", ""},
		{"", "own", ""},
		{"", "../a/own", ""}, // which is inside
		{"", "../../models/a/own", ""},
		{"", "x/../own", ""},
		{"", "../mid", leaves + ": --assets DIR (Options.Assets) allows"},
		{"", "../../shared/tex/c", leaves},
		{"shared", "../../shared/tex/c", ""},
		{"shared/tex", "../../shared/tex/c", ""},
		{".", "../../shared/tex/c", ""},
		{".", "../mid", ""},
		{".", "own", ""},
		{"models", "../mid", ""},
		{"models", "../../shared/tex/c", leaves + " and that of --assets DIR"},
		{"shared", "../mid", leaves + " and that of"},
		{"shared", "../../shared/../secret/s", leaves + " and that of"},
		{"shared", "../../sharedx/c", leaves + " and that of"},
		{".", "../../../etc/passwd", leaves + " and that of"},
		{"shared", "../../shared/tex/link", "cannot be read"},
		{"shared", "/etc/passwd", "is an absolute path"},
		{"shared", "own", ""},
		{"none", "own", "the folder "},
	} {
		if strings.HasSuffix(c.uri, "link") && !links {
			continue
		}
		path := filepath.Join(dir, "models/a/model.gltf")
		if err := os.WriteFile(path, bufferAt(c.uri, 4), 0o644); err != nil {
			t.Fatal(err)
		}
		var opt Options
		if c.assets != "" {
			opt.Assets = filepath.Join(dir, c.assets)
		}
		_, err := Load(t.Context(), path, &opt)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s with %q: %v, want %q", c.uri, c.assets, err, c.want)
		}
	}
}

// URIs that are written as no URI is, and can only mean one file.
func TestURIs_AsExportersWriteThem(t *testing.T) {
	fsys := fstest.MapFS{"tex/a b.bin": {Data: make([]byte, 4)}, "100%.bin": {Data: make([]byte, 4)}, "c%20d.bin": {Data: make([]byte, 4)}}
	for uri, want := range map[string]string{
		`tex\a b.bin`:          "has backslashes, which were taken for slashes",
		`.\tex\a%20b.bin`:      "has backslashes, which were taken for slashes",
		`x\..\tex\a b.bin`:     "has backslashes",
		"100%.bin":             "has a % that begins no escape, and was taken as it is",
		"c%20d.bin":            "is a file's name as it is, with nothing escaped",
		"x/../c%20d.bin":       "is a file's name as it is",
		"x/%2e%2e/100%.bin":    "",
		"tex%2Fa%20b.bin":      "ok",
		"x/%2e%2e/tex/a b.bin": "ok",
	} {
		switch want {
		case "ok":
			if _, err := read(bufferAt(uri, 4), fsys, &Options{Strict: true}); err != nil {
				t.Errorf("%s: %v", uri, err)
			}
		case "":
			if _, err := read(bufferAt(uri, 4), fsys, nil); err == nil {
				t.Errorf("%s: is read", uri)
			}
		default:
			tolerated(t, bufferAt(uri, 4), fsys, want)
		}
	}
}

// What is no model is said to be what it is.
func TestErrors_OtherFiles(t *testing.T) {
	const none = "is no model of a kind that is read (glTF as .gltf and .glb, OBJ, STL and PLY): "
	for text, want := range map[string]string{
		" \n":                      "the file is empty",
		"\x00\x00":                 "the file is empty",
		"# Blender 4.2\no Cube\n":  none + `it is text that begins with "# Blender 4.2"`,
		"Kaydara FBX Binary  \x00": "FBX is not read",
		"PK\x03\x04":               "a ZIP archive is not read",
		"\x1f\x8b\x08":             "a file packed by gzip is not read",
		"\x89PNG\r\n\x1a\n":        none, // too short to be one
		"<!DOCTYPE html>":          "a web page is not read",
		"b3dm\x01\x00\x00\x00":     "3D Tiles' b3dm is not read",
		"\xff\xfe{\x00":            "text of UTF-16 is not read",
		"version https://git-lfs.github.com/spec/v1\noid": "a pointer of Git LFS is not read",
		"\x01\x02\x03\xff": none + "its first bytes are 01 02 03 ff",
		"[1]":              none + "it is JSON, but no object",
		`"glTF"`:           none + "it is JSON, but no object",
	} {
		_, err := read([]byte(text), nil, nil)
		checkError(t, err, "model.gltf: "+want)
	}
	for text, want := range map[string]string{
		`{}`:             "is JSON, but no glTF: it has neither asset nor scenes, nodes or meshes",
		`{"name":"app"}`: "is JSON, but no glTF",
		`{"asset":{"version":"1.0"},"meshes":{"m":{}}}`: "asset: glTF 1.0 is not supported (2.0 is): convert it",
		`{"meshes":{"m":{}}}`:                           "glTF 1.0 is not supported",
		`{"asset":{"version":"1.1"}}`:                   "glTF 1.0 is not supported",
		`{"asset":{"version":1}}`:                       "glTF 1.0 is not supported",
		`{"asset":{"version":"0.8"}}`:                   "glTF 1.0 is not supported",
		`{"asset":{"version":"3.0"}}`:                   `glTF version "3.0" is not supported`,
		`{"asset":{"version":"2.0"},`:                   "JSON: the file is truncated: its text ends in line 1",
		"{\"asset\":\n{\"ver":                           "JSON: the file is truncated: its text ends in line 2",
		`{"asset":{"version":"2.0"},}`:                  "JSON: line 1: invalid character '}'",
		`{"asset":{"version":"2.0"}} x`:                 "JSON: line 1: invalid character 'x' after top-level value",
	} {
		_, err := read([]byte(text), nil, nil)
		checkError(t, err, want)
	}
	for _, asset := range []string{`{"version":2.0}`, `{"version":"2"}`, `{"generator":"x"}`, `{"version":"2.0","generator":7}`} {
		text := fmt.Sprintf(`{"asset":%s,"nodes":[{"name":true}]}`, asset)
		if _, err := read([]byte(text), nil, nil); err != nil {
			t.Errorf("%s: %v", asset, err)
		}
	}
	d := mustRead(t, append([]byte(`{"asset":{"version":"2.0"},"nodes":[{"name":3,"translation":[1,2,3]}]}`), 0, 0, 0))
	if d.Nodes[0].Translation != (mat.DVec3{1, 2, 3}) || len(d.Losses) != 2 {
		t.Errorf("%v, losses %q", d.Nodes[0], d.Losses)
	}
}
