package studio

import (
	"cmp"
	"context"
	"fmt"
	"image"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/gltf"
)

// Point is a pixel of a picture to explain.
type Point struct {
	X, Y int
	// Sample is one of the samples that the pixel is drawn with, or AllSamples.
	Sample int
	// Shader and Quad ask for the steps of shaders, as those of pumice.WatchPoint do.
	Shader, Quad bool
}

// AllSamples as a Point's Sample is the pixel, and behind it each of its samples.
const AllSamples = -1

// Explain draws the view, as Render does, and returns the picture and how pixels of it came to their values. Of a
// point with AllSamples that are the pixel (resolved, where there are several samples) and then, behind those of all
// points, its samples; of others the sample alone. Values are linear and premultiplied, as they are
// drawn; the picture is what files hold.
func (r *Renderer) Explain(ctx context.Context, m *Model, v View, at ...Point) (*image.NRGBA, []*explain.Explanation, error) {
	return r.explain(ctx, m, v, nil, at)
}

// Try does what a hint says that an explanation of the same view and points has: it draws the view
// with the hint's change, and returns what Explain does of that.
func (r *Renderer) Try(
	ctx context.Context, m *Model, v View, h *explain.Hint, at ...Point,
) (*image.NRGBA, []*explain.Explanation, error) {
	return r.explain(ctx, m, v, h, at)
}

func (r *Renderer) explain(
	ctx context.Context, m *Model, v View, h *explain.Hint, at []Point,
) (*image.NRGBA, []*explain.Explanation, error) {
	s, err := v.shape()
	if err != nil {
		return nil, nil, err
	}
	t, err := r.borrow(m, s)
	if err != nil {
		return nil, nil, err
	}
	defer r.giveBack(t)
	points := make([]pumice.WatchPoint, len(at))
	for i, p := range at {
		points[i] = pumice.WatchPoint{Image: t.color, X: p.X, Y: p.Y, Sample: p.Sample, Shader: p.Shader, Quad: p.Quad}
		if p.Sample == AllSamples {
			points[i].Image, points[i].Sample = t.picture(), 0
		}
	}
	w, err := r.dev.Watch(points...)
	if err != nil {
		return nil, nil, err
	}
	if h != nil && h.Change != nil {
		err = w.Change(h.Ordinal, *h.Change)
	}
	if err == nil {
		err = r.render(ctx, t, m, v, true)
	}
	es := w.End()
	if err != nil {
		return nil, nil, err
	}
	img, err := r.finished(ctx, t, &v)
	return img, es, err
}

// label names a draw after what it draws in the document: its mesh, or the node where that has no name.
func (m *Model) label(item *gltf.Item) string {
	name := cmp.Or(m.doc.Meshes[item.Mesh].Name, m.doc.Nodes[item.Node].Name, fmt.Sprintf("mesh %d", item.Mesh))
	if len(m.doc.Meshes[item.Mesh].Primitives) > 1 {
		name += fmt.Sprintf(", primitive %d", item.PrimitiveIndex)
	}
	if n := item.Material.Name; n != "" {
		name += " (" + n + ")"
	}
	return name
}
