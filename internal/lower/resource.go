package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// global returns the pointer of a module-scope variable, nil if id is none.
// Storage is made on first use, so that a program names only what it uses.
func (c *compiler) global(id spirv.ID) *pointer {
	if p := c.globals.At(id); p != nil {
		return p
	}
	in := c.m.Def(id)
	if in == nil || in.Op != spirv.OpVariable && in.Op != spirv.OpUntypedVariableKHR || len(in.Operands) == 0 {
		return nil
	}
	pt := c.typ(in.Type)
	var p *pointer
	if c.m.IsHeap(in) {
		p = c.heapVariable(in)
		p.ptrType = pt
		c.globals.Set(id, p)
		return p
	}
	switch class := spirv.StorageClass(in.Operands[0]); class {
	case spirv.StorageClassInput:
		p = c.inputVariable(in)
	case spirv.StorageClassOutput:
		p = c.outputVariable(in)
	case spirv.StorageClassPrivate:
		p = c.variable(in)
		if init := c.initializer(in); init != 0 {
			c.b.Prelude(func() { c.store(p, c.get(init)) })
		}
	case spirv.StorageClassTaskPayloadWorkgroupEXT:
		p = c.payload(pt)
	case spirv.StorageClassWorkgroup:
		p = c.sharedVariable(id, c.m.Pointee(in))
	case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassUniformConstant:
		p = c.descriptor(in)
	case spirv.StorageClassTileImageEXT:
		p = c.tileVariable(in)
	case spirv.StorageClassPushConstant:
		t := c.m.Pointee(in)
		p = &pointer{space: spacePush, t: t, dyn: ir.NoValue, elem: ir.NoValue}
		c.p.PushBytes = max(c.p.PushBytes, c.layoutSize(t))
	case spirv.StorageClassFunction:
		return nil
	default:
		c.fail("unsupported storage class %v", class)
	}
	p.ptrType = pt
	c.globals.Set(id, p)
	return p
}

// initializer returns the constant that a variable begins with, 0 for none, or
// the variable that it points to. Other variables are refused: a module could
// lead from one to itself.
func (c *compiler) initializer(in *spirv.Inst) spirv.ID {
	id := in.ID(1)
	if id == 0 {
		return 0
	}
	if _, constant := c.k.Words(id); !constant {
		def := c.m.Def(id)
		if def != nil && (def.Op == spirv.OpVariable || def.Op == spirv.OpUntypedVariableKHR) {
			// A pointer to memory that begins with nothing of the kind.
			if s := spirv.StorageClass(def.Operands[0]); s == spirv.StorageClassWorkgroup || s == spirv.StorageClassStorageBuffer {
				return id
			}
		}
		if def == nil || def.Op != spirv.OpUndef {
			c.fail("the initializer of a variable is not a constant")
		}
	}
	return id
}

func (c *compiler) sharedVariable(id spirv.ID, t *spirv.Type) *pointer {
	if !c.workgroups() {
		c.fail("workgroup memory in a stage without workgroups")
	}
	if c.sharedBlock(t) {
		p := &pointer{space: spaceShared, laid: true, t: t, dyn: ir.NoValue, elem: ir.NoValue}
		if _, aliased := c.m.Decoration(id, spirv.DecorationAliased); aliased {
			p.off = c.sharedBlocks()
		} else {
			p.off = c.roomForBlock(c.layoutSize(t))
		}
		return p
	}
	n := uint64(len(c.flat(t))) * 4
	at := c.p.SharedBytes
	if uint64(at)+n > MaxSharedBytes {
		c.fail("more than %d bytes of workgroup memory", MaxSharedBytes)
	}
	c.p.SharedBytes += uint32(n)
	return &pointer{space: spaceShared, t: t, off: at, dyn: ir.NoValue, elem: ir.NoValue}
}

// sharedBlock tells that a type of workgroup memory has a layout.
func (c *compiler) sharedBlock(t *spirv.Type) bool {
	_, block := c.m.Decoration(t.ID, spirv.DecorationBlock)
	return block && t.Kind == spirv.KindStruct
}

