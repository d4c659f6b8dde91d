package ir

import "fmt"

// VerifyError says which rule of the IR a program breaks and where.
type VerifyError struct {
	Program string
	Value   Value // the instruction, or NoValue
	What    string
}

func (e *VerifyError) Error() string {
	return fmt.Sprintf("ir: program %q, %%%d: %s", e.Program, e.Value, e.What)
}

// maxNesting bounds the depth of control flow, and so the recursion of every
// walk over a program.
const maxNesting = 1000

// maxMemory bounds each of the byte sizes of a program.
const maxMemory = 1 << 30

// Verify checks that the program is well formed: operations, operand counts
// and types, immediates in range, each value defined once and used below its
// definition in the same or an inner block, breaks and continues within their
// loops. Engines rely on it. The error is a *VerifyError.
func Verify(p *Program) (err error) {
	inWorkspace(func(w *workspace) { err = verify(p, w) })
	return err
}

func verify(p *Program, w *workspace) error {
	v := &verifier{p: p, defined: Room(&w.flags[0], len(p.Insts)), seen: Room(&w.flags[1], len(p.Insts)), here: w.values[0][:0]}
	for _, n := range [...]uint32{p.PushBytes, p.SharedBytes, p.PrivateBytes} {
		if n%4 != 0 || n > maxMemory {
			v.fail(NoValue, "memory of %d bytes: the size must be a multiple of 4, at most %d", n, maxMemory)
		}
	}
	for _, s := range p.Vars {
		if s.Type == Void || s.Type > F32 {
			v.fail(NoValue, "Var %q has no type", s.Name)
		}
	}
	for i := range p.ImageOps {
		v.imageOp(i, &p.ImageOps[i])
	}
	if v.err == nil {
		v.block(&p.Body, 0)
	}
	w.values[0] = v.here
	for i := range p.Insts {
		if !v.seen[i] && v.err == nil {
			v.unreached(Value(i), &p.Insts[i])
		}
	}
	if v.err != nil {
		return v.err
	}
	return nil
}

type verifier struct {
	p       *Program
	err     *VerifyError
	defined []bool  // visible here
	seen    []bool  // stands in some block
	here    []Value // defined in the blocks around
	loops   []verifyLoop
}

// verifyLoop is a loop around the present statement.
type verifyLoop struct{ once, inContinue bool }

func (v *verifier) fail(at Value, format string, args ...any) {
	if v.err == nil {
		v.err = &VerifyError{v.p.Name, at, fmt.Sprintf(format, args...)}
	}
}

func (v *verifier) block(b *Block, depth int) {
	if depth > maxNesting {
		v.fail(NoValue, "control flow nested deeper than %d", maxNesting)
		return
	}
	outside := len(v.here)
	for i := range b.Stmts {
		s := &b.Stmts[i]
		switch {
		case v.err != nil:
			return
		case s.If != nil && s.Loop != nil:
			v.fail(s.Inst, "a statement that is an If and a Loop")
		case s.If != nil:
			v.operand(NoValue, s.If.Cond, Bool)
			v.block(&s.If.Then, depth+1)
			v.block(&s.If.Else, depth+1)
		case s.Loop != nil:
			if s.Loop.Once && len(s.Loop.Continue.Stmts) > 0 {
				v.fail(NoValue, "a Once scope with a Continue part")
			}
			v.loops = append(v.loops, verifyLoop{once: s.Loop.Once})
			v.block(&s.Loop.Body, depth+1)
			v.loops[len(v.loops)-1].inContinue = true
			v.block(&s.Loop.Continue, depth+1)
			v.loops = v.loops[:len(v.loops)-1]
		default:
			if s.Inst < 0 || int(s.Inst) >= len(v.p.Insts) {
				v.fail(s.Inst, "no such instruction")
				return
			}
			if v.seen[s.Inst] {
				v.fail(s.Inst, "stands in the program twice")
				return
			}
			v.seen[s.Inst] = true
			v.inst(s.Inst, &v.p.Insts[s.Inst])
			v.defined[s.Inst] = true
			v.here = append(v.here, s.Inst)
		}
	}
	for _, d := range v.here[outside:] {
		v.defined[d] = false
	}
	v.here = v.here[:outside]
}

