package render

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/tess"
)

// tessRows is how many points of the domain a block gathers before they are
// shaded; the last patch may bring more, at most those of the largest level.
const tessRows = 1 << 11

// patchBytes bounds the outputs of the control shader that are held at once.
const patchBytes = 4 << 20

// tessStage takes the patches of the vertex shader's block through control
// shader, tessellator and evaluation shader: as many patches at a time through the
// control shader as a batch holds, and of those as many into a block as fit.
type tessStage struct {
	at            int // next patch for the control shader
	first, n, sub int // patches of the present batch; sub is the next of them to tessellate
	patch         tess.Tessellator
	control, eval exec.Batch
	ctrlFirst     []uint32
	slots         [][]uint32
	vertices      block // of the control shader: n patches of vertices
	out           block
	points        []tess.Point
	of            []uint32 // patch of each point, counted from first
	rows          []uint32 // eval.Vertices.First
}

// nextBlock is the block of the next patches; nil at the end.
func (s *tessStage) nextBlock(w *geometry, c *chunk) (*block, error) {
	for {
		if s.sub == s.n {
			if s.at == len(w.shaded.ids) {
				return nil, nil
			}
			if err := s.runControl(w, c); err != nil {
				return nil, err
			}
		}
		s.divide(w, c)
		if len(s.points) > 0 {
			return &s.out, s.runEvaluation(w, c)
		}
	}
}

// subgroupLanes is how many invocations of the control shader run at once where a
// stage from it on has subgroups: which invocations are in one then follows from
// the patches' order, whatever the number of lanes.
const subgroupLanes = 64

func (w *geometry) patchLanes(c *chunk) int {
	for _, s := range [...]*stage{&c.draw.control, &c.draw.evaluation, &c.draw.geometry} {
		if s.routine != none && w.programs[s.routine].ir.SubgroupSize > 0 {
			return min(w.x.cfg.Lanes, subgroupLanes)
		}
	}
	return w.x.cfg.Lanes
}

// runControl runs the control shader for the next patches.
func (s *tessStage) runControl(w *geometry, c *chunk) error {
	p := w.programs[c.draw.control.routine]
	link := c.draw.state.link
	in, k := &w.shaded, int(p.ir.Shape.PatchVertices)
	s.first, s.sub = s.at, 0
	s.n = min(len(in.ids)-s.at, max(w.patchLanes(c)/k, 1), max(patchBytes/int(max(p.ir.SharedBytes, 1)), 1))
	s.at += s.n
	lanes := s.n * k
	s.ctrlFirst = grow(s.ctrlFirst, lanes)
	for i := range lanes {
		s.ctrlFirst[i] = uint32((s.first + i/k) * in.size)
	}
	for slot, io := range p.ir.Inputs {
		dst := p.in[slot][:lanes]
		switch io.Builtin {
		case ir.BuiltinInvocationID:
			for i := range dst {
				dst[i] = uint32(i % k)
			}
		case ir.BuiltinGroupBase:
			for i := range dst {
				dst[i] = uint32(i/k) * p.ir.SharedBytes
			}
		case ir.BuiltinPrimitiveID:
			for i := range dst {
				dst[i] = in.ids[s.first+i/k]
			}
		case ir.BuiltinPatchVertices:
			fill(dst, uint32(in.size))
		case ir.BuiltinViewIndex:
			fill(dst, c.params.view)
		}
	}
	s.slots = pick(s.slots, in.out, link.tess.control)
	size := s.n * int(p.ir.SharedBytes)
	p.shared = grow(p.shared, size)
	clear(p.shared)
	s.control = exec.Batch{N: lanes, In: p.in, Out: p.out, Shared: p.shared[:size],
		Vertices: exec.Vertices{Slots: s.slots, Rows: in.verts, First: s.ctrlFirst, Count: uint32(in.size)}}
	if err := p.run(c.draw.control.ctx, &s.control); err != nil {
		return err
	}
	w.stats.Patches += uint64(s.n)
	// What the evaluation shader reads of vertices, by slot and row.
	s.vertices.reset(len(link.tess.evaluation), lanes)
	for slot, r := range link.tess.evaluation {
		for row := range lanes {
			s.vertices.out[slot][row] = s.record(p, r, row/k, row%k)
		}
	}
	return nil
}

