package icd

import (
	"runtime"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// What VK_EXT_debug_report and VK_EXT_debug_marker say is what VK_EXT_debug_utils says, to older programs.

// Reporter is a VkDebugReportCallbackEXT.
type Reporter struct {
	flags    vk.DebugReportFlagsEXT
	function uintptr
	user     unsafe.Pointer
}

// A Report is what a PFN_vkDebugReportCallbackEXT is told. Texts end with a zero byte.
type Report struct {
	Flags        vk.DebugReportFlagsEXT
	Type         vk.DebugReportObjectTypeEXT
	Object       uint64
	Location     uint64
	Code         int32
	Prefix, Text *byte
}

// A ReportFunc calls a PFN_vkDebugReportCallbackEXT.
type ReportFunc func(function uintptr, r *Report, user unsafe.Pointer)

// CreateDebugReportCallbackEXT is vkCreateDebugReportCallbackEXT.
func (i *Instance) CreateDebugReportCallbackEXT(a *abi.CreateDebugReportCallbackEXTArgs) vk.Result {
	c := a.PCreateInfo
	return created(&i.reporters, a.PCallback, &Reporter{flags: c.Flags, function: c.PfnCallback, user: c.PUserData}, nil)
}

// DestroyDebugReportCallbackEXT is vkDestroyDebugReportCallbackEXT.
func (i *Instance) DestroyDebugReportCallbackEXT(a *abi.DestroyDebugReportCallbackEXTArgs) {
	i.reporters.Take(uint64(a.Callback))
}

// DebugReportMessageEXT is vkDebugReportMessageEXT.
func (i *Instance) DebugReportMessageEXT(a *abi.DebugReportMessageEXTArgs) {
	i.report(&Report{Flags: a.Flags, Type: a.ObjectType, Object: a.Object, Location: a.Location, Code: a.MessageCode, Prefix: a.PLayerPrefix, Text: a.PMessage})
}

// report calls the reporters that want to hear of something.
func (i *Instance) report(r *Report) {
	call := i.driver.cfg.Report
	if call == nil {
		return
	}
	for _, m := range i.reporters.All() {
		if m.flags&r.Flags != 0 && m.function != 0 {
			call(m.function, r, m.user)
		}
	}
}

// reportMessage tells reporters what messengers are told: the text, and how bad it is.
func (i *Instance) reportMessage(severity vk.DebugUtilsMessageSeverityFlagsEXT, text *byte) {
	r := &Report{Text: text}
	switch severity {
	case vk.DebugUtilsMessageSeverityErrorBitEXT:
		r.Flags = vk.DebugReportErrorBitEXT
	case vk.DebugUtilsMessageSeverityWarningBitEXT:
		r.Flags = vk.DebugReportWarningBitEXT
	default:
		r.Flags = vk.DebugReportInformationBitEXT
	}
	prefix := []byte("pumice\x00")
	var pin runtime.Pinner // C gets to see it; text is pinned
	pin.Pin(&prefix[0])
	defer pin.Unpin()
	r.Prefix = &prefix[0]
	i.report(r)
}

// hears says that some function of the program is told of messages.
func (i *Instance) hears() bool {
	return len(i.messengers.All())+len(i.reporters.All()) > 0
}

// DebugMarkerSetObjectNameEXT is vkDebugMarkerSetObjectNameEXT.
func (d *Device) DebugMarkerSetObjectNameEXT(a *abi.DebugMarkerSetObjectNameEXTArgs) vk.Result {
	types := map[vk.DebugReportObjectTypeEXT]vk.ObjectType{
		vk.DebugReportObjectTypePipelineEXT: vk.ObjectTypePipeline, vk.DebugReportObjectTypeImageEXT: vk.ObjectTypeImage,
	}
	d.nameObject(types[a.PNameInfo.ObjectType], a.PNameInfo.Object, abi.String(a.PNameInfo.PObjectName))
	return vk.Success
}

// DebugMarkerSetObjectTagEXT is vkDebugMarkerSetObjectTagEXT.
func (d *Device) DebugMarkerSetObjectTagEXT(*abi.DebugMarkerSetObjectTagEXTArgs) vk.Result {
	return vk.Success
}

// CmdDebugMarkerBeginEXT is vkCmdDebugMarkerBeginEXT.
func (r *Recorder) CmdDebugMarkerBeginEXT(c *abi.CmdDebugMarkerBeginEXT) {
	r.core.BeginLabel(abi.String(c.PMarkerInfo.PMarkerName))
}

// CmdDebugMarkerEndEXT is vkCmdDebugMarkerEndEXT.
func (r *Recorder) CmdDebugMarkerEndEXT(*abi.CmdDebugMarkerEndEXT) { r.core.EndLabel() }

// CmdDebugMarkerInsertEXT is vkCmdDebugMarkerInsertEXT: for layers and tools.
func (r *Recorder) CmdDebugMarkerInsertEXT(*abi.CmdDebugMarkerInsertEXT) {}
