package webgpu

import (
	"context"
	"image"
	"sync"

	"github.com/gogpu/gputypes"
	"github.com/gogpu/wgpu/hal"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// A commandEncoder records into a command buffer of Pumice. The HAL's commands return nothing, so
// that the first error waits for EndEncoding.
type commandEncoder struct {
	d     *device
	label string
	cmd   *pumice.CommandBuffer // nil where nothing is recorded
	err   error
}

type commandBuffer struct {
	d     *device
	label string
	cmd   *pumice.CommandBuffer
}

func (b *commandBuffer) Destroy() { b.cmd = nil }

func (d *device) CreateCommandEncoder(
	desc *hal.CommandEncoderDescriptor,
) (hal.CommandEncoder, error) {
	e := &commandEncoder{d: d}
	if desc != nil {
		e.label = desc.Label
	}
	return e, nil
}

func (d *device) FreeCommandBuffer(b hal.CommandBuffer) { destroy(b) }

func (e *commandEncoder) BeginEncoding(label string) error {
	e.label, e.cmd, e.err = label, e.d.dev.NewCommandBuffer(), nil
	return nil
}

func (e *commandEncoder) EndEncoding() (hal.CommandBuffer, error) {
	const op = "CommandEncoder.EndEncoding"
	if e.cmd == nil {
		return nil, foreign(op, e.label, "encoding, which has not begun,")
	}
	b := &commandBuffer{e.d, e.label, e.cmd}
	e.fail(failed(op, e.label, e.cmd.Err()))
	err := e.err
	e.DiscardEncoding()
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (e *commandEncoder) DiscardEncoding() { e.cmd, e.err = nil, nil }

func (e *commandEncoder) ResetAll(list []hal.CommandBuffer) {
	for _, b := range list {
		destroy(b)
	}
}

func (e *commandEncoder) Destroy() { e.DiscardEncoding() }

// fail keeps the first error.
func (e *commandEncoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// There are no layouts, and commands see the effects of all before them.
func (e *commandEncoder) TransitionBuffers([]hal.BufferBarrier)   {}
func (e *commandEncoder) TransitionTextures([]hal.TextureBarrier) {}

func (e *commandEncoder) bufferOf(op string, b hal.Buffer) *pumice.Buffer {
	x, ok := b.(*buffer)
	if !ok || x.d != e.d {
		e.fail(foreign(op, e.label, "buffer"))
		return nil
	}
	return x.buf
}

func (e *commandEncoder) textureOf(op string, t hal.Texture) *texture {
	x, ok := t.(*texture)
	if !ok || x.d != e.d {
		e.fail(foreign(op, e.label, "texture"))
		return nil
	}
	return x
}

func (e *commandEncoder) ClearBuffer(b hal.Buffer, offset, size uint64) {
	if x := e.bufferOf("CommandEncoder.ClearBuffer", b); x != nil {
		e.cmd.FillBuffer(x, offset, size, 0)
	}
}

func (e *commandEncoder) CopyBufferToBuffer(src, dst hal.Buffer, regions []hal.BufferCopy) {
	const op = "CommandEncoder.CopyBufferToBuffer"
	from, to := e.bufferOf(op, src), e.bufferOf(op, dst)
	if from == nil || to == nil {
		return
	}
	for _, r := range regions {
		if r.Size > 0 {
			e.cmd.CopyBuffer(from, to, vk.BufferCopy(r))
		}
	}
}

// empty says that a copy has no texels.
func empty(
	s hal.Extent3D,
) bool {
	return s.Width == 0 || s.Height == 0 || s.DepthOrArrayLayers == 0
}

// copies calls f for each region between a buffer and a texture.
func (e *commandEncoder) copies(
	op string,
	b hal.Buffer,
	t hal.Texture,
	regions []hal.BufferTextureCopy,
	f func(*pumice.Buffer, *pumice.Image, vk.BufferImageCopy),
) {
	buf, im := e.bufferOf(op, b), e.textureOf(op, t)
	if buf == nil || im == nil {
		return
	}
	for _, c := range regions {
		if empty(c.Size) {
			continue
		}
		r, err := im.region(op, c)
		if err != nil {
			e.fail(err)
			return
		}
		f(buf, im.im, r)
	}
}

func (e *commandEncoder) CopyBufferToTexture(
	src hal.Buffer,
	dst hal.Texture,
	regions []hal.BufferTextureCopy,
) {
	e.copies(
		"CommandEncoder.CopyBufferToTexture",
		src,
		dst,
		regions,
		func(b *pumice.Buffer, im *pumice.Image, r vk.BufferImageCopy) {
			e.cmd.CopyBufferToImage(b, im, r)
		},
	)
}

func (e *commandEncoder) CopyTextureToBuffer(
	src hal.Texture,
	dst hal.Buffer,
	regions []hal.BufferTextureCopy,
) {
	e.copies(
		"CommandEncoder.CopyTextureToBuffer",
		dst,
		src,
		regions,
		func(b *pumice.Buffer, im *pumice.Image, r vk.BufferImageCopy) {
			e.cmd.CopyImageToBuffer(im, b, r)
		},
	)
}

func (e *commandEncoder) CopyTextureToTexture(src, dst hal.Texture, regions []hal.TextureCopy) {
	const op = "CommandEncoder.CopyTextureToTexture"
	from, to := e.textureOf(op, src), e.textureOf(op, dst)
	if from == nil || to == nil {
		return
	}
	for _, c := range regions {
		if empty(c.Size) {
			continue
		}
		var r vk.ImageCopy
		r.SrcSubresource, r.SrcOffset, r.Extent = from.place(c.SrcBase, c.Size)
		var to3 vk.Extent3D
		r.DstSubresource, r.DstOffset, to3 = to.place(c.DstBase, c.Size)
		r.Extent.Depth = max(r.Extent.Depth, to3.Depth) // slices to layers
		e.cmd.CopyImage(from.im, to.im, r)
	}
}

func (e *commandEncoder) ResolveQuerySet(hal.QuerySet, uint32, uint32, hal.Buffer, uint64) {
	e.fail(missing("CommandEncoder.ResolveQuerySet", e.label, "query sets here"))
}

// A computePass records dispatches.
type computePass struct{ e *commandEncoder }

func (e *commandEncoder) BeginComputePass(desc *hal.ComputePassDescriptor) hal.ComputePassEncoder {
	if desc != nil && desc.TimestampWrites != nil {
		e.fail(missing("CommandEncoder.BeginComputePass", desc.Label, "timestamp queries here"))
	}
	return computePass{e}
}

func (p computePass) End() {}

func (p computePass) SetPipeline(x hal.ComputePipeline) {
	c, ok := x.(*computePipeline)
	if !ok || c.d != p.e.d {
		p.e.fail(foreign("ComputePassEncoder.SetPipeline", p.e.label, "pipeline"))
		return
	}
	p.e.cmd.BindPipeline(c.p)
}

func (p computePass) SetBindGroup(index uint32, x hal.BindGroup, offsets []uint32) {
	g, ok := x.(*bindGroup)
	if !ok || g.d != p.e.d {
		p.e.fail(foreign("ComputePassEncoder.SetBindGroup", p.e.label, "bind group"))
		return
	}
	p.e.cmd.BindDescriptorSet(int(index), g.set, offsets...)
}

func (p computePass) Dispatch(x, y, z uint32) { p.e.cmd.Dispatch(x, y, z) }

func (p computePass) DispatchIndirect(b hal.Buffer, offset uint64) {
	if x := p.e.bufferOf("ComputePassEncoder.DispatchIndirect", b); x != nil {
		p.e.cmd.DispatchIndirect(x, offset)
	}
}

// queue runs work.
type queue struct {
	d    *device
	mu   sync.Mutex
	done uint64 // submissions
}

// Submit runs command buffers and waits until they are done.
func (q *queue) Submit(list []hal.CommandBuffer) (uint64, error) {
	const op = "Queue.Submit"
	q.mu.Lock()
	defer q.mu.Unlock()
	var cmds []*pumice.CommandBuffer
	label := ""
	for _, b := range list {
		x, ok := b.(*commandBuffer)
		if !ok || x.d != q.d || x.cmd == nil {
			return q.done, foreign(op, "", "command buffer")
		}
		cmds, label = append(cmds, x.cmd), x.label
	}
	if err := q.d.dev.Submit(context.Background(), cmds...); err != nil {
		return q.done, failed(op, label, err)
	}
	q.done++
	return q.done, nil
}

func (q *queue) PollCompleted() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.done
}

func (q *queue) WriteBuffer(b hal.Buffer, offset uint64, data []byte) error {
	const op = "Queue.WriteBuffer"
	x, ok := b.(*buffer)
	if !ok || x.d != q.d {
		return foreign(op, "", "buffer")
	}
	return failed(op, "", x.buf.Write(offset, data))
}

// WriteTexture takes the way of other copies, from a buffer.
func (q *queue) WriteTexture(
	dst *hal.ImageCopyTexture,
	data []byte,
	layout *hal.ImageDataLayout,
	size *hal.Extent3D,
) error {
	const op = "Queue.WriteTexture"
	t, ok := dst.Texture.(*texture)
	if !ok || t.d != q.d {
		return foreign(op, "", "texture")
	}
	if empty(*size) || len(data) == 0 {
		return nil
	}
	r, err := t.region(op,
		hal.BufferTextureCopy{BufferLayout: *layout, TextureBase: *dst, Size: *size})
	if err != nil {
		return err
	}
	b, err := q.d.dev.NewBufferFrom(data)
	if err != nil {
		return failed(op, t.label, err)
	}
	defer func() { _ = b.Close() }()
	cmd := q.d.dev.NewCommandBuffer()
	cmd.CopyBufferToImage(b, t.im, r)
	return failed(op, t.label, q.d.dev.Submit(context.Background(), cmd))
}

func (q *queue) Present(hal.Surface, hal.SurfaceTexture, []image.Rectangle) error {
	return missing("Queue.Present", "", "windows here")
}

func (q *queue) GetTimestampPeriod() float32 { return q.d.dev.Limits().TimestampPeriod }

// SupportsCommandBufferCopies is false: writes go to the device at once, behind what was submitted.
func (q *queue) SupportsCommandBufferCopies() bool { return false }

func (q *queue) SetSwapchainSuppressed(bool) {}

// clearColor is a colour as an attachment of the format takes it.
func clearColor(f gputypes.TextureFormat, c gputypes.Color) (v vk.ClearColorValue) {
	for i, x := range [...]float64{c.R, c.G, c.B, c.A} {
		v.Float32[i], v.Int32[i] = float32(x), int32(max(min(x, 1<<31-1), -1<<31))
		v.Uint32[i] = uint32(max(min(x, 1<<32-1), 0))
	}
	return v
}
