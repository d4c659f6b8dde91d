package core

import (
	"errors"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// Buffers beyond maxBufferSize that shaders would reach through descriptors are refused, whatever
// memory the host has. Those for copies alone may be larger.
//
// VkBufferCreateInfo-size-06409
func TestBuffer_MaxBufferSize(t *testing.T) {
	d := open(t)
	for _, c := range []struct {
		size  uint64
		usage vk.BufferUsageFlags
		err   error
	}{
		{32 << 30, vk.BufferUsageStorageBufferBit, nil},
		{32<<30 + 1, vk.BufferUsageStorageBufferBit, ErrOutOfMemory},
		{1 << 36, vk.BufferUsageUniformTexelBufferBit | vk.BufferUsageTransferDstBit, ErrOutOfMemory},
		{1 << 36, vk.BufferUsageTransferSrcBit | vk.BufferUsageIndexBufferBit, nil},
		{1 << 36, 0, ErrOutOfMemory}, // all usage
	} {
		b, err := d.NewUnboundBuffer(vk.BufferCreateInfo{Size: c.size, Usage: c.usage}, "")
		if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
			t.Errorf("%d bytes for %v: %v, want %v", c.size, c.usage, err, c.err)
		}
		if err == nil {
			_ = b.Close()
		}
	}
}
