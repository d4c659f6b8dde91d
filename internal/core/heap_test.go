package core

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate spirv-as --target-env spv1.5 -o testdata/heap.comp.spvasm.spv testdata/heap.comp.spvasm

// heapKit is memory.comp with its descriptors in heaps, heapStride apart: resource i is descriptor i of memoryKit, sampler 0
// is that of binding 3, and sampler 1 that of binding 5.
type heapKit struct {
	*memoryKit
	resources, samplers *Buffer
	indices             *Buffer // in memory: an address, and after it indices
	outAddress          uint64
}

const heapStride = 2 * DescriptorBytes // between descriptors

func newHeapKit(t testing.TB) *heapKit { return newHeapKitOf(t, open(t)) }

func newHeapKitOf(t testing.TB, d *Device) *heapKit {
	k := &heapKit{memoryKit: newMemoryKit(t, d)}
	k.resources, k.samplers = bufferOf(t, k.d, make([]uint32, 32*heapStride/4)...), bufferOf(t, k.d, make([]uint32, 8*heapStride/4)...)
	k.outAddress = must(k.out.DeviceAddress())(t)
	k.fill(t)
	return k
}

// descriptor is descriptor i as heaps have it, that of binding 3 without its sampler.
func (k *heapKit) descriptor(i int) MemoryDescriptor {
	d := k.descriptors()[i]
	if d.Type == vk.DescriptorTypeCombinedImageSampler {
		d.Type = vk.DescriptorTypeSampledImage
	}
	return d
}

// resource is the memory of resource i, sampler that of sampler i.
func (k *heapKit) resource(i int) []byte { return k.resources.Bytes()[i*heapStride:][:DescriptorBytes] }
func (k *heapKit) samplerAt(i int) []byte {
	return k.samplers.Bytes()[i*heapStride:][:DescriptorBytes]
}

// heapBlock is where in the resource heap the words of binding 9 are.
const heapBlock = 20 * heapStride

