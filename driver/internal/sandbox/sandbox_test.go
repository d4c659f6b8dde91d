//go:build linux && (amd64 || arm64) && !race

// With the race detector, threads are the C library's, which makes them by calls that the helper, a program without C, does
// not need.

package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// inside is set in the process that goes behind the walls.
const inside = "PUMICE_TEST_SANDBOX"

func TestMain(m *testing.M) {
	if os.Getenv(inside) != "" {
		os.Exit(attempt())
	}
	os.Exit(m.Run())
}

// escapes are ways to files, sockets, programs, other processes, and more rights. Their arguments are such that nothing comes
// of them where they are let through, but for the file and the socket.
func escapes() []escape {
	name := uintptr(unsafe.Pointer(unsafe.StringData("/proc/self/status\x00")))
	here := ^uintptr(99) // AT_FDCWD
	nowhere := uintptr(unsafe.Pointer(unsafe.StringData("/nowhere/at/all\x00")))
	self := uintptr(os.Getpid())
	return []escape{
		{"openat", unix.SYS_OPENAT, []uintptr{here, name, 0}}, {"openat2", unix.SYS_OPENAT2, []uintptr{here, name, 0, 0}},
		{"socket", unix.SYS_SOCKET, []uintptr{unix.AF_INET, unix.SOCK_STREAM, 0}}, {"socketpair", unix.SYS_SOCKETPAIR, []uintptr{unix.AF_UNIX, 99, 0, 0}},
		{"connect", unix.SYS_CONNECT, []uintptr{99, 0, 0}}, {"bind", unix.SYS_BIND, []uintptr{99, 0, 0}}, {"listen", unix.SYS_LISTEN, []uintptr{99, 0}},
		{"accept4", unix.SYS_ACCEPT4, []uintptr{99, 0, 0, 0}}, {"sendto", unix.SYS_SENDTO, []uintptr{99, 0, 0, 0, 0, 0}},
		{"sendmsg", unix.SYS_SENDMSG, []uintptr{99, 0, 0}}, {"recvmsg", unix.SYS_RECVMSG, []uintptr{99, 0, 0}},
		{"execve", unix.SYS_EXECVE, []uintptr{nowhere, 0, 0}}, {"execveat", unix.SYS_EXECVEAT, []uintptr{here, nowhere, 0, 0, 0}},
		{"clone of a process", unix.SYS_CLONE, []uintptr{unix.CLONE_SIGHAND, 0, 0, 0, 0}}, {"clone3", unix.SYS_CLONE3, []uintptr{0, 0}},
		{"unshare", unix.SYS_UNSHARE, []uintptr{1}}, {"setns", unix.SYS_SETNS, []uintptr{99, 0}},
		{"ptrace", unix.SYS_PTRACE, []uintptr{99, self}}, {"process_vm_readv", unix.SYS_PROCESS_VM_READV, []uintptr{self, 0, 0, 0, 0, 1}},
		{"process_vm_writev", unix.SYS_PROCESS_VM_WRITEV, []uintptr{self, 0, 0, 0, 0, 1}}, {"kill", unix.SYS_KILL, []uintptr{self, 0}},
		{"tgkill of another process", unix.SYS_TGKILL, []uintptr{uintptr(os.Getppid()), uintptr(os.Getppid()), 0}},
		{"pidfd_open", unix.SYS_PIDFD_OPEN, []uintptr{self, 99}}, {"pidfd_getfd", unix.SYS_PIDFD_GETFD, []uintptr{99, 0, 0}},
		{"unlinkat", unix.SYS_UNLINKAT, []uintptr{here, nowhere, 0}}, {"mkdirat", unix.SYS_MKDIRAT, []uintptr{here, nowhere, 0}},
		{"linkat", unix.SYS_LINKAT, []uintptr{here, nowhere, here, nowhere, 0}}, {"symlinkat", unix.SYS_SYMLINKAT, []uintptr{nowhere, here, nowhere}},
		{"renameat2", unix.SYS_RENAMEAT2, []uintptr{here, nowhere, here, nowhere, 0}}, {"fchmodat", unix.SYS_FCHMODAT, []uintptr{here, nowhere, 0}},
		{"mount", unix.SYS_MOUNT, []uintptr{nowhere, nowhere, 0, 0, 0}}, {"chroot", unix.SYS_CHROOT, []uintptr{nowhere}},
		{"setuid", unix.SYS_SETUID, []uintptr{uintptr(os.Getuid())}}, {"setresuid", unix.SYS_SETRESUID, []uintptr{^uintptr(0), ^uintptr(0), ^uintptr(0)}},
		{"capset", unix.SYS_CAPSET, []uintptr{0, 0}}, {"prlimit64 that changes", unix.SYS_PRLIMIT64, []uintptr{0, 99, name, 0}},
		{"ioctl", unix.SYS_IOCTL, []uintptr{99, 0, 0}}, {"bpf", unix.SYS_BPF, []uintptr{99, 0, 0}},
		{"perf_event_open", unix.SYS_PERF_EVENT_OPEN, []uintptr{0, 0, 0, 0, 0}}, {"io_uring_setup", unix.SYS_IO_URING_SETUP, []uintptr{0, 0}},
		{"userfaultfd", unix.SYS_USERFAULTFD, []uintptr{99}}, {"keyctl", unix.SYS_KEYCTL, []uintptr{999, 0, 0, 0, 0}},
		{"init_module", unix.SYS_INIT_MODULE, []uintptr{0, 0, 0}}, {"seccomp", unix.SYS_SECCOMP, []uintptr{99, 0, 0}},
		{"prctl", unix.SYS_PRCTL, []uintptr{999, 0, 0, 0, 0}}, {"personality", unix.SYS_PERSONALITY, []uintptr{0xffffffff}},
	}
}

