package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// residentCode is the residency code of accesses to texels that all have memory.
const residentCode = 0

// dense gives the image instruction without residency feedback. SPIR-V reserves sparse instructions
// that project.
//
// IMG-620, IMG-621
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
// instruction without the code, whose result takes the place of the texel, and
// beside it one that gives the code only. Programs that ask are rare; the texel
// comes as fast as ever.
//
// spirvenv-image-sparse, VkPhysicalDeviceFeatures::shaderResourceResidency
func (c *compiler) sparse(in *spirv.Inst, op spirv.Op) {
	t := c.typ(in.Type)
	// IMG-620
	if t.Kind != spirv.KindStruct || len(t.Members) != 2 || t.Members[0].Kind != spirv.KindInt || t.Members[0].Width != 32 {
		c.fail("the result of %v is a struct of a residency code and a texel", in.Op)
	}
	// IMG-621, IMG-622
	plain := *in
	plain.Op, plain.Type = op, t.Members[1].ID
	var codes []ir.Value
	c.inst, c.collect = &plain, &codes
	c.lower(&plain)
	texel := c.local(in.Result)
	c.inst, c.collect = in, nil
	// IMG-232, IMG-234
	code := c.b.I32(residentCode)
	for _, v := range codes { // ConstOffsets make several instructions
		code = c.b.Op(ir.OpOr, ir.I32, code, v)
	}
	c.setScalars(append([]ir.Value{code}, texel.s...))
}

// residency emits the twin of an image instruction that gives its residency code.
//
// IMG-233, IMG-234
func (c *compiler) residency(u *imageUse) ir.Value {
	op := u.op
	op.Residency, op.Results, op.Result = true, 1, ir.ClassUint
	return c.b.OpMore(ir.OpImage, ir.I32, c.addImageOp(u, op), u.more)
}
