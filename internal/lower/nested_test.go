package lower_test

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Matrices in arrays whose stride says where their columns are, though no MatrixStride
// does; offsets below are std430 by hand, those of the last std140, in words.
func TestLayout_MatricesInArraysWithoutMatrixStride(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = uint32(i*29+3) % 64
	}
	b := floats(72+32, func(i int) float32 { return float32(i) })
	u := floats(32, func(i int) float32 { return float32(1000 + i) })
	got := runCompute(t, "nested.spvasm", lower.Options{}, in, lanes*5, b, u)
	check(t, got, 5, []string{"mat2", "mat3", "mat4x3", "std140 mat2", "product"}, func(lane uint32) []uint32 {
		x := int(in[lane])
		m3 := func(i, j, column, row int) float32 { return float32(24 + 24*i + 12*j + 4*column + row) }
		product := float32(0)
		for row, k := range []float32{1, 3, 5} {
			product += k * (m3(1, x&1, 0, row) + 10*m3(1, x&1, 1, row) + 100*m3(1, x&1, 2, row))
		}
		return bits(
			float32(12*(x&1)+4*(x%3)+2*(x>>1&1)+x>>2&1),
			m3(x&1, x>>1&1, x%3, x/3%3),
			float32(72+16*(x>>1&1)+4*(x&3)+x%3),
			float32(1000+16*(x&1)+8*(x>>1&1)+4*(x>>2&1)+x>>3&1),
			product,
		)
	})
}

// A stride that no layout has is refused.
func TestLayout_MatrixStride_Open(t *testing.T) {
	data, err := os.ReadFile("testdata/nested.spvasm.spv")
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i := 20; i+16 <= len(data); i += 4 { // 48 of mat3 becomes 56
		if at := data[i:]; binary.LittleEndian.Uint32(at) == 4<<16|uint32(spirv.OpDecorate) && at[8] == byte(spirv.DecorationArrayStride) && at[12] == 48 {
			at[12] = 56
			changed++
		}
	}
	m, err := spirv.ParseBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lower.Compile(m, "main", lower.Options{}); changed == 0 || err == nil || !strings.Contains(err.Error(), "MatrixStride") {
		t.Errorf("%d strides changed: %v", changed, err)
	}
}
