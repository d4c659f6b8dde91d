//go:build linux

package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Larger programs of Debian's that use Vulkan, each checked against what it should
// show, not only for coming to its end.

// TestGfxreconstruct captures vkcube and replays the capture: each of the replayed
// frames is there, twice the same bytes, and one of them is the golden cube.
func TestGfxreconstruct(t *testing.T) {
	replay, cube := installed(t, "gfxrecon-replay", "gfxreconstruct"), installed(t, "vkcube", "vulkan-tools")
	d := newDisplay(t)
	dir := t.TempDir()
	capture := filepath.Join(dir, "cube.gfxr")
	out, errs, err := onDriver(t, []string{
		"DISPLAY=" + d.name, "VK_INSTANCE_LAYERS=VK_LAYER_LUNARG_gfxreconstruct",
		"GFXRECON_CAPTURE_FILE=" + capture, "GFXRECON_CAPTURE_FILE_TIMESTAMP=false",
	}, cube, "--c", "12")
	if err != nil || strings.Contains(errs, "pumice:") {
		t.Fatalf("capture: %v\n%s%s", err, out, errs)
	}
	const frames = 12
	var runs [2][frames][]byte
	for n := range runs {
		to := filepath.Join(dir, fmt.Sprint(n))
		if err := os.Mkdir(to, 0o700); err != nil {
			t.Fatal(err)
		}
		out, errs, err := onDriver(t, []string{"DISPLAY=" + d.name, fmt.Sprintf("PUMICE_THREADS=%d", n+1)},
			replay, "--screenshot-all", "--screenshot-dir", to, capture)
		if err != nil || strings.Contains(errs, "pumice:") || strings.Contains(out+errs, "ERROR") {
			t.Fatalf("replay: %v\n%s%s", err, out, errs)
		}
		for f := range runs[n] {
			if runs[n][f], err = os.ReadFile(filepath.Join(to, fmt.Sprintf("screenshot_frame_%d.bmp", f+1))); err != nil {
				t.Fatalf("%v; the replay says\n%s%s", err, out, errs)
			}
		}
	}
	golden, best := loadGray(t, "testdata/vkcube.png"), 255.0
	for f := range runs[0] {
		if !bytes.Equal(runs[0][f], runs[1][f]) {
			t.Errorf("frame %d: another picture with two threads than with one", f+1)
		}
		img, err := decodeBMP(runs[0][f])
		if err != nil {
			t.Fatalf("frame %d: %v", f+1, err)
		}
		if diff := difference(shrink(img), golden); diff < best {
			best = diff
			keep(t, "gfxreconstruct", img)
		}
	}
	// The cube of the golden picture is at most half a frame's turn away.
	if best > 4 {
		t.Errorf("no frame is like testdata/vkcube.png; the nearest differs by %.2f", best)
	}
}

// decodeBMP reads 24 and 32 bits a texel, uncompressed.
func decodeBMP(b []byte) (*image.RGBA, error) {
	if len(b) < 54 || string(b[:2]) != "BM" {
		return nil, errors.New("no BMP")
	}
	word := func(at int) int {
		return int(int32(uint32(b[at]) | uint32(b[at+1])<<8 | uint32(b[at+2])<<16 | uint32(b[at+3])<<24))
	}
	at, width, height, size := word(10), word(18), word(22), word(28)&0xffff/8
	down := height < 0
	height = max(height, -height)
	pitch := (width*size + 3) &^ 3
	if size != 3 && size != 4 || width <= 0 || width > 4096 || height > 4096 || at < 0 || len(b) < at+pitch*height {
		return nil, fmt.Errorf("a BMP of %d×%d, %d bytes a texel", width, height, size)
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		row := b[at+pitch*(height-1-y):]
		if down {
			row = b[at+pitch*y:]
		}
		for x := range width {
			p := row[x*size:]
			img.SetRGBA(x, y, color.RGBA{p[2], p[1], p[0], 255})
		}
	}
	return img, nil
}

