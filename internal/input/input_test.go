package input_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/input"
	"github.com/pumice-gpu/pumice/internal/input/bomb"
)

// size returns the bytes of an image's texels.
func size(im image.Image) int64 {
	switch m := im.(type) {
	case *image.Gray:
		return int64(cap(m.Pix))
	case *image.Gray16:
		return int64(cap(m.Pix))
	case *image.Paletted:
		return int64(cap(m.Pix))
	case *image.RGBA:
		return int64(cap(m.Pix))
	case *image.NRGBA:
		return int64(cap(m.Pix))
	case *image.RGBA64:
		return int64(cap(m.Pix))
	case *image.NRGBA64:
		return int64(cap(m.Pix))
	case *image.CMYK:
		return int64(cap(m.Pix))
	case *image.YCbCr:
		return int64(len(m.Y) + len(m.Cb) + len(m.Cr))
	}
	return -1
}

// Inspect knows from the header what Decode will take, no less and hardly more.
func TestInspect_KnowsWhatDecodingTakes(t *testing.T) {
	files := map[string][]byte{}
	for name, c := range map[string]struct {
		depth, kind byte
	}{
		"gray 1": {1, 0}, "gray 8": {8, 0}, "gray 16": {16, 0}, "rgb 8": {8, 2}, "rgb 16": {16, 2},
		"gray and alpha 8": {8, 4}, "gray and alpha 16": {16, 4}, "rgba 8": {8, 6}, "rgba 16": {16, 6},
	} {
		files["png "+name] = bomb.PNG(600, 500, c.depth, c.kind, false, nil)
		files["png interlaced "+name] = bomb.PNG(600, 500, c.depth, c.kind, true, nil)
		if c.kind == 0 || c.kind == 2 {
			files["png transparent "+name] = bomb.PNG(600, 500, c.depth, c.kind, false, make([]byte, 2+2*c.kind))
		}
	}
	palette := image.NewPaletted(image.Rect(0, 0, 600, 500), color.Palette{color.Black, color.Transparent})
	files["png palette"] = encode(t, func(w io.Writer) error { return png.Encode(w, palette) })
	gray := image.NewGray(image.Rect(0, 0, 601, 501))
	files["jpeg gray"] = encode(t, func(w io.Writer) error { return jpeg.Encode(w, gray, nil) })
	rgba := image.NewRGBA(image.Rect(0, 0, 601, 501))
	draw.Draw(rgba, rgba.Rect, image.NewUniform(color.RGBA{200, 100, 50, 255}), image.Point{}, draw.Src)
	files["jpeg 4:2:0"] = encode(t, func(w io.Writer) error { return jpeg.Encode(w, rgba, nil) })
	for name, sampling := range map[string][]byte{"4:4:4": {0x11, 0x11, 0x11}, "4:2:0": {0x22, 0x11, 0x11}, "gray": {0x11}, "four": {0x11, 0x11, 0x11, 0x11}} {
		files["jpeg progressive "+name] = bomb.JPEG(601, 501, sampling)
	}
	for name, data := range files {
		p, err := input.Inspect(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		im, err := input.Decode(t.Context(), data, p)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := size(im); got != p.Result || im.Bounds().Dx() != p.Width || im.Bounds().Dy() != p.Height {
			t.Errorf("%s: %T of %v, %d bytes; %d × %d and %d were announced", name, im, im.Bounds(), got, p.Width, p.Height, p.Result)
		}
		taken, said := int64(after.TotalAlloc-before.TotalAlloc), p.Result+p.Decoding
		if taken > said || taken < said*3/4 {
			t.Errorf("%s: decoding took %d bytes, %d were announced", name, taken, said)
		}
		straight, ok := input.Straight(im)
		if ok != p.Straight || ok && color.NRGBAModel.Convert(im.At(7, 5)) != straight.At(7, 5) {
			t.Errorf("%s: straight %v, announced %v", name, ok, p.Straight)
		}
		_, deep := color.NRGBA64Model.Convert(im.At(0, 0)).(color.NRGBA64)
		if p.Deep != (strings.HasSuffix(name, "16")) || !deep {
			t.Errorf("%s: deep %v", name, p.Deep)
		}
	}
}

func encode(t testing.TB, f func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestInspect_OtherFiles(t *testing.T) {
	for _, data := range []string{"", "GIF88a", "\xff\xd8", "\x00\x00\x02", "P6 1 1 255 abc", "\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00\x20\x00\x68\x04\x00\x00\x16\x00", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00>\x00", "\x89PNG\r\n\x1a"} {
		if _, err := input.Inspect([]byte(data)); !errors.Is(err, input.ErrKind) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

func TestDecode_StopsWithItsContext(t *testing.T) {
	data := bomb.PNG(4000, 4000, 8, 6, false, nil)
	p, err := input.Inspect(data)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := input.Decode(ctx, data, p); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestReadAll_ChargesWhatItHolds(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 50_000)
	for _, size := range []int64{-1, 0, 10, int64(len(data)) - 1, int64(len(data)), int64(len(data)) + 1000} {
		b := budget.New(4<<20, "")
		got, err := input.ReadAll(t.Context(), iotest.HalfReader(bytes.NewReader(data)), size, b)
		if err != nil || !bytes.Equal(got, data) || b.Used() != int64(cap(got)) {
			t.Errorf("size %d: %d bytes of capacity %d, %d charged, %v", size, len(got), cap(got), b.Used(), err)
		}
	}
	b := budget.New(int64(len(data)), "") // one too few, and no end in sight
	_, err := input.ReadAll(t.Context(), bytes.NewReader(data), -1, b)
	var over *budget.Error
	if !errors.As(err, &over) || b.Used() != 0 {
		t.Errorf("%v, %d charged", err, b.Used())
	}
	_, err = input.ReadAll(t.Context(), iotest.ErrReader(io.ErrClosedPipe), -1, b)
	if !errors.Is(err, io.ErrClosedPipe) || b.Used() != 0 {
		t.Errorf("%v, %d charged", err, b.Used())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := input.ReadAll(ctx, bytes.NewReader(data), -1, b); !errors.Is(err, context.Canceled) || b.Used() != 0 {
		t.Errorf("%v, %d charged", err, b.Used())
	}
}
