package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// mergeFeedback tells what became of the subpasses of a render pass
// (VK_EXT_subpass_merge_feedback): each is a pass of its own.
func mergeFeedback(i *abi.RenderPassCreateInfo2) {
	if f := abi.Find[abi.RenderPassCreationFeedbackCreateInfoEXT](i.PNext); f != nil && f.PRenderPassFeedback != nil {
		f.PRenderPassFeedback.PostMergeSubpassCount = i.SubpassCount
	}
	all := disallowsMerging(i.PNext)
	for n, s := range abi.Slice(i.PSubpasses, i.SubpassCount) {
		f := abi.Find[abi.RenderPassSubpassFeedbackCreateInfoEXT](s.PNext)
		if f == nil || f.PSubpassFeedback == nil {
			continue
		}
		to := f.PSubpassFeedback
		clear(to.Description[:])
		to.PostMergeIndex, to.SubpassMergeStatus = uint32(n), vk.SubpassMergeStatusNotMergedUnspecifiedEXT
		if all || disallowsMerging(s.PNext) {
			to.SubpassMergeStatus = vk.SubpassMergeStatusDisallowedEXT
		} else if i.SubpassCount == 1 {
			to.SubpassMergeStatus = vk.SubpassMergeStatusNotMergedSingleSubpassEXT
		}
		abi.PutString(to.Description[:], "subpasses are passes of their own")
	}
}

func disallowsMerging(next unsafe.Pointer) bool {
	c := abi.Find[abi.RenderPassCreationControlEXT](next)
	return c != nil && c.DisallowMerging.True()
}
