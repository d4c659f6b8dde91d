package gltf

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

// Strides that glTF forbids are walked; by the bytes between elements.
func TestViews_OddStrides(t *testing.T) {
	want := [][3]float32{{1, 2, 3}, {4, 5, 6}, {-7, 8, 9}}
	for _, stride := range []int{3, 5, 6, 7, 9, 254, 1000} {
		data := make([]byte, 2*stride+3)
		for i, p := range want {
			for c, v := range p {
				data[i*stride+c] = byte(int8(v))
			}
		}
		m := newMaker()
		m.doc["extensionsUsed"] = arr{"KHR_mesh_quantization"}
		a := obj{"type": "VEC3", "componentType": 5120, "count": 3, "bufferView": m.addView(data, stride), "min": arr{-7, 2, 3}, "max": arr{4, 8, 9}}
		m.acc = append(m.acc, a)
		m.primitive(obj{"mode": 0, "attributes": obj{"POSITION": 0}})
		d := tolerated(t, m.json(), nil, fmt.Sprintf("bufferViews[0].byteStride: %d is not a multiple of 4 in 4 … 252", stride))
		if got := d.Meshes[0].Primitives[0].Positions; !slices.Equal(got, want) {
			t.Errorf("stride %d: %v", stride, got)
		}
	}
	// Two bytes between elements of three leave the second one nowhere.
	m := newMaker()
	m.acc = append(m.acc, obj{"type": "VEC3", "componentType": 5120, "count": 3, "bufferView": m.addView(make([]byte, 9), 2)})
	m.primitive(obj{"attributes": obj{"POSITION": 0}})
	_, err := read(m.json(), nil, nil)
	checkError(t, err, "bufferViews[0].byteStride: 2 is less than the 3 bytes of an element of accessors[0]")
}

// Views, buffers and accessors that are wrong count where they are used.
func TestViews_WrongOnesThatNothingUses(t *testing.T) {
	for name, c := range map[string]struct {
		view, buffer, accessor obj
		want                   string
	}{
		"empty":              {obj{"buffer": 0, "byteLength": 0}, nil, nil, "bufferViews[1].byteLength: is 0"},
		"empty at the end":   {obj{"buffer": 0, "byteOffset": 36, "byteLength": 0}, nil, nil, "bufferViews[1].byteLength: is 0"},
		"too long":           {obj{"buffer": 0, "byteLength": 37}, nil, nil, "bufferViews[1].byteLength: 37 bytes from offset 0 do not fit the 36 bytes of buffers[0]: nothing uses it"},
		"behind the buffer":  {obj{"buffer": 0, "byteOffset": 37, "byteLength": 0}, nil, nil, "bufferViews[1].byteOffset: 37 is outside the 36 bytes"},
		"below zero":         {obj{"buffer": 0, "byteLength": -1}, nil, nil, "bufferViews[1].byteLength: -1 bytes"},
		"no buffer":          {obj{"byteLength": 4}, nil, nil, "bufferViews[1].buffer: is missing: nothing uses it"},
		"no such buffer":     {obj{"buffer": 3, "byteLength": 4}, nil, nil, "bufferViews[1].buffer: index 3"},
		"no length":          {obj{"buffer": 0}, nil, nil, "bufferViews[1].byteLength: is missing: nothing uses it"},
		"missing file":       {nil, obj{"uri": "gone.bin", "byteLength": 4}, nil, `buffers[1].uri: "gone.bin" cannot be read: file does not exist: no buffer view uses it`},
		"view of a missing":  {obj{"buffer": 1, "byteLength": 4}, obj{"uri": "gone.bin", "byteLength": 4}, nil, `buffers[1].uri: "gone.bin" cannot be read: file does not exist: nothing uses it`},
		"buffer of nothing":  {nil, obj{"byteLength": 0}, nil, "buffers[1].byteLength: is missing, 0 or less"},
		"accessor too long":  {nil, nil, obj{"bufferView": 0, "componentType": 5126, "count": 99, "type": "SCALAR"}, "accessors[1]: 99 elements need 396 bytes from offset 0, bufferViews[0] has 36: no use is made of it"},
		"accessor of a type": {nil, nil, obj{"bufferView": 0, "componentType": 5130, "count": 1, "type": "SCALAR"}, "accessors[1].componentType: 5130 is not a component type"},
		"accessor without":   {nil, nil, obj{"bufferView": 7, "componentType": 5126, "count": 1, "type": "SCALAR"}, "accessors[1].bufferView: index 7"},
		"accessor of none":   {nil, nil, obj{"componentType": 5126, "count": 0, "type": "VEC2"}, "accessors[1].count: 0 is outside"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMaker()
			m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle()}})
			if c.view != nil {
				m.view = append(m.view, c.view)
			}
			if c.accessor != nil {
				m.acc = append(m.acc, c.accessor)
			}
			text := m.json()
			if c.buffer != nil {
				m.doc["buffers"] = append(m.doc["buffers"].(arr), c.buffer)
				text, _ = json.Marshal(m.doc)
			}
			d := tolerated(t, text, fstest.MapFS{}, c.want)
			p, err := d.Pose(None, NoAnimation, 0)
			if want := (mat.Box{Min: mat.DVec3{1, 2, 3}, Max: mat.DVec3{2, 3, 3}}); err != nil || !sameBox(p.Bounds(), want) {
				t.Errorf("bounds %v, %v", p.Bounds(), err)
			}
			// Used, the same is an error.
			switch {
			case name == "buffer of nothing" || name == "missing file" || name == "accessor of none":
				return
			case c.accessor != nil:
				at(m.doc, "meshes", 0, "primitives", 0, "attributes").(obj)["POSITION"] = 1
			default:
				m.acc[0].(obj)["bufferView"] = 1
			}
			text, _ = json.Marshal(m.doc)
			if _, err := read(text, fstest.MapFS{}, nil); err == nil {
				t.Error("used, it is no error")
			}
		})
	}
}

