package gltf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// testFile reads a picture of the tests of packages below.
func testFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "internal", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// redDDS is a picture of 4 × 4 red texels in BC1.
func redDDS() []byte {
	b := make([]byte, 136)
	copy(b, "DDS ")
	b[4], b[12], b[16], b[76], b[80] = 124, 4, 4, 32, 4
	copy(b[84:], "DXT1")
	b[129] = 0xf8
	return b
}

var avif = []byte("\x00\x00\x00\x1cftypavif\x00\x00\x00\x00")

// texturesFS holds a picture of each kind.
func texturesFS(t testing.TB) fstest.MapFS {
	return fstest.MapFS{
		"a.png": {Data: tinyPNG()}, "a.avif": {Data: avif}, "bad.webp": {Data: []byte("RIFF\x10\x00\x00\x00WEBPVP8 ")},
		"a.dds": {Data: redDDS()}, "etc1s.ktx2": {Data: testFile(t, "texture/testdata/etc1s-alpha-mips.ktx2")},
		"cube.ktx2": {Data: testFile(t, "texture/testdata/etc1s-cube.ktx2")}, "uastc.ktx2": {Data: testFile(t, "texture/testdata/uastc.ktx2")},
		"xuastc.ktx2": {Data: testFile(t, "texture/testdata/xuastc-mips.ktx2")}, "xubc7.ktx2": {Data: testFile(t, "texture/testdata/xubc7-mips.ktx2")},
		"lossy.webp": {Data: testFile(t, "input/testdata/lossy-alpha.webp")}, "lossless.webp": {Data: testFile(t, "input/testdata/lossless.webp")},
	}
}

// textureDocument has a triangle and its material with one texture, and images of these names.
func textureDocument(texture obj, images ...string) []byte {
	var list arr
	for _, name := range images {
		list = append(list, obj{"uri": name})
	}
	text, _ := json.Marshal(obj{
		"asset": obj{"version": "2.0"}, "images": list, "textures": arr{texture},
		"materials":          arr{obj{"emissiveTexture": obj{"index": 0}}},
		"accessors":          arr{obj{"type": "VEC3", "componentType": 5126, "count": 3, "min": arr{0, 0, 0}, "max": arr{0, 0, 0}}, obj{"type": "VEC2", "componentType": 5126, "count": 3}},
		"meshes":             arr{obj{"primitives": arr{obj{"material": 0, "attributes": obj{"POSITION": 0, "TEXCOORD_0": 1}}}}},
		"extensionsRequired": arr{"KHR_texture_basisu", "EXT_texture_webp", "MSFT_texture_dds"},
	})
	return text
}

// source is a texture's extension.
func source(extension string, image int) obj {
	return obj{"extensions": obj{extension: obj{"source": image}}}
}

