package astc

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// A written is a block as IMG-860 … IMG-883 have it, read by them alone.
type written struct {
	v       [2]uint64
	w, h, d int // the footprint

	illegal, void  bool
	hdr            bool // of a block of one colour
	constant       [4]int
	gw, gh, gd     int
	dual           bool
	rho, precise   int
	parts, index   int
	cem            [4]int
	plane          int // the component of the second plane
	ranges, levels int // places in ofWeights and ofColors
	raw, weights   []int
	rawc, numbers  []int
	ends           [4]pair // by partition
}

// A pair is the two colours of a partition, and what is HDR of them.
type pair struct {
	e0, e1     [4]int
	rgb, alpha bool
}

// ofWeights is IMG-861, ofColors IMG-866: trits, quints and bits.
var (
	ofWeights = [12][3]int{{0, 0, 1}, {1, 0, 0}, {0, 0, 2}, {0, 1, 0}, {1, 0, 1}, {0, 0, 3}, {0, 1, 1}, {1, 0, 2}, {0, 0, 4}, {0, 1, 2}, {1, 0, 3}, {0, 0, 5}}
	ofColors  = [17][3]int{{0, 0, 8}, {1, 0, 6}, {0, 1, 5}, {0, 0, 7}, {1, 0, 5}, {0, 1, 4}, {0, 0, 6}, {1, 0, 4}, {0, 1, 3}, {0, 0, 5}, {1, 0, 3}, {0, 1, 2},
		{0, 0, 4}, {1, 0, 2}, {0, 1, 1}, {0, 0, 3}, {1, 0, 1}}
)

// sizeOf is IMG-862.
func sizeOf(n int, r [3]int) int { return (8*n+4)/5*r[0] + (7*n+2)/3*r[1] + n*r[2] }

func (b *written) bit(at int) int { return int(b.v[at>>6&1] >> (at & 63) & 1) }

func (b *written) field(hi, lo int) (x int) {
	for at := hi; at >= lo; at-- {
		x = x<<1 | b.bit(at)
	}
	return x
}

// grid reads the block mode, and returns false where it is reserved.
func (b *written) grid() bool {
	low, a, c := b.field(1, 0), b.field(6, 5), b.field(10, 9)
	s := b.field(8, 7)
	b.rho, b.precise, b.dual, b.gd = low<<1|b.bit(4), b.bit(9), b.bit(10) == 1, 1
	if low == 0 {
		if b.field(3, 2) == 0 {
			return false
		}
		b.rho = b.field(3, 2)<<1 | b.bit(4)
	}
	plain := func() { b.precise, b.dual = 0, false }
	switch {
	case b.d > 1 && low != 0:
		b.gw, b.gh, b.gd = a+2, s+2, b.field(3, 2)+2
	case b.d > 1: // IMG-880
		switch s {
		case 0:
			b.gw, b.gh, b.gd = 6, c+2, a+2
			plain()
		case 1:
			b.gw, b.gh, b.gd = a+2, 6, c+2
			plain()
		case 2:
			b.gw, b.gh, b.gd = a+2, c+2, 6
			plain()
		default:
			if a == 3 {
				return false
			}
			g := [3]int{2, 2, 2}
			g[a] = 6
			b.gw, b.gh, b.gd = g[0], g[1], g[2]
		}
	case low != 0:
		switch b.field(3, 2) {
		case 0:
			b.gw, b.gh = s+4, a+2
		case 1:
			b.gw, b.gh = s+8, a+2
		case 2:
			b.gw, b.gh = a+2, s+8
		default:
			if b.gw, b.gh = a+2, b.bit(7)+6; b.bit(8) == 1 {
				b.gw, b.gh = b.bit(7)+2, a+2
			}
		}
	default:
		switch s {
		case 0:
			b.gw, b.gh = 12, a+2
		case 1:
			b.gw, b.gh = a+2, 12
		case 2:
			b.gw, b.gh = a+6, c+6
			plain()
		default:
			if a > 1 {
				return false
			}
			b.gw, b.gh = [2]int{6, 10}[a], [2]int{10, 6}[a]
		}
	}
	return b.rho >= 2
}

