package lower

import (
	"fmt"
	"strings"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/internal/spirv/dis"
)

// maxTraced bounds the words of a value that are told.
const maxTraced = 64

// tracer is what a compilation with Options.Trace needs besides.
type tracer struct {
	text  map[int]string // of instructions, by their place
	names map[spirv.ID]string
	files []ir.File
	types map[spirv.ID]*ir.TraceType
	// variables number what loads and stores are of.
	variables map[*object]int
	stored    stored
	// declared says that debug information tells which variables are the source's.
	declared bool
	wholes   int // words of variables that are told because a part of them was written
}

// stored is where an instruction has written memory that other invocations see.
type stored struct {
	by    *spirv.Inst
	to    ir.TraceStore
	words []ir.Value
	value *value // of a copy
}

func newTracer(m *spirv.Module) *tracer {
	t := &tracer{
		text:      dis.Instructions(m.Words),
		names:     m.DebugNames(),
		types:     map[spirv.ID]*ir.TraceType{},
		variables: map[*object]int{},
	}
	t.declared = len(t.names) > 0
	for _, f := range m.Sources() {
		t.files = append(t.files, ir.File(f))
	}
	return t
}

// traceResult tells what an instruction has given, or that it was run.
func (c *compiler) traceResult(in *spirv.Inst) {
	if c.tracer == nil {
		return
	}
	switch in.Op {
	case spirv.OpNop,
		spirv.OpLine,
		spirv.OpNoLine,
		spirv.OpUndef,
		spirv.OpAssumeTrueKHR,
		spirv.OpExtInstWithForwardRefsKHR:
		return
	case spirv.OpVariable:
		// naga gives zeros to what the source gives nothing yet.
		if len(in.Operands) > 1 && c.m.Def(in.ID(1)).Op != spirv.OpConstantNull && c.ofSource(in.Result) {
			c.tracePlain(in, c.nameOf(in.Result, 0), c.local(in.Result), true)
		}
		return
	case spirv.OpExtInst:
		if c.typ(in.Type).Kind == spirv.KindVoid { // without semantics
			c.traceVariable(in)
			return
		}
	case spirv.OpStore:
		c.traceOperand(in, in.ID(1))
		return
	case spirv.OpAtomicStore:
		c.traceOperand(in, in.ID(3))
		return
	case spirv.OpImageWrite:
		c.traceOperand(in, in.ID(2))
		return
	}
	v := (*value)(nil)
	if in.Result != 0 {
		v = c.local(in.Result)
	}
	if v != nil && v.t != nil && v.t.Kind == spirv.KindVoid {
		return // a call, which has been told of
	}
	c.trace(in, v)
}

// traceOperand tells of an instruction without a result by an operand.
func (c *compiler) traceOperand(in *spirv.Inst, id spirv.ID) {
	if c.tracer != nil {
		c.trace(in, c.get(id))
	}
}

// trace tells that an instruction is run, with a value where it has one.
func (c *compiler) trace(in *spirv.Inst, v *value) {
	if c.tracer == nil {
		return
	}
	t := c.traceOf(in)
	var words []ir.Value
	st := &c.tracer.stored
	if st.by == in && v == nil {
		v = st.value
	}
	switch {
	case v == nil:
	case v.h != nil:
		words = c.traceHandle(&t, v.h)
	case v.p != nil:
		words = c.tracePointer(&t, in, v.p)
	case v.s != nil:
		t.Type = c.traceType(v.t)
		words = v.s[:t.Type.Words()]
	}
	if st.by == in {
		to := st.to
		t.Store, words = &to, append(words[:len(words):len(words)], st.words...)
	}
	if in.Op == spirv.OpLoad && c.p.Stage == ir.StageMesh && v != nil && v.s != nil {
		if p := c.get(in.ID(0)).p; p != nil && p.space == spaceShared {
			m, address := c.memOf(p, 0)
			parts := c.traceParts(p, m.Resource)
			t.Reads = &ir.TraceStore{Space: ir.MemShared, Atomic: ir.AtomicStore, Parts: parts}
			words = append(words[:len(words):len(words)], address...)
		}
	}
	if v != nil && v.s != nil {
		words = append(words[:len(words):len(words)], c.traceAssigned(&t, in)...)
	}
	c.tell(t, words)
}

