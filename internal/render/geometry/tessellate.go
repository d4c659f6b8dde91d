package geometry

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/tess"
)

// tessRows is how many points of the domain a stretch gathers before they are
// shaded; the last patch may bring more, at most those of the largest level.
const tessRows = 1 << 11

// patchBytes bounds the outputs of the control shader that are held at once.
const patchBytes = 4 << 20

// tessStage takes the patches of the vertex shader's stretch through control
// shader, tessellator and evaluation shader: as many patches at a time through the
// control shader as a batch holds, and of those as many into a stretch as fit.
type tessStage struct {
	at            int // next patch for the control shader
	first, n, sub int // patches of the present batch; sub is the next of them to tessellate
	patch         tess.Tessellator
	control, eval exec.Batch
	ctrlFirst     []uint32
	slots         [][]uint32
	vertices      Stretch // of the control shader: n patches of vertices
	out           Stretch
	points        []tess.Point
	of            []uint32 // patch of each point, counted from first
	rows          []uint32 // eval.Vertices.First
}

// nextStretch is the stretch of the next patches; nil at the end.
func (s *tessStage) nextStretch(w *Worker) (*Stretch, error) {
	for {
		if s.sub == s.n {
			if s.at == len(w.shaded.ids) {
				return nil, nil
			}
			if err := s.runControl(w); err != nil {
				return nil, err
			}
		}
		s.divide(w)
		if len(s.points) > 0 {
			return &s.out, s.runEvaluation(w)
		}
	}
}

// subgroupLanes is how many invocations of the control shader run at once where a
// stage from it on has subgroups: which invocations are in one then follows from
// the patches' order, whatever the number of lanes.
const subgroupLanes = 64

func (w *Worker) patchLanes() int {
	st := w.Feed.Draw.State
	for _, n := range [...]int{st.Control, st.Evaluation, st.Geometry} {
		if n != None && w.Programs[n].IR.SubgroupSize > 0 {
			return min(w.Lanes, subgroupLanes)
		}
	}
	return w.Lanes
}

// runControl runs the control shader for the next patches.
func (s *tessStage) runControl(w *Worker) error {
	p := w.Programs[w.Feed.Draw.State.Control]
	link := w.Feed.Draw.State.Link
	k := int(p.IR.Shape.PatchVertices)
	s.first, s.sub = s.at, 0
	fit := max(patchBytes/int(max(p.IR.SharedBytes, 1)), 1)
	s.n = min(len(w.shaded.ids)-s.at, max(w.patchLanes()/k, 1), fit)
	s.at += s.n
	lanes := s.n * k
	s.control = s.layControl(w, p, s.first, s.n)
	p.Told.Begin()
	in := w.Feed.Draw.Control
	if w.Onlooker != nil {
		in = w.Onlooker.Before(p, in)
	}
	if err := p.Run(in, &s.control); err != nil {
		return err
	}
	if w.Onlooker != nil {
		w.after(func(lane int) string { return w.controlName(uint32(lane), uint32(k)) })
	}
	w.Stats.Patches += uint64(s.n)
	// What the evaluation shader reads of vertices, by slot and row.
	s.vertices.reset(len(link.Tess.Evaluation), lanes)
	for slot, r := range link.Tess.Evaluation {
		for row := range lanes {
			s.vertices.Out[slot][row] = s.record(p, r, row/k, row%k)
		}
	}
	return nil
}

// layControl is the batch of n patches for the control shader, from one on.
func (s *tessStage) layControl(w *Worker, p *Runner, first, n int) exec.Batch {
	in, k := &w.shaded, int(p.IR.Shape.PatchVertices)
	lanes := n * k
	s.ctrlFirst = Grow(s.ctrlFirst, lanes)
	for i := range lanes {
		s.ctrlFirst[i] = uint32((first + i/k) * in.Size)
	}
	for slot, io := range p.IR.Inputs {
		dst := p.In[slot][:lanes]
		switch io.Builtin {
		case ir.BuiltinInvocationID:
			for i := range dst {
				dst[i] = uint32(i % k)
			}
		case ir.BuiltinGroupBase:
			for i := range dst {
				dst[i] = uint32(i/k) * p.IR.SharedBytes
			}
		case ir.BuiltinPrimitiveID:
			for i := range dst {
				dst[i] = in.ids[first+i/k]
			}
		case ir.BuiltinPatchVertices:
			Fill(dst, uint32(in.Size))
		case ir.BuiltinViewIndex:
			Fill(dst, w.Feed.Params.View)
		}
	}
	s.slots = pick(s.slots, in.Out, w.Feed.Draw.State.Link.Tess.Control)
	size := n * int(p.IR.SharedBytes)
	p.Shared = Grow(p.Shared, size)
	clear(p.Shared)
	return exec.Batch{N: lanes, In: p.In, Out: p.Out, Shared: p.Shared[:size],
		Vertices: exec.Vertices{
			Slots: s.slots,
			Rows:  in.verts,
			First: s.ctrlFirst,
			Count: uint32(in.Size),
		}}
}

