//go:build linux

package sandbox

import "golang.org/x/sys/unix"

// call is a system call that is let through.
type call struct {
	number uint32
	check  check
}

// check is what must be so besides.
type check uint8

const (
	any       check = iota
	newThread       // clone: of a thread, not of a process
	ownThread       // tgkill: to this process
	looks           // prlimit64: of this process, and changes nothing
	onSocket        // recvmsg, sendmsg: on the socket to the host
)

// Offsets in struct seccomp_data. The filter looks at halves of arguments, the lower ones first: all processors of the
// lists are little-endian.
const (
	atNumber    = 0
	atProcessor = 4
	atArguments = 16
)

const (
	load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	has    = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	decide = unix.BPF_RET | unix.BPF_K
)

const (
	allow  = unix.SECCOMP_RET_ALLOW
	refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	kill   = unix.SECCOMP_RET_KILL_PROCESS
)

// program is the filter: of the processor's own calls those of allowed, with what they must keep to; pid is the process.
func program(pid uint32) []unix.SockFilter {
	p := []unix.SockFilter{
		{Code: load, K: atProcessor},
		{Code: equal, K: processor, Jt: 1},
		{Code: decide, K: kill}, // calls of another kind of processor have other numbers
		{Code: load, K: atNumber},
	}
	for _, c := range allowed {
		body := []unix.SockFilter{{Code: decide, K: allow}}
		switch c.check {
		case any:
		case newThread:
			body = []unix.SockFilter{argument(0), {Code: has, K: unix.CLONE_THREAD, Jf: 1}, {Code: decide, K: allow}, {Code: decide, K: refuse}}
		case ownThread:
			body = []unix.SockFilter{argument(0), {Code: equal, K: pid, Jf: 1}, {Code: decide, K: allow}, {Code: decide, K: refuse}}
		case onSocket:
			body = []unix.SockFilter{argument(0), {Code: equal, K: Socket, Jf: 1}, {Code: decide, K: allow}, {Code: decide, K: refuse}}
		case looks:
			body = []unix.SockFilter{
				argument(0), {Code: equal, K: 0, Jf: 5},
				argument(2), {Code: equal, K: 0, Jf: 3},
				upper(2), {Code: equal, K: 0, Jf: 1},
				{Code: decide, K: allow}, {Code: decide, K: refuse},
			}
		}
		p = append(p, unix.SockFilter{Code: equal, K: c.number, Jf: uint8(len(body))})
		p = append(p, body...)
	}
	return append(p, unix.SockFilter{Code: decide, K: refuse})
}

func argument(i uint32) unix.SockFilter { return unix.SockFilter{Code: load, K: atArguments + 8*i} }

func upper(i uint32) unix.SockFilter { return unix.SockFilter{Code: load, K: atArguments + 8*i + 4} }
