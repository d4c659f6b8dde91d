package arm64

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
)

// threes and twos have every operation on three and on two vectors, and what a
// disassembler prints, with the numbers of registers d, n and m left out.
var threes = map[Op]string{
	ADD4S: "add v.4s, v.4s, v.4s", SUB4S: "sub v.4s, v.4s, v.4s", MUL4S: "mul v.4s, v.4s, v.4s", SMIN4S: "smin v.4s, v.4s, v.4s", SMAX4S: "smax v.4s, v.4s, v.4s",
	UMIN4S: "umin v.4s, v.4s, v.4s", UMAX4S: "umax v.4s, v.4s, v.4s", SSHL4S: "sshl v.4s, v.4s, v.4s", USHL4S: "ushl v.4s, v.4s, v.4s",
	CMEQ4S: "cmeq v.4s, v.4s, v.4s", CMGT4S: "cmgt v.4s, v.4s, v.4s", CMGE4S: "cmge v.4s, v.4s, v.4s", CMHI4S: "cmhi v.4s, v.4s, v.4s", CMHS4S: "cmhs v.4s, v.4s, v.4s",
	CMTST4S: "cmtst v.4s, v.4s, v.4s",
	AND:     "and v.16b, v.16b, v.16b", BIC: "bic v.16b, v.16b, v.16b", ORR: "orr v.16b, v.16b, v.16b", EOR: "eor v.16b, v.16b, v.16b",
	BSL: "bsl v.16b, v.16b, v.16b", BIT: "bit v.16b, v.16b, v.16b", BIF: "bif v.16b, v.16b, v.16b",
	FADD4S: "fadd v.4s, v.4s, v.4s", FSUB4S: "fsub v.4s, v.4s, v.4s", FMUL4S: "fmul v.4s, v.4s, v.4s", FDIV4S: "fdiv v.4s, v.4s, v.4s", FMLA4S: "fmla v.4s, v.4s, v.4s",
	FMAXNM4S: "fmaxnm v.4s, v.4s, v.4s", FMINNM4S: "fminnm v.4s, v.4s, v.4s", FCMEQ4S: "fcmeq v.4s, v.4s, v.4s", FCMGE4S: "fcmge v.4s, v.4s, v.4s", FCMGT4S: "fcmgt v.4s, v.4s, v.4s",
	TRN14S: "trn1 v.4s, v.4s, v.4s", TRN24S: "trn2 v.4s, v.4s, v.4s", UZP14S: "uzp1 v.4s, v.4s, v.4s", UZP24S: "uzp2 v.4s, v.4s, v.4s", ZIP14S: "zip1 v.4s, v.4s, v.4s", ZIP24S: "zip2 v.4s, v.4s, v.4s",
	UMULL2D: "umull v.2d, v.2s, v.2s", UMULL22D: "umull2 v.2d, v.4s, v.4s", SMULL2D: "smull v.2d, v.2s, v.2s", SMULL22D: "smull2 v.2d, v.4s, v.4s",
	ADD2D: "add v.2d, v.2d, v.2d", SUB2D: "sub v.2d, v.2d, v.2d", SSHL2D: "sshl v.2d, v.2d, v.2d", USHL2D: "ushl v.2d, v.2d, v.2d",
	CMGT2D: "cmgt v.2d, v.2d, v.2d", CMGE2D: "cmge v.2d, v.2d, v.2d", CMHI2D: "cmhi v.2d, v.2d, v.2d", CMHS2D: "cmhs v.2d, v.2d, v.2d", CMTST2D: "cmtst v.2d, v.2d, v.2d",
	FADD2D: "fadd v.2d, v.2d, v.2d", FSUB2D: "fsub v.2d, v.2d, v.2d", FMUL2D: "fmul v.2d, v.2d, v.2d", FDIV2D: "fdiv v.2d, v.2d, v.2d", FMLA2D: "fmla v.2d, v.2d, v.2d",
	FMAXNM2D: "fmaxnm v.2d, v.2d, v.2d", FMINNM2D: "fminnm v.2d, v.2d, v.2d", FCMEQ2D: "fcmeq v.2d, v.2d, v.2d", FCMGE2D: "fcmge v.2d, v.2d, v.2d", FCMGT2D: "fcmgt v.2d, v.2d, v.2d",
}

