package scene

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// The colours of primitives, light for fragments and dark for samples.
var palette = [][2]color.NRGBA{
	{{0xBF, 0xDC, 0xF5, 255}, {0x1B, 0x6F, 0xB8, 255}}, {{0xFB, 0xD9, 0xB5, 255}, {0xC2, 0x66, 0x0A, 255}},
	{{0xC8, 0xE9, 0xC4, 255}, {0x2B, 0x82, 0x2B, 255}}, {{0xE5, 0xD2, 0xF0, 255}, {0x7B, 0x42, 0xA0, 255}},
	{{0xF8, 0xC9, 0xCC, 255}, {0xB8, 0x2A, 0x34, 255}}, {{0xD9, 0xE6, 0xA6, 255}, {0x6B, 0x7D, 0x12, 255}},
}

var (
	paper  = color.NRGBA{255, 255, 255, 255}
	grid   = color.NRGBA{0xD8, 0xD8, 0xD8, 255}
	idle   = color.NRGBA{0xB0, 0xB0, 0xB0, 255}
	border = color.NRGBA{0x50, 0x50, 0x50, 255}
	edge   = color.NRGBA{0x10, 0x10, 0x10, 0xB0}
)

// colorsOf chooses by draw and primitive.
func colorsOf(s Sample) [2]color.NRGBA {
	return palette[(s.Draw-1+s.Primitive)%uint32(len(palette))]
}

// Picture draws the scene, zoom pixels of the picture a pixel of the scene:
//
//   - a pixel's square has the colours of the primitives that it got, in
//     proportion to their samples; or what Show says;
//   - dots are samples: filled ones were covered, grey rings were not (with a
//     density map, those of a fragment are spread over all of its pixels);
//   - dark borders run between fragments, which may be larger than a pixel, and
//     a small cross marks where each was shaded, if that is not its middle;
//   - thin black lines are the primitives as they were given.
func (s *Scene) Picture(ctx context.Context, dev *pumice.Device, zoom int) (*image.NRGBA, error) {
	if s == nil {
		return nil, errNil()
	}
	if zoom < 4 || zoom > 64 || zoom*max(s.Size[0], s.Size[1]) > 8192 {
		return nil, errorf("a zoom of %d; 4 to 64, and a picture of up to 8192 pixels", zoom)
	}
	// The picture, and what the device gives back of each sample.
	need := 4*int64(s.Size[0]*zoom+1)*int64(s.Size[1]*zoom+1) + 64*int64(s.Size[0]*s.Size[1]*s.Samples)
	if err := dev.Budget().Take(need); err != nil {
		return nil, fmt.Errorf("scene: a picture of %d × %d pixels: %w", s.Size[0]*zoom+1, s.Size[1]*zoom+1, err)
	}
	kept := false
	defer func() {
		if !kept {
			dev.Budget().Drop(need)
		}
	}()
	samples, err := s.Run(ctx, dev)
	if err != nil {
		return nil, err
	}
	var colors []color.NRGBA
	if s.Show != "" {
		if colors, err = s.colors(ctx, dev); err != nil {
			return nil, err
		}
	}
	c := canvas{image.NewNRGBA(image.Rect(0, 0, s.Size[0]*zoom+1, s.Size[1]*zoom+1))}
	c.fill(c.Rect, paper)
	z := float64(zoom)
	at := func(x, y int) []Sample { i := (y*s.Size[0] + x) * s.Samples; return samples[i : i+s.Samples] }
	for y := range s.Size[1] {
		for x := range s.Size[0] {
			square := s.mix(at(x, y))
			if n := len(colors) / (s.Size[0] * s.Size[1]); n > 0 {
				square = mean(colors[(y*s.Size[0]+x)*n:][:n])
			}
			c.fill(image.Rect(x*zoom, y*zoom, (x+1)*zoom, (y+1)*zoom), square)
		}
	}
	for x := 0; x <= s.Size[0]; x++ {
		c.line(float64(x)*z, 0, float64(x)*z, float64(s.Size[1])*z, 1, grid)
	}
	for y := 0; y <= s.Size[1]; y++ {
		c.line(0, float64(y)*z, float64(s.Size[0])*z, float64(y)*z, 1, grid)
	}
	fragment := func(x, y int) Sample {
		if x < 0 || y < 0 || x >= s.Size[0] || y >= s.Size[1] {
			return Sample{}
		}
		return first(at(x, y))
	}
	for y := range s.Size[1] + 1 {
		for x := range s.Size[0] + 1 {
			X, Y := float64(float64(x)*z), float64(float64(y)*z)
			if fragment(x, y) != fragment(x-1, y) {
				c.line(X, Y, X, Y+z, 1.5, border)
			}
			if fragment(x, y) != fragment(x, y-1) {
				c.line(X, Y, X+z, Y, 1.5, border)
			}
		}
	}
	for i := range s.Draws {
		s.Draws[i].outline(func(a, b []float32) {
			c.line(float64(a[0])*z, float64(a[1])*z, float64(b[0])*z, float64(b[1])*z, 1.2, edge)
		})
	}
	r := max(1.5, z/16)
	if s.Samples > 16 { // which would hide each other
		r = max(1, z/32)
	}
	for y := range s.Size[1] {
		for x := range s.Size[0] {
			for i, got := range at(x, y) {
				l := s.location(i, got)
				w, h := s.area(x, y)
				if x%w != 0 || y%h != 0 {
					continue // those of the fragment stand at its first pixel
				}
				X, Y := (float64(x)+float64(l[0]*float64(w)))*z, (float64(y)+float64(l[1]*float64(h)))*z
				if got.Draw == 0 {
					c.disc(X, Y, r, idle)
					c.disc(X, Y, r-1, paper)
				} else {
					dot := colorsOf(got)[1]
					if len(colors) == len(samples) {
						dot = dark(colors[(y*s.Size[0]+x)*s.Samples+i])
					} else if s.Show != "" {
						dot = edge
					}
					c.disc(X, Y, r*1.2, dot)
				}
			}
			for i, f := range at(x, y) {
				if f.Draw == 0 || slices.Contains(at(x, y)[:i], f) || s.Samples == 1 && f.X == float32(x)+0.5 && f.Y == float32(y)+0.5 {
					continue
				}
				X, Y := float64(float64(f.X)*z), float64(float64(f.Y)*z)
				c.line(X-r, Y, X+r, Y, 1, border)
				c.line(X, Y-r, X, Y+r, 1, border)
			}
		}
	}
	kept = true
	budget.Keep(dev.Budget(), need, c.NRGBA)
	return c.NRGBA, nil
}

