package encode_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/imagefile/encode"
	"github.com/pumice-gpu/pumice/imagefile/radiance"
	"github.com/pumice-gpu/pumice/internal/outside"
)

// A written file is what ffmpeg is given, and what it must find in there.
type written struct {
	name, suffix string
	data         []byte
	frames       []byte // red, green, blue, alpha; or planes of floats: green, blue, red, alpha
	// plain is the file with its deflated parts inflated: which bytes deflate to is up to Go's version.
	plain []byte
}

// line is what a record has of a file: what was written, and what was read in it.
func (w *written) line(frames []byte) outside.Line {
	return outside.Line{Key: w.name, Value: fmt.Sprintf("%x %x", sha256.Sum256(w.plain), sha256.Sum256(frames))}
}

const ffmpegRecord = "testdata/ffmpeg.txt"

// ffmpeg has read these very files and found every float and every byte as it was given (TestOutside_FFmpegReadsFiles).
func TestFiles_AreThoseThatFFmpegReads(t *testing.T) {
	var want []outside.Line
	for _, w := range writtenFiles(t) {
		want = append(want, w.line(w.frames))
	}
	outside.ReadRecord(t, ffmpegRecord).Compare(t, want, func(said string) string { return said })
}

// writtenFiles are pictures with floats in each way of storing them, and an animation: a square that moves over noise,
// frames that are the same, and one that is new.
func writtenFiles(t *testing.T) (files []written) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][2]int{{1, 1}, {37, 45}} {
		for _, o := range []encode.EXROptions{{}, {Float32: true}, {Uncompressed: true}, {Float32: true, Uncompressed: true}} {
			files = append(files, writtenEXR(t, random, size[0], size[1], o))
		}
	}
	return append(files, writtenAnimation(t))
}

func writtenEXR(t *testing.T, random *rand.Rand, width, height int, o encode.EXROptions) written {
	t.Helper()
	pixels := make([]float32, 4*width*height)
	for i := range pixels {
		if pixels[i] = random.Float32() * 50; i < len(pixels)/3 {
			pixels[i] = 0.25
		}
		if !o.Float32 { // what 16 bits hold exactly
			pixels[i] = float32(math.Round(float64(pixels[i])*32) / 32)
		}
	}
	var out bytes.Buffer
	if err := encode.WriteEXR(&out, width, height, pixels, o); err != nil {
		t.Fatal(err)
	}
	w := written{name: fmt.Sprintf("%d × %d, 32 bits %t, plain %t", width, height, o.Float32, o.Uncompressed), suffix: ".exr", data: out.Bytes()}
	for _, channel := range [4]int{1, 2, 0, 3} {
		for i := channel; i < len(pixels); i += 4 {
			w.frames = binary.LittleEndian.AppendUint32(w.frames, math.Float32bits(pixels[i]))
		}
	}
	rows, texel := 16, 8
	if o.Float32 {
		texel = 16
	}
	if o.Uncompressed {
		rows = 1
	}
	w.plain = plainEXR(t, w.data, height, rows, width*texel)
	return w
}

// plainEXR holds the table of blocks to their places, and inflates them.
func plainEXR(t *testing.T, data []byte, height, rows, row int) []byte {
	t.Helper()
	at := 8
	for data[at] != 0 { // attributes: name, type, length, value
		for range 2 {
			at += bytes.IndexByte(data[at:], 0) + 1
		}
		at += 4 + int(binary.LittleEndian.Uint32(data[at:]))
	}
	at++
	out := bytes.Clone(data[:at])
	table, blocks := at, (height+rows-1)/rows
	at += 8 * blocks
	for b := range blocks {
		if place := binary.LittleEndian.Uint64(data[table+8*b:]); place != uint64(at) {
			t.Fatalf("block %d is at %d, the table says %d", b, at, place)
		}
		y, size := int(binary.LittleEndian.Uint32(data[at:])), int(binary.LittleEndian.Uint32(data[at+4:]))
		body := data[at+8 : at+8+size]
		if want := row * min(rows, height-y); size < want {
			if body = inflated(t, body); len(body) != want {
				t.Fatalf("block %d has %d bytes, want %d", b, len(body), want)
			}
		}
		out = append(binary.LittleEndian.AppendUint32(out, uint32(y)), body...)
		at += 8 + size
	}
	if at != len(data) {
		t.Fatalf("%d bytes follow the last block", len(data)-at)
	}
	return out
}

