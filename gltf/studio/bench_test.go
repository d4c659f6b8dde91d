package studio

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/internal/assets"
)

// BenchmarkRender draws whole pictures, 1024² with 4 samples, on two workers;
// loading is not timed. It reports shaded fragments a second.
func BenchmarkRender(b *testing.B) {
	ctx := context.Background()
	scenes := []struct {
		name   string
		camera Camera
		load   func() (*gltf.Document, error)
	}{
		{"teapot", Camera{}, func() (*gltf.Document, error) {
			file, err := Teapot()
			if err != nil {
				return nil, err
			}
			return gltf.Read(ctx, bytes.NewReader(file), nil, "teapot", nil)
		}},
		{"FlightHelmet", Camera{Index: gltf.None, Yaw: 30, Pitch: 15}, func() (*gltf.Document, error) {
			return gltf.Load(ctx, filepath.Join(assets.Folder(b, "gltf"), "FlightHelmet", "FlightHelmet.gltf"), nil)
		}},
	}
	for _, scene := range scenes {
		b.Run(scene.name, func(b *testing.B) {
			doc, err := scene.load()
			if err != nil {
				b.Fatal(err)
			}
			dev, err := pumice.Open(&pumice.Config{Threads: 2})
			if err != nil {
				b.Fatal(err)
			}
			defer dev.Close()
			r, err := New(ctx, dev)
			if err != nil {
				b.Fatal(err)
			}
			model, err := r.Load(ctx, doc)
			if err != nil {
				b.Fatal(err)
			}
			defer model.Close()
			before := dev.Stats().Fragments
			for b.Loop() {
				if err := r.Render(ctx, model, View{
					Width: 1024, Height: 1024, Samples: 4,
					Scene: gltf.None, Animation: gltf.NoAnimation, Camera: scene.camera,
				}); err != nil {
					b.Fatal(err)
				}
			}
			fragments := float64(dev.Stats().Fragments - before)
			b.ReportMetric(fragments/1e6/b.Elapsed().Seconds(), "Mfragments/s")
		})
	}
}
