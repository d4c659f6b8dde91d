// Package icd is the Vulkan driver behind the C front: it turns C structs into
// calls of package core, handles into objects and errors into VkResult.
//
// An entry point is a method of the object it is called on, named like it:
//
//	func (d *Device) CreateBuffer(a *abi.CreateBufferArgs) vk.Result
//
// and exists for applications as soon as the method does. The types with such
// methods are Driver (global entry points), Instance, PhysicalDevice, Device,
// Queue, CommandBuffer, and Recorder for vkCmd*, which are decoded from the
// memory into which the C encoder has recorded them.
package icd