// read reads a block of a footprint.
func read(src []byte, w, h, d int) *written {
	b := &written{v: [2]uint64{binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])}, w: w, h: h, d: d}
	if b.field(8, 0) == 0x1fc { // IMG-876, IMG-880
		b.void, b.hdr = true, b.bit(9) == 1
		for i := range b.constant {
			b.constant[i] = b.field(16*i+79, 16*i+64)
		}
		from, n, axes := 12, 13, 2
		if d > 1 {
			from, n, axes = 10, 9, 3
		} else if b.field(11, 10) != 3 {
			b.illegal = true
		}
		ones, order := true, true
		for k := range 2 * axes {
			ones = ones && b.field(from+n*k+n-1, from+n*k) == 1<<n-1
		}
		for k := range axes {
			least, most := from+2*n*k, from+2*n*k+n
			order = order && b.field(least+n-1, least) < b.field(most+n-1, most)
		}
		b.illegal = b.illegal || !ones && !order
		return b
	}
	b.illegal = true
	if !b.grid() {
		return b
	}
	n := b.gw * b.gh * b.gd
	if b.dual {
		n *= 2
	}
	b.parts = b.field(12, 11) + 1
	b.ranges = b.rho - 2 + 6*b.precise
	size := sizeOf(n, ofWeights[b.ranges])
	if n > 64 || size < 24 || size > 96 || b.gw > w || b.gh > h || b.gd > d || b.dual && b.parts == 4 {
		return b
	}
	// IMG-864, IMG-865
	start, end := 17, 128-size
	b.cem[0] = b.field(16, 13)
	if b.parts > 1 {
		start, b.index = 29, b.field(22, 13)
		if sel := b.field(24, 23); sel == 0 {
			for i := range b.parts {
				b.cem[i] = b.field(28, 25)
			}
		} else {
			extra := [5]int{2: 2, 3: 5, 4: 8}[b.parts]
			end -= extra
			f := b.field(28, 25)
			for k := range extra {
				f |= b.bit(end+k) << (4 + k)
			}
			for i := range b.parts {
				b.cem[i] = 4*(sel-1+f>>i&1) + f>>(b.parts+2*i)&3
			}
		}
	}
	b.plane = -1
	if b.dual {
		end -= 2
		b.plane = b.field(end+1, end)
	}
	colors := 0
	for _, m := range b.cem[:b.parts] {
		colors += 2 * (m/4 + 1)
	}
	if colors > 18 || end-start < (13*colors+4)/5 {
		return b
	}
	b.illegal = false
	for b.levels = 0; sizeOf(colors, ofColors[b.levels]) > end-start; b.levels++ {
	}
	b.rawc, b.numbers = integers(func(i int) int { return b.bit(start + i) }, colors, ofColors[b.levels], unquantizedColor)
	b.raw, b.weights = integers(func(i int) int { return b.bit(127 - i) }, n, ofWeights[b.ranges], unquantizedWeight)
	at := 0
	for i, m := range b.cem[:b.parts] {
		var v [8]int
		at += copy(v[:2*(m/4+1)], b.numbers[at:])
		e := &b.ends[i]
		e.e0, e.e1, e.rgb, e.alpha = ends(v, m)
	}
	return b
}

// integers is IMG-867: numbers as they are coded, and what they stand for.
func integers(bit func(int) int, n int, r [3]int, value func(digit, m int, r [3]int) int) (raw, values []int) {
	size, at := sizeOf(n, r), 0
	take := func(n int) (x int) {
		for k := range n {
			if at < size {
				x |= bit(at) << k
			}
			at++
		}
		return x
	}
	group, shares := 1, []int{0}
	switch {
	case r[0] == 1:
		group, shares = 5, []int{2, 2, 1, 2, 1}
	case r[1] == 1:
		group, shares = 3, []int{3, 2, 2}
	}
	for len(raw) < n {
		var m [5]int
		code, up := 0, 0
		for k := range group {
			m[k] = take(r[2])
			code |= take(shares[k]) << up
			up += shares[k]
		}
		var digits [5]int
		switch {
		case r[0] == 1:
			digits = trits(code)
		case r[1] == 1:
			q := quints(code)
			copy(digits[:], q[:])
		}
		for k := range group {
			if len(raw) < n {
				raw, values = append(raw, digits[k]<<r[2]|m[k]), append(values, value(digits[k], m[k], r))
			}
		}
	}
	return raw, values
}

