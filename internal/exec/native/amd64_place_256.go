package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Texels on vectors of 256 bits, which are half a place: two quads, four pixels of each row. In
// both orders the first 128 bits hold what one row or one quad does, so that exchanging the
// middle pairs of words is the way from lanes to rows, and back.
const byRows = 0xD8

// rowMasks256 sets scratch1 to the lanes in maskStep2 by rows.
func (e placeAMD64) rowMasks256() {
	e.YI(amd64.VPERMQ, scratch1, 0, amd64.R(vectorOf(maskStep2)), byRows)
}

// pairMasks256 sets scratch1 and scratch4 to the lanes in maskStep2 of the rows, as words of 64 bits.
func (e placeAMD64) pairMasks256() {
	e.rowMasks256()
	e.YI(amd64.VEXTRACT128, scratch1, 0, amd64.R(scratch4), 1)
	e.Y(amd64.VPMOVSXDQ, scratch1, 0, amd64.R(scratch1))
	e.Y(amd64.VPMOVSXDQ, scratch4, 0, amd64.R(scratch4))
}

// wholeCovered is whole for the lanes of which a texel is loaded, which are in maskStep2 where they
// are not all.
func (e placeAMD64) wholeCovered(x ir.Texel, all, some func()) {
	if x.More > 0 {
		e.loaded(x)
		e.whole(all, some)
		return
	}
	e.WI(amd64.CMPBImm, e.coveredAt(int(x.Sample)), 0xFF)
	e.unless(amd64.IfNotZero, all, func() {
		e.covered(maskStep2, int(x.Sample))
		some()
	})
}

// loadTexels256 is loadTexels; the rows are known.
func (e placeAMD64) loadTexels256(x ir.Texel, z amd64.Z) {
	upper, lower := amd64.M(regUpper, e.pixelsOn(x)), amd64.M(regLower, e.pixelsOn(x))
	switch x.Bytes {
	case 1, 2:
		e.wholeCovered(x, func() {
			if x.Bytes == 1 {
				e.X(amd64.VMOVD, scratch0, 0, upper)
				e.XI(amd64.VPINSRD, scratch0, scratch0, lower, 1)
			} else {
				e.X(amd64.VMOVQ, scratch0, 0, upper)
				e.XI(amd64.VPINSRQ, scratch0, scratch0, lower, 1)
			}
			e.Y(texelLoads[x.Bytes], scratch0, 0, amd64.R(scratch0))
			e.YI(amd64.VPERMQ, scratch0, 0, amd64.R(scratch0), byRows)
		}, func() {
			e.Y(amd64.VPXORD, scratch1, scratch1, amd64.R(scratch1))
			e.Y(amd64.VMOVDQUTo, scratch1, 0, amd64.M(regFrame, frameTemps))
			e.eachTexel(x)
			e.Y(amd64.VMOVDQUTo, scratch0, 0, amd64.M(regFrame, frameTemps+32))
			e.eachLane(maskStep2, func() {
				e.At(amd64.Loads(4), amd64.R12, regFrame, amd64.RCX, 2, frameTemps+32)
				e.At(amd64.Loads(uint8(x.Bytes)), amd64.R12, amd64.R11, amd64.R12, 0, 0)
				e.At(amd64.Stores(4), amd64.R12, regFrame, amd64.RCX, 2, frameTemps)
			})
			e.Y(amd64.VMOVDQU, scratch0, 0, amd64.M(regFrame, frameTemps))
		})
		e.Mov1(amd64.VMOVDQU, z, amd64.R(scratch0))
	case 4:
		e.wholeCovered(x, func() {
			e.X(amd64.VMOVDQU, scratch0, 0, upper)
			e.YI(amd64.VINSERT128, scratch0, scratch0, lower, 1)
		}, func() {
			e.rowMasks256()
			e.X(amd64.VPMASKMOVD, scratch0, scratch1, upper)
			e.YI(amd64.VEXTRACT128, scratch1, 0, amd64.R(scratch1), 1)
			e.X(amd64.VPMASKMOVD, scratch1, scratch1, lower)
			e.YI(amd64.VINSERT128, scratch0, scratch0, amd64.R(scratch1), 1)
		})
		e.YI(amd64.VPERMQ, z, 0, amd64.R(scratch0), byRows)
	case 8:
		e.wholeCovered(x, func() {
			e.Y(amd64.VMOVDQU, scratch0, 0, upper)
			e.Y(amd64.VMOVDQU, scratch1, 0, lower)
		}, func() {
			e.pairMasks256()
			e.Y(amd64.VPMASKMOVQ, scratch0, scratch1, upper)
			e.Y(amd64.VPMASKMOVQ, scratch1, scratch4, lower)
		})
		e.YI(amd64.VSHUFPS, z, scratch0, amd64.R(scratch1), [2]int{0x88, 0xDD}[x.Word])
	default:
		each := func() { e.loadEach(x, scratch1, e.eachTexel) }
		if x.Bytes == 16 {
			pairs := [2]amd64.Op{amd64.VUNPCKLPS, amd64.VUNPCKHPS}[x.Word/2]
			e.wholeCovered(x, func() {
				for i, row := range [2]amd64.G{regUpper, regLower} {
					to := [2]amd64.Z{scratch0, scratch1}[i]
					e.X(amd64.VMOVDQU, to, 0, amd64.M(row, e.pixelsOn(x)))
					e.YI(amd64.VINSERT128, to, to, amd64.M(row, e.pixelsOn(x)+32), 1)
					e.X(amd64.VMOVDQU, scratch2, 0, amd64.M(row, e.pixelsOn(x)+16))
					e.YI(amd64.VINSERT128, scratch2, scratch2, amd64.M(row, e.pixelsOn(x)+48), 1)
					e.Y(pairs, to, to, amd64.R(scratch2))
				}
				e.Y([2]amd64.Op{amd64.VUNPCKLPD, amd64.VUNPCKHPD}[x.Word%2], scratch1, scratch0, amd64.R(scratch1))
			}, each)
		} else {
			e.loaded(x)
			each()
		}
		e.Mov1(amd64.VMOVDQU, z, amd64.R(scratch1))
	}
}

