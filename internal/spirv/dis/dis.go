// Package dis prints SPIR-V modules in the text form of the SPIR-V tools, an
// instruction a line, <id>s as numbers. The text assembles to the same words.
package dis

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

//go:generate go run ./_gen

const headerWords = 5

// Text returns the module as text without a header. The words need not be a
// valid module: an instruction that can't be read stands as a comment with its
// words, and the text goes on behind it.
func Text(words []uint32) string {
	p := newPrinter()
	p.module(words, func(int) {})
	return p.out.String()
}

// Instructions returns the text of each instruction, by the place of its first word. <id>s have the names that the
// SPIR-V tools make up for people: %color, %float_0_5, %v4float.
func Instructions(words []uint32) map[int]string {
	p := newPrinter()
	p.names = namesOf(words)
	list := map[int]string{}
	p.module(words, func(at int) {
		list[at] = strings.TrimSuffix(p.out.String(), "\n")
		p.out.Reset()
	})
	return list
}

func newPrinter() *printer {
	return &printer{numbers: map[uint32]number{}, types: map[uint32]uint32{}, sets: map[uint32]string{}}
}

// module prints all instructions, and calls after with the place of each.
func (p *printer) module(words []uint32, after func(at int)) {
	for at := headerWords; at < len(words); {
		n := int(words[at] >> 16)
		if n == 0 || at+n > len(words) {
			fmt.Fprintf(&p.out, "; word %d: an instruction of %d words in a module of %d\n", at, n, len(words))
			break
		}
		p.instruction(words[at : at+n])
		after(at)
		at += n
	}
}

// number is a numeric type.
type number struct {
	width  uint32
	float  bool
	signed bool
}

type printer struct {
	out     strings.Builder
	numbers map[uint32]number // numeric types
	types   map[uint32]uint32 // types of results
	sets    map[uint32]string // imports of instruction sets
	names   map[uint32]string // of <id>s; nil: their numbers

	line  []string // of the instruction at hand
	ids   []uint32 // its operands that are <id>s
	words []uint32 // the rest of it
	typ   uint32   // its result type
	ok    bool
}

func (p *printer) instruction(words []uint32) {
	info, known := grammarOf().ops[words[0]&0xFFFF]
	p.line, p.ids, p.words, p.typ, p.ok = nil, p.ids[:0], words[1:], 0, known
	var result uint32
	if known {
		p.line = append(p.line, info.name)
		rest := info.operands
		if len(rest) > 0 && rest[0].kind == "IdResultType" {
			p.typ = p.word()
			p.line = append(p.line, p.id(p.typ))
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].kind == "IdResult" {
			result = p.word()
			p.types[result] = p.typ
			rest = rest[1:]
		}
		p.note(info.name, result)
		p.operands(rest)
	}
	if !p.ok || len(p.words) > 0 {
		fmt.Fprintf(&p.out, "; not readable: %#x\n", words)
		return
	}
	if result != 0 {
		p.out.WriteString(p.id(result) + " = ")
	}
	p.out.WriteString(strings.Join(p.line, " ") + "\n")
}

// note remembers what later instructions are printed by.
func (p *printer) note(name string, result uint32) {
	switch {
	case name == "OpTypeInt" && len(p.words) == 2:
		p.numbers[result] = number{width: p.words[0], signed: p.words[1] != 0}
	case name == "OpTypeFloat" && len(p.words) >= 1:
		p.numbers[result] = number{width: p.words[0], float: true}
	case name == "OpExtInstImport":
		s, _ := text(p.words)
		p.sets[result] = s
	}
}

// operands prints the rest of an instruction or of an enumerant.
func (p *printer) operands(list []operand) {
	for _, o := range list {
		for first := true; ; first = false {
			if len(p.words) == 0 && (o.quantifier != 0 || !first) {
				break
			}
			p.operand(o.kind)
			if o.quantifier != '*' || !p.ok {
				break
			}
		}
	}
}

