// Package viewer is what the playground's page asks for: pictures of a model, of a small
// scene of the rasterizer, and of what a sampler makes of a texture. It knows of no
// browser, so that its pictures can be compared with those of any machine.
package viewer

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"math"
	"path"
	"strings"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
	"github.com/pumice-gpu/pumice/scene"
)

// memoryLimit bounds files, models and the device together. A browser lets
// WebAssembly have 4 GiB, of which Go's collector wants a half.
const memoryLimit = 1 << 30

// MaxExtent bounds pictures each way.
const MaxExtent = 4096

// Viewer draws one model, and whatever else is asked for. It is for one goroutine.
type Viewer struct {
	budget   *budget.Budget
	dev      *pumice.Device
	light    []byte
	renderer *studio.Renderer // made with the first model
	model    *studio.Model
	orbit    orbit
	texture  *pumice.Image
}

// New opens a device. light is what studio.Renderer.Light gave, by PackLight, or nil to
// compute it.
func New(light []byte) (*Viewer, error) {
	b := budget.New(memoryLimit, "the page's limit")
	dev, err := pumice.Open(&pumice.Config{Budget: b})
	if err != nil {
		return nil, err
	}
	return &Viewer{budget: b, dev: dev, light: light}, nil
}

// Close frees everything.
func (v *Viewer) Close() error { return v.dev.Close() }

// Model says what was loaded.
type Model struct {
	Name       string   `json:"name"`
	Builtin    bool     `json:"builtin"` // it is the teapot
	Cameras    int      `json:"cameras"`
	Animations []string `json:"animations"`
	Vertices   int      `json:"vertices"`
	Warnings   []string `json:"warnings"`
}

// LoadTeapot reads the built-in scene: what studio.Teapot gives.
func (v *Viewer) LoadTeapot(ctx context.Context, file []byte) (*Model, error) {
	m, err := v.Load(ctx, map[string][]byte{"teapot.glb": file})
	if err == nil {
		v.orbit, m.Builtin = teapotOrbit, true
	}
	return m, err
}

// Load reads a model from files by their names, of which one is a .glb, .gltf, .obj, .stl or .ply file,
// and the rest is what it refers to. The one before stays where this fails.
func (v *Viewer) Load(ctx context.Context, files map[string][]byte) (*Model, error) {
	name, err := modelOf(files)
	if err != nil {
		return nil, err
	}
	doc, err := gltf.Read(ctx, bytes.NewReader(files[name]), folder{files, path.Dir(name)}, path.Base(name), &gltf.Options{Budget: v.budget})
	if err != nil {
		return nil, err
	}
	if v.renderer == nil {
		if v.light == nil {
			v.renderer, err = studio.New(ctx, v.dev)
		} else {
			v.renderer, err = studio.NewLit(ctx, v.dev, unpackLight(v.light))
		}
		if err != nil {
			return nil, err
		}
	}
	around, err := orbitOf(doc)
	if err != nil {
		return nil, err
	}
	model, err := v.renderer.Load(ctx, doc)
	if err != nil {
		return nil, err
	}
	if v.model != nil {
		v.model.Close()
	}
	v.model, v.orbit = model, around
	m := &Model{Name: path.Base(name), Cameras: len(doc.Cameras), Animations: []string{}, Warnings: append([]string{}, doc.Warnings...)}
	for i, a := range doc.Animations {
		m.Animations = append(m.Animations, strings.TrimSpace(fmt.Sprint(i+1, " ", a.Name)))
	}
	for _, mesh := range doc.Meshes {
		for _, p := range mesh.Primitives {
			m.Vertices += p.Vertices()
		}
	}
	return m, nil
}

// modelOf finds the model among files.
func modelOf(files map[string][]byte) (string, error) {
	found := ""
	for name := range files {
		switch strings.ToLower(path.Ext(name)) {
		case ".glb", ".gltf", ".obj", ".stl", ".ply":
			if found != "" {
				return "", fmt.Errorf("%s and %s: one model at a time", min(found, name), max(found, name))
			}
			found = name
		}
	}
	if found == "" {
		return "", fmt.Errorf("no model among %d files: want a .glb, .gltf, .obj, .stl or .ply file", len(files))
	}
	return found, nil
}

// View is how the model is seen. Yaw and pitch are degrees as in studio.Camera, around
// what the ball of the model's bounds just fits in.
type View struct {
	Width      int     `json:"width"`
	Height     int     `json:"height"`
	Samples    int     `json:"samples"`
	Yaw        float64 `json:"yaw"`
	Pitch      float64 `json:"pitch"`
	Zoom       float64 `json:"zoom"`
	Camera     int     `json:"camera"`    // of the document, from 1; 0 goes around the model
	Animation  int     `json:"animation"` // from 1; 0 is the model at rest
	Time       float64 `json:"time"`      // seconds
	Background string  `json:"background"`
}

// Render draws the model.
func (v *Viewer) Render(ctx context.Context, view View) (*image.NRGBA, error) {
	if v.model == nil {
		return nil, fmt.Errorf("no model is loaded")
	}
	if err := checkExtent(view.Width, view.Height); err != nil {
		return nil, err
	}
	doc := v.model.Document()
	for _, x := range []float64{view.Yaw, view.Pitch, view.Zoom, view.Time} {
		if math.IsNaN(x) || math.Abs(x) > 1e6 {
			return nil, fmt.Errorf("a camera with %v", x)
		}
	}
	if view.Camera == 0 && view.Zoom < 1e-3 || view.Zoom > 1e3 {
		return nil, fmt.Errorf("a zoom of %v: want 0.001 to 1000", view.Zoom)
	}
	s := studio.View{Width: view.Width, Height: view.Height, Samples: view.Samples, Time: view.Time}
	if i := view.Camera; i < 0 || i > len(doc.Cameras) {
		return nil, fmt.Errorf("camera %d of %d", i, len(doc.Cameras))
	} else if i > 0 {
		s.Camera.Document = &doc.Cameras[i-1]
	} else {
		s.Camera.Fixed = v.orbit.camera(view.Yaw, max(-90, min(90, view.Pitch)), view.Zoom, float64(view.Width)/float64(view.Height))
	}
	if i := view.Animation; i < 0 || i > len(doc.Animations) {
		return nil, fmt.Errorf("animation %d of %d", i, len(doc.Animations))
	} else if i > 0 {
		s.Animation = &doc.Animations[i-1]
	}
	if view.Background != "" {
		if _, err := fmt.Sscanf(view.Background, "#%02x%02x%02x", &s.Background.R, &s.Background.G, &s.Background.B); err != nil {
			return nil, fmt.Errorf("background %.20q: want #rrggbb", view.Background)
		}
		s.Background.A = 255
	}
	return v.renderer.Render(ctx, v.model, s)
}

func checkExtent(width, height int) error {
	if width < 1 || height < 1 || width > MaxExtent || height > MaxExtent {
		return fmt.Errorf("a picture of %d × %d pixels: want 1 to %d each way", width, height, MaxExtent)
	}
	return nil
}

// Raster draws a scene of package scene, zoom pixels a pixel, and returns its caption.
func (v *Viewer) Raster(ctx context.Context, file []byte, zoom int) (*image.NRGBA, string, error) {
	s, err := scene.Parse(file)
	if err != nil {
		return nil, "", err
	}
	picture, err := s.Picture(ctx, v.dev, zoom)
	return picture, s.Caption(), err
}
