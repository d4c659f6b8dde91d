//go:build linux

package sandbox

import "golang.org/x/sys/unix"

const processor = unix.AUDIT_ARCH_RISCV64

var more []call
