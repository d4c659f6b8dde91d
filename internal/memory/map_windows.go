package memory

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

const canMap = true

// mapPages returns n zeroed bytes of fresh pages. The system promises memory for all of them, and
// provides it when they are first touched.
func mapPages(n int) ([]byte, error) {
	at, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), n), nil // as the address of memory that is not Go's
}

// unmapPages takes all that one call of mapPages has mapped, as the system wants it.
func unmapPages(b []byte) error { return windows.VirtualFree(start(b), 0, windows.MEM_RELEASE) }

// protect makes whole pages untouchable.
func protect(ranges ...[]byte) error {
	for _, b := range ranges {
		var was uint32
		if err := windows.VirtualProtect(start(b), uintptr(len(b)), windows.PAGE_NOACCESS, &was); err != nil {
			return err
		}
	}
	return nil
}

// Mapped says whether all pages of b are mapped in the process, to be read and written.
func Mapped(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	const writable = windows.PAGE_READWRITE | windows.PAGE_WRITECOPY |
		windows.PAGE_EXECUTE_READWRITE | windows.PAGE_EXECUTE_WRITECOPY
	end := start(b) + uintptr(len(b))
	for at := start(b); at < end; {
		var m windows.MemoryBasicInformation
		if windows.VirtualQuery(at, &m, unsafe.Sizeof(m)) != nil || m.State != windows.MEM_COMMIT ||
			m.Protect&writable == 0 || m.Protect&windows.PAGE_GUARD != 0 {
			return false
		}
		at = m.BaseAddress + m.RegionSize
	}
	return true
}

// start is the address of b.
func start(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
