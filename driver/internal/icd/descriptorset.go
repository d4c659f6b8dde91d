package icd

import (
	"sync"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// DescriptorPool is a VkDescriptorPool. Its memory is the Go heap's: the pool
// counts, so that its sizes are honoured.
type DescriptorPool struct {
	flags vk.DescriptorPoolCreateFlags

	mu   sync.Mutex
	sets map[abi.DescriptorSet]*DescriptorSet
	max  uint32                       // sets
	left map[vk.DescriptorType]uint32 // descriptors, or bytes of inline uniform blocks
}

// DescriptorSet is a VkDescriptorSet.
type DescriptorSet struct {
	core   *core.DescriptorSet
	layout *DescriptorSetLayout
	pool   *DescriptorPool
}

// UpdateTemplate is a VkDescriptorUpdateTemplate.
type UpdateTemplate struct {
	kind    vk.DescriptorUpdateTemplateType
	layout  *PipelineLayout // of push descriptors
	set     uint32          // likewise
	point   vk.PipelineBindPoint
	entries []vk.DescriptorUpdateTemplateEntry
}
