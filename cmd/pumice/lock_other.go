//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package main

import (
	"errors"
	"os"
)

// spareFile needs locks.
func spareFile(func(int) string) (*os.File, error) { return nil, errors.ErrUnsupported }

// flush closes the file: one that is open can have no other name.
func flush(f *os.File) error { return f.Close() }
