package vm

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// What package native makes machine code of, and what it needs of a thread.

// lent is the kind as that package knows it; of some others the order counts.
func lent(k native.Kind) native.Kind {
	switch k {
	case kindAtomicBuffer, kindAtomicShared:
		return native.KindAtomicMem
	case kindWriteU, kindBarrier, kindPrint, kindTrace, kindEmit, kindImage:
		return native.KindOrdered
	}
	if k >= native.KindCount {
		return native.KindOther
	}
	return k
}

// lend puts an instruction on a list for package native.
func (c *compiler) lend(l *native.List, at int) {
	in := &c.code[at]
	out := native.Inst{Kind: lent(in.kind), Op: in.op, M: in.m, D: in.d, A: in.a, B: in.b, C: in.c,
		To: in.to, Imm: in.imm, From: int32(at + 1)}
	if in.kind == kindImage && c.p.ImageOps[c.r.aux[in.c].image].Rest {
		x := &l.Operands[in.c]
		out.Kind, x.Image = native.KindImage, int(in.c)
		out.Imm = int64(lane.Mask(c.p.ImageOps[c.r.aux[in.c].image].Writes()))
	}
	switch in.kind {
	case kindAtomicBuffer, kindAtomicShared:
		m := ir.Mem{Space: ir.MemShared, Log: 2, Atomic: ir.AtomicOp(in.op)}
		if in.kind == kindAtomicBuffer {
			m.Space, m.Resource = ir.MemBuffer, uint32(in.imm)
		}
		out.Imm, out.A = int64(m.Imm()), native.AtomicOfWords
	}
	if out.Kind <= native.KindOrdered {
		var x native.Operands
		c.lanes(int32(at), func(r *int32, result bool) {
			if result {
				x.Results = append(x.Results, *r)
			} else {
				x.Args = append(x.Args, *r)
			}
		})
		out.C = int32(len(l.Operands))
		l.Operands = append(l.Operands, x)
	}
	l.Code[at] = out
}

// divide replaces the ranges of the code that machine code can run by one instruction
// each.
func (c *compiler) divide() {
	l := native.List{
		Program: c.p, Code: slices.Grow(c.s.lent[:0], len(c.code))[:len(c.code)],
		Operands: make([]native.Operands, len(c.r.aux), len(c.r.aux)+8),
		Consts:   c.r.consts, Clears: c.r.clears, Loops: c.loops, Lanes: c.virtual, Masks: int32(c.r.masks), Places: c.r.places,
	}
	for i := range c.r.aux {
		l.Operands[i] = native.Operands{Args: c.r.aux[i].args, Results: c.r.aux[i].results}
	}
	for i := range c.code {
		c.lend(&l, i)
	}
	loops := slices.Clone(c.loops) // whose memory Divide takes for those that are left
	c.r.unit = native.Divide(&l, c.r.vectors)
	c.tellLeft(l.Left, loops)
	if c.s.lent = l.Code; c.r.unit == nil {
		return
	}
	code := make([]instr, len(l.Code))
	var lanes []int32
	for i := range code {
		switch in := &l.Code[i]; {
		case in.Kind == native.KindBlock:
			x := &l.Operands[in.C]
			c.r.aux = append(c.r.aux, auxiliary{args: x.Args, results: x.Results})
			code[i] = instr{kind: native.KindBlock, m: in.M, c: int32(len(c.r.aux) - 1), imm: in.Imm}
		case in.From > 0:
			code[i] = c.code[in.From-1]
			code[i].to = in.To
			if k := code[i].kind; native.KindPixel <= k && k <= native.KindStoreTexel {
				c.r.placed.loops = true
			}
			lanes = lanes[:0]
			in.LanesIn(l.Operands, func(r *int32, _ bool) { lanes = append(lanes, *r) })
			n := 0
			c.r.lanesIn(&code[i], func(r *int32, _ bool) { *r = lanes[n]; n++ })
		default: // a constant that others have in another register
			code[i] = instr{kind: native.KindBroadcast, m: in.M, d: in.D, a: in.A}
		}
	}
	// whose memory is the next program's
	c.code, c.virtual, c.loops = append(c.code[:0], code...), l.Lanes, l.Loops
}

// settleRows tells blocks where their registers have gone.
func (c *compiler) settleRows() {
	for i := range c.code {
		if in := &c.code[i]; in.kind == native.KindBlock {
			x := &c.r.aux[in.c]
			c.r.unit.Settle(in.imm, x.args, x.results)
		}
	}
}

// block runs a block; false when the fuel is spent or the batch stopped.
func (t *thread) block(in *instr) bool {
	fuel := native.Fuel{Left: t.left, Stop: t.ctx.Stop}
	on := t.native.Run(in.imm, t, &fuel)
	t.left, t.stopped, t.spent = fuel.Left, fuel.Stopped, fuel.Loop
	return on
}

// Elements implements native.Host.
func (t *thread) Elements(resource int64) []exec.Descriptor {
	if resource >= int64(len(t.ctx.Resources)) {
		return nil
	}
	return t.ctx.Resources[resource]
}

// Mask implements native.Host.
func (t *thread) Mask(m int32) []uint32 { return t.maskWords(m) }

// Live implements native.Host.
func (t *thread) Live(written bool) []uint32 {
	if t.live.state == maskFull && !written {
		return t.ones
	}
	w := t.liveWords()
	if written {
		t.live.state = maskMixed
	}
	return w
}

// Image implements native.Host.
func (t *thread) Image(number int, rows [][ir.PlaceLanes]uint32, lanes, active uint16) {
	x := &t.r.aux[number]
	op := &t.r.program.ImageOps[x.image]
	given := rows[:len(x.args)-1]
	next := func() []uint32 {
		if len(given) == 0 {
			return nil
		}
		row := &given[0]
		given = given[1:]
		return row[:]
	}
	var elements [2][]uint32
	element := x.elements.of(t.s, &elements, next)
	a := &t.images.args
	*a = sampling.Args{Op: op, Quads: t.r.program.HasQuads()}
	a.Spread(next)
	for i := range x.results {
		a.Out[i] = rows[len(x.args)-1+i][:]
	}
	var masks [2][]uint32
	for i, bits := range [2]uint16{lanes, active} {
		masks[i] = t.images.strips[i][:]
		for l := range masks[i] {
			masks[i][l] = -(uint32(bits) >> l & 1)
		}
	}
	if active == 1<<ir.PlaceLanes-1 {
		masks[1] = nil
	}
	t.images.site = x.image
	n := t.n
	t.n = ir.PlaceLanes
	if x.elements.varying > 0 {
		eachDescriptor(t, a, masks[1], masks[0], elements, element)
	} else {
		t.imageGroup(a, masks[1], masks[0], element)
	}
	t.n = n
}

// Refused is native.Refused.
func Refused() error { return native.Refused() }
