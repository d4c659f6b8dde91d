package native

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Where a descriptor has its memory: an address, then how many bytes.
const (
	descriptorBytes = unsafe.Sizeof(exec.Descriptor{})
	descriptorData  = unsafe.Offsetof(exec.Descriptor{}.Data)
	descriptorSize  = descriptorData + unsafe.Sizeof(uintptr(0))
)

// descriptorAt sets RAX to the descriptor of element EAX of a resource, or jumps where there is
// none.
func descriptorAt(e *emitter, resource int64, none int) {
	n := e.r.buffer(bufferRef{resource: resource, all: true})
	e.was = 0 // which EAX does not hold any more
	e.W(amd64.CMPQ, amd64.RAX, amd64.M(regBuffers, 16*n+8))
	e.JIf(amd64.IfNotBelow, none)
	e.WI(amd64.MOVLImm, amd64.GArg(amd64.R12), int(descriptorBytes))
	e.W(amd64.IMULQ, amd64.RAX, amd64.R(amd64.Z(amd64.R12)))
	e.W(amd64.ADDQ, amd64.RAX, amd64.M(regBuffers, 16*n))
}

// chosenElement sets R12 to where the words of element EAX of a resource are, and returns how
// far they may begin.
func chosenElement(e *emitter, resource int64) amd64.Arg {
	const most = 1<<31 - 1 - 3
	limit := amd64.M(regFrame, frameElement)
	null, done, short := e.NewLabel(), e.NewLabel(), e.NewLabel()
	descriptorAt(e, resource, null)
	e.W(amd64.MOVQ, amd64.R12, amd64.M(amd64.RAX, int(descriptorData)))
	e.W(amd64.MOVQ, amd64.RAX, amd64.M(amd64.RAX, int(descriptorSize)))
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RAX), -3)
	e.JIf(amd64.IfNegative, null)
	e.W(amd64.MOVQTo, amd64.RAX, limit)
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RAX), -most)
	e.JIf(amd64.IfNegative, done)
	e.WI(amd64.MOVLImm, amd64.GArg(amd64.RAX), most)
	e.JMP(short)
	e.Here(null)
	e.W(amd64.XORL, amd64.RAX, amd64.GArg(amd64.RAX))
	e.Here(short)
	e.W(amd64.MOVQTo, amd64.RAX, limit)
	e.Here(done)
	return limit
}

// sizeOfElement writes KindSizeBufferU.
func sizeOfElement(e *emitter, in *Inst) {
	null, done := e.NewLabel(), e.NewLabel()
	e.W(amd64.MOVL, amd64.RAX, e.word(in.B))
	descriptorAt(e, in.Imm, null)
	e.W(amd64.MOVL, amd64.RAX, amd64.M(amd64.RAX, int(descriptorSize)))
	e.JMP(done)
	e.Here(null)
	e.W(amd64.XORL, amd64.RAX, amd64.GArg(amd64.RAX))
	e.Here(done)
	storeWord(e, in.D, amd64.RAX)
}

// sizesOfElements writes KindSizeBufferE, in all lanes.
func sizesOfElements(e *emitter, in *Inst) {
	null, sized := e.NewLabel(), e.NewLabel()
	elements := e.in(e.arg(in.B), scratch2)
	e.V(amd64.VPXORD, scratch5, scratch5, amd64.R(scratch5))
	e.K(amd64.KMOV, maskStep2, 0, e.all())
	eachElement(e, elements, func() {
		descriptorAt(e, in.Imm, null)
		e.W(amd64.MOVL, amd64.RAX, amd64.M(amd64.RAX, int(descriptorSize)))
		e.Here(sized)
		e.V(amd64.VPBROADCASTG, scratch3, 0, amd64.GArg(amd64.RAX))
		e.VK(amd64.VMOVDQU, scratch5, 0, amd64.R(scratch3), maskStep3)
	})
	e.put(in.D, scratch5)
	e.outOfLine(func() {
		e.Here(null)
		e.W(amd64.XORL, amd64.RAX, amd64.GArg(amd64.RAX))
		e.JMP(sized)
	})
}

// eachElement writes f for the lanes of maskStep2 that have an element in common, in maskStep3,
// with its number in EAX, until all had their turn. Element numbers are in a register that f leaves
// alone, as it does with maskStep2.
func eachElement(e *emitter, elements amd64.Z, f func()) {
	next, done := e.NewLabel(), e.NewLabel()
	at := frameServeA + e.partAt()
	e.Mov1(amd64.VMOVDQUTo, elements, amd64.M(regFrame, at))
	e.Here(next)
	e.KTO(amd64.RAX, maskStep2)
	e.W(amd64.TESTL, amd64.RAX, amd64.GArg(amd64.RAX))
	e.JIf(amd64.IfZero, done)
	e.W(amd64.TZCNT, amd64.RAX, amd64.GArg(amd64.RAX))
	e.At(amd64.Loads(4), amd64.RAX, regFrame, amd64.RAX, 2, at)
	e.V(amd64.VPBROADCASTG, scratch3, 0, amd64.GArg(amd64.RAX))
	e.ToMask(amd64.VPCMPD, maskStep3, scratch3, amd64.R(elements), 0, maskStep2)
	e.K(amd64.KXOR, maskStep2, maskStep2, maskStep3)
	f()
	e.JMP(next)
	e.Here(done)
}

