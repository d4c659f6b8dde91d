package icd

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// Each command with image barriers, and the host, moves subresources for who reads
// PUMICE_VERBOSE; others pay nothing.
func TestImageLayouts_EveryTransitionIsHeard(t *testing.T) {
	f := newTest(t)
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
	const general, read = vk.ImageLayoutGeneral, vk.ImageLayoutShaderReadOnlyOptimal
	all := vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}
	for name, move := range map[string]func(im abi.Image){
		"vkCmdPipelineBarrier": func(im abi.Image) {
			cb := f.begin()
			record(f, cb, abi.OpCmdPipelineBarrier, &abi.CmdPipelineBarrier{ImageMemoryBarrierCount: 1,
				PImageMemoryBarriers: &abi.ImageMemoryBarrier{OldLayout: general, NewLayout: read, Image: im, SubresourceRange: all}})
			f.run(cb)
		},
		"vkCmdPipelineBarrier2": func(im abi.Image) {
			cb := f.begin()
			record(f, cb, abi.OpCmdPipelineBarrier2, &abi.CmdPipelineBarrier2{PDependencyInfo: &abi.DependencyInfo{ImageMemoryBarrierCount: 1,
				PImageMemoryBarriers: &abi.ImageMemoryBarrier2{OldLayout: general, NewLayout: read, Image: im, SubresourceRange: all}}})
			f.run(cb)
		},
		"vkCmdWaitEvents": func(im abi.Image) {
			e, cb := f.event(), f.begin()
			record(f, cb, abi.OpCmdSetEvent, &abi.CmdSetEvent{Event: e})
			record(f, cb, abi.OpCmdWaitEvents, &abi.CmdWaitEvents{EventCount: 1, PEvents: &e, ImageMemoryBarrierCount: 1,
				PImageMemoryBarriers: &abi.ImageMemoryBarrier{OldLayout: general, NewLayout: read, Image: im, SubresourceRange: all}})
			f.run(cb)
		},
		"vkTransitionImageLayout": func(im abi.Image) {
			call(f, abi.OpTransitionImageLayout, &abi.TransitionImageLayoutArgs{Device: f.device, TransitionCount: 1,
				PTransitions: &abi.HostImageLayoutTransitionInfo{Image: im, OldLayout: general, NewLayout: read, SubresourceRange: all}})
		},
	} {
		for _, verbose := range []bool{false, true} {
			var log strings.Builder
			f.driver.cfg.Verbose, f.driver.cfg.Log = verbose, &log
			f.device = f.open()
			im, _ := f.image()
			move(im) // from UNDEFINED
			if heard := strings.Contains(log.String(), name+":") && strings.Contains(log.String(), "oldLayout-01197"); heard != verbose {
				t.Errorf("%s, verbose %v: %q", name, verbose, log.String())
			}
			log.Reset()
			call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
		}
	}
	f.driver.cfg.Verbose, f.driver.cfg.Log = false, nil
	f.device = f.open()
}
