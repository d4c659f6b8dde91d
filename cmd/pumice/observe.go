package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice/explain"
)

// observed is what `pumice run` tells of a program while it runs, or keeps of it.
type observed struct {
	capture, frames string
	explain         []string
	verbose, json   bool
}

func (o *observed) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.capture, "capture", "", "record PROGRAM into this file (Debian's package "+capturePackage+" has the layer)")
	f.StringVar(&o.frames, "frames", "", "record frames A-B alone, and what they need")
	f.StringArrayVar(&o.explain, "explain", nil, "explain a pixel of a frame: frame=N,pixel=X,Y[,shader]; again for more pixels of the frame")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "explain with all steps")
	f.BoolVar(&o.json, "json", false, "explain as JSON")
}

func (o *observed) asked() bool { return o.capture != "" || len(o.explain) > 0 }

var explainFlag = regexp.MustCompile(`^(frame=[1-9]\d{0,8}),(pixel=\d{1,5},\d{1,5}(,shader)?)$`)

// check looks at the flags, before anything is built or started.
func (o *observed) check() (err error) {
	if o.frames != "" && o.capture == "" {
		return usagef("--frames is for --capture")
	}
	if o.frames != "" {
		if o.frames, err = parseFrames("--frames", o.frames); err != nil {
			return err
		}
	}
	if len(o.explain) == 0 && (o.verbose || o.json) {
		return usagef("-v and --json are for --explain")
	}
	_, err = o.request()
	if err != nil || o.capture == "" {
		return err
	}
	if _, ok := findLayer(captureLayer); !ok {
		return fmt.Errorf("--capture takes the layer %s; install Debian's package %s", captureLayer, capturePackage)
	}
	return nil
}

// request is what PUMICE_EXPLAIN is to say.
func (o *observed) request() (string, error) {
	frame, pixels := "", []string(nil)
	for _, s := range o.explain {
		m := explainFlag.FindStringSubmatch(s)
		switch {
		case m == nil:
			return "", usagef("--explain %q: want frame=N,pixel=X,Y, frames from 1 on, and shader behind it where that is to be shown", s)
		case frame != "" && frame != m[1]:
			return "", usagef("--explain %q: all pixels are of one frame, %s", s, frame)
		}
		frame, pixels = m[1], append(pixels, m[2])
	}
	return frame + "," + strings.Join(pixels, ";"), nil
}

// run runs the program and does what was asked. The error is the program's exit code, if
// that is not 0, and what could not be done otherwise.
func (o *observed) run(ctx context.Context, program string, args, env []string, in io.Reader, out, errs io.Writer) (err error) {
	var folder, told string
	if o.capture != "" {
		o.capture = filepath.Clean(o.capture)
		if at, err := os.Stat(o.capture); err == nil && !at.Mode().IsRegular() {
			return usagef("--capture %s: not a file", o.capture)
		}
		if folder, err = os.MkdirTemp(filepath.Dir(o.capture), "."+filepath.Base(o.capture)+".*"); err != nil {
			return fmt.Errorf("%s: cannot write: %w", o.capture, cause(err))
		}
		defer os.RemoveAll(folder)
		if folder, err = filepath.Abs(folder); err != nil {
			return err
		}
		env = captureEnvironment(env, folder, o.frames)
		if version, _ := findLayer(captureLayer); !knowsLater(version) {
			env = reduced(env)
		}
	}
	if len(o.explain) > 0 {
		at, err := os.MkdirTemp("", "pumice-explain-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(at)
		request, err := o.request()
		if err != nil {
			return err
		}
		told = filepath.Join(at, "explained")
		env = append(env, "PUMICE_EXPLAIN="+request, "PUMICE_EXPLAIN_OUT="+told)
	}
	ended, err := attend(program, args, env, in, out, errs)
	if err != nil {
		return err
	}
	if told != "" {
		if e := o.tell(out, told); err == nil {
			err = e
		}
	}
	if folder != "" {
		if e := captured(context.WithoutCancel(ctx), folder, o.capture, o.frames); err == nil {
			err = e
		}
	}
	if ended != 0 {
		if err != nil {
			fmt.Fprintf(errs, "pumice: %s\n", oneLine(err))
		}
		return ended
	}
	return err
}

// tell prints the explanations that the driver has written.
func (o *observed) tell(out io.Writer, file string) error {
	list, err := readExplanations(file)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("no explanation: the program did not present that frame, or says above why")
	}
	if err != nil {
		return err
	}
	return printExplanations(out, list, o.verbose, o.json)
}

// readExplanations reads what the driver has written into the file of PUMICE_EXPLAIN_OUT.
func readExplanations(file string) (list []*explain.Explanation, err error) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	return list, err
}

// printExplanations prints explanations for people, or as JSON.
func printExplanations(out io.Writer, list []*explain.Explanation, verbose, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		if list == nil {
			list = []*explain.Explanation{} // an array, whatever is in it
		}
		return e.Encode(list)
	}
	return writeTexts(out, list, explain.TextOptions{Verbose: verbose, Color: colors(out)})
}

// programEnded is the exit code of a program that `pumice run` has run: not 0, and 128
// and its number for a signal, as of shells.
type programEnded int

func (p programEnded) Error() string { return fmt.Sprintf("the program ended with %d", int(p)) }

// attend runs a program to its end, as if it were this one: ^C is the terminal's to
// deliver, and the request to terminate is passed on.
func attend(program string, args, env []string, in io.Reader, out, errs io.Writer) (programEnded, error) {
	cmd := exec.Command(program, args[1:]...)
	cmd.Args, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = args, env, in, out, errs
	if p, ok := out.(*printer); ok {
		cmd.Stdout = p.to // the file itself, where it is one
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("starting %s: %w", program, cause(err))
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				_ = cmd.Process.Signal(s)
			case <-done:
				return
			}
		}
	}()
	err := cmd.Wait()
	close(done)
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) {
		return 0, err
	}
	if n := endedBy(exit.ProcessState); n != 0 {
		return programEnded(128 + n), nil
	}
	return programEnded(exit.ExitCode()), nil
}
