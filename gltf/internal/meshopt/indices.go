package meshopt

import (
	"context"
	"encoding/binary"
	"errors"
)

const (
	headerTriangles = 0xe1
	headerIndices   = 0xd1
)

// checkEvery is how many elements pass between two looks at the context.
const checkEvery = 1 << 16

// reader reads a stream's variable-length numbers.
type reader struct {
	data []byte
	last uint32
}

func (r *reader) byte() (byte, error) {
	if len(r.data) == 0 {
		return 0, errTruncated
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b, nil
}

// varint reads 1 to 5 bytes of 7 bits, the lowest first.
func (r *reader) varint() (uint32, error) {
	v := uint32(0)
	for shift := 0; shift < 35; shift += 7 {
		b, err := r.byte()
		if err != nil {
			return 0, err
		}
		v |= uint32(b&127) << shift
		if b < 128 {
			return v, nil
		}
	}
	return 0, errors.New("a number has more than 5 bytes")
}

// zigzag returns the signed number that an unsigned one stands for.
func zigzag(v uint32) uint32 { return v>>1 ^ -(v & 1) }

// index reads an index as its distance from the last.
func (r *reader) index() (uint32, error) {
	v, err := r.varint()
	r.last += zigzag(v)
	return r.last, err
}

// put stores an index of stride bytes.
func put(dst []byte, stride, i int, v uint32) {
	if stride == 2 {
		binary.LittleEndian.PutUint16(dst[2*i:], uint16(v))
	} else {
		binary.LittleEndian.PutUint32(dst[4*i:], v)
	}
}

func decodeIndices(ctx context.Context, dst []byte, l Layout, src []byte) error {
	const tail = 4
	if len(src) < 1+tail {
		return errTruncated
	}
	if src[0] != headerIndices {
		return errHeader
	}
	r := reader{data: src[1 : len(src)-tail]}
	var last [2]uint32
	for i := range l.Count {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		v, err := r.varint()
		if err != nil {
			return err
		}
		base := &last[v&1]
		*base += zigzag(v >> 1)
		put(dst, l.Stride, i, *base)
	}
	if len(r.data) != 0 {
		return errLeftOver
	}
	return nil
}
