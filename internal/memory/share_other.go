//go:build !linux

package memory

import (
	"errors"
	"time"
)

func createShared(int) ([]byte, int, error) { return nil, -1, errors.ErrUnsupported }

func openShared(int, int) ([]byte, error) { return nil, errors.ErrUnsupported }

// DuplicateFD fails.
func DuplicateFD(int) (int, error) { return -1, errors.ErrUnsupported }

func fileID(int) (uint64, bool) { return 0, false }

// CloseFD closes a file descriptor; there are none here.
func CloseFD(int) {}

// residentBytes is all of b: only Linux is asked.
func residentBytes(b []byte) int64 { return int64(len(b)) }

// NewSignal makes no descriptor here.
func NewSignal() (int, error) { return -1, errors.ErrUnsupported }

// RaiseSignal does nothing.
func RaiseSignal(int) {}

// Readable says that there is nothing to wait for.
func Readable(int, time.Duration) bool { return true }

// Pollable says that there are no such descriptors.
func Pollable(int) bool { return false }
