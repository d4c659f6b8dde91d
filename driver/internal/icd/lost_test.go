package icd

import (
	_ "embed"
	"math"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/registry"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/endless.comp.spv testdata/endless.comp

//go:embed testdata/endless.comp.spv
var endlessShader []byte

// losing is a fixture whose device will be lost soon after endless has been submitted.
func losing(t *testing.T, change func(*Config)) (f *fixture, log *reports) {
	t.Helper()
	f, log = newTest(t), &reports{}
	f.driver.cfg.Log = log
	change(&f.driver.cfg)
	old := f.device
	f.device = f.open()
	t.Cleanup(func() { call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: old}) })
	return f, log
}

func cString(s string) *byte { return &append([]byte(s), 0)[0] }

// endless is a command buffer with a dispatch that never ends.
func (f *fixture) endless(groups uint32) abi.CommandBuffer { return f.endlessOf(groups, false) }

// endlessOf names pipeline and region, with VK_EXT_debug_marker or VK_EXT_debug_utils.
func (f *fixture) endlessOf(groups uint32, marker bool) abi.CommandBuffer {
	f.t.Helper()
	b, _ := f.storage(65)
	p, r := f.program(endlessShader, 0, nil, nil, b)
	want(f.t, "vkCreateComputePipelines", r, vk.Success)
	cb := f.begin()
	if marker {
		name := &abi.DebugMarkerObjectNameInfoEXT{ObjectType: vk.DebugReportObjectTypePipelineEXT, Object: uint64(p.pipeline), PObjectName: cString("spinning")}
		call(f, abi.OpDebugMarkerSetObjectNameEXT, &abi.DebugMarkerSetObjectNameEXTArgs{Device: f.device, PNameInfo: name})
		region := &abi.DebugMarkerMarkerInfoEXT{PMarkerName: cString("physics")}
		f.pin.Pin(region)
		f.pin.Pin(region.PMarkerName)
		record(f, cb, abi.OpCmdDebugMarkerBeginEXT, &abi.CmdDebugMarkerBeginEXT{PMarkerInfo: region})
	} else {
		name := &abi.DebugUtilsObjectNameInfoEXT{ObjectType: vk.ObjectTypePipeline, ObjectHandle: uint64(p.pipeline), PObjectName: cString("spinning")}
		call(f, abi.OpSetDebugUtilsObjectNameEXT, &abi.SetDebugUtilsObjectNameEXTArgs{Device: f.device, PNameInfo: name})
		region := &abi.DebugUtilsLabelEXT{PLabelName: cString("physics")}
		f.pin.Pin(region)
		f.pin.Pin(region.PLabelName)
		record(f, cb, abi.OpCmdBeginDebugUtilsLabelEXT, &abi.CmdBeginDebugUtilsLabelEXT{PLabelInfo: region})
	}
	record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{PipelineBindPoint: vk.PipelineBindPointCompute, Pipeline: p.pipeline})
	f.pin.Pin(&p.set)
	record(f, cb, abi.OpCmdBindDescriptorSets, &abi.CmdBindDescriptorSets{PipelineBindPoint: vk.PipelineBindPointCompute, Layout: p.layout, DescriptorSetCount: 1, PDescriptorSets: &p.set})
	record(f, cb, abi.OpCmdDispatch, &abi.CmdDispatch{GroupCountX: groups, GroupCountY: 1, GroupCountZ: 1})
	want(f.t, "vkEndCommandBuffer", f.end(cb), vk.Success)
	return cb
}

