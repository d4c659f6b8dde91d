package icd

import (
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
