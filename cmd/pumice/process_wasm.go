//go:build js || wasip1

package main

import "errors"

// keepPipeErrors has nothing to do: there are no signals, such writes are errors.
func keepPipeErrors() {}

// become fails: WebAssembly starts no programs.
func become(string, []string, []string) error { return errors.ErrUnsupported }
