package native

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
)

// rest writes such an instruction: operands and results have rows in the frame.
func (e *emitter) rest(in *Inst) {
	x := &e.r.aux[in.C]
	k := e.executes(in.M)
	e.K(amd64.KAND, maskStep2, e.maskIn(x.Args[len(x.Args)-1], maskStep3), k)
	if in.Imm != 0 { // helpers write nothing
		e.live()
		e.VZ(amd64.VMOVDQU, scratch1, 0, e.lanesAt(amd64.RAX), k)
		e.V(amd64.VPMOVD2M, amd64.Z(maskStep3), 0, amd64.R(scratch1))
		e.K(amd64.KAND, maskStep2, maskStep2, maskStep3)
	}
	rows := e.rows(len(x.Args) + len(x.Results))
	e.K(amd64.KTEST, maskStep2, 0, maskStep2)
	e.rarely(amd64.IfNotZero, func() {
		back := e.NewLabel()
		e.KTO(amd64.RAX, maskStep2)
		e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameServeMask))
		e.KTO(amd64.RAX, k)
		e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameServeActive))
		e.WI(amd64.MOVQImm, amd64.M(regFrame, frameServeOp), int(in.C))
		e.WI(amd64.MOVQImm, amd64.M(regFrame, frameServeRows), rows)
		given := x.Args[:len(x.Args)-1]
		for i, v := range slices.Concat(given, x.Results) {
			e.Mov1(amd64.VMOVDQUTo, e.in(e.arg(v), scratch0), amd64.M(regFrame, rows+imageRow*i))
		}
		e.leave(exitServeImage, back)
		e.Here(back)
		for i, v := range x.Results {
			e.Mov1(amd64.VMOVDQU, e.value(v), amd64.M(regFrame, rows+imageRow*(len(given)+i)))
		}
	})
}