// record reads a scalar that the control shader left for a patch of the batch; 0
// where there is no such output.
func (s *tessStage) record(p *Runner, r, patch, vertex int) uint32 {
	if r == None {
		return 0
	}
	rec := &p.IR.Records[r]
	at := patch*int(p.IR.SharedBytes) + int(rec.Offset) + vertex*int(rec.Stride)
	return binary.LittleEndian.Uint32(s.control.Shared[at:])
}

// divide tessellates patches of the batch until there are points enough.
func (s *tessStage) divide(w *Worker) {
	p := w.Programs[w.Feed.Draw.State.Control]
	st := w.Feed.Draw.State
	s.points, s.of = s.points[:0], s.of[:0]
	b := &s.out
	b.Primitives, b.ids = b.Primitives[:0], b.ids[:0]
	n := st.Tess.Vertices()
	provoking := provokingOf(st.LastProvokes, uint8(n), false)
	for ; s.sub < s.n && len(s.points) < tessRows; s.sub++ {
		var outer [4]float32
		var inner [2]float32
		for k := range outer {
			outer[k] = math.Float32frombits(s.record(p, st.Link.Tess.Levels[k], s.sub, 0))
		}
		for k := range inner {
			inner[k] = math.Float32frombits(s.record(p, st.Link.Tess.Levels[4+k], s.sub, 0))
		}
		s.patch.Run(st.Tess, outer, inner)
		base := uint32(len(s.points))
		s.points = append(s.points, s.patch.Points...)
		for range s.patch.Points {
			s.of = append(s.of, uint32(s.sub))
		}
		for i := 0; i < len(s.patch.Index); i += n {
			q := Primitive{N: uint8(n), Provoking: provoking, Flags: assembly.FlagRunStart}
			q.ID = w.shaded.ids[s.first+s.sub]
			for k := range q.V {
				q.V[k] = base + s.patch.Index[i+min(k, n-1)]
			}
			b.Primitives, b.ids = append(b.Primitives, q), append(b.ids, q.ID)
		}
	}
}

// runEvaluation shades the points of the domain.
func (s *tessStage) runEvaluation(w *Worker) error {
	p := w.Programs[w.Feed.Draw.State.Evaluation]
	control := w.Programs[w.Feed.Draw.State.Control]
	link := w.Feed.Draw.State.Link
	k := control.IR.Shape.PatchVertices
	b := &s.out
	b.Size, b.verts = 0, b.verts[:0]
	b.Rows = 0
	b.extend(len(p.Out), len(s.points))
	p.Told.Begin()
	s.eval.In, s.eval.Out = p.In, p.Out
	s.eval.Vertices = exec.Vertices{Slots: s.vertices.Out, Count: k}
	for at := 0; at < len(s.points); at += w.Lanes {
		n := min(w.Lanes, len(s.points)-at)
		s.layEvaluation(w, p, at, n)
		for _, slot := range link.Tess.EvaluationMay {
			clear(p.Out[slot][:n])
		}
		s.eval.N, s.eval.Vertices.First = n, s.rows
		in := w.Feed.Draw.Evaluation
		if w.Onlooker != nil {
			in = w.Onlooker.Before(p, in)
		}
		if err := p.Run(in, &s.eval); err != nil {
			return err
		}
		if w.Onlooker != nil {
			first := at
			w.after(func(lane int) string { return w.evaluationName(uint32(first + lane)) })
		}
		w.Stats.Evaluations += uint64(n)
		b.put(p.Out, at, n)
	}
	return nil
}

// layEvaluation makes the inputs of the evaluation shader those of n points, and s.rows the
// vertices of their patches.
func (s *tessStage) layEvaluation(w *Worker, p *Runner, at, n int) {
	control, link := w.Programs[w.Feed.Draw.State.Control], w.Feed.Draw.State.Link
	k := control.IR.Shape.PatchVertices
	points, of := s.points[at:at+n], s.of[at:at+n]
	s.rows = Grow(s.rows, n)
	for i, patch := range of {
		s.rows[i] = patch * k
	}
	for slot, io := range p.IR.Inputs {
		dst := p.In[slot][:n]
		switch io.Builtin {
		case ir.BuiltinTessCoord:
			for i := range dst {
				dst[i] = math.Float32bits(points[i].Coord()[io.Component%3])
			}
		case ir.BuiltinPrimitiveID:
			for i := range dst {
				dst[i] = w.shaded.ids[s.first+int(of[i])]
			}
		case ir.BuiltinPatchVertices:
			Fill(dst, k)
		case ir.BuiltinViewIndex:
			Fill(dst, w.Feed.Params.View)
		default: // of the patch
			r := link.Tess.Patch[slot]
			for i := range dst {
				dst[i] = s.record(control, r, int(of[i]), 0)
			}
		}
	}
}
