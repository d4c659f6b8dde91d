package imagefile_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/internal/assets"
	"github.com/pumice-gpu/pumice/internal/input/bomb"
	"github.com/pumice-gpu/pumice/vk"
)

// assetFiles lists the files of package assets whose path is of a pattern.
func assetFiles(t *testing.T, pattern string) []string {
	t.Helper()
	folder, rest, _ := strings.Cut(pattern, "/")
	list, err := filepath.Glob(filepath.Join(assets.Folder(t, folder), rest))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatalf("the assets have no %s", pattern)
	}
	return list
}

// TestOpen_EveryAsset reads the files that others made: a file a format, with
// and without levels. The name tells the format.
func TestOpen_EveryAsset(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, name := range assetFiles(t, "ktx2/input/*.ktx2") {
		f, err := imagefile.Open(t.Context(), name, imagefile.Options{})
		base := strings.TrimSuffix(filepath.Base(name), ".ktx2")
		mips := strings.HasSuffix(base, "_MIP")
		want := strings.NewReplacer("valid_", "", "known_", "", "_Midpoint", "", "_MIP", "", "_2D", "",
			"S10_5_NV", "SFIXED5_NV", "UASTC_HDR_4x4", "ASTC_4x4_SFLOAT_BLOCK", "UASTC_HDR_6x6i", "ASTC_6x6_SFLOAT_BLOCK").Replace(base)
		var e *imagefile.Error
		if strings.Contains(want, "_S8_UINT") { // two aspects in a texel
			if !errors.As(err, &e) || !e.Unsupported {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		got := strings.TrimSuffix(strings.TrimPrefix(f.Format.String(), "VK_FORMAT_"), "_KHR")
		if got != strings.TrimSuffix(strings.TrimSuffix(want, "_KHR"), "_EXT") || mips != (f.Levels > 1) {
			t.Errorf("%s: %v with %d levels", name, f.Format, f.Levels)
		}
		if last := f.Level(f.Levels-1, 0); len(last) == 0 {
			t.Errorf("%s: the last level is empty", name)
		}
		if dev.FormatProperties(f.Format).OptimalTilingFeatures == 0 {
			continue
		}
		im, err := f.Upload(dev)
		if err != nil && strings.Contains(err.Error(), "06410") && mips {
			continue // formats for Y′CBCR have no levels in Vulkan
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		back, err := im.Read(t.Context(), pumice.Subresource{Level: f.Levels - 1})
		if err == nil && len(back) == len(f.Level(f.Levels-1, 0)) && !bytes.Equal(back, f.Level(f.Levels-1, 0)) && !strings.Contains(want, "X8") {
			t.Errorf("%s: the last level comes back changed", name)
		}
		im.Close()
	}
}

// TestOpen_TwinsOfDDS draws files and compares every texel with that of their
// decoded twins. Those of BC1 to BC3 were made in integers that cut off, so that
// they may be one code away; BC7 is exact.
func TestOpen_TwinsOfDDS(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, name := range assetFiles(t, "bc/*.dds") {
		if strings.Contains(name, "bc4") || strings.Contains(name, "bc5") || strings.Contains(name, "bc6h") {
			continue // more than 8 bits beside a PNG of 8: compared where the codecs are
		}
		f, err := imagefile.Open(t.Context(), name, imagefile.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		twin := readPNG(t, strings.TrimSuffix(name, ".dds")+".png")
		got := decoded(t, dev, f)
		wrong, allowed := 0, 0
		if strings.Contains(name, "dxt") {
			allowed = 1
		}
		for i := range f.Width * f.Height {
			x, y := i%f.Width, i/f.Width
			if w := color.NRGBAModel.Convert(twin.At(x, y)).(color.NRGBA); apart(got.NRGBAAt(x, y), w) > allowed {
				wrong++
			}
		}
		if wrong > 0 {
			t.Errorf("%s: %d texels differ from their twins", name, wrong)
		}
	}
}

// apart is the largest difference of a component.
func apart(a, b color.NRGBA) int {
	d := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return max(d(a.R, b.R), d(a.G, b.G), d(a.B, b.B), d(a.A, b.A))
}

func readPNG(t *testing.T, name string) image.Image {
	t.Helper()
	r, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	im, err := png.Decode(r)
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// decoded blits level 0 to R8G8B8A8.
func decoded(t *testing.T, dev *pumice.Device, f *imagefile.File) *image.NRGBA {
	t.Helper()
	return decodedTo(t, dev, f, vk.FormatR8G8B8A8Unorm)
}

// decodedTo is decoded through an image of another format.
func decodedTo(t *testing.T, dev *pumice.Device, f *imagefile.File, to vk.Format) *image.NRGBA {
	t.Helper()
	src, err := f.Upload(dev)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dst, err := dev.NewImage(pumice.ImageDesc{Format: to, Width: f.Width, Height: f.Height})
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	cmd := dev.NewCommandBuffer()
	cmd.BlitImage(src, dst, vk.FilterNearest)
	if err := dev.Submit(t.Context(), cmd); err != nil {
		t.Fatal(err)
	}
	im, err := dst.ReadNRGBA(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// ktx2 makes a file of R8G8 texels: levels · layers · faces bodies.
func ktx2(scheme uint32, width, height, depth, layers, faces, levels int, pack func([]byte) []byte) []byte {
	b := []byte("\xABKTX 20\xBB\r\n\x1A\n")
	word := func(v ...int) {
		for _, v := range v {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
	}
	word(int(vk.FormatR8G8Unorm), 1, width, height, depth, layers, faces, levels, int(scheme))
	b = append(b, make([]byte, 32)...)
	var bodies []byte
	for l := range levels {
		n := 2 * max(1, width>>l) * max(1, height>>l) * max(1, depth>>l) * max(1, layers) * faces
		plain := make([]byte, n)
		for i := range plain {
			plain[i] = byte(i*7 + l)
		}
		packed := pack(plain)
		b = binary.LittleEndian.AppendUint64(b, uint64(80+24*levels+len(bodies)))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(packed)))
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
		bodies = append(bodies, packed...)
	}
	return append(b, bodies...)
}

func plain(b []byte) []byte { return b }

func zstandard(b []byte) []byte {
	w, _ := zstd.NewWriter(nil)
	return w.EncodeAll(b, nil)
}

func deflate(b []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func TestDecode_KTX2_ShapesAndSupercompression(t *testing.T) {
	for name, pack := range map[string]struct {
		scheme uint32
		f      func([]byte) []byte
	}{"plain": {0, plain}, "zstd": {2, zstandard}, "zlib": {3, deflate}} {
		f, err := imagefile.Decode(t.Context(), bytes.NewReader(ktx2(pack.scheme, 8, 8, 0, 2, 6, 3, pack.f)), imagefile.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if f.Format != vk.FormatR8G8Unorm || f.Layers != 12 || f.Levels != 3 || !f.Cube || !f.Array || f.Depth != 0 {
			t.Errorf("%s: %+v", name, f)
		}
		// Level 1 has 12 layers of 32 bytes; the last begins at byte 352.
		if got := f.Level(1, 11); len(got) != 32 || got[0] != byte(352*7%256+1) {
			t.Errorf("%s: the last layer of level 1 is %v", name, got)
		}
	}
	f, err := imagefile.Decode(t.Context(), bytes.NewReader(ktx2(0, 4, 4, 4, 0, 1, 1, plain)), imagefile.Options{})
	if err != nil || f.Depth != 4 || f.Layers != 1 || f.Array {
		t.Errorf("a volume: %+v, %v", f, err)
	}
	f, err = imagefile.Decode(t.Context(), bytes.NewReader(ktx2(0, 16, 0, 0, 0, 1, 5, plain)), imagefile.Options{})
	if err != nil || f.Height != 0 || f.Levels != 5 {
		t.Errorf("a line: %+v, %v", f, err)
	}
}

func dds(change func(word func(at int, v uint32)), body int) []byte {
	b := make([]byte, 128+body)
	copy(b, "DDS ")
	word := func(at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
	word(4, 124)
	word(12, 4)
	word(16, 4)
	word(76, 32)
	word(80, 4)
	copy(b[84:], "DXT1")
	for i := range body {
		b[128+i] = byte(i)
	}
	change(word)
	return b
}

func TestDecode_DDS_Shapes(t *testing.T) {
	f, err := imagefile.Decode(t.Context(), bytes.NewReader(dds(func(word func(int, uint32)) { word(112, 0xFE00) }, 48)), imagefile.Options{})
	if err != nil || !f.Cube || f.Layers != 6 || f.Format != vk.FormatBc1RgbaUnormBlock || f.Level(0, 5)[0] != 40 {
		t.Errorf("a cube: %+v, %v", f, err)
	}
	f, err = imagefile.Decode(t.Context(), bytes.NewReader(dds(func(word func(int, uint32)) {
		copy4(word, 84, "DX10")
		word(128, 98)
		word(132, 3)
		word(140, 2)
		word(28, 3)
	}, 20+2*3*16)), imagefile.Options{})
	if err != nil || f.Layers != 2 || f.Levels != 3 || !f.Array || f.Format != vk.FormatBc7UnormBlock || f.Level(0, 1)[0] != 20+48 {
		t.Errorf("an array with levels: %+v, %v", f, err)
	}
	f, err = imagefile.Decode(t.Context(), bytes.NewReader(dds(func(word func(int, uint32)) {
		word(80, 0x41)
		word(88, 32)
		word(92, 0xFF0000)
		word(96, 0xFF00)
		word(100, 0xFF)
		word(104, 0xFF000000)
	}, 64)), imagefile.Options{})
	if err != nil || f.Format != vk.FormatB8G8R8A8Unorm {
		t.Errorf("masks: %+v, %v", f, err)
	}
}

func copy4(word func(int, uint32), at int, s string) {
	word(at, binary.LittleEndian.Uint32([]byte(s)))
}

func TestDecode_ASTC_And_PNG(t *testing.T) {
	head := []byte{0x13, 0xAB, 0xA1, 0x5C, 6, 5, 1, 7, 0, 0, 6, 0, 0, 1, 0, 0}
	file := append(head, make([]byte, 2*2*16)...)
	for opt, want := range map[imagefile.Options]vk.Format{
		{}: vk.FormatAstc6x5UnormBlock, {SRGB: true}: vk.FormatAstc6x5SrgbBlock, {HDR: true}: vk.FormatAstc6x5SfloatBlock,
	} {
		f, err := imagefile.Decode(t.Context(), bytes.NewReader(file), opt)
		if err != nil || f.Format != want || f.Width != 7 || f.Height != 6 || f.Depth != 0 || len(f.Level(0, 0)) != 64 {
			t.Errorf("%+v: %+v, %v", opt, f, err)
		}
	}
	im := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	im.Set(2, 1, color.NRGBA{10, 20, 30, 40})
	var b bytes.Buffer
	if err := png.Encode(&b, im); err != nil {
		t.Fatal(err)
	}
	f, err := imagefile.Decode(t.Context(), &b, imagefile.Options{SRGB: true})
	if err != nil || f.Format != vk.FormatR8G8B8A8Srgb || f.Width != 3 || !bytes.Equal(f.Level(0, 0)[20:], []byte{10, 20, 30, 40}) {
		t.Errorf("PNG: %+v, %v", f, err)
	}
}

// Basis Universal and WebP come as R8G8B8A8, which an image takes.
func TestDecode_BasisAndWebP(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for name, want := range map[string]imagefile.File{
		"texture/testdata/etc1s-alpha-mips.ktx2": {Format: vk.FormatR8G8B8A8Srgb, Width: 61, Height: 37, Levels: 6, Layers: 1},
		"texture/testdata/uastc-cube-zstd.ktx2":  {Format: vk.FormatR8G8B8A8Unorm, Width: 8, Height: 8, Levels: 1, Layers: 6},
		"texture/testdata/etc1s-cube.ktx2":       {Format: vk.FormatR8G8B8A8Unorm, Width: 16, Height: 16, Levels: 5, Layers: 6},
		"input/testdata/lossy-alpha.webp":        {Format: vk.FormatR8G8B8A8Unorm, Width: 67, Height: 45, Levels: 1, Layers: 1},
	} {
		b := budget.New(0, "")
		f, err := imagefile.Open(t.Context(), filepath.Join("..", "internal", filepath.FromSlash(name)), imagefile.Options{Budget: b})
		if err != nil || f.Format != want.Format || f.Width != want.Width || f.Height != want.Height || f.Levels != want.Levels || f.Layers != want.Layers {
			t.Errorf("%s: %+v, %v", name, f, err)
			continue
		}
		total := int64(0)
		for level := range f.Levels {
			total += int64(f.Layers * len(f.Level(level, 0)))
		}
		if used := b.Used(); used < total || used > total+24*int64(f.Levels*f.Layers) {
			t.Errorf("%s: %d bytes are charged for %d", name, used, total)
		}
		im, err := f.Upload(dev)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		last := f.Levels - 1
		if back, err := im.Read(t.Context(), pumice.Subresource{Level: last, Layer: f.Layers - 1}); err != nil || !bytes.Equal(back, f.Level(last, f.Layers-1)) {
			t.Errorf("%s: %v comes back, %v", name, back, err)
		}
		im.Close()
	}
}

func TestDecode_Hostile(t *testing.T) {
	good := ktx2(0, 8, 8, 0, 0, 1, 2, plain)
	change := func(at int, v uint64, size int) []byte {
		b := bytes.Clone(good)
		for i := range size {
			b[at+i] = byte(v >> (8 * i))
		}
		return b
	}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"nothing", "neither", nil},
		{"half a header", "no header", good[:60]},
		{"half a level index", "level index", good[:100]},
		{"texels missing", "level 1", good[:len(good)-1]},
		{"width 0", "0 × 8", change(20, 0, 4)},
		{"width of 2³²", "texels", change(20, 0xFFFFFFFF, 4)},
		{"many layers", "layers", change(32, 0xFFFFFFFF, 4)},
		{"3 faces", "faces", change(36, 3, 4)},
		{"too many levels", "levels", change(40, 5, 4)},
		{"all levels", "levels", change(40, 0xFFFFFFFF, 4)},
		{"offset past the end", "level 0", change(80, 1<<63, 8)},
		{"offset and length wrap", "level 0", change(88, 0xFFFFFFFFFFFFFFF0, 8)},
		{"length too small", "texels take", change(88, 5, 8)},
		{"unknown format", "not known", change(12, 0x7FFFFFFF, 4)},
		{"planes", "planes", change(12, uint64(vk.FormatG8B8R8_3Plane420Unorm), 4)},
		{"Basis", "data format descriptor", change(44, 1, 4)},
		{"scheme 9", "scheme 9", change(44, 9, 4)},
		{"zstd that is none", "level 0", change(44, 2, 4)},
		{"depth in an array", "arrays of 3D", change(28, 1<<32|8, 8)},
		{"DDS header", "header", []byte("DDS 12345678")},
		{"DDS format", "pixel format", dds(func(word func(int, uint32)) { copy4(word, 84, "ABCD") }, 64)},
		{"DDS texels", "ends in level 0", dds(func(word func(int, uint32)) {}, 4)},
		{"DDS sizes", "texels", dds(func(word func(int, uint32)) { word(12, 0xFFFFFFFF) }, 64)},
		{"DDS layers", "layers", dds(func(word func(int, uint32)) { copy4(word, 84, "DX10"); word(128, 98); word(140, 0xFFFFFFFF) }, 64)},
		{"ASTC block", "blocks of 9", []byte{0x13, 0xAB, 0xA1, 0x5C, 9, 9, 1, 7, 0, 0, 6, 0, 0, 1, 0, 0}},
		{"ASTC texels", "missing", []byte{0x13, 0xAB, 0xA1, 0x5C, 4, 4, 1, 7, 0, 0, 6, 0, 0, 1, 0, 0, 5}},
		{"ASTC size", "texels", []byte{0x13, 0xAB, 0xA1, 0x5C, 4, 4, 1, 255, 255, 255, 255, 255, 255, 1, 0, 0}},
		{"KTX 1", "version 1", []byte("\xABKTX 11\xBB\r\n\x1A\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := imagefile.Decode(t.Context(), bytes.NewReader(c.data), imagefile.Options{})
			var e *imagefile.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v; want one that says %q", err, c.want)
			}
		})
	}
	// A frame that grows without end is stopped where the texels end.
	bomb := ktx2(2, 4, 4, 0, 0, 1, 1, func(b []byte) []byte { return zstandard(make([]byte, 1<<22)) })
	if _, err := imagefile.Decode(t.Context(), bytes.NewReader(bomb), imagefile.Options{}); err == nil || !strings.Contains(err.Error(), "announced") && !strings.Contains(err.Error(), "level 0") {
		t.Errorf("a bomb: %v", err)
	}
	if _, err := imagefile.Decode(t.Context(), bytes.NewReader(good), imagefile.Options{Budget: budget.New(100, "the test's limit")}); err == nil || !strings.Contains(err.Error(), "the test's limit") {
		t.Errorf("more than the budget: %v", err)
	}
}

// jpegOf is a picture of 8×8 texels whose frame header claims another extent.
func jpegOf(t testing.TB, width, height byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	frame := bytes.Index(data, []byte{0xFF, 0xC0})
	data[frame+6], data[frame+8] = height, width
	return data
}

// The decoder of JPEG lets through pictures without rows.
func TestDecode_PictureWithoutTexels(t *testing.T) {
	for _, c := range []struct {
		width, height byte
		ok            bool
	}{{8, 8, true}, {8, 0, false}, {0, 8, false}, {0, 0, false}} {
		f, err := imagefile.Decode(t.Context(), bytes.NewReader(jpegOf(t, c.width, c.height)), imagefile.Options{})
		var e *imagefile.Error
		if c.ok != (err == nil) || err != nil && !errors.As(err, &e) {
			t.Errorf("%d × %d: %+v, %v", c.width, c.height, f, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(jpegOf(f, 8, 0))
	f.Add(ktx2(0, 8, 8, 0, 2, 6, 2, plain))
	f.Add(ktx2(2, 8, 8, 0, 0, 1, 2, zstandard))
	f.Add(ktx2(3, 8, 0, 0, 0, 1, 2, deflate))
	f.Add(dds(func(word func(int, uint32)) {}, 16))
	f.Add(dds(func(word func(int, uint32)) { copy4(word, 84, "DX10"); word(128, 98); word(132, 3) }, 64))
	f.Add([]byte{0x13, 0xAB, 0xA1, 0x5C, 4, 4, 1, 7, 0, 0, 6, 0, 0, 1, 0, 0, 5})
	f.Add(bomb.KTX2(int(vk.FormatR8Unorm), 1<<12, 1<<12, 2, bomb.Zstd(1<<24), 1<<24))
	f.Add(bomb.KTX2(int(vk.FormatR8Unorm), 1<<12, 1<<12, 3, bomb.Deflated(1<<20), 1<<24))
	f.Add(bomb.PNG(64, 64, 1, 0, true, []byte{0, 0}))
	f.Add(bomb.PNGHeader(1<<14, 1<<14, 16, 6))
	f.Add(bomb.JPEG(64, 64, []byte{0x22, 0x11, 0x11}))
	f.Add(tga24)
	f.Add(bmp24())
	f.Add(gif8(f))
	f.Add(dds(func(word func(int, uint32)) { word(80, 0x20000); word(88, 8); word(92, 255) }, 16))
	f.Add(dds(func(word func(int, uint32)) { copy4(word, 84, "YUY2") }, 32))
	for _, pattern := range []string{"../internal/texture/testdata/*.ktx2", "../internal/input/testdata/*.webp"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		im, err := imagefile.Decode(t.Context(), bytes.NewReader(data), imagefile.Options{Budget: budget.New(1<<20, "")})
		if err != nil {
			return
		}
		total := 0
		for level := range im.Levels {
			for layer := range im.Layers {
				total += len(im.Level(level, layer))
			}
		}
		if total == 0 || total > 1<<20 {
			t.Errorf("%d bytes of texels", total)
		}
	})
}
