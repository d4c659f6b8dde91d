package studio_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// What is nil, zero or closed is an error, or nothing: none of it is a panic.
func TestNil_IsAnError(t *testing.T) {
	ctx := context.Background()
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	r, err := studio.New(ctx, dev)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := gltf.Read(ctx, bytes.NewReader(box), nil, "box.gltf", nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Load(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	closed, err := r.Load(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	closed.Close()
	view := studio.View{Width: 8, Height: 8}
	second := func(_ any, err error) error { return err }
	want := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	for what, c := range map[string]struct {
		r *studio.Renderer
		m *studio.Model
	}{"a nil renderer": {nil, m}, "a zero renderer": {&studio.Renderer{}, m}, "a nil model": {r, nil}, "a zero model": {r, &studio.Model{}}, "a closed model": {r, closed}, "nothing": {}} {
		want(what+", Render", second(c.r.Render(ctx, c.m, view)))
		want(what+", RenderLinear", second(c.r.RenderLinear(ctx, c.m, view)))
		_, _, err := c.r.Explain(ctx, c.m, view, studio.Point{})
		want(what+", Explain", err)
		if c.r != r {
			want(what+", Load", second(c.r.Load(ctx, doc)))
			want(what+", Light", second(c.r.Light(ctx)))
			want(what+", Thumbnail", second(c.r.Thumbnail(ctx, bytes.NewReader(box), 8)))
			if c.r.Budget() != nil {
				t.Errorf("%s has a budget", what)
			}
		}
		if c.m == nil && c.m.Document() != nil {
			t.Errorf("%s has a document", what)
		}
		if c.m != m {
			c.m.Close()
		}
	}
	want("no device", second(studio.New(ctx, nil)))
	want("no light", second(studio.NewLit(ctx, dev, nil)))
	want("no document", second(r.Load(ctx, nil)))
	want("a zero view", second(r.Render(ctx, m, studio.View{})))
	want("no reader", second(r.Thumbnail(ctx, nil, 8)))
	want("a size of 0", second(studio.Thumbnail(ctx, bytes.NewReader(box), 0)))
	want("a size of -1", second(studio.Thumbnail(ctx, bytes.NewReader(box), -1)))

	var (
		d *gltf.Document
		i *gltf.Image
		c *gltf.Camera
		p *gltf.Pose
	)
	want("the pose of no document", second(d.Pose(0, 0, 0)))
	want("a nil image", second(i.Decode(ctx)))
	want("a nil image, NRGBA", second(i.DecodeNRGBA(ctx)))
	want("a nil image's levels", second(i.DecodeLevels(ctx)))
	want("a zero image", second((&gltf.Image{}).Decode(ctx)))
	want("a nil reader", second(gltf.Read(ctx, nil, nil, "", nil)))
	if d.FindScene() != gltf.None || d.FindVariant("") != gltf.None || i.Place() == "" || p.Bounds() != mat.EmptyBox() || c.Projection(1) != mat.Identity4() {
		t.Error("nil says something")
	}
	// All of that has left the renderer as it was.
	if _, _, err := r.Explain(ctx, m, view, studio.Point{}); err != nil {
		t.Error(err)
	}
}
