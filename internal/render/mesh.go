package render

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Limits of mesh draws (maxTaskWorkGroupTotalCount, maxMeshWorkGroupTotalCount,
// and the extent of each dimension).
const (
	MaxMeshGroups = 1 << 22
	MaxMeshExtent = 1<<16 - 1
)

// meshChunk is how many of a draw's workgroups make a chunk: few, so that workers
// share the load, and more where there are very many.
func meshChunk(total int64) int64 { return min(max(total/64, 8), 256) }

// meshRuns is how many workgroups run for a block at most: many may make nothing.
const meshRuns = 64

// meshRows is how many vertices a block gathers from mesh workgroups.
const meshRows = 1 << 10

// groups are the workgroups of a mesh draw, in order: x first.
type groups struct {
	size  [3]uint32
	first int64
	n     int
}

// total is the number of workgroups, 0 where the limits are passed.
func (g *groups) total() int64 {
	n := int64(1)
	for _, x := range g.size {
		if x > MaxMeshExtent {
			return 0
		}
		n *= int64(x)
	}
	if n > MaxMeshGroups {
		return 0
	}
	return n
}

// meshStage runs the task and mesh workgroups of a chunk, one a batch.
type meshStage struct {
	at      int   // next of the chunk's workgroups
	pending int64 // mesh workgroups that the last task has left
	next    int64
	size    [3]uint32 // of what the task has launched
	payload []byte
	out     block
	lanes   exec.Batch
}

// reset readies the stage for a chunk.
func (m *meshStage) reset() { m.at, m.pending, m.next = 0, 0, 0 }

// nextBlock is the block of the next workgroups; nil at the end.
func (m *meshStage) nextBlock(w *geometry, c *chunk) (*block, error) {
	mesh := w.programs[c.draw.mesh.routine]
	link := &c.draw.state.link.mesh
	b := &m.out
	b.reset(len(link.vertex), 0)
	b.resetPrimitives(len(link.primitive))
	ran := 0
	for ; b.rows < meshRows && ran < meshRuns; ran++ {
		if m.pending == 0 {
			if m.at == c.groups.n {
				break
			}
			if err := m.task(w, c); err != nil {
				return nil, err
			}
			continue
		}
		if err := m.run(w, c, mesh, &c.draw.mesh, m.size, m.next); err != nil {
			return nil, err
		}
		m.next, m.pending = m.next+1, m.pending-1
		w.stats.MeshInvocations += uint64(m.lanes.N)
		m.collect(c, mesh.ir)
	}
	w.stats.MeshPrimitives += uint64(len(b.prims))
	if ran == 0 {
		return nil, nil
	}
	return b, nil
}

// task runs the next task workgroup; without a task shader the draw's workgroups
// are those of the mesh shader.
func (m *meshStage) task(w *geometry, c *chunk) error {
	if c.draw.task.routine == none {
		m.size, m.next, m.pending, m.at = c.groups.size, c.groups.first, int64(c.groups.n), c.groups.n
		return nil
	}
	p := w.programs[c.draw.task.routine]
	if err := m.run(w, c, p, &c.draw.task, c.groups.size, c.groups.first+int64(m.at)); err != nil {
		return err
	}
	m.at++
	w.stats.TaskInvocations += uint64(m.lanes.N)
	launched := groups{}
	for i := range p.ir.Records {
		if r := &p.ir.Records[i]; r.Builtin == ir.BuiltinTaskCounts {
			launched.size[r.Component%3] = m.word(r.Offset)
		}
	}
	// mesh-task-output: what passes the limits launches nothing.
	m.size, m.next, m.pending = launched.size, 0, launched.total()
	at := int(p.ir.PayloadAt)
	m.payload = append(m.payload[:0], m.lanes.Shared[at:at+int(p.ir.PayloadBytes)]...)
	return nil
}

// run runs one workgroup.
func (m *meshStage) run(w *geometry, c *chunk, p *program, s *stage, size [3]uint32, group int64) error {
	d := dispatch{program: p.ir, groups: size, local: 1, inputs: p.ir.Inputs}
	for k, n := range p.ir.LocalSize {
		d.local *= int(n)
		d.box[k], d.boxes[k] = 1, int64(size[k])
	}
	d.place(p, group)
	for slot, io := range p.ir.Inputs {
		switch io.Builtin {
		case ir.BuiltinDrawIndex:
			fill(p.in[slot][:d.local], c.params.drawIndex)
		case ir.BuiltinViewIndex:
			fill(p.in[slot][:d.local], c.params.view)
		}
	}
	p.shared = grow(p.shared, int(p.ir.SharedBytes))
	clear(p.shared)
	if p.ir.Stage == ir.StageMesh {
		copy(p.shared[p.ir.PayloadAt:][:p.ir.PayloadBytes], m.payload)
		sizeOne(p)
	}
	m.lanes = exec.Batch{N: d.local, In: p.in, Out: p.out, Shared: p.shared}
	return p.run(s.ctx, &m.lanes)
}

// sizeOne gives the vertices of a mesh the point size that those have which the
// shader writes none for.
//
// RAS-187 primsrast-points
func sizeOne(p *program) {
	for i := range p.ir.Records {
		r := &p.ir.Records[i]
		if r.Builtin != ir.BuiltinPointSize {
			continue
		}
		for v := range p.ir.Shape.MaxVertices {
			if at := uint64(r.Offset) + uint64(v)*uint64(r.Stride); at+4 <= uint64(len(p.shared)) {
				binary.LittleEndian.PutUint32(p.shared[at:], math.Float32bits(1))
			}
		}
	}
}

// word reads the workgroup's memory, 0 outside of it.
func (m *meshStage) word(at uint32) uint32 {
	if uint64(at)+4 > uint64(len(m.lanes.Shared)) {
		return 0
	}
	return binary.LittleEndian.Uint32(m.lanes.Shared[at:])
}

// collect appends the mesh of the last workgroup to the block.
//
// RAS-183, mesh-output
func (m *meshStage) collect(c *chunk, p *ir.Program) {
	link, b := &c.draw.state.link.mesh, &m.out
	var count [2]uint32
	for i := range p.Records {
		if r := &p.Records[i]; r.Builtin == ir.BuiltinMeshCounts {
			count[r.Component&1] = m.word(r.Offset)
		}
	}
	vertices, primitives := min(count[0], p.Shape.MaxVertices), min(count[1], p.Shape.MaxPrimitives)
	base := uint32(b.rows)
	b.rows += int(vertices)
	for slot, at := range link.vertex {
		r := &p.Records[at]
		for v := range vertices {
			b.out[slot] = append(b.out[slot][:base+v], m.word(r.Offset+v*r.Stride))
		}
	}
	n := uint8(p.Shape.Output)
	provoking := provokingOf(c.draw.state.lastProvokes(), n, false)
	for i := range primitives {
		if at := link.cull; at != none && m.word(p.Records[at].Offset+i*p.Records[at].Stride) != 0 {
			continue
		}
		q := prim{n: n, provoking: provoking, flags: assembly.FlagRunStart}
		ok := true
		for k := range q.v {
			at := link.indices[min(k, int(n)-1)]
			if at == none {
				ok = false
				break
			}
			r := &p.Records[at]
			v := m.word(r.Offset + i*r.Stride)
			ok = ok && v < vertices // others have no vertex
			q.v[k] = base + v
		}
		if !ok {
			continue
		}
		b.prims = append(b.prims, q)
		for slot, at := range link.primitive {
			r := &p.Records[at]
			b.primitive[slot] = append(b.primitive[slot], m.word(r.Offset+i*r.Stride))
		}
	}
}

// openMesh starts a record of mesh workgroups; false if it draws nothing.
func (s *source) openMesh(dp *drawPlan) bool {
	s.mesh = groups{size: dp.draw.meshGroups(s.record)}
	if s.mesh.total() == 0 {
		return false
	}
	s.running, s.view = true, 0
	s.cur = command{drawIndex: dp.draw.DrawIndex + s.record}
	if m := s.plan.pass.ViewMask; m != 0 {
		s.view = uint32(bits.TrailingZeros32(m))
	}
	return true
}

// fillMesh hands out the next workgroups of a record and view.
func (s *source) fillMesh(dp *drawPlan, c *chunk) {
	total := s.mesh.total()
	c.draw = dp
	c.params = drawParams{drawIndex: s.cur.drawIndex, view: s.view}
	c.groups = s.mesh
	c.groups.n = int(min(total-s.mesh.first, meshChunk(total)))
	if s.mesh.first += int64(c.groups.n); s.mesh.first < total {
		return
	}
	s.mesh.first = 0
	if rest := s.plan.pass.ViewMask >> s.view >> 1; rest != 0 {
		s.view += 1 + uint32(bits.TrailingZeros32(rest))
		return
	}
	s.running = false
	s.record++
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
