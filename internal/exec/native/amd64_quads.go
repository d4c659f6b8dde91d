package native

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Places whose quads do not lie side by side (exec.Place.Quads), for vectors of all lanes of a
// place: their texels are gathered and scattered.

// packed writes what is done to a place whose quads lie side by side, and out of line what is done to others:
// these have no texels of less than 4 bytes (0: the instruction has none).
func (e *emitter) packed(bytes uint16, side, others func()) {
	if !e.vectors.PacksQuads() || bytes > 0 && bytes < 4 {
		side()
		return
	}
	e.WI(amd64.CMPLByte, amd64.M(regPlace, placeQuads), 0)
	e.unless(amd64.IfNotZero, side, others)
}

// quadAxis sets z to x (0) or y (1) of lanes in the block of the place's quads.
func (e placeAMD64) quadAxis(z amd64.Z, axis int) {
	e.Mov1(amd64.VPBROADCASTD, z, amd64.M(regPlace, placeQuads))
	e.V(amd64.VPSRLVD, z, z, spread(spreadQuads))
	e.V(amd64.VPXORD, z, z, spread(spreadQuads+64))
	e.VI(amd64.VPSLLD, z, 0, amd64.R(z), 30-2*axis) // two bits of the quad's number, which has four
	e.VI(amd64.VPSRLD, z, 0, amd64.R(z), 30)
	e.V(amd64.VPADDD, z, z, amd64.R(z))
	e.V(amd64.VPADDD, z, z, spread(spreadQuadXY+64*axis))
}

// quadTexel is eachTexel for such quads.
func (e placeAMD64) quadTexel(x ir.Texel) {
	e.rowsOf(x)
	e.W(amd64.MOVQ, amd64.R11, amd64.GArg(regLower))
	e.W(amd64.SUBQ, amd64.R11, amd64.GArg(regUpper))
	e.quadAxis(scratch0, 1)
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.R11))
	e.V(amd64.VPMULLD, scratch0, scratch0, amd64.R(scratch1))
	e.quadAxis(scratch1, 0)
	e.VI(amd64.VPSLLD, scratch1, 0, amd64.R(scratch1), bits.TrailingZeros16(x.Bytes))
	e.V(amd64.VPADDD, scratch0, scratch0, amd64.R(scratch1))
	e.W(amd64.MOVQ, amd64.R11, amd64.GArg(regUpper))
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.R11), int(4*int32(x.Word)))
}
