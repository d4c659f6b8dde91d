//go:build linux && (amd64 || arm64 || riscv64)

package sandbox

import "golang.org/x/sys/unix"

// allowed are the system calls of Go's runtime, of memory, and of waiting.
var allowed = append([]call{
	{unix.SYS_FUTEX, any}, {unix.SYS_READ, any}, {unix.SYS_WRITE, any}, {unix.SYS_CLOSE, any},
	// Memory, and files that are nothing but memory.
	{unix.SYS_MMAP, any}, {unix.SYS_MUNMAP, any}, {unix.SYS_MPROTECT, any}, {unix.SYS_MREMAP, any}, {unix.SYS_MADVISE, any},
	{unix.SYS_MINCORE, any}, {unix.SYS_MSYNC, any}, {unix.SYS_MEMFD_CREATE, any}, {unix.SYS_FTRUNCATE, any},
	{unix.SYS_FALLOCATE, any}, {unix.SYS_PREAD64, any}, {unix.SYS_FCNTL, any}, {unix.SYS_FSTAT, any}, {unix.SYS_EVENTFD2, any}, {unix.SYS_MEMBARRIER, any},
	// Descriptors from the host and to it.
	{unix.SYS_RECVMSG, onSocket}, {unix.SYS_SENDMSG, onSocket},
	// Threads and signals.
	{unix.SYS_CLONE, newThread}, {unix.SYS_EXIT, any}, {unix.SYS_EXIT_GROUP, any}, {unix.SYS_GETTID, any}, {unix.SYS_GETPID, any},
	{unix.SYS_TGKILL, ownThread}, {unix.SYS_RT_SIGACTION, any}, {unix.SYS_RT_SIGPROCMASK, any}, {unix.SYS_RT_SIGRETURN, any},
	{unix.SYS_SIGALTSTACK, any}, {unix.SYS_SCHED_YIELD, any}, {unix.SYS_SCHED_GETAFFINITY, any}, {unix.SYS_PRLIMIT64, looks},
	// Time, waiting and chance.
	{unix.SYS_CLOCK_GETTIME, any}, {unix.SYS_GETTIMEOFDAY, any}, {unix.SYS_NANOSLEEP, any}, {unix.SYS_CLOCK_NANOSLEEP, any},
	{unix.SYS_RESTART_SYSCALL, any}, {unix.SYS_PPOLL, any}, {unix.SYS_EPOLL_CREATE1, any}, {unix.SYS_EPOLL_CTL, any},
	{unix.SYS_EPOLL_PWAIT, any}, {unix.SYS_GETRANDOM, any},
}, more...)
