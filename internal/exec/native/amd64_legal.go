package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
)

// # Vectors of 256 bits
//
// Emitters choose instructions of AVX-512, for one part of a strip after the other. What AVX2 has,
// too, comes to the list as that (Asm.Narrow). For the rest legalise finds others before numbers get
// registers: masks are vectors of zeros and ones, a word for all lanes is spread first unless it is a
// constant, and what is missing takes steps.

// legaliser rewrites the list of a block.
type legaliser struct{ *emitter }

// legalise rewrites all of it, steps by steps.
func legalise(e *emitter) {
	l, other := legaliser{e}, &e.lists.lists
	list, aside := e.List, e.aside
	e.List, e.aside = other[2][:0], other[3][:0]
	from, cold := 0, 0
	for i := range e.sections {
		s := &e.sections[i]
		l.rewrite(list[from:s.end])
		if cold < s.cold {
			e.outOfLine(func() { l.rewrite(aside[cold:s.cold]) })
		}
		from, cold = s.end, s.cold
		s.end, s.cold = len(e.List), len(e.aside)
	}
	other[2], other[3] = list, aside
}

// rewrite appends instructions, or others that do the same.
func (l legaliser) rewrite(list []amd64.Inst) {
	from := 0
	for i := range list {
		in := &list[i]
		if in.Fits() {
			continue
		}
		l.List = append(l.List, list[from:i]...)
		from = i + 1
		switch {
		case in.Op == amd64.VPTESTMD: // of a mask that only the instruction behind it asks for
			l.Y(amd64.VPTEST, in.V, 0, in.X)
			l.fail = l.fail || i+1 == len(list) || list[i+1].Op != amd64.KTEST
		case i > 0 && list[i-1].Op == amd64.VPTESTMD:
		case in.OfMasks():
			l.logic(in)
		case in.SetsMask():
			l.compare(in)
		case in.K == 0:
			l.steps(in.Op, in.Reg, in.V, in.X, int(in.Imm))
		case in.Op.Selects():
			l.blend(in.Reg, in.V, l.spreadOut(in.Op, in.X, step0), in.K)
		case in.Zero:
			l.zeroing(in)
		default:
			l.merging(in)
		}
	}
	l.List = append(l.List, list[from:]...)
}

// vectorOf is the register of a mask.
func vectorOf(k amd64.K) amd64.Z {
	if k < firstValue {
		return stepMasks + amd64.Z(k-firstMaskName)
	}
	return amd64.Z(k)
}

// isAll says that a mask is that of the lanes that exist, which is in memory.
func (l legaliser) isAll(k amd64.K) bool {
	return k >= firstValue && (int32(k)-firstValue)/2 == l.b.lanes+int32(l.r.masks)
}

// blend sets d to x in the lanes of k, else to v.
func (l legaliser) blend(d, v amd64.Z, x amd64.Arg, k amd64.K) { l.YBlend(d, v, x, vectorOf(k)) }

// spreadOut is an operand with a word for every lane: what is one word goes to a register.
func (l legaliser) spreadOut(o amd64.Op, x amd64.Arg, to amd64.Z) amd64.Arg {
	if !x.IsAll() || x.IsPool() {
		return x
	}
	by := amd64.VPBROADCASTD
	if o.Wide() {
		by = amd64.VPBROADCASTQ
	}
	l.Y(by, to, 0, x.One())
	return amd64.R(to)
}

// register is an operand in a register.
func (l legaliser) register(o amd64.Op, x amd64.Arg, to amd64.Z) amd64.Z {
	if x = l.spreadOut(o, x, to); x.IsMem() {
		l.Y(amd64.VMOVDQU, to, 0, x)
		return to
	}
	return x.Reg()
}

