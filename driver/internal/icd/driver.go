package icd

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// Config says how a Driver works; zero fields take their defaults.
type Config struct {
	Threads int // workers of a device; 0: GOMAXPROCS
	// Ready returns how many workers, Threads at most, a device may have now; 0: the system has no threads for it. nil: Threads.
	Ready       func(threads int) int
	MemoryLimit int64 // bytes of device memory; 0: core.DefaultMemoryLimit
	// Host is asked whether there is memory for what is allocated; nil: there is.
	Host       *memory.Host
	LoopBudget int64 // instructions that a batch of invocations may run in loops; 0: any number
	// SubmitTimeout is how long a submission may run before the device is lost; 0:
	// DefaultSubmitTimeout, below 0: any time.
	SubmitTimeout time.Duration
	HeapMemory    bool        // device memory, and the state of fences, in the Go heap, for the race detector
	GuardMemory   memory.Mode // memory.Guard or memory.GuardBefore, for tests
	// Region is memory that the host, another process, has mapped at the same place, where all lies that it sees: handles,
	// records, and device memory; nil: the host is this process.
	Region  *memory.Region
	Log     io.Writer    // takes reports of defects; nil: none
	Windows WindowSystem // nil: headless surfaces only
	Message MessageFunc  // nil: debug messengers hear nothing
	Report  ReportFunc   // nil: nor do debug report callbacks
	// MemoryReport calls listeners to device memory; nil: they hear nothing.
	MemoryReport MemoryReportFunc
	Verbose      bool   // broken rules go to Log too
	Dump, Engine string // those of core.Config
	// CoverageSamples is maxFragmentShadingRateCoverageSamples, 16 to 256: it limits
	// the sizes of fragments; 0: 256.
	CoverageSamples uint32
	// DeviceType is what programs are told that Pumice is, for those that pass CPUs
	// over; 0, other, means the truth.
	DeviceType vk.PhysicalDeviceType
	// Conformance is what programs are told in conformanceVersion, for those that pass drivers without one over; zero: that no
	// version of the conformance tests has passed whole.
	Conformance vk.ConformanceVersion
	Frames      FrameRequests
	APIVersion  uint32 // what to report at most, for programs that know no later version; 0: what there is
	// Without names extensions that are not offered, for layers and programs that
	// stumble over them.
	Without []string
	// Offer names what is offered although it is withheld by default (allWithheld).
	Offer []string
}

// Driver is the state of the driver in a process: what global entry points are
// called on, and where dispatchable handles lead to. Safe for concurrent use.
type Driver struct {
	cfg    Config
	frames frames
	gate   *memory.Gate // nil without Config.Host

	instanceExtensions, deviceExtensions []extension // those that are offered

	instances       Pool[Instance]
	physicalDevices Pool[PhysicalDevice]
	devices         Pool[Device]
	queues          Pool[Queue]
	commandBuffers  Pool[CommandBuffer]

	cells    slab // abi.Dispatchable and abi.Stream
	boards   slab // abi.Board
	words    slab // abi.Word: of its own, since somebody may still sleep for one that was given back
	segments slab // of segmentBytes: recorded commands
}

// New makes a driver.
func New(cfg Config) *Driver {
	if cfg.MemoryLimit == 0 {
		cfg.MemoryLimit = core.DefaultMemoryLimit
	}
	switch {
	case cfg.SubmitTimeout == 0:
		cfg.SubmitTimeout = DefaultSubmitTimeout
	case cfg.SubmitTimeout < 0:
		cfg.SubmitTimeout = 0 // as package core has it
	}
	if cfg.APIVersion == 0 || cfg.APIVersion > apiVersion {
		cfg.APIVersion = apiVersion
	}
	if cfg.DeviceType == vk.PhysicalDeviceTypeOther {
		cfg.DeviceType = vk.PhysicalDeviceTypeCpu
	}
	if n := cfg.CoverageSamples; n < 16 || n > core.MaxCoverageSamples {
		cfg.CoverageSamples = core.MaxCoverageSamples
	}
	d := &Driver{
		cfg:                cfg,
		instanceExtensions: without(instanceExtensions[:], slices.Concat(cfg.Without, elsewhere())),
		deviceExtensions:   without(deviceExtensions[:], slices.Concat(cfg.Without, elsewhere(), withheldExtensions(cfg.Offer))),
	}
	if cfg.Host != nil {
		d.gate = memory.NewGate(cfg.Host)
	}
	if d.isolated() {
		d.instanceExtensions, d.deviceExtensions = without(d.instanceExtensions, unshared), without(d.deviceExtensions, unshared)
	}
	d.frames.init(cfg.Frames, cfg.Log)
	outside := memory.Config{Region: cfg.Region}
	boards := outside
	if cfg.HeapMemory { // whose fences say that other memory may be read or written
		boards.Mode = memory.Heap
	}
	d.cells.init(cellBytes, outside)
	d.boards.init(int(unsafe.Sizeof(abi.Board{})), boards)
	d.words.init(cellBytes, outside)
	d.segments.init(segmentBytes, outside)
	return d
}

