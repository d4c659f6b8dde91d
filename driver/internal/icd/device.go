package icd

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// Device is a VkDevice: package core's device, the objects made from it by
// handle, and its queues. What is left in the pools goes with the device.
type Device struct {
	driver     *Driver
	instance   *Instance
	core       *core.Device
	extensions map[string]bool // enabled
	enabled    map[string]bool // features, by their C names
	queues     []*Queue

	listeners []memoryListener // to device memory
	memoryIDs atomic.Uint64    // given to memory that is reported
	hostBytes atomic.Int64     // of the heap that is not device-local

	sync  notifier    // tells of fences, semaphores and queues
	board *abi.Board  // shows C fences and semaphores
	lost  atomic.Bool // VK_ERROR_DEVICE_LOST
	loss  sync.Once   // see lose

	fences       Pool[Fence]
	semaphores   Pool[Semaphore]
	swapchains   Pool[Swapchain]
	memories     Pool[Memory]
	commandPools Pool[CommandPool]
	objects
}

// CreateDevice is vkCreateDevice.
func (p *PhysicalDevice) CreateDevice(a *abi.CreateDeviceArgs) vk.Result {
	*a.PDevice = nil
	info := a.PCreateInfo
	d := &Device{driver: p.instance.driver, instance: p.instance, extensions: map[string]bool{}}
	for _, x := range abi.Strings(info.PpEnabledExtensionNames, info.EnabledExtensionCount) {
		if findExtension(d.driver.deviceExtensions, x) == nil { // RAS-090: so there are no render passes that transform
			return vk.ErrorExtensionNotPresent
		}
		d.extensions[x] = true
	}
	var ok bool
	if d.enabled, ok = d.driver.enabledFeatures(info); !ok {
		return vk.ErrorFeatureNotPresent
	}
	if !densityAlone(d.enabled) {
		d.instance.message(core.Message{Severity: core.SeverityError, Rule: "VUID-VkDeviceCreateInfo-fragmentDensityMap-04481",
			Text: "vkCreateDevice: fragmentDensityMap together with fragment shading rates; enable one of the two"})
		return vk.ErrorFeatureNotPresent
	}
	if exclusiveRates(d.enabled) {
		d.instance.message(core.Message{Severity: core.SeverityError, Rule: "VUID-VkDeviceCreateInfo-shadingRateImage-04478",
			Text: "vkCreateDevice: shadingRateImage together with fragment shading rates; enable one of the two"})
		return vk.ErrorFeatureNotPresent
	}
	d.listen(info)
	if r := d.addQueues(abi.Slice(info.PQueueCreateInfos, info.QueueCreateInfoCount)); r != vk.Success {
		return r
	}
	cfg := d.driver.cfg
	if cfg.Ready != nil {
		if cfg.Threads = cfg.Ready(cfg.Threads); cfg.Threads == 0 {
			return vk.ErrorOutOfHostMemory
		}
	}
	var err error
	d.core, err = core.Open(d.config(cfg.Threads))
	if err != nil {
		return result(err)
	}
	d.sync.word = (*abi.Word)(d.driver.words.get())
	d.board = (*abi.Board)(d.driver.boards.get())
	h := enroll(d.driver, &d.driver.devices, d, abi.LevelDevice)
	if d.sync.word == nil || d.board == nil || h == nil || !d.enrollQueues() {
		d.close()
		expel(d.driver, &d.driver.devices, h, abi.LevelDevice)
		return vk.ErrorOutOfHostMemory
	}
	*d.board = abi.Board{Word: d.sync.word}
	(*abi.DeviceHandle)(h).Board = d.board
	*a.PDevice = abi.Device(h)
	d.driver.frames.made(UseDevice)
	return vk.Success
}

// config is what the device's core is made with.
func (d *Device) config(threads int) core.Config {
	cfg := &d.driver.cfg
	listens := d.instance.listens() || d.instance.hears()
	mixed := d.extensions["VK_NV_framebuffer_mixed_samples"]
	robust := d.enabled["robustBufferAccess"] || d.enabled["robustBufferAccess2"] || d.enabled["pipelineRobustness"]
	return core.Config{
		Threads: threads, MemoryLimit: cfg.MemoryLimit, Gate: d.driver.gate,
		LoopBudget: cfg.LoopBudget, SubmitTimeout: cfg.SubmitTimeout, Dump: cfg.Dump, Engine: cfg.Engine,
		HeapMemory: cfg.HeapMemory, GuardMemory: cfg.GuardMemory, Region: cfg.Region,
		Explain: d.driver.frames.explain != nil, Readbacks: d.driver.frames.explain.readbacks(), Debug: d.instance.message, Vulkan: true,
		TrackLayouts: listens || d.driver.frames.explain != nil, CheckImages: listens, CheckRanges: listens && !robust,
		ImageFeatures: d.imageFeatures(), ViewConversions: true, StoreAnywhere: true, Mend: true,
		Maintenance9:      d.enabled["maintenance9"],
		UnfedInputs:       d.enabled["maintenance9"] || d.enabled["vertexAttributeRobustness"],
		RelaxedLines:      d.enabled["relaxedLineRasterization"],
		DepthUnrestricted: d.extensions["VK_EXT_depth_range_unrestricted"],
		MixedSamples:      mixed,
		MergeCoverage:     mixed && !d.extensions["VK_AMD_mixed_attachment_samples"],
		CoverageSamples:   int(cfg.CoverageSamples), PixelMasks: !d.driver.masksRates(),
		RateEnums: d.enabled["supersampleFragmentShadingRates"] || d.enabled["noInvocationFragmentShadingRates"],
	}
}

// DestroyDevice is vkDestroyDevice.
func (d *Device) DestroyDevice(a *abi.DestroyDeviceArgs) {
	if expel(d.driver, &d.driver.devices, unsafe.Pointer(a.Device), abi.LevelDevice) != nil {
		d.close()
	}
}

// close frees all that the device has outside the Go heap. Threads of the host that still wait for something of it, against the
// rules, find it lost.
func (d *Device) close() {
	d.stopQueues()
	if d.board != nil {
		d.lose(nil)
	}
	for _, s := range d.swapchains.All() {
		s.close()
	}
	for _, p := range d.commandPools.All() {
		p.close()
	}
	for _, q := range d.queues {
		expel(d.driver, &d.driver.queues, q.handle, abi.LevelQueue)
	}
	_ = d.core.Close() // waits; nobody is left to tell what the last work did
	if d.board != nil {
		for _, f := range d.fences.All() {
			f.hide()
		}
		for _, s := range d.semaphores.All() {
			s.hide()
		}
		d.driver.boards.put(unsafe.Pointer(d.board))
	}
	if word := d.sync.close(); word != nil {
		word.Changes.Add(1)
		memory.WakeWord(&word.Changes)
		for i := 0; word.Sleepers.Load() != 0 && i < 100; i++ {
			time.Sleep(time.Millisecond)
		}
		if word.Sleepers.Load() == 0 { // else somebody is about to look at it for long
			d.driver.words.put(unsafe.Pointer(word))
		}
	}
}
