package fragops

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/pack"
)

// LowerResolve makes a program that stores the mean of the samples of surface 1 to surface 0, for the
// pixels of its places of which the first sample is covered: in linear space, summed in binary64 in the order of
// the samples, and rounded to binary32 before the format's own rounding. It is nil for formats of integers, whose
// first sample counts, and for pixels that programs on places don't have.
//
// RAS-350..353, RAS-356 renderpass-resolve-operations
func LowerResolve(info *format.Info, samples int) (*ir.Program, error) {
	bytes, bits := samples*info.BlockBytes, 0
	for _, c := range info.Components {
		if c.Kind != format.KindNone {
			bits += c.Bits
		}
	}
	if bits != 8*info.BlockBytes { // equal samples keep what is in the padding
		return nil, nil
	}
	if info.Class != format.ClassFloat || bytes > 64 || bytes&(bytes-1) != 0 || info.BlockBytes%4 != 0 || info.SharedExponent() || info.Components[0].Bits == 64 {
		return nil, nil
	}
	p := &ir.Program{Stage: ir.StageFragment, Name: "resolve " + info.Format.String()}
	b := newBuilder(ir.NewBuilder(p), ColorKey{Format: info.Format, Mask: allComponents}, info)
	from := ir.Texel{Surface: 1, Bytes: uint16(bytes)}
	x := doubles{b.Builder}
	var sums colour
	for sample := range samples {
		b.stored = b.stored[:0]
		for w := range b.words {
			from.Word = uint8(sample*b.words + w)
			b.stored = append(b.stored, b.OpImm(ir.OpLoadTexel, ir.I32, from.Imm()))
		}
		for i := range sums {
			if !b.writes(i) {
				continue
			}
			if sample == 0 { // +0, also where all samples are −0
				sums[i] = x.num(0)
			}
			sums[i] = x.add(sums[i], x.from(b.decode(i).V))
		}
	}
	for i, v := range sums {
		if b.writes(i) {
			b.color[i] = pack.Any(x.float(x.mul(v, x.num(1/float64(samples)))))
		}
	}
	covered := b.OpImm(ir.OpCovered, ir.Bool, 0)
	var more []ir.Value
	for w := range b.words {
		more = append(more, covered, b.word(w))
	}
	b.OpMore(ir.OpStoreTexel, ir.Void, ir.Texel{Bytes: uint16(info.BlockBytes)}.Imm(), more)
	b.Finish()
	if err := ir.Verify(p); err != nil {
		return nil, err
	}
	ir.Optimize(p)
	return p, nil
}
