package raster

// maxPlanes bounds the half-planes of a Setup: four, the sides of the viewport,
// and the clip planes.
const maxPlanes = 4 + 4 + MaxCuts

// blockBits: coverage is decided for blocks of 8x8 pixels, then for quads, then
// for samples.
const (
	blockBits   = 3
	blockPixels = 1 << blockBits
)

// MaxQuads is the number of quads that touch r: the room that Cover needs.
func MaxQuads(r Rect) int {
	if r.Empty() {
		return 0
	}
	return int((r.X1+1)>>1-r.X0>>1) * int((r.Y1+1)>>1-r.Y0>>1)
}

// plane is a half-plane of one Cover call: value is that at the origin of pixel
// (0, 0); a and b are the steps to the next pixel.
type plane struct {
	value, a, b int64
	// span of the samples of one pixel: value + lo and value + hi bound them.
	lo, hi int64
	h      HalfPlane
}

// reach bounds the values at the samples of w x h pixels, relative to that of
// the upper left pixel.
func (p *plane) reach(w, h int64) (lo, hi int64) {
	dx, dy := p.a*(w-1), p.b*(h-1)
	return p.lo + min(dx, 0) + min(dy, 0), p.hi + max(dx, 0) + max(dy, 0)
}

// set fills p for the half-plane h and the positions ss.
func (p *plane) set(h HalfPlane, ss *SampleSet) {
	a, b := int64(h.A), int64(h.B)
	p.h = h
	p.value, p.a, p.b = h.C, a<<SubpixelBits, b<<SubpixelBits
	x0, x1 := a*int64(ss.X0), a*int64(ss.X1)
	y0, y1 := b*int64(ss.Y0), b*int64(ss.Y1)
	p.lo, p.hi = min(x0, x1)+min(y0, y1), max(x0, x1)+max(y0, y1)
}

// halfPlanes is the number of the half-planes that bound a primitive, and halfPlane
// the i-th of them; extra is the slice that the Append functions returned.
func (s *Setup) halfPlanes() int { return int(s.edgeCount) + int(s.extraCount) }

func (s *Setup) halfPlane(i int, extra []HalfPlane) HalfPlane {
	if i < int(s.edgeCount) {
		return s.edges[i]
	}
	return extra[int(s.extraOffset)+i-int(s.edgeCount)]
}

// Cover fills dst with the quads that have covered samples inside the pixel
// rectangle r, and returns their number. dst needs room for MaxQuads(r). extra is
// the slice that the Append functions returned; ss is that of State.Samples.
// Quads come in blocks of 8x8 pixels, row by row (Bresenham lines: along the
// line).
//
// Whether a sample is covered depends on the Setup and the sample only.
// RAS-114, RAS-237, RAS-244 primsrast-multisampling-coverage-mask
func (s *Setup) Cover(dst []Quad, extra []HalfPlane, r Rect, ss *SampleSet) int {
	r = r.Intersect(s.Bounds)
	if r.Empty() {
		return 0
	}
	if s.Kind == KindBresenham {
		return s.coverBresenham(dst, r, ss)
	}
	at := ss
	if s.Square != squareNone {
		square := corners(int32(s.Grow))
		at = &square
	}
	var planes [maxPlanes]plane
	n := 0
	w, h := int64(r.X1-r.X0), int64(r.Y1-r.Y0)
	for i := range s.halfPlanes() {
		p := &planes[n]
		p.set(s.halfPlane(i, extra), at)
		lo, hi := p.reach(w, h)
		v := p.value + p.a*int64(r.X0) + p.b*int64(r.Y0)
		if v+hi < 0 {
			return 0
		}
		if v+lo < 0 {
			n++ // it cuts the rectangle
		}
	}
	c := coverer{dst: dst, r: r, ss: ss, square: s.Square}
	c.full = (uint64(1)<<ss.N - 1) * 0x0001_0001_0001_0001
	if w <= blockPixels && h <= blockPixels {
		c.quads(r, planes[:n])
	} else {
		c.blocks(planes[:n])
	}
	if s.Square == squareSmooth {
		return s.smoothQuads(dst[:c.n])
	}
	if s.Stipple.Factor != 0 {
		return s.stippleQuads(dst[:c.n], ss)
	}
	return c.n
}

// Full says whether Cover would find every sample of the pixels of r; false is no
// proof that it would not.
func (s *Setup) Full(extra []HalfPlane, r Rect, ss *SampleSet) bool {
	if s.Kind == KindBresenham || s.Square != squareNone || s.Stipple.Factor != 0 || r.Empty() || r.Intersect(s.Bounds) != r {
		return false
	}
	for i := range s.halfPlanes() {
		var p plane
		p.set(s.halfPlane(i, extra), ss)
		lo, _ := p.reach(int64(r.X1-r.X0), int64(r.Y1-r.Y0))
		if p.value+p.a*int64(r.X0)+p.b*int64(r.Y0)+lo < 0 {
			return false
		}
	}
	return true
}

