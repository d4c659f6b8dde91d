package native

import (
	"encoding/binary"
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
)

// memoryAMD64 writes loads that look where their words are.
type memoryAMD64 struct{ *emitter }

// # Rows of texels
//
// Where a picture is drawn as large as it is, or larger, as windows and post-processing do, the texels of a strip lie
// in two short rows, that of the upper pixels of its quads and that of the lower ones: two vectors of memory and a permutation
// are cheaper than gathers. Loads that programs call scattered look whether that is so: the offsets of the first
// pixel and of the one below it lead, and no lane of their rows is farther behind them than a vector. One that finds it
// otherwise does not look again for some strips.

// tryAgain is for how many strips a load does not look, and tryWords how many words of the frame say so; loads share them.
const (
	tryAgain = 31
	tryWords = 64
)

// lead is a table behind the code: of each lane the one that leads its row, then which row it has, times words; then the first
// lanes of quads.
func (e memoryAMD64) lead(words uint32) amd64.Arg {
	const rows = -2 // no place in a program's table
	return e.behind(rows, func() []byte {
		var leads, sides, quads []byte
		for lane := range uint32(16) {
			row := lane >> 1 & 1
			leads = binary.LittleEndian.AppendUint32(leads, 2*row)
			sides = binary.LittleEndian.AppendUint32(sides, words*row)
			quads = binary.LittleEndian.AppendUint32(quads, 4*lane)
		}
		return slices.Concat(leads, sides, quads)
	})
}

// tryRows writes the test whether the words at n offsets of each lane, the first of which a register has and the second 4 bytes
// behind it, lie in rows, and goes on with found, out of line, where they do: the last words of the rows are at RAX and RCX
// behind R12, their bytes from the first ones are back, and places has the lanes' places in the rows. second, if it is another
// register than first, is tested to be the second offset.
func (e memoryAMD64) tryRows(first, second amd64.Z, n int, limit amd64.Arg, found func(back int, places amd64.Z)) {
	again := amd64.M(regFrame, frameTries+8*(e.tries%tryWords))
	e.tries++
	e.WI(amd64.SUBQImm, again, 1)
	e.rarely(amd64.IfNegative, func() {
		none := e.NewLabel()
		words := uint32(e.vectors.lanes)
		e.Mov1(amd64.VMOVDQU, scratch3, e.lead(words))
		e.V(amd64.VPERMD, scratch3, scratch3, amd64.R(first))
		e.V(amd64.VPSUBD, scratch3, first, amd64.R(scratch3))
		if first != second {
			e.V(amd64.VPADDD, scratch4, first, e.words(4))
		}
		e.inRows(first, second, ^(4*words - 4), none)
		back := 4 * (int(words) + n - 2)
		e.V128(amd64.VMOVDTo, first, amd64.GArg(amd64.RAX))
		e.VPEXTRD(amd64.RCX, first, 2)
		for _, g := range [2]amd64.G{amd64.RAX, amd64.RCX} {
			e.WI(amd64.ADDQImm, amd64.GArg(g), int(back))
			e.W(amd64.CMPQ, g, limit)
			e.JIf(amd64.IfNotBelow, none)
		}
		e.VI(amd64.VPSRLD, scratch3, 0, amd64.R(scratch3), 2)
		found(back, scratch3)
		e.Here(none)
		e.WI(amd64.MOVLImm, amd64.GArg(amd64.RAX), tryAgain)
		e.W(amd64.MOVQTo, amd64.RAX, again)
	})
}

// inRows jumps where a distance in scratch3 has bits that none of a row has, or where the second offsets are not those in scratch4.
func (e memoryAMD64) inRows(first, second amd64.Z, outside uint32, not int) {
	e.ToMask(amd64.VPTESTMD, maskStep2, scratch3, e.words(outside), -1, 0)
	e.ifAny(maskStep2, not)
	if first != second {
		e.ToMask(amd64.VPCMPD, maskStep2, scratch4, amd64.R(second), 4, 0)
		e.ifAny(maskStep2, not)
	}
}

