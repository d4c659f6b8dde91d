package memory

import "golang.org/x/sys/unix"

// adviseHuge asks for huge pages, where the system gives them to those who ask: images and buffers
// are written from end to end, and texels read from all over them. It may decline.
func adviseHuge(b []byte) {
	if len(b) >= hugeBytes {
		_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
	}
}
