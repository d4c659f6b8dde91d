package raster

import (
	"math/bits"
	"slices"
)

// Coverage is decided for blocks of 8x8 pixels, 16 quads: outside, whole, or cut by some
// of the half-planes; then for the samples of all pixels of a cut block together.
const (
	blockBits   = 3
	BlockPixels = 1 << blockBits
	BlockQuads  = BlockPixels * BlockPixels / 4
)

// Block is an aligned block of 8x8 pixels that a primitive covers some of.
type Block struct {
	X, Y  int32 // its upper left pixel
	Whole bool  // all samples are covered
}

// Rect is its pixels.
func (o *Block) Rect() Rect { return Rect{o.X, o.Y, o.X + BlockPixels, o.Y + BlockPixels} }

// Coverage is the blocks that a primitive covers, with a word for each sample of the
// pixel: bit 4*quad + lane, where quad is y/2*4 + x/2 in the block and lane is y%2*2 + x%2. No block
// comes twice in it.
type Coverage struct {
	Blocks []Block
	// All: AddAll has added all that there is.
	All bool

	samples int
	// words of each block: a mask for each sample, and perhaps what they were when they were
	// found; each is how many.
	words []uint64
	each  int
	walk  coverer
}

// WordsOf is the number of words that a block with that many samples has: where there is one, what
// was found of a pixel that has something left is clear, unless fragments have several pixels.
func WordsOf(samples int, larger bool) int {
	if samples == 1 && !larger {
		return 1
	}
	return 2 * samples
}

// Words is the masks of block k, one for each sample, and behind them what Find found, where there
// is room.
func (b *Coverage) Words(k int) []uint64 { return b.words[k*b.each:][:b.each:b.each] }

// Mask is the masks of block k.
func (b *Coverage) Mask(k int) []uint64 { return b.words[k*b.each:][:b.samples:b.samples] }

// Grow makes room for the blocks of a square of size x size pixels, so that nothing
// has to be allocated for its primitives: words are WordsOf a block.
func (b *Coverage) Grow(size, words int) {
	n := size / BlockPixels * (size / BlockPixels)
	b.each = words
	if cap(b.Blocks) < n {
		b.Blocks = make([]Block, 0, n)
	}
	if cap(b.words) < n*words {
		b.words = make([]uint64, 0, n*words)
	}
}

// Find makes b the samples that the primitive covers inside the pixel rectangle r; extra is the slice
// that the Append functions returned, and ss that of State.Samples. Blocks come row by row (Bresenham
// lines: along the line).
//
// Whether a sample is covered depends on the Setup and the sample only.
// RAS-097, RAS-114, RAS-237, RAS-244 primsrast-multisampling-coverage-mask
func (s *Setup) Find(b *Coverage, extra []HalfPlane, r Rect, ss *SampleSet) {
	if s.FindCut(b, extra, r, ss) {
		b.AddAll(r)
	}
}

// FindCut is Find but for a rectangle all samples of which are covered: of that it reports true, and leaves the
// blocks to AddAll. False is no proof that there are others.
// RAS-097, RAS-361
func (s *Setup) FindCut(b *Coverage, extra []HalfPlane, r Rect, ss *SampleSet) (all bool) {
	b.samples, b.Blocks, b.words, b.All = ss.N, b.Blocks[:0], b.words[:0], false
	if s.Kind == KindBresenham {
		s.coverBresenham(b, r.Intersect(s.Bounds))
		return false
	}
	if s.Square == squareSmooth || s.Stipple.Factor != 0 {
		s.findThinned(b, extra, r, ss)
		return false
	}
	in := r.Intersect(s.Bounds)
	if in.Empty() {
		return false
	}
	x, y := in.X0&^(BlockPixels-1), in.Y0&^(BlockPixels-1)
	few, kernel := int32(fewPixels), s.short && haveInside()
	if kernel {
		few = fewShort
	}
	if in.X1-x <= few && in.Y1-y <= few && s.Square == squareNone && ss.Grid == nil {
		for ; y < in.Y1; y += BlockPixels {
			for x := x; x < in.X1; x += BlockPixels {
				if kernel {
					s.findShort(b, in, x, y, ss)
				} else {
					s.findOne(b, extra, in, x, y, ss)
				}
			}
		}
		return false
	}
	c := &b.walk
	if !c.begin(s, extra, r, ss) {
		return false
	}
	if c.n == 0 && in == r {
		return true
	}
	for c.next() {
		b.append(Block{c.x, c.y, c.whole})
	}
	return false
}

