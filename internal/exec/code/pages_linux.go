//go:build amd64 || arm64

package code

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// shares says that codes share mappings: memory is mapped twice.
const shares = true

// pages are memory of a file without a name, mapped to write and to execute.
type pages struct {
	write, run []byte
	remapped   bool // run is of mremap
}

// anonymous says that memory is of no file at all.
var anonymous atomic.Bool

// Anonymous makes the memory of later codes one that tools take for a compiler's: perf looks for
// names of what runs in anonymous memory only (see native.Machine.Mapping). It takes a right that
// policies may refuse, to make memory executable later.
func Anonymous() {
	if !anonymous.Swap(true) {
		renew()
	}
}

func newPages(n int) (p pages, err error) {
	if anonymous.Load() {
		return anonymousPages(n)
	}
	fd, err := unix.MemfdCreate("pumice code", unix.MFD_CLOEXEC)
	if err != nil {
		return p, err
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, int64(n)); err != nil {
		return p, err
	}
	if p.write, err = unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return p, err
	}
	if p.run, err = unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_SHARED); err != nil {
		_ = unix.Munmap(p.write)
	}
	return p, err
}

// anonymousPages maps shared memory, and once more where its old size is 0, which is what mremap(2)
// does then.
func anonymousPages(n int) (p pages, err error) {
	if p.write, err = unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON); err != nil {
		return p, err
	}
	again, err := unix.MremapPtr(unsafe.Pointer(&p.write[0]), 0, nil, uintptr(n), unix.MREMAP_MAYMOVE)
	if err == nil {
		p.run, p.remapped = unsafe.Slice((*byte)(again), n), true
		err = unix.Mprotect(p.run, unix.PROT_READ|unix.PROT_EXEC)
	}
	if err != nil {
		p.free()
	}
	return p, err
}

func (p *pages) publish(at, n int) error {
	synchronize(p.write[at:][:n], p.run[at:][:n])
	return nil
}

func (p *pages) free() {
	_ = unix.Munmap(p.write)
	switch {
	case p.remapped:
		_ = unix.MunmapPtr(unsafe.Pointer(&p.run[0]), uintptr(len(p.run)))
	case p.run != nil:
		_ = unix.Munmap(p.run)
	}
}
