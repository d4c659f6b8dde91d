package astc

// Partitions finds the subset of each texel of a 4×4 block: texel (x, y) of the pattern with this seed, below 1024, and 2 to 4
// partitions stands at 4·y+x. UASTC blocks name their patterns by these seeds.
//
// IMG-872
func Partitions(seed uint32, count int) (of [16]uint8) {
	p := newPartitioner(seed, count, Footprint{4, 4, 1})
	for k := range of {
		of[k] = uint8(p.of(k&3, k>>2, 0))
	}
	return of
}

// ColorNumbers returns what the numbers of a range of 3^trit · 5^quint · 2^bits colour numbers stand for, 0 to 255, as IMG-869
// says: the number with trit or quint t and low bits m stands at t<<bits | m. Only the ranges of ASTC are there; others return nil.
func ColorNumbers(trit, quint, bits uint) *[256]uint8 {
	for i, q := range colorRanges {
		if q == (quant{trit, quint, bits}) {
			return &colorOf[i]
		}
	}
	return nil
}

// Weights returns the weights, 0 to 64, that numbers of 1 to 5 bits stand for; others return nil.
func Weights(bits uint) *[32]uint8 {
	for i, q := range weightRanges {
		if q == (quant{0, 0, bits}) {
			return &weightOf[i]
		}
	}
	return nil
}

// Colors returns the two colours, 8 bits a component, that the numbers of an LDR color endpoint mode stand for.
func Colors(numbers *[8]uint8, mode uint8) (low, high [4]uint8) {
	var e endpoints
	e.read(numbers, mode, ProfileUnorm)
	for i := range low {
		low[i], high[i] = uint8(e.low[i]>>8), uint8(e.high[i]>>8)
	}
	return low, high
}
