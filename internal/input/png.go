package input

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// Colour types of PNG.
const (
	pngGray      = 0
	pngColor     = 2
	pngPalette   = 3
	pngGrayAlpha = 4
)

// pngFile is what the chunks of a PNG file say, read as libpng does: of ancillary chunks tRNS alone changes colours, so that others
// may be damaged, and so may tRNS, which then counts for nothing. What image/png gets are these chunks alone, and of the compressed
// rows as many as there are.
type pngFile struct {
	header  []byte // the chunk IHDR
	palette []byte // of PLTE
	alpha   []byte // of tRNS, nil where there is none
	rows    []byte // from the first chunk IDAT on
	damaged []string

	warnings, losses []string
}

// pngChunk is the chunk at the start of rest; false where it is cut off, or none.
func pngChunk(rest []byte) (name string, body []byte, next []byte, ok bool) {
	if len(rest) < 12 {
		return "", nil, nil, false
	}
	n := binary.BigEndian.Uint32(rest)
	name = string(rest[4:8])
	for _, c := range rest[4:8] {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return name, nil, nil, false
		}
	}
	if uint64(n) > uint64(len(rest)-12) {
		return name, nil, nil, false
	}
	return name, rest[8 : 8+n], rest[12+n:], true
}

// wholeChunk reports whether the checksum behind a chunk's body is right.
func wholeChunk(name string, body, next, rest []byte) bool {
	end := len(rest) - len(next)
	return crc32.ChecksumIEEE(rest[4:8+len(body)]) == binary.BigEndian.Uint32(rest[end-4:end])
}

// scanPNG reads the chunks. Without all it does not look at checksums of rows, and a file that ends too early is none of its errors.
func scanPNG(data []byte, all bool) (*pngFile, error) {
	p := &pngFile{}
	rest := data[len(pngSignature):]
	for first := true; ; first = false {
		name, body, next, ok := pngChunk(rest)
		switch {
		case !ok && p.rows != nil && name != "IDAT":
			p.warn("the file has no IEND: it ends behind its pixels")
			return p.done(), nil
		case !ok && !all && p.header != nil:
			return p.done(), nil
		case !ok:
			return nil, io.ErrUnexpectedEOF
		case first && name == "CgBI":
			return nil, png.UnsupportedError("chunk CgBI, Apple's own kind of PNG")
		case first != (name == "IHDR"):
			return nil, png.FormatError("chunk out of order")
		}
		right := !all && name == "IDAT" || wholeChunk(name, body, next, rest)
		ancillary := name[0]&0x20 != 0
		if !right && !ancillary {
			return nil, png.FormatError("invalid checksum of " + name)
		}
		if !right && !slices.Contains(p.damaged, name) && len(p.damaged) < 8 {
			p.damaged = append(p.damaged, name)
		}
		switch name {
		case "IHDR":
			if len(body) != 13 {
				return nil, png.FormatError("bad IHDR length")
			}
			p.header = rest[:len(rest)-len(next)]
		case "PLTE":
			if p.palette != nil || p.rows != nil {
				return nil, png.FormatError("chunk out of order")
			}
			if p.kind() == pngPalette { // else it is a suggestion
				if len(body)%3 != 0 || len(body) == 0 {
					return nil, png.FormatError("bad PLTE length")
				}
				most := 3 << min(p.header[16], 8)
				p.palette = body[:min(len(body), most)]
			}
		case "tRNS":
			if right && p.alpha == nil && p.rows == nil && p.fits(len(body)) {
				p.alpha = body
			} else if right {
				p.lose("its tRNS is out of place or has the wrong length: no colour is transparent for it")
			}
		case "IDAT":
			if p.rows == nil {
				p.rows = rest
			}
		case "IEND":
			if p.rows == nil {
				return nil, png.FormatError("chunk out of order")
			}
			return p.done(), nil
		default:
			if !ancillary {
				return nil, png.UnsupportedError(fmt.Sprintf("critical chunk %s", name))
			}
		}
		rest = next
	}
}

func (p *pngFile) warn(text string) {
	if !slices.Contains(p.warnings, text) {
		p.warnings = append(p.warnings, text)
	}
}

// lose is warn for what the picture lacks.
func (p *pngFile) lose(text string) {
	n := len(p.warnings)
	p.warn(text)
	p.losses = append(p.losses, p.warnings[n:]...)
}

func (p *pngFile) done() *pngFile {
	if tell := p.warn; p.damaged != nil {
		if slices.Contains(p.damaged, "tRNS") && p.alpha == nil {
			tell = p.lose
		}
		tell("damaged ancillary chunks are not used: " + strings.Join(p.damaged, ", "))
	}
	return p
}

// kind is the colour type.
func (p *pngFile) kind() byte { return p.header[17] }

// fits reports whether tRNS can have a length.
func (p *pngFile) fits(n int) bool {
	switch p.kind() {
	case pngGray:
		return n == 2
	case pngColor:
		return n == 6
	case pngPalette:
		return n > 0 && n <= len(p.palette)/3
	}
	return false
}

// extent returns width and height, and an error where that of a row would not fit an int64.
func (p *pngFile) extent() (width, height int64, err error) {
	width, height = int64(binary.BigEndian.Uint32(p.header[8:])), int64(binary.BigEndian.Uint32(p.header[12:]))
	if width == 0 || height == 0 || width > math.MaxInt32 || height > math.MaxInt32 {
		return 0, 0, png.FormatError("non-positive dimension")
	}
	if width >= math.MaxInt64/16/height {
		return 0, 0, png.UnsupportedError("dimension overflow")
	}
	return width, height, nil
}

