package core

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// Descriptor heaps (VK_EXT_descriptor_heap) are memory that holds descriptors, in the form of
// descriptormemory.go. Shaders name them by bytes of a heap, or by sets and bindings that a pipeline maps to such.
// Nothing of a heap is reserved here.

const (
	// MaxSamplerHeapBytes and MaxResourceHeapBytes bound heaps: 4,096 samplers, and what the specification asks for.
	MaxSamplerHeapBytes  = 1 << 12 * DescriptorBytes
	MaxResourceHeapBytes = (1<<20 - 1<<15) * DescriptorBytes
	// HeapAlignment is that of the addresses of heaps.
	HeapAlignment = DescriptorAlignment
)

// A pointer to a buffer of a heap has room for the number of its descriptor, and for one that is none.
const _ = uint(ir.PointerMaxElement - MaxResourceHeapBytes/DescriptorBytes)

// HeapKind is one of the two heaps.
type HeapKind uint32

// The heaps.
const (
	ResourceHeap HeapKind = iota
	SamplerHeap
	heapKinds
)

// heapRange is the memory of a heap.
type heapRange struct{ address, size uint64 }

// HeapMapping says what backs resources of a shader that have sets and bindings
// (VkDescriptorSetAndBindingMappingEXT).
type HeapMapping struct {
	Set, First, Count uint32 // Count bindings from First on
	Types             vk.SpirvResourceTypeFlagsEXT
	Source            vk.DescriptorMappingSourceEXT
	// Resource is where the descriptor or the data is. Sampler is where the sampler of a combined image
	// sampler is, unless Embedded or the upper 12 bits of Resource's index (Packed) name it.
	Resource, Sampler HeapPlace
	Packed            bool
	Embedded          *Sampler // nil: none
}

// HeapPlace is a place in a heap, or in push data. Which members count the source says.
type HeapPlace struct {
	Offset      uint32 // in the heap, bytes
	Push        uint32 // of an index, an offset or an address in push data, bytes
	Address     uint32 // of an index or an address behind the address in push data, bytes
	IndexStride uint32 // bytes, times the index
	ArrayStride uint32 // bytes, times binding and element
}

// mappedTypes are the SPIR-V types that a resource may count as. Input attachments are images that
// nobody writes, whether their variables say so or not, and compilers declare uniform texel buffers as combined with
// a sampler.
func mappedTypes(r *ir.Resource) vk.SpirvResourceTypeFlagsEXT {
	switch r.Kind {
	case ir.Sampler:
		return vk.SpirvResourceTypeSamplerBitEXT
	case ir.SampledImage:
		return vk.SpirvResourceTypeSampledImageBitEXT
	case ir.UniformTexelBuffer:
		return vk.SpirvResourceTypeSampledImageBitEXT | vk.SpirvResourceTypeCombinedSampledImageBitEXT
	case ir.CombinedImageSampler:
		return vk.SpirvResourceTypeCombinedSampledImageBitEXT
	case ir.InputAttachment:
		return vk.SpirvResourceTypeReadOnlyImageBitEXT | vk.SpirvResourceTypeReadWriteImageBitEXT
	case ir.UniformBuffer:
		return vk.SpirvResourceTypeUniformBufferBitEXT
	case ir.StorageImage, ir.StorageTexelBuffer:
		if r.ReadOnly {
			return vk.SpirvResourceTypeReadOnlyImageBitEXT
		}
		return vk.SpirvResourceTypeReadWriteImageBitEXT
	case ir.StorageBuffer:
		if r.ReadOnly {
			return vk.SpirvResourceTypeReadOnlyStorageBufferBitEXT
		}
		return vk.SpirvResourceTypeReadWriteStorageBufferBitEXT
	}
	return 0
}

// covers tells that a resource is mapped by m.
func (m *HeapMapping) covers(r *ir.Resource) bool {
	return m.Set == r.Set && r.Binding >= m.First && r.Binding-m.First < m.Count && m.Types&mappedTypes(r) != 0
}

