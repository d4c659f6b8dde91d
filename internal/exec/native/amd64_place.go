package native

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// placeAMD64 writes operations on places.
type placeAMD64 struct{ *emitter }

// Tables of 16 words behind frameSpread: x and y of lanes in their place; of pixels in
// two rows of eight, upper row first, where lanes are, and of lanes where those pixels
// are; the same for pixels of 64 bits in two registers, low and high word of lanes, and
// upper and lower row; and for pixels of 128 bits, of which two registers hold a row: each word of the lanes
// of a row, and of each two pairs of words the four registers that hold both rows; how far right the byte of a
// lane's quad is in exec.Place.Quads, and the quad's number; x and y of lanes in their quad.
const (
	spreadXY = 64 * iota
	_
	spreadLanes
	spreadRows
	spreadLanes64
	_
	spreadRows64
	_
	spreadLanes128
	_
	_
	_
	spreadRows128
	_
	_
	_
	spreadBits   // of lanes in a mask
	spreadBytes  // the lowest byte of each word, side by side, as places of bytes
	spreadHalves // the lower half of each word
	spreadQuads
	_
	spreadQuadXY
	_
	placeTablesEnd
	placeTableCount = placeTablesEnd / 64
)

// placeTables is what they hold, two words in each.
var placeTables = func() (t [8 * placeTableCount]uint64) {
	set := func(table, i int, v uint32) { t[table/8+i/2] |= uint64(v) << (32 * (i & 1)) }
	var p exec.Place
	for i := range 4 {
		set(spreadBits, i, 1<<i)
		set(spreadBits, i+4, 16<<i)
		for _, half := range [2]int{0, 4} { // each 128 bits by themselves
			set(spreadBytes, half+i, []uint32{0x0C080400, 1<<32 - 1}[min(i, 1)])
			set(spreadHalves, half+i, []uint32{0x05040100, 0x0D0C0908, 1<<32 - 1, 1<<32 - 1}[i])
		}
	}
	for l := range ir.PlaceLanes {
		x, y := p.Pixel(l)
		set(spreadXY, l, uint32(x))
		set(spreadXY+64, l, uint32(y))
		set(spreadQuads, l, uint32(l>>2*8))
		set(spreadQuads+64, l, uint32(l>>2))
		set(spreadQuadXY, l, uint32(x&1))
		set(spreadQuadXY+64, l, uint32(y&1))
		set(spreadLanes, l, uint32(8*y+x))
		set(spreadRows, 8*y+x, uint32(l))
		for word := range 4 {
			set(spreadLanes128+64*word, l, uint32(4*x+word))
			set(spreadRows128+64*(2*y+x/4), 4*(x%4)+word, uint32(l+word%2*16))
		}
		for word := range 2 { // of two registers, the second from 16 on
			set(spreadLanes64+64*word, l, uint32(16*y+2*x+word))
			set(spreadRows64+64*y, 2*x+word, uint32(16*word+l))
		}
	}
	return t
}()

// beginPlace sets regRecord to the record of the place at regPlace, and regUpper and regLower to
// where its rows are in the block's only surface.
func (e placeAMD64) beginPlace() {
	if !e.r.places {
		return
	}
	e.W(amd64.MOVL, regRecord, amd64.M(regPlace, placeRecords))
	e.W(amd64.ADDQ, regRecord, amd64.M(regFrame, frameRecords))
	if e.surface != nil {
		e.texelRows(*e.surface)
	}
}

// covered sets mask k to lanes that a place says.
func (e placeAMD64) covered(k amd64.K, sample int) {
	e.KMem(amd64.KLOAD, k, e.coveredAt(sample))
}

// loaded sets maskStep2 to the lanes of which a texel is loaded. It takes maskStep3.
func (e placeAMD64) loaded(x ir.Texel) {
	e.covered(maskStep2, int(x.Sample))
	for k := int(x.Sample) + 1; k < x.Samples(); k++ {
		e.covered(maskStep3, k)
		e.K(amd64.KOR, maskStep2, maskStep2, maskStep3)
	}
}

