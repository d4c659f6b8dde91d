package core

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// Heaps are read as sets in memory are (memorysets.go): on the queue, when a draw or a dispatch needs them, and again
// where they, push data or memory may have changed. What a shader's index leads to is known before it runs then, so
// that shaders know nothing of heaps but arrays of descriptors.

// mappedResource is what a resource of a program is backed by.
type mappedResource struct {
	have           slot
	image, sampler heapPart // sampler: of a combined image sampler
}

// heapPart is what has been read of a heap.
type heapPart struct {
	have    slot
	copy    memorySlot
	at      heapElements
	read    uint64    // runner.changes then, plus 1
	shared  *heapPart // where a large array is read for all who use it
	version int       // counts how often a shared part has changed; the one taken over last
}

// largeArray names a large array of descriptors, which programs take from one pipeline to the next.
type largeArray struct {
	at   heapElements
	kind ir.ResourceKind
}

// maxLargeArrays is how many are known in a command buffer.
const maxLargeArrays = 16

// heapElements are descriptors in the memory of heaps: n of them, stride bytes apart.
type heapElements struct {
	heap           heapRange
	offset, stride uint64
	n              int
}

// heapTypes are what descriptors in heaps are read as, by ir.ResourceKind. Combined image samplers are read as
// their parts.
var heapTypes = DescriptorSetLayout{bindings: []Binding{
	ir.UniformBuffer: {Type: vk.DescriptorTypeUniformBuffer}, ir.StorageBuffer: {Type: vk.DescriptorTypeStorageBuffer},
	ir.SampledImage: {Type: vk.DescriptorTypeMutableEXT, Mutable: []vk.DescriptorType{
		vk.DescriptorTypeSampledImage, vk.DescriptorTypeSampleWeightImageQCOM, vk.DescriptorTypeBlockMatchImageQCOM}},
	ir.StorageImage: {Type: vk.DescriptorTypeStorageImage}, ir.Sampler: {Type: vk.DescriptorTypeSampler},
	ir.UniformTexelBuffer: {Type: vk.DescriptorTypeUniformTexelBuffer}, ir.StorageTexelBuffer: {Type: vk.DescriptorTypeStorageTexelBuffer},
	ir.InputAttachment: {Type: vk.DescriptorTypeInputAttachment},
}}

// readHeaps reads what the pipeline uses of heaps, where it may have changed.
func (r *runner) readHeaps(b *bindPoint) {
	r.pin() // see readSets
	for i, prog := range b.pipeline.programs {
		if b.mapped[i] == nil {
			b.mapped[i] = make([]mappedResource, len(prog.Resources))
		}
		for k := range prog.Resources {
			res := &prog.Resources[k]
			if res.Kind != ir.TileImage && r.readMapped(&b.mapped[i][k], res, &b.pipeline.mapped[i][k]) {
				b.contexts[i] = nil
			}
		}
	}
}

// readMapped reads what backs a resource; false if nothing has changed.
func (r *runner) readMapped(x *mappedResource, res *ir.Resource, m *HeapMapping) bool {
	kind := ResourceHeap
	if res.Kind == ir.Sampler {
		kind = SamplerHeap
	}
	if res.Heap {
		whole := heapElements{heap: r.heaps[kind], stride: DescriptorBytes}
		whole.n = int(whole.heap.size / DescriptorBytes)
		return r.readPart(&x.image, res.Kind, whole, nil) && x.take(x.image.have)
	}
	switch m.Source {
	case vk.DescriptorMappingSourceResourceHeapDataEXT:
		h := r.heaps[ResourceHeap]
		return x.data(r.dev.reachedAt(h.address, h.size, uint64(m.Resource.Offset)+uint64(r.pushWord(m.Resource.Push))))
	case vk.DescriptorMappingSourcePushDataEXT:
		return x.data(r.pushed[min(int(m.Resource.Push), len(r.pushed)):])
	case vk.DescriptorMappingSourcePushAddressEXT:
		return x.data(r.dev.reached(r.pushAddress(m.Resource.Push), math.MaxUint64, 4))
	case vk.DescriptorMappingSourceIndirectAddressEXT:
		var at uint64
		if b := r.dev.reached(r.pushAddress(m.Resource.Push)+uint64(m.Resource.Address), 8, 1); len(b) == 8 {
			at = binary.LittleEndian.Uint64(b)
		}
		return x.data(r.dev.reached(at, math.MaxUint64, 4))
	}
	if m.Embedded != nil && res.Kind == ir.Sampler {
		return x.have.descriptors == nil && x.take(embedded(m.Embedded, int(max(res.Count, 1))))
	}
	if res.Kind != ir.CombinedImageSampler {
		at, indices := r.elements(m, &m.Resource, kind, res, func(i uint32) uint32 { return i })
		return r.readPart(&x.image, res.Kind, at, indices) && x.take(x.image.have)
	}
	imageIndex, samplerIndex := func(i uint32) uint32 { return i }, func(i uint32) uint32 { return i }
	if m.Packed {
		imageIndex, samplerIndex = func(i uint32) uint32 { return i & 0xFFFFF }, func(i uint32) uint32 { return i >> 20 }
	}
	at, indices := r.elements(m, &m.Resource, ResourceHeap, res, imageIndex)
	changed := r.readPart(&x.image, ir.SampledImage, at, indices)
	if m.Embedded == nil {
		at, indices = r.elements(m, &m.Sampler, SamplerHeap, res, samplerIndex)
		changed = r.readPart(&x.sampler, ir.Sampler, at, indices) || changed
	} else if n := len(x.image.have.descriptors); n != len(x.sampler.have.descriptors) {
		x.sampler.have, changed = embedded(m.Embedded, n), true
	}
	return changed && x.combine()
}

