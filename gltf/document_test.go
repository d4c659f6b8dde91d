package gltf

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

func TestDocument_RichContents(t *testing.T) {
	for name, data := range map[string][]byte{"gltf": rich().json(), "glb": rich().glb()} {
		d := mustRead(t, data)
		if len(d.Warnings) != 0 {
			t.Errorf("%s: warnings %v", name, d.Warnings)
		}
		p := d.Meshes[0].Primitives[0]
		if p.Mode != Triangles || !reflect.DeepEqual(p.Indices, []uint32{0, 1, 2, 2, 1, 3}) || p.Vertices() != 4 {
			t.Errorf("%s: primitive %v %v", name, p.Mode, p.Indices)
		}
		if p.TexCoords[0][1] != [2]float32{1, 1} || p.Targets[0].Positions[3] != [3]float32{0, 0, 2} {
			t.Errorf("%s: attributes %v %v", name, p.TexCoords, p.Targets)
		}
		m := d.Materials[0]
		if p.Material != m || m.BaseColorFactor != [4]float32{1, 0.5, 0.25, 1} || m.MetallicFactor != 0.5 || m.RoughnessFactor != 0.25 ||
			m.NormalScale != -2 || m.OcclusionStrength != 0.5 || m.EmissiveFactor != [3]float32{1, 1, 0} || m.EmissiveStrength != 5 ||
			m.AlphaMode != AlphaMask || m.AlphaCutoff != 0.25 || !m.DoubleSided || !m.Unlit {
			t.Errorf("%s: material %+v", name, m)
		}
		for _, r := range []*TextureRef{m.BaseColorTexture, m.MetallicRoughnessTexture, m.NormalTexture, m.OcclusionTexture, m.EmissiveTexture} {
			if r == nil || r.Texture != d.Textures[0] || r.Texture.Image != d.Images[0] {
				t.Errorf("%s: texture %+v", name, r)
			}
		}
		want := Sampler{MagFilter: Nearest, MinFilter: LinearMipmapLinear, WrapS: ClampToEdge, WrapT: MirroredRepeat}
		if got := d.Textures[0].Sampler; got != want {
			t.Errorf("%s: sampler %+v", name, got)
		}
		if l := d.Lights[0]; l.Type != LightSpot || l.Color != [3]float32{1, 0, 0} || l.Intensity != 3 || l.Range != 9 || l.OuterConeAngle != 0.5 {
			t.Errorf("%s: light %+v", name, l)
		}
		if d.Lights[1].Type != LightPoint || d.Lights[2].Type != LightDirectional || d.Lights[1].Intensity != 1 {
			t.Errorf("%s: lights %+v", name, d.Lights)
		}
		if c := d.Cameras; c[0].YFov != 1 || c[0].ZFar != 0 || !c[1].Orthographic || c[1].XMag != 2 || c[1].ZFar != 10 {
			t.Errorf("%s: cameras %+v", name, c)
		}
		if len(d.Animations[0].Channels) != 4 || d.Animations[0].Duration != 2 {
			t.Errorf("%s: animation %+v", name, d.Animations[0])
		}
		if d.Nodes[3].Parent != 1 || d.Nodes[3].Camera != 0 || d.Nodes[3].Light != 0 || d.Nodes[0].Mesh != None {
			t.Errorf("%s: node %+v", name, d.Nodes[3])
		}
	}
}

func TestTextureTransform_ScaleThenRotateThenOffset(t *testing.T) {
	r := TextureRef{HasTransform: true, Offset: [2]float32{0.25, 0.5}, Rotation: math.Pi / 2, Scale: [2]float32{2, 3}}
	m := r.Transform()
	// (1, 1) scales to (2, 3); a quarter turn takes (u, v) to (v, -u).
	u, v := m[0]+m[1]+m[2], m[3]+m[4]+m[5]
	if !near(u, 3.25) || !near(v, -1.5) {
		t.Errorf("(1, 1) → (%v, %v), want (3.25, -1.5)", u, v)
	}
	if m := (&TextureRef{}).Transform(); m != [6]float32{1, 0, 0, 0, 1, 0} {
		t.Errorf("without transform: %v", m)
	}
}

