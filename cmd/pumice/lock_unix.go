//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package main

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lockFile waits until no other process holds the lock of that name.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err = flock(f, unix.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // closing unlocks
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// spares bounds how many runs write one file at once.
const spares = 100

// spareFile opens the first file of a name that no run holds. A run holds its own by
// a lock, which ends with its process: what a killed one left is taken over, and
// further ones are removed.
func spareFile(name func(n int) string) (*os.File, error) {
	for n := range spares {
		f, err := openSpare(name(n), os.O_CREATE)
		switch {
		case err == nil:
			for left := n + 1; left < spares; left++ {
				dead, err := openSpare(name(left), 0)
				if errors.Is(err, fs.ErrNotExist) {
					break
				}
				if err == nil {
					_, _ = os.Remove(dead.Name()), dead.Close()
				}
			}
			return f, f.Truncate(0)
		case !errors.Is(err, errTaken):
			return nil, err
		}
	}
	return nil, errTaken
}

// flush brings out errors that some file systems keep for the closing of a file,
// which stays open and locked.
func flush(f *os.File) error {
	other, err := unix.Dup(int(f.Fd()))
	if err != nil {
		return err
	}
	return unix.Close(other)
}

// errTaken says that a file is another run's, or another user's.
var errTaken = errors.New("too many runs write this file at once")

// openSpare opens a file that only this process holds, or fails with errTaken.
func openSpare(path string, flag int) (*os.File, error) {
	for range spares {
		f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK|flag, 0o600)
		if err != nil {
			if _, exists := os.Lstat(path); exists == nil {
				return nil, errTaken
			}
			return nil, err
		}
		switch err := flock(f, unix.LOCK_EX|unix.LOCK_NB); {
		case errors.Is(err, unix.EWOULDBLOCK):
			return nil, errors.Join(errTaken, f.Close())
		case err != nil: // a file system without locks: no run writes a file of this name
			if flag&os.O_CREATE != 0 {
				_ = os.Remove(path)
			}
			return nil, errors.Join(errors.ErrUnsupported, f.Close())
		}
		// The run that held it may have renamed it since it was opened here.
		held, err := f.Stat()
		now, errNow := os.Lstat(path)
		if err == nil && errNow == nil && os.SameFile(held, now) {
			if of, ok := held.Sys().(*syscall.Stat_t); !ok || !held.Mode().IsRegular() || of.Nlink != 1 || int(of.Uid) != os.Geteuid() {
				return nil, errors.Join(errTaken, f.Close())
			}
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return nil, errTaken
}
