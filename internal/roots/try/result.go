package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// step is a command that has run in a root.
type step struct {
	Args    []string
	Code    int
	Took    time.Duration
	Picture string // what render wrote

	Passed  int
	Failed  []string            // packages and tests
	Skipped []skip              // tests
	Tools   map[string][]string // programs that comparisons were made with, with the versions that they tell
	text    string              // what failed tests and the command say
}

type skip struct{ Pkg, Test, Why string }

// broken counts what went wrong: tests and packages, or the command.
func (s step) broken() int {
	if s.Code != 0 {
		return max(len(s.Failed), 1)
	}
	return len(s.Failed)
}

func (s step) String() string {
	if s.tests() {
		return fmt.Sprintf("rc %d, %d passed, %d failed, %d skipped, %d:%02d min", s.Code, s.Passed, len(s.Failed), len(s.Skipped), int(s.Took.Minutes()), int(s.Took.Seconds())%60)
	}
	return fmt.Sprintf("rc %d, %.0f s", s.Code, s.Took.Seconds())
}

func (s step) tests() bool { return slices.Contains(s.Args, "-json") }

// print tells of what failed, and of what was skipped.
func (s step) print(w io.Writer) {
	for _, f := range s.Failed {
		_, _ = fmt.Fprintln(w, "FAIL", f)
	}
	if s.broken() > 0 {
		_, _ = fmt.Fprintln(w, s.text)
	}
	for _, k := range s.Skipped {
		_, _ = fmt.Fprintf(w, "skipped %s %s: %s\n", k.Pkg, k.Test, k.Why)
	}
}

// runStep runs the command and reads what go test -json writes.
func runStep(cmd *exec.Cmd, args []string) step {
	s := step{Args: args, Tools: map[string][]string{}}
	var errs, out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		s.Code = exit.ExitCode()
	} else if err != nil {
		s.Code, s.text = -1, err.Error()
	}
	if s.tests() {
		s.read(&out)
	} else {
		s.text += out.String()
	}
	s.text += errs.String()
	return s
}

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

var (
	toolLine = regexp.MustCompile(`outside: (\S+) \((.*)\): `)
	skipLine = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)`)
)

func (s *step) read(r io.Reader) {
	said := map[event]*strings.Builder{}
	for d := json.NewDecoder(r); ; {
		var e event
		if err := d.Decode(&e); err != nil {
			if err != io.EOF {
				s.text += err.Error() + "\n"
			}
			return
		}
		key := event{Package: strings.TrimPrefix(strings.TrimPrefix(e.Package, module), "/"), Test: e.Test}
		if said[key] == nil {
			said[key] = &strings.Builder{}
		}
		switch e.Action {
		case "output", "build-output":
			said[key].WriteString(e.Output)
			if m := toolLine.FindStringSubmatch(e.Output); m != nil {
				s.Tools[m[1]] = appendNew(s.Tools[m[1]], m[2])
			}
		case "pass":
			if e.Test != "" {
				s.Passed++
			}
		case "fail":
			s.Failed = append(s.Failed, strings.TrimSpace(key.Package+" "+key.Test))
			s.text += said[key].String()
		case "build-fail":
			s.text += said[key].String()
		case "skip":
			if e.Test != "" {
				s.Skipped = append(s.Skipped, skip{key.Package, e.Test, reason(said[key].String())})
			}
		}
	}
}

// module is cut off the names of packages.
const module = "github.com/pumice-gpu/pumice"

// reason is the last thing that a skipped test said.
func reason(said string) (why string) {
	for line := range strings.Lines(said) {
		if m := skipLine.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			why = m[1]
		}
	}
	return why
}
