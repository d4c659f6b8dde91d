package basis

import (
	"context"
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/format/astc"
)

// UASTCBlockBytes is the size of a UASTC block of 4×4 texels.
const UASTCBlockBytes = 16

// uastcMode is what a mode fixes of a block. A block begins with the mode's code; then come hints for transcoders, the number of
// the pattern of a mode with subsets or the component of a mode with two planes, endpoints and weights.
type uastcMode struct {
	code, length      uint8 // of the mode, from bit 0
	head              uint8 // bits of the code and of hints
	subsets           uint8
	components        uint8 // of an endpoint: 2 are luminance and alpha
	trit, quint, bits uint8 // of the numbers of endpoints
	planes            uint8
	weight            uint8 // bits of a weight
}

// solid is the mode of blocks of one colour.
const solid = 8

// uastcModes are the modes by their number.
var uastcModes = [19]uastcMode{
	{0x01, 4, 19, 1, 3, 1, 0, 6, 1, 4},
	{0x35, 6, 21, 1, 3, 0, 0, 8, 1, 2},
	{0x1D, 5, 20, 2, 3, 0, 0, 4, 1, 3},
	{0x03, 5, 20, 3, 3, 1, 0, 2, 1, 2},
	{0x13, 5, 20, 2, 3, 0, 1, 3, 1, 2},
	{0x0B, 5, 20, 1, 3, 0, 0, 8, 1, 3},
	{0x1B, 5, 20, 1, 3, 0, 1, 5, 2, 2},
	{0x07, 5, 20, 2, 3, 0, 1, 3, 1, 2},
	{0x17, 5, 5, 1, 4, 0, 0, 8, 1, 0},
	{0x0F, 5, 28, 2, 4, 0, 0, 4, 1, 2},
	{0x02, 3, 20, 1, 4, 1, 0, 4, 1, 4},
	{0x00, 2, 19, 1, 4, 1, 0, 4, 2, 2},
	{0x06, 3, 20, 1, 4, 1, 0, 6, 1, 3},
	{0x1F, 5, 28, 1, 4, 0, 0, 8, 2, 1},
	{0x0D, 5, 28, 1, 4, 0, 0, 8, 1, 2},
	{0x05, 7, 30, 1, 2, 0, 0, 8, 1, 4},
	{0x15, 6, 29, 2, 2, 0, 0, 8, 1, 2},
	{0x25, 6, 29, 1, 2, 0, 0, 8, 2, 2},
	{0x09, 4, 19, 1, 3, 0, 0, 5, 1, 5},
}

// Seeds of ASTC's patterns that modes with subsets name: two subsets, two subsets of mode 7, three subsets.
var (
	seeds2 = [30]uint16{
		28, 20, 16, 29, 91, 9, 107, 72, 149, 204, 50, 114, 496, 17, 78, 39, 252, 828, 43, 156, 116, 210, 476, 273, 684, 359, 246, 195,
		694, 524,
	}
	seeds7 = [19]uint16{36, 48, 61, 137, 161, 183, 226, 281, 302, 307, 479, 495, 593, 594, 605, 799, 812, 988, 993}
	seeds3 = [11]uint16{260, 74, 32, 156, 183, 15, 745, 0, 335, 902, 254}
)

// seed returns the seed of a mode's pattern, and whether there is one of that number.
func seed(mode int, pattern uint32) (uint32, bool) {
	list := seeds2[:]
	switch mode {
	case 3:
		list = seeds3[:]
	case 7:
		list = seeds7[:]
	}
	if pattern >= uint32(len(list)) {
		return 0, false
	}
	return uint32(list[pattern]), true
}

// bits128 is a block: a little-endian number, read from bit 0 upward.
type bits128 struct{ lo, hi uint64 }

// take returns the next n bits, n ≤ 32; behind the end they are 0.
func (b *bits128) take(n uint) uint32 {
	v := uint32(b.lo & (1<<n - 1))
	b.lo = b.lo>>n | b.hi<<(64-n)
	b.hi >>= n
	return v
}

// DecodeUASTCPicture decodes the blocks of a picture, row by row; src holds at least those.
func DecodeUASTCPicture(ctx context.Context, dst Picture, src []byte) error {
	var block [64]byte
	for y := 0; y < dst.Height; y += 4 {
		if err := ctx.Err(); err != nil {
			return err
		}
		for x := 0; x < dst.Width; x += 4 {
			DecodeUASTC(&block, src)
			src = src[UASTCBlockBytes:]
			n := 4 * min(4, dst.Width-x)
			for j := range min(4, dst.Height-y) {
				copy(dst.Pix[4*((y+j)*dst.Width+x):][:n], block[16*j:])
			}
		}
	}
	return nil
}

