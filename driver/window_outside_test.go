//go:build linux && outside

package main_test

import (
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// TestOutside_Vkcube shows the turning cube, and the pictures are those of another driver.
func TestOutside_Vkcube(t *testing.T) {
	program := vkcube.Path(t)
	d := newDisplay(t)
	var ours []*image.RGBA
	for n := 0; n < mostRuns && len(ours) < 5; n++ {
		ours = append(ours, cubes(t, d, program)...)
	}
	if len(ours) < 5 {
		t.Fatalf("only %d different pictures of the cube", len(ours))
	}
	keep(t, "vkcube", ours[len(ours)/2])

	t.Run("like lavapipe", func(t *testing.T) {
		manifest := "/usr/share/vulkan/icd.d/lvp_icd.json"
		if found, _ := filepath.Glob("/usr/share/vulkan/icd.d/lvp_icd*.json"); len(found) > 0 {
			manifest = found[0]
		}
		outside.File(t, manifest, "mesa-vulkan-drivers", "another driver's cube")
		// The cube turns by the same angle in each frame; which frames are seen is chance. Two frames differ by
		// 0.5 of 255 and more, two drivers' pictures of one in a few texels: at edges, or by the last bit of a colour.
		same := map[*image.RGBA]bool{}
		for n := 0; n < mostRuns && len(same) < 5; n++ {
			theirs := cubes(t, d, program, "VK_DRIVER_FILES="+manifest, "VK_ICD_FILENAMES="+manifest)
			for _, p := range ours {
				if slices.ContainsFunc(theirs, func(q *image.RGBA) bool { return difference(p, q) < 0.05 }) {
					same[p] = true
				}
			}
			t.Logf("of %d pictures, %d are among %d of lavapipe's", len(ours), len(same), len(theirs))
		}
		if len(same) < 5 {
			t.Error("the drivers show different cubes")
		}
	})
}

// mostRuns bounds how often vkcube is run where little of it is seen: on a busy machine.
const mostRuns = 20

// cubes are the different pictures of the cube that vkcube shows in its first 60 frames.
func cubes(t *testing.T, d display, program string, env ...string) (pictures []*image.RGBA) {
	t.Helper()
	var log strings.Builder
	cmd := driverCommand(t, append([]string{"DISPLAY=" + d.name}, env...), program, "--c", "60")
	ended, done := started(t, cmd, &log)
	for _, p := range d.watch(t, cmd.Process, done, 0) {
		switch err := cube(p); {
		case err == nil:
			pictures = append(pictures, p)
		case len(pictures) > 0: // before the first frame there is no window
			t.Log(err)
		}
	}
	<-done
	if *ended != nil || strings.Contains(log.String(), "pumice:") {
		t.Fatalf("%v\n%s", *ended, log.String())
	}
	return pictures
}

// cubeGround is the grey around vkcube's cube.
var cubeGround = color.RGBA{51, 51, 51, 255}

// cube says what a picture of a screen lacks of vkcube's window: a cube with LunarG's name on
// grey faces, and a grey ground all around it.
func cube(screen *image.RGBA) error {
	window := find(screen, cubeGround)
	if window.Dx() < 100 || window.Dy() < 100 {
		return fmt.Errorf("no window: its grey is at %v", window)
	}
	var cube image.Rectangle
	var area, holes, logo, plain int
	colors := map[color.RGBA]bool{}
	for y := window.Min.Y; y < window.Max.Y; y++ {
		from, to := window.Max.X, window.Min.X
		for x := window.Min.X; x < window.Max.X; x++ {
			if screen.RGBAAt(x, y) != cubeGround {
				from, to = min(from, x), x+1
			}
		}
		if from < to {
			cube = cube.Union(image.Rect(from, y, to, y+1))
		}
		for x := from; x < to; x++ {
			c := screen.RGBAAt(x, y)
			colors[c] = true
			area++
			switch {
			case c == cubeGround: // a cube is convex, but a face may be of that grey for a moment
				holes++
			case c.G > 2*c.R && c.B > 2*c.R: // LunarG's dark blue
				logo++
			case max(c.R, c.G, c.B)-min(c.R, c.G, c.B) < 8:
				plain++
			}
		}
	}
	share := func(n int) int { return n * 100 / max(area, 1) }
	part := area * 100 / (window.Dx() * window.Dy())
	if !cube.In(window.Inset(1)) || part < 10 || part > 60 || share(holes) > 5 || share(logo) < 10 || share(plain) < 40 || len(colors) < 100 {
		return fmt.Errorf("in the window %v, the cube is at %v, %d %% of it; %d %% of that are holes, %d %% LunarG's blue, %d %% grey, in %d colours",
			window, cube, part, share(holes), share(logo), share(plain), len(colors))
	}
	return nil
}

// difference is the mean of the differences of two pictures' texels, in 255ths.
func difference(a, b *image.RGBA) float64 {
	if a.Rect.Size() != b.Rect.Size() {
		return 255
	}
	sum, row := 0, 4*a.Rect.Dx()
	for y := range a.Rect.Dy() { // of a part of a picture the rows lie apart
		from := a.Pix[y*a.Stride:][:row]
		for i, v := range b.Pix[y*b.Stride:][:row] {
			d := int(v) - int(from[i])
			sum += max(d, -d)
		}
	}
	return float64(sum) / float64(row*a.Rect.Dy())
}

// TestOutside_Testvulkan: SDL's test changes the colour of its window until it is asked to
// end, and then ends.
func TestOutside_Testvulkan(t *testing.T) {
	program := testvulkan.Path(t)
	d := newDisplay(t)
	var log strings.Builder
	cmd := driverCommand(t, []string{"DISPLAY=" + d.name, "SDL_VIDEODRIVER=x11"}, program)
	ended, done := started(t, cmd, &log)
	pictures := d.watch(t, cmd.Process, done, 20)
	_ = cmd.Process.Signal(os.Interrupt)
	<-done
	if *ended != nil || strings.Contains(log.String(), "pumice:") {
		t.Fatalf("%v, after %d different pictures\n%s", *ended, len(pictures), log.String())
	}
	if len(pictures) < 20 {
		t.Errorf("only %d different pictures", len(pictures))
	} else {
		keep(t, "testvulkan", pictures[len(pictures)/2])
	}
}