// setMappings finds what backs the resources of the pipeline's programs, whose shaders are stages.
func (p *Pipeline) setMappings(op Op, stages []stageJob) (err error) {
	p.mapped = make([][]HeapMapping, len(p.programs))
	for i, prog := range p.programs {
		if p.mapped[i], err = p.dev.mapResources(op, prog, stages[i].stage.Mappings); err != nil {
			return err
		}
	}
	return nil
}

// mapResources finds what backs the resources of a program, one by one. Those that need no mapping have the zero one.
func (d *Device) mapResources(op Op, prog *ir.Program, list []HeapMapping) ([]HeapMapping, error) {
	if prog.PushBytes > MaxPushBytes {
		return nil, d.misuse(op, "VkPushDataInfoEXT-offset-11243", "", "%d bytes of push data; %d is the limit", prog.PushBytes, MaxPushBytes)
	}
	out := make([]HeapMapping, len(prog.Resources))
	for k := range prog.Resources {
		r := &prog.Resources[k]
		if r.Kind == ir.TileImage || r.Heap {
			continue
		}
		at := slices.IndexFunc(list, func(m HeapMapping) bool { return m.covers(r) })
		if at < 0 {
			return nil, d.misuse(op, "VkComputePipelineCreateInfo-flags-11312", "map its set and binding", "%s (set %d, binding %d) of the %s shader has no mapping", r.Name, r.Set, r.Binding, stageName(prog.Stage))
		}
		if err := d.checkMapping(op, &list[at], r); err != nil {
			return nil, err
		}
		out[k] = list[at].of(r)
	}
	return out, nil
}

// of is the mapping for r alone, without what does not count for it.
func (m *HeapMapping) of(r *ir.Resource) HeapMapping {
	out := *m
	out.Count, out.Types = r.Binding-m.First+1, mappedTypes(r)
	switch combined := r.Kind == ir.CombinedImageSampler; {
	case !combined || m.Embedded != nil:
		out.Sampler, out.Packed = HeapPlace{}, m.Packed && combined
	case m.Packed:
		out.Sampler.Push, out.Sampler.Address = m.Resource.Push, m.Resource.Address
	}
	switch r.Kind {
	case ir.CombinedImageSampler:
	case ir.Sampler:
		if m.Embedded != nil {
			out.Resource = HeapPlace{}
		}
	default:
		out.Embedded = nil
	}
	return out
}

// checkMapping checks what a mapping reads of push data, and that resource r can be backed so.
func (d *Device) checkMapping(op Op, m *HeapMapping, r *ir.Resource) error {
	wrong := func(rule, with string) error {
		return d.misuse(op, "VkPipelineShaderStageCreateInfo-pNext-"+rule, "", "%s (set %d, binding %d) is backed by %s", r.Name, r.Set, r.Binding, with)
	}
	if m.indexed() && r.Kind == ir.CombinedImageSampler && m.Embedded == nil && !m.Packed {
		if err := d.checkPlace(op, m.Source, m.Sampler); err != nil {
			return err
		}
	}
	switch m.Source {
	case vk.DescriptorMappingSourceHeapWithConstantOffsetEXT, vk.DescriptorMappingSourceHeapWithPushIndexEXT,
		vk.DescriptorMappingSourceHeapWithIndirectIndexEXT, vk.DescriptorMappingSourceHeapWithIndirectIndexArrayEXT:
	case vk.DescriptorMappingSourceResourceHeapDataEXT, vk.DescriptorMappingSourcePushDataEXT:
		if r.Kind != ir.UniformBuffer {
			return wrong("11315", "data, and no uniform buffer")
		}
	case vk.DescriptorMappingSourcePushAddressEXT, vk.DescriptorMappingSourceIndirectAddressEXT:
		if r.Kind != ir.UniformBuffer && r.Kind != ir.StorageBuffer {
			return wrong("11318", "an address, and no buffer")
		}
	default: // of ray tracing
		return d.unsupported(op, "VkDescriptorSetAndBindingMappingEXT-source-parameter", "", "mapping source %v", m.Source)
	}
	return d.checkPlace(op, m.Source, m.Resource)
}

