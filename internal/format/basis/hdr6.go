package basis

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/format/astc"
)

// HDR6BlockBytes is the size of a block of ASTC HDR 6×6.
const HDR6BlockBytes = astc.BlockBytes

const (
	hdr6Edge = 6
	// hdr6First is the signature of files whose grids of 2×2 weights are widened as the first encoder did it; hdr6Second that of all
	// others.
	hdr6First  = 0xABCD
	hdr6Second = 0xABCE
	hdr6End    = 0xA742
	hdr6Most   = 32768 // texels in a direction
	nearbyRows = 5     // rows of blocks that a block may refer to, its own among them

	cemScale  = 7  // HDR, base and scale
	cemDirect = 11 // HDR, direct
)

// hdr6Mode is what a block mode fixes. Ranges are those that numbers are coded in (see astc.Parts); grids of 2×2 weights become
// finer ones, see ranges.
type hdr6Mode struct {
	cem, subsets, width, height, colors, weights, planes, component uint8
}

// hdr6Modes are the modes by their number.
var hdr6Modes = [75]hdr6Mode{
	{11, 1, 6, 6, 20, 1, 1, 0}, {11, 1, 6, 6, 15, 2, 1, 0}, {11, 1, 6, 5, 16, 3, 1, 0}, {11, 1, 5, 6, 16, 3, 1, 0},
	{11, 1, 6, 4, 15, 5, 1, 0}, {11, 1, 4, 6, 15, 5, 1, 0}, {11, 1, 6, 3, 15, 8, 1, 0}, {11, 1, 3, 6, 15, 8, 1, 0},
	{11, 1, 5, 5, 14, 5, 1, 0}, {11, 1, 4, 4, 19, 8, 1, 0}, {11, 1, 3, 3, 20, 8, 1, 0}, {7, 1, 6, 6, 16, 3, 1, 0},
	{7, 1, 6, 6, 20, 1, 1, 0}, {7, 1, 6, 6, 20, 2, 1, 0}, {7, 1, 5, 6, 20, 4, 1, 0}, {7, 1, 6, 5, 20, 4, 1, 0},
	{7, 1, 3, 6, 20, 9, 1, 0}, {7, 1, 6, 3, 20, 9, 1, 0}, {11, 2, 6, 6, 11, 0, 1, 0}, {11, 2, 6, 3, 13, 1, 1, 0},
	{11, 2, 3, 6, 13, 1, 1, 0}, {11, 2, 3, 6, 11, 2, 1, 0}, {11, 2, 6, 3, 11, 2, 1, 0}, {11, 2, 4, 6, 11, 1, 1, 0},
	{11, 2, 6, 4, 11, 1, 1, 0}, {7, 2, 5, 6, 15, 1, 1, 0}, {7, 2, 6, 5, 15, 1, 1, 0}, {7, 2, 4, 6, 15, 2, 1, 0},
	{7, 2, 6, 4, 15, 2, 1, 0}, {7, 2, 6, 6, 11, 1, 1, 0}, {7, 2, 6, 6, 19, 0, 1, 0}, {7, 2, 5, 5, 14, 2, 1, 0},
	{7, 2, 3, 6, 13, 5, 1, 0}, {7, 2, 6, 3, 13, 5, 1, 0}, {7, 2, 3, 6, 15, 4, 1, 0}, {7, 2, 6, 3, 15, 4, 1, 0},
	{11, 1, 3, 6, 14, 2, 2, 0}, {11, 1, 3, 6, 14, 2, 2, 1}, {11, 1, 3, 6, 14, 2, 2, 2}, {11, 1, 6, 3, 14, 2, 2, 0},
	{11, 1, 6, 3, 14, 2, 2, 1}, {11, 1, 6, 3, 14, 2, 2, 2}, {11, 1, 3, 3, 14, 8, 2, 0}, {11, 1, 3, 3, 14, 8, 2, 1},
	{11, 1, 3, 3, 14, 8, 2, 2}, {11, 1, 4, 4, 13, 3, 2, 0}, {11, 1, 4, 4, 13, 3, 2, 1}, {11, 1, 4, 4, 13, 3, 2, 2},
	{11, 1, 5, 5, 20, 0, 2, 0}, {11, 1, 5, 5, 20, 0, 2, 1}, {11, 1, 5, 5, 20, 0, 2, 2}, {11, 1, 2, 2, 14, 2, 2, 0},
	{11, 1, 2, 2, 14, 2, 2, 1}, {11, 1, 2, 2, 14, 2, 2, 2}, {11, 1, 2, 2, 17, 0, 1, 0}, {7, 3, 6, 6, 11, 0, 1, 0},
	{7, 3, 5, 5, 14, 0, 1, 0}, {7, 3, 4, 4, 14, 1, 1, 0}, {7, 3, 4, 4, 12, 2, 1, 0}, {7, 3, 4, 4, 11, 3, 1, 0},
	{7, 3, 3, 3, 14, 5, 1, 0}, {7, 3, 6, 4, 14, 0, 1, 0}, {7, 3, 4, 6, 14, 0, 1, 0}, {7, 3, 6, 4, 11, 1, 1, 0},
	{7, 3, 4, 6, 11, 1, 1, 0}, {7, 3, 6, 5, 13, 0, 1, 0}, {7, 3, 5, 6, 13, 0, 1, 0}, {7, 3, 6, 3, 13, 1, 1, 0},
	{7, 3, 3, 6, 13, 1, 1, 0}, {7, 3, 6, 3, 11, 2, 1, 0}, {7, 3, 3, 6, 11, 2, 1, 0}, {7, 3, 6, 3, 10, 3, 1, 0},
	{7, 3, 3, 6, 10, 3, 1, 0}, {7, 3, 5, 4, 12, 1, 1, 0}, {7, 3, 4, 5, 12, 1, 1, 0},
}

