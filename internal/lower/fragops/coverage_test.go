package fragops_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	ref "github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Coverage loses what is not live, not in the mask, and what alpha takes, as the reference has
// it, at all alphas around those where a sample goes. A mask that overrides has all samples to take from.
func TestCoverage_EqualsReference(t *testing.T) {
	rules.Covers(t, "RAS-298", "RAS-315", "RAS-317")
	r := rand.New(rand.NewPCG(8, 9))
	for _, of := range []fragops.Window{fragops.All(1), fragops.All(2), fragops.All(4), fragops.All(8), {First: 1, Count: 1, Of: 2}, {First: 5, Count: 3, Of: 16}, {First: 15, Count: 1, Of: 16}, fragops.All(32), fragops.All(64), {First: 16, Count: 32, Of: 64}, {First: 63, Count: 1, Of: 64}} {
		samples := of.Of
		for bits := range 16 {
			k := fragops.CoverageKey{Live: bits&1 != 0, Alpha: bits&4 != 0, Override: bits&8 != 0, Samples: of}
			if bits&2 != 0 { // of 64 samples, one of the words may be missing
				k.Mask = []uint8{1, 1 + uint8(r.IntN(3))}[(samples-1)/32]
			}
			p, err := fragops.LowerCoverage(k)
			if err != nil {
				t.Fatal(err)
			}
			const n = 40
			var live, mask, upper, alpha []uint32
			places := make([]exec.Place, n)
			var want []exec.Place
			for i := range places {
				q := &places[i]
				for s := range of.Count {
					q.Covered[s] = uint16(r.Uint32() | r.Uint32())
				}
				w, any := *q, uint16(0)
				for _, m := range q.Covered {
					any |= m
				}
				for s := range of.Count {
					if k.Override {
						w.Covered[s] = any
					}
				}
				for l := range ir.PlaceLanes {
					a := (float32(r.IntN(samples+2)) - 0.5) / float32(samples)
					a = []float32{a, math.Nextafter32(a, 2), math.Nextafter32(a, -2), r.Float32(), float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1))}[r.IntN(8)]
					live, mask, alpha = append(live, []uint32{0, 0, 0, math.MaxUint32, 1, 2, 1 << 31, 0x10000}[r.IntN(8)]), append(mask, r.Uint32()), append(alpha, math.Float32bits(a))
					keep := uint64(1)<<samples - 1
					upper = append(upper, r.Uint32())
					at := len(live) - 1
					if k.Live && live[at] == 0 {
						keep = 0
					}
					for w, row := range [][]uint32{mask, upper} {
						if k.Mask>>w&1 != 0 {
							keep &^= uint64(^row[at]) << (32 * w)
						}
					}
					if k.Alpha {
						keep &= ref.AlphaToCoverage(a, samples)
					}
					for s := range of.Count {
						if keep>>(of.First+s)&1 == 0 {
							w.Covered[s] &^= 1 << l
						}
					}
				}
				want = append(want, w)
			}
			var in [][]uint32
			for i, has := range []bool{k.Live, k.Mask&1 != 0, k.Mask&2 != 0, k.Alpha} {
				if has {
					in = append(in, [][]uint32{live, mask, upper, alpha}[i])
				}
			}
			for _, native := range []bool{false, true} {
				routine, err := vm.New(vm.Options{Native: native}).Compile(p)
				if err != nil {
					t.Fatal(err)
				}
				got := append([]exec.Place(nil), places...)
				if err := routine.NewThread(exec.MaxLanes).Run(&exec.Context{}, &exec.Batch{N: n * ir.PlaceLanes, In: in, Places: got}); err != nil {
					t.Fatal(err)
				}
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("%+v, native %v: place %d is %v, want %v", k, native, i, got[i], want[i])
					}
				}
			}
		}
	}
}
