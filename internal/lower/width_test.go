package lower_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/lower"
)

// half rounds to binary16 and back.
func half(x float32) float32 { return fp.HalfToFloat(fp.FloatToHalf(x)) }

func halfBits(x float32) uint32 { return uint32(fp.FloatToHalf(x)) }

func truth(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func sgn[T int8 | int16 | int64 | float64](x T) T {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// mod has the sign of b, as % of signed integers in GLSL.
func mod[T int16 | int64](a, b T) T {
	r := a % b
	if r != 0 && r^b < 0 {
		r += b
	}
	return r
}

func TestNarrow_IntegersHalvesAndStorage(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = uint32(i)*0x01234567 ^ 0x00ABC480
	}
	for _, form := range forms {
		b := make([]byte, 66)
		for i := range b {
			b[i] = byte(i * 5)
		}
		// S: b 0, sb 1, h 2, v at 8 (3 halves), q at 16 ... std430: f16vec3 aligns to 8, u8vec4 to 4.
		structs := make([]byte, 2*24)
		for i := range structs {
			structs[i] = byte(i*7 + 1)
		}
		for k := range 2 {
			binary.LittleEndian.PutUint16(structs[24*k+12:], uint16(halfBits(float32(k)+0.5)))
		}
		got := runCompute(t, "narrow.comp"+form, lower.Options{Specialization: map[uint32][]byte{3: {0xF0, 0xFF}}}, in, lanes*40, b, make([]byte, 128), structs)
		check(t, got, 40, nil, func(lane uint32) []uint32 {
			x := in[lane]
			i8, u8, i16, u16 := int8(x), uint8(x>>8), int16(x), uint16(x>>12)
			sum := i8 + 100
			out := []uint32{uint32(int32(sum)), uint32(u8 * u8), uint32(int32(i16 / 7)), uint32(int32(mod(i16, 9))),
				uint32(int32(i8 >> 2)), uint32(u8 << 3), truth(i8 < 3), truth(u8 < 3),
				uint32(int32(min(i8, -3))), uint32(max(u16, 77)), uint32(int32(max(i16, -i16))), uint32(int32(sgn(i8))), uint32(int32(-i8)), 0xFFFFFFF0, uint32(^u8)}
			h, g := half(float32(int32(x)%2000)*0.37), float32(i8)
			add := half(h + g)
			dotH := half(float32(h*g) + float32(g*h))
			out = append(out, halfBits(h), halfBits(add), halfBits(h*g), halfBits(h/g), halfBits(float32(math.Sqrt(float64(max(h, -h))))), halfBits(fp.FMA32(h, g, h)), halfBits(float32(u16)), math.Float32bits(h),
				uint32(int32(h)), truth(h < g), halfBits(dotH), halfBits(float32(h*0.75)+float32(g*0.25)), halfBits(float32(math.Floor(float64(h)))))
			other := in[lane^1]
			h1 := half(float32(int32(other)%2000) * 0.37)
			k := int(x & 1)
			s := structs[24*k:]
			out = append(out, uint32(byte(lane*5)+byte(lane*5+5)), uint32(uint8(in[63-lane]>>8)), halfBits(h1), uint32(uint8(other)),
				uint32(s[0])+uint32(int32(int8(s[1])))*256, uint32(binary.LittleEndian.Uint16(s[2:])), halfBits(float32(k)+0.5), uint32(s[19]),
				0+1*1000+0x0302, 0x0504, uint32(u8)|uint32(uint8(i8))<<8|0x02010000, x>>16+x>>16&0xFF)
			return out
		})
	}
}

func TestWide_IntegersDoublesAtomics(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = uint32(i)*0x9E3779B9 ^ uint32(i)<<3
	}
	in[7], in[9], in[11] = 3, 0, 0xFFFFFFFF
	const words = 160
	for _, form := range forms {
		// k at 0, v at 32 (dvec3 aligns to 32), d at 56 + ... std430: d[3] follows at 56, sum 80, top 88.
		w := make([]byte, 96)
		put := func(at int, v uint64) { binary.LittleEndian.PutUint64(w[at:], v) }
		put(0, 0x4000000000000001)
		for k := range 3 {
			put(32+8*k, math.Float64bits(float64(k)+0.1))
			put(56+8*k, math.Float64bits(float64(k)-0.7))
		}
		put(80, 5)
		got := runCompute(t, "wide.comp"+form, lower.Options{Specialization: map[uint32][]byte{3: {1, 2, 3, 4, 5, 6, 7, 8}}}, in, lanes*words, w)
		check(t, got, words, nil, func(lane uint32) []uint32 { return wideWant(in, lane, words) })
	}
}

