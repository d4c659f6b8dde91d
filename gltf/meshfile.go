package gltf

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf/internal/meshfile"
	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/internal/input"
	"github.com/pumice-gpu/pumice/internal/texture"
)

// kind tells what a file is by its content: Unknown for glTF, which is left to its own errors. What is no model that is read
// is an error that names it.
func (l *loader) kind(data []byte) (meshfile.Kind, error) {
	begin := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n\x00")
	switch {
	case len(begin) == 0:
		return meshfile.Unknown, l.fail("", nil, "the file is empty")
	case isModelText(data), bytes.HasPrefix(data, []byte(glbMagic)):
		return meshfile.Unknown, nil
	}
	if k := meshfile.KindOf(data, l.file); k != meshfile.Unknown {
		return k, nil
	}
	if f := meshfile.ForeignOf(data, l.file); f != nil {
		return meshfile.Unknown, l.fail("", nil, "%s is not read (%s are): %s", f.Name, modelKinds, f.Convert)
	}
	if name := pictureKind(data); name != "" {
		return meshfile.Unknown, l.fail("", nil, "is a %s picture, no model (%s are)", name, modelKinds)
	}
	return meshfile.Unknown, l.notModel(begin)
}

const modelKinds = "glTF as .gltf and .glb, OBJ, STL and PLY"

// pictureKind names pictures by their first bytes; "" where it is none that is known.
func pictureKind(data []byte) string {
	if p, err := input.Inspect(data); err == nil {
		return strings.ToUpper(p.Kind)
	}
	if texture.Is(data) {
		if f, _, err := texture.Inspect(data); err == nil {
			return f.Kind
		}
		for begin, kind := range map[string]string{"\xabKTX": "KTX 2", "DDS ": "DDS"} {
			if bytes.HasPrefix(data, []byte(begin)) {
				return kind
			}
		}
		return ".astc"
	}
	return input.Foreign(data)
}

// loadMeshFile reads an OBJ, STL or PLY file.
func (l *loader) loadMeshFile(kind meshfile.Kind, data []byte, up UpAxis) error {
	m, err := kind.Read(&meshfile.Reader{
		Ctx:  l.ctx,
		Take: func(n int64) error { return l.take(n, 1) },
		Drop: l.drop,
		Tell: func(loss bool, place, text string) { l.tellKind(text, loss, place, "%s", text) },
		File: func(name string) ([]byte, error) {
			data, _, err := l.neighbour(name, "")
			return data, err
		},
	}, data)
	if err != nil {
		var e *meshfile.Error
		if errors.As(err, &e) {
			return &Error{File: l.file, Place: e.Place, Message: e.Message, Err: e.Err}
		}
		return l.fail("", err, "")
	}
	if up == UpUsual {
		if up = UpY; kind == meshfile.STL {
			up = UpZ
		}
	}
	l.doc.Kind, l.doc.Form, l.doc.Up, l.doc.Asset.Generator = kind.String(), m.Form, up, m.Generator
	a := meshAssembler{loader: l, origin: m.Origin, images: map[string]*Image{}, textures: map[textureUse]*Texture{}}
	for i := range m.Materials {
		if err := a.material(&m.Materials[i]); err != nil {
			return err
		}
	}
	for i := range m.Parts {
		if err := a.part(&m.Parts[i]); err != nil {
			return err
		}
	}
	a.scene(up)
	return nil
}

// neighbour reads a file that an OBJ or MTL file names, and says what it is called. Such names come from other machines: where there is no such file,
// not in Options.Assets either, the one of that name in the model's own folder is taken, if need be in other capital letters.
func (l *loader) neighbour(name, place string) (data []byte, file string, err error) {
	if l.fsys == nil {
		return nil, "", errors.New("other files cannot be read here")
	}
	plain := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	base := path.Base(plain)
	if fsys, in, ok := l.elsewhere(plain); ok && !l.exists(plain) {
		data, err := l.readFile(fsys, in, name, -1, "")
		return data, plain, l.unplaced(err)
	}
	for _, file := range []string{plain, base} {
		if !fs.ValidPath(file) || file == "." {
			continue
		}
		_, err := fs.Stat(l.fsys, file)
		switch {
		case err == nil:
			if file != plain {
				l.warn(place, "%s is not there; the one in the model's folder is used", quoted(name))
			}
			data, err := l.readFile(l.fsys, file, name, -1, "")
			return data, file, l.unplaced(err)
		case !errors.Is(err, fs.ErrNotExist) && file == base:
			return nil, "", withoutPath(err)
		}
	}
	if list, err := fs.ReadDir(l.fsys, "."); err == nil {
		for _, e := range list {
			if strings.EqualFold(e.Name(), base) {
				l.warn(place, "%s is not there; %s in the model's folder is used", quoted(name), quoted(e.Name()))
				data, err := l.readFile(l.fsys, e.Name(), name, -1, "")
				return data, e.Name(), l.unplaced(err)
			}
		}
	}
	return nil, "", errors.New("there is no such file in the model's folder")
}

