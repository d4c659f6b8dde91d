package format

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/assets"
	"github.com/pumice-gpu/pumice/internal/format/astc"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// ktx2 is the first level of a KTX2 file without supercompression.
type ktx2 struct {
	format        vk.Format
	width, height int
	data          []byte
}

func readKTX2(name string) (ktx2, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return ktx2{}, err
	}
	if len(b) < 104 || string(b[1:7]) != "KTX 20" {
		return ktx2{}, fmt.Errorf("%s is no KTX2 file", name)
	}
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	if u32(44) != 0 {
		return ktx2{}, fmt.Errorf("%s is supercompressed", name)
	}
	offset, length := binary.LittleEndian.Uint64(b[80:]), binary.LittleEndian.Uint64(b[88:])
	if offset+length > uint64(len(b)) {
		return ktx2{}, fmt.Errorf("%s is cut short", name)
	}
	return ktx2{vk.Format(u32(12)), u32(20), u32(24), b[offset : offset+length]}, nil
}

// row decodes row y; ASTC UNORM to 8 bits, as the twins were.
func (k *ktx2) row(i *Info, dst []Texel, y int) {
	if i.Chroma == "422" {
		pairs := make([]Texel, (len(dst)+1)&^1)
		i.DecodeRow(pairs, k.data[y*((k.width+1)/2)*i.BlockBytes:])
		copy(dst, pairs)
		return
	}
	if !i.Compressed {
		i.DecodeRow(dst, k.data[y*k.width*i.BlockBytes:])
		return
	}
	var cache BlockCache
	across := (k.width + i.BlockWidth - 1) / i.BlockWidth
	for x := range dst {
		src := k.data[(y/i.BlockHeight*across+x/i.BlockWidth)*i.BlockBytes:]
		dst[x] = cache.Texel(i, src, x, y, 0)
		if i.Scheme == "ASTC LDR" && i.Numeric == NumericUnorm {
			var block [MaxBlockTexels]Texel
			astc.Decode(block[:], src, astc.Footprint{Width: i.BlockWidth, Height: i.BlockHeight, Depth: 1}, astc.ProfileUnorm, astc.ModeUnorm8)
			dst[x] = block[y%i.BlockHeight*i.BlockWidth+x%i.BlockWidth]
		}
	}
}

// channel16 returns the channels of a PNG pixel with 16 bits, not premultiplied.
func channel16(im image.Image, x, y int) [4]uint16 {
	switch c := im.At(x, y).(type) {
	case color.Gray:
		return [4]uint16{uint16(c.Y) * 257, 0, 0, 0xffff}
	case color.Gray16:
		return [4]uint16{c.Y, 0, 0, 0xffff}
	default:
		n := color.NRGBA64Model.Convert(c).(color.NRGBA64)
		if c, ok := c.(color.NRGBA); ok {
			n = color.NRGBA64{R: uint16(c.R) * 257, G: uint16(c.G) * 257, B: uint16(c.B) * 257, A: uint16(c.A) * 257}
		}
		return [4]uint16{n.R, n.G, n.B, n.A}
	}
}

// TestDecode_FilesByOthers decodes the KTX2 files of the assets and compares each texel with its PNG twin, exactly.
func TestDecode_FilesByOthers(t *testing.T) {
	rules.Covers(t, "IMG-254")
	root := assets.Folder(t, "ktx2")
	twins, _ := filepath.Glob(filepath.Join(root, "golden_png_2d", "*.png"))
	compared := 0
	for _, twin := range twins {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(twin), "output_"), ".png")
		k, err := readKTX2(filepath.Join(root, "input", "valid_"+name+".ktx2"))
		if err != nil {
			continue // supercompressed, or without an input
		}
		i, ok := Lookup(k.format)
		if !ok || i.Supported() != nil || i.Aspects != vk.ImageAspectColorBit || i.Class != ClassFloat {
			continue
		}
		f, err := os.Open(twin)
		if err != nil {
			t.Fatal(err)
		}
		im, err := png.Decode(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		size := (k.width + i.BlockWidth - 1) / i.BlockWidth * ((k.height + i.BlockHeight - 1) / i.BlockHeight) * i.BlockBytes
		if im.Bounds().Dx() != k.width || im.Bounds().Dy() != k.height || len(k.data) < size {
			t.Errorf("%s: %dx%d with %d bytes, the twin has %v", name, k.width, k.height, len(k.data), im.Bounds())
			continue
		}
		compared++
		row := make([]Texel, k.width)
	texels:
		for y := range k.height {
			k.row(i, row, y)
			for x := range k.width {
				want := channel16(im, x, y)
				for c, comp := range i.Components {
					if i.Chroma == "422" && (c != 1 || comp.Bits%8 != 0) {
						continue // the twin's chroma is reconstructed, and 10 and 12 bits are not scaled
					}
					if comp.Kind == KindNone || c > 0 && isGray(im) && c < 3 {
						continue
					}
					v := math.Float32frombits(row[x][c])
					bad := false
					switch {
					case i.Compressed && comp.Numeric == NumericSrgb:
						bad = fp.LinearToSrgb(v) != uint8(want[c]>>8)
					case i.Compressed:
						bad = fp.FloatToUnorm8(v) != uint8(want[c]>>8)
					case comp.Numeric == NumericSrgb:
						bad = uint16(fp.LinearToSrgb(v))*257 != want[c]
					case comp.Bits == 8 || comp.Bits == 16:
						bad = v != fp.UnormToFloat(uint32(want[c]), 16)
					default: // the twin repeats the component's bits to fill 8 or 16
						bad = fp.FloatToUnorm(v, uint(comp.Bits)) != uint32(want[c]>>(16-comp.Bits))
					}
					if bad {
						t.Errorf("%s at (%d, %d), component %d: got %g, the twin has %d of 65535", name, x, y, c, v, want[c])
						break texels
					}
				}
			}
		}
	}
	t.Logf("%d files", compared)
	if compared < 60 {
		t.Errorf("only %d files were compared", compared)
	}
}

func isGray(im image.Image) bool {
	return im.ColorModel() == color.GrayModel || im.ColorModel() == color.Gray16Model
}
