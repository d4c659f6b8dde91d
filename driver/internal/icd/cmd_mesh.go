package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
)

// CmdDrawMeshTasksEXT is vkCmdDrawMeshTasksEXT.
func (r *Recorder) CmdDrawMeshTasksEXT(c *abi.CmdDrawMeshTasksEXT) {
	r.core.DrawMeshTasks("vkCmdDrawMeshTasksEXT", [3]uint32{c.GroupCountX, c.GroupCountY, c.GroupCountZ})
}

// CmdDrawMeshTasksIndirectEXT is vkCmdDrawMeshTasksIndirectEXT.
func (r *Recorder) CmdDrawMeshTasksIndirectEXT(c *abi.CmdDrawMeshTasksIndirectEXT) {
	r.core.DrawMeshTasksIndirect("vkCmdDrawMeshTasksIndirectEXT", r.buffer(c.Buffer), c.Offset, c.DrawCount, c.Stride, nil, 0)
}

// CmdDrawMeshTasksIndirectCountEXT is vkCmdDrawMeshTasksIndirectCountEXT.
func (r *Recorder) CmdDrawMeshTasksIndirectCountEXT(c *abi.CmdDrawMeshTasksIndirectCountEXT) {
	counts := r.buffer(c.CountBuffer)
	if counts == nil {
		r.misuse("vkCmdDrawMeshTasksIndirectCountEXT", "vkCmdDrawMeshTasksIndirectCountEXT-countBuffer-parameter", "no count buffer")
		return
	}
	r.core.DrawMeshTasksIndirect("vkCmdDrawMeshTasksIndirectCountEXT", r.buffer(c.Buffer), c.Offset, c.MaxDrawCount, c.Stride, counts, c.CountBufferOffset)
}

// meshMasters are the properties of task and mesh shaders.
func meshMasters() []master {
	p := &abi.PhysicalDeviceMeshShaderPropertiesEXT{}
	have := engine.MeshProperties()
	convert(p, &have)
	return []master{{p.StructureType(), unsafe.Pointer(p)}}
}
