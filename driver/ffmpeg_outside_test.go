//go:build linux && outside

package main_test

import (
	"fmt"
	"image"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A blur is how versions of ffmpeg define avgblur_vulkan, as their shaders tell (5 and 7 print them
// with -v debug), with a radius one less than the option says.
type blur struct {
	passes []image.Point // how far each pass goes to both sides, in radii
	linear bool          // texels are taken between four of them: by unnormalized coordinates without the half that leads to a centre
	edges  bool          // what is outside of the image is defined: the texel at its edge
}

var blurs = map[string]blur{
	"5": {passes: []image.Point{{1, 0}, {0, 1}}, linear: true, edges: true},
	"7": {passes: []image.Point{{1, 1}}, linear: true, edges: true},
	// It reads a storage image, also outside: which texels those give is the implementation's, without robustImageAccess.
	"9": {passes: []image.Point{{1, 1}}},
}

// TestOutside_FFmpegAvgblur compares ffmpeg's filter on the driver with what its shaders ask for. The
// size is a multiple of a workgroup's in all planes; elsewhere version 5 reads shared memory that
// nothing has written.
func TestOutside_FFmpegAvgblur(t *testing.T) {
	program := ffmpeg.Path(t)
	version, err := exec.Command(program, "-version").Output()
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`^ffmpeg version n?((\d+)\S*)`).FindSubmatch(version)
	if number == nil {
		t.Skipf("which ffmpeg this is, is not known: %.60q", version)
	}
	by, known := blurs[string(number[2])]
	if !known {
		t.Skipf("how ffmpeg %s defines avgblur_vulkan is not known here; versions 5, 7 and 9 are", number[1])
	}
	const width, height, frames, size = 256, 192, 2, 5
	dir := t.TempDir()
	source := []string{"-v", "error", "-f", "lavfi", "-i", fmt.Sprintf("testsrc=size=%dx%d:rate=1:duration=%d", width, height, frames)}
	run := func(name, filter string, more ...string) []byte {
		file := filepath.Join(dir, name)
		args := append(append(more, source...), "-vf", filter, "-f", "rawvideo", file)
		if out, errs, err := onDriver(t, nil, program, args...); err != nil || strings.Contains(errs, "pumice:") {
			t.Fatalf("ffmpeg %v: %v\n%s%s", args, err, out, errs)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	in := run("in.yuv", "format=yuv420p")
	got := run("vulkan.yuv", fmt.Sprintf("format=yuv420p,hwupload,avgblur_vulkan=sizeX=%d:sizeY=%d,hwdownload,format=yuv420p", size, size), "-init_hw_device", "vulkan")
	const frame = width * height * 3 / 2
	if len(in) != frames*frame || len(got) != len(in) {
		t.Fatalf("%d bytes came in, %d out, not %d", len(in), len(got), frames*frame)
	}
	for f := range frames {
		at := f * frame
		for n, p := range []image.Point{{width, height}, {width / 2, height / 2}, {width / 2, height / 2}} {
			want := by.of(in[at:at+p.X*p.Y], p, size-1)
			within := image.Rectangle{Max: p}
			if !by.edges {
				within = within.Inset(size - 1)
			}
			worst, where := 0.0, image.Point{}
			for y := within.Min.Y; y < within.Max.Y; y++ {
				for x := within.Min.X; x < within.Max.X; x++ {
					if d := math.Abs(float64(got[at+y*p.X+x]) - want[y*p.X+x]); d > worst {
						worst, where = d, image.Pt(x, y)
					}
				}
			}
			// Each pass rounds to whole 255ths: half of one is lost. The means of rounded values are off
			// by no more; weights of 1/2 are exact, sums of 81 in binary32 hardly off.
			if bound := 0.505 * float64(len(by.passes)); worst > bound {
				i := where.Y*p.X + where.X
				t.Errorf("frame %d, plane %d: %d at %v; %.2f is right, within %.2f", f, n, got[at+i], where, want[i], bound)
			}
			at += p.X * p.Y
		}
	}
}

// of is a plane after all passes, without rounding between them.
func (b blur) of(plane []byte, size image.Point, radius int) []float64 {
	img := make([]float64, len(plane))
	for i, v := range plane {
		img[i] = float64(v)
	}
	for _, pass := range b.passes {
		texel := func(x, y int) float64 {
			return img[min(max(y, 0), size.Y-1)*size.X+min(max(x, 0), size.X-1)]
		}
		out := make([]float64, len(img))
		for i := range out {
			n := 0
			for dy := -radius * pass.Y; dy <= radius*pass.Y; dy++ {
				for dx := -radius * pass.X; dx <= radius*pass.X; dx++ {
					x, y := i%size.X+dx, i/size.X+dy
					if n++; b.linear {
						out[i] += (texel(x-1, y-1) + texel(x, y-1) + texel(x-1, y) + texel(x, y)) / 4
					} else {
						out[i] += texel(x, y)
					}
				}
			}
			out[i] /= float64(n)
		}
		img = out
	}
	return img
}
