package amd64

import (
	"fmt"
	"strings"
)

// A form is how an instruction's operands stand in the text, the last one first, as
// AT&T syntax has them.
type form uint8

const (
	formRVX   form = iota // x, v, reg
	formRX                // x, reg
	formXR                // reg, x: a store
	formKVX               // x, v, mask
	formKX                // x, mask
	formRK                // mask, reg
	formVX                // immediate, x, reg
	formHalf              // reg, ymm x: narrows, or the upper half of a source
	formWide              // ymm x, reg
	formHalfR             // reg narrows to a ymm register
	formEach              // memory of each lane
	formInsert
	formQuarter     // reg, xmm x: narrows
	formQuarterWide // xmm x, reg
)

// table has every operation of the encoder, and what a disassembler calls it.
var table = []struct {
	name string
	op   Op
	form form
	imm  int
}{
	{"vmovdqu32", VMOVDQU, formRX, -1}, {"vmovdqu32", VMOVDQUTo, formXR, -1}, {"vmovdqu64", VMOVDQU64, formRX, -1}, {"vmovdqu64", VMOVDQU64To, formXR, -1}, {"vpermd", VPERMD, formRVX, -1},
	{"vpermt2b", VPERMT2B, formRVX, -1}, {"vpermt2d", VPERMT2D, formRVX, -1}, {"vptestmd", VPTESTMD, formKVX, -1}, {"vpblendmb", VPBLENDMB, formRVX, -1}, {"vpmovb2m", VPMOVB2M, formKX, -1}, {"vpternlogq", VPTERNLOGQ, formRVX, 0xD8},
	{"vpmovdb", VPMOVDB, formQuarter, -1}, {"vpmovzxbd", VPMOVZXBD, formQuarterWide, -1},
	{"vaddps", VADDPS, formRVX, -1}, {"vmulps", VMULPS, formRVX, -1}, {"vsubps", VSUBPS, formRVX, -1}, {"vdivps", VDIVPS, formRVX, -1}, {"vmaxps", VMAXPS, formRVX, -1}, {"vminps", VMINPS, formRVX, -1},
	{"vsqrtps", VSQRTPS, formRX, -1}, {"vrndscaleps", VRNDSCALEPS, formRX, 9}, {"vrangeps", VRANGEPS, formRVX, 4}, {"vcmpps", VCMPPS, formKVX, 0x21},
	{"vfmadd213ps", VFMADD213PS, formRVX, -1}, {"vscalefps", VSCALEFPS, formRVX, -1}, {"vfmadd231ps", VFMADD231PS, formRVX, -1}, {"vcvttps2dq", VCVTTPS2DQ, formRX, -1}, {"vcvttps2udq", VCVTTPS2UDQ, formRX, -1},
	{"vcvtdq2ps", VCVTDQ2PS, formRX, -1}, {"vcvtudq2ps", VCVTUDQ2PS, formRX, -1}, {"vcvtps2ph", VCVTPS2PH, formHalf, 0}, {"vcvtph2ps", VCVTPH2PS, formWide, -1},
	{"vpaddd", VPADDD, formRVX, -1}, {"vpsubd", VPSUBD, formRVX, -1}, {"vpmulld", VPMULLD, formRVX, -1}, {"vpmaddwd", VPMADDWD, formRVX, -1}, {"vpmuludq", VPMULUDQ, formRVX, -1}, {"vpmuldq", VPMULDQ, formRVX, -1},
	{"vpandd", VPANDD, formRVX, -1}, {"vpord", VPORD, formRVX, -1}, {"vpxord", VPXORD, formRVX, -1}, {"vpminsd", VPMINSD, formRVX, -1}, {"vpminud", VPMINUD, formRVX, -1},
	{"vpmaxsd", VPMAXSD, formRVX, -1}, {"vpmaxud", VPMAXUD, formRVX, -1}, {"vpsllvd", VPSLLVD, formRVX, -1}, {"vpsrlvd", VPSRLVD, formRVX, -1}, {"vpsravd", VPSRAVD, formRVX, -1},
	{"vpslld", VPSLLD, formVX, 5}, {"vpsrld", VPSRLD, formVX, 5}, {"vpsrad", VPSRAD, formVX, 5}, {"vpsllq", VPSLLQ, formVX, 5}, {"vpsrlq", VPSRLQ, formVX, 5}, {"vpsraq", VPSRAQ, formVX, 5},
	{"vplzcntd", VPLZCNTD, formRX, -1}, {"vpopcntd", VPOPCNTD, formRX, -1}, {"vpshufd", VPSHUFD, formRX, 0xA0}, {"vpcmpd", VPCMPD, formKVX, 0x21}, {"vpcmpud", VPCMPUD, formKVX, 0x21},
	{"vpblendmd", VPBLENDMD, formRVX, -1}, {"vpmovdw", VPMOVDW, formHalf, -1}, {"vpmovzxwd", VPMOVZXWD, formWide, -1}, {"vpmovm2d", VPMOVM2D, formRK, -1}, {"vpmovd2m", VPMOVD2M, formKX, -1},
	{"vpgatherdd", VPGATHERDD, formEach, -1}, {"vpgatherdq", VPGATHERDQ, formEach, -1}, {"vpscatterdd", VPSCATTERDD, formEach, -1},
	{"vaddpd", VADDPD, formRVX, -1}, {"vmulpd", VMULPD, formRVX, -1}, {"vsubpd", VSUBPD, formRVX, -1}, {"vminpd", VMINPD, formRVX, -1}, {"vdivpd", VDIVPD, formRVX, -1}, {"vmaxpd", VMAXPD, formRVX, -1},
	{"vsqrtpd", VSQRTPD, formRX, -1}, {"vrndscalepd", VRNDSCALEPD, formRX, 9}, {"vcmppd", VCMPPD, formKVX, 0x21}, {"vfmadd213pd", VFMADD213PD, formRVX, -1}, {"vfmadd231pd", VFMADD231PD, formRVX, -1},
	{"vpaddq", VPADDQ, formRVX, -1}, {"vpsubq", VPSUBQ, formRVX, -1}, {"vpandq", VPANDQ, formRVX, -1}, {"vporq", VPORQ, formRVX, -1}, {"vpxorq", VPXORQ, formRVX, -1}, {"vpmullq", VPMULLQ, formRVX, -1},
	{"vpsllvq", VPSLLVQ, formRVX, -1}, {"vpsrlvq", VPSRLVQ, formRVX, -1}, {"vpsravq", VPSRAVQ, formRVX, -1}, {"vpcmpq", VPCMPQ, formKVX, 0x21}, {"vpcmpuq", VPCMPUQ, formKVX, 0x21},
	{"vpblendmq", VPBLENDMQ, formRVX, -1}, {"vptestmq", VPTESTMQ, formKVX, -1}, {"vpermi2d", VPERMI2D, formRVX, -1},
	{"vcvtqq2pd", VCVTQQ2PD, formRX, -1}, {"vcvtuqq2pd", VCVTUQQ2PD, formRX, -1}, {"vcvtps2pd", VCVTPS2PD, formWide, -1}, {"vcvtpd2ps", VCVTPD2PS, formHalfR, -1},
	{"vcvtdq2pd", VCVTDQ2PD, formWide, -1}, {"vcvtudq2pd", VCVTUDQ2PD, formWide, -1}, {"vcvttpd2dq", VCVTTPD2DQ, formHalfR, -1}, {"vcvtpd2dq", VCVTPD2DQ, formHalfR, -1}, {"vcvttpd2udq", VCVTTPD2UDQ, formHalfR, -1},
	{"vpmovzxdq", VPMOVZXDQ, formWide, -1}, {"vextracti32x8", VEXTRACTHALF, formHalf, 1}, {"vinserti32x8", VINSERTHALF, formInsert, 1},
}

