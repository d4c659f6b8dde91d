package basis

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/pumice-gpu/pumice/internal/format/bc"
)

// XUBC7 is a slice of XUBC7, blocks of BC7 of which each is told by those before it.
type XUBC7 struct {
	Width, Height int // in texels
	Data          []byte
	Inflate       Inflate
}

// XUBC7WorkBytes is the memory that decoding takes besides its result and what is inflated, which is XUBC7Inflated at most.
func XUBC7WorkBytes(width int) int64 { return 64<<10 + nearbyRows*96*(int64(width)/4+1) }

// XUBC7Inflated is the most that the streams of a slice may be together: those of a block have less than 128 bytes.
func XUBC7Inflated(width, height int) int64 {
	return 8192 + 128*(int64(width)/4+1)*(int64(height)/4+1)
}

// First bytes of slices: of streams, and of small pictures of plain blocks, opaque or not.
const (
	xbStreams = 0xB7
	xbSmall   = 0xB8
	xbEnd     = 0x6A // the last byte of streams
	xbMost    = 16384
	xbStripes = 16 // at most
)

// Streams by their number.
const (
	xbHeader   = iota
	xbCommands // a byte for each block
	xbConfigs
	xbPatterns2 // of two subsets
	xbPatterns3
	xbPredictors
	xbMeans
	xbMeansLarge // which nobody writes
	xbCoefficients
	xbSigns                 // bits
	xbPBits                 // bits
	xbEnds                  // four of channels with six bits and more, and four with fewer
	xbEndsRaw  = xbEnds + 8 // bits
	xbEndsFrom = xbEndsRaw + 1
	xbWeights  = xbEndsRaw + 2
	xbSolid    = xbEndsRaw + 3
	xbDeltas   = xbEndsRaw + 4 // three: of weights of 2, 3, 4 bits
	xbSeek     = xbDeltas + 3
)

// xbBits says whether a stream is one of bits.
func xbBits(id int) bool { return id == xbSigns || id == xbPBits || id == xbEndsRaw }

// stream are the bytes of a stream, or its bits, from at to end.
type stream struct {
	data    []byte
	at, end int
}

var errStream = errors.New("a stream ends too early")

// byte returns the next byte.
func (s *stream) byte() (uint8, error) {
	if s.at >= s.end {
		return 0, errStream
	}
	s.at++
	return s.data[s.at-1], nil
}

// bits returns the next n bits, n ≤ 8, the lowest first.
func (s *stream) bits(n uint) (v uint8, err error) {
	if int(n) > s.end-s.at {
		return 0, errStream
	}
	for i := range n {
		v |= s.data[s.at>>3] >> (s.at & 7) & 1 << i
		s.at++
	}
	return v, nil
}

// xubc7 is a slice that is decoded.
type xubc7 struct {
	streams       [128][]byte
	s             [xbSeek]stream // those of a stripe
	alpha         bool
	quality       int
	width, height int // in blocks
	x, y, top     int // top is the first row of the stripe
	rows          []bc.Fields7
	dst           []byte
}

// Decode decodes the slice to blocks of BC7, row by row; dst holds all of them.
func (p *XUBC7) Decode(ctx context.Context, dst []byte) error {
	d := &xubc7{dst: dst, width: (p.Width + 3) / 4, height: (p.Height + 3) / 4}
	if len(p.Data) < 3 {
		return errEnd
	}
	switch p.Data[0] {
	case xbSmall, xbSmall + 1:
		return d.small(p.Data)
	case xbStreams:
	default:
		return fmt.Errorf("it begins with %#02x", p.Data[0])
	}
	if err := d.open(p); err != nil {
		return err
	}
	starts, err := d.header(p)
	if err != nil {
		return err
	}
	d.rows = make([]bc.Fields7, nearbyRows*d.width)
	stripes := len(starts) - 1
	for i := range stripes {
		for id := xbCommands; id < xbSeek; id++ {
			d.s[id] = stream{d.streams[id], starts[i][id], starts[i+1][id]}
		}
		rows := d.height / stripes
		if i < d.height%stripes {
			rows++
		}
		for d.top = d.y; d.y < d.top+rows; d.y++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			for d.x = range d.width {
				if err := d.block(); err != nil {
					return fmt.Errorf("block (%d, %d): %w", d.x, d.y, err)
				}
			}
		}
		for id := xbCommands; id < xbSeek; id++ {
			if left := d.s[id].end - d.s[id].at; left >= 8 || left > 0 && !xbBits(id) {
				return fmt.Errorf("stream %d does not end with the blocks", id)
			}
		}
	}
	return nil
}

