// Package bomb makes small files that ask for much: for tests and as seeds of fuzzing.
package bomb

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// zeros reads as so many zero bytes.
type zeros int64

func (z *zeros) Read(p []byte) (int, error) {
	if *z == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), int64(*z))
	clear(p[:n])
	*z -= zeros(n)
	return int(n), nil
}

// Deflated returns n zero bytes as zlib writes them: about a thousandth of that.
func Deflated(n int64) []byte {
	var out bytes.Buffer
	w, _ := zlib.NewWriterLevel(&out, zlib.BestSpeed) // the level exists
	z := zeros(n)
	io.Copy(w, &z) // a bytes.Buffer takes everything
	w.Close()
	return out.Bytes()
}

// PNG returns a picture of zeros. kind is the colour type of IHDR; transparent, if not
// nil, is the content of a tRNS chunk.
func PNG(width, height int, depth, kind byte, interlaced bool, transparent []byte) []byte {
	samples := map[byte]int{0: 1, 2: 3, 4: 2, 6: 4}[kind]
	row := func(n int) int64 { return int64((n*samples*int(depth)+7)/8 + 1) }
	total := row(width) * int64(height)
	if interlaced {
		total = 0
		for _, p := range [][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
			if w, h := (width-p[0]+p[2]-1)/p[2], (height-p[1]+p[3]-1)/p[3]; w > 0 && h > 0 {
				total += row(w) * int64(h)
			}
		}
	}
	return png(width, height, depth, kind, interlaced, transparent, Deflated(total))
}

// PNGHeader returns the beginning of a picture that has no texels.
func PNGHeader(width, height int, depth, kind byte) []byte {
	return png(width, height, depth, kind, false, nil, Deflated(0))
}

func png(width, height int, depth, kind byte, interlaced bool, transparent, body []byte) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(name string, data []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		at := len(out)
		out = append(append(out, name...), data...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[at:]))
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(width))
	head = append(binary.BigEndian.AppendUint32(head, uint32(height)), depth, kind, 0, 0, 0)
	if interlaced {
		head[12] = 1
	}
	chunk("IHDR", head)
	if transparent != nil {
		chunk("tRNS", transparent)
	}
	chunk("IDAT", body)
	chunk("IEND", nil)
	return out
}

// JPEG returns a progressive picture of grey texels: one scan of DC coefficients, a bit
// each. sampling holds the sampling factors of each component.
func JPEG(width, height int, sampling []byte) []byte {
	out := []byte{0xff, 0xd8}
	segment := func(marker byte, data ...byte) {
		out = append(out, 0xff, marker)
		out = binary.BigEndian.AppendUint16(out, uint16(len(data)+2))
		out = append(out, data...)
	}
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	frame := []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), byte(len(sampling))}
	scan := []byte{byte(len(sampling))}
	blocks, h, v := 0, 1, 1
	for i, s := range sampling {
		frame = append(frame, byte(i+1), s, 0)
		scan = append(scan, byte(i+1), 0)
		blocks += int(s>>4) * int(s&15)
		h, v = max(h, int(s>>4)), max(v, int(s&15))
	}
	if len(sampling) == 4 { // are CMYK, and say so
		segment(0xee, append([]byte("Adobe"), 0, 100, 0, 0, 0, 0, 0)...)
	}
	segment(0xc2, frame...)
	// The code 0 is a difference of 0; nothing else comes.
	segment(0xc4, append([]byte{0x00, 1}, make([]byte, 16)...)...)
	segment(0xda, append(scan, 0, 0, 0)...)
	blocks *= ((width + 8*h - 1) / (8 * h)) * ((height + 8*v - 1) / (8 * v))
	out = append(out, make([]byte, blocks/8+1)...)
	return append(out, 0xff, 0xd9)
}

// Zstd returns n zero bytes as a Zstandard frame of RLE blocks: 4 bytes for each 128 KiB.
func Zstd(n int64) []byte {
	out := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3} // a window of 128 KiB
	for n > 0 {
		m := min(n, 128<<10)
		n -= m
		word := uint32(m)<<3 | 1<<1
		if n == 0 {
			word |= 1
		}
		out = append(out, byte(word), byte(word>>8), byte(word>>16), 0)
	}
	return out
}

// KTX2 returns a file of one level: body is supercompressed by the scheme and comes out
// as plain bytes.
func KTX2(format, width, height, scheme int, body []byte, plain int64) []byte {
	out := []byte("\xABKTX 20\xBB\r\n\x1A\n")
	for _, v := range []int{format, 1, width, height, 0, 0, 1, 1, scheme, 0, 0, 0, 0} {
		out = binary.LittleEndian.AppendUint32(out, uint32(v))
	}
	out = append(out, make([]byte, 16)...)
	for _, v := range []uint64{uint64(len(out)) + 24, uint64(len(body)), uint64(plain)} {
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	return append(out, body...)
}
