package gltf

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/budget"
)

// obj and arr are JSON objects and lists of hand-made documents.
type (
	obj = map[string]any
	arr = []any
)

// maker builds a document with one data URI buffer; each blob becomes a
// buffer view.
type maker struct {
	doc  obj
	bin  []byte
	view arr
	acc  arr
}

func newMaker() *maker {
	return &maker{doc: obj{"asset": obj{"version": "2.0"}}}
}

// bytesOf lays numbers out little-endian, as their Go types say.
func bytesOf(values any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, values); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// addView appends a buffer view and returns its index.
func (m *maker) addView(data []byte, stride int) int {
	for len(m.bin)%4 != 0 {
		m.bin = append(m.bin, 0)
	}
	v := obj{"buffer": 0, "byteOffset": len(m.bin), "byteLength": len(data)}
	if stride != 0 {
		v["byteStride"] = stride
	}
	m.bin = append(m.bin, data...)
	m.view = append(m.view, v)
	return len(m.view) - 1
}

// add appends an accessor over its own view and returns its index.
func (m *maker) add(typ string, comp componentType, count int, values any, more ...obj) int {
	a := obj{"type": typ, "componentType": int(comp), "count": count}
	if values != nil {
		a["bufferView"] = m.addView(bytesOf(values), 0)
	}
	if typ == "VEC3" {
		var numbers []float32
		if values != nil {
			for b := bytesOf(values); len(b) >= comp.size(); b = b[comp.size():] {
				numbers = append(numbers, readFloat(b, comp, false))
			}
		}
		a["min"], a["max"] = extremesOf(numbers)
	}
	for _, o := range more {
		for k, v := range o {
			a[k] = v
		}
	}
	m.acc = append(m.acc, a)
	return len(m.acc) - 1
}

// extremesOf returns min and max of vectors of three; 0 of none.
func extremesOf(values []float32) (low, high []float32) {
	low, high = make([]float32, 3), make([]float32, 3)
	for i, v := range values {
		if v-v != 0 {
			continue // JSON has none
		}
		if i < 3 {
			low[i], high[i] = v, v
		}
		low[i%3], high[i%3] = min(low[i%3], v), max(high[i%3], v)
	}
	return low, high
}

// json finishes the document.
func (m *maker) json() []byte {
	if m.bin != nil {
		uri := "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(m.bin)
		m.doc["buffers"] = arr{obj{"byteLength": len(m.bin), "uri": uri}}
		m.doc["bufferViews"] = m.view
	}
	if m.acc != nil {
		m.doc["accessors"] = m.acc
	}
	text, err := json.Marshal(m.doc)
	if err != nil {
		panic(err)
	}
	return text
}

// glb finishes the document as a binary file.
func (m *maker) glb() []byte {
	m.json()
	m.doc["buffers"] = arr{obj{"byteLength": len(m.bin)}}
	text, _ := json.Marshal(m.doc)
	return glbOf(text, m.bin)
}

func glbOf(text, bin []byte) []byte {
	pad := func(b []byte, c byte) []byte {
		b = bytes.Clone(b)
		for len(b)%4 != 0 {
			b = append(b, c)
		}
		return b
	}
	text, bin = pad(text, ' '), pad(bin, 0)
	out := append([]byte(glbMagic), bytesOf([]uint32{2, uint32(12 + 8 + len(text) + 8 + len(bin)), uint32(len(text)), glbChunkJSON})...)
	out = append(out, text...)
	out = append(out, bytesOf([]uint32{uint32(len(bin)), glbChunkBIN})...)
	return append(out, bin...)
}

func read(data []byte, fsys fs.FS, opt *Options) (*Document, error) {
	return Read(context.Background(), bytes.NewReader(data), fsys, "model.gltf", opt)
}

