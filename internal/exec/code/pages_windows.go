//go:build amd64 || arm64

package code

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/windows"
)

// shares says that codes share mappings: memory is mapped twice.
const shares = true

// pages are a section of the paging file, viewed to write and to execute.
type pages struct{ write, run []byte }

// flush is FlushInstructionCache, which processors of amd64 need not.
var flush = windows.NewLazySystemDLL("kernel32.dll").NewProc("FlushInstructionCache")

func newPages(n int) (p pages, err error) {
	section, err := windows.CreateFileMapping(windows.InvalidHandle, nil, windows.PAGE_EXECUTE_READWRITE, uint32(uint64(n)>>32), uint32(n), nil)
	if err != nil {
		return p, err
	}
	defer windows.CloseHandle(section) // the views keep it
	view := func(access uint32) ([]byte, error) {
		at, err := windows.MapViewOfFile(section, access, 0, 0, uintptr(n))
		if err != nil {
			return nil, err
		}
		return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), n), nil // as the address of memory that is not Go's
	}
	if p.write, err = view(windows.FILE_MAP_WRITE); err != nil {
		return p, err
	}
	if p.run, err = view(windows.FILE_MAP_READ | windows.FILE_MAP_EXECUTE); err != nil {
		_ = windows.UnmapViewOfFile(address(&p.write[0]))
	}
	return p, err
}

func (p *pages) publish(at, n int) error {
	if runtime.GOARCH != "amd64" {
		if ok, _, err := flush.Call(uintptr(windows.CurrentProcess()), address(&p.run[at]), uintptr(n)); ok == 0 {
			return err
		}
	}
	return nil
}

func (p *pages) free() {
	_ = windows.UnmapViewOfFile(address(&p.write[0]))
	_ = windows.UnmapViewOfFile(address(&p.run[0]))
}

// Anonymous makes the memory of later codes one of no file: there is no other here.
func Anonymous() {}
