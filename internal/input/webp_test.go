package input_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/input"
)

func readWebP(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Pictures have the texels that WebP's own library makes of them, bit for bit, and take no more memory than their headers announce.
func TestDecode_WebP(t *testing.T) {
	files := 0
	for line := range strings.Lines(string(readWebP(t, "texels.txt"))) {
		var name, want string
		if _, err := fmt.Sscan(line, &name, &want); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		files++
		data := readWebP(t, name)
		p, err := input.Inspect(data)
		if err != nil || p.Kind != "webp" || !p.Straight || p.Deep {
			t.Errorf("%s: %+v, %v", name, p, err)
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
		if taken, said := int64(after.TotalAlloc-before.TotalAlloc), p.Result+p.Decoding; taken > said {
			t.Errorf("%s: decoding took %d bytes, %d were announced", name, taken, said)
		}
		straight, ok := input.Straight(im)
		if !ok || straight.Rect != image.Rect(0, 0, p.Width, p.Height) || size(im) != p.Result {
			t.Errorf("%s: %T of %v", name, im, im.Bounds())
			continue
		}
		sum := sha256.Sum256(straight.Pix)
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("%s: other texels", name)
		}
	}
	if files != 8 {
		t.Errorf("%d files", files)
	}
}

func TestInspect_HostileWebP(t *testing.T) {
	lossy, alpha, lossless := readWebP(t, "lossy.webp"), readWebP(t, "lossy-alpha.webp"), readWebP(t, "lossless.webp")
	change := func(data []byte, at int, v ...byte) []byte {
		data = bytes.Clone(data)
		copy(data[at:], v)
		return data
	}
	canvas := bytes.Index(alpha, []byte("VP8X")) + 8
	for name, data := range map[string][]byte{
		"nothing":             lossy[:12],
		"half a chunk header": lossy[:17],
		"half a header":       lossy[:24],
		"another chunk":       change(lossy, 12, 'V', 'P', '9'),
		"no start code":       change(lossy, 23, 0),
		"no signature":        change(lossless, 20, 0),
		"width 0":             change(lossy, 26, 0, 0),
		"an animation":        change(alpha, canvas, alpha[canvas]|2),
		"another canvas":      change(alpha, canvas+4, 200),
		"a canvas of 2⁴⁸":     change(alpha, canvas+4, 255, 255, 255, 255, 255, 255),
	} {
		if p, err := input.Inspect(data); err == nil || errors.Is(err, input.ErrKind) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p, err := input.Inspect(lossy)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := input.Decode(ctx, lossy, p); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// What Inspect lets through, Decode ends with the picture that was announced, or an error of one line.
func FuzzWebP(f *testing.F) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.webp"))
	if err != nil || len(names) == 0 {
		f.Fatal(err)
	}
	for _, name := range names {
		f.Add(readWebP(f, filepath.Base(name)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 12 {
			return
		}
		copy(data, "RIFF")
		binary.LittleEndian.PutUint32(data[4:], uint32(len(data)-8))
		copy(data[8:], "WEBP")
		p, err := input.Inspect(data)
		if err != nil || p.Width*p.Height > 1<<18 {
			return
		}
		im, err := input.Decode(t.Context(), data, p)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		if size(im) != p.Result || im.Bounds().Dx() != p.Width || im.Bounds().Dy() != p.Height {
			t.Errorf("%T of %v; %d × %d were announced", im, im.Bounds(), p.Width, p.Height)
		}
	})
}
