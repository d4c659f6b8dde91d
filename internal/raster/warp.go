package raster

// Warped says that planes are not those of positions: of thin triangles (see Setup.Thin), and of
// Bresenham lines, whose samples have what the centre of their pixel has, or that of a run.
func (s *Setup) Warped() bool { return s.Thin || s.Kind == KindBresenham }

// Runs are where the runs of a Bresenham line start, in numbers that programs evaluate. Major axis
// is x with XMajor, or y; with c there, the centre of a pixel in subpixels, the minor coordinate is
// that of pixel (Start + Slope·c)/Scale - RunBias, without a remainder, plus Shift. There is a run
// of Lo <= c < Hi and at First, but none at Last.
type Runs struct {
	Start, Slope, Scale        int64
	Lo, Hi, First, Last, Shift int32
	XMajor                     bool
}

// RunBias keeps what is divided from being negative: lines go GuardBand to either side. Numbers
// stay below 2^62.
const RunBias = 2 * GuardBand

// noCenter is where no pixel has its centre.
const noCenter = -1 << 31

// Runs are those of a Bresenham line: what runDelta finds at a position.
// RAS-211, RAS-216, RAS-218 primsrast-lines-bresenham
func (s *Setup) Runs() Runs {
	w := s.newDiamondWalk()
	center := func(pixel int64) int32 { return int32(pixel<<SubpixelBits + Subpixels/2) }
	r := Runs{
		Start: w.a[1]*w.d[0] - w.d[1]*w.a[0], Slope: w.d[1], Scale: w.d[0] << SubpixelBits,
		Lo: int32(w.lo), Hi: int32(w.hi), First: noCenter, Last: noCenter, XMajor: w.xMajor,
		Shift: center(0) + int32(w.width-1)*(Subpixels/2),
	}
	if r.Scale < 0 {
		r.Start, r.Slope, r.Scale = -r.Start, -r.Slope, -r.Scale
	}
	if !w.ownsTies() {
		r.Start--
	}
	r.Start += r.Scale * RunBias
	if w.hasFirst {
		// The row is that of the line at the centre: from the start to there it changes no more than
		// leads to the border of the diamond's pixel, which belongs to this one then.
		r.First = center(w.first[0])
	}
	if w.drop {
		r.Last = center(w.last)
	}
	return r
}
