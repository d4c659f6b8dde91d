//go:build linux && outside

package main_test

import (
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
)

// Larger programs that use Vulkan, each checked against what it should show, not only
// for coming to its end.

// TestOutside_Gfxreconstruct captures vkcube and replays the capture: each of the replayed
// frames has the bytes that vkcube drew, with any number of threads.
func TestOutside_Gfxreconstruct(t *testing.T) {
	replay, program := gfxreplay.Path(t), vkcube.Path(t)
	d := newDisplay(t)
	dir := t.TempDir()
	capture, list := filepath.Join(dir, "cube.gfxr"), filepath.Join(dir, "drawn")
	const frames = 12
	out, errs, err := onDriver(t, []string{
		"DISPLAY=" + d.name, "PUMICE_FRAMES=" + list, "VK_INSTANCE_LAYERS=VK_LAYER_LUNARG_gfxreconstruct",
		"GFXRECON_CAPTURE_FILE=" + capture, "GFXRECON_CAPTURE_FILE_TIMESTAMP=false",
	}, program, "--c", fmt.Sprint(frames))
	if err != nil || strings.Contains(errs, "pumice:") {
		t.Fatalf("capture: %v\n%s%s", err, out, errs)
	}
	drawn := lines(t, list)
	if len(drawn) != frames {
		t.Fatalf("vkcube drew %q", drawn)
	}
	for _, threads := range []string{"1", "2"} {
		to := filepath.Join(dir, threads)
		if err := os.Mkdir(to, 0o700); err != nil {
			t.Fatal(err)
		}
		out, errs, err := onDriver(t, []string{"DISPLAY=" + d.name, "PUMICE_THREADS=" + threads}, replay, "--screenshot-all", "--screenshot-dir", to, capture)
		if err != nil || strings.Contains(errs, "pumice:") || strings.Contains(out+errs, "ERROR") {
			t.Fatalf("replay: %v\n%s%s", err, out, errs)
		}
		for f, want := range drawn {
			data, err := os.ReadFile(filepath.Join(to, fmt.Sprintf("screenshot_frame_%d.bmp", f+1)))
			if err != nil {
				t.Fatalf("%v; the replay says\n%s%s", err, out, errs)
			}
			img, err := decodeBMP(data)
			if err != nil {
				t.Fatalf("frame %d: %v", f+1, err)
			}
			if got := frameLine(f+1, img); got != want {
				t.Errorf("%s threads: replayed %s, drawn %s", threads, got, want)
			}
			if err := cube(img); err != nil {
				t.Errorf("frame %d: %v", f+1, err)
			}
			keep(t, "gfxreconstruct", img)
		}
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

// TestOutside_Zink: OpenGL on Mesa's zink on the driver. glmark2 compares texels of its
// scenes with those of other implementations.
func TestOutside_Zink(t *testing.T) {
	program := glmark2.Path(t)
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
	}, program, args...)
	if err != nil || strings.Contains(errs, "pumice:") {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	renderer := regexp.MustCompile(`GL_RENDERER: *(.*)`).FindStringSubmatch(out)
	switch {
	case renderer == nil:
		t.Fatalf("it names no renderer:\n%s", out)
	case !strings.Contains(renderer[1], "zink"):
		t.Skipf("Mesa renders with %s: its zink, of Debian's libgl1-mesa-dri, is not there", renderer[1])
	case !strings.Contains(renderer[1], "Pumice (CPU)"):
		t.Fatalf("zink is on another driver: %s", renderer[1])
	}
	t.Log(renderer[1])
	if !strings.Contains(out, "OpenGL ES 3.2") { // needs geometry and tessellation shaders, transform feedback and more
		t.Errorf("not all of OpenGL ES:\n%s", out)
	}
	if n := strings.Count(out, "Validation: Success"); n != len(scenes) {
		t.Errorf("%d of %d scenes are right:\n%s", n, len(scenes), out)
	}
}

// TestOutside_Mpv: mpv shows a picture in its window texel by texel, through libplacebo.
func TestOutside_Mpv(t *testing.T) {
	program, source := mpv.Path(t), ffmpeg.Path(t)
	d := newDisplay(t)
	const width, height = 320, 240
	raw, err := exec.Command(source, "-v", "error", "-f", "lavfi", "-i", fmt.Sprintf("testsrc=size=%dx%d:rate=1:duration=1", width, height), "-pix_fmt", "rgba", "-f", "rawvideo", "-").Output()
	if err != nil || len(raw) != width*height*4 {
		t.Fatalf("ffmpeg: %v, %d bytes", err, len(raw))
	}
	d.show(t, "mpv", func(screen *image.RGBA) error {
		for i := 0; i < len(raw); i += 4 {
			x, y := i/4%width, i/4/width
			got := screen.RGBAAt(x, y)
			for n, v := range [3]uint8{got.R, got.G, got.B} {
				// Colours go through tables of 8 bits.
				if d := int(v) - int(raw[i+n]); d < -1 || d > 1 {
					return fmt.Errorf("at %d,%d is %v, want %v", x, y, got, raw[i:i+3])
				}
			}
		}
		return nil
	}, program, "--no-config", "--no-audio", "--no-osc", "--osd-level=0", "--vo=gpu",
		"--gpu-api=vulkan", "--gpu-context=x11vk", "--vulkan-device=Pumice (CPU)", "--dither-depth=no", "--no-border", "--keep-open=yes", "--pause",
		fmt.Sprintf("--geometry=%dx%d+0+0", width, height), fmt.Sprintf("av://lavfi:testsrc=size=%dx%d:rate=1:duration=1", width, height))
}

// TestOutside_Vkd3d: Direct3D 12 on vkd3d on the driver: its demo's triangle, with a colour
// at each corner, on its blue.
func TestOutside_Vkd3d(t *testing.T) {
	program := vkd3dTriangle.Path(t)
	newDisplay(t).show(t, "vkd3d", threeColors, program)
}

// threeColors says what is wrong with a picture of a triangle, red, green and blue at its corners,
// whose colours go over into each other, in a window of vkd3d's blue, wherever both are.
func threeColors(screen *image.RGBA) error {
	ground := color.RGBA{0, 51, 102, 255}
	window := find(screen, ground)
	if window.Dx() < 100 || window.Dy() < 100 {
		return fmt.Errorf("no window: its blue is at %v", window)
	}
	channels := func(p image.Point) [3]float64 {
		c := screen.RGBAAt(p.X, p.Y)
		return [3]float64{float64(c.R), float64(c.G), float64(c.B)}
	}
	// A corner is where most of its colour is, and least of the others'.
	var corner [3]image.Point
	var most [3]float64
	for y := window.Min.Y; y < window.Max.Y; y++ {
		for x := window.Min.X; x < window.Max.X; x++ {
			c := channels(image.Pt(x, y))
			for n := range corner {
				if pure := 2*c[n] - c[0] - c[1] - c[2]; pure > most[n] {
					most[n], corner[n] = pure, image.Pt(x, y)
				}
			}
		}
	}
	cross := func(a, b, c image.Point) float64 {
		return float64((b.X-a.X)*(c.Y-a.Y) - (b.Y-a.Y)*(c.X-a.X))
	}
	area := cross(corner[0], corner[1], corner[2])
	if math.Abs(area)/2 < float64(window.Dx()*window.Dy())/50 || min(most[0], most[1], most[2]) < 240 {
		return fmt.Errorf("in the window %v no triangle: most red at %v, green at %v, blue at %v", window, corner[0], corner[1], corner[2])
	}
	// Inside, colours are in proportion to the distances from the edges. A corner is found to two texels:
	// that is the width of the edge that is not looked at, and what colours may be off by.
	for y := window.Min.Y; y < window.Max.Y; y++ {
		for x := window.Min.X; x < window.Max.X; x++ {
			p, inside, outside := image.Pt(x, y), true, false
			var want [3]float64
			off := 0.0
			for n := range corner {
				a, b := corner[(n+1)%3], corner[(n+2)%3]
				texel := math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y)) / math.Abs(area) // a texel's share of the height
				weight := cross(a, b, p) / area
				inside, outside = inside && weight > 2*texel, outside || weight < -2*texel
				want[n], off = 255*weight, max(off, 2*255*texel)
			}
			got := channels(p)
			if outside && screen.RGBAAt(x, y) != ground {
				return fmt.Errorf("in the window %v, beside the triangle %v, at %v is %v, not the ground", window, corner, p, got)
			}
			for n := range got {
				if inside && math.Abs(got[n]-want[n]) > off {
					return fmt.Errorf("in the window %v, in the triangle %v, at %v is %.0f, want %.0f within %.1f", window, corner, p, got, want, off)
				}
			}
		}
	}
	return nil
}
