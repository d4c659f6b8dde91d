package native

import "github.com/pumice-gpu/pumice/internal/exec/arm64"

// armChosenElement sets xBase to where the words of element x9 of a resource are, and xLimit to
// how far they may begin. It takes no other register.
func armChosenElement(e armMemory, resource int64) {
	const most = 1<<31 - 1 - 3
	null, done := e.NewLabel(), e.NewLabel()
	armDescriptorAt(e, resource, null)
	e.Gen(arm64.LDRX, xBase, x9, int(descriptorData))
	e.Gen(arm64.LDRX, xLimit, x9, int(descriptorSize))
	e.Imm(x9, 3)
	e.G3(arm64.SUBSX, xLimit, xLimit, x9)
	e.JIf(arm64.Below, null)
	e.Imm(x9, most)
	e.CMP(xLimit, x9)
	e.CSEL(xLimit, xLimit, x9, arm64.Below)
	e.JMP(done)
	e.Here(null)
	e.Imm(xLimit, 0)
	e.Here(done)
}

// armDescriptorAt sets x9 to the descriptor of element x9 of a resource, or jumps where there is
// none.
func armDescriptorAt(e armMemory, resource int64, none int) {
	n := e.r.buffer(bufferRef{resource: resource, all: true})
	e.wordsAt(xBuffers, 16*n)
	e.CMP(x9, xLimit)
	e.JIf(arm64.NotBelow, none)
	e.Imm(xLimit, uint64(descriptorBytes))
	e.G4(arm64.MADDX, x9, x9, xLimit, xBase)
}

// armSizeOfElement writes KindSizeBufferU, and armSizesOfElements KindSizeBufferE, in all lanes.
func armSizeOfElement(e armMemory, in *Inst) {
	e.Gen(arm64.LDRW, x9, xScalars, 4*int(in.B))
	armSize(e, in.Imm)
	e.Gen(arm64.STRW, x9, xScalars, 4*int(in.D))
}

func armSizesOfElements(e armMemory, in *Inst) {
	b := e.in(lanes(in.B), n0)
	e.MOVI(n5, 0, 0)
	for i := range stripWidth {
		e.UMOV4S(x9, b, i)
		armSize(e, in.Imm)
		e.INSG4S(n5, i, x9)
	}
	e.put(in.D, n5)
}

// armSize sets x9 to the bytes of element x9 of a resource.
func armSize(e armMemory, resource int64) {
	null, done := e.NewLabel(), e.NewLabel()
	armDescriptorAt(e, resource, null)
	e.Gen(arm64.LDRX, x9, x9, int(descriptorSize))
	e.JMP(done)
	e.Here(null)
	e.Imm(x9, 0)
	e.Here(done)
}

// armLoadElements writes KindLoadBufferE.
func armLoadElements(e armMemory, in *Inst) {
	o, b := e.in(lanes(in.A), n0), e.in(lanes(in.B), n1)
	e.zeroWord()
	for i := range stripWidth {
		e.UMOV4S(x9, b, i)
		armChosenElement(e, in.Imm)
		e.UMOV4S(x9, o, i)
		e.word(n5, i)
	}
	e.put(in.D, n5)
}

// armStoreElements writes KindStoreBufferE, in the lanes of the mask that are live.
func armStoreElements(e armMemory, in *Inst) {
	o, b := e.in(lanes(in.A), n0), e.in(lanes(in.B), n1)
	x := e.in(lanes(in.C), n2)
	e.writing(in)
	e.bits(n4)
	e.eachSet(func(i, not int) {
		e.UMOV4S(x9, b, i)
		armChosenElement(e, in.Imm)
		e.UMOV4S(x9, o, i)
		e.CMP(x9, xLimit)
		e.JIf(arm64.NotBelow, not)
		e.G3(arm64.ADDX, x9, x9, xBase)
		e.ST14S(x, i, x9)
	})
}