// findThinned is Find for lines that lose some of what they cover: smooth ones what they only touch,
// stippled ones what the pattern leaves out.
func (s *Setup) findThinned(b *Coverage, extra []HalfPlane, r Rect, ss *SampleSet) {
	c := &b.walk
	if !c.begin(s, extra, r, ss) {
		return
	}
	for c.next() {
		if s.Square == squareSmooth {
			s.thinSmooth(c)
		} else {
			s.thinStippled(c)
		}
		if slices.ContainsFunc(c.mask[:ss.N], func(m uint64) bool { return m != 0 }) {
			b.append(Block{X: c.x, Y: c.y})
		}
	}
}

// AddAll adds the blocks of a rectangle all of which is covered.
func (b *Coverage) AddAll(r Rect) {
	b.All = true
	for y := r.Y0 &^ (BlockPixels - 1); y < r.Y1; y += BlockPixels {
		for x := r.X0 &^ (BlockPixels - 1); x < r.X1; x += BlockPixels {
			mask := PixelsIn(r, x, y)
			b.Blocks = append(b.Blocks, Block{x, y, mask == ^uint64(0)})
			for range b.each {
				b.words = append(b.words, mask)
			}
		}
	}
}

// fewPixels is the extent up to which a primitive is looked at block by block, without
// finding out first which of its half-planes cut it.
const fewPixels = 2 * BlockPixels

// fewShort is the same for findShort.
const fewShort = 3 * BlockPixels

// NearBlocks is how many blocks FindNear finds of a set-up at most.
const NearBlocks = fewShort / BlockPixels * (fewShort / BlockPixels)

// NearBlock is a block with its pixels of which one sample is covered; Of is the caller's.
type NearBlock struct {
	Words    [1]uint64 // as in Coverage, for one sample
	X, Y, Of int32
}

// Near says that FindNear finds what s covers of r.
func (s *Setup) Near(r Rect, ss *SampleSet) bool {
	const m = BlockPixels - 1
	return (s.exact || s.short && haveInside()) &&
		s.Square == squareNone && s.Stipple.Factor == 0 && ss.Grid == nil &&
		r.X1-r.X0&^m <= fewShort && r.Y1-r.Y0&^m <= fewShort
}

// FindNear is Find for the first sample, where Near says so. It makes the blocks list[n:], for which
// there is room, up to the number that it returns.
// RAS-097
func (s *Setup) FindNear(list []NearBlock, n int, of int32, r Rect, ss *SampleSet) int {
	sx, sy := ss.at(0)
	x0, y0 := r.X0&^(BlockPixels-1), r.Y0&^(BlockPixels-1)
	for y := y0; y < r.Y1; y += BlockPixels {
		rows := above[min(r.Y1-y, BlockPixels)&15] &^ above[max(r.Y0-y, 0)&15]
		for x := x0; x < r.X1; x += BlockPixels {
			m := rows & (leftOf[min(r.X1-x, BlockPixels)&15] &^ leftOf[max(r.X0-x, 0)&15])
			if !s.exact {
				m &= insideEdges(&s.edges, int(s.edgeCount), x<<SubpixelBits+sx, y<<SubpixelBits+sy)
			}
			o := &list[n]
			o.Words[0], o.X, o.Y, o.Of = m, x, y, of
			next := n + 1
			if m == 0 { // no branch: nothing would foretell it
				next = n
			}
			n = next
		}
	}
	return n
}

// inside is the pixels in r, in the block at (x, y), which touches it, whose sample k short edges
// keep.
// RAS-097
func (s *Setup) inside(r Rect, x, y int32, ss *SampleSet, k int) uint64 {
	sx, sy := ss.at(k)
	return PixelsIn(r, x, y) & insideEdges(&s.edges, int(s.edgeCount), x<<SubpixelBits+sx, y<<SubpixelBits+sy)
}

