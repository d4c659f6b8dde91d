package main

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/webp"

	"github.com/pumice-gpu/pumice/imagefile/encode"
)

var small = []string{"--width", "16", "--height", "12"}

// piped runs the command in a process with the model on its standard input.
func piped(t *testing.T, input string, args ...string) (code int, out []byte, stderr string) {
	t.Helper()
	cmd, errs := process(t, append(args, small...)...)
	var stdout bytes.Buffer
	cmd.Stdin, cmd.Stdout = strings.NewReader(input), &stdout
	_ = cmd.Run() // the exit code tells
	return cmd.ProcessState.ExitCode(), stdout.Bytes(), errs.String()
}

func TestRender_FromPipeToPipe(t *testing.T) {
	code, out, stderr := piped(t, triangleModel, "render", "-", "-o", "-")
	if code != 0 {
		t.Fatal(stderr)
	}
	img, err := png.Decode(bytes.NewReader(out))
	if err != nil || img.Bounds().Dx() != 16 || img.Bounds().Dy() != 12 {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "out.png")
	if code, _, stderr := command(t, append([]string{"render", writeModel(t, triangleModel), "-o", file}, small...)...); code != 0 {
		t.Fatal(stderr)
	}
	if same, err := os.ReadFile(file); err != nil || !bytes.Equal(same, out) {
		t.Errorf("from file to file it is another picture: %v", err)
	}
	if code, out, stderr = piped(t, triangleModel, "render", "-", "-o", "-", "--format", "rgba", "--turntable", "3"); code != 0 || len(out) != 3*16*12*4 {
		t.Errorf("%d: %d bytes of raw frames: %s", code, len(out), stderr)
	}
	if code, out, stderr = piped(t, triangleModel, "render", "-", "-o", "-", "--format", "rgba"); code != 0 {
		t.Fatal(stderr)
	}
	frames := out
	if code, out, stderr = piped(t, triangleModel, "render", "-", "-o", "-", "--format", "webp"); code != 0 {
		t.Fatal(stderr)
	}
	lossless, err := webp.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 16 * 12 {
		r, _, _, a := lossless.At(i%16, i/16).RGBA()
		if want := frames[4*i : 4*i+4]; byte(a>>8) != want[3] || want[3] == 255 && byte(r>>8) != want[0] {
			t.Fatalf("pixel %d: %v %v, raw %v", i, r>>8, a>>8, want)
		}
	}
}

func TestRender_BadPipes(t *testing.T) {
	for want, c := range map[string]struct {
		input string
		args  []string
		code  int
	}{
		"standard input: ":                        {"no model", []string{"render", "-", "-o", "-"}, exitFailure},
		"raise --memory-limit":                    {strings.Repeat(" ", 200<<20), []string{"render", "-", "-o", "-", "--memory-limit", "100MiB"}, exitFailure},
		"both want standard output":               {triangleModel, []string{"render", "-", "-o", "-", "--json"}, exitUsage},
		"is one for all frames":                   {triangleModel, []string{"render", "-", "-o", "-", "--turntable", "4", "--shard", "1/2"}, exitUsage},
		"standard input: buffers[0]":              {strings.Replace(triangleModel, `"uri":"data`, `"uri":"x-`, 1), []string{"render", "-", "-o", "-"}, exitFailure},
		"--quality is for JPEG":                   {triangleModel, []string{"render", "-", "-o", "-", "--quality", "3"}, exitUsage},
		"--float32 is for EXR":                    {triangleModel, []string{"render", "-", "-o", "-", "--float32"}, exitUsage},
		`--format "gif": want one of png, jpeg, `: {triangleModel, []string{"render", "-", "-o", "-", "--format", "gif"}, exitUsage},
	} {
		code, out, stderr := piped(t, c.input, c.args...)
		checkFailure(t, code, c.code, stderr)
		if !strings.Contains(stderr, want) || len(out) != 0 {
			t.Errorf("%q, want %q; %d bytes are written", stderr, want, len(out))
		}
	}
}

// Every format is written by its suffix.
func TestRender_FormatsBySuffix(t *testing.T) {
	model, dir := writeModel(t, triangleModel), t.TempDir()
	for suffix, begins := range map[string]string{
		"png": "\x89PNG", "jpg": "\xff\xd8\xff", "webp": "RIFF", "ktx2": "\xABKTX 20", "exr": "\x76\x2f\x31\x01", "rgba": "", "apng": "\x89PNG",
	} {
		out := filepath.Join(dir, "out."+suffix)
		args := append([]string{"render", model, "-o", out}, small...)
		if suffix == "apng" {
			args = append(args, "--turntable", "3")
		}
		if code, _, stderr := command(t, args...); code != 0 {
			t.Errorf("%s: %s", suffix, stderr)
		}
		data, err := os.ReadFile(out)
		if err != nil || !strings.HasPrefix(string(data), begins) || suffix == "apng" && !strings.Contains(string(data), "acTL\x00\x00\x00\x03") {
			t.Errorf("%s: %.20q, %v", suffix, data, err)
		}
	}
	if got := names(t, dir); got != "out.apng out.exr out.jpg out.ktx2 out.png out.rgba out.webp" {
		t.Error(got)
	}
}

