package spirv

// Pointers that do not say what they point to (SPV_KHR_untyped_pointers): each access does.

// Pointee is the type of what a variable of the module holds; nil where an untyped variable of a heap does not say it.
func (m *Module) Pointee(v *Inst) *Type {
	if v.Op == OpUntypedVariableKHR {
		return m.Type(v.ID(1))
	}
	return m.Type(v.Type).Elem
}

// namesType tells of instructions of untyped pointers that have a type as an operand.
func namesType(op Op) bool {
	switch op {
	case OpUntypedVariableKHR, OpUntypedAccessChainKHR, OpUntypedInBoundsAccessChainKHR, OpUntypedPtrAccessChainKHR, OpUntypedInBoundsPtrAccessChainKHR,
		OpUntypedArrayLengthKHR, OpConstantSizeOfEXT, OpUntypedImageTexelPointerEXT,
		OpCooperativeMatrixLengthKHR, OpCooperativeMatrixLengthNV:
		return true
	}
	return false
}

// pointsTo tells that a pointer may be one to a value of type t.
func pointsTo(p, t *Type) bool {
	return p != nil && p.Kind == KindPointer && (p.Elem == t || p.Untyped)
}

// checkUntyped demands memory with a layout (VUID-StandaloneSpirv-OpTypeUntypedPointerKHR-11417).
func (m *Module) checkUntyped(in *Inst, t *Type) error {
	switch t.Storage {
	case StorageClassStorageBuffer, StorageClassUniform, StorageClassPushConstant, StorageClassPhysicalStorageBuffer:
		return nil
	case StorageClassUniformConstant, StorageClassImage:
		if m.declared[CapabilityDescriptorHeapEXT] {
			return nil
		}
	case StorageClassWorkgroup:
		if m.declared[CapabilityWorkgroupMemoryExplicitLayoutKHR] {
			return nil
		}
	}
	return in.errorf("VUID-StandaloneSpirv-OpTypeUntypedPointerKHR-11417", "an untyped pointer of storage class %v, which has no layout here", t.Storage)
}

// checkData demands of an untyped variable that it says what it holds
// (VUID-StandaloneSpirv-OpUntypedVariableKHR-11167).
func (m *Module) checkData(v *Inst) error {
	if v.Op != OpUntypedVariableKHR || len(v.Operands) == 1 && m.IsHeap(v) {
		return nil
	}
	t := m.Type(v.ID(1))
	if t == nil && StorageClass(v.Operands[0]) == StorageClassUniformConstant {
		return v.errorf("VUID-StandaloneSpirv-OpUntypedVariableKHR-11347", "the variable has no data type and is no heap")
	}
	if t == nil || t.Kind == KindVoid || t.Kind == KindFunction || t.Kind == KindPointer || t.cooperative {
		return v.errorf("VUID-StandaloneSpirv-OpUntypedVariableKHR-11167", "the variable has no data type")
	}
	if _, block := m.Decoration(t.ID, DecorationBlock); StorageClass(v.Operands[0]) == StorageClassWorkgroup && (t.Kind != KindStruct || !block) {
		return v.errorf("OpUntypedVariableKHR", "an untyped variable in workgroup memory that is not a structure with Block")
	}
	return nil
}

// validateUntyped checks the types of an instruction of untyped pointers.
func (m *Module) validateUntyped(in *Inst, t *Type) error {
	bad := func(what string) error { return in.errorf(in.Op.String(), "%s", what) }
	pointer := func(i int) *Type {
		if p := m.typeOf(in.ID(i)); p != nil && p.Kind == KindPointer {
			return p
		}
		return nil
	}
	switch in.Op {
	case OpUntypedVariableKHR:
		return bad("an untyped variable in a function")
	case OpCopyMemorySized:
		if n := m.typeOf(in.ID(2)); pointer(0) == nil || pointer(1) == nil || n == nil || n.Kind != KindInt {
			return bad("the operands are not two pointers and an integer")
		}
		return nil
	case OpBufferPointerEXT:
		if p := pointer(0); p == nil || p.Storage != StorageClassUniformConstant || t.Kind != KindPointer || t.Storage != StorageClassUniform && t.Storage != StorageClassStorageBuffer {
			return bad("the operand is not a pointer to a descriptor, or the result not one to a buffer")
		}
		return nil
	case OpUntypedImageTexelPointerEXT:
		if im := m.Type(in.ID(0)); im == nil || im.Kind != KindImage || pointer(1) == nil || t.Kind != KindPointer || t.Storage != StorageClassImage {
			return bad("the operands are not an image type and a pointer, or the result not a pointer to a texel")
		}
		return nil
	case OpUntypedArrayLengthKHR:
		st, k := m.Type(in.ID(0)), in.Operands[2]
		if st == nil || st.Kind != KindStruct || uint64(k)+1 != uint64(len(st.Members)) || st.Members[k].Kind != KindRuntimeArray || pointer(1) == nil {
			return bad("the operands are not a structure, a pointer and the number of its last member, a runtime array")
		}
		return nil
	}
	base, p := m.Type(in.ID(0)), pointer(1)
	if base == nil || base.Kind == KindPointer || base.Kind == KindVoid || base.Kind == KindFunction {
		return bad("the base type is not a type of what a pointer points to")
	}
	if p == nil || !t.Untyped || p.Storage != t.Storage {
		return bad("the base and the result are not pointers of one storage class, the result untyped")
	}
	return nil
}
