package raster

// ScaledSamples is the standard locations of n samples stretched over fragments of
// w x h pixels, which are 1, 2 or 4 and whose fragments start at multiples of them:
// sample i of every pixel is sample i of its fragment, wherever that lies.
// Locations may be outside the pixel: those of pixel (x, y) are relative to its
// upper left corner all the same.
// RAS-131, RAS-132 primsrast-multisampling
func ScaledSamples(n int, w, h int32) *SampleSet {
	standard := Samples(n)
	if standard == nil || w == 1 && h == 1 {
		return standard
	}
	out := &SampleSet{N: n, Grid: new([GridSize * GridSize]SampleSet)}
	for at := range out.Grid {
		px, py := int32(at)%GridSize%w*Subpixels, int32(at)/GridSize%h*Subpixels
		set := SampleSet{N: n}
		for i := range n {
			set.X[i], set.Y[i] = standard.X[i]*w-px, standard.Y[i]*h-py
		}
		set.X0, set.X1 = standard.X0*w-px, standard.X1*w-px
		set.Y0, set.Y1 = standard.Y0*h-py, standard.Y1*h-py
		out.Grid[at] = set
	}
	// The first pixel of a fragment has the largest, the last one the smallest.
	out.X0, out.X1 = standard.X0*w-(w-1)*Subpixels, standard.X1*w
	out.Y0, out.Y1 = standard.Y0*h-(h-1)*Subpixels, standard.Y1*h
	out.X, out.Y = out.Grid[0].X, out.Grid[0].Y
	return out
}
