package spirv

import (
	"cmp"
	"strconv"
)

func itoa(id ID) string { return strconv.FormatUint(uint64(id), 10) }

// validate checks what lowering relies on beyond the grammar.
func (m *Module) validate() error {
	if err := m.validateCapabilities(); err != nil {
		return err
	}
	if err := firstOf(m.extSets, cmp.Compare[ID], func(id ID, set string) error {
		if set != "GLSL.std.450" && set != TrinaryMinMax && set != ExplicitVertexParameter && !IsNonSemantic(set) && set != "OpenCL.DebugInfo.100" {
			return m.defs.At(id).errorf("_extended_instruction_sets", "unsupported instruction set %q", set)
		}
		return nil
	}); err != nil {
		return err
	}
	for _, e := range m.EntryPoints {
		if err := m.validateEntryPoint(e); err != nil {
			return err
		}
	}
	for _, v := range m.Globals {
		t := m.Type(v.Type)
		if t.Kind != KindPointer || t.Storage != StorageClass(v.Operands[0]) || t.Storage == StorageClassFunction || t.Untyped != (v.Op == OpUntypedVariableKHR) {
			return v.errorf(v.Op.String(), "the result type is not a pointer of the variable's storage class")
		}
		if err := m.checkData(v); err != nil {
			return err
		}
		if err := m.validateGlobal(v, t); err != nil {
			return err
		}
	}
	if err := m.validateAnnotations(); err != nil {
		return err
	}
	for _, f := range m.Functions {
		if err := m.validateFunction(f); err != nil {
			return err
		}
	}
	return nil
}

// ExplicitVertexParameter is the extended instruction set of
// VK_AMD_shader_explicit_vertex_parameter.
const ExplicitVertexParameter = "SPV_AMD_shader_explicit_vertex_parameter"

// TrinaryMinMax is the extended instruction set of VK_AMD_shader_trinary_minmax.
const TrinaryMinMax = "SPV_AMD_shader_trinary_minmax"

// IsNonSemantic reports whether an extended instruction set has no effect on
// the meaning of a module.
func IsNonSemantic(set string) bool { return len(set) >= 12 && set[:12] == "NonSemantic." }

func (m *Module) validateCapabilities() error {
	at := headerWords
	shader := false
	for _, c := range m.Capabilities {
		if !c.Supported() {
			return &Error{WordOffset: at, Opcode: OpCapability, Rule: "_capability", Msg: "unsupported capability " + c.String()}
		}
		shader = shader || c.impliesShader()
		at += 2
	}
	if !shader {
		return &Error{WordOffset: headerWords, Opcode: OpCapability, Rule: "_capability", Msg: "the module does not declare the capability Shader"}
	}
	for _, c := range []Capability{
		CapabilityCooperativeMatrixKHR, CapabilityCooperativeMatrixNV, CapabilityCooperativeVectorNV,
	} {
		if m.declared[c] && !m.declared[CapabilityVulkanMemoryModel] {
			return &Error{WordOffset: headerWords, Opcode: OpCapability,
				Rule: "_validation_rules_for_shader_capabilities",
				Msg:  c.String() + " without the capability VulkanMemoryModel"}
		}
	}
	return nil
}

func (m *Module) validateEntryPoint(e *EntryPoint) error {
	f := m.functions[e.Function]
	if f == nil {
		return &Error{Opcode: OpEntryPoint, Rule: "OpEntryPoint", Msg: "entry point " + strconv.Quote(e.Name) + " is not a function"}
	}
	if len(f.Params) != 0 || f.Type.Elem.Kind != KindVoid {
		return f.Def.errorf("_universal_validation_rules", "entry point %q has parameters or a result", e.Name)
	}
	if e.Model == ExecutionModelFragment {
		_, upper := e.Mode(ExecutionModeOriginUpperLeft)
		if _, lower := e.Mode(ExecutionModeOriginLowerLeft); !upper && !lower {
			return f.Def.errorf("ExecutionMode", "fragment shader %q has no origin", e.Name)
		}
	}
	for _, id := range e.Interface {
		v := m.defs.At(id)
		if v == nil || v.Op != OpVariable && v.Op != OpUntypedVariableKHR {
			return f.Def.errorf("OpEntryPoint", "interface <id> %d of %q is not a variable", id, e.Name)
		}
		s := StorageClass(v.Operands[0])
		if s == StorageClassFunction {
			return v.errorf("OpEntryPoint", "the interface of %q has a variable of a function", e.Name)
		}
		if m.Version < 0x10400 && s != StorageClassInput && s != StorageClassOutput {
			return v.errorf("OpEntryPoint", "before version 1.4 the interface holds inputs and outputs only")
		}
	}
	return nil
}

