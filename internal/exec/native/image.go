package native

import "github.com/pumice-gpu/pumice/internal/ir"

// Image instructions in blocks are for the few lanes that a routine in their place has left: a block leaves to its host where
// there are any.

// imageRow is the bytes of a row of lanes of such an instruction, of which a strip may be less.
const imageRow = 4 * ir.PlaceLanes

// rows makes room for n rows in the frame.
func (e *layout) rows(n int) int {
	e.slots = (e.slots + imageRow - 1) &^ (imageRow - 1)
	at := e.slots
	e.slots += int32(imageRow * n)
	return int(at)
}
