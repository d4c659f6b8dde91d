package native

import "github.com/pumice-gpu/pumice/internal/ir"

// translatesGroup says whether a block may hold a subgroup operation.
func (c *divider) translatesGroup() bool {
	return c.r.vectors.HoldsSubgroups(c.p)
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

// groupWide are the operations of reductions and scans on pairs, where there are such, and what those
// begin with.
var groupWide = [...]struct {
	wide     ir.WideOp
	identity uint64
}{
	ir.GroupIAdd: {wide: ir.WideIAdd},
	ir.GroupIMul: {wide: ir.WideIMul, identity: 1},
	ir.GroupSMin: {identity: 1<<63 - 1},
	ir.GroupUMin: {identity: 1<<64 - 1},
	ir.GroupSMax: {identity: 1 << 63},
	ir.GroupAnd:  {identity: 1<<64 - 1},
	ir.GroupFAdd: {wide: ir.WideFAdd},
	ir.GroupFMul: {wide: ir.WideFMul, identity: 0x3FF << 52},
	ir.GroupFMin: {wide: ir.WideFMin, identity: 0x7FF << 52},
	ir.GroupFMax: {wide: ir.WideFMax, identity: 0xFFF << 52},
}
