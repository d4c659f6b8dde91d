package core

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Config picks how a device works; zero fields take their defaults.
type Config struct {
	// Engine is one of Engines; "" is what PUMICE_ENGINE says, or the best there is.
	Engine      string
	Threads     int            // workers; 0: GOMAXPROCS
	TileSize    int            // pixels; 0: chosen by render
	Lanes       int            // invocations a batch; 0: chosen by render
	BinBytes    int64          // memory of a round's bins; 0: chosen by render
	MemoryLimit int64          // bytes of device memory; 0: the Budget's, or DefaultMemoryLimit
	Budget      *budget.Budget // charged for device memory, too; may be nil
	Gate        *memory.Gate   // asked whether the host has memory; nil: nobody is
	HeapMemory  bool           // device memory from the Go heap
	// GuardMemory is memory.Guard or memory.GuardBefore, for tests; 0: neither.
	GuardMemory memory.Mode
	// Region is where device memory lies that another process has mapped, too; nil: anywhere.
	Region *memory.Region
	Debug  func(Message)
	// Interpreted is told of each stage of a pipeline some of whose instructions have no machine
	// code, of which Debug is told, too; it may be nil.
	Interpreted func(pipeline, stage string, list []Interpreted)
	// Vulkan makes errors and messages speak of Vulkan's commands and structs; else it is what
	// package pumice calls them.
	Vulkan bool
	// CheckImages reports image instructions of shaders that do not fit their images and
	// samplers, or that SPIR-V does not allow.
	CheckImages bool
	// ImageFeatures are the features that CheckImages takes for enabled; zero: all.
	ImageFeatures ImageFeatures
	// ViewConversions says that views have Y′CBCR conversions of their own; else they have their samplers'.
	ViewConversions bool
	// CheckDraws reports what draws and dispatches read that nobody has written, and those
	// that nothing comes of; it needs Debug.
	CheckDraws bool
	// CheckRanges reports accesses to uniform, storage and texel buffers outside of what is bound; it needs Debug.
	CheckRanges bool
	// Mend goes on from broken rules that do no harm, with what there is in place of what is asked for (mend.go): a range
	// ends with its buffer, a number with its limit. Debug is told. Otherwise they are errors.
	Mend bool
	// TrackLayouts reports images that are read in another layout than they are in.
	TrackLayouts bool
	// UnfedInputs makes vertex inputs that no attribute feeds read as zero
	// (vertexAttributeRobustness, maintenance9).
	UnfedInputs bool
	// Maintenance9 gives slices of 3D images layouts of their own where they may be
	// arrays of 2D images.
	Maintenance9 bool
	// DepthUnrestricted allows depth beyond [0, 1] (VK_EXT_depth_range_unrestricted).
	DepthUnrestricted bool
	// RelaxedLines is the feature relaxedLineRasterization.
	RelaxedLines bool
	// MixedSamples allows pipelines more samples than colour attachments have
	// (VK_NV_framebuffer_mixed_samples). MergeCoverage merges coverage where nothing
	// else is said; otherwise it is truncated (VK_AMD_mixed_attachment_samples).
	MixedSamples, MergeCoverage bool
	// RateEnums makes rates of primitives and attachments VkFragmentShadingRateNV
	// (supersampleFragmentShadingRates, noInvocationFragmentShadingRates).
	RateEnums bool
	// StoreAnywhere lets storage descriptors of sets have images whose format can be stored to, whatever usage
	// they were made for: that is told (VUID-VkWriteDescriptorSet-descriptorType-00339) and works, as
	// the memory is the same.
	StoreAnywhere bool
	// CoverageSamples is how many samples a fragment may have; 0:
	// render.MaxCoverageSamples.
	CoverageSamples int
	PixelMasks      bool // as render.Config has it
	MaxCacheShader  int  // compiled shaders kept; 0: 1024
	// LoopBudget is exec.Context.Fuel; 0: none, but exec.DefaultFuel where two engines are compared.
	LoopBudget int64
	// Explain keeps what Device.Explain needs of shaders.
	Explain bool
	// Readbacks has explanations find images whose texels the host carried elsewhere, to another
	// device of a process perhaps; nil: with Explain the device has its own.
	Readbacks *Readbacks
	// Dump chooses which shaders are printed, as PUMICE_DUMP does where it is "".
	Dump string
	// SubmitTimeout is how long a submission may run before the device is lost,
	// without the time that it waits; 0: any time.
	SubmitTimeout time.Duration
}