// A full disk ends the command with one line, a reader that has gone with none; both leave nothing.
func TestRender_OutputThatCannotBeWritten(t *testing.T) {
	unwritable := unwritableFiles(t)
	model, dir := writeModel(t, triangleModel), t.TempDir()
	for says, out := range unwritable {
		for _, more := range [][]string{{"--format", "png"}, {"--format", "exr"}, {"--format", "apng", "--turntable", "3"}, {"--format", "rgba", "--turntable", "3"}} {
			cmd, stderr := process(t, append(append([]string{"render", model, "-o", "-"}, small...), more...)...)
			cmd.Stdout = out
			_ = cmd.Run()
			checkUnwritten(t, strings.Join(more, " "), says, cmd.ProcessState.ExitCode(), stderr.String())
		}
	}
	if err := os.Symlink("/dev/full", filepath.Join(dir, "full.apng")); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := command(t, append([]string{"render", model, "-o", filepath.Join(dir, "full.apng"), "--turntable", "2"}, small...)...)
	checkFailure(t, code, exitFailure, stderr)
	if got := names(t, dir); got != "full.apng" {
		t.Errorf("left: %s", got)
	}
	if os.Geteuid() > 0 {
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(dir, 0o700)
		code, _, stderr := command(t, append([]string{"render", model, "-o", filepath.Join(dir, "new.png")}, small...)...)
		checkFailure(t, code, exitFailure, stderr)
	}
}

// ^C ends the command with 130, one short line, and no file; also where it waits for its
// input.
func TestRender_Interrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes of Windows get no signals")
	}
	dir := t.TempDir()
	for name, args := range map[string][]string{
		"drawing": {"render", "-o", filepath.Join(dir, "out.png"), "--width", "4096", "--height", "4096", "--samples", "8", "--time-limit", "10m"},
		"waiting": {"render", "-", "-o", filepath.Join(dir, "out.apng")},
	} {
		cmd, stderr := process(t, args...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		up, theirs, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer up.Close()
		cmd.Env, cmd.ExtraFiles = append(cmd.Env, "PUMICE_TEST_COMMAND=interrupted"), []*os.File{theirs}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		theirs.Close()
		_, _ = up.Read(make([]byte, 1)) // until it has closed its end
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		// The signal comes again until the command itself listens.
		for waited := false; !waited; {
			select {
			case <-done:
				waited = true
			case <-time.After(20 * time.Millisecond):
				_ = cmd.Process.Signal(os.Interrupt)
			}
		}
		in.Close()
		checkFailure(t, cmd.ProcessState.ExitCode(), 130, stderr.String())
		if stderr.String() != "pumice: interrupted\n" {
			t.Errorf("%s: %q", name, stderr)
		}
		if got := names(t, dir); got != "" {
			t.Errorf("%s: left: %s", name, got)
		}
	}
}

// Standard input that says nothing does not outlive its context.
func TestPatientReader_EndsWithItsContext(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (patientReader{ctx, r}).Read(make([]byte, 8)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// An animation that fails on its way leaves no file.
func TestSequence_AnimationIsWholeOrNot(t *testing.T) {
	dir := t.TempDir()
	s := sequence{pictures: pictures{output: filepath.Join(dir, "a.apng"), as: encode.APNG}, frames: 3, fps: 30}
	broken := errors.New("broken")
	err := s.write(t.Context(), shard{0, 1}, nil, func(frame int) (picture, error) {
		if frame == 2 {
			return picture{}, broken
		}
		return picture{finished: image.NewNRGBA(image.Rect(0, 0, 4, 4))}, nil
	}, func(string) {})
	if !errors.Is(err, broken) || names(t, dir) != "" {
		t.Errorf("%v; left: %s", err, names(t, dir))
	}
}

func TestCommands_DidYouMean(t *testing.T) {
	for want, args := range map[string][]string{
		"did you mean render?":                      {"rendr"},
		"did you mean verify?":                      {"frames", "verfy"},
		"did you mean --width?":                     {"render", "--widht", "3"},
		"did you mean --memory-limit?":              {"render", "--memory", "3"},
		`unknown command "zzz" for "pumice"` + "\n": {"zzz"},
		"unknown flag: --zzzzz\n":                   {"render", "--zzzzz"},
	} {
		code, _, stderr := command(t, args...)
		checkFailure(t, code, exitUsage, stderr)
		if !strings.Contains(stderr, want) {
			t.Errorf("%q, want %q", stderr, want)
		}
	}
}
