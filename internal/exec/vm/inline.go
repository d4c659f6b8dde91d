package vm

import (
	"bytes"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
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

// inliner makes the inlined programs of a routine, for all threads.
type inliner struct {
	engine  *Engine
	program *ir.Program
	lanes   atomic.Int64 // that threads have run so far, up to inlineAfter
	once    sync.Once
	sites   []imageSite
	first   []int // by operation: the first one that is the same, for the same images
	mu      sync.Mutex
	made    []inlined
}

// imageSite is what an image operation is used with: an element of a descriptor array that all
// lanes of a batch share and that is known before it runs, or each of a short array; and a
// constant level. It is not known where instructions differ in the sampler or the level, or
// those are something else.
type imageSite struct {
	known, used bool
	each        bool // instructions name elements of their own
	own         bool // the sampler is the image's, of a combined descriptor
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
		for i := range p.Insts {
			if in := &p.Insts[i]; in.Op == ir.OpImage {
				n.sites[in.Imm].add(p, in)
			}
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
		site.each = true
	}
	behind := 1 + op.Coords // the image's element and coordinates
	switch {
	case op.Sampler >= 0 && op.Sampler == op.Image && len(in.More) > 1 && in.More[0] == in.More[1]:
		site.own = true
	case op.Sampler >= 0:
		site.sampler, site.known = find(1)
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
		site.each = site.each || s.each || site.image != s.image
		same := site.own == s.own && site.sampler == s.sampler && site.level == s.level
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
	maxLanes  int
	bound     []boundSite
	sites     []texel.Site // what the program is made from
	threads   map[*routine]exec.Thread
	thread    exec.Thread // for what is bound; nil: none
	ctx       exec.Context
	resources [][]exec.Descriptor
}

// boundSite is what is bound of an operation: the descriptor that all lanes share, or those of its
// array's elements.
type boundSite struct {
	images []boundImage
	params []byte
	memory []exec.Descriptor
	block  [1]exec.Descriptor // of params
}

// boundImage is what an element of a site is.
type boundImage struct {
	view    *resource.ImageView
	texels  *resource.BufferView
	sampler *resource.Sampler
	plan    *texel.Inlined // nil where there was never one
	made    bool           // it is that of the descriptor
}

// is says that an image is that of a descriptor, which it is from now on.
func (x *boundImage) is(d *exec.Descriptor) bool {
	if x.view == d.View && x.texels == d.Texel && x.sampler == d.Sampler {
		return true
	}
	x.view, x.texels, x.sampler, x.made = d.View, d.Texel, d.Sampler, false
	return false
}

// bind looks at the descriptors of a site, and says whether they are those of the last time. A
// longer array than programs are inlined for has none.
func (x *boundSite) bind(t *thread, op *ir.ImageOp, site *imageSite) bool {
	list, n := t.Elements(int64(op.Image)), 1
	if site.each {
		if n = len(list); n > texel.MaxElements {
			n = 0
		}
	}
	same := n == len(x.images)
	for len(x.images) < n {
		x.images = append(x.images, boundImage{})
	}
	x.images = x.images[:n]
	shared := op.Sampler >= 0 && !site.own
	var sampler *resource.Sampler
	if shared {
		sampler = t.descriptor(int64(op.Sampler), site.sampler.of(t)).Sampler
	}
	for i := range x.images {
		d := exec.Descriptor{}
		if site.each {
			d = list[i]
		} else {
			d = t.descriptor(int64(op.Image), site.image.of(t))
		}
		if shared {
			d.Sampler = sampler
		}
		same = x.images[i].is(&d) && same
	}
	return same
}

// ready returns the thread to run a batch instead of t, with the context, nil where t is to
// run it.
func (s *inlineState) ready(t *thread, ctx *exec.Context, b *exec.Batch) exec.Thread {
	if s.n.lanes.Load() < inlineAfter {
		s.n.lanes.Add(max(int64(b.N), t.images.ran))
		t.images.ran = 0
		return nil
	}
	if ctx.Sparse != nil || ctx.Images != nil {
		return nil
	}
	sites, p := s.n.find(), s.n.program
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
	for i, first := range s.n.first {
		x := &s.bound[first]
		if first == i {
			x.place()
		}
		s.resources = append(s.resources, x.memory, x.block[:])
	}
	s.ctx.Resources = s.resources
	return s.thread
}

// place finds the memory of images and of their parameters.
func (x *boundSite) place() {
	for i := range x.memory {
		if im := &x.images[i]; im.made {
			x.memory[i].Data = im.plan.Memory()
		}
	}
	x.block[0].Data = x.params
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
			s.bound[i].keys(site, &s.n.program.ImageOps[i], s.n.sites[i].level)
		}
		if len(site.Keys) == 0 {
			site.Each = false
			continue
		}
		some = true
		for k := 0; k < i && s.n.first[i] == i && site.Same == i; k++ {
			o := &s.sites[k]
			if s.n.first[k] == k && len(o.Keys) > 0 && o.Each == site.Each &&
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
	}
}

// keys finds those of what is bound to a site of an operation, and its parameters.
func (x *boundSite) keys(to *texel.Site, op *ir.ImageOp, level uint32) {
	x.params, x.memory = x.params[:0], x.memory[:0]
	if texel.Asks(op) {
		for i := range x.images {
			x.params = texel.Answers(x.params, op, x.images[i].view, x.images[i].texels)
		}
		if len(x.images) > 0 {
			to.Keys = append(to.Keys, texel.Key{Kind: texel.Query})
		}
		return
	}
	for i := range x.images {
		im := &x.images[i]
		x.memory = append(x.memory, exec.Descriptor{})
		at := len(x.params)
		x.params = append(x.params, make([]byte, 4*texel.ParamWords)...)
		if im.plan == nil {
			im.plan = new(texel.Inlined)
		}
		if im.made = im.find(op); !im.made {
			continue
		}
		k := im.plan.Key
		k.Each = to.Each
		group := slices.Index(to.Keys, k)
		if group < 0 && len(to.Keys) < texel.MaxKeys && (len(to.Keys) == 0 || !sampling.Derives(op)) {
			group, to.Keys = len(to.Keys), append(to.Keys, k)
		}
		if im.made = group >= 0; im.made {
			copy(x.params[at:], im.plan.Params(level))
			texel.PutGroup(x.params[at:], group+1)
		}
	}
}

// find finds the access of an image; false where there is none.
func (x *boundImage) find(op *ir.ImageOp) bool {
	if op.Dim == ir.DimBuffer {
		return x.plan.FindBuffer(op, x.texels)
	}
	return x.plan.Find(op, x.view, x.sampler) && len(x.plan.Memory()) <= math.MaxInt32
}

// end forgets what belongs to a batch.
func (s *inlineState) end() {
	s.ctx = exec.Context{}
	clear(s.resources)
	for i := range s.bound {
		clear(s.bound[i].memory)
	}
}
