package studio

import (
	"bytes"
	"context"
	"flag"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/gltf"
)

// benchScene is a model to draw, 1024² with 4 samples.
type benchScene struct {
	name string
	view View
	load func() (*gltf.Document, error)
}

// modelFlag names a model for the benchmarks to draw besides the teapot. Tables in docs have FlightHelmet of Khronos'
// glTF-Sample-Assets, with textures of 512².
var modelFlag = flag.String("model", "", "a glTF file that benchmarks draw, too")

// benchScenes are the scenes that benchmarks draw.
func benchScenes(ctx context.Context) []benchScene {
	scenes := []benchScene{
		{"teapot", View{Width: 1024, Height: 1024}, func() (*gltf.Document, error) {
			file, err := Teapot()
			if err != nil {
				return nil, err
			}
			return gltf.Read(ctx, bytes.NewReader(file), nil, "teapot", nil)
		}},
	}
	if *modelFlag != "" {
		view := View{Width: 1024, Height: 1024, Camera: Camera{Yaw: 30, Pitch: 15}}
		scenes = append(scenes, benchScene{filepath.Base(*modelFlag), view, func() (*gltf.Document, error) { return gltf.Load(ctx, *modelFlag, nil) }})
	}
	return scenes
}

// open makes a renderer on two workers and loads the model; what there is ends with the benchmark.
func (s *benchScene) open(ctx context.Context, b *testing.B) (*pumice.Device, *Renderer, *Model) {
	doc, err := s.load()
	if err != nil {
		b.Fatal(err)
	}
	dev, err := pumice.Open(&pumice.Config{Threads: 2, Explain: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { dev.Close() })
	r, err := New(ctx, dev)
	if err != nil {
		b.Fatal(err)
	}
	model, err := r.Load(ctx, doc)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(model.Close)
	if s.name == "teapot" {
		s.view.Camera.Document = &doc.Cameras[0]
	}
	return dev, r, model
}

// BenchmarkRender draws whole pictures and reads them back; loading is not timed. It reports shaded fragments a second.
func BenchmarkRender(b *testing.B) {
	ctx := context.Background()
	for _, scene := range benchScenes(ctx) {
		b.Run(scene.name, func(b *testing.B) {
			dev, r, model := scene.open(ctx, b)
			before := dev.Stats().Fragments
			for b.Loop() {
				if _, err := r.Render(ctx, model, scene.view); err != nil {
					b.Fatal(err)
				}
			}
			fragments := float64(dev.Stats().Fragments - before)
			b.ReportMetric(fragments/1e6/b.Elapsed().Seconds(), "Mfragments/s")
		})
	}
}

// BenchmarkExplain draws whole pictures and explains a pixel of them, with its samples and, in /shader, each instruction.
// Beside BenchmarkRender it tells what an explained sample costs.
func BenchmarkExplain(b *testing.B) {
	ctx := context.Background()
	for _, scene := range benchScenes(ctx) {
		for name, p := range map[string]Point{"sample": {X: 540, Y: 250}, "pixel": {X: 540, Y: 250, Sample: AllSamples}, "shader": {X: 540, Y: 250, Shader: true, Quad: true}} {
			b.Run(scene.name+"/"+name, func(b *testing.B) {
				_, r, model := scene.open(ctx, b)
				for b.Loop() {
					if _, es, err := r.Explain(ctx, model, scene.view, p); err != nil || len(es) == 0 {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
