package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// tileImage is the resource of an attachment that a fragment shader reads, made on
// first use: n colour attachments from a location on, depth or stencil.
func (c *compiler) tileImage(binding, n uint32) int {
	if c.p.Stage != ir.StageFragment {
		c.fail("a tile image outside a fragment shader")
	}
	for i, r := range c.p.Resources {
		if r.Kind == ir.TileImage && r.Binding == binding && r.Count >= n {
			return i
		}
	}
	c.p.Resources = append(c.p.Resources, ir.Resource{Kind: ir.TileImage, Binding: binding, Count: n, ReadOnly: true, Name: "tile image"})
	return len(c.p.Resources) - 1
}

// tileVariable makes the pointer of a variable in storage class TileImageEXT.
func (c *compiler) tileVariable(in *spirv.Inst) *pointer {
	t := c.typ(in.Type).Elem
	p := &pointer{t: t, dyn: ir.NoValue, elem: c.b.I32(0), space: spaceHandle, compStride: 4}
	location := uint32(0)
	if d, ok := c.m.Decoration(in.Result, spirv.DecorationLocation); ok && len(d) == 1 {
		location = d[0]
	}
	n := uint32(1)
	if t.Kind == spirv.KindArray {
		n, p.arrayed = c.parts(t), true
	}
	if location+n > ir.MaxTileColors || location > ir.MaxTileColors {
		c.fail("tile images at locations %d+%d; %d are supported", location, n, ir.MaxTileColors)
	}
	p.res = c.tileImage(location, n)
	return p
}

// tileRead reads an attachment at the invocation's own pixel, layer and sample.
//
// RAS-312 fragops-shader-tileimage-reads
func (c *compiler) tileRead(in *spirv.Inst) {
	u, sample := &imageUse{}, 0
	u.op = ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D, Arrayed: true, MS: true, Sampler: -1, Lod: ir.LodZero, Coords: 3, GradCoords: 2, HasSample: true}
	switch in.Op {
	case spirv.OpColorAttachmentReadEXT:
		h := c.handle(in.ID(0))
		if h.image < 0 {
			c.fail("the operand is not an image")
		}
		u.op.Image, sample = h.image, 1
		u.op.Result = classOf(h.t.Image.Sampled)
		u.more = append(u.more, h.imageElem)
	case spirv.OpDepthAttachmentReadEXT:
		u.op.Image, u.op.Result = c.tileImage(ir.TileDepth, 1), ir.ClassFloat
		u.more = append(u.more, c.b.I32(0))
	default:
		u.op.Image, u.op.Result = c.tileImage(ir.TileStencil, 1), ir.ClassUint
		u.more = append(u.more, c.b.I32(0))
	}
	at := c.fragment()
	u.more = append(u.more, at[:]...)
	if id := in.ID(sample); id != 0 {
		u.more = append(u.more, c.intScalar(id))
	} else {
		u.more = append(u.more, c.b.I32(0))
	}
	c.setScalars(c.finish(u, u.texelType(), 4)[:len(c.flat(c.typ(in.Type)))])
}

// classOf is the class of texels of a sampled type.
func classOf(t *spirv.Type) ir.Class {
	switch {
	case t.Kind != spirv.KindInt:
		return ir.ClassFloat
	case t.Signed:
		return ir.ClassSint
	}
	return ir.ClassUint
}