// TestLost_EveryCallThatMaySaySo: all commands of which VK_ERROR_DEVICE_LOST is a return
// code return it when a device has been lost, without a fence to tell, and at once.
//
// devsandqueues-lost-device
func TestLost_EveryCallThatMaySaySo(t *testing.T) {
	f, log := losing(t, func(c *Config) { c.LoopBudget = 100_000 })
	d := f.device
	var queue abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: d, PQueue: &queue})
	signaled, open, event := f.fence(), f.fence(), f.event()
	set := abi.SetEventArgs{Device: d, Event: event}
	call(f, abi.OpSetEvent, &set)
	kind := &abi.SemaphoreTypeCreateInfo{SemaphoreType: vk.SemaphoreTypeTimeline, InitialValue: 5}
	kind.SType = kind.StructureType()
	var timeline abi.Semaphore
	made := abi.CreateSemaphoreArgs{Device: d, PCreateInfo: &abi.SemaphoreCreateInfo{PNext: unsafe.Pointer(kind)}, PSemaphore: &timeline}
	call(f, abi.OpCreateSemaphore, &made)
	want(t, "vkCreateSemaphore", made.Ret, vk.Success)
	var queries abi.QueryPool
	pool := abi.CreateQueryPoolArgs{Device: d, PCreateInfo: &abi.QueryPoolCreateInfo{QueryType: vk.QueryTypeOcclusion, QueryCount: 1}, PQueryPool: &queries}
	call(f, abi.OpCreateQueryPool, &pool)
	want(t, "vkCreateQueryPool", pool.Ret, vk.Success)
	surface := f.headless()
	chain := f.swapchain(surface, 2, vk.PresentModeFifoKHR)
	var index uint32
	acquire := abi.AcquireNextImageKHRArgs{Device: d, Swapchain: chain, Timeout: 120e9, PImageIndex: &index, Fence: signaled}
	call(f, abi.OpAcquireNextImageKHR, &acquire)
	want(t, "vkAcquireNextImageKHR", acquire.Ret, vk.Success)
	want(t, "the fence of an image", f.wait(signaled, 120e9), vk.Success)

	f.submitTo(0, f.endless(1), 0)
	idle := abi.QueueWaitIdleArgs{Queue: queue}
	within(t, "vkQueueWaitIdle", func() { call(f, abi.OpQueueWaitIdle, &idle) })
	want(t, "vkQueueWaitIdle", idle.Ret, vk.ErrorDeviceLost)
	if n := strings.Count(log.String(), "the device is lost"); n != 1 {
		t.Errorf("told %d times: %s", n, log)
	}

	reached, result, found := uint64(3), uint64(0), vk.Success
	for _, c := range []struct {
		name string
		run  func() vk.Result
	}{
		{"vkQueueWaitIdle again", func() vk.Result { call(f, abi.OpQueueWaitIdle, &idle); return idle.Ret }},
		{"vkDeviceWaitIdle", func() vk.Result {
			a := abi.DeviceWaitIdleArgs{Device: d}
			call(f, abi.OpDeviceWaitIdle, &a)
			return a.Ret
		}},
		{"vkWaitForFences", func() vk.Result { return f.wait(open, 1<<64-1) }},
		{"vkWaitForFences, signaled", func() vk.Result { return f.wait(signaled, 0) }},
		{"vkGetFenceStatus", func() vk.Result {
			a := abi.GetFenceStatusArgs{Device: d, Fence: open}
			call(f, abi.OpGetFenceStatus, &a)
			return a.Ret
		}},
		{"vkGetFenceStatus, signaled", func() vk.Result {
			a := abi.GetFenceStatusArgs{Device: d, Fence: signaled}
			call(f, abi.OpGetFenceStatus, &a)
			return a.Ret
		}},
		{"vkWaitSemaphores", func() vk.Result {
			a := abi.WaitSemaphoresArgs{Device: d, Timeout: 1<<64 - 1, PWaitInfo: &abi.SemaphoreWaitInfo{SemaphoreCount: 1, PSemaphores: &timeline, PValues: &reached}}
			call(f, abi.OpWaitSemaphores, &a)
			return a.Ret
		}},
		{"vkGetSemaphoreCounterValue", func() vk.Result {
			a := abi.GetSemaphoreCounterValueArgs{Device: d, Semaphore: timeline, PValue: &result}
			call(f, abi.OpGetSemaphoreCounterValue, &a)
			return a.Ret
		}},
		{"vkGetEventStatus", func() vk.Result {
			a := abi.GetEventStatusArgs{Device: d, Event: event}
			call(f, abi.OpGetEventStatus, &a)
			return a.Ret
		}},
		{"vkGetQueryPoolResults", func() vk.Result {
			a := abi.GetQueryPoolResultsArgs{Device: d, QueryPool: queries, QueryCount: 1, DataSize: 8, PData: unsafe.Pointer(&result), Stride: 8, Flags: vk.QueryResultWaitBit}
			call(f, abi.OpGetQueryPoolResults, &a)
			return a.Ret
		}},
		{"vkQueueSubmit", func() vk.Result {
			a := abi.QueueSubmitArgs{Queue: queue, Fence: open}
			call(f, abi.OpQueueSubmit, &a)
			return a.Ret
		}},
		{"vkQueueSubmit2", func() vk.Result {
			a := abi.QueueSubmit2Args{Queue: queue}
			call(f, abi.OpQueueSubmit2, &a)
			return a.Ret
		}},
		{"vkQueueBindSparse", func() vk.Result {
			a := abi.QueueBindSparseArgs{Queue: queue}
			call(f, abi.OpQueueBindSparse, &a)
			return a.Ret
		}},
		{"vkAcquireNextImageKHR", func() vk.Result { call(f, abi.OpAcquireNextImageKHR, &acquire); return acquire.Ret }},
		{"vkAcquireNextImage2KHR", func() vk.Result {
			a := abi.AcquireNextImage2KHRArgs{Device: d, PAcquireInfo: &abi.AcquireNextImageInfoKHR{Swapchain: chain, Fence: open}, PImageIndex: &index}
			call(f, abi.OpAcquireNextImage2KHR, &a)
			return a.Ret
		}},
		{"vkWaitForPresentKHR", func() vk.Result {
			a := abi.WaitForPresentKHRArgs{Device: d, Swapchain: chain, PresentId: 1, Timeout: 1<<64 - 1}
			call(f, abi.OpWaitForPresentKHR, &a)
			return a.Ret
		}},
		{"vkWaitForPresent2KHR", func() vk.Result {
			a := abi.WaitForPresent2KHRArgs{Device: d, Swapchain: chain, PPresentWait2Info: &abi.PresentWait2InfoKHR{PresentId: 1, Timeout: 1<<64 - 1}}
			call(f, abi.OpWaitForPresent2KHR, &a)
			return a.Ret
		}},
		{"vkQueuePresentKHR", func() vk.Result {
			a := abi.QueuePresentKHRArgs{Queue: queue, PPresentInfo: &abi.PresentInfoKHR{SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index, PResults: &found}}
			call(f, abi.OpQueuePresentKHR, &a)
			want(t, "pResults of vkQueuePresentKHR", found, vk.ErrorDeviceLost)
			return a.Ret
		}},
		{"vkCreateSwapchainKHR", func() vk.Result {
			var chain abi.SwapchainKHR
			a := abi.CreateSwapchainKHRArgs{Device: d, PSwapchain: &chain, PCreateInfo: &abi.SwapchainCreateInfoKHR{Surface: surface, MinImageCount: 2,
				ImageFormat: vk.FormatB8G8R8A8Unorm, ImageExtent: vk.Extent2D{Width: 8, Height: 8}, ImageArrayLayers: 1, ImageUsage: vk.ImageUsageTransferDstBit}}
			call(f, abi.OpCreateSwapchainKHR, &a)
			return a.Ret
		}},
	} {
		var got vk.Result
		start := time.Now()
		within(t, c.name, func() { got = c.run() })
		if took := time.Since(start); got != vk.ErrorDeviceLost || took > 30*time.Second {
			t.Errorf("%s: %v after %v, want VK_ERROR_DEVICE_LOST at once", c.name, got, took)
		}
	}
	if result != 5 {
		t.Errorf("the semaphore's value is %d, want 5", result)
	}
	release := abi.ReleaseSwapchainImagesKHRArgs{Device: d, PReleaseInfo: &abi.ReleaseSwapchainImagesInfoKHR{Swapchain: chain, ImageIndexCount: 1, PImageIndices: &index}}
	call(f, abi.OpReleaseSwapchainImagesKHR, &release)
	want(t, "vkReleaseSwapchainImagesKHR, which has no such code", release.Ret, vk.Success)
}

