package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// maxRows bounds the operands and the results of a routine.
const maxRows = 15

// params is texel.Params in memory.
type params [4 * texel.ParamWords]byte

// route is how a plan's instruction runs as a routine of package texel.
type route struct {
	thread   texel.Thread
	each     texel.Thread // for lanes that have images of their own, with an operand more; sought where it is asked for
	sought   bool
	key      texel.Key // if keyed
	keyed    bool
	operands []texel.Operand
	results  int
	// params are texel.Params of each level; the last has no texels.
	params  []params
	sampled bool // through a sampler; else the level is an operand
	writes  bool
	level   int  // of params
	leaves  bool // some lanes to Go code
	quads   bool // takes derivatives
}

// routines are the threads of a Unit, by key.
type routines struct {
	known    map[texel.Key]texel.Thread
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
	r.known, r.maxLanes = map[texel.Key]texel.Thread{}, lanes
	words := make([]uint32, 2*maxRows*(lanes+3))
	for i := range r.rowsIn {
		r.rowsIn[i], words = words[:lanes+3:lanes+3], words[lanes+3:]
		r.rowsOut[i], words = words[:lanes+3:lanes+3], words[lanes+3:]
	}
	r.quads, r.left, r.mask = make([]int32, 0, lanes/4+1), make([]int32, 0, lanes), make([]uint32, lanes)
}

// texelKey is the routine's key of a plan, false where no key stands for it. Whether there is a routine, the key's Lowered says.
func (p *plan) texelKey() (texel.Key, bool) {
	k := texel.Key{Format: p.v.Info.Format, Swizzle: p.st.Swizzle, Results: uint8(p.op.Results)}
	writes := p.op.Kind == ir.ImageWrite || p.op.Kind == ir.ImageAtomic
	if p.op.Results == 0 && !writes || p.key.Ycbcr || p.levels[0].skip != [3]int32{} {
		return k, false
	}
	switch p.op.Kind {
	case ir.ImageFetch, ir.ImageRead, ir.ImageWrite, ir.ImageAtomic:
		k.Kind, k.Layered, k.Sampled, k.Offset = texel.Fetch, p.op.Arrayed, p.op.HasSample, p.op.HasOffset
		switch p.op.Kind { // components have their places
		case ir.ImageWrite:
			k.Kind, k.Swizzle, k.Results = texel.Store, [4]int8{}, 4
		case ir.ImageAtomic:
			if k.Kind, k.Swizzle, k.Op = texel.Atomic, [4]int8{}, p.op.Atomic; k.Results > 1 {
				return k, false
			}
		}
		if k.Dims = uint8(texelDims(p.op.Dim)); p.op.Dim == ir.DimCube {
			if k.Dims, k.Layered = 2, true; k.Offset {
				return k, false
			}
		}
	case ir.ImageSample, ir.ImageGather:
		k.Cube, k.Seams, k.Corner = p.st.Cube, p.st.Seams, p.key.Corner
		switch {
		case p.op.Kind == ir.ImageGather:
			if p.v.MinLod >= float32(p.v.BaseLevel+1) { // IMG-520
				return k, false
			}
			comp := p.op.GatherComp & 3
			if p.key.Compare {
				comp = 0 // IMG-518
			}
			k.Kind, k.Swizzle = texel.Gather, [4]int8{p.st.Swizzle[comp]} // IMG-329
		default:
			mag, min := p.filters()
			if k.Kind = texel.Nearest; mag == vk.FilterLinear || min == vk.FilterLinear {
				k.Kind, k.NearestMag, k.NearestMin = texel.Linear, mag != min && mag == vk.FilterNearest, mag != min && min == vk.FilterNearest
			}
			if mag > vk.FilterLinear || min > vk.FilterLinear || !p.key.OneLevel && !p.fixedLevel(&k) && !p.levelsKey(&k) {
				return k, false
			}
			if k.Kind != texel.Nearest || k.MipLinear {
				switch {
				case p.key.Sum == SumReduce && p.key.Compare:
					return k, false
				case p.key.Sum == SumReduce && p.key.Reduction == vk.SamplerReductionModeMin:
					k.Sum = texel.SumMin
				case p.key.Sum == SumReduce:
					k.Sum = texel.SumMax
				case p.key.Compare:
				case p.key.Sum == SumFinite, p.info.Compressed && !p.key.Border && p.info.Numeric != format.NumericSfloat && p.info.Numeric != format.NumericUfloat: // blocks of fractions
					k.Sum = texel.SumFinite
				case p.key.Sum == SumFloat:
					k.Sum = texel.SumFloat
				}
			}
		}
		if k.Compare = p.key.Compare; k.Compare {
			k.CompareOp, k.RefUnit = p.key.CompareOp, p.key.RefUnit
		}
		k.Dims, k.Layered, k.Unnormalized, k.Offset = uint8(p.st.Dims), p.st.Layer >= 0, p.key.Texels, p.key.Offset
		for d := range p.st.Dims {
			k.Modes[d] = p.key.Modes[d]
			wraps := k.Modes[d] == vk.SamplerAddressModeRepeat || k.Modes[d] == vk.SamplerAddressModeMirroredRepeat
			n := p.levels[0].size[d]
			k.PowerOfTwo[d] = wraps && n&(n-1) == 0
			k.Far = k.Far || n > k.MaxSize(d) || n < k.MinSize(d)
		}
	default:
		return k, false
	}
	return k, true
}