// DefaultMemoryLimit bounds device memory where Config does not. The driver has a share of the
// host's instead.
const DefaultMemoryLimit = 4 << 30

// Severity of a Message.
type Severity int

// The severities.
const (
	SeverityInfo Severity = iota
	SeverityWarning
	SeverityError
)

// String returns "info", "warning" or "error".
func (s Severity) String() string {
	switch s {
	case SeverityInfo:
		return "info"
	case SeverityWarning:
		return "warning"
	case SeverityError:
		return "error"
	}
	return fmt.Sprintf("Severity(%d)", int(s))
}

// Message is a diagnostic for Config.Debug.
type Message struct {
	Severity Severity
	Op, Rule string
	Text     string
}

// Stats are sums over all work done. Times are those of package render, and
// wall-clock times of dispatches and transfers.
type Stats struct {
	Render                    render.Stats
	Draws, Dispatches, Passes uint64
	Compute, Transfer         time.Duration
}

// Device is an open device. Safe for concurrent use.
type Device struct {
	cfg       Config
	engine    exec.Engine
	portable  func() exec.Engine // of traced programs
	alloc     *memory.Allocator
	executor  *render.Executor
	queue     *Queue
	more      []*Queue      // of NewQueue
	turn      turn          // of the queue that carries out commands
	awaiting  atomic.Int32  // queues that wait for an event
	ids       atomic.Uint64 // of views and samplers; the last one
	faults    faultsTold
	shaders   cache[exec.Routine]
	modules   cache[*spirv.Module]
	dump      *dump
	mends     sync.Map // how often a rule was told that the device goes on from; *atomic.Int32 by rule
	printing  sync.Mutex
	printed   int // bytes of messages of shaders, under printing
	addresses addressSpace
	numbered  objectNumbers
	arrays    keptArrays

	watcher *Watcher // of the queue that carries out commands

	closed      atomic.Bool
	life        context.Context // that of what runs; ended by Abandon
	end         context.CancelCauseFunc
	stop        func() bool                // of exec.Context, see render.Executor.Stopped
	prints      func(program, text string) // likewise: print, made once
	lost        atomic.Pointer[Error]
	sparseBytes atomic.Int64 // addresses of sparse resources
	// A buffer was made of more than maxReach bytes.
	largeBuffers atomic.Bool

	mu       sync.Mutex
	memories map[*Memory]struct{}        // not freed yet
	pins     int                         // submissions under way that follow addresses
	sparse   map[*memory.Sparse]struct{} // of sparse resources
	kept     []*Memory                   // without users, to be freed after those
	stats    Stats
}

