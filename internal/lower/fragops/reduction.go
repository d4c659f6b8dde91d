package fragops

import (
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Reduction says how the coverage of a pixel's samples becomes that of an attachment's samples, and
// what it does to colours. The zero value is that of as many samples, each for itself.
type Reduction struct {
	// Color is the number of the attachment's samples, of Samples that are rasterized: each has
	// Group of these, or the first ones stand for themselves, and Group is 1.
	Samples, Color, Group uint8
	// Width: so many bits of the pixel's coverage are stored, as a number with a sign if Signed.
	Width  uint8
	Signed bool
	// RGB and Alpha are multiplied by the factor of as many samples as are covered of a group.
	RGB, Alpha bool
}

// ReductionOf is that of an attachment in a pass of so many samples.
func ReductionOf(c *fragops.Coverage, samples int) Reduction {
	if c.Trivial(samples) {
		return Reduction{}
	}
	r := Reduction{Samples: uint8(samples), Color: uint8(c.Color), Group: uint8(c.Group)}
	if r.RGB, r.Alpha = c.RGB, c.Alpha; c.ToColor {
		r.Width, r.Signed = uint8(c.Width), c.Signed
	}
	return r
}

// modulates says that there are factors.
func (r *Reduction) modulates() bool { return r.RGB || r.Alpha }

// Whole says that it takes the coverage of all samples of a pixel. Places that have some of them
// have the others behind these, in their order.
func (r *Reduction) Whole() bool { return r.Group > 1 || r.Width > 0 || r.modulates() }

// Window is which samples of the attachment's pixels belong to samples of a window: perhaps none.
func (r *Reduction) Window(w Window) Window {
	if r.Color == 0 {
		return w
	}
	color, group := int(r.Color), int(r.Group)
	from, to := w.First/group, min((w.First+w.Count+group-1)/group, color)
	return Window{First: from, Count: max(to-from, 0), Of: color}
}

// groups are the samples of places that belong to each of the attachment's.
func (r *Reduction) groups(w Window) [][]int {
	list := make([][]int, r.Window(w).Count)
	group := max(int(r.Group), 1)
	for k := range w.Count {
		if c := (w.First+k)/group - w.First/group; c < len(list) {
			list[c] = append(list[c], k)
		}
	}
	return list
}

// whole is the coverage of a pixel's samples, of which places of a window have some.
func (b *builder) whole(w Window, own []ir.Value) (all []ir.Value) {
	r := &b.k.Reduction
	if !r.Whole() || w.Count == int(r.Samples) {
		return own
	}
	for s := range w.Of {
		switch {
		case s < w.First:
			all = append(all, b.OpImm(ir.OpCovered, ir.Bool, uint64(w.Count+s)))
		case s < w.First+w.Count:
			all = append(all, own[s-w.First])
		default:
			all = append(all, b.OpImm(ir.OpCovered, ir.Bool, uint64(s)))
		}
	}
	return all
}

// reduced says where a sample of the attachment is covered: own is the coverage that an invocation
// has of its group, whole that of all. Of several invocations that with the first one has it.
func (b *builder) reduced(own, whole []ir.Value) ir.Value {
	var v ir.Value
	for k, on := range own {
		if k == 0 {
			v = on
		} else {
			v = b.Op(ir.OpOr, ir.Bool, v, on)
		}
	}
	for _, before := range whole {
		if before == own[0] {
			break
		}
		v = b.Op(ir.OpAnd, ir.Bool, v, b.Op(ir.OpNot, ir.Bool, before))
	}
	return v
}

// mask is the coverage of a pixel as the attachment's integers have it: the low bits, whatever
// number they are.
//
// RAS-331 fragops-coverage-to-color
func (b *builder) mask(whole []ir.Value) ir.Value {
	v := b.I32(0)
	for s, on := range whole[:min(len(whole), 32)] {
		v = b.Op(ir.OpOr, ir.I32, v, b.Op(ir.OpSelect, ir.I32, on, b.I32(1<<s), b.I32(0)))
	}
	unused := 32 - uint32(b.k.Reduction.Width)
	if v = b.shl(v, unused); b.k.Reduction.Signed {
		return b.Op(ir.OpShrS, ir.I32, v, b.I32(unused))
	}
	return b.shr(v, unused)
}

// modulated are sources multiplied by the factor of as many samples as are covered of a group.
//
// RAS-336 fragops-coverage-modulation
func (b *builder) modulated(source, group []ir.Value) (to []ir.Value) {
	n := b.I32(0)
	for _, on := range group {
		n = b.Op(ir.OpIAdd, ir.I32, n, b.Op(ir.OpSelect, ir.I32, on, b.I32(1), b.I32(0)))
	}
	factor := b.pushedWord(pushFactors)
	for k := 1; k < len(group); k++ {
		more := b.Op(ir.OpULt, ir.Bool, b.I32(uint32(k)), n)
		factor = b.Op(ir.OpSelect, ir.F32, more, b.pushedWord(pushFactors+k), factor)
	}
	for i, v := range source {
		if r := &b.k.Reduction; i < 3 && r.RGB || i == 3 && r.Alpha {
			v = b.Op(ir.OpFMul, ir.F32, v, factor)
		}
		to = append(to, v)
	}
	return to
}
