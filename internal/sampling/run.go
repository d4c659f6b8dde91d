package sampling

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// Args are the operands and results of one image instruction for a batch of
// lanes: one slice a component, indexed by lane. Floats are their bits. Operands
// that the instruction lacks are nil. The slices belong to the caller.
type Args struct {
	Op *ir.ImageOp
	// Coord holds Op.Coords components, the array layer last: float for
	// samples and gathers, signed integer otherwise.
	Coord [4][]uint32
	Dref  []uint32 // depth reference
	// Lod is the bias or level of detail of a sample (float), or the level of
	// a fetch or size query (signed integer).
	Lod []uint32
	// DX and DY are explicit gradients.
	DX, DY [3][]uint32
	Offset [3][]uint32 // texels, signed
	MinLod []uint32
	// SampleIndex selects a sample of a multisampled image.
	SampleIndex []uint32
	// Second is the image of weights, or a block match's reference, whose
	// coordinates are RefCoord (integers); Block is the size of a box (float)
	// or of a block (integer).
	Second   *resource.ImageView
	RefCoord [2][]uint32
	Block    [2][]uint32
	// Texel is what a write stores; an atomic's value, then its comparator.
	Texel [4][]uint32
	// Mask selects the lanes whose result is needed and whose writes happen;
	// nil selects all. The others may hold anything.
	Mask []uint32
	// Quads says that lanes 4q…4q+3 are a 2×2 quad in the order y·2+x, whose
	// coordinates give implicit derivatives, masked lanes included.
	Quads bool
	// Out receives Op.Results components in the selected lanes.
	Out [4][]uint32
	// Sparse are resources with pages that have no memory: writes there do nothing.
	Sparse memory.SparseSet
	// Missing, if it is not nil, is set when a texel is read that has no memory.
	Missing *bool
	// Blocks keeps decoded blocks of compressed formats from one Run to the
	// next. It belongs to the calling goroutine. Where it is nil and a format
	// is compressed, Run sets it to a new one: keep it for the next Args.
	Blocks *format.BlockCache
	// Trace collects the steps of samples and gathers; nil for none.
	Trace *Trace
}

// Window leaves lanes lo to hi of all operands and results; of quads whole ones.
func (a *Args) Window(lo, hi int) {
	cut := func(lists ...*[]uint32) {
		for _, s := range lists {
			if *s != nil {
				*s = (*s)[lo:hi]
			}
		}
	}
	for i := range a.Coord {
		cut(&a.Coord[i], &a.Texel[i], &a.Out[i])
	}
	for i := range a.DX {
		cut(&a.DX[i], &a.DY[i], &a.Offset[i])
	}
	cut(&a.Dref, &a.Lod, &a.MinLod, &a.SampleIndex, &a.RefCoord[0], &a.RefCoord[1], &a.Block[0], &a.Block[1], &a.Mask)
}

// note looks whether the texel that is about to be read has memory.
//
// IMG-230, IMG-233
func (a *Args) note(texel []byte, n int) {
	if a.Missing != nil && !a.Sparse.Bound(texel, n) {
		*a.Missing = true
	}
}

// noteTexel is note for a texel of a level.
func (a *Args) noteTexel(l *resource.Level, i, j, k, sample int) {
	if a.Missing != nil {
		a.note(l.Data[l.Offset(i, j, k, sample):], l.Bytes)
	}
}

// backed returns the place of a write, nil where there is no memory.
//
// IMG-305, IMG-373
func (a *Args) backed(dst []byte, n int) []byte {
	if a.Sparse != nil && dst != nil && !a.Sparse.Bound(dst, n) {
		return nil
	}
	return dst
}

// active says whether a lane's result is needed.
func (a *Args) active(lane int) bool { return a.Mask == nil || a.Mask[lane] != 0 }

