package arm64

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// ofForm are the operations whose text has so many vectors and nothing else.
func ofForm(t string) map[Op]string {
	found := map[Op]string{}
	for op, text := range texts() {
		if regexp.MustCompile(t).MatchString(text) {
			found[op] = text
		}
	}
	return found
}

// randomInstructions are all forms with random registers and constants.
func randomInstructions() (l listing) {
	r := rand.New(rand.NewPCG(1, 2))
	numbered := func(text string, d, n, m V) string {
		v := func(z V) string { return fmt.Sprint("v", z) }
		return strings.NewReplacer("Vd", v(d), "Vn", v(n), "Vm", v(m), "Sd", fmt.Sprint("s", d)).Replace(text)
	}
	threes := ofForm(`^\w+ Vd\.\w+, Vn\.\w+, Vm\.\w+$`)
	twos := ofForm(`^\w+ [VS]d(\.\w+)?, Vn\.\w+(, #0(\.0)?)?$`)
	moves := map[Op]string{}
	for op, text := range ofForm(`\[Xn#\]$`) {
		moves[op], _, _ = strings.Cut(text, "d, ")
		moves[op] = strings.ToLower(moves[op])
	}
	if len(threes) != 64 || len(twos) != 57 || len(moves) != 14 {
		panic(fmt.Sprint(len(threes), " operations on three vectors, ", len(twos), " on two, ", len(moves), " moves"))
	}
	general := func() G { return G(r.IntN(29)) }
	for range 20 {
		d, n, m := V(r.IntN(32)), V(r.IntN(32)), V(r.IntN(32))
		for op, text := range inOrder(threes) {
			if l.V3(op, d, n, m); op == ORR && n == m {
				text = "mov Vd.16b, Vn.16b"
			}
			l.add("%s", numbered(text, d, n, m))
		}
		for op, text := range inOrder(twos) {
			l.V2(op, d, n)
			l.add("%s", numbered(text, d, n, 0))
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
		l.DUPG2D(d, g)
		l.add("dup v%d.2d, x%d", d, g)
		l.EXT(d, n, m, by&15)
		l.add("ext v%d.16b, v%d.16b, v%d.16b, #%d", d, n, m, by&15)
		l.TBL(d, n, m)
		l.add("tbl v%d.16b, { v%d.16b }, v%d.16b", d, n, m)
		for op, name := range inOrder(map[Op]string{LDAR: "ldar", STLR: "stlr", LDAXR: "ldaxr"}) {
			for log, form := range []string{1: "h w", 2: " w", 3: " x"} {
				if log > 0 {
					l.Ordered(op.Sized(uint8(log)), k, g, 0)
					l.add("%s%s%d, [x%d]", name, form, k, g)
				}
			}
		}
		status := (max(g, k) + 1) % 29 // neither of the others
		if status == 0 {
			status = (min(g, k) + 28) % 29
		}
		for log, form := range []string{1: "h w%d, w", 2: " w%d, w", 3: " w%d, x"} {
			if log > 0 && status != g && status != k {
				l.Ordered(STLXR.Sized(uint8(log)), k, g, status)
				l.add("stlxr"+form+"%d, [x%d]", status, k, g)
			}
		}
		l.LD1R4S(d, g, 0)
		l.add("ld1r { v%d.4s }, [x%d]", d, g)
		l.LD1R2D(d, g, 0)
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
		l.CMP(h, k)
		l.add("cmp x%d, x%d", h, k)
		for op, text := range inOrder(ofForm(`^\w+ Xd, Xn, Xm<?$`)) {
			l.G3(op, g, h, k)
			name, _, _ := strings.Cut(text, " ")
			l.add("%s x%d, x%d, x%d", name, g, h, k)
		}
		for op, name := range inOrder(map[Op]string{MADDX: "madd", MSUBX: "msub"}) {
			l.G4(op, g, h, k, c)
			l.add("%s x%d, x%d, x%d, x%d", name, g, h, k, c)
		}
		for op, name := range inOrder(map[Op]string{SCVTFS: "scvtf", UCVTFS: "ucvtf"}) {
			l.Single(op, d, g)
			l.add("%s s%d, x%d", name, d, g)
		}
		l.CMPW(h, k)
		l.add("cmp w%d, w%d", h, k)
		l.Modes(g)
		l.add("mrs x%d, FPCR", g)
		l.SetModes(g)
		l.add("msr FPCR, x%d", g)
		imm := r.IntN(4096)
		l.ADDImm(g, h, imm)
		l.add("add x%d, x%d, #%d", g, h, imm)
		l.CMNImm(g, imm)
		l.add("cmn x%d, #%d", g, imm)
		l.ADDShifted(g, h, k, by)
		l.add("add x%d, x%d, x%d, lsl #%d", g, h, k, by)
		for cond, name := range conditions {
			if name == "" {
				continue
			}
			cond := uint32(cond)
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
