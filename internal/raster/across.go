package raster

// Across returns a range of pixel columns outside of which the set-up covers nothing
// in the rows [y0, y1); from >= to where it covers nothing at all. extra is the slice
// that the Append functions returned. Sample locations are inside pixels.
func (s *Setup) Across(extra []HalfPlane, y0, y1 int32) (from, to int32) {
	if s.Square != squareNone {
		return s.Bounds.X0, s.Bounds.X1
	}
	top, bottom := int64(max(y0, s.Bounds.Y0))<<SubpixelBits, int64(min(y1, s.Bounds.Y1))<<SubpixelBits
	lo, hi := int64(s.Bounds.X0)<<SubpixelBits, int64(s.Bounds.X1)<<SubpixelBits-1
	if top >= bottom {
		return 0, 0
	}
	for i := range s.halfPlanes() {
		h := s.halfPlane(i, extra)
		a, b := int64(h.A), int64(h.B)
		most := h.C + max(b*top, b*bottom) // A·x + most >= 0, or nothing is kept
		switch {
		case a > 0 && a*lo+most < 0:
			lo = -(most / a) // rounded down where it is positive
		case a < 0 && a*hi+most < 0:
			hi = most / -a // rounded up where it is negative
		case a == 0 && most < 0:
			return 0, 0
		}
	}
	return int32(lo >> SubpixelBits), int32(hi>>SubpixelBits) + 1
}
