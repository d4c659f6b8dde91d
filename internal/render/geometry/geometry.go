package geometry

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// geometryRows is how many vertices a stretch of a geometry shader has room for: as
// many invocations run together as surely fit.
const geometryRows = 1 << 14

// geometryStage runs the geometry shader over the stretches before it, a batch of
// invocations at a time. Invocation k of primitive p is number p·Invocations + k.
type geometryStage struct {
	in    *Stretch // nil: to be asked for
	at    int      // next invocation
	out   Stretch
	lanes exec.Batch
	first []uint32
	rows  []uint32 // of the input primitives' vertices, where the stretch has prims
	slots [][]uint32
	strip [ir.MaxStreams]strips
}

// nextStretch is the stretch of the next invocations; nil at the end.
func (g *geometryStage) nextStretch(w *Worker) (*Stretch, error) {
	p := w.Programs[w.Feed.Draw.State.Geometry]
	shape := &p.IR.Shape
	for {
		if g.in == nil {
			in, err := w.nextInput()
			if in == nil || err != nil {
				return nil, err
			}
			g.in, g.at = in, 0
			g.bind(w.Feed.Draw.State.Link, in)
		}
		if total := len(g.in.ids) * int(shape.Invocations); g.at < total {
			room := max(geometryRows/int(max(shape.MaxVertices, 1))&^3, 4) // whole subgroups
			n := min(total-g.at, w.Lanes, room)
			return &g.out, g.run(w, p, n)
		}
		g.in = nil
	}
}

// bind points the shader's inputs at a stretch.
func (g *geometryStage) bind(link *Link, in *Stretch) {
	g.slots = pick(g.slots, in.Out, link.Geometry)
	g.lanes.Vertices = exec.Vertices{Slots: g.slots, Rows: in.verts, Count: uint32(in.Size)}
	if in.Size == 0 { // of a tessellator: all primitives have as many vertices
		g.rows = g.rows[:0]
		for i := range in.Primitives {
			g.rows = append(g.rows, in.Primitives[i].V[:in.Primitives[i].N]...)
		}
		g.lanes.Vertices.Rows = g.rows
		if len(in.Primitives) > 0 {
			g.lanes.Vertices.Count = uint32(in.Primitives[0].N)
		}
	}
}

// pick lists the slots that feed the inputs of a stage; nil where nothing does.
func pick(dst, out [][]uint32, feeds []int) [][]uint32 {
	dst = dst[:0]
	for _, slot := range feeds {
		if slot == None {
			dst = append(dst, nil)
		} else {
			dst = append(dst, out[slot])
		}
	}
	return dst
}

// run runs the next n invocations and forms the primitives that they emit.
func (g *geometryStage) run(w *Worker, p *Runner, n int) error {
	g.lay(w, p, g.at, n)
	p.Told.Begin()
	in := w.Feed.Draw.Geometry
	if w.Onlooker != nil {
		in = w.Onlooker.Before(p, in)
	}
	if err := p.Run(in, &g.lanes); err != nil {
		return err
	}
	if w.Onlooker != nil {
		at, n := g.at, p.IR.Shape.Invocations
		w.after(func(lane int) string { return w.geometryName(uint32(at+lane), n) })
	}
	w.Stats.GeometryInvocations += uint64(n)
	g.collect(w.Feed.Draw.State.LastProvokes, p.IR, p.Out[0][:n])
	w.Stats.GeometryPrimitives += uint64(len(g.out.Primitives))
	g.at += n
	return nil
}

// lay makes g.lanes the batch of n invocations, from one on.
func (g *geometryStage) lay(w *Worker, p *Runner, at, n int) {
	prog := p.IR
	shape, stride := &prog.Shape, len(prog.Emits)
	k := int(shape.Invocations)
	g.first = Grow(g.first, n)
	for i := range n {
		g.first[i] = uint32((at+i)/k) * g.lanes.Vertices.Count
	}
	for slot, io := range prog.Inputs {
		dst := p.In[slot][:n]
		switch io.Builtin {
		case ir.BuiltinPrimitiveID:
			for i := range dst {
				dst[i] = g.in.ids[(at+i)/k]
			}
		case ir.BuiltinInvocationID:
			for i := range dst {
				dst[i] = uint32((at + i) % k)
			}
		case ir.BuiltinViewIndex:
			Fill(dst, w.Feed.Params.View)
		}
	}
	g.lanes.In, g.lanes.Out, g.lanes.N, g.lanes.Vertices.First = p.In, p.Out, n, g.first
	g.lanes.Emitted = Grow(g.lanes.Emitted, n*int(shape.MaxVertices)*stride)
	clear(g.lanes.Emitted) // of the slots of other streams nothing may be left
}

// collect turns what the lanes emitted into a stretch.
func (g *geometryStage) collect(last bool, prog *ir.Program, counts []uint32) {
	shape, stride, b := &prog.Shape, len(prog.Emits), &g.out
	total := 0
	for _, n := range counts {
		total += int(n)
	}
	b.reset(stride, total)
	for s := range g.strip { // the first vertex of a lane begins a strip anyway
		g.strip[s] = strips{n: uint8(shape.Output), last: last}
	}
	for lane, n := range counts {
		id := g.in.ids[(g.at+lane)/int(shape.Invocations)] // RAS-183
		from := g.lanes.Emitted[lane*int(shape.MaxVertices)*stride:]
		for range n {
			for slot, v := range from[:stride] {
				b.Out[slot][b.Rows] = v
			}
			mark := from[0]
			q := Primitive{ID: id, Stream: uint8(mark & ir.EmitStream)}
			if g.strip[q.Stream%ir.MaxStreams].push(&q, uint32(b.Rows), mark&ir.EmitJoined != 0) { // RAS-059, RAS-060, RAS-061
				b.Primitives = append(b.Primitives, q)
			}
			b.Rows++
			from = from[stride:]
		}
	}
}
