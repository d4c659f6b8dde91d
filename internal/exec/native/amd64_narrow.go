//go:build amd64 || arm64

package native

import "github.com/pumice-gpu/pumice/internal/exec/amd64"

// Vectors of 256 bits. Emitters write for the wider ones, and the methods below, which stand
// before the encoder's, say in AVX2 what each such instruction is: masks are vectors of zeros
// and ones, a word for all lanes is spread first unless it is a constant, and what is missing
// takes steps. Registers of steps are names, see scratch.

// vectorMask names a vector register as a mask.
func vectorMask(z amd64.Z) amd64.K { return amd64.K(z) + vectorMasks }

const vectorMasks = 1 << 8

// maskZ is the register of a mask.
func (e *emitter) maskZ(k amd64.K) amd64.Z {
	switch {
	case k >= vectorMasks:
		return amd64.Z(k - vectorMasks)
	case k == maskAll:
		return e.existing()
	}
	return stepMasks + amd64.Z(k-firstMaskName)
}

// maskArg is a mask as a last operand.
func (e *emitter) maskArg(k amd64.K) amd64.Arg { return amd64.R(e.maskZ(k)) }

// words is a constant of 32 bits in every lane.
func (e *emitter) words(x uint32) amd64.Arg { return e.Pool(uint64(x) | uint64(x)<<32) }

// y and yi write an instruction of 256 bits, x and xi one of 128, with registers for names.
func (e *emitter) y(o amd64.Op, d, v amd64.Z, x amd64.Arg) { e.yi(o, d, v, x, -1) }
func (e *emitter) yi(o amd64.Op, d, v amd64.Z, x amd64.Arg, imm int) {
	e.Asm.YI(o, d, v, x, imm)
}
func (e *emitter) x(o amd64.Op, d, v amd64.Z, x amd64.Arg) { e.xi(o, d, v, x, -1) }
func (e *emitter) xi(o amd64.Op, d, v amd64.Z, x amd64.Arg, imm int) {
	e.Asm.XI(o, d, v, x, imm)
}

// blend sets d to x in the lanes of k, else to v.
func (e *emitter) blend(d, v amd64.Z, x amd64.Arg, k amd64.K) {
	m := e.maskZ(k)
	e.Asm.YBlend(d, v, x, m)
}

// spreadOut is an operand with a word for every lane: what is one word goes to a register.
func (e *emitter) spreadOut(o amd64.Op, x amd64.Arg, to amd64.Z) amd64.Arg {
	if !x.IsAll() || x.IsPool() {
		return x
	}
	if o.Wide() {
		e.y(amd64.VPBROADCASTQ, to, 0, x.One())
	} else {
		e.y(amd64.VPBROADCASTD, to, 0, x.One())
	}
	return amd64.R(to)
}

// register is an operand in a register.
func (e *emitter) register(o amd64.Op, x amd64.Arg, to amd64.Z) amd64.Z {
	if x = e.spreadOut(o, x, to); x.IsMem() {
		e.y(amd64.VMOVDQU, to, 0, x)
		return to
	}
	return x.Reg()
}

// V writes d = o(v, x).
func (e *emitter) V(o amd64.Op, d, v amd64.Z, x amd64.Arg) { e.VI(o, d, v, x, -1) }

// Mov1 is V without a second operand.
func (e *emitter) Mov1(o amd64.Op, d amd64.Z, x amd64.Arg) { e.VI(o, d, 0, x, -1) }

// VI is V with an immediate.
func (e *emitter) VI(o amd64.Op, d, v amd64.Z, x amd64.Arg, imm int) {
	switch {
	case !e.vectors.narrow:
		if imm < 0 {
			e.Asm.V(o, d, v, x)
		} else {
			e.Asm.VI(o, d, v, x, imm)
		}
	case !o.HasVEX():
		e.steps(o, d, v, x, imm)
	case (o == amd64.VPBROADCASTD || o == amd64.VPBROADCASTQ) && x.IsPool():
		e.y(amd64.VMOVDQU, d, 0, x)
	case o == amd64.VPBROADCASTD || o == amd64.VPBROADCASTQ:
		e.y(o, d, v, x)
	case o == amd64.VMOVDQU64:
		e.y(amd64.VMOVDQU, d, v, x)
	case o.Shifts() && x.IsMem():
		e.yi(o, d, v, amd64.R(e.register(o, x, d)), imm)
	default:
		e.yi(o, d, v, e.spreadOut(o, x, step0), imm)
	}
}