// ranges returns the ranges of colour numbers and weights that ASTC blocks of a mode have.
func (m *hdr6Mode) ranges() (colors, weights uint8) {
	if m.width*m.height > 4 {
		return m.colors, m.weights
	}
	if m.planes == 2 {
		return 20, 5
	}
	return 20, 1
}

// hdr6Seeds are the seeds of ASTC's patterns of two subsets by their number: each of UniqueSeeds once, as often as encoders take
// them.
var hdr6Seeds = [521]uint16{
	86, 959, 936, 476, 1007, 672, 447, 423, 488, 422, 273, 65, 267, 786, 585, 195, 108, 731, 878, 812, 264, 125, 868, 581, 258,
	390, 549, 872, 661, 352, 645, 543, 988, 906, 903, 616, 482, 529, 3, 286, 272, 303, 151, 504, 498, 260, 79, 66, 608, 769, 305,
	610, 1014, 967, 835, 789, 7, 951, 691, 15, 763, 976, 438, 314, 601, 673, 177, 252, 615, 436, 220, 899, 623, 433, 674, 278,
	797, 107, 847, 114, 470, 760, 821, 490, 329, 945, 387, 471, 225, 172, 83, 418, 966, 439, 316, 247, 43, 343, 625, 798, 1, 61,
	73, 307, 136, 474, 42, 664, 1013, 249, 389, 227, 374, 121, 48, 538, 226, 309, 554, 802, 834, 335, 495, 10, 955, 461, 293, 508,
	153, 101, 63, 139, 31, 687, 132, 174, 324, 545, 289, 39, 178, 594, 963, 854, 222, 323, 998, 964, 598, 475, 720, 1019, 983, 91,
	703, 614, 394, 612, 281, 207, 930, 758, 586, 128, 517, 426, 306, 168, 713, 36, 458, 876, 368, 780, 5, 9, 214, 109, 553, 726,
	175, 103, 753, 684, 44, 665, 53, 500, 367, 611, 119, 732, 639, 326, 203, 156, 686, 910, 255, 62, 392, 591, 112, 88, 213, 19,
	1022, 478, 90, 486, 799, 702, 730, 414, 99, 1008, 142, 886, 373, 216, 69, 393, 299, 648, 415, 822, 912, 110, 567, 550, 693, 2,
	138, 59, 271, 562, 295, 714, 719, 199, 893, 831, 1006, 662, 235, 262, 78, 51, 902, 298, 190, 169, 583, 347, 890, 958, 909, 49,
	987, 696, 633, 480, 50, 764, 826, 1023, 1016, 437, 891, 774, 257, 724, 791, 526, 593, 690, 638, 858, 895, 794, 995, 130, 87,
	877, 819, 318, 649, 376, 211, 284, 937, 370, 688, 229, 994, 115, 842, 60, 521, 95, 694, 804, 146, 754, 487, 55, 17, 770, 450,
	223, 4, 137, 911, 236, 683, 523, 47, 181, 24, 270, 602, 736, 11, 355, 148, 351, 762, 1009, 16, 210, 619, 805, 874, 807, 887,
	403, 999, 810, 27, 402, 551, 135, 778, 33, 409, 993, 71, 363, 159, 183, 77, 596, 670, 380, 968, 811, 404, 348, 539, 158, 578,
	196, 621, 68, 530, 193, 100, 167, 919, 353, 366, 327, 643, 948, 518, 756, 801, 558, 28, 705, 116, 94, 898, 453, 622, 647, 231,
	445, 652, 230, 191, 277, 292, 254, 198, 766, 386, 232, 29, 70, 942, 740, 291, 607, 411, 496, 839, 8, 675, 319, 742, 21, 547,
	627, 716, 663, 23, 914, 631, 595, 499, 685, 950, 510, 54, 587, 432, 45, 646, 25, 122, 947, 171, 862, 441, 808, 722, 14, 74,
	658, 129, 266, 1001, 534, 395, 527, 250, 206, 237, 67, 897, 634, 572, 569, 533, 37, 341, 89, 463, 419, 75, 134, 283, 943, 519,
	362, 144, 681, 407, 954, 131, 455, 934, 46, 513, 339, 194, 361, 606, 852, 546, 655, 1015, 147, 506, 240, 56, 836, 76, 98, 600,
	430, 388, 980, 695, 817, 279, 58, 215, 149, 170, 531, 870, 18, 727, 154, 26, 938, 929, 302, 697, 452, 218, 700, 524, 828, 751,
	869, 217, 440, 354,
}

