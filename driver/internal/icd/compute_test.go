package icd

import (
	_ "embed"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/subgroup.comp.spv testdata/subgroup.comp

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/derive_linear.comp.spv testdata/derive_linear.comp
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/derive_quads.comp.spv testdata/derive_quads.comp

var (
	//go:embed testdata/subgroup.comp.spv
	subgroupShader []byte
	//go:embed testdata/derive_linear.comp.spv
	linearShader []byte
	//go:embed testdata/derive_quads.comp.spv
	quadsShader []byte
)

// program is a compute pipeline with one storage buffer at binding 0.
type program struct {
	layout   abi.PipelineLayout
	pipeline abi.Pipeline
	set      abi.DescriptorSet
}

// program makes a compute pipeline. next extends the stage, more the pipeline.
func (f *fixture) program(code []byte, flags vk.PipelineCreateFlags, next, more unsafe.Pointer, buffer abi.Buffer) (p program, r vk.Result) {
	f.t.Helper()
	set := f.setLayout(nil, abi.DescriptorSetLayoutBinding{DescriptorType: vk.DescriptorTypeStorageBuffer, DescriptorCount: 1, StageFlags: vk.ShaderStageComputeBit})
	l := abi.CreatePipelineLayoutArgs{Device: f.device, PCreateInfo: &abi.PipelineLayoutCreateInfo{SetLayoutCount: 1, PSetLayouts: &set}, PPipelineLayout: &p.layout}
	call(f, abi.OpCreatePipelineLayout, &l)
	want(f.t, "vkCreatePipelineLayout", l.Ret, vk.Success)
	sets, r := f.sets(f.pool(1, abi.DescriptorPoolSize{Type: vk.DescriptorTypeStorageBuffer, DescriptorCount: 1}), set)
	want(f.t, "vkAllocateDescriptorSets", r, vk.Success)
	p.set = sets[0]
	call(f, abi.OpUpdateDescriptorSets, &abi.UpdateDescriptorSetsArgs{Device: f.device, DescriptorWriteCount: 1,
		PDescriptorWrites: &abi.WriteDescriptorSet{DstSet: p.set, DescriptorCount: 1, DescriptorType: vk.DescriptorTypeStorageBuffer,
			PBufferInfo: &abi.DescriptorBufferInfo{Buffer: buffer, Range: vk.WholeSize}}})
	var m abi.ShaderModule
	if code != nil {
		s := abi.CreateShaderModuleArgs{Device: f.device, PShaderModule: &m,
			PCreateInfo: &abi.ShaderModuleCreateInfo{CodeSize: uint64(len(code)), PCode: (*uint32)(unsafe.Pointer(&code[0]))}}
		call(f, abi.OpCreateShaderModule, &s)
		want(f.t, "vkCreateShaderModule", s.Ret, vk.Success)
	}
	c := abi.CreateComputePipelinesArgs{Device: f.device, CreateInfoCount: 1, PPipelines: &p.pipeline, PCreateInfos: &abi.ComputePipelineCreateInfo{
		PNext: more, Flags: flags, Layout: p.layout,
		Stage: abi.PipelineShaderStageCreateInfo{PNext: next, Stage: vk.ShaderStageComputeBit, Module: m, PName: &append([]byte("main"), 0)[0]},
	}}
	call(f, abi.OpCreateComputePipelines, &c)
	return p, c.Ret
}

// dispatch runs one workgroup.
func (f *fixture) dispatch(p program) {
	f.t.Helper()
	cb := f.begin()
	record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{PipelineBindPoint: vk.PipelineBindPointCompute, Pipeline: p.pipeline})
	f.pin.Pin(&p.set)
	record(f, cb, abi.OpCmdBindDescriptorSets, &abi.CmdBindDescriptorSets{PipelineBindPoint: vk.PipelineBindPointCompute, Layout: p.layout, DescriptorSetCount: 1, PDescriptorSets: &p.set})
	record(f, cb, abi.OpCmdDispatch, &abi.CmdDispatch{GroupCountX: 1, GroupCountY: 1, GroupCountZ: 1})
	f.run(cb)
}

// storage makes a storage buffer of words that the host sees.
func (f *fixture) storage(words int) (h abi.Buffer, data []uint32) {
	f.t.Helper()
	a := abi.CreateBufferArgs{Device: f.device, PCreateInfo: &abi.BufferCreateInfo{Size: uint64(4 * words), Usage: vk.BufferUsageStorageBufferBit}, PBuffer: &h}
	call(f, abi.OpCreateBuffer, &a)
	want(f.t, "vkCreateBuffer", a.Ret, vk.Success)
	m, p := f.memory(uint64(4 * words))
	b := abi.BindBufferMemoryArgs{Device: f.device, Buffer: h, Memory: m}
	call(f, abi.OpBindBufferMemory, &b)
	want(f.t, "vkBindBufferMemory", b.Ret, vk.Success)
	return h, unsafe.Slice((*uint32)(p), words)
}

