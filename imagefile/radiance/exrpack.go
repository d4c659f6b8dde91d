package radiance

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
)

var errDamaged = errors.New("the block is damaged")

// unpackRLE undoes run-length coding: a count below 0 stands before so many bytes as they are,
// one from 0 on before a byte that is repeated once more than it says.
func unpackRLE(packed []byte, want int) ([]byte, error) {
	out := make([]byte, 0, want)
	for len(packed) > 0 {
		n := int(int8(packed[0]))
		packed = packed[1:]
		if n < 0 {
			n = -n
			if n > len(packed) || n > want-len(out) {
				return nil, errDamaged
			}
			out = append(out, packed[:n]...)
			packed = packed[n:]
			continue
		}
		if n++; len(packed) == 0 || n > want-len(out) {
			return nil, errDamaged
		}
		for range n {
			out = append(out, packed[0])
		}
		packed = packed[1:]
	}
	if len(out) != want {
		return nil, errDamaged
	}
	return joined(out), nil
}

// unpackZIP inflates a block.
func unpackZIP(packed []byte, want int) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	out := make([]byte, want)
	if _, err := io.ReadFull(r, out); err != nil {
		return nil, err
	}
	return joined(out), nil
}

// joined undoes what is done to bytes before RLE and ZIP: each is the difference to the one
// before, plus 128, and those of even places stand before those of odd ones.
func joined(b []byte) []byte {
	for i := 1; i < len(b); i++ {
		b[i] += b[i-1] - 128
	}
	out := make([]byte, len(b))
	half := (len(b) + 1) / 2
	for i := range b {
		if i%2 == 0 {
			out[i] = b[i/2]
		} else {
			out[i] = b[half+i/2]
		}
	}
	return out
}
