package native

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// A strip is a quad of a place: two pixels of its upper row, and those below.

// laneBits has the bit of each lane.
func (e *emitter) laneBits(d arm64.V) { e.Const(d, 2<<32|1, 8<<32|4) }

// beginPlace sets regPlace to the strip's place, regRecord to its record, and regUpper and
// regLower to where its rows are in the block's only surface. Strips of one place find them.
func (e *emitter) beginPlace(again bool) {
	if !e.r.places {
		return
	}
	same := e.NewLabel()
	e.Bits(regQuad, regStrip, 4, 2)
	if !again {
		e.CBNZ(regQuad, same)
	}
	e.Bits(step0, regStrip, 6, 32)
	e.Imm(step1, uint64(placeBytes))
	e.Gen(arm64.LDRX, step2, regFrame, framePlaces)
	e.MADD(regPlace, step0, step1, step2)
	e.Gen(arm64.LDRW, regRecord, regPlace, placeRecords)
	e.Gen(arm64.LDRX, step0, regFrame, frameRecords)
	e.ADD(regRecord, regRecord, step0)
	if e.surface != nil {
		e.texelRows(*e.surface)
	}
	e.Here(same)
}

// texelRows sets regUpper and regLower to where the two rows of the place begin in a surface.
func (e *emitter) texelRows(x ir.Texel) {
	e.Gen(arm64.LDRX, step0, regFrame, frameSurfaces)
	e.Gen(arm64.LDRX, step1, step0, 16*int(x.Surface))
	e.Gen(arm64.LDRX, step2, step0, 16*int(x.Surface)+8)
	e.Gen(arm64.LDRW, step0, regPlace, 4)
	e.MADD(regUpper, step0, step2, step1)
	e.Gen(arm64.LDRW, step0, regPlace, 0)
	e.ADDShifted(regUpper, regUpper, step0, bits.TrailingZeros16(x.Bytes))
	e.ADD(regLower, regUpper, step2)
}

// quadAt sets step2 and step3 to where the quad's pixels are in the upper and in the lower row.
func (e *emitter) quadAt(x ir.Texel) {
	if e.surface == nil {
		e.texelRows(x)
	}
	e.ADDShifted(step2, regUpper, regQuad, bits.TrailingZeros16(x.Bytes)+1)
	e.ADDShifted(step3, regLower, regQuad, bits.TrailingZeros16(x.Bytes)+1)
}

// covered sets step0 to what of the place is covered, from the quad on, and step1 to the number of
// its first lane.
func (e *emitter) covered(sample int) {
	e.Gen(arm64.LDRH, step0, regPlace, placeCovered+2*sample)
	e.ADDShifted(step1, arm64.ZR, regQuad, 2)
	e.LSR(step0, step0, step1)
}

