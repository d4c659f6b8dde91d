package basis

import (
	"context"
	"errors"
	"fmt"
)

// Global are the parts of BasisLZ's global data that hold codebooks and codes, as a KTX 2 file stores them.
type Global struct {
	EndpointCount, SelectorCount int // up to 65535
	Endpoints, Selectors, Tables []byte
}

// CodebookBytes bounds the memory that a Codebook takes with these counts, and with Huffman codes of all symbols.
func CodebookBytes(endpoints, selectors int) int64 {
	const code = 1<<fastBits*4 + 2<<14 + 1<<10
	return 4*int64(endpoints) + 16*int64(selectors) + 6*code
}

// Codebook is what all slices of a file share. It is not changed after it was read: several goroutines may decode with it.
type Codebook struct {
	endpoints []endpoint
	selectors [][16]uint8 // texel (x, y) at 4·y+x: 0 is the darkest of four colours
	history   int         // size of the history of selectors

	predictions, deltas, selectorCode, runs *huffman
}

// endpoint is the colour of a block, 5 bits a channel, and its row of intensities.
type endpoint struct{ r, g, b, intensity uint8 }

// intensities are ETC1's modifiers by table and selector.
var intensities = [8][4]int32{
	{-8, -2, 2, 8}, {-17, -5, 5, 17}, {-29, -9, 9, 29}, {-42, -13, 13, 42},
	{-60, -18, 18, 60}, {-80, -24, 24, 80}, {-106, -33, 33, 106}, {-183, -47, 47, 183},
}

// NewCodebook reads the codebooks and codes.
func NewCodebook(g Global) (*Codebook, error) {
	c := &Codebook{}
	if g.EndpointCount < 1 || g.SelectorCount < 1 || g.EndpointCount > 65535 || g.SelectorCount > 65535 {
		return nil, fmt.Errorf("codebooks of %d endpoints and %d selectors", g.EndpointCount, g.SelectorCount)
	}
	if err := c.readEndpoints(g); err != nil {
		return nil, fmt.Errorf("endpoints: %w", err)
	}
	if err := c.readSelectors(g); err != nil {
		return nil, fmt.Errorf("selectors: %w", err)
	}
	r := &reader{data: g.Tables}
	for _, code := range []**huffman{&c.predictions, &c.deltas, &c.selectorCode, &c.runs} {
		var err error
		if *code, err = r.huffman(); err != nil {
			return nil, fmt.Errorf("tables: %w", err)
		}
	}
	c.history = int(r.bits(13))
	if r.over > 0 {
		return nil, fmt.Errorf("tables: %w", errEnd)
	}
	return c, nil
}

// readEndpoints is "ETC1S Endpoint Codebooks": each entry is told by its difference to the one before, in a code that depends on it.
func (c *Codebook) readEndpoints(g Global) error {
	r := &reader{data: g.Endpoints}
	var codes [4]*huffman // of low, middle and high colours, and of intensities
	for i := range codes {
		var err error
		if codes[i], err = r.huffman(); err != nil {
			return err
		}
	}
	channels := 3
	if r.bits(1) == 1 {
		channels = 1
	}
	c.endpoints = make([]endpoint, g.EndpointCount)
	last, intensity := [3]uint32{16, 16, 16}, uint32(0)
	for i := range c.endpoints {
		d, err := r.symbol(codes[3])
		if err != nil {
			return err
		}
		intensity = (intensity + d) & 7
		for k := range channels {
			code := codes[2]
			switch {
			case last[k] < 10:
				code = codes[0]
			case last[k] < 22:
				code = codes[1]
			}
			if d, err = r.symbol(code); err != nil {
				return err
			}
			last[k] = (last[k] + d) & 31
		}
		if r.over > 0 {
			return errEnd
		}
		if channels == 1 {
			last[1], last[2] = last[0], last[0]
		}
		c.endpoints[i] = endpoint{uint8(last[0]), uint8(last[1]), uint8(last[2]), uint8(intensity)}
	}
	return nil
}

