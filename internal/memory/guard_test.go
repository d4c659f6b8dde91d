package memory

import (
	"errors"
	"runtime/debug"
	"testing"
	"unsafe"
)

// touch reads or writes the byte at p and returns the address of the fault, if that is
// one.
func touch(p *byte, write bool) (at uintptr, fault bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if f, ok := recover().(interface{ Addr() uintptr }); ok {
			at, fault = f.Addr(), true
		}
	}()
	if write {
		*p = 1
	} else {
		sink = *p
	}
	return 0, false
}

var sink byte

func TestGuard_EndsAtPagesThatCannotBeTouched(t *testing.T) {
	if !canMap {
		t.Skip("no pages to map on this system")
	}
	for name, mode := range map[string]Mode{"end": Guard, "before": GuardBefore} {
		for _, size := range []int64{1, 64, 100, 4096, 4097, 10000} {
			a := New(Config{Mode: mode})
			b, err := a.Alloc(size)
			if err != nil {
				t.Fatal(err)
			}
			start := unsafe.Pointer(unsafe.SliceData(b.Bytes()))
			outside := unsafe.Add(start, -1)
			if mode == Guard {
				outside = unsafe.Add(start, (size+Alignment-1)&^(Alignment-1))
			}
			for _, write := range []bool{false, true} {
				if at, fault := touch((*byte)(outside), write); !fault || at != uintptr(outside) {
					t.Errorf("%s, %d bytes: fault %v at %#x, want one at %p", name, size, fault, at, outside)
				}
				for _, inside := range []unsafe.Pointer{start, unsafe.Add(start, size-1)} {
					if _, fault := touch((*byte)(inside), write); fault {
						t.Errorf("%s, %d bytes: a fault inside the block", name, size)
					}
				}
			}
			if err := b.Free(); err != nil {
				t.Error(err)
			}
			if _, fault := touch((*byte)(start), false); !fault {
				t.Errorf("%s, %d bytes: memory can be read after Free", name, size)
			}
		}
	}
}

func TestGuard_FreeTellsWritesBesideTheBlock(t *testing.T) {
	if !canMap {
		t.Skip("no pages to map on this system")
	}
	for _, c := range []struct {
		mode Mode
		size int64
		at   int64
	}{{Guard, 100, 100}, {Guard, 100, 127}, {Guard, 100, -1}, {Guard, 64, -1000}, {GuardBefore, 100, 100}, {GuardBefore, 100, 4095}} {
		a := New(Config{Mode: c.mode})
		b, err := a.Alloc(c.size)
		if err != nil {
			t.Fatal(err)
		}
		*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b.Bytes())), c.at)) = 7
		err = b.Free()
		var e *GuardError
		if !errors.As(err, &e) || e.At != c.at || e.Size != c.size {
			t.Errorf("%+v: %v", c, err)
		}
		if s := a.Stats(); s.Used != 0 || s.Blocks != 0 {
			t.Errorf("%+v: %+v after Free", c, s)
		}
	}
}
