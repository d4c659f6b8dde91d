package encode_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/imagefile/encode"
)

// ffmpeg decodes a file to raw frames in one of its pixel formats.
func ffmpeg(t *testing.T, name string, data []byte, pixelFormat string) []byte {
	t.Helper()
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("without ffmpeg, another reader of these files")
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("ffmpeg", "-v", "error", "-xerror", "-threads", "1", "-i", file, "-vsync", "0", "-f", "rawvideo", "-pix_fmt", pixelFormat, "-")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Fatalf("ffmpeg: %v: %s", err, &errs)
	}
	return out.Bytes()
}

// Another reader finds every float as it was written.
func TestEXR_ffmpegReadsIt(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][2]int{{1, 1}, {37, 45}} {
		for _, o := range []encode.EXROptions{{}, {Float32: true}, {Uncompressed: true}, {Float32: true, Uncompressed: true}} {
			width, height := size[0], size[1]
			pixels := make([]float32, 4*width*height)
			for i := range pixels {
				if pixels[i] = random.Float32() * 50; i < len(pixels)/3 {
					pixels[i] = 0.25
				}
				if !o.Float32 { // what 16 bits hold exactly
					pixels[i] = float32(math.Round(float64(pixels[i])*32) / 32)
				}
			}
			var out bytes.Buffer
			if err := encode.WriteEXR(&out, width, height, pixels, o); err != nil {
				t.Fatal(err)
			}
			planes := ffmpeg(t, "out.exr", out.Bytes(), "gbrapf32le")
			if len(planes) != 4*len(pixels) {
				t.Fatalf("%+v: %d bytes", o, len(planes))
			}
			for i, want := range pixels {
				plane := [4]int{2, 0, 1, 3}[i%4] // green, blue, red, alpha
				got := math.Float32frombits(binary.LittleEndian.Uint32(planes[4*(plane*width*height+i/4):]))
				if got != want {
					t.Fatalf("%+v: %d × %d: float %d of pixel %d is %v, want %v", o, width, height, i%4, i/4, got, want)
				}
			}
		}
	}
}

// A square that moves over noise, frames that are the same, and one that is new.
func TestAnimation_ffmpegReadsIt(t *testing.T) {
	const width, height, count = 53, 31, 6
	random := rand.New(rand.NewPCG(5, 6))
	var frames []*image.NRGBA
	for n := range count {
		img := image.NewNRGBA(image.Rect(0, 0, width, height))
		if n == 0 || n == 4 {
			for i := range img.Pix {
				img.Pix[i] = uint8(random.Uint32())
			}
		} else {
			copy(img.Pix, frames[n-1].Pix)
			if n != 3 {
				for y := range 5 {
					copy(img.Pix[(y+n)*img.Stride+4*n*3:], bytes.Repeat([]byte{255, uint8(n), 0, 200}, 7))
				}
			}
		}
		frames = append(frames, img)
	}
	var out bytes.Buffer
	a, err := encode.NewAnimation(&out, width, height, count, 29.97)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range frames {
		if err := a.Add(f); err != nil {
			t.Fatal(err)
		}
	}
	if a.Add(frames[0]) == nil {
		t.Error("one frame more than announced")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if at := bytes.Index(out.Bytes(), []byte("fcTL")); !bytes.Equal(out.Bytes()[at+24:at+28], []byte{0, 100, 2997 >> 8, 2997 & 255}) {
		t.Errorf("a frame takes %v", out.Bytes()[at+24:at+28])
	}
	got := ffmpeg(t, "out.apng", out.Bytes(), "rgba")
	if len(got) != count*4*width*height {
		t.Fatalf("%d bytes, want %d", len(got), count*4*width*height)
	}
	for n, f := range frames {
		same(t, fmt.Sprint("frame ", n), &image.NRGBA{Pix: got[n*len(f.Pix):], Stride: f.Stride, Rect: f.Rect}, f)
	}
}

// Mistakes of the caller are errors, and an animation that ends early is one.
func TestAnimation_Refusals(t *testing.T) {
	for _, c := range []struct {
		width, frames int
		fps           float64
	}{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1, 1, math.NaN()}} {
		if _, err := encode.NewAnimation(&bytes.Buffer{}, c.width, 1, c.frames, c.fps); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	a, err := encode.NewAnimation(&bytes.Buffer{}, 4, 4, 2, 25)
	if err != nil {
		t.Fatal(err)
	}
	if a.Add(image.NewNRGBA(image.Rect(0, 0, 4, 5))) == nil {
		t.Error("a frame of another extent")
	}
	if a.Close() == nil {
		t.Error("two frames short")
	}
}

// Values of the format: 1 is 0x3c00, the least normal number 2⁻¹⁴, the least of all 2⁻²⁴;
// halves between two go to the even one.
func TestEXR_RoundsToHalf(t *testing.T) {
	inf := float32(math.Inf(1))
	for value, want := range map[float32]uint16{
		0: 0, 1: 0x3c00, -2: 0xc000, 65504: 0x7bff, 65519: 0x7bff, 65520: 0x7c00, inf: 0x7c00, -inf: 0xfc00, 1e30: 0x7c00,
		1. / (1 << 14): 0x0400, 1. / (1 << 24): 1, 1. / (1 << 25): 0, 1.5 / (1 << 25): 1, 3. / (1 << 25): 2, 1e-30: 0,
		1 + 1./2048: 0x3c00, 1 + 3./2048: 0x3c02, 1 + 1.1/2048: 0x3c01, 1023.75 / (1 << 24): 0x0400, float32(math.NaN()): 0x7e00,
	} {
		var out bytes.Buffer
		if err := encode.WriteEXR(&out, 1, 1, []float32{value, 0, 0, 0}, encode.EXROptions{Uncompressed: true}); err != nil {
			t.Fatal(err)
		}
		data := out.Bytes()
		if got := binary.LittleEndian.Uint16(data[len(data)-2:]); got != want { // red is the last
			t.Errorf("%v is %#04x, want %#04x", value, got, want)
		}
	}
}

// The transfer function of sRGB: 0.5 is 188 encoded, nearly, and 10/255 lies on the straight part.
func TestLinearize_Values(t *testing.T) {
	img := &image.NRGBA{Pix: []byte{255, 188, 10, 255, 255, 255, 0, 51}, Stride: 8, Rect: image.Rect(0, 0, 2, 1)}
	want := []float64{1, 0.5029, 10. / 255 / 12.92, 1, 0.2, 0.2, 0, 0.2}
	for i, got := range encode.Linearize(img) {
		if math.Abs(float64(got)-want[i]) > 1e-4 {
			t.Errorf("float %d is %v, want %v", i, got, want[i])
		}
	}
}
