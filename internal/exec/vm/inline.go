package vm

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// A program that runs often becomes one with its image instructions inlined, where views and
// samplers allow that: then nothing lies between it and the texels. Until threads have run
// inlineAfter lanes, or as many image instructions for few of them, as serial decoders do, image
// instructions are routines of their own, which are there sooner.
const inlineAfter = 1 << 14

// maxInlined is for how many combinations of keys a program is made anew. From maxShared on,
// operations share no parameters, so that images of many sizes do not take all of them.
const (
	maxInlined = 8
	maxShared  = 4
)

// A program has about so many routines, but its instructions may have this many keys each.
const (
	mostRoutines = 64
	fewestKeys   = 4
)

// inliner makes the inlined programs of a routine, for all threads.
type inliner struct {
	engine  *Engine
	program *ir.Program
	lanes   atomic.Int64 // that threads have run so far, up to inlineAfter
	once    sync.Once
	sites   []imageSite
	first   []int // by operation: the first one that is the same, for the same images
	keys    int   // that an operation may have
	each    bool  // lanes name elements
	mu      sync.Mutex
	made    []inlined
}

// imageSite is what an image operation is used with: elements of descriptor arrays that all
// lanes of a batch share and that are known before it runs, or those that lanes name; and a
// constant level. It is not known where instructions differ in the level, or that is something else.
type imageSite struct {
	known, used bool
	each        [2]bool // instructions name elements of their own, of images and of samplers
	own         bool    // the sampler is the image's, of a combined descriptor
	image       element
	sampler     element
	level       uint32
}

// element is the element of a descriptor array: a constant, or a value that follows from push
// constants and uniform buffers.
type element struct {
	constant uint32
	value    ir.Value // ir.NoValue: it is the constant
}

// elementSteps is how many instructions the value of an element may take, since each batch
// computes it anew.
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

// evaluate computes a known value of the context's batch, with the bits that the program's
// lanes get.
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
	sites   []texel.Site // without keys where nothing is inlined
	routine *routine     // nil where that cannot be
}

// find looks at the program's image instructions.
func (n *inliner) find() []imageSite {
	n.once.Do(func() {
		p := n.program
		n.sites = make([]imageSite, len(p.ImageOps))
		routines := 0 // of one key
		for i := range p.Insts {
			if in := &p.Insts[i]; in.Op == ir.OpImage {
				n.sites[in.Imm].add(p, in)
				routines++
			}
		}
		n.keys = min(max(mostRoutines/max(routines, 1), fewestKeys), texel.MaxKeys)
		for i := range n.sites {
			n.each = n.each || n.sites[i].known && n.sites[i].named(&p.ImageOps[i])
		}
		n.first = make([]int, len(n.sites))
		for i := range n.sites {
			for n.sites[n.first[i]] != n.sites[i] || p.ImageOps[n.first[i]] != p.ImageOps[i] {
				n.first[i]++
			}
		}
	})
	return n.sites
}

// add has a site be that of one more instruction.
func (s *imageSite) add(p *ir.Program, in *ir.Inst) {
	op, site := &p.ImageOps[in.Imm], imageSite{known: true, used: true}
	find := func(at int) (element, bool) {
		steps := elementSteps
		if at >= len(in.More) || !known(p, in.More[at], &steps) {
			return element{}, false
		}
		if x := &p.Insts[in.More[at]]; x.Op == ir.OpConst {
			return element{uint32(x.Imm), ir.NoValue}, true
		}
		return element{0, in.More[at]}, true
	}
	var ok bool
	if site.image, ok = find(0); !ok {
		site.each[0] = true
	}
	behind := 1 + op.Coords // the image's element and coordinates
	switch {
	case op.Sampler >= 0 && op.Sampler == op.Image && len(in.More) > 1 && in.More[0] == in.More[1]:
		site.own = true
	case op.Sampler >= 0:
		site.sampler, ok = find(1)
		site.each[1] = !ok
	case texel.Asks(op):
		if op.Lod == ir.LodExplicit {
			behind++
		}
		site.known = len(in.More) == behind
	case op.Lod == ir.LodExplicit:
		site.known = behind < len(in.More) && p.Insts[in.More[behind]].Op == ir.OpConst
		if site.known {
			site.level = uint32(p.Insts[in.More[behind]].Imm)
		}
	}
	switch op.Kind {
	case ir.ImageSample, ir.ImageGather, ir.ImageFetch, ir.ImageRead, ir.ImageWrite, ir.ImageAtomic:
	default:
		site.known = site.known && texel.Asks(op)
	}
	if sampling.Derives(op) && !p.HasQuads() {
		site.known = false
	}
	if s.used {
		site.each[0] = site.each[0] || s.each[0] || site.image != s.image
		site.each[1] = site.each[1] || s.each[1] || site.sampler != s.sampler
		same := site.own == s.own && site.level == s.level
		site.known = site.known && s.known && same
	}
	*s = site
}

