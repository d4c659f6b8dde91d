package spirv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// Magic is the first word of a module.
const Magic = 0x07230203

const headerWords = 5

// ID is a result <id>; 0 is none.
type ID uint32

// Line is the source position that an OpLine gave; the zero value is unknown.
type Line struct {
	File         ID // an OpString
	Line, Column uint32
}

// Inst is one instruction. Operands are the words after the result type and
// result <id>; they point into the module's words and must not be changed. The
// number of operands satisfies the instruction's grammar.
type Inst struct {
	Op         Op
	Type       ID
	Result     ID
	Operands   []uint32
	WordOffset int
	Line       Line
}

// ID returns operand i as an <id>, or 0 where the operand is absent.
func (in *Inst) ID(i int) ID {
	if i < 0 || i >= len(in.Operands) {
		return 0
	}
	return ID(in.Operands[i])
}

func (in *Inst) errorf(rule, format string, args ...any) *Error {
	return &Error{WordOffset: in.WordOffset, Opcode: in.Op, Rule: rule, Msg: fmt.Sprintf(format, args...)}
}

// ParseBytes parses a module from bytes in either byte order.
func ParseBytes(code []byte) (*Module, error) {
	if len(code)%4 != 0 {
		return nil, &Error{Rule: "_physical_layout", Msg: fmt.Sprintf("%d bytes are not a whole number of words", len(code))}
	}
	if len(code)/4 > MaxWords {
		return nil, tooLong(len(code) / 4)
	}
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	return parseOwned(words)
}

// Parse parses and validates a module. Words may be in either byte order; they
// are copied.
func Parse(words []uint32) (*Module, error) {
	if len(words) > MaxWords {
		return nil, tooLong(len(words))
	}
	return parseOwned(append([]uint32(nil), words...))
}

func tooLong(n int) *Error {
	return &Error{Rule: "_universal_limits", Msg: fmt.Sprintf("%d words; the limit is %d", n, MaxWords)}
}

func parseOwned(words []uint32) (*Module, error) {
	m := &Module{Words: words}
	if err := m.header(); err != nil {
		return nil, err
	}
	p := parser{m: m, merged: map[ID]Line{}}
	if err := p.run(); err != nil {
		return nil, err
	}
	if err := m.validate(); err != nil {
		return nil, err
	}
	if err := m.validateDominance(p.uses); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Module) header() error {
	w := m.Words
	if len(w) < headerWords {
		return &Error{Rule: "_physical_layout", Msg: "shorter than a header of five words"}
	}
	switch w[0] {
	case Magic:
	case 0x03022307:
		for i, x := range w {
			w[i] = x<<24 | x<<8&0xFF0000 | x>>8&0xFF00 | x>>24
		}
	default:
		return &Error{Rule: "_physical_layout", Msg: fmt.Sprintf("magic number 0x%08X is not SPIR-V", w[0])}
	}
	if w[1]&0xFF0000FF != 0 || w[1]>>16 != 1 || w[1]>>8&0xFF > 6 {
		return &Error{WordOffset: 1, Rule: "_physical_layout", Msg: fmt.Sprintf("version 0x%08X; 1.0 to 1.6 are supported", w[1])}
	}
	m.Version = w[1]
	m.Generator = w[2]
	if w[3] == 0 || w[3] > MaxBound {
		return &Error{WordOffset: 3, Rule: "_universal_limits", Msg: fmt.Sprintf("<id> bound %d; 1 to %d are allowed", w[3], MaxBound)}
	}
	m.Bound = w[3]
	if w[4] != 0 {
		return &Error{WordOffset: 4, Rule: "_physical_layout", Msg: "the schema word is not 0"}
	}
	return nil
}

// instruction reads the instruction at word offset at, of n words, and checks its
// operands against the grammar. Each id operand goes to the parser's uses.
func (p *parser) instruction(at int, in *Inst) (n int, err error) {
	m := p.m
	w := m.Words[at]
	*in = Inst{Op: Op(w), WordOffset: at, Line: p.line}
	if n = int(w >> 16); n == 0 || n > len(m.Words)-at {
		return 0, in.errorf("_physical_layout", "word count %d leaves the module", n)
	}
	info := lookupOp(in.Op)
	if info == nil {
		return 0, in.errorf("_instructions", "unsupported instruction %v", in.Op)
	}
	if list := lookupNeed(in.Op); !m.declaresOne(list) {
		return 0, in.errorf("_capability", "the instruction needs the capability %v", list[0])
	}
	c := cursor{in: in, words: m.Words[at+1 : at+n : at+n], m: m, p: p}
	return n, c.layout(info.layout)
}

// count is the number of instructions, as far as their word counts make sense.
func (m *Module) count() (n int) {
	for at := headerWords; at < len(m.Words) && m.Words[at]>>16 != 0; n++ {
		at += int(m.Words[at] >> 16)
	}
	return n
}

// cursor walks the operands of one instruction.
type cursor struct {
	m     *Module
	in    *Inst
	words []uint32
	pos   int
	p     *parser
}