// small copies plain blocks.
func (d *xubc7) small(data []byte) error {
	if int(data[1]) != d.width || int(data[2]) != d.height || len(data) != 3+len(d.dst) {
		return fmt.Errorf("%d × %d blocks in %d bytes, the image has %d × %d", data[1], data[2], len(data), d.width, d.height)
	}
	for at := 3; at < len(data); at += bc.LargeBlock {
		if data[at] == 0 {
			return errors.New("a block of no mode")
		}
	}
	copy(d.dst, data[3:])
	return nil
}

// open finds the streams.
func (d *xubc7) open(p *XUBC7) error {
	rest := p.Data[2:]
	left := XUBC7Inflated(p.Width, p.Height)
	number := func() (int64, error) {
		n, k := binary.Uvarint(rest)
		if k <= 0 || k > 5 || n > 1<<32-1 {
			return 0, errEnd
		}
		rest = rest[k:]
		return int64(n), nil
	}
	for range p.Data[1] {
		if len(rest) == 0 {
			return errEnd
		}
		id, packed := rest[0]&127, rest[0] > 127
		rest = rest[1:]
		size, err := number()
		if err != nil {
			return err
		}
		stored := size
		if packed {
			if stored, err = number(); err != nil {
				return err
			}
		}
		switch {
		case size == 0 || stored == 0 || packed && stored >= size:
			return fmt.Errorf("stream %d has %d of %d bytes", id, stored, size)
		case d.streams[id] != nil:
			return fmt.Errorf("stream %d is there twice", id)
		case stored > int64(len(rest)):
			return errEnd
		}
		data := rest[:stored]
		rest = rest[stored:]
		if packed {
			if data, err = p.Inflate(data, size, left); err != nil {
				return fmt.Errorf("stream %d: %w", id, err)
			}
			left -= size
		}
		d.streams[id] = data
	}
	if len(rest) != 1 || rest[0] != xbEnd {
		return errors.New("the streams do not end where they should")
	}
	return nil
}

// header reads the header, and where streams of stripes begin, with the ends.
func (d *xubc7) header(p *XUBC7) (starts [][xbSeek]int, err error) {
	h := d.streams[xbHeader]
	if len(h) != 7 {
		return nil, fmt.Errorf("a header of %d bytes", len(h))
	}
	if w, h := int(binary.LittleEndian.Uint16(h)), int(binary.LittleEndian.Uint16(h[2:])); w != p.Width || h != p.Height || w > xbMost || h > xbMost {
		return nil, fmt.Errorf("a slice of %d × %d texels, the image has %d × %d; up to %d in a direction", w, h, p.Width, p.Height, xbMost)
	}
	d.quality, d.alpha = int(h[4]), h[5] == 1
	stripes := int(h[6])
	switch {
	case d.quality < 1 || d.quality > 100:
		return nil, fmt.Errorf("quality %d", d.quality)
	case h[5] > 1:
		return nil, fmt.Errorf("flags %#02x", h[5])
	case stripes < 1 || stripes > min(d.height, xbStripes):
		return nil, fmt.Errorf("%d stripes of %d rows", stripes, d.height)
	case len(d.streams[xbCommands]) != d.width*d.height:
		return nil, fmt.Errorf("%d commands for %d blocks", len(d.streams[xbCommands]), d.width*d.height)
	}
	starts = make([][xbSeek]int, stripes+1)
	for id := range xbSeek {
		if starts[stripes][id] = len(d.streams[id]); xbBits(id) {
			starts[stripes][id] *= 8
		}
	}
	if stripes == 1 {
		return starts, nil
	}
	// Each start is told by its difference to the one before, in bytes that stand apart: all lowest ones first.
	seek, count := d.streams[xbSeek], stripes*(xbSeek-1)
	if len(seek) != 4*count {
		return nil, fmt.Errorf("a table of %d bytes for %d stripes", len(seek), stripes)
	}
	for i := range stripes {
		for id := 1; id < xbSeek; id++ {
			delta, e := 0, i*(xbSeek-1)+id-1
			for b := 3; b >= 0; b-- {
				delta = delta<<8 | int(seek[b*count+e])
			}
			if i > 0 {
				starts[i][id] = starts[i-1][id]
			} else if delta != 0 {
				return nil, errors.New("the first stripe does not begin with the streams")
			}
			if delta > starts[stripes][id]-starts[i][id] {
				return nil, errors.New("a stripe begins outside")
			}
			starts[i][id] += delta
		}
	}
	return starts, nil
}

// at returns a block of this stripe, nil outside.
func (d *xubc7) at(bx, by int) *bc.Fields7 {
	if bx < 0 || bx >= d.width || by < d.top {
		return nil
	}
	return &d.rows[by%nearbyRows*d.width+bx]
}

// Commands, in the lowest three bits. From xbLike on, a block is configured like a neighbor: to the left, above, and above that one
// to the left and to the right.
const (
	xbRepeatLeft = iota
	xbRepeatAbove
	xbOneColor
	xbNew
	xbLike
)

