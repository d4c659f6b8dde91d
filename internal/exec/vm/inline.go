package vm

import (
	"bytes"
	"math"
	"slices"
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// A program that runs often becomes one with its image instructions inlined, where views and
// samplers allow that: then nothing lies between it and the texels. Until a thread has run
// inlineAfter lanes, image instructions are routines of their own, which are there sooner.
const inlineAfter = 1 << 14

// maxInlined is for how many combinations of keys a program is made anew. From maxShared on, operations share no
// parameters, so that images of many sizes do not take all of them.
const (
	maxInlined = 8
	maxShared  = 4
)

// inliner makes the inlined programs of a routine, for all threads.
type inliner struct {
	engine  *Engine
	program *ir.Program
	once    sync.Once
	sites   []imageSite
	mu      sync.Mutex
	made    []inlined
}

// imageSite is what an image operation is used with: elements of descriptors that all lanes of a batch share and that are known before
// it runs, and a constant level. It is not known where instructions differ, or the elements are something else.
type imageSite struct {
	known, used    bool
	image, sampler element
	level          uint32
}

// element is the element of a descriptor array: a constant, or a value that follows from push constants and uniform buffers.
type element struct {
	constant uint32
	value    ir.Value // ir.NoValue: it is the constant
}

// elementSteps is how many instructions the value of an element may take, since each batch computes it anew.
const elementSteps = 16

// known says that the value v is an element's; steps are those that are left.
func known(p *ir.Program, v ir.Value, steps *int) bool {
	in := &p.Insts[v]
	*steps--
	args := 0
	switch {
	case *steps < 0:
		return false
	case in.Op == ir.OpConst:
		return true
	case in.Op == ir.OpLoadPush:
		args = 1
	case in.Op == ir.OpLoadBuffer && p.Resources[in.Imm].Kind == ir.UniformBuffer:
		args = 2
	case ir.Evaluates(in.Op):
		args = operands(in.Op)
	default:
		return false
	}
	for _, a := range in.Args[:args] {
		if !known(p, a, steps) {
			return false
		}
	}
	return true
}

func operands(op ir.Op) int {
	info, _ := ir.InfoOf(op)
	return len(info.Args)
}

// evaluate computes a known value of the context's batch, with the bits that the program's lanes get.
func (t *thread) evaluate(v ir.Value) uint32 {
	in := &t.r.program.Insts[v]
	switch in.Op {
	case ir.OpConst:
		return uint32(in.Imm)
	case ir.OpLoadPush:
		return load(t.ctx.Push, t.evaluate(in.Args[0]))
	case ir.OpLoadBuffer:
		return load(t.descriptor(int64(in.Imm), t.evaluate(in.Args[0])).Data, t.evaluate(in.Args[1]))
	}
	var a [3]uint32
	for i := range operands(in.Op) {
		a[i] = t.evaluate(in.Args[i])
	}
	x, _ := ir.Eval(in.Op, a[0], a[1], a[2])
	return x
}

// of is the element in the context's batch.
func (e element) of(t *thread) uint32 {
	if e.value == ir.NoValue {
		return e.constant
	}
	return t.evaluate(e.value)
}

// inlined is a program for a combination of keys.
type inlined struct {
	keys    []texel.Key // Results and Kind are 0 where nothing is inlined
	same    []int       // the first operation that has the same parameters
	routine *routine    // nil where that cannot be
}

// find looks at the program's image instructions.
func (n *inliner) find() []imageSite {
	n.once.Do(func() {
		p := n.program
		n.sites = make([]imageSite, len(p.ImageOps))
		for i := range p.Insts {
			in := &p.Insts[i]
			if in.Op != ir.OpImage {
				continue
			}
			op, site := &p.ImageOps[in.Imm], imageSite{known: true, used: true}
			find := func(at int) element {
				steps := elementSteps
				if at >= len(in.More) || !known(p, in.More[at], &steps) {
					site.known = false
					return element{}
				}
				if x := &p.Insts[in.More[at]]; x.Op == ir.OpConst {
					return element{uint32(x.Imm), ir.NoValue}
				}
				return element{0, in.More[at]}
			}
			constant := func(at int) uint32 {
				if at >= len(in.More) || p.Insts[in.More[at]].Op != ir.OpConst {
					site.known = false
					return 0
				}
				return uint32(p.Insts[in.More[at]].Imm)
			}
			site.image = find(0)
			if op.Sampler >= 0 {
				site.sampler = find(1)
			} else if op.Lod == ir.LodExplicit {
				at := 1 + op.Coords
				site.level = constant(at)
			}
			switch op.Kind {
			case ir.ImageSample, ir.ImageGather, ir.ImageFetch, ir.ImageRead, ir.ImageWrite, ir.ImageAtomic:
			default:
				site.known = false
			}
			if was := &n.sites[in.Imm]; was.used && *was != site || op.Dim == ir.DimBuffer || sampling.Derives(op) && !p.HasQuads() {
				site.known = false
			}
			n.sites[in.Imm] = site
		}
	})
	return n.sites
}

// get returns the program of a combination of keys.
func (n *inliner) get(keys []texel.Key, same []int) *routine {
	n.mu.Lock()
	defer n.mu.Unlock()
	alone := false // nothing is shared
	for {
		for i := range n.made {
			if x := &n.made[i]; slices.Equal(x.keys, keys) && slices.Equal(x.same, same) {
				return x.routine
			}
		}
		if alone || len(n.made) < maxShared {
			break
		}
		alone, same = true, slices.Clone(same)
		for i := range same {
			same[i] = i
		}
	}
	if len(n.made) == maxInlined {
		return nil
	}
	list := make([]*texel.Key, len(keys))
	x := inlined{keys: slices.Clone(keys), same: slices.Clone(same)}
	for i := range keys {
		if x.keys[i] != (texel.Key{}) {
			list[i] = &x.keys[i]
		}
	}
	if p, err := texel.Inline(n.program, list, x.same); err == nil {
		if r, err := n.engine.compile(p); err == nil {
			x.routine = r
		}
	}
	n.made = append(n.made, x)
	return x.routine
}

// inlineState is what a thread has of inlined programs.
type inlineState struct {
	n         *inliner
	maxLanes  int
	lanes     int // run so far, up to inlineAfter
	views     []*resource.ImageView
	samplers  []*resource.Sampler
	plans     []texel.Inlined
	keys      []texel.Key
	same      []int
	threads   map[*routine]exec.Thread
	thread    exec.Thread // for the present views; nil: none
	ctx       exec.Context
	resources [][]exec.Descriptor
	extra     []exec.Descriptor
}

// ready returns the thread to run a batch instead of t, with the context, nil where t is to
// run it.
func (s *inlineState) ready(t *thread, ctx *exec.Context, b *exec.Batch) exec.Thread {
	if s.lanes < inlineAfter {
		s.lanes += b.N
		return nil
	}
	if ctx.Sparse != nil || ctx.Images != nil {
		return nil
	}
	sites, p := s.n.find(), s.n.program
	if s.views == nil {
		s.begin(len(sites))
	}
	t.ctx = ctx
	changed := false
	for i := range sites {
		if site := &sites[i]; site.known {
			v, sampler := t.bound(&p.ImageOps[i], site)
			if v != s.views[i] || sampler != s.samplers[i] {
				s.views[i], s.samplers[i], changed = v, sampler, true
			}
		}
	}
	t.ctx = nil
	if changed {
		s.choose(t.scratch)
	}
	if s.thread == nil {
		return nil
	}
	s.ctx = *ctx
	s.resources = append(s.resources[:0], ctx.Resources...)
	for len(s.resources) < len(p.Resources) {
		s.resources = append(s.resources, nil)
	}
	s.resources = s.resources[:len(p.Resources)]
	for i := range sites {
		memory, params := s.extra[2*i:2*i+1], s.extra[2*i+1:2*i+2]
		if s.keys[i] != (texel.Key{}) {
			memory[0].Data, params[0].Data = s.plans[i].Memory(), s.params(i)
		}
		s.resources = append(s.resources, memory, params)
	}
	s.ctx.Resources = s.resources
	return s.thread
}

// bound are the view and the sampler of a site.
func (t *thread) bound(op *ir.ImageOp, site *imageSite) (*resource.ImageView, *resource.Sampler) {
	image := site.image.of(t)
	d := t.descriptor(int64(op.Image), image)
	if op.Sampler >= 0 {
		if sampler := site.sampler.of(t); op.Sampler != op.Image || sampler != image {
			return d.View, t.descriptor(int64(op.Sampler), sampler).Sampler
		}
	}
	return d.View, d.Sampler
}

func (s *inlineState) begin(sites int) {
	s.views, s.samplers = make([]*resource.ImageView, sites), make([]*resource.Sampler, sites)
	s.plans, s.keys, s.same = make([]texel.Inlined, sites), make([]texel.Key, sites), make([]int, sites)
	s.extra, s.threads = make([]exec.Descriptor, 2*sites), map[*routine]exec.Thread{}
}

// choose finds the thread for the present views and samplers.
func (s *inlineState) choose(scratch *exec.Scratch) {
	s.thread = nil
	some := false
	for i := range s.n.sites {
		s.keys[i], s.same[i] = texel.Key{}, i
		if x := &s.plans[i]; s.n.sites[i].known && x.Find(&s.n.program.ImageOps[i], s.views[i], s.samplers[i]) && len(x.Memory()) <= math.MaxInt32 {
			s.keys[i], some = x.Key, true
			for k := range i {
				if s.keys[k] != (texel.Key{}) && bytes.Equal(s.params(i), s.params(k)) {
					s.same[i] = k
					break
				}
			}
		}
	}
	if !some {
		return
	}
	r := s.n.get(s.keys, s.same)
	if r == nil {
		return
	}
	if s.thread = s.threads[r]; s.thread == nil {
		s.thread = r.NewThreadIn(scratch, s.maxLanes)
		s.threads[r] = s.thread
	}
}

// params are the parameters of a site.
func (s *inlineState) params(site int) []byte {
	return s.plans[site].Params(s.n.sites[site].level)
}

// end forgets what belongs to a batch.
func (s *inlineState) end() {
	s.ctx = exec.Context{}
	clear(s.resources)
	clear(s.extra)
}
