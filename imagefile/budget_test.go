package imagefile_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/internal/input/bomb"
	"github.com/pumice-gpu/pumice/vk"
)

// allocated runs f and returns the bytes that it allocated.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// What does not fit is refused with its name before memory is taken for it, and what
// was charged meanwhile is given up.
func TestDecode_RefusesBeforeItAllocates(t *testing.T) {
	const texels = 1 << 28
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"zstd":             {bomb.KTX2(int(vk.FormatR8Unorm), 1<<14, 1<<14, 2, bomb.Zstd(texels), texels), "KTX 2 file: 16384 × 16384 × 1 texels, 1 levels, 1 layers: needs 256.0 MiB"},
		"zlib header":      {bomb.KTX2(int(vk.FormatR8Unorm), 1<<14, 1<<14, 3, nil, texels), "KTX 2 file: 16384 × 16384"},
		"png":              {bomb.PNGHeader(1<<13, 1<<13, 1, 0), "png file: 8192 × 8192 × 1 texels, 1 levels, 1 layers: needs 256.0 MiB"},
		"png, its decoder": {bomb.PNGHeader(1800, 1800, 16, 6), "png file: decoding 1800 × 1800 texels: needs 37"},
		"jpeg":             {bomb.JPEG(1<<10, 1<<10, []byte{0x11, 0x11, 0x11}), "jpeg file: decoding 1024 × 1024 texels: needs 19"},
		"zlib, half of it": {bomb.KTX2(int(vk.FormatR8Unorm), 1<<10, 1<<10, 3, bomb.Deflated(1<<19), 1<<20), "level 0: 524288 bytes come out, 1048576 are announced"},
		"png, cut":         {bomb.PNGHeader(100, 100, 8, 6), "png file: decoding: "},
		"the file":         {make([]byte, 20<<20), "image file: reading it: needs"},
	} {
		b := budget.New(16<<20, "the test's limit")
		var err error
		took := allocated(func() { _, err = imagefile.Decode(t.Context(), bytes.NewReader(c.data), imagefile.Options{Budget: b}) })
		var over *budget.Error
		var own *imagefile.Error
		if !errors.As(err, &over) && strings.Contains(c.want, "needs") || !errors.As(err, &own) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if b.Used() != 0 || took > 40<<20 {
			t.Errorf("%s: %d bytes stay charged, %d were allocated", name, b.Used(), took)
		}
	}
}

// While a File is in use its texels are charged; its decoding's memory is not any more.
func TestDecode_ChargesTheFile(t *testing.T) {
	const n = 1 << 20
	for name, data := range map[string][]byte{
		"zstd":  bomb.KTX2(int(vk.FormatR8Unorm), 1<<10, 1<<10, 2, bomb.Zstd(n), n),
		"zlib":  bomb.KTX2(int(vk.FormatR8Unorm), 1<<10, 1<<10, 3, bomb.Deflated(n), n),
		"plain": bomb.KTX2(int(vk.FormatR8Unorm), 1<<10, 1<<10, 0, make([]byte, n), n),
		"png":   bomb.PNG(1<<9, 1<<9, 8, 0, true, nil),
	} {
		b := budget.New(0, "")
		var f *imagefile.File
		var err error
		took := allocated(func() { f, err = imagefile.Decode(t.Context(), bytes.NewReader(data), imagefile.Options{Budget: b}) })
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if used := b.Used(); used < n || used > n+n/16 && name != "plain" || used > 2*n {
			t.Errorf("%s: %d bytes are charged for %d", name, used, n)
		}
		if took > b.Peak()*5/4+200<<10 && name != "plain" { // which grows as it comes
			t.Errorf("%s: %d bytes were allocated, %d charged", name, took, b.Peak())
		}
		if len(f.Level(0, 0)) != n {
			t.Errorf("%s: %d bytes", name, len(f.Level(0, 0)))
		}
	}
}

// A picture that is to be uploaded counts twice, before it is decoded.
func TestDecode_ForUpload(t *testing.T) {
	data := bomb.PNG(1000, 1000, 8, 6, false, nil) // 4 MB
	for limit, ok := range map[int64]bool{6 << 20: false, 9 << 20: true} {
		b := budget.New(limit, "")
		f, err := imagefile.Decode(t.Context(), bytes.NewReader(data), imagefile.Options{Budget: b, Upload: true})
		if (err == nil) != ok {
			t.Errorf("a limit of %d: %v", limit, err)
		}
		if err != nil {
			continue
		}
		dev, err := pumice.Open(&pumice.Config{Budget: b})
		if err != nil {
			t.Fatal(err)
		}
		im, err := f.Upload(dev)
		if err != nil || b.Used() < 8_000_000 {
			t.Errorf("%v; %d bytes charged", err, b.Used())
		}
		before := b.Used()
		if im.Close(); b.Used() > before-4_000_000 {
			t.Errorf("%d bytes charged, %d when the image was open", b.Used(), before)
		}
		dev.Close()
		runtime.KeepAlive(f)
	}
}

func TestDecode_StopsWithItsContext(t *testing.T) {
	const n = 1 << 26
	for name, data := range map[string][]byte{
		"zstd": bomb.KTX2(int(vk.FormatR8Unorm), 1<<13, 1<<13, 2, bomb.Zstd(n), n),
		"zlib": bomb.KTX2(int(vk.FormatR8Unorm), 1<<13, 1<<13, 3, bomb.Deflated(n), n),
		"png":  bomb.PNG(4096, 4096, 8, 6, false, nil),
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r := &last{data: data, then: cancel} // so that reading goes well
		_, err := imagefile.Decode(ctx, r, imagefile.Options{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// last reads data at once and calls then.
type last struct {
	data []byte
	then func()
}

func (l *last) Read(p []byte) (int, error) {
	n := copy(p, l.data)
	if l.data = l.data[n:]; len(l.data) == 0 {
		l.then()
		return n, io.EOF
	}
	return n, nil
}

// Colours of transparent texels are as they are stored.
func TestDecode_TransparentTexelsKeepTheirColours(t *testing.T) {
	im := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	copy(im.Pix, []byte{10, 20, 30, 0, 40, 50, 60, 1})
	var file bytes.Buffer
	if err := png.Encode(&file, im); err != nil {
		t.Fatal(err)
	}
	f, err := imagefile.Decode(t.Context(), &file, imagefile.Options{})
	if err != nil || !bytes.Equal(f.Level(0, 0), []byte{10, 20, 30, 0, 40, 50, 60, 1}) {
		t.Errorf("%v, %v", f.Level(0, 0), err)
	}
}
