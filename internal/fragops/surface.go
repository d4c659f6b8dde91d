// Package fragops holds the operations that follow coverage and shading: sample
// mask, alpha to coverage, depth bounds, stencil and depth tests, blending,
// logical operations, masked writes and multisample resolve, in the order of the
// rule catalogue (RAS-300).
//
// Everything works on attachment memory in place: a tile belongs to one worker,
// so its rows may be read and written without locks, and nothing has to be
// copied in or out. The unit is the quad of 2×2 pixels; its samples are the bits
// of a uint64, bit 16*lane+sample with lane y*2+x: pixels of more samples than 16 are quads of 16
// each.
package fragops

import (
	"fmt"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
	"github.com/pumice-gpu/pumice/vk"
)

// Surface is one plane of one layer of an attachment.
type Surface struct {
	// Data starts at texel (0, 0), sample 0. nil means no attachment.
	Data []byte
	// RowPitch and TexelPitch are bytes from a row, or a pixel, to the next;
	// SampleBytes from a sample to the next.
	RowPitch, TexelPitch, SampleBytes int
	// Columns are wider than a quad.
	resource.Columns
}

// Offset is the position in Data of a sample of pixel (x, y).
func (s *Surface) Offset(x, y, sample int) int {
	at := y*s.RowPitch + x*s.TexelPitch + sample*s.SampleBytes
	if s.ColumnSkip != 0 { // rare
		at += s.At(x)
	}
	return at
}

// Column is the surface for pixels of the column that x is in alone.
func (s *Surface) Column(x int) Surface {
	own := *s
	own.Data, own.Columns = s.Data[s.At(x):], resource.Columns{}
	return own
}

// Fragment names the covered samples of a shaded lane for colour writes.
type Fragment struct {
	Lane uint16 // lane of the batch that holds the colours
	X, Y uint16 // pixel; framebuffers end at 32768
	Mask uint64 // covered colour samples
}

// StateError says which state these operations do not accept.
type StateError struct {
	What string // the state and its value
	Rule string // the catalogue rule that asks for it
	Fix  string // what to do instead
}

func (e *StateError) Error() string {
	return fmt.Sprintf("fragment operations: %s (%s); %s", e.What, catalogue.Name(e.Rule), e.Fix)
}

// AlphaToCoverage returns the samples that alpha keeps: the k = floor(alpha·r +
// 0.5) lowest indices, without dithering; a NaN keeps none.
//
// RAS-317 fragops-covg
func AlphaToCoverage(alpha float32, samples int) uint64 {
	if !(alpha > 0) {
		return 0
	}
	if alpha >= 1 {
		return 1<<samples - 1
	}
	k := int(float64(float64(alpha)*float64(samples)) + 0.5) // exact: 24 + 7 bits; positive, so truncation is floor
	return 1<<k - 1
}

// AlphaOne is what alpha to one puts in place of alpha: 1.0, which every
// fixed-point format stores as its largest value.
//
// RAS-318 fragops-covg
const AlphaOne = 0x3F800000

// CheckCompare refuses values that are no comparison.
func CheckCompare(op vk.CompareOp) error {
	if op < vk.CompareOpNever || op > vk.CompareOpAlways {
		return &StateError{What: "compare operation " + op.String(), Rule: "RAS-325", Fix: "use one of VkCompareOp's eight values"}
	}
	return nil
}