// readSelectors is "ETC1S Selector Codebooks": plain rows, or each row as what it has not in common with the entry before.
func (c *Codebook) readSelectors(g Global) error {
	r := &reader{data: g.Selectors}
	if r.bits(2) != 0 {
		return errors.New("reserved bits are set")
	}
	var code *huffman
	if r.bits(1) == 0 {
		var err error
		if code, err = r.huffman(); err != nil {
			return err
		}
	}
	c.selectors = make([][16]uint8, g.SelectorCount)
	var rows [4]uint32
	for i := range c.selectors {
		for y := range rows {
			if code == nil || i == 0 {
				rows[y] = r.bits(8)
			} else {
				d, err := r.symbol(code)
				if err != nil {
					return err
				}
				rows[y] ^= d
			}
			for x := range 4 {
				c.selectors[i][4*y+x] = uint8(rows[y] >> (2 * x) & 3)
			}
		}
		if r.over > 0 {
			return errEnd
		}
	}
	return nil
}

// Picture is where texels go: Width × Height of them in rows of 4·Width bytes.
type Picture struct {
	Width, Height int
	Pix           []byte
}

// Decode decodes the slices of an image: colours, and alpha where that is not nil. Without it texels are opaque.
func (c *Codebook) Decode(ctx context.Context, dst Picture, colors, alpha []byte) error {
	if err := c.slice(ctx, &dst, colors, false); err != nil {
		return err
	}
	if alpha == nil {
		return nil
	}
	if err := c.slice(ctx, &dst, alpha, true); err != nil {
		return fmt.Errorf("alpha: %w", err)
	}
	return nil
}

// WorkBytes is what decoding slices of so many texels in a row takes besides.
func (c *Codebook) WorkBytes(width int) int64 {
	return 9*int64((width+7)/4) + 4*int64(c.history) + 1<<10
}

// slice decodes one slice to R, G, B and full alpha, or to alpha, which is its green.
func (c *Codebook) slice(ctx context.Context, dst *Picture, data []byte, alpha bool) error {
	across, down := (dst.Width+3)/4, (dst.Height+3)/4
	s := &slice{book: c, r: reader{data: data}, bits: make([]uint8, (across+1)/2), history: make([]uint32, c.history), rover: c.history / 2}
	above, row := make([]uint32, across), make([]uint32, across)
	for y := range down {
		if err := ctx.Err(); err != nil {
			return err
		}
		for x := range across {
			e, t, err := s.block(x, y, above, row)
			if err == nil && s.r.over > 0 {
				err = errEnd
			}
			if err != nil {
				return fmt.Errorf("block (%d, %d): %w", x, y, err)
			}
			dst.put(x, y, c.endpoints[e], &c.selectors[t], alpha)
		}
		above, row = row, above
	}
	return nil
}

// put writes the texels of block (x, y) that lie in the picture.
func (p *Picture) put(x, y int, e endpoint, selectors *[16]uint8, alpha bool) {
	var colors [4][4]byte
	expand := func(v uint8) int32 { return int32(v)<<3 | int32(v)>>2 }
	r, g, b := expand(e.r), expand(e.g), expand(e.b)
	for i, d := range intensities[e.intensity] {
		colors[i] = [4]byte{clamp(r + d), clamp(g + d), clamp(b + d), 255}
	}
	width, height := min(4, p.Width-4*x), min(4, p.Height-4*y)
	for j := range height {
		at := 4 * ((4*y+j)*p.Width + 4*x)
		for i := range width {
			t := &colors[selectors[4*j+i]]
			if alpha {
				p.Pix[at+4*i+3] = t[1]
			} else {
				copy(p.Pix[at+4*i:], t[:])
			}
		}
	}
}

func clamp(v int32) byte { return byte(min(max(v, 0), 255)) }

