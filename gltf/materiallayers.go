package gltf

// The materials' extensions. Where a texture is named, its channel multiplies the factor
// beside it; nil: no texture. Textures are linear where not said otherwise.

// Transmission is KHR_materials_transmission: how much of the light that is not reflected
// passes through the surface, instead of being scattered by it.
type Transmission struct {
	Factor  float32     // 0 … 1
	Texture *TextureRef // R
}

// Volume is KHR_materials_volume: the inside of a closed mesh, which refracts and absorbs.
type Volume struct {
	ThicknessFactor     float32     // in the mesh's units; 0: the surface is thin, as a soap bubble's
	ThicknessTexture    *TextureRef // G
	AttenuationDistance float32     // world units after which AttenuationColor is left of white; +Inf: nothing is absorbed
	AttenuationColor    [3]float32
}

// Clearcoat is KHR_materials_clearcoat: a thin transparent layer over everything else.
type Clearcoat struct {
	Factor           float32     // 0 … 1
	Texture          *TextureRef // R
	RoughnessFactor  float32     // 0 … 1
	RoughnessTexture *TextureRef // G
	NormalTexture    *TextureRef // tangent space; nil: the mesh's own normals
	NormalScale      float32
}

// Specular is KHR_materials_specular: strength and colour of a dielectric's reflection.
type Specular struct {
	Factor       float32     // 0 … 1, default 1
	Texture      *TextureRef // A
	ColorFactor  [3]float32  // not negative, may exceed 1; default white; of the reflection at normal incidence
	ColorTexture *TextureRef // sRGB
}

// Sheen is KHR_materials_sheen: the back-scattering of cloth's fibres.
type Sheen struct {
	ColorFactor      [3]float32  // black: no sheen
	ColorTexture     *TextureRef // sRGB
	RoughnessFactor  float32     // 0 … 1
	RoughnessTexture *TextureRef // A
}

// Iridescence is KHR_materials_iridescence: a film thin enough for light to interfere.
type Iridescence struct {
	Factor                             float32     // 0 … 1
	Texture                            *TextureRef // R
	IOR                                float32     // of the film; at least 1, default 1.3
	ThicknessMinimum, ThicknessMaximum float32     // nanometres; default 100 and 400
	ThicknessTexture                   *TextureRef // G, from minimum to maximum; nil: maximum
}

// Anisotropy is KHR_materials_anisotropy: reflections drawn out in one direction, as
// those of brushed metal.
type Anisotropy struct {
	Strength float32     // 0 … 1
	Rotation float32     // radians, counter-clockwise from the tangent
	Texture  *TextureRef // RG direction in tangent space from -1 to 1, B strength
}

// DiffuseTransmission is KHR_materials_diffuse_transmission: how much of the diffuse
// light leaves on the other side, as it does from leaves and paper.
type DiffuseTransmission struct {
	Factor       float32     // 0 … 1
	Texture      *TextureRef // A
	ColorFactor  [3]float32  // default white
	ColorTexture *TextureRef // sRGB
}

// SpecularGlossiness is KHR_materials_pbrSpecularGlossiness: it stands for base colour,
// metallic and roughness.
type SpecularGlossiness struct {
	DiffuseFactor    [4]float32  // default white
	DiffuseTexture   *TextureRef // sRGB, alpha linear
	SpecularFactor   [3]float32  // default white
	GlossinessFactor float32     // 1 - roughness; default 1
	Texture          *TextureRef // sRGB specular colour, A glossiness
}

// tangentTexture returns a texture whose coordinates the tangents follow, or nil where the
// material needs no tangents.
func (m *Material) tangentTexture() *TextureRef {
	switch {
	case m.NormalTexture != nil:
		return m.NormalTexture
	case m.Clearcoat != nil && m.Clearcoat.NormalTexture != nil:
		return m.Clearcoat.NormalTexture
	case m.Anisotropy == nil:
		return nil
	case m.Anisotropy.Texture != nil:
		return m.Anisotropy.Texture
	default:
		return &TextureRef{} // the first coordinates, as they are
	}
}

// layers reads the extensions of a material.
func (r *materialReader) layers(e extensions, m *Material) {
	r.strengthAndIndex(e, m)
	r.transmission(e, m)
	r.coats(e, m)
	r.reflection(e, m)
	r.specularGlossiness(e, m)
}

// extension parses one extension of the material into body; at is its JSON path.
func (r *materialReader) extension(e extensions, name string, body any) (at string, found bool) {
	if r.err != nil {
		return "", false
	}
	found, r.err = r.loader.extension(e, name, r.place, body)
	return ".extensions." + name, found && r.err == nil
}

