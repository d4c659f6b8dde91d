package icd

import (
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// fixture is a driver with an instance and a device. Calls go through the door
// that C uses.
type fixture struct {
	t        *testing.T
	driver   *Driver
	instance abi.Instance
	physical abi.PhysicalDevice
	device   abi.Device
	pin      runtime.Pinner
}

// chained makes a struct an element of a pNext chain.
func chained[T any](f *fixture, s *T, t vk.StructureType) unsafe.Pointer {
	(*abi.Structure)(unsafe.Pointer(s)).SType = t
	f.pin.Pin(s)
	return unsafe.Pointer(s)
}

// newTest opens a device; it goes with the test.
func newTest(t *testing.T) *fixture {
	t.Helper()
	return newTestWith(t, Config{})
}

// newTestWith is newTest of a driver with some settings. A host counts pages, which are not of the
// Go heap.
func newTestWith(t *testing.T, cfg Config) *fixture {
	t.Helper()
	cfg.Threads, cfg.HeapMemory, cfg.Log = 2, cfg.Host == nil, logger{t}
	f := &fixture{t: t, driver: New(cfg)}
	t.Cleanup(f.pin.Unpin)
	app := abi.ApplicationInfo{ApiVersion: apiVersion}
	create := abi.CreateInstanceArgs{PCreateInfo: &abi.InstanceCreateInfo{PApplicationInfo: &app}, PInstance: &f.instance}
	call(f, abi.OpCreateInstance, &create)
	want(t, "vkCreateInstance", create.Ret, vk.Success)
	n := uint32(1)
	call(f, abi.OpEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: f.instance, PPhysicalDeviceCount: &n, PPhysicalDevices: &f.physical})
	f.device = f.open()
	t.Cleanup(func() {
		call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
		call(f, abi.OpDestroyInstance, &abi.DestroyInstanceArgs{Instance: f.instance})
	})
	return f
}

// open makes a device with all queues of each family and all features of 1.0 but sparse
// binding, which takes memory away from the race detector.
func (f *fixture) open() abi.Device {
	f.t.Helper()
	features := coreFeatures()
	features.SparseBinding = 0
	return f.openWith(&features)
}

// openWith makes a device with all queues of each family.
func (f *fixture) openWith(features *abi.PhysicalDeviceFeatures) abi.Device {
	f.t.Helper()
	return f.openChain(features, nil)
}

// openChain is openWith with further structures.
func (f *fixture) openChain(features *abi.PhysicalDeviceFeatures, next unsafe.Pointer) abi.Device {
	f.t.Helper()
	priorities := [8]float32{1, 1}
	var queues []abi.DeviceQueueCreateInfo
	for i := range queueFamilies {
		queues = append(queues, abi.DeviceQueueCreateInfo{QueueFamilyIndex: uint32(i), QueueCount: queueFamilies[i].QueueCount, PQueuePriorities: &priorities[0]})
	}
	var h abi.Device
	create := abi.CreateDeviceArgs{
		PhysicalDevice: f.physical,
		PCreateInfo:    &abi.DeviceCreateInfo{PNext: next, QueueCreateInfoCount: uint32(len(queues)), PQueueCreateInfos: &queues[0], PEnabledFeatures: features},
		PDevice:        &h,
	}
	call(f, abi.OpCreateDevice, &create)
	want(f.t, "vkCreateDevice", create.Ret, vk.Success)
	return h
}

// call goes through the door. The arguments are as C has them.
func call[T any](f *fixture, op abi.Op, a *T) {
	f.t.Helper()
	if !has(op) {
		f.t.Fatalf("%v does not exist", op)
	}
	f.driver.Call(op, unsafe.Pointer(a))
}

