//go:build amd64 || arm64

package code

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Code is machine code that can be called. It may be called by several goroutines, and
// its memory is given back when nobody has it any more.
type Code struct {
	at    uintptr
	bytes []byte
}

// Bytes is the code, which the caller must not change; it is there while the Code is.
func (c *Code) Bytes() []byte { return c.bytes }

// chunkBytes is the size of the memory that codes share; longer ones have their own.
const chunkBytes = 1 << 18

// chunk is one piece of memory mapped twice: to write and to execute. No page that can
// be executed can be written.
type chunk struct {
	write, run []byte
	used       int
	live       int // codes in it, plus 1 while new ones go there
}

// arena is the process's code.
var arena struct {
	sync.Mutex
	current *chunk
	chunks  int
}

// Chunks is how many chunks of memory hold code.
func Chunks() int {
	arena.Lock()
	defer arena.Unlock()
	return arena.chunks
}

// Load copies code to executable memory. An error means that the system refuses such
// memory; what the code does must then be done without it.
func Load(code []byte) (*Code, error) {
	arena.Lock()
	defer arena.Unlock()
	n := (len(code) + 63) &^ 63
	c := arena.current
	if c == nil || c.used+n > len(c.write) {
		if c != nil {
			arena.current = nil
			c.release()
		}
		var err error
		if c, err = newChunk(max(n, chunkBytes)); err != nil {
			return nil, fmt.Errorf("no memory for machine code: %w", err)
		}
		arena.current = c
	}
	copy(c.write[c.used:], code)
	c.publish(c.used, len(code))
	out := &Code{at: address(&c.run[c.used]), bytes: c.run[c.used:][:len(code):len(code)]}
	c.used += n
	c.live++
	runtime.AddCleanup(out, func(c *chunk) {
		arena.Lock()
		defer arena.Unlock()
		c.release()
	}, c)
	return out, nil
}

func newChunk(n int) (*chunk, error) {
	n = (n + unix.Getpagesize() - 1) &^ (unix.Getpagesize() - 1)
	fd, err := unix.MemfdCreate("pumice code", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, int64(n)); err != nil {
		return nil, err
	}
	c := &chunk{live: 1}
	if c.write, err = unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return nil, err
	}
	if c.run, err = unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_SHARED); err != nil {
		_ = unix.Munmap(c.write)
		return nil, err
	}
	arena.chunks++
	return c, nil
}

// release gives up one use; the arena is locked.
func (c *chunk) release() {
	if c.live--; c.live > 0 {
		return
	}
	arena.chunks--
	_ = unix.Munmap(c.write) // nothing is left to do if it fails
	_ = unix.Munmap(c.run)
}

//go:noescape
func call(code, frame uintptr)

// Call runs the code with the address of its frame in RDI, or X0. The caller keeps alive what
// the frame points to.
func (c *Code) Call(frame uintptr) {
	call(c.at, frame)
	runtime.KeepAlive(c)
}

// address is where x is, for frames.
func address[T any](x *T) uintptr { return uintptr(unsafe.Pointer(x)) }
