package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// What fragment shaders see of the vertices of their primitive by
// VK_AMD_shader_explicit_vertex_parameter. The vertices have the order that
// PerVertexKHR inputs have.

// coordinateAMD gives the components of a barycentric built-in of AMD; nil for other
// built-ins. I and J are the weights of the second and the third vertex.
//
// RAS-186 primsrast-barycentric
func (c *compiler) coordinateAMD(which spirv.BuiltIn) func(k uint32) ir.Value {
	if c.p.Stage != ir.StageFragment {
		return nil
	}
	input := func(io ir.IO) ir.Value {
		io.Type = ir.F32
		return c.b.OpImm(ir.OpInput, ir.F32, uint64(c.slot(&inputSlot{io: io, index: -1})))
	}
	weight := func(interp ir.Interpolation, aux ir.Auxiliary) func(uint32) ir.Value {
		return func(k uint32) ir.Value {
			return input(ir.IO{Builtin: ir.BuiltinBaryCoord, Component: k + 1, Interp: interp, Aux: aux})
		}
	}
	switch which {
	case spirv.BuiltInBaryCoordSmoothAMD:
		return weight(ir.Perspective, ir.AtCenter)
	case spirv.BuiltInBaryCoordSmoothCentroidAMD:
		return weight(ir.Perspective, ir.AtCentroid)
	case spirv.BuiltInBaryCoordSmoothSampleAMD:
		return weight(ir.Perspective, ir.AtSample)
	case spirv.BuiltInBaryCoordNoPerspAMD:
		return weight(ir.Linear, ir.AtCenter)
	case spirv.BuiltInBaryCoordNoPerspCentroidAMD:
		return weight(ir.Linear, ir.AtCentroid)
	case spirv.BuiltInBaryCoordNoPerspSampleAMD:
		return weight(ir.Linear, ir.AtSample)
	case spirv.BuiltInBaryCoordPullModelAMD:
		return func(k uint32) ir.Value { // 1/W, 1/I, 1/J
			if k == 0 {
				return input(ir.IO{Builtin: ir.BuiltinFragCoord, Component: 3})
			}
			return c.num(ir.OpFDiv, ir.F32, c.b.F32(1), weight(ir.Perspective, ir.AtCenter)(k-1))
		}
	}
	return nil
}

// atVertex lowers InterpolateAtVertexAMD: an input as a vertex has it, not
// interpolated.
func (c *compiler) atVertex(in *spirv.Inst) {
	if len(in.Operands) != 4 || in.Operands[1] != 1 {
		c.fail("unsupported %s instruction %d", spirv.ExplicitVertexParameter, in.Operands[1])
	}
	p := c.pointerTo(in.ID(2))
	vertex := c.constScalar(in.ID(3))
	if p.space != spaceInput || c.p.Stage != ir.StageFragment {
		c.fail("InterpolateAtVertexAMD of what is not a fragment shader's input")
	}
	if vertex > 2 {
		c.fail("InterpolateAtVertexAMD of vertex %d; there are 0, 1 and 2", vertex)
	}
	c.setScalars(c.eachInput(p, func(k int) ir.Value {
		s := p.obj.inputs[k]
		if s.io.Builtin != ir.BuiltinNone {
			c.fail("InterpolateAtVertexAMD of a built-in")
		}
		s.index, s.io.Vertex = -1, uint8(vertex)+1
		v := c.b.OpImm(ir.OpInput, s.io.Type, uint64(c.slot(&s)))
		if s.narrow != nil {
			v = c.fit(v, s.narrow)
		}
		return v
	}))
}
