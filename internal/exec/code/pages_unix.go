//go:build (amd64 || arm64) && (darwin || dragonfly || freebsd || netbsd || openbsd)

package code

import "golang.org/x/sys/unix"

// shares says that codes share mappings. Here memory is written first and made executable then, for good: a mapping holds one code.
const shares = false

// pages are memory of no file. What is made executable is brought to the processor's caches of instructions by the system.
type pages struct{ write, run []byte }

func newPages(n int) (p pages, err error) {
	p.write, err = unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	p.run = p.write
	return p, err
}

func (p *pages) publish(at, n int) error { return unix.Mprotect(p.run, unix.PROT_READ|unix.PROT_EXEC) }

func (p *pages) free() { _ = unix.Munmap(p.run) }

// Anonymous makes the memory of later codes one of no file: there is no other here.
func Anonymous() {}
