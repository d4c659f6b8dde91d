package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// value is the lowered form of a SPIR-V result: its scalars in order of the
// type's parts, or a pointer, or the handle of an image or sampler.
type value struct {
	t *spirv.Type
	s []ir.Value
	p *pointer
	h *handle
}

// values makes room for n values.
func (c *compiler) values(n int) []ir.Value {
	if n > len(c.room) {
		c.room = make([]ir.Value, max(n, 1024))
	}
	v := c.room[:n:n]
	c.room = c.room[n:]
	return v
}

// handle names descriptors: an image, a sampler, or both. Elements are
// descriptor array indices.
type handle struct {
	image, sampler         int // Program.Resources index or -1
	imageElem, samplerElem ir.Value
	t                      *spirv.Type // of the image
}

// flat returns the IR types of a value's scalars.
func (c *compiler) flat(t *spirv.Type) []ir.Type {
	if f := c.flats.At(t.ID); f != nil && t.ID != 0 {
		return f
	}
	n, err := c.k.Scalars(t)
	if err != nil {
		c.fail("%v", err)
	}
	f := c.appendFlat(make([]ir.Type, 0, n), t)
	c.flats.Set(t.ID, f) // 0 is for types that the module does not declare
	return f
}

func (c *compiler) appendFlat(f []ir.Type, t *spirv.Type) []ir.Type {
	switch t.Kind {
	case spirv.KindBool:
		return append(f, ir.Bool)
	case spirv.KindInt:
		if isWide(t) {
			f = append(f, ir.I32)
		}
		return append(f, ir.I32)
	case spirv.KindFloat:
		if isWide(t) {
			return append(f, ir.I32, ir.I32)
		}
		if t.Coded != 0 {
			return append(f, ir.I32)
		}
		return append(f, ir.F32)
	case spirv.KindPointer: // Scalars has checked its storage class
		return append(f, ir.I32, ir.I32)
	case spirv.KindVector, spirv.KindMatrix, spirv.KindArray, spirv.KindCooperative:
		for range c.parts(t) {
			f = c.appendFlat(f, t.Elem)
		}
	case spirv.KindTensorLayout, spirv.KindTensorView:
		for range c.tensor(t).Words(t.Kind) {
			f = append(f, ir.I32)
		}
	case spirv.KindStruct:
		for _, m := range t.Members {
			f = c.appendFlat(f, m)
		}
	default:
		c.fail("a value of type %v has no scalars", t)
	}
	return f
}

// halves marks the scalars of t that are binary16; nil where there is none.
func (c *compiler) halves(t *spirv.Type) []bool {
	if !c.hasHalf() {
		return nil
	}
	return c.appendHalves(nil, t)
}

func (c *compiler) appendHalves(f []bool, t *spirv.Type) []bool {
	switch t.Kind {
	case spirv.KindVector, spirv.KindMatrix, spirv.KindArray, spirv.KindCooperative:
		one := c.appendHalves(nil, t.Elem)
		for range c.parts(t) {
			f = append(f, one...)
		}
	case spirv.KindStruct:
		for _, m := range t.Members {
			f = c.appendHalves(f, m)
		}
	default:
		for range c.flat(t) {
			f = append(f, isHalf(t))
		}
	}
	return f
}

// hasHalf tells whether the module declares binary16.
func (c *compiler) hasHalf() bool {
	if c.half == 0 {
		c.half = 1
		for _, t := range c.m.Types { // any one will do
			if isHalf(t) {
				c.half = 2
			}
		}
	}
	return c.half == 2
}

// part returns type, first scalar and number of scalars of part k of t.
func (c *compiler) part(t *spirv.Type, k uint32) (pt *spirv.Type, at, n int) {
	pt, at, ok := c.k.Part(t, k)
	if !ok {
		c.fail("index %d is outside %v", k, t)
	}
	return pt, at, len(c.flat(pt))
}

// parts returns the number of parts of a composite.
func (c *compiler) parts(t *spirv.Type) uint32 {
	switch t.Kind {
	case spirv.KindVector:
		n, _ := c.k.VectorLen(t)
		return n
	case spirv.KindMatrix:
		return t.Count
	case spirv.KindCooperative:
		n, _ := c.k.CooperativeLength(t)
		return n
	case spirv.KindArray:
		n, _ := c.k.ArrayLen(t)
		return n
	case spirv.KindStruct:
		return uint32(len(t.Members))
	default:
		return 0
	}
}

// typ returns the type with an <id>.
func (c *compiler) typ(id spirv.ID) *spirv.Type {
	t := c.m.Type(id)
	if t == nil {
		c.fail("<id> %d is not a type", id)
	}
	return t
}

