package pumice

import (
	"context"
	"errors"

	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Memory is a piece of device memory that several resources can be bound to, at
// offsets of the caller's choice. Most programs need none: a buffer or image
// without one gets its own.
type Memory struct{ core *core.Memory }

// NewMemory allocates size bytes, zeroed: at least 1, at most what Config.MemoryLimit leaves
// (ErrOutOfMemory).
func (d *Device) NewMemory(size uint64) (*Memory, error) {
	o, err := d.object().NewMemory(size)
	if err != nil {
		return nil, err
	}
	return &Memory{o}, nil
}

// Size returns the size in bytes.
func (m *Memory) Size() uint64 { return m.object().Size() }

// Close frees the memory when nothing bound to it is left.
func (m *Memory) Close() error { return m.object().Close() }

// BufferDesc describes a buffer.
type BufferDesc struct {
	// Size in bytes; must not be 0.
	Size uint64
	// Usage restricts what the buffer may be used for; 0 allows everything.
	Usage vk.BufferUsageFlags
	// Memory and MemoryOffset bind the buffer to explicit memory; nil gives it
	// its own, zeroed. The offset is a multiple of 256.
	Memory       *Memory
	MemoryOffset uint64
	// Name appears in errors.
	Name string
}

// Buffer is a range of bytes in device memory.
type Buffer struct{ core *core.Buffer }

// NewBuffer makes a buffer; its contents are zero.
func (d *Device) NewBuffer(desc BufferDesc) (*Buffer, error) {
	o, err := d.object().NewBuffer(vk.BufferCreateInfo{Size: desc.Size, Usage: desc.Usage}, desc.Memory.object(), desc.MemoryOffset, desc.Name)
	if err != nil {
		return nil, err
	}
	return &Buffer{o}, nil
}

// NewBufferFrom makes a buffer that holds data: a []byte, or any value of fixed
// size (numbers, bools, arrays and structs of them, slices of those, or a pointer to one), laid out
// little-endian and without padding as encoding/binary does: where GLSL's std140 and std430 pad, the
// struct needs fields of the name _. The data is copied, and must not be empty.
func (d *Device) NewBufferFrom(data any) (*Buffer, error) {
	const op = "Device.NewBufferFrom"
	raw, err := encode(op, data)
	if err != nil {
		return nil, d.object().Tell(err)
	}
	b, err := d.NewBuffer(BufferDesc{Size: uint64(len(raw))})
	if err != nil {
		return nil, err
	}
	if err := b.object().Write(context.Background(), 0, raw); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// Size returns the size in bytes.
func (b *Buffer) Size() uint64 { return b.object().Size() }

// Write puts data at offset, a number of bytes, after all work submitted before: a []byte, or a
// value of fixed size as in Device.NewBufferFrom. What goes beyond the buffer is an error that
// names both sizes, and nothing is written then.
func (b *Buffer) Write(offset uint64, data any) error {
	raw, err := encode("Buffer.Write", data)
	if err != nil {
		return b.device().Tell(err)
	}
	return b.object().Write(context.Background(), offset, raw)
}

// Read fills dst from offset, after all work submitted before. dst is what Write
// takes, to be written to: a []byte, a slice of values of fixed size, or a pointer to
// such a value or slice; nothing of it changes where there is an error. What goes beyond the buffer is
// an error that names both sizes.
func (b *Buffer) Read(ctx context.Context, offset uint64, dst any) error {
	const op = "Buffer.Read"
	if raw, ok := dst.([]byte); ok {
		return b.object().Read(ctx, offset, raw)
	}
	size, err := decodedSize(op, dst)
	if err != nil {
		return b.device().Tell(err)
	}
	if err := b.object().Holds(op, offset, uint64(size)); err != nil { // before memory is taken for them
		return err
	}
	raw := make([]byte, size)
	if err := b.object().Read(ctx, offset, raw); err != nil {
		return err
	}
	return b.device().Tell(decode(op, raw, dst))
}

// Bytes returns the buffer's memory itself, Size bytes, valid until Close. The caller keeps
// its accesses apart from work that uses the buffer, which Write and Read do by themselves. It
// returns nil after Close.
func (b *Buffer) Bytes() []byte { return b.object().Bytes() }

// DeviceAddress returns the address by which shaders reach the buffer
// (bufferDeviceAddress), the same until Close. Addresses that lead to no buffer
// read as zero, and writes there do nothing.
func (b *Buffer) DeviceAddress() (uint64, error) { return b.object().DeviceAddress() }

// Range names size bytes from offset, for DescriptorSet.Bind; size 0 means to
// the end.
func (b *Buffer) Range(offset, size uint64) BufferRange { return BufferRange{b, offset, size} }

// Close gives the buffer up.
func (b *Buffer) Close() error { return b.object().Close() }

// BufferRange is a part of a buffer as a descriptor; Size 0 means to the end.
type BufferRange struct {
	Buffer *Buffer
	// Offset and Size are bytes.
	Offset, Size uint64
}

// BufferView is a buffer range read as texels of a format.
type BufferView struct{ core *core.BufferView }

// NewBufferView makes a view of size bytes from offset; size 0 means to the end. format is one
// whose FormatProperties have UNIFORM_TEXEL_BUFFER or STORAGE_TEXEL_BUFFER in BufferFeatures; offset is a multiple of
// its texel's size, or of 4 bytes.
func (d *Device) NewBufferView(b *Buffer, format vk.Format, offset, size uint64) (*BufferView, error) {
	o, err := d.object().NewBufferView(b.object(), format, offset, size)
	if err != nil {
		return nil, err
	}
	return &BufferView{o}, nil
}

// Close gives the view up.
func (v *BufferView) Close() error { return v.object().Close() }
