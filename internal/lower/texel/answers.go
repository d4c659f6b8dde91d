package texel

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// Asks says that an operation asks of an image, or a texel buffer, what Answers tells.
func Asks(op *ir.ImageOp) bool {
	switch op.Kind {
	case ir.ImageQuerySize, ir.ImageQueryLevels, ir.ImageQuerySamples:
		return !op.Residency
	}
	return false
}

// answered is how many levels a query has answers for.
func answered(op *ir.ImageOp) int {
	if op.Lod == ir.LodExplicit {
		return resource.MaxLevels
	}
	return 1
}

// Answers appends what a query gives for a view, or a texel buffer: four words for each level that
// it may name. There are as many where both are nil.
func Answers(to []byte, op *ir.ImageOp, v *resource.ImageView, b *resource.BufferView) []byte {
	n := answered(op)
	var rows [5][resource.MaxLevels]uint32
	a := ref.Args{Op: op}
	if op.Lod == ir.LodExplicit {
		for level := range n {
			rows[4][level] = uint32(level)
		}
		a.Lod = rows[4][:n]
	}
	for i := range op.Results {
		a.Out[i] = rows[i][:n]
	}
	if op.Dim == ir.DimBuffer {
		ref.RunBuffer(&a, b, 0, n)
	} else {
		ref.Run(&a, v, nil, n)
	}
	for level := range n {
		for i := range 4 {
			to = binary.LittleEndian.AppendUint32(to, rows[i][level])
		}
	}
	return to
}

// answers is what stands in the place of a query: loads of its results, 0 where there is no such
// level or element.
//
// IMG-606
func (x *inliner) answers(b *ir.Builder, in *ir.Inst) []ir.Value {
	op, at := &x.p.ImageOps[in.Imm], b.I32(0)
	if op.Lod == ir.LodExplicit {
		level := in.More[len(in.More)-1]
		at = b.Op(ir.OpShl, ir.I32, level, b.I32(4))
		inside := b.Op(ir.OpULt, ir.Bool, level, b.I32(resource.MaxLevels))
		at = b.Op(ir.OpSelect, ir.I32, inside, at, b.I32(beyond))
	}
	if x.sites[in.Imm].Each[0] {
		at = b.Op(ir.OpIAdd, ir.I32, at, element(b, in, uint32(16*answered(op))))
	}
	list := make([]ir.Value, op.Results)
	for i := range list {
		from := b.Op(ir.OpIAdd, ir.I32, at, b.I32(uint32(4*i)))
		list[i] = b.OpImm(ir.OpLoadBuffer, ir.I32, uint64(x.params(in.Imm)), b.I32(0), from)
	}
	return list
}