// coveredAt is where the bits of a sample are.
func (e placeAMD64) coveredAt(sample int) amd64.Arg {
	return amd64.M(regPlace, placeCovered+2*sample+e.part)
}

// place writes an operation on places.
func (e placeAMD64) place(in *Inst) {
	switch in.Kind {
	case KindPixel:
		z := e.value(in.D)
		e.packed(0, func() { e.Mov1(amd64.VMOVDQU, z, spread(spreadXY+64*int(in.Imm)+e.partAt())) }, func() { e.quadAxis(z, int(in.Imm)) })
		e.V(amd64.VPADDD, z, z, amd64.All(regPlace, 4*int(in.Imm)))
	case KindRecord:
		if e.places[in.D].kind != placeRecord {
			e.Mov1(amd64.VPBROADCASTD, e.value(in.D), amd64.M(regRecord, int(in.Imm)))
		}
	case KindCovered:
		e.covered(maskStep2, int(in.Imm))
		e.maskPut(in.D, maskStep2)
	case KindCover:
		e.KMem(amd64.KSTORE, e.maskIn(in.A, maskStep2), e.coveredAt(int(in.Imm)))
	case KindLoadTexel:
		x := ir.TexelOf(uint64(in.Imm))
		z := e.value(in.D)
		e.packed(x.Bytes, func() { e.loadTexels(x, z) }, func() {
			e.loaded(x)
			e.loadEach(x, z, e.quadTexel)
		})
	default:
		x, args := ir.TexelOf(uint64(in.Imm)), e.r.aux[in.C].Args
		e.packed(x.Bytes, func() { e.storeTexels(x, args) }, func() {
			for w := 0; w < len(args); w += 2 {
				if k := e.maskIn(args[w], maskStep2); k != maskStep2 {
					e.K(amd64.KMOV, maskStep2, 0, k)
				}
				e.storeEach(x, e.in(e.arg(args[w+1]), scratch2), e.quadTexel)
				x.Word++
			}
		})
	}
}

// texelRows sets regUpper and regLower to where the two rows of the place begin in a
// surface. It keeps RAX.
func (e placeAMD64) texelRows(x ir.Texel) {
	table := amd64.R12
	e.W(amd64.MOVQ, table, amd64.M(regFrame, frameSurfaces))
	at, pitch := amd64.M(table, 16*int(x.Surface)), amd64.M(table, 16*int(x.Surface)+8)
	e.W(amd64.MOVL, regUpper, amd64.M(regPlace, 4))
	e.W(amd64.IMULQ, regUpper, pitch)
	e.W(amd64.ADDQ, regUpper, at)
	e.W(amd64.MOVL, amd64.RCX, amd64.M(regPlace, 0))
	e.WI(amd64.SHLQ, amd64.GArg(amd64.RCX), int(bits.TrailingZeros16(x.Bytes)))
	e.W(amd64.ADDQ, regUpper, amd64.GArg(amd64.RCX))
	e.W(amd64.MOVQ, regLower, pitch)
	e.W(amd64.ADDQ, regLower, amd64.GArg(regUpper))
}

// pixelsOn is how many bytes the pixels of the part are behind those of the strip.
func (e placeAMD64) pixelsOn(x ir.Texel) int { return 4 * e.part * int(x.Bytes) }

// rowsOf is texelRows where the registers do not hold those rows.
func (e placeAMD64) rowsOf(x ir.Texel) {
	if e.surface == nil {
		e.texelRows(x)
	}
}

// rowMasks splits the lanes in maskStep2 into the pixels of the upper row, in maskStep,
// and of the lower one, in maskStep3.
func (e placeAMD64) rowMasks() {
	e.KTO(amd64.RAX, maskStep2)
	e.WI(amd64.MOVLImm, amd64.GArg(amd64.RCX), 0x3333)
	e.PEXT(amd64.RCX, amd64.RAX, amd64.RCX)
	e.KFROM(maskStep, amd64.RCX)
	e.WI(amd64.MOVLImm, amd64.GArg(amd64.RCX), 0xCCCC)
	e.PEXT(amd64.RCX, amd64.RAX, amd64.RCX)
	e.KFROM(maskStep3, amd64.RCX)
}

