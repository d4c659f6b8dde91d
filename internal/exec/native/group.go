package native

import "github.com/pumice-gpu/pumice/internal/ir"

// Subgroups wider than a vector are several parts of strips, which run in order. An operation hands
// on from part to part what it has come to, and ends its block: no jump goes over it, so that parts
// without lanes that take part run it, too. Where all lanes have the same result, that is the last
// part's: GroupLast, behind it, brings it to all.

// Rows of what the parts of a subgroup hand on, the same in all lanes: what they have come to, or
// its low words and the high ones, whether a lane took part, and whether something holds for one.
const (
	carrySum = iota
	carryHigh
	carryMet
	carryAny
	carryRows
)

// sizeOf is the lanes of a subgroup that an operation is of, or of a cluster.
func (e *layout) sizeOf(g ir.Group) int {
	size := int(e.r.program.SubgroupSize)
	if g.Cluster > 0 {
		size = min(size, int(g.Cluster))
	}
	return size
}

// translatesGroup says whether a block may hold a subgroup operation.
func (c *divider) translatesGroup(in *Inst) bool {
	g := ir.GroupOf(uint64(in.Imm))
	m := c.r.vectors
	held := m.carries && g.Kind == ir.GroupReduce && !g.Partitioned &&
		g.Cluster > 0 && int(g.Cluster) <= m.lanes
	return m.HoldsSubgroups(c.p) || held || m.Carries(c.p, g) || m.LooksAround(c.p, g) ||
		g.Kind >= ir.GroupLast
}

// LooksAround says that an operation on parts of a subgroup finds in memory what GroupShow has
// brought there: a subgroup is of several parts of strips.
func (m *Machine) LooksAround(p *ir.Program, g ir.Group) bool {
	return m != nil && m.looks && p.SubgroupSize > uint32(m.lanes) &&
		(g.Kind == ir.GroupPartition || g.Partitioned)
}

// looksAround says that an instruction is such an operation: its block begins with it.
func (c *divider) looksAround(in *Inst) bool {
	return in.Kind == KindGroup && c.r.vectors.LooksAround(c.p, ir.GroupOf(uint64(in.Imm)))
}

// Carries says that the parts of strips hand on what a subgroup operation comes to.
func (m *Machine) Carries(p *ir.Program, g ir.Group) bool {
	if m == nil || !m.carries || p.SubgroupSize <= uint32(m.lanes) {
		return false
	}
	switch g.Kind {
	case ir.GroupPartition, ir.GroupProduct, ir.GroupLast, ir.GroupTake:
		return false
	case ir.GroupReduce:
		return !g.Partitioned && (g.Cluster == 0 || int(g.Cluster) > m.lanes)
	case ir.GroupInclusive, ir.GroupExclusive:
		return !g.Partitioned
	}
	return true
}

// carried says that an instruction is such an operation.
func (c *divider) carried(in *Inst) bool {
	return in.Kind == KindGroup && c.r.vectors.Carries(c.p, ir.GroupOf(uint64(in.Imm)))
}

// RunsOn says that Carries, and that all lanes of a subgroup have the result.
func (m *Machine) RunsOn(p *ir.Program, g ir.Group) bool {
	switch g.Kind {
	case ir.GroupLane, ir.GroupElect, ir.GroupInclusive, ir.GroupExclusive:
		return false
	}
	return m.Carries(p, g)
}

// HoldsSubgroups says whether a part of a strip has whole subgroups of a program that has such:
// then machine code runs each of their instructions for all of their lanes. Where there is no
// machine, none has.
func (m *Machine) HoldsSubgroups(p *ir.Program) bool {
	return m != nil && 0 < p.SubgroupSize && p.SubgroupSize <= uint32(m.lanes)
}

// groupOps are the operations of reductions and scans.
var groupOps = [...]ir.Op{
	ir.GroupIAdd: ir.OpIAdd, ir.GroupIMul: ir.OpIMul, ir.GroupSMin: ir.OpSMin,
	ir.GroupUMin: ir.OpUMin, ir.GroupSMax: ir.OpSMax, ir.GroupUMax: ir.OpUMax,
	ir.GroupAnd: ir.OpAnd, ir.GroupOr: ir.OpOr, ir.GroupXor: ir.OpXor, ir.GroupFAdd: ir.OpFAdd,
	ir.GroupFMul: ir.OpFMul, ir.GroupFMin: ir.OpFMin, ir.GroupFMax: ir.OpFMax,
}

// groupWide are the operations of reductions and scans on pairs, where there are such.
var groupWide = [...]ir.WideOp{
	ir.GroupIAdd: ir.WideIAdd, ir.GroupIMul: ir.WideIMul, ir.GroupFAdd: ir.WideFAdd,
	ir.GroupFMul: ir.WideFMul, ir.GroupFMin: ir.WideFMin, ir.GroupFMax: ir.WideFMax,
}