// TestFFmpeg_AvgblurVulkan compares ffmpeg's filter on the driver with what its
// shaders ask for. Those take texels by unnormalized coordinates without the half
// that leads to a texel's centre, through a linear filter: each is the mean of
// four. The size is a multiple of a workgroup's in all planes; elsewhere the
// shaders read shared memory that nothing has written.
func TestFFmpeg_AvgblurVulkan(t *testing.T) {
	ffmpeg := installed(t, "ffmpeg", "ffmpeg")
	const width, height, frames, size = 256, 192, 2, 5
	dir := t.TempDir()
	source := []string{"-v", "error", "-f", "lavfi", "-i", fmt.Sprintf("testsrc=size=%dx%d:rate=1:duration=%d", width, height, frames)}
	run := func(name, filter string, more ...string) []byte {
		file := filepath.Join(dir, name)
		args := append(append(more, source...), "-vf", filter, "-f", "rawvideo", file)
		if out, errs, err := onDriver(t, nil, ffmpeg, args...); err != nil || strings.Contains(errs, "pumice:") {
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
			want := blurred(in[at:at+p.X*p.Y], p, size-1)
			worst, where := 0.0, 0
			for i, w := range want {
				if d := math.Abs(float64(got[at+i]) - w); d > worst {
					worst, where = d, i
				}
			}
			// The first pass rounds to whole 255ths, and so does the second: half of
			// one each. The means of rounded values are off by no more than those;
			// weights of 1/2 are exact, sums of binary32 hardly off.
			if worst > 1.01 {
				t.Errorf("frame %d, plane %d: %d at %d,%d; %.2f is right", f, n, got[at+where], where%p.X, where/p.X, want[where])
			}
			at += p.X * p.Y
		}
	}
}

// blurred is a plane after both passes, without rounding between them.
func blurred(plane []byte, size image.Point, radius int) []float64 {
	img := make([]float64, len(plane))
	for i, v := range plane {
		img[i] = float64(v)
	}
	for _, step := range []image.Point{{1, 0}, {0, 1}} {
		texel := func(x, y int) float64 {
			return img[min(max(y, 0), size.Y-1)*size.X+min(max(x, 0), size.X-1)]
		}
		out := make([]float64, len(img))
		for i := range out {
			for n := -radius; n <= radius; n++ {
				x, y := i%size.X+n*step.X, i/size.X+n*step.Y
				out[i] += (texel(x-1, y-1) + texel(x, y-1) + texel(x-1, y) + texel(x, y)) / 4
			}
			out[i] /= float64(2*radius + 1)
		}
		img = out
	}
	return img
}

