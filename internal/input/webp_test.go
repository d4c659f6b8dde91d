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

// webpChunks returns a file's chunks that are a picture.
func webpChunks(data []byte) (chunks []byte) {
	for at := 12; at+8 <= len(data); {
		n := int(binary.LittleEndian.Uint32(data[at+4:]))
		n += 8 + n&1
		switch string(data[at : at+4]) {
		case "ALPH", "VP8 ", "VP8L":
			chunks = append(chunks, data[at:at+n]...)
		}
		at += n
	}
	return chunks
}

// animation makes a file of a canvas and frames of this picture, w × h, the first of them at 2·(x, y).
func animation(picture []byte, canvasW, canvasH, w, h, x, y, frames int) []byte {
	u24 := func(b []byte, v ...int) []byte {
		for _, v := range v {
			b = append(b, byte(v), byte(v>>8), byte(v>>16))
		}
		return b
	}
	chunk := func(b []byte, name string, body []byte) []byte {
		b = binary.LittleEndian.AppendUint32(append(b, name...), uint32(len(body)))
		return append(b, body...)
	}
	b := chunk([]byte("RIFF....WEBP"), "VP8X", u24([]byte{0x12, 0, 0, 0}, canvasW-1, canvasH-1))
	b = chunk(b, "ANIM", []byte{255, 255, 255, 255, 0, 0})
	for range frames {
		b = chunk(b, "ANMF", append(append(u24(nil, x, y, w-1, h-1, 100), 0), picture...))
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

// The first frame of an animation is the picture that it would be alone, where it lies; around it all is transparent.
func TestWebP_FirstFrameOfAnAnimation(t *testing.T) {
	decode := func(data []byte) (*image.NRGBA, input.Picture) {
		t.Helper()
		p, err := input.Inspect(data)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		im, err := input.Decode(t.Context(), data, p)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if taken, said := int64(after.TotalAlloc-before.TotalAlloc), p.Result+p.Decoding; taken > said || size(im) != p.Result {
			t.Errorf("decoding took %d bytes, %d were announced", taken, said)
		}
		return im.(*image.NRGBA), p
	}
	for _, name := range []string{"lossy.webp", "lossy-alpha.webp", "lossy-alpha-raw.webp", "lossless.webp"} {
		alone, _ := decode(readWebP(t, name))
		w, h := alone.Rect.Dx(), alone.Rect.Dy()
		chunks := webpChunks(readWebP(t, name))
		whole, p := decode(animation(chunks, w, h, w, h, 0, 0, 3))
		if !bytes.Equal(whole.Pix, alone.Pix) || len(p.Warnings) != 1 {
			t.Errorf("%s: other texels, or warnings %q", name, p.Warnings)
		}
		part, _ := decode(animation(chunks, w+9, h+5, w, h, 3, 1, 2))
		if part.Rect != image.Rect(0, 0, w+9, h+5) {
			t.Errorf("%s: %v", name, part.Rect)
		}
		for y := range h + 5 {
			for x := range w + 9 {
				if got, want := part.NRGBAAt(x, y), alone.NRGBAAt(x-6, y-2); got != want { // zero outside
					t.Fatalf("%s: (%d, %d) is %v, want %v", name, x, y, got, want)
				}
			}
		}
	}
	picture := webpChunks(readWebP(t, "lossy.webp"))
	for name, data := range map[string][]byte{
		"no frame":              animation(nil, 67, 45, 67, 45, 0, 0, 0),
		"an empty frame":        animation(nil, 67, 45, 67, 45, 0, 0, 1),
		"a frame outside":       animation(picture, 67, 45, 67, 45, 1, 0, 1),
		"of another extent":     animation(picture, 99, 99, 66, 45, 0, 0, 1),
		"frames in a frame":     animation(animation(picture, 67, 45, 67, 45, 0, 0, 1)[12:], 67, 45, 67, 45, 0, 0, 1),
		"a picture beside them": append(animation(nil, 67, 45, 67, 45, 0, 0, 0), picture...),
	} {
		if p, err := input.Inspect(data); err == nil || errors.Is(err, input.ErrKind) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
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
	f.Add(animation(webpChunks(readWebP(f, "lossy-alpha.webp")), 80, 60, 67, 45, 3, 1, 1))
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