// strengthAndIndex reads the extensions that are one number.
func (r *materialReader) strengthAndIndex(e extensions, m *Material) {
	var emission struct{ EmissiveStrength *float32 }
	if at, ok := r.extension(e, "KHR_materials_emissive_strength", &emission); ok {
		r.number(at+".emissiveStrength", emission.EmissiveStrength, 0, unbounded, &m.EmissiveStrength)
	}
	var ior struct {
		IOR *float32 `json:"ior"`
	}
	if at, ok := r.extension(e, "KHR_materials_ior", &ior); ok {
		least := float32(1)
		if ior.IOR != nil && *ior.IOR == 0 {
			least = 0
		}
		r.number(at+".ior", ior.IOR, least, unbounded, &m.IOR)
	}
	var dispersion struct{ Dispersion *float32 }
	if at, ok := r.extension(e, "KHR_materials_dispersion", &dispersion); ok {
		r.number(at+".dispersion", dispersion.Dispersion, 0, unbounded, &m.Dispersion)
	}
}

// transmission reads what lets light through.
func (r *materialReader) transmission(e extensions, m *Material) {
	var t struct {
		TransmissionFactor  *float32
		TransmissionTexture *rawTextureRef
	}
	if at, ok := r.extension(e, "KHR_materials_transmission", &t); ok {
		m.Transmission = &Transmission{}
		r.number(at+".transmissionFactor", t.TransmissionFactor, 0, 1, &m.Transmission.Factor)
		r.texture(at+".transmissionTexture", t.TransmissionTexture, &m.Transmission.Texture)
	}
	var v struct {
		ThicknessFactor, AttenuationDistance *float32
		ThicknessTexture                     *rawTextureRef
		AttenuationColor                     []float32
	}
	if at, ok := r.extension(e, "KHR_materials_volume", &v); ok {
		out := &Volume{AttenuationDistance: unbounded, AttenuationColor: [3]float32{1, 1, 1}}
		m.Volume = out
		r.number(at+".thicknessFactor", v.ThicknessFactor, 0, unbounded, &out.ThicknessFactor)
		r.texture(at+".thicknessTexture", v.ThicknessTexture, &out.ThicknessTexture)
		r.number(at+".attenuationDistance", v.AttenuationDistance, 0, unbounded, &out.AttenuationDistance)
		if out.AttenuationDistance == 0 {
			r.lose(r.place+at+".attenuationDistance", "must be greater than 0: nothing is absorbed")
			out.AttenuationDistance = unbounded
		}
		r.factors(at+".attenuationColor", v.AttenuationColor, 1, out.AttenuationColor[:])
	}
	var d struct {
		DiffuseTransmissionFactor       *float32
		DiffuseTransmissionTexture      *rawTextureRef
		DiffuseTransmissionColorFactor  []float32
		DiffuseTransmissionColorTexture *rawTextureRef
	}
	if at, ok := r.extension(e, "KHR_materials_diffuse_transmission", &d); ok {
		out := &DiffuseTransmission{ColorFactor: [3]float32{1, 1, 1}}
		m.DiffuseTransmission = out
		r.number(at+".diffuseTransmissionFactor", d.DiffuseTransmissionFactor, 0, 1, &out.Factor)
		r.texture(at+".diffuseTransmissionTexture", d.DiffuseTransmissionTexture, &out.Texture)
		r.factors(at+".diffuseTransmissionColorFactor", d.DiffuseTransmissionColorFactor, 1, out.ColorFactor[:])
		r.texture(at+".diffuseTransmissionColorTexture", d.DiffuseTransmissionColorTexture, &out.ColorTexture)
	}
}

// coats reads what lies over the material.
func (r *materialReader) coats(e extensions, m *Material) {
	var c struct {
		ClearcoatFactor, ClearcoatRoughnessFactor                           *float32
		ClearcoatTexture, ClearcoatRoughnessTexture, ClearcoatNormalTexture *rawTextureRef
	}
	if at, ok := r.extension(e, "KHR_materials_clearcoat", &c); ok {
		out := &Clearcoat{NormalScale: 1}
		m.Clearcoat = out
		r.number(at+".clearcoatFactor", c.ClearcoatFactor, 0, 1, &out.Factor)
		r.texture(at+".clearcoatTexture", c.ClearcoatTexture, &out.Texture)
		r.number(at+".clearcoatRoughnessFactor", c.ClearcoatRoughnessFactor, 0, 1, &out.RoughnessFactor)
		r.texture(at+".clearcoatRoughnessTexture", c.ClearcoatRoughnessTexture, &out.RoughnessTexture)
		r.texture(at+".clearcoatNormalTexture", c.ClearcoatNormalTexture, &out.NormalTexture)
		if t := c.ClearcoatNormalTexture; t != nil && t.Scale != nil {
			out.NormalScale = *t.Scale
		}
	}
	var s struct {
		SheenColorFactor                         []float32
		SheenColorTexture, SheenRoughnessTexture *rawTextureRef
		SheenRoughnessFactor                     *float32
	}
	if at, ok := r.extension(e, "KHR_materials_sheen", &s); ok {
		out := &Sheen{}
		m.Sheen = out
		r.factors(at+".sheenColorFactor", s.SheenColorFactor, 1, out.ColorFactor[:])
		r.texture(at+".sheenColorTexture", s.SheenColorTexture, &out.ColorTexture)
		r.number(at+".sheenRoughnessFactor", s.SheenRoughnessFactor, 0, 1, &out.RoughnessFactor)
		r.texture(at+".sheenRoughnessTexture", s.SheenRoughnessTexture, &out.RoughnessTexture)
	}
}

