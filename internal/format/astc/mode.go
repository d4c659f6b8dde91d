package astc

// blockMode is what the lowest 11 bits of a block say.
type blockMode struct {
	width, height, depth int  // of the grid of weights
	weights              int  // row of weightRanges
	dual                 bool // two planes of weights
}

// read returns false where the mode is reserved (IMG-860, IMG-861, IMG-880).
func (m *blockMode) read(v stream, f Footprint) bool {
	bit := func(at uint) int { return int(v.lo >> at & 1) }
	two := func(at uint) int { return int(v.lo >> at & 3) }
	rho := two(0)<<1 | bit(4)
	precise, dual := bit(9), bit(10)
	low := two(0) != 0
	if !low {
		if two(2) == 0 {
			return false
		}
		rho = two(2)<<1 | bit(4)
	}
	ok := true
	switch {
	case f.Depth > 1 && low:
		m.width, m.height, m.depth = two(5)+2, two(7)+2, two(2)+2
	case f.Depth > 1:
		ok = m.grid3(two(5), two(7), two(9))
		if two(7) != 3 {
			precise, dual = 0, 0
		}
	case low:
		m.depth = 1
		m.grid2(two(2), two(5), two(7))
	default:
		m.depth = 1
		ok = m.grid2Wide(two(5), two(7), two(9))
		if two(7) == 2 {
			precise, dual = 0, 0
		}
	}
	m.dual = dual == 1
	m.weights = rho - 2 + 6*precise
	return ok && rho >= 2
}

// grid2 sets the grid where bits 1:0 are not 0: s is bits 3:2, b bits 6:5 and a bits 8:7 (IMG-860).
func (m *blockMode) grid2(s, b, a int) {
	switch {
	case s == 0:
		m.width, m.height = a+4, b+2
	case s == 1:
		m.width, m.height = a+8, b+2
	case s == 2:
		m.width, m.height = b+2, a+8
	case a < 2: // bit 8 is 0
		m.width, m.height = b+2, a+6
	default:
		m.width, m.height = a&1+2, b+2
	}
}

// grid2Wide sets the grid where bits 1:0 are 0: a is bits 6:5, s bits 8:7 and c bits 10:9 (IMG-860).
func (m *blockMode) grid2Wide(a, s, c int) bool {
	switch s {
	case 0:
		m.width, m.height = 12, a+2
	case 1:
		m.width, m.height = a+2, 12
	case 2:
		m.width, m.height = a+6, c+6
	default:
		m.width, m.height = 6+4*a, 10-4*a
		return a < 2
	}
	return true
}

// grid3 sets the grid of 3D blocks where bits 1:0 are 0: a is bits 6:5, s bits 8:7 and c bits 10:9 (IMG-880).
func (m *blockMode) grid3(a, s, c int) bool {
	switch s {
	case 0:
		m.width, m.height, m.depth = 6, c+2, a+2
	case 1:
		m.width, m.height, m.depth = a+2, 6, c+2
	case 2:
		m.width, m.height, m.depth = a+2, c+2, 6
	default:
		g := [4][3]int{{6, 2, 2}, {2, 6, 2}, {2, 2, 6}}[a]
		m.width, m.height, m.depth = g[0], g[1], g[2]
		return a < 3
	}
	return true
}

// isVoid says that the block has one colour (IMG-876, IMG-880).
func isVoid(v stream) bool {
	return v.lo&0x1ff == 0x1fc
}

// parseVoid reads a block of one colour; extents that are neither absent nor in order, and wrong reserved bits, are illegal
// (IMG-876, IMG-880).
func (b *block) parseVoid(v stream, f Footprint) bool {
	b.void = true
	if v.lo>>9&1 == 1 {
		b.voidHDR = hdrRGB | hdrAlpha
	}
	for i := range b.constant {
		b.constant[i] = uint32(v.hi >> (16 * i) & 0xffff)
	}
	axes, width, at := uint(2), uint(13), uint(12)
	if f.Depth > 1 {
		axes, width, at = 3, 9, 10
	} else if v.lo>>10&3 != 3 {
		return false
	}
	if v.lo>>at == 1<<(64-at)-1 {
		return true
	}
	for range axes {
		if v.bits(at, width) >= v.bits(at+width, width) {
			return false
		}
		at += 2 * width
	}
	return true
}
