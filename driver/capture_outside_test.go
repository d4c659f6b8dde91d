//go:build linux && outside

package main_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/outside"
)

// frameLine is the line of PUMICE_FRAMES for a picture.
func frameLine(frame int, img image.Image) string {
	c := image.NewNRGBA(img.Bounds())
	draw.Draw(c, c.Rect, img, c.Rect.Min, draw.Src)
	return fmt.Sprintf("%d %dx%d %x", frame, c.Rect.Dx(), c.Rect.Dy(), sha256.Sum256(c.Pix))
}

// anyMachine are settings under which pictures must be the same bytes.
var anyMachine = [][]string{{"PUMICE_THREADS=2"}, {"PUMICE_THREADS=1"}, {"PUMICE_ENGINE=vm"}, {"PUMICE_ENGINE=native"}, {"PUMICE_VECTORS=256"}, {"GODEBUG=cpu.avx2=off,cpu.avx512f=off"}}

// replayed checks that pumice replay writes the picture of a frame that line tells of,
// with the same bytes under all settings, without a display. It returns the picture.
func replayed(t *testing.T, capture string, frame int, line string) (img image.Image) {
	t.Helper()
	var first []byte
	for _, env := range anyMachine {
		picture := filepath.Join(t.TempDir(), "frame.png")
		if p := command(t, env, "replay", capture, "-o", picture, "--frame", fmt.Sprint(frame)); p.code != 0 || p.out+p.errs != "" {
			t.Fatalf("%v: %v", env, p)
		}
		data, err := os.ReadFile(picture)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
			img = decodePNG(t, data)
			if got := frameLine(frame, img); got != line {
				t.Errorf("frame %d: replayed %s, drawn %s", frame, got, line)
			}
		} else if !bytes.Equal(data, first) {
			t.Errorf("frame %d: another picture with %v than with %v", frame, env, anyMachine[0])
		}
	}
	return img
}

// recordsCaptures skips where gfxreconstruct is missing.
func recordsCaptures(t *testing.T) {
	t.Helper()
	gfxreplay.Path(t)
	outside.File(t, "/usr/share/vulkan/explicit_layer.d/VkLayer_gfxreconstruct.json", "gfxreconstruct", gfxreplay.Why)
}

// vkcubeCapture captures vkcube, and returns the capture with the lines of its frames.
func vkcubeCapture(t *testing.T, frames int, args ...string) (capture string, drawn []string) {
	t.Helper()
	recordsCaptures(t)
	cube := vkcube.Path(t)
	d := newDisplay(t)
	capture = filepath.Join(t.TempDir(), "cube.gfxr")
	list := filepath.Join(t.TempDir(), "drawn")
	args = append(append([]string{"run", "--capture", capture}, args...), "--", cube, "--c", fmt.Sprint(frames))
	p := command(t, []string{"DISPLAY=" + d.name, "PUMICE_FRAMES=" + list}, args...)
	if all := p.out + p.errs; p.code != 0 || strings.Contains(all, "pumice:") || strings.Contains(all, "gfxrecon") {
		t.Fatal(p)
	}
	return capture, lines(t, list)
}

// TestOutside_CaptureVkcube: what pumice run --capture has recorded is replayed without a display
// to the bytes that vkcube drew, in any order of frames and with any engine and threads.
func TestOutside_CaptureVkcube(t *testing.T) {
	capture, drawn := vkcubeCapture(t, 12)
	if len(drawn) != 12 || len(slices.Compact(slices.Clone(drawn))) != 12 {
		t.Fatalf("vkcube drew %q", drawn)
	}
	img := replayed(t, capture, 7, drawn[6])
	keep(t, "capture-vkcube", img)
	picture := filepath.Join(t.TempDir(), "last.png")
	if p := command(t, nil, "replay", capture, "-o", picture); p.code != 0 {
		t.Fatal(p)
	}
	if data, err := os.ReadFile(picture); err != nil || frameLine(12, decodePNG(t, data)) != drawn[11] {
		t.Errorf("%v: the picture without --frame is not the last", err)
	}
	if p := command(t, nil, "replay", capture, "-o", picture+"x", "--frame", "13"); p.code != 2 || !strings.Contains(p.errs, "frames 1 to 12") || exists(picture+"x") {
		t.Error(p)
	}

	// Of a capture of some frames, those keep their numbers. vkcube draws frame by frame.
	some, again := vkcubeCapture(t, 9, "--frames", "5-6")
	if again[5] != drawn[5] {
		t.Fatalf("vkcube draws other frames each time: %q, %q", again, drawn)
	}
	replayed(t, some, 6, drawn[5])
	if p := command(t, nil, "diff", capture, some); p.code != 0 || !strings.HasPrefix(p.out, "equal") {
		t.Error(p)
	}
	if p := command(t, nil, "replay", some, "-o", picture+"x", "--frame", "4"); p.code != 2 || !strings.Contains(p.errs, "frames 5 to 6") {
		t.Error(p)
	}

	t.Run("explained", func(t *testing.T) { explainedCube(t, capture, img) })
	t.Run("broken", func(t *testing.T) { brokenCaptures(t, capture) })
}

