package studio

import (
	"context"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
)

// Linear is a picture before its tones are mapped: radiance as the materials send it out,
// where 1 is white paper in full light and highlights go beyond.
type Linear struct {
	Width, Height int
	// Pixels are red, green, blue and alpha of every pixel from the top row on, the colours
	// premultiplied by alpha, in the primaries of sRGB.
	Pixels []float32
}

// RenderLinear is Render without tone mapping, but with the view's Exposure. Samples of a pixel are
// averaged in linear light. Of a Pass it gives the numbers.
func (r *Renderer) RenderLinear(ctx context.Context, m *Model, v View) (*Linear, error) {
	s, err := v.shape()
	if err != nil {
		return nil, err
	}
	s.linear = true
	t, err := r.borrow(m, s)
	if err != nil {
		return nil, err
	}
	defer r.giveBack(t)
	if err := r.render(ctx, t, m, v, false); err != nil {
		return nil, err
	}
	need := 2 * 16 * int64(t.width) * int64(t.height) // as bytes, and as floats
	if err := r.budget.Take(need); err != nil {
		return nil, fmt.Errorf("studio: a picture of %d × %d pixels: %w", t.width, t.height, err)
	}
	data, err := t.picture().Read(ctx, pumice.Subresource{})
	if err != nil {
		r.budget.Drop(need)
		return nil, err
	}
	l := &Linear{Width: t.width, Height: t.height, Pixels: make([]float32, len(data)/4)}
	for i := range l.Pixels {
		l.Pixels[i] = math.Float32frombits(uint32(data[4*i]) | uint32(data[4*i+1])<<8 | uint32(data[4*i+2])<<16 | uint32(data[4*i+3])<<24)
	}
	r.budget.Drop(need / 2)
	budget.Keep(r.budget, need/2, l)
	return l, nil
}