// VHalf narrows x to the lower half of d, and VHalfI has an immediate.
func (e *emitter) VHalf(o amd64.Op, x, d amd64.Z) { e.VHalfI(o, x, d, -1) }

func (e *emitter) VHalfI(o amd64.Op, x, d amd64.Z, imm int) {
	switch {
	case !e.vectors.narrow && imm < 0:
		e.Asm.VHalf(o, x, d)
	case !e.vectors.narrow:
		e.Asm.VHalfI(o, x, d, imm)
	case o == amd64.VPMOVDW:
		e.V(amd64.VPANDD, step0, x, e.words(0xFFFF))
		e.y(amd64.VPACKUSDW, step0, step0, amd64.R(step0))
		e.yi(amd64.VPERMQ, d, 0, amd64.R(step0), 0x08)
	default:
		if o == amd64.VEXTRACTHALF {
			o = amd64.VEXTRACT128
		}
		e.yi(o, x, 0, amd64.R(d), imm)
	}
}

// VK writes o in the lanes of k; the others keep what d, or the memory, has.
func (e *emitter) VK(o amd64.Op, d, v amd64.Z, x amd64.Arg, k amd64.K) {
	switch {
	case !e.vectors.narrow:
		e.Asm.VK(o, d, v, x, k)
	case o == amd64.VMOVDQUTo && (x.Base() == regFrame || x.Base() == regRow):
		e.storeLanes(d, x, k, true)
	case o == amd64.VMOVDQUTo:
		e.y(amd64.VPMASKMOVDTo, d, e.maskZ(k), x)
	case o == amd64.VMOVDQU || o == amd64.VMOVDQU64:
		e.blend(d, d, e.spreadOut(o, x, step0), k)
	case o == amd64.VPBROADCASTD || o == amd64.VPBROADCASTQ:
		e.blend(d, d, e.spreadOut(o, x.Every(), step0), k)
	case o == amd64.VPGATHERDD || o == amd64.VPGATHERDQ:
		e.y(amd64.VMOVDQU, step1, 0, e.maskArg(k))
		e.y(o, d, step1, x)
	case o == amd64.VPSCATTERDD:
		e.scatter(d, x, k)
	default:
		e.V(o, step1, v, x)
		e.blend(d, d, amd64.R(step1), k)
	}
}

// VZ writes o in the lanes of k; the others become zero. Memory is the thread's own in all of them.
func (e *emitter) VZ(o amd64.Op, d, v amd64.Z, x amd64.Arg, k amd64.K) {
	switch {
	case !e.vectors.narrow:
		e.Asm.VZ(o, d, v, x, k)
	case o == amd64.VMOVDQU && x.IsMem():
		e.y(amd64.VMOVDQU, step0, 0, x)
		e.y(amd64.VPANDD, d, step0, e.maskArg(k))
	case o == amd64.VMOVDQU:
		e.y(amd64.VPANDD, d, x.Reg(), e.maskArg(k))
	case o == amd64.VPBROADCASTD || o == amd64.VPBROADCASTQ:
		e.y(amd64.VPANDD, d, e.maskZ(k), e.spreadOut(o, x.Every(), step0))
	default:
		e.V(o, d, v, x)
		e.y(amd64.VPANDD, d, d, e.maskArg(k))
	}
}

// V2K sets d to x in the lanes of k, else to v (VPBLENDMD).
func (e *emitter) V2K(o amd64.Op, d, v amd64.Z, x amd64.Arg, k amd64.K) {
	if !e.vectors.narrow {
		e.Asm.V2K(o, d, v, x, k)
		return
	}
	e.blend(d, v, e.spreadOut(o, x, step0), k)
}

