package sampling

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// address is integer coordinate validation (§6) for the lanes of a chunk: it
// fills u.off, with −1 where a texel is invalid.
func (u *Unit) address(p *plan, a *ref.Args, b *batch) {
	if p.flat && a.Coord[0] != nil && a.Coord[1] != nil && a.Lod == nil && a.SampleIndex == nil && a.Offset[0] == nil && a.Offset[1] == nil {
		u.flatAddress(p, a, b)
	} else {
		u.anyAddress(p, a, b)
	}
}

// anyAddress is address of any operands. Offsets are added before the bounds test,
// in 64 bits so that nothing wraps.
//
// IMG-030
func (u *Unit) anyAddress(p *plan, a *ref.Args, b *batch) {
	var (
		v      = p.v
		op     = p.op
		dims   = texelDims(op.Dim)
		c      [3]int64
		layers = op.Arrayed && a.Coord[dims] != nil
		first  = p.firstLevel()
	)
	for k := range b.n {
		lane := b.laneAt(k)
		for d := range dims {
			c[d] = integer(a.Coord[d], lane) + integer(a.Offset[d], lane) // IMG-576
		}
		x, y, z := c[0], c[1], c[2]
		lv, layer, sample := int32(0), int64(0), int32(0)
		if a.Lod != nil {
			lv = int32(a.Lod[lane])
		}
		if a.SampleIndex != nil {
			sample = int32(a.SampleIndex[lane])
		}
		if op.Dim == ir.DimCube { // storage cubes address faces as layers
			layer, z = z, 0
		} else if layers {
			layer = int64(int32(a.Coord[dims][lane]))
		}
		k &= chunk - 1
		// IMG-200…203, IMG-205, IMG-301, IMG-306
		u.off[k] = -1
		if uint32(lv) >= uint32(v.Levels) || lv < first || uint64(layer) >= uint64(v.Layers) || uint32(sample) >= uint32(v.Image.Samples) {
			continue
		}
		l := &p.levels[lv]
		if uint64(x) >= uint64(l.size[0]) || uint64(y) >= uint64(l.size[1]) || uint64(z) >= uint64(l.size[2]) {
			continue
		}
		start := l.start + int32(layer)*l.layer + sample*int32(p.info.BlockBytes)
		if p.key.Texel == TexelBlock {
			u.off[k], u.inBlock[k] = p.inBlock(l, start, int32(x), int32(y), int32(z))
			continue
		}
		u.off[k] = start + l.along(0, int32(x)) + int32(y)*l.pitch[1] + l.along(2, int32(z))
	}
}

// integer is an operand of a lane, 0 where there is none.
func integer(x []uint32, lane int) int64 {
	if x == nil {
		return 0
	}
	return int64(int32(x[lane]))
}

// firstLevel is the first level that may be read (IMG-201), counted from the view's.
func (p *plan) firstLevel() int32 {
	return int32(math.Floor(float64(p.v.MinLod))) - int32(p.v.BaseLevel)
}

// flatAddress is address for texels of two coordinates in one layer and level.
func (u *Unit) flatAddress(p *plan, a *ref.Args, b *batch) {
	l, x, y := &p.levels[0], a.Coord[0], a.Coord[1]
	w, h, start, column, row := uint32(l.size[0]), uint32(l.size[1]), l.start, l.pitch[0], l.pitch[1]
	for k := range b.n {
		lane := b.laneAt(k)
		i, j := x[lane], y[lane]
		at := start + int32(i)*column + int32(j)*row
		if i >= w || j >= h {
			at = -1
		}
		u.off[k&(chunk-1)] = at
	}
}

// texelDims is the number of spatial components of an integer coordinate.
func texelDims(d ir.ImageDim) int {
	switch d {
	case ir.Dim1D:
		return 1
	case ir.Dim2D, ir.DimSubpass:
		return 2
	default:
		return 3
	}
}

// fetch is OpImageFetch and OpImageRead.
//
// IMG-575, IMG-576, IMG-577, IMG-579, IMG-580
func (u *Unit) fetch(p *plan, a *ref.Args, n int) {
	for base := 0; base < n; base += chunk {
		b := &u.whole
		b.lanes(a.Mask, base, min(chunk, n-base))
		if b.n == 0 {
			continue
		}
		u.address(p, a, b)
		invalid := false
		at := p.levels[0].start
		for k, o := range u.off[:b.n] {
			u.weight[k&(chunk-1)] = 0
			if o < 0 {
				invalid = true
				u.weight[k&(chunk-1)], u.off[k&(chunk-1)], u.inBlock[k&(chunk-1)] = 1, at, 0
			}
		}
		u.readTexels(p, b, 0, 0, 0, false)
		if invalid {
			for c := range u.texels {
				for k, w := range u.weight[:b.n] {
					if w != 0 {
						u.texels[c][k&(chunk-1)] = p.st.Invalid[c]
					}
				}
			}
		}
		u.store(p, a, b)
	}
}

// write is §15 textures-output: texels outside the view are not written
// (IMG-372), components that the operand lacks are 0 (IMG-374).
//
// IMG-074, IMG-305, IMG-370, IMG-383, IMG-578
func (u *Unit) write(p *plan, a *ref.Args, n int) {
	data := p.v.Image.Data
	for base := 0; base < n; base += chunk {
		b := &u.whole
		b.lanes(a.Mask, base, min(chunk, n-base))
		u.address(p, a, b)
		for k, o := range u.off[:b.n] {
			if o < 0 {
				continue
			}
			lane := b.laneAt(k)
			var t format.Texel
			for c := range t {
				if a.Texel[c] != nil {
					t[c] = a.Texel[c][lane]
				}
			}
			if p.key.Texel == TexelWords {
				for c := range p.count {
					binary.LittleEndian.PutUint32(data[int(o)+4*c:], t[c&3])
				}
				continue
			}
			p.info.Encode(data[o:], t)
		}
	}
}