func (c *cursor) layout(layout string) error {
	first := -1
	for i := 0; i < len(layout); i++ {
		letter, quantifier := layout[i], byte(0)
		if i+1 < len(layout) && (layout[i+1] == '?' || layout[i+1] == '*') {
			quantifier = layout[i+1]
			i++
		}
		if letter != 'T' && letter != 'R' && first < 0 {
			first = c.pos
		}
		if quantifier != 0 && c.pos == len(c.words) {
			continue
		}
		for {
			if err := c.operand(letter); err != nil {
				return err
			}
			if quantifier != '*' || c.pos == len(c.words) {
				break
			}
		}
	}
	if c.pos != len(c.words) {
		return c.in.errorf("_instructions", "%d words are left after the last operand", len(c.words)-c.pos)
	}
	if first < 0 {
		first = c.pos
	}
	c.in.Operands = c.words[first:]
	return nil
}

func (c *cursor) word() (uint32, error) {
	if c.pos >= len(c.words) {
		return 0, c.in.errorf("_instructions", "an operand is missing")
	}
	c.pos++
	return c.words[c.pos-1], nil
}

func (c *cursor) id() (ID, error) {
	w, err := c.word()
	if err != nil {
		return 0, err
	}
	if w == 0 || w >= c.m.Bound {
		return 0, c.in.errorf("_universal_validation_rules", "<id> %d is outside the bound %d", w, c.m.Bound)
	}
	return ID(w), nil
}

func (c *cursor) useID() error {
	id, err := c.id()
	if err != nil {
		return err
	}
	c.p.uses = append(c.p.uses, use{id, int32(c.in.WordOffset), c.in.Op})
	return nil
}

func (c *cursor) operand(letter byte) (err error) {
	switch letter {
	case 'T':
		c.in.Type, err = c.id()
	case 'R':
		c.in.Result, err = c.id()
	case 'I':
		err = c.useID()
	case 'L', 'X', 'E':
		_, err = c.word()
	case 'S':
		n := stringWords(c.words[c.pos:])
		if n == 0 || !forDebugging(c.in.Op) && !utf8.ValidString(decodeString(c.words[c.pos:])) {
			return c.in.errorf("_literal", "a string is not terminated or not UTF-8")
		}
		c.pos += n
	case 'P': // a case of OpSwitch: the literal has the width of the selector
		for range c.m.literalWords(ID(c.words[0])) {
			if _, err = c.word(); err != nil {
				return err
			}
		}
		err = c.useID()
	case 'Q':
		if err = c.useID(); err == nil {
			_, err = c.word()
		}
	case 'V':
		if err = c.useID(); err == nil {
			err = c.useID()
		}
	case 'M':
		err = c.memoryAccess()
	case 'G':
		err = c.imageOperands()
	case 'N', 'O':
		// One word at least, the rest unchecked: literals, or ids that the
		// user of the instruction looks up.
		if _, err = c.word(); err == nil {
			c.pos = len(c.words)
		}
	default:
		if letter >= 'a' && letter <= 'z' || letter == 'D' || letter == 'W' || letter == 'C' {
			return c.enumerant(letter)
		}
		return c.in.errorf("_instructions", "operand letter %q is not known", letter)
	}
	return err
}

// literalWords is the number of words of a literal of the type of <id>.
func (m *Module) literalWords(id ID) int {
	if d := m.defs.At(id); d != nil {
		if t := m.Type(d.Type); t != nil {
			return words(t)
		}
	}
	return 1
}

func (c *cursor) memoryAccess() error {
	mask, err := c.word()
	if err == nil && mask&^0x3F != 0 {
		err = c.in.errorf("_memory_operands", "unsupported memory operands 0x%X", mask)
	}
	if err == nil && mask&2 != 0 { // Aligned
		_, err = c.word()
	}
	for bit := uint32(8); err == nil && bit <= 16; bit <<= 1 { // MakePointerAvailable, MakePointerVisible
		if mask&bit != 0 {
			err = c.useID()
		}
	}
	return err
}

func (c *cursor) imageOperands() error {
	mask, err := c.word()
	if err == nil && mask&^uint32(0x17FFF) != 0 {
		err = c.in.errorf("_image_operands", "unsupported image operands 0x%X", mask)
	}
	for bit := uint32(1); err == nil && bit <= 0x10000; bit <<= 1 {
		if mask&bit == 0 || bit >= 0x400 && bit < 0x10000 {
			continue
		}
		err = c.useID()
		if err == nil && bit == uint32(ImageOperandsGrad) {
			err = c.useID()
		}
	}
	return err
}

// forDebugging tells of instructions that have no meaning (spec: _debug_instructions).
// Their strings may hold any bytes, as compilers pass on what sources say.
func forDebugging(op Op) bool {
	switch op {
	case OpSourceContinued, OpSource, OpSourceExtension, OpName, OpMemberName, OpString, OpModuleProcessed:
		return true
	}
	return false
}

// stringWords is the number of words that a literal string takes, 0 if it has no
// end.
func stringWords(words []uint32) int {
	for i, w := range words {
		if (w-0x01010101)&^w&0x80808080 != 0 { // a byte is 0
			return i + 1
		}
	}
	return 0
}

// decodeString reads a literal string that has an end.
func decodeString(words []uint32) string {
	n := stringWords(words)
	b := make([]byte, 0, 4*n)
	for _, w := range words[:n] {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return string(b[:bytes.IndexByte(b, 0)])
}
