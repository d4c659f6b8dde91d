package conformance

import (
	"bytes"
	"flag"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// renderModel draws a model small and multisampled.
func renderModel(t *testing.T, r *studio.Renderer, doc *gltf.Document) result {
	t.Helper()
	m, err := r.Load(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	v := studio.View{Width: 160, Height: 160, Samples: 4, Time: 0.4, Camera: studio.Camera{Yaw: 30, Pitch: 15}}
	if len(doc.Animations) > 0 {
		v.Animation = &doc.Animations[0]
	}
	if len(doc.Cameras) > 0 && doc.File == "teapot" {
		v.Camera.Document = &doc.Cameras[0]
	}
	img, err := r.Render(ctx, m, v)
	if err != nil {
		t.Fatal(err)
	}
	return pictureResult("picture", img)
}

// TestDeterminism_Models draws models with every configuration of configs.
func TestDeterminism_Models(t *testing.T) {
	list := configs()
	renderers := make([]*studio.Renderer, len(list))
	for i, c := range list {
		var err error
		if renderers[i], err = studio.New(ctx, open(t, c)); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("teapot", func(t *testing.T) {
		file, err := studio.Teapot()
		if err != nil {
			t.Fatal(err)
		}
		sameModel(t, renderers, func() (*gltf.Document, error) {
			return gltf.Read(ctx, bytes.NewReader(file), nil, "teapot", nil)
		})
	})
	for _, path := range []string{
		"FlightHelmet/FlightHelmet.gltf", "NormalTangentTest/glTF/NormalTangentTest.gltf",
		"RiggedSimple/glTF/RiggedSimple.gltf", "AnimatedMorphCube/glTF/AnimatedMorphCube.gltf",
		"AG_Mesh_PrimitiveMode/Mesh_PrimitiveMode_01.gltf",
	} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			dir := assetFolder(t)
			sameModel(t, renderers, func() (*gltf.Document, error) { return gltf.Load(ctx, filepath.Join(dir, path), nil) })
		})
	}
}

// sameModel draws what load gives with the renderer of each configuration.
func sameModel(t *testing.T, renderers []*studio.Renderer, load func() (*gltf.Document, error)) {
	t.Helper()
	var want result
	for i, c := range configs() {
		doc, err := load() // anew: a renderer may add tangents to it
		if err != nil {
			t.Fatal(err)
		}
		got := renderModel(t, renderers[i], doc)
		if i == 0 {
			want = got
			if blank(got) {
				t.Fatal("nothing was drawn")
			}
			continue
		}
		if !same(t, c.String(), want, got) {
			return
		}
	}
}

// blank reports whether all texels are the same.
func blank(r result) bool {
	for i := r.texel; i+r.texel <= len(r.data); i += r.texel {
		if !bytes.Equal(r.data[:r.texel], r.data[i:i+r.texel]) {
			return false
		}
	}
	return true
}

// streams is how many seeds TestDeterminism_Streams runs through.
var streams = flag.Uint64("streams", 50, "number of random command streams")

// TestDeterminism_Streams runs 50 seeded random command streams: the reference
// configuration against every row of the covering array. The devices live
// through all streams, as they do in programs.
func TestDeterminism_Streams(t *testing.T) {
	list := configs()
	devices := make([]*pumice.Device, len(list))
	for i, c := range list {
		devices[i] = open(t, c)
	}
	drawn, streams := 0, *streams
	if testing.Short() {
		streams /= 4 // races show in the first ones: all workers take part in each
	}
	for seed := range streams {
		want := runStream(t, devices[0], list[0], seed)
		for _, r := range want {
			if r.width > 1 && !blank(r) {
				drawn++
			}
		}
		for i := 1; i < len(list); i++ {
			got := runStream(t, devices[i], list[i], seed)
			if len(got) != len(want) {
				t.Fatalf("seed %d: %d results, want %d", seed, len(got), len(want))
			}
			for j := range want {
				if !same(t, list[i].String(), want[j], got[j]) {
					return
				}
			}
		}
	}
	if streams >= 12 && drawn < int(2*streams) {
		t.Errorf("only %d images hold anything: the streams test too little", drawn)
	}
}
