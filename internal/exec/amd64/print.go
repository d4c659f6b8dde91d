package amd64

import (
	"fmt"
	"strings"
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
)

// names are the operations' in lists.
var names = sync.OnceValue(func() map[Op]string {
	return map[Op]string{
		VMOVDQU: "vmovdqu", VMOVDQUTo: "vmovdqu", VADDPS: "vaddps", VMULPS: "vmulps",
		VSUBPS: "vsubps", VDIVPS: "vdivps", VMAXPS: "vmaxps", VSQRTPS: "vsqrtps",
		VRNDSCALEPS: "vrndscaleps", VRANGEPS: "vrangeps", VCMPPS: "vcmpps",
		VFMADD213PS: "vfmadd213ps", VSCALEFPS: "vscalefps", VFMADD231PS: "vfmadd231ps", VCVTTPS2DQ: "vcvttps2dq",
		VCVTTPS2UDQ: "vcvttps2udq", VCVTDQ2PS: "vcvtdq2ps", VCVTUDQ2PS: "vcvtudq2ps",
		VCVTPS2PH: "vcvtps2ph", VCVTPH2PS: "vcvtph2ps", VPADDD: "vpaddd", VPSUBD: "vpsubd",
		VPMULLD: "vpmulld", VPMULUDQ: "vpmuludq", VPMULDQ: "vpmuldq", VPANDD: "vpandd",
		VPORD: "vpord", VPXORD: "vpxord", VPMINSD: "vpminsd", VPMINUD: "vpminud",
		VPMAXSD: "vpmaxsd", VPMAXUD: "vpmaxud", VPSLLVD: "vpsllvd", VPSRLVD: "vpsrlvd",
		VPSRAVD: "vpsravd", VPSLLD: "vpslld", VPSRLD: "vpsrld", VPSRAD: "vpsrad", VPSLLQ: "vpsllq",
		VPSRLQ: "vpsrlq", VPLZCNTD: "vplzcntd", VPOPCNTD: "vpopcntd", VPSHUFD: "vpshufd",
		VPCMPD: "vpcmpd", VPCMPUD: "vpcmpud", VPBLENDMD: "vpblendmd", VPTESTMD: "vptestmd",
		VFPCLASSPS: "vfpclassps", VPMOVDW: "vpmovdw", VPMOVZXWD: "vpmovzxwd", VPMOVDB: "vpmovdb",
		VPMOVZXBD: "vpmovzxbd", VPERMD: "vpermd", VPERMT2D: "vpermt2d", VPERMT2B: "vpermt2b",
		VPBLENDMB: "vpblendmb", VPMOVB2M: "vpmovb2m", VPMOVM2D: "vpmovm2d", VPMOVD2M: "vpmovd2m",
		VPBROADCASTD: "vpbroadcastd", VMOVDTo: "vmovd", VPGATHERDD: "vpgatherdd",
		VPGATHERDQ: "vpgatherdq", VPSCATTERDD: "vpscatterdd", VADDPD: "vaddpd", VMULPD: "vmulpd",
		VSUBPD: "vsubpd", VMINPD: "vminpd", VDIVPD: "vdivpd", VMAXPD: "vmaxpd", VSQRTPD: "vsqrtpd",
		VRNDSCALEPD: "vrndscalepd", VCMPPD: "vcmppd", VFMADD213PD: "vfmadd213pd",
		VFMADD231PD: "vfmadd231pd", VPADDQ: "vpaddq", VPSUBQ: "vpsubq", VPANDQ: "vpandq",
		VPORQ: "vporq", VPXORQ: "vpxorq", VPSRAQ: "vpsraq", VPBLENDMQ: "vpblendmq", VPTESTMQ: "vptestmq",
		VPMULLQ: "vpmullq", VPSLLVQ: "vpsllvq", VPSRLVQ: "vpsrlvq",
		VPSRAVQ: "vpsravq", VPCMPQ: "vpcmpq", VPCMPUQ: "vpcmpuq", VPMOVZXDQ: "vpmovzxdq",
		VPERMI2D: "vpermi2d", VCVTUQQ2PD: "vcvtuqq2pd", VCVTQQ2PD: "vcvtqq2pd",
		VCVTPS2PD: "vcvtps2pd", VCVTPD2PS: "vcvtpd2ps", VCVTDQ2PD: "vcvtdq2pd",
		VCVTUDQ2PD: "vcvtudq2pd", VCVTTPD2DQ: "vcvttpd2dq", VCVTPD2DQ: "vcvtpd2dq",
		VCVTTPD2UDQ: "vcvttpd2udq", VPBROADCASTQ: "vpbroadcastq", VMOVDQU64: "vmovdqu64",
		VMOVDQU64To: "vmovdqu64", VEXTRACTHALF: "vextracti32x8",
		VINSERTHALF: "vinserti32x8", VPTERNLOGQ: "vpternlogq", VPANDN: "vpandn",
		VMINPS: "vminps", VPCMPEQD: "vpcmpeqd",
		VPCMPGTD: "vpcmpgtd", VPCMPEQQ: "vpcmpeqq", VPCMPGTQ: "vpcmpgtq", VPTEST: "vptest",
		VPMASKMOVD: "vpmaskmovd", VPMASKMOVDTo: "vpmaskmovd", VPMASKMOVQ: "vpmaskmovq",
		VPMASKMOVQTo: "vpmaskmovq", VEXTRACT128: "vextracti128", VINSERT128: "vinserti128",
		VPERMQ: "vpermq", VSHUFPS: "vshufps", VUNPCKLPS: "vunpcklps", VUNPCKHPS: "vunpckhps",
		VUNPCKLPD: "vunpcklpd", VUNPCKHPD: "vunpckhpd", VPBLENDD: "vpblendd",
		VPBROADCASTB: "vpbroadcastb", VPMOVSXDQ: "vpmovsxdq", VPSHUFB: "vpshufb",
		VPACKUSDW: "vpackusdw", VPMADDUBSW: "vpmaddubsw", VPMADDWD: "vpmaddwd", vpextrd: "vpextrd",
		VPBROADCASTG: "vpbroadcastd", VMOVD: "vmovd", VMOVQ: "vmovq",
		VMOVQTo: "vmovq", VPINSRD: "vpinsrd", VPINSRQ: "vpinsrq", vmovmskps: "vmovmskps",
		vblendvps: "vblendvps",
	}
})