var twos = map[Op]string{
	NEG4S: "neg v.4s, v.4s", NOT: "mvn v.16b, v.16b", CLZ4S: "clz v.4s, v.4s", CNT: "cnt v.16b, v.16b", RBIT: "rbit v.16b, v.16b", REV4S: "rev32 v.16b, v.16b",
	UADDLP8H: "uaddlp v.8h, v.16b", UADDLP4S: "uaddlp v.4s, v.8h", CMEQ04S: "cmeq v.4s, v.4s, #0", CMLT04S: "cmlt v.4s, v.4s, #0",
	FCMGT04S: "fcmgt v.4s, v.4s, #0.0", FCMLT04S: "fcmlt v.4s, v.4s, #0.0", FABS4S: "fabs v.4s, v.4s", FNEG4S: "fneg v.4s, v.4s", FSQRT4S: "fsqrt v.4s, v.4s",
	FRINTN4S: "frintn v.4s, v.4s", FRINTM4S: "frintm v.4s, v.4s", FRINTP4S: "frintp v.4s, v.4s", FRINTZ4S: "frintz v.4s, v.4s",
	FCVTZS4S: "fcvtzs v.4s, v.4s", FCVTZU4S: "fcvtzu v.4s, v.4s", SCVTF4S: "scvtf v.4s, v.4s", UCVTF4S: "ucvtf v.4s, v.4s",
	FCVTN4H: "fcvtn v.4h, v.4s", FCVTL4S: "fcvtl v.4s, v.4h", XTN4H: "xtn v.4h, v.4s", UXTL4S: "ushll v.4s, v.4h, #0", ADDV4S: "addv s, v.4s",
	NEG2D: "neg v.2d, v.2d", CMLT02D: "cmlt v.2d, v.2d, #0", FCMEQ02D: "fcmeq v.2d, v.2d, #0.0", FABS2D: "fabs v.2d, v.2d", FNEG2D: "fneg v.2d, v.2d", FSQRT2D: "fsqrt v.2d, v.2d", FRINTN2D: "frintn v.2d, v.2d", FRINTM2D: "frintm v.2d, v.2d", FRINTP2D: "frintp v.2d, v.2d", FRINTZ2D: "frintz v.2d, v.2d",
	FCVTZS2D: "fcvtzs v.2d, v.2d", FCVTZU2D: "fcvtzu v.2d, v.2d", SCVTF2D: "scvtf v.2d, v.2d", UCVTF2D: "ucvtf v.2d, v.2d",
	FCVTN2S: "fcvtn v.2s, v.2d", FCVTN24S: "fcvtn2 v.4s, v.2d", FCVTL2D: "fcvtl v.2d, v.2s", FCVTL22D: "fcvtl2 v.2d, v.4s",
	SQXTN2S: "sqxtn v.2s, v.2d", SQXTN24S: "sqxtn2 v.4s, v.2d", UQXTN2S: "uqxtn v.2s, v.2d", UQXTN24S: "uqxtn2 v.4s, v.2d",
	SXTL2D: "sshll v.2d, v.2s, #0", SXTL22D: "sshll2 v.2d, v.4s, #0", UXTL2D: "ushll v.2d, v.2s, #0", UXTL22D: "ushll2 v.2d, v.4s, #0",
}

var moves = map[Op]string{
	LDRQ: "ldr q", STRQ: "str q", LDRD: "ldr d", STRD: "str d", LDRS: "ldr s", STRS: "str s", LDRX: "ldr x", STRX: "str x", LDRW: "ldr w", STRW: "str w", LDRH: "ldrh w", STRH: "strh w", LDRB: "ldrb w", STRB: "strb w",
}

