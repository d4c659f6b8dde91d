//go:build (amd64 || arm64) && !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package code

import (
	"errors"
	"fmt"
	"runtime"
)

const shares = false

// pages are none: this system has no executable memory for us.
type pages struct{ write, run []byte }

func newPages(int) (pages, error) {
	return pages{}, fmt.Errorf("%w on %s", errors.ErrUnsupported, runtime.GOOS)
}

func (p *pages) publish(at, n int) error { return errors.ErrUnsupported }

func (p *pages) free() {}

// Anonymous makes the memory of later codes one of no file: there is none here.
func Anonymous() {}
