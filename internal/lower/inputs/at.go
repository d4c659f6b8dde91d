package inputs

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// The modes of ir.OpInterpolateAt, of which Where.At has bits.
const (
	AtCentroid = 1 + iota
	AtSample
	AtOffset
)

// Modes are those of a shader, as Where.At has them.
func Modes(p *ir.Program) (at uint8) {
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == ir.OpInterpolateAt {
			at |= 1 << (in.Imm >> 32)
		}
	}
	return at
}

// prepareAt asks for all that a shader may want inside of control flow, where places are out of
// reach: words of records, rows and pixels.
func (b *builder) prepareAt(list []Input) {
	b.position(0)
	b.position(1)
	if b.where.At>>AtCentroid&1 != 0 {
		b.spotOf(Centroid)
	}
	if b.where.At>>AtSample&1 != 0 {
		b.locations()
	}
	for k, in := range list {
		if in.interpolated() {
			b.interpolate(in, b.p.Values[k], b.spotAt(b.I32(0)))
		}
	}
}

// locations are where all samples of a lane are, x | y<<16. A grid has as many fragments as lie in
// it, each of which has a word of each sample.
func (b *builder) locations() []ir.Value {
	if b.samples != nil {
		return b.samples
	}
	each, w, h := 4, raster.GridSize>>b.where.W, raster.GridSize>>b.where.H
	if b.where.Grid {
		each *= w * h
	}
	at := b.kept(&b.p.Locations, each*int(b.where.Of))
	for s := range int(b.where.Of) {
		at := at + each*s
		if !b.where.Grid {
			b.samples = append(b.samples, b.record(ir.I32, at))
			continue
		}
		b.samples = append(b.samples, fragops.InGrid(b.Builder, func(cell uint32) ir.Value {
			x, y := int(cell)%raster.GridSize%w, int(cell)/raster.GridSize%h
			return b.record(ir.I32, at+4*(y*w+x))
		}))
	}
	return b.samples
}

// interpolateAt is an input, whose words a record has, where an ir.OpInterpolateAt says: of indices
// beyond the samples at the last one, of offsets at the nearest subpixel. What is not interpolated is
// v everywhere.
//
// RAS-285, RAS-286 shaders-interpolation-decorations
func (b *builder) interpolateAt(in Input, at int, op *ir.Inst, v ir.Value) ir.Value {
	if !in.interpolated() {
		return v
	}
	in &^= Centroid
	switch op.Imm >> 32 {
	case AtCentroid:
		s := b.spotOf(Centroid) // what it knows may stand in a branch that did not run
		return b.interpolate(in, at, &spot{x: s.x, y: s.y})
	case AtSample:
		list := b.locations()
		v := list[len(list)-1]
		for s := len(list) - 2; s >= 0; s-- {
			is := b.Op(ir.OpIEq, ir.Bool, op.Args[0], b.I32(uint32(s)))
			v = b.Op(ir.OpSelect, ir.I32, is, list[s], v)
		}
		return b.interpolate(in, at, b.spotAt(v))
	}
	center := func(axis int) ir.Value {
		log := [2]uint8{b.where.W, b.where.H}[axis]
		in := b.Op(ir.OpIAdd, ir.I32, b.subpixels(op.Args[axis]), b.I32(raster.Subpixels/2<<log))
		return b.Op(ir.OpIAdd, ir.I32, b.corner(axis), in)
	}
	return b.interpolate(in, at, &spot{x: center(0), y: center(1)})
}

// subpixels rounds an offset in pixels to subpixels; what is far off the pixel is cut, so that
// positions stay in range, and no number is 0.
//
// RAS-286
func (b *builder) subpixels(d ir.Value) ir.Value {
	const far = 16 * raster.Subpixels
	v := b.Op(ir.OpFMul, ir.F32, d, b.F32(raster.Subpixels)) // exact, or far
	low := b.Op(ir.OpFFloor, ir.F32, v)
	// Of v - low none is rounded from below 1/2 to that, or from above.
	up := b.Op(ir.OpFLe, ir.Bool, b.F32(0.5), b.Op(ir.OpFSub, ir.F32, v, low))
	n := b.Op(ir.OpF2S, ir.I32, low) // no number: 0
	n = b.Op(ir.OpIAdd, ir.I32, n, b.Op(ir.OpSelect, ir.I32, up, b.I32(1), b.I32(0)))
	for _, k := range []struct {
		edge float32
		to   int32
	}{{-far, -far}, {far, far}} {
		beyond := b.Op(ir.OpFLe, ir.Bool, b.F32(k.edge), v)
		if k.edge < 0 {
			beyond = b.Op(ir.OpFLe, ir.Bool, v, b.F32(k.edge))
		}
		n = b.Op(ir.OpSelect, ir.I32, beyond, b.I32(uint32(k.to)), n)
	}
	return n
}
