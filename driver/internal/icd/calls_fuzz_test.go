package icd

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// entry is an entry point and the type of its arguments.
type entry struct {
	op       abi.Op
	args     reflect.Type
	recorded bool
}

// left are entry points that a fuzzer cannot call: the program promises what no length
// says, they wait for ever as they should, or they take and give away file descriptors
// of the process.
func left(name string) bool {
	for _, part := range []string{"WithTemplate", "CopyMemoryToImage", "CopyImageToMemory", "DrawMulti", "DestroyInstance", "DestroyDevice", "WaitIdle", "Fd", "ProcAddr"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// entries are the entry points in the order of their numbers.
func entries() (out []entry) {
	ops := map[string]abi.Op{}
	for op := abi.Op(1); op < abi.OpCount; op++ {
		ops[strings.TrimPrefix(op.String(), "vk")] = op
	}
	for _, x := range []any{(*Driver)(nil), (*Instance)(nil), (*PhysicalDevice)(nil), (*Device)(nil), (*Queue)(nil), (*CommandBuffer)(nil), (*Recorder)(nil)} {
		typ := reflect.TypeOf(x)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			if op, known := ops[m.Name]; known && !left(m.Name) {
				out = append(out, entry{op, m.Type.In(1).Elem(), op.Level() == abi.LevelRecorder})
			}
		}
	}
	slices.SortFunc(out, func(a, b entry) int { return int(a.op) - int(b.op) })
	return out
}

// reports is Config.Log: it keeps what the driver says of itself.
type reports struct {
	mu   sync.Mutex
	text strings.Builder
}

func (r *reports) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *reports) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func (r *reports) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.text.String()
	r.text.Reset()
	return s
}

// anyProgram is n bytes of noise, for fuzzers to begin with.
func anyProgram(seed uint32, n int) (program []byte) {
	for range n {
		seed = seed*1664525 + 1013904223
		program = append(program, byte(seed>>24))
	}
	return program
}

// FuzzCalls calls entry points in any order with any arguments: handles that lead
// somewhere, nowhere or to another kind of object, counts, flags, enums, chains. What
// pointers point to is real and ends at a page that cannot be touched. No call reads or
// writes beyond it, or outside of an object; with handles that are all real, none
// panics.
func FuzzCalls(f *testing.F) {
	for i := range 48 {
		f.Add(anyProgram(uint32(i)*2654435761+99, 200+120*i))
	}
	calls, log := entries(), &reports{}
	x := fuzzedCalls{
		calls: calls, log: log,
		filler: filler{lengths: readLengths(f), client: newClient(f), chain: chainTypes(calls)},
		driver: New(Config{Threads: 1, GuardMemory: memory.Guard, MemoryLimit: 64 << 20, LoopBudget: 1 << 16, Log: log}),
		code:   [][]byte{readCode(f, "../../testdata/triangle.vert.spv"), readCode(f, "../../testdata/triangle.frag.spv"), linearShader},
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) > 16384 {
			return
		}
		slow := time.AfterFunc(2*time.Minute, func() {
			stacks := make([]byte, 1<<20)
			panic("a run takes two minutes\n" + string(stacks[:runtime.Stack(stacks, true)]))
		})
		defer slow.Stop()
		x.run(t, program)
	})
}

// fuzzedCalls is what runs of FuzzCalls share.
type fuzzedCalls struct {
	filler
	calls  []entry
	driver *Driver
	log    *reports
	code   [][]byte
	f      *fixture
	ran    []string // the calls of this run
}

func (x *fuzzedCalls) run(t *testing.T, program []byte) {
	x.filler.left, x.filler.live, x.ran = program, map[reflect.Type][]uint64{}, nil
	x.client.reset()
	x.log.take()
	x.f = &fixture{t: t, driver: x.driver}
	x.prepare()
	for len(x.filler.left) > 0 && x.client.next < clientPages-64 {
		x.one(t)
	}
	x.finish(t)
}

// give notes handles for use as arguments.
func give[T any](x *fuzzedCalls, handles ...T) {
	for i := range handles {
		typ := reflect.TypeFor[T]()
		x.live[typ] = append(x.live[typ], *(*uint64)(unsafe.Pointer(&handles[i])))
	}
}

