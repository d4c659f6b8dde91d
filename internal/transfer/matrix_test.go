package transfer

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Sizes count whole lines but the last, of which only the numbers, and rows of optimal layouts in
// steps of 16 bytes, all of them in steps of 64.
func TestMatrix_Sizes(t *testing.T) {
	for _, c := range []struct {
		m             Matrix
		rows, columns uint32
		want          uint64
	}{
		{Matrix{spirv.TypeFloat16, spirv.RowMajor, 16}, 3, 5, 2*16 + 10},
		{Matrix{spirv.TypeFloat16, spirv.ColumnMajor, 16}, 3, 5, 4*16 + 6},
		{Matrix{spirv.TypeSigned8, spirv.RowMajor, 7}, 2, 7, 14},
		{Matrix{spirv.TypeFloat16, spirv.InferencingOptimal, 0}, 3, 5, 64},
		{Matrix{spirv.TypeFloat32, spirv.TrainingOptimal, 1000}, 3, 5, 128}, // 96; the stride is ignored
		{Matrix{spirv.TypeFloatE4M3, spirv.TrainingOptimal, 0}, 4, 16, 64},
		{Matrix{spirv.TypeFloatE4M3, spirv.TrainingOptimal, 0}, 4, 17, 128},
		{Matrix{spirv.TypeFloat32, spirv.RowMajor, 64}, 0, 5, 0},
		{Matrix{spirv.TypeFloat32, spirv.InferencingOptimal, 0}, 5, 0, 0},
		{Matrix{spirv.TypeFloat32, spirv.RowMajor, 1 << 62}, 5, 1, 1<<64 - 1},
		{Matrix{spirv.TypeFloat32, spirv.RowMajor, 1<<64 - 4}, 1<<32 - 1, 1, 1<<64 - 1},
		{Matrix{spirv.TypeFloat32, spirv.RowMajor, 1<<63 - 4}, 3, 1<<32 - 1, 1<<64 - 1},
		{Matrix{spirv.TypeFloat32, spirv.TrainingOptimal, 0}, 1<<32 - 1, 1<<32 - 1, 1<<64 - 1},
	} {
		if got := c.m.Size(c.rows, c.columns); got != c.want {
			t.Errorf("%+v of %d×%d: %d bytes, not %d", c.m, c.rows, c.columns, got, c.want)
		}
	}
}

// A matrix in each layout and type, made into each layout, keeps all bits of its numbers, and
// optimal layouts have zeros between them.
func TestConvertMatrix_Layouts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const rows, columns = 5, 7
	for _, of := range []spirv.ComponentType{
		spirv.TypeFloat16, spirv.TypeFloat32, spirv.TypeSigned8, spirv.TypeUnsigned8, spirv.TypeFloatE4M3,
	} {
		size := uint64(of.Bytes())
		place := func(m Matrix, i, k uint64) uint64 {
			switch m.Layout {
			case spirv.RowMajor:
				return i*m.Stride + k*size
			case spirv.ColumnMajor:
				return k*m.Stride + i*size
			}
			return i*((columns*size+15)&^15) + k*size
		}
		for from := spirv.RowMajor; from.Valid(); from++ {
			for to := spirv.RowMajor; to.Valid(); to++ {
				a, b := Matrix{of, from, 48}, Matrix{of, to, 64}
				src, dst := make([]byte, a.Size(rows, columns)), make([]byte, b.Size(rows, columns))
				for i := range src {
					src[i] = byte(r.Uint32())
				}
				for i := range dst {
					dst[i] = 0xA5
				}
				want := bytes.Clone(dst)
				if to.Optimal() {
					clear(want)
				}
				for i := range uint64(rows) {
					for k := range uint64(columns) {
						copy(want[place(b, i, k):][:size], src[place(a, i, k):])
					}
				}
				if err := ConvertMatrix(context.Background(), dst, src, b, a, rows, columns); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(dst, want) {
					t.Errorf("type %d, layout %d to %d: other bytes", of, from, to)
				}
			}
		}
	}
}

