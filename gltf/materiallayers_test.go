package gltf

import (
	"reflect"
	"strings"
	"testing"
)

// layered returns a document of one triangle whose material has every extension, with every member.
func layered() *maker {
	m := newMaker()
	pos := m.unitTriangle()
	uv := m.add("VEC2", compFloat, 3, []float32{0, 0, 1, 0, 0, 1})
	m.doc["images"] = arr{obj{"bufferView": m.addView(tinyPNG(), 0), "mimeType": "image/png"}}
	m.doc["textures"] = arr{obj{"source": 0}}
	ref := obj{"index": 0}
	body := obj{
		"KHR_materials_transmission": obj{"transmissionFactor": 0.5, "transmissionTexture": ref},
		"KHR_materials_volume": obj{"thicknessFactor": 2, "thicknessTexture": ref,
			"attenuationDistance": 3, "attenuationColor": arr{0.1, 0.2, 0.3}},
		"KHR_materials_ior":        obj{"ior": 1.25},
		"KHR_materials_dispersion": obj{"dispersion": 2},
		"KHR_materials_clearcoat": obj{"clearcoatFactor": 0.5, "clearcoatRoughnessFactor": 0.25, "clearcoatTexture": ref,
			"clearcoatRoughnessTexture": ref, "clearcoatNormalTexture": obj{"index": 0, "scale": -2}},
		"KHR_materials_specular": obj{"specularFactor": 0.5, "specularTexture": ref,
			"specularColorFactor": arr{2, 1, 0}, "specularColorTexture": ref},
		"KHR_materials_sheen": obj{"sheenColorFactor": arr{0.5, 0.25, 1}, "sheenColorTexture": ref,
			"sheenRoughnessFactor": 0.75, "sheenRoughnessTexture": ref},
		"KHR_materials_iridescence": obj{"iridescenceFactor": 0.5, "iridescenceTexture": ref, "iridescenceIor": 1.75,
			"iridescenceThicknessMinimum": 50, "iridescenceThicknessMaximum": 500, "iridescenceThicknessTexture": ref},
		"KHR_materials_anisotropy": obj{"anisotropyStrength": 0.5, "anisotropyRotation": -4, "anisotropyTexture": ref},
		"KHR_materials_diffuse_transmission": obj{"diffuseTransmissionFactor": 0.5, "diffuseTransmissionTexture": ref,
			"diffuseTransmissionColorFactor": arr{0.5, 1, 0.25}, "diffuseTransmissionColorTexture": ref},
		"KHR_materials_pbrSpecularGlossiness": obj{"diffuseFactor": arr{0.1, 0.2, 0.3, 0.4}, "diffuseTexture": ref,
			"specularFactor": arr{0.5, 0.25, 1}, "glossinessFactor": 0.5, "specularGlossinessTexture": ref},
	}
	names := arr{}
	for _, name := range sortedKeys(body) {
		names = append(names, name)
	}
	m.doc["extensionsUsed"], m.doc["extensionsRequired"] = names, names
	m.doc["materials"] = arr{obj{"extensions": body}}
	m.doc["meshes"] = arr{obj{"primitives": arr{obj{"attributes": obj{"POSITION": pos, "TEXCOORD_0": uv}, "material": 0}}}}
	m.doc["nodes"] = arr{obj{"mesh": 0}}
	return m
}

