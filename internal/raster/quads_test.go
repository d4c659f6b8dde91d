package raster

import "math/bits"

// Quad is 2×2 pixels with the samples that are covered, up to 16 of each: how tests look at blocks.
type Quad struct {
	X, Y int32  // the upper left pixel; both even
	Mask uint64 // bit 16*lane + sample; lane is y*2+x
}

// Cover fills dst with the quads of what Find finds, and returns their number.
func (s *Setup) Cover(dst []Quad, extra []HalfPlane, r Rect, ss *SampleSet) int {
	return copy(dst, quadsOf(s.found(extra, r, ss)))
}

// found is what Find finds, in no room that was there before.
func (s *Setup) found(extra []HalfPlane, r Rect, ss *SampleSet) *Coverage {
	b := new(Coverage)
	b.Grow(BlockPixels, WordsOf(ss.N, false))
	s.Find(b, extra, r, ss)
	return b
}

// quadsOf are the quads of blocks that have samples.
func quadsOf(b *Coverage) (list []Quad) {
	for k, o := range b.Blocks {
		for at := range int32(16) {
			q := Quad{X: o.X + at&3<<1, Y: o.Y + at>>2<<1}
			for lane := range int32(4) {
				for sample, m := range b.Mask(k) {
					q.Mask |= m >> (4*at + lane) & 1 << (16*lane + int32(sample))
				}
			}
			if q.Mask != 0 {
				list = append(list, q)
			}
		}
	}
	return list
}

// Depth fills the depth of every sample of the quads: z[(4*k+lane)*ss.N + sample] belongs to quads[k].
func (s *Setup) Depth(quads []Quad, ss *SampleSet, z []float32) {
	x, y := make([]int32, 4*len(quads)), make([]int32, 4*len(quads))
	at := make([]float32, len(x))
	for sample := range ss.N {
		SamplePositions(quads, ss, sample, x, y)
		s.DepthAt(x, y, at)
		for l, v := range at {
			z[l*ss.N+sample] = v
		}
	}
}

// centersOf are the centres of the pixels of quads.
func centersOf(quads []Quad) (x, y []int32) {
	x, y = make([]int32, 4*len(quads)), make([]int32, 4*len(quads))
	centerPositions(quads, x, y)
	return x, y
}

// Inputs at the centres of all pixels of quads, for tests.

func (s *Setup) IJ(quads []Quad, i, j []float32) {
	x, y := centersOf(quads)
	s.IJAt(x, y, i, j)
}

func (s *Setup) IJLinear(quads []Quad, i, j []float32) {
	x, y := centersOf(quads)
	s.IJLinearAt(x, y, i, j)
}

func (s *Setup) FragCoord(quads []Quad, fx, fy, fz, fw []float32) {
	x, y := centersOf(quads)
	s.FragCoordAt(x, y, fx, fy, fz, fw)
}

func (s *Setup) PointCoord(quads []Quad, u, v []float32) {
	x, y := centersOf(quads)
	s.PointCoordAt(x, y, u, v)
}

// SamplePositions fills the positions of one sample of all pixels of the quads.
func SamplePositions(quads []Quad, ss *SampleSet, sample int, x, y []int32) {
	for k := range quads {
		q := &quads[k]
		for lane := range int32(4) {
			l := 4*k + int(lane)
			set := ss.Of(q.X+lane&1, q.Y+lane>>1)
			x[l] = (q.X+lane&1)<<SubpixelBits + set.X[sample]
			y[l] = (q.Y+lane>>1)<<SubpixelBits + set.Y[sample]
		}
	}
}

// center is the centre of the quad's first pixel, subpixels.
func center(q *Quad) (x, y int32) {
	return q.X<<SubpixelBits + Subpixels/2, q.Y<<SubpixelBits + Subpixels/2
}

// centerPositions fills the centres of all pixels of the quads, subpixels.
// RAS-293
func centerPositions(quads []Quad, x, y []int32) {
	for k := range quads {
		px, py := center(&quads[k])
		for lane := range int32(4) {
			x[4*k+int(lane)], y[4*k+int(lane)] = px+lane&1*Subpixels, py+lane>>1*Subpixels
		}
	}
}

// centroidPositions fills the positions of centroid inputs of quads, as Centers says.
func (s *Setup) centroidPositions(quads []Quad, extra []HalfPlane, ss *SampleSet, x, y []int32) {
	centerPositions(quads, x, y)
	for k, q := range quads {
		var words [16]uint64
		const in = BlockPixels - 1
		first := q.Y&in>>1*16 + q.X&in>>1*4
		for lane := range int32(4) {
			for sample := range ss.N {
				words[sample] |= q.Mask >> (16*int(lane) + sample) & 1 << (first + lane)
			}
		}
		centers := Centers(s, extra, ss, q.X&^in, q.Y&^in, words[:ss.N])
		for lane := range int32(4) {
			if centers>>(first+lane)&1 == 0 {
				sample := bits.TrailingZeros64(q.Mask >> (16 * lane))
				set, at := ss.Of(q.X+lane&1, q.Y+lane>>1), 4*k+int(lane)
				x[at] += set.X[sample] - Subpixels/2
				y[at] += set.Y[sample] - Subpixels/2
			}
		}
	}
}