// filters are those that lanes may take (IMG-451).
func (p *plan) filters() (mag, min vk.Filter) {
	mag, min = p.key.Mag, p.key.Min
	switch {
	case p.key.OneLevel || p.st.MaxLod <= 0:
		return mag, mag
	case p.st.MinLod > 0:
		return min, min
	}
	return mag, min
}

// fixedLevel says that all lanes take one level, without derivatives or operands, and
// which.
func (p *plan) fixedLevel(k *texel.Key) bool {
	if p.op.Lod != ir.LodZero || p.key.MinLod || p.key.Aniso {
		return false
	}
	group, frac := p.levelsOf(0, 0, 0, true)
	if frac != 0 {
		return false
	}
	k.NearestMag, k.NearestMin = false, false
	if k.Kind = texel.Nearest; group%groups == groupLinear {
		k.Kind = texel.Linear
	}
	p.route.level = int(group / groups)
	return true
}

// levelsKey adds level selection to k; false where routines have none for it.
func (p *plan) levelsKey(k *texel.Key) bool {
	k.MinLod, k.Aniso = p.key.MinLod, p.key.Aniso
	k.Levels, k.Lod, k.MipLinear, k.Biased = true, p.op.Lod, p.key.MipLinear, p.st.Bias != 0
	if k.Single = p.v.Levels == 1; k.Single {
		return true
	}
	first := &p.levels[0]
	for n := range p.v.Levels {
		l, bytes := &p.levels[n], int32(p.info.BlockBytes)
		for d := range p.st.Dims {
			if l.size[d] != max(first.size[d]>>n, 1) || l.pitch[d] != bytes || l.skip[d] != 0 || l.layer != first.layer {
				return false
			}
			bytes *= (l.size[d] + p.block[d] - 1) / p.block[d]
		}
	}
	return true
}

// plan finds the thread of p's instruction, if the engine wants it.
func (r *routines) plan(e texel.Engine, p *plan) {
	k, ok := p.texelKey()
	if !ok || !k.Lowered() {
		return
	}
	p.route.key, p.route.keyed = k, true
	p.route.thread = r.thread(e, p, &k)
}

// each finds the thread that runs lanes with p's instruction beside lanes with others of its key.
func (r *routines) each(e texel.Engine, p *plan) texel.Thread {
	x := &p.route
	if !x.sought && x.keyed {
		k := x.key
		if k.Each = true; k.Lowered() {
			x.each = r.thread(e, p, &k)
		}
	}
	x.sought = true
	return x.each
}

// thread is that of a key, nil where the engine does not want it, and makes p's route ready.
func (r *routines) thread(e texel.Engine, p *plan, k *texel.Key) texel.Thread {
	if !e.Wants(k) {
		return nil
	}
	t, ok := r.known[*k]
	if !ok {
		if len(r.known) >= maxRoutines {
			clear(r.known)
		}
		t = e.Thread(k, r.maxLanes)
		r.known[*k] = t
	}
	if t == nil {
		return nil
	}
	x := &p.route
	p.prepare(k)
	x.operands, x.results = k.Operands(), int(k.Results)
	if x.writes = k.Writes(); k.Kind == texel.Store {
		x.results = 0
	}
	if k.Each {
		x.operands = x.operands[:len(x.operands)-1] // the last is the number of an image
	}
	x.leaves, x.quads = k.Leaves(), k.Quads()
	return t
}

// prepare makes the parameters of a key's routine.
func (p *plan) prepare(k *texel.Key) {
	p.route.sampled = !k.Whole()
	p.route.params = p.route.params[:0]
	for l := range p.v.Levels {
		p.route.params = append(p.route.params, params{})
		p.levelParams(k, &p.route.params[l], &p.levels[l])
	}
	p.route.params = append(p.route.params, params{})
}

