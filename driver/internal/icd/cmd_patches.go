package icd

import "github.com/pumice-gpu/pumice/driver/internal/abi"

// Commands of extensions whose features are off: the extensions have them, and
// pipelines that could use what they set cannot be made.

// CmdSetPatchControlPointsEXT is vkCmdSetPatchControlPointsEXT.
func (r *Recorder) CmdSetPatchControlPointsEXT(*abi.CmdSetPatchControlPointsEXT) {
	r.core.Misuse("vkCmdSetPatchControlPointsEXT", "vkCmdSetPatchControlPointsEXT-None-09422", "extendedDynamicState2PatchControlPoints is off")
}

// CmdSetTessellationDomainOriginEXT is vkCmdSetTessellationDomainOriginEXT.
func (r *Recorder) CmdSetTessellationDomainOriginEXT(*abi.CmdSetTessellationDomainOriginEXT) {
	r.core.Misuse("vkCmdSetTessellationDomainOriginEXT", "vkCmdSetTessellationDomainOriginEXT-None-09423", "extendedDynamicState3TessellationDomainOrigin is off")
}

// CmdSetRasterizationStreamEXT is vkCmdSetRasterizationStreamEXT.
func (r *Recorder) CmdSetRasterizationStreamEXT(*abi.CmdSetRasterizationStreamEXT) {
	r.core.Misuse("vkCmdSetRasterizationStreamEXT", "vkCmdSetRasterizationStreamEXT-None-09423", "extendedDynamicState3RasterizationStream is off")
}
