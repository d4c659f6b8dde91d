package memory

import (
	"errors"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

func TestSparse_BindAliasRebindUnbind(t *testing.T) {
	rules.Covers(t, "IMG-303")
	a := New(Config{})
	s, err := NewSparse(10 * PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	one, err := a.AllocPaged(4 * PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	two, err := a.AllocShared(PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	bind := func(page int64, b *Block, from, n int64) {
		t.Helper()
		if err := s.Bind(page*PageBytes, b, from*PageBytes, n*PageBytes); err != nil {
			t.Fatal(err)
		}
	}
	one.Bytes()[PageBytes] = 11
	two.Bytes()[0] = 22
	bind(0, one, 0, 4)
	bind(6, one, 1, 2) // the same pages again
	bind(2, two, 0, 1) // in place of one's
	d := s.Bytes()
	if d[PageBytes] != 11 || d[6*PageBytes] != 11 || d[2*PageBytes] != 22 || d[4*PageBytes] != 0 {
		t.Errorf("the range shows %d %d %d %d", d[PageBytes], d[6*PageBytes], d[2*PageBytes], d[4*PageBytes])
	}
	d[6*PageBytes] = 33
	if one.Bytes()[PageBytes] != 33 || d[PageBytes] != 33 {
		t.Error("a write through one place is not seen at the others")
	}
	for page, want := range []bool{true, true, true, true, false, false, true, true, false, false} {
		if got := s.Bound(int64(page)*PageBytes+5, 1); got != want {
			t.Errorf("page %d bound: %v", page, got)
		}
	}
	set := NewSparseSet([]*Sparse{s})
	if !set.Bound(d[4*PageBytes-4:], 4) || set.Bound(d[4*PageBytes-4:], 5) || set.Bound(d[9*PageBytes:], 1) || !set.Bound(one.Bytes(), 1) {
		t.Error("SparseSet.Bound is wrong")
	}
	d[4*PageBytes], d[9*PageBytes] = 1, 1
	s.Discard()
	if d[4*PageBytes] != 0 || d[9*PageBytes] != 0 || d[2*PageBytes] != 22 {
		t.Error("Discard kept or took the wrong pages")
	}
	// Memory that is given up lasts where it is bound, and counts until then.
	if err := errors.Join(one.Free(), two.Free()); err != nil {
		t.Fatal(err)
	}
	if d[7*PageBytes] = 7; d[2*PageBytes] != 22 || a.Stats().Used != 5*PageBytes {
		t.Errorf("after Free: %d, %d bytes in use", d[2*PageBytes], a.Stats().Used)
	}
	// IMG-303: what has no memory reads as 0.
	if err := s.Unbind(PageBytes, 2*PageBytes); err != nil || d[PageBytes] != 0 || a.Stats().Used != 4*PageBytes || s.Bound(PageBytes, 1) || !s.Bound(0, PageBytes) || !s.Bound(3*PageBytes, 1) {
		t.Errorf("after Unbind: %v, %d bytes in use", err, a.Stats().Used)
	}
	if err := s.Free(); err != nil || a.Stats().Used != 0 || a.Stats().Blocks != 0 {
		t.Errorf("after the last: %v, %+v", err, a.Stats())
	}
}

func TestSparse_WrongBindings(t *testing.T) {
	a := New(Config{})
	s, err := NewSparse(4 * PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	b, err := a.AllocPaged(2 * PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	plain, err := a.Alloc(2 * PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Free()
	for name, err := range map[string]error{
		"odd":       s.Bind(1, b, 0, PageBytes),
		"beyond":    s.Bind(3*PageBytes, b, 0, 2*PageBytes),
		"negative":  s.Bind(-PageBytes, b, 0, PageBytes),
		"empty":     s.Bind(0, b, 0, 0),
		"too much":  s.Bind(0, b, PageBytes, 2*PageBytes),
		"huge":      s.Bind(0, b, 1<<62, PageBytes),
		"not paged": s.Bind(0, plain, 0, PageBytes),
		"nothing":   s.Bind(0, nil, 0, PageBytes),
		"unbinding": s.Unbind(0, 5*PageBytes),
	} {
		var e *BindError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, size := range []int64{0, -1, 1 << 60} {
		if _, err := NewSparse(size); err == nil {
			t.Errorf("%d bytes of addresses", size)
		}
	}
}
