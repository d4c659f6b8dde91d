package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// GetPhysicalDeviceCalibrateableTimeDomainsKHR is
// vkGetPhysicalDeviceCalibrateableTimeDomainsKHR.
func (p *PhysicalDevice) GetPhysicalDeviceCalibrateableTimeDomainsKHR(a *abi.GetPhysicalDeviceCalibrateableTimeDomainsKHRArgs) vk.Result {
	return abi.Enumerate(a.PTimeDomainCount, a.PTimeDomains, append([]vk.TimeDomainKHR{vk.TimeDomainDeviceKHR}, hostClocks...))
}

// GetCalibratedTimestampsKHR is vkGetCalibratedTimestampsKHR. The clocks are read
// one after the other, and again at the end, which bounds how far apart the
// readings are.
func (d *Device) GetCalibratedTimestampsKHR(a *abi.GetCalibratedTimestampsKHRArgs) vk.Result {
	infos, out := abi.Slice(a.PTimestampInfos, a.TimestampCount), abi.Slice(a.PTimestamps, a.TimestampCount)
	start := core.Timestamp()
	for n := range infos {
		if infos[n].TimeDomain == vk.TimeDomainDeviceKHR {
			out[n] = core.Timestamp()
			continue
		}
		var ok bool
		if out[n], ok = hostClock(infos[n].TimeDomain); !ok {
			return vk.ErrorValidationFailed
		}
	}
	*a.PMaxDeviation = core.Timestamp() - start + 1 // all clocks count nanoseconds
	return vk.Success
}