// unplaced returns the cause of an error of readFile, which names the file itself.
func (l *loader) unplaced(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err
	}
	if e != nil {
		return errors.New(e.Message)
	}
	return err
}

// meshAssembler makes a Document of what package meshfile read.
type meshAssembler struct {
	*loader
	origin   mat.DVec3         // of all positions, in the file's coordinates
	images   map[string]*Image // by what they are made of; nil: lost
	textures map[textureUse]*Texture
	plain    [2]*Material // without a material: grey, and white for vertices with colours
}

type textureUse struct {
	image *Image
	clamp bool
}

// material makes a Material of one of a library.
func (a *meshAssembler) material(m *meshfile.Material) error {
	if err := a.take(1, sizeOf[Material]()+int64(len(m.Name))); err != nil {
		return a.fail("", err, "materials")
	}
	out := materialOf(m)
	out.Index = len(a.doc.Materials)
	maps := &m.Maps
	images := [meshfile.MapUses]*Image{}
	for use, mp := range maps {
		if mp == nil {
			continue
		}
		im, err := a.image(mp)
		if err != nil {
			return err
		}
		images[use] = im
	}
	set := func(dst **TextureRef, im *Image, mp *meshfile.Map) {
		if im != nil && mp != nil {
			*dst = a.reference(im, mp)
		}
	}
	color, colorMap := images[meshfile.MapColor], maps[meshfile.MapColor]
	if alpha := images[meshfile.MapAlpha]; alpha != nil {
		out.AlphaMode = AlphaBlend
		color = a.withAlpha(color, alpha, maps[meshfile.MapAlpha].Channel)
		if colorMap == nil || images[meshfile.MapColor] == nil {
			colorMap = maps[meshfile.MapAlpha]
		}
	}
	set(&out.BaseColorTexture, color, colorMap)
	set(&out.EmissiveTexture, images[meshfile.MapEmissive], maps[meshfile.MapEmissive])
	if out.EmissiveTexture != nil && out.EmissiveFactor == [3]float32{} {
		out.EmissiveFactor = [3]float32{1, 1, 1}
	}
	if im := images[meshfile.MapSpecular]; im != nil {
		out.Specular = &Specular{Factor: 1, ColorFactor: [3]float32{1, 1, 1}}
		set(&out.Specular.ColorTexture, im, maps[meshfile.MapSpecular])
	}
	rough, metal := images[meshfile.MapRoughness], images[meshfile.MapMetallic]
	if rough != nil || metal != nil {
		mp := maps[meshfile.MapMetallic]
		if metal != nil {
			out.MetallicFactor = 1
		}
		if rough != nil {
			out.RoughnessFactor, mp = 1, maps[meshfile.MapRoughness]
		}
		set(&out.MetallicRoughnessTexture, a.metallicRoughness(rough, metal), mp)
	}
	normal, normalMap := images[meshfile.MapNormal], maps[meshfile.MapNormal]
	if normal == nil && images[meshfile.MapBump] != nil {
		normalMap = maps[meshfile.MapBump]
		normal = a.normals(images[meshfile.MapBump], normalMap.Bump)
	}
	set(&out.NormalTexture, normal, normalMap)
	a.doc.Materials = append(a.doc.Materials, out)
	return nil
}

// materialOf makes a material without textures. The formats say nothing of sides: both are seen.
func materialOf(m *meshfile.Material) *Material {
	out := DefaultMaterial()
	out.Name, out.DoubleSided = m.Name, true
	out.BaseColorFactor = [4]float32{m.Color[0], m.Color[1], m.Color[2], m.Alpha}
	out.MetallicFactor, out.RoughnessFactor = m.Metallic, m.Roughness
	out.EmissiveFactor, out.EmissiveStrength = m.Emissive, m.EmissiveStrength
	if m.Alpha < 1 {
		out.AlphaMode = AlphaBlend
	}
	if m.Coat > 0 {
		out.Clearcoat = &Clearcoat{Factor: m.Coat, RoughnessFactor: m.CoatRoughness, NormalScale: 1}
	}
	return out
}

