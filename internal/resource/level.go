package resource

// Level addresses the texels of one level of one layer of one plane. It is a
// value: making one allocates nothing. Offset is the only place that knows how
// texels lie in memory; loops that step by RowPitch and TexelPitch themselves
// ask Compressed and Columns first.
type Level struct {
	// Data starts at sample 0 of texel (0,0,0) and ends with the level.
	Data []byte
	// Width, Height and Depth are in texels.
	Width, Height, Depth int
	// RowPitch, SlicePitch and TexelPitch are the bytes between rows, slices
	// and texels (blocks, in compressed formats); Bytes is the size of one
	// sample of a texel or block, so TexelPitch = Bytes · Samples.
	RowPitch, SlicePitch, TexelPitch, Bytes int
	Samples                                 int
	// BlockWidth, BlockHeight and BlockDepth are 1 in uncompressed formats.
	BlockWidth, BlockHeight, BlockDepth int
	Columns

	slice int // that z counts from, in levels of blocks
}

// Offset returns the index in Data of a texel's sample, or of the block that
// holds the texel. Coordinates must be inside the level.
func (l *Level) Offset(x, y, z, sample int) int {
	if l.BlockWidth|l.BlockHeight|l.BlockDepth != 1 {
		x, y, z = x/l.BlockWidth, y/l.BlockHeight, z/l.BlockDepth
	}
	z += l.slice
	return z*l.SlicePitch + z>>l.SlabShift*l.SlabSkip + y*l.RowPitch + x*l.TexelPitch + l.At(x) + sample*l.Bytes
}

// Side is how many of n texels (blocks, in compressed formats) from texel x on Row
// can return.
func (l *Level) Side(x, n int) int { return l.Columns.Side(x/l.BlockWidth, n) }

// Row returns the bytes of n consecutive texels (blocks, in compressed formats)
// with all their samples, from texel (x,y,z) on. They must be inside the level, and
// lie side by side.
func (l *Level) Row(x, y, z, n int) []byte {
	o := l.Offset(x, y, z, 0)
	return l.Data[o : o+n*l.TexelPitch : o+n*l.TexelPitch]
}

// Compressed says that the level is made of compressed blocks.
func (l *Level) Compressed() bool { return l.BlockWidth|l.BlockHeight|l.BlockDepth != 1 }

// Contains says whether a texel lies inside the level (IMG-200).
func (l *Level) Contains(x, y, z int) bool {
	return uint(x) < uint(l.Width) && uint(y) < uint(l.Height) && uint(z) < uint(l.Depth)
}

// Level returns the addressing of a level of a layer of a plane, all counted
// from the image's first. Indices must be in range and Data bound.
func (im *Image) Level(plane, level, layer int) Level {
	p := &im.Layout.Planes[plane]
	v := &p.Levels[level]
	start := p.Offset + int64(layer)*p.LayerPitch + v.Offset
	info := p.Info
	data := im.PlaneData(plane)
	return Level{
		Data:  data[start : start+v.Size : start+v.Size],
		Width: v.Width, Height: v.Height, Depth: v.Depth,
		RowPitch: int(v.RowPitch), SlicePitch: int(v.SlicePitch),
		TexelPitch: p.Bytes * im.Samples, Bytes: p.Bytes, Samples: im.Samples,
		BlockWidth: info.BlockWidth, BlockHeight: info.BlockHeight, BlockDepth: info.BlockDepth,
		Columns: v.Columns,
	}
}

// Slice returns the 2D level made of slice z of l; compressed formats store
// one row of blocks a slice in that case (IMG-045).
func (l *Level) Slice(z int) Level {
	return l.slices(z/l.BlockDepth, 1)
}

// slices returns the level made of n slices from first on.
func (l *Level) slices(first, n int) Level {
	s := *l
	s.Depth = n
	if l.SlabSkip != 0 {
		s.slice += first
		return s
	}
	start, end := first*l.SlicePitch, (first+n)*l.SlicePitch
	s.Data = l.Data[start:end:end]
	return s
}

// Level returns the addressing of a level and layer of the view, counted from
// the view's first. Layers of a 2D view of a 3D image are its slices. Indices
// must be in range.
//
// IMG-030, IMG-042
func (v *ImageView) Level(level, layer int) Level { return v.PlaneLevel(v.Plane, level, layer) }

// PlaneLevel is Level for a plane of the image: of depth, or of stencil.
func (v *ImageView) PlaneLevel(plane, level, layer int) Level {
	level += v.BaseLevel
	layer += v.BaseLayer
	var l Level
	// IMG-888
	if v.slices {
		l = v.Image.Level(plane, level, 0)
		l = l.Slice(layer)
	} else {
		l = v.Image.Level(plane, level, layer)
	}

	if v.sliceCount > 0 {
		l = l.slices(v.firstSlice, v.sliceCount)
	}
	if v.blockTexels {
		// A texel of the view is a block of the image.
		l.Width, l.Height, l.Depth = ceilDiv(l.Width, l.BlockWidth), ceilDiv(l.Height, l.BlockHeight), ceilDiv(l.Depth, l.BlockDepth)
		l.BlockWidth, l.BlockHeight, l.BlockDepth = 1, 1, 1
	}
	return l
}

// Extent returns the size in texels of a level of the view, counted from the
// view's first: IMG-605's answer, before layers are added.
func (v *ImageView) Extent(level int) (width, height, depth int) {
	lv := &v.Image.Layout.Planes[v.Plane].Levels[v.BaseLevel+level]
	width, height, depth = lv.Width, lv.Height, lv.Depth
	if v.blockTexels {
		width, height, depth = lv.BlocksX, lv.BlocksY, lv.BlocksZ
	}
	switch {
	case v.slices:
		depth = 1
	case v.sliceCount > 0:
		depth = v.sliceCount
	}
	return width, height, depth
}

// Slabs says that slices of some level which the view shows as layers, or from one
// but the first on, lie in blocks: their distances differ.
func (v *ImageView) Slabs() bool {
	if !v.slices && v.sliceCount == 0 {
		return false
	}
	for _, l := range v.Image.Layout.Planes[v.Plane].Levels[v.BaseLevel : v.BaseLevel+v.Levels] {
		if l.SlabSkip != 0 {
			return true
		}
	}
	return false
}

// Start returns where texel (0,0,0) of a level of the view's first layer lies
// in Image.Data, and the bytes from there to the same texel of the next layer.
// With the pitches of Level they address every texel of the level, unless Slabs.
func (v *ImageView) Start(level int) (start, layerPitch int64) {
	p := &v.Image.Layout.Planes[v.Plane]
	l := &p.Levels[v.BaseLevel+level]
	start, layerPitch = p.Offset+l.Offset, p.LayerPitch
	if v.slices {
		layerPitch = l.SlicePitch
	}
	return start + int64(v.firstSlice)*l.SlicePitch + int64(v.BaseLayer)*layerPitch, layerPitch
}

// Slice is the array layer of the image, or the slice of a 3D image, that layer or slice k of the
// view is.
func (v *ImageView) Slice(k int) int { return v.BaseLayer + v.firstSlice + k }
