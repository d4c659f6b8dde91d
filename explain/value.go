package explain

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Float writes a binary32 with the fewest digits that give the same number back; NaN, infinities and the sign of zero can be read.
func Float(f float32) string { return decimal(float64(f), 32) }

// Double is Float for a binary64.
func Double(f float64) string { return decimal(f, 64) }

func decimal(f float64, bits int) string {
	switch a := math.Abs(f); {
	case f != f:
		return "NaN"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, bits), "+")
	case a != 0 && (a < 1e-6 || a >= 1e21):
		return strconv.FormatFloat(f, 'e', -1, bits)
	}
	return strconv.FormatFloat(f, 'f', -1, bits)
}

// Words are 32-bit words as Value.Bits has them, with blanks between.
func Words(words ...uint32) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%08x", w)
	}
	return b.String()
}

// Floats is a value of binary32 components.
func Floats(f ...float32) Value { return listed(f, math.Float32bits, Float) }

// Ints is a value of signed components.
func Ints(i ...int32) Value {
	return listed(i, func(x int32) uint32 { return uint32(x) }, func(x int32) string { return strconv.Itoa(int(x)) })
}

// Uints is a value of unsigned components.
func Uints(u ...uint32) Value {
	return listed(u, func(x uint32) uint32 { return x }, func(x uint32) string { return strconv.FormatUint(uint64(x), 10) })
}

func listed[T any](list []T, bits func(T) uint32, text func(T) string) Value {
	words, texts := make([]uint32, len(list)), make([]string, len(list))
	for i, x := range list {
		words[i], texts[i] = bits(x), text(x)
	}
	return Value{Bits: Words(words...), Text: strings.Join(texts, ", ")}
}
