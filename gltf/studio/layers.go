package studio

import (
	"encoding/binary"
	"math"
	"sync"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/vk"
)

// Materials with extensions have a shader of their own, layers.frag, with more textures and
// numbers; those whose extensions change nothing are drawn by pbr.frag, as if they had none.

// layerBits are the extensions that a material shows: LAYERS of layers.frag.
type layerBits uint32

const (
	layerClearcoat layerBits = 1 << iota
	layerSheen
	layerIridescence
	layerAnisotropy
	layerTransmission
	layerVolume
	layerDiffuseTransmission
	layerSpecularGlossiness
	layerDispersion
	layerReflection // an index of refraction or a reflection other than usual
)

// layerTextures is how many textures layers.frag knows; its first useCount are pbr.frag's.
const layerTextures = 19

// layerUse is a material's use of a texture.
type layerUse struct {
	ref   *gltf.TextureRef
	color bool // sRGB
}

// layersOf returns what a primitive's material shows beside that of core glTF.
func layersOf(p *gltf.Primitive, g *gltf.Material) (bits layerBits) {
	if g.Unlit || p.Normals == nil {
		return 0
	}
	set := func(bit layerBits, on bool) {
		if on {
			bits |= bit
		}
	}
	set(layerClearcoat, g.Clearcoat != nil && g.Clearcoat.Factor > 0)
	set(layerSheen, g.Sheen != nil && g.Sheen.ColorFactor != [3]float32{})
	set(layerIridescence, g.Iridescence != nil && g.Iridescence.Factor > 0)
	set(layerAnisotropy, g.Anisotropy != nil && g.Anisotropy.Strength > 0)
	set(layerTransmission, g.Transmission != nil && g.Transmission.Factor > 0)
	set(layerDiffuseTransmission, g.DiffuseTransmission != nil && g.DiffuseTransmission.Factor > 0)
	set(layerSpecularGlossiness, g.SpecularGlossiness != nil)
	if s := g.Specular; s != nil {
		set(layerReflection, s.Factor != 1 || s.Texture != nil || s.ColorTexture != nil || s.ColorFactor != [3]float32{1, 1, 1})
	}
	set(layerReflection, g.IOR != 1.5)
	if bits&(layerTransmission|layerDiffuseTransmission) != 0 {
		set(layerVolume, g.Volume != nil && g.Volume.ThicknessFactor > 0)
	}
	set(layerDispersion, bits&layerTransmission != 0 && bits&layerVolume != 0 && g.Dispersion > 0)
	return bits
}

// layerUses returns the textures of a material with extensions in the order of layers.frag; a
// ref is nil where there is none.
func layerUses(g *gltf.Material, bits layerBits) (out [layerTextures]layerUse) {
	for i, ref := range uses(g) {
		out[i] = layerUse{ref, isColor(i)}
	}
	put := func(i int, bit layerBits, ref *gltf.TextureRef, color bool) {
		if bits&bit != 0 && ref != nil && ref.Texture != nil && ref.Texture.Image != nil {
			out[i] = layerUse{ref, color}
		}
	}
	if s := g.SpecularGlossiness; s != nil && bits&layerSpecularGlossiness != 0 {
		out[useBaseColor], out[useMetallicRoughness] = layerUse{}, layerUse{}
		put(useBaseColor, layerSpecularGlossiness, s.DiffuseTexture, true)
		put(useMetallicRoughness, layerSpecularGlossiness, s.Texture, true)
	}
	if c := g.Clearcoat; c != nil {
		put(5, layerClearcoat, c.Texture, false)
		put(6, layerClearcoat, c.RoughnessTexture, false)
		put(7, layerClearcoat, c.NormalTexture, false)
	}
	if s := g.Sheen; s != nil {
		put(8, layerSheen, s.ColorTexture, true)
		put(9, layerSheen, s.RoughnessTexture, true) // alpha, which is linear: one image serves both
	}
	if s := g.Specular; s != nil && g.SpecularGlossiness == nil {
		put(10, layerReflection, s.Texture, true) // alpha
		put(11, layerReflection, s.ColorTexture, true)
	}
	if t := g.Transmission; t != nil {
		put(12, layerTransmission, t.Texture, false)
	}
	if v := g.Volume; v != nil {
		put(13, layerVolume, v.ThicknessTexture, false)
	}
	if i := g.Iridescence; i != nil {
		put(14, layerIridescence, i.Texture, false)
		put(15, layerIridescence, i.ThicknessTexture, false)
	}
	if a := g.Anisotropy; a != nil {
		put(16, layerAnisotropy, a.Texture, false)
	}
	if d := g.DiffuseTransmission; d != nil {
		put(17, layerDiffuseTransmission, d.Texture, true) // alpha
		put(18, layerDiffuseTransmission, d.ColorTexture, true)
	}
	return out
}

// textureUses returns all that a primitive's material reads, or may read when it is animated.
func textureUses(p *gltf.Primitive, g *gltf.Material) (out []layerUse) {
	bits := ^layerBits(0)
	if g.Unlit || p.Normals == nil {
		bits = 0
	}
	for _, u := range layerUses(g, bits) {
		if u.ref != nil {
			out = append(out, u)
		}
	}
	return out
}

