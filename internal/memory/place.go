package memory

import (
	"fmt"
	"unsafe"
)

// Placeable says whether Place and Show take the block: it comes from AllocPaged, AllocShared or ImportShared.
func (b *Block) Placeable() bool { return b != nil && b.pages && !b.freed.Load() }

// Place shows len(dst) bytes of the block from offset on at dst too, instead of
// whatever is mapped there: whole pages. The block comes from AllocPaged, AllocShared
// or ImportShared. What is shown lasts until Displace, also when the block is freed.
func (b *Block) Place(dst []byte, offset int64) error {
	n := int64(len(dst))
	switch {
	case !b.Placeable():
		return &BindError{"the memory is not of a kind that can be placed"}
	case n == 0 || n%PageBytes != 0 || offset < 0 || offset%PageBytes != 0 || uintptr(unsafe.Pointer(unsafe.SliceData(dst)))%PageBytes != 0:
		return &BindError{fmt.Sprintf("bytes %d+%d at %p are no whole pages", offset, n, dst)}
	case n > b.size || offset > b.size-n:
		return &BindError{fmt.Sprintf("bytes %d+%d of memory of %d", offset, n, b.size)}
	}
	return b.show(dst, offset)
}

// Show shows the whole block, in whole pages, at addresses that nothing else has, until Displace. The block is one that
// Place takes.
func (b *Block) Show() ([]byte, error) {
	if !b.Placeable() {
		return nil, &BindError{"the memory is not of a kind that can be shown elsewhere"}
	}
	n := (b.size + PageBytes - 1) &^ (PageBytes - 1)
	dst, err := freshAddresses(int(n))
	if err != nil {
		return nil, &SystemError{Size: n, Err: err}
	}
	if err := b.show(dst, 0); err != nil {
		_ = dropPages(dst, false)
		return nil, err
	}
	return dst, nil
}

func (b *Block) show(dst []byte, offset int64) error {
	if err := mappings.take(placeMappings); err != nil {
		return err
	}
	if err := aliasPages(dst, unsafe.Add(unsafe.Pointer(unsafe.SliceData(b.data)), offset)); err != nil {
		mappings.give(placeMappings)
		return &SystemError{Size: int64(len(dst)), Err: err}
	}
	return nil
}

// placeMappings is how many mappings there are more when one appears in the middle of
// another.
const placeMappings = 2

// Displace takes away what one call of Place or Show has shown. With reserve nobody else gets the
// addresses until the caller maps something there.
func Displace(dst []byte, reserve bool) error {
	if err := dropPages(dst, reserve); err != nil {
		return &SystemError{Size: int64(len(dst)), Err: err}
	}
	mappings.give(placeMappings)
	return nil
}
