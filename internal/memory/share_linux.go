package memory

import (
	"errors"
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// seals keep the size of a shared file: no other process can take pages away from
// under a mapping.
const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// createShared makes a file of n zeroed bytes (whole pages), and maps n of them.
func createShared(n int) (data []byte, fd int, err error) {
	if n > math.MaxInt-pageBytes {
		return nil, -1, unix.ENOMEM
	}
	fd, err = unix.MemfdCreate("pumice", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, -1, err
	}
	if err = unix.Ftruncate(fd, int64(n+pageBytes-1)&^(pageBytes-1)); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals)
	}
	if err == nil {
		data, err = unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, -1, err
	}
	return data[:n:n], fd, nil
}

// openShared maps n bytes of a file that createShared has made, here or in another
// process.
func openShared(fd, n int) ([]byte, error) {
	have, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil {
		return nil, err
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return nil, err
	}
	if have != seals || stat.Size < int64(n) {
		return nil, errors.New("not a file of shared memory of that size")
	}
	data, err := unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return data[:n:n], nil
}

// DuplicateFD returns another descriptor of the same file.
func DuplicateFD(fd int) (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0) }

// fileID is the number of a descriptor's file.
func fileID(fd int) (uint64, bool) {
	var stat unix.Stat_t
	err := unix.Fstat(fd, &stat)
	return stat.Ino, err == nil
}

// CloseFD closes a file descriptor.
func CloseFD(fd int) { _ = unix.Close(fd) }

// Mapped says whether all pages of b are mapped in the process.
func Mapped(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	first := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	skip := first % pageBytes
	_, _, e := unix.Syscall(unix.SYS_MSYNC, first-skip, uintptr(len(b))+skip, unix.MS_ASYNC)
	return e == 0
}

// residentBytes returns how many bytes the pages of b have that are in memory; all, if the system does not tell.
func residentBytes(b []byte) (n int64) {
	const chunk = 4096 // pages asked for at once
	var pages [chunk]byte
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	end := at + uintptr(len(b))
	for at &^= pageBytes - 1; at < end; at += chunk * pageBytes {
		size := min(chunk*pageBytes, end-at)
		if _, _, e := unix.Syscall(unix.SYS_MINCORE, at, size, uintptr(unsafe.Pointer(&pages))); e != 0 {
			return int64(len(b))
		}
		for _, p := range pages[:(size+pageBytes-1)/pageBytes] {
			n += int64(p&1) * pageBytes
		}
	}
	return n
}

// WaitWord sleeps while *word is old, until somebody calls WakeWord in this process
// or another, or timeout is over. It may also return for no reason.
func WaitWord(word *atomic.Uint32, old uint32, timeout time.Duration) {
	t := unix.NsecToTimespec(int64(timeout))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), 0 /* FUTEX_WAIT */, uintptr(old), uintptr(unsafe.Pointer(&t)), 0, 0)
}

// WakeWord wakes everybody who waits for word to change.
func WakeWord(word *atomic.Uint32) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), 1 /* FUTEX_WAKE */, math.MaxInt32, 0, 0, 0)
}

// NewSignal makes a file descriptor that becomes readable with RaiseSignal.
func NewSignal() (int, error) { return unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK) }

// RaiseSignal makes a descriptor of NewSignal readable for good.
func RaiseSignal(fd int) { _, _ = unix.Write(fd, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

// Readable waits until a descriptor is readable, or timeout is over. A descriptor
// that is none is readable at once.
func Readable(fd int, timeout time.Duration) bool {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for end := time.Now().Add(timeout); ; {
		// Rounded up: a wait of half a millisecond is not a question.
		left := max(0, time.Until(end)+time.Millisecond-1)
		n, err := unix.Poll(p, int(left.Milliseconds()))
		if err != unix.EINTR { // the scheduler's signals end the call too
			return err == nil && n > 0
		}
	}
}

// Pollable says whether fd is a descriptor that can be waited for.
func Pollable(fd int) bool {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	_, err := unix.Poll(p, 0) // it does not wait, so no signal ends it
	return err == nil && p[0].Revents&(unix.POLLNVAL|unix.POLLERR) == 0
}
