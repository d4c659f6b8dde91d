package sampling

import (
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
			encodeOperand(a, v.Info, dst, lane)
		}
	}
}
