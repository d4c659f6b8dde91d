package tile

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// AppendPlaces appends the places of a block, of which mask has the samples. There is room for all
// of a block.
func AppendPlaces(to []exec.Place, x, y int32, mask []uint64, record uint32) []exec.Place {
	any := mask[0]
	if len(mask) == 1 {
		n := len(to)
		to = to[:n+raster.BlockPixels/2]
		for row := range int32(raster.BlockPixels / 2) { // no branch: nothing would foretell it
			m := uint16(any >> (16 * row))
			q := &to[n] // field by field: what is assigned together is made elsewhere and copied
			q.X, q.Y, q.Record = x, y+2*row, record
			q.Quads = [4]uint8{}
			q.Covered[0] = m
			next := n + 1
			if m == 0 {
				next = n
			}
			n = next
		}
		return to[:n]
	}
	for _, m := range mask[1:] {
		any |= m
	}
	return AppendRows(to, x, y, mask, any, record)
}

// AppendRows appends the places of a block that have some of the pixels.
func AppendRows(
	to []exec.Place, x, y int32, mask []uint64, any uint64, record uint32,
) []exec.Place {
	for any != 0 {
		row := uint(bits.TrailingZeros64(any)) / 16
		shift := 16 * row & 63
		any &^= 0xFFFF << shift
		n := len(to)
		to = to[:n+1]
		q := &to[n]
		q.X, q.Y, q.Record = x, y+2*int32(row), record
		q.Quads = [4]uint8{}
		for k, m := range mask {
			q.Covered[k] = uint16(m >> shift)
		}
	}
	return to
}