// trits and quints are IMG-868.
func trits(t int) (d [5]int) {
	bit := func(x, i int) int { return x >> i & 1 }
	c := t & 31
	if t>>2&7 == 7 {
		c, d[4], d[3] = t>>5&7*4+t&3, 2, 2
	} else if t>>5&3 == 3 {
		d[4], d[3] = 2, bit(t, 7)
	} else {
		d[4], d[3] = bit(t, 7), t>>5&3
	}
	switch {
	case c&3 == 3:
		d[2], d[1], d[0] = 2, bit(c, 4), 2*bit(c, 3)+bit(c, 2)&^bit(c, 3)
	case c>>2&3 == 3:
		d[2], d[1], d[0] = 2, 2, c&3
	default:
		d[2], d[1], d[0] = bit(c, 4), c>>2&3, 2*bit(c, 1)+bit(c, 0)&^bit(c, 1)
	}
	return d
}

func quints(q int) (d [3]int) {
	bit := func(i int) int { return q >> i & 1 }
	if q>>1&3 == 3 && q>>5&3 == 0 {
		return [3]int{4, 4, 4*bit(0) + 2*(bit(4)&^bit(0)) + bit(3)&^bit(0)}
	}
	c := q & 31
	if q>>1&3 == 3 {
		d[2], c = 4, 8*(q>>3&3)+2*(3-q>>5&3)+bit(0)
	} else {
		d[2] = q >> 5 & 3
	}
	if c&7 == 5 {
		d[1], d[0] = 4, c>>3
	} else {
		d[1], d[0] = c>>3, c&7
	}
	return d
}

// replicated fills n bits with copies of a number of fewer.
func replicated(x, bits, n int) (y int) {
	for k := range n {
		y |= x >> ((bits*n - 1 - k) % bits) & 1 << (n - 1 - k)
	}
	return y
}

// pattern is a number of whose bits some are 0 and others bits of m, a being the lowest.
func pattern(s string, m int) (x int) {
	for _, c := range s {
		if x <<= 1; c != '0' {
			x |= m >> (c - 'a') & 1
		}
	}
	return x
}

// unquantizedColor is IMG-869.
func unquantizedColor(d, m int, r [3]int) int {
	if r[0]+r[1] == 0 {
		return replicated(m, r[2], 8)
	}
	row := map[[3]int]struct {
		c int
		b string
	}{
		{1, 0, 1}: {204, "0"}, {0, 1, 1}: {113, "0"}, {1, 0, 2}: {93, "b000b0bb0"}, {0, 1, 2}: {54, "b0000bb00"}, {1, 0, 3}: {44, "cb000cbcb"},
		{0, 1, 3}: {26, "cb0000cbc"}, {1, 0, 4}: {22, "dcb000dcb"}, {0, 1, 4}: {13, "dcb0000dc"}, {1, 0, 5}: {11, "edcb000ed"},
		{0, 1, 5}: {6, "edcb0000e"}, {1, 0, 6}: {5, "fedcb000f"},
	}[r]
	a := -(m & 1) & 0x1ff
	return a&0x80 | (d*row.c+pattern(row.b, m)^a)>>2
}

