package icd

import (
	"syscall"
	"unsafe"

	"github.com/pumice-gpu/pumice/vk"
)

// hostClocks are the clocks of the host that vkGetCalibratedTimestampsKHR reads; nanosecondClocks
// those of them that count nanoseconds.
var (
	hostClocks       = []vk.TimeDomainKHR{vk.TimeDomainClockMonotonicKHR, vk.TimeDomainClockMonotonicRawKHR}
	nanosecondClocks = hostClocks
)

// hostClock reads one of hostClocks, in nanoseconds.
func hostClock(domain vk.TimeDomainKHR) (now uint64, ok bool) {
	id := uintptr(1) // CLOCK_MONOTONIC
	switch domain {
	case vk.TimeDomainClockMonotonicKHR:
	case vk.TimeDomainClockMonotonicRawKHR:
		id = 4 // CLOCK_MONOTONIC_RAW
	default:
		return 0, false
	}
	var t syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&t)), 0); e != 0 {
		return 0, false
	}
	return uint64(t.Nano()), true
}

// clockPeriod is the longest unit of a host's clock in nanoseconds.
func clockPeriod() uint64 { return 1 }

// monotonic is the time in nanoseconds by the clock by which host threads sleep.
func monotonic() int64 {
	now, _ := hostClock(vk.TimeDomainClockMonotonicKHR)
	return int64(now)
}
