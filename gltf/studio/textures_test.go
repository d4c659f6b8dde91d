package studio_test

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/imagefile"
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
