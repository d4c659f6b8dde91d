//go:build linux

package sandbox

import "golang.org/x/sys/unix"

const processor = unix.AUDIT_ARCH_X86_64

// more are calls that newer processors' lists do not have. Those of x32 have numbers of their own, which are on no list.
var more = []call{{unix.SYS_POLL, any}, {unix.SYS_EPOLL_WAIT, any}}