// Weights that are none are 0, and the others add up to 1.
func TestSkinWeights_ThatAreNone(t *testing.T) {
	inf := float32(math.Inf(1))
	m := newMaker()
	w := []float32{-1, 2, 0, 0, nan(), 0.25, 0.75, 0, 0.5, -inf, inf, 0}
	attributes := obj{
		"POSITION": m.unitTriangle(), "WEIGHTS_0": m.add("VEC4", compFloat, 3, w),
		"JOINTS_0": m.add("VEC4", compUnsignedByte, 3, make([]uint8, 12)),
	}
	// The same accessors once more: what is repaired are copies.
	m.doc["meshes"] = arr{obj{"primitives": arr{obj{"attributes": attributes}, obj{"attributes": attributes, "mode": 0}}}}
	m.doc["nodes"] = arr{obj{"mesh": 0}}
	d := mustRead(t, m.json())
	for _, p := range d.Meshes[0].Primitives {
		if want := [][4]float32{{0, 1, 0, 0}, {0, 0.25, 0.75, 0}, {1, 0, 0, 0}}; !slices.Equal(p.Weights[0], want) {
			t.Errorf("%v, want %v", p.Weights[0], want)
		}
	}
	told := strings.Join(d.Losses, "\n")
	if !strings.Contains(told, "WEIGHTS_0: vertex 0 has the weight -1, for which 0 stands") || !strings.Contains(told, "the weights of vertex 0 sum to 2: weights were normalised") {
		t.Errorf("%q", d.Losses)
	}
}

// Meshes and skins that are wrong count where a node has them.
func TestMeshes_WrongOnesThatNoNodeHas(t *testing.T) {
	for name, c := range map[string]struct {
		change func(m *maker)
		use    obj // what makes a node use it
		want   string
	}{
		"attribute": {func(m *maker) {
			m.doc["meshes"] = append(m.doc["meshes"].(arr), obj{"primitives": arr{obj{"attributes": obj{"POSITION": 9}}}})
		}, obj{"mesh": 1}, "meshes[1].primitives[0].attributes.POSITION: index 9 out of range (1 accessors): no node has it"},
		"mode": {func(m *maker) {
			m.doc["meshes"] = append(m.doc["meshes"].(arr), obj{"primitives": arr{obj{"mode": 9, "attributes": obj{"POSITION": 0}}}})
		}, obj{"mesh": 1}, "meshes[1].primitives[0].mode: 9 is outside 0 … 6: no node has it"},
		"no object": {func(m *maker) { m.doc["meshes"] = append(m.doc["meshes"].(arr), nil) }, obj{"mesh": 1}, "meshes[1]: must be an object: no node has it"},
		"joint":     {func(m *maker) { m.doc["skins"] = arr{obj{"joints": arr{7}}} }, obj{"skin": 0}, "skins[0].joints[0]: index 7 out of range (1 nodes): no node has it"},
		"matrices": {func(m *maker) { m.doc["skins"] = arr{obj{"joints": arr{0}, "inverseBindMatrices": 0}} }, obj{"skin": 0},
			"skins[0].inverseBindMatrices: accessors[0] is VEC3, must be MAT4: no node has it"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMaker()
			m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle()}})
			c.change(m)
			if got := drawn(t, tolerated(t, m.json(), nil, c.want), NoAnimation, 0); !slices.Equal(got, [][3]float64{{1, 2, 3}}) {
				t.Errorf("drawn at %v", got)
			}
			for k, v := range c.use {
				at(m.doc, "nodes", 0).(obj)[k] = v
			}
			_, err := read(m.json(), nil, nil)
			checkError(t, err, strings.TrimSuffix(c.want, ": no node has it"))
		})
	}
}

