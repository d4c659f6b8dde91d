package tile

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// AppendPlaces appends the places of a block, of which mask has the samples.
func AppendPlaces(to []exec.Place, x, y int32, mask []uint64, record uint32) []exec.Place {
	any := mask[0]
	if len(mask) == 1 {
		for ; any != 0; y, any = y+2, any>>16 {
			if uint16(any) == 0 {
				continue
			}
			n := len(to)
			to = to[:n+1]
			q := &to[n] // field by field: what is assigned together is made elsewhere and copied
			q.X, q.Y, q.Record = x, y, record
			q.Quads = [4]uint8{}
			q.Covered = [ir.PlaceSamples]uint16{}
			q.Covered[0] = uint16(any)
		}
		return to
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
		q.Covered = [ir.PlaceSamples]uint16{}
		for k, m := range mask {
			q.Covered[k] = uint16(m >> shift)
		}
	}
	return to
}
