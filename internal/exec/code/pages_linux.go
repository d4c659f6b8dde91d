//go:build amd64 || arm64

package code

import "golang.org/x/sys/unix"

// shares says that codes share mappings: memory is mapped twice.
const shares = true

// pages are memory of a file without a name, mapped to write and to execute.
type pages struct{ write, run []byte }

func newPages(n int) (p pages, err error) {
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

func (p *pages) publish(at, n int) error {
	synchronize(p.write[at:][:n], p.run[at:][:n])
	return nil
}

func (p *pages) free() {
	_ = unix.Munmap(p.write)
	_ = unix.Munmap(p.run)
}