// unreached checks an instruction that stands in no block, as passes and
// builders leave behind: tables over all instructions must be able to skip
// over it.
func (v *verifier) unreached(at Value, in *Inst) {
	if _, ok := InfoOf(in.Op); !ok {
		v.fail(at, "unknown operation %d", in.Op)
		return
	}
	in.Operands(func(a *Value) {
		if *a < 0 || int(*a) >= len(v.p.Insts) {
			v.fail(at, "operand %%%d does not exist", *a)
		}
	})
	n := -1
	switch in.Op {
	case OpVarGet, OpVarSet:
		n = len(v.p.Vars)
	case OpInput:
		n = len(v.p.Inputs)
	case OpLoadVertex:
		n = len(v.p.VertexInputs)
	case OpImage:
		n = len(v.p.ImageOps)
	case OpLoadBuffer:
		n = len(v.p.Resources)
	}
	if n >= 0 && in.Imm >= uint64(n) {
		v.fail(at, "%s of %d, of which there are %d", in.Op, in.Imm, n)
	}
}

// operand checks that a is visible and has type t (Void: any but none).
func (v *verifier) operand(at, a Value, t Type) {
	switch {
	case a < 0 || int(a) >= len(v.p.Insts):
		v.fail(at, "operand %%%d does not exist", a)
	case !v.defined[a]:
		v.fail(at, "operand %%%d is not defined above, in this or an outer block", a)
	case v.p.Insts[a].Type == Void:
		v.fail(at, "operand %%%d (%s) has no value", a, v.p.Insts[a].Op)
	case t != Void && v.p.Insts[a].Type != t:
		v.fail(at, "operand %%%d (%s) is %s, not %s", a, v.p.Insts[a].Op, v.p.Insts[a].Type, t)
	}
}

func (v *verifier) inst(at Value, in *Inst) {
	if in.Op >= opCount || infos[in.Op].Name == "" {
		v.fail(at, "unknown operation %d", in.Op)
		return
	}
	info := &infos[in.Op]
	v.result(at, in, info)
	var shared Type // type of the operands marked =
	for i := range info.Args {
		a := in.Args[i]
		t := Void
		switch info.Args[i] {
		case 'i':
			t = I32
		case 'f':
			t = F32
		case 'b':
			t = Bool
		case 't', '+':
			t = in.Type
		case '=':
			t = shared
		}
		v.operand(at, a, t)
		if v.err != nil {
			return
		}
		if info.Args[i] == '=' {
			if shared = v.p.Insts[a].Type; shared == F32 {
				v.fail(at, "%s compares bits, not floats", in.Op)
			}
		}
	}
	if !hasList(in.Op) && len(in.More) > 0 {
		v.fail(at, "%s takes no operand list", in.Op)
	}
	v.immediate(at, in)
}

func (v *verifier) result(at Value, in *Inst, info *Info) {
	ok := false
	switch info.Result {
	case 'i':
		ok = in.Type == I32
	case 'f':
		ok = in.Type == F32
	case 'b':
		ok = in.Type == Bool
	case '+':
		ok = in.Type == I32 || in.Type == Bool
	case '-':
		ok = in.Type == Void
	case '*':
		ok = in.Type == Bool || in.Type == I32 || in.Type == F32 || in.Type == Void && givesNothing(in)
	}
	if !ok {
		v.fail(at, "%s cannot give %s", in.Op, in.Type)
	}
}

// givesNothing tells of instructions that may have a result or none. Those
// whose result follows from more than the opcode are looked at again.
func givesNothing(in *Inst) bool {
	switch in.Op {
	case OpImage, OpAtomicMem:
		return true
	case OpAtomicBuffer, OpAtomicShared:
		return AtomicOp(in.Imm>>32) == AtomicStore
	}
	return false
}

