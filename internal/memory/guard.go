package memory

import (
	"fmt"
	"math"
	"os"
	"slices"
)

// guarded is a block of the modes Guard and GuardBefore: whole pages between two
// that cannot be touched. Bytes of the pages that are not the block's hold guardByte.
type guarded struct {
	mapping []byte // with the pages at both ends
	page    int    // bytes of a page
	from    int    // of the block in mapping
}

// guardByte fills what lies between a block and its pages' ends.
const guardByte = 0xA5

// GuardError says that bytes beside a block were written, which Free notices in the
// modes Guard and GuardBefore.
type GuardError struct {
	Size int64 // of the block
	At   int64 // of the first byte that was written, from the block's start; may be negative
}

func (e *GuardError) Error() string {
	return fmt.Sprintf("memory: byte %d beside a block of %d bytes was written; this is a defect of the implementation, please report it", e.At, e.Size)
}

// allocGuarded is Alloc's part for Guard and GuardBefore, whose share of the limit is
// reserved.
func (a *Allocator) allocGuarded(size int64) (*Block, error) {
	b := newBlock(a, size)
	page := int64(os.Getpagesize())
	if size > math.MaxInt-4*page {
		b.drop()
		return nil, &SizeError{Size: size}
	}
	pages := (size + page - 1) &^ (page - 1)
	mapping, err := mapPages(int(pages + 2*page))
	if err == nil {
		err = protect(mapping[:page], mapping[page+pages:])
	}
	if err != nil {
		b.drop()
		return nil, &SystemError{Size: size, Err: err}
	}
	from := page
	if a.mode == Guard {
		from += pages - (size+Alignment-1)&^(Alignment-1)
	}
	b.data, b.mapped, b.guard = mapping[from:from+size:from+size], true, &guarded{mapping, int(page), int(from)}
	before, after := b.beside()
	for _, s := range [][]byte{before, after} {
		for i := range s {
			s[i] = guardByte
		}
	}
	return b, nil
}

// beside returns what lies between the block and the unmapped pages.
func (b *Block) beside() (before, after []byte) {
	g := b.guard
	return g.mapping[g.page:g.from], g.mapping[g.from+len(b.data) : len(g.mapping)-g.page]
}

// freeGuarded is Free's part: it says whether somebody wrote beside the block.
func (b *Block) freeGuarded() error {
	before, after := b.beside()
	var err error
	if i := firstWritten(after); i >= 0 {
		err = &GuardError{Size: b.size, At: b.size + int64(i)}
	}
	if i := firstWritten(before); i >= 0 {
		err = &GuardError{Size: b.size, At: int64(i - len(before))}
	}
	if e := unmapPages(b.guard.mapping); e != nil {
		return &SystemError{Size: b.size, Err: e}
	}
	return err
}

// Fault describes the value of a recovered panic: with the address, if that is what a
// goroutine under SetPanicOnFault has touched.
func Fault(v any) string {
	if f, ok := v.(interface{ Addr() uintptr }); ok {
		return fmt.Sprintf("%v, at address %#x", v, f.Addr())
	}
	return fmt.Sprint(v)
}

// firstWritten returns the first byte of s that is not guardByte, or -1.
func firstWritten(s []byte) int {
	return slices.IndexFunc(s, func(c byte) bool { return c != guardByte })
}
