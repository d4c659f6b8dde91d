package gltf

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

// primitive makes the document's only mesh, drawn by one node.
func (m *maker) primitive(p obj) {
	m.doc["meshes"], m.doc["nodes"] = arr{obj{"primitives": arr{p}}}, arr{obj{"mesh": 0, "translation": []float32{1, 2, 3}}}
}

// Vertices that no data tell apart are drawn once, and the box around them is where
// all of them are.
func TestBlank_EqualVerticesAreKeptOnce(t *testing.T) {
	const many = math.MaxInt32 / 6 * 6
	for _, c := range []struct {
		name      string
		mode      Mode
		count     int
		vertices  int
		triangles int
	}{
		{"points", Points, many, 1, 0},
		{"lines", Lines, many, 2, 0},
		{"lines and a vertex", Lines, many + 1, 2, 0},
		{"line loop", LineLoop, many, 2, 0},
		{"line strip", LineStrip, many, 2, 0},
		{"triangles", Triangles, many, 3, 1},
		{"triangles and two vertices", Triangles, many - 1, 3, 1},
		{"strip", TriangleStrip, many, 3, 1},
		{"fan", TriangleFan, many, 3, 1},
		{"few", Triangles, 3, 3, 1},
	} {
		m := newMaker()
		position, color := m.add("VEC3", compFloat, c.count, nil), m.add("VEC4", compFloat, c.count, nil)
		joints, weights := m.add("VEC4", compUnsignedByte, c.count, nil), m.add("VEC4", compFloat, c.count, nil)
		m.primitive(obj{
			"mode": c.mode, "attributes": obj{"POSITION": position, "COLOR_0": color, "JOINTS_0": joints, "WEIGHTS_0": weights},
			"targets": arr{obj{"POSITION": position}, obj{"POSITION": position}},
		})
		d, err := read(m.json(), nil, small(1<<20))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		p := d.Meshes[0].Primitives[0]
		if p.Vertices() != c.vertices || p.Triangles() != c.triangles || len(p.Colors) != c.vertices || len(p.Targets[1].Positions) != c.vertices {
			t.Errorf("%s: %d vertices, %d triangles, want %d and %d", c.name, p.Vertices(), p.Triangles(), c.vertices, c.triangles)
		}
		folded := slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, "equal vertices") })
		if folded != (c.count > 3) {
			t.Errorf("%s: warnings %q", c.name, d.Warnings)
		}
		pose, err := d.Pose(None, NoAnimation, 0)
		if err != nil {
			t.Fatal(err)
		}
		if b, want := pose.Bounds(), (mat.Box{Min: mat.DVec3{1, 2, 3}, Max: mat.DVec3{1, 2, 3}}); b != want {
			t.Errorf("%s: bounds %v, want %v", c.name, b, want)
		}
	}
}

// What data tell apart, or what blending adds up, is not the same vertex twice.
func TestBlank_OtherVerticesStay(t *testing.T) {
	const n = 30
	for name, change := range map[string]func(m *maker, p obj){
		"a colour has data": func(m *maker, p obj) {
			p["attributes"].(obj)["COLOR_0"] = m.add("VEC4", compFloat, n, make([]float32, 4*n))
		},
		"a target has data": func(m *maker, p obj) {
			p["targets"] = arr{obj{"POSITION": m.add("VEC3", compFloat, n, make([]float32, 3*n))}}
		},
		"sparse": func(m *maker, p obj) {
			at, values := m.addView([]byte{7}, 0), m.addView(bytesOf([]float32{1, 2, 3}), 0)
			m.acc[0].(obj)["sparse"] = obj{"count": 1, "indices": obj{"bufferView": at, "componentType": compUnsignedByte}, "values": obj{"bufferView": values}}
		},
		"indices with data": func(m *maker, p obj) {
			p["indices"] = m.add("SCALAR", compUnsignedByte, 3, []uint8{0, 7, 29})
		},
		"blended points": func(m *maker, p obj) {
			m.doc["materials"], p["material"], p["mode"] = arr{obj{"alphaMode": "BLEND"}}, 0, Points
		},
	} {
		m := newMaker()
		p := obj{"attributes": obj{"POSITION": m.add("VEC3", compFloat, n, nil), "NORMAL": m.add("VEC3", compFloat, n, nil)}}
		change(m, p)
		m.primitive(p)
		d := mustRead(t, m.json())
		if got := d.Meshes[0].Primitives[0].Vertices(); got != n {
			t.Errorf("%s: %d vertices, want %d", name, got, n)
		}
	}
}

