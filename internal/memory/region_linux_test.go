package memory

import (
	"errors"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func newRegion(t *testing.T, pages int, claim func(offset, n int64) error) *Region {
	t.Helper()
	data, err := mapPaged(pages * pageBytes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(data) })
	return NewRegion(data, claim)
}

// TestRegion_GivesAndTakes: blocks lie in the region, in pages of their own; what is given back is zeros and whole again.
func TestRegion_GivesAndTakes(t *testing.T) {
	r := newRegion(t, 8, nil)
	a := New(Config{Region: r})
	var blocks []*Block
	for _, n := range []int64{1, pageBytes, 2*pageBytes + 1, 3 * pageBytes} {
		b, err := a.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		at := uintptr(unsafe.Pointer(&b.Bytes()[0])) - r.base
		if at%pageBytes != 0 || at >= 8*pageBytes || int64(len(b.Bytes())) != n {
			t.Errorf("%d bytes at %d, want %d in a page of the region", len(b.Bytes()), at, n)
		}
		for i := range b.Bytes() {
			if b.Bytes()[i] != 0 {
				t.Fatalf("byte %d of a new block is not 0", i)
			}
			b.Bytes()[i] = 0xAA
		}
		blocks = append(blocks, b)
	}
	if _, err := a.Alloc(pageBytes); !errors.Is(err, errRegionFull) {
		t.Errorf("a ninth page: %v, want %v", err, errRegionFull)
	}
	for _, i := range []int{1, 3, 0, 2} { // with a neighbour on no side, on one, on the other, and on both
		if err := blocks[i].Free(); err != nil {
			t.Error(err)
		}
	}
	whole, err := a.AllocPaged(8 * pageBytes)
	if err != nil {
		t.Fatalf("all pages again: %v", err)
	}
	for i, v := range whole.Bytes() {
		if v != 0 {
			t.Fatalf("byte %d of pages that were given back is %#x", i, v)
		}
	}
	if !whole.Placeable() {
		t.Error("blocks of a region cannot be bound")
	}
	if s := a.Stats(); s.Blocks != 1 || s.Used != 8*pageBytes {
		t.Errorf("%+v", s)
	}
}

// TestRegion_BoundPagesAreTheSame: a sparse range shows a block of a region.
func TestRegion_BoundPagesAreTheSame(t *testing.T) {
	a := New(Config{Region: newRegion(t, 4, nil)})
	b, err := a.AllocPaged(2 * pageBytes)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSparse(4 * pageBytes)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	if err := s.Bind(pageBytes, b, 0, 2*pageBytes); err != nil {
		t.Fatal(err)
	}
	b.Bytes()[pageBytes] = 7
	if got := s.Bytes()[2*pageBytes]; got != 7 {
		t.Errorf("the range shows %d, want 7", got)
	}
}

// TestRegion_ClaimRefuses: where the file system has no room there is an error, and nothing is lost.
func TestRegion_ClaimRefuses(t *testing.T) {
	full := unix.ENOSPC
	refuse := true
	a := New(Config{Region: newRegion(t, 2, func(_, _ int64) error {
		if refuse {
			return full
		}
		return nil
	})})
	if _, err := a.Alloc(1); !errors.Is(err, full) {
		t.Errorf("%v, want %v", err, full)
	}
	refuse = false
	if _, err := a.Alloc(2 * pageBytes); err != nil {
		t.Errorf("with room: %v", err)
	}
}

// TestRegion_LargeBlocksBeginAtHugePages: and what is written there stays, whatever pages it has.
func TestRegion_LargeBlocksBeginAtHugePages(t *testing.T) {
	r := newRegion(t, 5*hugeBytes/pageBytes, nil)
	a := New(Config{Region: r})
	first, err := a.Alloc(pageBytes)
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.Alloc(2*hugeBytes + 1)
	if err != nil {
		t.Fatal(err)
	}
	if at := uintptr(unsafe.Pointer(&b.Bytes()[0])); at%hugeBytes != 0 {
		t.Errorf("it begins at %#x", at)
	}
	for i := range b.Bytes() {
		b.Bytes()[i] = byte(i / 4099)
	}
	left := func() int {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.small)
	}
	for end := time.Now().Add(5 * time.Second); left() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if n := left(); n > 0 {
		t.Errorf("%d pieces that were written have not been looked at", n)
	}
	for i, v := range b.Bytes() {
		if v != byte(i/4099) {
			t.Fatalf("byte %d is %d, want %d", i, v, byte(i/4099))
		}
	}
	if err := b.Free(); err != nil {
		t.Fatal(err)
	}
	if err := first.Free(); err != nil {
		t.Fatal(err)
	}
	if n := int64(5 * hugeBytes); len(r.free) != 1 || r.free[0].n != n {
		t.Errorf("free are %v, want all %d", r.free, n)
	}
	// A block that is freed before anybody has written it is not looked for.
	if b, err = a.Alloc(hugeBytes); err != nil {
		t.Fatal(err)
	}
	if left() != 1 {
		t.Errorf("%d pieces of a new block", left())
	}
	_ = b.Free()
	if left() != 0 {
		t.Errorf("%d pieces of a block that is free", left())
	}
}
