package astc

// infill interpolates the grid of weights for each texel (IMG-871, IMG-882).
type infill struct {
	// texels has the interpolated weights, 0 to 64, in both planes.
	texels [maxTexels][2]uint8
	// values are the weights, 0 to 64, planes interleaved. Corners beyond the grid are read too, with weight 0: at most
	// 64 + 6 + 36 + 1 of them in 3D, 2·(32 + 12) + 2 in 2D.
	values  [128]uint8
	planes  int
	strideY int
	strideZ int
	volume  bool
	x, y, z [12]step
}

// step is a position along an axis of the grid: a whole number and sixteenths.
type step struct{ j, f int32 }

// prepare interpolates the values of all texels.
//
// IMG-870
func (n *infill) prepare(m *blockMode, f Footprint) {
	n.planes = 1
	if m.dual {
		n.planes = 2
	}
	n.strideY, n.strideZ, n.volume = m.width, m.width*m.height, f.Depth > 1
	steps(n.x[:f.Width], m.width)
	steps(n.y[:f.Height], m.height)
	if n.volume {
		steps(n.z[:f.Depth], m.depth)
		n.fillVolume(f)
	} else if n.planes == 1 {
		n.fill(f)
	} else {
		n.fillBoth(f)
	}
}

// steps places the texels of an axis of the block between the points of the grid.
func steps(dst []step, grid int) {
	n := len(dst)
	scale := (1024 + n/2) / (n - 1)
	for i := range dst {
		g := (scale*i*(grid-1) + 32) >> 6
		dst[i] = step{int32(g >> 4), int32(g & 15)}
	}
}

// bilinear returns the grid point below a texel and the weights, in sixteenths, of that point, the next one along x, the next along y
// and both (IMG-871).
func bilinear(s, t step, stride int32) (v, w00, w01, w10, w11 int32) {
	w11 = (s.f*t.f + 8) >> 4
	w10, w01 = t.f-w11, s.f-w11
	return s.j + t.j*stride, 16 - s.f - w10, w01, w10, w11
}

// fill is the rule for one plane of a flat block.
func (n *infill) fill(f Footprint) {
	k, stride := 0, int32(n.strideY)
	for _, t := range n.y[:f.Height] {
		row := n.texels[k : k+f.Width]
		for x := range row {
			v, w00, w01, w10, w11 := bilinear(n.x[x], t, stride)
			p := func(at int32) int32 { return int32(n.values[at&127]) }
			row[x][0] = uint8((p(v)*w00 + p(v+1)*w01 + p(v+stride)*w10 + p(v+stride+1)*w11 + 8) >> 4)
		}
		k += f.Width
	}
}

// fillBoth is the rule for two planes of a flat block.
func (n *infill) fillBoth(f Footprint) {
	k, stride := 0, int32(n.strideY)
	for _, t := range n.y[:f.Height] {
		row := n.texels[k : k+f.Width]
		for x := range row {
			v, w00, w01, w10, w11 := bilinear(n.x[x], t, stride)
			for plane := range row[x] {
				p := func(at int32) int32 { return int32(n.values[(2*at+int32(plane))&127]) }
				row[x][plane] = uint8((p(v)*w00 + p(v+1)*w01 + p(v+stride)*w10 + p(v+stride+1)*w11 + 8) >> 4)
			}
		}
		k += f.Width
	}
}

// fillVolume is the rule for blocks with depth.
func (n *infill) fillVolume(f Footprint) {
	k := 0
	for _, r := range n.z[:f.Depth] {
		for _, t := range n.y[:f.Height] {
			for _, s := range n.x[:f.Width] {
				corner, weight := n.simplex(s, t, r)
				for plane := range n.planes {
					sum := int32(8)
					for i, c := range corner {
						sum += int32(n.values[(int(c)*n.planes+plane)&127]) * weight[i]
					}
					n.texels[k][plane] = uint8(sum >> 4)
				}
				k++
			}
		}
	}
}

// simplex walks from the corner below the texel to the one above it, along the axes in falling order of their fractions (IMG-882).
func (n *infill) simplex(s, t, r step) (corner, weight [4]int32) {
	f := [3]int32{s.f, t.f, r.f}
	stride := [3]int32{1, int32(n.strideY), int32(n.strideZ)}
	sort := func(i, j int) {
		if f[i] < f[j] {
			f[i], f[j] = f[j], f[i]
			stride[i], stride[j] = stride[j], stride[i]
		}
	}
	sort(0, 1)
	sort(1, 2)
	sort(0, 1)
	v := s.j + t.j*int32(n.strideY) + r.j*int32(n.strideZ)
	corner = [4]int32{v, v + stride[0], v + stride[0] + stride[1], v + stride[0] + stride[1] + stride[2]}
	return corner, [4]int32{16 - f[0], f[0] - f[1], f[1] - f[2], f[2]}
}
