package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// GetPhysicalDeviceToolProperties is vkGetPhysicalDeviceToolProperties: the driver
// itself is no tool, and layers add themselves.
func (p *PhysicalDevice) GetPhysicalDeviceToolProperties(a *abi.GetPhysicalDeviceToolPropertiesArgs) vk.Result {
	return abi.Enumerate(a.PToolCount, a.PToolProperties, nil)
}
