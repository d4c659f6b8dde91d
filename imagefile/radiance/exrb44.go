package radiance

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// unpackB44 undoes B44 and B44A: channels of 16-bit floats in blocks of 4 × 4 samples, each of 14 bytes or, where
// all are the same, of 3; others as they are.
func (u *exrUnpacker) unpackB44(c exrChunk, want int) ([]byte, error) {
	out := grown(&u.out, want)
	to, packed := out, c.packed
	for i := range u.part.channels {
		ch := &u.part.channels[i]
		nx, ny := ch.samples(c.width, c.y, c.rows)
		n := nx * ny * ch.bytes()
		plane := to[:n]
		to = to[n:]
		if ch.kind != exrHalf {
			if len(packed) < n {
				return nil, errDamaged
			}
			copy(plane, packed)
			packed = packed[n:]
			continue
		}
		for y := 0; y < ny; y += 4 {
			for x := 0; x < nx; x += 4 {
				var block [16]uint16
				if len(packed) < 3 {
					return nil, errDamaged
				}
				if packed[2]>>2 >= 13 { // a shift that no block has
					for i := range block {
						block[i] = binary.BigEndian.Uint16(packed)
					}
					packed = packed[3:]
				} else {
					if len(packed) < 14 {
						return nil, errDamaged
					}
					b44Differences(&block, packed)
					packed = packed[14:]
				}
				for dy := range min(4, ny-y) {
					for dx := range min(4, nx-x) {
						binary.LittleEndian.PutUint16(plane[2*((y+dy)*nx+x+dx):], b44Half(block[4*dy+dx], ch.perceptual))
					}
				}
			}
		}
	}
	return out, nil
}

// b44Differences reads a block of 14 bytes: the first sample, a shift of 6 bits, and 15 differences of 6 bits, of
// which 32 is 0: down the first column, then from each column to the next.
func b44Differences(block *[16]uint16, packed []byte) {
	r := bitReader{data: packed, left: 14 * 8}
	next := func(n int) uint16 { v, _ := r.bits(n); return uint16(v) }
	block[0] = next(16)
	shift := next(6)
	step := func(from uint16) uint16 { return from + next(6)<<shift - 32<<shift }
	for y := 1; y < 4; y++ {
		block[4*y] = step(block[4*y-4])
	}
	for x := 1; x < 4; x++ {
		for y := range 4 {
			block[4*y+x] = step(block[4*y+x-1])
		}
	}
}

// b44Half returns the 16-bit float of a code; codes are in the order of numbers. Samples that are linear to the eye
// were stored as e^(x/8).
func b44Half(code uint16, perceptual bool) uint16 {
	h := ^code
	if code&0x8000 != 0 {
		h = code & 0x7fff
	}
	if !perceptual {
		return h
	}
	if h&0x7c00 == 0x7c00 { // no number
		return 0
	}
	return fp.FloatToHalf(8 * fp.Log(fp.HalfToFloat(h)))
}
