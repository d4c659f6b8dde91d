package studio_test

import (
	"bytes"
	"fmt"
	"image/color"
	"sync"
	"testing"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// One renderer draws several models for several goroutines, two sizes each, and a model for
// two of them: the pictures are those that it draws one after the other.
func TestRenderer_ConcurrentUse(t *testing.T) {
	b := newBench(t)
	colors := []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}}
	var docs []*gltf.Document
	for _, c := range colors {
		s := newScene()
		s.putQuad(-0.5, -0.5, 0.5, 0.5, 0, unlit(float64(c.R)/255, float64(c.G)/255, float64(c.B)/255, 1))
		docs = append(docs, s.document(t))
	}
	shared, err := b.Load(ctx, docs[2])
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	draw := func(i int, view studio.View) ([]byte, error) {
		m := shared
		if i < 2 {
			var err error
			if m, err = b.Load(ctx, docs[i]); err != nil {
				return nil, err
			}
			defer m.Close()
		}
		img, err := b.Render(ctx, m, view)
		if err != nil {
			return nil, err
		}
		if at := img.NRGBAAt(view.Width/2, view.Height/2); at != colors[i] {
			return nil, fmt.Errorf("model %d: its middle is %v, want %v", i, at, colors[i])
		}
		return img.Pix, nil
	}
	views := []studio.View{{Width: 16, Height: 16}, {Width: 24, Height: 8, Samples: 1}}
	var want [3][2][]byte
	for i := range want {
		for v := range views {
			var err error
			if want[i][v], err = draw(i, views[v]); err != nil {
				t.Fatal(err)
			}
		}
	}
	var wait sync.WaitGroup
	for g := range 4 { // two of them draw model 2
		wait.Go(func() {
			i := min(g, 2)
			for n := range 40 {
				v := n / 10 % 2
				got, err := draw(i, views[v])
				if err != nil || !bytes.Equal(got, want[i][v]) {
					t.Errorf("goroutine %d, picture %d: another picture, %v", g, n, err)
					return
				}
			}
		})
	}
	wait.Wait()
}

// The zero View but for its extent is the whole scene, and a Thumbnail is that, turned.
func TestThumbnail_OneCall(t *testing.T) {
	file, err := studio.Teapot()
	if err != nil {
		t.Fatal(err)
	}
	got, err := studio.Thumbnail(ctx, bytes.NewReader(file), 24)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := gltf.Read(ctx, bytes.NewReader(file), nil, "teapot", nil)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	want := b.draw(doc, studio.View{Width: 24, Height: 24, Samples: 4, Scene: &doc.Scenes[0], Camera: studio.Camera{Yaw: 30, Pitch: 15}})
	if got.Rect != want.Rect || !bytes.Equal(got.Pix, want.Pix) {
		t.Error("another picture")
	}
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, unlit(1, 0, 0, 1))
	if front := b.draw(s.document(t), studio.View{Width: 24, Height: 24}); front.NRGBAAt(12, 12) != red || front.NRGBAAt(3, 3) != red || front.NRGBAAt(0, 0) != none {
		t.Errorf("the zero view shows %v, %v, %v; want all of the quad and a margin", front.NRGBAAt(12, 12), front.NRGBAAt(3, 3), front.NRGBAAt(0, 0))
	}
	if _, err := studio.Thumbnail(ctx, bytes.NewReader(nil), 24); err == nil {
		t.Error("an empty file has a picture")
	}
}

// What belongs to another document is an error, not a guess.
func TestView_OfAnotherDocument(t *testing.T) {
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, unlit(1, 1, 1, 1))
	b, doc := newBench(t), s.document(t)
	m, err := b.Load(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for name, v := range map[string]studio.View{
		"scene": {Scene: &gltf.Scene{}}, "animation": {Animation: &gltf.Animation{}}, "camera": {Camera: studio.Camera{Document: &gltf.Camera{}}},
	} {
		v.Width, v.Height = 8, 8
		if _, err := b.Render(ctx, m, v); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Linear light is not tone mapped: a light that is four times as strong gives four times
// as much beyond what the studio gives, and emission comes out as it is written.
func TestRenderLinear_KeepsTones(t *testing.T) {
	b := newBench(t)
	at := func(emission float64) []float32 {
		s := newScene()
		s.putQuad(-1, -1, 1, 1, 0, with(base(0, 0, 0, 1), obj{
			"emissiveFactor": arr{1, 0.5, 0.25},
			"extensions":     obj{"KHR_materials_emissive_strength": obj{"emissiveStrength": emission}},
		}))
		doc := s.document(t)
		m, err := b.Load(ctx, doc)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		l, err := b.RenderLinear(ctx, m, studio.View{Width: 4, Height: 4, Camera: studio.Camera{Document: &doc.Cameras[0]}})
		if err != nil {
			t.Fatal(err)
		}
		if l.Width != 4 || l.Height != 4 || len(l.Pixels) != 4*4*4 {
			t.Fatalf("%d × %d, %d floats", l.Width, l.Height, len(l.Pixels))
		}
		return l.Pixels[4*(4*2+2):][:4]
	}
	dark, bright := at(1), at(9)
	for c, factor := range []float64{1, 0.5, 0.25} {
		if got, want := float64(bright[c]-dark[c]), 8*factor; got < want*0.9999 || got > want*1.0001 {
			t.Errorf("channel %d: 8 more of emission are %v, want %v", c, got, want)
		}
	}
	if bright[3] != 1 {
		t.Errorf("alpha is %v", bright[3])
	}
}
