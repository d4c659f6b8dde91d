package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Limits of task and mesh shaders (maxMeshOutputVertices,
// maxMeshOutputPrimitives, max…WorkGroupInvocations, maxTaskPayloadSize).
const (
	MaxMeshVertices    = 256
	MaxMeshPrimitives  = 256
	MaxMeshInvocations = 256
	MaxPayloadBytes    = 1 << 15
)

// workgroups says that the stage's invocations come in workgroups.
func (c *compiler) workgroups() bool { return c.p.Stage.Workgroups() }

// meshBuiltin maps the built-ins of task and mesh shaders.
func meshBuiltin(b spirv.BuiltIn, stage ir.Stage, input bool) (ir.Builtin, bool) {
	if input {
		switch b {
		case spirv.BuiltInDrawIndex:
			return ir.BuiltinDrawIndex, true
		case spirv.BuiltInViewIndex:
			return ir.BuiltinViewIndex, stage == ir.StageMesh
		}
		return builtinOf(b, ir.StageCompute, true)
	}
	if stage == ir.StageTask {
		return ir.BuiltinNone, false
	}
	if k, ok := vertexOut(b); ok {
		return k, true
	}
	switch b {
	case spirv.BuiltInPrimitivePointIndicesEXT, spirv.BuiltInPrimitiveLineIndicesEXT, spirv.BuiltInPrimitiveTriangleIndicesEXT:
		return ir.BuiltinPrimitiveIndices, true
	case spirv.BuiltInCullPrimitiveEXT:
		return ir.BuiltinCullPrimitive, true
	}
	return primitiveOut(b)
}

// payload makes the pointer of the variable that a task shader hands to the mesh
// workgroups that it launches. The two shaders declare it alike, so that its words
// lie alike.
func (c *compiler) payload(pt *spirv.Type) *pointer {
	if c.p.Stage != ir.StageTask && c.p.Stage != ir.StageMesh {
		c.fail("a task payload outside of task and mesh shaders")
	}
	if c.p.PayloadBytes != 0 {
		c.fail("two task payloads (VUID-StandaloneSpirv-…-TaskPayloadWorkgroupEXT)")
	}
	n := uint64(len(c.flat(pt.Elem))) * 4
	if n > MaxPayloadBytes {
		c.fail("a task payload of %d bytes; %d are supported", n, MaxPayloadBytes)
	}
	c.p.PayloadAt, c.p.PayloadBytes = c.p.SharedBytes, uint32(n)
	c.p.SharedBytes += uint32(n)
	return &pointer{space: spaceShared, clamped: true, t: pt.Elem, off: c.p.PayloadAt, dyn: ir.NoValue, elem: ir.NoValue}
}

// counts writes numbers of the whole workgroup: of the mesh workgroups that a task
// launches, or of vertices and primitives of a mesh. Those of the first invocation
// count (OpSetMeshOutputsEXT, OpEmitMeshTasksEXT).
func (c *compiler) counts(b ir.Builtin, values []ir.Value) {
	at := -1
	for i, r := range c.p.Records {
		if r.Builtin == b {
			at = i
			break
		}
	}
	if at < 0 {
		at = len(c.p.Records)
		for k := range values {
			c.p.Records = append(c.p.Records, ir.SharedOutput{IO: ir.IO{Builtin: b, Component: uint32(k), Type: ir.I32}, Offset: c.p.SharedBytes + 4*uint32(k)})
		}
		c.p.SharedBytes += 4 * uint32(len(values))
	}
	s := inputSlot{io: ir.IO{Builtin: ir.BuiltinLocalInvocationIndex, Type: ir.I32, Interp: ir.Flat}, index: -1}
	var index ir.Value
	c.b.Prelude(func() { index = c.b.OpImm(ir.OpInput, ir.I32, uint64(c.slot(&s))) })
	c.b.If(c.b.Op(ir.OpIEq, ir.Bool, index, c.b.I32(0)), func() {
		for k, v := range values {
			c.b.Op(ir.OpStoreShared, ir.Void, c.b.I32(c.p.Records[at+k].Offset), v)
		}
	}, nil)
}

// setMeshOutputs lowers OpSetMeshOutputsEXT.
func (c *compiler) setMeshOutputs(in *spirv.Inst) {
	if c.p.Stage != ir.StageMesh {
		c.fail("%v outside a mesh shader", in.Op)
	}
	c.counts(ir.BuiltinMeshCounts, []ir.Value{c.intScalar(in.ID(0)), c.intScalar(in.ID(1))})
}

// emitMeshTasks lowers OpEmitMeshTasksEXT, which ends the shader, in whatever function it stands.
func (c *compiler) emitMeshTasks(in *spirv.Inst) {
	if c.p.Stage != ir.StageTask {
		c.fail("%v outside a task shader", in.Op)
	}
	if id := in.ID(3); id != 0 {
		c.global(id)
	}
	c.counts(ir.BuiltinTaskCounts, []ir.Value{c.intScalar(in.ID(0)), c.intScalar(in.ID(1)), c.intScalar(in.ID(2))})
}
