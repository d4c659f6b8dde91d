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
	_, err := unix.MremapPtr(src, 0, unsafe.Pointer(unsafe.SliceData(dst)), uintptr(len(dst)), unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED)
	return err
}

// freshAddresses are n bytes of addresses without memory.
func freshAddresses(n int) ([]byte, error) {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(n), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), n), nil
}

// clearPages takes pages away and leaves zeros that nobody shares.
func clearPages(b []byte) error { return mapOver(b, unix.PROT_READ|unix.PROT_WRITE) }

// dropPages unmaps pages; with reserve, addresses without memory stay.
func dropPages(b []byte, reserve bool) error {
	if reserve {
		return mapOver(b, unix.PROT_NONE)
	}
	return unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)))
}

// mapOver puts fresh pages in the place of others. The system's call differs by
// processor (mmap2 of 32 bits, a struct on s390x), which package unix knows.
func mapOver(b []byte, access int) error {
	_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)), access,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE|unix.MAP_FIXED)
	return err
}

// forgetPages makes pages that nobody shares zeros, and gives them back to the system if
// that can be: those that are locked in memory stay (mlockall).
func forgetPages(b []byte) {
	if unix.Getpagesize() != pageBytes || unix.Madvise(b, unix.MADV_DONTNEED) != nil {
		clear(b)
	}
}

// removePages makes shared pages zeros, and gives them back to the system.
func removePages(b []byte) {
	if unix.Madvise(b, unix.MADV_REMOVE) != nil {
		clear(b)
	}
}

const canCollapse = true

// collapsePages puts a huge page in the place of small ones, and says whether the system can do that at all. It may
// decline, where memory is short.
func collapsePages(b []byte) bool {
	err := unix.Madvise(b, 25 /* MADV_COLLAPSE */)
	return err != unix.EINVAL && err != unix.EPERM
}
