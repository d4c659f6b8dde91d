package icd

import (
	"maps"
	"sync"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// DescriptorPool is a VkDescriptorPool. Sets have their memory from the Go heap:
// the pool counts, so that its sizes are honoured.
type DescriptorPool struct {
	device *Device

	mu       sync.Mutex
	sets     map[abi.DescriptorSet]struct{}
	maxSets  uint32
	capacity map[vk.DescriptorType]uint64 // descriptors; bytes, of inline uniform blocks
	used     map[vk.DescriptorType]uint64
}

// DescriptorSet is a VkDescriptorSet.
type DescriptorSet struct {
	core   *core.DescriptorSet
	layout *DescriptorSetLayout
	pool   *DescriptorPool
	counts []uint64 // of layout.bindings, as the pool counts them
}

// CreateDescriptorPool is vkCreateDescriptorPool.
func (d *Device) CreateDescriptorPool(a *abi.CreateDescriptorPoolArgs) vk.Result {
	i := a.PCreateInfo
	p := &DescriptorPool{
		device: d, maxSets: i.MaxSets, sets: map[abi.DescriptorSet]struct{}{},
		capacity: map[vk.DescriptorType]uint64{}, used: map[vk.DescriptorType]uint64{},
	}
	for _, s := range abi.Slice(i.PPoolSizes, i.PoolSizeCount) {
		p.capacity[s.Type] += uint64(s.DescriptorCount)
	}
	return created(&d.descriptorPools, a.PDescriptorPool, p, nil)
}

// DestroyDescriptorPool is vkDestroyDescriptorPool.
func (d *Device) DestroyDescriptorPool(a *abi.DestroyDescriptorPoolArgs) {
	if p := d.descriptorPools.Take(uint64(a.DescriptorPool)); p != nil {
		p.reset()
	}
}

// ResetDescriptorPool is vkResetDescriptorPool.
func (d *Device) ResetDescriptorPool(a *abi.ResetDescriptorPoolArgs) vk.Result {
	p := lookup(&d.descriptorPools, a.DescriptorPool)
	if p == nil {
		return vk.ErrorValidationFailed
	}
	p.reset()
	return vk.Success
}

// reset frees all sets.
func (p *DescriptorPool) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free(maps.Keys(p.sets))
}

// free frees sets of the pool; the caller holds mu.
func (p *DescriptorPool) free(handles func(yield func(abi.DescriptorSet) bool)) {
	for h := range handles {
		if _, ours := p.sets[h]; !ours {
			continue
		}
		delete(p.sets, h)
		s := p.device.descriptorSets.Take(uint64(h))
		for n, b := range s.layout.bindings {
			p.used[b.Type] -= s.counts[n]
		}
		_ = s.core.Close() // it has nothing that freeing could fail on
	}
}

// AllocateDescriptorSets is vkAllocateDescriptorSets.
func (d *Device) AllocateDescriptorSets(a *abi.AllocateDescriptorSetsArgs) vk.Result {
	i := a.PAllocateInfo
	layouts := abi.Slice(i.PSetLayouts, i.DescriptorSetCount)
	out := abi.Slice(a.PDescriptorSets, i.DescriptorSetCount)
	clear(out)
	p := lookup(&d.descriptorPools, i.DescriptorPool)
	if p == nil || len(out) < len(layouts) {
		return vk.ErrorValidationFailed
	}
	var variable []uint32
	if v := abi.Find[abi.DescriptorSetVariableDescriptorCountAllocateInfo](i.PNext); v != nil {
		variable = abi.Slice(v.PDescriptorCounts, v.DescriptorSetCount)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for n, h := range layouts {
		count := uint32(0)
		if n < len(variable) {
			count = variable[n]
		}
		var r vk.Result
		if out[n], r = p.allocate(lookup(&d.descriptorSetLayouts, h), count); r != vk.Success {
			p.free(func(yield func(abi.DescriptorSet) bool) {
				for _, h := range out[:n] {
					yield(h)
				}
			})
			clear(out)
			return r
		}
	}
	return vk.Success
}

// allocate makes a set, whose binding of variable size gets variable descriptors;
// the caller holds mu.
func (p *DescriptorPool) allocate(l *DescriptorSetLayout, variable uint32) (abi.DescriptorSet, vk.Result) {
	if l == nil {
		return 0, vk.ErrorValidationFailed
	}
	if uint64(len(p.sets)) >= uint64(p.maxSets) {
		return 0, vk.ErrorOutOfPoolMemory
	}
	s := &DescriptorSet{layout: l, pool: p, counts: make([]uint64, len(l.bindings))}
	fits, descriptors := true, uint64(0)
	for n, b := range l.bindings {
		s.counts[n] = uint64(b.Count)
		if b.Flags&vk.DescriptorBindingVariableDescriptorCountBit != 0 {
			s.counts[n] = uint64(min(b.Count, variable))
		}
		p.used[b.Type] += s.counts[n]
		fits = fits && p.used[b.Type] <= p.capacity[b.Type]
		descriptors += s.counts[n]
	}
	var handle uint64
	var err error
	if fits && memory.HeapShort(int64(descriptors)*descriptorHeap) {
		err = vk.ErrorOutOfHostMemory
	} else if fits {
		if s.core, err = p.device.core.NewVariableDescriptorSet(l.core, variable, ""); err == nil {
			handle = p.device.descriptorSets.Put(s)
		}
	}
	if handle == 0 {
		for n, b := range l.bindings {
			p.used[b.Type] -= s.counts[n]
		}
		if err != nil {
			return 0, result(err)
		}
		return 0, vk.ErrorOutOfPoolMemory
	}
	p.sets[abi.DescriptorSet(handle)] = struct{}{}
	return abi.DescriptorSet(handle), vk.Success
}

// FreeDescriptorSets is vkFreeDescriptorSets.
func (d *Device) FreeDescriptorSets(a *abi.FreeDescriptorSetsArgs) vk.Result {
	p := lookup(&d.descriptorPools, a.DescriptorPool)
	if p == nil {
		return vk.Success
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free(func(yield func(abi.DescriptorSet) bool) {
		for _, h := range abi.Slice(a.PDescriptorSets, a.DescriptorSetCount) {
			yield(h)
		}
	})
	return vk.Success
}