func (m *Module) validateFunction(f *Function) error {
	for _, b := range f.Blocks {
		if err := f.checkTargets(b); err != nil {
			return err
		}
		variables := b == f.Blocks[0] // which stand before all else
		for _, in := range b.Insts {
			if in.Op == OpVariable && !variables {
				return in.errorf("OpVariable", "a variable that does not stand at the head of the first block")
			}
			variables = variables && (in.Op == OpVariable || in.Op == OpLine || in.Op == OpNoLine || in.Op == OpExtInstWithForwardRefsKHR || in.Op == OpExtInst && m.extSets[in.ID(0)] != "GLSL.std.450")
			if err := m.validateOperands(f, in); err != nil {
				return err
			}
		}
		if err := m.validateOperands(f, b.Term); err != nil {
			return err
		}
		if b.Term.Op == OpSwitch && (b.Merge == nil || b.Merge.Op != OpSelectionMerge) {
			return b.Term.errorf("_structured_control_flow", "a switch without OpSelectionMerge")
		}
		if b.Merge != nil && b.Merge.Op == OpLoopMerge && b.Term.Op != OpBranch && b.Term.Op != OpBranchConditional {
			return b.Merge.errorf("_structured_control_flow", "OpLoopMerge before %v", b.Term.Op)
		}
		if b.Merge != nil && b.Merge.Op == OpSelectionMerge && b.Term.Op != OpSwitch && b.Term.Op != OpBranchConditional {
			return b.Merge.errorf("_structured_control_flow", "OpSelectionMerge before %v", b.Term.Op)
		}
	}
	return f.checkBackEdges()
}

func (f *Function) checkTargets(b *Block) error {
	for _, t := range b.Successors() {
		if f.Block(t) == nil {
			return b.Term.errorf("_universal_validation_rules", "branch to <id> %d, which is no block of the function", t)
		}
		if t == f.Blocks[0].Label {
			return b.Term.errorf("_universal_validation_rules", "branch to the entry block")
		}
	}
	if b.Merge != nil {
		n := 1
		if b.Merge.Op == OpLoopMerge {
			n = 2
		}
		for i := range n {
			if f.Block(b.Merge.ID(i)) == nil {
				return b.Merge.errorf("_structured_control_flow", "<id> %d is no block of the function", b.Merge.ID(i))
			}
		}
	}
	return nil
}

// Successors returns the labels that the terminator can branch to.
func (b *Block) Successors() []ID { return b.successors }

func (b *Block) appendSuccessors(to []ID) []ID {
	t := b.Term
	switch t.Op {
	case OpBranch:
		to = append(to, t.ID(0))
	case OpBranchConditional:
		to = append(to, t.ID(1), t.ID(2))
	case OpSwitch:
		to = append(to, t.ID(1))
		for _, c := range b.Cases() {
			to = append(to, c.Label)
		}
	}
	return to
}

// checkBackEdges demands that every back edge goes to a block with OpLoopMerge,
// by an iterative depth-first walk.
func (f *Function) checkBackEdges() error {
	const onStack, done = 1, 2
	state := map[ID]int{}
	type frame struct {
		b    *Block
		next []ID
	}
	first := f.Blocks[0]
	stack := []frame{{first, first.Successors()}}
	state[first.Label] = onStack
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.next) == 0 {
			state[top.b.Label] = done
			stack = stack[:len(stack)-1]
			continue
		}
		t := top.next[0]
		top.next = top.next[1:]
		b := f.Block(t)
		switch state[t] {
		case onStack:
			if b.Merge == nil || b.Merge.Op != OpLoopMerge {
				return top.b.Term.errorf("_structured_control_flow", "back edge to block %d, which has no OpLoopMerge", t)
			}
		case 0:
			state[t] = onStack
			stack = append(stack, frame{b, b.Successors()})
		}
	}
	return nil
}
