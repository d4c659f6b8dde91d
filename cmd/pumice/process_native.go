//go:build !js && !wasip1 && !plan9

package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// keepPipeErrors makes a pipe without a reader an error of the write, not the end of
// the process; programs that `pumice run` becomes find the signal as it was.
func keepPipeErrors() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// brokenPipe says that writing failed because nobody reads any more.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
