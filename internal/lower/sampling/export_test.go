package sampling

import (
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
