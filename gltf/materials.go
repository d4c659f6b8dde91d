package gltf

import (
	"fmt"
	"math"
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
					return l.fail(place+f.key, nil, "%d filters mipmaps, which magnification has not", *f.v)
				}
			default:
				return l.fail(place+f.key, nil, "%d is not a filter", *f.v)
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
				return l.fail(place+w.key, nil, "%d is not a wrapping mode", *w.v)
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
	r.factors(".emissiveFactor", raw.EmissiveFactor, 1, m.EmissiveFactor[:])
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
			return nil, l.fail(place+".alphaMode", nil, "%s is not OPAQUE, MASK or BLEND", quoted(*raw.AlphaMode))
		}
	}
	_, m.Unlit = raw.Extensions["KHR_materials_unlit"]
	r.layers(raw.Extensions, m)
	return m, r.err
}

// materialReader checks and copies a material's numbers and textures until the first
// error. Keys are JSON paths inside the material, such as ".normalTexture".
type materialReader struct {
	*loader
	place string // of the material
	err   error
}

var unbounded = float32(math.Inf(1))

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
	if *v < least || *v > most {
		r.err = r.fail(r.place+key, nil, "%v is out of range", *v)
	}
	*out = *v
}

// factors copies a list of numbers from 0 to most.
func (r *materialReader) factors(key string, v []float32, most float32, out []float32) {
	if r.err != nil {
		return
	}
	if r.err = r.vector(r.place+key, v, out); r.err != nil {
		return
	}
	for _, f := range out {
		switch {
		case f < 0 && most > 1:
			r.err = r.fail(r.place+key, nil, "%v is negative", f)
			return
		case f < 0 || f > most:
			r.err = r.fail(r.place+key, nil, "%v is outside 0 … %v", f, most)
			return
		}
	}
}

// textureRef resolves a texture reference; nil where the texture has no image.
func (l *loader) textureRef(raw *rawTextureRef, place string) (*TextureRef, error) {
	t, err := l.required(place+".index", raw.Index, len(l.doc.Textures), "textures")
	if err != nil {
		return nil, err
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
		return nil, l.fail(place+".texCoord", nil, "%d is out of range", set)
	}
	r.TexCoord = int(set)
	if r.Texture.Image == nil {
		return nil, nil
	}
	return r, nil
}