// findShort is findOne where edges are short, and the machine has a kernel for them.
// RAS-097
func (s *Setup) findShort(b *Coverage, r Rect, x, y int32, ss *SampleSet) {
	mask := &b.walk.mask
	if b.each == 1 {
		if m := s.inside(r, x, y, ss, 0); m != 0 {
			b.Blocks, b.words = append(b.Blocks, Block{x, y, m == ^uint64(0)}), append(b.words, m)
		}
		return
	}
	any, all := uint64(0), ^uint64(0)
	for k := range ss.N {
		m := s.inside(r, x, y, ss, k)
		any, all, mask[k&lastSample] = any|m, all&m, m
	}
	if any != 0 {
		b.append(Block{x, y, all == ^uint64(0)})
	}
}

// findOne is Find for the block at (x, y), which touches r.
// RAS-097
func (s *Setup) findOne(b *Coverage, extra []HalfPlane, r Rect, x, y int32, ss *SampleSet) {
	c := &b.walk
	c.r, c.x, c.y = r, x, y
	c.columns()
	in := PixelsIn(r, c.x, c.y)
	mask := c.mask[:ss.N]
	for k := range mask {
		mask[k] = in
	}
	any, all := in, in
	for i := range s.halfPlanes() {
		if s.exact {
			break
		}
		h := s.halfPlane(i, extra)
		p := plane{a: int64(h.A), b: int64(h.B), c: h.C}
		v := p.at(c.x, c.y)
		any, all = 0, ^uint64(0)
		for k, m := range mask {
			if m != 0 {
				m &= p.pixels(v+p.of(ss, k), c.first, c.end)
			}
			any, all, mask[k] = any|m, all&m, m
		}
		if any == 0 {
			return
		}
	}
	b.append(Block{c.x, c.y, all == ^uint64(0)})
}

// append adds a block with the samples of the walk.
func (b *Coverage) append(o Block) {
	b.Blocks = append(b.Blocks, o)
	if b.each == 1 {
		b.words = append(b.words, b.walk.mask[0])
		return
	}
	n := b.samples
	b.words = slices.Grow(b.words, 2*n)[:len(b.words)+2*n]
	to := b.words[len(b.words)-2*n:]
	for k, m := range b.walk.mask[:n] { // they are too few for a copy
		to[k], to[n+k] = m, m
	}
}

// addPixels adds all samples of the pixels of a rectangle. Their blocks are mostly the last ones.
func (b *Coverage) addPixels(r Rect) {
	for y := r.Y0 &^ (BlockPixels - 1); y < r.Y1; y += BlockPixels {
		for x := r.X0 &^ (BlockPixels - 1); x < r.X1; x += BlockPixels {
			k := len(b.Blocks) - 1
			for ; k >= 0 && (b.Blocks[k].X != x || b.Blocks[k].Y != y); k-- {
			}
			if k < 0 {
				k = len(b.Blocks)
				b.Blocks = append(b.Blocks, Block{X: x, Y: y})
				for range b.each {
					b.words = append(b.words, 0)
				}
			}
			words, in := b.Words(k), PixelsIn(r, x, y)
			for i := range words {
				words[i] |= in
			}
		}
	}
}

// Pixels is the pixels of block k with samples.
func (b *Coverage) Pixels(k int) (any uint64) {
	for _, m := range b.Mask(k) {
		any |= m
	}
	return any
}

// Count is the number of samples.
func (b *Coverage) Count() (n uint64) {
	for k := range b.Blocks {
		for _, m := range b.Mask(k) {
			n += uint64(bits.OnesCount64(m))
		}
	}
	return n
}

// Move makes block to what block from is.
func (b *Coverage) Move(to, from int) {
	if to != from {
		b.Blocks[to] = b.Blocks[from]
		copy(b.Words(to), b.Words(from))
	}
}

// Cut drops the blocks from n on.
func (b *Coverage) Cut(n int) { b.Blocks, b.words = b.Blocks[:n], b.words[:n*b.each] }

