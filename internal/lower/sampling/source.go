package sampling

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// Source filters texels of a view's base level at unnormalized coordinates that
// clamp to the edge: the texel side of a blit. It belongs to one goroutine.
type Source struct {
	unit      Unit
	args      ref.Args
	out       [4][chunk]uint32
	group     uint32
	reference *ref.Source // where the key is not lowered
}

// blitState is the instruction and the sampler that a blit's reads are.
func blitState(filter vk.Filter, weights vk.CubicFilterWeightsQCOM, volume bool) (*ir.ImageOp, *resource.Sampler) {
	op := &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 3, Arrayed: true, Lod: ir.LodZero, Results: 4}
	if volume {
		op.Dim, op.Arrayed = ir.Dim3D, false
	}
	const edge = vk.SamplerAddressModeClampToEdge
	return op, &resource.Sampler{MagFilter: filter, MinFilter: filter, AddressModeU: edge, AddressModeV: edge, AddressModeW: edge,
		UnnormalizedCoordinates: true, CubicWeights: weights}
}

// NewSource prepares a view; volume selects filtering in three dimensions.
// Integer formats are read without filtering; weights are those of
// VK_FILTER_CUBIC_EXT.
func NewSource(v *resource.ImageView, filter vk.Filter, weights vk.CubicFilterWeightsQCOM, volume bool) *Source {
	op, sampler := blitState(filter, weights, volume)
	src := &Source{args: ref.Args{Op: op}}
	src.unit.Sites(1, chunk)
	p := src.unit.plans[0]
	if p.make(op, v, sampler); !p.ok || p.key.Corner { // blits count texels
		src.reference = ref.NewSource(v, filter, weights, volume)
		return src
	}
	if src.group = groupOf(p.key.Mag); src.group == groupNearest {
		src.group = groupOne
	}
	for c := range src.out {
		src.args.Out[c] = src.out[c][:]
	}
	return src
}

// Row writes the filtered texels at (u[i], v, w) of a layer of the view to dst.
func (s *Source) Row(dst []format.Texel, u []float64, v, w float64, layer int) {
	if s.reference != nil {
		for i := range dst {
			dst[i] = s.reference.Texel(u[i], v, w, layer)
		}
		return
	}
	p, b := s.unit.plans[0], &s.unit.whole
	for len(dst) > 0 {
		n := min(len(dst), chunk)
		b.n, b.base = n, 0
		copy(b.c[0][:n], u)
		for k := range n {
			b.c[1][k], b.c[2][k], b.layer[k], b.frac[k] = v, w, int32(layer), 0
		}
		s.unit.filter(p, &s.args, b, s.group, n)
		for k := range n {
			dst[k] = format.Texel{s.out[0][k], s.out[1][k], s.out[2][k], s.out[3][k]}
		}
		dst, u = dst[n:], u[n:]
	}
}