var (
	errReserved  = errors.New("reserved bits")
	errXBOutside = errors.New("it is like a block outside the stripe")
)

// neighbors returns the blocks to the left, above, and above that one to the left and to the right.
func (d *xubc7) neighbors() [4]*bc.Fields7 {
	return [4]*bc.Fields7{d.at(d.x-1, d.y), d.at(d.x, d.y-1), d.at(d.x-1, d.y-1), d.at(d.x+1, d.y-1)}
}

func (d *xubc7) block() error {
	code, err := d.s[xbCommands].byte()
	if err != nil {
		return err
	}
	near := d.neighbors()
	var f bc.Fields7
	switch command := code & 7; {
	case code > 127 || command <= xbOneColor && code != command:
		return errReserved
	case command <= xbRepeatAbove:
		if near[command] == nil {
			return errXBOutside
		}
		f = *near[command]
	case command == xbOneColor:
		err = d.oneColor(&f, near)
	default:
		err = d.coded(&f, near, int(command), int(code>>3&7), code>>6 == 1)
	}
	if err != nil {
		return err
	}
	*d.at(d.x, d.y) = f
	f.Pack(d.dst[bc.LargeBlock*(d.y*d.width+d.x):])
	return nil
}

// halves are the ends of 7 bits whose mean, with weight 21 of 64, is nearest to a colour, the smallest ones.
var halves = sync.OnceValue(func() *[256][2]uint8 {
	t := &[256][2]uint8{}
	for c := range t {
		best := 1 << 16
		for low := 0; low < 128 && best > 0; low++ {
			for high := 0; high < 128 && best > 0; high++ {
				v := (low<<1|low>>6)*(64-21) + (high<<1|high>>6)*21 + 32
				if e := (v>>6 - c) * (v>>6 - c); e < best {
					best, t[c] = e, [2]uint8{uint8(low), uint8(high)}
				}
			}
		}
	}
	return t
})

// oneColor decodes a block of one colour, told by its difference to the mean of the texels beside and above.
func (d *xubc7) oneColor(f *bc.Fields7, near [4]*bc.Fields7) error {
	var sum [4]int
	n := 0
	add := func(b *bc.Fields7, k int) {
		for i, v := range b.Texel(k) {
			sum[i] += int(v)
		}
		n++
	}
	for i := range 4 {
		if near[0] != nil {
			add(near[0], 4*i+3)
		}
		if near[1] != nil {
			add(near[1], 12+i)
		}
	}
	channels := 3
	if d.alpha {
		channels = 4
	}
	c := [4]uint8{3: 255}
	for i := range channels {
		delta, err := d.s[xbSolid].byte()
		if err != nil {
			return err
		}
		if c[i] = delta; n > 0 {
			c[i] += uint8((sum[i] + n/2) / n)
		}
	}
	f.Mode = 5
	for i := range 3 {
		h := halves()[c[i]]
		f.Ends[0][0][i], f.Ends[0][1][i] = h[0], h[1]
	}
	f.Ends[0][0][3], f.Ends[0][1][3] = c[3], c[3]
	for k := range f.Index[0] {
		f.Index[0][k] = 1
	}
	return nil
}

// coded decodes a block whose ends and indices are told; source says where its ends come from, transform how indices are coded.
func (d *xubc7) coded(f *bc.Fields7, near [4]*bc.Fields7, command, source int, transform bool) error {
	if command == xbNew {
		config, err := d.s[xbConfigs].byte()
		if err != nil {
			return err
		}
		f.Mode, f.Rotation, f.Swap = config&7, config>>3&3, config>>5&1 == 1
		if config > 63 || f.Rotation > 0 && bc.Shape(f.Mode).Index[1] == 0 || f.Swap && f.Mode != 4 {
			return errReserved
		}
	} else {
		from := near[command-xbLike]
		if from == nil {
			return errXBOutside
		}
		f.Mode, f.Rotation, f.Swap = from.Mode, from.Rotation, from.Swap
	}
	shape := bc.Shape(f.Mode)
	if shape.Subsets > 1 {
		var err error
		if f.Partition, err = d.s[xbPatterns2+shape.Subsets-2].byte(); err != nil {
			return err
		}
		if int(f.Partition) >= shape.Patterns {
			return errNoPattern
		}
	}
	var err error
	if source == 0 {
		err = d.rawEnds(f, &shape)
	} else {
		err = d.ends(f, &shape, near, source)
	}
	if err != nil {
		return err
	}
	return d.indices(f, &shape, near, transform)
}

// channels is how many channels ends have.
func channels(s *bc.Shape7) int {
	if s.Alpha > 0 {
		return 4
	}
	return 3
}

