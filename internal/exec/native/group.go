package native

import "github.com/pumice-gpu/pumice/internal/ir"

// translatesGroup says whether a block may hold a subgroup operation.
func (c *divider) translatesGroup(in *Inst) bool {
	product := ir.GroupOf(uint64(in.Imm)).Kind == ir.GroupProduct
	return c.r.vectors.writes(KindGroup) && c.r.vectors.HoldsSubgroups(c.p) &&
		(!product || c.r.vectors.products)
}

// HoldsSubgroups says whether a part of a strip has whole subgroups of a program that has such: then
// machine code runs each of their instructions for all of their lanes. Where there is no machine, none has.
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

// groupIdentities are what scans begin with.
var groupIdentities = [...]uint32{
	ir.GroupIMul: 1, ir.GroupSMin: 1<<31 - 1, ir.GroupUMin: 1<<32 - 1, ir.GroupSMax: 1 << 31,
	ir.GroupAnd: 1<<32 - 1, ir.GroupFMul: 0x3F800000, ir.GroupFMin: 0x7F800000,
	ir.GroupFMax: 0xFF800000,
}
