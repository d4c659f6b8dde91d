package radiance

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Types of channels, as files number them.
const (
	exrUint  = iota // 32-bit
	exrHalf         // 16-bit float
	exrFloat        // 32-bit float
)

// What a channel is read as: 0, 1 and 2 are red, green and blue.
const (
	toNothing = -1
	toGrey    = 3 // luminance
	toAlpha   = 4
	toRY      = 5 // (R-Y)/Y
	toBY      = 6 // (B-Y)/Y
)

// exrChannel is one channel of a part.
type exrChannel struct {
	name       string
	kind       int  // exrUint, exrHalf or exrFloat
	perceptual bool // pLinear: numbers are linear to the eye, not to light
	sx, sy     int  // every sx-th pixel of every sy-th row has a sample
	to         int
}

func (c *exrChannel) bytes() int {
	if c.kind == exrHalf {
		return 2
	}
	return 4
}

// layer is what stands before the last dot of the name, base what follows.
func (c *exrChannel) layer() string { return c.name[:max(strings.LastIndexByte(c.name, '.'), 0)] }
func (c *exrChannel) base() string  { return c.name[strings.LastIndexByte(c.name, '.')+1:] }

// samples returns how many samples there are from row y of the data window on in rows of width pixels.
func (c *exrChannel) samples(width, y, rows int) (nx, ny int) {
	return width / c.sx, (y+rows+c.sy-1)/c.sy - (y+c.sy-1)/c.sy
}

// exrPart is the header of a part: a picture with channels of its own.
type exrPart struct {
	name, kind   string // kind: scanlineimage, tiledimage, deepscanline, deeptile
	channels     []exrChannel
	compression  byte
	data         exrWindow // of which there are pixels
	display      exrWindow // which is the picture
	tiled        bool
	tileX, tileY uint32
	tileMode     byte
	chunkCount   int64 // -1: not told
	primaries    *chromaticities
	cube         bool // its data window is the six faces of a cube

	found uint // which of exrAttributes there were
}

// exrWindow is a rectangle of pixels: x and y of the first, then of the last.
type exrWindow [4]int32

func (w exrWindow) extent() (width, height int64) {
	return int64(w[2]) - int64(w[0]) + 1, int64(w[3]) - int64(w[1]) + 1
}

// beside tells whether two have no pixel in common.
func (w exrWindow) beside(o exrWindow) bool {
	return w[0] > o[2] || w[2] < o[0] || w[1] > o[3] || w[3] < o[1]
}

func (p *exrPart) deep() bool { return strings.HasPrefix(p.kind, "deep") }

// The compressions, by number: their name, and how many rows are compressed together.
var exrCompressions = []struct {
	name string
	rows int
}{
	{"none", 1}, {"RLE", 1}, {"ZIPS", 1}, {"ZIP", 16}, {"PIZ", 32}, {"PXR24", 16}, {"B44", 32}, {"B44A", 32},
	{"DWAA", 32}, {"DWAB", 256}, {"HTJ2K256", 256}, {"HTJ2K32", 32},
}

const (
	exrNone = iota
	exrRLE
	exrZIPS
	exrZIP
	exrPIZ
	exrPXR24
	exrB44
	exrB44A
	exrDWAA
	exrDWAB
	exrHTJ2K
)

// exrAttributes are those that are read; others, such as previews, are left out. A value of another
// type or size is damage. size is 0 where it is not fixed.
var exrAttributes = []struct {
	name, kind string
	size       int
	read       func(p *exrPart, value []byte) error
}{
	{"channels", "chlist", 0, (*exrPart).readChannels},
	{"compression", "compression", 1, func(p *exrPart, v []byte) error { p.compression = v[0]; return nil }},
	{"dataWindow", "box2i", 16, func(p *exrPart, v []byte) error { p.data = readWindow(v); return nil }},
	{"displayWindow", "box2i", 16, func(p *exrPart, v []byte) error { p.display = readWindow(v); return nil }},
	{"tiles", "tiledesc", 9, func(p *exrPart, v []byte) error {
		p.tileX, p.tileY, p.tileMode = binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:]), v[8]
		return nil
	}},
	{"name", "string", 0, func(p *exrPart, v []byte) error { p.name = string(v); return nil }},
	{"type", "string", 0, func(p *exrPart, v []byte) error { p.kind = string(v); return nil }},
	{"chunkCount", "int", 4, func(p *exrPart, v []byte) error {
		p.chunkCount = int64(int32(binary.LittleEndian.Uint32(v)))
		return nil
	}},
	{"chromaticities", "chromaticities", 32, func(p *exrPart, v []byte) error {
		p.primaries = &chromaticities{}
		for i := range p.primaries {
			p.primaries[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(v[4*i:])))
		}
		return nil
	}},
	{"envmap", "envmap", 1, func(p *exrPart, v []byte) error { p.cube = v[0] == 1; return nil }},
}

// Where those are that code asks for.
const (
	attrChannels = iota
	attrCompression
	attrDataWindow
	attrDisplayWindow
	attrTiles
	attrEnvmap = 9
)

func (p *exrPart) has(attribute int) bool { return p.found&(1<<attribute) != 0 }

func readWindow(v []byte) (w exrWindow) {
	for i := range w {
		w[i] = int32(binary.LittleEndian.Uint32(v[4*i:]))
	}
	return w
}

// exrReader reads names and values from a header.
type exrReader struct{ data []byte }

// text reads a name: up to 255 bytes and a zero.
func (r *exrReader) text() (string, bool) {
	end := bytes.IndexByte(r.data[:min(len(r.data), 256)], 0)
	if end < 0 {
		return "", false
	}
	s := string(r.data[:end])
	r.data = r.data[end+1:]
	return s, true
}

