package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/exec/mir"
)

// stripsAMD64 writes what is around the instructions of a block: the loop over strips, the ways out
// and back, and what moves values between registers and their memory.
type stripsAMD64 struct{ *emitter }

// homeOf is the memory of a value as an operand.
func homeOf(e *emitter, at location) amd64.Arg {
	switch at.kind {
	case placeWord:
		return e.forAll(at.n)
	case placeRow:
		return amd64.M(regRow, int(at.n))
	}
	return amd64.M(regFrame, int(at.n))
}

func (e stripsAMD64) its() *draft { return &e.draft }

func (e stripsAMD64) bytes() ([]byte, bool) {
	if e.Wrong() {
		return nil, false
	}
	return e.Finish(), true
}

// done gives the room back, with the code.
func (e stripsAMD64) done() {
	e.lists.leave(e.List, e.aside, e.B)
	rooms.Put(e.lists)
}

func (e stripsAMD64) foldable(at location) bool {
	m := homeOf(e.emitter, at)
	return !m.IsAll() || m.IsPool()
}

func (e stripsAMD64) fold(i int, at location) { e.List[i].Fold(homeOf(e.emitter, at)) }

func (e stripsAMD64) memory(at location) mir.Memory {
	switch at.kind {
	case placeWord:
		return mir.Memory{Every: true}
	case placeRow:
		return mir.Memory{Base: uint8(regRow), Disp: at.n}
	}
	return mir.Memory{Base: uint8(regFrame), Disp: at.n}
}

func (e stripsAMD64) fetch(z amd64.Z, at location) {
	switch m := homeOf(e.emitter, at); {
	case e.isMask(z):
		e.KMem(amd64.KLOAD, amd64.K(z), m)
	case m.IsAll():
		e.Mov1(amd64.VPBROADCASTD, z, m.One())
	default:
		e.Mov1(amd64.VMOVDQU, z, m)
	}
}

func (e stripsAMD64) keep(z amd64.Z, at location) {
	if m := homeOf(e.emitter, at); e.isMask(z) {
		e.KMem(amd64.KSTORE, amd64.K(z), m)
	} else {
		e.Mov1(amd64.VMOVDQUTo, z, m)
	}
}

// program writes the loop over strips around the block's instructions.
func (e stripsAMD64) program() {
	b, resets := e.b, e.resets
	e.labels = make([]int, len(b.code)+1)
	e.GrowLabels(len(e.labels) + len(b.code)/8 + 16)
	for i := range e.labels {
		e.labels[i] = e.NewLabel()
	}
	e.save = e.NewLabel()
	strip, whole := e.NewLabel(), e.NewLabel()
	e.restore = e.NewLabel()
	e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, frameResume))
	e.W(amd64.TESTQ, amd64.RAX, amd64.GArg(amd64.RAX))
	e.JIf(amd64.IfNotZero, e.restore)
	e.W(amd64.MOVQ, regRow, amd64.M(regFrame, frameRows))
	e.W(amd64.MOVQ, regScalars, amd64.M(regFrame, frameScalars))
	e.W(amd64.MOVQ, regBuffers, amd64.M(regFrame, frameBuffers))
	e.W(amd64.XORL, regStrip, amd64.GArg(regStrip))
	e.Touch(amd64.RAX)
	e.allLanes() // which functions look at
	e.endSteps(-1)
	carried := placeWords(e.emitter)
	for i := range b.code {
		if b.once[i] {
			e.instruction(i)
		}
	}
	for i, s := range b.resets {
		e.W(amd64.MOVL, amd64.RAX, amd64.M(regScalars, 4*int(s)))
		e.W(amd64.MOVLTo, amd64.RAX, amd64.M(regFrame, resets+8*i))
	}
	if e.r.places {
		e.W(amd64.MOVQ, regPlace, amd64.M(regFrame, framePlaces))
	}
	e.endSteps(-1)
	e.strip = len(e.sections)
	e.Here(strip)
	placeAMD64(e).beginPlace()
	e.allLanes()
	e.W(amd64.CMPQ, regStrip, amd64.M(regFrame, frameTailAt))
	e.JIf(amd64.IfNotZero, whole)
	e.tailLanes()
	e.Here(whole)
	e.endSteps(-1) // memory has the lanes that exist from here on
	if b.fuel {
		e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, framePortion))
		e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameLeft))
		e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameGranted))
	}
	for i, s := range b.resets {
		e.W(amd64.MOVL, amd64.RAX, amd64.M(regFrame, resets+8*i))
		e.W(amd64.MOVLTo, amd64.RAX, amd64.M(regScalars, 4*int(s)))
	}
	for _, s := range carried {
		e.W(amd64.MOVL, e.generals[s], e.word(s))
	}
	for i, m := range b.masks {
		if m != 0 {
			e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, frameMasks))
			e.W(amd64.MOVQ, amd64.RAX, amd64.M(amd64.RAX, 8*i))
			e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(regStrip))
			for e.part = range e.vectors.parts {
				e.VZ(amd64.VMOVDQU, scratch0, 0, e.lanesAt(amd64.RAX), e.all())
				e.V(amd64.VPMOVD2M, amd64.Z(maskStep), 0, amd64.R(scratch0))
				e.K(amd64.KMOV, e.mask(m), 0, maskStep)
			}
			e.part = 0
		}
	}
	e.endSteps(-1)
	e.loadShared()
	e.held = 0
	targets := make([]bool, len(b.code)+1)
	for i := range b.code {
		if in := &b.code[i]; in.jumps() {
			targets[in.To] = true
		}
	}
	for i := range b.code {
		e.Here(e.labels[i])
		e.tested = i > 0 && !targets[i] && b.code[i].testsMask() && b.code[i-1].testsMask() && b.code[i].M == b.code[i-1].M
		if targets[i] {
			e.held = 0
		}
		if !b.once[i] {
			e.instruction(i)
		}
	}
	e.Here(e.labels[len(b.code)])
	e.endSteps(-1)
	e.storeShared()
	if b.fuel {
		less := e.NewLabel()
		e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, frameGranted))
		e.W(amd64.SUBQ, amd64.RAX, amd64.M(regFrame, frameLeft))
		e.W(amd64.CMPQ, amd64.RAX, amd64.M(regFrame, frameSpent))
		e.JIf(amd64.IfBelow, less)
		e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameSpent))
		e.Here(less)
	}
	e.WI(amd64.ADDQImm, amd64.GArg(regRow), laneBytes)
	e.WI(amd64.ADDQImm, amd64.GArg(regStrip), laneBytes)
	if e.r.places {
		e.WI(amd64.ADDQImm, amd64.GArg(regPlace), int(placeBytes))
	}
	e.W(amd64.CMPQ, regStrip, amd64.M(regFrame, frameEnd))
	e.JIf(amd64.IfBelow, strip)
	e.WI(amd64.MOVQImm, amd64.M(regFrame, frameExit), exitDone)
	e.Return()
	e.endSteps(-1)
	if e.vectors.narrow {
		legalise(e.emitter)
	}
}