// nearby are the places, relative to it, of blocks that a block can take something over from.
var nearby = [32][2]int{
	{-1, 0}, {-2, 0}, {-3, 0}, {-4, 0},
	{3, -1}, {2, -1}, {1, -1}, {0, -1}, {-1, -1}, {-2, -1}, {-3, -1}, {-4, -1},
	{3, -2}, {2, -2}, {1, -2}, {0, -2}, {-1, -2}, {-2, -2}, {-3, -2}, {-4, -2},
	{3, -3}, {2, -3}, {1, -3}, {0, -3}, {-1, -3}, {-2, -3}, {-3, -3}, {-4, -3},
	{3, -4}, {2, -4}, {1, -4}, {0, -4},
}

// hdr6Block is what following blocks may take over from a block.
type hdr6Block struct {
	mode   *hdr6Mode // nil: of one colour
	seed   uint16
	one    bool  // has one subset, whatever the mode says
	colors uint8 // range
	values [18]uint8
}

// hdr6 is a slice that is decoded.
type hdr6 struct {
	reader
	first         bool // the signature is hdr6First
	width, height int  // in blocks
	x, y          int
	rows          []hdr6Block // of the last nearbyRows rows
	dst           []byte
	weights       [64]uint8
	seeds         []uint16 // of three subsets
}

// HDR6WorkBytes is the memory that DecodeHDR6 takes besides its result, for a picture of this width.
func HDR6WorkBytes(width int) int64 {
	return nearbyRows * 40 * (int64(width) + hdr6Edge) / hdr6Edge
}

