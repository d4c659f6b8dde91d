package input

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	"image/gif"
)

// gifFrame is where the first picture of a GIF file lies.
type gifFrame struct {
	width, height int // of all frames
	rect          image.Rectangle
	interlaced    bool
	more          bool // frames follow
}

func (f *gifFrame) whole() bool { return f.rect == image.Rect(0, 0, f.width, f.height) }

var errGIF = errors.New("gif: the blocks make no picture")

// scanGIF looks through the blocks up to the first picture, and says whether another one follows.
func scanGIF(data []byte) (f gifFrame, err error) {
	const head, descriptor = 13, 10
	if len(data) < head {
		return f, errGIF
	}
	half := func(b []byte) int { return int(binary.LittleEndian.Uint16(b)) }
	f.width, f.height = half(data[6:]), half(data[8:])
	table := func(flags byte) int {
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (1 + flags&7)
	}
	at, found := head+table(data[10]), false
	// blocks goes over sub-blocks.
	blocks := func() {
		for at < len(data) && data[at] != 0 {
			at += 1 + int(data[at])
		}
		at++
	}
	for at < len(data) {
		switch data[at] {
		case 0x21: // an extension
			at += 2
			blocks()
		case 0x2C:
			if found {
				f.more = true
				return f, nil
			}
			if len(data)-at < descriptor {
				return f, errGIF
			}
			d := data[at:]
			x, y := half(d[1:]), half(d[3:])
			f.rect, f.interlaced, found = image.Rect(x, y, x+half(d[5:]), y+half(d[7:])), d[9]&0x40 != 0, true
			at += descriptor + table(d[9]) + 1
			blocks()
		default:
			if !found {
				return f, errGIF
			}
			return f, nil
		}
	}
	if !found {
		return f, errGIF
	}
	return f, nil
}

// measure finds what image/gif takes, and the frame in the picture.
func (f *gifFrame) measure(p *Picture) {
	frame := int64(f.rect.Dx()) * int64(f.rect.Dy())
	p.Decoding = 2 * decoderBytes
	if f.interlaced {
		p.Decoding += frame
	}
	if p.Result = frame; !f.whole() {
		p.Decoding += frame
		p.Result = 4 * int64(f.width) * int64(f.height)
		p.Straight = true
	}
	if f.more {
		p.Warnings = append(p.Warnings, "the file has several frames; the picture is the first one")
	}
}

// decodeGIF decodes the first frame; around it, all is transparent.
func decodeGIF(ctx context.Context, data []byte) (image.Image, error) {
	f, err := scanGIF(data)
	if err != nil {
		return nil, err
	}
	im, err := gif.Decode(Reader(ctx, bytes.NewReader(data)))
	if err != nil || f.whole() {
		return im, err
	}
	out := image.NewNRGBA(image.Rect(0, 0, f.width, f.height))
	draw.Draw(out, im.Bounds(), im, im.Bounds().Min, draw.Src)
	return out, nil
}
