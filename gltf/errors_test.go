package gltf

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pumice-gpu/pumice/budget"
)

// edit applies a change to a copy of the rich document and returns its text.
func edit(t *testing.T, change func(doc obj)) []byte {
	t.Helper()
	var doc obj
	if err := json.Unmarshal(rich().json(), &doc); err != nil {
		t.Fatal(err)
	}
	change(doc)
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// at walks to a place of a JSON document.
func at(v any, path ...any) any {
	for _, p := range path {
		switch k := p.(type) {
		case string:
			v = v.(obj)[k]
		case int:
			v = v.(arr)[k]
		}
	}
	return v
}

func TestErrors_NameFileAndPlace(t *testing.T) {
	set := func(value any, path ...any) func(obj) {
		return func(d obj) {
			parent := at(d, path[:len(path)-1]...)
			switch k := path[len(path)-1].(type) {
			case string:
				if value == nil {
					delete(parent.(obj), k)
				} else {
					parent.(obj)[k] = value
				}
			case int:
				parent.(arr)[k] = value
			}
		}
	}
	const told, refused = true, false
	for _, c := range []struct {
		name   string
		change func(obj)
		want   string
		told   bool // an error with Options.Strict alone
	}{
		{"accessor view", set(99, "accessors", 3, "bufferView"), "model.gltf: accessors[3].bufferView: index 99 out of range (16 buffer views)", refused},
		{"negative index", set(-1, "accessors", 3, "bufferView"), "accessors[3].bufferView: index -1 out of range", refused},
		{"fractional index", set(1.5, "accessors", 3, "bufferView"), "accessors[3].bufferView: JSON value \"1.5\" where an integer is expected", refused},
		{"accessor type", set("VEC5", "accessors", 0, "type"), `accessors[0].type: "VEC5" is not`, refused},
		{"component type", set(5124, "accessors", 0, "componentType"), "attributes.POSITION: accessors[0] holds INT, which is not allowed here", refused},
		{"count zero", set(0, "accessors", 0, "count"), "meshes[0].primitives[0]: its accessors have no elements: the primitive is not drawn", told},
		{"count absurd", set(2e9, "accessors", 0, "count"), "accessors[0]: 2000000000 elements need", refused},
		{"count overflow", set(json.Number("9223372036854775807"), "accessors", 0, "count"), "accessors[0].count: 9223372036854775807 is outside", refused},
		{"count missing", set(nil, "accessors", 0, "count"), "accessors[0].count: is missing", refused},
		{"absurd zero accessor", func(d obj) {
			delete(at(d, "accessors", 0).(obj), "bufferView")
			at(d, "accessors", 0).(obj)["count"] = 2000000000
		}, "accessors[0]: decoding 2000000000 elements: needs 22.35 GiB", refused},
		{"offset negative", set(-4, "accessors", 0, "byteOffset"), "accessors[0].byteOffset: -4 is outside", refused},
		{"normalized float", set(true, "accessors", 0, "normalized"), "accessors[0].normalized: FLOAT cannot be normalized", told},
		{"view length", set(int64(1<<40), "bufferViews", 1, "byteLength"), "bufferViews[1].byteLength: 1099511627776 bytes from offset", refused},
		{"view offset", set(int64(1<<40), "bufferViews", 1, "byteOffset"), "bufferViews[1].byteOffset", refused},
		{"view stride", set(7, "bufferViews", 0, "byteStride"), "bufferViews[0].byteStride: 7 is less than the 12 bytes", refused},
		{"stride too small", set(8, "bufferViews", 0, "byteStride"), "bufferViews[0].byteStride: 8 is less than the 12 bytes", refused},
		{"buffer short", set(1<<20, "buffers", 0, "byteLength"), "buffers[0].byteLength: 1048576 bytes are declared", told},
		{"buffer without data", set(nil, "buffers", 0, "uri"), "buffers[0].uri: is missing", refused},
		{"base64", set("data:;base64,!!", "buffers", 0, "uri"), "buffers[0].uri: data URI: illegal base64", refused},
		{"data URI", set("data:x", "buffers", 0, "uri"), "buffers[0].uri: data URI without a comma", refused},
		{"no files here", set("a.bin", "buffers", 0, "uri"), "buffers[0].uri: \"a.bin\": other files cannot be read here", refused},
		{"sparse count", set(9, "accessors", 7, "sparse", "count"), "accessors[7].sparse.count: 9 is outside 1 … 4", refused},
		{"sparse type", set(5126, "accessors", 7, "sparse", "indices", "componentType"), "accessors[7].sparse.indices.componentType: FLOAT is not an unsigned integer", refused},
		{"count mismatch", set(3, "accessors", 1, "count"), "meshes[0].primitives[0].attributes.NORMAL: accessors[1] has 3 elements, must have 4", refused},
		{"attribute type", set(2, "meshes", 0, "primitives", 0, "attributes", "POSITION"), "attributes.POSITION: accessors[2] is VEC2, must be VEC3", refused},
		{"attribute component", set(10, "meshes", 0, "primitives", 0, "attributes", "JOINTS_0"), "attributes.JOINTS_0", refused},
		{"mode", set(7, "meshes", 0, "primitives", 0, "mode"), "meshes[0].primitives[0].mode: 7 is outside 0 … 6", refused},
		{"material index", set(3, "meshes", 0, "primitives", 0, "material"), "primitives[0].material: index 3 out of range (1 materials)", told},
		{"joints alone", set(nil, "meshes", 0, "primitives", 0, "attributes", "WEIGHTS_0"), "JOINTS_0 and WEIGHTS_0 must come together", told},
		{"mesh weights", set(arr{1, 2}, "meshes", 0, "weights"), "meshes[0].weights: has 2 numbers, must have 1", told},
		{"no primitives", set(arr{}, "meshes", 0, "primitives"), "meshes[0].primitives: is missing or empty", told},
		{"primitive null", set(nil, "meshes", 0, "primitives", 0), "meshes[0].primitives[0]: must be an object", refused},
		{"cycle", set(arr{0}, "nodes", 3, "children"), "nodes[0]: is its own ancestor", refused},
		{"self", set(arr{4}, "nodes", 4, "children"), "nodes[4]: is its own ancestor", refused},
		{"two parents", set(arr{3}, "nodes", 4, "children"), "nodes[4].children[0]: nodes[3] has a parent already, nodes[1]", told},
		{"matrix length", set(arr{1}, "nodes", 3, "matrix"), "nodes[3].matrix: has 1 numbers, must have 16", refused},
		{"matrix and TRS", set(arr{1, 1, 1}, "nodes", 3, "scale"), "nodes[3].matrix: excludes", told},
		{"zero rotation", set(arr{0, 0, 0, 0}, "nodes", 1, "rotation"), "nodes[1].rotation: has length 0", told},
		{"number overflow", set(json.Number("1e999"), "nodes", 1, "scale", 0), "nodes[1].scale: 1e999 is out of range: the largest number stands for it", told},
		{"light index", set(obj{"KHR_lights_punctual": obj{"light": 5}}, "nodes", 3, "extensions"), "nodes[3].extensions.KHR_lights_punctual.light: index 5", told},
		{"joint index", set(arr{0}, "skins", 0, "joints"), "nodes[2].skin: meshes[0].primitives[0] uses joint 1, skins[0] has 1 joints", refused},
		{"no joints", set(nil, "skins", 0, "joints"), "skins[0].joints: is missing or empty", told},
		{"scene root", set(arr{1}, "scenes", 0, "nodes"), "scenes[0].nodes[0]: nodes[1] is not a root", told},
		{"scene twice", set(arr{0, 0}, "scenes", 0, "nodes"), "scenes[0].nodes[1]: nodes[0] is listed twice", told},
		{"scene index", set(5, "scene"), "scene: index 5 out of range (1 scenes)", told},
		{"yfov", set(0, "cameras", 0, "perspective", "yfov"), "cameras[0].perspective.yfov: 0 must be greater", told},
		{"zfar", set(0.05, "cameras", 0, "perspective", "zfar"), "cameras[0].perspective.zfar", told},
		{"camera type", set("fish", "cameras", 0, "type"), `cameras[0].type: "fish" is not`, told},
		{"light type", set("sun", "extensions", "KHR_lights_punctual", "lights", 0, "type"), "extensions.KHR_lights_punctual.lights[0].type", told},
		{"interpolation", set("BEZIER", "animations", 0, "samplers", 0, "interpolation"), `animations[0].samplers[0].interpolation: "BEZIER"`, told},
		{"animation output", set(8, "animations", 0, "samplers", 2, "output"), "animations[0].samplers[2].output", told},
		{"animation twice", set("translation", "animations", 0, "channels", 2, "target", "path"), "animations[0]", told},
		{"channel node", set(77, "animations", 0, "channels", 0, "target", "node"), "animations[0].channels[0].target.node: index 77", told},
		{"texture source", set(4, "textures", 0, "source"), "textures[0].source: index 4 out of range (1 images)", told},
		{"texture index", set(4, "materials", 0, "normalTexture", "index"), "materials[0].normalTexture.index: index 4", told},
		{"filter", set(1, "samplers", 0, "magFilter"), "samplers[0].magFilter: 1 is not a filter", told},
		{"wrap", set(1, "samplers", 0, "wrapS"), "samplers[0].wrapS: 1 is not a wrapping mode", told},
		{"alpha mode", set("GLASS", "materials", 0, "alphaMode"), `materials[0].alphaMode: "GLASS"`, told},
		{"factor", set(arr{2, 0, 0, 1}, "materials", 0, "pbrMetallicRoughness", "baseColorFactor"), "baseColorFactor: 2 is out of range: 1 stands for it", told},
		{"image content", set(0, "images", 0, "bufferView"), "images[0]: is neither PNG, JPEG, WebP, KTX 2 nor DDS", told},
		{"required extension", set(arr{"KHR_nothing"}, "extensionsRequired"), `extensionsRequired[0]: "KHR_nothing" is not supported`, refused},
		{"version", set("1.0", "asset", "version"), "asset: glTF 1.0 is not supported", refused},
		{"no asset", set(nil, "asset"), "asset.version: is missing", told},
		{"list type", set(obj{}, "nodes"), "nodes: JSON object where an array is expected", refused},
		{"element type", set(3, "nodes", 0), "nodes[0]: must be an object", refused},
		{"forged line", set("x\nmodel.gltf: fine", "accessors", 0, "type"), `"x\nmodel.gltf: fine"`, refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := edit(t, c.change)
			_, err := read(text, nil, &Options{Strict: c.told})
			checkError(t, err, c.want)
			if !c.told {
				return
			}
			d, err := read(text, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(slices.DeleteFunc(slices.Clone(d.Losses), func(s string) bool { return !strings.Contains(s, c.want) })); n != 1 {
				t.Errorf("%d of the losses %q tell of it", n, d.Losses)
			}
		})
	}
}

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is not an *Error", err)
	}
	got := err.Error()
	if !strings.Contains(got, want) || !strings.HasPrefix(got, "model.gl") || strings.Contains(got, "\n") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestErrors_NotJSON(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "model.gltf: the file is empty",
		"{\n\n x":              "model.gltf: JSON: line 3: invalid character",
		"[]":                   "STL and PLY): it is JSON, but no object",
		"null":                 "STL and PLY): it is JSON, but no object",
		`{"asset":{"version"`:  "JSON: the file is truncated: its text ends in line 1",
		`{"asset":{"version":`: "JSON: the file is truncated: its text ends in line 1",
		"glTF":                 "model.gltf: GLB header: the file is truncated: it has 4 bytes",
	} {
		_, err := read([]byte(text), nil, nil)
		checkError(t, err, want)
	}
}

