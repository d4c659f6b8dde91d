package icd

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// TestDebugReport_Callbacks: callbacks are told of broken rules and of what programs say, if they want to hear of its kind, and
// no more when they are destroyed.
func TestDebugReport_Callbacks(t *testing.T) {
	f := newTest(t)
	var told []string
	f.driver.cfg.Report = func(function uintptr, r *Report, user unsafe.Pointer) {
		text := abi.String(r.Text)
		told = append(told, fmt.Sprintf("%d %v %s: %s", function, user != nil, abi.String(r.Prefix), text[:min(len(text), 15)]))
	}
	here := 0
	f.pin.Pin(&here)
	make := func(function uintptr, flags vk.DebugReportFlagsEXT) (h abi.DebugReportCallbackEXT) {
		create := abi.CreateDebugReportCallbackEXTArgs{Instance: f.instance, PCallback: &h, PCreateInfo: &abi.DebugReportCallbackCreateInfoEXT{
			Flags: flags, PfnCallback: function, PUserData: unsafe.Pointer(&here)}}
		call(f, abi.OpCreateDebugReportCallbackEXT, &create)
		want(t, "vkCreateDebugReportCallbackEXT", create.Ret, vk.Success)
		return h
	}
	errors := make(7, vk.DebugReportErrorBitEXT)
	make(8, vk.DebugReportInformationBitEXT|vk.DebugReportDebugBitEXT)
	say := func(flags vk.DebugReportFlagsEXT, text string) {
		call(f, abi.OpDebugReportMessageEXT, &abi.DebugReportMessageEXTArgs{Instance: f.instance, Flags: flags, PLayerPrefix: cString("me"), PMessage: cString(text)})
	}
	cb := f.begin()
	record(f, cb, abi.OpCmdDebugMarkerBeginEXT, &abi.CmdDebugMarkerBeginEXT{PMarkerInfo: &abi.DebugMarkerMarkerInfoEXT{PMarkerName: cString("part")}})
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: 12345, Size: 16, Data: 1})
	record(f, cb, abi.OpCmdDebugMarkerEndEXT, &abi.CmdDebugMarkerEndEXT{})
	f.run(cb)
	say(vk.DebugReportWarningBitEXT, "nobody hears")
	say(vk.DebugReportDebugBitEXT, "hello")
	call(f, abi.OpDestroyDebugReportCallbackEXT, &abi.DestroyDebugReportCallbackEXTArgs{Instance: f.instance, Callback: errors})
	say(vk.DebugReportErrorBitEXT, "nobody hears")
	if len(told) != 2 || !strings.HasPrefix(told[0], "7 true pumice: ") || told[1] != "8 true me: hello" {
		t.Errorf("told %q", told)
	}
}

// TestDebugMarker_Names: messages tell the names that vkDebugMarkerSetObjectNameEXT and vkCmdDebugMarkerBeginEXT give.
func TestDebugMarker_Names(t *testing.T) {
	f, log := losing(t, func(c *Config) { c.LoopBudget = 100_000 })
	fence := f.fence()
	f.submitTo(0, f.endlessOf(1, true), fence)
	within(t, "vkWaitForFences", func() { f.wait(fence, math.MaxUint64) })
	if text := fmt.Sprint(log); !strings.Contains(text, "compute pipeline \"spinning\"), in physics") {
		t.Errorf("%s", text)
	}
}
