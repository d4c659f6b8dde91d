package studio_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"maps"
	"testing"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// obj and arr are JSON objects and lists.
type (
	obj = map[string]any
	arr = []any
)

// scene collects a small glTF document with one data URI buffer. Its camera 0
// is orthographic, sees x and y from -1 to 1 and stands at z = 5.
type scene struct {
	doc                       obj
	bin                       []byte
	views, accessors, nodes   arr
	meshes, materials, lights arr
	images, textures          arr
}

func newScene() *scene {
	s := &scene{doc: obj{"asset": obj{"version": "2.0"}}}
	s.doc["cameras"] = arr{obj{"type": "orthographic", "orthographic": obj{"xmag": 1, "ymag": 1, "znear": 0.5, "zfar": 20}}}
	s.nodes = arr{obj{"camera": 0, "translation": arr{0, 0, 5}}}
	return s
}

func (s *scene) view(data []byte) int {
	for len(s.bin)%4 != 0 {
		s.bin = append(s.bin, 0)
	}
	s.views = append(s.views, obj{"buffer": 0, "byteOffset": len(s.bin), "byteLength": len(data)})
	s.bin = append(s.bin, data...)
	return len(s.views) - 1
}

// componentTypes by element type of the Go slice.
const (
	ubyte  = 5121
	ushort = 5123
	float  = 5126
)

// add appends an accessor of values, a slice of numbers.
func (s *scene) add(kind string, component, count int, values any, more ...obj) int {
	data, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err)
	}
	a := obj{"bufferView": s.view(data), "type": kind, "componentType": component, "count": count}
	for _, m := range more {
		maps.Copy(a, m)
	}
	s.accessors = append(s.accessors, a)
	return len(s.accessors) - 1
}

// vec3 appends an accessor of vectors.
func (s *scene) vec3(values ...float32) int { return s.add("VEC3", float, len(values)/3, values) }

// positions is vec3 with the bounds that glTF asks of positions.
func (s *scene) positions(values ...float32) int {
	lo, hi := [3]float32{values[0], values[1], values[2]}, [3]float32{values[0], values[1], values[2]}
	for i, v := range values {
		lo[i%3], hi[i%3] = min(lo[i%3], v), max(hi[i%3], v)
	}
	return s.add("VEC3", float, len(values)/3, values, obj{"min": lo, "max": hi})
}

// quad is the attributes of a rectangle in the plane of z that faces +z, its
// corners from the upper left clockwise around: u to the right, v down.
func (s *scene) quad(x0, y0, x1, y1, z float32) obj {
	return obj{
		"POSITION":   s.positions(x0, y1, z, x1, y1, z, x1, y0, z, x0, y0, z),
		"NORMAL":     s.vec3(0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1),
		"TEXCOORD_0": s.add("VEC2", float, 4, []float32{0, 0, 1, 0, 1, 1, 0, 1}),
	}
}

// quadIndices are the two triangles of a quad.
func (s *scene) quadIndices() int {
	return s.add("SCALAR", ushort, 6, []uint16{0, 2, 1, 0, 3, 2})
}

// put adds a node with a mesh of one primitive and returns the node. material
// may be nil.
func (s *scene) put(attributes, material obj, more ...obj) obj {
	p := obj{"attributes": attributes}
	if material != nil {
		s.materials = append(s.materials, material)
		p["material"] = len(s.materials) - 1
	}
	for _, m := range more {
		maps.Copy(p, m)
	}
	s.meshes = append(s.meshes, obj{"primitives": arr{p}})
	node := obj{"mesh": len(s.meshes) - 1}
	s.nodes = append(s.nodes, node)
	return node
}

// putQuad is put for quad.
func (s *scene) putQuad(x0, y0, x1, y1, z float32, material obj) obj {
	return s.put(s.quad(x0, y0, x1, y1, z), material, obj{"indices": s.quadIndices()})
}

// texture adds an image and returns a reference to it, read nearest and clamped.
func (s *scene) texture(img image.Image) obj {
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err)
	}
	s.images = append(s.images, obj{"bufferView": s.view(out.Bytes()), "mimeType": "image/png"})
	s.textures = append(s.textures, obj{"source": len(s.images) - 1, "sampler": 0})
	return obj{"index": len(s.textures) - 1}
}

// light adds a light of KHR_lights_punctual and its node.
func (s *scene) light(l obj, node obj) {
	s.lights = append(s.lights, l)
	node["extensions"] = obj{"KHR_lights_punctual": obj{"light": len(s.lights) - 1}}
	s.nodes = append(s.nodes, node)
}

