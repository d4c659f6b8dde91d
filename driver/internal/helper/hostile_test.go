//go:build linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package helper

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/driver/internal/icd"
	"github.com/pumice-gpu/pumice/driver/internal/wire"
	"github.com/pumice-gpu/pumice/vk"
)

// host is what shares memory with a server: here, the test itself.
type host struct {
	*Server
	t      testing.TB
	call   call
	at     int // in the message
	device abi.Device
	queue  abi.Queue
}

func mapped(t testing.TB, n int) []byte {
	t.Helper()
	data, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(data) })
	return data
}

func newHost(t testing.TB) *host {
	t.Helper()
	l := Layout{Data: mapped(t, 256<<20), Slots: 2, Message: 1 << 20}
	if !l.Valid() {
		t.Fatal("the layout is not valid")
	}
	s := New(l, icd.Config{Threads: 1, MemoryLimit: 64 << 20}, nil, -1)
	s.files.patience = time.Millisecond
	return &host{Server: s, t: t, call: call{server: s}}
}

// put lays a value out in the message of slot 0, and returns where it lies.
func put[T any](h *host, v T) *T {
	p := (*T)(unsafe.Pointer(&h.layout.message(0)[h.at]))
	*p = v
	h.at = (h.at + int(unsafe.Sizeof(v)) + 7) &^ 7
	return p
}

// longest bounds a call: what no host can make longer than this on a busy machine.
const longest = 30 * time.Second

// ask has the message of slot 0 answered, in bounded time.
func (h *host) ask(op abi.Op) {
	at := h.layout.slot(0)
	at.op, at.size = uint32(op), uint64(h.at)
	defer time.AfterFunc(longest, func() {
		debug.SetTraceback("all")
		panic(fmt.Sprintf("%v (%d) has not been answered after %v", op, op, longest))
	}).Stop()
	h.call.answer(at, h.layout.message(0))
	h.at = 0
}

// open makes an instance and a device, by messages as the front makes them.
func (h *host) open() abi.PhysicalDevice {
	h.t.Helper()
	a := put(h, abi.CreateInstanceArgs{Ret: vk.ErrorDeviceLost})
	a.PCreateInfo = put(h, abi.InstanceCreateInfo{SType: vk.StructureTypeInstanceCreateInfo})
	out := put(h, abi.Instance(nil))
	a.PInstance = out
	if h.ask(abi.OpCreateInstance); a.Ret != vk.Success {
		h.t.Fatalf("vkCreateInstance: %v", a.Ret)
	}
	instance := *out
	e := put(h, abi.EnumeratePhysicalDevicesArgs{Instance: instance, Ret: vk.ErrorDeviceLost})
	e.PPhysicalDeviceCount = put(h, uint32(1))
	physical := put(h, abi.PhysicalDevice(nil))
	e.PPhysicalDevices = physical
	if h.ask(abi.OpEnumeratePhysicalDevices); e.Ret != vk.Success || *physical == nil {
		h.t.Fatalf("vkEnumeratePhysicalDevices: %v", e.Ret)
	}
	p := *physical
	c := put(h, abi.CreateDeviceArgs{PhysicalDevice: p, Ret: vk.ErrorDeviceLost})
	info := put(h, abi.DeviceCreateInfo{SType: vk.StructureTypeDeviceCreateInfo, QueueCreateInfoCount: 1})
	c.PCreateInfo = info
	queue := put(h, abi.DeviceQueueCreateInfo{SType: vk.StructureTypeDeviceQueueCreateInfo, QueueCount: 1})
	info.PQueueCreateInfos = queue
	queue.PQueuePriorities = put(h, float32(1))
	device := put(h, abi.Device(nil))
	c.PDevice = device
	if h.ask(abi.OpCreateDevice); c.Ret != vk.Success {
		h.t.Fatalf("vkCreateDevice: %v", c.Ret)
	}
	h.device = *device
	q := put(h, abi.GetDeviceQueueArgs{Device: h.device})
	found := put(h, abi.Queue(nil))
	q.PQueue = found
	if h.ask(abi.OpGetDeviceQueue); *found == nil {
		h.t.Fatal("vkGetDeviceQueue: no queue")
	}
	h.queue = *found
	return p
}

