package icd

import "github.com/pumice-gpu/pumice/driver/internal/abi"

// CmdWriteBufferMarkerAMD is vkCmdWriteBufferMarkerAMD. Commands run one after the
// other, so that the stage makes no difference.
func (r *Recorder) CmdWriteBufferMarkerAMD(c *abi.CmdWriteBufferMarkerAMD) {
	r.core.WriteMarker(r.buffer(c.DstBuffer), c.DstOffset, c.Marker)
}

// CmdWriteBufferMarker2AMD is vkCmdWriteBufferMarker2AMD.
func (r *Recorder) CmdWriteBufferMarker2AMD(c *abi.CmdWriteBufferMarker2AMD) {
	r.core.WriteMarker(r.buffer(c.DstBuffer), c.DstOffset, c.Marker)
}