func TestErrors_GLB(t *testing.T) {
	good := rich().glb()
	patch := func(at int, v uint32) []byte {
		b := bytes.Clone(good)
		copy(b[at:], bytesOf(v))
		return b
	}
	const told, refused = true, false
	for _, c := range []struct {
		name string
		data []byte
		want string
		told bool
	}{
		{"version", patch(4, 1), "GLB header: glTF 1.0 is not supported", refused},
		{"version 3", patch(4, 3), "GLB header: version 3 is not supported", refused},
		{"truncated", good[:12+8+int(binary.LittleEndian.Uint32(good[12:]))+8+20], "; the file is truncated: ", refused},
		{"padding", good[:len(good)-1], "GLB chunk 1: is truncated", told},
		{"length", patch(8, 3), "GLB header: the length is 3, the chunks end at", told},
		{"length beyond", patch(8, uint32(len(good)+4)), "GLB header: the length is ", told},
		{"length of the JSON alone", patch(8, 20), "GLB header: the length is 20", told},
		{"trailing", append(bytes.Clone(good), 0), "GLB header: 1 bytes after the end were ignored", told},
		{"trailing chunk", append(bytes.Clone(good), good[12:]...), "bytes after the end were ignored", told},
		{"chunk length", patch(12, 1<<31), "GLB chunk 0: the file is truncated: its JSON has 2147483648 bytes", refused},
		{"chunk type", patch(16, glbChunkBIN), "GLB chunk 0: must be JSON", refused},
		{"half chunk header", patch(8, 16)[:16], "GLB chunk 0: the file is truncated", refused},
		{"no chunk", patch(8, 12)[:12], "GLB chunk 0: the file is truncated", refused},
		{"no binary", glbOf([]byte(`{"asset":{"version":"2.0"},"buffers":[{"byteLength":8}]}`), []byte{1}), "buffers[0].byteLength: 8 bytes are declared, 4", told},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(c.data, nil, &Options{Strict: c.told})
			checkError(t, err, c.want)
			if d, err := read(c.data, nil, nil); c.told && (err != nil || len(d.Losses) == 0) {
				t.Errorf("without Strict: %v", err)
			}
		})
	}
	if _, err := read(good, nil, &Options{Strict: true}); err != nil {
		t.Error(err)
	}
}

