package raster

// What accounts of a primitive ask for (package render).

// Of is what depth bias adds to the depth of a polygon, the slope m of its depth a pixel, and the unit r.
//
// RAS-257, RAS-258
func (b *DepthBias) Of(p *Polygon) (offset, slope, unit float64) {
	slope = maxSlope(p)
	return b.offset(p.ZMax, slope), slope, b.unit(p.ZMax)
}

// Bresenham says that lines follow the diamond-exit rule, Parallelogram that they are not the strict ones.
func (st *State) Bresenham() bool     { return st.bresenham() }
func (st *State) Parallelogram() bool { return st.parallelogram() }

// Flat says that a polygon has no area (RAS-271).
func (s *Setup) Flat() bool { return s.Kind == KindTriangle && s.edgeCount == 2 }

// LineWidth is the width, in pixels, that a line of that width gets, PointSize the size of points (RAS-187, RAS-193).
func LineWidth(width float32) float64 { return float64(quantizeSize(width, maxLineWidth)) / sizeUnits }

// PointSize is LineWidth for points.
func PointSize(size float32) float64 { return float64(quantizeSize(size, maxPointSize)) / sizeUnits }

// Diamond tells what a Bresenham line does in the column of a pixel, or the row where y is its major axis.
type Diamond struct {
	XMajor bool
	// Drawn: it draws there, from Minor on, the row or column, Width pixels.
	Drawn        bool
	Minor, Width int64
	// Start: it does so because its start lies in the pixel's diamond; End: it does not, and its end lies in that of Minor.
	Start, End bool
}

// DiamondAt is the Diamond of a line from a to b, subpixels, of a width in pixels, at the pixel (x, y).
//
// RAS-211
func DiamondAt(a, b [2]int32, width float32, x, y int32) Diamond {
	s := Setup{P: a, Q: b, Point: [3]float64{2: wholeWidth(quantizeSize(width, maxLineWidth))}}
	w := s.newDiamondWalk()
	j := int64(x)
	if !w.xMajor {
		j = int64(y)
	}
	d := Diamond{XMajor: w.xMajor, Width: w.width}
	minor, made := w.produced(j)
	d.Minor, d.Drawn = w.at(j)
	if d.End = w.drop && w.last == j && !d.Drawn; d.End {
		d.Minor = w.lastMinor
	}
	w.hasFirst = false
	if before, ok := w.produced(j); made && (!ok || before != minor) {
		d.Start = true
	}
	return d
}
