package vm

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Interpreted implements exec.Interpreter.
func (r *routine) Interpreted() []exec.Interpreted {
	if r.machine == nil {
		return nil
	}
	r.machine()
	return r.left
}

// InterpretedOn is what Interpreted would tell of a program on a machine, whichever processor this
// runs on. Errors are *CompileError.
func InterpretedOn(p *ir.Program, m *native.Machine) ([]exec.Interpreted, error) {
	r, err := compile(p, m)
	if err != nil {
		return nil, err
	}
	return r.left, nil
}

// maxInterpreted is how many kinds of instructions are told of.
const maxInterpreted = 16

// stays is what a kind of instruction is called that machine code may lack, and why it does. No
// name: it is none of the program's, or runs once for a batch, or is in machine code when that
// counts.
var stays = [kindCount]struct {
	op  ir.Op
	why string
}{
	kindInterpolate:           {ir.OpInterpolateAt, "the input is evaluated away from its usual place"},
	native.KindStoreBufferU:   {ir.OpStoreBuffer, whyProcessor},
	native.KindSizeBufferE:    {ir.OpBufferSize, whyProcessor},
	native.KindLoadPrivate:    {ir.OpLoadPrivate, whyPrivate},
	native.KindStorePrivate:   {ir.OpStorePrivate, whyPrivate},
	kindAtomicBuffer:          {ir.OpAtomicBuffer, whyAtomic},
	kindAtomicShared:          {ir.OpAtomicShared, whyAtomic},
	native.KindAtomicMem:      {ir.OpAtomicMem, whyAtomic},
	native.KindGroup:          {ir.OpGroup, "invocations of a subgroup look at each other"},
	native.KindWide:           {ir.OpWide, whyProcessor},
	kindBlock:                 {ir.OpBlock, "it works on many words at once"},
	native.KindLoadMem:        {ir.OpLoadMem, whyMemory},
	native.KindLoadMemU:       {ir.OpLoadMem, whyMemory},
	native.KindStoreMem:       {ir.OpStoreMem, whyMemory},
	native.KindStoreMemU:      {ir.OpStoreMem, whyMemory},
	kindLoadVertex:            {ir.OpLoadVertex, "it reads vertices of primitives"},
	kindEmit:                  {ir.OpEmit, "it writes vertices of primitives"},
	native.KindLoadSharedU:    {ir.OpLoadShared, whyProcessor},
	native.KindStoreSharedU:   {ir.OpStoreShared, whyProcessor},
	native.KindLoadPrivateU:   {ir.OpLoadPrivate, whyProcessor},
	native.KindStorePrivateU:  {ir.OpStorePrivate, whyProcessor},
	native.KindStorePrivateAt: {ir.OpStorePrivate, whyProcessor},
}

// Why several kinds stay.
const (
	whyPrivate   = "the private array's index is known only when it runs"
	whyAtomic    = "invocations take turns"
	whyMemory    = "its memory is found for each invocation"
	whyProcessor = "there is no machine code for it on this processor"
)

// tellLeft notes the instructions that machine code leaves, by their places; loops are those of
// the code.
func (c *compiler) tellLeft(places []int32, loops [][2]int32) {
	for _, at := range places {
		in := &c.code[at]
		op, why := stays[in.kind].op, stays[in.kind].why
		if in.kind <= native.KindVUU || in.kind == native.KindScalar {
			op, why = in.op, whyProcessor
		}
		if why == "" {
			continue
		}
		x := exec.Interpreted{Name: op.String(), Why: why, Count: 1}
		if in.kind == native.KindWide {
			x.Name = ir.WideOp(in.imm).String()
		}
		x.Source = c.sourceAt(at, loops)
		c.tell(x)
	}
}

func (c *compiler) tell(x exec.Interpreted) {
	for i := range c.r.left {
		if l := &c.r.left[i]; l.Name == x.Name && l.Why == x.Why {
			l.Count++
			if l.Source == (ir.Source{}) {
				l.Source = x.Source
			}
			return
		}
	}
	if len(c.r.left) < maxInterpreted {
		c.r.left = append(c.r.left, x)
	}
}

// sourceAt is where an instruction is in the source, or the innermost loop around it.
func (c *compiler) sourceAt(at int32, loops [][2]int32) ir.Source {
	if int(at) < len(c.values) {
		if s := c.p.SourceOf(c.values[at]); s.Line > 0 {
			return s
		}
	}
	for _, l := range loops { // inner before outer
		if l[0] <= at && at < l[1] {
			return c.r.sources[c.code[l[0]].c]
		}
	}
	return ir.Source{}
}