// Floats are rounded to the nearest, ties to even; what is too large becomes an infinity, or a NaN
// of E4M3, which has none.
func TestConvertMatrix_Floats(t *testing.T) {
	inf := float32(math.Inf(1))
	singles := []float32{0, 1, 1.0625, 1.1875, -448, 464, 465, inf, 0.0009765625, 0.00146484375, 65519,
		65520}
	for to, want := range map[spirv.ComponentType][]uint32{
		spirv.TypeFloat16: {0, 0x3C00, 0x3C40, 0x3CC0, 0xDF00, 0x5F40, 0x5F44, 0x7C00, 0x1400, 0x1600,
			0x7BFF,
			0x7C00},
		spirv.TypeFloatE4M3: {0, 0x38, 0x38, 0x3A, 0xFE, 0x7E, 0x7F, 0x7F, 0, 1, 0x7F, 0x7F},
		spirv.TypeFloatE5M2: {0, 0x3C, 0x3C, 0x3D, 0xDF, 0x5F, 0x5F, 0x7C, 0x14, 0x16, 0x7C, 0x7C},
	} {
		for i, f := range singles {
			src, dst := make([]byte, 4), make([]byte, 64)
			binary.LittleEndian.PutUint32(src, math.Float32bits(f))
			a, b := Matrix{spirv.TypeFloat32, spirv.RowMajor, 4}, Matrix{to, spirv.InferencingOptimal, 0}
			if err := ConvertMatrix(context.Background(), dst, src, b, a, 1, 1); err != nil {
				t.Fatal(err)
			}
			if got := binary.LittleEndian.Uint32(dst); got != want[i] {
				t.Errorf("%v to %d: %#x, not %#x", f, to, got, want[i])
			}
		}
	}
	for from, c := range map[spirv.ComponentType][2]uint32{
		spirv.TypeFloatE4M3: {0x7E, math.Float32bits(448)}, spirv.TypeFloatE5M2: {0x01, 0x37800000},
		spirv.TypeFloat16: {0x3555, 0x3EAAA000},
	} {
		src, dst := make([]byte, 64), make([]byte, 4)
		binary.LittleEndian.PutUint32(src, c[0])
		a, b := Matrix{from, spirv.TrainingOptimal, 0}, Matrix{spirv.TypeFloat32, spirv.RowMajor, 4}
		if err := ConvertMatrix(context.Background(), dst, src, b, a, 1, 1); err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint32(dst); got != c[1] {
			t.Errorf("%#x of %d: %#x, not %#x", c[0], from, got, c[1])
		}
	}
}

// What is no matrix, and what is no conversion.
func TestMatrix_Wrong(t *testing.T) {
	for want, m := range map[string]Matrix{
		"type 1000491000":      {spirv.TypeSigned8x4, spirv.RowMajor, 64},
		"type 2":               {2, spirv.RowMajor, 64},
		"layout 4":             {spirv.TypeFloat16, 4, 64},
		"a stride of 8 bytes":  {spirv.TypeFloat16, spirv.RowMajor, 8},
		"a stride of 4 bytes":  {spirv.TypeFloat16, spirv.ColumnMajor, 4},
		"a stride of 33 bytes": {spirv.TypeFloat16, spirv.RowMajor, 33},
	} {
		if err := m.Check(3, 5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", m, err)
		}
	}
	if m := (Matrix{spirv.TypeFloat16, spirv.ColumnMajor, 6}); m.Check(3, 5) != nil {
		t.Error("columns of 6 bytes, 6 bytes apart, are refused")
	}
	const f16, f32, e4, e5, s8, u8 = spirv.TypeFloat16, spirv.TypeFloat32, spirv.TypeFloatE4M3,
		spirv.TypeFloatE5M2, spirv.TypeSigned8, spirv.TypeUnsigned8
	all := []spirv.ComponentType{f16, f32, e4, e5, s8, u8}
	converts := map[[2]spirv.ComponentType]bool{}
	for _, x := range all {
		converts[[2]spirv.ComponentType{x, x}] = true
	}
	for _, c := range [][2]spirv.ComponentType{{f32, f16}, {f32, e4}, {f32, e5}, {f16, e4}, {f16,
		e5}} {
		converts[c], converts[[2]spirv.ComponentType{c[1], c[0]}] = true, true
	}
	for _, x := range all {
		for _, y := range all {
			if got := Converts(x, y); got != converts[[2]spirv.ComponentType{x, y}] {
				t.Errorf("%d to %d: %v", x, y, got)
			}
		}
	}
}

// A conversion ends with its context.
func TestConvertMatrix_Ends(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := Matrix{spirv.TypeFloat32, spirv.RowMajor, 4 << 10}
	b := make([]byte, m.Size(1<<10, 1<<10))
	if err := ConvertMatrix(ctx, b, bytes.Clone(b), m, m, 1<<10, 1<<10); err != context.Canceled {
		t.Error(err)
	}
}