// merging writes an operation in the lanes of a mask; the others keep what d, or the memory, has.
func (l legaliser) merging(in *amd64.Inst) {
	o, d, x, k := in.Op, in.Reg, in.X, in.K
	switch o {
	case amd64.VMOVDQUTo:
		l.storeLanes(d, x, k)
	case amd64.VMOVDQU, amd64.VMOVDQU64:
		l.blend(d, d, l.spreadOut(o, x, step0), k)
	case amd64.VPBROADCASTD, amd64.VPBROADCASTQ:
		l.blend(d, d, l.spreadOut(o, x.Every(), step0), k)
	case amd64.VPGATHERDD:
		l.Y(amd64.VMOVDQU, step1, 0, amd64.R(vectorOf(k)))
		l.Y(o, d, step1, x)
	case amd64.VPGATHERDQ: // of the first half of the lanes
		l.Y(amd64.VPMOVSXDQ, step1, 0, amd64.R(vectorOf(k)))
		l.Y(o, d, step1, x)
	case amd64.VPSCATTERDD:
		l.scatter(d, x, k)
	default:
		own := in.V == d && !x.IsMem()
		switch {
		case own && (o == amd64.VPORD || o == amd64.VPORQ):
			l.Y(amd64.VPANDD, step0, x.Reg(), amd64.R(vectorOf(k)))
			l.Y(amd64.VPORD, d, d, amd64.R(step0))
			return
		case own && (o == amd64.VPANDD || o == amd64.VPANDQ):
			l.Y(amd64.VPANDN, step0, x.Reg(), amd64.R(vectorOf(k)))
			l.Y(amd64.VPANDN, d, step0, amd64.R(d))
			return
		case o.Adds():
			l.Y(amd64.VMOVDQU, step1, 0, amd64.R(d))
		}
		l.steps(o, step1, in.V, x, int(in.Imm))
		l.blend(d, d, amd64.R(step1), k)
	}
}

// zeroing writes an operation in the lanes of a mask; the others become zero.
func (l legaliser) zeroing(in *amd64.Inst) {
	o, d, x, k := in.Op, in.Reg, in.X, in.K
	mask := amd64.R(vectorOf(k))
	switch {
	case o == amd64.VMOVDQU && x.IsMem():
		l.loadLanes(d, x, k)
	case o == amd64.VMOVDQU || o == amd64.VMOVDQU64:
		l.Y(amd64.VPANDD, d, x.Reg(), mask)
	case o == amd64.VPBROADCASTD || o == amd64.VPBROADCASTQ:
		l.Y(amd64.VPANDD, d, vectorOf(k), l.spreadOut(o, x.Every(), step0))
	default:
		l.steps(o, d, in.V, x, int(in.Imm))
		l.Y(amd64.VPANDD, d, d, mask)
	}
}

// compare writes what sets a mask: comparisons, in the lanes of another one.
func (l legaliser) compare(in *amd64.Inst) {
	o, v, x, k, predicate := in.Op, in.V, in.X, in.K, in.Imm
	to := vectorOf(amd64.K(in.Reg))
	t := to
	if k != 0 {
		t = step1
	}
	opposite := false
	switch o {
	case amd64.VPMOVD2M:
		l.Y(amd64.VMOVDQU, t, 0, x)
	case amd64.VCMPPS, amd64.VCMPPD:
		l.YI(o, t, v, l.spreadOut(o, x, step0), int(predicate))
	case amd64.VPTESTMQ: // of one bit
		x = l.spreadOut(o, x, step0)
		l.Y(amd64.VPANDD, step1, v, x)
		l.Y(amd64.VPCMPEQQ, t, step1, x)
	case amd64.VPCMPUQ: // as signed ones, half the range away
		sign := l.Pool(1 << 63)
		l.Y(amd64.VPXORQ, step0, l.register(o, x, step0), sign)
		l.Y(amd64.VPXORQ, step1, v, sign)
		v, x = step1, amd64.R(step0)
		fallthrough
	case amd64.VPCMPD, amd64.VPCMPQ:
		equal, greater := amd64.VPCMPEQD, amd64.VPCMPGTD
		if o.Wide() {
			equal, greater = amd64.VPCMPEQQ, amd64.VPCMPGTQ
		}
		switch predicate {
		case 0, 4: // equal or not
			l.Y(equal, t, v, l.spreadOut(o, x, step0))
		case 1, 5: // less or not
			l.Y(greater, t, l.register(o, x, step0), amd64.R(v))
		default: // not greater, or greater
			l.Y(greater, t, v, l.spreadOut(o, x, step0))
		}
		opposite = predicate == 2 || predicate == 4 || predicate == 5
	case amd64.VPCMPUD: // the greater one is v, or the lesser one
		by := amd64.VPMAXUD
		if predicate == 2 {
			by = amd64.VPMINUD
		}
		l.Y(by, step1, v, l.spreadOut(o, x, step0))
		l.Y(amd64.VPCMPEQD, t, step1, amd64.R(v))
		opposite = predicate == 1
	default:
		l.fail = true
	}
	switch {
	case k == 0 && opposite:
		l.Y(amd64.VPXORD, to, t, l.words(1<<32-1))
	case k != 0 && opposite:
		l.Y(amd64.VPANDN, to, t, amd64.R(vectorOf(k)))
	case k != 0:
		l.Y(amd64.VPANDD, to, t, amd64.R(vectorOf(k)))
	}
}

