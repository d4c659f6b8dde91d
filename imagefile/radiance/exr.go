package radiance

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// exrChannel is one channel of a file.
type exrChannel struct {
	name string
	half bool // 16-bit floats, else 32-bit
	to   int  // red, green or blue: 0, 1, 2; 3: all of them; -1: not read
}

func (c *exrChannel) bytes() int {
	if c.half {
		return 2
	}
	return 4
}

// exrHeader is what the attributes say.
type exrHeader struct {
	channels    []exrChannel
	compression byte
	window      [4]int32 // x and y of the first pixel, then of the last
	found       map[string]bool
}

// The compressions, by number: their name, how many rows are compressed together, and whether
// they are supported.
var exrCompressions = []struct {
	name      string
	rows      int
	supported bool
}{
	{"none", 1, true}, {"RLE", 1, true}, {"ZIPS", 1, true}, {"ZIP", 16, true}, {"PIZ", 32, true},
	{"PXR24", 16, false}, {"B44", 32, false}, {"B44A", 32, false}, {"DWAA", 32, false}, {"DWAB", 256, false},
}

// exr reads an OpenEXR file.
func (d *decoder) exr(data []byte) (*Image, error) {
	if len(data) < 8 {
		return nil, fail("OpenEXR header has no end")
	}
	version := binary.LittleEndian.Uint32(data[4:])
	switch {
	case version&0xff != 2:
		return nil, fail("OpenEXR version %d is not supported (2 is)", version&0xff)
	case version&0x800 != 0:
		return nil, fail("deep OpenEXR pictures are not supported")
	case version&0x1000 != 0:
		return nil, fail("OpenEXR files of several parts are not supported")
	case version&0x200 != 0:
		return nil, fail("tiled OpenEXR pictures are not supported (scan lines are)")
	}
	h, rest, err := exrAttributes(data[8:])
	if err != nil {
		return nil, err
	}
	width, height := int64(h.window[2])-int64(h.window[0])+1, int64(h.window[3])-int64(h.window[1])+1
	if width < 1 || height < 1 || width > maxExtent || height > maxExtent {
		return nil, fail("dataWindow of %d × %d pixels: want 1 to %d each way", width, height, maxExtent)
	}
	rows := int64(exrCompressions[h.compression].rows)
	blocks := (height + rows - 1) / rows
	if int64(len(rest)) < 16*blocks {
		return nil, fail("OpenEXR picture of %d × %d pixels ends early", width, height)
	}
	pixel := 0
	for _, c := range h.channels {
		pixel += c.bytes()
	}
	// A block and the two steps on the way to it.
	if err := d.take(3*rows*width*int64(pixel)+pizMemory, "a block of %d × %d pixels of %d channels", width, rows, len(h.channels)); err != nil {
		return nil, err
	}
	img, err := d.image(int(width), int(height))
	if err != nil {
		return nil, err
	}
	done := make([]bool, blocks)
	for i := range blocks {
		if err := d.ctx.Err(); err != nil {
			return nil, err
		}
		offset := binary.LittleEndian.Uint64(rest[8*i:])
		if offset > uint64(len(data)) || uint64(len(data))-offset < 8 {
			return nil, fail("block %d of %d of an OpenEXR picture lies past the end of the file", i, blocks)
		}
		chunk := data[offset:]
		y := int64(int32(binary.LittleEndian.Uint32(chunk))) - int64(h.window[1])
		size := binary.LittleEndian.Uint32(chunk[4:])
		if y < 0 || y >= height || y%rows != 0 || uint64(size) > uint64(len(chunk)-8) || done[y/rows] {
			return nil, fail("block %d of %d of an OpenEXR picture is damaged or ends early", i, blocks)
		}
		done[y/rows] = true
		count := min(rows, height-y)
		raw, err := h.unpack(chunk[8:8+size], int(width), int(count), pixel)
		if err != nil {
			return nil, fail("rows from %d on of an OpenEXR picture (%s): %v", y, exrCompressions[h.compression].name, err)
		}
		for r := range count {
			raw = h.putRow(img.Pixels[3*(y+r)*width:3*(y+r+1)*width], raw, int(width))
		}
	}
	return img, nil
}

// unpack returns the bytes of a block: row by row, in each channel by channel.
func (h *exrHeader) unpack(packed []byte, width, rows, pixel int) ([]byte, error) {
	want := width * rows * pixel
	if len(packed) == want { // what would not shrink is not compressed
		return packed, nil
	}
	switch h.compression {
	case 1:
		return unpackRLE(packed, want)
	case 2, 3:
		return unpackZIP(packed, want)
	case 4:
		return unpackPIZ(packed, h.channels, width, rows, want)
	default:
		return nil, fmt.Errorf("%d bytes, want %d", len(packed), want)
	}
}