// get returns the program of a combination of keys.
func (n *inliner) get(sites []texel.Site) *routine {
	n.mu.Lock()
	defer n.mu.Unlock()
	alone := false // nothing is shared
	for {
		for i := range n.made {
			if x := &n.made[i]; slices.EqualFunc(x.sites, sites, sameSite) {
				return x.routine
			}
		}
		if alone || len(n.made) < maxShared {
			break
		}
		alone, sites = true, slices.Clone(sites)
		for i := range sites {
			sites[i].Same = i
		}
	}
	if len(n.made) == maxInlined {
		return nil
	}
	x := inlined{sites: slices.Clone(sites)}
	for i := range x.sites {
		x.sites[i].Keys = slices.Clone(sites[i].Keys)
	}
	if p, err := texel.Inline(n.program, x.sites); err == nil {
		if r, err := n.engine.compile(p); err == nil {
			x.routine = r
		}
	}
	n.made = append(n.made, x)
	return x.routine
}

func sameSite(x, y texel.Site) bool {
	return x.Each == y.Each && x.Same == y.Same && slices.Equal(x.Keys, y.Keys)
}

// inlineState is what a thread has of inlined programs.
type inlineState struct {
	n         *inliner
	changed   bool // something is bound that thread is not for
	maxLanes  int
	bound     []boundSite
	sites     []texel.Site // what the program is made from
	threads   map[*routine]exec.Thread
	thread    exec.Thread // for what is bound; nil: none
	ctx       exec.Context
	resources [][]exec.Descriptor
}

// ready returns the thread to run a batch instead of t, with the context, nil where t is to
// run it.
func (s *inlineState) ready(t *thread, ctx *exec.Context, b *exec.Batch) exec.Thread {
	s.n.lanes.Add(t.images.ran)
	t.images.ran, t.images.learns = 0, nil
	often := s.n.lanes.Load() >= inlineAfter
	if !often {
		s.n.lanes.Add(int64(b.N))
	}
	sites, p := s.n.find(), s.n.program
	if ctx.Sparse != nil || ctx.Images != nil || !often && !s.n.each {
		return nil
	}
	first := s.bound == nil
	if first {
		s.bound, s.sites = make([]boundSite, len(sites)), make([]texel.Site, len(sites))
		s.threads = map[*routine]exec.Thread{}
	}
	t.ctx = ctx
	changed := first
	for i := range sites {
		if sites[i].known && s.n.first[i] == i && !s.bound[i].bind(t, &p.ImageOps[i], &sites[i]) {
			changed = true
		}
	}
	t.ctx = nil
	if s.changed = s.changed || changed; s.changed && often {
		s.changed = false
		s.choose(t.scratch)
	}
	t.images.learns = s
	if s.thread == nil || !often {
		return nil
	}
	s.ctx = *ctx
	s.resources = append(s.resources[:0], ctx.Resources...)
	for len(s.resources) < len(p.Resources) {
		s.resources = append(s.resources, nil)
	}
	s.resources = s.resources[:len(p.Resources)]
	for i, first := range s.n.first {
		x := &s.bound[first]
		if first == i {
			x.place(&sites[i])
		}
		s.resources = append(s.resources, x.memory, x.block[:], x.table[:])
	}
	s.ctx.Resources = s.resources
	return s.thread
}

// choose finds the thread for what is bound.
func (s *inlineState) choose(scratch *exec.Scratch) {
	s.thread = nil
	some := false
	for i := range s.sites {
		site := &s.sites[i]
		*site = texel.Site{Keys: site.Keys[:0], Each: s.n.sites[i].each, Same: i}
		switch first := s.n.first[i]; {
		case first < i:
			site.Keys, site.Same = append(site.Keys, s.sites[first].Keys...), s.sites[first].Same
		case s.n.sites[i].known:
			s.bound[i].keys(site, &s.n.program.ImageOps[i], &s.n.sites[i], s.n.most(&s.n.program.ImageOps[i]))
		}
		if len(site.Keys) == 0 {
			site.Each = [2]bool{}
			continue
		}
		some = true
		none := [2]bool{} // what lanes name may come to differ
		for k := 0; k < i && s.n.first[i] == i && site.Same == i && site.Each == none; k++ {
			o := &s.sites[k]
			if s.n.first[k] == k && len(o.Keys) > 0 && o.Each == none &&
				bytes.Equal(s.bound[k].params, s.bound[i].params) {
				site.Same = k
			}
		}
	}
	if !some {
		return
	}
	r := s.n.get(s.sites)
	if r == nil {
		return
	}
	if s.thread = s.threads[r]; s.thread == nil {
		s.thread = r.NewThreadIn(scratch, s.maxLanes)
		s.threads[r] = s.thread
		if x, ok := s.thread.(*thread); ok {
			x.images.learns = s
		}
	}
}

// end forgets what belongs to a batch.
func (s *inlineState) end() {
	s.ctx = exec.Context{}
	clear(s.resources)
	for i := range s.bound {
		clear(s.bound[i].memory[:min(len(s.bound[i].images), len(s.bound[i].memory))])
	}
}
