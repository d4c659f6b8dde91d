package studio

import (
	"context"
	"image"
	"io"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
)

// Thumbnail draws a model that is one file with all it needs inside (.glb, .gltf, .stl, .ply, .obj), as a
// square picture of size × size pixels before nothing. It opens a device for it; those who
// draw many models keep a Renderer and call its Thumbnail.
func Thumbnail(ctx context.Context, model io.Reader, size int) (*image.NRGBA, error) {
	dev, err := pumice.Open(nil)
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	r, err := New(ctx, dev)
	if err != nil {
		return nil, err
	}
	return r.Thumbnail(ctx, model, size)
}

// Thumbnail is the function Thumbnail with this renderer's device and its budget.
func (r *Renderer) Thumbnail(ctx context.Context, model io.Reader, size int) (*image.NRGBA, error) {
	if err := r.usable(); err != nil {
		return nil, err
	}
	doc, err := gltf.Read(ctx, model, nil, "model", &gltf.Options{Budget: r.budget})
	if err != nil {
		return nil, err
	}
	m, err := r.Load(ctx, doc)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return r.Render(ctx, m, ThumbnailView(size))
}

// ThumbnailView is the view that thumbnails show: from the front, a little from the right
// and above.
func ThumbnailView(size int) View {
	return View{Width: size, Height: size, Camera: Camera{Yaw: 30, Pitch: 15}}
}

// Budget returns the device's budget, which may be nil: the one for the documents of models.
func (r *Renderer) Budget() *budget.Budget {
	if r == nil {
		return nil
	}
	return r.budget
}
