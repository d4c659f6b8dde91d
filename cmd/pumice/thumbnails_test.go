package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// put writes a file and the folders that it is in.
func put(t *testing.T, text string, parts ...string) string {
	t.Helper()
	path := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// thumbnailLines runs pumice thumbnails --json and returns its lines, the last one apart.
func thumbnailLines(t *testing.T, want int, args ...string) (lines []thumbnail, sum thumbnailSummary) {
	t.Helper()
	code, stdout, stderr := command(t, append([]string{"thumbnails", "--json", "--size", "16"}, args...)...)
	if code != want {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	scanner := bufio.NewScanner(strings.NewReader(stdout))
	for scanner.Scan() {
		if rest, ok := strings.CutPrefix(scanner.Text(), `{"summary":`); ok {
			if err := json.Unmarshal([]byte(strings.TrimSuffix(rest, "}")), &sum); err != nil {
				t.Fatal(err)
			}
			continue
		}
		var l thumbnail
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			t.Fatalf("%s: %v", scanner.Text(), err)
		}
		lines = append(lines, l)
	}
	return lines, sum
}

// files lists what is below a folder, with slashes.
func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			relative, _ := filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(relative))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Folders stay as they are, files of one name beside each other have a picture each, what is
// no model is left alone.
func TestThumbnails_OnePictureAModel(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	for _, name := range []string{"a.gltf", "sub/deep/b.gltf", "sub/B.GLTF", "z.GLB"} {
		put(t, triangleModel, in, name)
	}
	put(t, triangleModel, in, "a.glb") // told apart by content
	put(t, "notes", in, "read.me")
	lines, sum := thumbnailLines(t, 0, in, "-o", out)
	want := []string{"a.glb.png", "a.gltf.png", "sub/B.GLTF.png", "sub/deep/b.gltf.png", "z.GLB.png"}
	if got := files(t, out); !slices.Equal(got, want) {
		t.Errorf("written: %v, want %v", got, want)
	}
	if len(lines) != 5 || sum.Drawn != 5 || !slices.IsSortedFunc(lines, func(a, b thumbnail) int { return strings.Compare(a.Model, b.Model) }) {
		t.Errorf("%+v, %+v", lines, sum)
	}
	f, err := os.Open(filepath.Join(out, "a.gltf.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if img, err := png.Decode(f); err != nil || img.Bounds().Dx() != 16 || img.Bounds().Dy() != 16 {
		t.Errorf("%v", err)
	}
	again, sum := thumbnailLines(t, 0, in, "-o", out)
	if sum.UpToDate != 5 || again[0].Status != upToDate {
		t.Errorf("the second time: %+v", sum)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(in, "z.GLB"), later, later); err != nil {
		t.Fatal(err)
	}
	if _, sum = thumbnailLines(t, 0, in, "-o", out); sum.UpToDate != 4 || sum.Drawn != 1 {
		t.Errorf("after a change: %+v", sum)
	}
	if _, sum = thumbnailLines(t, 0, in, "-o", out, "--force"); sum.Drawn != 5 {
		t.Errorf("with --force: %+v", sum)
	}
}

// Shares are apart and together everything, with the same bytes.
func TestThumbnails_SharesCoverAllOnce(t *testing.T) {
	in, whole, shared := t.TempDir(), t.TempDir(), t.TempDir()
	for i := range 7 {
		put(t, triangleModel, in, fmt.Sprint(i%2), fmt.Sprintf("m%d.gltf", i))
	}
	thumbnailLines(t, 0, in, "-o", whole, "--format", "webp")
	drawn := 0
	for _, share := range []string{"1/3", "2/3", "3/3"} {
		_, sum := thumbnailLines(t, 0, in, "-o", shared, "--format", "webp", "--shard", share)
		drawn += sum.Drawn
	}
	list := files(t, whole)
	if drawn != 7 || len(list) != 7 || !slices.Equal(files(t, shared), list) {
		t.Fatalf("%d drawn: %v, %v", drawn, list, files(t, shared))
	}
	for _, name := range list {
		a, _ := os.ReadFile(filepath.Join(whole, name))
		b, _ := os.ReadFile(filepath.Join(shared, name))
		if len(a) == 0 || string(a) != string(b) {
			t.Errorf("%s differs", name)
		}
	}
}

// Two folders of one name, and files named themselves, have pictures of their own.
func TestThumbnails_SeveralFolders(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	a, b := filepath.Join(in, "1", "same"), filepath.Join(in, "2", "same")
	put(t, triangleModel, a, "m.gltf")
	put(t, triangleModel, b, "m.gltf")
	own := put(t, triangleModel, in, "m.gltf")
	thumbnailLines(t, 0, a, b, own, "-o", out)
	if got, want := files(t, out), []string{"m.gltf.png", "same/m.gltf.png", "same-2/m.gltf.png"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A model that takes too long is given up, the others are drawn.
func TestThumbnails_TimeOfAFile(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	put(t, triangleModel, in, "a.gltf")
	lines, _ := thumbnailLines(t, 1, in, "-o", out, "--file-time-limit", "1ns")
	if len(lines) != 1 || lines[0].Status != failed || !strings.Contains(lines[0].Reason, "a.gltf: --file-time-limit of 1ns passed") {
		t.Errorf("%+v", lines)
	}
	if got := files(t, out); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

// A picture that lacks something is a picture, and with --strict a failure.
func TestThumbnails_Strict(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	lacking := strings.Replace(triangleModel, `"asset"`, `"extensionsUsed":["EXT_unheard_of"],"asset"`, 1)
	put(t, strings.Replace(lacking, `"POSITION":0}`, `"POSITION":0},"extensions":{"EXT_unheard_of":{}}`, 1), in, "a.gltf")
	lines, sum := thumbnailLines(t, 0, in, "-o", out)
	if sum.Drawn != 1 || len(lines[0].Losses) != 1 || !strings.Contains(lines[0].Losses[0], "EXT_unheard_of") {
		t.Errorf("%+v", lines)
	}
	lines, _ = thumbnailLines(t, 1, in, "-o", out, "--strict", "--force")
	if lines[0].Status != failed || !strings.Contains(lines[0].Reason, "--strict: ") || !strings.Contains(lines[0].Reason, "EXT_unheard_of") {
		t.Errorf("%+v", lines)
	}
}

func TestThumbnails_BadCommandLines(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	for name, args := range map[string][]string{
		"no folder":    {"-o", out},
		"no output":    {in},
		"bad format":   {in, "-o", out, "--format", "gif"},
		"bad size":     {in, "-o", out, "--size", "0"},
		"bad shard":    {in, "-o", out, "--shard", "4/3"},
		"bad quality":  {in, "-o", out, "--quality", "50"},
		"bad samples":  {in, "-o", out, "--samples", "2"},
		"unknown flag": {in, "-o", out, "--sise", "3"},
	} {
		code, _, stderr := command(t, append([]string{"thumbnails"}, args...)...)
		checkFailure(t, code, exitUsage, stderr)
		if name == "unknown flag" && !strings.Contains(stderr, "did you mean --size?") {
			t.Errorf("%s", stderr)
		}
	}
	code, _, stderr := command(t, "thumbnails", filepath.Join(in, "none"), "-o", out)
	checkFailure(t, code, exitFailure, stderr)
}
