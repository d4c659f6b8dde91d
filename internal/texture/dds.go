package texture

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/format"
)

// Offsets in a DDS file: the magic number, DDS_HEADER of 124 bytes with a
// DDS_PIXELFORMAT of 32, perhaps DDS_HEADER_DXT10 of 20, texels. How long a row is, and a level, is computed: what the header says of
// that (dwPitchOrLinearSize) is often wrong.
const (
	ddsHeight     = 12
	ddsWidth      = 16
	ddsDepth      = 24
	ddsMipMaps    = 28
	ddsPixel      = 76
	ddsCaps2      = 112
	ddsHeader     = 128
	ddsDX10Header = 20
)

// Flags of DDS_PIXELFORMAT, of dwCaps2 and of DDS_HEADER_DXT10.
const (
	ddpfAlphaPixels = 0x1
	ddpfAlpha       = 0x2 // only alpha
	ddpfFourCC      = 0x4
	ddpfPalette     = 0x20
	ddpfRGB         = 0x40
	ddpfYUV         = 0x200
	ddpfLuminance   = 0x20000
	ddpfBumpLum     = 0x40000 // U, V and luminance
	ddpfBump        = 0x80000 // U, V, W and Q
	ddsCubeMap      = 0x200
	ddsFaces        = 10 // the lowest bit of the faces that there are
	ddsAllFaces     = 0xFC00
	ddsVolume       = 0x200000
	dx10Cube        = 0x4
	dx10Texture1D   = 2
	dx10Texture3D   = 4
	dx10AlphaMode   = 7
)

// dds is a DDS file whose header was read.
type dds struct {
	source
	file   []byte
	at     int // where the texels begin
	blocks block
	faces  uint32 // of a cube, that are there
}

func ddsBad(format string, args ...any) error {
	return &Error{Kind: "DDS", Msg: fmt.Sprintf(format, args...)}
}

func ddsUnsupported(format string, args ...any) error {
	return &Error{Kind: "DDS", Msg: fmt.Sprintf(format, args...), Unsupported: true}
}

func (d *dds) word(at int) uint32 { return binary.LittleEndian.Uint32(d.file[at:]) }

func parseDDS(data []byte) (*source, error) {
	if len(data) < ddsHeader {
		return nil, ddsBad("%d bytes are no header", len(data))
	}
	d := &dds{file: data, at: ddsHeader, faces: ddsAllFaces}
	if d.word(4) != 124 {
		return nil, ddsBad("a header of %d bytes; 124 are right", d.word(4))
	}
	d.File = File{Kind: "DDS", Width: count(d.word(ddsWidth)), Height: count(d.word(ddsHeight)), Levels: max(1, count(d.word(ddsMipMaps))), Layers: 1, Plain: true}
	if n := d.word(ddsPixel); n != 32 {
		d.warn("DDS_PIXELFORMAT says that it has %d bytes; it has 32", n)
	}
	var c ddsCode
	var err error
	if d.word(ddsPixel+4)&ddpfFourCC != 0 && d.fourCC() == "DX10" {
		c, err = d.dx10()
	} else {
		c, err = d.legacy()
	}
	if err == nil {
		err = d.use(c)
	}
	if err != nil {
		return nil, err
	}
	if d.Height == 0 && d.Depth != 0 {
		return nil, ddsBad("depth without height")
	}
	d.believe()
	d.load = d.loadLevels
	return &d.source, nil
}

func (d *dds) fourCC() string { return string(d.file[ddsPixel+8 : ddsPixel+12]) }

// dx10 reads DDS_HEADER_DXT10.
func (d *dds) dx10() (ddsCode, error) {
	if len(d.file) < ddsHeader+ddsDX10Header {
		return ddsCode{}, ddsBad("the file ends in the second header")
	}
	d.at += ddsDX10Header
	layers := d.word(ddsHeader + 12)
	if layers > maxLayers {
		return ddsCode{}, ddsBad("%d layers", layers)
	}
	d.Layers, d.Array = max(1, int(layers)), layers > 1
	switch d.word(ddsHeader + 4) {
	case dx10Texture1D:
		d.Height = 0
	case dx10Texture3D:
		d.Depth = count(d.word(ddsDepth))
		if d.Layers > 1 {
			return ddsCode{}, ddsBad("an array of 3D images")
		}
	}
	if d.word(ddsHeader+8)&dx10Cube != 0 {
		d.Cube = true
		d.Layers *= 6
	}
	switch d.word(ddsHeader+16) & dx10AlphaMode {
	case 2:
		d.lose("colours are premultiplied by alpha (alpha mode 2); they are left so")
	case 4:
		d.warn("the fourth component is no alpha (alpha mode 4)")
	}
	return dxgiCode(d.word(ddsHeader))
}