// generals are the names of instructions on general registers, by opcode; of groups the digit comes first.
var generals = map[[2]byte]string{
	{0, 0x8B}: "mov", {0, 0x89}: "mov", {0, 0x03}: "add", {0, 0x2B}: "sub", {0, 0x33}: "xor", {0, 0x3B}: "cmp", {0, 0x23}: "and", {0, 0x0B}: "or",
	{0, 0xC7}: "mov", {0, 0x81}: "add", {5, 0x81}: "sub", {4, 0xC1}: "shl", {5, 0xC1}: "shr",
	{7, 0x83}: "cmp", {4, 0x83}: "and", {2, 0xF7}: "not",
	{0, 0x85}: "test", {0, 0xAF}: "imul", {0, 0xBC}: "tzcnt", {0, 0x88}: "movb", {7, 0x80}: "cmpb", {4, 0xFF}: "jmp",
	{1, 0x81}: "or", {4, 0x81}: "and", {6, 0x81}: "xor", {7, 0x81}: "cmp", {5, 0xC1}: "shr",
	{7, 0xC1}: "sar", {4, 0xD3}: "shl", {5, 0xD3}: "shr", {7, 0xD3}: "sar", {0, 0x69}: "imul",
	{3, 0xF7}: "neg", {0, 0xBD}: "bsr", {0, 0xB8}: "popcnt",
}

