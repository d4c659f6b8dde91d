package pumice

import (
	"context"

	"github.com/pumice-gpu/pumice/vk"
)

// Memory is a piece of device memory that several resources can be bound to, at
// offsets of the caller's choice. Most programs need none: a buffer or image
// without one gets its own.
type Memory struct{}

// NewMemory allocates size bytes, zeroed.
func (d *Device) NewMemory(size uint64) (*Memory, error) { return nil, errStub }

// Size returns the size in bytes.
func (m *Memory) Size() uint64 { return 0 }

// Close frees the memory when nothing bound to it is left.
func (m *Memory) Close() error { return errStub }

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
type Buffer struct{}

// NewBuffer makes a buffer; its contents are zero.
func (d *Device) NewBuffer(desc BufferDesc) (*Buffer, error) { return nil, errStub }

// NewBufferFrom makes a buffer that holds data: a []byte, or any value of fixed
// size (numbers, arrays, structs of them, slices of those), laid out
// little-endian and without padding as encoding/binary does.
func (d *Device) NewBufferFrom(data any) (*Buffer, error) { return nil, errStub }

// Size returns the size in bytes.
func (b *Buffer) Size() uint64 { return 0 }

// Write puts data at offset, after all work submitted before: a []byte, or a
// value of fixed size as in Device.NewBufferFrom.
func (b *Buffer) Write(offset uint64, data any) error { return errStub }

// Read fills dst from offset, after all work submitted before.
func (b *Buffer) Read(ctx context.Context, offset uint64, dst []byte) error { return errStub }

// Bytes returns the buffer's memory itself, valid until Close. The caller keeps
// its accesses apart from work that uses the buffer. It returns nil after Close.
func (b *Buffer) Bytes() []byte { return nil }

// Range names size bytes from offset, for DescriptorSet.Bind; size 0 means to
// the end.
func (b *Buffer) Range(offset, size uint64) BufferRange { return BufferRange{b, offset, size} }

// Close gives the buffer up.
func (b *Buffer) Close() error { return errStub }

// BufferRange is a part of a buffer as a descriptor; Size 0 means to the end.
type BufferRange struct {
	Buffer       *Buffer
	Offset, Size uint64
}

// BufferView is a buffer range read as texels of a format.
type BufferView struct{}

// NewBufferView makes a view of size bytes from offset; size 0 means to the end.
func (d *Device) NewBufferView(b *Buffer, format vk.Format, offset, size uint64) (*BufferView, error) {
	return nil, errStub
}

// Close gives the view up.
func (v *BufferView) Close() error { return errStub }