// sameBox compares boxes of whole numbers.
func sameBox(a, b mat.Box) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// The largest index that a type has is a vertex like others: glTF's lists and strips have no restart.
func TestIndices_TheRestartValueIsAVertex(t *testing.T) {
	for _, c := range []struct {
		mode     Mode
		comp     componentType
		indices  any
		vertices int
		want     []uint32
	}{
		{Triangles, compUnsignedByte, []uint8{0, 1, 255, 255, 1, 2}, 256, []uint32{0, 1, 255, 255, 1, 2}},
		{Triangles, compUnsignedShort, []uint16{0, 1, 65535}, 65536, []uint32{0, 1, 65535}},
		{TriangleStrip, compUnsignedByte, []uint8{0, 1, 255, 2}, 256, []uint32{0, 1, 255, 1, 2, 255}},
		{TriangleFan, compUnsignedShort, []uint16{65535, 1, 2}, 65536, []uint32{1, 2, 65535}},
	} {
		m := newMaker()
		positions := make([]float32, 3*c.vertices)
		positions[3*c.vertices-1] = 1
		pos := m.add("VEC3", compFloat, c.vertices, positions)
		normals := m.add("VEC3", compFloat, c.vertices, nil)
		idx := m.add("SCALAR", c.comp, len(bytesOf(c.indices))/c.comp.size(), c.indices)
		m.primitive(obj{"mode": c.mode, "attributes": obj{"POSITION": pos, "NORMAL": normals}, "indices": idx})
		d := tolerated(t, m.json(), nil, "by which primitives restart elsewhere: it was taken for the vertex")
		if got := d.Meshes[0].Primitives[0].TriangleList(); !slices.Equal(got, c.want) {
			t.Errorf("mode %d: %v, want %v", c.mode, got, c.want)
		}
	}
}

