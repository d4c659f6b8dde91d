package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

func (w *groupWriter) carried(row int) amd64.Arg {
	return amd64.M(regFrame, w.e.carry+imageRow*row)
}

// begin has the first part of a subgroup find what none has come to.
func (w *groupWriter) begin() {
	e := w.e
	if e.part > 0 {
		return
	}
	e.carry = e.rows(carryRows)
	on := e.NewLabel()
	e.W(amd64.MOVL, amd64.RAX, amd64.GArg(regStrip))
	e.WI(amd64.ANDLImm, amd64.GArg(amd64.RAX), 4*w.whole-1)
	e.JIf(amd64.IfNotZero, on)
	e.V(amd64.VPXORD, scratch0, scratch0, amd64.R(scratch0))
	e.Mov1(amd64.VMOVDQUTo, scratch0, w.carried(carryMet))
	e.Mov1(amd64.VMOVDQUTo, scratch0, w.carried(carryAny))
	switch {
	case w.g.Kind < ir.GroupReduce || w.g.Kind > ir.GroupExclusive:
		e.Mov1(amd64.VMOVDQUTo, scratch0, w.carried(carryHigh))
	case w.g.Wide:
		e.V(amd64.VPBROADCASTQ, scratch0, 0, e.Pool(w.g.Arith.WideIdentity()).One())
	default:
		e.in(e.words(groupNeutral(w.g.Arith)), scratch0)
	}
	e.Mov1(amd64.VMOVDQUTo, scratch0, w.carried(carrySum))
	e.Here(on)
}

// position sets z to the place in its subgroup of the part's first lane, and some more.
func (w *groupWriter) position(z amd64.Z, more int) {
	e := w.e
	e.W(amd64.MOVL, amd64.RAX, amd64.GArg(regStrip))
	e.WI(amd64.ANDLImm, amd64.GArg(amd64.RAX), 4*w.whole-1)
	e.WI(amd64.SHRL, amd64.GArg(amd64.RAX), 2)
	e.WI(amd64.ADDLImm, amd64.GArg(amd64.RAX), w.size*e.part+more)
	e.V(amd64.VPBROADCASTG, z, 0, amd64.GArg(amd64.RAX))
}

// handOn adds to z what parts before have come to, and hands that on.
func (w *groupWriter) handOn(z amd64.Z) {
	if w.whole > 0 {
		w.e.V(amd64.VPORD, z, z, w.carried(carryAny))
		w.e.Mov1(amd64.VMOVDQUTo, z, w.carried(carryAny))
	}
}

// unlessMet clears z where a lane of a part before took part. It takes scratch2.
func (w *groupWriter) unlessMet(z amd64.Z) {
	e := w.e
	e.Mov1(amd64.VMOVDQU, scratch2, w.carried(carryMet))
	e.V(amd64.VPXORD, scratch2, scratch2, e.constant(constOnes))
	e.V(amd64.VPANDD, z, z, amd64.R(scratch2))
}

// meet notes whether lanes of the part take part. It takes scratch3 and maskStep3.
func (w *groupWriter) meet() {
	w.any(scratch3, maskStep2)
	w.e.V(amd64.VPORD, scratch3, scratch3, w.carried(carryMet))
	w.e.Mov1(amd64.VMOVDQUTo, scratch3, w.carried(carryMet))
}

// lastOfGroup writes GroupLast: the word that memory has of the last lane of the subgroup that
// exists.
func lastOfGroup(e *emitter, x *Operands, g ir.Group) {
	row := e.places[x.Args[0]]
	e.W(amd64.MOVQ, amd64.RAX, amd64.GArg(regStrip))
	e.WI(amd64.ORLImm, amd64.GArg(amd64.RAX), 4*(e.sizeOf(g)-1))
	e.W(amd64.CMPQ, amd64.RAX, amd64.M(regFrame, frameLast))
	e.W(amd64.CMOVL(amd64.IfAbove).Q(), amd64.RAX, amd64.M(regFrame, frameLast))
	e.W(amd64.SUBQ, amd64.RAX, amd64.GArg(regStrip))
	e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(regRow))
	e.Mov1(amd64.VPBROADCASTD, scratch0, amd64.All(amd64.RAX, int(row.n)).One())
	e.put(x.Results[0], scratch0)
	e.fail = e.fail || row.kind != placeRow
}

// takeOfGroup writes GroupTake: words that memory has of the subgroup's lanes.
func takeOfGroup(e *emitter, x *Operands) {
	size := int(e.r.program.SubgroupSize)
	row := e.places[x.Args[0]]
	z := e.in(e.arg(x.Args[1]), scratch0)
	e.ToMask(amd64.VPCMPUD, maskStep2, z, e.words(uint32(size)), 1, 0)
	e.W(amd64.MOVL, amd64.RAX, amd64.GArg(regStrip))
	e.WI(amd64.ANDLImm, amd64.GArg(amd64.RAX), -4*size)
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RAX))
	e.VI(amd64.VPSLLD, scratch2, 0, amd64.R(z), 2)
	e.V(amd64.VPADDD, scratch1, scratch1, amd64.R(scratch2))
	e.Mov1(amd64.VPBROADCASTD, scratch2, amd64.All(regFrame, frameLast).One())
	e.ToMask(amd64.VPCMPUD, maskStep2, scratch1, amd64.R(scratch2), 2, maskStep2)
	e.W(amd64.MOVQ, amd64.RAX, amd64.GArg(regRow))
	e.W(amd64.SUBQ, amd64.RAX, amd64.GArg(regStrip))
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RAX), int(row.n))
	e.V(amd64.VPXORD, scratch2, scratch2, amd64.R(scratch2))
	e.VK(amd64.VPGATHERDD, scratch2, 0, amd64.Each(amd64.RAX, scratch1), maskStep2)
	e.put(x.Results[0], scratch2)
	e.fail = e.fail || row.kind != placeRow
}
