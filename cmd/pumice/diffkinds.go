package main

import (
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"os"
	"strings"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/internal/pixels"
	"github.com/pumice-gpu/pumice/vk"
)

// kindOf names the kind of picture of a file, "" where it is none or cannot be read.
func kindOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if !seekable(f) {
		return ""
	}
	head := make([]byte, pictureHead)
	n, _ := f.Read(head)
	return imagefile.KindOf(head[:n])
}

// readColors reads a picture that has 8 or 16 bits a channel. The budget is charged for it as long as held is in use.
func readColors(w *work, path string, held *[]*imagefile.File) (*pixels.Picture, error) {
	switch kindOf(path) {
	case "KTX 2", "DDS":
	default:
		return pixels.Read(w.ctx, path, w.budget)
	}
	f, err := imagefile.Open(w.ctx, path, imagefile.Options{Budget: w.budget})
	if err != nil {
		return nil, err
	}
	if f.Height == 0 || f.Depth > 0 || f.Layers > 1 {
		return nil, fmt.Errorf("%s: an image of %d × %d × %d texels and %d layers is no picture", path, f.Width, f.Height, f.Depth, f.Layers)
	}
	*held = append(*held, f)
	texels, bounds := f.Level(0, 0), image.Rect(0, 0, f.Width, f.Height)
	switch f.Format {
	case vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb:
		return pixels.Of(&image.NRGBA{Pix: texels, Stride: 4 * f.Width, Rect: bounds}), nil
	case vk.FormatR16G16B16A16Unorm:
		if err := w.budget.Take(int64(len(texels))); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		big := &image.NRGBA64{Pix: make([]byte, len(texels)), Stride: 8 * f.Width, Rect: bounds} // the higher byte comes first
		for i := 0; i < len(texels); i += 2 {
			big.Pix[i], big.Pix[i+1] = texels[i+1], texels[i]
		}
		budget.Keep(w.budget, int64(len(texels)), big)
		return pixels.Of(big), nil
	}
	return nil, fmt.Errorf("%s: %v is not compared (R8G8B8A8 and R16G16B16A16 are)", path, f.Format)
}

// light is a picture in linear light.
type light struct {
	path, kind    string
	width, height int
	texels        []byte // of four floats
	holds         *imagefile.File
}

// at returns a pixel.
func (l *light) at(x, y int) (c [4]float32) {
	for i := range c {
		c[i] = math.Float32frombits(binary.LittleEndian.Uint32(l.texels[16*(y*l.width+x)+4*i:]))
	}
	return c
}

// readLights reads two pictures of light; nil where both are others.
func readLights(w *work, a, b string) (*light, *light, error) {
	isLight := func(path string) bool { k := kindOf(path); return k == "OpenEXR" || k == "Radiance" }
	switch {
	case !isLight(a) && !isLight(b):
		return nil, nil, nil
	case isLight(a) != isLight(b):
		return nil, nil, usagef("%s and %s: light cannot be compared with a picture of colours", a, b)
	}
	var list [2]*light
	for i, path := range []string{a, b} {
		w.doing = "reading " + path
		f, err := imagefile.Open(w.ctx, path, imagefile.Options{Budget: w.budget})
		if err != nil {
			return nil, nil, err
		}
		list[i] = &light{path, f.Kind, f.Width, f.Height, f.Level(0, 0), f}
	}
	return list[0], list[1], nil
}

// lightReport is what diff prints of light: values are red, green and blue, linear, and alpha.
type lightReport struct {
	A lightFile `json:"a"`
	B lightFile `json:"b"`
	diffCounts
	First   *lightPixel   `json:"first,omitempty"`
	Largest *lightLargest `json:"largest,omitempty"`
}

type lightFile struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

type lightPixel struct {
	X int        `json:"x"`
	Y int        `json:"y"`
	A [4]float32 `json:"a"`
	B [4]float32 `json:"b"`
}

type lightLargest struct {
	lightPixel
	Difference float64 `json:"difference"`
}

// compareLight compares light as pixels.Compare does colours.
func compareLight(w *work, a, b *light, tolerance float64) (*lightReport, error) {
	w.doing = "comparing " + a.path + " with " + b.path
	file := func(l *light) lightFile { return lightFile{l.path, l.kind, l.width, l.height} }
	r := &lightReport{A: file(a), B: file(b), diffCounts: diffCounts{Tolerance: tolerance}}
	if a.width != b.width || a.height != b.height {
		return r, nil
	}
	r.Pixels = a.width * a.height
	box := image.Rectangle{}
	for y := range a.height {
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
		for x := range a.width {
			p, q := a.at(x, y), b.at(x, y)
			largest := 0.0
			for c := range p {
				largest = max(largest, math.Abs(float64(p[c])-float64(q[c])))
			}
			if largest == 0 {
				continue
			}
			pixel := lightPixel{x, y, p, q}
			if r.Largest == nil || largest > r.Largest.Difference {
				r.Largest = &lightLargest{pixel, largest}
			}
			if largest <= tolerance/255 {
				r.Within++
				continue
			}
			if r.Differ == 0 {
				r.First = &pixel
			}
			r.Differ++
			box = box.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	if r.Equal = r.Differ == 0; !r.Equal {
		r.Box = &diffBox{box.Min.X, box.Min.Y, box.Max.X - 1, box.Max.Y - 1}
	}
	return r, nil
}

// text is the report for people.
func (r *lightReport) text() string {
	var b strings.Builder
	for i, f := range []lightFile{r.A, r.B} {
		fmt.Fprintf(&b, "%c  %s: %d × %d pixels of light (%s)\n", 'a'+i, f.Path, f.Width, f.Height, f.Kind)
	}
	pair := func(p lightPixel) string { return fmt.Sprintf("(%d, %d): a %v, b %v", p.X, p.Y, p.A, p.B) }
	b.WriteString(r.diffCounts.text("red, green, blue and alpha of all"))
	if r.First != nil {
		fmt.Fprintf(&b, "first    %s\n", pair(*r.First))
	}
	if r.Largest != nil {
		fmt.Fprintf(&b, "largest  %.4g at %s\n", r.Largest.Difference, pair(r.Largest.lightPixel))
	}
	return b.String()
}
