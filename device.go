package pumice

import (
	"context"
	"time"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// Config picks how a device works. The zero value, like a nil *Config, means the
// best engine on all cores.
type Config struct {
	// Engine runs shaders: "native" (machine code, where the processor and the
	// system have it), "vm" (the portable batch machine), "check" (both,
	// every batch compared), or "" for what the
	// variable PUMICE_ENGINE of the environment says, or the best there is. It
	// changes no result.
	Engine string
	// Threads is the number of workers; 0 means one for each CPU that the
	// process may use.
	Threads int
	// TileSize is the extent of a framebuffer tile in pixels: 16, 32, 64, 128
	// or 256; 0 lets the device choose. It changes no result.
	TileSize int
	// Lanes is the number of invocations in a batch: 64, 128 or 256; 0 lets
	// the device choose. It changes no result.
	Lanes int
	// BinBytes bounds the memory that a render pass uses for vertices and
	// bins; 0 means 8 MiB: what fits caches.
	BinBytes int64
	// MemoryLimit bounds device memory (buffers and images) in bytes; 0 means
	// the limit of Budget, or without one 4 GiB.
	MemoryLimit int64
	// Budget, if not nil, is charged for device memory together with whatever else
	// is: files, models, other devices.
	Budget *budget.Budget
	// MemoryMode says where device memory lives.
	MemoryMode MemoryMode
	// LoopBudget is how many instructions a batch of invocations may run in
	// loops before its submission fails; 0 means any number. Instructions that take long count up
	// to 64 times. Without a budget, what ends a shader that doesn't end by itself is its context, or Close.
	LoopBudget int64
	// Explain makes the device keep what explanations need of shaders; see
	// WatchPoint.Shader and Device.Explain.
	Explain bool
	// Debug, if not nil, is called with errors and warnings as they are found, and with
	// what is no error of the call, but leaves a picture black or wrong, once a pipeline
	// and place: image instructions of shaders that do not fit their images and samplers, where
	// they run, modules whose image instructions SPIR-V does not allow (docs/validation.md),
	// vertices and indices beyond their buffers, uniform, storage and texel buffers that are
	// accessed outside of what is bound, push constants that nothing has set,
	// images that are read while the pass draws or resolves to them, draws and dispatches
	// that nothing can come of, and attachments without a target. Where it is nil, none of
	// that is looked for. It may be called from several goroutines at once and must not
	// call the device.
	Debug func(Message)
	// Interpreted, if not nil, is called for the instructions of each pipeline that no machine code
	// runs: they are tens of times slower, with the same bits. Debug is told of them as well. It may
	// be called from several goroutines at once and must not call the device.
	Interpreted func(Interpreted)
}

// Interpreted are instructions of a pipeline's stage that no machine code runs: those of a name
// and a reason together.
type Interpreted struct {
	// Pipeline is its kind and name, Stage that of the shader: "compute".
	Pipeline string `json:"pipeline"`
	Stage    string `json:"stage"`
	Name     string `json:"name"`
	Count    int    `json:"count"`
	Why      string `json:"why"`
	// Source is where the first of them is, or the loop around it; "" where the module does not tell.
	Source string `json:"source,omitempty"`
}

// MemoryMode says where device memory lives.
type MemoryMode int

const (
	// MemoryAuto is MemoryOffHeap where the system has it; in programs built
	// with the race detector, MemoryHeap.
	MemoryAuto MemoryMode = iota
	// MemoryOffHeap maps pages outside the Go heap: the collector ignores it.
	MemoryOffHeap
	// MemoryHeap allocates on the Go heap, where the race detector sees it.
	MemoryHeap
	// MemoryGuard ends every allocation at a page that cannot be touched, so that an
	// access beyond it loses the device instead of going unseen. It is for tests of
	// Pumice itself: each allocation takes two pages more.
	MemoryGuard
)

// Severity of a Message. It prints as a word.
type Severity int

const (
	// SeverityInfo is something to know: code that is slower than it need be.
	SeverityInfo Severity = iota
	// SeverityWarning is what breaks no rule of Vulkan and is hardly meant.
	SeverityWarning
	// SeverityError is a broken rule, whether the call fails for it or not.
	SeverityError
)

// String returns "info", "warning" or "error".
func (s Severity) String() string { return core.Severity(s).String() }

// Message is a diagnostic for Config.Debug.
type Message struct {
	// Severity says whether a rule is broken.
	Severity Severity
	// Op is the call that the message is about ("Device.Submit"), Rule the VUID or rule, as in
	// Error. Both may be "".
	Op, Rule string
	// Text is one line: the place (command buffer, pass, draw or dispatch by number, pipeline by name,
	// shader by line where known), what was found, and what to do.
	Text string
}

// Device is an open device with its one queue. Safe for concurrent use.
type Device struct{ core *core.Device }

// Open opens a device; cfg may be nil. Close it after use.
func Open(cfg *Config) (*Device, error) {
	var c Config
	if cfg != nil {
		c = *cfg
	}
	var debug func(core.Message)
	if c.Debug != nil {
		debug = func(m core.Message) {
			c.Debug(Message{Severity: Severity(m.Severity), Op: m.Op, Rule: m.Rule, Text: m.Text})
		}
	}
	var interpreted func(pipeline, stage string, list []core.Interpreted)
	if c.Interpreted != nil {
		interpreted = func(pipeline, stage string, list []core.Interpreted) {
			for _, x := range list {
				c.Interpreted(Interpreted{pipeline, stage, x.Name, x.Count, x.Why, x.Source.String()})
			}
		}
	}
	var guard memory.Mode
	if c.MemoryMode == MemoryGuard {
		guard = memory.Guard
	}
	d, err := core.Open(core.Config{
		Engine: c.Engine, Threads: c.Threads, TileSize: c.TileSize, Lanes: c.Lanes, BinBytes: c.BinBytes,
		MemoryLimit: c.MemoryLimit, Budget: c.Budget, Explain: c.Explain, LoopBudget: c.LoopBudget, HeapMemory: c.MemoryMode == MemoryHeap || c.MemoryMode == MemoryAuto && raceDetector, GuardMemory: guard, Debug: debug, Interpreted: interpreted, CheckImages: debug != nil, CheckDraws: debug != nil, CheckRanges: debug != nil, RateEnums: true,
	})
	if err != nil {
		return nil, err
	}
	return &Device{d}, nil
}

// Close stops submitted work that has not ended, whose Fence then says so, closes
// every object of the device and frees its memory. Calling it again does nothing.
func (d *Device) Close() error {
	if d == nil || d.object() == nil {
		return nil
	}
	return d.object().Close()
}

// Properties returns the device's name, versions and limits.
func (d *Device) Properties() vk.PhysicalDeviceProperties { return d.object().Properties() }

// Limits returns the device's limits.
func (d *Device) Limits() vk.PhysicalDeviceLimits { return d.object().Limits() }

// Features returns the features that work; all of them are enabled.
func (d *Device) Features() vk.PhysicalDeviceFeatures { return d.object().Features() }

// FormatProperties says what images and buffers of a format can be used for;
// all zero for a format that is not supported.
func (d *Device) FormatProperties(f vk.Format) vk.FormatProperties {
	return d.object().FormatProperties(f)
}

// Engine returns the name of the engine that runs shaders.
func (d *Device) Engine() string { return d.object().EngineName() }

// Threads returns the number of workers.
func (d *Device) Threads() int { return d.object().Threads() }

// MemoryUsage returns the bytes of device memory in use, and the most there
// ever were.
func (d *Device) MemoryUsage() (current, peak int64) { return d.object().Memory() }

// Budget returns Config.Budget, for those who take memory for what they draw: nil where
// there is none.
func (d *Device) Budget() *budget.Budget { return d.object().Budget() }

// Stats returns sums over all work done so far.
func (d *Device) Stats() Stats {
	s := d.object().Stats()
	return Stats{
		Vertices: s.Render.Vertices, Primitives: s.Render.Primitives, Rasterized: s.Render.Rasterized, Fragments: s.Render.Fragments,
		Draws: s.Draws, Dispatches: s.Dispatches, Passes: s.Passes,
		VertexTime: time.Duration(s.Render.VertexNS), BinTime: time.Duration(s.Render.BinNS), TileTime: time.Duration(s.Render.TileNS),
		ResolveTime: time.Duration(s.Render.ResolveNS), ComputeTime: s.Compute, TransferTime: s.Transfer,
	}
}

// Submit runs command buffers and waits until they are done. It returns the
// first recording error, without running anything, or what went wrong in
// running. When ctx ends first, the work stops, Submit returns ctx's error and
// what the work would have written is undefined; the device stays usable.
func (d *Device) Submit(ctx context.Context, cmds ...*CommandBuffer) error {
	return d.object().Queue().SubmitAndWait(ctx, "Device.Submit", commandBuffers(cmds))
}

// Wait waits until everything submitted before is done and returns the first
// error of work whose Fence nobody waited for.
func (d *Device) Wait(ctx context.Context) error { return d.object().Queue().Wait(ctx, "Device.Wait") }

// Queue returns the device's queue, for submission without waiting.
func (d *Device) Queue() *Queue { return &Queue{d.object().Queue()} }

// Stats counts work. Times are wall-clock times of the stages.
type Stats struct {
	// Vertices counts vertex shader runs, Primitives assembled primitives and
	// Rasterized those that survived clipping and culling.
	Vertices, Primitives, Rasterized uint64
	// Fragments counts fragment shader runs without helpers.
	Fragments uint64
	// Draws and Dispatches count commands, Passes render passes.
	Draws, Dispatches, Passes uint64
	// VertexTime is the time of vertex shading, BinTime of assembly, set-up
	// and binning, TileTime of drawing tiles, ResolveTime of resolves,
	// ComputeTime of dispatches, TransferTime of copies, blits and clears.
	VertexTime, BinTime, TileTime, ResolveTime, ComputeTime, TransferTime time.Duration
}

// Queue takes work. Safe for concurrent use.
type Queue struct{ core *core.Queue }

// Submit queues command buffers and returns at once; the Fence tells when they
// are done. The commands are taken as they stand: the buffers may be recorded
// anew while the work runs.
func (q *Queue) Submit(cmds ...*CommandBuffer) (*Fence, error) {
	f, err := q.object().Submit(context.Background(), "Queue.Submit", commandBuffers(cmds))
	if err != nil {
		return nil, err
	}
	return &Fence{f}, nil
}

// Wait waits until everything submitted before is done.
func (q *Queue) Wait(ctx context.Context) error { return q.object().Wait(ctx, "Queue.Wait") }

// Fence tells when a submission is done.
type Fence struct{ core *core.Fence }

// Wait waits for the submission and returns how it went. When ctx ends first it
// returns ctx's error; the work goes on.
func (f *Fence) Wait(ctx context.Context) error { return f.object().Wait(ctx) }

// Done is closed when the submission is done.
func (f *Fence) Done() <-chan struct{} { return f.object().Done() }

// Err returns how a finished submission went, nil before.
func (f *Fence) Err() error { return f.object().Err() }