// TestZink: OpenGL on Mesa's zink on the driver. glmark2 compares texels of its
// scenes with those of other implementations.
func TestZink(t *testing.T) {
	glmark := installed(t, "glmark2-es2", "glmark2-es2-x11")
	d := newDisplay(t)
	scenes := []string{
		"build:use-vbo=true", "build:use-vbo=false", "texture:texture-filter=nearest", "texture:texture-filter=mipmap", "shading:shading=phong",
		"bump:bump-render=normals", "effect2d:kernel=0,1,0;1,-4,1;0,1,0;", "pulsar:quads=5", "desktop:effect=shadow:windows=4",
		"buffer:update-method=map", "conditionals:fragment-steps=5:vertex-steps=5", "loop:fragment-uniform=true:fragment-steps=5:vertex-steps=5",
	}
	args := []string{"--validate"}
	for _, s := range scenes {
		args = append(args, "-b", s)
	}
	out, errs, err := onDriver(t, []string{
		"DISPLAY=" + d.name, "MESA_LOADER_DRIVER_OVERRIDE=zink", "GALLIUM_DRIVER=zink",
		"LIBGL_ALWAYS_SOFTWARE=1", // zink takes no CPU otherwise
	}, glmark, args...)
	if err != nil || strings.Contains(errs, "pumice:") {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	renderer := regexp.MustCompile(`GL_RENDERER: *(.*)`).FindStringSubmatch(out)
	if renderer == nil {
		t.Fatalf("it names no renderer:\n%s", out)
	}
	if renderer[1] != "zink (Pumice (CPU))" {
		t.Skipf("Mesa renders with %s: its zink, of Debian's libgl1-mesa-dri, is not there", renderer[1])
	}
	if !strings.Contains(out, "OpenGL ES 3.2") { // needs geometry and tessellation shaders, transform feedback and more
		t.Errorf("not all of OpenGL ES:\n%s", out)
	}
	if n := strings.Count(out, "Validation: Success"); n != len(scenes) {
		t.Errorf("%d of %d scenes are right:\n%s", n, len(scenes), out)
	}
}

// TestMpv: mpv shows a picture in its window texel by texel, through libplacebo.
func TestMpv(t *testing.T) {
	mpv, ffmpeg := installed(t, "mpv", "mpv"), installed(t, "ffmpeg", "ffmpeg")
	d := newDisplay(t)
	const width, height = 320, 240
	raw, err := exec.Command(ffmpeg, "-v", "error", "-f", "lavfi", "-i", fmt.Sprintf("testsrc=size=%dx%d:rate=1:duration=1", width, height), "-pix_fmt", "rgba", "-f", "rawvideo", "-").Output()
	if err != nil || len(raw) != width*height*4 {
		t.Fatalf("ffmpeg: %v, %d bytes", err, len(raw))
	}
	var log strings.Builder
	cmd := driverCommand(t, []string{"DISPLAY=" + d.name}, mpv, "--no-config", "--no-audio", "--no-osc", "--osd-level=0", "--vo=gpu",
		"--gpu-api=vulkan", "--gpu-context=x11vk", "--vulkan-device=Pumice (CPU)", "--dither-depth=no", "--no-border", "--keep-open=yes", "--pause",
		fmt.Sprintf("--geometry=%dx%d+0+0", width, height), fmt.Sprintf("av://lavfi:testsrc=size=%dx%d:rate=1:duration=1", width, height))
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var last *image.RGBA
	shown := false
	for end := time.Now().Add(programTimeout); !shown && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		img, err := d.screenshot()
		if err != nil {
			t.Error(err)
			break
		}
		last, shown = img, shows(img, raw, width)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	kill := time.AfterFunc(programTimeout, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	_ = cmd.Wait()
	if last != nil {
		keep(t, "mpv", last)
	}
	if !shown || strings.Contains(log.String(), "pumice:") {
		t.Errorf("the picture never came: %s", log.String())
	}
}

// shows says whether a screen has a picture at its upper left. Colours may be off
// by one: mpv's go through tables of 8 bits.
func shows(screen *image.RGBA, rgba []byte, width int) bool {
	for i := 0; i < len(rgba); i += 4 {
		got := screen.RGBAAt(i/4%width, i/4/width)
		for n, v := range [3]uint8{got.R, got.G, got.B} {
			if d := int(v) - int(rgba[i+n]); d < -1 || d > 1 {
				return false
			}
		}
	}
	return true
}

// TestVkd3d: Direct3D 12 on vkd3d on the driver: its demo's triangle, with a colour
// at each corner, on its blue.
func TestVkd3d(t *testing.T) {
	program := installed(t, "vkd3d-triangle", "vkd3d-demos")
	d := newDisplay(t)
	var log strings.Builder
	cmd := driverCommand(t, []string{"DISPLAY=" + d.name}, program)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The triangle's corners are at 320,160 (red), 400,320 (green) and 240,320
	// (blue) of a window of 640×480. In the middle of it, a third of each.
	right := func(img *image.RGBA) bool {
		third := img.RGBAAt(320, 266)
		near := func(v uint8) bool { return v > 83 && v < 88 }
		return img.RGBAAt(20, 20) == color.RGBA{0, 51, 102, 255} && near(third.R) && near(third.G) && near(third.B) &&
			img.RGBAAt(320, 166).R > 240 && img.RGBAAt(394, 317).G > 240 && img.RGBAAt(246, 317).B > 240
	}
	var last *image.RGBA
	shown := false
	for end := time.Now().Add(programTimeout); !shown && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		img, err := d.screenshot()
		if err != nil {
			t.Error(err)
			break
		}
		last, shown = img, right(img)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if last != nil {
		keep(t, "vkd3d", last)
	}
	if !shown || strings.Contains(log.String(), "pumice:") {
		t.Errorf("the triangle never came: %s", log.String())
	}
}
