package amd64

import (
	"fmt"
	"strings"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
)

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
		op, to := in.Op, in.Op.op == 0x89 || in.Op.op == 0x88
		memory := func(first bool) {
			if in.X.mem && first == to {
				add(in.X.text(name))
			}
		}
		memory(true)
		if op.ext == 0 {
			add(generalRegisters[in.Reg])
		}
		if memory(false); !in.X.mem {
			add(generalRegisters[in.X.reg])
		}
		if in.bits > 0 {
			add(fmt.Sprintf("0x%x", uint32(in.Imm)))
		}
		op.w = 0 // those of 64 bits have no names of their own
		what := texts()[op]
		if op.op&0xF0 == 0x40 {
			what = "cmov" + conditions[op.op&15]
		}
		return what + " " + strings.Join(list, ", ")
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
	return imm(texts()[in.Op])
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