func (k *heapKit) fill(t testing.TB) {
	t.Helper()
	for i, d := range k.descriptors() {
		to := k.resource(i)
		if d.Type == vk.DescriptorTypeSampler {
			to = k.samplerAt(1)
		}
		if err := k.d.PutDescriptor(to, k.descriptor(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.d.PutDescriptor(k.samplerAt(0), MemoryDescriptor{Type: vk.DescriptorTypeSampler, Sampler: k.sampler}); err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(k.resources.Bytes()[heapBlock+4:], 60)
}

// mapSet maps bindings 0 to 8 of set 0 by one source: binding 0 and its second element are descriptors 0 and 1, binding i is
// descriptor i, and samplers are descriptors 0 and 1 of their heap. Places in push data and memory are those of pushed.
func mapSet(source vk.DescriptorMappingSourceEXT, packed bool) []HeapMapping {
	const all = vk.SpirvResourceTypeAllEXT
	resources := HeapMapping{Set: 0, First: 0, Count: 9, Types: all &^ (vk.SpirvResourceTypeSamplerBitEXT | vk.SpirvResourceTypeCombinedSampledImageBitEXT), Source: source}
	state := HeapMapping{Set: 0, First: 5, Count: 1, Types: vk.SpirvResourceTypeSamplerBitEXT, Source: source}
	both := HeapMapping{Set: 0, First: 3, Count: 1, Types: vk.SpirvResourceTypeCombinedSampledImageBitEXT, Source: source, Packed: packed}
	switch source {
	case vk.DescriptorMappingSourceHeapWithConstantOffsetEXT:
		resources.Resource.ArrayStride = heapStride
		state.Resource.Offset = heapStride
		both.Resource.Offset = 3 * heapStride
	case vk.DescriptorMappingSourceHeapWithPushIndexEXT: // half of the way is an index
		resources.Resource = HeapPlace{Push: 0, IndexStride: DescriptorBytes, ArrayStride: heapStride}
		state.Resource = HeapPlace{Push: 4, IndexStride: heapStride}
		both.Resource = HeapPlace{Push: 8, IndexStride: heapStride}
		both.Sampler = HeapPlace{Push: 12, IndexStride: heapStride}
	case vk.DescriptorMappingSourceHeapWithIndirectIndexEXT:
		resources.Resource = HeapPlace{Push: 32, Address: 64, IndexStride: DescriptorBytes, ArrayStride: heapStride}
		state.Resource = HeapPlace{Push: 32, Address: 68, IndexStride: heapStride}
		both.Resource = HeapPlace{Push: 32, Address: 72, IndexStride: heapStride}
		both.Sampler = HeapPlace{Push: 32, Address: 76, IndexStride: heapStride}
	case vk.DescriptorMappingSourceHeapWithIndirectIndexArrayEXT:
		resources.Resource = HeapPlace{Push: 32, Address: 128, IndexStride: heapStride}
		state.Resource = HeapPlace{Push: 32, Address: 68, IndexStride: heapStride}
		both.Resource = HeapPlace{Push: 32, Address: 72, IndexStride: heapStride}
		both.Sampler = HeapPlace{Push: 32, Address: 76, IndexStride: heapStride}
	}
	return []HeapMapping{resources, state, both}
}

// pushed is push data, and indices what its address at byte 32 leads to.
func (k *heapKit) pushed(t testing.TB, packed bool) []byte {
	image, address := uint32(3), make([]uint32, 64)
	if packed {
		image |= 1 << 20
	}
	copy(address[16:], []uint32{0, 1, image, 0})
	copy(address[32:], []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8}) // of the bindings; the second element of binding 0 is that of 1
	copy(address[48:], []uint32{lo(k.outAddress), hi(k.outAddress)})
	k.indices = bufferOf(t, k.d, address...)
	out := make([]byte, MaxPushBytes)
	for i, w := range []uint32{0, 1, image, 0} {
		binary.LittleEndian.PutUint32(out[4*i:], w)
	}
	binary.LittleEndian.PutUint32(out[16:], heapBlock-heapStride)
	binary.LittleEndian.PutUint64(out[24:], k.outAddress)
	binary.LittleEndian.PutUint64(out[32:], must(k.indices.DeviceAddress())(t))
	binary.LittleEndian.PutUint64(out[40:], must(k.resources.DeviceAddress())(t)+heapBlock)
	binary.LittleEndian.PutUint32(out[52:], 60)
	return out
}

// The mappings of binding 9, which is data, and of set 1.
func mapBlock(source vk.DescriptorMappingSourceEXT, at HeapPlace) HeapMapping {
	return HeapMapping{Set: 0, First: 9, Count: 1, Types: vk.SpirvResourceTypeAllEXT, Source: source, Resource: at}
}

func mapOut(source vk.DescriptorMappingSourceEXT, at HeapPlace) HeapMapping {
	return HeapMapping{Set: 1, First: 0, Count: 1, Types: vk.SpirvResourceTypeReadWriteStorageBufferBitEXT, Source: source, Resource: at}
}

// plainBlock and plainOut are those that all tests but one use.
func plainBlock() HeapMapping {
	return mapBlock(vk.DescriptorMappingSourceResourceHeapDataEXT, HeapPlace{Offset: heapStride, Push: 16})
}

func plainOut() HeapMapping {
	return mapOut(vk.DescriptorMappingSourcePushAddressEXT, HeapPlace{Push: 24})
}

func (k *heapKit) pipelineOf(t testing.TB, mappings []HeapMapping) *Pipeline {
	t.Helper()
	return must(k.d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "memory.comp"), Heap: true, Mappings: mappings}}))(t)
}

// bindHeaps binds both heaps as a whole.
func (k *heapKit) bindHeaps(t testing.TB, c *CommandBuffer) {
	c.BindHeap("vkCmdBindResourceHeapEXT", ResourceHeap, must(k.resources.DeviceAddress())(t), k.resources.Size(), 0, 0)
	c.BindHeap("vkCmdBindSamplerHeapEXT", SamplerHeap, must(k.samplers.DeviceAddress())(t), k.samplers.Size(), 0, 0)
}

// run runs a pipeline and returns what it saw.
func (k *heapKit) run(t testing.TB, p *Pipeline, push []byte) []uint32 {
	t.Helper()
	clear(k.out.Bytes())
	c := k.d.NewCommandBuffer()
	k.bindHeaps(t, c)
	c.BindPipeline("bind", vk.PipelineBindPointCompute, p)
	c.PushData("push", 0, push)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	submit(t, k.d, c)
	return words(k.out, 10)
}

