package native

import "github.com/pumice-gpu/pumice/internal/ir"

// hosted says that a block leaves an instruction to its host in all lanes: it has no machine code
// but what calls Go.
func (in *Inst) hosted() bool {
	switch in.Kind {
	case KindWide:
		return !direct(ir.WideOp(in.Imm))
	case KindLoadMem, KindStoreMem:
		return ir.MemOf(uint64(in.Imm)).Space == ir.MemPointer
	case KindAtomicMem:
		return !directAtomic(ir.MemOf(uint64(in.Imm)))
	}
	return false
}
