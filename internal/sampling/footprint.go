package sampling

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// The footprint of a sample (§30, VK_NV_shader_image_footprint): which groups of
// texels an equivalent sample reads. No texel is read here (IMG-639).

// group is a granularity: its code and the texels of a group (IMG-631).
type group struct {
	code int
	size [3]int
}

// Granularities in ascending order, as IMG-637 steps through them.
var (
	groups2D = []group{
		{1, [3]int{2, 2, 1}}, {2, [3]int{4, 2, 1}}, {3, [3]int{4, 4, 1}}, {4, [3]int{8, 4, 1}}, {5, [3]int{8, 8, 1}}, {6, [3]int{16, 8, 1}},
		{7, [3]int{16, 16, 1}}, {11, [3]int{64, 64, 1}}, {12, [3]int{128, 64, 1}}, {13, [3]int{128, 128, 1}}, {14, [3]int{256, 128, 1}}, {15, [3]int{256, 256, 1}},
	}
	groups3D = []group{
		{1, [3]int{2, 2, 2}}, {3, [3]int{4, 4, 2}}, {10, [3]int{16, 16, 16}}, {11, [3]int{32, 16, 16}}, {12, [3]int{32, 32, 16}}, {13, [3]int{32, 32, 32}}, {14, [3]int{64, 32, 32}},
	}
)

// groupsOf returns the granularities of a dimension and the groups that a mask
// covers along each axis.
func groupsOf(dim ir.ImageDim) (list []group, across int) {
	switch dim {
	case ir.Dim2D:
		return groups2D, 8
	case ir.Dim3D:
		return groups3D, 4
	default:
		return nil, 0
	}
}

// footprintGroup is IMG-631: the texels of a group of a granularity.
func footprintGroup(dim ir.ImageDim, granularity int) (size [3]int, ok bool) {
	list, _ := groupsOf(dim)
	for _, g := range list {
		if g.code == granularity {
			return g.size, true
		}
	}
	return size, false
}

// footprintResult is the result of OpImageSampleFootprintNV (IMG-630).
type footprintResult struct {
	Single         bool
	Anchor, Offset [3]uint32
	Mask           [2]uint32
	LOD            uint32 // counted from the view's base level
	Granularity    uint32
}

// texelSet collects the texels of a footprint. A sample has 16 probes of at most
// 64 taps.
type texelSet struct {
	n     int
	texel [resource.MaxSamplerAnisotropy * 64][3]int32
}

func (s *texelSet) add(i [3]int) {
	if s.n < len(s.texel) {
		s.texel[s.n] = [3]int32{int32(i[0]), int32(i[1]), int32(i[2])}
		s.n++
	}
}

// runFootprint stores the part of the result that the instruction asks for:
// anchor and single, offset and LOD, or mask and granularity.
//
// IMG-630
func runFootprint(a *Args, v *resource.ImageView, s *resource.Sampler, n int) {
	u := makeSampled(a, v, s)
	if _, ok := footprintGroup(a.Op.Dim, int(a.Op.Granularity)); !ok {
		zeroLanes(a, n)
		return
	}
	var set texelSet
	for lane := range n {
		if !a.active(lane) {
			continue
		}
		f := u.footprintOf(lane, n, &set)
		out := [4]uint32{f.Anchor[0], f.Anchor[1], f.Anchor[2], 0}
		switch a.Op.Part {
		case ir.FootprintAnchor:
			if f.Single {
				out[3] = 1
			}
		case ir.FootprintOffset:
			out = [4]uint32{f.Offset[0], f.Offset[1], f.Offset[2], f.LOD}
		case ir.FootprintMask:
			out = [4]uint32{f.Mask[0], f.Mask[1], f.Granularity, 0}
		}
		for c := range out {
			if a.Out[c] != nil {
				a.Out[c][lane] = out[c]
			}
		}
	}
}

// footprintOf is the footprint of one lane.
//
// IMG-630
func (u *sampled) footprintOf(lane, n int, set *texelSet) footprintResult {
	at, g := u.locate(lane, n)
	lambda, f := u.lambdaPrime(lane, n, &g)
	lv := u.lod.selectLevels(u.lod.clampLod(lambda, u.minLod(lane)))
	r := footprintResult{Single: lv.delta == 0 || lv.hi == lv.lo, LOD: uint32(lv.hi)}
	level := lv.hi
	if u.a.Op.Coarse {
		level, r.LOD = lv.lo, uint32(lv.lo)
		if r.Single {
			r.LOD = uint32(lv.hi)
			return r // IMG-632: nothing
		}
	}
	how := u.min
	if lv.mag {
		how = u.mag
	}
	set.n = 0
	for i := range f.probes {
		p := u.probe(&at, &f, i)
		u.collect(set, &p, level, how) // IMG-639: places, without reading them
	}
	u.encode(&r, set)
	return r
}

// collect adds the taps of some weight (IMG-633).
func (u *sampled) collect(set *texelSet, at *spot, level int, how filter) {
	l := u.v.Level(level, at.layer)
	size := [3]int{l.Width, l.Height, l.Depth}
	one := taps{w: [4]float64{1}, n: 1}
	x := [3]taps{one, one, one}
	for d := range u.dims {
		x[d] = u.tapsOf(at, d, size[d], how)
	}
	for k := range x[2].n {
		for j := range x[1].n {
			for i := range x[0].n {
				if x[0].w[i] == 0 || x[1].w[j] == 0 || x[2].w[k] == 0 {
					continue
				}
				tap := [3]int{x[0].i[i], x[1].i[j], x[2].i[k]}
				inside := true
				for d := range u.dims {
					tap[d] = wrap(u.modes[d], tap[d], size[d])
					inside = inside && tap[d] != borderTexel
				}
				if inside {
					set.add(tap)
				}
			}
		}
	}
}

// encode is IMG-634…637: groups of the asked granularity, or of the next larger
// one whose window holds them all.
func (u *sampled) encode(r *footprintResult, set *texelSet) {
	list, across := groupsOf(u.a.Op.Dim)
	for _, g := range list {
		if g.code < int(u.a.Op.Granularity) {
			continue
		}
		low, high, fits := set.span(&g.size, u.dims, across)
		if !fits && g.code != list[len(list)-1].code {
			continue
		}
		if g.code != int(u.a.Op.Granularity) {
			r.Granularity = uint32(g.code)
		}
		// IMG-638
		for d := range u.dims {
			r.Anchor[d] = uint32(low[d] / across)
			if low[d]/across != high[d]/across {
				r.Anchor[d]++
				r.Offset[d] = uint32(int(r.Anchor[d])*across - low[d])
			}
		}

		for k := range set.n {
			bit, step := 0, 1
			for d := range u.dims {
				bit += int(set.texel[k][d]) / g.size[d] % across * step
				step *= across
			}
			r.Mask[bit/32] |= 1 << (bit % 32)
		}
		return
	}
}

// span returns the range of groups along each axis, and whether a window of
// across groups holds it.
func (s *texelSet) span(size *[3]int, dims, across int) (low, high [3]int, fits bool) {
	fits = true
	for d := range dims {
		for k := range s.n {
			g := int(s.texel[k][d]) / size[d]
			if k == 0 || g < low[d] {
				low[d] = g
			}
			if k == 0 || g > high[d] {
				high[d] = g
			}
		}
		fits = fits && high[d]-low[d] < across
	}
	return low, high, fits
}
