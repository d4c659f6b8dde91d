package spirv

// Reflection is what a pipeline needs to know about an entry point before it
// is compiled.
type Reflection struct {
	Model         ExecutionModel
	Descriptors   []Descriptor // that the entry point's functions name
	PushBytes     uint32       // size of the push-constant block, 0 for none
	Inputs        []InterfaceVariable
	Outputs       []InterfaceVariable
	LocalSize     [3]uint32 // compute
	SpecConstants []SpecConstant
}

// InterfaceVariable is an input or output, or a member of a block of them.
type InterfaceVariable struct {
	Variable  ID
	Name      string
	Type      *Type
	IsBuiltIn bool
	BuiltIn   BuiltIn
	// Location and Component of the first location; user variables.
	Location, Component uint32
}

// SpecConstant is a specialization constant.
type SpecConstant struct {
	SpecID  uint32
	Name    string
	Type    *Type
	Default uint32 // its bits; booleans are 0 or 1
}

// Reflect describes an entry point with the given specialization (see
// EvaluateConstants).
func (m *Module) Reflect(e *EntryPoint, spec map[uint32][]byte) (*Reflection, error) {
	k, err := m.EvaluateConstantsFor(e, spec, leastSubgroup)
	if err != nil {
		return nil, err
	}
	r := &Reflection{Model: e.Model}
	used := m.usedGlobals(e)
	for _, v := range m.Globals {
		if !used[v.Result] || m.IsHeap(v) {
			continue
		}
		t := m.Pointee(v)
		switch StorageClass(v.Operands[0]) {
		case StorageClassInput:
			r.Inputs = m.appendInterface(r.Inputs, v, t)
		case StorageClassOutput:
			r.Outputs = m.appendInterface(r.Outputs, v, t)
		case StorageClassPushConstant:
			n, ok := m.explicitSize(k, t, 0)
			if !ok {
				return nil, v.errorf("_offset_and_stride_assignment", "the push-constant block has no explicit layout")
			}
			r.PushBytes = max(r.PushBytes, n)
		case StorageClassUniform, StorageClassStorageBuffer, StorageClassUniformConstant:
			r.Descriptors = append(r.Descriptors, DescriptorOf(m, k, v))
		}
	}
	r.LocalSize = m.localSize(e, k)
	defaults, err := m.EvaluateConstants(nil)
	if err != nil {
		return nil, err
	}
	for _, c := range m.Constants {
		id, ok := m.Decoration(c.Result, DecorationSpecId)
		w, known := defaults.Words(c.Result)
		if ok && known && len(id) == 1 && len(w) == 1 {
			r.SpecConstants = append(r.SpecConstants, SpecConstant{id[0], m.Name(c.Result), m.Type(c.Type), w[0]})
		}
	}
	return r, nil
}

// usedGlobals finds the module-scope variables that the entry point's call tree
// names in an operand. A literal operand that looks like such an <id> adds one
// too many, which is harmless; inputs and outputs come from the interface.
func (m *Module) usedGlobals(e *EntryPoint) map[ID]bool {
	global := map[ID]bool{}
	for _, v := range m.Globals {
		global[v.Result] = true
	}
	used := map[ID]bool{}
	for _, id := range e.Interface {
		used[id] = true
	}
	seen := map[ID]bool{e.Function: true}
	work := []ID{e.Function}
	for len(work) > 0 {
		f := m.functions[work[len(work)-1]]
		work = work[:len(work)-1]
		if f == nil {
			continue
		}
		for _, b := range f.Blocks {
			for _, in := range b.Insts {
				for i := range in.Operands {
					if id := in.ID(i); global[id] {
						used[id] = true
					}
				}
				if callee, ok := in.Called(); ok && !seen[callee] {
					seen[callee] = true
					work = append(work, callee)
				}
			}
		}
	}
	return used
}