func TestMaterial_Extensions(t *testing.T) {
	d := mustRead(t, layered().json())
	if len(d.Warnings) != 0 {
		t.Errorf("warnings %v", d.Warnings)
	}
	ref := &TextureRef{Texture: d.Textures[0], Scale: [2]float32{1, 1}}
	want := DefaultMaterial()
	want.Index, want.IOR, want.Dispersion = 0, 1.25, 2
	want.Transmission = &Transmission{0.5, ref}
	want.Volume = &Volume{2, ref, 3, [3]float32{0.1, 0.2, 0.3}}
	want.Clearcoat = &Clearcoat{0.5, ref, 0.25, ref, ref, -2}
	want.Specular = &Specular{0.5, ref, [3]float32{2, 1, 0}, ref}
	want.Sheen = &Sheen{[3]float32{0.5, 0.25, 1}, ref, 0.75, ref}
	want.Iridescence = &Iridescence{0.5, ref, 1.75, 50, 500, ref}
	want.Anisotropy = &Anisotropy{0.5, -4, ref}
	want.DiffuseTransmission = &DiffuseTransmission{0.5, ref, [3]float32{0.5, 1, 0.25}, ref}
	want.SpecularGlossiness = &SpecularGlossiness{[4]float32{0.1, 0.2, 0.3, 0.4}, ref, [3]float32{0.5, 0.25, 1}, 0.5, ref}
	if got := d.Materials[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// TestMaterial_ExtensionDefaults are those of the extensions' tables.
func TestMaterial_ExtensionDefaults(t *testing.T) {
	m := layered()
	body := m.doc["materials"].(arr)[0].(obj)["extensions"].(obj)
	for name := range body {
		body[name] = obj{}
	}
	white := [3]float32{1, 1, 1}
	want := DefaultMaterial()
	want.Index = 0
	want.Transmission, want.Sheen, want.Anisotropy = &Transmission{}, &Sheen{}, &Anisotropy{}
	want.Volume = &Volume{AttenuationDistance: unbounded, AttenuationColor: white}
	want.Clearcoat = &Clearcoat{NormalScale: 1}
	want.Specular = &Specular{Factor: 1, ColorFactor: white}
	want.Iridescence = &Iridescence{IOR: 1.3, ThicknessMinimum: 100, ThicknessMaximum: 400}
	want.DiffuseTransmission = &DiffuseTransmission{ColorFactor: white}
	want.SpecularGlossiness = &SpecularGlossiness{DiffuseFactor: [4]float32{1, 1, 1, 1}, SpecularFactor: white, GlossinessFactor: 1}
	if got := mustRead(t, m.json()).Materials[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if want.IOR != 1.5 || want.Dispersion != 0 {
		t.Errorf("ior %v, dispersion %v", want.IOR, want.Dispersion)
	}
}

// TestMaterial_ExtensionErrors: every number has its range, and an error names it.
func TestMaterial_ExtensionErrors(t *testing.T) {
	for _, c := range []struct {
		extension, key string
		bad            any
		want           string
	}{
		{"transmission", "transmissionFactor", 1.5, "1.5 is out of range"},
		{"transmission", "transmissionTexture", obj{"index": 7}, ".index: index 7 out of range"},
		{"volume", "thicknessFactor", -1, "-1 is out of range"},
		{"volume", "thicknessTexture", obj{}, ".index: is missing"},
		{"volume", "attenuationDistance", 0, "must be greater than 0"},
		{"volume", "attenuationDistance", -2, "-2 is out of range"},
		{"volume", "attenuationColor", arr{1, 1, 2}, "2 is out of range"},
		{"volume", "attenuationColor", arr{1, 1}, "has 2 numbers, must have 3"},
		{"ior", "ior", 0.5, "0.5 is out of range"},
		{"ior", "ior", -0.5, "-0.5 is out of range"},
		{"dispersion", "dispersion", -0.5, "-0.5 is out of range"},
		{"clearcoat", "clearcoatFactor", -0.5, "-0.5 is out of range"},
		{"clearcoat", "clearcoatRoughnessFactor", 2, "2 is out of range"},
		{"clearcoat", "clearcoatNormalTexture", obj{"index": -1}, ".index: index -1 out of range"},
		{"specular", "specularFactor", 2, "2 is out of range"},
		{"specular", "specularColorFactor", arr{2, -1, 0}, "-1 is out of range"},
		{"sheen", "sheenColorFactor", arr{2, 1, 0}, "2 is out of range"},
		{"sheen", "sheenRoughnessFactor", 2, "2 is out of range"},
		{"iridescence", "iridescenceFactor", 2, "2 is out of range"},
		{"iridescence", "iridescenceIor", 0.9, "0.9 is out of range"},
		{"iridescence", "iridescenceThicknessMinimum", -1, "-1 is out of range"},
		{"iridescence", "iridescenceThicknessMaximum", -1, "-1 is out of range"},
		{"anisotropy", "anisotropyStrength", 1.5, "1.5 is out of range"},
		{"anisotropy", "anisotropyRotation", "north", "JSON string where a number is expected"},
		{"diffuse_transmission", "diffuseTransmissionFactor", 1.5, "1.5 is out of range"},
		{"diffuse_transmission", "diffuseTransmissionColorFactor", arr{-1, 0, 0}, "-1 is out of range"},
		{"pbrSpecularGlossiness", "diffuseFactor", arr{0, 0, 0}, "has 3 numbers, must have 4"},
		{"pbrSpecularGlossiness", "specularFactor", arr{0, 0, 2}, "2 is out of range"},
		{"pbrSpecularGlossiness", "glossinessFactor", 2, "2 is out of range"},
	} {
		m := layered()
		name := "KHR_materials_" + c.extension
		m.doc["materials"].(arr)[0].(obj)["extensions"].(obj)[name].(obj)[c.key] = c.bad
		_, err := read(m.json(), nil, &Options{Strict: true})
		place := "model.gltf: materials[0].extensions." + name + "." + c.key
		if err == nil || !strings.HasPrefix(err.Error(), place) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nwant %s: %s", err, place, c.want)
		}
	}
	m := layered()
	m.doc["materials"].(arr)[0].(obj)["extensions"].(obj)["KHR_materials_ior"] = obj{"ior": 0} // stands for infinity
	if got := mustRead(t, m.json()).Materials[0].IOR; got != 0 {
		t.Errorf("ior 0 is %v", got)
	}
}

// TestEnsureTangents_ForLayers: a coat's normals and anisotropy need tangents, other materials none.
func TestEnsureTangents_ForLayers(t *testing.T) {
	for name, c := range map[string]struct {
		extensions obj
		want       bool
	}{
		"plain":             {obj{}, false},
		"coat":              {obj{"KHR_materials_clearcoat": obj{"clearcoatTexture": obj{"index": 0}}}, false},
		"coat's normals":    {obj{"KHR_materials_clearcoat": obj{"clearcoatNormalTexture": obj{"index": 0}}}, true},
		"anisotropy":        {obj{"KHR_materials_anisotropy": obj{}}, true},
		"anisotropy's map":  {obj{"KHR_materials_anisotropy": obj{"anisotropyTexture": obj{"index": 0}}}, true},
		"map of other sets": {obj{"KHR_materials_anisotropy": obj{"anisotropyTexture": obj{"index": 0, "texCoord": 3}}}, false},
	} {
		m := layered()
		m.doc["materials"].(arr)[0].(obj)["extensions"] = c.extensions
		p := mustRead(t, m.json()).Meshes[0].Primitives[0]
		if err := p.EnsureTangents(); err != nil {
			t.Fatal(err)
		}
		if got := p.Tangents != nil; got != c.want {
			t.Errorf("%s: tangents %v, want %v", name, got, c.want)
		}
		for _, tan := range p.Tangents {
			if tan != [4]float32{1, 0, 0, -1} { // u grows along x, v against the image's bottom
				t.Errorf("%s: tangent %v", name, tan)
			}
		}
	}
}
