//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package memory

import "golang.org/x/sys/unix"

const canMap = true

// mapPages returns n zeroed bytes of fresh pages, which the system fills on
// first touch.
func mapPages(n int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	return b[:n:n], nil
}

func unmapPages(b []byte) error { return unix.Munmap(b) }

// protect makes whole pages untouchable.
func protect(ranges ...[]byte) error {
	for _, b := range ranges {
		if err := unix.Mprotect(b, unix.PROT_NONE); err != nil {
			return err
		}
	}
	return nil
}
