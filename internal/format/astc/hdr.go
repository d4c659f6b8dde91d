package astc

// oneHDR is 1.0 in the logarithmic scale of HDR endpoints.
const oneHDR = 0x780

// readHDR is IMG-875; hdr says which components are HDR.
func readHDR(v *[8]int32, mode uint8) (low, high color, hdr uint8) {
	hdr = hdrRGB | hdrAlpha
	switch mode {
	case 2: // luminance, large range
		a, b := v[0]<<4, v[1]<<4
		if v[1] < v[0] {
			a, b = v[1]<<4+8, v[0]<<4-8
		}
		return grey(a, oneHDR), grey(b, oneHDR), hdr
	case 3: // luminance, small range
		y, d := v[1]&0xf0<<4|v[0]&0x7f<<1, v[1]&0xf<<1
		if v[0]&0x80 != 0 {
			y, d = v[1]&0xe0<<4|v[0]&0x7f<<2, v[1]&0x1f<<2
		}
		return grey(y, oneHDR), grey(min(0xfff, y+d), oneHDR), hdr
	case 7:
		low, high = readScaled(v)
		return low, high, hdr
	}
	low, high = readDirect(v)
	switch mode {
	case 14: // with LDR alpha
		low[3], high[3], hdr = v[6], v[7], hdrRGB
	case 15: // with HDR alpha
		low[3], high[3] = readAlpha(v[6], v[7])
	}
	return low, high, hdr
}

// target is where an extra bit of a field goes.
type target struct {
	field uint8
	bit   uint8
}

// Fields of mode 7.
const (
	fieldR uint8 = iota
	fieldG
	fieldB
	fieldS
)

// scaledBits says where the seven extra bits of mode 7 go, by submode.
var scaledBits = [6][7]target{
	{{fieldR, 9}, {fieldR, 8}, {fieldR, 7}, {fieldR, 10}, {fieldR, 6}, {fieldS, 6}, {fieldS, 5}},
	{{fieldR, 8}, {fieldG, 5}, {fieldR, 7}, {fieldB, 5}, {fieldR, 6}, {fieldR, 10}, {fieldR, 9}},
	{{fieldR, 9}, {fieldR, 8}, {fieldR, 7}, {fieldR, 6}, {fieldS, 7}, {fieldS, 6}, {fieldS, 5}},
	{{fieldR, 8}, {fieldG, 5}, {fieldR, 7}, {fieldB, 5}, {fieldR, 6}, {fieldS, 6}, {fieldS, 5}},
	{{fieldG, 6}, {fieldG, 5}, {fieldB, 6}, {fieldB, 5}, {fieldR, 6}, {fieldR, 7}, {fieldS, 5}},
	{{fieldG, 6}, {fieldG, 5}, {fieldB, 6}, {fieldB, 5}, {fieldR, 6}, {fieldS, 6}, {fieldS, 5}},
}

// readScaled is mode 7: RGB, base and scale.
func readScaled(v *[8]int32) (low, high color) {
	mv := v[0]>>6 | v[1]>>7<<2 | v[2]>>7<<3
	major, mode := mv>>2, mv&3
	switch {
	case mv == 15:
		major, mode = 0, 5
	case mv >= 12:
		major, mode = mv&3, 4
	}
	f := [4]int32{v[0] & 63, v[1] & 31, v[2] & 31, v[3] & 31}
	extra := [7]int32{v[1] >> 6, v[1] >> 5, v[2] >> 6, v[2] >> 5, v[3] >> 7, v[3] >> 6, v[3] >> 5}
	for i, t := range scaledBits[mode] {
		f[t.field] |= extra[i] & 1 << t.bit
	}
	shift := [6]uint8{1, 1, 2, 3, 4, 5}[mode]
	for i := range f {
		f[i] <<= shift
	}
	if mode != 5 {
		f[fieldG], f[fieldB] = f[fieldR]-f[fieldG], f[fieldR]-f[fieldB]
	}
	high = color{f[fieldR], f[fieldG], f[fieldB], oneHDR}
	high.lead(major)
	s := f[fieldS]
	return color{high[0] - s, high[1] - s, high[2] - s, oneHDR}, high
}