func TestPrimitive_AllModes(t *testing.T) {
	for mode, want := range map[Mode][]uint32{
		Points: nil, Lines: nil, LineLoop: nil, LineStrip: nil,
		Triangles:     {0, 1, 2},
		TriangleStrip: {0, 1, 2, 1, 3, 2, 2, 3, 4},
		TriangleFan:   {1, 2, 0, 2, 3, 0, 3, 4, 0},
	} {
		m := newMaker()
		pos := m.add("VEC3", compFloat, 5, make([]float32, 15))
		norm := m.add("VEC3", compFloat, 5, []float32{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1})
		m.doc["meshes"] = arr{obj{"primitives": arr{obj{"mode": int(mode), "attributes": obj{"POSITION": pos, "NORMAL": norm}}}}}
		p := mustRead(t, m.json()).Meshes[0].Primitives[0]
		if got := p.TriangleList(); p.Mode != mode || !reflect.DeepEqual(got, want) {
			t.Errorf("mode %d: %v, want %v", mode, got, want)
		}
	}
}

func TestColors_EveryEncoding(t *testing.T) {
	for _, c := range []struct {
		name, typ string
		comp      componentType
		data      any
		want      [4]float32
	}{
		{"vec3 float", "VEC3", compFloat, []float32{1, 0.5, 0, 0, 0, 0, 0, 0, 0}, [4]float32{1, 0.5, 0, 1}},
		{"vec4 float", "VEC4", compFloat, []float32{1, 0.5, 0, 0.25, 0, 0, 0, 0, 0, 0, 0, 0}, [4]float32{1, 0.5, 0, 0.25}},
		{"vec3 ubyte", "VEC3", compUnsignedByte, []uint8{255, 51, 0, 0, 0, 0, 0, 0, 0}, [4]float32{1, 0.2, 0, 1}},
		{"vec4 ubyte", "VEC4", compUnsignedByte, []uint8{255, 51, 0, 102, 0, 0, 0, 0, 0, 0, 0, 0}, [4]float32{1, 0.2, 0, 0.4}},
		{"vec3 ushort", "VEC3", compUnsignedShort, []uint16{65535, 13107, 0, 0, 0, 0, 0, 0, 0}, [4]float32{1, 0.2, 0, 1}},
		{"vec4 ushort", "VEC4", compUnsignedShort, []uint16{65535, 13107, 0, 26214, 0, 0, 0, 0, 0, 0, 0, 0}, [4]float32{1, 0.2, 0, 0.4}},
	} {
		m := newMaker()
		pos := m.unitTriangle()
		col := m.add(c.typ, c.comp, 3, c.data, obj{"normalized": c.comp != compFloat})
		m.doc["meshes"] = arr{obj{"primitives": arr{obj{"attributes": obj{"POSITION": pos, "COLOR_0": col}}}}}
		p := mustRead(t, m.json()).Meshes[0].Primitives[0]
		for i, v := range p.Colors[0] {
			if !near(v, c.want[i]) {
				t.Errorf("%s: %v, want %v", c.name, p.Colors[0], c.want)
				break
			}
		}
	}
}

func TestQuantization_IntegersNeedTheExtension(t *testing.T) {
	for _, declared := range []bool{true, false} {
		m := newMaker()
		pos := m.add("VEC3", compShort, 3, []int16{0, 0, 0, 10, 0, 0, 0, 10, 0})
		norm := m.add("VEC3", compByte, 3, []int8{0, 0, 127, 0, 0, 127, 0, 90, 90}, obj{"normalized": true})
		m.doc["meshes"] = arr{obj{"primitives": arr{obj{"attributes": obj{"POSITION": pos, "NORMAL": norm}}}}}
		if declared {
			m.doc["extensionsUsed"] = arr{"KHR_mesh_quantization"}
			m.doc["extensionsRequired"] = arr{"KHR_mesh_quantization"}
		}
		d := mustRead(t, m.json())
		p := d.Meshes[0].Primitives[0]
		if p.Positions[1] != [3]float32{10, 0, 0} || !near(p.Normals[2][1], float32(math.Sqrt(0.5))) {
			t.Errorf("%v %v", p.Positions, p.Normals)
		}
		if (len(d.Warnings) == 0) != declared {
			t.Errorf("declared %v: warnings %v", declared, d.Warnings)
		}
	}
}