// memorySees is what memory.comp sees of memoryKit.
var memorySees = []uint32{10, 11, 21, 3, 51, 51, 51, 31, 41, 60}

// TestHeaps_EverySource: each source of a mapping leads to the same resources.
func TestHeaps_EverySource(t *testing.T) {
	k := newHeapKit(t)
	for _, source := range []vk.DescriptorMappingSourceEXT{
		vk.DescriptorMappingSourceHeapWithConstantOffsetEXT, vk.DescriptorMappingSourceHeapWithPushIndexEXT,
		vk.DescriptorMappingSourceHeapWithIndirectIndexEXT, vk.DescriptorMappingSourceHeapWithIndirectIndexArrayEXT,
	} {
		for _, packed := range []bool{false, true} {
			k.reset(t)
			k.fill(t)
			if packed && source != vk.DescriptorMappingSourceHeapWithConstantOffsetEXT { // the index says which of two it is
				clear(k.samplerAt(0))
			}
			p := k.pipelineOf(t, append(mapSet(source, packed), plainBlock(), plainOut()))
			if got := k.run(t, p, k.pushed(t, packed)); !slices.Equal(got, memorySees) {
				t.Errorf("%v, packed %v: the shader saw %v, want %v", source, packed, got, memorySees)
			}
			if got := [3]uint32{words(k.buffers[2], 1)[0], binary.LittleEndian.Uint32(k.image.res.Data), words(k.buffers[4], 1)[0]}; got != [3]uint32{77, 78, 79} {
				t.Errorf("%v: the shader wrote %v", source, got)
			}
		}
	}
	k.fill(t)
	constant := mapSet(vk.DescriptorMappingSourceHeapWithConstantOffsetEXT, false)
	for name, m := range map[string][2]HeapMapping{
		"push data":        {mapBlock(vk.DescriptorMappingSourcePushDataEXT, HeapPlace{Push: 48}), plainOut()},
		"push address":     {mapBlock(vk.DescriptorMappingSourcePushAddressEXT, HeapPlace{Push: 40}), plainOut()},
		"indirect address": {plainBlock(), mapOut(vk.DescriptorMappingSourceIndirectAddressEXT, HeapPlace{Push: 32, Address: 192})},
	} {
		k.reset(t)
		p := k.pipelineOf(t, append(slices.Clone(constant), m[0], m[1]))
		if got := k.run(t, p, k.pushed(t, false)); !slices.Equal(got, memorySees) {
			t.Errorf("%s: the shader saw %v, want %v", name, got, memorySees)
		}
	}
}

// reset undoes what the shader writes.
func (k *heapKit) reset(t testing.TB) {
	fillTwo(k.image, 50, 51)
	binary.LittleEndian.PutUint32(k.buffers[2].Bytes(), 20)
	binary.LittleEndian.PutUint32(k.buffers[4].Bytes(), 40)
}

// TestHeaps_WhatIsNoDescriptor: what is missing, of another kind, stale or outside reads as the null descriptor, and nothing
// else changes.
func TestHeaps_WhatIsNoDescriptor(t *testing.T) {
	k := newHeapKit(t)
	p := k.pipelineOf(t, append(mapSet(vk.DescriptorMappingSourceHeapWithPushIndexEXT, false), plainBlock(), plainOut()))
	push := k.pushed(t, false)
	seen := [][]int{{0}, {1}, {2, 3}, {4}, {5}, nil, {6}, {7}, {8}} // of memorySees, by descriptor
	for i := range k.descriptors() {
		for name, broken := range map[string]func(b []byte){
			"nothing":      func(b []byte) { clear(b) },
			"garbage":      func(b []byte) { b[9] ^= 1 },
			"another kind": func(b []byte) { copy(b, k.resource((i+2)%9)) },
		} {
			k.reset(t)
			k.fill(t)
			broken(k.resource(i))
			want := slices.Clone(memorySees)
			for _, n := range seen[i] {
				want[n] = 0
			}
			if got := k.run(t, p, push); !slices.Equal(got, want) {
				t.Errorf("descriptor %d with %s: the shader saw %v, want %v", i, name, got, want)
			}
		}
	}
	k.reset(t)
	k.fill(t)
	far := slices.Clone(push)
	binary.LittleEndian.PutUint32(far, 1<<31)
	if got, want := k.run(t, p, far), []uint32{0, 0, 0, 0, 51, 0, 0, 0, 0, 60}; !slices.Equal(got, want) {
		t.Errorf("indices beyond the heap: the shader saw %v, want %v", got, want)
	}
	c := k.d.NewCommandBuffer() // no heap, no address
	c.BindPipeline("bind", vk.PipelineBindPointCompute, p)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	submit(t, k.d, c)
	k.view.Close()
	k.reset(t)
	if got, want := k.run(t, p, push), []uint32{10, 11, 21, 3, 0, 0, 0, 31, 41, 60}; !slices.Equal(got, want) {
		t.Errorf("with a view that is closed the shader saw %v, want %v", got, want)
	}
	k.resources.Close()
	c = k.d.NewCommandBuffer()
	c.BindHeap("vkCmdBindResourceHeapEXT", ResourceHeap, 1<<40, 64, 0, 0)
	c.BindPipeline("bind", vk.PipelineBindPointCompute, p)
	c.PushData("push", 0, push)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	submit(t, k.d, c)
	if got := words(k.out, 10); !slices.Equal(got, make([]uint32, 10)) {
		t.Errorf("a heap that is gone reads as %v", got)
	}
}

