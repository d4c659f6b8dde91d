package vm

import "github.com/pumice-gpu/pumice/internal/exec/amd64"

// loadBytes loads words of a table that bytes of a word choose: for each byte of the words, all 64 bytes of the
// vector are looked up at once, in either half of its 256 and then in the one that their highest bit says.
func (e *emitter) loadBytes(in *instr) {
	x := &e.r.aux[in.c]
	w := e.in(e.arg(x.args[0]), scratch0)
	planes, ok := e.planes[in.imm]
	if !ok {
		planes = e.Table(bytePlanes(e.r.program.Table[in.imm:]))
		if e.planes == nil {
			e.planes = map[int64]amd64.Arg{}
		}
		e.planes[in.imm] = planes
	}
	p := [4]amd64.Z{scratch2, scratch3, scratch4, scratch5}
	e.V(amd64.VPMOVB2M, amd64.Z(maskStep2), 0, amd64.R(w))
	for k, z := range p {
		at := planes.Past(256 * k)
		e.Mov1(amd64.VMOVDQU, scratch1, at)
		e.V(amd64.VPERMT2B, scratch1, w, at.Past(64))
		e.Mov1(amd64.VMOVDQU, z, at.Past(128))
		e.V(amd64.VPERMT2B, z, w, at.Past(192))
		e.V2K(amd64.VPBLENDMB, z, scratch1, amd64.R(z), maskStep2)
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
	for n, v := range x.results {
		which := in.a >> (2 * n) & 3
		lower, upper := p[0], p[2]
		if which&1 != 0 {
			lower, upper = scratch1, p[1]
		}
		z := e.to(v)
		if which < 2 {
			e.VI(amd64.VPSLLD, z, 0, amd64.R(upper), 16)
			e.VI(amd64.VPTERNLOGQ, z, lower, low, leaves)
		} else {
			e.VI(amd64.VPSRLD, z, 0, amd64.R(lower), 16)
			e.VI(amd64.VPTERNLOGQ, z, upper, low, takes)
		}
		e.put(v, z)
	}
}
