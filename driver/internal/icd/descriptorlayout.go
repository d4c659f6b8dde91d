package icd

import (
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// DescriptorSetLayout is a VkDescriptorSetLayout.
type DescriptorSetLayout struct {
	core     *core.DescriptorSetLayout
	flags    vk.DescriptorSetLayoutCreateFlags
	bindings []core.Binding // in ascending order
	dynamic  int            // descriptors that take a dynamic offset
}
