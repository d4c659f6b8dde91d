package fragops

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// MaskWords is how many words of SampleMask the samples of a pixel have at most.
const MaskWords = ir.PlaceSamples / 32

// CoverageKey says what of a shader's results takes samples out of the coverage of places, or gives
// it some.
type CoverageKey struct {
	// Live: invocations may have been demoted. Alpha: there is alpha to coverage.
	Live, Alpha bool
	// Mask has a bit for each word of SampleMask that there is; of one that is missing samples stay.
	Mask uint8
	// Override: where any sample is covered, a mask stands for all.
	Override bool
	Samples  Window
}

// LowerCoverage makes the program of a key. Its inputs are those that the key has, in this order: a
// word that is 0 where an invocation is not live any more, the words of the mask, alpha.
//
// RAS-298, RAS-315, RAS-317 fragops-covg
func LowerCoverage(k CoverageKey) (*ir.Program, error) {
	p := &ir.Program{Stage: ir.StageFragment, Name: "coverage"}
	b := ir.NewBuilder(p)
	input := func(t ir.Type) ir.Value {
		slot := len(p.Inputs)
		p.Inputs = append(p.Inputs, ir.IO{Location: uint32(slot), Type: t, Interp: ir.Flat})
		return b.OpImm(ir.OpInput, t, uint64(slot))
	}
	var taken []ir.Value
	if k.Live {
		taken = append(taken, b.Op(ir.OpINe, ir.Bool, input(ir.I32), b.I32(0)))
	}
	for range bits.OnesCount8(k.Mask) {
		taken = append(taken, input(ir.I32))
	}
	if k.Alpha {
		taken = append(taken, input(ir.F32))
	}
	cover(b, k.keep(b, taken))
	b.Finish()
	if err := ir.Verify(p); err != nil {
		return nil, err
	}
	ir.Optimize(p)
	return p, nil
}

// cover leaves places with what is covered of each sample.
func cover(b *ir.Builder, left []ir.Value) {
	for s, v := range left {
		b.OpImm(ir.OpCover, ir.Void, uint64(s), v)
	}
}

// keep makes the coverage of each sample that is left: from has what the key names, in the order that
// it does.
//
// RAS-298, RAS-315, RAS-317 fragops-covg
func (k CoverageKey) keep(b *ir.Builder, from []ir.Value) (list []ir.Value) {
	next := func(wanted bool) (v ir.Value) {
		if wanted {
			v, from = from[0], from[1:]
		}
		return v
	}
	live := next(k.Live)
	var mask [MaskWords]ir.Value
	for w := range mask {
		mask[w] = next(k.Mask>>w&1 != 0)
	}
	alpha := next(k.Alpha)
	var covered []ir.Value
	for s := range k.Samples.Count {
		covered = append(covered, b.OpImm(ir.OpCovered, ir.Bool, uint64(s)))
	}
	if k.Override {
		any := covered[0]
		for _, v := range covered[1:] {
			any = b.Op(ir.OpOr, ir.Bool, any, v)
		}
		for s := range covered {
			covered[s] = any
		}
	}
	for s, keep := range covered {
		of := k.Samples.First + s
		and := func(v ir.Value) { keep = b.Op(ir.OpAnd, ir.Bool, keep, v) }
		if k.Live {
			and(live)
		}
		if w := of / 32; k.Mask>>w&1 != 0 {
			bit := b.Op(ir.OpAnd, ir.I32, mask[w], b.I32(1<<(of%32)))
			and(b.Op(ir.OpINe, ir.Bool, bit, b.I32(0)))
		}
		if k.Alpha { // floor(alpha·r + 0.5) > of, without rounding; false for a NaN
			and(b.Op(ir.OpFLe, ir.Bool, b.F32((float32(of)+0.5)/float32(k.Samples.Of)), alpha))
		}
		list = append(list, keep)
	}
	return list
}