// TestHeaps_AnyBytes: whatever lies in heaps and in push data, nothing beside the buffers and images is touched, and both engines
// see the same.
func TestHeaps_AnyBytes(t *testing.T) {
	anyBytes(t, 9, func(d *Device, r *rand.Rand) func(n int) {
		k := newHeapKitOf(t, d)
		var pipelines []*Pipeline
		for source := vk.DescriptorMappingSourceHeapWithConstantOffsetEXT; source <= vk.DescriptorMappingSourceHeapWithIndirectIndexArrayEXT; source++ {
			pipelines = append(pipelines, k.pipelineOf(t, append(mapSet(source, r.IntN(2) == 0), plainBlock(), plainOut())))
		}
		return func(n int) {
			k.fill(t)
			push := k.pushed(t, n%2 == 0)
			for range 1 + r.IntN(6) {
				for _, b := range [][]byte{k.resources.Bytes()[:10*heapStride], k.samplers.Bytes()[:2*heapStride], k.indices.Bytes(), push} {
					switch at := 8 * r.IntN(len(b)/8); r.IntN(3) {
					case 0:
						binary.LittleEndian.PutUint64(b[at:], r.Uint64()>>r.IntN(64))
					case 1:
						b[at+r.IntN(8)] ^= 1 << r.IntN(8)
					default:
						copy(b[at:], b[8*r.IntN(len(b)/8):][:8])
					}
				}
			}
			k.run(t, pipelines[r.IntN(len(pipelines))], push)
			k.indices.Close()
		}
	})
}

// TestHeaps_ReadAgain: a dispatch sees what was pushed, bound or written before it, and no earlier one sees it.
func TestHeaps_ReadAgain(t *testing.T) {
	k := newHeapKit(t)
	p := k.pipelineOf(t, append(mapSet(vk.DescriptorMappingSourceHeapWithPushIndexEXT, false), plainBlock(), plainOut()))
	push := k.pushed(t, false)
	more := bufferOf(t, k.d, make([]uint32, 20)...)
	first, second := must(more.DeviceAddress())(t), must(more.DeviceAddress())(t)+40
	c := k.d.NewCommandBuffer()
	k.bindHeaps(t, c)
	c.BindPipeline("bind", vk.PipelineBindPointCompute, p)
	c.PushData("push", 0, push)
	c.PushData("push", 24, binary.LittleEndian.AppendUint64(nil, first))
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	c.UpdateBuffer(k.resources, 0, slices.Clone(k.resource(1)))
	c.PushData("push", 24, binary.LittleEndian.AppendUint64(nil, second))
	c.BindHeap("vkCmdBindSamplerHeapEXT", SamplerHeap, 0, 0, 0, 0)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	submit(t, k.d, c)
	if got := words(more, 10); !slices.Equal(got, memorySees) {
		t.Errorf("the first dispatch saw %v, want %v", got, memorySees)
	}
	want := []uint32{11, 11, 21, 3, 0, 0, 51, 31, 41, 60}
	if got := words(more, 20)[10:]; !slices.Equal(got, want) {
		t.Errorf("the second dispatch saw %v, want %v", got, want)
	}
}

