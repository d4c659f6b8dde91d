package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pumice-gpu/pumice/internal/input/bomb"
)

// What folders of strangers may hold does not keep the rest from being drawn, and the run
// from ending.
func TestThumbnails_HostileFolder(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	put(t, triangleModel, in, "good.gltf")
	put(t, "", in, "empty.glb")
	put(t, "glTF\x02\x00\x00\x00\xff\xff\xff\x7f", in, "cut.glb")
	put(t, triangleModel, in, "sub", "good.gltf")
	if err := os.Symlink("..", filepath.Join(in, "sub", "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("self.glb", filepath.Join(in, "self.glb")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(in, "lost.glb")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(in, "pipe.glb"), 0o600); err != nil {
		t.Fatal(err)
	}
	huge := put(t, "", in, "huge.glb")
	if err := os.Truncate(huge, 10<<30); err != nil {
		t.Skip(err)
	}
	want := map[string]struct{ status, reason string }{
		"good.gltf":     {drawn, ""},
		"sub/good.gltf": {drawn, ""},
		"empty.glb":     {failed, "empty.glb: "},
		"cut.glb":       {failed, "cut.glb: "},
		"huge.glb":      {failed, "needs 10.00 GiB"},
		"self.glb":      {failed, "too many levels of symbolic links"},
		"lost.glb":      {skipped, "a link to nothing"},
		"pipe.glb":      {skipped, "not a regular file"},
		"sub/loop":      {skipped, "a link to a folder"},
	}
	if os.Geteuid() > 0 {
		locked := put(t, triangleModel, in, "locked.gltf")
		if err := os.Chmod(locked, 0); err != nil {
			t.Fatal(err)
		}
		want["locked.gltf"] = struct{ status, reason string }{failed, "permission denied"}
	}
	lines, sum := thumbnailLines(t, 1, in, "-o", out)
	for _, l := range lines {
		name, _ := filepath.Rel(in, l.Model)
		w, ok := want[name]
		if !ok || l.Status != w.status || !strings.Contains(l.Reason, w.reason) || strings.Contains(l.Reason, "\n") || (l.File != "") != (w.status == drawn) {
			t.Errorf("%s: %+v, want %+v", name, l, w)
		}
		delete(want, name)
	}
	if len(want) != 0 || sum.Drawn != 2 || sum.Skipped != 3 {
		t.Errorf("not told: %v; %+v", want, sum)
	}
	if got := files(t, out); !slices.Equal(got, []string{"good.gltf.png", "sub/good.gltf.png"}) {
		t.Errorf("written: %v", got)
	}
	code, stdout, stderr := command(t, "thumbnails", in, "-o", out)
	if code != 1 || !strings.Contains(stdout, "0 drawn, 2 up to date, 3 skipped, ") || !strings.Contains(stderr, "pipe.glb: skipped: not a regular file") || !strings.Contains(stderr, "empty.glb: ") {
		t.Errorf("%d\n%s%s", code, stdout, stderr)
	}
}

// Models that fit one at a time, but not beside each other, are all drawn.
func TestThumbnails_MemoryForOneAtATime(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	heavy := string(modelWith(textured(bomb.PNG(1800, 1800, 8, 2, false, nil), "heavy")))
	for i := range 4 {
		put(t, heavy, in, fmt.Sprintf("m%d.gltf", i))
	}
	// A picture of 1800 × 1800 texels and its levels on the device are 28 MiB, the studio and
	// what a process is charged for 40.
	_, sum := thumbnailLines(t, 0, in, "-o", out, "--memory-limit", "90MiB", "--jobs", "4", "--threads", "2")
	if sum.Drawn != 4 {
		t.Errorf("%+v", sum)
	}
}
