//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package main

import "errors"

// lockFile is needed where the driver is built, which is Linux and Windows.
func lockFile(string) (unlock func(), err error) { return nil, errors.ErrUnsupported }
