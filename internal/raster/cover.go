package raster

import "math/bits"

// maxPlanes bounds the half-planes of a Setup: four, the sides of the viewport,
// and the clip planes.
const maxPlanes = 4 + 4 + MaxCuts

// plane is a half-plane of one call; its value is that of HalfPlane.
type plane struct {
	a, b, c int64
	// Bounds of the values at the samples of a pixel, and of a block, relative to
	// that of the origin of the upper left pixel.
	lo, hi, blockLo, blockHi int64
}

// at is the value at the origin of a pixel.
func (p *plane) at(x, y int32) int64 { return p.c + (p.a*int64(x)+p.b*int64(y))<<SubpixelBits }

// of is what the place of a sample in its pixel adds to that.
func (p *plane) of(ss *SampleSet, k int) int64 {
	x, y := ss.at(k)
	return p.a*int64(x) + p.b*int64(y)
}

// reach bounds the values at the samples of w x h pixels, relative to that of
// the upper left pixel.
func (p *plane) reach(w, h int64) (lo, hi int64) {
	dx, dy := p.a*(w-1)<<SubpixelBits, p.b*(h-1)<<SubpixelBits
	return p.lo + min(dx, 0) + min(dy, 0), p.hi + max(dx, 0) + max(dy, 0)
}

// set fills p for the half-plane h and the positions ss.
func (p *plane) set(h HalfPlane, ss *SampleSet) {
	a, b := int64(h.A), int64(h.B)
	p.a, p.b, p.c = a, b, h.C
	x0, x1 := a*int64(ss.X0), a*int64(ss.X1)
	y0, y1 := b*int64(ss.Y0), b*int64(ss.Y1)
	p.lo, p.hi = min(x0, x1)+min(y0, y1), max(x0, x1)+max(y0, y1)
	p.blockLo, p.blockHi = p.reach(BlockPixels, BlockPixels)
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

// coverer walks the blocks of one call.
type coverer struct {
	r      Rect // what is asked for of the primitive, pixels
	ss     *SampleSet
	square Square           // decide by squares
	planes [maxPlanes]plane // that cut r
	starts [maxPlanes]int64 // their values at the origin of the row's first block
	values [maxPlanes]int64 // and at that of the block
	n      int
	kernel bool         // for all planes, some of which it takes in edges
	edges  [4]HalfPlane // relative to the block
	x, y   int32        // the block
	x0     int32        // the row's first one
	whole  bool
	mask   [MaxSamples]uint64 // its samples, as in Coverage
	// What lies in r: columns of quads from first to before end.
	first, end uint
}

// begin prepares for the primitive; false: nothing is covered.
func (c *coverer) begin(s *Setup, extra []HalfPlane, r Rect, ss *SampleSet) bool {
	c.r, c.ss, c.square, c.n = r.Intersect(s.Bounds), ss, s.Square, 0 // RAS-367
	if c.r.Empty() {                                                  // RAS-367
		return false
	}
	c.x0, c.y = c.r.X0&^(BlockPixels-1), c.r.Y0&^(BlockPixels-1)
	c.x = c.x0 - BlockPixels
	if s.exact {
		return true
	}
	c.kernel = haveInside() && s.Square == squareNone && ss.Grid == nil
	at := ss
	if s.Square != squareNone {
		square := corners(int32(s.Grow))
		at = &square
	}
	w, h := int64(c.r.X1-c.r.X0), int64(c.r.Y1-c.r.Y0)
	for i := range s.halfPlanes() {
		p := &c.planes[c.n]
		p.set(s.halfPlane(i, extra), at)
		lo, hi := p.reach(w, h)
		v := p.at(c.r.X0, c.r.Y0)
		if v+hi < 0 {
			return false
		}
		if v+lo < 0 { // it cuts the rectangle
			c.n++
			c.kernel = c.kernel && max(p.a, -p.a)+max(p.b, -p.b) < kernelEdge
		}
	}
	c.row()
	return true
}

// kernelEdge is what |a| + |b| of an edge stays below for insideEdges to take it in blocks that it
// cuts: there its values are less than 2^11 of that from 0, and 2^3 of that when they are divided.
const kernelEdge = 1 << 27

// row goes to before the first block of a row of blocks.
func (c *coverer) row() {
	c.x = c.x0 - BlockPixels
	for i := range c.planes[:c.n] {
		p := &c.planes[i]
		c.starts[i] = p.at(c.x0, c.y)
	}
}

// next goes on to the next block of the rectangle that is covered, row by row.
func (c *coverer) next() bool {
	for c.y < c.r.Y1 {
		for c.x += BlockPixels; c.x < c.r.X1; c.x += BlockPixels {
			if c.block() {
				return true
			}
		}
		c.y += BlockPixels
		c.row()
	}
	return false
}

// block finds the samples of the block at (x, y) and says whether there are any. Where all of
// the row's other blocks are beyond a half-plane, it goes to its end.
func (c *coverer) block() bool {
	cut, right := uint32(0), int64(c.x-c.x0)<<SubpixelBits
	for i := range c.planes[:c.n] {
		p := &c.planes[i]
		v := c.starts[i] + p.a*right
		if v+p.blockHi < 0 {
			if p.a <= 0 {
				c.x = c.r.X1
			}
			return false
		}
		if v+p.blockLo < 0 {
			cut |= 1 << i
		}
		c.values[i] = v
	}
	in := PixelsIn(c.r, c.x, c.y)
	mask := c.mask[:c.ss.N]
	for k := range mask {
		mask[k] = in
	}
	if c.whole = cut == 0 && in == ^uint64(0); cut == 0 {
		return true
	}
	any := uint64(0)
	if c.kernel && bits.OnesCount32(cut) <= len(c.edges) {
		n := 0
		for ; cut != 0; cut &= cut - 1 {
			i := bits.TrailingZeros32(cut)
			e, p := &c.edges[n&3], &c.planes[i]
			e.A, e.B, e.C = int32(p.a), int32(p.b), c.values[i]
			n++
		}
		for k := range mask {
			x, y := c.ss.at(k)
			mask[k] &= insideEdges(&c.edges, n, x, y)
			any |= mask[k]
		}
		return any != 0
	}
	c.columns()
	for ; cut != 0; cut &= cut - 1 {
		i := bits.TrailingZeros32(cut)
		any = 0
		for k := range mask {
			if mask[k] != 0 {
				mask[k] &= c.kept(&c.planes[i], c.values[i], k)
			}
			any |= mask[k]
		}
		if any == 0 {
			return false
		}
	}
	return true
}

func (c *coverer) columns() {
	c.first, c.end = uint(max(c.r.X0-c.x, 0))>>1, uint(min(c.r.X1-c.x+1, BlockPixels))>>1
}

// kept is the pixels whose sample k a half-plane keeps, v its value at the origin of
// the block.
func (c *coverer) kept(p *plane, v int64, k int) uint64 {
	switch {
	case c.square == squareUnder:
		return p.pixels(v+p.lo, c.first, c.end)
	case c.square != squareNone:
		return p.pixels(v+p.hi, c.first, c.end)
	case c.ss.Grid != nil:
		return p.gridPixels(v, c.ss, k)
	}
	return p.pixels(v+p.of(c.ss, k), c.first, c.end)
}