// storeRows256 stores a word, or what of it a pixel has, in the lanes of maskStep2.
func (e placeAMD64) storeRows256(x ir.Texel, v amd64.Z) {
	upper, lower := amd64.M(regUpper, e.pixelsOn(x)), amd64.M(regLower, e.pixelsOn(x))
	e.whole(func() {
		e.YI(amd64.VPERMQ, scratch0, 0, amd64.R(v), byRows)
		if x.Bytes == 4 {
			e.X(amd64.VMOVDQUTo, scratch0, 0, upper)
			e.YI(amd64.VEXTRACT128, scratch0, 0, lower, 1)
			return
		}
		e.Y(amd64.VPSHUFB, scratch0, scratch0, spread(map[uint16]int{1: spreadBytes, 2: spreadHalves}[x.Bytes]))
		e.YI(amd64.VEXTRACT128, scratch0, 0, amd64.R(scratch1), 1)
		for i, at := range [2]amd64.Arg{upper, lower} {
			z := [2]amd64.Z{scratch0, scratch1}[i]
			if x.Bytes == 1 {
				e.X(amd64.VMOVDTo, z, 0, at)
			} else {
				e.X(amd64.VMOVQTo, z, 0, at)
			}
		}
	}, func() {
		if x.Bytes == 4 {
			e.rowMasks256()
			e.YI(amd64.VPERMQ, scratch0, 0, amd64.R(v), byRows)
			e.X(amd64.VPMASKMOVDTo, scratch0, scratch1, upper)
			e.YI(amd64.VEXTRACT128, scratch0, 0, amd64.R(scratch0), 1)
			e.YI(amd64.VEXTRACT128, scratch1, 0, amd64.R(scratch1), 1)
			e.X(amd64.VPMASKMOVDTo, scratch0, scratch1, lower)
			return
		}
		e.Y(amd64.VMOVDQUTo, v, 0, amd64.M(regFrame, frameTemps))
		e.eachTexel(x)
		e.Y(amd64.VMOVDQUTo, scratch0, 0, amd64.M(regFrame, frameTemps+32))
		e.eachLane(maskStep2, func() {
			e.At(amd64.Loads(4), amd64.R12, regFrame, amd64.RCX, 2, frameTemps)
			e.At(amd64.Loads(4), amd64.RCX, regFrame, amd64.RCX, 2, frameTemps+32)
			e.At(amd64.Stores(uint8(x.Bytes)), amd64.R12, amd64.R11, amd64.RCX, 0, 0)
		})
	})
}

// storePairs256 stores both words of pixels that have two, in the lanes of maskStep2.
func (e placeAMD64) storePairs256(x ir.Texel, low, high amd64.Z) {
	upper, lower := amd64.M(regUpper, e.pixelsOn(x)), amd64.M(regLower, e.pixelsOn(x))
	e.Y(amd64.VUNPCKLPS, scratch0, low, amd64.R(high))
	e.Y(amd64.VUNPCKHPS, scratch5, low, amd64.R(high))
	e.whole(func() {
		e.Y(amd64.VMOVDQUTo, scratch0, 0, upper)
		e.Y(amd64.VMOVDQUTo, scratch5, 0, lower)
	}, func() {
		e.pairMasks256()
		e.Y(amd64.VPMASKMOVQTo, scratch0, scratch1, upper)
		e.Y(amd64.VPMASKMOVQTo, scratch5, scratch4, lower)
	})
}

// storeWhole256 stores four words of all lanes.
func (e placeAMD64) storeWhole256(x ir.Texel, args []int32) {
	for row, at := range [2]amd64.G{regUpper, regLower} {
		by := [2]amd64.Op{amd64.VUNPCKLPS, amd64.VUNPCKHPS}[row]
		for i, to := range [2]amd64.Z{scratch0, scratch1} {
			low := e.in(e.arg(args[4*i+1]), scratch2)
			e.Y(by, to, low, amd64.R(e.in(e.arg(args[4*i+3]), scratch3)))
		}
		for i, by := range [2]amd64.Op{amd64.VUNPCKLPD, amd64.VUNPCKHPD} {
			e.Y(by, scratch2, scratch0, amd64.R(scratch1))
			e.X(amd64.VMOVDQUTo, scratch2, 0, amd64.M(at, e.pixelsOn(x)+16*i))
			e.YI(amd64.VEXTRACT128, scratch2, 0, amd64.M(at, e.pixelsOn(x)+16*i+32), 1)
		}
	}
}