// Open opens a device.
func Open(cfg Config) (*Device, error) {
	d := &Device{cfg: cfg, dump: cfg.dump(), memories: map[*Memory]struct{}{}, sparse: map[*memory.Sparse]struct{}{}}
	d.life, d.end = context.WithCancelCause(context.Background())
	if err := d.checkConfig(); err != nil {
		return nil, err
	}
	if d.cfg.LoopBudget <= 0 {
		d.cfg.LoopBudget = math.MaxInt64
		if d.cfg.Engine == "check" {
			d.cfg.LoopBudget = exec.DefaultFuel
		}
	}
	if d.cfg.Explain && d.cfg.Readbacks == nil {
		d.cfg.Readbacks = &Readbacks{}
	}
	if d.cfg.Threads == 0 {
		d.cfg.Threads = runtime.GOMAXPROCS(0)
	}
	if d.cfg.MemoryLimit == 0 {
		d.cfg.MemoryLimit = DefaultMemoryLimit
		if cfg.Budget != nil {
			d.cfg.MemoryLimit = cfg.Budget.Limit()
		}
	}
	mode := cfg.GuardMemory
	if cfg.HeapMemory {
		mode = memory.Heap
	}
	d.alloc = memory.New(memory.Config{
		Mode: mode, Limit: d.cfg.MemoryLimit, Blocks: MaxAllocations, Gate: cfg.Gate,
		Region: d.cfg.Region,
	})
	d.engine = d.newEngine()
	d.tellEngine()
	d.portable = sync.OnceValue(func() exec.Engine { return vm.New(vm.Options{Lanes: d.cfg.Lanes}) })
	d.executor = render.New(render.Config{
		Threads: d.cfg.Threads, Engine: d.engine, TileSize: d.cfg.TileSize, Lanes: d.cfg.Lanes, BinBytes: d.cfg.BinBytes, CoverageSamples: d.cfg.CoverageSamples, PixelMasks: d.cfg.PixelMasks,
		Scratch: memory.New(memory.Config{Mode: scratchMode(mode)}),
	})
	d.stop, d.prints = d.executor.Stopped, d.print
	d.shaders.limit, d.modules.limit = cfg.MaxCacheShader, keptModules
	if d.shaders.limit <= 0 {
		d.shaders.limit = 1024
	}
	d.shaders.size, d.shaders.most = routineBytes, maxRoutineBytes
	d.turn.slice = turnSlice
	d.queue = newQueue(d)
	return d, nil
}

// scratchMode is where the memory of shaders' variables comes from. Engines bound what is in it themselves, so that guards
// would find nothing.
func scratchMode(m memory.Mode) memory.Mode {
	if m == memory.Heap {
		return m
	}
	return memory.OffHeap
}

// Budget returns Config.Budget.
func (d *Device) Budget() *budget.Budget {
	if d == nil {
		return nil
	}
	return d.cfg.Budget
}

// maxThreads bounds Config.Threads: each worker has its own tile memory.
const maxThreads = 1024

func (d *Device) checkConfig() error {
	const op, rule = "vkCreateDevice", "Config"
	c := &d.cfg
	if c.Engine == "" {
		c.Engine = os.Getenv("PUMICE_ENGINE")
	}
	if c.Engine != "" && !slices.Contains(Engines, c.Engine) {
		return d.unsupported(op, rule, "use one of "+strings.Join(Engines, ", ")+", or leave it empty (and PUMICE_ENGINE, too)", "engine %q", c.Engine)
	}
	if c.Threads < 0 || c.Threads > maxThreads {
		return d.misuse(op, rule, "0 means one for each CPU", "Threads %d outside 0…%d", c.Threads, maxThreads)
	}
	switch c.TileSize {
	case 0, 16, 32, 64, 128, 256:
	default:
		return d.misuse(op, rule, "", "TileSize %d is none of 0, 16, 32, 64, 128, 256", c.TileSize)
	}
	switch c.Lanes {
	case 0, 64, 128, 256:
	default:
		return d.misuse(op, rule, "", "Lanes %d is none of 0, 64, 128, 256", c.Lanes)
	}
	if c.BinBytes != 0 && c.BinBytes < 1<<20 {
		return d.misuse(op, rule, "", "BinBytes %d below 1 MiB", c.BinBytes)
	}
	if c.MemoryLimit < 0 {
		return d.misuse(op, rule, "", "MemoryLimit %d", c.MemoryLimit)
	}
	return nil
}

// Close stops submitted work that has not ended and frees all memory of the device.
func (d *Device) Close() error {
	if d == nil || d.closed.Swap(true) {
		return nil
	}
	d.Abandon()
	d.queue.stop()
	for _, q := range d.more {
		q.stop()
	}
	d.executor.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	var first error
	for m := range d.memories {
		if err := m.free(); err != nil && first == nil {
			first = err
		}
	}
	clear(d.memories)
	d.kept = nil
	return d.wrap("vkDestroyDevice", first)
}

