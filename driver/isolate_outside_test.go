//go:build linux && outside

package main_test

import (
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/outside"
	"github.com/pumice-gpu/pumice/internal/version"
)

var muslGCC = outside.Tool{Name: "musl-gcc", Debian: "musl-tools", Version: outside.NoVersion, Why: "programs of another C library, which cannot load Go"}

// TestOutside_Musl: a program of musl loads the very file that programs of glibc load, takes the helper without being told to,
// and renders the same. A front that musl's compiler has built does the same for a program of glibc.
func TestOutside_Musl(t *testing.T) {
	compiler := muslGCC.Path(t)
	env, front := isolated(t)
	dir := t.TempDir()
	build := func(to string, args ...string) string {
		t.Helper()
		path := filepath.Join(dir, to)
		if out, err := exec.Command(compiler, append(args, "-o", path)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return path
	}
	plain := compiled(t, "triangle")
	want := run(t, plain, nil)
	client := build("triangle", "-I", "testdata/include", "-std=gnu11", "-O1", "testdata/triangle.c", "testdata/loader.c", "-lm")
	if got, errs := isolatedClient(t, []string{"PUMICE_DRIVER=" + front, "PUMICE_ISOLATE="}, client, "testdata"); got != want || errs != "" {
		t.Errorf("with musl: %q %s, want %q", got, errs, want)
	}
	other := build("libvulkan_pumice_front.so", append(append([]string{}, frontFlags...), frontSources...)...)
	helper := filepath.Join(filepath.Dir(front), "pumice-driver")
	if err := os.Link(helper, filepath.Join(dir, "pumice-driver")); err != nil {
		t.Fatal(err)
	}
	if got, errs := isolatedClient(t, append(env, "PUMICE_DRIVER="+other), plain, "testdata"); got != want || errs != "" {
		t.Errorf("a front built by musl's compiler: %q %s, want %q", got, errs, want)
	}
}

// isolatedManifest is isolated for programs that use the loader.
func isolatedManifest(t *testing.T) (env []string) {
	t.Helper()
	env, front := isolated(t)
	manifest := filepath.Join(t.TempDir(), "front.json")
	text := fmt.Sprintf(`{"file_format_version": "1.0.1", "ICD": {"library_path": %q, "api_version": %q}}`, front, version.Text())
	if err := os.WriteFile(manifest, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return append(env, "VK_DRIVER_FILES="+manifest, "VK_ICD_FILENAMES="+manifest)
}

// TestOutside_IsolatedWindows: with a helper, windows of X11 and of Wayland show the cubes that
// they show with the driver in process. Which frames are seen is chance.
func TestOutside_IsolatedWindows(t *testing.T) {
	env := isolatedManifest(t)
	program := vkcube.Path(t)
	compare := func(t *testing.T, most float64, pictures func(env []string) []*image.RGBA) {
		t.Helper()
		var inside, isolated []*image.RGBA
		same := 0
		for n := 0; n < mostRuns && same < 3; n++ {
			inside, isolated = append(inside, pictures(nil)...), append(isolated, pictures(env)...)
			same = 0
			for _, p := range isolated {
				if slices.ContainsFunc(inside, func(q *image.RGBA) bool { return difference(p, q) <= most }) {
					same++
				}
			}
		}
		t.Logf("of %d pictures, %d are among %d of the driver in process", len(isolated), same, len(inside))
		if same < 3 {
			t.Error("the windows show different cubes")
		}
	}
	t.Run("X11", func(t *testing.T) {
		d := newDisplay(t)
		compare(t, 0, func(env []string) []*image.RGBA { return cubes(t, d, program, env...) }) // bit by bit
	})
	t.Run("Wayland", func(t *testing.T) {
		program, args := program, []string{"--wsi", "wayland"}
		if path, err := exec.LookPath(program + "-wayland"); err == nil {
			program, args = path, nil
		}
		compositor := newCompositor(t)
		// Nobody knows the number of a frame here. After 90 of them the cube is back but for the last
		// bits of its angle, and frames that follow one another differ by 0.5 of 255 and more.
		compare(t, 0.05, func(env []string) []*image.RGBA {
			return waylandCubes(t, compositor, append(slices.Clone(compositor), env...), program, args...)
		})
	})
}

// waylandCubes are pictures of the first seconds of a turning cube.
func waylandCubes(t *testing.T, compositor, env []string, program string, args ...string) (pictures []*image.RGBA) {
	t.Helper()
	var log strings.Builder
	cmd := driverCommand(t, env, program, args...)
	_, done := started(t, cmd, &log)
	for end := time.Now().Add(programTimeout); len(pictures) < 15 && time.Now().Before(end); {
		if p := shoot(t, compositor); cube(p) == nil { // the compositor puts each window elsewhere
			pictures = append(pictures, p.SubImage(find(p, cubeGround)).(*image.RGBA))
		}
		select {
		case <-done:
			t.Fatalf("it ends at once:\n%s", log.String())
		default:
		}
	}
	_ = cmd.Process.Kill()
	<-done
	if strings.Contains(log.String(), "pumice:") {
		t.Error(log.String())
	}
	return pictures
}
