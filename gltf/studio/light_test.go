package studio_test

import (
	"bytes"
	"image/color"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// What is lit by the file is what is lit by the studio itself, and other files are errors.
func TestNewLit_GivesThePictureOfNew(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	first, err := studio.New(ctx, dev)
	if err != nil {
		t.Fatal(err)
	}
	light, err := first.Light(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// 16 bytes a texel: 6 faces of 128² and five further levels, the table of 64², 9 harmonics.
	if want := 22 + 16*(6*(128*128+64*64+32*32+16*16+8*8+4*4)+64*64+9); len(light) != want {
		t.Errorf("the light has %d bytes, want %d", len(light), want)
	}
	second, err := studio.NewLit(ctx, dev, light)
	if err != nil {
		t.Fatal(err)
	}
	again, err := second.Light(ctx)
	if err != nil || !bytes.Equal(light, again) {
		t.Errorf("the light changes on its way, or %v", err)
	}
	s := newScene()
	s.putQuad(-0.5, -0.5, 0.5, 0.5, 0, base(0.8, 0.4, 0.2, 1))
	doc := s.document(t)
	var pictures [2][]byte
	for i, r := range []*studio.Renderer{first, second} {
		m, err := r.Load(ctx, doc)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		img, err := r.Render(ctx, m, studio.View{Width: 32, Height: 32, Camera: studio.Camera{Document: &doc.Cameras[0]}, Background: color.NRGBA{A: 255}})
		if err != nil {
			t.Fatal(err)
		}
		pictures[i] = img.Pix
	}
	if !bytes.Equal(pictures[0], pictures[1]) {
		t.Error("the pictures differ")
	}
	if mid := pictures[0][4*(16*32+16):][:3]; bytes.Equal(mid, []byte{0, 0, 0}) {
		t.Error("the quad is black: it shows no light")
	}
	for name, bad := range map[string][]byte{"empty": nil, "another version": append([]byte("pumice studio light 0\n"), light...), "cut": light[:len(light)/2], "longer": append(bytes.Clone(light), 0), "without irradiance": light[:len(light)-1]} {
		if _, err := studio.NewLit(ctx, dev, bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
