package trace

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// formatted writes a value of type t, whose words are the first ones. bits are its words as numbers have them,
// rest those behind.
func formatted(t *ir.TraceType, words []uint32) (text string, bits, rest []uint32) {
	n := t.Words()
	switch t.Kind {
	case ir.TraceMore:
		return "…", nil, words
	case ir.TraceParts:
		parts := make([]string, len(t.Parts))
		for i, p := range t.Parts {
			var b []uint32
			parts[i], b, words = formatted(p, words)
			bits = append(bits, b...)
		}
		return "(" + strings.Join(parts, ", ") + ")", bits, words
	case ir.TraceBool:
		on := words[0] != 0
		if bits = []uint32{0}; on {
			bits[0] = 1
		}
		return strconv.FormatBool(on), bits, words[1:]
	case ir.TraceUint, ir.TraceInt, ir.TraceFloat, ir.TraceBits:
	}
	bits, rest = words[:n:n], words[n:]
	x := uint64(bits[0])
	if n == 2 {
		x |= uint64(bits[1]) << 32
	}
	switch t.Kind {
	case ir.TraceInt:
		shift := 64 - uint(t.Width)
		text = strconv.FormatInt(int64(x<<shift)>>shift, 10)
	case ir.TraceFloat:
		if text = explain.Float(math.Float32frombits(uint32(x))); n == 2 {
			text = explain.Double(math.Float64frombits(x))
		}
	case ir.TraceBits:
		text = fmt.Sprintf("0x%0*x", t.Width/4, x)
	default:
		text = strconv.FormatUint(x, 10)
	}
	return text, bits, rest
}