// Run executes one image instruction for lanes 0…n-1 on one view and sampler.
// A nil view is the null descriptor. It allocates nothing (but see Args.Blocks),
// takes no locks and may run on any number of goroutines; writes to the same
// texel are the shader's business to order, atomics are sequentially consistent.
//
// IMG-002
func Run(a *Args, v *resource.ImageView, s *resource.Sampler, n int) {
	if null(a, v) {
		zeroLanes(a, n)
		return
	}
	v = v.As(a.Op.Result != ir.ClassFloat, a.Op.Wide && a.Op.Kind != ir.ImageAtomic)
	// IMG-010: blocks that are kept are what they would be decoded to.
	if a.Blocks == nil && !a.Op.Kind.Asks() && (compressed(v) || a.Op.Kind.Takes2() && compressed(a.Second)) {
		a.Blocks = new(format.BlockCache)
	}

	if a.Trace != nil && s != nil && (a.Op.Kind == ir.ImageSample || a.Op.Kind == ir.ImageGather || a.Op.Kind == ir.ImageQueryLod) && !shapeFits(a.Op, v) {
		a.Trace.unfit()
	}
	switch a.Op.Kind {
	case ir.ImageSample:
		if s == nil || !shapeFits(a.Op, v) {
			zeroLanes(a, n)
			return
		}
		if s.Ycbcr != nil {
			runYcbcr(a, v, s, n)
			return
		}
		u := makeSampled(a, v, s)
		u.runSample(n)
	case ir.ImageFootprint:
		if s == nil || !shapeFits(a.Op, v) || a.Op.Dim == ir.DimCube || a.Op.Dim == ir.Dim1D {
			zeroLanes(a, n)
			return
		}
		runFootprint(a, v, s, n)
	case ir.ImageWeighted, ir.ImageBoxFilter, ir.ImageBlockMatch:
		if s == nil || !shapeFits(a.Op, v) {
			zeroLanes(a, n)
			return
		}
		runProcess(a, v, s, n)
	case ir.ImageGather:
		if s == nil || !shapeFits(a.Op, v) {
			zeroLanes(a, n)
			return
		}
		runGather(a, v, s, n)
	case ir.ImageFetch, ir.ImageRead:
		runFetch(a, v, n)
	case ir.ImageWrite:
		runWrite(a, v, n)
	case ir.ImageAtomic:
		runAtomic(a, v, n)
	case ir.ImageQuerySize:
		runQuerySize(a, v, n)
	case ir.ImageQueryLod:
		if s == nil {
			zeroLanes(a, n)
			return
		}
		runQueryLod(a, v, s, n)
	case ir.ImageQueryLevels, ir.ImageQuerySamples:
		RunCount(a, v, 0, n)
	default:
		zeroLanes(a, n)
	}
}

// null says that a view is the null descriptor, and tells of it.
func null(a *Args, v *resource.ImageView) bool {
	missing := v == nil || v.Image == nil || v.Image.Data == nil || v.Info == nil
	if missing && a.Trace != nil {
		a.Trace.null()
	}
	return missing
}

// shapeFits says whether a sampled instruction can run on the view at all:
// buffers are not sampled, and a cube needs six square layers.
func shapeFits(op *ir.ImageOp, v *resource.ImageView) bool {
	switch op.Dim {
	case ir.Dim1D, ir.Dim2D, ir.Dim3D:
		return true
	case ir.DimCube:
		w, h, _ := v.Extent(0)
		return v.Layers >= 6 && w == h
	default: // DimBuffer, DimSubpass
		return false
	}
}

// compressed says that texels of the view come from blocks; nil is the null descriptor.
func compressed(v *resource.ImageView) bool { return v != nil && v.Info != nil && v.Info.Compressed }

// zeroLanes is the null descriptor's answer (IMG-304): zeros, without alpha
// substitution or swizzle.
func zeroLanes(a *Args, n int) { zeroRange(a, 0, n) }

func zeroRange(a *Args, lo, hi int) {
	for c := range a.Out {
		if a.Out[c] == nil {
			continue
		}
		for lane := lo; lane < hi; lane++ {
			if a.active(lane) {
				a.Out[c][lane] = 0
			}
		}
	}
}
