package icd

import (
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// objects are the non-dispatchable objects of a device, by handle.
type objects struct {
	buffers              Pool[Buffer]
	bufferViews          Pool[BufferView]
	images               Pool[Image]
	imageViews           Pool[ImageView]
	samplers             Pool[Sampler]
	shaderModules        Pool[ShaderModule]
	known                knownModules
	shaders              Pool[Shader]
	descriptorSetLayouts Pool[DescriptorSetLayout]
	descriptorPools      Pool[DescriptorPool]
	descriptorSets       Pool[DescriptorSet]
	updateTemplates      Pool[UpdateTemplate]
	pipelineLayouts      Pool[PipelineLayout]
	pipelineCaches       Pool[PipelineCache]
	pipelines            Pool[Pipeline]
	pipelineBinaries     Pool[PipelineBinary]
	renderPasses         Pool[RenderPass]
	framebuffers         Pool[Framebuffer]
	queryPools           Pool[QueryPool]
	events               Pool[Event]
	privateDataSlots     Pool[PrivateDataSlot]
	ycbcrConversions     Pool[YcbcrConversion]
	borderColors         borderColors
	indirectLayouts      Pool[IndirectCommandsLayout]
	executionSets        Pool[IndirectExecutionSet]
}

// lookup returns the object of a handle, nil if it leads nowhere.
func lookup[H ~uint64, T any](pool *Pool[T], h H) *T { return pool.Get(uint64(h)) }

// An object is one of package core's.
type object interface{ Close() error }

// destroy takes an object out of its pool and closes what it stands for.
func destroy[H ~uint64, T any](pool *Pool[T], h H, inner func(*T) object) {
	if v := pool.Take(uint64(h)); v != nil {
		_ = inner(v).Close() // waits for nothing and frees nothing that can fail
	}
}

// Buffer is a VkBuffer.
type Buffer struct {
	core    *core.Buffer
	address uint64 // as it was told; see addressBound
}

// BufferView is a VkBufferView.
type BufferView struct {
	core *core.BufferView
}

// Image is a VkImage.
type Image struct {
	core        *core.Image
	info        vk.ImageCreateInfo
	compression vk.ImageCompressionFlagsEXT // what it was asked for
	ordinal     int                         // see explaining.name
	external    bool                        // made for memory that is shared
}

// ImageView is a VkImageView.
type ImageView struct {
	core  *core.ImageView
	image *Image
}

// Sampler is a VkSampler.
type Sampler struct {
	core *core.Sampler
}

// ShaderModule is a VkShaderModule.
type ShaderModule struct {
	core *core.ShaderModule
	code []byte // of devices whose pipelines may have binaries
}

// PipelineLayout is a VkPipelineLayout. Set layouts may be destroyed before it.
type PipelineLayout struct {
	core *core.PipelineLayout
	sets []*DescriptorSetLayout // by set number; with a nil core where there is none
}

// Pipeline is a VkPipeline.
type Pipeline struct {
	core    *core.Pipeline // nil, of a library
	library *library       // nil, of a pipeline that can be bound
	point   vk.PipelineBindPoint
	kept    *stages // for binaries (CAPTURE_DATA), until they are released
}

// RenderPass is a VkRenderPass. Framebuffers and recorded commands may outlive
// it.
type RenderPass struct {
	core *core.RenderPass
}

// Framebuffer is a VkFramebuffer. Of an imageless one, the views come with
// VkRenderPassAttachmentBeginInfo.
type Framebuffer struct {
	views                 []*ImageView // by attachment
	imageless             bool
	width, height, layers uint32
}

// QueryPool is a VkQueryPool.
type QueryPool struct {
	core  *core.QueryPool
	kind  vk.QueryType
	count uint32
}

// Event is a VkEvent.
type Event struct {
	core *core.Event
}
