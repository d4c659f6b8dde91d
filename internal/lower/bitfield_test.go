package lower_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/lower"
)

// Bit fields of integers of each width, with offsets and counts of several; bit by
// bit, as SPIR-V tells it. Counts of zero and of all bits are among them.
func TestBitFields_AllWidths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	widths := [4]uint32{8, 16, 32, 64}
	in := make([]uint32, 12*lanes)
	for lane := range lanes {
		at := in[12*lane:]
		for k := range 4 {
			at[k] = r.Uint32()
		}
		for k, w := range widths {
			count := r.Uint32N(w + 1)
			switch lane % 8 {
			case 0:
				count = 0
			case 1:
				count = w
			}
			at[4+2*k], at[5+2*k] = r.Uint32N(w-count+1), count
		}
		if lane%8 == 0 { // nothing, behind the last bit
			for k, w := range widths {
				at[4+2*k] = w * uint32(lane/8%2)
			}
		}
	}
	var names []string
	for _, w := range []string{"8", "16", "32", "64"} {
		names = append(names, w+" insert", "", w+" extract u", "", w+" extract s", "", w+" reverse", "", w+" count")
	}
	got := runCompute(t, "bitfield.spvasm", lower.Options{}, in, 36*lanes)
	check(t, got, 36, names, func(lane uint32) (out []uint32) {
		at := in[12*lane:]
		base, insert := uint64(at[0])|uint64(at[1])<<32, uint64(at[2])|uint64(at[3])<<32
		bit := func(v uint64, i uint32) uint64 { return v >> i & 1 }
		for k, w := range widths {
			offset, count := at[4+2*k], at[5+2*k]
			var inserted, extracted, signed, reversed uint64
			ones := uint32(0)
			for i := range w {
				if i >= offset && i < offset+count {
					inserted |= bit(insert, i-offset) << i
				} else {
					inserted |= bit(base, i) << i
				}
				if i < count {
					extracted |= bit(base, offset+i) << i
				}
				if count > 0 {
					signed |= bit(base, offset+min(i, count-1)) << i
				}
				reversed |= bit(base, w-1-i) << i
				ones += uint32(bit(base, i))
			}
			for _, v := range []uint64{inserted, extracted, signed, reversed} {
				out = append(out, uint32(v), uint32(v>>32))
			}
			out = append(out, ones)
		}
		return out
	})
}
