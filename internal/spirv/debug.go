package spirv

import "fmt"

// debugInfo is the instruction set with which newer compilers tell lines, and
// its instructions that do.
const (
	debugInfo   = "NonSemantic.Shader.DebugInfo.100"
	debugSource = 35
	debugLine   = 103
	debugNoLine = 104
)

// debugLine takes DebugLine and DebugNoLine as OpLine and OpNoLine. What is not
// as it should be is left alone: the set has no meaning.
func (p *parser) debugLine(in *Inst) {
	switch in.Operands[1] {
	case debugNoLine:
		p.line = Line{}
	case debugLine: // source, first line, last line, first column, last column
		line := p.constant(in.ID(3))
		if line == 0 {
			return
		}
		p.line = Line{Line: line, Column: p.constant(in.ID(5))}
		if s := p.m.defs.At(in.ID(2)); s != nil && s.Op == OpExtInst && s.Operands[1] == debugSource {
			p.line.File = s.ID(2)
		}
	}
}

// constant is the value of a 32-bit constant declared before, 0 of others.
func (p *parser) constant(id ID) uint32 {
	if c := p.m.defs.At(id); c != nil && c.Op == OpConstant && len(c.Operands) == 1 {
		return c.Operands[0]
	}
	return 0
}

// Instructions of the set that name things and hold sources.
const (
	debugTypeArray       = 5
	debugTypeVector      = 6
	debugTypedef         = 7
	debugTypeComposite   = 10
	debugTypeMember      = 11
	debugGlobalVariable  = 18
	debugLocalVariable   = 26
	debugInlinedVariable = 27
	debugDeclare         = 28
	debugValue           = 29
	debugOperation       = 30
	debugExpression      = 31
	debugSourceContinued = 102
	debugTypeMatrix      = 108
)

// DebugVariable is what DebugDeclare or DebugValue says of a variable of the source.
type DebugVariable struct {
	// Name is that of the variable, or the path of a part of it: "light.color[2]".
	Name string
	// ID is the value that it has from here on, or, where Behind is set, the pointer to it.
	ID ID
	// Declared says that ID points to the variable for as long as there is one.
	Declared, Behind bool
}

// DebugVariable tells what an instruction says of a variable; false: nothing that is understood.
func (m *Module) DebugVariable(in *Inst) (v DebugVariable, ok bool) {
	if m.debugOp(in) != debugDeclare && m.debugOp(in) != debugValue || len(in.Operands) < 5 {
		return v, false
	}
	v = DebugVariable{ID: in.ID(3), Declared: in.Operands[1] == debugDeclare}
	v.Behind = v.Declared
	local := m.Def(in.ID(2))
	if m.debugOp(local) == debugInlinedVariable && len(local.Operands) > 2 {
		local = m.Def(local.ID(2))
	}
	if m.debugOp(local) != debugLocalVariable || len(local.Operands) < 4 {
		return v, false
	}
	if e := m.Def(in.ID(4)); m.debugOp(e) != debugExpression {
		return v, false
	} else if list := e.Operands[2:]; len(list) > 0 {
		op := m.Def(ID(list[0]))
		if len(list) > 1 || v.Declared || m.debugOp(op) != debugOperation || len(op.Operands) != 3 ||
			m.debugNumber(op.ID(2)) != 0 { // Deref
			return v, false
		}
		v.Behind = true
	}
	v.Name = m.strings[local.ID(2)] + m.debugPath(local.ID(3), in.Operands[5:])
	return v, v.Name != ""
}

// debugOp is the number of an instruction of the set; -1 of others.
func (m *Module) debugOp(in *Inst) int {
	if in == nil || in.Op != OpExtInst || len(in.Operands) < 2 || m.extSets[in.ID(0)] != debugInfo {
		return -1
	}
	return int(in.Operands[1])
}

// debugNumber is the value of a 32-bit constant, all bits of others.
func (m *Module) debugNumber(id ID) uint32 {
	if c := m.Def(id); c != nil && c.Op == OpConstant && len(c.Operands) == 1 {
		return c.Operands[0]
	}
	return ^uint32(0)
}

