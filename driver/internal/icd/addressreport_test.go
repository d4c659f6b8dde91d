package icd

import (
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// Messengers hear when a buffer's addresses are bound and when they are not any more, once each, if the device has the
// feature: of a sparse buffer before the application has its handle.
func TestAddressReport(t *testing.T) {
	f := newTest(t)
	type event struct {
		abi.DeviceAddressBindingCallbackDataEXT
		object uint64
	}
	var heard []event
	f.driver.cfg.Message = func(function uintptr, severity vk.DebugUtilsMessageSeverityFlagsEXT, types vk.DebugUtilsMessageTypeFlagsEXT, data, _ unsafe.Pointer) {
		d := (*abi.DebugUtilsMessengerCallbackDataEXT)(data)
		e := event{*(*abi.DeviceAddressBindingCallbackDataEXT)(d.PNext), d.PObjects.ObjectHandle}
		if function != 7 || severity != vk.DebugUtilsMessageSeverityInfoBitEXT || types != vk.DebugUtilsMessageTypeDeviceAddressBindingBitEXT ||
			e.SType != e.StructureType() || e.PNext != nil || d.ObjectCount != 1 || d.PObjects.ObjectType != vk.ObjectTypeBuffer || d.PObjects.SType != d.PObjects.StructureType() {
			t.Errorf("severity %v of %v: %+v of %d objects", severity, types, e, d.ObjectCount)
		}
		heard = append(heard, e)
	}
	var m abi.DebugUtilsMessengerEXT
	messenger := abi.CreateDebugUtilsMessengerEXTArgs{Instance: f.instance, PMessenger: &m, PCreateInfo: &abi.DebugUtilsMessengerCreateInfoEXT{
		MessageSeverity: vk.DebugUtilsMessageSeverityInfoBitEXT, MessageType: vk.DebugUtilsMessageTypeDeviceAddressBindingBitEXT, PfnUserCallback: 7,
	}}
	call(f, abi.OpCreateDebugUtilsMessengerEXT, &messenger)

	buffer := func(flags vk.BufferCreateFlags, usage vk.BufferUsageFlags) (h abi.Buffer) {
		t.Helper()
		create := abi.CreateBufferArgs{Device: f.device, PBuffer: &h, PCreateInfo: &abi.BufferCreateInfo{Flags: flags, Size: 5000, Usage: usage | vk.BufferUsageTransferDstBit}}
		call(f, abi.OpCreateBuffer, &create)
		want(t, "vkCreateBuffer", create.Ret, vk.Success)
		return h
	}
	bind := func(h abi.Buffer) {
		t.Helper()
		m, _ := f.memory(8192)
		a := abi.BindBufferMemoryArgs{Device: f.device, Buffer: h, Memory: m}
		call(f, abi.OpBindBufferMemory, &a)
		want(t, "vkBindBufferMemory", a.Ret, vk.Success)
	}
	destroy := func(h abi.Buffer) {
		call(f, abi.OpDestroyBuffer, &abi.DestroyBufferArgs{Device: f.device, Buffer: h})
	}
	addressed := func(h abi.Buffer) uint64 {
		a := abi.GetBufferDeviceAddressArgs{Device: f.device, PInfo: &abi.BufferDeviceAddressInfo{Buffer: h}}
		call(f, abi.OpGetBufferDeviceAddress, &a)
		return a.Ret
	}
	const address = vk.BufferUsageShaderDeviceAddressBit
	quiet := buffer(0, address)
	bind(quiet)
	destroy(quiet)
	if len(heard) != 0 {
		t.Fatalf("without the feature: %+v", heard)
	}

	on := &abi.PhysicalDeviceAddressBindingReportFeaturesEXT{ReportAddressBinding: 1}
	features := coreFeatures()
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
	f.device = f.openChain(&features, chained(f, on, on.StructureType()))
	check := func(what string, h abi.Buffer, kind vk.DeviceAddressBindingTypeEXT, flags vk.DeviceAddressBindingFlagsEXT, at uint64) {
		t.Helper()
		if len(heard) != 1 {
			t.Fatalf("%s: heard %+v", what, heard)
		}
		if e := heard[0]; e.object != uint64(h) || e.BindingType != kind || e.Flags != flags || e.BaseAddress != at || at == 0 || e.Size != 5000 {
			t.Errorf("%s: %+v, want address %#x of object %#x", what, e, at, h)
		}
		heard = nil
	}
	const bound, unbound = vk.DeviceAddressBindingTypeBindEXT, vk.DeviceAddressBindingTypeUnbindEXT
	a, plain := buffer(0, address), buffer(0, 0)
	bind(plain)
	if len(heard) != 0 {
		t.Fatalf("before a binding: %+v", heard)
	}
	bind(a)
	at := addressed(a)
	check("bound", a, bound, 0, at)
	destroy(plain)
	destroy(a)
	check("destroyed", a, unbound, 0, at)
	if features.SparseBinding == 0 {
		return
	}
	s := buffer(vk.BufferCreateSparseBindingBit, address)
	check("sparse", s, bound, vk.DeviceAddressBindingInternalObjectBitEXT, addressed(s))
	at = addressed(s)
	destroy(s)
	check("sparse, destroyed", s, unbound, 0, at)
}
