package memory

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"unsafe"
)

// vmas is how many mappings the system says that the process has.
func vmas(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	return int64(bytes.Count(text, []byte("\n")))
}

// vmasOf is how many of them b lies in. Those of Go's runtime come and go.
func vmasOf(t *testing.T, b []byte) (n int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	start := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	for line := range bytes.Lines(text) {
		var from, to uint64
		if _, err := fmt.Sscanf(string(line), "%x-%x ", &from, &to); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if from < start+uint64(len(b)) && start < to {
			n++
		}
	}
	return n
}

// Small blocks share mappings; large ones have their own, and freed ones leave none.
func TestArena_FewMappings(t *testing.T) {
	a := New(Config{})
	before, system := Mappings(), vmas(t)
	var all []*Block
	alloc := func(n int, size int64) {
		t.Helper()
		for range n {
			b, err := a.Alloc(size)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b)
		}
	}
	alloc(6400, 100)
	alloc(640, slotBytes+1)
	if n := Mappings() - before; n > 122 {
		t.Errorf("%d mappings for 6,400 blocks of a page and 640 of two", n)
	}
	alloc(10, smallBytes+1)
	if n := Mappings() - before; n < 10 || n > 132 {
		t.Errorf("%d mappings with 10 large blocks", n)
	}
	if n := vmas(t) - system; n > 200 {
		t.Errorf("the system counts %d more mappings", n)
	}
	for _, b := range all {
		if err := b.Free(); err != nil {
			t.Fatal(err)
		}
	}
	if n := Mappings() - before; n > 1 { // the arena that is kept
		t.Errorf("%d mappings are left", n)
	}
}

// Blocks do not overlap, keep what is written to them, and are zeros when they are
// handed out again, whatever the order.
func TestArena_BlocksAreApartAndZeroed(t *testing.T) {
	a := New(Config{})
	before := Mappings()
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(worker)))
			var live []*Block
			for step := range 3000 {
				if len(live) > 0 && r.IntN(100) < 45 {
					i := r.IntN(len(live))
					d := live[i].Bytes()
					if d[0] != byte(len(d))|1 || bytes.Count(d, d[:1]) != len(d) {
						t.Errorf("worker %d, step %d: a block of %d bytes was written by another", worker, step, len(d))
					}
					if err := live[i].Free(); err != nil {
						t.Error(err)
					}
					live[i] = live[len(live)-1]
					live = live[:len(live)-1]
					continue
				}
				b, err := a.Alloc(1 + r.Int64N(smallBytes))
				if err != nil {
					t.Error(err)
					return
				}
				d := b.Bytes()
				if bytes.Count(d, []byte{0}) != len(d) || cap(d) != len(d) || uintptr(unsafe.Pointer(&d[0]))%Alignment != 0 {
					t.Errorf("worker %d, step %d: %d bytes that are not zeros, or not aligned", worker, step, len(d))
				}
				for i := range d {
					d[i] = byte(len(d)) | 1
				}
				live = append(live, b)
			}
			for _, b := range live {
				_ = b.Free()
			}
		})
	}
	wg.Wait()
	if s := a.Stats(); s.Used != 0 || s.Blocks != 0 || Mappings()-before > 1 {
		t.Errorf("%+v, %d mappings", s, Mappings()-before)
	}
}

// A freed block's pages are the system's again while its arena lives on.
func TestArena_FreedPagesGoBack(t *testing.T) {
	a := New(Config{})
	keep, err := a.Alloc(1)
	if err != nil {
		t.Fatal(err)
	}
	defer keep.Free()
	b, err := a.Alloc(smallBytes)
	if err != nil {
		t.Fatal(err)
	}
	d := b.Bytes()
	for i := range d {
		d[i] = 1
	}
	if n := resident(t, d); n != smallBytes/slotBytes {
		t.Fatalf("%d pages of a block are resident", n)
	}
	if err := b.Free(); err != nil {
		t.Fatal(err)
	}
	if n := resident(t, d); n != 0 {
		t.Errorf("%d pages of a freed block are resident", n)
	}
}

// resident is how many pages of b have memory: bit 63 of their words.
func resident(t *testing.T, b []byte) (n int) {
	t.Helper()
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	for at := 0; at < len(b); at += slotBytes {
		var word [8]byte
		if _, err := f.ReadAt(word[:], int64(uintptr(unsafe.Pointer(&b[at]))/slotBytes*8)); err != nil {
			t.Skip(err)
		}
		n += int(word[7] >> 7)
	}
	return n
}

