package icd

import (
	"math"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

const allStages = vk.PresentStageQueueOperationsEndBitEXT | vk.PresentStageRequestDequeuedBitEXT | displayStages

// timed is the chain of a presentation with an id and what it wants to know.
func timed(id uint64, i abi.PresentTimingInfoEXT) unsafe.Pointer {
	ids := &abi.PresentId2KHR{SwapchainCount: 1, PPresentIds: &id}
	ids.SType = ids.StructureType()
	times := &abi.PresentTimingsInfoEXT{PNext: unsafe.Pointer(ids), SwapchainCount: 1, PTimingInfos: &i}
	times.SType = times.StructureType()
	return unsafe.Pointer(times)
}

// past asks for the times of pictures, of up to four stages each.
func (f *fixture) past(chain abi.SwapchainKHR, flags vk.PastPresentationTimingFlagsEXT, room int) ([]abi.PastPresentationTimingEXT, vk.Result) {
	out := make([]abi.PastPresentationTimingEXT, room)
	for i := range out {
		out[i].PPresentStages, out[i].PresentStageCount = &make([]abi.PresentStageTimeEXT, 4)[0], 4
	}
	a := abi.GetPastPresentationTimingEXTArgs{Device: f.device, PPastPresentationTimingInfo: &abi.PastPresentationTimingInfoEXT{Flags: flags, Swapchain: chain},
		PPastPresentationTimingProperties: &abi.PastPresentationTimingPropertiesEXT{PresentationTimingCount: uint32(room), PPresentationTimings: unsafe.SliceData(out)}}
	call(f, abi.OpGetPastPresentationTimingEXT, &a)
	return out[:a.PPastPresentationTimingProperties.PresentationTimingCount], a.Ret
}

func stageTimes(t *abi.PastPresentationTimingEXT) []abi.PresentStageTimeEXT {
	return abi.Slice(t.PPresentStages, t.PresentStageCount)
}

// size sets the number of slots for times.
func (f *fixture) slots(chain abi.SwapchainKHR, n uint32) vk.Result {
	a := abi.SetSwapchainPresentTimingQueueSizeEXTArgs{Device: f.device, Swapchain: chain, Size: n}
	call(f, abi.OpSetSwapchainPresentTimingQueueSizeEXT, &a)
	return a.Ret
}

// awaitPresent waits until the picture of an id was shown.
func (f *fixture) awaitPresent(chain abi.SwapchainKHR, id uint64) {
	f.t.Helper()
	wait := abi.WaitForPresent2KHRArgs{Device: f.device, Swapchain: chain, PPresentWait2Info: &abi.PresentWait2InfoKHR{PresentId: id, Timeout: 120e9}}
	call(f, abi.OpWaitForPresent2KHR, &wait)
	want(f.t, "vkWaitForPresent2KHR", wait.Ret, vk.Success)
}

// TestPresentTiming_TimesOfStages: on a headless surface, all stages have times, in their order and
// in each time domain; a picture is not visible before the time that was wanted; a slot is free
// when its times were told.
func TestPresentTiming_TimesOfStages(t *testing.T) {
	f := newTest(t)
	chain := f.swapchain(f.headless(), 2, vk.PresentModeFifoKHR)
	var queue abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &queue})
	var domains [8]vk.TimeDomainKHR
	var ids [8]uint64
	of := abi.GetSwapchainTimeDomainPropertiesEXTArgs{Device: f.device, Swapchain: chain,
		PSwapchainTimeDomainProperties: &abi.SwapchainTimeDomainPropertiesEXT{TimeDomainCount: 8, PTimeDomains: &domains[0], PTimeDomainIds: &ids[0]}}
	call(f, abi.OpGetSwapchainTimeDomainPropertiesEXT, &of)
	want(t, "vkGetSwapchainTimeDomainPropertiesEXT", of.Ret, vk.Success)
	n := of.PSwapchainTimeDomainProperties.TimeDomainCount
	if n < 3 {
		t.Fatalf("%d time domains", n)
	}
	want(t, "slots", f.slots(chain, 1), vk.Success)
	for i := range n {
		now, ok := clockOf(domains[i])
		if !ok {
			t.Fatalf("no clock of %v", domains[i])
		}
		target := now + 30e6
		id := uint64(1 + i)
		f.put(queue, chain, 1, false, timed(id, abi.PresentTimingInfoEXT{TargetTime: target, TimeDomainId: ids[i], PresentStageQueries: allStages}))
		f.awaitPresent(chain, id)
		f.settled(queue)
		var got []abi.PastPresentationTimingEXT
		for len(got) == 0 { // times come a moment after the picture
			got, _ = f.past(chain, 0, 1)
		}
		p := got[0]
		if p.PresentId != id || p.TargetTime != target || p.TimeDomain != domains[i] || p.TimeDomainId != ids[i] || !p.ReportComplete.True() || p.PresentStageCount != 4 {
			t.Errorf("%v: %+v", domains[i], p)
			continue
		}
		times := stageTimes(&p)
		for k := range times {
			if times[k].Stage != 1<<k || times[k].Time < now || k > 0 && times[k].Time < times[k-1].Time || k > 0 && times[k].Time < target {
				t.Errorf("%v: now %d, target %d: stage %d: %+v", domains[i], now, target, k, times)
			}
		}
	}
}

