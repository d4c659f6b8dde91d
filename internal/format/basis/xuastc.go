package basis

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/internal/format/astc"
)

// Inflate undoes Zstandard's compression of part of a slice to size bytes, most at most, in memory that is paid for. Where the size is
// below 0, the part says it.
type Inflate func(src []byte, size, most int64) ([]byte, error)

// XUASTC is a slice of XUASTC LDR.
type XUASTC struct {
	Width, Height           int // in texels
	BlockWidth, BlockHeight int
	Data                    []byte
	Inflate                 Inflate
}

// XUASTCBlockSize says whether there are blocks of this size.
func XUASTCBlockSize(width, height int) bool {
	for _, s := range xuastcSizes {
		if int(s[0]) == width && int(s[1]) == height {
			return true
		}
	}
	return false
}

// Syntaxes of slices, their first byte.
const (
	xuastcArith  = 0
	xuastcHybrid = 1
	xuastcZstd   = 2

	xuastcMarker = 1 // 5 bits before the header
	xuastcEnd    = 0xAF

	// xuastcMost is the most that a block takes of inflated parts: a mode, colours, and weights that are coefficients.
	xuastcMost = 160
)

// Where the bytes of Zstandard's syntax are: their lengths follow the first byte. Hybrid's are the arithmetic stream and all from
// xuMean on.
const (
	xuRaw = iota
	xuMode
	xuSolid
	xuReuse
	xuContract
	xuEnds // six: deltas of colours in ranges of up to 8, 16, 32, 64, 128, 256 levels

	xuMean         = xuEnds + 6
	xuMeanFine     = xuMean + 1
	xuRuns         = xuMean + 2
	xuCoefficients = xuMean + 3
	xuSigns        = xuMean + 4
	xuWeights      = xuMean + 5 // four: of up to 4, 8, 16, 32 levels
	xuParts        = xuWeights + 4
)

// packed are numbers of 1, 2, 4 or 8 bits, always as many in a stream, the first one lowest in its byte.
type packed struct {
	data []byte
	buf  uint32
	n    uint
	over bool
}

func (p *packed) take(n uint) int {
	if p.n == 0 {
		p.n = 8
		if len(p.data) == 0 {
			p.over, p.buf = true, 0
		} else {
			p.buf, p.data = uint32(p.data[0]), p.data[1:]
		}
	}
	v := p.buf & (1<<n - 1)
	p.buf >>= n
	p.n -= n
	return int(v)
}

// xuBlock is what following blocks may take over from a block.
type xuBlock struct {
	mode   int16 // -1: it has one colour
	seed   uint16
	cem    uint8
	color  [4]uint8 // of one colour
	values [18]uint8
	kind   xuastcKind
	// What the arithmetic profiles' models depend on.
	contracts, transformed, reused, known bool
}

// xuastc is a slice that is decoded.
type xuastc struct {
	streams       [xuParts]packed
	raw           reader
	d             *arith
	m             *xuModels
	size          int
	modes         *xuastcModes
	seeds         [2][]uint16 // of two and three subsets
	alpha         bool
	quality       float32 // 0: there are no coefficients
	width, height int     // in blocks
	x, y          int
	rows          []xuBlock // of the last nearbyRows rows
	dst           []byte
	block         astc.Parts
	patterns      [2][64]int16 // that were told lately
	lately        [128]int16   // modes
}

// XUASTCWorkBytes is the memory that decoding takes besides its result and what is inflated, which is XUASTCInflated at most.
func XUASTCWorkBytes(width, blockWidth int) int64 {
	return 1<<20 + nearbyRows*96*(int64(width)/int64(blockWidth)+1)
}

// XUASTCInflated is the most that the parts of a slice may be together.
func XUASTCInflated(width, height, blockWidth, blockHeight int) int64 {
	return xuastcMost * (int64(width)/int64(blockWidth) + 1) * (int64(height)/int64(blockHeight) + 1)
}

