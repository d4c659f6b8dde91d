package meshopt

import (
	"context"
	"errors"
)

// fifo remembers the last 16 of what was pushed.
type fifo[T any] struct {
	entries [16]T
	pushed  int
}

func (f *fifo[T]) push(v T) {
	f.entries[f.pushed&15] = v
	f.pushed++
}

var errUnwritten = errors.New("a triangle refers to an edge or a vertex that was not there yet")

// at returns entry i, 0 being the last one pushed; i < 16.
func (f *fifo[T]) at(i int) (v T, err error) {
	if i >= f.pushed {
		return v, errUnwritten
	}
	return f.entries[(f.pushed-1-i)&15], nil
}

// triangles is the state of decoding a triangle list.
type triangles struct {
	reader
	next     uint32 // the lowest index not met yet
	edges    fifo[[2]uint32]
	vertices fifo[uint32]
	aux      []byte // 16 codes of triangles without a known edge
}

func decodeTriangles(ctx context.Context, dst []byte, l Layout, src []byte) error {
	const tail = 16
	count := l.Count / 3
	if int64(len(src)) < l.Least() {
		return errTruncated
	}
	if src[0] != headerTriangles {
		return errHeader
	}
	codes, rest := src[1:1+count], src[1+count:]
	t := &triangles{reader: reader{data: rest[:len(rest)-tail]}, aux: rest[len(rest)-tail:]}
	if t.aux[14] != 0 || t.aux[15] != 0 {
		return errors.New("the last two codes of the table are not zero")
	}
	for _, c := range t.aux {
		if c>>4 == 15 || c&15 == 15 {
			return errors.New("the table has a code of 15")
		}
	}
	for i, code := range codes {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var v [3]uint32
		var err error
		if code < 0xf0 {
			v, err = t.known(code)
		} else {
			v, err = t.fresh(code)
		}
		if err != nil {
			return err
		}
		for k := range v {
			put(dst, l.Stride, 3*i+k, v[k])
		}
	}
	if len(t.data) != 0 {
		return errLeftOver
	}
	return nil
}

// take returns the next index that was not met yet.
func (t *triangles) take() uint32 {
	t.next++
	return t.next - 1
}

// known decodes a triangle with an edge that was met: code's upper half says which,
// its lower half what the third vertex is.
func (t *triangles) known(code byte) (v [3]uint32, err error) {
	edge, err := t.edges.at(int(code >> 4))
	if err != nil {
		return v, err
	}
	third := code & 15
	var c uint32
	switch third {
	case 0:
		c = t.take()
	case 13, 14: // next to the last
		c = t.last + 1
		if third == 13 {
			c = t.last - 1
		}
		t.last = c
	case 15:
		c, err = t.index()
	default:
		c, err = t.vertices.at(int(third))
	}
	t.edges.push([2]uint32{c, edge[1]})
	t.edges.push([2]uint32{edge[0], c})
	if third == 0 || third >= 13 {
		t.vertices.push(c)
	}
	return [3]uint32{edge[0], edge[1], c}, err
}

// fresh decodes a triangle of three vertices.
func (t *triangles) fresh(code byte) (v [3]uint32, err error) {
	var pair byte
	explicit := code >= 0xfe
	if explicit {
		if pair, err = t.byte(); err != nil {
			return v, err
		}
		if pair == 0 {
			t.next = 0
		}
	} else {
		pair = t.aux[code&15]
	}
	if code == 0xff {
		v[0], err = t.index()
	} else {
		v[0] = t.take()
	}
	halves := [3]byte{0, pair >> 4, pair & 15}
	for k := 1; k < 3 && err == nil; k++ {
		switch h := halves[k]; h {
		case 0:
			v[k] = t.take()
		case 15: // of explicit codes only: the table has none
			v[k], err = t.index()
		default:
			v[k], err = t.vertices.at(int(h) - 1)
		}
	}
	t.edges.push([2]uint32{v[1], v[0]})
	t.edges.push([2]uint32{v[2], v[1]})
	t.edges.push([2]uint32{v[0], v[2]})
	for k, h := range halves {
		if h == 0 || h == 15 {
			t.vertices.push(v[k])
		}
	}
	return v, err
}
