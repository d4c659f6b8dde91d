package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// residentCode is the residency code of every sparse access: memory that is
// not bound reads as zero through the same path, and is told apart nowhere.
const residentCode = 0

// dense gives the image instruction without residency feedback.
func dense(op spirv.Op) (spirv.Op, bool) {
	switch op {
	case spirv.OpImageSparseSampleImplicitLod:
		return spirv.OpImageSampleImplicitLod, true
	case spirv.OpImageSparseSampleExplicitLod:
		return spirv.OpImageSampleExplicitLod, true
	case spirv.OpImageSparseSampleDrefImplicitLod:
		return spirv.OpImageSampleDrefImplicitLod, true
	case spirv.OpImageSparseSampleDrefExplicitLod:
		return spirv.OpImageSampleDrefExplicitLod, true
	case spirv.OpImageSparseSampleProjImplicitLod:
		return spirv.OpImageSampleProjImplicitLod, true
	case spirv.OpImageSparseSampleProjExplicitLod:
		return spirv.OpImageSampleProjExplicitLod, true
	case spirv.OpImageSparseSampleProjDrefImplicitLod:
		return spirv.OpImageSampleProjDrefImplicitLod, true
	case spirv.OpImageSparseSampleProjDrefExplicitLod:
		return spirv.OpImageSampleProjDrefExplicitLod, true
	case spirv.OpImageSparseFetch:
		return spirv.OpImageFetch, true
	case spirv.OpImageSparseGather:
		return spirv.OpImageGather, true
	case spirv.OpImageSparseDrefGather:
		return spirv.OpImageDrefGather, true
	case spirv.OpImageSparseRead:
		return spirv.OpImageRead, true
	default:
		return 0, false
	}
}

// sparse lowers an instruction that gives a residency code and a texel: the
// instruction without the code, whose result takes the place of the texel.
func (c *compiler) sparse(in *spirv.Inst, op spirv.Op) {
	t := c.typ(in.Type)
	if t.Kind != spirv.KindStruct || len(t.Members) != 2 || t.Members[0].Kind != spirv.KindInt || t.Members[0].Width != 32 {
		c.fail("the result of %v is a struct of a residency code and a texel", in.Op)
	}
	plain := *in
	plain.Op, plain.Type = op, t.Members[1].ID
	c.inst = &plain
	c.lower(&plain)
	texel := c.frame.values[in.Result]
	c.inst = in
	c.setScalars(append([]ir.Value{c.b.I32(residentCode)}, texel.s...))
}
