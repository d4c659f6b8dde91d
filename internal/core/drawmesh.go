package core

import (
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// MeshProperties are the limits of task and mesh shaders.
func (d *Device) MeshProperties() vk.PhysicalDeviceMeshShaderPropertiesEXT {
	extent := [3]uint32{render.MaxMeshExtent, render.MaxMeshExtent, render.MaxMeshExtent}
	size := [3]uint32{lower.MaxMeshInvocations, lower.MaxMeshInvocations, lower.MaxMeshInvocations}
	return vk.PhysicalDeviceMeshShaderPropertiesEXT{
		MaxTaskWorkGroupTotalCount: render.MaxMeshGroups, MaxTaskWorkGroupCount: extent,
		MaxTaskWorkGroupInvocations: lower.MaxMeshInvocations, MaxTaskWorkGroupSize: size,
		MaxTaskPayloadSize: lower.MaxPayloadBytes, MaxTaskSharedMemorySize: maxWorkgroupShared,
		MaxTaskPayloadAndSharedMemorySize: maxWorkgroupShared + lower.MaxPayloadBytes,
		MaxMeshWorkGroupTotalCount:        render.MaxMeshGroups, MaxMeshWorkGroupCount: extent,
		MaxMeshWorkGroupInvocations: lower.MaxMeshInvocations, MaxMeshWorkGroupSize: size,
		MaxMeshSharedMemorySize: maxWorkgroupShared, MaxMeshPayloadAndSharedMemorySize: maxWorkgroupShared + lower.MaxPayloadBytes,
		MaxMeshOutputMemorySize: 1 << 17, MaxMeshPayloadAndOutputMemorySize: 1<<17 + lower.MaxPayloadBytes,
		MaxMeshOutputComponents: 128, MaxMeshOutputVertices: lower.MaxMeshVertices, MaxMeshOutputPrimitives: lower.MaxMeshPrimitives,
		MaxMeshOutputLayers: 2048, MaxMeshMultiviewViewCount: 16,
		MeshOutputPerVertexGranularity: 1, MeshOutputPerPrimitiveGranularity: 1,
		MaxPreferredTaskWorkGroupInvocations: lower.MaxMeshInvocations, MaxPreferredMeshWorkGroupInvocations: lower.MaxMeshInvocations,
	}
}

// DrawMeshTasks draws workgroups of a task or mesh shader.
func (c *CommandBuffer) DrawMeshTasks(op Op, groups [3]uint32) {
	if !c.ok(op, 1) || !c.checkMesh(op) || !c.checkDraw(op) {
		return
	}
	total := uint64(1)
	for _, n := range groups {
		if n > render.MaxMeshExtent {
			c.misuse(op, "vkCmdDrawMeshTasksEXT-TaskEXT-07322", "", "%v workgroups; %d a dimension is the limit", groups, render.MaxMeshExtent)
			return
		}
		total *= uint64(n)
	}
	if total > render.MaxMeshGroups {
		c.misuse(op, "vkCmdDrawMeshTasksEXT-TaskEXT-07325", "", "%d workgroups; %d is the limit", total, render.MaxMeshGroups)
		return
	}
	c.emit(opDrawMesh, groups[0], groups[1], groups[2])
}

// DrawMeshTasksIndirect draws workgroups whose numbers b holds; counts, if not
// nil, holds how many structures, and count is then their maximum.
func (c *CommandBuffer) DrawMeshTasksIndirect(op Op, b *Buffer, offset uint64, count, stride uint32, counts *Buffer, countOffset uint64) {
	const size = 12 // of VkDrawMeshTasksIndirectCommandEXT
	if c.ok(op, 1) && c.checkMesh(op) && c.checkDraw(op) {
		c.drawIndirect(op, size, 0, b, offset, count, stride, counts, countOffset)
	}
}

// checkMesh demands a pipeline with a mesh shader.
func (c *CommandBuffer) checkMesh(op Op) bool {
	if !c.useObjects(op) {
		return false
	}
	if p := c.pipelines[vk.PipelineBindPointGraphics]; p != nil && p.desc.Mesh == nil {
		c.misuse(op, "vkCmdDrawMeshTasksEXT-MeshEXT-07087", "use a vertex draw", "%s has no mesh shader", p.label())
	}
	return c.err == nil
}

// checkVertices demands a pipeline without a mesh shader.
func (c *CommandBuffer) checkVertices(op Op) bool {
	if !c.useObjects(op) {
		return false
	}
	if p := c.pipelines[vk.PipelineBindPointGraphics]; p != nil && p.desc.Mesh != nil {
		c.misuse(op, op.command()+"-stage-06481", "use vkCmdDrawMeshTasksEXT", "%s has a mesh shader", p.label())
	}
	return c.err == nil
}