// How a row of pixels of up to 32 bits becomes words, and is made of them.
var (
	texelLoads  = map[uint16]amd64.Op{1: amd64.VPMOVZXBD, 2: amd64.VPMOVZXWD, 4: amd64.VMOVDQU}
	texelStores = map[uint16]amd64.Op{1: amd64.VPMOVDB, 2: amd64.VPMOVDW, 4: amd64.VMOVDQUTo}
)

// spread is a table.
func spread(at int) amd64.Arg { return amd64.M(regFrame, frameSpread+at) }

// whole writes a branch on whether all lanes are in maskStep2, the way out of line for others.
func (e placeAMD64) whole(all, some func()) {
	e.K(amd64.KTEST, maskStep2, 0, maskStep2)
	e.unless(amd64.IfNotBelow, all, some)
}

// loadTexels loads a word of covered lanes to z. What is not covered is not touched: it may be
// beyond the surface. Nor is memory named beyond the rows, masked or not: a load would wait for
// what has just been stored there.
func (e placeAMD64) loadTexels(x ir.Texel, z amd64.Z) {
	e.rowsOf(x)
	if e.vectors.narrow {
		e.loadTexels256(x, z)
		return
	}
	e.loaded(x)
	switch x.Bytes {
	case 1, 2, 4:
		load, upper, lower := texelLoads[x.Bytes], amd64.M(regUpper, 0), amd64.M(regLower, 0)
		e.whole(func() {
			e.V256(load, scratch0, upper)
			row := lower
			if x.Bytes < 4 {
				e.V256(load, scratch1, lower)
				row = amd64.R(scratch1)
			}
			e.VI(amd64.VINSERTHALF, scratch0, scratch0, row, 1)
		}, func() {
			e.rowMasks()
			e.VZ256(load, scratch0, upper, maskStep)
			e.VZ256(load, scratch1, lower, maskStep3)
			e.VI(amd64.VINSERTHALF, scratch0, scratch0, amd64.R(scratch1), 1)
		})
		e.Mov1(amd64.VMOVDQU, scratch1, spread(spreadLanes))
		e.V(amd64.VPERMD, z, scratch1, amd64.R(scratch0))
	case 8:
		e.rowMasks()
		e.VZ(amd64.VMOVDQU64, scratch0, 0, amd64.M(regUpper, 0), maskStep)
		e.VZ(amd64.VMOVDQU64, scratch1, 0, amd64.M(regLower, 0), maskStep3)
		e.Mov1(amd64.VMOVDQU, z, spread(spreadLanes64+64*int(x.Word)))
		e.V(amd64.VPERMI2D, z, scratch0, amd64.R(scratch1))
	case 16:
		e.whole(func() { e.loadWide(x, z, nil) }, func() {
			e.pixelBits()
			e.wordBits(amd64.RAX, x)
			e.loadWide(x, z, e.nextPart(amd64.RAX))
		})
	default:
		e.loadEach(x, z, e.eachTexel)
	}
}

// loadWide loads a word of the pixels of 128 bits to z: of all, or of the lanes that part sets a
// mask to, for 64 bytes at a time.
func (e placeAMD64) loadWide(x ir.Texel, z amd64.Z, part func(k amd64.K)) {
	for row, at := range [2]amd64.G{regUpper, regLower} {
		to, right := [2]amd64.Z{z, scratch2}[row], amd64.M(at, 64)
		if part == nil {
			e.Mov1(amd64.VMOVDQU, scratch0, amd64.M(at, 0))
		} else {
			part(maskStep)
			e.VZ(amd64.VMOVDQU, scratch0, 0, amd64.M(at, 0), maskStep)
			part(maskStep)
			e.VZ(amd64.VMOVDQU, scratch3, 0, right, maskStep)
			right = amd64.R(scratch3)
		}
		e.Mov1(amd64.VMOVDQU, to, spread(spreadLanes128+64*int(x.Word)))
		e.V(amd64.VPERMI2D, to, scratch0, right)
	}
	e.lowerLanes()
	e.VK(amd64.VMOVDQU, z, 0, amd64.R(scratch2), maskStep)
}

