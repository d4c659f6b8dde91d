package render

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// geometryRows is how many vertices a block of a geometry shader has room for: as
// many invocations run together as surely fit.
const geometryRows = 1 << 14

// geometryStage runs the geometry shader over the blocks before it, a batch of
// invocations at a time. Invocation k of primitive p is number p·Invocations + k.
type geometryStage struct {
	in    *block // nil: to be asked for
	at    int    // next invocation
	out   block
	lanes exec.Batch
	first []uint32
	rows  []uint32 // of the input primitives' vertices, where the block has prims
	slots [][]uint32
	strip [ir.MaxStreams]strips
}

// nextBlock is the block of the next invocations; nil at the end.
func (g *geometryStage) nextBlock(w *geometry, c *chunk) (*block, error) {
	p := w.programs[c.draw.geometry.routine]
	shape := &p.ir.Shape
	for {
		if g.in == nil {
			in, err := w.nextInput(c)
			if in == nil || err != nil {
				return nil, err
			}
			g.in, g.at = in, 0
			g.bind(c, in)
		}
		if total := g.in.primitives() * int(shape.Invocations); g.at < total {
			n := min(total-g.at, w.x.cfg.Lanes, max(geometryRows/int(max(shape.MaxVertices, 1))&^3, 4)) // whole subgroups
			return &g.out, g.run(w, c, p, n)
		}
		g.in = nil
	}
}

// primitives is how many the next stage takes.
func (b *block) primitives() int {
	if b.size > 0 {
		return len(b.ids)
	}
	return len(b.prims)
}

// bind points the shader's inputs at a block.
func (g *geometryStage) bind(c *chunk, in *block) {
	g.slots = pick(g.slots, in.out, c.draw.state.link.geometry)
	g.lanes.Vertices = exec.Vertices{Slots: g.slots, Rows: in.verts, Count: uint32(in.size)}
	if in.size == 0 { // of a tessellator: all primitives have as many vertices
		g.rows = g.rows[:0]
		for i := range in.prims {
			g.rows = append(g.rows, in.prims[i].v[:in.prims[i].n]...)
		}
		g.lanes.Vertices.Rows = g.rows
		if len(in.prims) > 0 {
			g.lanes.Vertices.Count = uint32(in.prims[0].n)
		}
	}
}

// pick lists the slots that feed the inputs of a stage; nil where nothing does.
func pick(dst, out [][]uint32, feeds []int) [][]uint32 {
	dst = dst[:0]
	for _, slot := range feeds {
		if slot == none {
			dst = append(dst, nil)
		} else {
			dst = append(dst, out[slot])
		}
	}
	return dst
}

// number is the PrimitiveId of primitive i of a block.
func (b *block) number(i int) uint32 {
	if b.size > 0 {
		return b.ids[i]
	}
	return b.prims[i].id
}

// run runs the next n invocations and forms the primitives that they emit.
func (g *geometryStage) run(w *geometry, c *chunk, p *program, n int) error {
	prog := p.ir
	shape, stride := &prog.Shape, len(prog.Emits)
	k := int(shape.Invocations)
	g.first = grow(g.first, n)
	for i := range n {
		g.first[i] = uint32((g.at+i)/k) * g.lanes.Vertices.Count
	}
	for slot, io := range prog.Inputs {
		dst := p.in[slot][:n]
		switch io.Builtin {
		case ir.BuiltinPrimitiveID:
			for i := range dst {
				dst[i] = g.in.number((g.at + i) / k)
			}
		case ir.BuiltinInvocationID:
			for i := range dst {
				dst[i] = uint32((g.at + i) % k)
			}
		case ir.BuiltinViewIndex:
			fill(dst, c.params.view)
		}
	}
	g.lanes.In, g.lanes.Out, g.lanes.N, g.lanes.Vertices.First = p.in, p.out, n, g.first
	g.lanes.Emitted = grow(g.lanes.Emitted, n*int(shape.MaxVertices)*stride)
	clear(g.lanes.Emitted) // of the slots of other streams nothing may be left
	if err := p.run(c.draw.geometry.ctx, &g.lanes); err != nil {
		return err
	}
	w.stats.GeometryInvocations += uint64(n)
	g.collect(c, prog, p.out[0][:n])
	w.stats.GeometryPrimitives += uint64(len(g.out.prims))
	g.at += n
	return nil
}

// collect turns what the lanes emitted into a block.
func (g *geometryStage) collect(c *chunk, prog *ir.Program, counts []uint32) {
	shape, stride, b := &prog.Shape, len(prog.Emits), &g.out
	total := 0
	for _, n := range counts {
		total += int(n)
	}
	b.reset(stride, total)
	last := c.draw.state.lastProvokes()
	for s := range g.strip { // the first vertex of a lane begins a strip anyway
		g.strip[s] = strips{n: uint8(shape.Output), last: last}
	}
	for lane, n := range counts {
		id := g.in.number((g.at + lane) / int(shape.Invocations)) // RAS-183
		from := g.lanes.Emitted[lane*int(shape.MaxVertices)*stride:]
		for range n {
			for slot, v := range from[:stride] {
				b.out[slot][b.rows] = v
			}
			mark := from[0]
			q := prim{id: id, stream: uint8(mark & ir.EmitStream)}
			if g.strip[q.stream%ir.MaxStreams].push(&q, uint32(b.rows), mark&ir.EmitJoined != 0) { // RAS-059, RAS-060, RAS-061
				b.prims = append(b.prims, q)
			}
			b.rows++
			from = from[stride:]
		}
	}
}
