package lower

import (
	"strings"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// maxWholes bounds the words of variables that stores to parts of them tell, in a program.
const maxWholes = 1 << 16

// traceAssigned notes which variable of the source an instruction gives a value. Where it writes a
// part, the words are those of the whole variable.
func (c *compiler) traceAssigned(t *ir.Trace, in *spirv.Inst) []ir.Value {
	if in.Op != spirv.OpStore {
		if in.Result != 0 && c.called(in) { // a value that has a name, as in WGSL those of let
			t.Assigns = c.m.Name(in.Result)
		}
		return nil
	}
	root := c.rootOf(in.ID(0))
	v := c.local(root)
	if v == nil || v.p == nil {
		p := c.global(root)
		if p == nil {
			return nil
		}
		v = &value{t: p.ptrType, p: p}
	}
	if v.p.space != spaceVar && v.p.space != spacePrivate || !c.ofSource(root) {
		return nil
	}
	name := c.nameOf(root, 0)
	if root == in.ID(0) {
		t.Assigns = name
		return nil
	}
	if whole := c.wholeOf(v); name != "" && whole != nil {
		t.Assigns, t.Whole = name, c.traceType(whole.t)
		return whole.s[:t.Whole.Words()]
	}
	t.Assigns = c.nameOf(in.ID(0), 0)
	return nil
}

// called says that the name of an instruction's result is one of the source.
func (c *compiler) called(in *spirv.Inst) bool {
	return in.Op != spirv.OpVariable && !c.tracer.declared
}

// wholeOf loads a variable of which a part is told; nil: it is large, or there were too many.
func (c *compiler) wholeOf(v *value) *value {
	if v.p.arrayed {
		return nil
	}
	n := len(c.flat(v.p.t))
	if n > maxTraced || c.tracer.wholes+n > maxWholes {
		return nil
	}
	c.tracer.wholes += n
	return c.load(c.use(v).p)
}

// rootOf is the variable, or the parameter, that a chain of accesses begins with.
func (c *compiler) rootOf(id spirv.ID) spirv.ID {
	for range 8 {
		in := c.m.Def(id)
		if in == nil || in.Op != spirv.OpAccessChain && in.Op != spirv.OpInBoundsAccessChain &&
			in.Op != spirv.OpCopyObject {
			break
		}
		id = in.ID(0)
	}
	return id
}

// ofSource says that a variable is one of the source, and not of the compiler that made the module.
func (c *compiler) ofSource(id spirv.ID) bool {
	in, name := c.m.Def(id), c.m.Name(id)
	switch {
	case in == nil:
		return false
	case c.tracer.declared && in.Op == spirv.OpVariable &&
		spirv.StorageClass(in.Operands[0]) == spirv.StorageClassFunction:
		return c.tracer.names[id] != ""
	}
	// The names that glslang and dxc give to arguments, and naga to what bounds its loops.
	return name != "param" && name != "loop_bound" && !strings.HasPrefix(name, "param.var.") &&
		!strings.HasPrefix(name, "temp.var.")
}

// traceVariable tells of a variable by DebugDeclare, of a parameter, or DebugValue.
func (c *compiler) traceVariable(in *spirv.Inst) {
	d, ok := c.m.DebugVariable(in)
	if !ok {
		return
	}
	def := c.m.Def(d.ID)
	if def == nil || d.Declared && def.Op != spirv.OpFunctionParameter {
		return // what a variable holds before the first store
	}
	v := c.local(d.ID)
	if v != nil {
		v = c.use(v)
	} else if _, constant := c.k.Words(d.ID); constant && !d.Behind {
		v = c.get(d.ID)
	}
	c.tracePlain(in, d.Name, v, d.Behind)
}

// traceParameters tells of the parameters of a function that has been called.
func (c *compiler) traceParameters(f *spirv.Function) {
	if c.tracer == nil {
		return
	}
	for _, p := range f.Params {
		if name := c.m.Name(p.Result); name != "" && c.tracer.names[p.Result] == "" {
			v := c.local(p.Result)
			c.tracePlain(p, name, v, v != nil && v.p != nil)
		}
	}
}

// tracePlain tells that a variable has a value, or that of which it is the pointer.
func (c *compiler) tracePlain(in *spirv.Inst, name string, v *value, behind bool) {
	if v == nil || behind != (v.p != nil) {
		return
	}
	if behind {
		if v.p.space != spaceVar && v.p.space != spacePrivate {
			return
		}
		if v = c.wholeOf(v); v == nil {
			return
		}
	}
	if v.s == nil {
		return
	}
	t := c.traceOf(in)
	t.Name, t.Assigns, t.Type = name, name, c.traceType(v.t)
	c.tell(t, v.s[:t.Type.Words()])
}