// Pixels of a block left of column i, and above row i.
var (
	leftOf = pixelsBefore(func(x, _ int64) int64 { return x })
	above  = pixelsBefore(func(_, y int64) int64 { return y })
)

func pixelsBefore(axis func(x, y int64) int64) (list [16]uint64) {
	for i := range BlockPixels + 1 {
		for k := range BlockPixels * BlockPixels {
			if axis(placeOf(int64(k))) < int64(i) {
				list[i] |= 1 << k
			}
		}
	}
	return list
}

// PixelsIn is the mask of the pixels of the block at (x, y) that lie in r, which it
// touches.
func PixelsIn(r Rect, x, y int32) uint64 {
	x0, x1 := max(r.X0-x, 0), min(r.X1-x, BlockPixels)
	y0, y1 := max(r.Y0-y, 0), min(r.Y1-y, BlockPixels)
	return (leftOf[x1&15] &^ leftOf[x0&15]) & (above[y1&15] &^ above[y0&15])
}

// pixels is the pixels of a block whose sample p keeps, in columns of quads from
// first to before end at least; v is the value at that sample of the upper left one.
//
// Steps between pixels are multiples of 256, so v may be divided by that, rounding
// down, without a sign that changes: 256q+r+256n >= 0, with 0 <= r < 256, iff q+n >= 0.
// What is left fits 32 bits unless an edge is longer than some 2^18 pixels or a plane
// was not made from one. Two such values lie in a word, one of them larger by 2^31 so
// that it isn't negative: then sums of words are the words of sums.
func (p *plane) pixels(v int64, first, end uint) uint64 {
	v >>= SubpixelBits
	a, b := p.a, p.b
	const last, limit = BlockPixels - 1, 1 << 31
	lo, hi := v+last*(min(a, 0)+min(b, 0)), v+last*(max(a, 0)+max(b, 0))
	switch {
	case lo >= 0:
		return ^uint64(0)
	case hi < 0:
		return 0
	case lo < -limit || hi >= limit:
		return p.pixelsSlow(v)
	}
	const twice = 1<<32 + 1
	const signs = limit * twice
	// Rows 0 and 4 of the block, and rows 2 and 6.
	even := uint64((v+4*b+limit)<<32 + v + limit)
	odd := even + uint64(2*b)*twice
	right, down := uint64(a)*twice, uint64(b)*twice
	both := right + down
	even, odd = even+uint64(first)*2*right, odd+uint64(first)*2*right
	var e, o uint64 // the last column is in bits 28 to 31 and 60 to 63
	for range end - first {
		e = e>>4 | even&signs>>3 | (even+right)&signs>>2 | (even+down)&signs>>1 | (even+both)&signs
		o = o>>4 | odd&signs>>3 | (odd+right)&signs>>2 | (odd+down)&signs>>1 | (odd+both)&signs
		even, odd = even+2*right, odd+2*right
	}
	return e>>(32-4*end&63) | o>>(16-4*end&63)
}

func (p *plane) pixelsSlow(v int64) (mask uint64) {
	for k := range int64(BlockPixels * BlockPixels) {
		x, y := placeOf(k)
		mask |= uint64(^(v + p.a*x + p.b*y)) >> 63 << k
	}
	return mask
}

// gridPixels is pixels for sample k where locations differ between pixels; v is the
// value at the origin of the upper left one.
func (p *plane) gridPixels(v int64, ss *SampleSet, k int) (mask uint64) {
	for i := range int64(BlockPixels * BlockPixels) {
		x, y := placeOf(i)
		set := &ss.Grid[y&(GridSize-1)*GridSize+x&(GridSize-1)]
		e := v + (p.a*x+p.b*y)<<SubpixelBits + p.of(set, k)
		mask |= uint64(^e) >> 63 << i
	}
	return mask
}

// placeOf is the pixel of a block that bit k of a mask stands for: quads, and the pixels of a quad.
// RAS-293
func placeOf(k int64) (x, y int64) { return k>>2&3<<1 | k&1, k>>4<<1 | k>>1&1 }
