//go:build !race

package memory

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The test runs itself with limits of addresses and of data, in bytes: what "ulimit -v" and "ulimit -d" set.
func TestRoom_UnderLimits(t *testing.T) {
	if limit := os.Getenv("PUMICE_TEST_CONFINED"); limit != "" {
		var of int
		var bytes uint64
		if _, err := fmt.Sscan(limit, &of, &bytes); err != nil {
			t.Fatal(err)
		}
		var now unix.Rlimit
		if err := unix.Getrlimit(of, &now); err != nil {
			t.Fatal(err)
		}
		bytes = min(bytes, now.Max)
		if err := unix.Setrlimit(of, &unix.Rlimit{Cur: bytes, Max: bytes}); err != nil {
			t.Fatal(err)
		}
		t.Run("blocks", confinedBlocks)
		t.Run("heap", confinedHeap)
		return
	}
	for _, limit := range []string{fmt.Sprint(unix.RLIMIT_AS, uint64(2500000<<10)), fmt.Sprint(unix.RLIMIT_DATA, 600000<<10)} {
		cmd := exec.Command(os.Args[0], "-test.run", "TestRoom_UnderLimits")
		cmd.Env = append(os.Environ(), "PUMICE_TEST_CONFINED="+limit)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("limit %s: %v\n%s", strings.Fields(limit), err, out)
		}
	}
}

// Blocks of all kinds leave keepRoom, and what is freed can be had again.
func confinedBlocks(t *testing.T) {
	a := New(Config{})
	var all []*Block
	free := func() {
		for _, b := range all {
			_ = b.Free()
		}
		all = nil
	}
	defer free()
	for name, alloc := range map[string]func(int64) (*Block, error){"Alloc": a.Alloc, "AllocPaged": a.AllocPaged} {
		for size := int64(64 << 20); size >= 1<<20; {
			b, err := alloc(size)
			if err != nil {
				if full := (*RoomError)(nil); !errors.As(err, &full) {
					if system := (*SystemError)(nil); !errors.As(err, &system) || name == "Alloc" {
						t.Fatalf("%s of %d bytes: %v", name, size, err)
					}
				}
				size /= 4
				continue
			}
			if all = append(all, b); len(all) > 10000 {
				break // shared pages are no data
			}
		}
		room, ok := Room()
		if !ok || room < keepRoom || room > keepRoom+8<<20 && name == "Alloc" {
			t.Errorf("%s leaves %d MiB, %v", name, room>>20, ok)
		}
		free()
	}
	if b, err := a.Alloc(64 << 20); err != nil {
		t.Errorf("after Free: %v", err)
	} else {
		_ = b.Free()
	}
	if s := a.Stats(); s.Used != 0 {
		t.Errorf("%+v", s)
	}
}

// The heap is bounded, and garbage does not count.
func confinedHeap(t *testing.T) {
	before, _ := Room()
	ReserveHeap()
	after, _ := Room()
	if !HeapBounded() || HeapShort(leastHeap/2) || before-after > before/4+2*heapArena {
		t.Errorf("the heap took %d of %d MiB", (before-after)>>20, before>>20)
	}
	var live [][]byte
	for !HeapShort(8<<20) && len(live) < 4096 {
		live = append(live, make([]byte, 1<<20))
	}
	if n := int64(len(live)) << 20; n > before/4+heapArena || n < leastHeap/2 {
		t.Errorf("the heap is short with %d MiB, of %d", len(live), before>>20)
	}
	runtime.KeepAlive(live)
	live = nil
	if HeapShort(8 << 20) {
		t.Error("garbage counts")
	}
}