// TestPresentTiming_Slots: without a free slot, a picture that wants to know times is not shown;
// one that does not is. There are never fewer slots than times to tell.
func TestPresentTiming_Slots(t *testing.T) {
	f := newTest(t)
	w := &stage{width: 8, height: 8, shown: make(chan []byte, 8)}
	surface, queue := f.staged(w)
	chain := f.swapchain(surface, 2, vk.PresentModeImmediateKHR)
	refused := func(id uint64) {
		t.Helper()
		var index uint32
		acquire := abi.AcquireNextImageKHRArgs{Device: f.device, Swapchain: chain, Timeout: 120e9, PImageIndex: &index}
		call(f, abi.OpAcquireNextImageKHR, &acquire)
		present := abi.QueuePresentKHRArgs{Queue: queue, PPresentInfo: &abi.PresentInfoKHR{PNext: timed(id, abi.PresentTimingInfoEXT{PresentStageQueries: allStages}), SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index}}
		call(f, abi.OpQueuePresentKHR, &present)
		want(t, "vkQueuePresentKHR", present.Ret, vk.ErrorPresentTimingQueueFullEXT)
	}
	refused(1)
	want(t, "slots", f.slots(chain, math.MaxUint32), vk.ErrorOutOfHostMemory)
	want(t, "slots", f.slots(chain, 2), vk.Success)
	for id := range uint64(2) {
		f.put(queue, chain, byte(2+id), false, timed(2+id, abi.PresentTimingInfoEXT{PresentStageQueries: allStages}))
	}
	refused(4)
	f.put(queue, chain, 5, false, timed(5, abi.PresentTimingInfoEXT{}))
	f.awaitPresent(chain, 5)
	want(t, "fewer slots", f.slots(chain, 1), vk.NotReady)
	count := abi.GetPastPresentationTimingEXTArgs{Device: f.device, PPastPresentationTimingInfo: &abi.PastPresentationTimingInfoEXT{Swapchain: chain},
		PPastPresentationTimingProperties: &abi.PastPresentationTimingPropertiesEXT{}}
	call(f, abi.OpGetPastPresentationTimingEXT, &count)
	if n := count.PPastPresentationTimingProperties.PresentationTimingCount; count.Ret != vk.Success || n != 2 {
		t.Errorf("%v: times of %d pictures, want 2", count.Ret, n)
	}
	got, r := f.past(chain, 0, 1)
	if r != vk.Incomplete || len(got) != 1 || got[0].PresentId != 2 {
		t.Fatalf("%v: %+v", r, got)
	}
	// A window does not say when pixels are visible: their times are 0.
	times := stageTimes(&got[0])
	if len(times) != 4 || times[0].Time == 0 || times[1].Time == 0 || times[2].Time != 0 || times[3].Time != 0 {
		t.Errorf("times %+v", times)
	}
	want(t, "fewer slots", f.slots(chain, 1), vk.Success)
	if got, r = f.past(chain, 0, 4); r != vk.Success || len(got) != 1 || got[0].PresentId != 3 {
		t.Errorf("%v: %+v", r, got)
	}
	for _, b := range []byte{2, 3, 5} {
		if p := <-w.shown; p[0] != b {
			t.Errorf("picture %d, want %d", p[0], b)
		}
	}
}

// TestPresentTiming_Order: a picture behind one that waits is told of where any order will do;
// nothing is told in parts.
func TestPresentTiming_Order(t *testing.T) {
	f := newTest(t)
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	s := &Swapchain{device: d, surface: &Surface{}}
	chain := abi.SwapchainKHR(d.swapchains.Put(s))
	const partial, order = vk.PastPresentationTimingAllowPartialResultsBitEXT, vk.PastPresentationTimingAllowOutOfOrderResultsBitEXT
	s.timings.list = []*timing{{swapchain: s, id: 1, stages: allStages}, {swapchain: s, id: 2, stages: allStages, ended: true}}
	for _, c := range []struct {
		flags vk.PastPresentationTimingFlagsEXT
		ids   []uint64
	}{{0, nil}, {partial, nil}, {order | partial, []uint64{2}}, {order, nil}} {
		got, r := f.past(chain, c.flags, 4)
		want(t, "vkGetPastPresentationTimingEXT", r, vk.Success)
		var ids []uint64
		for i := range got {
			ids = append(ids, got[i].PresentId)
			if got[i].PresentStageCount != 4 || !got[i].ReportComplete.True() {
				t.Errorf("flags %v: %+v", c.flags, got[i])
			}
		}
		if !slices.Equal(ids, c.ids) {
			t.Errorf("flags %v: %v, want %v", c.flags, ids, c.ids)
		}
	}
	// With room for three of four stages, the times stay until there is more.
	s.timings.list[0].ended = true
	var out abi.PastPresentationTimingEXT
	out.PPresentStages, out.PresentStageCount = &make([]abi.PresentStageTimeEXT, 3)[0], 3
	if s.timings.list[0].write(&out) || out.PresentStageCount != 3 || out.ReportComplete.True() {
		t.Errorf("with room for three: %+v", out)
	}
}

