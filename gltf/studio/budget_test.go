package studio_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
	"github.com/pumice-gpu/pumice/internal/input/bomb"
)

// pictured returns a model of n primitives with a picture of 512 × 512 texels each.
func pictured(n int) string {
	var images, textures, materials, primitives []string
	uri := "data:image/png;base64," + base64.StdEncoding.EncodeToString(bomb.PNG(512, 512, 8, 2, false, nil))
	for i := range n {
		images = append(images, fmt.Sprintf(`{"uri":%q}`, uri))
		textures = append(textures, fmt.Sprintf(`{"source":%d}`, i))
		materials = append(materials, fmt.Sprintf(`{"pbrMetallicRoughness":{"baseColorTexture":{"index":%d}}}`, i))
		primitives = append(primitives, fmt.Sprintf(`{"attributes":{"POSITION":0},"material":%d}`, i))
	}
	list := func(s []string) string { return strings.Join(s, ",") }
	return `{"asset":{"version":"2.0"},"buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
		"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
		"images":[` + list(images) + `],"textures":[` + list(textures) + `],"materials":[` + list(materials) + `],
		"meshes":[{"primitives":[` + list(primitives) + `]}],"nodes":[{"mesh":0}]}`
}

// drawWithin draws the model with so many bytes for everything.
func drawWithin(t *testing.T, limit int64, text string, v studio.View) (*budget.Budget, error) {
	t.Helper()
	b := budget.New(limit, "the test's limit")
	doc, err := gltf.Read(ctx, strings.NewReader(text), nil, "model.gltf", &gltf.Options{Budget: b})
	if err != nil {
		return b, err
	}
	dev, err := pumice.Open(&pumice.Config{Budget: b, Threads: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	r, err := studio.New(ctx, dev)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Load(ctx, doc)
	if err != nil {
		return b, err
	}
	defer m.Close()
	_, err = r.Render(ctx, m, v)
	return b, err
}

// Where there is memory for a single picture beside the textures, pictures are decoded
// one after the other; without, or for too large a target, the error names what was too
// much.
func TestBudget_OverModelAndDevice(t *testing.T) {
	const mib = 1 << 20
	small := studio.View{Width: 64, Height: 64}
	large := small
	large.Width, large.Height = 2048, 2048
	text := pictured(8)
	// The environment takes 2 MiB, each texture 4/3, a picture being decoded 1.
	if b, err := drawWithin(t, 14*mib, text, small); err != nil {
		t.Errorf("8 textures: %v", err)
	} else if b.Peak() > 14*mib {
		t.Errorf("%d bytes were charged", b.Peak())
	}
	for _, c := range []struct {
		limit int64
		text  string
		view  studio.View
		want  string
	}{
		{9 * mib, text, small, "model.gltf: images["},
		{40 * mib, pictured(1), large, "a picture of 2048 × 2048 pixels, 4 samples: "},
	} {
		_, err := drawWithin(t, c.limit, c.text, c.view)
		var over *budget.Error
		if !errors.As(err, &over) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d bytes: %v, want %q", c.limit, err, c.want)
		}
	}
}

// A closed model leaves nothing behind on the device, and of the budget what its
// document has.
func TestBudget_ClosedModelGivesAllBack(t *testing.T) {
	b := budget.New(0, "")
	r := benchOn(t, &pumice.Config{Budget: b})
	doc, err := gltf.Read(ctx, strings.NewReader(pictured(2)), nil, "model.gltf", nil)
	if err != nil {
		t.Fatal(err)
	}
	before := b.Used()
	for range 2 {
		m, err := r.Load(ctx, doc)
		if err != nil {
			t.Fatal(err)
		}
		if b.Used() < before+2<<20 {
			t.Errorf("%d bytes were charged", b.Used()-before)
		}
		m.Close()
		if b.Used() != before {
			t.Errorf("%d bytes stay charged", b.Used()-before)
		}
	}
}
