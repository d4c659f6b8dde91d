package programs

import (
	"fmt"
	"slices"

	"github.com/pumice-gpu/pumice/internal/spirv"
)

// A kind is a scalar type of SPIR-V. Integers are unsigned: operations say how they read them.
type kind uint8

const (
	boolean kind = iota
	i8
	i16
	i32
	i64
	f16
	f32
	f64
)

func (k kind) String() string {
	return [...]string{"bool", "i8", "i16", "i32", "i64", "f16", "f32", "f64"}[k]
}

// bits is the width of a number.
func (k kind) bits() int { return [...]int{1, 8, 16, 32, 64, 16, 32, 64}[k] }

func (k kind) float() bool { return k >= f16 }

// An id is a result of an instruction.
type id = uint32

// A module is a compute shader in the making: words of its sections, and what it has of types and constants.
type module struct {
	capabilities, extensions, entry, decorations, globals, body []uint32
	interfaces                                                  []id
	next                                                        id
	known                                                       map[string]id
	group, subgroup                                             uint32 // invocations of a workgroup and of a subgroup, 0: any
	in, out, push, index                                        id
	glsl                                                        id
	stride                                                      uint32                // cases of a buffer of operands
	modes                                                       []spirv.ExecutionMode // of floats of all widths that there are
	addresses                                                   bool                  // device addresses are 64 bits of a physical storage buffer
	plain                                                       []spirv.ExecutionMode // execution modes without operands
}

// newModule is a module whose operands and results are words of buffers: word w of operand k of case i is word
// 2·(k·stride + i) + w.
func newModule(stride, group int) *module {
	m := &module{known: map[string]id{}, next: 1, group: uint32(group), stride: uint32(stride)}
	m.need(spirv.CapabilityShader)
	m.glsl = m.id()
	m.in, m.out = m.buffer(0), m.buffer(1)
	m.index = m.builtin(spirv.BuiltInGlobalInvocationId, 3)
	m.begin()
	return m
}

func (m *module) id() id { m.next++; return m.next - 1 }

func add(to *[]uint32, op spirv.Op, words ...uint32) {
	*to = append(append(*to, uint32(len(words)+1)<<16|uint32(op)), words...)
}

// need declares a capability once.
func (m *module) need(list ...spirv.Capability) {
	for _, c := range list {
		if key := fmt.Sprint("capability ", c); m.known[key] == 0 {
			m.known[key] = 1
			add(&m.capabilities, spirv.OpCapability, uint32(c))
		}
	}
}

// uses declares an extension once.
func (m *module) uses(name string) {
	if m.known[name] == 0 {
		m.known[name] = 1
		add(&m.extensions, spirv.OpExtension, text(name)...)
	}
}

// text is a string in words.
func text(s string) []uint32 {
	w := make([]uint32, len(s)/4+1)
	for i := range len(s) {
		w[i/4] |= uint32(s[i]) << (i % 4 * 8)
	}
	return w
}

// global makes a type or a constant that there is once.
func (m *module) global(op spirv.Op, typ id, words ...uint32) id {
	key := fmt.Sprint(op, typ, words)
	if m.known[key] == 0 {
		m.known[key] = m.id()
		if typ != 0 {
			words = append([]uint32{typ, m.known[key]}, words...)
		} else {
			words = append([]uint32{m.known[key]}, words...)
		}
		add(&m.globals, op, words...)
	}
	return m.known[key]
}

func (m *module) typ(k kind) id {
	switch k {
	case boolean:
		return m.global(spirv.OpTypeBool, 0)
	case i8:
		m.need(spirv.CapabilityInt8)
	case i16:
		m.need(spirv.CapabilityInt16)
	case i64:
		m.need(spirv.CapabilityInt64)
	case f16:
		m.need(spirv.CapabilityFloat16)
	case f64:
		m.need(spirv.CapabilityFloat64)
	}
	if k.float() {
		return m.global(spirv.OpTypeFloat, 0, uint32(k.bits()))
	}
	return m.global(spirv.OpTypeInt, 0, uint32(k.bits()), 0)
}

func (m *module) vector(k kind, n int) id {
	return m.global(spirv.OpTypeVector, 0, m.typ(k), uint32(n))
}

func (m *module) pointer(class spirv.StorageClass, to id) id {
	return m.global(spirv.OpTypePointer, 0, uint32(class), to)
}

// constant is a number of a kind, by its bits.
func (m *module) constant(k kind, bits uint64) id {
	switch {
	case k == boolean && bits != 0:
		return m.global(spirv.OpConstantTrue, m.typ(k))
	case k == boolean:
		return m.global(spirv.OpConstantFalse, m.typ(k))
	case k.bits() == 64:
		return m.global(spirv.OpConstant, m.typ(k), uint32(bits), uint32(bits>>32))
	}
	return m.global(spirv.OpConstant, m.typ(k), uint32(bits))
}

func (m *module) word(n int) id { return m.constant(i32, uint64(uint32(n))) }

