// Package native makes machine code of ranges of the flat list that a machine of loops
// over lanes runs (package vm), and runs it: what it cannot do stays with the loops.
//
// A List is what such a machine hands over. Divide finds its ranges and makes blocks of them,
// Emit gives registers and writes code for a Machine, and a Thread runs blocks a strip of lanes
// at a time. Files beginning with amd64_ and arm64_ are about processors, all others hold for both.
package native

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// What Inst.A of KindAtomicMem says.
const (
	AtomicOfWords = 1 << iota // the lowest two bits of offsets do not count
	atomicUnread              // nobody reads the result
)

// List is a program as a flat list of instructions on lane registers (a word for each lane),
// scalar registers (a word for all) and mask registers, of which 0 has all lanes.
type List struct {
	Program *ir.Program
	Code    []Inst
	// Operands are those of instructions that have many, by Inst.C.
	Operands []Operands
	// Consts are what the first scalar registers hold, which nothing changes.
	Consts []uint32
	// Clears are the mask registers that lanes leave, by Inst.C of KindLeave.
	Clears [][]int32
	// Loops are ranges of the code that run repeatedly, inner before outer.
	Loops        [][2]int32
	Lanes, Masks int32 // how many registers there are; lane registers begin with the inputs
	Places       bool  // it has operations on places
	// Left are the places of instructions that Divide has found no machine code for: those that stay
	// with the loops, and those that blocks leave to their host.
	Left []int32
}

// Inst is an instruction of the list. D, A, B and C are lane registers, scalar registers or
// indices, as Kind says; M is the mask register of the region it stands in; To is a jump target.
type Inst struct {
	Kind       Kind
	Op         ir.Op // operation, or fused pair
	M          int32
	D, A, B, C int32
	To         int32
	Imm        int64
	// From is the place in the list that was handed over, plus 1; 0: the instruction is new.
	From int32
}

// Operands are the lane registers that an instruction with many of them reads and writes.
type Operands struct {
	Args, Results []int32
	Image         int // the host's number of KindImage
	// In is an instruction that the host does a strip of where machine code does not.
	In Inst
}

// Kind is what an instruction of the list does.
type Kind uint8