func TestErrors_URIsStayInTheFolder(t *testing.T) {
	fsys := fstest.MapFS{
		"a b.bin":   {Data: make([]byte, 8)},
		"sub/c.bin": {Data: make([]byte, 4)},
		"dir":       {Mode: fs.ModeDir},
		"pipe":      {Mode: fs.ModeNamedPipe},
	}
	for uri, want := range map[string]string{
		"a%20b.bin":             "",
		"./a b.bin":             "",
		"sub/c.bin":             "",
		"d.bin/../sub/c.bin":    "",
		"sub/.././sub//c.bin":   "",
		"../c.bin":              "leaves the model's folder: --assets DIR (Options.Assets)",
		"sub/../../c.bin":       "leaves the model's folder",
		"sub/%2e%2e/%2E./c.bin": "leaves the model's folder",
		`..\a.bin`:              "leaves the model's folder",
		"/etc/passwd":           "is an absolute path, which is not followed",
		"//host/share/a":        "is an absolute path",
		"%2fetc/passwd":         "is an absolute path",
		`C:\a.bin`:              "is an absolute path",
		"C:/a.bin":              "is an absolute path",
		"file:///etc/passwd":    `is a URL of scheme "file", and nothing is fetched`,
		"https://x.example/a":   `is a URL of scheme "https"`,
		"a%00b":                 "names no file",
		"":                      "names no file",
		".":                     "names no file",
		"sub/..":                "names no file",
		"a%zz":                  `"a%zz" cannot be read: file does not exist`,
		"missing.bin":           `buffers[0].uri: "missing.bin" cannot be read: file does not exist`,
		"dir":                   "is not a regular file",
		"pipe":                  "is not a regular file",
	} {
		_, err := read(bufferAt(uri, 4), fsys, nil)
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", uri, err)
			}
			continue
		}
		checkError(t, err, want)
	}
	_, err := read(bufferAt("sub/c.bin", 9), fsys, nil)
	checkError(t, err, "bufferViews[0].byteLength: 9 bytes from offset 0 do not fit the 4 bytes of buffers[0]; the buffer is truncated")
}

