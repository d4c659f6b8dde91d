package arm64

import (
	"fmt"
	"strings"
)

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
