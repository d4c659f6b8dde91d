package spirv

// Module is a parsed and validated module; immutable.
type Module struct {
	Words              []uint32 // in the machine's byte order
	Version, Generator uint32
	Bound              uint32
	Capabilities       []Capability
	EntryPoints        []*EntryPoint
	// Types holds every type by its <id>, Constants the constant
	// instructions in order, Globals the module-scope variables in order.
	Types     map[ID]*Type
	Constants []*Inst
	Globals   []*Inst
	Functions []*Function

	extSets     map[ID]string
	names       IDs[*Inst] // OpName
	memberNames map[memberKey]*Inst
	strings     map[ID]string
	decorations map[ID][]Decorated
	members     map[memberKey][]Decorated
	defs        IDs[*Inst] // every result <id>
	types       IDs[*Type] // Types again, for quick looks
	functions   map[ID]*Function
	blocks      IDs[*Block]         // by label
	declared    map[Capability]bool // with what they imply

	beyondFragment bool // an entry point is no fragment shader
}

type memberKey struct {
	id     ID
	member uint32
}

// Decorated is one decoration with its operands.
type Decorated struct {
	Kind   Decoration
	Params []uint32
}

// EntryPoint is an OpEntryPoint with its execution modes.
type EntryPoint struct {
	Model     ExecutionModel
	Function  ID
	Name      string
	Interface []ID
	Modes     []Mode
}

// Mode is an execution mode. IDs says that the operands are <id>s.
type Mode struct {
	Kind     ExecutionMode
	Operands []uint32
	IDs      bool
}

// Mode returns the entry point's execution mode of a kind.
func (e *EntryPoint) Mode(kind ExecutionMode) (Mode, bool) {
	for _, m := range e.Modes {
		if m.Kind == kind {
			return m, true
		}
	}
	return Mode{}, false
}

// Function is a function with a body.
type Function struct {
	ID     ID
	Type   *Type // KindFunction
	Params []*Inst
	Blocks []*Block
	Def    *Inst
	blocks *IDs[*Block] // of the module
}

// Block returns the block with a label.
func (f *Function) Block(label ID) *Block {
	if b := f.blocks.At(label); b != nil && b.function == f {
		return b
	}
	return nil
}

// Block is a basic block. Insts includes everything between the label and the
// terminator except the merge instruction.
type Block struct {
	Label ID
	Insts []*Inst
	Merge *Inst // OpSelectionMerge or OpLoopMerge, or nil
	Term  *Inst
	// literal is the number of words of a literal of OpSwitch.
	literal    int
	function   *Function
	successors []ID
}

// Case is a literal of OpSwitch and its target. Literals narrower than 32 bits
// are extended to that as the module holds them.
type Case struct {
	Literal uint64
	Label   ID
}

// Cases lists the cases of a block that ends in OpSwitch, without the default.
func (b *Block) Cases() []Case {
	var out []Case
	o := b.Term.Operands
	for i := 2; i+b.literal < len(o); i += b.literal + 1 {
		out = append(out, Case{join(o[i : i+b.literal]), ID(o[i+b.literal])})
	}
	return out
}

// Def returns the instruction that defines id, or nil.
func (m *Module) Def(id ID) *Inst { return m.defs.At(id) }

// Function returns the function with an <id>, or nil.
func (m *Module) Function(id ID) *Function { return m.functions[id] }

// EntryPoint returns the entry point with a name, or nil.
func (m *Module) EntryPoint(name string) *EntryPoint {
	for _, e := range m.EntryPoints {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Name returns the OpName of id, or "".
func (m *Module) Name(id ID) string {
	if in := m.names.At(id); in != nil {
		return decodeString(in.Operands[1:])
	}
	return ""
}

// MemberName returns the OpMemberName of a struct member, or "".
func (m *Module) MemberName(id ID, member uint32) string {
	if in := m.memberNames[memberKey{id, member}]; in != nil {
		return decodeString(in.Operands[2:])
	}
	return ""
}

// String returns an OpString, such as a file name, or "".
func (m *Module) String(id ID) string { return m.strings[id] }

// ExtSet returns the name of an extended instruction set, or "".
func (m *Module) ExtSet(id ID) string { return m.extSets[id] }

// Decoration returns the operands of a decoration of id.
func (m *Module) Decoration(id ID, kind Decoration) ([]uint32, bool) {
	return find(m.decorations[id], kind)
}

// MemberDecoration returns the operands of a decoration of a struct member.
func (m *Module) MemberDecoration(id ID, member uint32, kind Decoration) ([]uint32, bool) {
	return find(m.members[memberKey{id, member}], kind)
}

// MatrixStride returns the distance of the columns of the matrices in member k of a
// struct, of their rows if it is RowMajor; 0: nothing says it. Where the decoration is
// left out, as naga does of arrays of arrays, the stride of the innermost array decides,
// if it is that of matrices whose columns lie side by side, as std430 has them or as
// std140 has them: each gives another one.
func (m *Module) MatrixStride(st *Type, k uint32) uint32 {
	if d, ok := m.MemberDecoration(st.ID, k, DecorationMatrixStride); ok {
		if len(d) != 1 {
			return 0
		}
		return d[0]
	}
	t, whole := st.Members[k], uint32(0)
	for ; t.Kind == KindArray || t.Kind == KindRuntimeArray; t = t.Elem {
		whole = 0
		if d, ok := m.Decoration(t.ID, DecorationArrayStride); ok && len(d) == 1 {
			whole = d[0]
		}
	}
	if t.Kind != KindMatrix || whole == 0 {
		return 0
	}
	columns, rows := t.Count, t.Elem.Count
	if _, ok := m.MemberDecoration(st.ID, k, DecorationRowMajor); ok {
		columns, rows = rows, columns
	}
	scalar := t.Elem.Elem.Width / 8
	aligned := (rows + 1) &^ 1 * scalar
	for _, stride := range []uint32{rows * scalar, aligned, (aligned + 15) &^ 15} {
		if columns*stride == whole {
			return stride
		}
	}
	return 0
}

func find(list []Decorated, kind Decoration) ([]uint32, bool) {
	for _, d := range list {
		if d.Kind == kind {
			return d.Params, true
		}
	}
	return nil, false
}
