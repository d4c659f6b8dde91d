//go:build !wasm

package lane

// MinF and MaxF are fp.Min and fp.Max, by the built-in functions where no
// operand is NaN: they order zeros the same way.
func MinF(x, y float32) float32 {
	if r := min(x, y); r == r {
		return r
	}
	return otherF(x, y)
}
func MaxF(x, y float32) float32 {
	if r := max(x, y); r == r {
		return r
	}
	return otherF(x, y)
}
