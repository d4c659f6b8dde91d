package memory

import (
	"os"

	"golang.org/x/sys/unix"
)

// SystemHost is the host of this process; nil, where the system does not tell of it.
func SystemHost() *Host {
	if h := OpenHost(os.DirFS("/")); h != nil {
		return h
	}
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil { // without /proc
		return nil
	}
	total := int64(uint64(info.Totalram) * uint64(info.Unit))
	if total <= 0 {
		return nil
	}
	return &Host{total: total}
}
