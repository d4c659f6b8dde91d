package icd

import (
	"maps"
	"sync"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// DescriptorPool is a VkDescriptorPool. Sets have their memory from the Go heap: the pool counts, so that it ends somewhere, and a
// program that makes a new one then, or empties it, does. When it ends before maxSets is left to us. Drivers whose pools
// are a piece of memory have descriptors of all types together and round up, and there are programs that take one type for
// another, or two sets out of a pool for one: so the pool counts all types together, and has twice of what was asked for.
type DescriptorPool struct {
	device *Device

	mu       sync.Mutex
	sets     map[abi.DescriptorSet]struct{}
	maxSets  uint32
	capacity poolRoom
	used     poolRoom
}

// poolRoom is what sets take of a pool: descriptors of any type, and the bytes of inline uniform blocks.
type poolRoom struct{ descriptors, inline uint64 }

// add adds n descriptors of a type.
func (r *poolRoom) add(t vk.DescriptorType, n uint64) {
	if t == vk.DescriptorTypeInlineUniformBlock {
		r.inline += n
		return
	}
	r.descriptors += n
}

// less takes x away.
func (r *poolRoom) less(x poolRoom) {
	r.descriptors -= x.descriptors
	r.inline -= x.inline
}

// fits says that more goes into what is left of a pool.
func (p *DescriptorPool) fits(more poolRoom) bool {
	return more.descriptors <= p.capacity.descriptors-p.used.descriptors && more.inline <= p.capacity.inline-p.used.inline
}

// DescriptorSet is a VkDescriptorSet.
type DescriptorSet struct {
	core   *core.DescriptorSet
	layout *DescriptorSetLayout
	pool   *DescriptorPool
	takes  poolRoom
}

// CreateDescriptorPool is vkCreateDescriptorPool.
func (d *Device) CreateDescriptorPool(a *abi.CreateDescriptorPoolArgs) vk.Result {
	i := a.PCreateInfo
	p := &DescriptorPool{device: d, maxSets: i.MaxSets, sets: map[abi.DescriptorSet]struct{}{}}
	for _, s := range abi.Slice(i.PPoolSizes, i.PoolSizeCount) {
		p.capacity.add(s.Type, 2*uint64(s.DescriptorCount))
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
		p.used.less(s.takes)
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
	s := &DescriptorSet{layout: l, pool: p}
	for _, b := range l.bindings {
		n := b.Count
		if b.Flags&vk.DescriptorBindingVariableDescriptorCountBit != 0 {
			n = min(n, variable)
		}
		s.takes.add(b.Type, uint64(n))
	}
	if !p.fits(s.takes) {
		return 0, vk.ErrorOutOfPoolMemory
	}
	if memory.HeapShort(int64(s.takes.descriptors+s.takes.inline) * descriptorHeap) {
		return 0, vk.ErrorOutOfHostMemory
	}
	var err error
	if s.core, err = p.device.core.NewVariableDescriptorSet(l.core, variable, ""); err != nil {
		return 0, result(err)
	}
	handle := p.device.descriptorSets.Put(s)
	if handle == 0 {
		_ = s.core.Close()
		return 0, vk.ErrorOutOfPoolMemory
	}
	p.used.descriptors += s.takes.descriptors
	p.used.inline += s.takes.inline
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
