package basis

import "github.com/pumice-gpu/pumice/internal/format/astc"

// contracts says whether the numbers of a color endpoint mode stand for colours with contracted blue.
func contracts(cem uint8, values *[8]uint8) bool {
	switch cem {
	case cemRGB, cemRGBA:
		low, high := sums(values)
		return high < low
	case cemRGBOffset, cemRGBAOffset:
		return offsets(values) < 0
	}
	return false
}

// hasContraction says whether a color endpoint mode knows contracted blue.
func hasContraction(cem uint8) bool {
	return cem == cemRGB || cem == cemRGBA || cem == cemRGBOffset || cem == cemRGBAOffset
}

// sums adds the red, green and blue values of both colours.
func sums(v *[8]uint8) (low, high int) {
	return int(v[0]) + int(v[2]) + int(v[4]), int(v[1]) + int(v[3]) + int(v[5])
}

// offset is what ASTC reads of an offset's value: 6 signed bits, and the base's upper bit.
func offset(v uint8) (d int, top uint8) {
	return int(int8(v>>1<<2)) >> 2, v & 0x80
}

// offsets adds the offsets of red, green and blue.
func offsets(v *[8]uint8) int {
	r, _ := offset(v[1])
	g, _ := offset(v[3])
	b, _ := offset(v[5])
	return r + g + b
}

// values returns what numbers of a range stand for.
func values(dst *[8]uint8, numbers []uint8, r uint8) {
	scale := astc.ColorScale(r)
	for i, n := range numbers {
		dst[i] = scale.Values[n]
	}
}

// colorsOf returns the colours that numbers of a range stand for.
func colorsOf(cem uint8, numbers []uint8, r uint8) (low, high [4]uint8) {
	var v [8]uint8
	values(&v, numbers, r)
	return astc.Colors(&v, cem)
}

// requantize puts numbers of a mode into another range. Contracted blue stays contracted, and upper bits of offsets stay as they are,
// where that can be.
func requantize(dst []uint8, to uint8, src []uint8, from, cem uint8) {
	if from == to {
		copy(dst, src)
		return
	}
	var v [8]uint8
	values(&v, src, from)
	if to == 20 {
		copy(dst, v[:len(src)])
		return
	}
	quantize(dst, to, v[:len(src)], cem, contracts(cem, &v))
}

// quantize is requantize for values; contracted says what colours they stand for.
func quantize(dst []uint8, to uint8, v []uint8, cem uint8, contracted bool) {
	scale := astc.ColorScale(to)
	withOffset := cem == cemRGBOffset || cem == cemRGBAOffset
	for i, value := range v {
		if withOffset && i&1 == 1 {
			dst[i] = nearestKeeping(scale, value, 0xC0)
		} else {
			dst[i] = scale.Nearest[value]
		}
	}
	switch {
	case withOffset:
		pushOffsets(dst, scale, to, contracted)
	case cem == cemRGB || cem == cemRGBA:
		var got [8]uint8
		values(&got, dst[:len(v)], to)
		if contracts(cem, &got) == contracted {
			return
		}
		if low, high := sums(&got); low != high {
			swapPairs(dst[:len(v)])
		} else {
			unequal(dst, scale, high)
		}
	}
}

// swapPairs exchanges the two colours of direct modes.
func swapPairs(n []uint8) {
	for i := 0; i+1 < len(n); i += 2 {
		n[i], n[i+1] = n[i+1], n[i]
	}
}

// unequal makes the sum of the second colour smaller than that of the first one, which is as large, by one step.
func unequal(n []uint8, scale *astc.Scale, sum int) {
	at, step := 1, -1
	if sum == 0 {
		at, step = 0, 1
	}
	for i := at; i < 6; i += 2 {
		rank := min(max(int(scale.Rank[n[i]])+step, 0), scale.Levels()-1)
		if next := scale.Ranked[rank]; next != n[i] {
			n[i] = next
			return
		}
	}
}

// pushOffsets moves the offsets of red, green and blue until their sum has the sign that it should have, five times at most.
func pushOffsets(n []uint8, scale *astc.Scale, r uint8, contracted bool) {
	var v [8]uint8
	values(&v, n[:6], r)
	now := offsets(&v) < 0
	up := now
	for try := 0; try < 5 && now != contracted; try++ {
		for j := range 3 {
			i := 1 + 2*((2+try+j)%3)
			if next := pushed(scale, n[i], up); next != n[i] {
				n[i] = next
				break
			}
		}
		values(&v, n[:6], r)
		now = offsets(&v) < 0
	}
}

// pushed returns the number of the next larger or smaller offset with the same upper bit for its base, or the same number where there
// is none.
func pushed(scale *astc.Scale, number uint8, up bool) uint8 {
	from, top := offset(scale.Values[number])
	best, next := 1<<8, number
	for n, v := range scale.Values {
		d, bit := offset(v)
		if d -= from; !up {
			d = -d
		}
		if bit == top && d > 0 && d < best {
			best, next = d, uint8(n)
		}
	}
	return next
}