// get returns the value of an <id>, usable at the insertion point.
func (c *compiler) get(id spirv.ID) *value {
	if c.frame != nil {
		if v := c.local(id); v != nil {
			return c.use(v)
		}
	}
	if p := c.global(id); p != nil {
		return &value{t: p.ptrType, p: p}
	}
	if v := c.constants.At(id); v != nil {
		return v
	}
	words, ok := c.constantWords(id)
	if !ok {
		d := c.m.Def(id)
		if d == nil || d.Op != spirv.OpUndef {
			c.fail("<id> %d has no value here: a use that its definition does not dominate, or an unsupported constant", id)
		}
		c.flat(c.typ(d.Type)) // fails for types without scalars
	}
	t := c.typ(c.m.Def(id).Type)
	v := &value{t: t, s: c.values(len(words))}
	for i, ty := range c.flat(t) {
		v.s[i] = c.word(ty, words[i])
	}
	c.constants.Set(id, v)
	return v
}

// word returns a constant of a type; booleans are 0 or 1 in SPIR-V.
func (c *compiler) word(t ir.Type, w uint32) ir.Value {
	if t == ir.Bool {
		return c.b.Bool(w != 0)
	}
	return c.b.Const(t, w)
}

// use carries a value into the current block.
func (c *compiler) use(v *value) *value {
	for i, s := range v.s {
		u := c.b.Use(s)
		if u == s {
			continue
		}
		out := &value{t: v.t, s: append([]ir.Value(nil), v.s...)}
		out.s[i] = u
		for j := i + 1; j < len(out.s); j++ {
			out.s[j] = c.b.Use(out.s[j])
		}
		return out
	}
	if v.p != nil {
		dyn, elem := c.b.Use(v.p.dyn), c.b.Use(v.p.elem)
		lo, hi := ir.NoValue, ir.NoValue
		if v.p.space == spaceAddress {
			lo, hi = c.b.Use(v.p.lo), c.b.Use(v.p.hi)
		}
		if dyn != v.p.dyn || elem != v.p.elem || v.p.space == spaceAddress && (lo != v.p.lo || hi != v.p.hi) {
			p := *v.p
			p.dyn, p.elem, p.lo, p.hi = dyn, elem, lo, hi
			if p.windowed {
				p.home, p.window = c.b.Use(p.home), c.b.Use(p.window)
			}
			return &value{t: v.t, p: &p}
		}
	}
	if v.h != nil {
		i, s := c.b.Use(v.h.imageElem), c.b.Use(v.h.samplerElem)
		if i != v.h.imageElem || s != v.h.samplerElem {
			h := *v.h
			h.imageElem, h.samplerElem = i, s
			return &value{t: v.t, h: &h}
		}
	}
	return v
}

// scalars returns the scalars of an <id>; n >= 0 demands that many.
func (c *compiler) scalars(id spirv.ID, n int) []ir.Value {
	v := c.get(id)
	if v.p != nil && isAddress(v.t) {
		v = &value{t: v.t, s: c.pointerWords(v)}
	}
	if v.p != nil || v.h != nil || n >= 0 && len(v.s) != n {
		c.fail("<id> %d has %d scalars where %d are needed", id, len(v.s), n)
	}
	return v.s
}

// scalar returns the single scalar of an <id>.
func (c *compiler) scalar(id spirv.ID) ir.Value { return c.scalars(id, 1)[0] }

// intScalar is scalar with the type checked: indices and counts.
// Narrow numbers are extended by their signedness; of 64-bit ones the low word
// counts.
func (c *compiler) intScalar(id spirv.ID) ir.Value {
	s := c.scalars(id, -1)
	v := s[0]
	if len(s) != 1 {
		if t := c.typ(c.m.Def(id).Type); !isWide(t) {
			c.fail("<id> %d has %d scalars where one is needed", id, len(s))
		}
	} else if t := c.m.Type(c.m.Def(id).Type); t != nil && t.Signed {
		v = c.signExtend(v, t)
	}
	if c.b.P.Insts[v].Type != ir.I32 {
		c.fail("<id> %d is not a 32-bit integer", id)
	}
	return v
}

// set defines the result of the current instruction.
func (c *compiler) set(v *value) {
	if c.inst.Result == 0 {
		c.fail("the instruction has no result")
	}
	v.t = c.typ(c.inst.Type)
	if c.held += len(v.s); c.held > MaxScalars {
		c.fail("the results of the program have more than %d scalars", MaxScalars)
	}
	if v.p == nil && v.h == nil && v.t.Kind != spirv.KindVoid {
		flat := c.flat(v.t)
		if len(flat) != len(v.s) {
			c.fail("%d scalars for a result of type %v", len(v.s), v.t)
		}
		for i, s := range v.s {
			if s < 0 || c.b.P.Insts[s].Type != flat[i] {
				c.fail("operand types do not give a result of type %v", v.t)
			}
		}
	}
	c.setLocal(c.inst.Result, v)
}

func (c *compiler) setScalars(s []ir.Value) {
	if len(c.made) == 0 {
		c.made = make([]value, 64)
	}
	v := &c.made[0]
	c.made = c.made[1:]
	v.s = c.expand(s)
	c.set(v)
}
