package icd

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// allocateWith allocates memory with a chain and maps it.
func (f *fixture) allocateWith(next unsafe.Pointer, bytes uint64) (m abi.DeviceMemory, words []uint32, r vk.Result) {
	f.t.Helper()
	a := abi.AllocateMemoryArgs{Device: f.device, PAllocateInfo: &abi.MemoryAllocateInfo{PNext: next, AllocationSize: bytes}, PMemory: &m}
	call(f, abi.OpAllocateMemory, &a)
	if a.Ret != vk.Success {
		return m, nil, a.Ret
	}
	var p unsafe.Pointer
	mapped := abi.MapMemoryArgs{Device: f.device, Memory: m, Size: vk.WholeSize, PpData: &p}
	call(f, abi.OpMapMemory, &mapped)
	want(f.t, "vkMapMemory", mapped.Ret, vk.Success)
	return m, unsafe.Slice((*uint32)(p), bytes/4), vk.Success
}

func (f *fixture) exportedMemory(bytes uint64) (fd int32, words []uint32) {
	f.t.Helper()
	x := &abi.ExportMemoryAllocateInfo{HandleTypes: opaqueMemoryFD}
	m, words, r := f.allocateWith(chained(f, x, x.StructureType()), bytes)
	want(f.t, "vkAllocateMemory", r, vk.Success)
	get := abi.GetMemoryFdKHRArgs{Device: f.device, PGetFdInfo: &abi.MemoryGetFdInfoKHR{Memory: m, HandleType: opaqueMemoryFD}, PFd: &fd}
	call(f, abi.OpGetMemoryFdKHR, &get)
	want(f.t, "vkGetMemoryFdKHR", get.Ret, vk.Success)
	return fd, words
}

func (f *fixture) importMemory(fd int32, bytes uint64) (abi.DeviceMemory, []uint32, vk.Result) {
	x := &abi.ImportMemoryFdInfoKHR{HandleType: opaqueMemoryFD, Fd: fd}
	return f.allocateWith(chained(f, x, x.StructureType()), bytes)
}

// other runs f on another device of the fixture.
func (f *fixture) other(g func()) {
	old := f.device
	f.device = f.open()
	g()
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
	f.device = old
}

func TestExternalMemory_BetweenDevices(t *testing.T) {
	f := newTest(t)
	fd, mine := f.exportedMemory(5000)
	mine[7] = 70
	f.other(func() {
		_, theirs, r := f.importMemory(fd, 5000)
		want(t, "importing", r, vk.Success)
		if theirs[7] != 70 {
			t.Error("other memory")
		}
		theirs[8] = 80
	})
	if mine[8] != 80 {
		t.Error("a write is not seen")
	}
}

func TestExternalMemory_WrongDescriptors(t *testing.T) {
	f := newTest(t)
	fd, _ := f.exportedMemory(4096)
	null, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	plain, err := unix.MemfdCreate("other", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil || unix.Ftruncate(plain, 1<<20) != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		fd   int32
		size uint64
	}{"none": {-1, 4096}, "not open": {9999, 4096}, "no memory": {int32(null.Fd()), 4096}, "could shrink": {int32(plain), 4096}, "too small": {fd, 8192}} {
		if _, _, r := f.importMemory(c.fd, c.size); r != vk.ErrorInvalidExternalHandle {
			t.Errorf("%s: %v", name, r)
		}
	}
	if _, err := unix.FcntlInt(uintptr(plain), unix.F_GETFD, 0); err != nil {
		t.Error("a descriptor that could not be imported was closed")
	}
	unix.Close(plain)
	unix.Close(int(fd))
	m, _ := f.memory(256)
	get := abi.GetMemoryFdKHRArgs{Device: f.device, PGetFdInfo: &abi.MemoryGetFdInfoKHR{Memory: m, HandleType: opaqueMemoryFD}, PFd: &fd}
	call(f, abi.OpGetMemoryFdKHR, &get)
	want(t, "memory that is not shared", get.Ret, vk.ErrorValidationFailed)
}

