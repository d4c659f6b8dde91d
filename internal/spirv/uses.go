package spirv

// mayUse tells whether an instruction may name what def declares: types,
// functions, labels and imports stand in few places.
func mayUse(op Op, def *Inst) bool {
	switch sectionOf(op) {
	case sectionEntryPoints, sectionModes, sectionNames, sectionAnnotations, sectionAny:
		return true // checked apart, or without meaning
	}
	isType := func(op Op) bool {
		return op >= OpTypeVoid && op <= OpTypeForwardPointer || op == OpTypeVectorIdEXT || op == OpTypeCooperativeMatrixKHR ||
			op == OpTypeCooperativeMatrixNV ||
			op == OpTypeTensorLayoutNV || op == OpTypeTensorViewNV || op == OpTypeUntypedPointerKHR || op == OpTypeBufferEXT
	}
	switch {
	case isType(def.Op):
		return isType(op) || op == OpFunction || namesType(op)
	case def.Op == OpFunction:
		return op == OpFunctionCall || op == OpCooperativeMatrixReduceEXT ||
			op == OpCooperativeMatrixPerElementOpEXT || op == OpCooperativeMatrixLoadTensorNV
	case def.Op == OpLabel:
		switch op {
		case OpBranch, OpBranchConditional, OpSwitch, OpPhi, OpLoopMerge, OpSelectionMerge:
			return true
		}
		return false
	case def.Op == OpExtInstImport || def.Op == OpDecorationGroup:
		return false
	case def.Op == OpString:
		return op == OpSource || op == OpLine
	}
	return true
}

// validateScope demands of the instructions with scopes and memory semantics
// that these are 32-bit integers and, where they are plain constants, values
// that there are.
func (m *Module) validateScope(in *Inst) error {
	scopes, semantics := synchronizing(in.Op)
	check := func(i int, what string, ok func(v uint32) bool) error {
		d, t := m.defs.At(in.ID(i)), m.typeOf(in.ID(i))
		if t == nil || t.Kind != KindInt || t.Width != 32 {
			return in.errorf(in.Op.String(), "the %s <id> %d is not a 32-bit integer", what, in.ID(i))
		}
		if d.Op == OpConstant && !ok(d.Operands[0]) {
			return in.errorf(in.Op.String(), "%s %d", what, d.Operands[0])
		}
		return nil
	}
	for _, i := range scopes {
		if err := check(i, "scope", func(v uint32) bool { return v <= 6 }); err != nil {
			return err
		}
	}
	for _, i := range semantics {
		// Acquire, Release, AcquireRelease, SequentiallyConsistent: one of them.
		if err := check(i, "memory semantics", func(v uint32) bool { return v&0x1E&(v&0x1E-1) == 0 }); err != nil {
			return err
		}
	}
	return nil
}

// synchronizing gives the operands of an instruction that are scopes and memory
// semantics.
func synchronizing(op Op) (scopes, semantics []int) {
	switch op {
	case OpControlBarrier:
		return []int{0, 1}, []int{2}
	case OpMemoryBarrier:
		return []int{0}, []int{1}
	case OpAtomicStore:
		return []int{1}, []int{2}
	case OpAtomicCompareExchange:
		return []int{1}, []int{2, 3}
	case OpAtomicLoad, OpAtomicExchange, OpAtomicIIncrement, OpAtomicIDecrement, OpAtomicIAdd, OpAtomicISub, OpAtomicSMin, OpAtomicUMin,
		OpAtomicSMax, OpAtomicUMax, OpAtomicAnd, OpAtomicOr, OpAtomicXor, OpAtomicFAddEXT, OpAtomicFMinEXT, OpAtomicFMaxEXT:
		return []int{1}, []int{2}
	}
	return nil, nil
}

// validateGlobal demands Block of the structures of buffers (spec:
// StorageBuffer, Uniform, PushConstant storage classes).
func (m *Module) validateGlobal(v *Inst, t *Type) error {
	if m.IsHeap(v) {
		return nil
	}
	if err := m.checkSpecialized(v, t.Storage, m.Pointee(v)); err != nil {
		return err
	}
	switch t.Storage {
	case StorageClassStorageBuffer, StorageClassUniform, StorageClassPushConstant:
	default:
		return nil
	}
	e := m.Pointee(v)
	for e.Kind == KindArray || e.Kind == KindRuntimeArray {
		e = e.Elem
	}
	_, block := m.Decoration(e.ID, DecorationBlock)
	_, old := m.Decoration(e.ID, DecorationBufferBlock)
	if e.Kind != KindStruct || !block && (!old || t.Storage != StorageClassUniform) {
		return v.errorf("VUID-StandaloneSpirv-Uniform-06676", "a variable of storage class %v that is not a structure with Block", t.Storage)
	}
	return nil
}
