package tess

// quads divides the unit square: a grid inside, and four strips around it.
// tessellation-quad-tessellation
func (t *Tessellator) quads(outer [4]float32, inner [2]float32) {
	s := t.config.Spacing
	one := true
	for _, level := range outer {
		n, _ := segments(s, level)
		one = one && n == 1
	}
	for _, level := range inner {
		n, _ := segments(s, level)
		one = one && n == 1
	}
	for k, level := range outer {
		t.edges[k].divide(segments(s, level))
	}
	if one {
		a, b, c, d := t.point(0, 0, 0), t.point(One, 0, 0), t.point(One, One, 0), t.point(0, One, 0)
		t.cell(a, b, c, d)
		return
	}
	across, up := &t.inner[0], &t.inner[1]
	across.divide(more(s, inner[0]))
	up.divide(more(s, inner[1]))
	m, n := len(*across)-1, len(*up)-1
	// The grid's points, row by row, then its cells.
	for _, v := range (*up)[1:n] {
		for _, u := range (*across)[1:m] {
			t.point(u, v, 0)
		}
	}
	grid := func(i, j int) uint32 { return uint32((j-1)*(m-1) + i - 1) }
	for j := 1; j < n-1; j++ {
		for i := 1; i < m-1; i++ {
			a, b, c, d := grid(i, j), grid(i+1, j), grid(i+1, j+1), grid(i, j+1)
			if (2*i+1-m)*(2*j+1-n) > 0 { // diagonals point to the centre
				a, b, c, d = b, c, d, a
			}
			t.cell(a, b, c, d)
		}
	}
	// The strips: v = 0, u = 1, v = 1, u = 0, in the direction of positive area.
	first := uint32(len(t.Points))
	t.border(1, func(at int32) { t.point(at, 0, 0) })
	t.border(2, func(at int32) { t.point(One, at, 0) })
	t.border(3, func(at int32) { t.point(One-at, One, 0) })
	t.border(0, func(at int32) { t.point(0, One-at, 0) })
	last := uint32(len(t.Points))
	next := first
	for side, k := range [4]int{1, 2, 3, 0} {
		t.outer = t.outer[:0]
		for _, at := range t.edges[k] {
			t.outer = append(t.outer, corner{next, at})
			if next++; next == last {
				next = first
			}
		}
		next = (next+last-first-1-first)%(last-first) + first // the corner is shared
		t.inset = t.inset[:0]
		switch side {
		case 0:
			for i := 1; i < m; i++ {
				t.inset = append(t.inset, corner{grid(i, 1), (*across)[i]})
			}
		case 1:
			for j := 1; j < n; j++ {
				t.inset = append(t.inset, corner{grid(m-1, j), (*up)[j]})
			}
		case 2:
			for i := m - 1; i > 0; i-- {
				t.inset = append(t.inset, corner{grid(i, n-1), One - (*across)[i]})
			}
		case 3:
			for j := n - 1; j > 0; j-- {
				t.inset = append(t.inset, corner{grid(1, j), One - (*up)[j]})
			}
		}
		t.stitch(t.outer, t.inset)
	}
}

// border adds the points of an outer edge but for its last, which the next edge
// begins with.
func (t *Tessellator) border(k int, add func(at int32)) {
	for _, at := range t.edges[k][:len(t.edges[k])-1] {
		add(at)
	}
}

// cell is a rectangle of a grid as two triangles. Which diagonal they share is left
// open: the tests of Khronos have seen this one, from (1, 0) to (0, 1), only.
func (t *Tessellator) cell(a, b, c, d uint32) {
	t.triangle(a, b, d)
	t.triangle(b, c, d)
}
