package studio

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/vk"
)

// Model is a document on the device: textures, materials and the geometry that
// does not move. Close it after use. Several goroutines may draw it at once.
type Model struct {
	doc *gltf.Document
	r   *Renderer
	mu  sync.Mutex // of meshes, which are uploaded when they are first drawn

	textures  map[textureKey]*pumice.Image
	samplers  map[gltf.Sampler]*pumice.Sampler
	materials map[materialKey]*material
	meshes    map[*gltf.Primitive]*mesh // of primitives that are not deformed
	charge    int64                     // bytes of the device's budget for all of these
}

// loadedPrimitive is what a primitive's material, buffers and their objects take beside
// vertices and images: measured with 50,000 of them, and a little more.
const loadedPrimitive = 12 << 10

// materialKey names a material as a primitive uses it.
type materialKey struct {
	primitive *gltf.Primitive
	material  *gltf.Material
}

// ofPrimitive returns the materials of a primitive, its own first, then its variants'.
func ofPrimitive(p *gltf.Primitive) []*gltf.Material {
	list := []*gltf.Material{p.Material}
	for _, m := range p.Mappings {
		if !slices.Contains(list, m.Material) {
			list = append(list, m.Material)
		}
	}
	return list
}

// textureKey names an uploaded image: colours are read as sRGB, data as is.
type textureKey struct {
	image *gltf.Image
	srgb  bool
}

// The texture uses of a material, in the order of pbr.frag's bindings 1 to 5.
const (
	useBaseColor = iota
	useMetallicRoughness
	useNormal
	useOcclusion
	useEmissive
	useCount
)

// material is a glTF material as a primitive uses it: which UV set stands in
// which slot depends on both.
type material struct {
	source *gltf.Material
	block  *pumice.Buffer
	set    *pumice.DescriptorSet
	uvs    uvMap
	flags  [useCount]bool
	// occlusionInRed: occlusion is the red channel of the metallic-roughness
	// image under the same sampler and coordinates, so one sample serves both.
	occlusionInRed bool
	layers         layerBits // 0: pbr.frag draws it, by flags
	textures       uint32    // of layers.frag
}

// Load uploads what the document's scenes draw. It may complete the document by
// tangents, and by losses (Document.LoseImage): one document is loaded by one goroutine at a time.
func (r *Renderer) Load(ctx context.Context, doc *gltf.Document) (*Model, error) {
	if err := r.usable(); err != nil {
		return nil, err
	}
	if doc == nil {
		return nil, errors.New("studio: the document is nil; check the error of the call that read it")
	}
	m := &Model{
		doc: doc, r: r,
		textures:  map[textureKey]*pumice.Image{},
		samplers:  map[gltf.Sampler]*pumice.Sampler{},
		materials: map[materialKey]*material{},
		meshes:    map[*gltf.Primitive]*mesh{},
	}
	// What cannot fit is refused before textures are decoded.
	primitives := 0
	for i, gm := range doc.Meshes {
		for j, p := range gm.Primitives {
			primitives += 1 + len(p.Mappings)
			if err := r.budget.Fits(int64(p.Vertices()) * vertexStride); err != nil {
				return nil, fmt.Errorf("%s: meshes[%d].primitives[%d]: %d vertices on the device: %w", doc.File, i, j, p.Vertices(), err)
			}
		}
	}
	m.charge = budget.Mul(int64(primitives), loadedPrimitive)
	if err := r.budget.Take(m.charge); err != nil {
		return nil, fmt.Errorf("%s: %d primitives and their materials: %w", doc.File, primitives, err)
	}
	if err := m.loadTextures(ctx); err != nil {
		m.Close()
		return nil, err
	}
	pointed := slices.ContainsFunc(doc.Animations, func(a gltf.Animation) bool {
		return slices.ContainsFunc(a.Channels, func(c gltf.Channel) bool { return c.Path == gltf.PathPointer })
	})
	for i, gm := range doc.Meshes {
		for j, p := range gm.Primitives {
			if err := ctx.Err(); err != nil {
				m.Close()
				return nil, err
			}
			if len(p.Positions) == 0 {
				continue
			}
			if pointed {
				// An animation may bring out a layer that needs them; later they cannot be had.
				if err := p.EnsureTangents(); err != nil {
					m.Close()
					return nil, err
				}
			}
			for _, g := range ofPrimitive(p) {
				mt, err := m.loadMaterial(p, g)
				if err != nil {
					m.Close()
					return nil, fmt.Errorf("%s: meshes[%d].primitives[%d]: %w", doc.File, i, j, err)
				}
				m.materials[materialKey{p, g}] = mt
			}
		}
	}
	return m, nil
}