func TestExternalMemoryHost_ImportsPages(t *testing.T) {
	f := newTest(t)
	data, err := unix.Mmap(-1, 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	at := unsafe.Pointer(&data[0])
	take := func(p unsafe.Pointer, bytes uint64) (abi.DeviceMemory, []uint32, vk.Result) {
		x := &abi.ImportMemoryHostPointerInfoEXT{HandleType: hostAllocation, PHostPointer: p}
		return f.allocateWith(chained(f, x, x.StructureType()), bytes)
	}
	m, words, r := take(at, 8192)
	want(t, "importing", r, vk.Success)
	if unsafe.Pointer(&words[0]) != at {
		t.Error("the memory lies elsewhere")
	}
	var b abi.Buffer
	create := abi.CreateBufferArgs{Device: f.device, PBuffer: &b, PCreateInfo: &abi.BufferCreateInfo{Size: 8192, Usage: vk.BufferUsageTransferDstBit}}
	call(f, abi.OpCreateBuffer, &create)
	bind := abi.BindBufferMemoryArgs{Device: f.device, Buffer: b, Memory: m}
	call(f, abi.OpBindBufferMemory, &bind)
	want(t, "vkBindBufferMemory", bind.Ret, vk.Success)
	cb := f.begin()
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, Size: 8192, Data: 0x01020304})
	f.run(cb)
	if data[8191] != 1 {
		t.Error("the fill did not reach the host's memory")
	}
	for name, c := range map[string]struct {
		p     unsafe.Pointer
		bytes uint64
	}{"odd": {unsafe.Add(at, 64), 4096}, "odd size": {at, 5000}, "null": {nil, 4096}, "beyond": {at, 1 << 40}} {
		if _, _, r := take(c.p, c.bytes); r != vk.ErrorInvalidExternalHandle {
			t.Errorf("%s: %v", name, r)
		}
	}
	runtime.KeepAlive(data)
}

func (f *fixture) semaphore(kind vk.SemaphoreType, export vk.ExternalSemaphoreHandleTypeFlags) (h abi.Semaphore) {
	f.t.Helper()
	x := &abi.ExportSemaphoreCreateInfo{HandleTypes: export}
	y := &abi.SemaphoreTypeCreateInfo{SemaphoreType: kind, PNext: chained(f, x, x.StructureType())}
	a := abi.CreateSemaphoreArgs{Device: f.device, PCreateInfo: &abi.SemaphoreCreateInfo{PNext: chained(f, y, y.StructureType())}, PSemaphore: &h}
	call(f, abi.OpCreateSemaphore, &a)
	want(f.t, "vkCreateSemaphore", a.Ret, vk.Success)
	return h
}

func (f *fixture) semaphoreFD(s abi.Semaphore, kind vk.ExternalSemaphoreHandleTypeFlags) (fd int32) {
	f.t.Helper()
	a := abi.GetSemaphoreFdKHRArgs{Device: f.device, PGetFdInfo: &abi.SemaphoreGetFdInfoKHR{Semaphore: s, HandleType: kind}, PFd: &fd}
	call(f, abi.OpGetSemaphoreFdKHR, &a)
	want(f.t, "vkGetSemaphoreFdKHR", a.Ret, vk.Success)
	return fd
}

func (f *fixture) importSemaphore(s abi.Semaphore, fd int32, kind vk.ExternalSemaphoreHandleTypeFlags, flags vk.SemaphoreImportFlags) vk.Result {
	a := abi.ImportSemaphoreFdKHRArgs{Device: f.device, PImportSemaphoreFdInfo: &abi.ImportSemaphoreFdInfoKHR{Semaphore: s, Fd: fd, HandleType: kind, Flags: flags}}
	call(f, abi.OpImportSemaphoreFdKHR, &a)
	return a.Ret
}

