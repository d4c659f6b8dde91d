package icd

import (
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
	"strings"
)

// writePNG writes a picture of opaque pixels as a PNG of 8 bits of RGB. image/png would bring
// decoders with it, which make a driver larger that programs download.
func writePNG(w io.Writer, img *image.NRGBA) error {
	var packed strings.Builder
	deflate := zlib.NewWriter(&packed)
	width, height := img.Rect.Dx(), img.Rect.Dy()
	line, above := make([]byte, 1+3*width), make([]byte, 3*width)
	line[0] = 2 // the filter: what differs from the row above
	for y := range height {
		for i := range above {
			v := img.Pix[y*img.Stride+i/3*4+i%3]
			line[1+i], above[i] = v-above[i], v
		}
		deflate.Write(line) // into memory
	}
	deflate.Close()
	be := binary.BigEndian
	header := be.AppendUint32(be.AppendUint32(nil, uint32(width)), uint32(height))
	out := []byte("\x89PNG\r\n\x1a\n")
	for _, c := range []struct {
		name string
		data []byte
	}{{"IHDR", append(header, 8, 2, 0, 0, 0)}, {"IDAT", []byte(packed.String())}, {"IEND", nil}} {
		out = be.AppendUint32(out, uint32(len(c.data)))
		from := len(out)
		out = append(append(out, c.name...), c.data...)
		out = be.AppendUint32(out, crc32.ChecksumIEEE(out[from:]))
	}
	_, err := w.Write(out)
	return err
}