// record appends a command to a command buffer as the C encoder would. What c
// points to must live until vkEndCommandBuffer.
func record[T any](f *fixture, cb abi.CommandBuffer, op abi.Op, c *T) {
	f.t.Helper()
	if !has(op) {
		f.t.Fatalf("%v does not exist", op)
	}
	s := (*abi.Stream)(cb)
	size := (unsafe.Sizeof(*c) + 7) &^ 7
	if uintptr(s.End)-uintptr(s.At) < size && f.driver.Grow(s, false, uint64(size)) == nil {
		return
	}
	f.pin.Pin(c)
	p := s.At
	s.At = unsafe.Add(p, size)
	s.Records++
	copy(unsafe.Slice((*byte)(p), size), unsafe.Slice((*byte)(unsafe.Pointer(c)), unsafe.Sizeof(*c)))
	*(*abi.CommandHeader)(p) = abi.CommandHeader{Op: op, Size: uint32(size)}
}

// begin allocates a command buffer of family 0 and begins it.
func (f *fixture) begin() abi.CommandBuffer {
	f.t.Helper()
	var pool abi.CommandPool
	create := abi.CreateCommandPoolArgs{Device: f.device, PCreateInfo: &abi.CommandPoolCreateInfo{}, PCommandPool: &pool}
	call(f, abi.OpCreateCommandPool, &create)
	want(f.t, "vkCreateCommandPool", create.Ret, vk.Success)
	var cb abi.CommandBuffer
	allocate := abi.AllocateCommandBuffersArgs{
		Device: f.device, PCommandBuffers: &cb,
		PAllocateInfo: &abi.CommandBufferAllocateInfo{CommandPool: pool, CommandBufferCount: 1},
	}
	call(f, abi.OpAllocateCommandBuffers, &allocate)
	want(f.t, "vkAllocateCommandBuffers", allocate.Ret, vk.Success)
	begin := abi.BeginCommandBufferArgs{CommandBuffer: cb, PBeginInfo: &abi.CommandBufferBeginInfo{}}
	call(f, abi.OpBeginCommandBuffer, &begin)
	want(f.t, "vkBeginCommandBuffer", begin.Ret, vk.Success)
	return cb
}

// end ends a command buffer.
func (f *fixture) end(cb abi.CommandBuffer) vk.Result {
	a := abi.EndCommandBufferArgs{CommandBuffer: cb}
	call(f, abi.OpEndCommandBuffer, &a)
	return a.Ret
}

func want(t *testing.T, what string, got, wanted vk.Result) {
	t.Helper()
	if got != wanted {
		t.Fatalf("%s: %v, want %v", what, got, wanted)
	}
}

// logger is Config.Log of tests: a defect fails the test.
type logger struct{ t *testing.T }

func (l logger) Write(p []byte) (int, error) {
	l.t.Errorf("%s", p)
	return len(p), nil
}

// TestMethods_AreEntryPoints: a method with a wrong name or signature would be
// missing without a word, so every exported method must be an entry point.
func TestMethods_AreEntryPoints(t *testing.T) {
	ops := map[string]abi.Op{}
	for op := abi.Op(1); op < abi.OpCount; op++ {
		ops[strings.TrimPrefix(op.String(), "vk")] = op
	}
	own := map[string]bool{"Call": true, "Grow": true, "Lookup": true, // Driver's doors, and what driver/internal/helper asks
		"Handle": true, "TemplateOf": true, "TemplateBytes": true, "HostBytes": true, "HostBytesFit": true, "Distrust": true}
	for level, x := range map[abi.Level]any{
		abi.LevelGlobal: (*Driver)(nil), abi.LevelInstance: (*Instance)(nil), abi.LevelPhysicalDevice: (*PhysicalDevice)(nil),
		abi.LevelDevice: (*Device)(nil), abi.LevelQueue: (*Queue)(nil), abi.LevelCommandBuffer: (*CommandBuffer)(nil),
		abi.LevelRecorder: (*Recorder)(nil),
	} {
		typ := reflect.TypeOf(x)
		for i := range typ.NumMethod() {
			m := typ.Method(i).Name
			switch op, known := ops[m]; {
			case level == abi.LevelGlobal && own[m]:
			case !known:
				t.Errorf("%v.%s is no entry point (of the latest version's name)", typ, m)
			case op.Level() != level:
				t.Errorf("%v.%s belongs to %v", typ, m, op.Level())
			case !has(op):
				t.Errorf("%v.%s has not the signature that methods_gen.go wants: %v", typ, m, typ.Method(i).Type)
			}
		}
	}
}