// bases are the general registers, by the names of their 64 bits.
var bases = []G{RAX, RCX, RDX, RBX, RSI, RDI, R8, R9, R10, R11, R12, R13, R15}

var generalNames = map[G]string{RAX: "rax", RCX: "rcx", RDX: "rdx", RBX: "rbx", RSI: "rsi", RDI: "rdi", R8: "r8", R9: "r9", R10: "r10", R11: "r11", R12: "r12", R13: "r13", R15: "r15"}

// evexInstructions are all operations on 512 bits, with random registers, masks and displacements.
func evexInstructions() (l listing) {
	hex := func(d int) string {
		switch {
		case d == 0:
			return ""
		case d < 0:
			return fmt.Sprintf("-0x%x", -d)
		}
		return fmt.Sprintf("0x%x", d)
	}
	for _, row := range table {
		r := seeded("evex", row.name, row.form)
		for range 24 {
			reg, v, k := Z(r.IntN(32)), Z(r.IntN(32)), K(1+r.IntN(7))
			masked, zero := r.IntN(2) == 0, false
			var x Arg
			text := ""
			vector := "zmm"
			if row.form == formHalf || row.form == formWide || row.form == formInsert {
				vector = "ymm"
			}
			if row.form == formQuarter || row.form == formQuarterWide {
				vector = "xmm"
			}
			switch z := Z(r.IntN(32)); {
			case row.form == formEach:
				g := bases[r.IntN(len(bases))]
				index := "zmm"
				if row.op.w == 1 { // eight
					index = "ymm"
				}
				x, text = Each(g, z), fmt.Sprintf("(%%%s,%%%s%d,1)", generalNames[g], index, z)
				if reg == z { // not allowed
					reg = (reg + 1) % 32
				}
				masked = true
			case r.IntN(2) == 0 || row.form == formKX || row.form == formHalf || row.form == formQuarter || row.form == formInsert || row.form == formVX:
				x, text = R(z), fmt.Sprintf("%%%s%d", vector, z)
			default:
				g := bases[r.IntN(len(bases))]
				d := []int{0, 64, -64, 128, 4096, 12, 1 << 20, 8, 32 * 127}[r.IntN(9)]
				x, text = M(g, d), fmt.Sprintf("%s(%%%s)", hex(d), generalNames[g])
				if r.IntN(2) == 0 && vector == "zmm" && row.form != formXR && row.op != VMOVDQU && row.op != VMOVDQU64 && row.op != VMOVDQU64To && row.op != VPSHUFD && row.op != VPBLENDMD && row.op != VPERMT2B && row.op != VPBLENDMB && row.op != VPMADDWD {
					n := 16
					if row.op.w == 1 {
						n = 8
					}
					x, text = All(g, d), fmt.Sprintf("%s{1to%d}", text, n)
				}
			}
			mask := ""
			if masked && row.form != formRK && row.form != formKX {
				mask = fmt.Sprintf("{%%k%d}", k)
				if zero = r.IntN(2) == 0 && row.form != formXR && row.form != formKVX && row.form != formEach && !((row.form == formHalf || row.form == formQuarter) && x.mem); zero {
					mask += "{z}"
				}
			} else {
				k = 0
			}
			imm := ""
			if row.imm >= 0 {
				imm = fmt.Sprintf("$0x%x,", row.imm)
			}
			to := fmt.Sprintf("%%zmm%d%s", reg, mask)
			operands := ""
			switch row.form {
			case formRVX, formInsert:
				operands = fmt.Sprintf("%s,%%zmm%d,%s", text, v, to)
			case formRX, formWide, formQuarterWide:
				v, operands = 0, text+","+to
			case formVX:
				v, operands = 0, text+","+to
			case formXR, formHalf, formQuarter:
				v, operands = 0, fmt.Sprintf("%%zmm%d,%s%s", reg, text, mask)
			case formHalfR:
				v, operands = 0, text+","+strings.Replace(to, "zmm", "ymm", 1)
			case formKVX:
				reg %= 8
				operands = fmt.Sprintf("%s,%%zmm%d,%%k%d%s", text, v, reg, mask)
			case formKX:
				reg, v = reg%8, 0
				operands = fmt.Sprintf("%s,%%k%d", text, reg)
			case formRK:
				x, v = KArg(K(v%8)), 0
				operands = fmt.Sprintf("%%k%d,%%zmm%d", x.reg, reg)
			case formEach:
				v, operands = 0, text+","+to
				if row.op == VPSCATTERDD {
					operands = fmt.Sprintf("%%zmm%d,%s%s", reg, text, mask)
				}
			}
			l.emit(row.op, reg, v, x, k, zero, row.imm)
			l.add("%s %s%s", row.name, imm, operands)
		}
	}
	for z := range Z(32) {
		g := bases[int(z)%len(bases)]
		name := generalNames[g] + "d"
		if g < R8 {
			name = "e" + generalNames[g][1:]
		}
		l.VPEXTRD(g, z, 2)
		l.add("vpextrd $0x2,%%xmm%d,%%%s", z, name)
	}
	return l
}
