//go:build linux

// Package sandbox lets a process give up what it does not need, for good: new files, sockets, programs, other processes, and
// new rights. What it keeps is memory, threads, time, and the descriptors that it has.
//
// There are two walls. Landlock forbids all of the file system, where the system has it. A filter of system calls lets those
// through that are listed here, and refuses all others with EPERM.
package sandbox

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Socket is the one descriptor on which a process behind the walls may send and receive messages.
const Socket = 3

// Enter puts the process, with all of its threads, behind both walls. There is no way out. An error says that one of them
// could not be built, though the system has it.
func Enter() error {
	if _, _, e := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); e != 0 && e != syscall.ENOTSUP {
		return fmt.Errorf("sandbox: no new privileges: %w", e)
	}
	if err := leaveFiles(); err != nil {
		return fmt.Errorf("sandbox: landlock: %w", err)
	}
	// Where the process has C, Go cannot reach all threads; TSYNC sets both on all of them.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("sandbox: no new privileges: %w", err)
	}
	if len(allowed) == 0 {
		return fmt.Errorf("sandbox: there is no list of system calls for this processor")
	}
	if err := filterCalls(program(uint32(os.Getpid()))); err != nil {
		return fmt.Errorf("sandbox: seccomp: %w", err)
	}
	return nil
}

// leaveFiles forbids every use of the file system by path.
func leaveFiles() error {
	version, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if e != 0 {
		return nil // the system has no Landlock, or has it switched off; the filter stands alone
	}
	access := uint64(1)<<13 - 1 // all of the first version
	if version >= 2 {
		access |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		access |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	attribute := [1]uint64{access}
	fd, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attribute)), unsafe.Sizeof(attribute), 0)
	if e != 0 {
		return e
	}
	defer unix.Close(int(fd))
	if _, _, e := syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); e != 0 && e != syscall.ENOTSUP {
		return e
	}
	return nil
}

// filterCalls installs a filter for all threads.
func filterCalls(p []unix.SockFilter) error {
	f := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	thread, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&f)))
	switch {
	case e != 0:
		return e
	case thread != 0:
		return fmt.Errorf("thread %d keeps a filter of its own", thread)
	}
	return nil
}
