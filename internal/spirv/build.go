package spirv

// parser builds the Module from its instructions.
type parser struct {
	m    *Module
	line Line
	// merged are the lines of selections by their merge blocks, which go on with the expression that
	// the selection is a part of (glslang says no line there, behind ?: and &&), or say another line.
	merged map[ID]Line
	fn     *Function
	block  *Block
	uses   []use
	list   []*Inst // those of the blocks, one after the other
	begun  int     // where those of the block begin
	labels []ID    // those that blocks branch to
	groups []*Inst
	modes  []*Inst

	entries map[entryKey]bool // those so far

	section  int
	hasModel bool
}

// entryKey is what no two entry points have in common.
type entryKey struct {
	name  string
	model ExecutionModel
}

// instPage is how many instructions get their room together.
const instPage = 2048

// use is an <id> operand that must turn out to be defined.
type use struct {
	id ID
	at int32 // MaxWords is below
	op Op
}

func (p *parser) run() error {
	m := p.m
	m.Types = map[ID]*Type{}
	m.extSets, m.strings = map[ID]string{}, map[ID]string{}
	m.memberNames = map[memberKey]*Inst{}
	m.decorations, m.members = map[ID][]Decorated{}, map[memberKey][]Decorated{}
	m.declared = map[Capability]bool{}
	m.functions = map[ID]*Function{}
	p.uses = make([]use, 0, len(m.Words)/2)
	left := m.count() // room is made as they turn out to be instructions
	p.list = make([]*Inst, 0, min(left, instPage))
	var page []Inst
	for at := headerWords; at < len(m.Words); {
		if len(page) == 0 {
			page = make([]Inst, max(min(left, instPage), 1))
			left -= len(page)
		}
		in := &page[0]
		page = page[1:]
		n, err := p.instruction(at, in)
		if err != nil {
			return err
		}
		if err := p.add(in); err != nil {
			return err
		}
		at += n
	}
	if p.fn != nil {
		return p.fn.Def.errorf("_logical_layout", "the function has no OpFunctionEnd")
	}
	for _, u := range p.uses {
		def := m.defs.At(u.id)
		if def == nil {
			return &Error{WordOffset: int(u.at), Opcode: u.op, Rule: "_universal_validation_rules", Msg: "operand <id> " + itoa(u.id) + " is never defined"}
		}
		if !mayUse(u.op, def) {
			return &Error{WordOffset: int(u.at), Opcode: u.op, Rule: "_universal_validation_rules", Msg: "operand <id> " + itoa(u.id) + " is the result of " + def.Op.String()}
		}
	}
	return p.finish()
}

func (p *parser) add(in *Inst) error {
	m := p.m
	if in.Result != 0 {
		if m.defs.At(in.Result) != nil {
			return in.errorf("_universal_validation_rules", "<id> %d is defined twice", in.Result)
		}
		m.defs.Set(in.Result, in)
	}
	if in.Type != 0 && m.Type(in.Type) == nil {
		return in.errorf("_universal_validation_rules", "result type <id> %d is not a type declared before", in.Type)
	}
	switch in.Op {
	case OpLine:
		p.line = Line{in.ID(0), in.Operands[1], in.Operands[2]}
		return nil
	case OpNoLine:
		p.line = Line{}
		return nil
	case OpExtInst, OpExtInstWithForwardRefsKHR:
		if set := m.extSets[in.ID(0)]; in.Op == OpExtInstWithForwardRefsKHR && !IsNonSemantic(set) {
			return in.errorf("SPV_KHR_relaxed_extended_instruction", "instruction set %q is not one without semantics", set)
		} else if set == debugInfo {
			p.debugLine(in)
		}
	}
	if err := p.inOrder(in); err != nil {
		return err
	}
	if p.fn != nil {
		return p.inFunction(in)
	}
	return p.global(in)
}

