package native

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
)

// Strips of images and matrices step from row to row, farther than processors look ahead: each
// would wait for memory. So a load that found its words side by side asks for those of a later
// strip, as if offsets went on as they came here: as far behind these as these are behind those two
// strips ago, since rows of 32 invocations have two strips; in a loop, those of the last turn. Where
// that is wrong, it only asks for nothing of use.

// toldRows is how many loads have words of their own that say where they were; a multiple of 8.
const toldRows = 64

// near is how many bytes away a row is that processors look for themselves.
const near = 512

// foretell is for behind a load of rows of some bytes: the first one at RAX, and if there are two,
// the second one at RCX, of memory that begins at R12. It goes on at done, and stands out of line.
// limit returns how far rows of it may begin, and may take R11. It takes R11.
func (e memoryAMD64) foretell(rows, bytes int, limit func() amd64.Arg, done int) {
	if !e.steps() {
		e.JMP(done)
		return
	}
	told := e.NewLabel()
	e.JMP(told)
	e.outOfLine(func() {
		e.Here(told)
		e.askAhead(rows, bytes, limit, done)
		e.JMP(done)
	})
}

// steps says that the instruction may step from row to row: in a loop, or where the workgroup has
// rows itself. Others read on, as processors expect.
func (e memoryAMD64) steps() bool {
	return e.r.program.LocalSize[1] > 1 || slices.ContainsFunc(e.b.loops, func(l [2]int32) bool {
		return l[0] <= e.index && e.index < l[1]
	})
}

// askAhead is what foretell has out of line.
func (e memoryAMD64) askAhead(rows, bytes int, limit func() amd64.Arg, done int) {
	n := e.told % toldRows
	e.told++
	was := frameTold + n/8*128 + n%8*8
	if rows == 2 {
		e.W(amd64.MOVQTo, amd64.RCX, amd64.M(regFrame, frameTemps))
	}
	e.W(amd64.SUBQ, amd64.RAX, amd64.GArg(amd64.R12))
	e.W(amd64.MOVL, amd64.R11, amd64.GArg(regStrip))
	e.WI(amd64.ANDLImm, amd64.GArg(amd64.R11), laneBytes)
	e.At(amd64.MOVFrom.Wide(), amd64.RCX, regFrame, amd64.R11, 0, was)
	e.At(amd64.MOVTo.Wide(), amd64.RAX, regFrame, amd64.R11, 0, was)
	e.W(amd64.SUBQ, amd64.RCX, amd64.GArg(amd64.RAX)) // the step back
	e.W(amd64.MOVQ, amd64.R11, amd64.GArg(amd64.RCX))
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.R11), near)
	e.WI(amd64.CMPLImm, amd64.GArg(amd64.R11), 2*near)
	e.JIf(amd64.IfBelow, done)
	e.W(amd64.SUBQ, amd64.RAX, amd64.GArg(amd64.RCX))
	if rows == 2 {
		e.W(amd64.MOVQ, amd64.R11, amd64.M(regFrame, frameTemps))
		e.W(amd64.SUBQ, amd64.R11, amd64.GArg(amd64.R12))
		e.W(amd64.SUBQ, amd64.R11, amd64.GArg(amd64.RCX))
		e.W(amd64.MOVQ, amd64.RCX, amd64.GArg(amd64.R11))
	}
	ask := func(g amd64.G) {
		e.WI(amd64.ADDQImm, amd64.GArg(g), bytes-4)
		e.W(amd64.CMPQ, g, limit())
		e.JIf(amd64.IfNotBelow, done)
		for at := 0; at < bytes; at += 64 {
			e.At(amd64.PREFETCH, 1, amd64.R12, g, 0, at-bytes+4)
		}
		e.At(amd64.PREFETCH, 1, amd64.R12, g, 0, 0)
	}
	if ask(amd64.RAX); rows == 2 {
		ask(amd64.RCX)
	}
}