func (d *xubc7) rawEnds(f *bc.Fields7, shape *bc.Shape7) error {
	s := &d.s[xbEndsRaw]
	for subset := range shape.Subsets {
		for c := range channels(shape) {
			n := shape.Color
			if c == 3 {
				n = shape.Alpha
			}
			for e := range 2 {
				v, err := s.bits(n)
				if err != nil {
					return err
				}
				f.Ends[subset][e][c] = v
			}
		}
	}
	for subset := range shape.Subsets {
		for e := range shape.PBits {
			v, err := s.bits(1)
			if err != nil {
				return err
			}
			setPBit(f, shape, subset, e, v)
		}
	}
	return nil
}

// setPBit sets a P-bit of an end, or that of both.
func setPBit(f *bc.Fields7, shape *bc.Shape7, subset, end int, v uint8) {
	if f.PBits[subset][end] = v; shape.PBits == 1 {
		f.PBits[subset][1] = v
	}
}

// ends decodes ends that are told by their difference to those of another block.
func (d *xubc7) ends(f *bc.Fields7, shape *bc.Shape7, near [4]*bc.Fields7, source int) error {
	var from *bc.Fields7
	subset := 0
	switch source {
	case 5:
		index, err := d.s[xbEndsFrom].byte()
		if err != nil {
			return err
		}
		if int(index) >= len(nearby) {
			return errReserved
		}
		from = d.at(d.x+nearby[index][0], d.y+nearby[index][1])
	case 6, 7: // the second subset
		from, subset = near[source-6], 1
	default:
		from = near[source-1]
	}
	if from == nil || subset >= bc.Shape(from.Mode).Subsets {
		return errXBOutside
	}
	like := from.Colors(subset)
	for e := range like {
		rotate(&like[e], from)
		rotate(&like[e], f)
	}
	packed, pbits := packEnds(&like, shape)
	green, alpha := 1, 3
	if shape.Index[1] > 0 {
		if alpha = (int(f.Rotation) + 3) & 3; alpha == 1 {
			green = 3
		}
	}
	told := channels(shape)
	opaque := f.Mode == 6 && !d.alpha
	if opaque {
		told = 3
	}
	first := xbEnds
	if shape.Color < 6 {
		first += 4
	}
	for subset := range shape.Subsets {
		var delta [2][4]uint8
		for c := range told {
			for e := range 2 {
				v, err := d.s[first+c].byte()
				if err != nil {
					return err
				}
				delta[e][c] = v
			}
		}
		for e := range shape.PBits {
			v, err := d.s[xbPBits].bits(1)
			if err != nil {
				return err
			}
			setPBit(f, shape, subset, e, (v+pbits[e])&1)
		}
		for e := range 2 {
			for c := range channels(shape) {
				n := shape.Color
				if c == 3 {
					n = shape.Alpha
				}
				v := delta[e][c]
				if c != green && c != alpha {
					v += delta[e][green]
				}
				f.Ends[subset][e][c] = (v + packed[e][c]) & (1<<n - 1)
			}
			if opaque {
				f.Ends[subset][e][3] = 127
			}
		}
	}
	return nil
}

// rotate exchanges alpha for the component that a block's second plane is of.
func rotate(c *[4]uint8, f *bc.Fields7) {
	if f.Rotation > 0 {
		c[3], c[f.Rotation-1] = c[f.Rotation-1], c[3]
	}
}

// packEnds stores colours of 8 bits as a mode does, as near as it can be. Without P-bits they are 0.
func packEnds(like *[2][4]uint8, shape *bc.Shape7) (ends [2][4]uint8, pbits [2]uint8) {
	if shape.PBits == 0 {
		for e := range ends {
			for c, v := range like[e] {
				n := shape.Color
				if c == 3 {
					n = shape.Alpha
				}
				ends[e][c] = uint8((int(v)*(1<<n-1)*2 + 255) / 510)
			}
		}
		return ends, pbits
	}
	n := shape.Color + 1
	best := [2]int{1 << 30, 1 << 30}
	for p := range 2 {
		var trial [2][4]uint8
		var wrong [2]int
		for e := range trial {
			for c, v := range like[e] {
				most := 1<<n - 1
				q := min(max((int(v)*most+255-255*p)/510*2+p, p), most-1+p)
				trial[e][c] = uint8(q >> 1)
				if c < channels(shape) {
					got := q << (8 - n)
					got |= got >> n
					wrong[e] += (got - int(v)) * (got - int(v))
				}
			}
		}
		if shape.PBits == 1 { // one for both
			wrong[0] += wrong[1]
			wrong[1] = wrong[0]
		}
		for e := range trial {
			if wrong[e] < best[e] {
				best[e], ends[e], pbits[e] = wrong[e], trial[e], uint8(p)
			}
		}
	}
	return ends, pbits
}