// batch submits a batch, of commands if there are some.
func (f *fixture) batch(wait, signal abi.Semaphore, fence abi.Fence, commands ...abi.CommandBuffer) {
	f.t.Helper()
	var q abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &q})
	i := abi.SubmitInfo{CommandBufferCount: uint32(len(commands)), PCommandBuffers: unsafe.SliceData(commands)}
	if wait != 0 {
		i.WaitSemaphoreCount, i.PWaitSemaphores = 1, &wait
	}
	if signal != 0 {
		i.SignalSemaphoreCount, i.PSignalSemaphores = 1, &signal
	}
	s := abi.QueueSubmitArgs{Queue: q, SubmitCount: 1, PSubmits: &i, Fence: fence}
	call(f, abi.OpQueueSubmit, &s)
	want(f.t, "vkQueueSubmit", s.Ret, vk.Success)
}

// A device waits for what another signals, either order, and the temporary payload
// goes with its wait.
func TestExternalSemaphore_BetweenDevices(t *testing.T) {
	for _, temporary := range []vk.SemaphoreImportFlags{0, vk.SemaphoreImportTemporaryBit} {
		f := newTest(t)
		s := f.semaphore(vk.SemaphoreTypeBinary, opaqueSemaphoreFD)
		fd := f.semaphoreFD(s, opaqueSemaphoreFD)
		mine := f.device
		f.other(func() {
			theirs := f.semaphore(vk.SemaphoreTypeBinary, 0)
			want(t, "importing", f.importSemaphore(theirs, fd, opaqueSemaphoreFD, temporary), vk.Success)
			fence := f.fence()
			f.batch(theirs, 0, fence)
			want(t, "before the signal", f.wait(fence, 20e6), vk.Timeout)
			other := f.device
			f.device = mine
			f.batch(0, s, 0)
			f.device = other
			want(t, "after the signal", f.wait(fence, 120e9), vk.Success)
			if temporary != 0 { // the semaphore is its own again
				again := f.fence()
				f.batch(0, theirs, 0)
				f.batch(theirs, 0, again)
				want(t, "the permanent payload", f.wait(again, 120e9), vk.Success)
			}
		})
	}
}

func TestExternalSemaphore_WrongKindOfHandle(t *testing.T) {
	f := newTest(t)
	binary, timeline := f.semaphore(vk.SemaphoreTypeBinary, opaqueSemaphoreFD), f.semaphore(vk.SemaphoreTypeTimeline, opaqueSemaphoreFD)
	fd := f.semaphoreFD(timeline, opaqueSemaphoreFD)
	want(t, "a timeline semaphore as a binary one", f.importSemaphore(binary, fd, opaqueSemaphoreFD, 0), vk.ErrorInvalidExternalHandle)
	memory, _ := f.exportedMemory(4096)
	want(t, "memory as a semaphore", f.importSemaphore(binary, memory, opaqueSemaphoreFD, 0), vk.ErrorInvalidExternalHandle)
	want(t, "nothing as a sync file", f.importSemaphore(binary, 9999, syncSemaphoreFD, 0), vk.ErrorInvalidExternalHandle)
	want(t, "-1, which has been signaled", f.importSemaphore(binary, -1, syncSemaphoreFD, 0), vk.Success)
	fence := f.fence()
	f.batch(binary, 0, fence)
	want(t, "waiting for it", f.wait(fence, 120e9), vk.Success)
}

