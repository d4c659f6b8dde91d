package vm

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// imageState is what a thread needs for image instructions.
type imageState struct {
	args  sampling.Args
	unit  *texel.Unit
	site  int      // index of the image operation being run
	ran   int64    // instructions since a batch counted them, see inlineAfter
	group []uint32 // lanes of one descriptor
	pass  []uint32 // lanes of one pass over descriptors
	quads []uint32 // lanes of one pass over partial quads
	// strips are the lanes of a strip of machine code that an instruction is for, and those that are
	// active.
	strips [2][ir.PlaceLanes]uint32
	coord  [4][]uint32                 // coordinates with inactive lanes filled
	lane   [4 + mostOperands][4]uint32 // results and operands of an instruction that runs in one lane
	blocks *format.BlockCache
	codes  *format.CodeCache
	chosen []*chosen    // by site, nil before the first
	each   *texel.Each  // of the present call; nil: it is for lanes of one descriptor
	batch  uint64       // number of the present batch
	learns *inlineState // is told of elements; nil: nobody is
}

// mostOperands is how many words a lane has of the operands of an instruction that reads or writes.
const mostOperands = 16

func (s *imageState) init(r *routine, n int) {
	if len(r.program.ImageOps) == 0 {
		return
	}
	s.unit = &texel.Unit{Engine: r.texels}
	n = max(n, ir.PlaceLanes) // a strip of machine code
	s.unit.Sites(len(r.program.ImageOps), n)
	s.group, s.pass, s.quads = make([]uint32, n), make([]uint32, n), make([]uint32, n)
	for i := range s.coord {
		s.coord[i] = make([]uint32, n)
	}
}

// imageOperands is the compiled form of an image instruction's descriptor
// elements: scalar registers, or where varying lane registers in the first
// places of auxiliary.args.
type imageOperands struct {
	scalar  [2]int32 // -1 where varying
	varying int      // how many stand in args
	second  int32    // scalar register of a second image's element
}

// imageInst compiles OpImage.
func (c *compiler) imageInst(v ir.Value, in *ir.Inst) {
	op := &c.p.ImageOps[in.Imm]
	elements := 1
	if op.Sampler >= 0 {
		elements = 2
	}
	if len(in.More) < elements+op.Coords {
		c.fail(v, "an image instruction without its operands")
		return
	}
	if c.uniform(v) {
		c.ask(v, in, elements, kindAsk)
		return
	}
	varies := func(a ir.Value) bool { return !c.uniform(a) }
	if op.Kind == ir.ImageWrite && !op.Rest && !slices.ContainsFunc(in.More, varies) {
		c.ask(v, in, elements, kindWriteU)
		return
	}
	at := c.auxiliary(v, &ir.Inst{}, max(op.Results, 1), int(in.Imm))
	x := auxiliary{image: int(in.Imm), results: c.r.aux[at].results}
	x.elements.scalar = [2]int32{-1, -1}
	more := in.More
	if op.Results == 0 && op.Rest {
		x.results = nil
	}
	if op.Rest { // results hold what other lanes have
		at := len(more) - op.Results
		for i, a := range more[at:] {
			c.emit(instr{kind: native.KindCopy, d: x.results[i], a: c.vector(a)})
		}
		more = more[:at]
	}
	for i, a := range more {
		switch {
		case op.Kind.Takes2() && i == elements+op.Coords:
			if !c.uniform(a) {
				c.fail(v, "a second image whose array index varies between lanes")
				return
			}
			x.elements.second = c.reg[a]
		case i < elements && c.uniform(a) && !(op.Rest && c.p.Insts[a].Op != ir.OpConst):
			// Machine code has others in rows.
			x.elements.scalar[i] = c.reg[a]
		case i < elements:
			x.args = append(x.args, c.vector(a))
			x.elements.varying++
		case op.Kind == ir.ImageSample || op.Kind == ir.ImageGather:
			// Any NaN coordinate selects the same texels.
			x.args = append(x.args, c.vector(a))
		default:
			x.args = append(x.args, c.visible(a))
		}
	}
	if op.Sampler < 0 || op.Sampler == op.Image && in.More[0] == in.More[1] {
		// The sampler's element, if any, is the image's.
		if x.elements.varying == 2 {
			x.args = x.args[1:]
			x.elements.varying = 1
		}
		x.elements.scalar[1] = x.elements.scalar[0]
	}
	c.r.aux[at] = x
	c.emit(instr{kind: kindImage, c: at})
}