// DecodeHDR6 decodes a slice of UASTC HDR 6×6 of so many texels to blocks of ASTC HDR 6×6, row by row; dst holds all of them.
func DecodeHDR6(ctx context.Context, dst []byte, width, height int, src []byte) error {
	d := hdr6{reader: reader{data: src}, dst: dst, width: (width + hdr6Edge - 1) / hdr6Edge, height: (height + hdr6Edge - 1) / hdr6Edge}
	switch signature := d.bits(16); signature {
	case hdr6First:
		d.first = true
	case hdr6Second:
	default:
		return fmt.Errorf("signature %#04x", signature)
	}
	if w, h := int(d.bits(16)), int(d.bits(16)); w != width || h != height || w > hdr6Most || h > hdr6Most {
		return fmt.Errorf("a slice of %d × %d texels, the image has %d × %d; up to %d in a direction", w, h, width, height, hdr6Most)
	}
	d.rows = make([]hdr6Block, nearbyRows*d.width)
	for row := -1; d.y < d.height; {
		if d.y != row {
			row = d.y
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := d.next(); err != nil {
			return fmt.Errorf("block (%d, %d): %w", d.x, d.y, err)
		}
		if d.over > 0 {
			return errEnd
		}
	}
	if d.bits(16) != hdr6End || d.over > 0 {
		return errors.New("the blocks do not end where they should")
	}
	return nil
}

// at returns a block of this row or one of the rows above that are kept.
func (d *hdr6) at(x, y int) *hdr6Block { return &d.rows[y%nearbyRows*d.width+x] }

// out returns the place of the next block.
func (d *hdr6) out() []byte { return d.dst[HDR6BlockBytes*(d.y*d.width+d.x):][:HDR6BlockBytes] }

func (d *hdr6) advance() {
	if d.x++; d.x == d.width {
		d.x, d.y = 0, d.y+1
	}
}

// next decodes a block, or several that are alike.
func (d *hdr6) next() error {
	switch {
	case d.bits(1) == 1:
		return d.coded()
	case d.bits(1) == 1:
		return d.reuse()
	case d.bits(1) == 1:
		*d.at(d.x, d.y) = hdr6Block{}
		color := [4]uint16{uint16(d.bits(15)), uint16(d.bits(15)), uint16(d.bits(15)), 0x3C00}
		astc.PackVoid(d.out(), color, true)
		d.advance()
		return nil
	}
	return d.run()
}

// run repeats the block before this one.
func (d *hdr6) run() error {
	n, err := d.vlc(5)
	if err != nil {
		return err
	}
	at := d.y*d.width + d.x
	if at == 0 {
		return errors.New("a run before the first block")
	}
	if left := d.width*d.height - at; uint64(n) >= uint64(left) {
		return fmt.Errorf("a run of %d blocks, %d are left", uint64(n)+1, left)
	}
	last := *d.at((at-1)%d.width, (at-1)/d.width)
	block := d.dst[HDR6BlockBytes*(at-1):][:HDR6BlockBytes]
	for range n + 1 {
		*d.at(d.x, d.y) = last
		copy(d.out(), block)
		d.advance()
	}
	return nil
}

// reuse decodes a block that has all but weights in common with an earlier one.
func (d *hdr6) reuse() error {
	delta := nearby[d.bits(5)]
	x, y := d.x+delta[0], d.y+delta[1]
	if x < 0 || x >= d.width || y < 0 {
		return errors.New("it is like a block outside the picture")
	}
	b := *d.at(x, y)
	if b.mode == nil {
		return errors.New("it is like a block of one colour")
	}
	return d.finish(b)
}

// Where the numbers of a block's colours come from.
const (
	hdr6Own = iota
	hdr6Left
	hdr6Above
	hdr6LeftDelta
	hdr6AboveDelta
	hdr6Sources
)

// coded decodes a block with a mode of its own.
func (d *hdr6) coded() error {
	mode := &hdr6Modes[d.truncated(uint32(len(hdr6Modes)))]
	source := d.truncated(hdr6Sources)
	b := hdr6Block{mode: mode, colors: mode.colors}
	numbers := astc.ModeNumbers(mode.cem)
	if source == hdr6Own {
		switch mode.subsets {
		case 2:
			b.seed = hdr6Seeds[d.truncated(uint32(len(hdr6Seeds)))]
		case 3:
			if d.seeds == nil {
				d.seeds = astc.UniqueSeeds(hdr6Edge, hdr6Edge, 3)
			}
			b.seed = d.seeds[d.truncated(uint32(len(d.seeds)))]
		}
		d.numbers(b.values[:numbers*int(mode.subsets)], astc.ColorScale(mode.colors))
		return d.finish(b)
	}
	b.one = true
	x, y := d.x-1, d.y
	if source == hdr6Above || source == hdr6AboveDelta {
		x, y = d.x, d.y-1
	}
	if x < 0 || y < 0 {
		return errors.New("it has colours of a block outside the picture")
	}
	from := d.at(x, y)
	if from.mode == nil || from.mode.cem != mode.cem {
		return errors.New("it has colours of a block of another kind")
	}
	if source == hdr6Left || source == hdr6Above {
		b.colors, b.values = from.colors, from.values
		return d.finish(b)
	}
	hdr6Requantize(b.values[:numbers], b.colors, from.values[:numbers], from.colors, mode.cem)
	scale := astc.ColorScale(b.colors)
	for i := range numbers {
		rank := int(scale.Rank[b.values[i]]) + int(d.bits(5)) - 16
		if rank < 0 || rank >= scale.Levels() {
			return errors.New("a colour beyond its range")
		}
		b.values[i] = scale.Ranked[rank]
	}
	return d.finish(b)
}

// finish reads weights and packs the block.
func (d *hdr6) finish(b hdr6Block) error {
	mode := b.mode
	colors, weights := mode.ranges()
	p := astc.Parts{
		Width: mode.width, Height: mode.height, Dual: mode.planes == 2, Component: mode.component, WeightRange: weights, ColorRange: colors,
		Partitions: mode.subsets, Seed: b.seed, Mode: mode.cem,
	}
	if b.one {
		p.Partitions = 1
	}
	n, _ := p.Count()
	raw := d.weights[:n]
	d.numbers(raw, astc.WeightScale(mode.weights))
	if mode.weights != weights {
		from, to := astc.WeightScale(mode.weights), astc.WeightScale(weights)
		for i, w := range raw {
			raw[i] = to.Nearest[from.Values[w]]
		}
	}
	if mode.width*mode.height == 4 && mode.planes == 1 {
		p.Width, p.Height = 4, 4
		d.widen(&p.Weights, raw, astc.WeightScale(weights))
	} else {
		copy(p.Weights[:], raw)
	}
	each := astc.ModeNumbers(mode.cem)
	for s := range int(p.Partitions) {
		hdr6Requantize(p.Colors[each*s:][:each], colors, b.values[each*s:][:each], b.colors, mode.cem)
	}
	if !p.Pack(d.out()) {
		return errors.New("it is no block of ASTC")
	}
	*d.at(d.x, d.y) = b
	d.advance()
	return nil
}

// widen makes a grid of 4×4 weights of one of 2×2, as ASTC does for texels.
func (d *hdr6) widen(dst *[64]uint8, src []uint8, scale *astc.Scale) {
	place := [4]int{0, 5, 11, 16} // sixteenths
	for y, t := range place {
		for x, s := range place {
			both := (s*t + 8) >> 4
			parts := [4]int{16 - s - t + both, s - both, t - both, both}
			total := 8
			for k, part := range parts {
				if part == 0 {
					continue
				}
				from := k
				if d.first { // it took the second weight or the first one, by the place of the widened one
					right, below := k&1, k>>1
					if s == 16 {
						right = 0
					}
					if t == 16 {
						below = 0
					}
					if from = 0; x+right+2*(y+below) < 4 {
						from = 1
					}
				}
				total += part * int(scale.Values[src[from]])
			}
			dst[4*y+x] = scale.Nearest[total>>4]
		}
	}
}

// hdr6Requantize puts the numbers of a subset's colours into another range. Upper bits that say how the others are to be read stay
// as they are.
func hdr6Requantize(dst []uint8, to uint8, src []uint8, from uint8, cem uint8) {
	if from == to {
		copy(dst, src)
		return
	}
	var values [6]uint8
	for i, n := range src {
		values[i] = astc.ColorScale(from).Values[n]
	}
	scale := astc.ColorScale(to)
	if scale.Levels() == 256 {
		copy(dst, values[:])
		return
	}
	keep := [6]uint8{0xC0, 0xE0, 0xE0, 0xE0}
	if cem == cemDirect {
		keep = [6]uint8{0, 0xC0, 0xC0, 0xC0, 0xE0, 0xE0}
		if values[4]&values[5]&0x80 != 0 {
			keep = [6]uint8{}
		}
	}
	for i := range src {
		dst[i] = nearestKeeping(scale, values[i], keep[i])
	}
}

// nearestKeeping returns the number that is nearest to a value among those whose values have the same bits under a mask, of its two
// or three upper bits.
func nearestKeeping(scale *astc.Scale, value, mask uint8) uint8 {
	if mask == 0 {
		return scale.Nearest[value]
	}
	best, number := 256, uint8(0)
	for n, v := range scale.Values {
		if d := max(int(v)-int(value), int(value)-int(v)); v&mask == value&mask && d < best {
			best, number = d, uint8(n)
		}
	}
	return number
}

// truncated reads a number below n in truncated binary code, n ≥ 2.
func (r *reader) truncated(n uint32) uint32 {
	k := uint(bits.Len32(n)) - 1
	short := 2<<k - n
	v := r.bits(k)
	if v >= short {
		v = v<<1 + r.bits(1) - short
	}
	return v
}

// numbers reads numbers of a range. Trits of five stand together in 8 bits and quints of three in 7, the first one lowest, before
// the bits of all numbers; the last group is cut to what its numbers need.
func (r *reader) numbers(dst []uint8, s *astc.Scale) {
	group, base := 1, uint32(1)
	var size [6]uint
	switch {
	case s.Trit == 1:
		group, base, size = 5, 3, [6]uint{0, 2, 4, 5, 7, 8}
	case s.Quint == 1:
		group, base, size = 3, 5, [6]uint{0, 3, 5, 7}
	}
	for i := 0; i < len(dst); i += group {
		n := min(group, len(dst)-i)
		v := r.bits(size[n])
		for k := range n {
			dst[i+k] = uint8(v % base << s.Bits)
			v /= base
		}
	}
	for i := range dst {
		dst[i] |= uint8(r.bits(s.Bits))
	}
}
