package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// encodeOperand stores the texel that a lane writes.
func encodeOperand(a *Args, info *format.Info, dst []byte, lane int) {
	if a.Op.Wide {
		t := operandBits(a, lane)
		if !info.Encode64(dst, format.Wide{uint64(t[0]) | uint64(t[1])<<32}) {
			info.Encode(dst, t) // two words
		}
		return
	}
	info.Encode(dst, texelOperand(a, info, lane))
}

// operandBits are the operands of a lane as they are.
func operandBits(a *Args, lane int) format.Texel {
	var t format.Texel
	for c := range t {
		if a.Texel[c] != nil {
			t[c] = a.Texel[c][lane]
		}
	}
	return t
}

// texelOperand is the texel that a lane writes. Integers of the other signedness
// than the format's saturate (IMG-381).
//
// IMG-371
func texelOperand(a *Args, info *format.Info, lane int) format.Texel {
	t := operandBits(a, lane)
	switch {
	case a.Op.Result == ir.ClassSint && info.Class == format.ClassUint:
		for c := range t {
			t[c] = uint32(max(int32(t[c]), 0))
		}
	case a.Op.Result == ir.ClassUint && info.Class == format.ClassSint:
		for c := range t {
			t[c] = min(t[c], math.MaxInt32)
		}
	}
	return t
}
