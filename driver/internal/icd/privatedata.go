package icd

import (
	"sync"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// PrivateDataSlot is a VkPrivateDataSlot: a number for each object that it was
// set for.
type PrivateDataSlot struct {
	mu     sync.Mutex
	values map[privateKey]uint64
}

// privateKey names an object for all time: handles carry generations.
type privateKey struct {
	kind   vk.ObjectType
	object uint64
}

// CreatePrivateDataSlot is vkCreatePrivateDataSlot.
func (d *Device) CreatePrivateDataSlot(a *abi.CreatePrivateDataSlotArgs) vk.Result {
	return created(&d.privateDataSlots, a.PPrivateDataSlot, &PrivateDataSlot{values: map[privateKey]uint64{}}, nil)
}

// DestroyPrivateDataSlot is vkDestroyPrivateDataSlot.
func (d *Device) DestroyPrivateDataSlot(a *abi.DestroyPrivateDataSlotArgs) {
	d.privateDataSlots.Take(uint64(a.PrivateDataSlot))
}

// SetPrivateData is vkSetPrivateData.
func (d *Device) SetPrivateData(a *abi.SetPrivateDataArgs) vk.Result {
	s := lookup(&d.privateDataSlots, a.PrivateDataSlot)
	if s == nil {
		return vk.ErrorValidationFailed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[keyOf(a.ObjectType, a.ObjectHandle)] = a.Data
	return vk.Success
}

// GetPrivateData is vkGetPrivateData: 0 for objects it was not set for.
func (d *Device) GetPrivateData(a *abi.GetPrivateDataArgs) {
	*a.PData = 0
	if s := lookup(&d.privateDataSlots, a.PrivateDataSlot); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		*a.PData = s.values[keyOf(a.ObjectType, a.ObjectHandle)]
	}
}

// keyOf takes the pool's handle of dispatchable objects, because their memory is
// used again.
func keyOf(t vk.ObjectType, h uint64) privateKey {
	switch t {
	case vk.ObjectTypeInstance, vk.ObjectTypePhysicalDevice, vk.ObjectTypeDevice, vk.ObjectTypeQueue, vk.ObjectTypeCommandBuffer:
		if p := *(*unsafe.Pointer)(unsafe.Pointer(&h)); p != nil {
			h = (*abi.Dispatchable)(p).ID
		}
	default:
	}
	return privateKey{t, h}
}