// reflection reads what changes the reflection of the material itself.
func (r *materialReader) reflection(e extensions, m *Material) {
	var s struct {
		SpecularFactor                        *float32
		SpecularTexture, SpecularColorTexture *rawTextureRef
		SpecularColorFactor                   []float32
	}
	if at, ok := r.extension(e, "KHR_materials_specular", &s); ok {
		out := &Specular{Factor: 1, ColorFactor: [3]float32{1, 1, 1}}
		m.Specular = out
		r.number(at+".specularFactor", s.SpecularFactor, 0, 1, &out.Factor)
		r.texture(at+".specularTexture", s.SpecularTexture, &out.Texture)
		r.factors(at+".specularColorFactor", s.SpecularColorFactor, unbounded, out.ColorFactor[:])
		r.texture(at+".specularColorTexture", s.SpecularColorTexture, &out.ColorTexture)
	}
	var i struct {
		IridescenceFactor, IridescenceThicknessMinimum, IridescenceThicknessMaximum *float32
		IridescenceIOR                                                              *float32 `json:"iridescenceIor"`
		IridescenceTexture, IridescenceThicknessTexture                             *rawTextureRef
	}
	if at, ok := r.extension(e, "KHR_materials_iridescence", &i); ok {
		out := &Iridescence{IOR: 1.3, ThicknessMinimum: 100, ThicknessMaximum: 400}
		m.Iridescence = out
		r.number(at+".iridescenceFactor", i.IridescenceFactor, 0, 1, &out.Factor)
		r.texture(at+".iridescenceTexture", i.IridescenceTexture, &out.Texture)
		r.number(at+".iridescenceIor", i.IridescenceIOR, 1, unbounded, &out.IOR)
		r.number(at+".iridescenceThicknessMinimum", i.IridescenceThicknessMinimum, 0, unbounded, &out.ThicknessMinimum)
		r.number(at+".iridescenceThicknessMaximum", i.IridescenceThicknessMaximum, 0, unbounded, &out.ThicknessMaximum)
		r.texture(at+".iridescenceThicknessTexture", i.IridescenceThicknessTexture, &out.ThicknessTexture)
	}
	var a struct {
		AnisotropyStrength, AnisotropyRotation *float32
		AnisotropyTexture                      *rawTextureRef
	}
	if at, ok := r.extension(e, "KHR_materials_anisotropy", &a); ok {
		out := &Anisotropy{}
		m.Anisotropy = out
		r.number(at+".anisotropyStrength", a.AnisotropyStrength, 0, 1, &out.Strength)
		r.number(at+".anisotropyRotation", a.AnisotropyRotation, -unbounded, unbounded, &out.Rotation)
		r.texture(at+".anisotropyTexture", a.AnisotropyTexture, &out.Texture)
	}
}

func (r *materialReader) specularGlossiness(e extensions, m *Material) {
	var s struct {
		DiffuseFactor, SpecularFactor             []float32
		GlossinessFactor                          *float32
		DiffuseTexture, SpecularGlossinessTexture *rawTextureRef
	}
	if at, ok := r.extension(e, "KHR_materials_pbrSpecularGlossiness", &s); ok {
		out := &SpecularGlossiness{
			DiffuseFactor: [4]float32{1, 1, 1, 1}, SpecularFactor: [3]float32{1, 1, 1}, GlossinessFactor: 1,
		}
		m.SpecularGlossiness = out
		r.factors(at+".diffuseFactor", s.DiffuseFactor, 1, out.DiffuseFactor[:])
		r.texture(at+".diffuseTexture", s.DiffuseTexture, &out.DiffuseTexture)
		r.factors(at+".specularFactor", s.SpecularFactor, 1, out.SpecularFactor[:])
		r.number(at+".glossinessFactor", s.GlossinessFactor, 0, 1, &out.GlossinessFactor)
		r.texture(at+".specularGlossinessTexture", s.SpecularGlossinessTexture, &out.Texture)
	}
}