// TestPipeline_SubgroupSizeIsRequired: VkPipelineShaderStageRequiredSubgroupSizeCreateInfo,
// and the same code without it keeps the size of VkPhysicalDeviceVulkan11Properties.
func TestPipeline_SubgroupSizeIsRequired(t *testing.T) {
	f := newTest(t)
	b, data := f.storage(64)
	for _, size := range []uint32{0, 4, 16, 128} {
		next := &abi.PipelineShaderStageRequiredSubgroupSizeCreateInfo{RequiredSubgroupSize: size}
		next.SType = next.StructureType()
		at := unsafe.Pointer(next)
		if size == 0 {
			size, at = subgroupSize, nil
		}
		p, r := f.program(subgroupShader, 0, at, nil, b)
		want(t, "vkCreateComputePipelines", r, vk.Success)
		f.dispatch(p)
		wanted := make([]uint32, 64)
		for i := range wanted {
			wanted[i] = size<<16 | max(64/size, 1)<<8 | uint32(i)/size
		}
		if !slices.Equal(data, wanted) {
			t.Errorf("size %d: %x", size, data)
		}
	}
	for _, size := range []uint32{2, 12, 256} {
		next := &abi.PipelineShaderStageRequiredSubgroupSizeCreateInfo{RequiredSubgroupSize: size}
		next.SType = next.StructureType()
		if _, r := f.program(subgroupShader, 0, unsafe.Pointer(next), nil, b); r == vk.Success {
			t.Errorf("subgroups of %d", size)
		}
	}
}

// TestDerivatives_OfComputeShaders: over four invocations in a row, and over squares
// of 2×2 (VK_KHR_compute_shader_derivatives).
func TestDerivatives_OfComputeShaders(t *testing.T) {
	rules.Covers(t, "IMG-405")
	f := newTest(t)
	b, data := f.storage(128)
	for _, c := range []struct {
		code   []byte
		dx, dy uint32 // of x + 10 y
		quad   func(x, y, z uint32) uint32
	}{
		{linearShader, 1, 2, func(x, y, z uint32) uint32 { return (x + 8*y + 32*z) / 4 }},
		{quadsShader, 1, 10, func(x, y, z uint32) uint32 { return x/2 + y/2*4 + z*8 }},
	} {
		p, r := f.program(c.code, 0, nil, nil, b)
		want(t, "vkCreateComputePipelines", r, vk.Success)
		clear(data)
		f.dispatch(p)
		for i := range uint32(64) {
			dx := c.dx + 1000*(c.quad(i%8, i/8%4, i/32)/2) // two quads are a subgroup
			if data[2*i] != dx || data[2*i+1] != c.dy {
				t.Errorf("invocation %d: %d, %d; want %d, %d", i, data[2*i], data[2*i+1], dx, c.dy)
				break
			}
		}
	}
}

// TestTimestamps_Calibrated: the clocks go on, and the bound of their distance is
// no lie.
func TestTimestamps_Calibrated(t *testing.T) {
	f := newTest(t)
	var domains [8]vk.TimeDomainKHR
	n := uint32(len(domains))
	ask := abi.GetPhysicalDeviceCalibrateableTimeDomainsKHRArgs{PhysicalDevice: f.physical, PTimeDomainCount: &n, PTimeDomains: &domains[0]}
	call(f, abi.OpGetPhysicalDeviceCalibrateableTimeDomainsKHR, &ask)
	if ask.Ret != vk.Success || n == 0 || domains[0] != vk.TimeDomainDeviceKHR {
		t.Fatalf("%v: %v", ask.Ret, domains[:n])
	}
	infos := make([]abi.CalibratedTimestampInfoKHR, n)
	for i := range infos {
		infos[i].TimeDomain = domains[i]
	}
	first, second := make([]uint64, n), make([]uint64, n)
	var deviation uint64
	for _, out := range [][]uint64{first, second} {
		a := abi.GetCalibratedTimestampsKHRArgs{Device: f.device, TimestampCount: n, PTimestampInfos: &infos[0], PTimestamps: &out[0], PMaxDeviation: &deviation}
		call(f, abi.OpGetCalibratedTimestampsKHR, &a)
		want(t, "vkGetCalibratedTimestampsKHR", a.Ret, vk.Success)
	}
	for i := range first {
		if first[i] == 0 || second[i] < first[i] {
			t.Errorf("%v: %d, then %d", domains[i], first[i], second[i])
		}
	}
	if deviation == 0 {
		t.Error("no deviation")
	}
	infos[0].TimeDomain = vk.TimeDomainQueryPerformanceCounterKHR
	if runtime.GOOS == onWindows {
		infos[0].TimeDomain = vk.TimeDomainClockMonotonicKHR
	}
	a := abi.GetCalibratedTimestampsKHRArgs{Device: f.device, TimestampCount: 1, PTimestampInfos: &infos[0], PTimestamps: &first[0], PMaxDeviation: &deviation}
	call(f, abi.OpGetCalibratedTimestampsKHR, &a)
	want(t, "a clock that is not there", a.Ret, vk.ErrorValidationFailed)
}

