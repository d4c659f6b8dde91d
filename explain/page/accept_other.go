//go:build !plan9

package page

import (
	"errors"
	"syscall"
)

// passes says that a listener goes on after an error: there are no files left, or the other side went away.
func passes(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ECONNABORTED)
}
