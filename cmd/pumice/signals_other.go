//go:build !plan9

package main

import (
	"os"
	"syscall"
)

// signalNumber is the number of a signal.
func signalNumber(s os.Signal) int {
	n, _ := s.(syscall.Signal)
	return int(n)
}

// endedBy is the number of the signal that ended a process, 0 if it ended itself.
func endedBy(p *os.ProcessState) int {
	if status, ok := p.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return int(status.Signal())
	}
	return 0
}
