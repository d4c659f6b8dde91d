package gltf

import (
	"fmt"
)

// loadSamplers resolves samplers, defaults filled in.
func (l *loader) loadSamplers() error {
	raws, err := topList[rawSampler](l, "samplers")
	if err != nil {
		return err
	}
	for i := range raws {
		place := fmt.Sprintf("samplers[%d]", i)
		r := &raws[i]
		s := defaultSampler()
		s.Name = r.Name
		for _, f := range []struct {
			key string
			v   *integer
			mip bool
			out *Filter
		}{{".magFilter", r.MagFilter, false, &s.MagFilter}, {".minFilter", r.MinFilter, true, &s.MinFilter}} {
			if f.v == nil {
				continue
			}
			switch *f.v {
			case 9728, 9729:
			case 9984, 9985, 9986, 9987:
				if !f.mip {
					l.lose(place+f.key, "%d filters mipmaps, which magnification has not: LINEAR stands for it", *f.v)
					continue
				}
			default:
				l.lose(place+f.key, "%d is not a filter: the default stands for it", *f.v)
				continue
			}
			*f.out = Filter(*f.v)
		}
		for _, w := range []struct {
			key string
			v   *integer
			out *Wrap
		}{{".wrapS", r.WrapS, &s.WrapS}, {".wrapT", r.WrapT, &s.WrapT}} {
			if w.v == nil {
				continue
			}
			switch *w.v {
			case 10497, 33071, 33648:
				*w.out = Wrap(*w.v)
			default:
				l.lose(place+w.key, "%d is not a wrapping mode: REPEAT stands for it", *w.v)
			}
		}
		l.samplers = append(l.samplers, s)
	}
	return nil
}

func defaultSampler() Sampler {
	return Sampler{MagFilter: Linear, MinFilter: LinearMipmapLinear, WrapS: Repeat, WrapT: Repeat}
}

func (l *loader) loadMaterials() error {
	raws, err := topList[rawMaterial](l, "materials")
	if err != nil {
		return err
	}
	for i := range raws {
		l.reading = i
		m, err := l.material(&raws[i], fmt.Sprintf("materials[%d]", i))
		if err != nil {
			return err
		}
		m.Index = i
		l.doc.Materials = append(l.doc.Materials, m)
	}
	return nil
}

func (l *loader) material(raw *rawMaterial, place string) (*Material, error) {
	m := DefaultMaterial()
	m.Name, m.DoubleSided = raw.Name, raw.DoubleSided
	r := materialReader{loader: l, place: place}
	if p := raw.PBRMetallicRoughness; p != nil {
		const at = ".pbrMetallicRoughness"
		r.factors(at+".baseColorFactor", p.BaseColorFactor, 1, m.BaseColorFactor[:])
		r.number(at+".metallicFactor", p.MetallicFactor, 0, 1, &m.MetallicFactor)
		r.number(at+".roughnessFactor", p.RoughnessFactor, 0, 1, &m.RoughnessFactor)
		r.texture(at+".baseColorTexture", p.BaseColorTexture, &m.BaseColorTexture)
		r.texture(at+".metallicRoughnessTexture", p.MetallicRoughnessTexture, &m.MetallicRoughnessTexture)
	}
	r.texture(".normalTexture", raw.NormalTexture, &m.NormalTexture)
	r.texture(".occlusionTexture", raw.OcclusionTexture, &m.OcclusionTexture)
	r.texture(".emissiveTexture", raw.EmissiveTexture, &m.EmissiveTexture)
	r.factors(".emissiveFactor", raw.EmissiveFactor, unbounded, m.EmissiveFactor[:])
	strength := r.brightness(m)
	if t := raw.NormalTexture; t != nil && t.Scale != nil {
		m.NormalScale = *t.Scale // May be negative.
	}
	if t := raw.OcclusionTexture; t != nil {
		r.number(".occlusionTexture.strength", t.Strength, 0, 1, &m.OcclusionStrength)
	}
	r.number(".alphaCutoff", raw.AlphaCutoff, 0, unbounded, &m.AlphaCutoff)
	if r.err != nil {
		return nil, r.err
	}
	if raw.AlphaMode != nil {
		switch *raw.AlphaMode {
		case "OPAQUE":
		case "MASK":
			m.AlphaMode = AlphaMask
		case "BLEND":
			m.AlphaMode = AlphaBlend
		default:
			l.lose(place+".alphaMode", "%s is not OPAQUE, MASK or BLEND: OPAQUE stands for it", quoted(*raw.AlphaMode))
		}
	}
	_, m.Unlit = raw.Extensions["KHR_materials_unlit"]
	r.layers(raw.Extensions, m)
	m.EmissiveStrength = float32(m.EmissiveStrength * strength)
	return m, r.err
}