// take makes s what the resource has.
func (x *mappedResource) take(s slot) bool {
	x.have = s
	return true
}

// data makes b what a uniform or storage buffer has; false if it is already.
func (x *mappedResource) data(b []byte) bool {
	if d := x.have.descriptors; len(d) == 1 && sameBytes(d[0].Data, b) {
		return false
	}
	return x.take(slot{descriptors: []exec.Descriptor{{Data: b}}, owners: []owner{{written: true}}})
}

// embedded are n descriptors of a sampler.
func embedded(s *Sampler, n int) slot {
	out := slot{descriptors: make([]exec.Descriptor, n)}
	for i := range out.descriptors {
		out.descriptors[i].Sampler = s.state
	}
	if n == 1 {
		out.owners = []owner{{written: true, sampler: s}}
	}
	return out
}

// combine makes combined image samplers of their parts.
func (x *mappedResource) combine() bool {
	images, samplers := x.image.have.descriptors, x.sampler.have.descriptors
	out := slot{descriptors: make([]exec.Descriptor, min(len(images), len(samplers)))}
	for i := range out.descriptors {
		out.descriptors[i] = exec.Descriptor{View: images[i].View, Sampler: samplers[i].Sampler}
	}
	if len(out.descriptors) == 1 && len(x.image.have.owners) == 1 && len(x.sampler.have.owners) == 1 {
		o := x.image.have.owners[0]
		o.sampler = x.sampler.have.owners[0].sampler
		out.owners = []owner{o}
	}
	return x.take(out)
}

// pushWord and pushAddress are push data at an offset.
func (r *runner) pushWord(offset uint32) uint32 { return binary.LittleEndian.Uint32(r.push[offset:]) }
func (r *runner) pushAddress(offset uint32) uint64 {
	return binary.LittleEndian.Uint64(r.push[offset:])
}

// elements says where the descriptors of a mapped resource are. Those of indices in memory are listed one by one.
func (r *runner) elements(m *HeapMapping, x *HeapPlace, kind HeapKind, res *ir.Resource, index func(uint32) uint32) (at heapElements, offsets []uint64) {
	first := uint64(res.Binding - m.First)
	at = heapElements{heap: r.heaps[kind], offset: uint64(x.Offset), stride: uint64(x.ArrayStride), n: int(min(res.Count, most(0)))}
	switch m.Source {
	case vk.DescriptorMappingSourceHeapWithPushIndexEXT:
		at.offset += uint64(index(r.pushWord(x.Push))) * uint64(x.IndexStride)
	case vk.DescriptorMappingSourceHeapWithIndirectIndexEXT:
		b := r.dev.reached(r.pushAddress(x.Push)+uint64(x.Address), 4, 1)
		if len(b) < 4 {
			at.heap = heapRange{} // null descriptors
			break
		}
		at.offset += uint64(index(binary.LittleEndian.Uint32(b))) * uint64(x.IndexStride)
	case vk.DescriptorMappingSourceHeapWithIndirectIndexArrayEXT:
		b := r.dev.reached(r.pushAddress(x.Push)+uint64(x.Address)+4*first, 4*uint64(most(res.Count)), 1)
		if res.Count == 0 {
			at.n = len(b) / 4
		}
		at.stride = 0
		for ; len(b) >= 4; b = b[4:] {
			offsets = append(offsets, at.offset+uint64(index(binary.LittleEndian.Uint32(b)))*uint64(x.IndexStride))
		}
		return at, offsets
	}
	at.offset += first * at.stride
	if res.Count == 0 {
		at.n = 0
		if at.offset < at.heap.size {
			at.n = int((at.heap.size - at.offset) / max(at.stride, DescriptorBytes))
		}
	}
	return at, nil
}

