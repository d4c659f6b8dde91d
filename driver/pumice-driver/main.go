//go:build linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

// Command pumice-driver is the helper process of the Vulkan driver: libvulkan_pumice_front.so starts one for a program that
// wants the driver in a process of its own, or whose C library cannot load Go. Nobody else starts it.
//
//	CGO_ENABLED=0 go build -o pumice-driver ./driver/pumice-driver
//
// It needs no C library and no files. Before it takes the first message it gives up what it does not need any more
// (driver/internal/sandbox).
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pumice-gpu/pumice/driver/internal/helper"
	"github.com/pumice-gpu/pumice/driver/internal/icd"
	"github.com/pumice-gpu/pumice/driver/internal/sandbox"
	"github.com/pumice-gpu/pumice/internal/memory"
)

// The descriptors that the front leaves open, besides standard error.
const (
	socket     = sandbox.Socket // to the front: bytes for helper.Server.Hear; its end is ours
	sharedFile = 4
)

// What the front is told first.
const (
	ready        = "R"
	addressTaken = "A" // something else is mapped where the host has the memory
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "pumice: pumice-driver: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var number [5]uint64 // address, bytes, slots, bytes of a message, the host's process; the last argument is a word
	if len(args) != len(number)+1 {
		return fmt.Errorf("this is no program for people: libvulkan_pumice_front.so starts it (docs/driver.md)")
	}
	for i := range number {
		n, err := strconv.ParseUint(args[i], 16, 63)
		if err != nil {
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
		number[i] = n
	}
	host := -1 // a descriptor of the host; -1 where the system has none
	if fd, err := unix.PidfdOpen(int(number[4]), 0); err == nil {
		host = fd
	}
	data, err := share(uintptr(number[0]), number[1])
	if err != nil {
		_, _ = unix.Write(socket, []byte(addressTaken))
		return nil
	}
	layout := helper.Layout{Data: data, Slots: int(number[2]), Message: int(number[3])}
	if !layout.Valid() {
		return fmt.Errorf("the parts of the shared memory do not fit into %d bytes", number[1])
	}
	cfg := icd.Settings(os.Getenv, os.Stderr)
	cfg.Frames.Use = os.Getenv("PUMICE_USE") // is opened now
	for _, name := range []string{"PUMICE_FRAME", "PUMICE_FRAMES", "PUMICE_EXPLAIN"} {
		if os.Getenv(name) != "" {
			fmt.Fprintf(os.Stderr, "pumice: %s writes files, which a helper process cannot; set PUMICE_ISOLATE=0\n", name)
		}
	}
	runtime.GOMAXPROCS(cfg.Threads + 2) // as the library in process has it: calls find a processor
	var claim func(offset, n int64) error
	if args[5] == "file" { // a file of a file system, which may be full
		from := int64(len(data) - len(layout.Shared()))
		claim = func(offset, n int64) error { return unix.Fallocate(sharedFile, 0, from+offset, n) }
	} else {
		// Nobody takes pages away from under the mapping.
		_, _ = unix.FcntlInt(sharedFile, unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	}
	memory.ReadLimits()
	memory.ReserveHeap() // where addresses are limited; what is left can be read in a file, and soon not any more
	server := helper.New(layout, cfg, claim, socket)
	if err := sandbox.Enter(); err != nil {
		return err
	}
	if _, err := unix.Write(socket, []byte(ready)); err != nil {
		return nil // the host is gone
	}
	return listen(server, host)
}

// share maps the file where the host has it.
func share(at uintptr, n uint64) ([]byte, error) {
	const fixedNoReplace = 0x100000 // MAP_FIXED_NOREPLACE; older systems take at for a hint
	want := *(*unsafe.Pointer)(unsafe.Pointer(&at))
	p, err := unix.MmapPtr(sharedFile, 0, want, uintptr(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE|fixedNoReplace)
	if err != nil {
		return nil, err
	}
	if uintptr(p) != at {
		return nil, unix.EEXIST
	}
	return unsafe.Slice((*byte)(p), n), nil
}

// listen takes in what the host sends, until it is gone.
func listen(server *helper.Server, host int) error {
	fds := []unix.PollFd{{Fd: socket, Events: unix.POLLIN}, {Fd: int32(host), Events: unix.POLLIN}}
	var bytes [64]byte
	rights := make([]byte, unix.CmsgSpace(4*16))
	for {
		switch _, err := unix.Poll(fds, -1); {
		case err == unix.EINTR:
			continue
		case err != nil:
			return err
		case host >= 0 && fds[1].Revents != 0:
			return nil
		}
		n, more, _, _, err := unix.Recvmsg(socket, bytes[:], rights, unix.MSG_CMSG_CLOEXEC)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil || n == 0:
			return nil
		}
		fd := descriptor(rights[:more])
		for i, b := range bytes[:n] {
			if i < n-1 {
				server.Hear(b, -1)
			} else {
				server.Hear(b, fd) // the system returns nothing behind a byte that has a descriptor
			}
		}
	}
}

// descriptor is the one that came with a byte; -1 if none did. Where there are several, the rest is
// closed.
func descriptor(rights []byte) int {
	first := -1
	messages, _ := unix.ParseSocketControlMessage(rights)
	for i := range messages {
		all, _ := unix.ParseUnixRights(&messages[i])
		for _, fd := range all {
			if first < 0 {
				first = fd
			} else {
				_ = unix.Close(fd)
			}
		}
	}
	return first
}
