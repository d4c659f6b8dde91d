package texture_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/texture"
	"github.com/pumice-gpu/pumice/vk"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func options() texture.Options {
	return texture.Options{Budget: budget.New(64<<20, "the test's limit")}
}

// Every image of every file has the texels, or blocks, that Basis Universal's own transcoder makes of it, bit for bit.
func TestBasis_TexelsOfTheTranscoder(t *testing.T) {
	files := map[string]*texture.File{}
	images := 0
	for line := range strings.Lines(string(read(t, "texels.txt"))) {
		var name, want string
		var level, layer, face int
		if _, err := fmt.Sscan(line, &name, &level, &layer, &face, &want); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		f := files[name]
		if f == nil {
			var err error
			if f, err = texture.Decode(t.Context(), read(t, name), options()); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			files[name] = f
		}
		if f.Cube {
			layer = 6*layer + face
		}
		sum := sha256.Sum256(f.Level(level, layer))
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("%s: level %d of layer %d has other texels", name, level, layer)
		}
		images++
	}
	if images != 132 || len(files) != 51 {
		t.Errorf("%d images of %d files", images, len(files))
	}
}

func TestBasis_Shapes(t *testing.T) {
	for name, want := range map[string]texture.File{
		"etc1s-alpha-mips.ktx2":      {Format: vk.FormatR8G8B8A8Srgb, Width: 61, Height: 37, Levels: 6, Layers: 1},
		"etc1s-array.ktx2":           {Format: vk.FormatR8G8B8A8Srgb, Width: 20, Height: 12, Levels: 1, Layers: 3, Array: true},
		"etc1s-cube.ktx2":            {Format: vk.FormatR8G8B8A8Unorm, Width: 16, Height: 16, Levels: 5, Layers: 6, Cube: true},
		"uastc-alpha-mips-zstd.ktx2": {Format: vk.FormatR8G8B8A8Unorm, Width: 35, Height: 21, Levels: 6, Layers: 1},
		"xubc7-mips.ktx2":            {Format: vk.FormatBc7SrgbBlock, Width: 60, Height: 44, Levels: 6, Layers: 1},
		"xubc7-cube.ktx2":            {Format: vk.FormatBc7SrgbBlock, Width: 16, Height: 16, Levels: 1, Layers: 6, Cube: true},
		"xubc7-array.ktx2":           {Format: vk.FormatBc7SrgbBlock, Width: 30, Height: 23, Levels: 1, Layers: 2, Array: true},
		"xuastc-mips.ktx2":           {Format: vk.FormatAstc8x6SrgbBlock, Width: 83, Height: 61, Levels: 7, Layers: 1},
		"xuastc-cube.ktx2":           {Format: vk.FormatAstc8x5UnormBlock, Width: 16, Height: 16, Levels: 1, Layers: 6, Cube: true},
		"xuastc-array.ktx2":          {Format: vk.FormatAstc4x4SrgbBlock, Width: 20, Height: 13, Levels: 1, Layers: 2, Array: true},
		"hdr6-mips.ktx2":             {Format: vk.FormatAstc6x6SfloatBlock, Width: 40, Height: 29, Levels: 6, Layers: 1},
		"hdr6-cube.ktx2":             {Format: vk.FormatAstc6x6SfloatBlock, Width: 13, Height: 13, Levels: 1, Layers: 6, Cube: true},
		"hdr6-array.ktx2":            {Format: vk.FormatAstc6x6SfloatBlock, Width: 14, Height: 9, Levels: 1, Layers: 2, Array: true},
	} {
		f, err := texture.Decode(t.Context(), read(t, name), options())
		if err != nil || f.Format != want.Format || f.Width != want.Width || f.Height != want.Height || f.Levels != want.Levels ||
			f.Layers != want.Layers || f.Array != want.Array || f.Cube != want.Cube {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
}

// Slices of a 3D image are images of their own, fewer on each level: here faces of a cube's levels.
func TestBasis_Volume(t *testing.T) {
	cube := read(t, "etc1s-cube.ktx2")
	faces, err := texture.Decode(t.Context(), cube, options())
	if err != nil {
		t.Fatal(err)
	}
	const images = 6 + 3 + 1 + 1 + 1
	at := binary.LittleEndian.Uint64(cube[64:])
	global := cube[at : at+binary.LittleEndian.Uint64(cube[72:])]
	volume := put(put(put(cube, 28, 4, 6), 36, 4, 1), 64, 8, uint64(len(cube)))
	volume = put(volume, 72, 8, uint64(len(global)-20*(30-images)))
	volume = append(volume, global[:20]...)
	var want [5][]byte
	for level, depth := range []int{6, 3, 1, 1, 1} {
		volume = append(volume, global[20+20*6*level:][:20*depth]...)
		for z := range depth {
			want[level] = append(want[level], faces.Level(level, z)...)
		}
	}
	f, err := texture.Decode(t.Context(), append(volume, global[20+20*30:]...), options())
	if err != nil || f.Depth != 6 || f.Layers != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	for level := range want {
		if !bytes.Equal(f.Level(level, 0), want[level]) {
			t.Errorf("level %d has other texels", level)
		}
	}
	// UASTC's slices follow each other; two layers are as long.
	array := read(t, "uastc-array.ktx2")
	layers, err := texture.Decode(t.Context(), array, options())
	if err != nil {
		t.Fatal(err)
	}
	f, err = texture.Decode(t.Context(), put(put(array, 28, 4, 2), 32, 4, 0), options())
	if err != nil || !bytes.Equal(f.Level(0, 0), append(bytes.Clone(layers.Level(0, 0)), layers.Level(0, 1)...)) {
		t.Errorf("UASTC: %+v, %v", f, err)
	}
}

// Files of Basis Universal 1.6 to 2.0 name BasisLZ as the scheme, and have shorter rows in the global data.
func TestSlices_Early(t *testing.T) {
	for _, name := range []string{"hdr6-cube.ktx2", "xuastc-mips.ktx2"} {
		data := read(t, name)
		at, n := int(binary.LittleEndian.Uint64(data[64:])), int(binary.LittleEndian.Uint64(data[72:]))
		var rows []byte
		for i := 0; i < n; i += 12 {
			rows = append(rows, data[at+i:][:8]...)
		}
		early := put(put(put(data, 44, 4, 1), 64, 8, uint64(len(data))), 72, 8, uint64(len(rows)))
		got, err := texture.Decode(t.Context(), append(early, rows...), options())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, err := texture.Decode(t.Context(), data, options())
		if err != nil || got.Format != want.Format || !slices.EqualFunc(got.Texels(), want.Texels(), bytes.Equal) {
			t.Errorf("%s: %v, other texels; %v", name, got.Format, err)
		}
	}
}

// 8 bits of an sRGB file are those of Basis Universal's transcoder to RGBA32, too.
func TestSlices_Picture(t *testing.T) {
	for name, want := range map[string]string{"xuastc-mips.ktx2": "f7c2a6340b70790f", "xubc7-mips.ktx2": "926e8bc64437183e"} {
		list, err := texture.Pictures(t.Context(), read(t, name), false)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(list[0].Pix)
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("%s: the texels have the hash %s, want %s", name, got, want)
		}
	}
}

// picture decodes level 0.
func picture(t *testing.T, data []byte) (*image.NRGBA, error) {
	list, err := texture.Pictures(t.Context(), data, false)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		t.Fatalf("%d levels", len(list))
	}
	return list[0], nil
}