// usable says why nothing can be drawn: the renderer is none that New made.
func (r *Renderer) usable() error {
	if r == nil || r.dev == nil {
		return errors.New("studio: the renderer is nil, or none that New made; check the error of the call that made it")
	}
	return nil
}

// usable says why there is nothing to draw: the model is none that Load made.
func (m *Model) usable() error {
	if m == nil || m.r == nil {
		return errors.New("studio: the model is nil, or none that Load made; check the error of the call that made it")
	}
	return nil
}

// Document returns what the model was loaded from; nil of a nil model.
func (m *Model) Document() *gltf.Document {
	if m == nil {
		return nil
	}
	return m.doc
}

// Close frees the model's device memory.
func (m *Model) Close() {
	if m.usable() != nil {
		return
	}
	for _, t := range m.textures {
		if t != nil {
			t.Close()
		}
	}
	for _, s := range m.samplers {
		s.Close()
	}
	for _, g := range m.meshes {
		g.close()
	}
	for _, mt := range m.materials {
		mt.close()
	}
	m.r.budget.Drop(m.charge)
	m.charge = 0
}

// uses returns the five texture references of a material, nil where absent.
func uses(g *gltf.Material) [useCount]*gltf.TextureRef {
	refs := [useCount]*gltf.TextureRef{
		g.BaseColorTexture, g.MetallicRoughnessTexture, g.NormalTexture, g.OcclusionTexture, g.EmissiveTexture,
	}
	for i, ref := range refs {
		if ref != nil && (ref.Texture == nil || ref.Texture.Image == nil) {
			refs[i] = nil
		}
	}
	if g.Unlit {
		refs = [useCount]*gltf.TextureRef{useBaseColor: refs[useBaseColor]}
	}
	return refs
}

// isColor says which uses hold sRGB colours.
func isColor(use int) bool { return use == useBaseColor || use == useEmissive }