// ask compiles an instruction that all lanes do alike: its operands are scalar registers.
func (c *compiler) ask(v ir.Value, in *ir.Inst, elements int, k native.Kind) {
	op := &c.p.ImageOps[in.Imm]
	x := auxiliary{image: int(in.Imm)}
	for i, a := range in.More {
		switch {
		case i < elements:
			x.elements.scalar[i] = c.reg[a]
		case op.Kind == ir.ImageSample || op.Kind == ir.ImageGather: // as in imageInst
			x.args = append(x.args, c.reg[a])
		default:
			x.args = append(x.args, c.visibleScalar(a))
		}
	}
	for range max(op.Results, 1) {
		x.results = append(x.results, c.scalar())
	}
	c.reg[v], c.results[v] = x.results[0], x.results
	c.r.aux = append(c.r.aux, x)
	c.emit(instr{kind: k, c: int32(len(c.r.aux) - 1)})
}

// ask executes kindAsk and kindWriteU: it runs the instruction for one lane, or for a quad where it
// derives.
func (t *thread) ask(in *instr) {
	t.images.ran++
	x := &t.r.aux[in.c]
	op := &t.r.program.ImageOps[x.image]
	a, lane, n := &t.images.args, &t.images.lane, 1
	*a = sampling.Args{Op: op, Quads: t.r.program.HasQuads(), Sparse: t.ctx.Sparse}
	if a.Quads && sampling.Derives(op) {
		n = 4
	}
	row := 0
	next := func() []uint32 {
		row++
		return lane[row-1][:n]
	}
	for i := range x.results {
		a.Out[i] = next()
	}
	args := x.args
	a.Spread(func() []uint32 {
		if len(args) == 0 {
			return nil
		}
		s := next()
		fill(s, t.s[args[0]])
		args = args[1:]
		return s
	})
	element := [2]uint32{t.s[x.elements.scalar[0]], t.s[x.elements.scalar[1]]}
	if t.ctx.Images != nil {
		t.tellImages(in, element, [2][]uint32{})
	}
	t.images.site = x.image
	t.learn(element)
	d := t.descriptor(int64(op.Image), element[0])
	if op.Dim == ir.DimBuffer {
		sampling.RunBuffer(a, d.Texel, 0, n)
	} else {
		a.Blocks = t.images.blocks
		sampling.Run(a, d.View, t.sampler(op, &d, element), n)
		t.images.blocks = a.Blocks
	}
	for i, r := range x.results {
		t.s[r] = lane[i][0]
	}
}

// image executes kindImage: it lays the operands out for package sampling and
// runs it once for each descriptor that the lanes name.
func (t *thread) image(in *instr) {
	t.images.ran++
	x := &t.r.aux[in.c]
	op := &t.r.program.ImageOps[x.image]
	a := &t.images.args
	*a = sampling.Args{Op: op, Quads: t.r.program.HasQuads()}
	for i, r := range x.results {
		if i < len(a.Out) {
			a.Out[i] = t.v[r]
		}
	}
	if op.Kind == ir.ImageAtomic && !op.Rest { // 0 in helpers, as of atomics on buffers
		for _, r := range x.results {
			clear(t.v[r])
		}
	}
	args := x.args[x.elements.varying:]
	var left []uint32 // lanes that the instruction is for
	if op.Rest {
		args, left = args[:len(args)-1], t.v[args[len(args)-1]]
	}
	a.Spread(func() []uint32 {
		if len(args) == 0 {
			return nil
		}
		r := args[0]
		args = args[1:]
		return t.v[r]
	})
	if op.Kind.Takes2() {
		a.Second = t.descriptor(int64(op.Second), t.s[x.elements.second]).View
	}
	t.images.site = x.image

	full := t.m[in.m].state == maskFull
	var m []uint32
	switch {
	case op.Kind == ir.ImageWrite || op.Kind == ir.ImageAtomic:
		m = t.storeMask(in.m)
		full = full && t.live.state == maskFull
	case !full:
		m = t.maskWords(in.m)
	}
	if full {
		m = nil
	}
	element := [2]uint32{}
	if x.elements.varying == 0 {
		element[0] = t.s[x.elements.scalar[0]]
		if s := x.elements.scalar[1]; s >= 0 {
			element[1] = t.s[s]
		}
		if t.ctx.Images != nil {
			t.tellImages(in, element, [2][]uint32{})
		}
		t.learn(element)
		want := m
		if op.Rest {
			want = t.images.group[:t.n]
			copy(want, left)
			for i := range m {
				want[i] &= m[i]
			}
		}
		t.imageGroup(a, m, want, element)
		return
	}
	// Lanes may name different descriptors: run once for each.
	var lanes [2][]uint32
	next := 0
	element = x.elements.of(t.s, &lanes, func() []uint32 {
		next++
		return t.v[x.args[next-1]]
	})
	if t.ctx.Images != nil {
		t.tellImages(in, element, lanes)
	}
	todo := t.images.group[:t.n]
	if copy(todo, m) == 0 {
		copy(todo, t.ones)
	}
	for i := range left {
		todo[i] &= left[i]
	}
	counts := op.Kind == ir.ImageQueryLevels || op.Kind == ir.ImageQuerySamples
	if (op.Dim == ir.DimBuffer || counts) && !op.Residency && lanes[0] != nil {
		t.inRow(a, todo, lanes[0])
		return
	}
	if !op.Rest {
		t.choices(a, m, todo, lanes, element)
	}
	eachDescriptor(t, a, m, todo, lanes, element)
}