// wordsOfElements writes f for the lanes of maskStep2 that have an element in common, in maskStep3
// if they are inside; the element's words are at R12. Offsets are in a register that f leaves alone,
// too.
func wordsOfElements(e *emitter, in *Inst, elements, offsets amd64.Z, f func()) {
	eachElement(e, elements, func() {
		limit := chosenElement(e, in.Imm)
		e.ToMask(amd64.VPCMPUD, maskStep3, offsets, limit.Every(), 1, maskStep3)
		f()
	})
}

// loadElements writes KindLoadBufferE: lanes that do not run load nothing.
func loadElements(e *emitter, in *Inst) {
	o, b := e.in(e.arg(in.A), scratch0), e.in(e.arg(in.B), scratch2)
	e.V(amd64.VPXORD, scratch5, scratch5, amd64.R(scratch5))
	e.Mov1(amd64.VMOVDQUTo, o, amd64.M(regFrame, frameTemps+e.partAt()))
	e.K(amd64.KMOV, maskStep2, 0, e.executes(in.M))
	wordsOfElements(e, in, b, o, func() {
		each, done := e.NewLabel(), e.NewLabel()
		loadWindow(e, o, each)
		e.JMP(done)
		e.Here(each)
		e.VK(amd64.VPGATHERDD, scratch5, 0, amd64.Each(amd64.R12, o), maskStep3)
		e.Here(done)
	})
	e.put(in.D, scratch5)
}

// loadWindow loads words of the lanes of maskStep3 to scratch5, as those of neighbouring texels
// of few bytes: they are permuted. It jumps where there are no lanes, or they do not find theirs
// among the 16 from that of the lowest lane on, of which frameTemps has the offset.
func loadWindow(e *emitter, o amd64.Z, not int) {
	const last = 4 * (16 - 1)
	lowestLane(e, amd64.RAX, maskStep3, not)
	e.At(amd64.Loads(4), amd64.RAX, regFrame, amd64.RAX, 2, frameTemps+e.partAt())
	e.V(amd64.VPBROADCASTG, scratch3, 0, amd64.GArg(amd64.RAX))
	e.V(amd64.VPSUBD, scratch3, o, amd64.R(scratch3))
	e.ToMask(amd64.VPTESTMD, maskStep, scratch3, e.words(^uint32(last)), -1, maskStep3)
	e.ifAny(maskStep, not)
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RAX), last)
	e.W(amd64.CMPQ, amd64.RAX, amd64.M(regFrame, frameElement))
	e.JIf(amd64.IfNotBelow, not)
	e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(amd64.R12))
	e.VI(amd64.VPSRLD, scratch3, 0, amd64.R(scratch3), 2)
	e.V(amd64.VPERMD, scratch4, scratch3, amd64.M(amd64.RAX, -last))
	e.VK(amd64.VMOVDQU, scratch5, 0, amd64.R(scratch4), maskStep3)
}

// storeElements writes KindStoreBufferE, in the lanes of the mask that are live.
func storeElements(e *emitter, in *Inst) {
	o, b, x := e.in(e.arg(in.A), scratch0), e.in(e.arg(in.B), scratch2), e.in(e.arg(in.C), scratch4)
	writing(e, in)
	wordsOfElements(e, in, b, o, func() {
		e.VK(amd64.VPSCATTERDD, x, 0, amd64.Each(amd64.R12, o), maskStep3)
	})
}

// storeNarrowElements stores numbers of 1 or 2 bytes to elements of lanes, for one lane of maskStep2
// after the other: buffers have a word at least, or nothing.
func storeNarrowElements(e *emitter, m ir.Mem, x *Operands) {
	const from, where, which = frameTemps, frameTemps + laneBytes, frameServeA
	for i, at := range [3]int{which, where, from} {
		e.Mov1(amd64.VMOVDQUTo, e.in(e.arg(x.Args[i]), scratch0), amd64.M(regFrame, at))
	}
	next, inside, not, done := e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel()
	behind := int32(4 - 1<<m.Log) // how much farther they may begin than words
	lane := func(to amd64.G, row int) {
		e.W(amd64.TZCNT, to, amd64.GArg(amd64.RCX))
		e.At(amd64.Loads(4), to, regFrame, to, 2, row)
	}
	e.KTO(amd64.RCX, maskStep2)
	e.Here(next)
	e.W(amd64.TESTL, amd64.RCX, amd64.GArg(amd64.RCX))
	e.JIf(amd64.IfZero, done)
	lane(amd64.RAX, which)
	limit := chosenElement(e, int64(m.Resource))
	e.WI(amd64.CMPLByte, limit, 0)
	e.JIf(amd64.IfZero, not)
	lane(amd64.RAX, where)
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RAX), int(-behind))
	e.W(amd64.CMPQ, amd64.RAX, limit)
	e.JIf(amd64.IfLess, inside)
	e.JMP(not)
	e.Here(inside)
	e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(amd64.R12))
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RAX), int(behind))
	lane(amd64.R12, from)
	if m.Log == 0 {
		e.W(amd64.MOVBTo, amd64.R12, amd64.M(amd64.RAX, 0))
	} else {
		e.W(amd64.MOVWTo, amd64.R12, amd64.M(amd64.RAX, 0))
	}
	e.Here(not)
	e.BLSR(amd64.RCX, amd64.RCX)
	e.JMP(next)
	e.Here(done)
}