// pixelBits sets RAX to the lanes in maskStep2 as bits of pixels, the upper row first.
func (e placeAMD64) pixelBits() {
	e.KTO(amd64.RAX, maskStep2)
	for row, g := range [2]amd64.G{amd64.RCX, amd64.RAX} {
		e.WI(amd64.MOVLImm, amd64.GArg(amd64.R12), 0x3333<<(2*row))
		e.PEXT(g, amd64.RAX, amd64.R12)
	}
	e.WI(amd64.SHLQ, amd64.GArg(amd64.RAX), 8)
	e.W(amd64.ORL, amd64.RAX, amd64.GArg(amd64.RCX))
}

// wordBits sets d to the pixels in RAX as bits of words, one of those of each pixel.
func (e placeAMD64) wordBits(d amd64.G, x ir.Texel) {
	words := map[uint16]uint64{8: 0x5555_5555_5555_5555, 16: 0x1111_1111_1111_1111}[x.Bytes]
	e.W(amd64.MOVQ, amd64.RCX, e.Pool(words<<x.Word).One())
	e.PDEP(d, amd64.RAX, amd64.RCX)
}

// nextPart moves sixteen bits after the other from g to a mask.
func (e placeAMD64) nextPart(g amd64.G) func(k amd64.K) {
	return func(k amd64.K) {
		e.KFROM(k, g)
		e.WI(amd64.SHRQ, amd64.GArg(g), 16)
	}
}

// lowerLanes sets maskStep to the lanes of the lower row, two of each four.
func (e placeAMD64) lowerLanes() {
	e.WI(amd64.MOVLImm, amd64.GArg(amd64.RCX), 0xCCCC)
	e.KFROM(maskStep, amd64.RCX)
}

// storeParts stores the words of pixels of 64 or 128 bits, 64 bytes at a time: all, or those that
// part sets a mask to.
func (e placeAMD64) storeParts(x ir.Texel, args []int32, part func(k amd64.K)) {
	halves := int(x.Bytes) / 8 // of a row
	for i := range 2 * halves {
		at := amd64.M([2]amd64.G{regUpper, regLower}[i/halves], 64*(i%halves))
		for j, to := range []amd64.Z{scratch0, scratch1}[:halves] {
			e.Mov1(amd64.VMOVDQU, to, spread([]int{spreadRows64, spreadRows128}[halves-1]+64*i))
			e.V(amd64.VPERMI2D, to, e.in(e.arg(args[4*j+1]), scratch2), e.arg(args[4*j+3]))
		}
		if halves == 2 { // words 2 and 3 are where lanes of the lower row are
			e.lowerLanes()
			e.VK(amd64.VMOVDQU, scratch0, 0, amd64.R(scratch1), maskStep)
		}
		if part == nil {
			e.Mov1(amd64.VMOVDQUTo, scratch0, at)
			continue
		}
		part(maskStep2)
		e.VK(amd64.VMOVDQUTo, scratch0, 0, at, maskStep2)
	}
}

// storeSome is storeParts of the lanes that masks say, one of each word.
func (e placeAMD64) storeSome(x ir.Texel, args []int32) {
	for w := 0; w < len(args); w += 2 {
		if k := e.maskIn(args[w], maskStep2); k != maskStep2 {
			e.K(amd64.KMOV, maskStep2, 0, k)
		}
		if w == 0 || args[w] != args[w-2] {
			e.pixelBits()
		}
		if w == 0 {
			e.wordBits(amd64.R11, x)
		} else {
			e.wordBits(amd64.R12, x)
			e.W(amd64.ORQ, amd64.R11, amd64.GArg(amd64.R12))
		}
		x.Word++
	}
	e.storeParts(x, args, e.nextPart(amd64.R11))
}