// immediate checks what Imm names, and operand lists.
func (v *verifier) immediate(at Value, in *Inst) {
	index := func(n int, what string) bool {
		if in.Imm >= uint64(n) {
			v.fail(at, "%s %d of %d", what, in.Imm, n)
			return false
		}
		return true
	}
	agree := func(value Value, t Type, what string) {
		if got := v.p.Insts[value].Type; got != t {
			v.fail(at, "%s holds %s, not %s", what, t, got)
		}
	}
	buffer := func(resource uint64, write bool) {
		if resource >= uint64(len(v.p.Resources)) {
			v.fail(at, "resource %d of %d", resource, len(v.p.Resources))
			return
		}
		if k := v.p.Resources[resource].Kind; k != StorageBuffer && (write || k != UniformBuffer) {
			v.fail(at, "%s on resource %d, which is no such buffer", in.Op, resource)
		}
	}
	switch in.Op {
	case OpBarrier:
		index(int(barriers), "barrier")
	case OpConst:
		if in.Imm > 0xFFFFFFFF || in.Type == Bool && in.Imm != 0 && in.Imm != 0xFFFFFFFF {
			v.fail(at, "constant %#x does not fit its type", in.Imm)
		}
	case OpInput:
		if index(len(v.p.Inputs), "input") {
			agree(at, v.p.Inputs[in.Imm].Type, "the slot")
		}
	case OpOutput:
		if index(len(v.p.Outputs), "output") {
			agree(in.Args[0], v.p.Outputs[in.Imm].Type, "the slot")
		}
	case OpLoadVertex:
		if index(len(v.p.VertexInputs), "vertex input") {
			agree(at, v.p.VertexInputs[in.Imm].Type, "the slot")
		}
	case OpEmit:
		if index(len(v.p.Emits), "emitted slot") {
			agree(in.Args[1], v.p.Emits[in.Imm].Type, "the slot")
		}
	case OpVarGet:
		if index(len(v.p.Vars), "Var") {
			agree(at, v.p.Vars[in.Imm].Type, "the Var")
		}
	case OpVarSet:
		if index(len(v.p.Vars), "Var") {
			agree(in.Args[0], v.p.Vars[in.Imm].Type, "the Var")
		}
	case OpResult:
		from := &v.p.Insts[in.Args[0]]
		t := I32
		if from.Op == OpGroup {
			t = from.Type
		}
		if from.Op != OpImage && in.Type != t || in.Imm < 1 || in.Imm >= uint64(v.p.Results(from)) {
			v.fail(at, "result %d of %s does not exist", in.Imm, from.Op)
		}
	case OpBitcast:
		if in.Type == Bool && v.p.Insts[in.Args[0]].Type != Bool {
			v.fail(at, "a number is cast to a mask; compare instead")
		}
	case OpLoadBuffer, OpBufferSize:
		buffer(in.Imm, false)
	case OpStoreBuffer:
		buffer(in.Imm, true)
	case OpAtomicBuffer:
		buffer(in.Imm&0xFFFFFFFF, true)
		v.atomic(at, in, 2)
	case OpAtomicShared:
		v.atomic(at, in, 1)
	case OpImage:
		if index(len(v.p.ImageOps), "image operation") {
			v.image(at, in, &v.p.ImageOps[in.Imm])
		}
	case OpGroup:
		v.group(at, in)
	case OpWide:
		v.wide(at, in)
	case OpBlock:
		v.blockWords(at, in)
	case OpLoadMem, OpStoreMem, OpAtomicMem:
		v.mem(at, in)
	case OpPixel, OpRecord, OpCovered, OpCover, OpLoadTexel, OpStoreTexel:
		v.place(at, in)
	case OpPrint:
		if index(len(v.p.Prints), "message") {
			v.print(at, in)
		}
	case OpTrace:
		if index(len(v.p.Traces), "trace") {
			v.trace(at, in)
		}
	case OpInterpolateAt:
		if slot := in.Imm & 0xFFFFFFFF; slot >= uint64(len(v.p.Inputs)) || in.Imm>>32 < 1 || in.Imm>>32 > 3 {
			v.fail(at, "interpolation of input %d with mode %d", slot, in.Imm>>32)
			return
		}
		for i := range interpolateArgs(in.Imm) {
			t := F32
			if in.Imm>>32 == 2 {
				t = I32
			}
			v.operand(at, in.Args[i], t)
		}
	case OpBreak, OpContinue:
		if in.Imm < 1 || in.Imm > uint64(len(v.loops)) {
			v.fail(at, "leaves %d loops of %d", in.Imm, len(v.loops))
			return
		}
		if l := v.loops[len(v.loops)-int(in.Imm)]; in.Op == OpContinue && (l.once || l.inContinue) {
			v.fail(at, "continues a scope that has no Continue part below")
		}
	}
}

