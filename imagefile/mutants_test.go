package imagefile_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/imagefile/encode"
)

// Each of 3,000 mutants of every kind of file ends in a picture or in one line, and within its budget.
func TestDecode_Mutants(t *testing.T) {
	im := image.NewNRGBA(image.Rect(0, 0, 7, 5))
	for i := range im.Pix {
		im.Pix[i] = byte(i * 37)
	}
	encoded := func(f encode.Format) []byte {
		var b bytes.Buffer
		if err := encode.Write(&b, im, f, encode.Options{}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	dxt := dds(func(func(int, uint32)) {}, 8)
	rgba := func(word func(int, uint32)) {
		for at, v := range map[int]uint32{28: 3, 80: 0x41, 84: 0, 88: 32, 92: 0xff0000, 96: 0xff00, 100: 0xff, 104: 0xff000000} {
			word(at, v)
		}
	}
	dx10 := dds(func(word func(int, uint32)) {
		copy4(word, 84, "DX10")
		word(128, 98)
		word(132, 3)
		word(140, 1)
	}, 36)
	kinds := map[string][][]byte{
		"PNG": {encoded(encode.PNG)}, "JPEG": {encoded(encode.JPEG)}, "KTX 2": {encoded(encode.KTX2)},
		"DDS": {dxt, dds(rgba, 84), dx10}, "GIF": {gif8(t)}, "BMP": {bmp24()}, "TGA": {tga24},
		"WebP": {encoded(encode.WebP)},
	}
	for kind, pattern := range map[string]string{
		"WebP": "../internal/input/testdata/*.webp", "KTX 2": "../internal/texture/testdata/[eu]*.ktx2",
		"UASTC HDR": "../internal/texture/testdata/hdr6*.ktx2", "XUASTC": "../internal/texture/testdata/xuastc*.ktx2",
		"XUBC7": "../internal/texture/testdata/xubc7*.ktx2",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			if data, err := os.ReadFile(file); err != nil {
				t.Fatal(err)
			} else if len(data) < 4<<10 {
				kinds[kind] = append(kinds[kind], data)
			}
		}
	}
	n := 3000
	if testing.Short() {
		n = 300
	}
	for kind, seeds := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(2026, uint64(len(kind))))
			refused := 0
			for i := range n {
				data := mutant(random, seeds[i%len(seeds)])
				b := budget.New(8<<20, "the test's budget")
				f, err := imagefile.Decode(t.Context(), bytes.NewReader(data), imagefile.Options{Budget: b})
				if err != nil {
					if refused++; strings.Contains(err.Error(), "\n") || f != nil {
						t.Fatalf("mutant %d: %q, with %v", i, err, f)
					}
					if b.Used() != 0 {
						t.Fatalf("mutant %d: %d bytes stay charged: %v", i, b.Used(), err)
					}
				} else if f.Width <= 0 || f.Height < 0 || len(f.Level(0, 0)) == 0 {
					t.Fatalf("mutant %d: %+v", i, f)
				}
			}
			if refused == 0 || refused == n {
				t.Errorf("%d of %d are refused: that is no test", refused, n)
			}
		})
	}
}

// mutant changes up to four places of a file, or its length.
func mutant(random *rand.Rand, seed []byte) []byte {
	data := slices.Clone(seed)
	for range 1 + random.IntN(4) {
		at := random.IntN(len(data))
		switch random.IntN(6) {
		case 0:
			data[at] ^= 1 << random.IntN(8)
		case 1:
			data[at] = byte(random.Uint32())
		case 2:
			if at+4 <= len(data) { // a count or an offset
				binary.LittleEndian.PutUint32(data[at:], []uint32{0, 1, 0x7fffffff, 0xffffffff, random.Uint32N(1 << 16)}[random.IntN(5)])
			}
		case 3:
			data = data[:max(at, 1)]
		case 4:
			data = slices.Insert(data, at, data[random.IntN(at+1):at]...)
		case 5:
			data = slices.Delete(data, at, min(at+1+random.IntN(8), len(data)))
			if len(data) == 0 {
				data = []byte{0}
			}
		}
	}
	return data
}
