package icd

import (
	"encoding/json"
	"os"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// TestLookup_FollowsTheInstancesVersion: an application that asks for 1.0 gets no
// entry points of later versions (vkGetDeviceProcAddr).
func TestLookup_FollowsTheInstancesVersion(t *testing.T) {
	f := newTest(t)
	resolve(&f.driver.instances, unsafe.Pointer(f.instance), abi.LevelInstance).apiVersion = vk.ApiVersion1_0
	for name, want := range map[string]bool{"vkGetDeviceQueue": true, "vkGetDeviceQueue2": false, "vkTrimCommandPool": false, "vkQueueSubmit2": false} {
		if got := f.driver.Lookup(ScopeDevice, unsafe.Pointer(f.device), name) != 0; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestExtensions_HaveTheirCommands: what an extension brings by itself is there,
// whatever its optional features.
func TestExtensions_HaveTheirCommands(t *testing.T) {
	for i := range registered {
		r := &registered[i]
		if r.version() != 0 || !offered(r.name) {
			continue
		}
		for _, c := range r.commands {
			e := abi.FindEntryPoint(c.name)
			if e == nil || !has(e.Op) && (c.depends == "" || holds(c.depends, offered)) {
				t.Errorf("%s needs %s", r.name, c.name)
			}
		}
	}
}

// TestExtensions_NeedTheInstances: an extension that stands on one of the instance is listed where
// that one is enabled.
func TestExtensions_NeedTheInstances(t *testing.T) {
	for _, enabled := range []string{"", "VK_KHR_surface_maintenance1", "VK_EXT_surface_maintenance1"} {
		f := &fixture{t: t, driver: New(Config{})}
		name := cString(enabled)
		info := &abi.InstanceCreateInfo{PpEnabledExtensionNames: &name}
		if enabled != "" {
			info.EnabledExtensionCount = 1
		}
		call(f, abi.OpCreateInstance, &abi.CreateInstanceArgs{PCreateInfo: info, PInstance: &f.instance})
		n := uint32(1)
		call(f, abi.OpEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: f.instance, PPhysicalDeviceCount: &n, PPhysicalDevices: &f.physical})
		n = uint32(len(deviceExtensions))
		list := make([]abi.ExtensionProperties, n)
		call(f, abi.OpEnumerateDeviceExtensionProperties, &abi.EnumerateDeviceExtensionPropertiesArgs{PhysicalDevice: f.physical, PPropertyCount: &n, PProperties: &list[0]})
		listed := map[string]bool{}
		for i := range list[:n] {
			listed[abi.String(&list[i].ExtensionName[0])] = true
		}
		for _, kind := range []string{"KHR", "EXT"} {
			if got, want := listed["VK_"+kind+"_swapchain_maintenance1"], enabled == "VK_"+kind+"_surface_maintenance1"; got != want {
				t.Errorf("with %q: VK_%s_swapchain_maintenance1 is listed: %v", enabled, kind, got)
			}
		}
		if !listed["VK_KHR_swapchain"] {
			t.Errorf("with %q: no VK_KHR_swapchain", enabled)
		}
		call(f, abi.OpDestroyInstance, &abi.DestroyInstanceArgs{Instance: f.instance})
	}
}

// TestExtensions_CanBeLeftOut: those that Config.Without names are neither listed nor
// taken, of instance and device, and their commands are not found.
func TestExtensions_CanBeLeftOut(t *testing.T) {
	const gone, kept = "VK_EXT_host_image_copy", "VK_EXT_mesh_shader"
	f := &fixture{t: t, driver: New(Config{Without: []string{gone, "VK_EXT_debug_utils", "VK_none"}, Offer: []string{offerAll}})}
	names := [2]*byte{cString("VK_KHR_surface_maintenance1"), cString("VK_EXT_surface_maintenance1")}
	create := abi.CreateInstanceArgs{PCreateInfo: &abi.InstanceCreateInfo{EnabledExtensionCount: 2, PpEnabledExtensionNames: &names[0]}, PInstance: &f.instance}
	call(f, abi.OpCreateInstance, &create)
	n := uint32(1)
	call(f, abi.OpEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: f.instance, PPhysicalDeviceCount: &n, PPhysicalDevices: &f.physical})
	for _, all := range []struct {
		rows []extension
		list func(*uint32)
	}{
		{instanceExtensions[:], func(n *uint32) {
			call(f, abi.OpEnumerateInstanceExtensionProperties, &abi.EnumerateInstanceExtensionPropertiesArgs{PPropertyCount: n})
		}},
		{deviceExtensions[:], func(n *uint32) {
			call(f, abi.OpEnumerateDeviceExtensionProperties, &abi.EnumerateDeviceExtensionPropertiesArgs{PhysicalDevice: f.physical, PPropertyCount: n})
		}},
	} {
		if all.list(&n); int(n) != len(without(all.rows, elsewhere()))-1 {
			t.Errorf("%d of %d extensions", n, len(all.rows))
		}
	}
	for name, want := range map[string]bool{"vkCopyImageToMemoryEXT": false, "vkCmdDrawMeshTasksEXT": true} {
		if got := f.driver.Lookup(ScopeInstance, unsafe.Pointer(f.instance), name) != 0; got != want {
			t.Errorf("%s is found: %v", name, got)
		}
	}
	for name, want := range map[string]vk.Result{gone: vk.ErrorExtensionNotPresent, kept: vk.Success} {
		text := append([]byte(name), 0)
		p, priority := &text[0], float32(1)
		queue := abi.DeviceQueueCreateInfo{QueueCount: 1, PQueuePriorities: &priority}
		var device abi.Device
		create := abi.CreateDeviceArgs{PhysicalDevice: f.physical, PDevice: &device, PCreateInfo: &abi.DeviceCreateInfo{
			EnabledExtensionCount: 1, PpEnabledExtensionNames: &p, QueueCreateInfoCount: 1, PQueueCreateInfos: &queue}}
		call(f, abi.OpCreateDevice, &create)
		if create.Ret == vk.Success {
			call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: device})
		}
		if got := create.Ret; got != want {
			t.Errorf("a device with %s: %v", name, got)
		}
	}
	call(f, abi.OpDestroyInstance, &abi.DestroyInstanceArgs{Instance: f.instance})
}

