package sampling

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// decodedAlike makes a compressed image of 24×20 texels, and the uncompressed one of
// its decoded texels.
func decodedAlike(t testing.TB, r *rand.Rand, f vk.Format) (packed, plain *resource.ImageView) {
	im := randomImage(t, r, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(24, 20, 1)})
	wide := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32G32B32A32Sfloat, Extent: extent(24, 20, 1)})
	from, to := im.Level(0, 0, 0), wide.Level(0, 0, 0)
	for y := range from.Height {
		for x := range from.Width {
			var block [format.MaxBlockTexels]format.Texel
			im.Info.DecodeBlock(block[:], from.Data[from.Offset(x, y, 0, 0):])
			wide.Info.Encode(to.Data[to.Offset(x, y, 0, 0):], block[y%im.Info.BlockHeight*im.Info.BlockWidth+x%im.Info.BlockWidth])
		}
	}
	return newView(t, im, resource.ViewDesc{}), newView(t, wide, resource.ViewDesc{})
}

// IMG-045, IMG-254: image processing reads a compressed target, reference or both as
// it reads their decoded texels, whichever of them comes first.
func TestProcess_IMG254_CompressedLikeDecoded(t *testing.T) {
	rules.Covers(t, "IMG-254", "IMG-656", "IMG-673")
	r := rand.New(rand.NewPCG(31, 32))
	for _, f := range []vk.Format{vk.FormatBc1RgbaUnormBlock, vk.FormatBc7UnormBlock, vk.FormatBc6hUfloatBlock, vk.FormatEtc2R8G8B8A8UnormBlock,
		vk.FormatEacR11G11SnormBlock, vk.FormatAstc4x4UnormBlock, vk.FormatAstc8x5SfloatBlock} {
		target, decodedTarget := decodedAlike(t, r, f)
		reference, decodedReference := decodedAlike(t, r, f)
		weights := weightView(t, vk.ImageViewType2DArray, 3, 3, 1, resource.WeightImage{CenterX: 1, CenterY: 1, Width: 3, Height: 3, Phases: 1},
			func(x, y, _ int) float32 { return float32(x - y) })
		s := *processSampler(t, edge, true, average)
		s.Window = resource.BlockMatchWindow{Width: 3, Height: 2}
		for _, sad := range []bool{false, true} {
			for form := range ir.MatchForm(3) {
				x := lane1{op: ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D, SAD: sad, Match: form}, icoord: []int32{2, 3}}
				run := func(v, second *resource.ImageView) [4]float32 {
					got := x.process(second, v, &s, []uint32{5, 4}, []uint32{6, 5})
					if form == ir.MatchPlain {
						for c := range got { // which components there are is the target format's
							if target.Info.Components[c].Kind == format.KindNone {
								got[c] = 0
							}
						}
					}
					return got
				}
				want := run(decodedTarget, decodedReference)
				for name, got := range map[string][4]float32{
					"a compressed reference": run(decodedTarget, reference), "a compressed target": run(target, decodedReference), "both compressed": run(target, reference),
				} {
					if got != want {
						t.Errorf("%v, SAD %v, form %d, %s: %v, decoded %v", f, sad, form, name, got, want)
					}
				}
			}
		}
		at := lane1{op: ir.ImageOp{Kind: ir.ImageBoxFilter, Dim: ir.Dim2D}, coord: []float32{7.25, 8.5}}
		size := []uint32{one(3.5)[0], one(2.25)[0]}
		if got, want := at.process(nil, target, &s, nil, size), at.process(nil, decodedTarget, &s, nil, size); got != want {
			t.Errorf("%v, a box filter: %v, decoded %v", f, got, want)
		}
		at.op.Kind = ir.ImageWeighted
		if got, want := at.process(weights, target, &s, nil, nil), at.process(weights, decodedTarget, &s, nil, nil); got != want {
			t.Errorf("%v, weighted: %v, decoded %v", f, got, want)
		}
		// No format with blocks can hold weights: they weigh nothing.
		packed := *reference
		packed.Weights = weights.Weights
		if got := at.process(&packed, decodedTarget, &s, nil, nil); got != [4]float32{} {
			t.Errorf("%v as weights: %v", f, got)
		}
	}
}