// commandBuffer makes one that is being recorded.
func (h *host) commandBuffer() *abi.Stream {
	h.t.Helper()
	a := put(h, abi.CreateCommandPoolArgs{Device: h.device, Ret: vk.ErrorDeviceLost})
	a.PCreateInfo = put(h, abi.CommandPoolCreateInfo{SType: vk.StructureTypeCommandPoolCreateInfo})
	pool := put(h, abi.CommandPool(0))
	a.PCommandPool = pool
	h.ask(abi.OpCreateCommandPool)
	made := *pool // the next message lies over this one
	b := put(h, abi.AllocateCommandBuffersArgs{Device: h.device, Ret: vk.ErrorDeviceLost})
	b.PAllocateInfo = put(h, abi.CommandBufferAllocateInfo{SType: vk.StructureTypeCommandBufferAllocateInfo, CommandPool: made, CommandBufferCount: 1})
	out := put(h, abi.CommandBuffer(nil))
	b.PCommandBuffers = out
	if h.ask(abi.OpAllocateCommandBuffers); b.Ret != vk.Success {
		h.t.Fatalf("vkAllocateCommandBuffers: %v", b.Ret)
	}
	return (*abi.Stream)(unsafe.Pointer(*out))
}

func (h *host) begin(s *abi.Stream) {
	c := put(h, abi.BeginCommandBufferArgs{CommandBuffer: abi.CommandBuffer(s), Ret: vk.ErrorDeviceLost})
	c.PBeginInfo = put(h, abi.CommandBufferBeginInfo{SType: vk.StructureTypeCommandBufferBeginInfo})
	if h.ask(abi.OpBeginCommandBuffer); c.Ret != vk.Success {
		h.t.Fatalf("vkBeginCommandBuffer: %v", c.Ret)
	}
}

func (h *host) end(s *abi.Stream) vk.Result {
	c := put(h, abi.EndCommandBufferArgs{CommandBuffer: abi.CommandBuffer(s), Ret: vk.ErrorDeviceLost})
	h.ask(abi.OpEndCommandBuffer)
	return c.Ret
}

// liar makes words of messages: small numbers, pointers that lead where they may not, handles, and noise.
type liar struct {
	*rand.Rand
	h      *host
	canary []byte
}

