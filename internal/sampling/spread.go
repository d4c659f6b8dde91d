package sampling

import "github.com/pumice-gpu/pumice/internal/ir"

// Spread gives a the operands that take returns, in the order that ir.ImageOp states, without
// descriptor elements.
func (a *Args) Spread(take func() []uint32) {
	op := a.Op
	for i := range min(op.Coords, 4) {
		a.Coord[i] = take()
	}
	if op.Dref {
		a.Dref = take()
	}
	switch op.Lod {
	case ir.LodBias, ir.LodExplicit:
		a.Lod = take()
	case ir.LodGrad:
		for i := range min(op.GradCoords, 3) {
			a.DX[i] = take()
		}
		for i := range min(op.GradCoords, 3) {
			a.DY[i] = take()
		}
	case ir.LodImplicit, ir.LodZero:
		if op.Kind == ir.ImageQuerySize {
			a.Lod = take()
		}
	}
	if op.HasOffset {
		for i := range min(op.GradCoords, 3) {
			a.Offset[i] = take()
		}
	}
	if op.HasMinLod {
		a.MinLod = take()
	}
	if op.HasSample {
		a.SampleIndex = take()
	}
	if op.Kind == ir.ImageBlockMatch {
		a.RefCoord[0], a.RefCoord[1] = take(), take()
	}
	if op.Kind == ir.ImageBoxFilter || op.Kind == ir.ImageBlockMatch {
		a.Block[0], a.Block[1] = take(), take()
	}
	if op.Kind == ir.ImageWrite || op.Kind == ir.ImageAtomic {
		for i := range a.Texel {
			a.Texel[i] = take()
		}
	}
}

// Derives says that the instruction takes derivatives of its coordinates.
func Derives(op *ir.ImageOp) bool {
	return op.Kind == ir.ImageQueryLod || op.Kind == ir.ImageFootprint && (op.Lod == ir.LodImplicit || op.Lod == ir.LodBias) || op.Kind == ir.ImageSample && op.Lod == ir.LodImplicit ||
		(op.Kind == ir.ImageSample || op.Kind == ir.ImageGather) && op.Lod == ir.LodBias
}