// of are the elements that all lanes share; rows of those that lanes have of their own go to lanes,
// as next gives them.
func (x *imageOperands) of(scalars []uint32, lanes *[2][]uint32,
	next func() []uint32) (element [2]uint32) {
	rows := 0
	for i, s := range x.scalar {
		if s < 0 && rows < x.varying {
			lanes[i] = next()
			rows++
		} else if s >= 0 {
			element[i] = scalars[s]
		}
	}
	if lanes[1] == nil && x.scalar[1] < 0 {
		lanes[1] = lanes[0]
	}
	return element
}

// eachDescriptor runs the lanes of todo, once for each of the descriptors that they name, and
// clears them; active is the execution mask, nil if all. Lanes that have no elements of their own
// have those of element.
func eachDescriptor(t *thread, a *sampling.Args, active, todo []uint32,
	lanes [2][]uint32, element [2]uint32) {
	pass := t.images.pass[:t.n]
	passes := 0
	for first := range todo {
		if todo[first] == 0 {
			continue
		}
		for k := range lanes {
			if lanes[k] != nil {
				element[k] = lanes[k][first]
			}
		}
		t.learn(element)
		same := func(i int) bool {
			return todo[i] != 0 && (lanes[0] == nil || lanes[0][i] == element[0]) &&
				(lanes[1] == nil || lanes[1][i] == element[1])
		}
		lo, hi := 0, t.n
		if passes++; passes > wholePasses {
			for lo, hi = first&^3, first|3+1; hi+4 <= t.n && same(hi) && same(hi+1) && same(hi+2) &&
				same(hi+3); {
				hi += 4
			}
			hi = min(hi, t.n)
		}
		for i := lo; i < hi; i++ {
			pass[i] = 0
			if same(i) {
				pass[i], todo[i] = ^uint32(0), 0
			}
		}
		if hi-lo == t.n {
			t.imageGroup(a, active, pass, element)
		} else {
			t.imageWindow(a, active, pass, element, lo, hi)
		}
	}
}

// wholePasses is how many descriptors are run over all lanes. The lanes of
// further ones are run quad by quad, which costs less than to look at all lanes
// for each.
const wholePasses = 4

// imageWindow is imageGroup on lanes lo to hi.
func (t *thread) imageWindow(a *sampling.Args, active, want []uint32,
	element [2]uint32, lo, hi int) {
	whole, n := *a, t.n
	a.Window(lo, hi)
	t.n = hi - lo
	if active != nil {
		active = active[lo:hi]
	}
	t.imageGroup(a, active, want[lo:hi], element)
	t.n, whole.Blocks = n, a.Blocks
	*a = whole
}

// imageGroup runs the lanes of want; active is the execution mask, nil if all.
func (t *thread) imageGroup(a *sampling.Args, active, want []uint32, element [2]uint32) {
	a.Mask = want
	if a.Quads && sampling.Derives(a.Op) && active != nil {
		t.partialQuads(a, active, want, element)
		return
	}
	t.imageCall(a, element)
}