// Of operands V are lane registers and U scalar ones.
const (
	KindOther   Kind = iota // stays with the loops; operands C
	KindOrdered             // the same, and its place among operations on memory counts
	KindUnary               // D = Op A
	KindVV                  // D = A Op B
	KindVU
	KindUV
	KindVVV // D = Op(A, B, C)
	KindVVU
	KindVUV
	KindVUU
	KindFusedVVV // D = A·B ± C with two roundings
	KindFusedVVU
	KindFusedVUV
	KindFusedVUU
	KindScalar    // scalar D = Op(A, B, C)
	KindScalarMov // scalar D = A
	KindBroadcast // D = scalar A
	KindCopy      // D = A
	KindCanon     // D = A, NaNs canonical
	KindScalarCanon
	KindZero       // D = 0
	KindSet        // D = A in the mask
	KindSetU       // D = scalar A in the mask
	KindOutput     // output C = A in the mask
	KindOutputU    // output C = scalar A in the mask
	KindDerivative // D = Op A
	KindIsHelper   // D
	KindDemote
	KindLoadBuffer     // D = [A] of resource Imm, element scalar B
	KindLoadBufferU    // scalar D = [scalar A]
	KindStoreBuffer    // [A] = C
	KindLoadBufferE    // D = [A] of resource Imm, element B of each lane
	KindStoreBufferE   // [A] = C
	KindSizeBufferU    // scalar D = bytes of resource Imm, element scalar B
	KindSizeBufferE    // D = bytes of resource Imm, element B of each lane
	KindLoadPush       // D = [A]
	KindLoadPushU      // scalar D = [scalar A]
	KindLoadTable      // D = [A]
	KindLoadTableU     // scalar D = [scalar A]
	KindLoadShared     // D = [A]; see uniformOffsets
	KindStoreShared    // [A] = C; see uniformOffsets
	KindLoadPrivate    // D = [A]
	KindLoadPrivateAt  // D = word C of every lane
	KindStorePrivateAt // word C of every lane = B
	// Of a block with one lane.
	KindFirst        // scalar D = A
	KindStoreBufferU // [scalar A] = scalar C
	KindLoadSharedU  // scalar D = [scalar A]
	KindStoreSharedU
	KindShiftU       // scalar D = half Imm>>8 of WideOp Imm&255 of scalars A (low), B (high) and C
	KindLoadPrivateU // whose words lie side by side
	KindStorePrivateU
	KindImage // operands C: see ir.ImageOp.Rest; Imm: it writes
	KindWide  // operands C: ir.WideOp Imm
	KindJump
	KindJumpZero     // where scalar A is 0
	KindJumpEmpty    // where mask M is empty
	KindJumpNotEmpty // where mask M is not empty
	KindIf           // masks D = M & A, B = M &^ A (B < 0: none); jumps where D is empty. Where Imm is set, A is the contrary
	KindMaskCopy     // mask D = M
	KindLeave        // clears the lanes of M in Clears[C] and M
	KindFuel         // takes Imm, of the loop C
	// Memory of any width, see ir.Mem, which Imm is: operands C are the address, then values. B is
	// the scalar register of the element of a buffer, plus 1; 0: a lane register has it.
	KindLoadMem      // results are words that follow each other, those of widths below 4 bytes one
	KindLoadMemU     // scalar D = [scalar A], element scalar B
	KindStoreMem     // values as results of KindLoadMem
	KindStoreMemU    // [scalar A] = scalar C, element scalar B, where a lane stores
	KindAtomicMem    // one result, or two; A: AtomicOfWords or not
	KindStorePrivate // [A] = B
	KindGroup        // operands C: ir.Group Imm
	// Places, see ir.OpPixel: Imm as there.
	KindPixel      // D
	KindRecord     // D
	KindCovered    // D
	KindCover      // A
	KindLoadTexel  // D
	KindStoreTexel // operands C
	// What only this package makes.
	KindLoadPair  // operands C: two loads of kind Op, see pairLoads
	KindLoadBytes // operands C: words of 256 at Imm of the table that bytes A of a word choose, see byteLoads
	KindLoadFew   // D: words of 32 at Imm of the table that the lowest bits of A choose, see fewLoads
	KindNone      // nothing
	KindLeaveIf   // clears the lanes of M & A, or of M &^ A where Imm is set, in Clears[C]
	KindAhead     // the words of resource Imm, element B, at the offsets A will be loaded
	KindBlock     // block Imm, operands C: its lane registers
	KindCount
)

// Pairs of a product and what uses it, with two roundings, as operations.
const (
	FusedMulAdd ir.Op = iota // a·b + c
	FusedMulSub              // a·b − c
	FusedSubMul              // c − a·b
)

// fields says which fields of a kind are lane registers, or operands C are, and which are scalar
// registers: those of maybeB and maybeC plus 1, and 0 is none.
type fields uint16

const (
	laneD fields = 1 << iota
	laneA
	laneB
	laneC
	operands
	scalarD
	scalarA
	scalarB
	scalarC
	maybeB
	maybeC

	anyLanes = laneD | laneA | laneB | laneC | operands
)