type escape struct {
	name      string
	number    uintptr
	arguments []uintptr
}

func (e *escape) try() syscall.Errno {
	var a [6]uintptr
	copy(a[:], e.arguments)
	r, _, err := unix.RawSyscall6(e.number, a[0], a[1], a[2], a[3], a[4], a[5])
	if err == 0 && (e.number == unix.SYS_OPENAT || e.number == unix.SYS_SOCKET) {
		_ = unix.Close(int(r))
	}
	return err
}

// attempt prints what comes of each escape before the walls and behind them.
func attempt() int {
	all := escapes()
	before := make([]syscall.Errno, len(all))
	for i := range all {
		before[i] = all[i].try()
	}
	started := make(chan struct{})
	go func() { close(started); select {} }() // a thread that is there already
	<-started
	if err := Enter(); err != nil {
		fmt.Println(err)
		return 2
	}
	for i := range all {
		fmt.Printf("%s\t%d\t%d\n", all[i].name, before[i], all[i].try())
	}
	// What the driver does all the time goes on: threads, memory, code, waiting.
	done := make(chan bool)
	for range 8 {
		go func() { time.Sleep(time.Millisecond); done <- len(make([]byte, 4<<20)) > 0 }()
	}
	for range 8 {
		<-done
	}
	fd, err := unix.MemfdCreate("code", unix.MFD_CLOEXEC)
	if err == nil {
		err = unix.Ftruncate(fd, 4096)
	}
	if err == nil {
		_, err = unix.Mmap(fd, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_SHARED)
	}
	if err != nil {
		fmt.Println("memory for code:", err)
		return 3
	}
	if _, err := os.ReadFile("/proc/self/status"); err == nil {
		fmt.Println("a file was read")
		return 4
	}
	fmt.Println("alive")
	return 0
}

// TestEnter_RefusesEscapes: more than 40 system calls, of which most do something else than to fail before the walls stand.
func TestEnter_RefusesEscapes(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.CombinedOutput()
	if bytes.Contains(out, []byte("function not implemented")) {
		t.Skip("the system has no filters of system calls")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	refused, other := 0, 0
	for line := range strings.Lines(string(out)) {
		var before, after syscall.Errno
		name, numbers, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		if _, err := fmt.Sscan(numbers, (*uintptr)(&before), (*uintptr)(&after)); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if before != syscall.EPERM {
			other++
		}
		if refused++; after != syscall.EPERM {
			t.Errorf("%s: %v, want %v", name, after, syscall.EPERM)
		}
	}
	t.Logf("%d calls are refused, %d of them were not before", refused, other)
	if refused < 40 || other < 20 || !strings.HasSuffix(string(out), "alive\n") {
		t.Errorf("%d refused, %d of them not before:\n%s", refused, other, out)
	}
}