// explainedCube: a pixel of frame 7 was cleared and drawn to what the picture has there,
// with the same explanation under all settings; vkcube tells the same of itself.
func explainedCube(t *testing.T, capture string, img image.Image) {
	const x, y = 250, 250
	explained := func(env []string, args ...string) (text string, e explain.Explanation) {
		p := command(t, env, append(args, "--json")...)
		var list []explain.Explanation
		if err := json.Unmarshal([]byte(p.out), &list); err != nil || p.code != 0 || len(list) != 1 {
			t.Fatalf("%v %v: %v\n%v", env, args, err, p)
		}
		return p.out, list[0]
	}
	first, e := explained(anyMachine[0], "explain", capture, "--frame", "7", "--pixel", fmt.Sprintf("%d,%d", x, y))
	for _, env := range anyMachine[1:] {
		if again, _ := explained(env, "explain", capture, "--frame", "7", "--pixel", fmt.Sprintf("%d,%d", x, y)); again != first {
			t.Errorf("%v: another explanation than with %v:\n%s\n%s", env, anyMachine[0], first, again)
		}
	}
	r, g, b, _ := img.At(x, y).RGBA()
	pixel := fmt.Sprintf("%02x%02x%02x", b>>8, g>>8, r>>8) // as B8G8R8A8 lies in memory
	if e.Target.X != x || e.Target.Y != y || e.Target.Width != 500 || !strings.HasPrefix(e.After.Bits, pixel) {
		t.Errorf("%v is %v; the picture has %s", e.Target, e.After, pixel)
	}
	e.Events = withoutBarriers(e.Events)
	if len(e.Events) != 2 || e.Events[0].Kind != explain.Load || !strings.HasPrefix(e.Events[0].After.Bits, "333333") || // vkcube's grey
		e.Events[1].Kind != explain.Draw || e.Events[1].Outcome != explain.Wrote || e.Events[1].Draw.Primitives != 12 {
		t.Errorf("%s", first)
	}

	d := newDisplay(t)
	cube := vkcube.Path(t)
	p := command(t, []string{"DISPLAY=" + d.name}, "run", "--json", "--explain", fmt.Sprintf("frame=7,pixel=%d,%d", x, y), "--", cube, "--c", "8")
	var live []explain.Explanation
	if err := json.Unmarshal([]byte(p.out), &live); err != nil || p.code != 0 || len(live) != 1 {
		t.Fatalf("%v\n%v", err, p)
	}
	live[0].Events = withoutBarriers(live[0].Events)
	if !reflect.DeepEqual(live[0].Events[1].Draw, e.Events[1].Draw) {
		t.Errorf("vkcube's draw:\n%+v\nreplayed:\n%+v", live[0].Events[1].Draw, e.Events[1].Draw)
	}
	p = command(t, []string{"DISPLAY=" + d.name}, "run", "--explain", "frame=9,pixel=1,1", "--", cube, "--c", "8")
	if p.code != 1 || !strings.Contains(p.errs, "pumice: no explanation") {
		t.Errorf("a frame that never came: %v", p)
	}
}

// withoutBarriers leaves out transitions, such as the pass's from UNDEFINED.
func withoutBarriers(events []explain.Event) []explain.Event {
	return slices.DeleteFunc(events, func(e explain.Event) bool { return e.Kind == explain.Barrier })
}

