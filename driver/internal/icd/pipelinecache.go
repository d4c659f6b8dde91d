package icd

// PipelineCache is a VkPipelineCache.
type PipelineCache struct{}
