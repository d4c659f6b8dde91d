package astc

// color is an endpoint in the scale of its mode: 8 bits a component in LDR, 12 in HDR.
type color [4]int32

// read decodes the two endpoints of a partition from its numbers, 8 bits each, of which the mode uses two for each step of 4, and
// widens them to 16 bits (IMG-877).
func (e *endpoints) read(numbers *[8]uint8, mode uint8, p Profile) {
	var v [8]int32
	for i, n := range numbers {
		v[i] = int32(n)
	}
	var low, high color
	switch mode {
	case 2, 3, 7, 11, 14, 15:
		low, high, e.hdr = readHDR(&v, mode)
	default:
		low, high = readLDR(&v, mode)
		e.hdr = 0
	}
	for i := range 4 {
		low[i], high[i] = widen(low[i], i, e.hdr, p), widen(high[i], i, e.hdr, p)
	}
	e.low, e.high = low, high
}

// widen brings component i to 16 bits (IMG-877).
func widen(x int32, i int, hdr uint8, p Profile) int32 {
	if i < 3 && hdr&hdrRGB != 0 || i == 3 && hdr&hdrAlpha != 0 {
		return min(max(x, 0), 0xfff) << 4
	}
	x = min(max(x, 0), 255)
	if p == ProfileSrgb {
		return x<<8 | 128
	}
	return x * 257
}

// readLDR is IMG-874.
func readLDR(v *[8]int32, mode uint8) (low, high color) {
	switch mode {
	case 0: // luminance, direct
		return grey(v[0], 255), grey(v[1], 255)
	case 1: // luminance, base and offset
		l := v[0]>>2 | v[1]&0xc0
		return grey(l, 255), grey(min(255, l+v[1]&0x3f), 255)
	case 4: // luminance and alpha, direct
		return grey(v[0], v[2]), grey(v[1], v[3])
	case 5: // luminance and alpha, base and offset
		l, dl := transfer(v[0], v[1])
		a, da := transfer(v[2], v[3])
		return grey(l, a), grey(l+dl, a+da)
	case 6: // RGB, base and scale
		s := v[3]
		return color{v[0] * s >> 8, v[1] * s >> 8, v[2] * s >> 8, 255}, color{v[0], v[1], v[2], 255}
	case 10: // RGB, base and scale, and two alphas
		s := v[3]
		return color{v[0] * s >> 8, v[1] * s >> 8, v[2] * s >> 8, v[4]}, color{v[0], v[1], v[2], v[5]}
	case 8, 12: // RGB or RGBA, direct
		low, high = color{v[0], v[2], v[4], 255}, color{v[1], v[3], v[5], 255}
		if mode == 12 {
			low[3], high[3] = v[6], v[7]
		}
		if v[1]+v[3]+v[5] < v[0]+v[2]+v[4] {
			return contract(high), contract(low)
		}
		return low, high
	}
	// 9, 13: RGB or RGBA, base and offset
	var d color
	low[3] = 255
	for i := range 4 {
		if i < 3 || mode == 13 {
			low[i], d[i] = transfer(v[2*i], v[2*i+1])
		}
	}
	for i := range high {
		high[i] = low[i] + d[i]
	}
	if d[0]+d[1]+d[2] < 0 {
		return contract(high), contract(low)
	}
	return low, high
}

func grey(l, a int32) color { return color{l, l, l, a} }

// transfer moves the top bit of an offset to its base, and leaves 6 signed bits (IMG-874, bts).
func transfer(base, offset int32) (b, d int32) {
	b = base>>1 | offset&0x80
	d = offset >> 1 & 0x3f
	if d&0x20 != 0 {
		d -= 0x40
	}
	return b, d
}

// contract brings red and green nearer to blue (IMG-874, bc).
func contract(c color) color { return color{(c[0] + c[2]) >> 1, (c[1] + c[2]) >> 1, c[2], c[3]} }
