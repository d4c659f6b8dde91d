package studio_test

import (
	"image"
	"image/color"
	"math"
)

// mask is a set of pixels.
type mask struct {
	w, h int
	bit  []bool
}

func newMask(w, h int, at func(x, y int) bool) mask {
	m := mask{w, h, make([]bool, w*h)}
	for y := range h {
		for x := range w {
			m.bit[y*w+x] = at(x, y)
		}
	}
	return m
}

func (m mask) at(x, y int) bool {
	return x >= 0 && y >= 0 && x < m.w && y < m.h && m.bit[y*m.w+x]
}

func (m mask) count() (n int) {
	for _, b := range m.bit {
		if b {
			n++
		}
	}
	return n
}

// all reports whether the (2r+1)² pixels about (x, y) belong to m.
func (m mask) all(x, y, r int) bool {
	for dy := -r; dy <= r; dy++ {
		for dx := -r; dx <= r; dx++ {
			if !m.at(x+dx, y+dy) {
				return false
			}
		}
	}
	return true
}

// eroded keeps the pixels whose neighbours up to r away belong to m too.
func (m mask) eroded(r int) mask {
	return newMask(m.w, m.h, func(x, y int) bool { return m.all(x, y, r) })
}

// boundary lists the pixels that have a neighbour outside.
func (m mask) boundary() (out []image.Point) {
	for y := range m.h {
		for x := range m.w {
			if m.at(x, y) && !m.all(x, y, 1) {
				out = append(out, image.Pt(x, y))
			}
		}
	}
	return out
}

// covered is where anything was drawn, if only on one sample.
func covered(img *image.NRGBA) mask {
	return newMask(img.Rect.Dx(), img.Rect.Dy(), func(x, y int) bool { return img.NRGBAAt(x, y).A > 0 })
}

// bounds is the box of the pixels of m, as [x0, x1) × [y0, y1).
func (m mask) bounds() (x0, y0, x1, y1 int) {
	x0, y0 = m.w, m.h
	for i, b := range m.bit {
		if b {
			x, y := i%m.w, i/m.w
			x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x+1), max(y1, y+1)
		}
	}
	return x0, y0, x1, y1
}

// alike stretches the boxes of two masks to one size and returns the
// intersection over union, and the aspect ratio of a's box over that of b's.
func alike(a, b mask) (iou, aspect float64) {
	ax, ay, ax1, ay1 := a.bounds()
	bx, by, bx1, by1 := b.bounds()
	const n = 256
	both, either := 0, 0
	for y := range n {
		for x := range n {
			inA := a.at(ax+(2*x+1)*(ax1-ax)/(2*n), ay+(2*y+1)*(ay1-ay)/(2*n))
			inB := b.at(bx+(2*x+1)*(bx1-bx)/(2*n), by+(2*y+1)*(by1-by)/(2*n))
			if inA && inB {
				both++
			}
			if inA || inB {
				either++
			}
		}
	}
	aspect = float64(ax1-ax) / float64(ay1-ay) / (float64(bx1-bx) / float64(by1-by))
	return float64(both) / float64(max(1, either)), aspect
}

// components returns the boxes of the connected sets of m.
func (m mask) components() (out []image.Rectangle) {
	seen := newMask(m.w, m.h, func(x, y int) bool { return !m.at(x, y) })
	for start := range seen.bit {
		if set := seen.flood(start); set != nil {
			var box image.Rectangle
			for _, p := range set {
				box = box.Union(image.Rect(p.X, p.Y, p.X+1, p.Y+1))
			}
			out = append(out, box)
		}
	}
	return out
}

// flood sets the clear pixels connected by edges with start, and returns them.
func (m mask) flood(start int) []image.Point {
	if m.bit[start] {
		return nil
	}
	m.bit[start] = true
	set := []image.Point{{X: start % m.w, Y: start / m.w}}
	for i := 0; i < len(set); i++ {
		for _, d := range [4]image.Point{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}} {
			p := set[i].Add(d)
			if p.In(image.Rect(0, 0, m.w, m.h)) && !m.at(p.X, p.Y) {
				m.bit[p.Y*m.w+p.X] = true
				set = append(set, p)
			}
		}
	}
	return set
}

