package vm

import "github.com/pumice-gpu/pumice/internal/ir"

// instr is one VM instruction. Fields d, a, b, c are lane registers, scalar
// registers or indices, as the kind says; m is the mask register of the region
// it stands in; to is a jump target.
type instr struct {
	kind       kind
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

type kind uint8

const (
	kindUnary kind = iota // d = op a
	kindVV                // d = a op b
	kindVU                // d = a op s[b]
	kindUV                // d = s[a] op b
	kindVVV               // d = op(a, b, c), U = scalar register
	kindVVU
	kindVUV
	kindVUU
	kindFusedVVV
	kindFusedVVU
	kindFusedVUV
	kindFusedVUU
	kindScalar    // s[d] = op(s[a], s[b], s[c])
	kindScalarMov // s[d] = s[a]
	kindBroadcast // d = s[a]
	kindCopy      // d = a
	kindCanon     // d = canonical a
	kindScalarCanon
	kindZero    // d = 0
	kindSet     // d = a in the mask
	kindSetU    // d = s[a] in the mask
	kindOutput  // output slot c = a in the mask
	kindOutputU // output slot c = s[a] in the mask
	kindDerivative
	kindInterpolate // slot c, mode imm
	kindIsHelper
	kindDemote
	// Memory: imm is the resource; b is the scalar register of the
	// descriptor element, or a lane register in the kinds that end in E.
	kindLoadBuffer  // d = [a]
	kindLoadBufferE // d = [a]
	kindLoadBufferU // s[d] = [s[a]]
	kindStoreBuffer // [a] = c
	kindStoreBufferE
	kindSizeBuffer  // d: element lane register b
	kindSizeBufferU // s[d]
	kindLoadPush
	kindLoadPushU
	kindLoadTable
	kindLoadTableU
	kindLoadShared
	kindStoreShared // [a] = c
	kindLoadPrivate
	kindLoadPrivateAt // word c of every lane
	kindStorePrivate  // [a] = b
	kindStorePrivateAt
	kindAtomicBuffer // aux c: element, offset, value, comparator; b as kindLoadMem
	kindAtomicShared
	kindImage  // aux c
	kindAsk    // aux c: scalar registers
	kindWriteU // aux c: scalar registers; a write, where any lane stores
	kindGroup  // aux c, imm
	kindWide
	kindBlock    // aux c, imm
	kindLoadMem  // aux c, imm; b: scalar register of a buffer's element, plus 1; 0: a lane register
	kindLoadMemU // s[d] = [s[a]], element s[b]
	kindStoreMem
	kindStoreMemU // [s[a]] = s[c], element s[b], where any lane stores
	kindAtomicMem
	// Single lanes, see memoryAlone.
	kindFirst        // s[d] = a
	kindStoreBufferU // [s[a]] = s[c]
	kindLoadSharedU  // s[d] = [s[a]]
	kindStoreSharedU
	kindShiftU // s[d] = half imm>>8 of WideOp imm&255 of s[a] (low), s[b] (high) and s[c]
	kindLoadPrivateU
	kindStorePrivateU
	kindLoadVertex // d = slot imm of vertex a
	kindPrint      // aux c, imm
	kindTrace      // aux c, imm
	kindEmit       // slot imm of vertex a = b
	// Control.
	kindJump
	kindJumpZero     // where s[a] is 0
	kindJumpEmpty    // where mask m is empty
	kindJumpNotEmpty // where mask m is not empty
	kindIf           // masks d = m & a, b = m &^ a (b < 0: none); jumps where d is empty
	kindMaskCopy     // mask d = m
	kindLeave        // clears the lanes of m in clears[c] and m
	kindFuel
	kindBarrier // lanes run in lockstep; blocks end here
	// Places, see ir.OpPixel: imm as there.
	kindPixel      // d
	kindRecord     // d
	kindCovered    // d
	kindCover      // a
	kindLoadTexel  // d
	kindStoreTexel // aux c
	kindRuns       // kind imm, with words of records for scalars
	kindWideRuns   // as kindWide, with words of records for pairs
	kindNative     // a block of machine code: imm, aux c: its lane registers
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

var lanesOf = [kindCount]uint8{
	kindUnary: laneD | laneA, kindVV: laneD | laneA | laneB, kindVU: laneD | laneA, kindUV: laneD | laneB,
	kindVVV: laneD | laneA | laneB | laneC, kindVVU: laneD | laneA | laneB, kindVUV: laneD | laneA | laneC, kindVUU: laneD | laneA,
	kindFusedVVV: laneD | laneA | laneB | laneC, kindFusedVVU: laneD | laneA | laneB, kindFusedVUV: laneD | laneA | laneC, kindFusedVUU: laneD | laneA,
	kindBroadcast: laneD, kindCopy: laneD | laneA, kindCanon: laneD | laneA, kindZero: laneD,
	kindSet: laneD | laneA, kindSetU: laneD, kindOutput: laneA,
	kindDerivative: laneD | laneA | apart, kindInterpolate: laneD | laneA | laneB | apart, kindIsHelper: laneD,
	kindLoadBuffer: laneD | laneA, kindLoadBufferE: laneD | laneA | laneB, kindStoreBuffer: laneA | laneC, kindStoreBufferE: laneA | laneB | laneC,
	kindSizeBuffer: laneD | laneB, kindLoadPush: laneD | laneA, kindLoadTable: laneD | laneA, kindLoadShared: laneD | laneA, kindStoreShared: laneA | laneC,
	kindLoadPrivate: laneD | laneA, kindLoadPrivateAt: laneD, kindStorePrivate: laneA | laneB, kindStorePrivateAt: laneB,
	kindAtomicBuffer: apart, kindAtomicShared: apart, kindImage: apart,
	kindGroup: apart, kindWide: apart, kindBlock: apart, kindLoadMem: apart, kindStoreMem: apart, kindAtomicMem: apart, kindPrint: apart, kindTrace: apart,
	kindLoadVertex: laneD | laneA, kindEmit: laneA | laneB,
	kindPixel: laneD, kindRecord: laneD, kindCovered: laneD, kindCover: laneA, kindLoadTexel: laneD,
	kindStoreTexel: apart, kindRuns: apart, kindWideRuns: apart,
	kindIf: laneA, kindNative: apart, kindFirst: laneA,
}