func TestAlloc_BlockLimit(t *testing.T) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			a := New(Config{Mode: mode, Blocks: 2, Limit: 1 << 20})
			one, err := a.Alloc(1)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.Alloc(1 << 21); err == nil {
				t.Error("more than the limit")
			}
			two, err := a.Alloc(1)
			if err != nil {
				t.Fatal(err)
			}
			var ce *CountError
			if _, err := a.Alloc(1); !errors.As(err, &ce) || ce.Limit != 2 {
				t.Errorf("a third block: %v", err)
			}
			if err := one.Free(); err != nil {
				t.Fatal(err)
			}
			if one, err = a.Alloc(1); err != nil {
				t.Errorf("after Free: %v", err)
			}
			_, _ = one.Free(), two.Free()
		})
	}
}

// All that maps counts, and what is refused leaves the count as it was.
func TestMappings_LimitHoldsForAllKinds(t *testing.T) {
	a := New(Config{})
	paged, err := a.AllocPaged(8 * PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	defer paged.Free()
	s, err := NewSparse(8 * PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	window, err := a.AllocPaged(4 * PageBytes) // addresses to place memory at
	if err != nil {
		t.Fatal(err)
	}
	defer window.Free()
	fill := MaxMappings - Mappings()
	if err := mappings.take(fill); err != nil {
		t.Fatal(err)
	}
	full := Mappings()
	var ce *CountError
	for name, f := range map[string]func() error{
		"Alloc":       func() error { _, err := a.Alloc(smallBytes + 1); return err },
		"AllocShared": func() error { _, err := a.AllocShared(1); return err },
		"AllocPaged":  func() error { _, err := a.AllocPaged(1); return err },
		"NewSparse":   func() error { _, err := NewSparse(1); return err },
		"Bind":        func() error { return s.Bind(0, paged, 0, PageBytes) },
		"Unbind":      func() error { return s.Unbind(0, PageBytes) },
		"Place":       func() error { return paged.Place(window.Bytes()[:PageBytes], 0) },
	} {
		if err := f(); !errors.As(err, &ce) || Mappings() != full {
			t.Errorf("%s: %v, %d mappings", name, err, Mappings())
		}
	}
	mappings.give(fill)
	if s := a.Stats(); s.Blocks != 2 {
		t.Errorf("%+v", s)
	}
	before := Mappings()
	if err := paged.Place(window.Bytes()[PageBytes:2*PageBytes], 0); err != nil || Mappings() != before+2 {
		t.Errorf("Place: %v, %d mappings after %d", err, Mappings(), before)
	}
	if err := Displace(window.Bytes()[PageBytes:2*PageBytes], true); err != nil || Mappings() != before {
		t.Errorf("Displace: %v, %d mappings after %d", err, Mappings(), before)
	}
	if err := s.Free(); err != nil || Mappings() != before-1 {
		t.Errorf("Free: %v", err)
	}
}

// Binding pages here and there makes mappings of a sparse range; the count follows
// what the system says, and goes with the range.
func TestMappings_OfSparseRanges(t *testing.T) {
	const pages = 64
	a := New(Config{})
	b, err := a.AllocPaged(pages * PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	before := Mappings()
	s, err := NewSparse(pages * PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for step := range 2000 {
		at := r.Int64N(pages)
		n := 1 + r.Int64N(min(pages-at, 6))
		if r.IntN(3) == 0 {
			err = s.Unbind(at*PageBytes, n*PageBytes)
		} else {
			err = s.Bind(at*PageBytes, b, (r.Int64N(pages-n+1))*PageBytes, n*PageBytes)
		}
		if err != nil {
			t.Fatal(err)
		}
		if want := pieces(s.parts, 0, pages*PageBytes); s.maps != want || Mappings() != before+want {
			t.Fatalf("step %d: %d of %d mappings counted for %d pieces", step, s.maps, Mappings()-before, want)
		}
		if step%100 == 0 {
			if n := vmasOf(t, s.data); n > s.maps {
				t.Errorf("step %d: the system has %d mappings, counted are %d", step, n, s.maps)
			}
		}
	}
	if err := s.Free(); err != nil || Mappings() != before {
		t.Errorf("%v, %d mappings are left", err, Mappings()-before)
	}
}

func BenchmarkAlloc(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int64
	}{{"4KiB", 4 << 10}, {"32KiB", 32 << 10}, {"33KiB", 33 << 10}} {
		b.Run(size.name, func(b *testing.B) {
			a := New(Config{})
			keep, _ := a.Alloc(1)
			defer keep.Free()
			for b.Loop() {
				x, err := a.Alloc(size.bytes)
				if err != nil {
					b.Fatal(err)
				}
				x.Bytes()[0] = 1
				_ = x.Free()
			}
		})
	}
}
