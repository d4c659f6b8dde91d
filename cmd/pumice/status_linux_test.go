package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a terminal of 40 columns, and what its user sees.
func terminal(t *testing.T) (user, program *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { user.Close() })
	fd := int(user.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	if program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { program.Close() })
	if err := unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 40}); err != nil {
		t.Skip(err)
	}
	return user, program
}

// On a terminal the line says what is at hand and since when, fits the width, and goes away.
func TestStatus_OnATerminal(t *testing.T) {
	user, program := terminal(t)
	seen := make(chan string, 1000)
	go func() {
		defer close(seen)
		for b := make([]byte, 1000); ; {
			n, err := user.Read(b)
			if err != nil {
				return
			}
			seen <- string(b[:n])
		}
	}()
	s := startStatus(program, "making", true)
	s.show("package/with/a/name/that/is/longer/than/the/line")
	all := ""
	for strings.Count(all, "making, ") < 2 {
		all += <-seen
	}
	s.stop()
	program.Close() // what was written comes before the end
	for text := range seen {
		all += text
	}
	lines := strings.Split(all, "\r\x1b[K")
	if lines[0] != "" || lines[len(lines)-1] != "" {
		t.Errorf("the line stays: %q", all)
	}
	for _, line := range lines[1 : len(lines)-1] {
		if !strings.HasPrefix(line, "making, ") || !strings.Contains(line, " s: package/with/") || len(line) != 39 {
			t.Errorf("%q", line)
		}
	}
}
