//go:build linux

package main

/*
#cgo LDFLAGS: -ldl
#include "wsi_wayland.h"
#include "wsi_xcb.h"
*/
import "C"

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/icd"
)

// windows implements icd.WindowSystem for X11 and Wayland.
type windows struct{}

func (windows) Xcb(connection unsafe.Pointer, id uint32) icd.Window {
	return open(C.pumice_xcb_open(connection, C.uint32_t(id)))
}

func (windows) Xlib(display unsafe.Pointer, id uint64) icd.Window {
	return open(C.pumice_xlib_open(display, C.uint64_t(id)))
}

func (windows) Wayland(display, surface unsafe.Pointer) icd.Window {
	w := C.pumice_wayland_open(display, surface)
	if w == nil {
		return nil
	}
	return &wayland{w}
}

func (windows) Win32(uintptr) icd.Window { return nil }

func open(w *C.struct_pumice_window) icd.Window {
	if w == nil {
		return nil
	}
	return &window{w}
}

// window implements icd.Window.
type window struct{ c *C.struct_pumice_window }

func (w *window) Extent(recent bool) (width, height uint32, ok bool) {
	within := C.int(0)
	if recent {
		within = 1
	}
	ok = C.pumice_window_extent(w.c, within, (*C.uint32_t)(&width), (*C.uint32_t)(&height)) != 0
	return width, height, ok
}

func (w *window) Show(pixels []byte, width, height, stride int) bool {
	return C.pumice_window_show(w.c, (*C.uint8_t)(unsafe.SliceData(pixels)), C.uint32_t(width), C.uint32_t(height), C.uint32_t(stride)) != 0
}

// Share implements icd.Sharer.
func (w *window) Share(fd int) uint32 { return uint32(C.pumice_window_share(w.c, C.int(fd))) }

// ShowShared implements icd.Sharer.
func (w *window) ShowShared(segment uint32, width, height, stride int) bool {
	return C.pumice_window_show_shared(w.c, C.uint32_t(segment), C.uint32_t(width), C.uint32_t(height), C.uint32_t(stride)) != 0
}

// Unshare implements icd.Sharer.
func (w *window) Unshare(segment uint32) { C.pumice_window_unshare(w.c, C.uint32_t(segment)) }

func (w *window) Close() { C.pumice_window_close(w.c) }

// wayland implements icd.Window for a surface of Wayland, which has the size of its
// pictures.
type wayland struct{ c *C.struct_pumice_wayland }

func (w *wayland) Extent(bool) (width, height uint32, ok bool) {
	return icd.AnyExtent, icd.AnyExtent, C.pumice_wayland_alive(w.c) != 0
}

func (w *wayland) Show(pixels []byte, width, height, stride int) bool {
	return C.pumice_wayland_show(w.c, (*C.uint8_t)(unsafe.SliceData(pixels)), C.uint32_t(width), C.uint32_t(height), C.uint32_t(stride)) != 0
}

func (w *wayland) Close() { C.pumice_wayland_close(w.c) }