// brightness brings an emissive factor that is above 1 to 1, and returns by how much it was more:
// such light is as strong as the file says, as with KHR_materials_emissive_strength.
func (r *materialReader) brightness(m *Material) float32 {
	e := &m.EmissiveFactor
	most := max(e[0], e[1], e[2])
	if most <= 1 {
		return 1
	}
	r.lose(r.place+".emissiveFactor", "%v is outside 0 … 1, and was taken for the strength", most)
	for i := range e {
		e[i] /= most
	}
	return most
}

// materialReader checks and copies a material's numbers and textures until the first
// error. Keys are JSON paths inside the material, such as ".normalTexture".
type materialReader struct {
	*loader
	place string // of the material
	err   error
}

func (r *materialReader) texture(key string, raw *rawTextureRef, out **TextureRef) {
	if r.err == nil && raw != nil {
		*out, r.err = r.textureRef(raw, r.place+key)
	}
}

// number copies a number from least to most; an absent one leaves out as it is.
func (r *materialReader) number(key string, v *float32, least, most float32, out *float32) {
	if r.err != nil || v == nil {
		return
	}
	if *out = within(*v, least, most); *out != *v {
		r.lose(r.place+key, "%v is out of range: %v stands for it", *v, *out)
	}
}

// factors copies a list of numbers from 0 to most.
func (r *materialReader) factors(key string, v []float32, most float32, out []float32) {
	if r.err != nil {
		return
	}
	r.nearVector(r.place+key, v, out)
	for i, f := range out {
		if out[i] = within(f, 0, most); out[i] != f {
			r.lose(r.place+key, "%v is out of range: %v stands for it", f, out[i])
		}
	}
}

// textureRef resolves a texture reference; nil where the texture has no image.
func (l *loader) textureRef(raw *rawTextureRef, place string) (*TextureRef, error) {
	if raw.Index == nil {
		l.lose(place+".index", "is missing: there is no texture")
		return nil, nil
	}
	t, err := l.lostIndex(place+".index", raw.Index, len(l.doc.Textures), "textures"), error(nil)
	if t == None {
		return nil, nil
	}
	r := &TextureRef{Texture: l.doc.Textures[t], Scale: [2]float32{1, 1}}
	set := raw.TexCoord
	var x struct {
		Offset, Scale []float32
		Rotation      float32
		TexCoord      *integer
	}
	if r.HasTransform, err = l.extension(raw.Extensions, "KHR_texture_transform", place, &x); err != nil {
		return nil, err
	}
	at := place + ".extensions.KHR_texture_transform"
	if err := l.vector(at+".offset", x.Offset, r.Offset[:]); err != nil {
		return nil, err
	}
	if err := l.vector(at+".scale", x.Scale, r.Scale[:]); err != nil {
		return nil, err
	}
	r.Rotation = x.Rotation
	if x.TexCoord != nil {
		set = *x.TexCoord
	}
	if set < 0 || set > maxElements {
		l.lose(place+".texCoord", "%d is out of range: 0 stands for it", set)
		set = 0
	}
	r.TexCoord = int(set)
	if err := l.textureImage(t); err != nil {
		return nil, err
	}
	if r.Texture.Image == nil {
		l.lostUses = append(l.lostUses, lostUse{l.reading, t})
		return nil, nil
	}
	return r, nil
}