func TestTextures_EveryKindAsCoreImage(t *testing.T) {
	for name, want := range map[string]struct {
		mime   string
		w, h   int
		levels int
		corner color.NRGBA
	}{
		"a.dds":         {"image/vnd-ms.dds", 4, 4, 1, color.NRGBA{255, 0, 0, 255}},
		"etc1s.ktx2":    {"image/ktx2", 61, 37, 6, color.NRGBA{}},
		"uastc.ktx2":    {"image/ktx2", 40, 28, 1, color.NRGBA{}},
		"xuastc.ktx2":   {"image/ktx2", 83, 61, 7, color.NRGBA{}},
		"xubc7.ktx2":    {"image/ktx2", 60, 44, 6, color.NRGBA{}},
		"lossy.webp":    {"image/webp", 67, 45, 1, color.NRGBA{}},
		"lossless.webp": {"image/webp", 67, 45, 1, color.NRGBA{}},
	} {
		d, err := read(textureDocument(obj{"source": 0}, name), texturesFS(t), nil)
		if err != nil || len(d.Warnings) > 0 {
			t.Errorf("%s: %v, %v", name, err, d)
			continue
		}
		m := d.Images[0]
		if m.MIMEType != want.mime || m.Width != want.w || m.Height != want.h || m.Deep || d.Materials[0].EmissiveTexture.Texture.Image != m {
			t.Errorf("%s: %+v", name, m)
		}
		held := d.budget.Used()
		im, err := m.DecodeNRGBA(t.Context())
		if err != nil || im.Rect.Dx() != want.w || im.Rect.Dy() != want.h {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want.corner.A > 0 && im.NRGBAAt(3, 3) != want.corner {
			t.Errorf("%s: %v", name, im.NRGBAAt(3, 3))
		}
		if used := d.budget.Used() - held; used != int64(len(im.Pix)) {
			t.Errorf("%s: %d bytes are charged for %d", name, used, len(im.Pix))
		}
		held = d.budget.Used()
		levels, err := m.DecodeLevels(t.Context())
		if err != nil || len(levels) != m.Levels || m.Levels != want.levels || !bytes.Equal(levels[0].Pix, im.Pix) {
			t.Errorf("%s: %d levels, %v", name, len(levels), err)
		}
		total := 0
		for _, level := range levels {
			total += len(level.Pix)
		}
		if used := d.budget.Used() - held; used != int64(total) {
			t.Errorf("%s: %d bytes are charged for levels of %d", name, used, total)
		}
		runtime.KeepAlive(im)
		runtime.KeepAlive(levels)
	}
}

// What a file of a texture says against its rules is told, and drawn as it is meant.
func TestTextures_WarningsOfFiles(t *testing.T) {
	dds := func(flags, bits, r, g, b, a byte, levels byte, texels ...byte) []byte {
		f := redDDS()[:128]
		f[12], f[16], f[28], f[80], f[81], f[82], f[88] = 1, 1, levels, flags, 0, 0, bits
		if flags == 0 { // luminance
			f[82] = 2
		}
		clear(f[84:88])
		for i, m := range []byte{r, g, b, a} {
			f[92+4*i] = m
		}
		return append(f, texels...)
	}
	png := tinyPNG()
	level := dds(0, 8, 255, 0, 0, 0, 2, bytes.Repeat([]byte{64}, 4)...)
	level[12], level[16] = 2, 2
	noEnd := png[:len(png)-12]
	damaged := append(append(append([]byte{}, png[:33]...), "\x00\x00\x00\x01tEXtx\x00\x00\x00\x00"...), png[33:]...)
	fs := fstest.MapFS{
		"grey.dds": {Data: dds(0, 8, 255, 0, 0, 0, 1, 64)}, "rgb332.dds": {Data: dds(0x40, 8, 0xE0, 0x1C, 3, 0, 1, 0xE3)}, "cut.dds": {Data: dds(0, 8, 255, 0, 0, 0, 3, 64)},
		"end.png": {Data: noEnd}, "text.png": {Data: damaged},
		"trns.png":  {Data: append(append(append([]byte{}, png[:33]...), "\x00\x00\x00\x01tRNSx\x1e8!h"...), png[33:]...)},
		"level.dds": {Data: level},
		"a.tga":     {Data: append([]byte{0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0}, 1, 2, 3)},
	}
	for name, c := range map[string]struct {
		warning string
		want    color.NRGBA
		lost    bool
	}{
		"grey.dds":   {"", color.NRGBA{64, 64, 64, 255}, false},
		"rgb332.dds": {"", color.NRGBA{255, 0, 255, 255}, false},
		"cut.dds":    {`images[0]: the header tells of 3 levels; 1 × 1 × 1 texels have 1`, color.NRGBA{64, 64, 64, 255}, false},
		"a.tga":      {`images[0]: TGA is no kind of picture that glTF has`, color.NRGBA{3, 2, 1, 255}, false},
		"end.png":    {`images[0]: the file has no IEND`, color.NRGBA{}, false},
		"text.png":   {`images[0]: damaged ancillary chunks are not used: tEXt`, color.NRGBA{}, false},
		"trns.png":   {`images[0]: its tRNS is out of place`, color.NRGBA{}, true},
		"level.dds":  {`images[0]: the file ends in level 1 of 2`, color.NRGBA{64, 64, 64, 255}, true},
	} {
		d, err := read(textureDocument(obj{"source": 0}, name), fs, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(d.Warnings, "\n"); !strings.Contains(got, c.warning) || (got == "") != (c.warning == "") || len(d.Losses) > 0 != c.lost {
			t.Errorf("%s: warnings %q, losses %q", name, d.Warnings, d.Losses)
		}
		im, err := d.Images[0].DecodeNRGBA(t.Context())
		if err != nil || c.want.A > 0 && im.NRGBAAt(0, 0) != c.want {
			t.Errorf("%s: %v, %v", name, im, err)
		}
	}
}

// The best source that can be had is taken; what is lost or replaced is told.
func TestTextures_Sources(t *testing.T) {
	both := func(extension string) obj { return obj{"source": 0, "extensions": obj{extension: obj{"source": 1}}} }
	for name, c := range map[string]struct {
		text    []byte
		uri     string // of the texture's image, empty: lost
		warning string // what one warning says, empty: none
	}{
		"basisu":              {textureDocument(source("KHR_texture_basisu", 0), "etc1s.ktx2"), "etc1s.ktx2", ""},
		"webp":                {textureDocument(source("EXT_texture_webp", 0), "lossy.webp"), "lossy.webp", ""},
		"dds":                 {textureDocument(source("MSFT_texture_dds", 0), "a.dds"), "a.dds", ""},
		"better than its own": {textureDocument(both("EXT_texture_webp"), "a.png", "lossy.webp"), "lossy.webp", ""},
		"Basis before WebP": {textureDocument(obj{"extensions": obj{
			"EXT_texture_webp": obj{"source": 0}, "KHR_texture_basisu": obj{"source": 1}}}, "lossy.webp", "etc1s.ktx2"), "etc1s.ktx2", ""},
		"damaged, its own instead": {textureDocument(both("EXT_texture_webp"), "a.png", "bad.webp"), "a.png",
			`textures[0].extensions.EXT_texture_webp.source: images[0] is used instead: images[1] ("bad.webp"): bad header`},
		"missing, its own instead": {textureDocument(both("KHR_texture_basisu"), "a.png", "none.ktx2"), "a.png",
			`images[0] is used instead: images[1].uri: "none.ktx2" cannot be read`},
		"AVIF": {textureDocument(obj{"source": 0}, "a.avif"), "",
			`textures[0]: the texture is lost: images[0] ("a.avif"): AVIF is not supported (PNG, JPEG, WebP, KTX 2 and DDS are)`},
		"a cube":              {textureDocument(source("KHR_texture_basisu", 0), "cube.ktx2"), "", `the texture is lost: images[0] ("cube.ktx2"): KTX 2 file: a cube is no picture`},
		"AVIF's extension":    {textureDocument(source("EXT_texture_avif", 0), "a.avif"), "", `the texture is lost: it has no source but that of "EXT_texture_avif", which is not supported`},
		"AVIF's, and its own": {textureDocument(obj{"source": 0, "extensions": obj{"EXT_texture_avif": obj{"source": 1}}}, "a.png", "a.avif"), "a.png", `images[1]: no texture uses it`},
		"no source":           {textureDocument(obj{}), "", `textures[0]: the texture is lost: source is missing`},
	} {
		d, err := read(c.text, texturesFS(t), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := ""
		if m := d.Textures[0].Image; m != nil {
			got = m.URI
			if _, err := m.Decode(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got != c.uri || (d.Materials[0].EmissiveTexture == nil) != (c.uri == "") {
			t.Errorf("%s: the image is %q", name, got)
		}
		if lost := strings.Contains(c.warning, "is lost"); lost != (len(d.Losses) == 1) || lost && d.Losses[0] != d.Warnings[len(d.Warnings)-1] {
			t.Errorf("%s: losses %q", name, d.Losses)
		}
		told := strings.Join(d.Warnings, "\n")
		if (told == "") != (c.warning == "") || !strings.Contains(told, c.warning) {
			t.Errorf("%s: warnings %q; want one that says %q", name, told, c.warning)
		}
	}
}

func TestTextures_Errors(t *testing.T) {
	for want, text := range map[string][]byte{
		`images[0].uri: "none.webp" cannot be read`:                                        textureDocument(source("EXT_texture_webp", 0), "none.webp"),
		`images[0] ("bad.webp"): bad header`:                                               textureDocument(source("EXT_texture_webp", 0), "bad.webp"),
		`textures[0].extensions.KHR_texture_basisu.source: index 7 out of range (1 images`: textureDocument(source("KHR_texture_basisu", 7), "a.png"),
	} {
		_, err := read(text, texturesFS(t), &Options{Strict: true})
		checkError(t, err, want)
	}
	// Levels and codebooks are looked at when the picture is decoded.
	fsys := texturesFS(t)
	for name, cut := range map[string]int{"etc1s.ktx2": 5, "lossy.webp": 700, "lossless.webp": 2000} {
		fsys[name].Data = fsys[name].Data[:len(fsys[name].Data)-cut]
		d, err := read(textureDocument(obj{"source": 0}, name), fsys, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		held := d.budget.Used()
		_, err = d.Images[0].Decode(t.Context())
		checkError(t, err, fmt.Sprintf("images[0] (%q): decoding: ", name))
		_, err = d.Images[0].DecodeLevels(t.Context())
		checkError(t, err, fmt.Sprintf("images[0] (%q): decoding: ", name))
		if used := d.budget.Used(); used != held {
			t.Errorf("%s: %d bytes stay charged", name, used-held)
		}
	}
}
