package native

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// A strip is a part of a subgroup that has more lanes than a vector: see group.go.

// carried loads or stores a row of what parts hand on.
func (e armGroup) carried(by arm64.Op, z arm64.V, row int) {
	e.Vec(by, z, xFrame, e.carry+imageRow*row)
}

// begin has the first part of a subgroup find what none has come to.
func (e armGroup) begin() {
	on := e.NewLabel()
	e.lanesBefore(x9)
	e.CBNZ(x9, on)
	e.MOVI(n0, 0, 0)
	e.carried(arm64.STRQ, n0, carryMet)
	e.carried(arm64.STRQ, n0, carryAny)
	switch identity := e.g.Arith.WideIdentity(); {
	case e.g.Kind < ir.GroupReduce:
		e.carried(arm64.STRQ, n0, carryHigh)
	case e.g.Wide:
		e.Const(n0, identity, identity)
	default:
		e.constant(n0, e.g.Arith.Identity())
	}
	e.carried(arm64.STRQ, n0, carrySum)
	e.Here(on)
}

// lanesBefore sets d to how many lanes of the subgroup the parts before have, and position all of z
// to that, less a number.
func (e armGroup) lanesBefore(d arm64.G) { e.Bits(d, xStrip, 2, bits.Len(uint(e.whole-1))) }

func (e armGroup) position(z arm64.V, less int) {
	e.lanesBefore(x9)
	e.Imm(x10, uint64(less))
	e.G3(arm64.SUBX, x9, x9, x10)
	e.DUPG4S(z, x9)
}

// any sets z to what one of the lanes of a subgroup has, as far as the part. It takes n0.
func (e armGroup) any(z arm64.V) {
	if e.union(z); e.whole > 0 {
		e.carried(arm64.LDRQ, n0, carryAny)
		e.V3(arm64.ORR, z, z, n0)
		e.carried(arm64.STRQ, z, carryAny)
	}
}

// unlessMet clears z where a lane of a part before took part. It takes n1.
func (e armGroup) unlessMet(z arm64.V) {
	e.carried(arm64.LDRQ, n1, carryMet)
	e.V3(arm64.BIC, z, z, n1)
}

// meetOne notes whether a lane of the part takes part. It takes n0 and n1.
func (e armGroup) meetOne() {
	e.MOV(gMet, gLive)
	e.union(gMet)
	e.carried(arm64.LDRQ, n1, carryMet)
	e.V3(arm64.ORR, gMet, gMet, n1)
	e.carried(arm64.STRQ, gMet, carryMet)
}

// handOn hands on what gSum and gMet have in the last lane, which has met all others. An exclusive
// scan is an inclusive one, whose results go to the lanes behind.
func (e armGroup) handOn() {
	last := e.size - 1
	e.carried(arm64.LDRQ, n1, carrySum)
	e.DUP4S(n0, gSum, last)
	e.carried(arm64.STRQ, n0, carrySum)
	if e.g.Arith >= ir.GroupFAdd {
		e.DUP4S(gMet, gMet, last)
		e.carried(arm64.STRQ, gMet, carryMet)
	}
	if e.g.Kind == ir.GroupExclusive {
		e.EXT(gSum, n1, gSum, 4*last)
	}
}

// handOnPairs is handOn for pairs in gSum and gSum2. The last lane is the second of those.
func (e armGroup) handOnPairs() {
	e.carried(arm64.LDRQ, n1, carrySum)
	e.DUP2D(n0, gSum2, 1)
	e.carried(arm64.STRQ, n0, carrySum)
	if e.g.Arith >= ir.GroupFAdd {
		e.DUP2D(gMet, gMet, 1)
		e.carried(arm64.STRQ, gMet, carryMet)
	}
	if e.g.Kind == ir.GroupExclusive {
		e.EXT(gSum2, gSum, gSum2, 8)
		e.EXT(gSum, n1, gSum, 8)
	}
}

// last writes GroupLast: the word that memory has of the last lane of the subgroup that exists.
func (e armGroup) last() {
	row := e.places[e.x.Args[0]]
	e.Imm(x9, uint64(4*(e.size-1)))
	e.G3(arm64.ORRX, x9, x9, xStrip)
	e.Gen(arm64.LDRX, x10, xFrame, frameLast)
	e.CMP(x10, x9)
	e.CSEL(x9, x10, x9, arm64.Below)
	e.G3(arm64.SUBX, x9, x9, xStrip)
	e.G3(arm64.ADDX, x9, x9, xRow)
	e.LD1R4S(n0, x9, int(row.n))
	e.put(e.x.Results[0], n0)
	e.fail = e.fail || row.kind != placeRow
}

// take writes GroupTake: words that memory has of the subgroup's lanes, 0 where there are none.
func (e armGroup) take() {
	row := e.places[e.x.Args[0]]
	z := e.in(lanes(e.x.Args[1]), n0)
	e.Imm(x9, uint64(4*e.size-1))
	e.G3(arm64.BICX, x11, xStrip, x9)
	e.ADDImm(xLimit, x11, 4*e.size)
	e.Gen(arm64.LDRX, x9, xFrame, frameLast)
	e.ADDImm(x9, x9, 4)
	e.CMP(x9, xLimit)
	e.CSEL(xLimit, x9, xLimit, arm64.Below)
	e.Imm(xBase, uint64(row.n))
	e.G3(arm64.ADDX, xBase, xBase, xRow)
	e.G3(arm64.SUBX, xBase, xBase, xStrip)
	e.zeroWord()
	for lane := range stripWidth {
		e.UMOV4S(x9, z, lane)
		e.ADDShifted(x9, x11, x9, 2)
		e.word(n5, lane)
	}
	e.put(e.x.Results[0], n5)
	e.fail = e.fail || row.kind != placeRow
}
