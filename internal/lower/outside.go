package lower

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// outside has the program find out whether an access to scalars of what p points to lies outside of its descriptor
// (Options.Outside).
func (c *compiler) outside(p *pointer, refs []scalarRef, writes bool) {
	if !c.opt.Outside || p.space != spaceBuffer || len(refs) == 0 || c.p.Resources[p.res].Heap {
		return
	}
	if _, constant := c.b.Constant(p.elem); constant && p.dyn == ir.NoValue {
		return
	}
	first, end := uint32(math.MaxUint32), uint32(0)
	for _, r := range refs {
		width := uint32(4)
		if r.bytes != 0 {
			width = 1 << narrowLog(r.bytes)
		}
		first, end = min(first, r.off), max(end, r.off+width)
	}
	size := c.b.OpImm(ir.OpBufferSize, ir.I32, uint64(p.res), p.elem)
	c.tellOutside(&ir.Outside{Resource: p.res, Size: end - first, Writes: writes}, p.elem, c.address(p, first), size)
}

// texelOutside is outside for an access to a texel buffer.
func (c *compiler) texelOutside(h *handle, coordinate ir.Value, writes bool) {
	if !c.opt.Outside || h.t == nil || h.t.Image.Dim != spirv.DimBuffer || c.p.Resources[h.image].Heap {
		return
	}
	collect := c.collect
	c.collect = nil
	size := c.finish(c.begin(h, ir.ImageQuerySize, false), ir.I32, 1)[0]
	c.collect = collect
	c.tellOutside(&ir.Outside{Resource: h.image, Size: 1, Writes: writes}, h.imageElem, coordinate, size)
}

// tellOutside tells of an access from at on where it leaves size.
func (c *compiler) tellOutside(o *ir.Outside, element, at, size ir.Value) {
	c.outsides++
	if c.outsides > maxOutsides {
		return
	}
	n := c.b.I32(o.Size)
	leaves := c.b.Op(ir.OpOr, ir.Bool, c.b.Op(ir.OpULt, ir.Bool, size, n), c.b.Op(ir.OpULt, ir.Bool, c.b.Op(ir.OpISub, ir.I32, size, n), at))
	c.b.If(leaves, func() {
		word := ir.PrintArg{Kind: ir.PrintUint, Count: 1}
		c.p.Prints = append(c.p.Prints, ir.Print{Args: []ir.PrintArg{word, word, word}, Source: ir.Source{File: c.m.String(c.inst.Line.File), Line: c.inst.Line.Line}, Outside: o})
		c.b.OpMore(ir.OpPrint, ir.Void, uint64(len(c.p.Prints)-1), []ir.Value{element, at, size})
	}, nil)
}

// maxOutsides bounds what Options.Outside adds to a program: more accesses are not looked at.
const maxOutsides = 4096
