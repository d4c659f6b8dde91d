package geometry

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Limits of mesh draws (maxTaskWorkGroupTotalCount, maxMeshWorkGroupTotalCount,
// and the extent of each dimension).
const (
	MaxMeshGroups = 1 << 22
	MaxMeshExtent = 1<<16 - 1
)

// meshRuns is how many workgroups run for a stretch at most: many may make nothing.
const meshRuns = 64

// meshRows is how many vertices a stretch gathers from mesh workgroups.
const meshRows = 1 << 10

// Groups are the workgroups of a mesh draw, in order: x first.
type Groups struct {
	Size  [3]uint32
	First int64
	N     int
}

// Total is the number of workgroups, 0 where the limits are passed.
func (g *Groups) Total() int64 {
	n := int64(1)
	for _, x := range g.Size {
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

// meshStage runs the task and mesh workgroups of a feed, one a batch.
type meshStage struct {
	at      int   // next of the feed's workgroups
	pending int64 // mesh workgroups that the last task has left
	next    int64
	size    [3]uint32 // of what the task has launched
	payload []byte
	told    *trace.Log // of the task workgroup that launched it; nil: it tells nothing
	out     Stretch
	lanes   exec.Batch
	made    []meshRun // whose vertices are in the stretch
}

// reset readies the stage for a feed.
func (m *meshStage) reset() { m.at, m.pending, m.next = 0, 0, 0 }

// nextStretch is the stretch of the next workgroups; nil at the end.
func (m *meshStage) nextStretch(w *Worker) (*Stretch, error) {
	mesh := w.Programs[w.Feed.Draw.State.Mesh]
	link := &w.Feed.Draw.State.Link.Mesh
	b := &m.out
	b.reset(len(link.vertex), 0)
	b.resetPrimitives(len(link.primitive))
	m.made = m.made[:0]
	mesh.Told.Begin()
	ran := 0
	for ; b.Rows < meshRows && ran < meshRuns; ran++ {
		if m.pending == 0 {
			if m.at == w.Feed.Groups.N {
				break
			}
			if err := m.task(w); err != nil {
				return nil, err
			}
			continue
		}
		if err := m.runOnce(w, mesh, w.Feed.Draw.Mesh, m.size, m.next); err != nil {
			return nil, err
		}
		if w.Retells {
			m.made = append(m.made, meshRun{
				uint32(b.Rows), m.size, m.next, int64(m.at - 1), m.payload,
				mesh.Told.Batch(last), m.told,
			})
		}
		m.next, m.pending = m.next+1, m.pending-1
		w.Stats.MeshInvocations += uint64(m.lanes.N)
		m.collect(w.Feed.Draw.State, mesh.IR)
	}
	w.Stats.MeshPrimitives += uint64(len(b.Primitives))
	if ran == 0 {
		return nil, nil
	}
	return b, nil
}

// task runs the next task workgroup; without a task shader the draw's workgroups
// are those of the mesh shader.
func (m *meshStage) task(w *Worker) error {
	g := &w.Feed.Groups
	if w.Feed.Draw.State.Task == None {
		m.size, m.next, m.pending, m.at = g.Size, g.First, int64(g.N), g.N
		return nil
	}
	p := w.Programs[w.Feed.Draw.State.Task]
	p.Told.Begin()
	if err := m.runOnce(w, p, w.Feed.Draw.Task, g.Size, g.First+int64(m.at)); err != nil {
		return err
	}
	m.at++
	m.told = p.Told.Batch(last)
	w.Stats.TaskInvocations += uint64(m.lanes.N)
	launched := Groups{}
	for i := range p.IR.Records {
		if r := &p.IR.Records[i]; r.Builtin == ir.BuiltinTaskCounts {
			launched.Size[r.Component%3] = m.word(r.Offset)
		}
	}
	// mesh-task-output: what passes the limits launches nothing.
	m.size, m.next, m.pending = launched.Size, 0, launched.Total()
	at := int(p.IR.PayloadAt)
	if w.Retells {
		m.payload = nil // which runs have
	}
	m.payload = append(m.payload[:0], m.lanes.Shared[at:at+int(p.IR.PayloadBytes)]...)
	return nil
}

// runOnce runs one workgroup, while others may look.
func (m *meshStage) runOnce(
	w *Worker, p *Runner, c *exec.Context, size [3]uint32, group int64,
) error {
	if w.Onlooker == nil {
		return m.run(w, p, c, size, group)
	}
	err := m.run(w, p, w.Onlooker.Before(p, c), size, group)
	if err == nil {
		which := workgroup(size, group)
		if p.IR.Stage == ir.StageMesh && w.Feed.Draw.State.Task != None {
			g := &w.Feed.Groups
			which += " of those of task " + workgroup(g.Size, g.First+int64(m.at-1))
		}
		w.after(func(lane int) string { return member(which, p, lane) })
	}
	return err
}

// run runs one workgroup.
func (m *meshStage) run(w *Worker, p *Runner, c *exec.Context, size [3]uint32, group int64) error {
	n := p.Lay(size, group)
	for slot, io := range p.IR.Inputs {
		switch io.Builtin {
		case ir.BuiltinDrawIndex:
			Fill(p.In[slot][:n], w.Feed.Params.DrawIndex)
		case ir.BuiltinViewIndex:
			Fill(p.In[slot][:n], w.Feed.Params.View)
		}
	}
	p.Shared = Grow(p.Shared, int(p.IR.SharedBytes))
	clear(p.Shared)
	if p.IR.Stage == ir.StageMesh {
		copy(p.Shared[p.IR.PayloadAt:][:p.IR.PayloadBytes], m.payload)
		sizeOne(p)
	}
	m.lanes = exec.Batch{N: n, In: p.In, Out: p.Out, Shared: p.Shared}
	return p.Run(c, &m.lanes)
}

// sizeOne gives the vertices of a mesh the point size that those have which the
// shader writes none for.
//
// RAS-187 primsrast-points
func sizeOne(p *Runner) {
	for i := range p.IR.Records {
		r := &p.IR.Records[i]
		if r.Builtin != ir.BuiltinPointSize {
			continue
		}
		for v := range p.IR.Shape.MaxVertices {
			if at := uint64(r.Offset) + uint64(v)*uint64(r.Stride); at+4 <= uint64(len(p.Shared)) {
				binary.LittleEndian.PutUint32(p.Shared[at:], math.Float32bits(1))
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

// collect appends the mesh of the last workgroup to the stretch.
//
// RAS-183, mesh-output
func (m *meshStage) collect(st *State, p *ir.Program) {
	link, b := &st.Link.Mesh, &m.out
	var count [2]uint32
	for i := range p.Records {
		if r := &p.Records[i]; r.Builtin == ir.BuiltinMeshCounts {
			count[r.Component&1] = m.word(r.Offset)
		}
	}
	vertices, primitives := min(count[0], p.Shape.MaxVertices), min(count[1], p.Shape.MaxPrimitives)
	base := uint32(b.Rows)
	b.Rows += int(vertices)
	for slot, at := range link.vertex {
		r := &p.Records[at]
		for v := range vertices {
			b.Out[slot] = append(b.Out[slot][:base+v], m.word(r.Offset+v*r.Stride))
		}
	}
	n := uint8(p.Shape.Output)
	provoking := provokingOf(st.LastProvokes, n, false)
	for i := range primitives {
		if at := link.cull; at != None && m.word(p.Records[at].Offset+i*p.Records[at].Stride) != 0 {
			continue
		}
		q := Primitive{N: n, Provoking: provoking, Flags: assembly.FlagRunStart}
		ok := true
		for k := range q.V {
			at := link.indices[min(k, int(n)-1)]
			if at == None {
				ok = false
				break
			}
			r := &p.Records[at]
			v := m.word(r.Offset + i*r.Stride)
			ok = ok && v < vertices // others have no vertex
			q.V[k] = base + v
		}
		if !ok {
			continue
		}
		b.Primitives = append(b.Primitives, q)
		for slot, at := range link.primitive {
			r := &p.Records[at]
			b.OfPrimitive[slot] = append(b.OfPrimitive[slot], m.word(r.Offset+i*r.Stride))
		}
	}
}
