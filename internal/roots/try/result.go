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
	args    []string
	code    int
	took    time.Duration
	picture string // what render wrote

	passed  int
	failed  []string            // packages and tests
	skipped []skip              // tests
	tools   map[string][]string // programs that comparisons were made with, with the versions that they tell
	text    string              // what failed tests and the command say
}

type skip struct{ pkg, test, why string }

// broken counts what went wrong: tests and packages, or the command.
func (s step) broken() int {
	if s.code != 0 {
		return max(len(s.failed), 1)
	}
	return len(s.failed)
}

func (s step) String() string {
	if s.tests() {
		return fmt.Sprintf("rc %d, %d passed, %d failed, %d skipped, %d:%02d min", s.code, s.passed, len(s.failed), len(s.skipped), int(s.took.Minutes()), int(s.took.Seconds())%60)
	}
	return fmt.Sprintf("rc %d, %.0f s", s.code, s.took.Seconds())
}

func (s step) tests() bool { return slices.Contains(s.args, "-json") }

// print tells of what failed, and of what was skipped.
func (s step) print(w io.Writer) {
	for _, f := range s.failed {
		_, _ = fmt.Fprintln(w, "FAIL", f)
	}
	if s.broken() > 0 {
		_, _ = fmt.Fprintln(w, s.text)
	}
	for _, k := range s.skipped {
		_, _ = fmt.Fprintf(w, "skipped %s %s: %s\n", k.pkg, k.test, k.why)
	}
}

// runStep runs the command and reads what go test -json writes.
func runStep(cmd *exec.Cmd, args []string) step {
	s := step{args: args, tools: map[string][]string{}}
	var errs, out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		s.code = exit.ExitCode()
	} else if err != nil {
		s.code, s.text = -1, err.Error()
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
				s.tools[m[1]] = appendNew(s.tools[m[1]], m[2])
			}
		case "pass":
			if e.Test != "" {
				s.passed++
			}
		case "fail":
			s.failed = append(s.failed, strings.TrimSpace(key.Package+" "+key.Test))
			s.text += said[key].String()
		case "build-fail":
			s.text += said[key].String()
		case "skip":
			if e.Test != "" {
				s.skipped = append(s.skipped, skip{key.Package, e.Test, reason(said[key].String())})
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
