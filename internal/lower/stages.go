package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Limits of the stages between vertices and fragments
// (maxGeometryOutputVertices, maxGeometryTotalOutputComponents,
// maxGeometryShaderInvocations, maxTessellationPatchSize).
const (
	MaxGeometryVertices    = 1024
	MaxGeometryComponents  = 4096
	MaxGeometryInvocations = 127
	MaxPatchVertices       = 32
)

// shapeMode reads an execution mode of the stages between vertices and
// fragments; false where it is none.
func (c *compiler) shapeMode(mode spirv.ExecutionMode, operands []uint32) bool {
	s := &c.p.Shape
	operand := func(low, high uint32) uint32 {
		if len(operands) != 1 || operands[0] < low || operands[0] > high {
			c.fail("%v of %v; %d to %d are supported", mode, operands, low, high)
		}
		return operands[0]
	}
	switch mode {
	case spirv.ExecutionModeInputPoints:
		s.InputVertices = 1
	case spirv.ExecutionModeInputLines:
		s.InputVertices = 2
	case spirv.ExecutionModeInputLinesAdjacency:
		s.InputVertices = 4
	case spirv.ExecutionModeInputTrianglesAdjacency:
		s.InputVertices = 6
	case spirv.ExecutionModeTriangles: // of a geometry shader's input, or the domain
		s.InputVertices, s.Domain = 3, ir.DomainTriangles
	case spirv.ExecutionModeQuads:
		s.Domain = ir.DomainQuads
	case spirv.ExecutionModeIsolines:
		s.Domain = ir.DomainIsolines
	case spirv.ExecutionModeSpacingEqual:
		s.Spacing = ir.SpacingEqual
	case spirv.ExecutionModeSpacingFractionalEven:
		s.Spacing = ir.SpacingFractionalEven
	case spirv.ExecutionModeSpacingFractionalOdd:
		s.Spacing = ir.SpacingFractionalOdd
	case spirv.ExecutionModeVertexOrderCw:
		s.Winding = ir.WindingCW
	case spirv.ExecutionModeVertexOrderCcw:
		s.Winding = ir.WindingCCW
	case spirv.ExecutionModePointMode:
		s.PointMode = true
	case spirv.ExecutionModeOutputPoints:
		s.Output = ir.OutputPoints
	case spirv.ExecutionModeOutputLineStrip, spirv.ExecutionModeOutputLinesEXT:
		s.Output = ir.OutputLines
	case spirv.ExecutionModeOutputTriangleStrip, spirv.ExecutionModeOutputTrianglesEXT:
		s.Output = ir.OutputTriangles
	case spirv.ExecutionModeInvocations:
		s.Invocations = operand(1, MaxGeometryInvocations)
	case spirv.ExecutionModeOutputPrimitivesEXT:
		s.MaxPrimitives = operand(0, MaxMeshPrimitives)
	case spirv.ExecutionModeOutputVertices:
		switch c.p.Stage {
		case ir.StageMesh:
			s.MaxVertices = operand(0, MaxMeshVertices)
		case ir.StageControl:
			s.PatchVertices = operand(1, MaxPatchVertices)
		default:
			s.MaxVertices = operand(0, MaxGeometryVertices)
		}
	default:
		return false
	}
	return true
}

// checkShape demands the modes that a stage cannot do without.
func (c *compiler) checkShape() {
	s := &c.p.Shape
	switch c.p.Stage {
	case ir.StageGeometry:
		if s.InputVertices == 0 || s.Output == ir.OutputNone {
			c.fail("a geometry shader needs one mode for its input, one for its output and OutputVertices")
		}
		s.Invocations = max(s.Invocations, 1)
	case ir.StageMesh:
		if s.Output == ir.OutputNone {
			c.fail("a mesh shader needs a mode for its output (VUID-StandaloneSpirv-MeshEXT-07106)")
		}
	case ir.StageControl:
		if s.PatchVertices == 0 {
			c.fail("a control shader needs OutputVertices")
		}
	}
}

// vertexOut lists the built-ins that every stage before rasterization may write
// for a vertex.
func vertexOut(b spirv.BuiltIn) (ir.Builtin, bool) {
	switch b {
	case spirv.BuiltInPosition:
		return ir.BuiltinPosition, true
	case spirv.BuiltInPointSize:
		return ir.BuiltinPointSize, true
	case spirv.BuiltInClipDistance:
		return ir.BuiltinClipDistance, true
	case spirv.BuiltInCullDistance:
		return ir.BuiltinCullDistance, true
	case spirv.BuiltInPositionPerViewNV:
		return ir.BuiltinPositionPerView, true
	case spirv.BuiltInViewportMaskPerViewNV:
		return ir.BuiltinViewportMaskPerView, true
	}
	return ir.BuiltinNone, false
}

// primitiveOut lists those that choose where a primitive goes.
func primitiveOut(b spirv.BuiltIn) (ir.Builtin, bool) {
	switch b {
	case spirv.BuiltInLayer:
		return ir.BuiltinLayer, true
	case spirv.BuiltInViewportIndex:
		return ir.BuiltinViewportIndex, true
	case spirv.BuiltInViewportMaskNV:
		return ir.BuiltinViewportMask, true
	case spirv.BuiltInPrimitiveId:
		return ir.BuiltinPrimitiveID, true
	case spirv.BuiltInPrimitiveShadingRateKHR:
		return ir.BuiltinPrimitiveShadingRate, true
	}
	return ir.BuiltinNone, false
}

// stageBuiltin maps the built-ins of tessellation and geometry shaders.
func stageBuiltin(b spirv.BuiltIn, stage ir.Stage, input bool) (ir.Builtin, bool) {
	if stage == ir.StageTask || stage == ir.StageMesh {
		return meshBuiltin(b, stage, input)
	}
	if stage < ir.StageControl || stage > ir.StageGeometry {
		return ir.BuiltinNone, false
	}
	if k, ok := vertexOut(b); ok {
		return k, true
	}
	if !input && stage != ir.StageControl {
		return primitiveOut(b)
	}
	switch b {
	case spirv.BuiltInTessLevelOuter:
		return ir.BuiltinTessLevelOuter, stage != ir.StageGeometry
	case spirv.BuiltInTessLevelInner:
		return ir.BuiltinTessLevelInner, stage != ir.StageGeometry
	}
	if !input {
		return ir.BuiltinNone, false
	}
	switch b {
	case spirv.BuiltInPrimitiveId:
		return ir.BuiltinPrimitiveID, true
	case spirv.BuiltInViewIndex:
		return ir.BuiltinViewIndex, true
	case spirv.BuiltInInvocationId:
		return ir.BuiltinInvocationID, stage != ir.StageEvaluation
	case spirv.BuiltInPatchVertices:
		return ir.BuiltinPatchVertices, stage != ir.StageGeometry
	case spirv.BuiltInTessCoord:
		return ir.BuiltinTessCoord, stage == ir.StageEvaluation
	}
	return ir.BuiltinNone, false
}