func TestPool_StaleHandlesLeadNowhere(t *testing.T) {
	var p Pool[int]
	if p.Get(0) != nil || p.Take(0) != nil || p.Get(1) != nil || p.Get(^uint64(0)) != nil {
		t.Error("an empty pool gave something")
	}
	var handles []uint64
	values := make([]int, 1000)
	for i := range values {
		handles = append(handles, p.Put(&values[i]))
	}
	for i, h := range handles {
		if p.Get(h) != &values[i] {
			t.Fatalf("handle %#x leads elsewhere", h)
		}
	}
	old := handles[500]
	if p.Take(old) != &values[500] || p.Get(old) != nil || p.Take(old) != nil {
		t.Error("a handle outlives its object")
	}
	again := p.Put(&values[500])
	if again == old || uint32(again) != uint32(old) || p.Get(old) != nil || p.Get(again) != &values[500] {
		t.Errorf("slot given anew: %#x after %#x", again, old)
	}
	if n := len(p.All()); n != 1000 {
		t.Errorf("%d objects", n)
	}
}

func TestCall_HandlesThatLeadNowhere(t *testing.T) {
	f := newTest(t)
	a := abi.DeviceWaitIdleArgs{}
	call(f, abi.OpDeviceWaitIdle, &a)
	want(t, "null device", a.Ret, vk.ErrorDeviceLost)
	a.Device = abi.Device(f.physical)
	call(f, abi.OpDeviceWaitIdle, &a)
	want(t, "a physical device as device", a.Ret, vk.ErrorDeviceLost)
	a.Device = f.open()
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: a.Device})
	call(f, abi.OpDeviceWaitIdle, &a)
	want(t, "a destroyed device", a.Ret, vk.ErrorDeviceLost)
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: a.Device})
}

func TestCall_PanicBecomesDeviceLost(t *testing.T) {
	f := newTest(t)
	f.driver.cfg.Log = io.Discard
	a := abi.AllocateMemoryArgs{Device: f.device} // PAllocateInfo nil
	call(f, abi.OpAllocateMemory, &a)
	want(t, "no info", a.Ret, vk.ErrorDeviceLost)
}

func TestMemory_MapsWhatWasAllocated(t *testing.T) {
	f := newTest(t)
	var h abi.DeviceMemory
	a := abi.AllocateMemoryArgs{Device: f.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: 4096}, PMemory: &h}
	call(f, abi.OpAllocateMemory, &a)
	want(t, "vkAllocateMemory", a.Ret, vk.Success)
	var p unsafe.Pointer
	m := abi.MapMemoryArgs{Device: f.device, Memory: h, Offset: 64, Size: vk.WholeSize, PpData: &p}
	call(f, abi.OpMapMemory, &m)
	want(t, "vkMapMemory", m.Ret, vk.Success)
	if b := unsafe.Slice((*byte)(p), 4032); b[0] != 0 || b[4031] != 0 {
		t.Error("not zeroed")
	}
	m.Offset, m.Size = 0, 4097
	call(f, abi.OpMapMemory, &m)
	want(t, "too much", m.Ret, vk.ErrorMemoryMapFailed)
	call(f, abi.OpFreeMemory, &abi.FreeMemoryArgs{Device: f.device, Memory: h})
	m.Size = vk.WholeSize
	call(f, abi.OpMapMemory, &m)
	want(t, "freed", m.Ret, vk.ErrorMemoryMapFailed)
	a.PAllocateInfo.AllocationSize = 1 << 50
	call(f, abi.OpAllocateMemory, &a)
	want(t, "a pebibyte", a.Ret, vk.ErrorOutOfDeviceMemory)
	if h != 0 {
		t.Error("a handle for nothing")
	}
	a.PAllocateInfo = &abi.MemoryAllocateInfo{AllocationSize: 16, MemoryTypeIndex: 40}
	call(f, abi.OpAllocateMemory, &a)
	want(t, "memory type 40", a.Ret, vk.ErrorValidationFailed)
}