// slice is the state of "ETC1S Slice Decoding".
type slice struct {
	book *Codebook
	r    reader

	bits     []uint8 // predictions of the lower blocks of each 2×2
	current  uint32  // predictions of the blocks that follow
	last     uint32  // the last predictions of four blocks
	repeat   uint32  // how often they come again
	endpoint uint32  // the last one
	run      uint32  // blocks that take the newest selector of the history
	history  []uint32
	rover    int
}

// Symbols of slices.
const (
	repeatPredictions = 256 // of predictions: the last ones again
	shortestRepeat    = 3
	shortestRun       = 3
	longRun           = 63 // of runs: a length of its own follows
)

// block returns the indices of a block's endpoint and selectors. above holds the endpoints of the row of blocks above, row gets
// those of this one.
func (s *slice) block(x, y int, above, row []uint32) (endpoint, selector uint32, err error) {
	if x&1 == 0 {
		if err := s.predict(x, y); err != nil {
			return 0, 0, err
		}
	}
	prediction := s.current & 3
	s.current >>= 2
	switch {
	case prediction == 0 && x > 0: // of the left block
	case prediction == 1 && y > 0:
		s.endpoint = above[x]
	case prediction == 2 && x > 0 && y > 0:
		s.endpoint = above[x-1]
	case prediction == 3:
		d, err := s.r.symbol(s.book.deltas)
		if err != nil {
			return 0, 0, err
		}
		if s.endpoint += d; s.endpoint >= uint32(len(s.book.endpoints)) {
			s.endpoint -= uint32(len(s.book.endpoints))
		}
		if s.endpoint >= uint32(len(s.book.endpoints)) {
			return 0, 0, errors.New("an endpoint that the codebook has not")
		}
	default:
		return 0, 0, errors.New("an endpoint of a block outside the picture")
	}
	row[x] = s.endpoint
	selector, err = s.selector()
	return s.endpoint, selector, err
}

// predict finds from where the endpoints of the next two blocks come.
func (s *slice) predict(x, y int) error {
	if y&1 == 1 {
		s.current = uint32(s.bits[x/2])
		return nil
	}
	if s.repeat > 0 {
		s.repeat--
		s.current = s.last
	} else {
		symbol, err := s.r.symbol(s.book.predictions)
		switch {
		case err != nil:
			return err
		case symbol == repeatPredictions:
			n, err := s.r.vlc(4)
			if err != nil {
				return err
			}
			s.repeat = n + shortestRepeat - 1
			s.current = s.last
		case symbol > repeatPredictions:
			return errors.New("predictions of no meaning")
		default:
			s.current, s.last = symbol, symbol
		}
	}
	s.bits[x/2] = uint8(s.current >> 4)
	return nil
}

// selector reads the index of a block's selectors: one of the codebook, which the history then holds, or one out of the history.
func (s *slice) selector() (uint32, error) {
	count := uint32(len(s.book.selectors))
	place := uint32(0)
	if s.run > 0 {
		s.run--
	} else {
		symbol, err := s.r.symbol(s.book.selectorCode)
		if err != nil {
			return 0, err
		}
		if symbol < count {
			if n := len(s.history); n > 0 {
				s.history[s.rover] = symbol
				if s.rover++; s.rover == n {
					s.rover = n / 2
				}
			}
			return symbol, nil
		}
		if place = symbol - count; place == uint32(len(s.history)) {
			place = 0
			run, err := s.r.symbol(s.book.runs)
			if err == nil && run == longRun {
				run, err = s.r.vlc(7)
			}
			if err != nil {
				return 0, err
			}
			s.run = run + shortestRun - 1
		}
	}
	if place >= uint32(len(s.history)) {
		return 0, errors.New("selectors that the history has not")
	}
	v := s.history[place]
	// What is used moves to half its place.
	s.history[place], s.history[place/2] = s.history[place/2], v
	return v, nil
}