func (s *scene) document(t testing.TB) *gltf.Document {
	t.Helper()
	doc, err := gltf.Read(ctx, bytes.NewReader(s.text(t)), nil, "scene.gltf", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range doc.Warnings {
		t.Errorf("warning: %s", w)
	}
	return doc
}

// text is the scene as a file, changed.
func (s *scene) text(t testing.TB, change ...func(d obj)) []byte {
	t.Helper()
	d := maps.Clone(s.doc)
	roots, children := arr{}, map[int]bool{}
	for _, n := range s.nodes {
		if list, ok := n.(obj)["children"].(arr); ok {
			for _, c := range list {
				children[c.(int)] = true
			}
		}
	}
	for i := range s.nodes {
		if !children[i] {
			roots = append(roots, i)
		}
	}
	d["scene"], d["scenes"], d["nodes"] = 0, arr{obj{"nodes": roots}}, s.nodes
	d["meshes"], d["accessors"], d["bufferViews"] = s.meshes, s.accessors, s.views
	d["buffers"] = arr{obj{"byteLength": len(s.bin), "uri": "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(s.bin)}}
	if s.materials != nil {
		d["materials"] = s.materials
	}
	if s.images != nil {
		d["images"], d["textures"] = s.images, s.textures
		d["samplers"] = arr{obj{"magFilter": 9728, "minFilter": 9728, "wrapS": 33071, "wrapT": 33071}}
	}
	if s.lights != nil {
		d["extensions"] = obj{"KHR_lights_punctual": obj{"lights": s.lights}}
	}
	d["extensionsUsed"] = arr{"KHR_lights_punctual", "KHR_texture_transform",
		"KHR_materials_variants", "KHR_animation_pointer", "EXT_mesh_gpu_instancing", "KHR_node_visibility"}
	for _, c := range change {
		c(d)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// draw renders the scene through its camera 0.
func (s *scene) draw(b *bench, size, samples int) *image.NRGBA {
	b.t.Helper()
	doc := s.document(b.t)
	return b.draw(doc, studio.View{Width: size, Height: size, Samples: samples, Camera: studio.Camera{Document: &doc.Cameras[0]}})
}

// base is a material of the given base colour under the studio's light: rough
// and not metallic.
func base(rgba ...float64) obj {
	return obj{"pbrMetallicRoughness": obj{"baseColorFactor": rgba, "metallicFactor": 0, "roughnessFactor": 1}}
}

// unlit is a material that shows its base colour as it is.
func unlit(rgba ...float64) obj {
	m := base(rgba...)
	m["extensions"] = obj{"KHR_materials_unlit": obj{}}
	return m
}

// textured is unlit with a texture.
func textured(ref obj) obj {
	m := unlit(1, 1, 1, 1)
	m["pbrMetallicRoughness"].(obj)["baseColorTexture"] = ref
	return m
}

// with returns m with more members.
func with(m obj, more obj) obj {
	m = maps.Clone(m)
	maps.Copy(m, more)
	return m
}

// palette is a picture of the given rows of colours.
func palette(rows ...[]color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, len(rows[0]), len(rows)))
	for y, row := range rows {
		for x, c := range row {
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// near reports whether all channels are within tolerance.
func near(a, b color.NRGBA, tolerance int) bool {
	return apart(a.R, b.R) <= tolerance && apart(a.G, b.G) <= tolerance && apart(a.B, b.B) <= tolerance && apart(a.A, b.A) <= tolerance
}

func wantPixel(t *testing.T, img *image.NRGBA, x, y int, want color.NRGBA, tolerance int) {
	t.Helper()
	if got := img.NRGBAAt(x, y); !near(got, want, tolerance) {
		t.Errorf("pixel %d,%d is %v, want %v ±%d", x, y, got, want, tolerance)
	}
}

// srgb rounds linear light to an opaque pixel.
func srgb(r, g, b float64) color.NRGBA {
	return color.NRGBA{uint8(encoded(r) + 0.5), uint8(encoded(g) + 0.5), uint8(encoded(b) + 0.5), 255}
}

var (
	red    = color.NRGBA{255, 0, 0, 255}
	green  = color.NRGBA{0, 255, 0, 255}
	blue   = color.NRGBA{0, 0, 255, 255}
	yellow = color.NRGBA{255, 255, 0, 255}
	white  = color.NRGBA{255, 255, 255, 255}
	none   = color.NRGBA{}
)
