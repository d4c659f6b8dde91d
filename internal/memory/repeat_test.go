package memory

import (
	"bytes"
	"testing"
)

// Whatever is repeated and wherever it begins, all of the rest has it, and nothing behind.
func TestRepeat(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32} {
		for _, size := range []int{1, n, n + 1, 3*n - 1, 7, 8, 9, 100, 1 << 10, 1<<10 + 7*n, 1<<10 + 1, 1<<10 + 15, 20001, 3*repeatBytes + n} {
			for start := range 3 {
				all := bytes.Repeat([]byte{0xEE}, size+20)
				b := all[start+1:][:size]
				for i := range min(n, size) {
					b[i] = byte(7 * (i + 1))
				}
				Repeat(b, n)
				for i := range b {
					if b[i] != byte(7*(i%n+1)) {
						t.Fatalf("%d bytes over %d from %d: byte %d is %d", n, size, start, i, b[i])
					}
				}
				if all[start] != 0xEE || all[start+1+size] != 0xEE {
					t.Fatalf("%d bytes over %d from %d: a byte beside is gone", n, size, start)
				}
			}
		}
	}
}
