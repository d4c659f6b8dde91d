package icd

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// timings are what a swapchain remembers of presentations; under its mu.
type timings struct {
	slots int // of list
	list  []*timing
	log   []abi.PastPresentationTimingGOOGLE
	// The latest times of stages, of requests that want to know them in a time domain.
	domain vk.TimeDomainKHR
	latest [32]uint64
}

// maxTimings bounds the slots that a program can ask for, and maxLog what is remembered for
// VK_GOOGLE_display_timing.
const (
	maxTimings = 1 << 16
	maxLog     = 128
)

// timing is the times of one presentation request (VK_EXT_present_timing).
type timing struct {
	swapchain  *Swapchain
	id, target uint64
	domain     vk.TimeDomainKHR
	stages     vk.PresentStageFlagsEXT // that the program asked for
	times      [32]uint64              // by the bits of stages; 0: none
	ended      bool                    // all is known that will be
}

// timingCounter is the counter of timing properties and time domains: neither ever changes.
const timingCounter = 1

// timeDomains are those of all swapchains, whose ids are their own numbers.
var timeDomains = append([]vk.TimeDomainKHR{vk.TimeDomainPresentStageLocalEXT, vk.TimeDomainSwapchainLocalEXT, vk.TimeDomainDeviceKHR}, nanosecondClocks...)

// displayStages are the present stages that a display knows of. Of a window, that is the window
// system's; that of a headless surface is its presenter.
const displayStages = vk.PresentStageImageFirstPixelOutBitEXT | vk.PresentStageImageFirstPixelVisibleBitEXT

// stages are the present stages of which the surface tells the time.
func (s *Surface) stages() vk.PresentStageFlagsEXT {
	known := vk.PresentStageFlagsEXT(vk.PresentStageQueueOperationsEndBitEXT | vk.PresentStageRequestDequeuedBitEXT)
	if s.window == nil {
		known |= displayStages
	}
	return known
}

// schedule reads when a picture is to be visible, and notes which times the program wants to know;
// false where the swapchain has no slot left for them.
func (s *Swapchain) schedule(p *presentation, i *abi.PresentTimingInfoEXT) (ok bool) {
	domain := vk.TimeDomainKHR(i.TimeDomainId)
	now, ok := clockOf(domain)
	if !ok || uint64(domain) != i.TimeDomainId || !slices.Contains(timeDomains, domain) {
		domain, now = vk.TimeDomainPresentStageLocalEXT, core.Timestamp()
	}
	switch {
	case i.TargetTime == 0:
	case i.Flags&vk.PresentTimingInfoPresentAtRelativeTimeBitEXT != 0:
		p.relative, p.after = true, time.Duration(min(i.TargetTime, math.MaxInt64))
	default:
		p.at = instant(i.TargetTime, now)
	}
	if i.PresentStageQueries == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.timings.list) >= s.timings.slots {
		return false
	}
	p.timing = &timing{swapchain: s, id: p.id, target: i.TargetTime, domain: domain, stages: i.PresentStageQueries}
	s.timings.list = append(s.timings.list, p.timing)
	return true
}

// instant is a time of a clock that shows now, the zero time for one that has passed.
func instant(at, now uint64) time.Time {
	if at <= now {
		return time.Time{}
	}
	return time.Now().Add(time.Duration(min(at-now, math.MaxInt64)))
}

// reach notes that the request came through stages then. t may be nil.
func (t *timing) reach(stages vk.PresentStageFlagsEXT, then time.Time) {
	if t == nil {
		return
	}
	t.swapchain.mu.Lock()
	defer t.swapchain.mu.Unlock()
	all := &t.swapchain.timings
	if all.domain != t.domain {
		all.domain, all.latest = t.domain, [32]uint64{}
	}
	clock := clockAt(t.domain, then)
	for left := stages & t.stages; left != 0; left &= left - 1 {
		bit := bits.TrailingZeros32(uint32(left))
		// Two clocks are read: one request never seems to come before another, and no stage before an
		// earlier one.
		t.times[bit] = max(clock, all.latest[bit]+1, slices.Max(t.times[:bit+1]))
		all.latest[bit] = t.times[bit]
	}
}

// end notes that nothing more will be known. t may be nil.
func (t *timing) end() {
	if t == nil {
		return
	}
	t.swapchain.mu.Lock()
	defer t.swapchain.mu.Unlock()
	t.ended = true
}

