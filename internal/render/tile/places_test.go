package tile

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// Places of a block have its samples, one for each two rows of pixels that have any, whatever their
// memory held before.
func TestAppendPlaces_OfAnyMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 92))
	dirty := make([]exec.Place, 3*raster.BlockPixels/2)
	for i := range dirty {
		q := &dirty[i]
		q.X, q.Y, q.Record, q.Quads = -1, -1, 99, [4]uint8{1, 2, 3, 4}
		for k := range q.Covered {
			q.Covered[k] = 0xFFFF
		}
	}
	for round := range 4000 {
		mask := make([]uint64, 1<<r.IntN(4))
		any := uint64(0)
		for k := range mask {
			mask[k] = r.Uint64() & r.Uint64() & (r.Uint64() << r.IntN(64)) >> r.IntN(64)
			any |= mask[k]
		}
		before := r.IntN(9)
		got := AppendPlaces(dirty[:before], 8, 24, mask, 48)[before:]
		for row := range 4 {
			pixels := any >> (16 * row) & 0xFFFF
			if pixels == 0 {
				continue
			}
			if len(got) == 0 {
				t.Fatalf("round %d: rows %d and %d of %x have no place", round, 2*row, 2*row+1, mask)
			}
			q := &got[0]
			got = got[1:]
			if q.X != 8 || q.Y != 24+2*int32(row) || q.Record != 48 || q.Quads != [4]uint8{} {
				t.Fatalf("round %d: rows %d and %d of %x are %+v", round, 2*row, 2*row+1, mask, q)
			}
			for k, m := range mask {
				if want := uint16(m >> (16 * row)); q.Covered[k] != want {
					t.Fatalf("round %d: sample %d is covered in %x, want %x", round, k, q.Covered[k], want)
				}
			}
			if any := q.Any(len(mask)); any != uint16(pixels) {
				t.Fatalf("round %d: lanes with samples are %x, want %x", round, any, pixels)
			}
		}
		if len(got) > 0 {
			t.Fatalf("round %d: %d places more than the %d pixels of %x need", round, len(got), bits.OnesCount64(any), mask)
		}
	}
}
