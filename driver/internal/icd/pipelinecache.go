package icd

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// shaderKey names a compiled shader by all that its code depends on.
type shaderKey [32]byte

// PipelineCache is a VkPipelineCache. Compiled shaders live in the device; the
// cache lists those that pipelines made with it use, so that it can be kept,
// merged and asked for hits.
type PipelineCache struct {
	mu   sync.Mutex
	keys map[shaderKey]struct{}
}

// maxCacheKeys bounds a cache: 2 MiB of data.
const maxCacheKeys = 1 << 16

// add notes shaders and says whether all were there.
func (c *PipelineCache) add(keys []shaderKey) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	hit := true
	for _, k := range keys {
		if _, ok := c.keys[k]; !ok {
			hit = false
			if len(c.keys) < maxCacheKeys {
				c.keys[k] = struct{}{}
			}
		}
	}
	return hit
}

// list returns the keys in order.
func (c *PipelineCache) list() []shaderKey {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]shaderKey, 0, len(c.keys))
	for k := range c.keys {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b shaderKey) int { return slices.Compare(a[:], b[:]) })
	return out
}

// CreatePipelineCache is vkCreatePipelineCache. Data of other drivers and broken
// data make an empty cache.
func (d *Device) CreatePipelineCache(a *abi.CreatePipelineCacheArgs) vk.Result {
	i := a.PCreateInfo
	c := &PipelineCache{keys: map[shaderKey]struct{}{}}
	if i.PInitialData != nil {
		data := unsafe.Slice((*byte)(i.PInitialData), min(i.InitialDataSize, 1<<30))
		const head = pipelineCacheHeaderBytes
		if len(data) >= head && slices.Equal(data[:head], pipelineCacheHeader()) && (len(data)-head)%len(shaderKey{}) == 0 {
			for k := range slices.Chunk(data[head:], len(shaderKey{})) {
				c.add([]shaderKey{shaderKey(k)})
			}
		}
	}
	return created(&d.pipelineCaches, a.PPipelineCache, c, nil)
}

// DestroyPipelineCache is vkDestroyPipelineCache.
func (d *Device) DestroyPipelineCache(a *abi.DestroyPipelineCacheArgs) {
	d.pipelineCaches.Take(uint64(a.PipelineCache))
}

// GetPipelineCacheData is vkGetPipelineCacheData. What does not fit is left out;
// what is there is a valid cache.
func (d *Device) GetPipelineCacheData(a *abi.GetPipelineCacheDataArgs) vk.Result {
	c := lookup(&d.pipelineCaches, a.PipelineCache)
	if c == nil {
		*a.PDataSize = 0
		return vk.ErrorValidationFailed
	}
	data, keys := pipelineCacheHeader(), c.list()
	size := uint64(len(data) + len(keys)*len(shaderKey{}))
	if a.PData == nil {
		*a.PDataSize = size
		return vk.Success
	}
	room := *a.PDataSize
	*a.PDataSize = 0
	if room < uint64(len(data)) {
		return vk.Incomplete
	}
	out := unsafe.Slice((*byte)(a.PData), min(room, size))
	n := copy(out, data)
	for _, k := range keys {
		if len(out)-n < len(k) {
			break
		}
		n += copy(out[n:], k[:])
	}
	*a.PDataSize = uint64(n)
	if uint64(n) < size {
		return vk.Incomplete
	}
	return vk.Success
}

// MergePipelineCaches is vkMergePipelineCaches.
func (d *Device) MergePipelineCaches(a *abi.MergePipelineCachesArgs) vk.Result {
	dst := lookup(&d.pipelineCaches, a.DstCache)
	if dst == nil {
		return vk.ErrorValidationFailed
	}
	for _, h := range abi.Slice(a.PSrcCaches, a.SrcCacheCount) {
		if src := lookup(&d.pipelineCaches, h); src != nil && src != dst {
			dst.add(src.list())
		}
	}
	return vk.Success
}
