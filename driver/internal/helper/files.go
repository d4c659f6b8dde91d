//go:build linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package helper

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// files are descriptors on their way: of memory, semaphores and fences that other processes share.
// They travel on the socket, in front of the message, or of the reply, that they belong to.
type files struct {
	socket   int
	come     [maxSlots]chan int // one each: what a message is to have
	patience time.Duration
}

func (f *files) init(socket int) {
	f.socket, f.patience = socket, 2*time.Second
	for i := range f.come {
		f.come[i] = make(chan int, 1)
	}
}

// put keeps a descriptor for the message of a slot. What nobody asks for is closed.
func (f *files) put(slot, fd int) {
	if slot < 0 || slot >= maxSlots {
		_ = unix.Close(fd)
		return
	}
	select {
	case old := <-f.come[slot]:
		_ = unix.Close(old)
	default:
	}
	f.come[slot] <- fd // only here is anything put in
}

// take returns the descriptor for the message of a slot, or -1. The host has sent it before the
// message.
func (f *files) take(slot int) int {
	t := time.NewTimer(f.patience)
	defer t.Stop()
	select {
	case fd := <-f.come[slot]:
		return fd
	case <-t.C:
		return -1
	}
}

// around makes a call whose arguments are at p: with the descriptor that the message names in
// fields, and with the one that it returns on its way to the host.
func (f *files) around(op abi.Op, p unsafe.Pointer, slot int, fields []*int32, call func()) {
	fd := -1
	if len(fields) > 0 {
		fd = f.take(slot)
		*fields[0] = int32(fd)
	}
	call()
	if at := op.ResultOffset(); fd >= 0 && (at < 0 || *(*vk.Result)(unsafe.Add(p, at)) != vk.Success) {
		_ = unix.Close(fd) // else it is the driver's now
	}
	var out *int32
	var result *vk.Result
	switch op {
	case abi.OpGetMemoryFdKHR:
		a := (*abi.GetMemoryFdKHRArgs)(p)
		out, result = a.PFd, &a.Ret
	case abi.OpGetSemaphoreFdKHR:
		a := (*abi.GetSemaphoreFdKHRArgs)(p)
		out, result = a.PFd, &a.Ret
	case abi.OpGetFenceFdKHR:
		a := (*abi.GetFenceFdKHRArgs)(p)
		out, result = a.PFd, &a.Ret
	}
	if out == nil || *out < 0 || *result != vk.Success {
		return
	}
	// A host that reads nothing gets nothing: the call does not wait for it.
	if err := unix.Sendmsg(f.socket, []byte{byte(slot)}, unix.UnixRights(int(*out)), nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL); err != nil {
		*result = vk.ErrorTooManyObjects
	}
	_ = unix.Close(int(*out))
	*out = -1
}
