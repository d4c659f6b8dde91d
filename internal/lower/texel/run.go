package texel

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// maxRows bounds the operands and the results of a routine.
const maxRows = 15

// routines are the threads of a Unit, by key.
type routines struct {
	known    map[Key]Thread
	in, out  [maxRows][]uint32 // what Run is given
	rowsIn   [maxRows][]uint32 // compacted lanes
	rowsOut  [maxRows][]uint32
	quads    []int32 // first lanes of the quads with an active lane
	left     []int32 // lanes that the routine has left
	mask     []uint32
	maxLanes int
}

// maxRoutines is how many threads a Unit keeps.
const maxRoutines = 64

func (r *routines) init(lanes int) {
	r.known, r.maxLanes = map[Key]Thread{}, lanes
	words := make([]uint32, 2*maxRows*(lanes+3))
	for i := range r.rowsIn {
		r.rowsIn[i], words = words[:lanes+3:lanes+3], words[lanes+3:]
		r.rowsOut[i], words = words[:lanes+3:lanes+3], words[lanes+3:]
	}
	r.quads, r.left, r.mask = make([]int32, 0, lanes/4+1), make([]int32, 0, lanes),
		make([]uint32, lanes)
}

// access finds the thread of p's instruction.
func (r *routines) access(e Engine, p *access) {
	if p.ok {
		p.thread = r.thread(e, &p.key)
	}
}

// each finds the thread that runs lanes with p's instruction beside lanes with others of its key.
func (r *routines) each(e Engine, p *access) Thread {
	if !p.sought && p.ok {
		k := p.key
		if k.Each = true; k.Lowered() {
			p.each = r.thread(e, &k)
		}
	}
	p.sought = true
	return p.each
}

// thread is that of a key, nil where the engine has none.
func (r *routines) thread(e Engine, k *Key) Thread {
	t, ok := r.known[*k]
	if !ok {
		if len(r.known) >= maxRoutines {
			clear(r.known)
		}
		t = e.Thread(k, r.maxLanes)
		r.known[*k] = t
	}
	return t
}

// row is an operand of an instruction, nil where it is missing.
//
// IMG-022, IMG-024
func (p *access) row(a *ref.Args, o Operand) []uint32 {
	switch {
	case o <= CoordZ:
		return a.Coord[o]
	case o == Dref:
		return a.Dref
	case o >= TexelR:
		return a.Texel[o-TexelR]
	case o == MinLod:
		return a.MinLod
	case o == Lod:
		return a.Lod
	case o >= GradYX:
		return a.DY[o-GradYX]
	case o >= GradXX:
		return a.DX[o-GradXX]
	case o == Layer && p.sampled:
		return a.Coord[p.st.Layer&3]
	case o == Layer && p.op.Dim == ir.DimCube: // storage cubes address faces as layers
		return a.Coord[2]
	case o == Layer:
		return a.Coord[texelDims(p.op.Dim)]
	case o == Sample:
		return a.SampleIndex
	default:
		return a.Offset[o-OffsetX]
	}
}

// run runs p's instruction as a routine; false where that cannot be: an operand is missing, or the
// level differs between lanes. Where each is not nil, lanes have accesses of their own with p's
// key.
func (r *routines) run(p *access, a *ref.Args, n int, each *Each, group *eachGroup) bool {
	if n == 0 || n > r.maxLanes || p.quads && (!a.Quads || n&3 != 0) {
		return false
	}
	level, ok := sameLevel(p, a, n)
	if !ok {
		return false
	}
	for i, o := range p.operands {
		w := p.row(a, o)
		if w == nil {
			return false
		}
		r.in[i] = w[:n]
	}
	operands := len(p.operands)
	if each != nil {
		r.in[operands] = each.Which[:n]
		operands++
	}
	lanes := n
	r.left = r.left[:0]
	var live []uint32
	if p.writes {
		live = a.Mask
	}
	compact := a.Mask != nil && !p.writes && r.activeQuads(a.Mask, n)
	if compact {
		lanes = 4 * len(r.quads)
		for i := range operands {
			to := r.rowsIn[i][:lanes]
			for q, at := range r.quads {
				copy(to[4*q:4*q+4], r.in[i][at:])
			}
			r.in[i] = to
		}
	}
	rows := p.results
	if p.leaves {
		r.out[rows] = r.rowsOut[rows][:lanes]
		rows++
	}
	for i := range p.results {
		if r.out[i] = r.rowsOut[i][:lanes]; a.Mask == nil && a.Out[i] != nil {
			r.out[i] = a.Out[i][:n]
		}
	}
	switch in, out := r.in[:operands], r.out[:rows]; {
	case lanes == 0:
	case each != nil:
		if params, memory := each.images(group, level); !p.each.RunEach(in, out, params, memory, lanes) {
			return false
		}
	case !p.thread.Run(in, out, live, p.paramsOf(level)[:], p.memory(), lanes):
		return false
	}
	if p.leaves && lanes > 0 {
		r.listLeft(a.Mask, r.out[p.results], compact, n)
	}
	if a.Mask == nil {
		return true
	}
	for i := range p.results {
		to, from := a.Out[i], r.out[i]
		switch {
		case to == nil:
		case compact:
			for q, at := range r.quads {
				for k := range min(4, n-int(at)) {
					if a.Mask[int(at)+k] != 0 {
						to[int(at)+k] = from[4*q+k]
					}
				}
			}
		default:
			for k, m := range a.Mask[:n] {
				if m != 0 {
					to[k] = from[k]
				}
			}
		}
	}
	return true
}

// listLeft lists the active lanes that a routine has left.
func (r *routines) listLeft(mask, left []uint32, compact bool, n int) {
	for k, x := range left {
		if x == 0 {
			continue
		}
		if compact {
			k = int(r.quads[k>>2]) + k&3
		}
		if k < n && (mask == nil || mask[k] != 0) {
			r.left = append(r.left, int32(k))
		}
	}
}

// activeQuads lists the quads with an active lane; false where that are most.
func (r *routines) activeQuads(mask []uint32, n int) bool {
	r.quads = r.quads[:0]
	for q := 0; q < n; q += 4 {
		some := uint32(0)
		for _, m := range mask[q:min(q+4, n)] {
			some |= m
		}
		if some != 0 {
			r.quads = append(r.quads, int32(q))
		}
	}
	return len(r.quads)*4 <= n*3/4
}

// sameLevel is the level that all active lanes of a fetch read, 0 of others; false if it differs.
func sameLevel(p *access, a *ref.Args, n int) (level uint32, ok bool) {
	if p.sampled || a.Lod == nil {
		return 0, true
	}
	known := false
	for k, l := range a.Lod[:n] {
		if a.Mask != nil && a.Mask[k] == 0 {
			continue
		}
		if known && l != level {
			return 0, false
		}
		level, known = l, true
	}
	return level, true
}