// Integers that glTF does not allow for a use are taken for what they can only mean.
func TestAccessors_OtherComponentTypes(t *testing.T) {
	type accessor struct {
		typ    string
		comp   componentType
		values any
	}
	triangle := func(name string, a accessor, more obj) (*maker, obj) {
		m := newMaker()
		attributes := obj{"POSITION": m.unitTriangle()}
		p := obj{"attributes": attributes}
		n := m.add(a.typ, a.comp, 3, a.values)
		if name == "indices" {
			p["indices"] = n
		} else {
			attributes[name] = n
		}
		for k, v := range more {
			attributes[k] = m.add(v.(accessor).typ, v.(accessor).comp, 3, v.(accessor).values)
		}
		m.primitive(p)
		return m, attributes
	}
	weights := accessor{"VEC4", compFloat, []float32{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}}
	joints := accessor{"VEC4", compUnsignedByte, make([]uint8, 12)}
	for name, c := range map[string]struct {
		attribute string
		accessor  accessor
		more      obj
		is        func(p *Primitive) bool
		want      string
	}{
		"normals of bytes": {"NORMAL", accessor{"VEC3", compByte, []int8{0, 0, 127, 0, 5, 0, -128, 0, 0}}, nil,
			func(p *Primitive) bool {
				return slices.Equal(p.Normals, [][3]float32{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}})
			}, "accessors[1] holds BYTE, which must be normalized here, and is taken so"},
		"normals of shorts": {"NORMAL", accessor{"VEC3", compShort, []int16{0, 0, 1000, 0, 5, 0, 7, 0, 0}}, nil,
			func(p *Primitive) bool {
				return slices.Equal(p.Normals, [][3]float32{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}})
			}, "holds SHORT"},
		"colours": {"COLOR_0", accessor{"VEC4", compUnsignedByte, []uint8{255, 0, 51, 255, 0, 0, 0, 0, 255, 255, 255, 255}}, nil,
			func(p *Primitive) bool {
				return p.Colors[0] == [4]float32{1, 0, 0.2, 1} && p.Colors[1] == [4]float32{}
			}, "holds UNSIGNED_BYTE, which must be normalized"},
		"weights": {"WEIGHTS_0", accessor{"VEC4", compUnsignedByte, []uint8{255, 0, 0, 0, 51, 204, 0, 0, 255, 0, 0, 0}}, obj{"JOINTS_0": joints},
			func(p *Primitive) bool {
				return near(p.Weights[0][1][0], 0.2) && near(p.Weights[0][1][1], 0.8)
			}, "holds UNSIGNED_BYTE, which must be normalized"},
		"joints of 32 bits": {"JOINTS_0", accessor{"VEC4", compUnsignedInt, []uint32{7, 1, 0, 0, 0, 0, 0, 0, 65535, 0, 0, 0}}, obj{"WEIGHTS_0": weights},
			func(p *Primitive) bool {
				return p.Joints[0][0] == [4]uint16{7, 1, 0, 0} && p.Joints[0][2][0] == 65535
			}, "holds UNSIGNED_INT, which is not allowed here"},
		"joints of floats": {"JOINTS_0", accessor{"VEC4", compFloat, []float32{7, 1, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0}}, obj{"WEIGHTS_0": weights},
			func(p *Primitive) bool { return p.Joints[0][0] == [4]uint16{7, 1, 0, 0} }, "holds FLOAT, which is not allowed here"},
		"indices of shorts": {"indices", accessor{"SCALAR", compShort, []int16{2, 1, 0}}, obj{"NORMAL": accessor{"VEC3", compFloat, []float32{0, 0, 1, 0, 0, 1, 0, 0, 1}}},
			func(p *Primitive) bool { return slices.Equal(p.Indices, []uint32{2, 1, 0}) }, "holds SHORT, which is not allowed here"},
		"indices of INT": {"indices", accessor{"SCALAR", compInt, []int32{2, 1, 0}}, obj{"NORMAL": accessor{"VEC3", compFloat, []float32{0, 0, 1, 0, 0, 1, 0, 0, 1}}},
			func(p *Primitive) bool { return slices.Equal(p.Indices, []uint32{2, 1, 0}) }, "holds INT, which is not allowed here"},
		"indices of floats": {"indices", accessor{"SCALAR", compFloat, []float32{2, 1, 0}}, obj{"NORMAL": accessor{"VEC3", compFloat, []float32{0, 0, 1, 0, 0, 1, 0, 0, 1}}},
			func(p *Primitive) bool { return slices.Equal(p.Indices, []uint32{2, 1, 0}) }, "holds FLOAT, which is not allowed here"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := triangle(c.attribute, c.accessor, c.more)
			d := tolerated(t, m.json(), nil, c.want)
			if p := d.Meshes[0].Primitives[0]; !c.is(p) {
				t.Errorf("%v %v %v %v %v", p.Normals, p.Colors, p.Joints, p.Weights, p.Indices)
			}
		})
	}
	for name, a := range map[string]accessor{
		"below zero": {"SCALAR", compShort, []int16{2, -1, 0}},
		"a half":     {"SCALAR", compFloat, []float32{2, 0.5, 0}},
		"NaN":        {"SCALAR", compFloat, []float32{2, nan(), 0}},
		"infinity":   {"SCALAR", compFloat, []float32{2, float32(math.Inf(1)), 0}},
		"below":      {"SCALAR", compInt, []int32{2, -5, 0}},
	} {
		m, _ := triangle("indices", a, nil)
		_, err := read(m.json(), nil, nil)
		t.Run(name, func(t *testing.T) {
			checkError(t, err, "accessors[1]: element 1, component 0 is no whole number from 0 to 4294967295")
		})
	}
	m, _ := triangle("JOINTS_0", accessor{"VEC4", compUnsignedInt, []uint32{65536, 1, 0, 0, 0, 0, 0, 0, 65535, 0, 0, 0}}, obj{"WEIGHTS_0": weights})
	_, err := read(m.json(), nil, nil)
	checkError(t, err, "accessors[1]: element 0, component 0 is no whole number from 0 to 65535")
}