// blockWords checks the operands of OpBlock; which format its number names, engines know.
func (v *verifier) blockWords(at Value, in *Inst) {
	if len(in.More) != 3 && len(in.More) != 5 {
		v.fail(at, "a block with %d operands, which takes 2 or 4 words and a place", len(in.More))
		return
	}
	for _, a := range in.More {
		v.operand(at, a, I32)
	}
}

// hasList tells which operations take operands in More.
func hasList(op Op) bool {
	switch op {
	case OpAtomicBuffer, OpAtomicShared, OpImage, OpGroup, OpWide, OpBlock, OpLoadMem, OpStoreMem, OpAtomicMem, OpPrint, OpTrace, OpStoreTexel:
		return true
	}
	return false
}

func (v *verifier) atomic(at Value, in *Inst, address int) {
	op := AtomicOp(in.Imm >> 32)
	values := 1
	switch {
	case in.Imm>>40 != 0 || !op.exists():
		v.fail(at, "unknown atomic operation %d", in.Imm>>32)
		return
	case op == AtomicCompareExchange:
		values = 2
	case op == AtomicLoad:
		values = 0
	}
	if len(in.More) < address+values {
		v.fail(at, "atomic with %d operands", len(in.More))
		return
	}
	for i, a := range in.More {
		t := I32
		if i >= address {
			t = Void
		}
		v.operand(at, a, t)
	}
}

// imageOp checks the static part of an image instruction.
func (v *verifier) imageOp(i int, op *ImageOp) {
	n := len(v.p.Resources)
	if op.Image < 0 || op.Image >= n || op.Sampler < -1 || op.Sampler >= n || op.Coords < 0 || op.Coords > 4 || op.GradCoords < 0 || op.GradCoords > 3 ||
		op.Results < 0 || op.Results > 4 || op.Dim > DimSubpass || op.Kind > ImageFootprint || op.Part > lastPart || op.Match > lastMatch || op.Second < 0 || op.Second >= max(n, 1) || op.Lod > LodZero || op.Atomic > lastAtomic {
		v.fail(NoValue, "image operation %d has a field out of range", i)
		return
	}
	if op.Rest && (op.Kind > ImageAtomic || op.Residency) {
		v.fail(NoValue, "image operation %d does not do a rest of lanes", i)
	}
	if op.Sampler < 0 && (op.Kind == ImageSample || op.Kind == ImageGather || op.Kind == ImageQueryLod || op.Kind >= ImageWeighted) {
		v.fail(NoValue, "image operation %d needs a sampler", i)
	}
}

// image checks the operand list against the order that ImageOp states.
func (v *verifier) image(at Value, in *Inst, op *ImageOp) {
	if (in.Type == Void) != (op.Results == 0) {
		v.fail(at, "an image instruction with %d results of type %s", op.Results, in.Type)
		return
	}
	least := 1 + op.Coords
	elements := 1
	if op.Sampler >= 0 {
		elements, least = 2, least+1
	}
	if op.Dref {
		least++
	}
	switch op.Lod {
	case LodBias, LodExplicit:
		least++
	case LodGrad:
		least += 2 * op.GradCoords
	}
	if op.HasOffset {
		least += op.GradCoords
	}
	if op.HasMinLod {
		least++
	}
	if op.HasSample {
		least++
	}
	if op.Rest {
		least += 1 + op.Results
	}
	most := least
	switch op.Kind {
	case ImageWrite:
		most += 4
		least++
	case ImageAtomic:
		most += 2
		if op.Wide {
			most += 2
		}
	case ImageQuerySize:
		most++
	case ImageBoxFilter:
		least, most = least+2, most+2
	case ImageWeighted:
		least, most = least+1, most+1
	case ImageBlockMatch:
		least, most = least+5, most+5
	}
	if len(in.More) < least || len(in.More) > most {
		v.fail(at, "an image instruction with %d operands, which takes %d to %d", len(in.More), least, most)
		return
	}
	if op.Rest {
		last := len(in.More) - op.Results
		v.operand(at, in.More[last-1], Bool)
		for _, a := range in.More[last:] {
			v.operand(at, a, in.Type)
		}
	}
	for i, a := range in.More {
		t := Void
		if i < elements || op.Kind.Takes2() && i == elements+op.Coords {
			t = I32
		}
		v.operand(at, a, t)
	}
}
