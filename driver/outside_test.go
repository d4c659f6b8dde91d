//go:build linux && outside

package main_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// Programs of other people that use Vulkan. Their tests ask what each shows, not where one version shows it.
var (
	vulkaninfo    = outside.Tool{Name: "vulkaninfo", Debian: "vulkan-tools", Version: outside.NoVersion, Why: "all that can be asked of the device"}
	vkcube        = outside.Tool{Name: "vkcube", Debian: "vulkan-tools", Version: outside.NoVersion, Why: "a turning cube in a window"}
	testvulkan    = outside.Tool{Name: "/usr/libexec/installed-tests/SDL2/testvulkan", Debian: "libsdl2-tests", Version: outside.NoVersion, Why: "a window of SDL's"}
	vkd3dTriangle = outside.Tool{Name: "vkd3d-triangle", Debian: "vkd3d-demos", Version: outside.NoVersion, Why: "a triangle of Direct3D 12"}
	vkd3dGears    = outside.Tool{Name: "vkd3d-gears", Debian: "vkd3d-demos", Version: outside.NoVersion, Why: "wheels of Direct3D 12"}
	glmark2       = outside.Tool{Name: "glmark2-es2", Debian: "glmark2-es2-x11", Why: "OpenGL ES by Mesa's zink"}
	mpv           = outside.Tool{Name: "mpv", Debian: "mpv", Why: "a picture through libplacebo"}
	ffmpeg        = outside.Tool{Name: "ffmpeg", Debian: "ffmpeg", Version: []string{"-version"}, Why: "filters in compute shaders, and pictures to show"}
	gfxreplay     = outside.Tool{Name: "gfxrecon-replay", Debian: "gfxreconstruct", Why: "captures of programs, and their replay"}
	renderdoccmd  = outside.Tool{Name: "renderdoccmd", Debian: "renderdoccmd", Version: []string{"version"}, Why: "a capture of a frame, its replay and a pixel's history"}
	xvfb          = outside.Tool{Name: "Xvfb", Debian: "xvfb", Version: outside.NoVersion, Why: "a display for X11"}
	weston        = outside.Tool{Name: "weston", Debian: "weston", Why: "a display for Wayland"}
	westonShot    = outside.Tool{Name: "weston-screenshooter", Debian: "weston", Version: outside.NoVersion, Why: "what Wayland's display shows"}
	// python3-renderdoc is a module for Debian's Python, and no other.
	python = outside.Tool{Name: "/usr/bin/python3", Debian: "python3-renderdoc", Why: "RenderDoc's interface"}
)

// TestOutside_Vulkaninfo comes to its end, finds nothing wrong, and names the device.
func TestOutside_Vulkaninfo(t *testing.T) {
	out, errs, err := onDriver(t, []string{"DISPLAY="}, vulkaninfo.Path(t))
	if err != nil || strings.Contains(errs, "ERROR") || strings.Contains(errs, "pumice:") {
		t.Fatalf("%v\n%s", err, errs)
	}
	if !strings.Contains(out, "Pumice (CPU)") || !strings.Contains(out, "VkPhysicalDeviceFeatures:") {
		t.Errorf("it says\n%s", out)
	}
}

// builtCommand builds cmd/pumice beside the driver, once.
var builtCommand = sync.OnceValues(func() (string, error) {
	b, err := library()
	if err != nil {
		return "", err
	}
	path := filepath.Join(b.dir, "pumice")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", path, "../cmd/pumice").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return path, err
})

// ended is a run of the command on the driver under test.
type ended struct {
	out, errs string
	code      int
}

func (p ended) String() string { return fmt.Sprintf("exit code %d\n%s%s", p.code, p.out, p.errs) }

// command runs `pumice ARGS...`. Env comes last, so that it has the last word.
func command(t *testing.T, env []string, args ...string) ended {
	t.Helper()
	return commandUntil(t, func(*exec.Cmd) {}, env, args...)
}

// commandUntil is command, with something to do while it runs.
func commandUntil(t *testing.T, meanwhile func(*exec.Cmd), env []string, args ...string) ended {
	t.Helper()
	lib := driverLibrary(t)
	path, err := builtCommand()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(append(os.Environ(), "PUMICE_DRIVER="+lib.library, "XDG_CACHE_HOME="+t.TempDir(), "DISPLAY=", "WAYLAND_DISPLAY="), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(programTimeout, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	meanwhile(cmd)
	_ = cmd.Wait()
	return ended{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// lines reads what PUMICE_FRAMES has written.
func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func decodePNG(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// keep writes a screenshot where PUMICE_SCREENSHOTS says, for people to look at.
func keep(t *testing.T, name string, img image.Image) {
	t.Helper()
	dir := os.Getenv("PUMICE_SCREENSHOTS")
	if dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(dir, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}

// find returns the smallest rectangle that holds all that is of a colour, texels in rows of sixteen at
// least: a window's ground, not letters of that colour elsewhere on the screen.
func find(img *image.RGBA, c color.RGBA) (r image.Rectangle) {
	for y := range img.Rect.Dy() {
		for x, from := 0, 0; x <= img.Rect.Dx(); x++ {
			if x < img.Rect.Dx() && img.RGBAAt(x, y) == c {
				continue
			}
			if x-from >= 16 {
				r = r.Union(image.Rect(from, y, x, y+1))
			}
			from = x + 1
		}
	}
	return r
}

// TestOutside_VulkaninfoWithHelper: with a helper, the loader's program says what it says in process, but for extensions and
// features that cannot be had there.
func TestOutside_VulkaninfoWithHelper(t *testing.T) {
	env := isolatedManifest(t)
	want, _, err := onDriver(t, []string{"DISPLAY="}, vulkaninfo.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	got, errs, err := onDriver(t, append(env, "DISPLAY="), vulkaninfo.Path(t))
	if err != nil || strings.Contains(errs, "ERROR") || strings.Contains(errs, "pumice:") {
		t.Fatalf("%v\n%s", err, errs)
	}
	have := map[string]bool{}
	for line := range strings.Lines(got) {
		have[line] = true
	}
	missing := 0
	for line := range strings.Lines(want) {
		if have[line] || strings.Contains(line, "Extensions: count = ") {
			continue
		}
		missing++
		if !strings.Contains(line, "map_memory_placed") &&
			!strings.Contains(line, "xternal_memory_host") && !strings.Contains(line, "ExternalMemoryHost") &&
			!strings.Contains(line, "minImportedHostPointerAlignment") && !strings.HasPrefix(line, "---") && !strings.Contains(line, "NV_cooperative_vector") &&
			!strings.Contains(line, "descriptorBufferCaptureReplay ") {
			t.Errorf("not with a helper: %s", line)
		}
	}
	if missing < 5 {
		t.Errorf("%d lines are missing, those of extensions that cannot be had, too", missing)
	}
}
