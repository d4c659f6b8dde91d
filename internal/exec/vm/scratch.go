package vm

import (
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// scratch is the room of a compilation: what the routine does not keep. A program
// of 500 instructions needs 100 KB of it.
type scratch struct {
	uniform, uniformVar, alias, fused []bool
	masked                            []bool
	first                             []access
	open                              []int32
	values                            []valueFacts
	setAt, setsOf                     []int32
	loops                             []loop
	zero                              []zeroing

	reg, varReg     []int32
	code            []instr
	lent            []native.Inst
	intervals       []interval
	order, physical []int32
	lists           [3][]int32
}

// scratches are those that no compilation uses; which one it gets changes nothing.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// zeroing says that a Var must be zeroed before a statement of the program's body.
type zeroing struct {
	at int
	id ir.VarID
}
