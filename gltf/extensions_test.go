package gltf

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

func TestExtensions_MetadataIsPassedOver(t *testing.T) {
	m := newMaker()
	names := arr{"KHR_xmp_json_ld", "EXT_structural_metadata", "EXT_mesh_features", "AGI_stk_metadata", "KHR_interactivity", "OMI_seat"}
	m.doc["extensionsUsed"], m.doc["extensionsRequired"] = names, names
	d := mustRead(t, m.json())
	if len(d.Warnings) != 0 || len(d.Losses) != 0 {
		t.Errorf("warnings %q, losses %q", d.Warnings, d.Losses)
	}
}

// A loss is what the picture lacks; what is listed only, or repaired, is none.
func TestExtensions_LossesAreToldApart(t *testing.T) {
	m := newMaker()
	m.doc["extensionsUsed"] = arr{"ACME_glitter", "ACME_listed_only"}
	m.doc["materials"] = arr{obj{"extensions": obj{"ACME_glitter": obj{}}}}
	m.doc["meshes"] = arr{obj{"primitives": arr{obj{"attributes": obj{}}}}}
	d := mustRead(t, m.json())
	if len(d.Warnings) != 3 || len(d.Losses) != 1 {
		t.Fatalf("warnings %q, losses %q", d.Warnings, d.Losses)
	}
	if want := `model.gltf: extensionsUsed[0]: "ACME_glitter" is not supported: the model is drawn without it`; d.Losses[0] != want {
		t.Errorf("loss %q, want %q", d.Losses[0], want)
	}
}

