package studio_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/vk"
)

// Textures that come compressed are drawn as their texels would be out of a PNG: unlit, lit, and as data.
func TestTextures_CompressedAsTheirTexels(t *testing.T) {
	b := newBench(t)
	for name, extension := range map[string]string{
		"texture/testdata/etc1s-alpha-mips.ktx2":      "KHR_texture_basisu",
		"texture/testdata/uastc-alpha-mips-zstd.ktx2": "KHR_texture_basisu",
		"input/testdata/lossy-alpha.webp":             "EXT_texture_webp",
		"input/testdata/lossless.webp":                "EXT_texture_webp",
	} {
		path := filepath.Join("..", "..", "internal", filepath.FromSlash(name))
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texels, err := imagefile.Open(ctx, path, imagefile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		plain := &image.NRGBA{Pix: texels.Level(0, 0), Stride: 4 * texels.Width, Rect: image.Rect(0, 0, texels.Width, texels.Height)}
		picture := func(texture func(s *scene) obj) *image.NRGBA {
			s := newScene()
			s.putQuad(-1, -1, 0, 1, 0, with(textured(texture(s)), obj{"alphaMode": "BLEND"}))
			rough := base(1, 1, 1, 1)
			rough["pbrMetallicRoughness"].(obj)["metallicRoughnessTexture"] = texture(s)
			s.putQuad(0, -1, 1, 1, 0, rough)
			return s.draw(b, 96, 1)
		}
		want := picture(func(s *scene) obj { return s.texture(plain) })
		got := picture(func(s *scene) obj {
			s.images = append(s.images, obj{"bufferView": s.view(file)})
			s.textures = append(s.textures, obj{"sampler": 0, "extensions": obj{extension: obj{"source": len(s.images) - 1}}})
			return obj{"index": len(s.textures) - 1}
		})
		if !bytes.Equal(got.Pix, want.Pix) {
			keep(t, "want", want)
			keep(t, "got", got)
			t.Errorf("%s: another picture than that of its texels", name)
		}
		first := got.NRGBAAt(0, 0)
		flat := true
		for i := 0; i < len(got.Pix); i += 4 {
			flat = flat && bytes.Equal(got.Pix[i:i+3], []byte{first.R, first.G, first.B})
		}
		if flat {
			t.Errorf("%s: one colour", name)
		}
	}
}

// Levels that a file has are those that are drawn.
func TestTextures_LevelsOfTheFile(t *testing.T) {
	colors := []color.NRGBA{red, green, blue}
	file := []byte("\xABKTX 20\xBB\r\n\x1A\n")
	for _, v := range []int{int(vk.FormatR8G8B8A8Srgb), 1, 16, 16, 0, 0, 1, len(colors), 0, 0, 0, 0, 0, 0, 0, 0, 0} {
		file = binary.LittleEndian.AppendUint32(file, uint32(v))
	}
	at := len(file) + 24*len(colors)
	var texels []byte
	for level, c := range colors {
		n := 4 * (16 >> level) * (16 >> level)
		for _, v := range []int{at + len(texels), n, n} {
			file = binary.LittleEndian.AppendUint64(file, uint64(v))
		}
		texels = append(texels, bytes.Repeat([]byte{c.R, c.G, c.B, c.A}, n/4)...)
	}
	file = append(file, texels...)
	s := newScene()
	s.images = append(s.images, obj{"bufferView": s.view(file)})
	s.textures = append(s.textures, obj{"source": 0}) // with the default sampler
	s.putQuad(-1, -1, 1, 1, 0, textured(obj{"index": 0}))
	b := newBench(t)
	for size, want := range map[int]color.NRGBA{16: red, 8: green, 4: blue, 2: blue} {
		wantPixel(t, s.draw(b, size, 1), size/2, size/2, want, 0)
	}
}
