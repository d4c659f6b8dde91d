package sampling

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Source filters single texels of a view's base level at unnormalized
// coordinates that clamp to the edge: the texel side of a blit, as the reference
// does it. It belongs to one goroutine.
type Source struct {
	u   sampled
	how filter
}

// NewSource prepares a view; volume selects filtering in three dimensions.
// Integer formats are read without filtering; weights are those of
// VK_FILTER_CUBIC_EXT.
func NewSource(v *resource.ImageView, filter vk.Filter, weights vk.CubicFilterWeightsQCOM, volume bool) *Source {
	op := &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodZero}
	if volume {
		op.Dim = ir.Dim3D
	}
	const edge = vk.SamplerAddressModeClampToEdge
	s := &resource.Sampler{MagFilter: filter, MinFilter: filter, AddressModeU: edge, AddressModeV: edge, AddressModeW: edge,
		UnnormalizedCoordinates: true, CubicWeights: weights}
	a := &Args{Op: op}
	if v.Info.Compressed {
		a.Blocks = new(format.BlockCache)
	}
	src := &Source{u: makeSampled(a, v, s)}
	src.how, src.u.corner = src.u.mag, false // blits count texels
	return src
}

// Texel returns the filtered texel at (u, v, w) of a layer of the view.
func (s *Source) Texel(u, v, w float64, layer int) format.Texel {
	at := spot{c: [3]float64{u, v, w}, layer: layer}
	if s.how == filterNearest {
		return s.u.nearest(&at, 0)
	}
	total, level := newSum(), newSum()
	s.u.filterLevel(&level, &at, 0, s.how)
	s.u.combine(&total, &level, nil, 0)
	return s.u.result(&total, 1)
}