// directKit is heap.comp with a heap that is large enough to be read for all pipelines together: its output, a uniform buffer,
// an image and cells are the first descriptors, another uniform buffer the last one.
type directKit struct {
	*heapKit
	out, heap *Buffer
}

const directMany = keptElements + 8

func newDirectKit(t testing.TB) *directKit {
	k := &directKit{heapKit: newHeapKit(t)}
	k.out, k.heap = bufferOf(t, k.d, make([]uint32, 16)...), bufferOf(t, k.d, make([]uint32, directMany*DescriptorBytes/4)...)
	k.put(t, 0, MemoryDescriptor{Type: vk.DescriptorTypeStorageBuffer, Address: must(k.out.DeviceAddress())(t), Range: 64})
	k.put(t, 1, k.descriptors()[0])
	k.put(t, 2, k.descriptors()[4])
	k.put(t, 3, k.descriptors()[8])
	k.put(t, directMany-1, k.descriptors()[1])
	return k
}

func (k *directKit) put(t testing.TB, i int, d MemoryDescriptor) {
	t.Helper()
	if err := k.d.PutDescriptor(k.heap.Bytes()[i*DescriptorBytes:][:DescriptorBytes], d); err != nil {
		t.Fatal(err)
	}
}

// pipeline is the shader's, with a uniform buffer and a sampler at offsets in their heaps.
func (k *directKit) pipeline(t testing.TB, buffer, sampler uint32) *Pipeline {
	t.Helper()
	return must(k.d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "heap.comp.spvasm"), Heap: true, Constants: map[uint32][]byte{
		0: binary.LittleEndian.AppendUint32(nil, buffer), 1: binary.LittleEndian.AppendUint32(nil, sampler)}}}))(t)
}

// dispatch records the shader with numbers of descriptors.
func (k *directKit) dispatch(t testing.TB, c *CommandBuffer, p *Pipeline, push ...uint32) {
	c.BindHeap("vkCmdBindResourceHeapEXT", ResourceHeap, must(k.heap.DeviceAddress())(t), k.heap.Size(), 0, 0)
	c.BindHeap("vkCmdBindSamplerHeapEXT", SamplerHeap, must(k.samplers.DeviceAddress())(t), k.samplers.Size(), 0, 0)
	c.BindPipeline("bind", vk.PipelineBindPointCompute, p)
	for i, w := range push {
		c.PushData("push", uint32(4*i), binary.LittleEndian.AppendUint32(nil, w))
	}
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
}

func (k *directKit) run(t testing.TB, p *Pipeline, push ...uint32) []uint32 {
	t.Helper()
	clear(k.out.Bytes())
	c := k.d.NewCommandBuffer()
	k.dispatch(t, c, p, push...)
	submit(t, k.d, c)
	return words(k.out, 11)
}

// TestHeaps_Direct: shaders reach into heaps by numbers and offsets of descriptors, each invocation by its own.
func TestHeaps_Direct(t *testing.T) {
	k := newDirectKit(t)
	p := k.pipeline(t, DescriptorBytes, 0)
	if got, want := k.run(t, p, 1, 2, directMany-1, directMany), []uint32{10, 0, 11, 0, 0, 51, 0, 0, 10, 51, 16}; !slices.Equal(got, want) {
		t.Errorf("the shader saw %v, want %v", got, want)
	}
	if got := words(k.buffers[4], 2); got[0] != 88 { // 40, and 12 from each of four
		t.Errorf("atomics made %v of a cell", got)
	}
	if got, want := k.run(t, p, 0, 3, 1<<26, 1<<31-1), []uint32{0, 0, 0, 0, 0, 0, 0, 0, 10, 51, 16}; !slices.Equal(got, want) {
		t.Errorf("other kinds, and numbers far outside: the shader saw %v, want %v", got, want)
	}
	// Offsets at which no descriptor begins, and a sampler heap that ends before.
	if got, want := k.run(t, k.pipeline(t, DescriptorBytes+4, uint32(k.samplers.Size())), 1, 1, 1, 1), []uint32{10, 10, 10, 10, 0, 0, 0, 0, 0, 0, 16}; !slices.Equal(got, want) {
		t.Errorf("offsets that lead nowhere: the shader saw %v, want %v", got, want)
	}
	if _, err := k.d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "heap.comp.spvasm")}}); err == nil {
		t.Error("a pipeline without heaps was made for a shader that reads them")
	}
}

