package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Recorder turns records of vkCmd* into calls of package core. Its methods
//
//	func (r *Recorder) CmdDraw(c *abi.CmdDraw)
//
// see the record as C wrote it; what its pointers lead to are copies which are
// gone after vkEndCommandBuffer, so package core gets copies of what it keeps.
// A command that breaks a rule is reported and left out; the others stay.
type Recorder struct {
	device *Device
	core   *core.CommandBuffer

	viewports []vk.Viewport // that vkCmdSetViewport has set so far, by index
	scissors  []vk.Rect2D   // likewise
}

// carryOut calls what a record asks for.
func (r *Recorder) carryOut(op abi.Op, record unsafe.Pointer) {
	if op < abi.OpCount {
		if c := stateCommands()[op]; c != nil {
			r.setState(c, record)
			return
		}
	}
	callRecorder(r, op, record)
}

// misuse reports a command that is left out.
func (r *Recorder) misuse(op core.Op, rule, detail string) {
	r.core.Misuse(op, rule, detail)
}

// The objects of package core behind handles; nil for those that lead nowhere,
// which package core reports.

func (r *Recorder) buffer(h abi.Buffer) *core.Buffer {
	if b := lookup(&r.device.buffers, h); b != nil {
		return b.core
	}
	return nil
}

func (r *Recorder) image(h abi.Image) *core.Image {
	if im := lookup(&r.device.images, h); im != nil {
		return im.core
	}
	return nil
}

func (r *Recorder) view(h abi.ImageView) *core.ImageView {
	if v := lookup(&r.device.imageViews, h); v != nil {
		return v.core
	}
	return nil
}

func (r *Recorder) queryPool(h abi.QueryPool) *core.QueryPool {
	if q := lookup(&r.device.queryPools, h); q != nil {
		return q.core
	}
	return nil
}

// clearColor fills in all members of the union: the format picks one.
func clearColor(c *abi.ClearColorValue) (out vk.ClearColorValue) {
	if c != nil {
		out = vk.ClearColorValue{Float32: *c.Float32(), Int32: *c.Int32(), Uint32: *c.Uint32()}
	}
	return out
}

func clearValue(c *abi.ClearValue) vk.ClearValue {
	return vk.ClearValue{Color: clearColor(c.Color()), DepthStencil: *c.DepthStencil()}
}

// bytes is the memory that a pointer of a record leads to; nil for none.
func bytes(p unsafe.Pointer, n uint64) []byte {
	if p == nil || n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p), n)
}
