package sampling

import (
	"math/rand/v2"

	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// EachBench calls f for the cases of the benchmarks, with operands for n lanes, for tests with
// an engine, which imports this package.
func EachBench(n int, f func(name string, a *ref.Args, v *resource.ImageView, s *resource.Sampler)) {
	for _, c := range benchCases() {
		a, v, s, _ := c.lanes(n)
		f(c.name, a, v, s)
	}
}

// Routed says whether the instruction at site 0 runs as a routine.
func (u *Unit) Routed() bool { return u.plans[0].route.thread != nil }

// CompareRandom compares routines of an engine with the reference, for random instructions on
// random views and samplers, until as many lanes ran as routines.
func CompareRandom(e texel.Engine, seed uint64, lanes int) error {
	r := rand.New(rand.NewPCG(seed, 12))
	u := Unit{Engine: e}
	u.Sites(1, 256)
	for done := 0; done < lanes; {
		c := randomCase(r)
		n := []int{1, 3, 4, 16, 61, 64, 128, 256}[r.IntN(8)]
		a := randomArgs(r, &c.op, n)
		if r.IntN(4) == 0 {
			a.Mask = sparse(r, n)
		}
		if err := compare(&u, &c, a, n); err != nil {
			return err
		}
		if u.Routed() {
			done += n
		}
	}
	return nil
}
