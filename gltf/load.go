package gltf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf/internal/draco"
	"github.com/pumice-gpu/pumice/gltf/internal/meshfile"
	"github.com/pumice-gpu/pumice/internal/input"
)

// supported lists the extensions that are understood.
var supported = [...]string{
	"EXT_mesh_gpu_instancing",
	"EXT_meshopt_compression",
	"EXT_texture_webp",
	"KHR_animation_pointer",
	"KHR_draco_mesh_compression",
	"KHR_lights_punctual",
	"KHR_materials_anisotropy",
	"KHR_materials_clearcoat",
	"KHR_materials_diffuse_transmission",
	"KHR_materials_dispersion",
	"KHR_materials_emissive_strength",
	"KHR_materials_ior",
	"KHR_materials_iridescence",
	"KHR_materials_pbrSpecularGlossiness",
	"KHR_materials_sheen",
	"KHR_materials_specular",
	"KHR_materials_transmission",
	"KHR_materials_unlit",
	"KHR_materials_variants",
	"KHR_materials_volume",
	"KHR_mesh_quantization",
	"KHR_meshopt_compression",
	"KHR_node_visibility",
	"KHR_texture_basisu",
	"KHR_texture_ktx",
	"KHR_texture_transform",
	"MSFT_texture_dds",
}

// loader carries a model from its text to a Document.
type loader struct {
	ctx     context.Context
	file    string
	fsys    fs.FS        // the model's folder; nil: no other files
	roots   []*assetRoot // where files may lie: the model's folder once more, and Options.Assets
	widened bool         // by Options.Assets
	budget  *budget.Budget
	held    int64 // bytes charged to the budget for the Document
	doc     *Document

	text        []byte // the JSON
	isGLB       bool   // it lay in a GLB file
	top         map[string]json.RawMessage
	root        extensions      // of the document itself
	extensions  map[string]bool // extensionsUsed
	bin         []byte          // GLB binary chunk, nil: none
	truncated   string          // what errors about missing bytes add: the file has less than it promises
	pinned      bool            // an image lies in a buffer
	buffered    int64           // bytes charged for buffers
	views       []view
	accessors   []accessor // the file's, then parts of them
	files       int        // how many of them are the file's
	cuts        map[cutKey]int
	normalized  map[int]int    // by accessor the part that is it, normalised
	nonfinite   bool           // of the primitive being read: some numbers are not
	measured    map[int]bool   // accessors whose min and max were looked at
	draco       *draco.Decoder // nil until it is needed
	dracos      map[string]*dracoMesh
	scratch     int64       // bytes charged for what Draco decoded
	folded      map[int]int // of the primitive being read: by accessor the part that stands for it
	samplers    []Sampler
	images      []rawImage
	wrongImages []error
	wrongMeshes []error // by mesh
	wrongSkins  []error // by skin
	textures    []rawTexture
	sources     [][]textureSource // by texture
	read        map[int]error     // by image
	resolved    []bool            // by texture: its image was looked for
	why         []string          // by texture: why it has none
	reading     int               // the material being read
	drawn       map[*Material]bool
	lostUses    []lostUse
	spans       []span
	fallback    *Material // the default material, once used
	cache       map[cacheKey]any
	skinned     map[string]*skinning
	largest     map[int]uint32 // by index accessor: the largest index
}

// Load reads a model: glTF (.gltf or .glb), OBJ, STL or PLY, told apart by content. Files that it refers
// to are opened in its folder and in Options.Assets only. Errors are *Error, or wrap ctx's error.
func Load(ctx context.Context, path string, opt *Options) (*Document, error) {
	name := path
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // opening a pipe would wait for who writes to it
		return nil, &Error{File: name, Message: "is not a regular file"}
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil {
		var of *fs.PathError
		if errors.As(err, &of) { // which names the file once more
			err = of.Err
		}
		return nil, &Error{File: name, Message: "cannot be opened", Err: err}
	}
	defer f.Close()
	// os.Root also stops symbolic links that lead out of the folder.
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, &Error{File: name, Message: "its folder cannot be opened", Err: err}
	}
	defer root.Close()
	var roots []*assetRoot
	if home, err := newAssetRoot(root, filepath.Dir(path), filepath.Dir(path)); err == nil {
		roots = append(roots, home) // for paths that leave the folder and come back
	}
	if opt != nil && opt.Assets != "" {
		root, err := os.OpenRoot(opt.Assets)
		var a *assetRoot
		if err == nil {
			defer root.Close()
			a, err = newAssetRoot(root, opt.Assets, filepath.Dir(path))
		}
		if err != nil {
			return nil, &Error{File: name, Message: fmt.Sprintf("the folder %s of %s cannot be opened", quoted(opt.Assets), assetsName), Err: withoutPath(err)}
		}
		roots = append(roots, a)
	}
	return readSized(ctx, f, info.Size(), root.FS(), roots, name, opt)
}

// Read reads a model as Load does. Files that it refers
// to are opened in fsys, which may be nil: then there are none. name stands for
// the model in errors; its suffix tells OBJ files apart that do not look like ones. Everything is read before Read returns.
func Read(ctx context.Context, r io.Reader, fsys fs.FS, name string, opt *Options) (*Document, error) {
	if r == nil {
		return nil, &Error{File: name, Message: "the reader is nil"}
	}
	return readSized(ctx, r, -1, fsys, nil, name, opt)
}