// TestVersion_CanBeCapped: programs that stumble over later versions are told of
// earlier ones, and get their entry points.
func TestVersion_CanBeCapped(t *testing.T) {
	capped := New(Config{APIVersion: vk.MakeApiVersion(1, 1, 7), DeviceType: DeviceTypeNamed("discrete")})
	f := &fixture{t: t, driver: capped}
	var v uint32
	call(f, abi.OpEnumerateInstanceVersion, &abi.EnumerateInstanceVersionArgs{PApiVersion: &v})
	create := abi.CreateInstanceArgs{PCreateInfo: &abi.InstanceCreateInfo{PApplicationInfo: &abi.ApplicationInfo{ApiVersion: vk.ApiVersion1_3}}, PInstance: &f.instance}
	call(f, abi.OpCreateInstance, &create)
	n := uint32(1)
	call(f, abi.OpEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: f.instance, PPhysicalDeviceCount: &n, PPhysicalDevices: &f.physical})
	var p abi.PhysicalDeviceProperties
	call(f, abi.OpGetPhysicalDeviceProperties, &abi.GetPhysicalDevicePropertiesArgs{PhysicalDevice: f.physical, PProperties: &p})
	if v != p.ApiVersion || v != vk.MakeApiVersion(1, 1, 7) {
		t.Errorf("instance %#x, device %#x", v, p.ApiVersion)
	}
	if p.DeviceType != vk.PhysicalDeviceTypeDiscreteGpu {
		t.Errorf("a device of type %v", p.DeviceType)
	}
	for name, want := range map[string]bool{"vkGetDeviceQueue2": true, "vkQueueSubmit2": false} {
		if got := capped.Lookup(ScopeInstance, unsafe.Pointer(f.instance), name) != 0; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	call(f, abi.OpDestroyInstance, &abi.DestroyInstanceArgs{Instance: f.instance})
	if all := New(Config{APIVersion: vk.MakeApiVersion(1, 99, 0)}); all.cfg.APIVersion != apiVersion {
		t.Errorf("%#x", all.cfg.APIVersion)
	}
}

// conformanceVersion is what the setting says, in both structs that have it: the release that was
// tested unless it says otherwise, and nothing where it names no version.
func TestConformanceVersion(t *testing.T) {
	for text, want := range map[string]vk.ConformanceVersion{
		"": {Major: 1, Minor: 4, Subminor: 6, Patch: 1}, "none": {}, "1.4": {}, "1.4.3.2.1": {}, "1.4.3.256": {}, "1.4.x.0": {}, "1.4.-3.0": {}, "1.4.3.2": {Major: 1, Minor: 4, Subminor: 3, Patch: 2},
	} {
		f := newTest(t)
		f.driver.cfg.Conformance = ConformanceNamed(text)
		d, v := &abi.PhysicalDeviceDriverProperties{}, &abi.PhysicalDeviceVulkan12Properties{}
		d.SType, v.SType = d.StructureType(), v.StructureType()
		f.pin.Pin(d)
		f.pin.Pin(v)
		d.PNext = unsafe.Pointer(v)
		all := abi.PhysicalDeviceProperties2{PNext: unsafe.Pointer(d)}
		all.SType = all.StructureType()
		call(f, abi.OpGetPhysicalDeviceProperties2, &abi.GetPhysicalDeviceProperties2Args{PhysicalDevice: f.physical, PProperties: &all})
		if d.ConformanceVersion != want || v.ConformanceVersion != want {
			t.Errorf("%q: %v, %v", text, d.ConformanceVersion, v.ConformanceVersion)
		}
	}
}

// The release that conformanceVersion names has its line of evidence, whose failures are the one
// that no driver without a number of Khronos' can pass.
func TestConformanceVersion_HasEvidence(t *testing.T) {
	file, err := os.Open("../../../docs/cts/evidence.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := json.NewDecoder(file); ; {
		var e struct {
			Suite                                                 string
			Shares, Cases, Passed, NotSupported, Failed, Expected int
		}
		if err := lines.Decode(&e); err != nil {
			t.Fatalf("no line of vulkan-cts-%s: %v", TestedRelease, err)
		}
		if e.Suite != "vulkan-cts-"+TestedRelease {
			continue
		}
		if e.Shares != 1 || e.Failed > 1 || e.Failed != e.Expected || e.Cases < 3_000_000 || e.Passed+e.NotSupported+e.Failed != e.Cases {
			t.Errorf("%+v is no whole run without failures", e)
		}
		return
	}
}