// unquantizedWeight is IMG-870.
func unquantizedWeight(d, m int, r [3]int) (u int) {
	switch {
	case r[0]+r[1] == 0:
		u = replicated(m, r[2], 6)
	case r == [3]int{1, 0, 0}:
		u = [3]int{0, 32, 63}[d]
	case r == [3]int{0, 1, 0}:
		u = [5]int{0, 16, 32, 47, 63}[d]
	default:
		row := map[[3]int]struct {
			c int
			b string
		}{{1, 0, 1}: {50, "0"}, {0, 1, 1}: {28, "0"}, {1, 0, 2}: {23, "b000b0b"}, {0, 1, 2}: {13, "b0000b0"}, {1, 0, 3}: {11, "cb000cb"}}[r]
		a := -(m & 1) & 0x7f
		u = a&0x20 | (d*row.c+pattern(row.b, m)^a)>>2
	}
	if u > 32 {
		u++
	}
	return u
}

// weight is IMG-871 and IMG-882: that of a texel in a plane.
func (b *written) weight(x, y, z, plane int) int {
	p := func(v int) int {
		if b.dual {
			v = 2*v + plane
		}
		if v < len(b.weights) {
			return b.weights[v]
		}
		return 0 // with weight 0
	}
	place := func(x, block, grid int) (j, f int) {
		g := ((1024+block/2)/(block-1)*x*(grid-1) + 32) >> 6
		return g >> 4, g & 15
	}
	js, fs := place(x, b.w, b.gw)
	jt, ft := place(y, b.h, b.gh)
	if b.d == 1 {
		w11 := (fs*ft + 8) >> 4
		w10, w01, w00, v := ft-w11, fs-w11, 16-fs-ft+w11, js+jt*b.gw
		return (p(v)*w00 + p(v+1)*w01 + p(v+b.gw)*w10 + p(v+b.gw+1)*w11 + 8) >> 4
	}
	jr, fr := place(z, b.d, b.gd)
	f, s := [3]int{fs, ft, fr}, [3]int{1, b.gw, b.gw * b.gh}
	for range 2 {
		for i := range 2 {
			if f[i] < f[i+1] {
				f[i], f[i+1], s[i], s[i+1] = f[i+1], f[i], s[i+1], s[i]
			}
		}
	}
	v := js + jt*b.gw + jr*b.gw*b.gh
	return (p(v)*(16-f[0]) + p(v+s[0])*(f[0]-f[1]) + p(v+s[0]+s[1])*(f[1]-f[2]) + p(v+1+b.gw+b.gw*b.gh)*f[2] + 8) >> 4
}

// partition is IMG-872 and IMG-873.
func (b *written) partition(x, y, z int) int {
	if b.parts == 1 {
		return 0
	}
	if b.w*b.h*b.d < 31 {
		x, y, z = 2*x, 2*y, 2*z
	}
	seed := uint32(b.index + (b.parts-1)*1024)
	r := seed
	r ^= r >> 15
	r -= r << 17
	r += r << 7
	r += r << 4
	r ^= r >> 5
	r += r << 16
	r ^= r >> 7
	r ^= r >> 3
	r ^= r << 6
	r ^= r >> 17
	s := func(i, shift int) int {
		var n uint32
		switch {
		case i <= 8:
			n = r >> (4 * (i - 1))
		case i < 12:
			n = r >> [3]int{18, 22, 26}[i-9]
		default:
			n = bits.RotateLeft32(r, 2)
		}
		return int(n&15*(n&15)) >> shift
	}
	sh1, sh2 := 5, 5
	if seed&2 != 0 {
		sh1 = 4
	}
	if b.parts == 3 {
		sh2 = 6
	}
	if seed&1 == 0 {
		sh1, sh2 = sh2, sh1
	}
	sh3 := sh2
	if seed&16 != 0 {
		sh3 = sh1
	}
	list := [4]int{
		(s(1, sh1)*x + s(2, sh2)*y + s(11, sh3)*z + int(r>>14)) & 63, (s(3, sh1)*x + s(4, sh2)*y + s(12, sh3)*z + int(r>>10)) & 63,
		(s(5, sh1)*x + s(6, sh2)*y + s(9, sh3)*z + int(r>>6)) & 63, (s(7, sh1)*x + s(8, sh2)*y + s(10, sh3)*z + int(r>>2)) & 63,
	}
	for i := b.parts; i < 4; i++ {
		list[i] = 0
	}
	best := 3
	for i := 2; i >= 0; i-- {
		if list[i] >= list[best] {
			best = i
		}
	}
	return best
}

