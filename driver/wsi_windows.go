//go:build cgo

package main

import (
	"runtime"
	"unsafe"

	win "golang.org/x/sys/windows"

	"github.com/pumice-gpu/pumice/driver/internal/icd"
)

// Libraries that are loaded with the first surface: most programs have no window, and some systems
// no such libraries.
var (
	user32            = win.NewLazySystemDLL("user32.dll")
	gdi32             = win.NewLazySystemDLL("gdi32.dll")
	isWindow          = user32.NewProc("IsWindow")
	getClientRect     = user32.NewProc("GetClientRect")
	getDCEx           = user32.NewProc("GetDCEx")
	releaseDC         = user32.NewProc("ReleaseDC")
	setDIBitsToDevice = gdi32.NewProc("SetDIBitsToDevice")
	gdiFlush          = gdi32.NewProc("GdiFlush")
)

// windows implements icd.WindowSystem for the windows of Windows.
type windows struct{}

func (windows) Xcb(unsafe.Pointer, uint32) icd.Window { return nil }

func (windows) Xlib(unsafe.Pointer, uint64) icd.Window { return nil }

func (windows) Wayland(_, _ unsafe.Pointer) icd.Window { return nil }

func (windows) Win32(handle uintptr) icd.Window {
	for _, p := range []*win.LazyProc{isWindow, getClientRect, getDCEx, releaseDC, setDIBitsToDevice, gdiFlush} {
		if p.Find() != nil {
			return nil
		}
	}
	return &window{handle}
}

// window implements icd.Window for a HWND.
type window struct{ handle uintptr }

func (w *window) there() bool {
	is, _, _ := isWindow.Call(w.handle)
	return is != 0
}

// Extent is that of the client area: 0×0 of a window that is minimized.
func (w *window) Extent(bool) (width, height uint32, ok bool) {
	var r struct{ left, top, right, bottom int32 }
	got, _, _ := getClientRect.Call(w.handle, uintptr(unsafe.Pointer(&r)))
	return uint32(r.right - r.left), uint32(r.bottom - r.top), got != 0
}

// bitmap is a BITMAPINFOHEADER of 32-bit texels.
type bitmap struct {
	size           uint32
	width, height  int32 // below 0: rows from the top down
	planes, bits   uint16
	compression    uint32
	bytes          uint32
	perMeter       [2]int32
	colors, needed uint32
}

func (w *window) Show(pixels []byte, width, height, stride int) bool {
	if !w.there() {
		return false
	}
	runtime.LockOSThread() // a device context belongs to the thread that has asked for it
	defer runtime.UnlockOSThread()
	// Not the context that a window may have of its own, which is the application's.
	const cache, siblings = 0x2, 0x10
	context, _, _ := getDCEx.Call(w.handle, 0, cache|siblings)
	if context == 0 {
		return w.there()
	}
	b := bitmap{width: int32(stride / 4), height: -int32(height), planes: 1, bits: 32}
	b.size = uint32(unsafe.Sizeof(b))
	_, _, _ = setDIBitsToDevice.Call(context, 0, 0, uintptr(width), uintptr(height),
		0, 0, 0, uintptr(height), // all rows, from the first
		uintptr(unsafe.Pointer(unsafe.SliceData(pixels))), uintptr(unsafe.Pointer(&b)), 0)
	_, _, _ = gdiFlush.Call()
	_, _, _ = releaseDC.Call(w.handle, context)
	return w.there()
}

func (w *window) Close() {}