func (p *plan) levelParams(k *texel.Key, to *params, l *level) {
	x := texel.Params{Start: uint32(l.start), Layer: uint32(l.layer), Layers: uint32(p.v.Layers), Samples: uint32(p.v.Image.Samples), Border: p.border}
	if p.route.sampled {
		x.Layers = uint32(p.st.Layers)
	}
	for d, n := range l.size {
		x.Size[d], x.Pitch[d] = uint32(n), uint32(l.pitch[d])
	}
	if k.Levels {
		st := &p.st
		bias := float64(one8 * min(max(st.Bias, -resource.MaxSamplerLodBias), resource.MaxSamplerLodBias))
		whole := math.RoundToEven(bias)
		x.Shift, x.Whole, x.Bias = float32(st.Bias), int32(whole), float32(bias-whole)
		end := func(lambda float64) int32 {
			return k.Bounds(max(min(min(max(lambda, st.MinLod), st.MaxLod), st.LastLevel), st.ViewMin))
		}
		x.Aniso = float32(st.Aniso)
		x.Low, x.High = end(math.Inf(-1)), end(math.Inf(1))
		for n := range p.v.Levels + 1 {
			x.Starts[n] = uint32(p.levels[n].start)
		}
	}
	x.Put(to[:])
}

// row is an operand of an instruction, nil where it is missing.
func (p *plan) row(a *ref.Args, o texel.Operand) []uint32 {
	switch {
	case o <= texel.CoordZ:
		return a.Coord[o]
	case o == texel.Dref:
		return a.Dref
	case o >= texel.TexelR:
		return a.Texel[o-texel.TexelR]
	case o == texel.MinLod:
		return a.MinLod
	case o == texel.Lod:
		return a.Lod
	case o >= texel.GradYX:
		return a.DY[o-texel.GradYX]
	case o >= texel.GradXX:
		return a.DX[o-texel.GradXX]
	case o == texel.Layer && p.route.sampled:
		return a.Coord[p.st.Layer&3]
	case o == texel.Layer && p.op.Dim == ir.DimCube: // storage cubes address faces as layers
		return a.Coord[2]
	case o == texel.Layer:
		return a.Coord[texelDims(p.op.Dim)]
	case o == texel.Sample:
		return a.SampleIndex
	default:
		return a.Offset[o-texel.OffsetX]
	}
}

// run runs p's instruction as a routine; false where that cannot be: an operand is
// missing, or the level differs between lanes. Where each is not nil, lanes have plans of their own with p's key.
func (r *routines) run(p *plan, a *ref.Args, n int, each *Each, group *eachGroup) bool {
	x := &p.route
	if n == 0 || n > r.maxLanes || x.quads && (!a.Quads || n&3 != 0) {
		return false
	}
	level, ok := sameLevel(x, a, n)
	if !ok {
		return false
	}
	for i, o := range x.operands {
		w := p.row(a, o)
		if w == nil {
			return false
		}
		r.in[i] = w[:n]
	}
	operands := len(x.operands)
	if each != nil {
		r.in[operands] = each.Which[:n]
		operands++
	}
	lanes := n
	r.left = r.left[:0]
	var live []uint32
	if x.writes {
		live = a.Mask
	}
	compact := a.Mask != nil && !x.writes && r.activeQuads(a.Mask, n)
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
	rows := x.results
	if x.leaves {
		r.out[rows] = r.rowsOut[rows][:lanes]
		rows++
	}
	for i := range x.results {
		if r.out[i] = r.rowsOut[i][:lanes]; a.Mask == nil && a.Out[i] != nil {
			r.out[i] = a.Out[i][:n]
		}
	}
	switch in, out := r.in[:operands], r.out[:rows]; {
	case lanes == 0:
	case each != nil:
		if params, memory := each.images(group, level); !x.each.RunEach(in, out, params, memory, lanes) {
			return false
		}
	case !x.thread.Run(in, out, live, p.paramsOf(level)[:], p.memory(), lanes):
		return false
	}
	if x.leaves && lanes > 0 {
		r.listLeft(a.Mask, r.out[x.results], compact, n)
	}
	if a.Mask == nil {
		return true
	}
	for i := range x.results {
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

// memory is the image's.
func (p *plan) memory() []byte { return p.v.Image.Data[:p.v.Image.Layout.Size] }

// sameLevel is the level that all active lanes of a fetch read, 0 of others; false where it differs.
func sameLevel(x *route, a *ref.Args, n int) (level uint32, ok bool) {
	if x.sampled || a.Lod == nil {
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

// paramsOf are the parameters of a level that all lanes read, which instructions without a sampler count.
func (p *plan) paramsOf(level uint32) *params {
	x := &p.route
	if p.op.Kind == ir.ImageAtomic { // IMG-590
		level = 0
	}
	switch {
	case x.sampled:
		level = uint32(x.level)
	case level >= uint32(p.v.Levels) || int32(level) < p.firstLevel():
		level = uint32(p.v.Levels)
	}
	return &x.params[level]
}