// Decode decodes the slice to blocks of ASTC, row by row; dst holds all of them.
func (s *XUASTC) Decode(ctx context.Context, dst []byte) error {
	x := &xuastc{dst: dst, size: -1, width: (s.Width + s.BlockWidth - 1) / s.BlockWidth, height: (s.Height + s.BlockHeight - 1) / s.BlockHeight}
	for i, size := range xuastcSizes {
		if int(size[0]) == s.BlockWidth && int(size[1]) == s.BlockHeight {
			x.size = i
		}
	}
	if x.size < 0 {
		return fmt.Errorf("blocks of %d × %d texels", s.BlockWidth, s.BlockHeight)
	}
	if len(s.Data) == 0 {
		return errEnd
	}
	next, end, err := x.open(s)
	if err != nil {
		return err
	}
	x.modes = modesOf(x.size)
	for i := range x.seeds {
		x.seeds[i] = astc.UniqueSeeds(s.BlockWidth, s.BlockHeight, i+2)
		for k := range x.patterns[i] {
			x.patterns[i][k] = -1
		}
	}
	for i := range x.lately {
		x.lately[i] = -1
	}
	x.rows = make([]xuBlock, nearbyRows*x.width)
	for x.y = range x.height {
		if err := ctx.Err(); err != nil {
			return err
		}
		for x.x = 0; x.x < x.width; {
			at := x.x
			if err := next(); err != nil {
				return fmt.Errorf("block (%d, %d): %w", at, x.y, err)
			}
			if x.raw.over > 0 || x.d != nil && x.d.over > arithSlack {
				return errEnd
			}
		}
	}
	for i := range x.streams {
		if x.streams[i].over {
			return errEnd
		}
	}
	return end()
}

// open reads the slice's beginning. What it returns decodes the next blocks, and checks the end.
func (x *xuastc) open(s *XUASTC) (next, end func() error, err error) {
	switch s.Data[0] {
	case xuastcArith:
		err = x.openArith(s, s.Data[1:])
	case xuastcHybrid:
		var stream []byte
		if stream, err = x.parts(s, xuMean); err == nil {
			err = x.openArith(s, stream)
		}
	case xuastcZstd:
		var stream []byte
		if stream, err = x.parts(s, xuMode); err == nil {
			x.raw = reader{data: stream}
			err = x.header(s, x.raw.bits)
		}
		return x.nextZstd, x.endZstd, err
	default:
		err = fmt.Errorf("syntax %d is not known", s.Data[0])
	}
	return x.nextArith, x.endArith, err
}

func (x *xuastc) openArith(s *XUASTC, stream []byte) error {
	if len(stream) < arithLeast {
		return errEnd
	}
	x.d = newArith(stream)
	x.m = newXUModels(s.Data[0] == xuastcArith)
	return x.header(s, x.d.bits)
}

// parts cuts and inflates the parts of a slice. The first one is returned as it is, the others are streams from the given one on.
func (x *xuastc) parts(s *XUASTC, first int) ([]byte, error) {
	lengths := 1 + xuParts - first
	if len(s.Data) < 1+4*(lengths+1) {
		return nil, errEnd
	}
	rest := s.Data[1+4*(lengths+1):] // one length is not used
	left := XUASTCInflated(s.Width, s.Height, s.BlockWidth, s.BlockHeight)
	var stream []byte
	for i := range lengths {
		n := binary.LittleEndian.Uint32(s.Data[1+4*i:])
		if uint64(n) > uint64(len(rest)) {
			return nil, errors.New("its parts end outside")
		}
		part := rest[:n]
		rest = rest[n:]
		if i == 0 {
			stream = part
			continue
		}
		which := first + i - 1
		if which != xuSigns && n > 0 {
			var err error
			if part, err = s.Inflate(part, -1, left); err != nil {
				return nil, fmt.Errorf("part %d: %w", i, err)
			}
			left -= int64(len(part))
		}
		x.streams[which] = packed{data: part}
	}
	return stream, nil
}

// header reads what all syntaxes begin with.
func (x *xuastc) header(s *XUASTC, bits func(uint) uint32) error {
	if marker := bits(5); marker != xuastcMarker {
		return fmt.Errorf("it begins with %d", marker)
	}
	if size := bits(4); int(size) != x.size {
		return fmt.Errorf("blocks of size %d, those of the image have size %d", size, x.size)
	}
	bits(1) // sRGB, as the image says itself
	if w, h := bits(16), bits(16); int(w) != s.Width || int(h) != s.Height {
		return fmt.Errorf("a slice of %d × %d texels, the image has %d × %d", w, h, s.Width, s.Height)
	}
	x.alpha = bits(1) != 0
	if bits(1) != 0 {
		if x.quality = float32(bits(8)) / 2; x.quality <= 0 || x.quality > 100 {
			return fmt.Errorf("quality %v", x.quality)
		}
	}
	return nil
}

