//go:build linux && outside

package main_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newCompositor starts Weston without a screen; it goes with the test. The result
// is the environment of its clients.
func newCompositor(t *testing.T) []string {
	t.Helper()
	program := weston.Path(t)
	dir := t.TempDir()
	env := []string{"XDG_RUNTIME_DIR=" + dir, "WAYLAND_DISPLAY=pumice-test"}
	args := []string{"--backend=headless", "--renderer=pixman"}
	if help, _ := exec.Command(program, "--help").CombinedOutput(); !bytes.Contains(help, []byte("--renderer")) { // weston 10
		args = []string{"--backend=headless-backend.so", "--use-pixman"}
	}
	var log strings.Builder
	cmd := exec.Command(program, append(args, "--width=700", "--height=700", "--socket=pumice-test", "--idle-time=0", "--debug", "--no-config")...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	})
	for end := time.Now().Add(programTimeout); time.Now().Before(end); {
		if _, err := os.Stat(filepath.Join(dir, "pumice-test")); err == nil {
			return env
		}
		select {
		case <-ended:
			t.Fatalf("weston ends at once:\n%s", log.String())
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatal("weston does not come up")
	return nil
}

// shoot takes a picture of all that the compositor shows.
func shoot(t *testing.T, env []string) *image.RGBA {
	t.Helper()
	cmd := exec.Command(westonShot.Path(t))
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

// TestOutside_VkcubeWayland shows the turning cube on a surface of Wayland.
func TestOutside_VkcubeWayland(t *testing.T) {
	program := vkcube.Path(t)
	args := []string{"--wsi", "wayland"}
	if path, err := exec.LookPath(program + "-wayland"); err == nil { // vulkan-tools 1.3.239 has a program for each
		program, args = path, nil
	}
	env := newCompositor(t)
	cmd := driverCommand(t, env, program, args...)
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
	// It turns until it is ended. Pictures count that show the cube; two that differ show that it turns.
	var shown []*image.RGBA
	last := errors.New("no picture was taken")
	for end := time.Now().Add(programTimeout); len(shown) < 2 && time.Now().Before(end); {
		picture := shoot(t, env)
		keep(t, "vkcube-wayland", picture)
		if last = cube(picture); last == nil && (len(shown) == 0 || difference(picture, shown[0]) > 0) {
			shown = append(shown, picture)
		}
		select {
		case <-done:
			end = time.Now()
		default:
		}
	}
	_ = cmd.Process.Kill()
	<-done
	if len(shown) < 2 || strings.Contains(log.String(), "pumice:") {
		t.Errorf("%d different pictures show the cube; the last: %v\n%s", len(shown), last, log.String())
	}

	// And it comes to its end by itself.
	out, errs, err := onDriver(t, env, program, append(args, "--c", "10")...)
	if err != nil || strings.Contains(errs, "pumice:") {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
}
