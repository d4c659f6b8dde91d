package render

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// Limits of mesh draws (maxTaskWorkGroupTotalCount, maxMeshWorkGroupTotalCount, and the extent of each
// dimension).
const (
	MaxMeshGroups = geometry.MaxMeshGroups
	MaxMeshExtent = geometry.MaxMeshExtent
)

// meshChunk is how many of a draw's workgroups make a chunk: few, so that workers
// share the load, and more where there are very many.
func meshChunk(total int64) int64 { return min(max(total/64, 8), 256) }

// openMesh starts a record of mesh workgroups; false if it draws nothing.
func (s *source) openMesh(dp *drawPlan) bool {
	s.mesh = geometry.Groups{Size: dp.draw.meshGroups(s.record)}
	if s.mesh.Total() == 0 {
		return false
	}
	s.running, s.view = true, uint32(bits.TrailingZeros32(s.plan.pass.ViewMask))%32
	s.cur = command{drawIndex: dp.draw.DrawIndex + s.record}
	return true
}

// fillMesh hands out the next workgroups of a record and view.
func (s *source) fillMesh(dp *drawPlan, c *chunk) {
	total := s.mesh.Total()
	c.draw, c.Of = dp, &dp.Draw
	c.params, c.View = &geometry.Params{DrawIndex: s.cur.drawIndex, View: s.view}, s.view
	c.groups = s.mesh
	c.groups.N = int(min(total-s.mesh.First, meshChunk(total)))
	if s.mesh.First += int64(c.groups.N); s.mesh.First < total {
		return
	}
	s.mesh.First = 0
	s.instance(dp)
}

// meshGroups are the workgroups of a record (VkDrawMeshTasksIndirectCommandEXT).
func (d *Draw) meshGroups(record uint32) (size [3]uint32) {
	in := d.Indirect
	if in == nil {
		return d.Groups
	}
	at := in.Offset + uint64(record)*uint64(in.Stride)
	for i := range size {
		v, ok := word(in.Buffer, at+uint64(4*i))
		if !ok {
			return [3]uint32{}
		}
		size[i] = v
	}
	return size
}