// at returns a block of this row or one of the rows above that are kept.
func (x *xuastc) at(bx, by int) *xuBlock { return &x.rows[by%nearbyRows*x.width+bx] }

// out returns the place of a block.
func (x *xuastc) out(bx, by int) []byte {
	return x.dst[astc.BlockBytes*(by*x.width+bx):][:astc.BlockBytes]
}

// neighbors returns the blocks to the left, above, and above that one; nil outside the picture.
func (x *xuastc) neighbors() (near [3]*xuBlock) {
	if x.x > 0 {
		near[0] = x.at(x.x-1, x.y)
	}
	if x.y > 0 {
		near[1] = x.at(x.x, x.y-1)
	}
	if x.x > 0 && x.y > 0 {
		near[2] = x.at(x.x-1, x.y-1)
	}
	return near
}

// run repeats the block before, or above at the beginning of a row, to the end of the row at most.
func (x *xuastc) run(n int) error {
	from, above := x.x-1, x.y
	if x.x == 0 {
		from, above = 0, x.y-1
	}
	if above < 0 {
		return errors.New("a run before the first block")
	}
	if n < 1 || n > x.width-x.x {
		return fmt.Errorf("a run of %d blocks, %d are left in the row", n, x.width-x.x)
	}
	last, block := *x.at(from, above), x.out(from, above)
	last.reused = true
	for range n {
		*x.at(x.x, x.y) = last
		copy(x.out(x.x, x.y), block)
		x.x++
	}
	return nil
}

// solid decodes a block of one colour, told by its difference to the block before.
func (x *xuastc) solid(delta func(component int) int) {
	near := x.neighbors()
	from := near[0]
	if from == nil {
		from = near[1]
	}
	var c [4]uint8
	switch {
	case from == nil:
	case from.mode < 0:
		c = from.color
	default:
		low, high := colorsOf(from.cem, from.values[:astc.ModeNumbers(from.cem)], x.modes.list[from.mode].colors)
		for i := range c {
			c[i] = uint8((int(low[i]) + int(high[i]) + 1) >> 1)
		}
	}
	for i := range 3 {
		c[i] += uint8(delta(i))
	}
	if x.alpha {
		c[3] += uint8(delta(3))
	} else {
		c[3] = 255
	}
	*x.at(x.x, x.y) = xuBlock{
		mode: -1, color: c, contracts: true, transformed: x.quality > 0, known: true, kind: xuastcKind{cem: cemRGB},
	}
	var wide [4]uint16
	for i, v := range c {
		wide[i] = uint16(v) * 257
	}
	astc.PackVoid(x.out(x.x, x.y), wide, false)
	x.x++
}

var (
	errNoNeighbor = errors.New("it is like a block outside the picture, or of one colour")
	errNoPattern  = errors.New("no such pattern")
	errNoMode     = errors.New("no such mode")
	errNoSource   = errors.New("its colours come from a block outside the picture, or of one colour")
)

// like returns a block with the mode and pattern of a neighbor.
func like(b *xuBlock) (xuBlock, error) {
	if b == nil || b.mode < 0 {
		return xuBlock{}, errNoNeighbor
	}
	n := *b
	n.reused, n.transformed, n.contracts = true, false, false
	return n, nil
}

// predicted finds the ranks of a block's colours before their differences are added. index says where the block is that they come
// from, contract whether a subset's colours have contracted blue.
func (x *xuastc) predicted(b *xuBlock, index int, contract func() bool) (ranks [18]int, err error) {
	if index >= len(nearby) {
		return ranks, errNoSource
	}
	bx, by := x.x+nearby[index][0], x.y+nearby[index][1]
	if bx < 0 || bx >= x.width || by < 0 {
		return ranks, errNoSource
	}
	from := x.at(bx, by)
	if from.mode < 0 {
		return ranks, errNoSource
	}
	mode := &x.modes.list[b.mode]
	var contracted [3]bool
	if hasContraction(b.cem) {
		for i := range mode.subsets {
			contracted[i] = contract()
		}
	}
	n := astc.ModeNumbers(b.cem)
	scale := astc.ColorScale(mode.colors)
	var numbers [8]uint8
	for i := range mode.subsets {
		predict(numbers[:n], b.cem, mode.colors, from.values[:astc.ModeNumbers(from.cem)], from.cem, x.modes.list[from.mode].colors, contracted[i])
		for k, number := range numbers[:n] {
			ranks[int(i)*n+k] = int(scale.Rank[number])
		}
	}
	return ranks, nil
}

