package astc

// block is a block with its fields read.
type block struct {
	blockMode
	// void says that the block has one colour: constant, components as convert wants them.
	void     bool
	voidHDR  uint8
	constant [4]uint32

	partitions int
	of         [maxTexels]uint8 // partition of each texel
	ends       [4]endpoints     // by partition
	infill     infill
	plane      [4]uint8 // of weights, by component
}

// endpoints are the two colours of a partition, with 16 bits a component.
type endpoints struct {
	low, high [4]int32
	hdr       uint8 // components that are HDR
}

// maxColors is the most colour numbers that a block holds (IMG-863).
const maxColors = 18

// parse reads a block, and returns false where it is illegal.
func (b *block) parse(v stream, f Footprint, p Profile) bool {
	if isVoid(v) {
		return b.parseVoid(v, f)
	}
	if !b.blockMode.read(v, f) {
		return false
	}
	// IMG-862, IMG-863
	n := uint(b.width * b.height * b.depth)
	if b.dual {
		n *= 2
	}
	b.partitions = int(v.bits(11, 2)) + 1
	if n > maxNumbers || b.width > f.Width || b.height > f.Height || b.depth > f.Depth || b.dual && b.partitions == 4 {
		return false
	}
	weightBits := weightRanges[b.weights].size(n)
	if weightBits < 24 || weightBits > 96 {
		return false
	}
	below := 128 - weightBits
	modes, start := b.endpointModes(v, &below)
	if b.dual { // IMG-865
		below -= 2
		b.plane[v.bits(below, 2)&3] = 1
	}
	var colors numbers
	if !readColors(&colors, v, modes[:b.partitions], start, below) {
		return false
	}
	at := uint(0)
	for i, mode := range modes[:b.partitions] {
		b.ends[i].read((*[8]uint8)(colors[at:at+8]), mode, p)
		at += 2 * (uint(mode)>>2 + 1)
	}
	var raw numbers
	v.reversed().sequence(&raw, n, weightRanges[b.weights])
	values := &weightOf[b.weights]
	for i, w := range raw[:n] {
		b.infill.values[i] = values[w&31]
	}
	b.infill.prepare(&b.blockMode, f)
	if b.partitions > 1 {
		p := newPartitioner(v.bits(13, 10), b.partitions, f)
		p.fill(&b.of, f)
	}
	return true
}

// endpointModes reads the colour endpoint mode of each partition, and returns where colour numbers start. Bits that lie just below
// the weights are taken off below (IMG-864).
func (b *block) endpointModes(v stream, below *uint) (modes [4]uint8, start uint) {
	n := uint(b.partitions)
	if n == 1 {
		modes[0] = uint8(v.bits(13, 4))
		return modes, 17
	}
	base := v.bits(23, 2)
	if base == 0 {
		m := uint8(v.bits(25, 4))
		return [4]uint8{m, m, m, m}, 29
	}
	extra := 3*n - 4
	*below -= extra
	field := v.bits(*below, extra)<<4 | v.bits(25, 4)
	for i := range n {
		class := base - 1 + field>>i&1
		modes[i&3] = uint8(class<<2 | field>>(n+2*i)&3)
	}
	return modes, 29
}

// readColors reads the colour numbers, in the largest range that fits between bits start and below, and false where none does:
// the smallest range takes the ⌈13·n/5⌉ bits that IMG-863 asks for (IMG-866).
//
// IMG-869
func readColors(dst *numbers, v stream, modes []uint8, start, below uint) bool {
	n := uint(0)
	for _, m := range modes {
		n += 2 * (uint(m)>>2 + 1)
	}
	if n > maxColors || below < start {
		return false
	}
	for i := range colorRanges {
		q := colorRanges[i]
		if q.size(n) > below-start {
			continue
		}
		v.from(start).sequence(dst, n, q)
		for k := range dst[:n] {
			dst[k] = colorOf[i][dst[k]]
		}
		return true
	}
	return false
}

// color returns the components of a texel, as convert wants them, and which of them are HDR (IMG-877).
func (b *block) color(k int) (c [4]uint32, hdr uint8) {
	e, w := &b.ends[b.of[k]&3], &b.infill.texels[k]
	for i := range c {
		c[i] = mix(e.low[i], e.high[i], int32(w[b.plane[i]&1]))
	}
	if e.hdr != 0 {
		for i := range 3 {
			c[i] = logarithmic(c[i])
		}
		if e.hdr&hdrAlpha != 0 {
			c[3] = logarithmic(c[3])
		}
	}
	return c, e.hdr
}

// mix interpolates with a weight of 0 to 64.
func mix(low, high, w int32) uint32 { return uint32(low*(64-w)+high*w+32) >> 6 }

// logarithmic turns an interpolated HDR number, 5 bits of exponent and 11 of mantissa, into the bits of a half float (IMG-877).
func logarithmic(c uint32) uint32 {
	e, m := c>>11, c&0x7ff
	switch {
	case m < 512:
		m *= 3
	case m >= 1536:
		m = 5*m - 2048
	default:
		m = 4*m - 512
	}
	return min(e<<10+m>>3, 0x7bff)
}
