package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func replayCommand() *cobra.Command {
	var output string
	var frame int
	var l limits
	cmd := &cobra.Command{
		Use:   "replay FILE.gfxr -o out.png",
		Short: "Replay a capture and write the picture of a frame",
		Long: "replay runs what `pumice run --capture` has recorded once more on Pumice's Vulkan driver, without a window,\n" +
			"and writes the picture of a frame: the same bytes on every machine, with any number of threads.\n" +
			"Frames have the numbers that they had in the program, from 1 on. Replaying is done by gfxrecon-replay of\n" +
			"Debian's package " + capturePackage + ".",
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return usagef("name the picture with -o")
			}
			if cmd.Flags().Changed("frame") && frame < 1 {
				return usagef("--frame %d: frames count from 1", frame)
			}
			w, err := l.begin(cmd.Context(), 0)
			if err != nil {
				return err
			}
			return w.end(replayMain(w, args[0], output, frame))
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "the picture to write, a PNG")
	cmd.Flags().IntVar(&frame, "frame", 0, "the frame to show (default: the last)")
	l.add(cmd)
	return cmd
}

func replayMain(w *work, path, output string, frame int) error {
	p, err := newReplay(w, path)
	if err != nil {
		return err
	}
	defer p.close()
	if frame, err = p.number(frame); err != nil {
		return err
	}
	picture, err := p.picture(w, frame)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(picture)
	if err != nil {
		return err
	}
	err = replaceFile(output, 0o644, func(to io.Writer) error {
		_, err := contextWriter{w.ctx, to}.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", output, cause(err))
	}
	return nil
}

// replay is a capture that can be replayed, as often as one likes.
type replay struct {
	*capture
	tool, manifest, folder string
}

// newReplay looks at a capture, and for what replays it. The caller closes it.
func newReplay(w *work, path string) (*replay, error) {
	if err := linuxOnly("replaying a capture"); err != nil {
		return nil, err
	}
	w.doing = "reading " + path
	c, err := openCapture(w.ctx, path)
	if err != nil {
		return nil, err
	}
	p := &replay{capture: c}
	if p.tool, err = exec.LookPath("gfxrecon-replay"); err != nil {
		return nil, fmt.Errorf("no gfxrecon-replay to replay %s with; install Debian's package %s", path, capturePackage)
	}
	w.doing = "building the driver"
	library, err := findDriver(w.ctx, os.Stderr)
	if err != nil {
		return nil, err
	}
	if p.manifest, err = manifestFor(library); err != nil {
		return nil, err
	}
	p.folder, err = os.MkdirTemp("", "pumice-replay-*")
	return p, err
}

func (p *replay) close() { _ = os.RemoveAll(p.folder) }

// file is the name for a file that goes when the replay is closed.
func (p *replay) file(name string) string { return filepath.Join(p.folder, name) }

// number checks a frame of the capture; 0 is the last.
func (p *replay) number(frame int) (int, error) {
	if frame == 0 {
		return p.last, nil
	}
	if frame < p.first || frame > p.last {
		return 0, usagef("--frame %d: %s holds %s", frame, p.path, p.frames())
	}
	return frame, nil
}

// counted is a frame's number in a replay, where the first of the capture is 1.
func (p *replay) counted(frame int) int { return frame - p.first + 1 }

// replayStalled is how long a replay may do nothing at all, not even compute.
const replayStalled = 10 * time.Second

// run replays up to a frame. It is an error if one of the files that the driver is to
// write is not there afterwards.
func (p *replay) run(ctx context.Context, until int, files []string, env ...string) error {
	path, err := filepath.Abs(p.path)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	args := []string{"--wsi", "headless", "--remove-unsupported"} // loaders know different extensions
	if until < p.last {
		args = append(args, "--measurement-frame-range", fmt.Sprintf("1-%d", p.counted(until)+1), "--quit-after-measurement-range")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	said := &tail{}
	cmd := exec.CommandContext(ctx, p.tool, append(args, path)...)
	cmd.Dir = p.folder // newer versions leave measurements in it
	cmd.Env = append(replayEnvironment(driverEnvironment(os.Environ(), p.manifest)), env...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = said, said, 10*time.Second
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", p.tool, cause(err))
	}
	go watchStall(ctx, cancel, cmd.Process.Pid)
	err = cmd.Wait()
	switch {
	case errors.Is(context.Cause(ctx), errStalled):
		return fmt.Errorf("%s: %w", p.path, errStalled)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		if reason := said.reason(); reason != "" {
			return fmt.Errorf("%s: gfxrecon-replay: %s", p.path, reason)
		}
		return fmt.Errorf("%s: gfxrecon-replay: %w", p.path, err)
	}
	for _, f := range files {
		if !exists(f) {
			reason, ok := said.driver()
			if !ok {
				reason = "the replay did not present the frame"
			}
			return fmt.Errorf("%s: %s", p.path, reason)
		}
	}
	return nil
}

// replayEnvironment is env without layers, and without what a driver that draws for
// somebody else is asked.
func replayEnvironment(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE", "PUMICE_FRAME", "PUMICE_FRAMES", "PUMICE_EXPLAIN", "PUMICE_EXPLAIN_OUT":
			return true
		}
		return strings.HasPrefix(name, "GFXRECON_")
	})
}

var errStalled = fmt.Errorf("damaged: its replay waits for something that never comes")

// watchStall gives up on a process that waits for something which a damaged capture
// does not have: it has computed nothing for a while.
func watchStall(ctx context.Context, cancel context.CancelCauseFunc, pid int) {
	const every = time.Second
	last, still := "", time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil { // ended, or no Linux
			continue
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 13 {
			return
		}
		now := fields[11] + " " + fields[12] // the time that it has computed, in itself and in the kernel
		if still += every; now != last {
			last, still = now, 0
		}
		if still >= replayStalled {
			cancel(errStalled)
			return
		}
	}
}

// tail keeps the end of what a tool says.
type tail struct{ said []byte }

func (t *tail) Write(b []byte) (int, error) {
	const most = 64 << 10
	t.said = append(t.said, b...)
	if len(t.said) > 2*most {
		t.said = append([]byte(nil), t.said[len(t.said)-most:]...)
	}
	return len(b), nil
}

// reason is the line that says why a replay failed: the driver's, or else the first error
// of gfxreconstruct, or else the last line.
func (t *tail) reason() string {
	if text, ok := t.driver(); ok {
		return text
	}
	found, last := "", ""
	for line := range strings.Lines(string(t.said)) {
		if line = strings.TrimSpace(line); line != "" {
			last = shortLine(line)
		}
		for _, level := range []string{"ERROR", "FATAL"} {
			if text, ok := strings.CutPrefix(line, "[gfxrecon] "+level+" - "); ok && found == "" {
				found = shortLine(text)
			}
		}
	}
	if found == "" {
		return last
	}
	return found
}

// driver is the first line of the driver.
func (t *tail) driver() (string, bool) {
	for line := range strings.Lines(string(t.said)) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "pumice: "); ok {
			return shortLine(strings.TrimPrefix(text, "PUMICE_EXPLAIN: ")), true // which the user has not set
		}
	}
	return "", false
}

// shortLine is a line that is printable and not too long.
func shortLine(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), 300)], "")
	if q := strconv.Quote(s); q != `"`+s+`"` && strings.ContainsAny(q, "\\") {
		s = strings.Trim(q, `"`)
	}
	return s
}