// most is a count of elements, that of the largest heap for arrays without a size.
func most(count uint32) uint32 {
	if count == 0 {
		return MaxResourceHeapBytes / DescriptorBytes
	}
	return count
}

// readPart brings a part to what heaps hold of it now; false if nothing has changed. offsets, unless nil, are those
// of the descriptors in the heap, one by one.
func (r *runner) readPart(p *heapPart, kind ir.ResourceKind, at heapElements, offsets []uint64) bool {
	if p.read == r.changes+1 && p.at == at && offsets == nil {
		return false
	}
	p.read, p.at = r.changes+1, at
	if at.n < keptElements || offsets != nil || at.stride != DescriptorBytes {
		p.shared = nil
		return r.dev.readDescriptors(&p.have, &p.copy, &heapTypes.bindings[kind], r.dev.heapBytes(at, offsets), at.n)
	}
	from := r.readLarge(largeArray{at, kind})
	if p.shared == from && p.version == from.version {
		return false
	}
	p.have, p.copy, p.shared, p.version = from.have, memorySlot{}, from, from.version
	return true
}

// readLarge is readPart for a large array.
func (r *runner) readLarge(key largeArray) *heapPart {
	p, from := r.large[key], r.snapshot(key.at)
	switch {
	case p == nil:
		if r.large == nil || len(r.large) >= maxLargeArrays {
			r.large = map[largeArray]*heapPart{}
		}
		p = &heapPart{}
		r.large[key] = p
		r.dev.readKept(&p.have, &p.copy, &heapTypes, int(key.kind), from, key.at.n)
	case sameBytes(p.copy.copy, from):
		return p
	case r.dev.readDescriptors(&p.have, &p.copy, &heapTypes.bindings[key.kind], from, key.at.n):
		p.version++
	}
	p.copy.copy = from
	return p
}

// heapSnapshot is the memory of a large array, as it was read last. Its bytes are replaced, never changed.
type heapSnapshot struct {
	bytes []byte
	read  uint64 // runner.changes then, plus 1
}

// snapshot is the memory of a large array, compared once for all kinds of descriptors that it is read as.
func (r *runner) snapshot(at heapElements) []byte {
	s := r.snapshots[at]
	if s == nil {
		if r.snapshots == nil || len(r.snapshots) >= maxLargeArrays {
			r.snapshots = map[heapElements]*heapSnapshot{}
		}
		s = &heapSnapshot{}
		r.snapshots[at] = s
	}
	if s.read != r.changes+1 {
		from := r.dev.heapBytes(at, nil)
		if s.read == 0 || !bytes.Equal(s.bytes, from) {
			s.bytes = slices.Clone(from)
		}
		s.read = r.changes + 1
	}
	return s.bytes
}

// sameBytes tells that two slices are the same memory.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// heapBytes is the memory of descriptors, side by side. What lies outside of the heap is missing at the end, or zero.
func (d *Device) heapBytes(at heapElements, offsets []uint64) []byte {
	heap := d.reached(at.heap.address, at.heap.size, 1)
	if offsets == nil && at.stride == DescriptorBytes || at.n == 1 && offsets == nil {
		heap = heap[min(at.offset, uint64(len(heap))):]
		return heap[:min(len(heap), at.n*DescriptorBytes)]
	}
	out := make([]byte, at.n*DescriptorBytes)
	for i := range at.n {
		offset := at.offset + uint64(i)*at.stride
		if offsets != nil {
			if i >= len(offsets) {
				break
			}
			offset = offsets[i]
		}
		if offset <= uint64(len(heap)) && uint64(len(heap))-offset >= DescriptorBytes {
			copy(out[i*DescriptorBytes:], heap[offset:][:DescriptorBytes])
		}
	}
	return out
}

// reachedAt is what lies behind offset of size bytes at an address, as far as its buffer goes.
func (d *Device) reachedAt(address, size, offset uint64) []byte {
	b := d.reached(address, size, 1)
	return b[min(offset, uint64(len(b))):]
}
