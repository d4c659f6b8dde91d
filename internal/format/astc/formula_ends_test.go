package astc

import (
	"math"
	"math/bits"
)

// ends is IMG-874 and IMG-875: two colours, and what is HDR of them: colour and alpha.
func ends(v [8]int, cem int) (e0, e1 [4]int, rgb, alpha bool) {
	clamp := func(most int, from, to int) {
		for i := from; i < to; i++ {
			e0[i], e1[i] = min(max(e0[i], 0), most), min(max(e1[i], 0), most)
		}
	}
	grey := func(l, a int) [4]int { return [4]int{l, l, l, a} }
	bc := func(c [4]int) [4]int { return [4]int{(c[0] + c[2]) >> 1, (c[1] + c[2]) >> 1, c[2], c[3]} }
	switch cem {
	case 0:
		e0, e1 = grey(v[0], 255), grey(v[1], 255)
	case 1:
		l := v[0]>>2 | v[1]&0xc0
		e0, e1 = grey(l, 255), grey(min(255, l+v[1]&0x3f), 255)
	case 4:
		e0, e1 = grey(v[0], v[2]), grey(v[1], v[3])
	case 5:
		dl, l := offset(v[0], v[1])
		da, a := offset(v[2], v[3])
		e0, e1 = grey(l, a), grey(l+dl, a+da)
	case 6, 10:
		e0, e1 = [4]int{v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, 255}, [4]int{v[0], v[1], v[2], 255}
		if cem == 10 {
			e0[3], e1[3] = v[4], v[5]
		}
	case 8, 12:
		e0, e1 = [4]int{v[0], v[2], v[4], 255}, [4]int{v[1], v[3], v[5], 255}
		if cem == 12 {
			e0[3], e1[3] = v[6], v[7]
		}
		if v[1]+v[3]+v[5] < v[0]+v[2]+v[4] {
			e0, e1 = bc(e1), bc(e0)
		}
	case 9, 13:
		sum := 0
		for i := range 4 {
			d, l := offset(v[2*i], v[2*i+1])
			if i == 3 && cem == 9 {
				d, l = 0, 255
			} else if i < 3 {
				sum += d
			}
			e0[i], e1[i] = l, l+d
		}
		if sum < 0 {
			e0, e1 = bc(e1), bc(e0)
		}
	default:
		e0, e1, alpha = endsHDR(v, cem)
		clamp(0xfff, 0, 3)
		if alpha {
			clamp(0xfff, 3, 4)
		} else {
			clamp(255, 3, 4)
		}
		return e0, e1, true, alpha
	}
	clamp(255, 0, 4)
	return e0, e1, false, false
}

// offset is bts of IMG-874: 6 bits with a sign, and the base, which takes the offset's top bit.
func offset(base, off int) (d, l int) {
	return (off>>1&0x3f ^ 0x20) - 0x20, base>>1 | off&0x80
}

// spread puts extra bits where names say: bits of fields.
func spread(f map[string]int, names [][2]any, extra []int) {
	for i, n := range names {
		f[n[0].(string)] |= extra[i] << n[1].(int)
	}
}

