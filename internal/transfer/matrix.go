package transfer

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Matrix is how a matrix of cooperative vectors lies in memory
// (VkConvertCooperativeVectorMatrixInfoNV).
type Matrix struct {
	Type   spirv.ComponentType
	Layout spirv.MatrixLayout
	// Stride is the distance in bytes of the rows or columns; optimal layouts have one of their own.
	Stride uint64
}

// lines are the number of rows or columns that lie one after the other, how far they are apart, and
// how many bytes each has.
func (m *Matrix) lines(rows, columns uint32) (n, stride, width uint64) {
	n, width = uint64(rows), uint64(columns)
	if m.Layout == spirv.ColumnMajor {
		n, width = width, n
	}
	stride = m.Stride
	if m.Layout.Optimal() {
		stride = spirv.OptimalStride(width, m.Type)
	}
	return n, stride, width * uint64(m.Type.Bytes())
}

// Size is how many bytes the matrix takes: the largest number where they cannot be counted. Optimal
// layouts have whole strides for all rows, and a multiple of 64 bytes: matrices begin at such
// multiples, so that sizes add up to places.
func (m *Matrix) Size(rows, columns uint32) uint64 {
	n, stride, width := m.lines(rows, columns)
	if n == 0 || width == 0 {
		return 0
	}
	if m.Layout.Optimal() {
		width = stride + 63
	}
	high, size := bits.Mul64(n-1, stride)
	size, carry := bits.Add64(size, width, 0)
	if high != 0 || carry != 0 {
		return math.MaxUint64
	}
	if m.Layout.Optimal() {
		size &^= 63
	}
	return size
}

// Check returns what is wrong with the matrix: a type or layout that there is not, or a stride that
// is no multiple of the numbers' size or shorter than a row or column.
func (m *Matrix) Check(rows, columns uint32) error {
	size := uint64(m.Type.Bytes())
	if size == 0 || !m.Layout.Valid() {
		return fmt.Errorf("a matrix of type %d in layout %d", m.Type, m.Layout)
	}
	if m.Layout.Optimal() {
		return nil
	}
	if _, stride, width := m.lines(rows, columns); stride < width || stride%size != 0 {
		return fmt.Errorf("a stride of %d bytes for rows or columns of %d bytes, of numbers of %d",
			stride,
			width, size)
	}
	return nil
}

// Converts tells whether numbers of a type can be converted to those of another: to themselves, and
// between floats of 32 or 16 bits and shorter ones.
func Converts(from, to spirv.ComponentType) bool {
	float := func(t spirv.ComponentType) bool {
		return t == spirv.TypeFloat16 || t == spirv.TypeFloat32 || t.Float8() != 0
	}
	return from == to || float(from) && float(to) && from.Bytes() != to.Bytes()
}

// ConvertMatrix writes a matrix of a size and form as one of another. Floats are rounded to the
// nearest even. What is between the rows of an optimal layout becomes zeros. Both parts of memory
// have the matrices' sizes and do not overlap.
func ConvertMatrix(ctx context.Context, dst, src []byte, to, from Matrix, rows,
	columns uint32) error {
	p := paceOf(ctx)
	if to.Layout.Optimal() {
		if err := p.spend(len(dst)); err != nil {
			return err
		}
		clear(dst)
	}
	place := func(m *Matrix) (row, column uint64) {
		_, stride, _ := m.lines(rows, columns)
		if m.Layout == spirv.ColumnMajor {
			return uint64(m.Type.Bytes()), stride
		}
		return stride, uint64(m.Type.Bytes())
	}
	row, column := place(&from)
	toRow, toColumn := place(&to)
	return p.rows(int(rows), int(columns)*int(to.Type.Bytes()), func(p *pace, first, end int) error {
		for i := uint64(first); i < uint64(end); i++ {
			if err := p.spend(int(columns) * 16); err != nil {
				return err
			}
			in, out := i*row, i*toRow
			for range columns {
				convertNumber(dst[out:], src[in:], to.Type, from.Type)
				in, out = in+column, out+toColumn
			}
		}
		return nil
	})
}

func convertNumber(dst, src []byte, to, from spirv.ComponentType) {
	var code uint32
	switch from.Bytes() {
	case 1:
		code = uint32(src[0])
	case 2:
		code = uint32(binary.LittleEndian.Uint16(src))
	default:
		code = binary.LittleEndian.Uint32(src)
	}
	if from != to {
		code = to.Encode(from.Decode(code))
	}
	switch to.Bytes() {
	case 1:
		dst[0] = byte(code)
	case 2:
		binary.LittleEndian.PutUint16(dst, uint16(code))
	default:
		binary.LittleEndian.PutUint32(dst, code)
	}
}
