package input

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/jpeg"
	"io"
	"strings"
)

// jpegReader returns a file for image/jpeg, which then takes what libjpeg does: no marker at its end, and four components without
// Adobe's word on them. Bytes before markers and behind the end it takes by itself.
func jpegReader(data []byte) io.Reader {
	const end, adobe = "\xff\xd9", "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
	if inks(data) {
		return io.MultiReader(bytes.NewReader(data[:2]), strings.NewReader(adobe), bytes.NewReader(data[2:]), strings.NewReader(end))
	}
	return io.MultiReader(bytes.NewReader(data), strings.NewReader(end))
}

// inks reports whether a file has four components and no segment of Adobe's: they are inks then, the more the darker.
func inks(data []byte) bool {
	four, adobe := false, false
	jpegSegments(data, func(marker byte, segment []byte) bool {
		switch {
		case marker == 0xee && len(segment) >= 12 && string(segment[:5]) == "Adobe":
			adobe = true
		case marker >= 0xc0 && marker <= 0xc2 && len(segment) >= 6:
			four = segment[5] == 4
		}
		return marker != 0xda
	})
	return four && !adobe
}

// jpegSegments calls f with the segments of a file, until it returns false.
func jpegSegments(data []byte, f func(marker byte, segment []byte) bool) {
	for at := 2; at+4 <= len(data); {
		if data[at] != 0xff {
			at++ // between segments the decoder skips, too
			continue
		}
		marker := data[at+1]
		if marker == 0xff || marker == 0 || marker >= 0xd0 && marker <= 0xd9 { // without a length
			at++
			continue
		}
		n := int(binary.BigEndian.Uint16(data[at+2:]))
		if n < 2 || n > len(data)-at-2 || !f(marker, data[at+4:at+2+n]) {
			return
		}
		at += 2 + n
	}
}

// decodeJPEG decodes a file. Inks that Adobe does not speak of come from image/jpeg the other way round.
func decodeJPEG(ctx context.Context, data []byte) (image.Image, error) {
	im, err := jpeg.Decode(Reader(ctx, jpegReader(data)))
	if c, ok := im.(*image.CMYK); ok && err == nil && inks(data) {
		for i := range c.Pix {
			c.Pix[i] = ^c.Pix[i]
		}
	}
	return im, err
}

// measureJPEG finds what image/jpeg takes: whole blocks of each component, four
// bytes more a coefficient where the file is progressive, and another picture where
// the colours are not Y′CBCR.
func (p *Picture) measureJPEG(data []byte, texels int64) {
	// Where it finds no frame, the decoder will say what is wrong; this is the most that it takes.
	p.Result, p.Decoding = 4*texels, decoderBytes+20*texels
	rgb := false
	jpegSegments(data, func(marker byte, segment []byte) bool {
		if marker == 0xee && len(segment) >= 12 && string(segment[:5]) == "Adobe" {
			rgb = segment[11] == 0
		}
		if marker < 0xc0 || marker > 0xc2 {
			return true
		}
		if len(segment) >= 6 && len(segment) >= 6+3*int(segment[5]) {
			p.measureFrame(segment, marker == 0xc2, rgb, texels)
		}
		return false
	})
}

// measureFrame is measureJPEG for a frame header.
func (p *Picture) measureFrame(frame []byte, progressive, rgb bool, texels int64) {
	height, width := int64(binary.BigEndian.Uint16(frame[1:])), int64(binary.BigEndian.Uint16(frame[3:]))
	parts := int(frame[5])
	var h, v int64 = 1, 1
	for i := range parts {
		h, v = max(h, int64(frame[7+3*i]>>4)), max(v, int64(frame[7+3*i]&15))
	}
	across, down := (width+8*h-1)/(8*h), (height+8*v-1)/(8*v)
	samples := int64(0)
	for i := range parts {
		if parts == 1 { // blocks of one component are not interleaved
			samples = (width + 7) / 8 * ((height + 7) / 8) * 64
			break
		}
		samples += across * down * 64 * int64(frame[7+3*i]>>4) * int64(frame[7+3*i]&15)
	}
	p.Result, p.Decoding = samples, decoderBytes
	if progressive {
		p.Decoding += 4 * samples
	}
	rgb = rgb || parts == 3 && string([]byte{frame[6], frame[9], frame[12]}) == "RGB"
	if parts == 4 || parts == 3 && rgb {
		p.Decoding, p.Result, p.Straight = p.Decoding+samples, 4*texels, parts == 3
	}
}
