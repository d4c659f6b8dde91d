package lower

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

func (c *compiler) compositeConstruct(in *spirv.Inst) {
	if c.typ(in.Type).Kind == spirv.KindCooperative {
		c.compositeReplicate(in)
		return
	}
	var out []ir.Value
	for i := range in.Operands {
		out = append(out, c.scalars(in.ID(i), -1)...)
	}
	c.setScalars(out)
}

// compositeReplicate makes a composite of equal parts.
func (c *compiler) compositeReplicate(in *spirv.Inst) {
	part := c.scalars(in.ID(0), -1)
	var out []ir.Value
	for range c.parts(c.typ(in.Type)) {
		out = append(out, part...)
	}
	c.setScalars(out)
}

// locate follows literal indices into a type.
func (c *compiler) locate(t *spirv.Type, indices []uint32) (pt *spirv.Type, at, n int) {
	for _, k := range indices {
		part, off, _ := c.part(t, k)
		t, at = part, at+off
	}
	return t, at, len(c.flat(t))
}

func (c *compiler) compositeExtract(in *spirv.Inst) {
	v := c.get(in.ID(0))
	_, at, n := c.locate(v.t, in.Operands[1:])
	c.setScalars(v.s[at : at+n : at+n])
}

func (c *compiler) compositeInsert(in *spirv.Inst) {
	v := c.get(in.ID(1))
	_, at, n := c.locate(v.t, in.Operands[2:])
	part := c.scalars(in.ID(0), n)
	out := append([]ir.Value(nil), v.s...)
	copy(out[at:], part)
	c.setScalars(out)
}

func (c *compiler) vectorShuffle(in *spirv.Inst) {
	both := append(append(c.valueRoom[:0], c.comps(in.ID(0), -1)...), c.comps(in.ID(1), -1)...)
	c.valueRoom = both
	t := c.flat(c.typ(in.Type))[0]
	out := c.values(len(in.Operands) - 2)[:0]
	for _, k := range in.Operands[2:] {
		switch {
		case k == math.MaxUint32:
			zero := c.b.Const(t, 0)
			if isPair(both[0]) {
				zero = c.kint(both[0], 0)
			}
			out = append(out, zero)
		case uint64(k) < uint64(len(both)):
			out = append(out, both[k])
		default:
			c.fail("component %d of %d", k, len(both))
		}
	}
	c.setScalars(out)
}

// vectorExtract selects a component; an index outside gives the last one.
func (c *compiler) vectorExtract(in *spirv.Inst) {
	s := c.comps(in.ID(0), -1)
	index := c.intScalar(in.ID(1))
	v := s[len(s)-1]
	for k := len(s) - 2; k >= 0; k-- {
		hit := c.b.Op(ir.OpIEq, ir.Bool, index, c.b.I32(uint32(k)))
		v = c.num(ir.OpSelect, c.irType(v), hit, s[k], v)
	}
	c.setScalars([]ir.Value{v})
}

func (c *compiler) vectorInsert(in *spirv.Inst) {
	s := c.comps(in.ID(0), -1)
	part := c.comps(in.ID(1), 1)[0]
	index := c.intScalar(in.ID(2))
	out := c.values(len(s))
	for k := range s {
		hit := c.b.Op(ir.OpIEq, ir.Bool, index, c.b.I32(uint32(k)))
		out[k] = c.num(ir.OpSelect, c.irType(s[k]), hit, part, s[k])
	}
	c.setScalars(out)
}
