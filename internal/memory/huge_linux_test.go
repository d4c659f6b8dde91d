package memory

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Large blocks ask for huge pages, small ones and those that are bound page by page do not.
func TestAlloc_LargeBlocksAskForHugePages(t *testing.T) {
	probe, err := mapPages(hugeBytes)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unmapPages(probe) }()
	if err := unix.Madvise(probe, unix.MADV_HUGEPAGE); err != nil {
		t.Skip("the system has no huge pages:", err)
	}
	a := New(Config{})
	for _, c := range []struct {
		size int64
		want bool
	}{{hugeBytes, true}, {5*hugeBytes + 4096, true}, {hugeBytes - 4096, false}} {
		b, err := a.Alloc(c.size)
		if err != nil {
			t.Fatal(err)
		}
		// The last page: a block before may be joined to the first.
		at := uintptr(unsafe.Pointer(unsafe.SliceData(b.Bytes()))) + uintptr(c.size) - 1
		if got := asksForHuge(t, at); got != c.want {
			t.Errorf("a block of %d bytes asks for huge pages: %v", c.size, got)
		}
		if err := b.Free(); err != nil {
			t.Error(err)
		}
	}
}

// asksForHuge says whether the mapping of an address has the flag.
func asksForHuge(t *testing.T, at uintptr) bool {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip("no list of mappings:", err)
	}
	defer f.Close()
	inside := false
	for s := bufio.NewScanner(f); s.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(s.Text(), "%x-%x ", &from, &to); n == 2 {
			inside = from <= at && at < to
		}
		if flags, ok := strings.CutPrefix(s.Text(), "VmFlags:"); ok && inside {
			return strings.Contains(flags+" ", " hg ")
		}
	}
	t.Fatalf("no mapping has address %#x", at)
	return false
}