// eachTexel sets scratch0 to the offset of each lane's word from R11.
func (e placeAMD64) eachTexel(x ir.Texel) {
	e.W(amd64.MOVQ, amd64.R11, amd64.GArg(regLower))
	e.W(amd64.SUBQ, amd64.R11, amd64.GArg(regUpper))
	e.V(amd64.VPBROADCASTG, scratch0, 0, amd64.GArg(amd64.R11))
	e.V(amd64.VPMULLD, scratch0, scratch0, spread(spreadXY+64))
	e.VI(amd64.VPSLLD, scratch1, 0, spread(spreadXY), bits.TrailingZeros16(x.Bytes))
	e.V(amd64.VPADDD, scratch0, scratch0, amd64.R(scratch1))
	e.W(amd64.MOVQ, amd64.R11, amd64.GArg(regUpper))
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.R11), int(4*int32(x.Word)+int32(e.pixelsOn(x))))
}

// loadEach loads a word of the lanes in maskStep2 to z, from where at says that they are.
func (e placeAMD64) loadEach(x ir.Texel, z amd64.Z, at func(ir.Texel)) {
	at(x)
	e.V(amd64.VPXORD, scratch1, scratch1, amd64.R(scratch1))
	e.VK(amd64.VPGATHERDD, scratch1, 0, amd64.Each(amd64.R11, scratch0), maskStep2)
	if z != scratch1 {
		e.Mov1(amd64.VMOVDQU, z, amd64.R(scratch1))
	}
}

// storeEach stores a word of the lanes in maskStep2 to where at says that they are.
func (e placeAMD64) storeEach(x ir.Texel, v amd64.Z, at func(ir.Texel)) {
	at(x)
	e.VK(amd64.VPSCATTERDD, v, 0, amd64.Each(amd64.R11, scratch0), maskStep2)
}

// storeTexels stores words where their masks say.
func (e placeAMD64) storeTexels(x ir.Texel, args []int32) {
	if x.Bytes != 16 && (x.Bytes != 8 || e.vectors.narrow) || len(args) != int(x.Bytes)/2 {
		e.storeWords(x, args)
		return
	}
	e.rowsOf(x)
	for w := 0; w < len(args); w += 2 {
		if k := e.maskIn(args[w], maskStep3); w == 0 {
			e.K(amd64.KMOV, maskStep2, 0, k)
		} else if args[w] != args[w-2] {
			e.K(amd64.KAND, maskStep2, maskStep2, k)
		}
	}
	if e.vectors.narrow {
		e.whole(func() { e.storeWhole256(x, args) }, func() { e.storeWords(x, args) })
		return
	}
	e.whole(func() { e.storeParts(x, args, nil) }, func() { e.storeSome(x, args) })
}

// storeWords is storeTexels, word by word where pixels are large.
func (e placeAMD64) storeWords(x ir.Texel, args []int32) {
	for w := 0; w < len(args); w += 2 {
		if k := e.maskIn(args[w], maskStep2); k != maskStep2 {
			e.K(amd64.KMOV, maskStep2, 0, k)
		}
		e.rowsOf(x)
		v := e.in(e.arg(args[w+1]), scratch2)
		switch {
		case e.vectors.narrow && x.Bytes == 8 && len(args) == 4 && args[0] == args[2]:
			e.storePairs256(x, v, e.in(e.arg(args[3]), scratch3))
			return
		case e.vectors.narrow && x.Bytes <= 4:
			e.storeRows256(x, v)
		case x.Bytes <= 4:
			e.Mov1(amd64.VMOVDQU, scratch1, spread(spreadRows))
			e.V(amd64.VPERMD, scratch0, scratch1, amd64.R(v))
			store, upper, lower := texelStores[x.Bytes], amd64.M(regUpper, 0), amd64.M(regLower, 0)
			e.VI(amd64.VEXTRACTHALF, scratch0, 0, amd64.R(scratch1), 1)
			e.whole(func() {
				e.V256(store, scratch0, upper)
				e.V256(store, scratch1, lower)
			}, func() {
				e.rowMasks()
				e.VK256(store, scratch0, upper, maskStep)
				e.VK256(store, scratch1, lower, maskStep3)
			})
		default:
			e.storeEach(x, v, e.eachTexel)
		}
		x.Word++
	}
}