// texel is IMG-877 … IMG-879, and IMG-876 of blocks of one colour.
func (b *written) texel(x, y, z int, p Profile, mode Mode) (t [4]float64) {
	if b.illegal {
		return [4]float64{1, 0, 1, 1}
	}
	c, rgb, alpha := b.constant, b.hdr, b.hdr
	if !b.void {
		e := &b.ends[b.partition(x, y, z)]
		rgb, alpha = e.rgb, e.alpha
		for i := range c {
			isHDR := rgb
			if i == 3 {
				isHDR = alpha
			}
			wide := func(e int) int {
				switch {
				case isHDR:
					return 16 * e
				case p == ProfileSrgb:
					return 256*e + 128
				}
				return 257 * e
			}
			plane := 0
			if i == b.plane {
				plane = 1
			}
			w := b.weight(x, y, z, plane)
			c[i] = (wide(e.e0[i])*(64-w) + wide(e.e1[i])*w + 32) >> 6
			if isHDR {
				e, m := c[i]>>11, c[i]&0x7ff
				switch {
				case m < 512:
					m = 3 * m
				case m >= 1536:
					m = 5*m - 2048
				default:
					m = 4*m - 512
				}
				if c[i] = e<<10 + m>>3; c[i] >= 0x7c00 {
					c[i] = 0x7bff
				}
			}
		}
	}
	switch {
	case rgb && (p != ProfileFloat || mode == ModeUnorm8):
		return [4]float64{1, 0, 1, 1}
	case p == ProfileSrgb:
		return [4]float64{linearOf(c[0] >> 8), linearOf(c[1] >> 8), linearOf(c[2] >> 8), float64(c[3]>>8) / 255}
	case mode == ModeSharedExponent:
		return sharedOf(c, rgb)
	}
	for i := range t {
		switch {
		case i < 3 && rgb || i == 3 && alpha:
			t[i] = halfOf(c[i])
		case mode == ModeUnorm8:
			t[i] = float64(c[i]>>8) / 255
		default:
			t[i] = fractionOf(c[i])
		}
	}
	return t
}

// differ compares all texels of a block in all profiles and modes with the formula.
func differ(t *testing.T, b *written, src []byte, all bool) {
	t.Helper()
	var dst [maxTexels + 1]Texel
	for p := range Profile(3) {
		for m := range Mode(3) {
			if !all && (int(p)+int(m)+int(src[15]))%3 != 0 {
				continue
			}
			Decode(dst[:], src, Footprint{b.w, b.h, b.d}, p, m)
			for k := range b.w * b.h * b.d {
				want := b.texel(k%b.w, k/b.w%b.h, k/b.w/b.h, p, m)
				for i, f := range want {
					if got := math.Float32frombits(dst[k][i]); math.Float32bits(float32(f)) != dst[k][i] && (f == f || got == got) {
						t.Fatalf("%d×%d×%d %x, profile %d, mode %d, texel %d: component %d is %v, want %v", b.w, b.h, b.d, src, p, m, k, i, got, f)
					}
				}
			}
		}
	}
	if dst[b.w*b.h*b.d] != (Texel{}) {
		t.Fatalf("%d×%d×%d: a texel behind the block", b.w, b.h, b.d)
	}
}

