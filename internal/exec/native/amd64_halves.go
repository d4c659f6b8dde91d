package native

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Workgroups of 8×8 invocations, and places, have two rows in a strip of 16 lanes: their words lie
// side by side in each half. Two vectors of half the width take a fraction of what gathers do.

// halvesFollow sets RAX and RCX to the addresses behind R12 of the first offset of each half of the
// lanes, or jumps where not all lanes are in maskStep2, or those of a half do not have offsets that
// follow each other, so many bytes apart. Where all of a half have one offset, it jumps to one,
// unless that is not. It takes scratch1 and maskStep3.
func halvesFollow(e *emitter, o amd64.Z, bytes, one, not int) {
	half := e.vectors.lanes / 2
	e.KTO(amd64.RAX, maskStep2)
	e.WI(amd64.CMPLImm, amd64.GArg(amd64.RAX), 1<<e.vectors.lanes-1)
	e.JIf(amd64.IfNotZero, not)
	e.Mov1(amd64.VMOVDQU, scratch1, halvesTable(e, 0, func(lane int) int { return lane &^ (half - 1) }))
	e.V(amd64.VPERMD, scratch1, scratch1, amd64.R(o))
	if one != not {
		e.ToMask(amd64.VPCMPD, maskStep3, scratch1, amd64.R(o), 4, 0)
		e.ifNone(maskStep3, one)
	}
	each := func(lane int) int { return lane & (half - 1) * bytes }
	e.V(amd64.VPADDD, scratch1, scratch1, halvesTable(e, bytes, each))
	e.ToMask(amd64.VPCMPD, maskStep3, scratch1, amd64.R(o), 4, 0)
	e.ifAny(maskStep3, not)
	firstOfHalves(e, o)
	e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(amd64.R12))
	e.W(amd64.ADDQ, amd64.RCX, amd64.GArg(amd64.R12))
}

// firstOfHalves sets RAX and RCX to the first offset of each half. It takes scratch1.
func firstOfHalves(e *emitter, o amd64.Z) {
	e.V128(amd64.VMOVDTo, o, amd64.GArg(amd64.RAX))
	e.VI(amd64.VEXTRACTHALF, o, 0, amd64.R(scratch1), 1)
	e.V128(amd64.VMOVDTo, scratch1, amd64.GArg(amd64.RCX))
}

// halvesTable is a word for each lane behind the code.
func halvesTable(e *emitter, key int, word func(lane int) int) amd64.Arg {
	const halves = -500 // no place in a program's table
	return e.behind(int64(halves-key), func() (words []byte) {
		for lane := range ir.PlaceLanes {
			words = binary.LittleEndian.AppendUint32(words, uint32(word(lane)))
		}
		return words
	})
}

// rowsToPairs sets scratch3 and scratch4 to words k and k+1 of rows of n words, two or four, which
// lie at RAX for the first half of the lanes and at RCX for the second.
func rowsToPairs(e *emitter, n, k int) {
	for half, z := range [2]amd64.Z{scratch3, scratch4} {
		g := [2]amd64.G{amd64.RAX, amd64.RCX}[half]
		first := amd64.M(g, 0)
		if n == 2 {
			e.Mov1(amd64.VMOVDQU, z, first)
			continue
		}
		second := amd64.M(g, 4*e.vectors.lanes)
		if e.vectors.narrow {
			by := [2]amd64.Op{amd64.VUNPCKLPD, amd64.VUNPCKHPD}[k/2]
			e.Mov1(amd64.VMOVDQU, scratch1, first)
			e.Y(by, z, scratch1, second)
			e.YI(amd64.VPERMQ, z, 0, amd64.R(z), 0xD8)
			continue
		}
		place := func(lane int) int { return lane/2*4 + lane%2 + k }
		e.Mov1(amd64.VMOVDQU, z, halvesTable(e, 100+k, place))
		e.Mov1(amd64.VMOVDQU, scratch1, first)
		e.V(amd64.VPERMI2D, z, scratch1, second)
	}
}

// pairsToRows is the other way round: it stores values.
func pairsToRows(e *emitter, values []int32) {
	for half := range 2 {
		g := [2]amd64.G{amd64.RAX, amd64.RCX}[half]
		pair := func(z amd64.Z, k int) {
			low := e.in(e.arg(values[k]), scratch3)
			e.join(z, low, e.arg(values[k+1]), half)
		}
		first, second := amd64.M(g, 0), amd64.M(g, 4*e.vectors.lanes)
		if pair(scratch1, 0); len(values) == 2 {
			e.Mov1(amd64.VMOVDQUTo, scratch1, first)
			continue
		}
		pair(scratch2, 2)
		if e.vectors.narrow {
			for _, z := range [2]amd64.Z{scratch1, scratch2} {
				e.YI(amd64.VPERMQ, z, 0, amd64.R(z), 0xD8)
			}
			e.Y(amd64.VUNPCKLPD, scratch3, scratch1, amd64.R(scratch2))
			e.Y(amd64.VUNPCKHPD, scratch4, scratch1, amd64.R(scratch2))
		} else {
			for i, z := range [2]amd64.Z{scratch3, scratch4} {
				place := func(lane int) int { return 8*i + lane/4*2 + lane%2 + lane/2%2*16 }
				e.Mov1(amd64.VMOVDQU, z, halvesTable(e, 200+i, place))
				e.V(amd64.VPERMI2D, z, scratch1, amd64.R(scratch2))
			}
		}
		e.Mov1(amd64.VMOVDQUTo, scratch3, first)
		e.Mov1(amd64.VMOVDQUTo, scratch4, second)
	}
}

// loadHalves loads words of halves whose offsets follow each other or are the same, as where a strip
// has two workgroups that read words of their own, and goes on at done; vectors of 256 bits have a row
// in each.
func loadHalves(e *emitter, z, o amd64.Z, done int) {
	if e.vectors.parts > 1 {
		return
	}
	one, not := e.NewLabel(), e.NewLabel()
	halvesFollow(e, o, 4, one, not)
	e.V256(amd64.VMOVDQU, z, amd64.M(amd64.RAX, 0))
	e.VI(amd64.VINSERTHALF, z, z, amd64.M(amd64.RCX, 0), 1)
	e.JMP(done)
	e.Here(one)
	firstOfHalves(e, o)
	e.At(amd64.MOVFrom, amd64.RAX, amd64.R12, amd64.RAX, 0, 0)
	e.At(amd64.MOVFrom, amd64.RCX, amd64.R12, amd64.RCX, 0, 0)
	e.V(amd64.VPBROADCASTG, z, 0, amd64.GArg(amd64.RAX))
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RCX))
	e.VI(amd64.VINSERTHALF, z, z, amd64.R(scratch1), 1)
	e.JMP(done)
	e.Here(not)
}

// storeHalves is loadHalves for stores of x.
func storeHalves(e *emitter, x, o amd64.Z, done int) {
	if e.vectors.parts > 1 {
		return
	}
	not := e.NewLabel()
	halvesFollow(e, o, 4, not, not)
	e.V256(amd64.VMOVDQUTo, x, amd64.M(amd64.RAX, 0))
	e.VI(amd64.VEXTRACTHALF, x, 0, amd64.R(scratch1), 1)
	e.V256(amd64.VMOVDQUTo, scratch1, amd64.M(amd64.RCX, 0))
	e.JMP(done)
	e.Here(not)
}
