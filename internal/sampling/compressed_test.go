package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// IMG-045, IMG-254: a compressed image samples like the uncompressed image of
// its decoded texels. 10×6 texels do not fill their blocks; 2×1 is less than one.
func TestCompressed_IMG254_LikeDecoded(t *testing.T) {
	rules.Covers(t, "IMG-254")
	r := rand.New(rand.NewPCG(19, 20))
	for _, f := range []vk.Format{vk.FormatBc1RgbaSrgbBlock, vk.FormatBc7UnormBlock, vk.FormatBc5SnormBlock, vk.FormatEtc2R8G8B8A8SrgbBlock,
		vk.FormatEacR11SnormBlock, vk.FormatAstc4x4UnormBlock, vk.FormatAstc5x4SrgbBlock, vk.FormatAstc8x5SfloatBlock} {
		im := randomImage(t, r, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(10, 6, 1), MipLevels: 3})
		plain := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32G32B32A32Sfloat, Extent: extent(10, 6, 1), MipLevels: 3})
		for level := range 3 {
			from, to := im.Level(0, level, 0), plain.Level(0, level, 0)
			for y := range from.Height {
				for x := range from.Width {
					var block [format.MaxBlockTexels]format.Texel
					im.Info.DecodeBlock(block[:], from.Data[from.Offset(x, y, 0, 0):])
					plain.Info.Encode(to.Data[to.Offset(x, y, 0, 0):], block[y%im.Info.BlockHeight*im.Info.BlockWidth+x%im.Info.BlockWidth])
				}
			}
		}
		v, w := newView(t, im, resource.ViewDesc{}), newView(t, plain, resource.ViewDesc{})
		for range 200 {
			smp := randomSampler(r)
			for smp.AddressModeU == border || smp.AddressModeV == border { // alpha of the border differs
				smp = randomSampler(r)
			}
			s := newSampler(t, smp)
			op := &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, Lod: ir.LodExplicit}
			a := randomArgs(r, op, 16)
			both(a, v, s, 16)
			b := *a
			for c := range b.Out {
				b.Out[c] = make([]uint32, 16)
			}
			both(&b, w, s, 16)
			u := makeSampled(a, v, s)
			for c := range a.Out {
				for lane := range 16 {
					x, y := a.Out[c][lane], b.Out[c][lane]
					// Float texels have another sum: of two dimensions and levels, see TestExact_IMG532_Linear.
					const bound = 10 * 0x1p-24
					if near := math.Abs(float64(math.Float32frombits(x)-math.Float32frombits(y))) <= bound; x != y && !(near && u.lerps) {
						t.Fatalf("%v lane %d component %d: %#x, decoded image %#x", f, lane, c, a.Out[c][lane], b.Out[c][lane])
					}
				}
			}
		}
		x := lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, icoord: []int32{9, 5}}
		if got, want := x.run(v, nil), x.run(w, nil); got != want {
			t.Errorf("%v fetch: %v, want %v", f, floats(got), floats(want))
		}
		a := randomArgs(r, &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2}, 64)
		a.Blocks = new(format.BlockCache)
		s := newSampler(t, resource.Sampler{MagFilter: linear})
		if n := testing.AllocsPerRun(10, func() { Run(a, v, s, 64) }); n != 0 {
			t.Errorf("%v: %v allocations", f, n)
		}
	}
}