// What has a vertex that is nowhere is not drawn; 0 stands for other numbers that are none.
func TestVertices_NumbersThatAreNotFinite(t *testing.T) {
	inf := float32(math.Inf(1))
	// Vertex 2 is nowhere.
	positions := []float32{0, 0, 0, 1, 0, 0, nan(), 1, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0}
	for mode, want := range map[Mode][]uint32{
		Points: {0, 1, 3, 4, 5}, Lines: {0, 1, 4, 5}, LineStrip: {0, 1, 3, 4, 4, 5}, LineLoop: {0, 1, 3, 4, 4, 5, 5, 0},
		Triangles: {3, 4, 5}, TriangleStrip: {3, 5, 4}, TriangleFan: {3, 4, 0, 4, 5, 0},
	} {
		m := newMaker()
		pos := m.add("VEC3", compFloat, 6, positions)
		uv := m.add("VEC2", compFloat, 6, []float32{0, 0, inf, 0.5, 1, 1, nan(), nan(), 0.25, 0, 1, -inf})
		normals := m.add("VEC3", compFloat, 6, make([]float32, 18))
		m.primitive(obj{"mode": mode, "attributes": obj{"POSITION": pos, "TEXCOORD_0": uv, "NORMAL": normals}})
		d := tolerated(t, m.json(), nil, "numbers of vertices are not finite")
		p := d.Meshes[0].Primitives[0]
		if !slices.Equal(p.Indices, want) {
			t.Errorf("mode %d: indices %v, want %v", mode, p.Indices, want)
		}
		if uv := [][2]float32{{0, 0}, {0, 0.5}, {1, 1}, {0, 0}, {0.25, 0}, {1, 0}}; !slices.Equal(p.TexCoords[0], uv) {
			t.Errorf("mode %d: %v, want %v", mode, p.TexCoords[0], uv)
		}
		for v, at := range p.Positions {
			if !mat.Vec3(at).Finite() {
				t.Errorf("vertex %d is at %v", v, at)
			}
		}
	}
	for name, c := range map[string]func(m *maker, attributes obj){
		"normals": func(m *maker, a obj) {
			a["NORMAL"] = m.add("VEC3", compFloat, 3, []float32{nan(), 0, 0, 0, 0, 1, 0, 0, 1})
		},
		"tangents": func(m *maker, a obj) { a["TANGENT"] = m.add("VEC4", compFloat, 3, append(make([]float32, 11), inf)) },
		"colours":  func(m *maker, a obj) { a["COLOR_0"] = m.add("VEC3", compFloat, 3, append(make([]float32, 8), nan())) },
	} {
		m := newMaker()
		a := obj{"POSITION": m.unitTriangle(), "NORMAL": m.add("VEC3", compFloat, 3, []float32{0, 0, 1, 0, 0, 1, 0, 0, 1})}
		c(m, a)
		m.primitive(obj{"attributes": a})
		p := tolerated(t, m.json(), nil, "numbers of vertices are not finite").Meshes[0].Primitives[0]
		if p.Normals[0] != [3]float32{0, 0, 1} {
			t.Errorf("%s: %v", name, p.Normals)
		}
		for _, c := range append(slices.Clone(p.Colors), p.Tangents...) {
			for _, v := range c {
				if v-v != 0 {
					t.Errorf("%s: %v", name, c)
				}
			}
		}
	}
	// All of it is nowhere.
	m := newMaker()
	m.primitive(obj{"attributes": obj{"POSITION": m.add("VEC3", compFloat, 3, []float32{nan(), 0, 0, 1, inf, 0, 0, 0, -inf})}})
	if d := tolerated(t, m.json(), nil, "numbers of vertices are not finite"); d.Empty() != "the meshes of its scene have no vertices" || len(drawn(t, d, NoAnimation, 0)) != 0 {
		t.Errorf("%q", d.Empty())
	}
}

// min and max are what readers of positions go by elsewhere: they are compared, and nothing else.
func TestAccessors_MinAndMaxOfPositions(t *testing.T) {
	for want, more := range map[string]obj{
		"accessors[0] has no min and max":                          {"min": nil},
		"accessors[0]: min and max must be 3 numbers each":         {"max": arr{1, 1}},
		"accessors[0] says 0 to 2 of component 0, and has 0 to 1":  {"max": arr{2, 1, 0}},
		"accessors[0] says -1 to 1 of component 1, and has 0 to 1": {"min": arr{0, -1, 0}},
	} {
		m := newMaker()
		m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle()}})
		for k, v := range more {
			m.acc[0].(obj)[k] = v
		}
		d, err := read(m.json(), nil, nil)
		if err != nil || len(d.Losses) < 1 || !strings.Contains(strings.Join(d.Losses, "\n"), want) {
			t.Errorf("%v, losses %q, want %q", err, d.Losses, want)
		}
	}
}
