package raster

// AppendPoint sets up a point. See AppendPolygon.
func AppendPoint(dst []Setup, extra []HalfPlane, p *Point, st *State, prim uint32) ([]Setup, []HalfPlane) {
	var s Setup
	if s.point(p, st) {
		s.Prim, s.FrontFacing = prim, true
		dst = append(dst, s)
	}
	return dst, extra
}

// appendCorners draws the vertices that clipping left as points: corners that it made are the
// implementation's, not the application's.
// RAS-252, RAS-253 primsrast-polygonmode
func appendCorners(dst []Setup, extra []HalfPlane, p *Polygon, st *State) ([]Setup, []HalfPlane) {
	s0, s1, s2 := p.Size[0], p.Size[1], p.Size[2]
	for k := range p.N {
		if p.Made>>k&1 != 0 {
			continue
		}
		c := &p.C[k]
		pt := Point{
			Corner: *c,
			FX:     float64(c.X) / Subpixels,
			FY:     float64(c.Y) / Subpixels,
			Size:   float32(s0+float32(float32(c.L1)*(s1-s0))) + float32(float32(c.L2)*(s2-s0)),
		}
		var s Setup
		if !s.point(&pt, st) {
			continue
		}
		s.LinearU, s.LinearV = float64(p.W[1]*c.InvW), float64(p.W[2]*c.InvW)
		dst = append(dst, s)
	}
	return dst, extra
}

// Vertex is the number, 0 to 2, of the vertex whose values a point has: 0, or that of a polygon's corner which the point is.
// RAS-190, RAS-253 primsrast-points-basic, primsrast-polygonmode
func (s *Setup) Vertex() int {
	switch { // weights are 0 and 1, as they are for the corners that clipping did not make
	case s.U.C == 1:
		return 1
	case s.V.C == 1:
		return 2
	}
	return 0
}

// point makes an empty s the square around p; a sample is covered iff X-k <= sx < X+k with
// k the size in units of half a pixel, likewise y. It reports whether any sample
// can be covered.
// RAS-187, RAS-189 primsrast-points-basic
func (s *Setup) point(p *Point, st *State) bool {
	k := quantizeSize(p.Size, maxPointSize)
	s.Kind, s.Affine, s.RefX, s.RefY = KindPoint, true, p.X, p.Y
	s.U.C, s.V.C, s.W.C, s.Z.C = p.L1, p.L2, p.InvW, p.Z
	s.Point = [3]float64{p.FX, p.FY, float64(k) / sizeUnits}
	s.box(Rect{p.X - k, p.Y - k, p.X + k, p.Y + k}, st) // RAS-274
	return !s.Bounds.Empty()
}