// debugPath is the path to a part of a type by indexes: ".color[2]".
func (m *Module) debugPath(id ID, indexes []uint32) (path string) {
	for _, index := range indexes {
		t := m.Def(id)
		if m.debugOp(t) == debugTypedef && len(t.Operands) > 3 {
			t = m.Def(t.ID(3))
		}
		k, part := m.debugNumber(ID(index)), ""
		switch m.debugOp(t) {
		case debugTypeComposite:
			const members = 11 // the first operand of them, behind the set and the number
			if at := uint64(members) + uint64(k); at < uint64(len(t.Operands)) {
				if f := m.Def(t.ID(int(at))); m.debugOp(f) == debugTypeMember && len(f.Operands) > 3 {
					part, id = "."+m.strings[f.ID(2)], f.ID(3)
				}
			}
		case debugTypeVector:
			if k < 4 && len(t.Operands) > 2 {
				part, id = "."+"xyzw"[k:k+1], t.ID(2)
			}
		case debugTypeArray, debugTypeMatrix:
			if len(t.Operands) > 2 {
				part, id = fmt.Sprintf("[%d]", k), t.ID(2)
			}
		}
		if part == "" {
			return path + fmt.Sprintf("[%d]", k)
		}
		path += part
	}
	return path
}

// debugInstructions calls f for each instruction of the set with its operands.
func (m *Module) debugInstructions(f func(op uint32, result ID, operands []uint32)) {
	m.each(func(op Op, w []uint32) {
		if op == OpExtInst && len(w) >= 4 && m.extSets[ID(w[2])] == debugInfo {
			f(w[3], ID(w[1]), w[4:])
		}
	})
}

// each calls f for each instruction with the words behind the first.
func (m *Module) each(f func(op Op, operands []uint32)) {
	for at := headerWords; at < len(m.Words); {
		n := int(m.Words[at] >> 16)
		f(Op(m.Words[at]&0xFFFF), m.Words[at+1:at+n])
		at += n
	}
}

// DebugNames gives the names of variables, and of values that stand for them, by debug information. It goes through the
// whole module.
func (m *Module) DebugNames() map[ID]string {
	names, locals := map[ID]string{}, map[ID]string{}
	m.debugInstructions(func(op uint32, result ID, operands []uint32) {
		switch {
		case op == debugLocalVariable && len(operands) > 0:
			locals[result] = m.strings[ID(operands[0])]
		case (op == debugDeclare || op == debugValue) && len(operands) > 1:
			names[ID(operands[1])] = locals[ID(operands[0])]
		case op == debugGlobalVariable && len(operands) > 7:
			names[ID(operands[7])] = m.strings[ID(operands[0])]
		}
	})
	return names
}

// Source is a source file that debug information holds.
type Source struct{ Name, Text string }

// Sources lists the files that debug information names, of OpSource and DebugSource.
// It goes through the whole module.
func (m *Module) Sources() []Source {
	var list []Source
	at := -1 // in list, of the last one
	add := func(name, text string) {
		for at = range list {
			if list[at].Name == name {
				if list[at].Text == "" {
					list[at].Text = text
				}
				return
			}
		}
		at = len(list)
		list = append(list, Source{name, text})
	}
	m.each(func(op Op, w []uint32) {
		switch {
		case op == OpSource && len(w) == 3:
			add(m.strings[ID(w[2])], "")
		case op == OpSource && len(w) > 3:
			add(m.strings[ID(w[2])], decodeString(w[3:]))
		case op == OpSourceContinued && at >= 0:
			list[at].Text += decodeString(w)
		}
	})
	m.debugInstructions(func(op uint32, _ ID, operands []uint32) {
		switch {
		case op == debugSource && len(operands) == 1:
			add(m.strings[ID(operands[0])], "")
		case op == debugSource && len(operands) > 1:
			add(m.strings[ID(operands[0])], m.strings[ID(operands[1])])
		case op == debugSourceContinued && len(operands) > 0 && at >= 0:
			list[at].Text += m.strings[ID(operands[0])]
		}
	})
	return list
}
