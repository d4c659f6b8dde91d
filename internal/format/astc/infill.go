package astc

// infill interpolates the grid of weights for each texel (IMG-871, IMG-882).
type infill struct {
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

// at returns the weights of a texel, 0 to 64, in both planes; the second is 0 where there is one.
func (n *infill) at(x, y, z int) (first, second int32) {
	var corner, weight [4]int32
	if n.volume {
		corner, weight = n.simplex(n.x[x], n.y[y], n.z[z])
	} else {
		s, t := n.x[x], n.y[y]
		w11 := (s.f*t.f + 8) >> 4
		w10, w01 := t.f-w11, s.f-w11
		v := s.j + t.j*int32(n.strideY)
		corner = [4]int32{v, v + 1, v + int32(n.strideY), v + int32(n.strideY) + 1}
		weight = [4]int32{16 - s.f - w10, w01, w10, w11}
	}
	first = 8
	if n.planes == 1 {
		for i, c := range corner {
			first += int32(n.values[c&127]) * weight[i]
		}
		return first >> 4, 0
	}
	second = 8
	for i, c := range corner {
		first += int32(n.values[2*c&127]) * weight[i]
		second += int32(n.values[(2*c+1)&127]) * weight[i]
	}
	return first >> 4, second >> 4
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
