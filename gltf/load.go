package gltf

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
)

// supported lists the extensions that are understood.
var supported = [...]string{
	"KHR_lights_punctual",
	"KHR_materials_emissive_strength",
	"KHR_materials_unlit",
	"KHR_mesh_quantization",
	"KHR_texture_transform",
}

// loader carries a model from its text to a Document.
type loader struct {
	ctx    context.Context
	file   string
	fsys   fs.FS // the model's folder; nil: no other files
	budget *budget
	doc    *Document

	top        map[string]json.RawMessage
	extensions map[string]bool // extensionsUsed
	bin        []byte          // GLB binary chunk, nil: none
	views      []view
	accessors  []accessor
	samplers   []Sampler
	fallback   *Material // the default material, once used
	cache      map[cacheKey]any
	skinned    map[string]*skinning
	largest    map[int]uint32 // by index accessor: the largest index
	warned     map[string]bool
}

// Load reads a .gltf or .glb file, told apart by content. Files that it refers
// to are opened in its folder only. Errors are *Error, or wrap ctx's error.
func Load(ctx context.Context, path string, opt *Options) (*Document, error) {
	name := filepath.Base(path)
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{File: name, Message: "cannot be opened", Err: err}
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &Error{File: name, Message: "is not a regular file", Err: err}
	}
	// os.Root also stops symbolic links that lead out of the folder.
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, &Error{File: name, Message: "its folder cannot be opened", Err: err}
	}
	defer root.Close()
	return Read(ctx, f, root.FS(), name, opt)
}

// Read reads a .gltf or .glb model, told apart by content. Files that it refers
// to are opened in fsys, which may be nil: then there are none. name stands for
// the model in errors. Everything is read before Read returns.
func Read(ctx context.Context, r io.Reader, fsys fs.FS, name string, opt *Options) (*Document, error) {
	limit := opt.maxBytes()
	l := &loader{
		ctx:    ctx,
		file:   name,
		fsys:   fsys,
		budget: newBudget(limit),
		cache:  map[cacheKey]any{},
		warned: map[string]bool{},

		skinned: map[string]*skinning{},
		largest: map[int]uint32{},
	}
	l.doc = &Document{File: name, DefaultScene: None, budget: l.budget}
	data, err := l.readAll(r, limit)
	if err != nil {
		return nil, l.fail("", err, "reading")
	}
	text := data
	if bytes.HasPrefix(data, []byte(glbMagic)) {
		if text, err = l.splitGLB(data); err != nil {
			return nil, err
		}
	}
	if err := l.parseTop(text); err != nil {
		return nil, err
	}
	for _, step := range []func() error{
		l.loadAsset, l.loadViews, l.loadAccessors,
		l.loadSamplers, l.loadTextures, l.loadMaterials,
		l.loadMeshes, l.loadCameras, l.loadLights, l.loadSkins,
		l.loadNodes, l.bindSkins, l.loadScenes, l.loadAnimations,
	} {
		if err := ctx.Err(); err != nil {
			return nil, l.fail("", err, "reading was stopped")
		}
		if err := step(); err != nil {
			return nil, err
		}
	}
	return l.doc, nil
}

// readAll reads to the end and charges what it read; most bounds it.
func (l *loader) readAll(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(&contextReader{l.ctx, r}, most+1))
	if err != nil {
		return nil, err
	}
	if err := l.budget.take(int64(len(data)), 1); err != nil {
		return nil, err
	}
	return slices.Clip(data), nil
}

// contextReader stops reading when its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// fail makes an *Error of this model.
func (l *loader) fail(place string, err error, format string, args ...any) error {
	return &Error{File: l.file, Place: place, Message: fmt.Sprintf(format, args...), Err: err}
}

// maxWarnings bounds Document.Warnings.
const maxWarnings = 1000

// warn notes what was ignored or repaired.
func (l *loader) warn(place, format string, args ...any) {
	if len(l.doc.Warnings) < maxWarnings {
		e := Error{File: l.file, Place: place, Message: fmt.Sprintf(format, args...)}
		l.doc.Warnings = append(l.doc.Warnings, e.Error())
	}
}

// warnOnce is warn for what would repeat.
func (l *loader) warnOnce(place, message string) {
	if !l.warned[message] {
		l.warned[message] = true
		l.warn(place, "%s", message)
	}
}

// loadAsset checks version and extensions.
func (l *loader) loadAsset() error {
	raw, ok := l.top["asset"]
	if !ok {
		return l.fail("asset", nil, "is missing")
	}
	var a rawAsset
	if err := l.value(raw, "asset", &a); err != nil {
		return err
	}
	l.doc.Asset = Asset(a)
	if a.Version == "" {
		return l.fail("asset.version", nil, "is missing")
	}
	need := a.Version
	if a.MinVersion != "" {
		need = a.MinVersion
	}
	if need != "2.0" && (a.MinVersion != "" || !strings.HasPrefix(need, "2.")) {
		return l.fail("asset", nil, "glTF version %s is not supported (2.0 is)", quoted(need))
	}
	return l.loadExtensions()
}

func (l *loader) loadExtensions() error {
	var used, required []string
	for _, e := range []struct {
		key  string
		list *[]string
	}{{"extensionsUsed", &used}, {"extensionsRequired", &required}} {
		if raw, ok := l.top[e.key]; ok {
			if err := l.value(raw, e.key, e.list); err != nil {
				return err
			}
		}
	}
	l.extensions = map[string]bool{}
	for i, name := range required {
		if !slices.Contains(supported[:], name) {
			return l.fail(fmt.Sprintf("extensionsRequired[%d]", i), nil, "%s is not supported (supported: %s)",
				quoted(name), strings.Join(supported[:], ", "))
		}
		l.extensions[name] = true
	}
	for i, name := range used {
		if !slices.Contains(supported[:], name) {
			l.warn(fmt.Sprintf("extensionsUsed[%d]", i), "%s is not supported and was ignored", quoted(name))
		}
		l.extensions[name] = true
	}
	return nil
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
