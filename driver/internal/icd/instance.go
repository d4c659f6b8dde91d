package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// Instance is a VkInstance.
type Instance struct {
	driver     *Driver
	apiVersion uint32          // what the application asked for, at most ours
	extensions map[string]bool // enabled
	physical   unsafe.Pointer  // the handle of the one VkPhysicalDevice

	surfaces   Pool[Surface]
	messengers Pool[Messenger]
	reporters  Pool[Reporter]
}

// EnumerateInstanceVersion is vkEnumerateInstanceVersion.
func (d *Driver) EnumerateInstanceVersion(a *abi.EnumerateInstanceVersionArgs) vk.Result {
	*a.PApiVersion = d.cfg.APIVersion
	return vk.Success
}

// EnumerateInstanceExtensionProperties is vkEnumerateInstanceExtensionProperties.
func (d *Driver) EnumerateInstanceExtensionProperties(a *abi.EnumerateInstanceExtensionPropertiesArgs) vk.Result {
	if a.PLayerName != nil {
		return vk.ErrorLayerNotPresent
	}
	return abi.Enumerate(a.PPropertyCount, a.PProperties, extensionProperties(d.instanceExtensions))
}

// EnumerateInstanceLayerProperties is vkEnumerateInstanceLayerProperties.
func (d *Driver) EnumerateInstanceLayerProperties(a *abi.EnumerateInstanceLayerPropertiesArgs) vk.Result {
	return abi.Enumerate(a.PPropertyCount, a.PProperties, nil)
}

// CreateInstance is vkCreateInstance.
func (d *Driver) CreateInstance(a *abi.CreateInstanceArgs) vk.Result {
	*a.PInstance = nil
	info := a.PCreateInfo
	if info.EnabledLayerCount > 0 {
		return vk.ErrorLayerNotPresent
	}
	i := &Instance{driver: d, apiVersion: vk.ApiVersion1_0, extensions: map[string]bool{}}
	for _, x := range abi.Strings(info.PpEnabledExtensionNames, info.EnabledExtensionCount) {
		if findExtension(d.instanceExtensions, x) == nil {
			return vk.ErrorExtensionNotPresent
		}
		i.extensions[x] = true
	}
	if app := info.PApplicationInfo; app != nil && app.ApiVersion != 0 {
		i.apiVersion = min(app.ApiVersion, d.cfg.APIVersion)
	}
	h := enroll(d, &d.instances, i, abi.LevelInstance)
	if h == nil {
		return vk.ErrorOutOfHostMemory
	}
	if i.physical = enroll(d, &d.physicalDevices, &PhysicalDevice{instance: i}, abi.LevelPhysicalDevice); i.physical == nil {
		expel(d, &d.instances, h, abi.LevelInstance)
		return vk.ErrorOutOfHostMemory
	}
	*a.PInstance = abi.Instance(h)
	d.frames.made(UseInstance)
	return vk.Success
}

// DestroyInstance is vkDestroyInstance.
func (i *Instance) DestroyInstance(a *abi.DestroyInstanceArgs) {
	d := i.driver
	if expel(d, &d.instances, unsafe.Pointer(a.Instance), abi.LevelInstance) != nil {
		expel(d, &d.physicalDevices, i.physical, abi.LevelPhysicalDevice)
	}
}

// EnumeratePhysicalDevices is vkEnumeratePhysicalDevices.
func (i *Instance) EnumeratePhysicalDevices(a *abi.EnumeratePhysicalDevicesArgs) vk.Result {
	return abi.Enumerate(a.PPhysicalDeviceCount, a.PPhysicalDevices, []abi.PhysicalDevice{abi.PhysicalDevice(i.physical)})
}

// EnumeratePhysicalDeviceGroups is vkEnumeratePhysicalDeviceGroups: each device
// is a group of its own.
func (i *Instance) EnumeratePhysicalDeviceGroups(a *abi.EnumeratePhysicalDeviceGroupsArgs) vk.Result {
	if a.PPhysicalDeviceGroupProperties == nil {
		*a.PPhysicalDeviceGroupCount = 1
		return vk.Success
	}
	if *a.PPhysicalDeviceGroupCount == 0 {
		return vk.Incomplete
	}
	*a.PPhysicalDeviceGroupCount = 1
	g := a.PPhysicalDeviceGroupProperties
	g.PhysicalDeviceCount = 1
	g.PhysicalDevices = [vk.MaxDeviceGroupSize]abi.PhysicalDevice{abi.PhysicalDevice(i.physical)}
	g.SubsetAllocation = 0
	return vk.Success
}
