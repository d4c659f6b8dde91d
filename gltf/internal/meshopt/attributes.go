package meshopt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

const (
	versionEXT = 0xa0 // EXT_meshopt_compression's stream, valid in both extensions
	versionKHR = 0xa1 // KHR_meshopt_compression's
)

const (
	groupElements = 16  // elements whose deltas have one width
	maxBlock      = 256 // elements of a block at most
	blockBytes    = 8192
)

// blockElements returns the elements of a full block.
func blockElements(stride int) int {
	return min(blockBytes/stride&^(groupElements-1), maxBlock)
}

// attributes is the state of decoding a stream of attributes.
type attributes struct {
	stride   int
	data     []byte // what is left before the tail
	channels []byte // version 1: a mode for every 4 bytes of an element; nil: byte deltas
	previous [256]byte
	// deltas of one block, byte position by byte position, maxBlock apart.
	deltas [4 * maxBlock]byte
}

// The widths in bits that two header bits choose from.
var (
	widthsEXT = [4]uint8{0, 2, 4, 8}
	widthsKHR = [2][4]uint8{{0, 1, 2, 4}, {1, 2, 4, 8}}
)

func decodeAttributes(ctx context.Context, dst []byte, l Layout, src []byte) error {
	if len(src) == 0 {
		return errTruncated
	}
	a := &attributes{stride: l.Stride}
	tail, least := l.Stride, 32
	switch src[0] {
	case versionEXT:
	case versionKHR:
		tail, least = l.Stride+l.Stride/4, 24
	default:
		return errHeader
	}
	if len(src) < 1+max(tail, least) {
		return errTruncated
	}
	end := src[len(src)-tail:]
	copy(a.previous[:], end[:l.Stride])
	if src[0] == versionKHR {
		a.channels = end[l.Stride:]
		for _, c := range a.channels {
			if c&15 > 2 || c&15 < 2 && c>>4 != 0 {
				return fmt.Errorf("channel mode %#02x is unknown", c)
			}
		}
	}
	a.data = src[1 : len(src)-max(tail, least)]
	for n := blockElements(l.Stride); len(dst) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n = min(n, len(dst)/l.Stride)
		if err := a.block(dst[:n*l.Stride], n); err != nil {
			return err
		}
		dst = dst[n*l.Stride:]
	}
	if len(a.data) != 0 {
		return errLeftOver
	}
	return nil
}

// block decodes a block of n elements.
func (a *attributes) block(dst []byte, n int) error {
	var control []byte
	if a.channels != nil {
		var err error
		if control, err = a.take(a.stride / 4); err != nil {
			return err
		}
	}
	for c := 0; c < a.stride; c += 4 {
		for k := range 4 {
			out := a.deltas[k*maxBlock:][:maxBlock]
			mode := -1
			if control != nil {
				mode = int(control[c/4] >> (2 * k) & 3)
			}
			if err := a.bytes(out, n, mode); err != nil {
				return err
			}
		}
		mode := byte(0)
		if a.channels != nil {
			mode = a.channels[c/4]
		}
		a.channel(dst[c:], n, a.previous[c:c+4], mode)
	}
	return nil
}

func (a *attributes) take(n int) ([]byte, error) {
	if n > len(a.data) {
		return nil, errTruncated
	}
	b := a.data[:n]
	a.data = a.data[n:]
	return b, nil
}

// bytes decodes the deltas of one byte position of n elements. mode is the control
// mode, -1 in version 0.
func (a *attributes) bytes(out []byte, n, mode int) error {
	widths := &widthsEXT
	switch mode {
	case 0, 1:
		widths = &widthsKHR[mode]
	case 2:
		clear(out[:n])
		return nil
	case 3:
		b, err := a.take(n)
		copy(out, b)
		return err
	}
	groups := (n + groupElements - 1) / groupElements
	header, err := a.take((groups + 3) / 4)
	if err != nil {
		return err
	}
	if groups%4 != 0 && header[len(header)-1]>>(2*(groups%4)) != 0 {
		return errors.New("the padding of the header bits is not zero")
	}
	for g := range groups {
		width := widths[header[g/4]>>(2*(g%4))&3]
		if err := a.group(out[g*groupElements:][:groupElements], width); err != nil {
			return err
		}
	}
	return nil
}

// group decodes 16 deltas of so many bits; a delta of ones stands for a byte that
// follows the group.
func (a *attributes) group(out []byte, width uint8) error {
	packed, err := a.take(groupElements * int(width) / 8)
	if err != nil {
		return err
	}
	switch width {
	case 0:
		clear(out)
		return nil
	case 8:
		copy(out, packed)
		return nil
	}
	sentinel := byte(1)<<width - 1
	each := 8 / int(width)
	for i := range out {
		at := i % each // the first delta lies in the highest bits
		if width != 1 {
			at = each - 1 - at
		}
		v := packed[i/each] >> (at * int(width)) & sentinel
		if v == sentinel {
			b, err := a.take(1)
			if err != nil {
				return err
			}
			v = b[0]
		}
		out[i] = v
	}
	return nil
}

// channel adds up the deltas of four byte positions of n elements; previous is the
// element before, and becomes the last one.
func (a *attributes) channel(dst []byte, n int, previous []byte, mode byte) {
	d := &a.deltas
	p := binary.LittleEndian.Uint32(previous)
	for i := range n {
		switch mode & 15 {
		case 0:
			sum := uint32(0)
			for k := range 4 {
				v := d[k*maxBlock+i]
				sum |= uint32(byte(p>>(8*k))+(v>>1^-(v&1))) << (8 * k)
			}
			p = sum
		case 1:
			sum := uint32(0)
			for k := range 2 {
				v := uint16(d[2*k*maxBlock+i]) | uint16(d[(2*k+1)*maxBlock+i])<<8
				sum |= uint32(uint16(p>>(16*k))+(v>>1^-(v&1))) << (16 * k)
			}
			p = sum
		default:
			v := uint32(d[i]) | uint32(d[maxBlock+i])<<8 | uint32(d[2*maxBlock+i])<<16 | uint32(d[3*maxBlock+i])<<24
			p ^= bits.RotateLeft32(v, -int(mode>>4)) // encoders turn the other way
		}
		binary.LittleEndian.PutUint32(dst[i*a.stride:], p)
	}
	binary.LittleEndian.PutUint32(previous, p)
}
