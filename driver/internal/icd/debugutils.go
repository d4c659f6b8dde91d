package icd

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Messenger is a VkDebugUtilsMessengerEXT: a C function that wants to hear of
// broken rules.
type Messenger struct {
	severity vk.DebugUtilsMessageSeverityFlagsEXT
	types    vk.DebugUtilsMessageTypeFlagsEXT
	function uintptr
	user     unsafe.Pointer
}

// A MessageFunc calls a PFN_vkDebugUtilsMessengerCallbackEXT. data is a
// VkDebugUtilsMessengerCallbackDataEXT.
type MessageFunc func(function uintptr, severity vk.DebugUtilsMessageSeverityFlagsEXT, types vk.DebugUtilsMessageTypeFlagsEXT, data, user unsafe.Pointer)

// CreateDebugUtilsMessengerEXT is vkCreateDebugUtilsMessengerEXT.
func (i *Instance) CreateDebugUtilsMessengerEXT(a *abi.CreateDebugUtilsMessengerEXTArgs) vk.Result {
	c := a.PCreateInfo
	m := &Messenger{severity: c.MessageSeverity, types: c.MessageType, function: c.PfnUserCallback, user: c.PUserData}
	return created(&i.messengers, a.PMessenger, m, nil)
}

// DestroyDebugUtilsMessengerEXT is vkDestroyDebugUtilsMessengerEXT.
func (i *Instance) DestroyDebugUtilsMessengerEXT(a *abi.DestroyDebugUtilsMessengerEXTArgs) {
	i.messengers.Take(uint64(a.Messenger))
}

// SubmitDebugUtilsMessageEXT is vkSubmitDebugUtilsMessageEXT.
func (i *Instance) SubmitDebugUtilsMessageEXT(a *abi.SubmitDebugUtilsMessageEXTArgs) {
	i.tell(a.MessageSeverity, a.MessageTypes, unsafe.Pointer(a.PCallbackData))
}

// tell calls the messengers that want to hear of something.
func (i *Instance) tell(severity vk.DebugUtilsMessageSeverityFlagsEXT, types vk.DebugUtilsMessageTypeFlagsEXT, data unsafe.Pointer) {
	call := i.driver.cfg.Message
	if call == nil {
		return
	}
	for _, m := range i.messengers.All() {
		if m.severity&severity != 0 && m.types&types != 0 && m.function != 0 {
			call(m.function, severity, types, data, m.user)
		}
	}
}

// listens says that somebody hears messages.
func (i *Instance) listens() bool { return i.driver.cfg.Verbose && i.driver.cfg.Log != nil }

// message passes on what package core has to say.
func (i *Instance) message(m core.Message) {
	if (i.driver.cfg.Verbose || m.Op == core.PrintOp) && i.driver.cfg.Log != nil {
		_, _ = fmt.Fprintln(i.driver.cfg.Log, m.Text)
	}
	severity := vk.DebugUtilsMessageSeverityFlagsEXT(vk.DebugUtilsMessageSeverityErrorBitEXT)
	switch m.Severity {
	case core.SeverityInfo:
		severity = vk.DebugUtilsMessageSeverityInfoBitEXT
	case core.SeverityWarning:
		severity = vk.DebugUtilsMessageSeverityWarningBitEXT
	case core.SeverityError:
	}
	i.say(severity, vk.DebugUtilsMessageTypeValidationBitEXT, m.Rule, m.Text, nil, nil)
}

// say passes on a message; next is its chain, and object what it is about, if that is one.
func (i *Instance) say(severity vk.DebugUtilsMessageSeverityFlagsEXT, types vk.DebugUtilsMessageTypeFlagsEXT, name, message string, next unsafe.Pointer, object *abi.DebugUtilsObjectNameInfoEXT) {
	id, text := append([]byte(name), 0), append([]byte(message), 0)
	data := &abi.DebugUtilsMessengerCallbackDataEXT{SType: vk.StructureTypeDebugUtilsMessengerCallbackDataEXT, PNext: next, PMessageIdName: &id[0], PMessage: &text[0]}
	var pin runtime.Pinner // C gets to see all of it
	defer pin.Unpin()
	pin.Pin(data)
	pin.Pin(&id[0])
	pin.Pin(&text[0])
	if next != nil {
		pin.Pin(next)
	}
	if object != nil {
		pin.Pin(object)
		data.ObjectCount, data.PObjects = 1, object
	}
	i.tell(severity, types, unsafe.Pointer(data))
	if types&vk.DebugUtilsMessageTypeValidationBitEXT != 0 {
		i.reportMessage(severity, &text[0])
	}
}

// Names, tags and labels are for layers and tools; messages about work that does not
// end tell the names of pipelines, and labels of commands.

// SetDebugUtilsObjectNameEXT is vkSetDebugUtilsObjectNameEXT.
func (d *Device) SetDebugUtilsObjectNameEXT(a *abi.SetDebugUtilsObjectNameEXTArgs) vk.Result {
	i := a.PNameInfo
	d.nameObject(i.ObjectType, i.ObjectHandle, abi.String(i.PObjectName))
	return vk.Success
}

// nameObject names an object, for messages and explanations that tell it.
func (d *Device) nameObject(t vk.ObjectType, handle uint64, name string) {
	switch t {
	case vk.ObjectTypePipeline:
		if p := d.pipelines.Get(handle); p != nil {
			p.core.SetName(name)
		}
	case vk.ObjectTypeImage:
		d.driver.frames.explain.call(d.images.Get(handle), name)
	default: // nothing tells it
	}
}

// SetDebugUtilsObjectTagEXT is vkSetDebugUtilsObjectTagEXT.
func (d *Device) SetDebugUtilsObjectTagEXT(*abi.SetDebugUtilsObjectTagEXTArgs) vk.Result {
	return vk.Success
}

// QueueBeginDebugUtilsLabelEXT is vkQueueBeginDebugUtilsLabelEXT.
func (q *Queue) QueueBeginDebugUtilsLabelEXT(*abi.QueueBeginDebugUtilsLabelEXTArgs) {}

// QueueEndDebugUtilsLabelEXT is vkQueueEndDebugUtilsLabelEXT.
func (q *Queue) QueueEndDebugUtilsLabelEXT(*abi.QueueEndDebugUtilsLabelEXTArgs) {}

// QueueInsertDebugUtilsLabelEXT is vkQueueInsertDebugUtilsLabelEXT.
func (q *Queue) QueueInsertDebugUtilsLabelEXT(*abi.QueueInsertDebugUtilsLabelEXTArgs) {}