// lead swaps the leading component with red.
func (c *color) lead(major int32) {
	c[0], c[major&3] = c[major&3], c[0]
}

// Fields of mode 11.
const (
	fieldA uint8 = iota
	fieldC
	fieldB0
	fieldB1
	fieldD0
	fieldD1
)

// directBits says where the six extra bits of mode 11 go, by submode.
var directBits = [8][6]target{
	{{fieldB0, 6}, {fieldB1, 6}, {fieldD0, 6}, {fieldD1, 6}, {fieldD0, 5}, {fieldD1, 5}},
	{{fieldB0, 6}, {fieldB1, 6}, {fieldB0, 7}, {fieldB1, 7}, {fieldD0, 5}, {fieldD1, 5}},
	{{fieldA, 9}, {fieldC, 6}, {fieldD0, 6}, {fieldD1, 6}, {fieldD0, 5}, {fieldD1, 5}},
	{{fieldB0, 6}, {fieldB1, 6}, {fieldA, 9}, {fieldC, 6}, {fieldD0, 5}, {fieldD1, 5}},
	{{fieldB0, 6}, {fieldB1, 6}, {fieldB0, 7}, {fieldB1, 7}, {fieldA, 9}, {fieldA, 10}},
	{{fieldA, 9}, {fieldA, 10}, {fieldC, 7}, {fieldC, 6}, {fieldD0, 5}, {fieldD1, 5}},
	{{fieldB0, 6}, {fieldB1, 6}, {fieldA, 11}, {fieldC, 6}, {fieldA, 9}, {fieldA, 10}},
	{{fieldA, 9}, {fieldA, 10}, {fieldA, 11}, {fieldC, 6}, {fieldD0, 5}, {fieldD1, 5}},
}

// readDirect is mode 11: RGB, direct.
func readDirect(v *[8]int32) (low, high color) {
	major := v[4]>>7 | v[5]>>7<<1
	if major == 3 {
		return color{v[0] << 4, v[2] << 4, v[4] & 0x7f << 5, oneHDR}, color{v[1] << 4, v[3] << 4, v[5] & 0x7f << 5, oneHDR}
	}
	mode := v[1]>>7 | v[2]>>7<<1 | v[3]>>7<<2
	f := [6]int32{v[0] | v[1]>>6&1<<8, v[1] & 63, v[2] & 63, v[3] & 63, v[4] & 31, v[5] & 31}
	extra := [6]int32{v[2] >> 6, v[3] >> 6, v[4] >> 6, v[5] >> 6, v[4] >> 5, v[5] >> 5}
	for i, t := range directBits[mode] {
		f[t.field] |= extra[i] & 1 << t.bit
	}
	unused := 32 - [8]uint8{7, 6, 7, 6, 5, 6, 5, 6}[mode]
	f[fieldD0] = f[fieldD0] << unused >> unused
	f[fieldD1] = f[fieldD1] << unused >> unused
	for i := range f {
		f[i] <<= uint8(mode>>1 ^ 3)
	}
	a, c := f[fieldA], f[fieldC]
	high = color{a, a - f[fieldB0], a - f[fieldB1], oneHDR}
	low = color{a - c, a - f[fieldB0] - c - f[fieldD0], a - f[fieldB1] - c - f[fieldD1], oneHDR}
	high.lead(major)
	low.lead(major)
	return low, high
}

// readAlpha is the alpha of mode 15.
func readAlpha(v6, v7 int32) (low, high int32) {
	mode := uint8(v6>>7 | v7>>7<<1)
	a, b := v6&0x7f, v7&0x7f
	if mode == 3 {
		return a << 5, b << 5
	}
	a |= b << (mode + 1) & 0x780
	sign := int32(0x20) >> mode
	b = b&(0x3f>>mode) ^ sign - sign
	a <<= 4 - mode
	b <<= 4 - mode
	return a, min(max(a+b, 0), 0xfff)
}
