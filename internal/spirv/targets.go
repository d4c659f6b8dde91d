package spirv

import "cmp"

// validateAnnotations checks that decorations and names stand on what can have
// them (spec: Decoration).
func (m *Module) validateAnnotations() error {
	if err := firstOf(m.memberNames, compareMembers, func(key memberKey, _ *Inst) error { return m.checkMember(key, OpMemberName) }); err != nil {
		return err
	}
	if err := firstOf(m.members, compareMembers, func(key memberKey, _ []Decorated) error { return m.checkMember(key, OpMemberDecorate) }); err != nil {
		return err
	}
	return firstOf(m.decorations, cmp.Compare[ID], func(id ID, list []Decorated) error {
		d := m.defs.At(id)
		if d == nil || d.Op == OpDecorationGroup {
			return nil
		}
		for _, x := range list {
			if what := targetOf(x.Kind, d.Op, m.Type(id)); what != "" {
				return d.errorf("OpDecorate", "the decoration %v, which is for %s", x.Kind, what)
			}
		}
		return nil
	})
}

// firstOf is check's error for the first key of a map that has one, so that a module is
// always refused for the same reason.
func firstOf[K comparable, V any](m map[K]V, compare func(a, b K) int, check func(K, V) error) (err error) {
	var first K
	for key, value := range m {
		if e := check(key, value); e != nil && (err == nil || compare(key, first) < 0) {
			first, err = key, e
		}
	}
	return err
}

func compareMembers(a, b memberKey) int {
	return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.member, b.member))
}

func (m *Module) checkMember(key memberKey, op Op) error {
	t := m.Type(key.id)
	if t == nil || t.Kind != KindStruct {
		return &Error{Opcode: op, Rule: op.String(), Msg: "<id> " + itoa(key.id) + " is not a structure"}
	}
	if uint64(key.member) >= uint64(len(t.Members)) {
		return m.defs.At(key.id).errorf(op.String(), "member %d of a structure of %d", key.member, len(t.Members))
	}
	return nil
}

// targetOf returns what a decoration is for, where it does not stand on that.
func targetOf(kind Decoration, op Op, t *Type) string {
	variable := op == OpVariable || op == OpUntypedVariableKHR
	memory := variable || op == OpFunctionParameter
	switch kind {
	case DecorationGLSLShared, DecorationGLSLPacked:
		return "other environments than Vulkan"
	case DecorationBlock, DecorationBufferBlock:
		if t == nil || t.Kind != KindStruct {
			return "structures"
		}
	case DecorationArrayStride:
		if t == nil || t.Kind != KindArray && t.Kind != KindRuntimeArray && t.Kind != KindPointer {
			return "arrays and pointers"
		}
	case DecorationSpecId:
		if op != OpSpecConstant && op != OpSpecConstantTrue && op != OpSpecConstantFalse {
			return "specialization constants that are scalars"
		}
	case DecorationDescriptorSet, DecorationBinding, DecorationInputAttachmentIndex, DecorationLocation, DecorationComponent, DecorationIndex:
		if !variable {
			return "variables"
		}
	case DecorationBuiltIn:
		if !variable && !isConstant(op) {
			return "variables and constants"
		}
	case DecorationFlat, DecorationNoPerspective, DecorationCentroid, DecorationSample, DecorationPatch:
		if !memory {
			return "variables and parameters"
		}
	case DecorationRestrict, DecorationAliased, DecorationVolatile, DecorationCoherent, DecorationNonWritable, DecorationNonReadable:
		if !memory && op != OpRawAccessChainNV {
			return "variables, parameters and raw access chains"
		}
	case DecorationOffset, DecorationMatrixStride, DecorationRowMajor, DecorationColMajor:
		if kind != DecorationOffset || !variable { // offsets of transform feedback
			return "members of structures"
		}
	case DecorationRelaxedPrecision:
		if t != nil {
			return "values, variables and members"
		}
	}
	return ""
}

// validateWidth demands the capabilities of a type of a number.
func (m *Module) validateWidth(t *Type) bool {
	var list []Capability
	switch {
	case t.Kind == KindInt && t.Width == 8:
		list = []Capability{CapabilityInt8, CapabilityStorageBuffer8BitAccess, CapabilityUniformAndStorageBuffer8BitAccess, CapabilityStoragePushConstant8,
			CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR}
	case t.Width == 16:
		list = []Capability{CapabilityInt16, CapabilityStorageBuffer16BitAccess, CapabilityUniformAndStorageBuffer16BitAccess, CapabilityStoragePushConstant16,
			CapabilityStorageInputOutput16, CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR}
		if t.Kind == KindFloat {
			list[0] = CapabilityFloat16
		}
	case t.Kind == KindInt && t.Width == 64:
		list = []Capability{CapabilityInt64}
	case t.Kind == KindFloat && t.Width == 64:
		list = []Capability{CapabilityFloat64}
	}
	return m.declaresOne(list)
}
