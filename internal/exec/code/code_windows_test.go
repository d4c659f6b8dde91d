//go:build amd64 || arm64

package code

import (
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Code can be read and executed where it runs, and read and written where it was written.
func TestLoad_IsNotWritable(t *testing.T) {
	c := load(t, store)
	for name, at := range map[string]struct {
		address uintptr
		rights  uint32
	}{"run": {address(&c.bytes[0]), windows.PAGE_EXECUTE_READ}, "write": {address(&arena.current.write[0]), windows.PAGE_READWRITE}} {
		var info windows.MemoryBasicInformation
		if err := windows.VirtualQuery(at.address, &info, unsafe.Sizeof(info)); err != nil {
			t.Fatal(err)
		}
		if info.Protect != at.rights {
			t.Errorf("%s: protection %#x, want %#x", name, info.Protect, at.rights)
		}
	}
	runtime.KeepAlive(c)
}