func (m *Module) appendInterface(list []InterfaceVariable, v *Inst, t *Type) []InterfaceVariable {
	one := func(name string, t *Type, base uint32, dec func(Decoration) ([]uint32, bool)) InterfaceVariable {
		x := InterfaceVariable{Variable: v.Result, Name: name, Type: t, Location: base}
		if d, ok := dec(DecorationBuiltIn); ok && len(d) == 1 {
			x.IsBuiltIn, x.BuiltIn = true, BuiltIn(d[0])
		}
		if d, ok := dec(DecorationLocation); ok && len(d) == 1 {
			x.Location = d[0]
		}
		if d, ok := dec(DecorationComponent); ok && len(d) == 1 {
			x.Component = d[0]
		}
		return x
	}
	whole := one(m.Name(v.Result), t, 0, func(d Decoration) ([]uint32, bool) { return m.Decoration(v.Result, d) })
	if _, block := m.Decoration(t.ID, DecorationBlock); !block || t.Kind != KindStruct {
		return append(list, whole)
	}
	next := whole.Location
	for i, mt := range t.Members {
		x := one(m.MemberName(t.ID, uint32(i)), mt, next, func(d Decoration) ([]uint32, bool) { return m.MemberDecoration(t.ID, uint32(i), d) })
		next = x.Location + 1
		if mt.Kind == KindMatrix {
			next = x.Location + mt.Count
		}
		list = append(list, x)
	}
	return list
}

func (m *Module) localSize(e *EntryPoint, k *Constants) (size [3]uint32) {
	for _, mode := range e.Modes {
		if mode.Kind != ExecutionModeLocalSize && mode.Kind != ExecutionModeLocalSizeId {
			continue
		}
		for i := range min(3, len(mode.Operands)) {
			size[i] = mode.Operands[i]
			if mode.IDs {
				size[i] = 0
				if w, ok := k.Words(ID(mode.Operands[i])); ok && len(w) == 1 {
					size[i] = w[0]
				}
			}
		}
	}
	for _, c := range m.Constants {
		// BuiltIn WorkgroupSize overrides the execution mode.
		if d, ok := m.Decoration(c.Result, DecorationBuiltIn); ok && len(d) == 1 && BuiltIn(d[0]) == BuiltInWorkgroupSize {
			if w, ok := k.Words(c.Result); ok && len(w) == 3 {
				copy(size[:], w)
			} else if !ok {
				return [3]uint32{} // a constant that is still to come
			}
		}
	}
	return size
}

// BlockBytes is the size of a type that is laid out explicitly, such as a block. What a
// runtime array holds is not in it.
func (m *Module) BlockBytes(k *Constants, t *Type) (uint32, bool) { return m.explicitSize(k, t, 0) }

// explicitSize returns the bytes of an explicitly laid out type; a runtime
// array counts for nothing. matrixStride comes from the member.
func (m *Module) explicitSize(k *Constants, t *Type, matrixStride uint32) (uint32, bool) {
	switch t.Kind {
	case KindInt, KindFloat:
		return t.Width / 8, true
	case KindPointer:
		return 8, true
	case KindVector:
		n, ok := m.explicitSize(k, t.Elem, 0)
		return n * t.Count, ok
	case KindMatrix:
		// Column major; a struct corrects its row major members.
		n, ok := m.explicitSize(k, t.Elem, 0)
		return max((t.Count-1)*matrixStride+n, n), ok
	case KindArray, KindRuntimeArray:
		n, ok := m.explicitSize(k, t.Elem, matrixStride)
		count, _ := k.ArrayLen(t)
		stride, has := m.Decoration(t.ID, DecorationArrayStride)
		if count == 0 {
			return 0, ok
		}
		if !has || len(stride) != 1 || uint64(stride[0])*uint64(count) > 1<<30 {
			return 0, false
		}
		return (count-1)*stride[0] + n, ok
	case KindStruct:
		size := uint32(0)
		for i, mt := range t.Members {
			off, ok := m.MemberDecoration(t.ID, uint32(i), DecorationOffset)
			if !ok || len(off) != 1 || off[0] > 1<<30 {
				return 0, false
			}
			ms := m.MatrixStride(t, uint32(i))
			if ms >= 1<<20 {
				ms = 0
			}
			n, ok := m.explicitSize(k, mt, ms)
			if !ok {
				return 0, false
			}
			if _, row := m.MemberDecoration(t.ID, uint32(i), DecorationRowMajor); row && mt.Kind == KindMatrix {
				n = (mt.Elem.Count-1)*ms + 4*mt.Count
			}
			size = max(size, off[0]+n)
		}
		return size, true
	default:
		return 0, false
	}
}