// sharedBlocks is where the Aliased blocks of workgroup memory begin, which all lie over
// each other (WorkgroupMemoryExplicitLayoutKHR). Only with untyped pointers may there be
// others beside a block (SPV_KHR_untyped_pointers).
func (c *compiler) sharedBlocks() uint32 {
	if c.blocksMade {
		return c.blocksAt
	}
	size := uint32(0)
	for _, v := range c.m.Globals {
		t := c.m.Pointee(v)
		if _, aliased := c.m.Decoration(v.Result, spirv.DecorationAliased); aliased && c.typ(v.Type).Storage == spirv.StorageClassWorkgroup && c.sharedBlock(t) {
			size = max(size, c.layoutSize(t))
		}
	}
	c.blocksMade, c.blocksAt = true, c.roomForBlock(size)
	return c.blocksAt
}

// roomForBlock adds bytes of workgroup memory with a layout, and returns where they begin.
func (c *compiler) roomForBlock(size uint32) uint32 {
	at := (c.p.SharedBytes + 15) &^ 15
	if size > MaxSharedBytes || at+size > MaxSharedBytes {
		c.fail("more than %d bytes of workgroup memory", MaxSharedBytes)
	}
	c.p.SharedBytes = at + size
	return at
}

// layoutSize returns the bytes up to the end of an explicitly laid out type,
// without what a runtime array may add.
func (c *compiler) layoutSize(t *spirv.Type) uint32 { return (c.layoutEnd(t) + 3) &^ 3 }

// layoutEnd is the bytes of t up to the end of its last scalar.
func (c *compiler) layoutEnd(t *spirv.Type) uint32 {
	end := uint32(0)
	p := pointer{space: spacePush, t: t, dyn: ir.NoValue, elem: ir.NoValue, compStride: 4}
	for _, r := range c.refs(&p) {
		n := uint32(4)
		if r.bytes != 0 {
			n = uint32(r.bytes)
		}
		end = max(end, r.off+n)
	}
	return end
}

// descriptor adds the resource of a variable.
func (c *compiler) descriptor(in *spirv.Inst) *pointer {
	b := spirv.DescriptorOf(c.m, c.k, in)
	if !b.Bound {
		c.fail("resource variable %d has no DescriptorSet and Binding", in.Result)
	}
	t := c.m.Pointee(in)
	p := &pointer{t: t, dyn: ir.NoValue, elem: c.b.I32(0), space: spaceHandle, arrayed: b.Arrayed, compStride: 4}
	r := ir.Resource{Set: b.Set, Binding: b.Binding, Kind: c.resourceKind(b.Kind, t), Count: b.Count, ReadOnly: b.ReadOnly, Name: b.Name}
	if r.Kind == ir.UniformBuffer || r.Kind == ir.StorageBuffer {
		p.space = spaceBuffer
	}
	p.res = len(c.p.Resources)
	c.p.Resources = append(c.p.Resources, r)
	return p
}

// resourceKind is the kind of a descriptor of type t.
func (c *compiler) resourceKind(k spirv.DescriptorKind, t *spirv.Type) ir.ResourceKind {
	switch k {
	case spirv.DescriptorUniformBuffer:
		return ir.UniformBuffer
	case spirv.DescriptorStorageBuffer:
		return ir.StorageBuffer
	case spirv.DescriptorSampledImage:
		return ir.SampledImage
	case spirv.DescriptorStorageImage:
		return ir.StorageImage
	case spirv.DescriptorSampler:
		return ir.Sampler
	case spirv.DescriptorCombinedImageSampler:
		return ir.CombinedImageSampler
	case spirv.DescriptorUniformTexelBuffer:
		return ir.UniformTexelBuffer
	case spirv.DescriptorStorageTexelBuffer:
		return ir.StorageTexelBuffer
	case spirv.DescriptorInputAttachment:
		return ir.InputAttachment
	}
	c.fail("unsupported resource type %v", t)
	return 0
}

// handleOf makes the handle that a load of an image or sampler gives.
func (c *compiler) handleOf(p *pointer) *handle {
	h := &handle{image: -1, sampler: -1, imageElem: ir.NoValue, samplerElem: ir.NoValue}
	switch p.t.Kind {
	case spirv.KindImage:
		h.image, h.imageElem, h.t = p.res, p.elem, p.t
	case spirv.KindSampler:
		h.sampler, h.samplerElem = p.res, p.elem
	case spirv.KindSampledImage:
		h.image, h.imageElem, h.sampler, h.samplerElem, h.t = p.res, p.elem, p.res, p.elem, p.t.Elem
	default:
		c.fail("a load of %v as a handle", p.t)
	}
	return h
}
