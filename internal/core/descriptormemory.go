package core

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/vk"
)

// Descriptors in memory (VK_EXT_descriptor_buffer, VK_EXT_descriptor_heap) have one size for all types, and say what they
// are:
//
//	0  type + 1, 32 bits; 0 is the null descriptor, which is all zero
//	4  checksum of the rest, 32 bits
//	8  number of the image view or the sampler, or device address
//	16 number of the sampler beside the view, or bytes from the address
//	24 format, of texel buffers
//
// A program may write anything there. What is no descriptor, of another type than its binding, or
// names something that is not there is the null descriptor, and of addresses no more is reached
// than lies in their buffer.

const (
	// DescriptorBytes is the size of a descriptor in memory.
	DescriptorBytes = spirv.DescriptorBytes
	// DescriptorAlignment is that of sets in memory, and of their bindings.
	DescriptorAlignment = spirv.DescriptorBytes
	// MaxDescriptorBuffers is how many descriptor buffers may be bound.
	MaxDescriptorBuffers = 32
)

// MemorySize is the size in bytes of sets of the layout that lie in memory. Bindings of variable
// count have their most elements.
func (l *DescriptorSetLayout) MemorySize() uint64 { return l.bytes }

// MemoryOffset is where a binding begins in such a set; false if there is no such.
func (l *DescriptorSetLayout) MemoryOffset(binding uint32) (uint64, bool) {
	if i := l.find(binding); i >= 0 {
		return l.offsets[i], true
	}
	return 0, false
}

// layOut decides where the bindings lie in memory.
func (l *DescriptorSetLayout) layOut() {
	l.offsets = make([]uint64, len(l.bindings))
	for i := range l.bindings {
		b := &l.bindings[i]
		l.offsets[i] = l.bytes
		n := uint64(b.Count)
		if b.Type != vk.DescriptorTypeInlineUniformBlock {
			n *= DescriptorBytes
		}
		l.bytes += alignUp(n, DescriptorAlignment)
	}
}

// MemoryDescriptor is what a descriptor in memory is made of. No view, no sampler and address 0
// make the null descriptor.
type MemoryDescriptor struct {
	Type           vk.DescriptorType
	View           *ImageView
	Sampler        *Sampler
	Address, Range uint64    // bytes
	Format         vk.Format // of texel buffers
}

// PutDescriptor writes the descriptor to the first DescriptorBytes of dst; after an error, the null
// descriptor.
func (d *Device) PutDescriptor(dst []byte, from MemoryDescriptor) error {
	const op Op = "vkGetDescriptorEXT"
	if err := d.usable(op); err != nil {
		return err
	}
	if len(dst) < DescriptorBytes {
		return d.misuse(op, "vkGetDescriptorEXT-dataSize-08125", "", "%d bytes for a descriptor of %d", len(dst), DescriptorBytes)
	}
	clear(dst[:DescriptorBytes])
	w := memoryWords{tag: uint32(from.Type) + 1}
	switch from.Type {
	case vk.DescriptorTypeSampler:
		if from.Sampler == nil {
			return d.misuse(op, "VkDescriptorGetInfoEXT-type-12220", "", "a sampler that does not exist")
		}
		w.object = from.Sampler.Number()
	case vk.DescriptorTypeCombinedImageSampler, vk.DescriptorTypeSampledImage, vk.DescriptorTypeStorageImage, vk.DescriptorTypeInputAttachment,
		vk.DescriptorTypeSampleWeightImageQCOM, vk.DescriptorTypeBlockMatchImageQCOM:
		if from.View == nil {
			return nil
		}
		usage, _ := imageUsage(from.Type)
		if err := from.View.image.need(d, op, "VkDescriptorImageInfo-imageView", usage); err != nil {
			return err
		}
		if w.object = from.View.Number(); from.Sampler != nil && from.Type == vk.DescriptorTypeCombinedImageSampler {
			w.second = from.Sampler.Number()
		}
	case vk.DescriptorTypeUniformBuffer, vk.DescriptorTypeStorageBuffer, vk.DescriptorTypeUniformTexelBuffer, vk.DescriptorTypeStorageTexelBuffer:
		if from.Address == 0 {
			return nil
		}
		w.object, w.second, w.format = from.Address, from.Range, uint32(from.Format)
	default:
		return d.misuse(op, "VkDescriptorGetInfoEXT-type-08018", "", "%v cannot lie in memory", from.Type)
	}
	w.put(dst)
	return nil
}