// Every block mode, and blocks by chance, in every footprint, profile and mode.
func TestDecode_ByFormula_IMG860(t *testing.T) {
	rules.Covers(t, "IMG-860", "IMG-861", "IMG-862", "IMG-863", "IMG-864", "IMG-865", "IMG-866", "IMG-867", "IMG-868", "IMG-869", "IMG-870", "IMG-871",
		"IMG-872", "IMG-873", "IMG-874", "IMG-875", "IMG-877", "IMG-878", "IMG-879", "IMG-880", "IMG-881", "IMG-882", "IMG-883")
	r := rand.New(rand.NewPCG(860, 883))
	legal := 0
	var modes [16]int
	var ofW [12]int
	var ofC [17]int
	var parts [5]int
	try := func(lo, hi uint64, f Footprint, always bool) {
		var src [16]byte
		binary.LittleEndian.PutUint64(src[:], lo)
		binary.LittleEndian.PutUint64(src[8:], hi)
		b := read(src[:], f.Width, f.Height, f.Depth)
		if b.void || b.illegal && !always && r.IntN(8) > 0 {
			return
		}
		if !b.illegal {
			legal++
			ofW[b.ranges]++
			ofC[b.levels]++
			parts[b.parts]++
			for _, m := range b.cem[:b.parts] {
				modes[m]++
			}
		}
		differ(t, b, src[:], always)
	}
	for i, f := range footprints {
		// All block modes in a large and a small footprint, a part of them in others.
		step := 1
		if i != 13 && i != 23 && testing.Short() {
			step = 16
		}
		for mode := r.IntN(step); mode < 1<<11; mode += step {
			lo, hi := r.Uint64(), r.Uint64()
			if step == 1 && mode%4 != 0 { // one partition: few numbers, so that more grids make blocks
				lo &^= 3 << 11
			}
			try(lo&^(1<<11-1)|uint64(mode), hi, f, false)
		}
		// Few weights, so that all endpoint modes have room, in one partition to four.
		for k := range uint64(64) {
			lo := r.Uint64()&^(1<<13-1) | 0x42 | k&3<<11 // 4×4 weights of 2 bits
			if f.Depth > 1 {
				lo = r.Uint64()&^(1<<13-1) | 0x02 | 1<<5 | k&3<<11 // 3×2×2 weights of 2 bits
			}
			if k&3 == 0 {
				lo = lo&^(15<<13) | k>>2<<13
			} else if k&4 == 0 {
				lo = lo&^(63<<23) | k>>3<<25
			}
			try(lo, r.Uint64(), f, true)
		}
	}
	// Sums of the two colours that are equal, which keep blue as it is (IMG-874).
	for k := range uint64(64) {
		n := [6]uint64{r.Uint64N(200), 0, r.Uint64N(200), 0, r.Uint64N(200)}
		n[1], n[3] = n[2]+k%8, n[0]+k/8
		if n[5] = n[0] + n[2] + n[4] - n[1] - n[3]; n[5] < 256 {
			try(0x42|8<<13|n[0]<<17|n[1]<<25|n[2]<<33|n[3]<<41|n[4]<<49|n[5]<<57, r.Uint64()&^127|n[5]>>7, Footprint{4, 4, 1}, true)
		}
	}
	for _, list := range [][]int{modes[:], ofW[:], ofC[:], parts[1:]} {
		for i, n := range list {
			if n < 10 {
				t.Errorf("%d of %d is in %d blocks of %d: that is no test", i, len(list), n, legal)
			}
		}
	}
}