// legacy reads what Direct3D 9 knows.
func (d *dds) legacy() (ddsCode, error) {
	switch caps := d.word(ddsCaps2); {
	case caps&ddsVolume != 0:
		d.Depth = count(d.word(ddsDepth))
	case caps&ddsCubeMap != 0:
		d.Cube, d.Layers = true, 6
		if d.faces = caps & ddsAllFaces; d.faces == 0 {
			d.faces = ddsAllFaces
		}
		if n := bits.OnesCount32(d.faces); n < 6 {
			d.lose("the cube has %d of 6 faces; the others are zero", n)
			d.Plain = false
		}
	}
	flags := d.word(ddsPixel + 4)
	if flags&ddpfFourCC != 0 || d.word(ddsPixel+8) != 0 && d.word(ddsPixel+12) == 0 {
		if name := d.fourCC(); name == "DXT2" || name == "DXT4" {
			d.lose("colours are premultiplied by alpha (%s); they are left so", name)
		}
		return fourCCCode(d.word(ddsPixel + 8))
	}
	return d.masks(flags)
}

// masks reads a format that is told by the masks of its components.
func (d *dds) masks(flags uint32) (ddsCode, error) {
	word := func(i int) uint32 { return d.word(ddsPixel + 12 + 4*i) }
	m := ddsMasks{bits: word(0), r: word(1), g: word(2), b: word(3), a: word(4)}
	named := func(what string) (ddsCode, error) {
		return ddsCode{}, ddsUnsupported("pixel format %s of %d bits", what, m.bits)
	}
	switch {
	case flags&ddpfPalette != 0:
		return named("with a palette")
	case flags&ddpfYUV != 0:
		return named("of Y′CBCR masks")
	case flags&ddpfBumpLum != 0: // U, V and luminance are in the masks of R, G and B
		m.signed = [4]bool{true, true}
	case flags&ddpfBump != 0:
		m.signed = [4]bool{true, true, true, m.a != 0xC0000000} // A2W10V10U10 has alpha
	case flags&ddpfLuminance != 0:
		m.g, m.b = m.r, m.r
	case flags&ddpfAlpha != 0:
		m.r, m.g, m.b = 0, 0, 0
	}
	if m.a != 0 && flags&(ddpfAlphaPixels|ddpfAlpha|ddpfBump) == 0 {
		d.warn("there is a mask of alpha, and no flag that says so; it is alpha")
	}
	return m.code()
}

// use sets the format of texels that are stored so.
func (d *dds) use(c ddsCode) error {
	d.Format, d.stored = c.format, c.stored
	info, ok := format.Lookup(c.format)
	if !ok {
		return ddsUnsupported("format %v", c.format)
	}
	if d.blocks = blockOf(info); c.stored != nil {
		d.Plain, d.Stored = false, c.name
		d.blocks = c.stored.block
	}
	if c.swizzle == "" {
		return nil
	}
	err := d.swizzled(c.swizzle)
	d.Stored = c.name
	return err
}

// believe takes back levels that no image of that extent has, and those that are not in the file. Extents that no image has are left
// for others to refuse.
func (d *dds) believe() {
	largest := max(d.Width, d.Height, d.Depth)
	if d.Width < 1 || largest > maxExtent || d.Layers > maxLayers {
		return
	}
	if full := bits.Len(uint(largest)); d.Levels > full {
		d.warn("the header tells of %d levels; %d × %d × %d texels have %d", d.Levels, d.Width, max(1, d.Height), max(1, d.Depth), full)
		d.Levels = full
	}
	if d.Layers > 1 {
		return
	}
	at := int64(d.at)
	for level := range d.Levels {
		if at += d.blockBytes(d.blocks, level); at > int64(len(d.file)) && level > 0 {
			d.lose("the file ends in level %d of %d; the levels before it are whole", level, d.Levels)
			d.Levels = level
			return
		}
	}
}

// loadLevels finds the texels: each layer with its levels.
func (d *dds) loadLevels(_ context.Context, opt Options) error {
	levels, layers := d.wanted(opt)
	at := d.at
	var missing [32][]byte
	for layer := range layers {
		there := !d.Cube || d.faces>>(ddsFaces+layer%6)&1 != 0
		for level := range d.Levels {
			n := d.blockBytes(d.blocks, level)
			switch {
			case there && int64(len(d.file)-at) < n:
				if level >= levels {
					break
				}
				return ddsBad("the file ends in level %d of layer %d", level, layer)
			case level >= levels:
			case there:
				d.data[level*layers+layer] = d.file[at : int64(at)+n]
			case missing[level] != nil:
				d.data[level*layers+layer] = missing[level]
			default:
				if err := d.take(opt, n); err != nil {
					return &Error{Kind: "DDS", Msg: "faces that are missing", Err: err}
				}
				missing[level] = make([]byte, n)
				d.data[level*layers+layer] = missing[level]
			}
			if there {
				at = int(min(int64(at)+n, int64(len(d.file))))
			}
		}
	}
	return nil
}