// finish packs a block whose weights were read.
func (x *xuastc) finish(b xuBlock) error {
	mode := &x.modes.list[b.mode]
	p := &x.block
	weights := p.Weights
	*p = mode.parts()
	p.Weights, p.Mode, p.Seed, p.Colors = weights, b.cem, b.seed, b.values
	if !p.Pack(x.out(x.x, x.y)) {
		return errors.New("it is no block of ASTC")
	}
	*x.at(x.x, x.y) = b
	x.x++
	return nil
}

// planes returns how many planes of weights a mode has.
func (m *xuastcMode) planes() int {
	if m.second >= 0 {
		return 2
	}
	return 1
}

// plain reads weights, each told by its difference to the one before in its plane.
func (x *xuastc) plain(mode *xuastcMode, delta func() int) {
	scale, planes := astc.WeightScale(mode.weights), mode.planes()
	for plane := range planes {
		w := scale.Levels() / 2
		for i := range int(mode.width) * int(mode.height) {
			w = (w + delta()) % scale.Levels()
			x.block.Weights[plane+i*planes] = scale.Ranked[w]
		}
	}
}

// transformed reads weights as coefficients.
func (x *xuastc) transformed(b *xuBlock, mean func(fine bool) int, run, size func() int, negative func() bool) error {
	mode := &x.modes.list[b.mode]
	planes, total := mode.planes(), int(mode.width)*int(mode.height)
	order := zigzags()[mode.width][mode.height]
	extent := xuastcSizes[x.size]
	fine, level := fineMean(mode.weights)
	for plane := range planes {
		var coefficients [64]float32
		step := newDCTStep(x.quality, extent[0], extent[1], x.span(b, plane), mode.weights)
		dc := float32(mean(fine)) * level
		for at := 1; at < total; at++ {
			zeros := run()
			if zeros == dctRunEnd {
				break
			}
			if at += zeros; at >= total {
				return errors.New("a coefficient behind the last one")
			}
			minus := negative()
			c := size() + 1
			if minus {
				c = -c
			}
			k := int(order[at])
			coefficients[k] = step.value(c, k%int(mode.width), k/int(mode.width))
		}
		dctWeights(x.block.Weights[plane:], planes, int(mode.width), int(mode.height), dc, &coefficients, astc.WeightScale(mode.weights))
	}
	return nil
}

// span is how far apart the colours of a block are, in the components of a plane: the farthest of all subsets.
func (x *xuastc) span(b *xuBlock, plane int) float32 {
	mode := &x.modes.list[b.mode]
	n, most := astc.ModeNumbers(b.cem), 0
	for s := range int(mode.subsets) {
		low, high := colorsOf(b.cem, b.values[s*n:][:n], mode.colors)
		sum := 0
		for c := range 4 {
			if mode.second >= 0 && (c == int(mode.second)) != (plane == 1) {
				continue
			}
			d := int(high[c]) - int(low[c])
			sum += d * d
		}
		most = max(most, sum)
	}
	return float32(math.Sqrt(float64(most)))
}

// fastWeights reads weights of the syntaxes with inflated parts.
func (x *xuastc) fastWeights(b *xuBlock) error {
	s := &x.streams
	if b.transformed {
		return x.transformed(b, func(fine bool) int {
			if fine {
				return s[xuMeanFine].take(8)
			}
			return s[xuMean].take(4)
		}, func() int { return s[xuRuns].take(8) }, func() int { return s[xuCoefficients].take(8) }, func() bool { return s[xuSigns].take(1) == 1 })
	}
	mode := &x.modes.list[b.mode]
	stream, bits := &s[xuWeights+3], uint(8)
	switch levels := astc.WeightScale(mode.weights).Levels(); {
	case levels <= 4:
		stream, bits = &s[xuWeights], 2
	case levels <= 8:
		stream, bits = &s[xuWeights+1], 4
	case levels <= 16:
		stream, bits = &s[xuWeights+2], 4
	}
	x.plain(mode, func() int { return stream.take(bits) })
	return nil
}

