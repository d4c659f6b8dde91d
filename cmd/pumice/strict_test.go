package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lossyModel is the test's triangle with an extension that changes its picture.
func lossyModel(t *testing.T) string {
	t.Helper()
	text := strings.Replace(triangleModel, `"asset"`, `"extensionsUsed":["ACME_glitter"],"extensions":{"ACME_glitter":{}},"asset"`, 1)
	return writeModel(t, text)
}

func TestStrict_ALossIsExitCode1(t *testing.T) {
	model, out := lossyModel(t), filepath.Join(t.TempDir(), "out.png")
	line := []string{"render", model, "-o", out, "--width", "16", "--height", "16"}
	code, _, stderr := command(t, append(line, "--strict")...)
	checkFailure(t, code, exitFailure, stderr)
	if !strings.Contains(stderr, `"ACME_glitter" is not supported`) {
		t.Errorf("the loss is not named: %s", stderr)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a picture was written")
	}
	if code, _, stderr := command(t, line...); code != 0 || !strings.Contains(stderr, "pumice: warning: ") {
		t.Errorf("without --strict: exit code %d, %q", code, stderr)
	}
	if code, _, stderr := command(t, "render", writeModel(t, triangleModel), "-o", out, "--width", "16", "--height", "16", "--strict"); code != 0 {
		t.Errorf("a model without losses: exit code %d, %q", code, stderr)
	}
	code, stdout, stderr := command(t, "info", model, "--strict")
	checkFailure(t, code, exitFailure, stderr)
	if !strings.Contains(stdout, "loss        ") {
		t.Errorf("the loss is not listed:\n%s", stdout)
	}
}

// The variants of a model are named where one is asked for that it has not.
func TestVariant_ByName(t *testing.T) {
	model := filepath.Join("..", "..", "gltf", "testdata", "compressed", "draco-sequential.glb")
	dir := t.TempDir()
	picture := func(name string, more ...string) string {
		out := filepath.Join(dir, name)
		if code, _, stderr := command(t, append([]string{"render", model, "-o", out, "--width", "32", "--height", "32"}, more...)...); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if own, warm, cold := picture("a.png"), picture("b.png", "--variant", "warm"), picture("c.png", "--variant", "cold"); own == warm || warm == cold || own == cold {
		t.Error("variants draw the same picture")
	}
	code, _, stderr := command(t, "render", model, "-o", filepath.Join(dir, "d.png"), "--variant", "hot")
	checkFailure(t, code, exitUsage, stderr)
	if !strings.Contains(stderr, `["warm" "cold"]`) {
		t.Errorf("the variants are not named: %s", stderr)
	}
	code, stdout, stderr := command(t, "info", model)
	if code != 0 || !strings.Contains(stdout, `variant     1: "cold"`) {
		t.Errorf("exit code %d, %s:\n%s", code, stderr, stdout)
	}
}

func TestStrict_ThumbnailsOfLossesFail(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	put(t, triangleModel, in, "whole.gltf")
	text, err := os.ReadFile(lossyModel(t))
	if err != nil {
		t.Fatal(err)
	}
	put(t, string(text), in, "lossy.gltf")
	if _, sum := thumbnailLines(t, exitFailure, in, "-o", out, "--strict"); sum.Drawn != 1 || sum.Failed != 1 {
		t.Errorf("%+v", sum)
	}
	if got := files(t, out); len(got) != 1 || got[0] != "whole.gltf.png" {
		t.Errorf("written: %v", got)
	}
	if _, sum := thumbnailLines(t, 0, in, "-o", out); sum.Drawn != 1 || sum.UpToDate != 1 {
		t.Errorf("without --strict: %+v", sum)
	}
}
