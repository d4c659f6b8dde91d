package input

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	"io"
	"math"

	"golang.org/x/image/webp"
)

// webpFrame is what the chunks of a WebP file tell.
type webpFrame struct {
	width, height   int
	lossless, alpha bool // alpha: in a chunk of its own
	packed          bool // which is compressed

	// Of an animation: the first frame's chunks, where it lies, and the extent of all frames.
	moving     bool
	frame      []byte
	at, canvas image.Point
}

func isWebP(data []byte) bool {
	return len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP"
}

var errWebP = errors.New("webp: the chunks make no picture")

// scanWebP looks through the chunks up to the picture (WebP Container Specification), which is the first frame of an animation.
// Files whose canvas is not the picture are errors.
func scanWebP(data []byte) (f webpFrame, err error) {
	err = f.scan(data, 12, 0, 0)
	return f, err
}

// scan goes on at a place, for a picture of an extent that was told, or 0.
func (f *webpFrame) scan(data []byte, at, width, height int) error {
	for at+8 <= len(data) {
		n := int(min(binary.LittleEndian.Uint32(data[at+4:]), math.MaxInt32))
		body := data[at+8:]
		body = body[:min(n, len(body))]
		switch string(data[at : at+4]) {
		case "VP8X":
			if len(body) < 10 || width > 0 {
				return errWebP
			}
			width, height = 1+int(uint24(body[4:])), 1+int(uint24(body[7:]))
			f.moving, f.canvas = body[0]&2 != 0, image.Pt(width, height)
		case "ANMF":
			const head = 16
			if len(body) < head || !f.moving || f.frame != nil {
				return errWebP
			}
			f.frame, f.at = body[head:], image.Pt(2*int(uint24(body)), 2*int(uint24(body[3:])))
			width, height := 1+int(uint24(body[6:])), 1+int(uint24(body[9:]))
			if f.at.X+width > f.canvas.X || f.at.Y+height > f.canvas.Y {
				return errWebP
			}
			return f.scan(f.frame, 0, width, height)
		case "ALPH":
			if len(body) < 1 || f.alpha {
				return errWebP
			}
			f.alpha, f.packed = true, body[0]&3 == 1
		case "VP8 ", "VP8L":
			if f.moving && f.frame == nil {
				return errWebP
			}
			switch {
			case string(data[at:at+4]) == "VP8L" && len(body) >= 5 && body[0] == 0x2f:
				v := binary.LittleEndian.Uint32(body[1:])
				f.width, f.height, f.lossless = 1+int(v&0x3fff), 1+int(v>>14&0x3fff), true
			case data[at+3] == ' ' && len(body) >= 10 && bytes.Equal(body[3:6], []byte{0x9d, 0x01, 0x2a}):
				f.width, f.height = int(binary.LittleEndian.Uint16(body[6:]))&0x3fff, int(binary.LittleEndian.Uint16(body[8:]))&0x3fff
			default:
				return errWebP
			}
			if width > 0 && (width != f.width || height != f.height) || f.width == 0 || f.height == 0 {
				return errWebP
			}
			return nil
		}
		if n > len(body) {
			break
		}
		at += 8 + n + n&1
	}
	return errWebP
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

// whole says that the first frame of an animation is all of the picture.
func (f *webpFrame) whole() bool { return f.canvas == image.Pt(f.width, f.height) }

// measure finds what golang.org/x/image/webp takes at most, and NRGBA of its result.
func (f *webpFrame) measure(p *Picture, file int64) {
	texels := int64(f.width) * int64(f.height)
	p.Result, p.Straight = 4*texels, true
	p.Decoding = decoderBytes
	if f.moving {
		p.Warnings = append(p.Warnings, "the file is an animation; the picture is its first frame")
		if !f.whole() {
			defer func() {
				p.Decoding += p.Result
				p.Result = 4 * int64(f.canvas.X) * int64(f.canvas.Y)
			}()
		}
	}
	if f.lossless {
		p.Decoding += f.lossless8(texels, file)
		return
	}
	blocks := int64((f.width+15)/16) * int64((f.height+15)/16)
	p.Decoding += blocks*(384+32) + file // and the partitions, copied
	if f.alpha {
		p.Decoding += texels
		if f.packed {
			p.Decoding += p.Result + f.lossless8(texels, file)
		}
	}
}

// lossless8 bounds the decoder's memory for a VP8L picture besides its result: a texel for each tile of 4×4 or more in transforms,
// another picture where colours are indices, and Huffman codes. Of those there are 2600 groups at most, and no more than tiles; a
// group has five codes with look-up tables, and two nodes of 8 bytes for each symbol, which colour caches may make 3136. The file
// limits nodes, too: no 256 symbols take less than 42 bits, which tell that all have codes of one length.
func (f *webpFrame) lossless8(texels, file int64) int64 {
	const tables, nodes, nodesPerByte = 5 * (24 + 4<<7), 2 * 8 * (256 + 24 + 1<<11 + 3*256 + 40), 8 * 2 * 8 * 256 / 42
	tiles := int64((f.width+3)/4) * int64((f.height+3)/4)
	groups := 1 + min(2600, tiles)
	return 4*texels + 3*4*tiles + groups*tables + min(groups*nodes, nodesPerByte*file) + 256<<10
}

// file returns a frame of an animation as a file of its own.
func (f *webpFrame) file() io.Reader {
	head := []byte("RIFF\x00\x00\x00\x00WEBP")
	if f.alpha {
		head = append(head, "VP8X\x0a\x00\x00\x00\x10\x00\x00\x00"...)
		for _, v := range [2]int{f.width - 1, f.height - 1} {
			head = append(head, byte(v), byte(v>>8), byte(v>>16))
		}
	}
	binary.LittleEndian.PutUint32(head[4:], uint32(len(head)-8+len(f.frame)))
	return io.MultiReader(bytes.NewReader(head), bytes.NewReader(f.frame))
}

// decodeWebP returns *image.NRGBA. Around the first frame of an animation all is transparent.
func decodeWebP(ctx context.Context, data []byte) (image.Image, error) {
	f, err := scanWebP(data)
	if err != nil {
		return nil, err
	}
	if !f.moving {
		return webpPicture(ctx, bytes.NewReader(data))
	}
	im, err := webpPicture(ctx, f.file())
	if err != nil || f.whole() {
		return im, err
	}
	out := image.NewNRGBA(image.Rectangle{Max: f.canvas})
	draw.Draw(out, im.Rect.Add(f.at), im, image.Point{}, draw.Src)
	return out, nil
}

// webpPicture decodes a file of one picture.
func webpPicture(ctx context.Context, file io.Reader) (*image.NRGBA, error) {
	im, err := webp.Decode(Reader(ctx, file))
	if err != nil {
		return nil, err
	}
	switch s := im.(type) {
	case *image.NRGBA:
		return s, nil
	case *image.YCbCr:
		return webpColors(ctx, s, nil, 0)
	case *image.NYCbCrA:
		return webpColors(ctx, &s.YCbCr, s.A, s.AStride)
	}
	return nil, errWebP
}

// webpColors makes colours of the planes of a lossy picture as WebP's own library does: chroma of half the extent is interpolated,
// nine parts of the nearest, three of the two beside it and one of the fourth, and Y′CBCR is that of BT.601 with a narrow range.
// Package image would take it for JPEG's.
func webpColors(ctx context.Context, s *image.YCbCr, alpha []byte, stride int) (*image.NRGBA, error) {
	width, height := s.Rect.Dx(), s.Rect.Dy()
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	across, down := (width+1)/2, (height+1)/2
	// other returns the place of a half-extent sample on the other side of i.
	other := func(i, n int) int { return min(max(i/2-1+2*(i&1), 0), n-1) }
	for y := range height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		near, far := y/2*s.CStride, other(y, down)*s.CStride
		luma, row := s.Y[y*s.YStride:], out.Pix[y*out.Stride:]
		for x := range width {
			a, b := x/2, other(x, across)
			cb := between(s.Cb[near+a], s.Cb[far+a], s.Cb[near+b], s.Cb[far+b])
			cr := between(s.Cr[near+a], s.Cr[far+a], s.Cr[near+b], s.Cr[far+b])
			p := row[4*x : 4*x+4]
			p[0], p[1], p[2] = bt601(int32(luma[x]), cb, cr)
			if p[3] = 255; alpha != nil {
				p[3] = alpha[y*stride+x]
			}
		}
	}
	return out, nil
}

// between interpolates a quarter of the way from the nearest sample in both directions.
func between(nearest, below, beside, across uint8) int32 {
	n := int32(nearest)
	return ((n+int32(across)+3*(int32(below)+int32(beside))+8)>>3 + n) >> 1
}

// bt601 converts with 14 fractional bits, of which 6 stay until the end.
func bt601(y, cb, cr int32) (r, g, b uint8) {
	clip := func(v int32) uint8 { return uint8(min(max(v>>6, 0), 255)) }
	y = y * 19077 >> 8
	return clip(y + cr*26149>>8 - 14234), clip(y - cb*6419>>8 - cr*13320>>8 + 8708), clip(y + cb*33050>>8 - 17685)
}
