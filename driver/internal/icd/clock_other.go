//go:build !linux && !windows

package icd

import (
	"time"

	"github.com/pumice-gpu/pumice/vk"
)

// hostClocks are the clocks of the host that vkGetCalibratedTimestampsKHR reads: none.
var hostClocks, nanosecondClocks []vk.TimeDomainKHR

func hostClock(vk.TimeDomainKHR) (now uint64, ok bool) { return 0, false }

func clockPeriod() uint64 { return 1 }

var began = time.Now()

// monotonic is a time in nanoseconds; nobody of the host sleeps by it.
func monotonic() int64 { return int64(time.Since(began)) }