// traceStore notes where the instruction at work writes: value is what a copy writes, args are the
// operands of an atomic operation.
func (c *compiler) traceStore(p *pointer, op ir.AtomicOp, v *value, args []ir.Value) {
	if c.tracer == nil || c.inst == nil || op == ir.AtomicLoad {
		return
	}
	s := stored{by: c.inst, to: ir.TraceStore{Atomic: op}}
	switch c.inst.Op {
	case spirv.OpStore, spirv.OpAtomicStore:
	case spirv.OpCopyMemory:
		s.value = v
	default:
		if op == ir.AtomicStore {
			return // an initializer, or one of several stores
		}
		s.words = args
	}
	at := uint32(0) // bytes that are added to the address
	switch p.space {
	case spaceBuffer, spaceShared, spaceAddress:
		m, address := c.memOf(p, 0)
		if s.to.Space = m.Space; m.Space == ir.MemBuffer {
			s.to.Resource = p.res
		} else {
			at = m.Resource
		}
		s.words = append(address, s.words...)
	default:
		return
	}
	s.to.Parts = c.traceParts(p, at)
	if op != ir.AtomicStore { // one number
		s.to.Parts = s.to.Parts[:1]
		s.to.Parts[0].Bytes = p.t.Width / 8
	}
	c.tracer.stored = s
}

// traceParts are the scalars that a pointer leads to, where at bytes are added to its address.
func (c *compiler) traceParts(p *pointer, at uint32) (parts []ir.TracePart) {
	for _, r := range c.refs(p) {
		n := uint32(4)
		if r.bytes != 0 {
			n = 1 << narrowLog(r.bytes)
		}
		parts = append(parts, ir.TracePart{Offset: at + r.off, Bytes: n})
	}
	return parts
}

// traceImage tells the operands and results of an image instruction.
func (c *compiler) traceImage(u *imageUse, index uint64, results []ir.Value) {
	if c.tracer == nil {
		return
	}
	t := c.traceOf(c.inst)
	t.Image = int(index) + 1
	c.tell(t, append(append([]ir.Value(nil), u.more...), results...))
}

func (c *compiler) tell(t ir.Trace, words []ir.Value) {
	c.p.Traces = append(c.p.Traces, t)
	c.b.OpMore(ir.OpTrace, ir.Void, uint64(len(c.p.Traces)-1), words)
}

// traceOf is what is known of an instruction before it runs.
func (c *compiler) traceOf(in *spirv.Inst) ir.Trace {
	t := ir.Trace{
		Text: c.tracer.text[in.WordOffset], Source: ir.Source{File: c.m.String(in.Line.File), Line: in.Line.Line}, Column: in.Line.Column,
		Depth: c.depth - 1, Name: c.nameOf(in.Result, 0),
	}
	switch in.Op {
	case spirv.OpKill, spirv.OpTerminateInvocation, spirv.OpDemoteToHelperInvocation:
		t.Note = "a helper from here on"
		if in.Op == spirv.OpTerminateInvocation && c.whole != nil {
			t.Note = "ends here"
		}
	case spirv.OpLoad, spirv.OpStore, spirv.OpFunctionCall, spirv.OpImageTexelPointer:
		if t.Name == "" {
			t.Name = c.nameOf(in.ID(0), 0)
		}
		if in.Op == spirv.OpLoad || in.Op == spirv.OpStore {
			if v := c.get(in.ID(0)); v != nil && v.p != nil {
				t.Of, t.Variable = c.tracePlace(v.p)
			}
		}
	}
	return t
}

// tracePlace says where the memory is that a load or a store is of: outside of the shader, or in which
// of its variables. Variables of lane memory count as one.
func (c *compiler) tracePlace(p *pointer) (of string, variable int) {
	at := ""
	if p.dyn == ir.NoValue {
		at = fmt.Sprintf(", byte %d", p.off)
	}
	switch p.space {
	case spaceVar, spacePrivate: // which has no object
		n, ok := c.tracer.variables[p.obj]
		if !ok {
			n = len(c.tracer.variables) + 1
			c.tracer.variables[p.obj] = n
		}
		return "", n
	case spaceInput, spaceVertex:
		return "input", 0
	case spacePush:
		return "push constants" + at, 0
	case spaceBuffer:
		r := &c.p.Resources[p.res]
		if r.Heap {
			return "a buffer of a heap", 0
		}
		return fmt.Sprintf("set %d, binding %d%s", r.Set, r.Binding, at), 0
	case spaceShared:
		return "workgroup memory" + at, 0
	case spaceAddress:
		return "a device address", 0
	}
	return "", 0
}

