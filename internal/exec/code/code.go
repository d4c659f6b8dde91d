//go:build amd64 || arm64

package code

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"
)

// Code is machine code that can be called. It may be called by several goroutines, and
// its memory is given back when nobody has it any more.
type Code struct {
	at    uintptr
	bytes []byte
}

// Bytes is the code, which the caller must not change; it is there while the Code is.
func (c *Code) Bytes() []byte { return c.bytes }

// Refused says why the system lets no code run: nil where it does. Where memory that is executable is refused by a policy,
// and where a system has none for us, all that machine code does must be done without it.
var Refused = sync.OnceValue(func() error {
	_, err := Load(make([]byte, 64)) // not called
	return err
})

// chunkBytes is the size of the memory that codes share; longer ones have their own.
const chunkBytes = 1 << 18

// mapping is one piece of memory. No page that can be executed can be written: where the system maps memory twice, once to
// write and once to execute, codes share it; where it does not, a mapping is written first, made executable then, and holds one.
type mapping struct {
	pages
	used int
	live int // codes in it, plus 1 while new ones go there
}

// arena is the process's code.
var arena struct {
	sync.Mutex
	current  *mapping
	mappings int
}

// Mappings is how many mappings of memory hold code.
func Mappings() int {
	arena.Lock()
	defer arena.Unlock()
	return arena.mappings
}

// Load copies code to executable memory. An error means that the system refuses such
// memory; what the code does must then be done without it.
func Load(code []byte) (*Code, error) {
	arena.Lock()
	defer arena.Unlock()
	n := (len(code) + 63) &^ 63
	c := arena.current
	if c == nil || !shares || c.used+n > len(c.write) {
		if c != nil {
			arena.current = nil
			c.release()
		}
		var err error
		if c, err = newMapping(n); err != nil {
			return nil, fmt.Errorf("no memory for machine code: %w", err)
		}
		arena.current = c
	}
	copy(c.write[c.used:], code)
	if err := c.publish(c.used, len(code)); err != nil {
		return nil, fmt.Errorf("no memory for machine code: %w", err)
	}
	out := &Code{at: address(&c.run[c.used]), bytes: c.run[c.used:][:len(code):len(code)]}
	c.used += n
	c.live++
	runtime.AddCleanup(out, func(c *mapping) {
		arena.Lock()
		defer arena.Unlock()
		c.release()
	}, c)
	return out, nil
}

// renew lets the next code have new memory.
func renew() {
	arena.Lock()
	defer arena.Unlock()
	if arena.current != nil {
		arena.current.release()
		arena.current = nil
	}
}

func newMapping(n int) (*mapping, error) {
	if shares {
		n = max(n, chunkBytes)
	}
	p, err := newPages((n + os.Getpagesize() - 1) &^ (os.Getpagesize() - 1))
	if err != nil {
		return nil, err
	}
	arena.mappings++
	return &mapping{pages: p, live: 1}, nil
}

// release gives up one use; the arena is locked.
func (c *mapping) release() {
	if c.live--; c.live > 0 {
		return
	}
	arena.mappings--
	c.free() // nothing is left to do if it fails
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
