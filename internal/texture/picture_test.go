package texture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/input/bomb"
	"github.com/pumice-gpu/pumice/internal/texture"
	"github.com/pumice-gpu/pumice/vk"
)

// dds returns a file of BC1 blocks.
func dds(width, height uint32, blocks ...byte) []byte {
	b := make([]byte, 128, 128+len(blocks))
	copy(b, "DDS ")
	for at, v := range map[int]uint32{4: 124, 12: height, 16: width, 76: 32, 80: 4} {
		binary.LittleEndian.PutUint32(b[at:], v)
	}
	copy(b[84:], "DXT1")
	return append(b, blocks...)
}

func TestPicture_Formats(t *testing.T) {
	codes := make([]byte, 1024) // all codes of each channel
	want := make([]byte, 1024)
	for i := range 256 {
		b, g, r, a := byte(i), byte(i*7), byte(255-i), byte(i*3)
		copy(codes[4*i:], []byte{b, g, r, a})
		copy(want[4*i:], []byte{r, g, b, a})
	}
	wide := []byte{0xff, 0xff, 0x80, 0x00, 0x81, 0x00, 0x00, 0x80} // 65535, 128, 129, 32768
	for name, c := range map[string]struct {
		data []byte
		want []byte
	}{
		"B8G8R8A8 sRGB":  {bomb.KTX2(int(vk.FormatB8G8R8A8Srgb), 16, 16, 0, codes, 0), want},
		"B8G8R8A8":       {bomb.KTX2(int(vk.FormatB8G8R8A8Unorm), 16, 16, 0, codes, 0), want},
		"R8G8B8A8 sRGB":  {bomb.KTX2(int(vk.FormatR8G8B8A8Srgb), 16, 16, 0, codes, 0), codes},
		"R8G8B8A8, zlib": {bomb.KTX2(int(vk.FormatR8G8B8A8Unorm), 64, 64, 3, bomb.Deflated(1<<14), 1<<14), make([]byte, 1<<14)},
		"R8":             {bomb.KTX2(int(vk.FormatR8Unorm), 2, 1, 0, []byte{5, 255}, 0), []byte{5, 0, 0, 255, 255, 0, 0, 255}},
		// 128/257 is 0.498, 129/257 0.502, 32768/257 127.5 and a little.
		"16 bits": {bomb.KTX2(int(vk.FormatR16G16B16A16Unorm), 1, 1, 0, wide, 0), []byte{255, 0, 1, 128}},
		// Red; half of the block is outside.
		"BC1": {dds(3, 2, 0, 0xf8, 0, 0, 0, 0, 0, 0), bytes.Repeat([]byte{255, 0, 0, 255}, 6)},
	} {
		head, _, err := texture.Inspect(c.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		im, err := picture(t, c.data)
		if err != nil || !bytes.Equal(im.Pix, c.want) || im.Rect.Dx() != head.Width || im.Stride != 4*head.Width {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPicture_Refuses(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"floats":        {bomb.KTX2(int(vk.FormatR16G16B16A16Sfloat), 1, 1, 0, make([]byte, 8), 0), "no colours of 0 to 1"},
		"signed":        {bomb.KTX2(int(vk.FormatR8G8B8A8Snorm), 1, 1, 0, make([]byte, 4), 0), "no colours of 0 to 1"},
		"depth":         {bomb.KTX2(int(vk.FormatD16Unorm), 1, 1, 0, make([]byte, 2), 0), "no colours of 0 to 1"},
		"one dimension": {bomb.KTX2(int(vk.FormatR8Unorm), 1, 0, 0, make([]byte, 1), 0), "no picture"},
	} {
		_, _, err := texture.Inspect(c.data)
		var e *texture.Error
		if !errors.As(err, &e) || !e.Unsupported || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := texture.Pictures(t.Context(), dds(3, 200, make([]byte, 8)...), false); err == nil || !strings.Contains(err.Error(), "ends in level 0") {
		t.Errorf("texels are missing: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := texture.Pictures(ctx, dds(3, 2, make([]byte, 8)...), false); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