// record reads a scalar that the control shader left for a patch of the batch; 0
// where there is no such output.
func (s *tessStage) record(p *program, r, patch, vertex int) uint32 {
	if r == none {
		return 0
	}
	rec := &p.ir.Records[r]
	at := patch*int(p.ir.SharedBytes) + int(rec.Offset) + vertex*int(rec.Stride)
	return binary.LittleEndian.Uint32(s.control.Shared[at:])
}

// divide tessellates patches of the batch until there are points enough.
func (s *tessStage) divide(w *geometry, c *chunk) {
	p := w.programs[c.draw.control.routine]
	st := c.draw.state
	s.points, s.of = s.points[:0], s.of[:0]
	b := &s.out
	b.prims = b.prims[:0]
	n := st.tess.Vertices()
	provoking := provokingOf(st.lastProvokes(), uint8(n), false)
	for ; s.sub < s.n && len(s.points) < tessRows; s.sub++ {
		var outer [4]float32
		var inner [2]float32
		for k := range outer {
			outer[k] = math.Float32frombits(s.record(p, st.link.tess.levels[k], s.sub, 0))
		}
		for k := range inner {
			inner[k] = math.Float32frombits(s.record(p, st.link.tess.levels[4+k], s.sub, 0))
		}
		s.patch.Run(st.tess, outer, inner)
		base := uint32(len(s.points))
		s.points = append(s.points, s.patch.Points...)
		for range s.patch.Points {
			s.of = append(s.of, uint32(s.sub))
		}
		for i := 0; i < len(s.patch.Index); i += n {
			q := prim{id: w.shaded.ids[s.first+s.sub], n: uint8(n), provoking: provoking, flags: assembly.FlagRunStart}
			for k := range q.v {
				q.v[k] = base + s.patch.Index[i+min(k, n-1)]
			}
			b.prims = append(b.prims, q)
		}
	}
}

// runEvaluation shades the points of the domain.
func (s *tessStage) runEvaluation(w *geometry, c *chunk) error {
	p := w.programs[c.draw.evaluation.routine]
	control := w.programs[c.draw.control.routine]
	link := c.draw.state.link
	k := control.ir.Shape.PatchVertices
	b := &s.out
	b.size, b.ids, b.verts = 0, b.ids[:0], b.verts[:0]
	b.resetRows(len(p.out), len(s.points))
	s.eval.In, s.eval.Out = p.in, p.out
	s.eval.Vertices = exec.Vertices{Slots: s.vertices.out, Count: k}
	for at := 0; at < len(s.points); at += w.x.cfg.Lanes {
		points := s.points[at:min(at+w.x.cfg.Lanes, len(s.points))]
		of := s.of[at:][:len(points)]
		s.rows = grow(s.rows, len(points))
		for i, patch := range of {
			s.rows[i] = patch * k
		}
		for slot, io := range p.ir.Inputs {
			dst := p.in[slot][:len(points)]
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
				fill(dst, k)
			case ir.BuiltinViewIndex:
				fill(dst, c.params.view)
			default: // of the patch
				r := link.tess.patch[slot]
				for i := range dst {
					dst[i] = s.record(control, r, int(of[i]), 0)
				}
			}
		}
		for _, slot := range link.tess.evaluationMay {
			clear(p.out[slot][:len(points)])
		}
		s.eval.N, s.eval.Vertices.First = len(points), s.rows
		if err := p.run(c.draw.evaluation.ctx, &s.eval); err != nil {
			return err
		}
		w.stats.Evaluations += uint64(len(points))
		b.put(p.out, at, len(points))
	}
	return nil
}
