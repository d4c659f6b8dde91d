package spirv

import "sort"

// enumerant is a value of an operand kind: a letter of the layouts, where the
// kind is a mask one bit of it. The layout of the operands that follow it is
// that of an instruction. It needs one of the capabilities, if there are any.
type enumerant struct {
	kind         byte
	value        uint32
	layout       string
	capabilities []Capability
}

// need is an instruction with the capabilities of which it needs one.
type need struct {
	op           Op
	capabilities []Capability
}

func lookupEnumerant(kind byte, value uint32) *enumerant {
	i := sort.Search(len(enumerants), func(i int) bool {
		e := &enumerants[i]
		return e.kind > kind || e.kind == kind && e.value >= value
	})
	if i < len(enumerants) && enumerants[i].kind == kind && enumerants[i].value == value {
		return &enumerants[i]
	}
	return nil
}

func lookupNeed(op Op) []Capability {
	i := sort.Search(len(needs), func(i int) bool { return needs[i].op >= op })
	if i < len(needs) && needs[i].op == op {
		return needs[i].capabilities
	}
	return nil
}

// isMask tells which kinds are masks, a bit an enumerant.
func isMask(kind byte) bool {
	switch kind {
	// Loop, function and selection control, FPFastMathMode, tensor addressing operands.
	case 'C', 'i', 'j', 'p', 'q':
		return true
	}
	return false
}

// enumerant reads an operand of an enumerated kind with what follows it.
func (c *cursor) enumerant(kind byte) error {
	w, err := c.word()
	if err != nil {
		return err
	}
	if !isMask(kind) {
		return c.value(kind, w)
	}
	for bit := uint32(1); bit != 0; bit <<= 1 { // the operands of the lowest bit come first
		if w&bit != 0 {
			if err := c.value(kind, bit); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *cursor) value(kind byte, w uint32) error {
	e := lookupEnumerant(kind, w)
	if e == nil {
		return c.in.errorf("_instructions", "%d is no value that an operand has", w)
	}
	if kind != 'm' && !c.m.declaresOne(e.capabilities) && !c.m.exempt(kind, w) {
		return c.in.errorf("_capability", "operand %d needs the capability %v", w, e.capabilities[0])
	}
	for i := 0; i < len(e.layout); i++ {
		if err := c.operand(e.layout[i]); err != nil {
			return err
		}
	}
	return nil
}

// exempt tells of enumerants that modules may name without the capability:
// built-ins that compilers list in blocks, rounding modes, and some that a fragment
// shader reads. (Mesa's zink declares MultiViewport in the shader that writes
// ViewportIndex and leaves it out of the one that reads it; shaders of its own that
// blit sample by sample read SampleId without SampleRateShading.)
func (m *Module) exempt(kind byte, value uint32) bool {
	if kind == 'o' {
		return true
	}
	if kind != 'n' {
		return false
	}
	switch BuiltIn(value) {
	case BuiltInPointSize, BuiltInClipDistance, BuiltInCullDistance:
		return true
	case BuiltInViewportIndex, BuiltInSampleId:
		return len(m.EntryPoints) != 0 && !m.beyondFragment
	}
	return false
}

// declare notes a capability and those that it implies.
func (m *Module) declare(c Capability) {
	if m.declared[c] {
		return
	}
	m.declared[c] = true
	if e := lookupEnumerant('m', uint32(c)); e != nil {
		for _, implied := range e.capabilities {
			m.declare(implied)
		}
	}
}

// declaresOne reports whether the module has one of the capabilities; of none it
// needs none.
func (m *Module) declaresOne(list []Capability) bool {
	for _, c := range list {
		if m.declared[c] {
			return true
		}
	}
	return len(list) == 0
}