// hash is where a number is kept among those that were told lately, of 2ⁿ.
func hash(v uint32, mask uint32) uint32 { return v * 2654435769 & mask }

// withOffset is the mode with offsets of a direct mode.
func withOffset(cem uint8) uint8 {
	switch cem {
	case cemRGB:
		return cemRGBOffset
	case cemRGBA:
		return cemRGBAOffset
	}
	return cem
}

// Bits of the byte that a block begins with in Zstandard's syntax.
const (
	zstdOffset    = 1 << 3
	zstdKnown     = 1 << 4 // the pattern
	zstdDelta     = 1 << 5 // colours are differences
	zstdKnownMode = 1 << 6
	zstdTransform = 1 << 7
)

// nextZstd decodes the next blocks in Zstandard's syntax.
func (x *xuastc) nextZstd() error {
	code := x.streams[xuMode].take(8)
	near := x.neighbors()
	var b xuBlock
	var err error
	switch {
	case code&3 == 1:
		return x.run(code>>2 + 1)
	case code&15 == 3:
		x.solid(func(int) int { return x.streams[xuSolid].take(8) })
		return nil
	case code&3 == 3:
		b, err = like(near[code>>2&3-1])
	default:
		b, err = x.zstdConfig(code, near)
		if err == nil {
			err = x.zstdColors(&b, code)
		}
	}
	if err != nil {
		return err
	}
	b.transformed = x.quality > 0 && code&zstdTransform != 0
	if err := x.fastWeights(&b); err != nil {
		return err
	}
	return x.finish(b)
}

func (x *xuastc) zstdConfig(code int, near [3]*xuBlock) (xuBlock, error) {
	if which := code >> 1 & 3; which < 3 {
		return like(near[which])
	}
	var b xuBlock
	if code&zstdKnownMode != 0 {
		b.mode = x.lately[x.raw.bits(7)]
	} else {
		b.mode = int16(x.raw.truncated(uint32(len(x.modes.list))))
		x.lately[hash(uint32(b.mode), 127)] = b.mode
	}
	if b.mode < 0 {
		return b, errNoMode
	}
	mode := &x.modes.list[b.mode]
	b.cem = mode.cem
	if code&zstdOffset != 0 {
		b.cem = withOffset(b.cem)
	}
	if mode.subsets > 1 {
		seeds, patterns := x.seeds[mode.subsets-2], &x.patterns[mode.subsets-2]
		var n int16
		if code&zstdKnown != 0 {
			n = patterns[x.raw.bits(6)]
		} else {
			n = int16(x.raw.truncated(uint32(len(seeds))))
			patterns[hash(uint32(n), 63)] = n
		}
		if n < 0 || int(n) >= len(seeds) {
			return b, errNoPattern
		}
		b.seed = seeds[n]
	}
	return b, nil
}

func (x *xuastc) zstdColors(b *xuBlock, code int) error {
	mode := &x.modes.list[b.mode]
	scale := astc.ColorScale(mode.colors)
	numbers := b.values[:int(mode.subsets)*astc.ModeNumbers(b.cem)]
	if code&zstdDelta == 0 {
		x.raw.numbers(numbers, scale)
		return nil
	}
	ranks, err := x.predicted(b, x.streams[xuReuse].take(8), func() bool { return x.streams[xuContract].take(1) == 1 })
	if err != nil {
		return err
	}
	levels := scale.Levels()
	which, bits := 0, uint(4)
	for levels > 8<<which {
		which++
	}
	if which > 1 {
		bits = 8
	}
	for i := range numbers {
		numbers[i] = scale.Ranked[(ranks[i]+x.streams[xuEnds+which].take(bits))%levels]
	}
	return nil
}

func (x *xuastc) endZstd() error {
	if x.raw.bits(8) != xuastcEnd || x.raw.over > 0 || len(x.streams[xuMode].data) > 0 {
		return errors.New("the blocks do not end where they should")
	}
	return nil
}
