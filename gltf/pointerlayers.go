package gltf

import "strings"

// split makes a part of a material the material's own, so that what shares it stays as
// it is; nil where there is none.
func split[T any](part **T) *T {
	if *part == nil {
		return nil
	}
	own := **part
	*part = &own
	return &own
}

// layerNumbers finds a factor of one of the materials' extensions, below "extensions/KHR_materials_".
func layerNumbers(m *Material, rest string) (n numbers, ok bool) {
	name, factor, _ := strings.Cut(rest, "/")
	vector := func(v *[3]float32) []*float32 { return []*float32{&v[0], &v[1], &v[2]} }
	unit := func(v *float32) numbers { return numbers{most: 1, at: []*float32{v}} }
	positive := func(v *float32) numbers { return numbers{at: []*float32{v}} }
	switch name {
	case "emissive_strength":
		if factor == "emissiveStrength" {
			n = positive(&m.EmissiveStrength)
		}
	case "ior":
		if factor == "ior" {
			n = numbers{least: 1, at: []*float32{&m.IOR}}
		}
	case "dispersion":
		if factor == "dispersion" {
			n = positive(&m.Dispersion)
		}
	case "transmission":
		if t := split(&m.Transmission); t != nil && factor == "transmissionFactor" {
			n = unit(&t.Factor)
		}
	case "volume":
		v := split(&m.Volume)
		switch {
		case v == nil:
		case factor == "thicknessFactor":
			n = positive(&v.ThicknessFactor)
		case factor == "attenuationDistance":
			n = numbers{least: 1e-6, at: []*float32{&v.AttenuationDistance}}
		case factor == "attenuationColor":
			n = numbers{most: 1, at: vector(&v.AttenuationColor)}
		}
	case "clearcoat":
		c := split(&m.Clearcoat)
		switch {
		case c == nil:
		case factor == "clearcoatFactor":
			n = unit(&c.Factor)
		case factor == "clearcoatRoughnessFactor":
			n = unit(&c.RoughnessFactor)
		case factor == "clearcoatNormalTexture/scale":
			n = numbers{any: true, at: []*float32{&c.NormalScale}}
		}
	case "specular":
		s := split(&m.Specular)
		switch {
		case s == nil:
		case factor == "specularFactor":
			n = unit(&s.Factor)
		case factor == "specularColorFactor":
			n = numbers{at: vector(&s.ColorFactor)}
		}
	case "sheen":
		s := split(&m.Sheen)
		switch {
		case s == nil:
		case factor == "sheenColorFactor":
			n = numbers{most: 1, at: vector(&s.ColorFactor)}
		case factor == "sheenRoughnessFactor":
			n = unit(&s.RoughnessFactor)
		}
	case "iridescence":
		i := split(&m.Iridescence)
		switch {
		case i == nil:
		case factor == "iridescenceFactor":
			n = unit(&i.Factor)
		case factor == "iridescenceIor":
			n = numbers{least: 1, at: []*float32{&i.IOR}}
		case factor == "iridescenceThicknessMinimum":
			n = positive(&i.ThicknessMinimum)
		case factor == "iridescenceThicknessMaximum":
			n = positive(&i.ThicknessMaximum)
		}
	case "anisotropy":
		a := split(&m.Anisotropy)
		switch {
		case a == nil:
		case factor == "anisotropyStrength":
			n = unit(&a.Strength)
		case factor == "anisotropyRotation":
			n = numbers{any: true, at: []*float32{&a.Rotation}}
		}
	case "diffuse_transmission":
		d := split(&m.DiffuseTransmission)
		switch {
		case d == nil:
		case factor == "diffuseTransmissionFactor":
			n = unit(&d.Factor)
		case factor == "diffuseTransmissionColorFactor":
			n = numbers{most: 1, at: vector(&d.ColorFactor)}
		}
	}
	return n, n.at != nil
}

// layerTextures finds a use of a texture by one of the materials' extensions.
func layerTextures(m *Material, path string) **TextureRef {
	name, texture, _ := strings.Cut(path, "/")
	switch name {
	case "transmission":
		if t := split(&m.Transmission); t != nil && texture == "transmissionTexture" {
			return &t.Texture
		}
	case "volume":
		if v := split(&m.Volume); v != nil && texture == "thicknessTexture" {
			return &v.ThicknessTexture
		}
	case "clearcoat":
		c := split(&m.Clearcoat)
		switch {
		case c == nil:
		case texture == "clearcoatTexture":
			return &c.Texture
		case texture == "clearcoatRoughnessTexture":
			return &c.RoughnessTexture
		case texture == "clearcoatNormalTexture":
			return &c.NormalTexture
		}
	case "specular":
		s := split(&m.Specular)
		switch {
		case s == nil:
		case texture == "specularTexture":
			return &s.Texture
		case texture == "specularColorTexture":
			return &s.ColorTexture
		}
	case "sheen":
		s := split(&m.Sheen)
		switch {
		case s == nil:
		case texture == "sheenColorTexture":
			return &s.ColorTexture
		case texture == "sheenRoughnessTexture":
			return &s.RoughnessTexture
		}
	case "iridescence":
		i := split(&m.Iridescence)
		switch {
		case i == nil:
		case texture == "iridescenceTexture":
			return &i.Texture
		case texture == "iridescenceThicknessTexture":
			return &i.ThicknessTexture
		}
	case "anisotropy":
		if a := split(&m.Anisotropy); a != nil && texture == "anisotropyTexture" {
			return &a.Texture
		}
	case "diffuse_transmission":
		d := split(&m.DiffuseTransmission)
		switch {
		case d == nil:
		case texture == "diffuseTransmissionTexture":
			return &d.Texture
		case texture == "diffuseTransmissionColorTexture":
			return &d.ColorTexture
		}
	}
	return nil
}
