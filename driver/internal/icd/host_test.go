package icd

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// TestOnly_Known: a misspelt name would be offered everywhere.
func TestOnly_Known(t *testing.T) {
	known := map[string]bool{}
	have := coreFeatures()
	eachField(&have, func(name string, _ *abi.Bool32) { known[name] = true })
	for _, f := range features {
		known[f.name] = true
	}
	for name := range only {
		if !known[name] && findExtension(instanceExtensions[:], name) == nil &&
			findExtension(deviceExtensions[:], name) == nil {
			t.Errorf("%s is in no table", name)
		}
	}
}

// TestHost_OffersItsOwn: windows and descriptors of other systems are not there, whoever asks.
func TestHost_OffersItsOwn(t *testing.T) {
	f := newTest(t)
	for name, system := range map[string]string{
		"vkCreateXcbSurfaceKHR":                          "linux",
		"vkCreateXlibSurfaceKHR":                         "linux",
		"vkCreateWaylandSurfaceKHR":                      "linux",
		"vkCreateWin32SurfaceKHR":                        "windows",
		"vkGetPhysicalDeviceXcbPresentationSupportKHR":   "linux",
		"vkGetPhysicalDeviceWin32PresentationSupportKHR": "windows",
		"vkGetMemoryFdKHR":                               "linux",
	} {
		e := abi.FindEntryPoint(name)
		made := make(map[string]bool)
		create := abi.CreateInstanceArgs{PInstance: new(abi.Instance), PCreateInfo: &abi.InstanceCreateInfo{}}
		if abi.IsInstanceExtension(e.Extensions) {
			extension := cString(e.Extensions)
			create.PCreateInfo.EnabledExtensionCount = 1
			create.PCreateInfo.PpEnabledExtensionNames = &extension
		}
		call(f, abi.OpCreateInstance, &create)
		if create.Ret == vk.Success {
			made[name] = f.driver.Lookup(ScopeInstance, unsafe.Pointer(*create.PInstance), name) != 0
			call(f, abi.OpDestroyInstance, &abi.DestroyInstanceArgs{Instance: *create.PInstance})
		}
		if got, want := made[name], system == runtime.GOOS; got != want {
			t.Errorf("%s: found %v, want %v (vkCreateInstance: %v)", name, got, want, create.Ret)
		}
	}
	external := abi.ExternalBufferProperties{}
	call(f, abi.OpGetPhysicalDeviceExternalBufferProperties, &abi.GetPhysicalDeviceExternalBufferPropertiesArgs{
		PhysicalDevice:            f.physical,
		PExternalBufferInfo:       &abi.PhysicalDeviceExternalBufferInfo{HandleType: opaqueMemoryFD},
		PExternalBufferProperties: &external,
	})
	shares := external.ExternalMemoryProperties.ExternalMemoryFeatures != 0
	if shares != (runtime.GOOS == "linux") {
		t.Errorf("memory can be shared by descriptors: %v", shares)
	}
	sparse := queueFamilies[0].QueueFlags&vk.QueueSparseBindingBit != 0
	if sparse != coreFeature("sparseBinding") || sparse != (runtime.GOOS == "linux") {
		t.Errorf("queues bind sparse resources: %v", sparse)
	}
}