// contracted is the inverse of ASTC's contraction of blue, clamped. Blue is what it will be read as.
func contracted(c [4]uint8, blue uint8) [4]uint8 {
	for i := range 2 {
		c[i] = uint8(min(max(2*int(c[i])-int(blue), 0), 255))
	}
	return c
}

// predict converts the numbers of a block's first subset to those of another mode and range. contract says whether the colours shall be
// stored with contracted blue, where the modes differ.
func predict(dst []uint8, cem, to uint8, src []uint8, fromCem, from uint8, contract bool) {
	scale := astc.ColorScale(to)
	if withoutAlpha(fromCem) == withoutAlpha(cem) {
		n := min(len(dst), len(src))
		requantize(dst[:n], to, src[:n], from, numbersMode(fromCem, cem))
		if n < len(dst) { // alpha is 255 twice
			dst[n], dst[n+1] = scale.Nearest[255], scale.Nearest[255]
			if cem == cemRGBAOffset {
				dst[n+1] = scale.Nearest[128]
			}
		}
		return
	}
	low, high := colorsOf(fromCem, src, from)
	var v [8]uint8
	switch cem {
	case cemLuminance, cemLuminanceAlpha:
		v[0], v[1] = grey(low), grey(high)
		if cem == cemLuminanceAlpha {
			v[2], v[3] = low[3], high[3]
		}
		if withoutAlpha(fromCem) != cemLuminance && v[0] > v[1] {
			swapPairs(v[:4])
		}
	case cemBaseScale, cemBaseScaleAlpha:
		if sum(low) > sum(high) && withoutAlpha(fromCem) != cemBaseScale {
			low, high = high, low
		}
		copy(v[:3], high[:3])
		v[3] = scaleOf(low, high)
		v[4], v[5] = low[3], high[3]
		if v[4] > v[5] && withoutAlpha(fromCem) != cemBaseScale {
			v[4], v[5] = v[5], v[4]
		}
	case cemRGB, cemRGBA:
		if contract {
			blue := func(c [4]uint8) uint8 { return scale.Values[scale.Nearest[c[2]]] }
			low, high = contracted(high, blue(high)), contracted(low, blue(low))
		}
		for i := range low {
			v[2*i], v[2*i+1] = low[i], high[i]
		}
		if a, b := sums(&v); b < a != contract {
			if a != b {
				swapPairs(v[:len(dst)])
			} else {
				unequal(v[:], astc.ColorScale(20), b)
			}
		}
	default:
		packOffset(&v, cem, low, high, contract)
	}
	if to == 20 {
		copy(dst, v[:])
		return
	}
	quantize(dst, to, v[:len(dst)], cem, contracts(cem, &v))
}

// withoutAlpha returns the mode with the same colours and no alpha.
func withoutAlpha(cem uint8) uint8 {
	switch cem {
	case cemLuminanceAlpha:
		return cemLuminance
	case cemBaseScaleAlpha:
		return cemBaseScale
	case cemRGBA:
		return cemRGB
	case cemRGBAOffset:
		return cemRGBOffset
	}
	return cem
}

// numbersMode is the mode that numbers are read in which two modes have in common.
func numbersMode(a, b uint8) uint8 {
	if a == b {
		return a
	}
	return withoutAlpha(a)
}

func sum(c [4]uint8) int    { return int(c[0]) + int(c[1]) + int(c[2]) }
func grey(c [4]uint8) uint8 { return uint8((sum(c) + 1) / 3) }

// scaleOf returns the scale, of 256, that makes the lower colour of the higher one, as near as it can be.
func scaleOf(low, high [4]uint8) uint8 {
	both, square := 0, 0
	for i := range 3 {
		both += int(low[i]) * int(high[i])
		square += int(high[i]) * int(high[i])
	}
	const most = 1024 * 255 / 256
	s := most
	if square > 0 {
		s = min(both*1024/square, most)
	}
	return uint8(min((s+2)>>2, 255))
}

// packOffset stores two colours as base and offset. Offsets have 6 bits: larger ones are cut. Colours are exchanged, and a sum of 0 made
// smaller, so that blue is contracted or not, as it is asked for.
func packOffset(v *[8]uint8, cem uint8, low, high [4]uint8, contract bool) {
	if contract {
		low, high = contracted(high, high[2]), contracted(low, low[2])
	}
	least := -32
	var d [4]int
	for pass := range 4 {
		for i := range d {
			d[i] = min(max(int(high[i])-int(low[i]), least), 31)
		}
		total := d[0] + d[1] + d[2]
		if total < 0 == contract {
			break
		}
		if total == 0 {
			for _, i := range [3]int{2, 0, 1} {
				if d[i] > -32 {
					d[i]--
					break
				}
			}
			break
		}
		if pass == 3 {
			break
		}
		if pass == 1 {
			least = -31
		}
		low, high = high, low
	}
	n := 3
	if cem == cemRGBAOffset {
		n = 4
	}
	for i := range n {
		v[2*i] = low[i] << 1
		v[2*i+1] = uint8(d[i]&0x3F)<<1 | low[i]&0x80
	}
}
