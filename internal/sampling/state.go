package sampling

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// State is what an image instruction, a view and a sampler fix before any lane
// runs, as the steps of this package read it. Package lower/texel makes its
// keys from it.
type State struct {
	Modes        [3]vk.SamplerAddressMode
	Dims         int // dimensions that filter: cubes have 2
	Coords       int // spatial components of the coordinate: cubes have 3
	Layer        int // index of the layer component, or −1
	Layers       int // layers, or cubes, that it selects from
	Cube, Seams  bool
	Mag, Min     vk.Filter // NEAREST for integers
	Corner       bool      // corner-sampled: coordinates count from the first texel's centre
	Unnormalized bool
	Compare      bool
	RefUnit      bool // the reference is clamped to [0,1]
	CompareOp    vk.CompareOp
	Reduction    vk.SamplerReductionMode
	Aniso        float64 // maxAnisotropy where it is active, else 1
	Border       format.Texel
	CodeMax      float64 // largest code of an integer-coded format, else 0
	Lerps        bool    // texels are interpolated in binary32
	Shares       bool    // with a product for each
	Base         [3]float64
	Swizzle      [4]int8 // as resource.SwizzleOf gives it
	One          uint32  // what a swizzle's one is
	Invalid      format.Texel

	Bias, MinLod, MaxLod, ViewMin, LastLevel float64
	MipLinear                                bool
}

// Resolve returns the state of a sample, gather or LOD query. It returns false
// where an instruction needs a rule that State does not tell of; whoever adds
// such a rule to this package adds it here, and package texel leaves it to Run.
func Resolve(op *ir.ImageOp, v *resource.ImageView, s *resource.Sampler) (State, bool) {
	if !common(v, s) || !shapeFits(op, v) || op.Kind == ir.ImageGather && (gathersLevel(op) || op.NearestOrigin) {
		return State{}, false
	}
	u := makeSampled(&Args{Op: op}, v, s)
	st := State{
		Dims: u.dims, Coords: u.coords, Layer: u.layer, Layers: u.layers, Cube: u.cube, Seams: u.seams, Mag: vkFilters[u.mag], Min: vkFilters[u.min], Corner: u.corner,
		Unnormalized: u.unnorm, Compare: u.compare, RefUnit: u.refUnit, CompareOp: u.op, Reduction: u.reduce, Aniso: u.aniso,
		Border: u.border, CodeMax: u.codeMax, Lerps: u.lerps, Shares: u.shares,
		Base: u.base, Swizzle: u.swizzle.from, One: u.swizzle.one, Invalid: invalidTexel(v.Info),
		Bias: u.lod.bias, MinLod: u.lod.minLod, MaxLod: u.lod.maxLod, ViewMin: u.lod.viewMin, LastLevel: u.lod.lastLevel, MipLinear: u.lod.linear,
	}
	for d, m := range u.modes {
		st.Modes[d] = vk.SamplerAddressMode(m)
	}
	return st, true
}

// ResolveTexels is Resolve for fetches, reads and writes: their swizzle and
// invalid texel.
func ResolveTexels(v *resource.ImageView) (State, bool) {
	if !common(v, nil) {
		return State{}, false
	}
	w := makeSwizzle(nil, v)
	return State{Swizzle: w.from, One: w.one, Invalid: invalidTexel(v.Info)}, true
}

// common says that view and sampler ask for nothing beyond what State tells.
func common(v *resource.ImageView, s *resource.Sampler) bool {
	if v == nil || v.Image == nil || v.Image.Data == nil || v.Image.Disjoint() || v.Info == nil || v.Info.NeedsConversion() {
		return false
	}
	if s == nil {
		return true
	}
	return s.Ycbcr == nil
}

// CubicWeights are the weights of the four taps of a CUBIC filter for the fraction
// f/256, times 256 (IMG-540).
func CubicWeights(set vk.CubicFilterWeightsQCOM, f uint32) [4]float64 {
	return cubicSets[set].weights(f)
}

// Wrap is IMG-500: the texel that tap i reads, −1 for the border.
func Wrap(mode vk.SamplerAddressMode, i, size int) int { return wrap(addressMode(mode), i, size) }

// NearestTexel is IMG-480: the texel at u, |u| ≤ Far.
func NearestTexel(u float64) int { return nearestTexel(u) }

// LinearTexels is IMG-481 and IMG-011: the first texel at u, |u| ≤ Far, and the weight of the next in 1/256.
func LinearTexels(u float64) (i0 int, f uint32) { return linearTexels(u) }