// DecodeUASTC decodes the block in the first 16 bytes of src to 16 texels of four bytes, R, G, B and A, row by row. Any bytes are a
// block: one of no mode or pattern is opaque magenta, as in ASTC. Colours are those of ASTC's linear profile, for sRGB too, as
// transcoders to RGBA make them.
func DecodeUASTC(dst *[64]byte, src []byte) {
	b := bits128{binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])}
	mode := -1
	for i := range uastcModes {
		if m := &uastcModes[i]; b.lo&(1<<m.length-1) == uint64(m.code) {
			mode = i
			break
		}
	}
	if mode < 0 {
		fill(dst, magenta)
		return
	}
	m := &uastcModes[mode]
	b.take(uint(m.head))
	if mode == solid {
		fill(dst, [4]byte{byte(b.take(8)), byte(b.take(8)), byte(b.take(8)), byte(b.take(8))})
		return
	}
	var of [16]uint8 // subset of each texel
	second := 4      // component of the second plane
	switch {
	case m.subsets > 1:
		width := uint(5)
		if m.subsets == 3 {
			width = 4
		}
		s, ok := seed(mode, b.take(width))
		if !ok {
			fill(dst, magenta)
			return
		}
		of = astc.Partitions(s, int(m.subsets))
	case m.planes == 2 && m.components == 2:
		second = 3
	case m.planes == 2:
		second = int(b.take(2))
	}
	ends := m.endpoints(&b)
	weights := m.weights(&b, &of)
	for k := range 16 {
		e := &ends[of[k]]
		for c := range 4 {
			w := weights[0][k]
			if c == second {
				w = weights[1][k]
			}
			low, high := e[0][c]*257, e[1][c]*257
			dst[4*k+c] = byte((low*(64-w) + high*w + 32) >> 14)
		}
	}
}

// endpoints reads the two colours of each subset. Trits of five numbers stand together in 8 bits and quints of three in 7, the first
// one lowest, before the bits of all numbers; the last group is cut to what its numbers need.
func (m *uastcMode) endpoints(b *bits128) (ends [3][2][4]uint32) {
	count := 2 * int(m.subsets) * int(m.components)
	var numbers [18]uint32
	group, base := 0, uint32(0)
	var size [6]uint8
	switch {
	case m.trit == 1:
		group, base, size = 5, 3, [6]uint8{0, 2, 4, 5, 7, 8}
	case m.quint == 1:
		group, base, size = 3, 5, [6]uint8{0, 3, 5, 7}
	}
	if group > 0 {
		for i := 0; i < count; i += group {
			n := min(group, count-i)
			v := b.take(uint(size[n]))
			for k := range n {
				numbers[i+k] = v % base << m.bits
				v /= base
			}
		}
	}
	values := astc.ColorNumbers(uint(m.trit), uint(m.quint), uint(m.bits))
	for i := range count {
		numbers[i] = uint32(values[numbers[i]|b.take(uint(m.bits))])
	}
	at := 0
	for s := range m.subsets {
		e := &ends[s]
		e[0][3], e[1][3] = 255, 255
		for c := range int(m.components) {
			if m.components == 2 && c == 1 {
				c = 3
			}
			e[0][c], e[1][c] = numbers[at], numbers[at+1]
			at += 2
		}
		if m.components == 2 {
			e[0][1], e[1][1], e[0][2], e[1][2] = e[0][0], e[1][0], e[0][0], e[1][0]
		}
	}
	return ends
}

// weights reads the weights, 0 to 64, of all texels in one plane or two. The first texel of each subset has weights without their
// upper bit, which is 0.
func (m *uastcMode) weights(b *bits128, of *[16]uint8) (weights [2][16]uint32) {
	values := astc.Weights(uint(m.weight))
	seen := 0
	for k := range 16 {
		n := uint(m.weight)
		if seen>>of[k]&1 == 0 {
			seen |= 1 << of[k]
			n--
		}
		for p := range m.planes {
			weights[p][k] = uint32(values[b.take(n)])
		}
	}
	return weights
}

var magenta = [4]byte{255, 0, 255, 255}

func fill(dst *[64]byte, texel [4]byte) {
	for k := range 16 {
		copy(dst[4*k:], texel[:])
	}
}
