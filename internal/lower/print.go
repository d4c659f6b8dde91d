package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Bounds on messages: of a format in bytes, and of a message in arguments.
const (
	maxPrintFormat = 1024
	maxPrintArgs   = 32
)

// debugPrintf lowers DebugPrintf. The set has no meaning: what is not as it
// should be says nothing.
func (c *compiler) debugPrintf(in *spirv.Inst) {
	const printf = 1
	if in.Operands[1] != printf || len(in.Operands) < 3 || len(in.Operands) > 3+maxPrintArgs {
		return
	}
	p := ir.Print{Format: c.m.String(in.ID(2)), Source: ir.Source{File: c.m.String(in.Line.File), Line: in.Line.Line}}
	if len(p.Format) > maxPrintFormat {
		p.Format = p.Format[:maxPrintFormat]
	}
	var words []ir.Value
	for i := 3; i < len(in.Operands); i++ {
		d := c.m.Def(in.ID(i))
		if d == nil || d.Type == 0 {
			return
		}
		t := c.typ(d.Type)
		e := elem(t)
		if t != e && (t.Kind != spirv.KindVector || e != t.Elem) {
			return
		}
		arg := ir.PrintArg{Kind: ir.PrintUint, Wide: isWide(e), Count: uint8(c.size(t))}
		switch {
		case e.Kind == spirv.KindFloat:
			arg.Kind = ir.PrintFloat
		case e.Kind == spirv.KindInt && e.Signed:
			arg.Kind = ir.PrintInt
		case e.Kind != spirv.KindInt && e.Kind != spirv.KindBool:
			return
		}
		for _, v := range c.scalars(in.ID(i), -1) {
			if c.p.Insts[v].Type == ir.Bool {
				v = c.b.Op(ir.OpSelect, ir.I32, v, c.b.I32(1), c.b.I32(0))
			}
			words = append(words, c.signExtend(v, &spirv.Type{Kind: e.Kind, Width: e.Width, Signed: e.Signed}))
		}
		p.Args = append(p.Args, arg)
	}
	c.p.Prints = append(c.p.Prints, p)
	c.b.OpMore(ir.OpPrint, ir.Void, uint64(len(c.p.Prints)-1), words)
}
