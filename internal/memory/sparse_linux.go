package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapPaged returns n zeroed bytes whose pages can be shown elsewhere, too.
func mapPaged(n int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	return b[:n:n], nil
}

// reservePages returns n bytes of addresses that read as zero and cost nothing until
// they are written.
func reservePages(n int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	// A write costs a small page, not a huge one, until it is forgotten.
	_ = unix.Madvise(b, unix.MADV_NOHUGEPAGE)
	return b[:n:n], nil
}

// aliasPages shows the shared pages from src on at dst. mremap with an old size of 0
// makes another mapping of them.
func aliasPages(dst []byte, src unsafe.Pointer) error {
	_, _, e := unix.Syscall6(unix.SYS_MREMAP, uintptr(src), 0, uintptr(len(dst)), unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED,
		uintptr(unsafe.Pointer(unsafe.SliceData(dst))), 0)
	if e != 0 {
		return e
	}
	return nil
}

// clearPages takes pages away and leaves zeros that nobody shares.
func clearPages(b []byte) error {
	_, _, e := unix.Syscall6(unix.SYS_MMAP, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE|unix.MAP_FIXED, ^uintptr(0), 0)
	if e != 0 {
		return e
	}
	return nil
}

// dropPages unmaps pages; with reserve, addresses without memory stay.
func dropPages(b []byte, reserve bool) error {
	at, n := uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))
	var e unix.Errno
	if reserve {
		_, _, e = unix.Syscall6(unix.SYS_MMAP, at, n, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE|unix.MAP_FIXED, ^uintptr(0), 0)
	} else {
		_, _, e = unix.Syscall(unix.SYS_MUNMAP, at, n, 0)
	}
	if e != 0 {
		return e
	}
	return nil
}

// forgetPages makes pages that nobody shares zeros, and gives them back to the system if
// that can be: those that are locked in memory stay (mlockall).
func forgetPages(b []byte) {
	if unix.Getpagesize() != pageBytes || unix.Madvise(b, unix.MADV_DONTNEED) != nil {
		clear(b)
	}
}
