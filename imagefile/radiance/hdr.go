package radiance

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// hdr reads a Radiance picture: a header of lines, an empty line, a line with the extent, and
// rows of pixels. A pixel is three mantissas and an exponent e: a value is m · 2^(e-136).
func (d *decoder) hdr(data []byte) (*Image, error) {
	const longest = 1 << 16 // of header lines
	line := func() (string, bool) {
		end := bytes.IndexByte(data[:min(len(data), longest)], '\n')
		if end < 0 {
			return "", false
		}
		s := strings.TrimRight(string(data[:end]), "\r")
		data = data[end+1:]
		return s, true
	}
	exposure := 1.0
	line() // #?RADIANCE, or the name of another program
	for {
		s, ok := line()
		if !ok {
			return nil, fail("Radiance header has no end")
		}
		if s == "" {
			break
		}
		key, value, _ := strings.Cut(s, "=")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "FORMAT":
			if value != "32-bit_rle_rgbe" {
				return nil, fail("Radiance format %q is not supported (32-bit_rle_rgbe is)", shortened(value))
			}
		case "EXPOSURE": // what pixels were multiplied by
			e, err := strconv.ParseFloat(value, 64)
			if err != nil || !(e > 0) || math.IsInf(e, 0) {
				return nil, fail("EXPOSURE %q is no positive number", shortened(value))
			}
			exposure *= e
		}
	}
	if !(exposure > 1e-30 && exposure < 1e30) {
		return nil, fail("EXPOSURE %g in all is out of range", exposure)
	}
	s, ok := line()
	f := strings.Fields(s)
	if !ok || len(f) != 4 {
		return nil, fail("line %q where the extent (-Y height +X width) is expected", shortened(s))
	}
	if strings.HasSuffix(f[0], "X") {
		return nil, fail("pictures by columns (%q) are not supported", shortened(s))
	}
	height, err1 := strconv.Atoi(f[1])
	width, err2 := strconv.Atoi(f[3])
	if err1 != nil || err2 != nil || (f[0] != "-Y" && f[0] != "+Y") || (f[2] != "+X" && f[2] != "-X") {
		return nil, fail("line %q where the extent (-Y height +X width) is expected", shortened(s))
	}
	// A row takes at least two bytes for each 127 pixels of one of four channels, or a pixel of the
	// old kind for each 255: less is no picture, and not worth its memory.
	if int64(len(data)) < int64(height)*int64(width/255) {
		return nil, fail("Radiance picture of %d × %d pixels ends early", width, height)
	}
	img, err := d.image(width, height)
	if err != nil {
		return nil, err
	}
	row := make([]byte, 4*width)
	for y := range height {
		if y%64 == 0 {
			if err := d.ctx.Err(); err != nil {
				return nil, err
			}
		}
		if data, ok = hdrRow(row, data); !ok {
			return nil, fail("row %d of %d of a Radiance picture is damaged or ends early", y, height)
		}
		to := y
		if f[0] == "+Y" {
			to = height - 1 - y
		}
		for x := range width {
			out := img.Pixels[3*(to*width+x):]
			if f[2] == "-X" {
				out = img.Pixels[3*(to*width+width-1-x):]
			}
			p := row[4*x : 4*x+4]
			if p[3] == 0 {
				continue
			}
			scale := math.Ldexp(1, int(p[3])-136) / exposure
			for c := range 3 {
				out[c] = light(float32(float64(p[c]) * scale))
			}
		}
	}
	return img, nil
}

// hdrRow decodes a row of pixels and returns what follows.
func hdrRow(row, data []byte) ([]byte, bool) {
	width := len(row) / 4
	if width < 8 || width > 0x7fff || len(data) < 4 || data[0] != 2 || data[1] != 2 || data[2] >= 128 {
		return hdrOldRow(row, data)
	}
	if int(data[2])<<8|int(data[3]) != width {
		return nil, false
	}
	data = data[4:]
	for c := range 4 { // one channel after the other
		for x := 0; x < width; {
			if len(data) < 2 {
				return nil, false
			}
			n, run := int(data[0]), false
			if n > 128 {
				n, run = n-128, true
			}
			if n == 0 || n > width-x || !run && len(data) < 1+n {
				return nil, false
			}
			for i := range n {
				if run {
					row[4*(x+i)+c] = data[1]
				} else {
					row[4*(x+i)+c] = data[1+i]
				}
			}
			x += n
			if run {
				data = data[2:]
			} else {
				data = data[1+n:]
			}
		}
	}
	return data, true
}

// hdrOldRow decodes pixels one after the other, where 1, 1, 1, n repeats the one before; n of
// repetitions that follow each other are digits of base 256, the lowest first.
func hdrOldRow(row, data []byte) ([]byte, bool) {
	shift := 0
	for x := 0; x < len(row); {
		if len(data) < 4 {
			return nil, false
		}
		p := data[:4]
		data = data[4:]
		if p[0] != 1 || p[1] != 1 || p[2] != 1 {
			copy(row[x:], p)
			x += 4
			shift = 0
			continue
		}
		n := int(p[3]) << shift
		if shift += 8; shift > 24 || x == 0 || n > (len(row)-x)/4 {
			return nil, false
		}
		for range n {
			copy(row[x:x+4], row[x-4:])
			x += 4
		}
	}
	return data, true
}

// shortened keeps text of a file from filling an error.
func shortened(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}
