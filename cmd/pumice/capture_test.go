package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice/explain"
)

// block is a block of a capture: its type, and words.
func block(kind uint32, words ...uint32) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(4*len(words)))
	for _, w := range append([]uint32{kind}, words...) {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// captureFile writes a capture of frames first to last. In front of each present there
// is another call, and something like a present in the arguments of a third.
func captureFile(t *testing.T, first, last int) (path string, data []byte) {
	t.Helper()
	data = append([]byte("GFXR"), 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)
	data = append(data, block(3, 0x10012, callPresent)...)
	if first > 1 {
		data = append(data, block(blockStateMarker, 1, uint32(first), 0)...)
		data = append(data, block(blockCall, 0x11006)...)
		data = append(data, block(blockStateMarker, 2, uint32(first), 0)...)
	}
	for n := first; n <= last; n++ {
		data = append(data, block(blockCall, 0x11012, callPresent, callPresent)...)
		data = append(data, block(blockCall|blockCompressed*uint32(n%2), callPresent, 1, 0, 5, 0, 5)...)
	}
	data = append(data, block(blockCall, 0x11001)...)
	path = filepath.Join(t.TempDir(), "a.gfxr")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, data
}

func TestCapture_Frames(t *testing.T) {
	for _, c := range []struct{ first, last int }{{1, 1}, {1, 7}, {10, 14}, {3, 3}} {
		path, data := captureFile(t, c.first, c.last)
		got, err := openCapture(context.Background(), path)
		want := &capture{path: path, first: c.first, last: c.last, whole: int64(len(data))}
		if err != nil || *got != *want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	path, _ := captureFile(t, 1, 0)
	if _, err := openCapture(context.Background(), path); err == nil || !strings.Contains(err.Error(), "no frame") {
		t.Errorf("no frames: %v", err)
	}
}

// Wherever a capture ends, it is cut off or whole blocks are left; whatever its blocks
// are, reading ends.
func TestCapture_CutAnywhere(t *testing.T) {
	path, data := captureFile(t, 4, 6)
	ends := map[int]bool{}
	for at := 24; at < len(data); at += 12 + int(binary.LittleEndian.Uint64(data[at:])) {
		ends[at] = true
	}
	for n := range len(data) {
		if err := os.WriteFile(path, data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := readCapture(context.Background(), path)
		if n < 24 {
			if err == nil {
				t.Errorf("%d bytes: %+v", n, c)
			}
			continue
		}
		if err != nil || c.cut == ends[n] || c.whole > int64(n) || !ends[int(c.whole)] {
			t.Errorf("%d bytes: %+v, %v", n, c, err)
		}
	}
	for name, b := range map[string][]byte{
		"no size that there is": binary.LittleEndian.AppendUint32(bytes.Repeat([]byte{255}, 8), blockCall),
		"a type that is none":   block(200),
		"no type":               block(0),
		"arguments of 16 GiB":   block(blockCall|blockCompressed, callPresent, 1, 0, 0, 4, 5),
	} {
		if err := os.WriteFile(path, append(slices.Clone(data), b...), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openCapture(context.Background(), path); err == nil || !strings.Contains(err.Error(), fmt.Sprint("byte ", len(data))) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a killed program leaves is moved to its place without what is cut off.
func TestCapture_Captured(t *testing.T) {
	_, data := captureFile(t, 1, 3)
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "out.gfxr")
	if err := captured(context.Background(), folder, out, "5-9"); err == nil || !strings.Contains(err.Error(), "frame 5") || exists(out) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "capture_frames_1_through_3.gfxr"), data[:len(data)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := captured(context.Background(), folder, out, ""); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, data[:len(data)-16]) {
		t.Errorf("%v: %d bytes, want %d", err, len(got), len(data)-16)
	}
}

func TestCapture_Environment(t *testing.T) {
	got := captureEnvironment([]string{"A=b", "VK_INSTANCE_LAYERS=other", "GFXRECON_CAPTURE_FRAMES=1-2", "GFXRECON_CAPTURE_FILE_FLUSH=false", "GFXRECON_MEMORY_TRACKING_MODE=assisted"}, "/folder", "3-4")
	want := []string{"A=b", "GFXRECON_MEMORY_TRACKING_MODE=assisted", "VK_INSTANCE_LAYERS=" + captureLayer + ":other", "GFXRECON_CAPTURE_FILE=/folder/capture.gfxr",
		"GFXRECON_CAPTURE_FILE_TIMESTAMP=false", "GFXRECON_CAPTURE_FILE_FLUSH=true", "GFXRECON_CAPTURE_FRAMES=3-4", "GFXRECON_LOG_LEVEL=error"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	t.Setenv("VK_LAYER_PATH", t.TempDir())
	if _, ok := findLayer(captureLayer); ok {
		t.Error("a layer in an empty folder")
	}
	file := filepath.Join(os.Getenv("VK_LAYER_PATH"), "any.json")
	if err := os.WriteFile(file, []byte(`{"layer": {"name": "`+captureLayer+`", "api_version": "1.3.239"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	version, ok := findLayer(captureLayer)
	if !ok || version != "1.3.239" {
		t.Errorf("the layer is not found, or its version is %q", version)
	}
	for version, want := range map[string]bool{"1.3.239": false, "1.2.300": false, "1.3.240": true, "1.4.1": true, "": false, "x.y": false} {
		if got := knowsLater(version); got != want {
			t.Errorf("a layer of %q knows later extensions: %v", version, got)
		}
	}
	env := reduced([]string{"PUMICE_API_VERSION=1.1"})
	slices.Sort(env)
	if len(env) != 2 || env[0] != "PUMICE_API_VERSION=1.1" || !strings.Contains(env[1], "PUMICE_WITHOUT=VK_EXT_attachment_feedback_loop_dynamic_state,") {
		t.Errorf("%q", env)
	}
	if !strings.Contains(env[1], ",VK_EXT_swapchain_maintenance1,") { // whose fences are not replayed
		t.Errorf("present fences are recorded: %q", env)
	}
}

func TestRun_FlagsOfCapturesAndExplanations(t *testing.T) {
	standIn(t)
	t.Setenv("VK_LAYER_PATH", t.TempDir()) // no layer
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"run --capture a.gfxr -- true", exitFailure, "Debian's package gfxreconstruct"},
		{"run --frames 1-2 -- true", exitUsage, "--frames is for --capture"},
		{"run --capture a.gfxr --frames 0-2 -- true", exitUsage, "1 ≤ a ≤ b"},
		{"run --capture a.gfxr --frames 3-2 -- true", exitUsage, "1 ≤ a ≤ b"},
		{"run --capture a.gfxr --frames x -- true", exitUsage, "1 ≤ a ≤ b"},
		{"run --json -- true", exitUsage, "for --explain"},
		{"run --explain pixel=1,2 -- true", exitUsage, "want frame=N"},
		{"run --explain frame=0,pixel=1,2 -- true", exitUsage, "want frame=N"},
		{"run --explain frame=1,pixel=1,-2 -- true", exitUsage, "want frame=N"},
		{"run --explain frame=1,pixel=1,2 --explain frame=2,pixel=1,2 -- true", exitUsage, "one frame"},
		{"run --explain frame=1,pixel=1,2,shader -- true", exitFailure, "no explanation"},
		{"replay a.gfxr", exitUsage, "-o"},
		{"replay a.gfxr -o a.png --frame 0", exitUsage, "frames count from 1"},
		{"replay nosuch.gfxr -o a.png", exitFailure, "nosuch.gfxr: no such file"},
	} {
		code, out, errs := command(t, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.says) || strings.Count(errs, "\n") != 1 || out != "" {
			t.Errorf("%s: %d %q %q; want %d and %q", c.args, code, out, errs, c.code, c.says)
		}
	}
}

// pretended puts a gfxrecon-replay into PATH that does what a script says; $DIR is the
// folder it returns. It notes what it was asked in $DIR/asked.
func pretended(t *testing.T, script string) (dir string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the driver is for Linux")
	}
	standIn(t)
	dir = t.TempDir()
	script = "#!/bin/sh\necho \"$PUMICE_FRAME$PUMICE_EXPLAIN $*\" >> \"$DIR\"/asked\n" + script
	if err := os.WriteFile(filepath.Join(dir, "gfxrecon-replay"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DIR", dir)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	f, err := os.Create(filepath.Join(dir, "picture.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// asked are the lines that the pretended replay has noted, without file names.
func asked(t *testing.T, dir string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "asked"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " --wsi headless")
		lines = append(lines, line)
	}
	return lines
}

// What a replay that fails says becomes one line, and nothing is written.
func TestReplay_Failures(t *testing.T) {
	path, _ := captureFile(t, 10, 12)
	const write = "cp \"$DIR\"/picture.png \"${PUMICE_FRAME#*:}\"\n"
	for _, c := range []struct{ script, says string }{
		{write, ""},
		{write + "echo '[gfxrecon] ERROR - first'; echo '[gfxrecon] ERROR - second'; echo last; exit 3", "a.gfxr: gfxrecon-replay: first"},
		{"echo '[gfxrecon] INFO - on'; echo some last words; exit 3", "a.gfxr: gfxrecon-replay: some last words"},
		{"echo '[gfxrecon] ERROR - first'; echo 'pumice: PUMICE_FRAME: no room' >&2", "a.gfxr: PUMICE_FRAME: no room"},
		{"exit 0", "the replay did not present the frame"},
		{"kill -9 $$", "a.gfxr: gfxrecon-replay: signal: killed"},
		{"exec sleep 60", "--time-limit of 300ms passed while replaying"},
	} {
		dir := pretended(t, c.script)
		out := filepath.Join(t.TempDir(), "out.png")
		limit := "1m"
		if strings.HasPrefix(c.script, "exec") {
			limit = "300ms"
		}
		code, _, errs := command(t, "replay", path, "-o", out, "--frame", "11", "--time-limit", limit)
		if left, _ := os.ReadDir(filepath.Dir(out)); (code == 0) != (c.says == "") || !strings.Contains(errs, c.says) || (len(left) == 1) != (code == 0) || strings.Count(errs, "\n") != min(code, 1) {
			t.Errorf("%q: %d %q, left %v", c.script, code, errs, left)
		}
		if line := asked(t, dir)[0]; !strings.HasPrefix(line, "2:") { // frame 11 is the second of 10, 11, 12
			t.Errorf("%q: asked for %q", c.script, line)
		}
	}
}

// explained makes the JSON of a driver: an explanation of a sample of an image whose last
// event took the value from another.
func explained(t *testing.T, file string, list ...*explain.Explanation) {
	t.Helper()
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func taken(to explain.Target, kind explain.Kind, from *explain.Target) *explain.Explanation {
	return &explain.Explanation{Target: to, Events: []explain.Event{{Kind: explain.Load, Outcome: explain.Wrote}, {Kind: kind, Outcome: explain.Wrote, From: from}, {Kind: explain.Draw, Outcome: explain.Missed}}}
}

// Copies are followed to where the sample was drawn, in one replay for each step; the copy
// that the replay presents is left out.
func TestExplainCapture_FollowsCopies(t *testing.T) {
	dir := pretended(t, "case $PUMICE_EXPLAIN in *image=9*) f=draw;; *image=7*) f=copy;; *) f=shown;; esac\ncp \"$DIR/$f\" \"$PUMICE_EXPLAIN_OUT\"; cp \"$DIR/picture.png\" \"$PUMICE_EXPLAIN_OUT.png\"\n")
	path, _ := captureFile(t, 10, 12)
	shown := explain.Target{Image: "swapchain #3", Format: "F", Width: 3, Height: 2, X: 2, Y: 1}
	mine := shown
	mine.Image = "#7 (albedo)"
	far := explain.Target{Image: "#9", Format: "F", Width: 30, Height: 20, X: 4, Y: 5, Level: 1, Layer: 2, Sample: 3}
	presented := taken(shown, explain.Blit, &mine)
	presented.Events = presented.Events[1:] // nothing but the blit
	explained(t, filepath.Join(dir, "shown"), presented)
	explained(t, filepath.Join(dir, "copy"), taken(mine, explain.Copy, &far))
	explained(t, filepath.Join(dir, "draw"), taken(far, explain.Draw, nil))
	explain1 := func() (images []string) {
		w := &work{ctx: context.Background()}
		_ = os.Remove(filepath.Join(dir, "asked"))
		img, list, err := explainCapture(w, path, 12, []point{{x: 2, y: 1, shader: true}})
		if err != nil || img.Bounds() != image.Rect(0, 0, 3, 2) {
			t.Fatal(err)
		}
		for _, x := range list {
			images = append(images, x.Target.Image)
		}
		return images
	}
	if d := cmp.Diff([]string{"#7 (albedo)", "#9"}, explain1()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{
		"frame=3,pixel=2,1,sample=0,shader",
		"frame=3,pixel=2,1,sample=0,image=7,level=0,layer=0,shader",
		"frame=3,pixel=4,5,sample=3,image=9,level=1,layer=2,shader",
	}, asked(t, dir)); d != "" {
		t.Error(d)
	}

	// What the program draws upon its copy is its own work.
	explained(t, filepath.Join(dir, "shown"), taken(shown, explain.Draw, nil))
	if d := cmp.Diff([]string{"swapchain #3"}, explain1()); d != "" {
		t.Error(d)
	}

	// The samples that were resolved come with the resolve.
	sample0, sample1 := far, far
	sample0.Sample, sample1.Sample = 0, 1
	explained(t, filepath.Join(dir, "shown"), taken(shown, explain.Resolve, &sample0), taken(sample0, explain.Draw, nil), taken(sample1, explain.Draw, nil))
	if d := cmp.Diff([]string{"swapchain #3", "#9", "#9"}, explain1()); d != "" {
		t.Error(d)
	}
	if n := len(asked(t, dir)); n != 1 {
		t.Errorf("%d replays for a resolve", n)
	}

	// A circle has an end.
	explained(t, filepath.Join(dir, "shown"), taken(shown, explain.Copy, &far))
	explained(t, filepath.Join(dir, "draw"), taken(far, explain.Copy, &far))
	if n := len(explain1()); n != maxHops+1 {
		t.Errorf("%d explanations of a circle", n)
	}
}

func TestDiffCaptures_FirstEvents(t *testing.T) {
	event := func(after string) explain.Event {
		return explain.Event{Kind: explain.Draw, Outcome: explain.Wrote, Where: after, After: explain.Value{Bits: after}}
	}
	chain := func(parts ...string) (list []*explain.Explanation) { // each a letter an event
		for _, part := range parts {
			x := &explain.Explanation{}
			for _, e := range part {
				x.Events = append(x.Events, event(string(e)))
			}
			list = append(list, x)
		}
		return list
	}
	name := func(e *explain.Event) string {
		if e == nil {
			return "-"
		}
		return e.Where
	}
	for _, c := range []struct {
		a, b []string
		want string
	}{
		{[]string{"abc"}, []string{"abc"}, "--"},
		{[]string{"abc"}, []string{"axc"}, "bx"},
		{[]string{"ab"}, []string{"abc"}, "-c"},
		{[]string{"xc", "ab"}, []string{"yc", "ab"}, "xy"}, // what was drawn first stands behind
		{[]string{"c", "ab"}, []string{"c", "xb"}, "ax"},
		{nil, []string{"a"}, "-a"},
	} {
		if x, y := firstEvents(chain(c.a...), chain(c.b...)); name(x)+name(y) != c.want {
			t.Errorf("%q, %q: %s%s, want %s", c.a, c.b, name(x), name(y), c.want)
		}
	}
}