// logic writes an operation on masks.
func (l legaliser) logic(in *amd64.Inst) {
	o, d, x := in.Op, vectorOf(amd64.K(in.Reg)), vectorOf(amd64.K(in.V))
	y := amd64.K(in.X.Reg()) // of registers
	if l.isAll(amd64.K(d)) && (o == amd64.KXNOR || o == amd64.KLOAD) {
		defer l.Y(amd64.VMOVDQUTo, step0, 0, homeOf(l.emitter, l.home(d)))
		d = step0
	}
	both := func(by amd64.Op) {
		if l.isAll(amd64.K(x)) { // in memory, which the last operand may be
			x, y = vectorOf(y), amd64.K(x)
		}
		l.Y(by, d, x, amd64.R(vectorOf(y)))
	}
	switch o {
	case amd64.KAND:
		both(amd64.VPANDD)
	case amd64.KOR:
		both(amd64.VPORD)
	case amd64.KXOR:
		both(amd64.VPXORD)
	case amd64.KANDN:
		l.Y(amd64.VPANDN, d, x, amd64.R(vectorOf(y)))
	case amd64.KXNOR: // of equal operands
		l.Y(amd64.VMOVDQU, d, 0, l.words(1<<32-1))
	case amd64.KNOT:
		l.Y(amd64.VPXORD, d, vectorOf(y), l.words(1<<32-1))
	case amd64.KLOAD: // bits, of eight lanes
		if !in.X.IsMem() {
			l.Y(amd64.VMOVDQU, d, 0, amd64.R(vectorOf(y)))
			break
		}
		l.Y(amd64.VPBROADCASTB, d, 0, in.X)
		l.Y(amd64.VPANDD, d, d, spread(spreadBits))
		l.Y(amd64.VPCMPEQD, d, d, spread(spreadBits))
	case amd64.KSTORE:
		l.YSigns(amd64.RAX, d)
		l.W(amd64.MOVBTo, amd64.RAX, in.X)
	case amd64.KMOVTo:
		l.YSigns(amd64.G(in.Reg), vectorOf(y))
	case amd64.KSHR: // by eight, in masks of both halves
		l.YI(amd64.VEXTRACT128, vectorOf(y), 0, amd64.R(d), 1)
	case amd64.KTEST:
		l.Y(amd64.VPTEST, d, 0, l.words(1<<32-1))
	case amd64.KUNPCK:
		pickWords(l.emitter, d, vectorOf(y), amd64.R(x), 0x88)
	default:
		l.fail = true
	}
}

// pickWords sets d to the low words of numbers of 64 bits (0x88), or the high ones (0xDD), those of a
// before those of b.
func pickWords(e *emitter, d, a amd64.Z, b amd64.Arg, which int) {
	e.YI(amd64.VSHUFPS, d, a, b, which)
	e.YI(amd64.VPERMQ, d, 0, amd64.R(d), 0xD8)
}

