package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Descriptor heaps (SPV_EXT_descriptor_heap). Chains into a heap count bytes, as in memory that is laid out. Where they
// lead to a descriptor, its number in the heap is the element of a resource that is the whole heap, as descriptors
// of one kind: what is of another kind there, or of none, is a null descriptor, and so is what lies outside.

// heapVariable is a pointer to a heap.
func (c *compiler) heapVariable(in *spirv.Inst) *pointer {
	return &pointer{space: spaceHeap, t: c.m.Pointee(in), dyn: ir.NoValue, elem: ir.NoValue}
}

// heapType tells of types of descriptors, and arrays of them.
func heapType(t *spirv.Type) bool {
	for t.Kind == spirv.KindArray || t.Kind == spirv.KindRuntimeArray {
		t = t.Elem
	}
	return t.Kind == spirv.KindImage || t.Kind == spirv.KindSampler || t.Kind == spirv.KindBuffer
}

// heapDescriptor is the pointer to the descriptor of p's type that p leads to in a heap.
func (c *compiler) heapDescriptor(p *pointer) *pointer {
	var kind ir.ResourceKind
	switch p.t.Kind {
	case spirv.KindSampler:
		kind = ir.Sampler
	case spirv.KindImage:
		kind = c.resourceKind(p.t.Image.Descriptor(), p.t)
	default:
		c.fail("a descriptor of type %v in a heap", p.t)
	}
	return &pointer{space: spaceHandle, ptrType: p.ptrType, t: p.t, dyn: ir.NoValue, res: c.heapResource(kind), elem: c.heapElement(p)}
}

// bufferPointer lowers OpBufferPointerEXT: a pointer to what the descriptor that the operand leads to describes.
func (c *compiler) bufferPointer(in *spirv.Inst) {
	p, t := c.pointerTo(in.ID(0)), c.typ(in.Type)
	if p.space != spaceHeap {
		c.fail("OpBufferPointerEXT of what is not in a heap")
	}
	kind := ir.UniformBuffer
	if t.Storage == spirv.StorageClassStorageBuffer || !t.Untyped && c.oldBuffer(t.Elem) {
		kind = ir.StorageBuffer
	}
	c.set(&value{p: &pointer{
		space: spaceBuffer, ptrType: t, t: t.Elem, dyn: ir.NoValue, res: c.heapResource(kind), elem: c.heapElement(p), compStride: 4,
	}})
}

// oldBuffer tells that a structure is that of a storage buffer, as it was before version 1.3.
func (c *compiler) oldBuffer(t *spirv.Type) bool {
	_, old := c.m.Decoration(t.ID, spirv.DecorationBufferBlock)
	return old
}

// heapResource is the resource of a heap as descriptors of a kind.
func (c *compiler) heapResource(kind ir.ResourceKind) int {
	for i := range c.p.Resources {
		if r := &c.p.Resources[i]; r.Heap && r.Kind == kind {
			return i
		}
	}
	c.p.Resources = append(c.p.Resources, ir.Resource{Heap: true, Kind: kind, Name: "heap"})
	return len(c.p.Resources) - 1
}

// heapElement is the number of the descriptor at p; none where no descriptor can begin.
func (c *compiler) heapElement(p *pointer) ir.Value {
	const bytes, log = spirv.DescriptorBytes, 5
	b, at := c.b, c.address(p, 0)
	elem := b.Op(ir.OpShrU, ir.I32, at, b.I32(log))
	if p.off%bytes == 0 && (p.dyn == ir.NoValue || p.step%bytes == 0) {
		return elem
	}
	aligned := b.Op(ir.OpIEq, ir.Bool, b.Op(ir.OpAnd, ir.I32, at, b.I32(bytes-1)), b.I32(0))
	return b.Op(ir.OpSelect, ir.I32, aligned, elem, b.I32(1<<32-1))
}