// Abandon stops what runs and what waits for events, now and from now on: it fails with
// ErrClosed. When Abandon returns nothing runs.
func (d *Device) Abandon() {
	d.end(errGone)
	d.turn.take(false)
	defer d.turn.give()
}

// EngineName returns the name of the engine.
func (d *Device) EngineName() string {
	if d == nil {
		return ""
	}
	return d.engine.Name()
}

// Threads returns the number of workers.
func (d *Device) Threads() int {
	if d == nil {
		return 0
	}
	return d.cfg.Threads
}

// Memory returns the bytes of device memory in use now and at most.
func (d *Device) Memory() (current, peak int64) {
	if d == nil {
		return 0, 0
	}
	s := d.alloc.Stats()
	return s.Used, s.Peak
}

// Stats returns sums over all work done so far.
func (d *Device) Stats() Stats {
	if d == nil {
		return Stats{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stats
}

func (d *Device) addStats(f func(*Stats)) {
	d.mu.Lock()
	f(&d.stats)
	d.mu.Unlock()
}

// Queue returns the device's queue; nil for a nil device.
func (d *Device) Queue() *Queue {
	if d == nil {
		return nil
	}
	return d.queue
}

// NewQueue makes another queue, which goes with the device.
func (d *Device) NewQueue() *Queue {
	q := newQueue(d)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.more = append(d.more, q)
	return q
}

// nilObject is the answer to a call on a nil handle.
func nilObject(op Op, kind string) error {
	return &Error{Op: op.pumice(), Rule: "nil object", Detail: "the " + kind + " is nil", Hint: "check the error of the call that made it"}
}

// usable says why the device takes no calls any more.
func (d *Device) usable(op Op) error {
	if d == nil {
		return nilObject(op, "device")
	}
	if d.closed.Load() {
		return d.report(&Error{Op: string(op), Rule: "use after Close", Detail: "the device", Err: ErrClosed})
	}
	return d.isLost(op)
}

// isLost is the error of a call on a lost device, or nil.
func (d *Device) isLost(op Op) error {
	if e := d.lost.Load(); e != nil {
		return &Error{Op: d.named(op), Rule: "VK_ERROR_DEVICE_LOST", Detail: e.Detail, Hint: "open a new device", Err: ErrDeviceLost}
	}
	return nil
}

// lose marks the device lost after a broken invariant.
func (d *Device) lose(op Op, detail string, stack []byte) error {
	return d.loseWith(&Error{Op: string(op), Rule: "VK_ERROR_DEVICE_LOST", Detail: detail, Hint: "this is a defect of the implementation, please report it", Err: ErrDeviceLost}, stack)
}

// loseWith marks the device lost, and ends what runs on it. Config.Debug gets the stack, if there
// is one, which would swamp an error.
func (d *Device) loseWith(e *Error, stack []byte) error {
	d.speak(e)
	first := d.lost.CompareAndSwap(nil, e)
	if d.end != nil {
		d.end(errGone)
	}
	if first && d.cfg.Debug != nil {
		d.cfg.Debug(Message{Severity: SeverityError, Op: e.Op, Rule: e.Rule, Text: strings.TrimSpace(e.Error() + "\n" + string(stack))})
	}
	return e
}

// object is what all objects have in common.
type object struct {
	dev    *Device
	kind   string
	name   string
	closed atomic.Bool
}

// Device returns the device that made the object.
func (o *object) Device() *Device { return o.dev }

// label names the object in errors.
func (o *object) label() string {
	if o.name != "" {
		return o.kind + " " + o.name
	}
	return o.kind
}

// use checks that the object can be used with device d in operation op.
func (o *object) use(d *Device, op Op) error {
	if o.closed.Load() {
		return d.report(&Error{Op: string(op), Rule: "use after Close", Detail: o.label(), Err: ErrClosed})
	}
	if o.dev != d {
		return d.misuse(op, "commonparent", "use objects of one device together", "%s belongs to another device", o.label())
	}
	return nil
}
