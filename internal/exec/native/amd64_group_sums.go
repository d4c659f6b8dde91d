package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// groupNeutrals are what sums and products of floats have for lanes that take no part: they change
// no number, and not the sign of zeros, either.
var groupNeutrals = map[ir.GroupArith]uint32{ir.GroupFAdd: 1 << 31, ir.GroupFMul: 0x3F800000}

// sums sets scratch5 to a reduction or scan of sums or products of floats, in the order of lanes:
// one instruction a lane waits for the one before.
func (w *groupWriter) sums() {
	e, by := w.e, amd64.VMULPS
	if w.g.Arith == ir.GroupFAdd {
		by = amd64.VADDPS
	}
	w.load(scratch1, groupLanes)
	e.V(amd64.VPMOVD2M, amd64.Z(maskStep2), 0, amd64.R(scratch1))
	e.in(e.words(groupNeutrals[w.g.Arith]), scratch5)
	e.move(scratch0, scratch5)
	e.VK(amd64.VMOVDQU, scratch0, 0, w.row(groupValue), maskStep2)
	if w.whole > 0 {
		e.Mov1(amd64.VMOVDQU, scratch5, w.carried(carrySum))
	}
	e.Mov1(amd64.VMOVDQU, scratch2, w.lane())
	result := func(j int) {
		if j == 0 {
			e.move(scratch4, scratch5)
			return
		}
		e.ToMask(amd64.VPCMPD, maskStep3, scratch2, e.words(uint32(j)), 0, 0)
		e.VK(amd64.VMOVDQU, scratch4, 0, amd64.R(scratch5), maskStep3)
	}
	for j := range w.size {
		if w.g.Kind == ir.GroupExclusive {
			result(j)
		}
		w.spread(scratch1, scratch0, j)
		e.V(by, scratch5, scratch5, amd64.R(scratch1))
		if w.g.Kind == ir.GroupInclusive {
			result(j)
		}
	}
	if w.whole > 0 {
		e.Mov1(amd64.VMOVDQUTo, scratch5, w.carried(carrySum))
	}
	if w.g.Kind != ir.GroupReduce {
		e.move(scratch5, scratch4)
	}
	w.ofNone()
}

// ofNone sets scratch5 to the identity in lanes whose set none has taken part in.
func (w *groupWriter) ofNone() {
	e := w.e
	e.KTO(amd64.RAX, maskStep2)
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RAX))
	kind := int(w.g.Kind - ir.GroupReduce)
	e.V(amd64.VPANDD, scratch1, scratch1, w.table(int64(1<<21+32*(3*w.size+kind)),
		func(lane int) int {
			base := lane / w.size * w.size
			return [3]int{1<<w.size - 1, 2<<(lane-base) - 1, 1<<(lane-base) - 1}[kind] << base
		}))
	if w.whole > 0 {
		e.V(amd64.VPORD, scratch1, scratch1, w.carried(carryMet))
		w.meet()
	}
	e.V(amd64.VPXORD, scratch2, scratch2, amd64.R(scratch2))
	e.ToMask(amd64.VPCMPD, maskStep2, scratch1, amd64.R(scratch2), 0, 0)
	e.in(e.words(groupIdentities[w.g.Arith]), scratch2)
	e.VK(amd64.VMOVDQU, scratch5, 0, amd64.R(scratch2), maskStep2)
}