func mustRead(t *testing.T, data []byte) *Document {
	t.Helper()
	d, err := read(data, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// accessorsOf loads a document only as far as its accessors.
func accessorsOf(t *testing.T, m *maker) *loader {
	t.Helper()
	l := newLoader(t.Context(), "model.gltf", budget.New(1<<20, "the test's limit"))
	if err := l.parseTop(m.json()); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{l.loadAsset, l.loadViews, l.loadAccessors} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// unitTriangle adds a triangle in the xy plane and returns its accessor.
func (m *maker) unitTriangle() int {
	return m.add("VEC3", compFloat, 3, []float32{0, 0, 0, 1, 0, 0, 0, 1, 0})
}

// rich returns a document that uses every feature once.
func rich() *maker {
	m := newMaker()
	pos := m.add("VEC3", compFloat, 4, []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0})
	norm := m.add("VEC3", compFloat, 4, []float32{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1})
	uv := m.add("VEC2", compUnsignedShort, 4, []uint16{0, 65535, 65535, 65535, 0, 0, 65535, 0}, obj{"normalized": true})
	col := m.add("VEC4", compUnsignedByte, 4, make([]uint8, 16), obj{"normalized": true})
	idx := m.add("SCALAR", compUnsignedByte, 6, []uint8{0, 1, 2, 2, 1, 3})
	joint := m.add("VEC4", compUnsignedByte, 4, []uint8{0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0})
	weight := m.add("VEC4", compFloat, 4, []float32{0.5, 0.5, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0.25, 0.75, 0, 0})
	target := m.add("VEC3", compFloat, 4, nil, obj{"sparse": obj{
		"count":   1,
		"indices": obj{"bufferView": m.addView([]byte{3}, 0), "componentType": 5121},
		"values":  obj{"bufferView": m.addView(bytesOf([]float32{0, 0, 2}), 0)},
	}})
	ibm := m.add("MAT4", compFloat, 2, append(identity16(), identity16()...))
	times := m.add("SCALAR", compFloat, 2, []float32{0, 2})
	moves := m.add("VEC3", compFloat, 2, []float32{0, 0, 0, 4, 0, 0})
	turns := m.add("VEC4", compShort, 2, []int16{0, 0, 0, 32767, 0, 0, 32767, 0}, obj{"normalized": true})
	grows := m.add("VEC3", compFloat, 6, []float32{0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 3, 3, 3, 0, 0, 0})
	morphs := m.add("SCALAR", compFloat, 2, []float32{0, 1})
	img := m.addView(tinyPNG(), 0)
	ref := func(set int) obj {
		return obj{"index": 0, "texCoord": set, "extensions": obj{
			"KHR_texture_transform": obj{"offset": arr{0.5, 0}, "rotation": 0.5, "scale": arr{2, 2}, "texCoord": 0}}}
	}
	m.doc["extensionsUsed"] = arr{"KHR_texture_transform", "KHR_materials_unlit", "KHR_lights_punctual", "KHR_materials_emissive_strength"}
	m.doc["extensionsRequired"] = arr{"KHR_texture_transform"}
	m.doc["images"] = arr{obj{"bufferView": img, "mimeType": "image/png"}}
	m.doc["samplers"] = arr{obj{"magFilter": 9728, "minFilter": 9987, "wrapS": 33071, "wrapT": 33648}}
	m.doc["textures"] = arr{obj{"source": 0, "sampler": 0}}
	m.doc["materials"] = arr{obj{
		"pbrMetallicRoughness": obj{"baseColorFactor": arr{1, 0.5, 0.25, 1}, "metallicFactor": 0.5, "roughnessFactor": 0.25,
			"baseColorTexture": ref(0), "metallicRoughnessTexture": ref(0)},
		"normalTexture":    obj{"index": 0, "scale": -2},
		"occlusionTexture": obj{"index": 0, "strength": 0.5},
		"emissiveTexture":  obj{"index": 0}, "emissiveFactor": arr{1, 1, 0},
		"alphaMode": "MASK", "alphaCutoff": 0.25, "doubleSided": true,
		"extensions": obj{"KHR_materials_unlit": obj{}, "KHR_materials_emissive_strength": obj{"emissiveStrength": 5}},
	}}
	m.doc["meshes"] = arr{obj{"weights": arr{0.5}, "primitives": arr{obj{
		"attributes": obj{"POSITION": pos, "NORMAL": norm, "TEXCOORD_0": uv, "COLOR_0": col, "JOINTS_0": joint, "WEIGHTS_0": weight, "_ID": uv},
		"indices":    idx, "material": 0, "mode": 4, "targets": arr{obj{"POSITION": target, "NORMAL": target}},
	}}}}
	m.doc["cameras"] = arr{
		obj{"type": "perspective", "perspective": obj{"yfov": 1, "znear": 0.1}},
		obj{"type": "orthographic", "orthographic": obj{"xmag": 2, "ymag": 1, "znear": 0, "zfar": 10}},
	}
	m.doc["extensions"] = obj{"KHR_lights_punctual": obj{"lights": arr{
		obj{"type": "spot", "color": arr{1, 0, 0}, "intensity": 3, "range": 9, "spot": obj{"outerConeAngle": 0.5}},
		obj{"type": "point"}, obj{"type": "directional"},
	}}}
	m.doc["nodes"] = arr{
		obj{"children": arr{1, 2}, "translation": arr{0, 1, 0}},
		obj{"children": arr{3}, "rotation": arr{0, 0, 0, 1}, "scale": arr{1, 1, 1}},
		obj{"mesh": 0, "skin": 0, "weights": arr{0}},
		obj{"camera": 0, "matrix": identity16(), "extensions": obj{"KHR_lights_punctual": obj{"light": 0}}},
		obj{"mesh": 0, "camera": 1, "scale": arr{2, 2, -2}},
	}
	m.doc["skins"] = arr{obj{"joints": arr{0, 1}, "inverseBindMatrices": ibm, "skeleton": 0}}
	m.doc["scenes"] = arr{obj{"nodes": arr{0, 4}}}
	m.doc["scene"] = 0
	m.doc["animations"] = arr{obj{
		"samplers": arr{
			obj{"input": times, "output": moves},
			obj{"input": times, "output": turns, "interpolation": "LINEAR"},
			obj{"input": times, "output": grows, "interpolation": "CUBICSPLINE"},
			obj{"input": times, "output": morphs, "interpolation": "STEP"},
		},
		"channels": arr{
			obj{"sampler": 0, "target": obj{"node": 1, "path": "translation"}},
			obj{"sampler": 1, "target": obj{"node": 1, "path": "rotation"}},
			obj{"sampler": 2, "target": obj{"node": 1, "path": "scale"}},
			obj{"sampler": 3, "target": obj{"node": 4, "path": "weights"}},
		},
	}}
	return m
}

func identity16() []float32 { return []float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1} }

func tinyPNG() []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	img.SetNRGBA(0, 0, color.NRGBA{255, 0, 0, 128})
	img.SetNRGBA(1, 0, color.NRGBA{1, 2, 3, 0})
	return encodePNG(img)
}

func encodePNG(img image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func near(a, b float32) bool { return math.Abs(float64(a)-float64(b)) < 1e-6 }

// crc returns PNG's checksum of a chunk's type and data.
func crc(b []byte) []byte {
	return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(b))
}

// pictureOf returns a PNG file of size × size texels.
func pictureOf(size int) []byte { return encodePNG(image.NewNRGBA(image.Rect(0, 0, size, size))) }