// place writes an operation on places.
func (e *emitter) place(in *Inst) {
	switch in.Kind {
	case KindPixel:
		z := e.to(in.D)
		e.Gen(arm64.LDRW, step0, regPlace, 4*int(in.Imm))
		if in.Imm == 0 {
			e.ADDShifted(step0, step0, regQuad, 1)
			e.Const(scratch0, 1<<32, 1<<32)
		} else {
			e.Const(scratch0, 0, 1<<32|1)
		}
		e.DUPG4S(z, step0)
		e.V3(arm64.ADD4S, z, z, scratch0)
		e.put(in.D, z)
	case KindRecord:
		if e.places[in.D].kind != placeRecord {
			z := e.to(in.D)
			e.every(z, regRecord, int(in.Imm))
			e.put(in.D, z)
		}
	case KindCovered:
		z := e.to(in.D)
		e.covered(int(in.Imm))
		e.DUPG4S(z, step0)
		e.laneBits(scratch0)
		e.V3(arm64.CMTST4S, z, z, scratch0)
		e.put(in.D, z)
	case KindCover:
		k := e.in(lanes(in.A), scratch0)
		e.laneBits(scratch1)
		e.V3(arm64.AND, scratch1, scratch1, k)
		e.V2(arm64.ADDV4S, scratch1, scratch1)
		e.covered(int(in.Imm))
		e.UMOV4S(step0, scratch1, 0)
		e.LSL(step0, step0, step1)
		e.Imm(step2, 15)
		e.LSL(step2, step2, step1)
		e.Gen(arm64.LDRH, step1, regPlace, placeCovered+2*int(in.Imm))
		e.BIC(step1, step1, step2)
		e.ORR(step1, step1, step0)
		e.Gen(arm64.STRH, step1, regPlace, placeCovered+2*int(in.Imm))
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
	return [2]arm64.G{step2, step3}[lane/2], lane%2*int(x.Bytes) + 4*int(x.Word)
}

// loadTexels loads a word of the lanes that are covered to d. What is not covered is not touched:
// it may be beyond the surface.
func (e *emitter) loadTexels(d int32, x ir.Texel) {
	z := e.to(d)
	e.quadAt(x)
	e.covered(int(x.Sample))
	each := func(touches func(lane int, then func())) {
		for i := range stripWidth {
			touches(i, func() {
				base, at := laneAt(x, i)
				switch x.Bytes {
				case 1, 2:
					e.Gen([2]arm64.Op{arm64.LDRB, arm64.LDRH}[x.Bytes-1], step1, base, at)
					e.INSG4S(z, i, step1)
				default:
					e.ADDImm(step1, base, at)
					e.LD14S(z, i, step1)
				}
			})
		}
	}
	part, on := e.NewLabel(), e.NewLabel()
	e.Bits(step0, step0, 0, stripWidth)
	e.Imm(step1, 1<<stripWidth-1)
	e.CMP(step0, step1)
	e.JIf(arm64.NotEqual, part)
	switch x.Bytes {
	case 4:
		e.Vec(arm64.LDRD, z, step2, 0)
		e.LD12D(z, 1, step3)
	case 8:
		e.Vec(arm64.LDRQ, scratch0, step2, 0)
		e.Vec(arm64.LDRQ, scratch1, step3, 0)
		e.V3([2]arm64.Op{arm64.UZP14S, arm64.UZP24S}[x.Word], z, scratch0, scratch1)
	default:
		each(func(_ int, then func()) { then() })
	}
	e.Here(on)
	e.put(d, z)
	e.outOfLine(func() {
		e.Here(part)
		e.MOVI(z, 0, 0)
		each(func(lane int, then func()) {
			not := e.NewLabel()
			e.Bits(step1, step0, lane, 1)
			e.CBZ(step1, not)
			then()
			e.Here(not)
		})
		e.JMP(on)
	})
}

// storeTexels stores words where their masks say.
func (e *emitter) storeTexels(x ir.Texel, args []int32) {
	both := x.Bytes == 8 && len(args) == 4 && args[0] == args[2]
	for w := 0; w < len(args); w += 2 {
		k, v, high := e.in(lanes(args[w]), scratch0), e.in(lanes(args[w+1]), scratch1), scratch2
		if both {
			high = e.in(lanes(args[3]), high)
		}
		done := e.NewLabel()
		e.quadAt(x)
		e.bits(k)
		e.CBZ(step1, done)
		part := e.NewLabel()
		e.CMNImm(step1, 1)
		e.JIf(arm64.NotEqual, part)
		all := true
		switch {
		case both:
			e.V3(arm64.ZIP14S, scratch3, v, high)
			e.Vec(arm64.STRQ, scratch3, step2, 0)
			e.V3(arm64.ZIP24S, scratch3, v, high)
			e.Vec(arm64.STRQ, scratch3, step3, 0)
		case x.Bytes == 4:
			e.Vec(arm64.STRD, v, step2, 0)
			e.ST12D(v, 1, step3)
		default:
			all = false
		}
		if all {
			e.JMP(done)
		}
		e.Here(part)
		for i := range stripWidth {
			not := e.NewLabel()
			e.Bits(step0, step1, 16*i, 1)
			e.CBZ(step0, not)
			e.storeLane(x, i, v)
			if both {
				x.Word++
				e.storeLane(x, i, high)
				x.Word--
			}
			e.Here(not)
		}
		e.Here(done)
		if x.Word++; both {
			return
		}
	}
}

// storeLane stores the word of a lane.
func (e *emitter) storeLane(x ir.Texel, lane int, v arm64.V) {
	base, at := laneAt(x, lane)
	if x.Bytes < 4 {
		e.UMOV4S(step0, v, lane)
		e.Gen([2]arm64.Op{arm64.STRB, arm64.STRH}[x.Bytes-1], step0, base, at)
		return
	}
	e.ADDImm(step0, base, at)
	e.ST14S(v, lane, step0)
}
