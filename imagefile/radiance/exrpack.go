package radiance

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

var errDamaged = errors.New("the block is damaged")

// exrUnpacker decodes the blocks of a part, one after the other, in memory that it keeps.
type exrUnpacker struct {
	ctx  context.Context
	part *exrPart

	zip    io.ReadCloser // the inflater, once there is one
	source bytes.Reader

	inflated, out []byte
	piz           pizTables
	dwa           dwaBuffers
}

// scratch returns how much memory decoding blocks takes beside the picture, of which b is the largest.
func (p *exrPart) scratch(b exrBlock) int64 {
	const tables = 2 << 20 // an inflater's, Huffman codes and those of PIZ and DWA
	most := p.size(b)
	switch p.compression {
	case exrNone:
		return 0
	case exrDWAA, exrDWAB:
		padded := int64(0) // of 8 × 8 pixels, with what is stored of them
		for i := range p.channels {
			nx, ny := p.channels[i].samples(b.width, b.y, b.rows)
			padded += int64(nx+7) * int64(ny+7) * 5
		}
		return 6*most + padded + tables
	default:
		return 3*most + tables
	}
}

// unpack returns the bytes of a block: row by row and in each channel by channel or, where it is planar, channel by
// channel and in each row by row. They are overwritten by the next call.
func (u *exrUnpacker) unpack(c exrChunk) (raw []byte, planar bool, err error) {
	want := int(u.part.size(c.exrBlock))
	if len(c.packed) == want { // what would not shrink is not compressed
		return c.packed, false, nil
	}
	if len(c.packed) > want {
		return nil, false, fmt.Errorf("%d bytes, want %d at most", len(c.packed), want)
	}
	switch u.part.compression {
	case exrRLE:
		raw = grown(&u.inflated, want)
		if err := unpackRLE(raw, c.packed); err != nil {
			return nil, false, err
		}
		return joined(grown(&u.out, want), raw), false, nil
	case exrZIPS, exrZIP:
		raw = grown(&u.inflated, want)
		if err := u.inflate(raw, c.packed); err != nil {
			return nil, false, err
		}
		return joined(grown(&u.out, want), raw), false, nil
	case exrPIZ:
		raw, err = u.unpackPIZ(c, want)
		return raw, true, err
	case exrPXR24:
		raw, err = u.unpackPXR24(c, want)
		return raw, false, err
	case exrB44, exrB44A:
		raw, err = u.unpackB44(c, want)
		return raw, true, err
	case exrDWAA, exrDWAB:
		raw, err = u.unpackDWA(c, want)
		return raw, true, err
	default:
		return nil, false, fmt.Errorf("%d bytes, want %d", len(c.packed), want)
	}
}

// grown returns n bytes, numbers or words of memory that is kept.
func grown[T any](kept *[]T, n int) []T {
	if cap(*kept) < n {
		*kept = make([]T, n)
	}
	return (*kept)[:n]
}

// unpackRLE undoes run-length coding: a count below 0 stands before so many bytes as they are,
// one from 0 on before a byte that is repeated once more than it says.
func unpackRLE(out, packed []byte) error {
	for len(packed) > 0 {
		n := int(int8(packed[0]))
		packed = packed[1:]
		if n < 0 {
			n = -n
			if n > len(packed) || n > len(out) {
				return errDamaged
			}
			copy(out, packed[:n])
			out, packed = out[n:], packed[n:]
			continue
		}
		if n++; len(packed) == 0 || n > len(out) {
			return errDamaged
		}
		for i := range n {
			out[i] = packed[0]
		}
		out, packed = out[n:], packed[1:]
	}
	if len(out) > 0 {
		return errDamaged
	}
	return nil
}

// inflate fills out.
func (u *exrUnpacker) inflate(out, packed []byte) (err error) {
	u.source.Reset(packed)
	if u.zip == nil {
		u.zip, err = zlib.NewReader(&u.source)
	} else {
		err = u.zip.(zlib.Resetter).Reset(&u.source, nil)
	}
	if err == nil {
		_, err = io.ReadFull(u.zip, out)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errDamaged
	}
	return err
}

// joined undoes what is done to bytes before RLE and ZIP: each is the difference to the one
// before, plus 128, and those of even places stand before those of odd ones.
func joined(out, b []byte) []byte {
	for i := 1; i < len(b); i++ {
		b[i] += b[i-1] - 128
	}
	even, odd := b[:len(b)/2], b[len(b)/2:] // samples have 2 bytes or 4
	for i, v := range odd {
		out[2*i], out[2*i+1] = even[i], v
	}
	return out
}

// unpackPXR24 undoes PXR24: floats without their lowest 8 bits; in a row of a channel, all highest bytes stand
// before all lower ones, as differences to the pixel before; deflated.
func (u *exrUnpacker) unpackPXR24(c exrChunk, want int) ([]byte, error) {
	channels := u.part.channels
	stored := 0
	for i := range channels {
		ch := &channels[i]
		nx, ny := ch.samples(c.width, c.y, c.rows)
		stored += nx * ny * ch.pxr24()
	}
	in := grown(&u.inflated, stored)
	if err := u.inflate(in, c.packed); err != nil {
		return nil, err
	}
	out := grown(&u.out, want)
	to := out
	for y := c.y; y < c.y+c.rows; y++ {
		for i := range channels {
			ch := &channels[i]
			if y%ch.sy != 0 {
				continue
			}
			nx, _ := ch.samples(c.width, y, 1)
			planes := ch.pxr24()
			row := in[:planes*nx]
			in = in[planes*nx:]
			var v uint32
			switch ch.kind {
			case exrHalf:
				for x := range nx {
					v += uint32(row[x])<<8 | uint32(row[nx+x])
					binary.LittleEndian.PutUint16(to[2*x:], uint16(v))
				}
			case exrFloat:
				for x := range nx {
					v += uint32(row[x])<<24 | uint32(row[nx+x])<<16 | uint32(row[2*nx+x])<<8
					binary.LittleEndian.PutUint32(to[4*x:], v)
				}
			default:
				for x := range nx {
					v += uint32(row[x])<<24 | uint32(row[nx+x])<<16 | uint32(row[2*nx+x])<<8 | uint32(row[3*nx+x])
					binary.LittleEndian.PutUint32(to[4*x:], v)
				}
			}
			to = to[nx*ch.bytes():]
		}
	}
	return out, nil
}

// pxr24 is how many bytes of a sample are kept.
func (c *exrChannel) pxr24() int {
	if c.kind == exrFloat {
		return 3
	}
	return c.bytes()
}
