//go:build linux

package main_test

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newCompositor starts Weston without a screen; it goes with the test. The result
// is the environment of its clients.
func newCompositor(t *testing.T) []string {
	t.Helper()
	weston := installed(t, "weston", "weston")
	dir := t.TempDir()
	env := []string{"XDG_RUNTIME_DIR=" + dir, "WAYLAND_DISPLAY=pumice-test"}
	cmd := exec.Command(weston, "--backend=headless-backend.so", "--use-pixman", "--width=700", "--height=700", "--socket=pumice-test", "--idle-time=0", "--debug", "--no-config")
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	for range 600 {
		if _, err := os.Stat(filepath.Join(dir, "pumice-test")); err == nil {
			return env
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Skip("weston does not come up")
	return nil
}

// shoot takes a picture of all that the compositor shows.
func shoot(t *testing.T, env []string) *image.RGBA {
	t.Helper()
	cmd := exec.Command(installed(t, "weston-screenshooter", "weston"))
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, _ := filepath.Glob(filepath.Join(cmd.Dir, "*.png"))
	if len(files) != 1 {
		t.Fatalf("%d screenshots", len(files))
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	shot, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewRGBA(shot.Bounds())
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			// The alpha of an opaque window is what the program left there.
			r, g, b, _ := shot.At(x, y).RGBA()
			img.SetRGBA(x, y, color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255})
		}
	}
	return img
}

// TestVkcubeWayland shows the turning cube on a surface of Wayland.
func TestVkcubeWayland(t *testing.T) {
	program := installed(t, "vkcube-wayland", "vulkan-tools")
	env := newCompositor(t)
	// Where the machine is busy, few pictures are taken while the program runs.
	for frames := 100; frames <= 100*4*4*4; frames *= 4 {
		if cubeShown(t, env, program, frames) {
			return
		}
	}
	t.Error("no picture shows the window with the cube")
}

// cubeShown says whether a picture that is taken while vkcube draws so many frames
// shows it.
func cubeShown(t *testing.T, env []string, program string, frames int) (shown bool) {
	t.Helper()
	type result struct {
		out, errs string
		err       error
	}
	done := make(chan result, 1)
	go func() {
		out, errs, err := onDriver(t, env, program, "--c", strconv.Itoa(frames))
		done <- result{out, errs, err}
	}()
	for {
		select {
		case r := <-done:
			if r.err != nil || strings.Contains(r.errs, "pumice:") {
				t.Fatalf("%v\n%s%s", r.err, r.out, r.errs)
			}
			return shown
		case <-time.After(100 * time.Millisecond):
		}
		if shown {
			continue // until the program has come to its end
		}
		picture := shoot(t, env)
		window := find(picture, color.RGBA{51, 51, 51, 255}) // the background's grey
		cube := image.NewRGBA(window)
		draw.Draw(cube, window, picture, window.Min, draw.Src)
		shown = window.Dx() == 500 && colors(cube) > 100
		keep(t, "vkcube-wayland", picture)
	}
}
