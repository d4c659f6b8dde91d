package radiance_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/imagefile/radiance"
	"github.com/pumice-gpu/pumice/internal/outside"
)

// lossyRecord has what OpenEXR's exrmaketiled decodes lossy files to: a sum of each row.
// TestOutside_ExrmaketiledDecodes wrote it.
const lossyRecord = "testdata/exrmaketiled.txt"

// lossyFiles are files and layers.
var lossyFiles = []string{
	"pxr24", "uint", "b44", "b44a", "layers-b44/diffuse", "layers-b44/eye", "dwaa", "dwab", "layers-dwaa/diffuse", "layers-dwaa/eye",
}

// rowSums returns a sum of the bits of each row.
func rowSums(img *radiance.Image) string {
	var sums []byte
	for y := range img.Height {
		var row []byte
		for _, v := range append(img.Pixels[3*y*img.Width:3*(y+1)*img.Width:3*(y+1)*img.Width], img.Alpha[y*img.Width:(y+1)*img.Width]...) {
			row = binary.LittleEndian.AppendUint32(row, math.Float32bits(v))
		}
		sums = binary.BigEndian.AppendUint32(sums, crc32.ChecksumIEEE(row))
	}
	return hex.EncodeToString(sums)
}

// TestEXR_LossyAsTheLibraryDecodes: every row has the bits that the library decodes.
func TestEXR_LossyAsTheLibraryDecodes(t *testing.T) {
	var want []outside.Line
	for _, name := range lossyFiles {
		file, layer, _ := strings.Cut(name, "/")
		want = append(want, outside.Line{Key: name, Value: rowSums(load(t, file, radiance.Options{Layer: layer, Alpha: true}))})
	}
	outside.ReadRecord(t, lossyRecord).Compare(t, want, func(s string) string { return s })
}

