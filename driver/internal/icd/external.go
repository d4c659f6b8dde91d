package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// Nothing can be shared with other processes or drivers by handle. To say so is
// part of Vulkan 1.1.

// GetPhysicalDeviceExternalBufferProperties is
// vkGetPhysicalDeviceExternalBufferProperties. A handle type is compatible with
// itself at least.
func (p *PhysicalDevice) GetPhysicalDeviceExternalBufferProperties(a *abi.GetPhysicalDeviceExternalBufferPropertiesArgs) {
	a.PExternalBufferProperties.ExternalMemoryProperties = abi.ExternalMemoryProperties{
		CompatibleHandleTypes: a.PExternalBufferInfo.HandleType,
	}
}

// GetPhysicalDeviceExternalFenceProperties is
// vkGetPhysicalDeviceExternalFenceProperties.
func (p *PhysicalDevice) GetPhysicalDeviceExternalFenceProperties(a *abi.GetPhysicalDeviceExternalFencePropertiesArgs) {
	o := a.PExternalFenceProperties
	o.ExportFromImportedHandleTypes, o.CompatibleHandleTypes, o.ExternalFenceFeatures = 0, 0, 0
}

// GetPhysicalDeviceExternalSemaphoreProperties is
// vkGetPhysicalDeviceExternalSemaphoreProperties.
func (p *PhysicalDevice) GetPhysicalDeviceExternalSemaphoreProperties(a *abi.GetPhysicalDeviceExternalSemaphorePropertiesArgs) {
	o := a.PExternalSemaphoreProperties
	o.ExportFromImportedHandleTypes, o.CompatibleHandleTypes, o.ExternalSemaphoreFeatures = 0, 0, 0
}

// GetDeviceGroupPeerMemoryFeatures is vkGetDeviceGroupPeerMemoryFeatures. Groups
// have one device, which is no peer of its own; should it ask all the same, it
// may do everything.
func (d *Device) GetDeviceGroupPeerMemoryFeatures(a *abi.GetDeviceGroupPeerMemoryFeaturesArgs) {
	*a.PPeerMemoryFeatures = vk.PeerMemoryFeatureCopySrcBit | vk.PeerMemoryFeatureCopyDstBit |
		vk.PeerMemoryFeatureGenericSrcBit | vk.PeerMemoryFeatureGenericDstBit
}