// variable makes a variable outside of functions.
func (m *module) variable(class spirv.StorageClass, to id) id {
	p, v := m.pointer(class, to), m.id()
	add(&m.globals, spirv.OpVariable, p, v, uint32(class))
	return v
}

// buffer is a storage buffer of words at a binding.
func (m *module) buffer(binding uint32) id {
	list := m.known["list"]
	if list == 0 {
		u := m.typ(i32)
		list = m.id()
		m.known["list"] = list
		add(&m.decorations, spirv.OpDecorate, list, uint32(spirv.DecorationArrayStride), 4)
		add(&m.globals, spirv.OpTypeRuntimeArray, list, u)
	}
	return m.bind(binding, list)
}

// block is the type of buffers of words.
func (m *module) block() id { return m.known[fmt.Sprint("block ", m.known["list"])] }

// bind is a storage buffer that holds a type.
func (m *module) bind(binding uint32, holds id) id {
	block := m.known[fmt.Sprint("block ", holds)]
	if block == 0 {
		block = m.id()
		m.known[fmt.Sprint("block ", holds)] = block
		add(&m.globals, spirv.OpTypeStruct, block, holds)
		add(&m.decorations, spirv.OpDecorate, block, uint32(spirv.DecorationBlock))
		add(&m.decorations, spirv.OpMemberDecorate, block, 0, uint32(spirv.DecorationOffset), 0)
	}
	v := m.variable(spirv.StorageClassStorageBuffer, block)
	add(&m.decorations, spirv.OpDecorate, v, uint32(spirv.DecorationDescriptorSet), 0)
	add(&m.decorations, spirv.OpDecorate, v, uint32(spirv.DecorationBinding), binding)
	return v
}

// pushed is a push constant: a struct of n words.
func (m *module) pushed(n int) id {
	if m.push == 0 {
		block := m.id()
		words := []uint32{block}
		for i := range n {
			words = append(words, m.typ(i32))
			add(&m.decorations, spirv.OpMemberDecorate, block, uint32(i), uint32(spirv.DecorationOffset), uint32(4*i))
		}
		add(&m.decorations, spirv.OpDecorate, block, uint32(spirv.DecorationBlock))
		add(&m.globals, spirv.OpTypeStruct, words...)
		m.push = m.variable(spirv.StorageClassPushConstant, block)
	}
	return m.push
}

// parameter is a word of the push constants.
func (m *module) parameter(i int) id {
	p := m.value(spirv.OpAccessChain, m.pointer(spirv.StorageClassPushConstant, m.typ(i32)), m.push, m.word(i))
	return m.value(spirv.OpLoad, m.typ(i32), p)
}

// builtin is an input of n words.
func (m *module) builtin(b spirv.BuiltIn, n int) id {
	t := m.typ(i32)
	if n > 1 {
		t = m.vector(i32, n)
	}
	v := m.variable(spirv.StorageClassInput, t)
	add(&m.decorations, spirv.OpDecorate, v, uint32(spirv.DecorationBuiltIn), uint32(b))
	m.interfaces = append(m.interfaces, v)
	return v
}

const mainID = "main function"

func (m *module) begin() {
	void := m.global(spirv.OpTypeVoid, 0)
	f := m.global(spirv.OpTypeFunction, 0, void)
	m.known[mainID] = m.id()
	add(&m.entry, spirv.OpFunction, void, m.known[mainID], 0, f)
	add(&m.entry, spirv.OpLabel, m.id())
}

// local is a variable of the function; it must not stand behind other instructions.
func (m *module) local(t id) id {
	p, v := m.pointer(spirv.StorageClassFunction, t), m.id()
	add(&m.entry, spirv.OpVariable, p, v, uint32(spirv.StorageClassFunction))
	return v
}

// value is an instruction with a result.
func (m *module) value(op spirv.Op, typ id, words ...uint32) id {
	r := m.id()
	add(&m.body, op, append([]uint32{typ, r}, words...)...)
	return r
}

// do is an instruction without a result.
func (m *module) do(op spirv.Op, words ...uint32) { add(&m.body, op, words...) }

// of is an operation on numbers that gives one of a kind.
func (m *module) of(op spirv.Op, k kind, args ...id) id { return m.value(op, m.typ(k), args...) }

// ext is an operation of GLSL.std.450.
func (m *module) ext(op spirv.GLSLOp, k kind, args ...id) id {
	return m.value(spirv.OpExtInst, m.typ(k), append([]uint32{m.glsl, uint32(op)}, args...)...)
}

// invocation is the number of this one.
func (m *module) invocation() id {
	v := m.value(spirv.OpLoad, m.vector(i32, 3), m.index)
	return m.value(spirv.OpCompositeExtract, m.typ(i32), v, 0)
}

// element points to a word of a buffer.
func (m *module) element(buffer, at id) id {
	return m.value(spirv.OpAccessChain, m.pointer(spirv.StorageClassStorageBuffer, m.typ(i32)), buffer, m.word(0), at)
}