// fieldsOf says which registers kinds have.
var fieldsOf = [KindCount]fields{
	KindOther: operands, KindOrdered: operands, KindUnary: laneD | laneA,
	KindVV: laneD | laneA | laneB, KindVU: laneD | laneA | scalarB, KindUV: laneD | laneB | scalarA,
	KindVVV: laneD | laneA | laneB | laneC, KindVVU: laneD | laneA | laneB | scalarC,
	KindVUV: laneD | laneA | laneC | scalarB, KindVUU: laneD | laneA | scalarB | scalarC,
	KindFusedVVV: laneD | laneA | laneB | laneC, KindFusedVVU: laneD | laneA | laneB | scalarC,
	KindFusedVUV: laneD | laneA | laneC | scalarB, KindFusedVUU: laneD | laneA | scalarB | scalarC,
	KindScalar: scalarD, KindScalarMov: scalarD | scalarA, KindBroadcast: laneD | scalarA,
	KindCopy: laneD | laneA, KindCanon: laneD | laneA, KindScalarCanon: scalarD | scalarA,
	KindZero: laneD, KindSet: laneD | laneA, KindSetU: laneD | scalarA, KindOutput: laneA,
	KindOutputU: scalarA, KindDerivative: laneD | laneA, KindIsHelper: laneD,
	KindLoadBuffer: laneD | laneA | scalarB, KindLoadBufferU: scalarD | scalarA | scalarB,
	KindStoreBuffer: laneA | laneC | scalarB, KindLoadBufferE: laneD | laneA | laneB,
	KindStoreBufferE: laneA | laneB | laneC, KindSizeBufferU: scalarD | scalarB,
	KindSizeBufferE: laneD | laneB, KindLoadPush: laneD | laneA, KindLoadPushU: scalarD | scalarA,
	KindLoadTable: laneD | laneA, KindLoadTableU: scalarD | scalarA,
	KindLoadShared: laneD | laneA | maybeC, KindStoreShared: laneA | laneC | maybeB,
	KindLoadPrivate: laneD | laneA | maybeC, KindLoadPrivateAt: laneD, KindStorePrivateAt: laneB,
	KindFirst: laneA | scalarD, KindStoreBufferU: scalarA | scalarB | scalarC,
	KindLoadSharedU: scalarD | scalarA, KindStoreSharedU: scalarA | scalarC,
	KindShiftU: scalarD | scalarA | scalarB | scalarC, KindLoadPrivateU: scalarD | scalarA,
	KindStorePrivateU: scalarA | scalarC, KindImage: operands, KindWide: operands,
	KindJumpZero: scalarA, KindIf: laneA, KindLoadMem: operands | maybeB,
	KindLoadMemU: scalarD | scalarA | scalarB, KindStoreMem: operands | maybeB,
	KindStoreMemU: scalarA | scalarB | scalarC, KindAtomicMem: operands | maybeB,
	KindStorePrivate: laneA | laneB | maybeC, KindGroup: operands, KindPixel: laneD,
	KindRecord: laneD, KindCovered: laneD, KindCover: laneA, KindLoadTexel: laneD,
	KindStoreTexel: operands, KindLoadPair: operands | scalarB, KindLoadBytes: operands,
	KindLoadFew: laneD | laneA, KindLeaveIf: laneA, KindAhead: laneA | scalarB, KindBlock: operands,
}

// Lanes says which of the fields D, A, B and C of a kind are lane registers, a bit for each from the
// lowest on, and whether operands C are.
func (k Kind) Lanes() (list uint8, more bool) {
	l := fieldsOf[k]
	return uint8(l & (laneD | laneA | laneB | laneC)), l&operands != 0
}

// LanesIn calls f for the lane registers of an instruction, operands first.
func (in *Inst) LanesIn(list []Operands, f func(v *int32, result bool)) {
	l := fieldsOf[in.Kind]
	if l&laneA != 0 {
		f(&in.A, false)
	}
	if l&laneB != 0 {
		f(&in.B, false)
	}
	if l&laneC != 0 {
		f(&in.C, false)
	}
	if l&laneD != 0 {
		f(&in.D, true)
	}
	if l&operands != 0 {
		x := &list[in.C]
		for i := range x.Args {
			f(&x.Args[i], false)
		}
		for i := range x.Results {
			f(&x.Results[i], true)
		}
	}
}

// Host is the machine of loops whose list blocks are ranges of, as they need it while they run.
type Host interface {
	// Elements are the descriptors of a resource; elements behind them are null descriptors.
	Elements(resource int64) []exec.Descriptor
	// Mask is mask register m: a word of zeros or ones for each lane of the piece.
	Mask(m int32) []uint32
	// Live is the same of the invocations that are live; written says that the block may change it.
	Live(written bool) []uint32
	// Image does the lanes of an image instruction that the first mask has, of those that are active;
	// rows are its operands, then its results.
	Image(number int, rows [][ir.PlaceLanes]uint32, lanes, active uint16)
	// Strip does some lanes of an instruction; rows are its operands, then its results. Of device
	// addresses and pointers it returns where the memory begins that has the last of them, and that
	// memory, nil for none.
	Strip(in *Inst, rows [][ir.PlaceLanes]uint32, operands int, lanes uint16) (uint64, []byte)
}

// Fuel is what the blocks of a piece of a batch may spend.
type Fuel struct {
	Left int64
	// Stop says that the batch is not wanted any more, which Stopped keeps; nil: it always is.
	Stop    func() bool
	Stopped bool
	Loop    int32 // that took the last
}

// StripLanes rounds lanes up to whole strips.
func StripLanes(lanes int) int { return (lanes + 15) &^ 15 }
