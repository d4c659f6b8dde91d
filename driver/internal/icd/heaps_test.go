package icd

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// meminfo is a machine with so much memory, and so much of it left, in KiB.
func meminfo(total, left string) []byte {
	return []byte("MemTotal: " + total + " kB\nMemAvailable: " + left + " kB\nSwapFree: 0 kB\n")
}

// The heap is half of what the process may have, or what the variable says.
func TestMemoryLimitOf(t *testing.T) {
	eight := memory.OpenHost(fstest.MapFS{"proc/meminfo": {Data: meminfo("8388608", "1000")}})
	tiny := memory.OpenHost(fstest.MapFS{"proc/meminfo": {Data: meminfo("8192", "1000")}})
	const mib, gib = 1 << 20, 1 << 30
	for _, c := range []struct {
		setting string
		host    *memory.Host
		want    int64
		fails   string
	}{
		{"", eight, 4 * gib, ""},
		{"", tiny, leastLimit, ""},
		{"", nil, core.DefaultMemoryLimit, ""},
		{"2G", eight, 2 * gib, ""},
		{"2g", eight, 2 * gib, ""},
		{"1.5GiB", eight, 1536 * mib, ""},
		{"512MB", eight, 512 * mib, ""},
		{"65536k", eight, 64 * mib, ""},
		{"1T", nil, 1024 * gib, ""},
		{"67108864", eight, 64 * mib, ""},
		{"75%", eight, 6 * gib, ""},
		{"0.001%", eight, leastLimit, ""},
		{"200%", eight, 16 * gib, ""},
		{"50%", nil, core.DefaultMemoryLimit, "does not tell"},
		{"15M", eight, 4 * gib, "no size"},
		{"0", eight, 4 * gib, "no size"},
		{"-1G", eight, 4 * gib, "no size"},
		{"0%", eight, 4 * gib, "no size"},
		{"5000%", eight, 4 * gib, "no size"},
		{"NaN", eight, 4 * gib, "no size"},
		{"inf%", eight, 4 * gib, "no size"},
		{"99999T", eight, 4 * gib, "no size"},
		{"2 giants", eight, 4 * gib, "no size"},
		{"much", eight, 4 * gib, "no size"},
	} {
		got, err := MemoryLimitOf(c.setting, c.host)
		text := fmt.Sprint(err)
		says := strings.Contains(text, c.fails) && strings.Contains(text, "PUMICE_MEMORY="+c.setting)
		if got != c.want || (err == nil) != (c.fails == "") || err != nil && !says {
			t.Errorf("%q: %d, %v; want %d, %q", c.setting, got, err, c.want, c.fails)
		}
	}
}

// What is told of memory agrees, however much of it there is. maxMemoryAllocationSize keeps to
// Vulkan's minimum.
func TestHeaps_Agree(t *testing.T) {
	for _, limit := range []int64{leastLimit, 1 << 30, 4 << 30, 96 << 30} {
		f := newTestWith(t, Config{MemoryLimit: limit})
		var m abi.PhysicalDeviceMemoryProperties
		a := abi.GetPhysicalDeviceMemoryPropertiesArgs{PhysicalDevice: f.physical, PMemoryProperties: &m}
		call(f, abi.OpGetPhysicalDeviceMemoryProperties, &a)
		v11 := &abi.PhysicalDeviceVulkan11Properties{}
		m3 := &abi.PhysicalDeviceMaintenance3Properties{}
		v11.PNext = chained(f, m3, m3.StructureType())
		p := &abi.PhysicalDeviceProperties2{PNext: chained(f, v11, v11.StructureType())}
		get := abi.GetPhysicalDeviceProperties2Args{PhysicalDevice: f.physical, PProperties: p}
		call(f, abi.OpGetPhysicalDeviceProperties2, &get)
		most := uint64(max(limit, 1<<30))
		if v11.MaxMemoryAllocationSize != most || m3.MaxMemoryAllocationSize != most {
			t.Errorf("%d: maxMemoryAllocationSize is %d and %d", limit,
				v11.MaxMemoryAllocationSize, m3.MaxMemoryAllocationSize)
		}
		for i := range m.MemoryHeapCount {
			if m.MemoryHeaps[i].Size != uint64(limit) {
				t.Errorf("%d: heap %d has %d bytes", limit, i, m.MemoryHeaps[i].Size)
			}
		}
		if s := p.Properties.Limits.SparseAddressSpaceSize; s < uint64(limit) {
			t.Errorf("%d: addresses for %d bytes of sparse resources", limit, s)
		}
	}
}

// Budgets fall with what the host has left, and an allocation that it has no memory for fails.
func TestHeaps_FollowTheHost(t *testing.T) {
	const mib = 1 << 20
	info := &fstest.MapFile{Data: meminfo("4194304", "4194304")}
	host := memory.OpenHost(fstest.MapFS{"proc/meminfo": info})
	f := newTestWith(t, Config{MemoryLimit: 2048 * mib, Host: host})
	budgets := func() (b abi.PhysicalDeviceMemoryBudgetPropertiesEXT) {
		m := &abi.PhysicalDeviceMemoryProperties2{PNext: chained(f, &b, b.StructureType())}
		a := abi.GetPhysicalDeviceMemoryProperties2Args{PhysicalDevice: f.physical, PMemoryProperties: m}
		call(f, abi.OpGetPhysicalDeviceMemoryProperties2, &a)
		return b
	}
	left := func() uint64 {
		b := budgets()
		first, second := b.HeapBudget[0]-b.HeapUsage[0], b.HeapBudget[1]-b.HeapUsage[1]
		if first != second {
			t.Errorf("%d bytes of one heap are left, %d of the other", first, second)
		}
		return first
	}
	allocate := func(size uint64) (m abi.DeviceMemory, r vk.Result) {
		info := &abi.MemoryAllocateInfo{AllocationSize: size}
		a := abi.AllocateMemoryArgs{Device: f.device, PAllocateInfo: info, PMemory: &m}
		call(f, abi.OpAllocateMemory, &a)
		return m, a.Ret
	}
	if got := left(); got < 2047*mib {
		t.Errorf("%d are left where the host has enough", got)
	}
	info.Data = meminfo("4194304", "524288") // 512 MiB, of which 256 stay with the host
	if got := left(); got > 256*mib || got < 254*mib {
		t.Errorf("%d are left where the host has 512 MiB", got)
	}
	_, r := allocate(300 * mib)
	want(t, "more than the host has", r, vk.ErrorOutOfDeviceMemory)
	m, r := allocate(200 * mib)
	want(t, "what the host has", r, vk.Success)
	_, r = allocate(200 * mib)
	want(t, "what was promised", r, vk.ErrorOutOfDeviceMemory)
	call(f, abi.OpFreeMemory, &abi.FreeMemoryArgs{Device: f.device, Memory: m})
	info.Data = meminfo("4194304", "0")
	b := budgets()
	if b.HeapBudget[0] == 0 || b.HeapBudget[1] == 0 {
		t.Errorf("budgets %v; 0 is not allowed", b.HeapBudget[:2])
	}
}
