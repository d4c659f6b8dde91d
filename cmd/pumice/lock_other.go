//go:build !linux

package main

import "errors"

// lockFile is needed where the driver is built, which is Linux.
func lockFile(string) (unlock func(), err error) { return nil, errors.ErrUnsupported }