func TestNormals_FlatWhereMissing(t *testing.T) {
	m := newMaker()
	pos := m.add("VEC3", compFloat, 4, []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1})
	idx := m.add("SCALAR", compUnsignedShort, 6, []uint16{0, 1, 2, 0, 2, 3})
	m.doc["meshes"] = arr{obj{"primitives": arr{
		obj{"attributes": obj{"POSITION": pos}, "indices": idx},
		obj{"attributes": obj{"POSITION": pos}, "mode": 0},
	}}}
	prims := mustRead(t, m.json()).Meshes[0].Primitives
	p := prims[0]
	if !p.FlatNormals || p.Indices != nil || p.Vertices() != 6 {
		t.Fatalf("flat %v, indices %v, %d vertices", p.FlatNormals, p.Indices, p.Vertices())
	}
	for i, want := range [][3]float32{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}} {
		if p.Normals[i] != want {
			t.Errorf("normal %d is %v, want %v", i, p.Normals[i], want)
		}
	}
	if prims[1].Normals != nil {
		t.Error("points got normals")
	}
}

func TestSkinWeights_AreNormalised(t *testing.T) {
	m := newMaker()
	pos := m.unitTriangle()
	j := m.add("VEC4", compUnsignedShort, 3, []uint16{7, 0, 0, 0, 7, 0, 0, 0, 3, 9, 0, 0})
	w := m.add("VEC4", compFloat, 3, []float32{1, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0})
	m.doc["meshes"] = arr{obj{"primitives": arr{obj{"attributes": obj{"POSITION": pos, "JOINTS_0": j, "WEIGHTS_0": w}}}}}
	d := mustRead(t, m.json())
	p := d.Meshes[0].Primitives[0]
	if p.Weights[0][1] != [4]float32{0.5, 0.5} || p.Weights[0][2] != [4]float32{1} || p.maxJoint != 7 || len(d.Warnings) != 1 {
		t.Errorf("weights %v, joint %d, warnings %v", p.Weights[0], p.maxJoint, d.Warnings)
	}
}

func TestWarnings_OptionalExtensionAndOddAttributes(t *testing.T) {
	m := newMaker()
	pos := m.unitTriangle()
	m.doc["extensionsUsed"] = arr{"EXT_of_tomorrow"}
	m.doc["meshes"] = arr{obj{"primitives": arr{
		obj{"attributes": obj{"POSITION": pos, "_MINE": pos, "TEXCOORD_7": pos}},
		obj{"attributes": obj{}},
	}}}
	m.doc["nodes"] = arr{obj{"mesh": 0}}
	d := mustRead(t, m.json())
	all := strings.Join(d.Warnings, "\n")
	for _, want := range []string{`"EXT_of_tomorrow" is not supported and was ignored`, `"TEXCOORD_7" was ignored`, "has no POSITION"} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %q in\n%s", want, all)
		}
	}
	if p, err := d.Pose(None, NoAnimation, 0); err != nil || len(p.Items) != 1 {
		t.Errorf("items %v, %v", p.Items, err)
	}
}

func imageDocument(uri string, data []byte) ([]byte, fstest.MapFS) {
	text, _ := json.Marshal(obj{"asset": obj{"version": "2.0"}, "images": arr{obj{"uri": uri}}, "textures": arr{obj{"source": 0}}})
	return text, fstest.MapFS{uri: {Data: data}}
}

func TestImage_KindsOfContent(t *testing.T) {
	gray16 := image.NewGray16(image.Rect(0, 0, 2, 2))
	gray16.SetGray16(1, 1, color.Gray16{Y: 0xabcd})
	paletted := image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{4, 5, 6, 7}})
	paletted.SetColorIndex(1, 1, 1)
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, image.NewGray(image.Rect(0, 0, 9, 5)), nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		data []byte
		w, h int
		deep bool
		x, y int
		want color.NRGBA
	}{
		{"straight alpha", tinyPNG(), 2, 1, false, 1, 0, color.NRGBA{1, 2, 3, 0}},
		{"gray 16", encodePNG(gray16), 2, 2, true, 1, 1, color.NRGBA{0xab, 0xab, 0xab, 255}},
		{"paletted", encodePNG(paletted), 2, 2, false, 1, 1, color.NRGBA{4, 5, 6, 7}},
		{"jpeg", jpg.Bytes(), 9, 5, false, 8, 4, color.NRGBA{0, 0, 0, 255}},
	} {
		text, fsys := imageDocument("a.img", c.data)
		d, err := read(text, fsys, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := d.Images[0]
		if m.Width != c.w || m.Height != c.h || m.Deep != c.deep {
			t.Errorf("%s: %d × %d, deep %v", c.name, m.Width, m.Height, m.Deep)
		}
		got, err := m.DecodeNRGBA(t.Context())
		if err != nil || got.NRGBAAt(c.x, c.y) != c.want {
			t.Errorf("%s: %v, %v; want %v", c.name, got.NRGBAAt(c.x, c.y), err, c.want)
		}
	}
	text, fsys := imageDocument("a.img", encodePNG(gray16))
	d, _ := read(text, fsys, nil)
	if deep, err := d.Images[0].Decode(t.Context()); err != nil || deep.(*image.NRGBA64).NRGBA64At(1, 1).G != 0xabcd {
		t.Errorf("16 bits were lost: %v", err)
	}
}

