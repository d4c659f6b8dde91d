package spirv

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
	debugGlobalVariable  = 18
	debugLocalVariable   = 26
	debugDeclare         = 28
	debugValue           = 29
	debugSourceContinued = 102
)

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
