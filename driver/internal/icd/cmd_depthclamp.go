package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// depthClampRange is nil where the viewports' ranges are clamped to.
func depthClampRange(mode vk.DepthClampModeEXT, r *abi.DepthClampRangeEXT) *[2]float32 {
	if mode != vk.DepthClampModeUserDefinedRangeEXT || r == nil {
		return nil
	}
	return &[2]float32{r.MinDepthClamp, r.MaxDepthClamp}
}

// CmdSetDepthClampRangeEXT is vkCmdSetDepthClampRangeEXT.
func (r *Recorder) CmdSetDepthClampRangeEXT(c *abi.CmdSetDepthClampRangeEXT) {
	r.core.SetDepthClampRange(depthClampRange(c.DepthClampMode, c.PDepthClampRange))
}
