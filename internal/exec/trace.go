package exec

import "github.com/pumice-gpu/pumice/internal/ir"

// Told is what the lanes of a batch tell at an ir.OpTrace. It and its slices last as long as the call.
type Told struct {
	Program *ir.Program
	Context *Context
	Index   int // of Program.Traces
	// Base is the lane of the batch that index 0 of the slices stands for.
	Base int
	// Mask is not 0 in the lanes that run, helpers among them; Words[k] is word k by lane, in all others anything.
	Mask  []uint32
	Words [][]uint32
	// Live is not 0 in those of the lanes that run which are no helpers; nil: none are.
	Live []uint32
}

// Descriptor returns an element of a resource, the null descriptor outside.
func (c *Context) Descriptor(resource int64, element uint32) Descriptor {
	if resource < int64(len(c.Resources)) {
		if d := c.Resources[resource]; uint64(element) < uint64(len(d)) {
			return d[element]
		}
	}
	return Descriptor{}
}
