package core

import (
	"context"
	"fmt"
	"sync"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// allBufferUsage is what buffers are used for here.
const allBufferUsage = vk.BufferUsageTransferSrcBit | vk.BufferUsageTransferDstBit | vk.BufferUsageUniformTexelBufferBit |
	vk.BufferUsageStorageTexelBufferBit | vk.BufferUsageUniformBufferBit | vk.BufferUsageStorageBufferBit |
	vk.BufferUsageIndexBufferBit | vk.BufferUsageVertexBufferBit | vk.BufferUsageIndirectBufferBit | vk.BufferUsageConditionalRenderingBitEXT |
	vk.BufferUsageShaderDeviceAddressBit | vk.BufferUsageSamplerDescriptorBufferBitEXT | vk.BufferUsageResourceDescriptorBufferBitEXT | vk.BufferUsageDescriptorHeapBitEXT |
	vk.BufferUsageTransformFeedbackBufferBitEXT | vk.BufferUsageTransformFeedbackCounterBufferBitEXT

// MaxBufferSize is how many bytes a buffer may have that shaders reach through descriptors: those of
// pipelines with 64-bit indexing all of them, others 2 GiB. Others may have more.
const MaxBufferSize = ir.Windows * ir.WindowBytes

// descriptorUsage is usage of buffers through descriptors.
const descriptorUsage = vk.BufferUsageUniformTexelBufferBit | vk.BufferUsageStorageTexelBufferBit |
	vk.BufferUsageUniformBufferBit | vk.BufferUsageStorageBufferBit

// Buffer is a range of bytes in device memory.
type Buffer struct {
	object
	usage vk.BufferUsageFlags
	flags vk.BufferCreateFlags
	size  uint64
	mem   *Memory // nil until it is bound
	data  []byte
	reach []byte // by address: data, and what else the buffer takes of its memory

	addressing sync.Mutex
	address    uint64 // 0: not asked for yet
}

// NewBuffer makes a buffer bound to mem at offset, or to memory of its own if
// mem is nil. Usage 0 means everything.
func (d *Device) NewBuffer(info vk.BufferCreateInfo, mem *Memory, offset uint64, name string) (*Buffer, error) {
	const op Op = "vkCreateBuffer"
	b, err := d.newBuffer(op, info, name)
	if err != nil || b.mem != nil {
		return b, err
	}
	m, data, err := d.bind(op, "vkBindBufferMemory-None-10741", mem, offset, info.Size)
	if err != nil {
		return nil, err
	}
	b.bound(m, data, offset)
	return b, nil
}

func (d *Device) newBuffer(op Op, info vk.BufferCreateInfo, name string) (*Buffer, error) {
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if info.Size == 0 {
		return nil, d.misuse(op, "VkBufferCreateInfo-size-00912", "give it a size", "size 0")
	}
	if other := info.Flags &^ (vk.BufferCreateDeviceAddressCaptureReplayBit | vk.BufferCreateDescriptorBufferCaptureReplayBitEXT | bufferSparse); other != 0 {
		return nil, d.unsupported(op, "VkBufferCreateInfo-flags-parameter", "", "flags %v", other)
	}
	b := &Buffer{usage: info.Usage, flags: info.Flags, size: info.Size}
	b.dev, b.kind, b.name = d, "buffer", name
	if b.usage == 0 {
		b.usage = allBufferUsage
	}
	if b.usage&descriptorUsage != 0 && b.size > MaxBufferSize {
		return nil, d.report(&Error{
			Op: string(op), Rule: "VUID-VkBufferCreateInfo-size-06409", Err: ErrOutOfMemory,
			Detail: fmt.Sprintf("%d bytes with usage %v", b.size, b.usage&descriptorUsage),
			Hint:   fmt.Sprintf("shaders reach %d GiB through descriptors: make several buffers", MaxBufferSize>>30),
		})
	}
	if b.size > maxReach {
		d.largeBuffers.Store(true)
	}
	if info.Flags&bufferSparse != 0 {
		if info.Flags&vk.BufferCreateSparseBindingBit == 0 {
			return nil, d.misuse(op, "VkBufferCreateInfo-flags-00918", "", "flags %v without SPARSE_BINDING", info.Flags)
		}
		mem, s, err := d.reserve(op, info.Size, SparseAlignment)
		if err != nil {
			return nil, err
		}
		b.mem, b.data = mem, s.Bytes()[:info.Size:info.Size]
		b.reach = b.data
	}
	return b, nil
}

// bound gives the buffer its bytes at offset of memory. Addresses reach what else it takes
// (Requirements): programs know that it is there.
func (b *Buffer) bound(m *Memory, data []byte, offset uint64) {
	b.mem, b.data, b.reach = m, data, data
	if end := min(offset+b.Requirements().Size, uint64(len(m.data))); end > offset {
		b.reach = m.data[offset:end:end]
	}
}

// Size returns the size in bytes.
func (b *Buffer) Size() uint64 {
	if b == nil {
		return 0
	}
	return b.size
}

// Bytes returns the memory, nil after Close.
func (b *Buffer) Bytes() []byte {
	if b == nil || b.closed.Load() || b.dev.closed.Load() {
		return nil
	}
	return b.data
}

// Close gives the buffer up.
func (b *Buffer) Close() error {
	if b != nil && !b.closed.Swap(true) {
		b.dropAddress()
		if b.mem != nil {
			b.mem.release()
		}
	}
	return nil
}

// need checks that the buffer can be used with d, for usage.
func (b *Buffer) need(d *Device, op Op, rule string, usage vk.BufferUsageFlags) error {
	if b == nil {
		return d.misuse(op, rule, "", "the buffer is nil")
	}
	if err := b.use(d, op); err != nil {
		return err
	}
	if b.mem == nil {
		return d.unbound(op, &b.object)
	}
	if b.usage&usage == 0 {
		refuse := d.misuse
		if usage&^plainBufferUsage == 0 {
			refuse = d.harmless
		}
		return refuse(op, rule, "add it to the buffer's usage", "%s was made without %v", b.label(), usage)
	}
	return nil
}

// inRange checks that [offset, offset+size) lies in the buffer.
func (b *Buffer) inRange(op Op, rule string, offset, size uint64) error {
	if offset > b.Size() || size > b.Size()-offset {
		return b.dev.misuse(op, rule, "", "%d bytes at offset %d in %s of %d", size, offset, b.label(), b.Size())
	}
	return nil
}

// Write copies data to offset in the queue's turn.
func (b *Buffer) Write(ctx context.Context, offset uint64, data []byte) error {
	const op Op = "write of a buffer"
	return b.access(ctx, op, offset, uint64(len(data)), func() { copy(b.data[offset:], data) })
}

// Read copies from offset to dst in the queue's turn.
func (b *Buffer) Read(ctx context.Context, offset uint64, dst []byte) error {
	const op Op = "read of a buffer"
	return b.access(ctx, op, offset, uint64(len(dst)), func() { copy(dst, b.data[offset:]) })
}

// Holds checks that size bytes from offset on can be read and written.
func (b *Buffer) Holds(op Op, offset, size uint64) error {
	if b == nil {
		return nilObject(op, "buffer")
	}
	if err := b.dev.usable(op); err != nil {
		return err
	}
	if err := b.use(b.dev, op); err != nil {
		return err
	}
	if b.mem == nil {
		return b.dev.unbound(op, &b.object)
	}
	return b.inRange(op, "vkMapMemory-size-00681", offset, size)
}

func (b *Buffer) access(ctx context.Context, op Op, offset, size uint64, f func()) error {
	if err := b.Holds(op, offset, size); err != nil {
		return err
	}
	return b.dev.run(ctx, op, []*Memory{b.mem}, func(context.Context) error { f(); return nil })
}

// BufferView is a typed view of a buffer.
type BufferView struct {
	object
	buffer *Buffer
	view   *resource.BufferView
}

// NewBufferView makes a view of size bytes from offset; vk.WholeSize or 0 means
// to the end.
func (d *Device) NewBufferView(b *Buffer, format vk.Format, offset, size uint64) (*BufferView, error) {
	const op Op = "vkCreateBufferView"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if err := b.need(d, op, "VkBufferViewCreateInfo-buffer-00932", vk.BufferUsageUniformTexelBufferBit|vk.BufferUsageStorageTexelBufferBit); err != nil {
		return nil, err
	}
	offset, size, err := b.part(op, "VkBufferViewCreateInfo-offset-00925", "VkBufferViewCreateInfo-offset-00931", offset, size)
	if err != nil {
		return nil, err
	}
	view, err := resource.NewBufferView(format, b.data[offset:offset+size:offset+size])
	if err != nil {
		return nil, d.wrap(op, err)
	}
	if align := texelAlignment(view); offset%align != 0 {
		rule := "VkBufferViewCreateInfo-buffer-02751"
		if b.usage&vk.BufferUsageStorageTexelBufferBit != 0 {
			rule = "VkBufferViewCreateInfo-buffer-02750"
		}
		return nil, d.misuse(op, rule, "", "offset %d is no multiple of %d", offset, align)
	}
	view.ID = d.ids.Add(1)
	v := &BufferView{buffer: b, view: view}
	v.dev, v.kind = d, "buffer view"
	return v, nil
}

// texelAlignment is that of the first byte of a view: at most minTexelBufferOffsetAlignment; for
// three components, one's size.
func texelAlignment(v *resource.BufferView) uint64 {
	align := uint64(v.Info.BlockBytes)
	if align%3 == 0 {
		align /= 3
	}
	return min(align, 4)
}

// Close gives the view up.
func (v *BufferView) Close() error {
	if v != nil {
		v.closed.Store(true)
	}
	return nil
}
