package native

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// armPlace writes operations on places.
type armPlace struct{ *armEmitter }

// A strip is a quad of a place, wherever that has it: two pixels of an upper row, and those below.

// beginPlace sets xPlace to the strip's place and xRecord to its record, which strips of one place
// find, then xLeft and xTop to the quad's first pixel, and xUpper and xLower to where its rows are in
// the block's only surface.
func (e armPlace) beginPlace(again bool) {
	if !e.r.places {
		return
	}
	same := e.NewLabel()
	e.Bits(xQuad, xStrip, 4, 2)
	if !again {
		e.CBNZ(xQuad, same)
	}
	e.Bits(x9, xStrip, 6, 32)
	e.Imm(x10, uint64(placeBytes))
	e.Gen(arm64.LDRX, x11, xFrame, framePlaces)
	e.G4(arm64.MADDX, xPlace, x9, x10, x11)
	e.Gen(arm64.LDRW, xRecord, xPlace, placeRecords)
	e.Gen(arm64.LDRX, x9, xFrame, frameRecords)
	e.G3(arm64.ADDX, xRecord, xRecord, x9)
	e.Here(same)
	e.G3(arm64.ADDX, x9, xPlace, xQuad)
	e.Gen(arm64.LDRB, x9, x9, placeQuads)
	e.G3(arm64.EORX, x9, x9, xQuad)
	e.Bits(x10, x9, 0, 2) // in rows of four quads
	e.Bits(x11, x9, 2, 2)
	e.Gen(arm64.LDRW, xLeft, xPlace, 0)
	e.Gen(arm64.LDRW, xTop, xPlace, 4)
	e.ADDShifted(xLeft, xLeft, x10, 1)
	e.ADDShifted(xTop, xTop, x11, 1)
	if e.surface != nil {
		e.texelRows(*e.surface)
	}
}

// texelRows sets xUpper and xLower to where the two rows of the quad are in a surface.
func (e armPlace) texelRows(x ir.Texel) {
	e.Gen(arm64.LDRX, x9, xFrame, frameSurfaces)
	e.Gen(arm64.LDRX, x10, x9, 16*int(x.Surface))
	e.Gen(arm64.LDRX, x11, x9, 16*int(x.Surface)+8)
	e.G4(arm64.MADDX, xUpper, xTop, x11, x10)
	e.ADDShifted(xUpper, xUpper, xLeft, bits.TrailingZeros16(x.Bytes))
	e.G3(arm64.ADDX, xLower, xUpper, x11)
}

// rowsOf is texelRows where the registers do not hold those rows.
func (e armPlace) rowsOf(x ir.Texel) {
	if e.surface == nil {
		e.texelRows(x)
	}
}

// covered sets x9 to what of the place is covered, from the quad on, and x10 to the number of
// its first lane.
func (e armPlace) covered(sample, more int) {
	e.Gen(arm64.LDRH, x9, xPlace, placeCovered+2*sample)
	for k := sample + 1; k <= sample+more; k++ {
		e.Gen(arm64.LDRH, x10, xPlace, placeCovered+2*k)
		e.G3(arm64.ORRX, x9, x9, x10)
	}
	e.ADDShifted(x10, arm64.ZR, xQuad, 2)
	e.G3(arm64.LSRX, x9, x9, x10)
}

// place writes an operation on places.
func (e armPlace) place(in *Inst) {
	switch in.Kind {
	case KindPixel:
		z := e.value(in.D)
		e.DUPG4S(z, [2]arm64.G{xLeft, xTop}[in.Imm])
		if in.Imm == 0 {
			e.Const(n0, 1<<32, 1<<32)
		} else {
			e.Const(n0, 0, 1<<32|1)
		}
		e.V3(arm64.ADD4S, z, z, n0)
	case KindRecord:
		if e.places[in.D].kind != placeRecord {
			e.LD1R4S(e.value(in.D), xRecord, int(in.Imm))
		}
	case KindCovered:
		z := e.value(in.D)
		e.covered(int(in.Imm), 0)
		e.DUPG4S(z, x9)
		e.laneBits(n0)
		e.V3(arm64.CMTST4S, z, z, n0)
	case KindCover:
		k := e.in(lanes(in.A), n0)
		e.laneBits(n1)
		e.V3(arm64.AND, n1, n1, k)
		e.V2(arm64.ADDV4S, n1, n1)
		e.covered(int(in.Imm), 0)
		e.UMOV4S(x9, n1, 0)
		e.G3(arm64.LSLX, x9, x9, x10)
		e.Imm(x11, 15)
		e.G3(arm64.LSLX, x11, x11, x10)
		e.Gen(arm64.LDRH, x10, xPlace, placeCovered+2*int(in.Imm))
		e.G3(arm64.BICX, x10, x10, x11)
		e.G3(arm64.ORRX, x10, x10, x9)
		e.Gen(arm64.STRH, x10, xPlace, placeCovered+2*int(in.Imm))
	case KindLoadTexel:
		e.loadTexels(in.D, ir.TexelOf(uint64(in.Imm)))
	case KindStoreTexel:
		e.storeTexels(ir.TexelOf(uint64(in.Imm)), e.r.aux[in.C].Args)
	default:
		e.control(in)
	}
}