// loadLanes loads d in the lanes of k; the others become zero.
func (l legaliser) loadLanes(d amd64.Z, at amd64.Arg, k amd64.K) {
	if at.Reach() == amd64.ReachAll {
		l.Y(amd64.VMOVDQU, step0, 0, at)
		l.Y(amd64.VPANDD, d, step0, amd64.R(vectorOf(k)))
		return
	}
	l.unless(l.some(at, k), func() {
		l.Y(amd64.VMOVDQU, d, 0, at) // a masked load waits much longer
	}, func() {
		l.Y(amd64.VPMASKMOVD, d, vectorOf(k), at)
	})
}

// storeLanes stores z in the lanes of k: what other threads may use, too, only there.
func (l legaliser) storeLanes(z amd64.Z, at amd64.Arg, k amd64.K) {
	own := func() {
		switch {
		case at.Reach() == amd64.ReachStrips && l.isAll(k), at.Reach() == amd64.ReachLanes:
			l.Y(amd64.VMOVDQUTo, z, 0, at)
		default:
			l.Y(amd64.VMOVDQU, step0, 0, at)
			l.blend(step0, step0, amd64.R(z), k)
			l.Y(amd64.VMOVDQUTo, step0, 0, at)
		}
	}
	if b := at.Base(); b == regFrame || b == regRow {
		at = at.Reaching(amd64.ReachAll)
	}
	whole := at.Reach() == amd64.ReachStrips && l.r.places
	if at.Reach() == amd64.ReachAll || whole {
		own()
		return
	}
	l.unless(l.some(at, k), own, func() { // masked stores are slow
		l.Y(amd64.VPMASKMOVDTo, z, vectorOf(k), at)
	})
}

// some tests whether memory may only be used in the lanes of k, and returns the condition.
func (l legaliser) some(at amd64.Arg, k amd64.K) byte {
	if at.Reach() == amd64.ReachStrips {
		l.W(amd64.CMPQ, regStrip, amd64.M(regFrame, frameTailAt))
		return amd64.IfZero
	}
	l.Y(amd64.VPTEST, vectorOf(k), 0, l.words(1<<32-1))
	return amd64.IfNotBelow
}

// Bits of binary64 numbers, to which integers are added as bits.
const (
	bits2p52         = 0x4330000000000000
	bits2p84         = 0x4530000000000000
	bits2p84p63p52   = 0x4530000080100000
	bits2p84p52      = 0x4530000000100000
	bits2p32minus1   = 0x41EFFFFFFFE00000
	bits2p52plus2048 = 0x4330000000000800
)