// filtered is how many bytes the rows have, each with the byte of its filter.
func (p *pngFile) filtered() (int64, error) {
	width, height, err := p.extent()
	if err != nil {
		return 0, err
	}
	channels := [7]int64{pngGray: 1, pngColor: 3, pngPalette: 1, pngGrayAlpha: 2, 6: 4}[min(p.kind(), 6)]
	pixel := channels * int64(p.header[16])
	rows := func(width, height int64) int64 {
		if width <= 0 || height <= 0 {
			return 0
		}
		return height * (1 + (width*pixel+7)/8)
	}
	if p.header[20] == 0 {
		return rows(width, height), nil
	}
	total := int64(0)
	// Adam7: the first column and row of each pass, and the steps.
	for _, a := range [7][4]int64{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		total += rows((width-a[0]+a[2]-1)/a[2], (height-a[1]+a[3]-1)/a[3])
	}
	return total, nil
}

// config reads the header as image/png does.
func (p *pngFile) config() (image.Config, error) {
	cfg, err := png.DecodeConfig(io.MultiReader(bytes.NewReader(p.head()), strings.NewReader("\x00\x00\x00\x00IDAT")))
	if err == error(png.UnsupportedError("dimension overflow")) { // an int of 32 bits counts no more; whoever asks what the picture needs can say
		w, h, large := p.extent()
		if cfg.Width, cfg.Height = int(w), int(h); large == nil {
			err = nil
		}
	}
	return cfg, err
}

// head is the file up to its pixels.
func (p *pngFile) head() []byte {
	out := append([]byte(pngSignature), p.header...)
	if p.palette != nil {
		out = appendChunk(out, "PLTE", p.palette)
	}
	if p.alpha != nil {
		out = appendChunk(out, "tRNS", p.alpha)
	}
	return out
}

func appendChunk(out []byte, name string, body []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(body)))
	at := len(out)
	out = append(append(out, name...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[at:]))
}

// reader returns the file for image/png: its rows in stored blocks, so that what follows them in the file does not matter, nor their
// checksum.
func (p *pngFile) reader() (io.Reader, error) {
	n, err := p.filtered()
	if err != nil {
		return nil, err
	}
	return io.MultiReader(bytes.NewReader(p.head()), &pngRows{chunks: pngChunks{rest: p.rows}, left: n}), nil
}

// pngRows makes chunks IDAT of stored blocks, and IEND.
type pngRows struct {
	chunks pngChunks
	from   io.Reader
	left   int64  // bytes of rows
	sum    uint32 // of those before
	block  [4 << 10]byte
	made   [4<<10 + 64]byte
	out    []byte
	ended  bool
}

// Read reads what comes next, making it where all has been read.
func (r *pngRows) Read(b []byte) (int, error) {
	if len(r.out) == 0 {
		if r.ended {
			return 0, io.EOF
		}
		if err := r.make(); err != nil {
			return 0, err
		}
	}
	n := copy(b, r.out)
	r.out = r.out[n:]
	return n, nil
}

// make makes the next chunk.
func (r *pngRows) make() error {
	out := append(r.made[:0], 0, 0, 0, 0, 'I', 'D', 'A', 'T')
	if r.from == nil {
		var err error
		if r.from, err = zlib.NewReader(&r.chunks); err != nil {
			return err
		}
		r.sum = 1
		out = append(out, 0x78, 0x01) // deflate, a window of 32 KiB
	}
	block := r.block[:min(r.left, int64(len(r.block)))]
	if _, err := io.ReadFull(r.from, block); err == io.EOF || err == io.ErrUnexpectedEOF {
		return png.FormatError("not enough pixel data")
	} else if err != nil {
		return err
	}
	r.left -= int64(len(block))
	last := byte(0)
	if r.ended = r.left == 0; r.ended {
		last = 1
	}
	n := uint16(len(block))
	out = append(out, last, byte(n), byte(n>>8), byte(^n), byte(^n>>8))
	out = append(out, block...)
	r.sum = adler(r.sum, block)
	if r.ended {
		out = binary.BigEndian.AppendUint32(out, r.sum)
	}
	binary.BigEndian.PutUint32(out, uint32(len(out)-8))
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
	if r.ended {
		out = appendChunk(out, "IEND", nil)
	}
	r.out = out
	return nil
}

// adler goes on with an Adler-32 checksum (RFC 1950): that of the bytes before and that of more come together as sums modulo 65521.
func adler(before uint32, more []byte) uint32 {
	const mod = 65521
	sum := adler32.Checksum(more)
	a0, b0 := before&0xFFFF, before>>16
	a1, b1 := sum&0xFFFF, sum>>16
	n := uint32(len(more) % mod)
	return (a0+a1+mod-1)%mod | uint32((uint64(b0)+uint64(b1)+uint64(n)*uint64(a0+mod-1))%mod)<<16
}

// pngChunks reads what consecutive chunks IDAT hold, which scanPNG has seen.
type pngChunks struct {
	rest, body []byte
}

func (c *pngChunks) next() bool {
	for len(c.body) == 0 {
		name, body, next, ok := pngChunk(c.rest)
		if !ok || name != "IDAT" {
			return false
		}
		c.body, c.rest = body, next
	}
	return true
}

// Read reads bodies.
func (c *pngChunks) Read(b []byte) (int, error) {
	if !c.next() {
		return 0, io.EOF
	}
	n := copy(b, c.body)
	c.body = c.body[n:]
	return n, nil
}

// ReadByte keeps compress/flate from a buffer of its own.
func (c *pngChunks) ReadByte() (byte, error) {
	if !c.next() {
		return 0, io.EOF
	}
	v := c.body[0]
	c.body = c.body[1:]
	return v, nil
}
