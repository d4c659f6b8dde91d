package gltf

import "github.com/pumice-gpu/pumice/gltf/mat"

// AlphaMode is how a material's alpha is used.
type AlphaMode uint8

const (
	AlphaOpaque AlphaMode = iota // alpha is ignored
	AlphaMask                    // alpha below AlphaCutoff is invisible, all else opaque
	AlphaBlend                   // alpha mixes with what is behind
)

// Material is glTF's metallic-roughness material. Factors are linear.
type Material struct {
	Name  string
	Index int // in Document.Materials; None for the default material

	BaseColorFactor          [4]float32
	BaseColorTexture         *TextureRef // sRGB, alpha linear; nil: none
	MetallicFactor           float32
	RoughnessFactor          float32
	MetallicRoughnessTexture *TextureRef // linear; G roughness, B metallic
	NormalTexture            *TextureRef // linear; tangent space
	NormalScale              float32
	OcclusionTexture         *TextureRef // linear; R
	OcclusionStrength        float32
	EmissiveFactor           [3]float32
	EmissiveTexture          *TextureRef // sRGB
	EmissiveStrength         float32     // KHR_materials_emissive_strength, default 1

	AlphaMode   AlphaMode
	AlphaCutoff float32
	DoubleSided bool
	Unlit       bool // KHR_materials_unlit: the base colour is the result

	IOR        float32 // KHR_materials_ior, at least 1, default 1.5; 0: reflects everything, as if infinite
	Dispersion float32 // KHR_materials_dispersion: 20 / Abbe number, default 0: none

	// Of other extensions; nil where the file has none.
	Transmission        *Transmission
	Volume              *Volume
	Clearcoat           *Clearcoat
	Specular            *Specular
	Sheen               *Sheen
	Iridescence         *Iridescence
	Anisotropy          *Anisotropy
	DiffuseTransmission *DiffuseTransmission
	SpecularGlossiness  *SpecularGlossiness
}

// DefaultMaterial returns the material of primitives that name none.
func DefaultMaterial() *Material {
	return &Material{
		Index:             None,
		BaseColorFactor:   [4]float32{1, 1, 1, 1},
		MetallicFactor:    1,
		RoughnessFactor:   1,
		NormalScale:       1,
		OcclusionStrength: 1,
		EmissiveStrength:  1,
		AlphaCutoff:       0.5,
		IOR:               1.5,
	}
}

// TextureRef is a material's use of a texture.
type TextureRef struct {
	Texture  *Texture
	TexCoord int // which Primitive.TexCoords, KHR_texture_transform's override applied

	// HasTransform says that KHR_texture_transform moves the coordinates by
	// Offset, Rotation (radians, counter-clockwise) and Scale.
	HasTransform bool
	Offset       [2]float32
	Rotation     float32
	Scale        [2]float32
}

// Transform returns KHR_texture_transform's matrix as two rows of three:
// u' = m[0]·u + m[1]·v + m[2], v' = m[3]·u + m[4]·v + m[5]: scale first, then
// rotation, then offset. It is the identity where the file has no transform.
//
// Rotation counts counter-clockwise as the eye sees it; as v points down, a
// quarter turn takes (1, 0) to (0, -1).
func (r *TextureRef) Transform() [6]float32 {
	if !r.HasTransform {
		return [6]float32{1, 0, 0, 0, 1, 0}
	}
	s, c := mat.SinCos(float64(r.Rotation))
	sx, sy := float64(r.Scale[0]), float64(r.Scale[1])
	return [6]float32{
		float32(float64(c * sx)), float32(float64(s * sy)), r.Offset[0],
		float32(float64(-s * sx)), float32(float64(c * sy)), r.Offset[1],
	}
}

// Filter is a sampler's filter; the values are glTF's (and OpenGL's).
type Filter uint16

const (
	Nearest              Filter = 9728
	Linear               Filter = 9729
	NearestMipmapNearest Filter = 9984
	LinearMipmapNearest  Filter = 9985
	NearestMipmapLinear  Filter = 9986
	LinearMipmapLinear   Filter = 9987
)

// Wrap is a sampler's wrapping mode; the values are glTF's.
type Wrap uint16

const (
	Repeat         Wrap = 10497
	ClampToEdge    Wrap = 33071
	MirroredRepeat Wrap = 33648
)

// Sampler says how a texture is read. Where a file leaves the filters open,
// they are Linear and LinearMipmapLinear; wrapping defaults to Repeat.
type Sampler struct {
	Name         string
	MagFilter    Filter // Nearest or Linear
	MinFilter    Filter
	WrapS, WrapT Wrap
}

// Texture is an image with a sampler.
type Texture struct {
	Name    string
	Index   int    // in Document.Textures
	Image   *Image // nil where the texture is lost: it has no source of a kind that is supported; a warning says so
	Sampler Sampler
}
