package memory

import (
	"errors"
	"math"
	"sync"
	"testing"
	"unsafe"
)

var modes = map[string]Mode{"OffHeap": OffHeap, "Heap": Heap, "Guard": Guard, "GuardBefore": GuardBefore}

func TestAlloc_ZeroedAlignedSized(t *testing.T) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			a := New(Config{Mode: mode})
			for _, n := range []int64{1, 63, 64, 65, 4096, 100003} {
				b, err := a.Alloc(n)
				if err != nil {
					t.Fatal(err)
				}
				d := b.Bytes()
				if int64(len(d)) != n || cap(d) != len(d) {
					t.Errorf("size %d: len %d cap %d", n, len(d), cap(d))
				}
				if p := uintptr(unsafe.Pointer(unsafe.SliceData(d))); p%Alignment != 0 {
					t.Errorf("size %d: address %#x is not aligned", n, p)
				}
				for i := range d {
					if d[i] != 0 {
						t.Fatalf("size %d: byte %d is not zero", n, i)
					}
					d[i] = 0xFF
				}
				if err := b.Free(); err != nil {
					t.Error(err)
				}
			}
			if s := a.Stats(); s.Used != 0 || s.Blocks != 0 || s.Peak != 100003 {
				t.Errorf("stats %+v", s)
			}
		})
	}
}

func TestFree_TwiceAndNil(t *testing.T) {
	a := New(Config{})
	b, err := a.Alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.Free(); err != nil {
			t.Error(err)
		}
	}
	if b.Bytes() != nil || a.Stats().Used != 0 {
		t.Error("a freed block still counts")
	}
	if err := (*Block)(nil).Free(); err != nil {
		t.Error(err)
	}
}

func TestAlloc_LimitAndSizes(t *testing.T) {
	a := New(Config{Mode: Heap, Limit: 1000})
	b, err := a.Alloc(600)
	if err != nil {
		t.Fatal(err)
	}
	var le *LimitError
	if _, err := a.Alloc(401); !errors.As(err, &le) || le.Used != 600 || le.Limit != 1000 || le.Size != 401 {
		t.Errorf("got %v", err)
	}
	if c, err := a.Alloc(400); err != nil {
		t.Error(err)
	} else {
		c.Free()
	}
	b.Free()
	var se *SizeError
	for _, n := range []int64{0, -1, math.MinInt64, math.MaxInt64} {
		if _, err := a.Alloc(n); !errors.As(err, &se) {
			t.Errorf("size %d: got %v", n, err)
		}
	}
	if _, err := New(Config{}).Alloc(1 << 62); err == nil {
		t.Error("the system granted 2^62 bytes")
	}
}

func TestAlloc_Concurrent(t *testing.T) {
	a := New(Config{Mode: Heap, Limit: 64 << 10})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 200 {
				if b, err := a.Alloc(int64(i%7+1) * 1024); err == nil {
					b.Bytes()[0] = 1
					b.Free()
				}
			}
		})
	}
	wg.Wait()
	if s := a.Stats(); s.Used != 0 || s.Blocks != 0 || s.Peak > s.Limit {
		t.Errorf("stats %+v", s)
	}
}

// Words are those of the bytes, where these are aligned.
func TestWords(t *testing.T) {
	b := heapBytes(12)
	for i := range b {
		b[i] = byte(i)
	}
	if w := Words(b); len(w) != 3 || w[1] != 0x07060504 {
		t.Errorf("%x", w)
	}
	if Words(b[1:]) != nil || Words(nil) != nil || len(Words(b[4:11])) != 1 {
		t.Error("words that are not there")
	}
}
