package memory

import "encoding/binary"

// repeatBytes is how much of what is repeated is copied at a time: it stays in the first cache, and
// the copy is long enough for calls not to count.
const repeatBytes = 8 << 10

// Repeat repeats the first n bytes of b over the rest.
func Repeat(b []byte, n int) {
	switch {
	case n >= len(b):
		return
	case canStore && 8%n == 0 && len(b) >= minStore:
		word := b[:8]
		for at := n; at < 8; at++ {
			word[at] = word[at-n]
		}
		storeWords(&b[0], len(b)/8, binary.LittleEndian.Uint64(word))
		for at := len(b) &^ 7; at < len(b); at++ {
			b[at] = b[at-8]
		}
		return
	}
	block := min(max(repeatBytes/n, 1)*n, len(b)) // whole repetitions
	for at := n; at < block; {
		at += copy(b[at:block], b[:at])
	}
	for at := block; at < len(b); {
		at += copy(b[at:], b[:block])
	}
}