func pose(t *testing.T, d *Document, animation int, time float64, variant int) *Pose {
	t.Helper()
	p, err := d.PoseVariant(d.FindScene(), animation, time, variant)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// instanced returns a triangle drawn three times: moved, turned by a quarter about z,
// and scaled and mirrored.
func instanced() *maker {
	m := newMaker()
	s := float32(math.Sqrt(0.5))
	m.doc["meshes"] = arr{obj{"primitives": arr{obj{"attributes": obj{"POSITION": m.unitTriangle()}}}}}
	m.doc["nodes"] = arr{obj{"mesh": 0, "translation": arr{10, 0, 0}, "extensions": obj{"EXT_mesh_gpu_instancing": obj{"attributes": obj{
		"TRANSLATION": m.add("VEC3", compFloat, 3, []float32{1, 2, 3, 0, 0, 0, 0, 0, 0}),
		"ROTATION":    m.add("VEC4", compFloat, 3, []float32{0, 0, 0, 1, 0, 0, s, s, 0, 0, 0, 1}),
		"SCALE":       m.add("VEC3", compFloat, 3, []float32{1, 1, 1, 1, 1, 1, -2, 1, 1}),
		"_ID":         m.add("SCALAR", compFloat, 3, []float32{0, 1, 2}),
	}}}}}
	m.doc["extensionsUsed"] = arr{"EXT_mesh_gpu_instancing"}
	return m
}

func TestInstancing_EachHasItsTransform(t *testing.T) {
	d := mustRead(t, instanced().json())
	p := pose(t, d, NoAnimation, 0, None)
	// Where vertex 1, which is (1, 0, 0), gets: the node's transform comes last.
	want := []mat.DVec3{{12, 2, 3}, {10, 1, 0}, {8, 0, 0}}
	if len(p.Items) != len(want) {
		t.Fatalf("%d items, want %d", len(p.Items), len(want))
	}
	for i, it := range p.Items {
		if got := it.World.Point(mat.Vec3(it.Primitive.Positions[1]).Double()); got.Sub(want[i]).Length() > 1e-5 || it.Instance != i {
			t.Errorf("instance %d has vertex 1 at %v, want %v", it.Instance, got, want[i])
		}
		if it.Mirrored != (i == 2) {
			t.Errorf("instance %d: mirrored %v", i, it.Mirrored)
		}
	}
	if len(d.Warnings) != 0 {
		t.Errorf("warnings %q", d.Warnings)
	}
}

func TestInstancing_ErrorsAndMemory(t *testing.T) {
	m := instanced()
	m.acc[2].(obj)["count"] = 2
	_, err := read(m.json(), nil, nil)
	checkError(t, err, "nodes[0].extensions.EXT_mesh_gpu_instancing.attributes.ROTATION: accessors[2] has 2 elements, must have 3")

	// A hundred million instances without a byte of data.
	m = instanced()
	delete(at(m.doc, "nodes", 0, "extensions", "EXT_mesh_gpu_instancing", "attributes").(obj), "ROTATION")
	delete(at(m.doc, "nodes", 0, "extensions", "EXT_mesh_gpu_instancing", "attributes").(obj), "SCALE")
	delete(m.acc[1].(obj), "bufferView")
	m.acc[1].(obj)["count"] = 100_000_000
	_, err = read(m.json(), nil, &Options{Budget: budget.New(1<<30, "--memory-limit")})
	checkError(t, err, "memory")
}

// The instances of 100 nodes and of a mesh of 100 primitives are charged before they
// are listed.
func TestInstancing_PoseIsCharged(t *testing.T) {
	m := instanced()
	at(m.doc, "nodes", 0, "extensions", "EXT_mesh_gpu_instancing").(obj)["attributes"] = obj{
		"TRANSLATION": m.add("VEC3", compFloat, 100_000, nil),
	}
	prim := at(m.doc, "meshes", 0, "primitives", 0)
	list := arr{}
	for range 100 {
		list = append(list, prim)
	}
	m.doc["meshes"].(arr)[0].(obj)["primitives"] = list
	d, err := read(m.json(), nil, &Options{Budget: budget.New(256<<20, "--memory-limit")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Pose(None, NoAnimation, 0)
	checkError(t, err, "memory")
}

func TestVariants_PrimitivesSayOfWhat(t *testing.T) {
	m := newMaker()
	tri := m.unitTriangle()
	mapped := obj{"attributes": obj{"POSITION": tri}, "material": 0, "extensions": obj{"KHR_materials_variants": obj{"mappings": arr{
		obj{"material": 1, "variants": arr{0}}, obj{"material": 2, "variants": arr{1, 2}},
	}}}}
	m.doc["materials"] = arr{obj{"name": "own"}, obj{"name": "a"}, obj{"name": "b"}}
	m.doc["meshes"] = arr{obj{"primitives": arr{mapped, obj{"attributes": obj{"POSITION": tri}, "material": 0}}}}
	m.doc["nodes"] = arr{obj{"mesh": 0}}
	m.doc["extensions"] = obj{"KHR_materials_variants": obj{"variants": arr{obj{"name": "first"}, obj{"name": "second"}, obj{"name": "third"}, obj{"name": "fourth"}}}}
	m.doc["extensionsUsed"] = arr{"KHR_materials_variants"}
	d := mustRead(t, m.json())
	for variant, want := range map[int]string{None: "own", 0: "a", 1: "b", 2: "b", 3: "own"} {
		p := pose(t, d, NoAnimation, 0, variant)
		if got := p.Items[0].Material.Name; got != want {
			t.Errorf("variant %d is of %q, want %q", variant, got, want)
		}
		if got := p.Items[1].Material.Name; got != "own" {
			t.Errorf("variant %d: what has no mappings is of %q", variant, got)
		}
	}
	if d.FindVariant("third") != 2 || d.FindVariant("fifth") != None {
		t.Error("variants are not found by their names")
	}
	if _, err := d.PoseVariant(None, NoAnimation, 0, 4); err == nil {
		t.Error("variant 4 of 4 is taken")
	}
	mapped["extensions"].(obj)["KHR_materials_variants"].(obj)["mappings"].(arr)[0].(obj)["variants"] = arr{9}
	_, err := read(m.json(), nil, &Options{Strict: true})
	checkError(t, err, "meshes[0].primitives[0].extensions.KHR_materials_variants.mappings[0].variants[0]: index 9 out of range (4 variants)")
}

// animatedBy returns a model with one animation whose channels are JSON pointers, each
// from a first value at time 0 to a second at time 1.
type pointed struct {
	pointer string
	typ     string
	comp    componentType
	values  any
	step    bool
}

func (m *maker) pointers(list ...pointed) {
	times := m.add("SCALAR", compFloat, 2, []float32{0, 1})
	samplers, channels := arr{}, arr{}
	for i, p := range list {
		width := map[string]int{"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[p.typ]
		count := len(bytesOf(p.values)) / (p.comp.size() * width)
		s := obj{"input": times, "output": m.add(p.typ, p.comp, count, p.values)}
		if p.step {
			s["interpolation"] = "STEP"
		}
		samplers = append(samplers, s)
		channels = append(channels, obj{"sampler": i, "target": obj{"path": "pointer", "extensions": obj{"KHR_animation_pointer": obj{"pointer": p.pointer}}}})
	}
	m.doc["animations"] = arr{obj{"samplers": samplers, "channels": channels}}
	m.doc["extensionsUsed"] = arr{"KHR_animation_pointer", "KHR_lights_punctual", "KHR_node_visibility", "KHR_texture_transform", "KHR_materials_emissive_strength"}
}

// stage is a model with everything that pointers lead to.
func stage() *maker {
	m := newMaker()
	tri, move := m.unitTriangle(), m.add("VEC3", compFloat, 3, []float32{0, 0, 1, 0, 0, 1, 0, 0, 1})
	m.doc["images"] = arr{obj{"bufferView": m.addView(tinyPNG(), 0), "mimeType": "image/png"}}
	m.doc["textures"] = arr{obj{"source": 0}}
	m.doc["materials"] = arr{obj{
		"pbrMetallicRoughness": obj{"baseColorTexture": obj{"index": 0, "extensions": obj{"KHR_texture_transform": obj{"offset": arr{0, 0}}}}},
		"normalTexture":        obj{"index": 0}, "occlusionTexture": obj{"index": 0},
		"extensions": obj{
			"KHR_materials_transmission": obj{"transmissionTexture": obj{"index": 0}}, "KHR_materials_volume": obj{"attenuationDistance": 1},
			"KHR_materials_clearcoat": obj{"clearcoatNormalTexture": obj{"index": 0}}, "KHR_materials_specular": obj{}, "KHR_materials_sheen": obj{},
			"KHR_materials_iridescence": obj{}, "KHR_materials_anisotropy": obj{}, "KHR_materials_diffuse_transmission": obj{},
		},
	}}
	m.doc["meshes"] = arr{obj{"weights": arr{0, 0.5}, "primitives": arr{obj{
		"material": 0, "attributes": obj{"POSITION": tri, "TEXCOORD_0": m.add("VEC2", compFloat, 3, make([]float32, 6))},
		"targets": arr{obj{"POSITION": move}, obj{"POSITION": move}},
	}}}}
	m.doc["cameras"] = arr{
		obj{"type": "perspective", "perspective": obj{"yfov": 1, "znear": 0.1, "zfar": 10}},
		obj{"type": "orthographic", "orthographic": obj{"xmag": 2, "ymag": 1, "znear": 0, "zfar": 10}},
	}
	m.doc["extensions"] = obj{"KHR_lights_punctual": obj{"lights": arr{obj{"type": "spot", "spot": obj{}, "range": 5}}}}
	m.doc["nodes"] = arr{
		obj{"mesh": 0, "children": arr{1}},
		obj{"extensions": obj{"KHR_lights_punctual": obj{"light": 0}}},
		obj{"camera": 0}, obj{"camera": 1},
	}
	return m
}

func floats(v ...float32) []float32 { return v }

// Each pointer changes its property, half-way at half the time, and nothing of the
// document.
func TestPointer_LeadsToItsProperty(t *testing.T) {
	material := func(f func(m *Material) []float32) func(p *Pose) []float32 {
		return func(p *Pose) []float32 { return f(p.Items[0].Material) }
	}
	light := func(f func(l *Light) []float32) func(p *Pose) []float32 {
		return func(p *Pose) []float32 { return f(p.Lights[0].Light) }
	}
	lens := func(i int, f func(c *Camera) []float32) func(p *Pose) []float32 {
		return func(p *Pose) []float32 { return f(p.Cameras[i].Lens) }
	}
	const layer = "/materials/0/extensions/KHR_materials_"
	transform := "/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/"
	for _, c := range []struct {
		pointer, typ string
		from, to     []float32
		get          func(p *Pose) []float32
	}{
		{"/nodes/0/translation", "VEC3", floats(0, 0, 0), floats(2, 4, 6), func(p *Pose) []float32 { w := p.World[0].Single(); return w[12:15] }},
		{"/nodes/0/scale", "VEC3", floats(1, 1, 1), floats(3, 1, 1), func(p *Pose) []float32 { w := p.World[0].Single(); return floats(w[0], w[5], w[10]) }},
		{"/nodes/0/weights", "SCALAR", floats(0, 0), floats(1, 0.5), func(p *Pose) []float32 { return p.Items[0].MorphWeights }},
		{"/nodes/0/weights/1", "SCALAR", floats(0), floats(1), func(p *Pose) []float32 { return p.Items[0].MorphWeights[1:] }},
		{"/meshes/0/weights", "SCALAR", floats(0, 0), floats(1, 0.5), func(p *Pose) []float32 { return p.Items[0].MorphWeights }},
		{"/meshes/0/weights/0", "SCALAR", floats(0), floats(1), func(p *Pose) []float32 { return p.Items[0].MorphWeights[:1] }},
		{"/materials/0/pbrMetallicRoughness/baseColorFactor", "VEC4", floats(0, 0, 0, 1), floats(1, 0.5, 0.25, 0), material(func(m *Material) []float32 { return m.BaseColorFactor[:] })},
		{"/materials/0/pbrMetallicRoughness/metallicFactor", "SCALAR", floats(0), floats(1), material(func(m *Material) []float32 { return floats(m.MetallicFactor) })},
		{"/materials/0/pbrMetallicRoughness/roughnessFactor", "SCALAR", floats(0), floats(1), material(func(m *Material) []float32 { return floats(m.RoughnessFactor) })},
		{"/materials/0/emissiveFactor", "VEC3", floats(0, 0, 0), floats(1, 0.5, 0.25), material(func(m *Material) []float32 { return m.EmissiveFactor[:] })},
		{"/materials/0/alphaCutoff", "SCALAR", floats(0), floats(1), material(func(m *Material) []float32 { return floats(m.AlphaCutoff) })},
		{"/materials/0/normalTexture/scale", "SCALAR", floats(0), floats(-2), material(func(m *Material) []float32 { return floats(m.NormalScale) })},
		{"/materials/0/occlusionTexture/strength", "SCALAR", floats(0), floats(0.5), material(func(m *Material) []float32 { return floats(m.OcclusionStrength) })},
		{"/materials/0/extensions/KHR_materials_emissive_strength/emissiveStrength", "SCALAR", floats(0), floats(8), material(func(m *Material) []float32 { return floats(m.EmissiveStrength) })},
		{layer + "ior/ior", "SCALAR", floats(1), floats(2), material(func(m *Material) []float32 { return floats(m.IOR) })},
		{layer + "dispersion/dispersion", "SCALAR", floats(0), floats(2), material(func(m *Material) []float32 { return floats(m.Dispersion) })},
		{layer + "transmission/transmissionFactor", "SCALAR", floats(0), floats(1), material(func(m *Material) []float32 { return floats(m.Transmission.Factor) })},
		{layer + "transmission/transmissionTexture/extensions/KHR_texture_transform/offset", "VEC2", floats(0, 0), floats(1, 2), material(func(m *Material) []float32 { return m.Transmission.Texture.Offset[:] })},
		{layer + "volume/thicknessFactor", "SCALAR", floats(0), floats(1), material(func(m *Material) []float32 { return floats(m.Volume.ThicknessFactor) })},
		{layer + "volume/attenuationDistance", "SCALAR", floats(1), floats(3), material(func(m *Material) []float32 { return floats(m.Volume.AttenuationDistance) })},
		{layer + "volume/attenuationColor", "VEC3", floats(1, 1, 1), floats(0, 1, 0.5), material(func(m *Material) []float32 { return m.Volume.AttenuationColor[:] })},
		{layer + "clearcoat/clearcoatFactor", "SCALAR", floats(0), floats(1), material(func(m *Material) []float32 { return floats(m.Clearcoat.Factor) })},
		{layer + "clearcoat/clearcoatRoughnessFactor", "SCALAR", floats(0), floats(1), material(func(m *Material) []float32 { return floats(m.Clearcoat.RoughnessFactor) })},
		{layer + "clearcoat/clearcoatNormalTexture/scale", "SCALAR", floats(0), floats(2), material(func(m *Material) []float32 { return floats(m.Clearcoat.NormalScale) })},
		{layer + "clearcoat/clearcoatNormalTexture/extensions/KHR_texture_transform/rotation", "SCALAR", floats(0), floats(2), material(func(m *Material) []float32 { return floats(m.Clearcoat.NormalTexture.Rotation) })},
		{layer + "specular/specularFactor", "SCALAR", floats(0), floats(1), material(func(m *Material) []float32 { return floats(m.Specular.Factor) })},
		{layer + "specular/specularColorFactor", "VEC3", floats(0, 0, 0), floats(2, 1, 0.5), material(func(m *Material) []float32 { return m.Specular.ColorFactor[:] })},
		{layer + "sheen/sheenColorFactor", "VEC3", floats(0, 0, 0), floats(1, 1, 0.5), material(func(m *Material) []float32 { return m.Sheen.ColorFactor[:] })},
		{layer + "sheen/sheenRoughnessFactor", "SCALAR", floats(0), floats(1), material(func(m *Material) []float32 { return floats(m.Sheen.RoughnessFactor) })},
		{layer + "iridescence/iridescenceFactor", "SCALAR", floats(0), floats(1), material(func(m *Material) []float32 { return floats(m.Iridescence.Factor) })},
		{layer + "iridescence/iridescenceIor", "SCALAR", floats(1), floats(2), material(func(m *Material) []float32 { return floats(m.Iridescence.IOR) })},
		{layer + "iridescence/iridescenceThicknessMinimum", "SCALAR", floats(0), floats(200), material(func(m *Material) []float32 { return floats(m.Iridescence.ThicknessMinimum) })},
		{layer + "iridescence/iridescenceThicknessMaximum", "SCALAR", floats(0), floats(200), material(func(m *Material) []float32 { return floats(m.Iridescence.ThicknessMaximum) })},
		{layer + "anisotropy/anisotropyStrength", "SCALAR", floats(0), floats(1), material(func(m *Material) []float32 { return floats(m.Anisotropy.Strength) })},
		{layer + "anisotropy/anisotropyRotation", "SCALAR", floats(0), floats(-3), material(func(m *Material) []float32 { return floats(m.Anisotropy.Rotation) })},
		{layer + "diffuse_transmission/diffuseTransmissionFactor", "SCALAR", floats(0), floats(1), material(func(m *Material) []float32 { return floats(m.DiffuseTransmission.Factor) })},
		{layer + "diffuse_transmission/diffuseTransmissionColorFactor", "VEC3", floats(0, 0, 0), floats(1, 1, 0.5), material(func(m *Material) []float32 { return m.DiffuseTransmission.ColorFactor[:] })},
		{transform + "offset", "VEC2", floats(0, 0), floats(1, 2), material(func(m *Material) []float32 { return m.BaseColorTexture.Offset[:] })},
		{transform + "rotation", "SCALAR", floats(0), floats(3), material(func(m *Material) []float32 { return floats(m.BaseColorTexture.Rotation) })},
		{transform + "scale", "VEC2", floats(1, 1), floats(3, -1), material(func(m *Material) []float32 { return m.BaseColorTexture.Scale[:] })},
		{"/extensions/KHR_lights_punctual/lights/0/color", "VEC3", floats(1, 1, 1), floats(0, 1, 0), light(func(l *Light) []float32 { return l.Color[:] })},
		{"/extensions/KHR_lights_punctual/lights/0/intensity", "SCALAR", floats(0), floats(10), light(func(l *Light) []float32 { return floats(l.Intensity) })},
		{"/extensions/KHR_lights_punctual/lights/0/range", "SCALAR", floats(2), floats(4), light(func(l *Light) []float32 { return floats(l.Range) })},
		{"/extensions/KHR_lights_punctual/lights/0/spot/innerConeAngle", "SCALAR", floats(0), floats(0.5), light(func(l *Light) []float32 { return floats(l.InnerConeAngle) })},
		{"/extensions/KHR_lights_punctual/lights/0/spot/outerConeAngle", "SCALAR", floats(0.5), floats(1), light(func(l *Light) []float32 { return floats(l.OuterConeAngle) })},
		{"/cameras/0/perspective/yfov", "SCALAR", floats(1), floats(2), lens(0, func(c *Camera) []float32 { return floats(c.YFov) })},
		{"/cameras/0/perspective/znear", "SCALAR", floats(1), floats(2), lens(0, func(c *Camera) []float32 { return floats(c.ZNear) })},
		{"/cameras/0/perspective/zfar", "SCALAR", floats(10), floats(20), lens(0, func(c *Camera) []float32 { return floats(c.ZFar) })},
		{"/cameras/1/orthographic/xmag", "SCALAR", floats(1), floats(2), lens(1, func(c *Camera) []float32 { return floats(c.XMag) })},
		{"/cameras/1/orthographic/ymag", "SCALAR", floats(1), floats(2), lens(1, func(c *Camera) []float32 { return floats(c.YMag) })},
	} {
		t.Run(c.pointer, func(t *testing.T) {
			m := stage()
			m.pointers(pointed{pointer: c.pointer, typ: c.typ, comp: compFloat, values: append(append([]float32{}, c.from...), c.to...)})
			d := mustRead(t, m.json())
			if len(d.Warnings) != 0 || d.Animations[0].Duration != 1 {
				t.Fatalf("warnings %q, %v s", d.Warnings, d.Animations[0].Duration)
			}
			before, err := json.Marshal([]any{d.Materials, d.Cameras, d.Lights})
			if err != nil {
				t.Fatal(err)
			}
			for i, time := range []float64{0, 0.5, 1} {
				got := c.get(pose(t, d, 0, time, None))
				for k := range c.from {
					want := c.from[k] + (c.to[k]-c.from[k])*float32(i)/2
					if !near(got[k], want) {
						t.Errorf("time %v: number %d is %v, want %v", time, k, got[k], want)
					}
				}
			}
			if after, _ := json.Marshal([]any{d.Materials, d.Cameras, d.Lights}); string(after) != string(before) {
				t.Error("the document was changed")
			}
		})
	}
}

// Rotations go around the sphere, as core channels do.
func TestPointer_RotationIsSpherical(t *testing.T) {
	m := stage()
	s := float32(math.Sqrt(0.5))
	m.pointers(pointed{pointer: "/nodes/0/rotation", typ: "VEC4", comp: compFloat, values: floats(0, 0, 0, 1, 0, 0, s, s)})
	p := pose(t, mustRead(t, m.json()), 0, 0.5, None)
	if got := p.World[0].Direction(mat.DVec3{1, 0, 0}); got.Sub(mat.Vec3{s, s, 0}.Double()).Length() > 1e-5 {
		t.Errorf("half a quarter turn takes x to %v", got)
	}
}

func TestVisibility_HidesWhatIsBelow(t *testing.T) {
	m := stage()
	m.pointers(pointed{pointer: "/nodes/0/extensions/KHR_node_visibility/visible", typ: "SCALAR", comp: compUnsignedByte, values: []uint8{1, 0}, step: true})
	at(m.doc, "nodes", 0).(obj)["extensions"] = obj{"KHR_node_visibility": obj{"visible": false}}
	d := mustRead(t, m.json())
	for _, c := range []struct {
		animation     int
		time          float64
		items, lights int
	}{{NoAnimation, 0, 0, 0}, {0, 0, 1, 1}, {0, 0.9, 1, 1}, {0, 1, 0, 0}} {
		p := pose(t, d, c.animation, c.time, None)
		if len(p.Items) != c.items || len(p.Lights) != c.lights || len(p.Cameras) != 2 {
			t.Errorf("animation %d at %v: %d items, %d lights, %d cameras; want %d, %d, 2", c.animation, c.time, len(p.Items), len(p.Lights), len(p.Cameras), c.items, c.lights)
		}
	}
	// A child that says it is visible is not, below a parent that is not.
	at(m.doc, "nodes", 1, "extensions").(obj)["KHR_node_visibility"] = obj{"visible": true}
	if p := pose(t, mustRead(t, m.json()), NoAnimation, 0, None); len(p.Lights) != 0 {
		t.Error("a light shines below a hidden node")
	}
}

// What a pointer leads to that cannot be animated is named, once, and lost.
func TestPointer_UnknownIsLost(t *testing.T) {
	for _, pointer := range []string{
		"/materials/0/extensions/ACME_glitter/amount", "/nodes/9/scale", "/nodes/00/scale", "/nodes/+0/scale", "nodes/0/scale", "", "/", "/nodes/0",
		"/cameras/0/perspective/aspectRatio", "/cameras/0/orthographic/xmag", "/materials/0/emissiveTexture/extensions/KHR_texture_transform/offset",
		"/nodes/1/weights", "/nodes/0/weights/2", "/meshes/0/weights/x", "/materials/0/pbrMetallicRoughness",
		"/materials/0/extensions/KHR_materials_sheen/sheenColorTexture/extensions/KHR_texture_transform/offset", "/materials/0/extensions/KHR_materials_sheen/x",
	} {
		m := stage()
		m.pointers(pointed{pointer: pointer, typ: "SCALAR", comp: compFloat, values: floats(0, 1)})
		d := mustRead(t, m.json())
		if len(d.Losses) != 1 || !strings.Contains(d.Losses[0], quoted(pointer)) || len(d.Animations[0].Channels) != 0 {
			t.Errorf("%q: losses %q, %d channels", pointer, d.Losses, len(d.Animations[0].Channels))
		}
	}
}

// Values that no camera, light or material can have leave it as it is, or at its limit.
func TestPointer_ImpossibleValues(t *testing.T) {
	m := stage()
	m.pointers(
		pointed{pointer: "/cameras/0/perspective/yfov", typ: "SCALAR", comp: compFloat, values: floats(-1, -1)},
		pointed{pointer: "/extensions/KHR_lights_punctual/lights/0/intensity", typ: "SCALAR", comp: compFloat, values: floats(-1, -1)},
		pointed{pointer: "/materials/0/pbrMetallicRoughness/metallicFactor", typ: "SCALAR", comp: compFloat, values: floats(9, 9)},
	)
	d := mustRead(t, m.json())
	p := pose(t, d, 0, 0.5, None)
	if p.Cameras[0].Lens.YFov != 1 || p.Lights[0].Light.Intensity != 1 || p.Items[0].Material.MetallicFactor != 1 {
		t.Errorf("field of view %v, intensity %v, metallic %v", p.Cameras[0].Lens.YFov, p.Lights[0].Light.Intensity, p.Items[0].Material.MetallicFactor)
	}
}

func TestPointer_TwiceTheSameIsTold(t *testing.T) {
	m := stage()
	m.pointers(
		pointed{pointer: "/nodes/0/translation", typ: "VEC3", comp: compFloat, values: make([]float32, 6)},
		pointed{pointer: "/nodes/0/translation", typ: "VEC3", comp: compFloat, values: make([]float32, 6)},
	)
	_, err := read(m.json(), nil, &Options{Strict: true})
	checkError(t, err, "animations[0].channels[1].target: animates the same property as channels[0]")
	m = stage()
	m.pointers(pointed{pointer: "/nodes/0/extensions/KHR_node_visibility/visible", typ: "SCALAR", comp: compUnsignedByte, values: []uint8{1, 0}})
	_, err = read(m.json(), nil, &Options{Strict: true})
	checkError(t, err, "interpolation: must be STEP")
}
