package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// runQuerySize is IMG-605…607: the size of a level, or of the first one, then the number of layers
// or cubes. Levels that the view lacks have size 0 (IMG-606).
//
// IMG-611, IMG-612
func runQuerySize(a *Args, v *resource.ImageView, n int) {
	for lane := range n {
		if !a.active(lane) {
			continue
		}
		level := 0
		if a.Lod != nil {
			level = int(int32(a.Lod[lane]))
		}
		r := sizeOf(a.Op, v, level)
		if t := a.Trace; t != nil {
			t.size(a, v, level)
		}
		for c := range r {
			if a.Out[c] != nil {
				a.Out[c][lane] = r[c]
			}
		}
	}
}

// sizeOf is the answer of a size query for a level.
func sizeOf(op *ir.ImageOp, v *resource.ImageView, level int) (r [4]uint32) {
	if uint(level) >= uint(v.Levels) {
		return r
	}
	// IMG-611: of weight images, too.
	w, h, d := v.Extent(level)
	size := [3]uint32{uint32(w), uint32(h), uint32(d)}

	dims := spatial(op.Dim)
	layers := v.Layers
	if op.Dim == ir.DimCube {
		dims, layers = 2, v.Layers/6
	}
	copy(r[:], size[:dims])
	if op.Arrayed {
		r[dims] = uint32(layers)
	}
	return r
}

// runQueryLod is IMG-609: the level that sampling would use, counted
// from the view's base, and λ' before its clamps.
func runQueryLod(a *Args, v *resource.ImageView, s *resource.Sampler, n int) {
	if !shapeFits(a.Op, v) {
		zeroLanes(a, n)
		return
	}
	u := makeSampled(a, v, s)
	u.layer = -1 // queries take no layer
	for lane := range n {
		if !a.active(lane) {
			continue
		}
		_, g := u.locate(lane, n)
		// IMG-610
		prime, _ := u.lambdaPrime(lane, n, &g)
		lambda := u.lod.clampLod(prime, 0)
		d := u.lod.levelOf(lambda)

		if !u.lod.linear {
			d = math.Ceil(d+0.5) - 1
		}
		if t := a.Trace; t != nil {
			t.query(prime, lambda, d)
		}
		if prime != prime { // IMG-008
			prime = math.Inf(-1)
		}
		a.Out[0][lane] = math.Float32bits(float32(d))
		if a.Out[1] != nil {
			a.Out[1][lane] = math.Float32bits(float32(prime))
		}
	}
}

// RunCount executes a query of the number of levels or samples for lanes lo…hi-1. A nil view is
// the null descriptor.
//
// IMG-608
func RunCount(a *Args, v *resource.ImageView, lo, hi int) {
	levels, samples := 0, 0
	if !null(a, v) {
		levels, samples = v.Levels, int(v.Image.Samples)
		if t := a.Trace; t != nil {
			t.add("IMG-608", "levels %d, samples %d", levels, samples)
		}
	}
	if a.Op.Kind == ir.ImageQueryLevels {
		broadcast(a, lo, hi, uint32(levels))
	} else {
		broadcast(a, lo, hi, uint32(samples))
	}
}

// broadcast gives every lane the same scalar.
func broadcast(a *Args, lo, hi int, x uint32) {
	for lane := lo; lane < hi; lane++ {
		if a.active(lane) {
			a.Out[0][lane] = x
		}
	}
}
