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
	if kind == ir.ImageBlockMatch {
		u.more = append(u.more, c.typed(in.ID(coord), 2, ir.I32)...)
	}
	if kind != ir.ImageWeighted {
		u.more = append(u.more, c.typed(in.ID(block), 2, t)...)
	}
	c.setScalars(c.finish(u, u.texelType(), 4))
}