// SetSwapchainPresentTimingQueueSizeEXT is vkSetSwapchainPresentTimingQueueSizeEXT.
func (d *Device) SetSwapchainPresentTimingQueueSizeEXT(a *abi.SetSwapchainPresentTimingQueueSizeEXTArgs) vk.Result {
	s := d.swapchains.Get(uint64(a.Swapchain))
	if s == nil || a.Size > maxTimings {
		return vk.ErrorOutOfHostMemory
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if int(a.Size) < len(s.timings.list) {
		return vk.NotReady
	}
	s.timings.slots = int(a.Size)
	return vk.Success
}

// GetSwapchainTimingPropertiesEXT is vkGetSwapchainTimingPropertiesEXT: refresh cycles are of
// variable length.
func (d *Device) GetSwapchainTimingPropertiesEXT(a *abi.GetSwapchainTimingPropertiesEXTArgs) vk.Result {
	a.PSwapchainTimingProperties.RefreshDuration = uint64(refreshDuration)
	a.PSwapchainTimingProperties.RefreshInterval = math.MaxUint64
	if a.PSwapchainTimingPropertiesCounter != nil {
		*a.PSwapchainTimingPropertiesCounter = timingCounter
	}
	return vk.Success
}

// GetSwapchainTimeDomainPropertiesEXT is vkGetSwapchainTimeDomainPropertiesEXT.
func (d *Device) GetSwapchainTimeDomainPropertiesEXT(a *abi.GetSwapchainTimeDomainPropertiesEXTArgs) vk.Result {
	p := a.PSwapchainTimeDomainProperties
	if a.PTimeDomainsCounter != nil {
		*a.PTimeDomainsCounter = timingCounter
	}
	ids := make([]uint64, len(timeDomains))
	for n, t := range timeDomains {
		ids[n] = uint64(t)
	}
	count := p.TimeDomainCount
	if p.PTimeDomainIds != nil {
		abi.Enumerate(&count, p.PTimeDomainIds, ids)
	}
	return abi.Enumerate(&p.TimeDomainCount, p.PTimeDomains, timeDomains)
}

// GetPastPresentationTimingEXT is vkGetPastPresentationTimingEXT. The times of a request become
// known together, so that there are no partial results.
func (d *Device) GetPastPresentationTimingEXT(a *abi.GetPastPresentationTimingEXTArgs) vk.Result {
	i, p := a.PPastPresentationTimingInfo, a.PPastPresentationTimingProperties
	s := d.swapchains.Get(uint64(i.Swapchain))
	if s == nil {
		return vk.ErrorSurfaceLostKHR
	}
	p.TimingPropertiesCounter, p.TimeDomainsCounter = timingCounter, timingCounter
	anyOrder := i.Flags&vk.PastPresentationTimingAllowOutOfOrderResultsBitEXT != 0
	var out []abi.PastPresentationTimingEXT
	if p.PPresentationTimings != nil {
		out = abi.Slice(p.PPresentationTimings, p.PresentationTimingCount)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var keep []*timing
	there, stopped := 0, false
	for _, t := range s.timings.list {
		tell := t.ended && !stopped
		stopped = stopped || !t.ended && !anyOrder // what comes later waits for this one
		if tell {
			there++
		}
		if !tell || there > len(out) || !t.write(&out[there-1]) {
			keep = append(keep, t)
		}
	}
	s.timings.list = keep
	p.PresentationTimingCount = uint32(there)
	if p.PPresentationTimings != nil && there > len(out) {
		p.PresentationTimingCount = uint32(len(out))
		return vk.Incomplete
	}
	return vk.Success
}

// write tells the times, as far as there is room; whole says that they are all.
func (t *timing) write(out *abi.PastPresentationTimingEXT) (whole bool) {
	to, n := abi.Slice(out.PPresentStages, out.PresentStageCount), 0
	for left := t.stages; left != 0 && n < len(to); left &= left - 1 {
		bit := bits.TrailingZeros32(uint32(left))
		to[n] = abi.PresentStageTimeEXT{Stage: 1 << bit, Time: t.times[bit]}
		n++
	}
	out.PresentId, out.TargetTime, out.PresentStageCount = t.id, t.target, uint32(n)
	out.TimeDomain, out.TimeDomainId = t.domain, uint64(t.domain)
	whole = n == bits.OnesCount32(uint32(t.stages))
	out.ReportComplete = abi.Bool(whole)
	return whole
}

// GetRefreshCycleDurationGOOGLE is vkGetRefreshCycleDurationGOOGLE.
func (d *Device) GetRefreshCycleDurationGOOGLE(a *abi.GetRefreshCycleDurationGOOGLEArgs) vk.Result {
	a.PDisplayTimingProperties.RefreshDuration = uint64(refreshDuration)
	return vk.Success
}

// GetPastPresentationTimingGOOGLE is vkGetPastPresentationTimingGOOGLE.
func (d *Device) GetPastPresentationTimingGOOGLE(a *abi.GetPastPresentationTimingGOOGLEArgs) vk.Result {
	s := d.swapchains.Get(uint64(a.Swapchain))
	if s == nil {
		return vk.ErrorSurfaceLostKHR
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := abi.Enumerate(a.PPresentationTimingCount, a.PPresentationTimings, s.timings.log)
	if a.PPresentationTimings != nil {
		s.timings.log = s.timings.log[*a.PPresentationTimingCount:] // told once
	}
	return r
}

// log remembers when a picture was shown, for VK_GOOGLE_display_timing. Pictures that were not
// shown are left out.
func (r *presentRequest) log(shown bool) {
	if !shown || r.google == nil {
		return
	}
	s := r.swapchain
	earliest := r.handed
	if waits(r.mode) && r.before.After(earliest) {
		earliest = r.before
	}
	if !waits(r.mode) {
		earliest = r.began
	}
	at := monotonicAt(r.began)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timings.log = append(s.timings.log, abi.PastPresentationTimingGOOGLE{
		PresentID: r.google.PresentID, DesiredPresentTime: r.google.DesiredPresentTime,
		ActualPresentTime: at, EarliestPresentTime: at - uint64(max(r.began.Sub(earliest), 0)),
		PresentMargin: uint64(max(earliest.Sub(r.handed), 0)),
	})
	if n := len(s.timings.log); n > maxLog {
		s.timings.log = s.timings.log[n-maxLog:]
	}
}
