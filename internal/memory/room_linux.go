package memory

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// limits are those of the process, in bytes.
type limits struct{ addresses, data int64 }

// ReadLimits notes the limits of the process, as New does.
func ReadLimits() {
	l := limits{soft(unix.RLIMIT_AS), soft(unix.RLIMIT_DATA)}
	if l == (limits{unlimited, unlimited}) {
		bounds.Store(nil)
		return
	}
	bounds.Store(&l)
}

func soft(resource int) int64 {
	var r unix.Rlimit
	if unix.Getrlimit(resource, &r) != nil || r.Cur > unlimited {
		return unlimited
	}
	return int64(r.Cur)
}

// room is what the limits leave; false where the system does not tell what the process
// has.
func (l *limits) room() (int64, bool) {
	var text [256]byte
	fd, err := unix.Open("/proc/self/statm", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, false
	}
	n, _ := unix.Read(fd, text[:]) // too few fields, if that fails
	CloseFD(fd)
	fields := bytes.Fields(text[:max(n, 0)])
	if len(fields) < 6 {
		return 0, false
	}
	pages := func(i int) int64 {
		n, _ := strconv.ParseInt(string(fields[i]), 10, 64) // of the kernel
		return n * int64(unix.Getpagesize())
	}
	return max(0, min(l.addresses-pages(0), l.data-pages(5))), true
}
