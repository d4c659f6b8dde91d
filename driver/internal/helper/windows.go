//go:build linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package helper

import (
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/icd"
	"github.com/pumice-gpu/pumice/internal/memory"
)

// windowRecord is what a thread of the host and the driver tell each other of a window; link.h has
// the same struct. What the host writes there is read once.
type windowRecord struct {
	state                       atomic.Uint32
	width, height, there        atomic.Uint32 // as the host has seen it last
	picture                     uint64
	pictureWidth, pictureHeight uint32
	stride                      uint32
	_                           [28]byte
}

// The states of a window. The host closes it, and the driver has it show a picture.
const (
	shown  = 0
	show   = 1
	closed = 2
)

var _ [slotBytes]byte = [unsafe.Sizeof(windowRecord{})]byte{}

// windows implements icd.WindowSystem: the host has opened the window, and names the record of it
// where the connection to its display stood.
type windows struct {
	server *Server
	memory *memory.Allocator // shared
}

func (ws windows) open(record unsafe.Pointer) icd.Window {
	at := uintptr(record) - uintptr(unsafe.Pointer(unsafe.SliceData(ws.server.layout.Data)))
	if at < controlPage || at >= 2*controlPage-slotBytes || at%slotBytes != 0 {
		return nil
	}
	return &window{record: (*windowRecord)(record), windows: ws}
}

func (ws windows) Xcb(connection unsafe.Pointer, _ uint32) icd.Window { return ws.open(connection) }

func (ws windows) Xlib(display unsafe.Pointer, _ uint64) icd.Window { return ws.open(display) }

func (ws windows) Wayland(display, _ unsafe.Pointer) icd.Window { return ws.open(display) }

func (windows) Win32(uintptr) icd.Window { return nil }

// window implements icd.Window.
type window struct {
	record  *windowRecord
	windows windows
	copied  *memory.Block // for pictures that are not in shared memory; nil: there was none yet
}

func (w *window) Extent(bool) (width, height uint32, ok bool) {
	return w.record.width.Load(), w.record.height.Load(), w.record.there.Load() != 0
}

// Show waits for the host as long as the window is open: the goroutine is one of the surface's.
func (w *window) Show(pixels []byte, width, height, stride int) bool {
	r := w.record
	at := w.shared(pixels)
	if at == nil {
		return true // there is no memory: the picture is left out
	}
	r.picture, r.stride = uint64(uintptr(at)), uint32(stride)
	r.pictureWidth, r.pictureHeight = uint32(width), uint32(height)
	if !r.state.CompareAndSwap(shown, show) {
		return false
	}
	memory.WakeWord(&r.state)
	for r.state.Load() == show {
		memory.WaitWord(&r.state, show, time.Second)
	}
	return r.state.Load() == shown && r.there.Load() != 0
}

// shared is where the host can read a picture: where it is, or a copy of it.
func (w *window) shared(pixels []byte) unsafe.Pointer {
	p := unsafe.Pointer(unsafe.SliceData(pixels))
	data := w.windows.server.layout.Data
	if at := uintptr(p) - uintptr(unsafe.Pointer(unsafe.SliceData(data))); at < uintptr(len(data)) && uintptr(len(pixels)) <= uintptr(len(data))-at {
		return p
	}
	if w.copied.Size() < int64(len(pixels)) {
		_ = w.copied.Free()
		var err error
		if w.copied, err = w.windows.memory.Alloc(int64(len(pixels))); err != nil {
			w.copied = nil
			return nil
		}
	}
	copy(w.copied.Bytes(), pixels)
	return unsafe.Pointer(unsafe.SliceData(w.copied.Bytes()))
}

func (w *window) Close() {
	_ = w.copied.Free()
	w.copied = nil
}
