package sampling

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// YcbcrState is State for samples through a Y′CBCR conversion.
type YcbcrState struct {
	State
	Conversion *resource.YcbcrConversion
	// From tells where R, G, B and A come from.
	From [4]PlaneComponent
	// Chroma has half the width, half the height; its samples lie between luma's.
	Halved, Midpoint [2]bool
	Packed           bool // halved chroma lies in luma's blocks of two texels
	ChromaLinear     bool
}

// PlaneComponent is a component of a format: that of its plane's format with an index, of
// so many bits; 0 where there is none. Chroma is what Halved counts for.
type PlaneComponent struct {
	Plane, Index, Bits int
	Chroma             bool
}

// ResolveYcbcr is Resolve for samples with a conversion: of one filter, with implicit
// reconstruction, of codes as they are.
func ResolveYcbcr(op *ir.ImageOp, v *resource.ImageView, s *resource.Sampler) (YcbcrState, bool) {
	linear := func(f vk.Filter) bool { return f == vk.FilterNearest || f == vk.FilterLinear }
	if op.Kind != ir.ImageSample || op.Dim != ir.Dim2D || v == nil || v.Image == nil || !v.Image.Bound() || v.Info == nil || v.Info.Compressed || v.Image.Type != vk.ImageType2D || v.Image.Samples != 1 ||
		v.Levels != 1 || s == nil || s.Ycbcr == nil || !linear(s.MagFilter) || s.MinFilter != s.MagFilter || s.UnnormalizedCoordinates ||
		v.Image.Flags&vk.ImageCreateCornerSampledBitNV != 0 {
		return YcbcrState{}, false
	}
	y := makeConverter(&Args{Op: op}, v, s)
	if y.explicit || y.conv.YDegamma || y.conv.CbCrDegamma {
		return YcbcrState{}, false
	}
	const edge = vk.SamplerAddressModeClampToEdge
	st := YcbcrState{
		State: State{Modes: [3]vk.SamplerAddressMode{edge, edge, edge}, Dims: y.dims, Coords: y.coords, Layer: y.layer, Layers: y.layers,
			Mag: vkFilters[y.mag], Min: vkFilters[y.min], Swizzle: [4]int8{0, 1, 2, 3}, Aniso: 1},
		Conversion: y.conv, Halved: y.halved, Midpoint: [2]bool{y.midpoint(0), y.midpoint(1)}, Packed: y.packed, ChromaLinear: y.linear,
	}
	for c, f := range y.from {
		if y.info.Components[c].Kind != format.KindNone {
			st.From[c] = PlaneComponent{Plane: f.plane, Index: f.index, Bits: f.bits, Chroma: f.chroma}
		}
	}
	return st, true
}