// comeBack writes what is out of line, and the ways out of and back into a block that needs
// something of Go.
func (e stripsAMD64) comeBack() {
	e.List = append(e.List, e.aside...)
	e.Here(e.save)
	e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameResume))
	e.W(amd64.MOVQTo, regStrip, amd64.M(regFrame, frameStrip))
	e.W(amd64.MOVQTo, regRow, amd64.M(regFrame, frameRow))
	if e.r.places || e.b.fuel {
		for i, g := range placeRegisters {
			e.W(amd64.MOVQTo, g, amd64.M(regFrame, framePlace+8*i))
		}
	}
	e.allRegisters(amd64.VMOVDQUTo, amd64.KSTORE)
	e.Return()
	e.Here(e.restore)
	e.W(amd64.MOVQ, regStrip, amd64.M(regFrame, frameStrip))
	e.W(amd64.MOVQ, regRow, amd64.M(regFrame, frameRow))
	e.W(amd64.MOVQ, regScalars, amd64.M(regFrame, frameScalars))
	e.W(amd64.MOVQ, regBuffers, amd64.M(regFrame, frameBuffers))
	if e.r.places || e.b.fuel {
		for i, g := range placeRegisters {
			e.W(amd64.MOVQ, g, amd64.M(regFrame, framePlace+8*i))
		}
	}
	e.allRegisters(amd64.VMOVDQU, amd64.KLOAD)
	e.W(amd64.JMPTo, 0, amd64.GArg(amd64.RAX))
}

// placeRegisters are those of places, as the frame has them; in blocks without places words live
// there.
var placeRegisters = [4]amd64.G{regPlace, regUpper, regLower, regRecord}

// allRegisters stores or loads what values live in.
func (e stripsAMD64) allRegisters(by, masks amd64.Op) {
	for z := range amd64.Z(e.vectors.values) {
		e.Mov1(by, z, amd64.M(regFrame, frameSave+laneBytes*int(z)))
	}
	for k := amd64.K(1); k <= maskAll && !vectorMasks(e.emitter); k++ {
		e.KMem(masks, k, amd64.M(regFrame, frameKSave+8*int(k)))
	}
}

// allLanes says that all lanes of the strip exist, tailLanes that it is the last one.
func (e stripsAMD64) allLanes() {
	for e.part = range e.vectors.parts {
		e.K(amd64.KXNOR, e.all(), e.all(), e.all())
	}
	e.part = 0
}

func (e stripsAMD64) tailLanes() {
	for e.part = range e.vectors.parts {
		e.KMem(amd64.KLOAD, e.all(), amd64.M(regFrame, frameTail+e.part))
	}
	e.part = 0
}

// row is the memory of the i-th of the registers that the block shares.
func (e stripsAMD64) row(i int) (at amd64.Arg, input bool) {
	inputs := int32(len(e.r.program.Inputs))
	r := e.b.rows[i]
	if r < inputs {
		if e.part == 0 {
			e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, frameInputs))
			e.W(amd64.MOVQ, amd64.RAX, amd64.M(amd64.RAX, 8*int(r)))
			e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(regStrip))
		}
		return e.lanesAt(amd64.RAX).Reaching(amd64.ReachStrips), true
	}
	return amd64.M(regRow, int(r-inputs)*e.stride+e.partAt()), false
}

// loadShared loads what the block reads of others, but for what it finds where it is.
func (e stripsAMD64) loadShared() {
	for i, v := range e.b.in {
		if e.reread[v] != 0 {
			continue
		}
		for e.part = range e.vectors.parts {
			from, input := e.row(i)
			if input && !e.r.places {
				e.VZ(amd64.VMOVDQU, e.value(v), 0, from, e.all())
			} else {
				e.Mov1(amd64.VMOVDQU, e.value(v), from)
			}
			e.endSteps(-1)
		}
	}
	e.part = 0
}

// storeShared stores what others read.
func (e stripsAMD64) storeShared() {
	for i, v := range e.b.out {
		for e.part = range e.vectors.parts {
			to, _ := e.row(len(e.b.in) + i)
			e.Mov1(amd64.VMOVDQUTo, e.value(v), to)
			e.endSteps(-1)
		}
	}
	e.part = 0
}