// memoryWords are the parts of a descriptor in memory.
type memoryWords struct {
	tag            uint32
	object, second uint64
	format         uint32
}

func (w *memoryWords) put(dst []byte) {
	binary.LittleEndian.PutUint32(dst, w.tag)
	binary.LittleEndian.PutUint32(dst[4:], w.sum())
	binary.LittleEndian.PutUint64(dst[8:], w.object)
	binary.LittleEndian.PutUint64(dst[16:], w.second)
	binary.LittleEndian.PutUint64(dst[24:], uint64(w.format))
}

// get reads what put wrote; false for the null descriptor and what is none.
func (w *memoryWords) get(src []byte) bool {
	last := binary.LittleEndian.Uint64(src[24:])
	*w = memoryWords{binary.LittleEndian.Uint32(src), binary.LittleEndian.Uint64(src[8:]), binary.LittleEndian.Uint64(src[16:]), uint32(last)}
	return w.tag != 0 && last>>32 == 0 && binary.LittleEndian.Uint32(src[4:]) == w.sum()
}

// sum is the checksum. It finds descriptors half of which are others', or that are none; a program
// that makes one up can make up its sum, too, and has what it names.
func (w *memoryWords) sum() uint32 {
	const odd = 0x9E3779B97F4A7C15
	h := uint64(odd)
	for _, v := range [...]uint64{uint64(w.tag) | uint64(w.format)<<32, w.object, w.second} {
		h = (h ^ v) * odd
		h ^= h >> 29
	}
	return uint32(h >> 32)
}

// fromMemory makes a descriptor of what lies in memory for element k of a binding. The caller holds
// d.numbered.mu, and has pinned memory.
func (d *Device) fromMemory(src []byte, b *Binding, k int) (exec.Descriptor, owner) {
	var e exec.Descriptor
	o := owner{written: true}
	if k < len(b.Immutable) {
		e.Sampler, o.sampler = b.Immutable[k].state, b.Immutable[k]
	}
	var w memoryWords
	if len(src) < DescriptorBytes || !w.get(src) {
		return e, o
	}
	t := vk.DescriptorType(w.tag - 1)
	if b.as(t).Type != t {
		return e, o
	}
	switch t {
	case vk.DescriptorTypeSampler:
		if s := d.numbered.sampler(w.object); s != nil && o.sampler == nil {
			e.Sampler, o.sampler = s.state, s
		}
	case vk.DescriptorTypeUniformBuffer, vk.DescriptorTypeStorageBuffer:
		e.Data = d.reached(w.object, w.second, 4)
	case vk.DescriptorTypeUniformTexelBuffer, vk.DescriptorTypeStorageTexelBuffer:
		e.Texel = d.reachedTexels(&w)
	default:
		usage, _ := imageUsage(t)
		v := d.numbered.view(w.object, usage)
		if v == nil {
			return e, o
		}
		if t == vk.DescriptorTypeCombinedImageSampler && o.sampler == nil {
			s := d.numbered.sampler(w.second)
			if s == nil {
				return e, o // as a whole
			}
			e.Sampler, o.sampler = s.state, s
		}
		if o.view, e.View = v, v.view; t == vk.DescriptorTypeStorageImage {
			e.View = v.storage
		}
	}
	return e, o
}

// reached is at most size bytes from an address on, as far as its buffer goes; nil for addresses
// that are in none or no multiple of align.
func (d *Device) reached(address, size, align uint64) []byte {
	base, data := d.addresses.Find(address)
	if data == nil || address%align != 0 {
		return nil
	}
	data = data[address-base:]
	n := min(uint64(len(data)), size)
	return data[:n:n]
}

// reachedTexels is reached as a texel buffer; nil where the format has none.
func (d *Device) reachedTexels(w *memoryWords) *resource.BufferView {
	v, err := resource.NewBufferView(vk.Format(w.format), d.reached(w.object, w.second, 1))
	if err != nil || w.object%texelAlignment(v) != 0 {
		return nil
	}
	return v
}
