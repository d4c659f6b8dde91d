package geometry

import "slices"

// grow returns s with length n, contents undefined.
func grow[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// fill sets all of dst to v.
func fill(dst []uint32, v uint32) {
	for i := range dst {
		dst[i] = v
	}
}
