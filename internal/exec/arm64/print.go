package arm64

import (
	"fmt"
	"strings"
	"sync"
)

// Operations that no caller names: registers and constants are left out.
const (
	movi     Op = 0x0F000400 // of half a vector: SSHR4S would be its double
	dup4s    Op = 0x4E040400
	dup2d    Op = 0x4E080400
	dupg     Op = 0x4E040C00
	dupg2d   Op = 0x4E080C00
	ext      Op = 0x6E000000
	tbl      Op = 0x4E000000
	ins4s    Op = 0x4E041C00
	ins2d    Op = 0x4E081C00
	umov4s   Op = 0x0E043C00
	umov2d   Op = 0x4E083C00
	ld1r4s   Op = 0x4D40C800
	ld1r2d   Op = 0x4D40CC00
	ld14s    Op = 0x0D408000
	st14s    Op = 0x0D008000
	ld12d    Op = 0x0D408400
	st12d    Op = 0x0D008400
	literal  Op = 0x9C000000
	prfm     Op = 0xF8A06800
	movz     Op = 0xD2800000
	movn     Op = 0x92800000
	movk     Op = 0xF2800000
	compare  Op = 0xEB00001F
	compareW Op = 0x6B00001F
	mrs      Op = 0xD53B4400
	msr      Op = 0xD51B4400
	addImm   Op = 0x91000000
	cmnImm   Op = 0xB100001F
	csel     Op = 0x9A800000
	ubfx     Op = 0xD3400000
	jmp      Op = 0x14000000
	jumpIf   Op = 0x54000000
	cbz      Op = 0xB4000000
	cbnz     Op = 0xB5000000
	adr      Op = 0x10000000
	br       Op = 0xD61F0000
	ret      Op = 0xD65F03C0
)

