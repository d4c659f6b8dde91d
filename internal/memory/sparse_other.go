//go:build !linux

package memory

import (
	"errors"
	"unsafe"
)

func mapPaged(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func reservePages(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func aliasPages([]byte, unsafe.Pointer) error { return errors.ErrUnsupported }

func freshAddresses(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func clearPages([]byte) error { return errors.ErrUnsupported }

func dropPages([]byte, bool) error { return errors.ErrUnsupported }

func forgetPages(b []byte) { clear(b) }

func removePages(b []byte) { clear(b) }

const canCollapse = false

func collapsePages([]byte) bool { return false }