// TestEXR_DWABlocks: blocks that are written by hand. A mean m is m/8 in all of a block, to the power of 2.2 up to 1, and
// e^(2.2 (m/8 - 1)) above; of a first number beside it each sample has half a cosine, times the root of an eighth.
func TestEXR_DWABlocks(t *testing.T) {
	end := []uint16{0xff00}
	wave := []uint16{0x4000, 0xff00} // 2
	y, eye := channel("Y", 1, 0), channel("Y", 1, 1)
	rgb := []string{channel("B", 1, 0), channel("G", 1, 0), channel("R", 2, 0)}
	luma := func(y, b, r float64) []float64 { return []float64{y + 1.5747*r, y - 0.1873*b - 0.4682*r, y + 1.8556*b} }
	for name, c := range map[string]struct {
		channels []string
		names    []string
		version  int
		dc, ac   []uint16
		want     []float64 // red, green and blue of the first pixel, even to the eye where linear is not set
		linear   bool
	}{
		"one":      {[]string{y}, []string{"Y"}, 2, []uint16{0x4800}, end, []float64{1, 1, 1}, false},
		"half":     {[]string{y}, []string{"Y"}, 2, []uint16{0x4400}, end, []float64{0.5, 0.5, 0.5}, false},
		"three":    {[]string{y}, []string{"Y"}, 2, []uint16{0x4e00}, end, []float64{3, 3, 3}, false},
		"legacy":   {[]string{y}, []string{"Y"}, 1, []uint16{0x4400}, end, []float64{0.5, 0.5, 0.5}, false},
		"oldest":   {[]string{y}, []string{"Y"}, 0, []uint16{0x4400}, end, []float64{0.5, 0.5, 0.5}, false},
		"zeros":    {[]string{y}, []string{"Y"}, 2, []uint16{0x4400}, []uint16{0xff01, 0xff3e}, []float64{0.5, 0.5, 0.5}, false},
		"to light": {[]string{eye}, []string{"Y"}, 2, []uint16{0x4e00}, end, []float64{3, 3, 3}, true},
		"wave":     {[]string{eye}, []string{"Y"}, 2, []uint16{0x4400}, wave, slices.Repeat([]float64{0.5 + 2*math.Cos(math.Pi/16)/2*math.Sqrt(0.125)}, 3), true},
		// Luma 0.5, chroma 0.125 and 0.0625: 0.5984, 0.4473, 0.7319.
		"colours":        {rgb, []string{"R", "G", "B"}, 2, []uint16{0x4400, 0x3c00, 0x3800}, slices.Repeat(end, 3), luma(0.5, 0.125, 0.0625), false},
		"legacy colours": {rgb, []string{"R", "G", "B"}, 1, []uint16{0x4400, 0x3c00, 0x3800}, slices.Repeat(end, 3), luma(0.5, 0.125, 0.0625), false},
	} {
		img, err := read(handMade{attributes: header(8, 12, 9, c.channels...), chunks: []string{block(0, dwaBlocks(c.version, fourTimes(c.dc), slices.Repeat(c.ac, 4), c.names...))}}.bytes(), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, v := range c.want {
			want := v
			switch {
			case c.linear:
			case v <= 1:
				want = math.Pow(v, 2.2)
			default:
				want = math.Exp(2.2 * (v - 1))
			}
			// Two roundings to 16-bit floats, of which the first counts 2.2 times, or 2.2 v times above 1.
			if got := float64(img.Pixels[i]); math.Abs(got-want) > want*(1+2.2*max(1, v))/(1<<11) {
				t.Errorf("%s: channel %d is %v, want %v", name, i, got, want)
			}
		}
		// All four blocks are the same.
		for _, at := range []int{8, 8 * 12, 8*12 + 8} {
			if !slices.Equal(img.Pixels[3*at:3*at+3], img.Pixels[:3]) {
				t.Errorf("%s: pixel %d is %v, want %v", name, at, img.Pixels[3*at:3*at+3], img.Pixels[:3])
			}
		}
	}
}

// TestEXR_DWASampling: red, green and blue that are sampled in two ways are stored each by itself.
func TestEXR_DWASampling(t *testing.T) {
	list := []string{channel("L.B", 1, 0), channel("L.G", 1, 0), channel("L.R", 1, 0, 2, 2), channel("Y", 1, 0)}
	dc := append(slices.Repeat([]uint16{0x3c00}, 4+4+1), slices.Repeat([]uint16{0x4800}, 4)...)
	data := dwaBlocks(2, dc, slices.Repeat([]uint16{0xff00}, len(dc)), "R", "G", "B", "Y")
	img, err := read(handMade{attributes: header(8, 16, 16, list...), chunks: []string{block(0, data)}}.bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Min(img.Pixels) != 1 || slices.Max(img.Pixels) != 1 {
		t.Errorf("luminance is %v to %v, want 1", slices.Min(img.Pixels), slices.Max(img.Pixels))
	}
}

// fourTimes repeats each mean for four blocks.
func fourTimes(dc []uint16) (out []uint16) {
	for _, v := range dc {
		out = append(out, v, v, v, v)
	}
	return out
}

// dwaBlocks writes a block of DWA: means and other numbers, of channels that lose detail, and rules from version 2 on.
func dwaBlocks(version int, dc, ac []uint16, names ...string) string {
	deflated := func(b []byte) string {
		var out bytes.Buffer
		z := zlib.NewWriter(&out)
		z.Write(b) // a bytes.Buffer takes everything
		z.Close()
		return out.String()
	}
	plain := []byte(halfWords(dc...))
	turned := make([]byte, len(plain))
	for i, v := range plain {
		turned[i/2+i%2*len(plain)/2] = v
	}
	for i := len(turned) - 1; i > 0; i-- {
		turned[i] -= turned[i-1] - 128
	}
	means, others := deflated(turned), deflated([]byte(halfWords(ac...)))
	rules := ""
	for _, n := range names {
		color := strings.Index("RGB", n) + 1
		for kind := range byte(2) { // 16 and 32-bit floats
			rules += n + "\x00" + string([]byte{byte(color<<4 | 1<<2), 1 + kind})
		}
	}
	head := dwaHeader(version, 0, 0, len(others), len(means), 0, 0, 0, len(ac), len(dc), 1)
	if rules = halfWords(uint16(len(rules)+2)) + rules; version < 2 {
		rules = ""
	}
	return head + rules + others + means
}

// dwaHeader is the numbers at the beginning of a block.
func dwaHeader(numbers ...int) string {
	var head []byte
	for _, v := range numbers {
		head = binary.LittleEndian.AppendUint64(head, uint64(v))
	}
	return string(head)
}
