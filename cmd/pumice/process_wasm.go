//go:build js || wasip1

package main

import (
	"errors"
	"syscall"
)

// keepPipeErrors has nothing to do: there are no signals, such writes are errors.
func keepPipeErrors() {}

// brokenPipe says that writing failed because nobody reads any more.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