// part reads the header of a part, without checking it. It returns nil for an empty header.
func (r *exrReader) part() (*exrPart, error) {
	p := &exrPart{chunkCount: -1}
	for empty := true; ; empty = false {
		name, ok := r.text()
		if ok && name == "" {
			if empty {
				return nil, nil
			}
			return p, nil
		}
		kind, ok2 := r.text()
		if !ok || !ok2 || len(r.data) < 4 {
			return nil, fail("OpenEXR header is damaged or has no end")
		}
		size := binary.LittleEndian.Uint32(r.data)
		if uint64(size) > uint64(len(r.data)-4) {
			return nil, fail("OpenEXR attribute %q ends early", shortened(name))
		}
		value := r.data[4 : 4+size]
		r.data = r.data[4+size:]
		for i, a := range exrAttributes {
			if a.name != name || p.has(i) {
				continue
			}
			if a.kind != kind || a.size != 0 && a.size != len(value) {
				return nil, fail("OpenEXR attribute %s is damaged: %d bytes of type %q", name, len(value), shortened(kind))
			}
			p.found |= 1 << i
			if err := a.read(p, value); err != nil {
				return nil, err
			}
		}
	}
}

// exrParts reads the headers of a file, from behind the version on.
func exrParts(data []byte, flags uint32) ([]*exrPart, []byte, error) {
	const mostParts, mostChannels = 1 << 12, 1 << 14 // as much as is not charged
	channels := 0
	r := &exrReader{data}
	several := flags&exrSeveral != 0
	var parts []*exrPart
	for {
		p, err := r.part()
		if err != nil {
			return nil, nil, err
		}
		if p == nil && several && len(parts) > 0 {
			break
		}
		if p == nil || len(parts) == mostParts {
			return nil, nil, fail("OpenEXR file has an empty header, or more than %d parts", mostParts)
		}
		if channels += len(p.channels); channels > mostChannels {
			return nil, nil, fail("OpenEXR file has more than %d channels", mostChannels)
		}
		if !several { // the flags say what a part is, of many by its type
			p.kind = ""
			if flags&exrDeep != 0 {
				p.kind = "deepscanline"
			}
		}
		p.tiled = flags&exrTiled != 0 || strings.Contains(p.kind, "tile")
		parts = append(parts, p)
		if !several {
			break
		}
	}
	return parts, r.data, nil
}

// check tells whether a part can be read.
func (p *exrPart) check() error {
	for _, i := range []int{attrChannels, attrCompression, attrDataWindow} {
		if !p.has(i) {
			return fail("OpenEXR header has no %s", exrAttributes[i].name)
		}
	}
	if int(p.compression) >= len(exrCompressions) {
		return fail("OpenEXR compression %d is not known", p.compression)
	}
	if p.compression >= exrHTJ2K {
		return fail("OpenEXR compression %s is not supported (all others are: rewrite the file with ZIP)", exrCompressions[p.compression].name)
	}
	// An environment is what is stored of it, says OpenEXR.
	if !p.has(attrDisplayWindow) || p.has(attrEnvmap) {
		p.display = p.data
	}
	for name, w := range map[string]exrWindow{"dataWindow": p.data, "displayWindow": p.display} {
		if width, height := w.extent(); width < 1 || height < 1 || width > maxExtent || height > maxExtent {
			return fail("%s of %d × %d pixels: want 1 to %d each way", name, width, height, maxExtent)
		}
	}
	if p.tiled && (!p.has(attrTiles) || p.tileX == 0 || p.tileY == 0 || p.tileMode&15 > 2 || p.tileMode>>4 > 1) {
		return fail("OpenEXR attribute tiles is damaged or missing")
	}
	width, height := p.data.extent()
	for i := range p.channels {
		c := &p.channels[i]
		if c.sx == 1 && c.sy == 1 {
			continue
		}
		if p.tiled || int(p.data[0])%c.sx != 0 || int(p.data[1])%c.sy != 0 || int(width)%c.sx != 0 || int(height)%c.sy != 0 {
			return fail("OpenEXR channel %q is sampled every %d × %d pixels, which does not fit its window", shortened(c.name), c.sx, c.sy)
		}
	}
	return nil
}

// readChannels reads the list of channels.
func (p *exrPart) readChannels(data []byte) error {
	const most = 1 << 12
	r := &exrReader{data}
	for len(r.data) > 0 && r.data[0] != 0 {
		name, ok := r.text()
		if !ok || len(r.data) < 16 || len(p.channels) == most {
			return fail("OpenEXR list of channels is damaged, or longer than %d", most)
		}
		le := binary.LittleEndian
		kind, sx, sy := le.Uint32(r.data), le.Uint32(r.data[8:]), le.Uint32(r.data[12:])
		if kind > exrFloat {
			return fail("OpenEXR channel %q is of unknown type %d", shortened(name), kind)
		}
		if sx-1 >= maxExtent || sy-1 >= maxExtent {
			return fail("OpenEXR channel %q is sampled every %d × %d pixels, which does not fit its window", shortened(name), sx, sy)
		}
		p.channels = append(p.channels, exrChannel{name, int(kind), r.data[4] != 0, int(sx), int(sy), toNothing})
		r.data = r.data[16:]
	}
	return nil
}

// quoted lists names of a file, not too many of them.
func quoted(names []string) string {
	const most = 12
	var s []string
	for i, n := range names {
		if i == most {
			s = append(s, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		s = append(s, fmt.Sprintf("%q", shortened(n)))
	}
	return strings.Join(s, ", ")
}