func (p *parser) global(in *Inst) error {
	m := p.m
	text := func(i int) string { return decodeString(in.Operands[i:]) }
	switch op := in.Op; op {
	case OpNop, OpExtension, OpSource, OpSourceContinued, OpSourceExtension, OpModuleProcessed, OpMemoryModel:
	case OpCapability:
		m.Capabilities = append(m.Capabilities, Capability(in.Operands[0]))
		m.declare(Capability(in.Operands[0]))
	case OpExtInstImport:
		m.extSets[in.Result] = text(0)
	case OpString:
		m.strings[in.Result] = text(0)
	case OpName:
		m.names.Set(in.ID(0), in)
	case OpMemberName:
		m.memberNames[memberKey{in.ID(0), in.Operands[1]}] = in
	case OpEntryPoint:
		name, n := text(2), stringWords(in.Operands[2:])
		e := &EntryPoint{Model: ExecutionModel(in.Operands[0]), Function: in.ID(1), Name: name}
		for _, id := range in.Operands[2+n:] {
			e.Interface = append(e.Interface, ID(id))
		}
		k := entryKey{e.Name, e.Model}
		if p.entries[k] {
			return in.errorf("_universal_validation_rules", "two entry points %q of one execution model", name)
		}
		if p.entries == nil {
			p.entries = map[entryKey]bool{}
		}
		p.entries[k] = true
		m.beyondFragment = m.beyondFragment || e.Model != ExecutionModelFragment
		m.EntryPoints = append(m.EntryPoints, e)
	case OpExecutionMode, OpExecutionModeId:
		p.modes = append(p.modes, in)
	case OpDecorate, OpDecorateId, OpDecorateString:
		m.decorations[in.ID(0)] = append(m.decorations[in.ID(0)], Decorated{Decoration(in.Operands[1]), in.Operands[2:]})
	case OpMemberDecorate, OpMemberDecorateString, OpMemberDecorateIdEXT:
		k := memberKey{in.ID(0), in.Operands[1]}
		m.members[k] = append(m.members[k], Decorated{Decoration(in.Operands[2]), in.Operands[3:]})
	case OpDecorationGroup:
	case OpGroupDecorate, OpGroupMemberDecorate:
		if g := m.defs.At(in.ID(0)); g == nil || g.Op != OpDecorationGroup {
			return in.errorf("OpGroupDecorate", "<id> %d is not a decoration group declared before", in.ID(0))
		}
		p.groups = append(p.groups, in)
	case OpVariable, OpUntypedVariableKHR:
		m.Globals = append(m.Globals, in)
	case OpExtInst, OpExtInstWithForwardRefsKHR: // debug information between the types
	case OpFunction:
		t := m.Type(in.ID(1))
		if t == nil || t.Kind != KindFunction || t.Elem.ID != in.Type {
			return in.errorf("OpFunction", "<id> %d is not a function type with this result", in.ID(1))
		}
		p.fn = &Function{ID: in.Result, Type: t, Def: in, blocks: &m.blocks}
	default:
		if isConstant(op) {
			m.Constants = append(m.Constants, in)
			return nil
		}
		return m.defineType(in)
	}
	return nil
}

