package icd

import (
	"strings"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// Scope says who looks a name up.
type Scope uint32

// The scopes; front.c has the same numbers.
const (
	ScopeInstance       Scope = iota // vkGetInstanceProcAddr, object is a VkInstance or nil
	ScopeDevice                      // vkGetDeviceProcAddr
	ScopePhysicalDevice              // vk_icdGetPhysicalDeviceProcAddr
)

// Lookup returns the entry point that a name stands for, 0 for none: unknown
// names, entry points that don't exist here, and those of versions and
// extensions that are not there for the object (the tables at
// vkGetInstanceProcAddr and vkGetDeviceProcAddr).
func (d *Driver) Lookup(scope Scope, object unsafe.Pointer, name string) abi.Op {
	e := abi.FindEntryPoint(name)
	if e == nil || !has(e.Op) {
		return 0
	}
	switch scope {
	case ScopeInstance:
		if e.Op == abi.OpGetInstanceProcAddr {
			return e.Op
		}
		if object == nil {
			if e.Level != abi.LevelGlobal {
				return 0
			}
			return e.Op
		}
		i := resolve(&d.instances, object, abi.LevelInstance)
		if i == nil || e.Level == abi.LevelGlobal || !i.offers(e) {
			return 0
		}
		return e.Op
	case ScopePhysicalDevice:
		if e.Level != abi.LevelPhysicalDevice {
			return 0
		}
		if i := resolve(&d.instances, object, abi.LevelInstance); i != nil && !i.offers(e) {
			return 0
		}
		return e.Op
	case ScopeDevice:
		dev := resolve(&d.devices, object, abi.LevelDevice)
		if dev == nil || !dev.offers(e) {
			return 0
		}
		return e.Op
	}
	return 0
}

// offers says whether the instance has an entry point: of its version, of an
// extension enabled, or of a device extension that is available.
func (i *Instance) offers(e *abi.EntryPoint) bool {
	if e.Version != 0 && e.Version <= max(i.apiVersion, vk.ApiVersion1_0) {
		return true
	}
	for x := range strings.SplitSeq(e.Extensions, " ") {
		if i.extensions[x] || x != "" && findExtension(i.driver.deviceExtensions, x) != nil {
			return true
		}
	}
	return false
}

// offers says whether the device has an entry point: called on the device or
// its children, and of its version or of an extension enabled.
func (d *Device) offers(e *abi.EntryPoint) bool {
	switch e.Level {
	case abi.LevelDevice, abi.LevelQueue, abi.LevelCommandBuffer, abi.LevelRecorder:
	case abi.LevelGlobal, abi.LevelInstance, abi.LevelPhysicalDevice:
		return false
	}
	if e.Version != 0 && e.Version <= max(d.instance.apiVersion, vk.ApiVersion1_0) {
		return true
	}
	for x := range strings.SplitSeq(e.Extensions, " ") {
		if d.extensions[x] || d.instance.extensions[x] {
			return true
		}
	}
	return false
}
