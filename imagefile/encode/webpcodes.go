package encode

import (
	"math/bits"
	"slices"
)

// bitWriter packs bits from the lowest of each byte on.
type bitWriter struct {
	out  []byte
	held uint64
	n    uint
}

// put writes the lowest n bits of v, up to 32.
func (b *bitWriter) put(v uint32, n uint) {
	b.held |= uint64(v) << b.n
	for b.n += n; b.n >= 8; b.n -= 8 {
		b.out = append(b.out, byte(b.held))
		b.held >>= 8
	}
}

func (b *bitWriter) flush() []byte {
	if b.n > 0 {
		b.out = append(b.out, byte(b.held))
	}
	return b.out
}

// token is a pixel as it is, or where length > 0 a copy of so many from distance pixels
// before.
type token struct {
	pixel            pixel
	length, distance int
}

// The five alphabets of a group of prefix codes.
const (
	greenAlphabet = 256 + 24 // and the prefixes of lengths
	byteAlphabet  = 256
	distances     = 40
)

// image writes an entropy-coded image; main says that it is the picture and not a
// transform's, whose streams have one choice less.
func (b *bitWriter) image(pixels []pixel, width int, main bool) {
	b.put(0, 1) // no colour cache
	if main {
		b.put(0, 1) // one group of codes for all of it
	}
	tokens := matches(pixels, width)
	counts := [5][]int{make([]int, greenAlphabet), make([]int, byteAlphabet), make([]int, byteAlphabet), make([]int, byteAlphabet), make([]int, distances)}
	channels := [4]uint{greenShift, redShift, blueShift, alphaShift}
	for _, t := range tokens {
		if t.length == 0 {
			for i, shift := range channels {
				counts[i][t.pixel>>shift&0xff]++
			}
			continue
		}
		prefix, _, _ := prefixOf(t.length)
		counts[0][256+prefix]++
		prefix, _, _ = prefixOf(t.distance)
		counts[4][prefix]++
	}
	var codes [5]prefixCode
	for i := range codes {
		codes[i] = newPrefixCode(counts[i], 15)
		b.code(codes[i])
	}
	for _, t := range tokens {
		if t.length == 0 {
			for i, shift := range channels {
				b.symbol(codes[i], int(t.pixel>>shift&0xff))
			}
			continue
		}
		prefix, extra, n := prefixOf(t.length)
		b.symbol(codes[0], 256+prefix)
		b.put(extra, n)
		prefix, extra, n = prefixOf(t.distance)
		b.symbol(codes[4], prefix)
		b.put(extra, n)
	}
}

// prefixOf splits a length or distance of 1 or more into its prefix and n extra bits.
func prefixOf(v int) (prefix int, extra uint32, n uint) {
	v--
	if v < 4 {
		return v, 0, 0
	}
	n = uint(bits.Len(uint(v)) - 2)
	return int(2*n) + v>>n, uint32(v & (1<<n - 1)), n
}

const (
	leastMatch   = 3
	mostMatch    = 4096
	mostDistance = 1<<20 - 120 // the last of the prefixes' range
	searches     = 16
)

// matches finds runs of pixels that have been before: the longest of some candidates with
// the same beginning. A token's distance is the code that the stream has for it.
func matches(pixels []pixel, width int) []token {
	const hashBits = 15
	head := make([]int32, 1<<hashBits) // place + 1 of the latest with a hash
	before := make([]int32, len(pixels))
	var tokens []token
	hash := func(at int) uint32 {
		return (pixels[at]*0x9e3779b1 ^ pixels[at+1]*0x85ebca6b ^ pixels[at+2]*0xc2b2ae35) >> (32 - hashBits)
	}
	enter := func(at int) {
		if at+leastMatch <= len(pixels) {
			h := hash(at)
			before[at], head[h] = head[h], int32(at+1)
		}
	}
	for at := 0; at < len(pixels); {
		most, from := 0, 0
		try := func(place int) {
			if place < 0 || at-place > mostDistance {
				return
			}
			n, limit := 0, min(mostMatch, len(pixels)-at)
			for n < limit && pixels[place+n] == pixels[at+n] {
				n++
			}
			if n > most {
				most, from = n, place
			}
		}
		if at+leastMatch <= len(pixels) {
			if at > 0 {
				try(at - 1)
			}
			try(at - width)
			for place, n := int(head[hash(at)])-1, 0; place >= 0 && n < searches && most < mostMatch; place, n = int(before[place])-1, n+1 {
				try(place)
			}
		}
		if most < leastMatch {
			tokens = append(tokens, token{pixel: pixels[at]})
			enter(at)
			at++
			continue
		}
		distance := at - from + 120
		switch at - from { // the first of the codes of near pixels
		case width:
			distance = 1
		case 1:
			distance = 2
		}
		tokens = append(tokens, token{length: most, distance: distance})
		for range most {
			enter(at)
			at++
		}
	}
	return tokens
}

// prefixCode is a canonical prefix code: of every symbol the length, 0 where it does not
// occur, and its bits in the order in which they are written.
type prefixCode struct {
	lengths []uint8
	bits    []uint16
}