func endsHDR(v [8]int, cem int) (e0, e1 [4]int, alpha bool) {
	const one = 0x780
	bit := func(x, i int) int { return x >> i & 1 }
	lead := func(c *[4]int, major int) { c[0], c[major] = c[major], c[0] }
	switch cem {
	case 2:
		y0, y1 := v[0]<<4, v[1]<<4
		if v[1] < v[0] {
			y0, y1 = v[1]<<4+8, v[0]<<4-8
		}
		return [4]int{y0, y0, y0, one}, [4]int{y1, y1, y1, one}, true
	case 3:
		y, d := v[1]&0xf0<<4|v[0]&0x7f<<1, v[1]&0xf<<1
		if v[0]&0x80 != 0 {
			y, d = v[1]&0xe0<<4|v[0]&0x7f<<2, v[1]&0x1f<<2
		}
		t := min(0xfff, y+d)
		return [4]int{y, y, y, one}, [4]int{t, t, t, one}, true
	case 7:
		mv := v[0]>>6 | v[1]>>7<<2 | v[2]>>7<<3
		major, md := mv>>2, mv&3
		if mv >= 12 {
			major, md = mv&3, 4
		}
		if mv == 15 {
			major, md = 0, 5
		}
		f := map[string]int{"r": v[0] & 63, "g": v[1] & 31, "b": v[2] & 31, "s": v[3] & 31}
		spread(f, [6][][2]any{
			{{"r", 9}, {"r", 8}, {"r", 7}, {"r", 10}, {"r", 6}, {"s", 6}, {"s", 5}}, {{"r", 8}, {"g", 5}, {"r", 7}, {"b", 5}, {"r", 6}, {"r", 10}, {"r", 9}},
			{{"r", 9}, {"r", 8}, {"r", 7}, {"r", 6}, {"s", 7}, {"s", 6}, {"s", 5}}, {{"r", 8}, {"g", 5}, {"r", 7}, {"b", 5}, {"r", 6}, {"s", 6}, {"s", 5}},
			{{"g", 6}, {"g", 5}, {"b", 6}, {"b", 5}, {"r", 6}, {"r", 7}, {"s", 5}}, {{"g", 6}, {"g", 5}, {"b", 6}, {"b", 5}, {"r", 6}, {"s", 6}, {"s", 5}},
		}[md], []int{bit(v[1], 6), bit(v[1], 5), bit(v[2], 6), bit(v[2], 5), bit(v[3], 7), bit(v[3], 6), bit(v[3], 5)})
		up := [6]int{1, 1, 2, 3, 4, 5}[md]
		r, g, b, s := f["r"]<<up, f["g"]<<up, f["b"]<<up, f["s"]<<up
		if md != 5 {
			g, b = r-g, r-b
		}
		e1 = [4]int{r, g, b, one}
		lead(&e1, major)
		return [4]int{e1[0] - s, e1[1] - s, e1[2] - s, one}, e1, true
	}
	if major := bit(v[4], 7) + 2*bit(v[5], 7); major == 3 {
		e0, e1 = [4]int{v[0] << 4, v[2] << 4, v[4] & 0x7f << 5}, [4]int{v[1] << 4, v[3] << 4, v[5] & 0x7f << 5}
	} else {
		md := bit(v[1], 7) + 2*bit(v[2], 7) + 4*bit(v[3], 7)
		f := map[string]int{"a": v[0] | bit(v[1], 6)<<8, "c": v[1] & 63, "b0": v[2] & 63, "b1": v[3] & 63, "d0": v[4] & 31, "d1": v[5] & 31}
		spread(f, [8][][2]any{
			{{"b0", 6}, {"b1", 6}, {"d0", 6}, {"d1", 6}, {"d0", 5}, {"d1", 5}}, {{"b0", 6}, {"b1", 6}, {"b0", 7}, {"b1", 7}, {"d0", 5}, {"d1", 5}},
			{{"a", 9}, {"c", 6}, {"d0", 6}, {"d1", 6}, {"d0", 5}, {"d1", 5}}, {{"b0", 6}, {"b1", 6}, {"a", 9}, {"c", 6}, {"d0", 5}, {"d1", 5}},
			{{"b0", 6}, {"b1", 6}, {"b0", 7}, {"b1", 7}, {"a", 9}, {"a", 10}}, {{"a", 9}, {"a", 10}, {"c", 7}, {"c", 6}, {"d0", 5}, {"d1", 5}},
			{{"b0", 6}, {"b1", 6}, {"a", 11}, {"c", 6}, {"a", 9}, {"a", 10}}, {{"a", 9}, {"a", 10}, {"a", 11}, {"c", 6}, {"d0", 5}, {"d1", 5}},
		}[md], []int{bit(v[2], 6), bit(v[3], 6), bit(v[4], 6), bit(v[5], 6), bit(v[4], 5), bit(v[5], 5)})
		signed := func(x int) int { n := [8]int{7, 6, 7, 6, 5, 6, 5, 6}[md]; return (x&(1<<n-1) ^ 1<<(n-1)) - 1<<(n-1) }
		up := md>>1 ^ 3
		a, c, b0, b1, d0, d1 := f["a"]<<up, f["c"]<<up, f["b0"]<<up, f["b1"]<<up, signed(f["d0"])<<up, signed(f["d1"])<<up
		e0, e1 = [4]int{a - c, a - b0 - c - d0, a - b1 - c - d1}, [4]int{a, a - b0, a - b1}
		lead(&e0, major)
		lead(&e1, major)
	}
	switch cem {
	case 14:
		e0[3], e1[3] = v[6], v[7]
		return e0, e1, false
	case 15:
		m, a, b := bit(v[6], 7)+2*bit(v[7], 7), v[6]&0x7f, v[7]&0x7f
		if m == 3 {
			e0[3], e1[3] = a<<5, b<<5
			break
		}
		a |= b << (m + 1) & 0x780
		b = (b&(0x3f>>m) ^ 0x20>>m) - 0x20>>m
		e0[3], e1[3] = a<<(4-m), a<<(4-m)+b<<(4-m)
	default:
		e0[3], e1[3] = one, one
	}
	return e0, e1, true
}