// ToMask sets mask d to a comparison of v and x in the lanes of k, all where that is 0.
func (e *emitter) ToMask(o amd64.Op, d amd64.K, v amd64.Z, x amd64.Arg, predicate int, k amd64.K) {
	if !e.vectors.narrow {
		e.Asm.ToMask(o, d, v, x, predicate, k)
		return
	}
	to := e.maskZ(d)
	t := to
	if k != 0 {
		t = step1
	}
	opposite := false
	switch o {
	case amd64.VCMPPS, amd64.VCMPPD:
		e.yi(o, t, v, e.spreadOut(o, x, step0), predicate)
	case amd64.VPTESTMQ: // of one bit
		x = e.spreadOut(o, x, step0)
		e.y(amd64.VPANDD, step1, v, x)
		e.y(amd64.VPCMPEQQ, t, step1, x)
	case amd64.VPCMPUQ: // as signed ones, half the range away
		sign := e.Pool(1 << 63)
		e.y(amd64.VPXORQ, step0, e.register(o, x, step0), sign)
		e.y(amd64.VPXORQ, step1, v, sign)
		v, x = step1, amd64.R(step0)
		fallthrough
	case amd64.VPCMPD, amd64.VPCMPQ:
		equal, greater := amd64.VPCMPEQD, amd64.VPCMPGTD
		if o.Wide() {
			equal, greater = amd64.VPCMPEQQ, amd64.VPCMPGTQ
		}
		switch predicate {
		case 0, 4: // equal or not
			e.y(equal, t, v, e.spreadOut(o, x, step0))
		case 1, 5: // less or not
			e.y(greater, t, e.register(o, x, step0), amd64.R(v))
		default: // not greater
			e.y(greater, t, v, e.spreadOut(o, x, step0))
		}
		opposite = predicate == 2 || predicate == 4 || predicate == 5
	case amd64.VPCMPUD: // the greater one is v, or the lesser one
		by := amd64.VPMAXUD
		if predicate == 2 {
			by = amd64.VPMINUD
		}
		e.y(by, step1, v, e.spreadOut(o, x, step0))
		e.y(amd64.VPCMPEQD, t, step1, amd64.R(v))
		opposite = predicate == 1
	default:
		e.fail = true
	}
	switch {
	case k == 0 && opposite:
		e.y(amd64.VPXORD, to, t, e.words(1<<32-1))
	case k != 0 && opposite:
		e.y(amd64.VPANDN, to, t, e.maskArg(k))
	case k != 0:
		e.y(amd64.VPANDD, to, t, e.maskArg(k))
	}
}

// logic writes d = x by y on masks.
func (e *emitter) logic(by amd64.Op, d, x, y amd64.K) {
	if x == maskAll { // in memory, which the last operand may be
		x, y = y, x
	}
	z := e.maskZ(x)
	e.y(by, e.maskZ(d), z, e.maskArg(y))
}

func (e *emitter) KAND(d, x, y amd64.K) {
	if !e.vectors.narrow {
		e.Asm.KAND(d, x, y)
		return
	}
	e.logic(amd64.VPANDD, d, x, y)
}

func (e *emitter) KOR(d, x, y amd64.K) {
	if !e.vectors.narrow {
		e.Asm.KOR(d, x, y)
		return
	}
	e.logic(amd64.VPORD, d, x, y)
}

func (e *emitter) KXOR(d, x, y amd64.K) {
	if !e.vectors.narrow {
		e.Asm.KXOR(d, x, y)
		return
	}
	e.logic(amd64.VPXORD, d, x, y)
}

// KANDN sets d to y without x.
func (e *emitter) KANDN(d, x, y amd64.K) {
	if !e.vectors.narrow {
		e.Asm.KANDN(d, x, y)
		return
	}
	z := e.maskZ(x)
	e.y(amd64.VPANDN, e.maskZ(d), z, e.maskArg(y))
}

// KMOV sets d to x.
func (e *emitter) KMOV(d, x amd64.K) {
	if !e.vectors.narrow {
		e.Asm.KMOV(d, x)
		return
	}
	e.y(amd64.VMOVDQU, e.maskZ(d), 0, e.maskArg(x))
}

// KLOAD and KSTORE move a mask from and to its slot.
func (e *emitter) KLOAD(d amd64.K, m amd64.Arg) {
	if !e.vectors.narrow {
		e.Asm.KLOAD(d, m)
		return
	}
	e.y(amd64.VMOVDQU, e.maskZ(d), 0, m)
}

func (e *emitter) KSTORE(m amd64.Arg, k amd64.K) {
	if !e.vectors.narrow {
		e.Asm.KSTORE(m, k)
		return
	}
	e.y(amd64.VMOVDQUTo, e.maskZ(k), 0, m)
}

