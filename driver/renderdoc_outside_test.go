//go:build linux && outside

package main_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clientSkipped is the exit code with which rdoc.py says that something is missing.
const clientSkipped = 77

// TestOutside_Renderdoc: RenderDoc captures a frame of vkcube and replays it to the bytes that
// vkcube drew; it tells of a pixel's history what the pixel is, and runs its shader. Its
// own command replays the capture, and finds the picture in it.
func TestOutside_Renderdoc(t *testing.T) {
	renderdoc, python, cube := renderdoccmd.Path(t), python.Path(t), vkcube.Path(t)
	d := newDisplay(t)
	dir := t.TempDir()
	list := filepath.Join(dir, "drawn")
	const frame, x, y = 10, 250, 250 // frame 11, as PUMICE_FRAMES counts; the middle of the cube
	env := []string{"DISPLAY=" + d.name, "PUMICE_FRAMES=" + list, "HOME=" + dir, "TMPDIR=" + dir}
	if out, errs, err := onDriver(t, env[:2], cube, "--c", fmt.Sprint(frame+1)); err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	drawn := lines(t, list)

	out, errs, err := onDriver(t, append(env[:1:1], env[2:]...), python, "testdata/rdoc.py", dir, fmt.Sprint(frame), fmt.Sprint(x), fmt.Sprint(y), cube, "--c 200")
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == clientSkipped {
		t.Skip("no module renderdoc for Python: Debian's python3-renderdoc is not installed")
	}
	if err != nil || strings.Contains(errs, "pumice:") {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	texels, err := os.ReadFile(filepath.Join(dir, "texels"))
	if err != nil || len(texels) != 500*500*4 {
		t.Fatalf("%v, %d bytes", err, len(texels))
	}
	for i := 0; i < len(texels); i += 4 { // B8G8R8A8; windows show no A
		texels[i], texels[i+2], texels[i+3] = texels[i+2], texels[i], 255
	}
	if got := fmt.Sprintf("%d 500x500 %x", frame+1, sha256.Sum256(texels)); got != drawn[frame] {
		t.Errorf("replayed %s, drawn %s", got, drawn[frame])
	}

	var path, passed string
	var count, steps int
	var color [4]float64
	_, said, _ := strings.Cut(out, "capture ")
	path, said, _ = strings.Cut(said, "\n") // it may have spaces
	if n, err := fmt.Sscanf(said, "history %d %s %g %g %g %g\nsteps %d", &count, &passed, &color[0], &color[1], &color[2], &color[3], &steps); n != 7 {
		t.Fatalf("%v\n%s", err, out)
	}
	pixel := texels[(y*500+x)*4:]
	for c := range 3 {
		if got := int(color[c]*255 + 0.5); got != int(pixel[c]) {
			t.Errorf("the history ends with %v, the pixel is %v", color, pixel[:3])
			break
		}
	}
	if count != 2 || passed != "True" || steps < 5 { // the clear and the draw
		t.Errorf("%s", out)
	}

	thumb := filepath.Join(dir, "thumb.png")
	for _, args := range [][]string{{"thumb", "-o", thumb, path}, {"replay", "-l", "2", path}} {
		if out, errs, err := onDriver(t, append(env[:1:1], env[2:]...), renderdoc, args...); err != nil || strings.Contains(errs, "pumice:") {
			t.Errorf("renderdoccmd %v: %v\n%s%s", args, err, out, errs)
		}
	}
	data, err := os.ReadFile(thumb)
	if err != nil {
		t.Fatal(err)
	}
	keep(t, "renderdoc", decodePNG(t, data))
}