// nameOf is the name of an <id>: of what a chain of accesses leads to its path.
func (c *compiler) nameOf(id spirv.ID, depth int) string {
	if name := c.m.Name(id); name != "" {
		return name
	}
	if name := c.tracer.names[id]; name != "" {
		return name
	}
	in := c.m.Def(id)
	if in == nil || depth > 8 {
		return ""
	}
	switch in.Op {
	case spirv.OpCopyObject:
		return c.nameOf(in.ID(0), depth+1)
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
	default:
		return ""
	}
	path := c.nameOf(in.ID(0), depth+1)
	base := c.m.Def(in.ID(0))
	if base == nil || c.m.Type(base.Type) == nil {
		return path
	}
	t := c.m.Type(base.Type).Elem
	for _, k := range in.Operands[1:] {
		if t == nil {
			break
		}
		w, constant := c.k.Words(spirv.ID(k))
		switch {
		case t.Kind == spirv.KindStruct && constant && int(w[0]) < len(t.Members):
			name := c.m.MemberName(t.ID, w[0])
			if name == "" {
				name = fmt.Sprint(w[0])
			}
			path, t = strings.TrimPrefix(path+"."+name, "."), t.Members[w[0]]
		case constant:
			path, t = fmt.Sprintf("%s[%d]", path, w[0]), t.Elem
		default:
			path, t = path+"[…]", t.Elem
		}
	}
	return path
}

// traceHandle notes which descriptor a handle is; its words are elements that only the run tells.
func (c *compiler) traceHandle(t *ir.Trace, h *handle) (words []ir.Value) {
	var notes []string
	for _, d := range []struct {
		resource int
		elem     ir.Value
	}{{h.image, h.imageElem}, {h.sampler, h.samplerElem}} {
		if d.resource < 0 || d.resource == h.image && len(notes) > 0 {
			continue
		}
		note := c.p.Resources[d.resource].String()
		if k, ok := c.b.Constant(d.elem); !ok {
			words = append(words, d.elem)
			note += "[…]"
		} else if k != 0 {
			note += fmt.Sprintf("[%d]", k)
		}
		notes = append(notes, note)
	}
	t.Note = strings.Join(notes, ", ")
	t.Type = uints(len(words))
	return words
}

// tracePointer notes where a pointer leads; its words are what only the run tells of it.
func (c *compiler) tracePointer(t *ir.Trace, in *spirv.Inst, p *pointer) (words []ir.Value) {
	t.Note = "pointer"
	if name := c.nameOf(in.Result, 0); name != "" {
		t.Note += " to " + name
	}
	if p.elem != ir.NoValue && p.space == spaceBuffer {
		if _, ok := c.b.Constant(p.elem); !ok {
			t.Note += ", element"
			words = append(words, p.elem)
		}
	}
	if p.dyn != ir.NoValue {
		if t.Note += ", byte"; p.unit() == 1 {
			t.Note = strings.TrimSuffix(t.Note, "byte") + "component"
		}
		words = append(words, c.address(p, 0))
	}
	t.Type = uints(len(words))
	return words
}

// uints is the type of n words.
func uints(n int) *ir.TraceType {
	if n == 0 {
		return nil
	}
	t := &ir.TraceType{Kind: ir.TraceParts}
	for range n {
		t.Parts = append(t.Parts, &ir.TraceType{Kind: ir.TraceUint, Width: 32})
	}
	return t
}

// traceType is the type of a value, cut off after maxTraced words.
func (c *compiler) traceType(t *spirv.Type) *ir.TraceType {
	if x := c.tracer.types[t.ID]; x != nil && t.ID != 0 {
		return x
	}
	left := maxTraced
	x := c.appendTraceType(t, &left)
	c.tracer.types[t.ID] = x
	return x
}

// appendTraceType is the type of a part; left is how many words there may still be, below 0
// once there were more.
func (c *compiler) appendTraceType(t *spirv.Type, left *int) *ir.TraceType {
	x := &ir.TraceType{Width: uint8(t.Width)}
	switch t.Kind {
	case spirv.KindBool:
		x.Kind, x.Width = ir.TraceBool, 32
	case spirv.KindInt:
		if x.Kind = ir.TraceUint; t.Signed {
			x.Kind = ir.TraceInt
		}
	case spirv.KindFloat:
		if x.Kind = ir.TraceFloat; t.Coded != 0 {
			x.Kind = ir.TraceBits
		}
	case spirv.KindPointer:
		x.Kind, x.Width = ir.TraceUint, 64
	case spirv.KindStruct:
		x.Kind = ir.TraceParts
		for _, m := range t.Members {
			if x.Parts = append(x.Parts, c.appendTraceType(m, left)); *left < 0 {
				break
			}
		}
		return x
	default: // vectors, matrices, arrays: what else has scalars
		x.Kind = ir.TraceParts
		for range c.parts(t) {
			if x.Parts = append(x.Parts, c.appendTraceType(t.Elem, left)); *left < 0 {
				break
			}
		}
		return x
	}
	if *left -= x.Words(); *left < 0 {
		return &ir.TraceType{Kind: ir.TraceMore}
	}
	return x
}