// image reads a picture, once; nil where it is lost.
func (a *meshAssembler) image(mp *meshfile.Map) (*Image, error) {
	if im, ok := a.images[mp.File]; ok {
		return im, nil
	}
	a.images[mp.File] = nil
	data, file, err := a.neighbour(mp.File, mp.Place)
	if err == nil {
		for _, have := range a.doc.Images {
			if have.URI == file && have.derive == nil { // by another name
				a.drop(int64(len(data)))
				a.images[mp.File] = have
				return have, nil
			}
		}
		im := &Image{Index: len(a.doc.Images), URI: file, encoded: data, budget: a.budget, file: a.file}
		if err = im.inspect(); err == nil {
			a.images[mp.File] = im
			a.doc.Images = append(a.doc.Images, im)
			return im, nil
		}
		a.drop(int64(len(data)))
		a.lose(mp.Place, lostTexture, here(err))
		return nil, nil
	}
	if a.ctx.Err() != nil {
		return nil, a.fail(mp.Place, a.ctx.Err(), "reading was stopped")
	}
	var short *budget.Error
	if errors.As(err, &short) {
		return nil, a.fail(mp.Place, err, "%s", quoted(mp.File))
	}
	a.lose(mp.Place, lostTexture, fmt.Sprintf("%s: %v", quoted(mp.File), err))
	return nil, nil
}

// reference makes a material's use of a picture.
func (a *meshAssembler) reference(im *Image, mp *meshfile.Map) *TextureRef {
	use := textureUse{im, mp.Clamp}
	t := a.textures[use]
	if t == nil {
		t = &Texture{Index: len(a.doc.Textures), Image: im, Sampler: defaultSampler()}
		if mp.Clamp {
			t.Sampler.WrapS, t.Sampler.WrapT = ClampToEdge, ClampToEdge
		}
		a.textures[use] = t
		a.doc.Textures = append(a.doc.Textures, t)
	}
	ref := &TextureRef{Texture: t, Scale: mp.Scale, Offset: mp.Offset}
	ref.HasTransform = mp.Scale != [2]float32{1, 1} || mp.Offset != [2]float32{}
	return ref
}

// part makes a mesh, and a node that shows it.
func (a *meshAssembler) part(p *meshfile.Part) error {
	mesh := &Mesh{Name: p.Name}
	need := int64(len(p.Pieces))*sizeOf[Primitive]() + sizeOf[Mesh]() + sizeOf[Node]() + int64(len(p.Name))
	if err := a.take(need, 1); err != nil {
		return a.fail("", err, "meshes")
	}
	for k := range p.Pieces {
		s := &p.Pieces[k]
		out := &Primitive{
			Mode: [...]Mode{Points, Lines, Triangles}[s.Mode], Indices: s.Indices, Positions: s.Positions, Normals: s.Normals, Colors: s.Colors,
			FlatNormals: s.Mode == meshfile.Triangles && s.Indices == nil, maxJoint: None, budget: a.budget, file: a.file,
			place: fmt.Sprintf("meshes[%d].primitives[%d]", len(a.doc.Meshes), k),
		}
		if s.TexCoords != nil {
			out.TexCoords = [][][2]float32{s.TexCoords}
		}
		if s.Material != meshfile.None {
			out.Material = a.doc.Materials[s.Material]
		} else {
			out.Material = a.without(s.Colors != nil)
		}
		if out.Material.BaseColorTexture != nil && s.TexCoords == nil {
			a.warn("", "something with a texture has no texture coordinates")
		}
		mesh.Primitives = append(mesh.Primitives, out)
	}
	a.doc.Nodes = append(a.doc.Nodes, Node{
		Name: p.Name, Parent: None, Translation: a.origin, Rotation: mat.Identity(), Scale: mat.DVec3{1, 1, 1}, Matrix: mat.DIdentity4(),
		Mesh: len(a.doc.Meshes), Skin: None, Camera: None, Light: None,
	})
	a.doc.Meshes = append(a.doc.Meshes, mesh)
	return nil
}

// without returns the material of what has none.
func (a *meshAssembler) without(colored bool) *Material {
	n := 0
	if colored {
		n = 1
	}
	if a.plain[n] == nil {
		m := meshfile.Plain(colored)
		a.plain[n] = materialOf(&m)
	}
	return a.plain[n]
}

// scene shows all nodes, turned so that Y is up.
func (a *meshAssembler) scene(up UpAxis) {
	d := a.doc
	n := len(d.Nodes)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if up == UpZ {
		root := Node{Name: "Z up", Parent: None, Children: all, HasMatrix: true, Rotation: mat.Identity(), Scale: mat.DVec3{1, 1, 1}, Mesh: None, Skin: None, Camera: None, Light: None}
		root.Matrix = mat.DMat4{0: 1, 6: -1, 9: 1, 15: 1} // x, y, z to x, z, -y
		for i := range d.Nodes {
			d.Nodes[i].Parent = n
		}
		d.Nodes = append(d.Nodes, root)
		d.order = append([]int{n}, all...)
		d.Scenes = []Scene{{Nodes: []int{n}}}
	} else {
		d.order, d.Scenes = all, []Scene{{Nodes: all}}
	}
	d.DefaultScene = 0
}
