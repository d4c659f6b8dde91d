package sampling

import (
	"math"

	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// batch holds lanes side by side, without gaps: coordinates and what the steps
// before filtering found out.
type batch struct {
	n    int
	base int               // first lane where the lanes are consecutive, else −1
	lane [chunk]int32      // lane of the Args
	slot [chunk]int32      // place in the batch that this one is a part of
	c    [3][chunk]float64 // coordinates; of the face, in cubes
	d    [3][chunk]float64 // offsets in texels, times 256
	ref  [chunk]float32
	// layer and face count from the view's first.
	layer [chunk]int32
	face  [chunk]int32
	// Level selection: frac is the weight of level hi+1 in 1/256.
	group [chunk]uint32 // level hi times groups, plus how to filter
	frac  [chunk]uint32
	// Anisotropy.
	count [chunk]int32
	eta   [chunk]float64
	axis  [3][chunk]float64
}

// How the lanes of a group filter.
const (
	groupOne     = 0 // NEAREST texel of one level
	groupNearest = 1 // sums of NEAREST texels
	groupLinear  = 2
	groupCubic   = 3
	groups       = 4
)

// groupOf is how lanes of a filter go together.
func groupOf(f vk.Filter) uint32 {
	switch f {
	case vk.FilterNearest:
		return groupNearest
	case vk.FilterCubicEXT:
		return groupCubic
	default:
		return groupLinear
	}
}

// lanes fills in the active lanes among base…base+m-1.
//
// IMG-403
func (b *batch) lanes(mask []uint32, base, m int) {
	b.n, b.base = m, base
	if mask != nil {
		n := 0
		for i, x := range mask[base : base+m] {
			b.lane[n&(chunk-1)] = int32(base + i)
			if x != 0 {
				n++
			}
		}
		if b.n = n; n < m {
			b.base = -1
		}
		return
	}
}

// floats widens an operand of the batch's lanes.
func (b *batch) floats(to *[chunk]float64, src []uint32, simd bool) {
	dst := to[:]
	if b.base >= 0 && simd && b.n&3 == 0 {
		src = src[b.base : b.base+b.n]
		widenAVX2(to, &src[0], b.n)
		return
	}
	if b.base >= 0 {
		src = src[b.base : b.base+b.n]
		dst = dst[:len(src)]
		for k := range dst {
			dst[k] = float64(math.Float32frombits(src[k]))
		}
		return
	}
	l := b.lane[:b.n]
	dst = dst[:len(l)]
	for k := range dst {
		dst[k] = float64(math.Float32frombits(src[l[k]]))
	}
}

// laneAt is the lane of the Args at place k.
func (b *batch) laneAt(k int) int {
	if b.base >= 0 {
		return b.base + k
	}
	return int(b.lane[k&(chunk-1)])
}

// load reads coordinates, layers, offsets and references of a chunk.
//
// IMG-022, IMG-023, IMG-024
func (b *batch) load(p *plan, a *ref.Args, base, m int, simd bool) {
	b.lanes(a.Mask, base, m)
	if b.n == 0 {
		return
	}
	for d := range p.st.Coords {
		b.floats(&b.c[d], a.Coord[d], simd)
	}
	if p.st.Layer >= 0 {
		b.layers(p, a.Coord[p.st.Layer])
	} else if p.layered {
		clear(b.layer[:b.n])
	}
	if !p.st.Cube {
		for d := range p.st.Dims {
			if a.Offset[d] != nil {
				for k := range b.n {
					b.d[d][k] = one8 * float64(int32(a.Offset[d][b.laneAt(k)])) // IMG-029
				}
			} else if p.key.Offset {
				clear(b.d[d][:b.n])
			}
		}
	}
	if p.key.Compare {
		b.references(p, a.Dref)
	}
}

// layers is IMG-484: the nearest layer, ties to even, clamped to the view.
//
// IMG-025
func (b *batch) layers(p *plan, src []uint32) {
	for k := range b.n {
		x := float64(math.Float32frombits(src[b.laneAt(k)]))
		if x != x { // IMG-005
			x = 0
		}
		b.layer[k] = int32(min(max(math.RoundToEven(x), 0), p.lastLayer))
	}
}

// references is IMG-312 and IMG-314.
func (b *batch) references(p *plan, src []uint32) {
	for k := range b.n {
		r := math.Float32frombits(src[b.laneAt(k)])
		if p.key.RefUnit {
			r = min(max(r, 0), 1)
		}
		b.ref[k] = r
	}
}

// take copies place k of b to the end of dst.
func (dst *batch) take(p *plan, b *batch, k int) {
	i := dst.n & (chunk - 1)
	dst.lane[i], dst.slot[i] = int32(b.laneAt(k)), int32(k)
	for d := range p.st.Dims {
		dst.c[d][i] = b.c[d][k]
		if p.key.Offset {
			dst.d[d][i] = b.d[d][k]
		}
	}
	dst.ref[i], dst.layer[i], dst.face[i], dst.frac[i] = b.ref[k], b.layer[k], b.face[k], b.frac[k]
	if p.key.Aniso {
		dst.count[i], dst.eta[i] = b.count[k], b.eta[k]
		for d := range p.st.Dims {
			dst.axis[d][i] = b.axis[d][k]
		}
	}
	dst.n++
}
