package lower_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/lower"
)

// floats fills a buffer with word i = f(i).
func floats(words int, f func(i int) float32) []byte {
	b := make([]byte, 4*words)
	for i := range words {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(f(i)))
	}
	return b
}

func word(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

// Offsets below are std140 and std430 by hand, in words.
func TestLayout_MatricesArraysSpecialization(t *testing.T) {
	in := make([]uint32, lanes)
	sum := 0
	for i := range in {
		in[i] = uint32(i*29+3) % 64
		sum += int(in[i])
	}
	names := []string{"row major matrix", "matrix product", "struct array", "struct copy", "buffer array", "runtime array", "shared",
		"private table", "dynamic array", "vector index", "small matrices", "specialization", "sized by constant", "push", "inverse", "store"}
	for _, form := range forms {
		uniform := floats(256, func(i int) float32 { return float32(i) })
		// iv follows s: ints.
		const s0 = 4 + 16 + 12 // u0; rm: 4 rows of 4; cm: 3 columns of 4
		const sSize = 4 + 12 + 8
		iv := s0 + 3*sSize
		binary.LittleEndian.PutUint32(uniform[4*(iv+2):], 77)
		// head, pad; rm[2]: 3 rows of 2 each = 6 words an element; rest at word 14.
		const rest = 2 + 2*6
		b0 := floats(rest+2*80, func(i int) float32 { return float32(1000 + i) })
		b1 := floats(rest+2*80, func(i int) float32 { return float32(2000 + i) })
		got := runCompute(t, "layout.comp"+form, lower.Options{Specialization: map[uint32][]byte{3: word(9), 4: word(1), 5: word(math.Float32bits(0.5))}},
			in, lanes*16, uniform, b0, b1)
		check(t, got, 16, names, func(lane uint32) []uint32 {
			i, x := int(lane), int(in[lane])
			u := func(w int) float32 { return float32(w) }
			cm := func(c, r int) float32 { return u(4 + 16 + 4*c + r) }
			s := func(n, w int) float32 { return u(s0 + n*sSize + w) }
			b := func(n, w int) float32 { return float32(1000*(n+1) + w) }
			var prod float32
			for r := range 3 {
				prod += cm(0, r) + 2*cm(1, r) + 3*cm(2, r)
			}
			big := make([]float32, 8)
			for j := range x % 33 {
				big[j*7&7] = float32(j)
			}
			v := []float32{1, 2, 3, 4}
			v[x&3] = 9
			v[2]++
			v[0]++
			m := [2][2]float32{{1, 2}, {3, 4}}
			m[x&1][1] *= 3
			small := m[0][0]*m[1][1] - m[0][1]*m[1][0] + (m[0][0] + 10*m[0][1]) + (m[1][0] + 10*m[1][1]) + 14
			table := func(k int) float32 { return float32(int(1) << k) }
			n := 9 - 3
			k := x % n
			q := math.Float32frombits(0x13121110)
			return bits(
				u(4+4*(x%4)+x%3)+cm(x%3, 1),
				prod+u(iv+3)+77,
				s(x%3, 0)+s(x%3, 4+2*4+1)+s(1, 16+4*(x&1)+2),
				s(2, 4+1)+s(2, 16+4),
				b(x&1, 2+6+2*(x%3)+x&1)+80,
				b(1, rest+2*(x%4)+1),
				float32(in[63-i])+float32(sum),
				table(x%7)+table((x+1)%7),
				big[x&7],
				v[(x+1)&3]+v[0],
				small,
				4.5+100+64,
				float32(k*k),
				q,
				0.5+0.25+0.125-0.0625,
				float32(i),
			)
		})
	}
}

// An array of more than eight scalars that is indexed dynamically lives in lane
// memory.
func TestPrivateMemory_DynamicIndex(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = uint32(i * 5)
	}
	for _, form := range forms {
		got := runCompute(t, "private.comp"+form, lower.Options{}, in, lanes*2)
		check(t, got, 2, []string{"float array", "bool array"}, func(lane uint32) []uint32 {
			k := in[lane] % 12
			return []uint32{(k + 1) * (k + 1), (k % 3 & 1) ^ 1}
		})
	}
}