// KTEST sets the zero flag where k is empty, and the carry flag where it is full.
func (e *emitter) KTEST(k, _ amd64.K) {
	if !e.vectors.narrow {
		e.Asm.KTEST(k, k)
		return
	}
	e.y(amd64.VPTEST, e.maskZ(k), 0, e.words(1<<32-1))
}

// KTO sets d to the lanes of k as bits.
func (e *emitter) KTO(d amd64.G, k amd64.K) {
	if !e.vectors.narrow {
		e.Asm.KTO(d, k)
		return
	}
	e.Asm.YSigns(d, e.maskZ(k))
}

// KUNPCK sets d to the lanes of y, then those of x, which are masks of halves.
func (e *emitter) KUNPCK(d, x, y amd64.K) {
	if !e.vectors.narrow {
		e.Asm.KUNPCK(d, x, y)
		return
	}
	e.lowWords(e.maskZ(d), e.maskZ(y), amd64.R(e.maskZ(x)))
}

// lowWords sets d to the low words of numbers of 64 bits, those in a before those in b.
func (e *emitter) lowWords(d, a amd64.Z, b amd64.Arg) { e.pickWords(d, a, b, 0x88) }

func (e *emitter) pickWords(d, a amd64.Z, b amd64.Arg, which int) {
	e.yi(amd64.VSHUFPS, d, a, b, which)
	e.yi(amd64.VPERMQ, d, 0, amd64.R(d), 0xD8)
}

// MovLow stores the first lane of z, VMOVDGeneral moves it to a general register, and
// BroadcastGeneral sets all lanes to one; lane2 moves the third lane of z.
func (e *emitter) MovLow(m amd64.Arg, z amd64.Z) {
	if !e.vectors.narrow {
		e.Asm.MovLow(m, z)
		return
	}
	e.XLow4To(m, z)
}

func (e *emitter) VMOVDGeneral(d amd64.G, z amd64.Z) {
	if !e.vectors.narrow {
		e.Asm.VMOVDGeneral(d, z)
		return
	}
	e.XTo(d, z)
}

func (e *emitter) lane2(d amd64.G, z amd64.Z) {
	if !e.vectors.narrow {
		e.VPEXTRD(d, z, 2)
		return
	}
	e.xi(amd64.VPSHUFD, step0, 0, amd64.R(z), 2)
	e.XTo(d, step0)
}

