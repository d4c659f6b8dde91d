package lower

import (
	"cmp"
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// inputSlot is one scalar of an input variable; index is its input slot, -1
// until it is read.
type inputSlot struct {
	io    ir.IO
	value ir.Value
	index int
	// narrow is the type of a scalar of 16 bits, which the slot holds as a word.
	narrow *spirv.Type
	// compute makes the value of a built-in that is no slot; changing: at each load, since the variable is decorated Volatile.
	compute  func() ir.Value
	changing bool
}

// output is an output variable: registers or lane memory during the program,
// written to its slots at the end.
type output struct {
	ios    []ir.IO
	narrow []*spirv.Type // of each, where it has 16 bits
	stored []bool
	p      *pointer
}

// inputCopyLimit is the size in scalars up to which dynamic indexing of an
// input goes through selects; larger inputs are copied to lane memory.
const inputCopyLimit = 16

func (c *compiler) inputVariable(in *spirv.Inst) *pointer {
	t := c.typ(in.Type).Elem
	if c.arrayedInput(in) {
		return c.vertexVariable(in)
	}
	// An index past the last vertex means the last, whichever way the input is held.
	p := &pointer{space: spaceInput, t: t, dyn: ir.NoValue, elem: ir.NoValue, clamped: c.perVertex(in, t)}
	o := &object{name: c.m.Name(in.Result), flat: c.flat(t)}
	if d, ok := c.m.Decoration(in.Result, spirv.DecorationBuiltIn); ok && len(d) == 1 && c.computedBuiltIn(spirv.BuiltIn(d[0])) != nil {
		f := c.computedBuiltIn(spirv.BuiltIn(d[0]))
		_, changing := c.m.Decoration(in.Result, spirv.DecorationVolatile)
		for k, ty := range o.flat {
			o.inputs = append(o.inputs, inputSlot{
				io: ir.IO{Type: ty}, value: ir.NoValue, index: -1, compute: func() ir.Value { return f(uint32(k)) }, changing: changing,
			})
		}
	} else {
		ios, narrow := c.interfaceOf(in, t, true)
		for i, io := range ios {
			o.inputs = append(o.inputs, inputSlot{io: io, narrow: narrow[i], value: ir.NoValue, index: -1})
		}
	}
	p.obj = o
	if !c.dynamic[in.Result] || len(o.flat) <= inputCopyLimit || c.interpolates {
		return p
	}
	// The copy's layout is that of any variable in lane memory.
	base := c.allocPrivate(len(o.flat))
	c.b.Prelude(func() {
		for k := range o.flat {
			c.b.Op(ir.OpStorePrivate, ir.Void, c.b.I32(base+4*uint32(k)), c.toMemory(c.readInput(o, k)))
		}
	})
	return &pointer{space: spacePrivate, t: t, off: base, dyn: ir.NoValue, elem: ir.NoValue, clamped: p.clamped}
}

// readInput returns the value of an input scalar, read once in the prelude unless it changes.
func (c *compiler) readInput(o *object, k int) ir.Value {
	s := &o.inputs[k]
	if s.value != ir.NoValue {
		return s.value
	}
	if s.changing {
		return s.compute()
	}
	if s.compute != nil {
		c.b.Prelude(func() { s.value = s.compute() })
		return s.value
	}
	c.b.Prelude(func() {
		s.value = c.b.OpImm(ir.OpInput, s.io.Type, uint64(c.slot(s)))
		if s.narrow != nil {
			s.value = c.fit(s.value, s.narrow)
		}
	})
	return s.value
}

// slot returns the input slot of a scalar, made on first use.
func (c *compiler) slot(s *inputSlot) int {
	if s.index < 0 {
		s.index = len(c.p.Inputs)
		c.p.Inputs = append(c.p.Inputs, s.io)
		if s.io.Aux == ir.AtSample || s.io.Builtin == ir.BuiltinSampleID || s.io.Builtin == ir.BuiltinSamplePosition {
			c.p.SampleRate = true
		}
	}
	return s.index
}

func (c *compiler) outputVariable(in *spirv.Inst) *pointer {
	t := c.typ(in.Type).Elem
	if c.p.Stage == ir.StageControl || c.p.Stage == ir.StageMesh {
		return c.recordVariable(in)
	}
	flat := c.flat(t)
	out := &output{stored: make([]bool, len(flat))}
	out.ios, out.narrow = c.interfaceOf(in, t, false)
	p := c.variable(in)
	out.p = p
	if p.space == spaceVar {
		p.obj.out = out
	} else {
		for i := range out.stored {
			out.stored[i] = true
		}
	}
	if init := c.initializer(in); init != 0 {
		c.b.Prelude(func() { c.store(p, c.get(init)) })
	}
	c.outputs = append(c.outputs, out)
	return p
}

// initialOutputs makes the outputs that have initializers: they are written even
// where no instruction names them.
func (c *compiler) initialOutputs() {
	for _, id := range c.ep.Interface {
		in := c.m.Def(id)
		if in != nil && in.Op == spirv.OpVariable && len(in.Operands) > 1 &&
			spirv.StorageClass(in.Operands[0]) == spirv.StorageClassOutput {
			c.global(id)
		}
	}
}

// sampleRate looks for built-ins that switch sample shading on by standing in the
// interface, read or not (RAS-174 primsrast-sampleshading).
func (c *compiler) sampleRate() {
	if c.p.Stage != ir.StageFragment {
		return
	}
	for _, id := range c.ep.Interface {
		if d, ok := c.m.Decoration(id, spirv.DecorationBuiltIn); ok && len(d) == 1 {
			b := spirv.BuiltIn(d[0])
			c.p.SampleRate = c.p.SampleRate || b == spirv.BuiltInSampleId || b == spirv.BuiltInSamplePosition
		}
	}
}

// finishInterface writes the outputs that the program stores and puts the
// slots in order of built-in, location and component.
func (c *compiler) finishInterface() {
	c.sampleRate()
	c.unwrittenOutputs()
	if c.p.Stage == ir.StageGeometry {
		c.finishEmits()
	} else {
		c.finishOutputs()
	}
	ins, outs := sortSlots(c.p.Inputs), sortSlots(c.p.Outputs)
	for i := range c.p.Insts {
		switch in := &c.p.Insts[i]; in.Op {
		case ir.OpInput:
			in.Imm = uint64(ins[in.Imm])
		case ir.OpInterpolateAt:
			in.Imm = in.Imm>>32<<32 | uint64(ins[uint32(in.Imm)])
		case ir.OpOutput:
			in.Imm = uint64(outs[in.Imm])
		}
	}
}

// unwrittenOutputs lists the scalars of outputs that the interface declares and
// nothing stores to.
func (c *compiler) unwrittenOutputs() {
	if c.p.Stage == ir.StageControl {
		return // zero to whoever asks
	}
	for _, out := range c.outputs {
		for k, io := range out.ios {
			if !out.stored[k] {
				c.p.Unwritten = append(c.p.Unwritten, io)
			}
		}
	}
	for _, id := range c.ep.Interface {
		in := c.m.Def(id)
		if in == nil || c.globals.At(id) != nil || in.Op != spirv.OpVariable || len(in.Operands) == 0 || spirv.StorageClass(in.Operands[0]) != spirv.StorageClassOutput {
			continue
		}
		t := c.typ(in.Type).Elem
		if c.p.Stage == ir.StageMesh && t.Kind == spirv.KindArray {
			t = t.Elem
		}
		ios, _ := c.interfaceOf(in, t, false)
		c.p.Unwritten = append(c.p.Unwritten, ios...)
	}
}

// finishOutputs writes the outputs that the program stores.
func (c *compiler) finishOutputs() {
	for _, out := range c.outputs {
		refs := c.refs(out.p)
		for k, io := range out.ios {
			if out.stored[k] {
				c.b.OpImm(ir.OpOutput, ir.Void, uint64(len(c.p.Outputs)), c.outputScalar(out, k, refs[k]))
				c.p.Outputs = append(c.p.Outputs, io)
			}
		}
	}
}

// outputScalar is scalar k of an output as its slot holds it.
func (c *compiler) outputScalar(out *output, k int, r scalarRef) ir.Value {
	v := c.loadScalar(out.p, r)
	if t := out.narrow[k]; t != nil && t.Signed {
		v = c.signExtend(v, t)
	}
	if t := out.ios[k].Type; t != c.p.Insts[v].Type {
		v = c.b.Op(ir.OpBitcast, t, v)
	}
	return v
}

// sortSlots sorts a list of slots and returns the new place of each.
func sortSlots(list []ir.IO) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	old := slices.Clone(list)
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := old[a], old[b]
		return cmp.Or(cmp.Compare(x.Builtin, y.Builtin), cmp.Compare(x.Location, y.Location),
			cmp.Compare(x.Component, y.Component), cmp.Compare(x.Index, y.Index), cmp.Compare(x.Vertex, y.Vertex))
	})
	place := make([]int, len(list))
	for to, from := range order {
		list[to] = old[from]
		place[from] = to
	}
	return place
}