func TestCommandBuffer_RecordsAreDecodedInOrder(t *testing.T) {
	f := newTest(t)
	cb := f.begin()
	for range 5000 { // several segments
		record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3, InstanceCount: 1})
	}
	want(t, "draws outside of a render pass, which are left out", f.end(cb), vk.Success)
	c := resolve(&f.driver.commandBuffers, unsafe.Pointer(cb), abi.LevelCommandBuffer)
	if c.stream.At != nil || len(c.records.segments) != 0 {
		t.Error("records outlive vkEndCommandBuffer")
	}
	if p := f.driver.Grow(c.stream, false, 64); p != nil || c.stream.Result != vk.ErrorValidationFailed {
		t.Error("recording without vkBeginCommandBuffer")
	}
}

func TestLookup_VersionsAndExtensions(t *testing.T) {
	f := newTest(t)
	instance, device := unsafe.Pointer(f.instance), unsafe.Pointer(f.device)
	for _, c := range []struct {
		scope  Scope
		object unsafe.Pointer
		name   string
		want   bool
	}{
		{ScopeInstance, nil, "vkCreateInstance", true},
		{ScopeInstance, nil, "vkGetInstanceProcAddr", true},
		{ScopeInstance, nil, "vkDestroyInstance", false},
		{ScopeInstance, instance, "vkCreateInstance", false},
		{ScopeInstance, instance, "vkDestroyInstance", true},
		{ScopeInstance, instance, "vkGetDeviceProcAddr", true},
		{ScopeInstance, instance, "vkAllocateMemory", true},
		{ScopeInstance, instance, "vkGetPhysicalDeviceFeatures2", true},
		{ScopeInstance, instance, "vkGetPhysicalDeviceFeatures2KHR", false}, // extension not enabled
		{ScopeInstance, instance, "vkNoSuchThing", false},
		{ScopePhysicalDevice, instance, "vkGetPhysicalDeviceFeatures", true},
		{ScopePhysicalDevice, instance, "vkDestroyInstance", false},
		{ScopeDevice, device, "vkAllocateMemory", true},
		{ScopeDevice, device, "vkQueueWaitIdle", true},
		{ScopeDevice, device, "vkCmdDraw", true},
		{ScopeDevice, device, "vkGetDeviceProcAddr", true},
		{ScopeDevice, device, "vkDestroyInstance", false},
		{ScopeDevice, device, "vkGetPhysicalDeviceFeatures", false},
		{ScopeDevice, nil, "vkAllocateMemory", false},
	} {
		if got := f.driver.Lookup(c.scope, c.object, c.name) != 0; got != c.want {
			t.Errorf("scope %d, %s: %v", c.scope, c.name, got)
		}
	}
}

func TestFeatures_UnsupportedCannotBeEnabled(t *testing.T) {
	f := newTest(t)
	no := &abi.PhysicalDeviceProtectedMemoryFeatures{ProtectedMemory: 1}
	no.SType = no.StructureType()
	priority := float32(1)
	queue := abi.DeviceQueueCreateInfo{QueueCount: 1, PQueuePriorities: &priority}
	var h abi.Device
	a := abi.CreateDeviceArgs{PhysicalDevice: f.physical, PCreateInfo: &abi.DeviceCreateInfo{PNext: unsafe.Pointer(no), QueueCreateInfoCount: 1, PQueueCreateInfos: &queue}, PDevice: &h}
	call(f, abi.OpCreateDevice, &a)
	want(t, "vkCreateDevice", a.Ret, vk.ErrorFeatureNotPresent)
}