// bufferAt returns a model whose mesh needs a buffer.
func bufferAt(uri string, length int) []byte {
	text, err := json.Marshal(obj{
		"asset": obj{"version": "2.0"}, "buffers": arr{obj{"byteLength": length, "uri": uri}},
		"bufferViews":    arr{obj{"buffer": 0, "byteLength": length}},
		"accessors":      arr{obj{"bufferView": 0, "componentType": 5120, "count": 1, "type": "VEC3", "min": arr{0, 0, 0}, "max": arr{0, 0, 0}}},
		"meshes":         arr{obj{"primitives": arr{obj{"mode": 0, "attributes": obj{"POSITION": 0}}}}},
		"extensionsUsed": arr{"KHR_mesh_quantization"}, "nodes": arr{obj{"mesh": 0}},
	})
	if err != nil {
		panic(err)
	}
	return text
}

func TestLoad_SymbolicLinkOutOfTheFolder(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "model")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "secret"), "12345678")
	write(filepath.Join(inner, "own"), "12345678")
	if err := os.Symlink("../secret", filepath.Join(inner, "link")); err != nil {
		t.Skip("skipped: no symbolic links here")
	}
	for uri, ok := range map[string]bool{"own": true, "link": false} {
		path := filepath.Join(inner, "model.gltf")
		write(path, string(bufferAt(uri, 4)))
		if _, err := Load(context.Background(), path, nil); (err == nil) != ok {
			t.Errorf("%s: %v", uri, err)
		}
	}
	_, err := Load(context.Background(), filepath.Join(inner, "model.glb"), nil)
	if want := filepath.Join(inner, "model.glb") + ": cannot be opened: "; err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "open ") {
		t.Errorf("%v, want %s and why", err, want)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
}

