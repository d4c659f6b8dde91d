package radiance

import (
	"encoding/binary"
	"strings"
	"sync"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// DWAA and DWAB: channels by the end of their names. Colours lose detail as JPEG's do: blocks of 8 × 8 samples
// of brightness that is even to the eye, red, green and blue of a layer as luma and chroma, by a cosine
// transform; its numbers are 16-bit floats. Alpha is run-length coded, others are deflated.

// dwaBuffers is memory for them.
type dwaBuffers struct {
	ac, dc         []uint16
	bytes          []byte // of AC and DC, inflated
	unknown        []byte
	packedRLE, rle []byte
	huffman        huffman
	rules          []dwaRule // of each channel
	starts         []int     // of each channel in what is decoded
	done           []bool
}

// dwaScheme is how a channel is stored.
type dwaScheme byte

const (
	dwaUnknown dwaScheme = iota
	dwaLossy
	dwaRLE
)

// dwaRule says how channels are stored whose names end in suffix and which have a type.
type dwaRule struct {
	scheme dwaScheme
	color  int // 0, 1, 2: red, green, blue; -1: none
}

// dwaName is what a rule is for; with fold, suffix has small letters and capitals are like them.
type dwaName struct {
	suffix string
	kind   int
	fold   bool
}

type dwaRules map[dwaName]dwaRule

// dwaLegacy are the rules of blocks before version 2, which bring none.
var dwaLegacy = sync.OnceValue(func() dwaRules {
	rules := dwaRules{}
	for _, kind := range []int{exrHalf, exrFloat} {
		for i, names := range []string{"r red", "g grn green", "b blu blue", "y by ry"} {
			for _, n := range strings.Fields(names) {
				rules[dwaName{n, kind, true}] = dwaRule{dwaLossy, (i+1)%4 - 1}
			}
		}
		rules[dwaName{"a", kind, true}] = dwaRule{dwaRLE, -1}
	}
	rules[dwaName{"a", exrUint, true}] = dwaRule{dwaRLE, -1}
	return rules
})

// of returns the rule for a channel.
func (r dwaRules) of(c *exrChannel) dwaRule {
	if rule, ok := r[dwaName{c.base(), c.kind, false}]; ok {
		return rule
	}
	if rule, ok := r[dwaName{strings.ToLower(c.base()), c.kind, true}]; ok {
		return rule
	}
	return dwaRule{dwaUnknown, -1}
}

// readRules reads the rules of a block of version 2 and returns what follows: their size in 16 bits and, for each, a
// name, a byte with the scheme in bits 2 and 3 and the colour from bit 4 on, and the type.
func readRules(data []byte) (rules dwaRules, rest []byte, ok bool) {
	rules = dwaRules{}
	if len(data) < 2 {
		return nil, nil, false
	}
	size := int(binary.LittleEndian.Uint16(data))
	if size < 2 || size > len(data) {
		return nil, nil, false
	}
	r := &exrReader{data[2:size]}
	for len(r.data) > 0 {
		suffix, ok := r.text()
		if !ok || len(r.data) < 2 {
			return nil, nil, false
		}
		v, kind := r.data[0], int(r.data[1])
		r.data = r.data[2:]
		rule := dwaRule{dwaScheme(v >> 2 & 3), int(v>>4) - 1}
		if rule.scheme > dwaRLE || rule.color > 2 || kind > exrFloat || rule.scheme == dwaLossy && kind == exrUint {
			return nil, nil, false
		}
		fold := v&1 != 0
		if fold {
			suffix = strings.ToLower(suffix)
		}
		rules[dwaName{suffix, kind, fold}] = rule
	}
	return rules, data[size:], true
}

// The numbers at the beginning of a block, of 64 bits each.
const (
	dwaVersion = iota
	dwaUnknownSize
	dwaUnknownPacked
	dwaACPacked
	dwaDCPacked
	dwaRLEPacked // deflated
	dwaRLECoded  // run-length coded
	dwaRLESize
	dwaACCount
	dwaDCCount
	dwaACCoding // 0: Huffman codes as in PIZ, 1: deflated
	dwaNumbers
)

// unpackDWA decodes a block; colours that are not read stay as they were.
func (u *exrUnpacker) unpackDWA(c exrChunk, want int) ([]byte, error) {
	var n [dwaNumbers]uint64
	if len(c.packed) < 8*dwaNumbers {
		return nil, errDamaged
	}
	for i := range n {
		n[i] = binary.LittleEndian.Uint64(c.packed[8*i:])
	}
	rest := c.packed[8*dwaNumbers:]
	rules := dwaLegacy()
	if n[dwaVersion] > 2 {
		return nil, errDamaged
	}
	if n[dwaVersion] == 2 {
		var ok bool
		if rules, rest, ok = readRules(rest); !ok {
			return nil, errDamaged
		}
	}
	var sections [4][]byte
	for i, k := range []int{dwaUnknownPacked, dwaACPacked, dwaDCPacked, dwaRLEPacked} {
		if n[k] > uint64(len(rest)) {
			return nil, errDamaged
		}
		sections[i], rest = rest[:n[k]], rest[n[k]:]
	}

	// What there must be of each, from the channels.
	channels := u.part.channels
	d := &u.dwa
	of, starts := grown(&d.rules, len(channels)), grown(&d.starts, len(channels))
	var unknown, rle, at, blocks int
	for i := range channels {
		ch := &channels[i]
		nx, ny := ch.samples(c.width, c.y, c.rows)
		size := nx * ny * ch.bytes()
		of[i], starts[i] = rules.of(ch), at
		at += size
		switch of[i].scheme {
		case dwaLossy:
			blocks += (nx + 7) / 8 * ((ny + 7) / 8)
		case dwaRLE:
			rle += size
		default:
			unknown += size
		}
	}
	if n[dwaUnknownSize] != uint64(unknown) || n[dwaRLESize] != uint64(rle) || n[dwaRLECoded] > uint64(2*rle) ||
		n[dwaACCount] > uint64(63*blocks) || n[dwaDCCount] != uint64(blocks) {
		return nil, errDamaged
	}
	out := grown(&u.out, want)
	if err := u.dwaOthers(c, out, sections[0], sections[3], unknown, rle, int(n[dwaRLECoded])); err != nil {
		return nil, err
	}
	ac, err := u.dwaAC(sections[1], int(n[dwaACCount]), n[dwaACCoding])
	if err != nil {
		return nil, err
	}
	dc := grown(&d.dc, blocks)
	if blocks > 0 {
		b := grown(&d.bytes, 4*blocks)
		if err := u.inflate(b[:2*blocks], sections[2]); err != nil {
			return nil, err
		}
		halves(dc, joined(b[2*blocks:], b[:2*blocks]))
	}
	return out, u.dwaColors(c, out, ac, dc)
}

func halves(out []uint16, b []byte) {
	for i := range out {
		out[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
}

// dwaAC returns what is stored of all blocks but their mean.
func (u *exrUnpacker) dwaAC(packed []byte, count int, coding uint64) ([]uint16, error) {
	d := &u.dwa
	ac := grown(&d.ac, count)
	switch {
	case count == 0:
		return nil, nil
	case coding == 0:
		return ac, d.huffman.unpack(packed, ac)
	case coding == 1:
		b := grown(&d.bytes, 2*count)
		if err := u.inflate(b, packed); err != nil {
			return nil, err
		}
		halves(ac, b)
		return ac, nil
	default:
		return nil, errDamaged
	}
}

// dwaOthers decodes the channels that keep all bits: some as they are, others with all lowest bytes before all
// higher ones.
func (u *exrUnpacker) dwaOthers(c exrChunk, out, packedUnknown, packedRLE []byte, unknown, rle, coded int) error {
	d := &u.dwa
	plain, bytes := grown(&d.unknown, unknown), grown(&d.rle, rle)
	if unknown > 0 {
		if err := u.inflate(plain, packedUnknown); err != nil {
			return err
		}
	}
	if rle > 0 {
		runs := grown(&d.packedRLE, coded)
		if err := u.inflate(runs, packedRLE); err != nil {
			return err
		}
		if err := unpackRLE(bytes, runs); err != nil {
			return err
		}
	}
	for i := range u.part.channels {
		ch := &u.part.channels[i]
		nx, ny := ch.samples(c.width, c.y, c.rows)
		size := ch.bytes()
		to := out[d.starts[i]:][:nx*ny*size]
		switch d.rules[i].scheme {
		case dwaUnknown:
			copy(to, plain)
			plain = plain[len(to):]
		case dwaRLE:
			for k := range size {
				for x, v := range bytes[:nx*ny] {
					to[x*size+k] = v
				}
				bytes = bytes[nx*ny:]
			}
		}
	}
	return nil
}

// dwaColors decodes the channels that lose detail: red, green and blue of a layer together, then others.
func (u *exrUnpacker) dwaColors(c exrChunk, out []byte, ac, dc []uint16) error {
	d := &u.dwa
	channels := u.part.channels
	done := grown(&d.done, len(channels))
	clear(done)
	s := &dwaStream{u: u, c: c, out: out, ac: ac, dc: dc}
	for _, set := range colorSets(channels, d.rules) {
		a, b, e := &channels[set[0]], &channels[set[1]], &channels[set[2]]
		if a.sx != b.sx || a.sy != b.sy || a.sx != e.sx || a.sy != e.sy {
			continue
		}
		for _, i := range set { // those of another scheme have no numbers, so that they run out
			done[i] = true
		}
		if err := s.decode(set[:], true); err != nil {
			return err
		}
	}
	for i := range channels {
		if d.rules[i].scheme != dwaLossy || done[i] {
			continue
		}
		if err := s.decode([]int{i}, !channels[i].perceptual); err != nil {
			return err
		}
	}
	return nil
}

// colorSets returns the channels of red, green and blue of each layer that has all of them, in the order in which the
// layers come.
func colorSets(channels []exrChannel, rules []dwaRule) (sets [][3]int) {
	place := map[string]int{}
	for i := range channels {
		layer := channels[i].layer()
		k, ok := place[layer]
		if !ok {
			k = len(sets)
			place[layer] = k
			sets = append(sets, [3]int{-1, -1, -1})
		}
		if color := rules[i].color; color >= 0 {
			sets[k][color] = i
		}
	}
	whole := sets[:0]
	for _, s := range sets {
		if s[0] >= 0 && s[1] >= 0 && s[2] >= 0 {
			whole = append(whole, s)
		}
	}
	return whole
}

// dwaStream is what is left of a block's numbers, for the channels in the order in which they are stored.
type dwaStream struct {
	u      *exrUnpacker
	c      exrChunk
	out    []byte
	ac, dc []uint16
}

// decode decodes one channel, or three of colours.
func (s *dwaStream) decode(set []int, linear bool) error {
	ch := &s.u.part.channels[set[0]]
	nx, ny := ch.samples(s.c.width, s.c.y, s.c.rows)
	bx, by := (nx+7)/8, (ny+7)/8
	if len(s.dc) < len(set)*bx*by {
		return errDamaged
	}
	dc := s.dc // channel by channel, and AC block by block
	s.dc = s.dc[len(set)*bx*by:]
	read := false // or passed over
	for _, i := range set {
		read = read || s.u.part.channels[i].to != toNothing
	}
	table := dwaLinear()
	var f [3][64]float32
	for y := range by {
		if err := s.u.ctx.Err(); err != nil {
			return err
		}
		for x := range bx {
			for k := range set {
				if !s.block(&f[k], dc[k*bx*by+y*bx+x], read) {
					return errDamaged
				}
			}
			if !read {
				continue
			}
			if len(set) == 3 {
				fromLuma(&f)
			}
			for k, i := range set {
				s.put(i, &f[k], x, y, nx, ny, linear, table)
			}
		}
	}
	return nil
}

// put converts a block of a channel to 16-bit floats, then to light, and writes it.
func (s *dwaStream) put(channel int, f *[64]float32, x, y, nx, ny int, linear bool, table *[1 << 16]uint16) {
	ch := &s.u.part.channels[channel]
	out := s.out[s.u.dwa.starts[channel]:]
	for dy := range min(8, ny-8*y) {
		at := (8*y+dy)*nx + 8*x
		for dx := range min(8, nx-8*x) {
			h := fp.FloatToHalf(f[8*dy+dx])
			if linear {
				h = table[h]
			}
			if ch.kind == exrHalf {
				binary.LittleEndian.PutUint16(out[2*(at+dx):], h)
			} else {
				putFloat(out[4*(at+dx):], fp.HalfToFloat(h))
			}
		}
	}
}

// block reads the numbers of a block and transforms them: 0xff00 stands for zeros to its end, 0xff01 to 0xffff for
// so many of them. What is not read is only passed over.
func (s *dwaStream) block(f *[64]float32, dc uint16, read bool) bool {
	*f = [64]float32{fp.HalfToFloat(dc)}
	rows := 0 // with numbers beside the mean
	for k := 1; k < 64; {
		if len(s.ac) == 0 {
			return false
		}
		v := s.ac[0]
		s.ac = s.ac[1:]
		switch {
		case v == 0xff00:
			k = 64
		case v > 0xff00:
			k += int(v & 0xff)
		default:
			at := zigzag[k]
			f[at] = fp.HalfToFloat(v)
			rows = max(rows, int(at>>3)+1)
			k++
		}
	}
	if !read {
		return true
	}
	if rows == 0 {
		v := f[0] * dctA * dctA
		for i := range f {
			f[i] = v
		}
		return true
	}
	inverseDCT(f, rows)
	return true
}

// fromLuma makes red, green and blue of luma and chroma (Rec. 709's, with chroma around 0).
func fromLuma(f *[3][64]float32) {
	for i := range f[0] {
		y, b, r := f[0][i], f[1][i], f[2][i]
		f[0][i] = y + float32(r*1.5747)
		f[1][i] = y - float32(b*0.1873) - float32(r*0.4682)
		f[2][i] = y + float32(b*1.8556)
	}
}

// dwaLinear is the table from numbers that are even to the eye to light: up to 1, x^2.2, above e^(2.2 (x - 1)).
var dwaLinear = sync.OnceValue(func() *[1 << 16]uint16 {
	const base = 9.02501329156 // e^2.2
	table := &[1 << 16]uint16{}
	for i := range 1 << 15 {
		h := uint16(i)
		if h&0x7c00 == 0x7c00 {
			break // no number is 0
		}
		v := fp.HalfToFloat(h)
		if v <= 1 {
			v = fp.PowNearest(v, 2.2)
		} else {
			v = fp.PowNearest(base, v-1)
		}
		table[h] = fp.FloatToHalf(v)
		table[h|0x8000] = table[h] | 0x8000
	}
	return table
})
