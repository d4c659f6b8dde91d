package encode

import (
	"encoding/binary"
	"image"
	"io"
)

// writeKTX2 writes a KTX 2.0 file of one level: VK_FORMAT_R8G8B8A8_SRGB, alpha straight, the
// first row at the top.
func writeKTX2(w io.Writer, img *image.NRGBA) error {
	const (
		vkR8G8B8A8Srgb = 43
		head           = 12 + 9*4 + 4*4 + 2*8 + 3*8 // identifier, fields, index, and the one level's place
		samples        = 4
		block          = 24 + 16*samples // of the data format descriptor
	)
	le := binary.LittleEndian
	var pairs []byte // sorted by key
	for _, pair := range []string{"KTXorientation\x00rd\x00", "KTXwriter\x00pumice\x00"} {
		pairs = le.AppendUint32(pairs, uint32(len(pair)))
		pairs = append(pairs, pair...)
		for len(pairs)%4 != 0 {
			pairs = append(pairs, 0)
		}
	}
	descriptor := head
	keys := descriptor + 4 + block
	texels := uint64(keys + len(pairs)) // a multiple of 4, as a texel's bytes are
	size := 4 * uint64(img.Rect.Dx()) * uint64(img.Rect.Dy())

	out := []byte("\xABKTX 20\xBB\r\n\x1A\n")
	for _, v := range []uint32{
		vkR8G8B8A8Srgb, 1, uint32(img.Rect.Dx()), uint32(img.Rect.Dy()), 0, 0, 1, 1, 0, // no depth, no layers, one face, one level
		uint32(descriptor), 4 + block, uint32(keys), uint32(len(pairs)),
	} {
		out = le.AppendUint32(out, v)
	}
	for _, v := range []uint64{0, 0, texels, size, size} { // no global data of a supercompression
		out = le.AppendUint64(out, v)
	}

	// Khronos Basic Data Format: RGBSDA, BT.709, sRGB, texels of four bytes.
	out = le.AppendUint32(out, 4+block)
	for _, v := range []uint32{0, 2 | block<<16, 1 | 1<<8 | 2<<16, 0, 4, 0} {
		out = le.AppendUint32(out, v)
	}
	for i, channel := range [samples]uint32{0, 1, 2, 15 | 1<<4} { // alpha is linear
		for _, v := range []uint32{uint32(8*i) | 7<<16 | channel<<24, 0, 0, 255} {
			out = le.AppendUint32(out, v)
		}
	}
	if _, err := w.Write(append(out, pairs...)); err != nil {
		return err
	}
	return writeRows(w, img)
}
