package icd

import (
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

func (f *fixture) address(b abi.Buffer) uint64 {
	a := abi.GetBufferDeviceAddressArgs{Device: f.device, PInfo: &abi.BufferDeviceAddressInfo{Buffer: b}}
	call(f, abi.OpGetBufferDeviceAddress, &a)
	return a.Ret
}

func TestBufferDeviceAddress_OfBuffersThatHaveOne(t *testing.T) {
	f := newTest(t)
	a, b := f.bound(256, vk.BufferUsageShaderDeviceAddressBit), f.bound(256, vk.BufferUsageShaderDeviceAddressBit)
	if x, y := f.address(a), f.address(b); x == 0 || y == 0 || x == y || x != f.address(a) {
		t.Errorf("addresses %#x and %#x", x, y)
	}
	if x := f.address(f.bound(256, vk.BufferUsageStorageBufferBit)); x != 0 {
		t.Errorf("address %#x of a buffer without the usage", x)
	}
	if x := f.address(0xDEAD); x != 0 {
		t.Errorf("address %#x of nothing", x)
	}
}

func TestBufferDeviceAddress_ReplayOnlyWhereFree(t *testing.T) {
	f := newTest(t)
	again := func(at uint64) vk.Result {
		o := &abi.BufferOpaqueCaptureAddressCreateInfo{OpaqueCaptureAddress: at}
		o.SType = o.StructureType()
		var h abi.Buffer
		a := abi.CreateBufferArgs{Device: f.device, PBuffer: &h, PCreateInfo: &abi.BufferCreateInfo{
			PNext: unsafe.Pointer(o), Flags: vk.BufferCreateDeviceAddressCaptureReplayBit, Size: 256, Usage: vk.BufferUsageShaderDeviceAddressBit}}
		f.pin.Pin(o)
		call(f, abi.OpCreateBuffer, &a)
		if (h == 0) != (a.Ret != vk.Success) {
			t.Errorf("handle %#x with %v", h, a.Ret)
		}
		return a.Ret
	}
	const at = 1<<46 + 1<<20
	want(t, "a free address", again(at), vk.Success)
	want(t, "the same again", again(at), vk.ErrorInvalidOpaqueCaptureAddress)
}