// TestLost_WhoWaitsIsWoken: threads that wait when a device is lost are told, those of
// work behind what failed as well.
func TestLost_WhoWaitsIsWoken(t *testing.T) {
	f, _ := losing(t, func(c *Config) { c.LoopBudget = 10_000_000 })
	first, second, e := f.fence(), f.fence(), f.event()
	gate := f.begin() // until all is submitted: what comes later may find the device lost
	record(f, gate, abi.OpCmdWaitEvents, &abi.CmdWaitEvents{EventCount: 1, PEvents: &e, SrcStageMask: vk.PipelineStageHostBit, DstStageMask: vk.PipelineStageComputeShaderBit})
	want(t, "vkEndCommandBuffer", f.end(gate), vk.Success)
	f.submitTo(0, gate, 0)
	f.submitTo(0, f.endless(1), first)
	f.submitTo(0, f.endless(1), second)
	call(f, abi.OpSetEvent, &abi.SetEventArgs{Device: f.device, Event: e})
	var results [2]vk.Result
	var wg sync.WaitGroup
	for i, h := range []abi.Fence{first, second} {
		wg.Go(func() { results[i] = f.wait(h, 1<<64-1) })
	}
	within(t, "vkWaitForFences", wg.Wait)
	if results != [2]vk.Result{vk.ErrorDeviceLost, vk.ErrorDeviceLost} {
		t.Errorf("%v", results)
	}
}

