package shader

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/pumice-gpu/pumice/internal/spirv"
)

// mendVersion changes with what mend, or withLines, makes of a module: results of another are not
// taken from the cache.
const mendVersion = "mend 2"

// What mend refuses.
var (
	errEntry    = errors.New("there is no entry point: a function needs @vertex, @fragment or @compute")
	errSubgroup = errors.New("subgroup operations need SPIR-V 1.3: set Options.Target to Vulkan11 or later")
	errCopies   = errors.New("arrays in workgroup memory are copied whole: such a copy is an instruction an element, and the module would be too large; copy elements in a loop")
)

// mend makes what a compiler wrote valid for Vulkan, and returns what is valid as it is.
//
// Types of workgroup memory must have no layout: no Offset, ArrayStride or matrix
// layout (VUID-StandaloneSpirv-None-10684). From SPIR-V 1.5 on the same holds for
// variables of functions and of invocations. The compilers make one type of a type of the source, laid out where a buffer
// holds it. A type that no buffer holds loses its layout. Another has a twin without one, to which the pointers
// point; values keep the type that they have, and are copied, part by part or with OpCopyLogical, where they
// are loaded and stored.
func mend(code []byte) ([]byte, error) {
	if len(code) < 20 || len(code)%4 != 0 {
		return code, nil
	}
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	m := mender{
		minor: words[1] >> 8 & 0xFF, next: words[3], capabilities: map[spirv.Capability]bool{}, laid: map[uint32]bool{}, parts: map[uint32][]uint32{},
		lengths: map[uint32]uint32{}, pointers: map[uint32]pointer{}, typeOf: map[uint32]uint32{}, twins: map[uint32]uint32{}, strip: map[uint32]bool{},
	}
	m.scan(words[5:])
	if err := m.refuse(); err != nil {
		return nil, err
	}
	m.decide()
	if len(m.twins)+len(m.strip) == 0 {
		return code, nil
	}
	m.out = append(make([]uint32, 0, len(words)+len(words)/8), words[:5]...)
	for in := range instructions(words[5:]) {
		if m.instruction(in); len(m.out) > spirv.MaxWords {
			m.err = errCopies
		}
		if m.err != nil {
			return nil, m.err
		}
	}
	m.out[3] = m.next
	out := make([]byte, 0, 4*len(m.out))
	for _, w := range m.out {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out, nil
}

// instructions ranges over the instructions of words. It ends before one that is none.
func instructions(words []uint32) func(yield func(in []uint32) bool) {
	return func(yield func(in []uint32) bool) {
		for len(words) > 0 {
			n := int(words[0] >> 16)
			if n == 0 || n > len(words) || !yield(words[:n]) {
				return
			}
			words = words[n:]
		}
	}
}

// pointer is a type of pointers.
type pointer struct {
	class  spirv.StorageClass
	target uint32 // the type that it had in the module
}

// mender is the state of mend: what it knows of a module, by <id>, and what it writes.
type mender struct {
	minor        uint32 // version of SPIR-V
	capabilities map[spirv.Capability]bool
	entries      int

	laid     map[uint32]bool     // types with a layout of their own
	parts    map[uint32][]uint32 // of structures and arrays: members' types, or the element's
	order    []uint32            // those types as they are declared
	lengths  map[uint32]uint32   // of arrays, where they are constants
	pointers map[uint32]pointer
	typeOf   map[uint32]uint32 // of results

	twins map[uint32]uint32 // of types that buffers hold, too, and of constants of such types
	strip map[uint32]bool   // types that lose their layout

	next uint32 // <id> that is free
	out  []uint32
	err  error
}

// bare says that types of a storage class may have no layout.
func (m *mender) bare(class spirv.StorageClass) bool {
	switch class {
	case spirv.StorageClassWorkgroup:
		return !m.capabilities[spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR]
	case spirv.StorageClassFunction, spirv.StorageClassPrivate:
		return m.minor > 4
	default:
		return false
	}
}

// isLayout says that a decoration is part of a layout.
func isLayout(d uint32) bool {
	switch spirv.Decoration(d) {
	case spirv.DecorationOffset, spirv.DecorationArrayStride, spirv.DecorationMatrixStride, spirv.DecorationColMajor, spirv.DecorationRowMajor:
		return true
	default:
		return false
	}
}

// scan reads what the module declares.
func (m *mender) scan(words []uint32) {
	constants := map[uint32]uint32{}
	for in := range instructions(words) {
		switch op := spirv.Op(in[0] & 0xFFFF); op {
		case spirv.OpCapability:
			m.capabilities[spirv.Capability(in[1])] = true
		case spirv.OpEntryPoint:
			m.entries++
		case spirv.OpDecorate:
			m.laid[in[1]] = m.laid[in[1]] || isLayout(in[2])
		case spirv.OpMemberDecorate:
			m.laid[in[1]] = m.laid[in[1]] || isLayout(in[3])
		case spirv.OpConstant:
			constants[in[2]] = in[3]
		case spirv.OpTypeStruct:
			m.parts[in[1]], m.order = in[2:], append(m.order, in[1])
		case spirv.OpTypeArray, spirv.OpTypeRuntimeArray:
			m.parts[in[1]], m.order = in[2:3], append(m.order, in[1])
			m.lengths[in[1]] = 0
			if op == spirv.OpTypeArray {
				m.lengths[in[1]] = constants[in[3]]
			}
		case spirv.OpTypePointer:
			m.pointers[in[1]] = pointer{spirv.StorageClass(in[2]), in[3]}
		case spirv.OpFunction:
			return
		}
	}
}

func (m *mender) isArray(t uint32) bool {
	_, ok := m.lengths[t]
	return ok
}

// refuse says what is no module for Vulkan, and cannot be made one.
func (m *mender) refuse() error {
	if m.entries == 0 {
		return errEntry
	}
	for c := range m.capabilities {
		if m.minor < 3 && c >= spirv.CapabilityGroupNonUniform && c <= spirv.CapabilityGroupNonUniformQuad {
			return errSubgroup
		}
	}
	return nil
}

// decide finds the types that lose their layout and those that have a twin.
func (m *mender) decide() {
	held, bare := map[uint32]bool{}, map[uint32]bool{} // by buffers, and by memory without a layout
	var mark func(set map[uint32]bool, t uint32)
	mark = func(set map[uint32]bool, t uint32) {
		if parts, ok := m.parts[t]; ok && !set[t] {
			set[t] = true
			for _, part := range parts {
				mark(set, part)
			}
		}
	}
	for _, ptr := range m.pointers {
		switch {
		case m.bare(ptr.class):
			mark(bare, ptr.target)
		case ptr.class != spirv.StorageClassFunction && ptr.class != spirv.StorageClassPrivate: // those may be either
			mark(held, ptr.target)
		}
	}
	changes := map[uint32]bool{}
	for _, t := range m.order { // parts stand before what they are parts of
		if !bare[t] {
			continue
		}
		hasTwin := func(part uint32) bool { return m.twins[part] != 0 }
		changes[t] = m.laid[t] || slices.ContainsFunc(m.parts[t], func(part uint32) bool { return changes[part] })
		switch {
		case changes[t] && (held[t] || slices.ContainsFunc(m.parts[t], hasTwin)):
			m.twins[t] = m.id()
		case m.laid[t]:
			m.strip[t] = true
		}
	}
}

func (m *mender) id() uint32 {
	m.next++
	return m.next - 1
}

func (m *mender) emit(op spirv.Op, operands ...uint32) {
	m.out = append(append(m.out, uint32(len(operands)+1)<<16|uint32(op)), operands...)
}

// twin is the twin of a type or a constant that has one, else itself.
func (m *mender) twin(id uint32) uint32 {
	if t := m.twins[id]; t != 0 {
		return t
	}
	return id
}

// twinsOf are <id>s with those replaced that have a twin.
func (m *mender) twinsOf(ids []uint32) []uint32 {
	list := slices.Clone(ids)
	for i, id := range list {
		list[i] = m.twin(id)
	}
	return list
}

// pointee is the type of what a pointer points to, as values have it, and whether memory has its twin instead.
func (m *mender) pointee(id uint32) (t uint32, hasTwin bool) {
	ptr := m.pointers[m.typeOf[id]]
	return ptr.target, m.bare(ptr.class) && m.twins[ptr.target] != 0
}

// instruction writes what becomes of an instruction.
func (m *mender) instruction(in []uint32) {
	op := spirv.Op(in[0] & 0xFFFF)
	switch op {
	case spirv.OpName, spirv.OpMemberName, spirv.OpDecorate, spirv.OpMemberDecorate:
		layout := op == spirv.OpDecorate && isLayout(in[2]) || op == spirv.OpMemberDecorate && isLayout(in[3])
		if layout && m.strip[in[1]] {
			return
		}
		name := op == spirv.OpName || op == spirv.OpMemberName
		relaxed := op == spirv.OpMemberDecorate && spirv.Decoration(in[3]) == spirv.DecorationRelaxedPrecision
		if t := m.twins[in[1]]; t != 0 && (name || relaxed) { // other decorations are of buffers
			m.emit(op, append([]uint32{t}, in[2:]...)...)
		}
	case spirv.OpTypeStruct, spirv.OpTypeArray:
		if t := m.twins[in[1]]; t != 0 {
			m.out = append(m.out, in...)
			m.emit(op, append([]uint32{t}, m.twinsOf(in[2:])...)...) // an array's length is no type, and has no twin
			return
		}
	case spirv.OpTypePointer:
		if m.bare(spirv.StorageClass(in[2])) {
			m.emit(op, in[1], in[2], m.twin(in[3]))
			return
		}
	case spirv.OpConstantNull, spirv.OpConstantComposite, spirv.OpSpecConstantComposite, spirv.OpUndef:
		m.typeOf[in[2]] = in[1]
		if t := m.twins[in[1]]; t != 0 {
			m.out = append(m.out, in...)
			m.twins[in[2]] = m.id()
			m.emit(op, append([]uint32{t, m.twins[in[2]]}, m.twinsOf(in[3:])...)...)
			return
		}
	case spirv.OpVariable:
		m.typeOf[in[2]] = in[1]
		if _, hasTwin := m.pointee(in[2]); hasTwin && len(in) > 4 {
			m.emit(op, in[1], in[2], in[3], m.twin(in[4]))
			return
		}
	case spirv.OpLoad:
		m.typeOf[in[2]] = in[1]
		if t, hasTwin := m.pointee(in[3]); hasTwin {
			loaded := m.id()
			m.emit(op, append([]uint32{m.twins[t], loaded}, in[3:]...)...)
			m.copy(loaded, t, false, in[2])
			return
		}
	case spirv.OpStore:
		if t, hasTwin := m.pointee(in[1]); hasTwin {
			value := m.twin(in[2])
			if value == in[2] {
				value = m.id()
				m.copy(in[2], t, true, value)
			}
			m.emit(op, append([]uint32{in[1], value}, in[3:]...)...)
			return
		}
	case spirv.OpCopyMemory:
		t, fromTwin := m.pointee(in[2])
		if _, toTwin := m.pointee(in[1]); fromTwin || toTwin {
			value := m.id()
			m.instruction([]uint32{4<<16 | uint32(spirv.OpLoad), t, value, in[2]})
			m.instruction([]uint32{3<<16 | uint32(spirv.OpStore), in[1], value})
			return
		}
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpFunctionParameter, spirv.OpCopyObject, spirv.OpFunctionCall:
		m.typeOf[in[2]] = in[1] // pointers
	}
	m.out = append(m.out, in...)
}

// copy writes a value of type t as one of t's twin, or the other way round.
func (m *mender) copy(value, t uint32, toTwin bool, result uint32) {
	as := func(t uint32) uint32 {
		if toTwin {
			return m.twin(t)
		}
		return t
	}
	if m.minor >= 4 {
		m.emit(spirv.OpCopyLogical, as(t), result, value)
		return
	}
	// build makes the part of the value at a path of literals.
	var build func(t uint32, path []uint32, result uint32)
	build = func(t uint32, path []uint32, result uint32) {
		members, n := m.parts[t], uint32(len(m.parts[t]))
		if m.isArray(t) {
			n = m.lengths[t]
		}
		if n == 0 || n > 0xFFFF-3 || len(m.out) > spirv.MaxWords {
			m.err = errCopies // also of an array whose length is no constant here: the compilers copy none
			return
		}
		whole := []uint32{as(t), result}
		for i := range n {
			part := m.id()
			t := members[min(int(i), len(members)-1)] // all elements of an array have one type
			at := append(slices.Clone(path), i)
			if m.twins[t] != 0 {
				build(t, at, part)
			} else {
				m.emit(spirv.OpCompositeExtract, append([]uint32{t, part, value}, at...)...)
			}
			whole = append(whole, part)
		}
		m.emit(spirv.OpCompositeConstruct, whole...)
	}
	build(t, nil, result)
}
