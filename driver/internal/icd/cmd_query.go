package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
)

// CmdBeginQuery is vkCmdBeginQuery. Occlusion queries are always precise.
func (r *Recorder) CmdBeginQuery(c *abi.CmdBeginQuery) {
	r.core.BeginQuery(r.queryPool(c.QueryPool), int(c.Query))
}

// CmdEndQuery is vkCmdEndQuery.
func (r *Recorder) CmdEndQuery(c *abi.CmdEndQuery) {
	r.core.EndQuery(r.queryPool(c.QueryPool), int(c.Query))
}

// CmdResetQueryPool is vkCmdResetQueryPool.
func (r *Recorder) CmdResetQueryPool(c *abi.CmdResetQueryPool) {
	r.core.ResetQueries(r.queryPool(c.QueryPool), int(c.FirstQuery), int(c.QueryCount))
}

// CmdWriteTimestamp is vkCmdWriteTimestamp. Commands run one after the other, so
// that the stage makes no difference.
func (r *Recorder) CmdWriteTimestamp(c *abi.CmdWriteTimestamp) {
	r.core.WriteTimestamp(r.queryPool(c.QueryPool), int(c.Query))
}

// CmdWriteTimestamp2 is vkCmdWriteTimestamp2.
func (r *Recorder) CmdWriteTimestamp2(c *abi.CmdWriteTimestamp2) {
	r.core.WriteTimestamp(r.queryPool(c.QueryPool), int(c.Query))
}

// CmdCopyQueryPoolResults is vkCmdCopyQueryPoolResults.
func (r *Recorder) CmdCopyQueryPoolResults(c *abi.CmdCopyQueryPoolResults) {
	r.core.CopyQueryResults(r.queryPool(c.QueryPool), int(c.FirstQuery), int(c.QueryCount), r.buffer(c.DstBuffer), c.DstOffset, c.Stride, c.Flags)
}