func TestImage_HostileContent(t *testing.T) {
	good := tinyPNG()
	huge := bytes.Clone(good)
	copy(huge[16:], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // 65536 × 65536; the checksum is wrong too
	crcFixed := append([]byte{}, huge...)
	copy(crcFixed[29:], crc(crcFixed[12:29]))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":     {nil, "is neither PNG, JPEG, WebP, KTX 2 nor DDS"},
		"header":    {good[:20], "bad header"},
		"checksum":  {huge, "bad header"},
		"bomb":      {crcFixed, "decoding 65536 × 65536 texels: needs"},
		"jpeg stub": {[]byte{0xff, 0xd8, 0xff, 0xd9}, "bad header"},
	} {
		text, fsys := imageDocument("a.png", c.data)
		d, err := read(text, fsys, nil)
		if err != nil { // nothing is drawn with it
			t.Fatal(err)
		}
		if len(d.Losses) != 0 || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], c.want) {
			t.Errorf("%s: %q, losses %q", name, d.Warnings, d.Losses)
		}
		_, err = d.Images[0].Decode(t.Context())
		t.Run(name, func(t *testing.T) { checkError(t, err, "was not read") })
	}
	text, fsys := imageDocument("a.png", good[:len(good)-20])
	d, err := read(text, fsys, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Images[0].Decode(t.Context())
	checkError(t, err, `images[0] ("a.png"): decoding: `)
}

func TestNodes_NoLimitOnDepth(t *testing.T) {
	const depth = 20000
	var nodes arr
	for i := range depth {
		n := obj{"translation": arr{0.5, 0, 0}}
		if i+1 < depth {
			n["children"] = arr{i + 1}
		}
		nodes = append(nodes, n)
	}
	m := newMaker()
	m.doc["nodes"] = nodes
	p, err := mustRead(t, m.json()).Pose(None, NoAnimation, 0)
	if err != nil || p.World[depth-1][12] != depth/2 {
		t.Errorf("%v", err)
	}
}

func TestRead_SameBitsTwice(t *testing.T) {
	text := rich().json()
	pose := func() *Pose {
		d, err := Read(context.Background(), bytes.NewReader(text), nil, "a", nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Pose(0, 0, 0.7)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if a, b := pose(), pose(); !reflect.DeepEqual(a.World, b.World) || a.Bounds() != b.Bounds() {
		t.Error("two readings differ")
	}
}

// TestCamera_Projection: tan(yfov/2) = 0.5. x and y are what becomes of (1, 1, -1).
func TestCamera_Projection(t *testing.T) {
	perspective := func(aspect float32) *Camera {
		return &Camera{YFov: float32(2 * math.Atan(0.5)), AspectRatio: aspect, ZNear: 1}
	}
	for name, c := range map[string]struct {
		camera   *Camera
		viewport float32
		x, y     float32
	}{
		"the picture's shape":   {perspective(0), 2, 1, 2},
		"its own":               {perspective(2), 2, 1, 2},
		"wider than its own":    {perspective(2), 4, 0.5, 2},
		"narrower than its own": {perspective(2), 1, 1, 1},
		"square in wide":        {perspective(1), 2, 1, 2},
		"square in tall":        {perspective(1), 0.5, 2, 1},
		"orthographic":          {&Camera{Orthographic: true, XMag: 4, YMag: 2, ZFar: 1}, 2, 0.25, 0.5},
		"orthographic in wide":  {&Camera{Orthographic: true, XMag: 4, YMag: 2, ZFar: 1}, 4, 0.125, 0.5},
		"orthographic in tall":  {&Camera{Orthographic: true, XMag: 4, YMag: 2, ZFar: 1}, 1, 0.25, 0.25},
		"orthographic, turned":  {&Camera{Orthographic: true, XMag: -4, YMag: 2, ZFar: 1}, 1, -0.25, 0.25},
	} {
		m := c.camera.Projection(c.viewport)
		if x, y := m[0], -m[5]; math.Abs(float64(x-c.x)) > 1e-6 || math.Abs(float64(y-c.y)) > 1e-6 {
			t.Errorf("%s: %v, %v, want %v, %v", name, x, y, c.x, c.y)
		}
	}
}