// first is the first sample that was drawn to.
func first(pixel []Sample) Sample {
	for _, s := range pixel {
		if s.Draw != 0 {
			return s
		}
	}
	return Sample{}
}

// location is where sample i lies in its pixel.
func (s *Scene) location(i int, got Sample) [2]float64 {
	d := &s.Draws[0]
	if got.Draw != 0 {
		d = &s.Draws[got.Draw-1]
	}
	if len(d.SampleLocations) > 0 {
		return [2]float64{float64(d.SampleLocations[i][0]), float64(d.SampleLocations[i][1])}
	}
	set := raster.Samples(s.Samples)
	return [2]float64{float64(set.X[i]) / raster.Subpixels, float64(set.Y[i]) / raster.Subpixels}
}

// mix is the mean of the samples' light colours.
func (s *Scene) mix(pixel []Sample) color.NRGBA {
	list := make([]color.NRGBA, len(pixel))
	for i, p := range pixel {
		if list[i] = paper; p.Draw != 0 {
			list[i] = colorsOf(p)[0]
		}
	}
	return mean(list)
}

// outline calls f for the edges of the primitives as they were given.
func (d *Draw) outline(f func(a, b []float32)) {
	v := d.Vertices
	triangle := func(a, b, c int) { f(v[a], v[b]); f(v[b], v[c]); f(v[c], v[a]) }
	switch d.Topology {
	case "line_list":
		for i := 0; i+1 < len(v); i += 2 {
			f(v[i], v[i+1])
		}
	case "line_strip":
		for i := 0; i+1 < len(v); i++ {
			f(v[i], v[i+1])
		}
	case "point_list":
	case "triangle_strip":
		for i := 0; i+2 < len(v); i++ {
			triangle(i, i+1, i+2)
		}
	case "triangle_fan":
		for i := 1; i+1 < len(v); i++ {
			triangle(0, i, i+1)
		}
	default:
		for i := 0; i+2 < len(v); i += 3 {
			triangle(i, i+1, i+2)
		}
	}
}

// canvas draws with smooth edges.
type canvas struct{ *image.NRGBA }

func (c canvas) fill(r image.Rectangle, col color.NRGBA) {
	r = r.Intersect(c.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c.SetNRGBA(x, y, col)
		}
	}
}

// shape blends col where distance, of a pixel's centre to the shape, says so:
// negative inside.
func (c canvas) shape(x0, y0, x1, y1 float64, col color.NRGBA, distance func(x, y float64) float64) {
	r := image.Rect(int(math.Floor(x0))-1, int(math.Floor(y0))-1, int(math.Ceil(x1))+2, int(math.Ceil(y1))+2).Intersect(c.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			a := min(max(0.5-distance(float64(x)+0.5, float64(y)+0.5), 0), 1) * float64(col.A) / 255
			if a == 0 {
				continue
			}
			old := c.NRGBAAt(x, y)
			blend := func(o, n uint8) uint8 { return uint8(math.Round(float64(o) + float64(a*(float64(n)-float64(o))))) }
			c.SetNRGBA(x, y, color.NRGBA{blend(old.R, col.R), blend(old.G, col.G), blend(old.B, col.B), 255})
		}
	}
}

func (c canvas) disc(x, y, r float64, col color.NRGBA) {
	c.shape(x-r, y-r, x+r, y+r, col, func(px, py float64) float64 { return math.Hypot(px-x-0.5, py-y-0.5) - r })
}

// line draws a segment; pixel coordinates name the upper left of pixels.
func (c canvas) line(x0, y0, x1, y1, width float64, col color.NRGBA) {
	dx, dy := x1-x0, y1-y0
	l2 := float64(dx*dx) + float64(dy*dy)
	c.shape(min(x0, x1)-width, min(y0, y1)-width, max(x0, x1)+width, max(y0, y1)+width, col, func(px, py float64) float64 {
		px, py = px-0.5-x0, py-0.5-y0
		t := 0.0
		if l2 > 0 {
			t = min(max((float64(px*dx)+float64(py*dy))/l2, 0), 1)
		}
		return math.Hypot(px-float64(t*dx), py-float64(t*dy)) - float64(width/2)
	})
}