func address(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

func (l *liar) word() uint64 {
	data, message := address(l.h.layout.Data), address(l.h.layout.message(0))
	switch l.IntN(10) {
	case 0, 1:
		return address(l.canary) + 8*l.Uint64N(uint64(len(l.canary)/8))
	case 2, 3, 4:
		return message + 8*l.Uint64N(200)
	case 5:
		return data + l.Uint64N(uint64(len(l.h.layout.Data)))
	case 6:
		return uint64(uintptr(l.h.device))
	case 7:
		return l.Uint64N(4) | l.Uint64N(4)<<32
	case 8:
		return 0
	}
	return l.Uint64()
}

func (l *liar) fill(b []byte) {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
	for i := range words {
		words[i] = l.word()
	}
}

// intact fails where something outside of the shared memory was written.
func (l *liar) intact(what any) {
	l.h.t.Helper()
	if i := bytes.IndexFunc(l.canary, func(r rune) bool { return r != 'x' }); i >= 0 {
		l.h.t.Fatalf("%v: byte %d of memory that is not shared was written", what, i)
	}
}

func newLiar(t testing.TB, seed uint64) *liar {
	l := &liar{Rand: rand.New(rand.NewPCG(seed, 1)), h: newHost(t), canary: mapped(t, 1<<16)}
	for i := range l.canary {
		l.canary[i] = 'x'
	}
	return l
}

// TestServer_HostileArguments: words that mean nothing and pointers that lead where they like, for every command. Nothing
// outside of the shared memory is written, and nothing ends the process.
func TestServer_HostileArguments(t *testing.T) {
	rounds, seed := 60, uint64(1)
	if testing.Short() {
		rounds = 6
	}
	if s := os.Getenv("PUMICE_HOSTILE"); s != "" {
		if _, err := fmt.Sscan(s, &rounds, &seed); err != nil {
			t.Fatal(err)
		}
	}
	l := newLiar(t, seed)
	physical := l.h.open()
	s := l.h.commandBuffer()
	for round := range rounds {
		for op := abi.Op(1); op < abi.OpCount; op++ {
			if op == abi.OpDestroyDevice || op == abi.OpDestroyInstance {
				continue // what follows would be told that there is none
			}
			message := l.h.layout.message(0)[:4096]
			l.fill(message)
			first := (*unsafe.Pointer)(unsafe.Pointer(&message[0]))
			switch {
			case round%4 == 3:
			case op.Level() == abi.LevelPhysicalDevice:
				*first = unsafe.Pointer(physical)
			case op.Level() == abi.LevelDevice:
				*first = unsafe.Pointer(l.h.device)
			case op.Level() == abi.LevelQueue:
				*first = unsafe.Pointer(l.h.queue)
			case op.Level() == abi.LevelCommandBuffer:
				*first = unsafe.Pointer(s)
			}
			// In half of the rounds, pointers lead to where the next thing may lie.
			if size := int(wire.Size(op)); round%2 == 0 {
				for at := 8; at+8 <= size; at += 8 {
					*(*uint64)(unsafe.Pointer(&message[at])) = address(message) + uint64(size+7)&^7 + 8*l.Uint64N(24)*uint64(at/8)
				}
			}
			l.h.at = len(message)
			l.h.ask(op)
			l.intact(op)
		}
	}
	newHost(t).open() // a driver works still
	l.h.open()
}

// TestServer_OffersWhatItAnswers: a feature whose commands are refused here is not on, and the others of its struct are.
func TestServer_OffersWhatItAnswers(t *testing.T) {
	h := newHost(t)
	physical := h.open()
	layout := abi.FeaturesStruct(vk.StructureTypePhysicalDeviceDescriptorBufferFeaturesEXT)
	a := put(h, abi.GetPhysicalDeviceFeatures2Args{PhysicalDevice: physical})
	a.PFeatures = put(h, abi.PhysicalDeviceFeatures2{SType: vk.StructureTypePhysicalDeviceFeatures2})
	more := put(h, [64]byte{})
	chained := (*abi.Structure)(unsafe.Pointer(more))
	chained.SType = vk.StructureTypePhysicalDeviceDescriptorBufferFeaturesEXT
	a.PFeatures.PNext = unsafe.Pointer(chained)
	h.ask(abi.OpGetPhysicalDeviceFeatures2)
	for _, f := range layout.Fields {
		want := f.Name != "descriptorBufferCaptureReplay"
		if on := (*(*abi.Bool32)(unsafe.Pointer(&more[f.Offset]))).True(); on != want {
			t.Errorf("%s is %v", f.Name, on)
		}
	}
}

// TestServer_WaitsForNothing: the host's threads wait in the host. A message that would have the
// helper wait, for ever perhaps, is refused; the same one with a place for the wait comes back with
// what to sleep for.
func TestServer_WaitsForNothing(t *testing.T) {
	h := newHost(t)
	h.open()
	f := put(h, abi.CreateFenceArgs{Device: h.device, Ret: vk.ErrorDeviceLost})
	f.PCreateInfo = put(h, abi.FenceCreateInfo{SType: vk.StructureTypeFenceCreateInfo})
	fence := put(h, abi.Fence(0))
	f.PFence = fence
	if h.ask(abi.OpCreateFence); f.Ret != vk.Success {
		t.Fatalf("vkCreateFence: %v", f.Ret)
	}
	made := *fence
	for _, waits := range []bool{false, true} {
		a := put(h, abi.WaitForFencesArgs{Device: h.device, FenceCount: 1, WaitAll: 1, Timeout: math.MaxUint64, Ret: vk.ErrorDeviceLost})
		a.PFences = put(h, made)
		w := put(h, abi.Wait{})
		if waits {
			a.Wait = w
		}
		begin := time.Now()
		h.ask(abi.OpWaitForFences)
		if took := time.Since(begin); took > longest/3 {
			t.Errorf("answered after %v", took)
		}
		if want := map[bool]vk.Result{false: vk.ErrorDeviceLost, true: vk.Timeout}[waits]; a.Ret != want || waits != (w.Word != nil) {
			t.Errorf("with a wait %v: %v, to sleep for %v, want %v", waits, a.Ret, w.Word, want)
		}
	}
}

// TestServer_HostileRecords: records that no encoder makes, and streams that say anything of how far they reach.
func TestServer_HostileRecords(t *testing.T) {
	l := newLiar(t, 2)
	l.h.open()
	s := l.h.commandBuffer()
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	accepted := 0
	for range rounds {
		l.h.begin(s)
		for copies := range uint32(2) {
			m := put(l.h, growMessage{stream: uint64(uintptr(unsafe.Pointer(s))), bytes: 4096, copies: copies})
			l.h.ask(opGrow)
			if m.at == 0 {
				t.Fatal("no memory for records")
			}
		}
		records := unsafe.Slice((*byte)(s.At), 2048)
		l.fill(records)
		l.fill(unsafe.Slice((*byte)(s.CopyAt), 4096))
		at := 0
		for n := 1 + l.IntN(6); n > 0; n-- {
			op := abi.Op(1 + l.IntN(int(abi.OpCount)-1))
			size := (int(wire.Size(op)) + 7) &^ 7
			if op.Level() != abi.LevelRecorder || at+size > len(records) {
				continue
			}
			h := (*abi.CommandHeader)(unsafe.Pointer(&records[at]))
			h.Op, h.Size = op, uint32(size)
			switch l.IntN(20) {
			case 0:
				h.Size = l.Uint32()
			case 1:
				h.Size = uint32(size / 16 * 8)
			}
			for w := at + 8; w+8 <= at+size; w += 8 { // pointers, to where copies lie
				if l.IntN(3) == 0 {
					*(*uint64)(unsafe.Pointer(&records[w])) = uint64(uintptr(s.CopyAt)) + 8*l.Uint64N(500)
				}
			}
			at += size
		}
		s.At = unsafe.Add(s.At, at)
		s.CopyAt = unsafe.Add(s.CopyAt, 4096)
		tampered := false
		switch l.IntN(10) {
		case 0:
			s.At = pointer(uintptr(l.word()))
		case 1:
			s.CopyAt = pointer(uintptr(l.word()))
		case 2:
			s.ID, tampered = l.word(), true
		}
		if r := l.h.end(s); r == vk.Success {
			accepted++
		}
		l.intact("records")
		if tampered {
			s = l.h.commandBuffer() // the old one is another object's by now
		}
	}
	t.Logf("%d of %d command buffers were taken", accepted, rounds)
	newHost(t).open()
}

// FuzzServer_Message: any message to any command.
func FuzzServer_Message(f *testing.F) {
	f.Add(uint32(abi.OpCreateInstance), make([]byte, 256))
	f.Add(uint32(abi.OpUpdateDescriptorSets), bytes.Repeat([]byte{1, 0, 0, 0, 0, 0, 0, 0}, 64))
	f.Add(uint32(opLookup), append(make([]byte, 16), "vkCreateInstance"...))
	f.Add(uint32(opGrow), make([]byte, 40))
	l := newLiar(f, 3)
	l.h.open()
	f.Fuzz(func(t *testing.T, op uint32, message []byte) {
		l.h.t = t
		message = message[:min(len(message), 4096)]
		shared := l.h.layout.message(0)
		copy(shared, message)
		for at := 0; at+8 <= len(message); at += 8 { // words that could be pointers into the message are
			if w := (*uint64)(unsafe.Pointer(&shared[at])); *w>>48 == 0x7777 {
				*w = address(shared) + *w&0xfff
			}
		}
		if level := abi.Op(op).Level(); op < uint32(abi.OpCount) && level == abi.LevelDevice && abi.Op(op) != abi.OpDestroyDevice && len(message) > 8 {
			*(*unsafe.Pointer)(unsafe.Pointer(&shared[0])) = unsafe.Pointer(l.h.device)
		}
		l.h.at = len(message)
		l.h.ask(abi.Op(op))
		l.intact(abi.Op(op))
	})
}