// painted is where a picture is not transparent.
func painted(p image.Image) mask {
	return newMask(p.Bounds().Dx(), p.Bounds().Dy(), func(x, y int) bool {
		_, _, _, a := p.At(x, y).RGBA()
		return a > 0
	})
}

func apart(a, b uint8) int {
	if a > b {
		return int(a) - int(b)
	}
	return int(b) - int(a)
}

// comparison measures a picture against a published one.
type comparison struct {
	iou float64 // pixels in both masks / pixels in either
	// meanEdge and maxEdge are the distances, in pixels, from boundary pixels
	// of either mask to the nearest one of the other.
	meanEdge, maxEdge float64
	interior          int     // pixels at least 2 px inside both
	rgb               float64 // mean |difference| of sRGB values there, of 255
	// chroma is the mean |difference| of chromaticity there: linear r, g, b
	// over their sum. Brightness of the light drops out of it.
	chroma float64
}

func compare(ours *image.NRGBA, ourMask mask, theirs image.Image, theirMask mask) (c comparison) {
	both, either := 0, 0
	for i := range ourMask.bit {
		if ourMask.bit[i] && theirMask.bit[i] {
			both++
		}
		if ourMask.bit[i] || theirMask.bit[i] {
			either++
		}
	}
	if either == 0 {
		return comparison{iou: 1}
	}
	c.iou = float64(both) / float64(either)

	a, b := ourMask.boundary(), theirMask.boundary()
	n := 0
	for _, pair := range [2][2][]image.Point{{a, b}, {b, a}} {
		for _, p := range pair[0] {
			nearest := math.Inf(1)
			for _, q := range pair[1] {
				d := p.Sub(q)
				if nearest = min(nearest, math.Hypot(float64(d.X), float64(d.Y))); nearest == 0 {
					break
				}
			}
			c.meanEdge += nearest
			c.maxEdge = max(c.maxEdge, nearest)
			n++
		}
	}
	c.meanEdge /= float64(n)
	if _, shape := theirs.(*image.Paletted); shape {
		return c // it has no colours
	}
	inA, inB := ourMask.eroded(2), theirMask.eroded(2)
	for i := range inA.bit {
		if !inA.bit[i] || !inB.bit[i] {
			continue
		}
		p := ours.NRGBAAt(i%inA.w, i/inA.w)
		q := color.NRGBAModel.Convert(theirs.At(i%inA.w, i/inA.w)).(color.NRGBA)
		c.interior++
		c.rgb += float64(apart(p.R, q.R)+apart(p.G, q.G)+apart(p.B, q.B)) / 3
		cp, cq := chromaticity(p), chromaticity(q)
		c.chroma += (math.Abs(cp[0]-cq[0]) + math.Abs(cp[1]-cq[1]) + math.Abs(cp[2]-cq[2])) / 3
	}
	if c.interior > 0 {
		c.rgb /= float64(c.interior)
		c.chroma /= float64(c.interior)
	}
	return c
}

// linear decodes an sRGB value.
func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// encoded is the inverse of linear, before rounding, of 255.
func encoded(x float64) float64 {
	if x <= 0.0031308 {
		return 255 * 12.92 * x
	}
	return 255 * (1.055*math.Pow(x, 1/2.4) - 0.055)
}

// chromaticity of black is that of white.
func chromaticity(c color.NRGBA) [3]float64 {
	r, g, b := linear(c.R)+1e-3, linear(c.G)+1e-3, linear(c.B)+1e-3
	return [3]float64{r / (r + g + b), g / (r + g + b), b / (r + g + b)}
}

// meanColor is the mean sRGB value of the pixels of a mask.
func meanColor(img image.Image, m mask) (c [3]float64) {
	for i, in := range m.bit {
		if in {
			p := color.NRGBAModel.Convert(img.At(i%m.w, i/m.w)).(color.NRGBA)
			c[0], c[1], c[2] = c[0]+float64(p.R), c[1]+float64(p.G), c[2]+float64(p.B)
		}
	}
	n := float64(max(1, m.count()))
	return [3]float64{c[0] / n, c[1] / n, c[2] / n}
}
