package astc

// partitioner says which partition a texel belongs to (IMG-872).
type partitioner struct {
	dx, dy, dz, base [4]uint32
	count            int
	shift            uint // coordinates are doubled in small blocks
}

// newPartitioner draws the pattern of a partition index for 2 to 4 partitions.
//
// IMG-872
func newPartitioner(index uint32, count int, f Footprint) partitioner {
	p := partitioner{count: count}
	if f.Width*f.Height*f.Depth < 31 {
		p.shift = 1
	}
	seed := index + uint32(count-1)*1024
	r := hash52(seed)
	var s [13]uint32 // from 1
	for i := uint(1); i <= 8; i++ {
		s[i] = r >> (4 * (i - 1)) & 15
	}
	s[9], s[10], s[11], s[12] = r>>18&15, r>>22&15, r>>26&15, (r>>30|r<<2)&15
	for i := 1; i <= 12; i++ {
		s[i] *= s[i]
	}
	sh1, sh2 := uint(5), uint(5)
	if seed&2 != 0 {
		sh1 = 4
	}
	if count == 3 {
		sh2 = 6
	}
	if seed&1 == 0 {
		sh1, sh2 = sh2, sh1
	}
	sh3 := sh2
	if seed&16 != 0 {
		sh3 = sh1
	}
	for i := 1; i <= 8; i += 2 {
		s[i] >>= sh1
		s[i+1] >>= sh2
	}
	for i := 9; i <= 12; i++ {
		s[i] >>= sh3
	}
	p.dx = [4]uint32{s[1], s[3], s[5], s[7]}
	p.dy = [4]uint32{s[2], s[4], s[6], s[8]}
	p.dz = [4]uint32{s[11], s[12], s[9], s[10]}
	p.base = [4]uint32{r >> 14, r >> 10, r >> 6, r >> 2}
	return p
}

// of returns the partition of a texel: the first of the largest of four numbers.
func (p *partitioner) of(x, y, z int) int {
	ux, uy, uz := uint32(x)<<p.shift, uint32(y)<<p.shift, uint32(z)<<p.shift
	best, at := uint32(0), 0
	for i := range min(p.count, 4) {
		// The larger number wins, then the earlier one.
		if n := (p.dx[i]*ux+p.dy[i]*uy+p.dz[i]*uz+p.base[i])&63<<2 | uint32(3-i); n > best {
			best, at = n, i
		}
	}
	return at
}

// fill finds the partitions of all texels of a block.
func (p *partitioner) fill(dst *[maxTexels]uint8, f Footprint) {
	k := 0
	for z := range f.Depth {
		for y := range f.Height {
			for x := range f.Width {
				dst[k] = uint8(p.of(x, y, z))
				k++
			}
		}
	}
}

// hash52 is IMG-873.
func hash52(p uint32) uint32 {
	p ^= p >> 15
	p -= p << 17
	p += p << 7
	p += p << 4
	p ^= p >> 5
	p += p << 16
	p ^= p >> 7
	p ^= p >> 3
	p ^= p << 6
	p ^= p >> 17
	return p
}