func wideWant(in []uint32, lane uint32, words int) []uint32 {
	var out []uint32
	w32 := func(v ...uint32) { out = append(out, v...) }
	put := func(list ...uint64) {
		for _, v := range list {
			out = append(out, uint32(v), uint32(v>>32))
		}
	}
	puti := func(list ...int64) {
		for _, v := range list {
			put(uint64(v))
		}
	}
	putd := func(list ...float64) {
		for _, v := range list {
			if v != v {
				put(0x7FF8 << 48)
				continue
			}
			put(math.Float64bits(v))
		}
	}
	x, y := in[lane], in[lane^1]
	i, j := int64(uint64(y)<<32|uint64(x)), int64(int32(y))*3+1
	u, v := uint64(i), uint64(y)+7
	puti(i+j, i-j, i*j, i/j)
	put(u/v, u%v)
	puti(mod(i, j), -i)
	put(u<<(x&63), u>>(x&63))
	puti(i >> (x & 63))
	put(u&v, u|v, u^v, ^u)
	w32(truth(i < j), truth(u < v), truth(i == j), truth(u != v), truth(i >= j))
	puti(min(i, j))
	put(max(u, v))
	puti(max(i, -i), sgn(j), min(max(j, -5), 5))
	puti(int64(int32(x)))
	put(uint64(x))
	w32(uint32(u))
	if float32(i) == float32(j) {
		w32(1)
	} else {
		w32(math.Float32bits(float32(u)))
	}
	putd(float64(i), float64(u))
	put(0x0807060504030201)

	d, e := float64(float64(int32(x))*1.25)+0.1, float64(float64(y)*1e-3)+1
	floor := math.Floor
	putd(d+e, d-e, float64(d*e), d/e, math.FMA(d, e, d), math.Sqrt(math.Abs(d)), 1/math.Sqrt(e), floor(d), math.Ceil(d), math.Trunc(d), math.RoundToEven(d), d-floor(d))
	step := 1.0
	if e < d {
		step = 0
	}
	putd(d-float64(e*floor(d/e)), min(d, e), max(d, e), sgn(d), math.Abs(d), -d, float64(d*0.75)+float64(e*0.25), step, min(max(d, -1), 1))
	w32(truth(d < e), truth(d == e), 0, 1)
	w32(math.Float32bits(float32(d)))
	putd(float64(math.Float32frombits(x & 0x3FFFFFFF)))
	w32(uint32(int32(max(min(d, math.MaxInt32), math.MinInt32))))
	puti(int64(d))
	put(uint64(e))
	putd(float64(int32(x)), float64(x))

	dot := func(a, b []float64) float64 {
		s := float64(a[0] * b[0])
		for k := 1; k < len(a); k++ {
			s += float64(a[k] * b[k])
		}
		return s
	}
	p, q := []float64{d, e, 2}, []float64{e, 1, d}
	diff := []float64{d - e, e - 1, 2 - d}
	putd(dot(p, q), math.Sqrt(dot(p, p)), float64(e*(1/math.Sqrt(dot(p, p)))), float64(d*1)-float64(e*e), math.Sqrt(dot(diff, diff)))
	putd(float64(e*1)+float64(2*3), float64(d*1)+float64(1*2), float64(d*2)-float64(1*e), e)
	pick := d
	if x&1 == 0 {
		pick = e
		for range 3 {
			pick += d
		}
	}
	k := uint64(0x4000000000000001)
	putd(pick)
	put(k + k)
	putd(float64(lane%3)+0.1, float64(x%3)-0.7, p[x%3])
	mant, exp := math.Frexp(d)
	putd(mant)
	w32(uint32(exp))
	putd(e * 8)
	w32(truth(math.Float64frombits(u) == d))
	var sum, total uint64
	least, top := int64(math.MaxInt64), uint64(0)
	for l := range uint32(lanes) {
		x, y := in[l], in[l^1]
		sum += uint64(y) + 7
		total += uint64(x) << 20
		least = min(least, int64(uint64(y)<<32|uint64(x)))
		top = max(top, uint64(y)<<32|uint64(x))
	}
	put(sum)
	puti(least)
	put(total+5, top)
	w32(map[uint32]uint32{0: 1, 1: 2, 2: 3, 3: 3}[uint32(u>>32)&3])
	for len(out) < words {
		w32(0)
	}
	return out
}

func TestSwitch_LiteralsOf64And8Bits(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = uint32(i) % 5
	}
	got := runCompute(t, "switch64.spvasm", lower.Options{}, in, lanes*2)
	check(t, got, 2, []string{"64 bits", "8 bits"}, func(lane uint32) []uint32 {
		return []uint32{[]uint32{3, 1, 2, 9, 9}[lane%5], []uint32{0, 1, 2, 0, 0}[lane%5]}
	})
}

// A slot holds a 16-bit scalar as a word: halves as binary32, signed integers
// sign-extended.
func TestNarrow_Interface(t *testing.T) {
	p := compile(t, "io16.frag", lower.Options{})
	r, err := vm.New(vm.Options{}).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	const n = 4
	b := &exec.Batch{N: n, In: [][]uint32{
		bits(0.1, 1, 2, 3), bits(5, 6, 7, 8), {3, 0xFFFFFFFF, 20, 0x8000}, {1, 2, 3, 4}, {0xFFFF, 1, 2, 3}}}
	for range p.Outputs {
		b.Out = append(b.Out, make([]uint32, n))
	}
	if err := r.NewThread(n).Run(&exec.Context{}, b); err != nil {
		t.Fatal(err)
	}
	minus := func(v int16) uint32 { return uint32(int32(v)) }
	for k, want := range [][]uint32{bits(half(0.1)*2, 2, 4, 6), bits(10, 12, 14, 16), {minus(-7), minus(-11), 10, minus(0x7FF6)}, {minus(-9), minus(-8), minus(-7), minus(-6)}, {0, 2, 3, 4}} {
		for i := range want {
			if b.Out[k][i] != want[i] {
				t.Errorf("output %d, lane %d: %#x, want %#x", k, i, b.Out[k][i], want[i])
			}
		}
	}
}
