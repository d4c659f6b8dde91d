package spirv

// Pointers to a byte of a buffer (SPV_NV_raw_access_chains): a stride times an index, and an offset, from where another pointer points.

// Bits of the last operand of OpRawAccessChainNV: what is checked to lie in the buffer, each scalar, or the element that the index names.
const (
	robustnessPerComponent = 1 << iota
	robustnessPerElement
)

// validateRaw checks an OpRawAccessChainNV. What the extension asks of indices and alignments, nobody relies on.
func (m *Module) validateRaw(in *Inst, t *Type) error {
	bad := func(what string) error { return in.errorf(in.Op.String(), "%s", what) }
	base := m.typeOf(in.ID(0))
	if base == nil || base.Kind != KindPointer || t.Kind != KindPointer || base.Storage != t.Storage || base.Untyped || t.Untyped {
		return bad("the base and the result are not pointers of one storage class")
	}
	switch t.Storage {
	case StorageClassStorageBuffer, StorageClassPhysicalStorageBuffer, StorageClassUniform:
	default:
		return bad("a raw access chain in storage class " + t.Storage.String())
	}
	switch t.Elem.Kind {
	case KindInt, KindFloat, KindVector:
	case KindPointer:
		if t.Elem.Storage != StorageClassPhysicalStorageBuffer {
			return bad("a raw access chain to a pointer that has no place in memory")
		}
	default:
		return bad("a raw access chain to " + t.Elem.String())
	}
	stride := m.Def(in.ID(1))
	if n := m.typeOf(in.ID(1)); n == nil || n.Kind != KindInt || stride == nil || stride.Op != OpConstant {
		return bad("the stride is not an OpConstant of an integer")
	}
	for i := 2; i <= 3; i++ {
		if n := m.typeOf(in.ID(i)); n == nil || n.Kind != KindInt || n.Width != 32 {
			return bad("the index or the offset is not an integer of 32 bits")
		}
	}
	checks := uint32(0)
	if len(in.Operands) > 4 {
		checks = in.Operands[4]
	}
	zero := true
	for _, w := range stride.Operands {
		zero = zero && w == 0
	}
	switch {
	case checks&^(robustnessPerComponent|robustnessPerElement) != 0:
		return bad("raw access chain operands that there are not")
	case checks == robustnessPerComponent|robustnessPerElement:
		return bad("checks of components and of elements")
	case checks != 0 && t.Storage == StorageClassPhysicalStorageBuffer:
		return bad("checks of what an address points to, which has no size")
	case checks == robustnessPerElement && zero:
		return bad("checks of elements without a stride")
	}
	return nil
}