// TestHeaps_LargeOnesReadAgain: what changes of a heap that is read for all pipelines together is seen by the next dispatch, of
// this and of another command buffer.
func TestHeaps_LargeOnesReadAgain(t *testing.T) {
	k := newDirectKit(t)
	p, other := k.pipeline(t, DescriptorBytes, 0), k.pipeline(t, (directMany-1)*DescriptorBytes, 0)
	second := bufferOf(t, k.d, make([]uint32, 16)...)
	moved := make([]byte, DescriptorBytes)
	if err := k.d.PutDescriptor(moved, MemoryDescriptor{Type: vk.DescriptorTypeStorageBuffer, Address: must(second.DeviceAddress())(t), Range: 64}); err != nil {
		t.Fatal(err)
	}
	c := k.d.NewCommandBuffer()
	k.dispatch(t, c, p, 1, 2, 1, 2)
	c.UpdateBuffer(k.heap, 0, moved)
	c.UpdateBuffer(k.heap, DescriptorBytes, slices.Clone(k.heap.Bytes()[(directMany-1)*DescriptorBytes:]))
	k.dispatch(t, c, p, 1, 2, 1, 2)
	submit(t, k.d, c)
	if got, want := words(k.out, 11), []uint32{10, 0, 10, 0, 0, 51, 0, 51, 10, 51, 16}; !slices.Equal(got, want) {
		t.Errorf("the first dispatch saw %v, want %v", got, want)
	}
	if got, want := words(second, 11), []uint32{11, 0, 11, 0, 0, 51, 0, 51, 11, 51, 16}; !slices.Equal(got, want) {
		t.Errorf("the second dispatch saw %v, want %v", got, want)
	}
	c = k.d.NewCommandBuffer()
	k.dispatch(t, c, other, 1, 1, 1, 1)
	k.dispatch(t, c, p, 2, 2, 2, 2)
	submit(t, k.d, c)
	if got, want := words(second, 11), []uint32{0, 0, 0, 0, 51, 51, 51, 51, 11, 51, 16}; !slices.Equal(got, want) {
		t.Errorf("behind another pipeline the shader saw %v, want %v", got, want)
	}

	// A view that a descriptor comes to lead to.
	k = newDirectKit(t)
	image := func(number uint64) *Image {
		im := must(k.d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR32Uint, Extent: vk.Extent3D{Width: 2}}, nil, 0, ""))(t)
		if err := im.Capture(number); err != nil {
			t.Fatal(err)
		}
		fillTwo(im, 90, 91)
		return im
	}
	im := image(0)
	k.put(t, 4, MemoryDescriptor{Type: vk.DescriptorTypeSampledImage, View: must(k.d.DescribedView(im, resource.ViewDesc{}))(t)})
	p = k.pipeline(t, DescriptorBytes, 0)
	see := func(what string, want uint32) {
		t.Helper()
		if got := k.run(t, p, 4, 4, 4, 4); got[4] != want {
			t.Errorf("%s the shader saw %d, want %d", what, got[4], want)
		}
	}
	see("with its view", 91)
	number := im.CapturedNumber()
	im.Close()
	see("without its image", 0)
	im = image(number)
	see("without its view", 0)
	_ = must(k.d.DescribedView(im, resource.ViewDesc{}))(t)
	see("with a view again", 91)
}

