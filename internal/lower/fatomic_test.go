package lower_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
)

func TestFloatAtomics_SharedBufferDoubleImage(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = math.Float32bits(float32((i*37)%64)*0.3 - 7)
	}
	f := func(i uint32) float32 { return math.Float32frombits(in[i]) }
	for _, form := range forms {
		p := compile(t, "fatomic.comp"+form, lower.Options{})
		seen := map[ir.AtomicOp]bool{}
		for _, op := range p.ImageOps {
			if op.Kind == ir.ImageAtomic && op.Result == ir.ClassFloat {
				seen[op.Atomic] = true
			}
		}
		if !seen[ir.AtomicFAdd] || !seen[ir.AtomicFMin] || !seen[ir.AtomicFMax] {
			t.Errorf("image atomics: %v", seen)
		}
		b := make([]byte, 40)
		for i, v := range []float32{1, 1e9, -1e9, 4} {
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
		}
		binary.LittleEndian.PutUint64(b[24:], math.Float64bits(1e9))
		binary.LittleEndian.PutUint64(b[32:], math.Float64bits(-1e9))
		got := runCompute(t, "fatomic.comp"+form, lower.Options{}, in, lanes*8, b)
		var sum, least, most float32 = 0, 1e9, -1e9
		var dsum, dleast, dmost float64 = 0, 1e9, -1e9
		for i := range uint32(lanes) {
			x := f(i)
			sum, least, most = sum+x, min(least, x), max(most, x)
			dsum, dleast, dmost = dsum+float64(x), min(dleast, float64(x)), max(dmost, float64(x))
		}
		end, dend := sum+float32(least*2)+most, float32(dsum+float64(dleast*2)+dmost)
		shared, add, lo, hi, swap := float32(0), float32(1), float32(1e9), float32(-1e9), float32(4)
		check(t, got[:lanes*8], 8, []string{"shared add", "add", "min", "max", "exchange", "image", "shared end", "double end"}, func(lane uint32) []uint32 {
			w := bits(shared, add, lo, hi, swap, 0)
			x := f(lane)
			shared, add, swap = shared+x, add+x, x
			lo, hi = min(lo, x), max(hi, x)
			return append(w, bits(end, dend)...)
		})
	}
}
