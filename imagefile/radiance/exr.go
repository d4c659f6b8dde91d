package radiance

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// Flags in the version of a file.
const (
	exrTiled   = 0x200
	exrLong    = 0x400 // names of up to 255 bytes
	exrDeep    = 0x800
	exrSeveral = 0x1000 // parts
)

// exr reads an OpenEXR file: version 2, of one or several parts, in scan lines or tiles. The layout is
// that of https://openexr.com/en/latest/OpenEXRFileLayout.html.
func (d *decoder) exr(data []byte) (*Image, error) {
	if len(data) < 8 {
		return nil, fail("OpenEXR header has no end")
	}
	version := binary.LittleEndian.Uint32(data[4:])
	if version&0xff != 2 {
		return nil, fail("OpenEXR version %d is not supported (2 is)", version&0xff)
	}
	if unknown := version &^ (0xff | exrTiled | exrLong | exrDeep | exrSeveral); unknown != 0 {
		return nil, fail("OpenEXR flags %#x are not known", unknown)
	}
	parts, rest, err := exrParts(data[8:], version)
	if err != nil {
		return nil, err
	}
	p, index, err := d.choose(parts)
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	f := &exrFile{data: data, parts: parts, several: version&exrSeveral != 0, tables: len(data) - len(rest)}
	chunks, err := d.chunks(f, index)
	if err != nil {
		return nil, err
	}
	return d.picture(p, chunks)
}

// picture decodes all blocks of a part.
func (d *decoder) picture(p *exrPart, chunks []exrChunk) (*Image, error) {
	width, height := p.data.extent()
	most := p.size(chunks[0].exrBlock) // bytes: no other block is larger
	if err := d.take(p.scratch(chunks[0].exrBlock), "a block of %d bytes of %d channels", most, len(p.channels)); err != nil {
		return nil, err
	}
	w, h := p.display.extent()
	img, err := d.image(int(w), int(h))
	if err != nil {
		return nil, err
	}
	// Windows that are further apart have no pixel in common, as they have none this far.
	apart := func(i int) int { return int(min(max(int64(p.data[i])-int64(p.display[i]), -2*maxExtent), 2*maxExtent)) }
	t := &exrTarget{img: img, x: apart(0), y: apart(1)}
	if t.chroma, err = d.chroma(p); err != nil {
		return nil, err
	}
	if d.alpha {
		if err := d.take(4*w*h, "alpha of %d × %d pixels", w, h); err != nil {
			return nil, err
		}
		img.Alpha = make([]float32, w*h)
		if !slices.ContainsFunc(p.channels, func(c exrChannel) bool { return c.to == toAlpha }) { // what is stored is opaque
			t.opaque(int(width), int(height))
		}
	}
	if p.data.beside(p.display) {
		d.lose("dataWindow lies beside displayWindow: the picture is black")
		return img, nil
	}
	u := &exrUnpacker{ctx: d.ctx, part: p}
	for i, c := range chunks {
		if err := d.ctx.Err(); err != nil {
			return nil, err
		}
		raw, planar, err := u.unpack(c)
		if err != nil {
			if e := d.ctx.Err(); e != nil {
				return nil, e
			}
			return nil, fail("block %d of %d of an OpenEXR picture (%s), at pixel %d, %d: %v", i, len(chunks), exrCompressions[p.compression].name, c.x, c.y, err)
		}
		t.put(p, c.exrBlock, raw, planar)
	}
	if t.chroma != nil {
		err := t.chroma.colors(d, p.primaries, func(y int, row []float32) {
			at, skip, n := t.visible(0, y, int(width))
			for i, v := range row[3*skip : 3*(skip+n)] {
				img.Pixels[3*at+i] = finite(v)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	img.Cube = p.cube
	d.toRec709(img, p.primaries)
	return img, nil
}

// exrTarget is a picture on the way.
type exrTarget struct {
	img    *Image
	x, y   int        // of the data window in the picture
	chroma *exrChroma // nil where there is none
}

// visible cuts n pixels from x of row y of the data window on to those in the picture: count of them from
// the pixel at on, without the first skip.
func (t *exrTarget) visible(x, y, n int) (at, skip, count int) {
	y += t.y
	x += t.x
	if y < 0 || y >= t.img.Height {
		return 0, 0, 0
	}
	skip = max(-x, 0)
	count = min(n, t.img.Width-x) - skip
	if count <= 0 {
		return 0, 0, 0
	}
	return y*t.img.Width + x + skip, skip, count
}

// opaque sets alpha of the data window to 1.
func (t *exrTarget) opaque(width, height int) {
	for y := range height {
		at, _, n := t.visible(0, y, width)
		for i := range n {
			t.img.Alpha[at+i] = 1
		}
	}
}

// put converts a block: rows of all channels, or, where it is planar, channels of all rows.
func (t *exrTarget) put(p *exrPart, b exrBlock, raw []byte, planar bool) {
	if planar {
		for i := range p.channels {
			c := &p.channels[i]
			for y := b.y; y < b.y+b.rows; y++ {
				if y%c.sy == 0 {
					raw = t.putRow(c, b, y, raw)
				}
			}
		}
		return
	}
	for y := b.y; y < b.y+b.rows; y++ {
		for i := range p.channels {
			if c := &p.channels[i]; y%c.sy == 0 {
				raw = t.putRow(c, b, y, raw)
			}
		}
	}
}

// putRow converts a row of a channel and returns what follows it.
func (t *exrTarget) putRow(c *exrChannel, b exrBlock, y int, raw []byte) []byte {
	nx, _ := c.samples(b.width, y, 1)
	size := c.bytes()
	row, rest := raw[:nx*size], raw[nx*size:]
	switch {
	case c.to == toNothing:
	case t.chroma != nil && c.to != toAlpha:
		c.floats(t.chroma.row(c, b.x, y, nx), 1, row)
	default:
		at, skip, count := t.visible(b.x, y, nx)
		row = row[skip*size:][:count*size]
		switch {
		case count == 0:
		case c.to == toAlpha:
			c.floats(t.img.Alpha[at:at+count], 1, row)
		case c.to == toGrey:
			out := t.img.Pixels[3*at : 3*(at+count)]
			c.floats(out, 3, row)
			for i := 0; i < len(out); i += 3 {
				out[i+1], out[i+2] = out[i], out[i]
			}
		default:
			c.floats(t.img.Pixels[3*at+c.to:3*(at+count)], 3, row)
		}
	}
	return rest
}

// floats converts a row of samples to finite numbers, a step apart.
func (c *exrChannel) floats(out []float32, step int, row []byte) {
	le := binary.LittleEndian
	switch c.kind {
	case exrHalf:
		for i := 0; len(row) >= 2; i, row = i+step, row[2:] {
			out[i] = finite(fp.HalfToFloat(le.Uint16(row)))
		}
	case exrFloat:
		for i := 0; len(row) >= 4; i, row = i+step, row[4:] {
			out[i] = finite(math.Float32frombits(le.Uint32(row)))
		}
	default:
		for i := 0; len(row) >= 4; i, row = i+step, row[4:] {
			out[i] = float32(le.Uint32(row))
		}
	}
}