// TestHeaps_ReadAgainAfterABarrierInsideAPass: draws see the heap as it was before their pass, and after a barrier what
// draws before it have written.
func TestHeaps_ReadAgainAfterABarrierInsideAPass(t *testing.T) {
	d := open(t)
	p := fullscreen(t, d, "memory.frag", numberFormats, func(i *GraphicsPipelineInfo) {
		i.Vertex.Heap, i.Fragment.Heap = true, true
		i.Fragment.Mappings = []HeapMapping{
			mapBlock(vk.DescriptorMappingSourcePushAddressEXT, HeapPlace{}),
			mapOut(vk.DescriptorMappingSourceHeapWithConstantOffsetEXT, HeapPlace{}),
		}
		i.Fragment.Mappings[0].First = 0
	})
	heap := bufferOf(t, d, make([]uint32, 2*DescriptorBytes/4)...)
	var cells []*Buffer
	for i := range 2 {
		b := bufferOf(t, d, 0)
		cells = append(cells, b)
		if err := d.PutDescriptor(heap.Bytes()[i*DescriptorBytes:], MemoryDescriptor{Type: vk.DescriptorTypeStorageBuffer, Address: must(b.DeviceAddress())(t), Range: 4}); err != nil {
			t.Fatal(err)
		}
	}
	_, view := target(t, d, numbers, 1, 1)
	c := d.NewCommandBuffer()
	address := must(heap.DeviceAddress())(t)
	c.BindHeap("vkCmdBindResourceHeapEXT", ResourceHeap, address, heap.Size(), 0, 0)
	c.PushData("push", 0, binary.LittleEndian.AppendUint64(nil, address))
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: view}}, Area: vk.Rect2D{Extent: vk.Extent2D{Width: 1, Height: 1}}})
	draw(c, p)
	c.Draw("Pass.Draw", 3, 1, 0, 0)
	c.PipelineBarrier("barrier", []vk.MemoryBarrier2{{}})
	c.Draw("Pass.Draw", 3, 1, 0, 0)
	c.EndRendering("end")
	submit(t, d, c)
	if a, b := words(cells[0], 1)[0], words(cells[1], 1)[0]; a != 2 || b != 1 {
		t.Errorf("%d fragments with the first buffer, %d with the second", a, b)
	}
}

// TestHeaps_Described: a description has one number whenever and wherever it is made, and no other has it.
func TestHeaps_Described(t *testing.T) {
	d, other := open(t), open(t)
	infos := []vk.SamplerCreateInfo{{}, {MagFilter: vk.FilterLinear}, {MaxLod: 1}, {AddressModeU: vk.SamplerAddressModeClampToBorder}, {AddressModeV: vk.SamplerAddressModeClampToBorder}}
	seen := map[uint64]bool{}
	for _, info := range infos {
		a, b, c := must(d.DescribedSampler(info, SamplerExtra{}))(t), must(d.DescribedSampler(info, SamplerExtra{}))(t), must(other.DescribedSampler(info, SamplerExtra{}))(t)
		if a != b || a.Number() != c.Number() || seen[a.Number()] {
			t.Errorf("%+v: numbers %#x, %#x, %#x", info, a.Number(), b.Number(), c.Number())
		}
		seen[a.Number()] = true
	}
	if _, err := d.DescribedSampler(infos[0], SamplerExtra{Ycbcr: &resource.YcbcrConversion{}}); err == nil {
		t.Error("a described sampler has a Y′CBCR conversion")
	}
	image := func(d *Device) *Image {
		return must(d.NewImage(vk.ImageCreateInfo{Flags: vk.ImageCreateMutableFormatBit, ImageType: vk.ImageType2D, Format: vk.FormatR32Uint, Extent: vk.Extent3D{Width: 2}}, nil, 0, ""))(t)
	}
	im := image(d)
	if err := im.Capture(0); err != nil {
		t.Fatal(err)
	}
	v := must(d.DescribedView(im, resource.ViewDesc{}))(t)
	if again := must(d.DescribedView(im, resource.ViewDesc{}))(t); again != v {
		t.Error("a view of a description was made twice")
	}
	float := must(d.DescribedView(im, resource.ViewDesc{Format: vk.FormatR32Sfloat}))(t)
	if float.Number() == v.Number() || must(d.DescribedView(image(d), resource.ViewDesc{}))(t).Number() == v.Number() {
		t.Error("two views have one number")
	}
	replayed := image(other)
	if err := replayed.Capture(im.CapturedNumber()); err != nil {
		t.Fatal(err)
	}
	if got := must(other.DescribedView(replayed, resource.ViewDesc{}))(t); got.Number() != v.Number() {
		t.Errorf("replayed with number %#x, captured with %#x", got.Number(), v.Number())
	}
	if err := image(other).Capture(im.CapturedNumber()); !errors.Is(err, ErrAddressTaken) {
		t.Errorf("a number that is taken: %v", err)
	}
	im.Close()
	if d.numbered.view(v.numbered.number, ^vk.ImageUsageFlags(0)) != nil || !v.closed.Load() {
		t.Error("a view in a descriptor outlives its image")
	}
	if _, err := d.DescribedView(im, resource.ViewDesc{}); err == nil {
		t.Error("a view was made of a closed image")
	}
}