// TestPresentTiming_Increase: of two requests that come through a stage at the same time, the
// second has the later time.
func TestPresentTiming_Increase(t *testing.T) {
	s := &Swapchain{}
	first, second := &timing{swapchain: s, stages: allStages}, &timing{swapchain: s, stages: allStages}
	now := time.Now()
	first.reach(vk.PresentStageRequestDequeuedBitEXT, now)
	second.reach(vk.PresentStageRequestDequeuedBitEXT, now.Add(-time.Millisecond))
	if a, b := first.times[1], second.times[1]; a == 0 || b != a+1 || first.times[0] != 0 {
		t.Errorf("times %d and %d", a, b)
	}
	other := &timing{swapchain: s, stages: allStages, domain: timeDomains[0]}
	other.reach(vk.PresentStageRequestDequeuedBitEXT, now.Add(-time.Hour))
	if other.times[1] >= first.times[1] {
		t.Errorf("in another domain, an hour before %d: %d", first.times[1], other.times[1])
	}
}

// TestClockAt_NeverEarly: a moment never seems to come before what happened before it. The two
// readings lie tens of nanoseconds apart, so that the wrong order of them shows within some
// thousand tries.
func TestClockAt_NeverEarly(t *testing.T) {
	for _, domain := range append([]vk.TimeDomainKHR{vk.TimeDomainDeviceKHR}, hostClocks...) {
		for n := range 100_000 {
			before, _ := clockOf(domain)
			if at := clockAt(domain, time.Now()); at < before {
				t.Fatalf("domain %d, try %d: %d, after %d", domain, n, at, before)
			}
		}
	}
}

// TestDisplayTiming_TimesOfPictures: VK_GOOGLE_display_timing tells once of each picture, which was
// not shown before the time that was wanted.
func TestDisplayTiming_TimesOfPictures(t *testing.T) {
	f := newTest(t)
	chain := f.swapchain(f.headless(), 2, vk.PresentModeFifoKHR)
	var queue abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &queue})
	now, _ := hostClock(vk.TimeDomainClockMonotonicKHR)
	id := uint64(1)
	ids := &abi.PresentId2KHR{SwapchainCount: 1, PPresentIds: &id}
	ids.SType = ids.StructureType()
	times := &abi.PresentTimesInfoGOOGLE{PNext: unsafe.Pointer(ids), SwapchainCount: 1, PTimes: &abi.PresentTimeGOOGLE{PresentID: 77, DesiredPresentTime: now + 30e6}}
	times.SType = times.StructureType()
	f.put(queue, chain, 1, false, unsafe.Pointer(times))
	f.awaitPresent(chain, 1)
	var out [2]abi.PastPresentationTimingGOOGLE
	n := uint32(0)
	a := abi.GetPastPresentationTimingGOOGLEArgs{Device: f.device, Swapchain: chain, PPresentationTimingCount: &n, PPresentationTimings: &out[0]}
	for n == 0 { // they come a moment after the picture
		n = 2
		call(f, abi.OpGetPastPresentationTimingGOOGLE, &a)
		want(t, "vkGetPastPresentationTimingGOOGLE", a.Ret, vk.Success)
	}
	if p := out[0]; n != 1 || p.PresentID != 77 || p.DesiredPresentTime != now+30e6 || p.ActualPresentTime < now+30e6 || p.EarliestPresentTime < now || p.EarliestPresentTime > p.ActualPresentTime {
		t.Errorf("now %d: %d, %+v", now, n, p)
	}
	n = 2
	if call(f, abi.OpGetPastPresentationTimingGOOGLE, &a); n != 0 {
		t.Errorf("told %d times more", n)
	}
	var cycle abi.RefreshCycleDurationGOOGLE
	call(f, abi.OpGetRefreshCycleDurationGOOGLE, &abi.GetRefreshCycleDurationGOOGLEArgs{Device: f.device, Swapchain: chain, PDisplayTimingProperties: &cycle})
	if cycle.RefreshDuration != 16666666 {
		t.Errorf("cycles of %d ns, want a 60th of a second", cycle.RefreshDuration)
	}
}
