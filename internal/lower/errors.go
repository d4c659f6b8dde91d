package lower

import (
	"fmt"

	"github.com/pumice-gpu/pumice/internal/spirv"
)

// UnsupportedError says that a module is outside what Compile accepts: an
// instruction, capability or type that is not implemented, a limit, or a
// module that is not valid.
type UnsupportedError struct {
	// What names the problem.
	What string
	// Opcode and WordOffset are those of the instruction being lowered;
	// zero where the problem is not in an instruction.
	Opcode     spirv.Op
	WordOffset int
	// Entry is the entry point being compiled.
	Entry string
	// File and Line give the source position, if the module holds it.
	File string
	Line uint32
}

func (e *UnsupportedError) Error() string {
	s := fmt.Sprintf("lower: entry point %q", e.Entry)
	if e.WordOffset > 0 {
		s += fmt.Sprintf(", word %d (%v)", e.WordOffset, e.Opcode)
	}
	if e.Line > 0 {
		s += fmt.Sprintf(", %s:%d", e.File, e.Line)
	}
	return s + ": " + e.What
}

// bailout carries an error from the depth of lowering to Compile, which
// recovers it. It never leaves the package.
type bailout struct{ err error }

// fail ends the compilation with an error at the current instruction.
func (c *compiler) fail(format string, args ...any) {
	e := &UnsupportedError{What: fmt.Sprintf(format, args...), Entry: c.ep.Name}
	if in := c.inst; in != nil {
		e.Opcode, e.WordOffset, e.Line = in.Op, in.WordOffset, in.Line.Line
		e.File = c.m.String(in.Line.File)
	}
	panic(bailout{e})
}