// coverer is the state of one Cover call.
type coverer struct {
	dst  []Quad
	n    int
	r    Rect // the rectangle asked for, pixels
	ss   *SampleSet
	full uint64
	// square: decide by squares.
	square Square
}

// blocks walks the aligned 8x8 blocks that touch the rectangle.
func (c *coverer) blocks(planes []plane) {
	var cutting [maxPlanes]plane
	for y := c.r.Y0 &^ (blockPixels - 1); y < c.r.Y1; y += blockPixels {
		for x := c.r.X0 &^ (blockPixels - 1); x < c.r.X1; x += blockPixels {
			n := 0
			out := false
			for i := range planes {
				p := &planes[i]
				v := p.value + p.a*int64(x) + p.b*int64(y)
				lo, hi := p.reach(blockPixels, blockPixels)
				if v+hi < 0 {
					out = true
					break
				}
				if v+lo < 0 {
					cutting[n] = *p
					n++
				}
			}
			if out {
				continue
			}
			block := Rect{x, y, x + blockPixels, y + blockPixels}
			if clipped := block.Intersect(c.r); n > 0 || clipped != block {
				c.quads(clipped, cutting[:n])
			} else {
				c.whole(x, y)
			}
		}
	}
}

// whole lists the 16 quads of the block at (x, y), all samples covered.
func (c *coverer) whole(x, y int32) {
	const quads = blockPixels * blockPixels / 4
	if c.n+quads > len(c.dst) {
		return
	}
	dst := c.dst[c.n:][:quads]
	for k := range int32(quads) {
		dst[k] = Quad{x + k%4*2, y + k/4*2, c.full}
	}
	c.n += quads
}

// quads walks the quads that touch r; planes are those that cut it.
func (c *coverer) quads(r Rect, planes []plane) {
	if c.square != squareNone {
		c.squareQuads(r, planes)
		return
	}
	for y := r.Y0 &^ 1; y < r.Y1; y += 2 {
		for x := r.X0 &^ 1; x < r.X1; x += 2 {
			mask := c.full
			for i := range planes {
				p := &planes[i]
				v := p.value + p.a*int64(x) + p.b*int64(y)
				lo, hi := p.reach(2, 2)
				if v+lo >= 0 {
					continue
				}
				if v+hi < 0 {
					mask = 0
					break
				}
				if c.ss.Grid != nil {
					mask &= p.gridSamples(v, x, y, c.ss)
					continue
				}
				mask &= p.samples(v, c.ss)
			}
			if x < r.X0 {
				mask &= 0xffff_0000_ffff_0000
			}
			if x+1 >= r.X1 {
				mask &= 0x0000_ffff_0000_ffff
			}
			if y < r.Y0 {
				mask &= 0xffff_ffff_0000_0000
			}
			if y+1 >= r.Y1 {
				mask &= 0x0000_0000_ffff_ffff
			}
			if mask != 0 && c.n < len(c.dst) {
				c.dst[c.n] = Quad{x, y, mask}
				c.n++
			}
		}
	}
}

// samples is the mask of the samples of a quad that p keeps; v is the value at
// the origin of its upper left pixel.
func (p *plane) samples(v int64, ss *SampleSet) (mask uint64) {
	a, b := int64(p.h.A), int64(p.h.B)
	for k := range ss.N {
		e := v + a*int64(ss.X[k&15]) + b*int64(ss.Y[k&15])
		m := uint64(^e) >> 63
		m |= uint64(^(e + p.a)) >> 63 << 16
		m |= uint64(^(e + p.b)) >> 63 << 32
		m |= uint64(^(e + p.a + p.b)) >> 63 << 48
		mask |= m << k
	}
	return mask
}

// gridSamples is samples where locations differ between pixels.
func (p *plane) gridSamples(v int64, x, y int32, ss *SampleSet) (mask uint64) {
	for lane := range int32(4) {
		set := ss.Of(x+lane&1, y+lane>>1)
		e := v + p.a*int64(lane&1) + p.b*int64(lane>>1)
		for k := range set.N {
			s := e + int64(p.h.A)*int64(set.X[k&15]) + int64(p.h.B)*int64(set.Y[k&15])
			mask |= uint64(^s) >> 63 << (16*int(lane) + k)
		}
	}
	return mask
}
