package sampling

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// runWrite is §15 textures-output: texels outside the view are not written
// (IMG-372), components that the operand lacks are 0 (IMG-374).
func runWrite(a *Args, v *resource.ImageView, n int) {
	if v.Info.Compressed {
		return // IMG-382: not writable
	}
	for lane := range n {
		if !a.active(lane) {
			continue
		}
		if dst := a.backed(texelAt(v, integerCoord(a, lane)), v.Info.BlockBytes); dst != nil {
			v.Info.Encode(dst, texelOperand(a, lane))
		}
	}
}

// texelOperand is the texel that a lane writes.
func texelOperand(a *Args, lane int) format.Texel {
	var t format.Texel
	for c := range t {
		if a.Texel[c] != nil {
			t[c] = a.Texel[c][lane]
		}
	}
	return t
}

func writeBuffer(a *Args, b *resource.BufferView, n int) {
	for lane := range n {
		if !a.active(lane) {
			continue
		}
		if dst := a.backed(elementAt(a, b, lane), b.Info.BlockBytes); dst != nil {
			b.Info.Encode(dst, texelOperand(a, lane))
		}
	}
}
