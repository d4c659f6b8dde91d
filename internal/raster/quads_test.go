package raster

// centersOf are the centres of the pixels of quads.
func centersOf(quads []Quad) (x, y []int32) {
	x, y = make([]int32, 4*len(quads)), make([]int32, 4*len(quads))
	CenterPositions(quads, x, y)
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
