package vm

import (
	"slices"
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// A workgroup of one invocation, as of serial decoders, is a program of its own, in which all
// values are uniform: its conditions are jumps, its words live in scalar registers, and memory
// is reached a word at a time. Batches of few such lanes run it for one after the other.

// fewAlone is for how many lanes that takes less time than vectors do. A turn of a vector waits
// some times as long for each result.
const fewAlone = 3

// alonePossible says that a program has invocations that may run alone, and loops, which that
// pays for.
func alonePossible(p *ir.Program, m *native.Machine) bool {
	return p.Stage == ir.StageCompute && p.LocalSize == [3]uint32{1, 1, 1} &&
		!p.Demotes && !p.HasQuads() && m.RunsAlone() &&
		hasLoop(&p.Body) && !slices.ContainsFunc(p.Insts, func(in ir.Inst) bool {
		return neighbours(in.Op) || in.Op == ir.OpImage && !p.ImageOps[in.Imm].Rest
	})
}

// neighbours says that an operation looks at other lanes of its quad, as stages of the pipeline
// do that are compute programs.
func neighbours(op ir.Op) bool { return op >= ir.OpDdxFine && op <= ir.OpDdyCoarse }

func hasLoop(b *ir.Block) bool {
	return slices.ContainsFunc(b.Stmts, func(s ir.Stmt) bool {
		return s.Loop != nil && (!s.Loop.Once || hasLoop(&s.Loop.Body)) ||
			s.If != nil && (hasLoop(&s.If.Then) || hasLoop(&s.If.Else))
	})
}

// aloneOf makes the routine of single lanes of r, when somebody asks for it; nil where there is
// none.
func aloneOf(r *routine) func() *routine {
	return sync.OnceValue(func() *routine {
		m, err := compileFor(r.program, r.vectors, true)
		if err != nil || m.unit == nil {
			return nil
		}
		r.share(m)
		m.lanes, m.alone, m.single, m.plain = 1, nil, true, r
		if !m.unit.Emit(m.stride(0)) {
			return nil
		}
		return m
	})
}

// runAlone runs a batch of few lanes one after the other; false where it does not.
func runAlone(t *thread, ctx *exec.Context, b *exec.Batch) (bool, error) {
	if b.Live != nil || ctx.Trace != nil {
		return false, nil
	}
	if t.alone == nil {
		r := t.r.alone()
		if r == nil {
			return false, nil
		}
		t.alone = r.newThread(t.scratch, 1).(*thread)
	}
	return true, t.alone.Run(ctx, b)
}

// sharedAlone says that a value of a single lane lives in a scalar register: all but floats that
// are computed, for which vectors have the instructions.
func sharedAlone(p *ir.Program, in *ir.Inst) bool {
	if in.Type == ir.Void {
		return p.Results(in) > 0
	}
	return in.Type != ir.F32 || in.Op == ir.OpConst || in.Op == ir.OpBitcast || !ir.Evaluates(in.Op)
}

// alone is inst for a single lane.
func (c *compiler) alone(v ir.Value, in *ir.Inst) {
	if c.memoryAlone(v, in) || c.shiftAlone(v, in) {
		return
	}
	uniform := &c.facts.uniform[v]
	was, lanes := *uniform, !canBeUniform(c.p, in)
	in.Operands(func(a *ir.Value) { lanes = lanes || !c.uniform(*a) })
	switch in.Op {
	case ir.OpConst, ir.OpResult, ir.OpVarGet:
		lanes = false
	}
	if !was || !lanes {
		c.instruction(v, in)
		return
	}
	*uniform = false
	c.instruction(v, in)
	if *uniform = true; c.err != nil || in.Type == ir.Void && c.results[v] == nil {
		return
	}
	list := slices.Clone(c.results[v])
	if list == nil {
		c.reg[v] = c.first(c.reg[v])
		return
	}
	for i := range list {
		list[i] = c.first(list[i])
	}
	c.results[v], c.reg[v] = list, list[0]
}

// first is the scalar register of the first lane of a register.
func (c *compiler) first(lane int32) int32 {
	s := c.scalar()
	c.emit(instr{kind: native.KindFirst, d: s, a: lane})
	return s
}

// wordOf is visibleScalar of any value of a single lane.
func (c *compiler) wordOf(v ir.Value) int32 {
	if c.uniform(v) {
		return c.visibleScalar(v)
	}
	return c.first(c.visible(v))
}

// memoryAlone compiles operations on memory of a single lane; false for those that all lanes
// have.
func (c *compiler) memoryAlone(v ir.Value, in *ir.Inst) bool {
	a := in.Args
	load := func(k native.Kind) {
		c.reg[v] = c.scalar()
		c.emit(instr{kind: k, d: c.reg[v], a: c.reg[a[0]]})
	}
	store := func(k native.Kind) { c.emit(instr{kind: k, a: c.reg[a[0]], c: c.wordOf(a[1])}) }
	switch in.Op {
	case ir.OpStoreBuffer:
		i := instr{kind: native.KindStoreBufferU, imm: int64(in.Imm), a: c.reg[a[1]], b: c.reg[a[0]]}
		i.c = c.wordOf(a[2])
		c.emit(i)
	case ir.OpLoadShared:
		load(native.KindLoadSharedU)
	case ir.OpStoreShared:
		store(native.KindStoreSharedU)
	case ir.OpLoadPrivate:
		load(native.KindLoadPrivateU)
	case ir.OpStorePrivate:
		store(native.KindStorePrivateU)
	default:
		return false
	}
	return true
}

// shiftAlone compiles a shift of 64 bits, as a decoder takes bits with, of a single lane; false
// for other operations.
func (c *compiler) shiftAlone(v ir.Value, in *ir.Inst) bool {
	if op := ir.WideOp(in.Imm); in.Op != ir.OpWide || op != ir.WideShl && op != ir.WideShrU {
		return false
	}
	var words [3]int32
	for i := range words {
		words[i] = c.wordOf(in.More[i])
	}
	list := []int32{c.scalar(), c.scalar()}
	for half, d := range list {
		c.emit(instr{kind: native.KindShiftU, d: d, a: words[0], b: words[1], c: words[2],
			imm: int64(in.Imm) | int64(half)<<8})
	}
	c.results[v], c.reg[v] = list, list[0]
	return true
}

// wordOfOne runs the operations of memoryAlone and shiftAlone. Words of private memory lie side
// by side.
func wordOfOne(t *thread, in *instr) {
	at := t.s[in.a]
	switch in.kind {
	case native.KindStoreBufferU:
		if data := t.descriptor(in.imm, t.s[in.b]).Data; t.writable(data, uint64(at), 4) {
			store(data, at, t.s[in.c])
		}
	case native.KindLoadSharedU:
		t.s[in.d] = load(t.batch.Shared, at)
	case native.KindStoreSharedU:
		store(t.batch.Shared, at, t.s[in.c])
	case native.KindShiftU:
		x := ir.EvalWide(ir.WideOp(in.imm&255), pair(at, t.s[in.b]), uint64(t.s[in.c]), 0)
		t.s[in.d] = uint32(x >> (32 * (in.imm >> 8)))
	case native.KindLoadPrivateU:
		t.s[in.d] = 0
		if at < t.r.program.PrivateBytes {
			t.s[in.d] = t.private[at/4]
		}
	case native.KindStorePrivateU:
		if at < t.r.program.PrivateBytes {
			t.private[at/4] = t.s[in.c]
		}
	}
}