func (p *printer) word() uint32 {
	if len(p.words) == 0 {
		p.ok = false
		return 0
	}
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

func (p *printer) add(s string) { p.line = append(p.line, s) }

func (p *printer) operand(kind string) {
	switch kind {
	case "IdResultType", "IdResult", "IdRef", "IdScope", "IdMemorySemantics":
		w := p.word()
		p.ids = append(p.ids, w)
		p.add(p.id(w))
	case "LiteralInteger", "LiteralFloat":
		p.add(strconv.FormatUint(uint64(p.word()), 10))
	case "LiteralString":
		s, n := text(p.words)
		if n == 0 {
			p.ok = false
			return
		}
		p.words = p.words[n:]
		p.add(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`)
	case "LiteralContextDependentNumber":
		p.literal(p.numbers[p.typ])
	case "LiteralExtInstInteger":
		w := p.word()
		e, ok := grammarOf().glsl[w]
		switch name := p.sets[p.ids[len(p.ids)-1]]; {
		case ok && name == "GLSL.std.450":
			p.add(e.name)
		case w == 1 && name == "SPV_AMD_shader_explicit_vertex_parameter":
			p.add("InterpolateAtVertexAMD") // its only one
		default:
			p.add(strconv.FormatUint(uint64(w), 10))
		}
	case "LiteralSpecConstantOpInteger":
		info, ok := grammarOf().ops[p.word()]
		if !ok || !info.result() {
			p.ok = false // an operation without a result, OpSwitch say, is no constant
			return
		}
		p.add(strings.TrimPrefix(info.name, "Op"))
		p.operands(info.operands[2:])
	case "PairLiteralIntegerIdRef": // a case of OpSwitch: as wide as the selector
		p.literal(p.numbers[p.types[p.ids[0]]])
		p.operand("IdRef")
	case "PairIdRefLiteralInteger":
		p.operand("IdRef")
		p.operand("LiteralInteger")
	case "PairIdRefIdRef":
		p.operand("IdRef")
		p.operand("IdRef")
	default:
		p.enumerant(kind)
	}
}

func (p *printer) enumerant(kind string) {
	k, ok := grammarOf().kinds[kind]
	if !ok {
		p.ok = false
		return
	}
	v := p.word()
	if !k.mask || v == 0 {
		e, ok := k.byValue[v]
		p.ok = p.ok && ok
		p.add(e.name)
		p.operands(e.operands)
		return
	}
	var names []string
	var parameters []operand
	for bit := uint32(1); bit != 0 && bit <= v; bit <<= 1 {
		if v&bit == 0 {
			continue
		}
		e, ok := k.byValue[bit]
		p.ok = p.ok && ok
		names = append(names, e.name)
		parameters = append(parameters, e.operands...)
	}
	p.add(strings.Join(names, "|"))
	p.operands(parameters)
}

// literal prints a number of type t.
func (p *printer) literal(t number) {
	v := uint64(p.word())
	if t.width > 32 {
		v |= uint64(p.word()) << 32
	}
	switch {
	case t.width == 0 || t.width > 64:
		p.ok = false
	case t.float:
		p.add(float(v, t.width))
	case t.signed && t.width <= 32:
		p.add(strconv.FormatInt(int64(int32(v)), 10))
	case t.signed:
		p.add(strconv.FormatInt(int64(v), 10))
	default:
		p.add(strconv.FormatUint(v, 10))
	}
}

// float prints normal numbers and zeros of 32 and 64 bits as decimals, all
// others as hexadecimals, which keep every bit.
func float(v uint64, width uint32) string {
	switch width {
	case 32:
		f := math.Float32frombits(uint32(v))
		if exponent := v >> 23 & 0xFF; f == 0 || exponent != 0 && exponent != 0xFF {
			return strconv.FormatFloat(float64(f), 'g', 9, 32)
		}
		return hex(v, 23, 8)
	case 64:
		f := math.Float64frombits(v)
		if exponent := v >> 52 & 0x7FF; f == 0 || exponent != 0 && exponent != 0x7FF {
			return strconv.FormatFloat(f, 'g', 17, 64)
		}
		return hex(v, 52, 11)
	}
	switch v & 0xFFFF { // the tools write zeros as they do other numbers of 16 bits
	case 0:
		return "0x0p+0"
	case 0x8000:
		return "-0x0p+0"
	}
	return hex(v, 10, 5)
}

// hex is the number with its bits as they are: an all-ones exponent, of
// infinities and NaNs, is written as the next power of two.
func hex(v uint64, fraction, exponent uint) string {
	sign := ""
	if v>>(fraction+exponent)&1 != 0 {
		sign = "-"
	}
	bias := 1<<(exponent-1) - 1
	e := int(v>>fraction&(1<<exponent-1)) - bias
	f := v & (1<<fraction - 1)
	if e == -bias { // a denormal: its first one becomes the integer part
		e++
		for f>>fraction&1 == 0 {
			f <<= 1
			e--
		}
		f &= 1<<fraction - 1
	}
	digits := (fraction + 3) / 4
	s := fmt.Sprintf("%0*x", digits, f<<(4*digits-fraction))
	if s = strings.TrimRight(s, "0"); s != "" {
		s = "." + s
	}
	return fmt.Sprintf("%s0x1%sp%+d", sign, s, e)
}

func (p *printer) id(w uint32) string {
	if name := p.names[w]; name != "" {
		return "%" + name
	}
	return "%" + strconv.FormatUint(uint64(w), 10)
}

// text reads a literal string; n is the number of its words, 0 where it has no end.
func text(words []uint32) (s string, n int) {
	var b []byte
	for i, w := range words {
		for range 4 {
			if byte(w) == 0 {
				return string(b), i + 1
			}
			b = append(b, byte(w))
			w >>= 8
		}
	}
	return "", 0
}