// indexed tells that an index from push data leads to a descriptor.
func (m *HeapMapping) indexed() bool {
	return m.Source == vk.DescriptorMappingSourceHeapWithPushIndexEXT || m.Source == vk.DescriptorMappingSourceHeapWithIndirectIndexEXT || m.Source == vk.DescriptorMappingSourceHeapWithIndirectIndexArrayEXT
}

// checkPlace checks the offsets into push data, and from an address there.
func (d *Device) checkPlace(op Op, source vk.DescriptorMappingSourceEXT, x HeapPlace) error {
	bytes, step := uint32(4), uint32(4) // that are read of push data; of offsets from the address
	switch source {
	case vk.DescriptorMappingSourceHeapWithConstantOffsetEXT:
		return nil
	case vk.DescriptorMappingSourceHeapWithIndirectIndexEXT, vk.DescriptorMappingSourceHeapWithIndirectIndexArrayEXT, vk.DescriptorMappingSourcePushAddressEXT:
		bytes = 8
	case vk.DescriptorMappingSourceIndirectAddressEXT:
		bytes, step = 8, 8
	}
	switch {
	case x.Push%bytes != 0 || x.Push > MaxPushBytes-bytes:
		return d.misuse(op, "VkDescriptorMappingSourcePushIndexEXT-pushOffset-11259", "", "push data at offset %d; a multiple of %d up to %d is needed", x.Push, bytes, MaxPushBytes-bytes)
	case x.Address%step != 0:
		return d.misuse(op, "VkDescriptorMappingSourceIndirectIndexEXT-addressOffset-11262", "", "offset %d from an address is no multiple of %d", x.Address, step)
	}
	return nil
}

// BindHeap binds a heap by its address: size bytes, of which reserved from an offset on are left alone
// (vkCmdBindSamplerHeapEXT, vkCmdBindResourceHeapEXT).
func (c *CommandBuffer) BindHeap(op Op, kind HeapKind, address, size, offset, reserved uint64) {
	limit, rule, rules := uint64(MaxResourceHeapBytes), "vkCmdBindResourceHeapEXT-pBindInfo-", [...]string{"11232", "11234", "11235"}
	if kind == SamplerHeap {
		limit, rule, rules = MaxSamplerHeapBytes, "vkCmdBindSamplerHeapEXT-pBindInfo-", [...]string{"11223", "11225", "11226"}
	}
	switch {
	case !c.ok(op, 0):
	case offset > size || reserved > size-offset:
		c.misuse(op, rule+rules[0], "", "%d bytes at offset %d are reserved of %d", reserved, offset, size)
	case size > limit:
		c.misuse(op, rule+rules[1], "", "a heap of %d bytes; %d is the limit", size, limit)
	case address%HeapAlignment != 0:
		c.misuse(op, rule+rules[2], "", "address %#x is no multiple of %d", address, HeapAlignment)
	default:
		c.emit(opBindHeap, uint32(kind), lo(address), hi(address), lo(size), hi(size))
	}
}

// PushData writes push data, which are the push constants of shaders that use heaps (vkCmdPushDataEXT).
func (c *CommandBuffer) PushData(op Op, offset uint32, data []byte) {
	switch {
	case !c.ok(op, 0):
	case offset%4 != 0:
		c.misuse(op, "VkPushDataInfoEXT-offset-11418", "", "offset %d is no multiple of 4", offset)
	case len(data)%4 != 0:
		c.misuse(op, "VkPushDataInfoEXT-data-11419", "", "%d bytes; a multiple of 4 is needed", len(data))
	case uint64(offset)+uint64(len(data)) > MaxPushBytes:
		c.misuse(op, "VkPushDataInfoEXT-offset-11243", "use a buffer", "%d bytes at offset %d; %d is the limit", len(data), offset, MaxPushBytes)
	default:
		c.pushWords(offset, data)
	}
}