// halfOf is the number with the bits of a half float.
func halfOf(x int) float64 {
	e, m := x>>10&31, float64(x&0x3ff)
	f := math.Ldexp(m, -24)
	switch {
	case e == 31 && m == 0:
		f = math.Inf(1)
	case e == 31:
		f = math.NaN()
	case e > 0:
		f = math.Ldexp(1024+m, e-25)
	}
	if x>>15 == 1 {
		f = -f
	}
	return f
}

// fractionOf is IMG-878's of LDR numbers: truncated to half floats, which are multiples of 2^-24 and have 11 bits.
func fractionOf(c int) float64 {
	if c == 65535 {
		return 1
	}
	n := max(bits.Len(uint(c))-11, 0)
	return float64(c>>n<<n) / 65536
}

// linearOf is IMG-248.
func linearOf(c int) float64 {
	s := float64(c) / 255
	if s <= 0.04045 {
		return s / 12.92
	}
	return math.Pow((s+0.055)/1.055, 2.4)
}

// sharedOf is IMG-883.
func sharedOf(c [4]int, hdr bool) (t [4]float64) {
	var m [3]int
	exponent := 0
	if hdr {
		var x [3]int
		top := 0
		for i := range 3 {
			if c[i] > 0x7c00 {
				c[i] = 0
			} else if c[i] == 0x7c00 {
				c[i] = 0x7bff
			}
			x[i] = max(c[i]>>10, 1)
			if c[i]>>10 > c[top]>>10 {
				top = i
			}
		}
		for i := range 3 {
			n := c[i] & 0x3ff
			if c[i]>>10 != 0 {
				n |= 0x400
			}
			if c[top]>>10 == 0 {
				exponent = (c[0] | c[1] | c[2]) >> 9 & 1
				m[i] = n >> exponent & 0x1ff
			} else {
				exponent = x[top] + 1
				m[i] = n >> (x[top] - x[i] + 2) & 0x1ff
			}
		}
	} else {
		lz, all := 0, 1
		full := false
		for i := range 3 {
			if c[i] == 65535 {
				c[i], full = 65536, true
			}
			all |= c[i]
		}
		if !full {
			lz = 17 - bits.Len(uint(all))
		}
		for i := range 3 {
			m[i] = c[i] << lz >> 8 & 0x1ff
		}
		exponent = 16 - lz
	}
	for i := range 3 {
		t[i] = math.Ldexp(float64(m[i]), exponent-24) // IMG-064
	}
	t[3] = 1
	return t
}