// masks are the names of instructions on mask registers, and of those on bits, by opcode.
var masks = map[byte]string{
	0x41: "kand", 0x42: "kandn", 0x45: "kor", 0x46: "kxnor", 0x47: "kxor", 0x4B: "kunpck", 0x44: "knot", 0x90: "kmov", 0x91: "kmov", 0x92: "kmov", 0x93: "kmov",
	0x30: "kshr", 0x98: "kortest", 0xF5: "pext", 0xF3: "blsr",
}

var conditions = [16]string{
	2: "b", 3: "ae", 4: "z", 5: "nz", 6: "be", 7: "a", 8: "s", 12: "l", 14: "le", 15: "g",
}

var generalRegisters = [16]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}

// Text is an instruction of a list, the destination first; of vector registers and masks it has what name says of their numbers.
func (in *Inst) Text(name func(number Z, mask bool) string) string {
	var list []string
	add := func(s string) { list = append(list, s) }
	imm := func(op string) string {
		if in.Imm >= 0 {
			add(fmt.Sprintf("0x%x", in.Imm))
		}
		return op + " " + strings.Join(list, ", ")
	}
	switch in.encoding {
	case asLabel:
		return fmt.Sprintf("L%d:", in.Imm)
	case asJump:
		return fmt.Sprintf("jmp L%d", in.Imm)
	case asJumpIf:
		return fmt.Sprintf("j%s L%d", conditions[in.bits], in.Imm)
	case asAddress:
		return fmt.Sprintf("lea %s, L%d", generalRegisters[in.Reg], in.Imm)
	case asReturn:
		return "vzeroupper; ret"
	case asRaw:
		return fmt.Sprintf("%d bytes", in.V)
	case asREX:
		op := in.Op.op
		digit := byte(0)
		switch op {
		case 0x81, 0xC1, 0xD3, 0x83, 0xF7, 0x80, 0xFF, 0xC7:
			digit = byte(in.Reg)
		case 0x89, 0x88: // to memory
			add(in.X.text(name))
			add(generalRegisters[in.Reg])
		default:
			add(generalRegisters[in.Reg])
		}
		if in.X.mem && op != 0x89 && op != 0x88 {
			add(in.X.text(name))
		} else if !in.X.mem {
			add(generalRegisters[in.X.reg])
		}
		if in.bits > 0 {
			add(fmt.Sprintf("0x%x", uint32(in.Imm)))
		}
		name := generals[[2]byte{digit, op}]
		if op&0xF0 == 0x40 {
			name = "cmov" + conditions[op&15]
		}
		return name + " " + strings.Join(list, ", ")
	}
	memory := func(to bool) {
		if in.X.mem && to == (in.Op.does&storesLast != 0) {
			add(in.X.text(name))
		}
	}
	memory(true)
	var u mir.Uses
	in.operands(&u)
	for _, o := range u.Of[:u.N] {
		s := ""
		if o.General {
			s = generalRegisters[o.Number]
		} else {
			s = name(o.Number, o.Mask)
		}
		if o.Lanes {
			s = "{" + s + "}"
			if in.Zero {
				s += "z"
			}
		}
		add(s)
	}
	memory(false)
	if in.encoding == asMask || in.encoding == asVEXG {
		return imm(masks[in.Op.op])
	}
	return imm(names()[in.Op])
}

// text is an operand in memory.
func (a Arg) text(name func(Z, bool) string) string {
	switch {
	case a.label != 0:
		return fmt.Sprintf("[L%d+%d]", a.label-1, a.disp)
	case a.index != 0:
		return fmt.Sprintf("[%s+%s]", generalRegisters[a.reg], name(a.index-1, false))
	}
	s := fmt.Sprintf("[%s+0x%x]", generalRegisters[a.reg], a.disp)
	if a.all {
		s += " for all"
	}
	return s
}