// ioWalk assigns slots to the scalars of an interface variable in order.
type ioWalk struct {
	c     *compiler
	input bool
	out   []ir.IO
	// narrow is the type of each slot that has 16 bits, else nil.
	narrow []*spirv.Type
	// captured is the offset of the next scalar in its transform feedback buffer.
	captured uint32
}

// capture applies the decorations of transform feedback to an output. Scalars lie
// behind each other from the offset on; what holds 64-bit numbers begins at a multiple
// of 8 (see user).
// vertexpostproc-transform-feedback
func (w *ioWalk) capture(io *ir.IO, dec func(spirv.Decoration) ([]uint32, bool)) {
	c := w.c
	if !c.p.Captures || w.input {
		return
	}
	if d, ok := dec(spirv.DecorationXfbBuffer); ok && len(d) == 1 {
		if io.Buffer = uint8(d[0]); d[0] >= ir.MaxFeedbackBuffers {
			c.fail("transform feedback buffer %d; %d are supported", d[0], ir.MaxFeedbackBuffers)
		}
	}
	if d, ok := dec(spirv.DecorationXfbStride); ok && len(d) == 1 {
		c.p.FeedbackStride[io.Buffer] = d[0]
	}
	if d, ok := dec(spirv.DecorationOffset); ok && len(d) == 1 {
		io.Captured, w.captured = true, d[0]
	}
}