func TestSubmitTimeoutOf(t *testing.T) {
	for setting, want := range map[string]time.Duration{
		"": 0, "no": 0, "-1": 0, "NaN": 0, "0": -1, "0s": -1, "1": time.Second, "2.5": 2500 * time.Millisecond, "10m": 10 * time.Minute, "1e300": math.MaxInt64 / 2,
	} {
		if got := SubmitTimeoutOf(setting); got != want && !(setting == "1e300" && got > 24*time.Hour) {
			t.Errorf("%q: %v, want %v", setting, got, want)
		}
	}
}

// TestLost_TimeBudget: a submission that does not end loses the device when its time is
// over, one line tells which dispatch it was, by the name that the program has given
// its pipeline, and what to do.
func TestLost_TimeBudget(t *testing.T) {
	f, log := losing(t, func(c *Config) { c.LoopBudget, c.SubmitTimeout = math.MaxInt64, 100*time.Millisecond })
	fence := f.fence()
	cb := f.endless(65535)
	f.submitTo(0, cb, fence)
	start := time.Now()
	var r vk.Result
	within(t, "vkWaitForFences", func() { r = f.wait(fence, math.MaxUint64) })
	want(t, "vkWaitForFences", r, vk.ErrorDeviceLost)
	t.Logf("lost after %v: %s", time.Since(start), log)
	for _, part := range []string{"the device is lost", "dispatch 0 (65535×1×1 workgroups; compute pipeline \"spinning\"), in physics", "PUMICE_SUBMIT_TIMEOUT", "100ms"} {
		if strings.Count(log.String(), part) != 1 {
			t.Errorf("%s: no %q", log, part)
		}
	}
}

// TestLost_OthersReturnTheirOwnCodes: a command fails on a lost device with a code that
// it may return.
func TestLost_OthersReturnTheirOwnCodes(t *testing.T) {
	f, _ := losing(t, func(c *Config) { c.LoopBudget, c.SubmitTimeout = math.MaxInt64, 20*time.Millisecond })
	cb := f.begin()
	fence := f.fence()
	f.submitTo(0, f.endless(65535), fence)
	within(t, "vkWaitForFences", func() { want(t, "vkWaitForFences", f.wait(fence, math.MaxUint64), vk.ErrorDeviceLost) })
	var b abi.Buffer
	a := abi.CreateBufferArgs{Device: f.device, PCreateInfo: &abi.BufferCreateInfo{Size: 4, Usage: vk.BufferUsageTransferDstBit}, PBuffer: &b}
	call(f, abi.OpCreateBuffer, &a)
	want(t, "vkCreateBuffer", a.Ret, vk.ErrorUnknown)
	if r := f.end(cb); r == vk.ErrorDeviceLost {
		t.Errorf("vkEndCommandBuffer: %v", r)
	}
}

// TestLost_DestroyedWhileItRuns: vkDestroyDevice does not wait for what runs, and tells
// nobody of a loss that the program has asked for.
func TestLost_DestroyedWhileItRuns(t *testing.T) {
	f, log := losing(t, func(c *Config) { c.LoopBudget = math.MaxInt64 })
	cb := f.endless(65535)
	for range 3 {
		f.submitTo(0, cb, 0)
		f.submitTo(1, cb, 0)
	}
	time.Sleep(20 * time.Millisecond)
	start := time.Now()
	within(t, "vkDestroyDevice", func() { call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device}) })
	took := time.Since(start)
	f.device = f.open() // for the fixture
	if t.Logf("destroyed after %v", took); took > 30*time.Second || log.String() != "" {
		t.Errorf("destroyed after %v: %s", took, log)
	}
}

// TestTellsLoss_IsTheRegistry: errorcodes of the registry.
func TestTellsLoss_IsTheRegistry(t *testing.T) {
	text, err := registry.Read(registry.Vulkan)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]string{}
	for _, m := range regexp.MustCompile(`<command [^>]*errorcodes="([^"]*)"[^>]*>\s*<proto><type>VkResult</type> <name>(\w+)`).FindAllStringSubmatch(string(text), -1) {
		codes[m[2]] += "," + m[1]
	}
	found := 0
	for op := abi.Op(1); op < abi.OpCount; op++ {
		listed, ok := codes[op.String()]
		if !ok || op.ResultOffset() < 0 {
			continue
		}
		found++
		if want := strings.Contains(listed+",", ",VK_ERROR_DEVICE_LOST,"); tellsLoss(op) != want {
			t.Errorf("%v: %v, the registry says %v", op, tellsLoss(op), want)
		}
	}
	if found < 100 {
		t.Errorf("%d commands in the registry", found)
	}
}
