package vm

import (
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// instr is one VM instruction. Fields d, a, b, c are lane registers, scalar
// registers or indices, as the kind says; m is the mask register of the region
// it stands in; to is a jump target.
type instr struct {
	kind       native.Kind
	op         ir.Op // operation, or fused pair
	m          int32
	d, a, b, c int32
	to         int32
	imm        int64
}

// auxiliary holds the operands of an instruction with many of them.
type auxiliary struct {
	args     []int32 // lane registers
	results  []int32
	image    int // index of an image operation
	elements imageOperands
}

// Kinds of instructions that machine code has another one for, or none.
const (
	kindInterpolate  native.Kind = native.KindCount + iota // slot c, mode imm
	kindAtomicBuffer                                       // aux c: element, offset, value, comparator; b as KindLoadMem
	kindAtomicShared
	kindImage      // aux c
	kindAsk        // aux c: scalar registers
	kindWriteU     // aux c: scalar registers; a write, where any lane stores
	kindBlock      // aux c, imm
	kindLoadVertex // d = slot imm of vertex a
	kindPrint      // aux c, imm
	kindTrace      // aux c, imm
	kindEmit       // slot imm of vertex a = b
	kindBarrier    // lanes run in lockstep; blocks end here
	kindRuns       // kind imm, with words of records for scalars
	kindWideRuns   // as KindWide, with words of records for pairs
	kindCount
)

// Which fields of a kind are lane registers; the last flag says that the
// result must not share a register with an operand.
const (
	laneD = 1 << iota
	laneA
	laneB
	laneC
	apart
)

var lanesOf = findLanes()

func findLanes() [kindCount]uint8 {
	l := [kindCount]uint8{
		kindInterpolate: laneD | laneA | laneB | apart, kindAtomicBuffer: apart, kindAtomicShared: apart,
		kindImage: apart, kindBlock: apart, kindPrint: apart, kindTrace: apart, kindLoadVertex: laneD | laneA,
		kindEmit: laneA | laneB, kindRuns: apart, kindWideRuns: apart,
	}
	for k := range native.KindCount {
		fields, operands := k.Lanes()
		if l[k] = fields; operands || k == native.KindDerivative {
			l[k] |= apart
		}
	}
	return l
}
