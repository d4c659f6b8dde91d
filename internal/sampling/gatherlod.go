package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// gathersLevel says that a gather selects its level (VK_AMD_texture_gather_bias_lod).
// No program does.
//
// IMG-889
func gathersLevel(op *ir.ImageOp) bool { return op.Lod == ir.LodBias || op.Lod == ir.LodExplicit }

// gatherLevel is the level that a gather reads, counted from the view's base: that
// itself, or the one nearest to the level of detail that a sample of the same bias or
// LOD has.
//
// IMG-889
func (u *sampled) gatherLevel(lane, n int, g *gradients) int {
	if !gathersLevel(u.a.Op) {
		return 0
	}
	lambda, _ := u.lambdaPrime(lane, n, g)
	return int(math.Ceil(u.lod.levelOf(u.lod.clampLod(lambda, 0))+0.5)) - 1
}
