package spirv

import "cmp"

// Vectors of more than four components (SPV_EXT_long_vector). Their number may be a
// specialization constant, which Constants.VectorLen knows.

// checkVector demands a number of components that a vector may have
// (VUID-StandaloneSpirv-None-12295, VUID-RuntimeSpirv-longVector-12296).
func (m *Module) checkVector(in *Inst, t *Type) error {
	least, most := uint32(2), uint32(4)
	if m.declared[CapabilityLongVectorEXT] || in.Op == OpTypeVectorIdEXT {
		least, most = 1, MaxVectorComponents
	}
	if !t.Elem.IsScalar() || t.Count < least || t.Count > most {
		return in.errorf("_data_rules", "a vector of %d %v; it may have %d to %d components", t.Count, t.Elem, least, most)
	}
	t.long = t.Count > 4
	return nil
}

// defineVector is OpTypeVectorIdEXT: the constant says how many components.
func (m *Module) defineVector(in *Inst, t *Type) error {
	t.Kind, t.Len = KindVector, in.ID(1)
	if err := m.defineCooperativeVector(in, t); err != nil {
		return err
	}
	c, n := m.defs.At(t.Len), m.typeOf(t.Len)
	if c == nil || !isConstant(c.Op) || n == nil || n.Kind != KindInt || n.Width != 32 {
		return in.errorf(in.Op.String(), "the number of components <id> %d is not a constant of 32 bits declared before", t.Len)
	}
	switch c.Op {
	case OpConstant:
		t.Count, t.Len = c.Operands[0], 0
		return m.checkVector(in, t)
	case OpSpecConstant, OpSpecConstantOp:
		t.specialized = true
		if !t.Elem.IsScalar() {
			return in.errorf("_data_rules", "a vector of %v", t.Elem)
		}
		return nil
	}
	return in.errorf(in.Op.String(), "%v as the number of components", c.Op)
}

// VectorLen returns the number of components of a vector.
func (c *Constants) VectorLen(t *Type) (uint32, bool) {
	if t.Kind != KindVector || t.Count != 0 {
		return t.Count, t.Kind == KindVector
	}
	v, ok := c.Words(t.Len)
	if !ok || len(v) != 1 {
		return 0, false
	}
	return v[0], v[0] >= 1 && v[0] <= MaxVectorComponents
}

// checkVectors demands specialized numbers of components that vectors may have
// (VUID-RuntimeSpirv-longVector-12296, VUID-RuntimeSpirv-maxCooperativeVectorComponents-10094).
func (c *Constants) checkVectors() error {
	rule := "VUID-RuntimeSpirv-longVector-12296"
	if !c.m.declared[CapabilityLongVectorEXT] {
		if !c.m.declared[CapabilityCooperativeVectorNV] {
			return nil
		}
		rule = "VUID-RuntimeSpirv-maxCooperativeVectorComponents-10094"
	}
	return firstOf(c.m.Types, cmp.Compare[ID], func(id ID, t *Type) error {
		if t.Kind != KindVector {
			return nil
		}
		if n, ok := c.VectorLen(t); !ok {
			return c.m.defs.At(id).errorf(rule, "a vector of %d components; it may have 1 to %d", n, MaxVectorComponents)
		}
		return nil
	})
}

// checkLong demands memory that long vectors may be in of what a pointer points to
// (VUID-StandaloneSpirv-Type-12297).
func checkLong(in *Inst, t *Type) error {
	switch t.Storage {
	case StorageClassFunction, StorageClassPrivate, StorageClassUniform, StorageClassWorkgroup, StorageClassStorageBuffer,
		StorageClassPhysicalStorageBuffer, StorageClassPushConstant:
		return nil
	}
	if t.Elem.long {
		return in.errorf("VUID-StandaloneSpirv-Type-12297", "a vector of more than four components in storage class %v", t.Storage)
	}
	return nil
}

// checkSpecialized refuses vectors of a specialized number of components in variables whose
// layout the module says (VUID-StandaloneSpirv-Function-12294).
func (m *Module) checkSpecialized(v *Inst, class StorageClass, t *Type) error {
	laid := false
	switch class {
	case StorageClassWorkgroup:
		_, laid = m.Decoration(t.ID, DecorationBlock)
	case StorageClassStorageBuffer, StorageClassUniform, StorageClassPushConstant:
		laid = true
	}
	if laid && t.specialized {
		return v.errorf("VUID-StandaloneSpirv-Function-12294", "a vector of a specialized number of components in storage class %v", class)
	}
	return nil
}