func writtenAnimation(t *testing.T) written {
	t.Helper()
	const width, height, count = 53, 31, 6
	random := rand.New(rand.NewPCG(5, 6))
	var frames []*image.NRGBA
	for n := range count {
		img := image.NewNRGBA(image.Rect(0, 0, width, height))
		if n == 0 || n == 4 {
			for i := range img.Pix {
				img.Pix[i] = uint8(random.Uint32())
			}
		} else {
			copy(img.Pix, frames[n-1].Pix)
			if n != 3 {
				for y := range 5 {
					copy(img.Pix[(y+n)*img.Stride+4*n*3:], bytes.Repeat([]byte{255, uint8(n), 0, 200}, 7))
				}
			}
		}
		frames = append(frames, img)
	}
	var out bytes.Buffer
	a, err := encode.NewAnimation(&out, width, height, count, 29.97)
	if err != nil {
		t.Fatal(err)
	}
	w := written{name: "animation", suffix: ".apng"}
	for _, f := range frames {
		if err := a.Add(f); err != nil {
			t.Fatal(err)
		}
		w.frames = append(w.frames, f.Pix...)
	}
	if a.Add(frames[0]) == nil {
		t.Error("one frame more than announced")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	w.data = out.Bytes()
	if at := bytes.Index(w.data, []byte("fcTL")); !bytes.Equal(w.data[at+24:at+28], []byte{0, 100, 2997 >> 8, 2997 & 255}) {
		t.Errorf("a frame takes %v", w.data[at+24:at+28])
	}
	w.plain = plainPNG(t, w.data)
	return w
}

// plainPNG holds chunks to their check sums, and inflates what is deflated.
func plainPNG(t *testing.T, data []byte) []byte {
	t.Helper()
	const signature = 8
	out := bytes.Clone(data[:signature])
	for data = data[signature:]; len(data) > 0; {
		size := int(binary.BigEndian.Uint32(data))
		chunk := data[4 : 8+size] // its name and its data
		if sum := binary.BigEndian.Uint32(data[8+size:]); sum != crc32.ChecksumIEEE(chunk) {
			t.Fatalf("chunk %s has the check sum %x", chunk[:4], sum)
		}
		data = data[12+size:]
		switch string(chunk[:4]) {
		case "IDAT":
			chunk = append(chunk[:4:4], inflated(t, chunk[4:])...)
		case "fdAT": // behind its number
			chunk = append(chunk[:8:8], inflated(t, chunk[8:])...)
		}
		out = append(out, chunk...)
	}
	return out
}

func inflated(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Our own reader, which files of OpenEXR's library hold to the format, finds the colours; it does not read alpha.
func TestEXR_ReadBack(t *testing.T) {
	for _, w := range writtenFiles(t) {
		if w.suffix != ".exr" {
			continue
		}
		got, err := radiance.Read(t.Context(), bytes.NewReader(w.data), w.name, nil)
		if err != nil {
			t.Errorf("%s: %v", w.name, err)
			continue
		}
		plane := len(w.frames) / 4
		for i := range plane / 4 {
			for c, at := range [3]int{2 * plane, 0, plane} {
				want := math.Float32frombits(binary.LittleEndian.Uint32(w.frames[at+4*i:]))
				if v := got.Pixels[3*i+c]; v != want {
					t.Fatalf("%s: float %d of pixel %d is %v, want %v", w.name, c, i, v, want)
				}
			}
		}
	}
}