// nextBuffer goes on to the next element of an array of captured blocks: each has a
// buffer of its own.
func (w *ioWalk) nextBuffer(io *ir.IO) {
	if !w.c.p.Captures || w.input {
		return
	}
	stride := w.c.p.FeedbackStride[io.Buffer]
	if io.Buffer++; io.Buffer >= ir.MaxFeedbackBuffers {
		io.Buffer = 0 // what has no offset is not captured anyway
		return
	}
	w.c.p.FeedbackStride[io.Buffer] = max(w.c.p.FeedbackStride[io.Buffer], stride)
}

// add appends a slot.
func (w *ioWalk) add(io ir.IO, narrow *spirv.Type) {
	if io.Captured {
		io.Offset = w.captured
		w.captured += 4
	}
	w.out, w.narrow = append(w.out, io), append(w.narrow, narrow)
}

// interfaceOf lists the slots of an input or output variable of type t, or,
// where it is an array over vertices, those of one vertex, an element of type t.
func (c *compiler) interfaceOf(in *spirv.Inst, t *spirv.Type, input bool) ([]ir.IO, []*spirv.Type) {
	w := &ioWalk{c: c, input: input}
	dec := func(k spirv.Decoration) ([]uint32, bool) { return c.m.Decoration(in.Result, k) }
	base := w.qualify(ir.IO{}, dec)
	if d, ok := dec(spirv.DecorationBuiltIn); ok {
		w.builtin(base, t, d)
		return w.out, w.narrow
	}
	loc, hasLoc := dec(spirv.DecorationLocation)
	if hasLoc && len(loc) == 1 {
		base.Location = loc[0]
	}
	if input && c.perVertex(in, t) {
		for k := range uint8(3) {
			base.Vertex = k + 1
			w.variable(in, base, t.Elem, hasLoc)
		}
		return w.out, w.narrow
	}
	w.variable(in, base, t, hasLoc)
	return w.out, w.narrow
}

