package lower_test

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/lower"
)

func TestAggregates_SharedAtomicsAndDynamicIndices(t *testing.T) {
	in := make([]uint32, lanes)
	su := [8]uint32{3: 0xFFFFFF00, 5: 99, 6: 123}
	for i := range in {
		x := uint32(i*23+1) % 50
		in[i] = x
		su[0] += x
		su[1] = max(su[1], x)
		su[2] |= 1 << (x & 31)
		su[4] ^= x
	}
	names := []string{"struct by value", "struct inout", "shared atomics", "shared struct", "bool vectors", "matrix element", "array of arrays", "buffer atomics"}
	for _, form := range forms {
		got := runCompute(t, "misc.comp"+form, lower.Options{}, in, lanes*8)
		check(t, got, 8, names, func(lane uint32) []uint32 { return miscWant(in, su, lane) })
	}
}

func miscWant(in []uint32, su [8]uint32, lane uint32) []uint32 {
	x := in[lane]
	k := x & 1
	f := [2]uint32{x, 2}
	mat := [2][2]uint32{{1, 2}, {3, 4}}
	byValue := x + k + f[k] + mat[k][1-k]*x + x

	z := x ^ 1
	last := uint32(2)
	if z <= 40 {
		last = 7
	}
	// bump adds (20, 10) to v: (3, 1) and (3, 0).
	inout := 23*1000 + 10 + last

	row := x & 3
	shared := row + 10 + row*100

	bv := [3]bool{x < 10, x < 20, x < 30}
	bools := uint32(0)
	for n, b := range []bool{bv[0] || bv[1] || bv[2], bv[0] && bv[1] && bv[2], !bv[1], false, in[63-lane]&1 == 0, bv[x%3]} {
		if b {
			bools |= 1 << n
		}
	}

	var m [3][3]uint32
	for n := range m {
		m[n][n] = 1
	}
	m[x%3][x/3%3] += 5
	element := m[0][0] + m[1][0]*10 + m[2][2]*100 + m[1][1]*1000 + m[1][2]*10000

	g := [2][2]uint32{{1, 2}, {3, 4}}
	g[x&1][x>>1&1] *= 10
	grid := g[0][0] + g[0][1]*2 + g[1][0]*3 + g[1][1]*4 + g[x>>1&1][x&1]

	old := 1 + x
	buffer := max(old, 20) + old*100
	return []uint32{byValue, inout, su[x&7], shared, bools, element, grid, buffer}
}
