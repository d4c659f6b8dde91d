package native

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
)

// loadBytes loads words of a table that bytes of a word choose: for each byte of the words, all 64 bytes of the
// vector are looked up at once, in either half of its 256 and then in the one that their highest bit says.
func (e memoryAMD64) loadBytes(in *Inst) {
	x := &e.r.aux[in.C]
	w := e.in(e.arg(x.Args[0]), scratch0)
	planes := e.behind(in.Imm, func() []byte { return bytePlanes(e.r.program.Table[in.Imm:]) })
	p := [4]amd64.Z{scratch2, scratch3, scratch4, scratch5}
	e.V(amd64.VPMOVB2M, amd64.Z(maskStep2), 0, amd64.R(w))
	for k, z := range p {
		at := planes.Past(256 * k)
		e.Mov1(amd64.VMOVDQU, scratch1, at)
		e.V(amd64.VPERMT2B, scratch1, w, at.Past(64))
		e.Mov1(amd64.VMOVDQU, z, at.Past(128))
		e.V(amd64.VPERMT2B, z, w, at.Past(192))
		e.VK(amd64.VPBLENDMB, z, scratch1, amd64.R(z), maskStep2)
	}
	// Bytes of a word that belong together come together, first in halves of words.
	const (
		takes  = 0xE4 // where the last operand has ones the first, else the second
		leaves = 0xD8 // the other way round
	)
	even, low := e.Pool(0x00FF00FF00FF00FF), e.Pool(0x0000FFFF0000FFFF)
	halves := func(q, odd, r amd64.Z) { // of q and r: bytes 0 and 2 in q, 1 and 3 in odd
		e.VI(amd64.VPSLLD, scratch0, 0, amd64.R(r), 8)
		e.VI(amd64.VPSRLD, odd, 0, amd64.R(q), 8)
		e.VI(amd64.VPTERNLOGQ, q, scratch0, even, takes)
		e.VI(amd64.VPTERNLOGQ, odd, r, even, takes)
	}
	halves(p[0], scratch1, p[1])
	halves(p[2], p[1], p[3])
	for n, v := range x.Results {
		which := in.A >> (2 * n) & 3
		lower, upper := p[0], p[2]
		if which&1 != 0 {
			lower, upper = scratch1, p[1]
		}
		z := e.value(v)
		if which < 2 {
			e.VI(amd64.VPSLLD, z, 0, amd64.R(upper), 16)
			e.VI(amd64.VPTERNLOGQ, z, lower, low, leaves)
		} else {
			e.VI(amd64.VPSRLD, z, 0, amd64.R(lower), 16)
			e.VI(amd64.VPTERNLOGQ, z, upper, low, takes)
		}
	}
}

// loadFew looks words up that the lowest bits of others choose: no other bits matter.
func (e memoryAMD64) loadFew(in *Inst) {
	t := e.behind(in.Imm|few, func() []byte { return e.r.program.Table[in.Imm:][:4*smallTable] })
	index, z := e.in(e.arg(in.A), scratch0), e.value(in.D)
	e.Mov1(amd64.VMOVDQU, z, t)
	e.V(amd64.VPERMT2D, z, index, t.Past(laneBytes))
}

// few tells tables of loadFew from others at their place.
const few = 1 << 32

// behind is a table behind the code, by the place in the program's of what it is made of.
func (e *emitter) behind(at int64, data func() []byte) amd64.Arg {
	t, ok := e.tables[at]
	if !ok {
		t = e.Table(data())
		if e.tables == nil {
			e.tables = map[int64]amd64.Arg{}
		}
		e.tables[at] = t
	}
	return t
}

// loadSmall looks words of a small table up in vectors; false where the table is none, or is more than
// two vectors. Offsets that are no multiples of 4 take their lanes to the end of loads one by one.
func (e memoryAMD64) loadSmall(in *Inst) bool {
	table := e.r.program.Table
	if len(table) > 4*smallTable || len(table)&3 != 0 || 2*e.vectors.lanes < smallTable {
		return false
	}
	const all = -1 // the place of the whole table
	t := e.behind(all, func() []byte { return append(slices.Clone(table), make([]byte, 4*smallTable-len(table))...) })
	o := e.in(e.arg(in.A), scratch0)
	each, done := e.NewLabel(), e.NewLabel()
	e.ToMask(amd64.VPTESTMQ, maskStep2, o, e.Pool(3<<32|3), -1, 0)
	e.ifAny(maskStep2, each)
	e.ToMask(amd64.VPCMPUD, maskStep2, o, amd64.M(regFrame, frameTableLimit).Every(), 1, e.all())
	e.VI(amd64.VPSRLD, scratch5, 0, amd64.R(o), 2)
	e.Mov1(amd64.VMOVDQU, scratch1, t)
	e.VZ(amd64.VPERMI2D, scratch5, scratch1, t.Past(laneBytes), maskStep2)
	e.JMP(done)
	e.Here(each)
	e.gatherBelow(scratch5, o, e.wordsAt(frameTable))
	e.Here(done)
	e.put(in.D, scratch5)
	return true
}
