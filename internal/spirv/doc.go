// Package spirv reads SPIR-V modules: it parses the words into a Module,
// validates what lowering relies on, evaluates constants and reports the
// interface of an entry point (descriptors, inputs, outputs, push constants).
//
// Modules come from applications and may be hostile. Everything here is bounded
// by the number of words of the module, and every complaint is an *Error.
package spirv

import "fmt"

// Error says what is wrong with a module.
type Error struct {
	// WordOffset is the offset of the instruction in 32-bit words from the
	// start of the module.
	WordOffset int
	Opcode     Op
	// Rule is the anchor of the rule in the SPIR-V specification.
	Rule string
	Msg  string
}

func (e *Error) Error() string {
	return fmt.Sprintf("spirv: word %d: %v: %s (rule %s)", e.WordOffset, e.Opcode, e.Msg, e.Rule)
}

// Limits of what Parse accepts; the SPIR-V universal limits where there is one.
const (
	MaxWords        = 1 << 22
	MaxBound        = 4194303 // _Universal_Limits: <id> bound
	MaxTypeNesting  = 255     // _Universal_Limits: structure nesting depth
	MaxStructMember = 16383   // _Universal_Limits: members in a structure
	MaxArguments    = 255     // _Universal_Limits: arguments of a call
	MaxTypeParts    = 1 << 16 // members, theirs and so on, of a type: what walks through one takes a step each

	// MaxVectorComponents is the limit maxVectorComponents of Vulkan, the least there may be.
	MaxVectorComponents = 1024
)
