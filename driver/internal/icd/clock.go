package icd

import (
	"time"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// GetPhysicalDeviceCalibrateableTimeDomainsKHR is
// vkGetPhysicalDeviceCalibrateableTimeDomainsKHR.
func (p *PhysicalDevice) GetPhysicalDeviceCalibrateableTimeDomainsKHR(a *abi.GetPhysicalDeviceCalibrateableTimeDomainsKHRArgs) vk.Result {
	return abi.Enumerate(a.PTimeDomainCount, a.PTimeDomains, append([]vk.TimeDomainKHR{vk.TimeDomainDeviceKHR}, hostClocks...))
}

// clockOf reads the clock of a time domain, in nanoseconds where it is one of timeDomains. Those of
// swapchains are the device's clock.
func clockOf(domain vk.TimeDomainKHR) (now uint64, ok bool) {
	switch domain {
	case vk.TimeDomainDeviceKHR, vk.TimeDomainPresentStageLocalEXT, vk.TimeDomainSwapchainLocalEXT:
		return core.Timestamp(), true
	default:
		return hostClock(domain)
	}
}

// monotonicAt is what the clock by which host threads sleep showed then, as clockAt.
func monotonicAt(then time.Time) uint64 {
	since := int64(max(time.Since(then), 0))
	return uint64(monotonic() - since)
}

// clockAt is what the clock of a time domain showed then, a moment that has passed. Two clocks are
// read, in this order: where the processor is taken away in between, the time comes out late, and
// never before what was waited for.
func clockAt(domain vk.TimeDomainKHR, then time.Time) uint64 {
	since := uint64(max(time.Since(then), 0))
	clock, _ := clockOf(domain)
	return clock - since
}

// GetCalibratedTimestampsKHR is vkGetCalibratedTimestampsKHR. The clocks are read
// one after the other, and again at the end, which bounds how far apart the
// readings are.
func (d *Device) GetCalibratedTimestampsKHR(a *abi.GetCalibratedTimestampsKHRArgs) vk.Result {
	infos, out := abi.Slice(a.PTimestampInfos, a.TimestampCount), abi.Slice(a.PTimestamps, a.TimestampCount)
	start := core.Timestamp()
	for n := range infos {
		var ok bool
		if out[n], ok = clockOf(infos[n].TimeDomain); !ok {
			return vk.ErrorValidationFailed
		}
	}
	*a.PMaxDeviation = core.Timestamp() - start + clockPeriod()
	return vk.Success
}
