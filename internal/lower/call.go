package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// frame is one inlined call.
type frame struct {
	info *funcInfo
	// constructs are the enclosing merge scopes, innermost last.
	constructs []*construct
	// result is the returned value of a straight function, resultVars hold
	// it otherwise.
	result     *value
	resultVars []ir.VarID
}

// local is the value of an <id> in the frame that computed it last.
type local struct {
	frame *frame
	v     *value
}

// phi is the registers of an OpPhi in the frame that made them last.
type phi struct {
	frame *frame
	regs  []ir.VarID
}

// local returns the value that an <id> has in the current frame, or nil.
func (c *compiler) local(id spirv.ID) *value {
	if l := c.locals.At(id); l.frame == c.frame {
		return l.v
	}
	return nil
}

func (c *compiler) setLocal(id spirv.ID, v *value) { c.locals.Set(id, local{c.frame, v}) }

// returnLabel stands for the end of the function among branch targets.
const returnLabel = ^spirv.ID(0)

// callSteps is what a call counts among MaxSteps, so that a tree of empty
// functions ends too.
const callSteps = 8

// call inlines f and returns its result, nil for void.
func (c *compiler) call(f *spirv.Function, args []*value) *value {
	if c.depth++; c.depth > MaxCallDepth {
		c.fail("calls nest deeper than %d", MaxCallDepth)
	}
	c.steps += callSteps
	fr := &frame{info: c.funcs[f.ID]}
	if fr.info == nil {
		c.fail("call of a function that was not analysed")
	}
	saved := c.frame
	c.frame = fr
	for i, p := range f.Params {
		c.setLocal(p.Result, args[i])
	}
	c.traceParameters(f)
	entry := f.Blocks[0].Label
	end := []target{{label: returnLabel}}
	rt := f.Type.Elem
	if fr.info.straight {
		c.region(entry, end)
	} else {
		if rt.Kind != spirv.KindVoid {
			for _, t := range c.flat(rt) {
				fr.resultVars = append(fr.resultVars, c.b.NewVar(t, ""))
			}
		}
		c.b.Loop(true, func(l *ir.Loop) {
			fr.constructs = append(fr.constructs, &construct{merge: returnLabel, loop: l})
			c.region(entry, end)
		}, nil)
		fr.result = &value{t: rt}
		for _, v := range fr.resultVars {
			fr.result.s = append(fr.result.s, c.b.Get(v))
		}
	}
	c.frame = saved
	c.depth--
	if rt.Kind == spirv.KindVoid {
		return nil
	}
	if fr.result == nil {
		// Every path ends in OpKill or OpUnreachable.
		fr.result = &value{t: rt}
		for _, t := range c.flat(rt) {
			fr.result.s = append(fr.result.s, c.b.Const(t, 0))
		}
	}
	return fr.result
}

// functionCall lowers OpFunctionCall.
func (c *compiler) functionCall(in *spirv.Inst) {
	f := c.m.Function(in.ID(0))
	if f == nil || len(in.Operands)-1 != len(f.Params) {
		c.fail("the arguments do not match the function's parameters")
	}
	args := make([]*value, len(f.Params))
	for i, p := range f.Params {
		args[i] = c.get(in.ID(i + 1))
		if args[i].t.ID != p.Type {
			c.fail("argument %d has type %v, the parameter %v", i, args[i].t, c.typ(p.Type))
		}
	}
	r := c.call(f, args)
	c.inst = in
	if r == nil {
		c.setLocal(in.Result, &value{t: c.typ(in.Type)})
		return
	}
	c.set(r)
}

// ret lowers OpReturn and OpReturnValue; v is nil for OpReturn.
func (c *compiler) ret(v *value) {
	if v == nil {
		return
	}
	fr := c.frame
	if fr.info.straight {
		fr.result = v
		return
	}
	if v.p != nil && isAddress(v.t) {
		v = &value{t: v.t, s: c.pointerWords(v)}
	}
	if len(v.s) != len(fr.resultVars) {
		c.fail("the returned value does not have the function's type")
	}
	for i, s := range v.s {
		c.b.Set(fr.resultVars[i], s)
	}
}
