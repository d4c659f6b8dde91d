package icd

import (
	"fmt"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// Messengers hear which device addresses are whose (VK_EXT_device_address_binding_report). Addresses belong to
// buffers alone, so no other object has some to tell of. With the feature, a buffer that can have addresses has them
// from its binding on.

// addressBound tells that a buffer's addresses have become bytes: when it was bound, or while a sparse one is made, of
// which the application knows nothing yet.
//
// features-reportAddressBinding
func (d *Device) addressBound(b *Buffer, handle abi.Buffer, flags vk.DeviceAddressBindingFlagsEXT) {
	if !d.enabled["reportAddressBinding"] || b.address != 0 || !b.core.Bound() || !b.core.Addressable() {
		return
	}
	address, err := b.core.DeviceAddress()
	if err != nil {
		return // core has told why
	}
	b.address = address
	d.tellAddress(b, handle, vk.DeviceAddressBindingTypeBindEXT, flags)
}

// addressUnbound tells that nothing is behind a buffer's addresses any more, if addressBound has told of them.
func (d *Device) addressUnbound(b *Buffer, handle abi.Buffer) {
	if b.address != 0 {
		d.tellAddress(b, handle, vk.DeviceAddressBindingTypeUnbindEXT, 0)
	}
}

func (d *Device) tellAddress(b *Buffer, handle abi.Buffer, kind vk.DeviceAddressBindingTypeEXT, flags vk.DeviceAddressBindingFlagsEXT) {
	binding := &abi.DeviceAddressBindingCallbackDataEXT{Flags: flags, BaseAddress: b.address, Size: b.core.Size(), BindingType: kind}
	binding.SType = binding.StructureType()
	object := &abi.DebugUtilsObjectNameInfoEXT{ObjectType: vk.ObjectTypeBuffer, ObjectHandle: uint64(handle)}
	object.SType = object.StructureType()
	what := "bound"
	if kind == vk.DeviceAddressBindingTypeUnbindEXT {
		what = "unbound"
	}
	d.instance.say(vk.DebugUtilsMessageSeverityInfoBitEXT, vk.DebugUtilsMessageTypeDeviceAddressBindingBitEXT, "address binding",
		fmt.Sprintf("device addresses %#x to %#x are %s", b.address, b.address+b.core.Size(), what), unsafe.Pointer(binding), object)
}