// texts are the operations as a disassembler prints them: of registers V is a vector, Q, D and S
// what of one is moved, X and W a general one, in the fields d, n and m of an instruction; i is its
// constant, and L a label.
var texts = sync.OnceValue(func() map[Op]string {
	return map[Op]string{
		ADD4S: "add Vd.4s, Vn.4s, Vm.4s", SUB4S: "sub Vd.4s, Vn.4s, Vm.4s",
		MUL4S: "mul Vd.4s, Vn.4s, Vm.4s", SMIN4S: "smin Vd.4s, Vn.4s, Vm.4s",
		SMAX4S: "smax Vd.4s, Vn.4s, Vm.4s", UMIN4S: "umin Vd.4s, Vn.4s, Vm.4s",
		UMAX4S: "umax Vd.4s, Vn.4s, Vm.4s", SSHL4S: "sshl Vd.4s, Vn.4s, Vm.4s",
		USHL4S: "ushl Vd.4s, Vn.4s, Vm.4s", CMEQ4S: "cmeq Vd.4s, Vn.4s, Vm.4s",
		CMGT4S: "cmgt Vd.4s, Vn.4s, Vm.4s", CMGE4S: "cmge Vd.4s, Vn.4s, Vm.4s",
		CMHI4S: "cmhi Vd.4s, Vn.4s, Vm.4s", CMHS4S: "cmhs Vd.4s, Vn.4s, Vm.4s",
		CMTST4S: "cmtst Vd.4s, Vn.4s, Vm.4s", AND: "and Vd.16b, Vn.16b, Vm.16b",
		BIC: "bic Vd.16b, Vn.16b, Vm.16b", ORR: "orr Vd.16b, Vn.16b, Vm.16b",
		EOR: "eor Vd.16b, Vn.16b, Vm.16b", BSL: "bsl Vd.16b, Vn.16b, Vm.16b",
		BIT: "bit Vd.16b, Vn.16b, Vm.16b", BIF: "bif Vd.16b, Vn.16b, Vm.16b",
		FADD4S: "fadd Vd.4s, Vn.4s, Vm.4s", FSUB4S: "fsub Vd.4s, Vn.4s, Vm.4s",
		FMUL4S: "fmul Vd.4s, Vn.4s, Vm.4s", FDIV4S: "fdiv Vd.4s, Vn.4s, Vm.4s",
		FMLA4S: "fmla Vd.4s, Vn.4s, Vm.4s", FMAXNM4S: "fmaxnm Vd.4s, Vn.4s, Vm.4s",
		FMINNM4S: "fminnm Vd.4s, Vn.4s, Vm.4s", FCMEQ4S: "fcmeq Vd.4s, Vn.4s, Vm.4s",
		FCMGE4S: "fcmge Vd.4s, Vn.4s, Vm.4s", FCMGT4S: "fcmgt Vd.4s, Vn.4s, Vm.4s",
		TRN14S: "trn1 Vd.4s, Vn.4s, Vm.4s", TRN24S: "trn2 Vd.4s, Vn.4s, Vm.4s",
		UZP14S: "uzp1 Vd.4s, Vn.4s, Vm.4s", UZP24S: "uzp2 Vd.4s, Vn.4s, Vm.4s",
		ZIP14S: "zip1 Vd.4s, Vn.4s, Vm.4s", ZIP24S: "zip2 Vd.4s, Vn.4s, Vm.4s",
		UMULL2D: "umull Vd.2d, Vn.2s, Vm.2s", UMULL22D: "umull2 Vd.2d, Vn.4s, Vm.4s",
		SMULL2D: "smull Vd.2d, Vn.2s, Vm.2s", SMULL22D: "smull2 Vd.2d, Vn.4s, Vm.4s",
		SMULL4S: "smull Vd.4s, Vn.4h, Vm.4h", SMULL24S: "smull2 Vd.4s, Vn.8h, Vm.8h",
		ADDP4S: "addp Vd.4s, Vn.4s, Vm.4s", ADD2D: "add Vd.2d, Vn.2d, Vm.2d", SUB2D: "sub Vd.2d, Vn.2d, Vm.2d",
		SSHL2D: "sshl Vd.2d, Vn.2d, Vm.2d", USHL2D: "ushl Vd.2d, Vn.2d, Vm.2d",
		CMGT2D: "cmgt Vd.2d, Vn.2d, Vm.2d", CMGE2D: "cmge Vd.2d, Vn.2d, Vm.2d",
		CMHI2D: "cmhi Vd.2d, Vn.2d, Vm.2d", CMHS2D: "cmhs Vd.2d, Vn.2d, Vm.2d",
		CMTST2D: "cmtst Vd.2d, Vn.2d, Vm.2d", FADD2D: "fadd Vd.2d, Vn.2d, Vm.2d",
		FSUB2D: "fsub Vd.2d, Vn.2d, Vm.2d", FMUL2D: "fmul Vd.2d, Vn.2d, Vm.2d",
		FDIV2D: "fdiv Vd.2d, Vn.2d, Vm.2d", FMLA2D: "fmla Vd.2d, Vn.2d, Vm.2d",
		FMAXNM2D: "fmaxnm Vd.2d, Vn.2d, Vm.2d", FMINNM2D: "fminnm Vd.2d, Vn.2d, Vm.2d",
		FCMEQ2D: "fcmeq Vd.2d, Vn.2d, Vm.2d", FCMGE2D: "fcmge Vd.2d, Vn.2d, Vm.2d",
		FCMGT2D: "fcmgt Vd.2d, Vn.2d, Vm.2d", NEG4S: "neg Vd.4s, Vn.4s", NOT: "mvn Vd.16b, Vn.16b",
		CLZ4S: "clz Vd.4s, Vn.4s", CNT: "cnt Vd.16b, Vn.16b", RBIT: "rbit Vd.16b, Vn.16b",
		REV4S: "rev32 Vd.16b, Vn.16b", UADDLP8H: "uaddlp Vd.8h, Vn.16b",
		UADDLP4S: "uaddlp Vd.4s, Vn.8h", CMEQ04S: "cmeq Vd.4s, Vn.4s, #0",
		CMLT04S: "cmlt Vd.4s, Vn.4s, #0", FCMGT04S: "fcmgt Vd.4s, Vn.4s, #0.0",
		FCMLT04S: "fcmlt Vd.4s, Vn.4s, #0.0", FABS4S: "fabs Vd.4s, Vn.4s", FNEG4S: "fneg Vd.4s, Vn.4s",
		FSQRT4S: "fsqrt Vd.4s, Vn.4s", FRINTN4S: "frintn Vd.4s, Vn.4s",
		FRINTM4S: "frintm Vd.4s, Vn.4s", FRINTP4S: "frintp Vd.4s, Vn.4s",
		FRINTZ4S: "frintz Vd.4s, Vn.4s", FCVTZS4S: "fcvtzs Vd.4s, Vn.4s",
		FCVTZU4S: "fcvtzu Vd.4s, Vn.4s", SCVTF4S: "scvtf Vd.4s, Vn.4s", UCVTF4S: "ucvtf Vd.4s, Vn.4s",
		FCVTN4H: "fcvtn Vd.4h, Vn.4s", FCVTL4S: "fcvtl Vd.4s, Vn.4h", XTN4H: "xtn Vd.4h, Vn.4s",
		UXTL4S: "ushll Vd.4s, Vn.4h, #0", ADDV4S: "addv Sd, Vn.4s", NEG2D: "neg Vd.2d, Vn.2d",
		CMLT02D: "cmlt Vd.2d, Vn.2d, #0", FCMEQ02D: "fcmeq Vd.2d, Vn.2d, #0.0",
		FABS2D: "fabs Vd.2d, Vn.2d", FNEG2D: "fneg Vd.2d, Vn.2d", FSQRT2D: "fsqrt Vd.2d, Vn.2d",
		FRINTN2D: "frintn Vd.2d, Vn.2d", FRINTM2D: "frintm Vd.2d, Vn.2d",
		FRINTP2D: "frintp Vd.2d, Vn.2d", FRINTZ2D: "frintz Vd.2d, Vn.2d",
		FCVTZS2D: "fcvtzs Vd.2d, Vn.2d", FCVTZU2D: "fcvtzu Vd.2d, Vn.2d",
		SCVTF2D: "scvtf Vd.2d, Vn.2d", UCVTF2D: "ucvtf Vd.2d, Vn.2d", FCVTN2S: "fcvtn Vd.2s, Vn.2d",
		FCVTN24S: "fcvtn2 Vd.4s, Vn.2d", FCVTL2D: "fcvtl Vd.2d, Vn.2s",
		FCVTL22D: "fcvtl2 Vd.2d, Vn.4s", SQXTN2S: "sqxtn Vd.2s, Vn.2d",
		SQXTN24S: "sqxtn2 Vd.4s, Vn.2d", UQXTN2S: "uqxtn Vd.2s, Vn.2d",
		UQXTN24S: "uqxtn2 Vd.4s, Vn.2d", SXTL2D: "sshll Vd.2d, Vn.2s, #0",
		SXTL22D: "sshll2 Vd.2d, Vn.4s, #0", UXTL2D: "ushll Vd.2d, Vn.2s, #0",
		UXTL22D: "ushll2 Vd.2d, Vn.4s, #0", LDRQ: "ldr Qd, [Xn#]", STRQ: "str Qd, [Xn#]",
		LDRD: "ldr Dd, [Xn#]", STRD: "str Dd, [Xn#]", LDRS: "ldr Sd, [Xn#]", STRS: "str Sd, [Xn#]",
		LDRX: "ldr Xd, [Xn#]", STRX: "str Xd, [Xn#]", LDRW: "ldr Wd, [Xn#]", STRW: "str Wd, [Xn#]",
		LDRH: "ldrh Wd, [Xn#]", STRH: "strh Wd, [Xn#]", LDRB: "ldrb Wd, [Xn#]", STRB: "strb Wd, [Xn#]",
		SHL4S: "shl Vd.4s, Vn.4s, #i", SSHR4S: "sshr Vd.4s, Vn.4s, #i",
		USHR4S: "ushr Vd.4s, Vn.4s, #i", SHL2D: "shl Vd.2d, Vn.2d, #i",
		SSHR2D: "sshr Vd.2d, Vn.2d, #i", dup4s: "dup Vd.4s, Vn.s[i]", dup2d: "dup Vd.2d, Vn.d[i]",
		dupg: "dup Vd.4s, Wn", ins4s: "mov Vd.s[i], Wn", ins2d: "mov Vd.d[i], Xn",
		umov4s: "mov Wd, Vn.s[i]", umov2d: "mov Xd, Vn.d[i]", LDRQ.indexed(): "ldr Qd, [Xn, Xm]",
		STRQ.indexed(): "str Qd, [Xn, Xm]", LDRW.indexed(): "ldr Wd, [Xn, Xm]",
		ld1r4s: "ld1r { Vd.4s }, [Xn]", ld1r2d: "ld1r { Vd.2d }, [Xn]", ld14s: "ld1 { Vd.s }[i], [Xn]",
		st14s: "st1 { Vd.s }[i], [Xn]", ld12d: "ld1 { Vd.d }[i], [Xn]", st12d: "st1 { Vd.d }[i], [Xn]",
		literal: "ldr Qd, L", prfm: "prfm pldl1keep, [Xn, Xm]", movz: "mov Xd, #i", movn: "mov Xd, #~",
		movk | 1<<21: "movk Xd, #i, lsl #16", movk | 2<<21: "movk Xd, #i, lsl #32",
		movk | 3<<21: "movk Xd, #i, lsl #48", ADDX: "add Xd, Xn, Xm<", SUBX: "sub Xd, Xn, Xm",
		SUBSX: "subs Xd, Xn, Xm", compare: "cmp Xn, Xm", BICX: "bic Xd, Xn, Xm", ORRX: "orr Xd, Xn, Xm",
		LSLX: "lsl Xd, Xn, Xm", LSRX: "lsr Xd, Xn, Xm", MULX: "mul Xd, Xn, Xm",
		MADDX: "madd Xd, Xn, Xm, Xi", addImm: "add Xd, Xn, #i", cmnImm: "cmn Xn, #i",
		csel: "csel Xd, Xn, Xm, ?", ubfx: "ubfx Xd, Xn, #from", jmp: "b L", cbz: "cbz Xd, L",
		cbnz: "cbnz Xd, L", adr: "adr Xd, L", br: "br Xn", ret: "ret", jumpIf | Equal: "b.eq L",
		jumpIf | NotEqual: "b.ne L", jumpIf | NotBelow: "b.hs L", jumpIf | Below: "b.lo L",
		jumpIf | Negative: "b.mi L", jumpIf | Above: "b.hi L", jumpIf | Less: "b.lt L",
		jumpIf | Greater: "b.gt L", movi: "movi Vd.4s, #byte", dupg2d: "dup Vd.2d, Xn",
		SCVTFS: "scvtf Sd, Xn", UCVTFS: "ucvtf Sd, Xn", ext: "ext Vd.16b, Vn.16b, Vm.16b, #i",
		tbl: "tbl Vd.16b, { Vn.16b }, Vm.16b", REV644S: "rev64 Vd.4s, Vn.4s",
		FCVTXN2S: "fcvtxn Vd.2s, Vn.2d", FCVTXN24S: "fcvtxn2 Vd.4s, Vn.2d",
		compareW: "cmp Wn, Wm", ANDX: "and Xd, Xn, Xm", EORX: "eor Xd, Xn, Xm",
		UDIVX: "udiv Xd, Xn, Xm", SDIVX: "sdiv Xd, Xn, Xm", MSUBX: "msub Xd, Xn, Xm, Xi",
		mrs: "mrs Xd, FPCR", msr: "msr FPCR, Xd",
		LDAR.Sized(1): "ldarh Wd, [Xn]", LDAR.Sized(2): "ldar Wd, [Xn]",
		LDAR.Sized(3): "ldar Xd, [Xn]", STLR.Sized(1): "stlrh Wd, [Xn]",
		STLR.Sized(2): "stlr Wd, [Xn]", STLR.Sized(3): "stlr Xd, [Xn]",
		LDAXR.Sized(1): "ldaxrh Wd, [Xn]", LDAXR.Sized(2): "ldaxr Wd, [Xn]",
		LDAXR.Sized(3): "ldaxr Xd, [Xn]", STLXR.Sized(1): "stlxrh Wm, Wd, [Xn]",
		STLXR.Sized(2): "stlxr Wm, Wd, [Xn]", STLXR.Sized(3): "stlxr Wm, Xd, [Xn]",
	}
})