// putRow converts a row of all channels and returns what follows.
func (h *exrHeader) putRow(out []float32, raw []byte, width int) []byte {
	for i := range h.channels {
		c := &h.channels[i]
		n := c.bytes()
		if c.to >= 0 {
			for x := range width {
				var v float32
				if c.half {
					v = fromHalf(binary.LittleEndian.Uint16(raw[2*x:]))
				} else {
					v = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*x:]))
				}
				v = light(v)
				if c.to < 3 {
					out[3*x+c.to] = v
				} else {
					out[3*x], out[3*x+1], out[3*x+2] = v, v, v
				}
			}
		}
		raw = raw[n*width:]
	}
	return raw
}

// exrAttributes reads the header and returns what follows it.
func exrAttributes(data []byte) (*exrHeader, []byte, error) {
	h := &exrHeader{found: map[string]bool{}}
	text := func() (string, bool) {
		end := bytes.IndexByte(data[:min(len(data), 256)], 0)
		if end < 0 {
			return "", false
		}
		s := string(data[:end])
		data = data[end+1:]
		return s, true
	}
	for {
		name, ok := text()
		if ok && name == "" {
			break
		}
		kind, ok2 := text()
		if !ok || !ok2 || len(data) < 4 {
			return nil, nil, fail("OpenEXR header is damaged or has no end")
		}
		size := binary.LittleEndian.Uint32(data)
		if uint64(size) > uint64(len(data)-4) {
			return nil, nil, fail("OpenEXR attribute %q ends early", shortened(name))
		}
		value := data[4 : 4+size]
		data = data[4+size:]
		if h.found[name] {
			continue
		}
		h.found[name] = true
		var err error
		switch name + " " + kind {
		case "channels chlist":
			err = h.readChannels(value)
		case "compression compression":
			if len(value) != 1 || int(value[0]) >= len(exrCompressions) {
				return nil, nil, fail("unknown OpenEXR compression")
			}
			if h.compression = value[0]; !exrCompressions[h.compression].supported {
				return nil, nil, fail("OpenEXR compression %s is not supported (none, RLE, ZIPS, ZIP and PIZ are)", exrCompressions[h.compression].name)
			}
		case "dataWindow box2i":
			if len(value) != 16 {
				return nil, nil, fail("OpenEXR dataWindow is damaged")
			}
			for i := range h.window {
				h.window[i] = int32(binary.LittleEndian.Uint32(value[4*i:]))
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	for _, name := range []string{"channels", "compression", "dataWindow"} {
		if !h.found[name] {
			return nil, nil, fail("OpenEXR header has no %s", name)
		}
	}
	return h, data, nil
}

// readChannels reads the list of channels and finds those to read: R, G and B, or Y alone.
func (h *exrHeader) readChannels(data []byte) error {
	const most = 64
	var names []string
	for len(data) > 0 && data[0] != 0 {
		end := bytes.IndexByte(data[:min(len(data), 256)], 0)
		if end < 0 || len(data) < end+17 || len(names) == most {
			return fail("OpenEXR list of channels is damaged, or longer than %d", most)
		}
		c := exrChannel{name: string(data[:end]), to: -1}
		le := binary.LittleEndian
		kind, sx, sy := le.Uint32(data[end+1:]), le.Uint32(data[end+9:]), le.Uint32(data[end+13:])
		data = data[end+17:]
		if sx != 1 || sy != 1 {
			return fail("OpenEXR channel %q is sampled every %d × %d pixels, which is not supported", shortened(c.name), sx, sy)
		}
		to := strings.Index("RGBY", c.name)
		if len(c.name) != 1 {
			to = -1
		}
		switch {
		case kind == 1:
			c.half = true
		case kind == 0 && to >= 0:
			return fail("OpenEXR channel %s holds integers, not light", c.name)
		case kind > 2:
			return fail("OpenEXR channel %q is of unknown type %d", shortened(c.name), kind)
		}
		c.to = to
		names = append(names, c.name)
		h.channels = append(h.channels, c)
	}
	rgb := slices.Contains(names, "R") && slices.Contains(names, "G") && slices.Contains(names, "B")
	if !rgb && !slices.Contains(names, "Y") {
		return fail("OpenEXR channels are %s: want R, G and B, or Y", shortened(strings.Join(names, ", ")))
	}
	for i := range h.channels {
		if c := &h.channels[i]; rgb == (c.to == 3) {
			c.to = -1
		}
	}
	return nil
}

// fromHalf converts a 16-bit float.
func fromHalf(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent, mantissa := uint32(h>>10&31), uint32(h&0x3ff)
	switch exponent {
	case 0:
		v := float32(mantissa) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | mantissa<<13)
	default:
		return math.Float32frombits(sign | (exponent+112)<<23 | mantissa<<13)
	}
}