// A sync file becomes readable with the fence's signal, and takes the signal out.
func TestExternalSync_SyncFiles(t *testing.T) {
	f := newTest(t)
	e, fence := f.event(), f.fence()
	cb := f.begin()
	record(f, cb, abi.OpCmdWaitEvents, &abi.CmdWaitEvents{EventCount: 1, PEvents: &e, SrcStageMask: vk.PipelineStageHostBit, DstStageMask: vk.PipelineStageTransferBit})
	want(t, "vkEndCommandBuffer", f.end(cb), vk.Success)
	f.submitTo(0, cb, fence)
	var fd int32
	get := abi.GetFenceFdKHRArgs{Device: f.device, PGetFdInfo: &abi.FenceGetFdInfoKHR{Fence: fence, HandleType: syncFenceFD}, PFd: &fd}
	call(f, abi.OpGetFenceFdKHR, &get)
	want(t, "vkGetFenceFdKHR", get.Ret, vk.Success)
	if memory.Readable(int(fd), 20*time.Millisecond) {
		t.Error("signaled before its time")
	}
	// Another fence and a semaphore wait for the file.
	second, s, third := f.fence(), f.semaphore(vk.SemaphoreTypeBinary, 0), f.fence()
	copied, _ := memory.DuplicateFD(int(fd))
	put := abi.ImportFenceFdKHRArgs{Device: f.device, PImportFenceFdInfo: &abi.ImportFenceFdInfoKHR{Fence: second, Fd: int32(copied), HandleType: syncFenceFD, Flags: vk.FenceImportTemporaryBit}}
	call(f, abi.OpImportFenceFdKHR, &put)
	want(t, "vkImportFenceFdKHR", put.Ret, vk.Success)
	copied, _ = memory.DuplicateFD(int(fd))
	want(t, "vkImportSemaphoreFdKHR", f.importSemaphore(s, int32(copied), syncSemaphoreFD, vk.SemaphoreImportTemporaryBit), vk.Success)
	var q abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, QueueFamilyIndex: 1, PQueue: &q})
	submit := abi.QueueSubmitArgs{Queue: q, SubmitCount: 1, PSubmits: &abi.SubmitInfo{WaitSemaphoreCount: 1, PWaitSemaphores: &s}, Fence: third}
	call(f, abi.OpQueueSubmit, &submit)
	want(t, "vkQueueSubmit", submit.Ret, vk.Success)
	want(t, "the semaphore's wait", f.wait(third, 20e6), vk.Timeout)

	set := abi.SetEventArgs{Device: f.device, Event: e}
	call(f, abi.OpSetEvent, &set)
	if !memory.Readable(int(fd), 2*time.Minute) {
		t.Error("never signaled")
	}
	want(t, "the fence that was exported", f.wait(fence, 0), vk.Timeout)
	want(t, "the fence that was imported to", f.wait(second, 120e9), vk.Success)
	want(t, "the semaphore's wait", f.wait(third, 120e9), vk.Success)
	reset := abi.ResetFencesArgs{Device: f.device, FenceCount: 1, PFences: &second}
	call(f, abi.OpResetFences, &reset)
	want(t, "the permanent payload", f.wait(second, 0), vk.Timeout)
}

