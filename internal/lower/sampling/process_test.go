package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// randomProcess draws an instruction of image processing and its operands: targets,
// references and weights of all formats, compressed ones half of the time.
func randomProcess(r *rand.Rand, n int) (testCase, *ref.Args) {
	op := ir.ImageOp{Kind: []ir.ImageKind{ir.ImageWeighted, ir.ImageBoxFilter, ir.ImageBlockMatch, ir.ImageBlockMatch}[r.IntN(4)], Dim: ir.Dim2D, Results: 4, Coords: 2,
		Match: ir.MatchForm(r.IntN(3)), SAD: r.IntN(2) == 0}
	view := func() *resource.ImageView {
		packed := r.IntN(2) == 0
		for {
			if v := randomView(r, ir.Dim2D, false); v.Info.Compressed == packed && v.Info.Class == format.ClassFloat {
				return v
			}
		}
	}
	s := resource.Sampler{AddressModeU: vk.SamplerAddressModeClampToEdge, AddressModeV: vk.SamplerAddressModeClampToBorder, ImageProcessing: true,
		UnnormalizedCoordinates: true, Reduction: vk.SamplerReductionMode(r.IntN(3)), Window: resource.BlockMatchWindow{Width: 1 + r.IntN(3), Height: 1 + r.IntN(3)}}
	c := testCase{op: op, v: view(), s: must(resource.NewSampler(s))}
	a := &ref.Args{Op: &c.op, Second: view()}
	a.Second.Weights = resource.WeightImage{CenterX: 1, CenterY: 1, Width: 3, Height: 2, Phases: 1}
	lanes := func(f func() uint32) []uint32 {
		x := make([]uint32, n)
		for i := range x {
			x[i] = f()
		}
		return x
	}
	texel := func() uint32 { return uint32(r.IntN(20)) }
	spot := func() uint32 { return math.Float32bits(r.Float32() * 20) }
	size := spot
	if op.Kind == ir.ImageBlockMatch {
		spot, size = texel, func() uint32 { return uint32(1 + r.IntN(5)) }
	}
	for d := range 2 {
		a.Coord[d], a.RefCoord[d], a.Block[d] = lanes(spot), lanes(texel), lanes(size)
	}
	for i := range a.Out {
		a.Out[i] = make([]uint32, n)
	}
	return c, a
}

// Image processing gives the reference's bits for targets and references of all
// formats, in a unit that kept blocks of others.
func TestRun_ProcessEqualsReference(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	var u Unit
	u.Sites(1, 64)
	for range 400 {
		n := 1 + r.IntN(16)
		c, a := randomProcess(r, n)
		if err := compare(&u, &c, a, n); err != nil {
			t.Fatalf("second image %v: %v", a.Second.Format, err)
		}
	}
}