// Blocks of one colour, with extents and without (IMG-876, IMG-880).
func TestDecode_VoidByFormula_IMG876(t *testing.T) {
	rules.Covers(t, "IMG-876", "IMG-878", "IMG-879", "IMG-880", "IMG-881", "IMG-883")
	r := rand.New(rand.NewPCG(876, 880))
	var counts [2][2]int
	for k := range 600 {
		f := footprints[k%len(footprints)]
		lo := r.Uint64()
		switch axes, n, at := 2, uint(13), uint(12); k % 5 {
		case 0:
			lo = math.MaxUint64
		case 1:
			lo = math.MaxUint64 &^ (1 << r.IntN(64))
		case 2, 3: // extents in order, and one that is empty
			if f.Depth > 1 {
				axes, n, at = 3, 9, 10
			}
			lo = math.MaxUint64 >> (64 - at)
			empty := r.IntN(2 * axes)
			for a := range axes {
				most := 1 + r.Uint64N(1<<n-1)
				least := r.Uint64N(most)
				if a == empty {
					least = most
				}
				lo |= least<<at | most<<(at+n)
				at += 2 * n
			}
		}
		lo = lo&^0x1ff | 0x1fc
		if k%3 == 0 {
			lo |= 3 << 10 // reserved bits, or a large extent
		}
		lo = lo&^(1<<9) | uint64(k/7%2)<<9
		var src [16]byte
		binary.LittleEndian.PutUint64(src[:], lo)
		for i := range 4 {
			c := uint16(r.Uint32())
			switch r.IntN(6) {
			case 0:
				c = 0x7c00
			case 1:
				c = 0xffff
			case 2:
				c = 0x7e01
			}
			binary.LittleEndian.PutUint16(src[8+2*i:], c)
		}
		b := read(src[:], f.Width, f.Height, f.Depth)
		i, j := 0, 0
		if b.illegal {
			i = 1
		}
		if b.d > 1 {
			j = 1
		}
		counts[i][j]++
		differ(t, b, src[:], true)
	}
	for _, c := range counts {
		if c[0] < 50 || c[1] < 50 {
			t.Errorf("%v: that is no test", counts)
		}
	}
}

// What encoders of other formats take apart: patterns, numbers and colours (IMG-869, IMG-870, IMG-872, IMG-874).
func TestParts_ByFormula_IMG872(t *testing.T) {
	rules.Covers(t, "IMG-869", "IMG-870", "IMG-872", "IMG-873", "IMG-874")
	for seed := range 1024 {
		for count := 2; count <= 4; count++ {
			b := written{w: 4, h: 4, d: 1, parts: count, index: seed}
			for k, got := range Partitions(uint32(seed), count) {
				if want := b.partition(k%4, k/4, 0); int(got) != want {
					t.Fatalf("seed %d, %d partitions, texel %d: %d, want %d", seed, count, k, got, want)
				}
			}
		}
	}
	known, ofBits := map[[3]int]bool{}, map[int]bool{}
	for _, q := range ofColors {
		known[q] = true
	}
	for _, q := range ofWeights {
		if q[0]+q[1] == 0 {
			ofBits[q[2]] = true
		}
	}
	for _, form := range [3][2]int{{0, 0}, {1, 0}, {0, 1}} {
		for n := range 9 {
			q := [3]int{form[0], form[1], n}
			got := ColorNumbers(uint(q[0]), uint(q[1]), uint(n))
			if (got != nil) != known[q] {
				t.Errorf("numbers of %v: %v", q, got != nil)
			} else if got != nil {
				for x := range (1 + 2*q[0] + 4*q[1]) << n {
					if want := unquantizedColor(x>>n, x&(1<<n-1), q); int(got[x]) != want {
						t.Errorf("number %d of %v: %d, want %d", x, q, got[x], want)
					}
				}
			}
		}
	}
	for n := range 9 {
		got := Weights(uint(n))
		if (got != nil) != ofBits[n] {
			t.Errorf("weights of %d bits: %v", n, got != nil)
		} else if got != nil {
			for x := range 1 << n {
				if want := unquantizedWeight(0, x, [3]int{0, 0, n}); int(got[x]) != want {
					t.Errorf("weight %d of %d bits: %d, want %d", x, n, got[x], want)
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(872, 874))
	for n := range 4000 {
		mode := []int{0, 1, 4, 5, 6, 8, 9, 10, 12, 13}[n%10]
		var numbers [8]uint8
		var v [8]int
		for i := range 2 * (mode/4 + 1) {
			numbers[i] = uint8(r.Uint32())
			v[i] = int(numbers[i])
		}
		e0, e1, _, _ := ends(v, mode)
		low, high := Colors(&numbers, uint8(mode))
		for i := range 4 {
			if int(low[i]) != e0[i] || int(high[i]) != e1[i] {
				t.Fatalf("mode %d, %v: %v and %v, want %v and %v", mode, numbers, low, high, e0, e1)
			}
		}
	}
}
