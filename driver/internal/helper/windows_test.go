//go:build linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package helper

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/memory"
)

// record is a window's record as the host has it.
func (h *host) record(n int) *windowRecord {
	return (*windowRecord)(unsafe.Pointer(&h.layout.Data[controlPage+n*slotBytes]))
}

// TestWindows_ShowWhatTheHostCanRead: pictures of device memory where they are, others where a copy
// is; and what the host says of the window.
func TestWindows_ShowWhatTheHostCanRead(t *testing.T) {
	h := newHost(t)
	r := h.record(3)
	r.width.Store(640)
	r.height.Store(480)
	r.there.Store(1)
	ws := h.windows
	w := ws.Xcb(unsafe.Pointer(r), 7)
	if w == nil {
		t.Fatal("no window")
	}
	defer w.Close()
	if x, y, ok := w.Extent(false); x != 640 || y != 480 || !ok {
		t.Errorf("%d×%d %v", x, y, ok)
	}
	block, err := ws.memory.Alloc(64)
	if err != nil {
		t.Fatal(err)
	}
	private := bytes.Repeat([]byte{1, 2, 3, 4}, 5000) // larger than the first one
	for _, pixels := range [][]byte{block.Bytes(), private, private[:8]} {
		for i := range pixels {
			pixels[i] += byte(i)
		}
		var seen []byte
		shows := make(chan bool)
		go func() { // the host's thread
			for r.state.Load() != show {
				memory.WaitWord(&r.state, shown, longest)
			}
			at := r.picture - uint64(address(h.layout.Data))
			if at < uint64(len(h.layout.Data)) && r.stride == 4 && r.pictureWidth == 1 && int(r.pictureHeight) == len(pixels)/4 {
				seen = bytes.Clone(h.layout.Data[at:][:len(pixels)])
			}
			if &pixels[0] == &block.Bytes()[0] && r.picture != uint64(uintptr(unsafe.Pointer(&pixels[0]))) {
				t.Error("device memory is copied")
			}
			r.state.Store(shown)
			memory.WakeWord(&r.state)
			close(shows)
		}()
		if !w.Show(pixels, 1, len(pixels)/4, 4) {
			t.Error("the window is gone")
		}
		<-shows
		if !bytes.Equal(seen, pixels) {
			t.Errorf("the host sees %d other bytes", len(seen))
		}
	}
	r.there.Store(0)
	if _, _, ok := w.Extent(false); ok {
		t.Error("a window that is gone has a size")
	}
	r.state.Store(closed)
	if w.Show(private, 1, 1, 4) {
		t.Error("a closed window shows a picture")
	}
}

// TestWindows_AreRecords: nothing else of what the host may name is a window.
func TestWindows_AreRecords(t *testing.T) {
	h := newHost(t)
	ws := h.windows
	data := uintptr(unsafe.Pointer(&h.layout.Data[0]))
	for _, at := range []uintptr{0, data, data + controlPage + 8, data + controlPage - slotBytes, data + 2*controlPage - slotBytes, data + 2*controlPage, data - controlPage, ^uintptr(0) - 63} {
		if ws.Wayland(pointer(at), nil) != nil {
			t.Errorf("%#x is a window", at-data)
		}
	}
	for n := range 63 {
		if ws.Xlib(unsafe.Pointer(h.record(n)), 0) == nil {
			t.Errorf("record %d is no window", n)
		}
	}
}

// TestServer_Pulse: the question whether the helper works is answered by a count.
func TestServer_Pulse(t *testing.T) {
	h := newHost(t)
	count := (*uint32)(unsafe.Pointer(&h.layout.Data[controlBytes-slotBytes]))
	for want := range uint32(3) {
		if *count != want {
			t.Errorf("%d, want %d", *count, want)
		}
		h.Hear(pulseByte, -1)
	}
}
