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