func TestPictures_AllLevels(t *testing.T) {
	for name, data := range map[string][]byte{
		"ETC1S": read(t, "etc1s-alpha-mips.ktx2"), "UASTC": read(t, "uastc-alpha-mips-zstd.ktx2"), "one": read(t, "uastc.ktx2"),
	} {
		f, err := texture.Decode(t.Context(), data, options())
		if err != nil {
			t.Fatal(err)
		}
		list, err := texture.Pictures(t.Context(), data, true)
		if err != nil || len(list) != f.Levels {
			t.Errorf("%s: %d levels of %d, %v", name, len(list), f.Levels, err)
			continue
		}
		total := int64(0)
		for level, im := range list {
			total += int64(len(im.Pix))
			if im.Rect.Dx() != max(1, f.Width>>level) || im.Rect.Dy() != max(1, f.Height>>level) || !bytes.Equal(im.Pix, f.Level(level, 0)) {
				t.Errorf("%s: level %d is another one, %v", name, level, im.Rect)
			}
		}
		if total != f.PictureBytes(f.Levels) {
			t.Errorf("%s: %d bytes, %d were announced", name, total, f.PictureBytes(f.Levels))
		}
	}
}

// The first level alone has the same texels and is what Inspect said, in the memory that it said.
func TestPicture_IsTheFirstLevel(t *testing.T) {
	for _, name := range []string{"etc1s-alpha-mips.ktx2", "etc1s-large.ktx2", "uastc-alpha-mips-zstd.ktx2", "uastc.ktx2", "etc1s-one.ktx2"} {
		data := read(t, name)
		head, work, err := texture.Inspect(data)
		if err != nil || work <= 0 {
			t.Errorf("%s: %d, %v", name, work, err)
			continue
		}
		im, err := picture(t, data)
		if err != nil || im.Rect.Dx() != head.Width || im.Rect.Dy() != head.Height {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f, err := texture.Decode(t.Context(), data, options())
		if err != nil || !bytes.Equal(im.Pix, f.Level(0, 0)) {
			t.Errorf("%s: other texels than its level 0; %v", name, err)
		}
	}
	for _, name := range []string{"etc1s-cube.ktx2", "etc1s-array.ktx2"} {
		_, _, err := texture.Inspect(read(t, name))
		var e *texture.Error
		if !errors.As(err, &e) || !e.Unsupported {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// put changes a little-endian number of so many bytes.
func put(data []byte, at, size int, v uint64) []byte {
	data = bytes.Clone(data)
	for i := range size {
		data[at+i] = byte(v >> (8 * i))
	}
	return data
}

func TestBasis_Hostile(t *testing.T) {
	etc, uastc, hdr := read(t, "etc1s.ktx2"), read(t, "uastc.ktx2"), read(t, "hdr6-mips.ktx2")
	xu, xuZstd := read(t, "xuastc-mips.ktx2"), read(t, "xuastc-5x5-zstd.ktx2")
	place := func(data []byte, at int) int { return int(binary.LittleEndian.Uint64(data[at:])) }
	bc7 := read(t, "xubc7-mips.ktx2")
	bc7Body := place(bc7, 80)
	xuDFD, xuSGD, xuBody, xuZstdBody := int(binary.LittleEndian.Uint32(xu[48:])), place(xu, 64), place(xu, 80), place(xuZstd, 80)
	hdrSGD := int(binary.LittleEndian.Uint64(hdr[64:]))
	dfd := int(binary.LittleEndian.Uint32(etc[48:]))
	sgd := int(binary.LittleEndian.Uint64(etc[64:]))
	level := int(binary.LittleEndian.Uint64(etc[80:]))
	for _, c := range []struct {
		name, want  string
		unsupported bool
		data        []byte
	}{
		{"descriptor outside", "data format descriptor", false, put(etc, 48, 4, 1<<31)},
		{"no descriptor", "data format descriptor", false, put(etc, 52, 4, 0)},
		{"a model that nobody knows", "color model 99", true, put(etc, dfd+12, 1, 99)},
		{"XUASTC without its scheme", "XUASTC LDR under scheme 0; it has scheme 5", false, put(uastc, int(binary.LittleEndian.Uint32(uastc[48:]))+12, 1, 169)},
		{"a scheme that nobody knows", "supercompression scheme 7 is not supported, of XUBC7", true, put(bc7, 44, 4, 7)},
		{"XUASTC's scheme for XUBC7", "XUBC7 under scheme 5; it has scheme 6", false, put(bc7, 44, 4, 5)},
		{"XUBC7 as BasisLZ", "XUBC7 under scheme 1", false, put(bc7, 44, 4, 1)},
		{"XUBC7's scheme for another", "UASTC under scheme 6", false, put(uastc, 44, 4, 6)},
		{"XUBC7 of another extent", "a slice of 60 × 44 texels", false, put(bc7, 20, 4, 61)},
		{"XUBC7, half a slice", "end too early", false, put(bc7, place(bc7, 64)+4, 4, 100)},
		{"XUBC7, an empty slice", "end too early", false, put(bc7, place(bc7, 64)+4, 4, 0)},
		{"XUBC7, a byte less", "do not end where they should", false, put(bc7, place(bc7, 64)+4, 4, uint64(binary.LittleEndian.Uint32(bc7[place(bc7, 64)+4:])-1))},
		{"XUBC7, a stream that is no frame", "stream 1: ", false, put(bc7, bc7Body+16, 4, 0)},
		{"XUBC7, a stream of 268 MB", "stream 1: 268435329 bytes come out, more than", false, slices.Replace(bytes.Clone(bc7), bc7Body+12, bc7Body+14, 0x81, 0xFF, 0xFF, 0x7F)},
		{"XUBC7 of quality 0", "quality 0", false, put(bc7, bc7Body+8, 1, 0)},
		{"XUBC7 of 65535²", "needs 5.33 GiB", false, put(put(bc7, 20, 4, 1<<16-1), 24, 4, 1<<16-1)},
		{"XUASTC of another size", "blocks of size 6, those of the image have size 5", false, put(xu, xuDFD+17, 1, 4)},
		{"XUASTC of no size", "XUASTC LDR of 8 × 7 texels", false, put(xu, xuDFD+17, 1, 6)},
		{"XUASTC of another extent", "a slice of 83 × 61 texels", false, put(xu, 20, 4, 84)},
		{"XUASTC in 3D", "a 3D image of XUASTC LDR", true, put(xu, 28, 4, 2)},
		{"XUASTC, a slice outside", "a slice of", false, put(xu, xuSGD, 4, 1<<31)},
		{"XUASTC, an empty slice", "end too early", false, put(xu, xuSGD+4, 4, 0)},
		{"XUASTC, half a slice", "end outside", false, put(xu, xuSGD+4, 4, 100)},
		{"XUASTC in no syntax", "syntax 3", false, put(xu, xuBody, 1, 3)},
		{"XUASTC, a short arithmetic stream", "part 1: ", false, put(xu, xuBody+1, 4, 4)},
		{"XUASTC, 4 GB of weights", "end outside", false, put(xu, xuBody+37, 4, 1<<32-1)},
		{"XUASTC, a part that is no frame", "part 2: ", false, put(xu, xuBody+9, 4, 9)},
		{"XUASTC, parts of 4 GB", "more than the", false, put(xuZstd, xuZstdBody+85+int(binary.LittleEndian.Uint32(xuZstd[xuZstdBody+1:]))+4, 4, 0xffffffa0)},
		{"XUASTC of 65535²", "needs 1.78 GiB", false, put(put(xu, 20, 4, 1<<16-1), 24, 4, 1<<16-1)},
		{"BasisLZ of UASTC HDR", "BasisLZ of UASTC HDR 4×4", true, put(etc, dfd+12, 1, 167)},
		{"HDR 6×6 without its scheme", "UASTC HDR 6×6 under scheme 0", false, put(hdr, 44, 4, 0)},
		{"HDR 6×6 with a format", "UASTC HDR 6×6 has no format of Vulkan's", false, put(put(hdr, 12, 4, 37), 44, 4, 4)},
		{"HDR 6×6 in 3D", "a 3D image of UASTC HDR 6×6", true, put(hdr, 28, 4, 2)},
		{"HDR 6×6, global data outside", "Supercompression Global Data", false, put(hdr, 64, 8, 1<<63)},
		{"HDR 6×6, a layer more", "for 12 images", false, put(hdr, 32, 4, 2)},
		{"HDR 6×6, a slice outside", "a slice of", false, put(hdr, hdrSGD, 4, 1<<31)},
		{"HDR 6×6, an empty slice", "signature 0x0000", false, put(hdr, hdrSGD+4, 4, 0)},
		{"HDR 6×6, half a slice", "the data end too early", false, put(hdr, hdrSGD+4, 4, 200)},
		{"HDR 6×6, a slice without its end", "do not end", false, put(hdr, hdrSGD+4, 4, uint64(binary.LittleEndian.Uint32(hdr[hdrSGD+4:])-2))},
		{"HDR 6×6 of another extent", "a slice of 40 × 29 texels", false, put(hdr, 20, 4, 41)},
		{"HDR 6×6 of 65536²", "needs 2.37 GiB", false, put(put(hdr, 20, 4, 1<<16), 24, 4, 1<<16)},
		{"BasisLZ of UASTC", "BasisLZ of UASTC", true, put(etc, dfd+12, 1, 166)},
		{"ETC1S without BasisLZ", "ETC1S without a format", true, put(etc, 44, 4, 0)},
		{"global data outside", "Supercompression Global Data", false, put(etc, 64, 8, 1<<63)},
		{"no global data", "BasisLZ Global Data", false, put(etc, 72, 8, 3)},
		{"no endpoints", "codebooks of 0 endpoints", false, put(etc, sgd, 2, 0)},
		{"more endpoints", "endpoints: ", false, put(etc, sgd, 2, 65535)},
		{"more selectors", "selectors: ", false, put(etc, sgd+2, 2, 65535)},
		{"codebooks of 4 GB", "end outside", false, put(etc, sgd+4, 4, 1<<32-1)},
		{"no tables", "tables: ", false, put(etc, sgd+12, 4, 0)},
		{"a video", "a video's difference", true, put(etc, sgd+20, 4, 2)},
		{"a slice outside", "a slice of", false, put(etc, sgd+24, 4, 1<<31)},
		{"an empty slice", "end too early", false, put(etc, sgd+28, 4, 0)},
		{"half a slice", "the data end too early", false, put(etc, sgd+28, 4, 100)},
		{"many images", "no room for", false, put(etc, 32, 4, 1<<11)},
		{"a wider picture", "outside the picture", false, put(etc, 20, 4, 512)},
		{"a picture of 16 GB", "needs 16.00 GiB", false, put(put(etc, 20, 4, 1<<16), 24, 4, 1<<16)},
		{"UASTC of another extent", "texels take", false, put(uastc, 20, 4, 400)},
		{"cut", "Level Index", false, etc[:level+3]},
	} {
		o := options()
		_, err := texture.Decode(t.Context(), c.data, o)
		var e *texture.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v; want one that says %q", c.name, err, c.want)
			continue
		}
		var inner *texture.Error
		if errors.As(e.Err, &inner) {
			e = inner
		}
		if e.Unsupported != c.unsupported {
			t.Errorf("%s: unsupported %v", c.name, e.Unsupported)
		}
		if o.Budget.Used() != 0 {
			t.Errorf("%s: %d bytes stay charged", c.name, o.Budget.Used())
		}
	}
}

// Whatever a file says, Pictures ends within the memory of a picture, with one line.
func FuzzTexture(f *testing.F) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.ktx2"))
	if err != nil || len(names) == 0 {
		f.Fatal(err)
	}
	for _, name := range names {
		f.Add(read(f, filepath.Base(name)))
	}
	f.Add(l8.file(1))
	f.Add(ddsFile{flags: 4, fourCC: four("RXGB"), width: 4, height: 4, levels: 3}.file(make([]byte, 48)...))
	f.Add(ddsFile{flags: 0x41, bits: 16, r: 0xE0, g: 0x1C, b: 3, a: 0xFF00, caps2: 0x600}.file(1, 2))
	f.Add(ddsFile{dx10: 93, layers: 2}.file(make([]byte, 8)...))
	f.Add(ddsFile{dx10: 107, width: 2}.file(make([]byte, 4)...))
	f.Add(pairsKTX2(9, []string{"KTXswizzle\x00rrr1\x00", "KTXorientation\x00rd\x00"}, 51))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !texture.Is(data) {
			return
		}
		head, work, err := texture.Inspect(data)
		if err == nil && head.PictureBytes(head.Levels)+work < 32<<20 {
			_, err = texture.Pictures(t.Context(), data, true)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q", err)
		}
		b := budget.New(16<<20, "the limit")
		file, err := texture.Decode(t.Context(), data, texture.Options{Budget: b})
		if err == nil && b.Used() != file.Charge || err != nil && b.Used() != 0 {
			t.Errorf("%d bytes are charged; %v", b.Used(), err)
		}
	})
}