// perVertex says that an input of a fragment shader is an array over the vertices
// of the primitive.
//
// RAS-180 primsrast-barycentric
func (c *compiler) perVertex(in *spirv.Inst, t *spirv.Type) bool {
	if c.p.Stage != ir.StageFragment || t.Kind != spirv.KindArray || c.parts(t) > 3 {
		return false
	}
	if _, ok := c.m.Decoration(in.Result, spirv.DecorationPerVertexKHR); ok {
		return true
	}
	_, ok := c.m.MemberDecoration(t.Elem.ID, 0, spirv.DecorationPerVertexKHR)
	return ok
}

// variable lists the slots of a variable, or of what it is for one vertex.
func (w *ioWalk) variable(in *spirv.Inst, base ir.IO, t *spirv.Type, hasLoc bool) {
	c := w.c
	if _, block := c.m.Decoration(t.ID, spirv.DecorationBlock); block && t.Kind == spirv.KindStruct {
		w.block(base, t, hasLoc)
	} else if !hasLoc {
		c.fail("interface variable %q has no Location and no BuiltIn", c.m.Name(in.Result))
	} else {
		w.user(base, t)
	}
	if len(w.out) > MaxSlots {
		c.fail("more than %d interface scalars", MaxSlots)
	}
}

// qualify applies decorations other than the location.
func (w *ioWalk) qualify(io ir.IO, dec func(spirv.Decoration) ([]uint32, bool)) ir.IO {
	if d, ok := dec(spirv.DecorationComponent); ok && len(d) == 1 {
		io.Component = d[0]
	}
	if d, ok := dec(spirv.DecorationIndex); ok && len(d) == 1 {
		io.Index = d[0]
	}
	if _, ok := dec(spirv.DecorationFlat); ok {
		io.Interp = ir.Flat
	}
	if _, ok := dec(spirv.DecorationNoPerspective); ok {
		io.Interp = ir.Linear
	}
	if _, ok := dec(spirv.DecorationCentroid); ok {
		io.Aux = ir.AtCentroid
	}
	if _, ok := dec(spirv.DecorationSample); ok {
		io.Aux = ir.AtSample
	}
	w.capture(&io, dec)
	if _, ok := dec(spirv.DecorationPerPrimitiveEXT); ok {
		io.PerPrimitive = true
	}
	if _, ok := dec(spirv.DecorationPatch); ok {
		io.Patch = true
	}
	if _, ok := dec(spirv.DecorationOverrideCoverageNV); ok {
		w.c.p.OverrideCoverage = true // allowed on SampleMask only
	}
	if _, ok := dec(spirv.DecorationViewportRelativeNV); ok {
		io.Relative = true // allowed on Layer only
	}
	if d, ok := dec(spirv.DecorationStream); ok && len(d) == 1 {
		if io.Stream = uint8(d[0]); d[0] >= ir.MaxStreams {
			w.c.fail("stream %d; %d are supported", d[0], ir.MaxStreams)
		}
	}
	return io
}

func (w *ioWalk) block(base ir.IO, t *spirv.Type, hasLoc bool) {
	next := base.Location
	for k, m := range t.Members {
		dec := func(d spirv.Decoration) ([]uint32, bool) { return w.c.m.MemberDecoration(t.ID, uint32(k), d) }
		io := w.qualify(base, dec)
		if d, ok := dec(spirv.DecorationBuiltIn); ok {
			w.builtin(io, m, d)
			continue
		}
		io.Location = next
		if d, ok := dec(spirv.DecorationLocation); ok && len(d) == 1 {
			io.Location = d[0]
		} else if !hasLoc {
			w.c.fail("member %d of an interface block has no Location", k)
		}
		next = w.user(io, m)
	}
}

