package render

import (
	"encoding/binary"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/fragops"
)

// Texels of quads to rows of lanes, and back. Lanes are samples: those of a pixel side
// by side, and of a quad's pixels.

// gatherQuads loads words of some bytes of covered samples: at is where quads are.
func gatherQuads(s *fragops.Surface, size, samples int, at []int, masks []uint64, row []uint32) {
	next, step := s.TexelPitch, s.SampleBytes
	masks, row = masks[:len(at)], row[:4*len(at)*samples]
	rows := samples > 1 && step == size && next == samples*size
	for k, base := range at {
		m := masks[k]
		if rows && m == fragops.SampleMask(1<<samples-1) {
			n := 2 * samples
			gatherRow(row[2*n*k:][:n], s.Data[base:], size)
			gatherRow(row[2*n*k+n:][:n], s.Data[base+s.RowPitch:], size)
			continue
		}
		if m == wholeQuad && samples == 1 && size != 3 {
			to, upper, lower := (*[4]uint32)(row[4*k:]), s.Data[base:], s.Data[base+s.RowPitch:]
			switch {
			case size == 4 && next == 4:
				u, l := binary.LittleEndian.Uint64(upper), binary.LittleEndian.Uint64(lower)
				to[0], to[1], to[2], to[3] = uint32(u), uint32(u>>32), uint32(l), uint32(l>>32)
			case size == 4:
				to[0], to[1], to[2], to[3] = word4(upper), word4(upper[next:]), word4(lower), word4(lower[next:])
			case size == 2:
				to[0], to[1], to[2], to[3] = word2(upper), word2(upper[next:]), word2(lower), word2(lower[next:])
			default:
				to[0], to[1], to[2], to[3] = uint32(upper[0]), uint32(upper[next]), uint32(lower[0]), uint32(lower[next])
			}
			continue
		}
		for ; m != 0; m &= m - 1 {
			bit := bits.TrailingZeros64(m)
			lane, i := bit>>4, bit&15
			row[(4*k+lane)*samples+i] = loadWord(s.Data[base+lane&1*next+lane>>1*s.RowPitch+i*step:], size)
		}
	}
}

// scatterQuads stores the words of covered samples.
func scatterQuads(s *fragops.Surface, size, samples int, at []int, masks []uint64, row []uint32) {
	next, step := s.TexelPitch, s.SampleBytes
	masks, row = masks[:len(at)], row[:4*len(at)*samples]
	rows := samples > 1 && step == size && next == samples*size
	for k, base := range at {
		m := masks[k]
		if rows && m == fragops.SampleMask(1<<samples-1) {
			n := 2 * samples
			scatterRow(s.Data[base:], size, row[2*n*k:][:n])
			scatterRow(s.Data[base+s.RowPitch:], size, row[2*n*k+n:][:n])
			continue
		}
		if m == wholeQuad && samples == 1 && size != 3 {
			from, upper, lower := (*[4]uint32)(row[4*k:]), s.Data[base:], s.Data[base+s.RowPitch:]
			switch {
			case size == 4 && next == 4:
				binary.LittleEndian.PutUint64(upper, uint64(from[0])|uint64(from[1])<<32)
				binary.LittleEndian.PutUint64(lower, uint64(from[2])|uint64(from[3])<<32)
			case size == 4:
				binary.LittleEndian.PutUint32(upper, from[0])
				binary.LittleEndian.PutUint32(upper[next:], from[1])
				binary.LittleEndian.PutUint32(lower, from[2])
				binary.LittleEndian.PutUint32(lower[next:], from[3])
			case size == 2:
				binary.LittleEndian.PutUint16(upper, uint16(from[0]))
				binary.LittleEndian.PutUint16(upper[next:], uint16(from[1]))
				binary.LittleEndian.PutUint16(lower, uint16(from[2]))
				binary.LittleEndian.PutUint16(lower[next:], uint16(from[3]))
			default:
				upper[0], upper[next], lower[0], lower[next] = byte(from[0]), byte(from[1]), byte(from[2]), byte(from[3])
			}
			continue
		}
		for ; m != 0; m &= m - 1 {
			bit := bits.TrailingZeros64(m)
			lane, i := bit>>4, bit&15
			storeWord(s.Data[base+lane&1*next+lane>>1*s.RowPitch+i*step:], size, row[(4*k+lane)*samples+i])
		}
	}
}

// gatherRow loads consecutive words of one, two or four bytes.
func gatherRow(to []uint32, p []byte, size int) {
	p = p[:len(to)*size]
	switch size {
	case 1:
		for i := range to {
			to[i] = uint32(p[i])
		}
	case 2:
		for i := range to {
			to[i] = word2(p[2*i:])
		}
	default:
		for i := range to {
			to[i] = word4(p[4*i:])
		}
	}
}

// scatterRow stores them.
func scatterRow(p []byte, size int, from []uint32) {
	p = p[:len(from)*size]
	switch size {
	case 1:
		for i, v := range from {
			p[i] = byte(v)
		}
	case 2:
		for i, v := range from {
			binary.LittleEndian.PutUint16(p[2*i:], uint16(v))
		}
	default:
		for i, v := range from {
			binary.LittleEndian.PutUint32(p[4*i:], v)
		}
	}
}

func word2(p []byte) uint32 { return uint32(binary.LittleEndian.Uint16(p)) }
func word4(p []byte) uint32 { return binary.LittleEndian.Uint32(p) }

// loadWord loads the first bytes of p, at most four.
func loadWord(p []byte, size int) uint32 {
	switch size {
	case 1:
		return uint32(p[0])
	case 2:
		return word2(p)
	case 3:
		return word2(p) | uint32(p[2])<<16
	default:
		return word4(p)
	}
}

// storeWord stores them.
func storeWord(p []byte, size int, v uint32) {
	switch size {
	case 1:
		p[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(p, uint16(v))
	case 3:
		p[0], p[1], p[2] = byte(v), byte(v>>8), byte(v>>16)
	default:
		binary.LittleEndian.PutUint32(p, v)
	}
}