// prepare makes an instance, a device and an object of each common kind.
func (x *fuzzedCalls) prepare() {
	f := x.f
	app := abi.ApplicationInfo{ApiVersion: apiVersion}
	call(f, abi.OpCreateInstance, &abi.CreateInstanceArgs{PCreateInfo: &abi.InstanceCreateInfo{PApplicationInfo: &app}, PInstance: &f.instance})
	n := uint32(1)
	call(f, abi.OpEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: f.instance, PPhysicalDeviceCount: &n, PPhysicalDevices: &f.physical})
	features := coreFeatures()
	f.device = f.openWith(&features)
	give(x, f.instance)
	give(x, f.physical)
	give(x, f.device)
	for family := range uint32(len(queueFamilies)) {
		var q abi.Queue
		call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, QueueFamilyIndex: family, PQueue: &q})
		give(x, q)
	}
	give(x, f.bound(100, 0xFFF), f.bound(4096, 0xFFF))
	image, view := f.image()
	give(x, image)
	give(x, view)
	m, _ := f.memory(5000)
	give(x, m)
	give(x, f.begin(), f.begin(), f.allocate(vk.CommandBufferLevelSecondary))
	give(x, f.fence())
	give(x, f.event())
	chain := f.headless()
	give(x, chain)
	give(x, f.swapchain(chain, 2, vk.PresentModeImmediateKHR))
	set := f.setLayout(nil, abi.DescriptorSetLayoutBinding{DescriptorType: vk.DescriptorTypeStorageBuffer, DescriptorCount: 3, StageFlags: vk.ShaderStageComputeBit},
		abi.DescriptorSetLayoutBinding{Binding: 1, DescriptorType: vk.DescriptorTypeCombinedImageSampler, DescriptorCount: 2, StageFlags: 0x1F})
	give(x, set)
	pool := f.pool(8, abi.DescriptorPoolSize{Type: vk.DescriptorTypeStorageBuffer, DescriptorCount: 30}, abi.DescriptorPoolSize{Type: vk.DescriptorTypeCombinedImageSampler, DescriptorCount: 30})
	give(x, pool)
	sets, _ := f.sets(pool, set, set)
	give(x, sets...)
	for _, code := range x.code {
		var m abi.ShaderModule
		call(f, abi.OpCreateShaderModule, &abi.CreateShaderModuleArgs{Device: f.device, PShaderModule: &m, PCreateInfo: &abi.ShaderModuleCreateInfo{CodeSize: uint64(len(code)), PCode: (*uint32)(unsafe.Pointer(&code[0]))}})
		give(x, m)
	}
	if p, r := f.program(linearShader, 0, nil, nil, 0); r == vk.Success {
		give(x, p.layout)
		give(x, p.pipeline)
		give(x, p.set)
	}
}

// heavy are commands that do as much work as their numbers say.
func heavy(op abi.Op) bool {
	name := op.String()
	return strings.Contains(name, "Draw") || strings.Contains(name, "Dispatch") || strings.Contains(name, "Pool") || strings.Contains(name, "CreateDevice")
}

// one makes one call.
func (x *fuzzedCalls) one(t *testing.T) {
	e := x.calls[x.below(len(x.calls))]
	x.wild, x.small = false, heavy(e.op)
	p := x.client.array(e.args, 1)
	if p == nil {
		return
	}
	args := reflect.NewAt(e.args, p).Elem()
	x.fillStruct(args, 0)
	x.ran = append(x.ran, e.op.String())
	if e.recorded {
		x.record(e, args)
		x.check(t)
		return
	}
	if c, ok := args.Addr().Interface().(*abi.CreateShaderModuleArgs); ok && x.below(2) == 0 && c.PCreateInfo != nil {
		code := x.code[x.below(len(x.code))]
		c.PCreateInfo.CodeSize, c.PCreateInfo.PCode = uint64(len(code)), (*uint32)(unsafe.Pointer(&code[0]))
	}
	x.driver.Call(e.op, p)
	x.check(t)
	x.found(args)
	if c, ok := args.Addr().Interface().(*abi.CreateDeviceArgs); ok && c.Ret == vk.Success {
		x.driver.Call(abi.OpDestroyDevice, unsafe.Pointer(&abi.DestroyDeviceArgs{Device: *c.PDevice}))
	}
}

// record puts a command into the stream of a command buffer, as C does.
func (x *fuzzedCalls) record(e entry, args reflect.Value) {
	list := x.live[reflect.TypeFor[abi.CommandBuffer]()]
	s := (*abi.Stream)(*(*unsafe.Pointer)(unsafe.Pointer(&list[x.below(len(list))])))
	size := (e.args.Size() + 7) &^ 7
	if uintptr(s.End)-uintptr(s.At) < size && x.driver.Grow(s, false, uint64(size)) == nil {
		return
	}
	to := s.At
	s.At = unsafe.Add(to, size)
	s.Records++
	copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(args.Addr().UnsafePointer()), e.args.Size()))
	*(*abi.CommandHeader)(to) = abi.CommandHeader{Op: e.op, Size: uint32(size)}
}

// check fails the test where the driver has noticed a defect of its own.
func (x *fuzzedCalls) check(t *testing.T) {
	t.Helper()
	text := x.log.take()
	switch {
	case strings.Contains(text, "at address 0x"), strings.Contains(text, "invariant"), strings.Contains(text, "beside a block"),
		strings.Contains(text, "defect of the driver") && !x.wild:
		t.Fatalf("after %s\n%s", strings.Join(x.ran, " "), text)
	}
}

// finish ends and submits a command buffer, and gives everything back.
func (x *fuzzedCalls) finish(t *testing.T) {
	x.wild = true // command buffers may name anything
	for _, h := range x.live[reflect.TypeFor[abi.CommandBuffer]()] {
		cb := *(*abi.CommandBuffer)(unsafe.Pointer(&h))
		end := abi.EndCommandBufferArgs{CommandBuffer: cb}
		x.driver.Call(abi.OpEndCommandBuffer, unsafe.Pointer(&end))
		x.check(t)
		queues := x.live[reflect.TypeFor[abi.Queue]()]
		submit := abi.QueueSubmitArgs{Queue: *(*abi.Queue)(unsafe.Pointer(&queues[0])), SubmitCount: 1, PSubmits: &abi.SubmitInfo{CommandBufferCount: 1, PCommandBuffers: &cb}}
		x.driver.Call(abi.OpQueueSubmit, unsafe.Pointer(&submit))
		x.check(t)
	}
	x.driver.Call(abi.OpDestroyDevice, unsafe.Pointer(&abi.DestroyDeviceArgs{Device: x.f.device}))
	x.driver.Call(abi.OpDestroyInstance, unsafe.Pointer(&abi.DestroyInstanceArgs{Instance: x.f.instance}))
	x.check(t)
}