// user assigns locations (interfaces-iointerfaces-locations) and returns the
// location after the type.
func (w *ioWalk) user(io ir.IO, t *spirv.Type) uint32 {
	if len(w.out) > MaxSlots {
		w.c.fail("more than %d interface scalars", MaxSlots)
	}
	if io.Captured && holdsWide(t) {
		w.captured = (w.captured + 7) &^ 7
	}
	switch t.Kind {
	case spirv.KindInt, spirv.KindFloat:
		w.scalar(&io, t)
		return io.Location + 1
	case spirv.KindVector:
		n := w.c.parts(t)
		if n > 4 {
			w.c.fail("a vector of %d components in a shader interface (VUID-StandaloneSpirv-Type-12297)", n)
		}
		for i := range n {
			if i == 2 && isWide(t.Elem) { // three and four take a second location
				io.Location, io.Component = io.Location+1, 0
			}
			w.scalar(&io, t.Elem)
		}
		if io.Component > 4 {
			w.c.fail("a vector that passes the end of location %d", io.Location)
		}
		return io.Location + 1
	case spirv.KindMatrix, spirv.KindArray:
		w.c.flat(t) // fails where there are too many
		for k := range w.c.parts(t) {
			io.Location = w.user(io, t.Elem)
			if _, block := w.c.m.Decoration(t.Elem.ID, spirv.DecorationBlock); block && k+1 < w.c.parts(t) {
				w.nextBuffer(&io)
			}
		}
	case spirv.KindStruct: // of an array of blocks, or in a block
		for k, m := range t.Members {
			part := w.qualify(io, func(d spirv.Decoration) ([]uint32, bool) { return w.c.m.MemberDecoration(t.ID, uint32(k), d) })
			io.Location = w.user(part, m)
		}
	default:
		w.c.fail("%v in a shader interface", t)
	}
	return io.Location
}

// holdsWide says that numbers of 64 bits are in a type.
func holdsWide(t *spirv.Type) bool {
	if t.Elem != nil {
		return holdsWide(t.Elem)
	}
	return isWide(t) || slices.ContainsFunc(t.Members, holdsWide)
}

// scalar adds the slots of a scalar, two for 64 bits, and steps to the next
// component.
func (w *ioWalk) scalar(io *ir.IO, t *spirv.Type) {
	var narrow *spirv.Type
	if t.Coded != 0 {
		w.c.fail("%v in a shader interface (VUID-StandaloneSpirv-OpTypeFloat-10370, VUID-StandaloneSpirv-OpTypeFloat-10823)", t)
	}
	if t.Width < 32 {
		if narrow = t; t.Width != 16 || !w.c.declares(spirv.CapabilityStorageInputOutput16) {
			w.c.fail("%v in a shader interface; 16 bits need the capability StorageInputOutput16", t)
		}
	}
	for _, ty := range w.c.flat(t) {
		io.Type = ty
		if ty == ir.I32 && w.input && w.c.p.Stage == ir.StageFragment {
			io.Interp = ir.Flat // interfaces-iointerfaces-matching: integers are flat
		}
		w.add(*io, narrow)
		io.Component++
	}
}

// builtin assigns the components of a built-in.
func (w *ioWalk) builtin(io ir.IO, t *spirv.Type, d []uint32) {
	c := w.c
	if len(d) != 1 {
		c.fail("a BuiltIn decoration without its operand")
	}
	b, ok := builtinOf(spirv.BuiltIn(d[0]), c.p.Stage, w.input)
	if !ok {
		c.fail("unsupported built-in %v in this stage", spirv.BuiltIn(d[0]))
	}
	io.Builtin, io.Location, io.Component = b, 0, 0
	c.p.SampleMask = c.p.SampleMask || b == ir.BuiltinSampleMask
	if spirv.BuiltIn(d[0]) == spirv.BuiltInBaryCoordNoPerspKHR {
		io.Interp = ir.Linear
	}
	for k, ty := range c.flat(t) {
		io.Component, io.Type = uint32(k), ty
		if ty == ir.I32 && w.input {
			io.Interp = ir.Flat
		}
		w.add(io, nil)
	}
}