// loadTextures decodes the images that materials use, in parallel, and uploads
// them with all their levels.
func (m *Model) loadTextures(ctx context.Context) error {
	var keys []textureKey
	seen := map[textureKey]bool{}
	for _, mesh := range m.doc.Meshes {
		for _, p := range mesh.Primitives {
			for _, g := range ofPrimitive(p) {
				for _, u := range textureUses(p, g) {
					key := textureKey{u.ref.Texture.Image, u.color}
					if !seen[key] {
						seen[key] = true
						keys = append(keys, key)
					}
				}
			}
		}
	}
	var mu sync.Mutex
	var later []textureKey // whose decoding has no memory beside the others
	type loss struct {
		image *gltf.Image
		err   error
	}
	var lost []loss
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, key := range keys {
		group.Go(func() error {
			tex, err := m.r.texture(inner, m.doc, key)
			mu.Lock()
			defer mu.Unlock()
			var over *budget.Error
			if errors.As(err, &over) {
				later = append(later, key)
				return nil
			}
			var broken *decodeError
			if errors.As(err, &broken) {
				lost = append(lost, loss{key.image, broken.err})
				return nil
			}
			m.textures[key] = tex
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, key := range later {
		tex, err := m.r.texture(ctx, m.doc, key)
		var broken *decodeError
		if errors.As(err, &broken) {
			lost = append(lost, loss{key.image, broken.err})
			continue
		}
		if err != nil {
			return err
		}
		m.textures[key] = tex
	}
	slices.SortFunc(lost, func(a, b loss) int { return a.image.Index - b.image.Index })
	for _, l := range lost {
		if err := m.doc.LoseImage(l.image, l.err); err != nil {
			return err
		}
	}
	return nil
}

// decodeError is why an image cannot be decoded, be it the file's fault or not.
type decodeError struct{ err error }

func (d *decodeError) Error() string { return d.err.Error() }
func (d *decodeError) Unwrap() error { return d.err }

// texture decodes an image and uploads it with all its levels.
func (r *Renderer) texture(ctx context.Context, doc *gltf.Document, key textureKey) (*pumice.Image, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// The picture, and on the device four thirds of it; both where the file has levels.
	texels := int64(key.image.Width) * int64(key.image.Height)
	need := 4*texels + 16*texels/3
	if key.image.Levels > 1 {
		need += 4 * texels / 3
	}
	if err := r.budget.Fits(need); err != nil {
		return nil, fmt.Errorf("%s: %s: %d × %d texels and their levels on the device: %w",
			doc.File, key.image.Place(), key.image.Width, key.image.Height, err)
	}
	levels, err := key.image.DecodeLevels(ctx)
	if err != nil {
		return nil, &decodeError{err}
	}
	format := vk.FormatR8G8B8A8Unorm
	if key.srgb {
		format = vk.FormatR8G8B8A8Srgb
	}
	tex, err := r.uploadLevels(ctx, levels, &pumice.ImageDesc{Format: format, Name: cmp.Or(key.image.Name, key.image.Place())})
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", doc.File, key.image.Place(), err)
	}
	return tex, nil
}

// uploadLevels makes an image of the levels that a file has, or of all that follow from its only one.
func (r *Renderer) uploadLevels(ctx context.Context, levels []*image.NRGBA, desc *pumice.ImageDesc) (*pumice.Image, error) {
	if len(levels) == 1 {
		desc.MipLevels = pumice.AllMips
		return r.dev.NewImageFrom(levels[0], desc)
	}
	desc.Width, desc.Height, desc.MipLevels = levels[0].Rect.Dx(), levels[0].Rect.Dy(), len(levels)
	tex, err := r.dev.NewImage(*desc)
	if err != nil {
		return nil, err
	}
	for i, level := range levels {
		if err := tex.Write(ctx, pumice.Subresource{Level: i}, level.Pix); err != nil {
			tex.Close()
			return nil, err
		}
	}
	return tex, nil
}

// sampler returns the device's sampler for a glTF sampler.
func (m *Model) sampler(s gltf.Sampler) (*pumice.Sampler, error) {
	s.Name = ""
	if have := m.samplers[s]; have != nil {
		return have, nil
	}
	desc := pumice.SamplerDesc{AddressModeU: addressMode(s.WrapS), AddressModeV: addressMode(s.WrapT)}
	if s.MagFilter != gltf.Nearest {
		desc.MagFilter = vk.FilterLinear
	}
	switch s.MinFilter {
	case gltf.Nearest:
		desc.NoMips = true
	case gltf.Linear:
		desc.NoMips, desc.MinFilter = true, vk.FilterLinear
	case gltf.NearestMipmapNearest:
	case gltf.LinearMipmapNearest:
		desc.MinFilter = vk.FilterLinear
	case gltf.NearestMipmapLinear:
		desc.MipmapMode = vk.SamplerMipmapModeLinear
	default: // LinearMipmapLinear, and what the file leaves open
		desc.MinFilter, desc.MipmapMode = vk.FilterLinear, vk.SamplerMipmapModeLinear
	}
	made, err := m.r.dev.NewSampler(desc)
	if err != nil {
		return nil, err
	}
	m.samplers[s] = made
	return made, nil
}

func addressMode(w gltf.Wrap) vk.SamplerAddressMode {
	switch w {
	case gltf.ClampToEdge:
		return vk.SamplerAddressModeClampToEdge
	case gltf.MirroredRepeat:
		return vk.SamplerAddressModeMirroredRepeat
	default: // Repeat, and what the file leaves open
		return vk.SamplerAddressModeRepeat
	}
}

// material returns what an item is drawn with: what was loaded, or for a material that
// the animation changes one made for this frame.
func (m *Model) material(item *gltf.Item) (mt *material, owned bool, err error) {
	if mt := m.materials[materialKey{item.Primitive, item.Material}]; mt != nil {
		return mt, false, nil
	}
	m.mu.Lock() // of samplers that only the animation makes visible
	defer m.mu.Unlock()
	mt, err = m.loadMaterial(item.Primitive, item.Material)
	return mt, err == nil, err
}

func (mt *material) close() {
	mt.set.Close()
	mt.block.Close()
}

// loadMaterial makes the descriptor set of a material as the primitive uses it.
func (m *Model) loadMaterial(p *gltf.Primitive, g *gltf.Material) (*material, error) {
	if bits := layersOf(p, g); bits != 0 {
		return m.loadLayers(p, g, bits)
	}
	mt := &material{source: g}
	refs := uses(g)
	mt.occlusionInRed = occlusionInRed(refs[useMetallicRoughness], refs[useOcclusion])

	var block []byte
	put := func(fs ...float32) {
		for _, f := range fs {
			block = binary.LittleEndian.AppendUint32(block, math.Float32bits(f))
		}
	}
	put(g.BaseColorFactor[:]...)
	for _, e := range g.EmissiveFactor {
		put(float32(e * g.EmissiveStrength))
	}
	put(0)
	put(g.MetallicFactor, g.RoughnessFactor, g.NormalScale, g.OcclusionStrength)
	put(g.AlphaCutoff, 0, 0, 0)
	for i, ref := range refs {
		transform, slot := [6]float32{0: 1, 4: 1}, 0
		if ref != nil {
			var err error
			if slot, err = mt.uvs.slot(ref.TexCoord); err != nil {
				return nil, err
			}
			transform = ref.Transform()
			mt.flags[i] = true
		}
		put(transform[0], transform[1], transform[2], float32(slot))
		put(transform[3], transform[4], transform[5], 0)
	}
	if mt.occlusionInRed {
		mt.flags[useOcclusion] = false
	}
	if mt.flags[useNormal] {
		if p.Normals == nil || len(p.TexCoords) == 0 {
			mt.flags[useNormal] = false
		} else if err := p.EnsureTangents(); err != nil {
			return nil, err
		}
	}

	list := make([]layerUse, len(refs))
	for i, ref := range refs {
		list[i] = layerUse{ref, isColor(i)}
	}
	return m.bindMaterial(mt, block, m.r.materialLayout, list)
}

// occlusionInRed reports whether one sample serves both uses.
func occlusionInRed(mr, occ *gltf.TextureRef) bool {
	return mr != nil && occ != nil && mr.Texture == occ.Texture &&
		mr.TexCoord == occ.TexCoord && mr.Transform() == occ.Transform()
}

// bindMaterial makes a material's set of its block and textures.
func (m *Model) bindMaterial(mt *material, block []byte, layout *pumice.DescriptorSetLayout, list []layerUse) (_ *material, err error) {
	if mt.block, err = m.r.dev.NewBufferFrom(block); err != nil {
		return nil, err
	}
	if mt.set, err = m.r.dev.NewDescriptorSet(layout); err != nil {
		mt.block.Close()
		return nil, err
	}
	defer func() {
		if err != nil {
			mt.close()
		}
	}()
	if err := mt.set.Bind(0, mt.block); err != nil {
		return nil, err
	}
	for i, u := range list {
		texture := pumice.Texture{View: m.r.white, Sampler: m.r.clamp}
		if u.ref != nil {
			sampler, err := m.sampler(u.ref.Texture.Sampler)
			if err != nil {
				return nil, err
			}
			texture = pumice.Texture{View: m.textures[textureKey{u.ref.Texture.Image, u.color}], Sampler: sampler}
		}
		if err := mt.set.Bind(uint32(1+i), texture); err != nil {
			return nil, err
		}
	}
	return mt, nil
}

// mesh is a primitive's geometry on the device.
type mesh struct {
	vertices, indices *pumice.Buffer // indices may be nil
	count             uint32
	topology          vk.PrimitiveTopology
	center            mat.DVec3 // of the bounding box, as the vertices are
}

func (g *mesh) close() {
	g.vertices.Close()
	if g.indices != nil {
		g.indices.Close()
	}
}

// upload makes the device form of a primitive with the given vertices, relative to origin.
func (m *Model) upload(p *gltf.Primitive, origin mat.Vec3, v vertices) (*mesh, error) {
	g := &mesh{count: uint32(len(v.positions))}
	var count int
	var index func(int) uint32
	var err error
	if g.topology, count, index, err = topology(p); err != nil {
		return nil, err
	}
	// Both are written where they stay: a copy would take as much again.
	if g.vertices, err = m.r.dev.NewBuffer(pumice.BufferDesc{Size: uint64(len(v.positions)) * vertexStride}); err != nil {
		return nil, err
	}
	putVertices(g.vertices.Bytes(), origin, v)
	if index != nil {
		if g.count = uint32(count); count == 0 {
			return g, nil // nothing is drawn
		}
		if g.indices, err = m.r.dev.NewBuffer(pumice.BufferDesc{Size: 4 * uint64(count)}); err != nil {
			g.vertices.Close()
			return nil, err
		}
		out := g.indices.Bytes()
		for i := range count {
			binary.LittleEndian.PutUint32(out[4*i:], index(i))
		}
	}
	box := mat.EmptyBox()
	for _, p := range v.positions {
		box.Extend(mat.Vec3(p).Double())
	}
	g.center = box.Center().Sub(origin.Double())
	return g, nil
}

// whiteImage is the texture of materials that have none.
func whiteImage(dev *pumice.Device) (*pumice.Image, error) {
	img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	img.SetNRGBA(0, 0, color.NRGBA{255, 255, 255, 255})
	return dev.NewImageFrom(img, &pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Name: "white"})
}
