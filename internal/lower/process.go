package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// imageProcess lowers the instructions of VK_QCOM_image_processing and of
// VK_QCOM_image_processing2.
func (c *compiler) imageProcess(in *spirv.Inst) {
	kind, coord, block, t := ir.ImageBlockMatch, 3, 4, ir.I32
	switch in.Op {
	case spirv.OpImageSampleWeightedQCOM:
		kind, t = ir.ImageWeighted, ir.F32
	case spirv.OpImageBoxFilterQCOM:
		kind, block, t = ir.ImageBoxFilter, 2, ir.F32
	}
	u := c.begin(c.handle(in.ID(0)), kind, true)
	c.coordinates(u, in.ID(1), t, false)
	if kind.Takes2() {
		h := c.handle(in.ID(2))
		if h.image < 0 {
			c.fail("<id> %d is not an image", in.ID(2))
		}
		u.op.Second = h.image
		u.more = append(u.more, h.imageElem)
	}
	switch in.Op {
	case spirv.OpImageBlockMatchWindowSSDQCOM, spirv.OpImageBlockMatchWindowSADQCOM:
		u.op.Match = ir.MatchWindow
	case spirv.OpImageBlockMatchGatherSSDQCOM, spirv.OpImageBlockMatchGatherSADQCOM:
		u.op.Match = ir.MatchGather
	}
	switch in.Op {
	case spirv.OpImageBlockMatchSADQCOM, spirv.OpImageBlockMatchWindowSADQCOM, spirv.OpImageBlockMatchGatherSADQCOM:
		u.op.SAD = true
	}
	// IMG-185, IMG-187, IMG-188: constants are told of.
	if kind == ir.ImageBlockMatch {
		u.site.Reference, u.site.Placed = c.constants2(u, in.ID(coord), ir.I32)
	}
	if kind != ir.ImageWeighted {
		u.site.Size, u.site.Sized = c.constants2(u, in.ID(block), t)
	}
	c.setScalars(c.finish(u, u.texelType(), 4))
}

// constants2 adds an operand of two scalars, and gives their bits where both are constants.
func (c *compiler) constants2(u *imageUse, id spirv.ID, t ir.Type) (bits [2]uint32, ok bool) {
	v := c.typed(id, 2, t)
	u.more = append(u.more, v...)
	x, okX := c.b.Constant(v[0])
	y, okY := c.b.Constant(v[1])
	return [2]uint32{x, y}, okX && okY
}

// imageFootprint lowers OpImageSampleFootprintNV to one instruction for each part
// of its result: single, anchor, offset, mask, lod, granularity.
func (c *compiler) imageFootprint(in *spirv.Inst) {
	explicit := false
	if len(in.Operands) > 4 {
		explicit = spirv.ImageOperands(in.Operands[4])&(spirv.ImageOperandsLod|spirv.ImageOperandsGrad) != 0
	}
	granularity, coarse := c.constScalar(in.ID(2)), c.constScalar(in.ID(3)) != 0
	var s [3][]ir.Value
	dims := 2
	for part := range s {
		u := c.begin(c.handle(in.ID(0)), ir.ImageFootprint, true)
		c.coordinates(u, in.ID(1), ir.F32, false)
		if u.op.Dim == ir.Dim3D {
			dims = 3
		}
		u.op.Granularity, u.op.Coarse, u.op.Part = uint8(min(granularity, 255)), coarse, ir.FootprintPart(part)
		u.op.Result = ir.ClassUint
		if c.operands(u, in, 4, !explicit) != 0 {
			c.fail("ConstOffsets on a footprint")
		}
		s[part] = c.finish(u, ir.I32, 4)
	}
	out := []ir.Value{c.b.Op(ir.OpINe, ir.Bool, s[0][3], c.b.I32(0))}
	out = append(out, s[0][:dims]...)
	out = append(out, s[1][:dims]...)
	c.setScalars(append(out, s[2][0], s[2][1], s[1][3], s[2][2]))
}

// gatherModes is IMG-522: the texels of OpImageGatherQCOM's modes, from the origin
// of LINEAR filtering or, for the first two, of NEAREST.
var gatherModes = [4][4][2]int32{
	{{0, 0}, {1, 0}, {2, 0}, {3, 0}},   // Gather4x1QCOM
	{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}, // GatherDQCOM
	{{-1, 1}, {2, 1}, {2, 0}, {-1, 0}}, // GatherH2QCOM
	{{0, 2}, {1, 2}, {1, -1}, {0, -1}}, // GatherV2QCOM
}

// imageGatherMode lowers OpImageGatherQCOM to a gather for each texel, whose last
// component is the one at its offset.
//
// IMG-884
func (c *compiler) imageGatherMode(in *spirv.Inst) {
	comp, mode := c.constScalar(in.ID(2)), c.constScalar(in.ID(3))
	if comp > 3 || mode >= uint32(len(gatherModes)) {
		c.fail("gather of component %d in mode %d", comp, mode)
	}
	var out []ir.Value
	for _, at := range gatherModes[mode] {
		u := c.begin(c.handle(in.ID(0)), ir.ImageGather, true)
		c.coordinates(u, in.ID(1), ir.F32, false)
		u.op.GatherComp, u.op.NearestOrigin = uint8(comp), mode < 2
		if c.operands(u, in, 4, false) != 0 {
			c.fail("ConstOffsets on OpImageGatherQCOM")
		}
		switch {
		case u.op.HasOffset:
			for d := range 2 {
				k := len(u.more) - u.op.GradCoords + d
				u.more[k] = c.b.Op(ir.OpIAdd, ir.I32, u.more[k], c.b.I32(uint32(at[d])))
			}
		default:
			u.op.HasOffset = true
			u.more = append(u.more, c.b.I32(uint32(at[0])), c.b.I32(uint32(at[1])))
		}
		out = append(out, c.finish(u, u.texelType(), 4)[3])
	}
	c.setScalars(out)
}
