//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package memory

import "errors"

const canMap = false

// mapPages is never called where canMap is false.
func mapPages(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapPages([]byte) error { return errors.ErrUnsupported }

func protect(...[]byte) error { return errors.ErrUnsupported }