func newLoader(ctx context.Context, file string, b *budget.Budget) *loader {
	return &loader{
		ctx: ctx, file: file, budget: b,
		doc:        &Document{File: file, DefaultScene: None, budget: b},
		cuts:       map[cutKey]int{},
		normalized: map[int]int{},
		measured:   map[int]bool{},
		read:       map[int]error{},
		drawn:      map[*Material]bool{},
		cache:      map[cacheKey]any{},
		skinned:    map[string]*skinning{},
		largest:    map[int]uint32{},
	}
}

// readSized reads a model whose first file has probably size bytes.
func readSized(ctx context.Context, r io.Reader, size int64, fsys fs.FS, roots []*assetRoot, name string, opt *Options) (_ *Document, err error) {
	l := newLoader(ctx, name, opt.budget())
	l.fsys, l.roots = fsys, roots
	if opt != nil {
		l.widened, l.doc.strict = opt.Assets != "", opt.Strict
	}
	l.doc.Kind, l.doc.Up = "glTF", UpY
	defer func() {
		if l.draco != nil {
			l.draco.Close()
		}
		if err != nil {
			l.drop(l.held)
		}
	}()
	data, err := input.ReadAll(ctx, r, size, l.budget)
	if err != nil {
		return nil, l.fail("", err, "reading")
	}
	l.held += int64(cap(data))
	if kind, err := l.kind(data); err != nil {
		return nil, err
	} else if kind != meshfile.Unknown {
		if err := l.loadMeshFile(kind, data, opt.up()); err != nil {
			return nil, err
		}
		l.drop(int64(cap(data)))
		budget.Keep(l.budget, l.held, l.doc)
		return l.doc, nil
	}
	text, binary := data, bytes.HasPrefix(data, []byte(glbMagic))
	if l.isGLB = binary; binary {
		l.buffered += int64(cap(data))
		if text, err = l.splitGLB(data); err != nil {
			return nil, err
		}
	}
	l.text = text
	if err := l.parseTop(text); err != nil {
		return nil, err
	}
	for _, step := range []func() error{
		l.loadAsset, l.loadViews, l.loadAccessors,
		l.loadSamplers, l.loadTextures, l.loadMaterials, l.loadVariants,
		l.loadMeshes, l.loadUnusedTextures, l.loadCameras, l.loadLights, l.loadSkins,
		l.loadNodes, l.bindSkins, l.loadScenes, l.loadAnimations, l.tellUnused,
	} {
		if err := ctx.Err(); err != nil {
			return nil, l.fail("", err, "reading was stopped")
		}
		if err := step(); err != nil {
			return nil, err
		}
		if l.doc.refused != nil { // a loss, where Options.Strict is set
			return nil, l.doc.refused
		}
	}
	// The text and its copies are not needed any more, nor buffers without images.
	l.drop(l.scratch)
	l.drop(costText * int64(len(text)))
	if !binary {
		l.drop(int64(cap(data)))
	}
	if !l.pinned {
		l.drop(l.buffered)
	}
	budget.Keep(l.budget, l.held, l.doc)
	return l.doc, nil
}

// fail makes an *Error of this model.
func (l *loader) fail(place string, err error, format string, args ...any) error {
	return &Error{File: l.file, Place: place, Message: fmt.Sprintf(format, args...), Err: err}
}

// loadAsset checks version and extensions.
func (l *loader) loadAsset() error {
	var a rawAsset
	raw, ok := l.top["asset"]
	if ok {
		if err := l.value(raw, "asset", &a); err != nil {
			return err
		}
	}
	l.doc.Asset = Asset{string(a.Version), string(a.MinVersion), a.Generator, a.Copyright}
	need := string(a.Version)
	if a.MinVersion != "" {
		need = string(a.MinVersion)
	}
	switch {
	case strings.HasPrefix(need, "0"), strings.HasPrefix(need, "1"), need == "" && l.isOld():
		return l.fail("asset", nil, "%s", oldVersion)
	case need == "" && !l.hasContent():
		return l.fail("", nil, "is JSON, but no glTF: it has neither asset nor scenes, nodes or meshes")
	case need == "":
		l.lose("asset.version", "is missing: 2.0 stands for it")
	case need == "2":
		l.lose("asset.version", "is 2, must be \"2.0\"")
	case need != "2.0" && (a.MinVersion != "" || !strings.HasPrefix(need, "2.")):
		return l.fail("asset", nil, "glTF version %s is not supported (2.0 is)", quoted(need))
	}
	return l.loadExtensions()
}

// isOld reports whether the document is of glTF 1.0, which has objects by name where 2.0 has lists.
func (l *loader) isOld() bool {
	for _, key := range content {
		if raw := l.top[key]; len(raw) > 0 && raw[0] == '{' {
			return true
		}
	}
	return false
}

// content are the members that tell a glTF document from other JSON.
var content = [...]string{"scenes", "nodes", "meshes"}

func (l *loader) hasContent() bool {
	for _, key := range content {
		if _, ok := l.top[key]; ok {
			return true
		}
	}
	return false
}

// extension parses one extension object of an element into v; it reports
// whether the extension is there.
func (l *loader) extension(e extensions, name, place string, v any) (bool, error) {
	raw, ok := e[name]
	if !ok {
		return false, nil
	}
	return true, l.value(raw, strings.TrimPrefix(place+".extensions.", ".")+name, v)
}

// sortedKeys returns a map's keys in order, so that errors do not depend on
// map iteration.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// sizeOf returns the bytes of a T.
func sizeOf[T any]() int64 { return int64(reflect.TypeFor[T]().Size()) }
