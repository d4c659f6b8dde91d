package icd

import "github.com/pumice-gpu/pumice/driver/internal/abi"

// Commands of extensions whose features are off: the extensions have them, and
// pipelines that could use what they set cannot be made.

// CmdSetRasterizationStreamEXT is vkCmdSetRasterizationStreamEXT.
func (r *Recorder) CmdSetRasterizationStreamEXT(*abi.CmdSetRasterizationStreamEXT) {
	r.core.Misuse("vkCmdSetRasterizationStreamEXT", "vkCmdSetRasterizationStreamEXT-None-09423", "extendedDynamicState3RasterizationStream is off")
}
