package spirv

// Descriptor heaps (SPV_EXT_descriptor_heap): variables that are the memory of descriptors, laid out as types say.

// DescriptorBytes is the size of descriptors of all types in memory, and their alignment.
const DescriptorBytes = 32

// IsHeap tells that a variable of the module is a descriptor heap.
func (m *Module) IsHeap(v *Inst) bool {
	d, ok := m.Decoration(v.Result, DecorationBuiltIn)
	return ok && len(d) == 1 && (BuiltIn(d[0]) == BuiltInSamplerHeapEXT || BuiltIn(d[0]) == BuiltInResourceHeapEXT) &&
		StorageClass(v.Operands[0]) == StorageClassUniformConstant
}

// sizeOf evaluates OpConstantSizeOfEXT: the size of a descriptor.
//
// interfaces-descriptor-sizes
func (c *Constants) sizeOf(in *Inst, t *Type, n int) ([]uint32, error) {
	of := c.m.Type(in.ID(0))
	if t.Kind != KindInt || of == nil || of.Kind != KindBuffer && of.Kind != KindImage && of.Kind != KindSampler {
		return nil, in.errorf("OpConstantSizeOfEXT", "the size of %v as %v", of, t)
	}
	out := make([]uint32, n)
	out[0] = DescriptorBytes
	return out, nil
}

// MemberOffset is the offset of member k of a structure in memory, bytes; false if nothing says it.
func (c *Constants) MemberOffset(st *Type, k uint32) (uint32, bool) {
	d, ok := c.m.MemberDecoration(st.ID, k, DecorationOffset)
	if ok {
		return one(d)
	}
	d, _ = c.m.MemberDecoration(st.ID, k, DecorationOffsetIdEXT)
	return c.named(d)
}

// ArrayStride is the distance of the elements of an array in memory, bytes; false if nothing says it.
func (c *Constants) ArrayStride(t *Type) (uint32, bool) {
	d, ok := c.m.Decoration(t.ID, DecorationArrayStride)
	if ok {
		return one(d)
	}
	d, _ = c.m.Decoration(t.ID, DecorationArrayStrideIdEXT)
	return c.named(d)
}

func one(d []uint32) (uint32, bool) {
	if len(d) != 1 {
		return 0, false
	}
	return d[0], true
}

// named is the value of the constant that is the parameter of a decoration.
func (c *Constants) named(d []uint32) (uint32, bool) {
	if len(d) != 1 {
		return 0, false
	}
	w, _ := c.Words(ID(d[0]))
	if len(w) == 2 && w[1] == 0 {
		w = w[:1]
	}
	return one(w)
}