// builtinOf maps a built-in of the stages' interfaces.
func builtinOf(b spirv.BuiltIn, stage ir.Stage, input bool) (ir.Builtin, bool) {
	type key struct {
		stage ir.Stage
		input bool
	}
	switch (key{stage, input}) {
	case key{ir.StageVertex, true}:
		switch b {
		case spirv.BuiltInVertexIndex:
			return ir.BuiltinVertexIndex, true
		case spirv.BuiltInInstanceIndex:
			return ir.BuiltinInstanceIndex, true
		case spirv.BuiltInBaseVertex:
			return ir.BuiltinBaseVertex, true
		case spirv.BuiltInBaseInstance:
			return ir.BuiltinBaseInstance, true
		case spirv.BuiltInDrawIndex:
			return ir.BuiltinDrawIndex, true
		case spirv.BuiltInViewIndex:
			return ir.BuiltinViewIndex, true
		}
	case key{ir.StageVertex, false}:
		if v, ok := vertexOut(b); ok {
			return v, true
		}
		return primitiveOut(b)
	case key{ir.StageFragment, true}:
		switch b {
		case spirv.BuiltInFragCoord:
			return ir.BuiltinFragCoord, true
		case spirv.BuiltInFrontFacing:
			return ir.BuiltinFrontFacing, true
		case spirv.BuiltInPointCoord:
			return ir.BuiltinPointCoord, true
		case spirv.BuiltInSampleId:
			return ir.BuiltinSampleID, true
		case spirv.BuiltInSamplePosition:
			return ir.BuiltinSamplePosition, true
		case spirv.BuiltInSampleMask:
			return ir.BuiltinSampleMask, true
		case spirv.BuiltInPrimitiveId:
			return ir.BuiltinPrimitiveID, true
		case spirv.BuiltInLayer:
			return ir.BuiltinLayer, true
		case spirv.BuiltInViewportIndex:
			return ir.BuiltinViewportIndex, true
		case spirv.BuiltInViewIndex:
			return ir.BuiltinViewIndex, true
		case spirv.BuiltInFullyCoveredEXT:
			return ir.BuiltinFullyCovered, true
		case spirv.BuiltInBaryCoordKHR, spirv.BuiltInBaryCoordNoPerspKHR:
			return ir.BuiltinBaryCoord, true
		case spirv.BuiltInShadingRateKHR:
			return ir.BuiltinShadingRate, true
		case spirv.BuiltInFragSizeEXT:
			return ir.BuiltinFragSize, true
		case spirv.BuiltInFragInvocationCountEXT:
			return ir.BuiltinFragInvocationCount, true
		case spirv.BuiltInClipDistance:
			return ir.BuiltinClipDistance, true
		case spirv.BuiltInCullDistance:
			return ir.BuiltinCullDistance, true
		}
	case key{ir.StageFragment, false}:
		switch b {
		case spirv.BuiltInFragDepth:
			return ir.BuiltinFragDepth, true
		case spirv.BuiltInSampleMask:
			return ir.BuiltinSampleMask, true
		case spirv.BuiltInFragStencilRefEXT:
			return ir.BuiltinFragStencilRef, true
		}
	case key{ir.StageCompute, true}:
		switch b {
		case spirv.BuiltInGlobalInvocationId:
			return ir.BuiltinGlobalInvocationID, true
		case spirv.BuiltInLocalInvocationId:
			return ir.BuiltinLocalInvocationID, true
		case spirv.BuiltInLocalInvocationIndex:
			return ir.BuiltinLocalInvocationIndex, true
		case spirv.BuiltInWorkgroupId:
			return ir.BuiltinWorkgroupID, true
		case spirv.BuiltInNumWorkgroups:
			return ir.BuiltinNumWorkgroups, true
		}
	}
	return stageBuiltin(b, stage, input)
}