// TestMemory_MapsAndCountsByTheNewStructs: vkMapMemory2, and the budget follows
// allocations.
func TestMemory_MapsAndCountsByTheNewStructs(t *testing.T) {
	f := newTest(t)
	usage := func() uint64 {
		b := &abi.PhysicalDeviceMemoryBudgetPropertiesEXT{}
		b.SType = b.StructureType()
		call(f, abi.OpGetPhysicalDeviceMemoryProperties2, &abi.GetPhysicalDeviceMemoryProperties2Args{PhysicalDevice: f.physical, PMemoryProperties: &abi.PhysicalDeviceMemoryProperties2{PNext: unsafe.Pointer(b)}})
		limit := uint64(f.driver.cfg.MemoryLimit)
		if b.HeapBudget[deviceHeap] != limit-b.HeapUsage[hostHeap] || b.HeapBudget[hostHeap] != limit-b.HeapUsage[deviceHeap] || b.HeapBudget[heapCount] != 0 {
			t.Fatalf("budgets %v with %v of %d in use", b.HeapBudget, b.HeapUsage, limit)
		}
		return b.HeapUsage[hostHeap]
	}
	before := usage()
	m, at := f.memory(1 << 20)
	if got := usage() - before; got < 1<<20 || got > 1<<21 {
		t.Errorf("%d bytes more are in use after an allocation of a mebibyte", got)
	}
	var p unsafe.Pointer
	a := abi.MapMemory2Args{Device: f.device, PMemoryMapInfo: &abi.MemoryMapInfo{Memory: m, Offset: 64, Size: vk.WholeSize}, PpData: &p}
	call(f, abi.OpMapMemory2, &a)
	want(t, "vkMapMemory2", a.Ret, vk.Success)
	if p != unsafe.Add(at, 64) {
		t.Error("mapped elsewhere")
	}
	u := abi.UnmapMemory2Args{Device: f.device, PMemoryUnmapInfo: &abi.MemoryUnmapInfo{Memory: m}}
	call(f, abi.OpUnmapMemory2, &u)
	want(t, "vkUnmapMemory2", u.Ret, vk.Success)
	call(f, abi.OpFreeMemory, &abi.FreeMemoryArgs{Device: f.device, Memory: m})
	if usage() != before {
		t.Error("freed memory counts")
	}
}

// TestQueues_GlobalPriority: what is reported can be had, more is not permitted.
func TestQueues_GlobalPriority(t *testing.T) {
	f := newTest(t)
	g := &abi.QueueFamilyGlobalPriorityProperties{}
	g.SType = g.StructureType()
	n := uint32(1)
	call(f, abi.OpGetPhysicalDeviceQueueFamilyProperties2, &abi.GetPhysicalDeviceQueueFamilyProperties2Args{PhysicalDevice: f.physical, PQueueFamilyPropertyCount: &n,
		PQueueFamilyProperties: &abi.QueueFamilyProperties2{PNext: unsafe.Pointer(g)}})
	if g.PriorityCount != 2 {
		t.Fatalf("%d priorities", g.PriorityCount)
	}
	one := float32(1)
	for priority, wanted := range map[vk.QueueGlobalPriority]vk.Result{g.Priorities[0]: vk.Success, g.Priorities[1]: vk.Success, vk.QueueGlobalPriorityRealtime: vk.ErrorNotPermitted} {
		ask := &abi.DeviceQueueGlobalPriorityCreateInfo{GlobalPriority: priority}
		ask.SType = ask.StructureType()
		var h abi.Device
		a := abi.CreateDeviceArgs{PhysicalDevice: f.physical, PDevice: &h, PCreateInfo: &abi.DeviceCreateInfo{QueueCreateInfoCount: 1,
			PQueueCreateInfos: &abi.DeviceQueueCreateInfo{PNext: unsafe.Pointer(ask), QueueCount: 1, PQueuePriorities: &one}}}
		call(f, abi.OpCreateDevice, &a)
		want(t, "vkCreateDevice", a.Ret, wanted)
		call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: h})
	}
}