// laneAt is where the word of a lane is: a register and what to add.
func laneAt(x ir.Texel, lane int) (base arm64.G, at int) {
	return [2]arm64.G{xUpper, xLower}[lane/2], lane%2*int(x.Bytes) + 4*int(x.Word)
}

// loadTexels loads a word of the lanes that are covered to d. What is not covered is not touched:
// it may be beyond the surface.
func (e armPlace) loadTexels(d int32, x ir.Texel) {
	z := e.value(d)
	e.rowsOf(x)
	e.covered(int(x.Sample), int(x.More))
	each := func(touches func(lane int, then func())) {
		for i := range stripWidth {
			touches(i, func() {
				base, at := laneAt(x, i)
				switch x.Bytes {
				case 1, 2:
					e.Gen([2]arm64.Op{arm64.LDRB, arm64.LDRH}[x.Bytes-1], x10, base, at)
					e.INSG4S(z, i, x10)
				default:
					e.ADDImm(x10, base, at)
					e.LD14S(z, i, x10)
				}
			})
		}
	}
	part, on := e.NewLabel(), e.NewLabel()
	e.Bits(x9, x9, 0, stripWidth)
	e.Imm(x10, 1<<stripWidth-1)
	e.CMP(x9, x10)
	e.JIf(arm64.NotEqual, part)
	switch x.Bytes {
	case 4:
		e.Vec(arm64.LDRD, z, xUpper, 0)
		e.LD12D(z, 1, xLower)
	case 8:
		e.Vec(arm64.LDRQ, n0, xUpper, 0)
		e.Vec(arm64.LDRQ, n1, xLower, 0)
		e.V3([2]arm64.Op{arm64.UZP14S, arm64.UZP24S}[x.Word], z, n0, n1)
	default:
		each(func(_ int, then func()) { then() })
	}
	e.Here(on)
	e.outOfLine(func() {
		e.Here(part)
		e.MOVI(z, 0, 0)
		each(func(lane int, then func()) {
			not := e.NewLabel()
			e.Bits(x10, x9, lane, 1)
			e.CBZ(x10, not)
			then()
			e.Here(not)
		})
		e.JMP(on)
	})
}

// storeTexels stores words where their masks say.
func (e armPlace) storeTexels(x ir.Texel, args []int32) {
	both := x.Bytes == 8 && len(args) == 4 && args[0] == args[2]
	for w := 0; w < len(args); w += 2 {
		if w > 0 { // words have nothing in common that is in vectors
			e.endSteps(int(e.index))
		}
		k, v, high := e.in(lanes(args[w]), n0), e.in(lanes(args[w+1]), n1), n2
		if both {
			high = e.in(lanes(args[3]), high)
		}
		done := e.NewLabel()
		e.rowsOf(x)
		e.bits(k)
		e.CBZ(x10, done)
		part := e.NewLabel()
		e.CMNImm(x10, 1)
		e.JIf(arm64.NotEqual, part)
		all := true
		switch {
		case both:
			e.V3(arm64.ZIP14S, n3, v, high)
			e.Vec(arm64.STRQ, n3, xUpper, 0)
			e.V3(arm64.ZIP24S, n3, v, high)
			e.Vec(arm64.STRQ, n3, xLower, 0)
		case x.Bytes == 4:
			e.Vec(arm64.STRD, v, xUpper, 0)
			e.ST12D(v, 1, xLower)
		default:
			all = false
		}
		if all {
			e.JMP(done)
		}
		e.Here(part)
		e.eachSet(func(i, _ int) {
			e.storeLane(x, i, v)
			if both {
				x.Word++
				e.storeLane(x, i, high)
				x.Word--
			}
		})
		e.Here(done)
		if x.Word++; both {
			return
		}
	}
}

// storeLane stores the word of a lane.
func (e armPlace) storeLane(x ir.Texel, lane int, v arm64.V) {
	base, at := laneAt(x, lane)
	if x.Bytes < 4 {
		e.UMOV4S(x9, v, lane)
		e.Gen([2]arm64.Op{arm64.STRB, arm64.STRH}[x.Bytes-1], x9, base, at)
		return
	}
	e.ADDImm(x9, base, at)
	e.ST14S(v, lane, x9)
}