// Call runs one entry point; p points to its argument struct. It is the door
// that everything but recording goes through, and lets no panic out: those, and
// handles that lead nowhere, become VK_ERROR_DEVICE_LOST where there is a
// result.
func (d *Driver) Call(op abi.Op, p unsafe.Pointer) {
	debug.SetPanicOnFault(true) // pointers of the application may be wild
	defer func() {
		if r := recover(); r != nil {
			d.defect(op, r, debug.Stack())
			setResult(op, p, vk.ErrorDeviceLost)
		}
	}()
	if refused(op, p) {
		return
	}
	if !d.call(op, p) {
		setResult(op, p, vk.ErrorDeviceLost)
		return
	}
	if at := op.ResultOffset(); at >= 0 && *(*vk.Result)(unsafe.Add(p, at)) == vk.ErrorDeviceLost && !tellsLoss(op) {
		setResult(op, p, vk.ErrorUnknown)
	}
}

// call finds the object and calls its method. The first argument of all but
// global entry points is the object's handle.
func (d *Driver) call(op abi.Op, p unsafe.Pointer) bool {
	level := op.Level()
	if level == abi.LevelGlobal {
		return callGlobal(d, op, p)
	}
	h := *(*unsafe.Pointer)(p)
	switch level {
	case abi.LevelInstance:
		if o := resolve(&d.instances, h, level); o != nil {
			return callInstance(o, op, p)
		}
	case abi.LevelPhysicalDevice:
		if o := resolve(&d.physicalDevices, h, level); o != nil {
			return callPhysicalDevice(o, op, p)
		}
	case abi.LevelDevice:
		if o := resolve(&d.devices, h, level); o != nil {
			return callDevice(o, op, p)
		}
	case abi.LevelQueue:
		if o := resolve(&d.queues, h, level); o != nil {
			return callQueue(o, op, p)
		}
	case abi.LevelCommandBuffer:
		if o := resolve(&d.commandBuffers, h, level); o != nil {
			return callCommandBuffer(o, op, p)
		}
	case abi.LevelGlobal, abi.LevelRecorder: // never come here: global is above, records are decoded
	}
	return false
}

// has says whether the entry point exists.
func has(op abi.Op) bool {
	switch op.Level() {
	case abi.LevelGlobal:
		return callGlobal((*Driver)(nil), op, nil)
	case abi.LevelInstance:
		return op == abi.OpGetInstanceProcAddr || callInstance((*Instance)(nil), op, nil)
	case abi.LevelPhysicalDevice:
		return callPhysicalDevice((*PhysicalDevice)(nil), op, nil)
	case abi.LevelDevice:
		return op == abi.OpGetDeviceProcAddr || callDevice((*Device)(nil), op, nil)
	case abi.LevelQueue:
		return callQueue((*Queue)(nil), op, nil)
	case abi.LevelCommandBuffer:
		return callCommandBuffer((*CommandBuffer)(nil), op, nil)
	case abi.LevelRecorder:
		return callRecorder((*Recorder)(nil), op, nil) || stateCommands()[op] != nil
	}
	return false
}

// setResult stores what the entry point returns, if that is a VkResult.
func setResult(op abi.Op, p unsafe.Pointer, r vk.Result) {
	if at := op.ResultOffset(); at >= 0 {
		*(*vk.Result)(unsafe.Add(p, at)) = r
	}
}

// defect reports a panic.
func (d *Driver) defect(op abi.Op, what any, stack []byte) {
	if d.cfg.Log != nil {
		_, _ = fmt.Fprintf(d.cfg.Log, "pumice: %v: %s; this is a defect of the driver, please report it\n%s", op, memory.Fault(what), stack)
	}
}