func (p *parser) inFunction(in *Inst) error {
	f := p.fn
	switch in.Op {
	case OpFunctionParameter:
		if len(f.Blocks) > 0 || p.block != nil || len(f.Params) >= len(f.Type.Members) || f.Type.Members[len(f.Params)].ID != in.Type {
			return in.errorf("_logical_layout", "a parameter that the function type does not have")
		}
		f.Params = append(f.Params, in)
		return nil
	case OpFunctionEnd:
		if p.block != nil {
			return in.errorf("_logical_layout", "the last block has no terminator")
		}
		if len(f.Params) != len(f.Type.Members) {
			return in.errorf("OpFunction", "%d parameters; the type has %d", len(f.Params), len(f.Type.Members))
		}
		if len(f.Blocks) == 0 {
			return in.errorf("_logical_layout", "a function without a body (linkage is not supported)")
		}
		p.m.Functions = append(p.m.Functions, f)
		p.m.functions[f.ID] = f
		p.fn = nil
		p.line = Line{}
		return nil
	case OpLabel:
		if p.block != nil {
			return in.errorf("_logical_layout", "the block before has no terminator")
		}
		p.block = &Block{Label: in.Result, function: f}
		if p.line.Line == 0 {
			p.line = p.merged[in.Result]
		}
		p.begun = len(p.list)
		p.m.blocks.Set(in.Result, p.block)
		return nil
	}
	b := p.block
	if b == nil && len(f.Blocks) == 0 && in.Op == OpExtInst && IsNonSemantic(p.m.extSets[in.ID(0)]) {
		return nil // spirv-opt leaves DebugNoLine behind OpFunction
	}
	if b == nil {
		return in.errorf("_logical_layout", "an instruction outside a block")
	}
	switch {
	case isTerminator(in.Op):
		b.Term = in
		if in.Op == OpSwitch {
			b.literal = p.m.literalWords(in.ID(0))
		}
		b.Insts = p.list[p.begun:len(p.list):len(p.list)]
		first := len(p.labels)
		p.labels = b.appendSuccessors(p.labels)
		b.successors = p.labels[first:len(p.labels):len(p.labels)]
		f.Blocks = append(f.Blocks, b)
		p.block = nil
		p.line = Line{}
	case b.Merge != nil:
		return in.errorf("_structured_control_flow", "a merge instruction must stand just before the terminator")
	case in.Op == OpSelectionMerge || in.Op == OpLoopMerge:
		if b.Merge = in; in.Op == OpSelectionMerge && in.Line.Line != 0 {
			p.merged[in.ID(0)] = in.Line
		}
	case in.Op == OpNop:
	case in.Op == OpPhi && len(p.list) > p.begun && p.list[len(p.list)-1].Op != OpPhi:
		return in.errorf("OpPhi", "a phi after another instruction of its block")
	default:
		p.list = append(p.list, in)
	}
	return nil
}

func isTerminator(op Op) bool {
	switch op {
	case OpBranch, OpBranchConditional, OpSwitch, OpReturn, OpReturnValue, OpKill, OpUnreachable, OpTerminateInvocation, OpEmitMeshTasksEXT:
		return true
	default:
		return false
	}
}

// giveModes gives entry points the execution modes of their functions. Those of one
// function share the list.
func (p *parser) giveModes() error {
	if len(p.modes) == 0 {
		return nil
	}
	modes := map[ID][]Mode{}
	for _, e := range p.m.EntryPoints {
		modes[e.Function] = nil
	}
	for _, in := range p.modes {
		list, found := modes[in.ID(0)]
		if !found {
			return in.errorf("OpExecutionMode", "<id> %d is not an entry point", in.ID(0))
		}
		modes[in.ID(0)] = append(list, Mode{ExecutionMode(in.Operands[1]), in.Operands[2:], in.Op == OpExecutionModeId})
	}
	total := 0
	for _, e := range p.m.EntryPoints {
		e.Modes = modes[e.Function]
		if total += len(e.Modes); total > MaxWords {
			return p.modes[0].errorf("_universal_limits", "the entry points have more than %d execution modes", MaxWords)
		}
	}
	return nil
}

// finish applies what referred forward: execution modes and decoration groups.
func (p *parser) finish() error {
	m := p.m
	for id, t := range m.Types {
		if t.Kind == KindPointer && t.Elem == nil && !t.Untyped {
			return &Error{Opcode: OpTypeForwardPointer, Rule: "OpTypeForwardPointer", Msg: "<id> " + itoa(id) + " is announced and never declared as a pointer"}
		}
	}
	if err := p.giveModes(); err != nil {
		return err
	}
	total := 0
	for _, in := range p.groups {
		list := m.decorations[in.ID(0)]
		total += len(list) * len(in.Operands)
		if total > MaxWords {
			return in.errorf("_universal_limits", "decoration groups expand to more than %d decorations", MaxWords)
		}
		if in.Op == OpGroupDecorate {
			for _, id := range in.Operands[1:] {
				m.decorations[ID(id)] = append(m.decorations[ID(id)], list...)
			}
			continue
		}
		for i := 1; i+1 < len(in.Operands); i += 2 {
			k := memberKey{in.ID(i), in.Operands[i+1]}
			m.members[k] = append(m.members[k], list...)
		}
	}
	return nil
}