// layerNumbers returns what layers.frag's block begins with.
func layerNumbers(g *gltf.Material) (out []float32) {
	put := func(fs ...float32) { out = append(out, fs...) }
	base, metallic, roughness := g.BaseColorFactor, g.MetallicFactor, g.RoughnessFactor
	specular, strength := [3]float32{1, 1, 1}, float32(1)
	if s := g.Specular; s != nil {
		specular, strength = s.ColorFactor, s.Factor
	}
	if s := g.SpecularGlossiness; s != nil {
		base, metallic, roughness, specular = s.DiffuseFactor, 0, s.GlossinessFactor, s.SpecularFactor
	}
	put(base[:]...)
	for _, e := range g.EmissiveFactor {
		put(float32(e * g.EmissiveStrength))
	}
	put(0, metallic, roughness, g.NormalScale, g.OcclusionStrength)
	put(g.AlphaCutoff, 0, 0, 0)
	put(specular[0], specular[1], specular[2], strength)
	if s := g.Sheen; s != nil {
		put(s.ColorFactor[0], s.ColorFactor[1], s.ColorFactor[2], s.RoughnessFactor)
	} else {
		put(0, 0, 0, 0)
	}
	if c := g.Clearcoat; c != nil {
		put(c.Factor, c.RoughnessFactor, c.NormalScale, 0)
	} else {
		put(0, 0, 0, 0)
	}
	attenuation := [4]float32{1, 1, 1, 0}
	var thickness, transmission float32
	if v := g.Volume; v != nil {
		thickness = v.ThicknessFactor
		copy(attenuation[:], v.AttenuationColor[:])
		attenuation[3] = 1 / v.AttenuationDistance
	}
	if t := g.Transmission; t != nil {
		transmission = t.Factor
	}
	put(attenuation[:]...)
	put(transmission, thickness, g.IOR, g.Dispersion)
	if i := g.Iridescence; i != nil {
		put(i.Factor, i.IOR, i.ThicknessMinimum, i.ThicknessMaximum)
	} else {
		put(0, 0, 0, 0)
	}
	if a := g.Anisotropy; a != nil {
		s, c := mat.SinCos(float64(a.Rotation))
		put(a.Strength, float32(c), float32(s), 0)
	} else {
		put(0, 0, 0, 0)
	}
	if d := g.DiffuseTransmission; d != nil {
		put(d.ColorFactor[0], d.ColorFactor[1], d.ColorFactor[2], d.Factor)
	} else {
		put(0, 0, 0, 0)
	}
	return out
}

// loadLayers makes the descriptor set of a material with extensions.
func (m *Model) loadLayers(p *gltf.Primitive, g *gltf.Material, bits layerBits) (*material, error) {
	mt := &material{source: g}
	list := layerUses(g, bits)
	mt.occlusionInRed = bits&layerSpecularGlossiness == 0 && occlusionInRed(list[useMetallicRoughness].ref, list[useOcclusion].ref)
	if err := p.EnsureTangents(); err != nil {
		return nil, err
	}
	if p.Tangents == nil { // no direction to draw anything out in
		bits &^= layerAnisotropy
		for _, i := range []int{useNormal, 7, 16} {
			if len(p.TexCoords) == 0 {
				list[i].ref = nil
			}
		}
	}
	mt.layers = bits
	var block []byte
	put := func(fs ...float32) {
		for _, f := range fs {
			block = binary.LittleEndian.AppendUint32(block, math.Float32bits(f))
		}
	}
	put(layerNumbers(g)...)
	for i, u := range list {
		transform, slot := [6]float32{0: 1, 4: 1}, 0
		if u.ref != nil {
			var err error
			if slot, err = mt.uvs.slot(u.ref.TexCoord); err != nil {
				return nil, err
			}
			transform = u.ref.Transform()
			if i != useOcclusion || !mt.occlusionInRed {
				mt.textures |= 1 << i
			}
		}
		put(transform[0], transform[1], transform[2], float32(slot))
		put(transform[3], transform[4], transform[5], 0)
	}
	return m.bindMaterial(mt, block, m.r.layers.materials, list[:])
}

// layerShading is what draws of materials with extensions need of the device.
type layerShading struct {
	materials, scene *pumice.DescriptorSetLayout // sets 1 and 2
	layout           *pumice.PipelineLayout
	frag             func() (*pumice.ShaderModule, error) // parsed when first used
}

// newLayerShading makes the layouts; frame is that of set 0.
func newLayerShading(dev *pumice.Device, frame *pumice.DescriptorSetLayout) (s layerShading, err error) {
	textures := func(first, count uint32) (out []pumice.DescriptorBinding) {
		for i := range count {
			out = append(out, pumice.DescriptorBinding{Binding: first + i, Type: vk.DescriptorTypeCombinedImageSampler})
		}
		return out
	}
	block := pumice.DescriptorBinding{Binding: 0, Type: vk.DescriptorTypeUniformBuffer}
	if s.materials, err = dev.NewDescriptorSetLayout(append(textures(1, layerTextures), block)...); err != nil {
		return s, err
	}
	if s.scene, err = dev.NewDescriptorSetLayout(textures(0, 3)...); err != nil {
		return s, err
	}
	s.layout, err = dev.NewPipelineLayout(frame, s.materials, s.scene)
	s.frag = sync.OnceValues(func() (*pumice.ShaderModule, error) { return dev.NewShaderModule(layersFrag) })
	return s, err
}

// stage puts the fragment shader of a material with extensions into a pipeline.
func (s *layerShading) stage(desc *pumice.GraphicsPipelineDesc, k pipelineKey) (err error) {
	desc.Layout = s.layout
	desc.Fragment.Constants = pumice.Constants{
		0: k.textures, 1: uint32(k.layers), 2: k.occlusionInRed,
		7: k.mask, 8: !k.blend, 9: k.lights,
		29: k.behind, 30: uint32(k.tone), 31: k.behind || k.target.linear,
	}
	desc.Fragment.Module, err = s.frag()
	return err
}