func TestBlank_EqualIndicesAreKeptOnce(t *testing.T) {
	m := newMaker()
	m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle()}, "indices": m.add("SCALAR", compUnsignedInt, math.MaxInt32, nil)})
	d, err := read(m.json(), nil, small(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	if p := d.Meshes[0].Primitives[0]; p.Triangles() != 1 || p.Positions[0] != p.Positions[2] {
		t.Errorf("%d triangles between %v", p.Triangles(), p.Positions)
	}
}

// An accessor is cut short where it is one thing, and whole where it is another; errors
// name it as the file does.
func TestBlank_CutsStayWithTheirPrimitive(t *testing.T) {
	m := newMaker()
	zero := m.add("VEC3", compFloat, 9, nil)
	data := m.add("VEC3", compFloat, 9, make([]float32, 27))
	m.add("VEC3", compFloat, 8, nil)
	m.doc["meshes"] = arr{obj{"primitives": arr{
		obj{"attributes": obj{"POSITION": zero}},
		obj{"attributes": obj{"POSITION": data, "NORMAL": zero}},
	}}}
	d := mustRead(t, m.json())
	prims := d.Meshes[0].Primitives
	if prims[0].Vertices() != 3 || prims[1].Vertices() != 9 || len(prims[1].Normals) != 9 {
		t.Errorf("%d and %d vertices, %d normals", prims[0].Vertices(), prims[1].Vertices(), len(prims[1].Normals))
	}
	for text, want := range map[string]string{
		`{"POSITION":0,"TANGENT":0}`:  "attributes.TANGENT: accessors[0] is VEC3, must be VEC4",
		`{"POSITION":0,"NORMAL":3}`:   "attributes.NORMAL: index 3 out of range (3 accessors)",
		`{"POSITION":0,"COLOR_0":-1}`: "attributes.COLOR_0: index -1 out of range (3 accessors)",
		`{"POSITION":0,"COLOR_0":2}`:  "attributes.COLOR_0: accessors[2] has 8 elements, must have 9",
	} {
		m.doc["meshes"] = arr{obj{"primitives": arr{obj{"attributes": obj{"POSITION": zero}}, obj{"attributes": json.RawMessage(text)}}}}
		m.doc["nodes"] = arr{obj{"mesh": 0}}
		_, err := read(m.json(), nil, nil)
		checkError(t, err, want)
	}
}

func TestBlank_OnlyWhatIsUsedOfMatricesAndTimes(t *testing.T) {
	m := newMaker()
	m.unitTriangle()
	m.doc["nodes"] = arr{obj{}}
	m.doc["skins"] = arr{obj{"joints": arr{0}, "inverseBindMatrices": m.add("MAT4", compFloat, 1<<30, nil)}}
	d, err := read(m.json(), nil, small(1<<20))
	if err != nil || d.Skins[0].Inverse[0] != (mat.Mat4{}) {
		t.Errorf("matrices: %v", err)
	}
	times := m.add("SCALAR", compFloat, 1<<30, nil)
	m.doc["animations"] = arr{obj{
		"samplers": arr{obj{"input": times, "output": 0}},
		"channels": arr{obj{"sampler": 0, "target": obj{"node": 0, "path": "translation"}}},
	}}
	if d, err = read(m.json(), nil, small(1<<20)); err != nil {
		t.Fatal(err)
	}
	_, err = d.Pose(None, 0, 0)
	checkError(t, err, "accessors[2] has no data, keyframe times must strictly increase")
}