// partialQuads keeps the rule of package ir for derivatives in quads that are
// active in part: an inactive lane contributes the coordinates of the lane that
// asks. Whole quads run together; of the others the first lanes of each quad
// run together, then the second ones, and so on.
//
// IMG-402, IMG-403
func (t *thread) partialQuads(a *sampling.Args, active, want []uint32, element [2]uint32) {
	original := a.Coord
	mask := t.images.quads[:t.n]
	for k := -1; k < 4; k++ {
		some := uint32(0)
		for q := 0; q+4 <= t.n; q += 4 {
			whole := active[q]&active[q+1]&active[q+2]&active[q+3] != 0
			for i := q; i < q+4; i++ {
				mask[i] = 0
				if whole == (k < 0) && (k < 0 || i == q+k) {
					mask[i] = want[i] & active[i]
				}
				some |= mask[i]
			}
		}
		if some == 0 {
			continue
		}
		if k >= 0 {
			for c := range original {
				if original[c] == nil {
					continue
				}
				from, to := original[c], t.images.coord[c][:t.n]
				for i := range to[:t.n&^3] { // whole quads, as above
					if to[i] = from[i]; active[i] == 0 {
						to[i] = from[i&^3+k]
					}
				}
				a.Coord[c] = to
			}
		}
		a.Mask = mask
		t.imageCall(a, element)
	}
	a.Coord = original
}

// imageCall runs an image instruction for lanes with one descriptor.
func (t *thread) imageCall(a *sampling.Args, element [2]uint32) {
	if t.images.each != nil {
		t.images.unit.RunEach(t.images.each, t.images.site, a, t.n)
		return
	}
	d := t.descriptor(int64(a.Op.Image), element[0])
	a.Sparse = t.ctx.Sparse
	if a.Op.Dim == ir.DimBuffer && !a.Op.Residency {
		sampling.RunBuffer(a, d.Texel, 0, t.n)
		return
	}
	s := t.sampler(a.Op, &d, element)
	switch {
	case a.Op.Residency:
		t.residency(a, &d, s)
	case t.ctx.Sparse != nil && (a.Op.Kind == ir.ImageWrite || a.Op.Kind == ir.ImageAtomic): // IMG-373
		sampling.Run(a, d.View, s, t.n)
	default:
		t.images.unit.Run(t.images.site, a, d.View, s, t.n)
	}
}

// tellImages tells exec.Context.Images of the image instruction of the live lanes of the mask;
// lanes are their elements where they have some of their own.
func (t *thread) tellImages(in *instr, element [2]uint32, lanes [2][]uint32) {
	x := &t.r.aux[in.c]
	all := [3]uint32{element[0], element[1]}
	op := &t.r.program.ImageOps[x.image]
	if op.Sampler < 0 {
		all[1], lanes[1] = 0, nil
	}
	if op.Kind.Takes2() {
		all[2] = t.s[x.elements.second]
	}
	told, last := false, all
	for i, on := range t.storeMask(in.m) {
		if on == 0 {
			continue
		}
		for k := range lanes {
			if lanes[k] != nil {
				all[k] = lanes[k][i]
			}
		}
		if !told || all != last {
			told, last = true, all
			t.ctx.Images(x.image, all)
		}
	}
}

// sampler is that of an instruction on an image with descriptor d.
func (t *thread) sampler(op *ir.ImageOp, d *exec.Descriptor, element [2]uint32) *resource.Sampler {
	if op.Sampler >= 0 && (op.Sampler != op.Image || element[1] != element[0]) {
		return t.descriptor(int64(op.Sampler), element[1]).Sampler
	}
	return d.Sampler
}

// residency gives the residency codes of an access: it reads lane by lane and looks
// which texels lack memory. What it reads is nobody's business.
//
// IMG-223, IMG-232, IMG-234, IMG-622
func (t *thread) residency(a *sampling.Args, d *exec.Descriptor, s *resource.Sampler) {
	mask, out := a.Mask, a.Out[0]
	lanes := out[:t.n]
	if t.ctx.Sparse == nil {
		clear(lanes)
		return
	}
	missing := false
	a.Missing, a.Mask = &missing, t.tmp[:t.n]
	clear(a.Mask)
	for i := range lanes {
		if mask != nil && mask[i] == 0 {
			continue
		}
		missing = false
		a.Mask[i] = ^uint32(0)
		if a.Op.Dim == ir.DimBuffer {
			sampling.RunBuffer(a, d.Texel, 0, t.n)
		} else {
			sampling.Run(a, d.View, s, t.n)
		}
		a.Mask[i] = 0
		if lanes[i] = 0; missing {
			lanes[i] = 1
		}
	}
	a.Missing, a.Mask = nil, mask
}
