package vm

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// restOfLanes says whether a block may hold an image instruction: one for the few lanes that a routine in
// its place has left, of descriptors that are known before the batch. It leaves the block where there are any.
func (c *compiler) restOfLanes(in *instr) bool {
	x := &c.r.aux[in.c]
	for _, s := range x.elements.scalar {
		if int(s) >= len(c.consts) {
			return false
		}
	}
	return c.p.ImageOps[x.image].Rest
}

// rest writes such an instruction: operands and results have rows in the frame.
func (e *emitter) rest(in *instr) {
	x := &e.r.aux[in.c]
	k := e.executes(in.m)
	e.KAND(maskStep2, e.maskIn(x.args[len(x.args)-1], maskStep3), k)
	out, on := e.NewLabel(), e.NewLabel()
	e.KTEST(maskStep2, maskStep2)
	e.JIf(amd64.IfNotZero, out)
	e.Here(on)
	rows := e.rows(len(x.args) + len(x.results))
	e.outOfLine(func() {
		e.Here(out)
		back := e.NewLabel()
		e.KTO(amd64.RAX, maskStep2)
		e.MOVQStore(amd64.M(regFrame, frameServeMask), amd64.RAX)
		e.KTO(amd64.RAX, k)
		e.MOVQStore(amd64.M(regFrame, frameServeActive), amd64.RAX)
		e.MOVLImmStore(amd64.M(regFrame, frameServeOp), uint32(in.c))
		e.MOVLImmStore(amd64.M(regFrame, frameServeRows), uint32(rows))
		given := x.args[:len(x.args)-1]
		for i, v := range given {
			e.Mov1(amd64.VMOVDQUTo, e.in(e.arg(v), scratch0), amd64.M(regFrame, rows+laneBytes*i))
		}
		for i, v := range x.results {
			e.Mov1(amd64.VMOVDQUTo, e.in(e.arg(v), scratch0), amd64.M(regFrame, rows+laneBytes*(len(given)+i)))
		}
		e.leave(exitServeImage, back)
		e.Here(back)
		for i, v := range x.results {
			z := e.to(v)
			e.Mov1(amd64.VMOVDQU, z, amd64.M(regFrame, rows+laneBytes*(len(given)+i)))
			e.put(v, z)
		}
		e.JMP(on)
	})
}

// rows makes room for n rows in the frame.
func (e *emitter) rows(n int) int {
	e.slots = (e.slots + laneBytes - 1) &^ (laneBytes - 1)
	at := e.slots
	e.slots += int32(laneBytes * n)
	return int(at)
}

// serveImage does the lanes of an image instruction that machine code has left.
func (t *thread) serveImage() {
	f := t.native.frame
	x := &t.r.aux[f[frameServeOp/8]]
	op, at := &t.r.program.ImageOps[x.image], f[frameServeRows/8]
	next := func() []uint32 {
		row := (*[ir.PlaceLanes]uint32)(unsafe.Pointer(&f[at/8]))
		at += laneBytes
		return row[:]
	}
	a := &t.images.args
	*a = sampling.Args{Op: op, Quads: hasQuads(t.r.program)}
	distribute(op, a, next)
	for i := range x.results {
		a.Out[i] = next()
	}
	var masks [2][]uint32
	for i, word := range [2]int{frameServeMask, frameServeActive} {
		masks[i] = t.images.strips[i][:]
		for l := range masks[i] {
			masks[i][l] = -(uint32(f[word/8]) >> l & 1)
		}
	}
	if uint16(f[frameServeActive/8]) == 1<<ir.PlaceLanes-1 {
		masks[1] = nil
	}
	t.images.site = x.image
	n := t.n
	t.n = ir.PlaceLanes
	t.imageGroup(op, a, masks[1], masks[0], [2]uint32{t.s[x.elements.scalar[0]], t.s[x.elements.scalar[1]]})
	t.n = n
}
