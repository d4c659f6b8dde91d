package icd

import (
	"math"
	"math/bits"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/pumice-gpu/pumice/vk"
)

// hostClocks are the clocks of the host that vkGetCalibratedTimestampsKHR reads; nanosecondClocks
// those of them that count nanoseconds.
var (
	hostClocks       = []vk.TimeDomainKHR{vk.TimeDomainQueryPerformanceCounterKHR}
	nanosecondClocks []vk.TimeDomainKHR
)

var (
	kernel    = windows.NewLazySystemDLL("kernel32.dll")
	counter   = kernel.NewProc("QueryPerformanceCounter")
	frequency = kernel.NewProc("QueryPerformanceFrequency")
)

// ticks is what the system's counter shows, which counts perSecond ticks in a second.
func ticks() (n uint64) {
	_, _, _ = counter.Call(uintptr(unsafe.Pointer(&n)))
	return n
}

var perSecond = sync.OnceValue(func() (n uint64) {
	_, _, _ = frequency.Call(uintptr(unsafe.Pointer(&n)))
	return max(n, 1)
})

// hostClock reads one of hostClocks, in its own unit.
func hostClock(domain vk.TimeDomainKHR) (now uint64, ok bool) {
	return ticks(), domain == vk.TimeDomainQueryPerformanceCounterKHR
}

// clockPeriod is the longest unit of a host's clock in nanoseconds.
func clockPeriod() uint64 { return (1e9 + perSecond() - 1) / perSecond() }

// monotonic is the time in nanoseconds by the clock by which host threads sleep; host_windows.c has
// the same.
func monotonic() int64 {
	high, low := bits.Mul64(ticks(), 1e9)
	now, _ := bits.Div64(high%perSecond(), low, perSecond())
	return int64(now & math.MaxInt64)
}