// randomInstructions are all forms with random registers and constants.
func randomInstructions() (l listing) {
	r := rand.New(rand.NewPCG(1, 2))
	reg := regexp.MustCompile(`\b(v\.|s,)`)
	numbered := func(text string, regs ...V) string {
		i := 0
		return reg.ReplaceAllStringFunc(text, func(r string) string { i++; return fmt.Sprintf("%c%d%c", r[0], regs[i-1], r[1]) })
	}
	general := func() G { return G(r.IntN(29)) }
	for range 20 {
		d, n, m := V(r.IntN(32)), V(r.IntN(32)), V(r.IntN(32))
		for op, text := range inOrder(threes) {
			if l.V3(op, d, n, m); op == ORR && n == m {
				text = "mov v.16b, v.16b"
			}
			l.add("%s", numbered(text, d, n, m))
		}
		for op, text := range inOrder(twos) {
			l.V2(op, d, n)
			l.add("%s", numbered(text, d, n))
		}
		by := 1 + r.IntN(31)
		for op, name := range inOrder(map[Op]string{SHL4S: "shl", SSHR4S: "sshr", USHR4S: "ushr"}) {
			l.Shift(op, d, n, by)
			l.add("%s v%d.4s, v%d.4s, #%d", name, d, n, by)
		}
		far := 1 + r.IntN(63)
		for op, name := range inOrder(map[Op]string{SHL2D: "shl", SSHR2D: "sshr"}) {
			l.Shift(op, d, n, far)
			l.add("%s v%d.2d, v%d.2d, #%d", name, d, n, far)
		}
		l.MOV(d, n)
		l.add("mov v%d.16b, v%d.16b", d, n)
		shift, x := 8*r.IntN(4), byte(1+r.IntN(255))
		l.MOVI(d, x, shift)
		if lsl := fmt.Sprintf(", lsl #%d", shift); shift > 0 {
			l.add("movi v%d.4s, #%d%s", d, x, lsl)
		} else {
			l.add("movi v%d.4s, #%d", d, x)
		}
		word, pair, g, h, k, c := r.IntN(4), r.IntN(2), general(), general(), general(), general()
		l.DUP4S(d, n, word)
		l.add("dup v%d.4s, v%d.s[%d]", d, n, word)
		l.DUP2D(d, n, pair)
		l.add("dup v%d.2d, v%d.d[%d]", d, n, pair)
		l.DUPG4S(d, g)
		l.add("dup v%d.4s, w%d", d, g)
		l.INSG4S(d, word, g)
		l.add("mov v%d.s[%d], w%d", d, word, g)
		l.INSG2D(d, pair, g)
		l.add("mov v%d.d[%d], x%d", d, pair, g)
		l.UMOV4S(g, n, word)
		l.add("mov w%d, v%d.s[%d]", g, n, word)
		l.UMOV2D(g, n, pair)
		l.add("mov x%d, v%d.d[%d]", g, n, pair)
		for op, text := range inOrder(moves) {
			at := (1 + r.IntN(4095)) << op.size()
			x := V(r.IntN(31))
			l.Vec(op, x, g, at)
			l.add("%s%d, [x%d, #%d]", text, x, g, at)
		}
		l.Indexed(LDRQ, d, g, h)
		l.add("ldr q%d, [x%d, x%d]", d, g, h)
		l.Indexed(LDRW, V(k), g, h)
		l.add("ldr w%d, [x%d, x%d]", k, g, h)
		l.LD1R4S(d, g)
		l.add("ld1r { v%d.4s }, [x%d]", d, g)
		l.LD1R2D(d, g)
		l.add("ld1r { v%d.2d }, [x%d]", d, g)
		l.LD14S(d, word, g)
		l.add("ld1 { v%d.s }[%d], [x%d]", d, word, g)
		l.ST14S(d, word, g)
		l.add("st1 { v%d.s }[%d], [x%d]", d, word, g)
		l.LD12D(d, pair, g)
		l.add("ld1 { v%d.d }[%d], [x%d]", d, pair, g)
		l.ST12D(d, pair, g)
		l.add("st1 { v%d.d }[%d], [x%d]", d, pair, g)
		l.PREFETCH(g, h)
		l.add("prfm pldl1keep, [x%d, x%d]", g, h)
		l.ADD(g, h, k)
		l.add("add x%d, x%d, x%d", g, h, k)
		l.SUB(g, h, k)
		l.add("sub x%d, x%d, x%d", g, h, k)
		l.SUBS(g, h, k)
		l.add("subs x%d, x%d, x%d", g, h, k)
		l.CMP(h, k)
		l.add("cmp x%d, x%d", h, k)
		l.BIC(g, h, k)
		l.add("bic x%d, x%d, x%d", g, h, k)
		l.LSL(g, h, k)
		l.add("lsl x%d, x%d, x%d", g, h, k)
		l.LSR(g, h, k)
		l.add("lsr x%d, x%d, x%d", g, h, k)
		l.ORR(g, h, k)
		l.add("orr x%d, x%d, x%d", g, h, k)
		l.MUL(g, h, k)
		l.add("mul x%d, x%d, x%d", g, h, k)
		l.MADD(g, h, k, c)
		l.add("madd x%d, x%d, x%d, x%d", g, h, k, c)
		imm := r.IntN(4096)
		l.ADDImm(g, h, imm)
		l.add("add x%d, x%d, #%d", g, h, imm)
		l.CMNImm(g, imm)
		l.add("cmn x%d, #%d", g, imm)
		l.ADDShifted(g, h, k, by)
		l.add("add x%d, x%d, x%d, lsl #%d", g, h, k, by)
		for cond, name := range inOrder(map[uint32]string{Equal: "eq", NotEqual: "ne", NotBelow: "hs", Below: "lo", Negative: "mi"}) {
			l.CSEL(g, h, k, cond)
			l.add("csel x%d, x%d, x%d, %s", g, h, k, name)
			label := l.NewLabel()
			l.Here(label)
			l.JIf(cond, label)
			l.add("b.%s #0", name)
		}
		from := 1 + r.IntN(40)
		l.Bits(g, h, from, 5)
		l.add("ubfx x%d, x%d, #%d, #5", g, h, from)
		back, on := l.NewLabel(), l.NewLabel()
		l.Here(back)
		l.JMP(on)
		l.add("b #16")
		l.CBZ(g, on)
		l.add("cbz x%d, #12", g)
		l.CBNZ(g, on)
		l.add("cbnz x%d, #8", g)
		l.ADR(g, back)
		l.add("adr x%d, #-12", g)
		l.Here(on)
		l.BR(g)
		l.add("br x%d", g)
		l.Return()
		l.add("ret")
	}
	return l
}

// Jumps reach 1 MiB; code that needs more is refused.
func TestAsm_FarJump(t *testing.T) {
	for _, n := range []int{1<<18 - 1, 1 << 18} {
		var a Asm
		far := a.NewLabel()
		a.CBZ(0, far)
		for range n - 1 {
			a.Return()
		}
		a.Here(far)
		if _, err := a.Finish(); (err != nil) != (n == 1<<18) {
			t.Errorf("over %d instructions: %v", n, err)
		}
	}
}