// small are options with a limit.
func small(limit int64) *Options { return &Options{Budget: budget.New(limit, "the test's limit")} }

func TestLimit_SmallFilesCannotTakeMuchMemory(t *testing.T) {
	many := func(head, element, tail string, n int) []byte {
		return []byte(head + strings.Repeat(element+",", n) + element + tail)
	}
	for name, data := range map[string][]byte{
		"large":      bytes.Repeat([]byte(" "), 1<<21),
		"objects":    many(`{"asset":{"version":"2.0"},"materials":[`, `{}`, `]}`, 10000),
		"primitives": many(`{"asset":{"version":"2.0"},"meshes":[{"primitives":[`, `{"attributes":{}}`, `]}]}`, 10000),
		"joints":     many(`{"asset":{"version":"2.0"},"nodes":[{}],"skins":[{"joints":[`, `0`, `]}]}`, 20000),
		"zeros":      []byte(`{"asset":{"version":"2.0"},"accessors":[{"type":"VEC3","componentType":5126,"count":100000}],"materials":[{"alphaMode":"BLEND"}],"meshes":[{"primitives":[{"mode":0,"material":0,"attributes":{"POSITION":0}}]}]}`),
		"flat": []byte(`{"asset":{"version":"2.0"},"buffers":[{"uri":"data:;base64,AQ==","byteLength":1}],"bufferViews":[{"buffer":0,"byteLength":1}],"accessors":[{"type":"VEC3","componentType":5126,"count":3},
			{"type":"SCALAR","componentType":5121,"count":60000,"sparse":{"count":1,"indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":0}}}],"meshes":[{"primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":0},"indices":1}]}]}`),
	} {
		_, err := read(data, nil, small(1<<20))
		if name == "flat" {
			data = bytes.Replace(data, []byte(`,"TEXCOORD_0":0`), nil, 1)
			_, err = read(data, nil, small(1<<20))
		}
		var limit *budget.Error
		if !errors.As(err, &limit) {
			t.Errorf("%s: %v, want a *budget.Error", name, err)
		}
	}
}

func TestLimit_PoseOfOneMeshDrawnVeryOften(t *testing.T) {
	m := newMaker()
	pos := m.unitTriangle()
	var prims, nodes arr
	for range 200 {
		prims = append(prims, obj{"attributes": obj{"POSITION": pos}})
		nodes = append(nodes, obj{"mesh": 0})
	}
	m.doc["meshes"], m.doc["nodes"] = arr{obj{"primitives": prims}}, nodes
	d, err := read(m.json(), nil, small(2<<20))
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Pose(None, NoAnimation, 0)
	var limit *budget.Error
	if !errors.As(err, &limit) {
		t.Errorf("%v, want a *budget.Error", err)
	}
}

func TestErrors_ContextStopsReading(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Read(ctx, bytes.NewReader(rich().json()), nil, "model.gltf", nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestErrors_IndicesBeyondTheVertices(t *testing.T) {
	for _, c := range []struct {
		name    string
		indices any
		comp    componentType
		count   int
		want    string
	}{
		{"first past the end", []uint8{0, 1, 3}, compUnsignedByte, 3, "primitives[0].indices: accessors[1] holds index 3, out of range (3 vertices)"},
		{"largest", []uint32{0, 1, 1<<32 - 1}, compUnsignedInt, 3, "holds index 4294967295, out of range (3 vertices)"},
		{"restart", []uint8{0, 1, 255}, compUnsignedByte, 255, "holds index 255, out of range (255 vertices)"},
		{"in range", []uint16{0, 1, 2}, compUnsignedShort, 3, ""},
		{"signed", []int16{0, 1, -2}, compShort, 3, "accessors[1]: element 2, component 0 is no whole number from 0 to 4294967295"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMaker()
			pos := m.add("VEC3", compFloat, c.count, make([]float32, 3*c.count))
			idx := m.add("SCALAR", c.comp, 3, c.indices)
			m.doc["meshes"] = arr{obj{"primitives": arr{obj{"attributes": obj{"POSITION": pos}, "indices": idx}}}}
			m.doc["nodes"] = arr{obj{"mesh": 0}}
			_, err := read(m.json(), nil, nil)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			checkError(t, err, c.want)
		})
	}
}