// steps writes what has no instruction. d may be the register of an operand.
func (l legaliser) steps(o amd64.Op, d, v amd64.Z, x amd64.Arg, imm int) {
	switch {
	case !o.HasVEX(), o == amd64.VPERMD && x.IsMem():
	case o.Shifts() && x.IsMem():
		l.YI(o, d, v, amd64.R(l.register(o, x, d)), imm)
		return
	default:
		l.YI(o, d, v, l.spreadOut(o, x, step0), imm)
		return
	}
	switch o {
	case amd64.VMOVDQU64:
		l.Y(amd64.VMOVDQU, d, 0, x)
	case amd64.VPBROADCASTG:
		l.X(amd64.VMOVD, d, 0, x)
		l.Y(amd64.VPBROADCASTD, d, 0, amd64.R(d))
	case amd64.VPERMD: // of 16 words in memory
		l.Y(o, step0, v, x.Past(32))
		l.YI(amd64.VPSLLD, step1, 0, amd64.R(v), 28) // bit 3
		l.Y(o, d, v, x)
		l.YBlend(d, d, amd64.R(step0), step1)
	case amd64.VPMOVDW: // from d to x
		l.Y(amd64.VPANDD, step0, d, l.words(0xFFFF))
		l.Y(amd64.VPACKUSDW, step0, step0, amd64.R(step0))
		l.YI(amd64.VPERMQ, x.Reg(), 0, amd64.R(step0), 0x08)
	case amd64.VEXTRACTHALF:
		l.YI(amd64.VEXTRACT128, d, 0, x, imm)
	case amd64.VINSERTHALF:
		l.YI(amd64.VINSERT128, d, v, x, imm)
	case amd64.VPMOVM2D:
		l.Y(amd64.VMOVDQU, d, 0, amd64.R(vectorOf(amd64.K(x.Reg()))))
	case amd64.VCVTUDQ2PS: // both halves are exact, and so is the product
		z := l.register(o, x, step1)
		l.YI(amd64.VPSRLD, step0, 0, amd64.R(z), 16)
		l.Y(amd64.VPANDD, step1, z, l.words(0xFFFF))
		l.Y(amd64.VCVTDQ2PS, step0, 0, amd64.R(step0))
		l.Y(amd64.VCVTDQ2PS, step1, 0, amd64.R(step1))
		l.Y(amd64.VMULPS, step0, step0, l.words(0x47800000))
		l.Y(amd64.VADDPS, d, step0, amd64.R(step1))
	case amd64.VCVTTPS2UDQ: // of what is neither negative nor a NaN
		z := l.register(o, x, step2)
		l.YI(amd64.VCMPPS, step0, z, l.words(0x4F000000), 29)
		l.Y(amd64.VPANDD, step1, step0, l.words(0x4F000000))
		l.Y(amd64.VSUBPS, step1, z, amd64.R(step1))
		l.Y(amd64.VCVTTPS2DQ, step1, 0, amd64.R(step1))
		l.YI(amd64.VPSLLD, step0, 0, amd64.R(step0), 31)
		l.Y(amd64.VPXORD, step1, step1, amd64.R(step0))
		l.YI(amd64.VCMPPS, step0, z, l.words(0x4F800000), 29)
		l.Y(amd64.VPORD, d, step1, amd64.R(step0))
	case amd64.VCVTUDQ2PD:
		l.Y(amd64.VPMOVZXDQ, d, 0, x)
		l.Y(amd64.VPORD, d, d, l.Pool(bits2p52))
		l.Y(amd64.VSUBPD, d, d, l.Pool(bits2p52))
	case amd64.VCVTTPD2UDQ: // of what is not negative; all ones for NaNs
		z := l.register(o, x, step0)
		l.Y(amd64.VMINPD, step0, z, l.Pool(bits2p32minus1))
		l.YI(amd64.VRNDSCALEPD, step0, 0, amd64.R(step0), 11)
		l.Y(amd64.VADDPD, step0, step0, l.Pool(bits2p52))
		l.YI(amd64.VEXTRACT128, step0, 0, amd64.R(step1), 1)
		l.XI(amd64.VSHUFPS, d, step0, amd64.R(step1), 0x88)
	case amd64.VCVTQQ2PD, amd64.VCVTUQQ2PD: // high and low words are exact, and the sum is rounded
		z := l.register(o, x, step1)
		high, less := z, uint64(bits2p84p52)
		if o == amd64.VCVTQQ2PD {
			l.Y(amd64.VPXORD, step0, z, l.Pool(1<<63))
			high, less = step0, bits2p84p63p52
		}
		l.YI(amd64.VPSRLQ, step0, 0, amd64.R(high), 32)
		l.Y(amd64.VPORD, step0, step0, l.Pool(bits2p84))
		l.Y(amd64.VSUBPD, step0, step0, l.Pool(less))
		l.YI(amd64.VPBLENDD, step1, z, l.Pool(bits2p52), 0xAA)
		l.Y(amd64.VADDPD, d, step0, amd64.R(step1))
	case amd64.VPMULLQ:
		z := l.register(o, x, step2)
		l.YI(amd64.VPSRLQ, step0, 0, amd64.R(v), 32)
		l.Y(amd64.VPMULUDQ, step0, step0, amd64.R(z))
		l.YI(amd64.VPSRLQ, step1, 0, amd64.R(z), 32)
		l.Y(amd64.VPMULUDQ, step1, step1, amd64.R(v))
		l.Y(amd64.VPADDQ, step0, step0, amd64.R(step1))
		l.YI(amd64.VPSLLQ, step0, 0, amd64.R(step0), 32)
		l.Y(amd64.VPMULUDQ, step1, v, amd64.R(z))
		l.Y(amd64.VPADDQ, d, step0, amd64.R(step1))
	case amd64.VPSRAVQ: // the sign goes down with the others, and is taken off above
		z := l.register(o, x, step2)
		l.Y(amd64.VMOVDQU, step0, 0, l.Pool(1<<63))
		l.Y(amd64.VPSRLVQ, step0, step0, amd64.R(z))
		l.Y(amd64.VPSRLVQ, step1, v, amd64.R(z))
		l.Y(amd64.VPXORD, step1, step1, amd64.R(step0))
		l.Y(amd64.VPSUBQ, d, step1, amd64.R(step0))
	case amd64.VPLZCNTD: // from the exponent, which rounding does not reach without the second one
		z := l.register(o, x, step1)
		l.YI(amd64.VPSRLD, step0, 0, amd64.R(z), 1)
		l.Y(amd64.VPANDN, step0, step0, amd64.R(z))
		l.Y(amd64.VCVTDQ2PS, step0, 0, amd64.R(step0))
		l.YI(amd64.VPSRLD, step0, 0, amd64.R(step0), 23)
		l.Y(amd64.VMOVDQU, step1, 0, l.words(158))
		l.Y(amd64.VPSUBD, step0, step1, amd64.R(step0))
		l.Y(amd64.VPMAXSD, step0, step0, l.words(0))
		l.Y(amd64.VPMINSD, d, step0, l.words(32))
	case amd64.VPOPCNTD:
		z := l.register(o, x, step1)
		l.YI(amd64.VPSRLD, step0, 0, amd64.R(z), 1)
		l.Y(amd64.VPANDD, step0, step0, l.words(0x55555555))
		l.Y(amd64.VPSUBD, step0, z, amd64.R(step0))
		l.YI(amd64.VPSRLD, step1, 0, amd64.R(step0), 2)
		l.Y(amd64.VPANDD, step1, step1, l.words(0x33333333))
		l.Y(amd64.VPANDD, step0, step0, l.words(0x33333333))
		l.Y(amd64.VPADDD, step0, step0, amd64.R(step1))
		l.YI(amd64.VPSRLD, step1, 0, amd64.R(step0), 4)
		l.Y(amd64.VPADDD, step0, step0, amd64.R(step1))
		l.Y(amd64.VPANDD, step0, step0, l.words(0x0F0F0F0F))
		l.Y(amd64.VPMADDUBSW, step0, step0, l.words(0x01010101))
		l.Y(amd64.VPMADDWD, d, step0, l.words(0x00010001))
	default:
		l.fail = true
	}
}

// scatter stores the lanes of k, one after the other.
func (l legaliser) scatter(z amd64.Z, to amd64.Arg, k amd64.K) {
	const from, where = frameTemps, frameTemps + 32
	word := amd64.R12
	if to.Base() == word {
		word = amd64.R11
	}
	l.Y(amd64.VMOVDQUTo, to.Offsets(), 0, amd64.M(regFrame, where))
	l.Y(amd64.VMOVDQUTo, z, 0, amd64.M(regFrame, from))
	l.YSigns(amd64.RAX, vectorOf(k))
	l.eachBit(func() {
		l.At(amd64.Loads(4), word, regFrame, amd64.RCX, 2, from)
		l.At(amd64.Loads(4), amd64.RCX, regFrame, amd64.RCX, 2, where)
		l.At(amd64.Stores(4), word, to.Base(), amd64.RCX, 0, 0)
	})
}