// loadRows tries to load the words at n offsets of each lane to registers, and jumps to done then.
func (e memoryAMD64) loadRows(first, second amd64.Z, n int, limit amd64.Arg, to [2]amd64.Z, done int) {
	e.tryRows(first, second, n, limit, func(back int, places amd64.Z) {
		e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(amd64.R12))
		e.W(amd64.ADDQ, amd64.RCX, amd64.GArg(amd64.R12))
		e.V(amd64.VPORD, places, places, e.lead(16).Past(laneBytes))
		for i, z := range to[:n] {
			upper, lower := amd64.M(amd64.RAX, 4*i-back), amd64.M(amd64.RCX, 4*i-back)
			if e.vectors.narrow {
				const lowerLanes = 0xCC
				e.Y(amd64.VPERMD, z, places, upper)
				e.Y(amd64.VPERMD, scratch4, places, lower)
				e.YI(amd64.VPBLENDD, z, z, amd64.R(scratch4), lowerLanes)
				continue
			}
			e.Mov1(amd64.VMOVDQU, z, upper)
			e.V(amd64.VPERMT2D, z, places, lower)
		}
		e.JMP(done)
	})
}

// ahead asks for words that will be loaded: of rows for their ends, else for that of each quad, whose lanes mostly share a line.
// Lanes come through registers: a load of part of a vector waits for its store.
func (e memoryAMD64) ahead(in *Inst) {
	limit := e.bufferAt(in)
	o, done := e.in(e.arg(in.A), scratch0), e.NewLabel()
	e.tryRows(o, o, 1, limit, func(back int, _ amd64.Z) {
		for _, g := range [2]amd64.G{amd64.RAX, amd64.RCX} {
			e.At(amd64.PREFETCH, 1, amd64.R12, g, 0, 0)
			e.WI(amd64.ADDQImm, amd64.GArg(g), int(-back))
			e.At(amd64.PREFETCH, 1, amd64.R12, g, 0, 0)
		}
		e.JMP(done)
	})
	e.V(amd64.VPMINUD, scratch0, o, limit.Every())
	e.Mov1(amd64.VMOVDQU, scratch3, e.lead(uint32(e.vectors.lanes)).Past(2*laneBytes))
	e.V(amd64.VPERMD, scratch0, scratch3, amd64.R(scratch0))
	for quad := range e.vectors.lanes / 4 {
		e.VPEXTRD(amd64.RAX, scratch0, quad)
		e.At(amd64.PREFETCH, 1, amd64.R12, amd64.RAX, 0, 0)
	}
	e.Here(done)
}

// loadList loads words of which all lanes mostly find theirs among 16, from in.c-1 on: they are permuted then. Else
// they may be one, of the parameters of an image that all lanes name.
func (e memoryAMD64) loadList(in *Inst, limit amd64.Arg) {
	const words = 16
	from := int(in.C - 1)
	o, each, done := e.in(e.arg(in.A), scratch0), e.NewLabel(), e.NewLabel()
	e.V(amd64.VPSUBD, scratch3, o, e.words(uint32(from)))
	e.inRows(o, o, ^uint32(4*words-4), each)
	e.WI(amd64.MOVLImm, amd64.GArg(amd64.RAX), int(from+4*words-4))
	e.W(amd64.CMPQ, amd64.RAX, limit)
	e.JIf(amd64.IfNotBelow, each)
	e.VI(amd64.VPSRLD, scratch3, 0, amd64.R(scratch3), 2)
	e.V(amd64.VPERMD, scratch5, scratch3, amd64.M(amd64.R12, from))
	e.Here(done)
	e.outOfLine(func() {
		e.Here(each)
		e.loadAlike(scratch5, o, limit, done)
		e.gatherBelow(scratch5, o, limit)
		e.JMP(done)
	})
	e.put(in.D, scratch5)
}
