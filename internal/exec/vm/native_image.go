//go:build amd64 || arm64

package vm

import (
	"unsafe"

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

// imageRow is the bytes of a row of lanes of such an instruction, of which a strip may be less.
const imageRow = 4 * ir.PlaceLanes

// rows makes room for n rows in the frame.
func (e *layout) rows(n int) int {
	e.slots = (e.slots + imageRow - 1) &^ (imageRow - 1)
	at := e.slots
	e.slots += int32(imageRow * n)
	return int(at)
}

// serveImage does the lanes of an image instruction that machine code has left.
func (t *thread) serveImage() {
	f := t.native.frame
	x := &t.r.aux[f[frameServeOp/8]]
	op, at := &t.r.program.ImageOps[x.image], f[frameServeRows/8]
	next := func() []uint32 {
		row := (*[ir.PlaceLanes]uint32)(unsafe.Pointer(&f[at/8]))
		at += imageRow
		return row[:]
	}
	a := &t.images.args
	*a = sampling.Args{Op: op, Quads: t.r.program.HasQuads()}
	a.Spread(next)
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
