package memory

import "testing"

// A block's pages count from when they are touched, small blocks' and large ones' alike.
func TestCommitted_TouchedPages(t *testing.T) {
	a := New(Config{})
	for _, pages := range []int64{smallBytes / PageBytes, 3 * smallBytes / PageBytes} {
		b, err := a.Alloc(pages*PageBytes - 100)
		if err != nil {
			t.Fatal(err)
		}
		check := func(want int64) {
			t.Helper()
			if got := b.Committed(); got != want {
				t.Errorf("%d pages: %d bytes, want %d", pages, got, want)
			}
		}
		check(0)
		b.Bytes()[3*PageBytes+5] = 1
		b.Bytes()[5*PageBytes] = 1
		check(2 * PageBytes)
		b.Bytes()[5*PageBytes+9] = 1
		check(2 * PageBytes)
		for i := range pages {
			b.Bytes()[i*PageBytes] = 1
		}
		check(pages*PageBytes - 100)
		if err := b.Free(); err != nil {
			t.Fatal(err)
		}
	}
	h := New(Config{Mode: Heap})
	b, err := h.Alloc(100)
	if err != nil || b.Committed() != 100 {
		t.Errorf("on the heap: %d, %v", b.Committed(), err)
	}
}
