package native

import (
	"fmt"
	"strings"
)

// text is an instruction of a block: lane registers are v, scalar ones s, mask registers m.
func (b *stretch) text(r *Translation, in *Inst) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s", kindNames[in.Kind])
	switch {
	case in.Kind >= KindFusedVVV && in.Kind <= KindFusedVUU:
		fmt.Fprintf(&s, " %s", [3]string{"a*b+c", "a*b-c", "c-a*b"}[in.Op])
	case in.Kind <= KindScalar && in.Kind >= KindUnary || in.Kind == KindDerivative:
		fmt.Fprintf(&s, " %v", in.Op)
	}
	l := fieldsOf[in.Kind]
	for _, f := range [4]struct {
		lane fields
		name string
		n    int32
	}{{laneD, "d", in.D}, {laneA, "a", in.A}, {laneB, "b", in.B}, {laneC, "c", in.C}} {
		if l&f.lane != 0 {
			fmt.Fprintf(&s, " %s=v%d", f.name, f.n)
		} else if f.n != 0 && l&operands == 0 {
			fmt.Fprintf(&s, " %s=%d", f.name, f.n)
		}
	}
	if l&operands != 0 {
		fmt.Fprintf(&s, " of v%v to v%v", r.aux[in.C].Args, r.aux[in.C].Results)
	}
	if in.M != 0 {
		fmt.Fprintf(&s, " in m%d", in.M)
	}
	if in.jumps() {
		fmt.Fprintf(&s, " to %d", in.To)
	}
	if in.Imm != 0 {
		fmt.Fprintf(&s, " imm=%#x", uint64(in.Imm))
	}
	return s.String()
}

// dump writes what a machine is to show of a block.
func (e *draft) dump(number int) {
	m := e.vectors
	if m.show == nil {
		return
	}
	if m.list {
		fmt.Fprintf(m.show, "%s, block %d, %d bits, a frame of %d bytes\n%s", e.r.program.Name, number, 32*m.lanes, e.slots, e.list())
	}
}

// dumpCode is dump of the bytes, as hexadecimal numbers.
func (e *draft) dumpCode(number int, code []byte) {
	if m := e.vectors; m.show != nil && m.code {
		fmt.Fprintf(m.show, "%s, block %d, code\n% x\n", e.r.program.Name, number, code)
	}
}

// kindNames are what kinds are called in lists that people read.
var kindNames = [KindCount]string{
	KindOther: "other", KindOrdered: "ordered", KindUnary: "unary", KindVV: "vV", KindVU: "vU",
	KindUV: "uV", KindVVV: "vVV", KindVVU: "vVU", KindVUV: "vUV", KindVUU: "vUU",
	KindFusedVVV: "fusedVVV", KindFusedVVU: "fusedVVU", KindFusedVUV: "fusedVUV",
	KindFusedVUU: "fusedVUU", KindScalar: "scalar", KindScalarMov: "scalarMov",
	KindBroadcast: "broadcast", KindCopy: "copy", KindCanon: "canon", KindScalarCanon: "scalarCanon",
	KindZero: "zero", KindSet: "set", KindSetU: "setU", KindOutput: "output", KindOutputU: "outputU",
	KindDerivative: "derivative", KindIsHelper: "isHelper", KindDemote: "demote",
	KindLoadBuffer: "loadBuffer", KindLoadBufferU: "loadBufferU", KindStoreBuffer: "storeBuffer",
	KindLoadBufferE: "loadBufferE", KindStoreBufferE: "storeBufferE", KindSizeBufferU: "sizeBufferU",
	KindSizeBufferE: "sizeBufferE", KindLoadPush: "loadPush", KindLoadPushU: "loadPushU",
	KindLoadTable: "loadTable", KindLoadTableU: "loadTableU", KindLoadShared: "loadShared",
	KindStoreShared: "storeShared", KindLoadPrivate: "loadPrivate",
	KindLoadPrivateAt: "loadPrivateAt", KindStorePrivateAt: "storePrivateAt", KindFirst: "first",
	KindStoreBufferU: "storeBufferU", KindLoadSharedU: "loadSharedU",
	KindStoreSharedU: "storeSharedU", KindShiftU: "shiftU", KindLoadPrivateU: "loadPrivateU",
	KindStorePrivateU: "storePrivateU", KindImage: "image", KindWide: "wide", KindJump: "jump",
	KindJumpZero: "jumpZero", KindJumpEmpty: "jumpEmpty", KindJumpNotEmpty: "jumpNotEmpty",
	KindIf: "if", KindMaskCopy: "maskCopy", KindLeave: "leave", KindFuel: "fuel",
	KindLoadMem: "loadMem", KindLoadMemU: "loadMemU", KindStoreMem: "storeMem",
	KindStoreMemU: "storeMemU", KindAtomicMem: "atomicMem", KindStorePrivate: "storePrivate",
	KindGroup: "group", KindPixel: "pixel", KindRecord: "record", KindCovered: "covered",
	KindCover: "cover", KindLoadTexel: "loadTexel", KindStoreTexel: "storeTexel",
	KindLoadPair: "loadPair", KindLoadBytes: "loadBytes", KindLoadFew: "loadFew", KindNone: "none",
	KindLeaveIf: "leaveIf", KindAhead: "ahead", KindBlock: "block",
}
