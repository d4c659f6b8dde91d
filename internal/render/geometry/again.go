package geometry

import (
	"slices"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Told is an invocation that a primitive came from.
type Told struct {
	Stage ir.Stage
	Which string // "vertex 17, instance 2"
	// Vertices has a bit for each vertex of the primitive that it made or had a part in.
	Vertices uint8
	Trace    Trace  // nil: it cannot be told
	Missing  string // why not
}

// Trace is what an invocation has run.
type Trace interface {
	Shader() *explain.Shader
	Images() []explain.Image
	Len() int // instructions
}

// Traced gives the program of a stage that tells what it computes (exec.Context.Trace) and can take
// the place of the stage's own, as this goroutine runs it.
type Traced func(ir.Stage) (*Runner, error)

// last is the batch that ran last, of trace.Logs.
const last = -1

// Why an invocation is not told.
const (
	writesMemory = "it stores to memory, and so it runs once, and nobody has kept its steps"
	otherResult  = "run again it gives another result: memory that it reads has changed, or it reads a clock"
)

// Retell tells of the invocations that a primitive of the last stretch came from, in the order of
// the stages. They run once more for it, in batches as before where invocations of a batch exchange
// values, and must give what they gave before. Stages that store to memory do not run twice: of
// them that counts what they told as they ran (Runner.Told).
func (w *Worker) Retell(b *Stretch, p *Primitive, traced Traced) []Told {
	a := again{w: w, traced: traced}
	var rows []want
	for k := range p.N {
		rows = add(rows, p.V[k], 1<<k)
	}
	st := w.Feed.Draw.State
	if st.Mesh != None {
		a.mesh(b, rows)
		return a.list
	}
	if st.Geometry != None {
		rows = a.geometry(b, rows)
	}
	if st.Control != None {
		rows = a.tessellation(rows)
	}
	a.vertices(rows)
	return a.list
}

// want is an invocation, by its number in its stage, or a row that one has made.
type want struct {
	number   uint32
	vertices uint8
}

func add(list []want, number uint32, vertices uint8) []want {
	for i := range list {
		if list[i].number == number {
			list[i].vertices |= vertices
			return list
		}
	}
	return append(list, want{number, vertices})
}

// again runs invocations once more, the last stage first.
type again struct {
	w      *Worker
	traced Traced
	list   []Told
}

// rerun is how invocations of a stage run again.
type rerun struct {
	of      ir.Stage
	plain   *Runner
	context *exec.Context
	// batch are the invocations that must run together with one where invocations exchange values in
	// subgroups; alone are those that must in any case.
	batch, alone func(number uint32) (first, n uint32)
	// lay makes the batch of invocations.
	lay func(p *Runner, first, n uint32) (*exec.Batch, error)
	// same says that invocation number, in a lane, gave what it had given.
	same func(p *Runner, b *exec.Batch, number uint32, lane int) bool
	name func(number uint32) string
	// ran is the batch that invocation number ran in, and its lane there.
	ran func(number uint32) (batch, lane int)
}

// one is rerun.alone where invocations share nothing.
func one(number uint32) (first, n uint32) { return number, 1 }

// run tells of invocations.
func (a *again) run(s *rerun, wanted []want) {
	told := make([]Told, len(wanted))
	for i, x := range wanted {
		told[i] = Told{Stage: s.of, Which: s.name(x.number), Vertices: x.vertices}
	}
	if logs := s.plain.Told; logs != nil {
		for i, x := range wanted {
			batch, lane := s.ran(x.number)
			told[i].tell(logs.Batch(batch), lane)
		}
		a.list = append(told, a.list...)
		return
	}
	p, why := a.program(s.of, s.plain)
	together := s.alone
	if s.plain.IR.SubgroupSize > 0 {
		together = s.batch
	}
	for i, x := range wanted {
		if told[i].Missing = why; why != "" || told[i].Trace != nil {
			continue
		}
		first, n := together(x.number)
		collectors := map[int]*trace.Collector{}
		for k := i; k < len(wanted); k++ {
			if lane := wanted[k].number - first; wanted[k].number >= first && lane < n {
				collectors[k] = trace.New(p.IR, int(lane), false)
			}
		}
		batch, err := s.lay(p, first, n)
		if err == nil {
			err = p.Run(quiet(s.context, func(t *exec.Told) {
				for _, c := range collectors {
					c.Tell(t)
				}
			}), batch)
		}
		for k, c := range collectors {
			switch {
			case err != nil:
				told[k].Missing = err.Error()
			case !s.same(p, batch, wanted[k].number, int(wanted[k].number-first)):
				told[k].Missing = otherResult
			default:
				told[k].Trace = c
			}
		}
	}
	a.list = append(told, a.list...)
}

// tell takes what a lane told as it ran.
func (t *Told) tell(log *trace.Log, lane int) {
	if t.Missing = writesMemory; log != nil {
		t.Trace, t.Missing = log.Of(lane), ""
	}
}

// program is that of a stage which tells, or why there is none.
func (a *again) program(of ir.Stage, plain *Runner) (p *Runner, why string) {
	if plain.IR.WritesMemory {
		return nil, writesMemory
	}
	p, err := a.traced(of)
	if err != nil {
		return nil, err.Error()
	}
	return p, ""
}

// quiet is a context of invocations that run once more, which nobody but tell hears of.
func quiet(c *exec.Context, tell func(*exec.Told)) *exec.Context {
	q := *c
	q.Print, q.Outside, q.Images, q.Trace = nil, nil, nil, tell
	return &q
}

// vertices tells of the vertex shader, of rows of what it wrote.
func (a *again) vertices(rows []want) {
	w := a.w
	d := w.Feed.Draw
	var batch exec.Batch
	a.run(&rerun{
		of: ir.StageVertex, plain: w.Programs[d.State.Vertex], context: d.Vertex, alone: one,
		batch: func(row uint32) (first, n uint32) {
			first = row / uint32(w.Lanes) * uint32(w.Lanes)
			return first, min(uint32(w.Lanes), uint32(w.shaded.Rows)-first)
		},
		lay: func(p *Runner, first, n uint32) (*exec.Batch, error) {
			l := lot{n: int(n)}
			for k := range n {
				l.keys = append(l.keys, w.vertexKey(first+k))
			}
			for _, slot := range d.State.Link.VertexMay {
				clear(p.Out[slot][:n])
			}
			batch = exec.Batch{N: int(n), In: p.In, Out: p.Out}
			return &batch, w.lay(p, &l)
		},
		same: func(p *Runner, _ *exec.Batch, row uint32, lane int) bool {
			return equal(p.Out, lane, w.shaded.Out, row)
		},
		ran: func(row uint32) (batch, lane int) { return int(row) / w.Lanes, int(row) % w.Lanes },
		name: func(row uint32) string {
			return w.vertexName(w.vertexKey(row))
		},
	}, rows)
}

// equal says that a lane has what is in a row.
func equal(out [][]uint32, lane int, rows [][]uint32, row uint32) bool {
	for slot := range rows {
		if int(row) >= len(rows[slot]) || out[slot][lane] != rows[slot][row] {
			return false
		}
	}
	return true
}

// geometry tells of the geometry shader, of rows of its stretch, and returns the rows before it.
func (a *again) geometry(b *Stretch, rows []want) (before []want) {
	w, g := a.w, &a.w.geom
	d := w.Feed.Draw
	plain := w.Programs[d.State.Geometry]
	shape, stride := &plain.IR.Shape, len(plain.IR.Emits)
	was := g.lanes
	n := uint32(was.N)
	start := uint32(g.at) - n
	defer func() { g.lanes = was }()
	var wanted []want
	for _, x := range rows {
		lane, end := uint32(0), uint32(0)
		for lane < n {
			if end += plain.Out[0][lane]; x.number < end {
				break
			}
			lane++
		}
		wanted = add(wanted, start+lane, x.vertices)
	}
	count, in := was.Vertices.Count, was.Vertices.Rows
	for _, x := range wanted {
		first := x.number / shape.Invocations * count
		for k := range count {
			row := first + k
			if in != nil {
				row = in[row]
			}
			before = add(before, row, x.vertices)
		}
	}
	g.lanes.Emitted = nil
	a.run(&rerun{
		of: ir.StageGeometry, plain: plain, context: d.Geometry, alone: one,
		batch: func(uint32) (uint32, uint32) { return start, n },
		lay: func(p *Runner, first, n uint32) (*exec.Batch, error) {
			g.lay(w, p, int(first), int(n))
			return &g.lanes, nil
		},
		same: func(p *Runner, b *exec.Batch, number uint32, lane int) bool {
			size, own := int(shape.MaxVertices)*stride, int(number-start)
			k := int(p.Out[0][lane]) * stride
			return p.Out[0][lane] == plain.Out[0][own] &&
				slices.Equal(b.Emitted[lane*size:][:k], was.Emitted[own*size:][:k])
		},
		ran: func(number uint32) (batch, lane int) { return last, int(number - start) },
		name: func(number uint32) string {
			return w.geometryName(number, shape.Invocations)
		},
	}, wanted)
	return before
}

// tessellation tells of the evaluation shader, of rows of its stretch, and of the control shader of
// their patches, and returns the rows before it.
func (a *again) tessellation(rows []want) (before []want) {
	w, s := a.w, &a.w.tess
	d := w.Feed.Draw
	var batch exec.Batch
	a.run(&rerun{
		of: ir.StageEvaluation, plain: w.Programs[d.State.Evaluation], context: d.Evaluation, alone: one,
		batch: func(row uint32) (first, n uint32) {
			first = row / uint32(w.Lanes) * uint32(w.Lanes)
			return first, min(uint32(w.Lanes), uint32(len(s.points))-first)
		},
		lay: func(p *Runner, first, n uint32) (*exec.Batch, error) {
			s.layEvaluation(w, p, int(first), int(n))
			for _, slot := range d.State.Link.Tess.EvaluationMay {
				clear(p.Out[slot][:n])
			}
			batch = exec.Batch{N: int(n), In: p.In, Out: p.Out, Vertices: s.eval.Vertices}
			batch.Vertices.First = s.rows
			return &batch, nil
		},
		same: func(p *Runner, _ *exec.Batch, row uint32, lane int) bool { return equal(p.Out, lane, s.out.Out, row) },
		ran:  func(row uint32) (batch, lane int) { return int(row) / w.Lanes, int(row) % w.Lanes },
		name: w.evaluationName,
	}, rows)

	plain := w.Programs[d.State.Control]
	k, bytes := plain.IR.Shape.PatchVertices, int(plain.IR.SharedBytes)
	var wanted []want
	for _, x := range rows {
		patch := s.of[x.number]
		for i := range k {
			wanted = add(wanted, patch*k+i, x.vertices)
		}
		for i := range uint32(w.shaded.Size) {
			before = add(before, w.shaded.verts[uint32(s.first+int(patch))*uint32(w.shaded.Size)+i],
				x.vertices)
		}
	}
	a.run(&rerun{
		of: ir.StageControl, plain: plain, context: d.Control,
		alone: func(number uint32) (first, n uint32) { return number / k * k, k },
		batch: func(uint32) (first, n uint32) { return 0, uint32(s.n) * k },
		lay: func(p *Runner, first, n uint32) (*exec.Batch, error) {
			batch = s.layControl(w, p, s.first+int(first/k), int(n/k))
			return &batch, nil
		},
		same: func(_ *Runner, b *exec.Batch, number uint32, lane int) bool {
			return slices.Equal(b.Shared[lane/int(k)*bytes:][:bytes],
				s.control.Shared[int(number/k)*bytes:][:bytes])
		},
		ran: func(number uint32) (batch, lane int) { return last, int(number) },
		name: func(number uint32) string {
			return w.controlName(number, k)
		},
	}, wanted)
	return before
}