var conditions = [16]string{
	Equal: "eq", NotEqual: "ne", NotBelow: "hs", Below: "lo", Negative: "mi", Above: "hi",
	Less: "lt", Greater: "gt",
}

// Text is an instruction of a list, the destination first; of vector registers it has what name
// says of their numbers.
func (in *Inst) Text(name func(number V, mask bool) string) string {
	switch {
	case in.form&asLabel != 0:
		return fmt.Sprintf("L%d:", in.imm)
	case in.op == ORR && in.n == in.m:
		return fmt.Sprintf("mov %s.16b, %s.16b", name(in.d, false), name(in.n, false))
	}
	displacement, shift, left := "", "", ""
	if in.imm != 0 && in.form&asFar == 0 {
		displacement, shift = fmt.Sprintf(", #%d", in.imm), fmt.Sprintf(", lsl #%d", in.imm)
	}
	if by := in.imm >> 8; by != 0 {
		left = fmt.Sprintf(", lsl #%d", by)
	}
	tokens := []string{
		"[Xn#]", "[Xn" + displacement + "]", "Xm<", "Xm" + shift,
		"#from", fmt.Sprintf("#%d, #%d", in.imm&0xFF, in.imm>>8), "#byte",
		fmt.Sprintf("#%d%s", in.imm&0xFF, left),
		"[i]", fmt.Sprintf("[%d]", in.imm), "#i", fmt.Sprintf("#%d", in.imm), "#~",
		fmt.Sprintf("#%d", ^in.imm),
		", L", fmt.Sprintf(", L%d", in.imm), " L", fmt.Sprintf(" L%d", in.imm), "?", conditions[in.imm&15],
		"Xi", general('x', V(in.imm)),
	}
	text := strings.NewReplacer(tokens[:4]...).Replace(texts()[in.op])
	tokens = tokens[4:]
	for field, z := range map[string]V{"d": in.d, "n": in.n, "m": in.m} {
		for _, letter := range "XW" {
			tokens = append(tokens, string(letter)+field, general(letter-'A'+'a', z))
		}
		for _, letter := range "QDS" { // the register behind what it stands for
			n := name(z, false)
			at := strings.LastIndexByte(n, ':') + 1
			tokens = append(tokens, string(letter)+field, n[:at]+string(letter-'A'+'a')+n[at+1:])
		}
		tokens = append(tokens, "V"+field, name(z, false))
	}
	return strings.NewReplacer(tokens...).Replace(text)
}

// general is the name of a general register.
func general(letter rune, z V) string {
	if z == V(ZR) {
		return string(letter) + "zr"
	}
	return fmt.Sprintf("%c%d", letter, z)
}
