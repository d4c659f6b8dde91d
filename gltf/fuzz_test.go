package gltf

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/budget"
)

// exercise reads a hostile model and, where that succeeds, uses all of it. It
// fails the test if an error is not one line of our own kind.
func exercise(t *testing.T, data []byte) {
	t.Helper()
	d, err := read(data, nil, &Options{Budget: budget.New(2<<20, "the test's limit")})
	if err != nil {
		wellFormed(t, err)
		return
	}
	for _, m := range d.Images {
		if _, err := m.DecodeNRGBA(t.Context()); err != nil {
			wellFormed(t, err)
		}
	}
	for _, m := range d.Meshes {
		for _, p := range m.Primitives {
			if err := p.EnsureTangents(); err != nil {
				wellFormed(t, err)
			}
			for _, i := range p.TriangleList() {
				if int(i) >= p.Vertices() {
					t.Fatalf("index %d of %d vertices", i, p.Vertices())
				}
			}
		}
	}
	for a := NoAnimation; a < len(d.Animations) && a < 3; a++ {
		for _, time := range []float64{0, 0.6, math.Inf(1)} {
			p, err := d.Pose(d.FindScene(), a, time)
			if err != nil {
				wellFormed(t, err)
				continue
			}
			p.Bounds()
			for i := range p.Items[:min(len(p.Items), 4)] {
				it := &p.Items[i]
				it.Primitive.Deform(it)
			}
		}
	}
}

func wellFormed(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || strings.ContainsAny(err.Error(), "\n\r") || !strings.HasPrefix(err.Error(), "model.gltf: ") {
		t.Fatalf("%T: %q", err, err)
	}
}

// FuzzGLB reads whole files, binary or JSON. Seeds: testdata/fuzz/FuzzGLB.
func FuzzGLB(f *testing.F) {
	f.Add(rich().glb())
	f.Add(rich().json())
	f.Add(layered().json())
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, data) })
}

// FuzzAccessors builds one accessor from arbitrary numbers and decodes it in
// every way. Seeds: testdata/fuzz/FuzzAccessors.
func FuzzAccessors(f *testing.F) {
	f.Add(uint8(2), uint16(5126), false, int64(1), int64(0), int64(0), int64(0), []byte("0123456789ab"))
	f.Fuzz(func(t *testing.T, typ uint8, comp uint16, normalized bool, count, offset, stride, sparseCount int64, data []byte) {
		m := newMaker()
		view := m.addView(data, 0)
		if stride != 0 {
			m.view[view].(obj)["byteStride"] = stride
		}
		a := obj{
			"type": elementTypes[int(typ)%len(elementTypes)].name, "componentType": comp, "normalized": normalized,
			"count": count, "bufferView": view, "byteOffset": offset,
		}
		if sparseCount != 0 {
			a["sparse"] = obj{
				"count":   sparseCount,
				"indices": obj{"bufferView": view, "componentType": 5121, "byteOffset": offset},
				"values":  obj{"bufferView": view},
			}
		}
		m.acc = append(m.acc, a)
		m.doc["meshes"] = arr{obj{"primitives": arr{obj{"indices": 0, "attributes": obj{
			"POSITION": 0, "TEXCOORD_0": 0, "COLOR_0": 0, "JOINTS_0": 0, "WEIGHTS_0": 0}}}}}
		exercise(t, m.json())
		delete(at(m.doc, "meshes", 0, "primitives", 0).(obj), "indices")
		m.doc["meshes"].(arr)[0].(obj)["primitives"].(arr)[0].(obj)["attributes"] = obj{"POSITION": 0}
		m.doc["nodes"] = arr{obj{"mesh": 0}}
		exercise(t, m.json())
	})
}

// Every value of a document that uses everything is replaced by every hostile
// value, and removed.
func TestRead_MutatedJSONNeverPanics(t *testing.T) {
	for name, m := range map[string]*maker{"core": rich(), "extensions": extended()} {
		t.Run(name, func(t *testing.T) { mutate(t, m) })
	}
}

// extended returns a document that uses the extensions that rich does not.
func extended() *maker {
	m := stage()
	m.pointers(
		pointed{pointer: "/nodes/0/weights/0", typ: "SCALAR", comp: compFloat, values: floats(0, 1)},
		pointed{pointer: "/materials/0/emissiveFactor", typ: "VEC3", comp: compFloat, values: make([]float32, 6)},
		pointed{pointer: "/cameras/0/perspective/zfar", typ: "SCALAR", comp: compFloat, values: floats(10, 0)},
	)
	at(m.doc, "nodes", 0).(obj)["extensions"] = obj{
		"KHR_node_visibility":     obj{"visible": true},
		"EXT_mesh_gpu_instancing": obj{"attributes": obj{"TRANSLATION": m.unitTriangle(), "SCALE": m.unitTriangle()}},
	}
	at(m.doc, "meshes", 0, "primitives", 0).(obj)["extensions"] = obj{"KHR_materials_variants": obj{"mappings": arr{obj{"material": 0, "variants": arr{0}}}}}
	m.doc["extensions"].(obj)["KHR_materials_variants"] = obj{"variants": arr{obj{"name": "a"}}}
	// Sixteen indices, all 0: the header, deltas and four bytes of tail.
	packed := m.addView(append([]byte{0xd1}, make([]byte, 20)...), 0)
	m.view = append(m.view, obj{"buffer": 0, "byteLength": 32, "extensions": obj{"EXT_meshopt_compression": obj{
		"buffer": 0, "byteOffset": at(arr(m.view), packed, "byteOffset"), "byteLength": 21, "byteStride": 2, "count": 16, "mode": "INDICES",
	}}})
	m.acc = append(m.acc, obj{"bufferView": len(m.view) - 1, "componentType": 5123, "count": 15, "type": "SCALAR"})
	at(m.doc, "meshes", 0, "primitives", 0).(obj)["indices"] = len(m.acc) - 1
	return m
}

func mutate(t *testing.T, m *maker) {
	values := []any{nil, true, -1, 0, 1, 3, 255, 5123, 1e9, 9.3e18, 0.5, "", "\n", "LINEAR", arr{}, arr{nil}, arr{0, 0}, obj{}, obj{"a": nil}}
	text := m.json()
	if d := mustRead(t, text); len(d.Warnings) != 0 && m.doc["skins"] == nil {
		t.Fatalf("warnings %q", d.Warnings)
	}
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	n := 0
	try := func() {
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		n++
		exercise(t, data)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case obj:
			for _, k := range sortedKeys(v) {
				was := v[k]
				for _, x := range values {
					v[k] = x
					try()
				}
				delete(v, k)
				try()
				v[k] = was
				walk(was)
			}
		case arr:
			for i := range v {
				if i > 2 {
					break
				}
				was := v[i]
				for _, x := range values {
					v[i] = x
					try()
				}
				v[i] = was
				walk(was)
			}
		}
	}
	walk(doc)
	if n < 1000 {
		t.Errorf("only %d mutations", n)
	}
	// Truncation at every byte, of both containers.
	for _, data := range [][]byte{text, m.glb()} {
		for i := 0; i < len(data); i += 7 {
			exercise(t, data[:i])
		}
	}
}
