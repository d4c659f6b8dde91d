package main

import (
	"bytes"
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
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/elevated"
)

// observed is what `pumice run` tells of a program while it runs, or keeps of it.
type observed struct {
	capture, frames string
	explain         []string
	verbose, json   bool
	opengl          bool
}

func (o *observed) add(cmd *cobra.Command) {
	o.addShared(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.opengl, "opengl", false, "what pumice gl does")
	_ = f.MarkHidden("opengl") // of earlier versions; there is such a flag
}

// addShared adds the flags of run and gl.
func (o *observed) addShared(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.capture, "capture", "", "record PROGRAM into this file (Debian's package "+capturePackage+" has the layer)")
	f.StringVar(&o.frames, "frames", "", "record frames A-B alone, and what they need")
	f.StringArrayVar(&o.explain, "explain", nil, "explain a pixel of a frame: frame=N,pixel=X,Y[,shader]; again for more pixels of the frame")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "explain with all steps")
	f.BoolVar(&o.json, "json", false, "explain as JSON")
}

var explainFlag = regexp.MustCompile(`^(frame=[1-9]\d{0,8}),((?:pixel=\d{1,5},\d{1,5}|word=(?:\w[\w.]*|\d{1,9}/\d{1,9})/\d{1,9})(,shader)?)$`)

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
	if o.capture != "" {
		if err := linuxOnly("--capture"); err != nil {
			return err
		}
	}
	if len(o.explain) > 0 && elevated.Process() {
		return errors.New("--explain: in an elevated process the driver writes no files; use a shell that is not elevated")
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
			return "", usagef("--explain %q: want frame=N,pixel=X,Y, or in the place of the pixel word=SET/BINDING/BYTE, frames from 1 on, and shader behind it where that is to be shown", s)
		case frame != "" && frame != m[1]:
			return "", usagef("--explain %q: all pixels are of one frame, %s", s, frame)
		}
		frame, pixels = m[1], append(pixels, m[2])
	}
	return frame + "," + strings.Join(pixels, ";"), nil
}

// zink makes Mesa's OpenGL use Vulkan. Mesa 22.3 needs all three; later ones find the driver by the
// first.
var zink = []string{"MESA_LOADER_DRIVER_OVERRIDE=zink", "GALLIUM_DRIVER=zink", "LIBGL_ALWAYS_SOFTWARE=1"}

// run runs the program and does what was asked; where it made no device on Pumice, that is told.
// The error is the program's exit code, if that is not 0, and what could not be done otherwise.
func (o *observed) run(ctx context.Context, program string, args, env []string, in io.Reader, out, errs io.Writer) (err error) {
	var folder, told string
	if o.opengl {
		env = append(zink, env...) // of two values the later one counts, which is the caller's
	}
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
	at, err := os.MkdirTemp("", "pumice-run-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(at)
	used := filepath.Join(at, "used")
	if err := os.WriteFile(used, nil, 0o666); err != nil {
		return err
	}
	env = append(env, "PUMICE_USE="+used)
	if len(o.explain) > 0 {
		request, err := o.request()
		if err != nil {
			return err
		}
		told = filepath.Join(at, "explained")
		env = append(env, "PUMICE_EXPLAIN="+request, "PUMICE_EXPLAIN_OUT="+told)
	}
	ended, others, err := attend(program, args, env, in, out, errs)
	if err != nil {
		return err
	}
	if text := o.unused(args[0], used, env, others); text != "" && !elevated.Process() && told == "" && folder == "" { // those tell as much; and an elevated driver writes no files
		fmt.Fprintf(errs, "pumice: %s\n", text)
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

// unused says that a program made no device on Pumice, and what lets programs of that kind make
// one; "" where it made one. The driver has written a line into the file used for each instance and
// device. others are the libraries of other drivers that the program was seen with.
func (o *observed) unused(program, used string, env, others []string) string {
	lines, err := os.ReadFile(used)
	if err != nil || bytes.Contains(lines, []byte("device\n")) {
		return ""
	}
	says := func(variable string) bool {
		return slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, variable+"=") })
	}
	name := "run"
	if o.opengl {
		name = "gl"
	}
	text := fmt.Sprintf("%s saw %s make no device on Pumice: ", name, filepath.Base(program))
	const page = " (docs/programs.md)"
	has := "" // loaded is not taken: some loaders look at all drivers that there are
	if len(others) > 0 {
		has = "; of other drivers it had " + strings.Join(others, ", ") + " in memory"
	}
	switch {
	case len(lines) > 0 && says("PUMICE_DEVICE_TYPE"):
		return text + "it loaded the driver, and chose another device or none" + has + page
	case len(lines) > 0:
		return text + "it loaded the driver, and chose another device or none" + has + "; for programs that pass over CPUs, set PUMICE_DEVICE_TYPE=discrete" + page
	case o.opengl:
		return text + "nothing tells of the driver" + has + "; does the program draw with OpenGL, and with the system's libraries?" + page
	}
	return text + "nothing tells of the driver" + has + "; for OpenGL there is pumice gl" + page
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
	return printExplanations(out, list, explain.TextOptions{Verbose: o.verbose}, o.json)
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
func printExplanations(out io.Writer, list []*explain.Explanation, o explain.TextOptions, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		if list == nil {
			list = []*explain.Explanation{} // an array, whatever is in it
		}
		return e.Encode(list)
	}
	o.Color = colors(out)
	return writeTexts(out, list, o)
}

// programEnded is the exit code of a program that `pumice run` has run: not 0, and 128
// and its number for a signal, as of shells.
type programEnded int

func (p programEnded) Error() string { return fmt.Sprintf("the program ended with %d", int(p)) }

// attend runs a program to its end, as if it were this one: signals are passed on, but for those
// that the terminal has sent to both; and the program does not outlive this one. others are the
// libraries of drivers other than Pumice's that it was seen with.
func attend(program string, args, env []string, in io.Reader, out, errs io.Writer) (ended programEnded, others []string, err error) {
	cmd := exec.Command(program, args[1:]...)
	cmd.Args, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = args, env, in, out, errs
	if p, ok := out.(*printer); ok {
		cmd.Stdout = p.to // the file itself, where it is one
	}
	defer tie(cmd)()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, passedOn...)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return 0, nil, fmt.Errorf("starting %s: %w", program, cause(err))
	}
	done, looked := make(chan struct{}), make(chan []string, 1)
	go func() { looked <- watchDrivers(cmd.Process.Pid, done) }()
	go func() {
		for {
			select {
			case s := <-signals:
				if !slices.Contains(ofTerminals, s) || !inForeground() {
					_ = cmd.Process.Signal(s)
				}
			case <-done:
				return
			}
		}
	}()
	err = cmd.Wait()
	close(done)
	others = <-looked
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) {
		return 0, others, err
	}
	if n := endedBy(exit.ProcessState); n != 0 {
		return programEnded(128 + n), others, nil
	}
	return programEnded(exit.ExitCode()), others, nil
}
