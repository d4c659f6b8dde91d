package main

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Signals that a program gets that `pumice run` runs, and those of them that a terminal sends to whatever is in its foreground.
var (
	passedOn    = []os.Signal{syscall.SIGTERM, syscall.SIGHUP, os.Interrupt, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2}
	ofTerminals = []os.Signal{os.Interrupt, syscall.SIGQUIT}
)

// tie lets a program that is not started yet end with this process, whatever ends that. The goroutine keeps its thread, whose
// end is what the kernel looks at, until the function that comes back is called.
func tie(cmd *exec.Cmd) (untie func()) {
	runtime.LockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return runtime.UnlockOSThread
}

// inForeground says whether the terminal, if there is one, sends its signals to this process and what it has started.
func inForeground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
