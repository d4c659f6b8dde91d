package sampling

import (
	"fmt"
	"math/rand/v2"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// EachBench calls f for the cases of the benchmarks, with operands for n lanes, for tests with
// an engine, which imports this package.
func EachBench(n int, f func(name string, a *ref.Args, v *resource.ImageView, s *resource.Sampler)) {
	for _, c := range benchCases() {
		a, v, s, _ := c.lanes(n)
		f(c.name, a, v, s)
	}
}

// Pairs is how many (key, lane) pairs the command line asks for.
func Pairs() int { return *pairs }

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

// CompareStores compares routines of an engine that write texels with the reference, for every
// format.
func CompareStores(e texel.Engine) error {
	r := rand.New(rand.NewPCG(23, 24))
	u := Unit{Engine: e}
	u.Sites(1, 1024)
	op := ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D, Coords: 2, GradCoords: 2}
	routed := 0
	for _, f := range format.All() {
		info, _ := format.Lookup(f)
		if info.Supported() != nil || info.NeedsConversion() || info.BlockWidth > 1 || len(info.Planes) > 1 || info.Compressed {
			continue
		}
		n := 200 + r.IntN(100)
		a := randomArgs(r, &op, n)
		for c := range 2 {
			a.Coord[c] = make([]uint32, n)
			for i := range n {
				a.Coord[c][i] = uint32(r.IntN(20) - 2)
			}
		}
		c := testCase{op: op, v: noise(r, vk.ImageType2D, f, 17, 15)}
		if err := compare(&u, &c, a, n); err != nil {
			return err
		}
		if u.Routed() {
			routed++
		}
	}
	if routed < 60 {
		return fmt.Errorf("only %d formats", routed)
	}
	return nil
}
