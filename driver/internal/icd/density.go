package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// densityMasters are the properties of fragment density maps.
//
// RAS-007
func densityMasters() []master {
	limits := engine.Limits()
	maps := &abi.PhysicalDeviceFragmentDensityMapPropertiesEXT{
		MinFragmentDensityTexelSize: vk.Extent2D{Width: core.MinDensityTexel, Height: core.MinDensityTexel},
		MaxFragmentDensityTexelSize: vk.Extent2D{Width: core.MaxDensityTexel, Height: core.MaxDensityTexel},
	}
	// Subsampled images hold every texel: nothing limits who reads them, and what a
	// load operation finds suits any density.
	subsampled := &abi.PhysicalDeviceFragmentDensityMap2PropertiesEXT{
		SubsampledLoads: 1, MaxSubsampledArrayLayers: limits.MaxImageArrayLayers, MaxDescriptorSetSubsampledSamplers: limits.MaxDescriptorSetSamplers,
	}
	offsets := &abi.PhysicalDeviceFragmentDensityMapOffsetPropertiesEXT{
		FragmentDensityOffsetGranularity: vk.Extent2D{Width: core.DensityOffsetGranularity, Height: core.DensityOffsetGranularity},
	}
	layered := &abi.PhysicalDeviceFragmentDensityMapLayeredPropertiesVALVE{MaxFragmentDensityMapLayers: limits.MaxImageArrayLayers}
	return []master{
		{layered.StructureType(), unsafe.Pointer(layered)},
		{maps.StructureType(), unsafe.Pointer(maps)},
		{subsampled.StructureType(), unsafe.Pointer(subsampled)},
		{offsets.StructureType(), unsafe.Pointer(offsets)},
	}
}

// densityAlone says that a device with density maps has no fragment shading rates:
// both say how large fragments are.
//
// VUID-VkDeviceCreateInfo-fragmentDensityMap-04481 to 04483
func densityAlone(on map[string]bool) bool {
	return !on["fragmentDensityMap"] ||
		!on["pipelineFragmentShadingRate"] && !on["primitiveFragmentShadingRate"] && !on["attachmentFragmentShadingRate"]
}

// densityOf is the density map of a render pass object.
func densityOf(next unsafe.Pointer) *vk.AttachmentReference2 {
	if m := abi.Find[abi.RenderPassFragmentDensityMapCreateInfoEXT](next); m != nil {
		return &vk.AttachmentReference2{Attachment: m.FragmentDensityMapAttachment.Attachment, Layout: m.FragmentDensityMapAttachment.Layout}
	}
	return nil
}

// densityOffsets moves the density map of the pass that a command ends.
func (r *Recorder) densityOffsets(op core.Op, next unsafe.Pointer) {
	if o := abi.Find[abi.RenderPassFragmentDensityMapOffsetEndInfoEXT](next); o != nil {
		r.core.DensityOffsets(op, abi.Slice(o.PFragmentDensityOffsets, o.FragmentDensityOffsetCount))
		r.core.Drop() // wrong ones are left out, and the pass ends all the same
	}
}

// CmdEndRendering2KHR is vkCmdEndRendering2KHR, and vkCmdEndRendering2EXT.
func (r *Recorder) CmdEndRendering2KHR(c *abi.CmdEndRendering2KHR) {
	const op = "vkCmdEndRendering2KHR"
	if c.PRenderingEndInfo != nil {
		r.densityOffsets(op, c.PRenderingEndInfo.PNext)
	}
	r.core.EndRendering(op)
}
