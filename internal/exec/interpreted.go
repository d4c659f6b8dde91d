package exec

import "github.com/pumice-gpu/pumice/internal/ir"

// Interpreter is a routine of an engine that makes machine code, and can say what of its program
// stays without.
type Interpreter interface {
	// Interpreted are the instructions that no machine code runs, those of a name and a reason
	// together, in the order of the program. It makes the machine code, where nobody has needed
	// it yet.
	Interpreted() []Interpreted
}

// Interpreted are instructions that no machine code runs.
type Interpreted struct {
	Name  string // of the operation, as dumps of programs have it
	Why   string // a clause
	Count int
	// Source is where the first one is, or the loop around it; unknown where the module does not
	// tell.
	Source ir.Source
}