func (e *emitter) BroadcastGeneral(z amd64.Z, g amd64.G) {
	if !e.vectors.narrow {
		e.Asm.BroadcastGeneral(z, g)
		return
	}
	e.XFrom(z, g)
	e.y(amd64.VPBROADCASTD, z, 0, amd64.R(z))
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
func (e *emitter) steps(o amd64.Op, d, v amd64.Z, x amd64.Arg, imm int) {
	switch o {
	case amd64.VEXTRACTHALF:
		e.yi(amd64.VEXTRACT128, d, 0, x, imm)
	case amd64.VINSERTHALF:
		e.yi(amd64.VINSERT128, d, v, x, imm)
	case amd64.VPMOVM2D: // x has the mask's number
		e.y(amd64.VMOVDQU, d, 0, e.maskArg(amd64.K(x.Reg())))
	case amd64.VPMOVD2M: // so has d
		e.y(amd64.VMOVDQU, e.maskZ(amd64.K(d)), 0, x)
	case amd64.VPMOVQ2M:
		e.y(amd64.VPXORD, step0, step0, amd64.R(step0))
		e.y(amd64.VPCMPGTQ, e.maskZ(amd64.K(d)), step0, x)
	case amd64.VCVTUDQ2PS: // both halves are exact, and so is the product
		z := e.register(o, x, step1)
		e.yi(amd64.VPSRLD, step0, 0, amd64.R(z), 16)
		e.y(amd64.VPANDD, step1, z, e.words(0xFFFF))
		e.y(amd64.VCVTDQ2PS, step0, 0, amd64.R(step0))
		e.y(amd64.VCVTDQ2PS, step1, 0, amd64.R(step1))
		e.y(amd64.VMULPS, step0, step0, e.words(0x47800000))
		e.y(amd64.VADDPS, d, step0, amd64.R(step1))
	case amd64.VCVTTPS2UDQ: // of what is neither negative nor a NaN
		z := e.register(o, x, step2)
		e.yi(amd64.VCMPPS, step0, z, e.words(0x4F000000), 29)
		e.y(amd64.VPANDD, step1, step0, e.words(0x4F000000))
		e.y(amd64.VSUBPS, step1, z, amd64.R(step1))
		e.y(amd64.VCVTTPS2DQ, step1, 0, amd64.R(step1))
		e.yi(amd64.VPSLLD, step0, 0, amd64.R(step0), 31)
		e.y(amd64.VPXORD, step1, step1, amd64.R(step0))
		e.yi(amd64.VCMPPS, step0, z, e.words(0x4F800000), 29)
		e.y(amd64.VPORD, d, step1, amd64.R(step0))
	case amd64.VCVTUDQ2PD:
		e.y(amd64.VPMOVZXDQ, d, 0, x)
		e.y(amd64.VPORD, d, d, e.Pool(bits2p52))
		e.y(amd64.VSUBPD, d, d, e.Pool(bits2p52))
	case amd64.VCVTTPD2UDQ: // of what is not negative; all ones for NaNs
		z := e.register(o, x, step0)
		e.y(amd64.VMINPD, step0, z, e.Pool(bits2p32minus1))
		e.yi(amd64.VRNDSCALEPD, step0, 0, amd64.R(step0), 11)
		e.y(amd64.VADDPD, step0, step0, e.Pool(bits2p52))
		e.yi(amd64.VEXTRACT128, step0, 0, amd64.R(step1), 1)
		e.xi(amd64.VSHUFPS, d, step0, amd64.R(step1), 0x88)
	case amd64.VCVTQQ2PD, amd64.VCVTUQQ2PD: // high and low words are exact, and the sum is rounded
		z := e.register(o, x, step1)
		high, less := z, uint64(bits2p84p52)
		if o == amd64.VCVTQQ2PD {
			e.y(amd64.VPXORD, step0, z, e.Pool(1<<63))
			high, less = step0, bits2p84p63p52
		}
		e.yi(amd64.VPSRLQ, step0, 0, amd64.R(high), 32)
		e.y(amd64.VPORD, step0, step0, e.Pool(bits2p84))
		e.y(amd64.VSUBPD, step0, step0, e.Pool(less))
		e.yi(amd64.VPBLENDD, step1, z, e.Pool(bits2p52), 0xAA)
		e.y(amd64.VADDPD, d, step0, amd64.R(step1))
	case amd64.VPMULLQ:
		z := e.register(o, x, step2)
		e.yi(amd64.VPSRLQ, step0, 0, amd64.R(v), 32)
		e.y(amd64.VPMULUDQ, step0, step0, amd64.R(z))
		e.yi(amd64.VPSRLQ, step1, 0, amd64.R(z), 32)
		e.y(amd64.VPMULUDQ, step1, step1, amd64.R(v))
		e.y(amd64.VPADDQ, step0, step0, amd64.R(step1))
		e.yi(amd64.VPSLLQ, step0, 0, amd64.R(step0), 32)
		e.y(amd64.VPMULUDQ, step1, v, amd64.R(z))
		e.y(amd64.VPADDQ, d, step0, amd64.R(step1))
	case amd64.VPSRAVQ: // the sign goes down with the others, and is taken off above
		z := e.register(o, x, step2)
		e.y(amd64.VMOVDQU, step0, 0, e.Pool(1<<63))
		e.y(amd64.VPSRLVQ, step0, step0, amd64.R(z))
		e.y(amd64.VPSRLVQ, step1, v, amd64.R(z))
		e.y(amd64.VPXORD, step1, step1, amd64.R(step0))
		e.y(amd64.VPSUBQ, d, step1, amd64.R(step0))
	case amd64.VPLZCNTD: // from the exponent, which rounding does not reach without the second one
		z := e.register(o, x, step1)
		e.yi(amd64.VPSRLD, step0, 0, amd64.R(z), 1)
		e.y(amd64.VPANDN, step0, step0, amd64.R(z))
		e.y(amd64.VCVTDQ2PS, step0, 0, amd64.R(step0))
		e.yi(amd64.VPSRLD, step0, 0, amd64.R(step0), 23)
		e.y(amd64.VMOVDQU, step1, 0, e.words(158))
		e.y(amd64.VPSUBD, step0, step1, amd64.R(step0))
		e.y(amd64.VPMAXSD, step0, step0, e.words(0))
		e.y(amd64.VPMINSD, d, step0, e.words(32))
	case amd64.VPOPCNTD:
		z := e.register(o, x, step1)
		e.yi(amd64.VPSRLD, step0, 0, amd64.R(z), 1)
		e.y(amd64.VPANDD, step0, step0, e.words(0x55555555))
		e.y(amd64.VPSUBD, step0, z, amd64.R(step0))
		e.yi(amd64.VPSRLD, step1, 0, amd64.R(step0), 2)
		e.y(amd64.VPANDD, step1, step1, e.words(0x33333333))
		e.y(amd64.VPANDD, step0, step0, e.words(0x33333333))
		e.y(amd64.VPADDD, step0, step0, amd64.R(step1))
		e.yi(amd64.VPSRLD, step1, 0, amd64.R(step0), 4)
		e.y(amd64.VPADDD, step0, step0, amd64.R(step1))
		e.y(amd64.VPANDD, step0, step0, e.words(0x0F0F0F0F))
		e.y(amd64.VPMADDUBSW, step0, step0, e.words(0x01010101))
		e.y(amd64.VPMADDWD, d, step0, e.words(0x00010001))
	default:
		e.fail = true
	}
}

// scatter stores the lanes of k, one after the other.
func (e *emitter) scatter(z amd64.Z, to amd64.Arg, k amd64.K) {
	const from, where = frameTemps, frameTemps + 32
	word := amd64.R12
	if to.Base() == word {
		word = amd64.R11
	}
	e.y(amd64.VMOVDQUTo, to.Offsets(), 0, amd64.M(regFrame, where))
	e.y(amd64.VMOVDQUTo, z, 0, amd64.M(regFrame, from))
	e.eachLane(k, func() {
		e.LoadAt(word, regFrame, amd64.RCX, 2, from, 4)
		e.LoadAt(amd64.RCX, regFrame, amd64.RCX, 2, where, 4)
		e.StoreAt(word, to.Base(), amd64.RCX, 0, 0, 4)
	})
}

// eachLane writes a loop over the lanes of k, from the lowest on, with their number in RCX. It
// takes RAX.
func (e *emitter) eachLane(k amd64.K, f func()) {
	loop, done := e.NewLabel(), e.NewLabel()
	e.KTO(amd64.RAX, k)
	e.TESTQ(amd64.RAX, amd64.RAX)
	e.JIf(amd64.IfZero, done)
	e.Here(loop)
	e.TZCNT(amd64.RCX, amd64.RAX)
	f()
	e.BLSR(amd64.RAX, amd64.RAX)
	e.JIf(amd64.IfNotZero, loop)
	e.Here(done)
}

// minMax256 is minMax where none of the operands settles it.
func (e *emitter) minMax256(greater bool, d amd64.Z, a, b amd64.Arg) {
	o, fa, fb := extremes[greater], e.floats[0], e.floats[1]
	if fb&isNumber == 0 {
		a, b, fa, fb = b, a, fb, fa
	}
	e.ordered(o.by, amd64.VCMPPS, greater, d, e.in(a, scratch0), e.in(b, scratch1), fb&isNumber != 0)
	if (fa|fb)&isNumber == 0 {
		e.ToMask(amd64.VCMPPS, maskStep2, d, amd64.R(d), 3, 0)
		e.VK(amd64.VPBROADCASTD, d, 0, e.constant(constNaN).One(), maskStep2)
	}
}

// ordered sets d to the lesser or greater one of x and y: the other one where one is a NaN. Where
// they are equal, bits of both, or of either, choose between zeros.
func (e *emitter) ordered(by, compare amd64.Op, greater bool, d, x, y amd64.Z, number bool) {
	if !number {
		e.yi(compare, step1, y, amd64.R(y), 3)
		e.blend(step1, y, amd64.R(x), vectorMask(step1))
		y = step1
	}
	e.yi(compare, step0, x, amd64.R(y), 0)
	e.y(by, step1, x, amd64.R(y))
	if greater {
		e.y(amd64.VANDNPS, step0, x, amd64.R(step0))
		e.y(amd64.VANDNPS, d, step0, amd64.R(step1))
		return
	}
	e.y(amd64.VANDPS, step0, x, amd64.R(step0))
	e.y(amd64.VORPS, d, step1, amd64.R(step0))
}

// loadLanes loads d in the lanes of k; the others become zero, and memory of theirs is not looked at.
func (e *emitter) loadLanes(d amd64.Z, at amd64.Arg, k amd64.K) {
	if !e.vectors.narrow {
		e.VZ(amd64.VMOVDQU, d, 0, at, k)
		return
	}
	some, on := e.NewLabel(), e.NewLabel()
	if k == maskAll {
		e.CMPQMem(regStrip, amd64.M(regFrame, frameTailAt))
		e.JIf(amd64.IfZero, some)
	} else {
		e.KTEST(k, k)
		e.JIf(amd64.IfNotBelow, some)
	}
	e.y(amd64.VMOVDQU, d, 0, at) // a masked load waits much longer
	e.Here(on)
	e.outOfLine(func() {
		e.Here(some)
		e.y(amd64.VPMASKMOVD, d, e.maskZ(k), at)
		e.JMP(on)
	})
}

// storeLanes stores z in the lanes of k: memory that other threads may use, too, only there.
func (e *emitter) storeLanes(z amd64.Z, at amd64.Arg, k amd64.K, own bool) {
	switch {
	case !e.vectors.narrow:
		e.VK(amd64.VMOVDQUTo, z, 0, at, k)
	case own:
		e.y(amd64.VMOVDQU, step0, 0, at)
		e.blend(step0, step0, amd64.R(z), k)
		e.y(amd64.VMOVDQUTo, step0, 0, at)
	default: // masked stores are slow
		some := e.NewLabel()
		on := e.NewLabel()
		e.KTEST(k, k)
		e.JIf(amd64.IfNotBelow, some)
		e.y(amd64.VMOVDQUTo, z, 0, at)
		e.Here(on)
		e.outOfLine(func() {
			e.Here(some)
			e.y(amd64.VPMASKMOVDTo, z, e.maskZ(k), at)
			e.JMP(on)
		})
	}
}

// output256 stores z at RAX in the lanes of k. But for the last strip all of that memory is the
// batch's own.
func (e *emitter) output256(z amd64.Z, k amd64.K) {
	at := e.lanesAt(amd64.RAX)
	last, on := e.NewLabel(), e.NewLabel()
	if !e.r.places { // which are whole
		e.CMPQMem(regStrip, amd64.M(regFrame, frameTailAt))
		e.JIf(amd64.IfZero, last)
	}
	if k == maskAll {
		e.y(amd64.VMOVDQUTo, z, 0, at)
	} else {
		e.storeLanes(z, at, k, true)
	}
	if e.r.places {
		return
	}
	e.Here(on)
	e.outOfLine(func() {
		e.Here(last)
		e.y(amd64.VPMASKMOVDTo, z, e.maskZ(k), at)
		e.JMP(on)
	})
}

// loadPair256 is loadPair behind R12: pairs of 64 bits, four lanes at a time, where all are
// there and side by side.
func (e *emitter) loadPair256(x *Operands, first, second amd64.Z, limit amd64.Arg, to [2]amd64.Z, each, done int) {
	e.y(amd64.VPADDD, scratch2, first, e.constant(constI4))
	e.y(amd64.VPMAXUD, scratch3, first, amd64.R(second))
	e.ToMask(amd64.VPCMPUD, maskStep2, scratch3, limit.Every(), 1, maskAll)
	if len(x.Args) == 2 {
		e.ToMask(amd64.VPCMPD, maskStep3, second, amd64.R(scratch2), 0, maskAll)
		e.KAND(maskStep2, maskStep2, maskStep3)
	}
	e.KXOR(maskStep2, maskStep2, maskAll)
	e.KTEST(maskStep2, 0)
	e.JIf(amd64.IfNotZero, each)
	e.yi(amd64.VEXTRACT128, first, 0, amd64.R(scratch3), 1)
	for half, z := range [2]amd64.Z{scratch4, scratch5} {
		e.y(amd64.VPMOVSXDQ, step1, 0, amd64.M(regFrame, frameAll+e.partAt()+16*half))
		e.y(amd64.VPXORD, z, z, amd64.R(z))
		e.y(amd64.VPGATHERDQ, z, step1, amd64.Each(amd64.R12, [2]amd64.Z{first, scratch3}[half]))
	}
	e.takeApart(to[0], scratch4, scratch5, 0)
	e.takeApart(to[1], scratch4, scratch5, 1)
	e.outOfLine(func() {
		e.Here(each)
		e.loadApart(first, second, limit, to)
		e.JMP(done)
	})
}