// newPrefixCode makes a code for symbols that occur so often, none longer than longest.
func newPrefixCode(counts []int, longest int) prefixCode {
	c := prefixCode{make([]uint8, len(counts)), make([]uint16, len(counts))}
	counts = slices.Clone(counts)
	for c.assign(counts) > longest {
		for i, n := range counts { // flatter counts give a flatter tree
			counts[i] = (n + 1) / 2
		}
	}
	// Canonical: shorter codes first, then by symbol.
	code := uint16(0)
	for length := uint8(1); int(length) <= longest; length++ {
		code <<= 1
		for symbol, l := range c.lengths {
			if l == length {
				c.bits[symbol] = bits.Reverse16(code) >> (16 - length)
				code++
			}
		}
	}
	return c
}

// assign sets the lengths of a Huffman code and returns the largest.
func (c prefixCode) assign(counts []int) (longest int) {
	type node struct{ count, symbol, left, right int }
	var nodes []node
	for symbol, n := range counts {
		if n > 0 {
			nodes = append(nodes, node{n, symbol, -1, -1})
		}
	}
	if len(nodes) < 2 {
		for _, n := range nodes {
			c.lengths[n.symbol] = 1
		}
		return len(nodes)
	}
	slices.SortStableFunc(nodes, func(a, b node) int { return a.count - b.count })
	// Two queues, leaves and what is joined, both by count: the two least are joined.
	leaf, joined, leaves := 0, len(nodes), len(nodes)
	least := func() int {
		if leaf < leaves && (joined == len(nodes) || nodes[leaf].count <= nodes[joined].count) {
			leaf++
			return leaf - 1
		}
		joined++
		return joined - 1
	}
	for len(nodes) < 2*leaves-1 {
		a, b := least(), least()
		nodes = append(nodes, node{nodes[a].count + nodes[b].count, -1, a, b})
	}
	depth := make([]int, len(nodes))
	for i := len(nodes) - 1; i >= 0; i-- {
		n := nodes[i]
		if n.left >= 0 {
			depth[n.left], depth[n.right] = depth[i]+1, depth[i]+1
			continue
		}
		c.lengths[n.symbol] = uint8(min(depth[i], 255))
		longest = max(longest, depth[i])
	}
	return longest
}

// symbols returns those that occur.
func (c prefixCode) symbols() (list []int) {
	for symbol, l := range c.lengths {
		if l > 0 {
			list = append(list, symbol)
		}
	}
	return list
}

// symbol writes a symbol's code. A code of a single symbol takes no bits.
func (b *bitWriter) symbol(c prefixCode, symbol int) {
	b.put(uint32(c.bits[symbol]), uint(c.lengths[symbol]))
}

// code writes a prefix code's lengths. Codes of one symbol become ones without bits.
func (b *bitWriter) code(c prefixCode) {
	list := c.symbols()
	if len(list) == 0 {
		list = []int{0}
	}
	if len(list) <= 2 && list[len(list)-1] < 256 {
		b.put(1, 1) // simple
		b.put(uint32(len(list)-1), 1)
		b.put(1, 1) // the first has 8 bits
		b.put(uint32(list[0]), 8)
		if len(list) == 2 {
			b.put(uint32(list[1]), 8)
		} else {
			c.lengths[list[0]] = 0
		}
		return
	}
	// Lengths are themselves coded, with runs.
	type run struct {
		symbol int
		extra  uint32
		n      uint
	}
	var runs []run
	for i := 0; i < len(c.lengths); {
		l, n := c.lengths[i], 1
		for i+n < len(c.lengths) && c.lengths[i+n] == l {
			n++
		}
		i += n
		for l == 0 && n >= 3 {
			k := min(n, 138)
			if n -= k; k > 10 {
				runs = append(runs, run{18, uint32(k - 11), 7})
			} else {
				runs = append(runs, run{17, uint32(k - 3), 3})
			}
		}
		if l > 0 {
			runs = append(runs, run{symbol: int(l)})
			for n--; n >= 3; {
				k := min(n, 6)
				n -= k
				runs = append(runs, run{16, uint32(k - 3), 2})
			}
		}
		for range n {
			runs = append(runs, run{symbol: int(l)})
		}
	}
	counts := make([]int, 19)
	for _, r := range runs {
		counts[r.symbol]++
	}
	lengths := newPrefixCode(counts, 7)
	b.put(0, 1) // normal
	order := [19]int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	last := 4
	for i, symbol := range order {
		if lengths.lengths[symbol] > 0 {
			last = max(last, i+1)
		}
	}
	b.put(uint32(last-4), 4)
	for _, symbol := range order[:last] {
		b.put(uint32(lengths.lengths[symbol]), 3)
	}
	b.put(0, 1) // lengths of all symbols follow
	if only := lengths.symbols(); len(only) == 1 {
		lengths.lengths[only[0]] = 0
	}
	for _, r := range runs {
		b.symbol(lengths, r.symbol)
		b.put(r.extra, r.n)
	}
}