// brokenCaptures: they end in one line and write nothing. Where flipped bits change
// nothing that is looked at, there is a picture instead.
func brokenCaptures(t *testing.T, capture string) {
	whole, err := os.ReadFile(capture)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 20000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	headed := append(slices.Clone(whole[:64]), noise...)
	cases := map[string][]byte{"empty": nil, "noise": noise, "noise behind a header": headed, "the header": whole[:16], "a word": whole[:4]}
	for range 6 {
		n := 16 + random.IntN(len(whole)-17)
		cases[fmt.Sprintf("%d bytes of %d", n, len(whole))] = whole[:n]
	}
	for n := range 6 {
		b := slices.Clone(whole)
		for range 1 + n%3 {
			b[random.IntN(len(b))] ^= 1 << random.IntN(8)
		}
		cases[fmt.Sprintf("flipped bits %d", n)] = b
	}
	for name, data := range cases {
		path, picture := filepath.Join(t.TempDir(), "broken.gfxr"), filepath.Join(t.TempDir(), "out.png")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		p := command(t, nil, "replay", path, "-o", picture)
		if strings.HasPrefix(name, "flipped") && p.code == 0 && p.errs == "" && exists(picture) {
			continue
		}
		if left, _ := os.ReadDir(filepath.Dir(picture)); p.code != 1 || len(left) != 0 || strings.Count(p.errs, "\n") != 1 || !strings.Contains(p.errs, "broken.gfxr: ") {
			t.Errorf("%s: %v\n%v", name, left, p)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestOutside_CaptureVkd3d: a program that never ends by itself, and is terminated, leaves all
// that it has drawn until then.
func TestOutside_CaptureVkd3d(t *testing.T) {
	for demo, enough := range map[*outside.Tool]int{&vkd3dTriangle: 1, &vkd3dGears: 5} {
		name := demo.Name
		t.Run(name, func(t *testing.T) {
			recordsCaptures(t)
			program := demo.Path(t)
			d := newDisplay(t)
			// gfxreconstruct notes a call when that has ended, which takes longer on a busy machine.
			for wait := 200 * time.Millisecond; ; wait *= 5 {
				capture, drawn := terminated(t, d, program, enough, wait)
				missing := command(t, nil, "replay", capture, "-o", filepath.Join(t.TempDir(), "frame.png"), "--frame", fmt.Sprint(enough)).code != 0
				if missing && wait < programTimeout/10 {
					continue
				}
				keep(t, "capture-"+name, replayed(t, capture, enough, drawn[enough-1]))
				return
			}
		})
	}
}

// terminated captures a program that has drawn enough frames and is terminated a while later, and
// returns the capture with the lines of the frames.
func terminated(t *testing.T, d display, program string, enough int, wait time.Duration) (capture string, drawn []string) {
	t.Helper()
	dir := t.TempDir()
	capture, list := filepath.Join(dir, "demo.gfxr"), filepath.Join(t.TempDir(), "drawn")
	p := commandUntil(t, func(cmd *exec.Cmd) {
		for end := time.Now().Add(programTimeout / 2); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if text, _ := os.ReadFile(list); bytes.Count(text, []byte("\n")) >= enough {
				break
			}
		}
		time.Sleep(wait)
		_ = cmd.Process.Signal(syscall.SIGTERM)
	}, []string{"DISPLAY=" + d.name, "PUMICE_FRAMES=" + list}, "run", "--capture", capture, "--", program)
	if p.code != 128+int(syscall.SIGTERM) || strings.Contains(p.errs, "pumice:") {
		t.Fatal(p)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("it leaves %v", left)
	}
	if drawn = lines(t, list); len(drawn) < enough {
		t.Fatalf("it drew %q", drawn)
	}
	return capture, drawn
}

// TestOutside_CaptureOfNothing: the exit code is the program's, and one line says why there is no
// capture.
func TestOutside_CaptureOfNothing(t *testing.T) {
	recordsCaptures(t)
	for _, c := range []struct {
		args []string
		env  []string
		code int
		says string
	}{
		{args: []string{"sh", "-c", "exit 7"}, code: 7, says: "no capture: the program made no Vulkan instance"},
		{args: []string{"sh", "-c", "kill -9 $$"}, code: 128 + 9, says: "no capture"},
		{args: []string{"true"}, code: 1, says: "no capture"},
		{args: []string{"vulkaninfo"}, code: 1, says: "the program presented no frame"},
		{args: []string{"sh", "-c", "exit 7"}, env: []string{"VK_LAYER_PATH=/nonexistent"}, code: 1, says: "install Debian's package gfxreconstruct"},
	} {
		if c.args[0] == "vulkaninfo" {
			vulkaninfo.Path(t)
		}
		dir := t.TempDir()
		p := command(t, c.env, append([]string{"run", "--capture", filepath.Join(dir, "no.gfxr"), "--"}, c.args...)...)
		left, _ := os.ReadDir(dir)
		mine := 0
		for line := range strings.Lines(p.errs) {
			if strings.HasPrefix(line, "pumice: ") {
				mine++
			}
		}
		if p.code != c.code || mine != 1 || !strings.Contains(p.errs, c.says) || len(left) != 0 {
			t.Errorf("%v: %v, want code %d and %q; it leaves %v", c.args, p, c.code, c.says, left)
		}
	}
	if p := command(t, nil, "run", "--capture", "/nonexistent/no.gfxr", "--", "sh", "-c", "echo started"); p.code != 1 || p.out != "" || strings.Count(p.errs, "\n") != 1 {
		t.Errorf("a folder that is not there: %v", p)
	}
}