// TestExternal_AcrossProcesses: memory and a timeline semaphore go to a child.
func TestExternal_AcrossProcesses(t *testing.T) {
	const words = 2000
	f := newTest(t)
	value := func(s abi.Semaphore) abi.SemaphoreWaitInfo {
		return abi.SemaphoreWaitInfo{SemaphoreCount: 1, PSemaphores: &s}
	}
	wait := func(s abi.Semaphore, v uint64) {
		t.Helper()
		i := value(s)
		i.PValues = &v
		a := abi.WaitSemaphoresArgs{Device: f.device, PWaitInfo: &i, Timeout: 120e9}
		call(f, abi.OpWaitSemaphores, &a)
		want(t, "vkWaitSemaphores", a.Ret, vk.Success)
	}
	signal := func(s abi.Semaphore, v uint64) {
		t.Helper()
		a := abi.SignalSemaphoreArgs{Device: f.device, PSignalInfo: &abi.SemaphoreSignalInfo{Semaphore: s, Value: v}}
		call(f, abi.OpSignalSemaphore, &a)
		want(t, "vkSignalSemaphore", a.Ret, vk.Success)
	}
	if os.Getenv("PUMICE_TEST_CHILD") != "" {
		_, data, r := f.importMemory(3, 4*words)
		want(t, "importing memory", r, vk.Success)
		s := f.semaphore(vk.SemaphoreTypeTimeline, 0)
		want(t, "importing a semaphore", f.importSemaphore(s, 4, opaqueSemaphoreFD, 0), vk.Success)
		wait(s, 10)
		for i := range data {
			data[i] += 1000
		}
		signal(s, 20)
		return
	}
	fd, data := f.exportedMemory(4 * words)
	s := f.semaphore(vk.SemaphoreTypeTimeline, opaqueSemaphoreFD)
	child := exec.Command(os.Args[0], "-test.run=^TestExternal_AcrossProcesses$")
	child.Env = append(os.Environ(), "PUMICE_TEST_CHILD=1")
	child.ExtraFiles = []*os.File{os.NewFile(uintptr(fd), "memory"), os.NewFile(uintptr(f.semaphoreFD(s, opaqueSemaphoreFD)), "semaphore")}
	var out strings.Builder
	child.Stdout, child.Stderr = &out, &out
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = uint32(i)
	}
	signal(s, 10)
	wait(s, 20)
	if err := child.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for i := range data {
		if data[i] != uint32(i)+1000 {
			t.Fatalf("word %d is %d", i, data[i])
		}
	}
}

// TestLost_WhoSharesAFenceIsWoken: a device that waits for the fence and the semaphore
// of another, which is lost, does not wait for ever.
//
// devsandqueues-lost-device
func TestLost_WhoSharesAFenceIsWoken(t *testing.T) {
	f, _ := losing(t, func(c *Config) { c.LoopBudget = 100_000 })
	x := &abi.ExportFenceCreateInfo{HandleTypes: opaqueFenceFD}
	var fence abi.Fence
	a := abi.CreateFenceArgs{Device: f.device, PCreateInfo: &abi.FenceCreateInfo{PNext: chained(f, x, x.StructureType())}, PFence: &fence}
	call(f, abi.OpCreateFence, &a)
	want(t, "vkCreateFence", a.Ret, vk.Success)
	var fd int32
	get := abi.GetFenceFdKHRArgs{Device: f.device, PGetFdInfo: &abi.FenceGetFdInfoKHR{Fence: fence, HandleType: opaqueFenceFD}, PFd: &fd}
	call(f, abi.OpGetFenceFdKHR, &get)
	want(t, "vkGetFenceFdKHR", get.Ret, vk.Success)
	s := f.semaphore(vk.SemaphoreTypeBinary, opaqueSemaphoreFD)
	semaphore := f.semaphoreFD(s, opaqueSemaphoreFD)
	f.batch(0, s, fence, f.endless(1)) // one batch: a second one may find the device lost
	f.other(func() {
		theirs, after := f.fence(), f.fence()
		put := abi.ImportFenceFdKHRArgs{Device: f.device, PImportFenceFdInfo: &abi.ImportFenceFdInfoKHR{Fence: theirs, Fd: fd, HandleType: opaqueFenceFD}}
		call(f, abi.OpImportFenceFdKHR, &put)
		want(t, "vkImportFenceFdKHR", put.Ret, vk.Success)
		within(t, "the fence", func() { want(t, "the fence", f.wait(theirs, 120e9), vk.Success) })
		shared := f.semaphore(vk.SemaphoreTypeBinary, 0)
		want(t, "importing", f.importSemaphore(shared, semaphore, opaqueSemaphoreFD, 0), vk.Success)
		f.batch(shared, 0, after)
		want(t, "the semaphore", f.wait(after, 120e9), vk.Success)
	})
	want(t, "the device that was lost", f.wait(fence, 0), vk.ErrorDeviceLost)
}
