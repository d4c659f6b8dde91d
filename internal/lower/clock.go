package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// scopeSubgroup is Scope Subgroup.
const scopeSubgroup = 3

// readClock lowers OpReadClockKHR. No time enters results, so the clock of a
// subgroup counts how often its invocations read it: the result is one more
// than any result that one of those reading together had before. A device has
// no such clock, since its invocations run in no fixed order.
func (c *compiler) readClock(in *spirv.Inst) {
	if c.constScalar(in.ID(0)) != scopeSubgroup {
		c.fail("unsupported: a clock whose scope is not Subgroup (VUID-RuntimeSpirv-shaderDeviceClock-06268)")
	}
	if len(c.flat(c.typ(in.Type))) != 2 {
		c.fail("a clock read as %v", c.typ(in.Type))
	}
	b := c.b
	if !c.clockMade {
		c.clock, c.clockMade = b.NewVar(ir.I32, "clock"), true
	}
	g := ir.Group{Kind: ir.GroupReduce, Arith: ir.GroupUMax}
	now := b.Op(ir.OpIAdd, ir.I32, c.group(g, ir.I32, b.Get(c.clock)), b.I32(1))
	b.Set(c.clock, now)
	c.setScalars([]ir.Value{now, b.I32(0)})
}