// operand is operand number n, of a kind, of a case.
func (m *module) operand(k kind, n int, at id) id {
	at = m.of(spirv.OpIMul, i32, m.of(spirv.OpIAdd, i32, at, m.word(n*int(m.stride))), m.word(2))
	low := m.of(spirv.OpLoad, i32, m.element(m.in, at))
	if k.bits() < 64 {
		return m.narrow(k, low)
	}
	high := m.of(spirv.OpLoad, i32, m.element(m.in, m.of(spirv.OpIAdd, i32, at, m.word(1))))
	return m.of(spirv.OpBitcast, k, m.value(spirv.OpCompositeConstruct, m.vector(i32, 2), low, high))
}

// narrow makes a number of 32 bits at most of a word.
func (m *module) narrow(k kind, w id) id {
	switch k {
	case boolean:
		return m.of(spirv.OpINotEqual, boolean, w, m.word(0))
	case i8, i16:
		return m.of(spirv.OpUConvert, k, w)
	case f16:
		return m.of(spirv.OpBitcast, k, m.of(spirv.OpUConvert, i16, w))
	case f32:
		return m.of(spirv.OpBitcast, k, w)
	}
	return w
}

// words are the words of a number: one, or two.
func (m *module) words(k kind, v id) []id {
	switch k {
	case boolean:
		return []id{m.value(spirv.OpSelect, m.typ(i32), v, m.word(1), m.word(0))}
	case i8, i16:
		return []id{m.of(spirv.OpUConvert, i32, v)}
	case f16:
		return []id{m.of(spirv.OpUConvert, i32, m.of(spirv.OpBitcast, i16, v))}
	case f32:
		return []id{m.of(spirv.OpBitcast, i32, v)}
	case i64, f64:
		pair := m.value(spirv.OpBitcast, m.vector(i32, 2), v)
		return []id{m.of(spirv.OpCompositeExtract, i32, pair, 0), m.of(spirv.OpCompositeExtract, i32, pair, 1)}
	}
	return []id{v}
}

// store writes result number n, of a kind, of a case.
func (m *module) store(k kind, n int, at, v id) {
	at = m.of(spirv.OpIMul, i32, m.of(spirv.OpIAdd, i32, at, m.word(n*int(m.stride))), m.word(2))
	for w, x := range m.words(k, v) {
		m.do(spirv.OpStore, m.element(m.out, m.of(spirv.OpIAdd, i32, at, m.word(w))), x)
	}
}

// label begins a block of the body.
func (m *module) label(l id) { m.do(spirv.OpLabel, l) }

// when runs then, and otherwise where it is not nil, by a condition.
func (m *module) when(cond id, then, otherwise func()) {
	yes, no, merge := m.id(), m.id(), m.id()
	if otherwise == nil {
		no = merge
	}
	m.do(spirv.OpSelectionMerge, merge, 0)
	m.do(spirv.OpBranchConditional, cond, yes, no)
	m.label(yes)
	then()
	m.do(spirv.OpBranch, merge)
	if otherwise != nil {
		m.label(no)
		otherwise()
		m.do(spirv.OpBranch, merge)
	}
	m.label(merge)
}

// finish returns the module's words.
func (m *module) finish() []uint32 {
	for _, mode := range m.modes {
		m.uses("SPV_KHR_float_controls")
		m.need(map[spirv.ExecutionMode]spirv.Capability{spirv.ExecutionModeRoundingModeRTZ: spirv.CapabilityRoundingModeRTZ, spirv.ExecutionModeDenormFlushToZero: spirv.CapabilityDenormFlushToZero}[mode])
	}
	words := []uint32{spirv.Magic, 0x00010300, 0, m.next, 0}
	words = append(words, m.capabilities...)
	words = append(words, m.extensions...)
	add(&words, spirv.OpExtInstImport, append([]uint32{m.glsl}, text("GLSL.std.450")...)...)
	var addressing uint32 // logical
	if m.addresses {
		addressing = 5348 // PhysicalStorageBuffer64
	}
	add(&words, spirv.OpMemoryModel, addressing, 1)
	add(&words, spirv.OpEntryPoint, slices.Concat([]uint32{uint32(spirv.ExecutionModelGLCompute), m.known[mainID]}, text("main"), m.interfaces)...)
	add(&words, spirv.OpExecutionMode, m.known[mainID], uint32(spirv.ExecutionModeLocalSize), m.group, 1, 1)
	for _, mode := range m.plain {
		add(&words, spirv.OpExecutionMode, m.known[mainID], uint32(mode))
	}
	for _, mode := range m.modes {
		for _, width := range []uint32{16, 32, 64} {
			add(&words, spirv.OpExecutionMode, m.known[mainID], uint32(mode), width)
		}
	}
	words = append(words, m.decorations...)
	words = append(words, m.globals...)
	words = append(words, m.entry...)
	words = append(words, m.body...)
	add(&words, spirv.OpReturn)
	add(&words, spirv.OpFunctionEnd)
	return words
}