// TestHeaps_WhatIsRefused: mappings and commands that cannot be carried out name the rule.
func TestHeaps_WhatIsRefused(t *testing.T) {
	k := newHeapKit(t)
	good := append(mapSet(vk.DescriptorMappingSourceHeapWithPushIndexEXT, false), plainBlock(), plainOut())
	change := func(f func(m []HeapMapping) []HeapMapping) []HeapMapping { return f(slices.Clone(good)) }
	for name, c := range map[string]struct {
		rule     string
		mappings []HeapMapping
	}{
		"no mapping":       {"VUID-VkComputePipelineCreateInfo-flags-11312", change(func(m []HeapMapping) []HeapMapping { return m[:4] })},
		"too few bindings": {"VUID-VkComputePipelineCreateInfo-flags-11312", change(func(m []HeapMapping) []HeapMapping { m[0].Count = 8; return m })},
		"an image of data": {"VUID-VkPipelineShaderStageCreateInfo-pNext-11315", change(func(m []HeapMapping) []HeapMapping {
			m[0].Source = vk.DescriptorMappingSourcePushDataEXT
			return m
		})},
		"a sampler at an address": {"VUID-VkPipelineShaderStageCreateInfo-pNext-11318", change(func(m []HeapMapping) []HeapMapping {
			m[1].Source = vk.DescriptorMappingSourcePushAddressEXT
			m[1].Resource.Push = 8
			return m
		})},
		"beyond push data": {"VUID-VkDescriptorMappingSourcePushIndexEXT-pushOffset-11259", change(func(m []HeapMapping) []HeapMapping { m[0].Resource.Push = 256; return m })},
		"half an index":    {"VUID-VkDescriptorMappingSourcePushIndexEXT-pushOffset-11259", change(func(m []HeapMapping) []HeapMapping { m[2].Sampler.Push = 2; return m })},
		"half an address":  {"VUID-VkDescriptorMappingSourcePushIndexEXT-pushOffset-11259", change(func(m []HeapMapping) []HeapMapping { m[4].Resource.Push = 252; return m })},
		"a shader record":  {"VUID-VkDescriptorSetAndBindingMappingEXT-source-parameter", change(func(m []HeapMapping) []HeapMapping { m[0].Source = 8; return m })},
	} {
		_, err := k.d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "memory.comp"), Heap: true, Mappings: c.mappings}})
		wantRule(t, name, err, c.rule)
	}
	for name, c := range map[string]struct {
		rule   string
		record func(*CommandBuffer)
	}{
		"reserved outside": {"VUID-vkCmdBindResourceHeapEXT-pBindInfo-11232", func(c *CommandBuffer) { c.BindHeap("vkCmdBindResourceHeapEXT", ResourceHeap, 0, 64, 64, 1) }},
		"too large": {"VUID-vkCmdBindSamplerHeapEXT-pBindInfo-11225", func(c *CommandBuffer) {
			c.BindHeap("vkCmdBindSamplerHeapEXT", SamplerHeap, 0, MaxSamplerHeapBytes+32, 0, 0)
		}},
		"not aligned":    {"VUID-vkCmdBindResourceHeapEXT-pBindInfo-11235", func(c *CommandBuffer) { c.BindHeap("vkCmdBindResourceHeapEXT", ResourceHeap, 16, 64, 0, 0) }},
		"odd push":       {"VUID-VkPushDataInfoEXT-offset-11418", func(c *CommandBuffer) { c.PushData("push", 2, make([]byte, 4)) }},
		"odd size":       {"VUID-VkPushDataInfoEXT-data-11419", func(c *CommandBuffer) { c.PushData("push", 0, make([]byte, 3)) }},
		"pushed too far": {"VUID-VkPushDataInfoEXT-offset-11243", func(c *CommandBuffer) { c.PushData("push", 252, make([]byte, 8)) }},
	} {
		b := k.d.NewCommandBuffer()
		c.record(b)
		wantRule(t, name, b.Err(), c.rule)
	}
}

func wantRule(t *testing.T, name string, err error, rule string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Rule != rule {
		t.Errorf("%s: %v, want %s", name, err, rule)
	}
}
